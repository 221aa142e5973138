"""How far a drive travels along a motion: the integral of the velocity that its power has.

The power of input i is u_i b_i(q)^T v, so its drive moves with b_i^T v. Where b_i is constant (a
trolley, a winch, a slewing drive) the travel is b_i^T q. Elsewhere (a cylinder, a drive on
redundant coordinates) the velocity is integrated by Gauss' rule between the times of a scan;
between them the travel is a quintic with its exact velocity and acceleration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.kernels import MappedFunctions
from cranebridge.inverse.piecewise import Piecewise, hermite
from cranebridge.inverse.sampling import solved_at
from cranebridge.twin import Crane, equations_of_motion

Array = NDArray[np.float64]

# Nodes and weights of Gauss' rule of order 6 on [0, 1].
_GAUSS = 0.5 + 0.5 * np.sqrt(0.6) * np.array([-1.0, 0.0, 1.0])
_WEIGHTS = np.array([5.0, 8.0, 5.0]) / 18.0


@dataclass(frozen=True, eq=False)
class DriveTravel:
    """How far a drive travels, and how fast.

    Attributes
    ----------
    rates : callable
        Returns its velocity, acceleration and jerk from those of the crane: a row for each.
    row : numpy.ndarray or None
        Its travel is this row times the coordinates, where that is so.
    integrated : Piecewise or None
        Else its travel over time.
    """

    rates: Callable[[Array, Array, Array, Array], Array]
    row: Array | None = None
    integrated: Piecewise | None = None

    def at(self, times: Array, q: Array, v: Array, a: Array, jerk: Array) -> Array:
        """Return travel, velocity, acceleration and jerk at times of the motion, a row for each."""
        return np.vstack([self.place(times, q), self.rates(q, v, a, jerk)])

    def place(self, times: Array, q: Array) -> Array:
        """Return the travel at times of the motion."""
        if self.integrated is not None:
            return np.asarray(self.integrated(times)[:, 0])
        assert self.row is not None
        return np.asarray(q @ self.row)


def drive_travel(solution: Feedforward, column: int, times: Array) -> DriveTravel:
    """Return how an input's drive travels along a solution.

    Parameters
    ----------
    solution : Feedforward
        The motion, exact at any time.
    column : int
        Of the input.
    times : numpy.ndarray
        Between which the motion is smooth.
    """
    problem = solution.problem
    row = constant_row(problem.crane, problem.parameter_vector, column)
    if row is not None:
        return DriveTravel(lambda _q, *moving: np.array([part @ row for part in moving]), row)
    functions, p = _rate_functions(problem.crane, column), problem.parameter_vector

    def rates(q: Array, v: Array, a: Array, jerk: Array) -> Array:
        (found,) = functions("rates", q, v, a, jerk, p)
        return np.asarray(found.T)

    def speeds(at: Array) -> Array:
        nodes = solved_at(solution, at).nodes
        assert nodes is not None
        grid = nodes.grid
        return rates(nodes.q[grid], nodes.v[grid], nodes.a[grid], nodes.jerk[grid])

    h = np.diff(times)
    inner = speeds((times[:-1, None] + h[:, None] * _GAUSS).ravel())[0].reshape(h.size, 3)
    x = np.append(0.0, np.cumsum(h * (inner @ _WEIGHTS)))[:, None]
    v, a = (part[:, None] for part in speeds(times)[:2])
    quintic = hermite(times, (x[:-1], v[:-1], a[:-1]), (x[1:], v[1:], a[1:]))
    return DriveTravel(rates, integrated=quintic)


def constant_row(crane: Crane, parameters: Array, column: int) -> Array | None:
    """Return the row that makes a drive's velocity of the crane's; None if it is not constant."""
    model = equations_of_motion(crane)
    row = model.input_matrix[:, column].T
    moving = ca.vertcat(model.q, model.v)
    if ca.depends_on(row, moving):
        return None
    return np.array(_row_function(crane, column)(parameters), dtype=float).ravel()


@lru_cache(maxsize=64)
def _row_function(crane: Crane, column: int) -> ca.Function:
    model = equations_of_motion(crane)
    row = model.input_matrix[:, column].T
    return ca.Function("b", [model.p], [ca.densify(row)])


@lru_cache(maxsize=64)
def _rate_functions(crane: Crane, column: int) -> MappedFunctions:
    """Return ``(q, v, a, jerk, p) -> velocity, acceleration, jerk`` of a drive."""
    model = equations_of_motion(crane)
    jerk = ca.SX.sym("jerk", model.q.numel())
    state = ca.vertcat(model.q, model.v, model.a)
    moving = ca.vertcat(model.v, model.a, jerk)
    first = model.input_matrix[:, column].T @ model.v
    second = ca.jtimes(first, state, moving)
    third = ca.jtimes(second, state, moving)
    found = ca.densify(ca.vertcat(first, second, third))
    function = ca.Function("rates", [model.q, model.v, model.a, jerk, model.p], [found])
    return MappedFunctions((function,), "never")
