"""The controller of a verification, beside the plant."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.verify.feedback.compiled_law import PlantLaw, PlantSide, plant_law, plant_side
    from cranebridge.verify.feedback.controllers import (
        design_asked,
        design_controller,
        finished_law,
        position_of,
        sensing_of,
        velocity_of,
    )
    from cranebridge.verify.feedback.default_loops import BANDWIDTH, inertia_loops
else:
    __getattr__, __dir__ = front(__name__)
