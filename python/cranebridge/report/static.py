"""The printable report: the plots as PDF or PNG, drawn by Matplotlib."""

from __future__ import annotations

import io
import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from cranebridge.errors import InputError, MissingDependencyError
from cranebridge.path import Path as LoadPath
from cranebridge.report.animation import Array, outlines
from cranebridge.report.files import put, require_target
from cranebridge.report.page_values import (
    achieved_way,
    frames,
    marked_knots,
    other_ways,
    phases,
    shown_scene,
    wanted_way,
)
from cranebridge.report.plots import Panel, Series, make_series
from cranebridge.report.rows import budget_table, words
from cranebridge.report.shown import ShownMotion, shown_result
from cranebridge.scenario import Scenario
from cranebridge.verify import Tracking, Verified

_COLOURS = ("#0b62c4", "#c2500a", "#10805a", "#8e44ad", "#a07800", "#b0316b", "#4d6472")
_OBSTACLE = "#2a8c86"
_A4 = (8.27, 11.69)
_ROWS = 4


def write_static(
    target: Path, scenario: Scenario, verified: Verified, overwrite: bool = False
) -> Path:
    """Write the plots as a PDF of A4 pages, or as one PNG.

    Parameters
    ----------
    target : pathlib.Path
        The file; its ending, .pdf or .png, tells the format.
    scenario, verified, overwrite
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
    except ImportError as error:
        raise MissingDependencyError(
            "a printable report needs Matplotlib: pip install cranebridge"
        ) from error
    figures = draw_figures(scenario, verified, paged=kind == ".pdf")
    buffer = io.BytesIO()
    if kind == ".png":
        figures[0].savefig(buffer, format="png", dpi=130)
    else:
        # without a date the same result gives the same file
        about = {"Title": f"cranebridge: {scenario.name}", "CreationDate": None}
        with PdfPages(buffer, metadata=about) as pages:
            for figure in figures:
                pages.savefig(figure)
    put(target, buffer.getvalue())
    return target


def draw_figures(scenario: Scenario, verified: Verified, paged: bool) -> list[Any]:
    """Return the report as A4 pages, or as one long page."""
    from matplotlib.figure import Figure

    shown = shown_result(scenario, verified)
    series = make_series(shown)
    head = _heading(scenario, shown)
    count = 2 if paged else len(series.panels)
    size = _A4 if paged else (_A4[0], 4.4 + 2.3 * count)
    figures = [Figure(figsize=size, layout="constrained")]
    _first_page(figures[0], head, shown, series, series.panels[:count])
    rest = series.panels[count:]
    for begin in range(0, len(rest), _ROWS):
        figure = Figure(figsize=_A4, layout="constrained")
        for i, panel in enumerate(rest[begin : begin + _ROWS]):
            draw_panel(figure.add_subplot(_ROWS, 1, i + 1), panel, series.time, shown.path)
        figures.append(figure)
    return figures


def _heading(scenario: Scenario, shown: ShownMotion) -> str:
    verified = shown.verified
    texts = [
        f"{scenario.name}: {scenario.crane.description}",
        f"{verified.status.upper()}: {words.headline(shown)}",
        verified.notice,
        *(f"{status.capitalize()}: {text}" for status, text in words.findings(verified.verdicts)),
    ]
    return "\n".join(textwrap.fill(text, 105) for text in texts if text)


def _first_page(
    figure: Any, head: str, shown: ShownMotion, series: Series, panels: tuple[Panel, ...]
) -> None:
    """Put the verdict, the crane, the error budget and the first plots on a page."""
    figure.suptitle(head, fontsize=9, x=0.02, ha="left", linespacing=1.5)
    rows = figure.add_gridspec(len(panels) + 1, 1, height_ratios=[1.7] + [1.0] * len(panels))
    tracking = shown.verified.tracking
    top = rows[0].subgridspec(1, 2 if tracking is not None else 1)
    _draw_crane(figure, top[0, 0], shown, series)
    if tracking is not None:
        _draw_budget(figure.add_subplot(top[0, 1]), shown.verified, tracking)
    for i, panel in enumerate(panels):
        draw_panel(figure.add_subplot(rows[i + 1]), panel, series.time, shown.path)


def _draw_crane(figure: Any, place: Any, shown: ShownMotion, series: Series) -> None:
    """Draw the load's way, and bars and ropes of the crane at its start and its end."""
    time, q, _ = frames(shown, series)
    picture = shown_scene(shown, time, q)
    if picture is None:
        return
    planar = picture.planar
    seen = [0, 2] if planar else [0, 1, 2]
    axes = figure.add_subplot(place, projection=None if planar else "3d")
    for face, *edges in outlines(picture):
        if planar:
            axes.fill(*face.T[seen], color=_OBSTACLE, alpha=0.5, lw=0)
        for edge in () if planar else edges:
            axes.plot(*edge.T, color=_OBSTACLE, lw=0.8)
    for frame, alpha in ((0, 0.35), (-1, 1.0)):
        for body in picture.body_dicts():
            if body["kind"] in ("beam", "rope"):
                ends = [picture.points[body[key]][frame][seen] for key in ("begin", "end")]
                colour, width = ("#222a35", 0.8) if body["kind"] == "rope" else ("#6d7c90", 1.6)
                axes.plot(*np.transpose(ends), color=colour, lw=width, alpha=alpha)
        if "load" in picture.points:
            place_of = picture.points["load"][frame][seen, None]
            axes.plot(*place_of, "o", color="#c2361f", alpha=alpha)
    wanted = wanted_way(shown, picture, time)
    if wanted is not None:
        axes.plot(*wanted.T[seen], color=_COLOURS[0], lw=1.2, label="wanted path")
        way = achieved_way(shown, series, picture)
        if shown.verified.tracking is not None and way is not None:
            axes.plot(*way.T[seen], color=_COLOURS[1], lw=1.2, ls="--", label="achieved")
        for i, (label, other) in enumerate(other_ways(shown, picture)):
            axes.plot(*other.T[seen], color=_COLOURS[3 + i], lw=0.6, label=label)
        axes.legend(fontsize=7, loc="best")
    _label_axes(axes, planar)
    axes.set_title("start (faint) and end", fontsize=8)


