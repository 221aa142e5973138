"""S-curves: from rest to rest within limits of speed, acceleration, jerk and higher derivatives.

A step from 0 to 1, averaged over n windows of time T_1, ..., T_n one after the other, is progress
whose n-th derivative is piecewise constant: a trapezoidal velocity for n = 2, the S-curve with its
seven segments for n = 3. As long as each window is at least as long as all later ones together, no
two slopes of a kind add up, and over a distance L the extremes are

    speed = L / T_1,    acceleration = L / (T_1 T_2),    jerk = L / (T_1 T_2 T_3),    ...

So each window is either set by its limit or equal to the sum of the later ones (limit not reached).
Up to n = 3 this is the shortest motion that keeps the limits, in all its cases. For n >= 4 it keeps
the limits and reaches those that it can, but need not be the shortest: with the highest limit alone
it takes 1.07 times as long as the shortest for n = 4 and 1.22 times for n = 5.

The smoother relatives weight the last window by the slope of a smooth step instead of evenly: the
highest limited derivative comes in smooth pulses. n = 1 is then the polynomial and n = 2 the
three-phase profile. Their highest derivative has a peak of (2k + 1)! / (k!^2 4^k) times its mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise

from cranebridge.path.profiles.profile import Piece, Profile, shift, smooth_step

SHORTEST_WINDOW = 1e-6
"""Shortest window as a part of the duration; with shorter ones high derivatives leave the range."""


class NoEffectError(ValueError):
    """A limit so large that it has no effect on the motion.

    Attributes
    ----------
    position : int
        Which one: 0 is the speed.
    """

    def __init__(self, position: int) -> None:
        super().__init__(f"limit {position + 1} is so large that it has no effect")
        self.position = position


def s_curve(
    distance: float,
    limits: Sequence[float],
    smoothness: int = 4,
    begin: float | Fraction = 0,
) -> Profile:
    """Make the profile that covers a distance from rest to rest within limits.

    Parameters
    ----------
    distance : float
        Length of the way [m].
    limits : sequence of float
        Of speed [m/s], acceleration [m/s^2], jerk [m/s^3] and so on. All but the last may be
        infinite.
    smoothness : int
        Least class of the profile; it is at least one less than the number of limits.
    begin : float or Fraction
        When the motion begins [s].

    Raises
    ------
    NoEffectError
        If a limit is so large that it should be left out.
    """
    steps = step_class(len(limits), smoothness)
    windows = windows_within(distance, limits, steps)
    total = sum(windows)
    for position, window in enumerate(windows):
        if window < SHORTEST_WINDOW * total:
            raise NoEffectError(position)
    return averaged(windows, steps, begin)


def step_class(order: int, smoothness: int) -> int:
    """Return the class of the smooth step in the last of `order` windows."""
    return max(smoothness - (order - 1), 0)


def peak_slope(steps: int) -> Fraction:
    """Return the largest slope of the smooth step of a class: 1, 3/2, 15/8, ..."""
    return Fraction(math.factorial(2 * steps + 1), math.factorial(steps) ** 2 * 4**steps)


def windows_within(distance: float, limits: Sequence[float], steps: int) -> tuple[Fraction, ...]:
    """Return the windows T_1, T_2, ... of the motion within limits.

    A window that a limit does not set is exactly the sum of the later ones.

    Parameters
    ----------
    distance : float
        Length of the way [m].
    limits : sequence of float
        Of speed, acceleration, ...; all but the last may be infinite.
    steps : int
        Class of the smooth step in the last window.
    """
    values = [distance, *limits]
    if not limits or not all(value > 0.0 for value in values) or math.isinf(limits[-1]):
        raise ValueError(f"distance and limits must be positive, got {values}")
    return _windows(distance, (*limits[:-1], limits[-1] / float(peak_slope(steps))))


def _windows(amplitude: float, limits: Sequence[float]) -> tuple[Fraction, ...]:
    """Return the windows for the amplitude of a derivative and the limits of those above it."""
    for place, limit in enumerate(limits[:-1]):
        if math.isinf(limit):
            continue
        # this limit is reached, none before it; what follows it in time does not depend on more
        later = _windows(limit, limits[place + 1 :])
        ratio = amplitude / limit / 2 ** (place * (place - 1) // 2)
        if ratio >= math.ldexp(float(sum(later)) ** (place + 1), place):
            own, later = _no_gap(_own_window(ratio, place, float(sum(later))), later)
            return (*_sums(own + sum(later), place), own, *later)
    count = len(limits)
    ratio = amplitude / limits[-1] / 2 ** ((count - 2) * (count - 1) // 2)
    last = Fraction(math.cbrt(ratio) if count == 3 else ratio ** (1.0 / count))
    return (*_sums(last, count - 1), last)


def _own_window(product: float, place: int, later: float) -> float:
    """Solve T (T + later)^place = product for T."""
    if place == 0:
        return product
    if place == 1:
        return 2.0 * product / (later + math.sqrt(later * later + 4.0 * product))
    own = later
    for _ in range(100):
        # Newton's method on the logarithm, from below: it is concave, so no step leads too far
        wrong = math.log(product / own) - place * math.log(own + later)
        step = wrong / (1.0 / own + place / (own + later))
        own += step
        if step <= 1e-16 * own:
            break
    return own


def _no_gap(own: float, later: tuple[Fraction, ...]) -> tuple[Fraction, tuple[Fraction, ...]]:
    """Lengthen later windows where they leave a gap that is no more than rounding.

    All limits are still kept; the motion takes longer by a millionth at most.
    """
    together = sum(later)
    if own <= together * (1 + Fraction(SHORTEST_WINDOW)):
        factor = max(Fraction(own / float(together)), Fraction(1))
        later = tuple(window * factor for window in later)
        return sum(later, Fraction(0)), later
    return Fraction(own), later


def _sums(together: Fraction, count: int) -> list[Fraction]:
    """Return windows each of which is the sum of all later ones, the last of them `together`."""
    return [together * 2 ** (count - 1 - j) for j in range(count)]


def limits_reached(
    windows: Sequence[float | Fraction], distance: float, steps: int
) -> tuple[float, ...]:
    """Return the extremes of speed, acceleration, ...: the inverse of `windows_within`.

    Holds where each window is at least the sum of the later ones.
    """
    product = Fraction(distance)
    found = []
    for window in windows:
        product /= Fraction(window)
        found.append(product)
    found[-1] *= peak_slope(steps)
    return tuple(map(float, found))


def averaged(
    windows: Sequence[float | Fraction], steps: int = 0, begin: float | Fraction = 0
) -> Profile:
    """Average a step over windows of time, exactly.

    Parameters
    ----------
    windows : sequence of float or Fraction
        Their lengths [s]; the duration is their sum. Where one is meant to be the sum of others, it
        must be so exactly, or pieces of rounding size remain between them.
    steps : int
        Class of the smooth step in the last window; 0 averages evenly. The profile has the class
        ``len(windows) - 1 + steps``.
    begin : float or Fraction
        When the motion begins [s].
    """
    first, lengths = Fraction(begin), [Fraction(window) for window in windows]
    if not lengths or min(lengths) <= 0:
        raise ValueError(f"windows must be positive, got {[float(w) for w in windows]}")
    *even, last = lengths
    inside, after = _integrated_step(last, len(even), steps)
    scale = math.prod(even, start=Fraction(1))
    terms = [
        (sum(chosen, Fraction(0)), (-1) ** size / scale)
        for size in range(len(even) + 1)
        for chosen in combinations(even, size)
    ]
    knots = sorted({knot for start, _ in terms for knot in (start, start + last)})
    pieces = []
    for left, right in pairwise(knots):
        total = [Fraction(0)] * len(inside)
        for start, weight in terms:
            if start <= left:
                past = left >= start + last
                polynomial = after if past else inside
                offset = left - start - (last if past else 0)
                for n, a in enumerate(shift(polynomial, offset)):
                    total[n] += weight * a
        while len(total) > 1 and total[-1] == 0:
            total.pop()
        scaled = tuple(a * (right - left) ** n for n, a in enumerate(total))
        pieces.append(Piece(first + left, first + right, scaled))
    return Profile(tuple(pieces), _names(lengths, knots))


def _integrated_step(
    length: Fraction, times: int, steps: int
) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """Integrate a smooth step: polynomials of t while it rises, of t - length after that."""
    rising = (
        a * math.factorial(n) / math.factorial(n + times) / length**n
        for n, a in enumerate(smooth_step(steps))
    )
    inside = (*[Fraction(0)] * times, *rising)
    return inside, shift(inside, length)[: times + 1]


def _names(windows: Sequence[Fraction], knots: Sequence[Fraction]) -> tuple[str, ...]:
    """Say for each piece whether the speed grows, stays or falls."""
    if len(windows) == 1:
        return ("motion",)
    longest, others = windows[0], sum(windows[1:])
    if longest < others:  # slopes overlap
        return ("motion",) * (len(knots) - 1)
    return tuple(
        "acceleration" if left < others else "deceleration" if left >= longest else "steady"
        for left in knots[:-1]
    )
