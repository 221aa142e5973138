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
        the samples are so close that a parabola tells what is between them.
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

    Between samples a parabola through the three nearest is followed, never over a jump. Of a signal
    that is only known at its samples, `beyond` is estimated: how much further a spline through all
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
    before, after = at - float(time[k - 1]), float(time[k + 1]) - at
    if before <= 0.0 or after <= 0.0:
        return Extreme(value, at)
    left, right = float(values[k - 1]) - value, float(values[k + 1]) - value
    curvature = (left / before + right / after) / (before + after)
    slope = (right / after * before - left / before * after) / (before + after)
    if curvature <= 0.0 or left + right <= 1e-12 * size:
        return Extreme(value, at)
    shift = -0.5 * slope / curvature
    if not -before < shift < after:
        return Extreme(value, at)
    return Extreme(value - 0.25 * slope**2 / curvature, at + shift)


def _spline_extremes(time: Array, values: Array) -> tuple[float, float]:
    from scipy.interpolate import make_interp_spline

    kept = np.append(np.diff(time) > 0.0, True)
    t, x = time[kept], values[kept]
    between = (np.arange(_FINER) / _FINER)[None, :] * np.diff(t)[:, None] + t[:-1, None]
    found = make_interp_spline(t, x, k=min(3, t.size - 1))(np.append(between.ravel(), t[-1]))
    return float(found.min()), float(found.max())
