"""The verbs for a page: what the command line does, with what is found as tables and texts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cranebridge.job.campaign import campaign_into
from cranebridge.job.checks import check_scenario
from cranebridge.job.delivering import hand_over, left_out
from cranebridge.job.ordering import Wishes
from cranebridge.job.page.live import shown_page
from cranebridge.job.page.sources import Origin, parse_text
from cranebridge.job.running import run_scenario, solve_into
from cranebridge.limits import Verdict
from cranebridge.progress import Progress, StageReport, ignore_stage
from cranebridge.report import render
from cranebridge.report.rows import verdict_rows
from cranebridge.scenario import Scenario

__all__ = [
    "PAGE",
    "Scenario",
    "campaign_found",
    "check_found",
    "deliver_into",
    "load_text",
    "plan_found",
    "verify_found",
]

PAGE = "page.json"
"""What a page shows of a result, beside its files."""


def load_text(name: str, text: str, folder: Path, progress: Progress) -> Scenario:
    """Load a scenario from its text; a path that it asks for is found."""
    content = parse_text(name, text)
    return Scenario.of_tables(content, Origin(name, name, folder)).find_path(progress)


def check_found(scenario: Scenario) -> dict[str, Any]:
    """Check a scenario."""
    checked = check_scenario(scenario)
    found = checked.check
    lines = [
        f"index {found.structure.index}, {'flat' if found.structure.flat else 'internal dynamics'}",
        *found.problems,
        *([checked.no_loop] if checked.no_loop else []),
    ]
    return {
        "headline": "; ".join(lines),
        "verdicts": _rows(checked.verdicts),
        "exit_code": checked.exit_code,
    }


def plan_found(scenario: Scenario, out: Path, progress: Progress) -> dict[str, Any]:
    """Solve a scenario into a folder, as `cranebridge solve` does, with a report beside it."""
    solved = solve_into(scenario, out, False, progress)
    (out / "report.html").write_text(render(scenario, solved), encoding="utf-8")
    (out / PAGE).write_text(json.dumps(shown_page(scenario, solved)), encoding="utf-8")
    return _found(scenario, solved.exit_code, _rows(solved.verdicts))


def verify_found(
    scenario: Scenario,
    out: Path,
    report_stage: StageReport,
    progress: Progress,
) -> dict[str, Any]:
    """Do the main job into a folder, as `cranebridge run` does."""
    verified = run_scenario(scenario, out, report_stage=report_stage, progress=progress)
    (out / PAGE).write_text(json.dumps(shown_page(scenario, verified)), encoding="utf-8")
    return _found(scenario, verified.exit_code, _rows(verified.verdicts))


def campaign_found(
    scenario: Scenario,
    out: Path,
    report_stage: StageReport,
    progress: Progress,
) -> dict[str, Any]:
    """Carry out a campaign into a folder."""
    found = campaign_into(scenario, out, report_stage=report_stage, progress=progress)
    total, failed = found.runs.total, found.runs.failed
    text = f"{found.passed} of {total} runs kept all limits"
    text += f", {failed} could not be run" if failed else ""
    return {"headline": text, "verdicts": _rows(found.nominal), "exit_code": found.exit_code}


def deliver_into(
    scenario: Scenario,
    out: Path,
    form: str,
    allow_violations: bool,
    report_stage: StageReport = ignore_stage,
) -> dict[str, Any]:
    """Hand the feedforward over in a format, into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    hand_over(
        scenario, Wishes(to=form, target=out, allow_violations=allow_violations), report_stage
    )
    return {"headline": " ".join(left_out(scenario, form)), "verdicts": [], "exit_code": 0}


def _found(scenario: Scenario, code: int, rows: list[dict[str, str]]) -> dict[str, Any]:
    duration = f"{scenario.problem.path.duration:.4g} s"
    plan = scenario.planned
    text = f"path of {duration}" if plan is None else f"the path found takes {duration}"
    return {"headline": text, "verdicts": rows, "exit_code": code}


def _rows(verdicts: Iterable[Verdict]) -> list[dict[str, str]]:
    return verdict_rows(verdicts)
