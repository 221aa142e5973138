"""A state near the start values that satisfies all constraints.

The equations that only constrain (i, k < c_i) are solved for the variables below their highest
derivatives (j, k < d_j). There are fewer equations than unknowns: each step of Newton's method is
the smallest in units of how far a start value may be left, so that what is fixed stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bmat, csc_matrix, diags, identity
from scipy.sparse.linalg import splu

from cranebridge.errors import StructureError
from cranebridge.frontend.reduce.scalars import ScalarUnknown
from cranebridge.frontend.reduce.state_choice import order_name
from cranebridge.structure import DifferentiatedDae, Order

Array = NDArray[np.float64]

_ITERATIONS = 60
_ENOUGH = 1e-12
# Row scale of the multipliers: equations that say the same twice do not make the matrix singular.
_SLACK = 1e-13
# How far a variable may be moved by a step, in units of itself.
_FIXED = 1e-4
_GIVEN = 1e-2
_FREE = 1e2


@dataclass(frozen=True, eq=False)
class Environment:
    """Values of everything that the equations contain besides their unknowns."""

    symbols: ca.SX
    values: Array


@dataclass(frozen=True, eq=False)
class ConsistentPoint:
    """Values of the variables below their highest derivatives."""

    system: DifferentiatedDae
    environment: Environment
    values: Mapping[Order, float]

    def evaluate(self, expression: ca.SX) -> Array:
        """Value of an expression."""
        keys = list(self.values)
        symbols = [self.system.symbols(keys), self.environment.symbols]
        function = ca.Function("value", symbols, [ca.densify(expression)])
        found = function(list(self.values.values()), self.environment.values)
        return np.asarray(found.full(), dtype=float)


def consistent_point(
    system: DifferentiatedDae,
    unknowns: Sequence[ScalarUnknown],
    start: Sequence[float],
    environment: Environment,
) -> ConsistentPoint:
    """Solve the constraints near start values.

    Parameters
    ----------
    start : sequence of float
        Start value of each unknown.

    Raises
    ------
    StructureError
        If Newton's iteration finds no solution.
    """
    keys = [(j, k) for j, d in enumerate(system.d) for k in range(d)]
    rows = [(i, k) for i, c in enumerate(system.c) for k in range(c)]
    values = np.array([start[j] if k == 0 else 0.0 for j, k in keys])
    allowance = np.array([_allowance(unknowns[j], k) for j, k in keys])
    if rows:
        equations = ca.vertcat(*(system.equations[row] for row in rows))
        symbols = system.symbols(keys)
        function = ca.Function(
            "constraints",
            [symbols, environment.symbols],
            [ca.densify(equations), ca.jacobian(equations, symbols)],
        )
        values, residual = _solve(function, values, allowance, environment.values)
        if residual is not None:
            raise StructureError(_no_start(system, unknowns, rows, residual))
    return ConsistentPoint(system, environment, dict(zip(keys, map(float, values), strict=True)))


def _allowance(unknown: ScalarUnknown, order: int) -> float:
    if order > 0:
        return _FREE
    if unknown.fixed:
        return _FIXED
    return _GIVEN if unknown.start_is_given else _FREE


def _solve(
    function: ca.Function, values: Array, allowance: Array, known: Array
) -> tuple[Array, Array | None]:
    """Values, and None; or the residual that is left."""
    residual = np.array(function(values, known)[0]).ravel()
    for _ in range(_ITERATIONS):
        jacobian = csc_matrix(function(values, known)[1].sparse())
        step = _smallest_step(jacobian, residual, allowance * (1.0 + np.abs(values)))
        if step is None:
            return values, residual
        part = 1.0
        while True:
            trial = values - part * step
            after = np.array(function(trial, known)[0]).ravel()
            if np.isfinite(after).all() and (
                np.linalg.norm(after) < np.linalg.norm(residual) or part < 1e-4
            ):
                break
            part /= 2.0
            if part < 1e-12:
                return values, residual
        values, residual = trial, after
        if (np.abs(step) <= _ENOUGH * (1.0 + np.abs(values))).all():
            return values, None
    small = np.abs(residual).max(initial=0.0) <= 1e-9 * (1.0 + np.abs(values).max(initial=0.0))
    return values, None if small else residual


def _smallest_step(jacobian: csc_matrix, residual: Array, allowance: Array) -> Array | None:
    """The step s with J s = r that is smallest in units of the allowance."""
    scaled = jacobian @ diags(allowance)
    size = np.sqrt(np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel())
    if (size == 0.0).any() or not np.isfinite(size).all():
        return None
    rows = diags(1.0 / size) @ scaled
    count, width = rows.shape
    matrix = bmat([[identity(width), rows.T], [rows, -_SLACK * identity(count)]], format="csc")
    try:
        solution = splu(matrix).solve(np.concatenate([np.zeros(width), residual / size]))
    except RuntimeError:
        return None
    step = allowance * solution[:width]
    return step if np.isfinite(step).all() else None


def _no_start(
    system: DifferentiatedDae,
    unknowns: Sequence[ScalarUnknown],
    rows: Sequence[Order],
    residual: Array,
) -> str:
    i, _ = rows[int(np.argmax(np.abs(residual)))]
    names = [
        order_name(unknowns, (j, k))
        for kind, j, k in system.dae.symbols.of(system.dae.residuals[i])
        if kind == "x"
    ]
    fixed = [unknown.name for unknown in unknowns if unknown.fixed]
    held = f" Fixed are: {', '.join(fixed)}." if fixed else ""
    return (
        f"{system.dae.equations[i]}: no state near the start values satisfies this constraint "
        f"between {', '.join(names)}: give start values near such a state.{held}"
    )
