"""The on-line generator judges every plan: all limits, between the times, too, and from where."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from c_programs import run_sanitized
from cranebridge.deliver import FORMATS
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.index1.solvers import point_solver
from cranebridge.inverse.sampling import sample
from cranebridge.inverse.signal_groups import signals
from cranebridge.limits import Limits, Range, judge_solution
from cranebridge.limits.solution_signals import solution_motion
from cranebridge.online.generator import CHECKS, SLACK, derived_function
from cranebridge.online.status import STATUSES, limit_statuses
from cranebridge.path import Line, three_phase
from cranebridge.path.symbolic import end_points
from cranebridge.plan.timing import scale_problem
from further import mostly_further
from generator_driver import CODES

OK, DONE, BUSY, ELSEWHERE = (CODES[name] for name in ("OK", "DONE", "BUSY", "ELSEWHERE"))


def extremes(problem):
    """Least and largest value of every signal of the exact solution, on a fine grid."""
    solution = solve_index1(problem, np.linspace(0.0, problem.path.duration, 4001))
    known = signals(problem.crane)
    motion = solution_motion(solution, list(known.values()))
    values = {known[title]: column for title, column in motion.values.items()}
    return {s: (x.min(), x.max()) for s, x in values.items() if s.group in limit_statuses()}


CRANES = ["overhead", "rotary", "navy3d-pulley-safe", "cablev-general", "gantry", "quadrotor"]


@pytest.mark.parametrize(
    ("name", "precision", "part"),
    # single precision is another type in the same text, and rounds more: three cranes show it
    mostly_further(
        [(name, "double", 1e-5) for name in CRANES]
        + [(name, "single", 3e-3) for name in CRANES[:3]],
        *(("overhead", "double", 1e-5), ("quadrotor", "double", 1e-5), ("rotary", "single", 3e-3)),
    ),
)
def test_every_limit_is_kept_or_the_plan_is_refused_with_its_kind(generator, name, precision, part):
    """A limit just outside what the exact solution has is kept, one just inside is broken.

    `part` of the signal's largest value is well above what a limit may be missed by (`SLACK`), and
    above what the finest grid of the exact solution misses of a peak, (h omega)^2 / 8 = 1e-7.
    """
    assert part > 10 * SLACK[precision]
    code, problem = generator(name, precision, limits=Limits(ropes="ignore"))
    start, goal = end_points(problem.path)
    judged = 0
    for signal, (low, high) in extremes(problem).items():
        distance = part * max(abs(low), abs(high))
        if high - low <= 10 * distance:
            continue  # it hardly moves
        judged += 1
        kind = limit_statuses()[signal.group].code
        for end, value, outwards in (("least", low, -1.0), ("most", high, 1.0)):
            for sign, expected in ((outwards, OK), (-outwards, kind)):
                before = code.set_limit(end, signal, value + sign * distance)
                found = code.plan(start, goal, problem.path.duration)
                code.set_limit(end, signal, before)
                assert found == expected, (signal.title, end, value, sign)
    assert judged >= 10


@pytest.mark.parametrize("name", CRANES)
def test_rates_of_ropes_and_power_are_their_derivatives(problem, name):
    """Against differences of the signals, and of the ropes against the solution's own rates."""
    servo = problem(name)
    function = derived_function(point_solver(servo).stages)
    h, t = 1e-4, 0.3 * servo.path.duration
    x = sample(solve_index1(servo, np.array([t - h, t, t + h])), np.array([t - h, t, t + h]))
    motion = np.hstack([x.values[group][1] for group in ("q", "v", "a", "lambda", "u")])
    rates = np.hstack([x.values["jerk"][1], x.rates["lambda"][1], x.rates["u"][1]])
    rope_rate, power, power_rate = (
        np.array(part).ravel() for part in function(motion, rates, servo.parameter_vector)
    )
    assert power == pytest.approx(x.values["power"][1], rel=1e-9, abs=1e-9)
    for group, rate in (("rope", rope_rate), ("power", power_rate)):
        slope = (x.values[group][2] - x.values[group][0]) / (2 * h)
        # differences of second order, and rounding of the signal over 2 h
        size = np.abs(slope).max() + np.abs(x.values[group]).max() * 1e-8 / h
        assert np.abs(rate - slope).max() <= 1e-5 * size, group
    assert rope_rate == pytest.approx(x.rates["rope"][1], rel=1e-9, abs=1e-9)


def near_the_axis(problem, distance):
    """A line that passes the slewing axis closely: the boom turns by half a turn in a moment."""
    start, goal, duration = (5.0, distance, -5.0), (-4.7, distance, -5.0), 60.0
    path = Line(problem.path.outputs, start, goal, three_phase(duration, duration / 4))
    return start, goal, duration, replace(problem, path=path)


