"""Rotations of a path, evaluated by compiled code over lanes.

The geometry is that of `path.bryant`, over symbols in place of arrays.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse.kernels.kernel_building import compile_lanes, kernel_text, lanes_source
from cranebridge.inverse.kernels.vector_code import vector_function
from cranebridge.inverse.kernels.vector_kernel import CompiledCurve, TrackPointer, track_pointer
from cranebridge.path import Turn
from cranebridge.path.functions import taylor
from cranebridge.path.shapes import NEEDED, bryant_angles

_Pair = ctypes.c_void_p * 2


class _Rotation(ctypes.Structure):
    _fields_ = (
        ("progress", TrackPointer),
        ("entries", ctypes.c_double * (3 * len(NEEDED))),
        *((name, ctypes.c_double) for name in ("angle", "branch", "second")),
        ("bounds", _Pair),
        ("values", _Pair),
        ("bound_count", ctypes.c_long * 2),
        ("outputs", ctypes.c_long * 3),
        ("output_count", ctypes.c_long),
    )


def compiled_rotation(turn: Turn, count: int, order: int, lanes: int) -> CompiledCurve | None:
    """Return a rotation for a kernel with as many lanes; None where it cannot be compiled.

    Parameters
    ----------
    turn : Turn
        The rotation.
    count : int
        How many outputs the path has.
    order : int
        The highest derivative.
    lanes : int
        Of the kernel.
    """
    library = _library(order, lanes)
    if library is None:
        return None
    held: list[NDArray[np.float64] | NDArray[np.int_]] = []

    def pointer(array: NDArray[np.float64]) -> int:
        held.append(np.ascontiguousarray(array, dtype=float))
        return held[-1].ctypes.data

    path = turn.path
    bounds, values = zip(*path.quadrants, strict=True)
    content = _Rotation(
        progress=track_pointer(turn.progress, held),
        entries=(ctypes.c_double * (3 * len(NEEDED)))(
            *(x for place in NEEDED for x in path.entries[place])
        ),
        angle=path.angle,
        branch=path.branch,
        second=path.start[1],
        bounds=_Pair(*map(pointer, bounds)),
        values=_Pair(*map(pointer, values)),
        bound_count=(ctypes.c_long * 2)(*map(len, bounds)),
        outputs=(ctypes.c_long * 3)(*turn.outputs),
        output_count=count,
    )
    address = ctypes.cast(library.cb_rotation, ctypes.c_void_p).value
    assert address is not None
    return CompiledCurve(address, content, (library, *held))


@lru_cache(maxsize=16)
def _library(order: int, lanes: int) -> ctypes.CDLL | None:
    """Return the code for derivatives up to an order."""
    sizes = f"#define ORDERS {order + 1}\n#define OUTPUTS 1\n#define UNKNOWNS 0\n"
    text = vector_function(_angles(order), "angles")
    source = lanes_source(sizes, text, kernel_text("path"), kernel_text("rotation"))
    file = compile_lanes("rotation", source, "auto", lanes)
    return None if file is None else ctypes.CDLL(str(file))


def _angles(order: int) -> ca.Function:
    """Return the angles' derivatives from those of progress."""
    progress, near = ca.SX.sym("c", order + 1), ca.SX.sym("near", 3)
    numbers = ca.SX.sym("r", 3, len(NEEDED))
    angle, branch = ca.SX.sym("angle"), ca.SX.sym("branch")
    entries = {
        place: (numbers[0, i], numbers[1, i], numbers[2, i]) for i, place in enumerate(NEEDED)
    }
    theta = taylor.scale(angle, taylor.from_derivatives(ca.vertsplit(progress)))
    found = bryant_angles(entries, theta, branch, ca.vertsplit(near))
    columns = [ca.vertcat(*taylor.to_derivatives(series)) for series in found]
    return ca.Function("angles", [progress, numbers, angle, branch, near], [ca.horzcat(*columns)])
