"""Implicit Euler on the index-3 form.

    q_1 = q_0 + h v_1,   M(q_1)(v_1 - v_0) = h f(q_1, v_1) - h G(q_1)^T lambda,   g(q_1) = 0

First order; it takes energy and angular momentum out of the system.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from cranebridge.forward.schemes.mechanical_system import MechanicalSystem
from cranebridge.forward.schemes.scheme import Array, Scheme, scales, symbols


def implicit_euler_scheme(system: MechanicalSystem, q0: ArrayLike) -> Scheme:
    """Build a step of implicit Euler; `q0` tells the scale of the masses."""
    n, m, scale = system.size, system.constraint_count, scales(system, q0)
    state, q_0, v_0, lam_0, h = symbols(system, m)
    z = ca.SX.sym("z", n + m)
    q_1, mu = ca.vertsplit(z, [0, n, n + m])
    v_1 = (q_1 - q_0) / h
    terms = ca.Function(
        "terms",
        [system.q, system.v, system.u],
        [system.mass_matrix, system.total_force, system.constraints, system.jacobian],
    )
    M, f, g, G = terms(q_1, v_1, system.u)
    motion = (M @ (q_1 - q_0 - h * v_0) - h**2 * f + G.T @ mu * scale.mass) / scale.rows
    lam = mu * scale.mass / h**2
    arguments = [z, state, system.u, h]

    def natural(step: float) -> tuple[Array, Array]:
        rows = np.concatenate([scale.row_values / step, np.ones(m)])
        return rows, np.concatenate([np.ones(n), np.full(m, step**2 / scale.mass)])

    def start(q: Array, v: Array, u: Array) -> Array:
        return np.concatenate([q, v, np.zeros(m)])

    return Scheme(
        system=system,
        name="implicit-euler",
        order=1,
        input_point=1.0,
        residual=ca.Function("residual", arguments, ca.cse([ca.vertcat(motion, g)])),
        guess=ca.Function(
            "guess", [state, h], [ca.vertcat(q_0 + h * v_0, lam_0 * h**2 / scale.mass)]
        ),
        following=ca.Function("following", arguments, [ca.vertcat(q_1, v_1, lam), lam]),
        start=start,
        natural=natural,
    )
