"""B-splines as paths: against SciPy, at knots that stand twice, at rest and in motion."""

import math

import numpy as np
import pytest
from scipy.interpolate import BSpline

from cranebridge.errors import InputError
from cranebridge.path import Break, BSplinePath, Combined, Hold, ScaledPath, make_path, tail

XZ = ("x", "z")
# degree 5 with double knots, as planners use it
TIMES = (0.0,) * 6 + (0.7, 0.7, 1.5, 1.5, 2.1) + (3.2,) * 6


def control_points(rest_start=0, rest_end=0):
    """Return random control points whose first and last ones are equal, for rest at the ends."""
    points = np.random.default_rng(5).uniform(-3.0, 3.0, (11, 2))
    points[: rest_start + 1] = points[0]
    points[11 - rest_end - 1 :] = points[-1]
    return tuple(map(tuple, points.tolist()))


def moving(**settings):
    return BSplinePath(XZ, 5, TIMES, control_points(), True, True, **settings)


def at_rest():
    return BSplinePath(XZ, 5, TIMES, control_points(4, 4))


@pytest.mark.parametrize("path", [moving(), at_rest()])
def test_spline_and_its_derivatives_are_those_of_scipy(path):
    reference = BSpline(np.array(path.times), np.array(path.coefficients), path.degree)
    t = np.linspace(0.0, path.duration, 401)[1:-1]
    found = path.derivatives(t, 6)
    for order in range(6):
        wanted = reference(t, nu=order).T
        # rounding grows with each derivative by 1 / length of the shortest piece, 0.6 s
        size = 1e-13 * np.abs(wanted).max() * 2.0**order
        np.testing.assert_allclose(found[order], wanted, rtol=0.0, atol=size)
    assert not found[6].any()  # beyond the degree


def test_both_sides_of_a_double_knot_are_the_polynomials_beside_it():
    path = moving()
    reference = BSpline(np.array(path.times), np.array(path.coefficients), 5)
    for knot, multiplicity in ((0.7, 2), (1.5, 2), (2.1, 1)):
        left, right = (path.derivatives(knot, 5, side)[:, :, 0] for side in ("left", "right"))
        continuous = 5 - multiplicity
        scale = np.abs(right).max(axis=1, keepdims=True)
        gap = np.abs(left - right) / scale
        assert gap[: continuous + 1].max() < 1e-12
        assert gap[continuous + 1].min() > 1e-3  # it does jump there
        assert Break(knot, continuous) in path.breaks("x")
        # a polynomial of degree 5 is its Taylor series: SciPy within the piece tells both sides
        for side, h in ((left, -0.3), (right, 0.3)):
            series = sum(side[k] * h**k / math.factorial(k) for k in range(6))
            np.testing.assert_allclose(series, reference(knot + h), rtol=0.0, atol=1e-12)


def test_rest_is_exactly_zero_from_both_sides_and_breaks_tell_its_order():
    path = at_rest()
    for t in (-1.0, 0.0, path.duration, 9.0):
        for side in ("left", "right"):
            assert not path.derivatives(t, 4, side)[1:].any()
    assert path(0.0)[:, 0].tolist() == list(path.coefficients[0])
    assert path(path.duration)[:, 0].tolist() == list(path.coefficients[-1])
    assert path.breaks("x")[0] == Break(0.0, 4)
    assert path.breaks("x")[-1] == Break(3.2, 4)
    assert path.smoothness() == 3  # of the double knots
    assert path.derivatives(path.duration, 5, "left")[5].any()


def test_an_end_in_motion_belongs_to_the_path_from_both_sides_and_is_no_break():
    path = moving()
    for t, beyond in ((0.0, -1e-3), (path.duration, path.duration + 1e-3)):
        left, right = path.derivatives(t, 5, "left"), path.derivatives(t, 5, "right")
        np.testing.assert_array_equal(left, right)
        assert np.abs(left[1:]).min() > 0.0
        assert not path.derivatives(beyond, 5)[1:].any()
    assert [b.time for b in path.breaks("z")] == [0.7, 1.5, 2.1]
    assert path.moving_ends == (True, True)


def test_a_spline_that_moves_where_it_is_said_to_rest_has_a_break_of_order_zero_there():
    path = BSplinePath(XZ, 5, TIMES, control_points())
    assert path.breaks("x")[0] == Break(0.0, 0)


