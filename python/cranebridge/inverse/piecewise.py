"""Piecewise polynomials over time, with SciPy's convention of coefficients.

SciPy's own take as long to import as a crane takes to solve; evaluating one is three lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Piecewise:
    """Signals over time as polynomials between breakpoints.

    Attributes
    ----------
    c : numpy.ndarray
        Coefficients of shape (degree + 1, intervals, signals), highest power first, in the time
        since the interval's begin.
    x : numpy.ndarray
        Breakpoints, increasing.
    """

    c: Array
    x: Array

    @cached_property
    def rows(self) -> Array:
        """A row for each interval: its begin, then the coefficients of each signal."""
        numbers = self.c.transpose(1, 2, 0).reshape(self.x.size - 1, -1)
        return np.column_stack([self.x[:-1], numbers])

    def __call__(self, t: ArrayLike) -> Array:
        """Return the signals at a time, or a row for each of several."""
        times = np.asarray(t, dtype=float)
        i = np.clip(np.searchsorted(self.x, times, side="right") - 1, 0, self.x.size - 2)
        s = times - self.x[i]
        # a row for each signal: loops over few columns would take several times as long
        values = np.take(self.c[0].T, i, axis=1)
        for c in self.c[1:]:
            values = values * s + np.take(c.T, i, axis=1)
        return np.asarray(np.moveaxis(values, 0, -1))


def hermite(x: Array, left: tuple[Array, ...], right: tuple[Array, ...]) -> Piecewise:
    """Return the polynomials with given values and derivatives at both ends of each interval.

    Parameters
    ----------
    x : numpy.ndarray
        Breakpoints.
    left, right : tuple of numpy.ndarray
        Value and first derivative (cubic), or also the second (quintic), a row for each interval.
    """
    h = np.diff(x)
    # a row for each signal: loops over few columns would take several times as long
    left, right = (tuple(np.ascontiguousarray(part.T) for part in end) for end in (left, right))
    slope = (right[0] - left[0]) / h
    if len(left) == 2:
        (_, v0), (_, v1) = left, right
        cubic = (v0 + v1 - 2.0 * slope) / h**2
        return _piecewise([cubic, (3.0 * slope - 2.0 * v0 - v1) / h, v0, left[0]], x)
    (_, v0, a0), (_, v1, a1) = left, right
    # what is left of value, velocity and acceleration at the end after the first three terms
    d0 = (slope - v0) / h - 0.5 * a0
    d1 = (v1 - v0) / h - a0
    d2 = a1 - a0
    third = (10.0 * d0 - 4.0 * d1 + 0.5 * d2) / h
    fourth = (-15.0 * d0 + 7.0 * d1 - d2) / h**2
    fifth = (6.0 * d0 - 3.0 * d1 + 0.5 * d2) / h**3
    return _piecewise([fifth, fourth, third, 0.5 * a0, v0, left[0]], x)


def _piecewise(coefficients: Sequence[Array], x: Array) -> Piecewise:
    """Return polynomials from coefficients with a row for each signal."""
    return Piecewise(np.stack(coefficients).transpose(0, 2, 1), x)
