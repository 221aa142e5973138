"""Joints: how a body moves on another one, and what holds it where a loop is closed.

A joint of the tree is a sequence of moves, each with a coordinate: slides and turns along axes of
the joint's frame. A joint that closes a loop has no coordinates: it states conditions on the
relative place and rotation of its two frames instead. All of them are written in the frame of the
body that the joint is `on`, so that rows of a planar loop which say nothing are recognised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import casadi as ca

from cranebridge.twin.bodies.part_values import UNIT, Axis, Value, Vector, frame

GROUND = "ground"


class Row(NamedTuple):
    """A condition that closes a loop: the unit of its multiplier, what it says, and its value."""

    unit: str
    meaning: str
    value: Any


@dataclass(frozen=True)
class Move:
    """A slide along and a turn about an axis of the joint's frame, in one coordinate.

    Attributes
    ----------
    coordinate : str
        Its name.
    axis : tuple of float
        Unit vector.
    turn, slide : float, str or Parameter
        Angle and distance for each unit of the coordinate.
    """

    coordinate: str
    axis: Sequence[float]
    turn: Value = 0.0
    slide: Value = 0.0

    @property
    def unit(self) -> str:
        """Unit of the coordinate."""
        return "m" if self.turn == 0.0 else "rad"


@dataclass(frozen=True)
class BodyJoint:
    """What carries the body `name` on the body `on`.

    Attributes
    ----------
    name : str
        The body that it carries.
    on : str
        The body that it is on, or "ground".
    at, place : tuple
        The joint's point in the body `on` and in the body carried, in m.
    loop : bool
        Whether it closes a loop: then the body is carried by another joint already.
    """

    name: str
    on: str = GROUND
    at: Vector = field(default=(0.0, 0.0, 0.0), metadata={UNIT: "m"})
    place: Vector = field(default=(0.0, 0.0, 0.0), metadata={UNIT: "m"})
    loop: bool = field(default=False, kw_only=True)

    motions: ClassVar[tuple[str, ...]] = ()
    """What its coordinates are called where they are given no names, before "_BODY"."""

    @property
    def given(self) -> tuple[Any, ...] | None:
        """Names of its coordinates as they were given; None where they were left out."""
        value = getattr(self, "coordinate", getattr(self, "coordinates", None))
        if value is None or (isinstance(value, tuple | list) and not value):
            return None
        return tuple(value) if isinstance(value, tuple | list) else (value,)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its coordinates."""
        return self.given or tuple(f"{motion}_{self.name}" for motion in self.motions)

    def moves(self) -> list[Move]:
        """Return the moves of a joint of the tree."""
        raise NotImplementedError

    def rows(self, gap: Any, R: Any) -> list[Row]:
        """Return the conditions that close a loop.

        Parameters
        ----------
        gap : casadi.SX
            From the joint's point on the body `on` to that of the body carried, in the frame of
            `on`.
        R : casadi.SX
            Relative rotation.
        """
        raise ValueError(f"a {type(self).__name__} joint cannot close a loop")

    def held(self, gap: Any, R: Any) -> list[Row]:
        """Return the conditions of a joint of the tree in rotationless coordinates."""
        return self.rows(gap, R)


def _place(gap: Any, *directions: Any) -> list[Row]:
    """The points stay together along these directions."""
    return [
        Row("N", f"points together along {_components(m)}", ca.dot(ca.DM(m), gap))
        for m in directions
    ]


def _parallel(R: Any, axis: Axis) -> list[Row]:
    """The axis n of the carried body stays the axis of the other: m_1 . R n = m_2 . R n = 0."""
    m_1, m_2, n = frame(axis)
    return [
        Row("N*m", f"axis normal to {_components(m)}", ca.dot(ca.DM(m), R @ ca.DM(n)))
        for m in (m_1, m_2)
    ]


def _no_turn(R: Any, axis: Axis) -> list[Row]:
    """No relative rotation, by three products that are regular for any axis."""
    m_1, m_2, n = frame(axis)
    pairs = ((m_1, m_2, n), (m_2, n, m_1), (n, m_1, m_2))
    return [
        Row("N*m", f"no turn about {_components(about)}", ca.dot(ca.DM(first), R @ ca.DM(second)))
        for first, second, about in pairs
    ]


def _components(vector: Any) -> str:
    """Return a direction as text: an axis by its letter."""
    for i, letter in enumerate("xyz"):
        if abs(abs(vector[i]) - 1.0) < 1e-12:
            return letter
    return "(" + ", ".join(f"{one:.3g}" for one in vector) + ")"


@dataclass(frozen=True)
class Revolute(BodyJoint):
    """A hinge: the body turns about `axis`."""

    axis: Axis = "z"
    coordinate: str | None = None
    motions = ("phi",)

    def moves(self) -> list[Move]:
        """One turn."""
        return [Move(self.names[0], frame(self.axis)[2], turn=1.0)]

    def rows(self, gap: Any, R: Any) -> list[Row]:
        """Points together, axes parallel."""
        return _place(gap, *frame(self.axis)) + _parallel(R, self.axis)


@dataclass(frozen=True)
class Prismatic(BodyJoint):
    """A slide: the body moves along `axis`."""

    axis: Axis = "x"
    coordinate: str | None = None
    motions = ("s",)

    def moves(self) -> list[Move]:
        """One slide."""
        return [Move(self.names[0], frame(self.axis)[2], slide=1.0)]

    def rows(self, gap: Any, R: Any) -> list[Row]:
        """Point on the axis, no rotation."""
        return _place(gap, *frame(self.axis)[:2]) + _no_turn(R, self.axis)


