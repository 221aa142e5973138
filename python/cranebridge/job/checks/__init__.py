"""Checks before anything is driven: a crane, a loop, this machine."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.job.checks.crane_checking import CheckedCrane, check_crane
    from cranebridge.job.checks.doctor import Diagnosis, examine
    from cranebridge.job.checks.loop_checking import check_control
    from cranebridge.job.checks.model_checking import CheckedModel, check_model
    from cranebridge.job.checks.plant_source import common_source
    from cranebridge.job.checks.scenario_checking import ScenarioCheck, check_scenario, judge
else:
    __getattr__, __dir__ = front(__name__)
