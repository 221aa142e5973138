"""What cannot be learned, told apart from what can: floors with their causes.

Two things are out of reach of any law. An output that is not where the target starts at the first
time: no input has acted by then, and until inputs within the band bring it back the error stays.
And an error that the law's own model says no input brings in this band: too fast, or in a direction
that fewer inputs than outputs do not reach.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.learn.record import Record

Array = NDArray[np.float64]

# A start that differs by less than this part of the largest error is no cause of anything.
STARTED = 0.05
# An output has a floor where the model says that at least this part of its error will stay.
STAYS = 0.5
# and that is worth a word: more than this part of what there was to learn.
COUNTS = 0.02
# An error at the start that differs by less than this part between trials did not change.
UNCHANGED = 1e-3


@dataclass(frozen=True)
class Floor:
    """What cannot be learned of an output.

    Attributes
    ----------
    output : str
        Its name.
    cause : {"start", "band"}
        A start that differs, or an error that no input brings in the band.
    size : float
        Error at the first time; or root mean square, over the judged times, of what stays.
    """

    output: str
    cause: str
    size: float

    @property
    def message(self) -> str:
        """The floor in a sentence."""
        if self.cause == "start":
            return (
                f"{self.output} starts {self.size:.3g} away from its target: no input acts "
                "before the start, so that cannot be learned"
            )
        return (
            f"of the error of {self.output} {self.size:.3g} (rms) stays: no input brings it in "
            "this band"
        )

    def as_dict(self) -> dict[str, object]:
        """Return the entry of ``summary.json``."""
        return {"output": self.output, "cause": self.cause, "size": self.size}


def find_floors(
    record: Record, remaining: Array, first: Record, after: float = 0.0
) -> tuple[Floor, ...]:
    """Return the floors of a record.

    Parameters
    ----------
    record : Record
        Of the last controls that were gone on with.
    remaining : numpy.ndarray
        What a law says would be left of its error if its model were exact.
    first : Record
        Of the first trial; the same one where none was better.
    after : float
        From which time on errors are judged.
    """
    judged, before = record.judged(after), first.rms_error(after)
    found = []
    for i, name in enumerate(record.output_names):
        error = record.error[:, i]
        largest = float(np.abs(error).max())
        started = abs(float(error[0]))
        if started > STARTED * largest > 0.0 and _stays_at_start(record, remaining, first, i):
            found.append(Floor(name, "start", started))
        whole, stays = (
            float(np.sqrt(np.mean(part[judged] ** 2))) for part in (error, remaining[:, i])
        )
        if stays > max(STAYS * whole, COUNTS * before[name]) and whole > 0.0:
            # a model that is wrong may say that its own correction makes it worse
            found.append(Floor(name, "band", min(stays, whole)))
    return tuple(found)


def _stays_at_start(record: Record, remaining: Array, first: Record, output: int) -> bool:
    """Return whether the error at the first time is one that inputs do not change.

    Other inputs did not change it, or, where there was no better trial, the law's model says so: an
    output on which an input acts directly can be right at once.
    """
    now, then = float(record.error[0, output]), float(first.error[0, output])
    if record is first:
        return abs(float(remaining[0, output])) > STAYS * abs(now)
    return abs(now - then) < UNCHANGED * abs(now)
