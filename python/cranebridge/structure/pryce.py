"""Offsets of a signature matrix: how often equations are differentiated (Pryce)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranebridge.structure.assignment import best_assignment

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ABSENT = -np.inf


def transversal(sigma: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return a transversal of highest sum: the column of each row.

    Absent entries cost more than any sum of present ones: a transversal that needs one is none.
    """
    penalty = -10.0 * sigma.shape[0]
    return best_assignment(np.where(np.isfinite(sigma), sigma, penalty))


def offsets(
    sigma: NDArray[np.float64],
) -> tuple[NDArray[np.int_], NDArray[np.int_]] | None:
    """Return the smallest offsets c, d of a signature matrix, or None if it has no transversal.

    A transversal of highest sum by linear assignment, then Pryce's fixed-point iteration (his
    Algorithm 3.1).
    """
    columns = transversal(sigma)
    on_transversal = sigma[np.arange(len(columns)), columns]
    if not np.isfinite(on_transversal).all():
        return None
    c = np.zeros(len(columns))
    while True:
        d = (sigma + c[:, None]).max(axis=0)
        updated = d[columns] - on_transversal
        if (updated == c).all():
            return c.astype(int), d.astype(int)
        c = updated


def sparse_offsets(
    orders: csr_array,
) -> tuple[NDArray[np.int_], NDArray[np.int_]] | None:
    """Return the smallest offsets of a large signature matrix, or None if it has no transversal.

    Parameters
    ----------
    orders : scipy.sparse.csr_array
        sigma_ij + 1 where equation i has variable j; what is not stored is absent.
    """
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    costs = orders.copy()
    costs.data = orders.data.max(initial=0) - orders.data + 1  # a stored zero would be absent
    try:
        rows, matched = min_weight_full_bipartite_matching(costs)
    except ValueError:
        return None
    if len(rows) < max(orders.shape):
        return None
    columns = matched[np.argsort(rows)]
    entries = orders.tocoo()
    sigma = entries.data - 1
    on_transversal = np.asarray([orders[i, j] for i, j in enumerate(columns)]) - 1
    c = np.zeros(len(columns), dtype=int)
    while True:
        d = np.zeros(orders.shape[1], dtype=int)
        np.maximum.at(d, entries.col, sigma + c[entries.row])
        updated = d[columns] - on_transversal
        if (updated == c).all():
            return c, d
        c = updated
