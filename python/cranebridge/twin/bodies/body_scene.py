"""What a crane of parts looks like: bodies between their points, ropes, cylinders, loads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import casadi as ca

from cranebridge.twin.bodies.joints import GROUND, Prismatic
from cranebridge.twin.bodies.machine_parts import ORIGIN, Body, HydraulicCylinder, PointMass, Rope
from cranebridge.twin.bodies.mechanism_state import MechanismState
from cranebridge.twin.bodies.part_values import Vector, direction
from cranebridge.twin.language import Box, Cylinder, Line, Shape, Sphere, Trolley


def scene_of_parts(state: MechanismState) -> list[Shape]:
    """Return the shapes of all parts."""
    found: list[Shape] = []
    for part in state.mechanism.parts:
        match part:
            case Body():
                found += _body(state, part)
            case PointMass():
                found.append(Sphere(state.place(part.name)))
            case Rope():
                found += _rope(state, part)
            case HydraulicCylinder():
                begin, end = state.place(part.base), state.place(part.end)
                found.append(Cylinder(begin, end, role="drive"))
    return found


def _body(state: MechanismState, body: Body) -> Iterator[Shape]:
    frame = state.frame(body.name)
    for point in _followed(state, body):
        at = state.place(point)
        yield Box(at, at + frame.rotation @ ca.DM([1, 0, 0]), role="load")
    if body.shape is not None and body.shape.form == "box":
        _, centre, _ = body.properties(state)
        ahead = frame.point(centre + ca.DM([1, 0, 0]))
        size = [state.number(one) for one in body.shape.size]
        yield Box(frame.point(centre), ahead, size, "structure")
        return
    if body.shape is not None and body.shape.form in ("rod", "cylinder"):
        length = state.number(body.shape.size[0])
        begin, end = (0.0, 1.0) if body.shape.form == "rod" else (-0.5, 0.5)
        axis = ca.DM(direction(body.shape.along)) * length
        yield Cylinder(frame.point(begin * axis), frame.point(end * axis))
        return
    joint = state.mechanism.carriers[body.name]
    rail = isinstance(joint, Prismatic) and abs(direction(joint.axis)[2]) < 0.5
    if rail and isinstance(joint, Prismatic):
        under = state.frame(joint.on).rotation @ ca.DM(direction(joint.axis))
        yield Trolley(frame.place, under, rail=joint.on == GROUND)
        return
    for place in _ends(state, body):
        yield Cylinder(frame.place, frame.point(state.vector(place)))


def _followed(state: MechanismState, body: Body) -> list[str]:
    """Return the points of a body that outputs tell: loads that are rigid bodies."""
    places = {text.rpartition(".")[0] for text in state.mechanism.output_texts.values()}
    known = (body.name, *(f"{body.name}.{point}" for point in body.points))
    return [point for point in known if point in places]


def _ends(state: MechanismState, body: Body) -> list[Vector]:
    """Return the points of a body that others use, apart from its origin."""
    used: set[Vector] = {
        joint.at for joint in state.mechanism.carriers.values() if joint.on == body.name
    }
    for part in state.mechanism.parts:
        for point in part.points_used():
            if isinstance(point, tuple) or point.partition(".")[0] in state.mechanism.bodies:
                owner, place = state.mechanism.located(point)
                used |= {place} if owner == body.name else set()
    return sorted((place for place in used if place != ORIGIN), key=str)


def _rope(state: MechanismState, rope: Rope) -> Iterator[Shape]:
    places: list[Any] = [
        state.place(
            state.mechanism.winches[one].at
            if isinstance(one, str) and one in state.mechanism.winches
            else one
        )
        for one in rope.path
    ]
    for begin, end in pairwise(places):
        yield Line(begin, end, rope.name)
