"""Equations differentiated as often as the structure asks for, and the stages that they make.

Equation i is differentiated 0 ... c_i times, so that the derivatives of order d_j of the variables
follow from all others (J. D. Pryce, *A simple structural analysis method for DAEs*, BIT 41 (2001)
364-394). At stage s = 0, -1, -2, ... are the equations of order c_i + s >= 0 and the variables of
order d_j + s >= 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from cranebridge.structure.dae import SIGNAL, VARIABLE, Dae
from cranebridge.structure.pryce import sparse_offsets

Order = tuple[int, int]
"""Position of an equation or a variable, and how often it is differentiated."""


@dataclass(frozen=True, eq=False)
class DifferentiatedDae:
    """A DAE with the derivatives of its equations.

    Attributes
    ----------
    c, d : numpy.ndarray
        Offsets of equations and variables.
    equations : mapping
        The equation in position i differentiated k times, by (i, k), for k = 0 ... c_i.
    """

    dae: Dae
    c: NDArray[np.int_]
    d: NDArray[np.int_]
    equations: Mapping[Order, ca.SX]

    @property
    def freedom(self) -> int:
        """Number of states."""
        return int(self.d.sum() - self.c.sum())

    def rows(self, stage: int) -> list[Order]:
        """Equations of a stage."""
        return [(i, int(c) + stage) for i, c in enumerate(self.c) if c + stage >= 0]

    def columns(self, stage: int) -> list[Order]:
        """Variables of a stage."""
        return [(j, int(d) + stage) for j, d in enumerate(self.d) if d + stage >= 0]

    @property
    def stages(self) -> range:
        """Stages below the highest derivatives that have equations."""
        return range(-1, -int(self.c.max(initial=0)) - 1, -1)

    def symbol(self, variable: Order) -> ca.SX:
        """Return the symbol of a variable's derivative."""
        return self.dae.variable(*variable)

    def symbols(self, variables: list[Order]) -> ca.SX:
        """Return a column of symbols."""
        return ca.vertcat(ca.SX(0, 1), *(self.symbol(variable) for variable in variables))


def differentiated(dae: Dae, *, clock: int | None = None) -> DifferentiatedDae | None:
    """Find the offsets of a DAE and differentiate; None if the equations have no transversal.

    Parameters
    ----------
    clock : int, optional
        Position of the signal that is time itself: its derivative is one.
    """
    offsets = sparse_offsets(_orders(dae))
    if offsets is None:
        return None
    c, d = offsets
    equations: dict[Order, ca.SX] = {}
    for i, residual in enumerate(dae.residuals):
        for k in range(c[i] + 1):
            equations[i, k] = residual
            if k < c[i]:
                residual = _rate(dae, residual, clock)
    return DifferentiatedDae(dae, c, d, equations)


def unmatched(dae: Dae) -> tuple[list[int], list[int]]:
    """Equations and variables that stay without a partner when as many as possible have one."""
    partner = maximum_bipartite_matching(_orders(dae), perm_type="column")
    too_many = [i for i, j in enumerate(partner) if j < 0]
    missing = sorted(set(range(len(dae.variables))) - {int(j) for j in partner})
    return too_many, missing


def _orders(dae: Dae) -> csr_array:
    """Signature matrix, one larger: what is not there is not stored."""
    rows, columns, orders = [], [], []
    for i, residual in enumerate(dae.residuals):
        highest: dict[int, int] = {}
        for kind, j, order in dae.symbols.of(residual):
            if kind == VARIABLE:
                highest[j] = max(highest.get(j, 0), order)
        rows += [i] * len(highest)
        columns += list(highest)
        orders += [order + 1 for order in highest.values()]
    size = (len(dae.residuals), len(dae.variables))
    return csr_array((orders, (rows, columns)), shape=size, dtype=int)


def _rate(dae: Dae, residual: ca.SX, clock: int | None) -> ca.SX:
    """Total time derivative."""
    rate = dae.symbols.rate(residual)
    if clock is None:
        return rate
    ones = dae.symbols.at(SIGNAL, clock, 1)
    return ca.substitute(rate, ones, ca.SX(1))
