"""Margins: on loops with closed forms, and against the crane simulated on both sides of them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from cranebridge.control.analysis.frozen import FrozenLoop, frozen_loop
from cranebridge.control.analysis.margins import is_stable, margins_along, margins_at, poles
from cranebridge.control.design.law import design_law
from cranebridge.control.model.other_plants import plant_at, plant_with, swing_seen
from cranebridge.control.simulation.loop_motion import Deviations, simulate_loop
from cranebridge.errors import InputError

SAMPLED = ("time", "q", "v", "a", "u", "outputs", "hold")


def integrator(gain: float, cycle: float = 0.01) -> FrozenLoop:
    """Return x' = u with u = -gain x."""
    one = np.ones((1, 1))
    none = np.zeros((1, 0))
    return FrozenLoop(0.0 * one, one, one, gain * one, none, none, cycle, 0.0)


def test_margins_of_an_integrator_are_those_of_theory() -> None:
    from cranebridge.control.analysis import margins

    loop = integrator(3.0)
    # x+ = (1 - 3 h g) x is stable for 0 < g < 2 / (3 h)
    assert margins._factors(loop, np.ones(1)).most == pytest.approx(2.0 / 0.03, rel=1e-5)
    # Sampled and held, an integrator with whole cycles of delay d is stable as long as
    # gain < 2 sin(pi / (2 (2 d + 1))) / h: the delay margin lies between the cycles around it.
    found = margins._delay(loop).most
    limits = [2.0 * math.sin(math.pi / (2.0 * (2.0 * d + 1.0))) / 0.01 for d in range(80)]
    whole = max(d for d in range(80) if limits[d] > 3.0)
    assert whole * 0.01 <= found <= (whole + 1) * 0.01
    # half a cycle of the hold, and the delay: 90 degrees at the gain's frequency
    assert found == pytest.approx(math.pi / 2.0 / 3.0 - 0.005, rel=2e-3)


def test_lag_of_an_integrator_s_drive() -> None:
    # x'' = -(x' + gain x) / T in the limit of a short cycle
    loop = integrator(3.0, 1e-3).lagged(0.5)
    found = np.log(np.linalg.eigvals(loop.closed())) / 1e-3
    expected = np.roots([0.5, 1.0, 3.0])
    assert np.sort_complex(found) == pytest.approx(np.sort_complex(expected), rel=5e-3)


def test_running_loop_has_the_poles_of_the_design(lqr, lqi) -> None:
    first = np.sort(np.abs(np.linalg.eigvals(frozen_loop(lqr, -1).closed())))
    assert first == pytest.approx(np.sort(np.abs(np.linalg.eigvals(lqr.closed(-1)))), abs=1e-12)
    # integrals summed at the samples instead of in between: equal to first order of the cycle
    second = np.sort(np.abs(np.linalg.eigvals(frozen_loop(lqi, -1).closed())))
    assert second == pytest.approx(np.sort(np.abs(np.linalg.eigvals(lqi.closed(-1)))), abs=2e-5)


@pytest.fixture(scope="session")
def resting():
    """The overhead crane with a law at its goal, and a run of it from a displaced load."""
    from cranebridge.inverse.index1.solution import solve_index1
    from cranebridge.scenario import load_scenario

    servo = load_scenario("overhead").problem
    design = design_law(solve_index1(servo, np.linspace(0.0, servo.path.duration, 61)), 0.01)

    def grows(plant: Deviations, limits=None) -> bool:
        motion = simulate_loop(design.reference, design.law, 40.0, plant, limits=limits)
        E = motion.errors()
        return bool(E[-500:].max() > E[1000:1500].max()) or not np.isfinite(E).all()

    return design, grows


def test_delay_margin_is_where_the_crane_begins_to_swing_up(resting) -> None:
    design, grows = resting
    margin = margins_at(design, -1).delay.most
    assert 0.0 < margin < 1.0
    assert not grows(Deviations(delay=0.97 * margin))
    assert grows(Deviations(delay=1.03 * margin))


def test_swing_is_what_is_not_below_the_trolley(resting) -> None:
    design, _ = resting
    model = design.model
    assert model.coordinates == ("s", "x", "z")
    seen = swing_seen(model, len(model.time) - 1, 1.2)[:3, :3]
    # x - s is the swing; the hoist's rope hangs straight, its length says the height
    assert seen == pytest.approx(np.array([[1, 0, 0], [-0.2, 1.2, 0], [0, 0, 1]]), abs=1e-9)


def test_law_that_sees_another_state_is_one_of_a_plant_with_that_state(lqi) -> None:
    # x_seen = M x moves by M A M^-1 and M B: the same poles, integrals among the states
    loop = frozen_loop(lqi, -1)
    M = swing_seen(lqi.model, -1, 1.1)
    other = replace(loop, A=M @ loop.A @ np.linalg.inv(M), B=M @ loop.B)
    seen, moved = (np.linalg.eigvals(one.closed()) for one in (loop.seeing(M), other))
    assert np.sort_complex(seen) == pytest.approx(np.sort_complex(moved), abs=1e-9)
    assert (
        np.abs(np.sort_complex(seen) - np.sort_complex(np.linalg.eigvals(loop.closed()))).max()
        > 1e-4
    )


