"""The worst point of a box, looked for: starts everywhere, then a pattern search from the worst.

All points of a step are evaluated in one call, so that workers can share them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Margins: TypeAlias = Callable[[Array], Array]
"""Takes points (a row each) and returns their margins: at least 0 where all limits hold."""

# Up to this many factors all corners are starts; beyond, as many of them by chance.
_ALL_CORNERS = 5
FINE = tuple(2.0**-i for i in range(2, 8))
"""Steps of a pattern search, as parts of the box."""
COARSE = (FINE[0], FINE[2], FINE[-1])
"""Steps of one that looks for what cuts a box: the next box has another worst point anyway."""
# How often each step is tried for each factor: four of the first ones cross the box.
_POLLS = 4


@dataclass(frozen=True, eq=False)
class Valley:
    """A point of a box that has no worse point beside it, with the margin's slope there.

    Attributes
    ----------
    point : numpy.ndarray
        Where.
    margin : float
        There; minus infinity if it could not be evaluated.
    slope : numpy.ndarray
        Of the margin, from differences over the last step inside the box; nan if it has none.
    sides : numpy.ndarray
        By factor: -1 at the lower side of the box, 1 at the upper one, 0 inside.
    """

    point: Array
    margin: float
    slope: Array
    sides: NDArray[np.int64]


class Evaluator:
    """Evaluates each point once and counts; takes what is no number as a broken limit."""

    def __init__(self, margins: Margins) -> None:
        self._margins = margins
        self._known: dict[bytes, float] = {}

    @property
    def count(self) -> int:
        """How many points were evaluated."""
        return len(self._known)

    def __call__(self, points: Array) -> Array:
        """Return the margins of points."""
        keys = [point.tobytes() for point in points + 0.0]  # no -0.0
        new = {key: i for i, key in enumerate(keys) if key not in self._known}
        if new:
            found = np.asarray(self._margins(points[list(new.values())]), dtype=float)
            if found.shape != (len(new),):
                raise ValueError(f"{len(new)} points have {found.shape} margins")
            worst = np.where(np.isnan(found), -np.inf, found)
            self._known |= dict(zip(new, worst.tolist(), strict=True))
        return np.array([self._known[key] for key in keys])


def valleys(
    margins: Evaluator,
    low: Array,
    high: Array,
    starts: int,
    rng: np.random.Generator,
    steps: Sequence[float] = FINE,
) -> list[Valley]:
    """Look for the worst points of a box.

    Parameters
    ----------
    margins : Evaluator
        What is looked at.
    low, high : numpy.ndarray
        The box.
    starts : int
        From how many points the search begins: the worst of corners, middle and points by chance.
    rng : numpy.random.Generator
        For these.
    steps : sequence of float
        Of the pattern search, decreasing.

    Returns
    -------
    list of Valley
        Each once, the worst first.
    """
    unit = _first_points(len(low), starts, rng)
    found = margins(low + unit * (high - low))
    chosen = _spread_out(unit, found, starts)
    unit, found = unit[chosen], found[chosen]
    slopes = np.full(unit.shape, np.nan)
    for step in steps:
        # searches that have met go on as one
        apart = np.sort(np.unique(unit, axis=0, return_index=True)[1])
        unit, found, slopes = unit[apart], found[apart], slopes[apart]
        active = np.arange(len(unit))
        for _ in range(_POLLS * len(low)):
            polled, margin = _poll(margins, unit[active], found[active], low, high, step)
            slopes[active] = _slopes(polled, margin)
            best = margin.argmin(axis=1)
            better = margin.min(axis=1) < found[active]
            polled, margin, active = polled[better], margin[better], active[better]
            if not len(active):
                break
            best, rows = best[better], np.arange(len(active))
            unit[active], found[active] = polled[rows, best], margin[rows, best]
    order = np.argsort(found, kind="stable")
    return _once([_valley(low, high, unit[i], found[i], slopes[i]) for i in order])


def _first_points(count: int, starts: int, rng: np.random.Generator) -> Array:
    if count <= _ALL_CORNERS:
        corners = np.indices((2,) * count).reshape(count, -1).T.astype(float)
    else:
        corners = rng.integers(2, size=(2**_ALL_CORNERS, count)).astype(float)
    inside = rng.random((4 * starts, count))
    return np.concatenate([corners, np.full((1, count), 0.5), inside])


def _spread_out(unit: Array, found: Array, starts: int) -> list[int]:
    """Return the worst points that are not neighbours of worse ones: others lead elsewhere."""
    chosen: list[int] = []
    for i in np.argsort(found, kind="stable").tolist():
        if all(np.abs(unit[i] - unit[j]).max() > FINE[0] for j in chosen):
            chosen.append(i)
        if len(chosen) == starts:
            break
    return chosen


def _poll(
    margins: Evaluator, unit: Array, found: Array, low: Array, high: Array, step: float
) -> tuple[Array, Array]:
    """Evaluate the points a step below and above in each direction, kept in the box."""
    count = unit.shape[1]
    moves = np.concatenate([-step * np.eye(count), step * np.eye(count)])
    polled = np.clip(unit[:, None, :] + moves, 0.0, 1.0)
    margin = np.repeat(found[:, None], 2 * count, axis=1)
    new = (polled != unit[:, None, :]).any(axis=2)  # at a side there is nothing beyond
    margin[new] = margins(low + polled[new] * (high - low))
    return polled, margin


def _slopes(polled: Array, margin: Array) -> Array:
    """Return the slopes at the polled points' middles, in parts of the box."""
    count = polled.shape[2]
    below, above = margin[:, :count], margin[:, count:]
    axes = np.arange(count)
    width = polled[:, count + axes, axes] - polled[:, axes, axes]
    with np.errstate(invalid="ignore"):
        return np.asarray((above - below) / width)


def _valley(low: Array, high: Array, unit: Array, margin: float, slope: Array) -> Valley:
    sides = np.where(unit <= 0.0, -1, np.where(unit >= 1.0, 1, 0))
    whole = np.isfinite(slope).all()
    return Valley(
        low + unit * (high - low),
        float(margin),
        slope / (high - low) if whole else np.full(len(low), np.nan),
        sides,
    )


def _once(found: list[Valley]) -> list[Valley]:
    """Return each valley once: searches that met at one point are one."""
    kept: list[Valley] = []
    for valley in found:
        if not any(np.array_equal(valley.point, other.point) for other in kept):
            kept.append(valley)
    return kept
