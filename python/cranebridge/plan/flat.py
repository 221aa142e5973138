"""Planning in the outputs of a flat crane: the load path as a spline, everything else follows.

Coefficients and durations are the unknowns of a nonlinear program whose rows are the limits at some
times, through the stages of index 1 (:mod:`cranebridge.plan.point_rows`). Splines start coarse;
pieces in which a drive changes much are cut into halves. After each solution the path is looked at
closely, and times at which a limit is exceeded are added, until every limit holds everywhere.

With pieces of degree k + 2 that meet in class C^k, k the derivatives that the controls need, the
controls are continuous, also with the rest before and after. What that costs goes to zero with the
length of the pieces at the switches of the drives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.inverse.index1 import PointSolver, newton_unknowns, solve_index1
from cranebridge.inverse.starting import rest_values
from cranebridge.path import Path, Pieces
from cranebridge.plan.bounds import bounds_of
from cranebridge.plan.clearance import clearance_count, clearances
from cranebridge.plan.connecting import connected, shifted
from cranebridge.plan.ends import Moving, StateRows, continued, held_problem
from cranebridge.plan.legs import End, Leg, given_derivatives, joined, make_legs
from cranebridge.plan.point_rows import Moment, PointRows
from cranebridge.plan.program import Group, Outcome, Program
from cranebridge.plan.route import Route
from cranebridge.plan.splines import Spline, uniform
from cranebridge.plan.task import Via, effort_scales
from cranebridge.plan.watch import View, Watcher
from cranebridge.twin.crane import names

Array = NDArray[np.float64]

_TIMES_PER_PIECE = 5
# Limits in the program are narrower by this part of their size, so that they hold between times.
_MARGIN = 1e-4
_CHECKS = 12
# An excess that counts as rounding, as in judging.
_TOUCHING = 2e-7
# Times between two knots at which a path is looked at.
_ROUGHLY, _CLOSELY = 24, 96
# How often the piece at an end that moves is halved at first.
_SHORT_PIECES = 2
# A piece is cut where a drive changes by more than this part of its range.
_CHANGE = 0.5
# Of the smooth form of corners [1/m], first and finest.
_SHARPNESS, _SHARPEST = 5.0, 100.0


@dataclass(frozen=True)
class Fineness:
    """How fine splines become.

    Attributes
    ----------
    pieces : int
        Of each leg at first.
    rounds : int
        How often pieces are cut at most.
    accuracy : float
        Refinement ends when what may still be gained is a smaller part of the cost.
    """

    pieces: int = 16
    rounds: int = 6
    accuracy: float = 5e-3


@dataclass(frozen=True, eq=False)
class Draft:
    """A path on the way to a plan.

    Attributes
    ----------
    splines : tuple of Spline
        Of the legs.
    durations : tuple of float
        Of the legs [s].
    path : Path
        The whole path.
    times : tuple of numpy.ndarray
        Normalised times of each leg at which limits are watched besides the regular ones.
    cost : float
        What is minimised.
    """

    splines: tuple[Spline, ...]
    durations: tuple[float, ...]
    path: Path
    times: tuple[Array, ...]
    cost: float = np.inf


class FlatPlanner:
    """Finds paths of a task from guesses.

    Parameters
    ----------
    watcher : Watcher
        Looks at paths of the task.
    solver : PointSolver
        The stages of the crane.
    smoothness : int
        Class of the paths.
    """

    def __init__(self, watcher: Watcher, solver: PointSolver, smoothness: int) -> None:
        self.watcher, self.task = watcher, watcher.task
        self.solver, self.smoothness = solver, smoothness
        self._bounds = bounds_of(self.task.crane, self.task.limits)
        self.order = smoothness
        if any(signal.group == "jerk" for signal in self._bounds.signals):
            self.order += 1
        self._rows: dict[tuple[float, bool], PointRows] = {}
        self._states: dict[int, StateRows] = {}
        self._slacks: dict[int, Array] = {}
        self._effort = self._effort_rows()

    def draft(self, route: Route, pieces: int) -> Draft:
        """Return a route as a first draft."""
        splines = [uniform(self.smoothness + 2, 2, pieces) for _ in route.durations]
        # An end that moves may be at a limit, which only a fast change of the drives keeps.
        for _ in range(_SHORT_PIECES):
            for place, end in ((0, route.start), (-1, route.goal)):
                if end is not None:
                    splines[place] = splines[place].refined_at(place)
        none = tuple(np.empty(0) for _ in splines)
        return Draft(tuple(splines), route.durations, route.path, none)

    def improve(
        self,
        route: Route,
        draft: Draft,
        level: int,
        margin: float = _MARGIN,
        closely: bool = False,
    ) -> tuple[Draft, View]:
        """Find the best path on the splines of a draft, and look at it.

        Parameters
        ----------
        route : Route
            What holds at the ends.
        draft : Draft
            Where to start.
        level : int
            How often pieces were cut.
        margin : float
            By which part of their sizes limits are narrower.
        closely : bool
            Whether the draft is near the solution, and is to be looked at closely.

        Raises
        ------
        SolutionError
            If none keeps the limits.
        """
        legs = make_legs(draft.splines, route.ends, len(self.task.crane.outputs))
        x = _variables(legs, route.ends, draft)
        groups = self._groups(legs, route, draft, level, self._margins(route, margin))
        barrier = 1e-5 if closely else 1e-4 if level else 0.1
        outcome = self._program(legs, groups, x).solve(x, barrier)
        if not outcome.solved:
            raise self._failed(legs, outcome, draft, route)
        return self._seen(legs, outcome, draft, route, _CLOSELY if closely else _ROUGHLY)

    def refine(self, draft: Draft, view: View) -> Draft:
        """Cut the pieces in which a drive changes much."""
        time, u = view.solution.time, view.solution.u
        scales = effort_scales(self.task.crane, self.task.limits)
        scales = np.where(scales == 1.0, np.ptp(u, axis=0) + 1e-12, scales)
        begin, splines = 0.0, []
        for spline, duration in zip(draft.splines, draft.durations, strict=True):
            edges = begin + duration * spline.edges
            piece = np.searchsorted(edges, time, side="right") - 1
            changes = [
                float((np.ptp(u[piece == i], axis=0) / scales).max()) if (piece == i).any() else 0.0
                for i in range(edges.size - 1)
            ]
            threshold = min(_CHANGE, 0.5 * max(changes))
            splines.append(spline.refined(np.array(changes) > threshold))
            begin += duration
        return replace(draft, splines=tuple(splines))

    def hold(self, route: Route, draft: Draft, view: View, level: int) -> tuple[Draft, View]:
        """Add times at which limits are exceeded, and solve again, until all limits hold.

        Raises
        ------
        SolutionError
            If they do not.
        """
        margin, least = _MARGIN, float(self._margins(route, _MARGIN).min(initial=_MARGIN))
        for check in range(_CHECKS):
            worst = view.worst()
            # half of the margin is for what is between the times that were looked at
            if worst is None or (check and worst[0] <= -0.5 * least):
                return draft, view
            if check > _CHECKS // 3 and worst[0] <= _TOUCHING:
                return draft, view
            if check > _CHECKS // 2:
                margin += min(max(worst[0], 0.0), margin)
            draft, view = self.improve(route, draft, level, margin, closely=True)
        worst = view.worst()
        assert worst is not None
        if worst[0] <= _TOUCHING:
            return draft, view
        raise SolutionError(
            f"the path exceeds the limit of {worst[1].name} by {worst[0]:.1e} of it at "
            f"t = {worst[2]:.3g} s, and more checks did not help; ask for a coarser path.accuracy"
        )

    def _seen(
        self,
        legs: tuple[Leg, ...],
        outcome: Outcome,
        draft: Draft,
        route: Route,
        per_piece: int = _ROUGHLY,
    ) -> tuple[Draft, View]:
        durations = tuple(float(outcome.x[leg.duration]) for leg in legs)
        path = self._path(legs, outcome.x, route)
        view = self.watcher.look(path, per_piece)
        return (
            Draft(draft.splines, durations, path, _exceeded(view, durations, draft), outcome.cost),
            view,
        )

    def _program(self, legs: tuple[Leg, ...], groups: list[Group], x: Array) -> Program:
        task, linear = self.task, np.zeros(x.size)
        least, most = np.full(x.size, -np.inf), np.full(x.size, np.inf)
        for leg in legs:
            linear[leg.duration] = 0.0 if task.objective == "effort" else 1.0
            least[leg.duration] = 0.02 * x[leg.duration]
        if task.duration is not None and len(legs) == 1:
            least[legs[0].duration] = most[legs[0].duration] = task.duration
        return Program(groups, linear, least, most)

    def _groups(
        self, legs: tuple[Leg, ...], route: Route, draft: Draft, level: int, margin: Array
    ) -> list[Group]:
        """Return limits, joints, ends that move, and the effort."""
        groups: list[Group] = []
        boxed = any(box is not None for box in route.boxes)
        rows = self._limit_rows(min(_SHARPNESS * 2.0**level, _SHARPEST), boxed)
        begin = 0.0
        for leg, more, duration, box in zip(
            legs, draft.times, draft.durations, route.boxes, strict=True
        ):
            regular = _spread(leg.spline.edges, _TIMES_PER_PIECE)
            tau = np.union1d(regular, more)
            w = self._unknowns(draft.path, begin + duration * tau)
            groups.append(leg.group(rows, self.order, tau, self._limits(margin, box, boxed), w))
            groups += self._effort_groups(leg, draft, begin, duration)
            groups += leg.joints()
            begin += duration
        groups += [joined(a, b, self.smoothness) for a, b in pairwise(legs)]
        groups += self._passing(legs)
        for end, moving, leg in ((0, route.start, legs[0]), (1, route.goal, legs[-1])):
            if moving is not None:
                groups.append(self._end(leg, end, moving, draft.path))
        return groups

    def _margins(self, route: Route, margin: float) -> Array:
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

    def _slack(self, end: int, moving: Moving) -> Array:
        """Return how far the limits of an end that moves are, in parts of their sizes."""
        if end not in self._slacks:
            rows = self._limit_rows(_SHARPNESS, False)
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

    def _end(self, leg: Leg, end: int, moving: Moving, path: Path) -> Group:
        """Return rows that let an end move as given."""
        if moving.state is None:
            return given_derivatives(leg, end, moving.derivatives[: self.smoothness + 1])
        state = self._state_rows(end, moving)
        w = self._unknowns(path, np.array([end * path.duration]))
        return leg.group(
            state.rows, self.smoothness, np.array([float(end)]), (state.values, state.values), w
        )

    def _state_rows(self, end: int, moving: Moving) -> StateRows:
        if end not in self._states:
            assert moving.state is not None
            self._states[end] = StateRows(self.task, self.solver, self.smoothness, moving.state)
        return self._states[end]

    def _limits(
        self, margin: Array, box: tuple[Array, Array] | None, boxed: bool
    ) -> tuple[Array, Array]:
        """Return the bounds of the rows: limits, clearances, and the outputs of a leg."""
        bounds, free = self._bounds, np.full(len(self.task.crane.outputs), np.inf)
        low, high = (-free, free) if box is None else box
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
            bounds, crane, obstacles = self._bounds, self.task.crane, self.task.obstacles

            def write(moment: Moment) -> ca.SX:
                m, y = moment.motion, moment.gammas[:, 0]
                motion = [m[name] for name in ("q", "v", "a", "jerk", "lambda", "u")]
                values = bounds.function(*motion, moment.p) / bounds.size
                clear = clearances(crane, obstacles, y, m["q"], moment.p, sharpness)
                return ca.vertcat(values, clear, y) if boxed else ca.vertcat(values, clear)

            p = self.task.parameter_vector
            self._rows[key] = PointRows(self.solver, self.order, write, p)
        return self._rows[key]

    def _effort_rows(self) -> PointRows | None:
        """Return duration times sum ((u - u_rest) / scale)^2."""
        if self.task.objective == "time":
            return None
        task = self.task
        scales = effort_scales(task.crane, task.limits)
        state = task.goal or task.start
        model, p = self.solver.stages.structure.model, task.parameter_vector
        rest = rest_values(model, state.q, p)[-len(task.crane.inputs) :]
        return PointRows(
            self.solver,
            self.smoothness,
            lambda m: m.duration * ca.sumsqr((m.motion["u"] - rest) / scales),
            p,
        )

    def _effort_groups(self, leg: Leg, draft: Draft, begin: float, duration: float) -> list[Group]:
        """Return the integral of the effort by Gauss's rule on each piece."""
        if self._effort is None:
            return []
        points, weights = np.polynomial.legendre.leggauss(5)
        edges = leg.spline.edges
        half = 0.5 * np.diff(edges)[:, None]
        tau = (edges[:-1, None] + half * (1.0 + points)).ravel()
        w = self._unknowns(draft.path, begin + duration * tau)
        group = leg.group(self._effort, self.smoothness, tau, (np.empty(0), np.empty(0)), w)
        factor = 1.0 if self.task.objective == "effort" else self.task.effort
        group.cost = factor * (half * weights).ravel()
        return [group]

    def _passing(self, legs: tuple[Leg, ...]) -> list[Group]:
        """Return rows that let each leg end at its via point."""
        groups = []
        for leg, via in zip(legs, self.task.via, strict=False):
            groups.append(given_derivatives(leg, 1, np.array([via.point])))
        return groups

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

    def _path(self, legs: tuple[Leg, ...], x: Array, route: Route) -> Pieces:
        """Return all legs as one path, its ends and joints exact."""
        durations = np.array([x[leg.duration] for leg in legs])
        powers = np.arange(legs[0].spline.degree + 1)[:, None]
        steps = [np.diff(leg.spline.edges) * T for leg, T in zip(legs, durations, strict=True)]
        rows = [leg.derivatives(x) / T**powers for leg, T in zip(legs, durations, strict=True)]
        every, lengths = np.concatenate(rows), np.concatenate(steps)
        first = self._exact_end(0, route.start, route.ends[0][0], every[0])
        goal = shifted(every[-1], float(lengths[-1]))
        last = self._exact_end(1, route.goal, route.ends[-1][1], goal)
        points = [(int(count), np.array(via.point)) for count, via in self._stations(legs)]
        return connected(
            names(self.task.crane.outputs),
            lengths,
            every,
            self.smoothness,
            (first, last),
            points,
            (route.start is not None, route.goal is not None),
        )

    def _stations(self, legs: tuple[Leg, ...]) -> list[tuple[int, Via]]:
        """Return after how many pieces each via point is passed."""
        counts = np.cumsum([leg.spline.edges.size - 1 for leg in legs])
        return list(zip(counts.tolist(), self.task.via, strict=False))

    def _exact_end(self, end: int, moving: Moving | None, rest: End, now: Array) -> Array:
        """Return the derivatives that an end has exactly."""
        count = self.smoothness + 1
        if moving is None:
            values = np.zeros((count, now.shape[1]))
            values[0] = now[0] if rest.point is None else rest.point
            return values
        if moving.state is None:
            return moving.derivatives[:count]
        return self._state_rows(end, moving).nearest(now[:count])[0]

    def _failed(
        self, legs: tuple[Leg, ...], outcome: Outcome, draft: Draft, route: Route
    ) -> SolutionError:
        """Say which limit stands in the way."""
        try:
            worst = self._seen(legs, outcome, draft, route)[1].worst()
        except SolutionError as error:
            return SolutionError(f"no plan was found ({route.way}): {error}")
        if worst is None or worst[0] <= 0.0:
            return SolutionError(
                f"no plan was found ({route.way}): the optimiser ended with {outcome.status}"
            )
        _, row, time = worst
        return SolutionError(
            f"no plan was found that keeps the limits ({route.way}): {row.name} stands in the way "
            f"at t = {time:.3g} s"
        )


