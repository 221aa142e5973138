"""Bodies of a simple shape and even density: mass, centre and inertia from their sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from cranebridge.twin.bodies.part_values import UNIT, Value, Vector

Form = Literal["rod", "box", "cylinder", "sphere"]
Axis = Literal["x", "y", "z"]


@dataclass(frozen=True)
class Solid:
    """A shape with a mass or a density.

    Attributes
    ----------
    form : {"rod", "box", "cylinder", "sphere"}
        A rod begins at the body's origin; the others have their centre there.
    size : tuple
        Lengths in m: of a rod its length; of a box along x, y, z; of a cylinder length and radius;
        of a sphere its radius.
    mass, density : float, str or Parameter
        One of them; the density of a rod is its mass per length.
    along : {"x", "y", "z"}
        Axis of a rod or cylinder.
    """

    form: Form
    size: tuple[Value, ...] = field(metadata={UNIT: "m"})
    mass: Value | None = field(default=None, metadata={UNIT: "kg"})
    density: Value | None = None
    along: Axis = "x"

    @property
    def density_unit(self) -> str:
        """Unit of the density."""
        return "kg/m" if self.form == "rod" else "kg/m^3"

    def centre(self, number: Callable[[Value], Any]) -> tuple[Any, Any, Any]:
        """Return the mass centre in the body's frame."""
        half = number(self.size[0]) / 2 if self.form == "rod" else 0.0
        x, y, z = (half if axis == self.along else 0.0 for axis in "xyz")
        return x, y, z

    def weight(self, number: Callable[[Value], Any]) -> Any:
        """Return the mass."""
        if self.mass is not None:
            return number(self.mass)
        assert self.density is not None  # looked at when the parts were put together
        return number(self.density) * self._volume([number(one) for one in self.size])

    def inertia(self, number: Callable[[Value], Any]) -> tuple[Any, Any, Any]:
        """Return the moments of inertia about the centre, along x, y, z."""
        m, size = self.weight(number), [number(one) for one in self.size]
        match self.form:
            case "rod":
                own, across = 0.0, m * size[0] ** 2 / 12
            case "cylinder":
                own, across = m * size[1] ** 2 / 2, m * (3 * size[1] ** 2 + size[0] ** 2) / 12
            case "sphere":
                own = across = 0.4 * m * size[0] ** 2
            case "box":
                a, b, c = (one**2 for one in size)
                return m * (b + c) / 12, m * (a + c) / 12, m * (a + b) / 12
        x, y, z = (own if axis == self.along else across for axis in "xyz")
        return x, y, z

    def _volume(self, size: list[Any]) -> Any:
        match self.form:
            case "rod":
                return size[0]
            case "cylinder":
                return math.pi * size[1] ** 2 * size[0]
            case "sphere":
                return 4 / 3 * math.pi * size[0] ** 3
            case "box":
                return size[0] * size[1] * size[2]


def rod(
    length: Value, mass: Value | None = None, density: Value | None = None, along: Axis = "x"
) -> Solid:
    """Return a slender rod from the body's origin along an axis; density in kg/m."""
    return Solid("rod", (length,), mass, density, along)


def box(size: Vector, mass: Value | None = None, density: Value | None = None) -> Solid:
    """Return a box with its sizes along x, y, z and its centre at the body's origin."""
    return Solid("box", size, mass, density)


def cylinder(
    length: Value,
    radius: Value,
    mass: Value | None = None,
    density: Value | None = None,
    along: Axis = "x",
) -> Solid:
    """Return a full cylinder with its centre at the body's origin."""
    return Solid("cylinder", (length, radius), mass, density, along)


def sphere(radius: Value, mass: Value | None = None, density: Value | None = None) -> Solid:
    """Return a full sphere with its centre at the body's origin."""
    return Solid("sphere", (radius,), mass, density)
