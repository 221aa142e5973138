"""Delivery of a controller as an FMU: measured signals in, what the drives shall do out.

The controller's module (:mod:`cranebridge.control.code.controller_c`) behind the FMI runtime of the
plants, with Model Exchange and Co-Simulation. It is sampled: its outputs change at its cycle only.
Beside a plant it takes the plant's own variables and gives the plant's own inputs.
"""

from __future__ import annotations

import re
from string import Template

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.control.code import (
    Channel,
    Controller,
    controller_sources,
    estimates_of,
    row,
    table,
)
from cranebridge.deliver.fmu.controller_fmu_c import CODE, TELL_ESTIMATES
from cranebridge.emit import emit_function, identifier, literal
from cranebridge.errors import InputError
from cranebridge.frontend import Algorithm, Experiment, PlantModel, Variable
from cranebridge.plant.description import PlantInfo
from cranebridge.verify.feedback import PlantSide

Array = NDArray[np.float64]

BEGIN = "begin"
"""Parameter: the time of the first sample."""

ESTIMATE = "estimate_"
"""What names of outputs that the observer estimates begin with."""

STATUS = {
    0: "moving",
    1: "the motion has ended, its end is held",
    -1: "not known where the crane is: feedforward with the last correction",
    -2: "a measured value is impossible: estimated without it",
}
"""Values of the output `status`."""


def controller_model(
    controller: Controller, name: str, side: PlantSide | None = None, info: PlantInfo | None = None
) -> PlantModel:
    """Describe a controller to the exporter.

    Parameters
    ----------
    controller : Controller
        What it does.
    name : str
        Name of the model.
    side : PlantSide, optional
        With it, inputs and outputs are the plant's variables; otherwise the controller's own.
    info : PlantInfo, optional
        Description of that plant.

    Raises
    ------
    InputError
        If two signals have the same name.
    """
    side = side or own_side(controller)
    first = _first_readings(controller, side)
    inputs = tuple(
        Variable(one.name, _unit(one.unit), _sentence("Measured", one), value)
        for one, value in zip(_channels(controller, side, info, False), first, strict=True)
    )
    text = "Status: " + "; ".join(f"{value} {words}" for value, words in STATUS.items())
    outputs = (
        *(
            Variable(one.name, _unit(one.unit), _sentence("Control", one), variability="discrete")
            for one in _channels(controller, side, info, True)
        ),
        Variable("status", description=text, variability="discrete", type="integer"),
        *(
            Variable(
                fmu_name(f"{ESTIMATE}{one.name}"),
                _unit(one.unit),
                _sentence("Estimated", one),
                variability="discrete",
            )
            for one in estimates_of(controller)
        ),
    )
    known = [variable.name for variable in (*inputs, *outputs)]
    if len(set(known)) < len(known):
        raise InputError("two signals of the controller have the same name; name its sensors")
    t, x = ca.SX.sym("t"), ca.SX.sym("x", 0)
    u, p = ca.SX.sym("u", len(inputs)), ca.SX.sym("p", 1)
    # Not evaluated: it tells that every output depends on every input.
    shape = ca.repmat(ca.sum1(u), len(outputs), 1)
    words = "Time of the first sample"
    if controller.start < 0.0:  # a master begins at zero: the drives move before the path does
        words += f"; the path begins {-controller.start:g} s later"
    return PlantModel(
        name=identifier(name),
        states=(),
        inputs=inputs,
        outputs=outputs,
        parameters=(Variable(BEGIN, "s", words, 0.0, variability="fixed"),),
        rhs=ca.Function("rhs", [t, x, u, p], [ca.SX(0, 1)]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [shape]),
        initial=ca.Function("initial", [p], [ca.SX(0, 1)]),
        description=f"Controller ({controller.kind}), cycle {controller.cycle:g} s",
        documentation=_documentation(controller),
        experiment=Experiment(
            stop_time=controller.cycle * (len(controller.hold) - 1),
            interval=controller.cycle,
        ),
        algorithm=Algorithm(_files(controller, side, first)),
    )


