"""The Runge-Kutta method of order 8(5, 3) of Dormand and Prince, for derivatives written in place.

The same method, step control and dense output as SciPy's ``DOP853``, with two differences that
matter for FMUs: all stages live in one array, so that the FMU writes the derivatives where they are
needed without a copy; and a piece of the integration ends exactly at its bound and the next begins
with the step size found so far, which makes many pieces (one a sample of the input) cheap.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.fmi import DiscardedError
from cranebridge.plant.child.integrators.dop853_coefficients import (
    E3,
    E5,
    EXTENDED_STAGES,
    INTERPOLATION_POWER,
    STAGES,
    A,
    C,
    D,
)

Array = NDArray[np.float64]
# (time, address of the states, address where the derivatives go)
Rhs = Callable[[float, int, int], None]

_SAFETY, _SHRINK, _GROW = 0.9, 0.2, 10.0
_EXPONENT = -1.0 / 8.0
# Smallest first step, of the piece's length: a step that is too long is rejected, no more.
_SMALLEST_FIRST = 1e-9


class StepTooSmallError(Exception):
    """The step size has come down to the rounding of time."""


class Dop853:
    """Integrator of der(x) = f(t, x).

    Attributes
    ----------
    t, x : float, numpy.ndarray
        Where the integration is.
    t_old, x_old : float, numpy.ndarray
        Where the last step began.
    steps, rejected, evaluations : int
        Counters.
    not_finite : numpy.ndarray or None
        Which derivatives were not finite in the last attempt of a step, if any.
    discarded : DiscardedError or None
        Why the last attempt of a step has no values, if the right-hand side could not be evaluated.
    """

    def __init__(
        self, rhs: Rhs, size: int, rtol: float, atol: float, max_step: float = math.inf
    ) -> None:
        self._rhs, self.rtol, self.atol, self._max_step = rhs, rtol, atol, max_step
        self._k = np.zeros((EXTENDED_STAGES, size))
        self._stage = np.zeros(size)
        self._sum = np.zeros(size)
        self._first = np.zeros(size)
        self.x = np.zeros(size)
        self.x_old = np.zeros(size)
        self.t = self.t_old = self._bound = 0.0
        self._h = 0.0
        self._addresses = [row.ctypes.data for row in self._k]
        self._stage_address = self._stage.ctypes.data
        self._plan = [(s, float(C[s]), A[s, :s].copy(), self._k[:s]) for s in range(1, STAGES)]
        self._end = A[STAGES, :STAGES].copy()
        self._extra = [
            (s, float(C[s]), A[s, :s].copy(), self._k[:s])
            for s in range(STAGES + 1, EXTENDED_STAGES)
        ]
        self._errors = np.stack([E5, E3])
        self.steps = self.rejected = self.evaluations = 0
        self.not_finite: NDArray[np.bool_] | None = None
        self.discarded: DiscardedError | None = None
        self._interpolant: Array | None = None

    def begin(self, t: float, x: Array, bound: float, restart: bool = False) -> None:
        """Begin a piece of the integration that ends at `bound`.

        The step size found so far is kept, unless it is said to `restart`: after an event.
        """
        self.t, self._bound = t, bound
        self.x[:] = x
        self._evaluate(t, self.x, 0)
        if self._h == 0.0 or restart:
            self._h = self._first_step()

    def step(self) -> None:
        """Take one accepted step."""
        rejected = False
        while True:
            # Not a tiny last step: the piece's last two steps share what is left.
            left = self._bound - self.t
            h = min(self._h, self._max_step)
            if h >= left:
                h = left
            elif h > 0.5 * left:
                h = 0.5 * left
            if self.t + h <= self.t or h < 10.0 * math.ulp(self.t):
                if left > 10.0 * math.ulp(self.t):
                    raise StepTooSmallError
                h = left
            error = self._attempt(h)
            if error < 1.0:
                break
            factor = _SHRINK if math.isnan(error) else _SAFETY * error**_EXPONENT
            self._h = h * max(_SHRINK, factor)
            self.rejected += 1
            rejected = True
        self._accept(h, error, rejected)

    def dense(self, times: Array) -> Array:
        """Return the states at times within the last step, a row for each (order 7)."""
        if self._interpolant is None:
            self._interpolant = self._interpolate()
        fraction = ((np.asarray(times) - self.t_old) / (self.t - self.t_old))[:, None]
        values = np.zeros((len(fraction), len(self.x)))
        for i, row in enumerate(self._interpolant[::-1]):
            values += row
            values *= fraction if i % 2 == 0 else 1.0 - fraction
        return np.asarray(values + self.x_old)

    def _interpolate(self) -> Array:
        """Coefficients of the last step's dense output: three more evaluations, once a step."""
        h = self.t - self.t_old
        self._k[0] = self._first
        for s, c, a, k in self._extra:
            np.dot(a, k, out=self._sum)
            np.multiply(self._sum, h, out=self._sum)
            np.add(self.x_old, self._sum, out=self._stage)
            self._rhs(self.t_old + c * h, self._stage_address, self._addresses[s])
        self.evaluations += len(self._extra)
        f = np.empty((INTERPOLATION_POWER, len(self.x)))
        delta = self.x - self.x_old
        f[0] = delta
        f[1] = h * self._k[0] - delta
        f[2] = 2.0 * delta - h * (self._k[STAGES] + self._k[0])
        f[3:] = h * (D @ self._k)
        self._k[0] = self._k[STAGES]
        return f

    def _evaluate(self, t: float, x: Array, stage: int) -> None:
        self._stage[:] = x
        self._rhs(t, self._stage_address, self._addresses[stage])
        self.evaluations += 1

    def _attempt(self, h: float) -> float:
        """Try a step from t to t + h and return the norm of its error; nan for no value."""
        rhs, addresses, stage_address = self._rhs, self._addresses, self._stage_address
        t, x, total, stage = self.t, self.x, self._sum, self._stage
        dot, multiply, add = np.dot, np.multiply, np.add
        try:
            for s, c, a, k in self._plan:
                dot(a, k, out=total)
                multiply(total, h, out=total)
                add(x, total, out=stage)
                rhs(t + c * h, stage_address, addresses[s])
            dot(self._end, self._k[:STAGES], out=total)
            multiply(total, h, out=total)
            add(x, total, out=stage)
            rhs(t + h, stage_address, addresses[STAGES])
        except DiscardedError as error:
            self.discarded = error
            return math.nan
        finally:
            self.evaluations += STAGES
        scale = self.atol + self.rtol * np.maximum(np.abs(x), np.abs(stage))
        errors = (self._errors @ self._k[: STAGES + 1]) / scale
        fifth, third = float(errors[0] @ errors[0]), float(errors[1] @ errors[1])
        self.discarded = None
        if fifth == 0.0 and third == 0.0:
            return 0.0
        if not math.isfinite(fifth + third):
            self.not_finite = np.logical_not(np.isfinite(self._k[: STAGES + 1]).all(axis=0))
            return math.nan
        self.not_finite = None
        return h * fifth / math.sqrt((fifth + 0.01 * third) * max(len(x), 1))

    def _accept(self, h: float, error: float, rejected: bool) -> None:
        factor = _GROW if error == 0.0 else min(_GROW, _SAFETY * error**_EXPONENT)
        if rejected:
            factor = min(1.0, factor)
        # A step that was cut short by the bound says nothing against the longer one.
        self._h = max(self._h, h * factor) if h < self._h else h * factor
        self.t_old, self.t = self.t, (self._bound if h >= self._bound - self.t else self.t + h)
        self.x_old[:] = self.x
        self.x[:] = self._stage
        self._first[:] = self._k[0]
        self._k[0] = self._k[STAGES]
        self._interpolant = None
        self.steps += 1

    def _first_step(self) -> float:
        """Hairer, Norsett, Wanner, Section II.4: starting step size, with one more evaluation."""
        scale = self.atol + self.rtol * np.abs(self.x)
        size = math.sqrt(max(len(self.x), 1))
        span = self._bound - self.t
        d0 = float(np.linalg.norm(self.x / scale)) / size
        d1 = float(np.linalg.norm(self._k[0] / scale)) / size
        h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
        # States that pass through zero say nothing of the motion's pace.
        h0 = min(max(h0, _SMALLEST_FIRST * span, 100.0 * math.ulp(self.t)), span)
        try:
            self._evaluate(self.t + h0, self.x + h0 * self._k[0], 1)
        except DiscardedError:
            return h0
        d2 = float(np.linalg.norm((self._k[1] - self._k[0]) / scale)) / size / h0
        largest = max(d1, d2)
        if not math.isfinite(largest):
            return h0
        h1 = max(1e-6, 1e-3 * h0) if largest <= 1e-15 else (0.01 / largest) ** (1.0 / 8.0)
        return min(100.0 * h0, h1)
