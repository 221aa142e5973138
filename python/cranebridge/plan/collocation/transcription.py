"""A motion on a mesh as one nonlinear programme, interval by interval.

Every interval has its own copy of the state at its begin and of the duration, so that all intervals
are alike and nothing is shared: one function, mapped over the mesh, gives costs and residuals; its
derivatives are the blocks of the Jacobian and of the Hessian. The copies are tied by linear
equations (:mod:`cranebridge.plan.collocation.ipopt`).

An interval's unknowns, divided by their sizes: q, v at its begin; q, v, lambda, eta, u at each
Radau point; the duration where it is free.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.plan.collocation.mapped_block import MappedBlock
from cranebridge.plan.collocation.radau_points import Radau
from cranebridge.plan.collocation.stabilised_equations import StabilisedEquations
from cranebridge.plan.task import Bounds

Array = NDArray[np.float64]

# Limits on these are bounds of unknowns; those on others are rows of their own.
_SIMPLE = ("q", "v", "u")


@dataclass(frozen=True, eq=False)
class Scaling:
    """By what unknowns are divided."""

    q: Array
    v: Array
    lam: Array
    u: Array
    duration: float
    eta: Array

    @property
    def state(self) -> Array:
        """Of q and v."""
        return np.concatenate([self.q, self.v])

    @property
    def point(self) -> Array:
        """Of all unknowns of a point."""
        return np.concatenate([self.q, self.v, self.lam, self.eta, self.u])


@dataclass(frozen=True, eq=False)
class TerminalConditions:
    """What holds at the end of the motion.

    Attributes
    ----------
    fixed : tuple of (int, float)
        Positions in (q, v) and their values.
    balance : bool
        Whether the crane must be able to rest there, by some lambda and u.
    cost : casadi.Function or None
        ``(q, v, u, reference, p) -> cost``; of q and v only.
    reference : numpy.ndarray
        For it.
    """

    fixed: tuple[tuple[int, float], ...] = ()
    balance: bool = False
    cost: ca.Function | None = None
    reference: Array = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True, eq=False)
class Transcription:
    """What is to be found, but for the mesh.

    Attributes
    ----------
    equations : StabilisedEquations
        Of the crane.
    method : Radau
        Points of an interval.
    parameters : numpy.ndarray
        Of the crane.
    bounds : Bounds
        Limits.
    integrand : casadi.Function
        ``(q, v, u, reference, p) -> cost``.
    start : numpy.ndarray
        q and v at the begin.
    end : TerminalConditions
        What holds at the end.
    sizes : Scaling
        By what unknowns are divided.
    obstacles : casadi.Function
        ``(q, p) -> rows`` that must not be negative.
    free : bool
        Whether the duration is to be found.
    between : bool
        Whether limits of coordinates and speeds hold between the points, too.
    """

    equations: StabilisedEquations
    method: Radau
    parameters: Array
    bounds: Bounds
    integrand: ca.Function
    start: Array
    end: TerminalConditions
    sizes: Scaling
    obstacles: ca.Function
    free: bool
    between: bool = False

    @property
    def reference_size(self) -> int:
        """The length of a reference."""
        return int(self.integrand.size1_in(3))

    @cached_property
    def rows(self) -> list[int]:
        """The limits that are rows of their own."""
        signals = self.bounds.signals
        return [i for i, signal in enumerate(signals) if signal.group not in _SIMPLE]

    @cached_property
    def interval(self) -> MappedBlock:
        """One interval: ``(unknowns, (part of the duration, references)) -> cost, residuals``."""
        eq, sizes, method = self.equations, self.sizes, self.method
        d, state, point = method.degree, sizes.state, sizes.point
        unknown = ca.SX.sym("unknown", state.size + d * point.size + self.free)
        known = ca.SX.sym("known", 1 + d * self.reference_size)
        begin = unknown[: state.size] * state
        columns = ca.reshape(unknown[state.size : state.size + d * point.size], point.size, d)
        columns = columns * ca.repmat(ca.DM(point), 1, d)
        references = ca.reshape(known[1:], self.reference_size, d)
        duration = unknown[-1] * sizes.duration if self.free else sizes.duration
        h = duration * known[0]
        x = ca.horzcat(begin, columns[: state.size, :])
        rates = x @ ca.DM(method.slopes) / h
        cost, residuals = 0, []
        for j in range(d):
            q, v, lam, eta, u = ca.vertsplit(columns[:, j], np.cumsum([0, *self._parts]).tolist())
            q_rate, a = rates[: eq.size, j], rates[eq.size :, j]
            r = (
                eq.residual(q, v, q_rate, a, lam, eta, u, self.parameters, self.masses)
                / self._row_sizes
            )
            limits = self.bounds.function(q, v, a, ca.SX(eq.size, 1), lam, u, self.parameters)
            kept = ca.vertcat(*(limits[i] / self.bounds.size[i] for i in self.rows))
            clear = self.obstacles(q, self.parameters)
            residuals += [r, kept, clear]
            given = (q, v, u, references[:, j], self.parameters)
            cost += h * method.weights[j] * self.integrand(*given)
        inner = x[self.watched[1], :] @ ca.DM(method.inner_coefficients).T
        residuals.append(ca.vec(inner / ca.DM(self.bounds.size[self.watched[0]])))
        return MappedBlock.make("interval", unknown, known, cost, ca.vertcat(*residuals))

    @cached_property
    def watched(self) -> tuple[list[int], list[int]]:
        """Limits that hold between the points, and the positions of their signals in (q, v)."""
        signals = self.bounds.signals if self.between else ()
        own = [i for i, signal in enumerate(signals) if signal.group in ("q", "v")]
        first = {"q": 0, "v": self.equations.size}
        return own, [first[signals[i].group] + signals[i].position for i in own]

    @cached_property
    def _parts(self) -> list[int]:
        eq = self.equations
        return [eq.size, eq.size, eq.multipliers, eq.conditions, eq.inputs]

    @cached_property
    def masses(self) -> Array:
        """Of the coordinates at the start."""
        return self.equations.masses(self.start[: self.equations.size], self.parameters)

    @cached_property
    def _row_sizes(self) -> ca.DM:
        q = self.start[: self.equations.size]
        rows = self.equations.row_sizes(q, self.parameters)
        rows[: self.equations.size] *= self.sizes.v
        return ca.DM(rows)

    @cached_property
    def row_bounds(self) -> tuple[Array, Array]:
        """Least and most of the residuals of an interval."""
        zero = np.zeros(int(self._row_sizes.numel()))
        size, clear = self.bounds.size[self.rows], np.zeros(self.obstacles.size1_out(0))
        low, high = self.bounds.least[self.rows] / size, self.bounds.most[self.rows] / size
        least = np.concatenate([zero, low, clear])
        most = np.concatenate([zero, high, np.full(clear.size, np.inf)])
        own, d = self.watched[0], self.method.degree
        inner = np.tile(self.bounds.least[own] / self.bounds.size[own], d - 1)
        outer = np.tile(self.bounds.most[own] / self.bounds.size[own], d - 1)
        return np.append(np.tile(least, d), inner), np.append(np.tile(most, d), outer)

    @cached_property
    def bounded(self) -> dict[int, int]:
        """Limits that bound an unknown, and its position among those of a point."""
        first = {
            "q": 0,
            "v": self.equations.size,
            "u": self.sizes.point.size - self.equations.inputs,
        }
        return {
            i: first[signal.group] + signal.position
            for i, signal in enumerate(self.bounds.signals)
            if signal.group in _SIMPLE
        }

    @cached_property
    def unknown_bounds(self) -> tuple[Array, Array]:
        """Least and most of the unknowns of an interval, as multiples of their sizes."""
        point = self.sizes.point
        least, most = np.full(point.size, -np.inf), np.full(point.size, np.inf)
        for i, at in self.bounded.items():
            least[at], most[at] = self.bounds.least[i] / point[at], self.bounds.most[i] / point[at]
        open_ = np.full(self.sizes.state.size, np.inf)
        ends = np.full(int(self.free), 1e-3), np.full(int(self.free), np.inf)
        d = self.method.degree
        return (
            np.concatenate([-open_, np.tile(least, d), ends[0]]),
            np.concatenate([open_, np.tile(most, d), ends[1]]),
        )

    @cached_property
    def last(self) -> MappedBlock:
        """The end: ``(q, v, and lambda and u that hold it at rest) -> cost, residuals``."""
        eq, sizes = self.equations, self.sizes
        model, n = eq.model, eq.size
        still = np.concatenate([sizes.lam, sizes.u]) if self.end.balance else np.zeros(0)
        size = np.concatenate([sizes.state, still])
        unknown = ca.SX.sym("unknown", size.size)
        values = unknown * size
        q, v = values[:n], values[n : 2 * n]
        residuals = [(values[i] - value) / size[i] for i, value in self.end.fixed]
        if self.end.balance:
            lam = values[2 * n : 2 * n + eq.multipliers]
            arguments = [model.q, model.v, model.a, model.lam, model.u, model.p]
            motion = ca.Function("motion", arguments, [model.motion])
            u = values[2 * n + eq.multipliers :]
            zero = np.zeros(n)
            left = motion(q, zero, zero, lam, u, self.parameters)
            rows = [i for i in range(n) if eq.dynamics.equation_offsets[i] == 0]
            sized = np.array(self._row_sizes)[n:, 0]
            residuals += [left[i] / sized[k] for k, i in enumerate(rows)]
        cost = ca.SX(0)
        if self.end.cost is not None:
            zero = np.zeros(eq.inputs)
            cost = self.end.cost(q, v, zero, self.end.reference, self.parameters)
        return MappedBlock.make(
            "last", unknown, ca.SX(0, 1), cost, ca.vertcat(ca.SX(0, 1), *residuals)
        )
