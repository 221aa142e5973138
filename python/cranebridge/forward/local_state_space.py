"""Local state-space forms: the underlying ODE on the constraint manifold (Spencer 2004).

The index-3 equations are differentiated twice and solved for the accelerations in one of three
ways:

* ``lagrange``: lambda = (G M^-1 G^T)^-1 (G M^-1 f + G' v), the standard form (2.4)-(2.5);
* ``partition``: independent coordinates y = R q and the null space K = [R; G]^-1 [I; 0] (2.44),
  (2.46), valid as long as [R; G] is regular (2.28), which is checked at every step;
* ``svd``: K = V_2 and G^+ from the singular value decomposition, the smallest singular value
  dropped where it vanishes (3.1)-(3.5): passes kinematic singularities.

`simulate` integrates any of them by the classical Runge-Kutta method of order four, as Spencer
does, with projection onto the constraints, their rates and the energy if wanted.
"""

from __future__ import annotations

import time as clock
from dataclasses import dataclass, field

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.errors import SolutionError, unknown
from cranebridge.forward.crane_accelerations import project_onto
from cranebridge.forward.schemes import (
    Inputs,
    MechanicalSystem,
    SystemMotion,
    check_state,
    input_function,
)

Array = NDArray[np.float64]

FORMS = ("lagrange", "partition", "svd")
# Beyond this condition of [R; G] a partition no longer parametrises the motion.
CONDITION_LIMIT = 1e8
# New coordinates are chosen where they are better by this factor, long before the old ones fail.
CONDITION_CHANGE = 3.0
# Condition of G M^-1 G^T beyond which the standard form counts as singular.
LAGRANGE_LIMIT = 1e14
# Singular values below this part of the largest are dropped by the SVD form.
SOFTENING = 1e-10


@dataclass(frozen=True, eq=False)
class LocalMotion(SystemMotion):
    """A motion with what the local forms watch.

    Attributes
    ----------
    singular_values : numpy.ndarray
        Those of G at each time, largest first: their quotient tells how far a singularity is.
    choices : tuple
        Times at which independent coordinates were chosen, and which.
    """

    singular_values: Array = field(default_factory=lambda: np.zeros((0, 0)))
    choices: tuple[tuple[float, tuple[int, ...]], ...] = ()


def validity(G: Array, independent: ArrayLike) -> float:
    """Return the condition of [R; G] for the coordinates `independent`: (2.28) as a number.

    Infinite where the coordinates are not valid; one where they are the best possible.
    """
    chosen = np.eye(G.shape[1])[np.asarray(independent, dtype=int)]
    # One scale for all rows: a row that vanishes is a singularity and must not be made longer.
    size = float(np.linalg.norm(G, axis=1).max(initial=0.0)) or 1.0
    condition = float(np.linalg.cond(np.vstack([chosen, G / size])))
    return condition if np.isfinite(condition) else np.inf


def choose_independent(G: Array) -> tuple[int, ...]:
    """Return the coordinates that parametrise best: those that a pivoted QR of G leaves."""
    from scipy.linalg import qr

    pivots = qr(G, pivoting=True, mode="r")[1] if len(G) else np.arange(G.shape[1])
    return tuple(sorted(int(i) for i in pivots[len(G) :]))


def better_choice(G: Array, independent: tuple[int, ...]) -> bool:
    """Return whether other coordinates would be clearly better than those in use."""
    return validity(G, independent) > CONDITION_CHANGE * validity(G, choose_independent(G))


def lagrange_accelerations(M: Array, f: Array, G: Array, gamma: Array) -> Array:
    """Return vdot = M^-1 (f - G^T lambda) (2.4)-(2.5); fails where G loses rank."""
    inverse = np.linalg.solve(M, np.column_stack([f, G.T]))
    effective = G @ inverse[:, 1:]
    # At a singularity rounding can leave a matrix that "solves": its result would mean nothing.
    if np.linalg.cond(effective) > LAGRANGE_LIMIT:
        raise np.linalg.LinAlgError("G M^-1 G^T is singular")
    lam = np.linalg.solve(effective, G @ inverse[:, 0] + gamma)
    return np.asarray(inverse[:, 0] - inverse[:, 1:] @ lam)


