"""The vocabulary of a crane's picture: what ``scene(q, p)`` returns.

A body says where it is by points: three expressions of coordinates and parameters, in m, z up. A
size that is left out is chosen to suit the picture; one that is given is in m. Towers, rails and
jibs reach as far as the motion needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import casadi as ca

Role = Literal["structure", "drive", "load"]
"""What a body is; it decides its colour."""


@dataclass(frozen=True, eq=False)
class Box:
    """An upright box at a point, turned towards another; size along, across and up."""

    at: Any
    toward: Any = None
    size: Any = None
    role: Role = "drive"


@dataclass(frozen=True, eq=False)
class Cylinder:
    """A round bar between two points: a boom, a bridge, an arm."""

    begin: Any
    end: Any
    radius: Any = None
    role: Role = "structure"


@dataclass(frozen=True, eq=False)
class Line:
    """A rope between two points; `force` names the rope force that colours it."""

    begin: Any
    end: Any
    force: str | None = None


@dataclass(frozen=True, eq=False)
class Sphere:
    """A ball at a point: a load, a hook."""

    at: Any
    radius: Any = None
    role: Role = "load"


@dataclass(frozen=True, eq=False)
class Mast:
    """A tower from the ground up to a point.

    With a direction `along` it carries a jib that way, over all trolleys and winches, with ties and
    a counterweight behind.
    """

    at: Any
    along: Any = None
    radius: Any = None


@dataclass(frozen=True, eq=False)
class Trolley:
    """A trolley whose rail runs in the direction `along`.

    A rail that is fixed is drawn on two posts. One that moves in the direction `across` is a
    bridge on two runways; all trolleys with that direction share them. Without `rail` only the
    trolley is drawn, as under a jib.
    """

    at: Any
    along: Any = (1.0, 0.0, 0.0)
    across: Any = None
    rail: bool = True
    size: Any = None


@dataclass(frozen=True, eq=False)
class Pulley:
    """A pulley or winch at a point, in the upright plane through another point."""

    at: Any
    toward: Any
    radius: Any = None
    role: Role = "drive"


@dataclass(frozen=True, eq=False)
class Plate:
    """A flat polygon between points."""

    corners: Sequence[Any]
    role: Role = "load"


Shape = Box | Cylinder | Line | Sphere | Mast | Trolley | Pulley | Plate
WORDS: tuple[type[Shape], ...] = get_args(Shape)
"""All bodies."""
_POINTS = ("at", "toward", "begin", "end", "along", "across")
_SIZES = {"radius": 1, "size": 3}


def points_of(body: Shape) -> dict[str, ca.SX]:
    """Return the points and directions of a body as vectors, by field; those that it has.

    Raises
    ------
    ValueError
        If one is not made of three expressions.
    """
    found = {}
    for field in fields(body):
        value = getattr(body, field.name)
        if field.name in _POINTS and value is not None:
            found[field.name] = vector(value, 3, field.name)
        if field.name == "corners":
            for i, corner in enumerate(value):
                found[f"corners {i + 1}"] = vector(corner, 3, "each corner")
    return found


def sizes_of(body: Shape) -> dict[str, ca.SX]:
    """Return the sizes of a body that are given, as vectors, by field."""
    return {
        name: vector(getattr(body, name), count, name)
        for name, count in _SIZES.items()
        if getattr(body, name, None) is not None
    }


def vector(value: Any, count: int, what: str) -> ca.SX:
    """Return `count` expressions as a vector."""
    wanted = "one expression" if count == 1 else f"{count} expressions"
    try:
        found = ca.SX(value) if isinstance(value, ca.SX | ca.DM) else _stacked(value)
    except Exception:  # CasADi refuses what is no expression in many ways
        raise ValueError(f"{what} must be {wanted}, got {value!r}") from None
    if found.numel() != count:
        raise ValueError(f"{what} must be {wanted}, got {found.numel()}")
    return ca.densify(ca.vec(found))


def _stacked(value: Any) -> ca.SX:
    if isinstance(value, str | bytes):
        raise TypeError
    parts = list(value) if hasattr(value, "__iter__") else [value]
    return ca.SX(ca.vertcat(*(ca.SX(part) for part in parts)))
