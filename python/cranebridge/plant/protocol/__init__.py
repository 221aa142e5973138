"""What parent and child process say to each other, and the inputs that both know."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plant.protocol import wire
    from cranebridge.plant.protocol.controller_module import ControllerModule
    from cranebridge.plant.protocol.controls import ControlFunction, Controls, Drives
    from cranebridge.plant.protocol.point_requests import LinearizationRequest, PointsRequest
    from cranebridge.plant.protocol.request import (
        Instantiation,
        PlantRequest,
        VariableReference,
        VariableValues,
    )
    from cranebridge.plant.protocol.sampled_law import LawFunction, SampledLaw
    from cranebridge.plant.protocol.signal_program import (
        CODES,
        COLUMNS,
        CONSTANT,
        READ,
        WRITE,
        size_of,
    )
    from cranebridge.plant.protocol.simulation_request import Saved, SimulationRequest
else:
    __getattr__, __dir__ = front(__name__)
