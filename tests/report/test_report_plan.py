"""The report of a path that was found: its limits as bands, its table, and a stop."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from report_page import Page, embedded, numbers, rows

from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.job import solve_scenario
from cranebridge.job.planning import replan
from cranebridge.path import Line, polynomial
from cranebridge.plan.task.plan import Alternative
from cranebridge.report import render, write_report
from cranebridge.report.plots.series import make_series
from cranebridge.report.rows.plan_rows import merged, plan_table
from cranebridge.report.shown import shown_result
from cranebridge.report.static import draw_figures
from cranebridge.scenario import load_scenario

SCENARIO = """
[crane]
model = "overhead"
[path]
kind = "optimal"
start = [0.0, -5.0]
goal = [10.0, -3.0]
accuracy = 0.1
[limits]
u = { F_t = 300.0, M_w = [-150.0, -50.0] }
v = { s = 2.5, l = 1.0 }
q = { l = [1.0, 8.0] }
rope = 98.1
[[obstacles]]
kind = "box"
low = [4.0, -10.0]
high = [6.0, -3.0]
"""
BOUNDS = {
    "u.F_t": (-300.0, 300.0),
    "u.M_w": (-150.0, -50.0),
    "v.s": (-2.5, 2.5),
    "v.l": (-1.0, 1.0),
    "q.l": (1.0, 8.0),
    "rope.T_cable": (98.1, math.inf),
    "clearance of obstacle 1": (0.0, math.inf),
}


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """A scenario whose path was found, and its solution."""
    file = tmp_path_factory.mktemp("plan") / "hop.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    scenario = load_scenario(str(file))
    return scenario, solve_scenario(scenario)


@pytest.fixture(scope="module")
def stopped(planned):
    """The same motion, stopped after a second: before the box, where a stop is found soon."""
    scenario = replan(planned[0], 1.0, None, lambda share: None)
    return scenario, solve_scenario(scenario)


def facts(text):
    """Return the rows of the page that have a label."""
    return dict(re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td>', text))


def bands(result):
    """Return the bands by side and label, with the panel that they are in."""
    panels = make_series(shown_result(*result)).panels
    return {
        (band.side, band.label.replace("\u00a0", " ")): (band, panel)
        for panel in panels
        for band in panel.bands
    }


def test_every_limit_is_a_band_with_its_value(planned):
    found = {}
    for (side, _), (band, panel) in bands(planned).items():
        for curve in panel.curves:
            if band.colour in (None, curve.colour):
                found.setdefault((curve.signal, side), []).append(band.value)
    for signal, (least, most) in BOUNDS.items():
        assert found.get((signal, "least"), [-math.inf]) == [least], signal
        assert found.get((signal, "most"), [math.inf]) == [most], signal


def test_motion_is_at_the_limit_where_the_band_is_marked(planned):
    """By the equations, solved anew at the ends of all marks.

    A plan calls a limit touched within a thousandth of half the range, at its own times; the ends
    are such times.
    """
    scenario, _ = planned
    columns = {"u.F_t": ("u", 0), "u.M_w": ("u", 1), "v.s": ("v", 0), "v.l": ("v", 1)}
    marked = 0
    for band, panel in bands(planned).values():
        signals = [curve.signal for curve in panel.curves if band.colour in (None, curve.colour)]
        if signals[0] not in columns or not band.active:
            continue
        kind, column = columns[signals[0]]
        least, most = BOUNDS[signals[0]]
        times = np.unique([0.0, *(t for span in band.active for t in span)])
        values = getattr(solve_index1(scenario.problem, times), kind)[:, column]
        assert np.abs(values[1:] - band.value).max() <= 1.001e-3 * 0.5 * (most - least)
        marked += 1
    assert marked >= 6


def test_marks_are_those_of_the_plan(planned):
    plan = planned[0].planned
    wanted = {(one.name, one.limit): list(map(list, one.spans)) for one in plan.active}
    data = embedded(render(*planned))
    panels = {panel["curves"][0]["label"]: panel for panel in data["panels"][1:]}
    force = {band["side"]: band for band in panels["F_t"]["bands"]}
    for side, limit in (("most", 300.0), ("least", -300.0)):
        assert force[side]["value"] == limit
        assert force[side]["active"] == wanted["u.F_t", limit]
    assert [[label, band["value"]] for (label, _), band in
            zip(panels["F_t"]["limits"], panels["F_t"]["bands"], strict=True)] == panels["F_t"][
        "limits"
    ]  # fmt: skip


def test_values_of_bands_have_the_unit_of_their_plot(planned):
    scenario, result = planned
    heavy = replace(result.limits, u={"M_w": replace(result.limits.u["M_w"], least=-2e5)})
    solution = replace(result.feedforward, u=1e3 * result.feedforward.u)
    data = embedded(render(scenario, replace(result, limits=heavy, feedforward=solution)))
    torque = next(panel for panel in data["panels"] if panel["unit"] == "kN·m")
    assert [band["value"] for band in torque["bands"] if band["side"] == "least"] == [-200.0]


def test_knots_of_a_spline_are_not_marked(planned, solved):
    assert len(planned[0].problem.path.knots) > 12
    assert embedded(render(*planned))["knots"] == []
    assert len(embedded(render(*solved("rotary")))["knots"]) > 0


def test_plan_is_told(planned):
    scenario, _ = planned
    plan, text = scenario.planned, render(*planned)
    told = facts(text)
    assert told["Asked for"] == "the shortest duration"
    assert told["Way"] == plan.way
    assert told["Duration, the cost"] == f"{plan.duration:.4f} s"
    assert told["Finer splines may gain"] == f"{100.0 * plan.remaining:.2g} % of the cost"
    found = [cells for cells, _ in rows(text, "Plan")]
    active = {(name, limit) for name, limit, *_ in (row for row in found if len(row) == 4)}
    assert {("u.F_t", "≤ 300 N"), ("u.F_t", "≥ −300 N"), ("v.s", "≤ 2.5 m/s")} <= active
    assert len(active) == len(plan.active)
    assert plan.alternatives
    for one in plan.alternatives:
        if math.isfinite(one.cost):
            assert [one.way, f"{one.duration:.4f} s", f"{one.cost:.4f} s"] in found
        else:
            assert [one.way, one.why] in found


# beside the hop that was found
SWING = Alternative.found(
    "swinging", 7.5, Line(("x", "z"), (0.0, -5.0), (10.0, -3.0), polynomial(7.5))
)


def with_ways(planned):
    scenario, result = planned
    others = (SWING, Alternative("through it", why="it would touch obstacle 1"))
    plan = replace(scenario.planned, alternatives=others)
    return scenario.with_problem(scenario.problem, plan), result


def test_other_ways_are_drawn_with_their_durations(planned):
    text = render(*with_ways(planned))
    ((label, way),) = embedded(text)["scene"]["ways"]
    assert label == "swinging, 7.50 s"
    assert label in Page(text).words
    points = numbers(way).reshape(-1, 3)
    # a planar crane moves at y = 0; page numbers have seven digits
    np.testing.assert_allclose(points[:, [0, 2]], SWING.points, atol=1e-5)
    assert np.abs(points[:, 1]).max() == 0.0
    assert embedded(render(*planned))["scene"]["ways"] != embedded(text)["scene"]["ways"]


def test_other_ways_are_printed(planned):
    pytest.importorskip("matplotlib")
    axes = [
        part for figure in draw_figures(*with_ways(planned), paged=True) for part in figure.axes
    ]
    picture = next(part for part in axes if part.get_title() == "start (faint) and end")
    (line,) = [line for line in picture.lines if line.get_label() == "swinging, 7.50 s"]
    np.testing.assert_allclose(np.transpose(line.get_data()), SWING.points, atol=1e-9)
    assert "swinging, 7.50 s" in [text.get_text() for text in picture.get_legend().get_texts()]


def test_other_ways_are_in_view(browser, planned, tmp_path):
    browser.open(write_report(tmp_path / "ways.html", *with_ways(planned)))
    assert browser.complaints() == []


def test_way_that_was_not_found_is_said_so_and_names_are_escaped(planned):
    scenario, result = planned
    plan = replace(
        scenario.planned,
        way="<b>over</b>",
        alternatives=(
            Alternative("left of <i>it</i>"),
            Alternative("right & on", 7.5, "", 7.5, ((0.0, -5.0), (10.0, -3.0))),
        ),
        notes=("<script>1</script>",),
    )
    text = render(scenario.with_problem(scenario.problem, plan), result)
    for part in ("<b>over</b>", "<i>it</i>", "<script>1</script>"):
        assert part not in text
    found = [cells for cells, _ in rows(text, "Plan")]
    assert ["left of <i>it</i>", "no plan found"] in found
    assert ["right & on", "7.5000 s", "7.5000 s"] in found
    assert "<script>1</script>" in Page(text).words


def test_cost_of_another_objective_stands_beside_the_duration(planned):
    scenario, result = planned
    plan = replace(
        scenario.planned, objective="effort", cost=1.99358, remaining=math.inf, active=()
    )
    other = scenario.with_problem(scenario.problem, plan)
    told = dict(plan_table(shown_result(other, result)).facts)
    assert told["Duration"] == f"{plan.duration:.4f} s"
    assert told["Cost"] == "1.99358"
    assert told["Finer splines may gain"] == "not known"
    text = render(other, result)
    assert "No limit is touched." in Page(text).words


def test_short_gaps_between_times_at_a_limit_are_not_told():
    spans = ((3.0, 3.5), (0.0, 1.0), (1.05, 2.0), (1.2, 1.3))
    assert merged(spans, 0.1) == ((0.0, 2.0), (3.0, 3.5))
    assert merged(spans, 0.01) == ((0.0, 1.0), (1.05, 2.0), (3.0, 3.5))
    assert merged((), 0.1) == ()


def test_without_a_plan_there_are_bands_and_nothing_else(solved):
    text = render(*solved("overhead", "limits.u={F_t = 600.0}"))
    data = embedded(text)
    force = next(panel for panel in data["panels"] if panel["curves"][0]["label"] == "F_t")
    assert {(band["side"], band["value"]) for band in force["bands"]} == {
        ("most", 600.0),
        ("least", -600.0),
    }
    assert all(band["active"] == [] for panel in data["panels"] for band in panel["bands"])
    assert "<h2>Plan" not in text
    assert "<h2>Obstacles" not in text
    assert "obstacle" not in Page(text).words
    assert not any("obstacle" in panel["title"] for panel in data["panels"])
    assert not any(body.get("role") == "obstacle" for body in data["scene"]["bodies"])


def test_report_of_a_stop_starts_moving_and_ends_at_rest(stopped):
    scenario, result = stopped
    text = render(scenario, result)
    told, data = facts(text), embedded(text)
    assert told["Way"] == "to a stop"
    v = result.feedforward.v
    assert f"v.s = {v[0, 0]:.6g} m/s" in told["Start in motion"]
    assert "End in motion" not in told
    np.testing.assert_allclose(v[-1], 0.0, atol=1e-6)
    assert (data["begin"], data["phases"][0][1]) == (0.0, 0.0)
    wanted = numbers(data["scene"]["wanted"]).reshape(-1, 3)
    np.testing.assert_allclose(wanted[0, [0, 2]], scenario.problem.path(0.0)[:, 0], atol=1e-5)


def test_report_of_a_stop_that_is_read_again_has_bands_and_no_plan(stopped, tmp_path):
    import tomli_w

    file = tmp_path / "again.toml"
    file.write_text(tomli_w.dumps(stopped[0].complete()), encoding="utf-8")
    scenario = load_scenario(str(file))
    assert scenario.planned is None
    text = render(scenario, solve_scenario(scenario))
    assert "Start in motion" in facts(text)
    assert "<h2>Plan" not in text
    assert "<h2>Obstacles" in text
    assert any(panel["bands"] for panel in embedded(text)["panels"])


def test_bands_are_printed(planned):
    pytest.importorskip("matplotlib")
    figures = draw_figures(*planned, paged=True)
    axes = [part for figure in figures for part in figure.axes]
    plots = [part for part in axes if part.get_xlabel().startswith("time")]
    panels = make_series(shown_result(*planned)).panels
    for panel, part in zip(panels, plots, strict=True):
        spans = sum(len(band.active) for band in panel.bands)
        assert len(part.collections) == len(panel.bands) + spans
        edges = [collection.get_paths()[0].vertices[:, 1] for collection in part.collections]
        for band in panel.bands:
            near = [y.min() if band.side == "most" else y.max() for y in edges]
            assert np.isclose(near, band.value * panel.factor, atol=1e-9).any()
        low, high = part.get_ylim()
        assert all(low < value * panel.factor < high for _, value in panel.limits)
    picture = next(part for part in axes if part.get_title() == "start (faint) and end")
    (box,) = picture.patches
    xz = box.get_path().vertices
    assert [xz[:, 0].min(), xz[:, 0].max(), xz[:, 1].max()] == pytest.approx([4.0, 6.0, -3.0])


COLOURS = """
    const panel = cranebridge.data.panels.findIndex(({curves}) => curves[0].label === "F_t");
    const plot = cranebridge.plots[panel], [begin, end] = arguments[0];
    const pixel = (t, y) => [...plot.ctx.getImageData(
      Math.round(plot.valToPos(t, "x", true)), Math.round(y), 1, 1).data];
    const limit = plot.valToPos(300, "y", true);
    return {touched: pixel((begin + end) / 2, limit - 3), beyond: pixel(arguments[1], limit - 10),
      within: pixel(arguments[1], plot.valToPos(150, "y", true))};
