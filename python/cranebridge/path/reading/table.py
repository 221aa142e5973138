"""From the ``[path]`` table of a scenario to a path, with every value checked and named."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from cranebridge.errors import InputError, unknown
from cranebridge.path import shapes
from cranebridge.path.base import Path
from cranebridge.path.kinds import KINDS, LIMITS
from cranebridge.path.profiles import MAX_SMOOTHNESS, Profile
from cranebridge.path.reading.entries import (
    SHORTEST,
    EntryTable,
    is_list,
    read_number,
    read_numbers,
    shown,
)
from cranebridge.path.reading.timed_profiles import limited_profile, profile_name, timed_profile

MAX_DEGREE = 2 * MAX_SMOOTHNESS + 1
"""Highest degree of a spline: that of the smoothest step."""


def make_path(
    table: Mapping[str, Any], outputs: Sequence[str], units: Mapping[str, str] | None = None
) -> Path:
    """Build the path that the ``[path]`` table of a scenario describes.

    Parameters
    ----------
    table : mapping
        The parsed table. ``kind`` is one of `cranebridge.path.kinds.KINDS`, where the further keys
        of each stand, too.
    outputs : sequence of str
        Names of the crane's outputs, in order.
    units : mapping of str to str, optional
        Their units; with these, one limit of speed for metres and radians together is refused.

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
    return build(EntryTable(table, "path", units=units or {}), tuple(outputs))


def build(table: EntryTable, outputs: tuple[str, ...]) -> Path:
    """Build the path that a table describes, whatever it is called; see `make_path`."""
    kind = table.text("kind", "path kind", tuple(KINDS))
    keys = (*KINDS[kind].keys, *KINDS[kind].shared)
    known = ("kind", *keys, *(("outputs",) if table.parent else ()))
    for key in table.values:
        if key not in known:
            raise unknown(f"key of {table.name} with kind '{kind}'", str(key), known)
    return _BUILD[kind](table, outputs)


def _line(table: EntryTable, outputs: tuple[str, ...]) -> Path:
    start, goal = table.numbers("start", outputs), table.numbers("goal", outputs)
    _check_extent(table, (start, goal))
    _check_units(table, outputs)
    return shapes.Line(outputs, start, goal, _profile(table, math.dist(start, goal)))


def _cylindrical(table: EntryTable, outputs: tuple[str, ...]) -> Path:
    _need_three(table, outputs, "x, y and z")
    names = ("radius", "angle", "height")
    start, goal = table.numbers("start", names), table.numbers("goal", names)
    for key, point in (("start", start), ("goal", goal)):
        if point[0] < 0:
            raise InputError(f"{table.name}.{key} must not have a negative radius, got {point[0]}.")
    _check_extent(table, (start, goal))
    distance = shapes.cylindrical_length(start, goal)
    if distance is None and profile_name(table) == "s-curve":
        raise InputError(
            f"{table.name}.profile = 's-curve' needs a way on which the load is as fast as its "
            "progress: start and goal must have the same radius or the same angle."
        )
    return shapes.Cylindrical(outputs, _profile(table, distance or 0.0), start, goal)


def _figure_eight(table: EntryTable, outputs: tuple[str, ...]) -> Path:
    if len(outputs) != 2:
        raise InputError(
            f"{table.name}.kind = 'figure-eight' must move two outputs, got {len(outputs)} "
            f"({', '.join(outputs)}); parts of kind = 'combined' can move the others."
        )
    if profile_name(table) == "s-curve":
        raise InputError(
            f"{table.name}.profile = 's-curve' needs a way on which the load is as fast as its "
            "progress; a figure eight is none."
        )
    centre, size = table.numbers("start", outputs), table.numbers("size", outputs)
    for sign in (-1.0, 1.0):
        end = tuple(c + sign * s for c, s in zip(centre, size, strict=True))
        _check_extent(table, (centre, end))
    return shapes.FigureEight(outputs, timed_profile(table), centre, size)


