"""What a crane's author writes in: quantities, energies, shapes, motion of points."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.twin.language import crane_units, shapes
    from cranebridge.twin.language.crane import (
        Components,
        Crane,
        Expressions,
        NamedNumbers,
        Parameter,
        PartError,
        Quantity,
        names,
    )
    from cranebridge.twin.language.crane_units import scaled_parts
    from cranebridge.twin.language.hoist_rope import HoistRope
    from cranebridge.twin.language.kinematics import (
        acceleration,
        drag,
        friction,
        generalised,
        velocity,
    )
    from cranebridge.twin.language.lagrange import Equations, equations_of_motion
    from cranebridge.twin.language.moving_base import (
        acceleration_of,
        followed,
        require_no_motions,
        steered,
        with_motions,
    )
    from cranebridge.twin.language.shapes import (
        WORDS,
        Box,
        Cylinder,
        Line,
        Mast,
        Plate,
        Pulley,
        Role,
        Shape,
        Sphere,
        Trolley,
        points_of,
        sizes_of,
        vector,
    )
else:
    __getattr__, __dir__ = front(__name__)
