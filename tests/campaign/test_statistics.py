"""Intervals against known values and by their coverage; indices against closed forms."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from cranebridge.campaign import (
    KINDS,
    CampaignRuns,
    ExpectedColumns,
    Factor,
    all_indices,
    carry_out,
    make_design,
    rank_indices,
    read_factor,
    serial,
    sobol_indices,
    statistics_of,
)
from cranebridge.campaign.results.indices import _index, variance_parts
from cranebridge.campaign.results.rank_resampling import rank_figures
from cranebridge.campaign.results.statistics import NOTES, order_interval, share_interval
from cranebridge.errors import InputError, SolutionError

Function = Callable[[float, Mapping[str, float]], dict[str, float | str | bool]]


FUNCTIONS: dict[int, Function] = {}
"""What works are made of, here: local functions cannot be pickled."""


@dataclass(frozen=True)
class Computed:
    """A function of `FUNCTIONS` as a work, in this process."""

    number: int
    key: str = "computed"

    def begin(self) -> Computed:
        return self

    def __call__(self, number: int, values: Mapping[str, float]) -> dict[str, float | str | bool]:
        return FUNCTIONS[self.number](number, values)

    def close(self) -> None:
        pass


def campaign(
    folder: Path, function: Function, factors: list[Factor], kind: str, n: int
) -> CampaignRuns:
    FUNCTIONS[id(function)] = function
    with serial() as executor:
        return carry_out(Computed(id(function)), make_design(factors, kind, n, 1), executor, folder)


def unit(keys: str) -> list[Factor]:
    return [read_factor(key, {"uniform": [0.0, 1.0]}) for key in keys]


# ---------------------------------------------------------------------------- intervals


@pytest.mark.parametrize(
    ("true", "count", "low", "high"),
    [
        # none of n: 1 - (alpha/2)^(1/n); the rule of three's exact form
        (0, 10, 0.0, 1.0 - 0.025 ** (1 / 10)),
        (10, 10, 0.025 ** (1 / 10), 1.0),
        # textbook values of Clopper and Pearson's tables
        (1, 20, 0.0013, 0.2487),
        (8, 20, 0.1912, 0.6395),
        (81, 263, 0.2527, 0.3676),
    ],
)
def test_interval_of_a_share_is_the_exact_one(
    true: int, count: int, low: float, high: float
) -> None:
    assert share_interval(true, count, 0.95) == pytest.approx((low, high), abs=6e-5)


def test_interval_of_a_share_covers_with_its_level_at_least() -> None:
    """Over the binomial distribution itself, no draws."""
    intervals = [share_interval(k, 30, 0.95) for k in range(31)]
    for p in np.linspace(0.02, 0.98, 25):
        inside = [low <= p <= high for low, high in intervals]
        assert stats.binom.pmf(np.arange(31), 30, p)[inside].sum() >= 0.95


def test_nothing_known_is_anything_between_zero_and_one() -> None:
    assert share_interval(0, 0, 0.95) == (0.0, 1.0)


@pytest.mark.parametrize(("count", "p"), [(59, 0.5), (100, 0.05), (100, 0.95), (400, 0.99)])
def test_interval_of_a_quantile_covers_with_its_level(count: int, p: float) -> None:
    low, high = order_interval(count, p, 0.95)
    # by the distribution of order statistics of uniform numbers (beta), an independent formula
    below = stats.beta(low, count + 1 - low).sf(p) if low >= 1 else 0.0
    above = stats.beta(high, count + 1 - high).cdf(p) if high <= count else 0.0
    assert 0.95 <= 1.0 - below - above < 1.0
    drawn = np.sort(np.random.default_rng(0).exponential(size=(2000, count)), axis=1)
    lower = drawn[:, low - 1] if low >= 1 else np.zeros(2000)
    upper = drawn[:, high - 1] if high <= count else np.full(2000, np.inf)
    inside = (lower <= -np.log1p(-p)) & (upper >= -np.log1p(-p))
    assert inside.mean() > 0.94  # 0.95 less two standard deviations of 2000 draws


def test_statistics_of_known_results(tmp_path: Path) -> None:
    def function(number: int, values: Mapping[str, float]) -> dict[str, float | str | bool]:
        if number == 7:
            raise SolutionError("no")
        return {"x": float(number), "small": number < 90, "name": "a", "rare": float("nan")}

    runs = campaign(tmp_path, function, unit("ab"), "random", 100)
    found = statistics_of(runs, quantiles=(0.5, 0.001), worst=3)
    assert (found.level, found.total, found.failed) == (0.95, 100, 1)
    small = found.probabilities["small"]
    assert (small.true, small.runs, small.missing, small.failed) == (89, 100, 0, 1)
    assert small.false_runs == (7, 90, 91)
    assert (small.low, small.high) == share_interval(89, 100, 0.95)
    x = found.spreads["x"]
    numbers = np.delete(np.arange(100.0), 7)
    assert (x.mean, x.std) == pytest.approx((numbers.mean(), numbers.std(ddof=1)))
    assert x.largest == ((99, 99.0), (98, 98.0), (97, 97.0))
    assert x.smallest == ((0, 0.0), (1, 1.0), (2, 2.0))
    low, high = order_interval(100, 0.5, 0.95)
    assert (x.quantiles[0].low, x.quantiles[0].high) == (numbers[low - 1], numbers[high - 1])
    assert x.quantiles[1].low is None  # 100 runs say nothing about the lower end of 0.1 %
    assert "rare" not in found.spreads
    assert json.loads(json.dumps(found.as_dict()))["probabilities"]["small"]["true"] == 89


def test_failed_runs_are_worse_than_every_value(tmp_path: Path) -> None:
    """Ten runs of which two failed, by hand: rank k of ten is the quantile (k - 1)/9."""

    def function(number: int, values: Mapping[str, float]) -> dict[str, float | str | bool]:
        if number in (2, 5):
            raise SolutionError("the plant diverges")
        kept: dict[str, float | str | bool] = {"passed": number != 9, "error": float(number)}
        if number != 9:  # not judged: no margin
            kept["margin"] = 10.0 - number
        return kept | ({"budget": 0.5} if number in (0, 4) else {})

    runs = campaign(tmp_path, function, unit("a"), "random", 10)
    expected = ExpectedColumns(
        limits=("passed", "passed.never judged"),
        margins={"margin": "passed"},
        only={"budget": (0, 4, 5)},
        bad_if_small=("margin",),
    )
    ninths = tuple(k / 9 for k in (1, 2, 7, 7.5, 8))
    found = statistics_of(runs, quantiles=ninths, expected=expected)
    # errors 0 1 3 4 6 7 8 9 and two beyond all of them
    values = [quantile.value for quantile in found.spreads["error"].quantiles]
    assert values[:3] == pytest.approx([1.0, 3.0, 9.0])
    assert values[3:] == [None, None]  # also halfway from a number to one that is beyond
    assert [q.beyond[:1] for q in found.spreads["error"].quantiles[3:]] == [("value",)] * 2
    assert found.spreads["error"].beyond == 2
    # margins: the two that failed and the one that was not judged below 2 3 4 6 7 9 10
    margins = found.spreads["margin"]
    assert margins.beyond == 3
    assert [q.value for q in margins.quantiles] == [None, None, 7.0, 8.0, 9.0]
    assert margins.smallest[0] == (8, 2.0)  # extremes are those of the others
    assert margins.mean == pytest.approx((2 + 3 + 4 + 6 + 7 + 9 + 10) / 7)
    passed = found.probabilities["passed"]
    assert (passed.true, passed.runs, passed.value) == (7, 10, 0.7)
    assert passed.false_runs == (2, 5, 9)
    assert found.probabilities["passed.never judged"].value == 0.0  # of the two that failed
    # 0, 4 and 5 were asked for a budget: 2 failed, too, and was not
    assert (found.spreads["budget"].runs, found.spreads["budget"].beyond) == (2, 1)
    assert "2 of 10 runs could not be carried out" in found.as_dict()["counted"]
    json.dumps(found.as_dict(), allow_nan=False)


def test_failed_run_is_on_the_bad_side_of_each_column(tmp_path: Path) -> None:
    """Of 0, 1, 2 and a run that failed, the third is 1 if small values are bad, and else 2."""

    def function(number: int, values: Mapping[str, float]) -> dict[str, float | str | bool]:
        if number == 3:
            raise SolutionError("no")
        return {"clearance.a": float(number), "error": float(number)}

    runs = campaign(tmp_path, function, unit("a"), "random", 4)
    expected = ExpectedColumns(bad_if_small=("clearance",))
    found = statistics_of(runs, quantiles=(2 / 3,), expected=expected).spreads
    assert found["clearance.a"].quantiles[0].value == 1.0
    assert found["error"].quantiles[0].value == 2.0


def test_runs_without_a_result_are_counted_as_missing_and_not_as_false(tmp_path: Path) -> None:
    """Ten runs: one failed, three were not asked, four of the other six kept it."""

    def function(number: int, values: Mapping[str, float]) -> dict[str, float | str | bool]:
        if number == 0:
            raise SolutionError("no")
        return {"x": 1.0} if number > 6 else {"x": 1.0, "kept": number > 2, "y": float(number)}

    found = statistics_of(campaign(tmp_path, function, unit("a"), "random", 10))
    kept, y = found.probabilities["kept"], found.spreads["y"]
    assert (kept.true, kept.runs, kept.failed, kept.missing) == (4, 7, 1, 3)
    assert (y.runs, y.missing, y.beyond) == (6, 4, 1)


def test_ends_of_intervals_among_failed_runs_are_beyond(tmp_path: Path) -> None:
    """The ends' ranks from the binomial distribution, at 40 runs of which the worst 10 failed."""

    def function(number: int, values: Mapping[str, float]) -> dict[str, float | str | bool]:
        if values["a"] > 0.75:
            raise SolutionError("the plant diverges")
        return {"error": values["a"]}

    runs = campaign(tmp_path, function, unit("a"), "latin", 40)
    assert runs.failed == 10
    (median, upper) = statistics_of(runs, quantiles=(0.5, 0.9)).spreads["error"].quantiles
    low, high = stats.binom.ppf([0.025, 0.975], 40, 0.5).astype(int)
    ordered = np.sort(runs.column("error")[1])
    assert (median.low, median.high) == (ordered[low - 1], ordered[high])
    assert median.value == pytest.approx((ordered[19] + ordered[20]) / 2)
    assert (upper.beyond, upper.value, upper.low) == (("value", "low", "high"), None, None)


