"""The panels of the report: which curves are plotted together, with which unit and limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from cranebridge.inverse import SIGNAL_GROUPS, signals
from cranebridge.limits import Range
from cranebridge.report.animation import Array
from cranebridge.report.report_motion import ShownMotion
from cranebridge.report.rows import (
    Band,
    Touched,
    clearance_ranges,
    clearance_title,
    described,
    distances,
    limit_bands,
    prefix,
    ranges_in_force,
    rate_unit,
    readable,
    touched_limits,
)
from cranebridge.twin.language import Quantity, names, steered
from cranebridge.verify import Verified

KINDS = {
    "m": "position",
    "rad": "angle",
    "N": "force",
    "N*m": "torque",
    "m/s": "speed",
    "rad/s": "angular speed",
    "m/s^2": "acceleration",
    "rad/s^2": "angular acceleration",
    "m/s^3": "jerk",
    "rad/s^3": "angular jerk",
    "W": "power",
}

Style = Literal["solid", "dashed", "faint"]


@dataclass(frozen=True, eq=False)
class PlotCurve:
    """One line of a panel; curves of the same colour belong together.

    `signal` is the title that limits know it by, such as ``u.M_b``; empty where none can be.
    """

    label: str
    values: Array
    colour: int
    style: Style = "solid"
    meaning: str = ""
    signal: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves with a common unit over the same times.

    Attributes
    ----------
    key : str
        What the panel is about, such as path, error, controls or ropes.
    title, axis, unit : str
        Heading, and label of the axis; `factor` brings SI values into that unit.
    bands : tuple of Band
        What lies beyond limits.
    note : str
        What a reader must know besides: limits far away, signals that the plant does not give.
    """

    key: str
    title: str
    axis: str
    unit: str
    curves: tuple[PlotCurve, ...]
    factor: float = 1.0
    bands: tuple[Band, ...] = ()
    note: str = ""

    @property
    def limits(self) -> tuple[tuple[str, float], ...]:
        """Labels and values of the limits, in SI units."""
        return tuple((band.label, band.value) for band in self.bands)


def all_panels(shown: ShownMotion) -> list[Panel]:
    """Return all panels in the order of the page, scaled and with the limits in force."""
    crane = shown.crane
    ranges = ranges_in_force(shown.verified.limits, crane)
    ranges |= clearance_ranges(shown.obstacles)
    touched = {} if shown.plan is None else touched_limits(shown.plan.active, ranges)
    raw = list(_raw_panels(shown))
    plotted = {curve.signal for panel in raw for curve in panel.curves}
    raw += _limited_panels(shown, [title for title in ranges if title not in plotted])
    panels = [with_limits(panel, ranges, touched) for panel in raw]
    for i, panel in enumerate(panels):
        # A single rope's own plot is that of its margin, if the limit is in it.
        if panel.key == "ropes" and (len(shown.ropes) > 1 or not panel.limits):
            panels.insert(i + 1, _margin_panel(shown, ranges))
            break
    return [scaled(panel) for panel in panels]


def _raw_panels(shown: ShownMotion) -> Iterable[Panel]:
    crane, tracking = shown.crane, shown.verified.tracking
    yield from _path_panels(shown)
    if tracking is not None:
        for panel in grouped("error", "Tracking error", "tracking", crane.outputs, tracking.error):
            yield replace(panel, axis="error")
    yield from grouped("controls", "Controls", "u", crane.inputs, shown.u)
    known = [rope for rope in crane.ropes if rope.name in shown.ropes]
    note = shown.not_given(names(crane.ropes))
    for panel in grouped("ropes", "Rope forces", "rope", known, _stack(shown.ropes)):
        yield replace(panel, note=note)
    yield from _clearance_panels(shown)
    drives = drive_columns(shown.verified)
    driven = [crane.coordinates[column] for column in drives]
    note = shown.not_given(names(driven))
    given = [i for i in drives if crane.coordinates[i].name not in shown.hidden]
    seen = [crane.coordinates[i] for i in given]
    for panel in grouped("drives", "Drive motions", "q", seen, shown.q[:, given]):
        yield replace(panel, note=note)
    if tracking is None:
        rates = [replace(part, unit=rate_unit(part.unit)) for part in driven]
        speeds = shown.verified.feedforward.v[:, drives]
        yield from grouped("speeds", "Drive speeds", "v", rates, speeds)
        return
    inputs = {part.name: part for part in steered(crane)}
    found = {name: values for name, values in tracking.drive_speeds.items() if name in inputs}
    speeds_of = [replace(inputs[n], unit=rate_unit(inputs[n].unit)) for n in found]
    # A drive's speed is none of a coordinate: limits on those have a panel of their own.
    yield from grouped("speeds", "Drive speeds", "", speeds_of, _stack(found))
    powers = {name: values for name, values in tracking.powers.items() if name in inputs}
    powers_of = [replace(inputs[name], unit="W") for name in powers]
    yield from grouped("powers", "Drive powers", "power", powers_of, _stack(powers))


