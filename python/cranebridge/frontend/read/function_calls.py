"""Functions in expressions: algorithms carried out, and what stands for external ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import casadi as ca

from cranebridge.frontend.read import tables
from cranebridge.frontend.read.expression_pool import ExpressionPool, Scope, find_span
from cranebridge.frontend.read.operators import BUILTINS, UNARY
from cranebridge.frontend.read.tables import DataTable
from cranebridge.frontend.read.values import Value

_TABLES = "ModelicaStandardTables_"


class FunctionCalls(ExpressionPool):
    """Calls of functions; the kinds of nodes that are no calls come with those who inherit."""

    def _node_call(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        function = self._storage["functions"][body["function"]]
        # Of the calls for several outputs of one function the first has the arguments.
        operands = self._operands[body["owner"]]
        arguments = [self.evaluate(i, scope) for i in operands]
        if function.get("external"):
            symbol = str(function["external"]["symbol"])
            if symbol.startswith(_TABLES):
                return self._table(number, operands, symbol.removeprefix(_TABLES), arguments)
            return self._external(number, function, arguments)
        definitions: dict[int, Value] = {}
        inner = Scope(
            parameters=arguments, definitions=definitions, literal=True, at_event=scope.at_event
        )
        for statement in function["statements"]:
            self._execute(function["name"], statement, inner)
        return definitions[body["output"]]

    def _external(
        self, number: int, function: Mapping[str, Any], arguments: Sequence[Value]
    ) -> Value:
        """Functions of ``Modelica.Math`` that are built into every Modelica tool."""
        name, symbol = function["name"], function["external"]["symbol"]
        is_builtin = function["external"]["language"] == "builtin"
        if is_builtin and symbol in UNARY:
            return Value(arguments[0].shape, UNARY[symbol](arguments[0].data))
        if is_builtin and symbol in BUILTINS:
            return BUILTINS[symbol](arguments)
        self.refuse_node(
            number,
            f"function '{name}' is external (the C function '{symbol}'), which is not part of an "
            "FMU made here",
        )

    def _table(
        self, number: int, operands: Sequence[int], what: str, arguments: Sequence[Value]
    ) -> Value:
        """Functions of the library's tables: their data are parameters beside ``tableID``."""
        kind, method = what.split("_", 1)
        part = self._beside(number, operands[0])
        if kind not in ("CombiTimeTable", "CombiTable1D"):
            self.refuse_node(number, f"{kind} of the library's tables is not supported")
        if float(part("tableOnFile").data):
            self.refuse_node(number, "a table in a file is not read; put its data into the model")
        smoothness, extrapolation = (
            part(name).number() for name in ("smoothness", "extrapolation")
        )
        if smoothness not in (tables.LINEAR, tables.CONSTANT):
            self.refuse_node(number, "splines through a table's points are not supported")
        table = DataTable.of(part("table"), smoothness, extrapolation)
        if method in ("minimumTime", "maximumTime", "minimumAbscissa", "maximumAbscissa"):
            return Value.scalar(table.data[0 if "minimum" in method else -1, 0])
        if method == "nextTimeEvent":
            return Value.scalar(1e60)  # each knot is an event already
        if method != "getValue":
            self.refuse_node(number, f"'{method}' of the library's tables is not supported")
        column = int(float(part("columns").entries()[int(arguments[1].number()) - 1])) - 1
        if kind == "CombiTable1D":
            return Value.scalar(table.value(column, arguments[2].data, lambda a, b: a >= b))
        scale = part("timeScale").data
        return self._over_time(
            number, table, column, arguments[2].data,
            part("startTime").data / scale, part("shiftTime").data / scale,
        )  # fmt: skip

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

    def _beside(self, number: int, node: int) -> Callable[[str], Value]:
        """Values of the parameters beside the one that a node is."""
        ((kind, body),) = self._nodes[node].items()
        names = {v["name"]: i for i, v in enumerate(self._storage["variables"])}
        own = body.get("parameter") if kind == "coordinate" and isinstance(body, dict) else None
        prefix = "" if own is None else self._storage["variables"][own]["name"].rpartition(".")[0]

        def value(name: str) -> Value:
            found = self._values.get(("parameter", names.get(f"{prefix}.{name}", -1)))
            if found is None:
                self.refuse_node(
                    number,
                    f"the data of this table are not parameters beside its tableID (no '{name}')",
                )
            return found

        return value

    def _execute(self, name: str, statement: Mapping[str, Any], scope: Scope) -> None:
        """Carry out a statement of a function's algorithm."""
        ((kind, what),) = statement.items()
        assert scope.definitions is not None
        if kind in ("assignment", "assignment_group"):
            group = what["assignments"] if kind == "assignment_group" else [what]
            values = {entry["target"]: self.evaluate(entry["rhs"], scope) for entry in group}
            scope.definitions.update(values)
        elif kind == "for":
            for inner in self.bindings(what["domain"]):
                around = replace(scope, binders={**scope.binders, **inner})
                for part in what["statements"]:
                    self._execute(name, part, around)
        elif kind == "assertion":
            self._assert(what, scope)
        else:
            self.refuse(
                find_span(statement),
                f"function '{name}' has '{kind}' in its algorithm; only assignments, if, for and "
                "assert are supported",
            )

    def _assert(self, what: Mapping[str, Any], scope: Scope) -> None:
        """Keep an assertion of a function; where it can be judged now, that is done."""
        if what["level"] != "error":
            return
        holds = self.evaluate(what["condition"], scope).data
        for guard in self._guards:
            holds = ca.logic_or(ca.logic_not(guard), holds)
        if not holds.is_constant():
            self.asserted.append((holds, what["message"]))
        elif float(holds) == 0.0:
            self.refuse(find_span(what), "this assertion fails")

    def _node_function_value(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        definitions = scope.definitions
        if definitions is None or body["value"] not in definitions:
            self.refuse_node(number, "this variable of a function has no value here")
        return definitions[body["value"]]
