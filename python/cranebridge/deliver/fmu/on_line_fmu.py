"""Delivery as an FMU that plans and solves on line: for any start, goal and duration.

The on-line generator (:mod:`cranebridge.online.generator`) behind the FMI runtime of the plants
(:mod:`cranebridge.plant.export.fmu_export`), with Model Exchange and Co-Simulation. When `trigger`
rises, a motion from `start` to `goal` over `duration` is planned that begins at that time, and
every evaluation of the outputs solves the index-1 stages at its own time. Before the first trigger
the load rests at `start`. When `replan` or `stop` rises, the motion that is under way is continued
to `goal`, or to rest, without a jump of the controls. A plan that is refused leaves everything as
it was; the output `status` says why until the next trigger.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Template
from typing import Any

import casadi as ca

from cranebridge.deliver.fmu.feedforward_c import ALGORITHM, CODE
from cranebridge.deliver.provenance import archived
from cranebridge.emit import identifier
from cranebridge.frontend import Algorithm, Experiment, PlantModel, Variable
from cranebridge.inverse import ServoProblem
from cranebridge.limits import Limits
from cranebridge.online import STATUSES, generator_sources
from cranebridge.path import coordinate_names, end_points
from cranebridge.plant.export import Fmi, fmu_files, zip_bytes
from cranebridge.twin import equations_of_motion
from cranebridge.twin.language import Crane, Parameter

HOLD = "hold"
"""Parameter: the interval over which a consumer holds the controls."""

TRIGGER = "trigger"
WISHES = {
    TRIGGER: "A motion from start to goal is planned and begins when this rises, at rest only",
    "shortest": "Whether that motion takes the shortest time within the limits, not the duration",
    "replan": "When this rises, also while moving, the load goes to the goal from where it is",
    "stop": "When this rises, also while moving, the load comes to rest as soon as possible",
}
"""Inputs that tell what to do, besides start, goal and duration."""

STATUS = {
    status.code: status.meaning if status.code >= 0 else f"refused: {status.meaning}"
    for status in STATUSES
    if status.name != "NO_PLAN"  # there is always one, if only to stay at the start
}
"""Values of the output `status`: those of the generator."""


def feedforward_fmu(
    model: PlantModel, record: Mapping[str, Any] | None = None, *, fmi: Fmi = "2.0"
) -> bytes:
    """Make the FMU of a feedforward.

    Parameters
    ----------
    model : PlantModel
        From :func:`feedforward_model`.
    record : mapping, optional
        Provenance, kept in ``extra/org.cranebridge/provenance.json``.
    fmi : {"2.0", "3.0"}
        Version of the standard.

    Returns
    -------
    bytes
        The FMU. The same model and tools give the same bytes.
    """
    files = fmu_files(model, fmi=fmi)
    return zip_bytes(files if record is None else archived(record, files))


def feedforward_model(problem: ServoProblem, limits: Limits, name: str) -> PlantModel:
    """Describe the feedforward of a flat crane to the exporter.

    Parameters
    ----------
    problem : ServoProblem
        Crane, parameters, kind and profile of the path; start, goal and duration become defaults.
    limits : Limits
        Limits that every plan must keep.
    name : str
        Name of the model.

    Raises
    ------
    InputError
        If the path or the crane cannot be solved on line.
    """
    crane = problem.crane
    header, source = (
        _local(text) for text in generator_sources(problem, limits, "solver", "double")
    )
    drives = drive_coordinates(crane)
    wrapper = Template(CODE).substitute(
        DRIVES=len(drives),
        DRIVE_COORDINATES="{" + ", ".join(map(str, drives)) + "}",
        MESSAGES="\n".join(
            f'    case {status.code}: return "no plan: {status.meaning}";'
            for status in STATUSES
            if status.code < 0
        ),
    )
    files = {"solver.h": header, "solver.c": source, "plans_code.c": wrapper}
    files["algorithm_code.c"] = ALGORITHM
    inputs, outputs, parameters = _inputs(problem), _outputs(problem), _parameters(problem)
    t, x = ca.SX.sym("t"), ca.SX.sym("x", 0)
    u, p = ca.SX.sym("u", len(inputs)), ca.SX.sym("p", len(parameters))
    return PlantModel(
        name=identifier(name),
        states=(),
        inputs=inputs,
        outputs=outputs,
        parameters=parameters,
        rhs=ca.Function("rhs", [t, x, u, p], [ca.SX(0, 1)]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [ca.SX.zeros(len(outputs))]),
        initial=ca.Function("initial", [p], [ca.SX(0, 1)]),
        description=f"Feedforward of the {crane.description}",
        documentation=_documentation(),
        experiment=Experiment(stop_time=problem.path.duration),
        algorithm=Algorithm(files),
    )


def drive_coordinates(crane: Crane) -> list[int]:
    """Return the positions of the coordinates on which the inputs act."""
    rows, _ = equations_of_motion(crane).input_matrix.sparsity().get_triplet()
    return sorted({int(row) for row in rows})


def _local(text: str) -> str:
    """Give the generator's functions internal linkage, as everything in an FMU but FMI has."""
    return re.sub(r"^int (solver_\w+\()", r"static int \1", text, flags=re.MULTILINE)


