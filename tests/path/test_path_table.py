"""The [path] table: what is accepted, and one clear sentence for each mistake."""

import math
import tomllib

import numpy as np
import pytest

from cranebridge.errors import InputError
from cranebridge.path import Cylindrical, Hold, Line, Rotation, Spline, Stops, make_path

XYZ = ("x", "y", "z")
LINE = {"kind": "line", "start": [5.0, 0.0, -5.0], "goal": [-2.0, 2.0, -2.0], "duration": 20.0}
THREE = {**LINE, "profile": "three-phase", "ramp": 5.0}
S_CURVE = {
    **{key: value for key, value in LINE.items() if key != "duration"},
    **{"profile": "s-curve", "speed": 1.0, "acceleration": 0.5, "jerk": 0.5},
}
TURN = {"kind": "rotation", "start": [0, 0, 0], "goal": [0, 0, 1], "duration": 1}
ROUND = {"kind": "cylindrical", "start": [1, 0, 0], "goal": [1, 2, 0], "duration": 1}
VIA = {"kind": "waypoints", "points": [[0, 0, 0], [1, 1, 1], [2, 0, 2]], "duration": 4.0}


def combined(*parts, **common):
    return {"kind": "combined", "duration": 2, **common, "parts": list(parts)}


X = {"kind": "line", "outputs": ["x"], "start": [0], "goal": [1]}
YZ = {"kind": "hold", "outputs": ["y", "z"], "value": [1, 2]}


def test_table_of_the_design_is_understood():
    text = """
    kind = "line"
    start = [5.0, 0.0, -5.0]
    goal = [-2.0, 2.0, -2.0]
    profile = "three-phase"
    duration = 20.0
    ramp = 5.0
    smoothness = 4
    """
    path = make_path(tomllib.loads(text), XYZ)
    assert path.outputs == XYZ
    assert (path.duration, path.knots, path.smoothness()) == (20, (0, 5, 15, 20), 4)


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        (LINE, Line),
        (THREE, Line),
        (TURN, Rotation),
        ({"kind": "rotation", "axis": [0, 0, 2], "angle": 1, "duration": 1}, Rotation),
        (ROUND, Cylindrical),
        (VIA, Spline),
        ({**VIA, "stop": True}, Stops),
        ({"kind": "hold", "value": [1, 2, 3], "duration": 5}, Hold),
    ],
)
def test_every_kind_is_built_with_defaults(table, kind):
    path = make_path(table, XYZ)
    assert isinstance(path, kind)
    assert path.smoothness() == (math.inf if kind is Hold else 4)
    assert path.derivatives(np.linspace(0, 1, 5), 2).shape == (3, 3, 5)


def test_waypoint_times_are_equally_spaced_unless_given():
    assert make_path(VIA, XYZ).knots == (0, 2, 4)
    timed = {k: v for k, v in VIA.items() if k != "duration"}
    assert make_path({**timed, "times": [0, 1, 4]}, XYZ).knots == (0, 1, 4)
    assert make_path({**VIA, "times": [0, 1, 4]}, XYZ).duration == 4


def test_ramp_and_profile_for_other_parts_do_not_disturb_a_part():
    own = {**X, "profile": "polynomial"}
    path = make_path(combined(own, YZ, profile="three-phase", ramp=1), XYZ)
    plain = make_path(combined(own, YZ), XYZ)
    times = np.linspace(0.0, path.duration, 41)
    np.testing.assert_array_equal(path(times)[0], plain(times)[0])
    inherited = make_path(combined(X, YZ, profile="three-phase", ramp=1), XYZ)
    assert np.abs(path(times)[0] - inherited(times)[0]).max() > 1e-3
    spline = {"kind": "waypoints", "outputs": ["x"], "points": [[0], [1], [3]]}
    path = make_path(combined(spline, YZ, profile="three-phase", ramp=1), XYZ)
    assert path(path.duration / 2)[0, 0] == pytest.approx(1.0)


def without(table, *keys):
    return {key: value for key, value in table.items() if key not in keys}


