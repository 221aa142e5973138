"""Learned controls read back in every format, by the format's own reader, with a crane and without.

Nothing is learned here: `learned.csv` is written by hand, so that what comes back is known.
"""

from __future__ import annotations

import copy
import ctypes
import hashlib
import json
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w
from scipy.io import loadmat
from typer.testing import CliRunner

import cranebridge
from cranebridge.cli import app
from cranebridge.deliver.delivery import _of_delivered_controls
from cranebridge.deliver.provenance import is_unchanged
from cranebridge.errors import InputError
from cranebridge.job.delivering import hand_over
from cranebridge.job.folder import JobKey, open_folder
from cranebridge.job.learning.black_box_delivering import hand_over_learned
from cranebridge.job.learning.learned_controls import require_same_task
from cranebridge.job.ordering import Wishes
from cranebridge.job.solving import solve_scenario
from cranebridge.learn.trials.recorded_controls import on_record, with_inputs
from cranebridge.numerics import write_columns
from cranebridge.scenario.black_box_scenario import read_black_box

sys.path.append(str(Path(__file__).parents[1] / "plant"))
from feedforward_driver import Driver
from fmpy.validation import validate_fmu
from foreign import compile_library
from plant_models import pendulum

from c_programs import export_quickly
from structured_text import Machine

TABLES = ("csv", "modelica", "mat4", "mat", "parquet")


def read_table(to: str, file: Path, names: tuple[str, ...]) -> np.ndarray:
    """Return time and columns of a delivered table."""
    if to == "csv":
        table = np.genfromtxt(file, delimiter=",", names=True, deletechars="")
        return np.column_stack([table[name] for name in ("time", *names)])
    if to == "modelica":
        text = file.read_text()
        numbers = [int(line.split()[2][:-1]) for line in text.splitlines() if "# column" in line]
        titles = [line.split()[3] for line in text.splitlines() if "# column" in line]
        assert text.startswith("#1\n")
        rows = text[text.index("double ") :].partition("\n")[2]
        table = np.array([line.split() for line in rows.splitlines()], dtype=float)
        return table[:, [numbers[titles.index(name)] - 1 for name in ("time", *names)]]
    if to == "mat4":
        found = loadmat(file)
        titles = [title.strip() for title in found["columns"]]
        return found["feedforward"][:, [titles.index(name) for name in ("time", *names)]]
    if to == "mat":
        found = loadmat(file, simplify_cells=True)
        return np.column_stack([found["time"], *(found["u"][n.split(".")[-1]] for n in names)])
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(file)
    return np.column_stack([table[name].to_numpy() for name in ("time", *names)])


def code_at(to: str, file: Path, names: tuple[str, ...], folder: Path) -> Callable[[float], list]:
    """Return delivered code as a function of time."""
    if to == "st":
        block = Machine(file.read_text(), folder)
        block.call(Enable=False)

        def by_block(t: float) -> list[float]:
            block.call(Enable=True, PathTime=t)
            return [block[name.replace(".", "_")] for name in names]

        return by_block
    if to == "c":
        compile_library([file], folder / "played.so")
        at = ctypes.CDLL(str(folder / "played.so")).played_at
        values = (ctypes.c_double * len(names))()

        def by_code(t: float) -> list[float]:
            at(ctypes.c_double(t), values)
            return list(values)

        return by_code
    assert validate_fmu(str(file)) == []
    driver = Driver(file, folder / "content", "cs")
    own = [name.removeprefix("u.") for name in names]

    def by_fmu(t: float) -> list[float]:
        driver.go(t)
        return list(driver.get(own))

    return by_fmu


# ---------------------------------------------------------------------------- with a crane

CRANE = ("u.F_t", "u.M_w")


@pytest.fixture(scope="module")
def crane(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, np.ndarray, np.ndarray]:
    folder = tmp_path_factory.mktemp("learned") / "out"
    base = on_record(solve_scenario(cranebridge.load("overhead")).feedforward, 0.02, 0.0, 0.5)
    change = np.random.default_rng(5).standard_normal(base.u.shape)
    columns = {"time": base.time, "u.F_t": base.u[:, 0] + change[:, 0]}
    columns |= {"u.M_w": base.u[:, 1] + change[:, 1]}
    columns |= {"gamma.x": base.gamma[:, 0], "gamma.z": base.gamma[:, 1]}
    written(folder, cranebridge.load("overhead").complete(), columns)
    return folder, base.time, base.u + change


