"""The limits of a crane as one function of its motion, for the optimisers."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse import Signal, needing_jerks, signal_function
from cranebridge.limits import Limits
from cranebridge.twin import Crane

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Bounds:
    """Signals that have a limit, as functions of the motion.

    Attributes
    ----------
    crane : Crane
        Whose signals they are.
    signals : tuple of Signal
        What they are.
    least, most : numpy.ndarray
        Their limits; infinite where there is none.
    function : casadi.Function
        ``(q, v, a, jerk, lambda, u, p) -> values``.
    """

    crane: Crane
    signals: tuple[Signal, ...]
    least: Array
    most: Array
    function: ca.Function

    @property
    def of_jerks(self) -> tuple[Signal, ...]:
        """The signals that are functions of the jerks."""
        groups = needing_jerks(self.crane)
        return tuple(signal for signal in self.signals if signal.group in groups)

    @property
    def size(self) -> Array:
        """What a signal is measured by: half of its range, or the one limit that it has."""
        span = 0.5 * (self.most - self.least)
        one = np.where(np.isfinite(self.least), np.abs(self.least), np.abs(self.most))
        size = np.where(np.isfinite(span), span, one)
        return np.where(size > 0.0, size, 1.0)


def bounds_of(crane: Crane, limits: Limits) -> Bounds:
    """Return all limits that are in force."""
    found = list(limits.in_force(crane))
    signals = tuple(signal for signal, _ in found)
    return Bounds(
        crane,
        signals,
        np.array([bound.least for _, bound in found]),
        np.array([bound.most for _, bound in found]),
        signal_function(crane, signals),
    )
