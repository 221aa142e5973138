"""Flat plans within one limit alone: their durations against closed forms, on 10 001 points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optimal_control import DATA, OVERHEAD, hanging

from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.limits import Limits, judge_solution
from cranebridge.plan.flat.drafts import Fineness
from cranebridge.plan.flat.task_to_plan import find_plan
from cranebridge.plan.task.task import PlanTask, State
from cranebridge.twin.cranes.two_mass import TwoMassOscillator

MASSES = TwoMassOscillator()
FINE = Fineness(rounds=2)


def planned(task: PlanTask, fineness: Fineness = FINE) -> tuple[float, Feedforward]:
    """Return the duration of a plan and its motion, after making sure that it keeps its limits."""
    plan = find_plan(task, fineness)
    assert plan.method == "flat"
    solution = solve_index1(task.problem(plan.path), np.linspace(0.0, plan.duration, 10_001))
    assert [v.message for v in judge_solution(solution, task.limits) if not v.passed] == []
    return plan.duration, solution


def side_by_side(limits: dict[str, Any], way: float = 0.5) -> PlanTask:
    """Return the task of moving both masses together: what couples them stays at rest."""
    ends = State(np.zeros(2), np.zeros(2)), State(np.full(2, way), np.zeros(2))
    return PlanTask(MASSES, MASSES.parameter_values(), *ends, Limits.from_mapping(limits, MASSES))


def test_an_acceleration_alone_decides_half_of_the_way_each() -> None:
    most = 0.8
    duration, solution = planned(side_by_side({"a": {"y_1": most, "y_2": most}}))
    # d = a (T / 2)^2; the ramps of a thousandth each and the margin cost up to 0.5 %
    shortest = 2.0 * np.sqrt(0.5 / most)
    assert shortest <= duration < 1.005 * shortest
    assert np.abs(solution.a).max() <= most


def test_a_jerk_alone_decides_four_quarters() -> None:
    most = 2.0
    duration, solution = planned(side_by_side({"jerk": {"y_1": most, "y_2": most}}))
    # J, -J, -J, J for a quarter each: d = J T^3 / 32
    shortest = (32.0 * 0.5 / most) ** (1.0 / 3.0)
    assert shortest <= duration < 1.02 * shortest
    assert solution.nodes is not None
    assert np.abs(solution.nodes.jerk).max() <= most * (1.0 + 1e-6)


def test_acceleration_and_speed_make_a_trapezium() -> None:
    limits = {"a": {"y_1": 1.0, "y_2": 1.0}, "v": {"y_1": 0.25, "y_2": 0.25}}
    duration, _ = planned(side_by_side(limits))
    shortest = 0.5 / 0.25 + 0.25 / 1.0
    assert shortest <= duration < 1.005 * shortest


def test_a_long_lift_takes_as_long_as_the_power_asks() -> None:
    """The winch gives the load its height, m g h, and no faster than its power."""
    power, height = 1000.0, 18.0
    limits = {"power": {"M_w": power}, "u": {"M_w": [-120.0, -80.0]}, "rope": 98.1}
    task = PlanTask(
        OVERHEAD,
        DATA,
        hanging(0.0, -20.0),
        hanging(0.0, -2.0),
        Limits.from_mapping(limits, OVERHEAD),
    )
    duration, solution = planned(task)
    shortest = DATA["m"] * 9.81 * height / power
    # it starts and ends with some 2 m/s^2, at 1 m/s: 0.5 s, half of it lost each
    assert shortest < duration < 1.05 * shortest
    used = np.abs(solution.u[:, 1] * solution.v[:, 1] / DATA["r"])
    assert used.max() <= power * (1.0 + 1e-6)
    assert np.median(used) == pytest.approx(power, rel=2e-3)


def test_a_speed_decides_however_slow_the_first_guess_was() -> None:
    # the trolley has no limit of its force: along a straight line, where the rope may hardly swing,
    # it takes three times as long
    m, way, speed = 100.0, 5.4, 0.62
    torque = m * 9.81 * DATA["r"]
    limits = {"u": {"M_w": [-1.8 * torque, -0.6 * torque]}, "v": {"s": speed, "l": 1.4}}
    task = PlanTask(
        OVERHEAD,
        OVERHEAD.parameter_values({"m": m}),
        hanging(0.0, -2.95),
        hanging(way, -2.93),
        Limits.from_mapping(limits | {"rope": 0.1 * m * 9.81, "q": {"l": [1.0, 9.0]}}, OVERHEAD),
    )
    # weighed along the guess it is 6 % too long, on the first pieces as on finer ones
    duration, _ = planned(task, Fineness(rounds=0))
    assert way / speed < duration < 1.005 * way / speed


def test_a_drive_without_a_limit_does_not_hold_the_other_back() -> None:
    # the winch can take the swing out, so that the momentum of the whole decides
    ends = hanging(0.0, -5.0), hanging(10.0, -3.0)
    limits = Limits.from_mapping({"u": {"F_t": 300.0}}, OVERHEAD)
    duration, _ = planned(PlanTask(OVERHEAD, DATA, *ends, limits))
    bound = 2.0 * np.sqrt(10.0 * 110.0 / 300.0)
    assert bound * (1.0 - 1e-6) < duration < 1.005 * bound
