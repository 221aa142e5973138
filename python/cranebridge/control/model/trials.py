"""Plants with which a default law must be stable where its motion begins and ends.

A trial is the loop cut at the law, frozen at one time: with z all that moves from sample to sample
(plant, lags of its drives, inputs under way, integrals),

    z_{k+1} = A z_k + B u_k,   u_k = -K fed z_k,

K the gains of the design's states. A plant of a trial has another payload, more delay, drives that
lag, and a swing that the law sees larger or smaller than it is, several of these at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.model.discretisation import SampledStateSpace, delayed
from cranebridge.control.model.other_plants import (
    ModelAlong,
    payload_names,
    plant_with,
    swing_seen,
    swings,
)
from cranebridge.errors import SolutionError
from cranebridge.forward import LinearModel

Array = NDArray[np.float64]

PAYLOADS = (0.2, 1.5)
"""Other payloads that a default law is stable with, times the nominal one."""
SWING = 0.06
"""Part of the swing by which it may be seen wrong: a rope length that is read 5 % wrong, and a
fifth more."""
CYCLES = 4
"""More cycles of delay that it is stable under, together with"""
LAG = 0.02
"""a lag of first order [s] of all drives, as converters and motors have it."""
SEEN_CYCLES = 3
"""More cycles of delay that it is stable under with another payload and that lag, and with a swing
that is seen wrong, whatever the payload."""
# An eigenvalue this far outside the unit circle is rounding: modes that no input moves.
ROUNDING = 1e-6


@dataclass(frozen=True)
class Deviation:
    """How a plant differs: factors of payload and of the swing seen, cycles of delay, lag in s."""

    payload: float = 1.0
    swing: float = 1.0
    cycles: int = 0
    lag: float = 0.0

    def describe(self) -> str:
        """Return it in words."""
        parts = [f"{self.payload:g} times the payload"] if self.payload != 1.0 else []
        parts += [f"a swing seen {self.swing:g} times as large"] if self.swing != 1.0 else []
        parts += [f"{self.cycles} more cycles of delay"] if self.cycles else []
        parts += [f"a lag of {1e3 * self.lag:g} ms"] if self.lag else []
        return " and ".join(parts) or "nothing else than designed for"


NOMINAL = (Deviation(cycles=CYCLES, lag=LAG),)
"""What every default law is tried with."""


def deviations_of(along: ModelAlong) -> tuple[Deviation, ...]:
    """Return all that a default law of a crane is tried with, what costs most first."""
    crane = along.reference.crane
    payloads = (1.0, *(PAYLOADS if payload_names(crane) else ()))
    seen = (1.0 + SWING, 1.0 - SWING) if swings(crane) else ()
    late = [
        Deviation(payload, swing, *how)
        for swing in seen
        for how in ((SEEN_CYCLES, 0.0), (0, LAG))
        for payload in payloads
    ]
    other = [Deviation(payload, 1.0, SEEN_CYCLES, LAG) for payload in payloads[1:]]
    return (*NOMINAL, *late, *other)


@dataclass(frozen=True, eq=False)
class FilterModel:
    """A stationary filter at one time of a motion: z = (motion, disturbances).

    Attributes
    ----------
    A, B : numpy.ndarray
        z_{k+1} = A (z_k, past inputs) + B u_k, as the filter takes the crane to be.
    C, gain : numpy.ndarray
        Its readings, and how much of what they differ is taken: z <- z + gain (y - C z).
    outputs : numpy.ndarray
        The crane's outputs as functions of its motion.
    """

    A: Array
    B: Array
    C: Array
    gain: Array
    outputs: Array


@dataclass(frozen=True, eq=False)
class LoopTrial:
    """One loop cut at the law; see the module's text."""

    A: Array
    B: Array
    fed: Array
    deviation: Deviation

    def largest(self, K: Array) -> float:
        """Return the largest magnitude of an eigenvalue with gains of the design's states."""
        closed = self.A - self.B @ K @ self.fed
        return float(np.abs(np.linalg.eigvals(closed)).max())

    def is_stable(self, K: Array) -> bool:
        """Return whether gains of the design's states keep it stable."""
        return self.largest(K) <= 1.0 + ROUNDING


