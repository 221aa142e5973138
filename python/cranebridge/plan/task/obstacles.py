"""What the load, and where asked the rope, must not touch.

An obstacle says how far a point is from it by one or several smooth functions of which each must
not be negative (cylinder), or the largest must not be (box, stack). Coordinates are those of the
outputs: x, y, z, or x and z of a planar crane, z up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

KINDS: Mapping[str, str] = {
    "cylinder": "vertical, center and radius, optional bottom and top",
    "box": "low and high corner",
    "stack": "x and height: the load stays above height[i] for x[i] <= x <= x[i + 1]",
}

MEANINGS: Mapping[str, str] = {
    "kind": "what it is",
    "center": "m, x and y of a cylinder's axis",
    "radius": "m, of a cylinder",
    "bottom": "m, where a cylinder begins; endless if not given",
    "top": "m, where a cylinder ends; endless if not given",
    "low": "m, least x, y, z of a box; x, z for a planar crane",
    "high": "m, largest x, y, z of a box",
    "x": "m, edges of a stack, one more than heights",
    "height": "m, how high a stack is between its edges",
    "clearance": "m, least distance that is kept; 0 if not given",
    "rope": "whether the ropes must not touch it either; false if not given",
}
"""All keys of an obstacle, and what they mean."""
KEYS: Mapping[str, tuple[str, ...]] = {
    "cylinder": ("center", "radius", "bottom", "top"),
    "box": ("low", "high"),
    "stack": ("x", "height"),
}
"""The keys of each kind, besides clearance [m] and rope."""


@dataclass(frozen=True)
class Cylinder:
    """A vertical cylinder; without bottom and top it is endless [m]."""

    center: tuple[float, float]
    radius: float
    bottom: float | None = None
    top: float | None = None
    clearance: float = 0.0
    rope: bool = False


@dataclass(frozen=True)
class Box:
    """A box between two corners [m]."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    clearance: float = 0.0
    rope: bool = False


@dataclass(frozen=True)
class Stack:
    """Heights over x: containers that the load stays above [m]."""

    x: tuple[float, ...]
    height: tuple[float, ...]
    clearance: float = 0.0
    rope: bool = False


Obstacle = Cylinder | Box | Stack
