"""Paths as B-splines: what a planner finds, and what may start or end in motion."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cranebridge.path.base import Break, FloatArray, Path, Phase, Side


@dataclass(frozen=True)
class BSplinePath(Path):
    """A B-spline in the outputs.

    At an end at which as many coefficients are equal as derivatives shall vanish, these vanish
    exactly. An end that is declared as moving is not joined with rest: nothing is said of what is
    before or after it, where the outputs are at rest.

    Attributes
    ----------
    degree : int
        Of the polynomial pieces.
    times : tuple of float
        Knots of the spline with their multiplicities [s]: the first and the last stand
        ``degree + 1`` times, the first is 0.
    coefficients : tuple of tuple of float
        Control points, one component for each output.
    moving_start, moving_end : bool
        Whether the path starts or ends in motion.
    """

    degree: int
    times: tuple[float, ...]
    coefficients: tuple[tuple[float, ...], ...]
    moving_start: bool = False
    moving_end: bool = False

    def __post_init__(self) -> None:
        k, times = self.degree, np.array(self.times)
        if k < 1 or len(self.coefficients) != times.size - k - 1 or len(self.coefficients) <= k:
            raise ValueError("a B-spline has degree + 1 more knots than coefficients")
        ends = np.concatenate([times[: k + 1] - times[0], times[-k - 1 :] - times[-1]])
        if times[0] != 0.0 or ends.any() or not (np.diff(times) >= 0.0).all():
            raise ValueError("knots must not decrease, begin with 0, and repeat at both ends")
        if times[-1] <= 0.0 or max(Counter(self.times[k + 1 : -k - 1]).values(), default=0) > k:
            raise ValueError("a B-spline takes time, and inner knots stand degree times at most")

    @property
    def duration(self) -> float:
        """The last knot [s]."""
        return self.times[-1]

    @property
    def moving_ends(self) -> tuple[bool, bool]:
        """Whether the path starts and ends in motion."""
        return self.moving_start, self.moving_end

    @cached_property
    def knots(self) -> tuple[float, ...]:
        """The knots, each once [s]."""
        return tuple(dict.fromkeys(self.times))

    @property
    def phases(self) -> tuple[Phase, ...]:
        """One phase."""
        return (("motion", 0.0, self.duration),)

    def breaks(self, output: str) -> tuple[Break, ...]:
        """Return the knots for an output that moves; see `Path.breaks`."""
        values = [row[self._row(output)] for row in self.coefficients]
        if len(set(values)) == 1:
            return ()
        inner = Counter(self.times[self.degree + 1 : -self.degree - 1])
        found = [Break(t, self.degree - count) for t, count in inner.items()]
        if not self.moving_start:
            found.insert(0, Break(0.0, _equal(values)))
        if not self.moving_end:
            found.append(Break(self.duration, _equal(values[::-1])))
        return tuple(found)

    @cached_property
    def _taylor(self) -> FloatArray:
        """Coefficients of each piece about its begin and its end: (2, degree + 1, pieces, outputs).

        Over time in units of the piece's length.
        """
        from scipy.interpolate import BSpline

        u, c = np.array(self.times) / self.duration, np.array(self.coefficients)
        # without what is common to all control points: an output that holds has no rates at all
        spline, knots = BSpline(u, c - c[0], self.degree), np.unique(u)
        lengths, powers = np.diff(knots)[:, None], np.arange(self.degree + 1)
        begin: FloatArray = np.stack(
            [spline(knots[:-1], nu=m) * lengths**m / math.factorial(m) for m in powers]
        )
        end = np.stack(  # the same polynomials, shifted by their length
            [sum(math.comb(n, m) * begin[n] for n in powers[m:].tolist()) for m in powers.tolist()]
        )
        begin[0] += c[0]
        end[0] += c[0]
        # what is exact must not be rounding
        for local, column, moving in (
            (begin[:, 0], c, self.moving_start),
            (end[:, -1], c[::-1], self.moving_end),
        ):
            local[0] = column[0]
            for i in range(0 if moving else c.shape[1]):
                local[1 : 1 + _equal(column[:, i].tolist()), i] = 0.0
        return np.stack([begin, end])

    def _evaluate(self, t: FloatArray, order: int, side: Side) -> FloatArray:
        out = np.zeros((order + 1, len(self.outputs), len(t)))
        knots = np.array(self.knots)
        piece = np.searchsorted(knots, t, side=side) - 1
        # an end in motion belongs to the path from both sides
        if self.moving_start:
            piece[t == 0.0] = 0
        if self.moving_end:
            piece[t == self.duration] = len(knots) - 2
        out[0, :, piece < 0] = self.coefficients[0]
        out[0, :, piece >= len(knots) - 1] = self.coefficients[-1]
        inside = np.flatnonzero((piece >= 0) & (piece < len(knots) - 1))
        own, times = piece[inside], t[inside]
        length = np.diff(knots)[own]
        # from the nearer end, where what vanishes does so exactly
        nearer = (2.0 * (times - knots[own]) > length).astype(np.intp)
        x = (times - knots[own + nearer]) / length
        for m in range(min(order, self.degree) + 1):
            values = _horner(self._taylor[nearer, :, own], x, m) / (length**m)[:, None]
            out[m][:, inside] = values.T
        return out


def _equal(values: list[float]) -> int:
    """Return how many coefficients after the first are equal to it: vanishing derivatives."""
    different = (i for i, value in enumerate(values) if value != values[0])
    return next(different, len(values)) - 1


def _horner(taylor: FloatArray, x: FloatArray, order: int) -> FloatArray:
    """Evaluate a derivative of polynomials, each at its own place: a row for each."""
    n = np.arange(taylor.shape[1])
    factors = np.ones(n.size)
    for i in range(order):
        factors *= n - i
    out = np.zeros((x.size, taylor.shape[2]))
    for k in range(n.size - 1, order - 1, -1):
        out = out * x[:, None] + factors[k] * taylor[:, k]
    return out
