"""Rest positions of a crane along a path: where it would be at rest if the path were, too."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.inverse.extension import residuals, unknowns
from cranebridge.inverse.problem import ServoProblem
from cranebridge.twin import Equations

Array = NDArray[np.float64]

# The path is followed through this many rest positions.
TIMES = 401
NEWTON_STEPS = 50
NEWTON_TOLERANCE = 1e-12
# What is left of an equation, relative to the terms in it.
BALANCED = 1e-9


@dataclass(frozen=True, eq=False)
class RestPath:
    """Rest positions along a path.

    Attributes
    ----------
    time : numpy.ndarray
        From 0 to the path's duration.
    x : numpy.ndarray
        Coordinates, multipliers and inputs, a row for each time.
    """

    time: Array
    x: Array

    def __call__(self, times: Array) -> Array:
        """Return the rest positions at other times, between lines."""
        return np.column_stack([np.interp(times, self.time, column) for column in self.x.T])


def rest_path(problem: ServoProblem, model: Equations) -> RestPath:
    """Find the rest positions of a crane along its path.

    Raises
    ------
    SolutionError
        If the crane cannot be at rest somewhere on the path.
    """
    gamma = ca.SX.sym("gamma", model.outputs.numel())
    x, moving = unknowns(model), ca.vertcat(model.v, model.a)
    equations = ca.substitute(residuals(model, gamma), moving, ca.SX.zeros(moving.shape))
    jacobian = ca.jacobian(equations, x)
    scale = ca.fabs(jacobian) @ ca.fabs(x)
    balance = ca.Function("balance", [x, gamma, model.p], [equations, jacobian, scale])
    times = np.linspace(0.0, problem.path.duration, TIMES)
    outputs, p = problem.path(times).T, problem.parameter_vector
    found = np.empty((TIMES, x.numel()))
    guess = _start(problem, model)
    for row, wanted in enumerate(outputs):
        guess = found[row] = _newton(balance, guess, wanted, p, times[row])
    return RestPath(times, found)


def _start(problem: ServoProblem, model: Equations) -> Array:
    """Return the crane's own rest position, with multipliers and inputs in static balance."""
    q = problem.start_coordinates()
    # what moves as prescribed has no balance
    rows = [row for row in range(model.q.numel()) if row not in model.motions]
    columns = ca.horzcat(model.constraint_jacobian.T, -model.input_matrix)
    forces = ca.Function(
        "forces", [model.q, model.v, model.p], [model.force[rows], columns[rows, :]]
    )
    found = forces(q, np.zeros(q.size), problem.parameter_vector)
    force, directions = (np.array(part) for part in found)
    balance = np.linalg.lstsq(directions, force[:, 0], rcond=None)[0]
    return np.concatenate([q, balance])


def _newton(balance: ca.Function, x: Array, gamma: Array, p: Array, time: float) -> Array:
    """Solve for a rest position; where it is not the only one, take one that is near.

    Steps are solved in scaled unknowns, because metres and newtons do not compare.
    """
    for _ in range(NEWTON_STEPS):
        rest, jacobian, scale = (np.array(part) for part in balance(x, gamma, p))
        if not (np.isfinite(rest).all() and np.isfinite(jacobian).all()):
            break
        sizes = 1.0 + np.abs(x)
        rows = np.maximum(np.abs(jacobian * sizes).max(axis=1), np.finfo(float).tiny)
        scaled = jacobian * sizes / rows[:, None]
        step = sizes * np.linalg.lstsq(scaled, -rest[:, 0] / rows, rcond=1e-12)[0]
        x = x + step
        if np.abs(step / sizes).max() <= NEWTON_TOLERANCE:
            break
    rest, _, scale = (np.array(part)[:, 0] for part in balance(x, gamma, p))
    if not (np.abs(rest) <= BALANCED * (1.0 + scale)).all():
        raise SolutionError(
            f"the crane cannot stand still where the path is at t = {time:.4g} s: no rest position "
            "is found there, and internal dynamics are told by it; start and goal must be positions"
            " of rest, and rest() must give a position near the first of them"
        )
    return x
