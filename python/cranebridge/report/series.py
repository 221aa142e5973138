"""The curves of the report: what is plotted over time, in which panel, with which unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranebridge.report.bodies import Array
from cranebridge.report.source import Tracking
from cranebridge.report.units import prefix, rate_unit
from cranebridge.solve import Solved
from cranebridge.twin.crane import Quantity

MOST_SAMPLES = 2500
"""More points than pixels make a file large and no picture better."""

_KINDS = {
    "m": "position",
    "rad": "angle",
    "N": "force",
    "N*m": "torque",
    "m/s": "speed",
    "rad/s": "angular speed",
    "W": "power",
}

Style = Literal["solid", "dashed", "faint"]


@dataclass(frozen=True, eq=False)
class Curve:
    """One line of a panel; curves of the same colour belong together."""

    label: str
    values: Array
    colour: int
    style: Style = "solid"
    meaning: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves with a common unit over the same times.

    Attributes
    ----------
    key : str
        What the panel is about: path, error, controls, drives, speeds, powers or ropes.
    title, axis, unit : str
        Heading, and label of the axis; `factor` brings SI values into that unit.
    limits : tuple of (str, float)
        Horizontal lines, in SI units.
    """

    key: str
    title: str
    axis: str
    unit: str
    curves: tuple[Curve, ...]
    factor: float = 1.0
    limits: tuple[tuple[str, float], ...] = ()
    note: str = ""


@dataclass(frozen=True, eq=False)
class Series:
    """All panels over one time axis."""

    time: Array
    panels: tuple[Panel, ...]
    chosen: NDArray[np.intp] = field(repr=False)
    samples: int = 0

    @property
    def note(self) -> str:
        """What was left out, in a sentence."""
        if self.time.size == self.samples:
            return f"All {self.samples} samples are shown."
        return (
            f"{self.time.size} of {self.samples} samples are shown: of each group of neighbours "
            "the one with the largest tracking error, and the extremes of every curve. "
            "The CSV files hold all of them."
        )


def make_series(solved: Solved, tracking: Tracking | None) -> Series:
    """Gather the curves of a solution, or of its verification, and thin them out."""
    time = solved.feedforward.time if tracking is None else tracking.time
    panels = tuple(_all_panels(solved, tracking))
    error = None if tracking is None else tracking.error
    chosen = thin(time, [curve.values for panel in panels for curve in panel.curves], error)
    kept = tuple(_thinned(panel, chosen) for panel in panels)
    return Series(time[chosen], kept, chosen, int(time.size))


