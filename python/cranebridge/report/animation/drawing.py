"""From the shapes of a crane's scene to points and bodies for the page.

The points that a crane states are exact. Posts, towers, rails and jibs, about which it says no
length, are drawn as long as the motion needs and so that they are not in the way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cranebridge.report.animation import bodies
from cranebridge.report.animation.bodies import Array, Body, Scene, bounds
from cranebridge.report.animation.shape_values import PlacedShape
from cranebridge.twin.language import Box, Cylinder, Line, Mast, Plate, Pulley, Sphere, Trolley

UP = np.array([0.0, 0.0, 1.0])
MARGIN = 8.0
"""How far rails reach past what moves, in units."""


class Drawing:
    """Points by name and bodies at them, as they are gathered.

    A unit is a hundredth of the scene's size: what has no size of its own is measured in it.
    """

    def __init__(
        self, placed: Sequence[PlacedShape], load: Array | None, lowest: float | None = None
    ) -> None:
        self.placed = placed
        stated = [
            points
            for entry in placed
            for field, points in entry.points.items()
            if field not in ("along", "across") and not isinstance(entry.shape, Mast)
        ]
        stated = stated or [points for entry in placed for points in entry.points.values()]
        low, high = bounds(stated)
        self.stated = stated
        self.unit = max(float(np.linalg.norm(high - low)), 1e-3) / 100.0
        least = float(low[2]) if lowest is None else min(float(low[2]), lowest)
        self.ground = least - 6.0 * self.unit
        self.points: dict[str, Array] = {} if load is None else {"load": load}
        self.bodies: list[Body] = []

    def at(self, points: Array, name: str) -> str:
        """Return the name of points over time; those that are known already keep theirs."""
        for known, other in self.points.items():
            if np.array_equal(other, points):
                return known
        count = sum(1 for known in self.points if known.partition(" ")[0] == name)
        name = f"{name} {count + 1}" if count else name
        self.points[name] = points
        return name

    def beam(self, begin: Array, end: Array, radius: float, name: str) -> None:
        """Add a bar of the crane's structure."""
        ends = self.at(begin, name), self.at(end, name)
        self.bodies.append(bodies.Beam(*ends, radius))

    def post(self, top: Array, radius: float, name: str) -> None:
        """Add a bar from the ground up to a point."""
        foot = top.copy()
        foot[:, 2] = self.ground
        self.beam(foot, top, radius, name)

    def reach(self, direction: Array) -> tuple[float, float]:
        """Return how far everything stated reaches in a direction that does not turn."""
        along = [points @ direction[0] for points in self.stated]
        return min(float(part.min()) for part in along), max(float(part.max()) for part in along)


def draw(
    placed: Sequence[PlacedShape], load: Array | None, note: str = "", lowest: float | None = None
) -> Scene:
    """Return the scene of shapes along a motion.

    Parameters
    ----------
    placed : sequence of PlacedShape
        The shapes, at least one.
    load : numpy.ndarray or None
        Where what follows the path is; it is called ``load`` among the scene's points.
    note : str
        What a reader must know.
    lowest : float, optional
        Height that the ground is below, besides all points.
    """
    drawing = Drawing(placed, load, lowest)
    for entry in placed:
        _DRAW[type(entry.shape)](drawing, entry)
    _bridges(drawing)
    return Scene(drawing.points, tuple(drawing.bodies), drawing.ground, note)


def _line(drawing: Drawing, entry: PlacedShape) -> None:
    assert isinstance(entry.shape, Line)
    begin, end = (drawing.at(entry.points[key], "rope") for key in ("begin", "end"))
    drawing.bodies.append(bodies.RopeBody(begin, end, entry.shape.force))


def _cylinder(drawing: Drawing, entry: PlacedShape) -> None:
    assert isinstance(entry.shape, Cylinder)
    begin, end = (drawing.at(entry.points[key], "bar") for key in ("begin", "end"))
    (radius,) = entry.sizes.get("radius", (0.9 * drawing.unit,))
    drawing.bodies.append(bodies.Beam(begin, end, radius, entry.shape.role))


def _sphere(drawing: Drawing, entry: PlacedShape) -> None:
    assert isinstance(entry.shape, Sphere)
    (radius,) = entry.sizes.get("radius", (3.0 * drawing.unit,))
    at = drawing.at(entry.points["at"], "ball")
    drawing.bodies.append(bodies.SphereBody(at, radius, entry.shape.role))


def _box(drawing: Drawing, entry: PlacedShape) -> None:
    assert isinstance(entry.shape, Box)
    at = entry.points["at"]
    toward = entry.points.get("toward", at + drawing.unit * np.array([1.0, 0.0, 0.0]))
    size = _three(entry.sizes.get("size", (2.5 * drawing.unit,) * 3))
    names = drawing.at(at, "box"), drawing.at(toward, "direction")
    drawing.bodies.append(bodies.BoxBody(*names, size, entry.shape.role))


def _pulley(drawing: Drawing, entry: PlacedShape) -> None:
    assert isinstance(entry.shape, Pulley)
    (radius,) = entry.sizes.get("radius", (1.7 * drawing.unit,))
    names = (
        drawing.at(entry.points["at"], "pulley"),
        drawing.at(entry.points["toward"], "direction"),
    )
    drawing.bodies.append(bodies.Wheel(*names, radius, entry.shape.role))


