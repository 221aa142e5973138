"""The twin as a plant: a crane simulated forward with given controls u(t).

The accelerations of :mod:`cranebridge.forward.crane_accelerations` are integrated by an adaptive
method, and after every step the state is projected onto the constraints and their rates, so that
nothing drifts. It is a second forward simulator beside the FMU, in the twin's own coordinates.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.errors import InputError, SolutionError, unknown
from cranebridge.forward.crane_accelerations import (
    CraneDynamics,
    crane_dynamics,
    project,
    project_rows,
)
from cranebridge.twin import Crane
from cranebridge.twin.language import names

Array = NDArray[np.float64]
InputFunction = Callable[[float], ArrayLike]

SOLVERS = ("DOP853", "RK45", "Radau")
# An initial state further from the constraints than this (relative) is a mistake of the caller.
CONSISTENCY = 1e-6


@dataclass(frozen=True, eq=False)
class TwinSimulation:
    """What the twin did with the controls; arrays have a row for each time.

    Attributes
    ----------
    time, q, v, a, u, lam, outputs, ropes, energy : numpy.ndarray
        Time in s, coordinates, velocities, accelerations, inputs, multipliers, outputs, rope
        forces in N, energy T + V in J.
    steps, evaluations : int
        Steps of the integrator, and evaluations of the accelerations.
    drift : float
        Largest correction of a coordinate by the projection after a step.
    """

    crane: Crane
    method: str
    time: Array
    q: Array
    v: Array
    a: Array
    u: Array
    lam: Array
    outputs: Array
    ropes: Array
    energy: Array
    steps: int
    evaluations: int
    drift: float
    seconds: float = field(default=0.0, compare=False)


def simulate_twin(
    crane: Crane,
    parameters: Mapping[str, float],
    q0: ArrayLike,
    v0: ArrayLike,
    u: InputFunction,
    times: ArrayLike,
    method: str = "DOP853",
    rtol: float = 1e-10,
    atol: float | None = None,
    breaks: Sequence[float] = (),
    max_step: float = np.inf,
) -> TwinSimulation:
    """Simulate a crane forward from (q0, v0) with the controls u(t).

    Parameters
    ----------
    crane : Crane
        The crane.
    parameters : mapping of str to float
        Values that replace the crane's defaults.
    q0, v0 : array_like
        Coordinates and velocities at ``times[0]``; rounding is projected away.
    u : callable
        Inputs at a time, in the crane's order; evaluated at every stage of every step.
    times : array_like
        Increasing times at which the motion is wanted; simulation starts at the first.
    method : {"DOP853", "RK45", "Radau"}
        Integrator; Radau for stiff cranes.
    rtol, atol : float
        Tolerances of the step control; `atol` is `rtol` by default.
    breaks : sequence of float
        Times where u(t) is not smooth: no step reaches over them.
    max_step : float
        Longest step in s.

    Raises
    ------
    InputError
        If a name or size is wrong or the initial state does not fit the constraints.
    SolutionError
        If the integration cannot go on: a singular configuration, or no step small enough.
    """
    started = clock.perf_counter()
    if method not in SOLVERS:
        raise unknown("method of simulate_twin", method, SOLVERS)
    dynamics = crane_dynamics(crane)
    values = crane.parameter_values(dict(parameters))
    p = np.array([values[name] for name in names(crane.parameters)])
    grid = _times(times)
    if np.shape(u(float(grid[0]))) != (len(crane.inputs),):
        raise InputError(
            f"crane '{crane.name}' has the inputs {', '.join(names(crane.inputs))}; u(t) gives an "
            f"array of shape {np.shape(u(float(grid[0])))}"
        )
    q, v = _consistent(crane, dynamics, np.asarray(q0, float), np.asarray(v0, float), p)
    run = _TwinRun(crane, dynamics, p, u, method, rtol, atol or rtol, max_step)
    states = run.integrate(grid, np.concatenate([q, v]), breaks)
    return run.result(grid, states, clock.perf_counter() - started)


class _TwinRun:
    """One simulation: the right-hand side, the step loop and its counters."""

    def __init__(
        self,
        crane: Crane,
        dynamics: CraneDynamics,
        p: Array,
        u: InputFunction,
        method: str,
        rtol: float,
        atol: float,
        max_step: float,
    ) -> None:
        self.crane, self.dynamics, self.p, self.u = crane, dynamics, p, u
        self.method, self.max_step = method, max_step
        self.tolerances = {"rtol": rtol, "atol": atol}
        self.n = len(crane.coordinates)
        self.steps = self.evaluations = 0
        self.drift = 0.0
        # Arrays that CasADi reads and writes in place: a call with copies takes five times as long.
        self._arguments = [np.zeros(self.n), np.zeros(self.n), np.zeros(len(crane.inputs)), p]
        self._results = [np.zeros(self.n), np.zeros(len(crane.multipliers))]
        # CasADi's stubs know the pointer form of set_arg and set_res only. The buffer must live as
        # long as the function that works on it.
        self._buffer: Any
        self._buffer, self._evaluate = dynamics.accelerations.buffer()
        for i, argument in enumerate(self._arguments):
            self._buffer.set_arg(i, argument.data)
        for i, result in enumerate(self._results):
            self._buffer.set_res(i, result.data)

    def rates(self, t: float, state: Array) -> Array:
        """Return (v, a)."""
        self.evaluations += 1
        self._arguments[0][:] = state[: self.n]
        self._arguments[1][:] = state[self.n :]
        self._arguments[2][:] = self.u(t)
        try:
            self._evaluate()
        except RuntimeError:  # CasADi's linear solver refuses a singular matrix
            raise self._stops(t, "the accelerations are not determined") from None
        return np.concatenate([state[self.n :], self._results[0]])

    def integrate(self, times: Array, state: Array, breaks: Sequence[float]) -> Array:
        """Return the states at `times`."""
        inner = [t for t in sorted(set(breaks)) if times[0] < t < times[-1]]
        rows = [state[None, :]]
        edges = [float(times[0]), *inner, float(times[-1])]
        for begin, end in pairwise(edges):
            wanted = times[(times > begin) & (times <= end)]
            found, state = self._piece(begin, end, state, wanted)
            rows.append(found)
        return np.concatenate(rows)

    def _piece(self, begin: float, end: float, state: Array, times: Array) -> tuple[Array, Array]:
        """Integrate where u(t) is smooth. The right limit at a break is not asked for there."""
        from scipy import integrate

        solver: Any = getattr(integrate, self.method)(
            self.rates, begin, state, end, max_step=self.max_step, **self.tolerances
        )
        rows = np.empty((times.size, state.size))
        done = 0
        while solver.status == "running":
            message = solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                raise self._stops(solver.t, message or "the accelerations are not finite")
            self.steps += 1
            upto = int(np.searchsorted(times, solver.t, side="right"))
            if upto > done:
                rows[done:upto] = solver.dense_output()(times[done:upto]).T
                done = upto
            self._project(solver)
        return rows, solver.y

    def _stops(self, t: float, why: str) -> SolutionError:
        return SolutionError(
            f"the simulation of crane '{self.crane.name}' stops at t = {t:.6g} s: {why}; the crane "
            "is near a singular configuration there"
        )

    def _project(self, solver: Any) -> None:
        """Put the solver's state back onto the manifold, as a step that starts there expects."""
        q, v = project(self.dynamics, solver.y[: self.n], solver.y[self.n :], self.p)
        self.drift = max(self.drift, float(np.abs(q - solver.y[: self.n]).max()))
        solver.y = np.concatenate([q, v])
        solver.f = self.rates(solver.t, solver.y)

    def result(self, times: Array, states: Array, seconds: float) -> TwinSimulation:
        """Evaluate everything else at the states, after projecting them."""
        q, v = project_rows(self.dynamics, states[:, : self.n], states[:, self.n :], self.p)
        u = np.array([np.asarray(self.u(t), float) for t in times]).reshape(times.size, -1)
        d, p = self.dynamics, self.p
        a, lam = (_columns(part) for part in d.accelerations(q.T, v.T, u.T, p))
        return TwinSimulation(
            crane=self.crane,
            method=self.method,
            time=times,
            q=q,
            v=v,
            a=a,
            u=u,
            lam=lam,
            outputs=_columns(d.outputs(q.T, p)),
            ropes=_columns(d.ropes(q.T, v.T, a.T, lam.T, u.T, p)),
            energy=_columns(d.energy(q.T, v.T, p))[:, 0],
            steps=self.steps,
            evaluations=self.evaluations,
            drift=self.drift,
            seconds=seconds,
        )


