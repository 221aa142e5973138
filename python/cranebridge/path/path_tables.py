"""Paths that are piecewise polynomials in time, as tables of numbers for compiled code.

Whoever evaluates a table by Horner's rule, order by order, does the same operations as the path's
own `derivatives` and gets the same numbers, bit by bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cranebridge.path.base import FloatArray, Path
from cranebridge.path.profiles import Profile
from cranebridge.path.shapes import Combined, Hold, Line, Pieces, Rotation, Stops


@dataclass(frozen=True, eq=False)
class Track:
    """Outputs that share one piecewise polynomial.

    Attributes
    ----------
    outputs : tuple of int
        Which of the path's outputs.
    bounds : numpy.ndarray
        Where segments begin and end [s]: segment k has k bounds before it. A time that is a bound
        belongs to the segment after it, or before it where the left side is asked for.
    segments : numpy.ndarray
        A row for each segment: its anchor and length, then for each power n of
        x = (t - anchor) / length, rising, the coefficients of x^n in each derivative, then for each
        output its value for progress 0 and for 1, and their difference.
    degree : int
        Of the polynomials.
    affine : bool
        Whether outputs are affine functions of the polynomial, from the nearer end as `line_series`
        has it; else it is the output itself, and rows end with the coefficients.
    """

    outputs: tuple[int, ...]
    bounds: FloatArray
    segments: FloatArray
    degree: int
    affine: bool


@dataclass(frozen=True, eq=False)
class Turn:
    """Outputs that are the angles of a rotation, whose progress is a piecewise polynomial.

    Attributes
    ----------
    outputs : tuple of int
        Which of the path's outputs.
    path : Rotation
        How progress becomes angles.
    progress : Track
        One output: the progress.
    """

    outputs: tuple[int, ...]
    path: Rotation
    progress: Track


@dataclass(frozen=True, eq=False)
class PolynomialTable:
    """A path as far as it consists of polynomials in time.

    Attributes
    ----------
    tracks : tuple of Track
        Those outputs that do.
    turns : tuple of Turn
        Rotations, which are functions of polynomials.
    others : tuple of (tuple of int, Path)
        Which outputs are neither, and the part of the path whose `derivatives` must be asked for
        them.
    """

    tracks: tuple[Track, ...]
    turns: tuple[Turn, ...]
    others: tuple[tuple[tuple[int, ...], Path], ...]


def polynomial_table(path: Path, order: int) -> PolynomialTable:
    """Return a path with its derivatives up to an order as polynomials, as far as it is made so."""
    tracks: list[Track] = []
    turns: list[Turn] = []
    others: list[tuple[tuple[int, ...], Path]] = []
    for rows, part in _parts(path, tuple(range(len(path.outputs)))):
        found = _tracks(part, order, rows)
        if found is not None:
            tracks.extend(found)
        elif type(part) is Rotation:
            progress = _along([part.profile], [(0.0,), (1.0,)], order, (0,))
            turns.append(Turn(rows, part, progress))
        else:
            others.append((rows, part))
    return PolynomialTable(tuple(tracks), tuple(turns), tuple(others))


def _parts(path: Path, rows: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Path]]:
    """Yield what a path is combined of, with the numbers of its outputs."""
    if type(path) is not Combined:
        yield rows, path
        return
    for part in path.parts:
        yield from _parts(part, tuple(rows[path.outputs.index(name)] for name in part.outputs))


def _tracks(path: Path, order: int, rows: tuple[int, ...]) -> list[Track] | None:
    """Return the tracks of a path; None if it is not made of polynomials."""
    # exactly these: a class derived from them may compute its values in another way
    if type(path) is Hold:
        return _constant(path.value, order, rows)
    if type(path) is Rotation and not path.angle:
        return _constant(path.start, order, rows)
    if type(path) is Line:
        return [_along([path.profile], [path.start, path.goal], order, rows)]
    if type(path) is Stops and all(a.end == b.begin for a, b in pairwise(path.profiles)):
        return [_along(path.profiles, path.points, order, rows)]
    if type(path) is Pieces:
        return [_of_pieces(path, i, order, row) for i, row in enumerate(rows)]
    return None


def _constant(values: Sequence[float], order: int, rows: tuple[int, ...]) -> list[Track]:
    return [
        _direct(row, np.empty(0), np.zeros(1), np.array([[value]]), order)
        for row, value in zip(rows, values, strict=True)
    ]


def _along(
    profiles: Sequence[Profile],
    points: Sequence[tuple[float, ...]],
    order: int,
    rows: Sequence[int],
) -> Track:
    """Return the track of straight legs from point to point."""
    maps = [
        np.array([(a, b, b - a) for a, b in zip(first, last, strict=True)]).ravel()
        for first, last in pairwise(points)
    ]
    rest = ([[0.0]], [[1.0]])
    bounds = [profiles[0].begin]
    found = [(0.0, 1.0, rest[0], maps[0])]
    for profile, chosen in zip(profiles, maps, strict=True):
        for i, segment in enumerate(profile.segments):
            bounds.append(segment.until)
            coefficients = [profile.coefficients(i, k) for k in range(order + 1)]
            found.append((segment.anchor, segment.length, coefficients, chosen))
    found.append((0.0, 1.0, rest[1], maps[-1]))
    degree = max(len(coefficients[0]) for _, _, coefficients, _ in found) - 1
    segments = [
        np.concatenate([[anchor, length], _powers(coefficients, degree, order), chosen])
        for anchor, length, coefficients, chosen in found
    ]
    return Track(tuple(rows), np.array(bounds), np.array(segments), degree, affine=True)


def _powers(coefficients: Sequence[Sequence[float]], degree: int, order: int) -> FloatArray:
    """Return the coefficients power by power, each for all derivatives."""
    table = np.zeros((degree + 1, order + 1))
    for k, column in enumerate(coefficients):
        table[: len(column), k] = column
    return table.ravel()


def _of_pieces(path: Pieces, output: int, order: int, row: int) -> Track:
    """Return the track of one output of a path of pieces."""
    values, knots = path.taylor[:, :, output].T, np.array(path.times)
    bounds = knots.copy()
    # an end in motion belongs to the path from both sides
    if path.moving_start:
        bounds[0] = math.nextafter(bounds[0], -math.inf)
    if path.moving_end:
        bounds[-1] = math.nextafter(bounds[-1], math.inf)
    rest = np.zeros((2, values.shape[1]))
    rest[:, 0] = values[0, 0], path.goal[output]
    anchors = np.concatenate([[0.0], knots])  # those of the rest before and after do not matter
    return _direct(row, bounds, anchors, np.vstack([rest[:1], values, rest[1:]]), order)


def _direct(
    row: int, bounds: FloatArray, anchors: FloatArray, taylor: FloatArray, order: int
) -> Track:
    """Return the track of one output from its Taylor coefficients, a row for each segment."""
    count, degree = len(taylor), taylor.shape[1] - 1
    table = np.zeros((count, degree + 1, order + 1))
    for k in range(order + 1):
        for n in range(k, degree + 1):
            table[:, n - k, k] = math.perm(n, k) * taylor[:, n]
    ends: NDArray[np.float64] = np.column_stack([anchors, np.ones(count)])
    segments = np.hstack([ends, table.reshape(count, -1)])
    return Track((row,), bounds, segments, degree, affine=False)
