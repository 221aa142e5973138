"""The loops of a scenario's drives: those that take velocity references, and those of positions."""

from __future__ import annotations

from cranebridge.scenario import Scenario
from cranebridge.verify import DriveController
from cranebridge.verify.mapping import SpeedLoop


def speed_loops(scenario: Scenario) -> tuple[SpeedLoop, ...]:
    """Return the speed loops of a scenario, as ``[plant.speed]`` has them."""
    tables = scenario.tables.plant.speed
    return tuple(SpeedLoop(name, **table.model_dump()) for name, table in tables.items())


def drive_loops(scenario: Scenario) -> tuple[DriveController, ...]:
    """Return the loops of position of a scenario, of the plant's table and the controller's."""
    tables = scenario.tables.plant.drives | scenario.tables.control.drives
    return tuple(
        DriveController(input=name, **drive.model_dump()) for name, drive in tables.items()
    )
