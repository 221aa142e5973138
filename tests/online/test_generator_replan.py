"""New goals and stops while moving, and shortest durations, in the generated C."""

from __future__ import annotations

import math
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fading_path import FadingPath
from test_generator import worst_errors

from cranebridge.deliver import DeliveryOrder, deliver
from cranebridge.errors import SolutionError
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.index1.solvers import point_solver
from cranebridge.limits import judge_solution
from cranebridge.online import generator as generating
from cranebridge.path.symbolic import end_points
from cranebridge.plan.timing import shortest_duration
from further import further
from generator_driver import CODES

OK, DONE, BUSY, NO_PLAN, BAD_ARGUMENT = (
    CODES[name] for name in ("OK", "DONE", "BUSY", "NO_PLAN", "BAD_ARGUMENT")
)


def continued(problem, code, time, goal):
    """The path in Python that a plan which begins at a time of the problem's path has."""
    plan = code.read_plan()
    k = max(point_solver(problem).stages.structure.path_derivatives.values())
    state = problem.path.derivatives(time, k)[:, :, 0]
    seconds = float(plan["duration"][0])
    start = tuple(map(tuple, state.T.tolist()))
    fade = seconds * float(plan["fade"][0])
    return FadingPath(problem.path.outputs, start, goal, seconds, fade)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("overhead", 0.3),
        ("overhead", 0.55),
        ("overhead", 0.8),
        ("rotary", 0.3),
        ("rotary", 0.8),
        further("navy3d-pulley-safe", 0.55),
    ],
)
def test_a_new_goal_and_a_stop_are_the_index_1_solution_of_their_path(moving, name, part):
    code, problem, _, _ = moving(name)
    start, goal = end_points(problem.path)
    time = part * problem.path.duration
    for target in (start, None):
        code.restart()
        assert code.plan(start, goal, problem.path.duration) == OK
        assert code.step(time) == OK
        assert (code.stop(time) if target is None else code.replan(time, target)) == OK
        path = continued(problem, code, time, target and tuple(target))
        errors = worst_errors(
            code, replace(problem, path=path), np.linspace(0.0, path.duration, 201)
        )
        # exact derivatives here, differences of rounded points there; see the test above
        assert max(errors.values()) <= 1e-9, errors
        assert code.step(path.duration) == DONE
        assert np.abs(code.signals()["v"]).max() < 1e-9


def keeps(problem, path, limits):
    try:
        solution = solve_index1(replace(problem, path=path), np.linspace(0.0, path.duration, 401))
    except SolutionError:  # too quick to be solved
        return False
    return all(verdict.passed for verdict in judge_solution(solution, limits))


NO_OTHERS = ("u", "v", "a", "power", "q", "rope")


@pytest.mark.parametrize(
    ("name", "part", "stop", "without"),
    [
        ("overhead", 0.6, True, ()),
        ("overhead", 0.6, False, ()),
        further("rotary", 0.6, False, ()),
        ("rotary", 0.55, False, NO_OTHERS),  # jerks jump where the first motion has faded
    ],
)
def test_durations_are_the_shortest_of_their_family(moving, name, part, stop, without):
    """Against a bisection in Python: the next shorter duration is 1.5e-3 shorter at most."""
    code, problem, limits, _ = moving(name, without=without)
    start, goal = end_points(problem.path)
    time = part * problem.path.duration
    assert code.plan(start, goal, problem.path.duration) == OK
    assert code.step(time) == OK
    assert (code.stop(time) if stop else code.replan(time, start)) == OK
    found = continued(problem, code, time, None if stop else tuple(start))
    whole = found.fade == found.seconds
    assert whole == stop

    def feasible(seconds):
        fade = seconds if whole else found.fade
        return keeps(problem, replace(found, seconds=seconds, fade=fade), limits)

    refused, accepted = found.seconds / generating.LONGER, found.seconds
    assert feasible(accepted)
    assert not feasible(refused)
    while accepted - refused > 1e-4 * found.seconds:
        middle = 0.5 * (refused + accepted)
        refused, accepted = (refused, middle) if feasible(middle) else (middle, accepted)
    step = (generating.LONGER - 1.0) / 2**generating.HALVINGS
    assert found.seconds * (1.0 - step - 2e-4) <= accepted <= found.seconds
    if not whole:  # nor would one polynomial over all of the time be quicker
        shorter = found.seconds * (1.0 - 2.0 * step)
        assert not keeps(problem, replace(found, seconds=shorter, fade=shorter), limits)
    # nor is one of the shorter durations that were tried
    seconds = found.seconds / 4.0
    while seconds < refused / generating.LONGER:
        assert not keeps(problem, replace(found, seconds=seconds, fade=seconds), limits)
        seconds *= generating.LONGER**2


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("name", ["overhead", "rotary"])
def test_from_rest_to_rest_in_the_shortest_time(moving, name, precision):
    """Against the bisection of `check --shortest`, which leaves 1e-3 as well."""
    code, problem, limits, _ = moving(name, precision)
    start, goal = end_points(problem.path)
    assert code.plan_shortest(start, goal) == OK
    duration = float(code.read_plan()["duration"][0])
    assert duration == pytest.approx(shortest_duration(problem, limits).duration, rel=4e-3)
    assert code.step(duration) == DONE
    assert code.signals()["gamma"] == pytest.approx(goal, rel=1e-6)


