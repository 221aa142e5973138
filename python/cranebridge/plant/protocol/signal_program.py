"""Signals as functions of a plant's readings: a list of operations that a child process can run.

A map of names may state a signal by any expression of the plant's variables. The child process has
neither its text nor CasADi: it gets one row for each operation, ``(what, target, first, second,
value)``, on numbered places. Nothing else than arithmetic can be said so.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError

Array = NDArray[np.float64]

OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "power": math.pow,
    "atan2": math.atan2,
    "negate": lambda a, _: -a,
    "sqrt": lambda a, _: math.sqrt(a),
    "sin": lambda a, _: math.sin(a),
    "cos": lambda a, _: math.cos(a),
    "tan": lambda a, _: math.tan(a),
    "asin": lambda a, _: math.asin(a),
    "acos": lambda a, _: math.acos(a),
    "atan": lambda a, _: math.atan(a),
    "exp": lambda a, _: math.exp(a),
    "log": lambda a, _: math.log(a),
    "fabs": lambda a, _: math.fabs(a),
}
"""Operations on two places; those of one have the same place twice. In the order of ``law.c``."""
CONSTANT = 0
"""What else a row can say, before the operations: a value to a place."""
READ = 1
"""A reading to a place."""
WRITE = 2
"""A place to a signal."""
FIRST = 3
"""The first operation. The same numbers as in ``law.c``."""
CODES = {name: FIRST + i for i, name in enumerate(OPERATIONS)}
COLUMNS = 5


def require_program(rows: Array, readings: int, signals: int) -> None:
    """Refuse rows that are no program of so many readings and signals."""
    if rows.ndim != 2 or rows.shape[1] != COLUMNS or not np.isfinite(rows).all():
        raise InputError("signals: no list of operations.")
    whole = rows[:, :4]
    what, target, first, second = whole.T
    sound = (whole >= 0.0).all() and (whole == np.floor(whole)).all()
    sound &= (what < FIRST + len(OPERATIONS)).all()
    sound &= (target[what == WRITE] < signals).all() and (first[what == READ] < readings).all()
    places = size_of(rows)
    computed = what >= FIRST
    sound &= (first[computed | (what == WRITE)] < places).all()
    sound &= (second[computed] < places).all()
    if not sound:
        raise InputError("signals: an operation makes no sense.")


def size_of(rows: Array) -> int:
    """Return how many places a program has."""
    return int(rows[rows[:, 0] != WRITE, 1].max(initial=-1.0)) + 1


class SignalProgram:
    """Runs such a list; see the module."""

    def __init__(self, rows: Array, signals: int) -> None:
        functions = [None] * FIRST + list(OPERATIONS.values())
        self._rows = [
            (functions[int(what)], int(what), int(target), int(first), int(second), value)
            for what, target, first, second, value in rows.tolist()
        ]
        self._places = [0.0] * size_of(rows)
        self._signals = signals

    def __call__(self, readings: Array) -> Array:
        """Return the signals; not numbers where an operation has no result."""
        places, y = self._places, readings.tolist()
        found = np.zeros(self._signals)
        for function, what, target, first, second, value in self._rows:
            if function is not None:
                try:
                    places[target] = function(places[first], places[second])
                except (ArithmeticError, ValueError):
                    places[target] = math.nan
            elif what == CONSTANT:
                places[target] = value
            elif what == READ:
                places[target] = y[first]
            else:
                found[target] = places[first]
        return found
