"""rumoca's DAE dictionary (schema 43): variables and equations as CasADi expressions.

Every equation carries a span of the source, which is what the messages show; its expressions are
evaluated by :class:`~cranebridge.frontend.read.dae_expressions.Expressions`.

What happens at events is read by :mod:`~cranebridge.frontend.read.event_dictionary`; what needs
more than events (delays, clocked partitions) is refused before anything is evaluated.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import casadi as ca

from cranebridge.frontend.compile import CompiledModel
from cranebridge.frontend.read.dae_expressions import Expressions
from cranebridge.frontend.read.expression_pool import Scope, Span, find_span
from cranebridge.frontend.read.values import Value

# Lists of the dictionary that must be empty, and what their entries come from.
_REFUSED: dict[str, str] = {
    "model_event_transactions": "an algorithm changes several variables at an event; write when "
    "equations",
    "previous_values": "previous(...) needs clocks; use pre(...)",
    "delays": "delay(...) needs the past",
    "terminals": "terminal() needs the end of the simulation, which is not known",
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


class CompiledDae(Expressions):
    """A compiled model: variables, and functions that give its equations for given values.

    Parameters
    ----------
    compiled : CompiledModel
        What rumoca made of the model.
    """

    def __init__(self, compiled: CompiledModel) -> None:
        super().__init__(compiled.dae["storage"], compiled.sources)
        self.flat = compiled.flat
        self._refuse_others()
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

    def equations(self) -> list[Equation]:
        """Scalar equations of the continuous part, in the order of the source."""
        return self._read(self._storage["continuous_equation_operations"], Scope())

    def initial_equations(self) -> list[Equation]:
        """Scalar equations of the initial part."""
        operations = self._storage["initialization_equation_operations"]
        return self._read(operations, Scope(literal=True, at_event=True))

    # --- reading -------------------------------------------------------------------------------

    def _variable(self, index: int, raw: Mapping[str, Any], flat: Mapping[str, Any]) -> DaeVariable:
        kind = self._storage["value_types"][raw["value_type"]]
        role = raw["role"]
        span = raw["declaration"]["span"]
        if role == "output":
            role = "algebraic"
        known = role in ("parameter", "constant")
        if not known and (kind["scalar"] == "string" or kind["record_name"]):
            self.refuse(span, f"'{raw['name']}' is neither a number nor a truth value")
        return DaeVariable(
            index, raw["name"], role, tuple(kind["dimensions"]), raw["attributes"], flat, span
        )

    def type_of(self, variable: DaeVariable) -> Literal["real", "boolean", "integer"]:
        """Type of a variable; enumerations are the numbers of their values."""
        raw = self._storage["variables"][variable.index]
        scalar = self._storage["value_types"][raw["value_type"]]["scalar"]
        return scalar if scalar in ("real", "boolean") else "integer"

    def is_discrete(self, variable: DaeVariable) -> bool:
        """Whether a variable changes at events only."""
        return bool(self._storage["variables"][variable.index]["variability"] == "discrete")

    @property
    def storage(self) -> Mapping[str, Any]:
        """The dictionary's storage, for what happens at events."""
        return self._storage

    def span_of(self, number: int) -> Span:
        """Place of an expression in the source."""
        span: Span = self._provenance[number]["span"]
        return span

    def source_text(self, span: Span) -> str:
        """Text of the file that holds a place."""
        source = self._sources.get(span["source"])
        return source.text if source else ""

    def text_of(self, span: Span) -> str:
        """Text of a place in the source."""
        return self.source_text(span).encode()[span["start"] : span["end"]].decode()

    def node(self, number: int) -> tuple[str, Any]:
        """Kind and content of an expression node."""
        ((kind, body),) = self._nodes[number].items()
        return kind, body

    def start_is_given(self, variable: DaeVariable) -> bool:
        """Whether the source states a start value; rumoca fills in one at the declaration."""
        start = variable.attributes["start"]
        return start is not None and self._provenance[start]["span"] != variable.declaration

    def _refuse_others(self) -> None:
        for key, reason in _REFUSED.items():
            for entry in self._storage.get(key, []):
                self.refuse(find_span(entry), reason)

    def _read(self, operations: Sequence[Mapping[str, Any]], scope: Scope) -> list[Equation]:
        result: list[tuple[tuple[int, int], Equation]] = []
        for operation in operations:
            (kind, body), *_ = operation.items()
            span = find_span(operation)
            if kind == "residual":
                values = [self.evaluate(body["residual"], scope)]
            elif kind == "structured":
                values = self._structured(body, scope)
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

    def _structured(self, body: Mapping[str, Any], scope: Scope) -> list[Value]:
        bodies = body["bodies"]
        if body["scalar_view"] == "RowMajorProjection":
            return [self.evaluate(number, scope) for number in bodies]
        values = []
        for binders in self._bindings(body["domain"]):
            inner = replace(scope, binders=binders)
            values += [self.evaluate(number, inner) for number in bodies]
        return values

    def _bindings(self, domain: int) -> list[dict[tuple[int, int], int]]:
        """All values of the loop counters of a domain and of those around it."""
        parent = self._storage["domains"][domain]["parent"]
        outer: list[dict[tuple[int, int], int]] = [{}] if parent is None else self._bindings(parent)
        return [{**around, **inner} for around in outer for inner in self.bindings(domain)]


def _flat_variables(flat: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    raw = flat["variables"]
    if isinstance(raw, Mapping):
        return [{**v, "name": v.get("name", k)} for k, v in raw.items()]
    return [v for v in raw if isinstance(v, Mapping) and "name" in v]
