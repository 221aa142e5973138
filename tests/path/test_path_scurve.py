"""S-curves: durations in closed form, limits held and reached, and nothing shorter within them."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from cranebridge.path import averaged, polynomial, s_curve, three_phase
from cranebridge.path.profiles.scurve import (
    NoEffectError,
    limits_reached,
    peak_slope,
    step_class,
    windows_within,
)

INF = math.inf


def extremes(profile, distance, order, count=4001):
    """Return the largest magnitude of each derivative, looked at on a dense grid in each piece."""
    best = np.zeros(order + 1)
    for a, b in pairwise(profile.knots):
        found = profile.derivatives(np.linspace(a, b, count), order, "right")
        found[:, -1] = profile.derivatives(np.array([b]), order, "left")[:, 0]
        best = np.maximum(best, np.abs(found).max(axis=1))
    return distance * best[1:]


def test_triangle_and_trapezoid_of_order_2_have_their_known_durations():
    # speed not reached: T = 2 sqrt(L / A); reached: T = L / V + V / A
    assert s_curve(9.0, (INF, 1.0), 1).end == pytest.approx(2 * math.sqrt(9.0), rel=1e-15)
    assert s_curve(9.0, (4.0, 1.0), 1).end == pytest.approx(2 * math.sqrt(9.0), rel=1e-15)
    assert s_curve(9.0, (2.0, 1.0), 1).end == pytest.approx(9.0 / 2.0 + 2.0 / 1.0, rel=1e-15)


def closed_form(distance, speed, acceleration, jerk):
    """Return duration and number of segments by the textbook's cases of the S-curve."""
    if speed * jerk >= acceleration**2:  # the acceleration can be reached before the speed
        if distance >= speed**2 / acceleration + speed * acceleration / jerk:
            return distance / speed + speed / acceleration + acceleration / jerk, 7
        if distance >= 2 * acceleration**3 / jerk**2:
            part = acceleration / jerk
            return part + math.sqrt(part**2 + 4 * distance / acceleration), 6
    elif distance >= 2 * speed * math.sqrt(speed / jerk):
        return distance / speed + 2 * math.sqrt(speed / jerk), 5
    return (32 * distance / jerk) ** (1 / 3), 4


CASES = [
    (10.0, 1.0, 0.5, 0.5, 7),
    (10.0, 99.0, 0.5, 0.5, 6),
    (10.0, 1.0, 9.0, 0.5, 5),
    (1.0, 9.0, 9.0, 1.0, 4),
]


@pytest.mark.parametrize(("distance", "v", "a", "j", "segments"), CASES)
def test_s_curve_has_the_textbook_duration_in_each_of_its_cases(distance, v, a, j, segments):
    profile = s_curve(distance, (v, a, j), 2)
    duration, count = closed_form(distance, v, a, j)
    assert count == segments
    assert len(profile.pieces) == segments
    assert profile.end == pytest.approx(duration, rel=1e-14)
    found = extremes(profile, distance, 3)
    reached = {7: (0, 1, 2), 6: (1, 2), 5: (0, 2), 4: (2,)}[segments]
    for i, limit in enumerate((v, a, j)):
        if i in reached:
            assert found[i] == pytest.approx(limit, rel=1e-13)
        else:
            assert found[i] < 0.99 * limit


positive = st.floats(1e-3, 1e3)


@settings(deadline=None, max_examples=100)
@given(positive, positive, positive, positive)
def test_duration_is_the_closed_form_for_random_limits(distance, v, a, j):
    # an edge of two cases may cost a millionth, where a segment would be shorter than that
    duration = float(sum(windows_within(distance, (v, a, j), 0)))
    wanted = closed_form(distance, v, a, j)[0]
    assert wanted * (1 - 1e-12) <= duration <= wanted * (1 + 2e-6)


