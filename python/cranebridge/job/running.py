"""The main job: check, solve, export, certify, verify, report; and what each verb writes."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
from numpy.typing import NDArray

from cranebridge.job.checks import check_scenario
from cranebridge.job.folder import JobKey, ResultFolder, open_folder, require_usable
from cranebridge.job.long_solving import is_long, solve_long
from cranebridge.job.solving import solve_scenario
from cranebridge.job.summaries import summary
from cranebridge.job.verifying import verify_on_twin, verify_scenario
from cranebridge.numerics import write_columns
from cranebridge.progress import Progress, StageReport, ignore_progress, ignore_stage
from cranebridge.scenario import Scenario, speed_drives
from cranebridge.verify import Certificate, Verified
from cranebridge.version_info import program_hash, versions

CERTIFICATE = "certificate.json"


def run_scenario(
    scenario: Scenario,
    folder: Path,
    force: bool = False,
    report_stage: StageReport = ignore_stage,
    progress: Progress = ignore_progress,
) -> Verified:
    """Do the main job: check, solve, export, certify, verify, report.

    An interrupted run of the same scenario is gone on with, or begun anew if the contents of a file
    or a version has changed; any other existing folder is replaced only with `force`, and only as
    far as an earlier result wrote it.

    Raises
    ------
    CranebridgeError
        If the scenario cannot be solved; the first problem is the message.
    """
    key = job_key(scenario, "run")
    require_usable(folder, force, key)
    report_stage("check")
    checked = check_scenario(scenario)
    checked.require_solvable()
    with open_folder(folder, key, force) as results:
        results.write_json("check.json", checked.as_dict())
        report_stage("solve")
        solved = solve_scenario(scenario, checked=checked)
        _write_solution(results, scenario, solved)
        threading.Thread(target=_import_report, daemon=True).start()
        verified = verify_scenario(
            scenario,
            report_stage,
            solved,
            progress=progress,
            known=_certificate(results),
            certified=lambda found: results.write_json(CERTIFICATE, found.as_dict()),
        )
        _write_tracking(results, scenario, verified)
        report_stage("report")
        _write_report(results, scenario, verified)
        results.finish()
    return verified


def solve_into(
    scenario: Scenario, folder: Path | None, force: bool, progress: Progress = ignore_progress
) -> Verified:
    """Solve a scenario and write the solution, if a folder is given."""
    if folder is None:
        return solve_scenario(scenario, progress)
    key = job_key(scenario, "solve")
    require_usable(folder, force, key)
    solved = None if is_long(scenario) else solve_scenario(scenario, progress)
    with open_folder(folder, key, force) as results:
        if solved is None:
            solved = _solve_long(results, scenario, progress)
        else:
            _write_solution(results, scenario, solved)
        results.write_json("summary.json", summary(scenario, solved))
        results.finish()
    return solved


def _solve_long(results: ResultFolder, scenario: Scenario, progress: Progress) -> Verified:
    """Write a solution while it is made."""
    found: list[Verified] = []
    results.write(
        "feedforward.csv", lambda file: found.append(solve_long(scenario, file, progress))
    )
    _write_scenario(results, scenario)
    return found[0]


def verify_into(
    scenario: Scenario,
    folder: Path | None,
    force: bool,
    plant: str,
    report_stage: StageReport = ignore_stage,
    progress: Progress = ignore_progress,
) -> Verified:
    """Verify a scenario on its FMU or on the twin, and write it, if a folder is given."""
    verify = verify_scenario if plant == "fmu" else verify_on_twin
    if folder is None:
        return verify(scenario, report_stage, progress=progress)
    key = job_key(scenario, f"verify on {plant}")
    require_usable(folder, force, key)
    with open_folder(folder, key, force) as results:
        verified = verify(scenario, report_stage, progress=progress)
        _write_solution(results, scenario, verified)
        _write_tracking(results, scenario, verified)
        results.finish()
    return verified


def job_key(scenario: Scenario, verb: str) -> JobKey:
    """Return what a job is made from: the task, contents of all files that matter, versions."""
    return key_of({"verb": verb, "scenario": scenario.complete()}, scenario.files)


def key_of(task: Mapping[str, Any], files: Iterable[Path]) -> JobKey:
    """Return what a task is made from, with the contents of files."""
    made_from = {
        **task,
        "files": {str(file): _sha256(file) for file in files},
        "versions": versions(),
        "program": program_hash(),
    }
    return JobKey(_hash_of(task), _hash_of(made_from))


def _hash_of(content: object) -> str:
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _certificate(results: ResultFolder) -> Certificate | None:
    """Return the certificate that an interrupted run left; whose FMU it is of is checked later."""
    content = results.read_json(CERTIFICATE) if results.resumed else None
    try:
        return None if content is None else Certificate.from_dict(content)
    except (KeyError, TypeError, AttributeError):
        return None


def _write_solution(results: ResultFolder, scenario: Scenario, solved: Verified) -> None:
    results.write(
        "feedforward.csv", lambda file: write_columns(file, solution_columns(scenario, solved))
    )
    _write_scenario(results, scenario)


def _write_scenario(results: ResultFolder, scenario: Scenario) -> None:
    text = tomli_w.dumps(scenario.complete())
    results.write("scenario.toml", lambda file: file.write(text))


def solution_columns(
    scenario: Scenario, solved: Verified
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield the columns of the solution, and the velocity references of drives that take them."""
    yield from solved.feedforward.columns()
    drives = speed_drives(scenario.tables)
    if drives:
        from cranebridge.inverse import speed_references

        values = speed_references(solved.feedforward, drives).speeds(solved.feedforward.time)
        for i, drive in enumerate(drives):
            yield f"w.{drive.coordinate}", values[:, i]


def _write_tracking(results: ResultFolder, scenario: Scenario, verified: Verified) -> None:
    if verified.tracking is not None:
        results.write("tracking.csv", verified.tracking.write_csv)
    results.write_json("summary.json", summary(scenario, verified))


def _import_report() -> None:
    """Import what the report needs while the plant is at work in its own process."""
    with suppress(Exception):  # whatever is wrong is reported when the report is written
        import cranebridge.report  # noqa: F401


def _write_report(results: ResultFolder, scenario: Scenario, verified: Verified) -> None:
    from cranebridge.report import render

    results.write("report.html", lambda file: file.write(render(scenario, verified)))


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
