"""Entries of a ``[path]`` table: found, inherited by parts, checked, and named in messages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cranebridge.errors import InputError, unknown
from cranebridge.path.kinds import SHAPE
from cranebridge.path.profiles import MAX_SMOOTHNESS

_DEFAULT_SMOOTHNESS = 4  # index 5, that of most cranes, needs four derivatives
SHORTEST = 1e-6
"""Shortest duration [s], and shortest ramp or leg as a part of the duration.

Below this high derivatives leave the range of floating-point numbers.
"""


@dataclass(frozen=True)
class EntryTable:
    """A table of a scenario, its name in messages, and the table that it inherits from.

    The outermost one also has the units of the outputs, as far as they are known.
    """

    values: Mapping[str, Any]
    name: str
    parent: EntryTable | None = None
    units: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.values, Mapping):
            raise InputError(f"{self.name} must be a table, got {shown(self.values)}.")

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def owner(self, key: str) -> EntryTable | None:
        """Return the table that gives a key: this one, or one that it inherits from."""
        if key in self.values:
            return self
        return self.parent.owner(key) if self.parent and key in SHAPE else None

    def unit_of(self, output: str) -> str:
        """Return the unit of an output; empty if it is not known."""
        return self.parent.unit_of(output) if self.parent else self.units.get(output, "")

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
            raise InputError(f"{name} must be a name in quotes, got {shown(value)}.")
        if value not in known:
            raise unknown(kind, value, known)
        return value

    def number(self, key: str) -> float:
        """Return a finite number."""
        name, value = self.find(key)
        return read_number(name, value)

    def positive(self, key: str) -> float:
        """Return a positive number."""
        value = self.number(key)
        if value <= 0.0:
            raise InputError(f"{self.name}.{key} must be a positive number, got {value:g}.")
        return value

    def numbers(self, key: str, names: Sequence[str]) -> tuple[float, ...]:
        """Return a finite number for each of the names."""
        name, value = self.find(key)
        return read_numbers(name, value, names)

    def flag(self, key: str) -> bool:
        """Return whether something is so; it is not if the key is not there."""
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise InputError(f"{self.name}.{key} must be true or false, got {shown(value)}.")
        return value

    def duration(self) -> float:
        """Return the duration in seconds."""
        name, value = self.find("duration")
        seconds = read_number(name, value, "a positive number of seconds")
        if seconds <= 0:
            raise InputError(f"{name} must be a positive number of seconds, got {shown(value)}.")
        if seconds < SHORTEST:
            raise InputError(f"{name} must be at least {SHORTEST} s, got {shown(value)}.")
        return seconds

    def smoothness(self, least: int = 0) -> int:
        """Return the continuity class, as a rule 4."""
        if self.owner("smoothness") is None:
            return _DEFAULT_SMOOTHNESS
        name, value = self.find("smoothness")
        allowed = f"an integer from {least} to {MAX_SMOOTHNESS}"
        if isinstance(value, bool) or not isinstance(value, int):
            raise InputError(f"{name} must be {allowed}, got {shown(value)}.")
        if not least <= value <= MAX_SMOOTHNESS:
            raise InputError(f"{name} must be {allowed}, got {value}.")
        return value


def read_numbers(name: str, value: Any, names: Sequence[str]) -> tuple[float, ...]:
    """Return a list's finite numbers, one for each of the names."""
    if not is_list(value) or len(value) != len(names):
        wanted = f"{len(names)} number{'s' if len(names) > 1 else ''} ({', '.join(names)})"
        raise InputError(f"{name} must be a list of {wanted}, got {shown(value)}.")
    return tuple(read_number(f"{name}[{i}]", v) for i, v in enumerate(value))


def read_number(name: str, value: Any, what: str = "a finite number") -> float:
    """Return a finite number."""
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise TypeError
        number = float(value)
    except (TypeError, OverflowError):
        raise InputError(f"{name} must be {what}, got {shown(value)}.") from None
    if not math.isfinite(number):
        raise InputError(f"{name} must be {what}, got {shown(value)}.")
    return number


def is_list(value: Any) -> bool:
    """Return whether a value is a list, and not a text."""
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes)


def shown(value: Any) -> str:
    """Write a value as in TOML, cut if it is long."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
