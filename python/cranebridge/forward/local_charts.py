"""Independent coordinates alone, integrated by an adaptive method: charts of the manifold.

A new choice of coordinates is made whenever the old one degenerates; what belongs to a choice is in
:mod:`cranebridge.forward.local_state_space`.
"""

from __future__ import annotations

import time as clock
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from cranebridge.errors import SolutionError
from cranebridge.forward.local_state_space import (
    CONDITION_LIMIT,
    Array,
    LocalMotion,
    better_choice,
    choose_independent,
    project,
    singular_values,
    validity,
)
from cranebridge.forward.schemes import (
    Inputs,
    MechanicalSystem,
    check_state,
    input_function,
    require_branch,
)

# Longest move of a dependent coordinate in one go: directors have length one.
JUMP = 0.3


def simulate_minimal(
    system: MechanicalSystem,
    q0: ArrayLike,
    v0: ArrayLike,
    times: ArrayLike,
    u: Inputs | None = None,
    rtol: float = 1e-11,
) -> LocalMotion:
    """Integrate independent coordinates alone, q = Psi(y) by Newton's method (2.15), (2.29).

    No drift: constraints and their rates hold to rounding at every evaluation. The choice of
    coordinates is checked after every step and renewed where it degenerates. A tight reference for
    the other integrators.

    Raises
    ------
    SolutionError
        If no coordinates are valid, or Newton's method fails.
    """
    started = clock.perf_counter()
    grid, q, v = np.asarray(times, float), np.array(q0, float), np.array(v0, float)
    check_state(system, q, v)
    charts = _Charts(system, input_function(system, u))
    q, v = project(system, q, v)
    charts.choose(float(grid[0]), q)
    rows, done = np.empty((grid.size, 2 * system.size)), 1
    rows[0] = np.concatenate([q, v])
    solver = charts.solver(float(grid[0]), q, v, float(grid[-1]), rtol)
    while solver.status == "running":
        message = solver.step()
        if solver.status == "failed":
            raise SolutionError(f"'{system.name}' stops at t = {solver.t:.6g} s: {message}")
        upto = int(np.searchsorted(grid, solver.t, side="right"))
        if upto > done:
            values = solver.dense_output()(grid[done:upto]).T
            rows[done:upto] = [np.concatenate(charts.state(y)) for y in values]
            done = upto
        q, v = charts.state(solver.y)
        charts.guess = q
        if charts.degenerate(q) and solver.status == "running":
            charts.choose(float(solver.t), q)
            solver = charts.solver(float(solver.t), q, v, float(grid[-1]), rtol)
    n = system.size
    motion = LocalMotion(
        system,
        "local minimal",
        grid,
        rows[:, :n],
        rows[:, n:],
        np.zeros((grid.size - 1, 0)),
        seconds=clock.perf_counter() - started,
        singular_values=singular_values(system, rows[:, :n]),
        choices=tuple(charts.choices),
    )
    require_branch(motion)
    return motion


class _Charts:
    """Local coordinates y = (q_I, v_I), and the state that belongs to them."""

    def __init__(self, system: MechanicalSystem, inputs: Inputs) -> None:
        self.system, self.inputs = system, inputs
        self.manifold = ca.Function("g", [system.q], [system.constraints, system.jacobian])
        self.choices: list[tuple[float, tuple[int, ...]]] = []
        self.guess: Array = np.zeros(system.size)

    @property
    def independent(self) -> tuple[int, ...]:
        return self.choices[-1][1]

    def choose(self, t: float, q: Array) -> None:
        G = np.array(self.manifold(q)[1])
        best = choose_independent(G)
        if validity(G, best) > CONDITION_LIMIT:
            raise SolutionError(
                f"no coordinates of '{self.system.name}' are valid at t = {t:.6g} s: the "
                "constraints are dependent there (a kinematic singularity)"
            )
        self.choices.append((t, best))
        self.guess = q

    def degenerate(self, q: Array) -> bool:
        return better_choice(np.array(self.manifold(q)[1]), self.independent)

    def state(self, y: Array) -> tuple[Array, Array]:
        """Return q = Psi(y) and v = K y'."""
        inner = list(self.independent)
        outer = [i for i in range(self.system.size) if i not in inner]
        q = self._follow(y[: len(inner)], inner, outer)
        v = np.zeros(self.system.size)
        v[inner] = y[len(inner) :]
        if outer:
            G = np.array(self.manifold(q)[1])
            v[outer] = -np.linalg.solve(G[:, outer], G[:, inner] @ v[inner])
        return q, v

    def _follow(self, target: Array, inner: list[int], outer: list[int]) -> Array:
        """Follow q = Psi(y) from the last accepted state, in pieces that keep to its branch.

        Newton's method alone can jump: a winch that turns by more than a quarter in one step has a
        second solution half a turn away.
        """
        start = self.guess[inner]
        for pieces in (1, 2, 4, 8, 16, 32, 64):
            q = self.guess.copy()
            for piece in range(1, pieces + 1):
                q[inner] = start + (target - start) * (piece / pieces)
                before = q[outer].copy()
                if not self._newton(q, outer) or np.abs(q[outer] - before).max(initial=0.0) > JUMP:
                    break
            else:
                return q
        raise SolutionError(f"'{self.system.name}': dependent coordinates cannot be followed")

    def _newton(self, q: Array, outer: list[int]) -> bool:
        """Solve g(q) = 0 for the dependent coordinates in place; returns whether it converged."""
        for _ in range(30):
            g, G = (np.array(part) for part in self.manifold(q))
            if not outer:
                return True
            step = np.linalg.solve(G[:, outer], g[:, 0])
            q[outer] -= step
            if np.abs(step).max() <= 1e-14 * (1.0 + np.abs(q).max()):
                return True
        return bool(np.abs(step).max() <= 1e-10 * (1.0 + np.abs(q).max()))

    def rates(self, t: float, y: Array) -> Array:
        q, v = self.state(y)
        a, _ = self.system.accelerations(q, v, np.asarray(self.inputs(t), float))
        inner = list(self.independent)
        return np.concatenate([v[inner], a[inner]])

    def solver(self, t: float, q: Array, v: Array, end: float, rtol: float) -> Any:
        inner = list(self.independent)
        y = np.concatenate([q[inner], v[inner]])
        from scipy.integrate import DOP853

        return DOP853(self.rates, t, y, end, rtol=rtol, atol=rtol)
