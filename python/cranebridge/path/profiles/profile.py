"""How progress along a path grows from 0 to 1 over time: smooth steps and three-phase profiles.

A profile is a piecewise polynomial c(t) with exact rational coefficients. Sections 0 and 13 of the
reference: the smooth step of degree 2k + 1 has k vanishing derivatives at both ends (k = 4 is the
5-6-7-8-9 polynomial of the thesis); the three-phase profile of class C^k integrates a velocity ramp
that is the smooth step with k - 1 vanishing derivatives, runs steadily, and mirrors the ramp,
c_III(t) = 1 - c_I(tau - t).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import pairwise, zip_longest

import numpy as np
from numpy.typing import NDArray

from cranebridge.path.base import Break, FloatArray, Phase, Side

MAX_SMOOTHNESS = 20
"""Up to here all derivatives are good to eleven digits of their largest value."""

# One Taylor expansion for a whole smooth step loses all digits to cancellation. Five of them, each
# used within an eighth of the piece, keep four derivatives of every class at rounding level.
_EXPANSIONS = tuple((Fraction(n, 4), min(Fraction(2 * n + 1, 8), Fraction(1))) for n in range(5))


@dataclass(frozen=True)
class Piece:
    """A polynomial in the normalised time x = (t - begin) / (end - begin).

    Attributes
    ----------
    begin, end : Fraction
        Where the piece lies in time [s].
    coefficients : tuple of Fraction
        Of 1, x, x^2, ...
    """

    begin: Fraction
    end: Fraction
    coefficients: tuple[Fraction, ...]

    def series(self, x: Fraction) -> tuple[Fraction, ...]:
        """Return the exact Taylor coefficients in time at the normalised time x."""
        length = self.end - self.begin
        shifted = shift(self.coefficients, x)
        return tuple(a / length**n for n, a in enumerate(shifted))


@dataclass(frozen=True)
class Segment:
    """Part of a piece on which one Taylor expansion is used.

    Attributes
    ----------
    until : float
        Where the next one begins [s].
    anchor : float
        Around which time it is [s].
    length : float
        Of the piece [s].
    series : tuple of Fraction
        Exact Taylor coefficients in time.
    """

    until: float
    anchor: float
    length: float
    series: tuple[Fraction, ...]

    def coefficients(self, order: int) -> list[float]:
        """Return the coefficients of a derivative in (t - anchor) / length, as floats."""
        # exact until the last step, so that each coefficient carries one rounding only
        length = Fraction(self.length)
        return [
            float(math.perm(n, order) * a * length ** (n - order))
            for n, a in enumerate(self.series)
            if n >= order
        ]


@dataclass(frozen=True)
class Profile:
    """Progress from 0 to 1 as a piecewise polynomial of time, at rest before and after.

    Attributes
    ----------
    pieces : tuple of Piece
        Adjoining each other in time.
    names : tuple of str
        What each piece is called in a plot.
    """

    pieces: tuple[Piece, ...]
    names: tuple[str, ...]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # That of fractions takes long, and what is known of paths is found by it.
        return hash((self.pieces, self.names))

    @property
    def begin(self) -> float:
        """When the motion begins [s]."""
        return float(self.pieces[0].begin)

    @property
    def end(self) -> float:
        """When the motion ends [s]."""
        return float(self.pieces[-1].end)

    @cached_property
    def knots(self) -> tuple[float, ...]:
        """Where two pieces, or a piece and rest, meet [s]."""
        return (*(float(p.begin) for p in self.pieces), self.end)

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Successive pieces of one name as ``(name, begin, end)``."""
        found: list[Phase] = []
        for name, (begin, end) in zip(self.names, pairwise(self.knots), strict=True):
            if found and found[-1][0] == name:
                begin = found.pop()[1]
            found.append((name, begin, end))
        return tuple(found)

    def series_at_knot(self, knot: int, side: Side) -> tuple[Fraction, ...]:
        """Return the exact one-sided Taylor coefficients in time at a knot.

        Parameters
        ----------
        knot : int
            Position in `knots`.
        side : {"right", "left"}
            Of the piece after or before the knot.
        """
        if side == "right":
            at_rest = knot == len(self.pieces)
            return (Fraction(1),) if at_rest else self.pieces[knot].series(Fraction(0))
        return (Fraction(0),) if knot == 0 else self.pieces[knot - 1].series(Fraction(1))

    @cached_property
    def breaks(self) -> tuple[Break, ...]:
        """Where the profile is not infinitely smooth, found from the exact coefficients."""
        found = []
        for i, time in enumerate(self.knots):
            order = common_order(self.series_at_knot(i, "left"), self.series_at_knot(i, "right"))
            if order is not None:
                found.append(Break(time, order))
        return tuple(found)

    def derivatives(self, t: FloatArray, order: int, side: Side = "right") -> FloatArray:
        """Evaluate progress and its time derivatives.

        Parameters
        ----------
        t : ndarray, shape (n,)
            Times [s].
        order : int
            The highest derivative wanted.
        side : {"right", "left"}
            Which one-sided limit to take at a knot.

        Returns
        -------
        ndarray, shape (order + 1, n)
        """
        bounds = [self.begin, *(s.until for s in self.segments)]
        out = np.zeros((order + 1, len(t)))
        for i, where in _segments_of(np.array(bounds), t, side):
            if i == len(bounds):
                out[0, where] = 1.0
            elif i:
                segment = self.segments[i - 1]
                x = (t[where] - segment.anchor) / segment.length
                for k in range(order + 1):
                    out[k, where] = _horner(self.coefficients(i - 1, k), x)
        return out

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The Taylor expansions that the profile is evaluated with, in the order of time."""
        segments = []
        for piece in self.pieces:
            length = piece.end - piece.begin
            linear = len(piece.coefficients) <= 2
            for x, until in ((Fraction(0), Fraction(1)),) if linear else _EXPANSIONS:
                anchor, last = float(piece.begin + x * length), float(piece.begin + until * length)
                segments.append(Segment(last, anchor, float(length), piece.series(x)))
        return tuple(segments)

    @cached_property
    def _known_coefficients(self) -> dict[tuple[int, int], list[float]]:
        return {}

    def coefficients(self, segment: int, order: int) -> list[float]:
        """Return those of a segment's derivative; see `Segment.coefficients`."""
        key = (segment, order)
        if key not in self._known_coefficients:
            self._known_coefficients[key] = self.segments[segment].coefficients(order)
        return self._known_coefficients[key]


