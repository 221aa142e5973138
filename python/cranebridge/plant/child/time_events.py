"""Time events that an FMU announces, in the child process: none is passed over.

``loop/events.c`` does the same for the compiled loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from cranebridge.plant.child.fmi import fmi_errors


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
