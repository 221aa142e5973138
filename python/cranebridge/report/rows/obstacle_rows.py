"""Obstacles in the report's words, and how far load and ropes are from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cranebridge.limits import Range, Verdict
from cranebridge.report.animation import Array
from cranebridge.report.report_motion import ShownMotion
from cranebridge.report.rows.number_texts import quantity

if TYPE_CHECKING:
    from cranebridge.plan import Obstacle


def clearance_title(number: int) -> str:
    """Return the name by which verdicts and plans know the clearance of an obstacle, from 1."""
    return f"clearance of obstacle {number}"


def clearance_ranges(obstacles: Sequence[Obstacle]) -> dict[str, Range]:
    """Return the least distances by the names of the clearances."""
    return {clearance_title(i + 1): Range(least=one.clearance) for i, one in enumerate(obstacles)}


def distances(shown: ShownMotion) -> Array:
    """Return how far load, and ropes where asked, are from each obstacle [m].

    A row for each time, a column for each obstacle; negative inside of one.
    """
    if not shown.obstacles:
        return np.zeros((shown.time.size, 0))
    from cranebridge.plan.task import remaining_clearance

    rows = np.hstack([shown.outputs, shown.q])
    return np.column_stack(
        [
            remaining_clearance(shown.crane, one, shown.parameters)(rows) + one.clearance
            for one in shown.obstacles
        ]
    )


def closest_times(shown: ShownMotion) -> list[float]:
    """Return when load or rope are closest to each obstacle [s]; as judged, where it was."""
    judged = _judged(shown)
    sampled = shown.time[distances(shown).argmin(axis=0)]
    times = [None if verdict is None else verdict.time for verdict in judged]
    return [float(own) if t is None else t for t, own in zip(times, sampled, strict=True)]


def obstacle_table(
    shown: ShownMotion, verdicts: Sequence[Verdict] | None = None
) -> list[dict[str, str]]:
    """Return what each obstacle is, and how close load or rope come to it by the verdicts.

    Those are what was judged of `shown`, if no others are given: of a learning's best trial.
    """
    rows = []
    for i, (one, verdict) in enumerate(zip(shown.obstacles, _judged(shown, verdicts), strict=True)):
        row = {
            "name": f"obstacle {i + 1}",
            "what": described(one),
            "who": "load and ropes" if one.rope else "load",
            "wanted": quantity(one.clearance, "m", 4),
            "status": "not judged",
            "least": "",
            "time": "",
        }
        if verdict is not None and verdict.value is not None and verdict.time is not None:
            row["status"], row["time"] = verdict.status, f"{verdict.time:.2f} s"
            row["least"] = quantity(verdict.value, "m", 4)
        rows.append(row)
    return rows


def _judged(shown: ShownMotion, verdicts: Sequence[Verdict] | None = None) -> list[Verdict | None]:
    """Return the verdict on each clearance in the motion that is shown; None if there is none."""
    found = shown.verified.verdicts if verdicts is None else verdicts
    known = {verdict.name: verdict for verdict in found}
    who = "" if shown.verified.tracking is None else "plant "
    return [known.get(f"{who}{clearance_title(i + 1)}") for i in range(len(shown.obstacles))]


def described(obstacle: Obstacle) -> str:
    """Return what and where an obstacle is."""
    from cranebridge.plan.task import ObstacleBox, ObstacleCylinder, Stack

    if isinstance(obstacle, ObstacleCylinder):
        x, y = obstacle.center
        radius = quantity(obstacle.radius, "m", 4)
        where = f"cylinder at x = {_metres(x)}, y = {_metres(y)}, radius {radius}"
        bottom, top = obstacle.bottom, obstacle.top
        if bottom is None and top is None:
            return f"{where}, endless"
        low = "" if bottom is None else f" from z = {_metres(bottom)}"
        high = "" if top is None else f" up to z = {_metres(top)}"
        return f"{where},{low}{high}"
    if isinstance(obstacle, ObstacleBox):
        axes = ("x", "z") if len(obstacle.low) == 2 else ("x", "y", "z")
        sides = zip(axes, obstacle.low, obstacle.high, strict=True)
        return "box, " + ", ".join(f"{a} from {_plain(b)} to {_metres(e)}" for a, b, e in sides)
    if not isinstance(obstacle, Stack):
        within = ", ".join(
            f"{axis} from {_plain(low)} to {_metres(high)}"
            for axis, low, high in zip("xyz", *obstacle.bounds, strict=True)
        )
        return f"{obstacle.word}, {within}"
    heights = ", ".join(_plain(height) for height in obstacle.height)
    ends = f"x from {_plain(obstacle.x[0])} to {_metres(obstacle.x[-1])}"
    return f"stack, {ends}, up to z = {heights} m"


def _plain(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")


def _metres(value: float) -> str:
    return f"{_plain(value)} m"
