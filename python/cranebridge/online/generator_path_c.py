"""The paths of the on-line generator: progress from rest to rest, and polynomials from any motion.

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


PATHS = """\
/* Progress and its time derivatives at a normalised time; `left` wants the left side of a knot,
   where the highest derivatives jump. */
static void progress(real x, real duration, int left, real c[ORDER + 1])
{
    int i = 0, k, n;
    real y, scale = $ONE;
    memset(c, 0, (ORDER + 1) * sizeof(real));
    if (!(x > $ZERO)) x = $ZERO;
    if (x > $ONE || (x == $ONE && !left)) {
        c[0] = $ONE;
        return;
    }
    while (i < SEGMENTS - 1 && (left ? x > segment_until[i] : x >= segment_until[i])) i++;
    y = (x - segment_anchor[i]) / segment_length[i];
    for (k = 0; k <= ORDER && k <= DEGREE; k++) {
        real sum = $ZERO;
        for (n = DEGREE; n >= k; n--) {
            real factor = segment_series[i][n];
            int j;
            for (j = 0; j < k; j++) factor *= (real)(n - j);
            sum = sum * y + factor;
        }
        c[k] = sum * scale;
        scale /= segment_length[i] * duration;
    }
}

/* A polynomial in Bernstein's form and its derivatives, by de Casteljau's algorithm: when m + 1
   points are left, their difference of order m is the derivative of order m. */
static void polynomial(const real control[SMOOTH + 1], real x, real duration, real c[ORDER + 1])
{
    real b[BERNSTEIN + 1] = {0}, d[ORDER + 1];
    int left, i, m;
    memset(c, 0, (ORDER + 1) * sizeof(real));
    memcpy(b, control, (SMOOTH + 1) * sizeof(real));
    for (left = BERNSTEIN; left >= 0; left--) {
        if (left <= ORDER) {
            real factor = $ONE;
            memcpy(d, b, (size_t)(left + 1) * sizeof(real));
            for (m = 1; m <= left; m++) {
                for (i = 0; i <= left - m; i++) d[i] = d[i + 1] - d[i];
                factor *= (real)(BERNSTEIN + 1 - m) / duration;
            }
            c[left] = factor * d[0];
        }
        for (i = 0; i < left; i++) b[i] = ($ONE - x) * b[i] + x * b[i + 1];
    }
}

/* The path's own coordinates and their derivatives at a normalised time of a plan. */
static void own_at(const ${P}_motion *plan, real x, int left, const real *near,
                   real own[$NY * (ORDER + 1)])
{
    real c[ORDER + 1];
    int i, m;
    if (!plan->moving) {
        progress(x, plan->duration, left, c);
        own_coordinates(plan->start, plan->goal, c, near, own);
        return;
    }
    memset(own, 0, $NY * (ORDER + 1) * sizeof(real));
    for (i = 0; i < $NY; i++) own[i] = plan->goal[i];
    if (x > $ONE || (x == $ONE && !left)) return;
    if (!(x > $ZERO)) x = $ZERO;
    for (i = 0; i < $NY; i++) {
        real way[SMOOTH + 1];
        for (m = 0; m <= SMOOTH; m++) way[m] = plan->rest[i] - plan->goal[i];
        polynomial(way, x, plan->duration, c);
        for (m = 0; m <= ORDER; m++) own[m * $NY + i] += c[m];
        if (x > plan->fade || (x == plan->fade && !left)) continue;
        polynomial(plan->control + i * (SMOOTH + 1), x / plan->fade, plan->fade * plan->duration,
                   c);
        for (m = 0; m <= ORDER; m++) own[m * $NY + i] += c[m];
    }
}

static void outputs_at(const ${P}_motion *plan, real x, int left, const real *near, real *gammas)
{
    real own[$NY * (ORDER + 1)];
    own_at(plan, x, left, near, own);
    outputs_of(own, gammas);
}

/* Own coordinates and outputs at rest; angles are those closest to `near`. */
static void outputs_at_rest(const real *where, const real *near, real *own, real *gammas)
{
    const real c[ORDER + 1] = {0};
    own_coordinates(where, where, c, near, own);
    outputs_of(own, gammas);
}
"""
