"""The numbers inside the page: curves and the scene's points as base64 of 32-bit floats."""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np

from cranebridge.path import Path
from cranebridge.readable import tiny
from cranebridge.report.animation import Array, RopeBody, Scene, scene, with_closest
from cranebridge.report.plots import Panel, Series
from cranebridge.report.report_motion import ShownMotion
from cranebridge.report.rows import (
    closest_times,
    drawn_ways,
    prefix,
    rope_forces,
    stated,
    way_label,
)
from cranebridge.twin.language import followed, names

MOST_KNOTS = 12
"""More are no phases of a motion but a spline's."""
FEWEST_FRAMES = 600
"""With fewer, straight lines between the frames would bend ropes and rails visibly."""


def encode(values: Array) -> str:
    """Return values as base64 of little-endian 32-bit floats, row by row."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode("ascii")


def page_data(shown: ShownMotion, series: Series) -> dict[str, Any]:
    """Return what the page's scripts read."""
    picture = _scene(shown, series)
    note = (
        "No output is a length, and the crane has no scene()."
        if picture is None
        else picture.pop("note")
    )
    return {**curve_data(shown, series), "note": note, "scene": picture}


def curve_data(shown: ShownMotion, series: Series) -> dict[str, Any]:
    """Return what the page's scripts read without the scene: curves, phases, readings."""
    end = float(series.time[-1])
    return {
        "begin": float(series.time[0]),
        "end": end,
        "phases": phases(shown.path, float(series.time[0]), end),
        "knots": marked_knots(shown.path),
        "time": encode(series.time),
        "panels": [_panel(panel) for panel in series.panels],
        "readings": _readings(shown, series),
        "ropes": _pushing(shown, series),
    }


def phases(path: Path, begin: float, end: float) -> list[tuple[str, float, float]]:
    """Return the named stretches of the path, and those before and after it in a motion.

    A motion begins before the path where internal dynamics ask for it; after the path it settles.
    """
    parts = [(name, float(first), float(stop)) for name, first, stop in path.phases]
    if begin < 0.0:
        parts = [("pre-actuation", begin, 0.0), *parts]
    return [*parts, ("settling", float(path.duration), end)] if end > path.duration else parts


def marked_knots(path: Path) -> list[float]:
    """Return where the pieces of a path meet; a spline's many knots tell a reader nothing."""
    return [float(knot) for knot in path.knots] if len(path.knots) <= MOST_KNOTS else []


def _panel(panel: Panel) -> dict[str, Any]:
    return {
        "title": panel.title,
        "axis": panel.axis,
        "unit": panel.unit,
        "limits": [[label, value * panel.factor] for label, value in panel.limits],
        "bands": [
            {
                "value": band.value * panel.factor,
                "side": band.side,
                "colour": band.colour,
                "active": [list(span) for span in band.active],
            }
            for band in panel.bands
        ],
        "curves": [
            {
                "label": curve.label,
                "signal": curve.signal,
                "meaning": curve.meaning,
                "colour": curve.colour,
                "style": curve.style,
                "values": encode(curve.values * panel.factor),
            }
            for curve in panel.curves
        ],
    }


def _readings(shown: ShownMotion, series: Series) -> list[dict[str, Any]]:
    """Return what the line beside the player tells: the first lengths, and the error."""
    outputs = followed(shown.crane)
    lengths = [i for i, part in enumerate(outputs) if part.unit == "m"]
    entries = [
        {
            "label": outputs[i].name,
            "unit": "m",
            "values": encode(shown.outputs[series.chosen, i]),
        }
        for i in lengths[:3]
    ]
    tracking = shown.verified.tracking
    if tracking is not None and lengths:
        error = np.linalg.norm(tracking.error[series.chosen][:, lengths], axis=1)
        largest = float(error.max())
        factor, unit = prefix(largest, "m")
        small = {"text": stated(largest, "m")} if tiny(largest, "m") else {}
        entries.append({"label": "error", "unit": unit, "values": encode(error * factor), **small})
    return entries


def _pushing(shown: ShownMotion, series: Series) -> list[dict[str, Any]]:
    """Return the ropes that would have to push at some time."""
    return [
        {
            "label": force.name,
            "slack": force.zero,
            "values": encode(shown.ropes[force.name][series.chosen]),
        }
        for force in rope_forces(shown.motion)
        if force.pushes
    ]


