"""A scenario carried out: steps, results on disk, resuming; what knows all packages."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.job.checks import (
        CheckedCrane,
        CheckedModel,
        ScenarioCheck,
        check_crane,
        check_model,
        check_scenario,
    )
    from cranebridge.job.comparison import ModelComparison, compare_models
    from cranebridge.job.cross_checking import (
        CrossCheckResult,
        cross_check_into,
        refuse_with_running,
    )
    from cranebridge.job.delivering import hand_over, left_out
    from cranebridge.job.exporting import export_all, export_plant
    from cranebridge.job.ordering import Wishes
    from cranebridge.job.planning import plan_into, replan, running_task
    from cranebridge.job.running import run_scenario, solution_columns, solve_into, verify_into
    from cranebridge.job.solving import find_shortest, solve_scenario
    from cranebridge.job.studying import KINDS, study_into
    from cranebridge.job.summaries import summary
    from cranebridge.job.sweeping import Sweep, sweep_into
    from cranebridge.job.verifying import (
        certify_scenario,
        open_plant,
        plant_file,
        plant_settings,
        verify_on_twin,
        verify_scenario,
    )
    from cranebridge.twin import known_cranes
else:
    __getattr__, __dir__ = front(__name__)
