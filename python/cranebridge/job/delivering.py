"""Hand over a scenario's feedforward: the command line's wishes and the scenario's, together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from cranebridge.deliver import FORMATS, deliver
from cranebridge.errors import InputError
from cranebridge.job.exporting import fmi_version
from cranebridge.job.solving import solve_scenario
from cranebridge.plan.timing import scale_problem, scale_scenario
from cranebridge.scenario import Scenario


@dataclass(frozen=True)
class Wishes:
    """What the command line asks for; None leaves it to the scenario's ``[deliver]`` table."""

    to: str | None = None
    target: Path | None = None
    cycle: float | None = None
    columns: tuple[str, ...] | None = None
    units: bool | None = None
    precision: str | None = None
    duration: float | None = None
    fmi: str | None = None
    overwrite: bool = False
    allow_violations: bool = False


def hand_over(scenario: Scenario, wishes: Wishes) -> list[Path]:
    """Solve a scenario and deliver it; returns the files written."""
    table = scenario.tables.deliver
    to = wishes.to or table.to
    if to is None:
        raise InputError(f"which format? Give --to or deliver.to: {', '.join(sorted(FORMATS))}")
    if wishes.target is None:
        raise InputError("where to? Give -o FILE or -o FOLDER")
    content = scenario.complete()
    if wishes.duration is not None:
        scenario = replace(scenario, problem=scale_problem(scenario.problem, wishes.duration))
        content = scale_scenario(content, wishes.duration)
    return deliver(
        solve_scenario(scenario).feedforward,
        to,
        wishes.target,
        scenario=content,
        cycle=wishes.cycle if wishes.cycle is not None else table.cycle,
        columns=wishes.columns or table.columns or None,
        units=table.units if wishes.units is None else wishes.units,
        precision=wishes.precision or table.precision,
        fmi=fmi_version(wishes.fmi) if wishes.fmi is not None else None,
        overwrite=wishes.overwrite,
        allow_violations=wishes.allow_violations,
        limits=scenario.limits,
        folder=scenario.folder,
    )
