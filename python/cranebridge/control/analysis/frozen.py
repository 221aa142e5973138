"""The closed loop of a law, frozen at one time of the motion: a matrix from sample to sample.

The plant is a linear model that may differ from the design's: other parameters, another place, a
lag of the drives, a longer delay, other gains of the inputs. The law is the one that runs, its
integrals summed as it sums them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.analysis.past_inputs import PastInputLoop, shift_of
from cranebridge.control.design import Law
from cranebridge.control.model import ModelAlong, ReferenceMotion, delayed, with_speed_loops
from cranebridge.forward import LinearModel
from cranebridge.twin.language import names

Array = NDArray[np.float64]


class LawAlong(ModelAlong, Protocol):
    """A law along a motion, and the linearisation there: a design, or loops of drives."""

    @property
    def law(self) -> Law:
        """The law."""


@dataclass(frozen=True, eq=False)
class LawAndMotion:
    """A law along a motion that was not designed along it: loops of drives, gains at rest."""

    law: Law
    reference: ReferenceMotion
    model: LinearModel


class VariedLoop(Protocol):
    """A frozen loop, of a law by itself or with a filter, whose plant can be made to differ."""

    @property
    def B(self) -> Array:
        """What inputs do to the plant, continuous in time."""

    @property
    def cycle(self) -> float:
        """In s."""

    @property
    def delay(self) -> float:
        """Of the plant's inputs in s."""

    def closed(self) -> Array:
        """Return the matrix from one sample to the next."""

    def gained(self) -> Array:
        """Return the gains of all that the law acts on."""

    def remembered(self) -> PastInputLoop:
        """Return the loop with its past inputs as its last states."""

    def sensitivity(self, z: NDArray[np.complex128]) -> NDArray[np.complex128]:
        """Return what inputs do of what is added to them at the plant, at some z."""

    def scaled(self, factors: Array) -> VariedLoop:
        """Return the loop with inputs that act this much stronger."""

    def seeing(self, seen: Array) -> VariedLoop:
        """Return the loop of a law that sees `seen` times the crane's state."""

    def lagged(self, lag: float) -> VariedLoop:
        """Return the loop with drives that follow with a lag of first order, in s."""

    def later(self, more: float) -> VariedLoop:
        """Return the loop with inputs that act later, in s."""


