"""The stages of a crane, compiled, and evaluated at many times in one call.

The compiled kernel over lanes does everything where there is one; CasADi's functions do the same
where there is none, or none is wanted.
"""

from __future__ import annotations

from functools import cache, cached_property, lru_cache

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse.extension import Stages, Structure, analyse, build_stages
from cranebridge.inverse.index1.starting import start_of
from cranebridge.inverse.kernels import Kernel, MappedFunctions, Mode, kernel_of
from cranebridge.inverse.problem import ServoProblem
from cranebridge.structure import is_regular
from cranebridge.twin import Crane, equations_of_motion

Array = NDArray[np.float64]

# Newton converges quadratically: after a relative step this small the next error is rounding.
NEWTON_TOLERANCE = 1e-11
# Combined equations carry the rounding of those that cancel in them: steps stay at some 1e-12.
COMBINED_TOLERANCE = 1e-9
COARSE_SWEEPS = 3
# Steps that are larger than this are not rounding, however many are made.
MOST_ROUNDING = 1e-7
# Steps that rounding keeps from becoming smaller are below this from the first on; after so many
# more of them a convergence that is only slow has ended, too.
_ROUNDING_BEGINS = 1e-6
_ROUNDING_STEPS = 6
# Steps at other times may be larger by this factor.
_ABOVE_ROUNDING = 8.0


@lru_cache(maxsize=64)
def structure_of(problem: ServoProblem) -> Structure:
    """Return the structure analysis of a problem; made once for its crane, start and parameters.

    Where no equation was changed, the structure is that of the crane for all problems in which its
    system Jacobian is regular: that is looked at for each of them.
    """
    q, p = problem.start_coordinates(), problem.parameter_vector
    return _structure_at(problem.crane, tuple(q.tolist()), tuple(p.tolist()))


# Structures of cranes in whose equations nothing was changed, and the others by their fingerprints.
_plain: dict[Crane, list[Structure]] = {}
_combined: dict[tuple[Crane, str], Structure] = {}


@lru_cache(maxsize=256)
def _structure_at(crane: Crane, q: tuple[float, ...], p: tuple[float, ...]) -> Structure:
    known = _plain.setdefault(crane, [])
    model = known[0].model if known else equations_of_motion(crane)
    start = start_of(model, np.array(q), np.array(p))
    for structure in known:
        if is_regular(structure.analysis, start):
            return structure.near(start)
    found = analyse(crane, start, model)
    if found.plain:
        known.append(found)
        return found
    # starts that lead to the same equations share what is built from them
    return _combined.setdefault((crane, found.fingerprint), found)


@cache
def stages_of(structure: Structure) -> Stages:
    """Return the staged solution for a structure; made once."""
    return build_stages(structure)


def relative_step(step: Array, w: Array) -> Array:
    """Return the largest step of each row, of 1 + |w|; what is not a number stays none."""
    return np.asarray((np.abs(step) / (1.0 + np.abs(w))).max(axis=-1, initial=0.0))


