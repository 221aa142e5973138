"""Times that are too soon: when points can be passed at the soonest, and what stands in the way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cranebridge.errors import InputError, SolutionError
from cranebridge.inverse.index1 import PointSolver
from cranebridge.plan.flat.flat_plan import SNAP_WEIGHTS, FlatPlanner
from cranebridge.plan.flat.route import Guesser
from cranebridge.plan.task import ActiveConstraint, PathEvaluation, PathEvaluator, PlanTask

# On coarse splines times are right to about this part.
_SAME = 5e-3


def infeasible_time_error(
    guesser: Guesser, solver: PointSolver, pieces: int, why: SolutionError
) -> SolutionError:
    """Return why a task with times has no plan: the first time that is too soon, and the limit.

    The times are let become later, by as little as possible in sum.

    Parameters
    ----------
    guesser : Guesser
        Makes routes of the task.
    solver : PointSolver
        The stages of the crane.
    pieces : int
        Of each leg.
    why : SolutionError
        Returned where no time is given, or none is too soon.
    """
    task = guesser.task
    given = [*(via.time for via in task.via), task.duration]
    if all(time is None for time in given):
        return why
    free = tuple(replace(via, time=None) for via in task.via)
    anytime = PathEvaluator(replace(task, objective="time", duration=None, via=free))
    late = PathEvaluator(replace(task, objective="time"))
    planner = FlatPlanner(late, solver, guesser.smoothness, late=True)
    found = None
    for one, count in (
        (planner, pieces),
        (planner, 2 * pieces),
        (planner.with_snap(SNAP_WEIGHTS[0]), pieces),
    ):
        try:
            route = replace(guesser, evaluator=anytime).routes()[0]
            found = one.improve(route, one.draft(route, count), 0)
            break
        except (SolutionError, InputError):
            continue
    if found is None:
        return why
    draft, evaluation = found
    for i, (soonest, time) in enumerate(zip(np.cumsum(draft.durations), given, strict=True)):
        if time is not None and soonest > (1.0 + _SAME) * time:
            return SolutionError(_sentence(task, i, time, float(soonest), evaluation))
    return why


def _sentence(
    task: PlanTask, i: int, time: float, soonest: float, evaluation: PathEvaluation
) -> str:
    """Say which time is too soon, and for which limit."""
    if i < len(task.via):
        asked = f"via point {i + 1} cannot be passed at {time:g} s (path.times)"
    else:
        asked = f"the goal cannot be reached in {time:g} s (path.duration)"
    active = [one for one in evaluation.active() if _shared(one, soonest) > 0.0]
    if not active:
        return f"{asked}: the soonest that was found is {soonest:.3g} s"
    most = max(active, key=lambda one: _shared(one, soonest))
    return (
        f"{asked}: the soonest that was found is {soonest:.3g} s, where {most.name} stands in the "
        f"way (limit {most.limit:g} {most.unit})"
    )


def _shared(active: ActiveConstraint, until: float) -> float:
    """Return how long a limit is touched until a time [s]."""
    return sum(max(0.0, min(end, until) - begin) for begin, end in active.spans)
