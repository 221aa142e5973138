"""One time of a flat motion: rows of limits as functions of the path alone, twice differentiable.

Newton's unknowns w of the stages (:mod:`cranebridge.inverse.extension.stages`) are functions of the
path. With their equations r(z, w) = 0 and rows h(z, w), z the path's derivatives over normalised
time and the duration,

    dw/dz = W = -r_w^-1 r_z,    dh/dz = h_z + h_w W,
    d2(lambda h)/dz2 = [I; W]^T (lambda h + mu r)_zz,zw,ww [I; W],    mu = -r_w^-T h_w^T lambda,

so that an optimiser sees the path only. Everything is evaluated at all times in one call.

The code of the matrix in the middle grows with the square of the unknowns. Where a compiler would
take minutes for it, the gradient of lambda h + mu r is differentiated along each column of [I; W]
by one small function instead.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse.extension import lifted_stages
from cranebridge.inverse.index1 import PointSolver
from cranebridge.inverse.kernels import QUICK_FLAGS, MappedFunctions
from cranebridge.plan.rows.point_kernel import kernel_of_rows

Array = NDArray[np.float64]
Slopes = tuple[Array, Array, Array, Array]

_SWEEPS = 30
_SETTLED = 1e-10
# Instructions of a gradient times unknowns, about those of all second derivatives: compilers take
# some seconds for these, and minutes for those of the largest cranes.
_LARGE = 20_000
# How many groups of times have their first derivatives kept for the second ones.
_RECENT = 16


@dataclass(frozen=True, eq=False)
class Moment:
    """The motion at one time as expressions, for those who write rows.

    Attributes
    ----------
    gammas : casadi.SX
        The path, a column for each derivative.
    motion : dict of str to casadi.SX
        q, v, a, lambda, u, jerk.
    duration : casadi.SX
        Of the phase that the time belongs to [s].
    p : casadi.SX
        Parameters.
    constants : casadi.SX
        Other numbers that change from task to task, such as the sizes of limits.
    """

    gammas: ca.SX
    motion: dict[str, ca.SX]
    duration: ca.SX
    p: ca.SX
    constants: ca.SX


Write = Callable[[Moment], ca.SX]


class PointFunctions:
    """Rows of a flat motion with first and second derivatives, for any parameters.

    They take long to build: whoever makes them keeps them.

    Parameters
    ----------
    solver : PointSolver
        The stages of the problem.
    order : int
        Highest path derivative that the rows need.
    write : callable
        Returns the rows at a `Moment`.
    constants : int
        How many constants the rows have besides the parameters.
    """

    def __init__(self, solver: PointSolver, order: int, write: Write, constants: int = 0) -> None:
        self.solver, self.order = solver, order
        stages = solver.stages
        self.outputs = len(stages.structure.crane.outputs)
        self.unknowns = len(stages.guess)
        self.path_order = stages.path_order
        c = ca.SX.sym("c", self.outputs, order + 1)
        duration, w = ca.SX.sym("T"), ca.SX.sym("w", self.unknowns)
        given = [c[:, k] / duration**k for k in range(order + 1)]
        missing = [ca.SX.zeros(self.outputs, 1)] * (stages.path_order - order)
        gammas = ca.horzcat(*given, *missing)
        p = ca.SX.sym("p", len(stages.structure.crane.parameters))
        others = ca.SX.sym("constants", constants)
        symbols = ca.vertcat(p, others)
        residual, motion, _, rates = lifted_stages(stages.structure)(w, gammas, p)
        parts = {name: motion[stages.layout[name]] for name in ("q", "v", "a", "lambda", "u")}
        parts["jerk"] = rates[stages.layout["jerk"]]
        rows = write(Moment(gammas, parts, duration, p, others))
        self.count = int(rows.numel())
        self.size = self.outputs * (order + 1) + 1
        z = ca.vertcat(ca.vec(c), duration, w)
        weights, forces = ca.SX.sym("lam", self.count), ca.SX.sym("mu", self.unknowns)
        lagrangian = ca.dot(weights, rows) + ca.dot(forces, residual)
        gradient = ca.gradient(lagrangian, z)
        given = [z, weights, forces, symbols]
        once = ca.Function("gradient", given, ca.cse([gradient])).n_instructions()
        self.whole = once * z.numel() <= _LARGE
        if self.whole:
            way, second = ca.SX(0, 1), ca.hessian(lagrangian, z)[0]
        else:
            way = ca.SX.sym("way", z.numel())
            second = ca.jtimes(gradient, z, way)
        first = [rows, ca.jacobian(rows, z), ca.jacobian(residual, z)]
        self._functions = {
            "rows": ca.Function("rows", [z, symbols], [ca.densify(rows)]),
            "slopes": ca.Function("slopes", [z, symbols], ca.cse([ca.densify(f) for f in first])),
            "second": ca.Function("second", [way, *given], ca.cse([ca.densify(second)])),
        }
        self.kernel = kernel_of_rows(stages, self._functions)

    @cached_property
    def mapped(self) -> MappedFunctions:
        """CasADi's functions, where there is no kernel."""
        return MappedFunctions(self._functions.values(), flags=QUICK_FLAGS)


