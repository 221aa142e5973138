"""Scilab's Modelica compilers as a second opinion: `modelicat` flattens, `modelicac` makes C.

They know Modelica 2 and a part of its functions only. What they do not know is put in other words
here, in the text of a model: types of units are Real, start values are left out (states are given
to the compiled model), cross products are products with a skew matrix. Flattening, evaluation of
parameters, elimination and sorting of equations are theirs.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
TOOLS = ("modelicat", "modelicac")

# What the generated code uses of Scilab's header.
HEADER = """
typedef struct { int *ipar; double *rpar, *z, *x, *xd; double **outptr, **inptr; void **work;
    double *g, *res; int *jroot, *mode, nevprt, *xprop; } scicos_block;
static int get_phase_simulation(void) { return 1; }
static int get_block_number(void) { return 0; }
static void set_block_error(int code) { (void)code; }
static void set_pointer_xproperty(int *p) { (void)p; }
"""
DRIVER = """
#include "crane.c"
void evaluate(int flag, double *x, double *xd, double **u, double **y, double *res, int *xprop)
{
    double none[1000] = {0.0}, *work[1] = {none};
    int whole[1000] = {0};
    scicos_block block = {whole, none, none, x, xd, y, u, (void **)work, none, res, whole, whole, 0,
                          xprop};
    crane(&block, flag);
}
"""


class RefusedError(Exception):
    """The compiler does not take the model."""


def available() -> bool:
    return all(shutil.which(tool) for tool in TOOLS) and shutil.which("gcc") is not None


# ---------------------------------------------------------------------------- the model's text


def _skew(vector: str) -> str:
    rows = "{{0, -v[3], v[2]}, {v[3], 0, -v[1]}, {-v[2], v[1], 0}}"
    return re.sub(r"\bv\b", vector, rows)


def _closing(text: str, begin: int) -> int:
    """Position after the parenthesis that closes the one at `begin`."""
    depth = 0
    for position in range(begin, len(text)):
        depth += (text[position] == "(") - (text[position] == ")")
        if depth == 0:
            return position + 1
    raise ValueError("a parenthesis is not closed")


def in_its_words(text: str) -> str:
    """The text of a crane with what these compilers know."""
    text = re.sub(r"\bannotation \(.*?\)\);\n(?=end)", "", text, flags=re.DOTALL)
    text = re.sub(r'"[^"\n]*"', "", re.sub(r"//.*", "", text))
    text = re.sub(r"^within.*\n|\bextends Icons\.\w+;", "", text)
    # conditional connectors: the wind is always given
    text = re.sub(r"\n *(extends Interfaces\.\w+|connect\([^;]*\));", "", text)
    text = re.sub(
        r"Interfaces\.ForceInput (\w+\(start=0\)) if useWind", r"input Types.Force \1", text
    )
    text = re.sub(r"\bwind_([xyz])\b", r"F_wind_\1", text)
    text = re.sub(r"\bTypes\.\w+", "Real", text)
    text = re.sub(r"\bparameter Real \w+_start\b[^;]*;", "", text)
    # attributes of variables
    while found := re.search(r"\bReal\s+\w+(\[[\d,]+\])?(?=\()", text):
        text = text[: found.end()] + text[_closing(text, found.end()) :]
    # functions, which it does not take in parameters or not at all
    text = re.sub(
        r"\bparameter\b[^;]*;", lambda m: re.sub(r"sqrt(\([^()]*\))", r"\1^0.5", m[0]), text
    )
    text = re.sub(r"\bcross\((\w+), ", lambda m: f"{_skew(m[1])}*(", text)
    text = re.sub(r"\bskew\((\w+)\)", lambda m: _skew(m[1]), text)
    text = re.sub(r"\btranspose\((\w+)\)\*(\w+)", r"\2*\1", text)
    text = text.replace("identity(3)", "{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}")
    text = re.sub(r"\batan2\([^;]*;", "0;", text)
    return re.sub(r"(?<== )\[([^;\]]*;.*?)\](?=;)", _rows, text, flags=re.DOTALL)


def _rows(matrix: re.Match[str]) -> str:
    return f"{{{', '.join(f'{{{row.strip()}}}' for row in matrix[1].split(';'))}}}"


def unknown_outputs(text: str) -> set[str]:
    """Outputs that are left out: angles by atan2."""
    return set(re.findall(r"^\s*(\w+) = atan2\(", text, flags=re.MULTILINE))


# ---------------------------------------------------------------------------- compiled


@dataclass(frozen=True)
class Compiled:
    """A model as `modelicac` has compiled it: residuals in x and der(x)."""

    variables: tuple[str, ...]
    is_state: tuple[bool, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    call: Callable[..., None]

    def _evaluate(self, flag: int, x: Array, xd: Array, u: Array) -> tuple[Array, Array]:
        double = ctypes.POINTER(ctypes.c_double)
        res, y = np.zeros(len(x)), np.zeros(max(len(self.outputs), 1))
        prop = np.zeros(len(x), dtype=np.int32)
        u = np.ascontiguousarray(u, dtype=float)

        def rows(values: Array) -> object:
            step = values.itemsize
            places = [values.ctypes.data + step * i for i in range(len(values))]
            return (double * len(values))(*[ctypes.cast(p, double) for p in places])

        arrays = (ctypes.c_void_p(a.ctypes.data) for a in (x, xd))
        ends = (ctypes.c_void_p(a.ctypes.data) for a in (res, prop))
        self.call(flag, *arrays, rows(u), rows(y), *ends)
        return res, y

    def solve(self, states: Mapping[str, float], inputs: Mapping[str, float]) -> dict[str, float]:
        """Derivatives and outputs at a state: the residuals are brought to zero by Newton's method.

        They are linear in derivatives and forces; what is left after some steps is rounding.
        """
        u = np.array([inputs[name] for name in self.inputs])
        state = np.array(self.is_state)
        x = np.array([states.get(name, 0.0) for name in self.variables])
        xd = np.zeros(len(x))

        def residuals(w: Array) -> Array:
            xd[state], x[~state] = w[state], w[~state]
            return self._evaluate(0, x, xd, u)[0]

        w = np.zeros(len(x))
        for _ in range(5):
            base = residuals(w)
            columns = [residuals(w + step) - base for step in np.eye(len(w))]
            w = w - np.linalg.solve(np.array(columns).T, base)
        residuals(w)
        _, y = self._evaluate(1, x, xd, u)
        names = [f"der({n})" if s else n for n, s in zip(self.variables, state, strict=True)]
        return dict(zip(names, w, strict=True)) | dict(zip(self.outputs, y, strict=True))


def compile_crane(text: str, name: str, values: Mapping[str, float], folder: Path) -> Compiled:
    """Compile a crane of this text with these values of parameters.

    Raises
    ------
    RefusedError
        If one of the compilers does not take it; with what it says.
    """
    (folder / f"{name}.mo").write_text(in_its_words(text))
    given = ", ".join(f"{key} = {value!r}" for key, value in values.items())
    _run("modelicat", "-lib", f"{name}.mo", "-o", "crane.mo", "-command",
         f"{name} crane({given});", folder=folder)  # fmt: skip
    _run("modelicac", "-o", "crane.c", "crane.mo", folder=folder)
    (folder / "scicos_block.h").write_text(HEADER)
    (folder / "driver.c").write_text(DRIVER)
    library = folder / "crane.so"
    command = ["gcc", "-shared", "-fPIC", "-O1", "-w", f"-I{folder}", str(folder / "driver.c")]
    subprocess.run([*command, "-lm", "-o", str(library)], check=True)
    code, flat = (folder / "crane.c").read_text(), (folder / "crane.mo").read_text()
    found = re.findall(r"xprop\[\d+\] = (-?1); /\* (\S+) \(", code)
    outputs = dict(re.findall(r"y\[(\d+)\]\[0\] = .*; /\* (\S+) \*/", code))
    call = ctypes.CDLL(str(library)).evaluate
    call.restype = None
    return Compiled(
        tuple(variable for _, variable in found),
        tuple(kind == "1" for kind, _ in found),
        tuple(re.findall(r"input Real `([^`]+)`", flat)),
        tuple(outputs[str(k)] for k in range(len(outputs))),
        call,
    )


def _run(tool: str, *arguments: str, folder: Path) -> None:
    path = shutil.which(tool)
    run = subprocess.run(
        [str(path), *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    target = folder / arguments[arguments.index("-o") + 1]
    told = run.stdout + run.stderr
    if run.returncode != 0 or "ERROR" in told or not target.exists():
        lines = [line for line in told.splitlines() if re.match(r"---|ERROR|Fatal|Syntax", line)]
        raise RefusedError(f"{tool}: {' '.join(lines)}")
