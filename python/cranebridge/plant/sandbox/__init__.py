"""The parent's side of the child process: started, asked, watched, checked."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plant.sandbox import answers, fmpy_methods, pyfmi_methods
    from cranebridge.plant.sandbox.child_process import PlantError, Sandbox
    from cranebridge.plant.sandbox.controller_library import STEM, compiled_controller
    from cranebridge.plant.sandbox.host import Host
    from cranebridge.plant.sandbox.plant_results import (
        Dense,
        Halving,
        Linearization,
        Rates,
        Simulation,
    )
    from cranebridge.plant.sandbox.point_requests import (
        differentiable,
        linearization_request,
        points_request,
    )
    from cranebridge.plant.sandbox.simulation_requests import simulation_request
    from cranebridge.plant.sandbox.spare import MEMORY, prepare
    from cranebridge.plant.sandbox.variable_references import structure_values
else:
    __getattr__, __dir__ = front(__name__)
