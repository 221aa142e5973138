"""Pieces that an optimiser found, joined exactly.

An optimiser meets its conditions to a tolerance. The highest derivatives of the pieces are moved by
the little that lets pieces join, start and end to rounding: the smallest change in units of
what each does to the last continuous derivative.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cranebridge.path import Pieces

Array = NDArray[np.float64]


def join_exactly(
    outputs: tuple[str, ...],
    lengths: Array,
    rows: Array,
    order: int,
    ends: tuple[Array, Array],
    points: Sequence[tuple[int, Array]],
    moving: tuple[bool, bool],
) -> Pieces:
    """Return a path of pieces.

    Parameters
    ----------
    outputs : tuple of str
        Names.
    lengths : numpy.ndarray
        Of the pieces [s].
    rows : numpy.ndarray
        Derivatives by time at the begin of each piece, (pieces, degree + 1, outputs), nearly
        continuous.
    order : int
        How many derivatives are continuous.
    ends : (numpy.ndarray, numpy.ndarray)
        Outputs and their derivatives up to that order at both ends.
    points : sequence of (int, numpy.ndarray)
        Outputs after some number of pieces.
    moving : (bool, bool)
        Whether the ends move.
    """
    count, size = order + 1, rows.shape[1]
    free = rows[:, count:].copy()
    steps = transitions(size, lengths)
    stations = [after for after, _ in points]
    # a derivative counts as much as it changes over the whole time
    scale = float(lengths.sum()) ** np.append(np.arange(count), np.zeros(len(stations)))[:, None]
    # changes are sought in units of what they do to the last continuous derivative
    units = lengths[:, None] ** np.arange(1, size - count + 1)
    influence = scale * _influence(steps, units, count, stations)
    for _ in range(2):  # the second time takes away the rounding of the first
        result = _followed(steps, free, ends[0])
        missing = [ends[1] - (steps[-1] @ result[-1])[:count]]
        missing += [(value - result[after, 0])[None, :] for after, value in points]
        change = np.linalg.lstsq(influence, scale * np.vstack(missing), rcond=None)[0]
        free += np.asarray(change.reshape(free.shape) / units[:, :, None], dtype=float)
    result = _followed(steps, free, ends[0])
    times = np.concatenate([[0.0], np.cumsum(lengths)])
    nested = tuple(tuple(tuple(row) for row in piece) for piece in result.tolist())
    return Pieces(outputs, tuple(times.tolist()), nested, order, *moving)


def concatenate(first: Pieces, second: Pieces) -> Pieces:
    """Return two paths one after the other; the first ends at rest where the second begins.

    They join to the rounding of that point: the second is shifted by it.
    """
    rows = max(first.degree, second.degree) + 1
    away = first([first.duration])[:, 0] - second([0.0])[:, 0]
    pieces = [_padded(piece, rows, 0.0 * away) for piece in first.derivatives_at]
    pieces += [_padded(piece, rows, away) for piece in second.derivatives_at]
    times = (*first.times, *(first.duration + knot for knot in second.times[1:]))
    order = min(first.order, second.order)
    moving = first.moving_ends[0], second.moving_ends[1]
    return Pieces(first.outputs, times, tuple(pieces), order, *moving)


def _padded(
    piece: tuple[tuple[float, ...], ...], rows: int, away: Array
) -> tuple[tuple[float, ...], ...]:
    """Return a piece some way off, with further derivatives, which vanish."""
    table = np.zeros((rows, away.size))
    table[: len(piece)] = piece
    table[0] += away
    return tuple(tuple(row) for row in table.tolist())


def shifted(derivatives: Array, step: float) -> Array:
    """Return the derivatives of a polynomial some time later."""
    return np.asarray(transitions(len(derivatives), np.array([step]))[0] @ derivatives)


def transitions(size: int, steps: Array) -> Array:
    """Return the matrices that take derivatives of a polynomial to those some times later."""
    powers = np.arange(size) - np.arange(size)[:, None]
    factorials = np.array([float(math.factorial(k)) for k in range(size)])
    terms = steps[:, None] ** np.arange(size) / factorials
    return np.asarray(np.where(powers >= 0, terms[:, np.maximum(powers, 0)], 0.0))


def _followed(steps: Array, free: Array, start: Array) -> Array:
    """Follow the pieces from the start by their highest derivatives."""
    count = len(start)
    result = np.empty((len(steps), steps.shape[1], start.shape[1]))
    result[:, count:] = free
    now = start
    for step, piece in zip(steps[:, :count], result, strict=True):
        piece[:count] = now
        now = step @ piece
    return result


def _influence(steps: Array, units: Array, count: int, stations: Sequence[int]) -> Array:
    """Return what the highest derivatives do to those at the end, and to the path at stations."""
    own = steps[:, :count, count:] / units[:, None, :]
    influence = [_on_the_end(steps[:, :count, :count], own)]
    for station in stations:
        before = _on_the_end(steps[:station, :count, :count], own[:station])[:1]
        influence.append(np.pad(before, ((0, 0), (0, units.size - before.shape[1]))))
    return np.vstack(influence)


def _on_the_end(steps: Array, own: Array) -> Array:
    """Return what changes in each piece do to the end, through all pieces after it."""
    found, through = np.empty_like(own), np.eye(own.shape[1])
    for k in reversed(range(len(own))):
        found[k] = through @ own[k]
        through = through @ steps[k]
    return np.asarray(found.transpose(1, 0, 2).reshape(own.shape[1], -1))
