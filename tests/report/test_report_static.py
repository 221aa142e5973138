"""The printable report: what is drawn, looked up among the figures' artists."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from cranebridge.errors import InputError, MissingDependencyError
from cranebridge.limits import Limits
from cranebridge.report import write_static
from cranebridge.report.plots.series import make_series
from cranebridge.report.report_motion import shown_motion
from cranebridge.report.static import draw_figures


def plots(scenario, result):
    """Return the axes of all panels, in the order of the page."""
    figures = draw_figures(scenario, result, paged=True)
    axes = [axes for figure in figures for axes in figure.axes]
    return [part for part in axes if part.get_xlabel().startswith("time")]


@pytest.mark.parametrize(("ending", "magic"), [("pdf", b"%PDF-"), ("png", b"\x89PNG")])
@pytest.mark.parametrize("tracked", [True, False])
def test_printable_report_is_written(tmp_path, verified, solved, ending, magic, tracked):
    pytest.importorskip("matplotlib")
    result = (verified if tracked else solved)("overhead")
    target = tmp_path / f"report.{ending}"
    write_static(target, *result)
    assert target.read_bytes().startswith(magic)
    with pytest.raises(InputError, match="exists"):
        write_static(target, *result)


def test_limits_are_dashed_lines_across_the_plots(verified):
    pytest.importorskip("matplotlib")
    scenario, result = verified("overhead")
    largest = max(result.tracking.max_error.values())
    power = float(np.abs(result.tracking.powers["F_t"]).max())
    table = {
        "tracking": 2.0 * largest,
        "u": {"F_t": [-700.0, 600.0]},
        "v": {"z": 4.0},
        "power": {"F_t": 1.2 * power},
        "rope": [500.0, 1500.0],
    }
    limits = Limits.from_mapping(table, scenario.crane)
    limited = replace(result, limits=limits)
    panels = make_series(shown_motion(limited)).panels
    found = {}
    for panel, axes in zip(panels, plots(scenario, limited), strict=True):
        assert axes.get_title(loc="left") == panel.title
        drawn = [line for line in axes.lines if line.get_label() in dict(panel.limits)]
        heights = [float(line.get_ydata()[0]) / panel.factor for line in drawn]
        assert all(tuple(line.get_xdata()) == (0, 1) for line in drawn)  # of the axes' width
        assert all(min(axes.get_ylim()) < h * panel.factor < max(axes.get_ylim()) for h in heights)
        found.setdefault(panel.key, []).extend(heights)
    for key, values in {
        "error": [2.0 * largest, -2.0 * largest],
        "controls": [600.0, -700.0],
        "speeds": [4.0, -4.0],
        "powers": [1.2 * power, -1.2 * power],
        "ropes": [1500.0, 500.0],
    }.items():
        assert sorted(found[key]) == pytest.approx(sorted(values)), key


def test_limit_far_away_is_told_below_the_plot(verified):
    pytest.importorskip("matplotlib")
    scenario, result = verified("overhead")
    error = next(axes for axes in plots(scenario, result) if axes.get_ylabel().startswith("error"))
    assert "Limits beyond this plot: x, z ±1\u00a0mm." in error.get_xlabel()


def test_settling_is_named_after_the_paths_end(verified):
    pytest.importorskip("matplotlib")
    scenario, result = verified("rotary")
    duration, end = scenario.problem.path.duration, float(result.tracking.time[-1])
    for axes in plots(scenario, result):
        (name,) = [text for text in axes.texts if text.get_text() == "settling"]
        assert name.get_position()[0] == pytest.approx((duration + end) / 2)
        bands = [tuple(patch.get_extents().intervalx) for patch in axes.patches]
        inside = axes.transData.inverted().transform
        edges = [tuple(inside([(x, 0.0) for x in band])[:, 0]) for band in bands]
        wanted = [(b, e) for i, (_, b, e) in enumerate([*scenario.problem.path.phases,
                  ("settling", duration, end)]) if i % 2 == 0]  # fmt: skip
        np.testing.assert_allclose(edges, wanted, atol=1e-9)


def test_heading_tells_what_failed(verified):
    pytest.importorskip("matplotlib")
    settings = ("plant.model=OverheadCraneReal", "limits.tracking=1")
    scenario, result = verified("overhead", *settings)
    heading = draw_figures(scenario, result, paged=True)[0].get_suptitle()
    assert "FAILED: 1 of" in heading
    assert "Failed: twin and plant are different machines" in heading
    assert "PASSED: " in draw_figures(*verified("overhead"), paged=False)[0].get_suptitle()


def test_missing_matplotlib_names_what_to_install(tmp_path, solved, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_pdf", None)
    with pytest.raises(MissingDependencyError, match=r"Matplotlib: pip install cranebridge\b"):
        write_static(tmp_path / "report.pdf", *solved("rotary"))


def test_other_endings_are_refused(tmp_path, solved):
    with pytest.raises(InputError, match=r"\.pdf or a \.png"):
        write_static(tmp_path / "report.docx", *solved("rotary"))
