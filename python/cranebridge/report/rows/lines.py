"""Limits as bands in the plots, or as a note where a band would flatten the curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from cranebridge.limits import Limits, Range
from cranebridge.report.animation import Array
from cranebridge.report.rows.number_texts import quantity
from cranebridge.twin.language import Crane

if TYPE_CHECKING:
    from cranebridge.plan import ActiveConstraint

NEAR = 0.05
"""Curves that would fill less than this part of the plot's height are flattened."""
_ROUNDING = 1e-6
_MOST_NAMES = 3

Side = Literal["most", "least"]
_SIGNS: Mapping[Side, str] = {"most": "≤", "least": "≥"}
Spans = tuple[tuple[float, float], ...]
Touched = Mapping[tuple[str, float], Spans]
"""When limits are touched, by signal and value."""


@dataclass(frozen=True)
class Band:
    """What lies beyond a limit.

    Attributes
    ----------
    label : str
        The limit in words, such as ``F_t ≤ 300 N``.
    value : float
        Where it is, in SI units.
    side : {"most", "least"}
        Whether it lies above or below.
    colour : int or None
        That of the one curve it is for; None where it is for all of them, or for several.
    active : tuple of (float, float)
        When a plan touches it [s].
    """

    label: str
    value: float
    side: Side
    colour: int | None = None
    active: Spans = ()


def touched_limits(
    active: Sequence[ActiveConstraint], ranges: Mapping[str, Range]
) -> dict[tuple[str, float], Spans]:
    """Return when a plan touches its limits, by signal and value."""
    return {(one.name, limit_of(one, ranges)): one.spans for one in active}


def limit_of(one: ActiveConstraint, ranges: Mapping[str, Range]) -> float:
    """Return the limit that is touched; of a clearance the plan tells what is left of it."""
    clearance = one.name.startswith("clearance") and one.name in ranges
    return ranges[one.name].least if clearance else one.limit


def ranges_in_force(limits: Limits, crane: Crane) -> dict[str, Range]:
    """Return all ranges in force by the title of their signal, the tracking error's included."""
    ranges = {signal.title: bound for signal, bound in limits.in_force(crane)}
    own = Range(-limits.tracking, limits.tracking)
    return ranges | {f"tracking.{output.name}": own for output in crane.outputs}


def limit_bands(
    curves: Mapping[str, tuple[str, int, Array]],
    bounds: Mapping[str, Range],
    unit: str,
    touched: Touched,
) -> tuple[tuple[Band, ...], str]:
    """Return the bands of a plot, and a note on limits that are far away.

    Parameters
    ----------
    curves : mapping
        All curves of the plot by signal: name, colour and values.
    bounds : mapping
        Ranges of those that have one.
    unit : str
        SI unit of all of them.
    touched : mapping
        When limits are touched.
    """
    low = min(float(values.min()) for _, _, values in curves.values())
    high = max(float(values.max()) for _, _, values in curves.values())
    bands, far = [], []
    for side, value, signals in _by_value(bounds):
        who = _names([curves[signal][0] for signal in signals], len(curves))
        label = f"{who} {_SIGNS[side]} {quantity(value, unit, 4)}"
        if not _fits(low, high, value):
            far.append((who, value, label))
            continue
        single = len(signals) == 1 < len(curves)
        colour = curves[signals[0]][1] if single else None
        spans = sorted(span for signal in signals for span in touched.get((signal, value), ()))
        bands.append(Band(label, value, side, colour, tuple(spans)))
    return tuple(bands), _note(far, unit)


def _by_value(bounds: Mapping[str, Range]) -> Iterable[tuple[Side, float, list[str]]]:
    """Yield side, value and signals of each bound; signals with the same bound share a band."""
    sides: tuple[Side, ...] = ("most", "least")
    for side in sides:
        groups: dict[float, list[str]] = {}
        for signal, bound in bounds.items():
            value = getattr(bound, side)
            if math.isfinite(value):
                groups.setdefault(value, []).append(signal)
        for value, signals in groups.items():
            yield side, value, signals


def _names(found: list[str], count: int) -> str:
    """Return the curves that a limit is for, of `count` in the plot."""
    if len(found) <= _MOST_NAMES:
        return ", ".join(found)
    return "all" if len(found) == count else f"{len(found)} of them"


def _fits(low: float, high: float, value: float) -> bool:
    """Return whether curves from `low` to `high` can still be read beside a line at `value`."""
    size = max(abs(low), abs(high))
    # What is constant up to rounding is a line already.
    extent = high - low if high - low > _ROUNDING * size else size
    return extent >= NEAR * (max(high, value) - min(low, value))


def _note(far: list[tuple[str, float, str]], unit: str) -> str:
    """Return a sentence on limits that are not drawn; those of a magnitude are named once."""
    both = {(who, abs(value)) for who, value, _ in far if value and (who, -value) in _keys(far)}
    texts = [f"{who} ±{quantity(value, unit, 4)}" for who, value in sorted(both)]
    texts += [label for who, value, label in far if (who, abs(value)) not in both]
    return f"Limits beyond this plot: {'; '.join(texts)}." if texts else ""


def _keys(far: list[tuple[str, float, str]]) -> set[tuple[str, float]]:
    return {(who, value) for who, value, _ in far}
