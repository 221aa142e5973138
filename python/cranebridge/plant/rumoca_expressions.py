"""Expressions of rumoca's DAE dictionary, evaluated with CasADi.

The dictionary holds one pool of expression nodes. A node names its operands by their number in the
pool, or says only how many it has: those are taken from a second list in the order of the nodes.
Every node carries a span of the source, which is what the messages show.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import casadi as ca

from cranebridge.errors import StructureError
from cranebridge.plant import modelica_value as mv
from cranebridge.plant.modelica_value import Value
from cranebridge.plant.rumoca_compile import SourceFile
from cranebridge.plant.rumoca_operators import BUILTINS, ELEMENTWISE, UNARY

Span = Mapping[str, Any]


@dataclass
class Scope:
    """What a node may mean besides the model: loop counters and a function's variables."""

    binders: Mapping[tuple[int, int], int] = field(default_factory=dict)
    parameters: Sequence[Value] = ()
    definitions: Mapping[int, Value] = field(default_factory=dict)


class Expressions:
    """The pool of expression nodes, and what their variables stand for.

    Parameters
    ----------
    storage : mapping
        The dictionary's storage.
    sources : mapping
        The source files by their number.
    """

    def __init__(self, storage: dict[str, Any], sources: Mapping[int, SourceFile]) -> None:
        self._storage, self._sources = storage, sources
        expressions = storage["expressions"]
        self._nodes: list[dict[str, Any]] = expressions["nodes"]
        self._provenance: list[dict[str, Any]] = expressions["provenance"]
        self._operands = self._slices(expressions["operands"], "operand_count")
        self._subscripts = self._slices(expressions["subscripts"], "subscript_count")
        self._values: dict[tuple[str, int], Value] = {}
        self._memo: dict[int, Value] = {}

    def parameters_in(self, number: int) -> set[int]:
        """Indices of the parameters and constants that an expression uses."""
        ((kind, body),) = self._nodes[number].items()
        if kind == "coordinate":
            ((name, what),) = body.items() if isinstance(body, dict) else (("time", -1),)
            return {what} if name in ("parameter", "constant") else set()
        children = list(self._operands[number])
        children += [node for s in self._subscripts[number] for node in _subscript_nodes(s)]
        names = ("lhs", "rhs", "operand", "base", "start_expression", "stop_expression")
        if isinstance(body, dict):
            children += [body[name] for name in names if isinstance(body.get(name), int)]
        return set().union(*(self.parameters_in(child) for child in children))

    def expression(self, number: int) -> Value:
        """Value of a node."""
        return self.evaluate(number, Scope())

    def where(self, span: Span) -> str:
        """Describe a place in the source as ``file:line: 'text'``."""
        source = self._sources.get(span["source"], SourceFile("?", ""))
        raw = source.text.encode()
        start = span["start"]
        line = raw.count(b"\n", 0, start) + 1
        lines = source.text.splitlines()
        shown = lines[line - 1].strip() if line <= len(lines) else ""
        return f"{source.path}:{line}: '{shown}'"

    def set_time(self, time: ca.SX) -> None:
        """Say what ``time`` is."""
        self._values[("time", -1)] = Value.scalar(time)

    def _slices(self, pool: list[Any], count: str) -> list[list[Any]]:
        result, position = [], 0
        for node in self._nodes:
            (body,) = node.values()
            size = body.get(count, 0) if isinstance(body, dict) else 0
            result.append(pool[position : position + size])
            position += size
        return result

    # --- evaluation ----------------------------------------------------------------------------

    def evaluate(self, number: int, scope: Scope) -> Value:
        """Value of a node, with loop counters or a function's variables."""
        plain = not scope.binders and not scope.parameters
        if plain and number in self._memo:
            return self._memo[number]
        ((kind, body),) = self._nodes[number].items()
        method = getattr(self, f"_node_{kind}", None)
        if method is None:
            self.refuse_node(number, f"'{kind}' expressions are not supported")
        try:
            value: Value = method(number, body, scope)
        except (ValueError, LookupError, RuntimeError, NotImplementedError) as error:
            self.refuse_node(number, f"cannot be evaluated ({error})")
        if plain:
            self._memo[number] = value
        return value

    def _node_literal(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        (kind, value), *_ = body.items()
        if kind not in ("integer", "real", "boolean"):
            self.refuse_node(number, f"{kind} literals are not supported")
        return Value.scalar(float(value))

    def _node_coordinate(self, number: int, body: Any, scope: Scope) -> Value:
        if body == "time":
            return self._values[("time", -1)]
        kind: str
        what: Any
        ((kind, what),) = body.items()
        if kind == "binder":
            return Value.scalar(float(scope.binders[(what["domain"], what["ordinal"])]))
        if kind == "function_parameter":
            ordinal: int = what["ordinal"]
            return scope.parameters[ordinal]
        if kind == "constant":
            kind = "parameter"
        value = self._values.get((kind, what)) if isinstance(what, int) else None
        if value is None:
            self.refuse_node(number, f"'{kind}' is not supported here")
        return value

    def _node_unary(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        operand = self.evaluate(body["operand"], scope)
        operator = body["operator"]
        if operator in ("negate", "elementwise_negate"):
            return Value(operand.shape, -operand.data)
        if operator in ("plus", "elementwise_plus"):
            return operand
        if operator == "not":
            return Value(operand.shape, ca.logic_not(operand.data))
        self.refuse_node(number, f"operator '{operator}' is not supported")

    def _node_binary(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        left, right = self.evaluate(body["lhs"], scope), self.evaluate(body["rhs"], scope)
        operator = body["operator"]
        if operator == "multiply":
            return mv.multiply(left, right)
        if operator == "power":
            return mv.power(left, right)
        if operator not in ELEMENTWISE:
            self.refuse_node(number, f"operator '{operator}' is not supported")
        return mv.elementwise(ELEMENTWISE[operator], left, right)

    def _node_array(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        return Value.stack([self.evaluate(i, scope) for i in self._operands[number]])

    def _node_range(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        first = self.evaluate(body["start_expression"], scope).number()
        last = self.evaluate(body["stop_expression"], scope).number()
        step_node = body["explicit_step_expression"]
        step = 1.0 if step_node is None else self.evaluate(step_node, scope).number()
        count = max(0, math.floor((last - first) / step + 1e-9) + 1)
        return Value((count,), ca.SX([first + i * step for i in range(count)]))

    def _node_index(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        base = self.evaluate(body["base"], scope)
        picks: list[int | list[int]] = []
        for size, subscript in zip(base.shape, self._subscripts[number], strict=False):
            picks.append(self._pick(size, subscript["kind"], scope))
        return base.take(picks)

    def _pick(self, size: int, kind: Any, scope: Scope) -> int | list[int]:
        if kind == "whole":
            return list(range(size))
        ((name, node),) = kind.items()
        value = self.evaluate(node, scope)
        if name == "index" and not value.shape:
            return int(value.number()) - 1
        return [int(float(entry)) - 1 for entry in value.entries()]

    def _node_conditional(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        operands = [self.evaluate(i, scope) for i in self._operands[number]]
        result = operands[-1]
        for condition, branch in reversed(
            list(zip(operands[:-1:2], operands[1:-1:2], strict=True))
        ):
            shape = branch.shape or result.shape
            data = [
                ca.if_else(condition.data, yes, no)
                for yes, no in zip(
                    branch.broadcast(shape).entries(),
                    result.broadcast(shape).entries(),
                    strict=True,
                )
            ]
            result = Value(shape, ca.vertcat(*data))
        return result

    def _node_call(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        function = self._storage["functions"][body["function"]]
        span = self._provenance[number]["span"]
        if function.get("external"):
            self.refuse(span, f"function '{function['name']}' is external")
        arguments = [self.evaluate(i, scope) for i in self._operands[number]]
        definitions: dict[int, Value] = {}
        inner = Scope(parameters=arguments, definitions=definitions)
        for statement in function["statements"]:
            ((kind, what),) = statement.items()
            if kind != "assignment":
                self.refuse(
                    find_span(statement),
                    f"function '{function['name']}' has '{kind}' in its algorithm; "
                    "only assignments are supported",
                )
            definitions[what["target"]] = self.evaluate(what["rhs"], inner)
        return definitions[body["output"]]

    def _node_function_value(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        return scope.definitions[body["value"]]

    def _node_builtin(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        name = body["builtin"]
        operands = [self.evaluate(i, scope) for i in self._operands[number]]
        if name in UNARY:
            return Value(operands[0].shape, UNARY[name](operands[0].data))
        if name in ("max", "min"):
            function = ca.fmax if name == "max" else ca.fmin
            if len(operands) == 2:
                return mv.elementwise(function, *operands)
            return mv.reduce(function, operands[0])
        builtin = BUILTINS.get(name)
        if builtin is None:
            self.refuse_node(number, f"'{name}' is not supported")
        return builtin(operands)

    # --- refusing ------------------------------------------------------------------------------

    def refuse(self, span: Span, reason: str) -> NoReturn:
        """Stop with the place in the source and the reason."""
        raise StructureError(f"{self.where(span)}: {reason}.")

    def refuse_node(self, number: int, reason: str) -> NoReturn:
        """Stop with the place of a node."""
        self.refuse(self._provenance[number]["span"], reason)


def _subscript_nodes(subscript: Mapping[str, Any]) -> list[int]:
    kind = subscript["kind"]
    return [node for node in kind.values() if isinstance(node, int)] if kind != "whole" else []


def find_span(entry: Any) -> Span:
    """First source span inside a nested entry."""
    if isinstance(entry, Mapping):
        if "span" in entry and isinstance(entry["span"], Mapping):
            return entry["span"]  # type: ignore[no-any-return]
        children: Sequence[Any] = list(entry.values())
    else:
        children = entry if isinstance(entry, list) else []
    for child in children:
        found = find_span(child)
        if found["source"] != -1:
            return found
    return {"source": -1, "start": 0, "end": 0}
