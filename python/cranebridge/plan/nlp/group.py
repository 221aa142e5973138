"""Rows of a program at some times of a leg, and how they see the variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]


class Rows(Protocol):
    """Rows with derivatives as functions of z, and of unknowns w that belong to z.

    Attributes
    ----------
    count : int
        How many.
    linear : bool
        Whether they are linear in z, so that their derivatives are the same everywhere.
    """

    count: int
    linear: bool

    def settle(self, z: Array, w: Array) -> Array:
        """Return the unknowns that belong to z, from those nearby."""

    def values(self, z: Array, w: Array) -> Array:
        """Return the rows."""

    def slopes(self, z: Array, w: Array) -> tuple[Array, Array]:
        """Return the rows and their derivatives."""

    def curvature(self, z: Array, w: Array, weights: Array) -> Array:
        """Return the second derivatives of the weighted sum of the rows."""


@dataclass(eq=False)
class RowGroup:
    """Rows at some times.

    Attributes
    ----------
    rows : Rows
        What they are.
    matrix, base : numpy.ndarray
        z = base + matrix x[columns] at each time.
    columns : numpy.ndarray
        Which variables act at each time; -1 for none.
    least, most : numpy.ndarray
        Bounds of the rows, the same at all times or a row for each.
    cost : numpy.ndarray or None
        For a term of the objective: its weight at each time; it has one row and no bounds.
    w : numpy.ndarray
        The unknowns that were found last.
    kept : numpy.ndarray of bool or None
        Which rows count at each time; all if None.
    links : bool
        Whether the rows are joints: what follows from a piece less the begin of the next one.
    """

    rows: Rows
    matrix: Array
    base: Array
    columns: Index
    least: Array
    most: Array
    w: Array
    cost: Array | None = None
    kept: NDArray[np.bool_] | None = None
    links: bool = False

    @property
    def chosen(self) -> NDArray[np.bool_]:
        """Which rows count at each time."""
        if self.kept is None:
            return np.ones((len(self.base), self.rows.count), dtype=bool)
        return self.kept

    def arguments(self, x: Array) -> Array:
        """Return z at each time."""
        chosen = np.where(self.columns >= 0, np.append(x, 0.0)[self.columns], 0.0)
        return np.asarray(self.base + np.einsum("ijk,ik->ij", self.matrix, chosen))
