"""Delivery of one motion as an FMU that plays it: for controls that nothing solves on line.

Learned controls belong to the motion that they were learned on. The table of the format ``c``
(:mod:`cranebridge.emit.c_table`) stands behind the FMI runtime of the plants, with Model Exchange
and Co-Simulation; outputs are those of the FMU that solves on line
(:mod:`cranebridge.deliver.fmu.on_line_fmu`).
"""

from __future__ import annotations

import re
from string import Template

import casadi as ca

from cranebridge.deliver.fmu.controller_fmu import BEGIN
from cranebridge.deliver.fmu.on_line_fmu import drive_coordinates, hold_parameter, signal_outputs
from cranebridge.deliver.fmu.table_fmu_c import CODE
from cranebridge.deliver.tables import SampleTable
from cranebridge.emit import c_sources, identifier
from cranebridge.frontend import Algorithm, Experiment, PlantModel, Variable
from cranebridge.inverse import ServoProblem
from cranebridge.twin import Crane

STATUS = {
    0: "moving",
    1: "the motion has ended, its last values are held",
    2: "the motion has not begun, its first values are held",
}
"""Values of the output `status`."""


def table_columns(crane: Crane) -> tuple[str, ...]:
    """Return the columns that the FMU has, in its order."""
    drives = [crane.coordinates[i].name for i in drive_coordinates(crane)]
    return ("u", *(f"q.{name}" for name in drives), *(f"v.{name}" for name in drives), "gamma")


def table_model(problem: ServoProblem, table: SampleTable, cycle: float, name: str) -> PlantModel:
    """Describe a motion to the exporter.

    Parameters
    ----------
    problem : ServoProblem
        Whose motion it is.
    table : SampleTable
        Its `table_columns` with both sides of the knots.
    cycle : float
        Distance of its rows [s].
    name : str
        Name of the model.
    """
    words = f"Feedforward of the {problem.crane.description}, one motion"
    outputs, given = signal_outputs(problem), len(problem.crane.inputs)
    return played_model(outputs, given, table, cycle, name, words)


def played_model(
    signals: tuple[Variable, ...],
    given: int,
    table: SampleTable,
    cycle: float,
    name: str,
    description: str,
) -> PlantModel:
    """Describe a table to the exporter.

    Parameters
    ----------
    signals : tuple of Variable
        Its columns as outputs.
    given : int
        How many of them, the first ones, are controls, which `hold` is about.
    table : SampleTable
        The columns, with both sides of the knots.
    cycle : float
        Distance of its rows [s].
    name, description : str
        Of the model.
    """
    header, source = map(_local, c_sources(table.samples, table.signals, "table", cycle, "double"))
    own = Template(CODE).substitute(GIVEN=given)
    first, last = float(table.samples.time[0]), float(table.samples.time[-1])
    words = "Time of the first row"
    if first < 0.0:
        words += f"; the path begins {-first:g} s later"
    text = "Status: " + "; ".join(f"{value} {meaning}" for value, meaning in STATUS.items())
    outputs = (
        *signals,
        Variable("status", description=text, variability="discrete", type="integer"),
    )
    t, x, u, p = ca.SX.sym("t"), ca.SX.sym("x", 0), ca.SX.sym("u", 0), ca.SX.sym("p", 2)
    return PlantModel(
        name=identifier(name),
        states=(),
        inputs=(),
        outputs=outputs,
        parameters=(Variable(BEGIN, "s", words, 0.0, variability="fixed"), hold_parameter()),
        rhs=ca.Function("rhs", [t, x, u, p], [ca.SX(0, 1)]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [ca.SX.zeros(len(outputs))]),
        initial=ca.Function("initial", [p], [ca.SX(0, 1)]),
        description=description,
        documentation=_documentation(),
        experiment=Experiment(stop_time=last - first, interval=cycle),
        algorithm=Algorithm({"table.h": header, "table.c": source, "algorithm_code.c": own}),
    )


def _local(text: str) -> str:
    """Give the table internal linkage, as everything in an FMU but FMI has."""
    text = re.sub(r"^extern const .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(int|const real) (table_)", r"static \1 \2", text, flags=re.MULTILINE)
    return re.sub(r"\b(NODES|SIGNALS)\b", r"table_own_\1", text)


def _documentation() -> str:
    rows = "".join(
        f"<tr><td>{value}</td><td>{words}</td></tr>\n" for value, words in STATUS.items()
    )
    return (
        "<html>\n<p>One motion, as it was solved or learned: controls, and of a crane the "
        "positions and velocities that its drives then have, and the path. It begins at the time "
        "<code>begin</code>. Between the rows of the table are cubics.</p>\n"
        "<p>In Co-Simulation the outputs have derivatives of first order. Where a consumer cannot "
        "take them and holds the controls over its steps, set <code>hold</code> to the step: the "
        "controls are then those in the middle of the coming step.</p>\n"
        f"<p>Values of <code>status</code>:</p>\n<table>\n{rows}</table>\n</html>"
    )