def _columns(values: Any) -> Array:
    return np.array(values).T


def _times(times: ArrayLike) -> Array:
    grid = np.asarray(times, dtype=float)
    if grid.ndim != 1 or grid.size < 2 or not (np.diff(grid) > 0.0).all():
        raise InputError("times must be at least two increasing numbers")
    return grid


def _consistent(
    crane: Crane, dynamics: CraneDynamics, q0: Array, v0: Array, p: Array
) -> tuple[Array, Array]:
    """Return the initial state, projected; refuse one that is far from the constraints."""
    n = len(crane.coordinates)
    if q0.shape != (n,) or v0.shape != (n,):
        raise InputError(
            f"crane '{crane.name}' has {n} coordinates; q0 has shape {q0.shape}, v0 {v0.shape}"
        )
    q, v = project(dynamics, q0, v0, p)
    for what, given, found in (("q0", q0, q), ("v0", v0, v)):
        size = CONSISTENCY * (1.0 + float(np.abs(found).max()))
        worst = int(np.argmax(np.abs(found - given)))
        if abs(found[worst] - given[worst]) > size:
            raise InputError(
                f"{what} does not fit the constraints of crane '{crane.name}': "
                f"{names(crane.coordinates)[worst]} is {given[worst]:.9g}, a consistent state near "
                f"it has {found[worst]:.9g}"
            )
    return q, v
