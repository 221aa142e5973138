"""Loops of the drives that nobody gave: gains from the inertia that a drive feels."""

from __future__ import annotations

import math

import pytest

from cranebridge.job import verify_scenario
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import open_plant, plant_file
from cranebridge.scenario import load_scenario
from cranebridge.verify.feedback.default_loops import inertia_loops


def test_gains_follow_from_the_inertias_of_trolley_and_winch_with_load() -> None:
    scenario = load_scenario("overhead")
    solution = solve_scenario(scenario).feedforward
    with open_plant(scenario, plant_file(scenario)) as (_, mapping):
        trolley, winch = inertia_loops(solution, mapping)
    known, w = scenario.problem.parameters, 2.0 * math.pi
    # at rest below its trolley the load does not hold it back; the winch lifts it by r_w
    assert (trolley.input, trolley.coordinate) == ("F_t", "s")
    assert trolley.kp == pytest.approx(known["m_t"] * w**2)
    inertia = known["J"] / known["r"] + known["m"] * known["r"]
    assert (winch.input, winch.coordinate) == ("M_w", "l")
    assert (winch.kp, winch.kv) == pytest.approx((inertia * w**2, 2.0 * inertia * w))


@pytest.mark.parametrize(
    ("name", "settings", "why"),
    [
        ("overhead-speed", [], "their speed loops are closed in all of these"),
        (
            "overhead",
            ["plant.map.inputs={F_t='F_t + 0.1*M_w', M_w='M_w'}"],
            "no loops in plant.drives or control.drives, and no default ones: no input of the "
            "plant is F_t alone",
        ),
    ],
    ids=["speed drives", "mixed inputs"],
)
def test_where_there_are_none_the_row_says_why(name, settings, why) -> None:
    settings = ["plant.certify=false", "control.kind=lqr", "plant.settle=0", *settings]
    tracking = verify_scenario(load_scenario(name, settings)).tracking
    assert list(tracking.compared) == ["open loop", "drives", "lqr"]
    assert tracking.compared["drives"].failed == why
