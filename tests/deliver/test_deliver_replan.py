"""New goals and stops while moving, and shortest durations, in the generated C."""

from __future__ import annotations

import math
import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from fading_path import FadingPath, differentiate, evaluate, fading, hermite, stopping
from generator_driver import CODES, Generator
from roomy_limits import limits_around
from test_deliver_generator import worst_errors

from cranebridge.deliver import Order, deliver
from cranebridge.deliver import generator as generating
from cranebridge.deliver.generator_path_c import control_weights, stop_weights
from cranebridge.inverse.index1 import point_solver, solve_index1
from cranebridge.limits import judge_solution
from cranebridge.path.symbolic import end_points
from cranebridge.plan.timing import shortest_duration
from cranebridge.twin import equations_of_motion

OK, DONE, BUSY, NO_PLAN, BAD_ARGUMENT = (
    CODES[name] for name in ("OK", "DONE", "BUSY", "NO_PLAN", "BAD_ARGUMENT")
)

@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Generators by scenario, precision and limits, each delivered and compiled once."""
    return {}, tmp_path_factory


@pytest.fixture
def moving(built, solved, compile_c):
    """A generator with limits on everything, its problem, limits and folder."""

    def make(name, precision="double", without=()):
        made, folders = built
        if (name, precision, without) not in made:
            folder = folders.mktemp("generator")
            feedforward, tables = solved(name, 0.01)
            limits = limits_around(feedforward, without)
            options = {"scenario": tables, "limits": limits, "precision": precision}
            order = Order("generator", folder / "online.c", allow_violations=True, **options)
            deliver(feedforward, order)
            library = compile_c(folder / "online.c")
            made[name, precision, without] = library, feedforward.problem, limits, folder
        library, problem, limits, folder = made[name, precision, without]
        return Generator(library, problem, precision), problem, limits, folder

    return make


def random_state(random, k):
    """Derivatives 0 to k as fractions."""
    return [Fraction(int(n), 64) for n in random.integers(-200, 200, k + 1)]


@pytest.mark.parametrize("k", [1, 2, 4, 6])
def test_control_points_are_those_of_the_hermite_polynomial(k):
    """Against a linear system, in exact arithmetic."""
    start, duration = random_state(np.random.default_rng(k), k), Fraction(7, 3)
    goal, n = Fraction(5, 4), 2 * k + 1
    exact = hermite(start, [goal] + [Fraction(0)] * k, duration)
    points = [
        sum(w * duration**i * start[i] for i, w in enumerate(row)) for row in control_weights(k)
    ] + [goal] * (k + 1)
    for x in (Fraction(0), Fraction(1, 7), Fraction(1, 2), Fraction(9, 10), Fraction(1)):
        bernstein = sum(
            math.comb(n, j) * x**j * (1 - x) ** (n - j) * b for j, b in enumerate(points)
        )
        assert bernstein == evaluate(exact, x * duration)


@pytest.mark.parametrize("k", [1, 2, 4, 6])
def test_a_stop_has_the_end_that_needs_the_least(k):
    """The integral of the square of derivative k + 1 is a parabola over the end: its vertex."""
    start, duration = random_state(np.random.default_rng(k), k), Fraction(7, 3)
    weights = enumerate(stop_weights(k))
    end = start[0] + sum(w * duration ** (i + 1) * start[i + 1] for i, w in weights)
    assert evaluate(stopping(start, duration), duration) == end

    def effort(goal):
        high = differentiate(hermite(start, [goal] + [Fraction(0)] * k, duration), k + 1)
        square = [Fraction(0)] * (2 * len(high) - 1)
        for i, a in enumerate(high):
            for j, b in enumerate(high):
                square[i + j] += a * b
        return sum(a * duration ** (i + 1) / (i + 1) for i, a in enumerate(square))

    assert effort(end - 1) == effort(end + 1) > effort(end)


PROBE = """\
#include "online.c"
#include <stdio.h>
int main(void)
{
    static beginning from;
    static online_motion plan;
    static const real given[] = {GIVEN}, goal[] = {TARGET};
    real own[online_OUTPUTS * (ORDER + 1)];
    int i, k;
    memcpy(from.own, given, sizeof given);
    memcpy(plan.goal, goal, sizeof goal);
    from.stopping = STOPPING;
    plan.moving = 1;
    set_duration(&from, (real)DURATION, (real)FADE, &plan);
    for (k = 0; k <= 32; k++) {
        own_at(&plan, (real)k / 32, 1, given, own);
        for (i = 0; i < online_OUTPUTS * (ORDER + 1); i++) printf("%.17g ", (double)own[i]);
        printf("\\n");
    }
    return 0;
}
"""


@pytest.mark.parametrize(
    ("name", "precision", "digits", "stop"),
    [
        ("overhead", "double", 53, True),
        ("overhead", "double", 53, False),
        ("overhead", "single", 24, True),
        ("overhead", "single", 24, False),
        ("double-pendulum", "double", 53, False),
    ],
)
def test_polynomials_in_c_are_those_of_exact_arithmetic(
    moving, tmp_path, name, precision, digits, stop
):
    """A derivative of order m is a difference of order m of points that are rounded relative to the
    largest of them, b: 2^m n! / (n - m)! b / T^m times a few roundings (de Casteljau has n steps).
    """
    _, problem, _, folder = moving(name, precision)
    stages = point_solver(problem).stages
    k, order = max(stages.structure.path_derivatives.values()), stages.path_order
    random = np.random.default_rng(7)
    count, duration, fade = len(problem.path.outputs), 2.5, 1.25 if not stop else 2.5
    state, goal = random.integers(-64, 64, (k + 1, count)) / 32.0, random.integers(-9, 9, count) / 4.0
    given = np.zeros((order + 1, count))
    given[: k + 1] = state
    values = {"GIVEN": given.ravel().tolist(), "TARGET": goal.tolist()}
    text = PROBE
    for key, numbers in values.items():
        text = text.replace(key, ", ".join(map(repr, numbers)))
    for key, number in (("STOPPING", int(stop)), ("DURATION", duration), ("FADE", fade)):
        text = text.replace(key, repr(number))
    (tmp_path / "probe.c").write_text(text)
    program = tmp_path / "probe"
    files = [f"-I{folder}", str(tmp_path / "probe.c"), "-o", str(program)]
    command = ["gcc", "-std=c99", "-O0", *files, "-lm"]
    subprocess.run(command, check=True, capture_output=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    found = np.array([line.split() for line in done.stdout.splitlines()], dtype=float)
    found = found.reshape(33, order + 1, count)
    path = FadingPath(
        problem.path.outputs,
        tuple(map(tuple, state.T.tolist())),
        None if stop else tuple(goal.tolist()),
        duration,
        fade,
    )
    for i, row in enumerate(path.start):
        exact = None if stop else Fraction(goal[i])
        pieces = fading([Fraction(x) for x in row], exact, Fraction(duration), Fraction(fade))
        size = max(abs(float(evaluate(p, Fraction(t)))) for p in pieces for t in (0, fade, duration))
        for m in range(order + 1):
            n = 2 * k + 1
            scale = 2.0**m * math.perm(n, m) * size / fade**m
            for j in range(33):
                piece = pieces[j / 32 > fade / duration]
                wanted = float(evaluate(differentiate(piece, m), Fraction(j, 32) * Fraction(duration)))
                assert abs(found[j, m, i] - wanted) <= 4 * n * 2.0**-digits * scale


def continued(problem, code, time, goal):
    """The path in Python that a plan which begins at a time of the problem's path has."""
    plan = code.read_plan()
    k = max(point_solver(problem).stages.structure.path_derivatives.values())
    state = problem.path.derivatives(time, k)[:, :, 0]
    seconds = float(plan["duration"][0])
    start = tuple(map(tuple, state.T.tolist()))
    fade = seconds * float(plan["fade"][0])
    return FadingPath(problem.path.outputs, start, goal, seconds, fade)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("overhead", 0.3),
        ("overhead", 0.55),
        ("overhead", 0.8),
        ("rotary", 0.3),
        ("rotary", 0.8),
        ("navy3d-pulley-safe", 0.55),
    ],
)
def test_a_new_goal_and_a_stop_are_the_index_1_solution_of_their_path(moving, name, part):
    code, problem, _, _ = moving(name)
    start, goal = end_points(problem.path)
    time = part * problem.path.duration
    for target in (start, None):
        code.restart()
        assert code.plan(start, goal, problem.path.duration) == OK
        assert code.step(time) == OK
        assert (code.stop(time) if target is None else code.replan(time, target)) == OK
        path = continued(problem, code, time, target and tuple(target))
        errors = worst_errors(
            code, replace(problem, path=path), np.linspace(0.0, path.duration, 201)
        )
        # exact derivatives here, differences of rounded points there; see the test above
        assert max(errors.values()) <= 1e-9, errors
        assert code.step(path.duration) == DONE
        assert np.abs(code.signals()["v"]).max() < 1e-9


