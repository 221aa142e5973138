"""Motions that begin before the path, from the scenario file to plant, delivery and report."""

from __future__ import annotations

import csv
import ctypes
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cranebridge.cli import app
from cranebridge.deliver.provenance import ARCHIVED
from cranebridge.errors import InputError
from cranebridge.job import check_scenario, run_scenario, solve_scenario, verify_scenario
from cranebridge.job.delivering import hand_over
from cranebridge.job.ordering import Wishes
from cranebridge.scenario import load_scenario

sys.path.append(str(Path(__file__).parents[1] / "deliver"))
from feedforward_driver import Driver

TESTS = Path(__file__).parents[1]
CRANES = TESTS / "inverse" / "internal_cranes.py"
PLANT = TESTS / "data" / "internal-dynamics" / "Mast.mo"

MAST = f"""
[crane]
model = "{CRANES}:MastCrane"

[path]
kind = "line"
start = [0.0]
goal = [3.0]
duration = 3.0

[solve]
method = "inversion"
step = 0.01

[plant]
model = "{PLANT}:Mast"
tolerance = 1e-10

[limits]
tracking = 1e-6
"""
HOOK = f"""
[crane]
model = "{CRANES}:HookCrane"

[path]
kind = "line"
start = [0.0, 4.0]
goal = [5.0, 2.0]
duration = 5.0

[solve]
method = "inversion"
"""


def scenario_of(folder: Path, text: str, *settings: str):
    file = folder / "scenario.toml"
    file.write_text(text)
    return load_scenario(str(file), list(settings))


def times_of(file: Path) -> list[float]:
    return [float(row["time"]) for row in csv.DictReader(file.open())]


def test_mast_tip_follows_on_a_plant_that_starts_before_the_path(tmp_path) -> None:
    verified = run_scenario(scenario_of(tmp_path, MAST), tmp_path / "run")
    # The plant is Newton's law with the hinge's force: exp(-2.74 * 7.56) = 1e-9 of the motion is
    # missing at its start, and 1e-10 is its integrator's tolerance.
    assert verified.tracking is not None
    assert max(verified.tracking.max_error.values()) < 1e-7
    assert verified.certificate is not None
    assert verified.certificate.same
    assert verified.exit_code == 0
    first = -np.ceil(-np.log(1e-9) / 2.743901205 / 0.01) * 0.01
    for name in ("feedforward.csv", "tracking.csv"):
        assert times_of(tmp_path / "run" / name)[0] == pytest.approx(first, abs=1e-12)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    internal = summary["internal_dynamics"]
    assert internal["kind"] == "saddle"
    assert internal["before"] == pytest.approx(-first)
    assert [x["re"] for x in internal["eigenvalues_start"]] == pytest.approx(
        [-2.681401205, 2.743901205]
    )
    assert summary["tracking"]["unexplained"] is not None


def test_report_shows_the_time_before_the_path(tmp_path) -> None:
    run_scenario(scenario_of(tmp_path, MAST, "solve.step=0.02"), tmp_path / "run")
    page = (tmp_path / "run" / "report.html").read_text()
    data = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page, re.S)[1])
    assert data["begin"] < -7.0
    assert data["phases"][0] == ["pre-actuation", data["begin"], 0.0]
    assert re.search(r'id="slider" min="-7\.\d+"', page)


def test_co_simulation_starts_before_the_path_too(tmp_path) -> None:
    settings = ("plant.interface=cs", "plant.step=0.005", "plant.certify=false")
    verified = verify_scenario(scenario_of(tmp_path, MAST, *settings))
    assert verified.tracking is not None
    assert verified.tracking.time[0] == pytest.approx(-7.56)
    # inputs are constant between communication points of 5 ms: a mean delay of 2.5 ms
    assert max(verified.tracking.max_error.values()) < 1e-2


def test_window_too_short_for_a_start_at_rest_is_refused(tmp_path) -> None:
    with pytest.raises(InputError, match=r"starts the plant at rest.*solve\.before be longer"):
        verify_scenario(scenario_of(tmp_path, MAST, "solve.before=1.0"))


def test_check_tells_kind_and_eigenvalues(tmp_path) -> None:
    scenario_of(tmp_path, MAST)
    result = CliRunner().invoke(app, ["check", str(tmp_path / "scenario.toml")])
    assert result.exit_code == 0, result.output
    assert "saddle" in result.output
    assert "-2.6814, 2.7439 1/s" in result.output
    assert "begin 7.56 s before the path" in result.output


def test_check_judges_the_force_before_the_path(tmp_path) -> None:
    # At t = 0 the tip's force has its value of the benchmark, 405 N: it cannot begin there.
    checked = check_scenario(
        scenario_of(tmp_path, MAST + "\n[limits.u]\nF = 600.0\n", "limits.tracking=1.0")
    )
    failed = [verdict for verdict in checked.verdicts if verdict.status == "failed"]
    assert checked.exit_code == 1
    assert failed[0].value == pytest.approx(647.336, abs=0.05)


def test_swing_that_never_settles_is_told_with_its_amplitude(tmp_path) -> None:
    solution = solve_scenario(scenario_of(tmp_path, HOOK)).feedforward
    assert solution.internal is not None
    swing = solution.internal["residual_swing"]
    assert isinstance(swing, dict)
    # 19.28587 degrees in the benchmark
    assert np.rad2deg(swing["theta"]) == pytest.approx(19.28587, abs=2e-5)
    assert any("swings on for ever" in note and "theta" in note for note in solution.notes)


