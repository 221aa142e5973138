"""An observer's filter where it has settled: its gain at one time of a motion, as if that lasted.

The Riccati equation of the prediction's covariance,

    P = F (P - P C^T (C P C^T + R)^-1 C P) F^T + W,

with F over one cycle, W what the observer adds, and R the readings' variances; a sensor that is
read at every k-th sample counts as one of every sample with k times the variance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.model import (
    FilterModel,
    ReferenceMotion,
    delayed,
    with_places,
    zero_order_hold,
)
from cranebridge.control.observer.filter import Observer
from cranebridge.errors import SolutionError
from cranebridge.forward import LinearModel

Array = NDArray[np.float64]

# What is not observable grows: a filter that has not settled to this many times what was
# known at the start, as standard deviations, has no stationary gain.
UNKNOWN = 1e4
# Nor has one whose errors do not fall: an eigenvalue of one, give or take what rounding makes of a
# double one. At 5 ms what is above falls in more than an hour.
SETTLES = 1.0 - 1e-6


def settled_filter(
    observer: Observer,
    reference: ReferenceMotion,
    row: int,
    own: LinearModel,
    delay: float,
    disturbances: bool = True,
) -> FilterModel:
    """Return the filter at a row.

    Parameters
    ----------
    observer : Observer
        The filter.
    reference : ReferenceMotion
        The motion, for readings and for slopes with disturbances.
    row : int
        Which time of it.
    own : LinearModel
        What the filter takes the crane to be, one time.
    delay : float
        Time in s until inputs act, as far as it knows.
    disturbances : bool
        Whether it estimates its disturbances; without, they stay as they are.

    Raises
    ------
    SolutionError
        If it has no stationary gain: what it cannot observe grows without bound.
    """
    from scipy.linalg import solve_discrete_are

    n = len(own.A[0])
    first, size = n + len(observer.disturbances), len(observer.states)
    kept = [i for i in range(size) if disturbances or not n <= i < first]
    A, C = (
        np.array(part)
        for part in observer.linear(
            reference.q[row], reference.v[row], reference.u[row], observer.parameter_vector
        )
    )
    B = np.zeros((size, own.B.shape[2]))
    A[:n, :n], B[:n] = own.A[0], own.B[0]
    if observer.motion.drives:
        A[:n, :n], A[:n, first:], B[:n], B[first:] = with_places(own, observer.motion.drives)
    A, B, C = A[np.ix_(kept, kept)], B[kept], C[:, kept]
    F = zero_order_hold(A, B, observer.cycle)[0]
    every = np.array([sensor.samples(observer.cycle) for sensor in observer.sensors])
    noise = np.sqrt(every) * np.array([sensor.deviation for sensor in observer.sensors])
    # in units of what is known at the start and of the sensors: sizes differ by many orders
    scale = np.sqrt(np.maximum(np.diagonal(observer.covariance)[kept], np.finfo(float).tiny))
    F_, C_ = F * scale / scale[:, None], C * scale / noise[:, None]
    growth = np.diag(observer.growth[kept] / scale**2)
    try:
        P = solve_discrete_are(F_.T, C_.T, growth, np.eye(len(noise)))
        gain = np.linalg.solve(C_ @ P @ C_.T + np.eye(len(noise)), C_ @ P).T
        slowest = np.abs(np.linalg.eigvals(F_ - F_ @ gain @ C_)).max()
    except (np.linalg.LinAlgError, ValueError):
        P, slowest = np.full_like(F, np.inf), np.inf
    if not (np.diagonal(P).max() < UNKNOWN**2 and slowest < SETTLES):
        raise SolutionError(
            "the observer's sensors do not tell all of its states: it has no stationary gain"
        )
    moves, inputs = delayed(A[None], B[None], observer.cycle, delay)
    return FilterModel(
        A=moves[0, : len(A)],
        B=inputs[0, : len(A)],
        C=C,
        gain=gain * scale[:, None] / noise,
        outputs=own.C[0],
    )