def thin(
    time: Array, curves: Sequence[Array], error: Array | None, most: int = MOST_SAMPLES
) -> NDArray[np.intp]:
    """Return which samples to show: about `most`, with the extremes of every curve.

    A fixed stride would show an alias of an error that swings fast, so that of each group of
    neighbours the sample with the largest error is kept.
    """
    count = time.size
    if count <= most:
        return np.arange(count)
    group = -(-count // most)
    starts = np.arange(0, count, group)
    if error is None:
        chosen = starts
    else:
        size = np.nan_to_num(np.linalg.norm(error, axis=1))
        padded = np.full(starts.size * group, -1.0)
        padded[:count] = size
        chosen = starts + padded.reshape(-1, group).argmax(axis=1)
    extremes = [index for curve in curves for index in (np.argmin(curve), np.argmax(curve))]
    return np.unique(np.concatenate([chosen, [0, count - 1], extremes])).astype(np.intp)


def _thinned(panel: Panel, chosen: NDArray[np.intp]) -> Panel:
    curves = tuple(replace(curve, values=curve.values[chosen]) for curve in panel.curves)
    return replace(panel, curves=curves)


def _all_panels(solved: Solved, tracking: Tracking | None) -> Iterable[Panel]:
    """Yield all panels in the order of the page."""
    crane, solution = solved.scenario.crane, solved.feedforward
    if tracking is None:
        wanted, achieved, q, u, ropes = solution.gamma, None, solution.q, solution.u, solution.ropes
    else:
        wanted, achieved, q = tracking.wanted, tracking.achieved, tracking.q
        u, ropes = tracking.u, tracking.ropes
    yield from _path_panels(crane.outputs, wanted, achieved)
    if tracking is not None:
        limit = solved.scenario.tables.limits.tracking
        yield from _error_panels(crane.outputs, tracking.error, limit)
    yield from _grouped("controls", "Controls", crane.inputs, u)
    yield from _rope_panels(crane.ropes, ropes)
    drives = drive_columns(solved)
    driven = [crane.coordinates[column] for column in drives]
    yield from _grouped("drives", "Drive motions", driven, q[:, drives])
    if tracking is None:
        rates = [replace(part, unit=rate_unit(part.unit)) for part in driven]
        yield from _grouped("speeds", "Drive speeds", rates, solution.v[:, drives])
        return
    known = {part.name: part for part in (*crane.inputs, *crane.coordinates)}
    speeds = [_named(known, name, None) for name in tracking.drive_speeds]
    yield from _grouped("speeds", "Drive speeds", speeds, _stack(tracking.drive_speeds))
    powers = [_named(known, name, "W") for name in tracking.powers]
    yield from _grouped("powers", "Drive powers", powers, _stack(tracking.powers))


def drive_columns(solved: Solved) -> list[int]:
    """Return the coordinates that the drives act on: the rows of B that are not zero."""
    pattern = solved.structure.model.input_matrix.sparsity()
    return sorted(set(int(row) for row in pattern.row()))


def _path_panels(
    outputs: Sequence[Quantity], wanted: Array, achieved: Array | None
) -> Iterable[Panel]:
    for unit, columns in _by_unit(outputs).items():
        curves = []
        for colour, column in enumerate(columns):
            part = outputs[column]
            name = f"{part.name} wanted"
            if achieved is not None:
                label = f"{part.name} achieved"
                curves.append(Curve(label, achieved[:, column], colour, "faint", part.meaning))
            # dashed and on top of a broad one: where both agree, both stay visible
            style: Style = "dashed" if achieved is not None else "solid"
            curves.append(Curve(name, wanted[:, column], colour, style, part.meaning))
        title = "Wanted and achieved path" if achieved is not None else "Wanted path"
        yield _scaled(Panel("path", title, _KINDS.get(unit, "output"), unit, tuple(curves)))


def _error_panels(outputs: Sequence[Quantity], error: Array, limit: float) -> Iterable[Panel]:
    for panel in _grouped("error", "Tracking error", outputs, error):
        largest = max(float(np.abs(curve.values).max()) for curve in panel.curves)
        panel = replace(panel, axis="error")
        # A limit far away would flatten the curves: it is in the verdict then, not in the plot.
        near = panel.unit.endswith("m") and largest > 0.05 * limit
        yield replace(panel, limits=(("limit", limit), ("", -limit)) if near else ())


def _rope_panels(ropes: Sequence[Quantity], forces: Array) -> Iterable[Panel]:
    yield from _grouped("ropes", "Rope forces", ropes, forces)
    if ropes:
        least = Curve("least of all ropes", forces.min(axis=1), 5, "solid")
        panel = Panel("margin", "Margin of the ropes to slack", "force", "N", (least,))
        yield _scaled(replace(panel, limits=(("slack below", 0.0),)))


def _grouped(
    key: str, title: str, quantities: Sequence[Quantity], values: Array
) -> Iterable[Panel]:
    """Yield a panel for each unit among the quantities."""
    for unit, columns in _by_unit(quantities).items():
        curves = tuple(
            Curve(quantities[i].name, values[:, i], colour, "solid", quantities[i].meaning)
            for colour, i in enumerate(columns)
        )
        yield _scaled(Panel(key, title, _KINDS.get(unit, key), unit, curves))


def _scaled(panel: Panel) -> Panel:
    largest = max(float(np.abs(curve.values).max(initial=0.0)) for curve in panel.curves)
    factor, unit = prefix(largest, panel.unit)
    return replace(panel, factor=factor, unit=unit)


def _by_unit(quantities: Sequence[Quantity]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for i, part in enumerate(quantities):
        groups.setdefault(part.unit, []).append(i)
    return groups


def _named(known: Mapping[str, Quantity], name: str, unit: str | None) -> Quantity:
    """Return what a drive is called; a speed takes its unit from the force or the coordinate."""
    part = known.get(name, Quantity(name, "SI", ""))
    return replace(part, name=name, unit=unit or rate_unit(part.unit))


def _stack(columns: Mapping[str, Array]) -> Array:
    return np.column_stack(list(columns.values())) if columns else np.zeros((0, 0))


def margins(solved: Solved, tracking: Tracking | None) -> list[tuple[str, str, float, float]]:
    """Return name, meaning, least force in N and its time in s of each rope."""
    source = solved.feedforward if tracking is None else tracking
    result = []
    for column, part in enumerate(solved.scenario.crane.ropes):
        worst = int(np.argmin(source.ropes[:, column]))
        force, time = float(source.ropes[worst, column]), float(source.time[worst])
        result.append((part.name, part.meaning, force, time))
    return result
