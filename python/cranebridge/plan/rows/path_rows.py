"""Rows of the path alone: its values at an end, and how two legs join."""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse.kernels import MappedFunctions
from cranebridge.plan.nlp import RATE, Leg, RowGroup

Array = NDArray[np.float64]


class PathRows:
    """Rows of the path alone: its values at an end, or how two legs join."""

    linear = False

    def __init__(self, z: ca.SX, rows: ca.SX) -> None:
        self.count, self._size = int(rows.numel()), int(z.numel())
        weights, none = ca.SX.sym("lam", self.count), ca.SX.sym("p", 0)
        curved = ca.hessian(ca.dot(weights, rows), z)[0]
        self._mapped = MappedFunctions(
            (
                ca.Function("rows", [z, none], [ca.densify(rows)]),
                ca.Function("slopes", [z, none], [ca.densify(ca.jacobian(rows, z))]),
                ca.Function("curvature", [z, weights, none], [ca.densify(curved)]),
            ),
            "never",
        )
        self._none = np.empty(0)

    def settle(self, z: Array, w: Array) -> Array:
        """Return the unknowns: there are none."""
        return w

    def values(self, z: Array, w: Array) -> Array:
        """Return the rows."""
        return self._mapped("rows", z, self._none)[0]

    def slopes(self, z: Array, w: Array) -> tuple[Array, Array]:
        """Return the rows and their derivatives."""
        slopes = self._mapped("slopes", z, self._none)[0]
        return self.values(z, w), slopes.reshape(-1, self._size, self.count).transpose(0, 2, 1)

    def curvature(self, z: Array, w: Array, weights: Array) -> Array:
        """Return the second derivatives of the weighted sum of the rows."""
        curved = self._mapped("curvature", z, weights, self._none)[0]
        return curved.reshape(-1, self._size, self._size)


def given_derivatives(leg: Leg, end: int, values: Array) -> RowGroup:
    """Return rows that give a leg's end values: outputs and their derivatives by time, a row each.

    Parameters
    ----------
    leg : Leg
        Which leg.
    end : {0, 1}
        Its start or its goal.
    values : numpy.ndarray
        Of shape (derivatives, outputs).
    """
    order, outputs = values.shape[0] - 1, values.shape[1]
    c, duration = ca.SX.sym("c", outputs, order + 1), ca.SX.sym("T")
    rows = [(c[:, k] - ca.DM(values[k]) * duration**k) / RATE**k for k in range(order + 1)]
    made = PathRows(ca.vertcat(ca.vec(c), duration), ca.vertcat(*rows))
    zeros = np.zeros(made.count)
    ((group, _),) = leg.groups(
        made, order, np.array([float(end)]), (zeros, zeros), np.zeros((1, 0))
    )
    return group


def joined(first: Leg, second: Leg, order: int) -> RowGroup:
    """Return rows that let a leg go on from another without a jump in a number of derivatives."""
    before, after = first.argument_map(order, np.ones(1)), second.argument_map(order, np.zeros(1))
    outputs = first.variables.shape[2]
    c, d = ca.SX.sym("c", outputs, order + 1), ca.SX.sym("d", outputs, order + 1)
    own, following = ca.SX.sym("T"), ca.SX.sym("U")
    rows = [(c[:, k] * (following / own) ** k - d[:, k]) / RATE**k for k in range(order + 1)]
    made = PathRows(ca.vertcat(ca.vec(c), own, ca.vec(d), following), ca.vertcat(*rows))
    n, m = before[0].shape[1:], after[0].shape[1:]
    matrix = np.zeros((1, n[0] + m[0], n[1] + m[1]))
    matrix[:, : n[0], : n[1]], matrix[:, n[0] :, n[1] :] = before[0], after[0]
    base, columns = np.hstack([before[1], after[1]]), np.hstack([before[2], after[2]])
    zeros = np.zeros(made.count)
    return RowGroup(made, matrix, base, columns, zeros, zeros, np.zeros((1, 0)))
