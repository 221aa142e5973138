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
from cranebridge.plan.connecting import connected, shifted

Array = NDArray[np.float64]

# Pieces shorter than this part of the width are left out.
_SAME = 1e-6


def smoothed(path: Pieces, width: float) -> Pieces:
    """Return the mean of a path from rest to rest over a short time.

    Parameters
    ----------
    path : Pieces
        Its derivatives are continuous up to one less than its order.
    width : float
        Of the mean [s].
    """
    knots, rows = np.array(path.times), np.array(path.derivatives_at)
    size = rows.shape[1]
    begin, goal = np.zeros((size, rows.shape[2])), np.zeros((size, rows.shape[2]))
    begin[0], goal[0] = rows[0, 0], shifted(rows[-1], float(knots[-1] - knots[-2]))[0]
    pieces = [begin, *rows, goal]
    marks = np.unique(np.concatenate([knots - 0.5 * width, knots + 0.5 * width]))
    marks = marks[np.append(True, np.diff(marks) > _SAME * width)]

    def at(time: float) -> Array:
        # a time at a knot belongs to the piece after it, also when rounding moves it
        piece = int(np.searchsorted(knots, time + 0.5 * _SAME * width, side="right"))
        return shifted(pieces[piece], time - float(knots[max(piece - 1, 0)]))

    made = np.zeros((marks.size - 1, size + 1, rows.shape[2]))
    for i, mark in enumerate(marks[:-1].tolist()):
        made[i, 1:] = (at(mark + 0.5 * width) - at(mark - 0.5 * width)) / width
    ends = np.zeros((2, path.order + 1, rows.shape[2]))
    ends[0, 0], ends[1, 0] = begin[0], goal[0]
    # the highest derivatives give all lower ones, exactly from rest to rest
    return connected(
        path.outputs, np.diff(marks), made, path.order, (ends[0], ends[1]), (), (False, False)
    )
