"""Paths as polynomial pieces, each known by its derivatives at its begin: what a planner finds.

Short pieces keep their high derivatives to rounding; a B-spline's coefficients would lose them in
differences of nearly equal numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cranebridge.path.base import Break, FloatArray, Path, Phase, Side


@dataclass(frozen=True)
class Pieces(Path):
    """A path of polynomial pieces that join smoothly.

    Attributes
    ----------
    times : tuple of float
        Where pieces begin and the last one ends [s]; the first is 0.
    derivatives_at : tuple of tuple of tuple of float
        For each piece: outputs and their derivatives by time at its begin, a row each. All pieces
        have the same degree.
    order : int
        How many derivatives pieces have in common where they meet, and with the rest at an end that
        does not move.
    moving_start, moving_end : bool
        Whether the path starts or ends in motion.
    """

    times: tuple[float, ...]
    derivatives_at: tuple[tuple[tuple[float, ...], ...], ...]
    order: int
    moving_start: bool = False
    moving_end: bool = False

    def __post_init__(self) -> None:
        if len(self.times) != len(self.derivatives_at) + 1 or len(self.times) < 2:
            raise ValueError("a path of pieces has one knot more than pieces")
        if self.times[0] != 0.0 or (np.diff(self.times) <= 0.0).any():
            raise ValueError("knots must increase and begin with 0")

    @property
    def knots(self) -> tuple[float, ...]:
        """Where pieces begin and the last one ends [s]."""
        return self.times

    @property
    def duration(self) -> float:
        """The last knot [s]."""
        return self.times[-1]

    @property
    def degree(self) -> int:
        """Of the pieces."""
        return len(self.derivatives_at[0]) - 1

    @property
    def moving_ends(self) -> tuple[bool, bool]:
        """Whether the path starts and ends in motion."""
        return self.moving_start, self.moving_end

    @property
    def phases(self) -> tuple[Phase, ...]:
        """One phase."""
        return (("motion", 0.0, self.duration),)

    def breaks(self, output: str) -> tuple[Break, ...]:
        """Return the knots for an output that moves; see `Path.breaks`."""
        if not self.taylor[1:, :, self._row(output)].any():
            return ()
        begin, end = int(self.moving_start), len(self.times) - int(self.moving_end)
        return tuple(Break(time, self.order) for time in self.times[begin:end])

    @cached_property
    def taylor(self) -> FloatArray:
        """Derivatives divided by factorials, (degree + 1, pieces, outputs)."""
        rows = np.array(self.derivatives_at).transpose(1, 0, 2)
        factorials = np.array([float(math.factorial(k)) for k in range(len(rows))])
        return np.asarray(rows / factorials[:, None, None])

    @cached_property
    def goal(self) -> FloatArray:
        """Outputs at the end."""
        last = np.array([self.times[-1] - self.times[-2]])
        return np.asarray(self._horner(np.array([len(self.times) - 2]), last, 0)[0])

    def tail(self, time: float) -> Pieces:
        """Return the path from a time on, which begins moving at its time 0."""
        first = int(np.searchsorted(self.times, time, side="right")) - 1
        step = np.array([time - self.times[first]])
        rows = [self._horner(np.array([first]), step, k)[0] for k in range(self.degree + 1)]
        begin = tuple(tuple(row.tolist()) for row in rows)
        times = (0.0, *(knot - time for knot in self.times[first + 1 :]))
        pieces = (begin, *self.derivatives_at[first + 1 :])
        return Pieces(self.outputs, times, pieces, self.order, True, self.moving_end)

    def largest_jump(self) -> float:
        """Return by how much neighbours differ where they meet, as a part of the largest value.

        Up to the derivatives that they have in common, and with rest at ends that do not move.
        """
        count = self.order + 1
        knots = np.array(self.times)
        step, own = np.diff(knots), np.arange(len(knots) - 1)
        worst = 0.0
        for k in range(min(count, self.degree + 1)):
            end = self._horner(own, step, k)
            begin = math.factorial(k) * self.taylor[k]
            size = max(np.abs(begin).max(), np.abs(end).max(), np.finfo(float).tiny)
            jumps = [np.abs(end[:-1] - begin[1:]).max(initial=0.0)]
            if k and not self.moving_start:
                jumps.append(np.abs(begin[0]).max())
            if k and not self.moving_end:
                jumps.append(np.abs(end[-1]).max())
            worst = max(worst, float(max(jumps) / size))
        return worst

    def as_table(self) -> dict[str, object]:
        """Return the ``[path]`` table that describes it."""
        return {
            "kind": "pieces",
            "knots": list(self.times),
            "derivatives": [[list(row) for row in piece] for piece in self.derivatives_at],
            "smoothness": self.order,
            "moving_start": self.moving_start,
            "moving_end": self.moving_end,
        }

    def _evaluate(self, t: FloatArray, order: int, side: Side) -> FloatArray:
        out = np.zeros((order + 1, len(self.outputs), len(t)))
        knots = np.array(self.times)
        piece = np.searchsorted(knots, t, side=side) - 1
        # an end in motion belongs to the path from both sides
        if self.moving_start:
            piece[t == 0.0] = 0
        if self.moving_end:
            piece[t == self.duration] = len(knots) - 2
        out[0, :, piece < 0] = self.taylor[0, 0]
        out[0, :, piece >= len(knots) - 1] = self.goal
        inside = np.flatnonzero((piece >= 0) & (piece < len(knots) - 1))
        own = piece[inside]
        step = t[inside] - knots[own]
        for m in range(min(order, self.degree) + 1):
            out[m][:, inside] = self._horner(own, step, m).T
        return out

    def _horner(self, piece: NDArray[np.intp], step: FloatArray, order: int) -> FloatArray:
        """Evaluate a derivative of pieces some time after their begin, a row for each."""
        taylor = self.taylor
        out = np.zeros((step.size, taylor.shape[2]))
        for k in range(self.degree, order - 1, -1):
            out = out * step[:, None] + math.perm(k, order) * taylor[k, piece]
        return out
