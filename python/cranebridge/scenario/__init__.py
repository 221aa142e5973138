"""A scenario as objects: the tables of a TOML file, overrides, and a template to start from."""

from cranebridge.scenario.load import Scenario, load_scenario
from cranebridge.scenario.schema import ScenarioTables
from cranebridge.scenario.template import commented_scenario
from cranebridge.scenarios import ready_scenarios

__all__ = [
    "Scenario",
    "ScenarioTables",
    "commented_scenario",
    "load_scenario",
    "ready_scenarios",
]
