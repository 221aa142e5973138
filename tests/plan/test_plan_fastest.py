"""The fastest profile: closed forms, exact solutions, and keys that can be copied."""

from dataclasses import replace

import numpy as np
import pytest

from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.limits import Limits, judge_solution
from cranebridge.path import averaged, make_path, three_phase
from cranebridge.path.profiles.scurve import peak_slope
from cranebridge.plan import fastest_profile, shortest_duration
from cranebridge.plan.profile.duration_estimate import AveragedStep, DurationEstimator
from cranebridge.plan.profile.fastest import retimed, rounded, with_keys
from cranebridge.scenario import load_scenario

# Crane, distance and limits of the time-optimal overhead crane, on its straight line.
TRANSPORT = (
    "overhead",
    "path.start=[0.0, -5.0]",
    "path.goal=[10.0, -3.0]",
    "limits.u={F_t = 300.0, M_w = [-150.0, -50.0]}",
    "limits.v={s = 2.5, l = 1.0}",
    "limits.rope=98.1",
)
SLEWING = ("rotary", "limits.v={s = 0.8, phi = 0.25}", "limits.u={M_b = 200.0}")
SPIRAL = ("rotary-long", "limits.u={M_b = 2e5}")
# The trolley's jerk is the largest just before the end, where the rope is long.
LOWERED = ("path.start=[0.0, -1.0]", "path.goal=[5.0, -4.0]")
JERK = ("overhead", *LOWERED, "limits.jerk={s = 20.0}")
PARTS = ("cablev-general", "limits.a={r_x = 0.1, phi_1 = 0.01}")


@pytest.fixture(scope="module")
def found():
    """Return scenario and result, each made once."""
    known = {}

    def find(case):
        if case not in known:
            scenario = load_scenario(case[0], list(case[1:]))
            known[case] = (
                scenario,
                fastest_profile(scenario.problem, scenario.limits, scenario.tables.path),
            )
        return known[case]

    return find


@pytest.mark.parametrize(
    "windows", [(1.0,), (0.75, 0.25), (0.5, 0.375, 0.125), (0.5625, 0.25, 0.125, 0.0625)]
)
@pytest.mark.parametrize("steps", [0, 1, 3])
def test_averages_in_floating_point_are_the_exact_ones(windows, steps):
    quick, exact = AveragedStep(windows=windows, steps=steps), averaged(windows, steps)
    np.testing.assert_allclose(quick.knots, exact.knots, atol=1e-12)
    t = np.linspace(0.001, 0.999, 331)
    ours, theirs = quick.derivatives(t, 5), exact.derivatives(t, 5)
    # what is lost to cancellation: a few roundings of the largest term, 1 / (product of windows)
    scale = np.abs(theirs).max(axis=1)[:, None] + 1.0
    assert (np.abs(ours - theirs) <= 1e-11 * scale).all()
    for side in ("left", "right"):
        knots = np.array(exact.knots)
        ours, theirs = (p.derivatives(knots, 5, side)[1:] for p in (quick, exact))
        assert (np.abs(ours - theirs) <= 1e-9 * (np.abs(theirs).max(axis=1)[:, None] + 1)).all()


@pytest.mark.parametrize("case", [TRANSPORT, SLEWING, SPIRAL, JERK])
def test_quick_look_agrees_with_the_exact_shortest_duration(found, case):
    scenario, result = found(case)
    look = DurationEstimator(scenario.problem, scenario.limits)
    duration = look.shortest(scenario.problem.path, 3.0 * scenario.problem.path.duration)
    # 256 times see peaks to a thousandth, and the speed of a slewing jib to some thousandths
    assert duration == pytest.approx(result.own.duration, rel=5e-3)
    finer = look.shortest(scenario.problem.path, duration, times=2048)
    assert finer == pytest.approx(result.own.duration, rel=5e-4)


@pytest.mark.parametrize("case", [TRANSPORT, SLEWING, SPIRAL, PARTS])
def test_keys_of_every_candidate_give_a_motion_that_keeps_all_limits(found, case):
    scenario, result = found(case)
    assert result.candidates
    for candidate in result.candidates:
        table = with_keys(scenario.tables.path, candidate.keys)
        path = make_path(table, scenario.problem.path.outputs)
        assert path.duration == candidate.duration
        assert path.smoothness() >= scenario.problem.path.smoothness()
        for output, ends in zip(path.outputs, path([0.0, path.duration]), strict=True):
            wanted = scenario.problem.path([0.0, scenario.problem.path.duration])
            assert ends == pytest.approx(wanted[path.outputs.index(output)], abs=1e-9)
        problem = replace(scenario.problem, path=path)
        solution = solve_index1(problem, np.linspace(0.0, path.duration, 3001))
        assert all(verdict.passed for verdict in judge_solution(solution, scenario.limits))


@pytest.mark.parametrize("case", [TRANSPORT, SLEWING, SPIRAL])
def test_candidates_are_at_their_own_shortest_duration(found, case):
    scenario, result = found(case)
    for candidate in result.candidates:
        exact = shortest_duration(candidate.problem, scenario.limits)
        assert candidate.duration == pytest.approx(exact.duration, rel=1.5e-3)
        assert candidate.active is not None
        assert not candidate.active.passed


