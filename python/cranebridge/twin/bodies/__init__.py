"""Rigid bodies to make a crane of."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.twin.bodies.rotationless import (
        Body,
        Joint,
        PlanarBody,
        Vector,
        angular_momentum,
        body_quantities,
        internal_constraints,
        joint_angle,
        kinetic_energy,
    )
else:
    __getattr__, __dir__ = front(__name__)
