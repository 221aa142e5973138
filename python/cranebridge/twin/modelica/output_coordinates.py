"""Outputs as coordinates of their own, for cranes whose balances contain only their accelerations.

In swing angles q the balance of a load across its rope reads P(q) q'' + b(q, q') = 0, although it
contains nothing but the load's acceleration. Where P = K S, with S = ds/dq of the outputs s, it is

    y = s(q),    K(q) y'' + b(q, 0) = 0,    K = P S^T (S S^T)^-1,

without q'' and q': the velocities of b belong to s'' = S q'' + S' q'. The inverse is that of S in
all coordinates, so that it exists wherever the outputs move independently; a choice of as many
columns would become singular when the crane has slewed by a right angle.

A part that has mass but is no output (a pulley) has a balance with its own acceleration. Positions
of the model are taken to the outputs until every balance contains only their accelerations. The
balances of the load alone then depend on the load's and the pulley's positions but not on the angle
of the boom, though every swing angle is measured from it. They are stated in coordinates of a copy
of the crane, which has the same positions while the boom stays where it starts:

    y = s(q),    y = s(c),    K(c) y'' + b(c, 0) = 0.

All these conditions contain coordinates only, and stand in place of the equations of motion of the
coordinates y and c, which have no mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.structure import numerical_rank
from cranebridge.twin.modelica.motion_equations import SecondOrder

Array = NDArray[np.float64]

_POINTS = 3
_SPREAD = 0.3
"""Random points lie this part of a coordinate's size from the start, and at least half of it."""

_SAME = 1e-9
"""What differs by a smaller part of the larger one is the same."""

_MOST_POSITIONS = 3
"""So many positions beside the outputs are a point of the crane."""


@dataclass(frozen=True, eq=False)
class OutputCoordinates:
    """A model with further coordinates.

    Attributes
    ----------
    motion : SecondOrder
        The model; its coordinates are those it had, the positions, and those of the copy, with a
        condition for each that is new.
    values : casadi.SX
        s(q) of all outputs and positions that are coordinates now.
    outputs : casadi.SX
        The outputs in the new coordinates.
    positions : tuple of int
        Which of the positions that were offered are coordinates, beside all outputs.
    copied : tuple of int
        Which of the coordinates the copy has; the others stay where they start.
    """

    motion: SecondOrder
    values: ca.SX
    outputs: ca.SX
    positions: tuple[int, ...]
    copied: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Balances:
    """The equations of motion without inputs, and points where ranks are looked at."""

    motion: SecondOrder
    p: ca.SX
    rows: ca.SX
    points: tuple[tuple[Array, Array], ...]

    def values(self, expression: ca.SX) -> list[Array]:
        """Return the values of a matrix of coordinates and velocities."""
        m = self.motion
        function = ca.Function("values", [m.q, m.v, self.p], [ca.densify(expression)])
        return [np.array(function(q, np.zeros(q.size), p)) for q, p in self.points]

    @property
    def directions(self) -> ca.SX:
        """P, the accelerations' factors."""
        return ca.jacobian(self.rows, self.motion.a)

    def without(self, *symbols: ca.SX) -> ca.SX:
        """Return the rows with zero for some symbols."""
        moving = ca.vertcat(*symbols)
        return ca.substitute(self.rows, moving, ca.SX.zeros(moving.numel()))


