"""Where a job is and how long it still takes, from what it reports while it is at work.

A job reports the stages that it comes to, and the part that is done of a stage that knows it. What
is left of a stage follows from its part; where that is not known, from what the stage took the last
time on this machine. What is not known is not estimated.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping

_SAID = re.compile(r"(, \d+ %)?(, [^,]* left)?$")


def stage_of(text: str, now: str) -> str:
    """Return the stage that a sentence is about: ``trial 3`` and ``trial 4`` are of one.

    A sentence that begins with a number, such as ``3 of 20 runs``, is about the running stage.
    """
    return now if text[:1].isdigit() else text.split(",")[0].rstrip("0123456789 ")


def without_times(text: str) -> str:
    """Return a sentence without the parts and times that it says beside the stage."""
    return _SAID.sub("", text)


class JobProgress:
    """The stages of a job.

    Parameters
    ----------
    expected : mapping of str to float
        Seconds that each stage took the last time, in their order; empty where that is not known.
    clock : callable
        Returns the time in s; only its differences count.
    """

    def __init__(
        self, expected: Mapping[str, float], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._expected, self._clock = expected, clock
        self._begin = self._stage_begin = clock()
        self._part = self._most = 0.0
        self._place = -1  # of the last stage that was expected, in the order of stages
        self.stage = ""
        self.taken: dict[str, float] = {}

    @property
    def elapsed(self) -> float:
        """Seconds since the begin."""
        return self._clock() - self._begin

    def begin(self, stage: str) -> None:
        """Note that a stage begins, and so that the one before is over; the one at work goes on."""
        if stage == self.stage:
            return
        self.end()
        self.stage, self._part = stage, 0.0
        names = list(self._expected)
        if stage in names:
            self._place = max(self._place, names.index(stage))

    def end(self) -> None:
        """Note that the stage at work is over."""
        now = self._clock()
        if self.stage:
            self.taken[self.stage] = self.taken.get(self.stage, 0.0) + now - self._stage_begin
        self.stage, self._stage_begin = "", now

    def progress(self, part: float) -> None:
        """Note which part of the stage at work is done; it never becomes less."""
        self._part = max(self._part, min(part, 1.0))

    def left(self) -> float | None:
        """Return how many seconds it still takes, as far as is known; None if nothing is.

        The first time that is the time left of the stage at work.
        """
        took = self._clock() - self._stage_begin
        if self._part:
            own = took * (1.0 - self._part) / self._part
        elif self.stage in self._expected:
            own = max(self._expected[self.stage] - took, 0.0)
        else:
            return None
        return own + sum(list(self._expected.values())[self._place + 1 :])

    def done(self) -> float | None:
        """Return the part of the job that is done, which never becomes less.

        The first time it is the part of the stage at work; None if that is not known.
        """
        if not self._expected:
            return self._part or None
        elapsed, left = self.elapsed, self.left()
        if left is not None and elapsed + left > 0.0:
            self._most = max(self._most, elapsed / (elapsed + left))
        return self._most