def _plate(drawing: Drawing, entry: PlacedShape) -> None:
    assert isinstance(entry.shape, Plate)
    corners = tuple(drawing.at(points, "corner") for points in entry.points.values())
    drawing.bodies.append(bodies.PlateBody(corners, entry.shape.role))


def _mast(drawing: Drawing, entry: PlacedShape) -> None:
    """Draw a tower, and its jib with ties and counterweight where it has one."""
    at, unit = entry.points["at"], drawing.unit
    if "along" not in entry.points:
        (radius,) = entry.sizes.get("radius", (2.0 * unit,))
        drawing.post(at, radius, "mast")
        return
    (radius,) = entry.sizes.get("radius", (1.6 * unit,))
    out = _level(entry.points["along"])
    ahead, behind = _jib_reach(drawing, at, out)
    reach = 1.08 * ahead + 2.0 * unit
    rear = max(0.4 * reach, 1.15 * behind)
    root = at + 1.8 * unit * UP  # above the trolley, whose ropes stay visible below it
    top, tip, back = root + 0.2 * reach * UP, root + reach * out, root - rear * out
    drawing.post(top, radius, "mast")
    drawing.beam(back, tip, 0.9 * unit, "jib")
    drawing.beam(top, tip, 0.25 * unit, "jib")
    drawing.beam(top, back, 0.25 * unit, "jib")
    names = drawing.at(back, "jib"), drawing.at(root, "jib")
    size = (7.0 * unit, 6.0 * unit, 5.0 * unit)
    drawing.bodies.append(bodies.BoxBody(*names, size, "structure"))


def _jib_reach(drawing: Drawing, at: Array, out: Array) -> tuple[float, float]:
    """Return how far trolleys and winches are before and behind a tower."""
    found = [0.0]
    for entry in drawing.placed:
        if isinstance(entry.shape, Trolley | Box):
            found += ((entry.points["at"] - at) * out).sum(axis=1).tolist()
    return max(found), -min(found)


def _trolley(drawing: Drawing, entry: PlacedShape) -> None:
    """Draw a trolley, and its rail if that is its own; bridges are drawn together."""
    assert isinstance(entry.shape, Trolley)
    at, unit, out = entry.points["at"], drawing.unit, _unit(entry.points["along"])
    wide = 6.0 if entry.shape.rail else 5.0
    size = _three(entry.sizes.get("size", (wide * unit, 4.0 * unit, 2.0 * unit)))
    names = drawing.at(at, "trolley"), drawing.at(at + unit * out, "direction")
    drawing.bodies.append(bodies.BoxBody(*names, size))
    if not entry.shape.rail or "across" in entry.points:
        return
    if not _still(out):
        return
    low, high = drawing.reach(out)
    ends = [_moved(at, out, to) for to in (low - MARGIN * unit, high + MARGIN * unit)]
    left, right = (end + 1.5 * unit * UP for end in ends)
    drawing.beam(left, right, 1.0 * unit, "rail")
    if _still(left):
        for end in (left, right):
            drawing.post(end, 1.2 * unit, "post")


def _bridges(drawing: Drawing) -> None:
    """Draw the bridges of trolleys that move across, their end carriages, runways and posts."""
    group = [entry for entry in drawing.placed if "across" in entry.points]
    group = [entry for entry in group if getattr(entry.shape, "rail", False)]
    if not group:
        return
    unit = drawing.unit
    out, side = (_unit(group[0].points[key]) for key in ("along", "across"))
    low, high = drawing.reach(out)
    near, far = drawing.reach(side)
    ends = (low - MARGIN * unit, high + MARGIN * unit)
    lift = 2.2 * unit * UP
    order = sorted(group, key=lambda entry: float(entry.points["at"][0] @ side[0]))
    for entry in order:
        left, right = (_moved(entry.points["at"], out, to) + lift for to in ends)
        drawing.beam(left, right, 0.7 * unit, "bridge")
    for to in ends:
        first, last = (_moved(order[i].points["at"], out, to) + lift for i in (0, -1))
        if len(order) > 1:
            drawing.beam(first, last, 1.0 * unit, "carriage")
        begin, end = (_moved(first, side, to) for to in (near - MARGIN * unit, far + MARGIN * unit))
        drawing.beam(begin, end, 1.0 * unit, "runway")
        for top in (begin, end):
            drawing.post(top, 1.2 * unit, "post")


_DRAW = {
    Box: _box,
    Cylinder: _cylinder,
    Line: _line,
    Mast: _mast,
    Plate: _plate,
    Pulley: _pulley,
    Sphere: _sphere,
    Trolley: _trolley,
}


def _three(size: tuple[float, ...]) -> tuple[float, float, float]:
    along, across, up = size
    return along, across, up


def _unit(directions: Array) -> Array:
    length = np.linalg.norm(directions, axis=1, keepdims=True)
    return np.asarray(directions / np.where(length > 0.0, length, 1.0))


def _level(directions: Array) -> Array:
    return _unit(directions * np.array([1.0, 1.0, 0.0]))


def _still(points: Array) -> bool:
    return bool(np.ptp(points, axis=0).max() <= 1e-9 * max(np.abs(points).max(), 1.0))


def _moved(points: Array, direction: Array, to: float) -> Array:
    """Move points in a direction until they are at the distance `to` along it."""
    along = (points * direction).sum(axis=1, keepdims=True)
    return np.asarray(points + (to - along) * direction)
