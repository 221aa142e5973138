"""What the runs say together: probabilities, quantiles and worst runs, with confidence intervals.

The intervals are exact for independent draws (design `random`), whatever the distribution of the
results is: Clopper-Pearson for probabilities, order statistics for quantiles. What they are for
the other designs:

* `latin`: conservative, but for a factor n/(n - 1) in the variance. The variance of a mean, and
  so of a share, is at most n/(n - 1) times that of n independent draws (Owen 1997), and smaller
  the more the result is a sum of effects of single factors.
* `sobol`: conservative as a rule, without a guarantee for a given number of runs. The variance
  falls faster than 1/n, but before that it may be above that of independent draws by a factor that
  does not grow with n (Owen 1998): a result that depends on many factors at once in few runs.
* `saltelli`: only the rows A and B are used, which are Sobol' points; the others repeat their
  coordinates, and intervals that count them as independent would be too narrow.
* `grid` and designs from a file: nothing is random, and the figures are shares of the runs.
  Intervals are given as if they were drawn, which holds only if the user chose them so.

Failed runs have no results, and are no reason to think better of the others. They kept no limit:
each probability counts them among all runs and not among the successes. A number of theirs is
beyond every value on its bad side: above all errors, below all margins. A quantile that lies among
them is no number then, and is said to be beyond; ranks of order statistics hold for infinite
values, too. Mean, deviation and extreme values would mean nothing: they are those of the others.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.campaign.campaign_choices import BEYOND, NOTES
from cranebridge.campaign.results.runs import CampaignRuns
from cranebridge.errors import InputError

Array = NDArray[np.float64]

QUANTILES = (0.01, 0.05, 0.5, 0.95, 0.99)


@dataclass(frozen=True)
class ExpectedColumns:
    """What the runs were asked for, and which way their numbers are bad.

    Attributes
    ----------
    limits : collection of str
        Columns of true and false that are reported even if no run could be carried out.
    margins : mapping of str to str
        By column of margins: the column that says whether these limits were kept. Where they were
        not, and there is no margin, as one was not judged, it is below all others.
    only : mapping of str to collection of int
        Columns that some runs alone were asked for.
    bad_if_small : tuple of str
        How the names of columns begin whose small values are the bad ones. Of all others, margins
        excepted, these are the large ones.
    """

    limits: Collection[str] = ()
    margins: Mapping[str, str] = field(default_factory=dict)
    only: Mapping[str, Collection[int]] = field(default_factory=dict)
    bad_if_small: tuple[str, ...] = ()


@dataclass(frozen=True)
class Probability:
    """How often something held.

    Attributes
    ----------
    true, runs : int
        In how many runs, of how many that were asked; failed ones are among these.
    missing : int
        Runs without an answer: carried out, without this result.
    value, low, high : float
        The share, and its confidence interval.
    false_runs : tuple of int
        The first runs in which it did not hold.
    failed : int
        Runs that could not be carried out, and are counted as ones in which it did not hold.
    """

    true: int
    runs: int
    missing: int
    value: float
    low: float
    high: float
    false_runs: tuple[int, ...]
    failed: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {**vars(self), "false_runs": list(self.false_runs)}


@dataclass(frozen=True)
class Quantile:
    """A quantile, and its confidence interval; None where there are too few runs for an end.

    Attributes
    ----------
    level : float
        Which one.
    value, low, high : float or None
        The quantile and the ends of its interval.
    beyond : tuple of str
        Which of these three lie among the runs that have no number, and are None for that.
    """

    level: float
    value: float | None
    low: float | None
    high: float | None
    beyond: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {**vars(self), "beyond": list(self.beyond)}


@dataclass(frozen=True)
class Spread:
    """How a number varies.

    Attributes
    ----------
    runs, missing : int
        How many have it as a finite number, and how many have not.
    mean, std : float
        Mean and standard deviation, of the runs that have it.
    quantiles : tuple of Quantile
        In the order asked for.
    largest, smallest : tuple of (int, float)
        Runs with their values, the most extreme first; equal ones in the order of runs.
    beyond : int
        How many of the missing ones count as beyond every value: failed, or no finite number.
    """

    runs: int
    missing: int
    mean: float
    std: float
    quantiles: tuple[Quantile, ...]
    largest: tuple[tuple[int, float], ...]
    smallest: tuple[tuple[int, float], ...]
    beyond: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {
            **vars(self),
            "quantiles": [quantile.as_dict() for quantile in self.quantiles],
            "largest": [list(pair) for pair in self.largest],
            "smallest": [list(pair) for pair in self.smallest],
        }


@dataclass(frozen=True)
class Statistics:
    """What the runs of a campaign say together.

    Attributes
    ----------
    level : float
        Of all confidence intervals, each for itself.
    total, failed : int
        CampaignRuns, and those that could not be carried out.
    note : str
        What the intervals are worth for this design.
    probabilities : mapping of str to Probability
        Of each column that is true or false and has values.
    spreads : mapping of str to Spread
        Of each column of numbers that has any.
    """

    level: float
    total: int
    failed: int
    note: str
    probabilities: Mapping[str, Probability]
    spreads: Mapping[str, Spread]

    @property
    def counted(self) -> str:
        """What runs that could not be carried out count as; empty if there are none."""
        if not self.failed:
            return ""
        return (
            f"{self.failed} of {self.total} runs could not be carried out: they count as runs that "
            f"kept no limit, and in quantiles as worse than every value ('{BEYOND}'); means, "
            "deviations, extreme values and what matters are those of the others"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {
            "level": self.level,
            "total": self.total,
            "failed": self.failed,
            "note": self.note,
            **({"counted": self.counted} if self.counted else {}),
            "probabilities": {name: p.as_dict() for name, p in self.probabilities.items()},
            "spreads": {name: s.as_dict() for name, s in self.spreads.items()},
        }


def statistics_of(
    runs: CampaignRuns,
    level: float = 0.95,
    quantiles: Sequence[float] = QUANTILES,
    worst: int = 5,
    expected: ExpectedColumns | None = None,
) -> Statistics:
    """Return the statistics of all results.

    Parameters
    ----------
    runs : CampaignRuns
        The campaign.
    level : float
        Of the confidence intervals.
    quantiles : sequence of float
        Which ones, between 0 and 1.
    worst : int
        How many runs are named for each column.
    expected : ExpectedColumns, optional
        What the runs were asked for. Without, a run that was carried out and lacks a column was not
        asked for it, and large numbers are the bad ones.
    """
    if not 0.0 < level < 1.0 or not all(0.0 < p < 1.0 for p in quantiles):
        raise InputError("levels of confidence and of quantiles are between 0 and 1")
    known, asked = expected or ExpectedColumns(), _CountedRuns(runs, expected or ExpectedColumns())
    probabilities, spreads = {}, {}
    booleans = runs.of_kind("boolean")
    for name in [*booleans, *(limit for limit in known.limits if limit not in booleans)]:
        numbers = asked.runs_of(name)
        if len(numbers):
            probabilities[name] = _probability(asked, name, numbers, level, worst)
    for name in runs.of_kind("number"):
        numbers = asked.runs_of(name)
        values = asked.filled(name, np.nan)[numbers]
        if np.isfinite(values).any():
            sign = -1.0 if name in known.margins or name.startswith(known.bad_if_small) else 1.0
            values = np.where(np.isfinite(values), values, sign * np.inf)
            spreads[name] = _spread(numbers, values, asked.total, level, quantiles, worst)
    return Statistics(level, runs.total, runs.failed, NOTES[runs.kind], probabilities, spreads)


class _CountedRuns:
    """Which runs count, and which of them were asked for a column."""

    def __init__(self, runs: CampaignRuns, expected: ExpectedColumns) -> None:
        self._runs, self._expected = runs, expected
        self._read: dict[str, tuple[NDArray[np.int64], NDArray[Any]]] = {}
        self._counted = _drawn(runs, np.arange(runs.total))
        self.failed = np.asarray(runs.column("status")[1] == "failed", dtype=bool)
        self.total = int(self._counted.sum())

    def filled(self, name: str, missing: float) -> Array:
        """Return a column of all runs, with a value for those that lack it."""
        which, found = self._column(name)
        values = np.full(self._runs.total, missing)
        values[which] = found
        return values

    def _column(self, name: str) -> tuple[NDArray[np.int64], NDArray[Any]]:
        if name not in self._runs.results:
            return np.empty(0, dtype=np.int64), np.empty(0)
        if name not in self._read:
            self._read[name] = self._runs.column(name)
        return self._read[name]

    def runs_of(self, name: str) -> NDArray[np.int64]:
        """Return the runs that were asked for a column; failed ones are among them."""
        known = self._expected
        judged = np.zeros(self._runs.total, dtype=bool)
        judged[self._column(name)[0]] = True
        if name in known.margins:
            judged |= self.filled(known.margins[name], 1.0) == 0.0  # broken, or not judged
        if not (judged & self._counted).any() and name not in known.limits:
            return np.flatnonzero(judged & self._counted)  # nobody was asked for it
        asked = judged | self.failed
        if name in known.only:
            asked &= np.isin(np.arange(len(asked)), list(known.only[name]))
        return np.flatnonzero(asked & self._counted)


def _drawn(runs: CampaignRuns, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which runs count: of a design `saltelli` the rows A and B of each block."""
    if runs.kind != "saltelli":
        return np.ones(len(numbers), dtype=bool)
    return numbers % (len(runs.keys) + 2) < 2


