"""One path solved for many sets of parameters in one call: a sweep over payloads, rope lengths, ...

Start and coarse following run over lanes of parameter sets, all others of a set over lanes of
times. Every set has the same results as if it were solved alone, bit by bit: what does not go
smoothly (a start or a path that needs refinement, a crane whose structure depends on its
parameters) is solved alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import CranebridgeError, SolutionError
from cranebridge.inverse.extension import require_regular
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1.following import (
    NEWTON_SWEEPS,
    SPEEDS,
    CoarseSolution,
    coarse_times,
    gammas_at,
    initial_guess,
    require_followed,
    starts_at_rest,
)
from cranebridge.inverse.index1.solution import require_smoothness, solve_followed, solve_index1
from cranebridge.inverse.index1.solvers import PointSolver, point_solver
from cranebridge.inverse.kernels import Mode
from cranebridge.inverse.nodes import node_times
from cranebridge.inverse.problem import ServoProblem

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SetSolution:
    """What became of a set of parameters.

    Attributes
    ----------
    parameters : dict of str to float
        All of the crane's.
    solution : Feedforward or None
        None where there is none.
    reason : str
        Why there is none.
    """

    parameters: dict[str, float]
    solution: Feedforward | None
    reason: str = ""


def solve_parameter_sets(
    problem: ServoProblem,
    sets: Sequence[Mapping[str, float]],
    times: Array,
    mode: Mode = "auto",
) -> list[SetSolution]:
    """Solve a flat servo problem at the given times for many sets of parameters.

    Parameters
    ----------
    problem : ServoProblem
        Crane, path, and those parameters that a set does not name.
    sets : sequence of mapping of str to float
        Parameters that differ.
    times : numpy.ndarray
        Increasing times from 0 to the path's duration.
    mode : {"auto", "always", "never"}
        Whether to compile the functions with the C compiler.

    Returns
    -------
    list of SetSolution
        In the order of the sets; a set that fails does not stop the others.
    """
    problems = [replace(problem, parameters={**problem.parameters, **one}) for one in sets]
    followed: list[CoarseSolution | None] = [None] * len(problems)
    solver = _shared_solver(problem, mode)
    if solver is not None and problems:
        followed = _follow_all(problem, solver, problems)
    nodes, found = node_times(problem, times), []
    for one, path in zip(problems, followed, strict=True):
        try:
            if solver is None or path is None:
                solution = solve_index1(one, times, mode)
            else:
                solution = solve_followed(one, solver, nodes, path)
                # at other times it need not be followed again
                again = partial(_at_times, one, solver, path)
                solution = replace(solution, exact_at=again)
            found.append(SetSolution(one.parameters, solution))
        except CranebridgeError as error:
            found.append(SetSolution(one.parameters, None, str(error)))
    return found


def _at_times(
    problem: ServoProblem, solver: PointSolver, path: CoarseSolution, times: Array
) -> Feedforward:
    return solve_followed(problem, solver, node_times(problem, times), path)


def _shared_solver(problem: ServoProblem, mode: Mode) -> PointSolver | None:
    """Return the solver that serves all sets; None where each needs to be looked at by itself."""
    try:
        solver = point_solver(problem, mode)
        require_smoothness(problem, solver.stages.structure)
    except CranebridgeError:
        return None
    # A stated start is looked for in its own way. Where equations were changed for these very
    # parameters, others may need other changes.
    own = bool(problem.initial) or not solver.stages.structure.plain
    return None if solver.kernel is None or own else solver


def _follow_all(
    problem: ServoProblem, solver: PointSolver, problems: Sequence[ServoProblem]
) -> list[CoarseSolution | None]:
    """Follow all sets through the coarse times; None for those that do not go smoothly.

    The blocks of all that do are regular all along the path, so that the shared structure is
    theirs.
    """
    kernel, order = solver.kernel, solver.stages.path_order
    assert kernel is not None
    p = np.array([one.parameter_vector for one in problems])
    times = coarse_times(problem.path, 1)
    gammas = gammas_at(problem, times, np.zeros(times.size, dtype=bool), order)
    w, started = _start_all(problem, solver, problems, p)
    found = kernel.follow(w, gammas, p, solver.coarse_sweeps)
    result: list[CoarseSolution | None] = []
    for values, own, good in zip(found, p, started.tolist(), strict=True):
        bad = solver.unsettled(solver.sweep(values, gammas, own)[1], values)
        try:
            smooth = good and not bad.any()
            one = require_followed(solver, times, gammas, own, values, bad) if smooth else None
        except SolutionError:
            one = None
        result.append(one)
    return result


def _start_all(
    problem: ServoProblem, solver: PointSolver, problems: Sequence[ServoProblem], p: Array
) -> tuple[Array, Flags]:
    """Return Newton's unknowns of all sets at t = 0, as `start_solution` does, and which are found.

    Lanes are sets of parameters.
    """
    stages, kernel = solver.stages, solver.kernel
    assert kernel is not None
    gammas = gammas_at(problem, np.zeros(1), np.zeros(1, dtype=bool), stages.path_order)
    w = np.zeros((len(problems), len(stages.guess)))
    known = np.ones(len(problems), dtype=bool)
    for number, one in enumerate(problems):
        try:
            w[number] = initial_guess(one, stages)
        except (CranebridgeError, np.linalg.LinAlgError):
            known[number] = False
    outputs = len(problem.path.outputs)
    if starts_at_rest(stages, gammas, outputs):
        w, settled = _settle(solver, w, gammas, p)
        return w, known & settled
    order = np.repeat(np.arange(stages.path_order + 1), outputs)
    w, settled = _settle(solver, w, gammas * (order == 0), p)
    known &= settled
    speeds = np.linspace(0.0, 1.0, SPEEDS + 1)
    scaled = gammas * speeds[:, None] ** order
    found = kernel.follow(w, scaled, p, solver.coarse_sweeps)
    for number, (values, own) in enumerate(zip(found, p, strict=True)):
        if known[number]:
            known[number] = _regular(solver, values, scaled, own)
    w, settled = _settle(solver, found[:, -1], gammas, p)
    return w, known & settled


def _regular(solver: PointSolver, w: Array, gammas: Array, p: Array) -> bool:
    """Return whether a start was reached from rest without a singular block on the way."""
    if solver.unsettled(solver.sweep(w, gammas, p)[1], w).any():
        return False
    try:
        require_regular(solver.stages, solver.finish(w, gammas, p)[3], np.zeros(len(w)))
    except SolutionError:
        return False
    return True


def _settle(solver: PointSolver, w: Array, gammas: Array, p: Array) -> tuple[Array, Flags]:
    """Iterate each row with its own parameters; returns it, and which rows have settled."""
    w, active = w.copy(), np.arange(len(w))
    for _ in range(NEWTON_SWEEPS):
        if not active.size or not w.shape[1]:
            break
        rows = np.repeat(gammas, active.size, axis=0)
        new, step = solver.sweep(w[active], rows, p[active])
        w[active] = new
        active = active[solver.unsettled(step, new)]
    settled = np.ones(len(w), dtype=bool)
    settled[active] = w.shape[1] == 0
    return w, settled