def test_what_is_refused_and_why(moving):
    code, problem, _, _ = moving("overhead")
    start, goal = end_points(problem.path)
    assert code.replan(0.0, goal) == NO_PLAN
    assert code.stop(0.0) == NO_PLAN
    assert code.plan(start, goal, 3.0) == OK
    assert code.step(1.0) == OK
    before = code.signals()["u"]
    nan = float("nan")
    for answer, status in (
        (code.replan(1.0, (nan, -2.0)), "BAD_ARGUMENT"),
        (code.replan(nan, goal), "BAD_ARGUMENT"),
        (code.stop(float("inf")), "BAD_ARGUMENT"),
        (code.stop(0.999), "PAST"),
        (code.replan(1.0, (5.0, 1.0)), "NO_DURATION"),  # above the rail
        (code.replan(1.0, (50.0, -2.0)), "NO_DURATION"),  # beyond the end of the rail
        (code.plan(start, goal, 3.0), "BUSY"),
        (code.plan_shortest(start, goal), "BUSY"),
    ):
        assert answer == CODES[status]
        assert code.step(1.0) == OK
        assert code.signals()["u"] == pytest.approx(before, rel=1e-12)
    assert code.stop(1.25) == OK, "a plan may begin later than the last step"
    assert code.plan(start, goal, 3.0) == BUSY
    assert code.plan_shortest(start, goal) == BUSY


def test_after_a_stop_the_next_plan_begins_where_the_load_rests(moving):
    code, problem, _, _ = moving("rotary-long")
    start, goal = end_points(problem.path)
    assert code.plan(start, goal, problem.path.duration) == OK
    assert code.step(11.0) == OK
    assert code.stop(11.0) == OK
    plan = code.read_plan()
    rest = plan["goal"]
    assert code.step(float(plan["duration"][0])) == DONE
    assert code.plan(start, goal, problem.path.duration) == CODES["ELSEWHERE"]
    assert code.plan_shortest(rest, goal) == OK
    assert code.step(0.0) == OK


def test_a_search_without_a_limit_is_refused(generator):
    code, problem = generator("overhead")
    start, goal = end_points(problem.path)
    assert code.plan_shortest(start, goal) == CODES["UNLIMITED"]
    assert code.plan(start, goal, 3.0) == OK
    assert code.step(1.0) == OK
    assert code.stop(1.0) == CODES["UNLIMITED"]


def test_a_search_has_a_bounded_number_of_solutions(moving, generator, monkeypatch):
    _, _, limits, _ = moving("overhead")
    monkeypatch.setattr(generating, "BUDGET", 20)
    code, problem = generator("overhead", limits=limits, allow_violations=True)
    start, goal = end_points(problem.path)
    assert code.plan(start, goal, 3.0) == OK
    assert code.step(1.0) == OK
    assert code.stop(1.0) == CODES["SEARCH_ENDED"]
    assert code.replan(1.0, start) == CODES["SEARCH_ENDED"]
    assert code.step(1.0) == OK


@pytest.mark.parametrize("name", ["rotary-long", "cablev-general"])
def test_other_coordinates_are_continued_too(moving, name):
    """Radius and angle around the tower, and the angles of a platform that turns."""
    code, problem, _, _ = moving(name, without=("power",))
    start, goal = end_points(problem.path)
    turn = 2.0 * math.pi
    turns = {"rotary-long": [0.0] * 3, "cablev-general": [0.0] * 3 + [0.0, 0.0, turn] + [0.0]}
    duration = problem.path.duration
    for part in (0.2, 0.5, 0.7):
        code.restart()
        assert code.plan(start, goal, duration) == OK
        assert code.step(part * duration) == OK
        before = code.signals()
        turned = [value + turn for value, turn in zip(start, turns[name], strict=True)]
        assert code.replan(part * duration, turned) == OK
        assert code.step(0.0) == OK
        after = code.signals()
        for group in ("q", "v", "a", "u", "lambda"):
            size = np.abs(before[group]).max(initial=1.0)
            assert np.abs(after[group] - before[group]).max(initial=0.0) <= 1e-10 * size
        plan = code.read_plan()
        end = float(plan["duration"][0])
        if name == "cablev-general":  # an angle a turn further is the same orientation
            assert plan["goal"] == pytest.approx(start, abs=1e-9)
        assert code.step(end) == DONE
        first = solve_index1(problem, np.linspace(0.0, duration, 101)).q[0]
        assert code.signals()["q"] == pytest.approx(first, abs=1e-8)


def test_the_example_of_the_documents_compiles(solved, tmp_path):
    feedforward, tables = solved("overhead", 0.5)
    deliver(feedforward, DeliveryOrder("generator", tmp_path / "crane.c", scenario=tables))
    text = (Path(__file__).parents[2] / "docs" / "delivery.md").read_text()
    examples = re.findall(r"```c\n(.*?)```", text, flags=re.DOTALL)
    (example,) = (one for one in examples if "crane_replan" in one)
    (tmp_path / "example.c").write_text(example)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
    command = ["gcc", *flags, str(tmp_path / "example.c")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    numbers = (generating.DURATIONS, generating.BUDGET, *generating.SLOWER[1:])
    assert all(str(number) in text for number in numbers)
