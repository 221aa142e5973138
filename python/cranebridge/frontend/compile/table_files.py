"""Tables in files, in the formats of the Modelica Standard Library: text, MATLAB and CSV.

A text file begins with ``#1``; then come tables, ``double name(rows, columns)`` or ``float ...``,
numbers separated by white space, commas or semicolons; ``#`` begins a comment.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError

Array = NDArray[np.float64]

MOST_BYTES = 50_000_000
_HEAD = re.compile(r"^\s*(?:double|float)\s+(\w+)\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)", re.MULTILINE)


def read_table(path: Path, name: str, delimiter: str = ",", headers: int = 0) -> Array:
    """Return a table of a file.

    Parameters
    ----------
    path : Path
        The file: ``.mat``, ``.csv``, or text.
    name : str
        Name of the table in it; of no meaning in CSV.
    delimiter, headers : str, int
        Of CSV: what separates numbers, and how many lines come before them.

    Raises
    ------
    InputError
        If there is no such file or table, or it holds anything but numbers.
    """
    if not path.is_file():
        raise InputError(f"table file '{path}' does not exist.")
    if path.stat().st_size > MOST_BYTES:
        raise InputError(f"table file '{path}' has more than {MOST_BYTES / 1e6:g} MB.")
    if path.suffix.lower() == ".mat":
        found = _of_matlab(path, name)
    elif path.suffix.lower() == ".csv":
        found = _of_csv(path, delimiter, headers)
    else:
        found = _of_text(path, name)
    if found.ndim != 2 or min(found.shape) < 1 or not np.isfinite(found).all():
        raise InputError(f"table '{name}' of '{path}' is not a matrix of finite numbers.")
    return found


def _of_text(path: Path, name: str) -> Array:
    text = path.read_text(encoding="utf-8", errors="replace")
    if not text.startswith("#1"):
        raise InputError(f"table file '{path}' does not begin with '#1'.")
    plain = re.sub(r"#.*", "", text)
    heads = {head.group(1): head for head in _HEAD.finditer(plain)}
    if name not in heads:
        raise InputError(_no_table(path, name, list(heads)))
    rows, columns = int(heads[name].group(2)), int(heads[name].group(3))
    after = plain[heads[name].end() :]
    following = _HEAD.search(after)
    words = re.split(r"[\s,;]+", (after[: following.start()] if following else after).strip())
    try:
        values = [float(word) for word in words if word]
    except ValueError as error:
        raise InputError(f"table '{name}' of '{path}': {error}.") from error
    if len(values) < rows * columns:
        raise InputError(
            f"table '{name}' of '{path}' shall have {rows} x {columns} numbers, but has "
            f"{len(values)}."
        )
    return np.array(values[: rows * columns]).reshape(rows, columns)


def _of_matlab(path: Path, name: str) -> Array:
    from scipy.io import loadmat, whosmat
    from scipy.io.matlab import MatReadError

    try:
        content = loadmat(path, variable_names=[name])
        known = [entry[0] for entry in whosmat(path)]
    except (MatReadError, NotImplementedError, ValueError, TypeError, OSError) as error:
        raise InputError(
            f"table file '{path}' is not a MATLAB file of version 4, 6 or 7 ({error})."
        ) from error
    if name not in content:
        raise InputError(_no_table(path, name, known))
    try:
        return np.asarray(content[name], dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"table '{name}' of '{path}' is not a matrix of numbers.") from error


def _of_csv(path: Path, delimiter: str, headers: int) -> Array:
    try:
        return np.loadtxt(path, delimiter=delimiter, skiprows=headers, ndmin=2, comments=None)
    except (TypeError, ValueError) as error:  # a delimiter of two characters is the first
        raise InputError(f"table file '{path}': {error}.") from error


def _no_table(path: Path, name: str, known: list[str]) -> str:
    return f"no table '{name}' in '{path}'. Tables in it: {', '.join(known) or 'none'}."
