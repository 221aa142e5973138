"""The verbs that need a plant or hand something over, with right and with wrong input."""

from __future__ import annotations

import html
import json
import re
import tomllib
from importlib import resources
from pathlib import Path

import pytest
import tomli_w

from cranebridge.plant import BACKENDS


def test_export_writes_an_fmu_and_never_overwrites_silently(run, tmp_path) -> None:
    target = tmp_path / "crane.fmu"
    assert run("export", "OverheadCrane", "-o", str(target))[0] == 0
    assert target.read_bytes()[:2] == b"PK"
    code, _, message = run("export", "OverheadCrane", "-o", str(target))
    assert code == 2
    assert "exists" in message
    assert run("export", "OverheadCrane", "-o", str(target), "--force", "--json")[0] == 0


SYNTAX_ERROR = "model Broken\n  Real x;\nequation\n  der(x) = = 1;\nend Broken;\n"
DELAY = """model Late
  Real x(start=1);
  Real y;
equation
  der(x) = -y;
  y = delay(x, 0.1);
end Late;
"""


@pytest.mark.parametrize(
    ("name", "text", "line"), [("Broken", SYNTAX_ERROR, ":4"), ("Late", DELAY, ":6")]
)
def test_unusable_modelica_is_named_with_its_line(name, text, line, run, tmp_path) -> None:
    file = tmp_path / f"{name}.mo"
    file.write_text(text)
    code, _, message = run("export", f"{file}:{name}", "-o", str(tmp_path / "x.fmu"))
    assert code == 2
    assert f"{name}.mo{line}" in message
    assert "Traceback" not in message
    assert not (tmp_path / "x.fmu").exists()


def test_other_tool_that_ran_the_plant_is_told_with_its_weakness(run, tmp_path) -> None:
    backend = ("--set", "plant.backend=fmpy")
    code, told, _ = run("run", "two-mass", *backend, "-o", str(tmp_path / "out"))
    assert code == 0
    words = " ".join(told.split())
    assert "run by FMPy: inputs held by FMPy: their mean over each interval of 0.01 s" in words
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["plant"]["backend"] == "fmpy"
    assert summary["tracking"]["interpolation"].endswith("(order 2)")
    assert BACKENDS["fmpy"] in html.unescape((tmp_path / "out" / "report.html").read_text())


def test_user_model_is_exported_and_verified(run, tmp_path, monkeypatch) -> None:
    # A plant of the user's in other names and units: kilonewtons, millimetres, sign turned.
    monkeypatch.chdir(tmp_path)
    Path("Mine.mo").write_text(
        """model Mine "Overhead crane in units of its own"
  parameter Real mass = 100 "load mass in kg";
  parameter Real trolley = 10;
  parameter Real J = 0.1;
  parameter Real r = 0.1;
  parameter Real g = 9.81;
  parameter Real position_0 = 0;
  parameter Real rope_0 = 4;
  input Real force_kN;
  input Real torque(start = -98.1);
  output Real load_mm;
  output Real height;
  output Real tension;
  output Real s_out;
  output Real l_out;
  output Real v_s;
  output Real v_l;
  Real s(start = position_0, fixed = true);
  Real l(start = rope_0, fixed = true);
  Real a(start = 0, fixed = true);
  Real sv(start = 0, fixed = true);
  Real lv(start = 0, fixed = true);
  Real av(start = 0, fixed = true);
equation
  der(s) = sv;
  der(l) = lv;
  der(a) = av;
  trolley*der(sv) = -1000*force_kN + tension*sin(a);
  J/r^2*der(lv) = torque/r + tension;
  mass*(der(lv) + der(sv)*sin(a) - l*av^2) = mass*g*cos(a) - tension;
  l*der(av) + 2*lv*av + der(sv)*cos(a) = -g*sin(a);
  load_mm = 1000*(s + l*sin(a) + 2);
  height = -l*cos(a);
  s_out = s;
  l_out = l;
  v_s = sv;
  v_l = lv;
end Mine;
"""
    )
    Path("mine.toml").write_text(
        """[crane]
model = "overhead"
[path]
kind = "line"
start = [0.0, -4.0]
goal = [5.0, -1.0]
duration = 3.0
[plant]
model = "Mine.mo:Mine"
[plant.map.parameters]
mass = "m"
trolley = "m_t"
[plant.map.start]
position_0 = "s"
rope_0 = "l"
[plant.map.inputs]
force_kN = "-0.001*F_t"
torque = "M_w"
[plant.map.signals]
x = "0.001*load_mm - 2"
z = "height"
s = "s_out"
l = "l_out"
T_cable = "tension"
"""
    )
    code, text, error = run("verify", "mine.toml", "--json")
    assert code == 0, error
    result = json.loads(text)
    assert result["certificate"]["max_relative_difference"] < 1e-9
    assert max(result["tracking"]["max_error"].values()) < 1e-6
    # Without the map, the first thing that is missing is named.
    content = Path("mine.toml").read_text()
    Path("short.toml").write_text(content.split("[plant.map.inputs]")[0])
    code, _, message = run("certify", "short.toml")
    assert code == 2
    assert "no input for F_t, M_w" in message