def test_candidates_are_ranked_and_compared_with_the_own_profile(found):
    _, result = found(TRANSPORT)
    durations = [candidate.duration for candidate in result.candidates]
    assert durations == sorted(durations)
    assert result.best is result.candidates[0]
    assert {candidate.profile for candidate in result.candidates} == {
        "polynomial",
        "three-phase",
        "s-curve",
    }
    # the path's own profile is a polynomial
    own = next(c for c in result.candidates if c.profile == "polynomial")
    assert own.duration == pytest.approx(result.own.duration, rel=1.5e-3)
    # as docs/methods.md says; the time-optimal motion that may leave the line takes 4.1412 s
    named = {candidate.profile: candidate.duration for candidate in result.candidates}
    assert named["polynomial"] == pytest.approx(7.77, abs=0.006)
    assert named["three-phase"] == pytest.approx(6.01, abs=0.02)
    assert named["s-curve"] == pytest.approx(5.73, abs=0.05)  # a search in three shares
    assert result.best.duration > 4.1412


def test_three_phase_profile_has_the_best_ramp(found):
    scenario, result = found(TRANSPORT)
    best = next(c for c in result.candidates if c.profile == "three-phase")
    for share in (0.2, 0.3, 0.36, 0.45):
        path = retimed(scenario.problem.path, three_phase(1.0, share, 4))
        exact = shortest_duration(replace(scenario.problem, path=path), scenario.limits)
        # the search sees peaks to a thousandth, and so does it see the best share
        assert best.duration <= exact.duration * (1 + 1.5e-3)


def test_limits_of_the_load_alone_lead_to_closed_forms():
    # A load that hangs still moves as its path does: with limits of its speed and acceleration
    # along x the best is L / V + V / A, the three-phase profile needs peaks of 35 / 16 for it.
    distance, speed, acceleration = 10.0, 1.0, 0.5
    sets = ["path.start=[0.0, -4.0]", "path.goal=[10.0, -4.0]"]
    scenario = load_scenario("overhead", sets)
    limits = Limits.from_mapping(
        {"v": {"x": speed}, "a": {"x": acceleration}}, scenario.problem.crane
    )
    result = fastest_profile(scenario.problem, limits, scenario.tables.path)
    durations = {candidate.profile: candidate.duration for candidate in result.candidates}
    three = distance / speed + float(peak_slope(3)) * speed / acceleration
    assert durations["three-phase"] == pytest.approx(three, rel=1e-3)
    bound = distance / speed + speed / acceleration
    # an S-curve gets there as its jerks grow; the least share of a window is what is left
    assert bound < durations["s-curve"] < 1.01 * bound
    polynomial = float(peak_slope(4)) * distance / speed
    assert durations["polynomial"] == pytest.approx(polynomial, rel=1e-3)


def test_s_curves_are_left_out_on_a_spiral_and_all_others_on_waypoints(found):
    _, result = found(SPIRAL)
    assert {candidate.profile for candidate in result.candidates} == {"polynomial", "three-phase"}
    table = {"kind": "waypoints", "points": [[0.0, -4.0], [2.0, -3.0], [5.0, -4.0]], "duration": 6}
    scenario = load_scenario("overhead", ["limits.u={F_t = 300.0}"])
    path = make_path(table, ("x", "z"))
    problem = replace(scenario.problem, path=path)
    result = fastest_profile(problem, scenario.limits, table)
    assert result.candidates == ()
    assert result.best is None
    assert result.as_dict()["profiles"] == []


def test_s_curves_are_left_out_on_a_line_in_metres_and_radians():
    scenario = load_scenario("cablev-translate")
    outputs = scenario.problem.path.outputs
    start, goal = scenario.problem.path([0.0, scenario.problem.path.duration]).T
    table = {"kind": "line", "start": start.tolist(), "goal": goal.tolist(), "duration": 20.0}
    problem = replace(scenario.problem, path=make_path(table, outputs))
    limits = Limits.from_mapping({"v": {"r_x": 0.1, "r_y": 0.1, "r_z": 0.1}}, problem.crane)
    result = fastest_profile(problem, limits, table)
    assert {candidate.profile for candidate in result.candidates} == {"polynomial", "three-phase"}


def test_parts_of_a_combined_path_get_their_own_limits_and_move_together(found):
    _, result = found(PARTS)
    best = result.best
    assert best.profile == "s-curve"
    moving = [part for part in best.problem.path.parts if part.smoothness() < 10]
    assert len(moving) == 2
    assert moving[0].duration == pytest.approx(moving[1].duration, rel=1e-4)
    assert best.duration < result.own.duration


@pytest.mark.parametrize(
    ("value", "up", "wanted"),
    [
        (1.234567, False, 1.2345),
        (1.234567, True, 1.2346),
        (98765.4, True, 98766.0),
        (0.00123456, False, 0.0012345),
    ],
)
def test_keys_have_few_digits(value, up, wanted):
    assert rounded(value, up) == wanted
