"""Studies: the numbers that they must show, and the files that they write."""

from __future__ import annotations

import csv
import json
import sys

import numpy as np
import pytest

from cranebridge.errors import InputError, MissingDependencyError, StructureError
from cranebridge.inverse import solve_index1, solve_index3
from cranebridge.job.studying import study_into
from cranebridge.scenario import load_scenario
from cranebridge.study import Chart, Study, StudyTable, convergence, integrators, methods
from cranebridge.study.writing import KINDS, make_study, page, study_files
from further import mostly_further


def rows_of(table: StudyTable, **wanted):
    return [row for row in table.as_dicts() if all(row[k] == v for k, v in wanted.items())]


@pytest.fixture(scope="module")
def overhead() -> Study:
    return convergence(load_scenario("overhead"), (160, 320))


def test_all_methods_converge_with_their_orders(overhead) -> None:
    table = overhead.table("convergence")
    labels = dict.fromkeys(table.column("method"))
    assert len([label for label in labels if not label.startswith("direct")]) == 12
    for label in labels:
        coarse, fine = rows_of(table, method=label)
        assert coarse["order"] is None
        if fine["expected"] is not None:
            assert fine["order"] == pytest.approx(fine["expected"], abs=0.15)
            assert fine["error_q"] < 1e-13


def test_controls_of_a_direct_energy_momentum_scheme_diverge(overhead) -> None:
    label = "direct energy-momentum (index not reduced)"
    coarse, fine = rows_of(overhead.table("convergence"), method=label)
    assert coarse["error_u"] > 100.0
    assert fine["order"] == pytest.approx(-1.0, abs=0.02)


def test_condition_of_the_inverse_schemes_grows_with_the_inverse_square_of_the_step(
    overhead,
) -> None:
    table = overhead.table("condition")
    for label in dict.fromkeys(table.column("method")):
        values = [row["condition"] for row in rows_of(table, method=label)]
        assert np.log10(values[-1] / values[-2]) == pytest.approx(2.0, abs=0.01)


def test_index_7_crane_is_studied_with_what_applies() -> None:
    found = convergence(load_scenario("navy3d-pulley-safe"), (40, 80))
    labels = dict.fromkeys(found.table("convergence").column("method"))
    reduced = [label for label in labels if "not reduced" not in label]
    assert reduced == ["index3 euler", "projection redundant euler"]
    assert any("index 7" in remark for remark in found.remarks)
    assert any("mass matrix is singular in L_0" in remark for remark in found.remarks)


def test_errors_are_the_largest_of_all_times_and_coordinates() -> None:
    # On an index-7 crane the coordinates carry an error of the step: zero at the start, and other
    # for every coordinate.
    scenario = load_scenario("navy3d-pulley-safe")
    row = rows_of(convergence(scenario, (40,)).table("convergence"), method="index3 euler")[0]
    times = np.linspace(0.0, scenario.problem.path.duration, 41)
    found, exact = (solve(scenario.problem, times) for solve in (solve_index3, solve_index1))
    difference = found.q - exact.q
    assert row["error_q"] == pytest.approx(np.linalg.norm(difference.ravel(), np.inf), rel=1e-12)
    assert row["error_q"] > 1e-4
    relative = (found.u - exact.u) / np.linalg.norm(exact.u, np.inf, axis=0)
    assert row["error_u"] == pytest.approx(np.linalg.norm(relative.ravel(), np.inf), rel=1e-12)


def test_methods_agree_and_refusals_have_reasons() -> None:
    found = methods(load_scenario("navy2d-pulley-safe", ["solve.step=0.05"]))
    table = found.table("methods")
    exact = rows_of(table, method="index1")[0]
    assert exact["error_u"] == 0.0
    euler = [rows_of(table, method=f"{m} euler")[0] for m in ("index3", "projection redundant")]
    assert euler[0]["error_u"] == pytest.approx(euler[1]["error_u"], rel=1e-9)
    assert euler[0]["error_q"] < 1e-13
    refused = rows_of(table, method="projection minimal radau5")[0]
    assert refused["error_u"] is None
    assert "no minimal coordinates" in refused["refused"]
    assert {chart.name for chart in found.charts} >= {"errors", "control_u_1"}


@pytest.fixture(scope="module")
def forward() -> Study:
    return integrators(load_scenario("overhead"), (50, 100))


