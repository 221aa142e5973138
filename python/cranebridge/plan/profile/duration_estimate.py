"""How fast a path can be, estimated on few times: for a search over many profiles.

The stages of index 1 and all limits are evaluated at a few hundred times in one call. What is found
is confirmed on the exact solution (:mod:`cranebridge.plan.timing`) before it is reported.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.polynomial.polynomial import polyval
from numpy.typing import NDArray
from scipy.optimize import brentq

from cranebridge.inverse import ServoProblem
from cranebridge.inverse.index1 import point_solver, start_solution
from cranebridge.inverse.kernels import MappedFunctions
from cranebridge.limits import Limits
from cranebridge.path import Path, Piece, Profile, Side, smooth_step
from cranebridge.plan.task import bounds_of

Array = NDArray[np.float64]

# Times at which a motion is evaluated in a search. Between them extremes hide a thousandth of their
# size, more where the load passes close to a slewing axis.
TIMES = 256
# The same to settle the outcome of a search.
FINE_TIMES = 2048
# Newton's steps from the solution at another duration; they converge quadratically.
_SWEEPS = 4
_SETTLED = 1e-6
# Of the logarithm of the duration: steps in which it is sought ...
_STRIDE = 0.1
# ... how far at most ...
_FURTHEST = 9.0
# ... and how exactly.
_TOLERANCE = 5e-5
# Where there is no motion at all, a limit counts as exceeded this much.
_NO_MOTION = 100.0


class DurationEstimator:
    """Estimates the shortest duration of paths of one crane within limits.

    Parameters
    ----------
    problem : ServoProblem
        A flat crane; its path gives the outputs and the start.
    limits : Limits
        What must be kept.
    """

    def __init__(self, problem: ServoProblem, limits: Limits) -> None:
        self._problem = problem
        self._solver = point_solver(problem)
        self._p = problem.parameter_vector
        bounds = bounds_of(problem.crane, limits)
        self._least, self._most, self._size = bounds.least, bounds.most, bounds.size
        layout = self._solver.stages.layout
        rows, rates = self._solver.stages.finish.size1_out(0), layout["u_rate"].stop
        motion, rate = ca.SX.sym("motion", rows), ca.SX.sym("rate", rates)
        p = ca.SX.sym("p", self._p.size)
        parts = [motion[layout[name]] for name in ("q", "v", "a")]
        parts += [rate[layout["jerk"]], motion[layout["lambda"]], motion[layout["u"]]]
        look = ca.Function("look", [motion, rate, p], [bounds.function(*parts, p)])
        self._look = MappedFunctions((look,), "never")
        self._rest = start_solution(problem, self._solver)
        self.near: Array | None = None  # Newton's unknowns of the motion looked at last

    def shortest(
        self, path: Path, guess: float, most: float = math.inf, times: int = TIMES
    ) -> float:
        """Return the shortest duration of a path, whatever duration it has [s].

        Parameters
        ----------
        path : Path
            From rest to rest.
        guess : float
            A duration from which to search [s].
        most : float
            A longer duration [s] is of no interest: what is returned is then longer, but no more
            than an indication.
        times : int
            How many times are looked at.
        """
        motion = _ScaledMotion(self, path, times)
        if math.isfinite(most):
            excess = motion.excess(most)
            if excess > 0.0:
                return most * (1.0 + min(excess, 10.0))
            guess = min(guess, most)
        good = bad = math.log(guess)
        if motion.excess(guess) <= 0.0:
            while motion.excess(math.exp(bad)) <= 0.0:
                good, bad = bad, bad - _STRIDE
                if good < math.log(guess) - _FURTHEST:
                    return math.exp(good)
        else:
            while motion.excess(math.exp(good)) > 0.0:
                bad, good = good, good + _STRIDE
                if bad > math.log(guess) + _FURTHEST:
                    return math.inf
        found = brentq(lambda x: motion.excess(math.exp(x)), bad, good, xtol=_TOLERANCE)
        return math.exp(found)


class _ScaledMotion:
    """A path at any duration: its derivatives are computed once."""

    def __init__(self, look: DurationEstimator, path: Path, count: int) -> None:
        self._of = look
        self._solver = look._solver
        order = self._solver.stages.path_order
        knots = np.asarray(path.knots)
        inner = knots[1:-1]
        times = np.sort([*np.linspace(0.0, path.duration, count - 2 * inner.size), *inner, *inner])
        left = np.append(np.diff(times) == 0.0, True)
        values = path.derivatives(times, order)
        values[:, :, left] = path.derivatives(times[left], order, "left")
        scale = path.duration ** np.arange(order + 1.0)
        self._unit = values * scale[:, None, None]

    def excess(self, duration: float) -> float:
        """Return by how much a limit is exceeded, in proportion to it."""
        order = np.arange(len(self._unit))
        gammas = self._unit * (duration ** -order.astype(float))[:, None, None]
        rows = np.ascontiguousarray(gammas.transpose(2, 0, 1)).reshape(gammas.shape[2], -1)
        w = self._newton(rows)
        if w is None:
            return _NO_MOTION
        motion, _, rates, _ = self._solver.finish(w, rows, self._of._p)
        (values,) = self._of._look("look", motion, rates, self._of._p)
        over = np.maximum(values - self._of._most, self._of._least - values) / self._of._size
        worst = float(over.max())
        return min(worst, _NO_MOTION) if math.isfinite(worst) else _NO_MOTION

    def _newton(self, rows: Array) -> Array | None:
        """Continue Newton's unknowns from another motion, or follow them from rest."""
        p = self._of._p
        if not self._of._rest.size:
            return np.zeros((len(rows), 0))
        if self._of.near is not None and len(self._of.near) == len(rows):
            w = self._of.near
            for _ in range(_SWEEPS):
                w, step = self._solver.sweep(w, rows, p)
            if _small(step, w):
                self._of.near = w
                return w
        w = self._solver.follow(self._of._rest, rows, p)
        w, step = self._solver.sweep(w, rows, p)
        if not _small(step, w):
            return None
        self._of.near = w
        return w


