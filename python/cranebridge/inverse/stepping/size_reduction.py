"""Size reduction of servo problems, and the exact solution in minimal coordinates.

A coordinate map q = F(mu) (:mod:`cranebridge.twin.minimal`) reduces the equations of a crane with
its null-space matrix P = dF/dmu. That commutes with index reduction (thesis 5.1.4, Fig. 5.1):

    redundant, index 5  -- minimal extension -->  redundant, index 3
          |                                             |
     q = F(mu), P^T                                q = F(mu), P^T
          v                                             v
    minimal, index 5    -- minimal extension -->  minimal, index 3

`reduce_then_extend` and `extend_then_reduce` build the lower right corner on both ways.

In minimal coordinates the signature method finds index 3 and internal dynamics, both wrong: the
rows without inputs move the load only, M_0 = Lambda C with the output Jacobian C, so that their
accelerations are a combination of the servo constraints' ones. What remains after taking it out,

    z(mu, gamma'') = M_0 C^+ gamma'' - f_0(mu, 0) = 0,

determines mu together with s(mu) = gamma: the flat solution, which `solve_minimal` computes.
"""

from __future__ import annotations

import time as clock
from dataclasses import dataclass
from functools import cache

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError, StructureError
from cranebridge.inverse.extension import present
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1 import (
    follow_path,
    point_solver,
    require_smoothness,
    start_motion,
    structure_of,
)
from cranebridge.inverse.problem import ServoProblem
from cranebridge.inverse.stepping.index3 import extended_residual
from cranebridge.numerics import LINEAR_SOLVER
from cranebridge.twin import MINIMAL, Crane, Equations, ReducedCrane, equations_of_motion
from cranebridge.twin.language import Components, names

Array = NDArray[np.float64]

NEWTON_TOLERANCE = 1e-12
NEWTON_ITERATIONS = 30
# The equations that the solution does not use hold this well, relative to their terms.
RESIDUAL_LIMIT = 1e-9


@dataclass(frozen=True, eq=False)
class CoordinateMap:
    """The coordinate map of a reduced crane as functions.

    Attributes
    ----------
    base : casadi.Function
        ``(mu, nu, alpha, p) -> (q, v, a)``, with v = P nu and a = P alpha + P' nu.
    matrix : casadi.Function
        ``(mu, nu, p) -> (P, P' nu)``.
    """

    crane: ReducedCrane
    base: ca.Function
    matrix: ca.Function


@cache
def coordinate_map(crane: ReducedCrane) -> CoordinateMap:
    """Return the coordinate map of a reduced crane; made once for each class."""
    n, own = len(crane.coordinates), names(crane.coordinates)
    mu, nu, alpha = (ca.SX.sym(name, n) for name in ("mu", "nu", "alpha"))
    p = ca.SX.sym("p", len(crane.parameters))
    q = crane.base_coordinates(Components(own, mu), Components(names(crane.parameters), p))
    P = ca.jacobian(q, mu)
    v = P @ nu
    bias = ca.jtimes(v, mu, nu)
    return CoordinateMap(
        crane,
        ca.Function("base", [mu, nu, alpha, p], ca.cse([q, v, P @ alpha + bias])),
        ca.Function("matrix", [mu, nu, p], [P, bias]),
    )


def minimal_crane(crane: Crane) -> ReducedCrane:
    """Return a crane in minimal coordinates, or raise a StructureError where none is known."""
    if type(crane) in MINIMAL:
        return MINIMAL[type(crane)]()
    known = ", ".join(base.name for base in MINIMAL)
    raise StructureError(
        f"no minimal coordinates are known for crane '{crane.name}' (only for {known}); write a "
        "ReducedCrane with its coordinate map, or use redundant coordinates"
    )


def reduced_problem(problem: ServoProblem, crane: ReducedCrane) -> ServoProblem:
    """Return the servo problem of a reduced crane with the path and parameters of its base."""
    return ServoProblem(crane, problem.path, problem.parameters)