@pytest.mark.parametrize("title", ["v.phi", "u.M_b", "a.phi", "jerk.phi", "power.M_b"])
def test_a_peak_between_the_first_looks_is_found(generator, title):
    code, problem = generator("rotary", limits=Limits(ropes="ignore"))
    start, goal, duration, near = near_the_axis(problem, 0.03)
    signal = signals(problem.crane)[title]
    at_checks = sample(
        solve_index1(near, np.linspace(0.0, duration, CHECKS + 1)),
        np.linspace(0.0, duration, CHECKS + 1),
    ).value(signal)
    low, high = extremes(near)[signal]
    peak = max(abs(low), abs(high))
    seen = np.abs(at_checks).max()
    assert seen < 0.5 * peak, "the looks at the first grid must miss the peak"
    kind = limit_statuses()[signal.group].code
    for limit, expected in ((0.5 * (seen + peak), kind), (0.999 * peak, kind), (1.001 * peak, OK)):
        code.set_limit("least", signal, -limit)
        code.set_limit("most", signal, limit)
        assert code.plan(start, goal, duration) == expected, limit


def miss(start, goal):
    """How far from the slewing axis a line passes."""
    along = goal[:2] - start[:2]
    part = np.clip(-start[:2] @ along / (along @ along), 0.0, 1.0)
    return float(np.hypot(*(start[:2] + part * along)))


@pytest.mark.parametrize("distance", [0.003, 0.004, 0.01])
def test_a_plan_begins_at_the_load_and_not_where_another_one_was(generator, distance):
    """No rest position is followed from start to goal, which is hard so close to the axis."""
    code, problem = generator("rotary", limits=Limits(ropes="ignore"))
    start, goal, duration, _ = near_the_axis(problem, distance)
    assert code.plan(start, goal, duration) == OK
    assert code.plan(start, goal, duration) == OK, "the load is still at the start"
    for time in np.linspace(0.0, duration, 60001):
        assert code.step(time) in (OK, DONE)
    assert code.plan(goal, start, duration) == OK, "now it is at the goal"


@pytest.mark.parametrize("precision", ["double", "single"])
def test_no_plan_of_many_is_accepted_that_breaks_a_limit(generator, precision):
    """Random lines, also close to the slewing axis, each with limits a little too tight."""
    code, problem = generator("rotary", precision, limits=Limits(ropes="ignore"))
    random = np.random.default_rng(11)
    known = [s for s in signals(problem.crane).values() if s.group in limit_statuses()]
    judged = 0
    for k in range(20):
        start, goal = random.uniform((-6.0, -6.0, -8.0), (6.0, 6.0, -2.0), (2, 3)).round(1)
        if k % 2:
            goal[:2] = (0.2 - 0.9 * start[:2]).round(1)
        duration = float(random.uniform(10.0, 40.0))
        path = Line(
            problem.path.outputs, tuple(start), tuple(goal), three_phase(duration, duration / 4)
        )
        code.restart()
        if miss(start, goal) < 0.1 or code.plan(start, goal, duration) != OK:
            continue  # too close for the solution in Python, which does not adapt its steps
        found = extremes(replace(problem, path=path))
        for signal in random.choice(np.array(known, dtype=object), 8, replace=False):
            low, high = found[signal]
            inside = 5e-3 * max(abs(low), abs(high))
            if high - low < 10.0 * inside:
                continue
            for end, value in (("least", low + inside), ("most", high - inside)):
                before = code.set_limit(end, signal, value)
                answer = code.plan(start, goal, duration)
                code.set_limit(end, signal, before)
                assert answer == limit_statuses()[signal.group].code, (signal.title, start, goal)
                judged += 1
    assert judged > 100


@pytest.mark.parametrize("distance", [0.003, 0.01, 0.03])
def test_long_cycles_end_in_the_same_configuration_as_short_ones(generator, distance):
    """Close to the axis a step from far could end with the boom on the other side."""
    code, problem = generator("rotary", limits=Limits(ropes="ignore"))
    start, goal, duration, _ = near_the_axis(problem, distance)
    ends = {}
    for cycle in (1e-3, 0.05, 0.5, 2.0, 60.0):
        code.restart()
        assert code.plan(start, goal, duration) == OK
        for time in np.arange(0.0, duration, cycle):
            assert code.step(time) == OK
        assert code.step(duration) == DONE
        ends[cycle] = code.signals()["q"]
        assert ends[cycle] == pytest.approx(ends[1e-3], abs=1e-9), cycle
    # half a turn, and the trolley on the positive side
    assert ends[1e-3][0] == pytest.approx(np.arctan2(distance, -4.7), abs=1e-9)
    assert ends[1e-3][1] == pytest.approx(np.hypot(distance, 4.7), abs=1e-9)


