"""Expressions of rumoca's DAE dictionary, evaluated with CasADi.

The dictionary holds one pool of expression nodes. A node names its operands by their number in the
pool, or says only how many it has: those are taken from a second list in the order of the nodes.
Every node carries a span of the source, which is what the messages show.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import casadi as ca

from cranebridge.errors import StructureError
from cranebridge.frontend.compile import SourceFile
from cranebridge.frontend.read import tables
from cranebridge.frontend.read import values as mv
from cranebridge.frontend.read.operators import BUILTINS, ELEMENTWISE, UNARY
from cranebridge.frontend.read.switches import RELATIONS, Switches, compare
from cranebridge.frontend.read.tables import DataTable
from cranebridge.frontend.read.values import RecordValue, Value

Span = Mapping[str, Any]
_TABLES = "ModelicaStandardTables_"


@dataclass
class Scope:
    """What a node may mean besides the model: loop counters and a function's variables.

    In a literal scope (``noEvent``, ``smooth``, functions, the inside of ``when``) relations are
    evaluated as they stand and make no events. What time alone can change is held all the same,
    unless it is evaluated at events only (`at_event`).
    """

    binders: Mapping[tuple[int, int], int] = field(default_factory=dict)
    parameters: Sequence[Value] = ()
    definitions: dict[int, Value] | None = None
    literal: bool = False
    at_event: bool = False


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
        self._nodes: list[dict[str, Any]] = []
        self._provenance: list[dict[str, Any]] = []
        for node, origin in zip(expressions["nodes"], expressions["provenance"], strict=True):
            # mod, rem and div stand for seven numbers of the pool, of which one is listed.
            count = 7 if "runtime_quotient_owner" in node else 1
            self._nodes += [node, *({"literal": {"real": math.nan}} for _ in range(count - 1))]
            self._provenance += [origin] * count
        self._operands = self._slices(expressions["operands"], "operand_count")
        self._subscripts = self._slices(expressions["subscripts"], "subscript_count")
        self._values: dict[tuple[str, int], Value] = {}
        self._memo: dict[tuple[int, bool, bool], Value] = {}
        # Without switches nothing can change at events yet: parameters, start values.
        self.switches: Switches | None = None
        self._condition: Callable[[int], ca.SX] | None = None
        # Texts are compared and nothing else: a number stands for each.
        self._texts: list[str] = []
        # Assertions of functions: their conditions and the nodes of their messages.
        self.asserted: list[tuple[ca.SX, int]] = []
        # Under which conditions the value of what is evaluated now is used.
        self._guards: list[ca.SX] = []

    def parameters_in(self, number: int) -> set[int]:
        """Indices of the parameters and constants that an expression uses."""
        ((kind, body),) = self._nodes[number].items()
        if kind == "coordinate":
            ((name, what),) = body.items() if isinstance(body, dict) else (("time", -1),)
            return {what} if name in ("parameter", "constant") else set()
        children = list(self._operands[number])
        children += [node for s in self._subscripts[number] for node in _subscript_nodes(s)]
        names = ["lhs", "rhs", "operand", "base", "start_expression", "stop_expression", "body"]
        if kind == "array_update":
            names.append("value")
        if kind == "call" and body["owner"] != number:
            names.append("owner")
        if isinstance(body, dict):
            children += [body[name] for name in names if isinstance(body.get(name), int)]
        return set().union(*(self.parameters_in(child) for child in children))

    def expression(self, number: int) -> Value:
        """Value of a node."""
        return self.evaluate(number, Scope())

    def literally(self, number: int) -> Value:
        """Value of a node whose relations make no events."""
        return self.evaluate(number, Scope(literal=True, at_event=True))

    @property
    def uses_time(self) -> bool:
        """Whether ``time`` stands anywhere."""
        return {"coordinate": "time"} in self._nodes

    def forget_values(self) -> None:
        """Evaluate anew from now on: with other symbols, or with events."""
        self._memo.clear()

    def use_conditions(self, value: Callable[[int], ca.SX]) -> None:
        """Say what the model's numbered conditions are: the events' part has them."""
        self._condition = value

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
        plain = not scope.binders and scope.definitions is None
        key = (number, scope.literal, scope.at_event)
        if plain and key in self._memo:
            return self._memo[key]
        ((kind, body),) = self._nodes[number].items()
        method = getattr(self, f"_node_{kind}", None)
        if method is None:
            self.refuse_node(number, f"'{kind}' expressions are not supported")
        try:
            value: Value = method(number, body, scope)
        except (ValueError, LookupError, RuntimeError, NotImplementedError) as error:
            self.refuse_node(number, f"cannot be evaluated ({error})")
        if plain:
            self._memo[key] = value
        return value

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

    def _truth(self, operator: str, scope: Scope) -> Callable[[ca.SX, ca.SX, str], ca.SX]:
        """Truth value of a relation, with events or without."""
        switches = self.switches
        if switches is None or scope.at_event:
            return lambda a, b, _: compare(operator, a, b)
        relation = switches.literal_relation if scope.literal else switches.relation
        return lambda a, b, where: relation(operator, a, b, where)

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
        shape = tuple(len(_numbers_of(binder)) for binder in binders)
        if not values:
            return Value(shape, ca.SX(0, 1))
        return Value((*shape, *values[0].shape), ca.vertcat(*(value.data for value in values)))

    def bindings(self, domain: int) -> list[dict[tuple[int, int], int]]:
        """All values of the loop counters of a domain, without those around it."""
        binders = self._storage["domains"][domain]["domain"]["binders"]
        return [
            {(domain, k): i for k, i in enumerate(numbers)}
            for numbers in itertools.product(*(_numbers_of(binder) for binder in binders))
        ]

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

    def _under(self, conditions: Sequence[ca.SX], node: int, scope: Scope) -> Value:
        """Value of a node that counts under conditions only."""
        before = len(self._guards)
        self._guards += conditions
        try:
            return self.evaluate(node, scope)
        finally:
            del self._guards[before:]

    # --- functions -----------------------------------------------------------------------------

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
                self.refuse_node(number, f"a table without a parameter '{name}' is not supported")
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


def _numbers_of(binder: Mapping[str, Any]) -> range:
    """Values of a loop counter."""
    step = binder["step"]
    return range(binder["lower"], binder["upper"] + (1 if step > 0 else -1), step)


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
