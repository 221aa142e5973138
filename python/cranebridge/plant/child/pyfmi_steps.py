"""Steps that PyFMI reports, and whether it passed over an event in them; in the child process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.events import checks_within
from cranebridge.plant.child.fmi import FmuError

Array = NDArray[np.float64]
Signs = Callable[[float, Array], NDArray[np.bool_]]

# Assimulo finds an event's time to 1e-13 of it: closer to the end of a step both signs are right.
# With more for an indicator that is zero at the start, whose event lies just after it.
_WIDTH = 1e-12


class SolverStep:
    """A step of Assimulo's solver, in the words of `integrators.Integrator`."""

    def __init__(self, solver: Any, t_old: float, x_old: Array, t: float, x: Array) -> None:
        self._solver = solver
        self.t_old, self.x_old, self.t, self.x = t_old, x_old, t, x

    def dense(self, times: Array) -> Array:
        """Return the states at times within the step."""
        rows = np.empty((len(times), len(self.x)))
        for i, t in enumerate(times.tolist()):
            # At its begin the states are those right after an event, if there was one.
            inside = t > self.t_old
            rows[i] = self._solver.interpolate(t)[: len(self.x)] if inside else self.x_old
        return rows


class EventWatch:
    """Looks whether an indicator changes its sign within a step without an event.

    Parameters
    ----------
    signs : callable
        (t, x) -> which event indicators are above zero.
    span : float
        Length of the whole simulation in s.
    """

    def __init__(self, signs: Signs, span: float) -> None:
        self._signs, self._span = signs, span
        self._domain: NDArray[np.bool_] | None = None

    def restart(self) -> None:
        """Begin anew after an event."""
        self._domain = None

    def check(self, step: SolverStep) -> None:
        """Raise an error if an event was passed over before the step's end."""
        low, size = step.t_old, step.t - step.t_old
        times = checks_within(low, size, self._span, after_event=self._domain is None)
        if self._domain is None:
            self._domain = self._signs(low, step.x_old)
        else:
            # Indicators may change with the call for the completed step, too.
            times = np.concatenate([[low], times])
        times = times[times < step.t - _WIDTH * max(abs(step.t), self._span)]
        for t, x in zip(times.tolist(), step.dense(times), strict=True):
            if (self._signs(t, x) != self._domain).any():
                raise FmuError(
                    f"PyFMI passed over an event before t = {t:.9g} s, where an event indicator "
                    "has changed its sign for less than a step; use plant.backend = 'own'"
                )
