"""Limits as horizontal lines in the plots, or as a note where a line would flatten the curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Literal

from cranebridge.limits import Limits, Range
from cranebridge.report.bodies import Array
from cranebridge.report.units import quantity
from cranebridge.twin.crane import Crane

NEAR = 0.05
"""Curves that would fill less than this part of the plot's height are flattened."""
_ROUNDING = 1e-6
_MOST_NAMES = 3

Side = Literal["most", "least"]
_SIGNS: Mapping[Side, str] = {"most": "≤", "least": "≥"}


def ranges_in_force(limits: Limits, crane: Crane) -> dict[str, Range]:
    """Return all ranges in force by the title of their signal, the tracking error's included."""
    ranges = {signal.title: bound for signal, bound in limits.in_force(crane)}
    own = Range(-limits.tracking, limits.tracking)
    return ranges | {f"tracking.{output.name}": own for output in crane.outputs}


def limit_lines(
    curves: Mapping[str, tuple[str, Array]], bounds: Mapping[str, Range], unit: str
) -> tuple[tuple[tuple[str, float], ...], str]:
    """Return the lines of a plot, label and value each, and a note on limits that are far away.

    Parameters
    ----------
    curves : mapping
        All curves of the plot by signal: name and values.
    bounds : mapping
        Ranges of those that have one.
    unit : str
        SI unit of all of them.
    """
    low = min(float(values.min()) for _, values in curves.values())
    high = max(float(values.max()) for _, values in curves.values())
    lines, far = [], []
    for side, value, who in _by_value(curves, bounds):
        label = f"{who} {_SIGNS[side]} {quantity(value, unit, 4)}"
        if _fits(low, high, value):
            lines.append((label, value))
        else:
            far.append((who, value, label))
    return tuple(lines), _note(far, unit)


def _by_value(
    curves: Mapping[str, tuple[str, Array]], bounds: Mapping[str, Range]
) -> Iterable[tuple[Side, float, str]]:
    """Yield side, value and names of each bound; signals with the same bound share a line."""
    sides: tuple[Side, ...] = ("most", "least")
    for side in sides:
        groups: dict[float, list[str]] = {}
        for signal, bound in bounds.items():
            value = getattr(bound, side)
            if math.isfinite(value):
                groups.setdefault(value, []).append(curves[signal][0])
        for value, found in groups.items():
            many = "all" if len(found) == len(curves) else f"{len(found)} of them"
            yield side, value, ", ".join(found) if len(found) <= _MOST_NAMES else many


def _fits(low: float, high: float, value: float) -> bool:
    """Tell whether curves from `low` to `high` can still be read beside a line at `value`."""
    size = max(abs(low), abs(high))
    # What is constant up to rounding is a line already.
    extent = high - low if high - low > _ROUNDING * size else size
    return extent >= NEAR * (max(high, value) - min(low, value))


def _note(far: list[tuple[str, float, str]], unit: str) -> str:
    """Return a sentence on limits that are not drawn; those of a magnitude are told once."""
    both = {(who, abs(value)) for who, value, _ in far if value and (who, -value) in _keys(far)}
    texts = [f"{who} ±{quantity(value, unit, 4)}" for who, value in sorted(both)]
    texts += [label for who, value, label in far if (who, abs(value)) not in both]
    return f"Limits beyond this plot: {'; '.join(texts)}." if texts else ""


def _keys(far: list[tuple[str, float, str]]) -> set[tuple[str, float]]:
    return {(who, value) for who, value, _ in far}