def own_side(controller: Controller) -> PlantSide:
    """Return a side on which everything is as the controller has it."""
    y = ca.SX.sym("y", len(controller.measured))
    m = len(controller.inputs)
    return PlantSide(
        readings=tuple(fmu_name(channel.name) for channel in controller.measured),
        measure=ca.Function("measure", [y], [y], ["y"], ["s"]),
        inputs=tuple(fmu_name(channel.name) for channel in controller.inputs),
        D=np.eye(m),
        d=np.zeros(m),
    )


def fmu_name(name: str) -> str:
    """Return the name of a variable of an FMU for a signal: ``u.F_t`` is ``F_t``."""
    return identifier(name.removeprefix("u."))


def _channels(
    controller: Controller, side: PlantSide, info: PlantInfo | None, given: bool
) -> list[Channel]:
    """Return the variables that are read, or given out, with units."""
    wanted = side.inputs if given else side.readings
    if info is not None:
        known = {signal.name: signal for signal in info.variables}
        return [Channel(name, known[name].unit, known[name].description) for name in wanted]
    own = controller.inputs if given else controller.measured
    return [
        Channel(name, channel.unit, channel.meaning)
        for name, channel in zip(wanted, own, strict=True)
    ]


def _first_readings(controller: Controller, side: PlantSide) -> list[float]:
    """Return what is read where the motion begins; zero where that does not follow."""
    if side.measure.size1_in(0) != len(controller.measured) or not _is_plain(side.measure):
        return [0.0] * len(side.readings)
    return [float(value) for value in expected_readings(controller)]


def expected_readings(controller: Controller) -> Array:
    """Return what is measured where the motion begins."""
    if controller.observer is None:
        return np.asarray(controller.reference[0])
    q, v, _ = controller.estimate
    p = controller.observer.parameter_vector
    return np.asarray(controller.observer.readings(q, v, p)[0], dtype=float).ravel()


def _is_plain(measure: ca.Function) -> bool:
    """Whether each signal is a reading of its own, in order."""
    y = ca.SX.sym("y", measure.size1_in(0))
    return bool(ca.is_equal(measure(y), y, 2))


def _files(controller: Controller, side: PlantSide, first: list[float]) -> dict[str, str]:
    header, source = map(_local, controller_sources(controller, "module"))
    given = len(side.inputs)
    wrapper = Template(CODE).substitute(
        READINGS=len(side.readings),
        GIVEN=given,
        CYCLE=literal(controller.cycle, "double"),
        MATRIX=table(side.D, "double"),
        OFFSET=row(side.d, "double"),
        START=row(np.array(first), "double"),
        EXPECTED=row(expected_readings(controller), "double"),
        MEASURE=emit_function(side.measure, "measure", "double", "double"),
        TELL_ESTIMATES=TELL_ESTIMATES if controller.observer is not None else "",
    )
    return {"module.h": header, "module.c": source, "algorithm_code.c": wrapper}


def _local(text: str) -> str:
    """Give the module's functions internal linkage, and constants that no name of FMI's runtime."""
    text = re.sub(r"^(int|void) (module_\w+\()", r"static \1 \2", text, flags=re.MULTILINE)
    return re.sub(r"\b(INPUTS|NODES|STATES|SIGNALS)\b", r"module_own_\1", text)


def _sentence(word: str, channel: Channel) -> str:
    return f"{word}: {channel.meaning}" if channel.meaning else word


def _unit(text: str) -> str:
    """Write a unit as Modelica and FMI do: ``kg*m^2 -> kg.m2``."""
    return text.replace("*", ".").replace("^", "")


def _documentation(controller: Controller) -> str:
    whole, rest = controller.delay
    delay = whole * controller.cycle + rest
    rows = "".join(
        f"<tr><td>{value}</td><td>{words}</td></tr>\n" for value, words in STATUS.items()
    )
    return (
        f"<html>\n<p>A controller ({controller.kind}) beside the feedforward of one motion, "
        f"sampled every {controller.cycle:g} s from the time <code>begin</code> on. It was "
        f"designed for outputs that act {delay:g} s after the sample.</p>\n"
        "<p>A sample is taken with what the inputs are at its time. A master that sets the inputs "
        "and reads the outputs before it steps on has no delay; one that exchanges all values "
        "first and then steps has a delay of one cycle, which <code>control.delay</code> of the "
        "scenario should be then.</p>\n<p>Values of <code>status</code>:</p>\n"
        f"<table>\n{rows}</table>\n</html>"
    )
