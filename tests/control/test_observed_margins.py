"""Poles and margins with an observer's filter in the loop, and what its sensors cannot tell."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import casadi as ca
import numpy as np
import pytest

from cranebridge.control.analysis.frozen import LawAndMotion
from cranebridge.control.analysis.loop_check import check_loop
from cranebridge.control.analysis.margins import margins_at, poles
from cranebridge.control.design.compensation import compensated_law
from cranebridge.control.design.law import LawDesign, design_law
from cranebridge.control.model.reference_motion import ReferenceMotion
from cranebridge.control.observer.filter import Observer, design_observer
from cranebridge.control.observer.sensors import Sensor
from cranebridge.control.simulation import loop_motion
from cranebridge.control.simulation.loop_motion import Deviations, simulate_loop
from cranebridge.control.simulation.sampled_loop import loop_sample
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import time_grid
from cranebridge.job import check_scenario
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import plant_settings
from cranebridge.report.html import render
from cranebridge.scenario import load_scenario
from cranebridge.verify.feedback.controllers import design_controller
from further import further

CYCLE = 0.005
ENCODERS = (Sensor("q.s", 1e-3), Sensor("q.l", 1e-3))
ANGLE = Sensor("(x - s)/l", 1e-3, name="rope angle")
SAMPLED = ("time", "q", "v", "a", "u", "outputs", "hold")
GAINS = ("time", "K", "K_integral", "K_past", "K_disturbance")


@cache
def solution():
    problem = load_scenario("overhead").problem
    return solve_index1(problem, time_grid(problem.path.duration, CYCLE))


@cache
def design(kind: str, delay: float = 0.0, estimated: str = "", angle: bool = True) -> LawDesign:
    sensors = (*ENCODERS, ANGLE) if angle else ENCODERS

    def sensed(reference: ReferenceMotion, coordinates: Sequence[str]) -> Observer:
        sizes = {estimated: 50.0} if estimated else {}
        return design_observer(reference, coordinates, sensors, sizes)

    # weights are given: nothing is sought
    weights = {"y.x": 400.0, "y.z": 400.0, "q.s": 40.0, "u.F_t": 1e-3, "u.M_w": 0.1}
    return design_law(solution(), CYCLE, kind, weights, delay=delay, sensing=sensed)


def at_goal(made: LawDesign) -> tuple[ReferenceMotion, object]:
    """Return the motion and the law of the last sample, for ever."""
    rest = {name: getattr(made.reference, name)[-2:] for name in SAMPLED}
    law = made.law
    if made.observer.disturbances and not law.integrals:
        law = compensated_law(made, made.observer)
    gains = {name: getattr(law, name)[-2:] for name in GAINS}
    return replace(made.reference, **rest), replace(law, **gains)


def settled(observer: Observer, reference: ReferenceMotion) -> np.ndarray:
    """Return the covariance that the filter itself comes to, before its readings."""
    q, v, p = reference.q[-1], reference.v[-1], observer.parameter_vector
    y, due = observer.readings(q, v, p)[0], np.ones(len(observer.sensors))
    d, P = observer.disturbance_start, np.diag(observer.variance)
    for _ in range(4000):
        P = observer.update(q, v, d, P, y, due, p)[3]
        P = observer.predict(q, v, d, P, reference.u[-1], p, CYCLE)[3]
    return np.array(P)


def sampled_eigenvalues(made: LawDesign) -> np.ndarray:
    """Return those of the derivative of one simulated sample: readings, filter, law, crane."""
    reference, law = at_goal(made)
    run = loop_motion._LoopRun(reference, law, 2 * CYCLE, Deviations(), made.observer, None)
    sample = loop_sample(run._shape())
    data, constant = run.given()
    state = run._state(sample.size1_in(0))
    size = len(made.observer.states)
    moving = state.size - size**2
    state[moving:] = settled(made.observer, reference).ravel()
    z = ca.MX.sym("z", state.size)
    slope = ca.Function("slope", [z], [ca.jacobian(sample(z, data[-1], constant)[0], z)])
    # what is known does not move the estimate where all readings are as expected
    return np.linalg.eigvals(np.array(slope(state))[:moving, :moving])


@pytest.mark.parametrize(
    ("kind", "delay", "estimated"),
    [
        further("lqr", 0.0, ""),
        ("lqi", 0.0, "parameter.m"),
        further("lqr", 0.0075, "parameter.m"),
        ("lqi", 0.0075, ""),
    ],
)
def test_poles_are_those_of_the_simulated_sample(kind, delay, estimated) -> None:
    made = design(kind, delay, estimated)
    reference, law = at_goal(made)
    found = np.exp(CYCLE * poles(LawAndMotion(law, reference, made.model), -1, made.observer))
    expected = sampled_eigenvalues(made)
    # a Runge-Kutta step for the exponential, and the filter's own series
    assert max(np.abs(expected - one).min() for one in found) < 2e-5
    # the filter is in it: more poles than those of the law, which are there, too: nothing differs
    bare = np.exp(CYCLE * poles(LawAndMotion(law, reference, made.model)))
    # past inputs are known: they are no poles, however often they stand among the states
    assert len(bare) == len(made.model.states) + len(law.integrals)
    assert len(found) == len(bare) + len(made.observer.states)
    if not estimated and not delay:
        assert max(np.abs(found - one).min() for one in bare) < 1e-6


@pytest.mark.parametrize(("part", "stable"), [(0.96, True), (1.04, False)])
def test_delay_margin_with_a_filter_is_where_the_crane_begins_to_swing_up(part, stable) -> None:
    made = design("lqr", angle=False)
    reference, law = at_goal(made)
    along = LawAndMotion(law, reference, made.model)
    most = margins_at(along, -1, (), made.observer).delay.most
    # the law by itself stands much more
    assert 0.0 < 2.0 * most < margins_at(along, -1).delay.most
    plant = Deviations(q=reference.q[0] + [0.0, 0.0, 1e-4, 0.0], delay=part * most)
    E = simulate_loop(reference, law, 30.0, plant, made.observer).errors()
    assert bool(E[-200:].max() < E[1000:1200].max()) == stable


def test_sensitivity_with_a_filter_bounds_its_gain_margins() -> None:
    made = design("lqi", 0.0075)
    one = margins_at(made, -1, (), made.observer)
    assert one.stable
    for span in one.gain.values():
        assert span.most >= 1.0 + 1.0 / one.sensitivity
        assert span.least <= max(1.0 - 1.0 / one.sensitivity, 0.01)
    # with no filter less is lost
    assert one.sensitivity > margins_at(made, -1).sensitivity


def test_disturbances_that_cannot_be_told_apart_do_no_harm() -> None:
    # a force on the load and a wrong payload are the same to a winch at rest
    made = design("lqr", 0.0, "force.z")
    both = {"force.z": 50.0, "parameter.m": 50.0}
    independent = made.model.coordinates
    observer = design_observer(made.reference, independent, made.observer.sensors, both)
    found = check_loop(made, "lqr", observer=observer)
    assert all(verdict.passed for verdict in found.verdicts)
    assert len(found.poles["goal"]) == 12
    assert any("force.z, parameter.m are left out" in note for note in found.notes)
    assert len(check_loop(made, "lqr", observer=made.observer).poles["goal"]) == 13


ONE = ["control.kind=lqr", 'control.sensor=[{signal="q.s", noise=1e-3}]']


def test_loop_that_does_not_see_its_hoist_fails(run) -> None:
    code, text, _ = run("check", "overhead", "--set", ONE[0], "--set", ONE[1])
    assert code == 1
    text = " ".join(text.split())
    for end in ("start", "goal"):
        assert (
            f"FAILED closed loop with its filter at the {end}: the filter does not settle" in text
        )
    assert "do not tell v.z, q.z" in text
    assert "sensors, t = 0 to 5 s: everything is observed" in text
    assert "sensors, t = 3 to 8 s: not observed: q.z" in text
    checked = check_scenario(load_scenario("overhead", ONE))
    found = json.loads(json.dumps(checked.as_dict()))["control"]["observability"]
    assert [len(one["not_observed"]) for one in found] == [0, 0, 0, 0, 2]
    page = render(
        load_scenario("overhead"), solve_scenario(load_scenario("overhead", ONE), checked=checked)
    )
    assert "not observed: q.z" in page


def test_verification_says_the_same_before_anything_runs() -> None:
    scenario = load_scenario("overhead", ONE)
    feedback = plant_settings(scenario).feedback
    designed = design_controller(solve_scenario(scenario).feedforward, feedback, None)
    assert [verdict.status for verdict in designed.verdicts] == ["failed", "failed"]
    assert any("not observed: q.z" in line for line in designed.notes)
    assert any("it is not known what the loop with its filter stands" in x for x in designed.notes)
    assert set(designed.notes) <= set(designed.lines)
