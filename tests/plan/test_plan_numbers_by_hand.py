"""Numbers that a plan is reported with, by hand: errors, broken and touched limits, peaks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from optimal_control import DATA, OVERHEAD, overhead_task

from cranebridge.errors import InputError
from cranebridge.limits import Limits, Range
from cranebridge.path import Pieces
from cranebridge.plan.collocation.full_state_motion import (
    BrokenLimit,
    FullStateMotion,
    _broken,
    _errors,
)
from cranebridge.plan.flat.join_pieces import concatenate
from cranebridge.plan.flat.task_to_plan import find_plan
from cranebridge.plan.task.bounds import bounds_of
from cranebridge.plan.task.path_evaluation import BoundedSignal, PathEvaluation
from cranebridge.plan.task.plan import Plan
from cranebridge.plan.task.task import State
from cranebridge.plan.task.tracking_request import read_tracking

NOBODY: Any = None
"""In place of the motion, which these numbers do not need."""


def test_rms_error_is_the_mean_over_the_window_wherever_that_begins() -> None:
    """Drives may move before the path: the window then begins below zero.

    x is off by 3 m all the time, z by 0, 1 and 0 m: the trapezoidal rule makes 1 m^2 of the
    squares over 2 s.
    """
    time = np.array([-5.0, -4.0, -3.0])
    error = np.array([[-3.0, 0.0], [-3.0, 1.0], [-3.0, 0.0]])
    found = _errors(OVERHEAD, time, error)
    assert (found["x"].largest, found["x"].rms) == pytest.approx((3.0, 3.0))
    assert (found["z"].largest, found["z"].rms) == pytest.approx((1.0, np.sqrt(0.5)))


def test_broken_limit_has_value_and_time_of_the_same_point() -> None:
    u = {"F_t": Range(-100.0, 300.0), "M_w": Range(most=-50.0)}
    bounds = bounds_of(OVERHEAD, Limits(u=u, ropes="ignore"))
    assert [signal.title for signal in bounds.signals] == ["u.F_t", "u.M_w"]
    time = np.array([1.0, 1.5, 2.5, 4.5])
    # the first point does not count; 130 N below the least is further than 120 N above the most
    values = np.array([[999.0, -60.0], [420.0, -50.0], [-230.0, -51.0], [0.0, -50.0004]])
    assert _broken(bounds, time, values) == (BrokenLimit("u.F_t", -230.0, -100.0, 300.0, 2.5),)


def view(time: list[float], values: list[float], row: BoundedSignal) -> PathEvaluation:
    return PathEvaluation(np.array(time), (row,), np.array(values)[:, None], NOBODY)


def test_limit_is_touched_within_a_thousandth_of_its_size_on_each_side() -> None:
    """Of a size of 200 N that is 0.2 N."""
    row = BoundedSignal("u.F_t", "N", -100.0, 300.0, 200.0)
    values = [0.0, 299.9, 299.85, 299.7, -99.9, -99.7]
    low, high = view([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], values, row).active()
    assert (low.name, low.limit, low.unit, low.spans) == ("u.F_t", -100.0, "N", ((4.0, 4.0),))
    assert (high.limit, high.spans) == (300.0, ((1.0, 2.0),))
    # of a size of 0.01 rad that is 0.01 mrad
    small = BoundedSignal("q.phi", "rad", -0.01, 0.01, 0.01)
    assert view([0.0, 1.0], [0.0, 0.0095], small).active() == ()


def test_peak_between_uneven_times_is_that_of_the_parabola() -> None:
    """1 - 4 (t - 0.3)^2 is 0.5 beyond a most of 0.5, in parts of 2: a quarter, at 0.3 s."""
    time = np.array([0.0, 0.25, 0.5, 1.0])
    row = BoundedSignal("v.s", "m/s", -np.inf, 0.5, 2.0)
    worst = view(time.tolist(), (1.0 - 4.0 * (time - 0.3) ** 2).tolist(), row).worst()
    assert worst is not None
    assert (worst[0], worst[2]) == pytest.approx((0.25, 0.3))


@pytest.mark.parametrize("moving", [(True, False), (False, True)])
def test_plan_that_was_written_moves_where_it_did(moving: tuple[bool, bool]) -> None:
    start, end = moving
    # t^2 from rest, or 2 t - t^2 to rest, within 1 s
    piece = ((0.0,), (0.0,), (2.0,)) if end else ((0.0,), (2.0,), (-2.0,))
    path = Pieces(("x",), (0.0, 1.0), (piece,), 1, start, end)
    written = Plan(path, "time", "flat", 1.0, np.inf, ()).complete()
    assert Plan.from_dict(written).path.moving_ends == moving


def test_drives_move_as_long_before_and_after_a_path_as_is_said_of_each() -> None:
    line = {"kind": "line", "start": [0.0, -4.0], "goal": [5.0, -1.0], "duration": 3.0}
    table = {"kind": "optimal", "track": line, "weights": {"F_t": 1e-8, "M_w": 1e-6}}
    order = read_tracking(table, OVERHEAD, DATA, Limits(), (0.5, 2.0))
    assert order.tracking.window == (-0.5, 5.0)
    assert order.tracking.times == (-0.5, 0.0, 3.0, 5.0)


def test_motion_lasts_from_its_first_time_on_also_where_drives_move_before_the_path() -> None:
    time = np.array([-0.5, 1.0, 3.0])
    rows = np.zeros((3, 4))
    nothing = rows[:, :0]
    found = FullStateMotion(
        OVERHEAD, "gradient", "tracking", time, nothing, rows, rows, nothing, nothing, 0.0, None
    )
    assert (found.duration, found.as_dict()["duration"]) == (3.5, 3.5)


def test_path_after_another_moves_at_its_own_ends_and_rests_between() -> None:
    """2 t - t^2 stops at 1 m, t^2 sets off again from 0 m: what follows is moved there."""
    stop = Pieces(("x",), (0.0, 1.0), (((0.0,), (2.0,), (-2.0,)),), 1, True, False)
    go = Pieces(("x",), (0.0, 1.0), (((0.0,), (0.0,), (2.0,)),), 1, False, True)
    both = concatenate(stop, go)
    assert (both.moving_ends, both.times) == ((True, True), (0.0, 1.0, 2.0))
    assert both([0.0, 0.5, 1.0, 1.5, 2.0])[0].tolist() == [0.0, 0.75, 1.0, 1.25, 2.0]
    assert both.derivatives([0.0, 1.0, 2.0], 1)[1, 0].tolist() == [2.0, 0.0, 2.0]
    # 3 t^2 - 2 t^3, from rest to rest
    still = Pieces(("x",), (0.0, 1.0), (((0.0,), (0.0,), (6.0,), (-12.0,)),), 1)
    assert concatenate(stop, still).moving_ends == (True, False)
    assert concatenate(still, go).moving_ends == (False, True)


@pytest.mark.parametrize("end", ["start", "goal"])
@pytest.mark.parametrize(
    ("length", "speed", "words"),
    [
        (5.0, 3.0, r"v\.s is 3 m/s there, and limits\.v\.s allows -2\.5 to 2\.5 m/s"),
        (9.0, 1.0, r"q\.l is 9 m there, and limits\.q\.l allows 1 to 8 m"),
    ],
)
def test_moving_end_beyond_a_limit_is_refused_with_its_values(
    end: str, length: float, speed: float, words: str
) -> None:
    """Trolley and load move alike below each other."""
    moving = State(np.array([0.0, length, 0.0, -length]), np.array([speed, 0.0, speed, 0.0]))
    with pytest.raises(InputError, match=f"the {end} is beyond a limit: {words}"):
        find_plan(replace(overhead_task(), **{end: moving}))
