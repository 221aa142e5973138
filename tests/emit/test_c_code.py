"""C code of CasADi functions: long ones are written in parts."""

from __future__ import annotations

import ctypes
import subprocess

import casadi as ca
import numpy as np

from cranebridge.emit import emit_function
from cranebridge.emit.c_code import PART
from cranebridge.plant.library_compiler import find_compiler

FLAGS = ("-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-shared", "-fPIC")


def _tangled(count: int) -> ca.Function:
    """Return a function of values that live for any time, sums and products taken at random."""
    random = np.random.default_rng(3)
    x, y, never = ca.SX.sym("x", 5), ca.SX.sym("y", 3), ca.SX.sym("never", 2)
    known = [*ca.vertsplit(x), *ca.vertsplit(y)]
    for k in range(count):
        a, b = (known[i] for i in random.integers(max(0, len(known) - 400), len(known), 2))
        known.append(0.5 * (a + b) if k % 2 else ca.fmin(ca.fabs(a * b - 0.25), 1.0))
    ends = [known[i] for i in random.integers(0, len(known), 20)]
    late = ca.vertcat(known[8], known[-1])
    return ca.Function(
        "f", [x, y, never], [ca.vertcat(*ends), late], ["w", "y", "never"], ["a", "late"]
    )


def test_long_function_in_parts_gives_the_same_bits(tmp_path) -> None:
    function = _tangled(2 * PART)
    assert function.n_instructions() > 2 * PART
    text = emit_function(function, "f", "double", "double")
    bodies = text.split("static void")[1:]
    assert max(body.count("\n") for body in bodies) < 2 * PART
    public = "void g(const double *x, const double *y, const double *n, double *e, double *l)"
    source = f"#include <math.h>\n{public};\n{text}\n{public} {{ f(x, y, n, e, l); }}\n"
    (tmp_path / "f.c").write_text(source)
    command = [*find_compiler().command, *FLAGS, "f.c", "-o", "f.so", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    run = ctypes.CDLL(str(tmp_path / "f.so")).g
    random = np.random.default_rng(4)
    for _ in range(5):
        given = [random.uniform(-1.0, 1.0, size) for size in (5, 3, 2)]
        found = [np.full(20, np.nan), np.full(2, np.nan)]
        run(*(np.ctypeslib.as_ctypes(values) for values in (*given, *found)))
        for ours, casadis in zip(found, function(*given), strict=True):
            assert ours.tobytes() == np.array(casadis).ravel().tobytes()
