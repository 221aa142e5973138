"""Designs: which values the factors have in each run.

A design follows from factors, kind, number of runs and random seed alone. Where the method allows,
a larger design begins with the runs of the smaller one: `sobol`, `random` and `saltelli` do;
`latin` and `grid` divide the range anew for each number of runs and do not.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cranebridge.campaign.campaign_choices import KINDS
from cranebridge.campaign.design.factors import Factor
from cranebridge.campaign.design.laws import Values
from cranebridge.errors import InputError, unknown
from cranebridge.numerics import is_finite_number
from cranebridge.regular_files import require_regular

Array = NDArray[np.float64]

FILE = "file"
"""The kind of a design that was read."""

MOST_RUNS = 10_000_000
"""Runs of a design at most."""


@dataclass(frozen=True, eq=False)
class Design:
    """The values of the factors in each run.

    Attributes
    ----------
    keys : tuple of str
        The factors.
    values : numpy.ndarray
        A row for each run, a column for each factor.
    kind : str
        See `KINDS`; ``"file"`` for one that was read.
    seed : int or None
        The random seed; None where nothing is random.
    """

    keys: tuple[str, ...]
    values: Array
    kind: str
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or self.values.shape[1] != len(self.keys) or not self.values.size:
            raise InputError("a design has a column for each factor and one run at least")
        if len(set(self.keys)) != len(self.keys):
            raise InputError("a factor stands in a design once")

    def __len__(self) -> int:
        """The number of runs."""
        return len(self.values)

    @cached_property
    def hash(self) -> str:
        """SHA-256 of all that the design is."""
        head = json.dumps([self.keys, self.values.shape, self.kind, self.seed])
        content = np.ascontiguousarray(self.values, dtype="<f8").tobytes()
        return hashlib.sha256(head.encode() + content).hexdigest()

    def point(self, number: int) -> dict[str, float]:
        """Return the values of a run by factor."""
        return dict(zip(self.keys, self.values[number].tolist(), strict=True))


def make_design(factors: Sequence[Factor], kind: str, runs: int, seed: int = 0) -> Design:
    """Make a design.

    Parameters
    ----------
    factors : sequence of Factor
        What varies.
    kind : str
        See `KINDS`.
    runs : int
        How many runs; `grid` and `saltelli` make at most as many, see there.
    seed : int
        The random seed.

    Raises
    ------
    InputError
        If there is no such kind, nothing varies, or the runs are too few.
    """
    if kind not in KINDS:
        raise unknown("design", kind, KINDS)
    if not factors:
        raise InputError("a campaign varies one key at least")
    if runs < 1:
        raise InputError(f"a campaign has one run at least, and {runs} are asked for")
    if runs > MOST_RUNS:
        raise InputError(f"campaign.runs = {runs} is more than {MOST_RUNS:,}; use fewer")
    if seed < 0:
        raise InputError(f"a random seed is not negative, and {seed} is")
    keys = tuple(factor.key for factor in factors)
    if kind == "grid":
        return Design(keys, _grid(factors, runs), kind)
    unit = _UNIT[kind](len(factors), runs, seed)
    columns = [factor.ppf(unit[:, i]) for i, factor in enumerate(factors)]
    return Design(keys, np.column_stack(columns), kind, seed)


# ---------------------------------------------------------------------------- points of the cube


def _sobol(count: int, runs: int, seed: int) -> Array:
    from scipy.stats import qmc

    rng = np.random.default_rng(seed)
    # A power of two and then cut: the points are even, and the first ones do not depend on runs.
    power = math.ceil(math.log2(runs))
    points = qmc.Sobol(count, scramble=True, seed=rng).random_base2(power)
    return np.asarray(points[:runs], dtype=float)


def _latin(count: int, runs: int, seed: int) -> Array:
    from scipy.stats import qmc

    rng = np.random.default_rng(seed)
    return np.asarray(qmc.LatinHypercube(count, seed=rng).random(runs), dtype=float)


def _random(count: int, runs: int, seed: int) -> Array:
    return np.random.default_rng(seed).random((runs, count))


def _saltelli(count: int, runs: int, seed: int) -> Array:
    """Return blocks of rows A, B, AB_1 ... AB_k for each base point.

    A and B are halves of one Sobol' sequence of twice the dimension; AB_i is A with factor i from
    B. A block stands together, so that more runs only append.
    """
    blocks = runs // (count + 2)
    if blocks < 2:
        raise InputError(
            f"a design 'saltelli' of {count} factors needs {2 * (count + 2)} runs at least, and "
            f"{runs} are asked for"
        )
    base = 2 ** int(math.log2(blocks))  # estimates want whole nets of Sobol' points
    points = _sobol(2 * count, base, seed)
    A, B = points[:, :count], points[:, count:]
    rows = np.repeat(A[:, None, :], count + 2, axis=1)
    rows[:, 1, :] = B
    for i in range(count):
        rows[:, 2 + i, i] = B[:, i]
    return rows.reshape(-1, count)


_UNIT: Mapping[str, Callable[[int, int, int], Array]] = {
    "sobol": _sobol,
    "latin": _latin,
    "random": _random,
    "saltelli": _saltelli,
}


def _grid(factors: Sequence[Factor], runs: int) -> Array:
    """Return all combinations, the last factor changing fastest.

    Lists give all their values; what is left of the runs is shared evenly by the distributions.
    """
    listed = math.prod(len(f.law.values) for f in factors if isinstance(f.law, Values))
    smooth = sum(not isinstance(factor.law, Values) for factor in factors)
    least = listed * 2**smooth
    if runs < least:
        raise InputError(
            f"this grid needs {least} runs at least (all values, two of each distribution), and "
            f"{runs} are asked for"
        )
    count = 2
    while smooth and listed * (count + 1) ** smooth <= runs:
        count += 1
    axes = np.meshgrid(*(factor.law.points(count) for factor in factors), indexing="ij")
    return np.column_stack([axis.ravel() for axis in axes])


# ---------------------------------------------------------------------------- files


def read_design(file: Path) -> Design:
    """Read a design from CSV: a line with the keys, then a line with numbers for each run.

    Raises
    ------
    InputError
        If it cannot be read; the message names the line.
    """
    require_regular(f"the design '{file}'", file)
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            lines = [(i, line) for i, line in enumerate(csv.reader(stream), start=1) if line]
    except (OSError, UnicodeError, csv.Error) as error:
        raise InputError(f"the design '{file}' cannot be read: {error}") from error
    if len(lines) < 2:
        raise InputError(f"the design '{file}' needs a line with keys and a run at least")
    keys = tuple(key.strip() for key in lines[0][1])
    if not all(keys) or len(set(keys)) != len(keys):
        raise InputError(f"the first line of '{file}' must name each column by another key")
    rows = [_row(file, number, line, keys) for number, line in lines[1:]]
    return Design(keys, np.array(rows), FILE)


def _row(file: Path, number: int, line: Sequence[str], keys: Sequence[str]) -> list[float]:
    where = f"line {number} of the design '{file}'"
    if len(line) != len(keys):
        raise InputError(f"{where} has {len(line)} values for {len(keys)} keys")
    for key, text in zip(keys, line, strict=True):
        if not is_finite_number(text):
            raise InputError(f"{where}, column {key}: '{text}' is no finite number")
    return [float(text) for text in line]
