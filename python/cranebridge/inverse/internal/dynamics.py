"""The internal dynamics eta' = q(t, eta) of a crane along a path.

Where the outputs do not determine the motion, some of it is left to itself: a load that swings
below a hook that follows a path, a jib that bends. Its state eta and the path give everything else.
"""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError, StructureError
from cranebridge.inverse.equilibrium import RestPath, rest_path
from cranebridge.inverse.extension import Derivatives, FreeStates, Structure, choose_free
from cranebridge.inverse.index1 import structure_of
from cranebridge.inverse.internal.inner_stages import InnerStages, build_inner_stages
from cranebridge.inverse.kernels import MappedFunctions, Mode
from cranebridge.inverse.problem import ServoProblem
from cranebridge.twin.language import names

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Newton's method ends when steps are this small, relative to one plus the size of each unknown.
NEWTON_TOLERANCE = 1e-12
# Where rounding keeps it from that, steps this small are accepted at the end.
NEWTON_STALLED = 1e-9
# Its iterations at most.
NEWTON_SWEEPS = 20


@cache
def derivatives_of(structure: Structure) -> Derivatives:
    """Return the differentiated equations of a structure; made once for each."""
    return Derivatives(structure)


@cache
def _functions(
    structure: Structure, choice: FreeStates, mode: Mode
) -> tuple[InnerStages, MappedFunctions]:
    stages = build_inner_stages(derivatives_of(structure), choice)
    return stages, MappedFunctions(
        (stages.sweep, stages.rate, stages.finish, stages.residual), mode
    )