def test_campaign_without_a_finished_run_kept_nothing(tmp_path: Path) -> None:
    def function(number: int, values: Mapping[str, float]) -> dict[str, float | str | bool]:
        raise SolutionError("no")

    runs = campaign(tmp_path, function, unit("a"), "random", 12)
    found = statistics_of(runs, expected=ExpectedColumns(limits=("passed",))).probabilities[
        "passed"
    ]
    # none of n: the rule of three's exact form
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(1.0 - 0.025 ** (1 / 12))


def test_interval_of_a_quantile_may_end_at_the_largest_and_at_the_smallest_value(
    tmp_path: Path,
) -> None:
    """Of six values the median is between the ends with 1 - 2/64 = 0.97, of five with 0.94."""

    def function(number: int, values: Mapping[str, float]) -> dict[str, float | str | bool]:
        return {"x": float(number)}

    for count, ends in ((6, (0.0, 5.0)), (5, (None, None))):
        runs = campaign(tmp_path / str(count), function, unit("a"), "random", count)
        (median,) = statistics_of(runs, quantiles=(0.5,)).spreads["x"].quantiles
        assert (median.low, median.high) == ends


def test_intervals_of_few_runs_contain_what_many_say(tmp_path: Path) -> None:
    def function(number: int, values: Mapping[str, float]) -> dict[str, float | str | bool]:
        return {"kept": values["a"] + values["b"] ** 2 < 1.0, "x": values["a"] * values["b"]}

    # P(a + b^2 < 1) = 1 - 1/3; the median m of a b solves m - m log m = 1/2
    for kind in ("random", "latin", "sobol"):
        found = statistics_of(campaign(tmp_path / kind, function, unit("ab"), kind, 300))
        kept, median = found.probabilities["kept"], found.spreads["x"].quantiles[2]
        assert kept.low < 2.0 / 3.0 < kept.high
        assert median.low is not None
        assert median.high is not None
        assert median.low < 0.18668 < median.high


