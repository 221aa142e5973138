"""The bounded motion of internal dynamics from rest to rest, for each kind of them.

Every kind is a boundary value problem eta' = q(t, eta) on the window: at its first time the parts
along stable directions (and those of a centre) are at rest, at its last time the parts along
unstable ones. With all conditions at one end it is an initial value problem, forwards for stable
dynamics, backwards for unstable ones.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, pairwise

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.inverse.internal.boundary_problem import (
    MOST_INTERVALS,
    Boundary,
    BoundarySolution,
    NewtonError,
    UnresolvedError,
    solve_collocation,
)
from cranebridge.inverse.internal.classification import Classification, EndDynamics, eigenvalue_text
from cranebridge.inverse.internal.dynamics import InternalDynamics, place_text
from cranebridge.inverse.internal.singular_places import no_motion, weakest_place
from cranebridge.inverse.internal.windows import Window

Array = NDArray[np.float64]

TOLERANCE = 1e-10
"""Error of eta, relative to the range of each of its components."""
# A component that moves less than this does not move.
LEAST_RANGE = 1e-9
# The first mesh has at least this many intervals.
FEWEST_INTERVALS = 40
# No interval of the first mesh is longer than this part of the fastest eigenvalue's time.
OF_FASTEST = 1.0
# More intervals than this are not made for that: a motion that is much smoother than stiff dynamics
# could be needs no more, and where it is not, the mesh is refined.
MOST_AT_FIRST = 2000
# Explicit integration takes some 10 evaluations for each 1/|eigenvalue|, a millisecond each. It is
# not begun for windows longer than this many of these times.
LONGEST_INTEGRATED = 1000.0
# It ends when so many evaluations were not enough: the dynamics have become faster on the way.
MOST_EVALUATIONS = 20_000
# Where Newton's method needs help, this part of the path's velocities and accelerations comes
# first, then more.
FIRST_PART = 0.25
# The steps to more are halved down to this one.
LEAST_PART = 0.01
# Error of eta on the way, which need not be exact; relative as `TOLERANCE`.
TOLERANCE_ON_THE_WAY = 1e-6


class InternalRate:
    """q(t, eta) for the collocation: with the path at these times, and Newton's last solution.

    A part below one of the path's derivatives gives dynamics between rest and the wanted ones.
    """

    def __init__(self, dynamics: InternalDynamics, part: float = 1.0) -> None:
        self.dynamics, self.part = dynamics, part
        self._times: Array | None = None
        self._gammas = self._w = np.zeros((0, 0))

    def __call__(self, times: Array, eta: Array) -> tuple[Array, Array]:
        """Return q and dq/deta, a row for each time; nan where the stages have no solution."""
        if times is not self._times:
            self._times, self._gammas = times, self._scaled(self.dynamics.gammas(times))
            self._w = self.dynamics.first_guess(times)
        w, failed = self.dynamics.solve(self._w, eta, self._gammas)
        q, by_eta = self.dynamics.rate(w, eta, self._gammas)
        self._w = np.where(failed[:, None], self._w, w)
        q[failed] = np.nan
        return q, by_eta

    def _scaled(self, gammas: Array) -> Array:
        outputs = len(self.dynamics.problem.path.outputs)
        gammas[:, outputs:] *= self.part
        return gammas


def solve_bounded(
    dynamics: InternalDynamics, kind: Classification, window: Window
) -> BoundarySolution:
    """Solve the boundary value problem of the kind.

    Raises
    ------
    SolutionError
        If there is no motion, with time and place, or the dynamics are too fast to be resolved,
        with eigenvalues.
    """
    start = Boundary(np.vstack([kind.start.stable, kind.start.centre]), kind.start.state)
    end = Boundary(kind.end.unstable, kind.end.state)
    if kind.kind == "free":  # an initial value problem, whatever grows in it
        start = Boundary(np.eye(dynamics.dimension), kind.start.state)
        end = Boundary(np.zeros((0, dynamics.dimension)), kind.end.state)
    fastest = max(np.abs(at.eigenvalues).max() for at in (kind.start, kind.end))
    mesh = _first_mesh(dynamics, fastest, window)
    scale = np.maximum(LEAST_RANGE, 1e-6 * np.abs(dynamics.rest_state(end=True)))

    def solve(part: float, guess: Callable[[Array], Array]) -> BoundarySolution:
        rate = InternalRate(dynamics, part)
        tolerance = TOLERANCE if part == 1.0 else TOLERANCE_ON_THE_WAY
        return solve_collocation(rate, start, end, mesh, guess, scale, tolerance)

    try:
        return solve(1.0, dynamics.rest_states)
    except UnresolvedError as error:
        raise SolutionError(f"{error} (eigenvalues {_fastest_end(kind).text})") from error
    except NewtonError as error:
        fast_times = fastest * (mesh[-1] - mesh[0])
        # Not even the finest mesh would have an interval for each of these times.
        if fast_times > MOST_INTERVALS:
            raise _too_fast_at_rest(dynamics, kind) from error
        if kind.kind == "saddle" or fast_times > LONGEST_INTEGRATED:
            return _continued(dynamics, kind, solve)
    backwards = kind.kind == "unstable"
    times, state = (mesh[::-1], kind.end.state) if backwards else (mesh, kind.start.state)
    return solve(1.0, integrated(dynamics, times, state))


def _continued(
    dynamics: InternalDynamics,
    kind: Classification,
    solve: Callable[[float, Callable[[Array], Array]], BoundarySolution],
) -> BoundarySolution:
    """Come from slower dynamics to the wanted ones; where that ends, name the weakest place."""
    part, step = 0.0, FIRST_PART
    guess: Callable[[Array], Array] = dynamics.rest_states
    found: BoundarySolution | None = None
    while part < 1.0:
        wanted = min(part + step, 1.0)
        try:
            found = solve(wanted, guess)
        except SolutionError as error:
            step *= 0.5
            if step < LEAST_PART and found is None:
                raise SolutionError(
                    f"{error}, even with {LEAST_PART:.0%} of the path's velocities (eigenvalues "
                    f"{_fastest_end(kind).text} at rest): the inversion is singular close to the "
                    "path; let it keep away from there, or choose other outputs"
                ) from error
            if step < LEAST_PART:
                break
            continue
        part, guess = wanted, found.polynomial
    assert found is not None
    if part < 1.0:
        raise weakest_place(dynamics, found, part)
    return found


def integrated(
    dynamics: InternalDynamics, times: Array, state: Array, tolerance: float = 1e-6
) -> Callable[[Array], Array]:
    """Integrate internal dynamics from a state at the first of some times to the last.

    Raises
    ------
    SolutionError
        If it does not come there; with time and place.
    """
    from scipy.integrate import solve_ivp

    evaluations = count()

    def q(t: float, eta: Array) -> Array:
        at, row = np.array([t]), eta[None, :]
        gammas = dynamics.gammas(at)
        w, failed = dynamics.solve(dynamics.first_guess(at), row, gammas)
        if next(evaluations) >= MOST_EVALUATIONS:
            raise _too_fast_on_the_way(dynamics, t, w, row)
        value = dynamics.rate(w, row, gammas)[0][0]
        return np.full(eta.size, np.nan) if failed.any() else value

    size = np.maximum(np.abs(state), 1e-3)
    found = solve_ivp(
        q,
        (times[0], times[-1]),
        state,
        method="DOP853",
        rtol=tolerance,
        atol=tolerance * size,
        dense_output=True,
    )
    if not found.success:
        time, last = float(found.t[-1]), found.y[:, -1][None, :]
        raise no_motion(dynamics, time, last, dynamics.gammas(np.array([time])))
    return lambda t: np.asarray(found.sol(t)).T


def _first_mesh(dynamics: InternalDynamics, fastest: float, window: Window) -> Array:
    duration = dynamics.problem.path.duration
    first, last = -window.before, duration + window.after
    longest = min((last - first) / FEWEST_INTERVALS, OF_FASTEST / max(fastest, 1e-9))
    longest = max(longest, (last - first) / MOST_AT_FIRST)
    knots = np.asarray(dynamics.problem.path.knots)
    edges = np.union1d([first, last], knots[(knots > first) & (knots < last)])
    pieces = [
        np.linspace(a, b, int(np.ceil((b - a) / longest)), endpoint=False)
        for a, b in pairwise(edges)
    ]
    return np.append(np.concatenate(pieces), last)


def _fastest_end(kind: Classification) -> EndDynamics:
    return max((kind.start, kind.end), key=lambda end: float(np.abs(end.eigenvalues).max()))


def _too_fast_at_rest(dynamics: InternalDynamics, kind: Classification) -> SolutionError:
    """Return the error for eigenvalues that no mesh resolves, with the end that has them."""
    end = _fastest_end(kind)
    last = end is kind.end
    time = dynamics.problem.path.duration if last else 0.0
    return _too_fast(end.text, time, place_text(dynamics, dynamics.rest.x[-1 if last else 0]))


def _too_fast_on_the_way(
    dynamics: InternalDynamics, time: float, w: Array, eta: Array
) -> SolutionError:
    """Return the error for dynamics that become too fast, with their eigenvalues there."""
    gammas = dynamics.gammas(np.array([time]))
    matrix = dynamics.rate(w, eta, gammas)[1][0]
    q = dynamics.finish(w, eta, gammas)[0][0, dynamics.stages.layout["q"]]
    text = "not finite"
    if np.isfinite(matrix).all():
        text = ", ".join(eigenvalue_text(complex(value)) for value in np.linalg.eigvals(matrix))
    return _too_fast(f"{text} 1/s", time, place_text(dynamics, q))


def _too_fast(eigenvalues: str, time: float, place: str) -> SolutionError:
    return SolutionError(
        f"the internal dynamics are too fast to be resolved (eigenvalues {eigenvalues} near "
        f"t = {time:.4g} s at {place}): the inversion is nearly singular there, or a part of the "
        "crane is very stiff; let the path keep away from there, shorten the window by "
        "solve.before or solve.after, or leave out what is so stiff"
    )
