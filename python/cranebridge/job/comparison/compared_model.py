"""A model of a crane as a user names it: a scenario's twin, a crane, Modelica, or an FMU."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cranebridge.plant.description import inspect
from cranebridge.plant.export import cached_fmu, is_own_tool
from cranebridge.scenario import Scenario, load_scenario
from cranebridge.scenarios import ready_scenarios
from cranebridge.twin import CRANES, Crane, find_crane, is_modelica


@dataclass(frozen=True, eq=False)
class ComparedModel:
    """A model as it was named: a twin, with its scenario if there is one, or a plant's file."""

    name: str
    scenario: Scenario | None = None
    crane: Crane | None = None
    fmu: Path | None = None

    @property
    def modelica(self) -> str:
        """Its Modelica source; empty for others."""
        if self.scenario is not None:
            model = self.scenario.tables.crane.model
            return model if is_modelica(model) else ""
        return self.name if self.fmu is not None and not self.name.endswith(".fmu") else ""

    @property
    def is_translated(self) -> bool:
        """Whether cranebridge translated it from Modelica."""
        if self.fmu is None:
            return bool(self.modelica)
        return is_own_tool(inspect(self.fmu).generation_tool)


def find_model(name: str) -> ComparedModel:
    """Return the model that a name means; Modelica is exported."""
    if name.endswith(".fmu"):
        return ComparedModel(name, fmu=Path(name))
    if name in ready_scenarios() or name.endswith(".toml"):
        return ComparedModel(name, scenario=load_scenario(name))
    if name in CRANES or name.endswith(".py") or ".py:" in name:
        return ComparedModel(name, crane=find_crane(name))
    return ComparedModel(name, fmu=Path(cached_fmu(name)))
