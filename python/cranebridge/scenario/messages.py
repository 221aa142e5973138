"""What is wrong with the tables of a scenario, as a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from cranebridge.errors import InputError, unknown
from cranebridge.scenario.tables import CHOICE, RULE, ReportTable, ScenarioTables

_PHRASES = {
    "model_type": "a table",
    "dict_type": "a table",
    "string_type": "text in quotes",
    "list_type": "a list",
    "bool_type": "true or false",
}
_LONGEST = 60


def sentence(error: ValidationError, source: str) -> InputError:
    """Return the first of pydantic's findings as an error that names the key.

    A misspelt key comes first: what is missing then may be the same key.
    """
    found = error.errors(include_url=False)
    first = next((entry for entry in found if entry["type"] == "extra_forbidden"), found[0])
    kind, given = first["type"], first.get("input")
    *table, key = (shown(str(part)) for part in first["loc"])
    location = ".".join((*table, key))
    if kind == "extra_forbidden":
        return _unknown_key(table, key, source)
    if kind == "missing":
        return InputError(f"scenario '{source}' has no {location}; add it")
    if kind == CHOICE:
        known = first["ctx"]["known"]
        if isinstance(given, str):
            return unknown(f"value of {location}", given, known)
        return InputError(f"{location} must be one of {', '.join(known)}, got {shown(given)}")
    phrase = first["msg"] if kind == RULE else _PHRASES.get(kind, first["msg"].lower())
    return InputError(f"{location} must be {phrase}, got {shown(given)}")


def shown(value: object) -> str:
    """Return a value as it can stand in a message: on one line, cut if it is long."""
    if isinstance(value, bool):
        return str(value).lower()
    text = value if isinstance(value, str) and value.isprintable() else repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _unknown_key(table: Sequence[str], key: str, source: str) -> InputError:
    if not table:
        return unknown("table of a scenario", key, ScenarioTables.model_fields)
    model = _model(table)
    if model is ReportTable:
        return InputError(f"[report] of scenario '{source}' takes no keys, got '{key}'; remove it")
    known: Iterable[str] = model.model_fields if model is not None else ()
    return unknown(f"key in [{'.'.join(table)}] of scenario '{source}'", key, known)


def _model(table: Sequence[str]) -> type[BaseModel] | None:
    """Return the model of a table such as ``plant.drives.F_t``."""
    found: Any = ScenarioTables
    for part in table:
        fields = getattr(found, "model_fields", {})
        # below a table by name, such as plant.drives, every name has the same model
        found = fields[part].annotation if part in fields else (get_args(found) or (None,))[-1]
    return found if isinstance(found, type) and issubclass(found, BaseModel) else None
