"""An interior-point method for programs that are chains of pieces.

Rows g(x) with bounds have slacks s, g(x) = s; logarithmic barriers with parameter mu keep these
within their bounds. Steps are Newton's on the KKT conditions, with exact second derivatives;
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

from cranebridge.plan.nlp.iterate import Iterate, Linearisation, NewtonStep, TrialPoint
from cranebridge.plan.nlp.rows import ChainRows

Array = NDArray[np.float64]

# Symbols and numbers of equations are those of Waechter and Biegler (2006), where they have them.
# What the Hessian has on its diagonal in any case, in sizes of the variables, so that variables
# that hardly count stay.
_LEAST_REGULARISATION = 1e-8
# How far a step may go, in sizes of the variables; a longer one counts as a wrong inertia.
_LONGEST_STEP = 100.0
# Inertia correction, section 3.1: delta_w is first this, delta_w^0 ...
_FIRST_CORRECTION = 1e-4
# ... at most this, delta_w^max ...
_LARGEST_CORRECTION = 1e10
# ... grows by this factor where there was none before, kappa_w^+ with a bar ...
_FIRST_GROWTH = 100.0
# ... by this one later, kappa_w^+ ...
_GROWTH = 8.0
# ... and starts from this part of the last one, kappa_w^-.
_DECAY = 1.0 / 3.0
# kappa_epsilon: mu becomes smaller once the KKT residual is below this many times mu ...
_SOLVED_BELOW = 3.0
# ... by this factor, kappa_mu in (7) ...
_MU_FACTOR = 0.2
# ... or this power, theta_mu in (7).
_MU_POWER = 1.5
# gamma_theta in (18): how much smaller the violation of a better point is.
_LESS_VIOLATION = 1e-5
# gamma_phi in (18): how much smaller its barrier objective is, in violations.
_LESS_OBJECTIVE = 1e-8
# s_theta and s_phi in (19), where the objective alone decides.
_VIOLATION_POWER = 1.1
_SLOPE_POWER = 2.3
# eta_phi in (20), Armijo's condition.
_ARMIJO = 1e-8
# theta_max in (21) and theta_min before (19), in first violations.
_LARGEST_VIOLATION = 1e4
_SMALL_VIOLATION = 1e-4
# How often a step is halved.
_HALVINGS = 25
# p^max, second-order corrections of a step, and kappa_soc: by which the violation must fall.
_CORRECTIONS = 2
_CORRECTED = 0.99
# After so many halvings the filter may be reset ...
_RESET_AFTER = 3
# ... so many times.
_RESETS = 5
_ROUNDING = 10.0 * float(np.finfo(float).eps)
# So many iterates in a row below ten times the tolerance are good enough.
_ACCEPTABLE = 5
# So many steps in a row lead nowhere that are shorter than ...
_SHORT_STEPS = 10
# ... this part of Newton's.
_SHORT = 0.05


@dataclass(frozen=True, eq=False)
class BarrierResult:
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
        Of the KKT residual.
    """

    def __init__(self, rows: ChainRows, tolerance: float) -> None:
        self.rows, self.tolerance = rows, tolerance
        self._last_correction, self._resets = 0.0, _RESETS
        self._filter: list[tuple[float, float]] = []
        self._theta_max, self._theta_min = np.inf, 0.0

    def solve(self, start: Iterate, mu: float, most: int) -> BarrierResult:
        """Go on from an iterate with a barrier parameter, by at most some number of steps."""
        now, good, short, least = start, 0, 0, 0.1 * self.tolerance
        for steps in range(most + 1):
            current = Linearisation(self.rows, now)
            if steps == 0:
                self._theta_max = _LARGEST_VIOLATION * max(1.0, current.violation)
                self._theta_min = _SMALL_VIOLATION * max(1.0, current.violation)
            error = current.kkt_residual(0.0)
            good = good + 1 if error <= 10.0 * self.tolerance else 0
            if good == _ACCEPTABLE:
                return BarrierResult(now, True, steps)
            while mu > least and current.kkt_residual(mu) <= _SOLVED_BELOW * mu:
                mu = max(least, min(_MU_FACTOR * mu, mu**_MU_POWER))
                self._filter = []
            current.set_barrier(mu)
            step = self._step(current)
            if step is None:
                break
            slope = float(current.gradient @ step.v + current.barrier_gradient @ step.s)
            # variables of different sizes: an error is small only if a step gains little, too
            small = self.tolerance * max(1.0, abs(current.barrier_objective))
            if error <= self.tolerance and abs(slope) <= small:
                return BarrierResult(now, True, steps)
            following = self._following(current, step, slope)
            if following is None:
                break
            moved = np.abs(following.point.v - now.point.v).max()
            short = short + 1 if moved < _SHORT * np.abs(step.v).max() else 0
            if short == _SHORT_STEPS:
                break
            now = following
        return BarrierResult(now, False, steps)

    def _step(self, current: Linearisation) -> NewtonStep | None:
        """Return Newton's step after inertia correction; None if no correction helps."""
        rows, chain = self.rows, self.rows.chain
        rows.sum_curvature(current.point, current.slopes, current.iterate.y, current.sigma)
        last = self._last_correction
        first = max(_DECAY * last, _LEAST_REGULARISATION) if last else _FIRST_CORRECTION
        growth = _GROWTH if last else _FIRST_GROWTH
        correction = 0.0
        while correction <= _LARGEST_CORRECTION:
            if chain.factor(_LEAST_REGULARISATION + correction):
                step = current.newton_step(current.residuals, current.point.link_residuals)
                if np.abs(step.v).max() <= _LONGEST_STEP:
                    self._last_correction = correction or last
                    return step
            correction = max(first, growth * correction)
        return None

    def _following(self, current: Linearisation, step: NewtonStep, slope: float) -> Iterate | None:
        """Return the next iterate; None where no step is accepted."""
        longest = current.longest(step)
        for halving in range(_HALVINGS):
            trial = current.trial_point(step, 0.5**halving * longest)
            if trial is None:
                continue
            if self._accepted(current, trial, slope):
                return current.next_iterate(trial, step)
            if halving == 0 and trial.violation >= current.violation:
                corrected = self._second_order_corrected(current, trial, slope)
                if corrected is not None:
                    return corrected
            # what came before must not keep out a point that is better than the present one
            if halving >= _RESET_AFTER and self._resets and self._better(current, trial, slope):
                self._resets -= 1
                self._filter = []
                return current.next_iterate(trial, step)
        return None

    def _second_order_corrected(
        self, current: Linearisation, trial: TrialPoint, slope: float
    ) -> Iterate | None:
        """Return the next iterate after a step that is corrected for the curvature of the rows."""
        residuals, link_residuals = current.residuals, current.point.link_residuals
        for _ in range(_CORRECTIONS):
            residuals = trial.length * residuals + trial.residuals
            link_residuals = trial.length * link_residuals + trial.point.link_residuals
            step = current.newton_step(residuals, link_residuals)
            new = current.trial_point(step, current.longest(step))
            if new is None:
                return None
            if self._accepted(current, new, slope):
                return current.next_iterate(new, step)
            if new.violation > _CORRECTED * trial.violation:
                return None
            trial = new
        return None

    def _accepted(self, current: Linearisation, trial: TrialPoint, slope: float) -> bool:
        """Return whether a point is better than the present one and than all in the filter."""
        if trial.violation > self._theta_max:
            return False
        rounding = _ROUNDING * abs(current.barrier_objective)
        for violation, objective in self._filter:
            if trial.violation > violation and trial.barrier_objective > objective + rounding:
                return False
        if not self._better(current, trial, slope):
            return False
        if not self._switched(current, slope, trial.length):
            self._filter.append(_sufficient(current))
        return True

    def _switched(self, current: Linearisation, slope: float, length: float) -> bool:
        """Return whether the barrier objective alone decides on a step: the switching rule (19)."""
        if current.violation > self._theta_min or slope >= 0.0:
            return False
        return bool(length * (-slope) ** _SLOPE_POWER > current.violation**_VIOLATION_POWER)

    def _better(self, current: Linearisation, trial: TrialPoint, slope: float) -> bool:
        """Return whether a point is better than the present one: (20) or (18)."""
        now = current.barrier_objective
        rounding = _ROUNDING * abs(now)
        if self._switched(current, slope, trial.length):
            return trial.barrier_objective <= now + _ARMIJO * trial.length * slope + rounding
        violation, objective = _sufficient(current)
        return trial.violation <= violation or trial.barrier_objective <= objective + rounding


def _sufficient(current: Linearisation) -> tuple[float, float]:
    """Return the violation or barrier objective of sufficient decrease: (18)."""
    return (
        (1.0 - _LESS_VIOLATION) * current.violation,
        current.barrier_objective - _LESS_OBJECTIVE * current.violation,
    )
