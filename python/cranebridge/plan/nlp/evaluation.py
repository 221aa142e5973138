"""All rows of a program with their derivatives, as entries of one Jacobian and one Hessian.

What single times contribute is seen through the constant matrices of their groups and summed up in
C (`c/assembly.c`); by NumPy where nothing can be compiled.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse.kernels import compile_source, compiles
from cranebridge.plan.nlp.group import Index, RowGroup

Array = NDArray[np.float64]
Places = NDArray[np.int_]

_ASSEMBLY = Path(__file__).with_name("c") / "assembly.c"
_FLAGS = ("-O3", "-fPIC", "-shared", "-fno-math-errno", "-ffp-contract=off")


class Evaluation:
    """All rows at the last variables, each computed once for them.

    Parameters
    ----------
    groups : sequence of RowGroup
        Constraints and terms of the objective.
    size : int
        How many variables there are.
    """

    def __init__(self, groups: Sequence[RowGroup], size: int) -> None:
        self._groups, self._x = groups, np.empty(0)
        self._z: dict[int, tuple[Array, Array]] = {}
        self._slopes: dict[int, tuple[Array, Array]] = {}
        self.chosen = [group.chosen for group in groups]
        self._bounded = [k for k, group in enumerate(groups) if group.cost is None]
        self._curved = [k for k, group in enumerate(groups) if not group.rows.linear]
        self._own = [np.flatnonzero(chosen).astype(np.int_) for chosen in self.chosen]
        self._matrices = [np.ascontiguousarray(group.matrix, dtype=float) for group in groups]
        self.count = sum(self._own[k].size for k in self._bounded)
        self.jacobian, self._slope_places = _pattern(
            [self._slope_places_of(k) for k in self._bounded], (self.count, size)
        )
        self.hessian, self._curvature_places = _pattern(
            [_curvature_places_of(groups[k]) for k in self._curved], (size, size)
        )
        self._linear = self._linear_entries()

    def _slope_places_of(self, k: int) -> tuple[Index, Index]:
        """Return rows and columns of the first derivatives of a group; -1 for none."""
        group, number = self._groups[k], self._bounded.index(k)
        begin = sum(self._own[i].size for i in self._bounded[:number])
        columns = group.columns[self._own[k] // group.rows.count]
        rows = begin + np.arange(self._own[k].size)[:, None]
        return np.broadcast_to(rows, columns.shape), columns

    def _linear_entries(self) -> Array:
        """Return what linear rows contribute to the Jacobian."""
        entries = np.zeros(self.jacobian.nnz())
        for k, places in zip(self._bounded, self._slope_places, strict=True):
            group = self._groups[k]
            if group.rows.linear:
                slopes = group.rows.slopes(group.base, group.w)[1]
                add_slopes(entries, places, self._own[k], slopes, self._matrices[k])
        return entries

    def move(self, x: Array) -> None:
        """Take other variables; the unknowns follow from those found last."""
        if np.array_equal(x, self._x):
            return
        self._x, self._z, self._slopes = x.copy(), {}, {}
        for k, group in enumerate(self._groups):
            z = group.arguments(x)
            w = group.rows.settle(z, group.w)
            if np.isfinite(w).all():
                group.w = w
            self._z[k] = z, w

    def values(self, k: int) -> Array:
        """Return the rows of a group."""
        if k in self._slopes:
            return self._slopes[k][0]
        return self._groups[k].rows.values(*self._z[k])

    def slopes(self, k: int) -> Array:
        """Return the derivatives of the rows of a group by what they see."""
        if k not in self._slopes:
            self._slopes[k] = self._groups[k].rows.slopes(*self._z[k])
        return self._slopes[k][1]

    def slopes_by_variables(self, k: int) -> Array:
        """Return the derivatives of the rows of a group by the variables that act."""
        return np.asarray(self.slopes(k) @ self._matrices[k])

    def jacobian_entries(self) -> Array:
        """Return the derivatives of all constraints."""
        entries = self._linear.copy()
        for k, places in zip(self._bounded, self._slope_places, strict=True):
            if not self._groups[k].rows.linear:
                add_slopes(entries, places, self._own[k], self.slopes(k), self._matrices[k])
        return entries

    def hessian_entries(self, weights: Sequence[Array]) -> Array:
        """Return the second derivatives of the sum of all rows, each with its weight.

        Parameters
        ----------
        weights : sequence of numpy.ndarray
            Of all rows of each group.
        """
        entries = np.zeros(self.hessian.nnz())
        for k, places in zip(self._curved, self._curvature_places, strict=True):
            curved = self._groups[k].rows.curvature(*self._z[k], weights[k])
            add_curvature(entries, places, curved, self._matrices[k])
        return entries


def add_slopes(
    entries: Array, places: Places, chosen: Places, slopes: Array, matrix: Array
) -> None:
    """Add the derivatives of chosen rows by the variables to entries at their places.

    Parameters
    ----------
    entries : numpy.ndarray
        What is added to.
    places : numpy.ndarray
        For each chosen row and each variable that acts; -1 for none.
    chosen : numpy.ndarray
        Numbers of rows, all times after each other.
    slopes : numpy.ndarray
        Derivatives by z, (times, rows, size).
    matrix : numpy.ndarray
        z by the variables that act, (times, size, variables).
    """
    rows, code = slopes.shape[1], _code()
    if code is None:
        found = slopes.reshape(-1, 1, slopes.shape[2])[chosen] @ matrix[chosen // rows]
        np.add.at(entries, places[places >= 0], found[:, 0][places >= 0])
        return
    slopes = np.ascontiguousarray(slopes)
    code.cb_add_slopes(
        chosen.size, rows, *matrix.shape[1:], *_pointers(chosen, slopes, matrix, places, entries)
    )


def add_curvature(entries: Array, places: Places, curved: Array, matrix: Array) -> None:
    """Add second derivatives by the variables to entries at their places.

    Parameters
    ----------
    entries : numpy.ndarray
        What is added to.
    places : numpy.ndarray
        For each time and two variables that act; -1 for none.
    curved : numpy.ndarray
        Second derivatives by z, (times, size, size).
    matrix : numpy.ndarray
        z by the variables that act, (times, size, variables).
    """
    code = _code()
    if code is None:
        found = matrix.transpose(0, 2, 1) @ curved @ matrix
        np.add.at(entries, places[places >= 0], found[places >= 0])
        return
    curved, work = np.ascontiguousarray(curved), np.empty(matrix.shape[1:])
    pointers = _pointers(curved, matrix, places, work, entries)
    code.cb_add_curvature(len(curved), *matrix.shape[1:], *pointers)


def _pattern(
    parts: Sequence[tuple[Index, Index]], shape: tuple[int, int]
) -> tuple[ca.Sparsity, list[Places]]:
    """Return the pattern of all entries, and the places of the entries of each part in it."""
    keys = [
        np.where(column >= 0, column.astype(np.int64) * shape[0] + row, -1) for row, column in parts
    ]
    every = np.concatenate([np.empty(0, dtype=np.int64), *(key.ravel() for key in keys)])
    every = np.sort(every[every >= 0])  # np.unique hashes, which takes several times as long
    unique = every[np.diff(every, prepend=-1) > 0]
    starts = np.searchsorted(unique // shape[0], np.arange(shape[1] + 1))
    sparsity = ca.Sparsity(*shape, starts.tolist(), (unique % shape[0]).tolist())
    places = [np.where(key >= 0, np.searchsorted(unique, key), -1).astype(np.int_) for key in keys]
    return sparsity, places


def _curvature_places_of(group: RowGroup) -> tuple[Index, Index]:
    """Return rows and columns of second derivatives in the upper triangle; -1 for none."""
    shape = (*group.columns.shape, group.columns.shape[1])
    row = np.broadcast_to(group.columns[:, :, None], shape)
    column = np.broadcast_to(group.columns[:, None, :], shape)
    return row, np.where((row >= 0) & (row <= column), column, -1)


@cache
def _code() -> ctypes.CDLL | None:
    """Return the compiled sums; None where nothing can be compiled."""
    if not compiles("auto"):
        return None
    source = _ASSEMBLY.read_text(encoding="utf-8")
    library = compile_source("assembly", source, "auto", _FLAGS)
    if library is None:
        return None
    code = ctypes.CDLL(str(library))
    code.cb_add_slopes.argtypes = (*(ctypes.c_long,) * 4, *(ctypes.c_void_p,) * 5)
    code.cb_add_curvature.argtypes = (*(ctypes.c_long,) * 3, *(ctypes.c_void_p,) * 5)
    code.cb_add_slopes.restype = code.cb_add_curvature.restype = None
    return code


def _pointers(*arrays: Array | Places) -> list[int]:
    return [array.ctypes.data for array in arrays]
