"""The index-1 method: the servo problem of a flat crane solved algebraically at every time.

Nothing is integrated: Newton's method on the nonlinear stage, then linear solves for all
derivatives, multipliers and controls (:mod:`cranebridge.inverse.stages`), exact to rounding.
"""

from __future__ import annotations

import time as clock
from dataclasses import replace
from functools import cache, lru_cache

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError, StructureError
from cranebridge.inverse.compiled import Mode
from cranebridge.inverse.feedforward import Feedforward, nodes_of
from cranebridge.inverse.mapped import Mapped
from cranebridge.inverse.piecewise import hermite
from cranebridge.inverse.problem import ServoProblem
from cranebridge.inverse.ranks import is_regular
from cranebridge.inverse.regularity import fading_block, require_regular, singular_block
from cranebridge.inverse.stages import Stages, build_stages
from cranebridge.inverse.starting import rest_values, start_of
from cranebridge.inverse.structure import Structure, analyse
from cranebridge.path import BSplinePath, Pieces
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.crane import names

Array = NDArray[np.float64]

# Newton converges quadratically: after a relative step this small the next error is rounding.
NEWTON_TOLERANCE = 1e-11
# Combined equations carry the rounding of those that cancel in them: steps stay at some 1e-12.
COMBINED_TOLERANCE = 1e-9
NEWTON_SWEEPS = 50
# Between two knots of a planned path. In such a piece a drive may go through all of its range; the
# error of cubics on 96 intervals of it is some 1e-8 of that range, and 2e-5 on 12.
_NODES_PER_PIECE = 96
# A solution whose equations hold worse than this (relative to their terms) is none.
RESIDUAL_LIMIT = 1e-9
# The path is first followed through this many times, then all others start from there.
COARSE_TIMES = 400
COARSE_SWEEPS = 3
# A start in motion is reached from rest through this many speeds.
SPEEDS = 50
# A start that has the stated coordinates to this accuracy is the stated one.
STATED = 1e-6


def structure_of(problem: ServoProblem) -> Structure:
    """Return the structure analysis of a problem; made once for its crane, start and parameters.

    Where no equation was changed, the structure is that of the crane for all problems in which its
    system Jacobian is regular: that is looked at for each of them.
    """
    q, p = problem.start_coordinates(), problem.parameter_vector
    return _structure_at(problem.crane, tuple(q.tolist()), tuple(p.tolist()))


# Structures of cranes in whose equations nothing was changed.
_plain: dict[Crane, list[Structure]] = {}


@lru_cache(maxsize=256)
def _structure_at(crane: Crane, q: tuple[float, ...], p: tuple[float, ...]) -> Structure:
    known = _plain.setdefault(crane, [])
    model = known[0].model if known else equations_of_motion(crane)
    start = start_of(model, np.array(q), np.array(p))
    for structure in known:
        if is_regular(structure.analysis, start):
            return structure
    found = analyse(crane, start, model)
    if found.plain:
        known.append(found)
    return found


@cache
def stages_of(structure: Structure) -> Stages:
    """Return the staged solution for a structure; made once."""
    return build_stages(structure)


class PointSolver:
    """The stages of a crane, compiled, evaluated at many times in one call.

    Parameters are arguments of the functions: a change of their values builds nothing anew.
    """

    def __init__(self, stages: Stages, mode: Mode = "auto") -> None:
        self.stages = stages
        self._crane = stages.structure.crane
        self._mapped = Mapped((stages.sweep, stages.finish, stages.residual), mode)
        self._follows: dict[int, ca.Function] = {}

    def sweep(self, w: Array, gammas: Array, p: Array) -> tuple[Array, Array]:
        """Do one Newton step at each time; returns the new w and the steps."""
        new, step = self._mapped("sweep", w, gammas, p)
        return new, step

    def finish(self, w: Array, gammas: Array, p: Array) -> list[Array]:
        """Return motion, rope forces, rates and Jacobians at each time (see `Stages.finish`)."""
        return self._mapped("finish", w, gammas, p)

    def residual(self, motion: Array, gamma: Array, p: Array) -> Array:
        """Return the residuals of all equations at each time, relative to their largest terms.

        Along a path an equation can consist of zeros for a while (a load at rest sideways), so it
        is compared with the largest terms that it ever has, and an equation that stays empty with
        a millionth of the largest of its kind.
        """
        residual, scale = self._mapped("residual", motion, gamma, p)
        largest = scale.max(axis=0)
        n, m = (len(part) for part in (self._crane.coordinates, self._crane.multipliers))
        for kind in np.split(np.arange(largest.size), [n, n + m]):
            floor = 1e-6 * largest[kind].max(initial=np.finfo(float).tiny)
            largest[kind] = np.maximum(largest[kind], floor)
        return np.asarray(np.abs(residual) / largest)

    def follow(self, w: Array, gammas: Array, p: Array) -> Array:
        """Follow the solution from time to time, starting from `w` before the first."""
        count = len(gammas)
        if w.size == 0:
            return np.zeros((count, 0))
        if count not in self._follows:
            self._follows[count] = self._follow().mapaccum(count)
        follow = self._follows[count]
        columns = gammas.reshape(count, self.stages.path_order + 1, -1)
        stacked = np.ascontiguousarray(columns).reshape(count * columns.shape[1], -1).T
        return np.array(follow(w, stacked, p)).T

    def _follow(self) -> ca.Function:
        sweep = self._mapped.function("sweep")
        w, gammas = ca.MX.sym("w", sweep.size1_in(0)), ca.MX.sym("gammas", *sweep.size_in(1))
        p, new = ca.MX.sym("p", sweep.size1_in(2)), w
        for _ in range(COARSE_SWEEPS):
            new = sweep(new, gammas, p)[0]
        return ca.Function("follow", [w, gammas, p], [new])


