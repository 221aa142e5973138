"""The index-1 method: the servo problem of a flat crane solved algebraically at every time.

Nothing is integrated: Newton's method on the nonlinear stage, then linear solves for all
derivatives, multipliers and controls (:mod:`cranebridge.inverse.extension.stages`), exact to
rounding.
"""

from __future__ import annotations

import time as clock
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import StructureError
from cranebridge.inverse.extension import Stages, Structure
from cranebridge.inverse.feedforward import Feedforward, nodes_of
from cranebridge.inverse.index1.following import (
    CoarseSolution,
    follow_path,
    gammas_at,
    initial_guess,
    start_motion,
    start_solution,
)
from cranebridge.inverse.index1.grid_solving import require_small, solve_nodes
from cranebridge.inverse.index1.solvers import (
    PointSolver,
    point_solver,
    solver_of,
    stages_of,
    structure_of,
)
from cranebridge.inverse.kernels import GridSolution, Mode
from cranebridge.inverse.nodes import NodeTimes, node_times, on_grid
from cranebridge.inverse.problem import ServoProblem
from cranebridge.twin.language import names

Array = NDArray[np.float64]


def solve_index1(problem: ServoProblem, times: Array, mode: Mode = "auto") -> Feedforward:
    """Solve a flat servo problem exactly at the given times.

    Parameters
    ----------
    problem : ServoProblem
        Crane, path and parameters.
    times : numpy.ndarray
        Increasing times from 0 to the path's duration.
    mode : {"auto", "always", "never"}
        Whether to compile the functions with the C compiler.

    Raises
    ------
    StructureError
        If the crane is not flat or the path not smooth enough.
    SolutionError
        If a stage is singular somewhere along the path.
    """
    solver = point_solver(problem, mode)
    started = clock.perf_counter()
    require_smoothness(problem, solver.stages.structure)
    nodes = node_times(problem, times)
    found = solve_followed(problem, solver, nodes, follow_path(problem, solver))
    return replace(found, seconds=clock.perf_counter() - started)


def solve_followed(
    problem: ServoProblem, solver: PointSolver, nodes: NodeTimes, followed: CoarseSolution
) -> Feedforward:
    """Solve a problem whose solution was followed on the coarse grid; see `solve_index1`."""
    started = clock.perf_counter()
    solution = solve_nodes(problem, solver, nodes, followed)
    report = solution.worst, solution.where, solution.scale
    residual = require_small(solver, nodes.time, *report)
    found = _feedforward(problem, solver, nodes, (0, nodes.wanted.size), solution)
    return replace(found, residual=residual, seconds=clock.perf_counter() - started)