def _rotation(table: EntryTable, outputs: tuple[str, ...]) -> Path:
    _need_three(table, outputs, "three Bryant angles")
    angles = ("phi_1", "phi_2", "phi_3")
    by_axis = "axis" in table or "angle" in table
    if by_axis and "goal" in table:
        raise InputError(f"{table.name} must have either goal or axis and angle, got both.")
    if not by_axis and "goal" not in table:
        raise InputError(f"{table.name}.goal is missing (or axis and angle instead of it).")
    if not by_axis:
        start, goal = table.numbers("start", angles), table.numbers("goal", angles)
        return shapes.rotation_between(outputs, lambda angle: _profile(table, angle), start, goal)
    start = table.numbers("start", angles) if "start" in table else (0.0, 0.0, 0.0)
    axis = np.array(table.numbers("axis", ("x", "y", "z")))
    length = float(np.linalg.norm(axis))
    if not 1e-100 < length < 1e100:
        raise InputError(f"{table.name}.axis must have a direction, got {axis.tolist()}.")
    unit = tuple((axis / length).tolist())
    angle = table.number("angle")
    return shapes.Rotation(outputs, _profile(table, abs(angle)), start, unit, angle)


def _waypoints(table: EntryTable, outputs: tuple[str, ...]) -> Path:
    name, rows = table.find("points")
    if not is_list(rows) or len(rows) < 2:
        raise InputError(f"{name} must be a list of at least two points, got {shown(rows)}.")
    points = tuple(read_numbers(f"{name}[{i}]", row, outputs) for i, row in enumerate(rows))
    _check_extent(table, points)
    if table.flag("stop"):
        _check_units(table, outputs)
        return shapes.Stops(outputs, points, _legs(table, points))
    times = _times(table, len(points))
    shaping = ("ramp", *LIMITS)
    if table.values.get("profile", "polynomial") != "polynomial" or any(
        key in table for key in shaping
    ):
        given = next((key for key in shaping if key in table), "ramp")
        raise InputError(
            f"{table.name}.profile and {table.name}.{given} need stop = true: a path that does not "
            "stop at its waypoints is a spline."
        )
    return shapes.Spline(outputs, points, times, table.smoothness())


def _legs(table: EntryTable, points: Sequence[tuple[float, ...]]) -> tuple[Profile, ...]:
    """Return the profiles from point to point."""
    if profile_name(table) != "s-curve":
        return tuple(
            timed_profile(table, Fraction(end) - Fraction(begin), begin)
            for begin, end in pairwise(_times(table, len(points)))
        )
    legs: list[Profile] = []
    for number, ends in enumerate(pairwise(points), start=1):
        begin = legs[-1].pieces[-1].end if legs else 0
        legs.append(limited_profile(table, math.dist(*ends), f"leg {number}", begin))
    return tuple(legs)


def _profile(table: EntryTable, distance: float) -> Profile:
    """Make the profile for a way of some length [m or rad]."""
    if profile_name(table) == "s-curve":
        return limited_profile(table, distance)
    return timed_profile(table)


def _spline(table: EntryTable, outputs: tuple[str, ...]) -> Path:
    name, degree = table.find("degree")
    if isinstance(degree, bool) or not isinstance(degree, int) or not 1 <= degree <= MAX_DEGREE:
        allowed = f"an integer from 1 to {MAX_DEGREE}"
        raise InputError(f"{name} must be {allowed}, got {shown(degree)}.")
    name, rows = table.find("coefficients")
    if not is_list(rows) or len(rows) <= degree:
        what = f"a list of at least {degree + 1} control points"
        raise InputError(f"{name} must be {what} for degree {degree}, got {shown(rows)}.")
    points = tuple(read_numbers(f"{name}[{i}]", row, outputs) for i, row in enumerate(rows))
    _check_extent(table, points)
    times = _knots(table, degree, len(points))
    moving = table.flag("moving_start"), table.flag("moving_end")
    return shapes.BSplinePath(outputs, degree, times, points, *moving)


