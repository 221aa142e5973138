"""The bounded motion of internal dynamics from rest to rest, for each kind of them.

Every kind is a boundary value problem eta' = q(t, eta) on the window: at its first time the parts
along stable directions (and those of a centre) are at rest, at its last time the parts along
unstable ones. With all conditions at one end it is an initial value problem, forwards for stable
dynamics, backwards for unstable ones.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.inverse.boundary_problem import (
    MOST_INTERVALS,
    Boundary,
    Collocated,
    NewtonError,
    solve_collocation,
)
from cranebridge.inverse.classification import Classification
from cranebridge.inverse.internal import InternalDynamics, place_text
from cranebridge.inverse.singular import no_motion, weakest_place
from cranebridge.inverse.windows import Window

Array = NDArray[np.float64]

TOLERANCE = 1e-10
"""Error of eta, relative to the range of each of its components."""
# A component that moves less than this does not move.
LEAST_RANGE = 1e-9
# The first mesh has at least this many intervals, and none longer than this part of the fastest
# eigenvalue's time.
FEWEST_INTERVALS, OF_FASTEST = 40, 1.0
# Two halvings of the first mesh must be left: one for its refinement, one for the error.
MOST_AT_FIRST = MOST_INTERVALS // 4
# Where Newton's method needs help, a part of the path's velocities and accelerations comes first,
# then more by steps that are halved down to the least one.
FIRST_PART, LEAST_PART = 0.25, 0.01


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


def solve_bounded(dynamics: InternalDynamics, kind: Classification, window: Window) -> Collocated:
    """Solve the boundary value problem of the kind."""
    start = Boundary(np.vstack([kind.start.stable, kind.start.centre]), kind.start.state)
    end = Boundary(kind.end.unstable, kind.end.state)
    mesh = _first_mesh(dynamics, kind, window)
    scale = np.maximum(LEAST_RANGE, 1e-6 * np.abs(dynamics.standing(end=True)))

    def solve(part: float, guess: Callable[[Array], Array]) -> Collocated:
        rate = InternalRate(dynamics, part)
        return solve_collocation(rate, start, end, mesh, guess, scale, TOLERANCE)

    try:
        return solve(1.0, dynamics.rest_states)
    except NewtonError:
        if kind.kind == "saddle":
            return _continued(dynamics, solve)
    backwards = kind.kind == "unstable"
    times, state = (mesh[::-1], kind.end.state) if backwards else (mesh, kind.start.state)
    return solve(1.0, integrated(dynamics, times, state))


def _continued(
    dynamics: InternalDynamics, solve: Callable[[float, Callable[[Array], Array]], Collocated]
) -> Collocated:
    """Come from slower dynamics to the wanted ones; where that ends, tell the weakest place."""
    part, step = 0.0, FIRST_PART
    guess: Callable[[Array], Array] = dynamics.rest_states
    found: Collocated | None = None
    while part < 1.0:
        wanted = min(part + step, 1.0)
        try:
            found = solve(wanted, guess)
        except SolutionError:
            step *= 0.5
            if step < LEAST_PART and found is None:
                raise
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

    def q(t: float, eta: Array) -> Array:
        at, row = np.array([t]), eta[None, :]
        gammas = dynamics.gammas(at)
        w, failed = dynamics.solve(dynamics.first_guess(at), row, gammas)
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


def _first_mesh(dynamics: InternalDynamics, kind: Classification, window: Window) -> Array:
    duration = dynamics.problem.path.duration
    first, last = -window.before, duration + window.after
    fastest = max(np.abs(end.eigenvalues).max() for end in (kind.start, kind.end))
    longest = min((last - first) / FEWEST_INTERVALS, OF_FASTEST / max(fastest, 1e-9))
    if last - first > MOST_AT_FIRST * longest:
        raise _too_fast(dynamics, kind)
    knots = np.asarray(dynamics.problem.path.knots)
    edges = np.union1d([first, last], knots[(knots > first) & (knots < last)])
    pieces = [
        np.linspace(a, b, int(np.ceil((b - a) / longest)), endpoint=False)
        for a, b in pairwise(edges)
    ]
    return np.append(np.concatenate(pieces), last)


def _too_fast(dynamics: InternalDynamics, kind: Classification) -> SolutionError:
    """Return the error for eigenvalues that no mesh resolves, with the end that has them."""
    speeds = [float(np.abs(end.eigenvalues).max()) for end in (kind.start, kind.end)]
    last = int(np.argmax(speeds))
    time = last * dynamics.problem.path.duration
    return SolutionError(
        f"the internal dynamics are too fast to be resolved, {speeds[last]:.4g} 1/s at "
        f"t = {time:.4g} s at {place_text(dynamics, dynamics.rest.x[-last])}: the inversion is "
        "nearly singular there; let the path keep away from there, shorten the window by "
        "solve.before or solve.after, or leave out what is so stiff"
    )
