"""How the solution of a flat crane is followed from its start along the path, on a coarse grid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.inverse.extension import (
    Stages,
    block_equations,
    fading_block,
    require_regular,
    singular_block,
    slack_rope,
    worst_condition,
)
from cranebridge.inverse.index1.solvers import PointSolver
from cranebridge.inverse.index1.starting import rest_values
from cranebridge.inverse.piecewise import Piecewise, hermite
from cranebridge.inverse.problem import ServoProblem
from cranebridge.numerics import distinct
from cranebridge.path import Path
from cranebridge.twin.language import names

Array = NDArray[np.float64]

NEWTON_SWEEPS = 50
# The path is first followed through this many times, then all others start from there.
COARSE_TIMES = 400
# Where Newton's method does not settle on them: on so many times as many times, with so many times
# as many steps at each of them (stiff ropes that swing).
REFINEMENTS = ((1, 1), (1, 4), (4, 4), (16, 2), (64, 1))
# A start in motion is reached from rest through this many speeds.
SPEEDS = 50
# A scaled block with a larger condition loses more than half of all digits.
_ILL_CONDITIONED = 1e8
# A start that has the stated coordinates to this accuracy is the stated one.
STATED = 1e-6


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
    gammas = gammas_at(problem, zero, np.zeros(1, dtype=bool), solver.stages.path_order)
    guess = initial_guess(problem, solver.stages)
    if starts_at_rest(solver.stages, gammas, len(problem.path.outputs)):
        found: Array = newton(solver, guess[None, :], gammas, p, zero)[0]
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


def starts_at_rest(stages: Stages, gammas: Array, outputs: int) -> bool:
    """Return whether Newton's unknowns at a path's start are those of a crane that rests there.

    They do not see all of the path's derivatives: the highest one may begin with a jump.
    """
    return not any(gammas[0, column] for column in stages.seen if column >= outputs)


def _stated_start(
    problem: ServoProblem, solver: PointSolver, guess: Array, gammas: Array
) -> Array | None:
    """Return the start that has the stated coordinates, if Newton's method finds it from them."""
    p = problem.parameter_vector
    try:
        w = newton(solver, guess[None, :], gammas, p, np.zeros(1))
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
        w = newton(solver, guess[None, :], gammas * (order == 0), p, np.zeros(1))[0]
    except SolutionError:
        return None
    for refinement in (1, 4, 16):
        speeds = np.linspace(0.0, 1.0, SPEEDS * refinement + 1)
        scaled = gammas * speeds[:, None] ** order
        found = solver.follow(w, scaled, p)
        if not solver.unsettled(solver.sweep(found, scaled, p)[1], found).any():
            require_regular(stages, solver.finish(found, scaled, p)[3], np.zeros(speeds.size))
            return np.asarray(newton(solver, found[-1:], gammas, p, np.zeros(1))[0])
    return None


def start_motion(problem: ServoProblem, solver: PointSolver) -> dict[str, Array]:
    """Return q, v, a, lambda and u at t = 0."""
    p, layout = problem.parameter_vector, solver.stages.layout
    gammas = gammas_at(problem, np.zeros(1), np.zeros(1, dtype=bool), solver.stages.path_order)
    motion = solver.finish(start_solution(problem, solver)[None, :], gammas, p)[0][0]
    return {name: motion[layout[name]] for name in ("q", "v", "a", "lambda", "u")}


@dataclass(frozen=True, eq=False)
class CoarseSolution:
    """A solution at the coarse times.

    Attributes
    ----------
    times, w : numpy.ndarray
        When, and Newton's unknowns there, a row for each time.
    guess : Piecewise or None
        Newton's unknowns in between, to start from; None where there are no such unknowns.
    tolerance : float
        Relative steps of Newton's method that are this small are its last.
    """

    times: Array
    w: Array
    guess: Piecewise | None
    tolerance: float


