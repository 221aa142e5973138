"""Factors and designs against closed forms; what is written wrong is refused."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.stats import qmc

from cranebridge.campaign import KINDS, NATURAL, Factor, make_design, read_design, read_factor
from cranebridge.errors import InputError

NORMAL = read_factor("m", {"normal": [500.0, 25.0]})
UNIFORM = read_factor("l", {"uniform": [4.0, 6.0]})
UNIT = tuple(read_factor(key, {"uniform": [0.0, 1.0]}) for key in "abc")
FREE = [kind for kind in KINDS if kind not in ("grid", "saltelli")]

# ---------------------------------------------------------------------------- factors


@pytest.mark.parametrize(
    ("value", "law"),
    [
        ({"normal": [500.0, 25.0]}, stats.norm(500.0, 25.0)),
        ({"normal": {"std": 25.0, "mean": 500.0}}, stats.norm(500.0, 25.0)),
        ({"norm": [500, 25]}, stats.norm(500.0, 25.0)),
        ({"norm": {"loc": 500.0}}, stats.norm(500.0)),
        ({"uniform": [400.0, 600.0]}, stats.uniform(400.0, 200.0)),
        ({"uniform": {"low": 400.0, "high": 600.0}}, stats.uniform(400.0, 200.0)),
        ({"uniform": {"loc": 400.0, "scale": 200.0}}, stats.uniform(400.0, 200.0)),
        ({"lognormal": [10.0, 0.5]}, stats.lognorm(0.5, scale=10.0)),
        ({"triangular": [1.0, 2.0, 5.0]}, stats.triang(0.25, 1.0, 4.0)),
        ({"weibull_min": [1.5, 0.0, 2.0]}, stats.weibull_min(1.5, 0.0, 2.0)),
        ({"gamma": {"a": 2.0, "scale": 3.0}}, stats.gamma(2.0, scale=3.0)),
        ({"truncnorm": [-2.0, 2.0, 500.0, 25.0]}, stats.truncnorm(-2.0, 2.0, 500.0, 25.0)),
        ({"beta": [2.0, 3.0]}, stats.beta(2.0, 3.0)),
    ],
)
def test_distribution_is_that_of_scipy(value: object, law: object) -> None:
    unit = np.linspace(0.001, 0.999, 57)
    assert read_factor("k", value).ppf(unit) == pytest.approx(law.ppf(unit), rel=1e-14)


def test_every_natural_distribution_takes_its_parameters_by_name() -> None:
    for name, (parameters, _) in NATURAL.items():
        values = [1.0, 2.0, 3.0][: len(parameters)]
        by_name = read_factor("k", {name: dict(zip(parameters, values, strict=True))})
        assert by_name == read_factor("k", {name: values})


def test_lognormal_has_its_median_and_the_triangle_its_mode() -> None:
    assert read_factor("k", {"lognormal": [10.0, 0.5]}).ppf(np.array([0.5])) == pytest.approx(10.0)
    # the distribution function at the mode of a triangle is (mode - low)/(high - low)
    triangle = read_factor("k", {"triangular": [1.0, 2.0, 5.0]})
    assert triangle.ppf(np.array([0.25])) == pytest.approx(2.0)


def test_values_are_equally_probable() -> None:
    for value in ([1.0, 2.0, 5.0], {"values": [1, 2, 5]}):
        factor = read_factor("k", value)
        unit = np.array([0.0, 0.33, 0.34, 0.66, 0.67, 1.0])
        assert factor.ppf(unit).tolist() == [1.0, 1.0, 2.0, 2.0, 5.0, 5.0]
        assert factor.bounds() == (1.0, 5.0)


def test_ends_of_the_unit_interval_are_finite() -> None:
    assert np.isfinite(NORMAL.ppf(np.array([0.0, 1.0]))).all()


def test_bounds_are_ends_or_quantiles() -> None:
    assert UNIFORM.bounds() == (4.0, 6.0)
    low, high = NORMAL.bounds(outside=0.05)
    # 1.959964: the well-known quantile of 97.5 %
    assert (low, high) == pytest.approx((500 - 25 * 1.959964, 500 + 25 * 1.959964), abs=1e-4)
    assert read_factor("k", {"expon": []}).bounds(0.02) == pytest.approx((0.0, -math.log(0.01)))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"normla": [1.0, 2.0]}, r"unknown distribution of 'k' 'normla'. Did you mean 'normal'\?"),
        ({"poisson": [1.0]}, "unknown distribution of 'k' 'poisson'"),
        ({"normal": [1.0, 0.0]}, "normal of 'k': the standard deviation 0 is not above zero"),
        ({"normal": [1.0]}, "normal of 'k' takes 2 numbers: mean, std"),
        ({"uniform": [2.0, 1.0]}, "uniform of 'k': 2 is not below 1"),
        ({"uniform": {"low": 1.0}}, "uniform of 'k' needs high too"),
        ({"uniform": {"low": 1.0, "hihg": 2.0}}, "'hihg'. Did you mean 'high'"),
        ({"lognormal": [0.0, 1.0]}, "median 0 and sigma 1 must be above zero"),
        ({"triangular": [1.0, 5.0, 2.0]}, "1, 5, 2 do not increase"),
        ({"gamma": [-1.0]}, "gamma of 'k' is not defined for these shape parameters: -1"),
        ({"gamma": []}, "takes 1 to 3 numbers: a, loc, scale"),
        ({"gamma": {"scale": 1.0}}, "gamma of 'k' needs a too"),
        ({"norm": [0.0, -1.0]}, "the scale -1 is not above zero"),
        ({"normal": 3.0}, "takes a list of numbers or a table, such as"),
        ({"normal": ["1", 2.0]}, "'1' is not a finite number"),
        ({"normal": [math.inf, 2.0]}, "inf is not a finite number"),
        ([], "the values of 'k' are a list with one number at least"),
        ([1.0, True], "True is not a finite number"),
        ({"normal": [0.0, 1.0], "uniform": [0.0, 1.0]}, "'k' varies by one distribution"),
        (3.0, "'k' varies by one distribution"),
        ("normal", "'k' varies by one distribution"),
    ],
)
def test_wrong_factor_is_refused(value: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_factor("k", value)


# ---------------------------------------------------------------------------- designs


@pytest.mark.parametrize("kind", FREE)
def test_factors_have_their_distributions(kind: str) -> None:
    design = make_design([NORMAL, UNIFORM], kind, 500, seed=3)
    laws = (stats.norm(500.0, 25.0), stats.uniform(4.0, 2.0))
    for column, law in zip(design.values.T, laws, strict=True):
        assert stats.kstest(column, law.cdf).pvalue > 0.05


@pytest.mark.parametrize("kind", ["sobol", "latin"])
def test_even_designs_have_a_lower_discrepancy_than_random_ones(kind: str) -> None:
    even = qmc.discrepancy(make_design(UNIT, kind, 256, seed=1).values)
    others = [qmc.discrepancy(make_design(UNIT, "random", 256, seed=s).values) for s in range(20)]
    assert even < min(others)


def test_sobol_points_are_a_net() -> None:
    """Each of 64 equal boxes of 8 x 8 has one of the first 64 points: a (0, 6, 2)-net."""
    values = make_design(UNIT[:2], "sobol", 64, seed=5).values
    assert len({(int(8 * x), int(8 * y)) for x, y in values}) == 64


def test_latin_hypercube_has_a_run_in_each_part() -> None:
    values = make_design(UNIT, "latin", 50, seed=5).values
    assert all(sorted((50 * column).astype(int)) == list(range(50)) for column in values.T)


@pytest.mark.parametrize("kind", ["sobol", "random", "saltelli"])
def test_larger_design_begins_with_the_smaller_one(kind: str) -> None:
    sizes = [make_design([NORMAL, UNIFORM], kind, runs, seed=2).values for runs in (40, 100, 300)]
    for small, large in pairwise(sizes):
        assert len(small) < len(large)
        assert np.array_equal(small, large[: len(small)])


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_design_follows_from_its_seed(kind: str) -> None:
    first, again, other = (make_design(UNIT, kind, 64, seed) for seed in (1, 1, 2))
    # the values themselves: a hash of all that a design is has its seed in it
    assert np.array_equal(first.values, again.values)
    assert np.array_equal(first.values, other.values) is (kind == "grid")  # nothing is random
    assert (first.seed, other.seed) == ((None, None) if kind == "grid" else (1, 2))
    assert first.hash == again.hash
    assert (first.hash == other.hash) is (kind == "grid")
    assert first.point(3) == dict(zip("abc", first.values[3].tolist(), strict=True))


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"grid"}))
def test_values_themselves_are_others_with_another_seed(kind: str) -> None:
    first, again, other = (make_design(UNIT, kind, 64, seed) for seed in (1, 1, 2))
    assert (first.values == again.values).all()
    assert (first.values != other.values).any(axis=0).all()


def test_grid_is_the_product_of_values_and_of_equally_probable_points() -> None:
    three = read_factor("v", [1.0, 2.0, 3.0])
    design = make_design([three, UNIT[0]], "grid", 14)  # 3 x 4, and not 3 x 5
    assert design.values.tolist() == [
        [v, u] for v in (1.0, 2.0, 3.0) for u in (0.125, 0.375, 0.625, 0.875)
    ]
    assert len(make_design([three, three_of("w")], "grid", 1000)) == 9


def three_of(key: str) -> Factor:
    return read_factor(key, [1.0, 2.0, 3.0])


@pytest.mark.parametrize(("runs", "made"), [(26, 8), (27, 27), (63, 27), (64, 64)])
def test_grid_takes_as_many_runs_as_fit(runs: int, made: int) -> None:
    """Three distributions with two, three or four points each."""
    assert len(make_design(UNIT, "grid", runs)) == made


def test_saltelli_mixes_one_factor_of_each_block() -> None:
    values = make_design(UNIT, "saltelli", 45, seed=1).values
    assert values.shape == (40, 3)  # 8 blocks of 5: the largest power of two
    for A, B, *mixed in values.reshape(8, 5, 3):
        for i, row in enumerate(mixed):
            assert row.tolist() == [B[j] if j == i else A[j] for j in range(3)]


@pytest.mark.parametrize(
    ("kind", "runs", "seed", "message"),
    [
        ("sobl", 10, 0, "unknown design 'sobl'. Did you mean 'sobol'"),
        ("sobol", 0, 0, "one run at least, and 0 are asked for"),
        ("sobol", 1, -1, "a random seed is not negative"),
        ("grid", 7, 0, "this grid needs 8 runs at least"),
        ("saltelli", 9, 0, "'saltelli' of 3 factors needs 10 runs at least, and 9 are asked for"),
    ],
)
def test_wrong_design_is_refused(kind: str, runs: int, seed: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_design(UNIT, kind, runs, seed)


def test_design_of_nothing_and_of_a_factor_twice_is_refused() -> None:
    with pytest.raises(InputError, match="varies one key at least"):
        make_design([], "sobol", 10)
    with pytest.raises(InputError, match="a factor stands in a design once"):
        make_design([NORMAL, NORMAL], "sobol", 10)


def test_design_is_read_from_a_table(tmp_path: Path) -> None:
    file = tmp_path / "design.csv"
    file.write_text("\ufeffcrane.m, plant.start.q.y\n1.5,-2e-3\n\n3,4\n", encoding="utf-8")
    design = read_design(file)
    assert design.keys == ("crane.m", "plant.start.q.y")
    assert design.values.tolist() == [[1.5, -2e-3], [3.0, 4.0]]
    assert (design.kind, design.seed) == ("file", None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n", "needs a line with keys and a run at least"),
        ("a,a\n1,2\n", "must name each column by another key"),
        ("a,\n1,2\n", "must name each column by another key"),
        ("a,b\n1,2\n1\n", "line 3 of the design .* has 1 values for 2 keys"),
        ("a,b\n1,x\n", "line 2 of the design .*, column b: 'x' is no finite number"),
        ("a,b\n1,nan\n", "line 2 .* column b: 'nan' is no finite number"),
        ("", "needs a line with keys"),
    ],
)
def test_wrong_table_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "design.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_design(file)


def test_table_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be read: .*No such file"):
        read_design(tmp_path / "none.csv")
