"""Values that parts are given: numbers, parameters, and expressions of them in text.

A value is a number, a `Parameter`, or a text such as ``"m_t"`` or ``"-a/2"`` of parameters'
names. Parameters that stand inside the parts need no declaration of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from cranebridge.twin.language import Parameter

Value = float | str | Parameter
Vector = tuple[Value, Value, Value]
Axis = str | tuple[float, float, float]
"""A direction: "x", "-y", "z", or three numbers."""
Point = str | tuple[str, Vector]
"""A point of a body: its name, "BODY.POINT", or ("BODY", (x, y, z)) in the body's frame."""

UNIT = "unit"
"""The key under which a field of a part says the unit of its values."""
_SIGNED = {f"{sign}{name}": (sign, i) for sign in ("", "-", "+") for i, name in enumerate("xyz")}


def direction(axis: Axis) -> tuple[float, float, float]:
    """Return a direction as a unit vector; ValueError with the reason if it is none."""
    if isinstance(axis, str):
        if axis not in _SIGNED:
            raise ValueError(f"axis must be x, y, z, -x, -y, -z or three numbers, got '{axis}'")
        sign, i = _SIGNED[axis]
        unit = np.zeros(3)
        unit[i] = -1.0 if sign == "-" else 1.0
        return float(unit[0]), float(unit[1]), float(unit[2])
    try:
        given = np.asarray(axis, dtype=float)
    except (TypeError, ValueError):
        given = np.full(1, np.nan)
    if given.shape != (3,) or not np.isfinite(given).all() or not given.any():
        raise ValueError(f"axis must be x, y, z or three numbers that are not all 0, got {axis!r}")
    unit = given / np.linalg.norm(given)
    return float(unit[0]), float(unit[1]), float(unit[2])


def frame(axis: Axis) -> tuple[Any, Any, Any]:
    """Return two normal directions and the axis, orthonormal and right-handed."""
    n = np.array(direction(axis))
    helper = np.eye(3)[int(np.argmin(np.abs(n)))]
    m_1 = np.cross(helper, n)
    m_1 /= np.linalg.norm(m_1)
    return m_1, np.cross(n, m_1), n


def parameters_in(part: Any) -> Iterator[Parameter]:
    """Yield the parameters that stand in a part, wherever in it."""
    if isinstance(part, Parameter):
        yield part
    elif is_dataclass(part) and not isinstance(part, type):
        for one in fields(part):
            yield from parameters_in(getattr(part, one.name))
    elif isinstance(part, Mapping):
        for value in part.values():
            yield from parameters_in(value)
    elif isinstance(part, Sequence) and not isinstance(part, str):
        for value in part:
            yield from parameters_in(value)


def texts_with_units(part: Any) -> Iterator[tuple[str, Any, str]]:
    """Yield field, value and unit of everything in a part that has one, vectors by component."""
    for one in fields(part):
        value = getattr(part, one.name)
        if is_dataclass(value) and not isinstance(value, Parameter):
            yield from texts_with_units(value)
            unit = getattr(value, "density_unit", None)
            density = getattr(value, "density", None)
            if unit is not None and density is not None:
                yield "density", density, unit
        elif UNIT in one.metadata and not (value is None and one.default is None):
            yield from _spread(one.name, value, one.metadata[UNIT])


def _spread(name: str, value: Any, unit: str | tuple[str, ...]) -> Iterator[tuple[str, Any, str]]:
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _spread(f"{name} '{key}'", entry, unit)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        units = unit if isinstance(unit, tuple) else (unit,) * len(value)
        for entry, own in zip(value, units, strict=False):
            yield from _spread(name, entry, own)
    else:
        yield name, value, unit if isinstance(unit, str) else unit[0]