def test_a_motion_too_quick_for_the_looks_is_refused(generator):
    """A tenth of a millimetre from the axis the boom turns within 1 ms: too quick to be judged."""
    code, problem = generator("rotary", limits=Limits(ropes="ignore"))
    start, goal, duration, _ = near_the_axis(problem, 1e-4)
    assert code.plan(start, goal, duration) == CODES["TOO_QUICK"]


def test_limits_of_the_scenario_hold_for_every_plan(generator):
    limits = Limits(u={"F_t": Range(-600.0, 600.0)}, rope={"T_cable": Range(700.0)})
    code, problem = generator("overhead", limits=limits)
    start, goal = end_points(problem.path)
    assert code.plan(start, goal, 3.0) == OK
    assert code.plan(start, goal, 2.2) == CODES["INPUT_LIMIT"]
    code, problem = generator("overhead", limits=Limits(rope={"T_cable": Range(840.0)}))
    assert code.plan((0.0, -1.0), (0.0, -4.0), 1.9) == CODES["ROPE_LIMIT"]
    limits = Limits(rope={"T_cable": Range(0.0, 1200.0)})
    code, problem = generator("overhead", limits=limits, allow_violations=True)
    # 100 kg over 3 m: the most is 100 (9.81 + 9.37 * 3 / T^2), 1157 N in 4 s and 1293 N in 3 s
    assert code.plan((0.0, -1.0), (0.0, -4.0), 4.0) == OK
    assert code.plan((0.0, -1.0), (0.0, -4.0), 3.0) == CODES["ROPE_LIMIT"]


@pytest.mark.parametrize(
    ("group", "name", "bound", "status"),
    [
        ("u", "M_w", Range(-110.0, -85.0), "INPUT_LIMIT"),
        ("q", "s", Range(-0.1, 5.1), "POSITION_LIMIT"),
        ("v", "l", Range(-1.5, 0.01), "VELOCITY_LIMIT"),
        ("a", "s", Range(-4.0, 4.0), "ACCELERATION_LIMIT"),
        ("jerk", "s", Range(-25.0, 25.0), "JERK_LIMIT"),
        ("power", "F_t", Range(-500.0, 700.0), "POWER_LIMIT"),
    ],
)
def test_the_judge_of_solutions_and_the_generator_agree_at_every_duration(
    generator, group, name, bound, status
):
    limits = Limits(**{group: {name: bound}})
    code, problem = generator("overhead", limits=limits, allow_violations=True)
    start, goal = end_points(problem.path)
    answers = []
    for duration in (2.0, 2.5, 3.0, 4.0, 8.0):
        slower = scale_problem(problem, duration)
        verdicts = judge_solution(solve_index1(slower, np.linspace(0.0, duration, 301)), limits)
        kept = all(verdict.passed for verdict in verdicts)
        answers.append(code.plan(start, goal, duration))
        assert answers[-1] == (OK if kept else CODES[status]), duration
    assert {OK, CODES[status]} == set(answers)


@pytest.mark.parametrize("precision", ["double", "single"])
def test_a_plan_that_is_under_way_is_not_replaced(generator, precision):
    code, problem = generator("overhead", precision)
    start, goal = end_points(problem.path)
    other = (1.0, -3.0)
    assert code.plan(start, other, 3.0) == OK
    assert code.plan(other, goal, 3.0) == OK, "nothing was stepped yet: the load may be anywhere"
    assert code.plan(start, goal, 3.0) == OK
    rows = []
    for time in (0.0, 1.0, 2.0):
        assert code.step(time) == OK
        rows.append(code.signals()["u"])
        assert code.plan(start, goal, 3.0) == BUSY
        assert code.plan(goal, start, 3.0) == BUSY
        assert code.step(time) == OK, "the motion goes on"
        assert code.signals()["u"] == pytest.approx(rows[-1], rel=1e-6)
    exact = solve_index1(problem, np.array([0.0, 1.0, 2.0])).u
    assert np.array(rows) == pytest.approx(exact, rel=1e-4, abs=1e-3)
    assert code.step(3.0) == DONE
    assert code.plan(goal, start, 3.0) == OK
    assert code.plan(goal, other, 3.0) == OK, "not begun yet"
    assert code.step(0.1) == OK
    assert code.plan(goal, other, 3.0) == BUSY
    code.restart()
    assert code.plan(start, goal, 3.0) == OK


