"""Arithmetic of truncated Taylor series in time, for many time points at once.

A series is an array of shape ``(order + 1, ...)`` whose entry ``[k]`` is the k-th derivative
divided by k!. Every function returns the exact series of its result, so that nonlinear geometry
gets derivatives of any order without differences and without expressions that grow with the order.
The recurrences are those of A. Griewank and A. Walther, *Evaluating Derivatives*, 2nd ed. (SIAM
2008), Chapter 13.
"""

from __future__ import annotations

import math

import numpy as np

from cranebridge.path.base import FloatArray


def from_derivatives(derivatives: FloatArray) -> FloatArray:
    """Divide the k-th derivative by k!."""
    return derivatives / _factorials(derivatives)


def to_derivatives(series: FloatArray) -> FloatArray:
    """Multiply the k-th coefficient by k!."""
    return series * _factorials(series)


def multiply(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the series of ``a * b``."""
    return np.stack([_convolve(a[: k + 1], b[: k + 1]) for k in range(len(a))])


def divide(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the series of ``a / b``; ``b[0]`` must not vanish."""
    out = np.empty_like(a)
    out[0] = a[0] / b[0]
    for k in range(1, len(a)):
        out[k] = (a[k] - _convolve(b[1 : k + 1], out[:k])) / b[0]
    return out


def sqrt(a: FloatArray) -> FloatArray:
    """Return the series of the square root; ``a[0]`` must be positive."""
    out = np.empty_like(a)
    out[0] = np.sqrt(a[0])
    for k in range(1, len(a)):
        inner = _convolve(out[1:k], out[1:k]) if k > 1 else 0.0
        out[k] = (a[k] - inner) / (2.0 * out[0])
    return out


def cos_sin(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the series of ``cos(a)`` and ``sin(a)``."""
    c, s = np.empty_like(a), np.empty_like(a)
    c[0], s[0] = np.cos(a[0]), np.sin(a[0])
    slope = _differentiate(a)
    for k in range(1, len(a)):
        c[k] = -_convolve(slope[:k], s[:k]) / k
        s[k] = _convolve(slope[:k], c[:k]) / k
    return c, s


def arctan2(y: FloatArray, x: FloatArray) -> FloatArray:
    """Return the series of the angle of the point (x, y), which must not be the origin."""
    out = np.empty_like(y)
    out[0] = np.arctan2(y[0], x[0])
    if len(y) > 1:
        dx, dy, x, y = _differentiate(x), _differentiate(y), x[:-1], y[:-1]
        rate = divide(multiply(x, dy) - multiply(y, dx), multiply(x, x) + multiply(y, y))
        out[1:] = rate / _counting(rate)
    return out


def _convolve(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the sum of ``a[j] * b[-1 - j]``: one coefficient of a product."""
    total: FloatArray = np.einsum("j...,j...->...", a, b[::-1])
    return total


def _differentiate(a: FloatArray) -> FloatArray:
    return a[1:] * _counting(a[1:])


def _counting(a: FloatArray) -> FloatArray:
    """Return 1, 2, 3, ... along the first axis of `a`."""
    return np.arange(1.0, len(a) + 1.0).reshape(-1, *[1] * (a.ndim - 1))


def _factorials(a: FloatArray) -> FloatArray:
    values = np.array([float(math.factorial(k)) for k in range(len(a))])
    return values.reshape(-1, *[1] * (a.ndim - 1))
