"""Campaigns through the job: a run is a verification, any order and number of workers, refusals."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import cranebridge
from cranebridge.campaign import RankIndex, carry_out, make_design, read_factor, serial
from cranebridge.campaign.results.indices import Index
from cranebridge.errors import InputError, SolutionError
from cranebridge.job.campaign.campaign_result import CampaignResult
from cranebridge.job.campaign.campaigning import _worst, campaign_design, campaign_into
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import verify_scenario
from cranebridge.scenario import load_scenario
from cranebridge.scenario.variation import Variation
from cranebridge.terminal.many_runs import show_campaign

sys.path.append(str(Path(__file__).parents[1] / "campaign"))
from dask_processes import Processes, make_certificates

SHORT = ("campaign.budget=0", "campaign.keep=1", "plant.certify=false")


def carried_out(
    folder: Path, *settings: str, workers: int = 1, name: str = "overhead"
) -> CampaignResult:
    scenario = cranebridge.load(name, [*SHORT, *settings])
    return campaign_into(scenario, folder, workers=workers)


@pytest.fixture(scope="module")
def swung(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, CampaignResult]:
    """A few runs with another payload and another start, everything written."""
    folder = tmp_path_factory.mktemp("campaign") / "swung"
    scenario = cranebridge.load(
        "overhead",
        [
            "campaign.runs=8",
            "campaign.design=random",
            "campaign.seed=7",
            "campaign.vary={'plant.parameters.m'={uniform=[99.0,101.0]},"
            "'plant.start.q.x'={normal=[0.0,0.01]}}",
            "campaign.budget=2",
            "campaign.keep=2",
            "limits.tracking=0.2",
        ],
    )
    return folder, campaign_into(scenario, folder, workers=2)


# ---------------------------------------------------------------------------- what a run is


def test_a_run_is_what_verify_says_of_its_scenario(swung) -> None:
    folder, campaign = swung
    number = campaign.worst[0]
    tracking = verify_scenario(load_scenario(str(folder / f"run-{number}.toml"))).tracking
    assert tracking is not None
    row = campaign.runs.row(number)
    for output, error in tracking.max_error.items():
        assert row[f"max_error.{output}"] == pytest.approx(error, rel=1e-9, abs=1e-13)
    assert row["residual_swing"] == pytest.approx(tracking.residual_swing, rel=1e-9)
    for verdict in tracking.verdicts:
        assert row[f"passed.{verdict.name}"] == verdict.passed
        assert row[f"margin.{verdict.name}"] == pytest.approx(verdict.margin, rel=1e-9)


def test_worst_run_of_the_summary_is_repeated_by_the_command_line(swung, tmp_path) -> None:
    """With the same kernel and the same steps of the plant the numbers are the same."""
    folder, campaign = swung
    summary = json.loads((folder / "summary.json").read_text())
    number = summary["campaign"]["worst"][0]["run"]
    command = [sys.executable, "-m", "cranebridge", "run", str(folder / f"run-{number}.toml")]
    done = subprocess.run([*command, "-o", str(tmp_path / "again")], capture_output=True)
    row = campaign.runs.row(number)
    assert done.returncode == (0 if row["passed"] else 1)
    again = json.loads((tmp_path / "again" / "summary.json").read_text())
    for output, error in again["tracking"]["max_error"].items():
        assert row[f"max_error.{output}"] == error
    assert row["residual_swing"] == again["tracking"]["residual_swing"]
    verdicts = {verdict["name"]: verdict for verdict in again["verdicts"]}
    judged = [name.removeprefix("margin.") for name in row if name.startswith("margin.")]
    assert len(judged) >= 3
    for name in judged:
        assert verdicts[name]["margin"] == row[f"margin.{name}"]


def test_motion_of_the_worst_runs_is_written(swung) -> None:
    folder, campaign = swung
    number = campaign.worst[0]
    table = np.genfromtxt(folder / f"run-{number}.csv", delimiter=",", names=True)
    largest = campaign.runs.row(number)["max_error.z"]
    during = table["time"] <= 3.0
    # between the rows of 10 ms the error is larger by some 1e-5 of it at most
    assert np.abs(table["ez"][during]).max() == pytest.approx(largest, rel=1e-3)


def test_campaign_on_a_plant_that_was_not_compared_says_so_everywhere(swung, tmp_path) -> None:
    vary = "campaign.vary={'plant.parameters.m'={uniform=[99.0,101.0]}}"
    campaign = carried_out(tmp_path / "few", "campaign.runs=1", vary)
    sentence = "Twin and plant were not compared: plant.certify is off."
    assert json.loads((tmp_path / "few" / "summary.json").read_text())["certificate_notice"] == (
        sentence
    )
    assert sentence in (tmp_path / "few" / "report.html").read_text()
    terminal = io.StringIO()
    show_campaign(Console(file=terminal, width=1000), campaign, tmp_path)
    assert sentence in terminal.getvalue()
    assert not swung[1].notice


def test_worst_run_has_the_least_margin(swung) -> None:
    folder, campaign = swung
    margins = dict(zip(*campaign.runs.column("margin"), strict=True))
    assert campaign.worst[0] == min(margins, key=margins.get)
    # the largest error until nobody watches, in the rows of 10 ms
    table = np.genfromtxt(folder / f"run-{campaign.worst[0]}.csv", delimiter=",", names=True)
    largest = max(np.abs(table[name]).max() for name in ("ex", "ez"))
    assert margins[campaign.worst[0]] == pytest.approx(1.0 - largest / 0.2, rel=1e-3)


def test_error_is_explained_in_the_chosen_runs_only(swung) -> None:
    _, campaign = swung
    which, values = campaign.runs.column("budget.integrator")
    assert which.tolist() == [0, 7]
    scenario = Variation(campaign.scenario)({**campaign.design.point(7), "plant.tolerance": 1e-13})
    exact = verify_scenario(scenario).tracking
    assert exact is not None
    row = campaign.runs.row(7)
    off = [abs(row[f"max_error.{name}"] - error) for name, error in exact.max_error.items()]
    # the integrator's part is known to a factor of two
    assert 0.0 < max(off) <= 2.0 * values[1]
    assert campaign.certificate is not None
    assert campaign.certificate.same


def test_summary_and_report_say_how_often_limits_were_kept(swung) -> None:
    folder, campaign = swung
    summary = json.loads((folder / "summary.json").read_text())["campaign"]
    assert (summary["runs"], summary["failed"], summary["passed"]) == (8, 0, campaign.passed)
    kept = summary["statistics"]["probabilities"]["passed"]
    assert kept["low"] <= campaign.passed / 8 <= kept["high"]
    page = (folder / "report.html").read_text()
    assert page.count("data:image/png") == 3
    assert f"{campaign.passed} of 8 runs kept all limits" in page


def test_seed_that_is_told_is_the_one_that_gives_these_runs(swung) -> None:
    folder, campaign = swung
    summary = json.loads((folder / "summary.json").read_text())["campaign"]
    told = summary["random_seed"]
    assert (told, campaign.runs.seed) == (7, 7)
    assert "design random, random seed 7;" in (folder / "report.html").read_text()
    vary = campaign.scenario.tables.campaign.vary
    factors = [read_factor(key, value) for key, value in vary.items()]
    again = make_design(factors, summary["design"], summary["runs"], told)
    assert np.array_equal(again.values, campaign.runs.factors())


def test_rope_force_of_a_load_that_hangs_is_its_weight(tmp_path: Path) -> None:
    """Twin and plant get the payload, and each run a feedforward of its own."""
    campaign = carried_out(
        tmp_path / "hung",
        "path={kind='hold',value=[0.0,-4.0],duration=0.5}",
        "campaign.design=grid",
        "campaign.vary={'crane.m'=[50.0,100.0,300.0]}",
    )
    masses = campaign.runs.factors()[:, 0]
    for name in ("least.T_cable", "most.T_cable"):
        np.testing.assert_allclose(campaign.runs.column(name)[1], 9.81 * masses, rtol=1e-9)
    assert campaign.exit_code == 0


def test_a_run_that_fails_is_a_row_with_its_reason(tmp_path: Path) -> None:
    campaign = carried_out(
        tmp_path / "failed",
        "campaign.design=grid",
        "campaign.vary={'plant.parameters.m'=[100.0,0.0]}",
    )
    assert (campaign.runs.total, campaign.runs.failed, campaign.passed) == (2, 1, 1)
    assert campaign.runs.row(1)["status"] == "failed"
    assert "FMU" in campaign.runs.row(1)["reason"]
    assert campaign.worst == (1,)
    assert campaign.exit_code == 1


def test_a_run_that_fails_has_kept_no_limit_anywhere(tmp_path: Path) -> None:
    """Three of four runs on a real plant, one without a mass: 75 %, in figures and in words."""
    campaign = carried_out(
        tmp_path / "failed",
        "campaign.design=grid",
        "path={kind='hold',value=[0.0,-4.0],duration=0.5}",
        "limits.tracking=0.2",
        "campaign.vary={'plant.parameters.m'=[100.0,99.99,0.0,100.01]}",
    )
    summary = json.loads((tmp_path / "failed" / "summary.json").read_text())["campaign"]
    found = summary["statistics"]["probabilities"]
    assert (summary["runs"], summary["failed"], summary["passed"]) == (4, 1, 3)
    assert {name: one["value"] for name, one in found.items()} == dict.fromkeys(found, 0.75)
    assert all((one["runs"], one["false_runs"]) == (4, [2]) for one in found.values())
    # of the 95 % quantile of four values three quarters of the way lead to the run that failed
    for name, spread in summary["statistics"]["spreads"].items():
        last = {one["level"]: one["value"] for one in spread["quantiles"]}
        small = name.startswith(("margin", "least."))
        assert (last[0.05] is None, last[0.95] is None) == (small, not small), name
    assert {one["runs"] for column in summary["indices"].values() for one in column} == {3}
    page = (tmp_path / "failed" / "report.html").read_text()
    assert "1 of 4 runs could not be carried out: they count as runs that kept no limit" in page
    console = Console(file=io.StringIO(), width=200)
    show_campaign(console, campaign, tmp_path / "failed")
    shown = console.file.getvalue()
    assert "75.00 %" in shown
    assert "100.00 %" not in shown.replace("to 100.00 %", "")
    assert "beyond" in shown.partition("max_error.x")[2].partition("\n")[0]
    # three runs are too few for shares of the variance: as if they had one
    half = Index(0.5, None, None)
    indices = {"margin": (RankIndex("plant.parameters.m", half, half, half, runs=3),)}
    show_campaign(console, replace(campaign, indices=indices), tmp_path / "failed")
    words = "what the margin's variance goes with (of 3 of 4 runs): plant.parameters.m 50 %"
    assert words in console.file.getvalue()


def test_noise_of_each_run_is_its_own_and_can_be_repeated() -> None:
    scenario = cranebridge.load(
        "overhead", ["control={kind='lqr', sensor=[{signal='q.s', noise=1e-3}]}"]
    )
    from cranebridge.job.campaign.campaign_work import ScenarioRunner

    class Plain(ScenarioRunner):
        def __init__(self) -> None:
            self._base, self._vary = scenario, Variation(scenario)
            self._scenarios = {}

    draws = [Plain().scenario(n, {}).tables.control.observer.draw for n in range(3)]
    assert draws == [1, 2, 3]
    varied = Plain().scenario(2, {"control.observer.draw": 7.0})
    assert varied.tables.control.observer.draw == 7


def test_a_law_is_designed_once_and_sent_to_all_workers(monkeypatch) -> None:
    """With an observer, whose expressions are sent, too; other motions get laws of their own."""
    from cranebridge.job.campaign import campaign_work

    scenario = cranebridge.load(
        "overhead",
        ["control={kind='lqr', sensor=[{signal='q.s', noise=1e-3},{signal='q.l', noise=1e-3}]}"],
    )
    work = campaign_work.scenario_work(scenario)
    runner = work.begin()
    try:
        driven, _ = runner.drive(runner.scenario(3, {"plant.parameters.m": 105.0}))
        packed = runner.packed_law()
    finally:
        runner.close()
    monkeypatch.setattr(campaign_work, "plant_law", None)  # nothing is designed any more
    other = replace(work, law=packed).begin()
    try:
        again, _ = other.drive(other.scenario(3, {"plant.parameters.m": 105.0}))
        with pytest.raises(TypeError, match="not callable"):
            other.drive(other.scenario(3, {"crane.m": 105.0}))
    finally:
        other.close()
    for name in ("time", "outputs"):
        one, two = (getattr(run.simulation.dense, name) for run in (driven, again))
        assert np.array_equal(one, two)
    assert np.array_equal(driven.simulation.given, again.simulation.given)


def test_a_law_for_a_crane_of_ones_own_is_sent_to_the_workers(tmp_path: Path) -> None:
    """The user's class has another module in each process: the law finds the crane of its own."""
    (tmp_path / "mine.py").write_text(
        "from cranebridge.twin.cranes.overhead import OverheadCrane\n\n\n"
        "class Mine(OverheadCrane):\n    name = 'mine'\n"
    )
    (tmp_path / "mine.toml").write_text(
        '[crane]\nmodel = "mine.py:Mine"\n'
        '[path]\nkind = "hold"\nvalue = [0.0, -4.0]\nduration = 0.2\n'
        '[plant]\nmodel = "OverheadCrane"\nsettle = 0.0\ncertify = false\n'
        '[control]\nkind = "drives"\ncycle = 0.01\ndrives.F_t = { coordinate = "s", kp = 2e3 }\n'
        "[limits]\ntracking = 1.0\n"
        "[campaign]\nruns = 2\nbudget = 0\nkeep = 1\n"
        'vary = { "plant.parameters.m" = [100.0, 101.0] }\n'
    )
    scenario = load_scenario(str(tmp_path / "mine.toml"))
    campaign = campaign_into(scenario, tmp_path / "out", workers=1)
    assert (campaign.runs.failed, campaign.exit_code) == (0, 0), campaign.runs.row(1)
    # what verify finds for the same crane without a worker
    run = verify_scenario(load_scenario(str(tmp_path / "out" / f"run-{campaign.worst[0]}.toml")))
    assert run.tracking is not None
    assert campaign.runs.row(campaign.worst[0])["max_error.x"] == pytest.approx(
        run.tracking.max_error["x"], rel=1e-9
    )


