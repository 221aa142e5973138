"""At which times a path is solved: those that are wanted, and its knots with both their sides."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse.problem import ServoProblem
from cranebridge.numerics import distinct
from cranebridge.path import Path, Pieces

Array = NDArray[np.float64]

# Between two knots of a planned path. In such a piece a drive may go through all of its range; the
# error of cubics on 96 intervals of it is some 1e-8 of that range, and 2e-5 on 12.
_NODES_PER_PIECE = 96
# Copying runs of neighbours is faster than picking rows, as long as there are few of them.
_FEW_RUNS = 100


@dataclass(frozen=True, eq=False)
class NodeTimes:
    """Times with the knots among them.

    Attributes
    ----------
    wanted : numpy.ndarray
        The times that were asked for.
    time : numpy.ndarray
        All times; inner knots stand twice, for their left and their right side.
    grid : numpy.ndarray
        Which of them are the wanted ones. Where a time stands twice it is the right side; the
        values are equal.
    """

    wanted: Array
    time: Array
    grid: NDArray[np.intp]

    @cached_property
    def left(self) -> NDArray[np.bool_]:
        """Which nodes look to the left: at a knot the first of two, and the last of all."""
        return np.append(self.time[1:] == self.time[:-1], True)

    def part(self, begin: int, end: int) -> tuple[slice, NDArray[np.intp]]:
        """Return the nodes from one wanted time to before another, and which of them are wanted.

        A knot between two parts belongs to the later one.
        """
        first = 0 if begin == 0 else int(self.grid[begin - 1]) + 1
        last = self.time.size if end == self.wanted.size else int(self.grid[end - 1]) + 1
        return slice(first, last), self.grid[begin:end] - first


def on_grid(stack: Array, grid: NDArray[np.intp]) -> Array:
    """Return the wanted columns of a table with a column for each node; itself if that is all."""
    if grid.size == stack.shape[1]:
        return stack
    edges = [0, *(np.flatnonzero(np.diff(grid) != 1) + 1).tolist(), grid.size]
    if len(edges) > _FEW_RUNS:
        return np.take(stack, grid, axis=1)
    found = np.empty((len(stack), grid.size))
    for begin, end in pairwise(edges):
        first = int(grid[begin])
        found[:, begin:end] = stack[:, first : first + end - begin]
    return found


def node_times(problem: ServoProblem, times: Array) -> NodeTimes:
    """Return wanted times and knots together, inner knots twice."""
    times = np.asarray(times, dtype=float)
    increasing = times if (times[1:] > times[:-1]).all() else distinct(times)
    knots = np.asarray(problem.path.knots)
    inner = knots[(knots > increasing[0]) & (knots < increasing[-1])]
    added = distinct(np.concatenate([inner, _more(problem.path, increasing, inner)]))
    added = added[~_among(increasing, added)]
    inserted = np.sort(np.concatenate([added, inner]))
    places = np.searchsorted(increasing, inserted)
    counts = np.diff(np.concatenate([[0], places, [increasing.size]]))
    grid = np.repeat(np.arange(inserted.size + 1), counts)
    grid += np.arange(increasing.size)
    if increasing is not times:
        grid = grid[np.searchsorted(increasing, times)]
    return NodeTimes(times, np.insert(increasing, places, inserted), grid)


def _more(path: Path, times: Array, inner: Array) -> Array:
    """Return further nodes for a path that was planned.

    Between its knots a drive may change by all of its range: there the short pieces get nodes of
    their own, or the controls between the grid's times would be wrong. A grid that has the knots
    already was made for the path, and is left as it is.
    """
    suited = inner.size > 0 and bool(_among(times, inner).all())
    if not isinstance(path, Pieces) or times.size <= 2 or suited:
        return np.empty(0)
    edges = distinct(np.concatenate([inner, times[[0, -1]]]))
    few = np.diff(np.searchsorted(times, edges)) < _NODES_PER_PIECE
    share = np.linspace(0.0, 1.0, _NODES_PER_PIECE + 1)[1:-1]
    more = edges[:-1][few, None] + np.diff(edges)[few, None] * share
    return np.asarray(more.ravel())


def _among(times: Array, values: Array) -> NDArray[np.bool_]:
    """Return which values are among increasing times."""
    places = np.minimum(np.searchsorted(times, values), times.size - 1)
    return np.asarray(times[places] == values)
