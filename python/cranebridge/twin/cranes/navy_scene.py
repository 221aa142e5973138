"""The picture of the Navy cranes: a pole with winches, ropes, a pulley and the load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cranebridge.twin.language import (
    Cylinder,
    Line,
    Mast,
    Pulley,
    Shape,
    Sphere,
)


def pole_scene(
    foot: Any,
    top: Any,
    winches: Sequence[Any],
    pulley: Any,
    load: Any,
    *,
    ropes: Mapping[str, Any],
    load_rope: str,
    over: Any,
) -> Sequence[Shape]:
    """Pole with its winches, ropes from there to the pulley, and the rope over it to the load.

    Parameters
    ----------
    foot, top : point
        Of the pole.
    winches : sequence of points
        Where they sit on it.
    pulley, load : point
        The two.
    ropes : mapping of str to point
        By the name of its force, where each rope to the pulley begins.
    load_rope : str
        Name of the force of the rope at the load.
    over : point
        The winch whose rope runs over the pulley.
    """
    return (
        Mast(foot),
        Cylinder(foot, top),
        *(Pulley(winch, pulley) for winch in winches),
        *(Line(winch, pulley, force) for force, winch in ropes.items()),
        Line(pulley, load, load_rope),
        Pulley(pulley, over),
        Sphere(load),
    )
