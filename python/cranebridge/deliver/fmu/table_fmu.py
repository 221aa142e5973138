"""Delivery of one motion as an FMU that plays it: for controls that nothing solves on line.

Learned controls belong to the motion that they were learned on. The table of the format ``c``
(:mod:`cranebridge.deliver.tables.c_table`) stands behind the FMI runtime of the plants, with Model
Exchange and Co-Simulation; outputs are those of the FMU that solves on line
(:mod:`cranebridge.deliver.fmu.on_line_fmu`).
"""

from __future__ import annotations

from cranebridge.deliver.fmu.builder import (
    ALGORITHM,
    FmuParts,
    begin_parameter,
    fmu_model,
    hold_parameter,
    internal,
    runtime_code,
    status_output,
    status_table,
)
from cranebridge.deliver.fmu.on_line_fmu import drive_coordinates, signal_outputs
from cranebridge.deliver.tables import TABLE_STATUSES, SampleTable, c_sources
from cranebridge.frontend import Experiment, PlantModel, Variable
from cranebridge.inverse import ServoProblem
from cranebridge.twin import Crane

STATUS = {status.code: status.meaning for status in TABLE_STATUSES if status.code >= 0}
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
    sources = c_sources(table.samples, table.signals, "table", cycle, "double")
    # the runtime has these names, too
    header, source = (internal(text, "table", ("NODES", "SIGNALS")) for text in sources)
    first, last = float(table.samples.time[0]), float(table.samples.time[-1])
    parts = FmuParts(
        inputs=(),
        outputs=(*signals, status_output(STATUS)),
        parameters=(begin_parameter("row", first), hold_parameter()),
        files={
            "table.h": header,
            "table.c": source,
            ALGORITHM: runtime_code("table.c", {"CONTROLS": str(given)}),
        },
        description=description,
        documentation=_documentation(),
        experiment=Experiment(stop_time=last - first, interval=cycle),
    )
    return fmu_model(name, parts)


def _documentation() -> str:
    return (
        "<p>One motion, as it was solved or learned: controls, and of a crane the "
        "positions and velocities that its drives then have, and the path. It begins at the time "
        "<code>begin</code>. Between the rows of the table are cubics.</p>\n"
        "<p>In Co-Simulation the outputs have derivatives of first order. Where a consumer cannot "
        "take them and holds the controls over its steps, set <code>hold</code> to the step: the "
        "controls are then those in the middle of the coming step.</p>\n"
        f"<p>{status_table(STATUS)}"
    )
