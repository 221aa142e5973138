"""What `check` says of a closed loop, against closed forms and the reference numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cranebridge.control.analysis.frozen import FrozenLoop
from cranebridge.control.analysis.loop_check import check_loop, deviations
from cranebridge.control.analysis.margins import is_stable
from cranebridge.control.analysis.slack_ropes import slack_notes
from cranebridge.job import check_scenario
from cranebridge.job.solving import solve_scenario
from cranebridge.report.html import render
from cranebridge.scenario import load_scenario
from cranebridge.twin import CRANES

DATA = json.loads((Path(__file__).parents[1] / "data" / "feedback.json").read_text())

# Two carts: one is driven, the other is an inverted pendulum that nothing touches.
TWO_CARTS = """
import casadi as ca

from cranebridge.twin import Crane, Parameter, Quantity


class TwoCarts(Crane):
    name = "two-carts"
    description = "a driven cart, and a pendulum on its head beside it"
    coordinates = (Quantity("s", "m", "cart"), Quantity("theta", "rad", "pendulum"))
    inputs = (Quantity("F", "N", "force on the cart"),)
    outputs = (Quantity("s", "m", "cart"),)
    parameters = (
        Parameter("m", "kg", "cart mass", 2.0),
        Parameter("l", "m", "pendulum length", 0.5),
        Parameter("g", "m/s^2", "gravity", 9.81),
    )

    def kinetic_energy(self, q, v, p):
        return 0.5 * p.m * v.s**2 + 0.5 * (p.l * v.theta) ** 2

    def potential_energy(self, q, p):
        return p.g * p.l * ca.cos(q.theta)

    def drive_power(self, q, v, u, p):
        return u.F * v.s

    def output_map(self, q, p):
        return {"s": q.s}

    def rest(self, y, p):
        return {"s": y["s"], "theta": 0.0}
