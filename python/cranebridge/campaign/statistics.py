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

Failed runs have no results: shares and quantiles are those of the others, and their number is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.campaign.runs import Runs
from cranebridge.errors import InputError

Array = NDArray[np.float64]

QUANTILES = (0.01, 0.05, 0.5, 0.95, 0.99)
NOTES: Mapping[str, str] = {
    "random": "the intervals are exact: the runs are independent draws",
    "latin": "the intervals are conservative: a Latin hypercube varies less than independent draws",
    "sobol": "the intervals are those of independent draws; Sobol' points vary less as a rule, "
    "which makes them conservative, but that is not guaranteed",
    "saltelli": "the intervals are those of independent draws, and of rows A and B alone; Sobol' "
    "points vary less as a rule, which makes them conservative, but that is not guaranteed",
    "grid": "the runs are a grid and not drawn: shares of the grid, and intervals as if drawn",
    "file": "the runs were given: the intervals hold if they were drawn independently",
}
"""What the intervals are worth, by kind of design."""


@dataclass(frozen=True)
class Probability:
    """How often something held.

    Attributes
    ----------
    true, runs : int
        In how many runs, of how many that tell.
    missing : int
        Runs that do not tell: failed, or without this result.
    value, low, high : float
        The share, and its confidence interval.
    false_runs : tuple of int
        The first runs in which it did not hold.
    """

    true: int
    runs: int
    missing: int
    value: float
    low: float
    high: float
    false_runs: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {**vars(self), "false_runs": list(self.false_runs)}


@dataclass(frozen=True)
class Quantile:
    """A quantile, and its confidence interval; None where there are too few runs for an end."""

    level: float
    value: float
    low: float | None
    high: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class Spread:
    """How a number varies.

    Attributes
    ----------
    runs, missing : int
        How many have it as a finite number, and how many have not.
    mean, std : float
        Mean and standard deviation.
    quantiles : tuple of Quantile
        In the order asked for.
    largest, smallest : tuple of (int, float)
        Runs with their values, the most extreme first; equal ones in the order of runs.
    """

    runs: int
    missing: int
    mean: float
    std: float
    quantiles: tuple[Quantile, ...]
    largest: tuple[tuple[int, float], ...]
    smallest: tuple[tuple[int, float], ...]

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
        Runs, and those that could not be carried out.
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

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {
            "level": self.level,
            "total": self.total,
            "failed": self.failed,
            "note": self.note,
            "probabilities": {name: p.as_dict() for name, p in self.probabilities.items()},
            "spreads": {name: s.as_dict() for name, s in self.spreads.items()},
        }


def statistics_of(
    runs: Runs, level: float = 0.95, quantiles: Sequence[float] = QUANTILES, worst: int = 5
) -> Statistics:
    """Return the statistics of all results.

    Parameters
    ----------
    runs : Runs
        The campaign.
    level : float
        Of the confidence intervals.
    quantiles : sequence of float
        Which ones, between 0 and 1.
    worst : int
        How many runs are named for each column.
    """
    if not 0.0 < level < 1.0 or not all(0.0 < p < 1.0 for p in quantiles):
        raise InputError("levels of confidence and of quantiles are between 0 and 1")
    total = _drawn(runs, np.arange(runs.total)).sum()
    probabilities, spreads = {}, {}
    for name in runs.of_kind("boolean"):
        which, values = _drawn_column(runs, name)
        if len(values):
            probabilities[name] = _probability(which, values.astype(bool), total, level, worst)
    for name in runs.of_kind("number"):
        which, values = _drawn_column(runs, name)
        which, values = which[np.isfinite(values)], values[np.isfinite(values)]
        if len(values):
            spreads[name] = _spread(which, values, total, level, quantiles, worst)
    return Statistics(level, runs.total, runs.failed, NOTES[runs.kind], probabilities, spreads)


def _drawn(runs: Runs, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which runs count: of a design `saltelli` the rows A and B of each block."""
    if runs.kind != "saltelli":
        return np.ones(len(numbers), dtype=bool)
    return numbers % (len(runs.keys) + 2) < 2


def _drawn_column(runs: Runs, name: str) -> tuple[NDArray[np.int64], NDArray[Any]]:
    which, values = runs.column(name)
    counted = _drawn(runs, which)
    return which[counted], values[counted]


def _probability(
    which: NDArray[np.int64], values: NDArray[np.bool_], total: int, level: float, worst: int
) -> Probability:
    true, count = int(values.sum()), len(values)
    low, high = share_interval(true, count, level)
    false_runs = tuple(which[~values][:worst].tolist())
    return Probability(true, count, int(total) - count, true / count, low, high, false_runs)


def _spread(
    which: NDArray[np.int64],
    values: Array,
    total: int,
    level: float,
    quantiles: Sequence[float],
    worst: int,
) -> Spread:
    upward = np.argsort(values, kind="stable")
    downward = np.argsort(-values, kind="stable")
    ordered, count = values[upward], len(values)
    found = []
    for p in quantiles:
        low, high = order_interval(count, p, level)
        found.append(
            Quantile(
                p,
                float(np.quantile(ordered, p)),
                float(ordered[low - 1]) if low >= 1 else None,
                float(ordered[high - 1]) if high <= count else None,
            )
        )
    largest, smallest = (
        tuple(zip(which[order[:worst]].tolist(), values[order[:worst]].tolist(), strict=True))
        for order in (downward, upward)
    )
    std = float(values.std(ddof=1)) if count > 1 else 0.0
    mean, missing = float(values.mean()), int(total) - count
    return Spread(count, missing, mean, std, tuple(found), largest, smallest)


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
