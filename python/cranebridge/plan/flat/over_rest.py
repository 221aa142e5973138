"""Plans of a load that moves which first bring it to rest, and then to its goal.

Both parts are planned as if they were all, so that there is a plan wherever the load can be stopped
and the goal reached from there.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, SolutionError
from cranebridge.path import Path, Pieces
from cranebridge.plan.flat.join_pieces import concatenate
from cranebridge.plan.flat.plain_stop import keeps_limits
from cranebridge.plan.flat.refine_route import gradual_plan
from cranebridge.plan.flat.route import Route
from cranebridge.plan.flat.search import BRIEF, EvaluatedPlan, PlanSearch
from cranebridge.plan.nlp import LegEnd
from cranebridge.plan.task import PathEvaluation, Plan, rest_state

Array = NDArray[np.float64]

_OVER_REST = "the load comes to rest on the way, because nothing faster was found"
_MOVING = "from the given state"


def plan_over_rest(search: PlanSearch, longest: float = np.inf) -> EvaluatedPlan | None:
    """Return such a plan, shorter if the optimiser can make it so; None if the load has no stop.

    Parameters
    ----------
    search : PlanSearch
        From a state that moves to a goal, in the shortest time.
    longest : float
        It takes less [s], or there is none.

    Raises
    ------
    SolutionError
        What stands in the way from the stop to the goal.
    """
    found = _joined(search, longest)
    return None if found is None else _shortened(search, *found)


def _joined(search: PlanSearch, longest: float) -> EvaluatedPlan | None:
    """Return a plan to rest and one from there, one after the other."""
    guesser, task = search.guesser, search.task
    stops = [path for path in _stops(search) if path.duration < longest]
    if not stops:
        return None
    stop = min(stops, key=lambda path: path.duration + _estimate(search, path))
    outputs = dict(zip(guesser.outputs, _end_of(stop).tolist(), strict=True))
    rest = rest_state(task.crane, task.parameters, outputs)
    onward = search.part(replace(task, start=rest), None)
    path = concatenate(stop, onward.path)
    if path.duration >= longest or not keeps_limits(guesser.evaluator, path):
        return None
    way = f"{_MOVING} to rest, then {onward.way}"
    plan = replace(onward, path=path, cost=path.duration, way=way)
    return replace(plan, notes=(_OVER_REST, *onward.notes)), guesser.evaluator.evaluate(path, 96)


def _stops(search: PlanSearch) -> list[Pieces]:
    """Return ways to rest: the shortest, and the running motion as it is."""
    ways = [] if search.onward is None else [search.onward]
    if ways and ways[0].duration <= BRIEF:
        return ways
    with suppress(SolutionError):
        ways.append(search.part(replace(search.task, goal=None), search.running).path)
    return ways


def _estimate(search: PlanSearch, stop: Pieces) -> float:
    """Return how long the guess from the end of a stop to the goal takes [s]."""
    moving = None, search.guesser.moving[1]
    guesser = replace(search.guesser, start=_end_of(stop), moving=moving)
    try:
        return min(sum(route.durations) for route in guesser.routes())
    except (SolutionError, InputError):
        return np.inf


def _shortened(search: PlanSearch, plan: Plan, evaluation: PathEvaluation) -> EvaluatedPlan:
    """Let the optimiser start from a plan, with a step or two."""
    guesser, (start, goal) = search.guesser, search.guesser.moving
    last = LegEnd(guesser.smoothness, guesser.goal) if goal is None else LegEnd(None, None)
    ends = ((LegEnd(None, None), last),)
    route = Route(_MOVING, plan.path, (plan.duration,), ends, start, goal, gradual=True)
    finer = replace(search.fineness, pieces=2 * search.fineness.pieces)
    try:
        shorter = gradual_plan(search.planner, route, finer)
    except SolutionError:
        return plan, evaluation
    return shorter if shorter[0].duration < plan.duration else (plan, evaluation)


def _end_of(path: Path) -> Array:
    """Return the outputs at the end of a path."""
    return np.asarray(path([path.duration])[:, 0])
