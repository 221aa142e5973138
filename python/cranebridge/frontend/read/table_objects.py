"""What the constructor of a library's table is given.

A table of the library is an external object, and the compiler's equations have only its number. Its
constructor, with all arguments, stands in the flat model: expressions of parameters and choices,
which are read here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cranebridge.frontend.read.values import Value

_SUMS = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Div": lambda a, b: a / b,
}


class UnreadableError(Exception):
    """An argument of a kind that is not read; the message says which."""


@dataclass(frozen=True)
class FlatExpressions:
    """Expressions of a flat model that are known before any equation is.

    Attributes
    ----------
    flat : dict
        rumoca's flat model.
    known : callable
        Value of a parameter by name; ``None`` if it has none yet.
    """

    flat: Mapping[str, Any]
    known: Callable[[str], Value | None]

    def arguments(self, name: str) -> dict[str, Any]:
        """Return what the constructor of an external object is given, by its inputs' names."""
        binding = self._variable(name).get("binding") or {}
        call = binding.get("FunctionCall")
        if call is None or call["name"]["name"] not in self.flat["functions"]:
            return {}
        function = self.flat["functions"][call["name"]["name"]]
        inputs = [one["name"] for one in function["inputs"]]
        return dict(zip(inputs, call["args"], strict=False))

    def parameters(self, name: str) -> set[str]:
        """Return the variables that make an external object; none for other variables."""
        return set(_references(list(self.arguments(name).values())))

    def value(self, expression: Mapping[str, Any]) -> Value:
        """Return the number, or the array, that an expression is."""
        ((kind, body),) = expression.items()
        if kind == "Literal":
            ((_, content),) = body["value"].items()
            if not isinstance(content, str):
                return Value.scalar(float(content))
        if kind == "VarRef" and not body["subscripts"]:
            return self._named(body["name"]["name"])
        if kind == "Array":
            return Value.stack([self.value(element) for element in body["elements"]])
        if kind == "Unary" and body["op"] == "Minus":
            return Value.scalar(-self.value(body["rhs"]).data)
        if kind == "Binary" and body["op"] in _SUMS:
            left, right = self.value(body["lhs"]), self.value(body["rhs"])
            return Value.scalar(_SUMS[body["op"]](left.data, right.data))
        raise UnreadableError(f"an expression of the kind '{kind}'")

    def _named(self, name: str) -> Value:
        ordinal = self.flat["enum_literal_ordinals"].get(name)
        if ordinal is not None:
            return Value.scalar(float(ordinal))
        found = self.known(name)
        if found is None:
            raise UnreadableError(f"'{name}', which is no parameter with a value")
        return found

    def _variable(self, name: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.flat["variables"].get(name, {})
        return found


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, Mapping):
        if "VarRef" in node:
            yield node["VarRef"]["name"]["name"]
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)
