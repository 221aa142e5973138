"""Offsets that are as low as they can be: no derivative of the path that nothing depends on.

A regular system Jacobian J_ij = df_i / dx_j^(d_j - c_i) fixes the number of free initial values. It
only *bounds* the index and the derivatives of the signals: highest derivatives in an equation that
cancel against those of others *but for one variable of lower order* leave it regular. (The force of
an elastic rope, EA (d - l) / l, stands beside accelerations which the path prescribes; the length
paid out l seems to need two more derivatives of the path than it does.)

**What is needed.** At the last stage the equations are J x^(d) + G g^(e) = ..., linear in the
highest derivatives, e being the offsets of the signals. Solved for the signals it tells what each
g_l^(e_l) moves. Where it moves none of the variables that are not differentiated themselves
(d_j = 0), no variable depends on it: with e_l the offsets ask for too much. Where it moves one, the
solution depends on g_l^(e_l), and no other way of solving can do without it.

**What is done.** The combination of :mod:`cranebridge.structure.conversion`, without the columns
of the variables that stay, as long as the orders of the signals fall and J stays regular.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cranebridge.structure.analysis import Analysis
from cranebridge.structure.conversion import Combination, combined, pivot_matrices, pivots
from cranebridge.structure.pryce import ABSENT, offsets
from cranebridge.structure.random_states import SPREAD, Start
from cranebridge.structure.ranks import (
    JacobianSampler,
    generic_rank,
    numerical_rank,
    sample,
    scales,
)

Array = NDArray[np.float64]
Integers = NDArray[np.int_]
Flags = NDArray[np.bool_]

# Parts of the largest, all in units in which J's rows and columns have the size one. What nothing
# depends on comes out as 1e-18 and less; lumps of 16 kg in a rope under 10 t leave 1e-8.
_ZERO = 1e-12
_POINTS = 2


def needed_signals(analysis: Analysis, start: Start) -> Flags | None:
    """Return whether the solution depends on the highest derivative of each signal.

    Parameters
    ----------
    analysis : Analysis
        With a system Jacobian that is regular near the start.
    start : Start
        Where the problem starts.

    Returns
    -------
    numpy.ndarray or None
        None where the start is not known, or no consistent state was found near it.
    """
    if not start.known:
        return None
    states = JacobianSampler(analysis, start)
    free = analysis.d == 0
    needed = np.zeros(len(analysis.signal_offsets), dtype=bool)
    looked = False
    for spread in (SPREAD,) * _POINTS + (0.1 * SPREAD,):
        found = states.both(spread)
        if found is None or numerical_rank(found[0]) < len(analysis.c):
            continue
        looked = True
        jacobian, signals = found
        rows, columns = scales(jacobian)
        moved = np.abs(np.linalg.solve(jacobian * rows * columns, signals * rows))
        needed |= moved[free].max(axis=0, initial=0.0) > _ZERO * moved.max(axis=0, initial=0.0)
        if needed.all():
            break
    return needed if looked else None


def lower(analysis: Analysis, start: Start) -> tuple[Analysis, tuple[Combination, ...], Flags]:
    """Combine equations of a DAE with a regular system Jacobian until nothing unneeded is asked.

    Returns
    -------
    analysis : Analysis
        Of the equations as they are now.
    combinations : tuple of Combination
        What was combined.
    needed : numpy.ndarray
        Whether the solution was shown to depend on the highest derivative of each signal: where it
        was for all, the orders are the lowest that there are.
    """
    found: list[Combination] = []
    while True:
        needed = needed_signals(analysis, start)
        if needed is None:
            return analysis, tuple(found), np.zeros(len(analysis.signal_offsets), dtype=bool)
        needed |= analysis.signal_offsets == 0
        better = None if needed.all() else _lowered(analysis, start)
        if better is None:
            return analysis, tuple(found), needed
        analysis, combination = better
        found.append(combination)


def _demand(analysis: Analysis) -> tuple[int, int]:
    orders = analysis.signal_offsets
    return int(orders.max(initial=0)), int(orders.sum())


def _lowered(analysis: Analysis, start: Start) -> tuple[Analysis, Combination] | None:
    """Return the combination after which least is asked of the signals; None if none lowers it."""
    jacobians, states = sample(analysis, start)
    matrices = pivot_matrices(jacobians, states)
    best: tuple[Analysis, Combination] | None = None
    for row, gone, others in _dependent(analysis, jacobians):
        circuit = sorted([row, *others])
        for _, chosen in pivots(circuit, [row], [matrix[:, gone] for matrix in matrices]):
            columns = [int(gone[j]) for j in chosen]
            least = int(analysis.c[row])
            for following, combination in combined(analysis, start, row, circuit, columns, least):
                if _demand(following) >= _demand(best[0] if best else analysis):
                    continue
                if generic_rank(sample(following, start)[0]) == len(analysis.c):
                    best = following, combination
    return best


def _dependent(
    analysis: Analysis, jacobians: Sequence[Array]
) -> Iterator[tuple[int, Integers, list[int]]]:
    """Yield equations whose highest derivatives cancel but for those that are kept.

    Yields
    ------
    row : int
        The equation.
    gone : numpy.ndarray
        The columns of the variables that are not kept.
    others : list of int
        Equations with which what it has in these columns can be cancelled, as few as can be.
    """
    size = len(analysis.c)
    pattern = np.asarray((np.abs(np.array(jacobians)) > 0.0).any(axis=0))
    carried = (analysis.path + analysis.c[:, None]).max(axis=1, initial=-np.inf)
    for row in range(size):
        usable = [i for i in range(size) if i != row and analysis.c[i] >= analysis.c[row]]
        # Left out first are those that carry the highest derivatives of the signals.
        usable.sort(key=lambda i: (-carried[i], int(analysis.c[i])))
        present = np.flatnonzero(pattern[row])
        for kept in _kept(analysis, row, present):
            if _may_lower(analysis, row, np.setdiff1d(present, kept)):
                gone = np.setdiff1d(np.arange(size), kept)
                others = _spanning(row, usable, [jacobian[:, gone] for jacobian in jacobians])
                if others:
                    yield row, gone, others


def _kept(analysis: Analysis, row: int, present: Integers) -> list[Integers]:
    """Return which highest derivatives in an equation may stay: those of low order, and each one.

    What cancels are accelerations; what stays beside them are the coordinates.
    """
    orders = analysis.d[present] - analysis.c[row]
    low = [present[orders <= order] for order in sorted(set(orders.tolist()))[:-1]]
    return low + [present[[k]] for k in range(len(present)) if len(present) > 1]


def _may_lower(analysis: Analysis, row: int, gone: Integers) -> bool:
    """Return whether an equation without some highest derivatives could ask less of the path."""
    sigma = analysis.signature.copy()
    sigma[row, gone] = ABSENT
    found = offsets(sigma)
    if found is None:  # lower derivatives that stay must carry it
        orders = analysis.d[gone] - analysis.c[row] - 1.0
        sigma[row, gone] = np.where(orders >= 0.0, orders, ABSENT)
        found = offsets(sigma)
    if found is None:
        return False
    return _demand(replace(analysis, c=found[0], d=found[1])) < _demand(analysis)


def _spanning(row: int, usable: Sequence[int], parts: Sequence[Array]) -> list[int]:
    """Return as few of the usable rows as can be that span a row; none if they do not."""

    def spanned(rows: Sequence[int]) -> bool:
        return all(
            numerical_rank(part[[*rows, row]]) == numerical_rank(part[list(rows)]) for part in parts
        )

    left = list(usable)
    if not spanned(left):
        return []
    for i in usable:
        rest = [k for k in left if k != i]
        if rest and spanned(rest):
            left = rest
    return left