def _knots(table: EntryTable, degree: int, count: int) -> tuple[float, ...]:
    """Return the knots of a spline in full, those at the ends degree + 1 times."""
    name, value = table.find("knots")
    if not is_list(value) or len(value) != count + degree + 1:
        got = f"{len(value)} knots" if is_list(value) else shown(value)
        raise InputError(
            f"{name} must be a list of {count + degree + 1} times, degree + 1 more than the "
            f"{count} coefficients, got {got}."
        )
    times = tuple(
        read_number(f"{name}[{i}]", v, "a number of seconds") for i, v in enumerate(value)
    )
    first, last = times[: degree + 1], times[-degree - 1 :]
    if set(first) != {0.0} or len(set(last)) != 1:
        raise InputError(
            f"{name} must begin with {degree + 1} times 0 and end with {degree + 1} times the "
            f"duration, got {shown(list(first))} and {shown(list(last))}."
        )
    if any(b < a for a, b in pairwise(times)):
        i = next(i for i, (a, b) in enumerate(pairwise(times)) if b < a)
        raise InputError(f"{name} must not decrease, got {times[i]:g} before {times[i + 1]:g}.")
    if times[-1] < SHORTEST:
        raise InputError(f"{name} must end at {SHORTEST} s or later, got {times[-1]:g}.")
    for time, equal in Counter(times[degree + 1 : -degree - 1]).items():
        if equal > degree or time in (0.0, times[-1]):
            raise InputError(
                f"{name} has {time:g} too often: a knot between start and end stands at most "
                f"{degree} times, those at the ends {degree + 1} times."
            )
    if any(0.0 < b - a < SHORTEST * times[-1] for a, b in pairwise(times)):
        raise InputError(f"{name} must be equal, or not closer than {SHORTEST:g} of their last.")
    return times


def _pieces(table: EntryTable, outputs: tuple[str, ...]) -> Path:
    name, rows = table.find("derivatives")
    if not is_list(rows) or not rows or not all(is_list(row) and row for row in rows):
        raise InputError(f"{name} must be a list of pieces, each of rows, got {shown(rows)}.")
    pieces = tuple(
        tuple(read_numbers(f"{name}[{i}][{k}]", row, outputs) for k, row in enumerate(piece))
        for i, piece in enumerate(rows)
    )
    if len({len(piece) for piece in pieces}) != 1:
        raise InputError(f"{name} must have as many rows in every piece.")
    if len(pieces[0]) - 1 > MAX_DEGREE:
        raise InputError(f"{name} must have at most {MAX_DEGREE + 1} rows in a piece.")
    name, value = table.find("knots")
    if not is_list(value) or len(value) != len(pieces) + 1:
        raise InputError(f"{name} must have one time more than the {len(pieces)} pieces.")
    times = tuple(
        read_number(f"{name}[{i}]", v, "a number of seconds") for i, v in enumerate(value)
    )
    if times[0] != 0.0 or any(b <= a for a, b in pairwise(times)) or times[-1] < SHORTEST:
        raise InputError(f"{name} must begin with 0 and increase, got {shown(list(times))}.")
    moving = table.flag("moving_start"), table.flag("moving_end")
    path = shapes.Pieces(outputs, times, pieces, table.smoothness(), *moving)
    missed = path.largest_jump()
    if missed > 1e-6:
        raise InputError(
            f"{table.name}: its pieces do not join, or an end does not rest, up to derivative "
            f"{path.order}: they miss by {missed:.1e} of its largest value."
        )
    return path


def _optimal(table: EntryTable, outputs: tuple[str, ...]) -> Path:
    raise InputError(
        f"{table.name}.kind must be another one here: 'optimal' is found for the whole path of a "
        "scenario, not for a part of it."
    )


def _hold(table: EntryTable, outputs: tuple[str, ...]) -> Path:
    name, value = table.find("value")
    row = value if is_list(value) or len(outputs) != 1 else [value]
    return shapes.Hold(outputs, read_numbers(name, row, outputs), table.duration())


def _combined(table: EntryTable, outputs: tuple[str, ...]) -> Path:
    name, rows = table.find("parts")
    if not is_list(rows) or not rows:
        raise InputError(f"{name} must be a list of at least one table, got {shown(rows)}.")
    parts: list[tuple[EntryTable, tuple[str, ...]]] = []
    given: dict[str, str] = {}
    for i, row in enumerate(rows):
        part = EntryTable(row, f"{name}[{i}]", table)
        names = _part_outputs(part, outputs)
        for output in names:
            if output in given:
                raise InputError(
                    f"{part.name}.outputs gives '{output}' again after {given[output]}."
                )
            given[output] = part.name
        parts.append((part, names))
    missing = [output for output in outputs if output not in given]
    if missing:
        raise InputError(f"{name} must give every output once, missing: {', '.join(missing)}.")
    return shapes.Combined(outputs, _build_parts(parts))