def point_solver(problem: ServoProblem, mode: Mode = "auto") -> PointSolver:
    """Return the compiled stages of a problem; made once for each structure and mode."""
    return solver_of(structure_of(problem), mode)


@cache
def solver_of(structure: Structure, mode: Mode) -> PointSolver:
    """Return the compiled stages for a structure."""
    return PointSolver(stages_of(structure), mode)


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
    p = problem.parameter_vector
    node_times, left = _node_times(problem, times)
    gammas = _gammas(problem, node_times, left, solver.stages.path_order)
    coarse_times, coarse_w = follow_path(problem, solver)
    w = _interpolate(coarse_times, coarse_w, node_times)
    w = _newton(solver, w, gammas, p, node_times)
    motion, ropes, rates, _ = solver.finish(w, gammas, p)
    gamma = gammas[:, : len(problem.path.outputs)]
    residual = solver.residual(motion, gamma, p)
    _require_small(solver.stages, residual, node_times)
    nodes = nodes_of(solver.stages.layout, node_times, times, gammas, motion, ropes, rates)
    grid = nodes.grid
    return Feedforward(
        problem=problem,
        method="index1",
        order=0,
        time=times,
        gamma=gamma[grid],
        q=nodes.q[grid],
        v=nodes.v[grid],
        a=nodes.a[grid],
        u=nodes.u[grid],
        lam=nodes.lam[grid],
        ropes=ropes[grid],
        residual=dict(
            zip(solver.stages.structure.equations, residual.max(axis=0).tolist(), strict=True)
        ),
        nodes=nodes,
        seconds=clock.perf_counter() - started,
    )


def require_smoothness(problem: ServoProblem, structure: Structure) -> None:
    """Raise a StructureError if the path has fewer continuous derivatives than are needed."""
    for output, needed in structure.path_derivatives.items():
        worst = min(problem.path.breaks(output), key=lambda b: b.order, default=None)
        if worst is not None and worst.order < needed:
            remedy = f"set path.smoothness = {max(structure.path_derivatives.values())} or more"
            if isinstance(problem.path, BSplinePath):
                end = {0.0: "moving_start", problem.path.duration: "moving_end"}.get(worst.time)
                remedy = "choose a higher degree or fewer equal knots"
                if end is not None:
                    remedy = f"let it rest there, or set path.{end} = true if it moves"
            raise StructureError(
                f"the path of output {output} is not smooth enough: crane '{problem.crane.name}' "
                f"has index {structure.index} and needs {needed} continuous derivatives of it, the "
                f"path has {worst.order} at t = {worst.time:g} s; {remedy}"
            )


def initial_guess(problem: ServoProblem, stages: Stages) -> Array:
    """Return the unknowns of Newton's method at rest, with multipliers in static balance."""
    model = stages.structure.model
    x = rest_values(model, problem.start_coordinates(), problem.parameter_vector)
    return np.array([x[j] if order == 0 else 0.0 for j, order in stages.guess])


