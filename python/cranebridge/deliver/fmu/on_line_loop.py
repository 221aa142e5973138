"""Delivery of the on-line generator with its controller as an FMU: wishes and measured signals in.

What :mod:`cranebridge.deliver.fmu.on_line_fmu` plans, the controller of
:mod:`cranebridge.online.generator_controller` follows, sampled.
"""

from __future__ import annotations

import re

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.control.code import PLANNED, Controller
from cranebridge.deliver.fmu.builder import (
    ALGORITHM,
    BEGIN,
    CONTROLLER,
    GENERATOR,
    HOLD,
    FmuParts,
    fmu_model,
    internal,
    runtime_code,
    status_output,
    status_table,
)
from cranebridge.deliver.fmu.controller_fmu import (
    controller_parts,
    own_side,
    sampling_values,
)
from cranebridge.deliver.fmu.on_line_fmu import on_line_parts
from cranebridge.errors import InputError
from cranebridge.frontend import PlantModel
from cranebridge.inverse import ServoProblem
from cranebridge.limits import Limits
from cranebridge.online import on_line_sources
from cranebridge.plant.description import PlantInfo
from cranebridge.verify.feedback import PlantSide

Array = NDArray[np.float64]

CONTROL = "control_status"
"""Output: what the controller says."""

STATUSES = {status.code: status.meaning for status in PLANNED}
"""Its values."""


def on_line_loop_model(
    problem: ServoProblem,
    limits: Limits,
    controller: Controller,
    name: str,
    mixed: tuple[Array, Array] | None = None,
    side: PlantSide | None = None,
    info: PlantInfo | None = None,
) -> PlantModel:
    """Describe the on-line generator with its controller to the exporter.

    Parameters
    ----------
    problem, limits
        As in :func:`cranebridge.deliver.fmu.on_line_fmu.feedforward_model`.
    controller : Controller
        With gains over position.
    name : str
        Name of the model.
    mixed : pair of numpy.ndarray, optional
        M and k where the controller gives out M u + k of the crane's inputs u.
    side, info
        As in :func:`cranebridge.deliver.fmu.controller_fmu.controller_model`.

    Raises
    ------
    InputError
        If two signals have the same name, or the crane cannot be solved on line.
    """
    plans = on_line_parts(problem, limits)
    base = controller_parts(controller, side, info)
    known = [one.name for one in base.outputs].index("status")
    given, estimates = base.outputs[:known], base.outputs[known + 1 :]
    inputs = (*plans.inputs, *base.inputs)
    control = status_output(STATUSES, CONTROL, " of the controller")
    outputs = (*given, *plans.outputs[len(problem.crane.inputs) :], control, *estimates)
    parameters = (*(one for one in plans.parameters if one.name != HOLD), *base.parameters)
    titles = [one.name for one in (*inputs, *outputs, *parameters)]
    twice = {one for one in titles if titles.count(one) > 1}
    if twice:
        raise InputError(f"two signals of the FMU have the name {', '.join(sorted(twice))}")

    def feedthrough(u: ca.SX) -> ca.SX:
        """Only what the controller gives depends on readings."""
        read = ca.sum1(u[len(plans.inputs) :])
        extra = 1 + len(estimates)
        planned = ca.SX.zeros(len(outputs) - len(given) - extra)
        return ca.vertcat(ca.repmat(read, len(given), 1), planned, ca.repmat(read, extra, 1))

    sources = on_line_sources(controller, problem.crane, CONTROLLER, GENERATOR, "double", mixed)
    taken = _names(plans.files[f"{GENERATOR}.c"] + plans.files["plans_code.c"])
    header, source = (internal(text, CONTROLLER, taken) for text in sources)
    first = [float(one.start) for one in base.inputs]
    sampling = sampling_values(controller, side or own_side(controller), first)
    parts = FmuParts(
        inputs=inputs,
        outputs=outputs,
        parameters=parameters,
        files={
            **plans.files,
            f"{CONTROLLER}.h": header,
            f"{CONTROLLER}.c": source,
            ALGORITHM: runtime_code("on_line_loop.c", sampling),
        },
        description=f"On-line motions of the {problem.crane.description} with controller "
        f"({controller.kind}), cycle {controller.cycle:g} s",
        documentation=_documentation(plans, base),
        experiment=plans.experiment,
        feedthrough=feedthrough,
    )
    return fmu_model(name, parts)


def _names(text: str) -> set[str]:
    """Return the names that the generator's C, or the runtime, has for all that follows it."""
    found = set(re.findall(r"^#define (\w+)", text, flags=re.MULTILINE))
    found |= set(re.findall(r"^static [\w \*]*?\b(\w+)(?=[\(\[;]| =)", text, flags=re.MULTILINE))
    found |= set(re.findall(r"^} (\w+);", text, flags=re.MULTILINE))
    found |= set(re.findall(r"^typedef \w+ (\w+);", text, flags=re.MULTILINE))
    found |= set(re.findall(r"^    ([A-Z_]+)(?= = |,$|$)", text, flags=re.MULTILINE))
    found |= {"INPUTS", "NODES", "STATES"}
    return {name for name in found if not name.startswith(f"{GENERATOR}_")}


def _documentation(plans: FmuParts, base: FmuParts) -> str:
    return (
        plans.documentation
        + "<p>The controls are those of a sampled controller beside this feedforward, with gains "
        "that follow the position; <code>hold</code> is its own. It was designed for the "
        f"parameters of the scenario. The first sample is at the time <code>{BEGIN}</code>.</p>\n"
        f"<p>{status_table(STATUSES, CONTROL)}" + base.documentation
    )
