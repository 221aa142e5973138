"""A running motion sent to a new goal: always a plan, no jump of the drives, every limit held."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from optimal_control import overhead_task

from cranebridge.errors import SolutionError
from cranebridge.inverse.index1 import solve_index1
from cranebridge.job.planning import replan
from cranebridge.job.verifying import verify_scenario
from cranebridge.limits import judge_solution
from cranebridge.path import tail
from cranebridge.plan import planning
from cranebridge.plan.drafts import Fineness
from cranebridge.plan.planned import Plan
from cranebridge.plan.planning import find_plan
from cranebridge.plan.states import rest_state
from cranebridge.plan.task import State, Task
from cranebridge.scenario import load_scenario

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from stops import SETTINGS, STILL, limited

ROUGH = Fineness(pieces=24, rounds=0)


@pytest.fixture(scope="module")
def running() -> Plan:
    """The fastest motion of the overhead crane: its drives are at their limits nearly always."""
    return find_plan(overhead_task(), Fineness(pieces=12, rounds=0))


def sent(running: Plan, time: float, goal: tuple[float, float]) -> tuple[Task, Plan]:
    """Send the running motion elsewhere."""
    ready = overhead_task()
    now = solve_index1(ready.problem(running.path), np.array([0.0, time, running.duration]))
    outputs = dict(zip(("x", "z"), goal, strict=True))
    target = rest_state(ready.crane, ready.parameters, outputs)
    task = Task(ready.crane, ready.parameters, State(now.q[1], now.v[1]), target, ready.limits)
    derivatives = running.path.derivatives([time], 4)[:, :, 0]
    plan = find_plan(task, ROUGH, running=derivatives, onward=tail(running.path, time))
    return task, plan


def require_right(running: Plan, time: float, goal: tuple[float, float]) -> Plan:
    """Send it elsewhere; make sure that it goes on without a jump, keeps all limits and rests."""
    task, plan = sent(running, time, goal)
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
        (0.115, (8.29, -3.82)),
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


def lost(*_: object) -> None:
    """Find nothing, as an optimiser may."""
    raise SolutionError("nothing was found")


def test_there_is_a_plan_over_rest_where_the_optimiser_is_lost(
    running: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    refined = planning._refined

    def from_rest_only(guesser, *rest):  # type: ignore[no-untyped-def]
        if guesser.moving[0] is not None:
            raise SolutionError("nothing was found")
        return refined(guesser, *rest)

    monkeypatch.setattr(planning, "_refined", from_rest_only)
    monkeypatch.setattr(planning, "_gradual", lost)
    plan = require_right(running, 2.147, (1.27, -3.63))
    assert plan.way == "from the given state to rest, then straight"
    assert "comes to rest on the way" in plan.notes[0]


def test_a_plan_over_rest_is_driven_on_the_plant(monkeypatch: pytest.MonkeyPatch) -> None:
    refined = planning._refined

    def not_to_a_goal(guesser, *rest):  # type: ignore[no-untyped-def]
        if guesser.moving[0] is not None and guesser.task.goal is not None:
            raise SolutionError("nothing was found")
        return refined(guesser, *rest)

    monkeypatch.setattr(planning, "_refined", not_to_a_goal)
    monkeypatch.setattr(planning, "_gradual", lost)
    scenario = limited(load_scenario("overhead", SETTINGS))
    sent_back = replan(scenario, 1.2, (1.0, -3.0), lambda share: None)
    assert "comes to rest on the way" in sent_back.plan.notes[0]
    verified = verify_scenario(sent_back)
    assert all(verdict.passed for verdict in verified.verdicts)
    assert np.abs(verified.tracking.achieved[-1] - [1.0, -3.0]).max() < 1e-6
    assert verified.tracking.residual_swing < STILL