def _probability(
    asked: _CountedRuns, name: str, numbers: NDArray[np.int64], level: float, worst: int
) -> Probability:
    values = asked.filled(name, 0.0)[numbers] == 1.0
    true, count = int(values.sum()), len(values)
    low, high = share_interval(true, count, level)
    false_runs = tuple(numbers[~values][:worst].tolist())
    failed = int(asked.failed[numbers].sum())
    missing = asked.total - count
    return Probability(true, count, missing, true / count, low, high, false_runs, failed)


def _spread(
    which: NDArray[np.int64],
    values: Array,
    total: int,
    level: float,
    quantiles: Sequence[float],
    worst: int,
) -> Spread:
    found = tuple(_quantile(np.sort(values), p, level) for p in quantiles)
    beyond = int(np.isinf(values).sum())
    which, values = which[np.isfinite(values)], values[np.isfinite(values)]
    largest, smallest = (
        tuple(zip(which[order[:worst]].tolist(), values[order[:worst]].tolist(), strict=True))
        for order in (np.argsort(-values, kind="stable"), np.argsort(values, kind="stable"))
    )
    count = len(values)
    std = float(values.std(ddof=1)) if count > 1 else 0.0
    return Spread(count, total - count, float(values.mean()), std, found, largest, smallest, beyond)


