"""C text of CasADi functions over lanes: every number is a vector with one time point a lane.

A value is computed once: what CasADi's functions compute again is found by its operation and
operands (which changes no result), and a sine and a cosine of one angle are computed together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from cranebridge.emit import FORMULAS, MATH_FUNCTIONS, OPERANDS, RELATIONS, interpret
from cranebridge.errors import InputError

_COMMUTATIVE = (ca.OP_ADD, ca.OP_MUL)
_TRIGONOMETRIC = {ca.OP_SIN: "s", ca.OP_COS: "c"}
_OPERATIONS = {
    **FORMULAS,
    **{code: f"v_{name}{OPERANDS[count]}" for code, (name, count) in MATH_FUNCTIONS.items()},
    **{code: f"truth({{0}} {sign} {{1}})" for code, sign in RELATIONS.items()},
    ca.OP_INV: "1.0 / {0}",
    ca.OP_SIGN: "v_sign({0})",
    ca.OP_NOT: "truth({0} == 0.0)",
    ca.OP_AND: "truth(({0} != 0.0) & ({1} != 0.0))",
    ca.OP_OR: "truth(({0} != 0.0) | ({1} != 0.0))",
    ca.OP_IF_ELSE_ZERO: "choose({0} != 0.0, {1}, all(0.0))",
}
_WITHOUT_LIBM = ("sqrt", "fabs", "sin", "cos")
"""Functions that `lanes.h` and `trigonometry.h` have themselves."""


def libm_functions(text: str) -> str:
    """Define the functions in a text that go through libm, lane by lane."""
    makers = {1: "BY_LANE", 2: "BY_LANE_2"}
    wanted = {
        name: makers[count]
        for name, count in MATH_FUNCTIONS.values()
        if name not in _WITHOUT_LIBM and f"v_{name}(" in text
    }
    return "".join(f"{maker}({name})\n" for name, maker in wanted.items())


def vector_function(function: ca.Function, name: str, length: int | None = None) -> str:
    """Write an SX function as ``static void name(const V *in, ..., V *out, ...)``.

    With `length` it is cut into C functions of so many lines that are called one after the other,
    as a compiler takes more than twice the time for twice the lines. What a later one needs of an
    earlier one goes through memory; results are the same.

    Raises
    ------
    InputError
        If the function has an operation that has no C code here.
    """
    writer = _InstructionWriter(function)
    results = interpret(function, writer.read, writer.constant, writer.compute)
    inputs = [f"i{i}" for i in range(function.n_in())]
    outputs = [f"o{i}" for i in range(function.n_out())]
    arguments = [f"const V *{i}" for i in inputs] + [f"V *{o}" for o in outputs]
    lines = [*writer.lines, *_results(function, results)]
    unused = [f"(void){argument};" for argument in (*inputs, *outputs)]
    if length is None or len(lines) <= length:
        return _defined(name, arguments, [*unused, *(line.text for line in lines)])
    parts, kept = _parts(lines, length)
    texts = [
        _defined(f"{name}_{n}", [*arguments, "V *kept"], [*unused, "(void)kept;", *part])
        for n, part in enumerate(parts)
    ]
    given = ", ".join((*inputs, *outputs, "kept"))
    calls = [f"{name}_{n}({given});" for n in range(len(parts))]
    memory = f"static __thread V kept[{max(kept, 1)}];"
    return "\n".join([*texts, _defined(name, arguments, [memory, *calls])])


def _defined(name: str, arguments: Sequence[str], lines: Sequence[str]) -> str:
    head = f"static __attribute__((noinline)) void {name}({', '.join(arguments)})"
    return "\n".join([head, "{", *(f"    {line}" for line in lines), "}", ""])


def _parts(lines: Sequence[_Line], length: int) -> tuple[list[list[str]], int]:
    """Cut lines into parts; return them, and how many values go from one part to a later one."""
    cut = [lines[k : k + length] for k in range(0, len(lines), length)]
    made = {name: n for n, part in enumerate(cut) for line in part for name in line.makes}
    last = {name: n for n, part in enumerate(cut) for line in part for name in line.takes}
    places: dict[str, int] = {}
    free: list[int] = []
    parts, kept = [], 0
    for n, part in enumerate(cut):
        taken = dict.fromkeys(name for line in part for name in line.takes if made[name] < n)
        text = [f"const V {name} = kept[{places[name]}];" for name in taken]
        text += [line.text for line in part]
        free += [places.pop(name) for name in taken if last[name] == n]
        for name in (name for line in part for name in line.makes):
            if last.get(name, n) > n:
                places[name] = free.pop() if free else kept
                kept = max(kept, places[name] + 1)
                text.append(f"kept[{places[name]}] = {name};")
        parts.append(text)
    return parts, kept


@dataclass(frozen=True)
class _Line:
    """A line of C with the values that it makes and takes."""

    text: str
    makes: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()


class _InstructionWriter:
    """Writes steps one after the other, each value once; a value is the name that it has in C."""

    def __init__(self, function: ca.Function) -> None:
        self.lines: list[_Line] = []
        self._function = function
        self._known: dict[tuple[object, ...], str] = {}

    def read(self, argument: int, element: int) -> str:
        """Write an element of an argument."""
        return self._value((ca.OP_INPUT, argument, element), f"i{argument}[{element}]")

    def constant(self, value: float) -> str:
        """Write a number."""
        return self._value((ca.OP_CONST, repr(value)), f"all({_constant(value)})")

    def compute(self, operation: int, operands: Sequence[str]) -> str:
        """Write an operation."""
        if operation in _TRIGONOMETRIC:
            return self._angle(operands[0]) + _TRIGONOMETRIC[operation]
        if operation not in _OPERATIONS:
            raise InputError(
                f"function '{self._function.name()}' uses an operation that has no C code here "
                f"(CasADi operation {operation})"
            )
        text = _OPERATIONS[operation].format(operands[0], operands[-1])
        ordered = sorted(operands) if operation in _COMMUTATIVE else operands
        return self._value((operation, *ordered), text, operands)

    def _value(self, key: tuple[object, ...], text: str, takes: Sequence[str] = ()) -> str:
        if key not in self._known:
            name = self._known[key] = f"v{len(self._known)}"
            self.lines.append(_Line(f"const V {name} = {text};", (name,), tuple(takes)))
        return self._known[key]

    def _angle(self, operand: str) -> str:
        key = ("angle", operand)
        if key not in self._known:
            name = self._known[key] = f"t{len(self._known)}"
            text = f"V {name}s, {name}c; sine_cosine({operand}, &{name}s, &{name}c);"
            self.lines.append(_Line(text, (f"{name}s", f"{name}c"), (operand,)))
        return self._known[key]


def _results(function: ca.Function, values: dict[tuple[int, int], str]) -> list[_Line]:
    """Write the results; what is zero whatever the arguments are is no instruction of CasADi's."""
    lines = []
    for i in range(function.n_out()):
        places = {place: n for n, place in enumerate(function.sparsity_out(i).find())}
        for place in range(function.numel_out(i)):
            value = values.get((i, places[place])) if place in places else None
            text = f"o{i}[{place}] = {value or 'all(0.0)'};"
            lines.append(_Line(text, takes=(value,) if value else ()))
    return lines


def _constant(value: float) -> str:
    """Write a number so that it reads back as the same one."""
    words = {"inf": "INFINITY", "-inf": "-INFINITY", "nan": "NAN"}
    return words.get(repr(value), repr(float(value)))