def start_solution(problem: ServoProblem, solver: PointSolver) -> Array:
    """Return Newton's unknowns w at t = 0.

    The state of a path that starts in motion is far from rest. Where the user states it, Newton's
    method starts there; else it is made out of rest by letting the path run at the speed s, from 0
    to 1, where its k-th derivative is s^k times its own.
    """
    p, zero = problem.parameter_vector, np.zeros(1)
    gammas = _gammas(problem, zero, np.zeros(1, dtype=bool), solver.stages.path_order)
    guess = initial_guess(problem, solver.stages)
    if not gammas[0, len(problem.path.outputs) :].any():
        found: Array = _newton(solver, guess[None, :], gammas, p, zero)[0]
        return found
    guesses = [guess]
    if problem.initial:
        stated = _stated_start(problem, solver, guess, gammas)
        if stated is not None:
            return stated
        guesses.append(initial_guess(replace(problem, initial={}), solver.stages))
    for guess in guesses:
        sped_up = _sped_up(problem, solver, guess, gammas)
        if sped_up is not None:
            return sped_up
    raise SolutionError(
        "no state of the crane is found for the motion that the path starts with: the crane cannot "
        "hold the load there, or the state is far from the rest position at the same place; state "
        "it in crane.initial"
    )


def _stated_start(
    problem: ServoProblem, solver: PointSolver, guess: Array, gammas: Array
) -> Array | None:
    """Return the start that has the stated coordinates, if Newton's method finds it from them."""
    p = problem.parameter_vector
    try:
        w = _newton(solver, guess[None, :], gammas, p, np.zeros(1))
    except SolutionError:
        return None
    q = solver.finish(w, gammas, p)[0][0][solver.stages.layout["q"]]
    near = np.abs(q - problem.start_coordinates()) <= STATED * (1.0 + np.abs(q))
    stated = [name in problem.initial for name in names(problem.crane.coordinates)]
    return np.asarray(w[0]) if near[stated].all() else None


def _sped_up(
    problem: ServoProblem, solver: PointSolver, guess: Array, gammas: Array
) -> Array | None:
    """Return the start of a motion, followed from rest at the same place; None if it is lost."""
    stages, p = solver.stages, problem.parameter_vector
    order = np.repeat(np.arange(stages.path_order + 1), len(problem.path.outputs))
    try:
        w = _newton(solver, guess[None, :], gammas * (order == 0), p, np.zeros(1))[0]
    except SolutionError:
        return None
    for refinement in (1, 4, 16):
        speeds = np.linspace(0.0, 1.0, SPEEDS * refinement + 1)
        scaled = gammas * speeds[:, None] ** order
        found = solver.follow(w, scaled, p)
        if not _unsettled(solver, solver.sweep(found, scaled, p)[1], found).any():
            require_regular(stages, solver.finish(found, scaled, p)[3], np.zeros(speeds.size))
            return np.asarray(_newton(solver, found[-1:], gammas, p, np.zeros(1))[0])
    return None


def start_motion(problem: ServoProblem, solver: PointSolver) -> dict[str, Array]:
    """Return q, v, a, lambda and u at t = 0."""
    p, layout = problem.parameter_vector, solver.stages.layout
    gammas = _gammas(problem, np.zeros(1), np.zeros(1, dtype=bool), solver.stages.path_order)
    motion = solver.finish(start_solution(problem, solver)[None, :], gammas, p)[0][0]
    return {name: motion[layout[name]] for name in ("q", "v", "a", "lambda", "u")}


@lru_cache(maxsize=8)
def follow_path(problem: ServoProblem, solver: PointSolver) -> tuple[Array, Array]:
    """Follow the solution along the path through a coarse grid.

    Returns the times and Newton's unknowns there, after making sure that no block of the system
    becomes singular on the way. Kept for the problems solved last: a run solves each on several
    grids.
    """
    p, stages = problem.parameter_vector, solver.stages
    w = start_solution(problem, solver)
    knots = np.asarray(problem.path.knots)
    for refinement in (1, 4, 16, 64):
        count = COARSE_TIMES * refinement + 1
        times = _apart(np.linspace(0.0, problem.path.duration, count), knots)
        gammas = _gammas(problem, times, np.zeros(times.size, dtype=bool), stages.path_order)
        found = solver.follow(w, gammas, p)
        _, step = solver.sweep(found, gammas, p)
        bad = _unsettled(solver, step, found)
        if not bad.any():
            break
    end = int(np.argmax(bad)) if bad.any() else times.size
    reached = max(end, 1)  # the start is judged even if Newton's method does not settle there
    jacobians = solver.finish(found[:reached], gammas[:reached], p)[3]
    require_regular(stages, jacobians, times[:reached])
    if end < times.size:
        fading = fading_block(stages, jacobians) if end else None
        if fading is not None:
            raise singular_block(stages, fading, times[end])
        raise SolutionError(
            f"no solution beyond t = {times[max(end - 1, 0)]:.6g} s: Newton's method fails at "
            f"t = {times[end]:.6g} s; the load would have to go where the crane cannot hold it"
        )
    return times, found


