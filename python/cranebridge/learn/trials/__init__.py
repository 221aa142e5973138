"""Trials: controls fed into a plant, and what it gave."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.learn.trials.black_box_trials import (
        BlackBoxTask,
        BlackBoxTrials,
        design_black_box_law,
    )
    from cranebridge.learn.trials.fmu_model import fmu_transfer, model_of_fmu
    from cranebridge.learn.trials.plant_trials import PlantTrial, PlantTrials
    from cranebridge.learn.trials.recorded_controls import on_record, with_inputs
    from cranebridge.learn.trials.references import (
        moved_references,
        position_loops,
        reference_columns,
    )
else:
    __getattr__, __dir__ = front(__name__)
