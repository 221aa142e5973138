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

from cranebridge.deliver.fmu.builder import (
    ALGORITHM,
    GENERATOR,
    FmuParts,
    fmi_unit,
    fmu_model,
    hold_parameter,
    internal,
    runtime_code,
    status_output,
    status_table,
)
from cranebridge.frontend import Experiment, PlantModel, Variable
from cranebridge.inverse import ServoProblem
from cranebridge.limits import Limits
from cranebridge.online import STATUSES, generator_sources
from cranebridge.path import coordinate_names, end_points
from cranebridge.twin import equations_of_motion
from cranebridge.twin.language import Crane, Parameter

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
    return fmu_model(name, on_line_parts(problem, limits))


def on_line_parts(problem: ServoProblem, limits: Limits) -> FmuParts:
    """Return the parts of the FMU that plans on line; arguments as of `feedforward_model`."""
    crane = problem.crane
    sources = generator_sources(problem, limits, GENERATOR, "double")
    header, source = (internal(text, GENERATOR) for text in sources)
    drives = drive_coordinates(crane)
    plans = {
        "WISH_INPUTS": ",\n    ".join(f"WISH_{name.upper()}" for name in WISHES),
        "DRIVE_COUNT": str(len(drives)),
        "DRIVE_COORDINATES": "{" + ", ".join(map(str, drives)) + "}",
        "MESSAGES": "\n".join(
            f'    case {status.code}: return "no plan: {status.meaning}";'
            for status in STATUSES
            if status.code < 0
        ),
    }
    return FmuParts(
        inputs=_inputs(problem),
        outputs=(*signal_outputs(problem), status_output(STATUS)),
        parameters=_parameters(problem),
        files={
            f"{GENERATOR}.h": header,
            f"{GENERATOR}.c": source,
            "plans_code.c": runtime_code("plans.c", plans),
            ALGORITHM: runtime_code("on_line.c"),
        },
        description=f"Feedforward of the {crane.description}",
        documentation=_documentation(),
        experiment=Experiment(stop_time=problem.path.duration),
    )


def drive_coordinates(crane: Crane) -> list[int]:
    """Return the positions of the coordinates on which the inputs act."""
    rows, _ = equations_of_motion(crane).input_matrix.sparsity().get_triplet()
    return sorted({int(row) for row in rows})


def _inputs(problem: ServoProblem) -> tuple[Variable, ...]:
    start, goal = end_points(problem.path)
    names = coordinate_names(problem.path)
    units = [
        unit or output.unit for (_, unit), output in zip(names, problem.crane.outputs, strict=True)
    ]
    ends = [
        Variable(f"{end}_{name}", fmi_unit(unit), meaning, value, variability="discrete")
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


def signal_outputs(problem: ServoProblem) -> tuple[Variable, ...]:
    """Return controls, positions and velocities of the drives, and the path, as outputs."""
    crane = problem.crane
    drives = [crane.coordinates[i] for i in drive_coordinates(crane)]
    rates = [f"{q.unit}/s" if q.unit else "" for q in drives]
    named = [
        *((u.name, u.unit, f"Control: {u.meaning}") for u in crane.inputs),
        *((f"ref_{q.name}", q.unit, f"Reference: {q.meaning}") for q in drives),
        *(
            (f"ref_v_{q.name}", unit, f"Reference: rate of {q.meaning}")
            for q, unit in zip(drives, rates, strict=True)
        ),
        *((f"gamma_{y.name}", y.unit, f"Path: {y.meaning}") for y in crane.outputs),
    ]
    return tuple(Variable(name, fmi_unit(unit), text) for name, unit, text in named)


def _parameters(problem: ServoProblem) -> tuple[Variable, ...]:
    values = zip(problem.crane.parameters, problem.parameter_vector, strict=True)
    return (*(_parameter(parameter, float(value)) for parameter, value in values), hold_parameter())


def _parameter(parameter: Parameter, value: float) -> Variable:
    # A positive parameter has no smallest value to state; a plan without a solution is refused.
    return Variable(
        parameter.name,
        fmi_unit(parameter.unit),
        f"{parameter.meaning[0].upper()}{parameter.meaning[1:]}; taken over by the next plan",
        value,
        min=None if parameter.domain == "real" else 0.0,
        variability="tunable",
    )


def _documentation() -> str:
    return (
        "<p>Solves the inverse model of a crane on line: when <code>trigger</code> rises, "
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
        f"one goes on. {status_table(STATUS)}"
    )
