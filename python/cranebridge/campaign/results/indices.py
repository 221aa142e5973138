"""Which factor matters: rank indices from any design, Sobol' indices from a design made for them.

* The explained share is the part of a result's variance that goes with a factor alone, whatever the
  course of the result over it: the variance between equally populated bins of the factor, adjusted
  for the number of bins (the correlation ratio). With many runs it is the first-order Sobol' index.
* Rank correlation (Spearman) and partial rank correlation say how far a result rises or falls with
  a factor, and with the factor alone, others held. They see what is monotone: a result that first
  falls and then rises has indices near zero.
* The first-order Sobol' index is the part of the variance that knowing the factor would take away;
  the total index is the part that remains when all others are known. They see everything, need a
  design `saltelli`, and are estimated after Saltelli 2010 (table 2, rows b and f).

A run without a finite value says nothing here and is left out (of a design `saltelli` with its
block); each index says how many runs it is estimated from.

Intervals come from resampling the runs, or the blocks, with replacement (percentiles). They are
those of independent draws; see `statistics` for what that means for other designs.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.campaign.results.rank_resampling import rank_figures
from cranebridge.campaign.results.runs import CampaignRuns
from cranebridge.errors import InputError
from cranebridge.progress import Progress, ignore_progress

Array = NDArray[np.float64]

DRAWS = 400
"""Resamples for an interval; their percentiles of 2.5 and 97.5 then have a tenth of the width as
error."""


@dataclass(frozen=True)
class Index:
    """An index with its confidence interval; None where it is not defined."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class RankIndex:
    """How a result goes with a factor: explained share, rank correlation, and with others held.

    `runs` is the number of runs that it was found from.
    """

    key: str
    share: Index
    rank: Index
    partial: Index
    runs: int = 0

    @property
    def deciding(self) -> Index:
        """The one that says how much the factor matters by itself."""
        return self.share

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {
            "key": self.key,
            "share": vars(self.share),
            "rank": vars(self.rank),
            "partial": vars(self.partial),
            "runs": self.runs,
        }


@dataclass(frozen=True)
class SobolIndex:
    """How much of a result's variance is a factor's: alone, and with all others.

    `runs` is the number of runs that it was found from.
    """

    key: str
    first: Index
    total: Index
    runs: int = 0

    @property
    def deciding(self) -> Index:
        """The one that says how much the factor matters, whatever the others are."""
        return self.total

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {
            "key": self.key,
            "first": vars(self.first),
            "total": vars(self.total),
            "runs": self.runs,
        }


