"""rumoca's DAE dictionary (schema 43) as CasADi expressions.

The dictionary holds variables and one pool of expression nodes. A node names its operands by their
number in the pool, or says only how many it has: those are taken from a second list in the order of
the nodes. Every node and equation carries a span of the source, which is what the messages show.

What makes an event (relations outside ``noEvent`` and ``smooth``, ``when``, discrete variables,
clocks, delays) is refused before anything is evaluated.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import casadi as ca

from cranebridge.errors import StructureError
from cranebridge.plant import modelica_value as mv
from cranebridge.plant.modelica_value import Value
from cranebridge.plant.rumoca_compile import Compiled, SourceFile

Span = Mapping[str, Any]

_UNARY: dict[str, Callable[[ca.SX], ca.SX]] = {
    "sin": ca.sin, "cos": ca.cos, "tan": ca.tan, "asin": ca.asin, "acos": ca.acos,
    "atan": ca.atan, "sinh": ca.sinh, "cosh": ca.cosh, "tanh": ca.tanh, "exp": ca.exp,
    "log": ca.log, "log10": ca.log10, "sqrt": ca.sqrt, "abs": ca.fabs, "sign": ca.sign,
}  # fmt: skip

_ELEMENTWISE: dict[str, Callable[[ca.SX, ca.SX], ca.SX]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "divide": lambda a, b: a / b,
    "elementwise_add": lambda a, b: a + b,
    "elementwise_subtract": lambda a, b: a - b,
    "elementwise_multiply": lambda a, b: a * b,
    "elementwise_divide": lambda a, b: a / b,
    "elementwise_power": lambda a, b: a**b,
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "and": ca.logic_and,
    "or": ca.logic_or,
}

# Lists of the dictionary that must be empty, and what their entries come from.
_REFUSED: dict[str, str] = {
    "discrete_real_equations": "a when clause changes a variable at events",
    "event_actions": "an assert, terminate or reinit acts at events",
    "model_event_transactions": "a when clause changes a variable at events",
    "clocks": "a clock or sample makes time events",
    "time_events": "a condition on time makes time events",
    "roots": "a relation makes a state event; wrap it in noEvent(...) or smooth(...) if the "
    "right-hand side may be evaluated across it",
    "structured_roots": "a relation makes a state event; wrap it in noEvent(...) or smooth(...)",
    "discrete_value_owners": "a Boolean, Integer or String variable changes at events",
    "previous_values": "previous values need clocks",
    "delays": "delay(...) needs the past",
    "terminals": "terminal() needs events",
    "initial_discrete_values": "discrete variables need events",
}


@dataclass(frozen=True)
class DaeVariable:
    """A variable of the flat model with its entries as CasADi symbols (or values, if known)."""

    index: int
    name: str
    role: str
    shape: tuple[int, ...]
    attributes: Mapping[str, Any]
    flat: Mapping[str, Any]
    declaration: Span

    def scalar_names(self) -> list[str]:
        """Names of the entries, ``a[1]`` or ``A[1,2]``, in row order."""
        if not self.shape:
            return [self.name]
        ranges = [range(1, n + 1) for n in self.shape]
        return [f"{self.name}[{','.join(map(str, i))}]" for i in itertools.product(*ranges)]


@dataclass(frozen=True)
class Equation:
    """A scalar residual and where it stands in the source."""

    residual: ca.SX
    where: str


@dataclass
class _Scope:
    """What a node may mean besides the model: loop counters and a function's variables."""

    binders: Mapping[tuple[int, int], int] = field(default_factory=dict)
    parameters: Sequence[Value] = ()
    definitions: Mapping[int, Value] = field(default_factory=dict)


