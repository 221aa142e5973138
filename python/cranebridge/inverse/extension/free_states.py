"""Which derivatives of a servo problem are free, and in which order the others follow from them.

Stage k of the staged system has the equations with c_i + k >= 0 and the unknowns x_j^(d_j + k) with
d_j + k >= 0. For a problem with internal dynamics some stages k < 0 have more unknowns than
equations. From the last stage down to the first, as many unknowns as there are equations are kept
as *dependent*, always among those of the stage above (the selection of dummy derivatives): then
the others are coordinates with all their lower derivatives, and the rate of each free one is either
free, too, or dependent in the next stage. The free ones are the state eta of the internal dynamics.

References
----------
S. E. Mattsson, G. Söderlind, Index reduction in differential-algebraic equations using dummy
derivatives, SIAM J. Sci. Comput. 14 (1993) 677-692.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse.extension.servo_structure import Structure
from cranebridge.structure import best_assignment, strong_components

Array = NDArray[np.float64]
Numbers = tuple[int, ...]

# A column is taken where it is left this large by those taken before it, relative to the largest:
# of columns that serve as well as each other the first one, so that drives are dependent.
GOOD_PIVOT = 0.3
# Below this part of a column nothing is left of it but rounding.
NO_PIVOT = 1e-9
# A column whose entries are no larger than this part of their rows is rounding itself: the slope of
# a rope that hangs upright from a point found by Newton's method.
ROUNDED = 1e-14


@dataclass(frozen=True)
class FreeStates:
    """Free and dependent unknowns.

    Attributes
    ----------
    free : tuple of (int, int)
        The state eta: variable and order of its derivative, lower orders first.
    dependent : tuple of tuple of int
        For the stages 0, -1, -2, ...: their variables that follow from the equations.
    """

    free: tuple[tuple[int, int], ...]
    dependent: tuple[Numbers, ...]

    def names(self, structure: Structure) -> tuple[str, ...]:
        """Return the names of the free states, such as ``q.phi`` and ``q.phi'``."""
        return tuple(structure.variables[j] + "'" * order for j, order in self.free)


def choose_free(structure: Structure, jacobian: Array) -> FreeStates | None:
    """Choose the free states by pivoting on the system Jacobian near the start.

    Returns None where the Jacobian is singular there.
    """
    c, d = np.array(structure.equation_offsets), np.array(structure.variable_offsets)
    columns: Numbers | None = _pivots(jacobian, range(len(d)), len(c))
    if columns is None:
        return None
    dependent = [columns]
    for stage in range(-1, -int(d.max()) - 1, -1):
        rows = np.flatnonzero(c + stage >= 0)
        columns = _pivots(jacobian[rows], columns, rows.size)
        if columns is None:
            return None
        dependent.append(columns)
    free = [
        (int(d[j]) - below, int(j))
        for below, taken in enumerate(dependent)
        for j in np.flatnonzero(d >= below)
        if j not in taken
    ]
    return FreeStates(tuple((j, order) for order, j in sorted(free)), tuple(dependent))


def _pivots(matrix: Array, columns: Sequence[int], count: int) -> Numbers | None:
    """Return `count` of some columns of a matrix that are well independent, in their order."""
    columns = list(columns)
    left = matrix[:, columns].astype(float)
    rows = np.abs(left).max(axis=1, initial=0.0)
    if not np.isfinite(rows).all():
        return None
    left /= np.where(rows > 0.0, rows, 1.0)[:, None]
    sizes = np.linalg.norm(left, axis=0)
    left /= np.where(sizes > ROUNDED, sizes, 1.0)
    taken: list[int] = []
    for _ in range(count):
        sizes = np.linalg.norm(left, axis=0)
        if not sizes.max(initial=0.0) > NO_PIVOT:
            return None
        pivot = int(np.argmax(sizes >= GOOD_PIVOT * sizes.max()))
        direction = left[:, pivot] / sizes[pivot]
        for _repeated in range(2):  # once more: what rounding left of the direction
            left -= np.outer(direction, direction @ left)
        left[:, pivot] = 0.0
        taken.append(columns[pivot])
    return tuple(sorted(taken))


@dataclass(frozen=True)
class StageBlock:
    """Equations of a stage that are solved together for their unknowns."""

    equations: Numbers
    variables: Numbers


def stage_blocks(
    pattern: NDArray[np.bool_], rows: Sequence[int], columns: Sequence[int]
) -> tuple[StageBlock, ...]:
    """Return the blocks of a stage in the order of solution (block triangular form).

    Parameters
    ----------
    pattern : numpy.ndarray
        Present entries of the system Jacobian.
    rows, columns : sequence of int
        Equations and dependent variables of the stage; as many of one as of the other.
    """
    if not len(rows):
        return ()
    part = pattern[np.ix_(rows, columns)]
    matched = best_assignment(np.where(part, 0.0, -1.0))
    owner = np.argsort(matched)  # the row that is solved for each column
    needs = part[owner]
    number, labels = strong_components(needs)
    above = np.zeros((number, number), dtype=bool)
    for j, k in np.argwhere(needs):
        above[labels[j], labels[k]] |= labels[j] != labels[k]
    order: list[int] = []
    while len(order) < number:
        waiting = [b for b in range(number) if b not in order]
        order.extend(b for b in waiting if not above[b, waiting].any())
    members = [np.flatnonzero(labels == label) for label in order]
    return tuple(
        StageBlock(
            tuple(int(x) for x in np.asarray(rows)[owner[part]]),
            tuple(int(x) for x in np.asarray(columns)[part]),
        )
        for part in members
    )
