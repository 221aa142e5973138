"""Trial by trial: run, judge, correct; undo what made it worse, stop where nothing more comes.

A trial that breaks a limit ends the learning with the best controls so far. A trial whose error
grew, or that could not be simulated to its end, is undone: learning goes on from the best controls
with half the gain. Where the error stays as it is, the floor is looked at (`find_floors`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cranebridge.learn.floors import Floor, find_floors
from cranebridge.learn.record import Record

Array = NDArray[np.float64]

# An error that grew by this factor grew; less is what a floor does.
GROWN = 1.05
# An error that fell by less than this part did not fall; twice in a row is a floor.
STALLED = 0.005
# A law that needs less than this part of its gain cannot be used with this model.
LEAST_GAIN = 1.0 / 32.0
# Why a trial with such a record is undone.
NOT_FINITE = "its outputs are not finite"


class LearningLaw(Protocol):
    """What gives the next controls."""

    def correction(self, record: Record) -> Array:
        """Return the change of the inputs."""

    def remaining(self, record: Record) -> Array:
        """Return what would be left of the error if the law's model were exact."""


@dataclass(frozen=True, eq=False)
class TrialOutcome:
    """What a trial gave.

    Attributes
    ----------
    record : Record or None
        None where the plant did not come to the end.
    broken : tuple of str
        The limits that it broke, a sentence each.
    failed : str
        Why there is no record.
    """

    record: Record | None
    broken: tuple[str, ...] = ()
    failed: str = ""


@dataclass(frozen=True)
class Rules:
    """How learning goes on and ends.

    Attributes
    ----------
    trials : int
        How many corrections at most; the trial with the first controls comes before them.
    gain : float
        Part of the correction that is taken, from above 0 to 1.
    after : float
        Time in s from the first one on from which errors are judged.
    goal : float
        Total error below which learning ends.
    undo : bool
        Whether growing errors are undone; without, learning goes where the law leads.
    """

    trials: int = 8
    gain: float = 1.0
    after: float = 0.0
    goal: float = 0.0
    undo: bool = True


@dataclass(frozen=True, eq=False)
class Trial:
    """A trial in figures.

    Attributes
    ----------
    number : int
        0 is that of the first controls.
    gain : float
        With which its controls were made.
    rms_error, max_error : dict of str to float
        By output, over the judged times; empty where the plant did not come to the end.
    total : float
        Root of the sum of the squares of `rms_error`; infinite without.
    change : tuple of float
        Root mean square of each input's change against the first controls.
    status : {"learned", "undone", "limit"}
        Whether its controls were gone on with.
    note : str
        What was decided after it; empty if nothing.
    """

    number: int
    gain: float
    rms_error: dict[str, float]
    max_error: dict[str, float]
    total: float
    change: tuple[float, ...]
    status: str = "learned"
    note: str = ""

    def as_dict(self) -> dict[str, object]:
        """Return the entry of ``summary.json``."""
        return {
            "trial": self.number,
            "gain": self.gain,
            "rms_error": self.rms_error,
            "max_error": self.max_error,
            "status": self.status,
            **({"note": self.note} if self.note else {}),
        }


@dataclass(frozen=True, eq=False)
class TrialSeries:
    """What came of it.

    Attributes
    ----------
    trials : tuple of Trial
        All of them, in order.
    best : int
        The number of the best one.
    record : Record or None
        Of the best one; its inputs are what was learned. None if the first trial failed.
    ended : str
        Why it ended, a sentence.
    stopped : bool
        Whether a limit or a failure ended it.
    floors : tuple of Floor
        What cannot be learned, with causes.
    """

    trials: tuple[Trial, ...]
    best: int
    record: Record | None
    ended: str
    stopped: bool
    floors: tuple[Floor, ...]


def learn(
    run: Callable[[int, Array], TrialOutcome],
    law: LearningLaw | Callable[[Record], LearningLaw],
    first: Array,
    rules: Rules,
    report_trial: Callable[[Trial], None] | None = None,
) -> TrialSeries:
    """Improve inputs by trials.

    Parameters
    ----------
    run : callable
        Carries out a trial, given its number and its inputs.
    law : LearningLaw or callable
        How inputs are corrected; a callable makes it anew from the record of each trial that is
        gone on with (re-linearised).
    first : numpy.ndarray
        The inputs to begin with, a row for each time.
    rules : Rules
        How it goes on and ends.
    report_trial : callable, optional
        Called with each trial as it ends.
    """
    course = _Course(law, rules)
    inputs, gain = first, rules.gain
    for number in range(rules.trials + 1):
        outcome = run(number, inputs)
        trial = course.judge(_figures(number, gain, outcome, first, inputs, rules), outcome)
        if report_trial is not None:
            report_trial(trial)
        if course.ended or course.point is None:
            break
        gain = course.gain
        inputs = course.point.record.inputs + gain * course.point.correction
    else:
        course.ended = f"{rules.trials} trials were asked for"
    return course.result()


