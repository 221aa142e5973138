"""An instance is brought to the start of a simulation, in the child process."""

from __future__ import annotations

import math

from cranebridge.plant.child.fmi import FmuError, Instance, VariableBlock
from cranebridge.plant.protocol import SimulationRequest


def initialize(instance: Instance, request: SimulationRequest) -> None:
    """Set parameters, start values and first inputs; leave the initialization mode."""
    instance.set_values(request.values)
    # runs from a saved state go on, nobody knows how far
    stop = None if request.saved else request.end
    instance.enter_initialization(request.start, stop, request.tolerance)
    _set_first_inputs(instance, request)
    require_expected(instance, request)
    instance.exit_initialization()


def require_expected(instance: Instance, request: SimulationRequest) -> None:
    """Raise an error where a start value has not become what it was to be."""
    for reference, wanted, name in request.expected:
        block = VariableBlock([reference])
        instance.get_real(block, block.address)
        if not math.isclose(block.values[0], wanted, rel_tol=1e-12, abs_tol=1e-15):
            raise FmuError(
                f"{name} starts at {block.values[0]} and not at {wanted}: it depends on "
                "parameters in a way that is not known here, set these instead"
            )


def _set_first_inputs(instance: Instance, request: SimulationRequest) -> None:
    """Set the inputs of the start time; no drive controllers yet, whose outputs are not known."""
    controls = request.controls
    if controls is not None and controls.names:
        block = VariableBlock([request.references[name] for name in controls.names])
        block.values[:] = controls(request.start)[0].tolist()
        instance.set_real(block, block.address)
