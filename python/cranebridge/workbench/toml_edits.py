"""Changes of a scenario's text that leave everything else as it was written, comments included.

A change is a place, which is a list of keys and list positions, and a value; None takes the entry
away, the position behind the last appends. The same changes can be made on plain tables: what the
text says afterwards is compared with that, so that no edit ever means something else.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array, Item

from cranebridge.errors import InputError

Key = str | int
DEEPEST = 20
"""Keys of a place, and lists in a value."""


@dataclass(frozen=True)
class Change:
    """An entry of a scenario and its new value; None takes it away.

    Attributes
    ----------
    place : tuple of str or int
        Keys and list positions.
    value : object
        What stands there afterwards.
    whole : bool
        Whether it is a whole number also where none was before.
    """

    place: tuple[Key, ...]
    value: Any
    whole: bool = False


def read_changes(rows: Any) -> list[Change]:
    """Return changes from what a page sent, checked."""
    if not isinstance(rows, list):
        raise InputError("changes must be a list")
    return [_read(row) for row in rows]


def _read(row: Any) -> Change:
    place = row.get("place") if isinstance(row, dict) else None
    if not isinstance(place, list) or not place or "value" not in row:
        raise InputError("a change needs a place, a list of keys, and a value")
    if len(place) > DEEPEST:
        raise InputError("a change is nested too deeply")
    _require_ordinary(row["value"])
    for key in place:
        if isinstance(key, bool) or not isinstance(key, str | int):
            raise InputError(f"a place is made of keys and positions, got {key!r}")
    whole = row.get("whole") is True and isinstance(row["value"], int)
    return Change(tuple(place), row["value"], whole)


def _require_ordinary(value: Any) -> None:
    """Refuse values that are nested too deeply, and whole numbers beyond 64 bits.

    Read level by level: what comes from a page must not end in a recursion.
    """
    level = [value]
    for _ in range(DEEPEST):
        if any(isinstance(one, int) and one.bit_length() > 64 for one in level):
            raise InputError("a whole number has more than 64 bits; give a smaller one")
        level = [
            entry
            for one in level
            if isinstance(one, list | dict)
            for entry in (one.values() if isinstance(one, dict) else one)
        ]
    if level:
        raise InputError("a change is nested too deeply")


def changed_tables(content: Mapping[str, Any], changes: Sequence[Change]) -> dict[str, Any]:
    """Return tables with changes; the given ones stay as they are."""
    tables = copy.deepcopy(dict(content))
    for change in changes:
        _apply(tables, change, plain=True)
    return tables


def changed_text(text: str, changes: Sequence[Change]) -> str:
    """Return a scenario's text with changes.

    Raises
    ------
    InputError
        If a place does not exist, or the text cannot be changed so.
    """
    try:
        document = tomlkit.parse(text)
        for change in changes:
            _apply(document, change, plain=False)
        result = tomlkit.dumps(document)
        expected = changed_tables(tomllib.loads(text), changes)
        same = _pruned(tomllib.loads(result), changes) == _pruned(expected, changes)
    except (TOMLKitError, ValueError, TypeError) as error:
        raise InputError(f"the text cannot be changed so: {error}") from error
    if not same:
        place = ".".join(str(key) for key in changes[-1].place)
        raise InputError(f"{place} cannot be changed without changing other entries; edit the text")
    return result


def _pruned(tables: dict[str, Any], changes: Sequence[Change]) -> dict[str, Any]:
    """Take tables away that are empty after their last entry was taken away.

    A table that only its sub-tables name (``[campaign.vary.m]``) is gone from the text with them,
    which means the same as an empty one.
    """
    for change in changes:
        for end in range(len(change.place) - 1, 0, -1):
            holder, last = _before(tables, change.place[: end - 1]), change.place[end - 1]
            if isinstance(holder, dict) and holder.get(str(last)) == {}:
                del holder[str(last)]
    return tables


def _apply(root: Any, change: Change, plain: bool) -> None:
    *way, last = change.place
    if not change.whole:
        change = Change(change.place, like(change.value, _before(root, change.place)))
    holder = root
    for key, following in zip(way, change.place[1:], strict=True):
        holder = _step(holder, key, following, change, plain)
    if change.value is None:
        _remove(holder, last, change)
    elif isinstance(holder, list):
        _put_into_list(holder, last, change, plain)
    elif isinstance(holder, Mapping):
        before = holder.get(last)
        if not plain and isinstance(before, Array) and isinstance(change.value, list):
            _change_array(before, change.value)
        else:
            holder[last] = _as_item(change.value, before, plain)  # type: ignore[index]
    else:
        raise _missing(change)


def _before(root: Any, place: tuple[Key, ...]) -> Any:
    """Return what stands at a place; None if there is nothing."""
    for key in place:
        try:
            root = root[key]
        except (KeyError, IndexError, TypeError):
            return None
    return root


def like(value: Any, before: Any) -> Any:
    """Return a value whose numbers are of the kind of those before it; new ones have a point.

    JavaScript knows one kind of number only: its 2 is meant to be 2.0 unless a whole number was
    there.
    """
    if isinstance(value, list):
        old = before if isinstance(before, list) else []
        known = [*old, *[old[-1] if old else None] * len(value)]
        return [like(entry, known[i]) for i, entry in enumerate(value)]
    if isinstance(value, dict):
        return {key: like(entry, None) for key, entry in value.items()}
    whole = isinstance(value, int) and not isinstance(value, bool)
    if whole and not (isinstance(before, int) and not isinstance(before, bool)):
        return float(value)
    return value


def _step(holder: Any, key: Key, following: Key, change: Change, plain: bool) -> Any:
    """Return the entry of a holder; a table or list that is missing is made."""
    if isinstance(holder, list):
        if not isinstance(key, int) or not 0 <= key < len(holder):
            raise _missing(change)
        return holder[key]
    if not isinstance(holder, Mapping) or not isinstance(key, str):
        raise _missing(change)
    if key not in holder:
        new: Any = [] if isinstance(following, int) else {}
        if not plain:
            inline = isinstance(holder, tomlkit.items.InlineTable)
            table = tomlkit.inline_table() if inline else tomlkit.table()
            new = tomlkit.aot() if isinstance(following, int) else table
        holder[key] = new  # type: ignore[index]
    return holder[key]


def _put_into_list(holder: Any, key: Key, change: Change, plain: bool) -> None:
    if not isinstance(key, int) or not 0 <= key <= len(holder):
        raise _missing(change)
    if key < len(holder):
        before = holder[key]
        if not plain and isinstance(before, Array) and isinstance(change.value, list):
            _change_array(before, change.value)
        else:
            holder[key] = _as_item(change.value, before, plain)
    elif isinstance(holder, AoT):
        table = tomlkit.table()
        table.update(change.value)
        holder.append(table)
    else:
        holder.append(_as_item(change.value, None, plain))


def _change_array(array: Array, values: list[Any]) -> None:
    """Change entries one by one, so that their comments and line breaks stay."""
    for i, value in enumerate(values):
        if i >= len(array):
            array.append(_as_item(value, None, False))
        elif isinstance(array[i], Array) and isinstance(value, list):
            _change_array(array[i], value)
        elif array[i] != value or type(array[i]) is not type(value):
            array[i] = _as_item(value, array[i], False)
    while len(array) > len(values):
        del array[len(array) - 1]


def _as_item(value: Any, before: Any, plain: bool) -> Any:
    """Return a value as it is written; a trailing comment of the one before stays."""
    if plain:
        return value
    item = tomlkit.item(value)
    if isinstance(before, Item) and isinstance(item, Item):
        item.trivia.comment_ws = before.trivia.comment_ws
        item.trivia.comment = before.trivia.comment
        item.trivia.trail = before.trivia.trail
    return item


def _remove(holder: Any, key: Key, change: Change) -> None:
    try:
        del holder[key]
    except (KeyError, IndexError, TypeError):
        raise _missing(change) from None


def _missing(change: Change) -> InputError:
    return InputError(f"there is no {'.'.join(str(key) for key in change.place)} to change")
