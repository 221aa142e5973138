"""References in the units of drives, against conversions by hand."""

from __future__ import annotations

import csv
import ctypes
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat

from cranebridge.errors import InputError
from cranebridge.job import check_scenario
from cranebridge.job.delivering import hand_over
from cranebridge.job.ordering import Wishes
from cranebridge.job.solving import solve_scenario
from cranebridge.scenario import load_scenario

# Trolley in m/min; a hoist with 20 turns of the motor for one of the drum (0.1 m) that turns
# against the rope's length and is zero at 5 m; a slewing drive of 480 rpm = 100 % with gear 300.
TROLLEY = "deliver.drives.trolley={coordinate='s', unit='m/min'}"
HOIST = (
    "deliver.drives.hoist={coordinate='l', unit='rpm', radius='r_w', gear=20.0, reversed=true, "
    "zero=5.0}"
)
SLEW = "deliver.drives.slew={coordinate='phi', unit='%', rated='480 rpm', gear=300}"
CYCLE = 0.05


def loaded(*settings: str):
    return load_scenario("rotary", [TROLLEY, HOIST, SLEW, *settings])


@pytest.fixture(scope="module")
def expected() -> dict[str, np.ndarray]:
    """Columns by hand from the solution at the cycle."""
    motion = solve_scenario(load_scenario("rotary", [f"solve.step={CYCLE}"])).feedforward
    (phi, s, length), (w, v, rate) = motion.q[:, :3].T, motion.v[:, :3].T
    alpha, a, second = motion.a[:, :3].T
    return {
        "time": motion.time,
        "drive_position.trolley": s,
        "drive_position.hoist": -20.0 * (length - 5.0) / (2.0 * math.pi * 0.1),
        "drive_position.slew": 300.0 * phi / (2.0 * math.pi),
        "drive_speed.trolley": 60.0 * v,
        "drive_speed.hoist": -20.0 * rate / 0.1 * 60.0 / (2.0 * math.pi),
        # one turn of the jib in a minute is 300 rpm of 480, 62.5 %
        "drive_speed.slew": w / (2.0 * math.pi / 60.0) * 62.5,
        "drive_acceleration.trolley": 60.0 * a,
        "drive_acceleration.hoist": -20.0 * second / 0.1 * 60.0 / (2.0 * math.pi),
        "drive_acceleration.slew": alpha / (2.0 * math.pi / 60.0) * 62.5,
    }


UNITS = {
    "drive_position": {"trolley": "m", "hoist": "rev", "slew": "rev"},
    "drive_speed": {"trolley": "m/min", "hoist": "rpm", "slew": "%"},
    "drive_acceleration": {"trolley": "m/min/s", "hoist": "rpm/s", "slew": "%/s"},
}
DRIVES = ("drive_position", "drive_speed", "drive_acceleration")


def written(to: str, target: Path, **wishes: object) -> Path:
    wanted = {"columns": DRIVES, "cycle": CYCLE} | wishes
    return hand_over(loaded(), Wishes(to=to, target=target, **wanted))[0]


def test_csv_has_the_drives_in_their_units(expected, tmp_path) -> None:
    file = written("csv", tmp_path / "drives.csv", units=True)
    with file.open(newline="") as text:
        titles, *rows = csv.reader(text)
    wanted = ["time [s]"]
    wanted += [
        f"{group}.{name} [{unit}]" for group in DRIVES for name, unit in UNITS[group].items()
    ]
    assert titles == wanted
    values = np.array(rows, dtype=float)
    for column, exact in zip(values.T, expected.values(), strict=True):
        assert column == pytest.approx(exact, rel=1e-12, abs=1e-9)


def test_matlab_and_modelica_have_them_too(expected, tmp_path) -> None:
    content = loadmat(written("mat", tmp_path / "drives.mat"), simplify_cells=True)
    assert content["units"]["drive_speed"] == UNITS["drive_speed"]
    for title, exact in list(expected.items())[1:]:
        group, _, name = title.partition(".")
        assert content[group][name] == pytest.approx(exact, rel=1e-12, abs=1e-9)
    text = written("modelica", tmp_path / "drives.txt").read_text()
    assert "# column 6: drive_speed.hoist [rpm]" in text
    rows = np.array([line.split() for line in text.splitlines()[-401:]], dtype=float)
    assert rows[:, 5] == pytest.approx(expected["drive_speed.hoist"], rel=1e-12, abs=1e-9)


