"""From ``[[disturbance]]`` to what disturbs the plant, every value checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from cranebridge.errors import InputError, unknown
from cranebridge.path.reading import EntryTable, is_list, read_number, shown
from cranebridge.verify import KEYS, KINDS, Disturbance


def read_disturbances(rows: Sequence[Mapping[str, Any]]) -> tuple[Disturbance, ...]:
    """Read ``[[disturbance]]``.

    Raises
    ------
    InputError
        If a key or a word is unknown or missing, or a value makes no sense. Whether the plant has
        what is disturbed is known when it is there.
    """
    return tuple(_disturbance(EntryTable(row, f"disturbance[{i}]")) for i, row in enumerate(rows))


def _disturbance(table: EntryTable) -> Disturbance:
    kind = table.text("kind", "kind of disturbance", tuple(KINDS))
    known = ("on", "kind", *KEYS[kind])
    for key in table.values:
        if key not in known:
            raise unknown(f"key of {table.name} with kind '{kind}'", str(key), known)
    name, on = table.find("on")
    if not isinstance(on, str) or not on:
        raise InputError(f"{name} must be a name in quotes, such as 'load.x', got {shown(on)}.")
    if kind == "table":
        times, values = _list(table, "times"), _list(table, "values")
        if len(times) != len(values):
            raise InputError(
                f"{table.name} must have a value for each time, got {len(times)} times and "
                f"{len(values)} values."
            )
        if any(later <= earlier for earlier, later in pairwise(times)):
            raise InputError(f"{table.name}.times must increase, got {shown(list(times))}.")
        return Disturbance(on, kind, times, values)
    times = tuple(table.number(key) for key in ("from", "until") if key in KEYS[kind])
    if len(times) == 2 and times[0] >= times[1]:
        raise InputError(f"{table.name}.from must be before its until, got {times[0]:g}.")
    return Disturbance(on, kind, times, (table.number("value"),))


def _list(table: EntryTable, key: str) -> tuple[float, ...]:
    name, value = table.find(key)
    if not is_list(value) or len(value) < 2:
        raise InputError(f"{name} must be a list of two numbers or more, got {shown(value)}.")
    return tuple(read_number(f"{name}[{i}]", v) for i, v in enumerate(value))