@lru_cache(maxsize=64)
def polynomial(
    duration: float | Fraction, smoothness: int = 4, begin: float | Fraction = 0
) -> Profile:
    """Make the rest-to-rest smooth step of degree ``2 * smoothness + 1``.

    Parameters
    ----------
    duration : float or Fraction
        From rest to rest [s].
    smoothness : int
        Number of derivatives that vanish at both ends; the profile is of this class.
    begin : float or Fraction
        When the motion begins [s].
    """
    first, length = Fraction(begin), Fraction(duration)
    if length <= 0:
        raise ValueError(f"duration must be positive, got {duration}")
    return Profile((Piece(first, first + length, smooth_step(smoothness)),), ("motion",))


@lru_cache(maxsize=64)
def three_phase(
    duration: float | Fraction,
    ramp: float | Fraction,
    smoothness: int = 4,
    begin: float | Fraction = 0,
) -> Profile:
    """Make the profile with acceleration, steady and deceleration phase.

    Parameters
    ----------
    duration : float or Fraction
        From rest to rest [s], tau in thesis and paper.
    ramp : float or Fraction
        Of the acceleration and of the deceleration [s], tau_0 in thesis and paper; at most half of
        the duration, where nothing is left of the steady phase.
    smoothness : int
        Class of the profile, at least 1 (trapezoidal velocity); 4 is the profile of the paper.
    begin : float or Fraction
        When the motion begins [s].

    References
    ----------
    W. Blajer, K. Kolodziejczyk, Multibody Syst Dyn 25 (2011) 131-143, eq. (29), for smoothness 4.
    """
    first, tau, tau0 = Fraction(begin), Fraction(duration), Fraction(ramp)
    if not 0 < 2 * tau0 <= tau:
        raise ValueError(f"ramp must be positive and at most half of {duration}, got {ramp}")
    if smoothness < 1:
        raise ValueError(f"smoothness must be at least 1, got {smoothness}")
    velocity = smooth_step(smoothness - 1)
    gain = tau0 / (tau - tau0)
    rise = (Fraction(0), *(gain * a / n for n, a in enumerate(velocity, start=1)))
    mirrored = [-a * (-1) ** n for n, a in enumerate(shift(rise, Fraction(1)))]
    fall = (1 + mirrored[0], *mirrored[1:])
    last = first + tau
    pieces = [Piece(first, first + tau0, rise)]
    names = ["acceleration"]
    if 2 * tau0 < tau:
        steady = (gain / 2, (tau - 2 * tau0) / (tau - tau0))
        pieces.append(Piece(first + tau0, last - tau0, steady))
        names.append("steady")
    pieces.append(Piece(last - tau0, last, fall))
    return Profile(tuple(pieces), (*names, "deceleration"))


