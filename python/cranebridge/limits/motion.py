"""What is judged: the signals of a motion, whoever moved, and extremes between the samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranebridge.twin import Crane

Array = NDArray[np.float64]
Source = Literal["solution", "plant", "twin"]

# Splines are looked at this often between two samples; fewer samples than that tell nothing.
_FINER = 8
FEWEST = 8
# Samples that a polynomial goes through.
_NEAREST = 5
_TOO_CLOSE = 1e-6


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
        Times in s. A time stands twice where signals may jump, left and right value.
    values : mapping of str to numpy.ndarray
        Signals by title, such as ``u.M_b``; the tracking error as ``tracking.x``.
    missing : mapping of str to str
        Why a signal is not known, by title or by group.
    end : float
        Until when the tracking error is judged; what follows is the settling window.
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


def extremes(time: Array, values: Array, sampled: bool = False) -> tuple[Extreme, Extreme]:
    """Return the least and the largest value of a signal.

    Between samples a polynomial through the five nearest is followed, never over a jump: a step of
    an integrator has five, and controls that are cubic in it come out exactly. Of a signal that is
    only known at its samples, `beyond` is estimated: how much further a spline through all
    samples goes, and how far one through every second sample misses it.
    """
    low, high = _least(time, values, sampled), _least(time, -values, sampled)
    most = Extreme(-high.value, high.time)
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


def _least(time: Array, values: Array, sampled: bool) -> Extreme:
    size = float(np.abs(values).max(initial=0.0))
    # The first time at which it is least, not the one where rounding makes it so.
    k = int(np.argmax(values <= values.min() + 1e-12 * size))
    value, at = float(values[k]), float(time[k])
    if sampled or not 0 < k < time.size - 1:
        return Extreme(value, at)
    left, right = float(values[k - 1]) - value, float(values[k + 1]) - value
    if time[k - 1] == at or time[k + 1] == at or left + right <= 1e-12 * size:
        return Extreme(value, at)
    deeper, shift = _between(time, values, k)
    return Extreme(value + deeper, at + shift)


def _between(time: Array, values: Array, k: int) -> tuple[float, float]:
    """Return how much less than sample k a signal becomes beside it, and how much later.

    By the polynomial through the nearest samples on the same side of all jumps.
    """
    first, last = max(k - _NEAREST + 1, 0), min(k + _NEAREST, time.size)
    jumps = first + np.flatnonzero(np.diff(time[first:last]) == 0.0)
    first = int(jumps[jumps < k].max(initial=first - 1)) + 1
    last = int(jumps[jumps >= k].min(initial=last - 1)) + 1
    first = max(min(k - _NEAREST // 2, last - _NEAREST), first)
    t = time[first : min(first + _NEAREST, last)] - time[k]
    x = values[first : min(first + _NEAREST, last)] - values[k]
    before, after = time[k - 1] - time[k], time[k + 1] - time[k]
    span = after - before
    if np.diff(t).min() < _TOO_CLOSE * span:  # rounding would be taken for a slope
        return 0.0, 0.0
    found = np.linalg.solve(np.vander(t / span), x)  # highest power first
    turns = np.roots(found[:-1] * np.arange(t.size - 1, 0, -1)) * span
    turns = turns[np.abs(turns.imag) <= 1e-9 * span].real
    turns = np.append(turns[(turns > before) & (turns < after)], 0.0)
    depths = np.polyval(found, turns / span)
    best = int(np.argmin(depths))
    return float(min(depths[best], 0.0)), float(turns[best])


def _spline_extremes(time: Array, values: Array) -> tuple[float, float]:
    from scipy.interpolate import make_interp_spline

    kept = np.append(np.diff(time) > 0.0, True)
    t, x = time[kept], values[kept]
    between = (np.arange(_FINER) / _FINER)[None, :] * np.diff(t)[:, None] + t[:-1, None]
    found = make_interp_spline(t, x, k=min(3, t.size - 1))(np.append(between.ravel(), t[-1]))
    return float(found.min()), float(found.max())
