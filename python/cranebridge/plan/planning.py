"""From a task to a plan: guesses, the best of them refined, every limit held."""

from __future__ import annotations

import time as clock
from collections.abc import Callable

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, SolutionError
from cranebridge.forward.crane_accelerations import crane_dynamics
from cranebridge.inverse.index1 import PointSolver, point_solver
from cranebridge.inverse.starting import rest_values
from cranebridge.path import Pieces
from cranebridge.plan.ends import Moving, StateRows, held_problem
from cranebridge.plan.flat import Draft, Fineness, FlatPlanner, remaining
from cranebridge.plan.planned import Plan
from cranebridge.plan.route import Guesser, Route
from cranebridge.plan.task import State, Task
from cranebridge.plan.watch import View, Watcher
from cranebridge.twin import equations_of_motion

Array = NDArray[np.float64]
Tell = Callable[[float], None]

# An excess that counts as rounding.
_TOUCHING = 1e-6


def find_plan(
    task: Task,
    fineness: Fineness | None = None,
    *,
    overshoot: bool = False,
    running: Array | None = None,
    tell: Tell = lambda share: None,
) -> Plan:
    """Find the best path of a flat crane.

    Parameters
    ----------
    task : Task
        What is asked.
    fineness : Fineness, optional
        How fine splines become.
    overshoot : bool
        Whether the load may leave the box between two via points.
    running : numpy.ndarray, optional
        Outputs and their derivatives of a running motion that the plan goes on from, a row each.
    tell : callable
        Told the fraction that is done.

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
    watcher = Watcher(task)
    for end, word in ((task.start, "start"), (task.goal, "goal")):
        if running is None or word == "goal":
            _require_reachable(watcher, end, word)
    planner = FlatPlanner(watcher, solver, smoothness)
    guesser = Guesser(
        watcher,
        smoothness,
        _outputs(task, task.start),
        _outputs(task, task.goal or task.start),
        (
            _moving(task, task.start, solver, smoothness, running),
            _moving(task, task.goal, solver, smoothness, None),
        ),
        overshoot,
    )
    routes = _clear(watcher, guesser.routes())
    tried = [_coarse(planner, route, fineness) for route in routes]
    found = [one for one in tried if not isinstance(one, SolutionError)]
    if not found:
        raise next(one for one in tried if isinstance(one, SolutionError))
    costs = [np.inf if isinstance(one, SolutionError) else one[1].cost for one in tried]
    best = int(np.argmin(costs))
    route, draft, view = tried[best]  # type: ignore[misc]
    draft, view, left = _finer(planner, route, draft, view, fineness, tell)
    others = [
        (one.way, cost)
        for i, (one, cost) in enumerate(zip(routes, costs, strict=True))
        if i != best
    ]
    assert isinstance(draft.path, Pieces)
    return Plan(
        path=draft.path,
        objective=task.objective,
        method="flat",
        cost=draft.cost,
        remaining=left,
        active=view.active(),
        way=route.way,
        alternatives=others,
        seconds=clock.perf_counter() - started,
    )


def _clear(watcher: Watcher, routes: list[Route]) -> list[Route]:
    """Return the routes that touch no obstacle; all of them if each does.

    From a path through an obstacle an optimiser seldom finds a way out, and takes long to say so.
    """
    if not watcher.task.obstacles:
        return routes
    clear = []
    for route in routes:
        view = watcher.look(route.path, per_piece=64)
        own = [row.name.startswith("clearance") for row in view.rows]
        if view.excess()[:, own].max(initial=-np.inf) <= 0.0:
            clear.append(route)
    return clear or routes


def _coarse(
    planner: FlatPlanner, route: Route, fineness: Fineness
) -> tuple[Route, Draft, View] | SolutionError:
    """Improve a route on the first splines; return why it cannot be."""
    try:
        draft, view = planner.improve(route, planner.draft(route, fineness.pieces), 0)
    except SolutionError as error:
        return error
    return route, draft, view


def _finer(
    planner: FlatPlanner, route: Route, draft: Draft, view: View, fineness: Fineness, tell: Tell
) -> tuple[Draft, View, float]:
    """Cut pieces until little is left to gain, then let all limits hold."""
    costs, level = [draft.cost], 0
    while level < fineness.rounds and remaining(costs) > fineness.accuracy:
        level += 1
        try:
            draft, view = planner.improve(route, planner.refine(draft, view), level)
        except SolutionError:  # what was found before is worse, but it is something
            break
        costs.append(draft.cost)
        tell(level / (fineness.rounds + 1))
    draft, view = planner.hold(route, draft, view, level + 1)
    tell(1.0)
    return draft, view, remaining(costs)


def _outputs(task: Task, state: State) -> Array:
    model = equations_of_motion(task.crane)
    function = ca.Function("outputs", [model.q, model.p], [model.outputs])
    return np.array(function(state.q, task.parameter_vector)).ravel()


def _moving(
    task: Task,
    state: State | None,
    solver: PointSolver,
    smoothness: int,
    running: Array | None,
) -> Moving | None:
    """Return how an end moves; None if it rests."""
    if running is not None:
        return Moving(np.array(running))
    if state is None or not (state.moving or _displaced(task, state)):
        return None
    model = equations_of_motion(task.crane)
    rate = ca.jtimes(model.outputs, model.q, model.v)
    function = ca.Function("outputs", [model.q, model.v, model.p], [model.outputs, rate])
    y, speed = function(state.q, state.v, task.parameter_vector)
    first = np.zeros((smoothness + 1, model.outputs.numel()))
    first[0], first[1] = np.array(y).ravel(), np.array(speed).ravel()
    return Moving(StateRows(task, solver, smoothness, state).nearest(first)[0], state)


def _displaced(task: Task, state: State) -> bool:
    """Tell whether a state at rest is none that the crane can hold."""
    model = equations_of_motion(task.crane)
    x = rest_values(model, state.q, task.parameter_vector)
    dynamics = crane_dynamics(task.crane)
    u = x[-len(task.crane.inputs) :]
    a, _ = dynamics.accelerations(state.q, state.v, u, task.parameter_vector)
    return bool(np.abs(np.array(a)).max() > 1e-6)


def _require_reachable(watcher: Watcher, end: State | None, word: str) -> None:
    """Refuse a start or goal at rest that no motion can hold, or inside an obstacle."""
    if end is None or end.moving:
        return
    task = watcher.task
    worst = watcher.look(held_problem(task, end).path, per_piece=2).worst()
    if worst is None or worst[0] <= _TOUCHING:
        return
    _, row, _ = worst
    if row.name.startswith("clearance"):
        raise InputError(f"the {word} is inside {row.name.removeprefix('clearance of ')}")
    raise InputError(
        f"the {word} cannot be held: {row.name} exceeds its limit of {row.text} there already at "
        "rest"
    )
