"""Friction in what is made of a scenario: checks, sweeps, campaigns, plans, deliveries."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.inverse import DriveFriction, solved_at
from cranebridge.job import check_scenario, solve_scenario
from cranebridge.job.delivering import hand_over, left_out
from cranebridge.job.ordering import Wishes
from cranebridge.job.page.live import live_page
from cranebridge.job.solving import find_shortest
from cranebridge.job.sweeping import sweep_into
from cranebridge.limits import Limits, limits_with_friction
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol import Controls
from cranebridge.scenario import Scenario, load_scenario

Array = NDArray[np.float64]
A3 = "overhead-friction"


def test_check_judges_the_controls_with_their_friction() -> None:
    """The trolley needs up to 714 N, and 664 N without friction."""
    limited = load_scenario(A3, {"limits.u.F_t": [-900.0, 700.0], "limits.power.F_t": 3000.0})
    found = {one.name: one for one in check_scenario(limited).verdicts}
    assert not found["u.F_t"].passed
    solution = solve_scenario(limited).feedforward
    fine = solved_at(solution, np.linspace(0.0, 2.5, 20_001))
    assert found["u.F_t"].value == pytest.approx(fine.u[:, 0].max(), rel=1e-6)
    power = fine.u[:, 0] * fine.v[:, 0]
    assert found["power.F_t"].value == pytest.approx(np.abs(power).max(), rel=1e-5)
    without = check_scenario(limited.with_({"crane.friction": {}}))
    assert {one.name: one.passed for one in without.verdicts}["u.F_t"]


def test_page_while_a_path_is_moved_shows_it_too() -> None:
    scenario = load_scenario(A3, {"limits.u.F_t": [-900.0, 700.0]})
    verdicts = {one["name"]: one["status"] for one in live_page(scenario)["verdicts"]}
    assert verdicts["u.F_t"] == "failed"


@pytest.mark.parametrize("key", ["crane.m", "crane.friction.F_t.limit"])
def test_swept_values_are_those_that_are_solved_alone(key: str) -> None:
    sweep = sweep_into(load_scenario(A3), [f"{key}=40:120:3"])
    peaks = []
    for point in sweep.points:
        alone = solve_scenario(load_scenario(A3, {key: point.values[key]})).feedforward
        assert point.figures["peak.F_t"] == np.abs(alone.u[:, 0]).max()
        peaks.append(point.figures["peak.F_t"])
    assert len(set(peaks)) == 3


@pytest.mark.further
def test_campaign_over_payload_and_friction_is_what_verify_says(tmp_path: Path) -> None:
    from cranebridge.job.campaign import campaign_into
    from cranebridge.job.verifying import verify_scenario

    vary = {
        "crane.friction.F_t.limit": {"uniform": [40.0, 60.0]},
        "crane.m": {"uniform": [90.0, 110.0]},
    }
    scenario = load_scenario(A3, {"campaign.runs": 4, "campaign.vary": vary})
    campaign = campaign_into(scenario, tmp_path / "out", workers=1)
    number = campaign.worst[0]
    tracking = verify_scenario(load_scenario(str(tmp_path / "out" / f"run-{number}.toml"))).tracking
    assert tracking is not None
    row = campaign.runs.row(number)
    assert row["max_error.x"] == pytest.approx(tracking.max_error["x"], rel=1e-6)
    # each run has its own friction: errors differ with |limit - 50|, and are no rounding
    assert tracking.max_error["x"] > 1e-3


# ------------------------------------------------------------------- plans


def overhead_limits(**groups: Mapping[str, Any]) -> tuple[Limits, Scenario]:
    scenario = load_scenario("overhead")
    return Limits.from_mapping(groups, scenario.crane), scenario


def test_a_plan_has_room_for_the_largest_friction() -> None:
    limits, scenario = overhead_limits(
        u={"F_t": 300.0, "M_w": [-200.0, -20.0]}, power={"F_t": 900.0}, v={"s": 2.0, "l": 1.5}
    )
    friction = (
        DriveFriction("F_t", stiffness=1e4, limit=40.0, viscous=5.0),
        DriveFriction("M_w", stiffness=1e3, limit=2.0, static=3.0, stribeck_velocity=0.1),
    )
    found = limits_with_friction(limits, friction, scenario.crane, scenario.problem.parameters)
    # 40 N and 5 N s/m at 2 m/s
    assert (found.u["F_t"].least, found.u["F_t"].most) == (-250.0, 250.0)
    assert (found.u["M_w"].least, found.u["M_w"].most) == (-197.0, -23.0)
    assert found.power["F_t"].most == 800.0
    assert found.v == limits.v


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ({"u": {"F_t": 30.0}}, "limits.u.F_t leaves a plan nothing beside the friction of F_t"),
        ({"u": {"F_t": 300.0}, "power": {"F_t": 900.0}}, "give that speed with limits.v"),
    ],
)
def test_a_plan_without_room_is_refused(groups: Mapping[str, Any], said: str) -> None:
    limits, scenario = overhead_limits(**groups)
    friction = (DriveFriction("F_t", stiffness=1e4, limit=40.0),)
    with pytest.raises(InputError, match=said):
        limits_with_friction(limits, friction, scenario.crane, scenario.problem.parameters)


def test_the_speed_of_a_drive_that_moves_no_coordinate_is_not_known_to_a_plan() -> None:
    scenario = load_scenario("rotary-redundant")
    limits = Limits.from_mapping({"power": {"M_b": 900.0}}, scenario.crane)
    friction = (DriveFriction("M_b", stiffness=1e4, limit=40.0),)
    with pytest.raises(InputError, match="which no limit tells: its drive moves no coordinate"):
        limits_with_friction(limits, friction, scenario.crane, scenario.problem.parameters)


PLANNED = {
    "path": {
        "kind": "optimal",
        "start": [0.0, -4.0],
        "goal": [5.0, -1.0],
    },
    "limits.u": {"F_t": 300.0, "M_w": [-150.0, -60.0]},
    "limits.rope": 300.0,
    "limits.v": {"s": 4.0, "l": 4.0},
}


def test_a_planned_path_keeps_its_limits_with_the_friction() -> None:
    scenario = load_scenario(A3, PLANNED)
    found = solve_scenario(scenario)
    assert found.exit_code == 0
    solution = found.feedforward
    fine = solved_at(solution, np.linspace(0.0, float(solution.time[-1]), 20_001))
    assert np.abs(fine.u[:, 0]).max() <= 300.0 * (1.0 + 1e-6)
    # the room was needed: the drive comes nearer than the friction of 50 N
    assert np.abs(fine.u[:, 0]).max() > 275.0
    assert np.abs(fine.frictionless.u[:, 0]).max() <= 250.0 * (1.0 + 1e-6)
    assert any("leave room for the largest friction" in note for note in solution.notes)


@pytest.mark.further
def test_the_shortest_duration_leaves_room_too() -> None:
    limited = load_scenario(A3, {"limits.u.F_t": 400.0})
    with_friction = find_shortest(limited).own.duration
    bare = load_scenario(A3, {"limits.u.F_t": 350.0, "crane.friction": {}})
    assert with_friction == pytest.approx(find_shortest(bare).own.duration, rel=1e-9)


# ------------------------------------------------------------------- deliveries


@pytest.fixture(scope="module")
def exact() -> tuple[Array, Array]:
    solution = solve_scenario(load_scenario(A3)).feedforward
    t = np.linspace(0.0, 2.5, 251)
    return t, solved_at(solution, t).u


def test_table_has_the_friction(tmp_path: Path, exact: tuple[Array, Array]) -> None:
    file = tmp_path / "u.csv"
    hand_over(load_scenario(A3), Wishes(to="csv", target=file, columns=("u", "power")))
    table = np.genfromtxt(file, delimiter=",", names=True)
    assert table["uF_t"] == pytest.approx(exact[1][:, 0], abs=1e-9)
    assert table["uF_t"][125] == pytest.approx(-96.24295093004531, abs=1e-9)


def test_fmu_plays_the_motion_with_its_friction(tmp_path: Path, exact: tuple[Array, Array]) -> None:
    scenario = load_scenario(A3)
    file = tmp_path / "u.fmu"
    hand_over(scenario, Wishes(to="fmu", target=file, cycle=0.01))
    # between the samples of the cycle, across the kinks
    t = np.linspace(0.0, 2.5, 2001)
    wanted = solved_at(solve_scenario(scenario).feedforward, t).u[:, 0]
    with Plant(file, timeout=600.0) as plant:
        names = plant.info.output_names
        inputs = [one.name for one in plant.info.inputs]
        given = Controls.constant([1.0 if n == "start" else 0.0 for n in inputs], inputs)
        found = plant.simulate(times=t, outputs=["F_t"], inputs=given).complete()
    assert "F_t" in names
    assert np.abs(found.outputs[:, 0] - wanted).max() < 1e-3
    assert any("knows no crane.friction" in line for line in left_out(scenario, "fmu"))


@pytest.mark.parametrize("settings", [{}, {"control.kind": "lqr", "control.gains": "position"}])
def test_what_plans_on_line_is_refused(tmp_path: Path, settings: Mapping[str, Any]) -> None:
    with pytest.raises(InputError, match=r"knows no crane\.friction"):
        hand_over(load_scenario(A3, settings), Wishes(to="generator", target=tmp_path))


def test_controls_can_be_learned_from_those_with_friction(tmp_path: Path) -> None:
    """A plant with more friction than the feedforward knows: learning closes what is left."""
    from cranebridge.job.learning.learning_job import learn_scenario

    drives = {
        "F_t": {"coordinate": "s", "kp": 2e3, "kv": 6e2},
        "M_w": {"coordinate": "l", "kp": 4e2, "kv": 1e2},
    }
    scenario = load_scenario(
        A3,
        {
            "control": {"kind": "drives", "drives": drives},
            "plant.parameters.F_max": 60.0,
            "learn.trials": 2,
        },
    )
    _, learning = learn_scenario(scenario)
    errors = [max(one.max_error.values()) for one in learning.learned.trials]
    assert errors[0] > 1e-4
    assert errors[-1] < 0.5 * errors[0]