class Dae:
    """A compiled model: variables, and functions that give its equations for given values.

    Parameters
    ----------
    compiled : Compiled
        What rumoca made of the model.
    """

    def __init__(self, compiled: Compiled) -> None:
        self._storage: dict[str, Any] = compiled.dae["storage"]
        self._sources = compiled.sources
        expressions = self._storage["expressions"]
        self._nodes: list[dict[str, Any]] = expressions["nodes"]
        self._provenance: list[dict[str, Any]] = expressions["provenance"]
        self._refuse_events()
        self._operands = self._slices(expressions["operands"], "operand_count")
        self._subscripts = self._slices(expressions["subscripts"], "subscript_count")
        self._values: dict[tuple[str, int], Value] = {}
        self._memo: dict[int, Value] = {}
        flat = {v["name"]: v for v in _flat_variables(compiled.flat)}
        self.variables = [
            self._variable(i, v, flat.get(v["name"], {}))
            for i, v in enumerate(self._storage["variables"])
        ]

    def with_role(self, *roles: str) -> list[DaeVariable]:
        """Variables of the given roles in the order of their declaration."""
        return [variable for variable in self.variables if variable.role in roles]

    def set_value(self, coordinate: str, variable: DaeVariable, value: Value) -> None:
        """Say what ``state``, ``derivative``, ``parameter``, ... of a variable is."""
        self._values[(coordinate, variable.index)] = value

    def value(self, coordinate: str, variable: DaeVariable) -> Value:
        """What was set for a variable."""
        return self._values[(coordinate, variable.index)]

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
        return self._evaluate(number, _Scope())

    def equations(self) -> list[Equation]:
        """Scalar equations of the continuous part, in the order of the source."""
        return self._read(self._storage["continuous_equation_operations"])

    def initial_equations(self) -> list[Equation]:
        """Scalar equations of the initial part."""
        return self._read(self._storage["initialization_equation_operations"])

    def where(self, span: Span) -> str:
        """Describe a place in the source as ``file:line: 'text'``."""
        source = self._sources.get(span["source"], SourceFile("?", ""))
        raw = source.text.encode()
        start = span["start"]
        line = raw.count(b"\n", 0, start) + 1
        lines = source.text.splitlines()
        shown = lines[line - 1].strip() if line <= len(lines) else ""
        return f"{source.path}:{line}: '{shown}'"

    # --- reading -------------------------------------------------------------------------------

    def _variable(self, index: int, raw: Mapping[str, Any], flat: Mapping[str, Any]) -> DaeVariable:
        kind = self._storage["value_types"][raw["value_type"]]
        role = raw["role"]
        span = raw["declaration"]["span"]
        if role.startswith("discrete") or role == "event_indicator":
            self.refuse(span, f"'{raw['name']}' is discrete: events are not supported")
        if role == "output":
            role = "algebraic"
        known = role in ("parameter", "constant")
        if not known and (kind["scalar"] == "string" or kind["record_name"]):
            self.refuse(span, f"'{raw['name']}' is not a Real")
        return DaeVariable(
            index, raw["name"], role, tuple(kind["dimensions"]), raw["attributes"], flat, span
        )

    def is_real(self, variable: DaeVariable) -> bool:
        """Whether a variable is a Real (Integers and Booleans may be built into the structure)."""
        raw = self._storage["variables"][variable.index]
        return bool(self._storage["value_types"][raw["value_type"]]["scalar"] == "real")

    def start_is_given(self, variable: DaeVariable) -> bool:
        """Whether the source states a start value; rumoca fills in one at the declaration."""
        start = variable.attributes["start"]
        return start is not None and self._provenance[start]["span"] != variable.declaration

    def _slices(self, pool: list[Any], count: str) -> list[list[Any]]:
        result, position = [], 0
        for node in self._nodes:
            (body,) = node.values()
            size = body.get(count, 0) if isinstance(body, dict) else 0
            result.append(pool[position : position + size])
            position += size
        return result

    def _refuse_events(self) -> None:
        for number, node in enumerate(self._nodes):
            if "runtime_quotient_owner" in node:
                self.refuse(self._provenance[number]["span"], "mod, rem or div makes events")
        for key, reason in _REFUSED.items():
            for entry in self._storage.get(key, []):
                self.refuse(_find_span(entry), reason)

    def _read(self, operations: Sequence[Mapping[str, Any]]) -> list[Equation]:
        result: list[tuple[tuple[int, int], Equation]] = []
        for operation in operations:
            (kind, body), *_ = operation.items()
            span = _find_span(operation)
            if kind == "residual":
                values = [self.expression(body["residual"])]
            elif kind == "structured":
                values = self._structured(body)
            else:
                self.refuse(span, f"'{kind}' equations are not supported")
            place = self.where(span)
            key = (span["source"], span["start"])
            for value in values:
                result += [(key, Equation(entry, place)) for entry in value.entries()]
        # rumoca lists array equations after scalar ones; the source's order reads better.
        order = {source: i for i, source in enumerate(self._sources)}
        result.sort(key=lambda item: (order.get(item[0][0], 0), item[0][1]))
        return [equation for _, equation in result]

    def _structured(self, body: Mapping[str, Any]) -> list[Value]:
        bodies = body["bodies"]
        if body["scalar_view"] == "RowMajorProjection":
            return [self.expression(number) for number in bodies]
        values = []
        for binders in self._bindings(body["domain"]):
            values += [self._evaluate(number, _Scope(binders=binders)) for number in bodies]
        return values

    def _bindings(self, domain: int) -> list[dict[tuple[int, int], int]]:
        """All values of the loop counters of a domain and of those around it."""
        entry = self._storage["domains"][domain]
        outer: list[dict[tuple[int, int], int]] = (
            [{}] if entry["parent"] is None else self._bindings(entry["parent"])
        )
        binders = entry["domain"]["binders"]
        ranges = [
            range(b["lower"], b["upper"] + (1 if b["step"] > 0 else -1), b["step"]) for b in binders
        ]
        return [
            {**around, **{(domain, k): i for k, i in enumerate(numbers)}}
            for around in outer
            for numbers in itertools.product(*ranges)
        ]

    # --- expressions ---------------------------------------------------------------------------

    def _evaluate(self, number: int, scope: _Scope) -> Value:
        plain = not scope.binders and not scope.parameters
        if plain and number in self._memo:
            return self._memo[number]
        ((kind, body),) = self._nodes[number].items()
        method = getattr(self, f"_node_{kind}", None)
        if method is None:
            self._refuse_node(number, f"'{kind}' expressions are not supported")
        try:
            value: Value = method(number, body, scope)
        except (ValueError, LookupError, RuntimeError, NotImplementedError) as error:
            self._refuse_node(number, f"cannot be evaluated ({error})")
        if plain:
            self._memo[number] = value
        return value

    def _node_literal(self, number: int, body: Mapping[str, Any], scope: _Scope) -> Value:
        (kind, value), *_ = body.items()
        if kind not in ("integer", "real", "boolean"):
            self._refuse_node(number, f"{kind} literals are not supported")
        return Value.scalar(float(value))

    def _node_coordinate(self, number: int, body: Any, scope: _Scope) -> Value:
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
            self._refuse_node(number, f"'{kind}' is not supported here")
        return value

    def _node_unary(self, number: int, body: Mapping[str, Any], scope: _Scope) -> Value:
        operand = self._evaluate(body["operand"], scope)
        operator = body["operator"]
        if operator in ("negate", "elementwise_negate"):
            return Value(operand.shape, -operand.data)
        if operator in ("plus", "elementwise_plus"):
            return operand
        if operator == "not":
            return Value(operand.shape, ca.logic_not(operand.data))
        self._refuse_node(number, f"operator '{operator}' is not supported")

    def _node_binary(self, number: int, body: Mapping[str, Any], scope: _Scope) -> Value:
        left, right = self._evaluate(body["lhs"], scope), self._evaluate(body["rhs"], scope)
        operator = body["operator"]
        if operator == "multiply":
            return mv.multiply(left, right)
        if operator == "power":
            return mv.power(left, right)
        if operator not in _ELEMENTWISE:
            self._refuse_node(number, f"operator '{operator}' is not supported")
        return mv.elementwise(_ELEMENTWISE[operator], left, right)

    def _node_array(self, number: int, body: Mapping[str, Any], scope: _Scope) -> Value:
        return Value.stack([self._evaluate(i, scope) for i in self._operands[number]])

    def _node_range(self, number: int, body: Mapping[str, Any], scope: _Scope) -> Value:
        first = self._evaluate(body["start_expression"], scope).number()
        last = self._evaluate(body["stop_expression"], scope).number()
        step_node = body["explicit_step_expression"]
        step = 1.0 if step_node is None else self._evaluate(step_node, scope).number()
        count = max(0, math.floor((last - first) / step + 1e-9) + 1)
        return Value((count,), ca.SX([first + i * step for i in range(count)]))

    def _node_index(self, number: int, body: Mapping[str, Any], scope: _Scope) -> Value:
        base = self._evaluate(body["base"], scope)
        picks: list[int | list[int]] = []
        for size, subscript in zip(base.shape, self._subscripts[number], strict=False):
            picks.append(self._pick(size, subscript["kind"], scope))
        return base.take(picks)

    def _pick(self, size: int, kind: Any, scope: _Scope) -> int | list[int]:
        if kind == "whole":
            return list(range(size))
        ((name, node),) = kind.items()
        value = self._evaluate(node, scope)
        if name == "index" and not value.shape:
            return int(value.number()) - 1
        return [int(float(entry)) - 1 for entry in value.entries()]

    def _node_conditional(self, number: int, body: Mapping[str, Any], scope: _Scope) -> Value:
        operands = [self._evaluate(i, scope) for i in self._operands[number]]
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

    def _node_call(self, number: int, body: Mapping[str, Any], scope: _Scope) -> Value:
        function = self._storage["functions"][body["function"]]
        span = self._provenance[number]["span"]
        if function.get("external"):
            self.refuse(span, f"function '{function['name']}' is external")
        arguments = [self._evaluate(i, scope) for i in self._operands[number]]
        definitions: dict[int, Value] = {}
        inner = _Scope(parameters=arguments, definitions=definitions)
        for statement in function["statements"]:
            ((kind, what),) = statement.items()
            if kind != "assignment":
                self.refuse(
                    _find_span(statement),
                    f"function '{function['name']}' has '{kind}' in its algorithm; "
                    "only assignments are supported",
                )
            definitions[what["target"]] = self._evaluate(what["rhs"], inner)
        return definitions[body["output"]]

    def _node_function_value(self, number: int, body: Mapping[str, Any], scope: _Scope) -> Value:
        return scope.definitions[body["value"]]

    def _node_builtin(self, number: int, body: Mapping[str, Any], scope: _Scope) -> Value:
        name = body["builtin"]
        operands = [self._evaluate(i, scope) for i in self._operands[number]]
        if name in _UNARY:
            return Value(operands[0].shape, _UNARY[name](operands[0].data))
        if name in ("max", "min"):
            function = ca.fmax if name == "max" else ca.fmin
            if len(operands) == 2:
                return mv.elementwise(function, *operands)
            return mv.reduce(function, operands[0])
        builtin = _BUILTINS.get(name)
        if builtin is None:
            self._refuse_node(number, f"'{name}' is not supported")
        return builtin(operands)

    # --- refusing ------------------------------------------------------------------------------

    def refuse(self, span: Span, reason: str) -> NoReturn:
        """Stop with the place in the source and the reason."""
        raise StructureError(f"{self.where(span)}: {reason}.")

    def _refuse_node(self, number: int, reason: str) -> NoReturn:
        self.refuse(self._provenance[number]["span"], reason)

    def set_time(self, time: ca.SX) -> None:
        """Say what ``time`` is."""
        self._values[("time", -1)] = Value.scalar(time)