SLOW = {"profile": "s-curve", "speed": 0.2, "acceleration": 0.1, "jerk": 0.2}


@pytest.mark.parametrize(
    ("table", "way"),
    [
        (without(LINE, "duration"), math.sqrt(49 + 4 + 9)),
        ({**without(ROUND, "duration"), "start": [2, 1, 0], "goal": [2, 3, 3]}, 5.0),
        ({**without(ROUND, "duration"), "start": [2, 1, 0], "goal": [5, 1, 4]}, 5.0),
        ({**without(TURN, "duration"), "goal": [0, 0, -0.75]}, 0.75),
        ({"kind": "rotation", "axis": [0, 0, 2], "angle": -7.5}, 7.5),
        ({"kind": "rotation", "start": [0, 0, 0], "goal": [0, 0, 4.0]}, 4.0),
    ],
)
@pytest.mark.parametrize("smoothness", [2, 4])
def test_s_curve_takes_as_long_as_its_limits_need_for_the_length_of_the_way(table, way, smoothness):
    path = make_path({**table, **SLOW, "smoothness": smoothness}, XYZ)
    pulse = {2: 1.0, 4: 15 / 8}[smoothness]
    duration = way / 0.2 + 0.2 / 0.1 + pulse * 0.1 / 0.2  # all ways are long enough for all limits
    assert path.duration == pytest.approx(duration, rel=1e-14)
    assert path.smoothness() == smoothness
    if table["kind"] != "rotation":  # the load's own speed, whatever the geometry
        t = np.linspace(0, path.duration, 2001)
        speed = np.linalg.norm(path.derivatives(t, 1)[1], axis=0)
        assert speed.max() == pytest.approx(0.2, rel=1e-13)


def test_limits_of_an_s_curve_may_be_left_out_and_higher_ones_added():
    line = {"kind": "line", "start": [0.0], "goal": [4.0], "profile": "s-curve", "smoothness": 0}
    assert make_path({**line, "speed": 2.0}, ["x"]).duration == 2.0
    assert make_path({**line, "acceleration": 1.0}, ["x"]).duration == 4.0
    assert make_path({**line, "jerk": 1.0}, ["x"]).duration == pytest.approx(128 ** (1 / 3))
    higher = make_path({**line, "jerk": 1.0, "higher": [1.0, 2.0]}, ["x"])
    assert higher.smoothness() == 4
    t = np.linspace(0, higher.duration, 4001)
    assert np.abs(higher.derivatives(t, 5)[5]).max() == pytest.approx(2.0, rel=1e-12)
    assert np.abs(higher.derivatives(t, 4)[4]).max() <= 1.0 + 1e-12


def test_s_curve_stops_at_waypoints_with_a_leg_for_each_distance():
    table = {**without(VIA, "duration"), **SLOW, "stop": True, "smoothness": 2}
    path = make_path({**table, "points": [[0, 0, 0], [3, 0, 4], [3, 2, 4]]}, XYZ)
    legs = [way / 0.2 + 0.2 / 0.1 + 0.1 / 0.2 for way in (5.0, 2.0)]
    assert path.phases == (("leg 1", 0, legs[0]), ("leg 2", legs[0], sum(legs)))
    np.testing.assert_allclose(path(legs[0])[:, 0], [3, 0, 4], atol=1e-14)


def test_parts_of_a_combined_path_follow_their_own_s_curves_and_holds_wait_for_them():
    table = without(combined(X, YZ, **SLOW, smoothness=2), "duration")
    path = make_path(table, XYZ)
    assert [part.duration for part in path.parts] == [7.5, 7.5]
    assert path.knots[-1] == path.duration == 7.5
    own = {**X, **SLOW, "smoothness": 2}
    y = {"kind": "line", "outputs": ["y", "z"], "start": [0, 0], "goal": [1, 1]}
    mixed = make_path(combined(own, y, duration=9.0), XYZ)
    assert [part.duration for part in mixed.parts] == [7.5, 9.0]


