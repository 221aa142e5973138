"""A crane read from Modelica: its explicit model becomes equations of motion."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.twin.modelica.chosen_model import ChosenModel, crane_from_modelica
    from cranebridge.twin.modelica.model_reading import read_model
    from cranebridge.twin.modelica.modelica_crane import ModelicaCrane
    from cranebridge.twin.modelica.position_outputs import drive_inputs, output_candidates
    from cranebridge.twin.modelica.servo_choice import ServoChoice
else:
    __getattr__, __dir__ = front(__name__)
