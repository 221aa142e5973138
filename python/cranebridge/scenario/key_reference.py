"""All keys of a scenario with default, meaning and words, from schema and registries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, get_args, get_origin

from cranebridge.path import KEYS, KINDS, MOTION_KEYS, MOTIONS, PROFILES
from cranebridge.plan.task import KINDS as OBSTACLES
from cranebridge.plan.task import MEANINGS
from cranebridge.scenario.tables import REQUIRED, Choice, ScenarioTables, Table, TableField
from cranebridge.verify import KINDS as DISTURBANCES
from cranebridge.verify import MEANINGS as DISTURBANCE_KEYS


@dataclass(frozen=True)
class Key:
    """A key of a scenario.

    Attributes
    ----------
    table, name : str
        Such as ``"solve"`` and ``"step"``; NAME stands for a name of the user's.
    meaning : str
        In a few words, beginning with its unit.
    default : object
        None where it must be given or nothing is meant by leaving it out.
    words : mapping of str to str
        What it can be chosen from, with a sentence each; empty where that is free.
    """

    table: str
    name: str
    meaning: str
    default: Any = None
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def toml(self) -> str:
        """The default as TOML writes it."""
        if self.default is None or self.default in ({}, [], ""):
            return ""
        if isinstance(self.default, bool):
            return str(self.default).lower()
        return f'"{self.default}"' if isinstance(self.default, str) else repr(self.default)


def keys(table: str = "") -> list[Key]:
    """Return all keys, or those of a table and of the tables in it."""
    return [
        key
        for key in _keys("", ScenarioTables)
        if not table or key.table == table or key.table.startswith(f"{table}.")
    ]


def _path_keys() -> Iterator[Key]:
    words = {
        "kind": {
            name: f"{kind.meaning} (keys: {', '.join(kind.keys)})" for name, kind in KINDS.items()
        },
        "profile": dict(PROFILES),
    }
    for name, meaning in KEYS.items():
        yield Key("path", name, meaning, words=words.get(name, {}))


def _motion_keys() -> Iterator[Key]:
    words = {
        name: f"{kind.meaning} (keys: {', '.join(kind.keys)})" for name, kind in MOTIONS.items()
    }
    for name, meaning in MOTION_KEYS.items():
        yield Key(MOTION_TABLE, name, meaning, words=words if name == "kind" else {})


MOTION_TABLE = "crane.motion.NAME"
"""Of cranes that have motions."""

LISTS: Mapping[str, tuple[Mapping[str, str], Mapping[str, str]]] = {
    "obstacles": (MEANINGS, OBSTACLES),
    "disturbance": (DISTURBANCE_KEYS, DISTURBANCES),
}
"""Tables of which there can be several: their keys with meanings, and their kinds."""


def _list_keys(table: str) -> Iterator[Key]:
    meanings, kinds = LISTS[table]
    for name, meaning in meanings.items():
        yield Key(table, name, meaning, words=kinds if name == "kind" else {})


def _keys(table: str, model: type[Table]) -> Iterator[Key]:
    for name, info in model.model_fields.items():
        inner, by_name = _inner(info)
        place = f"{table}.{name}" if table else name
        if table:
            default = None if info.default is REQUIRED else info.default
            shown = None if isinstance(default, Table) else default
            yield Key(table, name, info.description, shown, _words(info))
        if place == "path":
            yield from _path_keys()
        elif f"{place}.NAME" == MOTION_TABLE:
            yield from _motion_keys()
        elif place in LISTS:
            yield from _list_keys(place)
        elif inner is not None and get_origin(info.annotation) is list:
            yield from _keys(f"[{place}]", inner)  # as TOML writes a list of tables
        elif inner is not None:
            yield from _keys(f"{place}.NAME" if by_name else place, inner)


def _inner(info: TableField) -> tuple[type[Table] | None, bool]:
    """Return the model of a table, and whether there is one for each name."""
    options = [option for option in get_args(info.annotation) if option is not NoneType]
    named = get_origin(info.annotation) in (dict, list)
    for option, by_name in ((info.annotation, False), (options[-1] if options else None, named)):
        if isinstance(option, type) and issubclass(option, Table):
            return option, by_name
    return None, False


def _words(info: TableField) -> Mapping[str, str]:
    return info.rule.words if isinstance(info.rule, Choice) else {}


def _title(table: str) -> str:
    """Return how a table is written in TOML."""
    return f"[[{table}]]" if table in LISTS else f"[{table}]"


def markdown() -> str:
    """Return the tables of keys and words for the documentation."""
    found = keys()
    parts = []
    for table in dict.fromkeys(key.table for key in found):
        parts.append(f"### `{_title(table)}`\n\n| key | default | meaning |\n|---|---|---|\n")
        own = [key for key in found if key.table == table]
        for key in own:
            default = f"`{key.toml}`" if key.toml else ""
            parts.append(f"| `{key.name}` | {default} | {key.meaning} |\n")
        parts.append("\n")
        for key in own:
            if key.words:
                parts.append(f"| `{key.name}` of `{_title(table)}` | what it means |\n|---|---|\n")
                parts += [f"| `{word}` | {meaning} |\n" for word, meaning in key.words.items()]
                parts.append("\n")
    return "".join(parts).rstrip() + "\n"
