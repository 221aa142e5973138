"""A scenario as objects: the tables of a TOML file, overrides, and a template to start from."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.scenario.black_box_scenario import (
        BlackBoxScenario,
        on_times,
        read_black_box,
        read_columns,
    )
    from cranebridge.scenario.commented_template import commented_scenario
    from cranebridge.scenario.control_rules import CYCLE, control_cycle, sensors_of, speed_drives
    from cranebridge.scenario.cross_check_request import (
        CrossCheckRequest,
        read_cross_check,
    )
    from cranebridge.scenario.key_reference import markdown
    from cranebridge.scenario.overrides import (
        Settings,
        key_parts,
        override_all,
        plain_value,
        value_at,
    )
    from cranebridge.scenario.planned_path import NotPlannedError
    from cranebridge.scenario.problem import planned_limits
    from cranebridge.scenario.reading import Origin, crane_of, parse_text, with_rope
    from cranebridge.scenario.scenario import Folder, Scenario, load_scenario
    from cranebridge.scenario.tables import CraneTable, ScenarioTables
    from cranebridge.scenario.variation import Variation
    from cranebridge.scenarios import ready_file, ready_scenarios
else:
    __getattr__, __dir__ = front(__name__)
