"""The one-step method: controls found interval by interval on a plant whose state can be restored.

The controls are straight lines between samples; in each interval the next sample u minimises

    |y(t_{i+1}) - y_d(t_{i+1})|^2 + eps |u|^2

by Gauss-Newton with differences (Reichl 2011, 5.129-5.132), and the plant goes on from where that
leads. It looks one interval ahead and no further. So it is for plants whose outputs answer to
the inputs within an interval, such as masses with forces; the load of a crane answers after four
differentiations, and no eps helps there. Without eps the inverse of the sampled plant oscillates
and diverges; with much of it little is controlled. What is regularised are the controls themselves:
their increments, of which the text there speaks, diverge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.learn.record import Record

Array = NDArray[np.float64]
Advance = Callable[[Array, float, float, Array, Array], tuple[Array, Array]]
"""From a state over [t0, t1] with inputs from one value to another: the state then, and outputs."""

# Gauss-Newton ends with a change below this part of the inputs.
CONVERGED = 1e-8
# It ends after so many iterations at the latest.
ITERATIONS = 8
# Differences move an input by this part of its size: so much because black boxes choose their own
# steps, whose errors must stay small beside the answer, and within an interval it is nearly linear.
DIFFERENCE = 1e-2
# Inputs that are so many times larger than their first answer asks for have diverged.
DIVERGED = 1e4


@dataclass(frozen=True, eq=False)
class StepwiseResult:
    """What the method found.

    Attributes
    ----------
    inputs, outputs : numpy.ndarray
        A row for each time.
    simulations : int
        Runs over one interval.
    """

    inputs: Array
    outputs: Array
    simulations: int


def step_by_step(
    advance: Advance,
    time: Array,
    target: Array,
    start: tuple[Array, Array, Array],
    regularisation: float,
    sizes: Array,
) -> StepwiseResult:
    """Find controls interval by interval.

    Parameters
    ----------
    advance : callable
        Simulates one interval from a state; see `Advance`.
    time, target : numpy.ndarray
        The times, and the wanted outputs.
    start : tuple of numpy.ndarray
        State, inputs and outputs at the first time.
    regularisation : float
        eps, in squares of outputs per inputs.
    sizes : numpy.ndarray
        How large each input is, for the differences.

    Raises
    ------
    InputError
        If it diverges, with the time, or if no output answers within an interval.
    """
    state, u, y = start
    inputs, outputs, count = [u], [y], 0
    for i in range(len(time) - 1):
        span = float(time[i]), float(time[i + 1])
        w, jacobian = u.copy(), None
        for _ in range(ITERATIONS):
            y = advance(state, *span, u, w)[1]
            count += 1
            if jacobian is None:  # once an interval: it is nearly linear if it is short
                jacobian = _differences(advance, state, span, u, w, y, sizes)
                count += len(w)
            change = _change(jacobian, target[i + 1] - y, w, regularisation, span[1])
            w = w + change
            if np.abs(change / sizes).max() < CONVERGED:
                break
        state, y = advance(state, *span, u, w)
        count += 1
        if not np.isfinite(y).all() or (np.abs(w) > DIVERGED * sizes).any():
            raise _diverged(regularisation, span[1])
        u = w
        inputs.append(u)
        outputs.append(y)
    return StepwiseResult(np.array(inputs), np.array(outputs), count)


def _differences(
    advance: Advance,
    state: Array,
    span: tuple[float, float],
    u: Array,
    w: Array,
    y: Array,
    sizes: Array,
) -> Array:
    """Return how the outputs at the interval's end change with the inputs there."""
    columns = []
    for j, size in enumerate(sizes):
        moved = w.copy()
        moved[j] += DIFFERENCE * size
        columns.append((advance(state, *span, u, moved)[1] - y) / (DIFFERENCE * size))
    return np.column_stack(columns)


def _change(J: Array, error: Array, w: Array, regularisation: float, time: float) -> Array:
    """Return the Gauss-Newton change of the next sample."""
    matrix = J.T @ J + regularisation * np.eye(len(w))
    if not np.isfinite(matrix).all() or not np.isfinite(error).all():
        raise _diverged(regularisation, time)
    if np.linalg.matrix_rank(matrix) < len(w):
        raise InputError(
            f"the one-step method found no answer of the outputs at t = {time:.4g} s to an input "
            "one interval before: use another law"
        )
    return np.asarray(np.linalg.solve(matrix, J.T @ error - regularisation * w))


def _diverged(regularisation: float, time: float) -> InputError:
    return InputError(
        f"the one-step method diverged at t = {time:.4g} s with a regularisation of "
        f"{regularisation:.3g}: use a larger one, or another law; it looks one interval ahead, and "
        "plants whose outputs answer later are out of its reach"
    )


@dataclass(frozen=True, eq=False)
class Stepwise:
    """Controls of the one-step method as a law: its correction leads to them at once."""

    steps: StepwiseResult

    def correction(self, record: Record) -> Array:
        """Return what leads from a trial's inputs to those that were found."""
        return self.steps.inputs - record.inputs

    def remaining(self, record: Record) -> Array:
        """Return what the method left of the error."""
        return record.target - self.steps.outputs
