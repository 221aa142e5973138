"""The main job: resumed after a kill, repeated when a file has changed, one verdict everywhere."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from cranebridge.errors import InputError
from cranebridge.inverse.index1 import solution
from cranebridge.job import run_scenario, verify_scenario, verifying
from cranebridge.plant.containment.measures import MEASURES
from cranebridge.plant.export.fmu_export import cached_fmu
from cranebridge.plant.sandbox import host, spare
from cranebridge.plant.sandbox.child_process import ContainmentWarning, Sandbox
from cranebridge.scenario import load_scenario

# What differs from run to run: times that were taken.
TIMES = re.compile(r'"seconds": [^,\n]+')


def contents(folder: Path) -> dict[str, str]:
    """Return the files of a result without times, hashes of files that contain times, and page."""
    found = {}
    for file in sorted(folder.iterdir()):
        text = file.read_text(encoding="utf-8")
        if file.name == "manifest.json":
            text = "\n".join(json.loads(text)["files"])
        found[file.name] = TIMES.sub("", text)
    return found


def interrupted(folder: Path, scenario, stage: str = "verify") -> None:
    def stop(reached: str) -> None:
        if reached == stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_scenario(scenario, folder, report_stage=stop)


def test_interrupted_run_goes_on_with_its_certificate(tmp_path) -> None:
    scenario, folder = load_scenario("overhead"), tmp_path / "result"
    interrupted(folder, scenario)
    stages: list[str] = []
    verified = run_scenario(scenario, folder, report_stage=stages.append)
    assert "certify" not in stages
    assert verified.exit_code == 0
    run_scenario(scenario, tmp_path / "whole")
    assert contents(folder) == contents(tmp_path / "whole")


def test_interrupted_run_of_another_scenario_is_not_resumed(tmp_path) -> None:
    folder = tmp_path / "result"
    interrupted(folder, load_scenario("overhead"))
    other = load_scenario("overhead", ["crane.m=90"])
    with pytest.raises(InputError, match="interrupted run of another scenario"):
        run_scenario(other, folder)
    stages: list[str] = []
    run_scenario(other, folder, force=True, report_stage=stages.append)
    assert "certify" in stages


def test_killed_at_any_moment_and_resumed_it_gives_the_same_files(tmp_path) -> None:
    command = [sys.executable, "-m", "cranebridge", "run", "overhead", "-o"]
    whole = tmp_path / "whole"
    subprocess.run([*command, str(whole)], check=True, capture_output=True)
    expected = contents(whole)
    rng = random.Random(1)
    for number in range(4):
        folder = tmp_path / f"killed{number}"
        process = subprocess.Popen(
            [*command, str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            # a run takes about 1.2 s on a quiet machine; one moment in each quarter of 2 s
            process.wait(0.5 * (number + rng.random()))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        done = subprocess.run([*command, str(folder)], capture_output=True, text=True)
        assert done.returncode == 0 or "exists; choose another" in done.stderr  # it had ended
        assert contents(folder) == expected


def test_swapped_fmu_repeats_the_certificate(tmp_path) -> None:
    fmu = tmp_path / "plant.fmu"
    fmu.write_bytes(cached_fmu("OverheadCrane").read_bytes())
    scenario = load_scenario("overhead", [f"plant.fmu='{fmu}'"])
    folder = tmp_path / "result"
    interrupted(folder, scenario)
    fmu.write_bytes(cached_fmu("OverheadCraneReal").read_bytes())
    verified = run_scenario(scenario, folder)
    assert verified.certificate is not None
    assert verified.certificate.status == "different"
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["certificate"]["fmu_sha256"] == summary["plant"]["sha256"]


def test_the_summary_says_how_the_plant_was_contained(tmp_path) -> None:
    for mode in ("auto", "off"):
        scenario = load_scenario("overhead", [f"plant.contain='{mode}'", "plant.certify=false"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ContainmentWarning)
            run_scenario(scenario, tmp_path / mode)
        summary = json.loads((tmp_path / mode / "summary.json").read_text())
        assert summary["plant"]["backend"] == "own"
        found = summary["plant"]["containment"]
        assert found["mode"] == mode
        assert sorted(found["enforced"] + found["missing"]) == sorted(MEASURES)
        assert ("network" in found["missing"]) >= (mode == "off")
        loud = "NOT contained" in (tmp_path / mode / "report.html").read_text()
        assert loud == (mode == "off")


def test_fmu_swapped_between_key_and_certificate_is_noticed(tmp_path, monkeypatch) -> None:
    # The key alone does not protect: a certificate is of one file, and its hash is compared.
    fmu = tmp_path / "plant.fmu"
    fmu.write_bytes(cached_fmu("OverheadCrane").read_bytes())
    scenario = load_scenario("overhead", [f"plant.fmu='{fmu}'", "limits.tracking=9"])
    right = verify_scenario(scenario)
    fmu.write_bytes(cached_fmu("OverheadCraneReal").read_bytes())
    again = verify_scenario(scenario, known=right.certificate)
    assert again.certificate is not None
    assert again.certificate.status == "different"


def test_edited_crane_file_modelica_and_scenario_repeat_the_work(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    crane = tmp_path / "mine.py"
    crane.write_text(
        "from cranebridge.twin.cranes.overhead import OverheadCrane\n\n\n"
        "class Mine(OverheadCrane):\n    name = 'mine'\n"
    )
    library = Path(__file__).parents[2] / "modelica" / "Cranes" / "OverheadCrane.mo"
    text = library.read_text().replace("within Cranes;\n", "").replace("extends Icons.Crane;", "")
    text = text.replace("extends Interfaces", "extends Cranes.Interfaces")
    text = text.replace(" Interfaces.ForceInput", " Cranes.Interfaces.ForceInput")
    model = tmp_path / "OverheadCrane.mo"
    model.write_text(re.sub(r"Types\.\w+", "Real", text))
    content = Path("s.toml")
    content.write_text(
        '[crane]\nmodel = "mine.py:Mine"\n[path]\nkind = "line"\nstart = [0.0, -4.0]\n'
        'goal = [5.0, -1.0]\nduration = 3.0\n[plant]\nmodel = "OverheadCrane.mo:OverheadCrane"\n'
    )
    for file in (crane, model, content):
        folder = tmp_path / f"result-{file.stem}"
        interrupted(folder, load_scenario("s.toml"))
        file.write_text(file.read_text() + ("\n" if file.suffix == ".mo" else "\n# changed\n"))
        stages: list[str] = []
        run_scenario(load_scenario("s.toml"), folder, report_stage=stages.append)
        assert "certify" in stages


def test_report_summary_and_exit_code_say_the_same(run, tmp_path) -> None:
    folder = tmp_path / "r"
    settings = ("--set", "plant.model=OverheadCraneReal", "--set", "limits.tracking=1")
    code, text, _ = run("run", "overhead", "-o", str(folder), *settings)
    assert code == 1
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["status"] == "failed"
    assert summary["certificate"]["status"] == "different"
    failed = [verdict for verdict in summary["verdicts"] if not verdict["passed"]]
    assert [verdict["name"] for verdict in failed] == ["certificate"]
    assert "FAILED" in text
    page = (folder / "report.html").read_text()
    header = page[page.index("<header") : page.index("</header>")]
    assert "failed" in header.lower()
    assert "passed" not in header.lower()


@pytest.mark.parametrize(
    ("name", "code"),
    [("overhead", 0), ("navy2d-safe", 0), ("navy2d", 1), ("navy3d-pulley-rough", 2)],
)
def test_exit_codes_of_ready_scenarios(name, code, run, tmp_path) -> None:
    assert run("run", name, "-o", str(tmp_path / "r"))[0] == code


def test_everything_is_done_once(tmp_path, monkeypatch) -> None:
    started: list[str] = []
    exported: list[str] = []
    grids: list[tuple[float, ...]] = []
    solve, export = solution.solve_nodes, verifying.cached_fmu
    # an FMU that is made anew is run once more for its own reference result
    verifying.certify_scenario(load_scenario("rotary"))

    class Counted(Sandbox):
        def __init__(self, *arguments, **options) -> None:
            started.append("child")
            super().__init__(*arguments, **options)

    def on_grid(problem, solver, nodes, guess):
        grids.append(tuple(nodes.time.tolist()))
        return solve(problem, solver, nodes, guess)

    def to_fmu(model: str, **options):
        exported.append(model)
        return export(model, **options)

    monkeypatch.setattr(solution, "solve_nodes", on_grid)
    monkeypatch.setattr(verifying, "cached_fmu", to_fmu)
    for module in (spare, host):
        monkeypatch.setattr(module, "Sandbox", Counted)
    spare.prepare()  # as the command line does
    run_scenario(load_scenario("rotary"), tmp_path / "r")
    assert started == ["child"]
    assert exported == ["RotaryCrane"]
    several = [grid for grid in grids if len(grid) > 1]
    assert len(several) == len(set(several))  # no grid twice
    assert len(several) <= 3  # the solution, around its extremes, half the step
