"""Stable inversion: the controls of a crane with internal dynamics, from rest to rest.

The path prescribes the outputs; what it leaves free, the state eta of the internal dynamics
eta' = q(t, eta), must start at rest long before the path, end at rest long after it and stay
bounded in between (:mod:`cranebridge.inverse.internal.classification` says what that means for each
kind). The motion of eta is a collocation polynomial; at every time wanted the staged system gives
the whole motion and the controls with it, exact to rounding for that eta.

References
----------
S. Devasia, D. Chen, B. Paden, Nonlinear inversion-based output tracking, IEEE Trans. Automatic
Control 41 (1996) 930-942.
"""

from __future__ import annotations

import time as clock
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError, StructureError
from cranebridge.inverse.feedforward import Feedforward, nodes_of
from cranebridge.inverse.index1 import require_rest_ends, require_smoothness, structure_of
from cranebridge.inverse.internal.boundary_problem import BoundarySolution
from cranebridge.inverse.internal.bounded_motion import solve_bounded
from cranebridge.inverse.internal.classification import Classification, classify
from cranebridge.inverse.internal.dynamics import (
    InternalDynamics,
    internal_dynamics,
    singular_inversion,
)
from cranebridge.inverse.internal.singular_places import no_motion, require_regular, singular_rest
from cranebridge.inverse.internal.windows import LEFT_AFTER, Window, choose_window, window_times
from cranebridge.inverse.kernels import Mode
from cranebridge.inverse.problem import ServoProblem
from cranebridge.numerics import distinct

Array = NDArray[np.float64]

RESIDUAL_LIMIT = 1e-9
# A stated initial state may miss the rest position by this much (m or rad, relative if larger).
CONSISTENT = 1e-8
# Times at which a motion that never settles is looked at.
SWING_TIMES = 2001
# The least swing that is one (m or rad).
LEAST_SWING = 1e-9
# The least velocity that is a drift (m/s or rad/s): the error of eta' is some 1e-10 of its range.
LEAST_DRIFT = 1e-8


