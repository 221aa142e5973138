"""Equations of motion of which only as many contain inputs as there are inputs.

Where rope and contact forces have been eliminated, many equations of motion contain inputs,
R_i = c_i + B_i u = 0. Gaussian elimination of the inputs leaves as many rows with inputs as there
are inputs; the others are the passive equations of an underactuated system, as they stand when a
crane is written down by hand (projection method of Blajer and Kolodziejczyk). What cancels in them
analytically (the trolley's acceleration in the balance of the load across the rope) is found by
evaluation and taken out.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import StructureError
from cranebridge.structure import VARIABLE, Dae, DerivativeSymbols, Start, signature_of
from cranebridge.twin.modelica.motion_equations import SecondOrder

Array = NDArray[np.float64]

_SINGULAR = 1e-9
"""Rows that the inputs move by less than this part of the most moved one are not moved."""

_GOOD = 0.05
"""A pivot that only parameters are in is preferred if it is this part of the largest one: it does
not vanish in another position of the crane."""


def passive_rows(
    model: SecondOrder, u: ca.SX, p: ca.SX, start: tuple[Array, Array, Array]
) -> ca.SX:
    """Return the residuals of the equations of motion, with inputs in as few rows as can be.

    Parameters
    ----------
    model : SecondOrder
        The equations, linear in the inputs.
    u, p : casadi.SX
        Inputs and parameters.
    start : tuple of numpy.ndarray
        Coordinates, inputs and parameters where the pivots are chosen.

    Raises
    ------
    StructureError
        If the inputs do not move the model independently.
    """
    own = ca.jacobian(model.rows, u)
    left = ca.substitute(model.rows, u, ca.SX.zeros(u.numel()))
    values = _values(own, model, u, p, start)
    pivots: list[int] = []
    for _ in range(u.numel()):
        row, column = _pivot(own, values, pivots, p)
        pivots.append(row)
        for i in range(left.numel()):
            if i in pivots or own[i, column].is_zero():
                continue
            factor = own[i, column] / own[row, column]
            left[i] -= factor * left[row]
            own[i, :] -= factor * own[row, :]
            own[i, column] = 0.0
            values[i] -= values[i, column] / values[row, column] * values[row]
            values[i, column] = 0.0
        own = ca.sparsify(own)
    return cleaned(left + own @ u, model, u, p, start)


def without_forces(
    model: SecondOrder, u: ca.SX, p: ca.SX, start: tuple[Array, Array, Array]
) -> SecondOrder:
    """Eliminate the forces that are still in the equations, where these are linear in them.

    Pivots are chosen at the start: such as the vertical part of a rope's direction, which does not
    vanish before the rope is horizontal. What no equation is linear in stays.
    """
    forces = list(model.forces)
    lam = [model.lam[j] for j in range(model.lam.numel())]
    rows, known = [model.rows[i] for i in range(model.rows.numel())], model.known
    while lam:
        own = ca.jacobian(ca.vertcat(*rows), ca.vertcat(*lam))
        linear = np.zeros(own.shape, dtype=bool)
        for i, j in zip(*own.sparsity().get_triplet(), strict=True):
            linear[i, j] = not ca.depends_on(own[i, j], ca.vertcat(lam[j], model.a, u))
        values = np.where(linear, _values(own, model, u, p, start), 0.0)
        if not np.abs(values).max() > _SINGULAR:
            break
        row, j = _pivot(own, values, [], p)
        value = -ca.substitute(rows.pop(row), lam[j], ca.SX(0)) / own[row, j]
        *rows, known = ca.substitute([*rows, known], [lam[j]], [value])
        del lam[j], forces[j]
    kept = [model.forces.index(force) for force in forces]
    return replace(
        model,
        rows=ca.vertcat(ca.SX(0, 1), *rows),
        forces=tuple(forces),
        lam=ca.vertcat(ca.SX(0, 1), *lam),
        lam_start=model.lam_start[kept],
        known=known,
    )


def _values(
    own: ca.SX, model: SecondOrder, u: ca.SX, p: ca.SX, start: tuple[Array, Array, Array]
) -> Array:
    """Return factors at the start, in units of the largest of each column."""
    q, inputs, parameters = start
    numbers = ca.Function("B", [model.q, model.v, model.a, model.lam, u, p], [ca.densify(own)])
    still = np.zeros(q.size)
    values = np.array(numbers(q, still, still, model.lam_start, inputs, parameters))
    values[~np.isfinite(values)] = 0.0
    sizes = np.abs(values).max(axis=0, initial=0.0)
    return values / np.where(sizes > 0.0, sizes, 1.0)  # newtons beside newton metres


def _pivot(own: ca.SX, values: Array, taken: list[int], p: ca.SX) -> tuple[int, int]:
    """Return row and column of a pivot in the rows that are not taken."""
    sizes = np.abs(values)
    sizes[taken] = 0.0
    largest = float(sizes.max(initial=0.0))
    if not largest > _SINGULAR:
        raise StructureError(
            "its inputs do not move it independently at its start values: leave an input out, or "
            "give start values at which every drive moves something"
        )
    places = [(int(i), int(j)) for i, j in np.argwhere(sizes >= _GOOD * largest)]
    constant = [
        (i, j)
        for i, j in places
        if all(ca.depends_on(p, symbol) for symbol in ca.symvar(ca.simplify(own[i, j])))
    ]
    return max(
        constant or [place for place in places if sizes[place] == largest],
        key=lambda place: (-np.count_nonzero(values[place[0]]), sizes[place]),
    )


def cleaned(
    residual: ca.SX, model: SecondOrder, u: ca.SX, p: ca.SX, start: tuple[Array, Array, Array]
) -> ca.SX:
    """Take out of each row what cancels in it."""
    symbols, count = DerivativeSymbols(), model.q.numel()
    for order, vector in enumerate((model.q, model.v, model.a)):
        for i in range(count):
            symbols.use(VARIABLE, i, order, vector[i])
    algebraic = ca.vertcat(model.lam, u)
    for i in range(algebraic.numel()):
        symbols.use(VARIABLE, count + i, 0, algebraic[i])
    rows = tuple(residual[i] for i in range(residual.numel()))
    words = tuple(f"row {i}" for i in range(len(rows)))
    variables = tuple(f"x{i}" for i in range(count + algebraic.numel()))
    dae = Dae(words, variables, (), rows, symbols, p)
    force = max(float(np.abs(start[1]).max(initial=10.0)), 10.0)
    values = np.concatenate([start[0], model.lam_start, start[1]])
    least = np.full(values.size, 0.1 * force)
    least[:count] = 1.0
    near = Start(values, np.maximum(np.abs(values), least), start[2], count, known=False)
    found, _, _ = signature_of(dae, near)
    return ca.vertcat(*found.residuals)
