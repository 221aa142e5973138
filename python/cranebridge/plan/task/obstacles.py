"""What the load, and where asked the rope, must not touch.

An obstacle says how far a point is from it by one or several smooth functions of which each must
not be negative (cylinder), or the largest must not be (box, stack). Coordinates are those of the
outputs: x, y, z, or x and z of a planar crane, z up.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Self, cast

import casadi as ca

from cranebridge.errors import InputError
from cranebridge.path.reading import EntryTable, is_list, read_number, shown

Corner = tuple[float, float, float]


class Obstacle(ABC):
    """A kind of obstacle: its keys in a scenario, how far points are from it, where it is.

    Attributes
    ----------
    meaning : str
        What must be given, in a few words.
    keys : mapping of str to str
        Its keys besides clearance and rope, and what they mean.
    clearance : float
        Least distance that is kept [m].
    rope : bool
        Whether the ropes must not touch it either.
    """

    meaning: ClassVar[str]
    keys: ClassVar[Mapping[str, str]]
    clearance: float
    rope: bool

    @property
    def word(self) -> str:
        """What a scenario calls its kind."""
        return next(name for name, kind in OBSTACLES.items() if isinstance(self, kind))

    @classmethod
    @abstractmethod
    def read(cls, table: EntryTable, planar: bool, clearance: float, rope: bool) -> Self:
        """Read it from a table of a scenario, every value checked."""

    @abstractmethod
    def sides(self, point: ca.SX) -> list[list[ca.SX]]:
        """Return lists of functions of x, y, z [m], of which in each the largest is a distance."""

    @property
    @abstractmethod
    def bounds(self) -> tuple[Corner, Corner]:
        """Its least and its largest x, y, z [m]; infinite where it is endless."""

    def of_load(self) -> Self:
        """Return the same obstacle for the load alone."""
        dataclass_of_it: Any = self
        return cast("Self", replace(dataclass_of_it, rope=False))

    @property
    def parts(self) -> Mapping[str, Obstacle]:
        """What it is drawn as, by what stands behind its name.

        Cylinders and boxes are drawn as they are, of others the box that bounds them.
        """
        return {"": self}


@dataclass(frozen=True)
class ObstacleCylinder(Obstacle):
    """A vertical cylinder; without bottom and top it is endless [m]."""

    meaning = "vertical, center and radius, optional bottom and top"
    keys: ClassVar = {
        "center": "m, x and y of a cylinder's axis",
        "radius": "m, of a cylinder",
        "bottom": "m, where a cylinder begins; endless if not given",
        "top": "m, where a cylinder ends; endless if not given",
    }

    center: tuple[float, float]
    radius: float
    bottom: float | None = None
    top: float | None = None
    clearance: float = 0.0
    rope: bool = False

    @classmethod
    def read(cls, table: EntryTable, planar: bool, clearance: float, rope: bool) -> Self:
        """Read it; a planar crane has none."""
        if planar:
            raise InputError(f"{table.name}: a planar crane has boxes and stacks, no cylinders.")
        bottom, top = (table.number(k) if k in table else None for k in ("bottom", "top"))
        x, y = table.numbers("center", ("x", "y"))
        radius = table.positive("radius")
        if bottom is not None and top is not None and bottom >= top:
            raise InputError(f"{table.name}.bottom must be below its top.")
        return cls((x, y), radius, bottom, top, clearance, rope)

    def sides(self, point: ca.SX) -> list[list[ca.SX]]:
        """Return the distances from its mantle, its top and its bottom."""
        x, y, z = point[0], point[1], point[2]
        away = ca.sqrt((x - self.center[0]) ** 2 + (y - self.center[1]) ** 2 + 1e-12)
        sides = [away - self.radius]
        if self.top is not None:
            sides.append(z - self.top)
        if self.bottom is not None:
            sides.append(self.bottom - z)
        return [sides]

    @property
    def bounds(self) -> tuple[Corner, Corner]:
        """Its least and its largest x, y, z."""
        (x, y), radius = self.center, self.radius
        bottom = -math.inf if self.bottom is None else self.bottom
        top = math.inf if self.top is None else self.top
        return (x - radius, y - radius, bottom), (x + radius, y + radius, top)


@dataclass(frozen=True)
class ObstacleBox(Obstacle):
    """A box between two corners [m]."""

    meaning = "low and high corner"
    keys: ClassVar = {
        "low": "m, least x, y, z of a box; x, z for a planar crane",
        "high": "m, largest x, y, z of a box",
    }

    low: tuple[float, ...]
    high: tuple[float, ...]
    clearance: float = 0.0
    rope: bool = False

    @classmethod
    def read(cls, table: EntryTable, planar: bool, clearance: float, rope: bool) -> Self:
        """Read it; the corners of a planar crane have no y."""
        axes = ("x", "z") if planar else ("x", "y", "z")
        low, high = table.numbers("low", axes), table.numbers("high", axes)
        if any(a >= b for a, b in zip(low, high, strict=True)):
            raise InputError(f"{table.name}.low must be below {table.name}.high in each direction.")
        return cls(low, high, clearance, rope)

    def sides(self, point: ca.SX) -> list[list[ca.SX]]:
        """Return the distances below the low corner and above the high one."""
        x, y, z = point[0], point[1], point[2]
        axes = (x, z) if len(self.low) == 2 else (x, y, z)
        below = [bound - value for bound, value in zip(self.low, axes, strict=True)]
        above = [value - bound for bound, value in zip(self.high, axes, strict=True)]
        return [below + above]

    @property
    def bounds(self) -> tuple[Corner, Corner]:
        """Its corners; endless in y for a planar crane."""
        near = self.low[1] if len(self.low) == 3 else -math.inf
        far = self.high[1] if len(self.high) == 3 else math.inf
        return (self.low[0], near, self.low[-1]), (self.high[0], far, self.high[-1])


@dataclass(frozen=True)
class Stack(Obstacle):
    """Heights over x: containers that the load stays above [m]."""

    meaning = "x and height: the load stays above height[i] for x[i] <= x <= x[i + 1]"
    keys: ClassVar = {
        "x": "m, edges of a stack, one more than heights",
        "height": "m, how high a stack is between its edges",
    }

    x: tuple[float, ...]
    height: tuple[float, ...]
    clearance: float = 0.0
    rope: bool = False

    @classmethod
    def read(cls, table: EntryTable, planar: bool, clearance: float, rope: bool) -> Self:
        """Read it."""
        edges, heights = (_list(table, key) for key in ("x", "height"))
        if len(edges) != len(heights) + 1:
            raise InputError(
                f"{table.name}.x must have one edge more than heights, got {len(edges)} edges and "
                f"{len(heights)} heights."
            )
        if any(b <= a for a, b in pairwise(edges)):
            raise InputError(f"{table.name}.x must increase, got {list(edges)}.")
        return cls(edges, heights, clearance, rope)

    def sides(self, point: ca.SX) -> list[list[ca.SX]]:
        """Return the distances from each row: its ends and its top."""
        x, z = point[0], point[2]
        return [
            [self.x[i] - x, x - self.x[i + 1], z - height] for i, height in enumerate(self.height)
        ]

    @property
    def bounds(self) -> tuple[Corner, Corner]:
        """Its ends and its top; endless in y and downwards."""
        low = (self.x[0], -math.inf, -math.inf)
        return low, (self.x[-1], math.inf, max(self.height))

    @property
    def parts(self) -> Mapping[str, Obstacle]:
        """Its rows, as boxes."""
        rows = enumerate(zip(pairwise(self.x), self.height, strict=True))
        return {
            f" row {i + 1}": ObstacleBox((left, -math.inf), (right, height))
            for i, ((left, right), height) in rows
        }


def _list(table: EntryTable, key: str) -> tuple[float, ...]:
    name, value = table.find(key)
    if not is_list(value) or not value:
        raise InputError(f"{name} must be a list of numbers, got {shown(value)}.")
    return tuple(read_number(f"{name}[{i}]", v) for i, v in enumerate(value))


OBSTACLES: Mapping[str, type[Obstacle]] = {
    "cylinder": ObstacleCylinder,
    "box": ObstacleBox,
    "stack": Stack,
}
"""All kinds of obstacles."""

KINDS: Mapping[str, str] = {name: kind.meaning for name, kind in OBSTACLES.items()}
KEYS: Mapping[str, tuple[str, ...]] = {name: tuple(one.keys) for name, one in OBSTACLES.items()}
"""The keys of each kind, besides clearance [m] and rope."""


def _meanings() -> dict[str, str]:
    """Return the meanings of keys; those of a key that several kinds have one after the other."""
    found: dict[str, str] = {}
    for kind in OBSTACLES.values():
        for key, meaning in kind.keys.items():
            found[key] = f"{found[key]}; {meaning}" if key in found else meaning
    return found


MEANINGS: Mapping[str, str] = {
    "kind": "what it is",
    **_meanings(),
    "clearance": "m, least distance that is kept; 0 if not given",
    "rope": "whether the ropes must not touch it either; false if not given",
}
"""All keys of an obstacle, and what they mean."""
