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
        EndedError,
        FmuError,
        NotFiniteError,
        check,
    )
    from cranebridge.plant.child.fmi.fmi_offer import Offer
    from cranebridge.plant.child.fmi.fmi_steps import StepEnd, Steps
    from cranebridge.plant.child.fmi.variable_block import FMI2_CALLS, Block, is_whole
else:
    __getattr__, __dir__ = front(__name__)
