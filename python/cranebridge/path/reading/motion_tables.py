"""From the tables ``[crane.motion.NAME]`` of a scenario to what moves as prescribed over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cranebridge.errors import InputError, unknown
from cranebridge.numerics import read_csv_columns
from cranebridge.path import shapes
from cranebridge.path.base import Path
from cranebridge.path.kinds import KINDS, MOTIONS
from cranebridge.path.reading.entries import (
    EntryTable,
    is_list,
    read_number,
    read_numbers,
    shown,
)
from cranebridge.path.reading.table import build
from cranebridge.regular_files import require_regular

_DEGREE = 5
"""Of a record's spline: four derivatives are continuous, and cranes need two to four of them."""
_HIGHEST = 15
_SMOOTHED = 5
"""Highest degree of a spline that is smoothed."""


def make_motions(
    tables: Mapping[str, Any],
    motions: Sequence[str],
    units: Mapping[str, str],
    path: Path,
    key: str = "crane.motion",
) -> Path:
    """Return the path of a load together with what moves under it.

    Parameters
    ----------
    tables : mapping
        A table for each motion, with a ``kind`` of `cranebridge.path.kinds.MOTIONS` or ``KINDS``.
    motions : sequence of str
        Names of the crane's motions, in order.
    units : mapping of str to str
        Their units.
    path : Path
        Where the load shall go. A motion that has no duration of its own lasts as long as this and
        the others that have one; a path that is over before stays at its goal.
    key : str
        What the tables stand under, for messages.

    Raises
    ------
    InputError
        If a table, a key or a name is unknown or missing, or a value makes no sense.
    """
    for name in tables:
        if name not in motions:
            raise unknown(f"motion in {key}", str(name), motions)
    missing = [name for name in motions if name not in tables]
    if missing:
        raise InputError(
            f"{key}.{missing[0]} is missing: how does the motion '{missing[0]}' go over "
            f"time? Such as kind = 'harmonic', or kind = 'hold' and value = 0.0"
        )
    if not motions:
        return path
    read = {name: EntryTable(tables[name], f"{key}.{name}", units=units) for name in motions}
    durations = [table.duration() for table in read.values() if "duration" in table]
    length = max(path.duration, *durations) if durations else path.duration
    parts = [_motion(table, name, length) for name, table in read.items()]
    longest = max(part.duration for part in parts)
    if longest > length:  # one whose duration follows from its own keys
        parts = [_motion(table, name, longest) for name, table in read.items()]
    return shapes.Combined((*path.outputs, *motions), (path, *parts))


def _motion(table: EntryTable, name: str, length: float) -> Path:
    """Build a motion; one that never rests lasts as long as the whole."""
    known = (*MOTIONS, *(kind for kind in KINDS if kind not in ("optimal", "combined")))
    kind = table.text("kind", f"kind of {table.name}", known)
    if kind not in MOTIONS:
        values = dict(table.values)
        if kind == "hold":
            values["duration"] = length
        return build(EntryTable(values, table.name, units=table.units), (name,))
    keys = ("kind", *MOTIONS[kind].keys, *MOTIONS[kind].shared)
    for key in table.values:
        if key not in keys:
            raise unknown(f"key of {table.name} with kind '{kind}'", str(key), keys)
    return (_harmonic if kind == "harmonic" else _recorded)(table, name, length)


def _harmonic(table: EntryTable, name: str, length: float) -> Path:
    amplitudes, frequencies = _several(table, "amplitude"), _several(table, "frequency")
    phases = _several(table, "phase") if "phase" in table else (0.0,) * len(amplitudes)
    for key, found in (("frequency", frequencies), ("phase", phases)):
        if len(found) != len(amplitudes):
            raise InputError(
                f"{table.name}.{key} must have as many numbers as {table.name}.amplitude, "
                f"{len(amplitudes)}, got {len(found)}."
            )
    if any(frequency <= 0.0 for frequency in frequencies):
        raise InputError(f"{table.name}.frequency must be above 0 Hz, got {min(frequencies):g}.")
    mean = table.number("mean") if "mean" in table else 0.0
    return shapes.Harmonic(
        (name,), mean, tuple(zip(amplitudes, frequencies, phases, strict=True)), length
    )


def _several(table: EntryTable, key: str) -> tuple[float, ...]:
    """Return one number, or a list of them."""
    where, value = table.find(key)
    if not is_list(value):
        return (read_number(where, value, "a finite number, or a list of them"),)
    if not len(value):
        raise InputError(f"{where} must be a finite number, or a list of them, got [].")
    return read_numbers(where, value, [f"number {i + 1}" for i in range(len(value))])


def _recorded(table: EntryTable, name: str, length: float) -> Path:
    where, file = table.find("file")
    if not isinstance(file, str) or not file:
        raise InputError(f"{where} must be the name of a CSV file, got {shown(file)}.")
    column = table.values.get("value", name)
    if not isinstance(column, str):
        raise InputError(f"{table.name}.value must be a column's title, got {shown(column)}.")
    degree, smoothing = _degree(table), _not_negative(table, "smoothing")
    if smoothing and degree > _SMOOTHED:
        raise InputError(
            f"{table.name}.degree must be at most {_SMOOTHED} with smoothing, got {degree}."
        )
    require_regular(f"{where} = '{file}'", file)
    times, values = read_csv_columns(where, file, (column,))
    if len(times) <= degree:
        raise InputError(
            f"{where} = '{file}' has {len(times)} rows; a spline of degree {degree} needs more"
        )
    factor = table.number("factor") if "factor" in table else 1.0
    begin = table.number("begin") if "begin" in table else float(times[0])
    # a part of the last interval: decimal times do not add up to their sum
    room = 1e-9 * (1.0 + abs(begin) + length)
    if begin < times[0] - room or begin + length > times[-1] + room:
        raise InputError(
            f"{where} = '{file}' was recorded from {times[0]:g} to {times[-1]:g} s, but is needed "
            f"from {begin:g} to {begin + length:g} s: the motion lasts {length:g} s"
        )
    record = times, factor * values[:, 0]
    source = f"the {len(times)} values of '{file}'"
    return shapes.fitted(name, record, degree, smoothing, begin, length, source)


def _degree(table: EntryTable) -> int:
    value = table.values.get("degree", _DEGREE)
    allowed = range(3, _HIGHEST + 1, 2)
    if isinstance(value, bool) or not isinstance(value, int) or value not in allowed:
        raise InputError(
            f"{table.name}.degree must be an odd number from 3 to {_HIGHEST}, got {shown(value)}."
        )
    return value


def _not_negative(table: EntryTable, key: str) -> float:
    value = table.number(key) if key in table else 0.0
    if value < 0.0:
        raise InputError(f"{table.name}.{key} must not be negative, got {value:g}.")
    return value
