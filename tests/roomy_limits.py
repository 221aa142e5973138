"""Limits on every signal of a crane, with some room around a motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.signal_groups import signals
from cranebridge.limits import Limits, Range
from cranebridge.limits.solution_signals import solution_motion

ROOM = {"u": 1.3, "v": 1.3, "a": 1.3, "jerk": 2.0, "power": 1.5}
"""Limits, of the largest values that the scenario's own motion has."""


def limits_around(feedforward: Feedforward, without: Sequence[str] = ()) -> Limits:
    """Return limits on every signal, but not on groups that shall have none."""
    known = signals(feedforward.problem.crane)
    motion = solution_motion(feedforward, list(known.values()))
    tables: dict[str, dict[str, Range]] = {group: {} for group in (*ROOM, "q", "rope")}
    for title, values in motion.values.items():
        signal = known[title]
        most = np.abs(values).max()
        if signal.group in without or (signal.group in ROOM and most < 1e-6):
            continue
        if signal.group in ROOM:
            bound = Range(-ROOM[signal.group] * most, ROOM[signal.group] * most)
        elif signal.group == "q":
            room = 0.3 * np.ptp(values) + 0.1
            bound = Range(values.min() - room, values.max() + room)
        elif signal.group == "rope":
            bound = Range(0.7 * values.min(), 1.3 * values.max())
        else:
            continue
        tables[signal.group][signal.name] = bound
    return Limits(**tables)