@dataclass(frozen=True, eq=False)
class FrozenLoop:
    """A law at one time, and the linear plant that it acts on.

    Attributes
    ----------
    A, B : numpy.ndarray
        The plant, continuous in time, in the model's independent coordinates.
    C : numpy.ndarray
        The signals that the law integrates, as functions of the plant's state.
    K, K_integral, K_past : numpy.ndarray
        The law's gains there.
    cycle, delay : float
        In s.
    """

    A: Array
    B: Array
    C: Array
    K: Array
    K_integral: Array
    K_past: Array
    cycle: float
    delay: float

    def closed(self) -> Array:
        """Return the matrix from one sample to the next: plant, integrals, past inputs."""
        open_, B, K = self.parts()
        return np.asarray(open_ - B @ K)

    def gained(self) -> Array:
        """Return the gains of all that the law acts on."""
        return np.hstack([self.K, self.K_integral, self.K_past])

    def remembered(self) -> PastInputLoop:
        """Return the loop with its past inputs as its last states."""
        A, B, K = self.parts()
        own = len(self.A) + self.K_integral.shape[1]
        return PastInputLoop(A - B @ K, shift_of(A[:own, :own], A[:own, own:], B.shape[1]))

    def parts(self) -> tuple[Array, Array, Array]:
        """Return the loop cut at the plant's inputs: A and B of all that is fed back, and K."""
        A, B = delayed(self.A[None], self.B[None], self.cycle, self.delay)
        n, m, sums = len(self.A), self.B.shape[1], self.K_integral.shape[1]
        past = max(len(A[0]) - n, self.K_past.shape[1])
        size = n + sums + past
        big_A, big_B, K = np.zeros((size, size)), np.zeros((size, m)), np.zeros((m, size))
        kept = len(A[0]) - n
        rows = [*range(n), *range(n + sums, n + sums + kept)]
        big_A[np.ix_(rows, rows)], big_B[rows] = A[0], B[0]
        if past > kept:  # the law remembers more than acts: the plant is faster than thought
            first = n + sums
            big_A[first + m :, first : size - m] = np.eye(past - m)
            big_B[first : first + m] = np.eye(m)
        if sums:
            big_A[n : n + sums, :n] = self.cycle * self.C
            big_A[n : n + sums, n : n + sums] = np.eye(sums)
        K[:, :n], K[:, n : n + sums] = self.K, self.K_integral
        K[:, n + sums : n + sums + self.K_past.shape[1]] = self.K_past
        return big_A, big_B, K

    def sensitivity(self, z: NDArray[np.complex128]) -> NDArray[np.complex128]:
        """Return (I + L)^-1 at some z, L the loop cut at the plant's inputs.

        What the law remembers of the inputs that it gave is its own, and not part of the cut: with
        M that memory, (I + L)^-1 is (I + M + K G)^-1 (I + M), G the plant.
        """
        A, B, K = self.parts()
        memory = K.copy()
        memory[:, : len(K[0]) - self.K_past.shape[1]] = 0.0
        inner = z[:, None, None] * np.eye(len(A)) - A
        states = np.linalg.solve(inner, np.broadcast_to(B, (len(z), *B.shape)))
        one = np.eye(B.shape[1])
        return np.asarray(np.linalg.solve(one + K @ states, one + memory @ states))

    def later(self, more: float) -> FrozenLoop:
        """Return the loop with inputs that act later, in s."""
        return replace(self, delay=self.delay + more)

    def scaled(self, factors: Array) -> FrozenLoop:
        """Return the loop with inputs that act this much stronger."""
        return replace(self, B=self.B * factors)

    def seeing(self, seen: Array) -> FrozenLoop:
        """Return the loop of a law that sees `seen` times the crane's state."""
        full = np.eye(len(self.A))  # states of the drives follow, and are not seen
        full[: len(seen), : len(seen)] = seen
        return replace(self, K=self.K @ full, C=self.C @ full)

    def lagged(self, lag: float) -> FrozenLoop:
        """Return the loop with drives that follow with a lag of first order, in s."""
        if lag <= 0.0:
            return self
        n, m = self.B.shape
        A = np.zeros((n + m, n + m))
        A[:n, :n], A[:n, n:], A[n:, n:] = self.A, self.B, -np.eye(m) / lag
        return replace(
            self,
            A=A,
            B=np.vstack([np.zeros((n, m)), np.eye(m) / lag]),
            C=np.column_stack([self.C, np.zeros((len(self.C), m))]),
            K=np.column_stack([self.K, np.zeros((m, m))]),
        )


def frozen_loop(along: LawAlong, row: int, model: LinearModel | None = None) -> FrozenLoop:
    """Return the loop of a law at a row; `model` replaces its plant (one time)."""
    law = along.law
    plant = along.model if model is None else model
    at = row if model is None else 0
    shown = {"q": plant.q_matrix[at], "v": plant.v_matrix[at], "y": plant.C[at]}
    known = {"q": names(law.crane.coordinates), "y": names(law.crane.outputs)}
    integrated = [
        shown[group][known[group].index(name)]
        for group, _, name in (signal.partition(".") for signal in law.integrals)
    ]
    A, B = plant.A[at], plant.B[at]
    if law.speed:
        A, B = with_speed_loops(A, B, plant.v_matrix[at], law.crane, law.speed)
    # what the drives integrate is neither integrated again nor fed back
    drives = len(A) - len(plant.states)
    C = np.array(integrated).reshape(-1, len(plant.states))
    K = law.K[row] @ np.vstack([shown["q"], shown["v"]])
    return FrozenLoop(
        A=A,
        B=B,
        C=np.pad(C, ((0, 0), (0, drives))),
        K=np.pad(K, ((0, 0), (0, drives))),
        K_integral=law.K_integral[row],
        K_past=law.K_past[row],
        cycle=law.cycle,
        delay=law.delay,
    )
