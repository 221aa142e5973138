"""Structured Text that runs: parsed by blark (PyPI), checked for types, translated to C, compiled.

A strict reading of what all dialects share: types are never mixed, names are the same in upper and
lower case, AND does not stop early, and every subscript is checked. blark takes ten milliseconds
for a statement: the numbers of tables are read here, and of statements that are alike but for
their operands one is parsed and the others are made from it.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from c_programs import load_strict

TYPES = {"LREAL": "double", "REAL": "float", "DINT": "int", "UINT": "unsigned", "BOOL": "int"}
CTYPES = {
    **{"LREAL": ctypes.c_double, "REAL": ctypes.c_float, "DINT": ctypes.c_int},
    **{"UINT": ctypes.c_uint, "BOOL": ctypes.c_int},
}
REALS = ("LREAL", "REAL")
FUNCTIONS = {"LN": "log", "ABS": "fabs", "EXPT": "pow", "MIN": "fmin", "MAX": "fmax"} | {
    name.upper(): name for name in ("sin", "cos", "tan", "asin", "acos", "atan", "exp", "sqrt")
}
OPERATORS = {"=": "==", "<>": "!=", "AND": "&", "OR": "|"}
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")

_TABLE = re.compile(r"^ *(\w+) : ARRAY\[0\.\.(\d+)\] OF (L?REAL) := \[([^\]]*)\];", re.MULTILINE)
# a line that goes on in the next one
_BROKEN = re.compile(r"(:=[^;\n]*)(?<!DO)(?<!THEN)\n +(?=[^;\n]*;)")
# Of statements in one line: work variables and others with a number, and numbers.
_OPERAND = re.compile(
    r"(?<![\w.\]])([A-Z][A-Za-z]*\d+\w*(?:\[\w+(?: \+ 1)?\])?|[A-Z]\w*\[\d+\]"
    r"|\d+\.\d+(?:E-?\d+)?)(?![\w.\[])"
)
_ALIKE = re.compile(r"(?:[A-Za-z_]+ := |IF )[-+*/(),;:=<> A-Za-z_]+;")


_REAL = re.compile(r"(?<![\w.])\d+\.\d+(?:E-?\d+)?")


@cache
def parse(text: str) -> Any:
    """Return blark's tree of a function block."""
    blark = pytest.importorskip("blark.parse")
    result = blark.parse_source_code(text)
    if result.exception is not None:
        raise result.exception
    return result.transform().items[0]