def test_manipulator_on_a_free_base_passes_all_verdicts_on_its_plant(tmp_path) -> None:
    verified = run_scenario(load_scenario("rpr"), tmp_path / "run")
    assert verified.exit_code == 0
    assert all(verdict.status == "passed" for verdict in verified.verdicts)
    assert verified.certificate is not None
    assert verified.certificate.same
    internal = json.loads((tmp_path / "run" / "summary.json").read_text())["internal_dynamics"]
    assert internal["kind"] == "neutral"
    assert "drifts on" in internal["meaning"]
    assert internal["residual_drift"] == {}
    assert (internal["before"], internal["after"]) == (0.0, 0.0)
    result = CliRunner().invoke(app, ["check", "rpr"])
    assert result.exit_code == 0, result.output
    assert "neutral" in result.output
    assert "0, 0, 0, 0, 0, 0 1/s" in result.output
    assert "it stands still" in result.output


def test_index1_names_inversion_where_a_crane_is_not_flat(tmp_path) -> None:
    checked = check_scenario(scenario_of(tmp_path, HOOK, "solve.method=index1"))
    assert checked.exit_code == 2
    assert "use inversion" in checked.check.problems[0]


def test_flat_crane_is_sent_back_to_index1() -> None:
    checked = check_scenario(load_scenario("overhead", ["solve.method=inversion"]))
    assert checked.exit_code == 2
    assert "index1" in checked.check.problems[0]


def test_stated_start_that_is_not_at_rest_is_refused(tmp_path) -> None:
    scenario = scenario_of(tmp_path, MAST, "crane.initial.phi=0.1")
    assert "at rest it is 0" in check_scenario(scenario).check.problems[0]


def test_table_of_a_cycle_begins_before_the_path(tmp_path) -> None:
    # 7.56 s and 0.25 s do not go together: first and last time are there besides the multiples.
    scenario = scenario_of(tmp_path, MAST)
    hand_over(scenario, Wishes(to="csv", target=tmp_path / "table.csv", cycle=0.25))
    times = np.array(times_of(tmp_path / "table.csv"))
    assert times[0] == pytest.approx(-7.56)
    np.testing.assert_allclose(times[1:-1], np.arange(-7.5, 8.01, 0.25), rtol=0.0, atol=1e-12)
    assert times[-1] == pytest.approx(8.16)
    record = json.loads((tmp_path / "table.csv.json").read_text())
    assert (record["begins"], record["ends"]) == pytest.approx((-7.56, 8.16))


def test_c_table_gives_the_controls_before_the_path(tmp_path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    scenario = scenario_of(tmp_path, MAST)
    hand_over(scenario, Wishes(to="c", target=tmp_path / "table.c", cycle=0.01, columns=("u",)))
    command = ["gcc", "-std=c99", "-O1", "-fPIC", "-shared", str(tmp_path / "table.c")]
    subprocess.run([*command, "-o", str(tmp_path / "table.so")], check=True)
    library = ctypes.CDLL(str(tmp_path / "table.so"))
    found = (ctypes.c_double * 1)()
    library.table_at.argtypes = [ctypes.c_double, type(found)]
    assert ctypes.c_double.in_dll(library, "table_begin").value == pytest.approx(-7.56)
    for time, force in ((-2.0, 1.6640663), (-0.5, 102.0633925), (0.0, 405.2621059)):
        assert library.table_at(time, found) == 0
        # cubic pieces of 10 ms and exp(2.74 t): (2.74 * 0.01)^4 / 384 of the value
        assert found[0] == pytest.approx(force, rel=1e-8, abs=1e-7)
    assert library.table_at(-8.0, found) == 2


def test_structured_text_takes_times_before_the_path(tmp_path) -> None:
    hand_over(scenario_of(tmp_path, MAST), Wishes(to="st", target=tmp_path / "table.st", cycle=0.1))
    text = (tmp_path / "table.st").read_text()
    assert "IF NOT (PathTime >= NodeTime[0]) THEN" in text
    assert re.search(r"NodeTime : ARRAY\[0\.\.\d+\] OF LREAL := \[\s*-7\.56", text)


def test_what_solves_on_line_needs_a_flat_crane(tmp_path) -> None:
    with pytest.raises(InputError, match="internal dynamics; deliver this motion as a"):
        hand_over(scenario_of(tmp_path, MAST), Wishes(to="generator", target=tmp_path / "x.c"))


def test_fmu_plays_the_motion_of_a_crane_with_internal_dynamics(tmp_path) -> None:
    target = tmp_path / "mast.fmu"
    (file,) = hand_over(scenario_of(tmp_path, MAST), Wishes("fmu", target, cycle=0.01))
    with zipfile.ZipFile(file) as archive:
        entries = json.loads(archive.read(ARCHIVED))
    assert "has internal dynamics" in entries["plays one motion"]
    driver = Driver(file, tmp_path / "content", "cs", begin=1.0)
    for time, force in ((-2.0, 1.6640663), (-0.5, 102.0633925), (0.0, 405.2621059)):
        driver.go(1.0 - entries["begins"] + time)
        # as the table in C
        assert driver.get(["F"]) == pytest.approx(force, rel=1e-8, abs=1e-7)
    driver.close()


def test_check_refuses_to_integrate_a_saddle_from_rest(tmp_path) -> None:
    checked = check_scenario(scenario_of(tmp_path, MAST, "solve.method=index3"))
    assert "would diverge; use inversion" in checked.check.problems[0]
    assert "2.7439" in checked.check.problems[0]
