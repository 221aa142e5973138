"""What came of learning: what table, summary, report and exit code are made from."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from cranebridge.learn.laws import Transfer
from cranebridge.learn.learning import TrialSeries
from cranebridge.learn.record import shown
from cranebridge.learn.settings import LearnSettings
from cranebridge.limits import Verdict, exit_code
from cranebridge.verify.tracking import Tracking

Array = NDArray[np.float64]

# Errors of the same controls that differ by less than this part are the same: what a simulator's
# tolerance leaves.
SAME_ERROR = 1e-3


def repeats_exactly(errors: Sequence[float], best: float) -> bool:
    """Whether further trials of the learned controls have the error of the best one."""
    return bool((np.abs(np.array(errors) - best) <= SAME_ERROR * best).all())


@dataclass(frozen=True, eq=False)
class Learning:
    """Learning on a plant.

    Attributes
    ----------
    settings : LearnSettings
        What was asked for.
    model : str
        Where the law's model came from.
    inputs, outputs : mapping of str to str
        Units by name.
    learned : TrialSeries
        The trials.
    first : numpy.ndarray
        The controls to begin with.
    simulations : int
        Runs of the plant: trials, and those that made the model.
    of_best : tuple of Verdict
        What was judged on the plant with the best controls.
    notes : tuple of str
        What the user should know.
    seconds : float
        How long it took.
    transfer : Transfer or None
        Of the frequency law.
    tracking : Tracking or None
        What the plant did in the best trial, where it has a twin.
    references : mapping of str to numpy.ndarray
        References of the drives with what was learned, by title, on the record's times.
    repeated : tuple of float
        Total errors of further trials with the learned controls: the best trial was chosen by its
        error, and where trials have noise that is less than what is to be expected.
    """

    settings: LearnSettings
    model: str
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    learned: TrialSeries
    first: Array
    simulations: int
    of_best: tuple[Verdict, ...]
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    transfer: Transfer | None = None
    tracking: Tracking | None = None
    references: Mapping[str, Array] = field(default_factory=dict)
    repeated: tuple[float, ...] = ()

    @property
    def expected(self) -> tuple[float, float, float] | None:
        """Mean of the repeated trials' errors, and its interval of 95 % (Student); None of fewer.

        Infinite where one did not come to the end, or broke a limit.
        """
        if len(self.repeated) < 2:
            return None
        errors, count = np.array(self.repeated), len(self.repeated)
        if not np.isfinite(errors).all():
            return math.inf, math.inf, math.inf
        from scipy.special import stdtrit

        half = float(stdtrit(count - 1, 0.975) * errors.std(ddof=1) / math.sqrt(count))
        mean = float(errors.mean())
        return mean, max(mean - half, 0.0), mean + half

    @property
    def to_expect(self) -> str:
        """What is to be expected of the learned controls, in a sentence; empty if not repeated."""
        best, trials = self.learned.trials[self.learned.best].total, len(self.learned.trials)
        if not self.repeated:
            return ""
        what = f"the best of {trials} trials was chosen by its error, {best:.3g} rms of all outputs"
        if repeats_exactly(self.repeated, best):
            return f"{what}; the plant repeats itself: the same controls have the same error again"
        if not np.isfinite(self.repeated).all():
            return (
                f"{what}; of {len(self.repeated)} further trials of the same controls not all came "
                "to the end within the limits"
            )
        if self.expected is None:
            return f"{what}; repeated once it has {self.repeated[0]:.3g}"
        mean, low, high = self.expected
        return (
            f"{what}; {len(self.repeated)} further trials of the same controls have {mean:.3g} on "
            f"average, {low:.3g} to {high:.3g} with 95 % confidence"
        )

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Whether learning went as asked, and what was judged on the plant."""
        return (self._own_verdict(), *self.of_best)

    @property
    def exit_code(self) -> int:
        """0 if all verdicts passed, else 1."""
        return exit_code(self.verdicts)

    @property
    def sentence(self) -> str:
        """What was learned, in figures."""
        begin, best = self.learned.trials[0], self.learned.trials[self.learned.best]
        before, after = (shown(trial.rms_error, self.outputs) for trial in (begin, best))
        word = "trial" if best.number == 1 else "trials"
        return f"rms error {before} -> {after} in {best.number} {word}"

    def _own_verdict(self) -> Verdict:
        learned, goal, sentence = self.learned, self.settings.goal, self.sentence
        best = learned.trials[learned.best]
        total = best.total if self.expected is None else self.expected[0]
        missed = goal > 0.0 and not total <= goal
        if learned.stopped:
            return Verdict("learning", "failed", f"learning: {learned.ended}; {sentence}")
        if not np.isfinite(self.repeated).all():
            return Verdict("learning", "failed", f"learning: {self.to_expect}; {sentence}")
        if missed:
            return Verdict(
                "learning",
                "failed",
                f"learning: the goal of {goal:g} is not reached ({learned.ended}); {sentence}",
                value=total,
                limit=goal,
                margin=goal - total,
            )
        return Verdict("learning", "passed", f"learning: {sentence} ({learned.ended})")

    def as_dict(self) -> dict[str, object]:
        """Return the entry of ``summary.json``."""
        settings, learned = self.settings, self.learned
        return {
            "law": settings.law,
            "model": self.model,
            "bandwidth": settings.bandwidth,
            "judge_from": settings.judge_from,
            "trials": [trial.as_dict() for trial in learned.trials],
            "best": learned.best,
            "ended": learned.ended,
            "floors": [floor.as_dict() for floor in learned.floors],
            "simulations": self.simulations,
            **({"repeated": self._as_repeated()} if self.repeated else {}),
            "notes": [*self.notes, *(floor.message for floor in learned.floors)],
            "seconds": self.seconds,
        }

    def _as_repeated(self) -> dict[str, object]:
        finite = [error if math.isfinite(error) else None for error in self.repeated]
        mean, low, high = self.expected or (math.inf,) * 3
        known = {"mean": mean, "low": low, "high": high} if math.isfinite(mean) else {}
        return {"total_errors": finite, **known}

    def write_trials(self, file: TextIO) -> None:
        """Write ``trials.csv``: a row for each trial."""
        writer = csv.writer(file, lineterminator="\n")
        rms, most = ([f"{kind}.{name}" for name in self.outputs] for kind in ("rms", "max"))
        changes = [f"change.{name}" for name in self.inputs]
        writer.writerow(["trial", "gain", "status", *rms, *most, *changes])
        for trial in self.learned.trials:
            errors = [
                repr(part[name]) if part else ""
                for part in (trial.rms_error, trial.max_error)
                for name in self.outputs
            ]
            writer.writerow(
                [trial.number, repr(trial.gain), trial.status, *errors, *map(repr, trial.change)]
            )

    def controls(self) -> Iterator[tuple[str, Array]]:
        """Yield columns of the best trial: time, controls, changes, references, outputs."""
        record = self.learned.record
        if record is None:
            return
        yield "time", record.time
        for i, name in enumerate(self.inputs):
            yield f"u.{name}", record.inputs[:, i]
        for i, name in enumerate(self.inputs):
            yield f"change.{name}", record.inputs[:, i] - self.first[:, i]
        yield from self.references.items()
        for prefix, values in (("gamma", record.target), ("y", record.outputs)):
            for i, name in enumerate(self.outputs):
                yield f"{prefix}.{name}", values[:, i]
        for i, name in enumerate(self.outputs):
            yield f"e.{name}", record.outputs[:, i] - record.target[:, i]
