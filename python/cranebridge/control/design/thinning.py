"""Gain tables with fewer rows: straight lines between chosen times, within a stated error.

A controller's memory is small and gains change slowly. Rows are chosen one after the other, each as
far as the straight line from the last one stays within the error at all rows between. The error is
that of the inputs: of each input, relative to the largest part that any one signal, in its size,
has in it along the motion.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.design.law import Law
from cranebridge.errors import InputError

Array = NDArray[np.float64]

TABLES = ("K", "K_integral", "K_past", "K_disturbance")


def thinned_rows(law: Law, error: float) -> NDArray[np.intp]:
    """Return the rows between which the gains of a law may be interpolated.

    Parameters
    ----------
    law : Law
        The law.
    error : float
        Largest error of an input's part, relative to its largest part.

    Raises
    ------
    InputError
        If the error is not positive.
    """
    if not (math.isfinite(error) and error > 0.0):
        raise InputError(f"the error of a thinned table must be positive, got {error:g}")
    table = np.concatenate([getattr(law, name) for name in TABLES], axis=2)
    # each signal that is fed back in proportion to its own gain
    largest = np.abs(table).max(axis=(0, 1))
    parts = table * (1.0 / np.where(largest > 0.0, largest, 1.0))
    whole = np.abs(parts).max(axis=(0, 2))
    values = (parts / np.where(whole > 0.0, whole, 1.0)[:, None]).reshape(len(table), -1)
    return straight_rows(values, error)


def straight_rows(values: Array, error: float) -> NDArray[np.intp]:
    """Return rows of a table between which straight lines are wrong by at most an error."""
    rows, last = [0], len(values) - 1
    while rows[-1] < last:
        rows.append(_furthest(values, rows[-1], last, error))
    return np.array(rows)


def _furthest(values: Array, begin: int, last: int, error: float) -> int:
    """Return the last row that a straight line from `begin` may reach; by doubling, then halving.

    A row that can be reached after one that cannot is not looked for.
    """

    def reaches(end: int) -> bool:
        part = (np.arange(begin + 1, end) - begin)[:, None] / (end - begin)
        line = values[begin] + part * (values[end] - values[begin])
        return bool(np.abs(values[begin + 1 : end] - line).max(initial=0.0) <= error)

    good, step = begin + 1, 1
    while good < last and reaches(min(good + step, last)):
        good, step = min(good + step, last), 2 * step
    bad = min(good + step, last + 1)
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if reaches(middle) else (good, middle)
    return good


def interpolated_law(law: Law, rows: NDArray[np.intp]) -> Law:
    """Return the law with its table interpolated between the rows: what a thinned table does."""
    if rows[0] != 0 or rows[-1] != len(law.time) - 1:
        raise InputError("the first and the last row of a table must be kept")
    at = np.arange(len(law.time))
    i = np.clip(np.searchsorted(rows, at, side="right") - 1, 0, len(rows) - 2)
    part = ((at - rows[i]) / (rows[i + 1] - rows[i]))[:, None, None]

    def between(table: Array) -> Array:
        return np.asarray((1.0 - part) * table[rows[i]] + part * table[rows[i + 1]])

    return replace(
        law,
        K=between(law.K),
        K_integral=between(law.K_integral),
        K_past=between(law.K_past),
        K_disturbance=between(law.K_disturbance),
    )