class Machine:
    """A function block, ready to be called."""

    def __init__(self, text: str, folder: Path) -> None:
        self.types: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        self.real = "LREAL" if "LREAL" in text else "REAL"
        source = folder / "block.c"
        source.write_text(self._translated(text))
        self._library = load_strict(source, "-O0")
        self.start()

    def start(self) -> None:
        """Give all variables their initial values."""
        self._library.start()

    def call(self, **inputs: Any) -> None:
        """Set inputs and run the block once."""
        for name, value in inputs.items():
            self._variable(name).value = value
        self._library.call()
        assert not ctypes.c_int.in_dll(self._library, "fault").value, "a subscript is out of range"

    def __getitem__(self, name: str) -> Any:
        return self._variable(name).value

    def array(self, name: str) -> np.ndarray:
        """Return the elements of an array."""
        kind = CTYPES[self.types[name.lower()]] * self.sizes[name.lower()]
        return np.array(kind.in_dll(self._library, f"v_{name.lower()}"))

    def names(self, begin: str) -> list[str]:
        """Return variables whose names begin with a text, in the order of the block."""
        return [name for name in self.types if name.startswith(begin.lower())]

    def run(self, measured: np.ndarray, *more: str) -> np.ndarray:
        """Return what a controller gives out, and more variables, from the first sample on."""
        self.call(Enable=False, Reset=True)
        read, given = self.names("In_"), [*self.names("Out_"), *more]
        found = []
        for row in measured:
            inputs = dict(zip(read, map(float, row), strict=True))
            self.call(Enable=True, Reset=False, **inputs)
            found.append([self[name] for name in given])
        return np.array(found)

    def _variable(self, name: str) -> Any:
        kind = CTYPES[self.types[name.lower()]]
        return kind.in_dll(self._library, f"v_{name.lower()}")

    # ------------------------------------------------------------------ translation

    def _translated(self, text: str) -> str:
        tables: dict[str, str] = {}

        def short(match: re.Match[str]) -> str:
            name, last, kind, values = match.groups()
            assert len(values.split(",")) == int(last) + 1
            tables[name.lower()] = ", ".join(self._literal(v.strip()) for v in values.split(","))
            if len(tables) == 1:  # one is enough to see that it can be parsed
                return f"    {name} : ARRAY[0..{last}] OF {kind} := [{values.split(',')[0]}];"
            self.types[name.lower()], self.sizes[name.lower()] = kind, int(last) + 1
            return ""

        text, runs = self._without_runs(_BROKEN.sub(r"\1 ", _TABLE.sub(short, text)))
        tree = parse(self._numbered(text))
        declared = [
            self._array(name, self.types[name], self.sizes[name], tables[name])
            for name in tables
            if name in self.types
        ]
        declared += self._declared(tree, tables)
        straight = self._straight(runs)
        self._runs = ["".join(straight[line] for line in run) for run in runs]
        body = self._statements(tree.body.statements)
        head = "".join(f"{line}\n" for line, _ in declared)
        first = "".join(f"    {line}\n" for _, line in declared)
        return (
            "#include <math.h>\n#include <string.h>\n\nint fault;\nvoid start(void);\n"
            "void call(void);\nstatic int at(int i, int size)\n{\n"
            "    if (i >= 0 && i < size) return i;\n    fault = 1;\n    return 0;\n}\n\n"
            f"{head}\nvoid start(void)\n{{\n    fault = at(0, 1);\n{first}}}\n\n"
            f"void call(void)\n{{\n{body}}}\n"
        )

    def _numbered(self, text: str) -> str:
        """Put numbers in place of real ones, so that both precisions have the same tree."""
        self._reals = _REAL.findall(text)
        count = iter(range(len(self._reals)))
        return _REAL.sub(lambda _: f"{next(count)}.5", text).replace("LREAL", "REAL")

    def _without_runs(self, text: str) -> tuple[str, list[list[str]]]:
        """Put a mark in place of each run of statements that are alike but for operands."""
        runs: list[list[str]] = []
        lines: list[str] = []
        inside = False
        for line in text.splitlines():
            shape, count = _OPERAND.subn("Op", line.strip())
            alike = count > 0 and bool(_ALIKE.fullmatch(shape))
            if not alike:
                lines.append(line)
            elif inside:
                runs[-1].append(line.strip())
            else:
                lines.append(f"RunOfStatements := {len(runs)};")
                runs.append([line.strip()])
            inside = alike
        return "\n".join(lines) + "\n", runs

    def _straight(self, runs: list[list[str]]) -> dict[str, str]:
        """Return the C code of all statements in runs, each shape of them parsed once."""
        shapes: dict[str, dict[str, list[str]]] = {}
        for line in (line for run in runs for line in run):
            operands = _OPERAND.findall(line)
            count = iter(range(len(operands)))
            shape = _OPERAND.sub(lambda _, count=count: f"Op{next(count)}", line)
            shapes.setdefault(shape, {})[line] = operands
        most = max((len(o) for lines in shapes.values() for o in lines.values()), default=0)
        for i in range(most):
            self.types[f"op{i}"] = self.real
        head = "FUNCTION_BLOCK FB_x\nVAR\n    Op0 : LREAL;\nEND_VAR\n"
        tree = parse(head + "\n".join(shapes) + "\nEND_FUNCTION_BLOCK\n")
        code = {}
        for statement, lines in zip(tree.body.statements, shapes.values(), strict=True):
            pattern = self._statements([statement])
            for line, operands in lines.items():
                places = [self._operand(operand) for operand in operands]
                code[line] = re.sub(
                    r"v_op(\d+)", lambda m, places=places: places[int(m[1])], pattern
                )
        for i in range(most):
            del self.types[f"op{i}"]
        return code

    def _operand(self, text: str) -> str:
        """Return an operand of a statement in a run: it must be real."""
        if text[0].isdigit():
            return self._literal(text)
        name, _, subscript = text.lower().partition("[")
        assert self.types[name] == self.real, text
        if not subscript:
            assert name not in self.sizes
            return f"v_{name}"
        place = subscript[:-1]
        if place.isdigit():
            assert int(place) < self.sizes[name], text
            return f"v_{name}[{place}]"
        variable, _, more = place.partition(" ")
        assert self.types[variable] == "DINT", text
        return f"v_{name}[at(v_{variable}{more}, {self.sizes[name]})]"

    def _literal(self, text: str) -> str:
        return text if self.real == "LREAL" else f"{text}f"

    def _declared(self, tree: Any, tables: dict[str, str]) -> Iterator[tuple[str, str]]:
        """Return declarations, and the statements that give initial values."""
        for item in (item for block in tree.declarations for item in block.items):
            spec, value = item.init.spec, item.init.value
            for variable in item.variables:
                name = str(variable.variable.name).lower()
                assert name not in self.types, f"{name} stands twice"
                if type(spec).__name__ == "ArraySpecification":
                    (span,) = spec.subranges
                    size, kind = int(str(span.stop)) + 1, self._kind(spec.type.type_name)
                    self.types[name], self.sizes[name] = kind, size
                    first = tables.get(name)
                    if first is None and value is not None:
                        first = ", ".join(self._elements(value, kind))
                        assert first.count(",") == size - 1, name
                    yield self._array(name, kind, size, first)
                else:
                    kind = self._kind(spec.type)
                    self.types[name] = kind
                    first = "0" if value is None else self._typed(value, kind)
                    yield f"{TYPES[kind]} v_{name};", f"v_{name} = {first};"

    def _kind(self, word: Any) -> str:
        return self.real if str(word) == "REAL" else str(word)

    def _array(self, name: str, kind: str, size: int, first: str | None) -> tuple[str, str]:
        head = f"{TYPES[kind]} v_{name}[{size}];"
        if first is None:
            return head, f"memset(v_{name}, 0, sizeof v_{name});"
        given = f"static const {TYPES[kind]} first_{name}[{size}] = {{{first}}};"
        return f"{head}\n{given}", f"memcpy(v_{name}, first_{name}, sizeof v_{name});"

    def _elements(self, node: Any, kind: str) -> Iterator[str]:
        """Flatten an initial value: blark nests the elements of a list."""
        name = type(node).__name__
        if name == "ArrayInitialization":
            for element in node.elements:
                yield from self._elements(element, kind)
        elif name == "ArrayInitialElement":
            assert node.count is None
            yield from self._elements(node.element, kind)
        else:
            yield self._typed(node, kind)

    def _statements(self, statements: Any) -> str:
        return "".join(f"{self._statement(one)}\n" for one in statements)

    def _statement(self, node: Any) -> str:
        kind = type(node).__name__
        if kind == "AssignmentStatement":
            (variable,) = node.variables
            if str(getattr(variable, "name", "")) == "RunOfStatements":
                return self._runs[int(str(node.expression))]
            target, wanted = self._expression(variable)
            return f"{target} = {self._typed(node.expression, wanted)};"
        if kind == "IfStatement":
            assert not node.else_ifs
            text = f"if ({self._typed(node.if_expression, 'BOOL')}) {{\n"
            text += self._statements(node.statements.statements) + "}"
            if node.else_clause is not None:
                text += f" else {{\n{self._statements(node.else_clause.statements.statements)}}}"
            return text
        if kind == "WhileStatement":
            test = self._typed(node.expression, "BOOL")
            return f"while ({test}) {{\n{self._statements(node.statements.statements)}}}"
        assert kind == "ForStatement", kind
        control, wanted = self._expression(node.control)
        first, last = (self._typed(one, "DINT") for one in (node.from_, node.to))
        assert wanted == "DINT"
        down = node.step is not None
        assert not down or str(node.step).replace(" ", "") == "-1"
        order, step = (">=", "--") if down else ("<=", "++")
        inner = self._statements(node.statements.statements)
        head = f"for ({control} = {first}; {control} {order} {last}; {control}{step})"
        return f"{head} {{\n{inner}}}"

    def _typed(self, node: Any, wanted: str) -> str:
        """Return an expression that must be of a type; whole numbers may be any whole type."""
        text, kind = self._expression(node)
        assert kind == wanted or {kind, wanted} == {"DINT", "UINT"}, f"{node}: {kind}, not {wanted}"
        return text

    def _expression(self, node: Any) -> tuple[str, str]:
        kind = type(node).__name__
        if kind == "Real":
            return self._literal(self._reals[int(float(str(node)))]), self.real
        if kind == "Integer":
            return str(node), "DINT"
        if kind == "Boolean":
            return str(int(str(node).upper() == "TRUE")), "BOOL"
        if kind == "SimpleVariable":
            name = str(node.name).lower()
            assert name not in self.sizes, name
            return f"v_{name}", self.types[name]
        if kind == "MultiElementVariable":
            ((subscript,),) = (element.subscripts for element in node.elements)
            name, place = str(node.name.name).lower(), self._typed(subscript, "DINT")
            return f"v_{name}[at({place}, {self.sizes[name]})]", self.types[name]
        if kind == "ParenthesizedExpression":
            text, own = self._expression(node.expr)
            return f"({text})", own
        if kind == "FunctionCall":
            suffix = "" if self.real == "LREAL" else "f"
            given = ", ".join(self._typed(one.value, self.real) for one in node.parameters)
            return f"{FUNCTIONS[str(node.name.name)]}{suffix}({given})", self.real
        if kind == "UnaryOperation":
            text, own = self._expression(node.expr)
            is_not = str(node.op).upper() == "NOT"
            assert (own == "BOOL") == is_not
            return f"{'!' if is_not else '-'}({text})", own
        assert kind == "BinaryOperation", kind
        op = str(node.op).upper()
        (left, own), (right, other) = self._expression(node.left), self._expression(node.right)
        assert own == other, f"{node}: {own} and {other}"
        assert (own == "BOOL") == (op in ("AND", "OR")), f"{node}"
        assert op != "/" or own in REALS, f"{node}"
        return f"({left}) {OPERATORS.get(op, op)} ({right})", ("BOOL" if op in COMPARISONS else own)
