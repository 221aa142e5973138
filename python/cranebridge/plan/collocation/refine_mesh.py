"""A motion found on a coarse mesh first, then on finer ones, each started from the one before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, SolutionError
from cranebridge.plan.collocation.collocation_solution import ActiveLimit, CollocationSolution, Side
from cranebridge.plan.collocation.ipopt import IpoptResult, solve_programme
from cranebridge.plan.collocation.transcription import Transcription
from cranebridge.plan.task import InitialGuess, TrackingCost
from cranebridge.progress import Progress, ignore_progress

Array = NDArray[np.float64]

_GOOD = ("Solve_Succeeded", "Solved_To_Acceptable_Level")
# The first mesh has about this many intervals.
_COARSE = 25
# A value this near to a limit, as a part of its range, is at it: IPOPT's bounds are never met.
_AT_LIMIT = 1e-5
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Mesh:
    """How finely a motion is divided.

    Attributes
    ----------
    intervals : int
        Of the last mesh; those before have half, a quarter, ... of them.
    degree : int
        Number of Radau points of an interval.
    tolerance : float
        Of IPOPT.
    between : bool
        Whether limits of coordinates and speeds hold between the points, too, by Bernstein's
        coefficients; without, they are passed where a drive switches within an interval.
    """

    intervals: int = 100
    degree: int = 3
    tolerance: float = 1e-9
    between: bool = True

    def __post_init__(self) -> None:
        if self.intervals < 1 or not 1 <= self.degree <= 9:
            raise InputError(
                f"a mesh needs at least one interval of 1 to 9 points, got {self.intervals} of "
                f"{self.degree}"
            )


@dataclass(frozen=True, eq=False)
class CollocationProblem:
    """A programme with the times that its meshes must have and where it starts."""

    programme: Transcription
    guess: InitialGuess
    first: float = 0.0
    kinks: tuple[float, ...] = (0.0, 1.0)
    tracking: TrackingCost | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)


def refine(
    search: CollocationProblem, mesh: Mesh, progress: Progress = ignore_progress
) -> CollocationSolution:
    """Solve on meshes of growing fineness.

    Parameters
    ----------
    search : CollocationProblem
        What is to be found.
    mesh : Mesh
        How finely.
    progress : callable
        Called with the part that is done.

    Raises
    ------
    SolutionError
        If IPOPT finds no motion.
    """
    found: CollocationSolution | None = None
    counts = _counts(mesh.intervals)
    for i, intervals in enumerate(counts):
        progress_of_mesh = _part_of(counts, i, progress)
        options = {"tol": mesh.tolerance, "max_iter": 1000, "bound_relax_factor": 0.0}
        if found is not None:
            options |= {"mu_init": 1e-5, "bound_push": 1e-7, "bound_frac": 1e-7}
        found = _solve_on(search, _mesh(search.kinks, intervals), found, options, progress_of_mesh)
    assert found is not None
    return found


def _part_of(counts: list[int], i: int, progress: Progress) -> Progress:
    """Return the progress of a mesh: an iteration takes as long as it has intervals."""
    if progress is ignore_progress:
        return ignore_progress
    before, own, total = sum(counts[:i]), counts[i], sum(counts)
    return lambda part: progress((before + part * own) / total)


def _counts(intervals: int) -> list[int]:
    counts = [intervals]
    while counts[0] >= 2 * _COARSE or (len(counts) < 2 and counts[0] > 1):
        counts.insert(0, -(-counts[0] // 2))
    return counts


def _mesh(kinks: tuple[float, ...], intervals: int) -> Array:
    """Divide the pieces between kinks in proportion to their lengths."""
    lengths = np.diff(kinks)
    counts = np.maximum(np.rint(lengths * intervals).astype(int), 1)
    pieces = [
        np.linspace(begin, end, count, endpoint=False)
        for begin, end, count in zip(kinks[:-1], kinks[1:], counts, strict=True)
    ]
    return np.append(np.concatenate(pieces), kinks[-1])


def _solve_on(
    search: CollocationProblem,
    parts: Array,
    before: CollocationSolution | None,
    options: Mapping[str, Any],
    progress: Progress,
) -> CollocationSolution:
    programme = search.programme
    points = programme.method.times(parts)
    references = np.zeros((points.shape[0], 0))
    if search.tracking is not None:
        # The end of an interval belongs to it, whatever rounding says: a kink may be there.
        inner = points.reshape(-1) - _ROUNDING
        times = search.first + inner * search.guess.duration
        both = np.concatenate(search.tracking.at(times)).T
        references = both.reshape(points.shape[0], -1)
    guess = _unknowns(search, parts, before)
    size = _cost_size(programme, parts, references, guess)
    solved = solve_programme(programme, np.diff(parts), references, guess, size, options, progress)
    if solved.status not in _GOOD:
        raise SolutionError(
            f"no motion is found that keeps all limits{_in_the_way(programme, solved)}: IPOPT ends "
            f"with {solved.status} after {solved.iterations} iterations on {parts.size - 1} "
            "intervals"
        )
    return _result(search, parts, before, solved)


def _in_the_way(programme: Transcription, solved: IpoptResult) -> str:
    """Name the limit that is pressed hardest, if any is."""
    if not solved.pressure.any():
        return ""
    i = int(np.argmax(solved.pressure))
    bounds = programme.bounds
    title, unit = bounds.signals[i].title, bounds.signals[i].unit
    return f"; that of {title}, [{bounds.least[i]:g}, {bounds.most[i]:g}] {unit}, is in the way"


def _cost_size(programme: Transcription, parts: Array, references: Array, guess: Array) -> float:
    """Return the cost of the guess: divided by it, costs are about one.

    A guess that rests at every point of its path costs nothing: then that of controls of their
    size.
    """
    count = parts.size - 1
    width = programme.interval.cost.size1_in(0)
    unknown = guess[: count * width].reshape(count, width).T.copy()
    known = np.column_stack([np.diff(parts), references]).T
    cost = programme.interval.cost.map(count)
    without = float(ca.sum2(cost(unknown, known)))
    size, point = 2 * programme.equations.size, programme.sizes.point.size
    for j in range(1, programme.method.degree + 1):
        end = size + j * point
        unknown[end - programme.equations.inputs : end] += 1.0
    loaded = float(ca.sum2(cost(unknown, known)))
    return without if without > 1e-3 * loaded else loaded


def _unknowns(
    search: CollocationProblem, parts: Array, before: CollocationSolution | None
) -> Array:
    """Return the scaled unknowns of a guess, or of a motion that was found on another mesh."""
    programme, sizes = search.programme, search.programme.sizes
    method, n = programme.method, programme.equations.size
    points = method.times(parts)
    if before is None:
        q, v, lam, u = search.guess.at(points)
        first = np.concatenate(search.guess.at(parts)[:2], axis=1)
        duration = search.guess.duration
    else:
        duration, start = before.duration, before.mesh[0]
        # of the polynomial to the left at a node, where controls jump
        times = start + points * duration * (1.0 - 1e-12)
        state = before.states(times)
        q, v, lam, u = (
            state[..., :n],
            state[..., n:],
            before.multipliers(times),
            before.controls(times),
        )
        first = before.states(start + parts * duration)
    first[0] = programme.start
    eta = np.zeros((*points.shape, programme.equations.conditions))
    values = np.concatenate([q, v, lam, eta, u], axis=2) / sizes.point
    count = points.shape[0]
    columns = [first[:-1] / sizes.state, values.reshape(count, -1)]
    if programme.free:
        columns.append(np.full((count, 1), duration / sizes.duration))
    last = first[-1] / sizes.state
    if programme.end.balance:
        still_ = np.concatenate([lam[-1, -1] / sizes.lam, u[-1, -1] / sizes.u])
        last = np.concatenate([last, still_])
    return np.concatenate([np.concatenate(columns, axis=1).reshape(-1), last])


def _result(
    search: CollocationProblem,
    parts: Array,
    before: CollocationSolution | None,
    solved: IpoptResult,
) -> CollocationSolution:
    programme, sizes = search.programme, search.programme.sizes
    eq, method = programme.equations, programme.method
    count, n, d = parts.size - 1, eq.size, method.degree
    width = 2 * n + d * sizes.point.size + programme.free
    own = solved.unknowns[: count * width].reshape(count, width)
    begin = own[:, None, : 2 * n] * sizes.state
    point = own[:, 2 * n : 2 * n + d * sizes.point.size].reshape(count, d, -1) * sizes.point
    states = np.concatenate([begin, point[..., : 2 * n]], axis=1)
    lam = point[..., 2 * n : 2 * n + eq.multipliers]
    u = point[..., sizes.point.size - eq.inputs :]
    duration = own[0, -1] * sizes.duration if programme.free else sizes.duration
    times = search.first + parts * duration
    change = np.nan if before is None else abs(solved.cost - before.cost)
    active = _active(programme, parts, duration, states, lam, u)
    return CollocationSolution(
        eq.model.crane,
        search.parameters,
        method,
        times,
        states,
        lam,
        u,
        solved.cost,
        change,
        active,
        solved.iterations,
    )


def _active(
    programme: Transcription, parts: Array, duration: float, states: Array, lam: Array, u: Array
) -> tuple[ActiveLimit, ...]:
    """Return the limits that are reached at some points, with the share of time."""
    bounds, method, n = programme.bounds, programme.method, programme.equations.size
    h = duration * np.diff(parts)[:, None, None]
    a = (np.einsum("kj,ikn->ijn", method.slopes, states) / h)[..., n:]
    count = a.shape[0] * a.shape[1]
    given = [states[:, 1:, :n], states[:, 1:, n:], a, np.zeros_like(a), lam, u]
    flat = [part.reshape(count, part.shape[-1]).T for part in given]
    p = np.tile(programme.parameters[:, None], count)
    values = np.array(bounds.function.map(count)(*flat, p)).T
    weights = (np.diff(parts)[:, None] * method.weights).reshape(-1)
    sides: tuple[tuple[Side, Array], ...] = (
        ("least", values - bounds.least),
        ("most", bounds.most - values),
    )
    found = []
    for i, signal in enumerate(bounds.signals):
        for side, distance in sides:
            share = float(weights @ (distance[:, i] <= _AT_LIMIT * bounds.size[i]))
            if share > 0.0:
                found.append(ActiveLimit(signal.title, side, share))
    return tuple(found)