def _figures(
    number: int, gain: float, outcome: TrialOutcome, first: Array, inputs: Array, rules: Rules
) -> Trial:
    record, change = outcome.record, np.sqrt(np.mean((inputs - first) ** 2, axis=0))
    if record is None or not np.isfinite(record.outputs).all():
        return Trial(number, gain, {}, {}, np.inf, tuple(change.tolist()))
    return Trial(
        number,
        gain,
        record.rms_error(rules.after),
        record.max_error(rules.after),
        record.total_error(rules.after),
        tuple(change.tolist()),
    )


@dataclass(frozen=True, eq=False)
class _Point:
    """A trial that can be gone on from: its record, the law, and what the law makes of it."""

    record: Record
    law: LearningLaw
    correction: Array


class _Course:
    """Where learning is, the best trial so far, and why learning ends."""

    def __init__(self, law: LearningLaw | Callable[[Record], LearningLaw], rules: Rules) -> None:
        self._law_of = law if callable(law) else lambda _record: law
        self.rules, self.gain = rules, rules.gain
        self.trials: list[Trial] = []
        self.best = 0
        self.record: Record | None = None  # of the best one
        self.first: Record | None = None
        self.point: _Point | None = None
        self.best_point: _Point | None = None
        self.ended, self.stopped, self.stalls = "", False, 0

    def judge(self, trial: Trial, outcome: TrialOutcome) -> Trial:
        """Decide how to go on after a trial; returns it with what was decided."""
        least = self.trials[self.best].total if self.trials else np.inf
        if outcome.broken:
            trial = self._stop(trial, "limit", f"breaks a limit: {'; '.join(outcome.broken)}")
            if not self.trials:  # the first controls are what there is
                self.record = outcome.record
        elif not np.isfinite(trial.total):
            why = outcome.failed or NOT_FINITE
            trial = self._undone(trial, f"the plant did not come to the end ({why})")
        elif self.rules.undo and trial.total > self._allowed(least):
            trial = self._undone(trial, f"the error grew from {least:.3g} to {trial.total:.3g}")
        else:
            assert outcome.record is not None
            self._go_on(trial, outcome.record, least)
        self.trials.append(trial)
        return trial

    def _allowed(self, least: float) -> float:
        """Return the error above which a trial is undone; after one that was, any growth."""
        undone = bool(self.trials) and self.trials[-1].status == "undone"
        return least if undone else GROWN * least

    def _stop(self, trial: Trial, status: str, why: str) -> Trial:
        self.ended, self.stopped = f"trial {trial.number} {why}", True
        return replace(trial, status=status, note=why)

    def _undone(self, trial: Trial, why: str) -> Trial:
        if not self.trials or not self.rules.undo:
            return self._stop(trial, "undone", why)
        self.gain /= 2.0
        if self.gain < LEAST_GAIN * self.rules.gain:
            return self._stop(
                trial, "undone", f"{why}, whatever the gain: the model is wrong in this band"
            )
        self.point = self.best_point
        note = f"{why}: undone, gain halved to {self.gain:g}"
        return replace(trial, status="undone", note=note)

    def _go_on(self, trial: Trial, record: Record, least: float) -> None:
        self.stalls = self.stalls + 1 if trial.total > (1.0 - STALLED) * least else 0
        law = self._law_of(record)
        self.point = _Point(record, law, law.correction(record))
        self.first = self.first or record
        if trial.total < least:
            self.best, self.record, self.best_point = len(self.trials), record, self.point
        if trial.total <= self.rules.goal:
            self.ended = f"the error is below the goal of {self.rules.goal:g}"
        elif self.rules.undo and self.stalls >= 2:
            self.ended = "the error does not fall any more"

    def result(self) -> TrialSeries:
        """Return what came of it."""
        found: tuple[Floor, ...] = ()
        if self.best_point is not None:
            record, law = self.best_point.record, self.best_point.law
            first = self.first or record
            found = find_floors(record, law.remaining(record), first, self.rules.after)
        return TrialSeries(
            tuple(self.trials), self.best, self.record, self.ended, self.stopped, found
        )
