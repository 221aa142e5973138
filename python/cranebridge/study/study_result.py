"""What a study consists of: tables, charts and remarks, without a word about files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Cell = str | int | float | None
Points = tuple[Sequence[float], Sequence[float]]


@dataclass(frozen=True)
class StudyTable:
    """A table; `None` is an empty cell."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def as_dicts(self) -> list[dict[str, Cell]]:
        """Return the rows by column, for JSON."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def column(self, name: str) -> list[Cell]:
        """Return one column."""
        position = self.columns.index(name)
        return [row[position] for row in self.rows]


@dataclass(frozen=True)
class Chart:
    """Lines over one axis: label to x and y. Axes are logarithmic as `log` says."""

    name: str
    title: str
    x_label: str
    y_label: str
    lines: Mapping[str, Points]
    log: str = "xy"


@dataclass(frozen=True)
class Study:
    """The result of a study of one scenario."""

    kind: str
    scenario: str
    title: str
    remarks: tuple[str, ...]
    tables: tuple[StudyTable, ...]
    charts: tuple[Chart, ...] = field(default=())

    def table(self, name: str) -> StudyTable:
        """Return a table by name."""
        return next(table for table in self.tables if table.name == name)

    def summary(self) -> dict[str, Any]:
        """Return the content of ``summary.json``."""
        return {
            "study": self.kind,
            "scenario": self.scenario,
            "remarks": list(self.remarks),
            "tables": {table.name: table.as_dicts() for table in self.tables},
        }
