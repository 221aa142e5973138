"""What a crane is: its mechanics in redundant coordinates, as CasADi expressions."""

from cranebridge.twin.catalogue import CRANES, cranes, find_crane
from cranebridge.twin.crane import Components, Crane, Parameter, Quantity
from cranebridge.twin.lagrange import Equations, equations_of_motion

__all__ = [
    "CRANES",
    "Components",
    "Crane",
    "Equations",
    "Parameter",
    "Quantity",
    "cranes",
    "equations_of_motion",
    "find_crane",
]
