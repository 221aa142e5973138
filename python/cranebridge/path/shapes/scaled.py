"""A path with its time stretched: gamma(t) becomes gamma(t / s).

The path keeps its shape; its k-th derivative is divided by s^k.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cranebridge.path.base import Break, FloatArray, Path, Phase, Side


@dataclass(frozen=True)
class ScaledPath(Path):
    """A path with its time stretched.

    Attributes
    ----------
    base : Path
        The path as it was.
    factor : float
        New duration divided by the old one.
    """

    base: Path
    factor: float

    @property
    def duration(self) -> float:
        """The stretched duration [s]."""
        return self.base.duration * self.factor

    @property
    def knots(self) -> tuple[float, ...]:
        """The stretched knots."""
        return tuple(knot * self.factor for knot in self.base.knots)

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The stretched phases."""
        return tuple((n, b * self.factor, e * self.factor) for n, b, e in self.base.phases)

    @property
    def moving_ends(self) -> tuple[bool, bool]:
        """Whether the path starts and ends in motion."""
        return self.base.moving_ends

    def breaks(self, output: str) -> tuple[Break, ...]:
        """Return the stretched breaks; see `Path.breaks`."""
        return tuple(Break(b.time * self.factor, b.order) for b in self.base.breaks(output))

    def _evaluate(self, t: FloatArray, order: int, side: Side) -> FloatArray:
        # Rounding must not move a time over a knot, where derivatives jump.
        own, knots = np.asarray(self.knots), np.asarray(self.base.knots)
        piece = np.searchsorted(own, t, side="right")
        low = np.concatenate([[-np.inf], knots])[piece]
        high = np.concatenate([knots, [np.inf]])[piece]
        between = np.clip(t / self.factor, np.nextafter(low, np.inf), np.nextafter(high, -np.inf))
        before = np.where(t == own[np.maximum(piece - 1, 0)], low, between)
        scale = self.factor ** -np.arange(order + 1.0)
        return self.base.derivatives(before, order, side) * scale[:, None, None]
