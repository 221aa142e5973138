"""A second opinion on a plan, and paths followed as well as the drives can, with their files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from cranebridge.errors import CranebridgeError, InputError
from cranebridge.job.folder import JobKey, open_folder, require_usable
from cranebridge.job.running import key_of
from cranebridge.numerics import write_columns
from cranebridge.plan.collocation import FullStateMotion, follow, second_opinion
from cranebridge.plan.task import Plan, TrackingRequest
from cranebridge.progress import Progress, StageReport, ignore_progress, ignore_stage
from cranebridge.scenario import Question, Scenario, asks_opinion, read_question
from cranebridge.version_info import versions


@dataclass(frozen=True, eq=False)
class Opinions:
    """A motion found without flatness, and the flat plan beside it.

    Attributes
    ----------
    question : Question
        What was asked.
    opinion : FullStateMotion
        The motion.
    flat : Plan or None
        The flat plan of the same task.
    without : str
        Why there is no flat plan.
    """

    question: Question
    opinion: FullStateMotion
    flat: Plan | None
    without: str

    @property
    def exit_code(self) -> int:
        """0 done, 1 if a limit is not kept."""
        return 1 if self.opinion.broken else 0

    def as_dict(self) -> dict[str, Any]:
        """Return the content of ``summary.json``."""
        beside = {"without": self.without} if self.flat is None else self.flat.as_dict()
        plan = {**self.opinion.as_dict(), "flat": beside}
        given = self.question.given
        names = {"scenario": given.name, "crane": given.crane.name}
        return {**names, "plan": plan, "versions": versions()}


def opinion_asked(source: str, settings: list[str]) -> Question | None:
    """Return what a scenario asks of other methods than flatness; None if it asks for none."""
    given = Scenario.read(source, settings)
    return read_question(given) if asks_opinion(given) else None


def opinion_into(
    question: Question,
    folder: Path | None,
    force: bool,
    report_stage: StageReport = ignore_stage,
    progress: Progress = ignore_progress,
) -> Opinions:
    """Find a motion without flatness, and write it, if a folder is given.

    Parameters
    ----------
    question : Question
        What is asked.
    folder : pathlib.Path, optional
        Gets the files.
    force : bool
        Replace an earlier result.
    report_stage : callable
        Called with what is at work.
    progress : callable
        Called with the part that is done of it.
    """
    if folder is not None:
        require_usable(folder, force, _key(question))
    opinions = _find(question, report_stage, progress)
    if folder is None:
        return opinions
    text = tomli_w.dumps(question.complete())
    with open_folder(folder, _key(question), force) as results:
        name = f"{opinions.opinion.method}.csv"
        results.write(name, lambda file: write_columns(file, opinions.opinion.columns()))
        results.write_json("summary.json", opinions.as_dict())
        results.write("scenario.toml", lambda file: file.write(text))
        results.finish()
    return opinions


def _find(question: Question, report_stage: StageReport, progress: Progress) -> Opinions:
    order = question.order
    report_stage(f"planning by {question.given.tables.path.get('method', 'collocation')}")
    if isinstance(order, TrackingRequest):
        why = "a path that is followed has no flat plan beside it"
        return Opinions(question, follow(order, progress=progress), None, why)
    found = second_opinion(order.task, progress=progress)
    report_stage("the flat plan beside it")
    try:
        flat = question.flat_plan(progress)
    except CranebridgeError as error:
        return Opinions(question, found, None, f"no flat plan: {error}")
    name = question.given.crane.name
    why = f"crane '{name}' is not flat: collocation is the only way" if flat is None else ""
    return Opinions(question, found, flat, why)


def _key(question: Question) -> JobKey:
    task = {"verb": "plan", "scenario": question.complete()}
    return key_of(task, _files(question.given))


def _files(given: Scenario) -> list[Path]:
    crane = Path(given.tables.crane.model.rpartition(":")[0])
    found = [file for file in (given.file, crane) if file is not None and file.is_file()]
    return [file.resolve() for file in found]


def refuse_with_running(question: Question | None, running: bool) -> None:
    """Refuse a second opinion on the plan of a motion that is running."""
    if question is not None and running:
        raise InputError(
            "--stop-at and --goal plan by flatness; leave path.method and --method out, or give "
            "the state as path.state"
        )
