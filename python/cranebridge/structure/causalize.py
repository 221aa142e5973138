"""From residuals to assignments: which equation gives which unknown, in which order.

The unknowns are the derivatives of the states and the algebraic variables. A maximum matching
assigns an equation to each of them, the strongly connected components of the dependency graph are
the smallest sets that have to be solved together (block lower triangular form), and each set is
solved symbolically if it is linear in its own unknowns. A nonlinear set is left to an iteration of
those unknowns that have a start value; the others in it must follow from them.

Reference: I. S. Duff, J. K. Reid, *An implementation of Tarjan's algorithm for the block
triangularization of a matrix*, ACM TOMS 4 (1978) 137-147.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import casadi as ca
import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from cranebridge.errors import StructureError
from cranebridge.structure.tearing import explicit_unknowns

# Rounding of a difference of constants, in units of its parts.
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Unknown:
    """A scalar to be solved for, with its name for messages, and where an iteration may begin."""

    symbol: ca.SX
    name: str
    start: ca.SX | None = None


@dataclass(frozen=True)
class Residual:
    """A scalar equation ``value = 0`` and where it stands in the source."""

    value: ca.SX
    where: str


@dataclass(frozen=True)
class Assignment:
    """``symbol = value``, where the value uses only symbols assigned before it and known ones."""

    symbol: ca.SX
    value: ca.SX


@dataclass(frozen=True)
class AlgebraicLoop:
    """Nonlinear equations that have to be iterated: their unknowns keep their symbols."""

    unknowns: tuple[Unknown, ...]
    residuals: tuple[Residual, ...]


@dataclass(frozen=True)
class LinearCore:
    """Unknowns of a linear block whose coefficients change: these may become singular."""

    unknowns: tuple[Unknown, ...]
    matrix: ca.SX
    residuals: tuple[Residual, ...]


@dataclass
class BlockSolver:
    """How blocks are solved, and what was met on the way.

    Attributes
    ----------
    loops : list of AlgebraicLoop, optional
        Gets the nonlinear blocks; without it they are refused.
    tears : bool
        Whether few unknowns of a loop are iterated. Otherwise all those that have a start value
        are, which the author of a model chooses.
    keeps_blocks : bool
        Whether linear blocks are treated as loops, too: for those who analyse the equations, which
        grow beyond use when they are solved.
    cores : list of LinearCore
        Linear blocks that were not solved by constants alone.
    """

    loops: list[AlgebraicLoop] | None = None
    tears: bool = False
    keeps_blocks: bool = False
    cores: list[LinearCore] = field(default_factory=list)


def assignments(
    unknowns: Sequence[Unknown],
    residuals: Sequence[Residual],
    loops: list[AlgebraicLoop] | None = None,
) -> list[Assignment]:
    """Solve equations for unknowns, block by block.

    Parameters
    ----------
    loops : list of AlgebraicLoop, optional
        Gets the nonlinear blocks; without it they are refused.

    Raises
    ------
    StructureError
        As for :func:`solve_blocks`.
    """
    return solve_blocks(unknowns, residuals, BlockSolver(loops))


def solve_blocks(
    unknowns: Sequence[Unknown], residuals: Sequence[Residual], solver: BlockSolver
) -> list[Assignment]:
    """Solve equations for unknowns, block by block.

    Raises
    ------
    StructureError
        If the number of equations differs, if no assignment exists (structurally singular: the
        equations contradict or repeat each other), or if a block is nonlinear.
    """
    if not unknowns and not residuals:
        return []
    symbols = ca.vertcat(*[unknown.symbol for unknown in unknowns])
    values = ca.vertcat(*[residual.value for residual in residuals])
    incidence = _incidence(values, symbols)
    equation_of = _matching(incidence, unknowns, residuals)
    result: list[Assignment] = []
    for block in _blocks(incidence, equation_of):
        chosen = [unknowns[j] for j in block]
        equations = [residuals[equation_of[j]] for j in block]
        result += _solve_block(chosen, equations, solver)
    return result


def is_solvable(unknowns: Sequence[ca.SX], residuals: Sequence[ca.SX]) -> bool:
    """Return whether each unknown can be assigned an equation of its own that has it."""
    if len(unknowns) != len(residuals):
        return False
    if not unknowns:
        return True
    incidence = _incidence(ca.vertcat(*residuals), ca.vertcat(*unknowns))
    return bool((maximum_bipartite_matching(incidence, perm_type="row") >= 0).all())


def choose(candidates: Sequence[ca.SX], residuals: Sequence[Residual]) -> list[int]:
    """Pick one candidate for each equation that can determine it (those not picked stay free)."""
    if not candidates:
        return []
    values = ca.vertcat(*[residual.value for residual in residuals])
    incidence = _incidence(values, ca.vertcat(*candidates))
    equation_of = maximum_bipartite_matching(incidence, perm_type="row")
    return [k for k in range(len(candidates)) if equation_of[k] >= 0]


def apply(found: Sequence[Assignment], *expressions: ca.SX) -> list[ca.SX]:
    """Replace all assigned symbols in expressions."""
    if not found:
        return list(expressions)
    symbols = [assignment.symbol for assignment in found]
    values = [assignment.value for assignment in found]
    _, replaced = ca.substitute_inplace(symbols, values, list(expressions), False)
    return list(replaced)


def _incidence(values: ca.SX, symbols: ca.SX) -> csr_matrix:
    sparsity = ca.jacobian_sparsity(values, symbols)
    rows, columns = sparsity.get_triplet()
    ones = np.ones(len(rows), dtype=np.int8)
    return csr_matrix((ones, (rows, columns)), shape=sparsity.shape)


def _matching(
    incidence: csr_matrix, unknowns: Sequence[Unknown], residuals: Sequence[Residual]
) -> list[int]:
    """Equation of each unknown."""
    equation_of = maximum_bipartite_matching(incidence, perm_type="row")
    loose = [unknowns[j].name for j in range(len(unknowns)) if equation_of[j] < 0]
    if not loose and len(unknowns) == len(residuals):
        return [int(i) for i in equation_of]
    used = {int(i) for i in equation_of if i >= 0}
    free = [residual.where for i, residual in enumerate(residuals) if i not in used]
    if not free:
        raise StructureError(f"no equation is left to determine {', '.join(loose)}.")
    raise StructureError(
        f"{free[0]}: the model is structurally singular: this equation determines none of its "
        f"unknowns, and {', '.join(loose) or 'nothing'} is left undetermined. It contradicts other "
        "equations, or repeats what they say."
    )


def _blocks(incidence: csr_matrix, equation_of: Sequence[int]) -> list[list[int]]:
    """Strongly connected sets of unknowns, each after those that it depends on."""
    depends = incidence[equation_of, :]  # row j: the unknowns in the equation of unknown j
    count, label = connected_components(depends, directed=True, connection="strong")
    members: list[list[int]] = [[] for _ in range(count)]
    for unknown, component in enumerate(label):
        members[component].append(unknown)
    edges: list[set[int]] = [set() for _ in range(count)]
    rows, columns = depends.nonzero()
    for row, column in zip(label[rows], label[columns], strict=True):
        if row != column:
            edges[row].add(int(column))
    return [members[component] for component in topological(edges)]


def topological(depends_on: Sequence[set[int]]) -> list[int]:
    """Numbers of the nodes of a graph without loops, each after those that it depends on."""
    order: list[int] = []
    state = [0] * len(depends_on)  # 0 new, 1 open, 2 done
    for first in range(len(depends_on)):
        stack = [first]
        while stack:
            node = stack[-1]
            if state[node] == 0:
                state[node] = 1
                stack += [other for other in sorted(depends_on[node]) if state[other] == 0]
            else:
                stack.pop()
                if state[node] == 1:
                    state[node] = 2
                    order.append(node)
    return order


def _solve_block(
    unknowns: Sequence[Unknown], residuals: Sequence[Residual], solver: BlockSolver
) -> list[Assignment]:
    symbols = ca.vertcat(*[unknown.symbol for unknown in unknowns])
    values = ca.vertcat(*[residual.value for residual in residuals])
    matrix = ca.jacobian(values, symbols)
    if ca.depends_on(matrix, symbols) or (solver.keeps_blocks and not matrix.is_constant()):
        loops = solver.loops
        if loops is not None and solver.tears:
            return _tear_apart(unknowns, residuals, loops)
        if loops is None or all(unknown.start is None for unknown in unknowns):
            _refuse_nonlinear(unknowns, residuals, can_iterate=loops is not None)
        return _tear(unknowns, residuals, loops)
    right = -ca.substitute(values, symbols, ca.SX.zeros(symbols.shape))
    system = LinearSystem(matrix, right)
    solution = system.solution()
    if system.core_unknowns:
        core = tuple(unknowns[j] for j in system.core_unknowns)
        solver.cores.append(LinearCore(core, system.core, tuple(residuals)))
    return [Assignment(unknown.symbol, solution[k]) for k, unknown in enumerate(unknowns)]


def _tear_apart(
    unknowns: Sequence[Unknown], residuals: Sequence[Residual], loops: list[AlgebraicLoop]
) -> list[Assignment]:
    """Eliminate what follows explicitly, and leave the rest to an iteration."""
    found, left, equations = explicit_unknowns(
        [unknown.symbol for unknown in unknowns], [residual.value for residual in residuals]
    )
    where = [residual.where for residual in residuals]
    rest = tuple(Residual(value, where[k]) for k, value in enumerate(equations))
    if left:
        loops.append(AlgebraicLoop(tuple(unknowns[j] for j in left), rest))
    return [Assignment(unknowns[j].symbol, value) for j, value in found]


def _tear(
    unknowns: Sequence[Unknown], residuals: Sequence[Residual], loops: list[AlgebraicLoop]
) -> list[Assignment]:
    """Eliminate what has no start value, and leave the rest to an iteration."""
    left = list(residuals)
    kept = [unknown for unknown in unknowns if unknown.start is not None]
    pending = [unknown for unknown in unknowns if unknown.start is None]
    found: list[Assignment] = []
    while pending:
        pair = _definition(pending, left)
        if pair is None:
            names = ", ".join(unknown.name for unknown in pending)
            _refuse_nonlinear(unknowns, residuals, can_iterate=True, names=names)
        unknown, residual, value = pair
        pending.remove(unknown)
        left.remove(residual)
        left = [Residual(ca.substitute(r.value, unknown.symbol, value), r.where) for r in left]
        # Eliminated last, needed first: what was found before may use it.
        found.insert(0, Assignment(unknown.symbol, value))
    loops.append(AlgebraicLoop(tuple(kept), tuple(left)))
    return found


def _definition(
    pending: Sequence[Unknown], residuals: Sequence[Residual]
) -> tuple[Unknown, Residual, ca.SX] | None:
    """Find an unknown that an equation gives explicitly: it enters with a constant factor."""
    for residual in residuals:
        for unknown in pending:
            factor = ca.simplify(ca.jacobian(residual.value, unknown.symbol))
            if factor.is_constant() and float(factor) != 0.0:
                rest = ca.substitute(residual.value, unknown.symbol, ca.SX(0))
                return unknown, residual, -rest / factor
    return None


def _refuse_nonlinear(
    unknowns: Sequence[Unknown],
    residuals: Sequence[Residual],
    *,
    can_iterate: bool,
    names: str = "",
) -> NoReturn:
    start = names
    names = ", ".join(unknown.name for unknown in unknowns)
    others = [residual.where for residual in residuals[1:4]]
    also = f" (together with {'; '.join(others)})" if others else ""
    raise StructureError(
        f"{residuals[0].where}{also}: nonlinear in {names}, which needs an iteration in every "
        "evaluation. "
        + (
            f"Give {start or names} a start value, or write the equations explicitly."
            if can_iterate
            else "Write the equations explicitly, or make them states."
        )
    )


def solve_linear(matrix: ca.SX, right: ca.SX) -> ca.SX:
    """Solve a square linear system of symbolic entries: see :class:`LinearSystem`."""
    return LinearSystem(matrix, right).solution()


class LinearSystem:
    """A square linear system of symbolic entries, solved without pivoting on values.

    Unknowns that enter some equation with a constant coefficient are eliminated first (they are the
    definitions among the equations), smallest fill-in first (Markowitz); what remains, such as a
    mass matrix, is solved by Householder reflections, which need no choice of a pivot and are
    stable for every value of the entries.

    Attributes
    ----------
    core_unknowns : list of int
        Unknowns that remain.
    core : casadi.SX
        Their matrix.
    """

    def __init__(self, matrix: ca.SX, right: ca.SX) -> None:
        self._size = matrix.shape[1]
        self._rows = [_row(matrix, i) for i in range(matrix.shape[0])]
        self._right = [right[i] for i in range(matrix.shape[0])]
        self._active = set(range(matrix.shape[0]))
        self._steps: list[tuple[int, int]] = []  # (unknown, its row), in the order of elimination
        while (pivot := self._pivot()) is not None:
            self._eliminate(*pivot)
        done = {j for j, _ in self._steps}
        self.core_unknowns = [j for j in range(self._size) if j not in done]
        entries = [
            ca.horzcat(*(self._rows[i].get(j, ca.SX(0)) for j in self.core_unknowns))
            for i in sorted(self._active)
        ]
        self.core = ca.vertcat(*entries) if entries else ca.SX(0, 0)

    def _pivot(self) -> tuple[int, int] | None:
        counts: dict[int, int] = {}
        for i in self._active:
            for j in self._rows[i]:
                counts[j] = counts.get(j, 0) + 1
        best: tuple[int, int, int] | None = None
        for i in sorted(self._active):
            for j, entry in self._rows[i].items():
                if entry.is_constant():
                    cost = (len(self._rows[i]) - 1) * (counts[j] - 1)
                    if best is None or cost < best[0]:
                        best = (cost, i, j)
        return None if best is None else best[1:]

    def _eliminate(self, i: int, j: int) -> None:
        self._active.remove(i)
        pivot = self._rows[i].pop(j)
        self._rows[i] = {k: entry / pivot for k, entry in self._rows[i].items()}
        self._right[i] = self._right[i] / pivot
        for other in self._active:
            factor = self._rows[other].pop(j, None)
            if factor is None:
                continue
            for k, entry in self._rows[i].items():
                value = _difference(self._rows[other].get(k, ca.SX(0)), factor * entry)
                if value.is_zero():
                    self._rows[other].pop(k, None)
                else:
                    self._rows[other][k] = value
            self._right[other] = self._right[other] - factor * self._right[i]
        self._steps.append((j, i))

    def solution(self) -> ca.SX:
        """The unknowns."""
        result: dict[int, ca.SX] = {}
        if self.core_unknowns:
            right = ca.vertcat(*(self._right[i] for i in sorted(self._active)))
            values = householder(self.core, right)
            result.update({j: values[k] for k, j in enumerate(self.core_unknowns)})
        for j, i in reversed(self._steps):
            value = self._right[i]
            for k, entry in self._rows[i].items():
                value = value - entry * result[k]
            result[j] = value
        return ca.vertcat(*[result[j] for j in range(self._size)])


def _row(matrix: ca.SX, i: int) -> dict[int, ca.SX]:
    row = matrix[i, :]
    return {j: row[j] for j in row.sparsity().get_triplet()[1] if not row[j].is_zero()}


def _difference(old: ca.SX, change: ca.SX) -> ca.SX:
    """Difference; 0 of constants that cancel but for rounding, which would be pivots of 1e-17."""
    value = old - change
    if value.is_constant() and abs(float(value)) <= _ROUNDING * abs(float(change)):
        return ca.SX(0)
    return value


def householder(matrix: ca.SX, right: ca.SX) -> ca.SX:
    """Solve a small dense system by QR with Householder reflections.

    Reference: G. H. Golub, C. F. Van Loan, *Matrix Computations*, 4th ed., Algorithm 5.2.1.
    """
    n = matrix.shape[0]
    a = [[matrix[i, j] for j in range(n)] + [right[i]] for i in range(n)]
    for k in range(n - 1):
        # Rows that are zero below the diagonal take no part: keeps the sparsity of the system.
        rows = [i for i in range(k + 1, n) if not a[i][k].is_zero()]
        if not rows:
            continue
        norm = ca.sqrt(sum((a[i][k] * a[i][k] for i in rows), a[k][k] * a[k][k]))
        # The sign avoids cancellation; at zero either will do.
        norm = ca.if_else(a[k][k] > 0, norm, -norm)
        head = a[k][k] + norm
        scale = 1 / (norm * head)
        for j in range(k + 1, n + 1):
            inner = sum((a[i][k] * a[i][j] for i in rows), head * a[k][j])
            factor = inner * scale
            a[k][j] = a[k][j] - head * factor
            for i in rows:
                a[i][j] = a[i][j] - a[i][k] * factor
        a[k][k] = -norm
    x: list[ca.SX] = [ca.SX(0)] * n
    for k in reversed(range(n)):
        x[k] = (a[k][n] - sum((a[k][j] * x[j] for j in range(k + 1, n)), ca.SX(0))) / a[k][k]
    return ca.vertcat(*x)