def with_output_coordinates(
    motion: SecondOrder,
    u: ca.SX,
    p: ca.SX,
    outputs: ca.SX,
    offered: ca.SX,
    start: tuple[Array, Array],
) -> OutputCoordinates | None:
    """Return a model whose balances contain accelerations of positions; None if they do not.

    Parameters
    ----------
    motion : SecondOrder
        The equations, with inputs in as few rows as can be.
    u, p : casadi.SX
        Inputs and parameters.
    outputs : casadi.SX
        s(q).
    offered : casadi.SX
        Positions of the model that may become coordinates, too.
    start : tuple of numpy.ndarray
        Coordinates and parameters at the start.
    """
    passive = [
        i
        for i in range(motion.rows.numel())
        if not ca.depends_on(motion.rows[i], u) and ca.depends_on(motion.rows[i], motion.a)
    ]
    if not passive or motion.conditions.numel() or motion.first:
        return None
    balances = _Balances(motion, p, motion.rows[passive], _points(*start))
    moving = ca.vertcat(motion.v, motion.a)
    if ca.depends_on(balances.directions, moving):
        return None
    found = _positions(balances, outputs, offered)
    if found is None:
        return None
    positions = ca.vertcat(outputs, offered[list(found)] if found else ca.SX(0, 1))
    y, y_v, y_a = (ca.SX.sym(name, positions.numel()) for name in ("y", "y_v", "y_a"))
    conditions = y - positions
    copied: tuple[int, ...] = ()
    copy = tuple(ca.SX.sym(name, 0) for name in ("c", "c_v", "c_a"))
    slopes = ca.jacobian(positions, motion.q)
    if not found:
        weights = ca.solve(slopes @ slopes.T, slopes @ balances.directions.T).T
        rows = weights @ y_a + balances.without(motion.v, motion.a)
        if not _is_free_of_velocities(balances, positions, weights):
            return None
    else:
        copied = _copied(balances, slopes)
        held = slopes[:, list(copied)].T, balances.directions[:, list(copied)].T
        weights = _without_rounding(balances, _solved_in_blocks(*held).T)
        if not _is_free_of_velocities(balances, positions, weights):
            return None
        rest, count = balances.without(motion.v, motion.a), outputs.numel()
        own, others = _separated(balances, weights, count)
        across = weights[own, count:]
        rows = weights @ y_a + rest
        left, kept = weights[others, :count], rest[others]
        if others:
            taken = across @ weights[others, count:].T
            if taken.nnz():
                factor = ca.solve(across @ across.T, taken).T
                left = left - factor @ weights[own, :count]
                kept = kept - factor @ rest[own]
            if not _is_of_positions(balances, slopes, left, kept):
                return None
            copy = tuple(ca.SX.sym(name, len(copied)) for name in ("c", "c_v", "c_a"))
            placed = ca.SX(start[0])
            placed[list(copied)] = copy[0]
            left, kept, same = ca.substitute([left, kept, positions], [motion.q], [placed])
            rows[others] = left @ y_a[:count] + kept
            conditions = ca.vertcat(conditions, y - same)
        else:
            copied = ()
    every = ca.SX(motion.rows)
    every[passive] = rows
    q, v, a = (
        ca.vertcat(old, own_one, copy_one)
        for old, own_one, copy_one in zip(
            (motion.q, motion.v, motion.a), (y, y_v, y_a), copy, strict=True
        )
    )
    extended = replace(motion, q=q, v=v, a=a, rows=every, conditions=conditions)
    made = y[: outputs.numel()]
    return OutputCoordinates(extended, positions, made, found, copied)


def _points(q: Array, p: Array) -> tuple[tuple[Array, Array], ...]:
    """Return random coordinates near the start, with random parameters.

    What cancels must do so for all values that a user may give, and not because two are equal.
    """
    random = np.random.default_rng(3)
    size = np.maximum(np.abs(q), 1.0)
    points = []
    for _ in range(_POINTS):
        offset = random.uniform(-1.0, 1.0, q.size)
        offset = np.copysign(0.5 + 0.5 * np.abs(offset), offset)
        points.append((q + _SPREAD * size * offset, p * random.uniform(0.8, 1.2, p.size)))
    return tuple(points)


def _rank(*parts: Sequence[Array]) -> int:
    """Return the largest rank of matrices that are stacked, over the points."""
    stacked = [np.vstack(blocks) for blocks in zip(*parts, strict=True)]
    return max((numerical_rank(m) for m in stacked if np.isfinite(m).all()), default=0)


def _positions(balances: _Balances, outputs: ca.SX, offered: ca.SX) -> tuple[int, ...] | None:
    """Return the fewest positions that, with the outputs, all balances are made of."""
    q = balances.motion.q
    slopes, directions = (
        balances.values(part) for part in (ca.jacobian(outputs, q), balances.directions)
    )
    count, alone = outputs.numel(), _rank(slopes, directions)
    if _rank(slopes) < count or alone == count + balances.rows.numel():
        return None  # the outputs' accelerations are in none of them
    if alone == count:
        return ()
    further = balances.values(ca.jacobian(offered, q))
    for size in range(1, min(_MOST_POSITIONS, q.numel() - count - 1) + 1):
        for chosen in combinations(range(offered.numel()), size):
            taken = [matrix[list(chosen)] for matrix in further]
            if _rank(slopes, taken) == _rank(slopes, taken, directions) == count + size:
                return chosen
    return None


