"""Obstacles in the report: as bodies of the scene, as a plot of distances, and as a table."""

from __future__ import annotations

import numpy as np
import pytest
import tomli_w
from report_page import Page, embedded, numbers, rows

from cranebridge.job import solve_scenario, verify_on_twin
from cranebridge.plan.task.obstacles import ObstacleBox, ObstacleCylinder, Stack
from cranebridge.report import render
from cranebridge.report.animation.bodies import Pillar
from cranebridge.report.animation.obstacle_bodies import outlines
from cranebridge.report.animation.picture import scene
from cranebridge.report.plots.series import make_series
from cranebridge.report.report_motion import shown_result
from cranebridge.report.rows.obstacle_rows import described
from cranebridge.report.static import draw_figures
from cranebridge.scenario import load_scenario

OBSTACLES = [
    {"kind": "box", "low": [2.0, -9.0], "high": [3.0, -3.5]},
    {"kind": "stack", "x": [3.5, 4.0, 5.0], "height": [-6.0, -8.0], "clearance": 0.25},
    {"kind": "box", "low": [1.0, -2.0], "high": [1.5, -1.0], "rope": True, "clearance": 0.1},
]


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The overhead crane among three obstacles, driven on its own equations."""
    file = tmp_path_factory.mktemp("obstacles") / "yard.toml"
    tables = {**load_scenario("overhead").complete(), "obstacles": OBSTACLES}
    file.write_text(tomli_w.dumps(tables), encoding="utf-8")
    scenario = load_scenario(str(file))
    return scenario, verify_on_twin(scenario)


def picture_of(name, *obstacles):
    scenario = load_scenario(name)
    solution = solve_scenario(scenario).feedforward
    problem = scenario.problem
    return scene(scenario.crane, problem.parameters, solution.q, obstacles=obstacles)


def extent(picture, body):
    """Return the lowest and highest corner of a box."""
    middle, half = picture.points[body.at], 0.5 * np.array(body.size)
    assert (middle == middle[0]).all()  # it stands still
    return middle[0] - half, middle[0] + half


def obstacle_bodies(picture):
    return [body for body in picture.bodies if getattr(body, "role", "") == "obstacle"]


def test_box_is_drawn_where_it_is():
    """A planar one without depth of its own stands in the plane of the motion, on the ground."""
    picture = picture_of("overhead", ObstacleBox((2.0, -9.0), (3.0, -3.5)))
    (body,) = obstacle_bodies(picture)
    low, high = extent(picture, body)
    np.testing.assert_allclose([low[0], high[0], high[2]], [2.0, 3.0, -3.5])
    assert low[1] == -high[1] < 0.0
    assert low[2] == pytest.approx(max(picture.ground, -9.0))
    assert picture.planar


def test_box_of_three_dimensions_keeps_all_its_sides():
    picture = picture_of("rotary", ObstacleBox((1.0, -2.0, -4.0), (2.0, 2.5, -3.0)))
    (body,) = obstacle_bodies(picture)
    low, high = extent(picture, body)
    np.testing.assert_allclose(low, [1.0, -2.0, -4.0])
    np.testing.assert_allclose(high, [2.0, 2.5, -3.0])


def test_stack_is_a_box_for_each_row_that_stands_on_the_ground():
    stack = Stack((0.0, 1.0, 2.5), (-4.0, -30.0))
    picture = picture_of("rotary", stack)
    load = picture.points["load"]
    rows_of = [extent(picture, body) for body in obstacle_bodies(picture)]
    assert len(rows_of) == 2
    for i, (low, high) in enumerate(rows_of):
        np.testing.assert_allclose(
            [low[0], high[0], high[2]], [*stack.x[i : i + 2], stack.height[i]]
        )
        assert low[2] == pytest.approx(picture.ground)
        assert low[1] < load[:, 1].min()
        assert high[1] > load[:, 1].max()
    assert picture.ground < -30.0  # below the lowest row, and the tower reaches down to it
    assert min(points[:, 2].min() for points in picture.points.values()) == picture.ground


def test_endless_cylinder_reaches_from_the_ground_past_the_load_or_the_ropes():
    for rope in (False, True):
        picture = picture_of("rotary", ObstacleCylinder((3.0, 3.0), 0.5, rope=rope))
        (body,) = obstacle_bodies(picture)
        assert isinstance(body, Pillar)
        foot, top = (picture.points[name][0] for name in (body.begin, body.end))
        np.testing.assert_allclose([*foot[:2], *top[:2], body.radius], [3.0, 3.0, 3.0, 3.0, 0.5])
        assert foot[2] == picture.ground
        assert top[2] > (0.0 if rope else picture.points["load"][:, 2].max())


def test_cylinder_with_ends_is_drawn_between_them():
    picture = picture_of("rotary", ObstacleCylinder((3.0, 3.0), 0.5, bottom=-4.0, top=-2.0))
    (body,) = obstacle_bodies(picture)
    assert [picture.points[name][0, 2] for name in (body.begin, body.end)] == [-4.0, -2.0]


def test_view_holds_the_obstacles():
    """The camera looks at all points: there must be some at the edges of what is far away."""
    picture = picture_of(
        "rotary", ObstacleCylinder((40.0, 3.0), 2.0), ObstacleBox((0, 0, -50), (1, 1, 20))
    )
    places = np.concatenate(list(picture.points.values()))
    assert places[:, 0].max() >= 42.0
    assert places[:, 2].max() >= 20.0
    assert picture.size > 40.0


def test_page_holds_obstacles_and_where_the_load_is_closest(shown):
    scenario, result = shown
    data = embedded(render(*shown))["scene"]
    drawn = [body for body in data["bodies"] if body.get("role") == "obstacle"]
    assert [body["kind"] for body in drawn] == ["box"] * 4 + ["sphere"] * 3
    assert data["planar"]
    for i in range(3):
        (verdict,) = [
            v for v in result.verdicts if v.name == f"plant clearance of obstacle {i + 1}"
        ]
        mark = numbers(data["points"][f"closest to obstacle {i + 1}"])
        x, z = scenario.problem.path(verdict.time)[:, 0]
        # the twin follows the path within its step's error
        np.testing.assert_allclose(mark, [x, 0.0, z], atol=1e-3)


def test_distances_are_those_of_load_and_rope(shown):
    """Against the sides of boxes by hand: outside of a box beyond at least one of its sides."""
    _, result = shown
    series = make_series(shown_result(*shown))
    (panel,) = [panel for panel in series.panels if panel.key == "clearance"]
    x, z = result.tracking.achieved[series.chosen].T
    s = result.tracking.q[series.chosen, 0]

    def away(x, z, low, high):
        return np.max([low[0] - x, x - high[0], low[1] - z, z - high[1]], axis=0)

    load, stack, rope = (curve.values for curve in panel.curves)
    np.testing.assert_allclose(load, away(x, z, (2.0, -9.0), (3.0, -3.5)), atol=1e-9)
    rows_of = [away(x, z, (3.5, -np.inf), (4.0, -6.0)), away(x, z, (4.0, -np.inf), (5.0, -8.0))]
    np.testing.assert_allclose(stack, np.min(rows_of, axis=0), atol=1e-9)
    # the rope is straight from the trolley at z = 0 to the load; 8 m in 2000 parts
    points = [(s + k * (x - s), k * z) for k in np.linspace(0.0, 1.0, 2001)]
    wanted = np.min([away(*point, (1.0, -2.0), (1.5, -1.0)) for point in points], axis=0)
    np.testing.assert_allclose(rope, wanted, atol=4e-3)
    assert {(band.side, band.value) for band in panel.bands} <= {
        ("least", 0.0), ("least", 0.25), ("least", 0.1),
    }  # fmt: skip
    assert ("least", 0.1) in {(band.side, band.value) for band in panel.bands}


def test_table_tells_what_the_verdicts_say(shown):
    _, result = shown
    text = render(*shown)
    cells = [row for row, _ in rows(text, "Obstacles")]
    assert len(cells) == 3
    assert cells[0][0] == "obstacle 1 box, x from 2 to 3 m, z from −9 to −3.5 m; load"
    assert cells[2][0].endswith("; load and ropes")
    verdicts = {v.name: v for v in result.verdicts}
    for i, row in enumerate(cells):
        verdict = verdicts[f"plant clearance of obstacle {i + 1}"]
        assert row[1] == verdict.status
        assert row[4] == f"{verdict.time:.2f} s"
    assert cells[1][2] == "0.25 m"
    assert {row[1] for row in cells} == {"passed", "failed"}  # the rope goes through the third
    assert "obstacles; balls: the load where it is closest" in Page(text).words


@pytest.mark.parametrize(
    ("obstacle", "text"),
    [
        (
            ObstacleCylinder((1.0, -2.0), 0.5),
            "cylinder at x = 1 m, y = −2 m, radius 0.5 m, endless",
        ),
        (
            ObstacleCylinder((1.0, 2.0), 0.5, top=-3.0),
            "cylinder at x = 1 m, y = 2 m, radius 0.5 m, up to z = −3 m",
        ),
        (
            ObstacleCylinder((1.0, 2.0), 0.5, bottom=-4.0, top=-3.0),
            "cylinder at x = 1 m, y = 2 m, radius 0.5 m, from z = −4 m up to z = −3 m",
        ),
        (
            ObstacleBox((0, 1, 2), (3, 4, 5)),
            "box, x from 0 to 3 m, y from 1 to 4 m, z from 2 to 5 m",
        ),
        (Stack((0, 1, 2), (-3, -4.5)), "stack, x from 0 to 2 m, up to z = −3, −4.5 m"),
    ],
)
def test_obstacles_are_described(obstacle, text):
    assert described(obstacle).replace("\u00a0", " ") == text


def test_outlines_of_the_printed_picture_go_around_the_obstacles():
    cylinder, box = (
        ObstacleCylinder((3.0, 3.0), 0.5, -4.0, -2.0),
        ObstacleBox((1, -2, -4), (2, 2.5, -3)),
    )
    around, cuboid = outlines(picture_of("rotary", cylinder, box))
    places = np.concatenate(around)
    np.testing.assert_allclose(places.min(axis=0), [2.5, 2.5, -4.0], atol=1e-12)
    np.testing.assert_allclose(places.max(axis=0), [3.5, 3.5, -2.0], atol=1e-12)
    places = np.concatenate(cuboid)
    np.testing.assert_allclose(places.min(axis=0), [1.0, -2.0, -4.0])
    np.testing.assert_allclose(places.max(axis=0), [2.0, 2.5, -3.0])


def test_obstacles_are_printed(shown):
    pytest.importorskip("matplotlib")
    axes = [part for figure in draw_figures(*shown, paged=True) for part in figure.axes]
    picture = next(part for part in axes if part.get_title() == "start (faint) and end")
    tops = [patch.get_path().vertices[:, 1].max() for patch in picture.patches]
    assert sorted(tops) == pytest.approx([-8.0, -6.0, -3.5, -1.0])


def test_obstacles_stand_still_in_the_browser(browser, shown, tmp_path):
    from cranebridge.report import write_report

    browser.open(write_report(tmp_path / "stack.html", *shown))
    places = [
        browser.run("cranebridge.seek(arguments[0]); return cranebridge.positions()", t)
        for t in (0.0, 1.5)
    ]
    for number in (1, 3):
        before, after = (place[f"obstacle {number}"] for place in places)
        assert before == after
    assert places[0]["load"] != places[1]["load"]
    assert browser.complaints() == []
