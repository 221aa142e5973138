"""What the plant did with the feedforward, compared with what was asked."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.verify.tracking.figures import Figures, Tracking, figures_of, tracking_columns
    from cranebridge.verify.tracking.on_plant import (
        JudgedRun,
        MotionOnGrid,
        drive_plant,
        judge_plant,
        meant_to_be_the_twin,
        track_plant,
        tracking_of,
    )
    from cranebridge.verify.tracking.on_twin import track_twin
    from cranebridge.verify.tracking.plant_run import PlantRun, compared_times
    from cranebridge.verify.tracking.plant_signals import applied_inputs, plant_motion
else:
    __getattr__, __dir__ = front(__name__)
