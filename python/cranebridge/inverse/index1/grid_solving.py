"""The staged solution at many times: by the compiled kernel, or by CasADi's functions."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.inverse.index1.following import (
    NEWTON_SWEEPS,
    CoarseSolution,
    newton,
    unsettled_at,
)
from cranebridge.inverse.index1.solvers import PointSolver
from cranebridge.inverse.kernels import (
    CompiledCurve,
    GridSolution,
    GridTask,
    Kernel,
    compiled_rotation,
)
from cranebridge.inverse.nodes import NodeTimes
from cranebridge.inverse.problem import ServoProblem
from cranebridge.path import Path, PolynomialTable, polynomial_table

Array = NDArray[np.float64]

# A solution whose equations hold worse than this (relative to their terms) is none.
RESIDUAL_LIMIT = 1e-9


def solve_nodes(
    problem: ServoProblem,
    solver: PointSolver,
    nodes: NodeTimes,
    followed: CoarseSolution,
    part: slice = slice(None),
) -> GridSolution:
    """Solve at the nodes, or at a part of them, with first guesses from the coarse grid.

    Raises
    ------
    SolutionError
        If Newton's method does not settle somewhere.
    """
    if solver.kernel is None:
        return _by_casadi(problem, solver, nodes, followed, part)
    return _by_kernel(problem, solver, solver.kernel, nodes, followed, part)


def require_small(
    solver: PointSolver, times: Array, worst: Array, where: NDArray[np.intp], scale: Array
) -> dict[str, float]:
    """Return the relative residual of each equation, if the equations hold.

    Raises
    ------
    SolutionError
        With the equation that holds worst, and when.
    """
    residual = worst / solver.floors(scale)
    equations = solver.stages.structure.equations
    largest = int(np.argmax(residual))
    if not residual[largest] <= RESIDUAL_LIMIT:
        raise SolutionError(
            f"equation '{equations[largest]}' holds only to {residual[largest]:.1e} (relative) at "
            f"t = {times[where[largest]]:.6g} s; a stage is nearly singular there, or the equation "
            "jumps"
        )
    return dict(zip(equations, residual.tolist(), strict=True))


def _by_kernel(
    problem: ServoProblem,
    solver: PointSolver,
    kernel: Kernel,
    nodes: NodeTimes,
    followed: CoarseSolution,
    part: slice,
) -> GridSolution:
    begin, end, _ = part.indices(nodes.time.size)
    order = solver.stages.path_order
    table, curves = path_table(problem.path, order, kernel.lanes)
    others = _Others(problem.path, table, nodes, order)
    task = GridTask(
        times=nodes.time,
        tracks=table.tracks,
        gammas=others if table.others else None,
        guess=followed.guess,
        p=problem.parameter_vector,
        tolerance=followed.tolerance,
        sweeps=NEWTON_SWEEPS,
        curves=curves,
    )
    found = kernel.solve(task, begin, end)
    if found.failed >= 0:
        raise unsettled_at(nodes.time[found.failed])
    return found


@lru_cache(maxsize=8)
def path_table(
    path: Path, order: int, lanes: int
) -> tuple[PolynomialTable, tuple[CompiledCurve, ...]]:
    """Return a path for a kernel; rotations that cannot be compiled are among the others."""
    table, curves = polynomial_table(path, order), []
    others = list(table.others)
    for turn in table.turns:
        curve = compiled_rotation(turn, len(path.outputs), order, lanes)
        if curve is None:
            others.append((turn.outputs, turn.path))
        else:
            curves.append(curve)
    return replace(table, others=tuple(others)), tuple(curves)


class _Others:
    """Derivatives of those outputs of a path that are no polynomials."""

    def __init__(self, path: Path, table: PolynomialTable, nodes: NodeTimes, order: int) -> None:
        self._count, self._order = len(path.outputs), order
        self._nodes, self._others = nodes, table.others
        self._left = np.flatnonzero(nodes.left) if table.others else np.empty(0, dtype=np.intp)
        times = nodes.time[self._left]
        self._on_left = [part.derivatives(times, order, side="left") for _, part in table.others]

    def __call__(self, begin: int, end: int) -> Array:
        """Return all outputs, then their rates, ..., from one node to before another."""
        times = self._nodes.time[begin:end]
        values = np.zeros((self._order + 1, self._count, end - begin))
        first, last = np.searchsorted(self._left, [begin, end]).tolist()
        for (rows, part), on_left in zip(self._others, self._on_left, strict=True):
            found = part.derivatives(times, self._order)
            found[:, :, self._left[first:last] - begin] = on_left[:, :, first:last]
            values[:, list(rows)] = found
        return values.reshape(-1, end - begin)


def derivatives_at(path: Path, times: Array, left: NDArray[np.bool_], order: int) -> Array:
    """Return all outputs, then their rates, ..., a row for each, a column for each time."""
    values = path.derivatives(times, order)
    if left.any():
        values[:, :, left] = path.derivatives(times[left], order, side="left")
    return values.reshape(-1, times.size)


def _by_casadi(
    problem: ServoProblem,
    solver: PointSolver,
    nodes: NodeTimes,
    followed: CoarseSolution,
    part: slice,
) -> GridSolution:
    times, p, count = nodes.time[part], problem.parameter_vector, len(problem.path.outputs)
    columns = derivatives_at(problem.path, times, nodes.left[part], solver.stages.path_order)
    gammas = np.ascontiguousarray(columns.T)
    w = np.zeros((times.size, 0)) if followed.guess is None else followed.guess(times)
    w = newton(solver, w, gammas, p, times, followed.tolerance)
    motion, ropes, rates, _ = solver.finish(w, gammas, p)
    residual, scale = solver.residual(motion, gammas[:, :count], p)
    where = np.abs(residual).argmax(axis=0)
    parts = (gammas[:, :count], motion, ropes, gammas[:, count : 2 * count], rates)
    return GridSolution(
        *parts,
        stack=np.hstack(parts).T,
        failed=-1,
        worst=np.abs(residual).max(axis=0),
        where=where + part.indices(nodes.time.size)[0],
        scale=scale.max(axis=0),
    )
