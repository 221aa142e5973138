"""A crane read from Modelica: its explicit model becomes equations of motion."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.twin.modelica.modelica_crane import (
        ChosenModel,
        ModelicaCrane,
        crane_from_modelica,
        read_model,
    )
    from cranebridge.twin.modelica.position_outputs import drive_inputs, output_candidates
    from cranebridge.twin.modelica.servo_choice import ServoChoice
else:
    __getattr__, __dir__ = front(__name__)