@dataclass(frozen=True, eq=False)
class Inversion:
    """The motion of the internal dynamics, from which everything else follows at any time.

    Attributes
    ----------
    dynamics : InternalDynamics
        Whose motion it is.
    kind : Classification
        At both ends of the path.
    window : Window
        How much longer than the path it is.
    motion : BoundarySolution
        eta over time.
    seconds : float
        How long that took.
    """

    dynamics: InternalDynamics
    kind: Classification
    window: Window
    motion: BoundarySolution
    seconds: float = 0.0

    @cached_property
    def swing(self) -> dict[str, float]:
        """Half the range of each coordinate after the path, of a motion that never settles."""
        if self.kind.kind != "oscillating" or self.window.after == 0.0:
            return {}
        dynamics, end = self.dynamics, self.dynamics.problem.path.duration
        times = end + np.linspace(0.0, self.window.after, SWING_TIMES)
        eta, gammas = self.motion.polynomial(times), dynamics.gammas(times)
        w, _ = dynamics.solve(dynamics.first_guess(times), eta, gammas)
        q = dynamics.finish(w, eta, gammas)[0][:, dynamics.stages.layout["q"]]
        sizes = (0.5 * np.ptp(q, axis=0)).tolist()
        return {
            name: size
            for name, size in zip(dynamics.coordinates, sizes, strict=True)
            if size > LEAST_SWING
        }

    @cached_property
    def drift(self) -> dict[str, float]:
        """Velocity of each coordinate at the end, of a motion that nothing brings back."""
        if self.kind.kind not in ("neutral", "free"):
            return {}
        dynamics = self.dynamics
        times = np.array([dynamics.problem.path.duration + self.window.after])
        eta, gammas = self.motion.polynomial(times), dynamics.gammas(times)
        w, _ = dynamics.solve(dynamics.first_guess(times), eta, gammas)
        v = dynamics.finish(w, eta, gammas)[0][0, dynamics.stages.layout["v"]]
        return {
            name: float(rate)
            for name, rate in zip(dynamics.coordinates, v, strict=True)
            if abs(rate) > LEAST_DRIFT
        }

    @property
    def left(self) -> float:
        """The part of the slowest motion that is left when the window ends, from eigenvalues."""
        decaying = -self.kind.end.eigenvalues.real[self.kind.end.eigenvalues.real < 0.0]
        if not len(self.kind.end.stable):
            return 0.0
        return float(np.exp(-decaying.min() * self.window.after))

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What the user should know, a sentence each."""
        found = [f"{self.kind.meaning} (eigenvalues {self.kind.end.text} at the end)."]
        if self.window.before > 0.0:
            found.append(f"The controls begin {self.window.before:.4g} s before the path.")
        if self.window.after > 0.0:
            found.append(f"The controls end {self.window.after:.4g} s after the path.")
        units = {part.name: part.unit for part in self.dynamics.problem.crane.coordinates}
        if self.swing:
            parts = ", ".join(f"{name} by {x:.4g} {units[name]}" for name, x in self.swing.items())
            found.append(f"After the path the crane swings on for ever: {parts}.")
        elif self.left > 2.0 * LEFT_AFTER:
            found.append(f"Then {self.left:.1e} of the motion is left; solve.after makes it less.")
        if self.kind.kind in ("neutral", "free"):
            parts = ", ".join(
                f"{name} by {x:.4g} {units[name]}/s" for name, x in self.drift.items()
            )
            found.append(
                f"After the path it drifts on: {parts}."
                if parts
                else "After the path it stands still."
            )
        return tuple(sentence[0].upper() + sentence[1:] for sentence in found)

    def as_dict(self) -> dict[str, object]:
        """Return the entry of ``summary.json``."""
        return {
            **self.kind.as_dict(),
            "before": self.window.before,
            "after": self.window.after,
            "residual_swing": self.swing,
            "residual_drift": self.drift,
            "left": self.left,
            "mesh_intervals": int(self.motion.mesh.size) - 1,
            "mesh_difference": self.motion.error,
        }

    def at(self, times: Array) -> Feedforward:
        """Return the whole solution at times within the window."""
        started = clock.perf_counter()
        dynamics, problem = self.dynamics, self.dynamics.problem
        node_times, left = _node_times(problem, times)
        gammas = dynamics.gammas(node_times, left)
        eta = self.motion.polynomial(node_times)
        w, failed = dynamics.solve(dynamics.first_guess(node_times), eta, gammas)
        if failed.any():
            k = int(np.argmax(failed))
            rows = slice(k, k + 1)
            raise no_motion(dynamics, float(node_times[k]), eta[rows], gammas[rows])
        motion, ropes, rates, jacobians = dynamics.finish(w, eta, gammas)
        part = dynamics.stages.layout
        require_regular(dynamics, node_times, jacobians, motion[:, part["q"]])
        count = len(problem.path.outputs)
        residual = dynamics.residual(motion, gammas[:, :count])
        _require_small(dynamics, residual, node_times)
        # At a time that stands twice, the grid takes the right side; the values are equal.
        grid = np.searchsorted(node_times, times, side="right") - 1
        sides = gammas[:, :count], gammas[:, count : 2 * count]
        nodes = nodes_of(part, node_times, grid, sides, motion, ropes, rates)
        named = zip(dynamics.structure.equations, residual.max(axis=0).tolist(), strict=True)
        return Feedforward(
            problem=problem,
            method="inversion",
            order=0,
            time=times,
            gamma=nodes.gamma[grid],
            q=nodes.q[grid],
            v=nodes.v[grid],
            a=nodes.a[grid],
            u=nodes.u[grid],
            lam=nodes.lam[grid],
            ropes=ropes[grid],
            residual=dict(named),
            nodes=nodes,
            notes=self.notes,
            exact_at=self.at,
            internal=self.as_dict(),
            seconds=self.seconds + clock.perf_counter() - started,
        )


@lru_cache(maxsize=8)
def invert(
    problem: ServoProblem,
    step: float,
    before: float | None = None,
    after: float | None = None,
    mode: Mode = "auto",
) -> Inversion:
    """Find the motion of the internal dynamics from rest to rest.

    Parameters
    ----------
    problem : ServoProblem
        Crane, path and parameters.
    step : float
        Of the grid that it is wanted for [s]: the window has whole steps.
    before, after : float, optional
        Window around the path [s]; from the eigenvalues if not given.
    mode : {"auto", "always", "never"}
        Whether to compile the functions with the C compiler.

    Raises
    ------
    StructureError
        If the crane is flat, the path not smooth enough, or the kind of its internal dynamics has
        no bounded motion.
    SolutionError
        If the inversion is singular on the way.
    """
    started = clock.perf_counter()
    structure = structure_of(problem)
    if structure.flat:
        raise StructureError(
            f"crane '{problem.crane.name}' is flat with these outputs: it has no internal dynamics "
            'to invert; use solve.method = "index1", which is exact'
        )
    require_smoothness(problem, structure)
    require_rest_ends(problem, start_only=structure.controls_determined)
    dynamics = internal_dynamics(problem, mode)
    _require_start(dynamics)
    kind = classified(dynamics)
    duration = problem.path.duration
    window = choose_window(kind, duration, step, before, after)
    try:
        motion = solve_bounded(dynamics, kind, window)
    except SolutionError as error:
        place = singular_rest(dynamics)
        if place is None:
            raise error
        raise singular_inversion(dynamics, *place) from error
    return Inversion(dynamics, kind, window, motion, clock.perf_counter() - started)


def classified(dynamics: InternalDynamics) -> Classification:
    """Classify internal dynamics; a path over a singular place is reported before anything else."""
    try:
        return classify(dynamics)
    except StructureError as error:
        place = singular_rest(dynamics)
        if place is None:
            raise
        raise singular_inversion(dynamics, *place) from error


def solve_inversion(
    problem: ServoProblem,
    step: float,
    before: float | None = None,
    after: float | None = None,
    mode: Mode = "auto",
) -> Feedforward:
    """Solve a servo problem with internal dynamics; see `invert`.

    The times are those of the path's grid, continued before and after it by the window.
    """
    inversion = invert(problem, step, before, after, mode)
    return inversion.at(window_times(problem.path.duration, step, inversion.window))


def _node_times(problem: ServoProblem, times: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return grid and knots, inner knots twice, and which of them look to the left."""
    knots = np.asarray(problem.path.knots)
    inner = knots[(knots > times[0]) & (knots < times[-1])]
    nodes = np.sort(np.concatenate([distinct(np.append(times, inner)), inner]))
    return nodes, np.append(np.diff(nodes) == 0.0, times[-1] <= problem.path.duration)


def _require_start(dynamics: InternalDynamics) -> None:
    """Raise a StructureError if the initial state that the user states is not the rest position."""
    rest = dict(zip(dynamics.coordinates, dynamics.rest.x[0].tolist(), strict=False))
    for name, value in dynamics.problem.initial.items():
        if abs(value - rest[name]) > CONSISTENT * (1.0 + abs(value)):
            raise StructureError(
                f"the initial state in crane.initial does not fit the path: {name} is "
                f"{value:.9g}, at rest it is {round(rest[name], 12) + 0.0:.9g}"
            )


def _require_small(dynamics: InternalDynamics, residual: Array, times: Array) -> None:
    worst = np.unravel_index(np.argmax(residual), residual.shape)
    if not residual[worst] <= RESIDUAL_LIMIT:
        raise SolutionError(
            f"equation '{dynamics.structure.equations[int(worst[1])]}' holds only to "
            f"{residual[worst]:.1e} (relative) at t = {times[int(worst[0])]:.6g} s; a stage is "
            "nearly singular there, or the equation jumps"
        )


__all__ = ["Inversion", "classified", "invert", "solve_inversion"]
