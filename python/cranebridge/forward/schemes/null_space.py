"""The null-space reduced energy-momentum scheme.

    P(q_0, q_1)^T (M (v_1 - v_0) - h Q + h DV(q_0, q_1)) = 0,    q_1 = F(q_0, y)

with a discrete null-space matrix, G(q_0, q_1) P(q_0, q_1) = 0, and a parametrisation F of the
constraint manifold (Uhlar 2009, 3.24-3.27). As many equations as degrees of freedom, the same
motion as the full scheme, and an iteration matrix whose condition does not depend on the step.

Both maps can be given where they are known in closed form (joints of rotationless bodies); else
they follow from independent coordinates: P by variable reduction of the discrete Jacobian
(5.102)-(5.104), F by Newton's method on the constraints.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from cranebridge.forward.schemes.energy_momentum import conserving_terms, require_constant_mass
from cranebridge.forward.schemes.mechanical_system import MechanicalSystem
from cranebridge.forward.schemes.scheme import Array, Scheme, scales, symbols
from cranebridge.numerics import LINEAR_SOLVER
from cranebridge.twin.bodies import DirectorBody, LowerPair


@dataclass(frozen=True, eq=False)
class Reduction:
    """A discrete null-space matrix and a parametrisation of the constraint manifold.

    Attributes
    ----------
    matrix : casadi.Function
        ``(q_0, q_1) -> P`` with G(q_0, q_1) P = 0.
    update : casadi.Function
        ``(q_0, predicted q_1, y) -> q_1`` on the manifold; the prediction is where an iteration
        starts.
    guess : casadi.Function
        ``(q_0, predicted q_1) -> y``.
    """

    matrix: ca.Function
    update: ca.Function
    guess: ca.Function


def independent_coordinates(system: MechanicalSystem, q0: ArrayLike) -> tuple[int, ...]:
    """Return the coordinates that parametrise best near q0: no pivots of a pivoted QR of G."""
    if system.independent:
        return system.independent
    m = system.constraint_count
    if m == 0:
        return tuple(range(system.size))
    G = ca.Function("G", [system.q], [system.jacobian])
    from scipy.linalg import qr

    pivots = qr(np.array(G(np.asarray(q0, float))), pivoting=True, mode="r")[1]
    return tuple(sorted(int(i) for i in pivots[m:]))


def variable_reduction(system: MechanicalSystem, q0: ArrayLike) -> Reduction:
    """Return P = [I; -G_D^-1 G_I] and q_D from g = 0, for independent coordinates I."""
    n, m = system.size, system.constraint_count
    inner = list(independent_coordinates(system, q0))
    outer = [i for i in range(n) if i not in inner]
    # Rows of the identity in the order (independent, dependent), to undo the partition.
    order = np.argsort([*inner, *outer]).tolist()
    first, second = ca.SX.sym("q_0", n), ca.SX.sym("q_1", n)
    discrete = ca.Function("G", [first, second], [conserving_terms(system)[1](first, second)])
    a, b, y = ca.MX.sym("q_0", n), ca.MX.sym("q_1", n), ca.MX.sym("y", n - m)
    G = discrete(a, b)
    if m:
        lower = -ca.solve(G[:, outer], G[:, inner], LINEAR_SOLVER)
        P = ca.vertcat(ca.MX.eye(n - m), lower)[order, :]
        dependent = _dependent(system, inner, outer)(b[outer], y)
        q_1 = ca.vertcat(y, dependent)[order]
    else:
        P, q_1 = ca.MX.eye(n), y[order]
    return Reduction(
        matrix=ca.Function("P", [a, b], [P]),
        update=ca.Function("F", [a, b, y], [q_1]),
        guess=ca.Function("y", [a, b], [b[inner]]),
    )


def joint_reduction(joint: LowerPair) -> Reduction:
    """Return the closed forms for two free bodies and a joint (Uhlar 2009, Section 4.2)."""
    size = 6 + joint.freedoms
    q_0, q_1, y = ca.SX.sym("q_0", 24), ca.SX.sym("q_1", 24), ca.SX.sym("y", size)
    middle = (q_0 + q_1) / 2
    moved = joint.move(DirectorBody.of(q_0[:12]), DirectorBody.of(q_0[12:]), y)
    P = joint.null_space(DirectorBody.of(middle[:12]), DirectorBody.of(middle[12:]))
    return Reduction(
        matrix=ca.Function("P", [q_0, q_1], [P]),
        update=ca.Function("F", [q_0, q_1, y], [ca.vertcat(moved[0].vector, moved[1].vector)]),
        guess=ca.Function("y", [q_0, q_1], [ca.SX.zeros(size)]),
    )


def _dependent(system: MechanicalSystem, inner: list[int], outer: list[int]) -> ca.Function:
    """Return Newton's method for the dependent coordinates."""
    own = ca.vertsplit(system.q)
    x, y = ca.vertcat(*(own[i] for i in outer)), ca.vertcat(*(own[i] for i in inner))
    g = ca.Function("g", [x, y], [system.constraints, ca.jacobian(system.constraints, x)])
    newton = ca.rootfinder(
        "newton",
        "newton",
        g,
        {"abstol": 1e-12, "max_iter": 40, "linear_solver": LINEAR_SOLVER, "error_on_fail": False},
    )
    guess, own_y = ca.MX.sym("x", x.numel()), ca.MX.sym("y", y.numel())
    found = newton(guess, own_y)[0]
    value, matrix = g(found, own_y)  # one more step takes the tolerance to rounding
    return ca.Function(
        "dependent", [guess, own_y], [found - ca.solve(matrix, value, LINEAR_SOLVER)]
    )