"""


def opacity(pixel):
    return pixel[3] / 255.0


@pytest.mark.parametrize("dark", [False, True])
def test_band_is_faint_and_strong_where_it_is_active(browser, planned, tmp_path, dark):
    """Between 300 N and the top of the plot it is red, and more so where the plan touches it."""
    browser.open(write_report(tmp_path / "hop.html", *planned), dark=dark)
    assert browser.complaints() == []
    scenario, result = planned
    (upper,) = [one for one in scenario.planned.active if (one.name, one.limit) == ("u.F_t", 300.0)]
    span = max(upper.spans, key=lambda span: span[1] - span[0])
    # a time at which the curve is far from both places that are looked at
    solution = result.feedforward
    free = float(solution.time[np.argmin(solution.u[:, 0])])
    seen = browser.run(COLOURS, list(span), free)
    assert opacity(seen["touched"]) > 0.6
    assert 0.1 < opacity(seen["beyond"]) < 0.35
    assert seen["beyond"][0] > seen["beyond"][2] + 20  # redder than the phases behind it
    assert opacity(seen["within"]) < opacity(seen["beyond"])


def test_page_of_a_plan_is_drawn_without_webgl(plain_browser, planned, tmp_path):
    plain_browser.open(write_report(tmp_path / "hop.html", *planned))
    assert plain_browser.run("return cranebridge.renderer") == "svg"
    assert plain_browser.complaints() == []


@pytest.mark.parametrize("width", [1280, 390])
def test_page_of_a_plan_fits_its_width(browser, planned, tmp_path, width):
    browser.open(write_report(tmp_path / "hop.html", *planned), width)
    browser.frames(5)
    assert browser.run("return document.documentElement.scrollWidth") <= width
