"""Polynomials through a handful of points, in plain numbers: arrays would cost ten times as much.

A polynomial is a list of its coefficients, the highest power first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

# Newton's method ends where it gets no nearer: it doubles the digits, bisection adds one.
_MOST_STEPS = 100


def horner(polynomial: Sequence[float], x: float) -> float:
    """Return the value at a place."""
    value = 0.0
    for coefficient in polynomial:
        value = value * x + coefficient
    return value


def derivative(polynomial: Sequence[float]) -> list[float]:
    """Return the derivative."""
    degree = len(polynomial) - 1
    return [coefficient * (degree - i) for i, coefficient in enumerate(polynomial[:-1])]


def polynomial_through(nodes: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return the polynomial through points, by Newton's divided differences."""
    differences = list(values)
    count = len(differences)
    for order in range(1, count):
        for i in range(count - 1, order - 1, -1):
            width = nodes[i] - nodes[i - order]
            differences[i] = (differences[i] - differences[i - 1]) / width
    found = [differences[-1]]
    for node, value in zip(reversed(nodes[:-1]), reversed(differences[:-1]), strict=True):
        # times (x - node), plus the next difference
        found = [
            one - node * before for one, before in zip([*found, 0.0], [0.0, *found], strict=True)
        ]
        found[-1] += value
    return found


def roots_between(polynomial: Sequence[float], low: float, high: float) -> list[float]:
    """Return the roots inside an interval at which the sign changes, increasing.

    Between the roots of its derivative a polynomial is monotonous, so that each change of sign
    there is one root; they are found the same way. No leading coefficient is too small for that.
    """
    if len(polynomial) < 2:
        return []
    slope = derivative(polynomial)
    inner = [] if _keeps_sign(slope, low, high) else roots_between(slope, low, high)
    edges = [low, *inner, high]
    values = [horner(polynomial, edge) for edge in edges]
    found = []
    for (a, b), (left, right) in zip(pairwise(edges), pairwise(values), strict=True):
        if left == 0.0:
            found.append(a)
        elif right != 0.0 and (left < 0.0) != (right < 0.0):
            found.append(_root(polynomial, slope, a, b, left))
    return [root for root in found if low < root < high]


def _keeps_sign(polynomial: Sequence[float], low: float, high: float) -> bool:
    """Return whether a quadratic has one sign in an interval; False for others, too.

    Near an extreme of a signal the second derivative does, and nothing else is to be looked for.
    """
    if len(polynomial) != 3:
        return False
    a, b, c = polynomial
    values = [(a * low + b) * low + c, (a * high + b) * high + c]
    if a and low < -b / (2.0 * a) < high:
        values.append(c - b * b / (4.0 * a))
    return min(values) > 0.0 or max(values) < 0.0


def _root(
    polynomial: Sequence[float], slope: Sequence[float], a: float, b: float, left: float
) -> float:
    """Return the one root between a and b: by Newton's method, by bisection where it leads out."""
    x = 0.5 * (a + b)
    for _ in range(_MOST_STEPS):
        value = horner(polynomial, x)
        if value == 0.0:
            break
        if (value < 0.0) == (left < 0.0):
            a = x
        else:
            b = x
        rate = horner(slope, x)
        new = x - value / rate if rate else math.nan
        if not a <= new <= b:
            new = 0.5 * (a + b)
        if new == x or not a < new < b:
            break
        x = new
    return x
