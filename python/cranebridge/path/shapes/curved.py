"""Paths along curves: what they share, lines in cylindrical coordinates, figures of eight."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from cranebridge.path.base import Break, FloatArray, Path, Phase, Side
from cranebridge.path.functions import Series, taylor
from cranebridge.path.profiles import Profile
from cranebridge.path.shapes.straight import line_series, stack

_NO_JUMP = 1e-9
"""Jumps below this part of the largest one of their kind are rounding."""


@dataclass(frozen=True)
class Curve(Path):
    """Outputs that are nonlinear functions of the progress c(t).

    Attributes
    ----------
    profile : Profile
        Progress c(t), beginning at 0 s.
    """

    profile: Profile

    _kinds: ClassVar[tuple[tuple[int, ...], ...]]
    """Rows of outputs that share a unit, whose jumps can be compared."""

    @abstractmethod
    def _geometry(self, progress: Series) -> list[Series]:
        """Map the Taylor series of c to those of the outputs."""

    @property
    def duration(self) -> float:
        """When the goal is reached [s]."""
        return self.profile.end

    @property
    def knots(self) -> tuple[float, ...]:
        """The knots of the profile."""
        return self.profile.knots

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases of the profile."""
        return self.profile.phases

    def breaks(self, output: str) -> tuple[Break, ...]:
        """Return the breaks of an output; see `Path.breaks`.

        An output whose first derivative by c vanishes at a knot is smoother there than c is.
        """
        return self._all_breaks[self._row(output)]

    @cached_property
    def _all_breaks(self) -> tuple[tuple[Break, ...], ...]:
        found: list[list[Break]] = [[] for _ in self.outputs]
        for b in self.profile.breaks:
            knot = self.knots.index(b.time)
            # up to where an output that depends on c by its third power only would jump
            count = 3 * (b.order + 1) + 1
            left = stack(self._geometry(self._series_at_knot(knot, "left", count)))[:, :, 0]
            right = stack(self._geometry(self._series_at_knot(knot, "right", count)))[:, :, 0]
            size = np.maximum(np.abs(left), np.abs(right))
            for rows in self._kinds:
                limit = _NO_JUMP * size[:, list(rows)].max(axis=1)
                for i in rows:
                    jumps = np.flatnonzero(np.abs(left - right)[1:, i] > limit[1:])
                    if len(jumps):
                        found[i].append(Break(b.time, int(jumps[0])))
        return tuple(map(tuple, found))

    def _series_at_knot(self, knot: int, side: Side, count: int) -> Series:
        """Return the series of c in units of time in which its coefficients are of order one."""
        pieces = self.profile.pieces[max(knot - 1, 0) : knot + 1]
        unit = min(piece.end - piece.begin for piece in pieces)
        exact = self.profile.series_at_knot(knot, side)[:count]
        out = np.zeros((count, 1))
        out[: len(exact), 0] = [float(a * unit**n) for n, a in enumerate(exact)]
        return list(out)

    def _evaluate(self, t: FloatArray, order: int, side: Side) -> FloatArray:
        progress = taylor.from_derivatives(list(self.profile.derivatives(t, order, side)))
        return stack([taylor.to_derivatives(series) for series in self._geometry(progress)])


def cylinder_outputs(radius: Series, angle: Series, height: Series) -> list[Series]:
    """Map the Taylor series of radius, angle and height to those of x, y, z."""
    cos, sin = taylor.cos_sin(angle)
    return [taylor.multiply(radius, cos), taylor.multiply(radius, sin), height]


@dataclass(frozen=True)
class Cylindrical(Curve):
    """A line in cylindrical coordinates, x = r cos(phi), y = r sin(phi), z.

    Radius, angle and height go from start to goal with the same progress, as in the 270 degree
    manoeuvre of the rotary crane in Blajer and Kolodziejczyk (2011).

    Attributes
    ----------
    start, goal : tuple of float
        Radius [m], angle [rad] and height [m]. The angle is not reduced: 3 pi / 2 turns three
        quarters to the left.
    """

    start: tuple[float, ...]
    goal: tuple[float, ...]

    _kinds: ClassVar[tuple[tuple[int, ...], ...]] = ((0, 1), (2,))

    def _geometry(self, progress: Series) -> list[Series]:
        return cylinder_outputs(*line_series(self.start, self.goal, progress))


@dataclass(frozen=True)
class FigureEight(Curve):
    """A figure eight in two outputs, x = x_0 + a sin(theta), y = y_0 + b sin(2 theta).

    The angle theta goes once around, from 0 to 2 pi, with the progress (McPhee and Redmond 2006).

    Attributes
    ----------
    centre : tuple of float
        Where it begins, ends and crosses itself.
    size : tuple of float
        a and b; negative ones mirror it.
    """

    centre: tuple[float, ...]
    size: tuple[float, ...]

    _kinds: ClassVar[tuple[tuple[int, ...], ...]] = ((0,), (1,))

    def _geometry(self, progress: Series) -> list[Series]:
        found = []
        for turns, middle, size in zip((1, 2), self.centre, self.size, strict=True):
            _, sine = taylor.cos_sin(taylor.scale(2.0 * math.pi * turns, progress))
            value, *rates = taylor.scale(size, sine)
            found.append([middle + value, *rates])
        return found
