"""Choices of numerical methods, and numbers as text, that several packages share."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
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


def write_columns(
    target: Path | TextIO, columns: Iterable[tuple[str, NDArray[np.float64]]]
) -> None:
    """Write titled columns of numbers as CSV, to a file or to a text stream."""
    if isinstance(target, Path):
        with target.open("w", newline="", encoding="utf-8") as file:
            write_columns(file, columns)
        return
    titles, values = zip(*columns, strict=True)
    write_header(target, titles)
    write_rows(target, np.column_stack(values))


def write_header(file: TextIO, titles: Iterable[str]) -> None:
    """Write the titles of columns as the first line of CSV."""
    csv.writer(file, lineterminator="\n").writerow(titles)
