"""The on-line generator: compiled as strict C99, it gives the index-1 solution."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cranebridge.deliver import DeliveryOrder, deliver
from cranebridge.errors import InputError
from cranebridge.inverse import analyse
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import ServoProblem
from cranebridge.path import Line, Spline, polynomial, s_curve, three_phase
from cranebridge.path.symbolic import end_points
from cranebridge.plan.timing import scale_problem
from cranebridge.twin.catalogue import CRANES
from further import mostly_further
from generator_driver import CODES, Generator

# A ready scenario for each built-in crane, one that its ropes can hold.
SCENARIOS = (
    "overhead",
    "rotary",
    "rotary-long",
    "rotary-redundant",
    "rotary-rotationless",
    "navy2d-safe",
    "navy2d-pulley-safe",
    "navy3d",
    "navy3d-pulley-safe",
    "cablev-general",
    "gantry",
    "double-pendulum",
    "quadrotor",
    "luffing-jib",
    "bridge",
    "two-mass",
    "body-gantry",
    "cylinder-crane",
    "knuckle-boom",
    "portal",
    "spreader",
)
OK, DONE, NO_PLAN, BAD_ARGUMENT, NO_CONVERGENCE, SINGULAR = (
    CODES[name] for name in ("OK", "DONE", "NO_PLAN", "BAD_ARGUMENT", "NO_CONVERGENCE", "SINGULAR")
)


def worst_errors(code: Generator, problem: ServoProblem, times: np.ndarray) -> dict[str, float]:
    """Step through the times; return the largest error of each group, relative to the range.

    A signal that does not move (a mast's fixed point) or hardly moves around a large value has no
    range to compare with; its error then counts relative to a hundredth of its size, or to the
    largest signal of its group where it is zero. Multipliers are internal forces that balance each
    other, so that they all count relative to the largest of them.
    """
    exact = solve_index1(problem, times)
    rows = []
    for time in times:
        assert code.step(time) in (OK, DONE)
        rows.append(code.signals())
    worst = {}
    expected = {"q": exact.q, "v": exact.v, "a": exact.a, "u": exact.u, "lambda": exact.lam}
    for group, values in (expected | {"rope": exact.ropes, "gamma": exact.gamma}).items():
        if not values.size:  # no multipliers in minimal coordinates
            continue
        found = np.array([row[group] for row in rows])
        scale = np.maximum(np.ptp(values, axis=0), 1e-2 * np.abs(values).max(axis=0))
        least = 1.0 if group == "lambda" else 1e-9
        scale = np.where(scale >= least * scale.max(), scale, scale.max())
        worst[group] = float((np.abs(found - values).max(axis=0) / scale).max())
    return worst


def test_there_is_a_scenario_for_each_flat_crane(problem):
    flat = {name for name, crane in CRANES.items() if analyse(crane()).flat}
    assert flat == {problem(name).crane.name for name in SCENARIOS}


# Single precision is another type in the same text: one of each way to hang a load.
SINGLE = ("overhead", "rotary-long", "navy3d-pulley-safe", "cablev-general", "gantry", "quadrotor")
ALWAYS = {("overhead", "double"), ("overhead", "single"), ("rotary", "double")}
ALWAYS |= {("rotary-redundant", "double"), ("navy2d-pulley-safe", "double"), ("bridge", "double")}
ALWAYS |= {("gantry", "single"), ("two-mass", "double")}
CASES = [(name, "double", 1e-10) for name in SCENARIOS] + [
    (name, "single", 1e-4) for name in SINGLE
]


@pytest.mark.parametrize(
    ("name", "precision", "tolerance"),
    mostly_further(CASES, *(case for case in CASES if case[:2] in ALWAYS)),
)
def test_on_line_solution_is_the_index_1_solution(generator, name, precision, tolerance):
    code, problem = generator(name, precision)
    start, goal = end_points(problem.path)
    duration = problem.path.duration
    assert code.plan(start, goal, duration) == OK
    errors = worst_errors(code, problem, np.linspace(0.0, duration, 401))
    assert max(errors.values()) <= tolerance, errors


def test_another_start_goal_and_duration_are_planned_on_line(generator):
    code, problem = generator("rotary")
    # The profile keeps its proportions: ramps of a quarter of the duration.
    for start, goal, duration in (
        ((4.0, 1.0, -4.0), (1.0, 4.0, -3.0), 12.0),
        ((1.0, 4.0, -3.0), (-3.0, 3.0, -6.0), 15.5),
    ):
        path = Line(problem.path.outputs, start, goal, three_phase(duration, duration / 4))
        assert code.plan(start, goal, duration) == OK
        other = replace(problem, path=path)
        errors = worst_errors(code, other, np.linspace(0.0, duration, 301))
        assert max(errors.values()) <= 1e-10, errors


def test_other_parameters_can_be_set_on_line(generator):
    code, problem = generator("overhead")
    heavier = replace(problem, parameters=problem.parameters | {"m": 150.0})
    code.set_number(0, 150.0)
    assert code.plan(*end_points(problem.path), 3.0) == OK
    errors = worst_errors(code, heavier, np.linspace(0.0, 3.0, 101))
    assert max(errors.values()) <= 1e-10, errors


@pytest.mark.parametrize("precision", ["double", "single"])
def test_a_goal_that_cannot_be_reached_sets_the_status_and_keeps_the_output(generator, precision):
    code, problem = generator("overhead", precision)
    assert code.step(0.0) == NO_PLAN
    rest = code.signals()
    assert rest["u"] == pytest.approx([0.0, -98.1], rel=1e-5)
    # above the rail
    assert code.plan((0.0, -4.0), (5.0, 1.0), 3.0) in (SINGULAR, NO_CONVERGENCE)
    assert code.step(1.0) == NO_PLAN
    assert all(np.array_equal(code.signals()[k], rest[k]) for k in rest)
    # a plan that is under way goes on
    assert code.plan(*end_points(problem.path), 3.0) == OK
    assert code.step(1.0) == OK
    moving = code.signals()
    assert code.plan((5.0, -1.0), (0.0, -4.0), float("nan")) == BAD_ARGUMENT
    assert code.step(1.0) == OK
    assert code.signals()["u"] == pytest.approx(moving["u"], rel=1e-6)
    assert code.step(float("nan")) == BAD_ARGUMENT
    assert code.signals()["u"] == pytest.approx(moving["u"], rel=1e-6)


def test_a_path_through_the_slewing_axis_is_refused(generator):
    code, _ = generator("rotary")
    assert code.plan((5.0, 0.0, -5.0), (-5.0, 0.0, -5.0), 20.0) in (SINGULAR, NO_CONVERGENCE)
    # also if it lies between two of the times at which a plan is checked
    assert code.plan((5.0, 1e-7, -5.0), (-4.9, 1e-7, -5.0), 20.0) < 0


def test_free_fall_is_refused(generator):
    code, problem = generator("overhead")
    assert code.plan(*end_points(problem.path), 1.5) in (SINGULAR, NO_CONVERGENCE)


@pytest.mark.parametrize("duration", [0.0, -1.0, float("nan"), float("inf")])
def test_durations_that_are_none_are_refused(generator, duration):
    code, problem = generator("overhead")
    assert code.plan(*end_points(problem.path), duration) == BAD_ARGUMENT


def test_after_the_end_the_goal_is_held(generator):
    code, problem = generator("rotary")
    start, goal = end_points(problem.path)
    assert code.plan(start, goal, 20.0) == OK
    assert code.step(19.99) == OK
    for time in (20.0, 25.0):
        assert code.step(time) == DONE
        signals = code.signals()
        assert signals["gamma"] == pytest.approx(goal, abs=1e-14)
        assert np.abs(signals["v"]).max() < 1e-12
        assert signals["u"] == pytest.approx([0.0, 0.0, -98.1], abs=1e-9)


def test_paths_without_start_and_goal_are_refused(solved, tmp_path):
    feedforward, tables = solved("overhead", 0.1)
    points = ((0.0, -4.0), (2.0, -3.0), (5.0, -1.0))
    path = Spline(("x", "z"), points, (0.0, 2.0, 4.0), 4)
    problem = replace(feedforward.problem, path=path)
    other = solve_index1(problem, np.linspace(0.0, 4.0, 41))
    with pytest.raises(InputError, match="the generator plans paths of kind line"):
        deliver(other, DeliveryOrder("generator", tmp_path / "a.c", scenario=tables))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "profile",
    [polynomial(3.0, 9), s_curve(34**0.5, (2.5, 2.0, 8.0)), s_curve(34**0.5, (9.0, 9.0, 6.0))],
)
def test_the_profile_may_be_a_polynomial_of_any_class_or_an_s_curve(
    solved, compile_c, tmp_path, profile
):
    feedforward, tables = solved("overhead", 0.1)
    path = Line(("x", "z"), (0.0, -4.0), (5.0, -1.0), profile)
    problem = replace(feedforward.problem, path=path)
    times = np.linspace(0.0, path.duration, 101)
    other = solve_index1(problem, times)
    deliver(other, DeliveryOrder("generator", tmp_path / "online.c", scenario=tables))
    code = Generator(compile_c(tmp_path / "online.c"), problem, "double")
    assert code.plan((0.0, -4.0), (5.0, -1.0), path.duration) == OK
    errors = worst_errors(code, problem, times)
    assert max(errors.values()) <= 1e-10, errors


def test_a_stretched_path_gives_the_same_generator(solved, tmp_path):
    feedforward, tables = solved("rotary", 0.5)
    stretched = scale_problem(feedforward.problem, 33.0)
    other = solve_index1(stretched, np.linspace(0.0, 33.0, 67))
    sources = []
    for solution, name in ((feedforward, "a"), (other, "b")):
        (tmp_path / name).mkdir()
        source, _ = deliver(
            solution, DeliveryOrder("generator", tmp_path / name / "online.c", scenario=tables)
        )
        sources.append(source.read_text().split("#include", 1)[1])
    assert sources[0] == sources[1]