def test_a_spline_that_holds_is_at_rest():
    path = BSplinePath(XZ, 5, TIMES, ((1.0, 2.0),) * 11)
    t = np.linspace(-1.0, 4.0, 51)
    found = path.derivatives(t, 3)
    assert not found[1:].any()
    assert (found[0] == [[1.0], [2.0]]).all()
    assert path.smoothness() == math.inf


@pytest.mark.parametrize("factor", [0.3, 2.7])
def test_a_stretched_spline_moves_at_its_ends_as_the_spline_does(factor):
    path = moving()
    scaled = ScaledPath(XZ, path, factor)
    assert scaled.moving_ends == (True, True)
    for t, own in ((0.0, 0.0), (scaled.duration, path.duration)):
        for side in ("left", "right"):
            found, wanted = scaled.derivatives(t, 2, side), path.derivatives(own, 2)
            np.testing.assert_allclose(found[2] * factor**2, wanted[2], rtol=1e-12)


def test_combined_paths_move_where_a_part_does():
    spline = BSplinePath(("x",), 1, (0.0, 0.0, 2.0, 2.0), ((0.0,), (1.0,)), True, True)
    path = Combined(XZ, (spline, Hold(("z",), (1.0,), 2.0)))
    assert path.moving_ends == (True, True)
    assert Combined(XZ, (Hold(("x",), (1.0,), 2.0), Hold(("z",), (1.0,), 2.0))).moving_ends == (
        False,
        False,
    )
    with pytest.raises(InputError, match=r"path of x ends in motion after 2 s.*takes 3 s"):
        Combined(XZ, (spline, Hold(("z",), (1.0,), 3.0)))


# ---------------------------------------------------------------------- the rest of a path

LINE = {"kind": "line", "start": [0.0, 4.0], "goal": [5.0, 1.0], "duration": 20.0}
THREE = {**LINE, "profile": "three-phase", "ramp": 5.0}


@pytest.mark.parametrize("begin", [0.0, 1.3, 5.0, 0.1 + 0.2, 14.999])
@pytest.mark.parametrize("whole", [make_path(THREE, XZ), moving()])
def test_the_rest_of_a_path_is_the_path_from_that_time_on(whole, begin):
    if begin >= whole.duration:
        begin /= 7.0
    path = tail(whole, begin)
    t = np.linspace(0.0, path.duration, 173)
    found, wanted = path.derivatives(t, 5), whole.derivatives(t + begin, 5)
    away = np.abs(t[:, None] - np.array(path.knots)).min(axis=1) > 1e-9
    size = np.abs(wanted).max(axis=(1, 2))[:, None, None] + 1e-12
    # the same polynomials at times that differ by rounding, 4e-15 s
    assert (np.abs(found - wanted)[:, :, away] <= 1e-12 * size).all()
    assert path.moving_ends == (True, whole.moving_ends[1])
    assert path.duration == pytest.approx(whole.duration - begin, rel=1e-15)
    start = whole.derivatives(begin, 5)
    for side in ("left", "right"):
        np.testing.assert_array_equal(path.derivatives(0.0, 5, side), start)
    assert not path.derivatives(-0.5, 5)[1:].any()
    assert all(b.time > 0.0 for b in path.breaks("x"))


def test_knots_of_a_cut_path_keep_their_sides():
    whole = make_path(THREE, XZ)
    path = tail(whole, 0.1 + 0.2)
    for knot, own in zip(path.knots[1:], whole.knots[1:], strict=True):
        for side in ("left", "right"):
            found, wanted = path.derivatives(knot, 5, side), whole.derivatives(own, 5, side)
            np.testing.assert_array_equal(found, wanted)
    assert [name for name, *_ in path.phases] == ["acceleration", "steady", "deceleration"]
    assert [name for name, *_ in tail(whole, 6.0).phases] == ["steady", "deceleration"]


@pytest.mark.parametrize("time", [-0.1, 20.0, math.nan, math.inf])
def test_a_path_is_not_cut_where_it_is_not(time):
    with pytest.raises(InputError, match=r"a path of 20 s cannot be cut at"):
        tail(make_path(LINE, XZ), time)


# ---------------------------------------------------------------------- the table

