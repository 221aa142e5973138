"""A feedforward on the grid of a record, and the same motion with learned controls.

The samples of the controls have straight lines between them, in the trials as in what is handed
over. The record may begin before the motion and go on after it, at rest: the first and last values
hold there until something is learned.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.inverse import Feedforward, solved_at

Array = NDArray[np.float64]


def on_record(solution: Feedforward, step: float, before: float, after: float) -> Feedforward:
    """Return a solution on even times, with rest before and after it.

    Parameters
    ----------
    solution : Feedforward
        The motion, an exact one.
    step : float
        Of the record, in s.
    before, after : float
        Times in s at rest before and after the motion.

    Raises
    ------
    InputError
        If the solution is not exact, or moves where rest is asked for.
    """
    if solution.nodes is None:
        raise InputError(
            f"learning begins with an exact solution, and method '{solution.method}' gives none: "
            "use solve.method = 'index1', or 'inversion' for a crane with internal dynamics"
        )
    moving = solution.problem.path.moving_ends
    if (moving[0] and before > 0.0) or (moving[1] and after > 0.0):
        raise InputError(
            "a motion that starts or ends moving has no rest before or after it: let "
            "learn.rest_before and learn.rest_after be 0"
        )
    first, last = float(solution.time[0]), float(solution.time[-1])
    begin, end = np.floor((first - before) / step + 1e-6), np.ceil((last + after) / step - 1e-6)
    time = step * np.arange(begin, end + 1.0)
    inside = np.clip(time, first, last)
    fine = solved_at(solution, np.unique(inside))
    rows = np.searchsorted(fine.time, inside)
    bare = solution.frictionless_part
    if bare is not None:
        bare = on_record(bare, step, before, after)
    return replace(
        solution,
        method="learned",
        order=1,
        time=time,
        gamma=fine.gamma[rows],
        q=fine.q[rows],
        v=fine.v[rows],
        a=fine.a[rows],
        u=fine.u[rows],
        lam=fine.lam[rows],
        ropes=fine.ropes[rows],
        nodes=None,
        exact_at=None,
        frictionless_part=bare,
    )


def with_inputs(base: Feedforward, inputs: Array) -> Feedforward:
    """Return the motion on a record with other controls; forces of constraints are the motion's.

    What the crane is held with at its start is that of the motion, too: a drive with a speed loop
    begins with it, whatever is learned.
    """
    return replace(base, u=inputs, held=base.hold)