def drive_columns(verified: Verified) -> list[int]:
    """Return the coordinates that the drives act on: the rows of B that are not zero."""
    pattern = verified.structure.model.input_matrix.sparsity()
    return sorted(set(int(row) for row in pattern.row()))


def _path_panels(shown: ShownMotion) -> Iterable[Panel]:
    outputs = shown.crane.outputs
    tracked = shown.verified.tracking is not None
    for unit, columns in _by_unit(outputs).items():
        curves = []
        for colour, column in enumerate(columns):
            part = outputs[column]
            name = f"{part.name} wanted"
            if tracked:
                label = f"{part.name} achieved"
                values = shown.outputs[:, column]
                curves.append(PlotCurve(label, values, colour, "faint", part.meaning))
            # dashed and on top of a broad one: where both agree, both stay visible
            style: Style = "dashed" if tracked else "solid"
            curves.append(PlotCurve(name, shown.wanted[:, column], colour, style, part.meaning))
        title = "Wanted and achieved path" if tracked else "Wanted path"
        yield Panel("path", title, KINDS.get(unit, "output"), unit, tuple(curves))


def _clearance_panels(shown: ShownMotion) -> Iterable[Panel]:
    """Yield how far load and ropes are from the obstacles, where there are any."""
    if not shown.obstacles:
        return
    curves = tuple(
        PlotCurve(
            f"obstacle {i + 1}", values, i, meaning=described(one), signal=clearance_title(i + 1)
        )
        for i, (one, values) in enumerate(zip(shown.obstacles, distances(shown).T, strict=True))
    )
    ropes = any(one.rope for one in shown.obstacles)
    note = shown.not_given(names(shown.crane.coordinates)) if ropes else ""
    yield Panel("clearance", "Distance from obstacles", "distance", "m", curves, note=note)


def _limited_panels(shown: ShownMotion, titles: Sequence[str]) -> Iterable[Panel]:
    """Yield panels of limited signals that have no plot otherwise, as far as they are known."""
    motion, known = shown.motion, signals(shown.crane)
    for group, one in SIGNAL_GROUPS.items():
        chosen = [
            known[title]
            for title in titles
            if one.panel and title in motion.values and known[title].group == group
        ]
        parts = [Quantity(signal.name, signal.unit, signal.meaning) for signal in chosen]
        values = {
            signal.name: np.interp(shown.time, motion.time, motion.values[signal.title])
            for signal in chosen
        }
        yield from grouped(one.panel, one.title, group, parts, _stack(values))


def _margin_panel(shown: ShownMotion, ranges: Mapping[str, Range]) -> Panel:
    """Return how far the ropes are from slack, or from the least force that they must have."""
    own = {
        name: max(ranges.get(f"rope.{name}", Range(least=0.0)).least, 0.0) for name in shown.ropes
    }
    margins = [force - own[name] for name, force in shown.ropes.items()]
    least = PlotCurve("least of all ropes", np.min(margins, axis=0), 5)
    goal, label = "slack", "slack below"
    if any(own.values()):
        goal, label = "their least force", "too little below"
    title = f"Margin of the ropes to {goal}"
    note = shown.not_given(names(shown.crane.ropes))
    bands = (Band(label, 0.0, "least"),)
    return Panel("margin", title, "force", "N", (least,), bands=bands, note=note)


def grouped(
    key: str, title: str, group: str, quantities: Sequence[Quantity], values: Array
) -> Iterable[Panel]:
    """Yield a panel for each unit among the quantities."""
    for unit, columns in _by_unit(quantities).items():
        curves = tuple(
            PlotCurve(
                quantities[i].name,
                values[:, i],
                colour,
                meaning=quantities[i].meaning,
                signal=f"{group}.{quantities[i].name}" if group else "",
            )
            for colour, i in enumerate(columns)
        )
        yield Panel(key, title, KINDS.get(unit, key), unit, curves)


def with_limits(panel: Panel, ranges: Mapping[str, Range], touched: Touched) -> Panel:
    """Return the panel with those limits in force that its curves have."""
    curves = {curve.signal: (curve.label, curve.colour, curve.values) for curve in panel.curves}
    bounds = {signal: ranges[signal] for signal in curves if signal in ranges}
    if not bounds:
        return panel
    bands, note = limit_bands(curves, bounds, panel.unit, touched)
    return replace(panel, bands=bands, note=" ".join(filter(None, (panel.note, note))))


def scaled(panel: Panel) -> Panel:
    """Return the panel in a unit whose numbers read well; what is only rounding is zero."""
    largest = max(float(np.abs(curve.values).max(initial=0.0)) for curve in panel.curves)
    curves = panel.curves
    if readable(largest, panel.unit) == 0.0:
        curves = tuple(replace(curve, values=0.0 * curve.values) for curve in curves)
    factor, unit = prefix(largest, panel.unit)
    return replace(panel, factor=factor, unit=unit, curves=curves)


def _by_unit(quantities: Sequence[Quantity]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for i, part in enumerate(quantities):
        groups.setdefault(part.unit, []).append(i)
    return groups


def _stack(columns: Mapping[str, Array]) -> Array:
    return np.column_stack(list(columns.values())) if columns else np.zeros((0, 0))
