"""Sums of sines: what a ship does in waves, with exact derivatives of any order."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cranebridge.path.base import Break, FloatArray, Path, Phase, Side


@dataclass(frozen=True)
class Harmonic(Path):
    """One output, b(t) = mean + sum of A sin(2 pi f t + phi), in motion at both ends.

    Attributes
    ----------
    mean : float
        What it swings about.
    terms : tuple of (float, float, float)
        Amplitude A, frequency f [Hz] and phase phi [rad] of each sine.
    length : float
        Its duration [s].
    """

    mean: float
    terms: tuple[tuple[float, float, float], ...]
    length: float

    @property
    def duration(self) -> float:
        """How long it is used [s]."""
        return self.length

    @property
    def knots(self) -> tuple[float, ...]:
        """Its ends: it is smooth in between."""
        return 0.0, self.length

    @property
    def phases(self) -> tuple[Phase, ...]:
        """One phase."""
        return (("motion", 0.0, self.length),)

    @property
    def moving_ends(self) -> tuple[bool, bool]:
        """It moves before and after."""
        moves = any(amplitude for amplitude, _, _ in self.terms)
        return moves, moves

    def breaks(self, output: str) -> tuple[Break, ...]:
        """Return none: it is infinitely smooth."""
        self._row(output)
        return ()

    def _evaluate(self, t: FloatArray, order: int, side: Side) -> FloatArray:
        del side  # both limits are equal
        times = np.clip(t, 0.0, self.length)
        out = np.zeros((order + 1, 1, len(t)))
        out[0] = self.mean
        for amplitude, frequency, phase in self.terms:
            omega = 2.0 * math.pi * frequency
            angle = omega * times + phase
            # the derivatives of the sine in turn, without the rounding of an added pi / 2
            turn = (np.sin(angle), np.cos(angle), -np.sin(angle), -np.cos(angle))
            for k in range(order + 1):
                out[k, 0] += amplitude * omega**k * turn[k % 4]
        out[1:, :, t != times] = 0.0
        return out
