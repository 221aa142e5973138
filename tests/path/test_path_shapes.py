"""Lines, waypoints, curves and combinations: against closed forms, CasADi, SciPy and the cases."""

import json
import math
import sys
from pathlib import Path as File

import casadi as ca
import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

from cranebridge.errors import InputError
from cranebridge.path import Break, Combined, Hold, Line, make_path, polynomial, three_phase

XYZ = ("x", "y", "z")
THREE_PHASE = {"profile": "three-phase", "duration": 20.0, "ramp": 5.0}
ROOT = File(__file__).parents[2]
PLACES = (ROOT / "tests" / "data" / "cases", ROOT.parent / "shared" / "cases")


def case(name):
    for place in PLACES:
        if (place / f"{name}.json").exists():
            return json.loads((place / f"{name}.json").read_text())
    return pytest.skip(f"the reference case {name} is not here")


def with_casadi(expression, progress):
    """Differentiate f(c(t)) by CasADi: c is a Taylor polynomial in a dummy time at each t."""
    order = len(progress) - 1
    s, c = ca.SX.sym("s"), ca.SX.sym("c", order + 1)
    y = expression(sum(c[k] * s**k / math.factorial(k) for k in range(order + 1)))
    rows = [y]
    for _ in range(order):
        rows.append(ca.jtimes(rows[-1], s, 1))
    f = ca.Function("f", [s, c], rows)
    return np.array([np.array(row) for row in f(0, progress)])


def calls(action):
    """Count the function calls of an action, Python's and C's."""
    count = 0

    def tick(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")

    action()  # what is made once is made before
    sys.setprofile(tick)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "name", ["overhead", "rotary", "rotary-redundant", "navy2d-pulley", "navy3d"]
)
def test_lines_agree_with_the_reference_cases(name):
    data = case(name)
    trajectory = data["trajectory"]
    ends = {"start": trajectory["gamma_0"], "goal": trajectory["gamma_f"]}
    function = trajectory["reference_function"]
    shape = {"duration": 3.0} if function["name"].startswith("poly9") else THREE_PHASE
    path = make_path({"kind": "line", **ends, **shape}, data["flat_outputs"])
    gamma = path.derivatives(data["data"]["t"], 4)
    for k, row in enumerate(gamma):
        wanted = np.array(data["data"]["gamma" if k == 0 else f"gamma_d{k}"]).T
        # the cases are printed with twelve digits
        np.testing.assert_allclose(row, wanted, rtol=0, atol=5.1e-12 * np.abs(wanted).max())
    assert path.smoothness() == 4


def cablev(goal, phi):
    start = [1 + math.sqrt(3) / 5, 1.2, 3.0]
    parts = [
        {"kind": "line", "outputs": ["r_x", "r_y", "r_z"], "start": start, "goal": goal},
        {
            "kind": "rotation",
            "outputs": ["phi_1", "phi_2", "phi_3"],
            "start": [0, 0, 0],
            "goal": phi,
        },
        {"kind": "hold", "outputs": ["x_0"], "value": 0},
    ]
    outputs = ["r_x", "r_y", "r_z", "phi_1", "phi_2", "phi_3", "x_0"]
    return make_path({"kind": "combined", **THREE_PHASE, "parts": parts}, outputs)


def test_cablev_translation_agrees_with_the_reference_case():
    data = case("cablev-translate")["data"]
    path = cablev([3 + math.sqrt(3) / 5, 5.0, 1.0], [0, 0, 0])
    gamma = path.derivatives(data["t"], 2)
    for row, name in zip(gamma, ("r", "r_d1", "r_d2"), strict=True):
        np.testing.assert_allclose(row[:3], np.array(data[name]).T, rtol=0, atol=1e-11)
        assert not row[3:].any()
    assert [path.smoothness(name) for name in path.outputs] == [4] * 3 + [math.inf] * 4


