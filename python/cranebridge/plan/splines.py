"""The splines that a planner chooses from: knots over a normalised time, and their basis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Spline:
    """All splines of a degree with given knots over the normalised time 0 <= tau <= 1.

    Attributes
    ----------
    degree : int
        Of the pieces.
    repeat : int
        How often each inner knot stands: the splines are of class C^(degree - repeat).
    edges : numpy.ndarray
        Where pieces meet, with 0 and 1, increasing.
    """

    degree: int
    repeat: int
    edges: Array

    @cached_property
    def knots(self) -> Array:
        """All knots with their multiplicities."""
        ends = self.degree + 1
        return np.concatenate(
            [np.zeros(ends), np.repeat(self.edges[1:-1], self.repeat), np.ones(ends)]
        )

    @property
    def size(self) -> int:
        """Number of coefficients."""
        return int(self.knots.size - self.degree - 1)

    def piece(self, tau: Array) -> NDArray[np.intp]:
        """Return the piece that each time belongs to; an edge belongs to the piece after it."""
        found = np.searchsorted(self.edges, tau, side="right") - 1
        return np.asarray(np.clip(found, 0, self.edges.size - 2), dtype=np.intp)

    def first(self, tau: Array) -> NDArray[np.intp]:
        """Return the first of the degree + 1 coefficients that act at each time."""
        return self.piece(tau) * self.repeat

    def basis(self, tau: Array, order: int) -> Array:
        """Return what the coefficients that act contribute to each derivative.

        Returns
        -------
        numpy.ndarray, shape (times, order + 1, degree + 1)
            At an inner edge those of the piece after it.
        """
        from scipy.interpolate import BSpline

        every = BSpline(self.knots, np.eye(self.size), self.degree)
        # SciPy takes the last piece at the last knot only if it is not beyond it
        inside = np.minimum(tau, 1.0)
        columns = self.first(tau)[:, None] + np.arange(self.degree + 1)
        rows = np.arange(tau.size)[:, None]
        values = [every(inside, nu=k)[rows, columns] for k in range(order + 1)]
        return np.stack(values, axis=1)

    def fit(self, tau: Array, values: Array, given: Array) -> Array:
        """Return the coefficients that come closest to values at given times.

        Parameters
        ----------
        tau, values : numpy.ndarray
            Times, and a row of values for each.
        given : numpy.ndarray
            Coefficients that are known; NaN where they are not.
        """
        known = ~np.isnan(given[:, 0])
        full = np.zeros((tau.size, self.size))
        columns = self.first(tau)[:, None] + np.arange(self.degree + 1)
        full[np.arange(tau.size)[:, None], columns] = self.basis(tau, 0)[:, 0]
        result = given.copy()
        right = values - full[:, known] @ given[known]
        result[~known] = np.linalg.lstsq(full[:, ~known], right, rcond=None)[0]
        return result

    def refined(self, halve: NDArray[np.bool_]) -> Spline:
        """Return the splines with some pieces cut into halves; they contain these."""
        middle = 0.5 * (self.edges[1:] + self.edges[:-1])[halve]
        return Spline(self.degree, self.repeat, np.union1d(self.edges, middle))

    def refined_at(self, place: int) -> Spline:
        """Return the splines with one piece cut into halves."""
        halve = np.zeros(self.edges.size - 1, dtype=bool)
        halve[place] = True
        return self.refined(halve)


def uniform(degree: int, repeat: int, pieces: int) -> Spline:
    """Return splines with pieces of equal length."""
    return Spline(degree, repeat, np.linspace(0.0, 1.0, pieces + 1))
