"""Offsets of a signature matrix: how often equations are differentiated (Pryce)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranebridge.structure.assignment import best_assignment

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
