"""A plain way to rest from a load that moves: polynomials, none of them optimal.

First the load is led to an even motion, then to a stop. Each part is as short as the limits allow.
It is a guess for the optimiser, and a plan where that finds none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, SolutionError
from cranebridge.path import Path, Pieces
from cranebridge.plan.task import PathEvaluator

Array = NDArray[np.float64]

# Durations that are tried [s], and those of the first part.
_DURATIONS = 0.1 * 1.4 ** np.arange(28.0)
_FIRST = 0.1 * 1.6 ** np.arange(9.0)
# How much shorter the last of the parts is made: by halving an interval so often.
_HALVINGS = 3
# An excess that counts as rounding: motions that were planned may have it, and go on nevertheless.
_LIMIT_TOLERANCE = 2e-7


def polynomial_stop(
    evaluator: PathEvaluator,
    outputs: tuple[str, ...],
    start: Array,
    longest: float = math.inf,
) -> Pieces | None:
    """Return a path that keeps all limits and clearances, if there is one of this kind.

    Parameters
    ----------
    evaluator : PathEvaluator
        Evaluates paths of the task.
    outputs : tuple of str
        Names.
    start : numpy.ndarray
        Outputs and all derivatives that the controls need, a row each.
    longest : float
        The stop takes less [s]: another one is known that takes as long.
    """
    for first in _FIRST[longest > _FIRST].tolist():
        even = np.zeros_like(start)
        even[1] = start[1] + 0.5 * first * start[2]
        even[0] = start[0] + 0.5 * first * (start[1] + even[1])
        leading = through(outputs, [start, even], [first], (True, True))
        if not keeps_limits(evaluator, leading):  # whatever follows
            continue

        def stop(T: float, first: float = first, even: Array = even) -> Pieces:
            last = np.zeros_like(even)
            last[0] = even[0] + 0.5 * T * even[1]
            return through(outputs, [start, even, last], [first, T])

        stopped = _shortest(stop, evaluator, longest - first)
        if stopped is not None:
            return stopped
    return None


def through(
    outputs: tuple[str, ...],
    stations: Sequence[Array],
    lengths: Sequence[float],
    moving: tuple[bool, bool] = (True, False),
) -> Pieces:
    """Return the polynomials between stations with given derivatives.

    Parameters
    ----------
    outputs : tuple of str
        Names.
    stations : sequence of numpy.ndarray
        Outputs and their derivatives, a row each.
    lengths : sequence of float
        Times between them [s].
    moving : (bool, bool)
        Whether the first and the last one move.
    """
    pieces = [
        _between(first, last, step)
        for (first, last), step in zip(pairwise(stations), lengths, strict=True)
    ]
    nested = tuple(tuple(tuple(row) for row in piece.tolist()) for piece in pieces)
    times = (0.0, *np.cumsum(lengths).tolist())
    return Pieces(outputs, times, nested, len(stations[0]) - 1, *moving)


def in_pieces(path: Path, order: int, count: int = 8) -> Pieces:
    """Return a path as polynomials with its derivatives at many times; it moves where it did.

    Parameters
    ----------
    path : Path
        The path.
    order : int
        How many derivatives they have in common.
    count : int
        Into how many parts each piece of the path is cut.
    """
    if isinstance(path, Pieces):
        return path
    knots = np.asarray(path.knots)
    inner = np.linspace(0.0, 1.0, count + 1)[:-1]
    times = np.append((knots[:-1, None] + np.diff(knots)[:, None] * inner).ravel(), knots[-1])
    stations = list(path.derivatives(times, order).transpose(2, 0, 1))
    # what rests does so exactly
    for end, moves in zip((0, -1), path.moving_ends, strict=True):
        if not moves:
            stations[end][1:] = 0.0
    return through(path.outputs, stations, np.diff(times).tolist(), path.moving_ends)


def _between(first: Array, last: Array, step: float) -> Array:
    """Return all derivatives at its begin of the polynomial with given derivatives at both ends."""
    count = len(first)
    powers = step ** np.arange(2 * count)[:, None]
    # derivatives by normalised time, k-th at the end by j-th at the begin
    shift = np.array(
        [
            [1.0 / math.factorial(j - k) if j >= k else 0.0 for j in range(2 * count)]
            for k in range(count)
        ]
    )
    known = first * powers[:count]
    missing = last * powers[:count] - shift[:, :count] @ known
    return np.asarray(np.vstack([known, np.linalg.solve(shift[:, count:], missing)]) / powers)


def _shortest(
    make: Callable[[float], Pieces], evaluator: PathEvaluator, longest: float = math.inf
) -> Pieces | None:
    """Return the path with the shortest of the tried durations that keeps everything, if any."""
    short = 0.0
    for duration in _DURATIONS[longest > _DURATIONS].tolist():
        if keeps_limits(evaluator, make(duration)):
            for _ in range(_HALVINGS):
                middle = 0.5 * (short + duration)
                if keeps_limits(evaluator, make(middle)):
                    duration = middle
                else:
                    short = middle
            return make(duration)
        short = duration
    return None


def keeps_limits(evaluator: PathEvaluator, path: Path, per_piece: int = 64) -> bool:
    """Return whether a path keeps all limits and clearances."""
    try:
        worst = evaluator.evaluate(path, per_piece).worst()
    except (SolutionError, InputError):
        return False
    return worst is None or worst[0] <= _LIMIT_TOLERANCE
