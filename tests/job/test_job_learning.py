"""Learning on the imperfect plants, through the job: figures, limits, files, going on, refusals."""

from __future__ import annotations

import base64
import csv
import ctypes
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy.ssp.simulation import simulate_ssp
from fmpy.ssp.ssd import read_ssd
from fmpy.validation import validate_fmu
from scipy import stats

import cranebridge
from cranebridge.errors import InputError
from cranebridge.job.delivering import hand_over
from cranebridge.job.learning.learning_job import best_trial_report, learn_into, learn_scenario
from cranebridge.job.learning.learning_report import learning_study
from cranebridge.job.ordering import Wishes
from cranebridge.job.verifying import open_plant, plant_file, plant_settings
from cranebridge.learn.learning_result import Learning
from cranebridge.learn.trials.plant_trials import PlantTrial, PlantTrials
from cranebridge.plant.protocol.controls import Controls
from cranebridge.verify import Verified, track_plant
from cranebridge.verify.tracking.plant_run import PlantRun

sys.path += [str(Path(__file__).parents[1] / place) for place in ("plant", "deliver")]
from feedforward_driver import Driver
from foreign import compile_library


def learned(name: str, *settings: str) -> tuple[Verified, Learning]:
    return learn_scenario(cranebridge.load(name, settings))


def largest(learning: Learning, trial: int) -> float:
    return max(learning.learned.trials[trial].max_error.values())


@pytest.fixture(scope="module")
def overhead(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Verified, Learning]:
    folder = tmp_path_factory.mktemp("learn") / "overhead"
    scenario = cranebridge.load("overhead-real", ["learn.trials=3"])
    return folder, *learn_into(scenario, folder, force=False)


# ---------------------------------------------------------------------------- figures


def test_overhead_crane_with_friction_lag_and_elastic_rope_is_learned(overhead) -> None:
    _, _, learning = overhead
    # 12 mm before learning (docs/tracking-table.md); asked for: below 0.5 mm in five trials
    assert largest(learning, 0) == pytest.approx(0.012, rel=0.1)
    assert largest(learning, 2) < 5e-4
    assert learning.simulations == 4 + 1  # the best trial once more: does the plant repeat itself?
    assert learning.to_expect.startswith("the best of 4 trials was chosen by its error")
    assert learning.to_expect.endswith("the same controls have the same error again")


def test_learned_controls_do_the_same_in_a_verification_of_their_own(overhead) -> None:
    """The run of `verify` with its budget, other compared times and its own judging."""
    _, verified, learning = overhead
    scenario = cranebridge.load("overhead-real")
    settings = plant_settings(scenario)
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        found = track_plant(verified.feedforward, plant, mapping, settings, scenario.limits)
    # judged from 1 s on, and until the record's end: nothing was learned for what comes after
    later = (found.time > 1.0) & (found.time <= learning.learned.record.time[-1])
    error = np.abs(found.error[later]).max(axis=0)
    best = learning.learned.trials[learning.learned.best].max_error
    # between samples straight lines are `exact` for a solution of order 1: the same controls
    assert error == pytest.approx(list(best.values()), rel=0.02, abs=1e-6)


def test_heavier_rotary_crane_is_learned_to_a_tenth_of_a_millimetre() -> None:
    _, learning = learned("rotary-real", "plant.parameters.m=110", "learn.trials=3")
    first, last = (learning.learned.trials[k].rms_error for k in (0, 3))
    assert first["x"] == pytest.approx(0.004, rel=0.2)
    assert max(last["x"], last["y"]) < 1e-4


def test_rotary_crane_is_learned_in_two_trials() -> None:
    _, learning = learned("rotary-real", "learn.trials=2")
    assert largest(learning, 0) == pytest.approx(0.008, rel=0.1)
    assert largest(learning, 2) < 5e-4


def test_the_fmu_itself_is_the_better_model(overhead) -> None:
    """It knows friction, lag and rope: one trial does what takes two with the twin."""
    _, _, by_twin = overhead
    _, learning = learned(
        "overhead-real", "learn.model=fmu", "learn.relinearise=true", "learn.trials=2"
    )
    assert learning.model == "fmu"
    assert largest(learning, 1) < 0.5 * largest(by_twin, 1)
    assert largest(learning, 2) < 5e-4