@pytest.mark.parametrize(("part", "stable"), [(0.97, True), (1.03, False)])
def test_swing_margin_is_where_the_crane_begins_to_swing_up(resting, part, stable) -> None:
    design, _ = resting
    most = margins_at(design, -1, ["swing"]).structured["swing"].most
    assert 1.0 < most < 2.0
    rest = {name: getattr(design.reference, name)[-2:] for name in SAMPLED}
    gains = {name: getattr(design.law, name)[-2:] for name in ("time", "K", "K_integral", "K_past")}
    reference, law = replace(design.reference, **rest), replace(design.law, **gains)
    q = reference.q[0] + [0.0, 0.0, 1e-4, 0.0]
    plant = Deviations(q=q, seen={"x": f"s + {1.0 + part * (most - 1.0)}*(x - s)"})
    E = simulate_loop(reference, law, 20.0, plant).errors()
    assert (E[-100:].max() < 1e-5) == stable


@pytest.fixture(scope="session")
def goal(lqi):
    """The rotary crane with integrals, held at its goal."""
    rest = {name: getattr(lqi.reference, name)[-2:] for name in SAMPLED}
    law = lqi.law
    gains = {name: getattr(law, name)[-2:] for name in ("time", "K", "K_integral", "K_past")}
    return replace(lqi.reference, **rest), replace(law, **gains)


@pytest.mark.parametrize(("factor", "stable"), [(1.06, True), (0.94, False)])
def test_payload_margin_is_where_the_crane_begins_to_swing_up(lqi, goal, factor, stable) -> None:
    reference, law = goal
    span = margins_at(lqi, -1, ["parameter.m"]).structured["parameter.m"]
    assert 0.1 < span.least < 1.0 < span.most
    # Integrals bring the load with its other weight back to where the loop was frozen, within
    # 60 s; then it swings more or less.
    q = reference.q[0] + [0.0, 0.0, 0.0, 0.05, 0.05, 0.0]
    plant = Deviations(q=q, parameters={"m": factor * span.least * 500.0})
    E = simulate_loop(reference, law, 140.0, plant).errors()
    assert (E[-2000:].max() < E[14000:16000].max()) == stable


def test_margins_along_a_motion_are_printed(lqr) -> None:
    found = margins_along(lqr, [0.0, 20.0, 100.0], ["parameter.m", "q.l", "lag"])
    assert [one.time for one in found] == [0.0, 20.0, 40.0]
    assert all(one.stable for one in found)
    for one in found:
        assert one.delay.most > 0.05
        assert one.gain["all"].most > 2.0
        assert one.gain["all"].least < 0.5
        assert one.structured["lag"].most > 0.1
    # the rope length is varied where the crane rests
    assert ["q.l" in one.structured for one in found] == [True, False, True]
    assert "delay" in found[0].describe()[0]
    assert "parameter.m" in found[0].describe()[1]


def test_sensitivity_bounds_the_gain_margin(lqr) -> None:
    # 1 + L never comes closer to zero than 1 / M: with one input scaled by g the loop is stable
    # for all |g - 1| < 1 / M.
    one = margins_at(lqr, 4000)
    for span in one.gain.values():
        assert span.most >= 1.0 + 1.0 / one.sensitivity
        assert span.least <= max(1.0 - 1.0 / one.sensitivity, 0.01)


def test_unstable_loop_is_told(lqr) -> None:
    wrong = replace(lqr, law=replace(lqr.law, K=-lqr.law.K))
    assert not is_stable(frozen_loop(wrong, 0))
    assert margins_at(wrong, 0).describe() == ["t = 0 s: the frozen loop is unstable"]


def test_other_payload_needs_other_inputs(lqr) -> None:
    # at rest the pendulum frequency with 600 kg: omega^2 = g / l (1 + m / m_t) along the jib
    model = plant_with(lqr, -1, {"m": 600.0})
    swing = np.abs(np.linalg.eigvals(model.A[0]).imag)
    assert np.abs(swing - math.sqrt(9.81 / 3.0 * (1.0 + 600.0 / 50.0))).min() < 1e-9


def test_other_rope_length_has_its_own_pendulum(lqr) -> None:
    model = plant_at(lqr, -1, "l", 2.0)
    swing = np.abs(np.linalg.eigvals(model.A[0]).imag)
    assert np.abs(swing - math.sqrt(9.81 / 6.0 * (1.0 + 500.0 / 50.0))).min() < 1e-9
    with pytest.raises(InputError, match="unknown drive coordinate"):
        plant_at(lqr, -1, "x", 2.0)


def test_slowest_pole_comes_first(lqr) -> None:
    assert poles(lqr)[0].real == pytest.approx(-0.28174, abs=1e-5)
    assert (np.diff(poles(lqr).real) <= 1e-12).all()
