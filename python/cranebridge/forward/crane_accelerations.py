"""Forward dynamics of any crane: accelerations and multipliers from (q, v, u), and projection.

With the inputs given, the equations of a crane are a square DAE in q and lambda:

    equations of motion (n),  g(q) = 0 (m).

Pryce's signature method says which of them must be differentiated: the constraints twice, and so
must the conditions of massless parts that contain coordinates only; these act as constraints
without a multiplier. What comes out is linear in the accelerations and multipliers,

    A(q) (a, lambda) = b(q, v, u),

and holds on the manifold h(q) = 0, H(q) v = 0 of all equations that were differentiated. The matrix
A is regular also for a singular mass matrix, as long as the motions that carry no mass are
determined.

References
----------
E. Eich, Convergence results for a coordinate projection method applied to mechanical systems with
algebraic constraints, SIAM J. Numer. Anal. 30 (1993) 1467-1482.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError, StructureError
from cranebridge.inverse.extension import present
from cranebridge.structure import offsets, transversal
from cranebridge.twin import Crane, Equations, equations_of_motion
from cranebridge.twin.language import names

Array = NDArray[np.float64]

PROJECTION_STEPS = 20
PROJECTION_TOLERANCE = 1e-13


@dataclass(frozen=True, eq=False)
class CraneDynamics:
    """The forward dynamics of a crane.

    Attributes
    ----------
    model : Equations
        The equations that it was made from.
    equation_offsets : tuple of int
        How often each equation (motion, then constraints) is differentiated: 0 or 2.
    dimension : int
        Number of free initial values, twice the dynamic degrees of freedom.
    accelerations : casadi.Function
        ``(q, v, u, p) -> (a, lam)``.
    manifold : casadi.Function
        ``(q, p) -> (h, H)``: constraints and conditions that contain coordinates only.
    system : casadi.Function
        ``(q, v, u, p) -> (A, b)``, of which the condition tells how far a singularity is.
    outputs, ropes, energy : casadi.Function
        ``(q, p) -> s``, ``(q, v, a, lam, u, p) -> rope forces``, ``(q, v, p) -> T + V``.
    """

    model: Equations
    equation_offsets: tuple[int, ...]
    dimension: int
    accelerations: ca.Function
    manifold: ca.Function
    system: ca.Function
    outputs: ca.Function
    ropes: ca.Function
    energy: ca.Function


@cache
def crane_dynamics(crane: Crane) -> CraneDynamics:
    """Return the forward dynamics of a crane; made once for each class.

    Raises
    ------
    StructureError
        If the inputs do not determine the motion, or if the accelerations depend on the inputs'
        derivatives.
    """
    model = equations_of_motion(crane)
    c, d = forward_offsets(model)
    _require_mechanical(model, c, d)
    return _build(model, c, int(d.sum() - c.sum()))


def _require_mechanical(model: Equations, c: NDArray[np.int_], d: NDArray[np.int_]) -> None:
    """Raise a StructureError unless the highest derivatives of all coordinates are the second."""
    n, coordinates = model.q.numel(), names(model.crane.coordinates)
    if set(c.tolist()) <= {0, 2} and (d[:n] == 2).all() and not d[n:].any():
        return
    wrong = [f"{name} ({order})" for name, order in zip(coordinates, d[:n], strict=True)]
    raise StructureError(
        f"crane '{model.crane.name}' has no accelerations as a function of its state and inputs: "
        f"the highest derivatives that its equations need are {', '.join(wrong)}; each must be 2"
    )


def forward_offsets(model: Equations) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Return Pryce's offsets of the equations and of (q, lambda), the inputs being given."""
    equations = ca.vertcat(model.motion, model.constraints)
    arguments = [model.q, model.v, model.a, model.lam, model.u, model.p]
    n, size = model.q.numel(), equations.numel()
    sigma = np.full((size, size), -np.inf)
    for order, symbol in enumerate((model.q, model.v, model.a)):
        sigma[:, :n][present(ca.jacobian(equations, symbol), arguments)] = order
    sigma[:, n:][present(ca.jacobian(equations, model.lam), arguments)] = 0
    found = offsets(sigma)
    if found is None:
        raise StructureError(
            f"the forward dynamics of crane '{model.crane.name}' is structurally singular: its "
            "inputs do not determine its motion"
        )
    return _with_accelerations(sigma, *found, n)