@lru_cache(maxsize=8)
def follow_path(problem: ServoProblem, solver: PointSolver) -> CoarseSolution:
    """Follow the solution along the path through a coarse grid.

    Makes sure that no block of the system becomes singular on the way. Kept for the problems
    solved last: a run solves each on several grids.
    """
    p, stages = problem.parameter_vector, solver.stages
    w = start_solution(problem, solver)
    for refinement, sweeps in REFINEMENTS:
        times = coarse_times(problem.path, refinement)
        gammas = gammas_at(problem, times, np.zeros(times.size, dtype=bool), stages.path_order)
        found, bad, tolerance = solver.settle(solver.follow(w, gammas, p, sweeps), gammas, p)
        if not bad.any():
            break
    return require_followed(solver, times, gammas, p, found, bad, tolerance)


def coarse_times(path: Path, refinement: int) -> Array:
    """Return the times through which a path is followed: evenly, and its knots."""
    even = np.linspace(0.0, path.duration, COARSE_TIMES * refinement + 1)
    return _apart(even, np.asarray(path.knots))


def require_followed(
    solver: PointSolver,
    times: Array,
    gammas: Array,
    p: Array,
    found: Array,
    bad: NDArray[np.bool_],
    tolerance: float | None = None,
) -> CoarseSolution:
    """Return a solution that was followed, if that went well.

    Parameters
    ----------
    solver : PointSolver
        Of the crane.
    times, gammas : numpy.ndarray
        The coarse times and the path there.
    p : numpy.ndarray
        Parameters.
    found : numpy.ndarray
        Newton's unknowns, a row for each time.
    bad : numpy.ndarray
        Where Newton's method has not settled.
    tolerance : float, optional
        What its steps were judged by; the solver's if not given.

    Raises
    ------
    SolutionError
        If a block is singular on the way, or the solution was lost.
    """
    stages = solver.stages
    end = int(np.argmax(bad)) if bad.any() else times.size
    reached = max(end, 1)  # the start is judged even if Newton's method does not settle there
    motion, ropes, rates, jacobians = solver.finish(found[:reached], gammas[:reached], p)
    require_regular(stages, jacobians, times[:reached], ropes)
    if end < times.size:
        fading = fading_block(stages, jacobians) if end else None
        if fading is not None:
            raise singular_block(stages, fading, times[end], ropes)
        raise _lost(stages, times, end, ropes, jacobians)
    between = _between(stages, times, found, motion, rates)
    return CoarseSolution(times, found, between, tolerance or solver.tolerance)


def _lost(stages: Stages, times: Array, end: int, ropes: Array, jacobians: Array) -> SolutionError:
    """Return the error that says why a solution with regular stages ends: what can be seen of it.

    Parameters
    ----------
    end : int
        The first of the times at which there is none.
    ropes, jacobians : numpy.ndarray
        Rope forces and watched Jacobians until then.
    """
    last = times[max(end - 1, 0)]
    where = f"no solution beyond t = {last:.6g} s"
    slack = slack_rope(stages, ropes) if end else None
    if slack is not None:
        return SolutionError(
            f"{where}: {slack}; a slower path, or one farther below, keeps it taut"
        )
    block, condition = worst_condition(stages, jacobians[-1:])
    if condition > _ILL_CONDITIONED:
        return SolutionError(
            f"{where}: stage {block.first_stage} has the condition {condition:.1e} there, so that "
            f"rounding hides its solution ({', '.join(block_equations(stages, block))}); other "
            "coordinates may help, such as the stretch of a stiff rope as a massless coordinate"
        )
    return SolutionError(
        f"{where}: Newton's method fails at t = {times[end]:.6g} s, although all stages are "
        f"regular (largest condition {condition:.1e}); the load would have to go where the crane "
        "cannot hold it, or its state changes too fast: try a slower path, or one farther away"
    )


def _apart(times: Array, knots: Array) -> Array:
    """Return times and knots together, without the times that rounding only keeps from a knot.

    Rates between two such times would be rounding, and interpolation by them leads elsewhere.
    """
    least = 1e-6 * (times[-1] - times[0]) / times.size
    after = np.clip(np.searchsorted(knots, times), 1, knots.size - 1)
    distance = np.minimum(np.abs(times - knots[after - 1]), np.abs(times - knots[after]))
    return distinct(np.append(times[distance > least], knots))


