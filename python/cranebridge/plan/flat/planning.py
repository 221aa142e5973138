"""From a task to a plan: guesses, the best of them refined, every limit held."""

from __future__ import annotations

import time as clock
from contextlib import suppress
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, SolutionError
from cranebridge.forward import crane_dynamics
from cranebridge.inverse.index1 import PointSolver, point_solver, rest_values
from cranebridge.path import Path, Pieces
from cranebridge.plan.flat.connecting import in_turn
from cranebridge.plan.flat.drafts import Fineness
from cranebridge.plan.flat.ends import Moving, StateRows, held_problem
from cranebridge.plan.flat.flat_plan import SNAPS, FlatPlanner
from cranebridge.plan.flat.lateness import explained
from cranebridge.plan.flat.plain import in_pieces, keeps, plain_path
from cranebridge.plan.flat.refine_route import best_plan, coarse_draft, gradual_plan
from cranebridge.plan.flat.route import Guesser, Route
from cranebridge.plan.nlp import End
from cranebridge.plan.task import Alternative, Plan, State, Task, View, Watcher, rest_state
from cranebridge.progress import Progress, ignore_progress
from cranebridge.twin import equations_of_motion
from cranebridge.twin.language import names

Array = NDArray[np.float64]

# An excess that counts as rounding.
_TOUCHING = 1e-6
# How deep in an obstacle, as a part of the way from start to goal, an optimiser may start.
_SHALLOW = 0.02
# A stop that takes no longer [s] is not optimised.
_BRIEF = 0.3
_BRIEFLY = f"a stop within {_BRIEF:g} s is a polynomial, and not the shortest"
_ENDING = f"the motion ends within {_BRIEF:g} s: it goes on to its end"
_PLAINLY = "the optimiser found nothing: these are polynomials, slower than the limits allow"
_LED = "changes of the drives were weighed to find it at all, and it is not the shortest"
_OVER_REST = "the load comes to rest on the way, because nothing faster was found"
_ONWARD = "no sooner stop was found: the motion goes on to its end"
_MOVING = "from the given state"
_TO_A_STOP, _TO_THE_END = "to a stop", "on to the end of the running motion"