@dataclass(frozen=True)
class Cylindrical(BodyJoint):
    """A sleeve: the body slides along `axis` and turns about it; coordinates slide, angle."""

    axis: Axis = "z"
    coordinates: tuple[str, ...] = ()
    motions = ("s", "phi")

    def moves(self) -> list[Move]:
        """A slide and a turn."""
        n = frame(self.axis)[2]
        slide, angle = self.names
        return [Move(slide, n, slide=1.0), Move(angle, n, turn=1.0)]

    def rows(self, gap: Any, R: Any) -> list[Row]:
        """Point on the axis, axes parallel."""
        return _place(gap, *frame(self.axis)[:2]) + _parallel(R, self.axis)


@dataclass(frozen=True)
class Screw(BodyJoint):
    """A screw: the body slides by `pitch` (m/rad) times its angle along `axis`."""

    axis: Axis = "z"
    coordinate: str | None = None
    pitch: Value = field(default=0.0, metadata={UNIT: "m/rad"})
    motions = ("phi",)

    def moves(self) -> list[Move]:
        """Slide and turn in one coordinate."""
        return [Move(self.names[0], frame(self.axis)[2], turn=1.0, slide=self.pitch)]

    def held(self, gap: Any, R: Any) -> list[Row]:
        """Point on the axis, axes parallel; slide and angle are one coordinate's besides."""
        return _place(gap, *frame(self.axis)[:2]) + _parallel(R, self.axis)


@dataclass(frozen=True)
class Spherical(BodyJoint):
    """A ball: yaw, pitch, roll with R = R_z R_y R_x; singular at a pitch of 90 deg."""

    coordinates: tuple[str, ...] = ()
    motions = ("yaw", "pitch", "roll")

    def moves(self) -> list[Move]:
        """Three turns."""
        return _turns(self.names)

    def rows(self, gap: Any, R: Any) -> list[Row]:
        """Points together."""
        return _place(gap, *frame("z"))


@dataclass(frozen=True)
class Universal(BodyJoint):
    """A cross: the body turns about `axis`, then about `second`, which goes with it."""

    axis: Axis = "x"
    second: Axis = "y"
    coordinates: tuple[str, ...] = ()
    motions = ("phi_1", "phi_2")

    def moves(self) -> list[Move]:
        """Two turns."""
        first, second = self.names
        return [
            Move(first, frame(self.axis)[2], turn=1.0),
            Move(second, frame(self.second)[2], turn=1.0),
        ]

    def rows(self, gap: Any, R: Any) -> list[Row]:
        """Points together, the two axes at the angle that they had."""
        n, k = ca.DM(frame(self.axis)[2]), ca.DM(frame(self.second)[2])
        return [
            *_place(gap, *frame(self.axis)),
            Row("N*m", "angle of the axes", ca.dot(n, R @ k) - ca.dot(n, k)),
        ]


@dataclass(frozen=True)
class Planar(BodyJoint):
    """A table: two slides normal to `normal`, then a turn about it; coordinates in this order.

    With the normal z the slides are along x and y, with y along z and x, with x along y and z.
    """

    normal: Axis = "z"
    coordinates: tuple[str, ...] = ()
    motions = ("s_1", "s_2", "phi")

    def moves(self) -> list[Move]:
        """Two slides and a turn."""
        m_1, m_2, n = _table(self.normal)
        first, second, angle = self.names
        slides = [Move(first, m_1, slide=1.0), Move(second, m_2, slide=1.0)]
        return [*slides, Move(angle, n, turn=1.0)]

    def rows(self, gap: Any, R: Any) -> list[Row]:
        """Point in the plane, normals parallel."""
        return _place(gap, frame(self.normal)[2]) + _parallel(R, self.normal)


@dataclass(frozen=True)
class Fixed(BodyJoint):
    """No motion."""

    def moves(self) -> list[Move]:
        """None."""
        return []

    def rows(self, gap: Any, R: Any) -> list[Row]:
        """Points together, no rotation."""
        return _place(gap, *frame("z")) + _no_turn(R, "z")


@dataclass(frozen=True)
class Free(BodyJoint):
    """Free in space: x, y, z, yaw, pitch, roll; singular at a pitch of 90 deg."""

    coordinates: tuple[str, ...] = ("x", "y", "z", "yaw", "pitch", "roll")
    motions = ("x", "y", "z", "yaw", "pitch", "roll")

    def held(self, gap: Any, R: Any) -> list[Row]:
        """Nothing."""
        return []

    def moves(self) -> list[Move]:
        """Three slides and three turns."""
        slides = [
            Move(name, frame(axis)[2], slide=1.0)
            for name, axis in zip(self.names[:3], "xyz", strict=True)
        ]
        return slides + _turns(self.names[3:])


@dataclass(frozen=True)
class Slides(BodyJoint):
    """How a point mass moves: along axes of space, without turning."""

    coordinates: tuple[str, ...] = ()
    axes: str = "xyz"

    def moves(self) -> list[Move]:
        """A slide along each axis."""
        return [
            Move(name, frame(axis)[2], slide=1.0)
            for name, axis in zip(self.names, self.axes, strict=True)
        ]


def _turns(coordinates: Sequence[str]) -> list[Move]:
    """Yaw, pitch, roll: about z, then y, then x of the turned frame."""
    return [
        Move(name, frame(axis)[2], turn=1.0) for name, axis in zip(coordinates, "zyx", strict=True)
    ]


def _table(normal: Axis) -> tuple[Any, Any, Any]:
    """Return the directions of a table's slides and its normal; along axes where it is one."""
    if isinstance(normal, str) and normal in ("x", "y", "z"):
        order = {"x": "yzx", "y": "zxy", "z": "xyz"}[normal]
        m_1, m_2, n = (frame(axis)[2] for axis in order)
        return m_1, m_2, n
    return frame(normal)
