"""How stiff a law with default weights is: as stiff as delay, lag and its inputs' limits allow.

Friction, a wrong payload and wind do not ask how hard the motion drives: a law that is only as
stiff as a slow motion's small inputs suggest leaves large errors. What bounds stiffness is time,
lag, delay and all that is slower than thought, and the inputs' limits: a stiff law that meets them
does not catch a load that is far off. So the part of its travel by which an output may be off is as
small as `FINEST_PART` where the loop, frozen at both ends of the motion, still

- stands `CYCLES` more cycles of delay together with a lag of `LAG` in all drives,
- asks for at most `AUTHORITY` times what its inputs have left, with the load `OFF` of its travel
  off and the drives in their places,

and larger where it does not, up to `POSITION_PART`. Where even that does not stand delay and lag,
all inputs weigh more. A crane that runs away by itself is not held stiffer than that at all: with
an input at its limit it would be lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.discretisation import Sampled, delayed, discretise
from cranebridge.control.input_bounds import input_limits
from cranebridge.control.reference import Reference
from cranebridge.control.rest import drive_names
from cranebridge.control.riccati import stationary
from cranebridge.control.weights import (
    POSITION_PART,
    Weights,
    choose_weights,
    input_weight,
    state_sizes,
    state_weight,
)
from cranebridge.errors import SolutionError
from cranebridge.forward.linearisation import LinearModel
from cranebridge.limits import Limits
from cranebridge.twin.crane import names

Array = NDArray[np.float64]

FINEST_PART = 0.0005
"""Least part of its travel that an output may be off."""
CYCLES = 4
"""More cycles of delay that a default law stands at the motion's ends, and at the same time"""
LAG = 0.02
"""a lag of first order [s] of all drives, as converters and motors have it."""
AUTHORITY, OFF = 3.0, 0.01
"""With the load this part of its travel off, inputs may be asked for so many times what they have
left. Laws at this bound caught loads that were six times as far off (0.4 m, gantry and bridge
crane) with all inputs at their limits, also with three more cycles of delay; the flexible jib's law
at five times the bound did not catch 0.3 m."""
SOFTEST = 100.0
"""Largest factor of the inputs' weights that is tried."""
BISECTIONS = 8
# Directions in which held drives leave the load this much less than in others are none.
SMALLEST = 1e-6
# Eigenvalues [1/s] beyond this are unstable; those of free drives, double and zero, are rounded.
UNSTABLE = 1e-2
# An eigenvalue this far outside the unit circle is rounding: modes that no input moves.
ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Ends:
    """The loop at the ends of a motion, to be tried with weights.

    Attributes
    ----------
    reference : Reference
        Its first and last row.
    model : LinearModel
        The linearisation there.
    sampled : Sampled
        The model of the design.
    slow_matrix, slow_input : numpy.ndarray
        The same with more delay and drives that lag; lags and past inputs are its last states.
    room : numpy.ndarray
        What the inputs have left up to their limits.
    """

    reference: Reference
    model: LinearModel
    sampled: Sampled
    slow_matrix: Array
    slow_input: Array
    room: Array

    def stand(self, weights: Weights, whole: Reference) -> bool:
        """Tell whether the law that these weights give stands delay and lag at both ends."""
        for row, K in self._gains(weights, whole):
            closed = self.slow_matrix[row] - self.slow_input[row] @ self._spread(K)
            if np.abs(np.linalg.eigvals(closed)).max() > 1.0 + ROUNDING:
                return False
        return True

    def reach(self, weights: Weights, whole: Reference) -> bool:
        """Tell whether a load that is off asks for no more than the inputs can give."""
        off = OFF * float(np.ptp(whole.outputs, axis=0).max())
        for row, K in self._gains(weights, whole):
            states = _load_off(self.model, row)
            asked = np.abs(K[:, : len(states)] @ states).sum(axis=1) * off
            if (asked > AUTHORITY * self.room[row]).any():
                return False
        return True

    def _gains(self, weights: Weights, whole: Reference) -> Iterator[tuple[int, Array]]:
        """Yield the stationary gains at both ends."""
        sampled = self.sampled
        Q = state_weight(weights, self.model, self.reference, sampled.integrals, sampled.past)
        R = input_weight(weights, self.model.crane)
        sizes = state_sizes(sampled, weights, whole)
        for row in range(len(Q)):
            yield row, stationary(sampled.A[row], sampled.B[row], Q[row], R, sizes)[1]

    def _spread(self, K: Array) -> Array:
        """Return gains of the slow model's states: those of the lags are zero."""
        m, known = len(K), self.sampled.motion + self.sampled.integrals
        gains = np.zeros((m, self.slow_matrix.shape[1]))
        gains[:, :known] = K[:, :known]
        gains[:, known + m : K.shape[1] + m] = K[:, known:]
        return gains