def keeps(problem, path, limits):
    try:
        solution = solve_index1(replace(problem, path=path), np.linspace(0.0, path.duration, 401))
    except Exception as error:  # noqa: BLE001 - too quick to be solved
        assert "singular" in str(error) or "Newton" in str(error)
        return False
    return all(verdict.passed for verdict in judge_solution(solution, limits))


NO_OTHERS = ("u", "v", "a", "power", "q", "rope")


@pytest.mark.parametrize(
    ("name", "part", "stop", "without"),
    [
        ("overhead", 0.6, True, ()),
        ("overhead", 0.6, False, ()),
        ("rotary", 0.6, False, ()),
        ("rotary", 0.55, False, NO_OTHERS),  # jerks jump where the first motion has faded
    ],
)
def test_durations_are_the_shortest_of_their_family(moving, name, part, stop, without):
    """Against a bisection in Python: the next shorter duration is 1.5e-3 shorter at most."""
    code, problem, limits, _ = moving(name, without=without)
    start, goal = end_points(problem.path)
    time = part * problem.path.duration
    assert code.plan(start, goal, problem.path.duration) == OK
    assert code.step(time) == OK
    assert (code.stop(time) if stop else code.replan(time, start)) == OK
    found = continued(problem, code, time, None if stop else tuple(start))
    whole = found.fade == found.seconds
    assert whole == stop

    def feasible(seconds):
        fade = seconds if whole else found.fade
        return keeps(problem, replace(found, seconds=seconds, fade=fade), limits)

    refused, accepted = found.seconds / generating.LONGER, found.seconds
    assert feasible(accepted)
    assert not feasible(refused)
    while accepted - refused > 1e-4 * found.seconds:
        middle = 0.5 * (refused + accepted)
        refused, accepted = (refused, middle) if feasible(middle) else (middle, accepted)
    step = (generating.LONGER - 1.0) / 2**generating.HALVINGS
    assert found.seconds * (1.0 - step - 2e-4) <= accepted <= found.seconds
    if not whole:  # nor would one polynomial over all of the time be quicker
        shorter = found.seconds * (1.0 - 2.0 * step)
        assert not keeps(problem, replace(found, seconds=shorter, fade=shorter), limits)
    # nor is one of the shorter durations that were tried
    seconds = found.seconds / 4.0
    while seconds < refused / generating.LONGER:
        assert not keeps(problem, replace(found, seconds=seconds, fade=seconds), limits)
        seconds *= generating.LONGER**2


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("name", ["overhead", "rotary"])
def test_from_rest_to_rest_in_the_shortest_time(moving, name, precision):
    """Against the bisection of `check --shortest`, which leaves 1e-3 as well."""
    code, problem, limits, _ = moving(name, precision)
    start, goal = end_points(problem.path)
    assert code.plan_shortest(start, goal) == OK
    duration = float(code.read_plan()["duration"][0])
    assert duration == pytest.approx(shortest_duration(problem, limits).duration, rel=4e-3)
    assert code.step(duration) == DONE
    assert code.signals()["gamma"] == pytest.approx(goal, rel=1e-6)


