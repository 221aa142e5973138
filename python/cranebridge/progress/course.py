"""Where a job is and how long it still takes, from what it tells while it is at work.

A job tells the stages that it comes to, and the part that is done of a stage that knows it. Each
stage is expected to take some seconds: what it took the last time, or what it typically takes
(`typical_seconds.py`) where this is the first time. Stages that are over say how fast this machine
is, and what is expected of later ones is scaled by that. A part that is done says it better than
any expectation.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping

# So many seconds of work as expected are believed in before anything was measured.
_BELIEVED = 0.5
# A stage that takes less than this part of what is expected found its result in a cache: that says
# nothing about the machine.
_CACHED = 0.25
# The expectation of a stage counts as much as this part of it, measured.
_TRUST = 0.05
# What is left of a stage that is late, as a part of what it took: half of the truth at half time,
# however late it is. It counts from two thirds of the time on that is expected.
_LATE = 0.5


_SAID = re.compile(r"(, \d+ %)?(, [^,]* left)?$")


def stage_of(text: str, now: str) -> str:
    """Return the stage that a sentence is about: ``trial 3`` and ``trial 4`` are of one.

    A sentence that begins with a number, such as ``3 of 20 runs``, is about the running stage.
    """
    return now if text[:1].isdigit() else text.split(",")[0].rstrip("0123456789 ")


def without_times(text: str) -> str:
    """Return a sentence without the parts and times that it says beside the stage."""
    return _SAID.sub("", text)


class Course:
    """The stages of a job.

    Parameters
    ----------
    expected : mapping of str to float
        Seconds of each stage, in their order.
    clock : callable
        Tells the time in s; only its differences count.
    """

    def __init__(
        self, expected: Mapping[str, float], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._expected, self._clock = dict(expected), clock
        self._begin = self._stage_begin = self._renewed = clock()
        self._now, self._part, self._due, self._largest = "", 0.0, 0.0, 0.0
        self._place = -1  # of the last stage that was expected, in the order of stages
        self.taken: dict[str, float] = {}
        self._ended: list[tuple[float, float]] = []  # expected and measured seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the begin."""
        return self._clock() - self._begin

    @property
    def stage(self) -> str:
        """The stage at work."""
        return self._now

    def begin(self, stage: str, seconds: float | None = None) -> None:
        """Note that a stage begins, and so that the one before is over.

        Parameters
        ----------
        stage : str
            Its name; the one at work goes on.
        seconds : float, optional
            What is expected of it, if it is not among the expected ones.
        """
        if stage == self._now:
            return
        self.end()
        self._now, self._part = stage, 0.0
        if seconds is not None and stage not in self._expected:
            rows = list(self._expected.items())
            rows.insert(self._place + 1, (stage, seconds))
            self._expected = dict(rows)
        self._find_place()
        self._renew(self._expected.get(stage, 0.0) * self._scale())

    def end(self) -> None:
        """Note that the stage at work is over."""
        if not self._now:
            return
        now = self._clock()
        measured = now - self._stage_begin
        wanted = self._expected.get(self._now, 0.0)
        # one that knows how much there is to do may have much of it: nothing follows for others
        if not self._part and measured > _CACHED * wanted > 0.0:
            self._ended.append((wanted, measured))
        self.taken[self._now] = self.taken.get(self._now, 0.0) + measured
        self._now, self._stage_begin = "", now

    def progress(self, part: float) -> None:
        """Report which part of the stage at work is done; it never becomes less."""
        if not self._part < part <= 1.0:
            return
        self._part = part
        took = self._clock() - self._stage_begin
        wanted = self._expected.get(self._now, took / part) * self._scale()
        self._renew((1.0 - part) * (_TRUST * wanted + took) / (_TRUST + part))

    def estimate(self, seconds: float) -> None:
        """Note that the stage at work takes at least these seconds from now on."""
        scale, took = self._scale(), self._clock() - self._stage_begin
        if self._part or seconds * scale <= self._own_left():
            return
        self._expected[self._now] = max(self._expected.get(self._now, 0.0), took / scale + seconds)
        self._find_place()
        self._renew(seconds * scale)

    def left(self) -> float:
        """Return how many seconds it still takes."""
        later = list(self._expected.values())[self._place + 1 :]
        return self._own_left() + self._scale() * sum(later)

    def done(self) -> float:
        """Return the part that is done; it never becomes less."""
        elapsed = self.elapsed
        total = elapsed + self.left()
        self._largest = max(self._largest, elapsed / total if total > 0.0 else 0.0)
        return self._largest

    def _find_place(self) -> None:
        """Look where the stage at work stands among the expected ones."""
        names = list(self._expected)
        if self._now in names:
            self._place = max(self._place, names.index(self._now))

    def _renew(self, due: float) -> None:
        self._due, self._renewed = due, self._clock()

    def _own_left(self) -> float:
        """Return what is left of the stage at work; of one that nobody knows as much as it took."""
        since = self._clock() - self._renewed
        if not self._due and not self._part:
            return since
        return max(self._due - since, _LATE * since)

    def _scale(self) -> float:
        """Return how much slower this machine is than expected; a stage that is late counts."""
        rows = list(self._ended)
        wanted, took = self._expected.get(self._now, 0.0), self._clock() - self._stage_begin
        if not self._part and took > wanted > 0.0:
            rows.append((wanted, took))
        measured = _BELIEVED + sum(row[1] for row in rows)
        return measured / (_BELIEVED + sum(row[0] for row in rows))
