"""The polynomials by which the on-line generator continues any motion (``templates/path.c``).

A polynomial that begins with a path's coordinate and its derivatives 1 to k as they are, and ends
at rest, has the degree n = 2 k + 1; k is the highest derivative that the controls need. In
Bernstein's form over the duration T its control points are

    b_j = sum_i C(j, i) / (C(n, i) i!) T^i x^(i)   for j <= k,   b_j = end for j > k,

for which no equations have to be solved. What is kept are the differences to the end, k + 1 of
them; they are rounded relative to the way, so that the end is exact.

To stop, the end is free. Of all motions that come to rest at T, the one with the least integral of
the square of x^(k+1) is such a polynomial, and since its end is free its derivative 2 k + 1
vanishes: the velocity is the polynomial of degree 2 k - 1 that goes from the present velocity and
its derivatives to zero. Its integral over the duration, the mean of its control points, is the way
to stop,

    rest = x + T sum_i C(k, i + 1) / (2 k C(2 k - 1, i) i!) T^i v^(i),   i < k,

half of the way that the present velocity alone would go, v T / 2, and what accelerations add.

To go on to a goal, the smooth step of degree n from there to the goal is added, over a duration
that is not shorter. If both take the same time, the sum is the one polynomial of degree n from the
present motion to the goal. But where the goal is far, an acceleration of the moment must not last:
it fades quickly while the long way begins.
"""

from __future__ import annotations

import math
from fractions import Fraction


def control_weights(k: int) -> list[list[Fraction]]:
    """Return by which a control point has ``T^i x^(i)``, a row for each of the first k + 1."""
    n = 2 * k + 1
    return [
        [Fraction(math.comb(j, i), math.comb(n, i) * math.factorial(i)) for i in range(k + 1)]
        for j in range(k + 1)
    ]


def stop_weights(k: int) -> list[Fraction]:
    """Return by which the way to stop has ``T^(i + 1) v^(i)``, for i from 0 to k - 1."""
    return [
        Fraction(math.comb(k, i + 1), 2 * k * math.comb(2 * k - 1, i) * math.factorial(i))
        for i in range(k)
    ]
