"""Ways around obstacles: guide points to their sides and above them, for the first guess."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from cranebridge.plan.task import Obstacle, PlanTask, load_axes

Array = NDArray[np.float64]

# Guide points keep this distance, as a part of the way from start to goal; and where there is less
# room.
DISTANCES = (0.05, 0.005)


def guide_points(
    task: PlanTask, start: Array, goal: Array, distance: float = DISTANCES[0]
) -> Iterator[tuple[str, list[Array]]]:
    """Yield ways around the obstacles in words, with the outputs that lead there.

    Parameters
    ----------
    task : PlanTask
        Whose obstacles.
    start, goal : numpy.ndarray
        Outputs at both ends.
    distance : float
        That guide points keep, as a part of the way from start to goal.
    """
    if not task.obstacles:
        return
    axes = load_axes(task.crane)
    away = distance * float(np.linalg.norm(goal - start))
    top = _highest(task.obstacles)
    extents = [_extent(obstacle) for obstacle in task.obstacles]
    if np.isfinite(top):
        yield "over the obstacles", _over(start, goal, axes, extents, top + away)
    if axes[1] is None:
        return
    for word, sign in (("left of the obstacles", 1.0), ("right of the obstacles", -1.0)):
        yield word, _beside(start, goal, (axes[0], axes[1]), extents, sign, away)


def _highest(obstacles: Sequence[Obstacle]) -> float:
    """Return the top of all obstacles with what they ask for; infinite for an endless one."""
    return float(max(one.bounds[1][2] + one.clearance for one in obstacles))


def _extent(obstacle: Obstacle) -> tuple[Array, Array]:
    """Return the least and the largest x and y of an obstacle with what it asks for."""
    low, high = (np.array(corner[:2]) for corner in obstacle.bounds)
    low, high = (np.where(np.isfinite(corner), corner, 0.0) for corner in (low, high))
    return low - obstacle.clearance, high + obstacle.clearance


def _over(
    start: Array,
    goal: Array,
    axes: tuple[int, int | None, int],
    extents: Sequence[tuple[Array, Array]],
    height: float,
) -> list[Array]:
    """Return the points above the first and the last edge of the obstacles on the way."""
    x, z = axes[0], axes[2]
    low = min(float(extent[0][0]) for extent in extents)
    high = max(float(extent[1][0]) for extent in extents)
    edges = [low, high] if goal[x] >= start[x] else [high, low]
    points = []
    for edge in edges:
        share = np.clip((edge - start[x]) / ((goal[x] - start[x]) or 1.0), 0.0, 1.0)
        point = start + share * (goal - start)
        point[x], point[z] = edge, max(height, float(point[z]))
        points.append(point)
    return points


def _beside(
    start: Array,
    goal: Array,
    axes: tuple[int, int],
    extents: Sequence[tuple[Array, Array]],
    sign: float,
    away: float,
) -> list[Array]:
    """Return a point on one side of all obstacles, half-way past them."""
    plane = list(axes)
    direction = goal[plane] - start[plane]
    direction = direction / (np.linalg.norm(direction) or 1.0)
    normal = sign * np.array([-direction[1], direction[0]])
    corners = [
        np.array([x, y])
        for low, high in extents
        for x in (low[0], high[0])
        for y in (low[1], high[1])
    ]
    reach = max(float((corner - start[plane]) @ normal) for corner in corners)
    along = float(np.mean([(corner - start[plane]) @ direction for corner in corners]))
    length = float((goal[plane] - start[plane]) @ direction)
    share = np.clip(along / (length or 1.0), 0.1, 0.9)
    point = start + share * (goal - start)
    point[plane] = start[plane] + along * direction + (max(reach, 0.0) + away) * normal
    return [point]