# ---------------------------------------------------------------------- the commutative diagram


def reduce_then_extend(crane: ReducedCrane) -> ca.Function:
    """Return the extended equations of the reduced crane's own Lagrangian."""
    return extended_residual(equations_of_motion(crane))


def extend_then_reduce(crane: ReducedCrane) -> ca.Function:
    """Return the base's extended equations, reduced: P^T (motion), q = F(mu) in the others.

    The signature is that of :func:`cranebridge.inverse.stepping.index3.extended_residual`.
    Multipliers of constraints that the map fulfils drop out, as G P = 0: any value serves for them.
    """
    base, own = equations_of_motion(crane.base), equations_of_motion(crane)
    n, m = base.q.numel(), base.lam.numel()
    functions = coordinate_map(crane)
    q, v, a = functions.base(own.q, own.v, own.a, own.p)
    P, _ = functions.matrix(own.q, own.v, own.p)
    multipliers, kept = names(crane.base.multipliers), names(crane.multipliers)
    lam = ca.SX.zeros(m)
    for i, name in enumerate(kept):
        lam[multipliers.index(name)] = own.lam[i]
    gammas, force = ca.SX.sym("gammas", own.outputs.numel(), 3), ca.SX.sym("scale")
    full = extended_residual(base)(ca.vertcat(q, v, a, lam, own.u), gammas, force, own.p)
    constraints = [full[n + multipliers.index(name)] for name in kept]
    reduced = ca.vertcat(P.T @ full[:n], *constraints, full[n + m :])
    unknowns = ca.vertcat(own.q, own.v, own.a, own.lam, own.u)
    return ca.Function("reduced", [unknowns, gammas, force, own.p], ca.cse([reduced]))


# ---------------------------------------------------------------------- states on both sides


def to_reduced(
    crane: ReducedCrane, problem: ServoProblem, q: Array, v: Array, a: Array
) -> tuple[Array, Array, Array]:
    """Return (mu, nu, alpha) of a motion of the base at one time."""
    values = dict(zip(names(crane.base.coordinates), q.tolist(), strict=True))
    found = crane.find(values, problem.parameters)
    mu = np.array([found[name] for name in names(crane.coordinates)])
    functions, p = coordinate_map(crane), problem.parameter_vector
    P = np.array(functions.matrix(mu, 0.0 * mu, p)[0])
    nu = np.linalg.lstsq(P, v, rcond=None)[0]
    bias = np.array(functions.matrix(mu, nu, p)[1])[:, 0]
    return mu, nu, np.linalg.lstsq(P, a - bias, rcond=None)[0]


def start_of(crane: ReducedCrane, problem: ServoProblem) -> dict[str, Array]:
    """Return the reduced crane's q, v, a, lambda and u at t = 0, from the base's flat solution."""
    base = ServoProblem(crane.base, problem.path, problem.parameters)
    motion = start_motion(base, point_solver(base, "never"))
    mu, nu, alpha = to_reduced(crane, base, motion["q"], motion["v"], motion["a"])
    multipliers = names(crane.base.multipliers)
    kept = [multipliers.index(name) for name in names(crane.multipliers)]
    return {"q": mu, "v": nu, "a": alpha, "lambda": motion["lambda"][kept], "u": motion["u"]}


@dataclass(frozen=True, eq=False)
class BaseMotion:
    """A motion in the base's coordinates, rows for times."""

    q: Array
    v: Array
    a: Array
    lam: Array
    ropes: Array


