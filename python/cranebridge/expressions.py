"""Arithmetic expressions in a scenario, such as ``"0.001*pos_mm - 2"``, as CasADi expressions.

Names, numbers, + - * / **, and a few functions; anything else is refused, nothing is executed.
Names may be those of Modelica, such as ``trolley.s`` and ``r[1,2]``. What has no finite real value
(1/0, 10**400, sqrt(-1)) is refused as soon as it shows.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca

from cranebridge.errors import InputError, unknown

LONGEST = 2000
"""Most characters of an expression."""

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(ca, name)
    for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp", "log", "fabs")
}


def parse(
    where: str,
    text: str,
    symbols: Mapping[str, Any],
    functions: Mapping[str, Callable[[Any], Any]] | None = None,
) -> Any:
    """Turn an expression into CasADi, or into a number where all its names are numbers.

    Parameters
    ----------
    where : str
        The key that it stands under, for messages.
    text : str
        The expression.
    symbols : mapping of str to casadi.SX or float
        What its names mean.
    functions : mapping of str to callable, optional
        Further functions of one argument that it may use.

    Raises
    ------
    InputError
        If it is no expression of these names, or has no finite real value.
    """
    tree = require_expression(where, text)
    known = {**_FUNCTIONS, **(functions or {})}
    return _Reader(f"{where} = '{_short(text)}'", symbols, known).convert(tree)


def evaluate(where: str, text: str, values: Mapping[str, float]) -> float:
    """Return the value of an expression for given values of its names; finite, or an InputError."""
    return float(parse(where, text, {name: float(value) for name, value in values.items()}))


def require_expression(where: str, text: str) -> ast.expr:
    """Return the syntax tree of an expression, before it is known what its names mean."""
    if len(text) > LONGEST:
        raise InputError(
            f"{where} = '{_short(text)}' has {len(text)} characters; at most {LONGEST} are read"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's advice on texts such as 1if
            return ast.parse(text.strip(), mode="eval").body
    except (RecursionError, MemoryError):
        raise InputError(f"{where} = '{_short(text)}' is nested too deeply") from None
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise InputError(f"{where} = '{_short(text)}' is not an expression: {reason}") from error


class _Reader:
    """Converts a syntax tree; `place` is the key and the text, for messages."""

    def __init__(
        self, place: str, symbols: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]
    ) -> None:
        self.place, self.symbols, self.functions = place, symbols, functions

    def convert(self, tree: ast.expr) -> Any:
        try:
            return self._node(tree)
        except RecursionError:
            raise InputError(f"{self.place} is nested too deeply") from None

    def _node(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return self._finite(float, node.value)
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.Attribute | ast.Subscript) and self._has_modelica_names:
            return self._name(ast.unparse(node).replace(" ", ""))
        if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            left, right = self._node(node.left), self._node(node.right)
            return self._finite(_BINARY[type(node.op)], left, right)
        if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
            return _UNARY[type(node.op)](self._node(node.operand))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self._call(node.func.id, node.args)
        raise InputError(f"{self.place}: only numbers, names, + - * / ** and functions are taken")

    @property
    def _has_modelica_names(self) -> bool:
        return any(not name.isidentifier() for name in self.symbols)

    def _name(self, name: str) -> Any:
        if name == "pi":
            return math.pi
        if name in self.symbols:
            return self.symbols[name]
        raise unknown(f"name in {self.place}:", name, self.symbols)

    def _call(self, name: str, nodes: list[ast.expr]) -> Any:
        if name not in self.functions:
            raise unknown(f"function in {self.place}:", name, self.functions)
        arguments = [self._node(node) for node in nodes]
        if len(arguments) != (2 if name == "atan2" else 1):
            raise InputError(f"{self.place}: wrong number of arguments of {name}")
        return self._finite(self.functions[name], *arguments)

    def _finite(self, operation: Callable[..., Any], *arguments: Any) -> Any:
        """Carry out an operation; constants must stay finite and real."""
        try:
            result = operation(*arguments)
        except ArithmeticError:  # division by zero, overflow
            result = math.nan
        if not _regular(result) or _divides_by_zero(operation, arguments):
            raise InputError(f"{self.place} has no finite real value")
        return result


def _regular(value: Any) -> bool:
    """Whether a value is real and finite; a symbolic one that depends on a name counts as such."""
    if isinstance(value, ca.SX):
        return not value.is_constant() or bool(ca.DM(value).is_regular())
    return not isinstance(value, complex) and math.isfinite(value)


def _divides_by_zero(operation: Callable[..., Any], arguments: tuple[Any, ...]) -> bool:
    """Whether something symbolic is divided by zero, which CasADi takes."""
    return operation is operator.truediv and bool(ca.SX(arguments[1]).is_zero())


def _short(text: str) -> str:
    shown = text if text.isprintable() else repr(text)[1:-1]
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