def test_margin_of_a_run_says_nothing_where_a_limit_was_not_judged() -> None:
    """Time stepping gives no jerks: their limit is not judged, and the least margin not known."""
    from cranebridge.job.campaign.campaign_work import scales_of, scenario_work

    scenario = cranebridge.load(
        "overhead",
        [
            *("path={kind='hold',value=[0.0,-4.0],duration=0.2}", "plant.settle=0.0"),
            *("solve.method=index3", "limits={tracking=1.0,jerk={s=1.0}}"),
        ],
    )
    work = scenario_work(scenario)
    runner = work.begin()
    try:
        _, verdicts = runner.drive(scenario)
        runner._work = replace(work, scales=scales_of(verdicts))
        row = runner(0, {})
    finally:
        runner.close()
    assert {verdict.status for verdict in verdicts} == {"passed", "not judged"}
    assert (row["passed"], row["passed.jerk.s"], "margin" in row) == (False, False, False)
    assert row["margin.tracking of x"] > 0.0


@dataclass(frozen=True)
class Judged:
    """Runs with a margin, one that is not judged and one that fails."""

    key: str = "judged"

    def begin(self) -> Judged:
        return self

    def __call__(self, number: int, values: Mapping[str, float]) -> dict[str, bool | float]:
        if number == 3:
            raise SolutionError("the plant diverges")
        return {"passed": False} if number == 2 else {"passed": True, "margin": 5.0 - number}

    def close(self) -> None:
        pass


