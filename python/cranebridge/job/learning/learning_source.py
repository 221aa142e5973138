"""The verb `learn`: a scenario with a crane or without one, learned and written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cranebridge.job.learning.black_box_learning import black_box_summary, learn_black_box_into
from cranebridge.job.learning.learning_job import learn_into, learned_summary
from cranebridge.learn import Learning
from cranebridge.limits import Verdict
from cranebridge.progress import Progress, StageReport, ignore_progress, ignore_stage
from cranebridge.scenario import load_scenario, read_black_box


@dataclass(frozen=True, eq=False)
class LearnedSource:
    """What came of it.

    Attributes
    ----------
    name : str
        The scenario's.
    learning : Learning
        The trials.
    of_solution : tuple of Verdict
        What was judged on the solution, where there is a twin.
    summary : dict
        The content of ``summary.json``.
    """

    name: str
    learning: Learning
    of_solution: tuple[Verdict, ...]
    summary: dict[str, Any]

    @property
    def exit_code(self) -> int:
        """0 if all verdicts passed, else 1."""
        solved = all(verdict.passed for verdict in self.of_solution)
        return self.learning.exit_code if solved else 1


def learn_source(
    source: str,
    settings: Sequence[str] = (),
    folder: Path | None = None,
    force: bool = False,
    report_stage: StageReport = ignore_stage,
    progress: Progress = ignore_progress,
) -> LearnedSource:
    """Improve the controls of a scenario on its FMU, trial by trial.

    Parameters
    ----------
    source : str
        A ready scenario's name, or a TOML file; without a table [crane] the FMU has no twin.
    settings : sequence of str
        Overrides, as of `load_scenario`.
    folder : pathlib.Path, optional
        Gets the files.
    force : bool
        Replace an earlier result.
    report_stage : callable
        Called with the name of each stage as it begins.
    progress : callable
        Called with the part of the trials that is done, if all of them are needed.
    """
    black_box = read_black_box(source, settings)
    if black_box is not None:
        learning = learn_black_box_into(black_box, folder, force, report_stage, progress)
        return LearnedSource(black_box.name, learning, (), black_box_summary(black_box, learning))
    scenario = load_scenario(source, settings)
    verified, learning = learn_into(scenario, folder, force, report_stage, progress)
    content = learned_summary(scenario, verified, learning)
    return LearnedSource(scenario.name, learning, verified.verdicts, content)