def test_integrators_converge_to_an_independent_reference(forward) -> None:
    for row in forward.table("integrators").as_dicts():
        if row["order"] is not None and row["system"] != "free rotary crane":
            expected = 1.0 if row["integrator"] == "implicit-euler" else 2.0
            assert row["order"] == pytest.approx(expected, abs=0.05), row


def test_energy_momentum_scheme_conserves_both(forward) -> None:
    table = forward.table("integrators")
    for system in ("dumbbell", "free rotary crane"):
        for method in ("energy-momentum", "null-space"):
            for row in rows_of(table, system=system, integrator=method):
                assert row["energy_drift"] < 1e-10
                assert row["momentum_drift"] < 1e-10
        for row in rows_of(table, system=system, integrator="variational"):
            assert row["momentum_drift"] < 1e-10 < 1e-4 < row["energy_drift"]


def test_condition_grows_like_the_inverse_cube_unless_reduced(forward) -> None:
    table = forward.table("condition")
    system = "free rotary crane"
    full, reduced = (
        [row["condition"] for row in rows_of(table, system=system, integrator=method)]
        for method in ("energy-momentum", "null-space")
    )
    assert np.log10(full[2] / full[1]) == pytest.approx(3.0, abs=0.01)
    assert max(reduced) == pytest.approx(min(reduced), rel=0.01)


def test_cranes_with_massless_pulleys_have_no_integrators() -> None:
    with pytest.raises(StructureError, match="conditions for massless parts"):
        integrators(load_scenario("navy2d"))


SMALL = Study(
    "methods",
    "a <b>",
    "Title of <b>",
    ("first & last",),
    (StudyTable("numbers", "Numbers", ("name", "value", "note"), (("x", 1.0 / 3.0, None),)),),
    (
        Chart("lines", "Lines", "x", "y", {"one": ([1.0, 2.0], [1e-3, 1e-4])}),
        Chart("zeros", "Nothing positive", "x", "y", {"one": ([1.0, 2.0], [0.0, 0.0])}),
        Chart("empty", "Nothing at all", "x", "y", {}),
    ),
)


def test_study_is_written_as_csv_png_json_and_one_page() -> None:
    files = study_files(SMALL)
    names = set(files)
    pictures = {"lines.png", "zeros.png", "empty.png"}
    assert names == {"numbers.csv", "summary.json", "study.html"} | pictures
    rows = list(csv.reader(files["numbers.csv"].decode().splitlines()))
    assert rows == [["name", "value", "note"], ["x", f"{1 / 3:.17g}", ""]]
    assert files["lines.png"].startswith(b"\x89PNG")
    summary = json.loads(files["summary.json"])
    assert summary["tables"]["numbers"] == [{"name": "x", "value": 1 / 3, "note": None}]
    assert "casadi" in summary["versions"]


def test_page_is_one_file_and_escapes_what_it_shows() -> None:
    text = page(SMALL, {chart.name: b"png" for chart in SMALL.charts})
    assert "Title of &lt;b&gt;" in text
    assert "first &amp; last" in text
    assert text.count('src="data:image/png;base64,') == 3
    assert "http" not in text
    assert "0.3333" in text


def test_whole_study_from_a_scenario(tmp_path) -> None:
    scenario = load_scenario("overhead", ["solve.step=0.1"])
    result = study_into("methods", scenario, tmp_path / "out")
    assert (tmp_path / "out" / "study.html").is_file()
    assert result.scenario == "overhead"
    with pytest.raises(InputError, match="exists"):
        study_into("methods", scenario, tmp_path / "out")
    study_into("methods", scenario, tmp_path / "out", force=True)


def test_unknown_kind_is_refused_with_the_closest_match(tmp_path) -> None:
    with pytest.raises(InputError, match="Did you mean 'convergence'"):
        study_into("convergense", load_scenario("overhead"), tmp_path / "out")


def test_missing_matplotlib_is_told_before_anything_is_computed(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingDependencyError, match=r"Matplotlib: pip install cranebridge\b"):
        study_into("convergence", load_scenario("overhead"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", mostly_further(KINDS, "methods", "convergence"))
def test_study_tells_how_far_it_is(kind: str) -> None:
    reported: list[float] = []
    make_study(kind, load_scenario("overhead", ["solve.step=0.1"]), reported.append)
    assert reported[0] == 0.0
    assert reported == sorted(reported)
    assert len(reported) > 4
    assert reported[-1] < 1.0