def trials_at(
    along: ModelAlong,
    row: int,
    sampled: SampledStateSpace,
    tried: tuple[Deviation, ...],
    filtered: Callable[[LinearModel], FilterModel] | None = None,
) -> Iterator[LoopTrial]:
    """Yield the trials at a row of a motion; plants that have no rest there are left out.

    With `filtered` the law knows of a plant what an observer that has settled there estimates.
    """
    reference = along.reference
    plants: dict[float, LinearModel | None] = {1.0: one_time(along.model, row)}
    for deviation in tried:
        if deviation.payload not in plants:
            masses = {
                name: deviation.payload * reference.parameters[name]
                for name in payload_names(reference.crane)
            }
            try:
                plants[deviation.payload] = plant_with(along, row, masses)
            except SolutionError:
                plants[deviation.payload] = None
        plant = plants[deviation.payload]
        if plant is not None:
            trial = _trial(plant, sampled, deviation)
            yield trial if filtered is None else _observed(trial, sampled, filtered(plant))


def one_time(model: LinearModel, row: int) -> LinearModel:
    """Return a linearisation at one of its times."""
    names = ("time", "A", "B", "C", "q_matrix", "v_matrix")
    return replace(model, **{name: getattr(model, name)[[row]] for name in names})


def _trial(plant: LinearModel, sampled: SampledStateSpace, deviation: Deviation) -> LoopTrial:
    n, m = plant.B.shape[1:]
    A, B = _lagging(plant.A[0], plant.B[0], deviation.lag) if deviation.lag else (plant.A, plant.B)
    delay = sampled.delay + deviation.cycles * sampled.cycle
    A, B = delayed(A.reshape(1, -1, A.shape[-1]), B.reshape(1, -1, m), sampled.cycle, delay)
    seen = swing_seen(plant, 0, deviation.swing) if deviation.swing != 1.0 else np.eye(n)
    size, sums = A.shape[1], sampled.integrals
    moves, inputs = np.zeros((size + sums, size + sums)), np.zeros((size + sums, m))
    moves[:size, :size], inputs[:size] = A[0], B[0]
    moves[size:, :n] = sampled.cycle * plant.C[0][:sums] @ seen
    moves[size:, size:] = np.eye(sums)
    fed = np.zeros((n + sums + sampled.past, size + sums))
    fed[:n, :n] = seen
    fed[n : n + sums, size:] = np.eye(sums)
    first = n + (m if deviation.lag else 0)
    fed[n + sums :, first : first + sampled.past] = np.eye(sampled.past)
    return LoopTrial(moves, inputs, fed, deviation)


def _lagging(A: Array, B: Array, lag: float) -> tuple[Array, Array]:
    """Return a plant with its lagging inputs as last states."""
    n, m = B.shape
    moves, inputs = np.zeros((n + m, n + m)), np.zeros((n + m, m))
    moves[:n, :n], moves[:n, n:], moves[n:, n:] = A, B, -np.eye(m) / lag
    inputs[n:] = np.eye(m) / lag
    return moves, inputs


def _observed(trial: LoopTrial, sampled: SampledStateSpace, filtered: FilterModel) -> LoopTrial:
    """Return a trial whose law is fed with a filter's estimate, its prediction the last states.

    The filter reads what the plant with the swing as it is seen would show; it goes on with its own
    model and with the inputs that act as far as it knows.
    """
    size, m = trial.B.shape
    n, sums = sampled.motion, sampled.integrals
    L, C, states = filtered.gain, filtered.C, len(filtered.gain)
    # the estimate after the readings, of everything
    known = np.hstack([L @ C[:, :n] @ trial.fed[:n], np.eye(states) - L @ C])
    fed = np.zeros((len(trial.fed), size + states))
    fed[n:, :size], fed[:n] = trial.fed[n:], known[:n]
    moves, inputs = np.zeros((size + states, size + states)), np.zeros((size + states, m))
    moves[:size, :size], inputs[:size] = trial.A, trial.B
    if sums:  # integrals are those of the estimate
        moves[size - sums : size, :n] = 0.0
        moves[size - sums : size] += sampled.cycle * filtered.outputs[:sums] @ known[:n]
    past = slice(n + sums, n + sums + sampled.past)
    moves[size:] = filtered.A[:, :states] @ known + filtered.A[:, states:] @ fed[past]
    inputs[size:] = filtered.B
    return LoopTrial(moves, inputs, fed, trial.deviation)
