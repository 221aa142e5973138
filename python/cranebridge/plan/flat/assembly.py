"""The program of a flat plan: rows of limits, ends, joints and effort on the legs of a route."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from cranebridge.inverse.index1 import PointSolver, newton_unknowns, rest_values, solve_index1
from cranebridge.path import Path
from cranebridge.plan.flat.ends import MovingEnd, StateRows, continued, held_problem
from cranebridge.plan.flat.route import Route
from cranebridge.plan.nlp import Identity, Leg, RowGroup, SplineProgram
from cranebridge.plan.rows import (
    PointRows,
    SnapRows,
    effort_functions,
    given_derivatives,
    joined,
    limit_functions,
)
from cranebridge.plan.task import (
    ROOM,
    PathEvaluation,
    PlanTask,
    bounds_of,
    clearance_count,
    effort_scales,
    effort_scales_by_use,
    widened,
)

Array = NDArray[np.float64]

# Of the smooth form of corners [1/m] on the first splines.
_FIRST_SHARPNESS = 5.0
# The same on the finest ones.
_LAST_SHARPNESS = 100.0
# A limit counts around a time if it is nearer than this part of its size ...
_NEAR = 0.5
# ... on a grid of so many cells over the motion ...
_GRID_CELLS = 100
# ... within so many cells.
_CELLS_AROUND = 4
_SELDOM = 3
# Effort that counts as much as a second where only time counts: drives that do not hold a motion
# back would be anything without it.
_SMOOTHING = 1e-3
# How many times of a guess tell the sizes of the highest derivative and of drives without limit.
_ALONG = 9


@dataclass(frozen=True, eq=False)
class ReferencePath:
    """A path, for the first values of Newton's unknowns.

    Attributes
    ----------
    path : Path
        The path.
    durations : tuple of float
        Of its legs [s].
    """

    path: Path
    durations: tuple[float, ...]

    @property
    def begins(self) -> Array:
        """When each leg begins [s]."""
        return np.cumsum((0.0, *self.durations[:-1]))


class Assembly:
    """Makes the programs of a task.

    Parameters
    ----------
    task : PlanTask
        What is asked.
    solver : PointSolver
        The stages of the crane.
    smoothness : int
        How many derivatives of the path the controls need.
    late : bool
        Whether times that are given may be later, by as little as possible in sum.
    """

    def __init__(
        self, task: PlanTask, solver: PointSolver, smoothness: int, late: bool = False
    ) -> None:
        self.task, self.solver, self.smoothness, self.late = task, solver, smoothness, late
        self._bounds = bounds_of(task.crane, task.limits)
        self.order = smoothness
        if self._bounds.of_jerks:
            self.order += 1
        self._rows: dict[tuple[float, bool], PointRows] = {}
        self._states: dict[int, StateRows] = {}
        self._slacks: dict[int, Array] = {}
        self._snap_sizes: Array | None = None

    def program(self, legs: tuple[Leg, ...], groups: list[RowGroup], x: Array) -> SplineProgram:
        """Return the program of groups with bounds of the durations."""
        task, linear = self.task, np.zeros(x.size)
        least, most = np.full(x.size, -np.inf), np.full(x.size, np.inf)
        for i, leg in enumerate(legs):
            linear[leg.duration] = 0.0 if task.objective == "effort" else 1.0
            if self.late:  # a leg counts for each time after it, and a little anyway
                linear[leg.duration] = 0.01 + sum(count > i for count, _ in self._times())
            least[leg.duration] = 0.02 * x[leg.duration]
        return SplineProgram(groups, linear, least, most, legs)

    def groups(
        self, legs: tuple[Leg, ...], route: Route, along: ReferencePath, snap: float = 0.0
    ) -> list[RowGroup]:
        """Return effort, joints, via points and ends that move.

        With `snap` the highest derivative has this weight, as a part of the time.
        """
        groups: list[RowGroup] = []
        for leg, begin, duration in zip(legs, along.begins, along.durations, strict=True):
            groups += self._effort_groups(leg, along.path, begin, duration)
            groups += leg.joints()
        if snap:
            groups += [self._snap_group(leg, along.path, snap) for leg in legs]
        groups += [joined(a, b, a.smoothness) for a, b in pairwise(legs)]
        groups += self._passing(legs)
        groups += self._timed(legs)
        for end, moving, leg in ((0, route.start, legs[0]), (1, route.goal, legs[-1])):
            if moving is not None:
                groups.append(self._end(leg, end, moving, along.path))
        return groups

    def limits(
        self,
        legs: tuple[Leg, ...],
        route: Route,
        along: ReferencePath,
        times: Sequence[Array],
        level: int,
        margin: float,
        evaluation: PathEvaluation | None = None,
    ) -> list[RowGroup]:
        """Return the limits at normalised times of each leg, narrowed by a part of their sizes.

        With an evaluation, only those are returned that are not far from being reached.
        """
        boxed = any(box is not None for box in route.boxes)
        rows = self._limit_rows(min(_FIRST_SHARPNESS * 2.0**level, _LAST_SHARPNESS), boxed)
        margins, groups = self.margins(route, margin), []
        every = zip(legs, along.begins, along.durations, route.boxes, times, strict=True)
        for leg, begin, duration, box, tau in every:
            if tau.size:
                w = self._unknowns(along.path, begin + duration * tau)
                bounds = self._limits(margins, box, boxed)
                near = None
                if evaluation is not None:
                    near = np.ones((tau.size, rows.count), dtype=bool)
                    count = self._bounds.size.size
                    near[:, :count] = _near(evaluation, begin + duration * tau)[:, :count]
                    # what is far stays far only if it is looked at now and then
                    near[::_SELDOM] = True
                for group, own in leg.groups(rows, self.order, tau, bounds, w):
                    group.kept = None if near is None else near[own]
                    groups.append(group)
        return groups

    def margins(self, route: Route, margin: float) -> Array:
        """Return by which part of their sizes rows are narrowed.

        What an end in motion fixes may be close to its limit: only half of the way is taken then.
        """
        bounds = self._bounds
        result = np.full(bounds.size.size + clearance_count(self.task), margin)
        for end, moving in ((0, route.start), (1, route.goal)):
            if moving is None:
                continue
            slack = self._slack(end, moving)
            fixed = [s.group in ("q", "v") or moving.state is None for s in bounds.signals]
            result[: slack.size] = np.where(
                fixed, np.minimum(result[: slack.size], np.maximum(0.5 * slack, 0.0)), margin
            )
        return result

    def _slack(self, end: int, moving: MovingEnd) -> Array:
        """Return how far the limits of an end that moves are, in parts of their sizes."""
        if end not in self._slacks:
            rows = self._limit_rows(_FIRST_SHARPNESS, False)
            derivatives = np.zeros((self.order + 1, moving.derivatives.shape[1]))
            derivatives[: len(moving.derivatives)] = moving.derivatives
            z = np.append(derivatives.ravel(), 1.0)[None, :]
            problem = held_problem(self.task, moving.state or self.task.start)
            w = continued(self.solver, problem, moving.derivatives)
            values = rows.values(z, rows.settle(z, w))[0]
            bounds = self._bounds
            own = values[: bounds.size.size]
            self._slacks[end] = np.minimum(
                own - bounds.least / bounds.size, bounds.most / bounds.size - own
            )
        return self._slacks[end]

    def _end(self, leg: Leg, end: int, moving: MovingEnd, path: Path) -> RowGroup:
        """Return rows that let an end move as given."""
        if moving.state is None:
            # the mean of pieces goes on with the drives, too
            count = 1 + (self.smoothness if leg.width else leg.smoothness)
            return given_derivatives(leg, end, moving.derivatives[:count])
        state = self.state_rows(end, moving)
        w = self._unknowns(path, np.array([end * path.duration]))
        bounds = state.values, state.values
        ((group, _),) = leg.groups(state.rows, self.smoothness, np.array([float(end)]), bounds, w)
        return group

    def state_rows(self, end: int, moving: MovingEnd) -> StateRows:
        """Return the rows of the state that an end has."""
        if end not in self._states:
            assert moving.state is not None
            self._states[end] = StateRows(self.task, self.solver, self.smoothness, moving.state)
        return self._states[end]

    def _limits(
        self, margin: Array, box: tuple[Array, Array] | None, boxed: bool
    ) -> tuple[Array, Array]:
        """Return the bounds of the rows: limits, clearances, and the outputs of a leg."""
        bounds, free = self._bounds, np.full(len(self.task.crane.outputs), np.inf)
        # half of the room is left for what is between the times
        low, high = (-free, free) if box is None else widened(*box, 0.5 * ROOM)
        count = bounds.size.size
        least = [bounds.least / bounds.size + margin[:count], margin[count:], low]
        most = [
            bounds.most / bounds.size - margin[:count],
            np.full_like(margin[count:], np.inf),
            high,
        ]
        parts = None if boxed else 2
        return np.concatenate(least[:parts]), np.concatenate(most[:parts])

    def _limit_rows(self, sharpness: float, boxed: bool) -> PointRows:
        """Return limits in parts of their sizes, clearances in m, and outputs where asked for."""
        key = (sharpness if self.task.obstacles else 0.0, boxed)
        if key not in self._rows:
            bounds, task = self._bounds, self.task
            functions = limit_functions(
                self.solver, self.order, bounds.signals, task.obstacles, *key
            )
            self._rows[key] = PointRows(functions, task.parameter_vector, bounds.size.tolist())
        return self._rows[key]

    def _effort_rows(self, path: Path) -> PointRows:
        """Return duration times sum ((u - u_rest) / scale)^2.

        In the shortest time a drive without a limit is measured by what it has to do along the path
        at hand: by its unit, or by what it does in a slow first guess, it would count more than the
        time.
        """
        task = self.task
        scales = effort_scales(task.crane, task.limits)
        if task.objective == "time":
            times = np.linspace(0.0, path.duration, _ALONG)
            largest = np.abs(solve_index1(task.problem(path), times).u).max(axis=0)
            scales = effort_scales_by_use(task.crane, task.limits, largest)
        state = task.goal or task.start
        model, p = self.solver.stages.structure.model, task.parameter_vector
        rest = rest_values(model, state.q, p)[-len(task.crane.inputs) :]
        functions = effort_functions(self.solver, self.smoothness)
        return PointRows(functions, p, [*rest.tolist(), *scales.tolist()])

    def _effort_groups(self, leg: Leg, path: Path, begin: float, duration: float) -> list[RowGroup]:
        """Return the integral of the effort by Gauss's rule on each piece."""
        timed = self.task.objective == "time"
        rows = self._effort_rows(path)
        points, weights = np.polynomial.legendre.leggauss(2 if timed else 5)
        edges = leg.spline.edges
        half = 0.5 * np.diff(edges)[:, None]
        tau = (edges[:-1, None] + half * (1.0 + points)).ravel()
        w = self._unknowns(path, begin + duration * tau)
        group = leg.group(rows, self.smoothness, tau, (np.empty(0), np.empty(0)), w)
        factor = {"time": _SMOOTHING, "effort": 1.0, "weighted": self.task.effort}[
            self.task.objective
        ]
        group.cost = factor * (half * weights).ravel()
        return [group]

    def _snap_group(self, leg: Leg, path: Path, weight: float) -> RowGroup:
        """Return the integral of the highest derivative's row by Gauss's rule on each piece."""
        points, weights = np.polynomial.legendre.leggauss(3)
        edges = leg.spline.edges
        half = 0.5 * np.diff(edges)[:, None]
        tau = (edges[:-1, None] + half * (1.0 + points)).ravel()
        if self._snap_sizes is None:
            self._snap_sizes = self._sizes_along(path)
        nothing = np.empty(0), np.empty(0)
        rows = SnapRows(self.smoothness, self._snap_sizes)
        group = leg.group(rows, self.smoothness, tau, nothing, np.zeros((tau.size, 0)))
        group.cost = weight * (half * weights).ravel()
        return group

    def _sizes_along(self, path: Path) -> Array:
        """Return by how much the limits let the highest derivatives change along a first guess.

        The same for outputs of the same unit: a drive seldom sees the derivative along a rope,
        which is the one that wants to jump.
        """
        rows, times = (
            self._limit_rows(_FIRST_SHARPNESS, False),
            np.linspace(0.0, path.duration, _ALONG),
        )
        z = path.derivatives(times, self.order).transpose(2, 0, 1).reshape(times.size, -1)
        z = np.hstack([z, np.ones((times.size, 1))])
        slopes = rows.slopes(z, rows.settle(z, self._unknowns(path, times)))[1]
        limits, outputs = self._bounds.size.size, self.task.crane.outputs
        first = self.smoothness * len(outputs)
        own = slopes[:, :limits, first : first + len(outputs)]
        largest = np.nan_to_num(np.abs(own)).max(axis=(0, 1), initial=0.0)
        units = np.array([output.unit for output in outputs])
        shared = np.array([largest[units == unit].max() for unit in units])
        with np.errstate(divide="ignore"):
            return np.asarray(1.0 / shared)  # infinite, and without weight, where nothing limits it

    def _passing(self, legs: tuple[Leg, ...]) -> list[RowGroup]:
        """Return rows that let each leg end at its via point."""
        groups = []
        for leg, via in zip(legs, self.task.via, strict=False):
            groups.append(given_derivatives(leg, 1, np.array([via.point])))
        return groups

    def _timed(self, legs: tuple[Leg, ...]) -> list[RowGroup]:
        """Return rows that let via points be passed, and the motion end, at their times."""
        rows = self._times()
        if not rows:
            return []
        before = np.arange(len(legs)) < np.array([count for count, _ in rows])[:, None]
        times = np.array([time for _, time in rows])
        durations = np.array([[leg.duration for leg in legs]])
        nothing = np.zeros((1, len(rows)))
        return [
            RowGroup(
                Identity(len(rows)),
                before[None].astype(float),
                nothing,
                durations,
                times,
                np.full_like(times, np.inf) if self.late else times,
                np.zeros((1, 0)),
            )
        ]

    def _times(self) -> list[tuple[int, float]]:
        """Return after how many legs a time is given."""
        given = [via.time for via in self.task.via] + [self.task.duration]
        return [(count, time) for count, time in enumerate(given, start=1) if time is not None]

    def _unknowns(self, path: Path, times: Array) -> Array:
        """Return Newton's unknowns along a path."""
        order = np.argsort(times, kind="stable")
        inside = np.clip(times[order], 0.0, path.duration)
        unique, places = np.unique(inside, return_inverse=True)
        with_ends = np.union1d(unique, [0.0, path.duration])
        solution = solve_index1(self.task.problem(path), with_ends)
        found = newton_unknowns(solution, self.solver.stages)[np.searchsorted(with_ends, unique)]
        result = np.empty((times.size, found.shape[1]))
        result[order] = found[places]
        return result


def _near(evaluation: PathEvaluation, times: Array) -> NDArray[np.bool_]:
    """Return which rows are near their bounds around some times of a motion that is looked at."""
    grid = np.linspace(0.0, evaluation.time[-1], _GRID_CELLS + 1)
    excess = evaluation.excess()
    cells = np.clip(np.searchsorted(grid, evaluation.time, side="right") - 1, 0, _GRID_CELLS - 1)
    largest = np.full((_GRID_CELLS, excess.shape[1]), -np.inf)
    np.maximum.at(largest, cells, excess)
    wide = np.pad(largest, ((_CELLS_AROUND, _CELLS_AROUND), (0, 0)), mode="edge")
    around = sliding_window_view(wide, 2 * _CELLS_AROUND + 1, axis=0).max(axis=-1)
    own = np.clip(np.searchsorted(grid, times, side="right") - 1, 0, _GRID_CELLS - 1)
    return np.asarray(around[own] > -_NEAR)
