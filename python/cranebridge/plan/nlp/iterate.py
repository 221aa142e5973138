"""Iterates of the interior-point method: slacks, multipliers, and Newton's steps from there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.plan.nlp.rows import ChainPoint, ChainRows

Array = NDArray[np.float64]

# Symbols and numbers of equations are those of Waechter and Biegler (2006), where they have them.
# delta_c in (13), of the scaled equations: their elasticity, whose force the multipliers take over.
_ELASTICITY = 1e-5
# tau_min in (8), the fraction to the boundary: a step goes at most this part of the way to a bound.
_LEAST_FRACTION_TO_BOUNDARY = 0.99
# kappa_Sigma in (16): multipliers of bounds stay within this factor of mu over their slacks.
_MULTIPLIER_SAFEGUARD = 1e10
# s_max, after (6): residuals are divided by the mean multiplier where that is larger than this.
_SCALED_FROM = 100.0


@dataclass(frozen=True, eq=False)
class Iterate:
    """A point with slacks and multipliers.

    Attributes
    ----------
    point : ChainPoint
        The variables, with their rows.
    s, y : numpy.ndarray
        Slacks and multipliers of the rows.
    z_low, z_high : numpy.ndarray
        Multipliers of the lower and upper bounds of those slacks that have them.
    y_links : numpy.ndarray
        Multipliers of the links.
    """

    point: ChainPoint
    s: Array
    y: Array
    z_low: Array
    z_high: Array
    y_links: Array


@dataclass(frozen=True, eq=False)
class NewtonStep:
    """A direction of variables, slacks, multipliers of rows and of links."""

    v: Array
    s: Array
    y: Array
    y_links: Array


@dataclass(frozen=True, eq=False)
class TrialPoint:
    """Where a part of a step leads to.

    Attributes
    ----------
    point : ChainPoint
        The variables, with their rows.
    s, residuals : numpy.ndarray
        Slacks, and the residuals of the rows.
    length : float
        Which part of the step it is: alpha.
    violation : float
        Of the constraints, rows and links, in the 1-norm: theta.
    barrier_objective : float
        The objective with the barriers: phi.
    """

    point: ChainPoint
    s: Array
    residuals: Array
    length: float
    violation: float
    barrier_objective: float


class Linearisation:
    """The program linearised at an iterate, and the barrier problem there."""

    def __init__(self, rows: ChainRows, iterate: Iterate) -> None:
        self.rows, self.iterate = rows, iterate
        self.point, self.s = iterate.point, iterate.s
        self.slopes = rows.all_slopes(iterate.point)
        self.gradient = rows.gradient(self.slopes)
        self.slack_low = self.s[rows.low] - rows.least[rows.low]
        self.slack_high = rows.most[rows.high] - self.s[rows.high]
        self.residuals = rows.residuals(iterate.point, self.s)
        self.violation = violation_of(self.residuals, iterate.point)
        # Sigma in (13): multipliers over slacks; of equations one over their elasticity
        sigma = np.zeros(self.s.size)
        sigma[rows.low] = iterate.z_low / self.slack_low
        sigma[rows.high] += iterate.z_high / self.slack_high
        sigma[rows.equal] = 1.0 / _ELASTICITY
        self.sigma = sigma
        self._kkt_parts = self._kkt_residuals()

    def _kkt_residuals(self) -> tuple[float, Array, float]:
        """Return the KKT residual but for complementarity, the products of that, and their scale.

        Dual and primal infeasibility do not depend on mu.
        """
        rows, now = self.rows, self.iterate
        dual = self.gradient + rows.times_multipliers(self.slopes, now.y)
        dual += rows.chain.times_multipliers(now.y_links)
        dual_slacks = -now.y
        dual_slacks[rows.low] -= now.z_low
        dual_slacks[rows.high] += now.z_high
        dual_error = np.abs(dual[rows.chain.moving]).max(initial=0.0)
        dual_error = max(dual_error, np.abs(dual_slacks[rows.within]).max(initial=0.0))
        z_sum, z_count = now.z_low.sum() + now.z_high.sum(), now.z_low.size + now.z_high.size
        every = np.abs(now.y).sum() + np.abs(now.y_links).sum() + z_sum
        mean = every / (now.y.size + now.y_links.size + z_count)
        primal_error = np.abs(self.residuals).max(initial=0.0)
        primal_error = max(primal_error, np.abs(self.point.link_residuals).max(initial=0.0))
        products = np.concatenate([self.slack_low * now.z_low, self.slack_high * now.z_high])
        scale = max(_SCALED_FROM, z_sum / max(1, z_count)) / _SCALED_FROM
        scaled = dual_error * _SCALED_FROM / max(_SCALED_FROM, mean)
        return max(scaled, primal_error), products, scale

    def kkt_residual(self, mu: float) -> float:
        """Return the KKT residual of the barrier problem: E_mu in (5)."""
        infeasibility, products, scale = self._kkt_parts
        return float(max(infeasibility, np.abs(products - mu).max(initial=0.0) / scale))

    def set_barrier(self, mu: float) -> None:
        """Take a barrier parameter."""
        rows = self.rows
        self.mu, self.fraction_to_boundary = mu, max(_LEAST_FRACTION_TO_BOUNDARY, 1.0 - mu)
        self.barrier_gradient = np.zeros(self.s.size)
        self.barrier_gradient[rows.low] = -mu / self.slack_low
        self.barrier_gradient[rows.high] += mu / self.slack_high
        self.barrier_objective = barrier_objective_of(rows, self.point, self.s, mu)

    def newton_step(self, residuals: Array, link_residuals: Array) -> NewtonStep:
        """Return Newton's step that takes away some residuals of rows and links."""
        rows, now = self.rows, self.iterate
        first = np.where(rows.is_equal, now.y, self.barrier_gradient)
        pulled = rows.times_multipliers(self.slopes, first + self.sigma * residuals)
        v, y_links = rows.chain.step(self.gradient + pulled, link_residuals)
        s = rows.along(self.slopes, v) + residuals
        y = first + self.sigma * s - now.y
        s[~rows.is_within] = 0.0
        return NewtonStep(v, s, y, y_links - now.y_links)

    def longest(self, step: NewtonStep) -> float:
        """Return the largest part of a step by the fraction to the boundary: (15a)."""
        worst = max(
            (-step.s[self.rows.low] / self.slack_low).max(initial=0.0),
            (step.s[self.rows.high] / self.slack_high).max(initial=0.0),
        )
        return min(1.0, self.fraction_to_boundary / worst) if worst > 0.0 else 1.0

    def trial_point(self, step: NewtonStep, length: float) -> TrialPoint | None:
        """Return where a part of a step leads to; None where the crane cannot go."""
        point = self.rows.evaluate(self.point.v + length * step.v)
        if point is None:
            return None
        s = self.s + length * step.s
        residuals = self.rows.residuals(point, s)
        barrier_objective = barrier_objective_of(self.rows, point, s, self.mu)
        violation = violation_of(residuals, point)
        return TrialPoint(point, s, residuals, length, violation, barrier_objective)

    def next_iterate(self, trial: TrialPoint, step: NewtonStep) -> Iterate:
        """Return the iterate at a trial point.

        Multipliers of bounds have their own step length by the fraction to the boundary: (15b).
        """
        rows, now, s, length = self.rows, self.iterate, trial.s, trial.length
        dz_low = (self.mu - now.z_low * step.s[rows.low]) / self.slack_low - now.z_low
        dz_high = (self.mu + now.z_high * step.s[rows.high]) / self.slack_high - now.z_high
        worst = max(
            (-dz_low / now.z_low).max(initial=0.0), (-dz_high / now.z_high).max(initial=0.0)
        )
        dual_length = min(1.0, self.fraction_to_boundary / worst) if worst > 0.0 else 1.0
        rows.keep(trial.point)
        slack_low = s[rows.low] - rows.least[rows.low]
        slack_high = rows.most[rows.high] - s[rows.high]
        return Iterate(
            trial.point,
            s,
            now.y + length * step.y,
            _safeguarded(now.z_low + dual_length * dz_low, self.mu / slack_low),
            _safeguarded(now.z_high + dual_length * dz_high, self.mu / slack_high),
            now.y_links + length * step.y_links,
        )


