"""Assignment and strong components of small dense problems: the combinatorics of the structure.

SciPy has both, in modules that take longer to import than a crane takes to analyse and solve.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def best_assignment(weights: Array) -> NDArray[np.intp]:
    """Return the column of each row such that the sum of the chosen weights is largest.

    Shortest augmenting paths with dual variables (R. Jonker, A. Volgenant, A shortest augmenting
    path algorithm for dense and sparse linear assignment problems, Computing 38 (1987) 325-340):
    row after row enters the assignment along a path of least reduced cost.

    Parameters
    ----------
    weights : numpy.ndarray
        A square matrix of finite numbers.
    """
    cost, n = -np.asarray(weights, dtype=float), len(weights)
    # Column 0 is a place to start from; rows and columns of the matrix count from 1.
    row_of, came_from = np.zeros(n + 1, dtype=int), np.zeros(n + 1, dtype=int)
    row_price, column_price = np.zeros(n + 1), np.zeros(n + 1)
    for row in range(1, n + 1):
        row_of[0], column = row, 0
        least, seen = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=bool)
        while row_of[column]:
            seen[column] = True
            here = row_of[column]
            reduced = np.append(np.inf, cost[here - 1]) - row_price[here] - column_price
            shorter = ~seen & (reduced < least)
            least[shorter], came_from[shorter] = reduced[shorter], column
            following = int(np.argmin(np.where(seen, np.inf, least)))
            step = least[following]
            row_price[row_of[seen]] += step
            column_price[seen] -= step
            least[~seen] -= step
            column = following
        while column:
            row_of[column] = row_of[came_from[column]]
            column = came_from[column]
    columns = np.empty(n, dtype=np.intp)
    columns[row_of[1:] - 1] = np.arange(n)
    return columns


def strong_components(edges: NDArray[np.bool_]) -> tuple[int, NDArray[np.intp]]:
    """Return number and labels of the strongly connected parts of a graph.

    Two nodes are in the same part if each is reached from the other; what is reached comes from
    squaring the matrix of edges.
    """
    reached = edges | np.eye(len(edges), dtype=bool)
    while True:
        further = (reached.astype(float) @ reached.astype(float)) > 0.0
        if (further == reached).all():
            break
        reached = further
    first = (reached & reached.T).argmax(axis=1)
    parts, labels = np.unique(first, return_inverse=True)
    return len(parts), labels
