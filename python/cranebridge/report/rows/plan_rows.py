"""The plan as tables: what was asked, what was found, what holds it back, and the other ways."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from cranebridge.limits import Range
from cranebridge.plan.task import METHODS, OBJECTIVES, ActiveConstraint, Alternative, Plan
from cranebridge.report.report_motion import ShownMotion
from cranebridge.report.rows.lines import Spans, limit_of, ranges_in_force
from cranebridge.report.rows.number_texts import quantity
from cranebridge.report.rows.obstacle_rows import clearance_ranges

GAP = 0.02
"""Times at a limit that are less than this part of the duration apart are shown as one."""
_MOST_SPANS = 5
MOST_WAYS = 4
"""Other ways that are drawn: the page has as many colours for them."""


@dataclass(frozen=True)
class PlanTable:
    """What is shown of a plan, as texts.

    Attributes
    ----------
    facts : tuple of (str, str)
        Label and text each.
    active : tuple of (str, str, str, str)
        Limits that are touched: signal, limit, part of the duration, and when.
    alternatives : tuple of (str, str, str)
        Other ways, their durations and their costs; why there is none.
    notes : tuple of str
        What else a reader should know.
    """

    facts: tuple[tuple[str, str], ...]
    active: tuple[tuple[str, str, str, str], ...]
    alternatives: tuple[tuple[str, str, str], ...]
    notes: tuple[str, ...]


def plan_table(shown: ShownMotion) -> PlanTable | None:
    """Return the plan of what is shown; None where the path was given."""
    plan = shown.plan
    if plan is None:
        return None
    ranges = ranges_in_force(shown.verified.limits, shown.crane)
    ranges |= clearance_ranges(shown.obstacles)
    return PlanTable(
        _facts(plan),
        tuple(_active(one, ranges, plan.duration) for one in plan.active),
        tuple(_other(plan, one) for one in plan.alternatives),
        plan.notes,
    )


def _facts(plan: Plan) -> tuple[tuple[str, str], ...]:
    known = math.isfinite(plan.remaining)
    gain = f"{100.0 * plan.remaining:.2g} % of the cost" if known else "not known"
    rows = [
        ("Asked for", OBJECTIVES.get(plan.objective, plan.objective)),
        ("Way", plan.way),
        *_result(plan),
        ("Finer splines may gain", gain),
        ("Found by", METHODS.get(plan.method, plan.method)),
    ]
    return tuple((label, text) for label, text in rows if text)


def _result(plan: Plan) -> list[tuple[str, str]]:
    """Return duration and cost; for the shortest duration these are the same."""
    if plan.objective == "time":
        return [("Duration, the cost", _cost(plan, plan.cost))]
    return [("Duration", f"{plan.duration:.4f} s"), ("Cost", _cost(plan, plan.cost))]


def _other(plan: Plan, one: Alternative) -> tuple[str, str, str]:
    """Return another way with its duration and its cost."""
    if not math.isfinite(one.cost):
        return one.way, "", one.why or "no plan found"
    return one.way, f"{one.duration:.4f} s", _cost(plan, one.cost)


def drawn_ways(plan: Plan | None) -> tuple[Alternative, ...]:
    """Return the other ways of a plan that have a path to draw, at most as many as colours."""
    every = () if plan is None else plan.alternatives
    return tuple(one for one in every if one.points)[:MOST_WAYS]


def way_label(one: Alternative) -> str:
    """Return what the legend says of another way."""
    return f"{one.way}, {one.duration:.2f} s"


def _cost(plan: Plan, cost: float) -> str:
    return f"{cost:.4f} s" if plan.objective == "time" else f"{cost:.6g}"


def _active(
    one: ActiveConstraint, ranges: Mapping[str, Range], duration: float
) -> tuple[str, str, str, str]:
    """Return a limit, its share of the duration and its times."""
    value = limit_of(one, ranges)
    upper = one.name in ranges and value == ranges[one.name].most
    part = sum(end - begin for begin, end in one.spans) / duration
    share = "below 1 %" if part < 0.01 else f"{100.0 * part:.0f} %"
    limit = f"{'≤' if upper else '≥'} {quantity(value, one.unit, 4)}"
    return one.name, limit, share, _when(merged(one.spans, GAP * duration))


def merged(spans: Spans, gap: float) -> Spans:
    """Return spans without the gaps between them that are not longer than `gap`."""
    found: list[tuple[float, float]] = []
    for begin, end in sorted(spans):
        if found and begin - found[-1][1] <= gap:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((begin, end))
    return tuple(found)


def _when(spans: Spans) -> str:
    texts = [
        f"{begin:.2f}" if f"{begin:.2f}" == f"{end:.2f}" else f"{begin:.2f} to {end:.2f}"
        for begin, end in spans[:_MOST_SPANS]
    ]
    more = len(spans) - _MOST_SPANS
    return f"{', '.join(texts)} s" + (f" and {more} more" if more > 0 else "")
