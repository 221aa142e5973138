"""Delivery of a controller as an FMU: measured signals in, what the drives shall do out.

The controller's module (:mod:`cranebridge.control.code.controller_c`) behind the FMI runtime of the
plants, with Model Exchange and Co-Simulation. It is sampled: its outputs change at its cycle only.
Beside a plant it takes the plant's own variables and gives the plant's own inputs.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.control.code import (
    TABLED,
    Channel,
    Controller,
    controller_sources,
    estimates_of,
    row,
    table,
)
from cranebridge.deliver.fmu.builder import (
    ALGORITHM,
    CONTROLLER,
    FmuParts,
    begin_parameter,
    fmi_unit,
    fmu_model,
    internal,
    runtime_code,
    status_output,
    status_table,
)
from cranebridge.emit import Value, emit_function, identifier, literal
from cranebridge.errors import InputError
from cranebridge.frontend import Experiment, PlantModel, Variable
from cranebridge.plant.description import PlantInfo
from cranebridge.verify.feedback import PlantSide

Array = NDArray[np.float64]

ESTIMATE = "estimate_"
"""What names of outputs that the observer estimates begin with."""

_TAKEN = ("INPUTS", "NODES", "STATES", "SIGNALS")
"""Names of a controller's module that FMI's runtime has, too."""

STATUS = {status.code: status.meaning for status in TABLED}
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
    return fmu_model(name, controller_parts(controller, side, info))


def controller_parts(
    controller: Controller, side: PlantSide | None = None, info: PlantInfo | None = None
) -> FmuParts:
    """Return the parts of a controller's FMU; arguments as of `controller_model`."""
    side = side or own_side(controller)
    first = _first_readings(controller, side)
    inputs = tuple(
        Variable(one.name, fmi_unit(one.unit), _sentence("Measured", one), value)
        for one, value in zip(_channels(controller, side, info, False), first, strict=True)
    )
    outputs = (
        *(_output(one.name, "Control", one) for one in _channels(controller, side, info, True)),
        status_output(STATUS),
        *(
            _output(fmu_name(f"{ESTIMATE}{one.name}"), "Estimated", one)
            for one in estimates_of(controller)
        ),
    )
    known = [variable.name for variable in (*inputs, *outputs)]
    if len(set(known)) < len(known):
        raise InputError("two signals of the controller have the same name; name its sensors")

    def feedthrough(u: ca.SX) -> ca.SX:
        return ca.repmat(ca.sum1(u), len(outputs), 1)

    sources = controller_sources(controller, CONTROLLER)
    header, source = (internal(text, CONTROLLER, _TAKEN) for text in sources)
    return FmuParts(
        inputs=inputs,
        outputs=outputs,
        parameters=(begin_parameter("sample", controller.start),),
        files={
            f"{CONTROLLER}.h": header,
            f"{CONTROLLER}.c": source,
            ALGORITHM: runtime_code("controller.c", sampling_values(controller, side, first)),
        },
        description=f"Controller ({controller.kind}), cycle {controller.cycle:g} s",
        documentation=_documentation(controller),
        experiment=Experiment(
            stop_time=controller.cycle * (len(controller.hold) - 1),
            interval=controller.cycle,
        ),
        feedthrough=feedthrough,
    )


def sampling_values(
    controller: Controller, side: PlantSide, first: list[float]
) -> dict[str, Value]:
    """Return what is filled into the C that samples: cycle, and how the plant's signals relate."""
    return {
        "READINGS": str(len(side.readings)),
        "PLANT_INPUTS": str(len(side.inputs)),
        "PERIOD": literal(controller.cycle, "double"),
        "PLANT_MATRIX": table(side.D, "double"),
        "PLANT_OFFSET": row(side.d, "double"),
        "FIRST_READINGS": row(np.array(first), "double"),
        "EXPECTED_READINGS": row(expected_readings(controller), "double"),
        "MEASURE": emit_function(side.measure, "measure", "double", "double"),
        "OBSERVED": controller.observer is not None,
    }


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


def _output(name: str, word: str, channel: Channel) -> Variable:
    unit = fmi_unit(channel.unit)
    return Variable(name, unit, _sentence(word, channel), variability="discrete")


def _sentence(word: str, channel: Channel) -> str:
    return f"{word}: {channel.meaning}" if channel.meaning else word


def _documentation(controller: Controller) -> str:
    whole, rest = controller.delay
    delay = whole * controller.cycle + rest
    return (
        f"<p>A controller ({controller.kind}) beside the feedforward of one motion, "
        f"sampled every {controller.cycle:g} s from the time <code>begin</code> on. It was "
        f"designed for outputs that act {delay:g} s after the sample.</p>\n"
        "<p>A sample is taken with what the inputs are at its time. A master that sets the inputs "
        "and reads the outputs before it steps on has no delay; one that exchanges all values "
        "first and then steps has a delay of one cycle, which <code>control.delay</code> of the "
        f"scenario should be then.</p>\n<p>{status_table(STATUS)}"
    )
