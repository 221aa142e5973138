"""The error budget as a table and as dots on a common logarithmic axis."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cranebridge.report.rows.number_texts import quantity
from cranebridge.verify import Tracking, Verified

_SOURCES = {
    "sampling": "sampling and interpolation of the controls",
    "integrator": "integrator of the plant",
    "model": "difference between twin and plant",
}


@dataclass(frozen=True)
class BudgetRow:
    """One line of the error budget; `place` is where its dot stands, 0 to 100, on a log axis."""

    label: str
    value: float | None
    text: str
    kind: str
    place: float | None


@dataclass(frozen=True)
class BudgetTable:
    """The rows, the ticks of the axis (place and text), and what the unit means."""

    rows: tuple[BudgetRow, ...]
    ticks: tuple[tuple[float, str], ...]
    note: str = ""


def budget_table(verified: Verified, tracking: Tracking) -> BudgetTable:
    """Return the error budget, from its parts to what is left, the error and the limit."""
    entries = _entries(verified, tracking)
    shown = [value for _, value, _ in entries if value and math.isfinite(value)]
    low = math.floor(math.log10(min(shown))) if shown else -9
    high = max(math.ceil(math.log10(max(shown))), low + 1) if shown else -3

    def place(value: float | None) -> float | None:
        if value is None or not math.isfinite(value) or value <= 0.0:
            return None
        return 100.0 * (math.log10(value) - low) / (high - low)

    step = -(-(high - low) // 5)
    ticks = tuple(
        (100.0 * (power - low) / (high - low), quantity(10.0**power, "m", 1))
        for power in range(low, high + 1, step)
    )
    rows = tuple(
        BudgetRow(label, value, quantity(value, "m"), kind, place(value))
        for label, value, kind in entries
    )
    units = {output.unit for output in verified.feedforward.problem.crane.outputs}
    note = "Errors of angles, in rad, count like those of lengths, in m." if "rad" in units else ""
    return BudgetTable(rows, ticks, note)


def _entries(verified: Verified, tracking: Tracking) -> list[tuple[str, float | None, str]]:
    budget = tracking.budget
    return [
        *((_SOURCES[name], value, "source") for name, value in budget.as_dict().items()),
        ("not explained by these", budget.unexplained, "rest"),
        ("uncertainty of the budget", budget.uncertainty, "uncertainty"),
        ("largest error measured", max(tracking.max_error.values()), "measured"),
        ("limit", verified.limits.tracking, "limit"),
    ]
