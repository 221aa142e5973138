"""Expressions of rumoca's DAE dictionary, evaluated with CasADi: a method for each kind of node."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import casadi as ca

from cranebridge.frontend.read import values as mv
from cranebridge.frontend.read.expression_pool import Scope, numbers_of
from cranebridge.frontend.read.function_calls import FunctionCalls
from cranebridge.frontend.read.operators import BUILTINS, ELEMENTWISE, UNARY
from cranebridge.frontend.read.switches import RELATIONS
from cranebridge.frontend.read.values import RecordValue, Value


class Expressions(FunctionCalls):
    """All kinds of nodes."""

    def _node_literal(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        (kind, value), *_ = body.items()
        if kind == "string":
            if value not in self._texts:
                self._texts.append(value)
            return Value.scalar(float(self._texts.index(value)))
        if kind not in ("integer", "real", "boolean", "enumeration"):
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
        if kind == "condition" and self._condition is not None:
            return Value.scalar(self._condition(what))
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
        if operator in RELATIONS:
            return self._relation(number, operator, left, right, scope)
        if operator not in ELEMENTWISE:
            self.refuse_node(number, f"operator '{operator}' is not supported")
        return mv.elementwise(ELEMENTWISE[operator], left, right)

    def _relation(
        self, number: int, operator: str, left: Value, right: Value, scope: Scope
    ) -> Value:
        truth = self._truth(operator, scope)
        where = self.where(self._provenance[number]["span"])
        shape = left.shape or right.shape
        pairs = zip(left.broadcast(shape).entries(), right.broadcast(shape).entries(), strict=True)
        return Value(shape, ca.vertcat(*[truth(a, b, where) for a, b in pairs]))

    def _rounding(self, scope: Scope) -> Callable[[ca.SX, str], ca.SX]:
        """``floor``, with events or without."""
        if self.switches is None or scope.literal:
            return lambda value, _: ca.floor(value)
        return self.switches.floor

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
        return self._chosen(base, self._picks(number, base, scope))

    def _chosen(self, base: Value, picks: Sequence[int | list[int] | ca.SX]) -> Value:
        """Entries of an array; an index that is not known before selects among all of them."""
        for position, pick in enumerate(picks):
            if isinstance(pick, ca.SX):
                size = base.shape[position]
                each = [[*picks[:position], i, *picks[position + 1 :]] for i in range(size)]
                result = self._chosen(base, each[-1])
                for i in reversed(range(size - 1)):
                    result = mv.if_else(pick <= i + 1, self._chosen(base, each[i]), result)
                return result
        return base.take([pick for pick in picks if not isinstance(pick, ca.SX)])

    def _node_array_update(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        base, value = self.evaluate(body["base"], scope), self.evaluate(body["value"], scope)
        picks = self._picks(number, base, scope)
        if any(isinstance(pick, ca.SX) for pick in picks):
            self.refuse_node(number, "an entry is set whose index is not known beforehand")
        return mv.updated(base, [pick for pick in picks if not isinstance(pick, ca.SX)], value)

    def _picks(self, number: int, base: Value, scope: Scope) -> list[int | list[int] | ca.SX]:
        subscripts = self._subscripts[number]
        pairs = zip(base.shape, subscripts, strict=False)
        return [self._pick(size, subscript["kind"], scope) for size, subscript in pairs]

    def _pick(self, size: int, kind: Any, scope: Scope) -> int | list[int] | ca.SX:
        if kind == "whole":
            return list(range(size))
        ((name, node),) = kind.items()
        value = self.evaluate(node, scope)
        if name == "index" and not value.shape:
            return int(value.number()) - 1 if value.data.is_constant() else value.data
        return [int(float(entry)) - 1 for entry in value.entries()]

    def _node_comprehension(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        binders = self._storage["domains"][body["domain"]]["domain"]["binders"]
        values = [
            self.evaluate(body["body"], replace(scope, binders={**scope.binders, **inner}))
            for inner in self.bindings(body["domain"])
        ]
        shape = tuple(len(numbers_of(binder)) for binder in binders)
        if not values:
            return Value(shape, ca.SX(0, 1))
        return Value((*shape, *values[0].shape), ca.vertcat(*(value.data for value in values)))

    def _node_record(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        return RecordValue.of([self.evaluate(i, scope) for i in self._operands[number]])

    def _node_field(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        base = self.evaluate(body["base"], scope)
        if not isinstance(base, RecordValue):
            self.refuse_node(number, "a field of an array of records is not supported")
        field_value: Value = base.fields[body["field"]]
        return field_value

    def _node_conditional(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        *pairs, last = self._operands[number]
        none: list[ca.SX] = []  # what the branches so far exclude
        branches: list[tuple[ca.SX, Value]] = []
        for test, node in zip(pairs[::2], pairs[1::2], strict=True):
            condition = self.evaluate(test, scope).data
            branches.append((condition, self._under([*none, condition], node, scope)))
            none.append(ca.logic_not(condition))
        result = self._under(none, last, scope)
        for condition, branch in reversed(branches):
            result = mv.if_else(condition, branch, result)
        return result

    def _node_builtin(self, number: int, body: Mapping[str, Any], scope: Scope) -> Value:
        name = body["builtin"]
        if name in ("no_event", "smooth"):
            scope = replace(scope, literal=True)
        operands = [self.evaluate(i, scope) for i in self._operands[number]]
        if name in ("floor", "ceil", "integer"):
            return self._rounded(number, name, operands[0], scope)
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

    def _rounded(self, number: int, name: str, operand: Value, scope: Scope) -> Value:
        """``floor``, ``integer`` (the same) and ``ceil(x) = -floor(-x)``."""
        sign = -1.0 if name == "ceil" else 1.0
        where = self.where(self._provenance[number]["span"])
        floor = self._rounding(scope)
        entries = [sign * floor(sign * entry, where) for entry in operand.entries()]
        return Value(operand.shape, ca.vertcat(*entries))

    def _node_runtime_quotient_owner(
        self, number: int, body: Mapping[str, Any], scope: Scope
    ) -> Value:
        """``mod(a, b) = a - floor(a/b) b``; ``div`` rounds to zero, ``rem(a, b) = a - div b``."""
        left, right = self.evaluate(body["lhs"], scope), self.evaluate(body["rhs"], scope)
        where = self.where(self._provenance[number]["span"])
        floor, is_positive = self._rounding(scope), self._truth("greater_equal", scope)

        def divide(a: ca.SX, b: ca.SX) -> ca.SX:
            quotient = a / b
            if body["builtin"] == "mod":
                return a - floor(quotient, where) * b
            up, down = -floor(-quotient, where), floor(quotient, where)
            whole = ca.if_else(is_positive(quotient, ca.SX(0), where), down, up)
            return whole if body["builtin"] == "div" else a - whole * b

        return mv.elementwise(divide, left, right)
