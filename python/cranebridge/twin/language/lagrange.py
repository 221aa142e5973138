"""Equations of motion of a crane from its Lagrangian, by automatic differentiation.

With the momentum p = dT/dv, Lagrange's equations with multipliers read

    M a + (dp/dq) v - dT/dq + dV/dq - Q - B^T u + G^T lambda = 0,    M = d^2 T / dv^2,

so that f = dT/dq - (dp/dq) v - dV/dq + Q. No sign is typed by hand in a crane's file. What is
prescribed over time has b'' = a_b in place of its row; the others have its velocity and
acceleration in them as they have those of any coordinate (`moving_base`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import casadi as ca

from cranebridge.errors import InputError, unknown
from cranebridge.twin.language.crane import Components, Crane, Expressions, names
from cranebridge.twin.language.moving_base import acceleration_of


@dataclass(frozen=True, eq=False)
class Equations:
    """The equations of a crane as CasADi expressions in the symbols that it also holds.

    Attributes
    ----------
    q, v, a, lam, u, p : casadi.SX
        Coordinates, velocities, accelerations, multipliers, inputs, parameters.
    motion : casadi.SX
        Residual of the equations of motion, in the order of the coordinates; rows of massless
        coordinates are the conditions that the crane states for them.
    mass_matrix, force, input_matrix : casadi.SX
        M (n x n), f (n) and B^T (n x inputs).
    constraints, constraint_jacobian : casadi.SX
        g (m) and G = dg/dq (m x n).
    outputs : casadi.SX
        s(q).
    ropes : casadi.SX
        Rope forces, positive where they pull; of coordinates and multipliers, or of the motion.
    energy : casadi.SX
        T + V.
    massless : tuple of int
        The rows of `motion` that the crane states itself.
    motions : tuple of int
        The rows of `motion` of what is prescribed over time: b'' - a_b, and no balance of forces.
    """

    crane: Crane
    q: ca.SX
    v: ca.SX
    a: ca.SX
    lam: ca.SX
    u: ca.SX
    p: ca.SX
    motion: ca.SX
    mass_matrix: ca.SX
    force: ca.SX
    input_matrix: ca.SX
    constraints: ca.SX
    constraint_jacobian: ca.SX
    outputs: ca.SX
    ropes: ca.SX
    energy: ca.SX
    massless: tuple[int, ...]
    motions: tuple[int, ...] = ()

    @property
    def rope_function(self) -> ca.Function:
        """Return ``(q, v, a, lam, u, p) -> rope forces``."""
        symbols = [self.q, self.v, self.a, self.lam, self.u, self.p]
        return ca.Function("ropes", symbols, [ca.densify(self.ropes)])


@lru_cache(maxsize=64)
def equations_of_motion(crane: Crane) -> Equations:
    """Derive the equations of motion of `crane`; once, for they depend on its class alone."""
    stated: Equations | None = crane.stated_equations()
    if stated is not None:
        return stated
    q, v, a = (ca.SX.sym(name, len(crane.coordinates)) for name in ("q", "v", "a"))
    lam = ca.SX.sym("lam", len(crane.multipliers))
    u = ca.SX.sym("u", len(crane.inputs))
    p = ca.SX.sym("p", len(crane.parameters))
    coordinates = names(crane.coordinates)
    q_, v_, a_ = (Components(coordinates, symbol) for symbol in (q, v, a))
    lam_ = Components(names(crane.multipliers), lam)
    u_, p_ = Components(names(crane.inputs), u), Components(names(crane.parameters), p)

    kinetic = ca.SX(crane.kinetic_energy(q_, v_, p_))
    potential = ca.SX(crane.potential_energy(q_, p_))
    power = ca.SX(crane.drive_power(q_, v_, u_, p_))
    other = _vector(crane, "other_forces", crane.other_forces(q_, v_, p_), coordinates, fill=True)
    g = _vector(crane, "constraints", crane.constraints(q_, p_), names(crane.multipliers))
    s = _vector(crane, "output_map", crane.output_map(q_, p_), names(crane.outputs))
    pulling = {
        **crane.rope_forces(q_, lam_, p_),
        **crane.rope_forces_in_motion(q_, v_, a_, u_, p_),
    }
    ropes = _vector(crane, "rope_forces", pulling, names(crane.ropes))

    momentum = ca.gradient(kinetic, v)
    M = ca.jacobian(momentum, v)
    B_transposed = ca.jacobian(ca.gradient(power, v), u)
    if ca.depends_on(B_transposed, ca.vertcat(u, v)):
        raise InputError(f"crane '{crane.name}': drive_power must be linear in u and in v")
    G = ca.jacobian(g, q)
    f = ca.gradient(kinetic, q) - ca.jtimes(momentum, q, v) - ca.gradient(potential, q) + other
    motion = M @ a - f - B_transposed @ u + G.T @ lam
    conditions = dict(crane.massless(q_, lam_, p_))
    for name, condition in conditions.items():
        if name not in coordinates:
            raise unknown(f"coordinate in massless() of crane '{crane.name}'", name, coordinates)
        motion[coordinates.index(name)] = condition
    prescribed = tuple(coordinates.index(quantity.name) for quantity in crane.motions)
    for row, quantity in zip(prescribed, crane.motions, strict=True):
        motion[row] = a[row] - u_[acceleration_of(quantity).name]
    return Equations(
        crane=crane,
        q=q,
        v=v,
        a=a,
        lam=lam,
        u=u,
        p=p,
        motion=ca.simplify(motion),
        mass_matrix=M,
        force=f,
        input_matrix=B_transposed,
        constraints=g,
        constraint_jacobian=G,
        outputs=s,
        ropes=ropes,
        energy=kinetic + potential,
        massless=tuple(sorted(coordinates.index(name) for name in conditions)),
        motions=prescribed,
    )


def _vector(
    crane: Crane, method: str, given: Expressions, wanted: Sequence[str], fill: bool = False
) -> ca.SX:
    """Stack named expressions in the declared order; all declared names and no others."""
    for name in given:
        if name not in wanted:
            raise unknown(f"name in {method}() of crane '{crane.name}'", name, wanted)
    missing = [name for name in wanted if name not in given]
    if missing and not fill:
        raise InputError(f"crane '{crane.name}': {method}() gives nothing for {', '.join(missing)}")
    rows: list[Any] = [given.get(name, 0.0) for name in wanted]
    return ca.vertcat(*rows) if rows else ca.SX(0, 1)