def violation_of(residuals: Array, point: ChainPoint) -> float:
    """Return the violation of the constraints, rows and links, in the 1-norm: theta."""
    return float(np.abs(residuals).sum() + np.abs(point.link_residuals).sum())


def barrier_objective_of(rows: ChainRows, point: ChainPoint, s: Array, mu: float) -> float:
    """Return the objective with the barriers: phi in (3a)."""
    slack_low, slack_high = s[rows.low] - rows.least[rows.low], rows.most[rows.high] - s[rows.high]
    if min(slack_low.min(initial=1.0), slack_high.min(initial=1.0)) <= 0.0:
        return np.inf
    return float(point.cost - mu * (np.log(slack_low).sum() + np.log(slack_high).sum()))


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
    y_links = np.zeros_like(point.link_residuals)
    if known is None:
        return Iterate(
            point, s, np.zeros(s.size), np.ones(rows.low.size), np.ones(rows.high.size), y_links
        )
    y = np.concatenate([known[1], known[0]]) / rows.unit
    numbers = rows.chain.link_numbers
    y_links[numbers >= 0] = known[1][numbers[numbers >= 0]]
    y_links *= rows.chain.state_sizes
    y[~(rows.is_within | rows.is_equal)] = 0.0
    z_low, z_high = np.maximum(-y[rows.low], push), np.maximum(y[rows.high], push)
    return Iterate(point, s, y, z_low, z_high, y_links)


def _safeguarded(z: Array, central: Array) -> Array:
    """Return multipliers of bounds within a factor of those of the central path: (16)."""
    return np.clip(z, central / _MULTIPLIER_SAFEGUARD, central * _MULTIPLIER_SAFEGUARD)
