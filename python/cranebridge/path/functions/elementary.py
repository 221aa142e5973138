"""Elementary functions of NumPy arrays and of CasADi expressions alike.

The geometry of a path is written once with them: over arrays it is evaluated for many times, over
symbols it becomes a function of start and goal (:mod:`cranebridge.path.symbolic`).
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

Value = Any
"""A number, an array of numbers, or an expression of CasADi."""


def cos(x: Value) -> Value:
    """Return the cosine."""
    return ca.cos(x) if isinstance(x, ca.SX) else np.cos(x)


def sin(x: Value) -> Value:
    """Return the sine."""
    return ca.sin(x) if isinstance(x, ca.SX) else np.sin(x)


def sqrt(x: Value) -> Value:
    """Return the square root."""
    return ca.sqrt(x) if isinstance(x, ca.SX) else np.sqrt(x)


def arctan2(y: Value, x: Value) -> Value:
    """Return the angle of the point (x, y)."""
    return ca.atan2(y, x) if isinstance(y, ca.SX) else np.arctan2(y, x)


def floor(x: Value) -> Value:
    """Return the largest whole number that is not larger."""
    return ca.floor(x) if isinstance(x, ca.SX) else np.floor(x)


def where(condition: Value, chosen: Value, other: Value) -> Value:
    """Return one value where a condition holds, the other one elsewhere."""
    if isinstance(condition, ca.SX):
        return ca.if_else(condition, chosen, other)
    return np.where(condition, chosen, other)