class PointRows:
    """Rows of a flat motion with first and second derivatives.

    Parameters
    ----------
    functions : PointFunctions
        What they are.
    p : numpy.ndarray
        Parameters.
    constants : sequence of float
        The other numbers that they need.
    """

    linear = False

    def __init__(
        self, functions: PointFunctions, p: Array, constants: Sequence[float] = ()
    ) -> None:
        self.solver, self.p, self._given = functions.solver, p, np.append(p, constants)
        self.order, self.outputs = functions.order, functions.outputs
        self.count, self.size = functions.count, functions.size
        self.unknowns, self.path_order = functions.unknowns, functions.path_order
        self._whole, self._functions = functions.whole, functions
        self._kernel = functions.kernel
        self._recent: deque[tuple[Array, Array, Slopes]] = deque(maxlen=_RECENT)

    def settle(self, z: Array, w: Array) -> Array:
        """Return Newton's unknowns for a path, from those nearby; NaN where there are none."""
        if self.unknowns == 0:
            return w
        if self._kernel is not None:
            return self._kernel.settle(z, w, self.p, _SWEEPS, _SETTLED)
        powers = np.repeat(np.arange(self.order + 1), self.outputs)
        gammas = np.zeros((len(z), self.outputs * (self.path_order + 1)))
        gammas[:, : self.size - 1] = z[:, :-1] / z[:, -1:] ** powers
        found, active = w.copy(), np.arange(len(z))
        for _ in range(_SWEEPS):
            new, step = self.solver.sweep(found[active], gammas[active], self.p)
            found[active] = new
            with np.errstate(invalid="ignore"):
                small = (np.abs(step) <= _SETTLED * (1.0 + np.abs(new))).all(axis=1)
            active = active[~small]
            if not active.size:
                return found
        found[active] = np.nan
        return found

    def values(self, z: Array, w: Array) -> Array:
        """Return the rows at each time."""
        if self._kernel is not None:
            return self._kernel.values(z, w, self._given)
        return self._functions.mapped("rows", np.hstack([z, w]), self._given)[0]

    def slopes(self, z: Array, w: Array) -> tuple[Array, Array]:
        """Return the rows and their derivatives by z at each time."""
        if self._kernel is not None:
            return self._kernel.slopes(z, w, self._given)
        rows, direct, _, ways = self._slopes(z, w)
        return rows, direct[:, :, : self.size] + direct[:, :, self.size :] @ ways

    def curvature(self, z: Array, w: Array, weights: Array) -> Array:
        """Return the second derivatives by z of the weighted sum of the rows at each time."""
        if self._kernel is not None:
            return self._kernel.curvature(z, w, weights, self._given)
        point = np.hstack([z, w])
        _, direct, residual, ways = self._slopes(z, w)
        forces = np.zeros((len(z), self.unknowns))
        if self.unknowns:
            inner = np.einsum("ij,ijk->ik", weights, direct[:, :, self.size :])
            square = residual[:, :, self.size :].transpose(0, 2, 1)
            forces = -np.linalg.solve(square, inner[:, :, None])[:, :, 0]
        own = np.broadcast_to(np.eye(self.size), (len(z), self.size, self.size))
        a = np.concatenate([own, ways], axis=1)
        if self._whole:
            found = self._functions.mapped(
                "second", np.zeros((len(z), 0)), point, weights, forces, self._given
            )[0]
            return np.asarray(a.transpose(0, 2, 1) @ found.reshape(len(z), a.shape[1], -1) @ a)
        along = a.transpose(0, 2, 1).reshape(-1, a.shape[1])
        each = [np.repeat(value, self.size, axis=0) for value in (point, weights, forces)]
        found = self._functions.mapped("second", along, *each, self._given)[0]
        return np.asarray(found.reshape(len(z), self.size, -1) @ a)

    def _slopes(self, z: Array, w: Array) -> Slopes:
        """Return the rows, their and the equations' derivatives by z and w, and dw/dz.

        Second derivatives are asked for where first ones were, with the same arrays.
        """
        for known, unknowns, result in self._recent:
            if known is z and unknowns is w:
                return result
        rows, direct, residual = self._functions.mapped("slopes", np.hstack([z, w]), self._given)
        n = self.size + self.unknowns
        # CasADi's matrices are rows of columns
        direct = direct.reshape(len(z), n, self.count).transpose(0, 2, 1)
        residual = residual.reshape(len(z), n, self.unknowns).transpose(0, 2, 1)
        result = rows, direct, residual, self._ways(residual)
        self._recent.append((z, w, result))
        return result

    def _ways(self, residual: Array) -> Array:
        """Return dw/dz."""
        if not self.unknowns:
            return np.zeros((len(residual), 0, self.size))
        return np.asarray(
            -np.linalg.solve(residual[:, :, self.size :], residual[:, :, : self.size])
        )