def to_base(
    crane: ReducedCrane, problem: ServoProblem, mu: Array, nu: Array, alpha: Array, u: Array
) -> BaseMotion:
    """Return a reduced motion in the base's coordinates, with multipliers and rope forces.

    The multipliers are what the equations of motion leave: G^T lambda = f + B^T u - M a, as many
    equations as coordinates, of which the reduced equations made the superfluous ones true.
    """
    p, count = problem.parameter_vector, len(mu)
    columns = ca.repmat(ca.DM(p), 1, count)
    moved = coordinate_map(crane).base.map(count)(mu.T, nu.T, alpha.T, columns)
    q, v, a = (np.array(part).T for part in moved)
    model = equations_of_motion(crane.base)
    rest = model.force + model.input_matrix @ model.u - model.mass_matrix @ model.a
    forces = ca.Function(
        "forces",
        [model.q, model.v, model.a, model.u, model.p],
        [ca.densify(rest), ca.densify(model.constraint_jacobian.T)],
    )
    left, G = forces.map(count)(q.T, v.T, a.T, u.T, columns)
    n, m = model.q.numel(), model.lam.numel()
    directions = np.array(G).reshape(n, count, m).transpose(1, 0, 2)
    lam = (np.linalg.pinv(directions) @ np.array(left).T[:, :, None])[:, :, 0]
    ropes = model.rope_function(q.T, v.T, a.T, lam.T, u.T, p)
    return BaseMotion(q, v, a, lam, np.array(ropes).T.reshape(count, -1))


# ---------------------------------------------------------------------- exact, minimal


@dataclass(frozen=True, eq=False)
class FlatMinimal:
    """The flat solution in minimal coordinates as functions of one time.

    Attributes
    ----------
    follow : casadi.Function
        ``(mu, gammas, p) -> mu``: Newton's method from the mu before; `gammas` has a column for
        each order 0 to 4.
    finish : casadi.Function
        ``(mu, gammas, p) -> (nu, alpha, u, residual)``; the residual is that of outputs and of
        all equations of motion, divided by their terms.
    """

    follow: ca.Function
    finish: ca.Function


@cache
def flat_minimal(crane: ReducedCrane) -> FlatMinimal:
    """Build the flat solution of a crane in minimal coordinates; made once for each class.

    Raises
    ------
    StructureError
        If rows without inputs do more than move the outputs.
    """
    m = equations_of_motion(crane)
    n, a = m.q.numel(), m.outputs.numel()
    driven = [i for i in range(n) if m.input_matrix[i, :].nnz()]
    free = [i for i in range(n) if i not in driven]
    C = ca.jacobian(m.outputs, m.q)
    M_0 = m.mass_matrix[free, :]
    combination = ca.solve(C @ C.T, C @ M_0.T).T  # Lambda = M_0 C^+
    remaining = present(M_0 - combination @ C, [m.q, m.p], 1e-9)
    if m.lam.numel() or len(driven) != a or remaining.any():
        raise StructureError(
            f"crane '{crane.name}': the equations of motion without inputs do not follow from the "
            "outputs' accelerations alone, so that minimal coordinates give no algebraic solution"
        )
    g = ca.SX.sym("gammas", a, 5)
    f_0 = ca.substitute(m.force[free], m.v, ca.SX.zeros(n))
    z = (combination @ g[:, 2] - f_0) / ca.diag(m.mass_matrix)[free]
    R = ca.vertcat(m.outputs - g[:, 0], z)
    return FlatMinimal(_newton(m, g, R), _finish(m, g, R, driven))


def _newton(m: Equations, g: ca.SX, R: ca.SX) -> ca.Function:
    """Return Newton's method on R(mu, gamma, gamma'') = 0 as ``(mu, gammas, p) -> mu``."""
    system = ca.Function("R", [m.q, ca.vertcat(ca.vec(g), m.p)], [R, ca.jacobian(R, m.q)])
    solver = ca.rootfinder(
        "newton",
        "newton",
        system,
        {
            "abstol": NEWTON_TOLERANCE,
            "max_iter": NEWTON_ITERATIONS,
            "linear_solver": LINEAR_SOLVER,
            "error_on_fail": False,
        },
    )
    mu, gammas, p = (ca.MX.sym("x", *symbol.shape) for symbol in (m.q, g, m.p))
    known = ca.vertcat(ca.vec(gammas), p)
    found = solver(mu, known)[0]
    value, jacobian = system(found, known)  # one more step takes the tolerance to rounding
    return ca.Function(
        "follow", [mu, gammas, p], [found - ca.solve(jacobian, value, LINEAR_SOLVER)]
    )


