"""What a time step is, and what comes out of many of them.

A scheme is one nonlinear system for the unknowns z of a step, as CasADi functions of the state
before it; Newton's method and the sequence of steps are the same for all schemes. The equations of
motion are divided by the masses and multiplied by h, and the multipliers by h^2, so that the
system is well scaled for any step; `Scheme.natural` undoes that where the condition of the scheme
as it is printed is wanted.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.errors import InputError, SolutionError
from cranebridge.forward.schemes.mechanical_system import MechanicalSystem
from cranebridge.numerics import LINEAR_SOLVER

Array = NDArray[np.float64]
Inputs = Callable[[float], ArrayLike]

NEWTON_TOLERANCE = 1e-11
NEWTON_ITERATIONS = 40
# Scaled residuals are lengths: a step whose equations hold worse than this did not converge.
RESIDUAL_LIMIT = 1e-8
STEPS_PER_CALL = 100
# An initial state further from the constraints than this (relative) is a mistake of the caller.
CONSISTENCY = 1e-7


@dataclass(frozen=True, eq=False)
class Scheme:
    """One step of a method for one system.

    Attributes
    ----------
    name : str
        The method.
    order : int
        Order of the error of coordinates and velocities in the step.
    input_point : float
        Where in the step the inputs are evaluated: 1/2 or 1.
    residual : casadi.Function
        ``(z, state, u, h) -> r``, scaled.
    guess : casadi.Function
        ``(state, h) -> z``, where Newton starts.
    following : casadi.Function
        ``(z, state, u, h) -> (next state, lambda)``; a state begins with q and v.
    start : callable
        ``(q, v, u) -> state`` at the first time.
    natural : callable
        ``h -> (rows, columns)``, the factors that turn the scaled Jacobian into the one of the
        scheme as printed.
    """

    system: MechanicalSystem
    name: str
    order: int
    input_point: float
    residual: ca.Function
    guess: ca.Function
    following: ca.Function
    start: Callable[[Array, Array, Array], Array]
    natural: Callable[[float], tuple[Array, Array]]

    @cached_property
    def iteration_matrix(self) -> ca.Function:
        """``(z, state, u, h) -> dr/dz``."""
        arguments = [ca.MX.sym(f"x{i}", *self.residual.size_in(i)) for i in range(4)]
        jacobian = ca.jacobian(self.residual(*arguments), arguments[0])
        return ca.Function("iteration_matrix", arguments, [jacobian])

    @cached_property
    def step(self) -> ca.Function:
        """``(state, u, h) -> (next state, lambda, largest residual)``."""
        z, state, u, h = (ca.MX.sym(f"x{i}", *self.residual.size_in(i)) for i in range(4))
        known = ca.vertcat(state, u, h)
        system = ca.Function("system", [z, known], [self.residual(z, state, u, h)])
        newton = ca.rootfinder(
            "newton",
            "newton",
            system,
            {
                "abstol": NEWTON_TOLERANCE,
                "max_iter": NEWTON_ITERATIONS,
                "linear_solver": LINEAR_SOLVER,
                "error_on_fail": False,
            },
        )
        found = newton(self.guess(state, h), known)
        # Velocities divide what is left of the error by h: one more step takes it to rounding.
        matrix = self.iteration_matrix(found, state, u, h)
        found -= ca.solve(matrix, self.residual(found, state, u, h), LINEAR_SOLVER)
        following, lam = self.following(found, state, u, h)
        worst = ca.norm_inf(self.residual(found, state, u, h))
        return ca.Function("step", [state, u, h], [following, lam, worst])

    @cached_property
    def _sequences(self) -> dict[int, ca.Function]:
        return {}

    def steps(self, count: int) -> ca.Function:
        """Return `count` steps as one function; building it costs as much as running it."""
        if count not in self._sequences:
            self._sequences[count] = self.step.mapaccum(count)
        return self._sequences[count]

    def condition(self, q: Array, v: Array, h: float, u: ArrayLike = ()) -> float:
        """Return the condition number of the printed scheme's iteration matrix in one step."""
        inputs = np.asarray(u, float) if np.size(u) else np.zeros(self.system.u.numel())
        state = self.start(q, v, inputs)
        matrix = np.array(self.iteration_matrix(self.guess(state, h), state, inputs, h))
        rows, columns = self.natural(h)
        return float(np.linalg.cond(rows[:, None] * matrix * columns[None, :]))


