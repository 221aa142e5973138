"""The closed loop of a law that is fed by an observer's filter, frozen at one time of the motion.

From sample to sample the plant moves (with inputs under way and drives that lag), what the law
integrates, the inputs that law and filter remember, and the filter's prediction z:

    known = z + L (C x - C_z z),                  what the sensors say of the plant's state x,
    u = -K known - K_integral xi - K_past past,
    z <- A known + A_past past + B u,             the filter's own model and gain L, where settled.

The filter knows the inputs that the law gave, not what became of them: a plant that differs is not
the filter's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.analysis.frozen import LawAlong, frozen_loop
from cranebridge.control.analysis.past_inputs import PastInputLoop, shift_of
from cranebridge.control.model import FilterModel, delayed, one_time, with_speed_loops
from cranebridge.control.observer import Observer, settled_filter
from cranebridge.errors import SolutionError
from cranebridge.forward import LinearModel

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ObservedLoop:
    """A law with its filter at one time, and the linear plant that it acts on.

    Attributes
    ----------
    A, B : numpy.ndarray
        The plant, continuous in time, in the model's independent coordinates.
    seen : numpy.ndarray
        The state that the sensors show, as a function of the plant's.
    gains : numpy.ndarray
        The law's: of the state, integrals, past inputs, and what the filter estimates besides.
    filtered : FilterModel
        The filter.
    integrals, past : int
        How many of the gains' columns belong to these.
    cycle, delay : float
        In s; the delay is the plant's.
    """

    A: Array
    B: Array
    seen: Array
    gains: Array
    filtered: FilterModel
    integrals: int
    past: int
    cycle: float
    delay: float

    def closed(self) -> Array:
        """Return the matrix from one sample to the next."""
        A, plant, own, fed = self._parts()
        return np.asarray(A - (plant + own) @ self.gains @ fed)

    def gained(self) -> Array:
        """Return the gains of all that the law acts on."""
        return self.gains

    def remembered(self) -> PastInputLoop:
        """Return the loop with its past inputs as its last states.

        Inputs that are under way and that the law remembers, too, are the same, and stand once.
        """
        closed, n, m = self.closed(), len(self.A), self.B.shape[1]
        moves = delayed(self.A[None], self.B[None], self.cycle, self.delay)[0][0]
        under_way = np.arange(n, len(moves))
        first = len(moves) + self.integrals
        memory = np.arange(first, first + self.past) if self.past else under_way
        twice = under_way[: self.past]
        closed[:, memory[: len(twice)]] += closed[:, twice] if self.past else 0.0
        own = np.setdiff1d(np.arange(len(closed)), [*twice, *memory])
        order = [*own, *memory]
        return PastInputLoop(closed[np.ix_(order, order)], self._shift(moves, own, len(memory), m))

    def _shift(self, moves: Array, own: Array, past: int, m: int) -> Array:
        """Return what past inputs will have done to plant, integrals and filter."""
        n, states = len(self.A), len(self.filtered.gain)
        acting = min(past, len(moves) - n)
        T, effect = np.zeros((len(own), past)), np.zeros((n, past))
        effect[:, :acting] = moves[:n, n : n + acting]
        T[:n] = shift_of(moves[:n, :n], effect, m)
        if not self.past:  # the filter does not know of them either
            return T
        way = self.filtered.A[:, states:]
        known = np.zeros((states, past))
        known[:, : way.shape[1]] = way
        T[-states:] = shift_of(self.filtered.A[:, :states], known, m)
        # sums go on over what the filter knows, until all has acted
        sums = -self.cycle * self.filtered.outputs[: self.integrals] @ T[-states:][: len(self.seen)]
        ages = sums.reshape(self.integrals, past // m, m)[:, ::-1].cumsum(axis=1)[:, ::-1]
        T[-states - self.integrals : -states] = ages.reshape(self.integrals, past)
        return T

    def sensitivity(self, z: NDArray[np.complex128]) -> NDArray[np.complex128]:
        """Return what inputs do of what is added to them at the plant, at some z."""
        _, plant, _, fed = self._parts()
        closed, out = self.closed(), -self.gains @ fed
        inner = z[:, None, None] * np.eye(len(closed)) - closed
        states = np.linalg.solve(inner, np.broadcast_to(plant, (len(z), *plant.shape)))
        return np.asarray(np.eye(plant.shape[1]) + out @ states)

    def later(self, more: float) -> ObservedLoop:
        """Return the loop with inputs that act later, in s."""
        return replace(self, delay=self.delay + more)

    def scaled(self, factors: Array) -> ObservedLoop:
        """Return the loop with inputs that act this much stronger."""
        return replace(self, B=self.B * factors)

    def seeing(self, seen: Array) -> ObservedLoop:
        """Return the loop whose sensors show `seen` times the crane's state."""
        return replace(self, seen=seen)

    def lagged(self, lag: float) -> ObservedLoop:
        """Return the loop with drives that follow with a lag of first order, in s."""
        if lag <= 0.0:
            return self
        n, m = self.B.shape
        A = np.zeros((n + m, n + m))
        A[:n, :n], A[:n, n:], A[n:, n:] = self.A, self.B, -np.eye(m) / lag
        return replace(self, A=A, B=np.vstack([np.zeros((n, m)), np.eye(m) / lag]))

    def _parts(self) -> tuple[Array, Array, Array, Array]:
        """Return the loop cut at the law: A, what inputs do to the plant and here, what is fed."""
        moves, acts = delayed(self.A[None], self.B[None], self.cycle, self.delay)
        L, C = self.filtered.gain, self.filtered.C
        states, n, m = len(L), len(self.seen), self.B.shape[1]
        ends = np.cumsum([0, len(moves[0]), self.integrals, self.past, states])
        plant, sums, memory, hat = (slice(*pair) for pair in pairwise(ends.tolist()))
        size = int(ends[-1])
        known = np.zeros((states, size))
        known[:, :n], known[:, hat] = L @ C[:, :n] @ self.seen, np.eye(states) - L @ C
        every = np.eye(size)
        fed = np.vstack([known[:n], every[sums], every[memory], known[n:]])
        A, to_plant, own = np.zeros((size, size)), np.zeros((size, m)), np.zeros((size, m))
        A[plant, plant], to_plant[plant] = moves[0], acts[0]
        A[sums] = every[sums] + self.cycle * self.filtered.outputs[: self.integrals] @ known[:n]
        if self.past:
            A[memory.start + m : memory.stop] = every[memory.start : memory.stop - m]
            own[memory.start : memory.start + m] = np.eye(m)
        A[hat] = self.filtered.A[:, :states] @ known
        # a law may remember more than is under way
        way = self.filtered.A[:, states:]
        A[hat, memory.start : memory.start + way.shape[1]] += way
        own[hat] = self.filtered.B
        return A, to_plant, own, fed