def _with_accelerations(
    sigma: Array, c: NDArray[np.int_], d: NDArray[np.int_], n: int
) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Return offsets with which coordinates have accelerations that no equation asks for.

    Where conditions alone determine a coordinate whose motion moves nothing (that of a copy), or
    moves only a damper (the stretch of a rope), they are differentiated as the others are: offsets
    need not be the smallest ones.
    """
    less = np.zeros(d.size, dtype=d.dtype)
    less[:n] = np.maximum(2 - d[:n], 0)
    c_more, d_more = c + less[transversal(sigma)], d + less
    return (c_more, d_more) if (np.subtract.outer(-c_more, -d_more) >= sigma).all() else (c, d)


def _build(model: Equations, c: NDArray[np.int_], dimension: int) -> CraneDynamics:
    equations = ca.vertcat(model.motion, model.constraints)
    algebraic = np.flatnonzero(c == 2).tolist()
    # CasADi makes a row of nothing from a scalar: a crane of one coordinate has no constraints.
    h = equations[algebraic] if algebraic else ca.SX(0, 1)
    rate = ca.jtimes(h, model.q, model.v)
    change = ca.jtimes(rate, model.q, model.v) + ca.jtimes(h, model.q, model.a)
    differentiated = ca.SX(equations)
    if algebraic:
        differentiated[algebraic] = change
    unknown = ca.vertcat(model.a, model.lam)
    A = ca.jacobian(differentiated, unknown)
    if ca.depends_on(A, unknown):
        raise StructureError(
            f"crane '{model.crane.name}': the conditions of massless parts must be linear in the "
            "multipliers"
        )
    b = -ca.substitute(differentiated, unknown, ca.SX.zeros(unknown.shape))
    state = [model.q, model.v, model.u, model.p]
    system = ca.Function("system", state, ca.cse([A, b]), ["q", "v", "u", "p"], ["A", "b"])
    symbols = [ca.MX.sym(name, *symbol.shape) for name, symbol in zip("qvup", state, strict=True)]
    A_, b_ = system(*symbols)
    # csparse, unlike qr, also tells of a singular matrix when it is called through a buffer.
    solved = ca.solve(A_, b_, "csparse")
    n = model.q.numel()
    accelerations = ca.Function(
        "accelerations", symbols, [solved[:n], solved[n:]], ["q", "v", "u", "p"], ["a", "lam"]
    )
    return CraneDynamics(
        model=model,
        equation_offsets=tuple(int(offset) for offset in c),
        dimension=dimension,
        accelerations=accelerations,
        manifold=ca.Function("manifold", [model.q, model.p], [h, ca.jacobian(h, model.q)]),
        system=system,
        outputs=ca.Function("outputs", [model.q, model.p], [model.outputs]),
        ropes=model.rope_function,
        energy=ca.Function("energy", [model.q, model.v, model.p], [model.energy]),
    )


def project(dynamics: CraneDynamics, q: Array, v: Array, p: Array) -> tuple[Array, Array]:
    """Return the nearest consistent state: h(q) = 0 by Gauss-Newton steps, then H(q) v = 0.

    Spencer 2004, (3.10)-(3.11): dq = -H^+ h, v = v - H^+ H v with the pseudo-inverse.

    Raises
    ------
    SolutionError
        If the constraints cannot be met from here.
    """
    return project_onto(lambda x: dynamics.manifold.call([x, p]), q, v)


def project_rows(dynamics: CraneDynamics, q: Array, v: Array, p: Array) -> tuple[Array, Array]:
    """Return the nearest consistent states, a row each, as :func:`project` finds one of them.

    Raises
    ------
    SolutionError
        If the constraints cannot be met from one of them.
    """
    q, last, done = np.array(q, dtype=float), np.full(len(q), np.inf), np.zeros(len(q), dtype=bool)
    for _ in range(PROJECTION_STEPS):
        h, H = _manifold_rows(dynamics, q, p)
        if not h.size:
            return q, np.array(v, dtype=float)
        if not (np.isfinite(h).all() and np.isfinite(H).all()):
            break
        dq = _nearest(H, h)
        step, size = np.abs(dq).max(axis=1), 1.0 + np.abs(q).max(axis=1)
        q = q - dq
        # rows that are done take further steps with the others, which are rounding
        done |= (step <= PROJECTION_TOLERANCE * size) | ((step < 1e-9) & (step >= last))
        if done.all():
            H = _manifold_rows(dynamics, q, p)[1]
            return q, v - _nearest(H, np.einsum("kij,kj->ki", H, v))
        last = step
    raise SolutionError("no consistent coordinates near one of the given states")


def _manifold_rows(dynamics: CraneDynamics, q: Array, p: Array) -> tuple[Array, Array]:
    """Return h and H for each row."""
    h, H = (np.array(part) for part in dynamics.manifold(q.T, p))
    return h.T, H.reshape(len(H), *q.shape).transpose(1, 0, 2)


def _nearest(H: Array, missing: Array) -> Array:
    """Return the smallest changes that H takes to what is missing, row by row."""
    rounding = max(H.shape[1:]) * float(np.finfo(float).eps)
    return np.asarray(np.einsum("kij,kj->ki", np.linalg.pinv(H, rcond=rounding), missing))


def project_onto(
    manifold: Callable[[Array], Sequence[Any]], q: Array, v: Array
) -> tuple[Array, Array]:
    """Project (q, v) onto h(q) = 0, H(q) v = 0, `manifold` giving h and H."""
    q = np.array(q, dtype=float)
    step = np.inf
    for _ in range(PROJECTION_STEPS):
        h, H = (np.array(part) for part in manifold(q))
        if not h.size:
            return q, np.array(v, dtype=float)
        if not (np.isfinite(h).all() and np.isfinite(H).all()):
            break
        dq = np.linalg.lstsq(H, h[:, 0], rcond=None)[0]
        last, step = step, float(np.abs(dq).max())
        q = q - dq
        # Newton ends in rounding: a step that no longer shrinks is as good as it gets.
        if step <= PROJECTION_TOLERANCE * (1.0 + np.abs(q).max()) or (step < 1e-9 and step >= last):
            H = np.array(manifold(q)[1])
            return q, v - np.linalg.lstsq(H, H @ v, rcond=None)[0]
    raise SolutionError(
        f"no consistent coordinates near the given ones: the last correction was {step:.2g}"
    )
