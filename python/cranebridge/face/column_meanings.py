"""Unit and meaning of every column that a result of a crane can have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cranebridge.inverse import SIGNAL_GROUPS, signals
from cranebridge.twin.language import Crane, Quantity

TIME = Quantity("time", "s", "time")


def column_quantities(crane: Crane, further: Iterable[Quantity] = ()) -> dict[str, Quantity]:
    """Return what is known of columns by their titles.

    Parameters
    ----------
    crane : Crane
        Whose signals they are.
    further : iterable of Quantity
        Columns that have no place among the crane's signals.

    Examples
    --------
    >>> from cranebridge.twin import find_crane
    >>> known = column_quantities(find_crane("rotary"))
    >>> known["v.s"]
    Quantity(name='v.s', unit='m/s', meaning='trolley radius, velocity')
    """
    found = [
        Quantity(title, signal.unit, _meaning(signal.meaning, SIGNAL_GROUPS[signal.group].word))
        for title, signal in signals(crane).items()
    ]
    for prefix, word, group in (
        ("y", "achieved", crane.outputs),
        ("e", "error", crane.outputs),
        ("change", "learned change", crane.inputs),
    ):
        found += [_named(prefix, one, word) for one in group]
    found += [_named("r", one, "position reference") for one in crane.coordinates]
    speeds = [replace(one, unit=f"{one.unit}/s") for one in crane.coordinates]
    found += [_named("w", one, "velocity reference") for one in speeds]
    estimated = [
        *(_named("q", one, "estimated") for one in crane.coordinates),
        *(_named("v", one, "velocity, estimated") for one in speeds),
        *(_named("parameter", one, "estimated") for one in crane.parameters),
    ]
    found += [replace(one, name=f"estimate.{one.name}") for one in estimated]
    return {one.name: one for one in (TIME, *found, *further)}


def _named(prefix: str, one: Quantity, word: str) -> Quantity:
    return Quantity(f"{prefix}.{one.name}", one.unit, _meaning(one.meaning, word))


def _meaning(meaning: str, word: str) -> str:
    return f"{meaning}, {word}" if word else meaning
