"""Scenarios without a crane: an FMU by the names of its variables, a target, and how it is learned.

Such a scenario has the tables `[plant]` (with `fmu`), `[learn]` (with `inputs`, `outputs` and
`target`) and `[limits]` (`u` by input, `q` by output, `tracking`). `learn` takes it, and `deliver`
what was learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.numerics import read_csv_columns
from cranebridge.regular_files import require_regular
from cranebridge.scenario.file_names import full_path
from cranebridge.scenario.messages import sentence
from cranebridge.scenario.reading import read_content
from cranebridge.scenario.tables import LearnTable, LimitsTable, PlantTable, Table, TableError

Array = NDArray[np.float64]


class BlackBoxTables(Table):
    """All tables of a scenario without a crane."""

    plant: PlantTable
    learn: LearnTable
    limits: LimitsTable = LimitsTable()


@dataclass(frozen=True, eq=False)
class BlackBoxScenario:
    """A scenario without a crane.

    Attributes
    ----------
    name : str
        The file's name without its ending.
    tables : BlackBoxTables
        All keys with their values.
    file : pathlib.Path
        What it was read from.
    """

    name: str
    tables: BlackBoxTables
    file: FilePath

    @property
    def files(self) -> tuple[FilePath, ...]:
        """The files whose contents matter for a result."""
        table = self.tables
        named = (table.plant.fmu, table.learn.target, table.learn.first)
        return (self.file, *(FilePath(name) for name in named if name))

    def complete(self) -> dict[str, Any]:
        """Return all tables with every default, ready to be written as TOML."""
        found = self.tables.model_dump(exclude_none=True)
        return {
            table: {key: value for key, value in entries.items() if value not in ({}, [], "")}
            for table, entries in found.items()
        }


def read_black_box(source: str, settings: Sequence[str] = ()) -> BlackBoxScenario | None:
    """Read a scenario without a crane; None if it has one.

    Raises
    ------
    InputError
        If it lacks what a plant without a twin needs, or has what belongs to a twin.
    """
    name, content, file, folder = read_content(source, settings)
    if "crane" in content or "learn" not in content:
        return None
    foreign = [table for table in content if table not in BlackBoxTables.model_fields]
    if foreign:
        raise InputError(
            f"scenario '{source}' has no [crane], and [{foreign[0]}] is about one; without a crane "
            f"there are [{'], ['.join(BlackBoxTables.model_fields)}]"
        )
    try:
        tables = BlackBoxTables.model_validate(content)
    except TableError as error:
        raise sentence(error, source) from error
    _require(tables, source)
    plant, learn = tables.plant, tables.learn
    changed = {
        "plant": plant.model_copy(update={"fmu": full_path("plant.fmu", folder, plant.fmu or "")}),
        "learn": learn.model_copy(
            update={
                key: full_path(f"learn.{key}", folder, value)
                for key, value in (("target", learn.target), ("first", learn.first))
                if value
            }
        ),
    }
    return BlackBoxScenario(name, tables.model_copy(update=changed), file)


def _require(tables: BlackBoxTables, source: str) -> None:
    plant, learn = tables.plant, tables.learn
    needed = {
        "plant.fmu": plant.fmu,
        "learn.inputs": learn.inputs,
        "learn.outputs": learn.outputs,
        "learn.target": learn.target,
    }
    missing = [key for key, value in needed.items() if not value]
    if missing:
        raise InputError(
            f"scenario '{source}' has no [crane], so it needs {', '.join(missing)}: a plant "
            "without a twin is known by the names of its FMU's variables"
        )
    if plant.model or plant.drives or plant.map.signals or plant.start.q or plant.start.v:
        raise InputError(
            f"scenario '{source}' has no [crane]: plant.model, plant.drives, plant.map and "
            "plant.start are about a twin; leave them out"
        )
    other = [key for key, value in tables.limits.model_dump().items() if value]
    for key in other:
        if key not in ("ropes", "tracking", "u", "q"):
            raise InputError(
                f"limits.{key} is about a crane; without one there are limits.u (by input), "
                "limits.q (by output) and limits.tracking"
            )


def read_columns(key: str, file: str, wanted: Sequence[str]) -> tuple[Array, Array]:
    """Read a CSV file with a column time and others by name; see `read_csv_columns`."""
    require_regular(f"{key} = '{file}'", file)
    return read_csv_columns(key, file, wanted)


def on_times(grid: Array, times: Array, values: Array) -> Array:
    """Return columns on a grid: straight lines between, the ends held."""
    return np.column_stack([np.interp(grid, times, column) for column in values.T])
