"""Structured Text of CasADi functions: one statement for each operation, for any PLC.

Only functions that IEC 61131-3 has in all its editions are called. Work variables are ``W0``,
``W1``, ... and may be shared by functions that run one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from cranebridge.emit.c_code import Precision, require_held
from cranebridge.emit.structured_text import number
from cranebridge.errors import InputError

_EXPRESSIONS = {
    ca.OP_ASSIGN: "{a}",
    ca.OP_ADD: "{a} + {b}",
    ca.OP_SUB: "{a} - {b}",
    ca.OP_MUL: "{a} * {b}",
    ca.OP_DIV: "{a} / {b}",
    ca.OP_NEG: "-{a}",
    ca.OP_SQ: "{a} * {a}",
    ca.OP_TWICE: "{a} + {a}",
    ca.OP_INV: "1.0 / {a}",
    ca.OP_POW: "EXPT({a}, {b})",
    ca.OP_CONSTPOW: "EXPT({a}, {b})",
    ca.OP_SQRT: "SQRT({a})",
    ca.OP_SIN: "SIN({a})",
    ca.OP_COS: "COS({a})",
    ca.OP_TAN: "TAN({a})",
    ca.OP_ASIN: "ASIN({a})",
    ca.OP_ACOS: "ACOS({a})",
    ca.OP_ATAN: "ATAN({a})",
    ca.OP_EXP: "EXP({a})",
    ca.OP_LOG: "LN({a})",
    ca.OP_FABS: "ABS({a})",
    ca.OP_FMIN: "MIN({a}, {b})",
    ca.OP_FMAX: "MAX({a}, {b})",
    ca.OP_HYPOT: "SQRT({a} * {a} + {b} * {b})",
    # beyond 20 it is one to all digits, and EXP stays small
    ca.OP_TANH: "1.0 - 2.0 / (EXP(2.0 * MAX(MIN({a}, 20.0), -20.0)) + 1.0)",
}

# Values that depend on a condition: what is tested, the value if it holds, and otherwise.
_CHOICES = {
    ca.OP_LT: ("{a} < {b}", "1.0", "0.0"),
    ca.OP_LE: ("{a} <= {b}", "1.0", "0.0"),
    ca.OP_EQ: ("{a} = {b}", "1.0", "0.0"),
    ca.OP_NE: ("{a} <> {b}", "1.0", "0.0"),
    ca.OP_NOT: ("{a} = 0.0", "1.0", "0.0"),
    ca.OP_AND: ("({a} <> 0.0) AND ({b} <> 0.0)", "1.0", "0.0"),
    ca.OP_OR: ("({a} <> 0.0) OR ({b} <> 0.0)", "1.0", "0.0"),
    ca.OP_IF_ELSE_ZERO: ("{a} <> 0.0", "{b}", "0.0"),
}


@dataclass(frozen=True)
class Statements:
    """What a function became: its lines, and how many work variables they use."""

    lines: tuple[str, ...]
    work: int

    @property
    def operations(self) -> int:
        """Statements that calculate something."""
        return len(self.lines)


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
    for k in range(function.n_instructions()):
        operation = function.instruction_id(k)
        i, o = function.instruction_input(k), function.instruction_output(k)
        if operation == ca.OP_INPUT:
            plain[o[0]] = inputs[i[0]].format(i[1])
            continue
        if operation == ca.OP_CONST:
            plain[o[0]] = _constant(function, function.instruction_constant(k), precision)
            continue
        parts = [plain.get(one, f"W{one}") for one in i]
        if operation == ca.OP_OUTPUT:
            lines.append(f"{outputs[o[0]].format(o[1])} := {parts[0]};")
            continue
        lines.append(_statement(function, operation, f"W{o[0]}", parts))
        plain.pop(o[0], None)
        used = max(used, o[0])
    return Statements(tuple(lines), used + 1)


def _statement(function: ca.Function, operation: int, target: str, parts: list[str]) -> str:
    a, b = (parts[0], parts[-1]) if parts else ("", "")
    if operation in _EXPRESSIONS:
        return f"{target} := {_EXPRESSIONS[operation].format(a=a, b=b)};"
    if operation in _CHOICES:
        test, then, otherwise = (text.format(a=a, b=b) for text in _CHOICES[operation])
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
