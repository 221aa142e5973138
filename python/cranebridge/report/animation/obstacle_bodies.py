"""Obstacles as bodies of a scene: fixed, of their own colour, standing on its ground."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from cranebridge.report.animation import bodies
from cranebridge.report.animation.bodies import Array, Body, Scene, bounds

if TYPE_CHECKING:
    from cranebridge.plan import Obstacle, ObstacleCylinder

Corner = tuple[float, float, float]

_DEPTH = 0.07
"""Half the depth that a planar obstacle is drawn with, as a part of the scene's size."""
_PAST = 0.04
"""How far endless obstacles reach past the load's way, as a part of the scene's size."""
_MARK = 0.012
"""Radius of the mark where the load is closest, as a part of the scene's size."""


def lowest_top(obstacles: Sequence[Obstacle]) -> float | None:
    """Return the least height of what has a top: the ground is below it; None without one."""
    tops = [part.bounds[1][2] for one in obstacles for part in one.parts.values()]
    return min((top for top in tops if math.isfinite(top)), default=None)


def with_obstacles(picture: Scene, obstacles: Sequence[Obstacle]) -> Scene:
    """Return a scene with obstacles; those that go below its ground are drawn from there."""
    from cranebridge.plan.task import ObstacleCylinder

    added = _ObstacleScene(picture)
    for i, one in enumerate(obstacles):
        for word, part in one.parts.items():
            if isinstance(part, ObstacleCylinder):
                added.pillar(f"obstacle {i + 1}{word}", part)
            else:
                added.box(f"obstacle {i + 1}{word}", *added.corners(part))
    return replace(
        picture, points=picture.points | added.points, bodies=(*picture.bodies, *added.bodies)
    )


def with_closest(picture: Scene, places: Sequence[Array]) -> Scene:
    """Return a scene with marks where the load is when it is closest to each obstacle."""
    count = len(next(iter(picture.points.values())))
    marks = {
        f"closest to obstacle {i + 1}": np.tile(place, (count, 1)) for i, place in enumerate(places)
    }
    radius = _MARK * picture.size
    balls = [bodies.SphereBody(name, radius, "obstacle") for name in marks]
    return replace(picture, points=picture.points | marks, bodies=(*picture.bodies, *balls))


def outlines(picture: Scene) -> list[list[Array]]:
    """Return closed lines around each obstacle, each of shape (points, 3).

    The first is the upright one in the plane of x and z, all that a view from the side needs.
    """
    found = []
    for body in picture.bodies:
        if isinstance(body, bodies.Pillar) and body.role == "obstacle":
            foot, top = (picture.points[name][0] for name in (body.begin, body.end))
            turn = np.linspace(0.0, 2.0 * np.pi, 49)
            ring = body.radius * np.column_stack([np.cos(turn), np.sin(turn), 0.0 * turn])
            wide = np.array([body.radius, 0.0, 0.0])
            face = np.array([foot - wide, foot + wide, top + wide, top - wide, foot - wide])
            upright = [np.array([foot + ring[k], top + ring[k]]) for k in range(0, 48, 12)]
            found.append([face, foot + ring, top + ring, *upright])
        elif isinstance(body, bodies.BoxBody) and body.role == "obstacle":
            found.append(_faces(picture.points[body.at][0], 0.5 * np.array(body.size)))
    return found


def _faces(middle: Array, half: Array) -> list[Array]:
    """Return the outline of a box as seen from the side, and those of its front and back."""
    turn = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)])
    x, z = turn.T * half[[0, 2], None]
    depths = (0.0, -half[1], half[1])
    sides = [middle + np.column_stack([x, np.full(5, y), z]) for y in depths]
    across = [np.array([a, b]) for a, b in zip(sides[1][:4], sides[2][:4], strict=True)]
    return [*sides, *across]


class _ObstacleScene:
    """Points and bodies of obstacles, as they are gathered."""

    def __init__(self, picture: Scene) -> None:
        self.picture = picture
        self.points: dict[str, Array] = {}
        self.bodies: list[Body] = []
        way = picture.points.get("load")
        low, high = bounds(picture.points.values() if way is None else [way])
        past = _PAST * picture.size
        self.top = float(high[2]) + past
        self.rope_top = float(bounds(picture.points.values())[1][2])
        deep = max(_DEPTH * picture.size, past)
        self.across = float(low[1]) - deep, float(high[1]) + deep
        self.planar = picture.planar

    def corners(self, one: Obstacle) -> tuple[Corner, Corner]:
        """Return the corners of a box; one endless in y is as deep as the load's way and more."""
        (left, near, bottom), (right, far, top) = one.bounds
        if math.isinf(near):
            near, far = self.across
        return (left, near, bottom), (right, far, top)

    def box(self, name: str, low: Corner, high: Corner) -> None:
        """Add a box between two corners, from the ground up."""
        first = np.maximum(low, (-np.inf, -np.inf, self.picture.ground))
        last, middle = np.array(high), 0.5 * (first + np.array(high))
        self._put(name, middle)
        self._put(f"{name} front", np.array([last[0], middle[1], middle[2]]))
        self._extent(name, first, last)
        along, across, up = (last - first).tolist()
        box = bodies.BoxBody(name, f"{name} front", (along, across, up), "obstacle")
        self.bodies.append(box)

    def pillar(self, name: str, one: ObstacleCylinder) -> None:
        """Add an upright cylinder; an endless one ends above the load's way, or the ropes."""
        ground = self.picture.ground
        bottom = ground if one.bottom is None else max(one.bottom, ground)
        endless = self.rope_top if one.rope else self.top
        top = endless if one.top is None else one.top
        (x, y), radius = one.center, one.radius
        ends = f"{name} foot", f"{name} top"
        for end, height in zip(ends, (bottom, top), strict=True):
            self._put(end, np.array([x, y, height]))
        low, high = (x - radius, y - radius, bottom), (x + radius, y + radius, top)
        self._extent(name, np.array(low), np.array(high))
        self.bodies.append(bodies.Pillar(*ends, one.radius, "obstacle"))

    def _extent(self, name: str, low: Array, high: Array) -> None:
        """Add corners, so that the view holds all of it; a planar scene stays planar."""
        y = (0.0,) if self.planar else (low[1], high[1])
        for i, corner in enumerate(product((low[0], high[0]), y, (low[2], high[2]))):
            self._put(f"{name} corner {i + 1}", np.array(corner))

    def _put(self, name: str, place: Array) -> None:
        count = len(next(iter(self.picture.points.values())))
        self.points[name] = np.tile(place, (count, 1))
