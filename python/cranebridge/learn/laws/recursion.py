"""The lifted law's equations solved by a recursion in time: one QR factorisation a sample.

The state of the model and the two samples before are the state of a linear least squares problem
in time; backwards, each stage leaves the cost that is still to come as |R s - r|^2 (the square root
form of the Riccati recursion). The cost grows linearly with the record, and the condition of the
lifted matrix is not squared.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.learn.laws.change_weights import ChangeWeights

Array = NDArray[np.float64]


def solve_backwards(
    step: float,
    matrices: tuple[Array, Array, Array, Array],
    error: Array,
    weights: ChangeWeights,
) -> Array:
    """Return the best change of the inputs, a row for each sample.

    Parameters
    ----------
    step : float
        Of the samples, in s.
    matrices : tuple of numpy.ndarray
        A, B, C, D at all samples; see `SampledModel`.
    error : numpy.ndarray
        What the outputs shall change by.
    weights : ChangeWeights
        Of the inputs' change.
    """
    A, B, C, D = matrices
    count, n, m = B.shape
    if len(error) != count:
        raise InputError(f"the model has {count} samples, the record {len(error)}.")
    own, outputs, inner = n + 2 * m, error.shape[1], slice(m, m + n)
    first, second = slice(m + n, m + n + m), slice(m + n + m, m + own)
    small = np.diag(np.sqrt(weights.ridge))
    bend = np.diag(np.sqrt(weights.smooth)) / step**2
    # columns: change of this sample, state, the two changes before, right side
    stack = np.zeros((outputs + 2 * m + own, m + own + 1))
    rows = slice(outputs + 2 * m, None)
    stack[outputs : outputs + m, :m] = small
    ahead, target = np.zeros((own, own)), np.zeros(own)  # cost to go: |ahead s - target|^2
    gains, feeds = np.empty((count, m, own)), np.empty((count, m))
    for k in range(count - 1, -1, -1):
        stack[:outputs, :m], stack[:outputs, inner] = D[k], C[k]
        stack[:outputs, -1] = error[k]
        bent = bend if k >= 2 else np.zeros_like(bend)
        bends = slice(outputs + m, outputs + 2 * m)
        stack[bends, :m], stack[bends, first], stack[bends, second] = bent, -2.0 * bent, bent
        stack[rows, :m] = ahead[:, :n] @ B[k] + ahead[:, n : n + m]
        stack[rows, inner], stack[rows, first] = ahead[:, :n] @ A[k], ahead[:, n + m :]
        stack[rows, -1] = target
        R: Array = np.asarray(np.linalg.qr(stack, mode="r"))
        solved = np.linalg.solve(R[:m, :m], R[:m, m:])
        gains[k], feeds[k] = solved[:, :-1], solved[:, -1]
        ahead, target = R[m : m + own, m:-1], R[m : m + own, -1]
    change, state = np.empty((count, m)), np.zeros(own)
    for k in range(count):
        change[k] = feeds[k] - gains[k] @ state
        state = np.concatenate([A[k] @ state[:n] + B[k] @ change[k], change[k], state[n : n + m]])
    return change