def test_run_writes_everything_and_says_where_the_report_is(run, tmp_path) -> None:
    folder = tmp_path / "all"
    code, text, _ = run("run", "overhead", "-o", str(folder))
    assert code == 0
    assert f"report: {folder / 'report.html'}" in text
    assert {file.name for file in folder.iterdir()} == {
        "check.json",
        "certificate.json",
        "feedforward.csv",
        "manifest.json",
        "report.html",
        "scenario.toml",
        "summary.json",
        "tracking.csv",
    }
    summary = json.loads((folder / "summary.json").read_text())
    assert {"structure", "solve", "certificate", "tracking", "verdicts", "versions"} <= set(summary)
    assert run("run", "overhead", "-o", str(folder))[0] == 2
    header = (folder / "tracking.csv").read_text().splitlines()[0].split(",")
    assert header[:7] == ["time", "gamma.x", "gamma.z", "y.x", "y.z", "e.x", "e.z"]


@pytest.mark.parametrize(("name", "code"), [("navy2d", 1), ("navy3d-pulley-rough", 2)])
def test_run_tells_pushing_ropes_and_rough_paths_by_its_exit_code(
    name, code, run, tmp_path
) -> None:
    found, text, error = run("run", name, "-o", str(tmp_path / "x"))
    assert found == code
    assert ("would have to push" in text) if code == 1 else ("not smooth enough" in error)


def test_deliver_writes_the_files_of_a_format(run, tmp_path) -> None:
    target = tmp_path / "table.csv"
    arguments = ("deliver", "rotary", "--to", "csv", "-o", str(target), "--cycle", "0.1")
    code, text, _ = run(*arguments, "--columns", "u,gamma.z", "--json")
    assert code == 0
    assert [Path(file).name for file in json.loads(text)["files"]] == [
        "table.csv",
        "table.csv.json",
    ]
    rows = target.read_text().splitlines()
    assert rows[0] == "time,u.M_b,u.F_t,u.M_w,gamma.z"
    assert len(rows) == 202
    assert run(*arguments)[0] == 2


def test_deliver_says_that_a_controller_is_left_out(run, tmp_path) -> None:
    def deliver(name: str, *more: str) -> list[str]:
        arguments = ("deliver", "overhead", "--to", "csv", "-o", str(tmp_path / name), "--json")
        notes: list[str] = json.loads(run(*arguments, *more)[1])["notes"]
        return notes

    assert deliver("a.csv") == []
    (note,) = deliver("b.csv", "--set", "control.kind=lqr")
    assert "'lqr'" in note


def test_deliver_stretches_the_path(run, tmp_path) -> None:
    target = tmp_path / "slow.csv"
    arguments = ("deliver", "rotary", "--to", "csv", "-o", str(target), "--cycle", "1.0")
    assert run(*arguments, "--duration", "40")[0] == 0
    rows = target.read_text().splitlines()
    assert float(rows[-1].split(",")[0]) == 40.0


def test_shortest_duration_is_told_with_the_active_limit(run) -> None:
    arguments = ("check", "overhead", "--shortest", "--set", "limits.u={F_t = 600.0}")
    code, text, _ = run(*arguments, "--json")
    assert code == 0
    timing = json.loads(text)["shortest_duration"]
    assert timing["active"]["name"] == "u.F_t"
    assert timing["duration"] < 3.0
    profiles = timing["profiles"]
    assert profiles[0]["duration"] == min(found["duration"] for found in profiles)
    assert profiles[0]["duration"] < timing["duration"]


def test_keys_of_the_fastest_profile_can_be_copied(run, tmp_path) -> None:
    sets = ("--set", "limits.u={F_t = 600.0}")
    code, text, _ = run("check", "overhead", "--shortest", *sets)
    assert code == 0
    line = next(line for line in text.splitlines() if line.startswith("  path: "))
    assert "times as fast" in text
    ready = resources.files("cranebridge.scenarios").joinpath("overhead.toml").read_text("utf-8")
    content = tomllib.loads(ready)
    # one key a line, in place of the profile's keys that stand there
    pairs = re.split(r", (?=[a-z]+ = )", line.removeprefix("  path: "))
    content["path"] = {
        **{key: content["path"][key] for key in ("kind", "start", "goal")},
        **tomllib.loads("\n".join(pairs)),
    }
    copied = tmp_path / "copied.toml"
    copied.write_text(tomli_w.dumps(content))
    code, text, _ = run("check", str(copied), *sets, "--json")
    assert code == 0
    verdict = next(v for v in json.loads(text)["verdicts"] if v["name"] == "u.F_t")
    assert verdict["status"] == "passed"
    # close to the limit: that is what makes it fast
    assert verdict["margin"] < 0.01 * 600.0


