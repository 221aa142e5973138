"""Discrete gradients by slope arithmetic on the expression graph.

A discrete gradient of F is a vector D(q_0, q_1) with D . (q_1 - q_0) = F(q_1) - F(q_0), equal to
the gradient where both points meet (Gonzalez 1996; Uhlar 2009, 2.20-2.23). Here it is found as
reverse differentiation finds a gradient, but each operation contributes its slope between the two
points in place of its derivative at one:

    x y      (y_0 + y_1)/2 and (x_0 + x_1)/2        sin x   cos(mean) sin(d/2)/(d/2)
    sqrt x   1 / (sqrt x_0 + sqrt x_1)              1/x     -1 / (x_0 x_1)        ...

The directionality is exact for any expression. For one that is at most quadratic the result is the
gradient at the mid-point; for a function of invariants (V of a distance squared, a product of
directors times the sine of a joint angle) the invariants' mid-point gradients are weighted, which
makes it equivariant: a scheme that uses it conserves the momentum of the symmetry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from cranebridge.emit import applied, interpret
from cranebridge.errors import InputError


@dataclass(frozen=True, eq=False)
class _Node:
    """An operation: its children, and its values at both points."""

    operation: int
    children: tuple[int, ...]
    first: Any
    second: Any
    constant: float | None = None


def discrete_gradient(expression: ca.SX, q: ca.SX, first: ca.SX, second: ca.SX) -> ca.SX:
    """Return the discrete Jacobian of `expression` between two values of `q`.

    Raises
    ------
    InputError
        If the expression contains an operation without a known slope.
    """
    dense = ca.densify(expression)
    nodes, inputs, outputs = _graph(ca.Function("f", [q], [dense]), first, second)
    result = ca.SX(dense.numel(), q.numel())
    for row, output in outputs.items():
        for node, slope in _reverse(nodes, output).items():
            if node in inputs:
                result[row, inputs[node]] += slope
    return result


def _graph(
    function: ca.Function, first: ca.SX, second: ca.SX
) -> tuple[list[_Node], dict[int, int], dict[int, int]]:
    """Return all operations, which of them are components of q, and which are outputs."""
    nodes: list[_Node] = []
    inputs: dict[int, int] = {}

    def add(node: _Node) -> int:
        nodes.append(node)
        return len(nodes) - 1

    def read(_: int, element: int) -> int:
        inputs[len(nodes)] = element
        return add(_Node(ca.OP_INPUT, (), first[element], second[element]))

    def constant(value: float) -> int:
        return add(_Node(ca.OP_CONST, (), ca.SX(value), ca.SX(value), value))

    def compute(operation: int, children: Sequence[int]) -> int:
        _require_slope(operation)
        before, after = ([getattr(nodes[i], at) for i in children] for at in ("first", "second"))
        values = applied(operation, before), applied(operation, after)
        return add(_Node(operation, tuple(children), *values))

    results = interpret(function, read, constant, compute)
    return nodes, inputs, {element: node for (_, element), node in results.items()}


def _reverse(nodes: list[_Node], output: int) -> dict[int, ca.SX]:
    """Return the slope of one output with respect to every node that it depends on."""
    total: dict[int, ca.SX] = {output: ca.SX(1)}
    for k in range(output, -1, -1):
        if k not in total or not nodes[k].children:
            continue
        node = nodes[k]
        arguments = [nodes[i] for i in node.children]
        for child, slope in zip(node.children, _slopes(node, arguments), strict=True):
            total[child] = total.get(child, ca.SX(0)) + total[k] * slope
    return total


def _slopes(node: _Node, arguments: list[_Node]) -> tuple[Any, ...]:
    if node.operation in _POWERS:
        return _power(*arguments), 0
    pairs = [value for argument in arguments for value in (argument.first, argument.second)]
    return _SLOPES[node.operation](*pairs)


def _power(base: _Node, exponent: _Node) -> Any:
    """Return the slope of x^n for a whole number n > 0: the sum of x_1^k x_0^(n-1-k)."""
    n = exponent.constant
    if n is None or n != int(n) or n < 1:
        raise InputError(
            "discrete gradients know powers with positive whole exponents only; "
            "write other powers as products, quotients and roots"
        )
    count = int(n)
    return sum(base.second**k * base.first ** (count - 1 - k) for k in range(count))


def _sinc(x: Any) -> Any:
    """Return sin(x)/x, regular at zero."""
    small = x**2 < 1e-6
    safe = ca.if_else(small, 1.0, x)
    return ca.if_else(small, 1.0 - x**2 / 6.0 + x**4 / 120.0, ca.sin(safe) / safe)


def _sinhc(x: Any) -> Any:
    """Return sinh(x)/x, regular at zero."""
    small = x**2 < 1e-6
    safe = ca.if_else(small, 1.0, x)
    return ca.if_else(small, 1.0 + x**2 / 6.0 + x**4 / 120.0, ca.sinh(safe) / safe)


_POWERS = (ca.OP_POW, ca.OP_CONSTPOW)
# Of arguments in pairs: x at the first point, x at the second, y at the first, ...
_SLOPES: dict[int, Callable[..., tuple[Any, ...]]] = {
    ca.OP_ADD: lambda a, b, c, d: (1, 1),
    ca.OP_SUB: lambda a, b, c, d: (1, -1),
    ca.OP_MUL: lambda a, b, c, d: ((c + d) / 2, (a + b) / 2),
    ca.OP_DIV: lambda a, b, c, d: ((c + d) / (2 * c * d), -(a + b) / (2 * c * d)),
    ca.OP_NEG: lambda a, b: (-1,),
    ca.OP_TWICE: lambda a, b: (2,),
    ca.OP_SQ: lambda a, b: (a + b,),
    ca.OP_INV: lambda a, b: (-1 / (a * b),),
    ca.OP_SQRT: lambda a, b: (1 / (ca.sqrt(a) + ca.sqrt(b)),),
    ca.OP_SIN: lambda a, b: (ca.cos((a + b) / 2) * _sinc((b - a) / 2),),
    ca.OP_COS: lambda a, b: (-ca.sin((a + b) / 2) * _sinc((b - a) / 2),),
    ca.OP_EXP: lambda a, b: (ca.exp((a + b) / 2) * _sinhc((b - a) / 2),),
}


def _require_slope(operation: int) -> None:
    if operation not in _SLOPES and operation not in _POWERS:
        names = {value: name for name, value in vars(ca).items() if name.startswith("OP_")}
        raise InputError(
            f"discrete gradients know no slope of the operation {names.get(operation, operation)}"
        )
