"""What happens when an integrator is applied directly to a crane's servo constraints.

The servo constraints s(q_1) = gamma(t_1) are appended to a step and the controls are unknowns of
it, as for a fully actuated machine (Uhlar 2009, 5.128). A crane's are not of that kind: the problem
has index 5, and the energy-momentum scheme, with nothing in it that damps the sequence (-1)^n,
gives controls that diverge like 1/h while its coordinates converge. Implicit Euler survives.
This is for the study; `solve` offers index-reduced methods only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.errors import unknown
from cranebridge.forward.schemes import (
    MechanicalSystem,
    Scheme,
    conserving_terms,
    require_constant_mass,
    run,
    scales,
    symbols,
    system_of_crane,
)
from cranebridge.path import Path
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.language import names

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DirectServo:
    """Controls of a scheme with appended servo constraints.

    Attributes
    ----------
    time : numpy.ndarray
        Ends of the steps.
    at : numpy.ndarray
        Times that the controls belong to: the middle or the end of a step.
    q, u : numpy.ndarray
        Coordinates at `time` and controls at `at`.
    """

    method: str
    time: Array
    at: Array
    q: Array
    u: Array


def direct_servo(
    crane: Crane,
    parameters: Mapping[str, object] | None,
    path: Path,
    q0: ArrayLike,
    step: float,
    method: str = "energy-momentum",
) -> DirectServo:
    """Apply a scheme directly to the servo problem of a crane, from rest at `q0`.

    Parameters
    ----------
    crane, parameters, path
        The servo problem; the crane with a constant mass matrix and no conditions of its own.
    q0 : array_like
        Consistent coordinates at rest at the path's start.
    step : float
        Time step in s.
    method : {"energy-momentum", "implicit-euler"}
        The scheme.
    """
    if method not in ("energy-momentum", "implicit-euler"):
        raise unknown("scheme of the study", method, ("energy-momentum", "implicit-euler"))
    system = system_of_crane(crane, parameters)
    values = crane.parameter_values(parameters)
    p = ca.SX(ca.DM([values[name] for name in names(crane.parameters)]))
    model = equations_of_motion(crane)
    outputs = ca.substitute(ca.substitute(model.outputs, model.q, system.q), model.p, p)
    start = np.asarray(q0, float)
    scheme = _scheme(system, outputs, start, method)
    times = np.linspace(0.0, path.duration, round(path.duration / step) + 1)
    motion = run(scheme, start, np.zeros(start.size), times, lambda t: path(t)[:, 0])
    middle = 0.5 if method == "energy-momentum" else 1.0
    return DirectServo(
        method=method,
        time=motion.time[1:],
        at=motion.time[:-1] + middle * np.diff(motion.time),
        q=motion.q[1:],
        u=motion.lam[:, system.constraint_count :],
    )


def _scheme(system: MechanicalSystem, outputs: ca.SX, q0: Array, method: str) -> Scheme:
    require_constant_mass(system, "direct servo")
    n, m, a, scale = system.size, system.constraint_count, system.u.numel(), scales(system, q0)
    gamma = ca.SX.sym("gamma", a)
    state, q_0, v_0, memory, h = symbols(system, m + a)
    z = ca.SX.sym("z", n + m + a)
    q_1, mu, w = ca.vertsplit(z, [0, n, n + m, n + m + a])
    conserving = method == "energy-momentum"
    v_1 = 2 * (q_1 - q_0) / h - v_0 if conserving else (q_1 - q_0) / h
    multipliers = ca.vertcat(mu, w) * scale.mass / h**2
    at_end = ca.Function(
        "terms",
        [system.q, system.v, system.u],
        [system.total_force, system.jacobian, system.constraints, outputs],
    )
    f, G, g, s = at_end(q_1, v_1, multipliers[m:])
    if conserving:
        force, jacobian = conserving_terms(system)
        f = ca.substitute(force(q_0, q_1, (q_1 - q_0) / h), system.u, multipliers[m:])
        G = jacobian(q_0, q_1)
    inertia = (2 if conserving else 1) * system.mass_matrix @ (q_1 - q_0 - h * v_0)
    motion = (inertia - h**2 * f + G.T @ mu * scale.mass) / scale.rows
    arguments = [z, state, gamma, h]
    guess = ca.vertcat(q_0 + h * v_0, memory * h**2 / scale.mass)

    def natural(step: float) -> tuple[Array, Array]:
        rows = np.concatenate([scale.row_values / step, np.ones(m + a)])
        return rows, np.concatenate([np.ones(n), np.full(m + a, step**2 / scale.mass)])

    return Scheme(
        system=replace(system, u=gamma, force=None),
        name=f"{method} with servo constraints",
        order=2 if conserving else 1,
        input_point=1.0,
        residual=ca.Function("residual", arguments, [ca.vertcat(motion, g, s - gamma)]),
        guess=ca.Function("guess", [state, h], [guess]),
        following=ca.Function(
            "following", arguments, [ca.vertcat(q_1, v_1, multipliers), multipliers]
        ),
        start=lambda q, v, u: np.concatenate([q, v, _static(system, q)]),
        natural=natural,
    )


def _static(system: MechanicalSystem, q: Array) -> Array:
    """Return the multipliers and controls that hold the crane at rest.

    Where the ropes carry nothing the equations are singular: Newton's method must not start there.
    """
    directions = ca.jacobian(system.other_force, system.u)
    terms = ca.Function(
        "terms",
        [system.q, system.v, system.u],
        [system.total_force, ca.horzcat(system.jacobian.T, -directions)],
    )
    force, columns = (np.array(part) for part in terms(q, 0.0 * q, np.zeros(system.u.numel())))
    return np.asarray(np.linalg.lstsq(columns, force[:, 0], rcond=None)[0], dtype=float)
