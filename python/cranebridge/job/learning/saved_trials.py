"""Trials on disk: saved as they end, so that interrupted learning goes on after the last one."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.job.folder import ResultFolder
from cranebridge.learn import (
    NOT_FINITE,
    LearnSettings,
    Record,
    TrialOutcome,
    TrialSeries,
    repeats_exactly,
)
from cranebridge.learn.trials import PlantTrial
from cranebridge.limits import Verdict
from cranebridge.numerics import write_columns
from cranebridge.progress import Progress, StageReport

Array = NDArray[np.float64]

# Further trials of the learned controls of a plant that does not repeat itself.
NOISY = 5
# Inputs of a saved trial that differ by less than this part from what learning asks for are those.
SAME = 1e-9


class TrialResult(Protocol):
    """A trial that has ended: what it gave, and what was judged."""

    @property
    def outcome(self) -> TrialOutcome:
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
    saved : SavedTrials, optional
        Trials on disk.
    report_stage, progress : callable
        Called with each trial as it begins, and which part of all is done then.
    most : int
        How many trials there are at most.
    """

    def __init__(
        self,
        run: Callable[[Array], TrialResult],
        saved: SavedTrials | None,
        report_stage: StageReport,
        progress: Progress,
        most: int,
    ) -> None:
        self._run, self._saved, self._report_stage = run, saved, report_stage
        self._progress, self._most = progress, most
        self.restored = 0  # trials that were carried out before learning was interrupted
        self.last: TrialResult | None = None
        self.ended: dict[int, TrialResult] = {}
        self.verdicts: dict[int, tuple[Verdict, ...]] = {}

    def run(self, number: int, inputs: Array) -> TrialOutcome:
        """Carry out a trial, unless it was carried out before learning was interrupted."""
        self._report_stage(f"trial {number}")
        self._progress(len(self.ended) / self._most)
        found = None if self._saved is None else self._saved.read(number, inputs)
        done: TrialResult | None = found
        if done is None:
            done = self._run(inputs)
            if self._saved is not None:
                self._saved.write(number, done, inputs)
        elif done.outcome.record is not None or done.outcome.failed:
            self.restored += 1
        self.last, self.ended[number], self.verdicts[number] = done, done, done.verdicts
        return done.outcome


def repeated_errors(
    run: Callable[[Array], TrialResult],
    learned: TrialSeries,
    settings: LearnSettings,
    report_stage: StageReport,
) -> tuple[float, ...]:
    """Return the total errors of further trials with the learned controls.

    As many as ``learn.repeats`` says. By default one, and `NOISY` in all where its error is another
    than that of the best trial: the plant, or what is measured of it, has noise, and the best trial
    was also the luckiest. Infinite where one does not come to the end, or breaks a limit; none of
    controls of which that is known.
    """
    best = learned.trials[learned.best]
    if learned.record is None or best.status == "limit":
        return ()
    inputs, found = learned.record.inputs, list[float]()
    count = settings.repeats or 1
    while len(found) < count:
        report_stage(f"learned controls once more, {len(found) + 1} of {count}")
        outcome = run(inputs).outcome
        kept = outcome.record is not None and not outcome.broken
        record = outcome.record if kept else None
        found.append(np.inf if record is None else record.total_error(settings.judge_from))
        if not settings.repeats and not repeats_exactly(found, best.total):
            count = NOISY
    return tuple(found)


class SavedTrials:
    """Trials on disk: ``trial-N.csv`` with the signals, ``trial-N.json`` with what was judged."""

    def __init__(self, results: ResultFolder) -> None:
        self._results = results

    def write(self, number: int, done: TrialResult, inputs: Array) -> None:
        """Save a trial as it ends; its verdicts last: a trial with them is whole."""
        outcome, results = done.outcome, self._results
        if outcome.record is not None and not np.isfinite(outcome.record.outputs).all():
            outcome = replace(outcome, record=None, failed=outcome.failed or NOT_FINITE)
        record = outcome.record
        columns = {f"u.{i}": column for i, column in enumerate(inputs.T)}
        if record is not None:
            columns = {"time": record.time, **columns}
            columns |= {f"gamma.{n}": record.target[:, i] for i, n in _numbered(record)}
            columns |= {f"y.{n}": record.outputs[:, i] for i, n in _numbered(record)}
        results.write(_csv(number), lambda file: write_columns(file, columns.items()))
        content = {
            "broken": list(outcome.broken),
            "failed": outcome.failed,
            "outputs": [] if record is None else list(record.output_names),
            "verdicts": [verdict.as_dict() for verdict in done.verdicts],
        }
        results.write_json(_json(number), content)

    def read(self, number: int, inputs: Array) -> PlantTrial | None:
        """Return a saved trial of these inputs; None if there is none.

        Raises
        ------
        InputError
            If the file has numbers that are none: nothing that is compared with them fails.
        """
        if not self._results.resumed:
            return None
        content, text = self._results.read_json(_json(number)), self._results.read(_csv(number))
        if content is None or text is None:
            return None
        try:
            return _restored(content, text, inputs)
        except _NotFiniteError as found:
            raise InputError(
                f"'{self._results.workplace / _csv(number)}', {found}: the file is not as it was "
                "written; delete it, and the trial is carried out again"
            ) from None
        except (KeyError, TypeError, ValueError):
            return None


class _NotFiniteError(Exception):
    """A number of a saved trial is none; says row and column."""


def _restored(content: dict[str, Any], text: str, inputs: Array) -> PlantTrial | None:
    titles = text.partition("\n")[0].split(",")
    table = np.loadtxt(io.StringIO(text), delimiter=",", skiprows=1, ndmin=2)
    for row, column in np.argwhere(~np.isfinite(table))[:1]:
        raise _NotFiniteError(
            f"row {row + 2}, column {titles[column]}: '{table[row, column]}' is no finite number"
        )
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
    outcome = TrialOutcome(record, tuple(content["broken"]), content["failed"])
    return PlantTrial(outcome, None, verdicts)


def _numbered(record: Record) -> list[tuple[int, str]]:
    return list(enumerate(record.output_names))


def _csv(number: int) -> str:
    return f"trial-{number}.csv"


def _json(number: int) -> str:
    return f"trial-{number}.json"
