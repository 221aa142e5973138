"""Edges of the planner's splines, and paths put among the variables of a leg."""

from __future__ import annotations

import numpy as np
import pytest

from cranebridge.path import Line, polynomial
from cranebridge.plan.nlp.legs import LegEnd, make_legs
from cranebridge.plan.nlp.splines import SplineSpace, graded


def test_cut_pieces_keep_all_edges() -> None:
    spline = SplineSpace(5, 3, np.linspace(0.0, 1.0, 4)).cut(np.array([1, 2, 4]))
    np.testing.assert_allclose(spline.edges * 12, [0, 4, 6, 8, 9, 10, 11, 12], atol=1e-14)
    assert (spline.degree, spline.smoothness) == (5, 3)


def test_graded_pieces_are_short_at_both_ends() -> None:
    lengths = np.diff(graded(3, 40).edges)
    np.testing.assert_allclose(lengths, lengths[::-1], rtol=1e-12)
    assert (np.diff(lengths[:20]) > 0.0).all()
    assert 2e-3 < lengths[0] < 4e-3
    assert lengths.sum() == pytest.approx(1.0, abs=1e-14)


def test_jumps_become_short_pieces_of_a_smoother_spline() -> None:
    jumps = np.array([True, False, True, True])
    spline = SplineSpace(5, 3, np.array([0.0, 0.4, 0.5, 1.0])).softened(jumps, 0.02)
    np.testing.assert_allclose(spline.edges, [0.0, 0.01, 0.4, 0.49, 0.51, 0.99, 1.0])
    assert (spline.degree, spline.smoothness) == (6, 4)


def test_short_pieces_at_jumps_leave_half_of_a_piece() -> None:
    spline = SplineSpace(5, 3, np.array([0.0, 0.5, 0.51, 1.0]))
    soft = spline.softened(np.array([False, True, True, False]), 0.1)
    np.testing.assert_allclose(soft.edges, [0.0, 0.4975, 0.5025, 0.5075, 0.5125, 1.0])


def test_a_path_put_among_the_variables_comes_back() -> None:
    # a polynomial of degree 5, as the pieces are: those that do not touch rest hold it exactly
    path = Line(("x", "z"), (1.0, -5.0), (4.0, -3.0), polynomial(2.0, 2))
    ends = (LegEnd(2, np.array([1.0, -5.0])), LegEnd(2, np.array([4.0, -3.0])))
    (leg,) = make_legs([graded(3, 4)], [ends], 2)
    x = np.zeros(leg.duration + 1)
    leg.put(x, path, 0.0, 2.0)
    assert x[leg.duration] == 2.0
    tau = np.linspace(0.25, 0.74, 12)
    matrix, base, columns = leg.argument_map(3, tau)
    chosen = np.where(columns >= 0, x[columns], 0.0)
    z = base + np.einsum("ijk,ik->ij", matrix, chosen)
    expected = path.derivatives(2.0 * tau, 3).transpose(2, 0, 1)
    found = z[:, :-1].reshape(12, 4, 2) / 2.0 ** np.arange(4)[:, None]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    inner, _ = leg.joints()
    assert np.abs(inner.arguments(x)[1]).max() < 1e-12  # at the edge between those pieces