def _quantile(ordered: Array, p: float, level: float) -> Quantile:
    """Return a quantile of ordered values, some of them infinite, with its interval."""
    count = len(ordered)
    place = round(p * (count - 1), 9)  # 0.07 * 100 is no whole number otherwise
    below, above = float(ordered[math.floor(place)]), float(ordered[math.ceil(place)])
    value = below + (place - math.floor(place)) * (above - below)
    if math.isinf(below) or math.isinf(above):  # between a number and infinity all is infinite
        value = below if math.isinf(below) else above
    low, high = order_interval(count, p, level)
    figures = {
        "value": value,
        "low": float(ordered[low - 1]) if low >= 1 else None,
        "high": float(ordered[high - 1]) if high <= count else None,
    }
    beyond = tuple(name for name, one in figures.items() if one is not None and np.isinf(one))
    return Quantile(
        p, **{name: None if name in beyond else one for name, one in figures.items()}, beyond=beyond
    )


def share_interval(true: int, count: int, level: float) -> tuple[float, float]:
    """Return the confidence interval of a probability after Clopper and Pearson.

    It holds the probability with at least the level, whatever it is: each end is where so many
    successes, or so few, would have the probability (1 - level)/2.
    """
    from scipy.stats import beta

    if count == 0:
        return 0.0, 1.0
    alpha = (1.0 - level) / 2.0
    low = 0.0 if true == 0 else float(beta.ppf(alpha, true, count - true + 1))
    high = 1.0 if true == count else float(beta.ppf(1.0 - alpha, true + 1, count - true))
    return low, high


def order_interval(count: int, p: float, level: float) -> tuple[int, int]:
    """Return the ranks, from 1, of the values that enclose a quantile with at least the level.

    The number of values at or below the quantile is binomial, whatever the distribution is. The
    ranks 0 and ``count + 1`` mean that there are too few values for that end.
    """
    from scipy.stats import binom

    alpha = (1.0 - level) / 2.0
    return int(binom.ppf(alpha, count, p)), int(binom.ppf(1.0 - alpha, count, p)) + 1
