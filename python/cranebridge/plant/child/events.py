"""Events of a simulation: handled when they are due, looked for within a step, and not too many.

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

Array = NDArray[np.float64]

# How often a change of sign is looked for within a step, and at least in the whole time.
CHECKS_OF_STEP = 8
CHECKS_OF_SPAN = 400
# Where in the first step after an event besides, as parts of it: right after its begin.
FIRST_CHECKS = 8.0 ** -np.arange(13, 1, -1.0)

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
