"""A crane's linear model with the speed loops of its drives closed: velocity references as inputs.

With F = F_0 + kp (w - v) + ki e, e' = w - v, the model dx' = A dx + B dF becomes

    d/dt (dx, de) = [A - B kp V, B ki; -V, 0] (dx, de) + [B kp; I] dw,

V what the velocities of the drives are in dx. The integrals de are states of the machine, which a
law does not feed back. Drives without an integral have none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cranebridge.forward import LinearModel
from cranebridge.inverse import SpeedDrive
from cranebridge.twin import Crane
from cranebridge.twin.language import names

Array = NDArray[np.float64]


def with_integral(drives: Sequence[SpeedDrive]) -> tuple[SpeedDrive, ...]:
    """Return the drives whose integrals are states."""
    return tuple(drive for drive in drives if drive.ki != 0.0)


def with_speed_loops(
    A: Array, B: Array, v_matrix: Array, crane: Crane, drives: Sequence[SpeedDrive]
) -> tuple[Array, Array]:
    """Return the model with closed speed loops, integrals of the drives as its last states.

    Parameters
    ----------
    A, B : numpy.ndarray
        State and input matrix, or stacks of them. Further states may follow those of the motion.
    v_matrix : numpy.ndarray
        Velocities of all coordinates as functions of the state.
    crane : Crane
        Whose inputs and coordinates they are.
    drives : sequence of SpeedDrive
        The drives; inputs without one stay forces.
    """
    inputs, coordinates = names(crane.inputs), names(crane.coordinates)
    own = with_integral(drives)
    n, m, k = A.shape[-1], B.shape[-1], len(own)
    big_A = np.zeros((*A.shape[:-2], n + k, n + k))
    big_B = np.zeros((*A.shape[:-2], n + k, m))
    big_A[..., :n, :n], big_B[..., :n, :] = A, B
    for drive in drives:
        column = inputs.index(drive.input)
        acting = B[..., :, column]
        speed = np.zeros((*A.shape[:-2], n))
        speed[..., : v_matrix.shape[-1]] = v_matrix[..., coordinates.index(drive.coordinate), :]
        big_A[..., :n, :n] -= drive.kp * acting[..., :, None] * speed[..., None, :]
        big_B[..., :n, column] = drive.kp * acting
        if drive in own:
            state = n + own.index(drive)
            big_A[..., :n, state] = drive.ki * acting
            big_A[..., state, :n] = -speed
            big_B[..., state, column] = 1.0
    return big_A, big_B


def with_places(
    model: LinearModel, drives: Sequence[SpeedDrive]
) -> tuple[Array, Array, Array, Array]:
    """Return a model at its first time with closed speed loops, in places of the references.

    With e = r - q, r the place that a reference has come to, r' = w, the model becomes

        dx' = (A - B kp V - B ki Q) dx + B ki dr + B kp dw.

    Returns
    -------
    A, A_places, B, B_places : numpy.ndarray
        Of the motion, what places do to it, what inputs do to it, and to places.
    """
    inputs, coordinates = names(model.crane.inputs), names(model.crane.coordinates)
    own, B = with_integral(drives), model.B[0]
    A, given = model.A[0].copy(), B.copy()
    acts, moves = np.zeros((len(A), len(own))), np.zeros((len(own), B.shape[1]))
    for drive in drives:
        i, c = inputs.index(drive.input), coordinates.index(drive.coordinate)
        A -= drive.kp * np.outer(B[:, i], model.v_matrix[0, c])
        given[:, i] = drive.kp * B[:, i]
        if drive in own:
            A -= drive.ki * np.outer(B[:, i], model.q_matrix[0, c])
            acts[:, own.index(drive)] = drive.ki * B[:, i]
            moves[own.index(drive), i] = 1.0
    return A, acts, given, moves
