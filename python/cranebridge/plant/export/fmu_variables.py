"""Variables of an exported FMU, before they are written in the form of an FMI version.

Value references are contiguous, in the order of ``CbKind`` in ``runtime/variables.h``: time,
states, their derivatives, inputs, outputs (and, after them, discrete variables and event
indicators), parameters, and four variables of the integrator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from cranebridge.frontend import PlantModel, Variable
from cranebridge.plant.description import parse_unit
from cranebridge.plant.export.codegen import METHODS, PlantFunctions


@dataclass(frozen=True)
class FmuVariable:
    """A variable of the FMU, before it is written in the form of an FMI version."""

    reference: int
    variable: Variable
    causality: str
    variability: str
    initial: str | None
    start: float | None = None
    kind: Literal["real", "boolean", "integer", "method", "count"] = "real"
    derivative_of: int | None = None  # value reference of the state


@dataclass(frozen=True)
class References:
    """First value references of the groups of variables."""

    state: int
    derivative: int
    input: int
    output: int
    parameter: int
    integrator: int

    @classmethod
    def of(cls, model: PlantModel) -> References:
        """Count the groups of a model."""
        nx, nu, ny, n_p = (
            len(group) for group in (model.states, model.inputs, model.shown, model.parameters)
        )
        bounds = np.cumsum([1, nx, nx, nu, ny, n_p]).tolist()
        return cls(*bounds)


def derivative_unit(unit: str) -> str:
    """Unit of a time derivative: ``m -> m/s``, ``m/s -> m/s2``, ``N.m -> N.m/s``."""
    if not unit:
        return ""
    match = re.fullmatch(r"(.*)/s([0-9]*)", unit)
    if match and "/" not in match[1]:
        return f"{match[1]}/s{int(match[2] or 1) + 1}"
    if "/" not in unit:
        return f"{unit}/s"
    numerator, denominator = unit.split("/", 1)
    if parse_unit(f"{numerator}/({denominator.strip('()')}.s)") is None:
        return ""
    return f"{numerator}/({denominator.strip('()')}.s)"


def entries_of(model: PlantModel, equations: PlantFunctions, solver: str) -> list[FmuVariable]:
    """All variables of a plant, in the order of their value references."""
    first = References.of(model)
    output_names = {output.name for output in model.outputs}
    state_names = {state.name for state in model.states}
    time = Variable("time", unit="s", quantity="Time", description="Simulation time")
    entries = [FmuVariable(0, time, "independent", "continuous", None)]
    for i, state in enumerate(model.states):
        calculated = equations.calculated[i]
        entries.append(
            FmuVariable(
                first.state + i,
                state,
                "output" if state.name in output_names else "local",
                "continuous",
                "calculated" if calculated else "exact",
                None if calculated else equations.state_start[i],
            )
        )
    for i, state in enumerate(model.states):
        derivative = Variable(
            f"der({state.name})",
            unit=derivative_unit(state.unit),
            description=f"Time derivative of {state.name}",
        )
        entries.append(
            FmuVariable(
                first.derivative + i,
                derivative,
                "local",
                "continuous",
                "calculated",
                derivative_of=first.state + i,
            )
        )
    for i, variable in enumerate(model.inputs):
        entries.append(_signal(first.input + i, variable, "input"))
    for i, variable in enumerate(model.outputs):
        if variable.name not in state_names:
            entries.append(_signal(first.output + i, variable, "output"))
    for i, variable in enumerate(model.locals, start=len(model.outputs)):
        entries.append(_signal(first.output + i, variable, "local"))
    for i, variable in enumerate(model.parameters):
        variability = "tunable" if variable.variability == "tunable" else "fixed"
        entries.append(
            FmuVariable(
                first.parameter + i, variable, "parameter", variability, "exact", variable.start
            )
        )
    if model.algorithm is not None:
        return entries  # nothing to integrate
    return entries + _integrator_entries(first.integrator, solver)


def _signal(reference: int, variable: Variable, causality: str) -> FmuVariable:
    """Entry of an input, an output or a local variable."""
    variability = "discrete" if variable.variability == "discrete" else "continuous"
    is_input = causality == "input"
    initial, start = (None, variable.start) if is_input else ("calculated", None)
    return FmuVariable(reference, variable, causality, variability, initial, start, variable.type)


def _integrator_entries(reference: int, solver: str) -> list[FmuVariable]:
    method = Variable(
        "integrator.method",
        description="Integration method of Co-Simulation; not for stiff: dopri5",
    )
    counts = (
        ("integrator.steps", "Accepted steps of the Co-Simulation integrator"),
        ("integrator.rejectedSteps", "Rejected steps of the Co-Simulation integrator"),
        ("integrator.evaluations", "Evaluations of the derivatives by the integrator"),
    )
    return [
        FmuVariable(reference, method, "parameter", "fixed", "exact", METHODS[solver], "method"),
        *(
            FmuVariable(
                reference + i,
                Variable(name, description=text),
                "local",
                "discrete",
                "calculated",
                None,
                "count",
            )
            for i, (name, text) in enumerate(counts, start=1)
        ),
    ]
