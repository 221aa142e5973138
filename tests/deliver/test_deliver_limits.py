"""Limits, uniform time scaling and the shortest duration."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from cranebridge.errors import InputError
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.sampling import sample
from cranebridge.limits import Limits, Range, judge_solution
from cranebridge.path import make_path, tail
from cranebridge.plan.timing import scale_problem, scale_scenario, shortest_duration
from cranebridge.twin.catalogue import find_crane

CASES = {
    "u": ("overhead", {"u": {"F_t": 400.0}}, "u.F_t"),
    "speed": ("overhead", {"v": {"s": 2.0}, "u": {"M_w": 500.0}}, "v.s"),
    "acceleration": ("overhead", {"a": {"l": 1.5}}, "a.l"),
    "rope": ("overhead", {"rope": 860.0}, "rope T_cable pulls"),
    "torque": ("rotary", {"u": {"M_b": 100.0}, "v": {"s": 5.0}}, "u.M_b"),
    "power": ("rotary", {"power": {"M_w": 300.0}, "u": {"M_b": 500.0}}, "power.M_w"),
    "jerk": ("rotary", {"jerk": {"phi": 0.5}}, "jerk.phi"),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_one_percent_faster_violates_and_one_percent_slower_does_not(problem, case):
    name, table, active = CASES[case]
    servo = problem(name)
    limits = Limits.from_mapping(table, servo.crane)
    found = shortest_duration(servo, limits)
    assert found.active.name == active
    assert not found.active.passed
    assert all(verdict.passed for verdict in found.verdicts)
    for factor, keeps in ((0.99, False), (1.0, True), (1.01, True)):
        scaled = scale_problem(servo, factor * found.duration)
        solution = solve_index1(scaled, np.linspace(0.0, scaled.path.duration, 2001))
        verdicts = judge_solution(solution, limits)
        assert all(v.passed for v in verdicts) == keeps
        if not keeps:
            assert active in [v.name for v in verdicts if not v.passed]


def test_free_fall_limits_the_duration_where_no_other_limit_does(problem):
    servo = problem("overhead")
    found = shortest_duration(servo, Limits())
    # the rope has no force then, or the solution none: which is met first is a matter of rounding;
    # the duration is searched for to 5e-5
    assert found.active.name in ("solution", "rope T_cable pulls")
    times = np.linspace(0.0, servo.path.duration, 100_001)
    down = -servo.path.derivatives(times, 2)[2, servo.path.outputs.index("z")].min()
    assert found.duration == pytest.approx(servo.path.duration * math.sqrt(down / 9.81), rel=2e-4)


def test_limits_that_no_duration_can_meet_are_refused(problem):
    servo = problem("overhead")
    # The winch holds 100 kg at a radius of 0.1 m: 98.1 N*m, however slowly it turns.
    for table in ({"u": {"M_w": 98.0}}, {"rope": 982.0}):
        limits = Limits.from_mapping(table, servo.crane)
        with pytest.raises(InputError, match="no duration can meet the limits") as caught:
            shortest_duration(servo, limits)
        assert "\n" not in str(caught.value)


def test_limits_that_restrict_nothing_are_refused(problem):
    servo = problem("overhead")
    with pytest.raises(InputError, match="no limit restricts the duration"):
        shortest_duration(servo, Limits(ropes="ignore"))


def test_a_stretched_path_is_the_path_of_the_stretched_scenario(solved):
    for name in ("overhead", "rotary", "cablev-general"):
        feedforward, tables = solved(name, 0.5)
        servo = feedforward.problem
        for duration in (0.37 * servo.path.duration, 1.7 * servo.path.duration):
            stretched = scale_problem(servo, duration).path
            other = make_path(scale_scenario(tables, duration)["path"], servo.path.outputs)
            assert stretched.duration == pytest.approx(other.duration, rel=1e-15)
            assert stretched.knots == pytest.approx(other.knots, rel=1e-14)
            times = np.random.default_rng(1).uniform(0.0, duration, 200)
            ours, theirs = stretched.derivatives(times, 5), other.derivatives(times, 5)
            scale = np.abs(theirs).max(axis=2, keepdims=True) + 1e-9
            assert (np.abs(ours - theirs) <= 1e-10 * scale).all()


def test_a_stretched_spline_is_the_spline_of_the_stretched_scenario():
    points = [[0.1 * i, -4.0 + 0.02 * i * i] for i in range(7)]
    table = {"kind": "spline", "degree": 5, "knots": [0] * 6 + [0.8] + [2] * 6}
    table |= {"coefficients": points, "moving_start": True, "moving_end": True}
    path = make_path(table, ("x", "z"))
    other = make_path(scale_scenario({"path": table}, 3.0)["path"], ("x", "z"))
    assert other.knots == pytest.approx((0.0, 1.2, 3.0))
    times = np.linspace(0.0, 3.0, 50)
    found, wanted = other.derivatives(times, 2)[2], path.derivatives(times / 1.5, 2)[2] / 1.5**2
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_a_motion_that_starts_moving_is_not_stretched(problem):
    servo = problem("overhead")
    moving = replace(servo, path=tail(servo.path, 1.0))
    with pytest.raises(InputError, match=r"starts moving: with another duration .* velocities"):
        scale_problem(moving, 4.0)
    limits = Limits.from_mapping({"u": {"F_t": 400.0}}, servo.crane)
    with pytest.raises(InputError, match=r"starts moving"):
        shortest_duration(moving, limits)


def test_a_stretched_path_keeps_both_sides_of_its_knots(problem):
    path = scale_problem(problem("rotary"), 17.3).path
    everywhere = path.derivatives(np.linspace(0.0, 17.3, 501), 5)
    scale = np.abs(everywhere).max(axis=(1, 2), keepdims=True)
    for side, inside in (("left", -1e-9), ("right", 1e-9)):
        at = path.derivatives(np.asarray(path.knots), 5, side=side)
        near = path.derivatives(np.asarray(path.knots) + inside, 5)
        assert (np.abs(at - near) <= 1e-6 * scale).all()
    assert path.derivatives(-1.0, 1)[0, :, 0] == pytest.approx([5.0, 0.0, -5.0])
    assert path.derivatives(18.0, 1)[0, :, 0] == pytest.approx([-2.0, 2.0, -2.0])


def test_verdicts_find_the_peak_between_the_times_of_the_grid(problem):
    servo = problem("overhead")
    limits = Limits.from_mapping(
        {"u": {"F_t": 500.0}, "v": {"s": 3.0}, "jerk": {"s": 100.0}}, servo.crane
    )
    coarse, fine = (
        judge_solution(solve_index1(servo, np.linspace(0.0, 3.0, n)), limits) for n in (61, 30001)
    )
    for a, b in zip(coarse, fine, strict=True):
        assert a.name == b.name
        assert a.value == pytest.approx(b.value, rel=1e-4)
        assert a.margin == pytest.approx(a.limit - a.value) or a.name.startswith("rope")


def test_a_verdict_tells_value_limit_margin_and_time(solved):
    feedforward, _ = solved("overhead")
    (force, rope) = judge_solution(feedforward, Limits(u={"F_t": Range(-100.0, 100.0)}))
    samples = sample(feedforward, feedforward.time)
    k = int(np.argmax(np.abs(samples.values["u"][:, 0])))
    assert not force.passed
    assert force.margin == 100.0 - force.value < 0.0
    assert force.time == pytest.approx(samples.time[k], abs=0.01)
    assert force.value >= abs(samples.values["u"][k, 0])
    assert rope.passed
    assert (rope.name, rope.limit, rope.unit) == ("rope T_cable pulls", 0.0, "N")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"torque": {}}, "unknown key of limits 'torque'."),
        ({"jerks": {}}, "Did you mean 'jerk'?"),
        ({"u": {"F_x": 1.0}}, "unknown signal in limits.u 'F_x'. Did you mean 'F_t'?"),
        ({"u": 3.0}, "limits.u must be a table by signal, got 3.0"),
        ({"v": {"s": -1.0}}, "limits.v.s must be a positive number"),
        ({"a": {"s": float("inf")}}, "limits.a.s must be a finite number"),
        ({"power": {"F_t": True}}, "limits.power.F_t must be a finite number, got True"),
        ({"rope": "much"}, "limits.rope must be a finite number, got 'much'"),
        ({"rope": -1.0}, "limits.rope must not be negative: a rope pulls"),
        ({"ropes": "push"}, "limits.ropes must be 'pull' or 'ignore'"),
    ],
)
def test_limits_that_are_none_are_refused(table, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Limits.from_mapping(table, find_crane("overhead"))


def test_the_limits_of_ready_scenarios_are_accepted(solved):
    feedforward, tables = solved("rotary", 0.5)
    limits = Limits.from_mapping(tables["limits"], feedforward.problem.crane)
    assert limits == Limits(ropes="pull", tracking=1e-3)


S_CURVE = {"profile": "s-curve", "speed": 1.5, "acceleration": 0.7, "jerk": 0.4, "higher": [0.9]}


@pytest.mark.parametrize(
    "table",
    [
        {"kind": "line", "start": [0.0, -4.0], "goal": [5.0, -1.0], **S_CURVE},
        {
            "kind": "combined",
            **S_CURVE,
            "parts": [
                {"kind": "line", "outputs": ["x"], "start": [0.0], "goal": [5.0], "jerk": 0.3},
                {"kind": "hold", "outputs": ["z"], "value": [1.0]},
            ],
        },
    ],
)
@pytest.mark.parametrize("factor", [0.37, 1.7])
def test_a_stretched_s_curve_is_the_one_within_the_stretched_limits(table, factor):
    path = make_path(table, ("x", "z"))
    duration = factor * path.duration
    scaled = scale_scenario({"path": table}, duration, now=path.duration)
    other = make_path(scaled["path"], ("x", "z"))
    assert other.duration == pytest.approx(duration, rel=1e-13)
    times = np.linspace(0.0, path.duration, 201)
    ours = path.derivatives(times, 4) / factor ** np.arange(5.0)[:, None, None]
    scale = np.abs(ours).max(axis=(1, 2), keepdims=True)
    found = other.derivatives(factor * times, 4)
    # the fifth derivative is bounded, so rounding of a time beside a knot does no more than this
    assert (np.abs(found - ours) <= 1e-11 * scale).all()


def test_a_path_without_a_duration_cannot_be_scaled():
    with pytest.raises(InputError, match=r"states no duration"):
        scale_scenario({"path": {"kind": "line"}}, 3.0)
    with pytest.raises(InputError, match=r"no \[path\] table"):
        scale_scenario({}, 3.0)
