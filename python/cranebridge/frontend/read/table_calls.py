"""Calls of the library's tables: what they compute is written out from their data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import casadi as ca

from cranebridge.frontend.read import tables
from cranebridge.frontend.read.expression_pool import ExpressionPool, Scope
from cranebridge.frontend.read.table_objects import FlatExpressions, UnreadableError
from cranebridge.frontend.read.tables import DataTable
from cranebridge.frontend.read.values import Value

TABLES = "ModelicaStandardTables_"
"""How the names of their C functions begin."""


class TableCalls(ExpressionPool):
    """Calls of tables; those who inherit know the flat model."""

    flat: Mapping[str, Any]

    def _table(
        self, number: int, operands: Sequence[int], what: str, arguments: Sequence[Value]
    ) -> Value:
        kind, method = what.split("_", 1)
        if kind not in ("CombiTimeTable", "CombiTable1D"):
            self.refuse_node(number, f"{kind} of the library's tables is not supported")
        given = self._constructor(number, operands[0])
        smoothness, extrapolation = (
            given.value(name).number() for name in ("smoothness", "extrapolation")
        )
        if smoothness not in (tables.LINEAR, tables.CONSTANT):
            self.refuse_node(number, "splines through a table's points are not supported")
        table = DataTable(given.value("table").matrix(), int(smoothness), int(extrapolation))
        if method in ("minimumTime", "maximumTime", "minimumAbscissa", "maximumAbscissa"):
            return Value.scalar(table.data[0 if "minimum" in method else -1, 0])
        if method == "nextTimeEvent":
            return Value.scalar(1e60)  # each knot is an event already
        if method != "getValue":
            self.refuse_node(number, f"'{method}' of the library's tables is not supported")
        column = int(float(given.value("columns").entries()[int(arguments[1].number()) - 1])) - 1
        if not 0 < column < table.data.shape[1]:
            self.refuse_node(
                number, f"column {column + 1} of a table with {table.data.shape[1]} columns"
            )
        if kind == "CombiTable1D":
            return Value.scalar(table.value(column, arguments[2].data, lambda a, b: a >= b))
        start, shift = (given.value(name).data for name in ("startTime", "shiftTime"))
        return self._over_time(number, table, column, arguments[2].data, start, shift)

    def _over_time(
        self, number: int, table: DataTable, column: int, time: ca.SX, start: ca.SX, shift: ca.SX
    ) -> Value:
        where = self.where(self._provenance[number]["span"])
        truth = self._truth("greater_equal", Scope(literal=True))
        here = time - shift
        if table.extrapolation == tables.PERIODIC and self.switches is not None:
            rounds = self.switches.floor((here - table.data[0, 0]) / table.period, where)
            here = here - rounds * table.period
        value = table.value(column, here, lambda a, b: truth(a, b, where))
        return Value.scalar(ca.if_else(truth(time, start, where), value, 0))

    def _constructor(self, number: int, node: int) -> _Constructor:
        """What the object that a node is was made from."""
        ((kind, body),) = self._nodes[node].items()
        own = body.get("parameter") if kind == "coordinate" and isinstance(body, dict) else None
        if own is None:
            self.refuse_node(number, "this table is not a parameter with a constructor")
        return _Constructor(self, number, str(self._storage["variables"][own]["name"]))

    def parameters_in(self, number: int) -> set[int]:
        """Indices of the parameters that an expression uses, those that make its tables too."""
        found = super().parameters_in(number)
        return found.union(*(self._table_parts.get(index, ()) for index in found))

    @cached_property
    def _table_parts(self) -> dict[int, set[int]]:
        """What the constructors of external objects are given, by the objects' indices."""
        indices = self._indices
        constructors = FlatExpressions(self.flat, lambda _: None)
        made_of = {index: constructors.parameters(name) for name, index in indices.items()}
        return {
            index: {indices[part] for part in parts if part in indices}
            for index, parts in made_of.items()
            if parts
        }

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {v["name"]: i for i, v in enumerate(self._storage["variables"])}

    def known_parameter(self, name: str) -> Value | None:
        """Return the value of a parameter; ``None`` if it has none yet."""
        return self._values.get(("parameter", self._indices.get(name, -1)))


class _Constructor:
    """The arguments of a table's constructor, by name."""

    def __init__(self, pool: TableCalls, number: int, name: str) -> None:
        self._pool, self._number = pool, number
        self._flat = FlatExpressions(pool.flat, pool.known_parameter)
        self._arguments = self._flat.arguments(name)

    def value(self, name: str) -> Value:
        """Return an argument."""
        if name not in self._arguments:
            self._pool.refuse_node(
                self._number, f"the constructor of this table has no argument '{name}'"
            )
        try:
            return self._flat.value(self._arguments[name])
        except UnreadableError as error:
            self._pool.refuse_node(
                self._number, f"'{name}' of this table is made from {error}, which is not read"
            )