def null_space_accelerations(M: Array, f: Array, K: Array, particular: Array) -> Array:
    """Return vdot = K (K^T M K)^-1 K^T (f - M c) + c, with c = K' y' (2.43)."""
    reduced = np.linalg.solve(K.T @ M @ K, K.T @ (f - M @ particular))
    return np.asarray(K @ reduced + particular)


def partition_accelerations(
    M: Array, f: Array, G: Array, gamma: Array, independent: tuple[int, ...]
) -> Array:
    """Return vdot with K and K' y' of a coordinate partition (2.44)-(2.45)."""
    n, count = G.shape[1], len(independent)
    stacked = np.vstack([np.eye(n)[list(independent)], G])
    right = np.zeros((n, count + 1))
    right[:count, :count] = np.eye(count)
    right[count:, count] = -gamma
    solution = np.asarray(np.linalg.solve(stacked, right), dtype=float)
    return null_space_accelerations(M, f, solution[:, :count], solution[:, count])


def svd_accelerations(
    M: Array, f: Array, G: Array, gamma: Array, softening: float = SOFTENING
) -> Array:
    """Return vdot by the singular value decomposition (3.5b).

    K = V_2 and K' y' = -G^+ gamma; where sigma_m vanishes 1/sigma_m is set to zero (3.4). The
    number of freedoms stays n - m, so that at a singularity one more direction is held: which one
    is not determined there, and is left to the direction of the softest constraint.
    """
    m = len(G)
    U, sigma, Vt = np.linalg.svd(G)
    kept = sigma > softening * sigma[0]
    inverse = np.where(kept, 1.0 / np.where(kept, sigma, 1.0), 0.0)
    particular = -Vt[:m].T @ (inverse * (U.T @ gamma))
    return null_space_accelerations(M, f, Vt[m:].T, particular)


def project(
    system: MechanicalSystem, q: Array, v: Array, energy: float | None = None
) -> tuple[Array, Array]:
    """Return the nearest state with g(q) = 0, G v = 0 and, if given, T + V = energy.

    Spencer 2004, (3.10)-(3.11), the energy included by scaling the velocity, which stays in the
    null space of G.
    """
    g = ca.Function("g", [system.q], [system.constraints, system.jacobian])
    q, v = project_onto(lambda x: g.call([x]), q, v)
    if energy is None:
        return q, v
    return q, v * _energy_factor(system, q, v, energy)


def _energy_factor(system: MechanicalSystem, q: Array, v: Array, energy: float) -> float:
    """Return the factor of v that gives the wanted energy; one where it is at rest."""
    total = float(system.observed(q, v)[0])
    rest = float(system.observed(q, np.zeros_like(v))[0])
    if total - rest <= 0.0 or energy <= rest:
        return 1.0
    return float(np.sqrt((energy - rest) / (total - rest)))


def simulate(
    system: MechanicalSystem,
    form: str,
    q0: ArrayLike,
    v0: ArrayLike,
    times: ArrayLike,
    u: Inputs | None = None,
    projection: float | None = None,
    keep_energy: bool = False,
    baumgarte: tuple[float, float] = (0.0, 0.0),
    softening: float = SOFTENING,
) -> LocalMotion:
    """Integrate a local form with the classical Runge-Kutta method of order four.

    Parameters
    ----------
    system : MechanicalSystem
        What moves.
    form : {"lagrange", "partition", "svd"}
        How the accelerations are found.
    q0, v0, times, u
        As for :func:`cranebridge.forward.schemes.scheme_choices.integrate`.
    projection : float, optional
        Violation of g or G v beyond which the state is projected after a step; never by default.
    keep_energy : bool
        Whether the projection includes the energy; it is then done after every step.
    baumgarte : (float, float)
        alpha and beta of g'' + 2 alpha g' + beta^2 g = 0 (3.8).
    softening : float
        Smallest singular value that the SVD form inverts, as a part of the largest.

    Raises
    ------
    SolutionError
        If the form fails: a singular configuration, or coordinates that are not valid.
    """
    started = clock.perf_counter()
    if form not in FORMS:
        raise unknown("local form", form, FORMS)
    grid, q, v = np.asarray(times, float), np.array(q0, float), np.array(v0, float)
    check_state(system, q, v)
    local = _Local(system, form, input_function(system, u), baumgarte, softening)
    energy = float(system.observed(q, v)[0]) if keep_energy else None
    states = [np.concatenate([q, v])]
    n = system.size
    for t, h in zip(grid[:-1], np.diff(grid), strict=True):
        state = local.step(float(t), states[-1], float(h))
        if not np.isfinite(state).all():
            raise local.failure(float(t))
        if keep_energy or (projection is not None and _violation(system, state) > projection):
            state = np.concatenate(project(system, state[:n], state[n:], energy))
        states.append(state)
    rows = np.array(states)
    return LocalMotion(
        system,
        f"local {form}",
        grid,
        rows[:, :n],
        rows[:, n:],
        np.zeros((grid.size - 1, 0)),
        seconds=clock.perf_counter() - started,
        singular_values=singular_values(system, rows[:, :n]),
        choices=tuple(local.choices),
    )


