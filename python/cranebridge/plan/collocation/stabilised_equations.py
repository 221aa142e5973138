"""The equations of a crane in the form that Gear, Gupta and Leimkuhler stabilised.

All conditions h(q) = 0 on the coordinates (constraints, and conditions of massless parts) hold
together with their rates; a second multiplier eta makes room for that:

    q' = v + W^-1 H^T eta,   motion(q, v, v', lambda, u) = 0,   h(q) = 0,   H(q) v = 0.

In the exact solution eta is zero. W are the masses at the start: so weighed, eta moves no centre of
mass, as no force of a constraint does, and an optimiser cannot use the small eta of a coarse mesh
to be faster than the drives allow. The index is 2 instead of 3, so that methods of Radau keep their
order in q and v (2 d - 1 for d stages). Without conditions it is the plain ODE.

References
----------
C. W. Gear, B. Leimkuhler, G. K. Gupta, Automatic integration of Euler-Lagrange equations with
constraints, J. Comput. Appl. Math. 12-13 (1985) 77-90.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.forward import CraneDynamics, crane_dynamics
from cranebridge.twin import Crane, Equations

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StabilisedEquations:
    """The stabilised equations.

    Attributes
    ----------
    dynamics : CraneDynamics
        The forward dynamics that they belong to.
    conditions : int
        Number of conditions h, and so of the multipliers eta.
    residual : casadi.Function
        ``(q, v, q', v', lambda, eta, u, p, W) -> r``: kinematics (n), motion without the rows that
        are conditions, h, H v; as many as there are q, v, lambda and eta.
    """

    dynamics: CraneDynamics
    conditions: int
    residual: ca.Function

    @property
    def model(self) -> Equations:
        """The equations of motion."""
        return self.dynamics.model

    @property
    def size(self) -> int:
        """The number of coordinates."""
        return int(self.model.q.numel())

    @property
    def multipliers(self) -> int:
        """The number of multipliers lambda."""
        return int(self.model.lam.numel())

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return int(self.model.u.numel())

    def independent(self, q: Array, p: Array) -> list[int]:
        """Return coordinates that determine the others near q, as well conditioned as can be."""
        if not self.conditions:
            return list(range(self.size))
        from scipy.linalg import null_space, qr

        H = np.array(self.dynamics.manifold(q, p)[1])
        free = null_space(H / np.maximum(np.abs(H).max(axis=1, keepdims=True), 1e-300))
        order = qr(free.T, pivoting=True, mode="r")[1]
        return sorted(int(i) for i in order[: free.shape[1]])

    def masses(self, q: Array, p: Array) -> Array:
        """Return the mass of each coordinate at q; of one that has none the largest."""
        model = self.model
        mass = ca.Function("mass", [model.q, model.p], [ca.diag(model.mass_matrix)])
        diagonal = np.abs(np.array(mass(q, p))[:, 0])
        return np.where(diagonal > 1e-9 * diagonal.max(), diagonal, diagonal.max())

    def row_sizes(self, q: Array, p: Array) -> Array:
        """Return what the rows of `residual` are divided by: masses, and gradients of h."""
        offsets, masses = self.dynamics.equation_offsets, self.masses(q, p)
        motion = [masses[i] for i in range(self.size) if offsets[i] == 0]
        gradients = np.abs(np.array(self.dynamics.manifold(q, p)[1])).max(axis=1, initial=0.0)
        gradients = np.where(gradients > 0.0, gradients, 1.0)
        return np.concatenate([np.ones(self.size), motion, gradients, gradients])


@cache
def stabilise(crane: Crane) -> StabilisedEquations:
    """Return the stabilised equations of a crane; made once for each class.

    Raises
    ------
    StructureError
        If the inputs do not determine the motion.
    """
    dynamics = crane_dynamics(crane)
    model = dynamics.model
    rows = [i for i in range(model.q.numel()) if dynamics.equation_offsets[i] == 0]
    h, H = dynamics.manifold(model.q, model.p)
    q_rate, W = (ca.SX.sym(name, model.q.numel()) for name in ("q_rate", "W"))
    eta = ca.SX.sym("eta", h.numel())
    # CasADi makes a row of a scalar that is indexed.
    motion = ca.vertcat(*(model.motion[i] for i in rows))
    found = ca.vertcat(q_rate - model.v - (H.T @ eta) / W, motion, h, H @ model.v)
    arguments = [model.q, model.v, q_rate, model.a, model.lam, eta, model.u, model.p, W]
    residual = ca.Function("stabilised", arguments, [ca.densify(found)])
    return StabilisedEquations(dynamics, int(h.numel()), residual)
