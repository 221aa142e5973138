"""What is judged: the signals of a motion, whoever moved, and extremes between the samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranebridge.limits.small_polynomials import (
    derivative,
    horner,
    polynomial_through,
    roots_between,
)
from cranebridge.twin import Crane

Array = NDArray[np.float64]
Source = Literal["solution", "plant", "twin"]
Part = Literal["all", "moving", "after"]

# Splines are looked at this often between two samples; fewer samples than that tell nothing.
_FINER = 8
FEWEST = 8
# Samples that a polynomial goes through.
_NEAREST = 5
_TOO_CLOSE = 1e-6
# Samples on each side of an interval within which signals are followed.
_AROUND = 4


@dataclass(frozen=True, eq=False)
class Motion:
    """The signals of a motion.

    Attributes
    ----------
    source : {"solution", "plant", "twin"}
        Who moved: the computed solution, a plant, or the twin as a plant.
    crane : Crane
        Whose signals they are.
    time : numpy.ndarray
        Times in s, increasing. A time stands twice where signals may jump, left and right value.
    values : mapping of str to numpy.ndarray
        Signals by title, such as ``u.M_b``; the tracking error as ``tracking.x``.
    missing : mapping of str to str
        Why a signal is not known, by title or by group.
    end : float
        When the manoeuvre ends; what follows is the settling window.
    sampled : bool
        Whether the signals are known at these times only and may do anything in between. Otherwise
        the samples are so close that a polynomial tells what is between them.
    """

    source: Source
    crane: Crane
    time: Array
    values: Mapping[str, Array]
    missing: Mapping[str, str] = field(default_factory=dict)
    end: float = np.inf
    sampled: bool = False

    @cached_property
    def _moving(self) -> int:
        """How many times are not after the end."""
        return int(np.searchsorted(self.time, self.end, side="right"))

    @cached_property
    def _extremes(self) -> dict[tuple[str, Part, bool], tuple[Extreme, Extreme]]:
        """What has been looked for: verdicts and figures ask for the same extremes."""
        return {}

    @cached_property
    def _after(self) -> dict[tuple[str, bool], After]:
        """The same, of what is after the end."""
        return {}

    def part(self, title: str, part: Part) -> tuple[Array, Array]:
        """Return times and values of a signal: all, those until `end`, or from there on."""
        if part == "all":
            return self.time, self.values[title]
        # at the end itself the last row is the one of the right side, where there are two
        at_end = self._moving > 0 and self.time[self._moving - 1] == self.end
        chosen = slice(self._moving) if part == "moving" else slice(self._moving - at_end, None)
        return self.time[chosen], self.values[title][chosen]

    def extremes(
        self, title: str, part: Part = "all", sampled: bool | None = None
    ) -> tuple[Extreme, Extreme]:
        """Return the least and the largest value of a signal; see the function `extremes`."""
        key = title, part, self.sampled if sampled is None else sampled
        if key not in self._extremes:
            self._extremes[key] = extremes(*self.part(title, part), sampled=key[2])
        return self._extremes[key]

    def extremes_of_parts(self, title: str) -> tuple[Extreme, Extreme]:
        """Return the extremes of a signal of which those of both parts are asked for, too.

        Where a step ends with the manoeuvre nothing reaches over that, and two parts are the whole.
        """
        ends = self.time[max(self._moving - 2, 0) : self._moving] == self.end
        if self.sampled or not self.watched or ends.size < 2 or not ends.all():
            return self.extremes(title)
        (low, high), (low_after, high_after) = (
            self.extremes(title, part) for part in ("moving", "after")
        )
        return (
            low if low.value <= low_after.value else low_after,
            high if high.value >= high_after.value else high_after,
        )

    @property
    def watched(self) -> bool:
        """Whether there is a settling window."""
        return self._moving < self.time.size

    def after(self, title: str, sampled: bool | None = None) -> After:
        """Return what a signal does in the settling window; see the function `extremes`."""
        key = title, self.sampled if sampled is None else sampled
        if key not in self._after:
            self._after[key] = self._found_after(*key)
        return self._after[key]

    def _found_after(self, title: str, sampled: bool) -> After:
        offset = _mean(*self.part(title, "after"))
        low, high = self.extremes(title, "after", sampled)
        return After(
            offset=offset,
            swing=0.5 * (high.value - low.value),
            beyond=0.5 * (high.beyond + low.beyond),
            time=max(low, high, key=lambda one: abs(one.value - offset)).time,
        )

    def why_missing(self, title: str) -> str:
        """Return the reason why a signal is not known."""
        group = title.partition(".")[0]
        return self.missing.get(title) or self.missing.get(group) or "it is not known"


@dataclass(frozen=True)
class Extreme:
    """The least or the largest value of a signal, and how far between samples it may go beyond."""

    value: float
    time: float
    beyond: float = 0.0


@dataclass(frozen=True)
class After:
    """A signal in the settling window: an oscillation about its mean.

    Attributes
    ----------
    offset : float
        The mean over time.
    swing : float
        Amplitude of the oscillation: half of the distance between the largest and the least value.
    beyond : float
        How much larger that may be between samples.
    time : float
        When it is farthest from its mean, in s.
    """

    offset: float
    swing: float
    beyond: float
    time: float


def _mean(time: Array, values: Array) -> float:
    """Return the mean over time; a window of no length has one value."""
    span = float(time[-1] - time[0])
    if span <= 0.0:
        return float(values[-1])
    return float(0.5 * (values[1:] + values[:-1]) @ np.diff(time)) / span


def extremes(time: Array, values: Array, sampled: bool = False) -> tuple[Extreme, Extreme]:
    """Return the least and the largest value of a signal.

    Between samples a polynomial through the five nearest is followed, never over a jump: a step of
    an integrator has five, and controls that are cubic in it come out exactly. Of a signal that is
    only known at its samples, `beyond` is estimated: how much further a spline through all
    samples goes, and how far one through every second sample misses it.
    """
    ends = float(values.min()), float(values.max())
    rounding = 1e-12 * max(abs(ends[0]), abs(ends[1]))
    # The first time at which it is least, not the one where rounding makes it so.
    first = int(np.argmax(values <= ends[0] + rounding))
    low = _extreme(time, values, first, 1.0, rounding, sampled)
    first = int(np.argmax(values >= ends[1] - rounding))
    most = _extreme(time, values, first, -1.0, rounding, sampled)
    if not sampled:
        return low, most
    if time.size < FEWEST:
        unknown = np.inf if np.ptp(values) > 0.0 else 0.0
        return Extreme(low.value, low.time, unknown), Extreme(most.value, most.time, unknown)
    fine, coarse = _spline_extremes(time, values), _spline_extremes(time[::2], values[::2])
    return (
        Extreme(low.value, low.time, max(low.value - fine[0], 0.0) + abs(fine[0] - coarse[0])),
        Extreme(most.value, most.time, max(fine[1] - most.value, 0.0) + abs(fine[1] - coarse[1])),
    )


def _extreme(
    time: Array, values: Array, k: int, sign: float, rounding: float, sampled: bool
) -> Extreme:
    """Return the extreme near sample k, the least for sign 1 and the largest for sign -1."""
    value, at = float(values[k]), float(time[k])
    if sampled or not 0 < k < time.size - 1:
        return Extreme(value, at)
    rise = sign * ((float(values[k - 1]) - value) + (float(values[k + 1]) - value))
    if time[k - 1] == at or time[k + 1] == at or rise <= rounding:
        return Extreme(value, at)
    deeper, shift = _between(time, values, k, sign)
    return Extreme(value + sign * deeper, at + shift)


def _between(time: Array, values: Array, k: int, sign: float) -> tuple[float, float]:
    """Return how much less than sample k a signal times a sign becomes beside it, and when.

    By the polynomial through the nearest samples on the same side of all jumps. These are so few
    that plain numbers are ten times as fast as arrays of them, and each run of a campaign looks
    for dozens of extremes.
    """
    first, last = max(k - _NEAREST + 1, 0), min(k + _NEAREST, time.size)
    t, x = time[first:last].tolist(), (sign * values[first:last]).tolist()
    at = k - first
    origin, value = t[at], x[at]
    before, after = t[at - 1] - origin, t[at + 1] - origin
    span = after - before
    jumps = [i for i, (one, next_) in enumerate(pairwise(t)) if one == next_]
    low = max((i + 1 for i in jumps if i < at), default=0)
    high = min((i + 1 for i in jumps if i >= at), default=len(t))
    low = max(min(at - _NEAREST // 2, high - _NEAREST), low)
    high = min(low + _NEAREST, high)
    nodes = [(one - origin) / span for one in t[low:high]]
    if min(b - a for a, b in pairwise(nodes)) < _TOO_CLOSE:  # rounding would be taken for a slope
        return 0.0, 0.0
    found = polynomial_through(nodes, [one - value for one in x[low:high]])
    turns = [0.0, *roots_between(derivative(found), before / span, after / span)]
    depth, turn = min((horner(found, turn), turn) for turn in turns)
    return min(depth, 0.0), turn * span


def between(time: Array, columns: Array, row: int) -> Callable[[Array], Array]:
    """Return what signals are at times between a row and the next one, a row for each time.

    By the polynomial through the nearest samples on the same side of all jumps, in its barycentric
    form (Berrut and Trefethen, 2004).
    """
    first, last = max(row - _AROUND + 1, 0), min(row + _AROUND + 1, time.size)
    jumps = np.flatnonzero(np.diff(time[first:last]) == 0.0) + first
    first = max((int(i) + 1 for i in jumps if i < row), default=first)
    last = min((int(i) + 1 for i in jumps if i > row), default=last)
    origin, span = time[row], time[row + 1] - time[row]
    nodes, values = (time[first:last] - origin) / span, columns[first:last]
    apart = nodes[:, None] - nodes
    np.fill_diagonal(apart, 1.0)
    weights = 1.0 / apart.prod(axis=1)

    def follow(times: Array) -> Array:
        away = ((times - origin) / span)[:, None] - nodes
        hit = away == 0.0
        shares = weights / np.where(hit, 1.0, away)
        shares = np.where(hit.any(axis=1)[:, None], hit, shares)
        return np.asarray(shares @ values / shares.sum(axis=1)[:, None])

    return follow


def _spline_extremes(time: Array, values: Array) -> tuple[float, float]:
    from scipy.interpolate import make_interp_spline

    kept = np.append(np.diff(time) > 0.0, True)
    t, x = time[kept], values[kept]
    between = (np.arange(_FINER) / _FINER)[None, :] * np.diff(t)[:, None] + t[:-1, None]
    found = make_interp_spline(t, x, k=min(3, t.size - 1))(np.append(between.ravel(), t[-1]))
    return float(found.min()), float(found.max())