def rank_indices(
    runs: CampaignRuns, column: str, level: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> tuple[RankIndex, ...]:
    """Return the rank indices of a column for each factor, in the order of the factors.

    Parameters
    ----------
    runs : CampaignRuns
        The campaign; runs without a finite value in the column are left out.
    column : str
        Numbers, or true and false.
    level : float
        Of the intervals.
    draws : int
        Resamples for the intervals.
    seed : int
        The random seed of the resamples.
    """
    which, response = _response(runs, column)
    values, drawn = rank_figures(runs.factors()[which], response[:, None], draws, seed)
    return _rank_indices(runs.keys, values[..., 0], drawn[..., 0], len(which), level)


def all_indices(
    runs: CampaignRuns, columns: Sequence[str], progress: Progress = ignore_progress
) -> dict[str, tuple[RankIndex | SobolIndex, ...]]:
    """Return the indices of several columns, as far as they have any: Sobol' where there are.

    Columns that the same runs have share their resamples, which is what takes the time.

    Parameters
    ----------
    runs : CampaignRuns
        The campaign.
    columns : sequence of str
        Numbers.
    progress : callable
        Called with the fraction that is done.
    """
    found: dict[str, tuple[RankIndex | SobolIndex, ...]] = {}
    if runs.kind == "saltelli":
        for i, column in enumerate(columns):
            with suppress(InputError):  # too few blocks have it
                found[column] = sobol_indices(runs, column)
            progress((i + 1) / len(columns))
        return found
    groups: dict[bytes, list[tuple[str, Array]]] = {}
    for column in columns:
        with suppress(InputError):  # too few runs have it
            which, response = _response(runs, column)
            groups.setdefault(which.tobytes(), []).append((column, response))
    factors = runs.factors() if groups else np.empty((0, 0))
    done, total = 0, sum(map(len, groups.values()))
    for group, entries in groups.items():
        which = np.frombuffer(group, dtype=np.int64)
        responses = np.column_stack([response for _, response in entries])

        def report_part(part: float, before: int = done, size: int = len(entries)) -> None:
            progress((before + part * size) / total)

        values, drawn = rank_figures(factors[which], responses, DRAWS, 0, report_part)
        for i, (column, _) in enumerate(entries):
            found[column] = _rank_indices(runs.keys, values[..., i], drawn[..., i], len(which))
        done += len(entries)
    return {column: found[column] for column in columns if column in found}


def _rank_indices(
    keys: tuple[str, ...], values: Array, drawn: Array, count: int, level: float = 0.95
) -> tuple[RankIndex, ...]:
    found = []
    for i, key in enumerate(keys):
        share, rank, partial = (_index(values[j, i], drawn[:, j, i], level) for j in range(3))
        found.append(RankIndex(key, share, rank, partial, count))
    return tuple(found)


def sobol_indices(
    runs: CampaignRuns, column: str, level: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> tuple[SobolIndex, ...]:
    """Return first-order and total Sobol' indices of a column for each factor.

    Parameters
    ----------
    runs : CampaignRuns
        A campaign with a design `saltelli`. A block with a run that has no finite value is left
        out as a whole.
    column : str
        Numbers, or true and false.
    level : float
        Of the intervals.
    draws : int
        Resamples for the intervals.
    seed : int
        The random seed of the resamples.

    Raises
    ------
    InputError
        If the design is another one, or fewer than two blocks are whole.
    """
    if runs.kind != "saltelli":
        raise InputError(
            f"Sobol' indices need a design 'saltelli', and this one is '{runs.kind}'; rank indices "
            f"can be had from any"
        )
    which, response = _response(runs, column)
    column_of_all = np.full(runs.total, np.nan)
    column_of_all[which] = response
    blocks = column_of_all.reshape(-1, len(runs.keys) + 2)
    blocks = blocks[np.isfinite(blocks).all(axis=1)]
    if len(blocks) < 2:
        raise InputError(f"column '{column}' has values in fewer than two whole blocks of runs")
    values = variance_parts(blocks)
    rng = np.random.default_rng(seed)
    parts = np.array(
        [variance_parts(blocks[rng.integers(len(blocks), size=len(blocks))]) for _ in range(draws)]
    ).reshape(draws, 2, len(runs.keys))
    found = []
    for i, key in enumerate(runs.keys):
        first, total = (_index(values[j, i], parts[:, j, i], level) for j in (0, 1))
        found.append(SobolIndex(key, first, total, blocks.size))
    return tuple(found)


def variance_parts(blocks: Array) -> Array:
    """Return first-order and total indices from blocks of results A, B, AB_1 ... AB_k.

    With f_A, f_B, f_i the results less their mean, and V the variance of A and B::

        S_i = mean(f_B (f_i - f_A)) / V        T_i = mean((f_A - f_i)^2) / (2 V)

    Returns
    -------
    numpy.ndarray
        Two rows, a column for each factor; nan if nothing varies.
    """
    centred = blocks - blocks[:, :2].mean()
    A, B, mixed = centred[:, :1], centred[:, 1:2], centred[:, 2:]
    variance = float(np.mean(centred[:, :2] ** 2))
    if not variance > 0.0:
        return np.full((2, mixed.shape[1]), np.nan)
    first = np.mean(B * (mixed - A), axis=0)
    total = np.mean((A - mixed) ** 2, axis=0) / 2.0
    return np.stack([first, total]) / variance


def _response(runs: CampaignRuns, column: str) -> tuple[NDArray[np.int64], Array]:
    if runs.results.get(column) == "text":
        raise InputError(f"column '{column}' is text: indices need numbers")
    which, values = runs.column(column)
    numbers = values.astype(float)
    finite = np.isfinite(numbers)
    if finite.sum() < 2:
        raise InputError(f"column '{column}' has a finite value in fewer than two runs")
    return which[finite], numbers[finite]


def _index(value: float, resampled: Array, level: float) -> Index:
    known = resampled[np.isfinite(resampled)]
    if not np.isfinite(value):
        return Index(None, None, None)
    if not len(known):
        return Index(float(value), None, None)
    low, high = np.quantile(known, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return Index(float(value), float(low), float(high))