class InternalDynamics:
    """The internal dynamics of a servo problem.

    Attributes
    ----------
    problem : ServoProblem
        Crane, path and parameters.
    structure : Structure
        Its structure, with `internal_dynamics` free states.
    rest : RestPath
        Rest positions along the path.
    stages : InnerStages
        The functions of one time point.
    """

    def __init__(self, problem: ServoProblem, mode: Mode = "auto") -> None:
        self.problem, self.structure = problem, structure_of(problem)
        self._p = problem.parameter_vector
        self.rest: RestPath = rest_path(problem, self.structure.model)
        choice = self._choose()
        self.stages, self._mapped = _functions(self.structure, choice, mode)

    def _choose(self) -> FreeStates:
        """Choose the free states at the start."""
        of = derivatives_of(self.structure)
        x, gammas = np.zeros(of.x.shape), np.zeros(of.gammas.shape)
        x[:, 0] = self.rest.x[0]
        gammas[:, 0] = self.problem.path(np.zeros(1))[:, 0]
        choice = choose_free(self.structure, np.array(of.jacobian()(x, gammas, self._p)))
        if choice is None:
            raise singular_inversion(self, 0.0, self.rest.x[0][: len(self.coordinates)])
        if len(choice.free) != self.structure.internal_dynamics:
            raise StructureError(  # pragma: no cover - the numbers agree by construction
                f"{len(choice.free)} states were chosen for internal dynamics of dimension "
                f"{self.structure.internal_dynamics}"
            )
        return choice

    @property
    def dimension(self) -> int:
        """The number of free states."""
        return len(self.stages.choice.free)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the free states."""
        return self.stages.choice.names(self.structure)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the crane's coordinates."""
        return names(self.problem.crane.coordinates)

    def gammas(self, times: Array, left: Flags | None = None) -> Array:
        """Return the path's derivatives, a row for each time: outputs, their rates, and so on.

        At times that `left` marks, the derivatives of the piece before a knot are taken.
        """
        order = self.stages.path_order
        values = self.problem.path.derivatives(times, order)
        if left is not None and left.any():
            values[:, :, left] = self.problem.path.derivatives(times[left], order, side="left")
        return np.ascontiguousarray(values.transpose(2, 0, 1)).reshape(times.size, -1)

    def rest_states(self, times: Array) -> Array:
        """Return eta of the rest positions at some times, with the rates that the path gives it."""
        x = self.rest(times)
        h = 1e-3 * self.problem.path.duration
        rate = (self.rest(times + h) - self.rest(times - h)) / (2.0 * h)
        by_order = {0: x, 1: rate}
        columns = [
            by_order[order][:, j] if order in by_order else np.zeros(times.size)
            for j, order in self.stages.choice.free
        ]
        return np.column_stack(columns)

    def rest_state(self, end: bool) -> Array:
        """Return eta at rest before the path or after it."""
        x = self.rest.x[-1 if end else 0]
        return np.array([x[j] if order == 0 else 0.0 for j, order in self.stages.choice.free])

    def first_guess(self, times: Array) -> Array:
        """Return the unknowns of Newton's method at rest."""
        x = self.rest(times)
        columns = [
            x[:, j] if order == 0 else np.zeros(times.size) for j, order in self.stages.guess
        ]
        return np.column_stack(columns) if columns else np.zeros((times.size, 0))

    def solve(self, w: Array, eta: Array, gammas: Array) -> tuple[Array, Flags]:
        """Iterate on the nonlinear stages; returns their solution and where there is none."""
        w = w.copy()
        if w.shape[1] == 0:
            return w, np.asarray(~np.isfinite(eta).all(axis=1), dtype=bool)
        active = np.arange(len(w))
        for _ in range(NEWTON_SWEEPS):
            new, step = self._mapped("inner_sweep", w[active], eta[active], gammas[active], self._p)
            w[active] = new
            settled = np.abs(step) <= NEWTON_TOLERANCE * (1.0 + np.abs(new))
            active = active[~settled.all(axis=1)]
            if not active.size:
                break
        failed = np.zeros(len(w), dtype=bool)
        if active.size:
            # Rounding can keep Newton's method from the last digits: a small step is settled, too.
            args = w[active], eta[active], gammas[active], self._p
            new, step = self._mapped("inner_sweep", *args)
            failed[active] = ~(np.abs(step) <= NEWTON_STALLED * (1.0 + np.abs(new))).all(axis=1)
        return w, failed

    def rate(self, w: Array, eta: Array, gammas: Array) -> tuple[Array, Array]:
        """Return q(t, eta) and dq/deta (times, rows, columns) for solved stages."""
        q, by_eta = self._mapped("inner_rate", w, eta, gammas, self._p)
        n = self.dimension
        return q, by_eta.reshape(-1, n, n).transpose(0, 2, 1)

    def finish(self, w: Array, eta: Array, gammas: Array) -> tuple[Array, Array, Array, Array]:
        """Return motion, rope forces, rates and system Jacobians (see `InnerStages.finish`)."""
        motion, ropes, rates, jacobians = self._mapped("inner_finish", w, eta, gammas, self._p)
        size = len(self.structure.variables)
        return motion, ropes, rates, jacobians.reshape(-1, size, size).transpose(0, 2, 1)

    def residual(self, motion: Array, gamma: Array) -> Array:
        """Return the residuals of all equations, relative to the largest terms they ever have."""
        residual, scale = self._mapped("inner_residual", motion, gamma, self._p)
        largest = scale.max(axis=0)
        crane = self.problem.crane
        n, m = len(crane.coordinates), len(crane.multipliers)
        for kind in np.split(np.arange(largest.size), [n, n + m]):
            floor = 1e-6 * largest[kind].max(initial=np.finfo(float).tiny)
            largest[kind] = np.maximum(largest[kind], floor)
        return np.asarray(np.abs(residual) / largest)

    def linearised(self, end: bool) -> Array:
        """Return dq/deta at rest before the path or after it."""
        time = np.array([self.problem.path.duration if end else 0.0])
        gammas = self.gammas(time, np.array([not end]))  # before 0 and after the end: at rest
        eta = self.rest_state(end)[None, :]
        w, failed = self.solve(self.first_guess(time), eta, gammas)
        _, matrix = self.rate(w, eta, gammas)
        if failed.any() or not np.isfinite(matrix).all():
            raise singular_inversion(self, float(time[0]), self.rest.x[-1 if end else 0])
        return np.asarray(matrix[0])


@lru_cache(maxsize=8)
def internal_dynamics(problem: ServoProblem, mode: Mode = "auto") -> InternalDynamics:
    """Return the internal dynamics of a problem; kept for the problems asked for last."""
    return InternalDynamics(problem, mode)


def singular_inversion(dynamics: InternalDynamics, time: float, x: Array) -> SolutionError:
    """Return the error for a place where the inputs lose their hold on the outputs."""
    return SolutionError(
        f"the inversion is singular near t = {time:.4g} s at {place_text(dynamics, x)}: there the "
        "outputs answer to the inputs later than elsewhere (the relative degree changes, or a rope "
        "goes slack), and no bounded controls lead through it; let the path keep away from there, "
        "make it slower, or choose other outputs"
    )


def place_text(dynamics: InternalDynamics, x: Array) -> str:
    """Return coordinates in words."""
    return ", ".join(
        f"{name} = {0.0 if abs(value) < 1e-12 else value:.4g}"
        for name, value in zip(dynamics.coordinates, x, strict=False)
    )
