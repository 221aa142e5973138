"""The printable report: the plots as PDF or PNG, drawn by Matplotlib."""

from __future__ import annotations

import io
import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from cranebridge.errors import InputError, MissingDependencyError
from cranebridge.path import Path as LoadPath
from cranebridge.report import words
from cranebridge.report.html import put, require_target
from cranebridge.report.page_data import frames, phases
from cranebridge.report.scene import load_position, scene
from cranebridge.report.series import Panel, Series, make_series
from cranebridge.report.source import Tracking
from cranebridge.scenario import Scenario
from cranebridge.solve import Solved
from cranebridge.twin.crane import names

_COLOURS = ("#0b62c4", "#c2500a", "#10805a", "#8e44ad", "#a07800", "#b0316b", "#4d6472")
_A4 = (8.27, 11.69)
_ROWS = 4


def write_static(
    target: Path,
    *,
    scenario: Scenario,
    solved: Solved,
    tracking: Tracking | None = None,
    overwrite: bool = False,
) -> Path:
    """Write the plots as a PDF of A4 pages, or as one PNG.

    Parameters
    ----------
    target : pathlib.Path
        The file; its ending, .pdf or .png, tells the format.
    scenario, solved, tracking, overwrite
        As for `write_report`.

    Raises
    ------
    MissingDependencyError
        If Matplotlib is not installed.
    """
    kind = target.suffix.lower()
    if kind not in (".pdf", ".png"):
        raise InputError(f"a printable report is a .pdf or a .png file, got '{target.name}'")
    require_target(target, overwrite)
    try:
        from matplotlib.backends.backend_pdf import PdfPages
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingDependencyError(
            "a printable report needs Matplotlib: pip install 'cranebridge[report]'"
        ) from error
    series = make_series(solved, tracking)
    head = _heading(scenario, solved, tracking)
    buffer = io.BytesIO()
    if kind == ".png":
        count = len(series.panels)
        figure = Figure(figsize=(_A4[0], 4.4 + 2.3 * count), layout="constrained")
        _first_page(figure, head, solved, tracking, series, series.panels)
        figure.savefig(buffer, format="png", dpi=130)
    else:
        # without a date the same result gives the same file
        about = {"Title": f"cranebridge: {scenario.name}", "CreationDate": None}
        with PdfPages(buffer, metadata=about) as pages:
            first, rest = series.panels[:2], series.panels[2:]
            figure = Figure(figsize=_A4, layout="constrained")
            _first_page(figure, head, solved, tracking, series, first)
            pages.savefig(figure)
            for begin in range(0, len(rest), _ROWS):
                figure = Figure(figsize=_A4, layout="constrained")
                for i, panel in enumerate(rest[begin : begin + _ROWS]):
                    _draw(figure.add_subplot(_ROWS, 1, i + 1), panel, series, scenario.problem.path)
                pages.savefig(figure)
    put(target, buffer.getvalue())
    return target


def _heading(scenario: Scenario, solved: Solved, tracking: Tracking | None) -> str:
    status = words.status(solved, tracking).upper()
    text = f"{status}: {words.sentence(solved, tracking)}"
    return f"{scenario.name}: {scenario.crane.description}\n" + textwrap.fill(text, 105)


def _first_page(
    figure: Any,
    head: str,
    solved: Solved,
    tracking: Tracking | None,
    series: Series,
    panels: tuple[Panel, ...],
) -> None:
    """Put the verdict, the crane, the error budget and the first plots on a page."""
    figure.suptitle(head, fontsize=9, x=0.02, ha="left", linespacing=1.5)
    rows = figure.add_gridspec(len(panels) + 1, 1, height_ratios=[1.7] + [1.0] * len(panels))
    top = rows[0].subgridspec(1, 2 if tracking is not None else 1)
    _draw_crane(figure, top[0, 0], solved, tracking, series)
    if tracking is not None:
        _draw_budget(figure.add_subplot(top[0, 1]), solved, tracking)
    for i, panel in enumerate(panels):
        _draw(figure.add_subplot(rows[i + 1]), panel, series, solved.scenario.problem.path)