def test_every_design_says_what_its_intervals_are_worth() -> None:
    assert set(NOTES) == {*KINDS, "file"}


def test_levels_out_of_range_are_refused(tmp_path: Path) -> None:
    runs = campaign(tmp_path, lambda *_: {"x": 1.0}, unit("a"), "random", 5)
    with pytest.raises(InputError, match="between 0 and 1"):
        statistics_of(runs, level=95.0)
    with pytest.raises(InputError, match="between 0 and 1"):
        statistics_of(runs, quantiles=(1.0,))


# ---------------------------------------------------------------------------- rank indices


def test_rank_correlation_is_that_of_scipy(tmp_path: Path) -> None:
    def function(number: int, values: Mapping[str, float]) -> dict[str, float | str | bool]:
        return {"x": np.exp(3.0 * values["a"]) - values["b"] ** 3}

    runs = campaign(tmp_path, function, unit("abc"), "sobol", 128)
    found = rank_indices(runs, "x")
    for i, index in enumerate(found):
        wanted = stats.spearmanr(runs.factors()[:, i], runs.column("x")[1]).statistic
        assert index.rank.value == pytest.approx(wanted, abs=1e-12)
        assert index.rank.low <= index.rank.value <= index.rank.high
    assert [index.key for index in found] == ["a", "b", "c"]
    assert found[0].partial.low > 0.9
    assert found[1].partial.high < 0.0
    assert found[2].partial.low < 0.0 < found[2].partial.high
    assert json.loads(json.dumps(found[0].as_dict()))["key"] == "a"
    assert rank_indices(runs, "x") == found


