"""Bryant angles: R = Rx(phi_1) Ry(phi_2) Rz(phi_3), and rotations from one orientation to another.

A rotation by theta about the unit vector e, in the frame of the start R_a, has the matrix
R_a exp(e~ theta), whose entries are a + b cos(theta) + c sin(theta). The angles come back as
phi_1 = atan2(-R23, R33), phi_2 = atan2(R13, cos(phi_2)), phi_3 = atan2(-R12, R11), which keep the
signs that the arccos formulas of the thesis (6.99) lose.

All functions but `bryant_matrix` take numbers, arrays and CasADi's expressions alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from cranebridge.path.base import FloatArray
from cranebridge.path.functions import Series, Value, arctan2, cos, floor, sin, sqrt, taylor, where

Entries = Mapping[tuple[int, int], tuple[Value, Value, Value]]
"""a, b, c of the entries of a rotation matrix, counted from one."""

NEEDED = ((1, 1), (1, 2), (1, 3), (2, 3), (3, 3))
"""The entries that the Bryant angles are found from."""
# Below this, the vector part of a unit quaternion is no rotation, in single precision neither.
_NO_ROTATION = 1e-9


def bryant_matrix(phi: Sequence[float]) -> FloatArray:
    """Return the rotation matrix Rx(phi_1) Ry(phi_2) Rz(phi_3)."""
    return np.array(bryant_rows(phi))


def bryant_rows(phi: Sequence[Value]) -> list[list[Value]]:
    """Return the rows of the rotation matrix Rx(phi_1) Ry(phi_2) Rz(phi_3)."""
    (c1, s1), (c2, s2), (c3, s3) = ((cos(p), sin(p)) for p in phi)
    return [
        [c2 * c3, -c2 * s3, s2],
        [c1 * s3 + s1 * s2 * c3, c1 * c3 - s1 * s2 * s3, -s1 * c2],
        [s1 * s3 - c1 * s2 * c3, s1 * c3 + c1 * s2 * s3, c1 * c2],
    ]


def short_way(start: Sequence[Value], goal: Sequence[Value]) -> tuple[list[Value], Value]:
    """Return the axis, in the frame of the start, and the angle of the short way.

    Where there is nothing but rounding to turn, the axis is shorter than one.
    """
    (a0, *a), (b0, *b) = _quaternion(start), _quaternion(goal)
    w = a0 * b0 + _dot(a, b)
    v = [a0 * y - b0 * x - c for x, y, c in zip(a, b, _cross(a, b), strict=True)]
    length = sqrt(_dot(v, v))
    sign = where(w < 0.0, -1.0, 1.0)
    divisor = where(length < _NO_ROTATION, _NO_ROTATION, length)
    return [sign * x / divisor for x in v], 2.0 * arctan2(length, sign * w)


def _quaternion(phi: Sequence[Value]) -> list[Value]:
    """Return the unit quaternion (scalar first) of Bryant angles."""
    (c1, s1), (c2, s2), (c3, s3) = ((cos(p / 2), sin(p / 2)) for p in phi)
    return [
        c1 * c2 * c3 - s1 * s2 * s3,
        s1 * c2 * c3 + c1 * s2 * s3,
        c1 * s2 * c3 - s1 * c2 * s3,
        c1 * c2 * s3 + s1 * s2 * c3,
    ]


def _dot(a: Sequence[Value], b: Sequence[Value]) -> Value:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Sequence[Value], b: Sequence[Value]) -> list[Value]:
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]


def bryant_angles(
    entries: Entries,
    theta: Series,
    branch: Value,
    near: Sequence[Value],
) -> list[Series]:
    """Return the series of the Bryant angles of R(theta), each closest to its value in `near`."""
    cosines, sines = taylor.cos_sin(theta)

    def entry(i: int, j: int) -> Series:
        a, b, c = entries[i, j]
        series = taylor.sum_of(taylor.scale(b, cosines), taylor.scale(c, sines))
        return [series[0] + a, *series[1:]]

    r11, r12, r13, r23, r33 = (entry(*ij) for ij in NEEDED)
    cosine = taylor.sqrt(taylor.sum_of(taylor.multiply(r11, r11), taylor.multiply(r12, r12)))
    angles = [
        taylor.arctan2(taylor.scale(-branch, r23), taylor.scale(branch, r33)),
        taylor.arctan2(r13, taylor.scale(branch, cosine)),
        taylor.arctan2(taylor.scale(-branch, r12), taylor.scale(branch, r11)),
    ]
    return [
        [phi[0] + _turns(wanted, phi[0]), *phi[1:]]
        for phi, wanted in zip(angles, near, strict=True)
    ]


def branch_of(start: Sequence[Value]) -> Value:
    """Return the sign of cos(phi_2), which cannot change without passing gimbal lock."""
    return where(cos(start[1]) < 0.0, -1.0, 1.0)


def matrix_entries(start: Sequence[Value], axis: Sequence[Value]) -> Entries:
    """Return a, b, c of R_ij(theta) = a + b cos(theta) + c sin(theta), as far as they are needed.

    With a row r of the start's matrix they are (r e) e_j, r_j - (r e) e_j and (r x e)_j.
    """
    rows = bryant_rows(start)
    found = {}
    for i, j in NEEDED:
        row = rows[i - 1]
        along = _dot(row, axis) * axis[j - 1]
        found[i, j] = along, row[j - 1] - along, _cross(row, axis)[j - 1]
    return found


def rotation_series(
    start: Sequence[Value], goal: Sequence[Value], progress: Series, near: Sequence[Value]
) -> list[Series]:
    """Map the Taylor series of c to those of the Bryant angles, the short way from start to goal.

    Parameters
    ----------
    start, goal : sequence
        Bryant angles.
    progress : list
        Taylor series of c.
    near : sequence
        Angles shortly before, from which they are continued.
    """
    axis, angle = short_way(start, goal)
    theta = taylor.scale(angle, progress)
    return bryant_angles(matrix_entries(start, axis), theta, branch_of(start), near)


def _turns(near: Value, angle: Value) -> Value:
    """Return the whole turns that bring an angle closest to another one."""
    turn = 2.0 * math.pi
    return turn * floor((near - angle) / turn + 0.5)
