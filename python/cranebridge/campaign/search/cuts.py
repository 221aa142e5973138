"""What the worst points say about the sides of a box, and the largest box that keeps to it.

All numbers here are parts of the range that is allowed: 0 its lower end, 1 its upper one. A box is
one vector of its lower sides, then its upper ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.campaign.search.worst_case import Evaluator, Valley

Array = NDArray[np.float64]

# The thinnest box: thinner ones are points.
_THIN = 1e-6
# Points on the way from a valley towards the nominal point, where the edge of what is safe is
# looked for.
_WAY = 32


@dataclass(frozen=True, eq=False)
class Cut:
    """A linear limit of the sides: ``row @ box + margin >= 0``.

    Attributes
    ----------
    row : numpy.ndarray
        How the margin changes with the sides.
    margin : float
        Where all sides are 0.
    valley : Valley or None
        Where it comes from; None if a point is kept out.
    """

    row: Array
    margin: float
    valley: Valley | None = None

    def at(self, box: Array) -> float:
        """Return the margin that the cut claims for a box."""
        return float(self.row @ box + self.margin)


def size(box: Array) -> float:
    """Return the sum of the logarithms of the sides: what shall be large."""
    low, high = np.split(box, 2)
    return float(np.log(np.maximum(high - low, _THIN)).sum())


def point_of(valley: Valley, box: Array) -> Array:
    """Return the point of another box that stands where a valley stands in its own."""
    low, high = np.split(box, 2)
    inside = np.clip(valley.point, low, high)
    return np.asarray(np.where(valley.sides > 0, high, np.where(valley.sides < 0, low, inside)))


def cut_of(valley: Valley, nominal: Array, box: Array, margins: Evaluator) -> Cut:
    """Return what a valley says about the sides that it stands at.

    If the sides move, it moves with them, and its margin by the slope. For a concave margin that is
    at most too high, so that no box is excluded wrongly. A valley that no move of the sides lifts
    (it lies inside, or has no slope) is kept out by the one side that then loses least.
    """
    outward = np.where(np.isfinite(valley.slope), valley.slope, 0.0) * valley.sides
    slope = np.minimum(outward, 0.0) * valley.sides
    row = np.concatenate([slope * (valley.sides < 0), slope * (valley.sides > 0)])
    cut = Cut(row, valley.margin - float(slope @ valley.point), valley)
    if np.isfinite(valley.margin) and cut.at(np.concatenate([nominal, nominal])) > 0.0:
        return cut
    return _keep_out(valley.point, nominal, box, margins)


def _keep_out(point: Array, nominal: Array, box: Array, margins: Evaluator) -> Cut:
    """Return the cut by one side that keeps a point out and leaves most of the box."""
    count = len(nominal)
    low, high = np.split(box, 2)
    far = np.diag(nominal - point)
    # From the point along each axis to the nominal value: where is the first safe one?
    parts = np.array([_first_safe(margins, point, move, 0.0, 1.0) for move in far])
    edge = point + parts * np.diagonal(far)
    left = np.where(point > nominal, edge - low, high - edge) / (high - low)
    i = int(np.where(point == nominal, -1.0, left).argmax())
    before = max(0.0, parts[i] - 1.0 / _WAY)
    edge = point + _first_safe(margins, point, far[i], before, parts[i]) * np.diagonal(far)
    row = np.zeros(len(box))
    if point[i] > nominal[i]:
        row[count + i] = -1.0
        return Cut(row, float(edge[i]))
    row[i] = 1.0
    return Cut(row, -float(edge[i]))


def _first_safe(margins: Evaluator, point: Array, move: Array, begin: float, end: float) -> float:
    """Return the first part of a move behind which the limits hold; the end if nowhere."""
    parts = begin + (end - begin) * np.arange(1, _WAY + 1) / _WAY
    safe = margins(point + parts[:, None] * move) >= 0.0
    return float(parts[safe.argmax()]) if safe.any() else end


def largest_box(cuts: list[Cut], nominal: Array, begin: Array) -> Array:
    """Return the largest box around a point that keeps to all cuts.

    The logarithms of the sides are concave and the cuts linear: there is one, and sequential
    quadratic programming finds it.

    Parameters
    ----------
    cuts : list of Cut
        What limits the sides.
    nominal : numpy.ndarray
        The point.
    begin : numpy.ndarray
        A box to begin with.
    """
    from scipy.optimize import minimize

    count = len(nominal)
    if not cuts:
        return np.concatenate([np.zeros(count), np.ones(count)])
    # A nominal point at an end of the range leaves the other side free to move, and only that.
    upper = np.where(nominal < 0.5, nominal, nominal - _THIN)
    lower = np.where(nominal < 0.5, nominal + _THIN, nominal)
    bounds = [(0.0, u) for u in upper] + [(v, 1.0) for v in lower]
    rows = np.array([cut.row for cut in cuts])
    margins = np.array([cut.margin for cut in cuts])
    scale = np.linalg.norm(rows, axis=1)
    rows, margins = rows / scale[:, None], margins / scale

    def loss(box: Array) -> tuple[float, Array]:
        side = np.maximum(box[count:] - box[:count], _THIN)
        return -float(np.log(side).sum()), np.concatenate([1.0 / side, -1.0 / side])

    found = minimize(
        loss,
        np.clip(begin, [b[0] for b in bounds], [b[1] for b in bounds]),
        jac=True,
        method="SLSQP",
        bounds=bounds,
        constraints={
            "type": "ineq",
            "fun": lambda box: rows @ box + margins,
            "jac": lambda box: rows,
        },
        options={"maxiter": 200, "ftol": 1e-10},
    )
    return np.asarray(np.clip(found.x, 0.0, 1.0))
