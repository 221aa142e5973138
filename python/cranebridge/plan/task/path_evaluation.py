"""Every limit and clearance along the exact solution of a path, at many times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse import Feedforward, Nodes, Signal, signal_function
from cranebridge.inverse.index1 import solve_index1
from cranebridge.inverse.kernels import MappedFunctions
from cranebridge.path import Path
from cranebridge.plan.task.bounds import bounds_of
from cranebridge.plan.task.clearance import clearance_function
from cranebridge.plan.task.obstacles import Obstacle
from cranebridge.plan.task.plan import ActiveConstraint, spans_of
from cranebridge.plan.task.task import PlanTask
from cranebridge.twin import Crane

Array = NDArray[np.float64]

_CLEARANCE = "clearance"
_PER_PIECE = 24
# Boxes are wider by this part of their size: a station is a corner, and has no room around it.
ROOM = 1e-5
# A limit counts as active where it is this close, as a part of its range.
_ACTIVE_TOLERANCE = 1e-3


@dataclass(frozen=True, eq=False)
class Stretch:
    """A part of a motion in which the outputs stay in a box.

    Attributes
    ----------
    name : str
        Between which points.
    begin, end : float
        When [s].
    low, high : numpy.ndarray
        Least and largest outputs.
    """

    name: str
    begin: float
    end: float
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class BoundedSignal:
    """A bounded signal.

    Attributes
    ----------
    name, unit : str
        Such as ``u.F_t``, or ``clearance of obstacle 1``.
    least, most : float
        Its bounds.
    size : float
        What it is measured by.
    is_box : bool
        Whether it is an output in the box between two stations, and no limit of the machine.
    """

    name: str
    unit: str
    least: float
    most: float
    size: float
    is_box: bool = False

    @property
    def is_clearance(self) -> bool:
        """Whether it is the distance from an obstacle, and no limit of the machine."""
        return self.name.startswith(_CLEARANCE)

    @property
    def text(self) -> str:
        """The limit in words."""
        least, most = np.isfinite(self.least), np.isfinite(self.most)
        if least and most:
            return f"{self.least:g} to {self.most:g} {self.unit}"
        bound = f"at least {self.least:g}" if least else f"at most {self.most:g}"
        return f"{bound} {self.unit}"


@dataclass(frozen=True, eq=False)
class PathEvaluation:
    """A motion at many times.

    Attributes
    ----------
    time : numpy.ndarray
        In s; a time stands twice where two pieces meet.
    rows : tuple of BoundedSignal
        What is bounded.
    values : numpy.ndarray
        Of shape (times, rows).
    solution : Feedforward
        The motion.
    """

    time: Array
    rows: tuple[BoundedSignal, ...]
    values: Array
    solution: Feedforward

    def excess(self) -> Array:
        """Return how far each value is beyond its bounds, in parts of its size."""
        least = np.array([row.least for row in self.rows])
        most = np.array([row.most for row in self.rows])
        size = np.array([row.size for row in self.rows])
        return np.asarray(np.maximum(least - self.values, self.values - most) / size)

    def worst(self, boxes: bool = True) -> tuple[float, BoundedSignal, float] | None:
        """Return the largest excess with its row and its time; None without rows."""
        time, row, excess = self.peaks()
        if not boxes:
            own = np.array([not one.is_box for one in self.rows], dtype=bool)[row]
            time, row, excess = time[own], row[own], excess[own]
        if not excess.size:
            return None
        k = int(np.argmax(excess))
        return float(excess[k]), self.rows[int(row[k])], float(time[k])

    def peaks(self) -> tuple[Array, NDArray[np.intp], Array]:
        """Return time, row and excess of all local maxima, between the times by parabolas."""
        t, e = self.time, self.excess()
        edge = np.full((1, e.shape[1]), -np.inf)
        before, after = np.vstack([edge, e[:-1]]), np.vstack([e[1:], edge])
        k, i = np.nonzero((e >= before) & (e >= after))
        time, value = t[k].copy(), e[k, i].copy()
        last = t.size - 1
        inner = (k > 0) & (k < last)
        left = np.where(inner, t[k] - t[np.maximum(k - 1, 0)], 0.0)
        right = np.where(inner, t[np.minimum(k + 1, last)] - t[k], 0.0)
        inner &= (left > 0.0) & (right > 0.0)  # never over a jump
        a, b, m, n = k[inner], i[inner], left[inner], right[inner]
        down, up = e[a - 1, b] - e[a, b], e[a + 1, b] - e[a, b]
        curvature = (down / m + up / n) / (m + n)
        slope = (up / n * m - down / m * n) / (m + n)
        curved = curvature < 0.0
        shift = np.where(curved, -0.5 * slope / np.where(curved, curvature, 1.0), 0.0)
        time[inner] += shift
        value[inner] += np.where(curved, -0.25 * slope**2 / np.where(curved, curvature, 1.0), 0.0)
        return time, i, value

    def active(self) -> tuple[ActiveConstraint, ...]:
        """Return the bounds that are touched, and when; every station is a corner of its box."""
        found = []
        for i, row in enumerate(self.rows):
            if row.is_box:
                continue
            for bound, sign in ((row.least, 1.0), (row.most, -1.0)):
                if not np.isfinite(bound):
                    continue
                near = sign * (self.values[:, i] - bound) <= _ACTIVE_TOLERANCE * row.size
                if near.any():
                    spans = spans_of(self.time, near)
                    found.append(ActiveConstraint(row.name, bound, row.unit, spans))
        return tuple(found)


class PathEvaluator:
    """Evaluates limits and clearances along paths of a task."""

    def __init__(self, task: PlanTask) -> None:
        self.task = task
        self._bounds = bounds_of(task.crane, task.limits)
        self._mapped = _mapped(task.crane, self._bounds.signals, task.obstacles)
        count = len(task.obstacles)
        self.rows = tuple(
            BoundedSignal(signal.title, signal.unit, float(least), float(most), float(size))
            for signal, least, most, size in zip(
                self._bounds.signals,
                self._bounds.least,
                self._bounds.most,
                self._bounds.size,
                strict=True,
            )
        ) + tuple(
            BoundedSignal(f"{_CLEARANCE} of obstacle {i + 1}", "m", 0.0, np.inf, 1.0)
            for i in range(count)
        )

    def evaluate(
        self, path: Path, per_piece: int = _PER_PIECE, stretches: Sequence[Stretch] = ()
    ) -> PathEvaluation:
        """Solve a path exactly at many times and evaluate all rows.

        Parameters
        ----------
        path : Path
            The path.
        per_piece : int
            Times between two of its knots.
        stretches : sequence of Stretch
            Parts of it that have a box; they begin and end at knots.

        Raises
        ------
        SolutionError
            If it has no solution.
        """
        task = self.task
        knots = np.asarray(path.knots)
        inner = np.linspace(0.0, 1.0, per_piece + 1)[:-1]
        times = np.append((knots[:-1, None] + np.diff(knots)[:, None] * inner).ravel(), knots[-1])
        problem = task.problem(path)
        solution = solve_index1(problem, times)
        nodes = solution.nodes
        assert nodes is not None
        boxed = [self._boxed(nodes, stretch) for stretch in stretches]
        rows = self.rows + tuple(row for own, _ in boxed for row in own)
        values = np.hstack([self._values(nodes), *(inside for _, inside in boxed)])
        return PathEvaluation(nodes.time, rows, values, solution)

    def _boxed(self, nodes: Nodes, stretch: Stretch) -> tuple[tuple[BoundedSignal, ...], Array]:
        """Return the outputs in a stretch; at other times they count as in the middle."""
        low, high = widened(stretch.low, stretch.high, ROOM)
        size = 0.5 * float(np.linalg.norm(high - low))
        rows = tuple(
            BoundedSignal(
                f"{output.name} {stretch.name}", output.unit, least, most, size, is_box=True
            )
            for output, least, most in zip(
                self.task.crane.outputs, low.tolist(), high.tolist(), strict=True
            )
        )
        # sums of durations are knots up to rounding
        near = 1e-9 * nodes.time[-1]
        own = (nodes.time >= stretch.begin - near) & (nodes.time <= stretch.end + near)
        middle = 0.5 * (stretch.low + stretch.high)
        return rows, np.where(own[:, None], nodes.gamma, middle)

    def _values(self, nodes: Nodes) -> Array:
        p, values = self.task.parameter_vector, [np.empty((nodes.time.size, 0))]
        if self._bounds.signals:
            motion = (nodes.q, nodes.v, nodes.a, nodes.jerk, nodes.lam, nodes.u)
            values += self._mapped("bounds", *motion, p)
        if self.task.obstacles:
            values += self._mapped("clear", nodes.gamma, nodes.q, p)
        return np.hstack(values)


@lru_cache(maxsize=64)
def _mapped(
    crane: Crane, signals: tuple[Signal, ...], obstacles: tuple[Obstacle, ...]
) -> MappedFunctions:
    """Return all rows for many times, made once."""
    functions = signal_function(crane, signals), clearance_function(crane, obstacles)
    return MappedFunctions(functions, "never")


def widened(low: Array, high: Array, part: float) -> tuple[Array, Array]:
    """Return a box that is wider on each side by a part of half its diagonal."""
    more = 0.5 * part * float(np.linalg.norm(high - low))
    return low - more, high + more