"""


def test_poles_at_the_goal_are_those_of_the_reference(lqr) -> None:
    loop = check_loop(lqr, "lqr")
    expected = np.array([complex(*pair) for pair in DATA["poles"]])
    found = np.array(loop.poles["goal"])
    for one in expected:
        assert np.abs(found - one).min() < 1e-4
    assert found.size == expected.size
    assert [one.time for one in loop.margins] == [0.0, 10.0, 20.0, 30.0, 40.0]
    assert all(verdict.passed for verdict in loop.verdicts)


def test_lag_margin_of_a_cart_is_speed_gain_by_position_gain() -> None:
    # x'' = f, T f' + f = -kp x - kd x': Hurwitz wants T < kd / kp = 0.5 s. Half a cycle more, as
    # the hold delays, moves that by 0.1 %.
    kp, kd = 4.0, 2.0
    A, B = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]])
    none = np.zeros((1, 0))
    loop = FrozenLoop(A, B, np.zeros((0, 2)), np.array([[kp, kd]]), none, none, 1e-3, 0.0)
    assert is_stable(loop.lagged(0.98 * kd / kp))
    assert not is_stable(loop.lagged(1.02 * kd / kp))


def test_hoist_loop_of_the_drives_has_its_closed_form() -> None:
    scenario = load_scenario("overhead-real", ["control.kind=drives"])
    loop = check_scenario(scenario).loop
    p, gains = scenario.problem.parameters, scenario.tables.plant.drives["M_w"]
    # the load hangs still below: M_w lifts load and winch, (J / r + m r) l'' = M_w
    expected = np.roots([p["J"] / p["r"] + p["m"] * p["r"], gains.kv, gains.kp])
    for end in ("start", "goal"):
        for one in expected:
            assert np.abs(np.array(loop.poles[end]) - one).min() < 1e-9
    assert "continuous" in loop.title


def test_sampled_drives_have_nearly_the_poles_of_continuous_ones() -> None:
    settings = ["control.kind=drives", "control.cycle=0.001"]
    sampled = check_scenario(load_scenario("overhead-real", settings)).loop
    continuous = check_scenario(load_scenario("overhead-real", settings[:1])).loop
    first, second = (np.array(loop.poles["goal"]) for loop in (sampled, continuous))
    # of first order in the cycle: h |s| / 2 of themselves; the drives' integrals stay where they
    # are, at zero, without a gain
    moving = first[np.abs(first) > 1e-6]
    assert moving.size == second.size
    for one in second:
        assert np.abs(moving - one).min() < 0.001 * abs(one) ** 2


def test_what_is_varied_is_payload_rope_length_and_lag() -> None:
    cranes = {name: deviations(CRANES[name]()) for name in ("overhead", "cablev", "rpr")}
    assert cranes["overhead"] == ("parameter.m", "q.l", "swing", "lag")
    assert cranes["cablev"] == ("parameter.m", "q.p_c1", "q.p_c2", "q.p_c3", "swing", "lag")
    assert cranes["rpr"] == ("lag",)


def test_check_prints_poles_and_margins_with_units(run) -> None:
    code, text, _ = run("check", "overhead", "--set", "control.kind=lqr")
    assert code == 0
    for part in (
        "closed loop: lqr, cycle 0.005 s, delay 0 s",
        "poles at the start [1/s]",
        "u.F_t [times]",
        "closed loop at the goal has its slowest pole at",
    ):
        assert part in " ".join(text.split()), part
    code, text, _ = run("check", "overhead", "--set", "control.kind=lqr", "--json")
    found = json.loads(text)["control"]
    loop = check_scenario(load_scenario("overhead", ["control.kind=lqr"])).loop
    # a narrow terminal breaks titles in two: they are looked at here
    assert [row[0] for row in loop.margin_table()[1]] == [
        "u.F_t [times]",
        "u.M_w [times]",
        "all inputs [times]",
        "more delay [ms]",
        "load mass m [kg]",
        "rope length l [m]",
        "swing seen [times]",
        "drive lag [ms]",
        "sensitivity",
    ]
    assert len(found["poles"]["start"]) == 6
    assert found["units"]["delay"] == "s"
    assert found["margins"][0]["structured"]["parameter.m"]["nominal"] == 100.0
    assert found["margins"][0]["delay"]["most"] == pytest.approx(loop.margins[0].delay.most)


def test_report_shows_the_closed_loop() -> None:
    scenario = load_scenario("overhead", ["control.kind=lqr"])
    checked = check_scenario(scenario)
    solved = solve_scenario(scenario, checked=checked)
    page = render(scenario, solved)
    assert "Closed loop" in page
    _, rows = checked.loop.pole_table()
    assert rows[0][0] in page
    without = load_scenario("overhead")
    assert "Closed loop" not in render(without, solve_scenario(without))


def test_loop_that_does_not_hold_the_crane_fails(run) -> None:
    wrong = "control.drives={F_t={coordinate='s', kp=-100.0, kv=10.0}}"
    code, text, _ = run("check", "overhead", "--set", "control.kind=drives", "--set", wrong)
    assert code == 1
    assert "must be not above 0" in text
    assert "unstable" in text


def test_loop_on_the_plant_s_own_signals_is_not_guessed(run) -> None:
    own = "control.drives={F_t={coordinate='s', kp=100.0, kv=10.0, position='motor'}}"
    code, text, _ = run("check", "overhead", "--set", "control.kind=drives", "--set", own)
    assert code == 0
    assert "not known before the plant is: the loop of F_t" in " ".join(text.split())


def test_rope_without_force_is_told(run) -> None:
    _, text, _ = run("check", "navy2d", "--set", "control.kind=lqr")
    text = " ".join(text.split())
    assert "rope T_cable1_A would have to push with 442.2 N at 2.01 s" in text
    assert "takes ropes for rods" in text
    safe = solve_scenario(load_scenario("navy2d-pulley-safe")).feedforward
    assert slack_notes(safe) == ()
    still = slack_notes(solve_scenario(load_scenario("navy2d-safe")).feedforward)
    assert [note.startswith("rope T_cable1_A has no force at 0 s") for note in still] == [True]


def test_crane_that_cannot_be_stabilised_is_refused_with_mode_and_eigenvalue(run, tmp_path) -> None:
    (tmp_path / "carts.py").write_text(TWO_CARTS)
    file = tmp_path / "carts.toml"
    file.write_text(
        '[crane]\nmodel = "carts.py:TwoCarts"\n[path]\nkind = "line"\nstart = [0.0]\n'
        'goal = [1.0]\nduration = 4.0\nprofile = "polynomial"\nsmoothness = 4\n'
        '[solve]\nmethod = "inversion"\n[control]\nkind = "lqr"\n'
    )
    code, text, _ = run("check", str(file))
    assert code == 2
    text = " ".join(text.split())
    # sqrt(g / l) = 4.429 1/s
    assert "cannot be stabilised" in text
    assert "unstable mode of q.theta" in text or "unstable mode of v.theta" in text
    assert "eigenvalue 4.429 1/s" in text
