"""Nonlinear algebraic loops: their solution at the start, and derivatives through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from cranebridge.errors import StructureError
from cranebridge.frontend.flat_model import Loops

_ITERATIONS = 50


def solve_loops(loops: Loops, here: tuple[Any, Any, Any], known: Sequence[float]) -> list[float]:
    """Parameters, memory and the solution of the loops, from their start values.

    Parameters
    ----------
    here : tuple
        Time, states and inputs.
    known : sequence of float
        Parameters and memory.

    Raises
    ------
    StructureError
        If Newton's iteration does not converge.
    """
    count = len(loops.names)
    v = loops.start([*known, *[0.0] * count]).full().ravel()
    for _ in range(_ITERATIONS):
        q = [*known, *v]
        residual = loops.residual(*here, q).full().ravel()
        matrix = loops.jacobian(*here, q).full()
        if not (np.isfinite(residual).all() and np.isfinite(matrix).all()):
            break
        try:
            step = np.linalg.solve(matrix, residual)
        except np.linalg.LinAlgError:
            break
        v = v - step
        if (np.abs(step) <= 1e-9 * (np.abs(v) + np.array(loops.nominal))).all():
            return [*known, *v.tolist()]
    raise StructureError(
        f"the nonlinear equations for {', '.join(loops.names)} have no solution near their start "
        "values: give other start values."
    )


def implicit(loops: Loops, arguments: Sequence[ca.SX]) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Make q whose unknowns v depend on everything else as the loops say.

    One step of Newton's method, v - S G with S the inverse of dG/dv taken as a constant, has the
    value and the first derivatives of the solution.

    Returns
    -------
    q, S, inverse : casadi.SX
        The new q, the symbol of S, and what is to be put in for it after differentiation.
    """
    *here, q = arguments
    count = len(loops.names)
    first = q.numel() - count
    inner = ca.SX.sym("S", count, count)
    last = ca.vertcat(*[q[i] for i in range(first, q.numel())])
    v = last - ca.mtimes(inner, loops.residual(*arguments))
    inverse = ca.inv(ca.densify(loops.jacobian(*here, q)))
    # One by one: CasADi's empty slices of a scalar are not columns.
    return ca.vertcat(*[q[i] for i in range(first)], v), inner, inverse