def test_answers_to_pulses_are_a_model_too_and_cost_runs() -> None:
    _, learning = learned(
        "overhead-real", "learn.model=differences", "learn.pulses=6", "learn.trials=3"
    )
    assert largest(learning, 3) < 5e-4
    assert learning.simulations == 1 + 6 * 2 + 4 + 1


# ---------------------------------------------------------------------------- safe trials


def test_trial_that_breaks_a_limit_ends_learning_with_the_best_controls() -> None:
    # the sagging rope can only be made up for by winding it in further than the limit switch
    verified, learning = learned("overhead-real", "limits.q.l=[0.998, 5.0]")
    assert [trial.status for trial in learning.learned.trials] == ["learned", "limit"]
    assert learning.learned.best == 0
    assert learning.exit_code == 1
    message = learning.verdicts[0].message
    assert "trial 1 breaks a limit: plant q.l is 0.99" in message
    assert verified.feedforward.u == pytest.approx(learning.first)
    assert all(verdict.passed for verdict in learning.of_best)


def test_goal_that_is_not_reached_is_a_failed_verdict() -> None:
    _, learning = learned("overhead-real", "learn.goal=1e-9", "learn.trials=1")
    assert (learning.exit_code, learning.verdicts[0].status) == (1, "failed")
    assert "the goal of 1e-09 is not reached" in learning.verdicts[0].message


def test_expected_error_of_noisy_trials_is_that_of_repeated_ones(overhead) -> None:
    """The interval against SciPy's own, the goal against the mean and not the luckiest trial."""
    errors = (0.9e-3, 1.4e-3, 1.1e-3, 1.6e-3)
    learning = replace(overhead[2], repeated=errors)
    mean, low, high = learning.expected
    wanted = stats.t.interval(0.95, 3, np.mean(errors), stats.sem(errors))
    assert (mean, low, high) == pytest.approx((np.mean(errors), *wanted))
    assert "4 further trials of the same controls have 0.00125 on average" in learning.to_expect
    assert learning.as_dict()["repeated"]["high"] == pytest.approx(wanted[1])
    best = learning.learned.trials[learning.learned.best].total
    goal = replace(learning, settings=replace(learning.settings, goal=2.0 * best))
    assert best < goal.settings.goal < mean
    assert goal.verdicts[0].status == "failed"
    assert replace(goal, repeated=()).verdicts[0].status == "passed"
    stopped = replace(learning, repeated=(1e-3, np.inf))
    assert stopped.verdicts[0].status == "failed"
    assert "not all came to the end within the limits" in stopped.verdicts[0].message
    json.dumps(stopped.as_dict(), allow_nan=False)


def test_plant_that_repeats_exactly_has_the_error_of_its_best_trial() -> None:
    _, learning = learned("overhead-real", "learn.trials=1", "learn.repeats=2")
    best = learning.learned.trials[learning.learned.best].total
    assert learning.expected == pytest.approx((best, best, best), rel=1e-12)
    assert learning.simulations == 4


@pytest.mark.parametrize("model", ["twin", "fmu", "differences"])
def test_crane_without_loops_integrates_and_is_told_so(model: str) -> None:
    _, learning = learned("overhead", "learn.trials=0", f"learn.model={model}")
    assert any("the plant integrates (4 poles at zero)" in note for note in learning.notes)


@pytest.mark.parametrize("model", ["twin", "fmu", "noise"])
def test_frequency_law_refuses_a_crane_without_loops(model: str) -> None:
    with pytest.raises(InputError, match=r"4 of its poles are zero.*inner loops are needed"):
        learned("overhead", "learn.law=frequency", f"learn.model={model}")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        # the motion itself needs -98.1 Nm for the load at rest and less than -140 Nm
        (("limits.u.M_w=[-200.0, -60.0]", "learn.amplitude.M_w=90.0"), r"would break .*u.M_w is"),
        # 200 Nm on the drum and 100 kg, 10 ms behind a lag of 20 ms; the motion has 1 m/s^2
        (("limits.a.l=2.0", "learn.amplitude.M_w=200.0"), r"broke a limit, .*: plant a.l is"),
        (("limits.q.l=[1.5, 5.0]",), r"the first controls break a limit: plant q.l is"),
    ],
)
def test_experiments_keep_the_limits(settings, words) -> None:
    with pytest.raises(InputError, match=words):
        learned("overhead-real", "learn.model=differences", *settings)


