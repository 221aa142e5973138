"""C99 text of CasADi functions, in single or double precision.

CasADi's own C printer leaves double constants and double math functions in single-precision code
(slow on hardware that has a single-precision unit only) and unused parameters that ``-Wextra``
refuses. This printer walks over the same elementary instructions and writes them plainly.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Literal

import casadi as ca
import numpy as np

from cranebridge.c_operations import MATH_FUNCTIONS
from cranebridge.errors import InputError

Precision = Literal["double", "single"]

SINGLE_LARGEST = float(np.finfo(np.float32).max)
SINGLE_SMALLEST = float(np.finfo(np.float32).smallest_normal)
"""Largest and smallest magnitude of single precision; what is smaller loses its digits."""

# {f} is the suffix of the math functions, {a} and {b} are the arguments.
_OPERATIONS = {
    operation: name + ("{f}({a})" if count == 1 else "{f}({a}, {b})")
    for operation, (name, count) in MATH_FUNCTIONS.items()
}
_OPERATIONS |= {
    ca.OP_ASSIGN: "{a}",
    ca.OP_ADD: "{a} + {b}",
    ca.OP_SUB: "{a} - {b}",
    ca.OP_MUL: "{a} * {b}",
    ca.OP_DIV: "{a} / {b}",
    ca.OP_NEG: "-{a}",
    ca.OP_SQ: "{a} * {a}",
    ca.OP_TWICE: "{a} + {a}",
    ca.OP_INV: "{one} / {a}",
    ca.OP_SIGN: "({a} > {zero} ? {one} : ({a} < {zero} ? -{one} : {a}))",
    ca.OP_LT: "({a} < {b} ? {one} : {zero})",
    ca.OP_LE: "({a} <= {b} ? {one} : {zero})",
    ca.OP_EQ: "({a} == {b} ? {one} : {zero})",
    ca.OP_NE: "({a} != {b} ? {one} : {zero})",
    ca.OP_NOT: "({a} == {zero} ? {one} : {zero})",
    ca.OP_AND: "({a} != {zero} && {b} != {zero} ? {one} : {zero})",
    ca.OP_OR: "({a} != {zero} || {b} != {zero} ? {one} : {zero})",
    ca.OP_IF_ELSE_ZERO: "({a} != {zero} ? {b} : {zero})",
}


def literal(value: float, precision: Precision) -> str:
    """Write a finite number as a C constant that reads back as the same floating-point number."""
    text = digits(value, precision)
    point = "" if re.search(r"[.e]", text) else ".0"
    return text + point + ("" if precision == "double" else "f")


def digits(value: float, precision: Precision) -> str:
    """Write a number with as many digits as it needs to read back as the same one.

    Raises
    ------
    InputError
        If the precision has no such number.
    """
    if not math.isfinite(value):
        raise InputError(f"only finite numbers can be written as code, got {value:g}")
    if precision == "double":
        return repr(float(value))
    if abs(value) > SINGLE_LARGEST:
        raise InputError(
            f"the number {value:g} is beyond single precision (most {SINGLE_LARGEST:.2g}); "
            "deliver in double precision"
        )
    # 9 significant digits tell all numbers of single precision apart.
    return f"{float(np.float32(value)):.9g}"


def identifier(text: str) -> str:
    """Make a C and Structured Text identifier of any text: ASCII letters, digits, underscores."""
    # IEC 61131-3 allows no two underscores in a row and none at the end.
    name = re.sub(r"_+", "_", re.sub(r"\W", "_", text, flags=re.ASCII)).strip("_")
    return name if re.match(r"[A-Za-z]", name) else f"x{name}"


def emit_function(
    function: ca.Function,
    name: str,
    precision: Precision,
    real: str,
    arguments: Sequence[str] | None = None,
) -> str:
    """Write an SX function as a static C function.

    Parameters
    ----------
    function : casadi.Function
        With dense inputs and outputs.
    name : str
        Of the C function.
    precision : {"double", "single"}
        Of constants and math functions.
    real : str
        Name of the floating-point type.
    arguments : sequence of str, optional
        C names of inputs, then outputs; by default the names that the function has.

    Returns
    -------
    str
        ``static void name(const real *in, ..., real *out, ...)``, with all inputs, also those that
        are not used.
    """
    inputs = [function.name_in(i) for i in range(function.n_in())]
    outputs = [function.name_out(i) for i in range(function.n_out())]
    if arguments is not None:
        inputs, outputs = list(arguments[: len(inputs)]), list(arguments[len(inputs) :])
    symbols = {"f": "" if precision == "double" else "f"}
    symbols |= {"zero": literal(0.0, precision), "one": literal(1.0, precision)}
    lines, used, targets = [], set(), set()
    for k in range(function.n_instructions()):
        operation = function.instruction_id(k)
        i, o = function.instruction_input(k), function.instruction_output(k)
        if operation == ca.OP_OUTPUT:
            lines.append(f"{outputs[o[0]]}[{o[1]}] = a{i[0]};")
            continue
        if operation == ca.OP_INPUT:
            used.add(i[0])
            right = f"{inputs[i[0]]}[{i[1]}]"
        elif operation == ca.OP_CONST:
            right = _constant(function, function.instruction_constant(k), precision)
        elif operation in _OPERATIONS:
            first, last = (f"a{i[0]}", f"a{i[-1]}") if i else ("", "")
            right = _OPERATIONS[operation].format(a=first, b=last, **symbols)
        else:
            raise InputError(
                f"function '{function.name()}' uses an operation that has no C code here "
                f"(CasADi operation {operation}); write the crane's equations without it"
            )
        targets.add(o[0])
        lines.append(f"a{o[0]} = {right};")
    parameters = [f"const {real} *{i}" for i in inputs] + [f"{real} *{o}" for o in outputs]
    work = [f"    {real} {line};" for line in _chunks([f"a{i}" for i in sorted(targets)], 12)]
    unused = [f"    (void){inputs[i]};" for i in range(len(inputs)) if i not in used]
    unused += [f"    (void){o};" for i, o in enumerate(outputs) if not function.nnz_out(i)]
    head = f"static void {name}(" + ", ".join(parameters) + ")"
    return "\n".join([head, "{", *work, *unused, *(f"    {line}" for line in lines), "}", ""])


def _constant(function: ca.Function, value: float, precision: Precision) -> str:
    require_held(function, value, precision)
    return literal(value, precision)


def require_held(function: ca.Function, value: float, precision: Precision) -> None:
    """Refuse a constant of a function that single precision makes zero."""
    if precision == "single" and 0.0 < abs(value) < SINGLE_SMALLEST:
        raise InputError(
            f"function '{function.name()}' contains {value:g}, which single precision makes zero; "
            "deliver in double precision"
        )


def _chunks(words: list[str], count: int) -> list[str]:
    return [", ".join(words[i : i + count]) for i in range(0, len(words), count)]
