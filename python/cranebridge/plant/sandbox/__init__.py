"""The parent's side of the child process: started, asked, watched, checked."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plant.sandbox import answers, loop_library, pyfmi_methods, requests
    from cranebridge.plant.sandbox.child_process import PlantError, Sandbox
    from cranebridge.plant.sandbox.controller_library import STEM, compiled_controller
    from cranebridge.plant.sandbox.host import Host
    from cranebridge.plant.sandbox.requests import differentiable
    from cranebridge.plant.sandbox.results import Dense, Halving, Linearization, Rates, Simulation
    from cranebridge.plant.sandbox.spare import MEMORY, prepare
else:
    __getattr__, __dir__ = front(__name__)
