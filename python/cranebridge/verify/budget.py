"""The error budget: where the error comes from, and whether that explains it.

- *integrator*: the same run with a tolerance a hundred times smaller and halved steps, because no
  tolerance bounds what is interpolated within a step; in Co-Simulation, and where FMPy runs the
  plant, with halved steps, whose differences tell the order, or are nothing but rounding.
- *sampling*: that finer run with the controls in the form that is fed in (held, linear, or the
  continuous Hermite form) against one with exact continuous controls of half the step. For the
  continuous form, whose error falls with the fourth power of the step, the difference is 15/16 of
  the error. For a time-stepping method this contains the method's own error.
- *model*: what the differences that the certificate found can do along the motion
  (:mod:`cranebridge.verify.certificate.model_part`).

What is left, the largest error less these three, must not be more than the budget's own
uncertainty: otherwise the plant does something that the twin does not. A budget that is larger
than the limit on the error explains nothing, and errors of a motion that the integrator knows less
well than their limits are not judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse import Feedforward, solved_at
from cranebridge.inverse.index1 import structure_of
from cranebridge.limits import SWING_OF, TRACKING, TRACKING_OF, Verdict, outcome
from cranebridge.numerics import distinct
from cranebridge.plan.task import PLANT_CLEARANCE_OF
from cranebridge.readable import in_unit, tiny

Array = NDArray[np.float64]

# Tolerance of the comparison run, relative to that of the run itself, and the least there is.
TIGHTER = 1e-2
TIGHTEST = 1e-13
# The error of the continuous form of the controls falls with this power of the step.
ORDER = 4
# Parts of a step with which it is compared: more only where coarse controls are not explained.
PARTS = (2, 4, 8)
# How well the parts are known: sampling up to terms of the next order, the integrator's error up
# to a factor of two (it does not fall in proportion to the tolerance), the model part not at all.
UNCERTAIN_SAMPLING = 0.1
UNCERTAIN_INTEGRATOR = 1.0
UNCERTAIN_MODEL = 1.0
FINER_RUN = "use a smaller plant.tolerance, or in Co-Simulation and with FMPy a smaller plant.step"
# The comparison runs' largest step, relative to that of the run itself: no simple fraction, so that
# other times are looked at.
OTHER_STEP = 0.37
# Runs of which each step keeps the tolerance differ by less than this many times the tolerance.
STEPS_DIFFER = 1e4
# What is less than this part of the limit on the error changes no verdict.
MATTERS = 0.01
# Differences of runs with halved steps that fall by less than to this part do not converge.
FALLING = 0.9


@dataclass(frozen=True)
class Budget:
    """The parts of the largest error over the manoeuvre, in the outputs' units.

    Attributes
    ----------
    error : float
        The largest error itself.
    sampling, integrator, model : float or None
        The parts; None where one is not known (the model without a certificate, sampling for a
        crane that is not flat, the integrator where halving the step does not help and the
        differences are more than rounding).
    begins : float or None
        When an error begins that the budget does not explain, in s.
    rounding : float
        The most that rounding can add up to.
    between_steps : float
        The most that a finer run with other steps differs, while the plant settles, too.
    """

    error: float
    sampling: float | None
    integrator: float | None
    model: float | None
    begins: float | None = None
    rounding: float = 0.0
    between_steps: float = 0.0

    @property
    def unexplained(self) -> float | None:
        """The largest error less the budget, not below zero; None where a part is not known."""
        if self.sampling is None or self.integrator is None:
            return None
        return max(self.error - self.sampling - self.integrator - (self.model or 0.0), 0.0)

    @property
    def uncertainty(self) -> float | None:
        """How well the budget itself is known."""
        if self.sampling is None or self.integrator is None:
            return None
        parts = UNCERTAIN_SAMPLING * self.sampling + UNCERTAIN_INTEGRATOR * self.integrator
        return parts + UNCERTAIN_MODEL * (self.model or 0.0) + self.rounding

    @property
    def explains(self) -> bool:
        """Whether the budget explains the error, as far as it is known."""
        left, allowed = self.unexplained, self.uncertainty
        return left is None or allowed is None or left <= allowed

    def as_dict(self) -> dict[str, float | None]:
        """Return the entry of ``summary.json``."""
        return {"sampling": self.sampling, "integrator": self.integrator, "model": self.model}

    def verdict(self, limit: float) -> Verdict:
        """Judge whether the budget explains the error, of a plant that is meant to be the twin.

        With parts that are larger than the limit on the error, any error would be explained.
        """
        name, left, allowed = "error explained", self.unexplained, self.uncertainty
        if left is None or allowed is None:
            reason = (
                "halving the communication step does not bring the runs together; use a smaller "
                "plant.step"
            )
            return Verdict(name, "not judged", f"{name}: not judged, because {reason}")
        passed = self.explains
        parts = self.as_dict()
        total = sum(value or 0.0 for value in parts.values())
        if passed and total > limit:
            found = ", ".join(
                f"{part} {in_unit(value or 0.0, 'm')}" for part, value in parts.items()
            )
            return _too_large(name, total, found, limit, _finer(parts))
        message = (
            f"sampling, integrator and model explain the error of {in_unit(self.error, 'm')} up to "
            f"{in_unit(left, 'm', 2)}, within the budget's uncertainty of "
            f"{in_unit(allowed, 'm', 2)}"
        )
        if tiny(self.error, "m"):
            message = (
                f"sampling, integrator and model explain the error of {in_unit(self.error, 'm')}"
            )
        if not passed:
            begins = "" if self.begins is None else f": from t = {self.begins:.2f} s"
            message = (
                f"the plant does something that the twin does not{begins}; of the error of "
                f"{self.error:.3g} m, {left:.3g} m is not explained by sampling, integrator and "
                f"model (these are known to {allowed:.1e} m)"
            )
        status = outcome(passed)
        return Verdict(name, status, message, left, allowed, allowed - left, "m", self.begins)


def steps_verdict(
    budget: Budget, max_step: float | None, tolerance: float, size: float, limit: float
) -> list[Verdict]:
    """Say where a run with another largest step is another motion: the steps miss something.

    Parameters
    ----------
    budget : Budget
        With the difference of the runs.
    max_step : float or None
        The integrator's largest step in s; without one there is nothing to say.
    tolerance, size : float
        The integrator's tolerance, and the largest output.
    limit : float
        On the error.
    """
    found = budget.between_steps
    if max_step is None:
        return []
    if found <= max(STEPS_DIFFER * tolerance * size, MATTERS * limit):
        return []
    reason = (
        f"runs with largest steps of {max_step:.3g} s and {OTHER_STEP * max_step:.3g} s differ by "
        f"{in_unit(found, 'm')}: the plant does something between two steps without an event; give "
        "plant.max_step, shorter than that lasts"
    )
    return [
        Verdict("integrator steps", "not judged", f"integrator steps: not judged, because {reason}")
    ]


def _finer(parts: Mapping[str, float | None]) -> str:
    """Return what makes the largest part of a budget smaller."""
    largest = max(parts, key=lambda part: parts[part] or 0.0)
    return {
        "sampling": "use a smaller solve.step, or plant.feed = 'exact'",
        "integrator": FINER_RUN,
        "model": "see what the certificate found",
    }[largest]


def _too_large(name: str, size: float, parts: str, limit: float, advice: str) -> Verdict:
    reason = (
        f"the error budget of {in_unit(size, 'm')} ({parts}) is larger than the limit of "
        f"{limit:g} m; {advice}"
    )
    return Verdict(name, "not judged", f"{name}: not judged, because {reason}")


def known_well(verdicts: Iterable[Verdict], budget: Budget) -> tuple[Verdict, ...]:
    """Return the verdicts; those on errors are not judged where the motion is not known so well.

    A motion that a finer run differs from by more than a limit can have kept it by chance: that on
    tracking, or that on the residual swing. So can one that came nearer to an obstacle than that;
    a millimetre is well enough there, for plans go along the clearance itself. One that broke its
    limit stays failed.
    """
    if budget.integrator is None:
        return tuple(verdicts)
    part = max(budget.integrator, budget.between_steps)

    def known(one: Verdict) -> Verdict:
        if not one.passed or one.limit is None or one.margin is None:
            return one
        if one.name.startswith((TRACKING_OF, SWING_OF)) and part > abs(one.limit):
            return _too_large(one.name, part, "integrator", abs(one.limit), FINER_RUN)
        if one.name.startswith(PLANT_CLEARANCE_OF) and part > max(one.margin, TRACKING):
            reason = (
                f"runs differ by {in_unit(part, 'm')}, more than the {in_unit(one.margin, 'm')} "
                f"that are left; {FINER_RUN}"
            )
            return Verdict(one.name, "not judged", f"{one.name}: not judged, because {reason}")
        return one

    return tuple(map(known, verdicts))


@dataclass(frozen=True, eq=False)
class BudgetRuns:
    """Errors of the same manoeuvre simulated in different ways, a row for each time.

    Attributes
    ----------
    time : numpy.ndarray
        Times of the manoeuvre, without the settling window.
    own : numpy.ndarray
        Error of the run that is judged.
    tight : numpy.ndarray
        Error with a smaller tolerance, or half the communication step.
    tighter : numpy.ndarray or None
        In Co-Simulation, with a quarter of it.
    ideal : numpy.ndarray or None
        Error of the tight run with exact controls of half the step.
    rounding : float
        The most that rounding can add up to over all steps.
    """

    time: Array
    own: Array
    tight: Array
    tighter: Array | None
    ideal: Array | None
    rounding: float = 0.0


def largest_rounding(outputs: Array, steps: float) -> float:
    """Return what rounding outputs in each of some steps can add up to at most."""
    return float(np.finfo(float).eps * steps * np.abs(outputs).max())


def make_budget(
    error: float,
    runs: BudgetRuns,
    continuous: bool,
    model: float | None,
    tighter: float = TIGHTER,
    parts: int = PARTS[0],
) -> Budget:
    """Return the budget of an error.

    Parameters
    ----------
    error : float
        The largest error of the run that is judged.
    runs : BudgetRuns
        The comparison runs.
    continuous : bool
        Whether the controls were fed in their continuous form of order 4.
    model : float, optional
        The model part.
    tighter : float
        Tolerance of the comparison runs, relative to that of the run itself.
    parts : int
        Into how many parts the step of the exact controls is divided.
    """
    integrator = _integrator(runs, tighter)
    sampling = None
    if runs.ideal is not None:
        # Half the step still has a sixteenth of the error: the difference is 15/16 of it.
        factor = 1.0 / (1.0 - parts**-ORDER) if continuous else 1.0
        sampling = factor * float(np.abs(runs.tight - runs.ideal).max())
    budget = Budget(error, sampling, integrator, model, rounding=runs.rounding)
    if runs.ideal is None or budget.uncertainty is None:
        return budget
    # What exact controls and a fine integration leave is neither sampling nor integrator.
    left = np.abs(runs.ideal).max(axis=1) > budget.uncertainty + (model or 0.0)
    begins = float(runs.time[int(np.argmax(left))]) if left.any() else None
    return replace(budget, begins=begins)


def _integrator(runs: BudgetRuns, tighter: float) -> float | None:
    """Return the integrator's part from the differences of finer runs."""
    first = float(np.abs(runs.own - runs.tight).max())
    if runs.tighter is None:
        # A coarser run than the own one tells a bound only.
        return first / (1.0 - tighter) if tighter < 1.0 else first
    second = float(np.abs(runs.tight - runs.tighter).max())
    # A geometric series of differences; one that hardly falls tells nothing, unless it is rounding:
    # then the steps are as fine as they can be, and the differences are all there is.
    if second < FALLING * first:
        return first / (1.0 - second / first)
    largest = max(first, second)
    return largest if first == 0.0 or largest <= runs.rounding else None


def tight_tolerance(tolerance: float) -> float:
    """Return the tolerance of the comparison run: smaller, or larger where it cannot be smaller."""
    if tolerance <= 2.0 * TIGHTEST:
        return tolerance / TIGHTER
    return max(TIGHTEST, TIGHTER * tolerance)


def exact_controls(feedforward: Feedforward, parts: int = PARTS[0]) -> Feedforward | None:
    """Return the exact solution at a part of the step, or None where no method gives one."""
    flat = structure_of(feedforward.problem).flat
    if not flat and feedforward.exact_at is None:
        return None
    time = distinct((feedforward.nodes or feedforward).time)
    inner = [time[:-1] + np.diff(time) * k / parts for k in range(1, parts)]
    return solved_at(feedforward, distinct(np.concatenate([time, *inner])))


def is_continuous(feedforward: Feedforward, feed: str) -> bool:
    """Return whether exact controls were fed in their continuous form, of order 4 in the step."""
    return feed == "exact" and feedforward.nodes is not None
