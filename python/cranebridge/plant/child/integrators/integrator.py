"""What an integrator of der(x) = f(t, x) for Model Exchange provides, and what it is made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# (time, address of the states, address where the derivatives go)
Rhs = Callable[[float, int, int], None]
# (time, states) -> df/dx
Jacobian = Callable[[float, Array], Array]


class StepTooSmallError(Exception):
    """The step size has come down to the rounding of time."""


@dataclass(frozen=True)
class StepControl:
    """Tolerances, and the largest step in s."""

    rtol: float
    atol: float
    max_step: float


class Integrator(Protocol):
    """What the simulation needs of an integrator of der(x) = f(t, x).

    Attributes
    ----------
    t, x : float, numpy.ndarray
        Where the integration is.
    t_old, x_old : float, numpy.ndarray
        Where the last step began.
    steps, rejected, evaluations : int
        Counters.
    """

    t: float
    t_old: float
    x: Array
    x_old: Array
    steps: int
    rejected: int
    evaluations: int

    def begin(self, t: float, x: Array, bound: float, restart: bool = False) -> None:
        """Begin a piece that ends at a bound; `restart` with a step size of its own."""

    def step(self) -> None:
        """Take one step."""

    def dense(self, times: Array) -> Array:
        """Return the states at times within the last step."""
