"""The generalized-alpha method for constrained systems.

    M(q_1) a_1 = f(q_1, v_1) - G(q_1)^T lambda,   g(q_1) = 0,
    (1 - alpha_m) b_1 + alpha_m b_0 = (1 - alpha_f) a_1 + alpha_f a_0,
    q_1 = q_0 + h v_0 + h^2 ((1/2 - beta) b_0 + beta b_1),
    v_1 = v_0 + h ((1 - gamma) b_0 + gamma b_1)

Second order, with high frequencies damped to the spectral radius rho at infinity.

References
----------
M. Arnold, O. Bruels, Convergence of the generalized-alpha scheme for constrained mechanical
systems, Multibody Syst. Dyn. 18 (2007) 185-202.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from cranebridge.forward.schemes.mechanical_system import MechanicalSystem
from cranebridge.forward.schemes.scheme import Array, Scheme, scales, symbols


def generalized_alpha_scheme(system: MechanicalSystem, q0: ArrayLike, rho: float = 0.8) -> Scheme:
    """Build a step; `q0` tells the scale of the masses, `rho` the damping (1 none, 0 most)."""
    alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 + alpha_f - alpha_m
    beta = 0.25 * (gamma + 0.5) ** 2
    n, m, scale = system.size, system.constraint_count, scales(system, q0)
    state, q_0, v_0, memory, h = symbols(system, 2 * n + m)
    a_0, b_0, lam_0 = ca.vertsplit(memory, [0, n, 2 * n, 2 * n + m])
    z = ca.SX.sym("z", n + m)
    # The position is the unknown, as in the other schemes; accelerations follow from it.
    q_1, mu = ca.vertsplit(z, [0, n, n + m])
    b_1 = ((q_1 - q_0 - h * v_0) / h**2 - (0.5 - beta) * b_0) / beta
    a_1 = ((1 - alpha_m) * b_1 + alpha_m * b_0 - alpha_f * a_0) / (1 - alpha_f)
    v_1 = v_0 + h * ((1 - gamma) * b_0 + gamma * b_1)
    terms = ca.Function(
        "terms",
        [system.q, system.v, system.u],
        [system.mass_matrix, system.total_force, system.constraints, system.jacobian],
    )
    M, f, g, G = terms(q_1, v_1, system.u)
    motion = (h**2 * (M @ a_1 - f) + G.T @ mu * scale.mass) / scale.rows
    lam = mu * scale.mass / h**2
    arguments = [z, state, system.u, h]
    guess = ca.vertcat(q_0 + h * v_0 + h**2 / 2 * b_0, lam_0 * h**2 / scale.mass)

    def natural(step: float) -> tuple[Array, Array]:
        rows = np.concatenate([scale.row_values / step**2, np.ones(m)])
        return rows, np.concatenate([np.ones(n), np.full(m, step**2 / scale.mass)])

    def start(q: Array, v: Array, u: Array) -> Array:
        a, multipliers = system.accelerations(q, v, u)
        return np.concatenate([q, v, a, a, multipliers])

    return Scheme(
        system=system,
        name="generalized-alpha",
        order=2,
        input_point=1.0,
        residual=ca.Function("residual", arguments, ca.cse([ca.vertcat(motion, g)])),
        guess=ca.Function("guess", [state, h], [guess]),
        following=ca.Function("following", arguments, [ca.vertcat(q_1, v_1, a_1, b_1, lam), lam]),
        start=start,
        natural=natural,
    )