def test_combined_path_stacks_parts_and_inherits_their_common_keys():
    path = cablev([3 + math.sqrt(3) / 5, 5.0, 1.0], [math.pi / 6, math.pi / 4, math.pi / 3])
    assert path.knots == (0, 5, 15, 20)
    assert path.phases[0] == ("acceleration", 0, 5)
    assert path.smoothness() == 4
    assert path.smoothness("x_0") == math.inf
    np.testing.assert_allclose(path(20.0)[3:, 0], [math.pi / 6, math.pi / 4, math.pi / 3, 0])
    alone = path.parts[0].derivatives([3.0, 17.0], 4)
    np.testing.assert_array_equal(path.derivatives([3.0, 17.0], 4)[:, :3], alone)


def test_combined_parts_may_have_their_own_shape_and_rest_when_done():
    parts = [
        {
            "kind": "line",
            "outputs": ["z"],
            "start": [1],
            "goal": [2],
            "duration": 4,
            "smoothness": 6,
        },
        {"kind": "line", "outputs": ["x"], "start": [0], "goal": [5], **THREE_PHASE},
    ]
    path = make_path({"kind": "combined", "parts": parts}, ["x", "z"])
    assert path.duration == 20
    assert path.knots == (0, 4, 5, 15, 20)
    assert (path.smoothness("x"), path.smoothness("z"), path.smoothness()) == (4, 6, 4)
    assert path.phases == (("motion", 0, 20),)
    assert path.derivatives([10.0], 1)[:, 1, 0].tolist() == [2, 0]


def test_combined_refuses_parts_that_do_not_fit():
    with pytest.raises(ValueError, match="parts give the outputs"):
        Combined(("x", "y"), (Hold(("x",), (1.0,), 2.0),))


def test_line_meets_start_and_goal_to_the_last_bit():
    start, goal = (0.1, 1e16, -0.3), (0.7, 1.0, 1e-17)
    path = Line(XYZ, start, goal, polynomial(0.3))
    assert tuple(path(-1)[:, 0]) == tuple(path(0)[:, 0]) == start
    assert tuple(path(0.3)[:, 0]) == tuple(path(9)[:, 0]) == goal
    assert tuple(path.derivatives(0.3, 0, "left")[0, :, 0]) == goal


def test_output_of_a_line_that_does_not_move_is_infinitely_smooth():
    path = Line(("x", "y"), (0.0, 2.0), (1.0, 2.0), polynomial(1.0))
    assert path.breaks("y") == ()
    assert path.smoothness("y") == math.inf
    assert path.smoothness() == 4
    with pytest.raises(InputError, match="Did you mean"):
        make_path({"kind": "hold", "value": 1, "duration": 1}, ["phi_1"]).breaks("phi1")


def test_many_points_take_as_many_calls_as_few():
    # Points are evaluated together: the number of calls, which no load of the machine changes.
    path = Line(XYZ, (5.0, 0.0, -5.0), (-2.0, 2.0, -2.0), three_phase(20, 5))
    assert calls(lambda: path.derivatives(np.linspace(0, 20, 20001), 5)) == calls(
        lambda: path.derivatives(np.linspace(0, 20, 201), 5)
    )


def test_unsorted_times_give_the_same_values():
    path = Line(XYZ, (5.0, 0.0, -5.0), (-2.0, 2.0, -2.0), three_phase(20, 5))
    t = np.linspace(-1, 21, 301)
    order = np.random.default_rng(1).permutation(301)
    np.testing.assert_array_equal(path.derivatives(t[order], 5), path.derivatives(t, 5)[..., order])


# ------------------------------------------------------------------------------------- waypoints
POINTS = [[0.0, 1.0], [2.0, 1.0], [4.0, -1.0], [3.0, 5.0]]