def test_partial_correlation_is_that_of_the_residuals() -> None:
    """Against the definition: correlation of what two regressions leave over."""
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(60, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.0, 0, 1.0]])
    response = factors @ [1.0, -2.0, 0.0] + rng.normal(size=60)
    (_, _, found), _ = rank_figures(factors, response[:, None], draws=0)
    ranks = stats.rankdata(np.column_stack([factors, response]), axis=0)
    for i in range(3):
        others = np.column_stack([np.ones(60), np.delete(ranks[:, :3], i, axis=1)])
        left = [v - others @ np.linalg.lstsq(others, v, rcond=None)[0] for v in ranks[:, [i, 3]].T]
        assert found[i, 0] == pytest.approx(np.corrcoef(*left)[0, 1], abs=1e-10)


def test_interval_of_a_rank_index_covers_about_its_level() -> None:
    """Normal pairs with rho: Spearman's is 6/pi asin(rho/2)."""
    rng, inside = np.random.default_rng(1), 0
    for seed in range(100):
        x = rng.normal(size=(80, 1))
        y = 0.6 * x[:, 0] + 0.8 * rng.normal(size=80)
        _, drawn = rank_figures(x, y[:, None], draws=100, seed=seed)
        low, high = np.quantile(drawn[:, 1, 0, 0], [0.025, 0.975])
        inside += low <= 6.0 / np.pi * np.arcsin(0.3) <= high
    assert inside / 100 > 0.88  # percentiles of 100 resamples of 80 pairs are a little too narrow


def test_interval_of_an_index_leaves_out_as_much_on_both_sides() -> None:
    """Of 0, 0.01, ..., 1 the middle nine tenths are 0.05 to 0.95; what is no number is left out."""
    resampled = np.append(np.linspace(0.0, 1.0, 101), np.nan)
    found = _index(0.4, resampled, 0.9)
    assert (found.value, found.low, found.high) == pytest.approx((0.4, 0.05, 0.95))


