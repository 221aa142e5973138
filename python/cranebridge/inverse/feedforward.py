"""The solution of a servo problem: the whole motion and the controls, on a grid and in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path as FilePath
from typing import TextIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.inverse.piecewise import Piecewise, hermite
from cranebridge.inverse.problem import ServoProblem
from cranebridge.numerics import distinct, write_columns
from cranebridge.twin.language import names

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Nodes:
    """All signals of an exact solution with their time derivatives: on the grid and at the knots.

    A time where the path is less smooth stands twice, with the derivatives of its left and of its
    right side, so that no interpolation reaches over it.

    Attributes
    ----------
    grid : numpy.ndarray
        Which rows are the times of the solution.
    """

    time: Array
    grid: NDArray[np.intp]
    gamma: Array
    gamma_rate: Array
    q: Array
    v: Array
    a: Array
    jerk: Array
    u: Array
    u_rate: Array
    lam: Array
    lam_rate: Array
    ropes: Array


@dataclass(frozen=True, eq=False)
class Feedforward:
    """Coordinates, controls and rope forces that make the load follow the path.

    Each array has a row for each time and a column for each signal, in the crane's order.

    Attributes
    ----------
    problem : ServoProblem
        What was solved.
    method : str
        How.
    order : int
        Order of the error of `u` in the step; 0 where it is exact to rounding on the grid.
    time, gamma, q, v, a, u, lam, ropes : numpy.ndarray
        Time in s, wanted outputs, coordinates, velocities, accelerations, inputs, multipliers,
        rope forces in N.
    residual : dict of str to float
        Largest residual of each equation along the path, relative to the terms in it.
    nodes : Nodes or None
        Between which values the continuous functions interpolate; the grid if None.
    exact_at : callable or None
        Solves the same problem at other times within these, where the method can.
    internal : mapping or None
        What is known of the internal dynamics, for ``summary.json``; None for a flat crane.
    solved : int or None
        At how many times it was solved, where only some of them are kept here.
    held : numpy.ndarray or None
        Inputs that hold the crane at its start, where the controls do not begin with them.
    friction : mapping or None
        What the friction of the drives does, which is in `u`, for ``summary.json``; None without.
    kinks : numpy.ndarray
        Times besides the knots of the path at which the controls have kinks.
    frictionless_part : Feedforward or None
        The same motion without friction; None if it is that itself.
    """

    problem: ServoProblem
    method: str
    order: int
    time: Array
    gamma: Array
    q: Array
    v: Array
    a: Array
    u: Array
    lam: Array
    ropes: Array
    residual: dict[str, float]
    nodes: Nodes | None = None
    notes: tuple[str, ...] = ()
    exact_at: Callable[[Array], Feedforward] | None = None
    internal: Mapping[str, object] | None = None
    solved: int | None = None
    seconds: float = field(default=0.0, compare=False)
    held: Array | None = None
    friction: Mapping[str, object] | None = None
    kinks: Array = field(default_factory=lambda: np.empty(0))
    frictionless_part: Feedforward | None = None

    @property
    def frictionless(self) -> Feedforward:
        """The same motion with the controls of the twin, which has no friction."""
        return self if self.frictionless_part is None else self.frictionless_part

    @property
    def hold(self) -> Array:
        """Inputs that hold the crane at its start."""
        return self.u[0] if self.held is None else self.held

    @property
    def points(self) -> int:
        """At how many times it was solved."""
        return len(self.time) if self.solved is None else self.solved

    @property
    def max_residual(self) -> float:
        """The largest relative residual of all equations."""
        return max(self.residual.values())

    @property
    def interpolation_order(self) -> int:
        """Order of the error of `controls` between the grid's times."""
        return 4 if self.nodes is not None or self.order > 1 else 2

    def moving_states(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the states that the motion starts and ends with, where it does not rest there.

        ``start_state`` and ``end_state``, each with ``q`` and ``v`` by coordinate: whoever drives a
        machine with these controls must know that it moves so.
        """
        coordinates = names(self.problem.crane.coordinates)
        ends = zip(("start", "end"), (0, -1), self.problem.path.moving_ends, strict=True)
        return {
            f"{end}_state": {
                "q": dict(zip(coordinates, self.q[row].tolist(), strict=True)),
                "v": dict(zip(coordinates, self.v[row].tolist(), strict=True)),
            }
            for end, row, moving in ends
            if moving
        }

    def controls(self, t: ArrayLike) -> Array:
        """Return u(t), a row for each time.

        Cubic Hermite interpolation of the exact values and exact derivatives where the method
        gives them (error of order 4 in the step). A time-stepping method of higher order has a
        cubic spline for each smooth piece of the path (order 4), backward Euler, whose own error is
        larger than any interpolation's, straight lines (order 2). Before and after the motion the
        first and last value hold, which keeps a crane where it is only if it rests there.
        """
        return self._evaluate(self.control_polynomial, t)

    def coordinates(self, t: ArrayLike) -> Array:
        """Return q(t), a row for each time: quintic Hermite interpolation of q, v and a."""
        return self._evaluate(self._coordinates, t)

    def _evaluate(self, function: Piecewise, t: ArrayLike) -> Array:
        times = np.clip(np.asarray(t, dtype=float), self.time[0], self.time[-1])
        return function(times)

    @cached_property
    def control_polynomial(self) -> Piecewise:
        """u(t) as a piecewise polynomial, for those who evaluate it themselves."""
        if self.nodes is None and self.order > 1:
            return self._splines()
        if self.nodes is None:
            slope = np.diff(self.u, axis=0) / np.diff(self.time)[:, None]
            return Piecewise(np.stack([slope, self.u[:-1]]), self.time)
        x, left, right = self._intervals(self.nodes.time)
        u, rate = self.nodes.u, self.nodes.u_rate
        # signals are contiguous in memory
        ends = (
            tuple(np.take(part.T, rows, axis=1).T for part in (u, rate)) for rows in (left, right)
        )
        return hermite(x, *ends)

    def _splines(self) -> Piecewise:
        """Return a cubic spline for each piece between knots that the grid meets."""
        from scipy.interpolate import CubicSpline

        nearest = np.abs(self.time[:, None] - np.asarray(self.problem.path.knots)).argmin(axis=0)
        edges = distinct(np.append(nearest, [0, self.time.size - 1]))
        pieces = [
            CubicSpline(self.time[begin : end + 1], self.u[begin : end + 1])
            for begin, end in pairwise(edges)
        ]
        return Piecewise(np.concatenate([piece.c for piece in pieces], axis=1), self.time)

    @cached_property
    def _coordinates(self) -> Piecewise:
        source = self.nodes or self
        x, left, right = self._intervals(source.time)
        q, v, a = source.q, source.v, source.a
        return hermite(x, (q[left], v[left], a[left]), (q[right], v[right], a[right]))

    @staticmethod
    def _intervals(time: Array) -> tuple[Array, NDArray[np.intp], NDArray[np.intp]]:
        """Return the breakpoints and the end positions of the intervals between nodes."""
        left = np.flatnonzero(np.diff(time) > 0.0)
        return np.append(time[left], time[-1]), left, left + 1

    def columns(self) -> Iterator[tuple[str, Array]]:
        """Yield the CSV columns: name with prefix, and values."""
        crane = self.problem.crane
        yield "time", self.time
        groups = (
            ("gamma", crane.outputs, self.gamma),
            ("q", crane.coordinates, self.q),
            ("v", crane.coordinates, self.v),
            ("a", crane.coordinates, self.a),
            ("u", crane.inputs, self.u),
            ("lambda", crane.multipliers, self.lam),
            ("rope", crane.ropes, self.ropes),
        )
        for prefix, quantities, values in groups:
            for column, name in enumerate(names(quantities)):
                yield f"{prefix}.{name}", values[:, column]

    def write_csv(self, target: FilePath | TextIO) -> None:
        """Write all signals as CSV, with 17 significant digits, SI units."""
        write_columns(target, self.columns())


def nodes_of(
    layout: Mapping[str, slice],
    time: Array,
    grid: NDArray[np.intp],
    gammas: tuple[Array, Array],
    motion: Array,
    ropes: Array,
    rates: Array,
) -> Nodes:
    """Return the nodes of a staged solution.

    Parameters
    ----------
    layout : mapping of str to slice
        Where the parts are in `motion` and `rates`.
    time : numpy.ndarray
        Times of the rows of the other arrays.
    grid : numpy.ndarray
        Which rows are the times of the solution.
    gammas : tuple of numpy.ndarray
        The path's outputs, and their rates.
    motion, ropes, rates : numpy.ndarray
        What the stages give.
    """
    return Nodes(
        time=time,
        grid=grid,
        gamma=gammas[0],
        gamma_rate=gammas[1],
        q=motion[:, layout["q"]],
        v=motion[:, layout["v"]],
        a=motion[:, layout["a"]],
        jerk=rates[:, layout["jerk"]],
        u=motion[:, layout["u"]],
        u_rate=rates[:, layout["u_rate"]],
        lam=motion[:, layout["lambda"]],
        lam_rate=rates[:, layout["lambda_rate"]],
        ropes=ropes,
    )
