"""The limits of a crane as one function of its motion, for the optimisers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse import Signal
from cranebridge.limits import Limits
from cranebridge.twin import Crane, equations_of_motion

Array = NDArray[np.float64]

MOTION = ("q", "v", "a", "jerk", "lambda", "u")
"""The arguments of `Bounds.function`, before the parameters."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """Signals that have a limit, as functions of the motion.

    Attributes
    ----------
    signals : tuple of Signal
        What they are.
    least, most : numpy.ndarray
        Their limits; infinite where there is none.
    function : casadi.Function
        ``(q, v, a, jerk, lambda, u, p) -> values``.
    """

    signals: tuple[Signal, ...]
    least: Array
    most: Array
    function: ca.Function

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
        signals,
        np.array([bound.least for _, bound in found]),
        np.array([bound.most for _, bound in found]),
        signal_function(crane, signals),
    )


@lru_cache(maxsize=64)
def signal_function(crane: Crane, signals: tuple[Signal, ...]) -> ca.Function:
    """Return ``(q, v, a, jerk, lambda, u, p) -> values`` of signals; made once."""
    model = equations_of_motion(crane)
    jerk = ca.SX.sym("jerk", model.q.numel())
    groups = {
        "q": model.q,
        "v": model.v,
        "a": model.a,
        "jerk": jerk,
        "u": model.u,
        "rope": model.ropes,
        "power": (model.input_matrix.T @ model.v) * model.u,
    }
    values = [groups[signal.group][signal.position] for signal in signals]
    arguments = [model.q, model.v, model.a, jerk, model.lam, model.u, model.p]
    return ca.Function("bounds", arguments, [ca.densify(ca.vertcat(ca.SX(0, 1), *values))])