def _small(step: Array, w: Array) -> bool:
    return bool((np.abs(step) <= _SETTLED * (1.0 + np.abs(w))).all())


@dataclass(frozen=True)
class AveragedStep(Profile):
    """An averaged step (:mod:`cranebridge.path.profiles.scurve`) in floating-point numbers.

    It is made a hundred times faster than the exact one. Sums of shifted polynomials lose some
    digits, which a search can do without.

    Attributes
    ----------
    windows : tuple of float
        Their lengths [s].
    steps : int
        Class of the smooth step in the last of them.
    """

    pieces: tuple[Piece, ...] = ()
    names: tuple[str, ...] = ()
    windows: tuple[float, ...] = (1.0,)
    steps: int = 0

    @property
    def begin(self) -> float:
        """When the motion begins [s]."""
        return 0.0

    @property
    def end(self) -> float:
        """When the motion ends [s]."""
        return self.knots[-1]

    @cached_property
    def knots(self) -> tuple[float, ...]:
        """Where two pieces, or a piece and rest, meet [s]."""
        starts = self._starts[0]
        return tuple(np.unique(np.concatenate([starts, starts + self.windows[-1]]).round(12)))

    @cached_property
    def _starts(self) -> tuple[Array, Array]:
        """When the copies of the integrated step begin, and their weights."""
        starts, weights = np.zeros(1), np.ones(1)
        for window in self.windows[:-1]:
            starts = np.concatenate([starts, starts + window])
            weights = np.concatenate([weights, -weights]) / window
        return starts, weights

    def derivatives(self, t: Array, order: int, side: Side = "right") -> Array:
        """Evaluate progress and its time derivatives; see `Profile.derivatives`."""
        starts, weights = self._starts
        last = self.windows[-1]
        since = t[None, :] - starts[:, None]
        nudge = 1e-9 * self.end * (1.0 if side == "right" else -1.0)
        inside, after = since + nudge >= 0.0, since + nudge >= last
        rising, later = self._polynomials
        out = np.empty((order + 1, t.size))
        for k in range(order + 1):
            values = np.where(inside, polyval(since, rising), 0.0)
            out[k] = weights @ np.where(after, polyval(since - last, later), values)
            rising, later = _differentiated(rising), _differentiated(later)
        return out

    @cached_property
    def _polynomials(self) -> tuple[Array, Array]:
        """The step, integrated for each even window: while it rises, and after that."""
        last, times = self.windows[-1], len(self.windows) - 1
        step = smooth_step(self.steps)
        factors = [math.factorial(n) / math.factorial(n + times) for n in range(len(step))]
        scaled = [float(a) * factors[n] / last**n for n, a in enumerate(step)]
        rising = np.array([*[0.0] * times, *scaled])
        ends, polynomial = [], rising
        for n in range(times + 1):
            ends.append(float(polyval(last, polynomial)) / math.factorial(n))
            polynomial = _differentiated(polynomial)
        return rising, np.array(ends)


def _differentiated(coefficients: Array) -> Array:
    higher: Array = coefficients[1:] * np.arange(1.0, coefficients.size)
    return higher if higher.size else np.zeros(1)
