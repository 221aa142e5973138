"""The rows of a chain of pieces at a point: values, slopes, and sums with multipliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.plan.nlp.blocks import Chain, RowBatch

Array = NDArray[np.float64]


@dataclass(eq=False)
class ChainPoint:
    """Variables with what the rows are there.

    Attributes
    ----------
    v : numpy.ndarray
        A vector of the chain.
    cost : float
        The objective.
    rows, link_residuals : numpy.ndarray
        All constraints, and by how much links do not hold.
    arguments : list of (numpy.ndarray, numpy.ndarray)
        z and the unknowns of each batch.
    """

    v: Array
    cost: float
    rows: Array
    link_residuals: Array
    arguments: list[tuple[Array, Array]]


class ChainRows:
    """Rows of a chain with bounds, the durations last.

    Parameters
    ----------
    chain : Chain
        What they see.
    least, most : numpy.ndarray
        Bounds of all constraints.
    linear : numpy.ndarray
        Weights of the variables in the objective.
    durations : (numpy.ndarray, numpy.ndarray)
        Bounds of the durations.
    """

    def __init__(
        self,
        chain: Chain,
        least: Array,
        most: Array,
        linear: Array,
        durations: tuple[Array, Array],
    ) -> None:
        self.chain, self.own = chain, least.size
        self.least = np.concatenate([least, durations[0]])
        self.most = np.concatenate([most, durations[1]])
        # links are not among the rows
        links = chain.link_numbers[chain.link_numbers >= 0]
        self.least[links], self.most[links] = -np.inf, np.inf
        self.is_equal = self.least == self.most
        bounded = np.isfinite(self.least), np.isfinite(self.most)
        self.is_within = (bounded[0] | bounded[1]) & ~self.is_equal
        self.equal, self.within = np.flatnonzero(self.is_equal), np.flatnonzero(self.is_within)
        self.low = np.flatnonzero(bounded[0] & ~self.is_equal)
        self.high = np.flatnonzero(bounded[1] & ~self.is_equal)
        self.linear = chain.slopes(linear)
        self._identities: dict[int, Array] = {}
        self.unit = np.ones(self.least.size)

    def evaluate(self, v: Array) -> ChainPoint | None:
        """Return what the rows are; None where the crane cannot go."""
        chain, rows, arguments = self.chain, np.zeros(self.least.size), []
        cost = float(self.linear @ v)
        for batch in chain.batches:
            z = chain.arguments(batch, v)
            w = batch.rows.settle(z, batch.w)
            values = batch.rows.values(z, w)
            if batch.cost is not None:
                cost += float(batch.cost[:, 0] @ values[:, 0])
            rows[batch.numbers] = values.ravel()[batch.chosen]
            arguments.append((z, w))
        rows[self.own :] = v[chain.border] * chain.border_sizes
        if not (np.isfinite(cost) and np.isfinite(rows).all()):
            return None
        return ChainPoint(v, cost, rows, chain.link_residuals(v), arguments)

    def slopes(self, batch: RowBatch, z: Array, w: Array) -> Array:
        """Return the derivatives of a batch's rows by z."""
        if not batch.rows.linear:
            return np.ascontiguousarray(batch.rows.slopes(z, w)[1])
        if id(batch) not in self._identities:
            self._identities[id(batch)] = np.ascontiguousarray(batch.rows.slopes(z, w)[1])
        return self._identities[id(batch)]

    def residuals(self, point: ChainPoint, s: Array) -> Array:
        """Return by how much rows are not their slacks, or not what they must be."""
        found = np.zeros(s.size)
        found[self.within] = point.rows[self.within] - s[self.within]
        found[self.equal] = point.rows[self.equal] - self.least[self.equal]
        return found * self.unit

    def weighted(self, batch: RowBatch, values: Array) -> Array:
        """Return values of all constraints as those of a batch, zero elsewhere."""
        found = np.zeros(batch.shape)
        found.ravel()[batch.chosen] = values[batch.numbers]
        return found

    def times_multipliers(self, slopes: list[Array], y: Array) -> Array:
        """Return the transposed Jacobian times multipliers."""
        total, y = np.zeros(self.linear.size), y * self.unit
        for batch, slope in zip(self.chain.batches, slopes, strict=True):
            if batch.cost is None:
                self.chain.add_gradient(batch, slope, self.weighted(batch, y), total)
        total[self.chain.border] += y[self.own :] * self.chain.border_sizes
        return total

    def along(self, slopes: list[Array], step: Array) -> Array:
        """Return by how much all rows change along a step."""
        change = np.zeros(self.least.size)
        for batch, slope in zip(self.chain.batches, slopes, strict=True):
            if batch.cost is None:
                moved = self.chain.along(batch, slope, step)
                change[batch.numbers] = moved.ravel()[batch.chosen]
        change[self.own :] = step[self.chain.border] * self.chain.border_sizes
        return change * self.unit

    def all_slopes(self, point: ChainPoint) -> list[Array]:
        """Return the derivatives of the rows of all batches by z."""
        pairs = zip(self.chain.batches, point.arguments, strict=True)
        return [self.slopes(batch, *own) for batch, own in pairs]

    def gradient(self, slopes: list[Array]) -> Array:
        """Return the gradient of the objective."""
        total = self.linear.copy()
        for batch, slope in zip(self.chain.batches, slopes, strict=True):
            if batch.cost is not None:
                self.chain.add_gradient(batch, slope, batch.cost, total)
        return total

    def sum_curvature(self, point: ChainPoint, slopes: list[Array], y: Array, sigma: Array) -> None:
        """Sum up the Hessian of the Lagrangian and J^T Sigma J, J the Jacobian of the rows."""
        y, sigma = y * self.unit, sigma * self.unit**2
        self.chain.clear()
        for batch, (z, w), slope in zip(self.chain.batches, point.arguments, slopes, strict=True):
            curved, squares = None, None
            weights = self.weighted(batch, y) if batch.cost is None else batch.cost
            if not batch.rows.linear:
                curved = np.ascontiguousarray(batch.rows.curvature(z, w, weights))
            if batch.cost is None:
                squares = self.weighted(batch, sigma)
            self.chain.add_curvature(batch, curved, slope, squares)
        self.chain.add_border(sigma[self.own :] * self.chain.border_sizes**2)

    def keep(self, point: ChainPoint) -> None:
        """Start Newton's unknowns from those of a point."""
        for batch, (_, w) in zip(self.chain.batches, point.arguments, strict=True):
            batch.w = w

    def weigh_equations(self, slopes: list[Array]) -> None:
        """Measure each equation by its largest slope by a variable."""
        largest = np.ones(self.least.size)
        for batch, slope in zip(self.chain.batches, slopes, strict=True):
            if batch.cost is None and self.is_equal[batch.numbers].any():
                by_variables = np.abs(slope @ batch.matrix).max(axis=2)
                largest[batch.numbers] = by_variables.ravel()[batch.chosen]
        own = largest[self.equal]
        self.unit[self.equal] = 1.0 / np.where(own > 0.0, own, 1.0)
