"""Delivery of the on-line generator with its controller as an FMU: wishes and measured signals in.

What :mod:`cranebridge.deliver.fmu.on_line_fmu` plans, the controller of
:mod:`cranebridge.online.generator_controller` follows, sampled.
"""

from __future__ import annotations

import re
from dataclasses import replace
from string import Template

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.control.code import Controller, row, table
from cranebridge.deliver.fmu.controller_fmu import (
    BEGIN,
    STATUS,
    controller_model,
    expected_readings,
    own_side,
)
from cranebridge.deliver.fmu.on_line_fmu import HOLD, feedforward_model
from cranebridge.deliver.fmu.on_line_loop_c import CODE, TELL_ESTIMATES
from cranebridge.emit import emit_function, literal
from cranebridge.errors import InputError
from cranebridge.frontend import Algorithm, PlantModel, Variable
from cranebridge.inverse import ServoProblem
from cranebridge.limits import Limits
from cranebridge.online import on_line_sources
from cranebridge.plant.description import PlantInfo
from cranebridge.verify.feedback import PlantSide

Array = NDArray[np.float64]

CONTROL = "control_status"
"""Output: what the controller says."""

STATUSES = STATUS | {
    1: "at rest: the motion has ended, or there is none yet",
    -3: "the plan has no solution at this time: the last one is held",
}
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
    plans = feedforward_model(problem, limits, name)
    base = controller_model(controller, name, side, info)
    text = "Status of the controller: " + "; ".join(f"{k} {words}" for k, words in STATUSES.items())
    known = [one.name for one in base.outputs].index("status")
    given, estimates = base.outputs[:known], base.outputs[known + 1 :]
    inputs = (*plans.inputs, *base.inputs)
    outputs = (
        *given,
        *plans.outputs[len(problem.crane.inputs) :],
        Variable(CONTROL, description=text, variability="discrete", type="integer"),
        *estimates,
    )
    parameters = (*(one for one in plans.parameters if one.name != HOLD), *base.parameters)
    titles = [one.name for one in (*inputs, *outputs, *parameters)]
    twice = {one for one in titles if titles.count(one) > 1}
    if twice:
        raise InputError(f"two signals of the FMU have the name {', '.join(sorted(twice))}")
    t, x = ca.SX.sym("t"), ca.SX.sym("x", 0)
    u, p = ca.SX.sym("u", len(inputs)), ca.SX.sym("p", len(parameters))
    # Not evaluated: it tells what depends on the readings.
    read = ca.sum1(u[len(plans.inputs) :])
    extra = 1 + len(estimates)
    rest = len(outputs) - len(given) - extra
    shape = ca.vertcat(ca.repmat(read, len(given), 1), ca.SX.zeros(rest), ca.repmat(read, extra, 1))
    return replace(
        plans,
        inputs=inputs,
        outputs=outputs,
        parameters=parameters,
        rhs=ca.Function("rhs", [t, x, u, p], [ca.SX(0, 1)]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [shape]),
        initial=ca.Function("initial", [p], [ca.SX(0, 1)]),
        description=f"On-line motions of the {problem.crane.description} with controller "
        f"({controller.kind}), cycle {controller.cycle:g} s",
        documentation=_documentation(plans, base),
        algorithm=Algorithm(_files(plans, controller, problem, mixed, side, base)),
    )


def _files(
    plans: PlantModel,
    controller: Controller,
    problem: ServoProblem,
    mixed: tuple[Array, Array] | None,
    side: PlantSide | None,
    base: PlantModel,
) -> dict[str, str]:
    assert plans.algorithm is not None
    side = side or own_side(controller)
    files = dict(plans.algorithm.files)
    sources = on_line_sources(controller, problem.crane, "module", "solver", "double", mixed)
    taken = _names(files["solver.c"] + files["plans_code.c"]) | {"INPUTS", "NODES", "STATES"}
    header, source = (_local(text, taken) for text in sources)
    wrapper = Template(CODE).substitute(
        READINGS=len(side.readings),
        GIVEN=len(side.inputs),
        CYCLE=literal(controller.cycle, "double"),
        MATRIX=table(side.D, "double"),
        OFFSET=row(side.d, "double"),
        EXPECTED=row(expected_readings(controller), "double"),
        START=row(np.array([float(one.start) for one in base.inputs]), "double"),
        MEASURE=emit_function(side.measure, "measure", "double", "double"),
        TELL_ESTIMATES=TELL_ESTIMATES if controller.observer is not None else "",
    )
    return files | {"module.h": header, "module.c": source, "algorithm_code.c": wrapper}


def _names(text: str) -> set[str]:
    """Return the names that a C source defines for all that follows it."""
    found = set(re.findall(r"^#define (\w+)", text, flags=re.MULTILINE))
    found |= set(re.findall(r"^static [\w \*]*?\b(\w+)(?=[\(\[;]| =)", text, flags=re.MULTILINE))
    found |= set(re.findall(r"^} (\w+);", text, flags=re.MULTILINE))
    found |= set(re.findall(r"^typedef \w+ (\w+);", text, flags=re.MULTILINE))
    return found | set(re.findall(r"^    ([A-Z_]+) = ", text, flags=re.MULTILINE))


def _local(text: str, taken: set[str]) -> str:
    """Give the module's functions internal linkage, and other names to what is named before it."""
    text = re.sub(r"^(int|void) (module_\w+\()", r"static \1 \2", text, flags=re.MULTILINE)
    return re.sub(r"(?<!#)\b[A-Za-z_]\w*\b", lambda m: _other(m[0], taken), text)


def _other(name: str, taken: set[str]) -> str:
    return f"module_own_{name}" if name in taken and not name.startswith("solver_") else name


def _documentation(plans: PlantModel, base: PlantModel) -> str:
    rows = "".join(f"<tr><td>{k}</td><td>{words}</td></tr>\n" for k, words in STATUSES.items())
    return (
        plans.documentation.replace("</html>", "")
        + "<p>The controls are those of a sampled controller beside this feedforward, with gains "
        "that follow the position; <code>hold</code> is its own. It was designed for the "
        f"parameters of the scenario. The first sample is at the time <code>{BEGIN}</code>.</p>\n"
        f"<p>Values of <code>{CONTROL}</code>:</p>\n<table>\n{rows}</table>\n"
        + base.documentation.replace("<html>\n", "")
    )
