"""Numbers of all ready scenarios as a reader meets them, in terminal and report."""

from __future__ import annotations

import re

import pytest
from report_page import Page

from cranebridge.job import solve_scenario
from cranebridge.report import render
from cranebridge.scenario import load_scenario, ready_scenarios

ROUNDING = re.compile(
    r"(?<![\d.,eE])[-\u2212]0(?:\.0+)?(?![\d.])|\d\s?[fazy](?:N|m|W|rad)\b"
    r"|\d[eE][-\u2212]1\d\s?(?:m|N|W|rad)\b"
)


def test_rounding_is_recognised() -> None:
    shown = "-0 N, \u22120.000 m, 544.6 fN, 3 am, 1.2e-16 m, 7e\u221212 rad"
    assert len(ROUNDING.findall(shown)) == 6
    assert ROUNDING.findall("-0.5 N, 10 m, 1e-3 m, 4e-16 (relative), 369.2 pm, 1e-09") == []


@pytest.mark.parametrize("name", [n for n in ready_scenarios() if n != "container-hop"])  # planned
def test_no_ready_scenario_shows_rounding_as_a_number(
    name: str, run, tmp_path, monkeypatch
) -> None:
    """No rope of -0 N or 3 fN, no way of 1e-16 m: in terminal and report of a solution."""
    step = "solve.step=0.05" if name != "rotary-long" else "solve.step=1.0"
    monkeypatch.chdir(tmp_path)  # the terminal names the folder: pytest-0 is no number
    code, output, error = run("solve", name, "--set", step, "-o", "o")
    if code == 2:  # a scenario that shows what is refused
        assert "smooth" in error
        return
    scenario = load_scenario(name, [step])
    page = Page(render(scenario, solve_scenario(scenario)))
    assert ROUNDING.findall(output) == []
    assert ROUNDING.findall(page.words) == []
