"""CasADi expressions as the plain list of operations that a plant's child process runs."""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.plant.protocol import CODES, COLUMNS, CONSTANT, READ, WRITE

Array = NDArray[np.float64]

_TWO = {
    ca.OP_ADD: "add",
    ca.OP_SUB: "subtract",
    ca.OP_MUL: "multiply",
    ca.OP_DIV: "divide",
    ca.OP_POW: "power",
    ca.OP_CONSTPOW: "power",
    ca.OP_ATAN2: "atan2",
}
_ONE = {
    ca.OP_NEG: "negate",
    ca.OP_SQRT: "sqrt",
    ca.OP_SIN: "sin",
    ca.OP_COS: "cos",
    ca.OP_TAN: "tan",
    ca.OP_ASIN: "asin",
    ca.OP_ACOS: "acos",
    ca.OP_ATAN: "atan",
    ca.OP_EXP: "exp",
    ca.OP_LOG: "log",
    ca.OP_FABS: "fabs",
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
    for k in range(function.n_instructions()):
        what, to = function.instruction_id(k), function.instruction_output(k)
        of = function.instruction_input(k)
        if what == ca.OP_CONST:
            rows.append((CONSTANT, to[0], 0, 0, function.instruction_constant(k)))
        elif what == ca.OP_INPUT:
            rows.append((READ, to[0], of[1], 0, 0.0))
        elif what == ca.OP_OUTPUT:
            rows.append((WRITE, to[1], of[0], 0, 0.0))
        elif what in _TWO:
            rows.append((CODES[_TWO[what]], to[0], of[0], of[1], 0.0))
        elif what in _ONE:
            rows.append((CODES[_ONE[what]], to[0], of[0], of[0], 0.0))
        elif what == ca.OP_SQ:
            rows.append((CODES["multiply"], to[0], of[0], of[0], 0.0))
        elif what == ca.OP_TWICE:
            rows.append((CODES["add"], to[0], of[0], of[0], 0.0))
        elif what == ca.OP_INV:
            rows.append((CONSTANT, one, 0, 0, 1.0))
            rows.append((CODES["divide"], to[0], one, of[0], 0.0))
        else:
            raise InputError("plant.map.signals: an expression is too special for a controller")
    return np.array(rows, dtype=float).reshape(-1, COLUMNS)