def test_what_is_refused_and_why(moving):
    code, problem, _, _ = moving("overhead")
    start, goal = end_points(problem.path)
    assert code.replan(0.0, goal) == NO_PLAN
    assert code.stop(0.0) == NO_PLAN
    assert code.plan(start, goal, 3.0) == OK
    assert code.step(1.0) == OK
    before = code.signals()["u"]
    nan = float("nan")
    for answer, status in (
        (code.replan(1.0, (nan, -2.0)), "BAD_ARGUMENT"),
        (code.replan(nan, goal), "BAD_ARGUMENT"),
        (code.stop(float("inf")), "BAD_ARGUMENT"),
        (code.stop(0.999), "PAST"),
        (code.replan(1.0, (5.0, 1.0)), "NO_DURATION"),  # above the rail
        (code.replan(1.0, (50.0, -2.0)), "NO_DURATION"),  # beyond the end of the rail
        (code.plan(start, goal, 3.0), "BUSY"),
        (code.plan_shortest(start, goal), "BUSY"),
    ):
        assert answer == CODES[status]
        assert code.step(1.0) == OK
        assert code.signals()["u"] == pytest.approx(before, rel=1e-12)
    assert code.stop(1.25) == OK, "a plan may begin later than the last step"
    assert code.plan(start, goal, 3.0) == BUSY
    assert code.plan_shortest(start, goal) == BUSY


