"""The projection method of Blajer and Kolodziejczyk (thesis Chapter 4, paper of 2011).

The equations of motion r = M a - f - B^T u + G^T lambda = 0 are not extended but split, into the
subspace that the servo constraints s(q) = gamma specify and the one that they leave free. With
C = ds/dq and a null-space matrix D, C D = 0 (thesis 4.30), there come in their place

    D^T r = 0,                                             tangential projection (4.33b)
    C M^-1 (f + B^T u - G^T lambda) + C' v - gamma'' = 0,  orthogonal projection (4.33c)

beside g(q) = 0 and s(q) = gamma: index 5 becomes 3, integrated as in
:mod:`cranebridge.inverse.stepping.index3`. Signs follow r above: thesis and paper write -B^T u for
the drives.

Three choices of coordinates:

* ``redundant``: the crane's own, as above.
* ``dependent``: D is orthogonal to the constraints too, (C; G) D = 0 (4.42), so that lambda leaves
  the tangential part; G M^-1 (f + B^T u - G^T lambda) + G' v = 0 (4.49) takes its place, and the
  derivatives of the load are those of the path (4.50).
* ``minimal``: the reduced crane of :mod:`cranebridge.twin.minimal`, where no G remains (4.23).

Unlike minimal extension, the redundant and minimal forms never use gamma': coordinates are exact
only where the orthogonal part does not depend on velocities (not so for CABLEV's platform).

M^-1 is needed only where C (and G) act: massless coordinates elsewhere do no harm.

References
----------
W. Blajer, K. Kolodziejczyk, Improved DAE formulation for inverse dynamics simulation of cranes,
Multibody Syst. Dyn. 25 (2011) 131-143, (15)-(21).
"""

from __future__ import annotations

import time as clock
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError, StructureError, unknown
from cranebridge.inverse.extension import Structure
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1 import follow_path, point_solver, require_smoothness, structure_of
from cranebridge.inverse.problem import ServoProblem
from cranebridge.inverse.stepping.index3 import (
    choose_dummies,
    feedforward_of,
    force_scale,
    initial_state,
    notes_on,
    require_converged,
    require_convergent,
)
from cranebridge.inverse.stepping.size_reduction import (
    minimal_crane,
    reduced_problem,
    start_of,
    to_base,
)
from cranebridge.inverse.stepping.time_steps import SCHEMES, Stepper, collocate, integrate
from cranebridge.progress import Progress, ignore_progress
from cranebridge.twin import Crane, Equations, ReducedCrane
from cranebridge.twin.language import names, require_no_motions

Array = NDArray[np.float64]

COORDINATES = ("redundant", "dependent", "minimal")
# A mass matrix of a worse condition, after scaling, counts as singular.
SINGULAR = 1e-12
# A null-space matrix whose factor of the Jacobian is worse than this along the path is none.
DEGENERATE = 1e-8


@dataclass(frozen=True)
class Split:
    """How a crane is projected: what its null-space matrix and its step depend on.

    Attributes
    ----------
    dependent : bool
        Whether the constraints are projected too.
    pivots : tuple of int
        Coordinates whose columns of the Jacobian are solved for (W of thesis 4.95).
    dummies : tuple of int
        Coordinates whose derivatives come from the path.
    """

    dependent: bool
    pivots: tuple[int, ...]
    dummies: tuple[int, ...]


def solve_projection(
    problem: ServoProblem,
    times: Array,
    scheme: str = "euler",
    coordinates: str = "redundant",
    progress: Progress = ignore_progress,
) -> Feedforward:
    """Integrate the projected servo problem.

    Parameters
    ----------
    problem : ServoProblem
        Crane, path and parameters.
    times : numpy.ndarray
        The steps, from 0 to the path's duration; they should meet the path's knots.
    scheme : {"euler", "radau5", "radau7"}
        Backward Euler, or Radau IIA with three or four stages.
    coordinates : {"redundant", "dependent", "minimal"}
        In which coordinates the projection is made; the result is in the crane's own.
    progress : callable, optional
        Called with the fraction done from time to time.

    Raises
    ------
    StructureError
        If the mass matrix is singular where the method divides by it, if no minimal coordinates
        are known, or if the path is not smooth enough.
    SolutionError
        If a step does not converge or the null-space matrix degenerates on the way.
    """
    require_no_motions(problem.crane, "the projection", 'set solve.method = "index1"')
    if coordinates not in COORDINATES:
        raise unknown("coordinates of the projection", coordinates, COORDINATES)
    if scheme not in SCHEMES:
        raise unknown("scheme", scheme, SCHEMES)
    if coordinates == "minimal":
        return _solve_minimal(problem, times, scheme, progress)
    return _solve(problem, times, scheme, coordinates == "dependent", progress)


