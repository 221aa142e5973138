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

Intervals come from resampling the runs, or the blocks, with replacement (percentiles). They are
those of independent draws; see `statistics` for what that means for other designs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.campaign.runs import Runs
from cranebridge.errors import InputError

Array = NDArray[np.float64]

DRAWS = 400
"""Resamples for an interval; their percentiles of 2.5 and 97.5 then have a tenth of the width as
error."""
# Resamples at once: their weights fit into memory for a hundred thousand runs.
_CHUNK = 16


@dataclass(frozen=True)
class Index:
    """An index with its confidence interval; None where it is not defined."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class RankIndex:
    """How a result goes with a factor: explained share, rank correlation, and with others held."""

    key: str
    share: Index
    rank: Index
    partial: Index

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
        }


@dataclass(frozen=True)
class SobolIndex:
    """How much of a result's variance is a factor's: alone, and with all others."""

    key: str
    first: Index
    total: Index

    @property
    def deciding(self) -> Index:
        """The one that says how much the factor matters, whatever the others are."""
        return self.total

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {"key": self.key, "first": vars(self.first), "total": vars(self.total)}


def rank_indices(
    runs: Runs, column: str, level: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> tuple[RankIndex, ...]:
    """Return the rank indices of a column for each factor, in the order of the factors.

    Parameters
    ----------
    runs : Runs
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
    factors = runs.factors()[which]
    values, parts = rank_correlations(factors, response, draws, seed)
    shares = [explained_share(factor, response, draws, seed) for factor in factors.T]
    return tuple(
        RankIndex(
            key,
            _index(*shares[i], level),
            *(_index(values[j, i], parts[:, j, i], level) for j in (0, 1)),
        )
        for i, key in enumerate(runs.keys)
    )


def explained_share(
    factor: Array, response: Array, draws: int = DRAWS, seed: int = 0
) -> tuple[float, Array]:
    """Return the part of the response's variance between bins of a factor, and of resamples.

    1 - (variance within bins) / (variance), both unbiased, so that a factor without effect has zero
    in the mean; nan where nothing varies.
    """
    bins = _bins(factor)
    member = bins[:, None] == np.arange(bins.max() + 1)
    y = response - response.mean()
    # Counts, sums and the sum of squares are all that is needed, of the runs and of resamples.
    sums = np.column_stack([member, member * y[:, None], y**2])
    whole = float(_share_of(sums.sum(axis=0)[None], len(y))[0])
    rng = np.random.default_rng(seed)
    found = [np.empty(0)]
    for begin in range(0, draws, _CHUNK):
        weights = _weights(rng, len(y), min(_CHUNK, draws - begin))
        found.append(_share_of(len(y) * (weights @ sums), len(y)))
    return whole, np.concatenate(found)


