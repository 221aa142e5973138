"""Inputs that are constant in each interval of a grid: their means there.

A tool that holds inputs over an interval has an error of order 1 in its length if it is given what
the input is at the interval's begin, and one of order 2 if it is given the mean. What the input
adds to a momentum is then right at every point of the grid, and a position is off by h^2 / 12 times
the change of acceleration.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.protocol import Controls

Array = NDArray[np.float64]


def interval_means(controls: Controls, grid: Array) -> Array:
    """Return the means of all signals, a row for each interval.

    Exact: each polynomial piece is integrated by itself, by Gauss's rule of its degree.

    Parameters
    ----------
    controls : Controls
        The signals, without controllers.
    grid : numpy.ndarray
        Ends of the intervals, increasing.
    """
    x = controls.breakpoints
    inside = x[(x > grid[0]) & (x < grid[-1])]
    ends = np.union1d(grid, inside)
    nodes, weights = np.polynomial.legendre.leggauss(len(controls.coefficients) // 2 + 1)
    widths = np.diff(ends)
    times = ends[:-1, None] + widths[:, None] * (nodes + 1.0) / 2.0
    values = controls(times.ravel()).reshape(*times.shape, -1)
    integrals = (values * (weights / 2.0)[:, None]).sum(axis=1) * widths[:, None]
    sums = np.add.reduceat(integrals, np.searchsorted(ends, grid[:-1]), axis=0)
    return np.asarray(sums / np.diff(grid)[:, None])


def interval_values(controls: Controls, grid: Array) -> Array:
    """Return the signals in the middle of each interval: of held ones, what they are in it."""
    return controls((grid[:-1] + grid[1:]) / 2.0)