def written(
    folder: Path,
    task: dict[str, Any],
    columns: dict[str, np.ndarray],
    made_from: dict[str, str] | None = None,
) -> None:
    """Write a folder as `learn` leaves it, as far as a delivery looks at it."""
    with open_folder(folder, JobKey("task", "made from")) as results:
        results.write("learned.csv", lambda file: write_columns(file, columns.items()))
        results.write("scenario.toml", lambda file: file.write(tomli_w.dumps(task)))
        results.write_json("summary.json", {"learn": {"made_from": made_from or {}}})
        results.finish()


def test_learned_controls_that_were_changed_since_are_refused(crane, tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(crane[0], folder)
    wishes = Wishes("csv", tmp_path / "t.csv", learned=folder, allow_violations=True)
    table = folder / "learned.csv"
    content = table.read_text()
    first = content.splitlines()[1]
    # a digit of a control in the first row; the path is the same
    table.write_text(content.replace(first, first.replace(first.split(",")[1], "123.0"), 1))
    with pytest.raises(InputError, match=r"learned.csv' is not what `cranebridge learn` wrote"):
        hand_over(cranebridge.load("overhead"), wishes)
    table.write_text(content)
    (folder / "manifest.json").unlink()
    with pytest.raises(InputError, match=r"changed' is no finished result of `cranebridge learn`"):
        hand_over(cranebridge.load("overhead"), wishes)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("crane.m=101.0", r"crane.parameters.m is 100.0 there and 101.0 here"),
        (
            "plant.parameters.m=101.0",
            r"plant.parameters is not given there and \{'m': 101.0\} here",
        ),
        ("plant.model=OverheadCraneReal", r"plant.model is OverheadCrane there and"),
        ("limits.u.F_t=1e6", r"limits.u is not given there and \{'F_t': 1000000.0\} here"),
        ("limits.tracking=0.5", r"limits.tracking is .* there and 0.5 here"),
        ("disturbance=[{on='load.x',kind='step',value=1.0,from=1.0}]", r"disturbance is"),
    ],
)
def test_learned_controls_of_another_task_are_refused(crane, setting, words, tmp_path) -> None:
    """The path is the same in all of them."""
    wishes = Wishes("csv", tmp_path / "t.csv", learned=crane[0], allow_violations=True)
    with pytest.raises(InputError, match=rf"for another task than .*\({words}.*or learn with this"):
        hand_over(cranebridge.load("overhead", [setting]), wishes)
    assert not (tmp_path / "t.csv").exists()


EVERYTHING: dict[str, Any] = {
    "crane": {"model": "overhead", "parameters": {"m": 1.0}, "initial": {"s": 0.5}},
    "plant": {
        "model": "OverheadCrane",
        "fmu": "crane.fmu",
        "parameters": {"m": 1.0},
        "start": {"q": {"x": 0.5}},
        "map": {"units": {"s": "mm"}},
        "speed": {"F_t": {"kp": 1.0}},
        "drives": {"F_t": {"kp": 1.0}},
    },
    "control": {"drives": {"F_t": {"kp": 1.0}}},
    "limits": {"u": {"F_t": 9.0}, "q": {"s": 9.0}, "tracking": 0.5, "swing": 0.5},
    "obstacles": [{"kind": "box", "low": [8.0, -9.0], "high": [9.0, 0.0]}],
    "disturbance": [{"on": "load.x", "kind": "constant", "value": 1.0}],
}
"""All that decides what controls do, and what they may do."""
PARTS = [
    (table, *key)
    for table, entries in EVERYTHING.items()
    for key in (((k,) for k in entries) if isinstance(entries, dict) else ((),))
]


@pytest.mark.parametrize("part", PARTS, ids=".".join)
@pytest.mark.parametrize("less", ["then", "now"])
def test_controls_that_were_learned_without_a_part_of_the_task_are_refused(
    less: str, part: tuple[str, ...], tmp_path: Path
) -> None:
    without = copy.deepcopy(EVERYTHING)
    del (without[part[0]] if part[1:] else without)[part[-1]]
    then, now = (without, EVERYTHING) if less == "then" else (EVERYTHING, without)
    written(tmp_path / "out", then, {"time": np.arange(2.0)})
    require_same_task(tmp_path / "out", then, {})
    with pytest.raises(InputError, match=rf"for another task .*\({re.escape('.'.join(part))} is "):
        require_same_task(tmp_path / "out", now, {})


