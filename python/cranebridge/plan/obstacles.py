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