@dataclass(frozen=True, eq=False)
class SystemMotion:
    """The motion of a system: arrays have a row for each time.

    Attributes
    ----------
    time, q, v : numpy.ndarray
        Times, coordinates, velocities.
    lam : numpy.ndarray
        Multipliers of the steps, a row less; mean values of a step for the mid-point schemes.
    max_residual : float
        Largest scaled residual of all steps.
    """

    system: MechanicalSystem
    method: str
    time: Array
    q: Array
    v: Array
    lam: Array
    max_residual: float = 0.0
    seconds: float = field(default=0.0, compare=False)

    @cached_property
    def _observed(self) -> list[Array]:
        return [np.array(part).T for part in self.system.observed(self.q.T, self.v.T)]

    @property
    def energy(self) -> Array:
        """T + V at each time."""
        return self._observed[0][:, 0]

    @property
    def momenta(self) -> Array:
        """The momentum maps that the system names."""
        return self._observed[1]

    @property
    def constraint_error(self) -> float:
        """Largest |g(q)|."""
        return float(np.abs(self._observed[2]).max(initial=0.0))

    @property
    def velocity_error(self) -> float:
        """Largest |G(q) v|."""
        return float(np.abs(self._observed[3]).max(initial=0.0))

    @property
    def energy_drift(self) -> float:
        """Largest change of T + V."""
        return float(np.abs(self.energy - self.energy[0]).max())

    @property
    def momentum_drift(self) -> float:
        """Largest change of a momentum map."""
        return float(np.abs(self.momenta - self.momenta[0]).max(initial=0.0))


def run(
    scheme: Scheme,
    q0: ArrayLike,
    v0: ArrayLike,
    times: ArrayLike,
    u: Inputs | None = None,
) -> SystemMotion:
    """Take the steps between `times` from a consistent state (q0, v0).

    Parameters
    ----------
    scheme : Scheme
        What a step is.
    q0, v0 : array_like
        Coordinates and velocities at the first time.
    times : array_like
        Increasing times; the differences are the steps.
    u : callable, optional
        Inputs at a time.

    Raises
    ------
    SolutionError
        If a step does not converge, or a joint angle leaves its branch.
    """
    started = clock.perf_counter()
    system, grid = scheme.system, np.asarray(times, dtype=float)
    q, v = np.asarray(q0, float), np.asarray(v0, float)
    check_state(system, q, v)
    inputs = input_function(system, u)
    steps = np.diff(grid)
    at = grid[:-1] + scheme.input_point * steps
    controls = np.array([inputs(t) for t in at]).reshape(steps.size, -1)
    start = scheme.start(q, v, inputs(float(grid[0])))
    try:
        states, lam, worst = _steps(scheme, start, controls, steps)
    except RuntimeError as error:  # CasADi's linear solvers refuse a singular matrix
        raise SolutionError(
            f"{scheme.name}: the iteration matrix of '{system.name}' is singular in some step"
        ) from error
    bad = ~(worst <= RESIDUAL_LIMIT)
    if bad.any():
        first = int(np.argmax(bad))
        raise SolutionError(
            f"{scheme.name}: the step to t = {grid[first + 1]:.6g} s of '{system.name}' does not "
            f"converge (step {steps[first]:.3g} s); use a smaller step"
        )
    n = system.size
    motion = SystemMotion(
        system,
        scheme.name,
        grid,
        np.vstack([q, states[:, :n]]),
        np.vstack([v, states[:, n : 2 * n]]),
        lam,
        float(worst.max(initial=0.0)),
        clock.perf_counter() - started,
    )
    require_branch(motion)
    return motion


