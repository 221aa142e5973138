"""The cost of tracking as a function of the controls at the nodes, with its exact gradient.

Controls are linear between equidistant nodes, the cost is summed by the trapezoidal rule. A motion
is computed in one of two forms:

- *ode*: a crane in independent coordinates, x' = f(x, u), by the classical Runge-Kutta method;
- *constrained*: any crane, by the equations of Gear, Gupta and Leimkuhler
  (:mod:`cranebridge.plan.collocation.stabilised_equations`) and the method Radau IIA of order 5.

The gradient is that of the discrete cost: CasADi runs the steps backwards (the discrete adjoint),
through the solution of the nonlinear equations of a step, too. Divided by the weights of the
trapezoidal rule it is Kelley's and Bryson's H_u at the nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.forward import crane_dynamics
from cranebridge.numerics import LINEAR_SOLVER
from cranebridge.plan.collocation.radau_points import radau
from cranebridge.plan.collocation.stabilised_equations import stabilise
from cranebridge.plan.task import TrackingCost, equilibrium_state, still, tracking_costs
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.language import names

Array = NDArray[np.float64]
Form = Literal["ode", "constrained"]
"""Independent coordinates by the classical Runge-Kutta method, or dependent ones, stabilised, by
Radau IIA of order 5."""

_STAGES = 3
_NEWTON_TOLERANCE = 1e-12
_NEWTON_STEPS = 30
# Steps whose scaled equations hold worse than this did not converge: there is no motion.
_SOLVED = 1e-8


@dataclass(frozen=True, eq=False)
class Shooting:
    """A tracking problem in which the controls are all that is unknown.

    Controls are divided by their scales throughout, a row for each node.

    Attributes
    ----------
    time, weights : numpy.ndarray
        Nodes [s], and their weights in the trapezoidal rule [s].
    scales, rest : numpy.ndarray
        Scales of the inputs, and the inputs that hold the start.
    """

    form: Form
    time: Array
    weights: Array
    scales: Array
    rest: Array
    _cost: ca.Function
    _gradient: ca.Function
    _motion: ca.Function

    def hold(self) -> Array:
        """Return the scaled controls that hold the start."""
        return np.tile(self.rest / self.scales, (self.time.size, 1))

    def cost(self, controls: Array) -> float:
        """Return the cost; infinite where there is no motion."""
        value, left = (float(part) for part in self._cost(controls.T))
        return value if np.isfinite(value) and left <= _SOLVED else np.inf

    def gradient(self, controls: Array) -> Array:
        """Return the gradient of the cost, divided by the weights of the nodes."""
        return np.array(self._gradient(controls.T)).T / self.weights[:, None]

    def product(self, one: Array, other: Array) -> float:
        """Return the integral of the product of two functions of time."""
        return float(self.weights @ (one * other).sum(axis=1))

    def motion(self, controls: Array) -> Array:
        """Return coordinates and velocities, a row for each node."""
        return np.array(self._motion(controls.T)).T


def shoot(
    crane: Crane,
    parameters: Mapping[str, float],
    tracking: TrackingCost,
    steps: int = 300,
    form: Form | None = None,
) -> Shooting:
    """Make the cost of the controls, from rest at the begin of a path.

    Parameters
    ----------
    crane, parameters, tracking
        As for `track_by_collocation`; the end is free.
    steps : int
        Of equal length.
    form : {"ode", "constrained"}, optional
        The first where the crane's coordinates are independent.

    Raises
    ------
    InputError
        If the form does not suit the crane, or the end is not free.
    """
    chosen = _form(crane, tracking, steps, form)
    values = dict(parameters)
    p = np.array([values[name] for name in names(crane.parameters)])
    start = equilibrium_state(crane, values, tracking.start())
    goal = equilibrium_state(crane, values, tracking.goal())
    time = np.linspace(*tracking.window, steps + 1)
    h = (time[-1] - time[0]) / steps
    lam, rest = still(crane, start.q, p)
    state = np.concatenate([start.q, start.v])
    if chosen == "ode":
        step = _runge_kutta(crane, p, h)
    else:
        step, state = _radau_step(crane, p, h, start.q), np.concatenate([state, lam])
    weights = np.full(time.size, h)
    weights[[0, -1]] = 0.5 * h
    scales = np.array([tracking.scales.get(name, 1.0) for name in names(crane.inputs)])
    controls = ca.MX.sym("controls", scales.size, time.size)
    u = controls * ca.repmat(ca.DM(scales), 1, time.size)
    states, left = step.mapaccum(steps)(ca.DM(state), u[:, :-1], u[:, 1:])
    motion = ca.horzcat(ca.DM(state), states)[: 2 * start.q.size, :]
    costs = tracking_costs(tracking, equations_of_motion(crane), still(crane, goal.q, p)[1])
    references = np.concatenate(tracking.at(time))
    cost = _sum(costs, motion, u, references, p, weights)
    return Shooting(
        chosen,
        time,
        weights,
        scales,
        rest,
        ca.Function("cost", [controls], [cost, ca.mmax(left)]),
        ca.Function("gradient", [controls], [ca.gradient(cost, controls)]),
        ca.Function("motion", [controls], [motion]),
    )


def _form(crane: Crane, tracking: TrackingCost, steps: int, form: Form | None) -> Form:
    """Return the form that is wanted, or suits; raise an InputError if it does not."""
    if tracking.end != "free":
        raise InputError("the gradient method holds no end; leave it free and give it a weight")
    if steps < 1:
        raise InputError(f"the gradient method needs at least one step, got {steps}")
    conditions = stabilise(crane).conditions
    if form == "ode" and conditions:
        raise InputError(
            f"crane '{crane.name}' has {conditions} conditions on its coordinates; use "
            "form = 'constrained', or a crane in independent coordinates"
        )
    return form or ("constrained" if conditions else "ode")


def _sum(
    costs: tuple[ca.Function, ca.Function],
    motion: ca.MX,
    u: ca.MX,
    references: Array,
    p: Array,
    weights: Array,
) -> ca.MX:
    """Return the cost of all nodes and of the end."""
    n, count = motion.shape[0] // 2, motion.shape[1]
    q, v = motion[:n, :], motion[n:, :]
    many = ca.repmat(ca.DM(p), 1, count)
    stage = costs[0].map(count)(q, v, u, ca.DM(references), many)
    end = costs[1](q[:, -1], v[:, -1], u[:, -1], references[:, -1], p)
    return ca.dot(ca.DM(weights), stage.T) + end


def _runge_kutta(crane: Crane, p: Array, h: float) -> ca.Function:
    """Return one step of the classical method: ``(x, u at its begin, u at its end) -> (x, 0)``."""
    system = crane_dynamics(crane).system
    n, inputs = system.size1_in(0), system.size1_in(2)
    x, u0, u1 = ca.SX.sym("x", 2 * n), ca.SX.sym("u0", inputs), ca.SX.sym("u1", inputs)

    def rate(y: ca.SX, u: ca.SX) -> ca.SX:
        A, b = system(y[:n], y[n:], u, p)
        return ca.vertcat(y[n:], ca.solve(A, b))

    middle = 0.5 * (u0 + u1)
    k1 = rate(x, u0)
    k2 = rate(x + 0.5 * h * k1, middle)
    k3 = rate(x + 0.5 * h * k2, middle)
    k4 = rate(x + h * k3, u1)
    following = x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return ca.Function("step", [x, u0, u1], ca.cse([following, ca.SX(0)]))


def _radau_step(crane: Crane, p: Array, h: float, q0: Array) -> ca.Function:
    """Return one step of Radau IIA on the stabilised equations.

    ``((q, v, lambda), u at its begin, u at its end) -> ((q, v, lambda), largest residual)``; the
    multipliers are where Newton's method starts in the next step, no more.
    """
    eq, method = stabilise(crane), radau(_STAGES)
    n, m, k = eq.size, eq.multipliers, eq.conditions
    width = 2 * n + m + k
    x = ca.SX.sym("x", 2 * n + m)
    u0, u1 = ca.SX.sym("u0", eq.inputs), ca.SX.sym("u1", eq.inputs)
    z = ca.SX.sym("z", width * _STAGES)
    columns = ca.reshape(z, width, _STAGES)
    rates = ca.horzcat(x[: 2 * n], columns[: 2 * n, :]) @ ca.DM(method.slopes) / h
    sizes, masses = ca.DM(eq.row_sizes(q0, p)), eq.masses(q0, p)
    residuals = []
    for j, c in enumerate(method.points):
        q, v, lam, eta = ca.vertsplit(columns[:, j], [0, n, 2 * n, 2 * n + m, width])
        u = u0 + c * (u1 - u0)
        given = (q, v, rates[:n, j], rates[n:, j], lam, eta, u, p, masses)
        residuals.append(eq.residual(*given) / sizes)
    known = ca.vertcat(x, u0, u1)
    system = ca.Function("system", [z, known], ca.cse([ca.vertcat(*residuals)]))
    newton = ca.rootfinder(
        "newton",
        "newton",
        system,
        {
            "abstol": _NEWTON_TOLERANCE,
            "max_iter": _NEWTON_STEPS,
            "linear_solver": LINEAR_SOLVER,
            "error_on_fail": False,
        },
    )
    arguments = [ca.MX.sym("argument", *symbol.shape) for symbol in (x, u0, u1)]
    state = arguments[0]
    guesses = [
        ca.vertcat(state[:n] + c * h * state[n : 2 * n], state[n:], ca.DM.zeros(k))
        for c in method.points
    ]
    found = newton(ca.vertcat(*guesses), ca.vertcat(*arguments))
    left = ca.norm_inf(system(found, ca.vertcat(*arguments)))
    end = width * (_STAGES - 1)
    return ca.Function("step", arguments, [found[end : end + 2 * n + m], left])
