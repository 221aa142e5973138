"""Cranes of bodies and joints; rigid bodies without rotation parameters."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.twin.bodies.body_crane import BodyCrane
    from cranebridge.twin.bodies.joints import (
        GROUND,
        BodyJoint,
        Cylindrical,
        Fixed,
        Free,
        Planar,
        Prismatic,
        Revolute,
        Screw,
        Spherical,
        Universal,
    )
    from cranebridge.twin.bodies.machine_parts import (
        Body,
        Damper,
        Drive,
        Force,
        Gear,
        HydraulicCylinder,
        Part,
        PointMass,
        Rope,
        Spring,
        Winch,
    )
    from cranebridge.twin.bodies.rotationless import (
        DirectorBody,
        LowerPair,
        PlanarBody,
        Vector,
        angular_momentum,
        body_quantities,
        internal_constraints,
        joint_angle,
        kinetic_energy,
    )
    from cranebridge.twin.bodies.solids import box, cylinder, rod, sphere
else:
    __getattr__, __dir__ = front(__name__)
