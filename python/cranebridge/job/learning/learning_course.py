"""Trials from the first controls to the last, on a plant with a twin or without one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import tomli_w
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.job.folder import ResultFolder
from cranebridge.job.learning.learned_controls import made_from
from cranebridge.job.learning.saved_trials import (
    SavedTrials,
    TrialResult,
    TrialsInOrder,
    repeated_errors,
)
from cranebridge.learn import DesignedLaw, Learning, LearnSettings, TrialSeries, learn
from cranebridge.numerics import write_columns
from cranebridge.progress import Progress, StageReport
from cranebridge.scenario import BlackBoxScenario, Scenario

Array = NDArray[np.float64]


class Trials(Protocol):
    """What carries a trial out, and counts simulations."""

    count: int

    def run(self, inputs: Array) -> TrialResult:
        """Carry a trial out."""


@dataclass(frozen=True, eq=False)
class LearningCourse:
    """Trials that were carried out, with the law that corrected the controls.

    Attributes
    ----------
    settings : LearnSettings
        What was asked for.
    first : numpy.ndarray
        The controls to begin with.
    trials : Trials
        Where they were carried out.
    order : TrialsInOrder
        Each of them.
    designed : DesignedLaw
        The law.
    learned : TrialSeries
        What came of it.
    repeated : tuple of float
        Total errors of further trials with the learned controls.
    """

    settings: LearnSettings
    first: Array
    trials: Trials
    order: TrialsInOrder
    designed: DesignedLaw
    learned: TrialSeries
    repeated: tuple[float, ...]

    def result(
        self,
        inputs: Mapping[str, str],
        outputs: Mapping[str, str],
        seconds: float,
        notes: tuple[str, ...] = (),
        **more: Any,
    ) -> Learning:
        """Return what was learned; inputs and outputs with their units."""
        return Learning(
            settings=self.settings,
            model=self.designed.model,
            inputs=inputs,
            outputs=outputs,
            learned=self.learned,
            first=self.first,
            simulations=self.trials.count + self.order.restored,
            of_best=self.order.verdicts.get(self.learned.best, ()),
            notes=(*self.designed.notes, *notes),
            seconds=seconds,
            transfer=self.designed.transfer,
            repeated=self.repeated,
            **more,
        )


def carry_out_trials(
    settings: LearnSettings,
    first: Array,
    trials: Trials,
    design: Callable[[TrialsInOrder], DesignedLaw],
    saved: SavedTrials | None,
    report_stage: StageReport,
    progress: Progress,
) -> LearningCourse:
    """Design the law, carry the trials out and repeat the best one."""
    order = TrialsInOrder(trials.run, saved, report_stage, progress, settings.rules.trials + 1)
    report_stage("model")
    designed = design(order)
    learned = learn(order.run, designed.law, first, settings.rules)
    if learned.record is None:
        raise InputError(f"nothing could be learned: {learned.ended}")
    repeated = repeated_errors(trials.run, learned, settings, report_stage)
    return LearningCourse(settings, first, trials, order, designed, learned, repeated)


def write_learning(
    results: ResultFolder, learning: Learning, content: dict[str, Any], report: str
) -> None:
    """Write what every learning writes: trials, the best controls, report and summary."""
    results.write("trials.csv", learning.write_trials)
    if learning.learned.record is not None:
        results.write("learned.csv", lambda file: write_columns(file, learning.controls()))
    results.write("report.html", lambda file: file.write(report))
    results.write_json("summary.json", content)


def write_scenario(results: ResultFolder, tables: dict[str, Any]) -> None:
    """Write all tables of the scenario, to repeat it."""
    text = tomli_w.dumps(tables)
    results.write("scenario.toml", lambda file: file.write(text))


def learning_dict(scenario: Scenario | BlackBoxScenario, learning: Learning) -> dict[str, Any]:
    """Return what ``summary.json`` has of learning."""
    return {**learning.as_dict(), "made_from": made_from(scenario.files, scenario.file)}
