"""What a crane is: its mechanics in redundant coordinates, as CasADi expressions."""

from cranebridge.twin.catalogue import CRANES, cranes, find_crane
from cranebridge.twin.crane import Components, Crane, Parameter, Quantity
from cranebridge.twin.in_memory import crane_in_memory
from cranebridge.twin.lagrange import Equations, equations_of_motion
from cranebridge.twin.shapes import Box, Cylinder, Line, Mast, Plate, Pulley, Shape, Sphere, Trolley

__all__ = [
    "CRANES",
    "Box",
    "Components",
    "Crane",
    "Cylinder",
    "Equations",
    "Line",
    "Mast",
    "Parameter",
    "Plate",
    "Pulley",
    "Quantity",
    "Shape",
    "Sphere",
    "Trolley",
    "crane_in_memory",
    "cranes",
    "equations_of_motion",
    "find_crane",
]