@cache
def smooth_step(smoothness: int) -> tuple[Fraction, ...]:
    """Return the polynomial that goes from 0 to 1 with vanishing derivatives at 0 and 1.

    Parameters
    ----------
    smoothness : int
        How many derivatives vanish at both ends; the degree is ``2 * smoothness + 1``.

    Returns
    -------
    tuple of Fraction
        Coefficients of 1, x, x^2, ...; smoothness 4 gives the polynomial of the thesis,
        126 x^5 - 420 x^6 + 540 x^7 - 315 x^8 + 70 x^9.
    """
    if not 0 <= smoothness <= MAX_SMOOTHNESS:
        raise ValueError(f"smoothness must be from 0 to {MAX_SMOOTHNESS}, got {smoothness}")
    k = smoothness
    tail = [(-1) ** j * math.comb(k + j, j) * math.comb(2 * k + 1, k - j) for j in range(k + 1)]
    return tuple(Fraction(a) for a in [0] * (k + 1) + tail)


def common_order(left: Sequence[Fraction], right: Sequence[Fraction]) -> int | None:
    """Return the highest order to which two Taylor series agree; None if they agree for ever."""
    pairs = zip_longest(left, right, fillvalue=Fraction(0))
    return next((k - 1 for k, (a, b) in enumerate(pairs) if a != b), None)


def shift(coefficients: Sequence[Fraction], x: Fraction) -> tuple[Fraction, ...]:
    """Return the coefficients of the same polynomial around x."""
    if x == 0:
        return tuple(coefficients)
    degree = len(coefficients) - 1
    powers = [x**n for n in range(degree + 1)]
    return tuple(
        sum(
            (coefficients[n] * math.comb(n, k) * powers[n - k] for n in range(k, degree + 1)),
            Fraction(0),
        )
        for k in range(degree + 1)
    )


def _segments_of(
    bounds: FloatArray, t: FloatArray, side: Side
) -> Iterator[tuple[int, slice | NDArray[np.intp]]]:
    """Yield how many bounds are before times, and which times these are, as far as there are any.

    Increasing times, as nearly all are, need no list of numbers.
    """
    if (t[1:] >= t[:-1]).all():
        # a bound that is met counts for times at it, or not: so it is before them, or behind
        other: Side = "left" if side == "right" else "right"
        ends = [0, *np.searchsorted(t, bounds, side=other).tolist(), len(t)]
        yield from ((i, slice(*pair)) for i, pair in enumerate(pairwise(ends)) if pair[0] < pair[1])
        return
    index = np.searchsorted(bounds, t, side=side)
    yield from ((int(i), np.flatnonzero(index == i)) for i in np.unique(index))


def _horner(coefficients: list[float], x: FloatArray) -> FloatArray | float:
    if not coefficients:
        return 0.0
    out = np.full_like(x, coefficients[-1])
    for a in reversed(coefficients[:-1]):
        out *= x
        if a:
            out += a
    return out
