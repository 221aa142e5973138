"""Overrides of a scenario's keys, as ``--set TABLE.KEY=VALUE`` gives them."""

from __future__ import annotations

import tomllib
from typing import Any

from cranebridge.errors import InputError
from cranebridge.scenario.schema import CraneTable


def override(content: dict[str, Any], setting: str) -> None:
    """Put one ``table.key=value`` into the content of a scenario file.

    A part of the key that has a dot itself stands in quotes: ``plant.map.signals."v.x"="v_x"``.
    """
    key, equals, text = setting.partition("=")
    parts = _parts(key)
    if not equals or len(parts) < 2 or not all(parts):
        raise InputError(f"--set takes TABLE.KEY=VALUE, such as solve.step=0.005, got '{setting}'")
    if parts[0] == "crane" and len(parts) == 2 and parts[1] not in CraneTable.model_fields:
        parts.insert(1, "parameters")
    table: Any = content
    for part in parts[:-1]:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise InputError(f"--set {setting}: '{part}' is a value, not a table")
    table[parts[-1]] = _value(text)


def _parts(key: str) -> list[str]:
    """Return the parts of a dotted key, quoted ones whole."""
    try:
        nested: Any = tomllib.loads(f"{key} = 0")
    except (ValueError, RecursionError):
        return [part.strip() for part in key.strip().split(".")]
    parts = []
    while isinstance(nested, dict) and nested:
        part, nested = next(iter(nested.items()))
        parts.append(part)
    return parts


def _value(text: str) -> Any:
    """Return what TOML reads from a text; a bare word is a string."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text.strip()
