"""The page as a file: what it holds and what it does not."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from report_page import Page, arrays, embedded, numbers, plain, rows

from cranebridge.errors import InputError
from cranebridge.limits import Limits
from cranebridge.report import render, write_report
from cranebridge.report.animation.picture import scene
from cranebridge.report.rows.number_texts import quantity
from cranebridge.verify import Verified


@pytest.fixture
def text(page):
    return lambda *name, **options: page(*name, **options).read_text("utf-8")


@pytest.mark.parametrize("tracked", [True, False])
def test_page_is_well_formed(text, tracked):
    parsed = Page(text("rotary", tracked=tracked))
    assert len(parsed.ids) == len(set(parsed.ids))


def test_page_loads_nothing(text):
    content = text("rotary")
    parsed = Page(content)
    for name, value in parsed.attributes:
        assert not re.match(r"(https?:)?//", value or "", re.IGNORECASE)
        assert name not in ("src", "srcset", "action")
        assert name != "href" or value == "data:,"
    styles = "".join(re.findall(r"<style>(.*?)</style>", content, re.DOTALL))
    assert not re.search(r"@import|url\(", styles)
    policy = re.search(r"default-src[^\"]*", content)[0]
    assert policy.startswith("default-src &#39;none&#39;")
    assert "http" not in policy


def test_page_is_small_enough(page):
    assert page("rotary").stat().st_size < 2_500_000
    assert page("cablev-rotate").stat().st_size < 2_500_000


def test_page_holds_the_tracking(text, verified):
    scenario, result = verified("rotary")
    tracking = result.tracking
    data = embedded(text("rotary"))
    np.testing.assert_allclose(numbers(data["time"]), tracking.time, rtol=1e-6)
    path = data["panels"][0]
    assert path["curves"][0]["label"] == "x achieved"
    np.testing.assert_allclose(
        numbers(path["curves"][0]["values"]), tracking.achieved[:, 0], atol=1e-6
    )
    picture = scene(scenario.crane, scenario.problem.parameters, tracking.q)
    for name, points in data["scene"]["points"].items():
        values = numbers(points).reshape(-1, 3)
        np.testing.assert_allclose(values - picture.points[name], 0.0, atol=2e-6)


def test_achieved_way_of_the_load_is_that_of_the_plants_outputs(text, verified):
    _, result = verified("rotary")
    way = numbers(embedded(text("rotary"))["scene"]["achieved"]).reshape(-1, 3)
    np.testing.assert_allclose(way, result.tracking.achieved, atol=1e-6)


@pytest.mark.parametrize("name", ["overhead", "rotary"])
def test_phases_are_marked_and_settling_begins_at_the_paths_end(text, verified, name):
    scenario, result = verified(name)
    path, data = scenario.problem.path, embedded(text(name))
    np.testing.assert_allclose(data["knots"], path.knots)
    assert [tuple(entry) for entry in data["phases"][:-1]] == [tuple(p) for p in path.phases]
    settling = [path.duration, path.duration + scenario.tables.plant.settle]
    assert data["phases"][-1][0] == "settling"
    np.testing.assert_allclose(data["phases"][-1][1:], settling)
    assert settling[1] == pytest.approx(result.tracking.time[-1])


def test_limits_are_in_the_plots_data_in_the_units_of_the_curves(verified):
    scenario, result = verified("overhead")
    largest = max(result.tracking.max_error.values())
    table = {"tracking": 2.0 * largest, "u": {"F_t": [-700.0, 600.0]}}
    limited = replace(result, limits=Limits.from_mapping(table, scenario.crane))
    found = {}
    for panel in embedded(render(scenario, limited))["panels"]:
        found.setdefault(panel["title"], []).append((panel["unit"], panel["limits"]))
    ((unit, lines),) = found["Tracking error"]
    assert unit == "nm"
    assert sorted(value for _, value in lines) == pytest.approx([-2e9 * largest, 2e9 * largest])
    unit, lines = found["Controls"][0]
    assert (unit, sorted(value for _, value in lines)) == ("N", [-700.0, 600.0])
    unit, lines = found["Rope forces"][0]
    assert [value for _, value in lines] == [0.0]


def test_coarse_feedforward_is_refined_for_the_animation(solved):
    data = embedded(render(*solved("rotary", "solve.step=1.0")))
    assert numbers(data["time"]).size == 21
    assert numbers(data["scene"]["time"]).size == 601


def test_facts_tell_how_to_repeat_it(text, verified):
    content = Page(text("rotary")).words
    for fact in ("index1, step 0.01 s", "5, flat", "casadi 3.", "RotaryCrane, ", "Model Exchange"):
        assert fact in content
    assert len(re.findall(r"SHA-256\s*[0-9a-f]{64}", content)) == 3
    assert re.search(rf"FMU SHA-256\s*{verified('rotary')[1].plant.sha256}", content)


def test_errors_on_other_plants_are_listed(verified):
    variants = 'plant.variants={"payload +20 %" = {m = 120.0}}'
    scenario, result = verified("overhead", variants)
    errors = result.tracking.variants["payload +20 %"]
    assert errors["z"] > 1e-3
    content = Page(render(scenario, result)).words
    assert "payload +20 %" in content
    assert f"{1e3 * errors['z']:.3g} mm" in content or f"{errors['z']:.3g} m" in content


def test_controller_stands_beside_open_loop(verified):
    scenario, result = verified("overhead", "control.kind=lqr", "plant.start.q.x=0.1")
    figures = result.tracking.compared
    page = render(scenario, result)
    assert "lqr, cycle 0.005 s" in Page(page).words
    crane = scenario.crane
    shown = {name: cells for (name, *cells), _ in rows(page, "Control<")}
    # the scenario gives no loops of the drives: those of 1 Hz stand between the two
    assert list(shown) == ["open loop", "drives, default 1 Hz", "lqr"] == list(figures)
    for name, found in figures.items():
        wanted = [quantity(found.max_error[one.name], one.unit) for one in crane.outputs]
        wanted += [quantity(found.residual_swing, "m"), quantity(found.lasting_offset, "m")]
        wanted += [quantity(found.peak[one.name], one.unit) for one in crane.inputs]
        assert shown[name] == [plain(text) for text in wanted]
        assert "not known" not in shown[name]
    assert figures["open loop"].peak["F_t"] < figures["lqr"].peak["F_t"]


def test_names_of_the_user_cannot_become_markup(verified):
    scenario, result = verified("rotary")
    evil = "</script><script>alert(1)</script><b>"
    certificate = replace(result.certificate, notes=(evil,))
    parsed = Page(render(replace(scenario, name=evil), replace(result, certificate=certificate)))
    assert len(parsed.scripts) == 7
    assert parsed.words.count(evil) >= 3


def without(result: Verified, *hidden: str) -> Verified:
    """Return a result whose plant does not give some coordinates and ropes."""
    tracking = result.tracking
    crane = result.feedforward.problem.crane
    ropes = tracking.ropes.copy()
    for i, rope in enumerate(crane.ropes):
        if rope.name in hidden:
            ropes[:, i] = np.nan
    titles = {f"{group}.{name}" for group in ("q", "v", "a", "jerk", "rope") for name in hidden}
    values = {title: v for title, v in tracking.motion.values.items() if title not in titles}
    motion = replace(tracking.motion, values=values)
    seen = tracking.seen - set(hidden)
    return replace(result, tracking=replace(tracking, ropes=ropes, seen=seen, motion=motion))


def test_rope_that_the_plant_does_not_give_is_not_shown_as_the_plants(verified):
    scenario, result = verified("navy2d")
    page = render(scenario, without(result, "T_cable1_A"))
    data, words = embedded(page), Page(page).words
    assert all(np.isfinite(values).all() for values in arrays(data))
    panels = {panel["title"]: panel for panel in data["panels"]}
    shown = [curve["label"] for curve in panels["Rope forces"]["curves"]]
    assert shown == ["T_cable2_upper_P", "T_cable2_lower_load"]
    assert "Not given by the plant: T_cable1_A." in words
    assert "the force of T_cable1_A is not known" in words
    assert "all ropes pull" not in words
    assert "T_cable1_A" not in data["scene"]["forces"]
    assert data["ropes"] == []


def test_plant_without_any_rope_force_has_no_plot_of_ropes(verified):
    scenario, result = verified("overhead")
    page = render(scenario, without(result, "T_cable"))
    titles = [panel["title"] for panel in embedded(page)["panels"]]
    assert not [title for title in titles if "rope" in title.lower()]
    assert all(np.isfinite(values).all() for values in arrays(embedded(page)))


def test_coordinate_that_the_plant_does_not_give_is_not_shown_as_the_plants(verified):
    scenario, result = verified("overhead")
    page = render(scenario, without(result, "s"))
    drives = next(p for p in embedded(page)["panels"] if p["title"] == "Drive motions")
    assert [curve["label"] for curve in drives["curves"]] == ["l"]
    told = "Not given by the plant: s. The picture shows what the solution says of them."
    assert told in Page(page).words
    assert told not in Page(render(scenario, result)).words


def test_existing_report_is_kept_unless_asked(page, verified):
    with pytest.raises(InputError, match="exists"):
        write_report(page("rotary"), *verified("rotary"))


def test_report_can_be_replaced_and_leaves_nothing_else(tmp_path, solved):
    target = tmp_path / "deep" / "report.html"
    for _ in range(2):
        assert write_report(target, *solved("rotary"), overwrite=True) == target
    assert [file.name for file in target.parent.iterdir()] == ["report.html"]


def test_report_into_a_folder_is_refused(tmp_path, solved):
    with pytest.raises(InputError, match="folder"):
        write_report(tmp_path, *solved("rotary"), overwrite=True)


def test_same_result_gives_the_same_page(verified):
    assert render(*verified("rotary")) == render(*verified("rotary"))
