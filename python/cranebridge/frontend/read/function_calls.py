"""Functions in expressions: algorithms carried out, and what stands for external ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import casadi as ca

from cranebridge.frontend.read.expression_pool import Scope, find_span
from cranebridge.frontend.read.operators import BUILTINS, UNARY
from cranebridge.frontend.read.table_calls import TABLES, TableCalls
from cranebridge.frontend.read.values import Value


class FunctionCalls(TableCalls):
    """Calls of functions; the kinds of nodes that are no calls come with those who inherit."""

    def _node_call(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        function = self._storage["functions"][body["function"]]
        # Of the calls for several outputs of one function the first has the arguments.
        operands = self._operands[body["owner"]]
        arguments = [self.evaluate(i, scope) for i in operands]
        if function.get("external"):
            symbol = str(function["external"]["symbol"])
            if symbol.startswith(TABLES):
                return self._table(number, operands, symbol.removeprefix(TABLES), arguments)
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
