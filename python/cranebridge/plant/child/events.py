"""Events of a simulation: located within a step, handled when they are due, and not too many.

``loop/events.c`` does the same for the compiled loop.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.fmi import fmi_errors
from cranebridge.plant.child.integrators import Integrator

Array = NDArray[np.float64]
Indicators = Callable[[float, Array], Array]

# How often a change of sign is looked for within a step, and at least in the whole time.
CHECKS_OF_STEP = 8
CHECKS_OF_SPAN = 400
# Where in the first step after an event besides, as parts of it: right after its begin.
FIRST_CHECKS = 8.0 ** -np.arange(13, 1, -1.0)

# How often an event's time is moved on, by more each time, from a zero: by 3e-13 of it at most.
_BEYOND = 8

# So many events (and some more for each indicator: they may all change at the same time) in this
# part of the whole time are chattering: at that pace the end is never met.
CHATTERING_EVENTS = 20
CHATTERING_EVENTS_OF_INDICATOR = 4
CHATTERING_PART = 1e-8


def handle_due(instance: Any, t: float, count: Callable[[float], None]) -> float:
    """Handle what happens in event mode and all that is due; the next event, which is ahead.

    An event that is announced for now, or for a time that is past (by rounding, or because the FMU
    is late), happens now.

    Parameters
    ----------
    instance : Instance
        The FMU, in event mode.
    t : float
        The present time.
    count : callable
        Told when each further event was announced for.

    Raises
    ------
    FmuError
        If the FMU goes on announcing a time that is past: what follows it would never happen.
    """
    announced, last, past = instance.handle_events(), -math.inf, 0
    while announced <= t:
        if announced < t:
            past += 1
            if announced <= last or past > fmi_errors.MOST_PAST:
                raise fmi_errors.past_event(t, announced)
        count(announced)
        instance.enter_events()
        last, announced = announced, instance.handle_events()
    return float(announced)


def checks_within(begin: float, size: float, span: float, *, after_event: bool) -> Array:
    """Times in a step at which signs of event indicators are looked at, before its end.

    Parameters
    ----------
    begin, size : float
        The step.
    span : float
        Length of the whole simulation.
    after_event : bool
        An event was at its begin, where indicators are at zero and may do anything next.
    """
    count = max(CHECKS_OF_STEP, math.ceil(CHECKS_OF_SPAN * size / span))
    times = begin + size * np.arange(1, count) / count
    if after_event:
        times = np.unique(np.concatenate([begin + size * FIRST_CHECKS, times]))
    return np.asarray(times)


def crossed(before: Array, after: Array) -> NDArray[np.bool_]:
    """Which event indicators changed their domain: z > 0 and z <= 0, as in the standard."""
    return np.asarray((before > 0.0) != (after > 0.0))


def locate(
    integrator: Integrator, indicators: Indicators, before: Array, times: Array
) -> tuple[float, Array] | None:
    """Find the first change of sign in the last step; time and states right after it.

    Looked for at some times within the step too: a ball that leaves the ground and comes back in
    one step would go through it otherwise. After an event an indicator is at zero, and what it does
    next may happen in any part of the first step: there, times right after its begin are looked at.

    Parameters
    ----------
    integrator : Integrator
        With the step.
    indicators : callable
        The event indicators at a time, of states.
    before : numpy.ndarray
        The indicators before the step.
    times : numpy.ndarray
        Where signs are looked at besides its end; see `checks_within`.
    """
    low = integrator.t_old
    times = times[(times > low) & (times < integrator.t)]
    states = np.vstack([integrator.dense(times), integrator.x])
    for high, x in zip([*times.tolist(), integrator.t], states, strict=True):
        if crossed(before, indicators(high, x)).any():
            return _bisect(integrator, indicators, before, (low, high), x)
        low = high
    return None


def _bisect(
    integrator: Integrator,
    indicators: Indicators,
    before: Array,
    ends: tuple[float, float],
    x: Array,
) -> tuple[float, Array]:
    low, high = ends
    width = 4.0 * math.ulp(max(abs(high), integrator.t - integrator.t_old))
    while high - low > width:
        middle = 0.5 * (low + high)
        candidate = integrator.dense(np.array([middle]))[0]
        if crossed(before, indicators(middle, candidate)).any():
            high, x = middle, candidate
        else:
            low = middle
    return _beyond(integrator, indicators, before, (high, width), np.array(x))


def _beyond(
    integrator: Integrator, indicators: Indicators, before: Array, at: tuple[float, float], x: Array
) -> tuple[float, Array]:
    """Go on from an indicator that is exactly zero to where it has the other sign, if near.

    By the standard zero belongs to the negative side; FMUs of CasADi wait for less than zero.
    """
    t, width = at
    for _ in range(_BEYOND):
        after = indicators(t, x)
        later = t + width
        if not (crossed(before, after) & (after == 0.0)).any() or later > integrator.t:
            break
        t, x, width = later, integrator.dense(np.array([later]))[0], 2.0 * width
    return t, x


class ChatterWatch:
    """Ends a simulation whose events come so densely that its end is never met."""

    def __init__(self, span: float, indicators: int) -> None:
        self._span = span
        count = CHATTERING_EVENTS + CHATTERING_EVENTS_OF_INDICATOR * indicators
        self._last: deque[float] = deque(maxlen=count)

    def note(self, t: float) -> None:
        """Take note of an event; raise an error if there were too many."""
        last = self._last
        last.append(t)
        if len(last) == last.maxlen and t - last[0] <= CHATTERING_PART * self._span:
            raise fmi_errors.chatters(t, len(last), t - last[0])
