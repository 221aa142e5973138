"""Signals drawn by Matplotlib: a plot for each unit, limits as bands, units on all axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.face.optional import library
from cranebridge.limits import Range
from cranebridge.path import Path
from cranebridge.report.plots import KINDS, Panel, PlotCurve, scaled, with_limits
from cranebridge.twin.language import Quantity

Array = NDArray[np.float64]
Axes = Any
"""Matplotlib's, one or several."""

_WIDTH = 8.0
"""Inches of a plot."""
_HEIGHT = 2.3
"""Inches of each of its panels."""


def signal_panels(
    values: Mapping[str, tuple[Quantity, Array]], ranges: Mapping[str, Range]
) -> list[Panel]:
    """Return a panel for each unit among signals.

    Parameters
    ----------
    values : mapping
        By name: unit and meaning, and values.
    ranges : mapping
        Limits in force, by the signal that they are for.
    """
    units = dict.fromkeys(quantity.unit for quantity, _ in values.values())
    panels = []
    for unit in units:
        members = [name for name, (quantity, _) in values.items() if quantity.unit == unit]
        curves = tuple(
            PlotCurve(
                name, values[name][1], i, meaning=values[name][0].meaning, signal=_limited(name)
            )
            for i, name in enumerate(members)
        )
        title = values[members[0]][0].meaning if len(members) == 1 else ""
        panel = Panel("signals", title, KINDS.get(unit, "value"), unit, curves)
        panels.append(scaled(with_limits(panel, ranges, {})))
    return panels


def _limited(name: str) -> str:
    """Return the name that a signal's limits go by."""
    return name.replace("e.", "tracking.", 1) if name.startswith("e.") else name


def draw(
    panels: Sequence[Panel], time: Array, path: Path | None, axes: Axes | None = None
) -> NDArray[Any]:
    """Draw panels below each other, or in given axes; returns the axes.

    Raises
    ------
    InputError
        If there are not as many axes as panels.
    MissingDependencyError
        If Matplotlib is not installed.
    """
    pyplot = library("matplotlib.pyplot", "plot()")
    from cranebridge.report import draw_panel

    if axes is None:
        size = (_WIDTH, _HEIGHT * len(panels))
        _, axes = pyplot.subplots(
            len(panels), sharex=True, squeeze=False, figsize=size, layout="constrained"
        )
    found = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
    if found.size != len(panels):
        units = ", ".join(panel.unit for panel in panels)
        raise InputError(f"there are {len(panels)} plots ({units}), got {found.size} axes")
    for one, panel in zip(found, panels, strict=True):
        draw_panel(one, panel, time, path)
        one.tick_params(labelbottom=True)
    return found
