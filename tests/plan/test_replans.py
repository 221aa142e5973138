"""A running motion sent to a new goal: always a plan, no jump of the drives, every limit held."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from optimal_control import overhead_task

from cranebridge.errors import SolutionError
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.job.planning import replan
from cranebridge.job.verifying import verify_scenario
from cranebridge.limits import judge_solution
from cranebridge.path import tail
from cranebridge.plan.flat import over_rest, strategies
from cranebridge.plan.flat.drafts import Fineness
from cranebridge.plan.flat.task_to_plan import find_plan
from cranebridge.plan.task.consistent_states import rest_state
from cranebridge.plan.task.obstacles import Obstacle, ObstacleBox, Stack
from cranebridge.plan.task.plan import Plan
from cranebridge.plan.task.task import PlanTask, State
from cranebridge.scenario import load_scenario

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from stops import SETTINGS, STILL, limited

ROUGH = Fineness(pieces=24, rounds=0)


@pytest.fixture(scope="module")
def running() -> Plan:
    """The fastest motion of the overhead crane: its drives are at their limits nearly always."""
    return find_plan(overhead_task(), Fineness(pieces=12, rounds=0))


def sent(
    running: Plan, time: float, goal: tuple[float, float], *obstacles: Obstacle
) -> tuple[PlanTask, Plan]:
    """Send the running motion elsewhere."""
    ready = overhead_task()
    now = solve_index1(ready.problem(running.path), np.array([0.0, time, running.duration]))
    outputs = dict(zip(("x", "z"), goal, strict=True))
    target = rest_state(ready.crane, ready.parameters, outputs)
    start = State(now.q[1], now.v[1])
    task = replace(ready, start=start, goal=target, obstacles=obstacles)
    derivatives = running.path.derivatives([time], 4)[:, :, 0]
    plan = find_plan(task, ROUGH, running=derivatives, onward=tail(running.path, time))
    return task, plan


def require_right(
    running: Plan, time: float, goal: tuple[float, float], *obstacles: Obstacle
) -> Plan:
    """Send it elsewhere; make sure that it goes on without a jump, keeps all limits and rests."""
    task, plan = sent(running, time, goal, *obstacles)
    before = solve_index1(task.problem(running.path), np.array([0.0, time, running.duration]))
    after = solve_index1(task.problem(plan.path), np.linspace(0.0, plan.duration, 10_001))
    assert [v.message for v in judge_solution(after, task.limits) if not v.passed] == []
    for name in ("q", "v", "u", "lam"):
        was, now = getattr(before, name)[1], getattr(after, name)
        assert np.abs(was - now[0]).max() < 1e-9 * (1.0 + np.abs(now).max()), name
    np.testing.assert_allclose(after.gamma[-1], goal, atol=1e-9)
    np.testing.assert_allclose(after.v[-1], 0.0, atol=1e-9)
    np.testing.assert_allclose(after.u[-1], [0.0, -98.1], atol=1e-6)
    return plan


@pytest.mark.parametrize(
    ("time", "goal"),
    [
        # the first guess, which breaks limits, takes 1.96 s: less than any motion that keeps them
        (2.129, (10.46, -4.68)),
        (2.0, (11.0, -4.0)),
    ],
)
def test_a_guess_that_breaks_limits_is_no_measure(
    running: Plan, time: float, goal: tuple[float, float]
) -> None:
    assert require_right(running, time, goal).notes == ()


def test_a_motion_that_is_nearly_over_ends_before_it_goes_elsewhere(running: Plan) -> None:
    """A plan that needs a note is compared with going to the end and on from rest."""
    time = running.duration - 0.01
    plan = require_right(running, time, (7.18, -4.48))
    _, straight = sent(running, 0.0, (2.8, -5.0))
    # from rest some 2.8 m take about as long; step by step from a slow motion it took 4.1 s
    assert plan.duration < 1.2 * straight.duration


def test_a_motion_that_runs_is_sent_over_a_stack() -> None:
    """It runs to a goal before the stack; a polynomial to the new one would go through it."""
    ready = overhead_task()
    near = rest_state(ready.crane, ready.parameters, {"x": 3.0, "z": -4.5})
    running = find_plan(replace(ready, goal=near), ROUGH)
    stack = Stack((4.0, 5.0, 6.0), (-3.0, -2.5), clearance=0.2)
    plan = require_right(running, 0.8, (10.0, -3.0), stack)
    x, z = plan.path(np.linspace(0.0, plan.duration, 10_001))
    for begin, end, height in ((4.0, 5.0, -3.0), (5.0, 6.0, -2.5)):
        assert z[(x >= begin) & (x <= end)].min() > height + 0.2 - 1e-5
    # from rest, with nothing in the way, it takes 4.14 s
    assert plan.duration < 7.0
    assert "from the given state" in [other.way for other in plan.alternatives]


def test_a_goal_behind_a_box_is_passed_at_speed() -> None:
    goal = State(np.array([10.0, 3.0, 10.0, -3.0]), np.array([0.8, 0.0, 0.8, 0.0]))
    box = ObstacleBox((4.0, -10.0), (6.0, -2.5))
    task = replace(overhead_task(), goal=goal, obstacles=(box,))
    plan = find_plan(task, ROUGH)
    solution = solve_index1(task.problem(plan.path), np.linspace(0.0, plan.duration, 10_001))
    assert [v.message for v in judge_solution(solution, task.limits) if not v.passed] == []
    np.testing.assert_allclose(solution.q[-1], goal.q, atol=1e-9)
    np.testing.assert_allclose(solution.v[-1], goal.v, atol=1e-9)
    x, z = solution.gamma.T
    assert z[(x > 4.0) & (x < 6.0)].min() > -2.5 - 1e-5
    assert plan.way == "over the obstacles"


def lost(*_: object) -> None:
    """Find nothing, as an optimiser may."""
    raise SolutionError("nothing was found")


def lose(monkeypatch: pytest.MonkeyPatch, *, stops: bool) -> None:
    """Let the optimiser find nothing from a load that moves: to a goal, and to a stop if asked."""
    best_plan = strategies.best_plan

    def from_rest_only(planner, routes, *rest):  # type: ignore[no-untyped-def]
        if routes[0].start is not None and (stops or planner.task.goal is not None):
            raise SolutionError("nothing was found")
        return best_plan(planner, routes, *rest)

    monkeypatch.setattr(strategies, "best_plan", from_rest_only)
    monkeypatch.setattr(strategies, "gradual_plan", lost)
    monkeypatch.setattr(over_rest, "gradual_plan", lost)


def test_there_is_a_plan_over_rest_where_the_optimiser_is_lost(
    running: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose(monkeypatch, stops=True)
    plan = require_right(running, 2.147, (1.27, -3.63))
    assert plan.way == "from the given state to rest, then straight"
    assert "comes to rest on the way" in plan.notes[0]


def test_a_plan_over_rest_is_driven_on_the_plant(monkeypatch: pytest.MonkeyPatch) -> None:
    lose(monkeypatch, stops=False)
    scenario = limited(load_scenario("overhead", SETTINGS))
    sent_back = replan(scenario, 1.2, (1.0, -3.0), lambda share: None)
    assert "comes to rest on the way" in sent_back.planned.notes[0]
    verified = verify_scenario(sent_back)
    assert all(verdict.passed for verdict in verified.verdicts)
    assert np.abs(verified.tracking.achieved[-1] - [1.0, -3.0]).max() < 1e-6
    assert verified.tracking.residual_swing < STILL
