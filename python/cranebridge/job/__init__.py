"""A scenario carried out: steps, results on disk, resuming; what knows all packages."""

from cranebridge.job.crane_checking import CheckedCrane, check_crane
from cranebridge.job.exporting import export_all, export_plant
from cranebridge.job.running import run_scenario, solve_into, verify_into
from cranebridge.job.solving import Checked, check_scenario, find_shortest, solve_scenario
from cranebridge.job.summaries import summary
from cranebridge.job.verifying import (
    certify_scenario,
    open_plant,
    plant_file,
    verify_on_twin,
    verify_scenario,
)
from cranebridge.twin import cranes

__all__ = [
    "Checked",
    "CheckedCrane",
    "certify_scenario",
    "check_crane",
    "check_scenario",
    "cranes",
    "export_all",
    "export_plant",
    "find_shortest",
    "open_plant",
    "plant_file",
    "run_scenario",
    "solve_into",
    "solve_scenario",
    "summary",
    "verify_into",
    "verify_on_twin",
    "verify_scenario",
]
