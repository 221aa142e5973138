"""Overrides of a scenario's keys: ``--set TABLE.KEY=VALUE``, mappings in Python, campaigns."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from cranebridge.errors import InputError
from cranebridge.scenario.tables import CraneTable

_ELEMENT = re.compile(r"(.+)\[(\d+)\]$")

Settings = Sequence[str] | Mapping[str, Any]
"""Overrides as texts ``TABLE.KEY=VALUE``, or values by key."""


def override_all(content: dict[str, Any], settings: Settings) -> None:
    """Put overrides into the content of a scenario file; see `override`."""
    if isinstance(settings, str):
        raise InputError(f"overrides are a list or a mapping, got the text '{settings}'")
    if not isinstance(settings, Mapping):
        for setting in settings:
            override(content, setting)
        return
    for key, value in settings.items():
        parts, plain = key_parts(str(key)), plain_value(value)
        if not _is_key(parts, plain):
            raise InputError(f"'{key}' is no key of a scenario: give TABLE.KEY, such as solve.step")
        if value is None:
            raise InputError(f"'{key}' cannot be None: leave it out, or give a value")
        put(content, parts, plain, f"'{key}'")


def plain_value(value: Any) -> Any:
    """Return a value as TOML has it: NumPy's numbers and arrays, tuples and paths made plain."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {str(key): plain_value(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(entry) for entry in value]
    return value


def override(content: dict[str, Any], setting: str) -> None:
    """Put one ``table.key=value`` into the content of a scenario file.

    A part of the key that has a dot itself stands in quotes: ``plant.map.signals."v.x"="v_x"``. One
    of several tables is named by its number, from 0 on: ``disturbance[0].value=50``. A whole table,
    or a list of them, can be given, too: ``disturbance=[{on="load.x", kind="constant", value=5}]``.
    """
    key, equals, text = setting.partition("=")
    parts, value = key_parts(key), _value(text)
    if not equals or not _is_key(parts, value):
        raise InputError(f"--set takes TABLE.KEY=VALUE, such as solve.step=0.005, got '{setting}'")
    put(content, parts, value, f"--set {setting}")


def _is_key(parts: list[str], value: Any) -> bool:
    """Return whether a value can stand there: in a table, or a whole table at its name."""
    return all(parts) and (len(parts) >= 2 or isinstance(value, dict | list))


def put(content: dict[str, Any], parts: list[str], value: Any, said: str) -> None:
    """Put a value at the parts of its key; ``crane.m`` is short for ``crane.parameters.m``.

    Raises
    ------
    InputError
        If the key leads through what is no table; it begins with `said`.
    """
    parts = _whole_key(parts)
    table: Any = content
    for part in parts[:-1]:
        match = _ELEMENT.match(part)
        if match is None:
            table = table.setdefault(part, {})
        else:
            table = _element(table.get(match[1]), match[1], int(match[2]), said)
        if isinstance(table, list):
            raise InputError(f"{said}: '{part}' has several tables; name one, such as {part}[0]")
        if not isinstance(table, dict):
            raise InputError(f"{said}: '{part}' is a value, not a table")
    table[parts[-1]] = value


def value_at(content: dict[str, Any], parts: list[str]) -> Any:
    """Return the value at the parts of a key; None if there is none."""
    place: Any = content
    for part in _whole_key(parts):
        match = _ELEMENT.match(part)
        place = place.get(part if match is None else match[1]) if isinstance(place, dict) else None
        if match is not None:
            number = int(match[2])
            place = place[number] if isinstance(place, list) and number < len(place) else None
    return place


def _whole_key(parts: list[str]) -> list[str]:
    """Return the parts of a key in full, with names of Modelica such as ``trolley.m`` whole."""
    if parts[0] == "crane" and len(parts) >= 2 and parts[1] not in CraneTable.model_fields:
        return ["crane", "parameters", ".".join(parts[1:])]
    if parts[:2] in (["crane", "parameters"], ["crane", "initial"]) or parts[0] == "limits":
        return [*parts[:2], *([".".join(parts[2:])] if parts[2:] else [])]
    return parts


def _element(tables: Any, name: str, number: int, said: str) -> Any:
    count = len(tables) if isinstance(tables, list) else 0
    if number >= count:
        raise InputError(f"{said}: the scenario has {count} tables '{name}', the first is [0]")
    return tables[number]


def key_parts(key: str) -> list[str]:
    """Return the parts of a dotted key, quoted ones whole."""
    return list(_parts(key))


@lru_cache(maxsize=256)  # each run of a campaign asks for the same ones
def _parts(key: str) -> tuple[str, ...]:
    try:
        nested: Any = tomllib.loads(f"{key} = 0")
    except (ValueError, RecursionError):
        return tuple(part.strip() for part in key.strip().split("."))
    parts: list[str] = []
    while isinstance(nested, dict) and nested:
        part, nested = next(iter(nested.items()))
        parts.append(part)
    return tuple(parts)


def _value(text: str) -> Any:
    """Return what TOML reads from a text; a bare word is a string."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text.strip()
