"""Whether a scenario's plant comes from the Modelica source that its twin was read from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cranebridge.scenario import Scenario
from cranebridge.twin import is_modelica

if TYPE_CHECKING:
    from cranebridge.verify import CommonSource


def common_source(scenario: Scenario, file: Path | None = None) -> CommonSource | None:
    """Return the Modelica source that twin and plant have in common, if they have one.

    Parameters
    ----------
    scenario : Scenario
        Its crane may be read from Modelica; others have a source of their own.
    file : Path, optional
        The plant's FMU, where it is there already; else what the scenario names is looked at.
    """
    table, twin = scenario.tables.plant, scenario.tables.crane.model
    if not is_modelica(twin) or (table.fmu is None and table.model is None):
        return None
    from cranebridge.verify import source_of_both

    if table.fmu is not None:
        return source_of_both(twin, None, file or Path(table.fmu))
    return source_of_both(twin, table.model, file)
