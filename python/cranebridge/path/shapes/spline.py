"""Paths through via points without a stop: splines with rest at both ends."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from cranebridge.errors import InputError
from cranebridge.path.base import Break, FloatArray, Path, Phase, Side

_MISS = 1e-10
"""How far, relative to its extent, a spline may miss its points by rounding."""


@dataclass(frozen=True)
class Spline(Path):
    """The spline of degree ``2 * order + 1`` through points, at rest at both ends.

    It is C^(2 order) at the via points and C^order with the rest before and after.

    Attributes
    ----------
    points : tuple of tuple of float
        At least two, each with one component for each output.
    times : tuple of float
        When each point is passed [s]; the first is 0.
    order : int
        Number of derivatives that vanish at both ends.

    Raises
    ------
    InputError
        If rounding spoils the spline: a high order with many points or very uneven times.
    """

    points: tuple[tuple[float, ...], ...]
    times: tuple[float, ...]
    order: int

    def __post_init__(self) -> None:
        values = np.array(self.points)
        try:
            missed = np.abs(self._splines[0](np.array(self.times) / self.duration) - values).max()
        except np.linalg.LinAlgError:
            missed = np.inf
        if not missed <= _MISS * np.abs(values).max():
            raise InputError(
                f"the path has no spline of smoothness {self.order} through its points that is "
                f"accurate (it misses them by {missed:.2g}): use a lower smoothness, times that "
                "are more even, or stop = true."
            )

    @property
    def degree(self) -> int:
        """Of the polynomial pieces."""
        return 2 * self.order + 1

    @property
    def duration(self) -> float:
        """When the last point is reached [s]."""
        return self.times[-1]

    @property
    def knots(self) -> tuple[float, ...]:
        """The times of the points."""
        return self.times

    @property
    def phases(self) -> tuple[Phase, ...]:
        """One phase a leg."""
        legs = enumerate(pairwise(self.times), start=1)
        return tuple((f"leg {i}", begin, end) for i, (begin, end) in legs)

    def breaks(self, output: str) -> tuple[Break, ...]:
        """Return the times of the points for an output that moves; see `Path.breaks`."""
        i = self._row(output)
        if len({point[i] for point in self.points}) == 1:
            return ()
        ends = (self.times[0], self.times[-1])
        return tuple(Break(t, self.order if t in ends else 2 * self.order) for t in self.times)

    @cached_property
    def _splines(self) -> tuple[Any, ...]:
        """The spline and its derivatives up to the last one that is continuous, over t/duration."""
        from scipy.interpolate import BSpline

        k, values = self.degree, np.array(self.points)
        u = np.array(self.times) / self.duration
        knots = np.concatenate([np.zeros(k), u, np.ones(k)])
        coefficients = np.empty((len(u) + k - 1, values.shape[1]))
        # Derivatives vanish at an end if its first coefficients are equal. Set so, they vanish
        # exactly, and only the inner points are left to be solved for.
        inner = slice(self.order + 1, len(coefficients) - self.order - 1)
        coefficients[: inner.start], coefficients[inner.stop :] = values[0], values[-1]
        if len(u) > 2:
            basis = BSpline.design_matrix(u[1:-1], knots, k).toarray()
            ends = basis[:, : inner.start].sum(1), basis[:, inner.stop :].sum(1)
            rest = values[1:-1] - np.outer(ends[0], values[0]) - np.outer(ends[1], values[-1])
            coefficients[inner] = np.linalg.solve(basis[:, inner], rest)
        spline = BSpline(knots, coefficients, k)
        return tuple(spline.derivative(m) if m else spline for m in range(k))

    @cached_property
    def _last_derivative(self) -> FloatArray:
        """The derivative of order `degree` over t/duration: a constant on each leg."""
        edges = np.array(self.times) / self.duration
        steps = np.diff(self._splines[-1](edges), axis=0)
        constants: FloatArray = (steps / np.diff(edges)[:, None]).T
        return constants

    def _evaluate(self, t: FloatArray, order: int, side: Side) -> FloatArray:
        out = np.zeros((order + 1, len(self.outputs), len(t)))
        leg = np.searchsorted(self.times, t, side=side) - 1
        out[0, :, leg < 0] = self.points[0]
        out[0, :, leg >= len(self.times) - 1] = self.points[-1]
        inside = np.flatnonzero((leg >= 0) & (leg < len(self.times) - 1))
        u = t[inside] / self.duration
        for m in range(min(order, self.degree) + 1):
            if m < self.degree:
                values = self._splines[m](u).T
            else:
                values = self._last_derivative[:, leg[inside]]
            out[m][:, inside] = values / self.duration**m
        return out