def find_plan(
    task: Task,
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
    task : Task
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
    watcher = Watcher(task)
    for end, word in ((task.start, "the start"), (task.goal, "the goal")):
        if running is None or end is task.goal:
            _require_reachable(watcher, end, word)
    for i, via in enumerate(task.via):
        values = dict(zip(names(task.crane.outputs), via.point, strict=True))
        at_rest = rest_state(task.crane, task.parameters, values)
        _require_reachable(watcher, at_rest, f"via point {i + 1}")
    moving = (
        _moving(task, task.start, solver, smoothness, running),
        _moving(task, task.goal, solver, smoothness, None),
    )
    if task.via and (moving != (None, None) or task.goal is None):
        raise InputError("via points need a start and a goal at rest; leave out path.via")
    ends = _outputs(task, task.start), _outputs(task, task.goal or task.start)
    guesser = Guesser(watcher, smoothness, *ends, moving, overshoot)
    _require_within(guesser)
    going_on = _motion_end(guesser, onward)
    by_rest = _ByRest(guesser, solver, fineness, running, going_on)
    try:
        plan, view = _optimised(guesser, solver, fineness, going_on, progress)
        if plan.notes:  # slower than it might be
            with suppress(SolutionError, InputError):
                if task.goal is None:
                    plan, view = _sooner_stop(guesser, solver, fineness, going_on, plan, view)
                else:
                    plan, view = by_rest.sooner(plan, view)
    except SolutionError as error:
        why = explained(guesser, solver, fineness.pieces, error)
        if task.goal is None:
            plan, view = _rescued(guesser, solver, fineness, going_on, why)
        else:
            plan, view = by_rest.plan(why)
    if task.goal is None and going_on is not None and going_on.duration < plan.duration:
        plan, view = _plain(guesser, going_on, _TO_THE_END, _ONWARD)
    _require_ends(guesser, view)
    return replace(plan, active=view.active(), seconds=clock.perf_counter() - started)


def _motion_end(guesser: Guesser, onward: Path | None) -> Pieces | None:
    """Return the rest of a running motion, as a stop; None if it is none that keeps all limits."""
    if onward is None or onward.moving_ends[1]:
        return None
    path = in_pieces(onward, guesser.smoothness)
    return path if keeps(guesser.watcher, path) else None


def _optimised(
    guesser: Guesser,
    solver: PointSolver,
    fineness: Fineness,
    end: Pieces | None,
    progress: Progress,
) -> tuple[Plan, View]:
    """Refine the best of all routes; where that fails, take one that keeps the limits as it is.

    Of a stop that is over at once there is nothing to gain.
    """
    if guesser.task.goal is None and end is not None and end.duration <= _BRIEF:
        return _plain(guesser, end, _TO_THE_END, _ENDING)
    routes, refused = _clear(guesser, guesser.routes())
    if _brief(guesser, routes[0]):
        return _plain(guesser, routes[0].path, routes[0].way, _BRIEFLY)
    try:
        plan, view = _refined(guesser, solver, fineness, progress, routes)
    except SolutionError:
        for route in routes:
            if guesser.task.objective == "time" and not _is_timed(guesser.task):
                path = in_pieces(route.path, guesser.smoothness, 1)
                if keeps(guesser.watcher, path):
                    return _plain(guesser, path, route.way, _PLAINLY)
        raise
    return replace(plan, alternatives=(*plan.alternatives, *refused)), view


def _is_timed(task: Task) -> bool:
    """Return whether times are given."""
    return task.duration is not None or any(via.time is not None for via in task.via)


def _refined(
    guesser: Guesser,
    solver: PointSolver,
    fineness: Fineness,
    progress: Progress,
    routes: list[Route],
) -> tuple[Plan, View]:
    """Refine the best of the routes that touch nothing."""
    planner = FlatPlanner(guesser.watcher, solver, guesser.smoothness)
    if routes[0].gradual and len(routes) == 1:
        return gradual_plan(planner, routes[0], fineness)
    try:
        return best_plan(planner, routes, fineness, progress)
    except SolutionError as error:
        if routes[0].gradual:
            return gradual_plan(planner, routes[0], fineness)
        more = [weight for weight in SNAPS if weight > planner.snap]
        for weight in more if planner.task.objective == "time" else []:
            with suppress(SolutionError):
                plan, view = best_plan(planner.leading(weight), routes, fineness, progress)
                return replace(plan, notes=(*plan.notes, _LED)), view
        raise error


def _brief(guesser: Guesser, route: Route) -> bool:
    """Return whether a stop is over at once, so that nothing is to be gained."""
    if guesser.task.goal is not None or sum(route.durations) > _BRIEF:
        return False
    worst = guesser.watcher.look(route.path, 64).worst()
    return worst is None or worst[0] <= 0.0


def _sooner_stop(
    guesser: Guesser,
    solver: PointSolver,
    fineness: Fineness,
    end: Pieces | None,
    plan: Plan,
    view: View,
) -> tuple[Plan, View]:
    """Return a stop that is sought from the running motion's own end, if that makes it shorter."""
    if end is None or not {_LED, _PLAINLY} & set(plan.notes):
        return plan, view
    planner = FlatPlanner(guesser.watcher, solver, guesser.smoothness)
    other, seen = best_plan(planner, [_to_a_stop(guesser, end)], fineness, ignore_progress)
    return (other, seen) if other.duration < plan.duration else (plan, view)


def _to_a_stop(guesser: Guesser, path: Pieces, way: str = _TO_A_STOP) -> Route:
    """Return a stop anywhere as a guess."""
    ends = End(None, None), End(guesser.smoothness, None)
    return Route(way, path, (path.duration,), (ends,), guesser.moving[0])


def _rescued(
    guesser: Guesser,
    solver: PointSolver,
    fineness: Fineness,
    onward: Pieces | None,
    why: SolutionError,
) -> tuple[Plan, View]:
    """Start a stop from a motion that keeps all limits; a slow motion is better than none.

    Raises
    ------
    SolutionError
        What the optimiser said, if nothing is found.
    """
    task, (start, _) = guesser.task, guesser.moving
    if start is None or task.objective != "time":
        raise why
    way = _TO_A_STOP
    kept = _kept_path(guesser, start.derivatives[: guesser.smoothness + 1], onward)
    if kept is None:
        raise why
    path, note = kept
    if path is onward:
        way = _TO_THE_END
    route = _to_a_stop(guesser, path, way)
    planner = FlatPlanner(guesser.watcher, solver, guesser.smoothness)
    tried = coarse_draft(planner, route, fineness)
    if isinstance(tried, SolutionError):
        return _plain(guesser, path, way, note)
    try:
        draft, view = planner.hold(*tried, 1)
    except SolutionError:
        return _plain(guesser, path, way, note)
    assert isinstance(draft.path, Pieces)
    return Plan(draft.path, task.objective, "flat", draft.cost, np.inf, (), _TO_A_STOP), view


def _kept_path(guesser: Guesser, start: Array, onward: Pieces | None) -> tuple[Pieces, str] | None:
    """Return a stop that keeps all limits, with a note for those who get it; None if none is."""
    longest = np.inf if onward is None else onward.duration
    path = plain_path(guesser.watcher, guesser.outputs, start, longest)
    if path is not None:
        return path, _PLAINLY
    return None if onward is None else (onward, _ONWARD)


@dataclass(frozen=True, eq=False)
class _ByRest:
    """Finds plans of a load that moves which first bring it to rest, and then to its goal.

    Both parts are planned as if they were all, so that there is a plan wherever the load can be
    stopped and the goal reached from there. Attributes are as in `find_plan`.
    """

    guesser: Guesser
    solver: PointSolver
    fineness: Fineness
    running: Array | None
    onward: Pieces | None

    @property
    def possible(self) -> bool:
        """Whether the task is one of these."""
        task = self.guesser.task
        return (
            task.goal is not None
            and task.objective == "time"
            and self.guesser.moving[0] is not None
        )

    def plan(self, why: SolutionError) -> tuple[Plan, View]:
        """Return such a plan, shorter if the optimiser can make it so.

        Raises
        ------
        SolutionError
            What is given, if the load cannot be stopped; what stands in the way from there.
        """
        if not self.possible:
            raise why
        found = self._joined(np.inf)
        if found is None:
            raise why
        return self._shortened(*found)

    def sooner(self, plan: Plan, view: View) -> tuple[Plan, View]:
        """Return such a plan if it is shorter than a given one."""
        found = self._joined(plan.duration) if self.possible else None
        if found is None:
            return plan, view
        other, seen = self._shortened(*found)
        slower = Alternative.found(plan.way, plan.cost, plan.path)
        return replace(other, alternatives=(slower, *plan.alternatives)), seen

    def _joined(self, longest: float) -> tuple[Plan, View] | None:
        """Return the plan that takes less than some time [s], if there is one."""
        guesser, task = self.guesser, self.guesser.task
        stops = [path for path in self._stops() if path.duration < longest]
        if not stops:
            return None
        stop = min(stops, key=lambda path: path.duration + self._estimate(path))
        outputs = dict(zip(guesser.outputs, _end_of(stop).tolist(), strict=True))
        rest = rest_state(task.crane, task.parameters, outputs)
        onward = find_plan(replace(task, start=rest), self.fineness)
        path = in_turn(stop, onward.path)
        if path.duration >= longest or not keeps(guesser.watcher, path):
            return None
        way = f"{_MOVING} to rest, then {onward.way}"
        plan = replace(onward, path=path, cost=path.duration, way=way)
        return replace(plan, notes=(_OVER_REST, *onward.notes)), guesser.watcher.look(path, 96)

    def _stops(self) -> list[Pieces]:
        """Return ways to rest: the shortest, and the running motion as it is."""
        ways = [] if self.onward is None else [self.onward]
        if ways and ways[0].duration <= _BRIEF:
            return ways
        task = replace(self.guesser.task, goal=None)
        with suppress(SolutionError):
            ways.append(find_plan(task, self.fineness, running=self.running).path)
        return ways

    def _estimate(self, stop: Pieces) -> float:
        """Return how long the guess from the end of a stop to the goal takes [s]."""
        moving = None, self.guesser.moving[1]
        guesser = replace(self.guesser, start=_end_of(stop), moving=moving)
        try:
            return min(sum(route.durations) for route in guesser.routes())
        except (SolutionError, InputError):
            return np.inf

    def _shortened(self, plan: Plan, view: View) -> tuple[Plan, View]:
        """Let the optimiser start from a plan, with a step or two."""
        guesser, (start, goal) = self.guesser, self.guesser.moving
        last = End(guesser.smoothness, guesser.goal) if goal is None else End(None, None)
        ends = ((End(None, None), last),)
        route = Route(_MOVING, plan.path, (plan.duration,), ends, start, goal, gradual=True)
        planner = FlatPlanner(guesser.watcher, self.solver, guesser.smoothness)
        finer = replace(self.fineness, pieces=2 * self.fineness.pieces)
        try:
            shorter = gradual_plan(planner, route, finer)
        except SolutionError:
            return plan, view
        return shorter if shorter[0].duration < plan.duration else (plan, view)


def _end_of(path: Path) -> Array:
    """Return the outputs at the end of a path."""
    return np.asarray(path([path.duration])[:, 0])


def _plain(guesser: Guesser, path: Path, way: str, note: str) -> tuple[Plan, View]:
    """Return a path that was not optimised as a plan."""
    if not isinstance(path, Pieces):
        path = in_pieces(path, guesser.smoothness, 1)
    view = guesser.watcher.look(path, 96)
    duration = path.duration
    plan = Plan(
        path, guesser.task.objective, "polynomial", duration, np.inf, (), way, notes=(note,)
    )
    return plan, view


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
                size = _TOUCHING * (1.0 + abs(value))
                if not bound.least - size <= value <= bound.most + size:
                    raise InputError(
                        f"the {word} is beyond a limit: {signal.title} is {value:g} {signal.unit} "
                        f"there, and limits.{signal.title} allows {bound.least:g} to "
                        f"{bound.most:g} {signal.unit}"
                    )


def _require_ends(guesser: Guesser, view: View) -> None:
    """Make sure that a plan starts and ends as asked.

    Raises
    ------
    SolutionError
        If it does not; what is wrong then is the planner.
    """
    task, found = guesser.task, view.solution
    ends = zip((0, -1), (task.start, task.goal), guesser.moving, ("start", "goal"), strict=True)
    for row, state, moving, word in ends:
        at_rest = state is None or moving is None
        wanted = np.zeros(found.v.shape[1]) if state is None or at_rest else state.v
        away = [np.abs(found.v[row] - wanted).max() / (1.0 + np.abs(wanted).max())]
        if state is not None:
            point = guesser.start if row == 0 else guesser.goal
            away.append(np.abs(found.gamma[row] - point).max() / (1.0 + np.abs(point).max()))
        if max(away) > _TOUCHING:
            raise SolutionError(f"no plan was found: the optimiser missed the {word}")


def _clear(guesser: Guesser, routes: list[Route]) -> tuple[list[Route], list[Alternative]]:
    """Return the routes that touch no obstacle, and why others do.

    From a path deep through an obstacle an optimiser seldom finds a way out, and takes long to say
    so. Of a stop, and of what touches a corner only, it may.

    Raises
    ------
    SolutionError
        If all of them go through obstacles.
    """
    watcher, task = guesser.watcher, guesser.task
    if not task.obstacles:
        return routes, []
    shallow = _SHALLOW * float(np.linalg.norm(guesser.goal - guesser.start))
    clear, nearly, refused = [], [], []
    for route in routes:
        view = watcher.look(route.path, per_piece=64)
        least = np.where([row.is_clearance for row in view.rows], view.excess().max(axis=0), -1.0)
        if least.max() <= 0.0:
            clear.append(route)
            continue
        if task.goal is None or least.max() <= shallow:
            nearly.append(route)
        name = view.rows[int(least.argmax())].name.removeprefix("clearance of ")
        refused.append(Alternative(route.way, why=f"it would touch {name}"))
    if clear:
        return clear, refused
    if nearly:
        return nearly, []
    raise SolutionError(guesser.barred([(one.way, one.why) for one in refused]))


def _outputs(task: Task, state: State) -> Array:
    """Return the outputs of a state."""
    return np.asarray(held_problem(task, state).path([0.0])[:, 0])


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
    """Return whether a state at rest is none that the crane can hold."""
    model = equations_of_motion(task.crane)
    x = rest_values(model, state.q, task.parameter_vector)
    dynamics = crane_dynamics(task.crane)
    u = x[-len(task.crane.inputs) :]
    a, _ = dynamics.accelerations(state.q, state.v, u, task.parameter_vector)
    return bool(np.abs(np.array(a)).max() > 1e-6)


def _require_reachable(watcher: Watcher, end: State | None, word: str) -> None:
    """Refuse a point that the crane cannot hold at rest, or inside an obstacle."""
    if end is None or end.moving:
        return
    task = watcher.task
    worst = watcher.look(held_problem(task, end).path, per_piece=2).worst()
    if worst is None or worst[0] <= _TOUCHING:
        return
    _, row, _ = worst
    if row.is_clearance:
        raise InputError(f"{word} is inside {row.name.removeprefix('clearance of ')}")
    raise InputError(
        f"{word} cannot be held: {row.name} exceeds its limit of {row.text} there already at rest"
    )
