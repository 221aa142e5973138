"""Paths of polynomial pieces, and how a planner's pieces are joined."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cranebridge.path import Pieces
from cranebridge.plan.flat.join_pieces import join_exactly, shifted

NAMES = ("x", "z")


def two_pieces(moving: bool = False) -> Pieces:
    """Return x = t^3 until 1 s, then the tangent parabola; z = -2 stays."""
    first = ((0.0, -2.0), (0.0, 0.0), (0.0, 0.0), (6.0, 0.0))
    second = ((1.0, -2.0), (3.0, 0.0), (6.0, 0.0), (0.0, 0.0))
    return Pieces(NAMES, (0.0, 1.0, 3.0), (first, second), 2, moving, moving)


def test_pieces_are_the_polynomials_they_state() -> None:
    path, t = two_pieces(True), np.array([0.5, 2.0])
    values = path.derivatives(t, 4)[:, 0]
    np.testing.assert_allclose(values[:, 0], [0.125, 0.75, 3.0, 6.0, 0.0], rtol=1e-15)
    np.testing.assert_allclose(values[:, 1], [1.0 + 3.0 + 3.0, 9.0, 6.0, 0.0, 0.0], rtol=1e-15)
    assert not path.derivatives(t, 4)[1:, 1].any()


def test_one_sided_limits_at_a_knot_and_at_both_ends() -> None:
    path = two_pieces()
    assert path.derivatives([1.0], 3, side="left")[3, 0, 0] == 6.0
    assert path.derivatives([1.0], 3, side="right")[3, 0, 0] == 0.0
    # what does not move joins the rest: from outside everything is zero
    assert not path.derivatives([0.0], 3, side="left")[1:].any()
    assert not path.derivatives([3.0], 3, side="right")[1:].any()
    assert path.derivatives([3.0], 1, side="left")[1, 0, 0] == pytest.approx(15.0, rel=1e-15)
    assert path([3.5])[0, 0] == path([3.0])[0, 0] == pytest.approx(19.0, rel=1e-15)


def test_breaks_leave_out_ends_that_move_and_outputs_that_do_not() -> None:
    assert [(b.time, b.order) for b in two_pieces().breaks("x")] == [(0.0, 2), (1.0, 2), (3.0, 2)]
    assert [b.time for b in two_pieces(True).breaks("x")] == [1.0]
    assert two_pieces().breaks("z") == ()
    end = two_pieces(True).derivatives([3.0], 1, side="right")
    assert end[1, 0, 0] == pytest.approx(15.0, rel=1e-15)


def test_knots_that_do_not_increase_are_refused() -> None:
    piece = ((0.0,), (1.0,))
    with pytest.raises(ValueError, match="increase"):
        Pieces(("x",), (0.0, 1.0, 1.0), (piece, piece), 0)
    with pytest.raises(ValueError, match="one knot more"):
        Pieces(("x",), (0.0, 1.0), (piece, piece), 0)


def test_shifted_derivatives_are_those_of_the_polynomial_later() -> None:
    rng = np.random.default_rng(5)
    derivatives, step = rng.normal(size=(7, 2)), 0.37
    taylor = derivatives / np.array([math.factorial(k) for k in range(7)])[:, None]
    for k, row in enumerate(shifted(derivatives, step)):
        for y in range(2):
            poly = np.polynomial.Polynomial(taylor[:, y])
            assert row[y] == pytest.approx((poly.deriv(k) if k else poly)(step), rel=1e-13)


def test_nearly_joined_pieces_are_joined_exactly_with_short_ones_among_them() -> None:
    rng = np.random.default_rng(3)
    lengths = np.array([0.5, 0.004, 0.7, 0.002, 0.6, 0.3])
    order, size = 4, 7
    ends = np.zeros((order + 1, 2)), np.zeros((order + 1, 2))
    ends[1][0] = 3.0, -1.0
    rows = 0.1 * rng.normal(size=(lengths.size, size, 2))
    path = join_exactly(
        NAMES, lengths, rows, order, ends, [(3, np.array([1.0, 0.5]))], (False, False)
    )
    inner = np.array(path.knots[1:-1])
    left, right = (path.derivatives(inner, order, side=side) for side in ("left", "right"))
    scale = np.abs(left).max(axis=2, keepdims=True) + 1.0
    assert (np.abs(left - right) / scale).max() < 1e-12
    np.testing.assert_allclose(path([path.knots[3]])[:, 0], [1.0, 0.5], atol=1e-10)
    last = path.derivatives([path.duration], order, side="left")[:, :, 0]
    # derivatives of any size cancel at the end: measured by what they are before
    assert (np.abs(last - ends[1]) / scale[:, :, 0]).max() < 1e-10
