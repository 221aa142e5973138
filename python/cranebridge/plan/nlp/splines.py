"""The splines that a planner chooses from: pieces over a normalised time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# How much of equal pieces is in graded ones.
_EVEN = 0.05


@dataclass(frozen=True, eq=False)
class SplineSpace:
    """All splines of a degree with given edges in normalised time.

    Attributes
    ----------
    degree : int
        Of the pieces.
    smoothness : int
        Class in which pieces join, less than the degree.
    edges : numpy.ndarray
        Where pieces meet, begin and end, increasing.
    """

    degree: int
    smoothness: int
    edges: Array

    def piece(self, tau: Array) -> NDArray[np.intp]:
        """Return the piece that each time belongs to; an edge belongs to the piece after it."""
        found = np.searchsorted(self.edges, tau, side="right") - 1
        return np.asarray(np.clip(found, 0, self.edges.size - 2), dtype=np.intp)

    def cut(self, parts: NDArray[np.intp]) -> SplineSpace:
        """Return the splines with each piece cut into some number of equal parts.

        They contain these.
        """
        shares = [np.linspace(0.0, 1.0, n + 1)[:-1] for n in parts]
        lengths = np.diff(self.edges)
        edges = [
            begin + length * share
            for begin, length, share in zip(self.edges[:-1], lengths, shares, strict=True)
        ]
        return SplineSpace(
            self.degree, self.smoothness, np.append(np.concatenate(edges), self.edges[-1])
        )

    def averaged(self, width: float, moving: tuple[bool, bool]) -> SplineSpace:
        """Return the splines over the time that a mean from 0 to 1 needs.

        Parameters
        ----------
        width : float
            Of the mean.
        moving : (bool, bool)
            Whether the start and the goal move; otherwise the mean begins and ends at rest.
        """
        half = 0.5 * width
        begin, end = -half if moving[0] else half, 1.0 + half if moving[1] else 1.0 - half
        return SplineSpace(self.degree, self.smoothness, begin + (end - begin) * self.edges)

    def softened(self, jumps: NDArray[np.bool_], length: float) -> SplineSpace:
        """Return smoother splines, of class and degree one higher, with short pieces at jumps.

        Parameters
        ----------
        jumps : numpy.ndarray of bool
            At which edges the first derivative that is not continuous shall change fast.
        length : float
            Of the short pieces; half of it at 0 and 1.
        """
        lengths = np.diff(self.edges)
        before, after = np.append(np.inf, lengths), np.append(lengths, np.inf)
        half = np.minimum(0.5 * length, 0.25 * np.minimum(before, after))
        shifted = np.concatenate([(self.edges - half)[jumps], (self.edges + half)[jumps]])
        inner = np.concatenate([self.edges[1:-1][~jumps[1:-1]], shifted])
        inner = np.unique(inner[(inner > 0.0) & (inner < 1.0)])
        edges = np.concatenate([[0.0], inner, [1.0]])
        return SplineSpace(self.degree + 1, self.smoothness + 1, edges)


def uniform(smoothness: int, pieces: int) -> SplineSpace:
    """Return splines with pieces of equal length, their degree two above their class."""
    return SplineSpace(smoothness + 2, smoothness, np.linspace(0.0, 1.0, pieces + 1))


def graded(smoothness: int, pieces: int) -> SplineSpace:
    """Return splines with shorter pieces towards both ends, their degree two above their class.

    Light drives reach their speeds within a hundredth of a motion, and leave them as late. Pieces
    in the middle are 1.5 times as long as equal ones, those at the ends nearly as short as
    Chebyshev's.
    """
    x = np.linspace(0.0, 1.0, pieces + 1)
    edges = _EVEN * x + (1.0 - _EVEN) * 0.5 * (1.0 - np.cos(np.pi * x))
    edges[0], edges[-1] = 0.0, 1.0
    return SplineSpace(smoothness + 2, smoothness, edges)
