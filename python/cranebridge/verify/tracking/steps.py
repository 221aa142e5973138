"""Calculus on the steps of an integrator: rates and integrals of signals at its dense nodes.

The nodes of a step are Chebyshev-Lobatto points
(:class:`cranebridge.plant.sandbox.plant_results.Dense`); the polynomial through them is
differentiated and integrated exactly (Trefethen, *Spectral Methods in MATLAB*, Chapters 6 and 12),
step by step, so that nothing reaches over a jump.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


def rate(time: Array, starts: Indices, values: Array) -> Array:
    """Return the time derivatives of columns of values at the nodes."""
    result = np.empty_like(values)
    for rows, length in _groups(time, starts):
        matrix = _differentiation(rows.shape[1])
        result[rows] = (
            np.einsum("ij,kjs->kis", matrix, values[rows]) * (2.0 / length)[:, None, None]
        )
    return result


def integral(time: Array, starts: Indices, values: Array) -> float:
    """Return the integral of one signal over all steps."""
    parts = (
        float((values[rows] @ _weights(rows.shape[1])) @ (0.5 * length))
        for rows, length in _groups(time, starts)
    )
    return sum(parts)


def long_steps(time: Array, starts: Indices, shortest: float) -> tuple[Indices, Indices]:
    """Return the rows of all steps that are not shorter than `shortest`, and where these begin.

    Differences within a very short step are rounding; what happens there is seen beside it.
    """
    counts = np.diff(np.append(starts, time.size))
    length = time[starts + counts - 1] - time[starts]
    kept = length >= shortest
    rows = np.flatnonzero(np.repeat(kept, counts))
    begins = np.concatenate([[0], np.cumsum(counts[kept])[:-1]]).astype(np.intp)
    return rows, begins


def _groups(time: Array, starts: Indices) -> Iterator[tuple[Indices, Array]]:
    """Yield the rows of all steps with the same number of nodes, and their lengths."""
    counts = np.diff(np.append(starts, time.size))
    for count in np.unique(counts):
        rows = starts[counts == count][:, None] + np.arange(count)
        yield rows, time[rows[:, -1]] - time[rows[:, 0]]


@cache
def _vandermonde(count: int) -> Array:
    nodes = -np.cos(np.pi * np.arange(count) / (count - 1))
    return np.asarray(chebyshev.chebvander(nodes, count - 1))


@cache
def _differentiation(count: int) -> Array:
    """Return the matrix that differentiates on the nodes of [-1, 1]."""
    derivative = chebyshev.chebder(np.eye(count), axis=0)
    values = _vandermonde(count)
    return np.asarray(np.linalg.solve(values.T, (values[:, :-1] @ derivative).T).T)


@cache
def _weights(count: int) -> Array:
    """Return the weights of Clenshaw-Curtis quadrature on [-1, 1]."""
    antiderivative = chebyshev.chebint(np.eye(count), lbnd=-1.0, axis=0)
    whole = chebyshev.chebval(1.0, antiderivative)
    return np.asarray(np.linalg.solve(_vandermonde(count).T, whole))