def test_noise_keeps_the_limits() -> None:
    settings = ("learn.law=frequency", "learn.model=noise", "learn.noise_duration=60.0")
    with pytest.raises(InputError, match=r"would break a limit: u.F_t .*smaller learn.amplitude"):
        learned("overhead-real", *settings, "limits.u.F_t=500.0", "learn.amplitude.F_t=400.0")


def test_frequency_law_learns_with_the_transfer_matrix_of_the_fmu() -> None:
    """z, of which one matrix knows enough, nearly halves as with the twin's."""
    _, learning = learned(
        "overhead-real",
        *("learn.law=frequency", "learn.model=fmu", "learn.bandwidth=1.0", "learn.gain=0.5"),
        *("learn.rest_before=3.0", "learn.rest_after=5.0", "learn.trials=2"),
    )
    errors = [trial.rms_error["z"] for trial in learning.learned.trials]
    assert errors[1] < 0.6 * errors[0]
    # trials, one of them once more, and one to linearise it in the middle of its path
    assert learning.simulations == 3 + 1 + 1


def test_frequency_law_learns_a_hoist_slowly_and_undoes_its_divergence() -> None:
    _, learning = learned(
        "overhead-real",
        *("learn.law=frequency", "learn.bandwidth=1.0", "learn.gain=0.5"),
        *("learn.rest_before=3.0", "learn.rest_after=5.0", "learn.trials=5"),
    )
    trials = learning.learned.trials
    # sqrt(9.81/2.5)/(2 pi) = 0.32 Hz for a trolley that stands, less for one that gives way
    assert any("swinging at 0.2" in note and "leaks" in note for note in learning.notes)
    # one transfer matrix fits z, which halves each time, and not x, whose rope gets shorter
    assert trials[1].rms_error["z"] < 0.6 * trials[0].rms_error["z"]
    assert any(trial.status == "undone" for trial in trials)
    assert trials[learning.learned.best].total == min(trial.total for trial in trials)


# ---------------------------------------------------------------------------- files