def _solve(
    problem: ServoProblem,
    times: Array,
    scheme: str,
    dependent: bool,
    progress: Progress,
) -> Feedforward:
    started = clock.perf_counter()
    crane = problem.crane
    structure = structure_of(problem)
    require_smoothness(problem, structure)
    require_convergent(structure, SCHEMES[scheme])
    require_motion(structure.model)
    if structure.flat:
        follow_path(problem, point_solver(problem, "never"))
    start = _start(problem)
    n, p = structure.model.q.numel(), problem.parameter_vector
    q, scale = start[:n], force_scale(structure, start[:n], problem)
    split = choose_split(structure.model, q, p, dependent)
    require_masses(structure.model, q, p, dependent)
    stepper = projected_stepper(structure, scheme, split)
    z = integrate(stepper, problem, times, start, scale, progress)
    try:
        residual = require_converged(stepper, problem, times, z, scale)
    except SolutionError:
        # Rounding decides whether a step to where the matrix degenerates converges: that is the
        # cause. What follows may have any sign.
        known = np.isfinite(z).all(axis=1)
        _require_null_space(structure.model, split, z[known, :n], p, times[known], signs=False)
        raise
    _require_null_space(structure.model, split, z[:, :n], p, times)
    rows = residual_names(crane, split)
    return feedforward_of(
        stepper,
        problem,
        times,
        z,
        method=f"projection ({scheme}, {'dependent' if dependent else 'redundant'})",
        residual=dict(zip(rows, residual.max(axis=0).tolist(), strict=True)),
        notes=notes_on(structure),
        started=started,
    )


def _solve_minimal(
    problem: ServoProblem,
    times: Array,
    scheme: str,
    progress: Progress,
) -> Feedforward:
    """Solve in minimal coordinates and return the result in the crane's own."""
    started = clock.perf_counter()
    follow_path(problem, point_solver(problem, "never"))
    reduced = minimal_crane(problem.crane)
    found = _solve(reduced_problem(problem, reduced), times, scheme, False, progress)
    motion = to_base(reduced, problem, found.q, found.v, found.a, found.u)
    return replace(
        found,
        problem=problem,
        method=f"projection ({scheme}, minimal)",
        q=motion.q,
        v=motion.v,
        a=motion.a,
        lam=motion.lam,
        ropes=motion.ropes,
        seconds=clock.perf_counter() - started,
    )


def _start(problem: ServoProblem) -> Array:
    """Return q, v, a, lambda and u at t = 0."""
    if isinstance(problem.crane, ReducedCrane):
        start = start_of(problem.crane, problem)
        return np.concatenate([start[name] for name in ("q", "v", "a", "lambda", "u")])
    return np.concatenate(initial_state(problem, structure_of(problem)))


# ---------------------------------------------------------------------- the projected equations


@cache
def projected_stepper(structure: Structure, scheme: str, split: Split) -> Stepper:
    """Return the step function of a structure, a scheme and a split; made once for each."""
    residual = projected_residual(structure.model, split)
    return collocate(structure, SCHEMES[scheme], split.dummies, residual)


