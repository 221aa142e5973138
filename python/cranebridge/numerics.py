"""Choices of numerical methods, and numbers as text, that several packages share."""

from __future__ import annotations

from typing import TextIO

import numpy as np
from numpy.typing import NDArray

# Sparse QR, which needs no pivots. With CasADi's csparse, Newton's method stalled on the
# 42-coordinate crane and on CABLEV in dependent coordinates, where newtons and metres mix; qr and
# lapacklu both converge there, and qr is the fastest.
LINEAR_SOLVER = "qr"

# Rows that are turned into text at once: more would only take memory.
_ROWS = 4096


def write_rows(file: TextIO, values: NDArray[np.float64], delimiter: str = ",") -> None:
    """Write a table of numbers with 17 significant digits; read again, they are the same."""
    row = delimiter.join(["%.17g"] * values.shape[1]) + "\n"
    for begin in range(0, len(values), _ROWS):
        part = values[begin : begin + _ROWS]
        file.write((row * len(part)) % tuple(part.ravel().tolist()))
