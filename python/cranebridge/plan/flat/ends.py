"""Ends of a plan that move: which derivatives of the load path belong to a state.

On a flat crane coordinates and velocities are functions of the path's derivatives. They determine
fewer than the controls need: on the rotary crane ten of twelve; the rope force and its rate stay
free. A re-plan goes on with all derivatives of the running motion: the controls do not jump.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.forward import choose_independent, crane_dynamics
from cranebridge.inverse import ServoProblem
from cranebridge.inverse.index1 import PointSolver, initial_guess
from cranebridge.path import Hold
from cranebridge.plan.rows import PointFunctions, PointRows
from cranebridge.plan.task import PlanTask, State
from cranebridge.twin import equations_of_motion
from cranebridge.twin.language import names

Array = NDArray[np.float64]

# Gauss and Newton's steps to the nearest derivatives at most.
_ITERATIONS = 60
# Newton's steps for the unknowns of a motion at most.
_SWEEPS = 20
# Relative error of a state that has converged.
_CONVERGED = 1e-12


@dataclass(frozen=True, eq=False)
class MovingEnd:
    """An end that moves.

    Attributes
    ----------
    derivatives : numpy.ndarray
        Outputs and their derivatives, a row each.
    state : State or None
        Where only the state is given: the derivatives may differ from these as long as they belong
        to it.
    """

    derivatives: Array
    state: State | None = None


class StateRows:
    """Independent coordinates and their velocities as functions of the path's derivatives."""

    def __init__(self, task: PlanTask, solver: PointSolver, order: int, state: State) -> None:
        self._solver, self._problem = solver, held_problem(task, state)
        independent = _independent(task, state)
        functions = _state_functions(solver, order, tuple(independent))
        self.rows = PointRows(functions, task.parameter_vector)
        self.values = np.concatenate([state.q[independent], state.v[independent]])

    def nearest(self, derivatives: Array) -> tuple[Array, Array]:
        """Return the derivatives nearest to given ones that belong to the state, and unknowns.

        Gauss and Newton's method with the smallest steps; derivatives count less the higher they
        are.

        Raises
        ------
        SolutionError
            If there are none.
        """
        found, w = derivatives.copy(), continued(self._solver, self._problem, derivatives)
        count, outputs = derivatives.shape
        weight = np.repeat(10.0 ** np.arange(count), outputs)
        size = 1.0 + np.abs(self.values)
        for _ in range(_ITERATIONS):
            z = _argument(found)
            w = self.rows.settle(z, w)
            if not np.isfinite(w).all():
                break
            values, slopes = self.rows.slopes(z, w)
            missing = (self.values - values[0]) / size
            step = np.linalg.lstsq(slopes[0][:, :-1] * weight / size[:, None], missing, rcond=1e-10)
            found += (step[0] * weight).reshape(count, outputs)
            if np.abs(missing).max() <= _CONVERGED:
                return found, w
        raise SolutionError(
            "no motion of the load belongs to the given state: a rope would have to push, or the "
            "coordinates and velocities do not fit each other"
        )


@lru_cache(maxsize=32)
def _state_functions(
    solver: PointSolver, order: int, independent: tuple[int, ...]
) -> PointFunctions:
    """Return some coordinates and their velocities; made once."""
    own = list(independent)
    return PointFunctions(
        solver, order, lambda m: ca.vertcat(m.motion["q"][own], m.motion["v"][own])
    )


def held_problem(task: PlanTask, state: State) -> ServoProblem:
    """Return the problem of holding a state's outputs, with its coordinates as a first guess."""
    model = equations_of_motion(task.crane)
    outputs = ca.Function("outputs", [model.q, model.p], [model.outputs])
    y = np.array(outputs(state.q, task.parameter_vector)).ravel()
    held = Hold(names(task.crane.outputs), tuple(y.tolist()), 1.0)
    known = dict(zip(names(task.crane.coordinates), state.q.tolist(), strict=True))
    return ServoProblem(task.crane, held, dict(task.parameters), known)


def continued(solver: PointSolver, problem: ServoProblem, derivatives: Array) -> Array:
    """Return Newton's unknowns for given derivatives: from rest, ever faster."""
    stages = solver.stages
    count, outputs = derivatives.shape
    order = stages.path_order
    w = initial_guess(problem, stages)[None, :]
    gammas = np.zeros((1, outputs * (order + 1)))
    for share in np.linspace(0.0, 1.0, 11):
        scaled = derivatives * share ** np.arange(count)[:, None]
        gammas[0, : min(count, order + 1) * outputs] = scaled[: order + 1].ravel()
        for _ in range(_SWEEPS):
            if not w.shape[1]:
                break
            w, step = solver.sweep(w, gammas, problem.parameter_vector)
            if (np.abs(step) <= 1e-10 * (1.0 + np.abs(w))).all():
                break
    return w


def _argument(derivatives: Array) -> Array:
    """Return z for derivatives by time: those by normalised time with a duration of 1 s."""
    return np.append(derivatives.ravel(), 1.0)[None, :]


def _independent(task: PlanTask, state: State) -> list[int]:
    """Return coordinates that, with the constraints, determine all of them."""
    _, slopes = crane_dynamics(task.crane).manifold(state.q, task.parameter_vector)
    return list(choose_independent(np.array(slopes).reshape(-1, state.q.size)))
