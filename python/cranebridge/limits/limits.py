"""What a machine may do: ranges of its signals, from the ``[limits]`` table of a scenario."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

from cranebridge.errors import InputError, unknown
from cranebridge.inverse import SIGNAL_GROUPS, Signal, signals
from cranebridge.twin import Crane
from cranebridge.twin.language import names

GROUPS: Mapping[str, str] = {key: one.limit for key, one in SIGNAL_GROUPS.items() if one.limit}
"""The groups of signals that can have limits, by signal: a number bounds the magnitude, a pair is a
range."""

TRACKING = 1e-3
"""Largest tracking error [m, rad] that passes where the scenario states none."""


@dataclass(frozen=True)
class Range:
    """The values that a signal may have.

    Attributes
    ----------
    least, most : float
        Bounds; infinite where there is none.
    """

    least: float = -math.inf
    most: float = math.inf

    @property
    def symmetric(self) -> bool:
        """Whether it bounds the magnitude."""
        return self.least == -self.most


class _Limits:
    """Limits on the signals of a crane, all in SI units.

    Attributes
    ----------
    u, q, v, a, jerk, power, rope : mapping of str to Range
        By input, coordinate, or rope; one for each of `GROUPS`.
    ropes : {"pull", "ignore"}
        With "pull" a rope without a limit of its own must not push; with "ignore" the ropes are
        waived, unless one has a limit of its own.
    tracking : float
        Largest tracking error of an output in its unit.
    swing : float or None
        Largest residual swing of an output in its unit; None for that of `tracking`.
    """

    ropes: Literal["pull", "ignore"]

    @classmethod
    def from_mapping(cls, table: Mapping[str, Any], crane: Crane) -> Self:
        """Make limits from the ``[limits]`` table of a scenario.

        Parameters
        ----------
        table : mapping
            Such as ``{"u": {"M_b": 200.0, "M_w": [-700.0, -300.0]}, "rope": 50.0}``. A value for
            ``rope`` that is no table holds for all ropes.
        crane : Crane
            Whose signals the names are.

        Raises
        ------
        InputError
            If a key or a signal is unknown, or a value is no limit.
        """
        values: dict[str, Any] = {}
        for key, value in table.items():
            if key == "ropes":
                if value not in ("pull", "ignore"):
                    raise InputError(f"limits.ropes must be 'pull' or 'ignore', got {value!r}")
                values[key] = value
            elif key in ("tracking", "swing"):
                values[key] = _positive(f"limits.{key}", value)
            elif key in GROUPS:
                values[key] = _ranges(key, value, _names(crane, key))
            else:
                raise unknown("key of limits", str(key), [*GROUPS, "ropes", "tracking", "swing"])
        return cls(**values)

    def in_force(self, crane: Crane) -> Iterator[tuple[Signal, Range]]:
        """Yield all signals that have a limit, given or by default, with it."""
        known = signals(crane)
        for group in GROUPS:
            table: Mapping[str, Range] = getattr(self, group)
            if SIGNAL_GROUPS[group].pulls and self.ropes == "pull":
                table = dict.fromkeys(_names(crane, group), Range(least=0.0)) | dict(table)
            for name, bound in table.items():
                if f"{group}.{name}" not in known:
                    raise unknown("signal in limits", f"{group}.{name}", known)
                yield known[f"{group}.{name}"], bound


if TYPE_CHECKING:

    @dataclass(frozen=True)
    class Limits(_Limits):
        """See `_Limits`."""

        u: Mapping[str, Range] = field(default_factory=dict)
        q: Mapping[str, Range] = field(default_factory=dict)
        v: Mapping[str, Range] = field(default_factory=dict)
        a: Mapping[str, Range] = field(default_factory=dict)
        jerk: Mapping[str, Range] = field(default_factory=dict)
        power: Mapping[str, Range] = field(default_factory=dict)
        rope: Mapping[str, Range] = field(default_factory=dict)
        ropes: Literal["pull", "ignore"] = "pull"
        tracking: float = TRACKING
        swing: float | None = None

else:  # a field for each group, whichever there are
    Limits = make_dataclass(
        "Limits",
        [
            *((group, Mapping, field(default_factory=dict)) for group in GROUPS),
            ("ropes", Literal["pull", "ignore"], "pull"),
            ("tracking", float, TRACKING),
            ("swing", float | None, None),
        ],
        bases=(_Limits,),
        namespace={"__doc__": _Limits.__doc__, "__module__": __name__},
        frozen=True,
    )


def read_ranges(group: str, value: object, known: Sequence[str]) -> dict[str, Range]:
    """Read a group of limits for signals that are known by name only: of a plant without a twin."""
    return _ranges(group, value, tuple(known))


def _names(crane: Crane, group: str) -> tuple[str, ...]:
    return names(SIGNAL_GROUPS[group].quantities(crane))


def _ranges(group: str, value: object, known: tuple[str, ...]) -> dict[str, Range]:
    where, pulls = f"limits.{group}", SIGNAL_GROUPS[group].pulls
    if pulls and not isinstance(value, Mapping):
        return dict.fromkeys(known, _range(where, value, pulls))
    if not isinstance(value, Mapping):
        raise InputError(f"{where} must be a table by signal, got {value!r}")
    for name in value:
        if name not in known:
            raise unknown(f"signal in {where}", str(name), known)
    return {name: _range(f"{where}.{name}", bound, pulls) for name, bound in value.items()}


def _range(where: str, value: object, pulls: bool) -> Range:
    if isinstance(value, Sequence) and not isinstance(value, str):
        if len(value) != 2:
            raise InputError(f"{where} must be a number or a pair [least, most], got {value!r}")
        least, most = (_finite(where, bound) for bound in value)
        if least >= most:
            raise InputError(f"{where} = [{least:g}, {most:g}]: the least must be below the most")
        return Range(least, most)
    if pulls:
        least = _finite(where, value)
        if least < 0.0:
            raise InputError(f"{where} must not be negative: a rope pulls, got {least:g}")
        return Range(least=least)
    most = _positive(where, value)
    return Range(-most, most)


def _finite(where: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{where} must be a finite number, got {value!r}")
    return float(value)


def _positive(where: str, value: object) -> float:
    number = _finite(where, value)
    if number <= 0.0:
        raise InputError(f"{where} must be a positive number, got {number:g}")
    return number