def test_worst_runs_are_the_failed_one_then_the_one_not_judged(tmp_path: Path) -> None:
    design = make_design([read_factor("a", {"uniform": [0.0, 1.0]})], "random", 5)
    with serial() as executor:
        runs = carry_out(Judged(), design, executor, tmp_path)
    assert _worst(runs, 4) == (3, 2, 4, 1)


# ---------------------------------------------------------------------------- the safe box


def test_safe_box_of_a_pendulum_is_its_amplitude(tmp_path: Path) -> None:
    """A trolley and a winch that are too heavy to move: the load swings as far as it starts.

    It is on the other side after 2 s, half of its period.
    """
    campaign = carried_out(
        tmp_path / "box",
        "path={kind='hold',value=[0.0,-4.0],duration=2.5}",
        "crane.parameters={m_t=1e9,J=1e9}",
        "limits={tracking=10.0,q={x=0.2}}",
        "campaign.runs=4",
        "campaign.vary={'plant.start.q.x'={uniform=[-0.5,0.5]}}",
        "campaign.box=true",
        "campaign.box_runs=200",
        workers=2,
    )
    assert campaign.box is not None, campaign.no_box
    # the search draws boxes in by up to a thousandth of the allowed range of 1 m
    assert campaign.box.low[0] == pytest.approx(-0.2, abs=2e-3)
    assert campaign.box.high[0] == pytest.approx(0.2, abs=2e-3)
    assert campaign.box.margin >= 0.0


