"""What cycle and delay a sampled controller may have, for a motion of some duration."""

from __future__ import annotations

import math

from cranebridge.errors import InputError

MOST_CYCLES = 20
"""Longest delay of a law in cycles: past inputs are states, with more a design takes minutes."""
MOST_SAMPLES = 200_000
"""Samples of a motion at most. Half as many take 18 s and 0.8 GB for the rotary crane."""
# A delay this close (relative to the cycle) to whole cycles is meant to be whole.
WHOLE = 1e-9


def require_timing(cycle: float, delay: float, duration: float) -> None:
    """Refuse a cycle or a delay that does not fit a motion of some duration [s].

    Raises
    ------
    InputError
        With what would fit.
    """
    if not 0.0 < cycle < duration:
        raise InputError(
            f"the cycle of a controller must be positive and below the {duration:g} s of the "
            f"motion, got {cycle:g} s"
        )
    if duration / cycle > MOST_SAMPLES:
        raise InputError(
            f"a controller's cycle of {cycle:g} s makes {duration / cycle:.3g} samples of a motion "
            f"of {duration:g} s, at most {MOST_SAMPLES} are possible; choose one of "
            f"{_up(duration / MOST_SAMPLES):g} s or more"
        )
    if not 0.0 <= delay < duration:
        raise InputError(
            f"the computing time must not be negative and below the {duration:g} s of the "
            f"motion, got {delay:g} s"
        )


def require_delay(cycle: float, delay: float) -> None:
    """Refuse a delay that is too many cycles for a law.

    Raises
    ------
    InputError
        With a cycle that would do.
    """
    if delay > MOST_CYCLES * cycle * (1.0 + WHOLE):
        raise InputError(
            f"a delay of {delay:g} s is {delay / cycle:.3g} cycles, and a law remembers the inputs "
            f"of each: at most {MOST_CYCLES}; choose a cycle of {_up(delay / MOST_CYCLES):g} s or "
            "more"
        )


def _up(time: float) -> float:
    """Return a time in s, rounded up to three digits."""
    unit = 10.0 ** (math.floor(math.log10(time)) - 2)
    return math.ceil(time / unit * (1.0 - WHOLE)) * unit
