"""What may go wrong with an FMU, in the child process."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DISCARD = 2
LABELS = ("ok", "warning", "discard", "error", "fatal", "pending")


class FmuError(Exception):
    """The FMU did not do what the standard asks for."""


class NotFiniteError(FmuError):
    """The FMU returned a value that is not finite."""


class DiscardedError(FmuError):
    """The FMU cannot be evaluated here; a smaller step may help."""


class SimulationEndedError(FmuError):
    """The FMU does not go on: it asked for the end, or discarded a step.

    Attributes
    ----------
    time : float or None
        Up to where it went, if it says so.
    """

    def __init__(self, reason: str, time: float | None = None) -> None:
        super().__init__(reason)
        self.time = time


def check(status: int, function: str) -> None:
    """Raise an error unless the status is ok or warning."""
    if status not in (0, 1):
        raise bad_status(status, function)


def bad_status(status: int, function: str) -> FmuError:
    """A function failed."""
    known = 0 <= status < len(LABELS)
    label = LABELS[status] if known else "no status of the standard"
    kind = DiscardedError if status == DISCARD else FmuError
    return kind(f"{function} returned {status} ({label})")


def missing(function: str) -> FmuError:
    """A function that is needed is not there."""
    return FmuError(f"the binary has no function {function}")


# ---------------------------------------------------------------------------- a course's end


ENDED = "the FMU ended the simulation"
DISCARDED = "the FMU discarded a step"


def ending(error: Exception, t: float) -> str:
    """Say why and where a simulation ended before its time."""
    if isinstance(error, SimulationEndedError):
        return f"{error} at t = {t:.12g} s"
    return f"{DISCARDED} at t = {t:.12g} s ({error})"


def not_settled() -> FmuError:
    """The discrete states change in every iteration."""
    return FmuError("the discrete states do not settle in 1000 iterations")


def chatters(t: float, count: int, width: float) -> FmuError:
    """So many events in so short a time that the end is never met."""
    return FmuError(
        f"the plant chatters at t = {t:.9g} s: {count} events within {width:.2g} s, so that time "
        "does not go on; give what switches there a hysteresis, or end the simulation before"
    )


MOST_PAST = 100_000
"""So many events that are announced for past times are handled as now, one after another."""


def past_event(t: float, announced: float) -> FmuError:
    """An event is announced for a time that is past, and handling it now changes nothing."""
    return FmuError(
        f"at t = {t:.9g} s it announces an event for t = {announced:.9g} s, which is past, and "
        "does so again after it was told to handle it: what would follow is not known; have its "
        "maker correct nextEventTime"
    )


def bad_indicator(t: float) -> NotFiniteError:
    """An event indicator is not finite."""
    return NotFiniteError(f"an event indicator is not finite at t = {t:.9g} s")


def bad_value(name: str, value: float, t: float) -> NotFiniteError:
    """A state or derivative is not finite."""
    return NotFiniteError(f"{name} is {value} at t = {t:.9g} s")


def require_finite_at(values: Array, names: Sequence[str], t: float) -> None:
    """Name the first value that is not finite."""
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise bad_value(names[bad[0]], float(values[bad[0]]), t)


def bad_later(name: str, t: float) -> NotFiniteError:
    """A derivative is not finite in whatever step is tried."""
    return NotFiniteError(f"der({name}) is not finite after t = {t:.9g} s")


def no_derivatives(t: float) -> FmuError:
    """The FMU discards the point where the integration is."""
    return FmuError(f"the derivatives cannot be evaluated at t = {t:.9g} s")


def stuck(method: str, t: float, why: str) -> FmuError:
    """The integrator finds no step."""
    why = why or "its step became too small"
    return FmuError(f"the integrator {method} cannot go on at t = {t:.9g} s ({why})")


def too_many_steps(t: float, count: int) -> FmuError:
    """So many steps that what is in them is more than is taken."""
    return FmuError(
        f"{count} steps were taken up to t = {t:.9g} s, more than can be looked at: the plant is "
        "stiff, or moves ever faster; look at its parameters and at the gains of drives and "
        "controller, or run it as Co-Simulation (plant.interface = 'cs')"
    )


GROWN = 1e6
"""A state that is so many times as large as at the start, and as one, has run away."""


def explained(
    error: FmuError, names: Sequence[str], first: Array, last: Array, t: float
) -> FmuError:
    """Return an error, or that the plant has diverged before it.

    Parameters
    ----------
    error : FmuError
        What went wrong in the end.
    names : sequence of str
        Of the states.
    first, last : numpy.ndarray
        States at the start, and the last ones that are known.
    t : float
        When these were [s].
    """
    grown = np.abs(last) / (1.0 + np.abs(first))
    if not grown.size or np.nanmax(grown, initial=0.0) < GROWN:
        return error
    worst = int(np.nanargmax(grown))
    why = str(error).split(", more")[0]
    return NotFiniteError(
        f"the plant diverges: {names[worst]} is {last[worst]:.3g} at t = {t:.6g} s and goes on "
        f"growing ({why}); look at plant.parameters and plant.start, at units and signs in "
        "plant.map, and at the gains of drives and controller"
    )


def not_whole(value: float) -> FmuError:
    """A variable that takes whole numbers is given another one."""
    return FmuError(f"the value {value} is not whole, but the variable is")