def _draw_crane(
    figure: Any, place: Any, solved: Solved, tracking: Tracking | None, series: Series
) -> None:
    """Draw the load's way, and bars and ropes of the crane at its start and its end."""
    crane, problem = solved.scenario.crane, solved.scenario.problem
    time, q, _ = frames(solved, tracking, series)
    picture = scene(crane, problem.parameters, q)
    if picture is None:
        return
    axes = figure.add_subplot(place, projection="3d")
    for frame, alpha in ((0, 0.35), (-1, 1.0)):
        for body in picture.body_dicts():
            if "begin" in body:
                ends = [picture.points[body[key]][frame] for key in ("begin", "end")]
                colour, width = ("#222a35", 0.8) if body["kind"] == "rope" else ("#6d7c90", 1.6)
                axes.plot(*np.transpose(ends), color=colour, lw=width, alpha=alpha)
        if "load" in picture.points:
            axes.plot(*picture.points["load"][frame][:, None], "o", color="#c2361f", alpha=alpha)
    wanted = load_position(crane, names(crane.outputs), problem.path(time).T)
    if wanted is not None:
        axes.plot(*wanted.T, color=_COLOURS[0], lw=1.2, label="wanted path")
        if tracking is not None and "load" in picture.points:
            way = picture.points["load"]
            axes.plot(*way.T, color=_COLOURS[1], lw=1.2, ls="--", label="achieved")
        axes.legend(fontsize=7, loc="upper left")
    axes.set_xlabel("x [m]", fontsize=7, labelpad=-4)
    axes.set_ylabel("y [m]", fontsize=7, labelpad=-4)
    axes.set_zlabel("z [m]", fontsize=7, labelpad=-4)
    axes.tick_params(labelsize=6)
    axes.set_aspect("equal")
    axes.set_title("start (faint) and end", fontsize=8)


def _draw_budget(axes: Any, solved: Solved, tracking: Tracking) -> None:
    """Draw the error budget as dots on a logarithmic axis."""
    rows = words.make_budget(solved, tracking).rows[::-1]
    colours = {"source": _COLOURS[0], "measured": _COLOURS[1], "limit": "#c62828"}
    for height, row in enumerate(rows):
        if row.place is not None:
            axes.plot([row.value], [height], "o", color=colours[row.kind], clip_on=False)
    axes.set_xscale("log")
    labels = [f"{textwrap.fill(row.label, 22)}\n{row.text}" for row in rows]
    axes.set_yticks(range(len(rows)), labels, fontsize=7)
    axes.set_ylim(-0.5, len(rows) - 0.5)
    axes.grid(lw=0.4, alpha=0.6)
    axes.set_xlabel("error [m]", fontsize=8)
    axes.tick_params(axis="x", labelsize=7)
    axes.set_title("Error budget", fontsize=9)


def _draw(axes: Any, panel: Panel, series: Series, path: LoadPath) -> None:
    """Draw one panel with the phases of the path."""
    for i, (name, begin, end) in enumerate(phases(path, float(series.time[-1]))):
        if i % 2 == 0:
            axes.axvspan(begin, end, color="#8aa0bd", alpha=0.12, lw=0)
        middle = (begin + end) / 2
        axes.text(
            middle,
            0.98,
            name,
            fontsize=6,
            va="top",
            ha="center",
            color="#5b6778",
            transform=axes.get_xaxis_transform(),
        )
    for knot in path.knots:
        axes.axvline(knot, color="#5b6778", lw=0.5, ls=":")
    for curve in panel.curves:
        axes.plot(
            series.time,
            curve.values * panel.factor,
            color=_COLOURS[curve.colour % len(_COLOURS)],
            lw={"dashed": 1.0, "solid": 1.5, "faint": 3.0}[curve.style],
            alpha=0.4 if curve.style == "faint" else 1.0,
            ls="--" if curve.style == "dashed" else "-",
            label=curve.label,
        )
    for label, value in panel.limits:
        axes.axhline(value * panel.factor, color="#c62828", lw=0.9, ls="--", label=label or None)
    axes.set_xlim(series.time[0], series.time[-1])
    axes.set_title(panel.title, fontsize=9, loc="left")
    axes.set_xlabel("time [s]", fontsize=8)
    axes.set_ylabel(f"{panel.axis} [{panel.unit}]", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(lw=0.4, alpha=0.5)
    axes.margins(y=0.12)
    axes.legend(
        fontsize=6.5,
        ncols=8,
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        borderaxespad=0.2,
        frameon=False,
    )
