"""What the Modelica front end hands to the exporter: an explicit ODE with named variables.

    der(x) = f(t, x, u, p),    y = g(t, x, u, p),    x(0) = x0(p)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import casadi as ca


@dataclass(frozen=True)
class Variable:
    """A scalar variable of a plant model.

    Attributes
    ----------
    name : str
        Name in the flat Modelica model, such as ``"phi"`` or ``"r[1]"``.
    unit : str
        Modelica unit string, such as ``"N.m"``; empty for none.
    description : str
        What it means.
    start : float
        Value at the start (states, inputs) or default value (parameters).
    """

    name: str
    unit: str = ""
    description: str = ""
    start: float = 0.0
    nominal: float | None = None
    min: float | None = None
    max: float | None = None
    quantity: str = ""
    display_unit: str = ""
    variability: Literal["fixed", "tunable", "continuous"] = "continuous"


@dataclass(frozen=True)
class Experiment:
    """The default experiment of a model."""

    start_time: float = 0.0
    stop_time: float = 1.0
    tolerance: float = 1e-8
    interval: float | None = None


@dataclass(frozen=True)
class PlantModel:
    """An explicit ODE with named variables, ready for export.

    Attributes
    ----------
    rhs : casadi.Function
        ``(t, x, u, p) -> der(x)``.
    outputs_function : casadi.Function
        ``(t, x, u, p) -> y``.
    initial : casadi.Function
        ``p -> x0``: start values of the states, which may depend on parameters.
    """

    name: str
    states: tuple[Variable, ...]
    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    parameters: tuple[Variable, ...]
    rhs: ca.Function
    outputs_function: ca.Function
    initial: ca.Function
    description: str = ""
    documentation: str = ""
    experiment: Experiment = field(default_factory=Experiment)
    sources: tuple[str, ...] = ()
