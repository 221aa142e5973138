"""Weights of the lifted law: what keeps the change of an input small and smooth.

The weight of second derivatives limits the bandwidth. For an input that acts on the outputs with
gain g up to some frequency, what is left of an error of frequency f is about
m2 w^4/(g^2 + m2 w^4), w = 2 pi f; half of it at m2 = g^2/w^4. Above, where models of machines are
wrong, nothing is learned, and nothing diverges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError

Array = NDArray[np.float64]

RIDGE = 1e-6
"""M by default, relative to the square of an input's gain: enough for numbers to stay numbers."""


@dataclass(frozen=True, eq=False)
class ChangeWeights:
    """Weights of an input's change, one for each input.

    Attributes
    ----------
    smooth : numpy.ndarray
        M2, of the squares of its second derivative.
    ridge : numpy.ndarray
        M, of its square.
    """

    smooth: Array
    ridge: Array

    def __post_init__(self) -> None:
        if not ((self.ridge > 0.0).all() and (self.smooth >= 0.0).all()):
            raise InputError("learning needs a ridge above zero and no negative smoothness weight.")


class WithGains(Protocol):
    """What weights need of a model."""

    def gains(self) -> Array:
        """Return the gain of each input."""


def weights_for(model: WithGains, bandwidth: float, ridge: float = RIDGE) -> ChangeWeights:
    """Return weights that let errors up to a bandwidth in Hz be learned."""
    if not bandwidth > 0.0:
        raise InputError(f"the bandwidth of learning must be above 0 Hz, got {bandwidth:g}.")
    squares = model.gains() ** 2
    # an input that reaches no output is left alone: any weight does that
    squares[squares == 0.0] = max(float(squares.max()), 1.0)
    return ChangeWeights(squares / (2.0 * np.pi * bandwidth) ** 4, ridge * squares)
