"""What a controller answers at a sample: one table of codes for C and FMI."""

from __future__ import annotations

from dataclasses import replace

from cranebridge.emit import Status

MOVING = Status("MOVING", 0, "moving")
DONE = Status("DONE", 1, "the motion has ended, its end is held")
HOLDING = Status(
    "HOLDING", -1, "not known where the crane is: feedforward with the last correction"
)
LOST = Status("LOST", -2, "a measured value is impossible: estimated without it")
STUCK = Status("STUCK", -3, "the plan has no solution at this time: the last one is held")

TABLED = (MOVING, DONE, HOLDING, LOST)
"""Of a motion that stands in tables. The numbers stay what they are: other people's code compares
with them."""

PLANNED = (
    MOVING,
    replace(DONE, meaning="at rest: the motion has ended, or there is none yet"),
    HOLDING,
    LOST,
    STUCK,
)
"""Of a motion that is planned on line."""


def known_statuses(statuses: tuple[Status, ...], observed: bool) -> tuple[Status, ...]:
    """Return statuses with what they mean where nothing is estimated."""
    if observed:
        return statuses
    never = replace(LOST, meaning="does not happen without an observer")
    return tuple(never if status == LOST else status for status in statuses)
