"""From the ``[path]`` table of a scenario to a path, with every value checked and named."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from cranebridge.errors import InputError, unknown
from cranebridge.path.base import Path
from cranebridge.path.bspline import BSplinePath
from cranebridge.path.combined import Combined
from cranebridge.path.curved import Cylindrical, FigureEight
from cranebridge.path.kinds import KINDS, PROFILES, SHAPE
from cranebridge.path.profile import MAX_SMOOTHNESS, Profile, polynomial, three_phase
from cranebridge.path.rotation import Rotation, rotation_between
from cranebridge.path.spline import Spline
from cranebridge.path.straight import Hold, Line, Stops

_DEFAULT_SMOOTHNESS = 4  # index 5, that of most cranes, needs four derivatives
MAX_DEGREE = 2 * MAX_SMOOTHNESS + 1
"""Highest degree of a spline: that of the smoothest step."""
_SHORTEST = 1e-6
"""Shortest duration [s], and shortest ramp or leg as a part of the duration.

Below this high derivatives leave the range of floating-point numbers.
"""


def make_path(table: Mapping[str, Any], outputs: Sequence[str]) -> Path:
    """Build the path that the ``[path]`` table of a scenario describes.

    Parameters
    ----------
    table : mapping
        The parsed table. ``kind`` is one of `cranebridge.path.kinds.KINDS`, where the further keys
        of each stand, too.
    outputs : sequence of str
        Names of the crane's outputs, in order.

    Returns
    -------
    Path

    Raises
    ------
    InputError
        If a key or a name is unknown or missing, or a value makes no sense.

    Examples
    --------
    >>> path = make_path(
    ...     {"kind": "line", "start": [0, 4], "goal": [5, 1], "duration": 3}, ["x", "z"]
    ... )
    >>> path(1.5).tolist()
    [[2.5], [2.5]]
    >>> path.smoothness()
    4
    """
    return _build(_Table(table, "path"), tuple(outputs))


@dataclass(frozen=True)
class _Table:
    """A table of a scenario, its name in messages, and the table that it inherits from."""

    values: Mapping[str, Any]
    name: str
    parent: _Table | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.values, Mapping):
            raise InputError(f"{self.name} must be a table, got {_shown(self.values)}.")

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def owner(self, key: str) -> _Table | None:
        """Return the table that gives a key: this one, or one that it inherits from."""
        if key in self.values:
            return self
        return self.parent.owner(key) if self.parent and key in SHAPE else None

    def find(self, key: str) -> tuple[str, Any]:
        """Return the full name of a key and its value; refuse if it is missing."""
        owner = self.owner(key)
        if owner is None:
            raise InputError(f"{self.name}.{key} is missing.")
        return f"{owner.name}.{key}", owner.values[key]

    def text(self, key: str, kind: str, known: Sequence[str]) -> str:
        """Return one of the known names."""
        name, value = self.find(key)
        if not isinstance(value, str):
            raise InputError(f"{name} must be a name in quotes, got {_shown(value)}.")
        if value not in known:
            raise unknown(kind, value, known)
        return value

    def number(self, key: str) -> float:
        """Return a finite number."""
        name, value = self.find(key)
        return _number(name, value)

    def numbers(self, key: str, names: Sequence[str]) -> tuple[float, ...]:
        """Return a finite number for each of the names."""
        name, value = self.find(key)
        return _numbers(name, value, names)

    def flag(self, key: str) -> bool:
        """Return whether something is so; it is not if the key is not there."""
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise InputError(f"{self.name}.{key} must be true or false, got {_shown(value)}.")
        return value

    def duration(self) -> float:
        """Return the duration in seconds."""
        name, value = self.find("duration")
        seconds = _number(name, value, "a positive number of seconds")
        if seconds <= 0:
            raise InputError(f"{name} must be a positive number of seconds, got {_shown(value)}.")
        if seconds < _SHORTEST:
            raise InputError(f"{name} must be at least {_SHORTEST} s, got {_shown(value)}.")
        return seconds

    def smoothness(self, least: int = 0) -> int:
        """Return the continuity class, as a rule 4."""
        if self.owner("smoothness") is None:
            return _DEFAULT_SMOOTHNESS
        name, value = self.find("smoothness")
        allowed = f"an integer from {least} to {MAX_SMOOTHNESS}"
        if isinstance(value, bool) or not isinstance(value, int):
            raise InputError(f"{name} must be {allowed}, got {_shown(value)}.")
        if not least <= value <= MAX_SMOOTHNESS:
            raise InputError(f"{name} must be {allowed}, got {value}.")
        return value


def _build(table: _Table, outputs: tuple[str, ...]) -> Path:
    kind = table.text("kind", "path kind", tuple(KINDS))
    keys = (*KINDS[kind].keys, *KINDS[kind].shared)
    known = ("kind", *keys, *(("outputs",) if table.parent else ()))
    for key in table.values:
        if key not in known:
            raise unknown(f"key of {table.name} with kind '{kind}'", str(key), known)
    return _BUILD[kind](table, outputs)


def _line(table: _Table, outputs: tuple[str, ...]) -> Path:
    start, goal = table.numbers("start", outputs), table.numbers("goal", outputs)
    _check_extent(table, (start, goal))
    return Line(outputs, start, goal, _profile(table))


def _cylindrical(table: _Table, outputs: tuple[str, ...]) -> Path:
    _need_three(table, outputs, "x, y and z")
    names = ("radius", "angle", "height")
    start, goal = table.numbers("start", names), table.numbers("goal", names)
    for key, point in (("start", start), ("goal", goal)):
        if point[0] < 0:
            raise InputError(f"{table.name}.{key} must not have a negative radius, got {point[0]}.")
    _check_extent(table, (start, goal))
    return Cylindrical(outputs, _profile(table), start, goal)


def _figure_eight(table: _Table, outputs: tuple[str, ...]) -> Path:
    if len(outputs) != 2:
        raise InputError(
            f"{table.name}.kind = 'figure-eight' must move two outputs, got {len(outputs)} "
            f"({', '.join(outputs)}); parts of kind = 'combined' can move the others."
        )
    centre, size = table.numbers("start", outputs), table.numbers("size", outputs)
    for sign in (-1.0, 1.0):
        end = tuple(c + sign * s for c, s in zip(centre, size, strict=True))
        _check_extent(table, (centre, end))
    return FigureEight(outputs, _profile(table), centre, size)


def _rotation(table: _Table, outputs: tuple[str, ...]) -> Path:
    _need_three(table, outputs, "three Bryant angles")
    angles = ("phi_1", "phi_2", "phi_3")
    by_axis = "axis" in table or "angle" in table
    if by_axis and "goal" in table:
        raise InputError(f"{table.name} must have either goal or axis and angle, got both.")
    if not by_axis and "goal" not in table:
        raise InputError(f"{table.name}.goal is missing (or axis and angle instead of it).")
    if not by_axis:
        start, goal = table.numbers("start", angles), table.numbers("goal", angles)
        return rotation_between(outputs, _profile(table), start, goal)
    start = table.numbers("start", angles) if "start" in table else (0.0, 0.0, 0.0)
    axis = np.array(table.numbers("axis", ("x", "y", "z")))
    length = float(np.linalg.norm(axis))
    if not 1e-100 < length < 1e100:
        raise InputError(f"{table.name}.axis must have a direction, got {axis.tolist()}.")
    unit = tuple((axis / length).tolist())
    return Rotation(outputs, _profile(table), start, unit, table.number("angle"))


def _waypoints(table: _Table, outputs: tuple[str, ...]) -> Path:
    name, rows = table.find("points")
    if not _is_list(rows) or len(rows) < 2:
        raise InputError(f"{name} must be a list of at least two points, got {_shown(rows)}.")
    points = tuple(_numbers(f"{name}[{i}]", row, outputs) for i, row in enumerate(rows))
    _check_extent(table, points)
    times = _times(table, len(points))
    if table.flag("stop"):
        legs = tuple(
            _profile(table, Fraction(end) - Fraction(begin), begin)
            for begin, end in pairwise(times)
        )
        return Stops(outputs, points, legs)
    if table.values.get("profile", "polynomial") != "polynomial" or "ramp" in table:
        raise InputError(
            f"{table.name}.profile and {table.name}.ramp need stop = true: a path that does not "
            "stop at its waypoints is a spline."
        )
    return Spline(outputs, points, times, table.smoothness())


def _spline(table: _Table, outputs: tuple[str, ...]) -> Path:
    name, degree = table.find("degree")
    if isinstance(degree, bool) or not isinstance(degree, int) or not 1 <= degree <= MAX_DEGREE:
        allowed = f"an integer from 1 to {MAX_DEGREE}"
        raise InputError(f"{name} must be {allowed}, got {_shown(degree)}.")
    name, rows = table.find("coefficients")
    if not _is_list(rows) or len(rows) <= degree:
        what = f"a list of at least {degree + 1} control points"
        raise InputError(f"{name} must be {what} for degree {degree}, got {_shown(rows)}.")
    points = tuple(_numbers(f"{name}[{i}]", row, outputs) for i, row in enumerate(rows))
    _check_extent(table, points)
    times = _knots(table, degree, len(points))
    moving = table.flag("moving_start"), table.flag("moving_end")
    return BSplinePath(outputs, degree, times, points, *moving)


def _knots(table: _Table, degree: int, count: int) -> tuple[float, ...]:
    """Return the knots of a spline in full, those at the ends degree + 1 times."""
    name, value = table.find("knots")
    if not _is_list(value) or len(value) != count + degree + 1:
        got = f"{len(value)} knots" if _is_list(value) else _shown(value)
        raise InputError(
            f"{name} must be a list of {count + degree + 1} times, degree + 1 more than the "
            f"{count} coefficients, got {got}."
        )
    times = tuple(_number(f"{name}[{i}]", v, "a number of seconds") for i, v in enumerate(value))
    first, last = times[: degree + 1], times[-degree - 1 :]
    if set(first) != {0.0} or len(set(last)) != 1:
        raise InputError(
            f"{name} must begin with {degree + 1} times 0 and end with {degree + 1} times the "
            f"duration, got {_shown(list(first))} and {_shown(list(last))}."
        )
    if any(b < a for a, b in pairwise(times)):
        i = next(i for i, (a, b) in enumerate(pairwise(times)) if b < a)
        raise InputError(f"{name} must not decrease, got {times[i]:g} before {times[i + 1]:g}.")
    if times[-1] < _SHORTEST:
        raise InputError(f"{name} must end at {_SHORTEST} s or later, got {times[-1]:g}.")
    for time, equal in Counter(times[degree + 1 : -degree - 1]).items():
        if equal > degree or time in (0.0, times[-1]):
            raise InputError(
                f"{name} has {time:g} too often: a knot between start and end stands at most "
                f"{degree} times, those at the ends {degree + 1} times."
            )
    if any(0.0 < b - a < _SHORTEST * times[-1] for a, b in pairwise(times)):
        raise InputError(f"{name} must be equal, or not closer than {_SHORTEST:g} of their last.")
    return times


def _hold(table: _Table, outputs: tuple[str, ...]) -> Path:
    name, value = table.find("value")
    row = value if _is_list(value) or len(outputs) != 1 else [value]
    return Hold(outputs, _numbers(name, row, outputs), table.duration())


def _combined(table: _Table, outputs: tuple[str, ...]) -> Path:
    name, rows = table.find("parts")
    if not _is_list(rows) or not rows:
        raise InputError(f"{name} must be a list of at least one table, got {_shown(rows)}.")
    parts: list[Path] = []
    given: dict[str, str] = {}
    for i, row in enumerate(rows):
        part = _Table(row, f"{name}[{i}]", table)
        names = _part_outputs(part, outputs)
        for output in names:
            if output in given:
                raise InputError(
                    f"{part.name}.outputs gives '{output}' again after {given[output]}."
                )
            given[output] = part.name
        parts.append(_build(part, names))
    missing = [output for output in outputs if output not in given]
    if missing:
        raise InputError(f"{name} must give every output once, missing: {', '.join(missing)}.")
    return Combined(outputs, tuple(parts))


def _part_outputs(part: _Table, outputs: tuple[str, ...]) -> tuple[str, ...]:
    name, value = part.find("outputs")
    if not _is_list(value) or not value or not all(isinstance(v, str) for v in value):
        raise InputError(f"{name} must be a list of names of outputs, got {_shown(value)}.")
    for output in value:
        if output not in outputs:
            raise unknown(f"output in {name}", output, outputs)
    return tuple(value)


_BUILD: dict[str, Callable[[_Table, tuple[str, ...]], Path]] = {
    "line": _line,
    "cylindrical": _cylindrical,
    "rotation": _rotation,
    "figure-eight": _figure_eight,
    "waypoints": _waypoints,
    "spline": _spline,
    "hold": _hold,
    "combined": _combined,
}


def _profile(table: _Table, length: Fraction | None = None, begin: float | Fraction = 0) -> Profile:
    """Make the profile of a table, or that of a leg of it."""
    duration = Fraction(table.duration()) if length is None else length
    owner = table.owner("profile")
    shape = table.text("profile", "path profile", tuple(PROFILES)) if owner else "polynomial"
    ramp_owner = table.owner("ramp")
    if shape == "polynomial":
        # a ramp is only then meant for others if this part chose its own profile
        if ramp_owner is not None and (ramp_owner is table or owner is not table):
            raise InputError(f"{ramp_owner.name}.ramp needs profile = 'three-phase'.")
        return polynomial(duration, table.smoothness(), begin)
    name, value = table.find("ramp")
    ramp = _number(name, value, "a positive number of seconds")
    if ramp <= 0:
        raise InputError(f"{name} must be a positive number of seconds, got {_shown(value)}.")
    if 2 * Fraction(ramp) > duration:
        what = table.find("duration")[0] if length is None else "every leg"
        raise InputError(
            f"{name} must be at most half of {what}, which is {float(duration):g} s, got {ramp:g}."
        )
    if ramp < _SHORTEST * duration:
        raise InputError(
            f"{name} must be at least {_SHORTEST:g} of the duration, got {_shown(value)}."
        )
    return three_phase(duration, ramp, table.smoothness(least=1), begin)


def _times(table: _Table, count: int) -> tuple[float, ...]:
    """Return the times of waypoints; without the key they are equally spaced."""
    if "times" not in table:
        duration = table.duration()
        return (*(duration * i / (count - 1) for i in range(count - 1)), duration)
    name, value = table.find("times")
    if not _is_list(value) or len(value) != count:
        raise InputError(f"{name} must have one time for each of the {count} points.")
    times = tuple(_number(f"{name}[{i}]", v, "a number of seconds") for i, v in enumerate(value))
    if times[0] != 0:
        raise InputError(f"{name} must begin with 0, got {_shown(value[0])}.")
    if any(b <= a for a, b in pairwise(times)):
        raise InputError(f"{name} must increase, got {list(times)}.")
    owner = table.owner("duration")
    if owner is table and table.duration() != times[-1]:
        raise InputError(f"{table.name}.duration must be the last of {name}, {times[-1]:g} s.")
    if times[-1] < _SHORTEST or any(b - a < _SHORTEST * times[-1] for a, b in pairwise(times)):
        raise InputError(f"{name} must not be closer than {_SHORTEST:g} of their last.")
    return times


def _need_three(table: _Table, outputs: tuple[str, ...], what: str) -> None:
    if len(outputs) != 3:
        raise InputError(
            f"{table.name}.kind = '{table.values['kind']}' gives {what} and needs three outputs, "
            f"got {len(outputs)} ({', '.join(outputs)})."
        )


def _check_extent(table: _Table, points: Sequence[tuple[float, ...]]) -> None:
    if not all(
        math.isfinite(y - x) for a, b in pairwise(points) for x, y in zip(a, b, strict=True)
    ):
        raise InputError(f"{table.name}: the points are too far apart for floating-point numbers.")


def _numbers(name: str, value: Any, names: Sequence[str]) -> tuple[float, ...]:
    if not _is_list(value) or len(value) != len(names):
        wanted = f"{len(names)} number{'s' if len(names) > 1 else ''} ({', '.join(names)})"
        raise InputError(f"{name} must be a list of {wanted}, got {_shown(value)}.")
    return tuple(_number(f"{name}[{i}]", v) for i, v in enumerate(value))


def _number(name: str, value: Any, what: str = "a finite number") -> float:
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise TypeError
        number = float(value)
    except (TypeError, OverflowError):
        raise InputError(f"{name} must be {what}, got {_shown(value)}.") from None
    if not math.isfinite(number):
        raise InputError(f"{name} must be {what}, got {_shown(value)}.")
    return number


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes)


def _shown(value: Any) -> str:
    """Write a value as in TOML, cut if it is long."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
