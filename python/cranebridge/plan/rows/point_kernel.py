"""Rows of a flat motion as one compiled C kernel over lanes, and how it is called."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from pathlib import Path

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.inverse.extension import Stages
from cranebridge.inverse.kernels import (
    RowsPointer,
    compile_lanes,
    compiles,
    lanes_source,
    rows_pointer,
    vector_function,
)

Array = NDArray[np.float64]

_CALLING = Path(__file__).with_name("c") / "points.h"
# Lines of a C function at most.
_LENGTH = 100
# How they are optimised. Derivatives are long: a compiler takes 2 s for those of a rotary crane's
# limits so, 3 s with -O2, which makes them no faster.
_LEVEL = "-O1"


class PointKernel:
    """The compiled functions of rows; arguments and results have a row for each time.

    Parameters
    ----------
    library : str
        The shared library.
    count, size, unknowns : int
        Numbers of rows, of the path's derivatives with the duration, and of Newton's unknowns.
    """

    def __init__(self, library: str, count: int, size: int, unknowns: int) -> None:
        self._count, self._size, self._unknowns = count, size, unknowns
        code = ctypes.CDLL(library)
        self._settle, self._values = code.cb_settle, code.cb_values
        self._slopes, self._curvature = code.cb_slopes, code.cb_curvature
        self._settle.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_double, ctypes.c_void_p)
        for function in (self._values, self._slopes, self._curvature):
            function.argtypes = (ctypes.c_long, ctypes.c_void_p)
        for function in (self._settle, self._values, self._slopes, self._curvature):
            function.restype = None

    def settle(self, z: Array, w: Array, p: Array, sweeps: int, tolerance: float) -> Array:
        """Return Newton's unknowns for a path, from those nearby; NaN where there are none."""
        found = np.empty((len(z), self._unknowns))
        self._settle(len(z), sweeps, tolerance, *_pointers(z, w, p, found))
        return found

    def values(self, z: Array, w: Array, given: Array) -> Array:
        """Return the rows."""
        found = np.empty((len(z), self._count))
        self._values(len(z), *_pointers(z, w, given, found))
        return found

    def slopes(self, z: Array, w: Array, given: Array) -> tuple[Array, Array]:
        """Return the rows and their derivatives by z."""
        found = np.empty((len(z), self._count))
        by_z = np.empty((len(z), self._count * self._size))
        self._slopes(len(z), *_pointers(z, w, given, found, by_z))
        return found, by_z.reshape(len(z), self._count, self._size)

    def curvature(self, z: Array, w: Array, weights: Array, given: Array) -> Array:
        """Return the second derivatives by z of the weighted sum of the rows."""
        found = np.empty((len(z), self._size**2))
        self._curvature(len(z), *_pointers(z, w, given, weights, found))
        return found.reshape(len(z), self._size, self._size)


def kernel_of_rows(stages: Stages, functions: Mapping[str, ca.Function]) -> PointKernel | None:
    """Return the compiled kernel of rows; None where nothing can be compiled.

    Parameters
    ----------
    stages : Stages
        Of the crane.
    functions : mapping of str to casadi.Function
        `rows`, `slopes` and `second` of :mod:`cranebridge.plan.rows.point_rows`.
    """
    if not compiles("auto"):
        return None
    unknowns = len(stages.guess)
    count = functions["rows"].numel_out(0)
    size = functions["rows"].numel_in(0) - unknowns
    sizes = {
        "UNKNOWNS": unknowns,
        "OUTPUTS": stages.sweep.size1_in(1),
        "ORDERS": stages.sweep.size2_in(1),
        "PARAMETERS": stages.sweep.numel_in(2),
        "GIVEN": functions["rows"].numel_in(1),
        "COUNT": count,
        "SIZE_Z": size,
        "BY_DIRECTION": int(functions["second"].numel_in(0) > 0),
    }
    try:
        text = "\n".join(
            vector_function(function, name, _LENGTH)
            for name, function in {
                "sweep": stages.sweep,
                "values": functions["rows"],
                "slopes": functions["slopes"],
                "second": functions["second"],
            }.items()
        )
    except InputError:
        return None  # an operation that only CasADi knows
    defined = "".join(f"#define {name} {size}\n" for name, size in sizes.items())
    calling = _CALLING.read_text(encoding="utf-8")
    library = compile_lanes("points", lanes_source(defined, text, calling), "auto", level=_LEVEL)
    return None if library is None else PointKernel(str(library), count, size, unknowns)


def _pointers(*arrays: Array) -> tuple[ctypes.Array[RowsPointer]]:
    """Describe arrays of numbers to C; those that are not contiguous are no results."""
    return ((RowsPointer * len(arrays))(*(rows_pointer(array) for array in arrays)),)