def test_files_say_what_was_learned(overhead) -> None:
    folder, verified, learning = overhead
    summary = json.loads((folder / "summary.json").read_text())
    assert len(summary["learn"]["trials"]) == 4
    assert set(summary["learn"]["trials"][0]["rms_error"]) == {"x", "z"}
    assert summary["learn"]["floors"][0]["cause"] == "start"
    assert summary["status"] == "passed"
    with (folder / "trials.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert float(rows[3]["rms.x"]) == learning.learned.trials[3].rms_error["x"]
    with (folder / "feedforward.csv").open() as file:
        controls = [float(row["u.F_t"]) for row in csv.DictReader(file)]
    assert controls == pytest.approx(verified.feedforward.u[:, 0].tolist(), rel=1e-15)
    scenario = cranebridge.load(str(folder / "scenario.toml"))
    assert scenario.tables.learn.trials == 3


def without_seconds(content: Any) -> Any:
    """Return a summary without the times that it took."""
    if isinstance(content, dict):
        return {k: without_seconds(v) for k, v in content.items() if k != "seconds"}
    return [without_seconds(one) for one in content] if isinstance(content, list) else content


def same_results(one: Path, other: Path) -> bool:
    """Return whether two folders say the same, apart from times."""
    summaries = (json.loads((folder / "summary.json").read_text()) for folder in (one, other))
    first, second = map(without_seconds, summaries)
    tables = ("trials.csv", "learned.csv", "feedforward.csv")
    return first == second and all(
        (one / name).read_bytes() == (other / name).read_bytes() for name in tables
    )


@pytest.mark.parametrize(
    ("stage", "left"),
    [
        ("trial 2", 3),  # trials 2 and 3, and the best once more
        ("learned controls once more, 1 of 1", 2),  # that, and the best as it is told of
    ],
)
def test_interrupted_learning_goes_on_after_its_last_trial(
    stage: str, left: int, overhead, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = cranebridge.load("overhead-real", ["learn.trials=3"])

    def interrupt(begun: str) -> None:
        if begun == stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn_into(scenario, tmp_path / "out", False, interrupt)
    runs, carried_out = [], PlantTrials.run

    def counted(self: PlantTrials, inputs: np.ndarray) -> PlantTrial:
        runs.append(inputs)
        return carried_out(self, inputs)

    monkeypatch.setattr(PlantTrials, "run", counted)
    learn_into(scenario, tmp_path / "out", force=False)
    assert len(runs) == left
    assert same_results(tmp_path / "out", overhead[0])


def test_saved_trial_with_numbers_that_are_none_is_refused_and_can_be_deleted(
    overhead, tmp_path: Path
) -> None:
    scenario = cranebridge.load("overhead-real", ["learn.trials=3"])

    def interrupt(stage: str) -> None:
        if stage == "trial 2":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn_into(scenario, tmp_path / "out", False, interrupt)
    file = tmp_path / "out" / ".unfinished" / "trial-1.csv"
    lines = file.read_text().splitlines()
    column = lines[0].split(",").index("y.z")
    fields = lines[7].split(",")
    lines[7] = ",".join([*fields[:column], "nan", *fields[column + 1 :]])
    file.write_text("\n".join(lines) + "\n")
    words = r"trial-1\.csv', row 8, column y\.z: 'nan' is no finite number.*delete it"
    with pytest.raises(InputError, match=words):
        learn_into(scenario, tmp_path / "out", force=False)
    file.unlink()
    learn_into(scenario, tmp_path / "out", force=False)
    assert same_results(tmp_path / "out", overhead[0])


def test_killed_learning_gives_the_same_summary(overhead, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cranebridge", "learn", "overhead-real"]
    command += ["-o", str(tmp_path / "out"), "--set", "learn.trials=3"]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith(b"trial 2"):
            break
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "out" / "summary.json").exists()
    subprocess.run(command, check=True, capture_output=True)
    assert same_results(tmp_path / "out", overhead[0])


def test_report_is_that_of_a_run_of_the_best_trial_with_the_trials_in_it(overhead) -> None:
    folder, _, learning = overhead
    text = (folder / "report.html").read_text(encoding="utf-8")
    for words in ("Error over trials", "What was changed in F_t", "starts 0.0049 away"):
        assert words in text
    banner = text.index('<div class="card verdict passed" role="status">')
    assert banner < text.index("rms error x 0.00687 m, z 0.00629 m -&gt; x") < banner + 300
    assert "all ropes pull, T_cable least with" in text[banner : banner + 300]
    # the run's own panels and animation: the curve that is shown is what the plant did
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    panel = next(panel for panel in data["panels"] if panel["title"] == "Tracking error")
    curve = next(curve for curve in panel["curves"] if curve["label"].startswith("x"))
    shown = np.frombuffer(base64.b64decode(curve["values"]), dtype="<f4")
    time = np.frombuffer(base64.b64decode(data["time"]), dtype="<f4")
    record = learning.learned.record
    error = 1e3 * np.interp(time, record.time, record.outputs[:, 0] - record.target[:, 0])
    # shown in mm as 32-bit numbers, and some of the samples
    assert shown == pytest.approx(error, abs=1e-5)
    assert data["scene"]["bodies"]


def test_report_of_a_failed_learning_says_so_as_that_of_a_run_does() -> None:
    scenario = cranebridge.load("overhead-real", ["learn.goal=1e-9", "learn.trials=0"])
    verified, learning = learn_scenario(scenario, shown=True)
    text = best_trial_report(scenario, verified, learning)
    banner = text[text.index('<div class="card verdict failed" role="status">') :]
    assert '<span class="word">failed</span>: 1 of 5 verdicts failed; rms error x' in banner
    assert '<span class="nok">failed</span> learning: the goal of 1e-09 is not reached' in banner


def test_transfer_matrices_of_twin_and_fmu_agree_at_low_frequency() -> None:
    """The FMU has friction, lag and an elastic rope; below 0.2 Hz they hardly matter."""
    low = []
    for model in ("twin", "fmu"):
        settings = ("learn.law=frequency", f"learn.model={model}", "learn.trials=0")
        _, learning = learned("overhead-real", *settings)
        assert learning.transfer is not None
        low.append(learning.transfer.at(np.array([0.14]))[0])
    # friction of the moving drives (5 of 2000 s + 600, with 0.05 of 400 + 100 s) is a percent
    assert np.abs(np.diag(low[0] - low[1])).max() < 0.1 * np.abs(np.diag(low[0])).max()


def test_report_of_the_frequency_law_has_bode_plots() -> None:
    _, learning = learned(
        "overhead-real",
        *("learn.law=frequency", "learn.model=noise", "learn.noise_duration=60.0"),
        *("learn.bandwidth=1.0", "learn.trials=0"),
    )
    charts = {chart.name: chart for chart in learning_study("x", learning, ()).charts}
    assert {"magnitude", "phase", "coherence"} <= set(charts)
    # the winch's loop is a spring and a damper, 400 + 100 s; inertia is a hundredth of that here,
    # and friction of 0.5 N m takes some of a noise of some N m
    frequency, magnitude = charts["magnitude"].lines["z by M_w"]
    assert frequency[1] == pytest.approx(0.2)
    assert magnitude[1] == pytest.approx(1.0 / abs(400.0 + 100.0 * 0.4j * np.pi), rel=0.1)


def test_learned_controls_are_handed_over_as_tables_and_code(overhead, tmp_path: Path) -> None:
    folder, verified, _ = overhead
    scenario = cranebridge.load(str(folder / "scenario.toml"))
    (table, _) = hand_over(scenario, Wishes("csv", tmp_path / "u.csv", learned=folder))
    with table.open() as file:
        controls = [float(row["u.M_w"]) for row in csv.DictReader(file)]
    assert controls == pytest.approx(verified.feedforward.u[:, 1].tolist(), rel=1e-12)
    files = hand_over(scenario, Wishes("c", tmp_path / "u.c", learned=folder))
    assert all(file.is_file() for file in files)
    with pytest.raises(InputError, match=r"'generator' solves on line and has no place"):
        hand_over(scenario, Wishes("generator", tmp_path / "g", learned=folder))
    on_line = cranebridge.load("overhead-real", ["control.kind=lqr", "control.gains=position"])
    with pytest.raises(InputError, match=r"control.gains = 'position' solves on line"):
        hand_over(on_line, Wishes("fmu", tmp_path / "g.fmu", learned=folder))
    other = cranebridge.load("overhead-real", ["path.goal=[4.0, -1.0]"])
    with pytest.raises(InputError, match=r"were learned for another path"):
        hand_over(other, Wishes("csv", tmp_path / "v.csv", learned=folder))


@pytest.fixture(scope="module")
def as_code(overhead, tmp_path_factory: pytest.TempPathFactory) -> Callable[[float], list[float]]:
    """The delivered C as a function of time: u, then q and v of the drives, then the path."""
    folder, made = overhead[0], tmp_path_factory.mktemp("code")
    columns = ("u", "q.s", "q.l", "v.s", "v.l", "gamma")
    wishes = Wishes("c", made / "motion.c", columns=columns, learned=folder)
    source, _ = hand_over(cranebridge.load(str(folder / "scenario.toml")), wishes)
    compile_library([source], made / "motion.so")
    at = ctypes.CDLL(str(made / "motion.so")).motion_at
    values = (ctypes.c_double * 8)()

    def function(t: float) -> list[float]:
        at(ctypes.c_double(t), values)
        return list(values)

    return function


@pytest.mark.parametrize(("fmi", "kind"), [("2.0", "cs"), ("3.0", "me")])
def test_fmu_plays_learned_controls(overhead, as_code, fmi, kind, tmp_path: Path) -> None:
    folder, _, learning = overhead
    scenario = cranebridge.load(str(folder / "scenario.toml"))
    wishes = Wishes("fmu", tmp_path / "played.fmu", fmi=fmi, learned=folder)
    (file,) = hand_over(scenario, wishes)
    assert validate_fmu(str(file)) == []
    driver = Driver(file, tmp_path / "content", kind, begin=0.5)
    if kind == "me":
        driver.raw.enterContinuousTimeMode()
    end = 0.5 + float(learning.learned.record.time[-1])
    # before the motion, on rows, between them, after it
    for t, status in ((0.2, 2), (1.0, 0), (1.2345, 0), (3.7501, 0), (end + 0.1, 1)):
        driver.go(t)
        assert driver.get(driver.names()) == pytest.approx(as_code(t - 0.5), rel=1e-12, abs=1e-12)
        assert driver.status == status
    driver.close()


def test_fmu_of_learned_controls_has_rates_and_can_be_held(overhead, as_code, tmp_path) -> None:
    folder, _, _ = overhead
    scenario = cranebridge.load(str(folder / "scenario.toml"))
    (file,) = hand_over(scenario, Wishes("fmu", tmp_path / "played.fmu", learned=folder))
    driver = Driver(file, tmp_path / "content", "cs", hold=0.02)
    driver.go(1.2345)
    middle, now = as_code(1.2445), as_code(1.2345)
    assert driver.get(driver.names()) == pytest.approx(middle[:2] + now[2:], rel=1e-12)
    driver.set(hold=0.0)
    # differences of five points are exact for cubics; 1e-14 of 100 Nm is divided by 1e-4 s
    a, b, c, d = (np.array(as_code(1.2345 + k * 1e-4)) for k in (-2, -1, 1, 2))
    exact = (8.0 * (c - b) - (d - a)) / 12e-4
    assert driver.slopes(driver.names()) == pytest.approx(exact, abs=1e-7)
    driver.close()


def simulated(file: Path, end: float, step: float) -> np.ndarray:
    """What FMPy, which knows nothing of us, makes of an SSP."""
    (binding,) = read_ssd(str(file)).system.parameterBindings
    (values,) = binding.parameterValues
    result = simulate_ssp(str(file), stop_time=end, step_size=step, parameter_set=values)
    # FMPy writes down the time before a step with the values after it
    result["time"] += step
    return result


def test_ssp_has_the_loops_with_which_was_learned(overhead, tmp_path: Path) -> None:
    folder, _, learning = overhead
    scenario = cranebridge.load(str(folder / "scenario.toml"))
    with pytest.raises(InputError, match=r"--set control.kind=drives --set control.cycle=0.001"):
        hand_over(scenario, Wishes("ssp", tmp_path / "without.ssp", learned=folder))
    settings = ["control.kind=drives", "control.cycle=0.001"]
    scenario = cranebridge.load(str(folder / "scenario.toml"), settings)
    (file,) = hand_over(scenario, Wishes("ssp", tmp_path / "played.ssp", learned=folder))
    record = learning.learned.record
    result = simulated(file, float(record.time[-1]), 1e-3)
    later = result["time"] > 1.0
    for i, name in enumerate(("x", "z")):
        wanted = np.interp(result["time"], record.time, record.target[:, i])
        # 12 and 8 mm without learning, 0.1 mm in the trials; sampled loops are late by 1.5 cycles
        assert np.abs(result[f"plant.{name}"] - wanted)[later].max() < 1.5e-3


@pytest.fixture
def other_drives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Controls that were learned beside loops are taken as if they had been learned without."""
    monkeypatch.setattr(
        "cranebridge.job.learning.learned_controls.require_same_task", lambda *_: None
    )


@pytest.mark.usefixtures("other_drives")
def test_ssp_connects_learned_controls_to_a_plant_with_forces(overhead, tmp_path: Path) -> None:
    folder, _, learning = overhead
    scenario = cranebridge.load(str(folder / "scenario.toml"), ["plant.drives={}"])
    (file,) = hand_over(scenario, Wishes("ssp", tmp_path / "played.ssp", learned=folder))
    step = scenario.tables.learn.step
    result = simulated(file, 0.5, step)
    rows = np.rint(result["time"] / step).astype(int)
    given = np.column_stack([result[f"feedforward.{name}"] for name in ("F_t", "M_w")])
    assert given == pytest.approx(learning.learned.record.inputs[rows], rel=1e-9)
    assert result["plant.F_t"] == pytest.approx(given[:, 0], rel=1e-12)


# ---------------------------------------------------------------------------- drives

UNITS = (
    "deliver.drives.trolley={coordinate='s', unit='mm/s'}",
    "deliver.drives.hoist={coordinate='l', unit='rpm', radius='r', gear=20.0, zero=5.0}",
)


def test_moved_references_of_the_drives_do_what_learned_forces_do(overhead, tmp_path) -> None:
    """The plant with the first controls and references from the delivered table."""
    folder, verified, learning = overhead
    scenario = cranebridge.load(str(folder / "scenario.toml"), UNITS)
    columns = ("drive_position", "drive_speed")
    wishes = Wishes("csv", tmp_path / "d.csv", columns=columns, learned=folder)
    table = np.genfromtxt(hand_over(scenario, wishes)[0], delimiter=",", names=True, deletechars="")
    turns = 20.0 / (2.0 * np.pi * scenario.problem.parameters["r"])
    moved = np.column_stack(
        [1e-3 * table["drive_position.trolley"], table["drive_position.hoist"] / turns + 5.0]
    )
    own = np.genfromtxt(folder / "learned.csv", delimiter=",", names=True, deletechars="")
    assert np.column_stack([own["r.s"], own["r.l"]]) == pytest.approx(moved, abs=1e-12)
    # speeds are left as they are
    assert 1e-3 * table["drive_speed.trolley"] == pytest.approx(verified.feedforward.v[:, 0])
    base = replace(verified.feedforward, u=learning.first)
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        run = PlantRun(base, plant, mapping, plant_settings(scenario))
        assert run.drives is not None
        reference = Controls.linear(base.time, moved, ("s", "l"))
        rate = Controls.linear(base.time, base.v[:, :2], ("s", "l"))
        run.drives = replace(run.drives, reference=reference, rate=rate)
        simulation = run.simulate(base, 1e-8, "linear", times=base.time)
        found = run.outputs(simulation)
    # lines between references of 2 m/s^2 and 10 ms are off by 2 * 0.01^2/8 = 25 um at most
    assert np.abs(found - learning.learned.record.outputs).max() < 25e-6


@pytest.mark.usefixtures("other_drives")
def test_references_that_no_loop_makes_of_learned_forces_are_refused(overhead, tmp_path) -> None:
    folder = overhead[0]
    settings = [*UNITS, "plant.drives.F_t.kp=0.0"]
    scenario = cranebridge.load(str(folder / "scenario.toml"), settings)
    wishes = Wishes("csv", tmp_path / "d.csv", columns=("drive_position",), learned=folder)
    with pytest.raises(InputError, match=r"drive_position.trolley would be that of the motion bef"):
        hand_over(scenario, wishes)
    (table, _) = hand_over(scenario, replace(wishes, columns=None))
    titles = table.read_text().partition("\n")[0]
    assert "drive_position.hoist" in titles
    assert "trolley" not in titles


# ---------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["learn.lwa=lifted"], r"'lwa'. Did you mean 'law'"),
        (["learn.law=liftd"], r"'liftd'. Did you mean 'lifted'"),
        (["learn.gain=1.5"], r"learn.gain must be a number above 0 and not above 1, got 1.5"),
        (["learn.model=noise"], r"does not go with learn.law = 'lifted'; it takes twin, fmu"),
        (["learn.relinearise=true"], r"learn.relinearise needs .* learn.model = 'fmu'"),
        (["control.kind=lqr"], r"'lqr' with a cycle is a sampled controller"),
        (['learn.inputs=["F_t"]'], r"learn.inputs is for a plant without a twin"),
        (["solve.method=index3"], r"learning begins with an exact solution"),
        (["learn.model=fmu", "plant.interface=cs"], r"which needs Model Exchange"),
        (["learn.judge_from=20.0"], r"learn.judge_from = 20 s is not within the record, .* 7 s"),
        (
            ["learn.model=differences", "learn.amplitude.F=1.0"],
            r"unknown input in learn.amplitude 'F'. Did you mean 'F_t'",
        ),
    ],
)
def test_wrong_wishes_are_refused_with_a_sentence(settings, words) -> None:
    with pytest.raises(InputError, match=words):
        learned("overhead-real", *settings)
