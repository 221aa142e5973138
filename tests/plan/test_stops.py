"""Emergency stops: how long they take, which they are, and what the FMU does with them."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from cranebridge.errors import SolutionError
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.job.planning import replan
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import verify_scenario
from cranebridge.plan.collocation.refine_mesh import Mesh
from cranebridge.plan.flat.flat_plan import FlatPlanner
from cranebridge.scenario import Scenario, load_scenario
from further import further

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from stops import SETTINGS, STILL, largest_excess, last_speed, limited, optimal_duration


def stopped(scenario: Scenario, time: float) -> Scenario:
    """Return a scenario stopped at a time."""
    return replan(scenario, time, None, lambda share: None)


@cache
def stopped_within_its_limits(name: str, share: float) -> tuple[Scenario, float, Scenario]:
    """Return a ready scenario with the limits of its motion, a part of its time, and the stop."""
    scenario = limited(load_scenario(name, SETTINGS))
    time = share * scenario.problem.path.duration
    return scenario, time, stopped(scenario, time)


def test_the_shortest_stop_within_an_acceleration_is_that_of_the_closed_form() -> None:
    """A mass whose acceleration alone is limited stops in |v| / a; the slower one decides."""
    most = 1e-3
    scenario = load_scenario(
        "two-mass", ("path.duration=10.0", f"limits.a={{y_1={most}, y_2={most}}}")
    )
    time = 5.0
    v = scenario.problem.path.derivatives([time], 1)[1, :, 0]
    shortest = np.abs(v).max() / most
    assert shortest > 1.0  # no brief stop, which is not optimised
    plan = stopped(scenario, time).planned
    assert plan.method == "flat"
    # Nothing is faster. Ramps of 4 ms at both ends cost half of their length each, 0.3 % together,
    # and limits in the program are narrower by some 1e-4.
    assert shortest <= plan.duration < 1.01 * shortest


def test_a_stop_of_a_planned_motion_keeps_the_limits_it_was_planned_with() -> None:
    """A motion at its limits leaves a stop no room: they hold between all times, looked at anew."""
    scenario = load_scenario(str(Path(__file__).parents[2] / "examples" / "transport.toml"))
    stop = stopped(scenario, 1.5)
    assert stop.planned.method == "flat"
    times = np.linspace(0.0, stop.planned.duration, 50_001)
    found = solve_index1(stop.problem, times)
    assert np.abs(found.u[:, 0]).max() <= 300.0
    assert (found.u[:, 1] >= -150.0).all()
    assert (found.u[:, 1] <= -50.0).all()


# In the last one a step of the integrator passes over a short ramp of the drives with every
# tolerance: that is the integrator's part of the error, and no difference between plant and twin.
@pytest.mark.parametrize(
    ("name", "share"),
    [
        ("overhead", 0.8),
        ("rotary", 0.9467529),
        further("overhead", 0.6),
        further("container-hop", 0.2508244581084461),
    ],
)
def test_a_stop_keeps_all_limits_on_the_plant_and_rests(name: str, share: float) -> None:
    scenario, time, stop = stopped_within_its_limits(name, share)
    assert stop.planned.method == "flat"
    assert stop.planned.duration < scenario.problem.path.duration - time
    verified = verify_scenario(stop)
    assert all(verdict.passed for verdict in verified.verdicts)
    assert largest_excess(stop, verified.tracking.motion) < 1e-6
    assert verified.tracking.residual_swing < STILL
    assert last_speed(verified.tracking.motion) < STILL


def test_a_late_stop_is_hardly_longer_than_the_shortest_by_collocation() -> None:
    """The polynomial to rest takes four times as long, and leads the optimiser astray."""
    scenario, time, stop = stopped_within_its_limits("overhead", 0.8)
    shortest = optimal_duration(scenario, stop, time, Mesh(20))
    assert not stop.planned.notes
    # on so coarse a mesh the shortest time is 1e-4 too long; 0.6 % are said to remain
    assert 0.999 * shortest < stop.planned.duration < 1.01 * shortest


def test_a_motion_that_ends_soon_goes_on_to_its_end() -> None:
    scenario = limited(load_scenario("overhead", SETTINGS))
    stop = stopped(scenario, 2.84)
    assert stop.planned.duration == pytest.approx(0.16, abs=1e-12)
    assert stop.planned.way == "on to the end of the running motion"
    assert "goes on to its end" in stop.planned.notes[0]
    time = np.linspace(0.0, 0.16, 50)
    ahead = scenario.problem.path.derivatives(time + 2.84, 2)
    assert np.abs(stop.problem.path.derivatives(time, 2) - ahead).max() < 1e-9
    verified = verify_scenario(stop)
    assert all(verdict.passed for verdict in verified.verdicts)
    assert verified.tracking.residual_swing < STILL


def fail(*_: object) -> None:
    """Find nothing, as an optimiser may."""
    raise SolutionError("nothing was found")


@pytest.mark.parametrize(
    ("name", "time", "way", "word"),
    [
        ("rotary", 5.0, "to a stop", "polynomials"),
        ("overhead", 2.5, "on to the end of the running motion", "goes on"),
    ],
)
def test_a_stop_keeps_all_limits_where_the_optimiser_fails(
    monkeypatch: pytest.MonkeyPatch, name: str, time: float, way: str, word: str
) -> None:
    monkeypatch.setattr(FlatPlanner, "improve", fail)
    scenario = limited(load_scenario(name, SETTINGS))
    stop = stopped(scenario, time)
    assert (stop.planned.method, stop.planned.way) == ("polynomial", way)
    assert word in stop.planned.notes[0]
    assert stop.planned.duration <= scenario.problem.path.duration - time + 1e-12
    solved = solve_scenario(stop)
    assert all(verdict.passed for verdict in solved.verdicts)
    assert np.abs(solved.feedforward.v[-1]).max() < 1e-9