def _copied(balances: _Balances, slopes: ca.SX) -> tuple[int, ...]:
    """Return the coordinates that the positions determine best, the others being held."""
    values = balances.values(slopes)
    sizes = [np.abs(matrix).max(axis=0) for matrix in values]
    values = [m / np.where(size > 0.0, size, 1.0) for m, size in zip(values, sizes, strict=True)]

    def least(columns: tuple[int, ...]) -> float:
        return min(_least(matrix[:, list(columns)]) for matrix in values)

    return max(combinations(range(slopes.shape[1]), slopes.shape[0]), key=least)


def _separated(balances: _Balances, weights: ca.SX, count: int) -> tuple[list[int], list[int]]:
    """Return balances by which the further positions' accelerations are taken from the others.

    The weights are those of all positions; the first `count` are outputs.
    """
    values = [
        (m / np.abs(m).max(axis=1, keepdims=True))[:, count:] for m in balances.values(weights)
    ]
    # rows of rounding errors stand beside others here, and are not scaled to size one
    rank = max(int(np.linalg.matrix_rank(m, tol=_SAME)) for m in values)
    own: list[int] = []
    for _ in range(rank):
        rest = [i for i in range(weights.shape[0]) if i not in own]
        own.append(max(rest, key=lambda i: min(_least(m[[*own, i]]) for m in values)))
    return own, [i for i in range(weights.shape[0]) if i not in own]


def _solved_in_blocks(matrix: ca.SX, right: ca.SX) -> ca.SX:
    """Solve linear equations block by block: parts of a crane hang from one another."""
    matrix = ca.sparsify(matrix)
    count, rows, columns, row_ends, column_ends, *_ = matrix.sparsity().btf()
    solution = ca.SX.zeros(matrix.shape[1], right.shape[1])
    left = ca.SX(right)
    for block in range(count):  # CasADi orders them as block lower triangular
        own = list(rows[row_ends[block] : row_ends[block + 1]])
        ours = list(columns[column_ends[block] : column_ends[block + 1]])
        found = ca.solve(matrix[own, ours], left[own, :])
        solution[ours, :] = found
        left = left - matrix[:, ours] @ found
    return solution


def _without_rounding(balances: _Balances, weights: ca.SX) -> ca.SX:
    """Take out the entries that vanish identically."""
    values = balances.values(weights)
    sizes = [np.abs(m) / np.abs(m).max(axis=1, keepdims=True) for m in values]
    kept = ca.SX(weights)
    for i, j in np.argwhere(np.max(sizes, axis=0) <= _SAME):
        kept[int(i), int(j)] = 0.0
    return ca.sparsify(kept)


def _least(matrix: Array) -> float:
    """Return the smallest singular value."""
    return float(np.linalg.svd(matrix, compute_uv=False)[-1])


def _is_free_of_velocities(balances: _Balances, positions: ca.SX, weights: ca.SX) -> bool:
    """Return whether all velocities belong to the positions' accelerations."""
    m = balances.motion
    rate = ca.jtimes(positions, m.q, m.v)
    inner = ca.jtimes(rate, m.q, m.v)
    terms = [balances.without(m.a), weights @ inner, balances.without(m.v, m.a)]
    function = ca.Function("terms", [m.q, m.v, balances.p], [ca.densify(t) for t in terms])
    random = np.random.default_rng(4)
    for q, p in balances.points:
        moving, own, still = (
            np.array(part) for part in function(q, random.uniform(0.5, 1.5, q.size), p)
        )
        largest = max(float(np.abs(part).max()) for part in (moving, own, still))
        if not np.abs(moving - own - still).max() <= _SAME * largest:
            return False
    return True


def _is_of_positions(balances: _Balances, slopes: ca.SX, left: ca.SX, kept: ca.SX) -> bool:
    """Return whether balances that hold change with the positions alone."""
    m, y_a = balances.motion, ca.SX.sym("y_a", left.shape[1])
    rows = left @ y_a + kept
    parts = [ca.densify(part) for part in (left, kept, slopes, ca.jacobian(rows, m.q))]
    function = ca.Function("balances", [m.q, y_a, balances.p], parts)
    random = np.random.default_rng(5)
    for q, p in balances.points:
        wanted = random.uniform(-1.0, 1.0, y_a.numel())
        factors, at_rest, *_ = (np.array(part) for part in function(q, wanted, p))
        error = factors @ wanted + at_rest[:, 0]
        wanted = wanted - np.linalg.lstsq(factors, error, rcond=None)[0]
        _, _, slope, change = (np.array(part) for part in function(q, wanted, p))
        if numerical_rank(np.vstack([slope, change])) > numerical_rank(slope):
            return False
    return True
