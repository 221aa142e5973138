"""Which variables a stage of constraints determines: dummy derivatives by weighted pivoting.

With offsets c, d the equations that are differentiated c_i + s times (s = -1, -2, ...) determine as
many of the derivatives of order d_j + s as there are equations: these become dummy derivatives,
plain unknowns; the others are states. Any choice with a regular Jacobian will do. The columns that
a basis of greatest weight has are found by taking the heaviest first (a matroid), and among equals
the one that is best determined.

References
----------
S. E. Mattsson, G. Söderlind, *Index reduction in differential-algebraic equations using dummy
derivatives*, SIAM J. Sci. Comput. 14 (1993) 677-692.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# What is left of a column, of rows of size one, after the projection on those taken before. A
# sound choice keeps away from states in which its Jacobian is nearly singular ...
_SOUND = 1e-2
# ... and where there is none, everything that is not rounding.
_INDEPENDENT = 1e-9


def basis_columns(
    jacobian: Array, weight: Sequence[tuple[int, ...]], constant: NDArray[np.bool_]
) -> list[int] | None:
    """Choose as many independent columns as there are rows, heavy ones first.

    Parameters
    ----------
    jacobian : numpy.ndarray
        Derivative of the equations of a stage by the candidates.
    weight : sequence of tuple
        The heavier a column, the sooner it is taken.
    constant : numpy.ndarray
        Which entries do not change with the state: that one is small, as behind a gear, is no sign
        of a singularity nearby.

    Returns
    -------
    list of int or None
        In ascending order; None if the rows depend on each other.
    """
    count = jacobian.shape[0]
    left = _balanced(jacobian, constant)
    size = np.abs(left).max(axis=1, keepdims=True, initial=0.0)
    left = left / np.where(size > 0.0, size, 1.0)
    chosen: list[int] = []
    for least in (_SOUND, _INDEPENDENT):
        for group in _groups(weight):
            pending = [j for j in group if j not in chosen]
            while pending and len(chosen) < count:
                remaining = np.linalg.norm(left[:, pending], axis=0)
                # Among equals the last declared: the first stays a state.
                best = len(pending) - 1 - int(np.argmax(np.round(remaining, 6)[::-1]))
                if remaining[best] <= least:
                    break
                column = pending.pop(best)
                direction = left[:, column] / remaining[best]
                left = left - np.outer(direction, direction @ left)
                chosen.append(column)
    return sorted(chosen) if len(chosen) == count else None


def _balanced(matrix: Array, constant: NDArray[np.bool_]) -> Array:
    """Scale rows and columns so that constant entries have the size one, as far as they can.

    Their logarithms, with one number for each row and each column added, are as near to zero as
    least squares make them: the units of variables that only gears connect then do not matter.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.linalg import lsqr

    rows, columns = np.nonzero(constant & (matrix != 0.0))
    if not len(rows):
        return matrix
    count, width = matrix.shape
    each = np.arange(len(rows))
    places = (np.concatenate([each, each]), np.concatenate([rows, count + columns]))
    shape = (len(rows), count + width)
    incidence = coo_array((np.ones(2 * len(rows)), places), shape=shape).tocsr()
    sizes = np.log(np.abs(matrix[rows, columns]))
    found = np.exp(lsqr(incidence, -sizes, atol=1e-6, btol=1e-6)[0])
    return np.asarray(matrix * found[:count, None] * found[None, count:], dtype=float)


def _groups(weight: Sequence[Hashable]) -> list[list[int]]:
    found: dict[Hashable, list[int]] = {}
    for j, key in enumerate(weight):
        found.setdefault(key, []).append(j)
    return [found[key] for key in sorted(found, reverse=True)]  # type: ignore[type-var]
