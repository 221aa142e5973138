"""Trials on disk: saved as they end, so that interrupted learning goes on after the last one."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.job.folder import ResultFolder
from cranebridge.job.verifying import Tell
from cranebridge.learn.learning import Outcome
from cranebridge.learn.plant_trials import Done
from cranebridge.learn.record import Record
from cranebridge.learn.settings import LearnSettings
from cranebridge.limits import Verdict
from cranebridge.news import Progress
from cranebridge.numerics import write_columns

Array = NDArray[np.float64]

# Inputs of a saved trial that differ by less than this part from what learning asks for are those.
SAME = 1e-9


class Ended(Protocol):
    """A trial that has ended: what it gave, and what was judged."""

    @property
    def outcome(self) -> Outcome:
        """What it gave."""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What was judged."""


class TrialsInOrder:
    """Trials in order, from what was saved or on the plant, with what was judged in each.

    Parameters
    ----------
    run : callable
        Carries a trial out.
    saved : Saved, optional
        Trials on disk.
    tell, progress : callable
        Told of each trial as it begins, and which part of all is done then.
    most : int
        How many trials there are at most.
    """

    def __init__(
        self,
        run: Callable[[Array], Ended],
        saved: Saved | None,
        tell: Tell,
        progress: Progress,
        most: int,
    ) -> None:
        self._run, self._saved, self._tell = run, saved, tell
        self._progress, self._most = progress, most
        self.restored = 0  # trials that were carried out before learning was interrupted
        self.last: Ended | None = None
        self.ended: dict[int, Ended] = {}
        self.verdicts: dict[int, tuple[Verdict, ...]] = {}

    def run(self, number: int, inputs: Array) -> Outcome:
        """Carry out a trial, unless it was carried out before learning was interrupted."""
        self._tell(f"trial {number}")
        self._progress(len(self.ended) / self._most)
        found = None if self._saved is None else self._saved.read(number, inputs)
        done: Ended | None = found
        if done is None:
            done = self._run(inputs)
            if self._saved is not None:
                self._saved.write(number, done, inputs)
        elif done.outcome.record is not None or done.outcome.failed:
            self.restored += 1
        self.last, self.ended[number], self.verdicts[number] = done, done, done.verdicts
        return done.outcome


def repeated_errors(
    run: Callable[[Array], Ended], inputs: Array, settings: LearnSettings, tell: Tell
) -> tuple[float, ...]:
    """Return the total errors of further trials with the learned controls.

    Infinite where one does not come to the end, or breaks a limit.
    """
    found = []
    for number in range(settings.repeats):
        tell(f"learned controls once more, {number + 1} of {settings.repeats}")
        outcome = run(inputs).outcome
        kept = outcome.record is not None and not outcome.broken
        record = outcome.record if kept else None
        found.append(np.inf if record is None else record.total_error(settings.judge_from))
    return tuple(found)


class Saved:
    """Trials on disk: ``trial-N.csv`` with the signals, ``trial-N.json`` with what was judged."""

    def __init__(self, results: ResultFolder) -> None:
        self._results = results

    def write(self, number: int, done: Ended, inputs: Array) -> None:
        """Save a trial as it ends; its verdicts last: a trial with them is whole."""
        record, results = done.outcome.record, self._results
        columns = {f"u.{i}": column for i, column in enumerate(inputs.T)}
        if record is not None:
            columns = {"time": record.time, **columns}
            columns |= {f"gamma.{n}": record.target[:, i] for i, n in _numbered(record)}
            columns |= {f"y.{n}": record.outputs[:, i] for i, n in _numbered(record)}
        results.write(_csv(number), lambda file: write_columns(file, columns.items()))
        content = {
            "broken": list(done.outcome.broken),
            "failed": done.outcome.failed,
            "outputs": [] if record is None else list(record.output_names),
            "verdicts": [verdict.as_dict() for verdict in done.verdicts],
        }
        results.write_json(_json(number), content)

    def read(self, number: int, inputs: Array) -> Done | None:
        """Return a saved trial of these inputs; None if there is none."""
        if not self._results.resumed:
            return None
        content, text = self._results.read_json(_json(number)), self._results.read(_csv(number))
        if content is None or text is None:
            return None
        try:
            return _restored(content, text, inputs)
        except (KeyError, TypeError, ValueError, InputError):
            return None


def _restored(content: dict[str, Any], text: str, inputs: Array) -> Done | None:
    titles = text.partition("\n")[0].split(",")
    table = np.loadtxt(io.StringIO(text), delimiter=",", skiprows=1, ndmin=2)
    if not np.isfinite(table).all():
        return None  # not what was written: no comparison with it would say no
    groups: dict[str, list[Array]] = {}
    for title, column in zip(titles, table.T, strict=True):
        groups.setdefault(title.partition(".")[0], []).append(column)
    given = np.column_stack(groups["u"])
    if given.shape != inputs.shape or np.abs(given - inputs).max() > SAME * np.abs(inputs).max():
        return None
    record = None
    if content["outputs"]:
        target, outputs = (np.column_stack(groups[group]) for group in ("gamma", "y"))
        names = tuple(content["outputs"])
        record = Record(groups["time"][0], inputs, outputs, target, names)
    verdicts = tuple(
        Verdict(**{key: value for key, value in one.items() if key != "passed"})
        for one in content["verdicts"]
    )
    outcome = Outcome(record, tuple(content["broken"]), content["failed"])
    return Done(outcome, None, verdicts)


def _numbered(record: Record) -> list[tuple[int, str]]:
    return list(enumerate(record.output_names))


def _csv(number: int) -> str:
    return f"trial-{number}.csv"


def _json(number: int) -> str:
    return f"trial-{number}.json"
