"""Operators and built-in functions of Modelica on CasADi values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca

from cranebridge.frontend.read import values as mv
from cranebridge.frontend.read.values import Value

UNARY: dict[str, Callable[[ca.SX], ca.SX]] = {
    "sin": ca.sin, "cos": ca.cos, "tan": ca.tan, "asin": ca.asin, "acos": ca.acos,
    "atan": ca.atan, "sinh": ca.sinh, "cosh": ca.cosh, "tanh": ca.tanh, "exp": ca.exp,
    "log": ca.log, "log10": ca.log10, "sqrt": ca.sqrt, "abs": ca.fabs, "sign": ca.sign,
}  # fmt: skip

ELEMENTWISE: dict[str, Callable[[ca.SX, ca.SX], ca.SX]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "divide": lambda a, b: a / b,
    "elementwise_add": lambda a, b: a + b,
    "elementwise_subtract": lambda a, b: a - b,
    "elementwise_multiply": lambda a, b: a * b,
    "elementwise_divide": lambda a, b: a / b,
    "elementwise_power": lambda a, b: a**b,
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "and": ca.logic_and,
    "or": ca.logic_or,
}


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


BUILTINS: dict[str, Callable[[Sequence[Value]], Value]] = {
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