def test_c_gives_them_between_its_times_by_exact_rates(expected, tmp_path, compile_c) -> None:
    file = written("c", tmp_path / "drives.c")
    header = file.with_suffix(".h").read_text()
    assert "drive_speed.hoist [rpm]" in header
    library = compile_c(file)
    signals = (ctypes.c_double * 9)()
    library.drives_at.argtypes = [ctypes.c_double, ctypes.POINTER(ctypes.c_double)]
    for row, time in ((0, 0.0), (100, 5.0), (400, 20.0)):
        library.drives_at(time, signals)
        exact = [column[row] for column in list(expected.values())[1:]]
        assert list(signals) == pytest.approx(exact, rel=1e-9, abs=1e-9)
    # half-way the cubic is off by h^4 / 384 of the fourth derivative: rates in other units than
    # their values would be off by whole speeds
    fine = solve_scenario(load_scenario("rotary", ["solve.step=0.025"])).feedforward
    library.drives_at(5.025, signals)
    assert signals[0] == pytest.approx(fine.q[201, 1], abs=1e-8)
    assert signals[3] == pytest.approx(60.0 * fine.v[201, 1], abs=1e-6)


def test_structured_text_names_their_units(tmp_path) -> None:
    text = written("st", tmp_path / "drives.st").read_text()
    assert "drive_speed.slew [%]: of the drive, phi" in text
    assert "drive_position.hoist [rev]" in text


def test_they_come_with_the_other_columns_where_none_are_named(tmp_path) -> None:
    file = written("csv", tmp_path / "all.csv", columns=None)
    titles = file.read_text().splitlines()[0].split(",")
    assert {"u.M_b", "q.s", "drive_speed.trolley", "drive_acceleration.slew"} <= set(titles)
    file = hand_over(load_scenario("rotary"), Wishes(to="csv", target=tmp_path / "none.csv"))[0]
    assert "drive" not in file.read_text().splitlines()[0]


def test_limits_in_the_drive_s_unit_are_judged_as_those_of_its_coordinate() -> None:
    fastest = np.abs(solve_scenario(load_scenario("rotary")).feedforward.v[:, 1]).max()
    most = 60.0 * fastest
    table = "deliver.drives.trolley={{coordinate='s', unit='m/min', {}}}"

    def verdict(group: str, text: str, *more: str):
        scenario = load_scenario("rotary", [table.format(text), *more])
        found = {one.name: one for one in check_scenario(scenario).verdicts}
        return found[f"{group}.s"]

    assert verdict("v", f"speed={1.01 * most}").passed
    failed = verdict("v", f"speed={0.99 * most}")
    assert failed.status == "failed"
    assert failed.limit == pytest.approx(0.99 * fastest)
    assert verdict("a", "acceleration=6.0").limit == pytest.approx(0.1)
    assert verdict("jerk", "jerk=3.0").limit == pytest.approx(0.05)
    # the tighter of two holds
    assert verdict("v", "speed=6.0", "limits.v.s=0.05").limit == pytest.approx(0.05)
    assert verdict("v", "speed=6.0", "limits.v.s=5.0").limit == pytest.approx(0.1)


def test_what_breaks_a_drive_s_limit_is_not_handed_over(tmp_path) -> None:
    scenario = loaded("deliver.drives.trolley.speed=1.0")
    with pytest.raises(InputError, match=r"violates its limits: v\.s"):
        hand_over(scenario, Wishes(to="csv", target=tmp_path / "fast.csv"))


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ("coordinate='t'", "unknown coordinate in deliver.drives.d 't'"),
        ("coordinate='s', unit='rpm'", "needs radius"),
        ("coordinate='s', unit='rpm', radius='R'", "unknown parameter in deliver.drives.d.radius"),
        ("coordinate='s', unit='rpm', radius=0.0", "radius must be a positive number"),
        ("coordinate='s', radius=0.1", "radius is for a coordinate in m and a unit of turning"),
        ("coordinate='phi'", "is an angle; choose the unit from rad/s, deg/s, rpm"),
        ("coordinate='s', unit='%'", "needs rated, the speed that is 100 %"),
        ("coordinate='s', unit='%', rated='63'", "needs rated, the speed that is 100 %"),
        ("coordinate='s', unit='%', rated='x m/min'", "rated must begin with a positive number"),
        ("coordinate='s', rated='63 m/min'", "rated is for unit = '%'"),
        ("coordinate='s', unit='mph'", "deliver.drives.d.unit"),
        ("coordinate='s', gear=0", "deliver.drives.d.gear must be a positive number"),
    ],
)
def test_drives_that_do_not_fit_are_refused_in_a_sentence(entries, message) -> None:
    with pytest.raises(InputError) as refused:
        load_scenario("rotary", [f"deliver.drives.d={{{entries}}}"])
    assert message in str(refused.value)


def test_name_that_is_no_column_is_refused() -> None:
    with pytest.raises(InputError, match="letters, digits and underscores"):
        load_scenario("rotary", ["deliver.drives.'my drive'={coordinate='s'}"])
