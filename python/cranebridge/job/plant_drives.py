"""The drives of a scenario's plant that take velocity references."""

from __future__ import annotations

from cranebridge.scenario import Scenario
from cranebridge.verify.speed_loops import SpeedLoop


def speed_loops(scenario: Scenario) -> tuple[SpeedLoop, ...]:
    """Return the speed loops of a scenario, as ``[plant.speed]`` has them."""
    tables = scenario.tables.plant.speed
    return tuple(SpeedLoop(name, **table.model_dump()) for name, table in tables.items())
