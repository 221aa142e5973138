"""rumoca's DAE dictionary (schema 43): variables and equations as CasADi expressions.

Every equation carries a span of the source, which is what the messages show; its expressions are
evaluated by :class:`~cranebridge.plant.rumoca_expressions.Expressions`.

What makes an event (relations outside ``noEvent`` and ``smooth``, ``when``, discrete variables,
clocks, delays) is refused before anything is evaluated.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from cranebridge.plant.modelica_value import Value
from cranebridge.plant.rumoca_compile import Compiled
from cranebridge.plant.rumoca_expressions import Expressions, Scope, Span, find_span

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


class Dae(Expressions):
    """A compiled model: variables, and functions that give its equations for given values.

    Parameters
    ----------
    compiled : Compiled
        What rumoca made of the model.
    """

    def __init__(self, compiled: Compiled) -> None:
        super().__init__(compiled.dae["storage"], compiled.sources)
        self._refuse_events()
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
        return self._read(self._storage["continuous_equation_operations"])

    def initial_equations(self) -> list[Equation]:
        """Scalar equations of the initial part."""
        return self._read(self._storage["initialization_equation_operations"])

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

    def _refuse_events(self) -> None:
        for number, node in enumerate(self._nodes):
            if "runtime_quotient_owner" in node:
                self.refuse(self._provenance[number]["span"], "mod, rem or div makes events")
        for key, reason in _REFUSED.items():
            for entry in self._storage.get(key, []):
                self.refuse(find_span(entry), reason)

    def _read(self, operations: Sequence[Mapping[str, Any]]) -> list[Equation]:
        result: list[tuple[tuple[int, int], Equation]] = []
        for operation in operations:
            (kind, body), *_ = operation.items()
            span = find_span(operation)
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
            values += [self.evaluate(number, Scope(binders=binders)) for number in bodies]
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


def _flat_variables(flat: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    raw = flat["variables"]
    if isinstance(raw, Mapping):
        return [{**v, "name": v.get("name", k)} for k, v in raw.items()]
    return [v for v in raw if isinstance(v, Mapping) and "name" in v]
