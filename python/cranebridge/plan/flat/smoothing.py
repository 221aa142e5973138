"""Paths whose drives jump, made smooth: the mean of the path over a short time.

With k the derivatives that the drives need, the k-th derivative of the path jumps where pieces
meet. That of the mean

    y_s(t) = 1/w int_{t - w/2}^{t + w/2} y dt,
    y_s^(j)(t) = (y^(j-1)(t + w/2) - y^(j-1)(t - w/2)) / w

goes from one value to the other within the time w, and all lower derivatives are means of values
nearby, so that limits are kept up to what changes within w. What rests before and after a path does
so before and after its mean, which takes longer by w.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranebridge.path import Pieces
from cranebridge.plan.flat.join_pieces import join_exactly, shifted, transitions

Array = NDArray[np.float64]

# Pieces shorter than this part of the width are left out.
_SAME = 1e-6


def smoothed(
    path: Pieces, width: float, ends: tuple[Array, Array], moving: tuple[bool, bool]
) -> Pieces:
    """Return the mean of a path over a short time.

    Parameters
    ----------
    path : Pieces
        Its derivatives are continuous, but for rounding, up to one less than its order. At an end
        that rests the mean begins before it, or ends after it; at one that moves it begins within
        it, or ends there.
    width : float
        Of the mean [s].
    ends : (numpy.ndarray, numpy.ndarray)
        Outputs and their derivatives up to the order that the mean has at both ends.
    moving : (bool, bool)
        Whether the ends move.
    """
    knots, rows = np.array(path.times), np.array(path.derivatives_at)
    size, half = rows.shape[1], 0.5 * width
    begin, goal = np.zeros((size, rows.shape[2])), np.zeros((size, rows.shape[2]))
    begin[0], goal[0] = rows[0, 0], shifted(rows[-1], float(knots[-1] - knots[-2]))[0]
    pieces = np.stack([begin, *rows, goal])
    marks = np.unique(np.concatenate([knots - half, knots + half]))
    low, high = (
        knots[0] + half * (1 if moving[0] else -1),
        knots[-1] - half * (1 if moving[1] else -1),
    )
    inner = marks[(marks > low + _SAME * width) & (marks < high - _SAME * width)]
    marks = np.concatenate([[low], inner, [high]])
    marks = marks[np.append(True, np.diff(marks) > _SAME * width)]

    def at(times: Array) -> Array:
        # a time at a knot belongs to the piece after it, also when rounding moves it
        piece = np.searchsorted(knots, times + 0.5 * _SAME * width, side="right")
        steps = transitions(size, times - knots[np.maximum(piece - 1, 0)])
        return np.asarray(steps @ pieces[piece])

    made = np.zeros((marks.size - 1, size + 1, rows.shape[2]))
    made[:, 1:] = (at(marks[:-1] + half) - at(marks[:-1] - half)) / width
    # the highest derivatives give all lower ones, exactly from end to end
    return join_exactly(path.outputs, np.diff(marks), made, path.order, ends, (), moving)