def projected_residual(model: Equations, split: Split) -> ca.Function:
    """Return the projected equations ``(q v a lambda u, gammas, force scale, p) -> r``."""
    unknowns = ca.vertcat(model.q, model.v, model.a, model.lam, model.u)
    gammas, force = ca.SX.sym("gammas", model.outputs.numel(), 3), ca.SX.sym("scale")
    C, G = ca.jacobian(model.outputs, model.q), model.constraint_jacobian
    D = null_space(_jacobian(model, split.dependent), split.pivots)
    applied = model.force + model.input_matrix @ model.u
    forces = applied - G.T @ model.lam
    # With (C; G) D = 0 the multipliers cancel: they are left out, as in (4.45).
    tangential = D.T @ (model.mass_matrix @ model.a - (applied if split.dependent else forces))
    rate = ca.jtimes(model.outputs, model.q, model.v)
    bias = ca.jtimes(rate, model.q, model.v)
    rows = [
        tangential / force,
        divide_by_mass(model, C) @ forces + bias - gammas[:, 2],
    ]
    if split.dependent:
        bending = ca.jtimes(ca.jtimes(model.constraints, model.q, model.v), model.q, model.v)
        rows.append(divide_by_mass(model, G) @ forces + bending)
    rows += [model.constraints, model.outputs - gammas[:, 0]]
    if split.dummies:
        change = ca.jtimes(model.outputs, model.q, model.a) + bias
        rows += [rate - gammas[:, 1], change - gammas[:, 2]]
    return ca.Function("projected", [unknowns, gammas, force, model.p], ca.cse([ca.vertcat(*rows)]))


def residual_names(crane: Crane, split: Split) -> tuple[str, ...]:
    """Return the names of the rows of `projected_residual`."""
    outputs, multipliers = names(crane.outputs), names(crane.multipliers)
    free = len(crane.coordinates) - len(split.pivots)
    rows = [f"tangential {i + 1}" for i in range(free)]
    rows += [f"orthogonal {name}" for name in outputs]
    if split.dependent:
        rows += [f"orthogonal {name}" for name in multipliers]
    rows += [f"constraint {name}" for name in multipliers]
    rows += [f"servo {name}" for name in outputs]
    if split.dummies:
        rows += [f"{name} {order}" for order in ("rate", "acceleration") for name in outputs]
    return tuple(rows)


def _jacobian(model: Equations, dependent: bool) -> ca.SX:
    """Return C, or A = (C; G) (thesis 4.43)."""
    C = ca.jacobian(model.outputs, model.q)
    return ca.vertcat(C, model.constraint_jacobian) if dependent else C


def null_space(A: ca.SX, pivots: Sequence[int]) -> ca.SX:
    """Return D with A D = 0 from a partition of the coordinates: D = (I; -W^-1 U) (4.96).

    Where the outputs are the pivots themselves, W = I and U = 0: D is Boolean. Else it is a smooth
    function of the coordinates as long as W is regular. The solution depends on the space alone.
    """
    n = A.shape[1]
    others = [i for i in range(n) if i not in pivots]
    lower = -ca.solve(A[:, list(pivots)], A[:, others])
    order = np.argsort([*others, *pivots]).tolist()
    return ca.sparsify(ca.vertcat(ca.SX.eye(len(others)), lower)[order, :])


def choose_split(model: Equations, q: Array, p: Array, dependent: bool) -> Split:
    """Choose the partition: the pivots of the Jacobian at the start.

    Outputs that are coordinates are pivots of their own; the others follow by a pivoted QR.
    """
    A = _jacobian(model, dependent)
    values = np.array(ca.Function("A", [model.q, model.p], [A])(q, p))
    if len(values) > values.shape[1]:
        raise StructureError(
            f"crane '{model.crane.name}': {len(values)} servo and other constraints leave no "
            f"tangential subspace in {values.shape[1]} coordinates"
        )
    pattern = np.array(ca.DM(A.sparsity(), 1)) != 0.0
    single = [i for i in range(len(values)) if pattern[i].sum() == 1]
    own = [int(np.argmax(pattern[i])) for i in single]
    remaining = [i for i in range(len(values)) if i not in single]
    columns = [j for j in range(values.shape[1]) if j not in own]
    from scipy.linalg import qr

    chosen = qr(values[np.ix_(remaining, columns)], pivoting=True, mode="r")[1] if remaining else []
    pivots = sorted([*own, *(columns[int(j)] for j in chosen[: len(remaining)])])
    if np.linalg.matrix_rank(values[:, pivots]) < len(values):
        raise StructureError(
            f"crane '{model.crane.name}': its servo and other constraints depend on each other at "
            "the start, so that they leave no null-space matrix of the right size"
        )
    dummies = choose_dummies(model, q, p) if dependent else ()
    return Split(dependent, tuple(pivots), dummies)


