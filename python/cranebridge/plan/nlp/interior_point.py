"""An interior-point method for programs that are chains of pieces.

Rows g(x) with bounds have slacks s, g(x) = s; logarithmic barriers of weight mu keep these within
their bounds. Steps are Newton's on the conditions of optimality, with exact second derivatives;
slacks and multipliers of bounds are eliminated at each time, all else piece by piece
(:mod:`cranebridge.plan.nlp.blocks`), so that a step takes a time in proportion to the number of
pieces. Equations have a little elasticity, which their multipliers take out again. Steps are
accepted by a filter, and mu becomes smaller, as in Waechter and Biegler, Math. Program. 106 (2006)
25-57, from where most constants are. There is no restoration: where steps lead nowhere, the method
gives up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.plan.nlp.iterate import Here, Iterate, Step, Tried
from cranebridge.plan.nlp.rows import ChainRows

Array = NDArray[np.float64]

# What second derivatives have on their diagonal in any case, so that variables that hardly count
# stay; and how far a step may go. Both in sizes of the variables.
_BASE, _FAR = 1e-8, 100.0
# What they get where there is no minimum, or none nearby: at first, at most, and by which factors
# it grows (fast at first) and shrinks.
_FIRST, _MOST, _FAST, _GROW, _SHRINK = 1e-4, 1e10, 100.0, 8.0, 1.0 / 3.0
# mu becomes smaller once the error is below this many times mu, by a factor or by a power.
_SOLVED, _FACTOR, _POWER = 3.0, 0.2, 1.5
# Of the filter: how much better a point must be, and when the objective alone decides.
_LESS_GAP, _LESS_COST, _ARMIJO = 1e-5, 1e-8, 1e-8
_GAP_POWER, _COST_POWER = 1.1, 2.3
_LARGE_GAP, _SMALL_GAP = 1e4, 1e-4
_HALVINGS, _CORRECTIONS, _CORRECTED = 25, 2, 0.99
# After so many halvings the filter may be forgotten, so many times.
_PATIENCE, _RESETS = 3, 5
_ROUNDING = 10.0 * float(np.finfo(float).eps)
# So many points in a row below ten times the tolerance are good enough.
_ACCEPTABLE = 5
# So many steps in a row that are shorter than this part of Newton's lead nowhere.
_SHORT, _PART = 10, 0.05


@dataclass(frozen=True, eq=False)
class Ended:
    """Where the method ended, whether at an optimum, and after how many steps."""

    iterate: Iterate
    solved: bool
    steps: int


class BarrierMethod:
    """Finds a minimum.

    Parameters
    ----------
    rows : ChainRows
        The program.
    tolerance : float
        Of the conditions of optimality.
    """

    def __init__(self, rows: ChainRows, tolerance: float) -> None:
        self.rows, self.tolerance = rows, tolerance
        self._more, self._resets = 0.0, _RESETS
        self._filter: list[tuple[float, float]] = []
        self._largest, self._small = np.inf, 0.0

    def solve(self, start: Iterate, mu: float, most: int) -> Ended:
        """Go on from an iterate with a weight of the barriers, by at most some number of steps."""
        now, good, short, least = start, 0, 0, 0.1 * self.tolerance
        for steps in range(most + 1):
            here = Here(self.rows, now)
            if steps == 0:
                self._largest = _LARGE_GAP * max(1.0, here.gap)
                self._small = _SMALL_GAP * max(1.0, here.gap)
            error = here.error(0.0)
            good = good + 1 if error <= 10.0 * self.tolerance else 0
            if good == _ACCEPTABLE:
                return Ended(now, True, steps)
            while mu > least and here.error(mu) <= _SOLVED * mu:
                mu = max(least, min(_FACTOR * mu, mu**_POWER))
                self._filter = []
            here.weigh(mu)
            step = self._step(here)
            if step is None:
                break
            slope = float(here.gradient @ step.v + here.pushed @ step.s)
            # variables of different sizes: an error is small only if a step gains little, too
            if error <= self.tolerance and abs(slope) <= self.tolerance * max(1.0, abs(here.cost)):
                return Ended(now, True, steps)
            following = self._following(here, step, slope)
            if following is None:
                break
            moved = np.abs(following.point.v - now.point.v).max()
            short = short + 1 if moved < _PART * np.abs(step.v).max() else 0
            if short == _SHORT:
                break
            now = following
        return Ended(now, False, steps)

    def _step(self, here: Here) -> Step | None:
        """Return Newton's step with second derivatives that have a minimum, and one nearby."""
        rows, chain = self.rows, self.rows.chain
        rows.sum_curvature(here.point, here.slopes, here.iterate.y, here.stiff)
        first = max(_SHRINK * self._more, _BASE) if self._more else _FIRST
        grow = _GROW if self._more else _FAST
        more = 0.0
        while more <= _MOST:
            if chain.factor(_BASE + more):
                step = here.direction(here.residuals, here.point.gaps)
                if np.abs(step.v).max() <= _FAR:
                    self._more = more or self._more
                    return step
            more = max(first, grow * more)
        return None

    def _following(self, here: Here, step: Step, slope: float) -> Iterate | None:
        """Return the next iterate; None where no step is accepted."""
        longest = here.longest(step)
        for halving in range(_HALVINGS):
            tried = here.tried(step, 0.5**halving * longest)
            if tried is None:
                continue
            if self._accepted(here, tried, slope):
                return here.taken(tried, step)
            if halving == 0 and tried.gap >= here.gap:
                corrected = self._corrected(here, tried, slope)
                if corrected is not None:
                    return corrected
            # what came before must not keep out a point that is better than the present one
            if halving >= _PATIENCE and self._resets and self._better(here, tried, slope):
                self._resets -= 1
                self._filter = []
                return here.taken(tried, step)
        return None

    def _corrected(self, here: Here, tried: Tried, slope: float) -> Iterate | None:
        """Return the next iterate after a step that is corrected for the curvature of the rows."""
        residuals, links = here.residuals, here.point.gaps
        for _ in range(_CORRECTIONS):
            residuals = tried.length * residuals + tried.residuals
            links = tried.length * links + tried.point.gaps
            step = here.direction(residuals, links)
            new = here.tried(step, here.longest(step))
            if new is None:
                return None
            if self._accepted(here, new, slope):
                return here.taken(new, step)
            if new.gap > _CORRECTED * tried.gap:
                return None
            tried = new
        return None

    def _accepted(self, here: Here, tried: Tried, slope: float) -> bool:
        """Return whether a point is better than the present one and than all in the filter."""
        if tried.gap > self._largest:
            return False
        rounding = _ROUNDING * abs(here.cost)
        if any(tried.gap > gap and tried.cost > cost + rounding for gap, cost in self._filter):
            return False
        if not self._better(here, tried, slope):
            return False
        if not self._decides(here, slope, tried.length):
            self._filter.append(_less(here))
        return True

    def _decides(self, here: Here, slope: float, length: float) -> bool:
        """Return whether the objective alone decides on a step."""
        if here.gap > self._small or slope >= 0.0:
            return False
        return bool(length * (-slope) ** _COST_POWER > here.gap**_GAP_POWER)

    def _better(self, here: Here, tried: Tried, slope: float) -> bool:
        """Return whether a point is better than the present one."""
        rounding = _ROUNDING * abs(here.cost)
        if self._decides(here, slope, tried.length):
            return tried.cost <= here.cost + _ARMIJO * tried.length * slope + rounding
        least_gap, least_cost = _less(here)
        return tried.gap <= least_gap or tried.cost <= least_cost + rounding


def _less(here: Here) -> tuple[float, float]:
    """Return which gap or which objective counts as better than the present ones."""
    return (1.0 - _LESS_GAP) * here.gap, here.cost - _LESS_COST * here.gap
