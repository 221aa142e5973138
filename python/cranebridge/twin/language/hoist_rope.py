"""What a crane says of the rope that its load hangs on, so that the rope can be made elastic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class HoistRope:
    """The one rope between a point that the drives move and a load that is a point mass.

    The outputs of the crane are the position of the load: x and z, or x, y and z.

    Attributes
    ----------
    top : sequence of three expressions
        Where the rope begins, x, y and z: on the trolley, at the tip of a jib. It depends on the
        coordinates of drives and on parameters only; y is zero in a planar crane.
    length : str
        The coordinate that is the rope's length and that the winch pays out.
    force : str
        The name of the rope's force.
    mass : str
        The parameter that is the mass of the load.
    multiplier : str, optional
        The constraint of the rope's length; None in minimal coordinates.
    drag : str, optional
        The parameter that is the factor of the air's drag on the load, as `drag` takes it.
    wind : tuple of str
        The parameters that are the horizontal wind, in the order of the outputs.
    gravity : str
        The parameter that is the gravity.
    """

    top: Any
    length: str = "l"
    force: str = "T_cable"
    mass: str = "m"
    multiplier: str | None = None
    drag: str | None = None
    wind: tuple[str, ...] = ()
    gravity: str = "g"
