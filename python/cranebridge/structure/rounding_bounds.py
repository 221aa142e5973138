"""Evaluation of CasADi functions with a bound of their rounding errors.

Whether an expression vanishes identically is decided by its values at random points: zero is what
its rounding errors can make of zero. These are carried along from operation to operation (running
error analysis), so that no tolerance has to be guessed: masses of tons and friction of millionths
stand in the same expression. All points are evaluated together, in extended precision where the
machine has it.

References
----------
N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., Section 3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.emit import Constant, interpret, steps

Array = NDArray[Any]

EPSILON = float(np.finfo(np.longdouble).eps)
"""Relative rounding of an operation here, in extended precision where the machine has it."""
# Relative rounding of a constant, which CasADi holds in double precision.
_ROUNDING = float(np.finfo(float).eps)
# A bound of first order, for elementary functions that may be wrong by some units.
_SLACK = 64.0

# Value, and partial derivative by each argument.
_Unary = tuple[Callable[[Array], Array], Callable[[Array, Array], Array]]
_UNARY: dict[int, _Unary] = {
    ca.OP_ASSIGN: (lambda a: a, lambda a, v: np.ones_like(a)),
    ca.OP_NEG: (lambda a: -a, lambda a, v: np.ones_like(a)),
    ca.OP_TWICE: (lambda a: 2 * a, lambda a, v: np.full_like(a, 2)),
    ca.OP_SQ: (lambda a: a * a, lambda a, v: 2 * a),
    ca.OP_SQRT: (np.sqrt, lambda a, v: 0.5 / v),
    ca.OP_INV: (lambda a: 1 / a, lambda a, v: v * v),
    ca.OP_SIN: (np.sin, lambda a, v: np.cos(a)),
    ca.OP_COS: (np.cos, lambda a, v: np.sin(a)),
    ca.OP_TAN: (np.tan, lambda a, v: 1 + v * v),
    ca.OP_ASIN: (np.arcsin, lambda a, v: 1 / np.sqrt(1 - a * a)),
    ca.OP_ACOS: (np.arccos, lambda a, v: 1 / np.sqrt(1 - a * a)),
    ca.OP_ATAN: (np.arctan, lambda a, v: 1 / (1 + a * a)),
    ca.OP_SINH: (np.sinh, lambda a, v: np.cosh(a)),
    ca.OP_COSH: (np.cosh, lambda a, v: np.sinh(a)),
    ca.OP_TANH: (np.tanh, lambda a, v: 1 - v * v),
    ca.OP_ASINH: (np.arcsinh, lambda a, v: 1 / np.sqrt(1 + a * a)),
    ca.OP_ACOSH: (np.arccosh, lambda a, v: 1 / np.sqrt(a * a - 1)),
    ca.OP_ATANH: (np.arctanh, lambda a, v: 1 / (1 - a * a)),
    ca.OP_EXP: (np.exp, lambda a, v: v),
    ca.OP_EXPM1: (np.expm1, lambda a, v: v + 1),
    ca.OP_LOG: (np.log, lambda a, v: 1 / a),
    ca.OP_LOG1P: (np.log1p, lambda a, v: 1 / (1 + a)),
    ca.OP_FABS: (np.abs, lambda a, v: np.ones_like(a)),
    # Steps: their derivative is zero, and their jumps are not met at random points.
    ca.OP_SIGN: (np.sign, lambda a, v: np.zeros_like(a)),
    ca.OP_FLOOR: (np.floor, lambda a, v: np.zeros_like(a)),
    ca.OP_CEIL: (np.ceil, lambda a, v: np.zeros_like(a)),
    ca.OP_NOT: (lambda a: 1.0 * (a == 0), lambda a, v: np.zeros_like(a)),
}
_Binary = tuple[
    Callable[[Array, Array], Array],
    Callable[[Array, Array, Array], Array],
    Callable[[Array, Array, Array], Array],
]


def _one(a: Array, b: Array, v: Array) -> Array:
    return np.ones_like(v)


def _none(a: Array, b: Array, v: Array) -> Array:
    return np.zeros_like(v)


_BINARY: dict[int, _Binary] = {
    ca.OP_ADD: (lambda a, b: a + b, _one, _one),
    ca.OP_SUB: (lambda a, b: a - b, _one, _one),
    ca.OP_MUL: (lambda a, b: a * b, lambda a, b, v: b, lambda a, b, v: a),
    ca.OP_DIV: (lambda a, b: a / b, lambda a, b, v: 1 / b, lambda a, b, v: v / b),
    ca.OP_POW: (np.power, lambda a, b, v: b * v / a, lambda a, b, v: v * np.log(np.abs(a))),
    ca.OP_CONSTPOW: (np.power, lambda a, b, v: b * v / a, _none),
    ca.OP_ATAN2: (
        np.arctan2,
        lambda a, b, v: b / (a * a + b * b),
        lambda a, b, v: a / (a * a + b * b),
    ),
    ca.OP_HYPOT: (np.hypot, lambda a, b, v: a / v, lambda a, b, v: b / v),
    ca.OP_FMIN: (np.minimum, lambda a, b, v: 1.0 * (a <= b), lambda a, b, v: 1.0 * (b < a)),
    ca.OP_FMAX: (np.maximum, lambda a, b, v: 1.0 * (a >= b), lambda a, b, v: 1.0 * (b > a)),
    ca.OP_IF_ELSE_ZERO: (
        lambda a, b: np.where(a != 0, b, 0),
        _none,
        lambda a, b, v: 1.0 * (a != 0),
    ),
    ca.OP_COPYSIGN: (np.copysign, _one, _none),
    ca.OP_FMOD: (np.fmod, _one, _none),
    ca.OP_LT: (lambda a, b: 1.0 * (a < b), _none, _none),
    ca.OP_LE: (lambda a, b: 1.0 * (a <= b), _none, _none),
    ca.OP_EQ: (lambda a, b: 1.0 * (a == b), _none, _none),
    ca.OP_NE: (lambda a, b: 1.0 * (a != b), _none, _none),
    ca.OP_AND: (lambda a, b: 1.0 * ((a != 0) & (b != 0)), _none, _none),
    ca.OP_OR: (lambda a, b: 1.0 * ((a != 0) | (b != 0)), _none, _none),
}


def evaluate(function: ca.Function, arguments: Sequence[Array]) -> list[tuple[Array, Array]]:
    """Evaluate an SX function at many points; its values and the bounds of their errors.

    Parameters
    ----------
    function : casadi.Function
        Of SX expressions.
    arguments : sequence of numpy.ndarray
        For each argument a row for each point, its elements in CasADi's order.

    Returns
    -------
    list of (numpy.ndarray, numpy.ndarray)
        For each result two arrays (points, nonzeros).
    """
    inputs = [np.asarray(argument, dtype=np.longdouble) for argument in arguments]
    points = inputs[0].shape[0]
    none = np.zeros(points)

    def read(argument: int, element: int) -> tuple[Array, Array]:
        return inputs[argument][:, element], none

    def constant(number: float) -> tuple[Array, Array]:
        # A constant that is not whole stands for one that no double can hold.
        doubt = 0.0 if float(number).is_integer() else _ROUNDING * abs(number)
        return np.full(points, number, np.longdouble), np.full(points, doubt)

    with np.errstate(all="ignore"):
        found = interpret(function, read, constant, _operate)
    results = [
        (np.zeros((points, size), np.longdouble), np.zeros((points, size)))
        for size in (function.nnz_out(i) for i in range(function.n_out()))
    ]
    for (i, place), (value, error) in found.items():
        results[i][0][:, place], results[i][1][:, place] = value, error
    return results


def _operate(code: int, given: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    if code in _UNARY:
        ((a, error),) = given[:1]
        function, slope = _UNARY[code]
        value = function(a)
        bound = np.abs(slope(a, value)) * error
    elif code in _BINARY:
        (a, error_a), (b, error_b) = given
        operation, by_a, by_b = _BINARY[code]
        value = operation(a, b)
        # Most operations are sums and products, whose slopes are at hand.
        if code in (ca.OP_ADD, ca.OP_SUB):
            bound = error_a + error_b
        elif code == ca.OP_MUL:
            bound = np.abs(b) * error_a + np.abs(a) * error_b
        else:
            # An argument without error adds none, even where a slope is not a number.
            bound = np.where(error_a > 0, np.abs(by_a(a, b, value)) * error_a, 0.0)
            bound = bound + np.where(error_b > 0, np.abs(by_b(a, b, value)) * error_b, 0.0)
    else:
        raise NotImplementedError(f"operation {code} of CasADi")
    exact = code in (ca.OP_ASSIGN, ca.OP_NEG, ca.OP_TWICE, ca.OP_FABS)
    return value, bound if exact else bound + EPSILON * np.abs(value).astype(float)


def vanishing(function: ca.Function, arguments: Sequence[Array]) -> NDArray[np.bool_]:
    """Return which nonzeros of a function's only result are zero at all points.

    What is no number counts as not zero.
    """
    ((values, errors),) = evaluate(function, arguments)
    return np.asarray((np.abs(values) <= _SLACK * errors).all(axis=0))


def is_defined(expression: ca.SX) -> bool:
    """Return whether an expression has no infinite constant: CasADi divides by zero silently."""
    function = ca.Function("expression", ca.symvar(expression), [expression])
    return all(np.isfinite(step.value) for step in steps(function) if isinstance(step, Constant))