def frames(shown: ShownMotion, series: Series) -> tuple[Array, Array, dict[str, Array]]:
    """Return times, coordinates and rope forces of the animation's frames.

    A feedforward with a coarse step is refined by its own interpolation.
    """
    if shown.verified.tracking is not None or series.time.size >= FEWEST_FRAMES:
        forces = {name: force[series.chosen] for name, force in shown.ropes.items()}
        return series.time, shown.q[series.chosen], forces
    time = np.linspace(shown.time[0], shown.time[-1], FEWEST_FRAMES + 1)
    forces = {name: np.interp(time, shown.time, force) for name, force in shown.ropes.items()}
    return time, shown.verified.feedforward.coordinates(time), forces


def achieved_way(shown: ShownMotion, series: Series, picture: Scene) -> Array | None:
    """Return the load's way: the plant's outputs, or the picture's load where none was driven."""
    if shown.verified.tracking is None or picture.load_map is None:
        return picture.points.get("load")
    return picture.load_map(shown.outputs[series.chosen])


def wanted_way(shown: ShownMotion, picture: Scene, time: Array) -> Array | None:
    """Return where the path wants the load; where no output tells, the solution's own motion."""
    if picture.load_map is not None:
        return picture.load_map(shown.path(time).T)
    q = shown.verified.feedforward.coordinates(time)
    exact = scene(shown.crane, shown.parameters, q, shown.rest)
    return None if exact is None else exact.points.get("load")


def other_ways(shown: ShownMotion, picture: Scene) -> list[tuple[str, Array]]:
    """Return the other ways of a plan that are drawn, each with its label."""
    if picture.load_map is None:
        return []
    ways = drawn_ways(shown.plan)
    return [(way_label(one), picture.load_map(np.array(one.points))) for one in ways]


def shown_scene(shown: ShownMotion, time: Array, q: Array) -> Scene | None:
    """Return the scene of a motion with its obstacles, and where the load is closest to them."""
    picture = scene(shown.crane, shown.parameters, q, shown.rest, shown.obstacles)
    if picture is None or "load" not in picture.points:
        return picture
    way = picture.points["load"]
    places = [
        np.array([np.interp(t, time, column) for column in way.T]) for t in closest_times(shown)
    ]
    return with_closest(picture, places)


def _scene(shown: ShownMotion, series: Series) -> dict[str, Any] | None:
    time, q, forces = frames(shown, series)
    picture = shown_scene(shown, time, q)
    if picture is None:
        return None
    wanted = wanted_way(shown, picture, time)
    way = achieved_way(shown, series, picture)
    drawn = {body.force for body in picture.bodies if isinstance(body, RopeBody) and body.force}
    zeros = {force.name: force.zero for force in rope_forces(shown.motion)}
    return {
        **_view(picture),
        "note": " ".join(filter(None, (picture.note, _hidden(shown)))),
        "time": encode(time),
        "points": {name: _compact(part) for name, part in picture.points.items()},
        "bodies": picture.body_dicts(),
        "forces": {name: encode(part) for name, part in forces.items() if name in drawn},
        "slack": {name: zeros[name] for name in forces if name in drawn},
        "wanted": None if wanted is None else encode(wanted),
        "achieved": None if way is None else encode(way),
        "ways": [[label, encode(other)] for label, other in other_ways(shown, picture)],
    }


def _hidden(shown: ShownMotion) -> str:
    """Return which coordinates of the picture are not the plant's."""
    text = shown.not_given(names(shown.crane.coordinates))
    return f"{text} The picture shows what the solution says of them." if text else ""


def _view(picture: Scene) -> dict[str, Any]:
    """Return where the camera looks from: across the load's way, so that it is seen from a side."""
    way = picture.points.get("load", np.zeros((1, 3)))
    middle = way[:, :2].mean(axis=0) - np.array(picture.centre[:2])
    azimuth = math.atan2(middle[1], middle[0]) if np.linalg.norm(middle) > 0 else -1.0
    return {
        "size": max(picture.size, 1e-3),
        "centre": list(picture.centre),
        "ground": picture.ground,
        "planar": picture.planar,
        "azimuth": azimuth - 0.6,
    }


def _compact(points: Array) -> str:
    """Encode a point's way; one that does not move needs one row."""
    still = bool((points == points[0]).all())
    return encode(points[:1] if still else points)
