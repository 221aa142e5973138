"""What a crane is: its mechanics in redundant coordinates, as CasADi expressions."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.twin.catalogue import (
        CRANES,
        IN_MEMORY,
        checked_files,
        crane_classes,
        file_contents,
        find_crane,
        is_modelica,
        known_cranes,
        model_name,
    )
    from cranebridge.twin.in_memory import crane_in_memory
    from cranebridge.twin.language import (
        Box,
        Components,
        Crane,
        Cylinder,
        Equations,
        HoistRope,
        Line,
        Mast,
        NamedNumbers,
        Parameter,
        Plate,
        Pulley,
        Quantity,
        Shape,
        Sphere,
        Trolley,
        equations_of_motion,
    )
    from cranebridge.twin.minimal import MINIMAL, ReducedCrane
    from cranebridge.twin.modelica import (
        ChosenModel,
        ModelicaCrane,
        ServoChoice,
        crane_from_modelica,
        output_candidates,
        read_model,
    )
else:
    __getattr__, __dir__ = front(__name__)
