"""The legs of a route as variables of a program: polynomial pieces, and durations.

A piece has the derivatives c_k of the path by normalised time at its begin as variables, up to
those that are continuous, and by how much the last of them changes within the piece. In units of
RATE^k all of them are of the size of the path, however short a piece is; coefficients of B-splines
are not, and optimisers fail on them. That pieces join is a linear condition.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.path import Path
from cranebridge.plan.nlp.group import RowGroup, Rows
from cranebridge.plan.nlp.splines import SplineSpace

Array = NDArray[np.float64]
Index = NDArray[np.intp]

RATE = 10.0
"""How fast a path changes over its normalised time: what derivatives are measured by."""


@dataclass(frozen=True, eq=False)
class LegEnd:
    """What holds at an end of a leg besides what rows say.

    Attributes
    ----------
    rest : int or None
        How many derivatives vanish; None where the end moves.
    point : numpy.ndarray or None
        The outputs there; None where they are free.
    """

    rest: int | None
    point: Array | None


@dataclass(frozen=True, eq=False)
class Leg:
    """A leg: its splines, and where its pieces and its duration stand among the variables.

    Attributes
    ----------
    spline : SplineSpace
        Which splines.
    variables : numpy.ndarray
        Of shape (pieces, degree + 1, outputs); -1 for what is given.
    given : numpy.ndarray
        Those values; zero elsewhere.
    duration : int
        Position of the duration.
    goal : LegEnd
        What holds at its end.
    width : float
        Normalised time over which the path is a mean of the pieces, which rest before and after;
        zero where the path is the pieces. No piece is shorter.
    """

    spline: SplineSpace
    variables: Index
    given: Array
    duration: int
    goal: LegEnd
    width: float = 0.0

    @property
    def smoothness(self) -> int:
        """Class in which pieces join."""
        return self.spline.smoothness

    def pieces(self, x: Array) -> Array:
        """Return the values of all pieces."""
        return np.where(self.variables >= 0, np.append(x, 0.0)[self.variables], self.given)

    def derivatives(self, x: Array) -> Array:
        """Return the derivatives by normalised time at the begin of each piece."""
        return np.asarray(self.pieces(x) * self._units()[:, :, None])

    def put(self, x: Array, path: Path, begin: float, duration: float) -> None:
        """Put a stretch of a path among the variables.

        Where the last continuous derivative is not quadratic within a piece, it has its values at
        both ends and the right mean, and pieces join only nearly.
        """
        edges, s = self.spline.edges, self.smoothness
        times = np.clip(begin + duration * edges, 0.0, path.duration)
        first, last = _derivatives(path, times[:-1], s), _derivatives(path, times[1:], s, "left")
        # what rests before and after a path counts at its ends
        if times[0] == 0.0:
            first[:1] = _derivatives(path, times[:1], s, "left")
        if times[-1] == path.duration:
            last[-1:] = _derivatives(path, times[-1:], s)
        inner = times[:-1, None] + np.diff(times)[:, None] * np.array([0.25, 0.75])
        means = _derivatives(path, inner.ravel(), s)[:, s].reshape(*inner.shape, -1).sum(axis=1)
        bend = (first[:, s] + last[:, s] - means) / 0.375
        slope = last[:, s] - first[:, s] - bend
        more = [np.zeros_like(slope)] * (self.spline.degree - s - 2)
        pieces = np.stack([*first.transpose(1, 0, 2), slope, 2.0 * bend, *more], axis=1)
        powers = np.minimum(np.arange(self.spline.degree + 1), s)
        pieces *= ((duration / RATE) ** powers)[:, None]
        free = self.variables >= 0
        x[self.variables[free]] = pieces[free]
        x[self.duration] = duration

    def _units(self) -> Array:
        """Return what the variables of each piece are derivatives in units of."""
        k, lengths = np.arange(self.spline.degree + 1), np.diff(self.spline.edges)[:, None]
        beyond = np.maximum(k - self.smoothness, 0)
        return np.asarray(RATE ** np.minimum(k, self.smoothness) / lengths**beyond)

    def groups(
        self, rows: Rows, order: int, tau: Array, bounds: tuple[Array, Array], w: Array
    ) -> list[tuple[RowGroup, Index]]:
        """Return rows at times of this leg, with the positions of these times.

        Where the path is a mean, times whose mean is over two pieces are apart.
        """
        if not self.width:
            return [(self.group(rows, order, tau, bounds, w), np.arange(tau.size))]
        found = []
        first, last = self._window(tau)
        for own, argument_map in ((first == last, self._mean_map), (first != last, self._edge_map)):
            chosen = np.flatnonzero(own)
            if chosen.size:
                group = RowGroup(rows, *argument_map(order, tau[chosen]), *bounds, w[chosen])
                found.append((group, chosen))
        return found

    def group(
        self, rows: Rows, order: int, tau: Array, bounds: tuple[Array, Array], w: Array
    ) -> RowGroup:
        """Return rows at times of this leg, of the pieces themselves."""
        return RowGroup(rows, *self.argument_map(order, tau), *bounds, w)

    def argument_map(self, order: int, tau: Array) -> tuple[Array, Array, Index]:
        """Return how z = (c_0, c_1, ..., duration) depends on the variables at each time."""
        piece = self.spline.piece(tau)
        return self._sum_of_maps([(piece, self._taylor_rows(order, piece, tau))])

    def _mean_map(self, order: int, tau: Array) -> tuple[Array, Array, Index]:
        """Return the same for the mean within a piece."""
        piece, _ = self._window(tau)
        half = 0.5 * self.width
        return self._sum_of_maps([(piece, self._mean_rows(order, piece, tau - half, tau + half))])

    def _edge_map(self, order: int, tau: Array) -> tuple[Array, Array, Index]:
        """Return the same for the mean over the edge between two pieces, or to rest."""
        first, last = self._window(tau)
        half, edges = 0.5 * self.width, self.spline.edges
        edge = edges[first + 1]
        count, parts, constant = edges.size - 1, [], np.zeros((tau.size, self.variables.shape[2]))
        for piece, a, b in ((first, tau - half, edge), (last, edge, tau + half)):
            inside = (piece >= 0) & (piece < count)
            own = np.clip(piece, 0, count - 1)
            rows = self._mean_rows(order, own, a, b) * inside[:, None, None]
            share = np.where(inside, 0.0, (b - a) / self.width)
            if self.goal.point is None:  # it rests wherever the last piece ends
                after = piece >= count
                end = self._taylor_rows(0, np.array([count - 1]), edges[-1:])[0, 0]
                rows[:, 0] += np.where(after, share, 0.0)[:, None] * end
                share = np.where(after, 0.0, share)
            rest = np.where((piece < 0)[:, None], self.given[0, 0], self._goal_point())
            constant += share[:, None] * rest
            parts.append((own, rows))
        matrix, base, columns = self._sum_of_maps(parts)
        base[:, : constant.shape[1]] += constant
        return matrix, base, columns

    def mean(self, x: Array, end: int, order: int) -> Array:
        """Return the derivatives of the mean by normalised time at an end that moves."""
        matrix, base, columns = self._mean_map(order, np.array([float(end)]))
        chosen = np.where(columns >= 0, np.append(x, 0.0)[columns], 0.0)
        z = base + np.einsum("ijk,ik->ij", matrix, chosen)
        return np.asarray(z[0, :-1].reshape(order + 1, -1))

    def _goal_point(self) -> Array:
        if self.goal.point is None:
            return np.zeros(self.variables.shape[2])
        return self.goal.point

    def _window(self, tau: Array) -> tuple[Index, Index]:
        """Return the first and the last piece of the mean at each time; -1 and more are rest."""
        half, close = 0.5 * self.width, 1e-9
        first = np.searchsorted(self.spline.edges, tau - half + close, side="right") - 1
        last = np.searchsorted(self.spline.edges, tau + half - close, side="right") - 1
        return np.asarray(first, dtype=np.intp), np.asarray(last, dtype=np.intp)

    def _sum_of_maps(self, parts: Sequence[tuple[Index, Array]]) -> tuple[Array, Array, Index]:
        """Return matrix, base and columns of what pieces contribute to each derivative."""
        outputs, count = self.variables.shape[2], self.spline.degree + 1
        times, size = parts[0][1].shape[:2]
        wide = count * outputs
        matrix = np.zeros((times, outputs * size + 1, wide * len(parts) + 1))
        columns = np.empty((times, wide * len(parts) + 1), dtype=np.intp)
        base = np.zeros((times, outputs * size + 1))
        for i, (piece, local) in enumerate(parts):
            own = slice(i * wide, (i + 1) * wide)
            for k in range(size):
                for y in range(outputs):
                    matrix[:, k * outputs + y, i * wide + y : (i + 1) * wide : outputs] = local[
                        :, k
                    ]
            columns[:, own] = self.variables[piece].reshape(times, -1)
            given = self.given[piece].reshape(times, -1)
            base += np.einsum("ijk,ik->ij", matrix[:, :, own], given)
        columns[:, -1] = self.duration
        matrix[:, -1, -1] = 1.0
        return matrix, base, columns

    def _mean_rows(self, order: int, piece: Index, begin: Array, end: Array) -> Array:
        """Return what the variables of a piece contribute to the mean of each derivative."""
        units = self._units()[piece]
        a, b = begin - self.spline.edges[piece], end - self.spline.edges[piece]
        count = self.spline.degree + 1
        local = np.zeros((piece.size, order + 1, count))
        for k in range(order + 1):
            for j in range(k, count):
                power = j - k + 1
                whole = (b**power - a**power) / math.factorial(power)
                local[:, k, j] = units[:, j] * whole / self.width
        return local

    def _taylor_rows(self, order: int, piece: Index, tau: Array) -> Array:
        """Return what the variables of a piece contribute to each derivative."""
        units, step = self._units()[piece], tau - self.spline.edges[piece]
        count = self.spline.degree + 1
        local = np.zeros((tau.size, order + 1, count))
        for k in range(order + 1):
            for j in range(k, count):
                local[:, k, j] = units[:, j] * step ** (j - k) / math.factorial(j - k)
        return local

    def joints(self) -> list[RowGroup]:
        """Return rows that let pieces join, and the last one end at rest where it does."""
        groups = []
        edges, size = self.spline.edges, self.smoothness + 1
        if edges.size > 2:
            before = np.arange(edges.size - 2)
            ends = self._taylor_rows(self.smoothness, before, edges[1:-1])
            groups.append(self._linear(before, ends, before + 1, None))
        if self.goal.rest is not None:
            last = np.array([edges.size - 2])
            end = self._taylor_rows(self.smoothness, last, edges[-1:])
            wanted = np.zeros((size, self.variables.shape[2]))
            if self.goal.point is not None:
                wanted[0] = self.goal.point
            groups.append(self._linear(last, end, None, wanted))
        return groups

    def _linear(
        self, piece: Index, ends: Array, following: Index | None, wanted: Array | None
    ) -> RowGroup:
        """Return rows: the end of a piece less the begin of the following one, or less values."""
        outputs, size = self.variables.shape[2], self.smoothness + 1
        count = (self.spline.degree + 1) * outputs
        scale = RATE ** -np.arange(size)
        width = count if following is None else 2 * count
        matrix = np.zeros((piece.size, size * outputs, width))
        for k in range(size):
            for y in range(outputs):
                matrix[:, k * outputs + y, y:count:outputs] = scale[k] * ends[:, k]
                if following is not None:
                    matrix[:, k * outputs + y, count + k * outputs + y] = -1.0
        parts = [piece] if following is None else [piece, following]
        columns = np.hstack([self.variables[part].reshape(piece.size, -1) for part in parts])
        given = np.hstack([self.given[part].reshape(piece.size, -1) for part in parts])
        base = np.einsum("ijk,ik->ij", matrix, given)
        least, most = np.zeros(size * outputs), np.zeros(size * outputs)
        if wanted is not None:
            values = (scale[:, None] * wanted).ravel()
            least, most = values.copy(), values.copy()
            if self.goal.point is None:
                least[:outputs], most[:outputs] = -np.inf, np.inf
        rows = Identity(size * outputs)
        w = np.zeros((piece.size, 0))
        links = following is not None
        return RowGroup(rows, matrix, base, columns, least, most, w, links=links)


def make_legs(
    splines: Sequence[SplineSpace],
    ends: Sequence[tuple[LegEnd, LegEnd]],
    outputs: int,
    width: float = 0.0,
) -> tuple[Leg, ...]:
    """Number the variables of all legs: pieces, then the durations."""
    count, numbered = 0, []
    for spline, (start, _) in zip(splines, ends, strict=True):
        shape = spline.edges.size - 1, spline.degree + 1, outputs
        fixed, given = np.zeros(shape, dtype=bool), np.zeros(shape)
        if start.rest is not None:
            fixed[0, 1 : min(start.rest, spline.smoothness) + 1] = True
            if start.point is not None:
                fixed[0, 0], given[0, 0] = True, start.point
        variables = np.full(shape, -1, dtype=np.intp)
        variables[~fixed] = count + np.arange(np.count_nonzero(~fixed))
        count += int(np.count_nonzero(~fixed))
        numbered.append((spline, variables, given))
    return tuple(
        Leg(spline, variables, given, count + i, goal, width)
        for i, ((spline, variables, given), (_, goal)) in enumerate(
            zip(numbered, ends, strict=True)
        )
    )


def _derivatives(path: Path, times: Array, order: int, side: str = "right") -> Array:
    """Return a path's derivatives, (times, order + 1, outputs)."""
    return np.asarray(path.derivatives(times, order, side).transpose(2, 0, 1))


class Identity:
    """Rows that are their arguments."""

    linear = True

    def __init__(self, count: int) -> None:
        self.count = count

    def settle(self, z: Array, w: Array) -> Array:
        """Return the unknowns: there are none."""
        return w

    def values(self, z: Array, w: Array) -> Array:
        """Return the rows."""
        return z

    def slopes(self, z: Array, w: Array) -> tuple[Array, Array]:
        """Return the rows and their derivatives."""
        return z, np.broadcast_to(np.eye(self.count), (len(z), self.count, self.count))

    def curvature(self, z: Array, w: Array, weights: Array) -> Array:
        """Return zeros: the rows are linear."""
        return np.zeros((len(z), self.count, self.count))