def test_how_a_delivery_is_made_is_no_part_of_the_task(tmp_path: Path) -> None:
    """Loops of the drives are sampled for an SSP, and a run may be simulated more finely."""
    task: dict[str, Any] = {"crane": {"model": "overhead"}, "plant": {"model": "OverheadCrane"}}
    written(tmp_path / "out", task, {"time": np.arange(2.0)})
    task["control"] = {"kind": "drives", "cycle": 0.001}
    task["plant"] = {**task["plant"], "tolerance": 1e-8, "settle": 3.0}
    require_same_task(tmp_path / "out", task, {})


def test_learned_controls_of_a_crane_whose_file_was_changed_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from cranebridge.twin.cranes.overhead import OverheadCrane\n\n\n"
        "class Mine(OverheadCrane):\n    name = 'mine'\n"
    )
    content = tomli_w.dumps(cranebridge.load("overhead").complete())
    scenario = tmp_path / "mine.toml"
    scenario.write_text(content.replace('model = "overhead"', 'model = "mine.py:Mine"', 1))
    loaded = cranebridge.load(str(scenario))
    base = on_record(solve_scenario(loaded).feedforward, 0.02, 0.0, 0.5)
    columns = {"time": base.time, "u.F_t": base.u[:, 0], "u.M_w": base.u[:, 1]}
    columns |= {"gamma.x": base.gamma[:, 0], "gamma.z": base.gamma[:, 1]}
    made = {"mine.py": hashlib.sha256((tmp_path / "mine.py").read_bytes()).hexdigest()}
    written(tmp_path / "out", loaded.complete(), columns, made)
    wishes = Wishes("csv", tmp_path / "t.csv", learned=tmp_path / "out")
    hand_over(loaded, wishes)
    with (tmp_path / "mine.py").open("a") as file:
        file.write("    description = 'another one'\n")
    with pytest.raises(InputError, match=r"another task .*\('mine.py' was changed since\)"):
        hand_over(cranebridge.load(str(scenario)), replace(wishes, overwrite=True))


def test_limits_of_controls_are_judged_between_their_samples(tmp_path: Path) -> None:
    """Two equal samples with a cubic between them: its top is above both.

    Between two samples U of slopes s and -s at a distance h the cubic is U + s h/4 in the middle;
    differences of 100, U, U, 100 give s = (U - 100)/(2 h), so that the top is U + (U - 100)/8.
    """
    scenario = cranebridge.load("overhead", ["limits.u.F_t=1000.0"])
    base = on_record(solve_scenario(scenario).feedforward, 0.02, 0.0, 0.5)
    force = np.full(base.time.size, 100.0)
    force[40:42] = 940.0
    columns = {"time": base.time, "u.F_t": force, "u.M_w": base.u[:, 1]}
    columns |= {"gamma.x": base.gamma[:, 0], "gamma.z": base.gamma[:, 1]}
    written(tmp_path / "out", scenario.complete(), columns)
    wishes = Wishes("c", tmp_path / "played.c", 0.02, ("u",), learned=tmp_path / "out")
    top = 940.0 + 840.0 / 8.0
    with pytest.raises(InputError, match=r"the feedforward violates its limits: u.F_t"):
        hand_over(scenario, wishes)
    controls = with_inputs(base, np.column_stack([force, base.u[:, 1]]))
    (found,) = _of_delivered_controls(controls, scenario.limits, 0.02)
    assert (found.status, found.value) == ("failed", pytest.approx(top, rel=1e-9))
    hand_over(scenario, replace(wishes, allow_violations=True))
    assert code_at("c", tmp_path / "played.c", CRANE, tmp_path)(0.81)[0] == pytest.approx(top)