def _apart(times: Array, knots: Array) -> Array:
    """Return times and knots together, without the times that rounding only keeps from a knot.

    Rates between two such times would be rounding, and interpolation by them leads elsewhere.
    """
    least = 1e-6 * (times[-1] - times[0]) / times.size
    after = np.clip(np.searchsorted(knots, times), 1, knots.size - 1)
    distance = np.minimum(np.abs(times - knots[after - 1]), np.abs(times - knots[after]))
    return np.union1d(times[distance > least], knots)


def system_jacobians(solution: Feedforward) -> Array:
    """Return the system Jacobian df_i / dx_j^(d_j - c_i) at the times of a solution."""
    problem, times = solution.problem, solution.time
    solver, p = point_solver(problem), problem.parameter_vector
    stages, count = solver.stages, times.size
    gammas = _gammas(problem, times, np.zeros(count, dtype=bool), stages.path_order)
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


def _node_times(problem: ServoProblem, times: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return grid and knots, inner knots twice, and which of them look to the left.

    Between the knots of a path that was planned a drive may change by all of its range: there the
    short pieces get nodes of their own, or the controls between the grid's times would be wrong.
    A grid that has the knots already was made for the path, and is left as it is.
    """
    knots = np.asarray(problem.path.knots)
    inner = knots[(knots > times[0]) & (knots < times[-1])]
    suited = inner.size > 0 and bool(np.isin(inner, times).all())
    if isinstance(problem.path, Pieces) and times.size > 2 and not suited:
        edges = np.union1d(inner, times[[0, -1]])
        few = np.diff(np.searchsorted(times, edges)) < _NODES_PER_PIECE
        share = np.linspace(0.0, 1.0, _NODES_PER_PIECE + 1)[1:-1]
        more = edges[:-1][few, None] + np.diff(edges)[few, None] * share
        times = np.union1d(times, more.ravel())
    nodes = np.sort(np.concatenate([np.union1d(times, inner), inner]))
    left = np.append(np.diff(nodes) == 0.0, True)
    return nodes, left


def _gammas(problem: ServoProblem, times: Array, left: NDArray[np.bool_], order: int) -> Array:
    """Return the path's derivatives, a row for each time: all outputs, then their rates, ..."""
    values = problem.path.derivatives(times, order)
    if left.any():
        values[:, :, left] = problem.path.derivatives(times[left], order, side="left")
    return np.ascontiguousarray(values.transpose(2, 0, 1)).reshape(times.size, -1)


def _interpolate(times: Array, w: Array, wanted: Array) -> Array:
    if w.shape[1] == 0:
        return np.zeros((wanted.size, 0))
    rates = np.gradient(w, times, axis=0)
    return hermite(times, (w[:-1], rates[:-1]), (w[1:], rates[1:]))(wanted)


def _newton(solver: PointSolver, w: Array, gammas: Array, p: Array, times: Array) -> Array:
    """Iterate to convergence at all times together."""
    if w.shape[1] == 0:
        return w
    active = np.arange(times.size)
    for _ in range(NEWTON_SWEEPS):
        new, step = solver.sweep(w[active], gammas[active], p)
        w[active] = new
        active = active[_unsettled(solver, step, new)]
        if not active.size:
            return w
    raise SolutionError(
        f"Newton's method does not converge at t = {times[active[0]]:.6g} s: the crane cannot hold "
        "the load there, or the start is far from a rest position (crane.initial)"
    )


def _unsettled(solver: PointSolver, step: Array, w: Array) -> NDArray[np.bool_]:
    """Tell at which times the last step was not small; not a number counts as not small."""
    combined = bool(solver.stages.structure.combinations)
    tolerance = COMBINED_TOLERANCE if combined else NEWTON_TOLERANCE
    small = np.abs(step) <= tolerance * (1.0 + np.abs(w))
    return np.asarray(~small.all(axis=1))


def _require_small(stages: Stages, residual: Array, times: Array) -> None:
    worst = np.unravel_index(np.argmax(residual), residual.shape)
    if not residual[worst] <= RESIDUAL_LIMIT:
        raise SolutionError(
            f"equation '{stages.structure.equations[int(worst[1])]}' holds only to "
            f"{residual[worst]:.1e} (relative) at t = {times[int(worst[0])]:.6g} s; a stage is "
            "nearly singular there, or the equation jumps"
        )


__all__ = [
    "PointSolver",
    "StructureError",
    "point_solver",
    "require_smoothness",
    "solve_index1",
    "stages_of",
    "structure_of",
]