class PointSolver:
    """The stages of a crane, compiled, evaluated at many times in one call.

    Parameters are arguments of the functions: a change of their values builds nothing anew.

    Attributes
    ----------
    stages : Stages
        What is evaluated.
    kernel : Kernel or None
        The stages over lanes; None where nothing is compiled.
    coarse_sweeps : int
        Newton steps from one coarse time to the next. A block sees derivatives of those before it:
        its own steps are worth something after theirs have converged, so that nonlinear blocks of
        several stages converge in turn.
    """

    def __init__(self, stages: Stages, mode: Mode = "auto") -> None:
        self.stages = stages
        self._crane = stages.structure.crane
        self._mode = mode
        self._follows: dict[tuple[int, int], ca.Function] = {}
        nonlinear = {block.first_stage for block in stages.blocks if block.nonlinear}
        self.coarse_sweeps = COARSE_SWEEPS * max(len(nonlinear), 1)
        self.kernel: Kernel | None = kernel_of(stages, mode)

    @cached_property
    def _mapped(self) -> MappedFunctions:
        """CasADi's functions, where there is no kernel."""
        stages = self.stages
        return MappedFunctions((stages.sweep, stages.finish, stages.residual), self._mode)

    @property
    def tolerance(self) -> float:
        """A relative step of Newton's method this small is its last."""
        combined = bool(self.stages.structure.combinations)
        return COMBINED_TOLERANCE if combined else NEWTON_TOLERANCE

    def sweep(self, w: Array, gammas: Array, p: Array) -> tuple[Array, Array]:
        """Do one Newton step at each time; returns the new w and the steps."""
        if self.kernel is not None:
            return self.kernel.sweep(w, gammas, p)
        new, step = self._mapped("sweep", w, gammas, p)
        return new, step

    def finish(self, w: Array, gammas: Array, p: Array) -> list[Array]:
        """Return motion, rope forces, rates and Jacobians at each time (see `Stages.finish`)."""
        if self.kernel is not None:
            return self.kernel.finish(w, gammas, p)
        return self._mapped("finish", w, gammas, p)

    def residual(self, motion: Array, gamma: Array, p: Array) -> tuple[Array, Array]:
        """Return residuals of all equations and the size of their terms, by CasADi's functions."""
        residual, scale = self._mapped("residual", motion, gamma, p)
        return residual, scale

    def floors(self, scale: Array) -> Array:
        """Return what residuals are compared with, from the largest terms of each equation.

        Along a path an equation can consist of zeros for a while (a load at rest sideways), so it
        is compared with the largest terms that it ever has, and an equation that stays empty with
        a millionth of the largest of its kind.
        """
        largest = scale.copy()
        n, m = (len(part) for part in (self._crane.coordinates, self._crane.multipliers))
        for kind in np.split(np.arange(largest.size), [n, n + m]):
            floor = 1e-6 * largest[kind].max(initial=np.finfo(float).tiny)
            largest[kind] = np.maximum(largest[kind], floor)
        return largest

    def unsettled(self, step: Array, w: Array, tolerance: float | None = None) -> NDArray[np.bool_]:
        """Return where the last step was not small; not a number counts as not small."""
        return np.asarray(~(relative_step(step, w) <= (tolerance or self.tolerance)))

    def settle(self, w: Array, gammas: Array, p: Array) -> tuple[Array, NDArray[np.bool_], float]:
        """Make further steps where the last was not small: small ones that stay are rounding.

        A stiff spring between absolute positions turns the rounding of lengths into forces, and
        each differentiation once more. What the solution is worth then is judged by its residuals.

        Returns
        -------
        w : numpy.ndarray
            As good as it becomes.
        bad : numpy.ndarray
            Where steps are larger than rounding can be.
        tolerance : float
            What steps are judged by from here on: `tolerance`, or more than their rounding.
        """
        new, step = self.sweep(w, gammas, p)
        bad = self.unsettled(step, new)
        if not bad.any() or not (relative_step(step, new) <= _ROUNDING_BEGINS).all():
            return w, bad, self.tolerance
        for _ in range(_ROUNDING_STEPS):
            new, step = self.sweep(new, gammas, p)
        left = relative_step(step, new)
        bad = ~(left <= MOST_ROUNDING)
        if bad.any():
            return w, bad, self.tolerance
        return new, bad, max(self.tolerance, _ABOVE_ROUNDING * float(left.max()))

    def follow(self, w: Array, gammas: Array, p: Array, sweeps: int = 1) -> Array:
        """Follow the solution from time to time, starting from `w` before the first.

        At each time it makes `sweeps` times the usual number of Newton steps.
        """
        count, sweeps = len(gammas), sweeps * self.coarse_sweeps
        if w.size == 0:
            return np.zeros((count, 0))
        if self.kernel is not None:
            followed: Array = self.kernel.follow(w[None], gammas, p[None], sweeps)[0]
            return followed
        if (count, sweeps) not in self._follows:
            self._follows[count, sweeps] = self._follow(sweeps).mapaccum(count)
        follow = self._follows[count, sweeps]
        columns = gammas.reshape(count, self.stages.path_order + 1, -1)
        stacked = np.ascontiguousarray(columns).reshape(count * columns.shape[1], -1).T
        return np.array(follow(w, stacked, p)).T

    def _follow(self, sweeps: int) -> ca.Function:
        sweep = self._mapped.function("sweep")
        w, gammas = ca.MX.sym("w", sweep.size1_in(0)), ca.MX.sym("gammas", *sweep.size_in(1))
        p, new = ca.MX.sym("p", sweep.size1_in(2)), w
        for _ in range(sweeps):
            new = sweep(new, gammas, p)[0]
        return ca.Function("follow", [w, gammas, p], [new])


def point_solver(problem: ServoProblem, mode: Mode = "auto") -> PointSolver:
    """Return the compiled stages of a problem; made once for each structure and mode."""
    return solver_of(structure_of(problem), mode)


@cache
def solver_of(structure: Structure, mode: Mode) -> PointSolver:
    """Return the compiled stages for a structure."""
    return PointSolver(stages_of(structure), mode)
