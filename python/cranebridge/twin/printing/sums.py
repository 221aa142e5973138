"""CasADi expressions as sums of products, so that a reader recognises the equation.

What differentiation leaves behind (0.5*(2*x), terms that cancel, sin^2 + cos^2) is gathered. This
is for reading only: nothing is computed from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import casadi as ca

from cranebridge.emit import MATH_FUNCTIONS, applied, interpret

Product = tuple[tuple[str, float], ...]
"""Factors with their powers, in the order of their names."""
Sum = dict[Product, float]
"""Products with their coefficients."""

_MOST_TERMS = 2000
"""A product of sums that would have more terms is left as it stands, in parentheses."""
_LONGEST = 10_000
"""Most characters of a factor: what is used in many places is written out in each of them."""
_NAMES = {"fabs": "abs", "fmin": "min", "fmax": "max"}
_NAMES |= {name: name for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "pow")}
_NAMES |= {name: name for name in ("sinh", "cosh", "tanh", "exp", "log", "sqrt")}
"""Functions that a reader knows, by what C calls them."""
_FUNCTIONS = {code: _NAMES[name] for code, (name, _) in MATH_FUNCTIONS.items() if name in _NAMES}
_FUNCTIONS |= {ca.OP_SIGN: "sign", ca.OP_ERF: "erf"}


class TooLongError(Exception):
    """An expression that would fill pages, or all memory."""


def sum_of(expression: ca.SX, names: Mapping[str, str]) -> Sum:
    """Return a scalar expression as a sum of products.

    Parameters
    ----------
    expression : casadi.SX
        One entry.
    names : mapping of str to str
        What the symbols are called; others keep their names.

    Raises
    ------
    TooLongError
        If nobody could read it.
    """
    symbols = ca.symvar(expression)
    function = ca.Function("sum", symbols, [ca.densify(expression)])

    def read(argument: int, _: int) -> _Term:
        name = symbols[argument].name()
        return _Term(symbols[argument], _single(names.get(name, name)))

    def constant(value: float) -> _Term:
        return _Term(ca.SX(value), _gathered({(): value}))

    def compute(operation: int, operands: Sequence[_Term]) -> _Term:
        node = applied(operation, [operand.node for operand in operands])
        return _Term(node, _gathered(_expanded(operation, node, operands)))

    return interpret(function, read, constant, compute)[0, 0].sum


def text_of(product: Product, coefficient: float, rank: Callable[[str], int]) -> str:
    """Return a product with its coefficient's size (without its sign); `rank` orders factors."""
    ordered = sorted(product, key=lambda factor: (rank(factor[0]), factor[0]))
    above = [_power(name, power) for name, power in ordered if power > 0]
    below = [_power(name, -power) for name, power in ordered if power < 0]
    size = abs(coefficient)
    if size != 1.0 or not above:
        above.insert(0, f"{size:.10g}")
    return "*".join(above) + "".join(f"/{factor}" for factor in below)


def joined(terms: Sum, rank: Callable[[str], int] = lambda name: 0) -> str:
    """Return a sum as text."""
    text = ""
    for product, coefficient in terms.items():
        sign = ("-" if coefficient < 0 else "") if not text else " - " if coefficient < 0 else " + "
        text += sign + text_of(product, coefficient, rank)
    return text or "0"


class _Term(NamedTuple):
    """An expression, and the sum of products that it is."""

    node: ca.SX
    sum: Sum


def _expanded(operation: int, node: ca.SX, operands: Sequence[_Term]) -> Sum:
    parts = [operand.sum for operand in operands]
    if operation in _ARITHMETIC:
        return _ARITHMETIC[operation](*parts)
    if operation in (ca.OP_POW, ca.OP_CONSTPOW) and operands[1].node.is_constant():
        return _raised(parts[0], float(operands[1].node))
    if operation not in _FUNCTIONS:
        return _single(" ".join(str(node).split()))
    return _single(f"{_FUNCTIONS[operation]}({', '.join(joined(part) for part in parts)})")


def _single(name: str) -> Sum:
    if len(name) > _LONGEST:
        raise TooLongError
    return {((name, 1.0),): 1.0}


def _added(a: Sum, b: Sum, sign: float = 1.0) -> Sum:
    total = dict(a)
    for product, coefficient in b.items():
        total[product] = total.get(product, 0.0) + sign * coefficient
    return {product: value for product, value in total.items() if abs(value) > 1e-12}


def _multiplied(a: Sum, b: Sum) -> Sum:
    if len(a) * len(b) > _MOST_TERMS:
        a, b = (part if len(part) == 1 else _single(f"({joined(part)})") for part in (a, b))
    total: Sum = {}
    for first, x in a.items():
        for second, y in b.items():
            powers = dict(first)
            for name, power in second:
                powers[name] = powers.get(name, 0.0) + power
            product = tuple(sorted((name, power) for name, power in powers.items() if power))
            total[product] = total.get(product, 0.0) + x * y
    return total


def _raised(base: Sum, power: float) -> Sum:
    """Return a sum raised to a power: a product exactly, a sum to the second or third, too."""
    if not base:
        return {}
    if len(base) == 1:
        ((product, coefficient),) = base.items()
        if power.is_integer() or coefficient > 0:
            raised = tuple((name, own * power) for name, own in product)
            return {raised: coefficient**power}
    if power in (2.0, 3.0):
        square = _multiplied(base, base)
        return square if power == 2.0 else _multiplied(square, base)
    (((name, _),),) = _single(f"({joined(base)})")
    return {((name, power),): 1.0}


_ARITHMETIC: Mapping[int, Callable[..., Sum]] = {
    ca.OP_ADD: _added,
    ca.OP_SUB: lambda a, b: _added(a, b, -1.0),
    ca.OP_MUL: _multiplied,
    ca.OP_DIV: lambda a, b: _multiplied(a, _raised(b, -1.0)),
    ca.OP_INV: lambda a: _raised(a, -1.0),
    ca.OP_NEG: lambda a: _added({}, a, -1.0),
    ca.OP_TWICE: lambda a: _added(a, a),
    ca.OP_SQ: lambda a: _raised(a, 2.0),
}


def _gathered(terms: Sum) -> Sum:
    """Put sin^2 + cos^2 = 1 to use wherever two products differ in nothing else."""
    terms = {product: value for product, value in terms.items() if abs(value) > 1e-12}
    for product in list(terms):
        for name, power in product:
            if product not in terms or not name.startswith("sin(") or power < 2.0:
                continue
            rest = _multiplied({product: 1.0}, {((name, -2.0),): 1.0})
            partner = _multiplied(rest, {((f"cos({name[4:]}", 2.0),): 1.0})
            (other,) = partner
            if terms.get(other) == terms[product]:
                value = terms.pop(product)
                del terms[other]
                terms = _added(terms, {next(iter(rest)): value})
    return terms


def _power(name: str, power: float) -> str:
    if power == 1.0:
        return name
    return f"{name}^{power:g}" if float(power).is_integer() else f"{name}^({power:g})"
