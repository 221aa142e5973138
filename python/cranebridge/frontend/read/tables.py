"""Tables of the Modelica Standard Library, written out from their data.

``CombiTimeTable`` and ``CombiTable1D`` keep their data in C; the compiler leaves the calls. What
they compute is written out here: in each interval a line or a constant, beyond the ends what
``extrapolation`` says. Over time each knot is a time event, met exactly; at a jump the value is
the right one from the event on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

LINEAR, CONSTANT = 1, 3
"""Modelica.Blocks.Types.Smoothness: straight lines, steps. Splines are not written out."""

HOLD, LINE, PERIODIC = 1, 2, 3
"""Modelica.Blocks.Types.Extrapolation; 4 is an error outside of the table."""

AtLeast = Callable[[ca.SX, ca.SX], ca.SX]


@dataclass(frozen=True, eq=False)
class DataTable:
    """Knots in the first column, values in the others.

    Attributes
    ----------
    smoothness, extrapolation : int
        As above.
    """

    data: ca.SX
    smoothness: int
    extrapolation: int

    def value(self, column: int, at: ca.SX, at_least: AtLeast) -> ca.SX:
        """Interpolate; `at_least` tells whether one number is not below another.

        Parameters
        ----------
        column : int
            Column of the data, counted from 0.
        """
        knots = [self.data[i, 0] for i in range(self.data.shape[0])]
        values = [self.data[i, column] for i in range(self.data.shape[0])]
        if len(knots) == 1:
            return values[0]
        segments = [self._segment(knots, values, k, at) for k in range(len(knots) - 1)]
        line = self.extrapolation == LINE
        result = segments[0]
        if not line:
            result = ca.if_else(at_least(at, knots[0]), result, values[0])
        for knot, segment in zip(knots[1:-1], segments[1:], strict=True):
            result = ca.if_else(at_least(at, knot), segment, result)
        last = segments[-1] if line else values[-1]
        return ca.if_else(at_least(at, knots[-1]), last, result)

    def _segment(self, knots: list[ca.SX], values: list[ca.SX], k: int, at: ca.SX) -> ca.SX:
        width = knots[k + 1] - knots[k]
        # Two knots at one place are a jump: nothing lies between them.
        if self.smoothness == CONSTANT or width.is_zero():
            return values[k]
        return values[k] + (values[k + 1] - values[k]) / width * (at - knots[k])

    @property
    def period(self) -> ca.SX:
        """Distance of the first and the last knot."""
        return self.data[-1, 0] - self.data[0, 0]