def test_one_limit_of_speed_for_metres_and_radians_is_refused():
    table = {"kind": "line", "start": [0, 0], "goal": [1, 1], **SLOW}
    units = {"x": "m", "phi": "rad"}
    message = r"outputs differ in unit: x \[m\], phi \[rad\]; use kind = 'combined'"
    with pytest.raises(InputError, match=message):
        make_path(table, ("x", "phi"), units)
    assert make_path(table, ("x", "phi"), {"x": "m", "phi": "m"}).duration > 0
    timed = {**without(table, *SLOW), "duration": 3.0}
    assert make_path(timed, ("x", "phi"), units).duration == 3.0
    parts = [
        {"kind": "line", "outputs": [name], "start": [0], "goal": [1]} for name in ("x", "phi")
    ]
    assert make_path({"kind": "combined", **SLOW, "parts": parts}, ("x", "phi"), units).duration > 0


BAD = [
    ({**LINE, "duration": 0}, "path.duration must be a positive number of seconds, got 0."),
    ({**LINE, "duration": -2.5}, "path.duration must be a positive number of seconds, got -2.5."),
    ({**LINE, "duration": math.nan}, "path.duration must be a positive number of seconds, got nan"),
    ({**LINE, "duration": True}, "path.duration must be a positive number of seconds, got true."),
    ({**LINE, "duration": "3 s"}, "path.duration must be a positive number of seconds, got '3 s'"),
    ({**LINE, "duration": 10**400}, "path.duration must be a positive number of seconds"),
    ({**LINE, "duration": 1e-9}, "path.duration must be at least 1e-06 s"),
    ({k: v for k, v in LINE.items() if k != "duration"}, "path.duration is missing."),
    ({k: v for k, v in LINE.items() if k != "goal"}, "path.goal is missing."),
    ({k: v for k, v in LINE.items() if k != "kind"}, "path.kind is missing."),
    ({**LINE, "kind": "lines"}, "unknown path kind 'lines'. Did you mean 'line'?"),
    ({**LINE, "kind": 3}, "path.kind must be a name in quotes, got 3."),
    ({**LINE, "gaol": [1]}, "unknown key of path with kind 'line' 'gaol'. Did you mean 'goal'?"),
    ({**LINE, "outputs": ["x"]}, "unknown key of path with kind 'line' 'outputs'."),
    ({**LINE, "profile": "threephase"}, "Did you mean 'three-phase'?"),
    ({**LINE, "start": [1.0, 2.0]}, "path.start must be a list of 3 numbers (x, y, z), got [1.0,"),
    ({**LINE, "start": 1.0}, "path.start must be a list of 3 numbers (x, y, z), got 1.0."),
    ({**LINE, "start": "abc"}, "path.start must be a list of 3 numbers (x, y, z), got 'abc'."),
    ({**LINE, "start": [1, math.inf, 0]}, "path.start[1] must be a finite number, got inf."),
    ({**LINE, "goal": [1, 0, math.nan]}, "path.goal[2] must be a finite number, got nan."),
    ({**LINE, "goal": [False, 0, 1]}, "path.goal[0] must be a finite number, got false."),
    ({**LINE, "goal": [[1], 0, 1]}, "path.goal[0] must be a finite number, got [1]."),
    ({**LINE, "start": [-1.7e308, 0, 0], "goal": [1.7e308, 0, 0]}, "too far apart"),
    ({**LINE, "smoothness": -1}, "path.smoothness must be an integer from 0 to 20, got -1."),
    ({**LINE, "smoothness": 4.0}, "path.smoothness must be an integer from 0 to 20, got 4.0."),
    ({**LINE, "smoothness": True}, "path.smoothness must be an integer from 0 to 20, got true."),
    ({**LINE, "smoothness": 21}, "path.smoothness must be an integer from 0 to 20, got 21."),
    ({**THREE, "smoothness": 0}, "path.smoothness must be an integer from 1 to 20, got 0."),
    ({**LINE, "ramp": 5}, "path.ramp needs profile = 'three-phase'."),
    ({**LINE, "profile": "three-phase"}, "path.ramp is missing."),
    ({**THREE, "ramp": 0}, "path.ramp must be a positive number of seconds, got 0."),
    ({**THREE, "ramp": math.nan}, "path.ramp must be a positive number of seconds, got nan."),
    ({**THREE, "ramp": 1e-9}, "path.ramp must be at least 1e-06 of the duration, got 1e-09."),
    (
        {**THREE, "ramp": 11},
        "path.ramp must be at most half of path.duration, which is 20 s, got 11.",
    ),
    ({**ROUND, "start": [-1, 0, 0]}, "path.start must not have a negative radius, got -1.0."),
    ({**ROUND, "goal": [1, 0]}, "path.goal must be a list of 3 numbers (radius, angle, height)"),
    ({**TURN, "goal": [0, 0]}, "path.goal must be a list of 3 numbers (phi_1, phi_2, phi_3)"),
    ({**TURN, "angle": 1}, "path must have either goal or axis and angle, got both."),
    ({"kind": "rotation", "start": [0, 0, 0], "duration": 1}, "path.goal is missing (or axis and"),
    ({"kind": "rotation", "angle": 1, "duration": 1}, "path.axis is missing."),
    (
        {"kind": "rotation", "axis": [0, 0, 0], "angle": 1, "duration": 1},
        "path.axis must have a dir",
    ),
    ({"kind": "rotation", "axis": [0, 1, 0], "angle": 2, "duration": 1}, "gimbal lock"),
    ({**VIA, "points": []}, "path.points must be a list of at least two points, got []."),
    ({**VIA, "points": [[1, 2, 3]]}, "path.points must be a list of at least two points"),
    ({**VIA, "points": [[1, 2, 3], [1, 2]]}, "path.points[1] must be a list of 3 numbers"),
    ({**VIA, "points": [[1, 2, 3], []]}, "path.points[1] must be a list of 3 numbers"),
    ({**VIA, "times": [0, 4]}, "path.times must have one time for each of the 3 points."),
    ({**VIA, "times": [1, 2, 4]}, "path.times must begin with 0, got 1."),
    ({**VIA, "times": [0, 2, 2]}, "path.times must increase"),
    ({**VIA, "times": [0, 1, 3]}, "path.duration must be the last of path.times, 3 s."),
    ({**VIA, "times": [0, 1e-9, 4]}, "path.times must not be closer"),
    ({**VIA, "times": [0, math.nan, 4]}, "path.times[1] must be a number of seconds, got nan."),
    ({**VIA, "stop": 1}, "path.stop must be true or false, got 1."),
    ({**VIA, "profile": "three-phase", "ramp": 1}, "need stop = true"),
    ({**VIA, "stop": True, "profile": "three-phase", "ramp": 1.5}, "at most half of every leg"),
    ({"kind": "hold", "value": 1, "duration": 1}, "path.value must be a list of 3 numbers"),
    (combined(), "path.parts must be a list of at least one table"),
    (combined(X), "path.parts must give every output once, missing: y, z."),
    (combined(X, YZ, X), "path.parts[2].outputs gives 'x' again after path.parts[0]."),
    (combined(X, {**YZ, "outputs": ["y", "zz"]}), "unknown output in path.parts[1].outputs 'zz'"),
    (combined(X, {**YZ, "outputs": []}), "path.parts[1].outputs must be a list of names"),
    (combined(X, {"kind": "hold", "value": 1}), "path.parts[1].outputs is missing."),
    (combined(X, 7), "path.parts[1] must be a table, got 7."),
    (combined({**X, "goal": [math.nan]}, YZ), "path.parts[0].goal[0] must be a finite number"),
    (combined({**X, "duration": 0}, YZ), "path.parts[0].duration must be a positive"),
    (combined(X, YZ, duration=0), "path.duration must be a positive number of seconds, got 0."),
    (combined(X, YZ, ramp=1), "path.ramp needs profile = 'three-phase'."),
    (combined({**X, "goal": [1, 2]}, YZ), "path.parts[0].goal must be a list of 1 number (x)"),
    (combined({**X, "kind": "rotation"}, YZ), "needs three outputs, got 1 (x)."),
    (combined(X, YZ, start=[0]), "unknown key of path with kind 'combined' 'start'."),
    ([1, 2], "path must be a table, got [1, 2]."),
    (
        {**S_CURVE, "duration": 20.0},
        "path.duration must not be given with profile = 's-curve': the duration follows",
    ),
    ({**S_CURVE, "ramp": 5.0}, "path.ramp needs profile = 'three-phase'."),
    ({**LINE, "speed": 1.0}, "path.speed needs profile = 's-curve'."),
    ({**THREE, "jerk": 1.0}, "path.jerk needs profile = 's-curve'."),
    ({**S_CURVE, "speeed": 1.0}, "'speeed'. Did you mean 'speed'?"),
    ({**S_CURVE, "profile": "scurve"}, "Did you mean 's-curve'?"),
    ({**S_CURVE, "speed": 0}, "path.speed must be a positive number, got 0."),
    ({**S_CURVE, "jerk": -1.0}, "path.jerk must be a positive number, got -1.0."),
    ({**S_CURVE, "acceleration": math.inf}, "path.acceleration must be a positive number, got inf"),
    ({**S_CURVE, "speed": "fast"}, "path.speed must be a positive number, got 'fast'."),
    ({**S_CURVE, "higher": 1.0}, "path.higher must be a list of 1 to 3 numbers, got 1.0."),
    ({**S_CURVE, "higher": [1, 0]}, "path.higher[1] must be a positive number, got 0."),
    ({**S_CURVE, "higher": [1] * 4}, "path.higher must be a list of 1 to 3 numbers"),
    ({**S_CURVE, "jerk": 1e12}, "path.jerk is so large that it has no effect; leave it out."),
    ({**S_CURVE, "higher": [1e12]}, "path.higher[0] is so large that it has no effect"),
    (without(S_CURVE, "speed", "acceleration", "jerk"), "needs at least one limit: speed, acc"),
    ({**S_CURVE, "goal": S_CURVE["start"]}, "needs a way to go, and the way has the length 0."),
    ({**without(S_CURVE, "acceleration", "jerk"), "speed": 1e9}, "it must be at least 1e-06 s"),
    ({**without(TURN, "duration"), **SLOW, "goal": [0, 0, 0]}, "needs a way to go"),
    (
        {**without(ROUND, "duration"), **SLOW, "goal": [2, 2, 0]},
        "start and goal must have the same radius or the same angle.",
    ),
    ({**VIA, **SLOW}, "path.profile and path.speed need stop = true"),
    ({**VIA, "jerk": 1.0}, "path.profile and path.jerk need stop = true"),
    ({**VIA, **SLOW, "stop": True}, "path.duration must not be given with profile = 's-curve'"),
    (
        {**without(VIA, "duration"), **SLOW, "stop": True, "times": [0, 1, 2]},
        "path.times must not be given with profile = 's-curve'",
    ),
    (
        {**without(VIA, "duration"), **SLOW, "stop": True, "points": [[0] * 3, [1] * 3, [1] * 3]},
        "needs a way to go, and leg 2 has the length 0.",
    ),
    (combined(X, YZ, **SLOW), "path.duration must not be given with profile = 's-curve'"),
    (combined(X, YZ, speed=1.0), "path.speed needs profile = 's-curve'."),
    (
        without(combined(YZ, {**YZ, "outputs": ["x"], "value": 1}), "duration"),
        "duration is missing",
    ),
]


@pytest.mark.parametrize(("table", "message"), BAD, ids=[message[:50] for _, message in BAD])
def test_mistake_is_refused_with_one_sentence_that_names_the_key(table, message):
    with pytest.raises(InputError) as caught:
        make_path(table, XYZ)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_cylindrical_needs_three_outputs():
    with pytest.raises(InputError, match="gives x, y and z and needs three outputs, got 2"):
        make_path(ROUND, ("x", "z"))