@pytest.mark.parametrize("shape", [{"smoothness": 4}, {"profile": "three-phase", "ramp": 0.4}])
def test_stops_rest_at_each_point_and_each_leg_is_a_line(shape):
    times = [0.0, 1.0, 2.0, 5.0]
    path = make_path(
        {"kind": "waypoints", "points": POINTS, "times": times, "stop": True, **shape}, ["x", "z"]
    )
    at_points = path.derivatives(times, 4)
    np.testing.assert_array_equal(at_points[0].T, POINTS)
    assert np.abs(at_points[1:]).max() < 1e-12
    leg = make_path(
        {"kind": "line", "start": POINTS[2], "goal": POINTS[3], "duration": 3, **shape}, ["x", "z"]
    )
    t = np.linspace(0.01, 2.99, 77)
    np.testing.assert_allclose(
        path.derivatives(t + 2, 5), leg.derivatives(t, 5), rtol=1e-9, atol=1e-9
    )
    assert path.smoothness() == 4
    assert path.phases == (("leg 1", 0, 1), ("leg 2", 1, 2), ("leg 3", 2, 5))


def test_stops_know_where_each_output_is_rough():
    path = make_path(
        {"kind": "waypoints", "points": POINTS, "duration": 3, "stop": True}, ["x", "z"]
    )
    # x goes equally far in the first two legs: there its fifth derivative does not jump
    assert path.breaks("x") == (Break(0, 4), Break(1, 5), Break(2, 4), Break(3, 4))
    # z does not move in the first leg
    assert path.breaks("z") == (Break(1, 4), Break(2, 4), Break(3, 4))
    check_classes(path)


@pytest.mark.parametrize("k", [1, 2, 4, 7])
@pytest.mark.parametrize("times", [[0.0, 4.0, 7.0, 12.0, 20.0], [0.0, 1.0, 2.0, 3.0, 4.0]])
def test_spline_agrees_with_scipy_and_rests_at_both_ends(k, times):
    points = np.array([[0.0, 3.0], [2.0, 4.0], [1.0, 4.0], [5.0, 3.0], [4.0, 3.5]])
    path = make_path(
        {"kind": "waypoints", "points": points.tolist(), "times": times, "smoothness": k},
        ["x", "z"],
    )
    ends = [(m, np.zeros(2)) for m in range(1, k + 1)]
    scipy = make_interp_spline(times, points, k=2 * k + 1, bc_type=(ends, ends))
    t = np.linspace(0, times[-1], 201)[1:-1]
    np.testing.assert_allclose(path.derivatives(t, 0)[0], scipy(t).T, atol=1e-9)
    np.testing.assert_allclose(path.derivatives(t, 1)[1], scipy(t, 1).T, atol=1e-7)
    np.testing.assert_allclose(path(times).T, points, atol=1e-11)
    inner = path.derivatives([0.0], k + 1, "right"), path.derivatives([times[-1]], k + 1, "left")
    for limits in inner:
        assert not limits[1 : k + 1].any()
        assert limits[k + 1].any()
    assert path.smoothness() == k
    assert [b.order for b in path.breaks("x")] == [k, 2 * k, 2 * k, 2 * k, k]


def test_spline_is_smooth_to_twice_its_class_at_via_points():
    path = make_path(
        {"kind": "waypoints", "points": POINTS, "duration": 3, "smoothness": 2}, ["x", "z"]
    )
    right, left = (path.derivatives([1.0, 2.0], 6, side) for side in ("right", "left"))
    scale = np.abs(path.derivatives(np.linspace(0, 3, 99), 6)).max(axis=2, keepdims=True)
    jump = np.abs(right - left)
    assert (jump[:5] < 1e-11 * scale[:5]).all()
    assert (jump[5] > 1e-2 * scale[5]).all()
    assert not right[6].any()


