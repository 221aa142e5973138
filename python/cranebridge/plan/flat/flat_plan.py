"""Planning in the outputs of a flat crane: the load path as a spline, everything else follows.

Polynomial pieces and durations are the unknowns of a nonlinear program whose rows are the limits at
some times, through the stages of index 1 (:mod:`cranebridge.plan.rows.point_rows`). With k the
derivatives of the path that the controls need, splines are first of class C^(k-1): drives may jump
where pieces meet, as the drives of an optimum do, and pieces in which a drive changes much are cut.
The path is evaluated closely, and times at which a limit is exceeded are added, until every limit
holds everywhere. At last drives are made continuous, also with the rest before and after: from rest
to rest by the mean over a short time (:mod:`cranebridge.plan.flat.smoothing`). Where an end moves
or times are given, the splines become of class C^k, with short pieces where drives jumped.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.inverse.index1 import PointSolver
from cranebridge.path import Pieces
from cranebridge.plan.flat.assembly import Assembly, ReferencePath
from cranebridge.plan.flat.drafts import Draft, SolvedProgram
from cranebridge.plan.flat.ends import MovingEnd
from cranebridge.plan.flat.join_pieces import join_exactly, shifted
from cranebridge.plan.flat.route import Route
from cranebridge.plan.flat.smoothing import smoothed
from cranebridge.plan.nlp import (
    Leg,
    LegEnd,
    ProgramSolution,
    RowGroup,
    SplineSpace,
    graded,
    make_legs,
    uniform,
)
from cranebridge.plan.task import (
    BoundedSignal,
    PathEvaluation,
    PathEvaluator,
    Via,
    effort_scales_by_use,
)
from cranebridge.twin.language import names

Array = NDArray[np.float64]

# Times in a piece at which limits are rows, while pieces are cut.
_TIMES = 4
# The same at last.
_LAST_TIMES = 5
# Limits in the program are narrower by this part of their size, so that they hold between times.
_MARGIN = 2e-4
# The same of means: ramps that are optimised leave less room than these.
_MEAN_MARGIN = 5e-4
# By what a margin grows at most after a check.
_MARGIN_STEP = 3e-4
# How often limits are checked, and times added.
_CHECKS = 12
# An excess that counts as rounding, as in judging.
_LIMIT_TOLERANCE = 2e-7
# Times between two knots at which a path is evaluated: of a draft ...
_DRAFT_TIMES = 12
# ... of a plan ...
_PLAN_TIMES = 96
# ... and of a mean while a limit is exceeded.
_MEAN_TIMES = 32
# IPOPT's barrier parameter where little changes.
_WARM_MU = 1e-6
# A piece is cut where a drive changes by more than this part of half its range.
_LARGE_CHANGE = 0.3
# A drive jumps where it changes at once by more than this part of half its range.
_JUMP = 0.05
# The time that a jump takes at last, as a part of the leg.
_RAMP = 1e-3
RESERVE = 2.0 * _RAMP + _MEAN_MARGIN
"""What continuous drives and narrower limits cost, as a part of the duration."""
SNAP_WEIGHTS = (0.1, 1.0)
"""Weights of the highest derivative on the first splines, as parts of the time, to be tried."""
# How much less such a weight becomes with each refinement.
_SNAP_DECAY = 0.2
# How much before its end a piece is looked at: there the next one begins.
_BEFORE = 1e-9


class FlatPlanner:
    """Finds paths of a task from guesses.

    Parameters
    ----------
    evaluator : PathEvaluator
        Evaluates paths of the task.
    solver : PointSolver
        The stages of the crane.
    smoothness : int
        Class of the paths.
    late : bool
        Whether times that are given may be later, by as little as possible in sum.
    """

    def __init__(
        self, evaluator: PathEvaluator, solver: PointSolver, smoothness: int, late: bool = False
    ) -> None:
        self.evaluator, self.task = evaluator, evaluator.task
        self.smoothness = smoothness
        # at via points an optimiser is often lost without
        timed = self.task.objective == "time"
        self.snap = SNAP_WEIGHTS[0] if timed and self.task.via and not late else 0.0
        self._assembly = Assembly(self.task, solver, smoothness, late)
        # time is flat around its optimum; effort is compared to more digits
        self._tolerance = 1e-6 if self.task.objective == "effort" else 3e-5

    def with_snap(self, snap: float) -> FlatPlanner:
        """Return a planner that weighs the highest derivative of the path, ever less."""
        planner = copy(self)
        planner.snap = snap
        return planner

    def draft(self, route: Route, pieces: int) -> Draft:
        """Return a route as a first draft."""
        # where a jerk is limited no drive may jump; at via points it leads astray
        jumping = self._assembly.order == self.smoothness
        jumping = jumping and not (self.snap and self.task.via)
        timed = self.task.duration is not None or self.task.via
        moving = route.start is not None, route.goal is not None
        make = uniform if self.task.via else graded
        spline = make(self.smoothness - int(jumping), pieces)
        width = 0.0 if timed or not jumping else _RAMP
        count = len(route.durations)
        if width:
            spline = spline.averaged(width, moving)
        none = (np.empty(0),) * count
        return Draft((spline,) * count, route.durations, route.path, none, width=width)

    def improve(
        self, route: Route, draft: Draft, level: int, least: float = 0.0
    ) -> tuple[Draft, PathEvaluation]:
        """Find the best path on the splines of a draft, and evaluate it.

        Parameters
        ----------
        route : Route
            What holds at the ends.
        draft : Draft
            Where to start.
        level : int
            How often pieces were cut.
        least : float
            Least durations of the legs, as a part of those of the draft.

        Raises
        ------
        SolutionError
            If none keeps the limits.
        """
        draft = replace(draft, level=level)
        legs, x, groups = self._legs_and_groups(route, draft, level, _TIMES)
        program = self._assembly.program(legs, groups, x)
        slow = _least_durations(legs, x, least)
        program.least[:] = np.maximum(program.least, slow)
        outcome = program.solve(x, 1e-3 if level or least else 0.1, self._tolerance)
        if not outcome.solved:
            raise self._failed(legs, outcome, draft, route)
        solved = SolvedProgram(legs, groups, outcome, draft.times, slow)
        return self._evaluate(solved, draft, route)

    def refine(self, draft: Draft, evaluation: PathEvaluation) -> Draft:
        """Cut the pieces in which a drive changes much."""
        nodes = evaluation.solution.nodes
        assert nodes is not None
        time, u = nodes.time, nodes.u / self._scales(evaluation)
        splines = []
        for spline, begin, duration in self._legs(draft):
            edges = begin + duration * spline.edges
            # a jump counts for the pieces on both sides of it
            first = np.searchsorted(time, edges[:-1] - 1e-9 * duration)
            last = np.searchsorted(time, edges[1:] + 1e-9 * duration)
            changes = np.array(
                [np.ptp(u[a:b], axis=0).max() for a, b in zip(first, last, strict=True)]
            )
            threshold = min(_LARGE_CHANGE, 0.5 * changes.max())
            long = np.diff(spline.edges) > 4.0 * _RAMP  # no piece becomes shorter than a ramp
            parts = np.where((changes > threshold) & long, 2, 1)
            splines.append(spline.cut(parts))
        return replace(draft, splines=tuple(splines))

    def hold(
        self, route: Route, draft: Draft, evaluation: PathEvaluation, level: int, least: float = 0.0
    ) -> tuple[Draft, PathEvaluation]:
        """Make the drives continuous and let all limits hold, also between the times of rows.

        The parameters are those of `improve`.

        Raises
        ------
        SolutionError
            If they do not.
        """
        if draft.width:
            return self._checked(route, draft, evaluation, level)
        draft = self._with_ramps(draft, evaluation)
        legs, x, groups = self._legs_and_groups(route, draft, level, _LAST_TIMES)
        program, slow = self._assembly.program(legs, groups, x), _least_durations(legs, x, least)
        program.least[:] = np.maximum(program.least, slow)
        outcome = program.solve(x, 1e-3, self._tolerance)
        if not outcome.solved:
            raise self._failed(legs, outcome, draft, route)
        solved = SolvedProgram(legs, groups, outcome, draft.times, slow)
        draft, evaluation = self._evaluate(solved, draft, route, _PLAN_TIMES)
        return self._checked(route, draft, evaluation, level)

    def _checked(
        self, route: Route, draft: Draft, evaluation: PathEvaluation, level: int
    ) -> tuple[Draft, PathEvaluation]:
        """Add times at which limits are exceeded until they hold."""
        margin = _margin(draft)
        for check in range(_CHECKS + 1):
            solved = draft.solved
            assert solved is not None
            worst = evaluation.worst()
            if draft.width and _within_limits(worst):
                # means are looked at roughly while a limit is exceeded
                draft, evaluation = self._evaluate(solved, draft, route, _PLAN_TIMES)
                worst = evaluation.worst()
            if _within_limits(worst):
                return draft, evaluation
            if check == _CHECKS:
                break
            # the path between times gives way less each time: a little more makes up for it
            limit = evaluation.worst(boxes=False)
            margin += min(max(limit[0], 0.0), _MARGIN_STEP) if limit else 0.0
            known = zip(draft.times, solved.times, strict=True)
            more = [np.setdiff1d(new, old) for new, old in known]
            along = ReferencePath(draft.path, draft.durations)
            limits = self._assembly.limits(
                solved.legs, route, along, more, level, margin, evaluation
            )
            wider = replace(solved, groups=solved.groups + limits, times=draft.times)
            solved = self._solve_again(route, draft, wider)
            draft, evaluation = self._evaluate(
                solved, draft, route, _MEAN_TIMES if draft.width else _PLAN_TIMES
            )
        assert worst is not None
        raise SolutionError(
            f"the path exceeds the limit of {worst[1].name} by {worst[0]:.1e} of it at "
            f"t = {worst[2]:.3g} s, and more checks did not help; ask for a coarser path.accuracy"
        )

    def _solve_again(self, route: Route, draft: Draft, known: SolvedProgram) -> SolvedProgram:
        """Solve a program that has more rows than before."""
        x = known.outcome.x
        program = self._assembly.program(known.legs, known.groups, x)
        if known.least is not None:
            program.least[:] = np.maximum(program.least, known.least)
        outcome = program.solve(x, _WARM_MU, self._tolerance, known.outcome)
        if not outcome.solved:  # multipliers can mislead
            outcome = program.solve(x, 1e-3, self._tolerance)
        if not outcome.solved:
            raise self._failed(known.legs, outcome, draft, route)
        return replace(known, outcome=outcome)

    def _legs_and_groups(
        self, route: Route, draft: Draft, level: int, per_piece: int
    ) -> tuple[tuple[Leg, ...], Array, list[RowGroup]]:
        """Return legs, variables and groups of a draft."""
        legs = make_legs(draft.splines, route.ends, len(self.task.crane.outputs), draft.width)
        along = ReferencePath(draft.path, draft.durations)
        x = np.zeros(max(leg.duration for leg in legs) + 1)
        for leg, begin, duration in zip(legs, along.begins, draft.durations, strict=True):
            # pieces begin later than their mean
            ahead = 0.0 if draft.pieces is None else leg.spline.edges[0] * duration
            leg.put(x, draft.pieces or draft.path, float(begin) - ahead, duration)
        times = [
            np.union1d(_row_times(leg.spline.edges, per_piece, draft.width), more)
            for leg, more in zip(legs, draft.times, strict=True)
        ]
        groups = self._assembly.groups(legs, route, along, self.snap * _SNAP_DECAY**draft.level)
        groups += self._assembly.limits(
            legs, route, along, times, level, _margin(draft), draft.evaluation
        )
        return legs, x, groups

    def _with_ramps(self, draft: Draft, evaluation: PathEvaluation) -> Draft:
        """Return splines on which drives do not jump."""
        nodes = evaluation.solution.nodes
        assert nodes is not None
        u = nodes.u / self._scales(evaluation)
        twice = np.flatnonzero(np.diff(nodes.time) == 0.0)
        jumps = np.abs(u[twice + 1] - u[twice]).max(axis=1) > _JUMP
        jumped = nodes.time[twice][jumps]
        splines = []
        for spline, begin, duration in self._legs(draft):
            if spline.smoothness == self.smoothness:
                return draft
            edges = begin + duration * spline.edges
            near = np.abs(edges[:, None] - jumped).min(axis=1, initial=np.inf)
            # drives may jump at the ends, from and to rest
            chosen = near <= 1e-6 * duration
            chosen[0] = chosen[-1] = True
            splines.append(spline.softened(chosen, _RAMP))
        return replace(draft, splines=tuple(splines))

    def _scales(self, evaluation: PathEvaluation) -> Array:
        """Return what changes of the drives are measured by."""
        used = np.ptp(evaluation.solution.u, axis=0)
        return effort_scales_by_use(self.task.crane, self.task.limits, used)

    def _legs(self, draft: Draft) -> list[tuple[SplineSpace, float, float]]:
        """Return splines, begins and durations of all legs."""
        begins = ReferencePath(draft.path, draft.durations).begins.tolist()
        return list(zip(draft.splines, begins, draft.durations, strict=True))

    def _evaluate(
        self, solved: SolvedProgram, draft: Draft, route: Route, per_piece: int = _DRAFT_TIMES
    ) -> tuple[Draft, PathEvaluation]:
        """Evaluate the path of a solution."""
        legs, outcome = solved.legs, solved.outcome
        durations = tuple(float(outcome.x[leg.duration]) for leg in legs)
        if draft.width:
            pieces, path = self._mean(legs[0], outcome.x, route)
        else:
            pieces, path = None, self._path(legs, outcome.x, route)
        evaluation = self.evaluator.evaluate(path, per_piece, route.stretches(durations))
        draft = replace(
            draft,
            durations=durations,
            path=path,
            times=_times_to_check(evaluation, durations, draft),
            cost=sum(durations) if self.task.objective == "time" else outcome.cost,
            evaluation=evaluation,
            pieces=pieces,
            solved=solved,
        )
        return draft, evaluation

    def _mean(self, leg: Leg, x: Array, route: Route) -> tuple[Pieces, Pieces]:
        """Return the pieces of a leg and their mean, its ends exact."""
        duration = float(x[leg.duration])
        edges = leg.spline.edges * duration
        rows = leg.derivatives(x) / duration ** np.arange(leg.spline.degree + 1)[:, None]
        nested = tuple(tuple(tuple(row) for row in piece) for piece in rows.tolist())
        times = (edges - edges[0]).tolist()
        pieces = Pieces(names(self.task.crane.outputs), tuple(times), nested, self.smoothness)
        powers = duration ** np.arange(self.smoothness + 1)[:, None]
        ends = []
        for end, moving, rest in ((0, route.start, route.ends[0][0]), (1, route.goal, leg.goal)):
            if moving is None:
                now = rows[0] if end == 0 else shifted(rows[-1], times[-1] - times[-2])
            else:
                now = leg.mean(x, end, self.smoothness) / powers
            ends.append(self._exact_end(end, moving, rest, now))
        moves = route.start is not None, route.goal is not None
        return pieces, smoothed(pieces, leg.width * duration, (ends[0], ends[1]), moves)

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
        order = legs[0].smoothness
        path = join_exactly(
            names(self.task.crane.outputs),
            lengths,
            every,
            order,
            (first[: order + 1], last[: order + 1]),
            points,
            (route.start is not None, route.goal is not None),
        )
        # jumps of the drives are between two times that are looked at
        return replace(path, order=self.smoothness)

    def _stations(self, legs: tuple[Leg, ...]) -> list[tuple[int, Via]]:
        """Return after how many pieces each via point is passed."""
        counts = np.cumsum([leg.spline.edges.size - 1 for leg in legs])
        return list(zip(counts.tolist(), self.task.via, strict=False))

    def _exact_end(self, end: int, moving: MovingEnd | None, rest: LegEnd, now: Array) -> Array:
        """Return the derivatives that an end has exactly."""
        count = self.smoothness + 1
        if moving is None:
            values = np.zeros((count, now.shape[1]))
            values[0] = now[0] if rest.point is None else rest.point
            return values
        if moving.state is None:
            return moving.derivatives[:count]
        return self._assembly.state_rows(end, moving).nearest(now[:count])[0]

    def _failed(
        self, legs: tuple[Leg, ...], outcome: ProgramSolution, draft: Draft, route: Route
    ) -> SolutionError:
        """Say which limit stands in the way."""
        try:
            worst = self._evaluate(SolvedProgram(legs, [], outcome, ()), draft, route)[1].worst()
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


def _within_limits(worst: tuple[float, BoundedSignal, float] | None) -> bool:
    return worst is None or worst[0] <= _LIMIT_TOLERANCE


def _margin(draft: Draft) -> float:
    return _MEAN_MARGIN if draft.width else _MARGIN


def _least_durations(legs: tuple[Leg, ...], x: Array, least: float) -> Array:
    """Return least values of all variables: durations, as parts of what they are."""
    values = np.full(x.size, -np.inf)
    durations = [leg.duration for leg in legs]
    values[durations] = least * x[durations]
    return values


def _row_times(edges: Array, count: int, width: float) -> Array:
    """Return times on all pieces, both ends included; means are those of one piece."""
    inner = np.linspace(0.0, 1.0, count)
    if width:
        begin, lengths = edges[:-1, None] + 0.5 * width, np.diff(edges)[:, None] - width
        return np.asarray((begin + lengths * inner).ravel())
    inner[-1] -= _BEFORE
    return np.append((edges[:-1, None] + np.diff(edges)[:, None] * inner).ravel(), edges[-1])


def _times_to_check(
    evaluation: PathEvaluation, durations: tuple[float, ...], draft: Draft
) -> tuple[Array, ...]:
    """Return the checked times of each leg, with those at which a row is exceeded most."""
    peaks, _, excess = evaluation.peaks()
    times, begin, result = peaks[excess > 0.0], 0.0, []
    for known, duration in zip(draft.times, durations, strict=True):
        own = times[(times >= begin) & (times <= begin + duration)]
        result.append(np.union1d(known, np.clip((own - begin) / duration, 0.0, 1.0)))
        begin += duration
    return tuple(result)