KNOTS = [0.0] * 6 + [1.0, 1.0] + [2.5] * 6
POINTS = [[float(i), 4.0 - 0.1 * i * i] for i in range(8)]
TABLE = {"kind": "spline", "degree": 5, "knots": KNOTS, "coefficients": POINTS}


def test_the_table_of_a_spline_gives_its_path():
    path = make_path({**TABLE, "moving_start": True}, XZ)
    assert path == BSplinePath(XZ, 5, tuple(KNOTS), tuple(map(tuple, POINTS)), True, False)
    assert path.duration == 2.5
    assert make_path(TABLE, XZ).moving_ends == (False, False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"degree": 0}, r"path.degree must be an integer from 1 to 41, got 0"),
        ({"degree": True}, r"path.degree must be an integer"),
        ({"degree": 2.5}, r"path.degree must be an integer.*2.5"),
        ({"degree": 99}, r"path.degree must be an integer from 1 to 41"),
        ({"coefficients": POINTS[:5]}, r"at least 6 control points for degree 5"),
        ({"coefficients": 3}, r"coefficients must be a list"),
        ({"coefficients": [[1.0]] * 8}, r"coefficients\[0\] must be a list of 2 numbers"),
        ({"coefficients": [*POINTS[:7], [math.nan, 0.0]]}, r"coefficients\[7\]\[0\] must be"),
        ({"coefficients": [*POINTS[:7], [-1.7e308, 0.0]][::-1]}, None),
        ({"coefficients": [[1.7e308, 0.0], [-1.7e308, 0.0]] * 4}, r"too far apart"),
        ({"knots": KNOTS[:-1]}, r"knots must be a list of 14 times.*got 13 knots"),
        ({"knots": "soon"}, r"knots must be a list of 14 times.*'soon'"),
        ({"knots": [*KNOTS[:6], 1.0, "x", *KNOTS[8:]]}, r"knots\[7\] must be a number of seconds"),
        ({"knots": [0.5, *KNOTS[1:]]}, r"begin with 6 times 0"),
        ({"knots": [*KNOTS[:-1], 3.0]}, r"end with 6 times the duration"),
        ({"knots": [*KNOTS[:6], 1.0, 0.9, *KNOTS[8:]]}, r"must not decrease, got 1 before 0.9"),
        ({"knots": [0.0] * 14}, r"must end at 1e-06 s or later"),
        ({"knots": [0.0] * 7 + [1.0] + [2.5] * 6}, r"has 0 too often"),
        ({"knots": [0.0] * 6 + [1.0] + [2.5] * 7}, r"has 2.5 too often"),
        ({"knots": [*KNOTS[:6], 1.0, 1.0 + 1e-9, *KNOTS[8:]]}, r"must be equal, or not closer"),
        ({"moving_start": 1}, r"path.moving_start must be true or false, got 1"),
        ({"moving_end": "no"}, r"path.moving_end must be true or false, got 'no'"),
        ({"duration": 2.0}, r"duration"),
        ({"movingstart": True}, r"moving_start"),
    ],
)
def test_a_wrong_value_of_a_spline_is_refused_in_a_sentence(change, message):
    if message is None:  # far, but a number
        assert make_path({**TABLE, **change}, XZ).duration == 2.5
        return
    with pytest.raises(InputError, match=message):
        make_path({**TABLE, **change}, XZ)


@pytest.mark.parametrize("key", ["degree", "knots", "coefficients"])
def test_a_missing_key_of_a_spline_is_named(key):
    with pytest.raises(InputError, match=rf"path.{key} is missing"):
        make_path({k: v for k, v in TABLE.items() if k != key}, XZ)


def test_an_inner_knot_may_stand_degree_times_but_not_more():
    line = {"kind": "spline", "degree": 1, "moving_start": True, "moving_end": True}
    once = {**line, "knots": [0, 0, 1, 2, 2], "coefficients": [[0, 0], [1, 0], [0, 0]]}
    assert make_path(once, XZ)(0.5)[0, 0] == pytest.approx(0.5)
    twice = {**line, "knots": [0, 0, 1, 1, 2, 2], "coefficients": [[0, 0]] * 4}
    with pytest.raises(InputError, match=r"has 1 too often: .* at most 1 times"):
        make_path(twice, XZ)
    with pytest.raises(ValueError, match="inner knots stand degree times at most"):
        BSplinePath(XZ, 1, (0, 0, 1, 1, 2, 2), ((0.0, 0.0),) * 4)
