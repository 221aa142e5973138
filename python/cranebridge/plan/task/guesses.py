"""Where an optimisation starts: a motion that is near enough, over its normalised time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import CranebridgeError
from cranebridge.inverse import ServoProblem, rest_path
from cranebridge.inverse.index1 import rest_values, solve_index1, structure_of
from cranebridge.limits import Limits
from cranebridge.path import Line, Path, polynomial
from cranebridge.plan.task.task import PlanTask, State
from cranebridge.plan.timing import shortest_duration
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.language import names

Array = NDArray[np.float64]

_TIMES = 201
# A duration for a crane of which nothing else is known [s].
_DURATION = 10.0
_SMOOTHNESS = 4


@dataclass(frozen=True, eq=False)
class InitialGuess:
    """A motion to start from.

    Attributes
    ----------
    duration : float
        In s.
    time : numpy.ndarray
        Parts of the duration, from 0 to 1.
    q, v, lam, u : numpy.ndarray
        A row for each time.
    """

    duration: float
    time: Array
    q: Array
    v: Array
    lam: Array
    u: Array

    def at(self, parts: Array) -> tuple[Array, Array, Array, Array]:
        """Return q, v, lambda and u at parts of the duration, on lines between the times."""
        q, v, lam, u = (
            np.stack([np.interp(parts, self.time, column) for column in values.T], axis=-1)
            if values.shape[1]
            else np.zeros((*parts.shape, 0))
            for values in (self.q, self.v, self.lam, self.u)
        )
        return q, v, lam, u


def equilibrium_state(crane: Crane, parameters: dict[str, float], outputs: Array) -> State:
    """Return the state at rest with the given outputs.

    Raises
    ------
    SolutionError
        If the crane cannot be at rest there.
    """
    values = tuple(float(value) for value in outputs)
    path = Line(names(crane.outputs), values, values, polynomial(1.0))
    model = equations_of_motion(crane)
    q = rest_path(ServoProblem(crane, path, parameters), model).x[0, : model.q.numel()]
    return State(q, np.zeros(q.size))


def still(crane: Crane, q: Array, p: Array) -> tuple[Array, Array]:
    """Return lambda and u that hold a crane at rest where it is."""
    model = equations_of_motion(crane)
    x = rest_values(model, q, p)
    return x[q.size : q.size + model.lam.numel()], x[q.size + model.lam.numel() :]


def guess_task(task: PlanTask) -> InitialGuess:
    """Return a motion from start to goal: flat where that can be, else from rest to rest.

    A flat crane follows a smooth line in the shortest time within the limits; another one is
    at rest at every point of such a line.
    """
    if task.goal is None:
        return _stop_in_place(task)
    p = task.parameter_vector
    model = equations_of_motion(task.crane)
    outputs = _outputs(task.crane, np.stack([task.start.q, task.goal.q]), p)
    ends = [tuple(float(x) for x in row) for row in outputs]
    duration = task.duration or _DURATION
    line = Line(names(task.crane.outputs), ends[0], ends[1], polynomial(duration, _SMOOTHNESS))
    problem = ServoProblem(
        task.crane,
        line,
        dict(task.parameters),
        dict(zip(names(task.crane.coordinates), task.start.q.tolist(), strict=True)),
    )
    if not task.start.moving and not task.goal.moving:
        found = _flat(problem, task.limits if task.duration is None else None)
        if found is not None:
            return found
    time = np.linspace(0.0, 1.0, _TIMES)
    progress = line.profile.derivatives(time * duration, 1)
    way = task.goal.q - task.start.q
    q = task.start.q + progress[0][:, None] * way
    held = [np.concatenate(still(task.crane, row, p)) for row in (task.start.q, task.goal.q)]
    forces = held[0] + progress[0][:, None] * (held[1] - held[0])
    m = model.lam.numel()
    v = progress[1][:, None] * way
    return InitialGuess(duration, time, q, v, forces[:, :m], forces[:, m:])


def guess_path(problem: ServoProblem, before: float, after: float) -> InitialGuess:
    """Return a motion along a path, resting before and after it for some time [s]."""
    found = _flat(problem, None)
    if found is None:
        model = equations_of_motion(problem.crane)
        rest = rest_path(problem, model)
        n, m = model.q.numel(), model.lam.numel()
        parts = rest.time / rest.time[-1]
        q, lam, u = np.split(rest.x, [n, n + m], axis=1)
        found = InitialGuess(rest.time[-1], parts, q, np.gradient(q, rest.time, axis=0), lam, u)
    whole = before + found.duration + after
    inner = (before + found.time * found.duration) / whole
    time = np.concatenate([[0.0], inner, [1.0]])
    at_rest = np.zeros((1, found.v.shape[1]))
    q, lam, u = (np.concatenate([x[:1], x, x[-1:]]) for x in (found.q, found.lam, found.u))
    return InitialGuess(whole, time, q, np.concatenate([at_rest, found.v, at_rest]), lam, u)


def rest_line(crane: Crane, start: Array, goal: Array, duration: float) -> Path:
    """Return a smooth straight line between outputs."""
    ends = [tuple(float(x) for x in row) for row in (start, goal)]
    return Line(names(crane.outputs), ends[0], ends[1], polynomial(duration, _SMOOTHNESS))


def _flat(problem: ServoProblem, limits: Limits | None) -> InitialGuess | None:
    """Return the exact motion along a path, in the shortest time within limits; None if none."""
    try:
        if not structure_of(problem).flat:
            return None
        if limits is not None:
            problem = shortest_duration(problem, limits, 1e-2).problem
        duration = problem.path.duration
        found = solve_index1(problem, np.linspace(0.0, duration, _TIMES), "never")
    except CranebridgeError:  # not flat, not smooth enough, no limit: there are other guesses
        return None
    return InitialGuess(duration, found.time / duration, found.q, found.v, found.lam, found.u)


def _stop_in_place(task: PlanTask) -> InitialGuess:
    """Return a motion that comes to rest where it is."""
    time = np.linspace(0.0, 1.0, _TIMES)
    lam, u = still(task.crane, task.start.q, task.parameter_vector)
    ones = np.ones((_TIMES, 1))
    duration = task.duration or 0.2 * _DURATION
    # the way that is left at a speed which falls to zero along a line
    way = duration * (time - 0.5 * time**2)[:, None] * task.start.v
    v = (1.0 - time)[:, None] * task.start.v
    return InitialGuess(duration, time, task.start.q + way, v, ones * lam, ones * u)


def _outputs(crane: Crane, q: Array, p: Array) -> Array:
    import casadi as ca

    model = equations_of_motion(crane)
    function = ca.Function("outputs", [model.q, model.p], [model.outputs])
    return np.stack([np.array(function(row, p))[:, 0] for row in q])