@settings(deadline=None, max_examples=60)
@given(
    positive,
    st.lists(st.floats(0.05, 20.0) | st.just(INF), min_size=0, max_size=3),
    st.floats(0.05, 20.0),
    st.integers(0, 6),
)
def test_limits_are_held_and_reached_and_the_class_is_as_asked(distance, lower, highest, smooth):
    limits = (*lower, highest)
    try:
        profile = s_curve(distance, limits, smooth)
    except NoEffectError:
        return
    found = extremes(profile, distance, len(limits), 201)
    assert (found <= np.array(limits) * (1 + 1e-9)).all()
    # The highest limit is always reached, but for a motion that was lengthened by a millionth, and
    # but for the grid: next to the peak of a pulse it misses by the square of a step.
    assert found[-1] >= limits[-1] * (1 - 1e-3)
    assert min(b.order for b in profile.breaks) == max(smooth, len(limits) - 1)
    ends = profile.derivatives(np.array([profile.begin, profile.end]), max(smooth, 1))
    np.testing.assert_allclose(ends[0], [0, 1], atol=1e-15)
    speed = profile.derivatives(np.linspace(0, profile.end, 501), 1)[1]
    assert (speed >= -1e-12 * speed.max()).all()


def most_distance(duration, v, a, j, count):
    """Return the longest way of any motion within the limits in a time, by linear programming.

    Jerks are constant in each of `count` steps; all limits are stated at the steps' ends, between
    which speeds may exceed theirs by j h^2 / 8.
    """
    h = duration / count
    k = np.arange(count)
    node = np.arange(1, count + 1)[:, None]
    before = np.clip(node - k, 0, None)  # steps from the begin of step k to each node
    inside = (before > 0).astype(float)
    acceleration = h * inside
    speed = h**2 * np.where(before > 0, before - 0.5, 0.0)
    way = h**3 * ((count - k) ** 2 / 2 - (count - k) / 2 + 1 / 6)
    bounds = np.vstack([acceleration, -acceleration, speed, -speed])
    most = np.concatenate([np.full(2 * count, a), np.full(2 * count, v)])
    ends = np.vstack([acceleration[-1], speed[-1]])
    found = linprog(-way, bounds, most, ends, np.zeros(2), [(-j, j)] * count, method="highs")
    assert found.status == 0
    return -found.fun


@pytest.mark.parametrize(("distance", "v", "a", "j", "segments"), CASES)
def test_no_motion_of_the_same_class_is_shorter(distance, v, a, j, segments):
    duration = s_curve(distance, (v, a, j), 2).end
    count = 240
    slack = j * (duration / count) ** 2 / 8 * duration
    # in the same time no motion gets further, whatever its jerks ...
    assert most_distance(duration, v, a, j, count) <= distance + slack
    # ... and the comparison is sharp: with two per cent more time one does
    assert most_distance(1.02 * duration, v, a, j, count) > distance + slack


@pytest.mark.parametrize("order", [2, 3])
def test_with_the_highest_limit_alone_switches_are_those_of_chebyshev(order):
    # |x^(n)| <= 1 from rest to rest: shortest T^n = (n - 1)! 4^(n - 1) L (perfect splines)
    profile = s_curve(1.0, (*[INF] * (order - 1), 1.0), 0)
    wanted = (math.factorial(order - 1) * 4 ** (order - 1)) ** (1 / order)
    assert profile.end == pytest.approx(wanted, rel=1e-15)


@pytest.mark.parametrize(("order", "ratio"), [(4, 1.07), (5, 1.22)])
def test_above_order_3_the_loss_against_the_shortest_is_what_the_docs_say(order, ratio):
    shortest = (math.factorial(order - 1) * 4 ** (order - 1)) ** (1 / order)
    found = s_curve(1.0, (*[INF] * (order - 1), 1.0), 0).end
    assert round(found / shortest, 2) == ratio


def test_smoothness_4_costs_as_much_time_as_the_docs_say():
    sharp, smooth = (s_curve(1.0, (INF, INF, 1.0), k).end for k in (2, 4))
    assert round(smooth / sharp, 2) == 1.23


@pytest.mark.parametrize("k", [1, 2, 4, 7])
def test_one_window_is_the_polynomial_and_two_are_the_three_phase_profile(k):
    assert averaged([3.7], k).pieces == polynomial(3.7, k).pieces
    ours, known = averaged([15.0, 5.0], k - 1), three_phase(20.0, 5.0, k)
    assert ours == known


