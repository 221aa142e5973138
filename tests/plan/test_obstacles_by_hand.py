"""How far a point is from each kind of obstacle: distances by hand, on every side of each.

Planner and verdict share the formula, so that nothing else would notice a wrong one.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from cranebridge.plan.task.clearance import clearances, rope_coordinates
from cranebridge.plan.task.clearance_verdicts import remaining_clearance
from cranebridge.plan.task.obstacles import (
    KINDS,
    OBSTACLES,
    Obstacle,
    ObstacleBox,
    ObstacleCylinder,
    Stack,
)
from cranebridge.twin import equations_of_motion, find_crane
from cranebridge.twin.language.crane import names

HANGING = ObstacleCylinder((1.0, 2.0), 0.5, bottom=-3.0)  # from z = -3 m up
STANDING = ObstacleCylinder((1.0, 2.0), 0.5, top=-6.0)  # from z = -6 m down
SHORT = ObstacleCylinder((1.0, 2.0), 0.5, bottom=-6.0, top=-3.0)
ENDLESS = ObstacleCylinder((1.0, 2.0), 0.5)
BOX = ObstacleBox((0.0, 0.0, -5.0), (2.0, 4.0, -3.0))
PLANAR = ObstacleBox((0.0, -5.0), (2.0, -3.0))
STACK = Stack((0.0, 2.0, 5.0), (-4.0, -2.0))  # 1 m lower on the left

POINTS: list[tuple[Obstacle, tuple[float, ...], float]] = [
    # beside a cylinder: the distance of the axis less the radius, 3-4-5
    *((one, (4.0, 6.0, -4.0), 4.5) for one in (HANGING, STANDING, SHORT, ENDLESS)),
    (ENDLESS, (1.0, 2.0, -99.0), -0.5),
    # on the axis: below a hanging one there is room, above its bottom there is none
    (HANGING, (1.0, 2.0, -4.0), 1.0),
    (HANGING, (1.0, 2.0, -2.9), -0.1),
    (HANGING, (1.0, 2.0, 9.0), -0.5),
    (STANDING, (1.0, 2.0, -5.0), 1.0),
    (STANDING, (1.0, 2.0, -6.1), -0.1),
    (STANDING, (1.0, 2.0, -99.0), -0.5),
    (SHORT, (1.0, 2.0, -8.0), 2.0),
    (SHORT, (1.0, 2.0, -1.0), 2.0),
    (SHORT, (1.0, 2.0, -3.25), -0.25),
    (SHORT, (1.0, 2.0, -5.75), -0.25),
    # a box from each of its sides, and inside
    (BOX, (-1.0, 1.0, -4.0), 1.0),
    (BOX, (4.0, 1.0, -4.0), 2.0),
    (BOX, (1.0, -3.0, -4.0), 3.0),
    (BOX, (1.0, 8.0, -4.0), 4.0),
    (BOX, (1.0, 1.0, -10.0), 5.0),
    (BOX, (1.0, 1.0, 3.0), 6.0),
    (BOX, (0.75, 2.0, -4.0), -0.75),
    (BOX, (1.0, 2.0, -3.25), -0.25),
    (PLANAR, (-1.0, -4.0), 1.0),
    (PLANAR, (4.0, -4.0), 2.0),
    (PLANAR, (1.0, -8.0), 3.0),
    (PLANAR, (1.0, 1.0), 4.0),
    (PLANAR, (1.0, -4.75), -0.25),
    # a stack: above the lower one, beside the higher one, inside of each, left and right of it
    (STACK, (0.5, -3.0), 1.0),
    (STACK, (1.75, -3.0), 0.25),
    (STACK, (3.0, -1.5), 0.5),
    (STACK, (3.0, -2.5), -0.5),
    (STACK, (1.0, -4.25), -0.25),
    (STACK, (-2.0, -9.0), 2.0),
    (STACK, (8.0, -9.0), 3.0),
]


def left(obstacle: Obstacle, outputs: tuple[float, ...], **q: float) -> float:
    """Return what is left of the clearance of an obstacle."""
    crane = find_crane("rotary" if len(outputs) == 3 else "overhead")
    coordinates = [q.get(name, 0.0) for name in names(crane.coordinates)]
    remaining = remaining_clearance(crane, obstacle, crane.parameter_values({}))
    return float(remaining(np.array([[*outputs, *coordinates]]))[0])


@pytest.mark.parametrize(("obstacle", "point", "distance"), POINTS)
@pytest.mark.parametrize("clearance", [0.0, 1.5])
def test_distance_is_that_by_hand(obstacle, point, distance, clearance) -> None:
    wanted = type(obstacle)(**{**vars(obstacle), "clearance": clearance})
    # the root at a cylinder's axis is rounded off over 1 um
    assert left(wanted, point) == pytest.approx(distance - clearance, abs=2e-6)


def test_every_kind_of_obstacle_is_looked_at() -> None:
    assert {type(one) for one, _, _ in POINTS} == set(OBSTACLES.values())
    assert set(OBSTACLES) == set(KINDS)


@pytest.mark.parametrize(("obstacle", "point", "distance"), POINTS)
def test_smooth_form_of_the_planner_is_never_larger(obstacle, point, distance) -> None:
    crane = find_crane("rotary" if len(point) == 3 else "overhead")
    model, y = equations_of_motion(crane), ca.SX.sym("y", len(point))
    rows = clearances(crane, (obstacle,), y, model.q, model.p, sharpness=20.0)
    function = ca.Function("smooth", [y, model.q, model.p], [rows])
    q, p = np.zeros(len(crane.coordinates)), list(crane.parameter_values({}).values())
    smooth = float(np.array(function(point, q, p)).min())
    # log(6) / 20 for the six sides of a box
    assert distance - np.log(6.0) / 20.0 - 2e-6 <= smooth <= distance + 2e-6


def test_rope_counts_where_it_is_asked_for() -> None:
    """A box from 1 to 2 m beside a rope that hangs 4 m down from the trolley; the load is below."""
    box = ObstacleBox((1.0, -2.0), (2.0, -1.0))
    beside = {"s": 0.0, "l": 4.0, "x": 0.0, "z": -4.0}
    assert left(box, (0.0, -4.0), **beside) == pytest.approx(2.0)
    roped = ObstacleBox(box.low, box.high, rope=True)
    assert left(roped, (0.0, -4.0), **beside) == pytest.approx(1.0)
    # a slanted rope: at (3 t, -4 t) it is 3 t - 1 from the left and 2 - 4 t from the lower edge,
    # which is the same for t = 3/7
    slanted = {"s": 0.0, "l": 5.0, "x": 3.0, "z": -4.0}
    assert left(roped, (3.0, -4.0), **slanted) == pytest.approx(-2.0 / 7.0, abs=1e-6)


def test_narrow_row_of_a_stack_is_not_hidden_by_a_wide_one_that_is_nearer_at_first() -> None:
    """A slanting rope 2 cm above a row of 2 cm, and 5 cm above a wide one further down."""
    rope = {"s": 0.0, "l": 10.0, "x": 6.0, "z": -8.0}  # z = -4/3 x
    narrow, wide = -4.0 / 3.0 * 1.05 - 0.02, -4.0 / 3.0 * 3.0 - 0.05
    stack = Stack((1.03, 1.05, 2.0, 3.0), (narrow, -20.0, wide), rope=True)
    # beside the corner: d to the right of it the rope is 0.02 - 4/3 d above it
    assert left(stack, (6.0, -8.0), **rope) == pytest.approx(0.02 / (1.0 + 4.0 / 3.0), abs=1e-6)


def test_ropes_of_many_rows_are_looked_at_in_parts() -> None:
    crane, box = find_crane("overhead"), ObstacleBox((1.0, -2.0), (2.0, -1.0), rope=True)
    remaining = remaining_clearance(crane, box, crane.parameter_values({}))
    s = np.linspace(-3.0, 0.5, 12_001)  # a vertical rope of 4 m: it is 1 - s from the box
    rows = np.column_stack([s, 0.0 * s - 4.0, s, 0.0 * s + 4.0, s, 0.0 * s - 4.0])
    np.testing.assert_allclose(remaining(rows), 1.0 - s, atol=1e-9)


def test_a_ball_that_the_rope_goes_through_is_found_however_small_it_is() -> None:
    """Between points of an eighth or a sixteenth of the rope there is room for it."""
    small = ObstacleBox((-0.02, -1.30), (0.02, -1.26), rope=True)
    beside = {"s": 0.0, "l": 4.0, "x": 0.0, "z": -4.0}
    assert left(small, (0.0, -4.0), **beside) == pytest.approx(-0.02, abs=1e-6)


def test_ropes_are_where_trolley_and_load_are() -> None:
    assert rope_coordinates(find_crane("overhead")) == ("s", "x", "z")
