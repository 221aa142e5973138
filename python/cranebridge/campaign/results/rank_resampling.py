"""How results go with factors, of the runs and of resamples of them: shares and rank correlations.

All figures follow from weighted sums over the runs, so that a resample is a vector of weights. The
weights are drawn once and serve all factors and all results.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranebridge.progress import Progress, ignore_progress

Array = NDArray[np.float64]

# Resamples at once: their weights fit into memory for a hundred thousand runs.
_CHUNK = 16


def rank_figures(
    factors: Array,
    responses: Array,
    draws: int,
    seed: int = 0,
    progress: Progress = ignore_progress,
) -> tuple[Array, Array]:
    """Return explained share, rank correlation and partial rank correlation, and of resamples.

    Ranks and bins are given once; a resample takes them with their runs. nan where nothing varies.

    Parameters
    ----------
    factors, responses : numpy.ndarray
        A row for each run.
    draws : int
        How many resamples.
    seed : int
        Their random seed.
    progress : callable
        Called with the fraction that is done.

    Returns
    -------
    tuple of numpy.ndarray
        Shapes (3, factors, responses) and (draws, 3, factors, responses).
    """
    count = len(factors)
    ranks = _Ranks(factors, responses)
    shares = [_Shares(factor, responses) for factor in factors.T]

    def figures(weights: Array) -> Array:
        explained = np.stack([one(weights) for one in shares], axis=1)
        return np.concatenate([explained[:, None], ranks(weights)], axis=1)

    whole = figures(np.full((1, count), 1.0 / count))
    rng = np.random.default_rng(seed)
    found = [whole[:0]]
    for begin in range(0, draws, _CHUNK):
        found.append(figures(_weights(rng, count, min(_CHUNK, draws - begin))))
        progress(min(begin + _CHUNK, draws) / draws)
    return whole[0], np.concatenate(found)


def _weights(rng: np.random.Generator, count: int, draws: int) -> Array:
    """Return how often each run is in a resample, as parts of one."""
    drawn = rng.integers(count, size=(draws, count))
    return np.stack([np.bincount(row, minlength=count) for row in drawn]) / count


class _Shares:
    """The part of each result's variance between bins of a factor.

    1 - (variance within bins) / (variance), both unbiased, so that a factor without effect has zero
    in the mean.
    """

    def __init__(self, factor: Array, responses: Array) -> None:
        bins = _bins(factor)
        self._order = np.argsort(bins, kind="stable")
        self._begins = np.flatnonzero(np.diff(bins[self._order], prepend=-1))
        centred = responses - responses.mean(axis=0)
        self._sorted = np.ascontiguousarray(centred[self._order].T)
        self._squares = centred**2

    def __call__(self, weights: Array) -> Array:
        """Return the shares: a row for each resample, a column for each result."""
        count = weights.shape[1]
        sorted_weights = count * weights[:, self._order]
        counts = np.add.reduceat(sorted_weights, self._begins, axis=1)
        totals = np.stack(
            [np.add.reduceat(sorted_weights * y, self._begins, axis=1) for y in self._sorted],
            axis=1,
        )
        squares = count * (weights @ self._squares)
        filled = counts[:, None] > 0.0
        with np.errstate(invalid="ignore", divide="ignore"):
            between = np.where(filled, totals**2 / counts[:, None], 0.0).sum(axis=2)
            within = (squares - between) / (count - filled.sum(axis=2))
            variance = (squares - totals.sum(axis=2) ** 2 / count) / (count - 1)
            return np.asarray(np.where(variance > 0.0, 1.0 - within / variance, np.nan))


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


class _Ranks:
    """Correlations of ranks, from the weighted sums of ranks and of their products."""

    def __init__(self, factors: Array, responses: Array) -> None:
        from scipy.stats import rankdata

        self._count = factors.shape[1]
        x, y = (rankdata(table, axis=0) / len(table) - 0.5 for table in (factors, responses))
        self._upper = np.triu_indices(self._count)
        left, right = self._upper
        mixed = (x[:, :, None] * y[:, None, :]).reshape(len(x), -1)
        self._tables = (x, x[:, left] * x[:, right], y, y**2, mixed)

    def __call__(self, weights: Array) -> Array:
        """Return both correlations, shape (resamples, 2, factors, results)."""
        k, (left, right) = self._count, self._upper
        x, xx, y, yy, xy = (weights @ table for table in self._tables)
        draws, results = y.shape
        means = np.concatenate([np.repeat(x[:, None], results, 1), y[:, :, None]], axis=2)
        product = np.empty((draws, results, k + 1, k + 1))
        product[:, :, left, right] = product[:, :, right, left] = xx[:, None]
        product[:, :, k, k] = yy
        product[:, :, k, :k] = xy.reshape(draws, k, results).transpose(0, 2, 1)
        product[:, :, :k, k] = product[:, :, k, :k]
        covariance = product - means[..., :, None] * means[..., None, :]
        variance = np.diagonal(covariance, axis1=2, axis2=3)
        scale = np.sqrt(np.where(variance > 1e-14, variance, np.nan))
        correlation = covariance / (scale[..., :, None] * scale[..., None, :])
        partial = _partial(correlation.reshape(-1, k + 1, k + 1)).reshape(draws, results, k)
        both = np.stack([correlation[:, :, k, :k], partial], axis=1)
        return np.asarray(both.transpose(0, 1, 3, 2))


def _partial(correlation: Array) -> Array:
    """Return partial correlations of the last column: from the inverse of the correlations.

    Constant factors are left out; nan where the others determine a factor (too few runs).
    """
    partial = np.full((len(correlation), correlation.shape[1] - 1), np.nan)
    known = np.isfinite(np.diagonal(correlation, axis1=1, axis2=2))
    for pattern in np.unique(known, axis=0):
        used = np.flatnonzero(pattern)
        rows = np.flatnonzero((known == pattern).all(axis=1))
        if len(used) < 2 or not pattern[-1]:
            continue
        part = correlation[np.ix_(rows, used, used)]
        regular = np.linalg.cond(part) <= 1e12
        inverse = np.linalg.inv(part[regular])
        diagonal = np.diagonal(inverse, axis1=1, axis2=2)
        scale = np.sqrt(diagonal[:, :-1] * diagonal[:, -1:])
        partial[np.ix_(rows[regular], used[:-1])] = -inverse[:, -1, :-1] / scale
    return partial
