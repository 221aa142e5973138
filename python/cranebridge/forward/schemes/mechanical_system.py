"""What a constrained mechanical system is: energies, other forces and constraints.

    M(q) q'' = f(q, q', u) - G(q)^T lambda,   g(q) = 0,

with f from the Lagrangian by differentiation, as for a crane
(:mod:`cranebridge.twin.language.lagrange`). Numbers are in the expressions; only coordinates,
velocities and inputs are symbols.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, runtime_checkable

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import StructureError
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.language import Components, Expressions, names

Array = NDArray[np.float64]


def _nothing() -> ca.SX:
    return ca.SX(0, 1)


@runtime_checkable
class HasBranches(Protocol):
    """A crane with joint angles as coordinates, which have a wrong branch."""

    def branches(self, q: Components) -> Expressions:
        """Return expressions that are positive on the right branch."""


@dataclass(frozen=True, eq=False)
class MechanicalSystem:
    """A mechanical system with holonomic constraints.

    Attributes
    ----------
    name : str
        What it is called in messages.
    q, v, u : casadi.SX
        The symbols of coordinates, velocities and inputs (given functions of time).
    kinetic, potential : casadi.SX
        T(q, v) and V(q) in J. For a conserving scheme V and g are to be written in invariants (a
        distance squared, a product of directors): see
        :mod:`cranebridge.forward.schemes.discrete_gradients`.
    force : casadi.SX
        Generalised forces Q(q, v, u) that no energy describes.
    constraints : casadi.SX
        g(q).
    momenta : casadi.SX
        Momentum maps J(q, v) that should be conserved, for the record.
    alignments : casadi.SX
        Expressions of q that are positive as long as joint angles are on their right branch.
    independent : tuple of int
        Coordinates that parametrise the motion, for reduced schemes; chosen by them if empty.
    """

    name: str
    q: ca.SX
    v: ca.SX
    kinetic: ca.SX
    potential: ca.SX
    constraints: ca.SX = field(default_factory=_nothing)
    u: ca.SX = field(default_factory=_nothing)
    force: ca.SX | None = None
    momenta: ca.SX = field(default_factory=_nothing)
    alignments: ca.SX = field(default_factory=_nothing)
    independent: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return int(self.q.numel())

    @property
    def constraint_count(self) -> int:
        """Number of constraints."""
        return int(self.constraints.numel())

    @cached_property
    def mass_matrix(self) -> ca.SX:
        """M(q)."""
        return ca.hessian(self.kinetic, self.v)[0]

    @cached_property
    def constant_mass(self) -> bool:
        """Whether M is constant, as in rotationless coordinates."""
        return not ca.depends_on(self.mass_matrix, self.q)

    @cached_property
    def jacobian(self) -> ca.SX:
        """G(q) = dg/dq."""
        return ca.jacobian(self.constraints, self.q)

    @cached_property
    def other_force(self) -> ca.SX:
        """Q(q, v, u), zero where none is given."""
        return ca.SX.zeros(self.size) if self.force is None else self.force

    @cached_property
    def total_force(self) -> ca.SX:
        """f = dT/dq - (dp/dq) v - dV/dq + Q."""
        momentum = ca.gradient(self.kinetic, self.v)
        inertia = ca.gradient(self.kinetic, self.q) - ca.jtimes(momentum, self.q, self.v)
        return inertia - ca.gradient(self.potential, self.q) + self.other_force

    @cached_property
    def terms(self) -> ca.Function:
        """``(q, v, u) -> (M, f, g, G, gamma)``, with gamma = (d(G v)/dq) v."""
        change = ca.jtimes(ca.jtimes(self.constraints, self.q, self.v), self.q, self.v)
        return ca.Function(
            "terms",
            [self.q, self.v, self.u],
            ca.cse([self.mass_matrix, self.total_force, self.constraints, self.jacobian, change]),
        )

    @cached_property
    def observed(self) -> ca.Function:
        """``(q, v) -> (T + V, J, g, G v, alignments)``."""
        rate = ca.jtimes(self.constraints, self.q, self.v)
        energy = self.kinetic + self.potential
        return ca.Function(
            "observed",
            [self.q, self.v],
            [energy, self.momenta, self.constraints, rate, self.alignments],
        )

    def accelerations(self, q: Array, v: Array, u: Array) -> tuple[Array, Array]:
        """Return a and lambda from the equations of motion and the twice differentiated g."""
        M, f, _, G, gamma = (np.array(part) for part in self.terms(q, v, u))
        m = self.constraint_count
        A = np.block([[M, G.T], [G, np.zeros((m, m))]])
        solution = np.linalg.solve(A, np.concatenate([f[:, 0], -gamma[:, 0]]))
        return solution[: self.size], solution[self.size :]


def system_of_crane(
    crane: Crane, parameters: Mapping[str, object] | None = None
) -> MechanicalSystem:
    """Return a crane as a mechanical system, with its inputs as given functions of time.

    Raises
    ------
    StructureError
        If the crane states conditions for massless parts itself: these are not of this form, and
        `simulate_twin` is to be used.
    """
    model = equations_of_motion(crane)
    if model.massless:
        raise StructureError(
            f"crane '{crane.name}' states conditions for massless parts in place of their equations"
            " of motion: it is no system M q'' = f - G^T lambda; use simulate_twin"
        )
    values = crane.parameter_values(parameters)
    p = ca.DM([values[name] for name in names(crane.parameters)])
    coordinates = names(crane.coordinates)
    q_, v_ = Components(coordinates, model.q), Components(coordinates, model.v)
    p_ = Components(names(crane.parameters), ca.SX(p))
    other = crane.other_forces(q_, v_, p_)
    force = ca.vertcat(*(other.get(name, 0.0) for name in coordinates))
    branches: dict[str, ca.SX] = dict(crane.branches(q_)) if isinstance(crane, HasBranches) else {}
    return MechanicalSystem(
        name=crane.name,
        q=model.q,
        v=model.v,
        u=model.u,
        kinetic=ca.SX(crane.kinetic_energy(q_, v_, p_)),
        potential=ca.SX(crane.potential_energy(q_, p_)),
        force=force + ca.substitute(model.input_matrix, model.p, ca.SX(p)) @ model.u,
        constraints=ca.substitute(model.constraints, model.p, ca.SX(p)),
        alignments=ca.vertcat(_nothing(), *branches.values()),
    )