def remaining(costs: list[float]) -> float:
    """Estimate what is still to be gained, as a part of the cost, from the last refinements."""
    if len(costs) < 3:
        return np.inf
    before, now = costs[-3] - costs[-2], costs[-2] - costs[-1]
    if now <= 0.0:
        return 0.0
    ratio = min(now / before, 0.9) if before > 0.0 else 0.9
    return float(now * ratio / (1.0 - ratio) / abs(costs[-1]))


def _variables(legs: tuple[Leg, ...], ends: Sequence[tuple[End, End]], draft: Draft) -> Array:
    """Return the variables that come closest to the draft's path."""
    x = np.zeros(max(leg.duration for leg in legs) + 1)
    begin = 0.0
    for leg, duration, (start, goal) in zip(legs, draft.durations, ends, strict=True):
        tau = _spread(leg.spline.edges, 2 * leg.spline.degree)
        inside = np.clip(begin + duration * tau, 0.0, draft.path.duration)
        values = draft.path(inside).T
        given = np.full((leg.spline.size, values.shape[1]), np.nan)
        if start.rest is not None:
            given[: start.rest + 1] = values[0]
        if goal.rest is not None:
            given[-goal.rest - 1 :] = values[-1]
        leg.put(x, leg.spline.fit(tau, values, given))
        x[leg.duration] = duration
        begin += duration
    return x


def _spread(edges: Array, count: int) -> Array:
    """Return times on all pieces, their ends included."""
    inner = np.linspace(0.0, 1.0, count + 1)[:-1]
    return np.append((edges[:-1, None] + np.diff(edges)[:, None] * inner).ravel(), edges[-1])


def _exceeded(view: View, durations: tuple[float, ...], draft: Draft) -> tuple[Array, ...]:
    """Return the watched times of each leg, with those at which a row is exceeded most."""
    peaks, _, excess = view.peaks()
    times, begin, result = peaks[excess > 0.0], 0.0, []
    for known, duration in zip(draft.times, durations, strict=True):
        own = times[(times >= begin) & (times <= begin + duration)]
        result.append(np.union1d(known, np.clip((own - begin) / duration, 0.0, 1.0)))
        begin += duration
    return tuple(result)
