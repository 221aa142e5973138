"""Safe boxes whose largest one is known in closed form."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from cranebridge.campaign import SafeBox, largest_safe_box
from cranebridge.campaign.search.worst_case import Evaluator
from cranebridge.errors import InputError

Margin = Callable[[np.ndarray], np.ndarray]


def found(margin: Margin, nominal: list[float], low: float, high: float, **more: int) -> SafeBox:
    count = len(nominal)
    keys = "abcdef"[:count]
    box = largest_safe_box(margin, keys, nominal, [low] * count, [high] * count, **more)
    # whatever it says is checked by points that it has not seen
    rng = np.random.default_rng(9)
    points = np.array(box.low) + rng.random((4000, count)) * (
        np.array(box.high) - np.array(box.low)
    )
    assert margin(points).min() >= 0.0
    assert margin(np.array([box.worst]))[0] == pytest.approx(box.margin, abs=1e-12)
    assert all(a <= n <= b for a, n, b in zip(box.low, box.nominal, box.high, strict=True))
    return box


def test_half_plane() -> None:
    """The largest a b c ... below w x = 1 has w_i x_i = 1/n."""
    for weights in ([1.0, 2.0], [1.0, 2.0, 4.0]):
        w = np.array(weights)
        box = found(lambda x, w=w: 1.0 - x @ w, [0.05] * len(w), 0.0, 1.0)
        assert box.high == pytest.approx(tuple(1.0 / (len(w) * w)), rel=0.01)
        assert box.fraction == pytest.approx(np.prod(1.0 / (len(w) * w)), rel=0.002)


def test_starts_follow_from_the_seed() -> None:
    def looked_at(seed: int) -> set[bytes]:
        points: set[bytes] = set()

        def margin(x: np.ndarray) -> np.ndarray:
            points.update(row.tobytes() for row in x)
            return 1.0 - x @ np.array([1.0, 2.0])

        largest_safe_box(margin, "ab", [0.05] * 2, [0.0] * 2, [1.0] * 2, 500, seed)
        return points

    first, again, other = (looked_at(seed) for seed in (1, 1, 2))
    assert first == again
    assert len(other - first) > len(other) // 4


@pytest.mark.parametrize("nominal", [[0.0, 0.0], [0.3, -0.1]])
def test_ball(nominal: list[float]) -> None:
    """The largest box in the unit circle is the square with half sides sqrt(1/2)."""
    box = found(lambda x: 1.0 - (x**2).sum(axis=1), nominal, -1.0, 1.0)
    assert [*box.low, *box.high] == pytest.approx([-(0.5**0.5)] * 2 + [0.5**0.5] * 2, abs=0.005)
    assert box.fraction == pytest.approx(0.5, rel=0.002)


@pytest.mark.parametrize("norm", ["ellipsoid", "octahedron"])
def test_three_parameters_take_some_three_thousand_evaluations(norm: str) -> None:
    """In sum (x/a)^2 <= 1 the half sides are a/sqrt(3); in sum |x/a| <= 1 they are a/3."""
    a = np.array([0.4, 0.5, 0.6])

    def margin(x: np.ndarray) -> np.ndarray:
        parts = np.abs(x / a)
        return 1.0 - ((parts**2) if norm == "ellipsoid" else parts).sum(axis=1)

    box = found(margin, [0.0] * 3, -1.0, 1.0, budget=4000)
    half = a / (3.0**0.5 if norm == "ellipsoid" else 3.0)
    assert box.evaluations < 4000
    assert box.ended != "the budget of evaluations"
    # the search ends where boxes differ by a thousandth of their volume, not of each side
    assert box.fraction == pytest.approx(np.prod(half), rel=0.005)


def test_each_point_is_evaluated_once() -> None:
    asked: list[float] = []

    def margin(x: np.ndarray) -> np.ndarray:
        asked.extend(x[:, 0].tolist())
        return np.where(x[:, 0] > 0.4, np.nan, x[:, 0])

    evaluate = Evaluator(margin)
    assert evaluate(np.array([[0.1], [0.5], [0.1]])).tolist() == [0.1, -np.inf, 0.1]
    assert evaluate(np.array([[-0.0], [0.5], [0.0]])).tolist() == [0.0, -np.inf, 0.0]
    assert sorted(asked) == [0.0, 0.1, 0.5]
    assert evaluate.count == 3


def test_product_limit_is_not_convex() -> None:
    """Above 0.2, x y <= 1: (x - 0.2)(y - 0.2) = 1.04 - 0.2 (x + y) is largest at x = y = 1."""
    box = found(lambda x: 1.0 - x[:, 0] * x[:, 1], [0.5, 0.4], 0.2, 3.0)
    assert box.high == pytest.approx((1.0, 1.0), abs=0.03)
    assert box.fraction == pytest.approx((0.8 / 2.8) ** 2, rel=0.002)


def test_limits_of_single_parameters_are_the_box() -> None:
    def margin(x: np.ndarray) -> np.ndarray:
        return np.min([1.0 - x[:, 0], 0.7 - x[:, 1], x[:, 0] + 0.5], axis=0)

    box = found(margin, [0.1, 0.1], -2.0, 2.0)
    assert [*box.low, *box.high] == pytest.approx([-0.5, -2.0, 1.0, 0.7], abs=0.003)
    assert json.loads(json.dumps(box.as_dict()))["box"]["a"] == [box.low[0], box.high[0]]
    assert "a search and no proof" in box.statement


def test_island_of_broken_limits_inside_the_range_is_found_and_left_outside() -> None:
    """A disk of radius 0.2 around (0.5, 0.1): the box ends at its left, at 0.3."""
    box = found(lambda x: np.hypot(x[:, 0] - 0.5, x[:, 1] - 0.1) - 0.2, [-0.5, 0.0], -1.0, 1.0)
    assert [*box.low, *box.high] == pytest.approx([-1.0, -1.0, 0.3, 1.0], abs=0.01)


def test_points_that_cannot_be_evaluated_count_as_broken() -> None:
    box = found(lambda x: np.where(x[:, 0] > 0.5, np.nan, 1.0), [0.0, 0.0], -1.0, 1.0)
    assert [*box.low, *box.high] == pytest.approx([-1.0, -1.0, 0.5, 1.0], abs=0.01)


def test_limits_that_hold_everywhere_leave_the_whole_range() -> None:
    box = found(lambda x: 9.0 - x[:, 0] * x[:, 1], [0.5, 0.4], 0.2, 2.0)
    assert (box.low, box.high, box.fraction) == ((0.2, 0.2), (2.0, 2.0), 1.0)
    assert box.ended == "the limits hold in the whole range"
    assert (box.worst, box.margin) == ((2.0, 2.0), 5.0)


def test_nominal_point_at_an_end_of_the_range_stays_in_the_box() -> None:
    box = found(lambda x: 1.0 - x.sum(axis=1), [0.0, 0.0], 0.0, 2.0)
    assert [*box.low, *box.high] == pytest.approx([0.0, 0.0, 0.5, 0.5], abs=0.005)


def test_small_budget_gives_a_smaller_box_that_is_safe() -> None:
    def margin(x: np.ndarray) -> np.ndarray:
        return 1.0 - (x**2).sum(axis=1)

    box = found(margin, [0.0] * 4, -1.0, 1.0, budget=2000)
    assert box.ended == "the budget of evaluations"
    assert 0.0 < box.fraction <= 0.0625
    assert found(margin, [0.0] * 4, -1.0, 1.0, budget=2000) == box


def test_corner_that_only_a_search_finds() -> None:
    """A narrow valley at (0.8, 0.8), 0.02 wide: a hundred points would miss it nine times in ten.

    The margin slopes towards it from afar, as those of cranes do; a search follows the slope.
    """

    def margin(x: np.ndarray) -> np.ndarray:
        distance = np.hypot(x[:, 0] - 0.8, x[:, 1] - 0.8)
        return np.minimum(0.2 + distance, 20.0 * (distance - 0.02))

    box = found(margin, [0.1, 0.1], 0.0, 1.0)
    assert min(box.high) == pytest.approx(0.78, abs=0.01)


def test_wrong_ranges_are_refused() -> None:
    with pytest.raises(InputError, match="the nominal point itself does not keep the limits"):
        found(lambda x: -np.ones(len(x)), [0.5], 0.0, 1.0)
    with pytest.raises(InputError, match="the nominal value 2 of 'a' is not between 0 and 1"):
        found(lambda x: np.ones(len(x)), [2.0], 0.0, 1.0)
    with pytest.raises(InputError, match="the range of 'a' is not one: 1 to 1"):
        found(lambda x: np.ones(len(x)), [1.0], 1.0, 1.0)