def test_constant_factor_and_constant_result_have_no_index(tmp_path: Path) -> None:
    factors = [*unit("a"), read_factor("c", [5.0])]
    runs = campaign(
        tmp_path,
        lambda _, v: {"x": v["a"], "one": 1.0, "flag": v["a"] > 0.5},
        factors,
        "random",
        30,
    )
    a, c = rank_indices(runs, "x")
    assert a.rank.value == pytest.approx(1.0)
    assert c.rank.value is c.partial.value is None
    assert rank_indices(runs, "one")[0].rank.value is None
    assert rank_indices(runs, "flag")[0].rank.low > 0.5


def test_explained_share_is_that_of_an_analysis_of_variance() -> None:
    """Share = 1 - MS_within / variance, with SciPy's F for the mean squares; and of a resample."""
    rng = np.random.default_rng(4)
    factor = rng.integers(0, 4, size=90).astype(float)
    responses = np.column_stack([factor**2 + rng.normal(size=90), rng.normal(size=90)])
    (found, _, _), _ = rank_figures(factor[:, None], responses, draws=0)
    for j, y in enumerate(responses.T):
        groups = [y[factor == value] for value in range(4)]
        within = sum(((group - group.mean()) ** 2).sum() for group in groups) / (90 - 4)
        assert found[0, j] == pytest.approx(1.0 - within / y.var(ddof=1), abs=1e-12)
        # F of the same table: MS_between / MS_within
        between = (89 * y.var(ddof=1) - 86 * within) / 3
        assert stats.f_oneway(*groups).statistic == pytest.approx(between / within)
    # a resample is the table with rows taken again
    _, drawn = rank_figures(factor[:, None], responses, draws=1, seed=7)
    again = np.random.default_rng(7).integers(90, size=(1, 90))[0]
    (wanted, _, _), _ = rank_figures(factor[again][:, None], responses[again], draws=0)
    assert drawn[0, 0] == pytest.approx(wanted, abs=1e-12)


def test_indices_of_all_results_are_those_of_each(tmp_path: Path) -> None:
    """Results that some runs do not have are resampled without them."""

    def function(number: int, v: Mapping[str, float]) -> dict[str, float | str | bool]:
        some: dict[str, float | str | bool] = {"some": v["b"] ** 2} if v["a"] > 0.3 else {}
        return {"x": np.exp(v["a"]) - v["b"], "y": v["b"], "few": np.nan, **some}

    runs = campaign(tmp_path, function, unit("abc"), "sobol", 64)
    told: list[float] = []
    found = all_indices(runs, ["x", "some", "few", "y"], told.append)
    assert list(found) == ["x", "some", "y"]
    for column, indices in found.items():
        for one, wanted in zip(indices, rank_indices(runs, column), strict=True):
            assert one.key == wanted.key
            assert one.runs == int((runs.factors()[:, 0] > 0.3).sum() if column == "some" else 64)
            for kind in ("share", "rank", "partial"):
                mine, alone = vars(getattr(one, kind)), vars(getattr(wanted, kind))
                assert mine == pytest.approx(alone, abs=1e-12)
    assert told == sorted(told)
    assert told[-1] == 1.0


# ---------------------------------------------------------------------------- Sobol' indices


def ishigami(_: float, x: Mapping[str, float]) -> dict[str, float | str | bool]:
    a, b, c = (x[key] for key in "abc")
    return {"y": np.sin(a) + 7 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a)}


def ishigami_indices() -> tuple[list[float], list[float]]:
    """First-order and total indices in closed form, with a = 7 and b = 0.1."""
    V1, V2 = 0.5 * (1 + 0.1 * np.pi**4 / 5) ** 2, 7**2 / 8
    V13 = 0.1**2 * np.pi**8 * (1 / 18 - 1 / 50)
    V = V1 + V2 + V13
    return [V1 / V, V2 / V, 0.0], [(V1 + V13) / V, V2 / V, V13 / V]


