"""The lifted law: the change of all samples of the inputs that a linear model says is best.

For an error e, a model dy = S du and weights of each input,

    du = (S^T S + D^T M2 D + M)^-1 S^T e,

where D are second differences divided by the squared step: M2 keeps the change smooth, M keeps it
small (`weights`). How that is solved is the model's: `SampledModel` by a recursion in time,
`PulseModel` by conjugate gradients. S is never built.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cranebridge.learn.laws.change_weights import ChangeWeights
from cranebridge.learn.record import Record

Array = NDArray[np.float64]


class LiftedModel(Protocol):
    """How the outputs of a trial change with the samples of its inputs."""

    def respond(self, u: Array) -> Array:
        """Return S u."""

    def gains(self) -> Array:
        """Return the gain of each input."""

    def best_change(self, error: Array, weights: ChangeWeights) -> Array:
        """Return the law's change of the inputs for an error."""


@dataclass(frozen=True, eq=False)
class LiftedLaw:
    """The law with a model and weights.

    Attributes
    ----------
    model : LiftedModel
        How the outputs change with the inputs.
    weights : ChangeWeights
        What keeps the change small and smooth.
    """

    model: LiftedModel
    weights: ChangeWeights

    def correction(self, record: Record) -> Array:
        """Return the change of the inputs that is best for a trial's error."""
        return self.model.best_change(record.error, self.weights)

    def remaining(self, record: Record) -> Array:
        """Return what would be left of the error if the model were exact."""
        return record.error - self.model.respond(self.correction(record))
