"""Optimal motions in the full state space of any crane, by direct collocation at Radau points.

The equations in stabilised form hold at the points of every interval of a mesh, limits too; the
least cost is found by IPOPT, on a coarse mesh first, then on finer ones. Nothing is asked of the
crane but forward dynamics: it need not be flat. Limits of coordinates and speeds hold between the
points, too: these are polynomials, and their Bernstein coefficients keep the limits (a polynomial
lies in the convex hull of them). What may jump, controls, accelerations and rope forces, is not
looked at there.

References
----------
J. T. Betts, Practical Methods for Optimal Control Using Nonlinear Programming, SIAM 2020.
A. Waechter, L. T. Biegler, On the implementation of an interior-point filter line-search algorithm
for large-scale nonlinear programming, Math. Program. 106 (2006) 25-57.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.inverse import ServoProblem
from cranebridge.limits import Limits
from cranebridge.path import Path
from cranebridge.plan.collocation.collocation_solution import CollocationSolution
from cranebridge.plan.collocation.radau_points import radau
from cranebridge.plan.collocation.refine_mesh import CollocationProblem, Mesh, refine
from cranebridge.plan.collocation.stabilised_equations import StabilisedEquations, stabilise
from cranebridge.plan.collocation.transcription import Scaling, TerminalConditions, Transcription
from cranebridge.plan.task import (
    Bounds,
    InitialGuess,
    ObstacleCylinder,
    PlanTask,
    State,
    TrackingCost,
    bounds_of,
    effort_scales,
    equilibrium_state,
    guess_path,
    guess_task,
    rest_line,
    still,
    tracking_costs,
)
from cranebridge.progress import Progress, ignore_progress
from cranebridge.twin import Crane, Equations
from cranebridge.twin.language import names

Array = NDArray[np.float64]


def solve_collocation(
    task: PlanTask,
    mesh: Mesh | None = None,
    guess: InitialGuess | None = None,
    progress: Progress = ignore_progress,
) -> CollocationSolution:
    """Find the motion that a task asks for.

    Parameters
    ----------
    task : PlanTask
        From where to where, within which limits, at what cost.
    mesh : Mesh, optional
        How finely.
    guess : InitialGuess, optional
        Where to start; see :mod:`cranebridge.plan.task.guesses`.
    progress : callable
        Called with the part that is done.

    Raises
    ------
    InputError
        If the task asks for what this method has not: jerk limits, via points, obstacles other than
        endless cylinders for the load; or if its start or goal breaks a limit.
    SolutionError
        If no motion is found.
    """
    chosen = mesh or Mesh()
    bounds = _bounds(task.crane, task.limits)
    _require_known(task)
    equations, p = stabilise(task.crane), task.parameter_vector
    for where, state in (("start", task.start), ("goal", task.goal)):
        _require_within(bounds, where, state, task.crane, p)
    start = guess or guess_task(task)
    if task.objective == "effort" and task.duration is None:
        raise InputError("the least effort needs a duration: give one, or ask for the least time")
    programme = Transcription(
        equations,
        radau(chosen.degree),
        p,
        bounds,
        _task_cost(task, equations.model),
        np.concatenate([task.start.q, task.start.v]),
        _task_end(task, equations),
        _scaling(equations, p, start, bounds),
        _clearance(task, equations.model),
        free=task.duration is None,
        between=chosen.between,
    )
    return refine(
        CollocationProblem(programme, start, parameters=task.parameters), chosen, progress
    )


def track_by_collocation(
    crane: Crane,
    parameters: Mapping[str, float],
    tracking: TrackingCost,
    limits: Limits | None = None,
    mesh: Mesh | None = None,
    progress: Progress = ignore_progress,
) -> CollocationSolution:
    """Find the motion that follows a path best.

    Parameters
    ----------
    crane : Crane
        The crane, at rest at the begin.
    parameters : mapping of str to float
        All of its parameters.
    tracking : TrackingCost
        The path and what is weighed.
    limits : Limits, optional
        What must be kept; nothing by default, not even that ropes pull.
    mesh : Mesh, optional
        How finely; times at which the path is not smooth are nodes.
    progress : callable
        Called with the part that is done.

    Raises
    ------
    InputError
        If limits contain jerks, or the start breaks them.
    SolutionError
        If no motion is found.
    """
    chosen = mesh or Mesh(degree=4)
    bounds = _bounds(crane, limits or Limits(ropes="ignore"))
    equations = stabilise(crane)
    values = dict(parameters)
    p = np.array([values[name] for name in names(crane.parameters)])
    start = equilibrium_state(crane, values, tracking.start())
    goal = equilibrium_state(crane, values, tracking.goal())
    _require_within(bounds, "start", start, crane, p)
    guess = _tracking_guess(crane, values, tracking)
    integrand, last = tracking_costs(tracking, equations.model, still(crane, goal.q, p)[1])
    programme = Transcription(
        equations,
        radau(chosen.degree),
        p,
        bounds,
        integrand,
        np.concatenate([start.q, start.v]),
        _tracking_end(tracking, equations, goal, p, last),
        _scaling(equations, p, guess, bounds),
        ca.Function("clear", [equations.model.q, equations.model.p], [ca.SX(0, 1)]),
        free=False,
        between=chosen.between,
    )
    first, end = tracking.window
    kinks = tuple((time - first) / (end - first) for time in tracking.times)
    return refine(
        CollocationProblem(programme, guess, first, kinks, tracking, values), chosen, progress
    )


def _bounds(crane: Crane, limits: Limits) -> Bounds:
    bounds = bounds_of(crane, limits)
    if bounds.of_jerks:
        raise InputError(
            "collocation keeps no limits of jerks, because forces may jump in it; leave "
            f"limits.{bounds.of_jerks[0].group} out or use path.method = 'flat'"
        )
    return bounds


def _require_known(task: PlanTask) -> None:
    if task.via:
        raise InputError("collocation passes no via points; use path.method = 'flat'")
    for obstacle in task.obstacles:
        endless = isinstance(obstacle, ObstacleCylinder) and obstacle.bottom is obstacle.top is None
        if not endless or obstacle.rope:
            raise InputError(
                "collocation goes around endless cylinders with the load only; use path.method = "
                "'flat' for boxes, stacks and ropes"
            )


def _require_within(
    bounds: Bounds, where: str, state: State | None, crane: Crane, p: Array
) -> None:
    """Raise an InputError that names a limit which a state breaks, or rest there."""
    if state is None:
        return
    lam, u = still(crane, state.q, p)
    zero = np.zeros(state.q.size)
    values = np.array(bounds.function(state.q, state.v, zero, zero, lam, u, p))[:, 0]
    for i, signal in enumerate(bounds.signals):
        if state.moving and signal.group not in ("q", "v"):
            continue
        least, most, slack = bounds.least[i], bounds.most[i], 1e-6 * bounds.size[i]
        if not least - slack <= values[i] <= most + slack:
            raise InputError(
                f"the {where} cannot be held within the limits: {signal.title} is "
                f"{values[i]:.6g} {signal.unit} there, the limit is [{least:g}, {most:g}]"
            )


def _task_cost(task: PlanTask, model: Equations) -> ca.Function:
    reference = ca.SX(0, 1)
    arguments = [model.q, model.v, model.u, reference, model.p]
    at = task.start if task.goal is None else task.goal
    rest = still(task.crane, at.q, task.parameter_vector)[1]
    effort = ca.sumsqr((model.u - rest) / effort_scales(task.crane, task.limits))
    cost = {"time": ca.SX(1), "effort": effort, "weighted": 1 + task.effort * effort}
    return ca.Function("integrand", arguments, [cost[task.objective]])


def _task_end(task: PlanTask, equations: StabilisedEquations) -> TerminalConditions:
    """Return goal, or rest anywhere; in coordinates that determine the others."""
    at = task.start if task.goal is None else task.goal
    free = equations.independent(at.q, task.parameter_vector)
    if task.goal is None:
        return TerminalConditions(tuple((equations.size + i, 0.0) for i in free), balance=True)
    return _at(equations, free, task.goal)


def _at(equations: StabilisedEquations, free: Sequence[int], state: State) -> TerminalConditions:
    places = [(i, float(state.q[i])) for i in free]
    return TerminalConditions((*places, *((equations.size + i, float(state.v[i])) for i in free)))


def _tracking_end(
    tracking: TrackingCost, equations: StabilisedEquations, goal: State, p: Array, last: ca.Function
) -> TerminalConditions:
    free = equations.independent(goal.q, p) if tracking.end == "rest" else []
    fixed = _at(equations, free, goal).fixed
    if tracking.alpha == 0.0:
        return TerminalConditions(fixed)
    value, rate = tracking.at(np.array([tracking.window[1]]))
    return TerminalConditions(fixed, cost=last, reference=np.concatenate([value[:, 0], rate[:, 0]]))


def _tracking_guess(
    crane: Crane, parameters: dict[str, float], tracking: TrackingCost
) -> InitialGuess:
    target = tracking.target
    if not isinstance(target, Path):
        duration = tracking.window[1] - tracking.after
        target = rest_line(crane, tracking.start(), tracking.goal(), duration)
    problem = ServoProblem(crane, target, parameters)
    return guess_path(problem, tracking.before, tracking.after)


def _clearance(task: PlanTask, model: Equations) -> ca.Function:
    rows = [ca.SX(0, 1)]
    for obstacle in task.obstacles:
        if isinstance(obstacle, ObstacleCylinder):
            away = model.outputs[:2] - ca.DM(obstacle.center)
            radius = obstacle.radius + obstacle.clearance
            rows.append(ca.sumsqr(away) / radius**2 - 1.0)
    return ca.Function("clear", [model.q, model.p], [ca.vertcat(*rows)])


def _scaling(
    equations: StabilisedEquations, p: Array, guess: InitialGuess, bounds: Bounds
) -> Scaling:
    """Return by what unknowns are divided: how large they are in the guess, or may be."""
    way = np.ptp(guess.q, axis=0)
    q = np.maximum(np.abs(guess.q).max(axis=0), 1.0)
    v = np.maximum.reduce(
        [np.abs(guess.v).max(axis=0), way / guess.duration, np.full(way.size, 0.1)]
    )
    lam = np.maximum(np.abs(guess.lam).max(axis=0, initial=0.0), 1e-3)
    u = np.maximum(np.ptp(guess.u, axis=0), 0.1 * _input_sizes(equations, p, guess))
    for i, signal in enumerate(bounds.signals):
        if signal.group == "u" and np.isfinite(bounds.most[i] - bounds.least[i]):
            u[signal.position] = bounds.size[i]
    H = np.array(equations.dynamics.manifold(guess.q[0], p)[1])
    moved = H.T / equations.masses(guess.q[0], p)[:, None]
    eta = v.max() / np.maximum(np.abs(moved).max(axis=0, initial=0.0), 1e-6)
    return Scaling(q, v, lam, u, guess.duration, eta)


def _input_sizes(equations: StabilisedEquations, p: Array, guess: InitialGuess) -> Array:
    """Return inputs that do as much as the crane's weight, or as its inertia in the guess."""
    model, q = equations.model, guess.q[0]
    matrices = ca.Function(
        "B",
        [model.q, model.lam, model.p],
        [model.input_matrix, model.constraint_jacobian.T @ model.lam],
    )
    B, weight = (np.abs(np.array(part)) for part in matrices(q, guess.lam[0], p))
    inertia = equations.masses(q, p) * 4.0 * np.ptp(guess.q, axis=0) / guess.duration**2
    force = max(weight.max(initial=0.0), inertia.max(), np.finfo(float).tiny)
    return np.asarray(force / np.maximum(B.max(axis=0), np.finfo(float).tiny))
