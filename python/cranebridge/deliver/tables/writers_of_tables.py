"""Delivery as tables: CSV, Modelica's CombiTimeTable as text and as MAT v4, MATLAB, Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.io import savemat

from cranebridge.deliver.provenance import comment, sign
from cranebridge.emit import identifier
from cranebridge.errors import MissingDependencyError
from cranebridge.inverse import Samples, Signal
from cranebridge.numerics import write_rows

TABLE_NAME = "feedforward"


@dataclass(frozen=True, eq=False)
class SampleTable:
    """Time and chosen signals, with the record of where they come from.

    Attributes
    ----------
    samples : Samples
        All signals at the controller's cycle.
    signals : sequence of Signal
        The columns after the time.
    units : bool
        Whether titles carry the unit.
    record : mapping
        Provenance.
    """

    samples: Samples
    signals: Sequence[Signal]
    units: bool
    record: Mapping[str, Any]

    @property
    def titles(self) -> list[str]:
        """The titles of all columns."""
        pairs = [("time", "s"), *((s.title, s.unit) for s in self.signals)]
        return [f"{name} [{unit}]" if self.units else name for name, unit in pairs]

    @property
    def values(self) -> NDArray[np.float64]:
        """Time and signals, a row for each time."""
        return np.column_stack(
            [self.samples.time, *(self.samples.value(signal) for signal in self.signals)]
        )


def csv_table(table: SampleTable) -> bytes:
    """Write CSV: a line of titles, then 17 significant digits."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(table.titles)
    write_rows(text, table.values)
    return text.getvalue().encode()


def modelica_table(table: SampleTable) -> bytes:
    """Write the text format of Modelica.Blocks.Sources.CombiTimeTable.

    The first line is ``#1``; then comments, ``double feedforward(rows,columns)`` and the rows.
    """
    values = table.values
    text = io.StringIO()
    text.write("#1\n")
    text.write(comment(table.record, begin="", line="# ", end=""))
    pairs = [("time", "s"), *((s.title, s.unit) for s in table.signals)]
    for number, (name, unit) in enumerate(pairs, start=1):
        text.write(f"# column {number}: {name} [{unit}]\n")
    text.write(f"double {TABLE_NAME}({values.shape[0]},{values.shape[1]})\n")
    write_rows(text, values, delimiter=" ")
    return sign(text.getvalue()).encode()


def mat4_table(table: SampleTable) -> bytes:
    """Write MATLAB v4, which Modelica tools read: one matrix, and the titles as text."""
    file = io.BytesIO()
    titles = table.titles
    width = max(map(len, titles))
    # Version 4 has no cells: a text matrix, a row for each title.
    names = np.array([list(title.ljust(width)) for title in titles])
    savemat(file, {TABLE_NAME: table.values, "columns": names}, format="4", appendmat=False)
    return file.getvalue()


def mat_table(table: SampleTable) -> bytes:
    """Write MATLAB's default format, called v7: Level 5 with compression (not v7.3, HDF5).

    ``time`` and a struct for each group: ``u.M_b``, ``q.phi``; ``units`` has the same fields.
    """
    groups: dict[str, Any] = {"time": table.samples.time[:, None]}
    units: dict[str, Any] = {"time": "s"}
    for signal in table.signals:
        column = table.samples.value(signal)[:, None]
        name = identifier(signal.name)  # an FMU's names may have dots
        groups.setdefault(signal.group, {})[name] = column
        units.setdefault(signal.group, {})[name] = signal.unit
    groups |= {"units": units, "provenance": _embedded(table)}
    file = io.BytesIO()
    savemat(file, groups, format="5", long_field_names=True, do_compression=True, appendmat=False)
    return file.getvalue()


def parquet_table(table: SampleTable) -> bytes:
    """Write Parquet, with units in the fields' metadata and the record in that of the file."""
    try:
        import pyarrow as pa  # type: ignore[import-untyped]
        import pyarrow.parquet as pq  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingDependencyError(
            "Parquet needs pyarrow: pip install 'cranebridge[parquet]'"
        ) from error
    units = ["s", *(signal.unit for signal in table.signals)]
    fields = [
        pa.field(title, pa.float64(), nullable=False, metadata={"unit": unit})
        for title, unit in zip(table.titles, units, strict=True)
    ]
    schema = pa.schema(fields, metadata={"cranebridge": _embedded(table)})
    file = io.BytesIO()
    columns = [pa.array(column) for column in table.values.T]
    pq.write_table(pa.table(columns, schema=schema), file)
    return file.getvalue()


def _embedded(table: SampleTable) -> str:
    """Return the record for the inside of a binary file; its hash is beside it only."""
    return json.dumps({key: value for key, value in table.record.items() if key != "sha256"})
