"""The graph of a CasADi function: one walk over it, and what its operations are called.

An SX function is a list of elementary steps on numbered places: elements of arguments and constants
are put there, operations compute from some places what comes to another, results are taken from
them. A place is used again when nobody needs its value any more. Who writes code takes step by step
(`steps`); who computes with something else than numbers gives the operations another meaning
(`interpret`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

import casadi as ca

_Value = TypeVar("_Value")


class Read(NamedTuple):
    """An element of an argument comes to a place."""

    to: int
    argument: int
    element: int


class Constant(NamedTuple):
    """A number comes to a place."""

    to: int
    value: float


class Compute(NamedTuple):
    """What an operation, ``casadi.OP_...``, makes of one or two places comes to a place."""

    to: int
    operation: int
    of: tuple[int, ...]


class Write(NamedTuple):
    """A place's value is an element of a result: elements that are not structurally zero count."""

    result: int
    element: int
    of: int


Step = Read | Constant | Compute | Write
# CasADi's codes of the steps that compute nothing: an argument read, a number, a result written.
_READ = ca.OP_INPUT
_CONSTANT = ca.OP_CONST
_WRITE = ca.OP_OUTPUT


def steps(function: ca.Function) -> Iterator[Step]:
    """Yield the elementary steps of an SX function in their order."""
    for k in range(function.n_instructions()):
        operation, to = function.instruction_id(k), function.instruction_output(k)
        if operation == _CONSTANT:
            yield Constant(to[0], function.instruction_constant(k))
            continue
        of = function.instruction_input(k)
        if operation == _READ:
            yield Read(to[0], of[0], of[1])
        elif operation == _WRITE:
            yield Write(to[0], to[1], of[0])
        else:
            yield Compute(to[0], operation, tuple(of))


def interpret(
    function: ca.Function,
    read: Callable[[int, int], _Value],
    constant: Callable[[float], _Value],
    compute: Callable[[int, Sequence[_Value]], _Value],
) -> dict[tuple[int, int], _Value]:
    """Evaluate an SX function over values of any kind.

    Parameters
    ----------
    function : casadi.Function
        Of SX expressions.
    read : callable
        Value of an element of an argument, by the numbers of both.
    constant : callable
        Value that stands for a number.
    compute : callable
        What an operation, ``casadi.OP_...``, makes of its operands.

    Returns
    -------
    dict
        The results' elements that are not structurally zero, by the numbers of both.
    """
    places: dict[int, _Value] = {}
    results: dict[tuple[int, int], _Value] = {}
    for step in steps(function):
        if isinstance(step, Compute):
            places[step.to] = compute(step.operation, [places[place] for place in step.of])
        elif isinstance(step, Read):
            places[step.to] = read(step.argument, step.element)
        elif isinstance(step, Constant):
            places[step.to] = constant(step.value)
        else:
            results[step.result, step.element] = places[step.of]
    return results


def applied(operation: int, operands: Sequence[ca.SX]) -> ca.SX:
    """Return what an operation makes of expressions: the meaning that CasADi itself gives it."""
    apply = ca.SX.unary if len(operands) == 1 else ca.SX.binary
    return apply(operation, *operands)


FORMULAS: Mapping[int, str] = {
    ca.OP_ASSIGN: "{0}",
    ca.OP_ADD: "{0} + {1}",
    ca.OP_SUB: "{0} - {1}",
    ca.OP_MUL: "{0} * {1}",
    ca.OP_DIV: "{0} / {1}",
    ca.OP_NEG: "-{0}",
    ca.OP_SQ: "{0} * {0}",
    ca.OP_TWICE: "{0} + {0}",
}
"""Arithmetic on operands {0} and {1}, which all languages write the same."""

RELATIONS: Mapping[int, str] = {
    ca.OP_LT: "<",
    ca.OP_LE: "<=",
    ca.OP_EQ: "==",
    ca.OP_NE: "!=",
}
"""Signs of C for what is one or zero."""

MATH_FUNCTIONS: Mapping[int, tuple[str, int]] = {
    ca.OP_POW: ("pow", 2),
    ca.OP_CONSTPOW: ("pow", 2),
    ca.OP_SQRT: ("sqrt", 1),
    ca.OP_SIN: ("sin", 1),
    ca.OP_COS: ("cos", 1),
    ca.OP_TAN: ("tan", 1),
    ca.OP_ASIN: ("asin", 1),
    ca.OP_ACOS: ("acos", 1),
    ca.OP_ATAN: ("atan", 1),
    ca.OP_ATAN2: ("atan2", 2),
    ca.OP_SINH: ("sinh", 1),
    ca.OP_COSH: ("cosh", 1),
    ca.OP_TANH: ("tanh", 1),
    ca.OP_EXP: ("exp", 1),
    ca.OP_EXPM1: ("expm1", 1),
    ca.OP_LOG: ("log", 1),
    ca.OP_LOG1P: ("log1p", 1),
    ca.OP_FABS: ("fabs", 1),
    ca.OP_FLOOR: ("floor", 1),
    ca.OP_CEIL: ("ceil", 1),
    ca.OP_FMOD: ("fmod", 2),
    ca.OP_FMIN: ("fmin", 2),
    ca.OP_FMAX: ("fmax", 2),
    ca.OP_HYPOT: ("hypot", 2),
    ca.OP_COPYSIGN: ("copysign", 2),
}
"""Names in C's library, and how many operands each takes."""

OPERANDS = {1: "({0})", 2: "({0}, {1})"}
"""What stands behind the name of a function of so many operands."""