def observed_at(
    along: LawAlong,
    observer: Observer,
    row: int,
    model: LinearModel | None = None,
    deviation: str = "",
) -> ObservedLoop:
    """Return the loop of a law with its filter at a row; `model` replaces its plant (one time).

    `deviation` says in what that differs, ``parameter.NAME`` or ``q.NAME``: a filter is linearised
    where its estimate is, and takes another place, and a parameter that it estimates, for what they
    are. What it does not observe of disturbances stays as it is, and is left out.

    Raises
    ------
    SolutionError
        If the filter does not settle: not all of the motion is observable.
    """
    law = along.law
    nominal = one_time(along.model, row)
    plant = nominal if model is None else model
    estimated = {f"parameter.{name}" for name in observer.motion.estimated}
    own = plant if deviation.startswith("q.") or deviation in estimated else nominal
    there = (observer, along.reference, row, own, law.delay)
    try:
        filtered = settled_filter(*there)
    except SolutionError:
        filtered = settled_filter(*there, disturbances=False)
    bare = frozen_loop(along, row)
    n = len(own.A[0])
    gains = np.zeros((bare.B.shape[1], len(filtered.gain) - n))
    if law.disturbances and len(filtered.gain) == len(observer.states):
        gains[:, : len(law.disturbances)] = law.K_disturbance[row]
    A, B = plant.A[0], plant.B[0]
    if law.speed:
        A, B = with_speed_loops(A, B, plant.v_matrix[0], law.crane, law.speed)
    return ObservedLoop(
        A=A,
        B=B,
        seen=np.eye(n),
        gains=np.hstack([bare.K[:, :n], bare.K_integral, bare.K_past, gains]),
        filtered=filtered,
        integrals=bare.K_integral.shape[1],
        past=bare.K_past.shape[1],
        cycle=law.cycle,
        delay=law.delay,
    )
