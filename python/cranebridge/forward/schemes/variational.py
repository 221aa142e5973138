"""The variational integrator of the mid-point discrete Lagrangian, in position-momentum form.

With L_d(q_0, q_1) = h L((q_0 + q_1)/2, (q_1 - q_0)/h) and the momentum p = dT/dv,

    p_0 = -D_1 L_d - h Q/2 + (h/2) G(q_0)^T lambda_0,        g(q_1) = 0,
    p_1 =  D_2 L_d + h Q/2 - (h/2) G(q_1)^T lambda_1,        G(q_1) v_1 = 0

(Uhlar 2009, 2.13-2.18, and thesis 3.35 with its signs corrected; the second line is the momentum
projection of RATTLE). Second order, symplectic: it conserves momenta exactly, and the energy error
stays bounded.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from cranebridge.forward.schemes.mechanical_system import MechanicalSystem
from cranebridge.forward.schemes.scheme import Array, Scheme, scales, symbols


def variational_scheme(system: MechanicalSystem, q0: ArrayLike) -> Scheme:
    """Build a step of the variational integrator; `q0` tells the scale of the masses."""
    n, m, scale = system.size, system.constraint_count, scales(system, q0)
    state, q_0, v_0, lam_0, h = symbols(system, m)
    z = ca.SX.sym("z", 2 * (n + m))
    q_1, mu_0, w_1, mu_1 = ca.vertsplit(z, [0, n, n + m, 2 * n + m, 2 * (n + m)])
    v_1 = w_1 / h
    L = ca.Function("L", [system.q, system.v], [system.kinetic - system.potential])
    discrete = h * L((q_0 + q_1) / 2, (q_1 - q_0) / h)
    Q = ca.Function("Q", [system.q, system.v, system.u], [system.other_force])
    half = h / 2 * Q((q_0 + q_1) / 2, (q_1 - q_0) / h, system.u)
    momentum = ca.Function("p", [system.q, system.v], [ca.gradient(system.kinetic, system.v)])
    manifold = ca.Function("g", [system.q], [system.constraints, system.jacobian])
    g, G_1 = manifold(q_1)
    _, G_0 = manifold(q_0)
    leaving = momentum(q_0, v_0) + ca.gradient(discrete, q_0) + half
    arriving = ca.gradient(discrete, q_1) + half - momentum(q_1, v_1)
    equations = ca.vertcat(
        (-h * leaving + G_0.T @ mu_0 * scale.mass) / scale.rows,
        g,
        (-h * arriving + G_1.T @ mu_1 * scale.mass) / scale.rows,
        G_1 @ w_1,
    )
    lam = mu_1 * 2 * scale.mass / h**2
    arguments = [z, state, system.u, h]
    mu = lam_0 * h**2 / (2 * scale.mass)

    def natural(step: float) -> tuple[Array, Array]:
        rows = np.concatenate([scale.row_values / step, np.ones(m)])
        columns = np.concatenate([np.ones(n), np.full(m, step**2 / (2 * scale.mass))])
        return np.tile(rows, 2), np.tile(columns, 2)

    def start(q: Array, v: Array, u: Array) -> Array:
        return np.concatenate([q, v, np.zeros(m)])

    return Scheme(
        system=system,
        name="variational",
        order=2,
        input_point=0.5,
        residual=ca.Function("residual", arguments, ca.cse([equations])),
        guess=ca.Function("guess", [state, h], [ca.vertcat(q_0 + h * v_0, mu, h * v_0, mu)]),
        following=ca.Function("following", arguments, [ca.vertcat(q_1, v_1, lam), lam]),
        start=start,
        natural=natural,
    )
