"""A crane of parts in a state: where its bodies are, and how fast, as expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import casadi as ca

from cranebridge.expressions import parse
from cranebridge.twin.bodies.frames import BodyFrame
from cranebridge.twin.bodies.joints import GROUND, BodyJoint
from cranebridge.twin.bodies.part_values import Point, Value, Vector
from cranebridge.twin.language import Components, Parameter, Quantity, names


class Arrangement(Protocol):
    """What a state asks of the parts: see `Mechanism`."""

    @property
    def coordinates(self) -> tuple[Quantity, ...]:
        """All coordinates."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters."""

    @property
    def carriers(self) -> Mapping[str, BodyJoint]:
        """The joint that carries each body."""

    @property
    def parts(self) -> tuple[Any, ...]:
        """All parts but joints."""

    @property
    def bodies(self) -> Mapping[str, Any]:
        """Bodies and point masses."""

    @property
    def output_texts(self) -> Mapping[str, str]:
        """What each output is, as a text."""

    @property
    def winches(self) -> Mapping[str, Any]:
        """All winches."""

    @property
    def shafts(self) -> Mapping[str, Any]:
        """What has a speed of its own: winches and gears."""

    def located(self, point: Point) -> tuple[str, Vector]:
        """Return the body of a point and its place there."""


class MechanismState:
    """The parts of a crane at coordinates `q` and velocities `v`; immutable.

    Parameters
    ----------
    mechanism : Arrangement
        The parts.
    q, v, p : Components
        Coordinates, velocities (None where only places matter) and parameters.
    """

    def __init__(
        self, mechanism: Arrangement, q: Components, p: Components, v: Components | None = None
    ) -> None:
        self.mechanism, self.q, self.p = mechanism, q, p
        still = Components(names(mechanism.coordinates), ca.SX(len(mechanism.coordinates), 1))
        self.v = still if v is None else v
        self._parameters = {name: p[name] for name in names(mechanism.parameters)}
        self._frames: dict[tuple[str, str], BodyFrame] = {}

    def number(self, value: Value) -> Any:
        """Return a part's value as an expression; a text may name coordinates, too."""
        if isinstance(value, Parameter):
            return self._parameters[value.name]
        if isinstance(value, str):
            own = {name: self.q[name] for name in names(self.mechanism.coordinates)}
            return parse("a value", value, {**own, **self._parameters})
        return float(value)

    def vector(self, values: Any) -> Any:
        """Return three values as a vector."""
        return ca.SX(ca.vertcat(*(self.number(one) for one in values)))

    def frame(self, body: str, base: str = GROUND) -> BodyFrame:
        """Return the frame of a body, as seen from a body `base` on the way to the ground."""
        if body == base:
            return BodyFrame.ground()
        if (body, base) not in self._frames:
            joint = self.mechanism.carriers[body]
            frame = self.frame(joint.on, base).shifted(self.vector(joint.at))
            for move in joint.moves():
                turn, slide = self.number(move.turn), self.number(move.slide)
                x, rate = self.q[move.coordinate], self.v[move.coordinate]
                frame = frame.moved(move.axis, turn * x, slide * x, (turn * rate, slide * rate))
            self._frames[body, base] = frame.shifted(-self.vector(joint.place))
        return self._frames[body, base]

    def common(self, *bodies: str) -> str:
        """Return the outermost body on the ways of all `bodies` to the ground.

        What depends on their relative motion only is written in its frame: a cylinder between
        column and jib then contains no slewing angle, not even one that cancels.
        """
        ways = [self._way(body) for body in bodies]
        return next(body for body in ways[0] if all(body in way for way in ways))

    def _way(self, body: str) -> list[str]:
        way = [body]
        while way[-1] != GROUND:
            way.append(self.mechanism.carriers[way[-1]].on)
        return way

    def place(self, point: Point, base: str = GROUND) -> Any:
        """Return where a point is, in the components of a body."""
        body, d = self.mechanism.located(point)
        return self.frame(body, base).point(self.vector(d))

    def rate(self, point: Point, base: str = GROUND) -> Any:
        """Return a point's velocity relative to a body, in its components."""
        body, d = self.mechanism.located(point)
        return self.frame(body, base).ground_rate(self.vector(d))

    def between(self, points: tuple[Point, Point]) -> tuple[Any, Any]:
        """Return the distance of two points and its rate, d.d'/|d|."""
        base = self.common(*(self.mechanism.located(point)[0] for point in points))
        A, B = (self.place(point, base) for point in points)
        v_A, v_B = (self.rate(point, base) for point in points)
        distance = ca.norm_2(B - A)
        return distance, ca.dot(B - A, v_B - v_A) / distance

    def speed(self, name: str) -> Any:
        """Return the rate of a coordinate, or the speed of a winch or gear."""
        if name in names(self.mechanism.coordinates):
            return self.v[name]
        return self.mechanism.shafts[name].speed(self)
