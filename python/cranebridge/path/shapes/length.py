"""How long the way of a path is, where the load is as fast along it as its progress grows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cranebridge.path.base import Path
from cranebridge.path.shapes.curved import Cylindrical
from cranebridge.path.shapes.rotation import Rotation
from cranebridge.path.shapes.straight import Line


def way_length(path: Path) -> float | None:
    """Return the length of a way [m], or the angle of a rotation [rad].

    None where speed and progress are not in proportion: on a spiral, a spline, or several legs.
    """
    if isinstance(path, Line):
        return math.dist(path.start, path.goal)
    if isinstance(path, Cylindrical):
        return cylindrical_length(path.start, path.goal)
    if isinstance(path, Rotation):
        return abs(path.angle)
    return None


def cylindrical_length(start: Sequence[float], goal: Sequence[float]) -> float | None:
    """Return the length of a line in radius, angle and height; None for a spiral."""
    outwards, turn, upwards = (b - a for a, b in zip(start, goal, strict=True))
    return None if outwards and turn else math.hypot(outwards, start[0] * turn, upwards)
