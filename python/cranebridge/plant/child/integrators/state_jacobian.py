"""The Jacobian df/dx of a plant for implicit integrators, in the child process.

Left alone, CVODE, LSODA, BDF and Radau take differences whose increment at a state that is zero
follows from its tolerance and the step size: 1e-22 where a crane is at rest. What comes out is
rounding divided by that increment, Newton's method believes it, and the motion is wrong without a
word. So they get the FMU's directional derivatives where it has them, compared once with
differences; else central differences with increments of a state's size or nominal value.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.fmi import DiscardedError, FmuError, Instance
from cranebridge.plant.child.integrators.integrators import Rhs

Array = NDArray[np.float64]

# Increment of a central difference, of a state's size: truncation h^2 and rounding eps/h balance.
_INCREMENT = float(np.cbrt(np.finfo(float).eps))
# A directional derivative that differs by this part of its column from a difference is not used.
_AGREES = 1e-3


class StateJacobian:
    """Callable (t, x) -> df/dx.

    Parameters
    ----------
    rhs : callable
        The right-hand side, with the inputs of the time and states.
    instance : Instance
        The FMU.
    states, derivatives : sequence of int
        Value references of the states and of their derivatives, for directional derivatives; empty
        where the FMU has none, or where inputs depend on the states.
    """

    def __init__(
        self, rhs: Rhs, instance: Instance, states: Sequence[int], derivatives: Sequence[int]
    ) -> None:
        self._rhs, self._instance = rhs, instance
        self._states, self._derivatives = list(states), list(derivatives)
        self._directional = len(self._states) == len(self._derivatives) == instance.nx
        self._compared = False
        self._sizes: Array | None = None

    def __call__(self, t: float, x: Array) -> Array:
        """Return df/dx, a column for each state."""
        if not self._directional:
            return self._differences(t, x)
        try:
            found = self._columns(t, x)
        except FmuError:  # it says that it can, and cannot
            found = np.full((x.size, x.size), np.nan)
        if self._compared and np.isfinite(found).all():
            return found
        self._compared = True
        other = self._differences(t, x)
        sizes = _AGREES * np.abs(other).max(axis=0, initial=0.0)
        self._directional = bool((np.abs(found - other) <= sizes + self._rounding(t, x)).all())
        return found if self._directional else other

    def _columns(self, t: float, x: Array) -> Array:
        """Directional derivatives, one for each state, where the inputs are those of the time."""
        self._evaluate(t, x)
        jacobian = np.zeros((x.size, x.size))
        for i, state in enumerate(self._states):
            jacobian[:, i] = self._instance.directional(self._derivatives, [state], [1.0])
        return jacobian

    def _differences(self, t: float, x: Array) -> Array:
        jacobian = np.zeros((x.size, x.size))
        for i, h in enumerate(self._increments(x)):
            (high, above), (low, below) = (self._beside(t, x, i, step) for step in (h, -h))
            jacobian[:, i] = (above - below) / (high - low)
        return jacobian

    def _beside(self, t: float, x: Array, i: int, step: float) -> tuple[float, Array]:
        """Return a state a step further and the derivatives there, or at x where it has none.

        A model that ends at some state is evaluated up to there: the other side is enough.
        """
        beside = x.copy()
        beside[i] += step
        try:
            return float(beside[i]), self._evaluate(t, beside)
        except DiscardedError:
            return float(x[i]), self._evaluate(t, x)

    def _increments(self, x: Array) -> Array:
        if self._sizes is None:
            self._sizes = nominals(self._instance)
        return np.asarray(_INCREMENT * np.maximum(np.abs(x), self._sizes))

    def _rounding(self, t: float, x: Array) -> Array:
        """What the differences cannot tell: some units in the last place of the derivatives."""
        rates = np.abs(self._evaluate(t, x)).max(initial=0.0)
        return np.asarray(1e3 * np.finfo(float).eps * rates / self._increments(x))

    def _evaluate(self, t: float, x: Array) -> Array:
        states, rates = np.ascontiguousarray(x), np.zeros(x.size)
        self._rhs(t, states.ctypes.data, rates.ctypes.data)
        return rates


def nominals(instance: Instance) -> Array:
    """Return the states' nominal values as the FMU gives them: one where it does not."""
    values = (ctypes.c_double * instance.nx)()
    name = "fmi2" if instance.fmi2 else "fmi3"
    function = getattr(instance.raw.dll, f"{name}GetNominalsOfContinuousStates")
    try:
        answered = function(instance.component, values, ctypes.c_size_t(instance.nx)) in (0, 1)
    except FmuError:  # many binaries lack it
        answered = False
    found = np.abs(np.array(values)) if answered else np.zeros(instance.nx)
    return np.where(np.isfinite(found) & (found > 0.0), found, 1.0)
