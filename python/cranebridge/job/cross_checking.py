"""Plans cross-checked by another method, and paths followed as the drives can, with files."""

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
from cranebridge.scenario import CrossCheckRequest, Scenario
from cranebridge.version_info import versions


@dataclass(frozen=True, eq=False)
class CrossCheckResult:
    """A motion found without flatness, and the flat plan beside it.

    Attributes
    ----------
    request : CrossCheckRequest
        What was asked.
    opinion : FullStateMotion
        The motion.
    flat : Plan or None
        The flat plan of the same task.
    without : str
        Why there is no flat plan.
    """

    request: CrossCheckRequest
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
        given = self.request.given
        names = {"scenario": given.name, "crane": given.crane.name}
        return {**names, "plan": plan, "versions": versions()}


def cross_check_into(
    request: CrossCheckRequest,
    folder: Path | None,
    force: bool,
    report_stage: StageReport = ignore_stage,
    progress: Progress = ignore_progress,
) -> CrossCheckResult:
    """Find a motion without flatness, and write it, if a folder is given.

    Parameters
    ----------
    request : CrossCheckRequest
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
        require_usable(folder, force, _key(request))
    found = _find(request, report_stage, progress)
    if folder is None:
        return found
    text = tomli_w.dumps(request.complete())
    with open_folder(folder, _key(request), force) as results:
        name = f"{found.opinion.method}.csv"
        results.write(name, lambda file: write_columns(file, found.opinion.columns()))
        results.write_json("summary.json", found.as_dict())
        results.write("scenario.toml", lambda file: file.write(text))
        results.finish()
    return found


def _find(
    request: CrossCheckRequest, report_stage: StageReport, progress: Progress
) -> CrossCheckResult:
    order = request.order
    report_stage(f"planning by {request.given.tables.path.get('method', 'collocation')}")
    if isinstance(order, TrackingRequest):
        why = "a path that is followed has no flat plan beside it"
        return CrossCheckResult(request, follow(order, progress=progress), None, why)
    found = second_opinion(order.task, progress=progress)
    report_stage("the flat plan beside it")
    try:
        flat = request.flat_plan(progress)
    except CranebridgeError as error:
        return CrossCheckResult(request, found, None, f"no flat plan: {error}")
    name = request.given.crane.name
    why = f"crane '{name}' is not flat: collocation is the only way" if flat is None else ""
    return CrossCheckResult(request, found, flat, why)


def _key(request: CrossCheckRequest) -> JobKey:
    task = {"verb": "plan", "scenario": request.complete()}
    return key_of(task, _files(request.given))


def _files(given: Scenario) -> list[Path]:
    crane = Path(given.tables.crane.model.rpartition(":")[0])
    found = [file for file in (given.file, crane) if file is not None and file.is_file()]
    return [file.resolve() for file in found]


def refuse_with_running(request: CrossCheckRequest | None, running: bool) -> None:
    """Refuse a cross-check of the plan of a motion that is running."""
    if request is not None and running:
        raise InputError(
            "--stop-at and --goal plan by flatness; leave path.method and --method out, or give "
            "the state as path.state"
        )
