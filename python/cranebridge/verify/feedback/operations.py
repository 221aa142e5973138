"""CasADi expressions as the plain list of operations that a plant's child process runs."""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.emit import MATH_FUNCTIONS, Constant, Read, Write, steps
from cranebridge.errors import InputError
from cranebridge.plant.protocol import CODES, COLUMNS, CONSTANT, READ, WRITE

Array = NDArray[np.float64]

_NAMES = {
    **{code: name for code, (name, _) in MATH_FUNCTIONS.items() if name in CODES},
    ca.OP_ADD: "add",
    ca.OP_SUB: "subtract",
    ca.OP_MUL: "multiply",
    ca.OP_DIV: "divide",
    ca.OP_NEG: "negate",
    ca.OP_POW: "power",
    ca.OP_CONSTPOW: "power",
    ca.OP_SQ: "multiply",
    ca.OP_TWICE: "add",
}


def operation_rows(signals: ca.SX, readings: ca.SX) -> Array:
    """Return the operations that lead from readings to signals; see `signal_program`.

    Raises
    ------
    InputError
        If an expression has an operation that is none of these.
    """
    function = ca.Function("signals", [readings], [ca.densify(signals)])
    one = function.sz_w()  # a place for what CasADi has short operations for
    rows: list[tuple[float, ...]] = []
    for step in steps(function):
        if isinstance(step, Constant):
            rows.append((CONSTANT, step.to, 0, 0, step.value))
        elif isinstance(step, Read):
            rows.append((READ, step.to, step.element, 0, 0.0))
        elif isinstance(step, Write):
            rows.append((WRITE, step.element, step.of, 0, 0.0))
        elif step.operation == ca.OP_INV:
            rows.append((CONSTANT, one, 0, 0, 1.0))
            rows.append((CODES["divide"], step.to, one, step.of[0], 0.0))
        elif step.operation in _NAMES:
            code = CODES[_NAMES[step.operation]]
            rows.append((code, step.to, step.of[0], step.of[-1], 0.0))
        else:
            raise InputError("plant.map.signals: an expression is too special for a controller")
    return np.array(rows, dtype=float).reshape(-1, COLUMNS)
