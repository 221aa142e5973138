"""Nodes within the integrator's steps, in the child process: see `results.Dense`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.fmi import fmi_errors
from cranebridge.plant.child.integrators.integrators import Integrator

Array = NDArray[np.float64]

# Nodes of a step: the motion within a step of an integrator of order 8 is a polynomial of degree 7,
# outputs are functions of it, and with fewer nodes their rates would be wrong by more than the
# integrator is. Steps of which there may be tens of thousands are those between samples, shorter
# than the integrator needs: there a few nodes tell as much.
NODES = 9
FEW_NODES = 5
SHORT = 1.0 / 20000.0


class DenseNodes:
    """Collects states and outputs at the nodes of each step.

    Parameters
    ----------
    evaluate : callable
        (times, states) -> outputs, with the inputs of the present piece.
    span : float
        Length of the whole simulation in s.
    most : int
        How many nodes there may be.
    """

    def __init__(self, evaluate: Callable[[Array, Array], Array], span: float, most: int) -> None:
        self._evaluate, self._short, self._most = evaluate, SHORT * span, most
        self._count = 0
        self._times: list[Array] = []
        self._states: list[Array] = []
        self._outputs: list[Array] = []

    def add(self, integrator: Integrator, end: float, states: Array) -> None:
        """Add the nodes of the last step up to a time in it; the states there are given."""
        times = lobatto(integrator.t_old, end, self._short)
        self._count += len(times)
        if self._count > self._most:
            raise fmi_errors.too_many_steps(integrator.t_old, len(self._times))
        rows = np.vstack([integrator.x_old, integrator.dense(times[1:-1]), states])
        outputs = self._evaluate(times, rows)
        self._times.append(times)
        self._states.append(rows)
        self._outputs.append(outputs)

    def arrays(self) -> dict[str, Array]:
        """All nodes, for the message to the parent."""
        if not self._times:  # ended before the first step
            return {}
        counts = [len(times) for times in self._times]
        return {
            "dense.time": np.concatenate(self._times),
            "dense.states": np.concatenate(self._states),
            "dense.outputs": np.concatenate(self._outputs),
            "dense.starts": np.cumsum([0, *counts[:-1]]).astype(float),
        }


def lobatto(begin: float, end: float, short: float) -> Array:
    """Chebyshev-Lobatto points of an interval with its ends, few if it is shorter than `short`."""
    count = FEW_NODES if end - begin < short else NODES
    angles = math.pi * np.arange(count) / (count - 1)
    times = 0.5 * (begin + end) - 0.5 * (end - begin) * np.cos(angles)
    times[0], times[-1] = begin, end
    return np.clip(times, begin, end)