def null_space_scheme(
    system: MechanicalSystem, q0: ArrayLike, reduction: Reduction | None = None
) -> Scheme:
    """Build a step of the reduced scheme.

    Parameters
    ----------
    system : MechanicalSystem
        With a constant mass matrix.
    q0 : array_like
        A configuration: it tells the scale of the masses, and where the partition is made.
    reduction : Reduction, optional
        Null-space matrix and parametrisation in closed form.
    """
    require_constant_mass(system, "null-space reduced")
    reduce = reduction or variable_reduction(system, q0)
    n, m, scale = system.size, system.constraint_count, scales(system, q0)
    unreduced = _unreduced(system)
    state, u, h = ca.MX.sym("state", 2 * n), ca.MX.sym("u", *system.u.shape), ca.MX.sym("h")
    y = ca.MX.sym("y", n - m)
    q_0, v_0 = state[:n], state[n:]
    predicted = q_0 + h * v_0
    q_1 = reduce.update(q_0, predicted, y)
    P = reduce.matrix(q_0, q_1)
    residual = P.T @ unreduced(q_0, v_0, q_1, u, h) / scale.mass
    v_1 = 2 * (q_1 - q_0) / h - v_0

    def natural(step: float) -> tuple[Array, Array]:
        return np.full(n - m, scale.mass / step), np.ones(n - m)

    def start(q: Array, v: Array, inputs: Array) -> Array:
        return np.concatenate([q, v])

    return Scheme(
        system=system,
        name="null-space",
        order=2,
        input_point=0.5,
        residual=ca.Function("residual", [y, state, u, h], [residual]),
        guess=ca.Function("guess", [state, h], [reduce.guess(q_0, predicted)]),
        following=ca.Function("following", [y, state, u, h], [ca.vertcat(q_1, v_1), ca.MX(0, 1)]),
        start=start,
        natural=natural,
    )


def _unreduced(system: MechanicalSystem) -> ca.Function:
    """Return h (M (v_1 - v_0) - h f): what P projects; no multipliers in it."""
    state, q_0, v_0, _, h = symbols(system, 0)
    q_1 = ca.SX.sym("q_1", system.size)
    force, _ = conserving_terms(system)
    change = 2 * system.mass_matrix @ (q_1 - q_0 - h * v_0)
    value = change - h**2 * force(q_0, q_1, (q_1 - q_0) / h)
    full = ca.Function("full", [state, q_1, system.u, h], ca.cse([value]))
    a, b, c = (ca.MX.sym(name, system.size) for name in ("q_0", "v_0", "q_1"))
    u, step = ca.MX.sym("u", *system.u.shape), ca.MX.sym("h")
    return ca.Function("unreduced", [a, b, c, u, step], [full(ca.vertcat(a, b), c, u, step)])