def _finish(m: Equations, g: ca.SX, R: ca.SX, driven: list[int]) -> ca.Function:
    """Return velocities and accelerations by differentiating R, then inputs and residuals."""
    now = ca.vertcat(m.q, m.v, ca.vec(g[:, :-1]))
    rate = ca.vertcat(m.v, m.a, ca.vec(g[:, 1:]))
    jacobian, zero = ca.jacobian(R, m.q), ca.SX.zeros(m.q.shape)
    first = ca.jtimes(R, now, rate)
    second = ca.jtimes(first, now, rate)
    nu = -ca.solve(jacobian, ca.substitute(first, m.v, zero))
    alpha = ca.substitute(-ca.solve(jacobian, ca.substitute(second, m.a, zero)), m.v, nu)
    u = ca.solve(m.input_matrix[driven, :], (m.mass_matrix @ m.a - m.force)[driven])
    terms = m.mass_matrix @ m.a
    motion = terms - m.force - m.input_matrix @ m.u
    size = ca.sum1(ca.fabs(terms) + ca.fabs(m.force))
    residual = ca.vertcat(R[: g.shape[0]], motion / size)
    state = [m.q, m.v, m.a, m.u, g, m.p]
    inputs = ca.Function("inputs", [m.q, m.v, m.a, m.p], [u])(m.q, nu, alpha, m.p)
    values = ca.Function("residual", state, [residual])(m.q, nu, alpha, inputs, g, m.p)
    return ca.Function("finish", [m.q, g, m.p], ca.cse([nu, alpha, inputs, values]))


def solve_minimal(problem: ServoProblem, times: Array) -> Feedforward:
    """Solve a servo problem exactly in minimal coordinates; the result is in the crane's own.

    Parameters
    ----------
    problem : ServoProblem
        Of a crane with known minimal coordinates (`MINIMAL`).
    times : numpy.ndarray
        Increasing times from 0 to the path's duration.
    """
    started = clock.perf_counter()
    crane = minimal_crane(problem.crane)
    require_smoothness(problem, structure_of(problem))
    # Newton's method from time to time can jump over a singular point without noticing it.
    follow_path(problem, point_solver(problem, "never"))
    functions, p, count = flat_minimal(crane), problem.parameter_vector, times.size
    gammas = problem.path.derivatives(times, 4).transpose(1, 2, 0).reshape(-1, 5 * count)
    columns = ca.repmat(ca.DM(p), 1, count)
    start = start_of(crane, problem)["q"]
    mu = functions.follow.mapaccum(count)(start, gammas, columns)
    found = functions.finish.map(count)(mu, gammas, columns)
    nu, alpha, u, residual = (np.array(part).T for part in found)
    bad = ~(np.abs(residual).max(axis=1) <= RESIDUAL_LIMIT)
    if bad.any():
        raise SolutionError(
            f"no solution in minimal coordinates at t = {times[int(np.argmax(bad))]:.6g} s: "
            "Newton's method fails or the coordinates are singular there"
        )
    motion = to_base(crane, problem, np.array(mu).T, nu, alpha, u)
    rows = (
        *(f"servo {name}" for name in names(crane.outputs)),
        *(f"motion {name}" for name in names(crane.coordinates)),
    )
    return Feedforward(
        problem=problem,
        method="minimal",
        order=0,
        time=times,
        gamma=problem.path(times).T,
        q=motion.q,
        v=motion.v,
        a=motion.a,
        u=u,
        lam=motion.lam,
        ropes=motion.ropes,
        residual=dict(zip(rows, np.abs(residual).max(axis=0).tolist(), strict=True)),
        seconds=clock.perf_counter() - started,
    )
