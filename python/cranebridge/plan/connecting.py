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


def connected(
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
    for _ in range(2):  # the second time takes away the rounding of the first
        result = _followed(steps, free, ends[0])
        missing = [ends[1] - (steps[-1] @ result[-1])[:count]]
        missing += [(value - result[after, 0])[None, :] for after, value in points if after]
        change = _smallest(lengths, steps, count, [p[0] for p in points], np.vstack(missing))
        free += change
    result = _followed(steps, free, ends[0])
    times = np.concatenate([[0.0], np.cumsum(lengths)])
    nested = tuple(tuple(tuple(row) for row in piece) for piece in result.tolist())
    return Pieces(outputs, tuple(times.tolist()), nested, order, *moving)


def in_turn(first: Pieces, second: Pieces) -> Pieces:
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


def _smallest(
    lengths: Array, steps: Array, count: int, stations: Sequence[int], missing: Array
) -> Array:
    """Return the smallest change of the highest derivatives that makes up for what is missing."""
    size = steps.shape[1]
    ways = [np.zeros((count, 0))]
    influence = []
    for whole, length in zip(steps[:, :count], lengths, strict=True):
        own = whole[:, count:] / length ** np.arange(1, size - count + 1)
        ways.append(np.hstack([whole[:, :count] @ ways[-1], own]))
    influence.append(ways[-1])
    total = ways[-1].shape[1]
    for station in stations:
        row = np.zeros((1, total))
        row[:, : ways[station].shape[1]] = ways[station][:1]
        influence.append(row)
    matrix = np.vstack(influence)
    # a derivative counts as much as it changes over the whole time
    duration = float(lengths.sum())
    scale = np.concatenate([duration ** np.arange(count), np.ones(len(stations))])[:, None]
    found = np.linalg.lstsq(matrix * scale, missing * scale, rcond=None)[0]
    change = found.reshape(lengths.size, size - count, -1)
    units = lengths[:, None] ** np.arange(1, size - count + 1)
    return np.asarray(change / units[:, :, None])
