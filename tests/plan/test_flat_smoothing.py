"""Paths whose drives jump, as means over a short time: by quadrature, and as rows of a program."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from cranebridge.path import Pieces
from cranebridge.plan.flat.join_pieces import join_exactly
from cranebridge.plan.flat.smoothing import smoothed
from cranebridge.plan.nlp.legs import Identity, LegEnd, make_legs
from cranebridge.plan.nlp.splines import graded

Array = NDArray[np.float64]
WIDTH = 0.02


def jumping() -> Pieces:
    """Return a path from rest to rest whose fourth derivative jumps where pieces meet."""
    rng = np.random.default_rng(5)
    rows = np.zeros((6, 6, 2))
    rows[:, 4:] = rng.normal(size=(6, 2, 2)) * [[[30.0], [80.0]]]
    ends = np.zeros((2, 4, 2))
    ends[0, 0], ends[1, 0] = (1.0, -5.0), (3.0, -4.0)
    lengths = np.array([0.1, 0.4, 0.2, 0.5, 0.3, 0.1])
    path = join_exactly(("x", "z"), lengths, rows, 3, (ends[0], ends[1]), (), (False, False))
    return Pieces(path.outputs, path.times, path.derivatives_at, 4)


def mean(path: Pieces, time: float, width: float) -> Array:
    """Return the means of the derivatives 0 to 4 by Gauss's rule between all knots."""
    knots = np.array([-1.0, *path.times, path.duration + 1.0])
    low, high = time - 0.5 * width, time + 0.5 * width
    marks = np.concatenate([[low], knots[(knots > low) & (knots < high)], [high]])
    points, weights = np.polynomial.legendre.leggauss(6)
    total = np.zeros((5, 2))
    for a, b in pairwise(marks):
        at = a + 0.5 * (b - a) * (1.0 + points)
        # derivatives of order 4 at inner times of a piece: the side does not matter
        total += 0.5 * (b - a) * np.einsum("kit,t->ki", path.derivatives(at, 4, "right"), weights)
    return total / width


def test_a_smooth_path_is_the_mean_of_the_path_and_rests_before_and_after() -> None:
    path = jumping()
    rest = np.zeros((2, 5, 2))
    rest[:, 0] = path([0.0, path.duration]).T
    smooth = smoothed(path, WIDTH, (rest[0], rest[1]), (False, False))
    assert smooth.duration == pytest.approx(path.duration + WIDTH, rel=1e-12)
    assert smooth.largest_jump() < 1e-10
    for time in np.linspace(0.0, smooth.duration, 41)[1:-1]:
        wanted = mean(path, float(time) - 0.5 * WIDTH, WIDTH)
        found = smooth.derivatives(np.array([time]), 4, "right")[:, :, 0]
        size = np.abs(wanted).max(axis=1) + 1.0
        np.testing.assert_allclose(found / size[:, None], wanted / size[:, None], atol=1e-10)


