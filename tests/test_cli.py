"""The command line as a new user meets it, with right and with wrong input."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cranebridge import __version__
from cranebridge.scenario import ready_scenarios
from cranebridge.twin import CRANES

EXAMPLES = Path(__file__).parents[1] / "examples"
MODELICA = Path(__file__).parent / "data" / "modelica"


def test_list_shows_all_cranes_and_scenarios(run) -> None:
    code, text, _ = run("list")
    assert code == 0
    for name in (*CRANES, *ready_scenarios()):
        assert name in text
    code, text, _ = run("list", "--json")
    assert set(json.loads(text)["cranes"]) == set(CRANES)


def test_version_comes_from_one_place(run) -> None:
    assert run("--version")[1].strip() == f"cranebridge {__version__}"


@pytest.mark.parametrize("crane", sorted(CRANES))
def test_init_writes_a_scenario_that_checks_without_a_problem(crane, run, tmp_path) -> None:
    file = tmp_path / "mine.toml"
    assert run("init", crane, "-o", str(file))[0] == 0
    text = file.read_text()
    for parameter in CRANES[crane].parameters:
        assert f"{parameter.unit}, {parameter.meaning}" in text
    assert run("check", str(file))[0] == 0


def test_check_of_a_crane_file_shows_equations_structure_and_what_next(run) -> None:
    code, text, _ = run("check", str(EXAMPLES / "hook_path.py:HookPath"))
    assert code == 0
    for part in (
        "hook-path: overhead crane with a double pendulum",
        "lambda_sling  N/m   sling",
        "m_t*s'' = F_t + (x_h - s)*lambda_rope",
        "T_rope = l*lambda_rope",
        "internal dynamics of dimension 2",
        'hook_path.py:HookPath"',
    ):
        assert part in text
    code, text, _ = run("check", str(EXAMPLES / "hook_path.py"), "--json")
    found = json.loads(text)
    assert found["structure"]["internal_dynamics"] == 2
    assert found["coordinates"][0] == {"name": "s", "unit": "m", "meaning": "trolley position"}
    assert found["unused_parameters"] == found["problems"] == []


def test_scenario_that_the_check_of_a_crane_shows_can_be_checked(run, tmp_path) -> None:
    model = str(EXAMPLES / "spring_trolley.py:SpringTrolley")
    scenario = json.loads(run("check", model, "--json")[1])["scenario"]
    file = tmp_path / "mine.toml"
    ends = ("start = [0.0, -4.0]", "goal = [5.0, -3.0]")
    file.write_text(
        scenario.replace("start = [0.0, 0.0]", ends[0]).replace("goal = [0.0, 0.0]", ends[1])
    )
    assert run("check", str(file))[0] == 0


def test_check_of_a_modelica_model_shows_variables_equations_and_choices(run) -> None:
    pytest.importorskip("rumoca")
    model = f"{MODELICA}/WinchCrane.mo"
    code, text, _ = run("check", model)
    assert code == 0
    for part in (
        "Torque of the hoist's motor",
        "0 = x - s - l*sin(phi)",
        "1 of 10 choices are flat",
    ):
        assert part in text
    code, text, _ = run("check", model, "--inputs", "F", "--json")
    found = json.loads(text)
    assert [one["is_control"] for one in found["inputs"]] == [True, False]
    assert found["choices"][0]["kind"] == "internal dynamics"
    assert [one["unit"] for one in found["states"]][:3] == ["m", "m", "rad"]


def test_long_equations_of_a_crane_are_cut_unless_asked_for(run, tmp_path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from cranebridge.twin.cranes.cablev import Cablev\n\n"
        "class Mine(Cablev):\n    name = 'mine'\n"
    )
    short, full = run("check", str(file))[1], run("check", str(file), "--full")[1]
    assert "more terms)" in short
    assert "--full shows all of them" in short
    assert "more terms" not in full
    assert len(full) > len(short)


def test_crane_that_no_path_decides_is_shown_and_refused(run, tmp_path) -> None:
    text = (EXAMPLES / "spring_trolley.py").read_text()
    second = '        Quantity("z", "m", "load position, up"),\n    )\n    mult'
    assert second in text
    text = text.replace(second, "    )\n    mult").replace('{"x": q.x, "z": q.z}', '{"x": q.x}')
    file = tmp_path / "mine.py"
    file.write_text(text)
    code, shown, _ = run("check", f"{file}:SpringTrolley")
    assert code == 2
    assert "m_d*d'' = F_d" in shown
    assert "not solvable: crane 'spring-trolley' has 2 inputs for 1 outputs" in shown


def test_init_never_overwrites(run, tmp_path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("precious")
    code, _, message = run("init", "rotary", "-o", str(file))
    assert code == 2
    assert "exists" in message
    assert file.read_text() == "precious"


def test_solve_writes_a_folder_that_can_be_repeated(run, tmp_path) -> None:
    folder = tmp_path / "result"
    code, text, _ = run("solve", "rotary", "-o", str(folder), "--set", "crane.m=120")
    assert code == 0
    assert "passed  rope T_cable" in text
    assert {file.name for file in folder.iterdir()} == {
        "feedforward.csv",
        "manifest.json",
        "summary.json",
        "scenario.toml",
    }
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["structure"] == {
        "index": 5,
        "flat": True,
        "internal_dynamics": 0,
        "controls_determined": True,
        "lowest": True,
        "path_derivatives": {"x": 4, "y": 4, "z": 4},
        "combinations": [],
    }
    assert summary["solve"]["points"] == 2001
    assert summary["solve"]["max_residual"] < 1e-13
    assert summary["versions"]["cranebridge"] == __version__
    assert (
        tomllib.loads((folder / "scenario.toml").read_text())["crane"]["parameters"]["m"] == 120.0
    )
    again = tmp_path / "again"
    assert run("solve", str(folder / "scenario.toml"), "-o", str(again))[0] == 0
    assert (again / "feedforward.csv").read_bytes() == (folder / "feedforward.csv").read_bytes()
    with (folder / "feedforward.csv").open() as file:
        first = next(csv.DictReader(file))
    # The load at rest: the rope carries its weight, the winch torque holds it.
    assert float(first["rope.T_cable"]) == pytest.approx(120.0 * 9.81)
    assert float(first["u.M_w"]) == pytest.approx(-120.0 * 9.81 * 0.1)


def test_json_of_solve_is_the_summary(run, tmp_path) -> None:
    folder = tmp_path / "result"
    code, text, _ = run("solve", "overhead", "--json", "-o", str(folder))
    assert code == 0
    assert json.loads(text) == json.loads((folder / "summary.json").read_text())


def test_pushing_rope_is_written_and_fails_with_exit_code_1(run, tmp_path) -> None:
    folder = tmp_path / "result"
    code, text, _ = run("solve", "navy2d", "-o", str(folder))
    assert code == 1
    assert "FAILED  rope T_cable1_A would have to push" in text
    assert (folder / "feedforward.csv").is_file()
    verdicts = json.loads((folder / "summary.json").read_text())["verdicts"]
    assert [verdict["passed"] for verdict in verdicts] == [False, True, True]
    assert run("solve", "navy2d", "--set", "limits.ropes=ignore")[0] == 0


def test_check_prints_index_table_and_reasons(run) -> None:
    code, text, _ = run("check", "navy3d-pulley-rough")
    assert code == 2
    assert "index 7" in text
    assert "not solvable: the path of output x is not smooth enough" in text
    code, text, _ = run("check", "navy2d", "--json")
    assert code == 1
    result = json.loads(text)
    assert result["structure"]["index"] == 5
    assert [a["holds"] for a in result["assumptions"]] == [None, True, False]


def test_index3_on_the_index_7_crane_says_what_it_costs(run) -> None:
    arguments = ("solve", "navy3d-pulley-safe", "--method", "index3", "--step", "0.1")
    code, text, _ = run(*arguments)
    assert code == 0
    assert "one minimal extension leaves index 5" in text


@pytest.mark.parametrize("coordinates", ["redundant", "dependent", "minimal"])
def test_projection_is_a_method_of_solve(coordinates, run) -> None:
    arguments = ("--method", "projection", "--coordinates", coordinates, "--json")
    code, text, _ = run("solve", "overhead", *arguments)
    assert code == 0
    summary = json.loads(text)
    assert summary["method"] == "projection"
    assert coordinates in summary["solve"]["how"]


def test_user_crane_is_found_beside_its_scenario(run, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, text, _ = run("solve", str(EXAMPLES / "spring_trolley.toml"), "-o", "result")
    assert code == 0
    assert "index 7" in text
    # The written scenario names the crane's file absolutely, so that it works from anywhere.
    assert run("check", "result/scenario.toml")[0] == 0


def test_hook_path_is_refused_by_index_1_with_the_reason(run) -> None:
    code, _, message = run("solve", str(EXAMPLES / "hook_path.toml"), "--method", "index1")
    assert code == 2
    assert "internal dynamics of dimension 2" in message


def not_toml(folder: Path) -> str:
    file = folder / "broken.toml"
    file.write_text("this is [ not toml")
    return str(file)


WRONG = {
    "unknown crane": (["init", "rotry"], "unknown crane 'rotry'. Did you mean 'rotary'?"),
    "unknown crane in a scenario": (
        ["solve", "rotary", "--set", "crane.model=overhed"],
        "unknown crane 'overhed'. Did you mean 'overhead'?",
    ),
    "unknown scenario": (["solve", "rotari"], "unknown scenario 'rotari'. Did you mean 'rotary'?"),
    "unknown table": (["solve", "rotary", "--set", "solver.step=1"], "Did you mean 'solve'?"),
    "unknown key": (["solve", "rotary", "--set", "solve.stepp=1"], "Did you mean 'step'?"),
    "unknown path key": (["solve", "rotary", "--set", "path.gaol=[1.0]"], "Did you mean 'goal'?"),
    "unknown path kind": (["solve", "rotary", "--set", "path.kind=lin"], "Did you mean 'line'?"),
    "unknown parameter": (["solve", "rotary", "--set", "crane.mt=3"], "Did you mean 'm_t'?"),
    "unknown crane class": (
        ["check", str(EXAMPLES / "hook_path.py:HookPat")],
        "Did you mean 'HookPath'? Known: HookPath.",
    ),
    "missing crane file": (["check", "nothing.py:Crane"], "does not exist or cannot be read"),
    "missing Modelica file": (["check", "nothing.mo"], "nothing.mo' does not exist"),
    "unknown Modelica class": (
        ["check", f"{MODELICA}/WinchCrane.mo:Winch"],
        "Classes in it: WinchCrane.",
    ),
    "unknown Modelica input": (
        ["check", f"{MODELICA}/WinchCrane.mo", "--inputs", "F,N"],
        "'N'. Known: F, M.",
    ),
    "inputs of a scenario": (["check", "rotary", "--inputs", "F"], "FILE.mo:Class"),
    "template of a Modelica crane": (
        ["init", "WinchCrane.mo"],
        "check WinchCrane.mo prints a scenario",
    ),
    "setting of a crane file": (
        ["check", str(EXAMPLES / "hook_path.py:HookPath"), "--set", "crane.m=1"],
        "--shortest, --set and --sweep need a scenario",
    ),
    "unknown coordinate": (["check", "rotary", "--set", "crane.initial={ph=1.0}"], "'phi'?"),
    "unknown method": (["solve", "rotary", "--method", "index2"], "solve.method"),
    "wrong number of components": (
        ["solve", "rotary", "--set", "path.goal=[1.0, 2.0]"],
        "path.goal must be a list of 3 numbers",
    ),
    "negative mass": (["solve", "rotary", "--set", "crane.m=-1"], "must be positive, got -1"),
    "zero mass": (["solve", "rotary", "--set", "crane.m=0"], "must be positive, got 0"),
    "mass not a number": (["solve", "rotary", "--set", "crane.m=heavy"], "must be a number"),
    "NaN mass": (["solve", "rotary", "--set", "crane.m=nan"], "must be finite"),
    "NaN in the path": (
        ["solve", "rotary", "--set", "path.goal=[1.0, nan, -2.0]"],
        "path.goal[1] must be a finite number, got nan",
    ),
    "NaN step": (["solve", "rotary", "--step", "nan"], "solve.step must be a positive number"),
    "NaN initial state": (["solve", "rotary", "--set", "crane.initial={s=nan}"], "crane.initial"),
    "duration zero": (["solve", "rotary", "--set", "path.duration=0"], "path.duration must be"),
    "step too long": (["solve", "rotary", "--step", "30"], "longer than the path's 20 s"),
    "step too short": (["solve", "rotary", "--step", "1e-12"], "use a larger one"),
    "through the tower axis": (
        ["solve", "rotary", "--set", "path.goal=[-5.0, 0.0, -5.0]"],
        "singular near t = 10 s",
    ),
    "faster than gravity": (
        ["solve", "overhead", "--set", "path.goal=[0.0, -100.0]"],
        "falls as fast as gravity",
    ),
    "faster than gravity, sideways": (
        ["solve", "overhead", "--set", "path.goal=[3.0, -100.0]"],
        "singular near t = 0.2",
    ),
    "rough path": (["solve", "navy3d-pulley-rough"], "not smooth enough"),
    "inconsistent start": (
        ["solve", "rotary", "--set", "crane.initial={s=5.1}"],
        "equation 'constraint lambda' is violated by",
    ),
    "projection of a massless pulley": (
        ["solve", "navy2d", "--method", "projection"],
        "its mass matrix is singular",
    ),
    "energy-momentum scheme": (
        ["solve", "overhead", "--method", "energy-momentum"],
        "control forces that grow as the step shrinks",
    ),
    "no such file": (["solve", "missing.toml"], "scenario file 'missing.toml' does not exist"),
    "a folder": (["solve", "."], "is a folder"),
    "not a text file": (["solve", sys.executable], "not a text file"),
    "strange override": (["solve", "rotary", "--set", "step"], "--set takes TABLE.KEY=VALUE"),
    "no crane": (["solve", "rotary", "--set", "crane=3"], "--set takes"),
}


@pytest.mark.parametrize("case", sorted(WRONG))
def test_wrong_input_is_one_sentence_and_exit_code_2(case, run) -> None:
    arguments, expected = WRONG[case]
    code, text, message = run(*arguments)
    assert code == 2
    assert text == ""
    assert expected in message
    assert message.count("\n") == 1
    assert "Traceback" not in message


def test_file_that_is_not_toml_is_named_with_the_line(run, tmp_path) -> None:
    code, _, message = run("check", not_toml(tmp_path))
    assert code == 2
    assert "is not valid TOML" in message
    assert "line 1" in message


def test_scenario_without_a_path_is_told_so(run, tmp_path) -> None:
    file = tmp_path / "short.toml"
    file.write_text('[crane]\nmodel = "rotary"\n')
    code, _, message = run("check", str(file))
    assert code == 2
    assert "has no path; add it" in message


def test_json_error_is_json(run) -> None:
    code, text, _ = run("solve", "rotari", "--json")
    assert code == 2
    assert "unknown scenario" in json.loads(text)["error"]


def test_existing_output_is_kept_unless_forced(run, tmp_path) -> None:
    folder = tmp_path / "result"
    assert run("solve", "overhead", "-o", str(folder))[0] == 0
    before = (folder / "feedforward.csv").read_bytes()
    code, _, message = run("solve", "overhead", "-o", str(folder), "--step", "0.1")
    assert code == 2
    assert "exists" in message
    assert (folder / "feedforward.csv").read_bytes() == before
    assert run("solve", "overhead", "-o", str(folder), "--step", "0.1", "--force")[0] == 0
    assert (folder / "feedforward.csv").read_bytes() != before


def test_force_does_not_replace_a_folder_of_other_files(run, tmp_path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    code, _, message = run("solve", "overhead", "-o", str(tmp_path), "--force")
    assert code == 2
    assert "holds other files" in message
    assert (tmp_path / "thesis.txt").read_text() == "precious"


def test_output_that_cannot_be_written_is_refused_before_solving(run, tmp_path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    for target in (file, file / "below", Path("/proc/nowhere/result")):
        code, _, message = run("solve", "overhead", "-o", str(target))
        assert code == 2
        assert str(target) in message


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere")
def test_read_only_folder_is_refused(run, tmp_path) -> None:
    tmp_path.chmod(0o500)
    assert run("solve", "overhead", "-o", str(tmp_path / "result"))[0] == 2


def test_failed_solution_leaves_nothing_behind(run, tmp_path) -> None:
    folder = tmp_path / "result"
    goal = "path.goal=[-5.0, 0.0, -5.0]"
    assert run("solve", "rotary", "-o", str(folder), "--set", goal)[0] == 2
    assert list(tmp_path.iterdir()) == []


def test_installed_command_runs() -> None:
    command = Path(sys.executable).with_name("cranebridge")
    done = subprocess.run([command, "solve", "nonsense"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("error: unknown scenario")
