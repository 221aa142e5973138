"""Single evaluations as they are asked of the child process; Model Exchange only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.protocol.request import PlantRequest, VariableReference, VariableValues

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class EvaluationRequest(PlantRequest):
    """What all evaluations have in common.

    Attributes
    ----------
    inputs, outputs : tuple of VariableReference
        The variables.
    names : tuple of str
        Names of the outputs.
    output_states : tuple of int
        For each output its position if it is a state, else -1.
    directional : bool
        The FMU gives the directional derivatives that are needed.
    states, derivatives : tuple of int
        Value references of the states and of their derivatives, if it does.
    """

    inputs: tuple[VariableReference, ...]
    outputs: tuple[VariableReference, ...]
    names: tuple[str, ...]
    output_states: tuple[int, ...]
    directional: bool = False
    states: tuple[int, ...] = ()
    derivatives: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class PointsRequest(EvaluationRequest):
    """Derivatives, rates or second rates at many points: a row of each array for each point.

    Attributes
    ----------
    x, u : numpy.ndarray
        States and inputs.
    t : numpy.ndarray
        Times.
    p : numpy.ndarray or None
        Values of the parameters `parameter_sizes`.
    parameter_sizes : tuple of (int, str, int)
        Value reference, type and number of values of each.
    discrete : bool
        Some inputs only change at events.
    step : float
        Step of differences along the trajectory in s.
    """

    x: Array
    u: Array
    t: Array
    p: Array | None = None
    parameter_sizes: tuple[tuple[int, str, int], ...] = ()
    discrete: bool = False
    step: float = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearizationRequest(EvaluationRequest):
    """The Jacobian of derivatives and outputs by states and inputs, at one point.

    Attributes
    ----------
    x, u, t : numpy.ndarray
        States, inputs and the time.
    values : tuple of VariableValues
        Parameters that are not as the FMU has them.
    """

    command: str = "linearize"
    x: Array
    u: Array
    t: Array
    values: tuple[VariableValues, ...] = ()