def test_after_a_stop_the_next_plan_begins_where_the_load_rests(moving):
    code, problem, _, _ = moving("rotary-long")
    start, goal = end_points(problem.path)
    assert code.plan(start, goal, problem.path.duration) == OK
    assert code.step(11.0) == OK
    assert code.stop(11.0) == OK
    plan = code.read_plan()
    rest = plan["goal"]
    assert code.step(float(plan["duration"][0])) == DONE
    assert code.plan(start, goal, problem.path.duration) == CODES["ELSEWHERE"]
    assert code.plan_shortest(rest, goal) == OK
    assert code.step(0.0) == OK


def test_a_search_without_a_limit_is_refused(generator):
    code, problem = generator("overhead")
    start, goal = end_points(problem.path)
    assert code.plan_shortest(start, goal) == CODES["UNLIMITED"]
    assert code.plan(start, goal, 3.0) == OK
    assert code.step(1.0) == OK
    assert code.stop(1.0) == CODES["UNLIMITED"]


def test_a_search_has_a_bounded_number_of_solutions(moving, generator, monkeypatch):
    _, _, limits, _ = moving("overhead")
    monkeypatch.setattr(generating, "BUDGET", 20)
    code, problem = generator("overhead", limits=limits, allow_violations=True)
    start, goal = end_points(problem.path)
    assert code.plan(start, goal, 3.0) == OK
    assert code.step(1.0) == OK
    assert code.stop(1.0) == CODES["SEARCH_ENDED"]
    assert code.replan(1.0, start) == CODES["SEARCH_ENDED"]
    assert code.step(1.0) == OK


@pytest.mark.parametrize("name", ["rotary-long", "cablev-general"])
def test_other_coordinates_are_continued_too(moving, name):
    """Radius and angle around the tower, and the angles of a platform that turns."""
    code, problem, _, _ = moving(name, without=("power",))
    start, goal = end_points(problem.path)
    turn = 2.0 * math.pi
    turns = {"rotary-long": [0.0] * 3, "cablev-general": [0.0] * 3 + [0.0, 0.0, turn] + [0.0]}
    duration = problem.path.duration
    for part in (0.2, 0.5, 0.7):
        code.restart()
        assert code.plan(start, goal, duration) == OK
        assert code.step(part * duration) == OK
        before = code.signals()
        turned = [value + turn for value, turn in zip(start, turns[name], strict=True)]
        assert code.replan(part * duration, turned) == OK
        assert code.step(0.0) == OK
        after = code.signals()
        for group in ("q", "v", "a", "u", "lambda"):
            size = np.abs(before[group]).max(initial=1.0)
            assert np.abs(after[group] - before[group]).max(initial=0.0) <= 1e-10 * size
        plan = code.read_plan()
        end = float(plan["duration"][0])
        if name == "cablev-general":  # an angle a turn further is the same orientation
            assert plan["goal"] == pytest.approx(start, abs=1e-9)
        assert code.step(end) == DONE
        first = solve_index1(problem, np.linspace(0.0, duration, 101)).q[0]
        assert code.signals()["q"] == pytest.approx(first, abs=1e-8)