def _subscript_nodes(subscript: Mapping[str, Any]) -> list[int]:
    kind = subscript["kind"]
    return [node for node in kind.values() if isinstance(node, int)] if kind != "whole" else []


def _sizes(operands: Sequence[Value]) -> tuple[int, ...]:
    return tuple(int(operand.number()) for operand in operands)


def _filled(value: Value, sizes: Sequence[Value]) -> Value:
    shape = _sizes(sizes)
    return Value.scalar(value.data).broadcast(shape)


def _diagonal(v: Sequence[Value]) -> Value:
    return mv.from_matrix(ca.diag(v[0].data))


def _linspace(v: Sequence[Value]) -> Value:
    count = int(v[2].number())
    steps = [v[0].data + (v[1].data - v[0].data) * (i / (count - 1)) for i in range(count)]
    return Value((count,), ca.vertcat(*steps))


def _size(v: Sequence[Value]) -> Value:
    if len(v) == 1:
        return Value((len(v[0].shape),), ca.SX(list(v[0].shape)))
    return Value.scalar(float(v[0].shape[int(v[1].number()) - 1]))


_BUILTINS: dict[str, Callable[[Sequence[Value]], Value]] = {
    "atan2": lambda v: mv.elementwise(ca.atan2, v[0], v[1]),
    "no_event": lambda v: v[0],
    "smooth": lambda v: v[1],
    "homotopy": lambda v: v[0],
    "sum": lambda v: Value.scalar(ca.sum1(v[0].data)),
    "product": lambda v: mv.reduce(lambda a, b: a * b, v[0]),
    "transpose": lambda v: mv.from_matrix(v[0].matrix().T),
    "cross": lambda v: mv.cross(v[0], v[1]),
    "skew": lambda v: mv.from_matrix(ca.skew(v[0].data)),
    "diagonal": _diagonal,
    "identity": lambda v: mv.from_matrix(ca.densify(ca.SX.eye(int(v[0].number())))),
    "outer_product": lambda v: mv.from_matrix(ca.mtimes(v[0].data, v[1].data.T)),
    "promoted_cat1": lambda v: mv.concatenate(1, v),
    "promoted_cat2": lambda v: mv.concatenate(2, v),
    "fill": lambda v: _filled(v[0], v[1:]),
    "zeros": lambda v: _filled(Value.scalar(0.0), v),
    "ones": lambda v: _filled(Value.scalar(1.0), v),
    "linspace": _linspace,
    "size": _size,
    "div": lambda v: Value.scalar(float(int(v[0].number() / v[1].number()))),
}


def _flat_variables(flat: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    raw = flat["variables"]
    if isinstance(raw, Mapping):
        return [{**v, "name": v.get("name", k)} for k, v in raw.items()]
    return [v for v in raw if isinstance(v, Mapping) and "name" in v]


def _find_span(entry: Any) -> Span:
    """First source span inside a nested entry."""
    if isinstance(entry, Mapping):
        if "span" in entry and isinstance(entry["span"], Mapping):
            return entry["span"]  # type: ignore[no-any-return]
        children: Sequence[Any] = list(entry.values())
    else:
        children = entry if isinstance(entry, list) else []
    for child in children:
        found = _find_span(child)
        if found["source"] != -1:
            return found
    return {"source": -1, "start": 0, "end": 0}
