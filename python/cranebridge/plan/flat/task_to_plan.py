"""From a task to a plan: the task is checked, strategies are tried in turn, the plan is checked."""

from __future__ import annotations

import time as clock
from dataclasses import replace

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, SolutionError
from cranebridge.forward import crane_dynamics
from cranebridge.inverse.index1 import PointSolver, point_solver, rest_values
from cranebridge.path import Path, Pieces
from cranebridge.plan.flat.drafts import Fineness
from cranebridge.plan.flat.ends import MovingEnd, StateRows, held_problem
from cranebridge.plan.flat.infeasible_times import infeasible_time_error
from cranebridge.plan.flat.plain_stop import in_pieces, keeps_limits
from cranebridge.plan.flat.route import Guesser
from cranebridge.plan.flat.search import PlanSearch
from cranebridge.plan.flat.strategies import STRATEGIES, plan_in_turn
from cranebridge.plan.task import PathEvaluation, PathEvaluator, Plan, PlanTask, State, rest_state
from cranebridge.progress import Progress, ignore_progress
from cranebridge.twin import equations_of_motion
from cranebridge.twin.language import names

Array = NDArray[np.float64]

# An excess that counts as rounding.
_LIMIT_TOLERANCE = 1e-6


def find_plan(
    task: PlanTask,
    fineness: Fineness | None = None,
    *,
    overshoot: bool = False,
    running: Array | None = None,
    onward: Path | None = None,
    progress: Progress = ignore_progress,
) -> Plan:
    """Find the best path of a flat crane.

    Parameters
    ----------
    task : PlanTask
        What is asked.
    fineness : Fineness, optional
        How fine splines become.
    overshoot : bool
        Whether the load may leave the box between two via points.
    running : numpy.ndarray, optional
        Outputs and their derivatives of a running motion that the plan goes on from, a row each.
    onward : Path, optional
        How the running motion would go on, to rest at its end: a guess for a stop.
    progress : callable
        Called with the fraction that is done.

    Raises
    ------
    InputError
        If the task cannot be met.
    SolutionError
        If no plan is found.
    StructureError
        If the crane is not flat.
    """
    started = clock.perf_counter()
    fineness = fineness or Fineness()
    solver = point_solver(held_problem(task, task.start))
    smoothness = max(solver.stages.structure.path_derivatives.values())
    evaluator = PathEvaluator(task)
    for end, word in ((task.start, "the start"), (task.goal, "the goal")):
        if running is None or end is task.goal:
            _require_reachable(evaluator, end, word)
    for i, via in enumerate(task.via):
        values = dict(zip(names(task.crane.outputs), via.point, strict=True))
        at_rest = rest_state(task.crane, task.parameters, values)
        _require_reachable(evaluator, at_rest, f"via point {i + 1}")
    moving = (
        _moving(task, task.start, solver, smoothness, running),
        _moving(task, task.goal, solver, smoothness, None),
    )
    if task.via and (moving != (None, None) or task.goal is None):
        raise InputError("via points need a start and a goal at rest; leave out path.via")
    ends = _outputs(task, task.start), _outputs(task, task.goal or task.start)
    guesser = Guesser(evaluator, smoothness, *ends, moving, overshoot)
    _require_within(guesser)
    search = PlanSearch(
        guesser,
        solver,
        fineness,
        running,
        _motion_end(guesser, onward),
        lambda part, moving: find_plan(part, fineness, running=moving),
        progress,
    )
    try:
        plan, evaluation = plan_in_turn(search, STRATEGIES)
    except SolutionError as error:
        raise infeasible_time_error(guesser, solver, fineness.pieces, error) from None
    _require_ends(guesser, evaluation)
    return replace(plan, active=evaluation.active(), seconds=clock.perf_counter() - started)


def _motion_end(guesser: Guesser, onward: Path | None) -> Pieces | None:
    """Return the rest of a running motion, as a stop; None if it is none that keeps all limits."""
    if onward is None or onward.moving_ends[1]:
        return None
    path = in_pieces(onward, guesser.smoothness)
    return path if keeps_limits(guesser.evaluator, path) else None