def test_study_writes_its_page_and_tables(run, tmp_path) -> None:
    folder = tmp_path / "study"
    code, text, _ = run("study", "convergence", "overhead", "-o", str(folder), "--json")
    assert code == 0
    assert json.loads(text)
    assert {"study.html", "convergence.csv", "summary.json"} <= {f.name for f in folder.iterdir()}
    assert run("study", "convergence", "overhead", "-o", str(folder))[0] == 2


WRONG = {
    "unknown study": (["study", "convergnce", "rotary"], "Did you mean 'convergence'?"),
    "unknown model": (["export", "RotaryCran"], "RotaryCrane"),
    "missing file": (["export", "missing.mo:X"], "missing.mo"),
    "unknown FMI version": (["export", "RotaryCrane", "--fmi", "1"], "unknown FMI version '1'"),
    "unknown tool": (["export", "RotaryCrane", "--tool", "dymola"], "unknown tool 'dymola'"),
    "no omc": (["export", "RotaryCrane", "--tool", "omc", "-o", "x.fmu"], "omc"),
    "no folder": (["export", "RotaryCrane", "-o", "/nowhere/x.fmu"], "does not exist"),
    "unknown plant": (["verify", "rotary", "--plant", "twn"], "Did you mean 'twin'?"),
    "unknown plant model": (["verify", "rotary", "--set", "plant.model=Rotary"], "Rotary"),
    "missing FMU": (["verify", "rotary", "--set", "plant.fmu=missing.fmu"], "missing.fmu"),
    "unknown plant key": (["verify", "rotary", "--set", "plant.modle=x"], "Did you mean 'model'?"),
    "unknown map": (["certify", "rotary", "--set", "plant.map.input.x=1"], "'inputs'?"),
    "unknown format": (["deliver", "rotary", "--to", "cvs", "-o", "x"], "Did you mean 'csv'?"),
    "no format": (["deliver", "rotary", "-o", "x"], "which format?"),
    "no target": (["deliver", "rotary", "--to", "csv"], "where to?"),
    "unknown column": (
        ["deliver", "rotary", "--to", "csv", "-o", "x.csv", "--columns", "uu"],
        "uu",
    ),
    "cycle too long": (
        ["deliver", "rotary", "--to", "csv", "-o", "x.csv", "--cycle", "50"],
        "cycle",
    ),
    "pushing rope": (["deliver", "navy2d", "--to", "csv", "-o", "x.csv"], "violates its limits"),
    "unknown limit": (["solve", "rotary", "--set", "limits.u={M_bb = 1.0}"], "M_b"),
    "impossible limit": (
        ["check", "overhead", "--shortest", "--set", "limits.u={M_w = 1.0}"],
        "no duration",
    ),
}


@pytest.mark.parametrize("case", sorted(WRONG))
def test_wrong_input_is_one_sentence_and_exit_code_2(case, run, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    arguments, expected = WRONG[case]
    code, text, message = run(*arguments)
    assert code == 2
    assert expected in message
    assert "Traceback" not in message + text
    assert list(tmp_path.iterdir()) == []


def test_export_of_all_cranes_is_refused_before_anything_is_built(run, tmp_path) -> None:
    (tmp_path / "TwoMassOscillator-fmi3.fmu").touch()
    code, _, message = run("export", "--all", "-o", str(tmp_path))
    assert code == 2
    assert "TwoMassOscillator-fmi3.fmu' exists" in message
    assert [file.name for file in tmp_path.iterdir()] == ["TwoMassOscillator-fmi3.fmu"]
    for arguments in ((), ("OverheadCrane", "--all")):
        code, _, message = run("export", *arguments)
        assert code == 2
        assert "give a CRANE, or --all" in message


def test_all_cranes_are_the_models_of_the_library() -> None:
    from cranebridge.frontend.library import library_path, plant_models

    models = {
        file.stem
        for file in library_path().glob("*.mo")
        if file.read_text(encoding="utf-8").split(";", 1)[1].lstrip().startswith("model ")
    }
    assert set(plant_models()) == models
    assert all(plant_models().values())
