"""Rotations of a path in compiled code: the angles of `Path.derivatives`, for any lanes."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest

from cranebridge.inverse.kernels.rotation_kernel import compiled_rotation
from cranebridge.path import Rotation
from cranebridge.path.path_tables import polynomial_table
from cranebridge.path.profiles.profile import three_phase
from cranebridge.path.shapes.bryant import bryant_matrix

ORDER = 5
ROTATIONS = {
    "short way": ((0.1, -0.2, 0.3), (2.0, 3.0, 6.0), 1.3),
    "two and a half turns": ((0.3, 0.2, -0.4), (0.0, 0.1, 1.0), 15.7),
    "backwards": ((0.3, 0.2, -0.4), (1.0, 0.05, 0.0), -7.0),
    "cosine of phi_2 negative": ((0.3, 2.9, -0.4), (0.1, 0.0, 1.0), 4.0),
}


def rotation(name: str) -> Rotation:
    start, axis, angle = ROTATIONS[name]
    unit = tuple(e / math.hypot(*axis) for e in axis)
    return Rotation(("a", "b", "c"), three_phase(8.0, 3.0), start, unit, angle)


def evaluated(path: Rotation, times: np.ndarray, left: np.ndarray, lanes: int) -> np.ndarray:
    """Call the compiled code block by block; the number of times is a multiple of eight."""
    (turn,) = polynomial_table(path, ORDER).turns
    curve = compiled_rotation(turn, 3, ORDER, lanes)
    assert curve is not None
    pointer, segment = ctypes.c_void_p, ctypes.c_long(0)
    function = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, pointer, pointer)(curve.function)
    sides = left.astype(ctypes.c_int)
    memory = np.empty(8 * 3 * (ORDER + 1) + 8)  # lanes are aligned to 64 bytes at most
    begin = (-memory.ctypes.data // 8) % 8
    block = memory[begin : begin + lanes * 3 * (ORDER + 1)].reshape(-1, lanes)
    found = np.empty((ORDER + 1, 3, times.size))
    for i in range(0, times.size, lanes):
        places = (times[i:].ctypes.data, sides[i:].ctypes.data, block.ctypes.data)
        function(ctypes.addressof(curve.path), ctypes.addressof(segment), *places)
        found[:, :, i : i + lanes] = block.reshape(ORDER + 1, 3, lanes)
    return found


@pytest.mark.parametrize("name", ROTATIONS)
def test_compiled_rotation_is_that_of_the_path(name) -> None:
    path = rotation(name)
    times = np.sort(np.concatenate([np.linspace(-0.5, 8.5, 1000 - 8), np.repeat(path.knots, 2)]))
    left = np.append(times[1:] == times[:-1], False)
    found = evaluated(path, times, left, 1)
    wanted = path.derivatives(times, ORDER)
    wanted[:, :, left] = path.derivatives(times[left], ORDER, side="left")
    size = np.abs(wanted).max(axis=2, keepdims=True)
    # the k-th derivative is k! times a coefficient whose terms are larger than their sum
    assert (np.abs(found - wanted) <= 1e-13 * size).all()


@pytest.mark.parametrize("lanes", [2, 4, 8])
@pytest.mark.parametrize("name", ROTATIONS)
def test_number_of_lanes_changes_no_bit_of_a_rotation(name, lanes) -> None:
    path, times = rotation(name), np.linspace(0.0, 8.0, 1000)
    left = np.arange(1000) == 999
    one, many = (evaluated(path, times, left, n) for n in (1, lanes))
    assert one.tobytes() == many.tobytes()


def test_angles_are_those_of_a_rotation_about_the_axis() -> None:
    """After a whole turn the orientation is that of the start; on the way the axis stays."""
    start, unit = (0.3, 0.2, -0.4), np.array([0.0, 0.6, 0.8])
    path = Rotation(("a", "b", "c"), three_phase(8.0, 3.0), start, tuple(unit), 2.0 * math.pi)
    times = np.linspace(0.0, 8.0, 16)
    phi = evaluated(path, times, np.zeros(16, dtype=bool), 8)[0]
    first = bryant_matrix(start)
    for column in phi.T:
        assert bryant_matrix(column) @ unit == pytest.approx(first @ unit, abs=1e-14)
    assert bryant_matrix(phi[:, -1]) == pytest.approx(first, abs=1e-14)


def test_rotation_by_nothing_holds_its_angles() -> None:
    path = Rotation(("a", "b", "c"), three_phase(8.0, 3.0), (0.1, 0.2, 0.3), (0.0, 0.0, 1.0), 0.0)
    table = polynomial_table(path, ORDER)
    assert (len(table.tracks), table.turns, table.others) == (3, (), ())
