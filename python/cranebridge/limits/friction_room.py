"""Limits with room for the friction of drives: what a plan keeps, which knows the twin only."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.inverse import DriveFriction, constant_row
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
    u, power = dict(limits.u), dict(limits.power)
    for element in friction:
        name = element.input
        row = constant_row(crane, values, names(crane.inputs).index(name))
        speed = math.inf if row is None else _largest_speed(limits, crane, row)
        largest = element.largest + (element.viscous * speed if element.viscous else 0.0)
        for group, ranges, room in (("u", u, largest), ("power", power, largest * speed)):
            if name in ranges:
                ranges[name] = _smaller(f"limits.{group}.{name}", ranges[name], room, name, row)
    return replace(limits, u=u, power=power)


def _largest_speed(limits: Limits, crane: Crane, row: NDArray[np.float64]) -> float:
    """Return the largest speed of a drive that the limits allow."""
    speed = 0.0
    for factor, name in zip(row, names(crane.coordinates), strict=True):
        bound = limits.v.get(name, Range())
        if factor != 0.0:
            speed += abs(factor) * max(abs(bound.least), abs(bound.most))
    return speed


def _smaller(
    key: str, given: Range, room: float, name: str, row: NDArray[np.float64] | None
) -> Range:
    if math.isinf(room):
        if row is None:
            raise InputError(
                f"a plan within {key} leaves room for the friction of {name} at its largest speed, "
                "which no limit tells: its drive moves no coordinate; leave this limit, or the "
                "viscous friction, out"
            )
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