def _between(
    stages: Stages, times: Array, w: Array, motion: Array, rates: Array
) -> Piecewise | None:
    """Return quintics through Newton's unknowns with their exact derivatives.

    Their error is of order 6 in the coarse step, so that most times need a single step of Newton's
    method. Where the second derivative is not known (of multipliers and inputs), differences do.
    """
    if not w.shape[1]:
        return None
    layout = stages.layout
    algebraic = [motion[:, layout[name]] for name in ("lambda", "u")]
    algebraic_rates = [rates[:, layout[name]] for name in ("lambda_rate", "u_rate")]
    by_order = [
        np.hstack([motion[:, layout["q"]], *algebraic]),
        np.hstack([motion[:, layout["v"]], *algebraic_rates]),
        motion[:, layout["a"]],
        rates[:, layout["jerk"]],
    ]

    def column(j: int, order: int) -> Array | None:
        known = order < len(by_order) and j < by_order[order].shape[1]
        return by_order[order][:, j] if known else None

    speeds, curvatures = [], []
    for number, (j, order) in enumerate(stages.guess):
        speed, curvature = column(j, order + 1), column(j, order + 2)
        speed = np.gradient(w[:, number], times) if speed is None else speed
        speeds.append(speed)
        curvatures.append(
            _curvature(times, w[:, number], speed) if curvature is None else curvature
        )
    speed, curvature = np.column_stack(speeds), np.column_stack(curvatures)
    ends = [(w[rows], speed[rows], curvature[rows]) for rows in (slice(-1), slice(1, None))]
    return hermite(times, *ends)


def _curvature(times: Array, x: Array, speed: Array) -> Array:
    """Return second derivatives from values and first derivatives.

    Of order 4 between equal steps, where 2 (x_+ - 2 x + x_-) / h^2 - (x'_+ - x'_-) / (2 h) leaves
    h^4 / 360 of the sixth derivative; of lower order elsewhere.
    """
    found, h = np.asarray(np.gradient(speed, times)), np.diff(times)
    even = 1 + np.flatnonzero(np.abs(np.diff(h)) < 1e-6 * h[1:])
    step = 0.5 * (times[even + 1] - times[even - 1])
    second = (x[even + 1] - 2.0 * x[even] + x[even - 1]) / step**2
    found[even] = 2.0 * second - (speed[even + 1] - speed[even - 1]) / (2.0 * step)
    return found


def gammas_at(problem: ServoProblem, times: Array, left: NDArray[np.bool_], order: int) -> Array:
    """Return the path's derivatives, a row for each time: all outputs, then their rates, ..."""
    values = problem.path.derivatives(times, order)
    if left.any():
        values[:, :, left] = problem.path.derivatives(times[left], order, side="left")
    return np.ascontiguousarray(values.transpose(2, 0, 1)).reshape(times.size, -1)


def newton(
    solver: PointSolver,
    w: Array,
    gammas: Array,
    p: Array,
    times: Array,
    tolerance: float | None = None,
) -> Array:
    """Iterate to convergence at all times together."""
    if w.shape[1] == 0:
        return w
    active = np.arange(times.size)
    for _ in range(NEWTON_SWEEPS):
        new, step = solver.sweep(w[active], gammas[active], p)
        w[active] = new
        active = active[solver.unsettled(step, new, tolerance)]
        if not active.size:
            return w
    settled, bad, _ = solver.settle(w[active], gammas[active], p)
    if bad.any():
        raise unsettled_at(times[active[bad]][0])
    w[active] = settled
    return w


def unsettled_at(time: float) -> SolutionError:
    """Return the error that says where Newton's method does not converge."""
    return SolutionError(
        f"Newton's method does not converge at t = {time:.6g} s: the crane cannot hold the load "
        "there, or the start is far from a rest position (crane.initial)"
    )
