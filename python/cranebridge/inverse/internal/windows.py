"""How long before and after the path the internal dynamics are at work, from their eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.inverse.internal.classification import Classification
from cranebridge.inverse.problem import MOST_POINTS, time_grid

Array = NDArray[np.float64]

# What is left of a motion where the window begins: so little that a plant can start at rest.
LEFT_BEFORE = 1e-9
# What is left of it where the window ends: what nobody sees.
LEFT_AFTER = 1e-6
# A motion that never settles is shown over this many periods after the path.
PERIODS = 3.0
# Weak damping would make the window endless: not longer than this many durations of the path.
LONGEST = 30.0


@dataclass(frozen=True)
class Window:
    """Times in s by which the motion is longer than the path."""

    before: float
    after: float


def choose_window(
    kind: Classification,
    duration: float,
    step: float,
    before: float | None = None,
    after: float | None = None,
) -> Window:
    """Choose the window, in whole steps; what is given is taken.

    Parameters
    ----------
    kind : Classification
        The internal dynamics.
    duration, step : float
        Of the path, and of the grid on which the motion is wanted [s].
    before, after : float, optional
        What the user wants [s].
    """
    for name, value in (("before", before), ("after", after)):
        if value is not None and not (np.isfinite(value) and value >= 0.0):
            raise InputError(
                f"solve.{name} must be a number of seconds that is not negative, got {value:g}"
            )
    if kind.kind == "free":  # nothing of them is waited for
        before, after = before or 0.0, after or 0.0
    longest = LONGEST * duration
    start, end = kind.start.eigenvalues, kind.end.eigenvalues
    if before is None:
        growing = start.real[start.real > 0.0] if len(kind.start.unstable) else np.zeros(0)
        before = min(-np.log(LEFT_BEFORE) / growing.min(), longest) if growing.size else 0.0
    if after is None:
        decaying = -end.real[end.real < 0.0] if len(kind.end.stable) else np.zeros(0)
        after = -np.log(LEFT_AFTER) / decaying.min() if decaying.size else 0.0
        swinging = np.abs(end.imag[end.imag != 0.0])
        if len(kind.end.centre) and swinging.size:
            after = max(after, PERIODS * 2.0 * np.pi / swinging.min())
        after = min(after, longest)
    steps = [max(int(np.ceil(x / step - 1e-9)), 0) for x in (before, after)]
    return Window(step * steps[0], step * steps[1])


def window_times(duration: float, step: float, window: Window) -> Array:
    """Return the grid of the path, continued by whole steps before and after it."""
    inner = time_grid(duration, step)
    counts = [round(x / step) for x in (window.before, window.after)]
    if sum(counts) + inner.size > MOST_POINTS:
        raise InputError(
            f"solve.step = {step:g} s gives more than {MOST_POINTS:,} points over the path and "
            f"{window.before + window.after:g} s around it; use a larger one"
        )
    first = step * np.arange(-counts[0], 0)
    return np.concatenate([first, inner, duration + step * np.arange(1, counts[1] + 1)])
