from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from report_stand_in import make_tracking

from cranebridge.errors import InputError
from cranebridge.report import words, write_report
from cranebridge.report.html import render
from cranebridge.report.scene import scene

VOID = {"meta", "link", "input", "br", "img", "hr"}


class Page(HTMLParser):
    """Tags, attributes and texts of a page; refuses tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.attributes, self.ids, self.scripts = [], [], [], []
        self.words = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.attributes += attrs
        self.ids += [value for name, value in attrs if name == "id"]
        if tag == "script":
            self.scripts.append(dict(attrs))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"script", "style"} & set(self.open):
            self.words += data


def embedded(text):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1])


def numbers(text):
    return np.frombuffer(base64.b64decode(text), dtype="<f4")


@pytest.fixture
def text(page):
    return lambda name, **options: page(name, **options).read_text("utf-8")


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
    assert page("cablev-general").stat().st_size < 2_500_000


def test_page_holds_the_tracking(text, verified):
    solved, tracking = verified("rotary")
    data = embedded(text("rotary"))
    np.testing.assert_allclose(numbers(data["time"]), tracking.time, rtol=1e-6)
    path = data["panels"][0]
    assert path["curves"][0]["label"] == "x achieved"
    np.testing.assert_allclose(
        numbers(path["curves"][0]["values"]), tracking.achieved[:, 0], atol=1e-6
    )
    picture = scene(solved.scenario.crane, solved.scenario.problem.parameters, tracking.q)
    for name, points in data["scene"]["points"].items():
        values = numbers(points).reshape(-1, 3)
        np.testing.assert_allclose(values - picture.points[name], 0.0, atol=2e-6)


def test_phases_and_knots_of_the_path_are_marked(text):
    data = embedded(text("rotary"))
    assert data["knots"] == [0.0, 5.0, 15.0, 20.0]
    assert [name for name, *_ in data["phases"]][-1] == "settling"
    assert data["phases"][0][1:] == [0.0, 5.0]


def test_coarse_feedforward_is_refined_for_the_animation(verified):
    from report_stand_in import make_solved

    solved = make_solved("rotary", "solve.step=1.0")
    data = embedded(render(solved.scenario, solved))
    assert numbers(data["time"]).size == 21
    assert numbers(data["scene"]["time"]).size == 601


def test_verdict_stands_at_the_top_with_its_numbers(text):
    parsed = Page(text("rotary"))
    top = parsed.words.replace("\u00a0", " ")
    assert "passed: the load follows the path within 4 nm (in x; 1 mm allowed)" in top
    assert "sampling 3.6 nm, integrator 20 pm, model 300 fm" in top
    assert "T_cable least with 972.5 N" in top


def test_pushing_rope_fails_with_rope_and_time(text):
    top = Page(text("navy2d")).words.replace("\u00a0", " ")
    assert "failed: rope T_cable1_A would have to push from 1.64" in top
    assert "all ropes pull" not in top


def test_tracking_beyond_its_limit_fails(verified):
    solved, _ = verified("rotary")
    tracking = make_tracking(solved, size=2e-3)
    assert words.status(solved, tracking) == "failed"
    sentence = words.sentence(solved, tracking).replace("\u00a0", " ")
    assert "tracking is 2 mm where 1 mm is allowed" in sentence


def test_solution_alone_is_not_called_passed(text):
    assert (
        "solved: the feedforward was computed and not yet verified"
        in Page(text("rotary", tracked=False)).words
    )


def test_facts_tell_how_to_repeat_it(text):
    content = Page(text("rotary")).words
    for fact in ("index1, step 0.01 s", "5, flat", "casadi 3.", "RotaryCrane, Model Exchange"):
        assert fact in content
    assert len(re.findall(r"SHA-256\s*[0-9a-f]{64}", content)) == 2
    assert "acceleration of s" in content


def test_error_budget_is_ordered_on_a_logarithmic_axis(verified):
    solved, tracking = verified("rotary")
    budget = words.make_budget(solved, tracking)
    places = {row.label: row.place for row in budget.rows}
    assert places["difference between twin and plant"] >= 0.0
    assert places["difference between twin and plant"] < places["integrator of the plant"]
    assert places["largest error measured"] < places["limit"] <= 100.0


def test_error_budget_with_unknown_and_zero_parts_is_shown(verified):
    solved, tracking = verified("rotary")
    odd = replace(tracking, budget={"sampling": 0.0, "integrator": float("nan"), "model": None})
    rows = {row.label: row for row in words.make_budget(solved, odd).rows}
    assert rows["integrator of the plant"].text == "not known"
    assert rows["sampling and interpolation of the controls"].place is None
    Page(render(solved.scenario, solved, odd, None))


def test_errors_on_other_plants_are_listed(text):
    words_of_page = Page(text("rotary")).words.replace("\u00a0", " ")
    assert "payload +20 %" in words_of_page
    assert "31 mm" in words_of_page


def test_names_of_the_user_cannot_become_markup(verified):
    solved, tracking = verified("rotary")
    evil = "</script><script>alert(1)</script><b>"
    scenario = replace(solved.scenario, name=evil)
    parsed = Page(render(scenario, solved, tracking, {"where": evil}))
    assert len(parsed.scripts) == 6
    assert evil in parsed.words


def test_existing_report_is_kept_unless_asked(page, verified):
    solved, _ = verified("rotary")
    with pytest.raises(InputError, match="exists"):
        write_report(page("rotary"), scenario=solved.scenario, solved=solved)


def test_report_can_be_replaced_and_leaves_nothing_else(tmp_path, verified):
    solved, _ = verified("rotary")
    target = tmp_path / "deep" / "report.html"
    for _ in range(2):
        assert (
            write_report(target, scenario=solved.scenario, solved=solved, overwrite=True) == target
        )
    assert [file.name for file in target.parent.iterdir()] == ["report.html"]


def test_report_into_a_folder_is_refused(tmp_path, verified):
    solved, _ = verified("rotary")
    with pytest.raises(InputError, match="folder"):
        write_report(tmp_path, scenario=solved.scenario, solved=solved, overwrite=True)


def test_same_result_gives_the_same_page(verified):
    solved, tracking = verified("rotary")
    pages = {render(solved.scenario, solved, tracking, None) for _ in range(2)}
    assert len(pages) == 1