def test_spline_derivatives_integrate_to_the_ones_below():
    path = make_path({"kind": "waypoints", "points": POINTS, "duration": 3}, ["x", "z"])
    nodes, weights = np.polynomial.legendre.leggauss(12)
    for a in (0.0, 1.0, 2.0):
        inside = path.derivatives(a + (1 + nodes) / 2, 9)
        first, last = path.derivatives([a], 9), path.derivatives([a + 1], 9, "left")
        integral = inside[1:] @ weights / 2
        scale = np.abs(inside).max(axis=(1, 2))[:-1, None]
        assert (np.abs(integral - (last - first)[:-1, :, 0]) < 1e-10 * scale).all()


def test_phases_of_a_spline_are_its_legs():
    table = {"kind": "waypoints", "points": POINTS, "times": [0, 1, 4, 6]}
    path = make_path(table, ["x", "z"])
    assert path.phases == (("leg 1", 0, 1), ("leg 2", 1, 4), ("leg 3", 4, 6))


def test_spline_through_two_points_is_the_smooth_step():
    ends = [[1.0, 2.0], [4.0, -2.0]]
    path = make_path({"kind": "waypoints", "points": ends, "duration": 3}, ["x", "z"])
    line = make_path({"kind": "line", "start": ends[0], "goal": ends[1], "duration": 3}, ["x", "z"])
    t = np.linspace(-1, 4, 99)
    for a, b in zip(path.derivatives(t, 9), line.derivatives(t, 9), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-11 * max(1, np.abs(b).max()))


def test_spline_that_rounding_spoils_is_refused():
    points = np.random.default_rng(0).normal(size=(40, 1)).tolist()
    table = {"kind": "waypoints", "points": points, "duration": 10, "smoothness": 20}
    with pytest.raises(InputError, match="use a lower smoothness"):
        make_path(table, ["x"])


# ---------------------------------------------------------------------------- curves and classes
def long_rotary(**change):
    table = {"kind": "cylindrical", "start": [15, 0, -15], "goal": [5, 1.5 * math.pi, -3]}
    shape = {"profile": "three-phase", "duration": 40.0, "ramp": 10.0}
    return make_path({**table, **shape, **change}, XYZ)


def test_cylindrical_derivatives_agree_with_casadi():
    path = long_rotary()
    t = np.linspace(0, 40, 83)
    progress = three_phase(40, 10).derivatives(t, 7)

    def expression(c):
        r, phi = 15 - 10 * c, 1.5 * math.pi * c
        return ca.vertcat(r * ca.cos(phi), r * ca.sin(phi), -15 + 12 * c)

    wanted = with_casadi(expression, progress)
    for a, b in zip(path.derivatives(t, 7), wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-13 * np.abs(b).max())


def test_cylindrical_line_turns_by_270_degrees():
    path = long_rotary()
    x, y, z = path(np.linspace(0, 40, 4001))
    np.testing.assert_allclose([x[0], y[0], z[0]], [15, 0, -15])
    np.testing.assert_allclose([x[-1], y[-1], z[-1]], [0, -5, -3], atol=1e-14)
    turned = np.unwrap(np.arctan2(y, x))
    assert turned[-1] == pytest.approx(1.5 * math.pi)
    np.testing.assert_allclose(np.hypot(x, y), 15 - 10 * turned / (1.5 * math.pi), rtol=1e-13)


def check_classes(path):
    """Check every break by one-sided limits, and that there are no others at the knots."""
    samples = np.linspace(0, path.duration, 401)
    for i, name in enumerate(path.outputs):
        orders = {b.time: b.order for b in path.breaks(name)}
        for knot in path.knots:
            highest = orders.get(knot, 9) + 1
            right, left = (path.derivatives([knot], highest, s)[:, i, 0] for s in ("right", "left"))
            scale = np.abs(path.derivatives(samples, highest)).max(axis=(1, 2)) + 1e-300
            jump = np.abs(right - left) / scale
            assert (jump[:highest] < 1e-9).all()
            if knot in orders:
                assert jump[highest] > 1e-4


