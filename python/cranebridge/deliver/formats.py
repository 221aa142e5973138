"""All formats of delivery, with a sentence each; help, schema and docs read this table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cranebridge.deliver import writers
from cranebridge.deliver.order import Request
from cranebridge.deliver.provenance import sidecar_path
from cranebridge.deliver.tables import csv_table, mat4_table, mat_table, parquet_table
from cranebridge.errors import unknown


@dataclass(frozen=True)
class Format:
    """A format of delivery.

    Attributes
    ----------
    description : str
        One line.
    suffix : str
        Of the target; that of the source where there is also a header.
    write : callable
        Returns the contents of all files.
    also : tuple of str
        Suffixes of further files with the same stem.
    beside : bool
        Whether provenance is in a JSON file beside the target, not in its header.
    single : bool
        Whether it can be had in single precision.
    kind : {"table", "code", "on line"}
        Which columns it has: any, those with rates, or all signals always.
    """

    description: str
    suffix: str
    write: Callable[[Request], dict[Path, bytes]]
    also: tuple[str, ...] = ()
    beside: bool = False
    single: bool = False
    kind: str = "table"

    def target(self, wanted: Path, stem: str) -> Path:
        """Return the file to write: in a folder, named after `stem`."""
        if wanted.is_dir():
            return wanted / f"{stem}{self.suffix}"
        if self.also and wanted.suffix != self.suffix:
            name = wanted.stem if wanted.suffix in self.also else wanted.name
            return wanted.with_name(name + self.suffix)
        return wanted

    def files(self, target: Path) -> list[Path]:
        """Return all files that a delivery to `target` writes."""
        beside = [sidecar_path(target)] if self.beside else []
        return [target, *(target.with_suffix(suffix) for suffix in self.also), *beside]


FORMATS: Mapping[str, Format] = {
    "csv": Format(
        "CSV, a row each cycle; provenance beside it",
        ".csv",
        writers.with_sidecar(csv_table),
        beside=True,
    ),
    "modelica": Format(
        "Modelica: a block with an example (.mo), CombiTimeTable as text (.txt)",
        ".txt",
        writers.write_modelica,
    ),
    "mat4": Format(
        "MATLAB v4, as Modelica's CombiTimeTable reads it",
        ".mat",
        writers.with_sidecar(mat4_table),
        beside=True,
    ),
    "mat": Format(
        "MATLAB v7 (Level 5, compressed) with structs",
        ".mat",
        writers.with_sidecar(mat_table),
        beside=True,
    ),
    "parquet": Format(
        "Apache Parquet (needs pyarrow)",
        ".parquet",
        writers.with_sidecar(parquet_table),
        beside=True,
    ),
    "c": Format(
        "C99 table with cubic Hermite interpolation",
        ".c",
        writers.write_c,
        (".h",),
        single=True,
        kind="code",
    ),
    "st": Format(
        "IEC 61131-3 Structured Text function block",
        ".st",
        writers.write_st,
        single=True,
        kind="code",
    ),
    "generator": Format(
        "C99 that plans and solves on line, any start, goal and duration",
        ".c",
        writers.write_generator,
        (".h",),
        single=True,
        kind="on line",
    ),
    "fmu": Format(
        "FMU that plans and solves on line, or plays one motion (FMI 2.0 or 3.0)",
        ".fmu",
        writers.write_fmu,
        kind="on line",
    ),
    "ssp": Format(
        "SSP that connects that FMU to the plant's", ".ssp", writers.write_ssp, kind="on line"
    ),
}


def require_format(name: str) -> Format:
    """Return a format by its name.

    Raises
    ------
    InputError
        With the closest match, if there is none of this name.
    """
    if name not in FORMATS:
        raise unknown("format", name, FORMATS)
    return FORMATS[name]
