"""Following a path as well as the drives can: what is weighed against what.

The cost is the integral over the window of

    1/2 sum w_i e_i^2 + chi/2 sum w_i e_i'^2 + rho/2 sum ((u_k - u_rest_k) / scale_k)^2 + extra,

e = s(q) - target, and alpha times the first two terms at the end. The controls are measured from
those that hold the load at the end of the path: with the square of u itself the load would sag.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, unknown
from cranebridge.path import Path
from cranebridge.twin import Crane, Equations
from cranebridge.twin.language import Components, names

Array = NDArray[np.float64]
Target = Callable[[Array], tuple[Array, Array]]
"""``times -> (outputs, rates)``, each with a row for each output."""
Extra = Callable[[Components, Components, Components, Components], Any]
"""``(q, v, u, target) -> integrand``, by names, in CasADi's symbols."""

# A target's jump belongs to the interval that it begins: a function is asked this little before.
_BEFORE = 1e-10


@dataclass(frozen=True, eq=False)
class TrackingCost:
    """A path to be followed that need not be followed exactly.

    Attributes
    ----------
    target : Path or callable
        The wanted outputs; before and after they rest. A function gives them with their rates and
        needs `duration` and, where it is not smooth, `kinks`.
    rho : float
        Weight of the controls; without it the best controls need not exist.
    chi, alpha : float
        Weights of the errors' rates [s^2], and of the end [s].
    weights : mapping of str to float
        Weights of outputs, 1 where none is given, 0 for one that does not count.
    scales : mapping of str to float
        By what inputs are divided, 1 where none is given.
    extra : callable or None
        Another integrand.
    before, after : float
        How long before and after the path the drives may move [s].
    end : {"free", "rest"}
        Whether the motion ends at rest at the path's goal.
    duration : float or None
        Of a target that is a function [s].
    kinks : tuple of float
        Times at which that is not smooth [s].
    """

    target: Path | Target
    rho: float
    chi: float = 0.0
    alpha: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)
    scales: Mapping[str, float] = field(default_factory=dict)
    extra: Extra | None = None
    before: float = 0.0
    after: float = 0.0
    end: Literal["free", "rest"] = "free"
    duration: float | None = None
    kinks: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.target, Path) and self.duration is None:
            raise InputError("a target that is a function needs its duration")
        for name in ("rho", "chi", "alpha", "before", "after"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value >= 0.0):
                raise InputError(f"{name} of tracking must be a number from 0 on, got {value!r}")

    @property
    def window(self) -> tuple[float, float]:
        """First and last time of the motion [s]."""
        return -self.before, self._duration + self.after

    @property
    def _duration(self) -> float:
        if isinstance(self.target, Path):
            return self.target.duration
        return float(self.duration or 0.0)

    @property
    def times(self) -> tuple[float, ...]:
        """Times at which the target is not smooth, with both ends of the window [s]."""
        first, last = self.window
        own = self.target.knots if isinstance(self.target, Path) else self.kinks
        inner = sorted({t for t in (0.0, *own, self._duration) if first < t < last})
        return (first, *inner, last)

    def at(self, times: Array) -> tuple[Array, Array]:
        """Return the wanted outputs and their rates, of the left side where they jump."""
        if isinstance(self.target, Path):
            values = self.target.derivatives(times, 1, side="left")
            return values[0], values[1]
        value, rate = self.target(times - _BEFORE * (1.0 + np.abs(times)))
        return np.asarray(value, float), np.asarray(rate, float)

    def start(self) -> Array:
        """Return the outputs from which the path begins."""
        return self.at(np.array([self.window[0]]))[0][:, 0]

    def goal(self) -> Array:
        """Return the outputs at which it ends."""
        return self.at(np.array([self.window[1]]))[0][:, 0]


def tracking_costs(
    tracking: TrackingCost, model: Equations, rest: Array
) -> tuple[ca.Function, ca.Function]:
    """Return the integrand and the cost of the end.

    Parameters
    ----------
    tracking : TrackingCost
        What is weighed.
    model : Equations
        Of the crane.
    rest : numpy.ndarray
        Controls that hold the goal.

    Returns
    -------
    integrand, end : casadi.Function
        ``(q, v, u, reference, p) -> cost``, the reference being outputs and rates.
    """
    crane = model.crane
    weights = _by_name(crane, "output", names(crane.outputs), tracking.weights)
    scales = _by_name(crane, "input", names(crane.inputs), tracking.scales)
    y = ca.SX.sym("y", model.outputs.numel())
    y_rate = ca.SX.sym("y_rate", y.numel())
    error = model.outputs - y
    rate = ca.jtimes(model.outputs, model.q, model.v) - y_rate
    miss = 0.5 * ca.dot(weights, error**2) + 0.5 * tracking.chi * ca.dot(weights, rate**2)
    effort = 0.5 * tracking.rho * ca.sumsqr((model.u - rest) / scales)
    extra = 0.0
    if tracking.extra is not None:
        extra = tracking.extra(
            Components(names(crane.coordinates), model.q),
            Components(names(crane.coordinates), model.v),
            Components(names(crane.inputs), model.u),
            Components(names(crane.outputs), y),
        )
    arguments = [model.q, model.v, model.u, ca.vertcat(y, y_rate), model.p]
    return (
        ca.Function("integrand", arguments, [miss + effort + extra]),
        ca.Function("end", arguments, [tracking.alpha * miss]),
    )


def _by_name(crane: Crane, kind: str, known: tuple[str, ...], given: Mapping[str, float]) -> Array:
    for name in given:
        if name not in known:
            raise unknown(f"{kind} of crane '{crane.name}'", name, known)
    return np.array([given.get(name, 1.0) for name in known])
