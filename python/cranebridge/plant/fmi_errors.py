"""What may go wrong with an FMU, in the child process."""

from __future__ import annotations

ENDED = "the FMU ended the simulation"
LABELS = ("ok", "warning", "discard", "error", "fatal", "pending")


class FmuError(Exception):
    """The FMU did not do what the standard asks for."""


class NotFiniteError(FmuError):
    """The FMU returned a value that is not finite."""


class EndedError(FmuError):
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
        known = 0 <= status < len(LABELS)
        label = LABELS[status] if known else "no status of the standard"
        raise FmuError(f"{function} returned {status} ({label})")
