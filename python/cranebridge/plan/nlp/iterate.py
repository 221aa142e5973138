"""Points of the interior-point method: slacks, multipliers, and Newton's steps from there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.plan.nlp.rows import ChainPoint, ChainRows

Array = NDArray[np.float64]

# Elasticity of equations.
_GIVE = 1e-5
# A step goes at most this part of the way to a bound.
_TO_BOUND = 0.99
# Multipliers stay within this factor of what belongs to their slacks.
_NEAR = 1e10
# Errors are divided by the mean multiplier where that is larger than this.
_LARGE = 100.0


@dataclass(frozen=True, eq=False)
class Iterate:
    """A point with slacks and multipliers.

    Attributes
    ----------
    point : ChainPoint
        The variables, with their rows.
    s, y : numpy.ndarray
        Slacks and multipliers of the rows.
    low, high : numpy.ndarray
        Multipliers of the lower and upper bounds of those slacks that have them.
    forces : numpy.ndarray
        Multipliers of the links.
    """

    point: ChainPoint
    s: Array
    y: Array
    low: Array
    high: Array
    forces: Array


@dataclass(frozen=True, eq=False)
class NewtonStep:
    """A direction of variables, slacks, multipliers of rows and of links."""

    v: Array
    s: Array
    y: Array
    forces: Array


@dataclass(frozen=True, eq=False)
class TrialPoint:
    """Where a part of a step leads to.

    Attributes
    ----------
    point : ChainPoint
        The variables, with their rows.
    s, residuals : numpy.ndarray
        Slacks, and by how much rows are not what they must be.
    length : float
        Which part of the step it is.
    gap, cost : float
        By how much rows and links do not hold, in sum, and the objective with the barriers.
    """

    point: ChainPoint
    s: Array
    residuals: Array
    length: float
    gap: float
    cost: float


class Linearisation:
    """An iterate with its slopes, and with what a weight of the barriers makes of it."""

    def __init__(self, rows: ChainRows, iterate: Iterate) -> None:
        self.rows, self.iterate = rows, iterate
        self.point, self.s = iterate.point, iterate.s
        self.slopes = rows.all_slopes(iterate.point)
        self.gradient = rows.gradient(self.slopes)
        self.below = self.s[rows.low] - rows.least[rows.low]
        self.above = rows.most[rows.high] - self.s[rows.high]
        self.residuals = rows.residuals(iterate.point, self.s)
        self.gap = gap_of(self.residuals, iterate.point)
        stiff = np.zeros(self.s.size)
        stiff[rows.low] = iterate.low / self.below
        stiff[rows.high] += iterate.high / self.above
        stiff[rows.equal] = 1.0 / _GIVE
        self.stiff = stiff
        self._optimality = self._first_errors()

    def _first_errors(self) -> tuple[float, Array, float]:
        """Return the error that mu does not change, slacks times multipliers, and their scale."""
        rows, now = self.rows, self.iterate
        pulled = self.gradient + rows.pulled(self.slopes, now.y) + rows.chain.pulled(now.forces)
        pushed = -now.y
        pushed[rows.low] -= now.low
        pushed[rows.high] += now.high
        own = np.abs(pulled[rows.chain.moving]).max(initial=0.0)
        own = max(own, np.abs(pushed[rows.within]).max(initial=0.0))
        bounds, count = now.low.sum() + now.high.sum(), now.low.size + now.high.size
        every = np.abs(now.y).sum() + np.abs(now.forces).sum() + bounds
        mean = every / (now.y.size + now.forces.size + count)
        gap = np.abs(self.residuals).max(initial=0.0)
        gap = max(gap, np.abs(self.point.gaps).max(initial=0.0))
        products = np.concatenate([self.below * now.low, self.above * now.high])
        scale = max(_LARGE, bounds / max(1, count)) / _LARGE
        return max(own * _LARGE / max(_LARGE, mean), gap), products, scale

    def error(self, mu: float) -> float:
        """Return the largest error of the conditions of optimality with barriers."""
        first, products, scale = self._optimality
        return float(max(first, np.abs(products - mu).max(initial=0.0) / scale))

    def weigh(self, mu: float) -> None:
        """Take a weight of the barriers."""
        rows = self.rows
        self.mu, self.to_bound = mu, max(_TO_BOUND, 1.0 - mu)
        self.pushed = np.zeros(self.s.size)
        self.pushed[rows.low] = -mu / self.below
        self.pushed[rows.high] += mu / self.above
        self.cost = cost_of(rows, self.point, self.s, mu)

    def direction(self, residuals: Array, gaps: Array) -> NewtonStep:
        """Return Newton's step that closes some gaps of rows and links."""
        rows, now = self.rows, self.iterate
        first = np.where(rows.is_equal, now.y, self.pushed)
        pulled = rows.pulled(self.slopes, first + self.stiff * residuals)
        v, forces = rows.chain.step(self.gradient + pulled, gaps)
        s = rows.along(self.slopes, v) + residuals
        y = first + self.stiff * s - now.y
        s[~rows.is_within] = 0.0
        return NewtonStep(v, s, y, forces - now.forces)

    def longest(self, step: NewtonStep) -> float:
        """Return how much of a step slacks may go."""
        worst = max(
            (-step.s[self.rows.low] / self.below).max(initial=0.0),
            (step.s[self.rows.high] / self.above).max(initial=0.0),
        )
        return min(1.0, self.to_bound / worst) if worst > 0.0 else 1.0

    def tried(self, step: NewtonStep, length: float) -> TrialPoint | None:
        """Return where a part of a step leads to; None where the crane cannot go."""
        point = self.rows.evaluate(self.point.v + length * step.v)
        if point is None:
            return None
        s = self.s + length * step.s
        residuals = self.rows.residuals(point, s)
        cost = cost_of(self.rows, point, s, self.mu)
        return TrialPoint(point, s, residuals, length, gap_of(residuals, point), cost)

    def taken(self, tried: TrialPoint, step: NewtonStep) -> Iterate:
        """Return the iterate after a part of a step."""
        rows, now, s, length = self.rows, self.iterate, tried.s, tried.length
        low = (self.mu - now.low * step.s[rows.low]) / self.below - now.low
        high = (self.mu + now.high * step.s[rows.high]) / self.above - now.high
        worst = max((-low / now.low).max(initial=0.0), (-high / now.high).max(initial=0.0))
        own = min(1.0, self.to_bound / worst) if worst > 0.0 else 1.0
        rows.keep(tried.point)
        return Iterate(
            tried.point,
            s,
            now.y + length * step.y,
            _bounded(now.low + own * low, self.mu / (s[rows.low] - rows.least[rows.low])),
            _bounded(now.high + own * high, self.mu / (rows.most[rows.high] - s[rows.high])),
            now.forces + length * step.forces,
        )


