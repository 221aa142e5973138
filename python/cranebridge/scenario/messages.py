"""What is wrong with the tables of a scenario, as a sentence."""

from __future__ import annotations

from cranebridge.errors import InputError, unknown
from cranebridge.scenario.tables import Mistake, TableError

_LONGEST = 60


def sentence(error: TableError, source: str) -> InputError:
    """Return the first of the mistakes as an error that names the key.

    A misspelt key comes first: what is missing then may be the same key.
    """
    found = error.mistakes
    first = next((mistake for mistake in found if mistake.kind == "unknown key"), found[0])
    location = ".".join(map(_part, first.location))
    if first.kind == "unknown key":
        return _unknown_key(first, source)
    if first.kind == "missing key":
        return InputError(f"scenario '{source}' has no {location}; add it")
    if first.kind == "unknown word" and isinstance(first.value, str):
        return unknown(f"value of {location}", first.value, first.known)
    phrase = f"one of {', '.join(first.known)}" if first.known else first.phrase
    return InputError(f"{location} must be {phrase}, got {shown(first.value)}")


def shown(value: object) -> str:
    """Return a value as it can stand in a message: on one line, cut if it is long."""
    if isinstance(value, bool):
        return str(value).lower()
    text = value if isinstance(value, str) and value.isprintable() else repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _part(part: str | int) -> str:
    return shown(str(part))


def _unknown_key(mistake: Mistake, source: str) -> InputError:
    *parts, key = map(_part, mistake.location)
    table = ".".join(parts)
    if not table:
        return unknown("table of a scenario", key, mistake.known)
    if not mistake.known:
        return InputError(f"[{table}] of scenario '{source}' takes no keys, got '{key}'; remove it")
    return unknown(f"key in [{table}] of scenario '{source}'", key, mistake.known)
