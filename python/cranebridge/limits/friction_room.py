"""Limits with room for the friction of drives: what a plan keeps, which knows the twin only."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.inverse import DriveFriction, drive_rows
from cranebridge.limits.limits import Limits, Range
from cranebridge.twin import Crane
from cranebridge.twin.language import names


def limits_with_friction(
    limits: Limits,
    friction: Sequence[DriveFriction],
    crane: Crane,
    parameters: Mapping[str, float],
) -> Limits:
    """Return limits whose ranges of forces and powers are smaller by the largest friction.

    Raises
    ------
    InputError
        If nothing is left, or a speed must be limited to know the largest friction or its power.
    """
    values = np.array([parameters[name] for name in names(crane.parameters)])
    rows = drive_rows(crane, values, friction)
    u, power = dict(limits.u), dict(limits.power)
    for element, row in zip(friction, rows, strict=True):
        name = element.input
        speed = _largest_speed(limits, crane, row)
        largest = element.largest + (element.viscous * speed if element.viscous else 0.0)
        for group, ranges, room in (("u", u, largest), ("power", power, largest * speed)):
            if name in ranges:
                ranges[name] = _smaller(f"limits.{group}.{name}", ranges[name], room, name)
    return replace(limits, u=u, power=power)


def _largest_speed(limits: Limits, crane: Crane, row: NDArray[np.float64]) -> float:
    """Return the largest speed of a drive that the limits allow."""
    speed = 0.0
    for factor, name in zip(row, names(crane.coordinates), strict=True):
        bound = limits.v.get(name, Range())
        if factor != 0.0:
            speed += abs(factor) * max(abs(bound.least), abs(bound.most))
    return speed


def _smaller(key: str, given: Range, room: float, name: str) -> Range:
    if math.isinf(room):
        raise InputError(
            f"a plan within {key} leaves room for the friction of {name} at its largest speed: "
            "give that speed with limits.v"
        )
    least, most = given.least + room, given.most - room
    if least >= most:
        raise InputError(
            f"{key} leaves a plan nothing beside the friction of {name}, up to {room:g}; is the "
            "limit, or crane.friction, meant so?"
        )
    return Range(least, most)
