"""The energy-momentum scheme with discrete gradients.

    q_1 - q_0 = h (v_0 + v_1)/2
    M (v_1 - v_0) = h Q(q_mid, v_mid) - h DV(q_0, q_1) - h G(q_0, q_1)^T lambda
    g(q_1) = 0

(Uhlar 2009, 3.21-3.23; thesis 2.4). DV and the rows of G(q_0, q_1) are discrete gradients
(:mod:`cranebridge.forward.schemes.discrete_gradients`). Second order; conserves energy for any
step, and momentum maps that are at most quadratic. The condition of its iteration matrix grows like
h^-3.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from cranebridge.errors import StructureError
from cranebridge.forward.schemes.discrete_gradients import discrete_gradient
from cranebridge.forward.schemes.mechanical_system import MechanicalSystem
from cranebridge.forward.schemes.scheme import Array, Scheme, scales, symbols

Force = Callable[[ca.SX, ca.SX, ca.SX], ca.SX]
Jacobian = Callable[[ca.SX, ca.SX], ca.SX]


def energy_momentum_scheme(system: MechanicalSystem, q0: ArrayLike) -> Scheme:
    """Build a step of the energy-momentum scheme; `q0` tells the scale of the masses.

    Raises
    ------
    StructureError
        If the mass matrix depends on the coordinates.
    """
    require_constant_mass(system, "energy-momentum")
    force, jacobian = conserving_terms(system)
    return mean_value_scheme("energy-momentum", system, q0, force, jacobian)


def require_constant_mass(system: MechanicalSystem, method: str) -> None:
    """Raise a StructureError if M depends on q."""
    if not system.constant_mass:
        raise StructureError(
            f"the {method} scheme needs a constant mass matrix, that of '{system.name}' depends on "
            "the coordinates: use rotationless coordinates, or another scheme"
        )


def conserving_terms(system: MechanicalSystem) -> tuple[Force, Jacobian]:
    """Return Q(q_mid, v_mid) - DV(q_0, q_1) and G(q_0, q_1) as functions of both ends."""
    other = ca.Function("Q", [system.q, system.v, system.u], [system.other_force])

    def force(first: ca.SX, second: ca.SX, v: ca.SX) -> ca.SX:
        potential = discrete_gradient(system.potential, system.q, first, second)
        return other((first + second) / 2, v, system.u) - potential.T

    def jacobian(first: ca.SX, second: ca.SX) -> ca.SX:
        return discrete_gradient(system.constraints, system.q, first, second)

    return force, jacobian


def mean_value_scheme(
    name: str, system: MechanicalSystem, q0: ArrayLike, force: Force, jacobian: Jacobian
) -> Scheme:
    """Build a one-step scheme that knows the forces between q_0 and q_1 and their mean velocity."""
    n, m, scale = system.size, system.constraint_count, scales(system, q0)
    state, q_0, v_0, lam_0, h = symbols(system, m)
    z = ca.SX.sym("z", n + m)
    q_1, mu = ca.vertsplit(z, [0, n, n + m])
    mean = (q_1 - q_0) / h
    M = ca.Function("M", [system.q], [system.mass_matrix])((q_0 + q_1) / 2)
    inertia = 2 * M @ (q_1 - q_0 - h * v_0)
    push = jacobian(q_0, q_1).T @ mu * scale.mass
    motion = (inertia - h**2 * force(q_0, q_1, mean) + push) / scale.rows
    g = ca.Function("g", [system.q], [system.constraints])(q_1)
    lam = mu * scale.mass / h**2
    arguments = [z, state, system.u, h]
    v_1 = 2 * mean - v_0

    def natural(step: float) -> tuple[Array, Array]:
        rows = np.concatenate([scale.row_values / step, np.ones(m)])
        return rows, np.concatenate([np.ones(n), np.full(m, step**2 / scale.mass)])

    def start(q: Array, v: Array, u: Array) -> Array:
        return np.concatenate([q, v, np.zeros(m)])

    return Scheme(
        system=system,
        name=name,
        order=2,
        input_point=0.5,
        residual=ca.Function("residual", arguments, ca.cse([ca.vertcat(motion, g)])),
        guess=ca.Function(
            "guess", [state, h], [ca.vertcat(q_0 + h * v_0, lam_0 * h**2 / scale.mass)]
        ),
        following=ca.Function("following", arguments, [ca.vertcat(q_1, v_1, lam), lam]),
        start=start,
        natural=natural,
    )