@pytest.mark.parametrize(("precision", "part"), [("double", 1e-6), ("single", 1e-4)])
def test_a_plan_starts_where_the_load_is(generator, precision, part):
    code, problem = generator("overhead", precision)
    start, goal = end_points(problem.path)
    assert code.plan(start, goal, 3.0) == OK
    assert code.step(3.0) == DONE
    rest = code.signals()
    assert code.plan(start, goal, 3.0) == ELSEWHERE
    # trolley and rope are at 5 m and 1 m; `part` of 1 + the value is allowed
    assert code.plan((5.0 + 12 * part, -1.0), start, 3.0) == ELSEWHERE
    assert code.plan((5.0, -1.0 - 4 * part), start, 3.0) == ELSEWHERE
    assert code.step(3.0) == DONE
    assert code.signals()["u"] == pytest.approx(rest["u"], abs=1e-6)
    assert code.plan((5.0 + 3 * part, -1.0 + part), start, 3.0) == OK


def test_a_boom_a_whole_turn_further_is_elsewhere(generator):
    """The load is at the same place, but the boom's reference would jump by a turn."""
    code, problem = generator("rotary-long")
    start, goal = end_points(problem.path)
    duration = problem.path.duration
    assert code.plan(start, goal, duration) == OK
    assert code.step(duration) == DONE
    turned = (goal[0], goal[1] + 2.0 * np.pi, goal[2])
    assert code.plan(turned, start, 2 * duration) == ELSEWHERE
    assert code.plan(goal, start, duration) == OK


DRIVER = """\
#include <stdio.h>
#include "online.h"

int main(void)
{
    static online_state state;
    online_output output;
    const online_real start[] = {START}, goal[] = {GOAL};
    int i, sum = 0;
    if (online_init(&state) < 0) return 2;
    for (i = 1; i <= 4; i++)
        sum += online_plan(&state, start, goal, (online_real)(i * DURATION / 4));
    state.most.v[0] = (online_real)1e-3;
    sum += online_plan(&state, start, goal, (online_real)DURATION);
    for (i = 0; i <= 10; i++)
        sum += online_step(&state, (online_real)(0.1 * i * DURATION), &output);
    sum += online_plan(&state, start, goal, (online_real)DURATION);
    printf("%d\\n", sum);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("name", "precision"), [("overhead", "single"), ("navy3d-pulley-safe", "double")]
)
def test_plans_with_sanitizers(generator, tmp_path: Path, name, precision):
    code, problem = generator(name, precision)
    start, goal = (", ".join(map(repr, end)) for end in end_points(problem.path))
    text = DRIVER.replace("START", start).replace("GOAL", goal)
    (tmp_path / "driver.c").write_text(text.replace("DURATION", repr(problem.path.duration)))
    for file in ("online.c", "online.h"):
        shutil.copy(code.folder / file, tmp_path)
    assert int(run_sanitized([tmp_path / "driver.c", tmp_path / "online.c"])) < 0


def test_the_header_names_every_answer(generator):
    code, _ = generator("overhead")
    header = (code.folder / "online.h").read_text()
    for status in STATUSES:
        assert f"online_{status.name} = {status.code}" in header
        assert status.meaning in header
    assert len({status.code for status in STATUSES}) == len(STATUSES)


def test_a_jump_in_time_ends_in_the_same_configuration_as_small_steps(generator):
    """From the start straight to the end the boom must not be a turn off."""
    code, problem = generator("rotary-long")
    start, goal = end_points(problem.path)
    duration = problem.path.duration
    exact = solve_index1(problem, np.linspace(0.0, duration, 401)).q
    assert code.plan(start, goal, duration) == OK
    assert code.step(duration) == DONE
    assert code.signals()["q"] == pytest.approx(exact[-1], abs=1e-9)
    assert code.step(0.0) == OK
    assert code.signals()["q"] == pytest.approx(exact[0], abs=1e-9)


def test_the_documents_list_every_answer_and_format():
    text = (Path(__file__).parents[2] / "docs" / "delivery.md").read_text()
    for status in STATUSES:
        assert f"| {status.code} | `{status.name}` | {status.meaning} |" in text
    for name in FORMATS:
        assert f"`{name}`" in text.split("Columns are groups")[0]


def test_a_motion_may_begin_and_end_exactly_at_a_limit(generator):
    """A trolley that goes from one stop to the other, slowly enough to stay between."""
    limits = Limits(q={"s": Range(0.0, 5.0), "l": Range(1.0, 4.0)})
    code, problem = generator("overhead", limits=limits, allow_violations=True)
    start, goal = end_points(problem.path)
    assert code.plan(start, goal, 2.0) == CODES["POSITION_LIMIT"]
    assert code.plan(start, goal, 8.0) == OK