def _bins(factor: Array) -> NDArray[np.int64]:
    """Return the bin of each run: by value where there are few, else by equally many runs.

    The cube root of the number of runs balances what is lost within bins against chance between
    them; three show a result that first rises and then falls.
    """
    count = max(3, round(len(factor) ** (1.0 / 3.0)))
    values, inverse = np.unique(factor, return_inverse=True)
    if len(values) <= count:
        return np.asarray(inverse, dtype=np.int64)
    places = np.searchsorted(np.sort(factor), factor, side="left")
    return np.asarray(places * count // len(factor), dtype=np.int64)


def _share_of(sums: Array, count: int) -> Array:
    """Return explained shares from counts and sums of bins and the sum of squares."""
    bins = (sums.shape[1] - 1) // 2
    counts, totals, squares = sums[:, :bins], sums[:, bins:-1], sums[:, -1]
    with np.errstate(invalid="ignore", divide="ignore"):
        between = np.where(counts > 0.0, totals**2 / counts, 0.0).sum(axis=1)
        within = (squares - between) / (count - (counts > 0.0).sum(axis=1))
        variance = (squares - totals.sum(axis=1) ** 2 / count) / (count - 1)
        return np.asarray(np.where(variance > 0.0, 1.0 - within / variance, np.nan))


def rank_correlations(
    factors: Array, response: Array, draws: int = DRAWS, seed: int = 0
) -> tuple[Array, Array]:
    """Return correlation and partial correlation of ranks, and the same of resamples.

    Ranks are given once; a resample takes ranks with their runs. Constant columns have none: nan.

    Returns
    -------
    tuple of numpy.ndarray
        Shapes (2, factors) and (draws, 2, factors).
    """
    from scipy.stats import rankdata

    table = np.column_stack([factors, response])
    ranks = rankdata(table, axis=0) / len(table) - 0.5
    # Correlations need the weighted sums of ranks and of their products alone.
    left, right = np.triu_indices(table.shape[1])
    sums = np.column_stack([ranks, ranks[:, left] * ranks[:, right]])
    whole = _from_sums(sums.mean(axis=0)[None], table.shape[1])[0]
    rng = np.random.default_rng(seed)
    found = [np.empty((0, 2, factors.shape[1]))]
    for begin in range(0, draws, _CHUNK):
        weights = _weights(rng, len(table), min(_CHUNK, draws - begin))
        found.append(_from_sums(weights @ sums, table.shape[1]))
    return whole, np.concatenate(found)


def _from_sums(means: Array, count: int) -> Array:
    """Return correlations of the last column with the others from mean values and products."""
    first, second = means[:, :count], means[:, count:]
    product = np.empty((len(means), count, count))
    left, right = np.triu_indices(count)
    product[:, left, right] = product[:, right, left] = second
    covariance = product - first[:, :, None] * first[:, None, :]
    variance = np.diagonal(covariance, axis1=1, axis2=2)
    scale = np.sqrt(np.where(variance > 1e-14, variance, np.nan))
    correlation = covariance / (scale[:, :, None] * scale[:, None, :])
    return np.stack([correlation[:, -1, :-1], _partial(correlation)], axis=1)


def _partial(correlation: Array) -> Array:
    """Return partial correlations of the last column: from the inverse of the correlations.

    Constant factors are left out; nan where the others determine a factor (too few runs).
    """
    partial = np.full((len(correlation), correlation.shape[1] - 1), np.nan)
    for found, matrix in zip(partial, correlation, strict=True):
        used = np.flatnonzero(np.isfinite(np.diagonal(matrix)))
        part = matrix[np.ix_(used, used)]
        if len(used) < 2 or used[-1] != len(matrix) - 1 or np.linalg.cond(part) > 1e12:
            continue
        inverse = np.linalg.inv(part)
        diagonal = np.diagonal(inverse)
        found[used[:-1]] = -inverse[-1, :-1] / np.sqrt(diagonal[:-1] * diagonal[-1])
    return partial


def sobol_indices(
    runs: Runs, column: str, level: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> tuple[SobolIndex, ...]:
    """Return first-order and total Sobol' indices of a column for each factor.

    Parameters
    ----------
    runs : Runs
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
    return tuple(
        SobolIndex(key, *(_index(values[j, i], parts[:, j, i], level) for j in (0, 1)))
        for i, key in enumerate(runs.keys)
    )


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


def _response(runs: Runs, column: str) -> tuple[NDArray[np.int64], Array]:
    if runs.results.get(column) == "text":
        raise InputError(f"column '{column}' is text: indices need numbers")
    which, values = runs.column(column)
    numbers = values.astype(float)
    finite = np.isfinite(numbers)
    if finite.sum() < 2:
        raise InputError(f"column '{column}' has a finite value in fewer than two runs")
    return which[finite], numbers[finite]


def _weights(rng: np.random.Generator, count: int, draws: int) -> Array:
    """Return how often each run is in a resample, as parts of one."""
    drawn = rng.integers(count, size=(draws, count))
    return np.stack([np.bincount(row, minlength=count) for row in drawn]) / count


def _index(value: float, resampled: Array, level: float) -> Index:
    known = resampled[np.isfinite(resampled)]
    if not np.isfinite(value):
        return Index(None, None, None)
    if not len(known):
        return Index(float(value), None, None)
    low, high = np.quantile(known, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return Index(float(value), float(low), float(high))
