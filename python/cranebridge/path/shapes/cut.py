"""The rest of a path from some time on, so that it starts in motion: for re-plans and stops."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cranebridge.errors import InputError
from cranebridge.path.base import Break, FloatArray, Path, Phase, Side
from cranebridge.path.shapes.pieces import Pieces


def tail(path: Path, time: float) -> Path:
    """Return what a path does from a time on, which becomes its time zero.

    Parameters
    ----------
    path : Path
        The whole path.
    time : float
        Where to cut it [s]: not before its start, and before its end.

    Raises
    ------
    InputError
        If the time does not lie on the path.
    """
    if not (math.isfinite(time) and 0.0 <= time < path.duration):
        raise InputError(
            f"a path of {path.duration:g} s cannot be cut at {time:g} s: choose a time from 0 to "
            "before its end"
        )
    if isinstance(path, Pieces):
        return path.tail(float(time))  # exactly, however short its pieces are
    return Tail(path.outputs, path, float(time))


@dataclass(frozen=True)
class Tail(Path):
    """A path from some time on; see `tail`.

    Attributes
    ----------
    base : Path
        The whole path.
    begin : float
        Its time at which this one starts [s].
    """

    base: Path
    begin: float

    @property
    def duration(self) -> float:
        """What is left of the duration [s]."""
        return self.base.duration - self.begin

    @cached_property
    def _base_knots(self) -> tuple[float, ...]:
        return (self.begin, *(knot for knot in self.base.knots if knot > self.begin))

    @cached_property
    def knots(self) -> tuple[float, ...]:
        """The start, and the knots after it."""
        return tuple(knot - self.begin for knot in self._base_knots)

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases that are not over."""
        return tuple(
            (name, max(begin - self.begin, 0.0), end - self.begin)
            for name, begin, end in self.base.phases
            if end > self.begin
        )

    @property
    def moving_ends(self) -> tuple[bool, bool]:
        """It starts in motion: what was before is not rest."""
        return True, self.base.moving_ends[1]

    def breaks(self, output: str) -> tuple[Break, ...]:
        """Return the breaks after the start; see `Path.breaks`."""
        found = self.base.breaks(output)
        return tuple(Break(b.time - self.begin, b.order) for b in found if b.time > self.begin)

    def _evaluate(self, t: FloatArray, order: int, side: Side) -> FloatArray:
        # Rounding must not move a time over a knot, where derivatives jump.
        own, knots = np.asarray(self.knots), np.asarray(self._base_knots)
        piece = np.searchsorted(own, t, side="right")
        low = np.concatenate([knots[:1], knots])[piece]
        high = np.concatenate([knots, [np.inf]])[piece]
        inside = np.clip(t + self.begin, np.nextafter(low, np.inf), np.nextafter(high, -np.inf))
        at_knot = t == own[np.maximum(piece - 1, 0)]
        out = self.base.derivatives(np.where(at_knot, low, inside), order, side)
        # the start belongs to the motion from both sides; before it the outputs are at rest
        first = self.base.derivatives([self.begin], order)
        out[:, :, t == 0.0] = first
        out[0][:, t < 0.0] = first[0]
        out[1:, :, t < 0.0] = 0.0
        return out