def _steps(
    scheme: Scheme, state: Array, controls: Array, steps: Array
) -> tuple[Array, Array, Array]:
    """Return states, multipliers and residuals of all steps; NaN after one that fails."""
    sizes = [scheme.step.size1_out(i) for i in range(3)]
    results = [np.full((steps.size, size), np.nan) for size in sizes]
    for begin in range(0, steps.size, STEPS_PER_CALL):
        end = min(begin + STEPS_PER_CALL, steps.size)
        found = scheme.steps(end - begin)(state, controls[begin:end].T, steps[None, begin:end])
        for result, part in zip(results, found, strict=True):
            result[begin:end] = np.array(part).T
        state = results[0][end - 1]
        if not np.isfinite(state).all():
            break
    return results[0], results[1], results[2][:, 0]


def check_state(system: MechanicalSystem, q: Array, v: Array) -> None:
    """Raise an InputError if a state has the wrong size or does not fit the constraints."""
    if q.shape != (system.size,) or v.shape != (system.size,):
        raise InputError(f"'{system.name}' has {system.size} coordinates, got {q.shape}, {v.shape}")
    _, _, g, rate, _ = (np.abs(np.array(part)).max(initial=0.0) for part in system.observed(q, v))
    size = 1.0 + np.abs(q).max()
    if g > CONSISTENCY * size**2 or rate > CONSISTENCY * size * (1.0 + np.abs(v).max()):
        raise InputError(
            f"the initial state of '{system.name}' does not fit its constraints: they hold to "
            f"{g:.2g}, their rates to {rate:.2g}"
        )


def input_function(system: MechanicalSystem, u: Inputs | None) -> Callable[[float], Array]:
    """Return the inputs at a time as an array; zero where none are given."""
    count = system.u.numel()
    if u is None:
        return lambda t: np.zeros(count)
    return lambda t: np.asarray(u(t), float).reshape(count)


def require_branch(motion: SystemMotion) -> None:
    """Raise if a joint angle is half a turn off; energy is conserved there too, which hides it."""
    alignments = np.array(motion._observed[4])
    wrong = (alignments <= 0.0).any(axis=1)
    if wrong.any():
        time = motion.time[int(np.argmax(wrong))]
        raise SolutionError(
            f"{motion.method}: a joint angle of '{motion.system.name}' is on the wrong branch "
            f"(half a turn off) at t = {time:.6g} s; use a smaller step"
        )


@dataclass(frozen=True, eq=False)
class Scales:
    """Divisors of the rows of motion, and the mass that multipliers are measured with."""

    rows: ca.DM
    mass: float

    @property
    def row_values(self) -> Array:
        """The divisors as an array."""
        return np.array(self.rows)[:, 0]


def scales(system: MechanicalSystem, q: ArrayLike) -> Scales:
    """Return the diagonal of the mass matrix, with the largest mass where there is none."""
    M = ca.Function("M", [system.q], [ca.diag(system.mass_matrix)])
    diagonal = np.abs(np.array(M(np.asarray(q, float)))[:, 0])
    mass = float(diagonal.max())
    return Scales(ca.DM(np.where(diagonal > 1e-12 * mass, diagonal, mass)), mass)


def symbols(system: MechanicalSystem, memory: int) -> tuple[Any, ...]:
    """Return the symbols (state, q_0, v_0, memory, h) of a step."""
    n = system.size
    state, h = ca.SX.sym("state", 2 * n + memory), ca.SX.sym("h")
    # Slices of a vector of length one would be rows.
    return state, *ca.vertsplit(state, [0, n, 2 * n, 2 * n + memory]), h