def _violation(system: MechanicalSystem, state: Array) -> float:
    _, _, g, rate, _ = system.observed(state[: system.size], state[system.size :])
    return float(max(np.abs(np.array(g)).max(initial=0.0), np.abs(np.array(rate)).max(initial=0.0)))


class _Local:
    """The right-hand side of a local form and a Runge-Kutta step with it."""

    def __init__(
        self,
        system: MechanicalSystem,
        form: str,
        inputs: Inputs,
        baumgarte: tuple[float, float],
        softening: float,
    ) -> None:
        self.system, self.form, self.inputs = system, form, inputs
        self.baumgarte, self.softening = baumgarte, softening
        self.choices: list[tuple[float, tuple[int, ...]]] = []
        self.n = system.size

    def rates(self, t: float, state: Array) -> Array:
        q, v = state[: self.n], state[self.n :]
        M, f, g, G, gamma = (
            np.array(part) for part in self.system.terms(q, v, np.asarray(self.inputs(t), float))
        )
        f, gamma = f[:, 0], gamma[:, 0]
        alpha, beta = self.baumgarte
        gamma = gamma + 2 * alpha * (G @ v) + beta**2 * g[:, 0]
        return np.concatenate([v, self._accelerations(t, M, f, G, gamma)])

    def _accelerations(self, t: float, M: Array, f: Array, G: Array, gamma: Array) -> Array:
        try:
            if self.form == "lagrange":
                return lagrange_accelerations(M, f, G, gamma)
            if self.form == "svd":
                return svd_accelerations(M, f, G, gamma, self.softening)
            return partition_accelerations(M, f, G, gamma, self._independent(t, G))
        except np.linalg.LinAlgError:
            raise self.failure(t) from None

    def _independent(self, t: float, G: Array) -> tuple[int, ...]:
        """Return valid coordinates: the last choice, or a better one where it degenerates."""
        if not self.choices or better_choice(G, self.choices[-1][1]):
            self.choices.append((t, choose_independent(G)))
        if validity(G, self.choices[-1][1]) > CONDITION_LIMIT:
            raise self.failure(t)
        return self.choices[-1][1]

    def failure(self, t: float) -> SolutionError:
        return SolutionError(
            f"the {self.form} form of '{self.system.name}' fails at t = {t:.6g} s: the constraints "
            "are dependent there (a kinematic singularity); the svd form can pass it"
        )

    def step(self, t: float, x: Array, h: float) -> Array:
        """Take one step of the classical Runge-Kutta method."""
        k_1 = self.rates(t, x)
        k_2 = self.rates(t + h / 2, x + h / 2 * k_1)
        k_3 = self.rates(t + h / 2, x + h / 2 * k_2)
        k_4 = self.rates(t + h, x + h * k_3)
        return np.asarray(x + h / 6 * (k_1 + 2 * k_2 + 2 * k_3 + k_4))


def singular_values(system: MechanicalSystem, q: Array) -> Array:
    """Return those of G at each configuration, largest first."""
    if not system.constraint_count:
        return np.zeros((len(q), 0))
    G = ca.Function("G", [system.q], [system.jacobian])
    matrices = np.array([np.array(G(row)) for row in q])
    return np.asarray(np.linalg.svd(matrices, compute_uv=False))