# ---------------------------------------------------------------------------- any order


VARIED = (
    "campaign.runs=12",
    "campaign.vary={'crane.m'={uniform=[80.0,120.0]},'plant.start.q.x'={normal=[0.0,0.01]}}",
)


def test_table_is_the_same_for_any_number_of_workers_and_after_a_kill(tmp_path: Path) -> None:
    carried_out(tmp_path / "one", *VARIED, workers=1)
    carried_out(tmp_path / "two", *VARIED, workers=2)
    command = [sys.executable, "-m", "cranebridge", "campaign", "overhead", "--workers", "1"]
    command += ["-o", str(tmp_path / "killed")]
    command += [f"--set={setting}" for setting in (*SHORT, *VARIED)]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith(b"2 of 12") or line.startswith(b"3 of 12"):
            break
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    parts = list((tmp_path / "killed" / ".unfinished" / "parts").glob("part-*.json"))
    assert parts
    time.sleep(0.1)  # the kernel lets go of the lock
    subprocess.run(command, check=False, capture_output=True)
    tables = [(tmp_path / name / "runs.parquet").read_bytes() for name in ("one", "two", "killed")]
    assert tables[0] == tables[1] == tables[2]


def test_table_is_the_same_on_a_cluster_whose_client_and_a_worker_are_killed(
    tmp_path: Path,
) -> None:
    """A real scheduler with two worker processes, each with the plant in a process of its own."""
    pytest.importorskip("distributed", reason="Dask distributed is not installed: extra 'cluster'")
    processes = Processes(tmp_path)
    settings = (*SHORT, *VARIED, "campaign.runs=24")
    told: list[str] = []

    def report_stage(stage: str) -> None:
        told.append(stage)
        if " of 24" in stage and int(stage.split()[0]) >= 8 and not killed:
            killed.append(stage)
            processes.kill_worker()

    killed: list[str] = []
    try:
        processes.add_worker()
        processes.add_worker()
        while not processes.file.exists():
            assert processes.scheduler.poll() is None, "the scheduler did not begin"
            time.sleep(0.05)
        command = [sys.executable, "-m", "cranebridge", "campaign", "overhead"]
        command += ["-o", str(tmp_path / "cluster"), "--cluster", str(processes.file)]
        client = subprocess.Popen(
            [*command, *(f"--set={setting}" for setting in settings)],
            start_new_session=True,
            stderr=subprocess.PIPE,
        )
        assert client.stderr is not None
        assert client.stderr.readline().startswith(b"warning: the connection to the Dask scheduler")
        for line in client.stderr:
            if b" of 24" in line and int(line.split()[0]) >= 2:
                break
        os.killpg(client.pid, signal.SIGKILL)
        client.wait()
        assert not (tmp_path / "cluster" / "runs.parquet").exists()
        time.sleep(0.1)  # the kernel lets go of the lock
        scenario = cranebridge.load("overhead", settings)
        with pytest.warns(UserWarning, match="not authenticated"):
            campaign_into(
                scenario,
                tmp_path / "cluster",
                address=str(processes.file),
                report_stage=report_stage,
            )
    finally:
        processes.end()
    begun = next(stage for stage in told if " of 24" in stage)
    assert 2 <= int(begun.split()[0]) < 24  # what the first client had is not done again
    assert killed
    summary = json.loads((tmp_path / "cluster" / "summary.json").read_text())["campaign"]
    assert "not authenticated" in summary["notes"][0]
    carried_out(tmp_path / "one", *VARIED, "campaign.runs=24", workers=1)
    tables = [(tmp_path / name / "runs.parquet").read_bytes() for name in ("one", "cluster")]
    assert tables[0] == tables[1]