def test_limits_of_controls_are_judged_in_the_cycle_of_the_delivery(tmp_path: Path) -> None:
    """Samples of a cycle twice as long: the cubic between them leaves those that are in between.

    At the first of three samples 900, 890, 900 the slope is that from 100 before it to 890 after
    it, 790 N in 0.04 s, and its opposite at the last. The cubic over 0.04 s is 900 + 790/4 in its
    middle; what goes through all samples stays below 1050.
    """
    scenario = cranebridge.load("overhead", ["limits.u.F_t=1050.0"])
    base = on_record(solve_scenario(scenario).feedforward, 0.02, 0.0, 0.5)
    force = np.full(base.time.size, 100.0)
    force[40:43] = 900.0, 890.0, 900.0
    columns = {"time": base.time, "u.F_t": force, "u.M_w": base.u[:, 1]}
    columns |= {"gamma.x": base.gamma[:, 0], "gamma.z": base.gamma[:, 1]}
    written(tmp_path / "out", scenario.complete(), columns)
    wishes = Wishes("c", tmp_path / "played.c", 0.02, ("u",), learned=tmp_path / "out")
    hand_over(scenario, wishes)
    assert code_at("c", tmp_path / "played.c", CRANE, tmp_path)(0.81)[0] < 1000.0  # 958.5
    slow = replace(wishes, cycle=0.04, overwrite=True)
    with pytest.raises(InputError, match=r"u\.F_t as delivered is 1097\.5 N at t = 0\.82 s"):
        hand_over(scenario, slow)
    hand_over(scenario, replace(slow, allow_violations=True))
    (tmp_path / "slow").mkdir()
    at = code_at("c", tmp_path / "played.c", CRANE, tmp_path / "slow")
    assert at(0.82)[0] == pytest.approx(1097.5)