def test_averaging_is_a_moving_average():
    windows = (2.0, 1.25, 0.5)
    profile, shorter = averaged(windows, 2), averaged(windows[1:], 2)
    t = np.linspace(0.0, 3.75, 76)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    wanted = np.zeros_like(t)
    for i, time in enumerate(t):
        cuts = np.unique(np.clip([time - 2.0, time, *shorter.knots], time - 2.0, time))
        for a, b in pairwise(cuts):
            inside = shorter.derivatives((a + b) / 2 + (b - a) / 2 * nodes, 0)[0]
            wanted[i] += inside @ weights * (b - a) / 2 / 2.0
    np.testing.assert_allclose(profile.derivatives(t, 0)[0], wanted, rtol=0, atol=1e-14)


def test_peak_slopes_are_those_of_the_smooth_steps():
    assert [peak_slope(k) for k in range(3)] == [1, Fraction(3, 2), Fraction(15, 8)]
    for k in range(6):
        step = polynomial(1.0, k).derivatives(np.array([0.5]), 1)[1, 0]
        assert float(peak_slope(k)) == pytest.approx(step, rel=1e-14)


@pytest.mark.parametrize("limits", [(1.0, 0.5, 0.5), (1.0, 0.5, 0.5, 2.0), (2.0, 0.5, 0.2, 9.0)])
@pytest.mark.parametrize("smooth", [2, 4])
def test_limits_of_windows_give_the_windows_again(limits, smooth):
    steps = step_class(len(limits), smooth)
    windows = windows_within(10.0, limits, steps)
    again = windows_within(10.0, limits_reached(windows, 10.0, steps), steps)
    np.testing.assert_allclose([*map(float, again)], [*map(float, windows)], rtol=2e-6)


def test_each_derivative_integrates_to_the_one_below():
    nodes, weights = np.polynomial.legendre.leggauss(16)
    for profile in (s_curve(10.0, (1.0, 0.5, 0.5)), s_curve(3.0, (1.0, 0.5, 0.5, 1.0, 4.0), 6)):
        for a, b in pairwise(profile.knots):
            inside = profile.derivatives((a + b) / 2 + (b - a) / 2 * nodes, 5)
            first = profile.derivatives(np.array([a]), 5, "right")[:, 0]
            last = profile.derivatives(np.array([b]), 5, "left")[:, 0]
            integral = inside[1:] @ weights * (b - a) / 2
            scale = np.abs(inside).max(axis=1)[:-1] + np.abs(first)[:-1]
            assert (np.abs(integral - (last - first)[:-1]) <= 1e-12 * scale + 1e-15).all()


def test_pieces_are_named_by_what_the_speed_does_and_shown_as_three_phases():
    profile = s_curve(10.0, (1.0, 0.5, 0.5), 2)
    assert profile.phases == (
        ("acceleration", 0.0, 3.0),
        ("steady", 3.0, 10.0),
        ("deceleration", 10.0, 13.0),
    )
    assert [name for name, *_ in s_curve(1.0, (INF, INF, 1.0), 2).phases] == [
        "acceleration",
        "deceleration",
    ]
    assert averaged([1.0, 2.0, 3.0]).phases == (("motion", 0.0, 6.0),)


def test_a_gap_of_rounding_size_is_closed_without_breaking_a_limit():
    # distance just beyond the one at which the speed is reached: a steady phase of 1e-9 s
    distance = (1.0 * 3.0) * (1 + 1e-9 / 3.0)
    profile = s_curve(distance, (1.0, 0.5, 0.5), 2)
    assert "steady" not in profile.names
    assert (extremes(profile, distance, 3) <= np.array([1.0, 0.5, 0.5]) * (1 + 1e-12)).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: s_curve(1.0, ()),
        lambda: s_curve(0.0, (1.0,)),
        lambda: s_curve(1.0, (1.0, -1.0)),
        lambda: s_curve(1.0, (1.0, INF)),
        lambda: averaged([]),
        lambda: averaged([1.0, 0.0]),
    ],
)
def test_senseless_s_curves_are_refused(make):
    with pytest.raises(ValueError, match="must be positive"):
        make()


def test_a_limit_without_effect_is_refused_with_its_place():
    with pytest.raises(NoEffectError) as caught:
        s_curve(10.0, (1.0, 0.5, 1e9))
    assert caught.value.position == 2
