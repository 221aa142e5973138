"""Rank of a system Jacobian in consistent states near a start."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.structure.analysis import Analysis
from cranebridge.structure.random_states import SPREAD, StagedEquations, Start, stage_of

Array = NDArray[np.float64]

_POINTS = 3
# Singular values of a Jacobian with rows and columns of size one: what is smaller than this is
# rounding. Cranes have 1e-3 and more in sound states, and rounding leaves 1e-15.
_ZERO = 1e-9


def scales(matrix: Array) -> tuple[Array, Array]:
    """Return factors that bring rows and columns to size one: newtons and metres do not compare."""
    factors = [np.ones((matrix.shape[0], 1)), np.ones((1, matrix.shape[1]))]
    for axis in (1, 0, 1, 0):
        largest = np.abs(matrix).max(axis=axis, keepdims=True, initial=0.0)
        factor = 1.0 / np.where(largest > 0.0, largest, 1.0)
        factors[1 - axis] = factors[1 - axis] * factor
        matrix = matrix * factor
    return factors[0], factors[1]


def scaled(matrix: Array) -> Array:
    """Scale rows and columns to size one."""
    for factor in scales(matrix):
        matrix = matrix * factor
    return matrix


@cache
def _functions(analysis: Analysis) -> tuple[StagedEquations, ca.Function]:
    """Return the equations up to where J and G depend on them, and a function for both."""
    dae = analysis.dae
    both = ca.horzcat(analysis.jacobian, analysis.signal_jacobian)
    keys = list(dae.symbols.of(both))
    stage = stage_of(keys, analysis.d.tolist(), analysis.signal_offsets.tolist())
    equations = StagedEquations.up_to(dae, analysis.c.tolist(), min(stage, 0), keys)
    symbols = ca.vertcat(ca.SX(0, 1), *(dae.symbols.at(*key) for key in equations.keys))
    return equations, ca.Function("J", [symbols, dae.p], [ca.densify(both)])


class JacobianSampler:
    """System Jacobians of an analysis at consistent states near a start."""

    def __init__(self, analysis: Analysis, start: Start) -> None:
        self._start = start
        self._equations, self._jacobians = _functions(analysis)
        self._random = Random(11)
        self._size = len(analysis.c)

    def jacobian(self, spread: float = SPREAD) -> Array | None:
        """Return the Jacobian at a random consistent state; None if there is none nearby."""
        found = self.both(spread)
        return None if found is None else found[0]

    def both(self, spread: float = SPREAD) -> tuple[Array, Array] | None:
        """Return J, and G of the signals, at a random consistent state, if there is one nearby."""
        for _ in range(4):
            state = self._equations.consistent(self._start, self._random, spread)
            if state is None:
                return None
            found = self._at(*state)
            if all(np.isfinite(part).all() for part in found):
                return found
        return None

    def anywhere(self) -> Array:
        """Return the Jacobian at a random state, consistent or not."""
        z = self._start.near(self._equations.keys, self._random, SPREAD)
        return self._at(z, self._start.parameters(self._random))[0]

    def at_rest(self) -> Array:
        """Return the Jacobian at the start itself."""
        return self._at(self._start.at_rest(self._equations.keys), self._start.p)[0]

    def _at(self, z: Array, p: Array) -> tuple[Array, Array]:
        found = np.array(self._jacobians(z, p))
        return found[:, : self._size], found[:, self._size :]


def numerical_rank(matrix: Array) -> int:
    """Return the rank of a matrix whose rows and columns are of any size."""
    if not matrix.size:
        return 0
    values = np.linalg.svd(scaled(matrix), compute_uv=False)
    return int((values > _ZERO * values[0]).sum())


def sample(analysis: Analysis, start: Start) -> tuple[list[Array], JacobianSampler]:
    """Return system Jacobians at some consistent states, and where they come from.

    Where the start is not known, or no consistent state is found, at random states: what vanishes
    everywhere vanishes there too.
    """
    states = JacobianSampler(analysis, start)
    spreads = (SPREAD, SPREAD, 0.1 * SPREAD) if start.known else ()
    found = [states.jacobian(spread) for spread in spreads]
    jacobians = [jacobian for jacobian in found if jacobian is not None]
    if not jacobians:
        jacobians = [states.anywhere() for _ in range(_POINTS)]
    if start.known:  # where the crane hangs still its equations hold, too
        jacobians.append(states.at_rest())
    return [jacobian for jacobian in jacobians if np.isfinite(jacobian).all()], states


def generic_rank(jacobians: Sequence[Array]) -> int:
    """Return the largest rank that some matrices have."""
    return max((numerical_rank(jacobian) for jacobian in jacobians), default=0)


def is_regular(analysis: Analysis, start: Start) -> bool:
    """Return whether the system Jacobian is regular in consistent states near the start."""
    return generic_rank(sample(analysis, start)[0]) == len(analysis.c)
