"""Arithmetic of truncated Taylor series in time, for many time points at once or for symbols.

A series is a list whose entry ``[k]`` is the k-th derivative divided by k!: an array with an entry
for each time, or an expression of CasADi. Every function returns the exact series of its result, so
that nonlinear geometry gets derivatives of any order without differences and without expressions
that grow with the order. The recurrences are those of A. Griewank and A. Walther, *Evaluating
Derivatives*, 2nd ed. (SIAM 2008), Chapter 13.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from operator import add

from cranebridge.path.functions import elementary
from cranebridge.path.functions.elementary import Value

Series = list[Value]


def from_derivatives(derivatives: Sequence[Value]) -> Series:
    """Divide the k-th derivative by k!."""
    return [value / math.factorial(k) for k, value in enumerate(derivatives)]


def to_derivatives(series: Series) -> list[Value]:
    """Multiply the k-th coefficient by k!."""
    return [float(math.factorial(k)) * value for k, value in enumerate(series)]


def scale(factor: Value, a: Series) -> Series:
    """Return the series of ``factor * a`` for a factor that does not depend on time."""
    return [factor * value for value in a]


def sum_of(a: Series, b: Series) -> Series:
    """Return the series of ``a + b``."""
    return [x + y for x, y in zip(a, b, strict=True)]


def difference(a: Series, b: Series) -> Series:
    """Return the series of ``a - b``."""
    return [x - y for x, y in zip(a, b, strict=True)]


def multiply(a: Series, b: Series) -> Series:
    """Return the series of ``a * b``."""
    return [_convolve(a[: k + 1], b[: k + 1]) for k in range(len(a))]


def divide(a: Series, b: Series) -> Series:
    """Return the series of ``a / b``; ``b[0]`` must not vanish."""
    out = [a[0] / b[0]]
    for k in range(1, len(a)):
        out.append((a[k] - _convolve(b[1 : k + 1], out[:k])) / b[0])
    return out


def sqrt(a: Series) -> Series:
    """Return the series of the square root; ``a[0]`` must be positive."""
    out = [elementary.sqrt(a[0])]
    for k in range(1, len(a)):
        rest = a[k] - _convolve(out[1:k], out[1:k]) if k > 1 else a[k]
        out.append(rest / (2.0 * out[0]))
    return out


def cos_sin(a: Series) -> tuple[Series, Series]:
    """Return the series of ``cos(a)`` and ``sin(a)``."""
    c, s = [elementary.cos(a[0])], [elementary.sin(a[0])]
    slope = _differentiate(a)
    for k in range(1, len(a)):
        following = -_convolve(slope[:k], s) / k, _convolve(slope[:k], c) / k
        c.append(following[0])
        s.append(following[1])
    return c, s


def arctan2(y: Series, x: Series) -> Series:
    """Return the series of the angle of the point (x, y), which must not be the origin."""
    value = elementary.arctan2(y[0], x[0])
    if len(y) == 1:
        return [value]
    dx, dy, x, y = _differentiate(x), _differentiate(y), x[:-1], y[:-1]
    area = difference(multiply(x, dy), multiply(y, dx))
    rate = divide(area, sum_of(multiply(x, x), multiply(y, y)))
    return [value, *(r / (k + 1) for k, r in enumerate(rate))]


def _convolve(a: Series, b: Series) -> Value:
    """Return the sum of ``a[j] * b[-1 - j]``: one coefficient of a product."""
    return reduce(add, (x * y for x, y in zip(a, reversed(b), strict=True)))


def _differentiate(a: Series) -> Series:
    return [(k + 1) * value for k, value in enumerate(a[1:])]
