"""Paths over symbols: the same outputs as over numbers, for any start and goal; refusals."""

import math

import numpy as np
import pytest

from cranebridge.errors import InputError
from cranebridge.path import ScaledPath, make_path
from cranebridge.path.symbolic import (
    common_profile,
    coordinate_names,
    end_points,
    outputs_function,
    own_coordinates_function,
)

XYZ = ("x", "y", "z")
SHAPE = {"profile": "three-phase", "duration": 4.0, "ramp": 1.0}
LINE = {"kind": "line", "start": [0.1, 1e3, -0.3], "goal": [0.7, 1.0, 5.0], **SHAPE}
ROUND = {"kind": "cylindrical", "start": [5, 0, 1], "goal": [2, 4.5, 3], **SHAPE}
TURN = {"kind": "rotation", "start": [0.3, -0.2, 0.1], "goal": [-0.5, 0.8, 2.0], **SHAPE}
# cos(phi_2) is negative, and phi_3 passes half a turn
BEYOND = {"kind": "rotation", "start": [0.2, 2.5, 2.9], "goal": [0.4, 2.2, 3.6], **SHAPE}
STILL = {"kind": "rotation", "start": [0.3, -0.2, 0.1], "goal": [0.3, -0.2, 0.1], **SHAPE}
PARTS = {
    "kind": "combined",
    **SHAPE,
    "parts": [
        {"kind": "rotation", "outputs": ["a", "b", "c"], "start": [0, 0, 0], "goal": [0.5, 0.4, 1]},
        {"kind": "hold", "outputs": ["y"], "value": 2.0},
        {"kind": "line", "outputs": ["z", "x"], "start": [1, 2], "goal": [3, 5]},
    ],
}


def geometry(path, order):
    """From start, goal, progress and outputs nearby to the outputs with their derivatives."""
    own, outputs = own_coordinates_function(path, order), outputs_function(path, order)
    return lambda *arguments: outputs(own(*arguments))


@pytest.mark.parametrize(
    ("table", "outputs"),
    [(t, XYZ) for t in (LINE, ROUND, TURN, BEYOND, STILL)] + [(PARTS, tuple("xaybzc"))],
)
def test_function_of_start_and_goal_gives_the_path(table, outputs):
    path, order = make_path(table, outputs), 5
    function = geometry(path, order)
    start, goal = end_points(path)
    times = np.linspace(0.0, 4.0, 81)
    progress = common_profile(path).derivatives(times / 4.0, order) / 4.0 ** np.arange(6)[:, None]
    wanted = path.derivatives(times, order)
    near = np.array(start)
    for i in range(len(times)):
        found = np.array(function(start, goal, progress[:, i], near)).reshape(order + 1, -1)
        scale = np.abs(wanted).max(axis=(1, 2))[:, None] + 1.0
        # rounding of the axis, which is found in another order of operations over symbols
        assert (np.abs(found - wanted[:, :, i]) <= 1e-12 * scale).all()
        near = found[0]


def test_function_belongs_to_the_kind_and_not_to_the_ends():
    functions = [geometry(make_path(table, XYZ), 2) for table in (TURN, BEYOND)]
    arguments = [0.1, 0.2, 0.3], [0.5, -0.1, 0.9], [0.4, 0.3, -0.1], [0.2, 0.1, 0.5]
    np.testing.assert_array_equal(*(np.array(function(*arguments)) for function in functions))


def test_line_over_symbols_meets_both_ends_to_the_last_bit():
    function = geometry(make_path(LINE, XYZ), 0)
    start, goal = [0.1, 1e16, -0.3], [0.7, 1.0, 1e-17]
    for c, end in ((0.0, start), (1.0, goal)):
        assert np.array(function(start, goal, [c], start))[:, 0].tolist() == end


def test_stretched_path_has_the_same_ends_and_shape():
    path = make_path(ROUND, XYZ)
    scaled = ScaledPath(XYZ, path, 2.7)
    assert end_points(scaled) == end_points(path) == ([5, 0, 1], [2, 4.5, 3])
    assert common_profile(scaled) == common_profile(path)
    assert common_profile(path).knots == (0, 0.25, 0.75, 1)


def test_coordinates_of_a_cylindrical_path_are_its_own():
    assert coordinate_names(make_path(ROUND, XYZ)) == [
        ("radius", "m"),
        ("angle", "rad"),
        ("height", "m"),
    ]
    assert coordinate_names(make_path(LINE, XYZ)) == [(name, "") for name in XYZ]


def combined(*parts):
    return make_path({"kind": "combined", "duration": 2, "parts": list(parts)}, ("x", "y"))


HOLD_X = {"kind": "hold", "outputs": ["x"], "value": 1.0}
LINE_X = {"kind": "line", "outputs": ["x"], "start": [0], "goal": [1]}
LINE_Y = {"kind": "line", "outputs": ["y"], "start": [0], "goal": [1]}


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            make_path({"kind": "waypoints", "points": [[0], [1], [2]], "duration": 2}, ["x"]),
            "a part of type Spline",
        ),
        (combined(HOLD_X, {**HOLD_X, "outputs": ["y"]}), "all parts of this one hold"),
        (combined(LINE_X, {**LINE_Y, "duration": 3}), "one duration and profile"),
    ],
)
def test_paths_without_start_goal_and_one_duration_are_refused(path, message):
    with pytest.raises(InputError, match=message):
        common_profile(path)


def test_ends_are_refused_where_the_generator_could_not_go_the_same_way():
    with pytest.raises(InputError, match="longer than half a turn"):
        end_points(make_path({**TURN, "start": [0, 0, 0], "goal": [0, 0, 1.5 * math.pi]}, XYZ))
    points = {"kind": "waypoints", "points": [[0], [1], [2]], "duration": 2}
    with pytest.raises(InputError, match="has no start and goal"):
        end_points(make_path(points, ["x"]))
