"""Inputs of an instance over time: set in every call, within a step, or held over an interval."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plant.child.inputs.held_inputs import interval_means, interval_values
    from cranebridge.plant.child.inputs.input_setter import JUMP, InputSetter
    from cranebridge.plant.child.inputs.intermediate_update import IntermediateUpdate
else:
    __getattr__, __dir__ = front(__name__)