@pytest.mark.parametrize("to", TABLES)
def test_learned_controls_of_a_crane_are_in_tables(crane, to: str, tmp_path: Path) -> None:
    folder, time, inputs = crane
    wishes = Wishes(to, tmp_path / "t", 0.02, columns=("u",), learned=folder)
    files = hand_over(cranebridge.load("overhead"), replace(wishes, allow_violations=True))
    table = read_table(to, files[0], CRANE)
    assert table == pytest.approx(np.column_stack([time, inputs]), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("to", ["c", "st", "fmu"])
def test_learned_controls_of_a_crane_are_in_code(crane, to: str, tmp_path: Path) -> None:
    folder, time, inputs = crane
    file = tmp_path / f"played.{to}"
    columns = None if to == "fmu" else ("u",)
    wishes = Wishes(to, file, 0.02, columns, allow_violations=True, learned=folder)
    hand_over(cranebridge.load("overhead"), wishes)
    at = code_at(to, file, CRANE, tmp_path)
    for row in (3, 40, 100, len(time) - 1):
        assert at(float(time[row])) == pytest.approx(inputs[row].tolist(), rel=1e-9)


# ---------------------------------------------------------------------------- without one

TIME = -0.1 + 0.02 * np.arange(60)
TORQUE = np.random.default_rng(6).standard_normal(60)
TOML = """
[plant]
fmu = "pendulum.fmu"
[learn]
inputs = ["tau"]
outputs = ["phi"]
target = "target.csv"
[limits]
u = { tau = 10.0 }
"""


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a scenario without a crane and what was learned for it."""
    folder = tmp_path_factory.mktemp("alone")
    export_quickly(pendulum(), folder / "pendulum.fmu")
    (folder / "pendulum.toml").write_text(TOML)
    target = {"time": TIME, "phi": np.sin(TIME)}
    with (folder / "target.csv").open("w") as file:
        write_columns(file, target.items())
    learned = {"time": TIME, "u.tau": TORQUE, "gamma.phi": np.sin(TIME)}
    scenario = read_black_box(str(folder / "pendulum.toml"))
    assert scenario is not None
    written(folder / "out", scenario.complete(), learned)
    return folder


def handed_over(alone: Path, wishes: Wishes, *settings: str) -> list[Path]:
    wishes = replace(wishes, learned=alone / "out")
    found = hand_over_learned(str(alone / "pendulum.toml"), settings, wishes)
    assert found is not None
    return found


@pytest.mark.parametrize("to", TABLES)
def test_learned_inputs_of_an_fmu_are_in_tables_by_its_names(alone, to, tmp_path) -> None:
    files = handed_over(alone, Wishes(to, tmp_path / "t"))
    table = read_table(to, files[0], ("tau",))
    assert table == pytest.approx(np.column_stack([TIME, TORQUE]), rel=1e-12, abs=1e-12)
    assert is_unchanged(files[0])
    # a finer cycle: straight lines, as in the trials
    fine = handed_over(alone, Wishes(to, tmp_path / "u", 0.005))
    table = read_table(to, fine[0], ("tau",))
    assert table[:, 1] == pytest.approx(np.interp(table[:, 0], TIME, TORQUE), abs=1e-12)


@pytest.mark.parametrize("to", ["c", "st", "fmu"])
def test_learned_inputs_of_an_fmu_are_straight_lines_in_code(alone, to, tmp_path) -> None:
    file = tmp_path / f"played.{to}"
    handed_over(alone, Wishes(to, file))
    assert is_unchanged(file)
    at = code_at(to, file, ("tau",), tmp_path)
    begin = TIME[0] if to == "fmu" else 0.0  # its clock begins with the first row
    for t in (-0.1, -0.093, 0.5, 0.513, 1.07, 1.0799):
        assert at(t - begin)[0] == pytest.approx(np.interp(t, TIME, TORQUE), abs=1e-9)


def test_command_hands_learned_inputs_over(alone, tmp_path: Path) -> None:
    arguments = ["deliver", str(alone / "pendulum.toml"), "--to", "csv", "--json"]
    arguments += ["-o", str(tmp_path / "u.csv"), "--learned", str(alone / "out")]
    done = CliRunner().invoke(app, arguments)
    assert json.loads(done.stdout)["files"][0] == str(tmp_path / "u.csv")
    assert read_table("csv", tmp_path / "u.csv", ("tau",))[:, 1] == pytest.approx(TORQUE)
    assert json.loads((tmp_path / "u.csv.json").read_text())["plant"] == "pendulum.fmu"


@pytest.mark.parametrize(
    ("wishes", "settings", "words"),
    [
        (
            Wishes("ssp"),
            (),
            r"'ssp' connects a crane's feedforward .* no \[crane\]; take .*fmu",
        ),
        (Wishes("generator"), (), r"'generator' plans motions of a crane on line"),
        (Wishes("cvs"), (), r"'cvs'. Did you mean 'csv'"),
        (Wishes("csv", columns=("tua",)), (), r"unknown column 'tua'. Did you mean 'tau'"),
        (Wishes("csv", duration=3.0), (), r"--duration scales a path"),
        (Wishes("csv"), ("limits.u.tau=0.5",), r"another task .*u.tau is 10.0 there and 0.5 here"),
        (Wishes("csv"), ("plant.parameters.m=2.0",), r"another task .*plant.parameters is not"),
        (Wishes("csv"), ("learn.target=other.csv",), r"were learned for another target than"),
    ],
)
def test_wrong_wishes_without_a_crane_are_refused(alone, wishes, settings, words, tmp_path) -> None:
    with (alone / "other.csv").open("w") as file:
        write_columns(file, {"time": TIME, "phi": np.cos(TIME)}.items())
    with pytest.raises(InputError, match=words):
        handed_over(alone, replace(wishes, target=tmp_path / "t"), *settings)


def test_learned_inputs_beyond_their_limits_are_refused(alone, tmp_path: Path) -> None:
    (alone / "tight.toml").write_text(TOML.replace("10.0", "0.5"))
    scenario = read_black_box(str(alone / "tight.toml"))
    assert scenario is not None
    columns = {"time": TIME, "u.tau": TORQUE, "gamma.phi": np.sin(TIME)}
    written(tmp_path / "out", scenario.complete(), columns)
    wishes = Wishes("csv", tmp_path / "t", learned=tmp_path / "out")
    with pytest.raises(InputError, match=r"the learned inputs violate their limits: u.tau"):
        hand_over_learned(str(alone / "tight.toml"), (), wishes)


def test_without_a_crane_there_is_nothing_but_what_was_learned(alone, tmp_path: Path) -> None:
    wishes = Wishes("csv", tmp_path / "t")
    with pytest.raises(InputError, match=r"nothing to solve: give --learned DIR"):
        hand_over_learned(str(alone / "pendulum.toml"), (), wishes)