def c_array(values):
    return "{" + ", ".join(repr(float(x)) for x in values) + "}"


def build_random_plans(moving, folder, name, precision, flags, without=()):
    """Compile the program of random plans for a crane."""
    _, problem, _, sources = moving(name, precision, without)
    start, goal = end_points(problem.path)
    model = equations_of_motion(problem.crane)
    drive = np.zeros((len(problem.crane.coordinates), len(problem.crane.inputs)))
    if "power" not in without:
        matrix = ca.Function("matrix", [model.p], [ca.densify(model.input_matrix)])
        drive = np.array(matrix(problem.parameter_vector))
    arrays = {"START": start, "END": goal, "DRIVE": drive.ravel()}
    lines = [f"#define {key} {c_array(values)}\n" for key, values in arrays.items()]
    # with more outputs than the load has, most places are beyond the limits
    spread = 0.1 if len(start) > 3 else 1.0
    (folder / "case.h").write_text("".join([*lines, f"#define SPREAD {spread}\n"]))
    driver, program = Path(__file__).with_name("replan_driver.c"), folder / "random_plans"
    files = [f"-I{folder}", f"-I{sources}", str(driver), str(sources / "online.c")]
    command = ["gcc", "-std=c99", *flags, *files, "-o", str(program), "-lm"]
    subprocess.run(command, check=True, capture_output=True)
    return program


SANITIZERS = ("-O3", "-fsanitize=address,undefined", "-fsanitize-undefined-trap-on-error")
PLAIN = ("-O2",)


@pytest.mark.parametrize(
    ("name", "precision", "flags", "count", "points"),
    [
        ("overhead", "double", SANITIZERS, 10_000, 150),
        ("overhead", "double", PLAIN, 300, 5_000),
        ("overhead", "single", SANITIZERS, 1_000, 200),
        ("rotary", "double", PLAIN, 2_000, 200),
        ("rotary", "single", PLAIN, 300, 200),
        ("navy3d-pulley-safe", "double", PLAIN, 50, 500),
    ],
)
def test_random_plans_while_moving(moving, tmp_path, name, precision, flags, count, points):
    """No control jumps, no limit is broken, and what is refused changes nothing.

    In single precision a control is continuous to what Newton's method and its arguments are
    rounded by: derivatives of the path to some hundred roundings of 6e-8 (see the test of the
    polynomials), and Newton's last step of 2e-5, whose error is its square. Limits are kept to the
    generator's own slack there, and rope forces to it in double precision.
    """
    without = ("power",) if name.startswith("navy") else ()  # its input matrix depends on q
    program = build_random_plans(moving, tmp_path, name, precision, flags, without)
    done = subprocess.run(
        [program, str(count), str(points)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    jump, excess, *answers = done.stdout.split()
    found = {int(k): int(n) for k, n in (answer.split(":") for answer in answers)}
    assert sum(found.values()) == count
    assert float(jump) <= (1e-9 if precision == "double" else 1e-4)
    assert float(excess) <= (1e-6 if precision == "double" else 1.5 * generating.SLACK["single"])
    # 44 of 100 wishes are sensible, and most of these can be fulfilled
    assert found[OK] >= 0.35 * count
    for status in ("BAD_ARGUMENT", "PAST", "NO_DURATION", "BUSY"):
        assert found[CODES[status]] > 0
