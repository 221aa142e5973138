"""The report of a motion that starts or ends moving: its states, its end, and its picture."""

from __future__ import annotations

import html
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import time_grid
from cranebridge.job import check_scenario, verify_on_twin
from cranebridge.path import BSplinePath, tail
from cranebridge.report import render
from cranebridge.report.animation.bodies import RopeBody
from cranebridge.report.animation.picture import scene
from cranebridge.report.page_values import page_data
from cranebridge.report.plots.series import make_series
from cranebridge.report.report_motion import shown_motion
from cranebridge.scenario import Scenario, load_scenario
from cranebridge.terminal import show_check
from cranebridge.twin.cranes.overhead import OverheadCrane


def cut(begin: float = 1.1) -> Scenario:
    scenario = load_scenario("overhead")
    problem = replace(scenario.problem, path=tail(scenario.problem.path, begin))
    return scenario.with_problem(problem)


def ends_moving() -> Scenario:
    scenario = load_scenario("overhead")
    points = tuple((0.1 * i, -4.0 + 0.02 * i * i) for i in range(6))
    outputs = scenario.problem.path.outputs
    path = BSplinePath(outputs, 5, (0.0,) * 6 + (1.0,) * 6, points, True, True)
    return scenario.with_problem(replace(scenario.problem, path=path))


@pytest.mark.parametrize("make", [cut, ends_moving])
def test_the_report_tells_the_states_in_which_the_motion_moves(make) -> None:
    scenario = make()
    verified = verify_on_twin(scenario)
    page = html.unescape(render(scenario, verified))
    v = verified.feedforward.v
    assert "Start in motion" in page
    assert f"v.s = {v[0, 0]:.6g} m/s" in page
    until_end = make is ends_moving
    assert ("End in motion" in page) == until_end
    assert ("the motion ends moving and is judged until its end" in page) == until_end
    assert ("residual swing after the end" in page) != until_end
    assert "residual swing <span" not in page or not until_end
    assert "not known" not in page.split("Tracking error")[1].split("</table>")[0]


def test_a_report_of_a_motion_from_rest_says_nothing_of_it() -> None:
    scenario = load_scenario("overhead")
    page = render(scenario, verify_on_twin(scenario))
    assert "in motion" not in page.split("<body")[1].split("<script")[0]


class Silent(OverheadCrane):
    """The overhead crane that says nothing of its looks."""

    name = "silent"

    def scene(self, q, p):
        return ()


def test_the_trolley_of_a_crane_without_scene_is_found_where_it_rests() -> None:
    problem = replace(cut(0.5).problem, crane=Silent())
    solution = solve_index1(problem, time_grid(problem.path.duration, 0.02))
    assert abs(solution.q[0, 0] - solution.gamma[0, 0]) > 0.1  # it does not stand above the load
    picture = scene(problem.crane, problem.parameters, solution.q, rest=-1)
    trolley = picture.points["trolley"]
    np.testing.assert_allclose(trolley[:, 0], solution.q[:, 0], atol=1e-12)
    assert any(isinstance(body, RopeBody) for body in picture.bodies)
    blind = scene(problem.crane, problem.parameters, solution.q)
    assert "trolley" not in blind.points


def test_the_page_of_a_crane_without_scene_that_starts_moving_has_its_trolley() -> None:
    scenario = cut(0.5)
    crane = Silent()
    problem = replace(scenario.problem, crane=crane)
    shown = shown_motion(verify_on_twin(replace(scenario, crane=crane).with_problem(problem)))
    assert "trolley" in page_data(shown, make_series(shown))["scene"]["points"]


def test_check_prints_the_velocities_of_a_moving_start() -> None:
    console = Console(record=True, width=300)
    scenario = cut()
    checked = check_scenario(scenario)
    show_check(console, "cut", checked)
    text = console.export_text()
    speed = checked.check.initial_velocities["s"]
    assert f"initial state: consistent, moving v.s = {speed:.6g}" in text
