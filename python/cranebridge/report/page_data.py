"""The numbers inside the page: curves and the scene's points as base64 of 32-bit floats."""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np

from cranebridge.path import Path
from cranebridge.report.bodies import Array, Rope, Scene, bounds
from cranebridge.report.scene import load_position, scene
from cranebridge.report.series import Panel, Series
from cranebridge.report.source import Tracking
from cranebridge.report.units import prefix
from cranebridge.solve import Solved
from cranebridge.twin.crane import names

FEWEST_FRAMES = 600
"""With fewer, straight lines between the frames would bend ropes and rails visibly."""


ROUNDING = 1e-6
"""A rope force of minus that much of its largest is zero in 32-bit floats, and no push."""


def encode(values: Array) -> str:
    """Return values as base64 of little-endian 32-bit floats, row by row."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode("ascii")


def page_data(solved: Solved, tracking: Tracking | None, series: Series) -> dict[str, Any]:
    """Return what the page's scripts read."""
    path = solved.scenario.problem.path
    picture = _scene(solved, tracking, series)
    return {
        "end": float(series.time[-1]),
        "phases": phases(path, float(series.time[-1])),
        "knots": [float(knot) for knot in path.knots],
        "time": encode(series.time),
        "panels": [_panel(panel) for panel in series.panels],
        "readings": _readings(solved, tracking, series),
        "ropes": _pushing(solved, tracking, series),
        "note": "No output tells where the load is." if picture is None else picture.pop("note"),
        "scene": picture,
    }


def phases(path: Path, end: float) -> list[tuple[str, float, float]]:
    """Return the named stretches of the path, and the time after it in which the load settles."""
    parts = [(name, float(begin), float(stop)) for name, begin, stop in path.phases]
    return [*parts, ("settling", float(path.duration), end)] if end > path.duration else parts


def _panel(panel: Panel) -> dict[str, Any]:
    return {
        "title": panel.title,
        "axis": panel.axis,
        "unit": panel.unit,
        "limits": [[label, value * panel.factor] for label, value in panel.limits],
        "curves": [
            {
                "label": curve.label,
                "meaning": curve.meaning,
                "colour": curve.colour,
                "style": curve.style,
                "values": encode(curve.values * panel.factor),
            }
            for curve in panel.curves
        ],
    }


def _readings(solved: Solved, tracking: Tracking | None, series: Series) -> list[dict[str, Any]]:
    """Return what the line beside the player tells: the first lengths, and the error."""
    values = solved.feedforward.gamma if tracking is None else tracking.achieved
    lengths = [i for i, part in enumerate(solved.scenario.crane.outputs) if part.unit == "m"]
    entries = [
        {
            "label": solved.scenario.crane.outputs[i].name,
            "unit": "m",
            "values": encode(values[series.chosen, i]),
        }
        for i in lengths[:3]
    ]
    if tracking is not None and lengths:
        error = np.linalg.norm(tracking.error[series.chosen][:, lengths], axis=1)
        factor, unit = prefix(float(error.max()), "m")
        entries.append({"label": "error", "unit": unit, "values": encode(error * factor)})
    return entries


def _pushing(solved: Solved, tracking: Tracking | None, series: Series) -> list[dict[str, Any]]:
    """Return the ropes that would have to push at some time."""
    forces = solved.feedforward.ropes if tracking is None else tracking.ropes
    entries = []
    for column, name in enumerate(names(solved.scenario.crane.ropes)):
        values = forces[series.chosen, column]
        slack = ROUNDING * float(np.abs(values).max())
        if values.min() < -slack:
            entries.append({"label": name, "slack": slack, "values": encode(values)})
    return entries


def frames(solved: Solved, tracking: Tracking | None, series: Series) -> tuple[Array, Array, Array]:
    """Return times, coordinates and rope forces of the animation's frames.

    A feedforward with a coarse step is refined by its own interpolation.
    """
    if tracking is not None:
        return series.time, tracking.q[series.chosen], tracking.ropes[series.chosen]
    solution = solved.feedforward
    if series.time.size >= FEWEST_FRAMES:
        return series.time, solution.q[series.chosen], solution.ropes[series.chosen]
    time = np.linspace(solution.time[0], solution.time[-1], FEWEST_FRAMES + 1)
    ropes = [np.interp(time, solution.time, column) for column in solution.ropes.T]
    forces = np.column_stack(ropes) if ropes else np.zeros((time.size, 0))
    return time, solution.coordinates(time), forces


def _scene(solved: Solved, tracking: Tracking | None, series: Series) -> dict[str, Any] | None:
    crane, parameters = solved.scenario.crane, solved.scenario.problem.parameters
    time, q, forces = frames(solved, tracking, series)
    picture = scene(crane, parameters, q)
    if picture is None:
        return None
    outputs = names(crane.outputs)
    wanted = load_position(crane, outputs, solved.scenario.problem.path(time).T)
    shown = {body.force for body in picture.bodies if isinstance(body, Rope) and body.force}
    ropes = {name: forces[:, i] for i, name in enumerate(names(crane.ropes)) if name in shown}
    return {
        **_view(picture),
        "note": picture.note,
        "time": encode(time),
        "points": {name: _compact(part) for name, part in picture.points.items()},
        "bodies": picture.body_dicts(),
        "forces": {name: encode(part) for name, part in ropes.items()},
        "slack": {name: ROUNDING * float(np.abs(part).max()) for name, part in ropes.items()},
        "wanted": None if wanted is None else encode(wanted),
        "achieved": encode(picture.points["load"]) if "load" in picture.points else None,
    }


def _view(picture: Scene) -> dict[str, Any]:
    """Return where the camera looks from: across the load's way, so that it is seen from a side."""
    low, high = bounds(picture.points.values())
    planar = bool(high[1] - low[1] < 1e-9 * picture.size)
    way = picture.points.get("load", np.zeros((1, 3)))
    middle = way[:, :2].mean(axis=0) - np.array(picture.centre[:2])
    azimuth = math.atan2(middle[1], middle[0]) if np.linalg.norm(middle) > 0 else -1.0
    return {
        "size": max(picture.size, 1e-3),
        "centre": list(picture.centre),
        "ground": picture.ground,
        "planar": planar,
        "azimuth": azimuth - 0.6,
    }


def _compact(points: Array) -> str:
    """Encode a point's way; one that does not move needs one row."""
    still = bool((points == points[0]).all())
    return encode(points[:1] if still else points)