def _label_axes(axes: Any, planar: bool) -> None:
    axes.set_xlabel("x [m]", fontsize=7, labelpad=2 if planar else -4)
    axes.set_ylabel("z [m]" if planar else "y [m]", fontsize=7, labelpad=2 if planar else -4)
    if not planar:
        axes.set_zlabel("z [m]", fontsize=7, labelpad=-4)
    axes.tick_params(labelsize=6)
    axes.set_aspect("equal")


def _draw_budget(axes: Any, verified: Verified, tracking: Tracking) -> None:
    """Draw the error budget as dots on a logarithmic axis."""
    rows = budget_table(verified, tracking).rows[::-1]
    colours = {
        "source": _COLOURS[0],
        "rest": _COLOURS[3],
        "uncertainty": _COLOURS[6],
        "measured": _COLOURS[1],
        "limit": "#c62828",
    }
    for height, row in enumerate(rows):
        if row.place is not None:
            axes.plot([row.value], [height], "o", color=colours[row.kind], clip_on=False)
    axes.set_xscale("log")
    labels = [textwrap.fill(f"{row.label}: {row.text}", 30) for row in rows]
    axes.set_yticks(range(len(rows)), labels, fontsize=7)
    axes.set_ylim(-0.5, len(rows) - 0.5)
    axes.grid(lw=0.4, alpha=0.6)
    axes.set_xlabel("error [m]", fontsize=8)
    axes.tick_params(axis="x", labelsize=7)
    axes.set_title("Error budget", fontsize=9)


def draw_panel(axes: Any, panel: Panel, time: Array, path: LoadPath | None) -> None:
    """Draw one panel with the phases of the path; units on both axes, limits as bands."""
    if path is not None:
        _draw_phases(axes, time, path)
    for curve in panel.curves:
        axes.plot(
            time,
            curve.values * panel.factor,
            color=_COLOURS[curve.colour % len(_COLOURS)],
            lw={"dashed": 1.0, "solid": 1.5, "faint": 3.0}[curve.style],
            alpha=0.4 if curve.style == "faint" else 1.0,
            ls="--" if curve.style == "dashed" else "-",
            label=curve.label,
        )
    for label, value in panel.limits:
        axes.axhline(value * panel.factor, color="#c62828", lw=0.9, ls="--", label=label or None)
    axes.set_xlim(time[0], time[-1])
    axes.margins(y=0.12)
    _draw_bands(axes, panel)
    axes.set_title(panel.title, fontsize=9, loc="left")
    note = textwrap.fill(panel.note, 120)
    axes.set_xlabel(f"time [s]\n{note}" if note else "time [s]", fontsize=8)
    axes.set_ylabel(f"{panel.axis} [{panel.unit}]", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(lw=0.4, alpha=0.5)
    axes.legend(
        fontsize=6.5,
        ncols=8,
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        borderaxespad=0.2,
        frameon=False,
    )


def _draw_phases(axes: Any, time: Array, path: LoadPath) -> None:
    """Mark the phases of the path, and where its pieces meet."""
    for i, (name, begin, end) in enumerate(phases(path, float(time[0]), float(time[-1]))):
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
    for knot in marked_knots(path):
        axes.axvline(knot, color="#5b6778", lw=0.5, ls=":")


def _draw_bands(axes: Any, panel: Panel) -> None:
    """Shade what lies beyond the limits, stronger where a plan touches them."""
    low, high = axes.get_ylim()
    thick = 0.03 * (high - low)
    for band in panel.bands:
        place, sign = band.value * panel.factor, 1.0 if band.side == "most" else -1.0
        colour = "#c62828" if band.colour is None else _COLOURS[band.colour % len(_COLOURS)]
        # that of one curve among others is narrow: they may be there
        end = place + sign * (4.0 * thick if band.colour is not None else high - low)
        axes.fill_between(axes.get_xlim(), place, end, color=colour, alpha=0.08, lw=0)
        for span in band.active:
            axes.fill_between(span, place, place + sign * thick, color=colour, alpha=0.7, lw=0.5)
    axes.set_ylim(low, high)
