"""What is to be delivered: the command line's wishes and the scenario's, together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cranebridge.deliver import FORMATS, DeliveryOrder, check_order
from cranebridge.errors import InputError
from cranebridge.job.plant_drives import drive_loops
from cranebridge.scenario import Scenario, control_cycle, speed_drives


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
    learned: Path | None = None


def make_order(scenario: Scenario, wishes: Wishes, content: dict[str, Any]) -> DeliveryOrder:
    """Return the order of a delivery, checked before anything is solved.

    Parameters
    ----------
    scenario : Scenario
        What is delivered.
    wishes : Wishes
        What the command line says.
    content : dict
        The complete scenario, for the provenance.
    """
    table = scenario.tables.deliver
    to = wishes.to or table.to
    if to is None:
        raise InputError(f"which format? Give --to or deliver.to: {', '.join(sorted(FORMATS))}")
    control = scenario.tables.control
    sampled = control.kind != "none" and bool(control_cycle(control))
    order = DeliveryOrder(
        to=to,
        target=wishes.target or Path(),
        scenario=content,
        folder=scenario.folder,
        cycle=wishes.cycle if wishes.cycle is not None else table.cycle,
        columns=wishes.columns or table.columns or None,
        units=table.units if wishes.units is None else wishes.units,
        precision=wishes.precision or table.precision,
        fmi=wishes.fmi,
        overwrite=wishes.overwrite,
        allow_violations=wishes.allow_violations,
        limits=scenario.limits,
        learned=wishes.learned is not None,
        looped=_looped(scenario) if wishes.learned is not None else frozenset(),
        friction=bool(scenario.friction),
        controlled=sampled and control.gains == "time",
        controlled_on_line=sampled and control.gains == "position",
    )
    check_order(order, scenario.problem)
    return order


def _looped(scenario: Scenario) -> frozenset[str]:
    """Return the coordinates whose drives have a loop of position, and no loop of speed."""
    from cranebridge.learn.trials import position_loops

    loops = position_loops(drive_loops(scenario), speed_drives(scenario.tables))
    return frozenset(loop.coordinate for loop in loops)