@pytest.mark.parametrize("k", [2, 4, 7])
@pytest.mark.parametrize(
    "table",
    [
        {"kind": "line", "start": [5, 0, 1], "goal": [-2, 2, 1]},
        {"kind": "cylindrical", "start": [15, 0, -15], "goal": [5, 1.5 * math.pi, -3]},
        {"kind": "cylindrical", "start": [5, 0, 1], "goal": [5, math.pi / 2, 1]},
        {"kind": "rotation", "start": [0, 0, 0], "goal": [0.5, 0.8, 1.0]},
        {"kind": "rotation", "start": [0.3, -0.2, 0.1], "goal": [-0.5, 0.8, 2.0]},
    ],
)
@pytest.mark.parametrize("shape", [{}, {"profile": "three-phase", "ramp": 0.5}])
def test_class_is_what_one_sided_limits_show(table, k, shape):
    path = make_path({**table, **shape, "duration": 2, "smoothness": k}, XYZ)
    assert path.smoothness() == k
    check_classes(path)


def test_output_that_starts_across_its_motion_is_smoother_there():
    arc = {"kind": "cylindrical", "start": [5, 0, 1], "goal": [5, math.pi / 2, 1], "duration": 2}
    path = make_path(arc, XYZ)
    # x = 5 cos(phi) begins with phi^2, that is with t^10; y ends in the same way
    assert path.breaks("x") == (Break(0, 9), Break(2, 4))
    assert path.breaks("y") == (Break(0, 4), Break(2, 9))
    assert path.breaks("z") == ()


def test_radial_motion_leaves_the_output_across_at_rest():
    table = {
        "kind": "cylindrical",
        "start": [5, math.pi, 0],
        "goal": [2, math.pi, 1],
        "duration": 2,
    }
    path = make_path(table, XYZ)
    assert path.smoothness("y") == math.inf
    assert np.abs(path.derivatives(np.linspace(0, 2, 9), 3)[:, 1]).max() < 1e-14


EIGHT = {"kind": "figure-eight", "start": [0.2, -1.0], "size": [0.5, -0.25]}


def test_figure_eight_has_the_derivatives_of_its_sines():
    path = make_path(EIGHT | THREE_PHASE, ("x", "y"))
    times = np.linspace(0.0, 20.0, 41)
    progress = three_phase(20.0, 5.0).derivatives(times, 4, "right")
    wanted = [
        with_casadi(lambda c: 0.2 + 0.5 * ca.sin(2 * ca.pi * c), progress),
        with_casadi(lambda c: -1.0 - 0.25 * ca.sin(4 * ca.pi * c), progress),
    ]
    for i, rows in enumerate(wanted):
        for k, row in enumerate(rows):
            found = path.derivatives(times, 4)[k, i]
            np.testing.assert_allclose(found, row.ravel(), atol=1e-13 * max(1, np.abs(row).max()))


def test_figure_eight_ends_where_it_begins_and_is_as_smooth_as_its_profile():
    path = make_path(EIGHT | {"duration": 3.0, "smoothness": 3}, ("x", "y"))
    np.testing.assert_allclose(path([0.0, 1.5, 3.0]), [[0.2] * 3, [-1.0] * 3], atol=1e-15)
    assert path.smoothness() == 3
    assert path.knots == (0.0, 3.0)


def test_figure_eight_needs_two_outputs_and_numbers():
    with pytest.raises(InputError, match=r"figure-eight' must move two outputs, got 3 .*combined"):
        make_path(EIGHT | THREE_PHASE, XYZ)
    with pytest.raises(InputError, match=r"path.size must be a list of 2 numbers"):
        make_path(EIGHT | THREE_PHASE | {"size": [1.0]}, ("x", "y"))
    with pytest.raises(InputError, match="too far apart"):
        make_path(EIGHT | THREE_PHASE | {"start": [1.7e308, 0], "size": [1e308, 0]}, ("x", "y"))
