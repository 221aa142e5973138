"""The mid-point type rule for constrained systems.

    q_1 - q_0 = h (v_0 + v_1)/2,   M (v_1 - v_0) = h f(q_mid, v_mid) - h G(q_mid)^T lambda,
    g(q_1) = 0

(thesis 2.89 and 3.26; second order). It conserves momenta that are at most quadratic, and energy
for a quadratic potential only.
"""

from __future__ import annotations

import casadi as ca
from numpy.typing import ArrayLike

from cranebridge.forward.schemes.energy_momentum import mean_value_scheme
from cranebridge.forward.schemes.mechanical_system import MechanicalSystem
from cranebridge.forward.schemes.scheme import Scheme


def midpoint_scheme(system: MechanicalSystem, q0: ArrayLike) -> Scheme:
    """Build a step of the mid-point rule; `q0` tells the scale of the masses.

    The mass matrix may depend on the coordinates: it is taken at the mid-point, too.
    """

    def force(first: ca.SX, second: ca.SX, v: ca.SX) -> ca.SX:
        f = ca.Function("f", [system.q, system.v, system.u], [system.total_force])
        return f((first + second) / 2, v, system.u)

    def jacobian(first: ca.SX, second: ca.SX) -> ca.SX:
        return ca.Function("G", [system.q], [system.jacobian])((first + second) / 2)

    return mean_value_scheme("midpoint", system, q0, force, jacobian)