def _require_within(guesser: Guesser) -> None:
    """Refuse a state whose own coordinates or velocities are beyond their limits."""
    task = guesser.task
    for end, word in zip(guesser.moving, ("start", "goal"), strict=True):
        if end is None or end.state is None:
            continue
        for group, values in (("q", end.state.q), ("v", end.state.v)):
            for signal, bound in task.limits.in_force(task.crane):
                if signal.group != group:
                    continue
                value = float(values[signal.position])
                size = _LIMIT_TOLERANCE * (1.0 + abs(value))
                if not bound.least - size <= value <= bound.most + size:
                    raise InputError(
                        f"the {word} is beyond a limit: {signal.title} is {value:g} {signal.unit} "
                        f"there, and limits.{signal.title} allows {bound.least:g} to "
                        f"{bound.most:g} {signal.unit}"
                    )


def _require_ends(guesser: Guesser, evaluation: PathEvaluation) -> None:
    """Make sure that a plan starts and ends as asked.

    Raises
    ------
    SolutionError
        If it does not; what is wrong then is the planner.
    """
    task, found = guesser.task, evaluation.solution
    ends = zip((0, -1), (task.start, task.goal), guesser.moving, ("start", "goal"), strict=True)
    for row, state, moving, word in ends:
        at_rest = state is None or moving is None
        wanted = np.zeros(found.v.shape[1]) if state is None or at_rest else state.v
        away = [np.abs(found.v[row] - wanted).max() / (1.0 + np.abs(wanted).max())]
        if state is not None:
            point = guesser.start if row == 0 else guesser.goal
            away.append(np.abs(found.gamma[row] - point).max() / (1.0 + np.abs(point).max()))
        if max(away) > _LIMIT_TOLERANCE:
            raise SolutionError(f"no plan was found: the optimiser missed the {word}")


def _outputs(task: PlanTask, state: State) -> Array:
    """Return the outputs of a state."""
    return np.asarray(held_problem(task, state).path([0.0])[:, 0])


def _moving(
    task: PlanTask,
    state: State | None,
    solver: PointSolver,
    smoothness: int,
    running: Array | None,
) -> MovingEnd | None:
    """Return how an end moves; None if it rests."""
    if running is not None:
        return MovingEnd(np.array(running))
    if state is None or not (state.moving or _displaced(task, state)):
        return None
    model = equations_of_motion(task.crane)
    rate = ca.jtimes(model.outputs, model.q, model.v)
    function = ca.Function("outputs", [model.q, model.v, model.p], [model.outputs, rate])
    y, speed = function(state.q, state.v, task.parameter_vector)
    first = np.zeros((smoothness + 1, model.outputs.numel()))
    first[0], first[1] = np.array(y).ravel(), np.array(speed).ravel()
    return MovingEnd(StateRows(task, solver, smoothness, state).nearest(first)[0], state)


def _displaced(task: PlanTask, state: State) -> bool:
    """Return whether a state at rest is none that the crane can hold."""
    model = equations_of_motion(task.crane)
    x = rest_values(model, state.q, task.parameter_vector)
    dynamics = crane_dynamics(task.crane)
    u = x[-len(task.crane.inputs) :]
    a, _ = dynamics.accelerations(state.q, state.v, u, task.parameter_vector)
    return bool(np.abs(np.array(a)).max() > 1e-6)


def _require_reachable(evaluator: PathEvaluator, end: State | None, word: str) -> None:
    """Refuse a point that the crane cannot hold at rest, or inside an obstacle."""
    if end is None or end.moving:
        return
    task = evaluator.task
    worst = evaluator.evaluate(held_problem(task, end).path, per_piece=2).worst()
    if worst is None or worst[0] <= _LIMIT_TOLERANCE:
        return
    _, row, _ = worst
    if row.is_clearance:
        raise InputError(f"{word} is inside {row.name.removeprefix('clearance of ')}")
    raise InputError(
        f"{word} cannot be held: {row.name} exceeds its limit of {row.text} there already at rest"
    )
