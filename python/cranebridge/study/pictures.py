"""Charts as PNG, drawn by Matplotlib."""

from __future__ import annotations

import io
from typing import Any

from cranebridge.errors import MissingDependencyError
from cranebridge.study.study_result import Chart

# Told apart without colour as well, for print.
_MARKERS = "osv^D<>pP*Xd"


def require_matplotlib() -> Any:
    """Return Matplotlib's Figure class, or say how to install it."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingDependencyError(
            "a study draws its pictures with Matplotlib: pip install cranebridge"
        ) from error
    return Figure


def draw(chart: Chart) -> bytes:
    """Return a chart as PNG."""
    figure = require_matplotlib()(figsize=(9.0, 5.0), layout="constrained")
    axes = figure.add_subplot()
    many = any(len(x) > 50 for x, _ in chart.lines.values())
    for i, (label, (x, y)) in enumerate(chart.lines.items()):
        marker = "" if many else _MARKERS[i % len(_MARKERS)]
        style = ("-", "--", "-.", ":")[(i // 10) % 4]
        # Methods that agree lie on each other: hollow marks of decreasing size show all of them.
        size = max(4.0, 13.0 - 0.8 * i)
        look = {"marker": marker, "markersize": size, "markerfacecolor": "none"}
        axes.plot(x, y, label=label, linestyle=style, linewidth=1.2, **look)
    positive = any(value > 0.0 for _, y in chart.lines.values() for value in y)
    if "x" in chart.log and chart.lines:
        axes.set_xscale("log")
    if "y" in chart.log and positive:
        axes.set_yscale("log")
    axes.set(title=chart.title, xlabel=chart.x_label, ylabel=chart.y_label)
    axes.grid(which="major", alpha=0.35)
    if chart.lines:
        figure.legend(loc="outside right upper", fontsize="small")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return buffer.getvalue()
