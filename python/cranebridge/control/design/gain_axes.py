"""Axes of a grid of gains: positions with straight lines between them, or round a whole turn.

On a straight axis the gains between two positions are on the line between theirs, and beyond the
ends those of the end. On a turning axis, such as a slewing angle, 2 H + 1 angles stand evenly round
the circle, and between them the gains are the trigonometric polynomial of degree H through all of
them: what rotates with the jib, sines and cosines of its angle, is exact with three.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Axis:
    """Positions of a drive coordinate (its name) or of an output (``y.NAME``).

    Attributes
    ----------
    name : str
        Whose positions.
    points : numpy.ndarray
        Increasing positions; on a turning axis an odd number, evenly over a turn.
    turning : bool
        Whether it goes round.
    """

    name: str
    points: Array
    turning: bool = False

    @property
    def used(self) -> int:
        """How many positions the gains at a place are made of."""
        return int(self.points.size) if self.turning else 2

    def parts(self, x: Array) -> tuple[NDArray[np.intp], Array]:
        """Return the positions that count at places, and with which parts; a row for each place."""
        if self.turning:
            count = self.points.size
            waves = np.arange(1, (count - 1) // 2 + 1)
            away = np.asarray(x)[:, None] - self.points
            parts = (1.0 + 2.0 * np.cos(away[:, :, None] * waves).sum(axis=2)) / count
            return np.broadcast_to(np.arange(count), parts.shape), np.asarray(parts)
        value = np.clip(x, self.points[0], self.points[-1])
        last = self.points.size - 2
        i = np.clip(np.searchsorted(self.points, value, side="right") - 1, 0, last)
        part = (value - self.points[i]) / (self.points[i + 1] - self.points[i])
        return np.column_stack([i, i + 1]), np.column_stack([1.0 - part, part])

    @property
    def between(self) -> Array:
        """The places between its positions, where the lines are most wrong."""
        if self.turning:
            return np.asarray(self.points + math.pi / self.points.size)
        return np.asarray(0.5 * (self.points[:-1] + self.points[1:]))

    def refined(self, wrong: NDArray[np.bool_]) -> Axis:
        """Return the axis with positions where it was wrong `between`; two more of a turn."""
        if self.turning and wrong.any():
            return turn(self.name, float(self.points[0]), self.points.size + 2)
        if not wrong.any():
            return self
        return replace(self, points=np.sort(np.concatenate([self.points, self.between[wrong]])))


def turn(name: str, begin: float, count: int = 3) -> Axis:
    """Return a turning axis with an odd number of positions."""
    points: Array = np.asarray(begin + 2.0 * math.pi / count * np.arange(count), dtype=float)
    return Axis(name, points, turning=True)


def corners(axes: Sequence[Axis], places: Array) -> tuple[NDArray[np.intp], Array]:
    """Return rows of a grid, the last axis fastest, and their parts; a row for each place.

    Parameters
    ----------
    axes : sequence of Axis
        The grid.
    places : numpy.ndarray
        A row for each place, a column for each axis.
    """
    rows = np.zeros((len(places), 1), dtype=np.intp)
    weights = np.ones((len(places), 1))
    for column, axis in enumerate(axes):
        index, part = axis.parts(places[:, column])
        rows = (rows[:, :, None] * axis.points.size + index[:, None, :]).reshape(len(places), -1)
        weights = (weights[:, :, None] * part[:, None, :]).reshape(len(places), -1)
    return rows, weights
