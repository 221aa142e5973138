"""Choices of numerical methods, and numbers as text, that several packages share."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, unknown

# Sparse QR, which needs no pivots. With CasADi's csparse, Newton's method stalled on the
# 42-coordinate crane and on CABLEV in dependent coordinates, where newtons and metres mix; qr and
# lapacklu both converge there, and qr is the fastest.
LINEAR_SOLVER = "qr"

# Rows that are turned into text at once: more would only take memory.
_ROWS = 4096


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct finite numbers among some, in increasing order.

    As `numpy.unique` does, which imports masked arrays for it, a tenth of a short command, and
    sorts what it has hashed.
    """
    ordered = np.sort(values, axis=None)
    new = np.ones(ordered.size, dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    found: NDArray[Any] = ordered[new]
    return found


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


class LazyColumns(Mapping[str, NDArray[np.float64]]):
    """Columns by name, of which some are made when one of them is asked for first.

    Parameters
    ----------
    known : mapping of str to numpy.ndarray
        Those that are there.
    """

    def __init__(self, known: Mapping[str, NDArray[np.float64]]) -> None:
        self._known = dict(known)
        self._makers: dict[str, Callable[[], Mapping[str, NDArray[np.float64]]]] = {}
        self._single: dict[str, Callable[[str], NDArray[np.float64]]] = {}

    def add(self, columns: Mapping[str, NDArray[np.float64]]) -> None:
        """Add columns that are there."""
        self._known |= columns

    def later(
        self, names: Iterable[str], make: Callable[[], Mapping[str, NDArray[np.float64]]]
    ) -> None:
        """Add columns that a function makes together; it is called once at most."""
        self._makers |= dict.fromkeys(names, make)

    def each(self, names: Iterable[str], make: Callable[[str], NDArray[np.float64]]) -> None:
        """Add columns that a function makes one by one, from their names."""
        self._single |= dict.fromkeys(names, make)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """Return a column; made now, with those that belong to it, if it is not there."""
        if name not in self._known:
            if name in self._makers:
                self._known |= self._makers[name]()
            elif name in self._single:
                self._known[name] = self._single[name](name)
        return self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._known or name in self._makers or name in self._single

    def __iter__(self) -> Iterator[str]:
        return iter({**self._known, **self._makers, **self._single})

    def __len__(self) -> int:
        return len({**self._known, **self._makers, **self._single})


def is_finite_number(text: str) -> bool:
    """Return whether a field of a table is a number, and neither infinite nor none."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def read_csv_columns(
    key: str, file: str, wanted: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read a CSV file with a column time and others by name.

    Returns
    -------
    time, values : numpy.ndarray
        Times, and a column for each of `wanted`.
    """
    try:
        with open(file, newline="", encoding="utf-8") as stream:
            lines = csv.reader(stream)
            numbered = [(lines.line_num, row) for row in lines if row]
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{key} = '{file}' cannot be read: {error}") from error
    titles = [title.strip() for title in numbered[0][1]] if numbered else []
    for name in ("time", *wanted):
        if name not in titles:
            raise unknown(f"column of {key} = '{file}', which is needed,", name, titles)
    table = _numbers(f"{key} = '{file}'", titles, numbered[1:])
    if len(table) < 2:
        raise InputError(f"{key} = '{file}' needs two rows of finite numbers at least")
    time = table[:, titles.index("time")]
    if not (np.diff(time) > 0.0).all():
        raise InputError(f"{key} = '{file}': the times must increase")
    return time, table[:, [titles.index(name) for name in wanted]]


def _numbers(
    what: str, titles: list[str], rows: list[tuple[int, list[str]]]
) -> NDArray[np.float64]:
    """Return the numbers below the titles; one that is not finite is named by row and column."""
    count = len(titles)
    for number, row in rows:
        if len(row) != count:
            raise InputError(f"{what}: row {number} has {len(row)} entries, the titles are {count}")
    try:
        table = np.array([row for _, row in rows], dtype=float).reshape(-1, count)
        if np.isfinite(table).all():
            return table
    except ValueError:
        pass
    number, title, text = next(
        (number, title, text)
        for number, row in rows
        for title, text in zip(titles, row, strict=True)
        if not is_finite_number(text)
    )
    raise InputError(f"{what}: row {number}, column {title}: '{text}' is no finite number")