def solve_in_parts(
    problem: ServoProblem, times: Array, most: int, mode: Mode = "auto", joined: bool = False
) -> Iterator[Feedforward]:
    """Solve at many times part by part, so that memory does not grow with their number.

    Parameters
    ----------
    problem, times, mode
        See `solve_index1`.
    most : int
        Times in a part.
    joined : bool
        Give each part but the last the first time of the next one, too, so that nothing is missed
        between them.

    Yields
    ------
    Feedforward
        Consecutive parts of the times, all of about the same length, with the values that
        `solve_index1` has there, bit by bit. Residuals are relative to the largest terms of the
        equations until then.
    """
    solver = point_solver(problem, mode)
    require_smoothness(problem, solver.stages.structure)
    nodes, followed = node_times(problem, times), follow_path(problem, solver)
    size, scale = nodes.wanted.size, np.zeros(1)
    edges = [size * k // -(-size // most) for k in range(-(-size // most) + 1)]
    for begin, end in pairwise(edges):
        started = clock.perf_counter()
        wanted = (begin, min(end + joined, size))
        solution = solve_nodes(problem, solver, nodes, followed, nodes.part(*wanted)[0])
        scale = np.maximum(scale, solution.scale)
        residual = require_small(solver, nodes.time, solution.worst, solution.where, scale)
        found = _feedforward(problem, solver, nodes, wanted, solution)
        yield replace(found, residual=residual, seconds=clock.perf_counter() - started)


def _feedforward(
    problem: ServoProblem,
    solver: PointSolver,
    nodes: NodeTimes,
    wanted: tuple[int, int],
    solution: GridSolution,
) -> Feedforward:
    """Return the solution between two wanted times, without what is known of its residuals."""
    layout, part = solver.stages.layout, nodes.part(*wanted)
    time, grid = nodes.time[part[0]], part[1]
    outputs, motion = solution.gamma.shape[1], solution.motion.shape[1]
    last = outputs + motion + solution.ropes.shape[1]
    gamma, moved, ropes = np.split(
        on_grid(solution.stack[:last], grid).T, [outputs, outputs + motion], axis=1
    )
    return Feedforward(
        problem=problem,
        method="index1",
        order=0,
        time=nodes.wanted[slice(*wanted)],
        gamma=gamma,
        q=moved[:, layout["q"]],
        v=moved[:, layout["v"]],
        a=moved[:, layout["a"]],
        u=moved[:, layout["u"]],
        lam=moved[:, layout["lambda"]],
        ropes=ropes,
        residual={},
        notes=problem.path.notes,
        nodes=nodes_of(
            layout,
            time,
            grid,
            (solution.gamma, solution.gamma_rate),
            solution.motion,
            solution.ropes,
            solution.rates,
        ),
    )


def require_smoothness(problem: ServoProblem, structure: Structure) -> None:
    """Raise a StructureError if the path has fewer continuous derivatives than are needed."""
    for output, needed in structure.path_derivatives.items():
        worst = min(problem.path.breaks(output), key=lambda b: b.order, default=None)
        if worst is not None and worst.order < needed:
            moves = output in names(problem.crane.motions)
            what = f"motion {output}" if moves else f"path of output {output}"
            has = "it has" if moves else "the path has"
            remedy = _remedy(problem, output, max(structure.path_derivatives.values()), worst.time)
            raise StructureError(
                f"the {what} is not smooth enough: crane '{problem.crane.name}' "
                f"has index {structure.index} and needs {needed} continuous derivatives of it, "
                f"{has} {worst.order} at t = {worst.time:g} s; {remedy}"
            )


def _remedy(problem: ServoProblem, output: str, order: int, time: float) -> str:
    """Say how an output's path becomes smoother."""
    from cranebridge.path import BSplinePath, Combined, Recorded  # of what is right, none matters

    path = problem.path
    part = path.part_of(output) if isinstance(path, Combined) else path
    if output in names(problem.crane.motions):
        key = "degree" if isinstance(part, Recorded) else "smoothness"
        return f"give crane.motion.{output}.{key} a larger value"
    if isinstance(part, BSplinePath):
        end = {0.0: "moving_start", part.duration: "moving_end"}.get(time)
        if end is not None:
            return f"let it rest there, or set path.{end} = true if it moves"
        return "choose a higher degree or fewer equal knots"
    return f"set path.smoothness = {order} or more"


def system_jacobians(solution: Feedforward) -> Array:
    """Return the system Jacobian df_i / dx_j^(d_j - c_i) at the times of a solution."""
    problem, times = solution.problem, solution.time
    solver, p = point_solver(problem), problem.parameter_vector
    stages, count = solver.stages, times.size
    gammas = gammas_at(problem, times, np.zeros(count, dtype=bool), stages.path_order)
    w = newton_unknowns(solution, stages)
    columns = gammas.reshape(count * (stages.path_order + 1), -1).T
    size = len(stages.structure.variables)
    values = np.array(stages.jacobian.map(count)(w.T, columns, np.tile(p[:, None], count)))
    return np.asarray(values.reshape(size, count, size).transpose(1, 0, 2))


def newton_unknowns(solution: Feedforward, stages: Stages) -> Array:
    """Return the unknowns of Newton's method as they stand in a solution."""
    algebraic = np.hstack([solution.lam, solution.u])
    by_order = [np.hstack([solution.q, algebraic]), solution.v, solution.a]
    columns = [by_order[order][:, [j]] for j, order in stages.guess]
    return np.hstack([np.zeros((solution.time.size, 0)), *columns])


__all__ = [
    "PointSolver",
    "StructureError",
    "follow_path",
    "initial_guess",
    "newton_unknowns",
    "point_solver",
    "require_smoothness",
    "solve_in_parts",
    "solve_index1",
    "solver_of",
    "stages_of",
    "start_motion",
    "start_solution",
    "structure_of",
    "system_jacobians",
]
