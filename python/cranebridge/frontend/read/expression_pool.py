"""The pool of expression nodes of rumoca's DAE dictionary, and what its variables stand for.

A node names its operands by their number in the pool, or says only how many it has: those are taken
from a second list in the order of the nodes. Every node carries a span of the source, which is what
the messages show.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import casadi as ca

from cranebridge.errors import StructureError
from cranebridge.frontend.compile import SourceFile
from cranebridge.frontend.read.switches import Switches, compare
from cranebridge.frontend.read.values import Value

Span = Mapping[str, Any]


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


class ExpressionPool:
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

    def _under(self, conditions: Sequence[ca.SX], node: int, scope: Scope) -> Value:
        """Value of a node that counts under conditions only."""
        before = len(self._guards)
        self._guards += conditions
        try:
            return self.evaluate(node, scope)
        finally:
            del self._guards[before:]

    def _truth(self, operator: str, scope: Scope) -> Callable[[ca.SX, ca.SX, str], ca.SX]:
        """Truth value of a relation, with events or without."""
        switches = self.switches
        if switches is None or scope.at_event:
            return lambda a, b, _: compare(operator, a, b)
        relation = switches.literal_relation if scope.literal else switches.relation
        return lambda a, b, where: relation(operator, a, b, where)

    def bindings(self, domain: int) -> list[dict[tuple[int, int], int]]:
        """All values of the loop counters of a domain, without those around it."""
        binders = self._storage["domains"][domain]["domain"]["binders"]
        return [
            {(domain, k): i for k, i in enumerate(numbers)}
            for numbers in itertools.product(*(numbers_of(binder) for binder in binders))
        ]

    def refuse(self, span: Span, reason: str) -> NoReturn:
        """Stop with the place in the source and the reason."""
        raise StructureError(f"{self.where(span)}: {reason}.")

    def refuse_node(self, number: int, reason: str) -> NoReturn:
        """Stop with the place of a node."""
        self.refuse(self._provenance[number]["span"], reason)


def _subscript_nodes(subscript: Mapping[str, Any]) -> list[int]:
    kind = subscript["kind"]
    return [node for node in kind.values() if isinstance(node, int)] if kind != "whole" else []


def numbers_of(binder: Mapping[str, Any]) -> range:
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