def test_sobol_indices_of_the_ishigami_function(tmp_path: Path) -> None:
    factors = [read_factor(key, {"uniform": [-np.pi, np.pi]}) for key in "abc"]
    runs = campaign(tmp_path, ishigami, factors, "saltelli", 2048 * 5)
    found = sobol_indices(runs, "y", draws=100)
    first, total = ishigami_indices()
    # four times 0.0075, the largest standard deviation over 60 random seeds at 2048 blocks
    assert [s.first.value for s in found] == pytest.approx(first, abs=0.03)
    assert [s.total.value for s in found] == pytest.approx(total, abs=0.03)
    for index, wanted in zip(found, total, strict=True):
        assert index.total.low < wanted < index.total.high
    assert json.loads(json.dumps(found[2].as_dict()))["key"] == "c"


def test_estimates_have_no_bias() -> None:
    factors = [read_factor(key, {"uniform": [-np.pi, np.pi]}) for key in "abc"]
    found = []
    for seed in range(24):
        values = make_design(factors, "saltelli", 2048 * 5, seed).values
        results = ishigami(0, dict(zip("abc", values.T, strict=True)))["y"]
        found.append(variance_parts(np.asarray(results).reshape(-1, 5)))
    # four standard deviations of a mean of 24: 4 x 0.0075/sqrt(24)
    assert np.mean(found, axis=0) == pytest.approx(np.array(ishigami_indices()), abs=0.006)


def test_estimates_are_those_of_scipy(tmp_path: Path) -> None:
    factors = [read_factor(key, {"uniform": [-np.pi, np.pi]}) for key in "abc"]
    runs = campaign(tmp_path, ishigami, factors, "saltelli", 64 * 5)
    blocks = runs.column("y")[1].reshape(-1, 5)
    given = {"f_A": blocks[None, :, 0], "f_B": blocks[None, :, 1], "f_AB": blocks.T[2:, None, :]}
    scipys = stats.sobol_indices(func=given, n=64)
    # SciPy centres by the mean of A and B as well, and takes their variance
    first, total = variance_parts(blocks)
    assert first == pytest.approx(scipys.first_order, abs=1e-12)
    assert total == pytest.approx(scipys.total_order, abs=1e-12)


def test_failed_run_costs_its_block_only(tmp_path: Path) -> None:
    def function(number: int, x: Mapping[str, float]) -> dict[str, float | str | bool]:
        if number == 6:  # the third row of the second block
            raise SolutionError("no")
        mixed: dict[str, float | str | bool] = {"mixed": True} if number % 4 > 1 else {}
        return {"y": x["a"] + 2.0 * x["b"], "one": 1.0, **mixed}

    runs = campaign(tmp_path, function, unit("ab"), "saltelli", 1024)
    first = [index.first.value for index in sobol_indices(runs, "y", draws=10)]
    assert first == pytest.approx([0.2, 0.8], abs=0.03)  # 255 of 256 blocks
    assert [index.runs for index in sobol_indices(runs, "y", draws=10)] == [4 * 255] * 2
    assert sobol_indices(runs, "one", draws=10)[0].first.value is None
    # statistics take the rows A and B alone
    found = statistics_of(runs)
    assert (found.spreads["y"].runs, found.spreads["y"].beyond) == (2 * 256, 0)
    assert found.spreads["y"].mean == pytest.approx(1.5, abs=0.01)
    assert found.probabilities == {}  # the column is in the other rows only


def test_indices_that_cannot_be_had_are_refused(tmp_path: Path) -> None:
    runs = campaign(tmp_path, lambda *_: {"x": 1.0, "t": "a"}, unit("a"), "random", 5)
    with pytest.raises(InputError, match="need a design 'saltelli', and this one is 'random'"):
        sobol_indices(runs, "x")
    with pytest.raises(InputError, match="column 't' is text: indices need numbers"):
        rank_indices(runs, "t")
    with pytest.raises(InputError, match="unknown column 'y'"):
        rank_indices(runs, "y")
