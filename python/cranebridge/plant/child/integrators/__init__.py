"""Integrators for Model Exchange."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plant.child.integrators.dense import DenseNodes
    from cranebridge.plant.child.integrators.integrator import (
        Integrator,
        StepControl,
        StepTooSmallError,
    )
    from cranebridge.plant.child.integrators.integrators import METHODS, make_integrator
    from cranebridge.plant.child.integrators.state_jacobian import StateJacobian
else:
    __getattr__, __dir__ = front(__name__)
