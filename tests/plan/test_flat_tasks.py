"""The flat planner from states in motion, to a stop, over via points and around obstacles."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from optimal_control import OVERHEAD, hanging, overhead_task, rotary_task

from cranebridge.errors import InputError, SolutionError
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.limits import Limits, judge_solution
from cranebridge.path import Line, Spline, polynomial
from cranebridge.plan.flat.drafts import Fineness
from cranebridge.plan.flat.task_to_plan import find_plan
from cranebridge.plan.task.obstacles import ObstacleBox, ObstacleCylinder, Stack
from cranebridge.plan.task.path_evaluation import PathEvaluator, Stretch
from cranebridge.plan.task.plan import Plan
from cranebridge.plan.task.task import PlanTask, State, Via

# What is asked here does not depend on how short a plan is.
ROUGH = Fineness(pieces=12, rounds=0)


def held(task: PlanTask, plan: Plan) -> Feedforward:
    """Return the motion on 10 001 points after making sure that it keeps all limits."""
    solution = solve_index1(task.problem(plan.path), np.linspace(0.0, plan.duration, 10_001))
    assert [v.message for v in judge_solution(solution, task.limits) if not v.passed] == []
    return solution


@pytest.mark.parametrize(
    "state",
    [
        State(np.array([0.0, np.hypot(1.0, 5.0), 1.0, -5.0]), np.zeros(4)),
        State(np.array([0.0, 5.0, 0.0, -5.0]), np.array([0.0, 0.0, 0.3, 0.0])),
    ],
    ids=["displaced by 1 m", "swinging at 0.3 m/s"],
)
def test_a_swinging_start_is_met_exactly_and_brought_to_rest(state: State) -> None:
    task = replace(overhead_task(), start=state)
    plan = find_plan(task, ROUGH)
    solution = held(task, plan)
    np.testing.assert_allclose(solution.q[0], state.q, atol=1e-9)
    np.testing.assert_allclose(solution.v[0], state.v, atol=1e-9)
    np.testing.assert_allclose(solution.q[-1], hanging(10.0, -3.0).q, atol=1e-9)
    np.testing.assert_allclose(solution.v[-1], 0.0, atol=1e-9)
    np.testing.assert_allclose(solution.u[-1], [0.0, -98.1], atol=1e-6)


def test_a_stop_goes_on_with_all_derivatives_within_wider_limits() -> None:
    running = Line(("x", "z"), (0.0, -5.0), (10.0, -3.0), polynomial(6.0))
    task = overhead_task()
    motion = solve_index1(task.problem(running), np.linspace(0.0, 6.0, 601))
    force = 1.2 * np.abs(motion.u[:, 0]).max()
    hold, away = -98.1, 1.2 * np.abs(motion.u[:, 1] + 98.1).max()
    speeds = 1.2 * np.abs(motion.v[:, :2]).max(axis=0)
    limits = Limits.from_mapping(
        {
            "u": {"F_t": force, "M_w": [hold - away, hold + away]},
            "v": {"s": float(speeds[0]), "l": float(speeds[1])},
            "rope": 98.1,
        },
        OVERHEAD,
    )
    now = int(np.searchsorted(motion.time, 2.2))
    start = State(motion.q[now], motion.v[now])
    stop = PlanTask(OVERHEAD, task.parameters, start, None, limits)
    derivatives = running.derivatives([motion.time[now]], 4)[:, :, 0]
    plan = find_plan(stop, ROUGH, running=derivatives)
    solution = held(stop, plan)
    np.testing.assert_allclose(solution.u[0], motion.u[now], atol=1e-9 * 2.0 * force)
    np.testing.assert_allclose(plan.path.derivatives([0.0], 4)[:, :, 0], derivatives, atol=1e-12)
    np.testing.assert_allclose(solution.v[-1], 0.0, atol=1e-9)
    np.testing.assert_allclose(solution.u[-1], [0.0, hold], atol=1e-6)
    assert plan.duration < 6.0 - motion.time[now]


@pytest.fixture(scope="module")
def over_a_point() -> tuple[Plan, Feedforward]:
    # on so few pieces the path leaves the box by 5 mm where it is not looked at between times
    task = replace(overhead_task(), via=(Via((5.0, -2.5)),))
    plan = find_plan(task, Fineness(pieces=4, rounds=0))
    return plan, held(task, plan)


def test_a_via_point_is_passed(over_a_point: tuple[Plan, Feedforward]) -> None:
    path = over_a_point[0].path
    assert np.abs(path(np.array(path.knots)) - [[5.0], [-2.5]]).max(axis=0).min() < 1e-9


def test_a_via_point_is_not_overshot(over_a_point: tuple[Plan, Feedforward]) -> None:
    plan, solution = over_a_point
    passed = np.abs(plan.path(np.array(plan.path.knots)) - [[5.0], [-2.5]]).max(axis=0).argmin()
    before = solution.time <= plan.path.knots[passed]
    for own, low, high in (
        (before, np.array([0.0, -5.0]), np.array([5.0, -2.5])),
        (~before, np.array([5.0, -3.0]), np.array([10.0, -2.5])),
    ):
        # boxes are wider by 1e-5 of half their diagonals, and limits are held to 2e-7 of theirs
        room = 0.5 * (1e-5 + 3e-7) * np.linalg.norm(high - low)
        assert (solution.gamma[own] > low - room).all()
        assert (solution.gamma[own] < high + room).all()


def strong_winch(goal: State) -> PlanTask:
    """Return a task in whose shortest motion the rope force jumps, so that splines fail alone."""
    limits = {"u": {"F_t": 400.0, "M_w": 130.0}, "v": {"s": 2.5, "l": 1.5}, "rope": 0.0}
    task = overhead_task()
    return replace(task, goal=goal, limits=Limits.from_mapping(limits, OVERHEAD))


def test_a_rope_force_that_wants_to_jump_is_no_obstacle() -> None:
    task = strong_winch(hanging(10.0, -2.0))
    plan = find_plan(task, Fineness(rounds=3))
    held(task, plan)
    # collocation finds 4.063 s, by 0.2 % fewer on half as many intervals; polynomials take 9.7 s
    assert 0.99 * 4.063 < plan.duration < 1.04 * 4.063


def test_via_points_are_passed_without_stopping_by_a_strong_winch() -> None:
    via = (Via((7.44, -5.64), None),)
    task = replace(strong_winch(hanging(10.0, -4.0)), via=via)
    plan = find_plan(task, Fineness(rounds=1))
    solution = held(task, plan)
    x, z = solution.gamma[:, 0], solution.gamma[:, 1]
    near = int(np.argmin(np.hypot(x - 7.44, z + 5.64)))
    # 10 001 points at 2.5 m/s are 1 mm apart
    assert np.hypot(x - 7.44, z + 5.64)[near] < 1e-3
    # stopping there would take 9.5 s; the trolley alone needs 10 m at 2.5 m/s
    assert 4.0 < plan.duration < 5.0
    assert z.min() > -5.64 - 1e-4
    assert (np.diff(x) > -1e-6).all()


def test_the_box_between_two_points_is_looked_at_between_the_knots() -> None:
    # a spline through three points overshoots the second, which stands in the corner of both boxes
    path = Spline(("x", "z"), ((0.0, -5.0), (5.0, -2.0), (10.0, -3.0)), (0.0, 6.0, 12.0), 4)
    boxes = (
        Stretch("before", 0.0, 6.0, np.array([0.0, -5.0]), np.array([5.0, -2.0])),
        Stretch("after", 6.0, 12.0, np.array([5.0, -3.0]), np.array([10.0, -2.0])),
    )
    evaluator = PathEvaluator(overhead_task())
    worst = evaluator.evaluate(path, 48, boxes).worst()
    assert worst is not None
    over, row, time = worst
    times = np.linspace(0.0, 12.0, 100_001)
    z = path(times)[1]
    assert z.max() > -1.95
    assert row.name == f"z {'before' if z.argmax() < 50_000 else 'after'}"
    assert row.is_box
    assert time == pytest.approx(times[z.argmax()], abs=0.02)
    # a parabola misses a peak by third order: 6e-3 of it with 12 times a piece, 1e-4 with 48
    assert over * row.size + 1e-5 * row.size == pytest.approx(z.max() + 2.0, rel=1e-3)
    assert evaluator.evaluate(path, 12).worst()[1].name != row.name  # type: ignore[index]


def test_a_cylinder_is_passed_outside_and_both_sides_are_named() -> None:
    cylinder = ObstacleCylinder((6.5, 6.5), 2.5)
    task = replace(rotary_task(), obstacles=(cylinder,))
    plan = find_plan(task, ROUGH)
    solution = held(task, plan)
    away = np.hypot(*(solution.gamma[:, :2] - cylinder.center).T)
    assert away.min() > cylinder.radius - 1e-6
    ways = {plan.way, *(other.way for other in plan.alternatives)}
    assert {"left of the obstacles", "right of the obstacles"} <= ways
    assert plan.cost <= min(other.cost for other in plan.alternatives) * 1.02
    for other in plan.alternatives:
        if not other.points:
            assert other.why == "it would touch obstacle 1"
            continue
        points = np.array(other.points)
        np.testing.assert_allclose(points[[0, -1]], solution.gamma[[0, -1]], atol=1e-9)
        # on the first splines limits hold at some times only, in the middle half a second apart,
        # in which a load at 14 m and 0.25 rad/s goes 1.75 m: a chord that cuts off 0.153 m
        assert np.hypot(*(points[:, :2] - cylinder.center).T).min() > cylinder.radius - 0.16
        assert other.duration == pytest.approx(other.cost)
    assert any(other.points for other in plan.alternatives)
    again = Plan.from_dict(json.loads(json.dumps(plan.complete())))
    assert again.alternatives == plan.alternatives


def test_load_and_rope_keep_off_a_box() -> None:
    box = ObstacleBox((4.0, -10.0), (6.0, -2.5), rope=True)
    task = replace(overhead_task(), obstacles=(box,))
    plan = find_plan(task, ROUGH)
    solution = held(task, plan)
    trolley, load = solution.q[:, 0], solution.gamma
    for share in np.linspace(0.0, 1.0, 9)[1:]:  # from the trolley to the load
        x, z = trolley + share * (load[:, 0] - trolley), share * load[:, 1]
        inside = np.minimum.reduce([x - 4.0, 6.0 - x, -2.5 - z])
        assert inside.max() < 1e-5


def test_a_stack_is_passed_above_with_clearance() -> None:
    stack = Stack((3.0, 4.5, 6.0, 7.0), (-3.5, -2.5, -3.0), clearance=0.2)
    task = replace(overhead_task(), obstacles=(stack,))
    solution = held(task, find_plan(task, ROUGH))
    x, z = solution.gamma.T
    for begin, end, height in zip(stack.x, stack.x[1:], stack.height, strict=False):
        above = (x >= begin) & (x <= end)
        assert z[above].min() > height + 0.2 - 1e-5


def test_a_via_point_is_passed_and_the_motion_ends_when_asked() -> None:
    task = replace(overhead_task(), via=(Via((5.0, -2.0), 3.5),), objective="effort", duration=7.0)
    plan = find_plan(task, Fineness(pieces=6, rounds=0))
    held(task, plan)
    assert plan.duration == pytest.approx(7.0, abs=1e-9)
    np.testing.assert_allclose(plan.path([3.5])[:, 0], (5.0, -2.0), atol=1e-8)


@pytest.mark.parametrize(
    ("via", "duration", "soonest", "sentence"),
    [
        # the shortest motion over it passes it at 3.22 s; only a swing makes it sooner
        ((Via((5.0, -2.0), 1.5),), 12.0, (2.5, 3.22), r"via point 1 cannot be passed at 1.5 s"),
        # the optimum, and a little more on coarse splines
        ((), 3.0, (4.1412, 4.35), r"the goal cannot be reached in 3 s \(path.duration\)"),
    ],
    ids=["via time", "duration"],
)
def test_a_time_that_is_too_soon_is_named_with_its_limit(
    via: tuple[Via, ...], duration: float, soonest: tuple[float, float], sentence: str
) -> None:
    task = replace(overhead_task(), via=via, objective="effort", duration=duration)
    with pytest.raises(SolutionError, match=sentence) as refused:
        find_plan(task, ROUGH)
    found = re.search(r"found is (\S+) s, where (\S+) stands in the way", str(refused.value))
    assert found is not None
    assert soonest[0] < float(found[1]) < soonest[1]
    assert found[2] == ("v.l" if via else "v.s")


@pytest.mark.parametrize(
    "state",
    [
        State(np.array([0.0, np.hypot(1.0, 5.0), 1.0, -5.0]), np.zeros(4)),
        State(np.array([0.0, 5.0, 0.0, -5.0]), np.array([0.0, 0.0, 0.3, 0.0])),
    ],
    ids=["displaced", "moving"],
)
def test_via_points_from_a_load_that_swings_are_refused(state: State) -> None:
    task = replace(overhead_task(), start=state, via=(Via((5.0, -2.0)),))
    with pytest.raises(InputError, match="via points need a start and a goal at rest"):
        find_plan(task, ROUGH)


@pytest.mark.parametrize(
    ("limits", "goal", "name"),
    [
        ({"u": {"M_w": [-90.0, 90.0]}}, hanging(10.0, -3.0), r"u\.M_w"),
        ({"q": {"l": [1.0, 8.0]}}, hanging(10.0, -9.0), r"q\.l"),
    ],
    ids=["torque below the weight", "rope shorter than the way"],
)
def test_what_no_motion_can_keep_is_refused_with_its_name(
    limits: dict[str, dict[str, list[float]]], goal: State, name: str
) -> None:
    task = replace(overhead_task(), limits=Limits.from_mapping(limits, OVERHEAD), goal=goal)
    with pytest.raises(InputError, match=f"cannot be held: {name} exceeds"):
        find_plan(task, ROUGH)