def test_the_program_sees_the_mean_of_its_pieces() -> None:
    # pieces of a leg with random values, rest outside: rows of the program at times within pieces,
    # over edges and over both ends against the mean of the path that the pieces are
    goal = np.array([3.0, -4.0])
    ends = (LegEnd(4, np.array([1.0, -5.0])), LegEnd(4, goal))
    (leg,) = make_legs([graded(3, 5).averaged(WIDTH, (False, False))], [ends], 2, WIDTH)
    path, duration = jumping(), 2.0
    scaled = np.array(leg.spline.edges) * duration
    rows = path.derivatives(
        (scaled[:-1] - scaled[0]) * path.duration / (scaled[-1] - scaled[0]), 3, "right"
    ).transpose(2, 0, 1)
    free = np.zeros((5, 6, 2))
    free[:, :4] = rows
    free[:, 4:] = np.random.default_rng(3).normal(size=(5, 2, 2)) * [[[20.0], [60.0]]]
    lengths = np.diff(scaled)
    first, last = np.zeros((4, 2)), np.zeros((4, 2))
    first[0], last[0] = (1.0, -5.0), goal
    joined = join_exactly(("x", "z"), lengths, free, 3, (first, last), (), (False, False))
    pieces = Pieces(joined.outputs, joined.times, joined.derivatives_at, 4)
    x = np.zeros(leg.duration + 1)
    leg.put(x, pieces, -scaled[0], duration)
    half = 0.5 * WIDTH
    edges = leg.spline.edges
    tau = np.sort(
        np.concatenate([[half, 1.0 - half], edges[1:-1], edges[:-1] + WIDTH, edges - 0.002])
    )
    nothing = np.empty(0)
    found = leg.groups(Identity(11), 4, tau, (nothing, nothing), np.zeros((tau.size, 0)))
    assert len(found) == 2
    for group, own in found:
        z = group.arguments(x)[:, :-1].reshape(own.size, 5, 2)
        for values, time in zip(z, tau[own], strict=True):
            wanted = mean(pieces, float(time * duration - scaled[0]), WIDTH * duration)
            powers = duration ** np.arange(5)[:, None]
            size = np.abs(wanted * powers).max(axis=1, keepdims=True) + 1.0
            np.testing.assert_allclose(values / size, wanted * powers / size, atol=1e-9)


def test_the_mean_of_a_moving_path_begins_and_ends_within_it() -> None:
    path = jumping()
    times = 0.5 * WIDTH, path.duration - 0.5 * WIDTH
    ends = [mean(path, time, WIDTH) for time in times]
    smooth = smoothed(path, WIDTH, (ends[0], ends[1]), (True, True))
    assert smooth.duration == pytest.approx(path.duration - WIDTH, rel=1e-12)
    assert smooth.moving_ends == (True, True)
    for time in np.linspace(0.0, smooth.duration, 41)[:-1]:
        wanted = mean(path, float(time) + times[0], WIDTH)
        found = smooth.derivatives(np.array([time]), 4, "right")[:, :, 0]
        size = np.abs(wanted).max(axis=1, keepdims=True) + 1.0
        np.testing.assert_allclose(found / size, wanted / size, atol=1e-9)


def test_a_leg_that_starts_moving_and_stops_anywhere_is_seen_as_the_mean_of_its_pieces() -> None:
    ends = (LegEnd(None, None), LegEnd(4, None))
    spline = graded(3, 5).averaged(WIDTH, (True, False))
    (leg,) = make_legs([spline], [ends], 2, WIDTH)
    rng, duration = np.random.default_rng(8), 2.0
    edges = spline.edges * duration
    rows = np.zeros((5, 6, 2))
    rows[:, 4:] = rng.normal(size=(5, 2, 2)) * [[[20.0], [60.0]]]
    first, last = rng.normal(size=(4, 2)), np.zeros((4, 2))
    last[0] = (2.0, 1.0)
    joined = join_exactly(("x", "z"), np.diff(edges), rows, 3, (first, last), (), (True, False))
    pieces = Pieces(joined.outputs, joined.times, joined.derivatives_at, 4, True, False)
    x = np.zeros(leg.duration + 1)
    leg.put(x, pieces, float(-edges[0]), duration)
    powers = duration ** np.arange(5)[:, None]
    start = mean(pieces, 0.5 * WIDTH * duration, WIDTH * duration) * powers
    size = np.abs(start).max(axis=1, keepdims=True) + 1.0
    np.testing.assert_allclose(leg.mean(x, 0, 4) / size, start / size, atol=1e-9)
    # half a width before the end half of the mean is rest, wherever that is
    tau = np.array([1.0 - 0.5 * WIDTH])
    ((group, _),) = leg.groups(Identity(11), 4, tau, (first, first), np.zeros((1, 0)))
    found = group.arguments(x)[0, :-1].reshape(5, 2)
    wanted = mean(pieces, float(tau[0] * duration - edges[0]), WIDTH * duration) * powers
    size = np.abs(wanted).max(axis=1, keepdims=True) + 1.0
    np.testing.assert_allclose(found / size, wanted / size, atol=1e-9)
