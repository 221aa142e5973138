"""Arithmetic expressions in a scenario, such as ``"0.001*pos_mm - 2"``, as CasADi expressions.

Names, numbers, + - * / **, and a few functions; anything else is refused, nothing is executed.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca

from cranebridge.errors import InputError, unknown

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


def parse(where: str, text: str, symbols: Mapping[str, Any]) -> Any:
    """Turn an expression into CasADi.

    Parameters
    ----------
    where : str
        The key that it stands under, for messages.
    text : str
        The expression.
    symbols : mapping of str to casadi.SX
        What its names mean.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{where} = '{text}' is not an expression: {error}") from error
    return _convert(where, text, tree.body, symbols)


def _convert(where: str, text: str, node: ast.expr, symbols: Mapping[str, Any]) -> Any:
    def convert(child: ast.expr) -> Any:
        return _convert(where, text, child, symbols)

    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        if isinstance(node.value, bool):
            raise InputError(f"{where} = '{text}': only numbers, names and functions are taken")
        return float(node.value)
    if isinstance(node, ast.Name):
        if node.id == "pi":
            return math.pi
        if node.id not in symbols:
            raise unknown(f"name in {where} = '{text}':", node.id, symbols)
        return symbols[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _BINARY[type(node.op)](convert(node.left), convert(node.right))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](convert(node.operand))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id not in _FUNCTIONS:
            raise unknown(f"function in {where} = '{text}':", node.func.id, _FUNCTIONS)
        arguments = [convert(argument) for argument in node.args]
        if len(arguments) != (2 if node.func.id == "atan2" else 1):
            raise InputError(f"{where} = '{text}': wrong number of arguments of {node.func.id}")
        return _FUNCTIONS[node.func.id](*arguments)
    raise InputError(f"{where} = '{text}': only numbers, names, + - * / ** and functions are taken")
