"""Profiles: against the formulas of the reference and against exact rational arithmetic."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from cranebridge.path import Line, polynomial, smooth_step, three_phase
from cranebridge.path.profiles.profile import MAX_SMOOTHNESS


def exact(coefficients, x, order=0):
    """Differentiate and evaluate a polynomial in rational arithmetic."""
    for _ in range(order):
        coefficients = [n * a for n, a in enumerate(coefficients)][1:]
    return sum((a * x**n for n, a in enumerate(coefficients)), Fraction(0))


def test_smooth_step_of_smoothness_4_is_the_polynomial_of_the_thesis():
    assert smooth_step(4) == (0, 0, 0, 0, 0, 126, -420, 540, -315, 70)


@pytest.mark.parametrize("k", range(MAX_SMOOTHNESS + 1))
def test_smooth_step_has_exactly_k_vanishing_derivatives_at_both_ends(k):
    step = smooth_step(k)
    assert len(step) == 2 * k + 2
    assert exact(step, 0) == 0
    assert exact(step, 1) == 1
    for order in range(1, k + 1):
        assert exact(step, 0, order) == exact(step, 1, order) == 0
    assert exact(step, 0, k + 1) != 0


def test_polynomial_is_evaluated_like_the_printed_formula():
    tau = np.linspace(0, 0.5, 101)
    printed = 126 * tau**5 - 420 * tau**6 + 540 * tau**7 - 315 * tau**8 + 70 * tau**9
    c = polynomial(3.0).derivatives(3 * tau, 0)[0]
    np.testing.assert_allclose(c, printed, rtol=1e-12, atol=0)


@pytest.mark.parametrize("k", [0, 1, 4, 7, 12, MAX_SMOOTHNESS])
def test_derivatives_of_any_order_agree_with_rational_arithmetic(k):
    profile = polynomial(1.0, k)
    t = np.array([2.0**-20, 0.0625, 0.25, 0.375, 0.5, 0.5625, 0.75, 0.9375, 1 - 2.0**-20])
    computed = profile.derivatives(t, 2 * k + 3)
    for order, row in enumerate(computed):
        wanted = np.array([float(exact(smooth_step(k), Fraction(x), order)) for x in t])
        scale = max(np.abs(wanted).max(), 1e-300)
        limit = 3e-15 if order <= 4 or k <= 7 else 1e-11
        assert np.abs(row - wanted).max() <= limit * scale


def test_values_near_both_ends_keep_their_relative_accuracy():
    c = polynomial(1.0).derivatives(np.array([1e-30]), 4)[:, 0]
    powers = 1e-30 ** np.arange(5.0, 0.0, -1)
    np.testing.assert_allclose(c, 126 * powers * [1, 5, 20, 60, 120], rtol=1e-12)
    late = polynomial(1.0).derivatives(np.array([1 - 2.0**-40]), 4)[1:, 0]
    wanted = [126 * p * 2.0 ** (-40 * n) for p, n in ((5, 4), (-20, 3), (60, 2), (-120, 1))]
    np.testing.assert_allclose(late, wanted, rtol=1e-10)


@pytest.mark.parametrize(("tau", "tau0"), [(20.0, 5.0), (40.0, 10.0), (3.0, 0.7)])
def test_three_phase_is_equation_29_of_the_paper(tau, tau0):
    def first(t):
        bracket = 7 * t**5 / tau0**4 - 14 * t**6 / tau0**5 + 10 * t**7 / tau0**6
        return (bracket - 2.5 * t**8 / tau0**7) / (tau - tau0)

    t = np.linspace(0, tau, 203)
    wanted = np.select(
        [t <= tau0, t <= tau - tau0], [first(t), (t - tau0 / 2) / (tau - tau0)], 1 - first(tau - t)
    )
    c = three_phase(tau, tau0).derivatives(t, 0)[0]
    np.testing.assert_allclose(c, wanted, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("k", [1, 2, 4, 7, 12])
def test_three_phase_meets_the_steady_phase_consistently(k):
    profile = three_phase(20.0, 5.0, k)
    for side in ("left", "right"):
        c = profile.derivatives(np.array([5.0, 15.0]), 1, side)
        np.testing.assert_allclose(c[0], [1 / 6, 5 / 6], rtol=1e-14)
        np.testing.assert_allclose(c[1], 1 / 15, rtol=1e-13)


def test_velocity_ramp_of_class_7_is_the_smooth_step_of_degree_13():
    t = np.array([0.5, 1.0, 2.5, 4.0])
    velocity = three_phase(20.0, 5.0, 7).derivatives(t, 1)[1]
    ramp = [float(exact(smooth_step(6), Fraction(x) / 5)) for x in t]
    np.testing.assert_allclose(velocity * 15, ramp, rtol=1e-13)
    assert len(three_phase(20.0, 5.0, 7).pieces[0].coefficients) == 15


def test_fifth_derivative_jumps_by_0_0896_in_the_profile_of_the_paper():
    profile = three_phase(20.0, 5.0)
    knots = np.array(profile.knots)
    right = profile.derivatives(knots, 5, "right")[5]
    left = profile.derivatives(knots, 5, "left")[5]
    np.testing.assert_allclose(np.abs(right - left), 0.0896, rtol=1e-12)


PROFILES = [polynomial(3.7, k) for k in (0, 1, 2, 4, 7, 10)] + [
    three_phase(*times, k)
    for times in ((20.0, 5.0), (3.0, 1.5), (0.3, 0.1), (7.0, 0.01))
    for k in (1, 2, 3, 4, 7)
]


@pytest.mark.parametrize("profile", PROFILES)
def test_profile_is_exactly_of_the_class_that_it_reports(profile):
    lengths = np.diff(profile.knots)
    for b in profile.breaks:
        i = profile.knots.index(b.time)
        unit = min(lengths[max(i - 1, 0) : i + 1])
        right = profile.derivatives(np.array([b.time]), b.order + 1, "right")[:, 0]
        left = profile.derivatives(np.array([b.time]), b.order + 1, "left")[:, 0]
        jump = np.abs(right - left) * unit ** np.arange(b.order + 2)
        assert (jump[:-1] < 1e-9).all()
        # normalised by the ramp, the first jump is a number of order one or larger
        assert jump[-1] > 1e-4


@pytest.mark.parametrize("profile", PROFILES)
def test_profile_is_symmetric_monotone_and_at_rest_outside(profile):
    end = profile.end
    t = np.linspace(0, end, 501)
    c = profile.derivatives(t, 1, "left")
    np.testing.assert_allclose(c[0] + profile.derivatives(end - t, 0)[0], 1, atol=1e-14)
    assert (np.diff(c[0]) >= -1e-15).all()
    outside = profile.derivatives(np.array([-np.inf, -1.0, end, end + 1, np.inf]), 3)
    assert outside[0].tolist() == [0, 0, 1, 1, 1]
    assert not outside[1:].any()
    assert not profile.derivatives(np.array([0.0]), 3, "left").any()


@pytest.mark.parametrize("profile", PROFILES)
def test_each_derivative_integrates_to_the_one_below(profile):
    nodes, weights = np.polynomial.legendre.leggauss(16)
    for a, b in pairwise(profile.knots):
        t = (a + b) / 2 + (b - a) / 2 * nodes
        inside = profile.derivatives(t, 6)
        first = profile.derivatives(np.array([a]), 6, "right")[:, 0]
        last = profile.derivatives(np.array([b]), 6, "left")[:, 0]
        integral = inside[1:] @ weights * (b - a) / 2
        scale = np.abs(inside).max(axis=1)[:-1] + 1e-300
        assert (np.abs(integral - (last - first)[:-1]) <= 1e-11 * scale).all()


def test_no_steady_phase_is_left_when_ramps_meet():
    profile = three_phase(10.0, 5.0)
    assert profile.names == ("acceleration", "deceleration")
    assert profile.knots == (0, 5, 10)
    # the fifth derivative of the two ramps is odd about the middle for j = 3, so it jumps not
    assert [b.order for b in profile.breaks] == [4, 5, 4]


def test_phases_are_named():
    assert three_phase(20, 5).phases == (
        ("acceleration", 0, 5),
        ("steady", 5, 15),
        ("deceleration", 15, 20),
    )
    assert polynomial(3).phases == (("motion", 0, 3),)


@pytest.mark.parametrize(
    "make",
    [
        lambda: polynomial(0.0),
        lambda: polynomial(1.0, -1),
        lambda: polynomial(1.0, MAX_SMOOTHNESS + 1),
        lambda: three_phase(1.0, 0.0),
        lambda: three_phase(1.0, 0.6),
        lambda: three_phase(1.0, 0.2, 0),
    ],
)
def test_senseless_profiles_are_refused(make):
    with pytest.raises(ValueError, match="must be"):
        make()


@pytest.mark.parametrize("wrong", [{"order": -1}, {"order": True}, {"order": 1.0}, {"side": "up"}])
def test_senseless_evaluations_are_refused(wrong):
    line = Line(("x",), (0.0,), (1.0,), polynomial(1.0))
    with pytest.raises(ValueError, match="must be"):
        line.derivatives([0.5], **{"order": 1, **wrong})
    with pytest.raises(ValueError, match="NaN"):
        line([np.nan])
    with pytest.raises(ValueError, match="one-dimensional"):
        line([[0.5]])