def default_weights(
    reference: Reference,
    model: LinearModel,
    given: dict[str, float],
    limits: Limits | None,
    sampled: Sampled,
) -> Weights:
    """Return the weights of a law, as stiff as its delay margin allows where states have defaults.

    Parameters
    ----------
    reference : Reference
        The motion.
    model : LinearModel
        The linearisation along it.
    given : mapping of str to float
        Weights that the user gives.
    limits : Limits, optional
        What the machine may do.
    sampled : Sampled
        The model of the design.
    """
    integrals = sampled.integrals > 0

    def chosen(part: float = POSITION_PART, factor: float = 1.0) -> Weights:
        return choose_weights(reference, given, limits, integrals, part, factor)

    if any(signal[0] in "qvyru" for signal in given):
        return chosen()
    ends = _ends(reference, model, sampled, limits or Limits())

    def fine(part: float) -> bool:
        weights = chosen(part)
        return _solved(lambda: ends.stand(weights, reference) and ends.reach(weights, reference))

    def stands(factor: float) -> bool:
        return _solved(lambda: ends.stand(chosen(factor=factor), reference))

    if not stands(1.0):
        # if nothing helps, it is not stiffness that makes this loop fragile
        return chosen(factor=_edge(stands, SOFTEST, 1.0) if stands(SOFTEST) else 1.0)
    if _runs_away(ends.model):
        return chosen()
    return chosen(_edge(fine, POSITION_PART, FINEST_PART))


def _solved(told: Callable[[], bool]) -> bool:
    """Return what is told; false where a loop has no gains, as where a motion does not rest."""
    try:
        return told()
    except SolutionError:
        return False


def _ends(reference: Reference, model: LinearModel, sampled: Sampled, limits: Limits) -> Ends:
    rows: Sequence[int] = [0, len(model.time) - 1]
    few = {name: getattr(model, name)[rows] for name in ("time", "A", "B", "C")}
    maps = {name: getattr(model, name)[rows] for name in ("q_matrix", "v_matrix")}
    there = replace(model, **few, **maps)
    columns = ("time", "q", "v", "a", "u", "outputs", "hold")
    at = replace(reference, **{name: getattr(reference, name)[rows] for name in columns})
    cycle, delay = sampled.cycle, sampled.delay
    own = discretise(there, cycle, delay, sampled.integrals > 0)
    slow = delayed(*_lagging(there, sampled.integrals), cycle, delay + CYCLES * cycle)
    least, most = input_limits(reference, limits)
    return Ends(at, there, own, *slow, np.minimum(most - at.u, at.u - least))


def _lagging(model: LinearModel, integrals: int) -> tuple[Array, Array]:
    """Return the continuous model with integrals of the outputs, then the lagging inputs."""
    count, n, m = model.B.shape
    size = n + integrals + m
    A, B = np.zeros((count, size, size)), np.zeros((count, size, m))
    A[:, :n, :n], A[:, :n, -m:] = model.A, model.B
    A[:, n : n + integrals, :n] = model.C[:, :integrals]
    A[:, -m:, -m:], B[:, -m:] = -np.eye(m) / LAG, np.eye(m) / LAG
    return A, B


def _load_off(model: LinearModel, row: int) -> Array:
    """Return the states that move the outputs by one in each direction, the drives kept."""
    from scipy.linalg import null_space

    crane, half = model.crane, model.A.shape[1] // 2
    drives = [names(crane.coordinates).index(name) for name in drive_names(crane)]
    held = model.q_matrix[row][drives, :half]
    free = null_space(held) if drives else np.eye(half)
    moved = model.C[row][:, :half] @ free
    _, sizes, directions = np.linalg.svd(moved, full_matrices=False)
    kept = sizes > SMALLEST * max(sizes.max(initial=0.0), 1.0)
    return np.asarray(free @ (directions[kept].T / sizes[kept]))


def _runs_away(model: LinearModel) -> bool:
    """Tell whether the crane itself leaves a rest: a jib that a torque holds, say."""
    return bool(np.linalg.eigvals(model.A).real.max() > UNSTABLE)


def _edge(holds: Callable[[float], bool], good: float, goal: float) -> float:
    """Return the value nearest to `goal`, on the way from a good one, that holds."""
    if holds(goal):
        return goal
    bad = goal
    for _ in range(BISECTIONS):
        middle = math.sqrt(good * bad)
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good
