"""C99 text of CasADi functions, in single or double precision.

CasADi's own C printer leaves double constants and double math functions in single-precision code
(slow on hardware that has a single-precision unit only) and unused parameters that ``-Wextra``
refuses. This printer walks over the same elementary instructions and writes them plainly.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import casadi as ca
import numpy as np

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
from cranebridge.errors import InputError

Precision = Literal["double", "single"]

SINGLE_LARGEST = float(np.finfo(np.float32).max)
SINGLE_SMALLEST = float(np.finfo(np.float32).smallest_normal)
"""Largest and smallest magnitude of single precision; what is smaller loses its digits."""

PART = 1000
"""Instructions of a C function at most. Compilers take far more than twice the time for twice the
length: 100 000 in one piece took gcc minutes with -O3."""

# {f} is the suffix of math functions, {zero} and {one} are numbers, {0} and {1} the operands.
_OPERATIONS = {
    **FORMULAS,
    **{code: f"{name}{{f}}{OPERANDS[count]}" for code, (name, count) in MATH_FUNCTIONS.items()},
    **{code: f"({{0}} {sign} {{1}} ? {{one}} : {{zero}})" for code, sign in RELATIONS.items()},
    ca.OP_INV: "{one} / {0}",
    ca.OP_SIGN: "({0} > {zero} ? {one} : ({0} < {zero} ? -{one} : {0}))",
    ca.OP_NOT: "({0} == {zero} ? {one} : {zero})",
    ca.OP_AND: "({0} != {zero} && {1} != {zero} ? {one} : {zero})",
    ca.OP_OR: "({0} != {zero} || {1} != {zero} ? {one} : {zero})",
    ca.OP_IF_ELSE_ZERO: "({0} != {zero} ? {1} : {zero})",
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


def emit_function(function: ca.Function, name: str, precision: Precision, real: str) -> str:
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

    Returns
    -------
    str
        ``static void name(const real *in, ..., real *out, ...)``, with the names that the function
        has for them, and all inputs, also those that are not used; a long one with its parts
        before it.
    """
    inputs = [function.name_in(i) for i in range(function.n_in())]
    outputs = [function.name_out(i) for i in range(function.n_out())]
    statements = _statements(function, inputs, outputs, precision)
    used = {pointer for statement in statements for pointer in statement.pointers}
    signature = {i: f"const {real} *{i}" for i in inputs} | {o: f"{real} *{o}" for o in outputs}
    unused = [f"    (void){pointer};" for pointer in signature if pointer not in used]
    parts = [statements[k : k + PART] for k in range(0, len(statements), PART)]
    split = len(parts) > 1
    texts, body = _parts(parts, name, real, signature) if split else ([], _local(statements, real))
    head = f"static void {name}(" + ", ".join(signature.values()) + ")"
    return "\n".join([*texts, head, "{", *body[0], *unused, *body[1], "}", ""])


@dataclass(frozen=True)
class _Statement:
    """A line of C: the work variables that it reads and sets, the arguments that it touches."""

    text: str
    reads: tuple[int, ...] = ()
    sets: int | None = None
    pointers: tuple[str, ...] = ()


def _statements(
    function: ca.Function, inputs: list[str], outputs: list[str], precision: Precision
) -> list[_Statement]:
    """Return the elementary instructions of a function, a statement each."""
    operations = _operations(precision)
    found = []
    for step in steps(function):
        if isinstance(step, Compute):
            if step.operation not in operations:
                raise InputError(
                    f"function '{function.name()}' uses an operation that has no C code here "
                    f"(CasADi operation {step.operation}); write the crane's equations without it"
                )
            right = operations[step.operation].format(step.of[0], step.of[-1])
            found.append(_Statement(f"a{step.to} = {right};", step.of, step.to))
        elif isinstance(step, Read):
            source = inputs[step.argument]
            line = f"a{step.to} = {source}[{step.element}];"
            found.append(_Statement(line, (), step.to, (source,)))
        elif isinstance(step, Constant):
            require_held(function, step.value, precision)
            line = f"a{step.to} = {literal(step.value, precision)};"
            found.append(_Statement(line, (), step.to))
        else:
            target = outputs[step.result]
            line = f"{target}[{step.element}] = a{step.of};"
            found.append(_Statement(line, (step.of,), None, (target,)))
    return found


@cache
def _operations(precision: Precision) -> dict[int, str]:
    """Return what operations are in C, of the numbers of work variables."""
    symbols = {"f": "" if precision == "double" else "f"}
    symbols |= {"zero": literal(0.0, precision), "one": literal(1.0, precision)}
    return {code: text.format("a{0}", "a{1}", **symbols) for code, text in _OPERATIONS.items()}


def _local(
    statements: list[_Statement], real: str, known: Sequence[int] = ()
) -> tuple[list[str], list[str]]:
    """Return declarations and lines; some work variables begin as they are in an array."""
    own = {statement.sets for statement in statements if statement.sets is not None} | set(known)
    work = _chunks([f"a{i}" for i in sorted(own)], 12)
    lines = [f"    a{i} = kept[{i}];" for i in known]
    lines += [f"    {statement.text}" for statement in statements]
    return [f"    {real} {line};" for line in work], lines


def _parts(
    parts: list[list[_Statement]], name: str, real: str, signature: dict[str, str]
) -> tuple[list[str], tuple[list[str], list[str]]]:
    """Return a function's parts as functions, and the declarations and calls that make it up.

    Work variables that outlive a part wait in an array.
    """
    needed = [_needed(part) for part in parts]
    texts, calls, size = [], [], 0
    for k, part in enumerate(parts):
        later: set[int] = set()
        for k_after in range(len(parts) - 1, k, -1):
            later = (later - _set_by(parts[k_after])) | needed[k_after]
        declared, lines = _local(part, real, sorted(needed[k]))
        lines += [f"    kept[{i}] = a{i};" for i in sorted(later & _set_by(part))]
        size = max(size, 1 + max(later | needed[k], default=0))
        pointers = {pointer for statement in part for pointer in statement.pointers}
        touched = [pointer for pointer in signature if pointer in pointers]
        takes = ", ".join([*(signature[pointer] for pointer in touched), f"{real} *kept"])
        texts += [f"static void {name}_{k}({takes})", "{", *declared, *lines, "}", ""]
        calls.append(f"    {name}_{k}({', '.join([*touched, 'kept'])});")
    return texts, ([f"    {real} kept[{size}];"], calls)


def _needed(part: list[_Statement]) -> set[int]:
    """Return the work variables that a part reads before it sets them."""
    needed: set[int] = set()
    known: set[int] = set()
    for statement in part:
        needed |= set(statement.reads) - known
        if statement.sets is not None:
            known.add(statement.sets)
    return needed


def _set_by(part: list[_Statement]) -> set[int]:
    return {statement.sets for statement in part if statement.sets is not None}


def require_held(function: ca.Function, value: float, precision: Precision) -> None:
    """Refuse a constant of a function that single precision makes zero."""
    if precision == "single" and 0.0 < abs(value) < SINGLE_SMALLEST:
        raise InputError(
            f"function '{function.name()}' contains {value:g}, which single precision makes zero; "
            "deliver in double precision"
        )


def _chunks(words: list[str], count: int) -> list[str]:
    return [", ".join(words[i : i + count]) for i in range(0, len(words), count)]
