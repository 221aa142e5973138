"""Small decisions of the planner by hand: which limit is worst, where a rope is looked at, ways."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from optimal_control import OVERHEAD, overhead_task, rotary_task

from cranebridge.inverse import solve_index1
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.job.solving import solve_scenario
from cranebridge.limits import Limits, Range
from cranebridge.limits.verdict import Verdict
from cranebridge.plan.collocation.line_search import armijo
from cranebridge.plan.flat.detours import guide_points
from cranebridge.plan.flat.infeasible_times import _shared
from cranebridge.plan.task.bounds import bounds_of
from cranebridge.plan.task.clearance import load_axes
from cranebridge.plan.task.clearance_verdicts import judge_clearance, remaining_clearance
from cranebridge.plan.task.obstacles import ObstacleBox, ObstacleCylinder, Stack
from cranebridge.plan.task.plan import ActiveConstraint
from cranebridge.plan.timing import worst_verdict
from cranebridge.scenario import load_scenario
from cranebridge.twin import find_crane


def test_worst_verdict_is_furthest_beyond_its_limit_in_proportion() -> None:
    little = Verdict("a", "failed", "", value=1010.0, limit=1000.0, margin=-10.0)
    much = Verdict("b", "failed", "", value=3.0, limit=2.0, margin=-1.0)
    unknown = Verdict("c", "not judged", "")
    kept = Verdict("d", "passed", "", value=0.0, limit=1.0, margin=1.0)
    assert worst_verdict([little, much, kept]) is much
    assert worst_verdict([much, little, kept]) is much
    assert worst_verdict([little, unknown, much]) is unknown
    assert worst_verdict([kept]) is None


def test_limit_below_zero_is_measured_by_its_magnitude() -> None:
    """A winch with -60 N m is 20 % beyond its -50 N m, a trolley with 303 N 1 % beyond its 300."""
    winch = Verdict("u.M_w", "failed", "", value=-60.0, limit=-50.0, margin=-10.0)
    trolley = Verdict("u.F_t", "failed", "", value=303.0, limit=300.0, margin=-3.0)
    assert worst_verdict([winch, trolley]) is winch
    assert worst_verdict([trolley, winch]) is winch


def test_signal_is_measured_by_half_of_its_range_or_its_one_limit() -> None:
    u = {"F_t": Range(-100.0, 300.0), "M_w": Range(most=-50.0)}
    v = {"s": Range(-0.5, 0.5)}
    bounds = bounds_of(OVERHEAD, Limits(u=u, v=v, ropes="ignore"))
    sizes = {signal.title: size for signal, size in zip(bounds.signals, bounds.size, strict=True)}
    assert sizes == {"u.F_t": 200.0, "u.M_w": 50.0, "v.s": 0.5}
    # a rope that is wound in no faster than 0.2 m/s, and paid out as fast as may be
    one = bounds_of(OVERHEAD, Limits(v={"l": Range(least=-0.2)}, ropes="ignore"))
    assert one.size.tolist() == [0.2]


def test_limit_counts_as_long_as_it_is_touched_until_a_time() -> None:
    active = ActiveConstraint("u.F_t", 1.0, "N", ((0.0, 1.0), (2.0, 5.0), (6.0, 7.0)))
    # 1 s, and 1 s of the 3 s
    assert _shared(active, 3.0) == pytest.approx(2.0)
    assert _shared(active, 0.0) == 0.0
    assert _shared(active, 10.0) == pytest.approx(5.0)


def test_armijo_wants_a_part_of_what_the_slope_promises() -> None:
    # at 2 nearly nothing is gained of the 2 that the slope promises, at 1 half
    gained = {2.0: 1e-6, 1.0: 0.5}
    assert armijo(lambda x: 10.0 - gained[x], 10.0, -1.0, 1.0) == (1.0, 9.5)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.61, 0.75])
def test_rope_is_looked_at_along_its_whole_length(share) -> None:
    """A small box around a place of a slanting rope is met there by the middle of the box."""
    q = np.array([0.0, 10.0, 6.0, -8.0])  # trolley at 0, load 6 m aside and 8 m below
    at = share * q[2:]
    p = OVERHEAD.parameter_values({})
    box = {"low": tuple(at - 0.3), "high": tuple(at + 0.3)}
    for rope, wanted in ((True, -0.3), (False, None)):
        remaining = remaining_clearance(OVERHEAD, ObstacleBox(**box, rope=rope), p)
        left = float(remaining(np.hstack([q[2:], q])[None])[0])
        assert left == pytest.approx(wanted) if rope else left > 0.0


@pytest.mark.parametrize("centre", np.linspace(99.9, 100.2, 7))
def test_small_obstacle_below_a_fast_load_is_found_between_the_times_of_a_grid(centre) -> None:
    """At 7 m/s the load goes 0.2 m from one time to the next; it is above the box for 0.1 m."""
    changes = {"path.start": [0.0, -5.0], "path.goal": [200.0, -5.0], "path.duration": 60.0}
    far = load_scenario("overhead").with_({**changes, "path.profile": "polynomial"})
    box = ObstacleBox((centre - 0.05, -6.0), (centre + 0.05, -5.01))
    (verdict,) = judge_clearance(solve_index1(far.problem, np.linspace(0.0, 60.0, 601)), [box])
    assert verdict.value == pytest.approx(0.01, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "axes"),
    [("overhead", (0, None, 1)), ("rotary", (0, 1, 2)), ("cablev", (0, 1, 2))],
)
def test_load_position_is_found_among_the_outputs(name, axes) -> None:
    assert load_axes(find_crane(name)) == axes


@cache
def solution() -> Feedforward:
    return solve_scenario(load_scenario("overhead")).feedforward


@pytest.mark.parametrize(("clearance", "status"), [(0.9, "passed"), (1.1, "failed")])
def test_clearance_is_kept_where_the_load_is_as_far_as_wanted(clearance, status) -> None:
    z = solution().q[:, 3]
    stack = Stack((-1e3, 1e3), (float(z.min()) - 1.0,), clearance)
    (found,) = judge_clearance(solution(), (stack,))
    assert found.status == status
    assert found.value == pytest.approx(1.0, abs=1e-6)
    assert (found.limit, found.margin) == pytest.approx((clearance, 1.0 - clearance), abs=1e-6)


def test_ways_around_keep_the_clearance_and_go_from_start_to_goal() -> None:
    task = rotary_task()
    start, goal = np.array([14.0, 0.0, -15.0]), np.array([-4.0, 7.0, -8.0])
    obstacle = ObstacleCylinder((5.0, 3.0), 1.0, top=-9.0, clearance=2.0)
    for begin, end in ((start, goal), (goal, start)):
        ways = dict(guide_points(replace(task, obstacles=(obstacle,)), begin, end))
        assert set(ways) == {f"{side} the obstacles" for side in ("over", "left of", "right of")}
        over = ways["over the obstacles"]
        # the first point stands where the way comes from, all are above top and clearance
        assert abs(over[0][0] - begin[0]) < abs(over[1][0] - begin[0])
        assert [sorted(point[0] for point in over)] == [pytest.approx([2.0, 8.0])]
        assert all(point[2] > -7.0 for point in over)
        for side in ("left of", "right of"):
            (point,) = ways[f"{side} the obstacles"]
            assert np.hypot(*(point[:2] - obstacle.center)) > 3.0


def test_ways_over_a_stack_go_to_the_left_as_well() -> None:
    task = replace(overhead_task(), obstacles=(Stack((3.0, 5.0), (-4.0,), 0.5),))
    ends = np.array([10.0, -5.0]), np.array([0.0, -5.0])
    for (begin, end), edges in ((ends, (5.5, 2.5)), (ends[::-1], (2.5, 5.5))):
        ((_, points),) = guide_points(task, begin, end)
        assert [point[0] for point in points] == pytest.approx(edges)