def _build_parts(parts: Sequence[tuple[EntryTable, tuple[str, ...]]]) -> tuple[Path, ...]:
    """Build the parts; those that hold without a duration do so as long as the others move."""
    open_ended = [
        part.values.get("kind") == "hold" and part.owner("duration") is None for part, _ in parts
    ]
    built = {
        i: build(part, names)
        for i, (part, names) in enumerate(parts)
        if not open_ended[i] or all(open_ended)
    }
    longest = max(path.duration for path in built.values())
    for i, (part, names) in enumerate(parts):
        if i not in built:
            values = {**part.values, "duration": longest}
            built[i] = build(EntryTable(values, part.name, part.parent), names)
    return tuple(built[i] for i in range(len(parts)))


def _part_outputs(part: EntryTable, outputs: tuple[str, ...]) -> tuple[str, ...]:
    name, value = part.find("outputs")
    if not is_list(value) or not value or not all(isinstance(v, str) for v in value):
        raise InputError(f"{name} must be a list of names of outputs, got {shown(value)}.")
    for output in value:
        if output not in outputs:
            raise unknown(f"output in {name}", output, outputs)
    return tuple(value)


_BUILD: dict[str, Callable[[EntryTable, tuple[str, ...]], Path]] = {
    "line": _line,
    "cylindrical": _cylindrical,
    "figure-eight": _figure_eight,
    "rotation": _rotation,
    "waypoints": _waypoints,
    "spline": _spline,
    "pieces": _pieces,
    "optimal": _optimal,
    "hold": _hold,
    "combined": _combined,
}


def _times(table: EntryTable, count: int) -> tuple[float, ...]:
    """Return the times of waypoints; without the key they are equally spaced."""
    if "times" not in table:
        duration = table.duration()
        return (*(duration * i / (count - 1) for i in range(count - 1)), duration)
    name, value = table.find("times")
    if not is_list(value) or len(value) != count:
        raise InputError(f"{name} must have one time for each of the {count} points.")
    times = tuple(
        read_number(f"{name}[{i}]", v, "a number of seconds") for i, v in enumerate(value)
    )
    if times[0] != 0:
        raise InputError(f"{name} must begin with 0, got {shown(value[0])}.")
    if any(b <= a for a, b in pairwise(times)):
        raise InputError(f"{name} must increase, got {list(times)}.")
    owner = table.owner("duration")
    if owner is table and table.duration() != times[-1]:
        raise InputError(f"{table.name}.duration must be the last of {name}, {times[-1]:g} s.")
    if times[-1] < SHORTEST or any(b - a < SHORTEST * times[-1] for a, b in pairwise(times)):
        raise InputError(f"{name} must not be closer than {SHORTEST:g} of their last.")
    return times


def _need_three(table: EntryTable, outputs: tuple[str, ...], what: str) -> None:
    if len(outputs) != 3:
        raise InputError(
            f"{table.name}.kind = '{table.values['kind']}' gives {what} and needs three outputs, "
            f"got {len(outputs)} ({', '.join(outputs)})."
        )


def _check_units(table: EntryTable, outputs: tuple[str, ...]) -> None:
    """Refuse limits along a way in outputs of different units."""
    if profile_name(table) == "s-curve" and len({table.unit_of(name) for name in outputs}) > 1:
        shown_units = ", ".join(f"{name} [{table.unit_of(name)}]" for name in outputs)
        raise InputError(
            f"{table.name}.profile = 's-curve' has one limit of speed, and the outputs differ in "
            f"unit: {shown_units}; use kind = 'combined' with a part for each unit."
        )


def _check_extent(table: EntryTable, points: Sequence[tuple[float, ...]]) -> None:
    if not all(
        math.isfinite(y - x) for a, b in pairwise(points) for x, y in zip(a, b, strict=True)
    ):
        raise InputError(f"{table.name}: the points are too far apart for floating-point numbers.")
