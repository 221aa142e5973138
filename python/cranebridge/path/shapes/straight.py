"""Paths made of straight lines: at rest, from start to goal, and from stop to stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, zip_longest

import numpy as np

from cranebridge.path.base import Break, FloatArray, Path, Phase, Side
from cranebridge.path.functions import Series, Value, where
from cranebridge.path.profiles import Profile, common_order


def line_series(
    start: Sequence[Value], goal: Sequence[Value], progress: Series, near: Sequence[Value] = ()
) -> list[Series]:
    """Map progress and its derivatives (or Taylor coefficients) to a straight line.

    Parameters
    ----------
    start, goal : sequence
        Components for progress 0 and 1, which are met exactly.
    progress : list
        Value first, then derivatives.
    near : sequence
        Outputs shortly before, from which a rotation continues its angles; a line needs none.

    Returns
    -------
    list of list
        A series for each component.
    """
    found = []
    c = progress[0]
    for first, last in zip(start, goal, strict=True):
        step = last - first
        # from the nearer end: start + (goal - start) would miss the goal by a rounding
        value = where(c > 0.5, last + step * (c - 1.0), first + step * c)
        found.append([value, *(step * rate for rate in progress[1:])])
    return found


def stack(series: Sequence[Series]) -> FloatArray:
    """Return the series of all outputs as one array, shape (order + 1, outputs, n)."""
    out = np.empty((len(series[0]), len(series), *np.shape(series[0][0])))
    for i, output in enumerate(series):
        for k, coefficient in enumerate(output):
            out[k, i] = coefficient
    return out


@dataclass(frozen=True)
class Hold(Path):
    """Outputs that keep their values.

    Attributes
    ----------
    value : tuple of float
        One for each output.
    seconds : float
        How long [s].
    """

    value: tuple[float, ...]
    seconds: float

    @property
    def duration(self) -> float:
        """How long the values are held [s]."""
        return self.seconds

    @property
    def knots(self) -> tuple[float, ...]:
        """Begin and end."""
        return (0.0, self.seconds)

    @property
    def phases(self) -> tuple[Phase, ...]:
        """One phase of rest."""
        return (("rest", 0.0, self.seconds),)

    def breaks(self, output: str) -> tuple[Break, ...]:
        """Return nothing: what rests is infinitely smooth."""
        self._row(output)
        return ()

    def _evaluate(self, t: FloatArray, order: int, side: Side) -> FloatArray:
        out = np.zeros((order + 1, len(self.outputs), len(t)))
        out[0] = np.array(self.value)[:, None]
        return out


@dataclass(frozen=True)
class Line(Path):
    """A straight line, gamma(t) = start + (goal - start) c(t).

    Attributes
    ----------
    start, goal : tuple of float
        One component for each output.
    profile : Profile
        Progress c(t), beginning at 0 s.
    """

    start: tuple[float, ...]
    goal: tuple[float, ...]
    profile: Profile

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
        """Return the breaks of the profile for an output that moves; see `Path.breaks`."""
        i = self._row(output)
        return self.profile.breaks if self.start[i] != self.goal[i] else ()

    def _evaluate(self, t: FloatArray, order: int, side: Side) -> FloatArray:
        progress = self.profile.derivatives(t, order, side)
        return stack(line_series(self.start, self.goal, list(progress)))


@dataclass(frozen=True)
class Stops(Path):
    """Straight legs from point to point, with a rest at each.

    Attributes
    ----------
    points : tuple of tuple of float
        Each with one component for each output.
    profiles : tuple of Profile
        One for each leg; each begins when the one before ends, the first at 0 s.
    """

    points: tuple[tuple[float, ...], ...]
    profiles: tuple[Profile, ...]

    @property
    def duration(self) -> float:
        """When the last point is reached [s]."""
        return self.profiles[-1].end

    @cached_property
    def knots(self) -> tuple[float, ...]:
        """The knots of all legs."""
        return tuple(sorted({t for profile in self.profiles for t in profile.knots}))

    @property
    def phases(self) -> tuple[Phase, ...]:
        """One phase a leg."""
        return tuple((f"leg {i}", p.begin, p.end) for i, p in enumerate(self.profiles, start=1))

    def breaks(self, output: str) -> tuple[Break, ...]:
        """Return the breaks inside the legs and where they join; see `Path.breaks`."""
        i = self._row(output)
        steps = [Fraction(b[i]) - Fraction(a[i]) for a, b in pairwise(self.points)]
        legs = list(zip(self.profiles, steps, strict=True))
        found = []
        for (profile, step), following in zip_longest(legs, legs[1:]):
            last = len(profile.knots) - 1
            # the first knot of a later leg was the last knot of the leg before
            for knot in range(0 if profile is self.profiles[0] else 1, last + 1):
                right = (profile, knot, step)
                if knot == last and following is not None:
                    right = (following[0], 0, following[1])
                order = common_order(_motion(profile, knot, step, "left"), _motion(*right, "right"))
                if order is not None:
                    found.append(Break(profile.knots[knot], order))
        return tuple(found)

    def _evaluate(self, t: FloatArray, order: int, side: Side) -> FloatArray:
        out = np.empty((order + 1, len(self.outputs), len(t)))
        joins = [p.begin for p in self.profiles[1:]]
        leg_of = np.searchsorted(joins, t, side=side)
        for leg, profile in enumerate(self.profiles):
            where = np.flatnonzero(leg_of == leg)
            progress = list(profile.derivatives(t[where], order, side))
            out[:, :, where] = stack(line_series(self.points[leg], self.points[leg + 1], progress))
        return out


def _motion(profile: Profile, knot: int, step: Fraction, side: Side) -> list[Fraction]:
    """Return the exact Taylor series at a knot without its value, which is continuous anyway."""
    return [Fraction(0), *(step * a for a in profile.series_at_knot(knot, side)[1:])]
