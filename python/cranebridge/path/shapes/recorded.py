"""A record of what moves, such as a ship's heave over time: a spline with its deviation."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cranebridge.path.base import Break, FloatArray, Path, Phase, Side


@dataclass(frozen=True)
class Recorded(Path):
    """One output, a spline through or near recorded values, in motion at both ends.

    Attributes
    ----------
    degree : int
        Of its pieces; one derivative less is continuous.
    times : tuple of float
        Where the pieces begin and end [s]: from 0 or before, to the duration or after.
    pieces : tuple of tuple of float
        Of each piece the coefficients of (t - begin)^k, rising.
    length : float
        Its duration [s].
    source : str
        What it is made of, for messages.
    deviation, rms : float
        How far it is from the recorded values: at most, and in the quadratic mean.
    """

    degree: int
    times: tuple[float, ...]
    pieces: tuple[tuple[float, ...], ...]
    length: float
    source: str = ""
    deviation: float = field(default=0.0, compare=False)
    rms: float = field(default=0.0, compare=False)

    @property
    def duration(self) -> float:
        """How long it is used [s]."""
        return self.length

    @cached_property
    def knots(self) -> tuple[float, ...]:
        """Its ends, and where pieces join in between."""
        return 0.0, *(t for t in self.times if 0.0 < t < self.length), self.length

    @property
    def phases(self) -> tuple[Phase, ...]:
        """One phase."""
        return (("motion", 0.0, self.length),)

    @property
    def moving_ends(self) -> tuple[bool, bool]:
        """It moves before and after."""
        return True, True

    def breaks(self, output: str) -> tuple[Break, ...]:
        """Return where its pieces join."""
        self._row(output)
        return tuple(Break(t, self.degree - 1) for t in self.knots[1:-1])

    @property
    def notes(self) -> tuple[str, ...]:
        """How far it is from the record."""
        return (
            f"{self.outputs[0]} is a spline of degree {self.degree} on {self.source}; it is off "
            f"the recorded values by {self.deviation:.3g} at most, {self.rms:.3g} rms",
        )

    @cached_property
    def _table(self) -> tuple[FloatArray, NDArray[np.float64]]:
        return np.array(self.times), np.array(self.pieces)

    def _evaluate(self, t: FloatArray, order: int, side: Side) -> FloatArray:
        bounds, pieces = self._table
        times = np.clip(t, 0.0, self.length)
        piece = np.clip(np.searchsorted(bounds, times, side=side) - 1, 0, len(pieces) - 1)
        x, own = times - bounds[piece], pieces[piece]
        out = np.zeros((order + 1, 1, len(t)))
        factors = np.ones(self.degree + 1)
        for k in range(min(order, self.degree) + 1):
            for n in range(self.degree, k - 1, -1):
                out[k, 0] = out[k, 0] * x + factors[n] * own[:, n]
            factors *= np.arange(self.degree + 1) - k
        out[1:, :, t != times] = 0.0
        return out


def fitted(
    output: str,
    record: tuple[FloatArray, FloatArray],
    degree: int,
    smoothing: float,
    begin: float,
    length: float,
    source: str,
) -> Recorded:
    """Return a spline on recorded values.

    Parameters
    ----------
    output : str
        What was recorded.
    record : tuple of numpy.ndarray
        Increasing times [s] and values; more of them than the degree.
    degree : int
        Odd; at most 5 where it is smoothed.
    smoothing : float
        The deviation, in the quadratic mean, that the spline may have; 0 for one through all
        values. With it, it is the smoothest that is this near (P. Dierckx, Curve and surface
        fitting with splines, Oxford, 1993).
    begin, length : float
        The time in the record that is time 0, and how long it is used [s].
    source : str
        What it is made of, for messages.
    """
    from scipy.interpolate import BSpline, PPoly, make_interp_spline, splrep

    times, values = record[0] - begin, record[1]
    if smoothing:
        knots, c, k = splrep(times, values, k=degree, s=len(times) * smoothing**2)
        spline = BSpline(knots, c[: len(knots) - k - 1], k)
    else:
        spline = make_interp_spline(times, values, k=degree)
    polynomial = PPoly.from_spline(spline)
    used = np.diff(polynomial.x) > 0.0  # the knots at the ends stand several times
    bounds = np.append(polynomial.x[:-1][used], polynomial.x[-1])
    rising = polynomial.c[::-1, used].T
    error = spline(times) - values
    return Recorded(
        (output,),
        degree,
        tuple(bounds.tolist()),
        tuple(tuple(row) for row in rising.tolist()),
        length,
        source,
        float(np.abs(error).max()),
        float(np.sqrt(np.mean(error**2))),
    )