def _inputs(problem: ServoProblem) -> tuple[Variable, ...]:
    start, goal = end_points(problem.path)
    names = coordinate_names(problem.path)
    units = [
        unit or output.unit for (_, unit), output in zip(names, problem.crane.outputs, strict=True)
    ]
    ends = [
        Variable(f"{end}_{name}", _unit(unit), meaning, value, variability="discrete")
        for end, meaning, values in (
            ("start", "Where the load is when a motion begins", start),
            ("goal", "Where a motion shall bring the load", goal),
        )
        for (name, _), unit, value in zip(names, units, values, strict=True)
    ]
    duration = Variable(
        "duration",
        "s",
        "How long a motion shall take",
        problem.path.duration,
        variability="discrete",
    )
    wishes = [
        Variable(name, description=text, variability="discrete", type="boolean")
        for name, text in WISHES.items()
    ]
    return (*ends, duration, *wishes)


def _outputs(problem: ServoProblem) -> tuple[Variable, ...]:
    text = "Status: " + "; ".join(f"{value} {words}" for value, words in STATUS.items())
    status = Variable("status", description=text, variability="discrete", type="integer")
    return (*signal_outputs(problem), status)


def signal_outputs(problem: ServoProblem) -> tuple[Variable, ...]:
    """Return controls, positions and velocities of the drives, and the path, as outputs."""
    crane = problem.crane
    drives = [crane.coordinates[i] for i in drive_coordinates(crane)]
    return (
        *(Variable(u.name, _unit(u.unit), f"Control: {u.meaning}") for u in crane.inputs),
        *(Variable(f"ref_{q.name}", _unit(q.unit), f"Reference: {q.meaning}") for q in drives),
        *(
            Variable(f"ref_v_{q.name}", _unit(q.unit + "/s"), f"Reference: rate of {q.meaning}")
            for q in drives
        ),
        *(Variable(f"gamma_{y.name}", _unit(y.unit), f"Path: {y.meaning}") for y in crane.outputs),
    )


def _parameters(problem: ServoProblem) -> tuple[Variable, ...]:
    values = zip(problem.crane.parameters, problem.parameter_vector, strict=True)
    return (*(_parameter(parameter, float(value)) for parameter, value in values), hold_parameter())


def hold_parameter() -> Variable:
    """Return the parameter for a consumer that holds the controls."""
    return Variable(
        HOLD,
        "s",
        "Controls are those in the middle of the coming interval of this length: for who holds it",
        0.0,
        min=0.0,
        variability="tunable",
    )


def _parameter(parameter: Parameter, value: float) -> Variable:
    # A positive parameter has no smallest value to state; a plan without a solution is refused.
    return Variable(
        parameter.name,
        _unit(parameter.unit),
        f"{parameter.meaning[0].upper()}{parameter.meaning[1:]}; taken over by the next plan",
        value,
        min=None if parameter.domain == "real" else 0.0,
        variability="tunable",
    )


def _unit(text: str) -> str:
    """Write a unit as Modelica and FMI do: ``kg*m^2 -> kg.m2``."""
    return "" if text == "/s" else text.replace("*", ".").replace("^", "")


def _documentation() -> str:
    rows = "".join(
        f"<tr><td>{value}</td><td>{words}</td></tr>\n" for value, words in STATUS.items()
    )
    return (
        "<html>\n<p>Solves the inverse model of a crane on line: when <code>trigger</code> rises, "
        "a motion from <code>start</code> to <code>goal</code> over <code>duration</code> is "
        "planned that begins at that time. The outputs are the forces and torques of the drives "
        "that move the load on that path, the positions and velocities that the drives then have, "
        "and the path. Before the first trigger the load rests at <code>start</code>.</p>\n"
        "<p>When <code>replan</code> rises, also while moving, the load goes from where it is to "
        "<code>goal</code>; when <code>stop</code> rises, it comes to rest. Both take the shortest "
        "time that keeps the limits, by polynomials that continue the motion without a jump of the "
        "controls; parameters stay. With <code>shortest</code> a motion that is triggered takes "
        "the shortest time, too, instead of <code>duration</code>.</p>\n"
        "<p>In Co-Simulation the outputs have derivatives of first order, exact ones. Where a "
        "consumer cannot take them and holds the controls over its steps, set <code>hold</code> to "
        "the step: the controls are then those in the middle of the coming step, which takes away "
        "the delay of half a step.</p>\n<p>A motion that cannot be done is refused and the last "
        f"one goes on. Values of <code>status</code>:</p>\n<table>\n{rows}</table>\n</html>"
    )
