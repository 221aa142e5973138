"""Calls of one FMU instance, for FMI 2.0 and 3.0 alike."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plant.child.fmi import fmi_errors
    from cranebridge.plant.child.fmi.fmi_calls import Instance
    from cranebridge.plant.child.fmi.fmi_errors import (
        DISCARD,
        DISCARDED,
        ENDED,
        DiscardedError,
        FmuError,
        NotFiniteError,
        SimulationEndedError,
        check,
    )
    from cranebridge.plant.child.fmi.fmi_offer import Offer
    from cranebridge.plant.child.fmi.fmi_steps import CommunicationSteps, StepEnd
    from cranebridge.plant.child.fmi.variable_block import FMI2_CALLS, VariableBlock, is_whole
else:
    __getattr__, __dir__ = front(__name__)
