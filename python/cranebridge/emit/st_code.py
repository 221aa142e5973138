"""Structured Text of CasADi functions: one statement for each operation, for any PLC.

Only functions that IEC 61131-3 has in all its editions are called. Work variables are ``W0``,
``W1``, ... and may be shared by functions that run one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from cranebridge.emit.c_code import Precision, require_held
from cranebridge.emit.graph import (
    FORMULAS,
    MATH_FUNCTIONS,
    OPERANDS,
    RELATIONS,
    Compute,
    Constant,
    Read,
    steps,
)
from cranebridge.emit.structured_text import number
from cranebridge.errors import InputError

# What IEC 61131-3 calls the functions that it has.
_FUNCTIONS = {name: name.upper() for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan")}
_FUNCTIONS |= {"exp": "EXP", "log": "LN", "pow": "EXPT"}
_FUNCTIONS |= {"fabs": "ABS", "fmin": "MIN", "fmax": "MAX"}
_EXPRESSIONS = {
    **FORMULAS,
    **{
        code: _FUNCTIONS[name] + OPERANDS[count]
        for code, (name, count) in MATH_FUNCTIONS.items()
        if name in _FUNCTIONS
    },
    ca.OP_INV: "1.0 / {0}",
    ca.OP_HYPOT: "SQRT({0} * {0} + {1} * {1})",
    # beyond 20 it is one to all digits, and EXP stays small
    ca.OP_TANH: "1.0 - 2.0 / (EXP(2.0 * MAX(MIN({0}, 20.0), -20.0)) + 1.0)",
}

# Values that depend on a condition: what is tested, the value if it holds, and otherwise.
_SIGNS = {"==": "=", "!=": "<>"}
_CHOICES = {
    **{
        code: (f"{{0}} {_SIGNS.get(sign, sign)} {{1}}", "1.0", "0.0")
        for code, sign in RELATIONS.items()
    },
    ca.OP_NOT: ("{0} = 0.0", "1.0", "0.0"),
    ca.OP_AND: ("({0} <> 0.0) AND ({1} <> 0.0)", "1.0", "0.0"),
    ca.OP_OR: ("({0} <> 0.0) OR ({1} <> 0.0)", "1.0", "0.0"),
    ca.OP_IF_ELSE_ZERO: ("{0} <> 0.0", "{1}", "0.0"),
}


@dataclass(frozen=True)
class Statements:
    """What a function became: its lines, and how many work variables they use."""

    lines: tuple[str, ...]
    work: int


def emit_statements(
    function: ca.Function, inputs: Sequence[str], outputs: Sequence[str], precision: Precision
) -> Statements:
    """Write an SX function as statements.

    Parameters
    ----------
    function : casadi.Function
        With dense inputs and outputs.
    inputs, outputs : sequence of str
        Where elements stand, such as ``Place[{}]`` with the number in place of the braces. Outputs
        are written while inputs are still read: they must stand elsewhere.
    precision : {"double", "single"}
        Of the constants.

    Raises
    ------
    InputError
        If Structured Text has no such operation, or the precision no such number.
    """
    lines: list[str] = []
    # what is read or constant has no statement of its own
    plain: dict[int, str] = {}
    used = -1
    for step in steps(function):
        if isinstance(step, Compute):
            parts = [plain.get(place, f"W{place}") for place in step.of]
            lines.append(_statement(function, step.operation, f"W{step.to}", parts))
            plain.pop(step.to, None)
            used = max(used, step.to)
        elif isinstance(step, Read):
            plain[step.to] = inputs[step.argument].format(step.element)
        elif isinstance(step, Constant):
            plain[step.to] = _constant(function, step.value, precision)
        else:
            value = plain.get(step.of, f"W{step.of}")
            lines.append(f"{outputs[step.result].format(step.element)} := {value};")
    return Statements(tuple(lines), used + 1)


def _statement(function: ca.Function, operation: int, target: str, parts: list[str]) -> str:
    a, b = parts[0], parts[-1]
    if operation in _EXPRESSIONS:
        return f"{target} := {_EXPRESSIONS[operation].format(a, b)};"
    if operation in _CHOICES:
        test, then, otherwise = (text.format(a, b) for text in _CHOICES[operation])
        return f"IF {test} THEN {target} := {then}; ELSE {target} := {otherwise}; END_IF;"
    if operation == ca.OP_SIGN:
        return (
            f"IF {a} > 0.0 THEN {target} := 1.0; ELSE IF {a} < 0.0 THEN {target} := -1.0; "
            f"ELSE {target} := 0.0; END_IF; END_IF;"
        )
    raise InputError(
        f"function '{function.name()}' uses an operation that has no Structured Text here "
        f"(CasADi operation {operation}); deliver C, or write the crane's equations without it"
    )


def _constant(function: ca.Function, value: float, precision: Precision) -> str:
    require_held(function, value, precision)
    text = number(value, precision)
    # two signs in a row are not liked by all dialects
    return f"({text})" if text.startswith("-") else text