MANY = """
from pathlib import Path
import cranebridge
from cranebridge.job.campaign.campaign_work import scenario_work
runner = scenario_work(cranebridge.load("overhead", ["plant.certify=false"])).begin()
def resident():
    return int(Path("/proc/self/status").read_text().partition("VmRSS:")[2].split()[0])
for first in range(0, 384, 32):
    points = [{"crane.m": 80.0 + 0.1 * (first + k)} for k in range(32)]
    runner.prepare(range(first, first + 32), points)
    for number, point in enumerate(points, start=first):
        runner(number, point)
    if first in (32, 352):
        print(resident())
runner.close()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux for the memory")
def test_memory_of_a_worker_does_not_hold_the_runs_that_it_has_done() -> None:
    """A motion of 301 times with its rates has some 100 kB; of 320 of them none are left."""
    done = subprocess.run([sys.executable, "-c", MANY], check=True, capture_output=True)
    before, after = (1024 * int(line) for line in done.stdout.split())
    feedforward = solve_scenario(cranebridge.load("overhead", [])).feedforward
    size = sum(getattr(feedforward, name).nbytes for name in ("q", "v", "a", "u", "lam", "ropes"))
    assert after - before < 0.2 * 320 * size


# ---------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ((), "campaign.vary says nothing"),
        (("campaign.vary={'solve.step'=[0.1]}",), "table of a key to vary"),
        (("campaign.vary={'plant.parameter.m'=[1.0]}",), "did you mean 'parameters'"),
        (("campaign.vary={'disturbance[0].value'=[1.0]}",), "0 tables 'disturbance'"),
        (("campaign.vary={'plant.parameters.m'={unifrom=[1.0,2.0]}}",), "did you mean 'uniform'"),
        (("campaign.vary={'plant.tolerance'=[-1.0]}",), "plant.tolerance must be"),
        (("campaign.file=/nowhere.csv",), "cannot be read"),
        (
            ("campaign.file=/nowhere.csv", "campaign.vary={'crane.m'=[1.0]}"),
            "leave campaign.vary out",
        ),
        (("campaign.design=sobel", "campaign.vary={'crane.m'=[1.0]}"), "did you mean 'sobol'"),
    ],
)
def test_what_cannot_be_varied_is_told(settings: tuple[str, ...], words: str) -> None:
    with pytest.raises(InputError, match="(?i)" + words.replace("[", r"\[").replace("(", r"\(")):
        campaign_design(cranebridge.load("overhead", settings))


CLUSTERS = {
    "tcp://127.0.0.1:1": "no Dask scheduler answers at 'tcp://127.0.0.1:1'",
    "nowhere.json": "'nowhere.json' is neither the address of a Dask scheduler",
    "wrong.json": "'wrong.json' is no scheduler file",
}


@pytest.mark.parametrize("where", CLUSTERS)
def test_cluster_that_is_not_there_is_one_sentence_before_all_work(
    where: str, run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="Dask distributed is not installed: extra 'cluster'")
    monkeypatch.setattr("cranebridge.campaign.workers.dask_cluster._ANSWER", 0.5)
    monkeypatch.chdir(tmp_path)
    Path("wrong.json").write_text("{}")
    sets = [f"--set={setting}" for setting in VARIED]
    code, text, said = run("campaign", "overhead", "-o", "out", "--cluster", where, *sets)
    assert (code, text) == (2, "")
    assert said.startswith(f"error: {CLUSTERS[where]}")
    assert said.count("\n") == 1
    assert not Path("out").exists()


def test_certificates_of_the_command_line_are_those_of_the_connection(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody answers there; with certificates that is said, without them they are asked for."""
    pytest.importorskip("distributed", reason="Dask distributed is not installed: extra 'cluster'")
    if shutil.which("openssl") is None:
        pytest.skip("certificates are made by the program openssl, which is not installed")
    monkeypatch.setattr("cranebridge.campaign.workers.dask_cluster._ANSWER", 0.5)
    files = make_certificates(tmp_path / "tls").by_option()
    options = [str(word) for pair in files.items() for word in pair]
    call = ["campaign", "overhead", "-o", str(tmp_path / "out"), *(f"--set={s}" for s in VARIED)]
    there = ("--cluster", "tls://127.0.0.1:1")
    for words, sentence in (
        ((*there, *options), "error: no Dask scheduler answers at 'tls://127.0.0.1:1'"),
        (there, "error: the scheduler at 'tls://127.0.0.1:1' takes TLS only"),
        ((*there, *options[:4]), "error: --tls-ca-file, --tls-cert and --tls-key belong together"),
        (options, "error: certificates are for a cluster: give --cluster, or leave them out"),
    ):
        code, text, said = run(*call, *words)
        assert (code, text, said.count("\n")) == (2, "", 1)
        assert said.startswith(sentence)


def test_cluster_without_its_extra_names_it(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "cranebridge.campaign.workers.dask_cluster", raising=False)
    where = ("-o", str(tmp_path / "out"), "--cluster", "tcp://127.0.0.1:1")
    code, text, said = run("campaign", "overhead", *where, *(f"--set={one}" for one in VARIED))
    assert (code, text) == (2, "")
    assert said == "error: a cluster needs Dask distributed: pip install 'cranebridge[cluster]'\n"


def test_a_name_that_the_plant_has_not_is_told_before_the_runs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="mm"):
        carried_out(tmp_path / "no", "campaign.vary={'plant.parameters.mm'=[1.0,2.0]}")
    assert not (tmp_path / "no").exists()


def test_a_scenario_that_was_written_out_is_read_again() -> None:
    """Defaults of tables that are not used are no wishes."""
    scenario = cranebridge.load("overhead", ["control.kind=lqi"])
    import tomli_w

    content = tomli_w.dumps(scenario.complete())
    assert "draw" in content
    Variation(scenario)({"plant.parameters.m": 90.0})
    from cranebridge.scenario.control_rules import require_control
    from cranebridge.scenario.tables.schema import ScenarioTables

    require_control(ScenarioTables.model_validate(scenario.complete()), scenario.crane)