def gap_of(residuals: Array, point: ChainPoint) -> float:
    """Return by how much rows and links do not hold, in sum."""
    return float(np.abs(residuals).sum() + np.abs(point.gaps).sum())


def cost_of(rows: ChainRows, point: ChainPoint, s: Array, mu: float) -> float:
    """Return the objective with the barriers."""
    below, above = s[rows.low] - rows.least[rows.low], rows.most[rows.high] - s[rows.high]
    if min(below.min(initial=1.0), above.min(initial=1.0)) <= 0.0:
        return np.inf
    return float(point.cost - mu * (np.log(below).sum() + np.log(above).sum()))


def begin(
    rows: ChainRows, point: ChainPoint, push: float, known: tuple[Array, Array] | None = None
) -> Iterate:
    """Return an iterate at a point, its slacks inside their bounds.

    Parameters
    ----------
    rows : ChainRows
        The program.
    point : ChainPoint
        Where.
    push : float
        How far inside, relative to the bounds and to their distance.
    known : (numpy.ndarray, numpy.ndarray), optional
        Multipliers of the durations' bounds and of the rows, links among them.
    """
    s, span = point.rows.copy(), rows.most - rows.least
    for own, bound, inner in (
        (rows.low, rows.least, np.maximum),
        (rows.high, rows.most, np.minimum),
    ):
        inside = push * np.minimum(np.maximum(1.0, np.abs(bound[own])), span[own])
        s[own] = inner(s[own], bound[own] + (inside if inner is np.maximum else -inside))
    forces = np.zeros_like(point.gaps)
    if known is None:
        return Iterate(
            point, s, np.zeros(s.size), np.ones(rows.low.size), np.ones(rows.high.size), forces
        )
    y = np.concatenate([known[1], known[0]]) / rows.unit
    numbers = rows.chain.link_numbers
    forces[numbers >= 0] = known[1][numbers[numbers >= 0]]
    forces *= rows.chain.state_sizes
    y[~(rows.is_within | rows.is_equal)] = 0.0
    low, high = np.maximum(-y[rows.low], push), np.maximum(y[rows.high], push)
    return Iterate(point, s, y, low, high, forces)


def _bounded(values: Array, right: Array) -> Array:
    """Return multipliers within a factor of what belongs to their slacks."""
    return np.clip(values, right / _NEAR, right * _NEAR)
