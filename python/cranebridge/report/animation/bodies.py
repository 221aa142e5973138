"""The parts of a scene: points that move, and the bodies at them.

A scene is a description, not a drawing. The page's JavaScript knows beams, pillars, ropes, boxes,
spheres, wheels and plates, and no crane; what a crane looks like is said by its ``scene(q, p)``,
in the words of :mod:`cranebridge.twin.language.shapes`, and made of these parts in
:mod:`cranebridge.report.animation.drawing`; obstacles in
:mod:`cranebridge.report.animation.obstacle_bodies`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cranebridge.twin.language import shapes

Array = NDArray[np.float64]
Role = shapes.Role | Literal["obstacle"]
"""What a body is; it decides its colour."""


@dataclass(frozen=True)
class Beam:
    """A round bar between two points."""

    begin: str
    end: str
    radius: float
    role: Role = "structure"


@dataclass(frozen=True)
class Pillar:
    """A closed cylinder between two points."""

    begin: str
    end: str
    radius: float
    role: Role = "structure"


@dataclass(frozen=True)
class RopeBody:
    """A rope between two points; `force` names the rope force that colours it."""

    begin: str
    end: str
    force: str | None = None


@dataclass(frozen=True)
class BoxBody:
    """An upright box at a point, turned towards another; size along, across and up."""

    at: str
    toward: str
    size: tuple[float, float, float]
    role: Role = "drive"


@dataclass(frozen=True)
class SphereBody:
    """A ball at a point."""

    at: str
    radius: float
    role: Role = "load"


@dataclass(frozen=True)
class Wheel:
    """A pulley at a point, in the upright plane through another point."""

    at: str
    toward: str
    radius: float
    role: Role = "drive"


@dataclass(frozen=True)
class PlateBody:
    """A flat polygon between points."""

    corners: tuple[str, ...]
    role: Role = "load"


Body = Beam | Pillar | RopeBody | BoxBody | SphereBody | Wheel | PlateBody


@dataclass(frozen=True, eq=False)
class Scene:
    """Points over time and the bodies at them; z points up.

    Attributes
    ----------
    points : dict of str to numpy.ndarray
        Each of shape (times, 3), in m.
    bodies : tuple
        What is drawn; bodies name the points that they are at.
    ground : float
        Height of the ground in m.
    note : str
        What a reader must know to understand the picture.
    load_map : callable or None
        Gives the positions of the point ``load`` for outputs, where these tell them.
    """

    points: dict[str, Array]
    bodies: tuple[Body, ...]
    ground: float
    note: str = ""
    load_map: Callable[[Array], Array] | None = None
    size: float = field(init=False)
    centre: tuple[float, float, float] = field(init=False)

    def __post_init__(self) -> None:
        low, high = bounds(self.points.values())
        middle = (low + high) / 2
        object.__setattr__(self, "centre", tuple(float(value) for value in middle))
        object.__setattr__(self, "size", float(np.linalg.norm(high - low)))
        for body in self.bodies:
            missing = [name for name in _places(body) if name not in self.points]
            if missing:
                raise ValueError(f"a {_kind(body)} names unknown points {missing}")

    @property
    def planar(self) -> bool:
        """Whether all points are in the plane of x and z."""
        low, high = bounds(self.points.values())
        return bool(high[1] - low[1] < 1e-9 * self.size)

    def body_dicts(self) -> list[dict[str, Any]]:
        """Return the bodies as objects for JSON."""
        return [{"kind": _kind(body), **asdict(body)} for body in self.bodies]


def _kind(body: Body) -> str:
    """Return the word that the page knows a body by."""
    return type(body).__name__.removesuffix("Body").lower()


def bounds(points: Any) -> tuple[Array, Array]:
    """Return the lowest and highest corner of the box that holds all points at all times."""
    everything = np.concatenate([np.atleast_2d(part) for part in points])
    return everything.min(axis=0), everything.max(axis=0)


def _places(body: Body) -> list[str]:
    """Return the names of the points that a body is at."""
    if isinstance(body, PlateBody):
        return list(body.corners)
    if isinstance(body, Beam | Pillar | RopeBody):
        return [body.begin, body.end]
    if isinstance(body, SphereBody):
        return [body.at]
    return [body.at, body.toward]