def _require_null_space(
    model: Equations, split: Split, q: Array, p: Array, times: Array, signs: bool = True
) -> None:
    """Raise a SolutionError where the factor W of the Jacobian becomes singular on the way.

    With `signs` also where its determinant changes its sign between two times.
    """
    W = _jacobian(model, split.dependent)[:, list(split.pivots)]
    if W.is_constant():
        return
    size = len(split.pivots)
    function = ca.Function("W", [model.q, model.p], [ca.densify(W)])
    values = np.array(function.map(len(q))(q.T, ca.repmat(ca.DM(p), 1, len(q))))
    matrices = values.reshape(size, len(q), size).transpose(1, 0, 2)
    singular = np.linalg.svd(matrices, compute_uv=False)
    bad = singular[:, -1] <= DEGENERATE * singular[:, 0]
    turned = np.diff(np.sign(np.linalg.det(matrices)), prepend=0.0) != 0.0
    turned[0] = False
    turned &= signs
    if (bad | turned).any():
        coordinates = names(model.crane.coordinates)
        raise SolutionError(
            f"the null-space matrix of crane '{model.crane.name}' degenerates near t = "
            f"{times[int(np.argmax(bad | turned))]:.4g} s: the coordinates "
            f"{', '.join(coordinates[i] for i in split.pivots)} no longer follow from the path "
            "there; use index1 or index3"
        )


# ---------------------------------------------------------------------- the mass matrix


def _mass_blocks(model: Equations) -> list[list[int]]:
    """Return the groups of coordinates that the mass matrix couples."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    pattern = csr_matrix(np.array(ca.DM(model.mass_matrix.sparsity(), 1)))
    count, labels = connected_components(pattern, directed=False)
    return [np.flatnonzero(labels == label).tolist() for label in range(count)]


def _touched(rows: ca.SX, block: list[int]) -> bool:
    return bool(rows[:, block].nnz())


def divide_by_mass(model: Equations, rows: ca.SX) -> ca.SX:
    """Return rows M^-1, dividing by those blocks of the mass matrix only that `rows` touch."""
    result = ca.SX(*rows.shape)
    for block in _mass_blocks(model):
        if _touched(rows, block):
            # transposed: that of stated equations need not be symmetric
            mass = model.mass_matrix[block, block]
            result[:, block] = ca.solve(mass.T, rows[:, block].T).T
    return result


def require_motion(model: Equations) -> None:
    """Raise a StructureError for a crane with conditions in place of equations of motion."""
    if model.massless:
        coordinates = names(model.crane.coordinates)
        raise StructureError(
            f"the projection method cannot solve crane '{model.crane.name}': its mass matrix is "
            f"singular, {', '.join(coordinates[i] for i in model.massless)} carry no mass and have "
            "conditions in place of equations of motion, of which there is no projection C M^-1; "
            "use index1 or index3"
        )


def require_masses(model: Equations, q: Array, p: Array, dependent: bool) -> None:
    """Raise a StructureError if the mass matrix is singular where the projection divides by it."""
    rows = _jacobian(model, dependent)
    M = np.array(ca.Function("M", [model.q, model.p], [ca.densify(model.mass_matrix)])(q, p))
    coordinates = names(model.crane.coordinates)
    for block in _mass_blocks(model):
        part = M[np.ix_(block, block)]
        size = np.sqrt(np.abs(np.diag(part)))
        scaled = part / np.outer(size, size) if size.all() else part
        values = np.linalg.svd(scaled, compute_uv=False)
        if _touched(rows, block) and values[-1] <= SINGULAR * max(values[0], SINGULAR):
            what = "dependent" if dependent else "redundant"
            hint = "redundant coordinates, index1 or index3" if dependent else "index1 or index3"
            raise StructureError(
                f"the projection method in {what} coordinates cannot solve crane "
                f"'{model.crane.name}': its mass matrix is singular in "
                f"{', '.join(coordinates[i] for i in block)}, which it divides by; use {hint}"
            )
