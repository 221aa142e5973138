"""Routes refined: the best of them on first splines, finer ones, and slow ones step by step."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from cranebridge.errors import SolutionError
from cranebridge.path import Pieces
from cranebridge.plan.flat.drafts import Draft, Fineness, remaining
from cranebridge.plan.flat.flat_plan import RESERVE, FlatPlanner
from cranebridge.plan.flat.plain_stop import keeps_limits
from cranebridge.plan.flat.route import Route
from cranebridge.plan.task import Alternative, PathEvaluation, Plan
from cranebridge.progress import Progress

# A slow motion becomes at once no shorter than this part of what it was ...
_LEAST_PART = 0.75
# ... so often ...
_STEPS = 6
# ... and while its drives are made smooth no shorter than this part.
_LEAST_PART_HELD = 0.98
# Finer splines that make a cost larger by this factor have led the optimiser astray.
_DIVERGED = 1.02
# A plan is a start once more if more than this part may remain: because it could not be refined, or
# because effort weighs much in it.
_UNSURE = 0.02
# How often at most.
_RESTARTS = 2
# Part of the time that first splines typically take.
_COARSE = 0.55
# The same of finer ones; then limits are let hold. Most plans need a round or two of them, and each
# takes less of what is left.
_FINER = 0.25
_SHORTENED = "found step by step from a slow motion, and not the shortest"


def best_plan(
    planner: FlatPlanner, routes: list[Route], fineness: Fineness, progress: Progress
) -> tuple[Plan, PathEvaluation]:
    """Refine the route that is best on the first splines."""
    outcomes = []
    for route in routes:
        outcomes.append(coarse_draft(planner, route, fineness))
        progress(_COARSE * len(outcomes) / len(routes))
    costs = [np.inf if isinstance(one, SolutionError) else one[1].cost for one in outcomes]
    best = int(np.argmin(costs))
    if isinstance(outcomes[best], SolutionError):
        raise outcomes[best]  # type: ignore[misc]
    route, draft, evaluation = outcomes[best]  # type: ignore[misc]
    draft, evaluation, left = _finer(planner, route, draft, evaluation, fineness, progress)
    for _ in range(_RESTARTS):
        if left <= _UNSURE:
            break
        # drives without a limit were measured along a guess, and limits hold now
        try:
            again = planner.improve(route, draft, 1)
            better = _finer(planner, route, *again, fineness, progress)
        except SolutionError:
            break
        if better[0].cost >= draft.cost:
            break
        draft, evaluation, left = better
    if _astray(planner, route, draft):
        raise SolutionError(f"no plan was found ({route.way}) that is faster than the first guess")
    others = [
        Alternative(one.way, why=str(found))
        if isinstance(found, SolutionError)
        else Alternative.found(one.way, found[1].cost, found[1].path)
        for i, (one, found) in enumerate(zip(routes, outcomes, strict=True))
        if i != best
    ]
    assert isinstance(draft.path, Pieces)
    return Plan(
        path=draft.path,
        objective=planner.task.objective,
        method="flat",
        cost=draft.cost,
        remaining=left,
        active=(),
        way=route.way,
        alternatives=tuple(others),
    ), evaluation


def _weighed(planner: FlatPlanner, draft: Draft) -> float:
    """Return what effort is weighed with, as a part of the time, where time alone is asked for."""
    if planner.task.objective != "time" or draft.solved is None:
        return 0.0
    return float(max(draft.solved.outcome.cost / draft.cost - 1.0, 0.0))


def _astray(planner: FlatPlanner, route: Route, draft: Draft) -> bool:
    """Return whether the optimiser went from a guess to a slower motion.

    A guess that exceeds a limit may be as fast as it likes.
    """
    if planner.task.objective != "time" or draft.cost <= sum(route.durations):
        return False
    return keeps_limits(planner.evaluator, route.path)


def coarse_draft(
    planner: FlatPlanner, route: Route, fineness: Fineness
) -> tuple[Route, Draft, PathEvaluation] | SolutionError:
    """Improve a route on the first splines; return why it cannot be."""
    if route.gradual:
        found = _stepwise(planner, route, fineness)
        return (route, *found[-1]) if found else _no_shorter(route)
    try:
        draft, evaluation = planner.improve(route, planner.draft(route, fineness.pieces), 0)
    except SolutionError as error:
        return error
    return route, draft, evaluation


def gradual_plan(
    planner: FlatPlanner, route: Route, fineness: Fineness
) -> tuple[Plan, PathEvaluation]:
    """Return what a slow route becomes step by step, with all limits held."""
    found = _stepwise(planner, route, fineness)
    while found:
        with suppress(SolutionError):
            draft, evaluation = planner.hold(route, *found[-1], 1, least=_LEAST_PART_HELD)
            break
        found.pop()
    if not found:
        raise _no_shorter(route)
    assert isinstance(draft.path, Pieces)
    objective = planner.task.objective
    notes = (_SHORTENED,)
    return Plan(
        draft.path, objective, "flat", draft.cost, np.inf, (), route.way, notes=notes
    ), evaluation


def _stepwise(
    planner: FlatPlanner, route: Route, fineness: Fineness
) -> list[tuple[Draft, PathEvaluation]]:
    """Shorten a slow route that keeps the limits step by step, as long as it keeps them.

    From a slow motion the first step of the optimiser goes to one that is far too fast, from which
    it seldom comes back: so each time the motion becomes only a little shorter.
    """
    draft, found = planner.draft(route, fineness.pieces), []
    for _ in range(_STEPS):
        try:
            draft, evaluation = planner.improve(route, draft, 0, _LEAST_PART)
        except SolutionError:
            break
        found.append((draft, evaluation))
        if evaluation.excess().max(initial=-np.inf) > 0.0:  # further steps would lead astray
            break
    return found


def _no_shorter(route: Route) -> SolutionError:
    return SolutionError(f"no plan was found ({route.way}): it could not be made shorter")


def _finer(
    planner: FlatPlanner,
    route: Route,
    draft: Draft,
    evaluation: PathEvaluation,
    fineness: Fineness,
    progress: Progress,
) -> tuple[Draft, PathEvaluation, float]:
    """Cut pieces until little is left to gain, then let all limits hold."""
    found, costs = [(draft, evaluation)], [draft.cost]
    while len(costs) <= fineness.rounds and remaining(costs) > fineness.accuracy:
        level = len(costs)
        try:
            draft, evaluation = planner.improve(route, planner.refine(draft, evaluation), level)
        except SolutionError:  # what was found before is worse, but it is something
            break
        if draft.cost > _DIVERGED * costs[-1]:  # finer splines can do what coarser ones can
            break
        found.append((draft, evaluation))
        costs.append(draft.cost)
        progress(_COARSE + _FINER * (1.0 - 0.5**level))
    progress(_COARSE + _FINER)
    while True:
        level = len(costs)
        try:
            draft, evaluation = planner.hold(route, *found[-1], level)
        except SolutionError:
            if level == 1:
                raise
            found.pop()
            costs.pop()
            continue
        progress(1.0)
        return draft, evaluation, remaining(costs) + RESERVE + _weighed(planner, draft)
