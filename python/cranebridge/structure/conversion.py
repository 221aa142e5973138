"""Conversion of equations whose system Jacobian is singular although its structure is not.

Where terms cancel, the signature method counts derivatives that are not there, and finds an index
that is too low or free initial values that do not exist. It shows in a system Jacobian
J_ij = df_i / dx_j^(d_j - c_i) that is singular everywhere. With v^T J = 0 and c_min the least
offset of the equations with v_i != 0, the combination

    sum_i v_i f_i^(c_i - c_min)

lacks the derivatives x_j^(d_j - c_min) that the equations have: it replaces one of them with offset
c_min. Where v_l != 0 for that one, the solutions are the same. Each conversion lowers the number of
free initial values that the structure counts, so that it ends.

References
----------
G. Tan, N. S. Nedialkov, J. D. Pryce, Conversion methods for improving structural analysis of
differential-algebraic equation systems, arXiv:1505.03445 (the linear combination method).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.structure import rounding_bounds
from cranebridge.structure.analysis import (
    Analysis,
    Integers,
    UnreachableError,
    analyse_dae,
    signature_of,
)
from cranebridge.structure.dae import Dae
from cranebridge.structure.random_states import Start
from cranebridge.structure.ranks import JacobianSampler, generic_rank, sample, scaled

Array = NDArray[np.float64]

# A pivot that is smaller at the start vanishes there.
_PIVOT = 1e-6
# How near to the start one is looked for, of a variable's size.
_NEAR = 0.03


@dataclass(frozen=True, eq=False)
class Combination:
    """One equation replaced by a combination with others.

    Attributes
    ----------
    equation : int
        The one that was replaced.
    others : tuple of (int, int)
        The equations it was combined with, and how often they were differentiated.
    columns : tuple of int
        Variables by whose highest derivatives the combination was found.
    pivot : casadi.SX
        The part of the system Jacobian for `others` and `columns`. It must stay regular: elsewhere
        the combination says less than the equation did.
    """

    equation: int
    others: tuple[tuple[int, int], ...]
    columns: tuple[int, ...]
    pivot: ca.SX

    def words(self, names: Sequence[str]) -> str:
        """Say what was combined, with the names of the equations."""
        parts = ", ".join(
            f"'{names[i]}'" + ("" if not times else f" (differentiated {_times(times)})")
            for i, times in self.others
        )
        return (
            f"'{names[self.equation]}' was combined with {parts}: the highest derivatives in them "
            "cancel"
        )


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


class NotConvertedError(Exception):
    """No conversion was found; the message says what is known."""


def convert(
    dae: Dae, signature: Array, path: Array, start: Start
) -> tuple[Analysis, tuple[Combination, ...]]:
    """Combine equations of a DAE until its system Jacobian is regular.

    Raises
    ------
    UnreachableError
        If the equations are structurally singular.
    NotConvertedError
        If no combination helps.
    """
    analysis = analyse_dae(dae, signature, path)
    combinations: list[Combination] = []
    while True:
        jacobians, states = sample(analysis, start)
        if generic_rank(jacobians) == len(analysis.c):
            return analysis, tuple(combinations)
        matrices = pivot_matrices(jacobians, states)
        analysis, combination = _combine(analysis, start, jacobians, matrices)
        combinations.append(combination)


def differentiations(
    size: int, c: Integers, combinations: Sequence[Combination]
) -> tuple[int, ...]:
    """Return how often the equations were differentiated before any of them was combined."""
    # Of each equation as it is now: which of the first ones stand in it, differentiated how often.
    inside = [{i: 0} for i in range(size)]
    for one in combinations:
        for other, times in one.others:
            for origin, count in inside[other].items():
                known = inside[one.equation].get(origin, 0)
                inside[one.equation][origin] = max(known, count + times)
    found = [0] * size
    for i, origins in enumerate(inside):
        for origin, count in origins.items():
            found[origin] = max(found[origin], int(c[i]) + count)
    return tuple(found)


def _combine(
    analysis: Analysis, start: Start, jacobians: Sequence[Array], matrices: Sequence[Array]
) -> tuple[Analysis, Combination]:
    """Replace one equation so that the structure counts fewer free initial values."""
    circuits = _circuits(analysis, jacobians)
    for circuit in circuits:
        least = min(int(analysis.c[i]) for i in circuit)
        candidates = [i for i in circuit if analysis.c[i] == least]
        for replaced, columns in pivots(circuit, candidates, matrices):
            for following, combination in combined(
                analysis, start, replaced, circuit, columns, least
            ):
                if following.freedom < analysis.freedom:
                    return following, combination
    raise NotConvertedError(
        "terms cancel in its equations ("
        + ", ".join(analysis.dae.equations[i] for i in circuits[0])
        + "), and no combination of them takes the cancelled derivatives out"
    )


def _circuits(analysis: Analysis, jacobians: Sequence[Array]) -> list[list[int]]:
    """Return minimal sets of dependent rows, those of offsets as large as can be first.

    Rows are left out one by one, those of smallest offset first, as long as the others stay
    dependent: large offsets mean few derivatives of the others. Further sets begin with leaving
    out one row of the first.
    """
    rows = sorted(range(len(analysis.c)), key=lambda row: int(analysis.c[row]))
    found = [_circuit(rows, jacobians)]
    for row in found[0]:
        rest = [i for i in rows if i != row]
        if generic_rank([jacobian[rest] for jacobian in jacobians]) < len(rest):
            other = _circuit(rest, jacobians)
            if other not in found:
                found.append(other)
    return found


def _circuit(rows: Sequence[int], jacobians: Sequence[Array]) -> list[int]:
    """Leave out rows, the first ones first, as long as the others are dependent."""
    left = list(rows)
    for i in rows:
        rest = [row for row in left if row != i]
        if generic_rank([jacobian[rest] for jacobian in jacobians]) < len(rest):
            left = rest
    return sorted(left)


def pivot_matrices(jacobians: Sequence[Array], states: JacobianSampler) -> list[Array]:
    """Return the Jacobians by which pivots are chosen: first the one at the start itself."""
    every = states.at_rest(), states.jacobian(_NEAR), *jacobians
    return [m for m in every if m is not None and np.isfinite(m).all()]


def pivots(
    circuit: Sequence[int], candidates: Sequence[int], matrices: Sequence[Array]
) -> list[tuple[int, list[int]]]:
    """Return equations to replace and columns of the others that are regular, best first.

    Best at the start itself: a pivot that vanishes at rest would divide by zero there.
    """
    found = []
    for replaced in candidates:
        others = [i for i in circuit if i != replaced]
        for matrix in matrices:
            columns = _regular_columns(scaled(matrix[others]))
            least = [_least(m[np.ix_(others, columns)]) for m in matrices]
            found.append(((least[0] > _PIVOT, min(least[1:], default=0.0)), replaced, columns))
    found.sort(key=lambda item: item[0], reverse=True)
    unique: list[tuple[int, list[int]]] = []
    for _, replaced, columns in found:
        if (replaced, columns) not in unique:
            unique.append((replaced, columns))
    return unique


def _least(matrix: Array) -> float:
    """Return the smallest singular value of a matrix with rows and columns of size one."""
    if not matrix.size:
        return 1.0
    return float(np.linalg.svd(scaled(matrix), compute_uv=False)[-1])


def _regular_columns(matrix: Array) -> list[int]:
    """Return as many columns as there are rows, as independent as can be: QR with pivoting."""
    left = matrix.copy()
    columns: list[int] = []
    for _ in range(matrix.shape[0]):
        lengths = np.linalg.norm(left, axis=0)
        lengths[columns] = -1.0
        best = int(np.argmax(lengths))
        columns.append(best)
        direction = left[:, best] / max(lengths[best], np.finfo(float).tiny)
        left = left - np.outer(direction, direction @ left)
    return sorted(columns)


def combined(
    analysis: Analysis,
    start: Start,
    replaced: int,
    circuit: Sequence[int],
    columns: Sequence[int],
    least: int,
) -> Iterator[tuple[Analysis, Combination]]:
    """Yield the analyses of the DAE with one equation combined with others, in either way."""
    for way in (_combination, _substitution):
        combination, residual = way(analysis, replaced, circuit, columns, least)
        if not rounding_bounds.is_defined(residual):  # the columns are dependent symbolically
            continue
        name = analysis.dae.equations[replaced]
        dae = analysis.dae.with_residual(replaced, residual, name)
        with suppress(UnreachableError):  # rounding hides what is left of it
            yield analyse_dae(*signature_of(dae, start)), combination


def _combination(
    analysis: Analysis, replaced: int, circuit: Sequence[int], columns: Sequence[int], least: int
) -> tuple[Combination, ca.SX]:
    """Return a combination and its residual: f_l - sum w_i f_i^(c_i - c_min).

    The weights solve J_others^T w = J_l^T in the chosen columns, and then in all.
    """
    dae, jacobian = analysis.dae, analysis.jacobian
    others = [i for i in circuit if i != replaced]
    residual = dae.residuals[replaced]
    matrix = jacobian[others, list(columns)]
    if others:
        weights = ca.solve(matrix.T, jacobian[replaced, list(columns)].T)
        for position, i in enumerate(others):
            times = int(analysis.c[i]) - least
            residual = residual - weights[position] * dae.symbols.rate(dae.residuals[i], times)
    return _of(analysis, replaced, others, columns, least), residual


def _substitution(
    analysis: Analysis, replaced: int, circuit: Sequence[int], columns: Sequence[int], least: int
) -> tuple[Combination, ca.SX]:
    """Return a combination and its residual: f_l with what the others say of its derivatives.

    Where an equation contains the derivatives that cancel nonlinearly (drag, in velocities that
    the path prescribes), the weights contain them too and nothing is gained by adding. The others
    are linear in the derivatives of the chosen columns; solved for them, they are put into f_l. It
    is the expression substitution of the same paper without new variables.
    """
    dae = analysis.dae
    others = [i for i in circuit if i != replaced]
    matrix = analysis.jacobian[others, list(columns)]
    unknown = ca.vertcat(*(dae.variable(j, int(analysis.d[j]) - least) for j in columns))
    rates = [dae.symbols.rate(dae.residuals[i], int(analysis.c[i]) - least) for i in others]
    residual = dae.residuals[replaced]
    if others and not ca.depends_on(matrix, unknown):
        solution = unknown - ca.solve(matrix, ca.vertcat(*rates))
        residual = ca.substitute(residual, unknown, solution)
    return _of(analysis, replaced, others, columns, least), residual


def _of(
    analysis: Analysis, replaced: int, others: Sequence[int], columns: Sequence[int], least: int
) -> Combination:
    pairs = tuple((i, int(analysis.c[i]) - least) for i in others)
    matrix = analysis.jacobian[list(others), list(columns)]
    return Combination(replaced, pairs, tuple(columns), matrix)
