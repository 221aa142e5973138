"""Learning on FMUs of other makers that have no twin: PythonFMU (FMI 2, Co-Simulation, no
derivatives), CasADi (FMI 3, Model Exchange)."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from typer.testing import CliRunner

from cranebridge.cli import app
from cranebridge.errors import InputError
from cranebridge.job.learning.learning_source import learn_source

sys.path.append(str(Path(__file__).parents[1] / "plant"))
from foreign import casadi_fmu
from foreign_stand import PENDULUM_PATH, SCENARIO, write_pendulum, write_stand, write_target
from integrator_plants import integrator_fmu
from plant_models import pendulum

from cranebridge.frontend.flat_model import PlantModel, Variable
from cranebridge.plant.export.fmu_export import export_fmu


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("pythonfmu")
    folder = tmp_path_factory.mktemp("stand")
    (folder / "ragged.csv").write_text("time,y1,y2\n0,0,0\n1,0\n2,0,0\n")
    return write_stand(folder)


def test_foreign_fmu_is_learned_by_answers_to_pulses(stand: Path, tmp_path: Path) -> None:
    found = learn_source(str(stand), folder=tmp_path / "out")
    trials = found.learning.learned.trials
    # all of the target was missing; what is left is below the limit of 1e-3 of a target of 0.2
    assert max(trials[0].max_error.values()) == pytest.approx(0.2, rel=1e-3)
    assert max(trials[-1].max_error.values()) < 1e-3
    assert found.exit_code == 0
    assert found.learning.simulations == 1 + 2 + 6 + 1  # the last: does it repeat itself?
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["learn"]["model"] == "differences"
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert '<div class="card verdict passed" role="status">' in report
    assert "Error over trials" in report
    assert {"learned.csv", "trials.csv", "trial-5.csv"} <= {
        file.name for file in (tmp_path / "out").iterdir()
    }


def test_foreign_fmu_is_learned_by_noise_in_the_frequency_domain(stand: Path) -> None:
    found = learn_source(
        str(stand),
        ["learn.law=frequency", "learn.noise_duration=60.0", "learn.rest_after=2.0"],
    )
    assert found.learning.model == "noise"
    # its outputs come back when the noise has faded out
    assert not any("did not come back" in note for note in found.learning.notes)
    first, last = found.learning.learned.trials[0], found.learning.learned.trials[-1]
    # the cubic spring is not in G: each trial takes some of what is left
    assert last.total < 0.01 * first.total
    transfer = found.learning.transfer
    assert transfer is not None
    assert transfer.coherence is not None
    slow = transfer.frequency == 0.5
    # without the cubic spring, which is small at this amplitude: M y'' + C y' + K y = B u
    s = 2j * np.pi * 0.5
    C, K = np.array([[10.0, -4.0], [-4.0, 10.0]]), np.array([[100.0, -40.0], [-40.0, 130.0]])
    exact = np.linalg.solve(s**2 * np.eye(2) + s * C + K, np.diag([60.0, 90.0]))
    # 11 averages leave a tenth of what is not explained; inputs held for 10 ms lag by 0.02 rad
    assert np.abs(transfer.G[slow][0] - exact).max() < 0.1 * np.abs(exact).max()
    assert transfer.coherence[slow].min() > 0.9


def test_noise_of_a_plant_is_noticed_and_its_luckiest_trial_is_not_what_is_expected(
    tmp_path,
) -> None:
    """y = x + noise, evenly within 2 mm: whatever is learned, 2/sqrt(3) mm rms are left."""
    most = 2e-3
    fmu = integrator_fmu(tmp_path, 2, f"-DNOISE={most}")
    t = 0.02 * np.arange(151)
    write_target(tmp_path, time=t, y=0.2 * np.sin(np.pi * t / 6.0) ** 4)
    text = SCENARIO.format(
        fmu=fmu.name, interface="cs", inputs='["u"]', outputs='["y"]', amplitude="u = 1.0"
    )
    (tmp_path / "noisy.toml").write_text(text)
    learning = learn_source(str(tmp_path / "noisy.toml")).learning
    trials = learning.learned.trials
    assert learning.simulations == 2 + len(trials) + 5
    mean, low, high = learning.expected
    # samples are independent: 400 of them show their rms to 3 %
    assert mean == pytest.approx(most / np.sqrt(3.0), rel=0.2)
    assert low < mean < high
    assert learning.to_expect.startswith(
        f"the best of {len(trials)} trials was chosen by its error"
    )
    assert f"5 further trials of the same controls have {mean:.3g} on average" in learning.to_expect
    # a goal between the luckiest trial and the mean is not reached
    best = trials[learning.learned.best].total
    assert best < mean
    goal = replace(learning, settings=replace(learning.settings, goal=0.5 * (best + mean)))
    assert goal.verdicts[0].status == "failed"


def test_limit_of_an_input_ends_learning_before_the_trial_is_carried_out(stand: Path) -> None:
    found = learn_source(str(stand), ["limits.u.u1=0.3"])
    assert found.exit_code == 1
    assert found.learning.simulations == 1 + 2 + 2  # the model's, and trial 0, once more
    assert found.learning.learned.trials[1].rms_error == {}
    # a number without a unit has none in the sentence
    words = r"breaks a limit: plant u.u1 is 0.3\d* at t = .* s, must be at most 0.3$"
    assert re.search(words, found.learning.learned.ended)


def test_experiments_on_an_fmu_keep_its_limits(stand: Path) -> None:
    with pytest.raises(InputError, match=r"would break a limit: plant u.u1 is 0.05 at"):
        learn_source(str(stand), ["limits.u.u1=0.04"])
    settings = ["learn.law=frequency", "learn.noise_duration=60.0", "limits.u.u1=0.1"]
    with pytest.raises(InputError, match=r"would break a limit: plant u.u1 .*learn.amplitude"):
        learn_source(str(stand), settings)
    with pytest.raises(InputError, match=r"broke a limit, and learning ends: plant y.y1 is"):
        learn_source(str(stand), ["limits.q.y1=1e-5"])


def test_fmi3_model_exchange_of_another_maker_is_learned(tmp_path: Path) -> None:
    """A pendulum that swings without damping: its answers do not die out, which is said."""
    fmu = casadi_fmu(tmp_path / "casadi")
    t = 0.02 * np.arange(101)
    write_target(tmp_path, time=t, phi=0.3 * np.sin(np.pi * t / 2.0) ** 4)
    text = SCENARIO.format(
        fmu=fmu, interface="me", inputs='["u"]', outputs='["phi"]', amplitude="u = 1.0"
    )
    (tmp_path / "pendulum.toml").write_text(text)
    found = learn_source(str(tmp_path / "pendulum.toml"), ["learn.bandwidth=8.0"])
    assert any("phi to u does not die out" in note for note in found.learning.notes)
    u = found.learning.learned.record.inputs[:, 0]
    # the exact controls in closed form: u = m (phi'' + g sin phi), m = 2
    time = found.learning.learned.record.time
    w, inside = np.pi / 2.0, time < 2.0
    s, c = np.sin(w * time), np.cos(w * time)
    phi = np.where(inside, 0.3 * s**4, 0.0)
    bend = np.where(inside, 0.3 * w**2 * (12.0 * s**2 * c**2 - 4.0 * s**4), 0.0)
    exact = 2.0 * (bend + 9.81 * np.sin(phi))
    assert max(found.learning.learned.trials[-1].max_error.values()) < 1e-3
    assert np.sqrt(np.mean((u - exact) ** 2)) < 0.05 * np.abs(exact).max()
    # its derivatives say the same, and along each trial it is Gauss-Newton's method: quadratic
    settings = ["learn.bandwidth=8.0", "learn.model=fmu", "learn.relinearise=true"]
    by_fmu = learn_source(str(tmp_path / "pendulum.toml"), settings).learning.learned
    assert by_fmu.trials[2].total < found.learning.learned.trials[2].total
    assert by_fmu.record.inputs[:, 0] == pytest.approx(u, abs=0.1 * np.abs(exact).max())


def test_one_step_method_sets_the_states_of_an_fmu_again_and_again(tmp_path: Path) -> None:
    fmu = casadi_fmu(tmp_path / "casadi")
    t = 0.02 * np.arange(51)
    write_target(tmp_path, time=t, phi=0.1 * np.sin(np.pi * t) ** 4)
    text = SCENARIO.format(
        fmu=fmu, interface="me", inputs='["u"]', outputs='["phi"]', amplitude="u = 1.0"
    )
    (tmp_path / "pendulum.toml").write_text(text)
    settings = ["learn.law=stepwise", "learn.step=0.02", "learn.rest_after=0.0"]
    found = learn_source(str(tmp_path / "pendulum.toml"), settings)
    last = found.learning.learned.trials[-1]
    # one run from the begin gives what the steps were found with: states were restored rightly
    assert last.number == 1
    assert last.max_error["phi"] < 0.02 * 0.1
    assert "runs over one interval of 0.02 s" in found.learning.notes[0]


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_one_step_method_saves_and_restores_by_co_simulation(tmp_path: Path, fmi: str) -> None:
    export_fmu(pendulum(), tmp_path / "pendulum.fmu", fmi=fmi)
    t = 0.02 * np.arange(26)
    # it starts at 0.7 rad with 0.25 rad/s
    write_target(tmp_path, time=t, phi=0.7 + 0.25 * t + 0.1 * np.sin(np.pi * t) ** 4)
    text = SCENARIO.format(
        fmu="pendulum.fmu",
        interface="cs",
        inputs='["tau"]',
        outputs='["phi"]',
        amplitude="tau = 10.0",
    )
    (tmp_path / "pendulum.toml").write_text(text)
    settings = ["learn.law=stepwise", "learn.step=0.02", "learn.rest_after=0.0"]
    settings += ["plant.tolerance=1e-12"]
    found = {
        way: learn_source(str(tmp_path / "pendulum.toml"), [*settings, f"plant.interface={way}"])
        for way in ("me", "cs")
    }
    ways = {way: one.learning.learned for way, one in found.items()}
    assert ways["cs"].trials[-1].max_error["phi"] < 0.1 * ways["cs"].trials[0].max_error["phi"]
    inputs = {way: one.record.inputs[:, 0] for way, one in ways.items()}
    # tau is found from angles h later, which answer by h^2/(6 m l^2) = 1.5e-5 rad/Nm: an error of
    # the integrators of 1e-9 rad in all is one of 7e-5 Nm
    assert inputs["cs"] == pytest.approx(inputs["me"], abs=7e-5)
    assert ways["cs"].record.outputs == pytest.approx(ways["me"].record.outputs, abs=1e-9)


@pytest.fixture
def swinging(tmp_path: Path) -> Path:
    return write_pendulum(tmp_path)


def test_fmi2_model_exchange_is_learned_by_its_derivatives_without_a_twin(swinging: Path) -> None:
    settings = ["plant.parameters.phi0=0.0", "learn.bandwidth=8.0", "learn.model=fmu"]
    found = learn_source(str(swinging), [*settings, "learn.trials=2"]).learning
    record = found.learned.record
    assert max(found.learned.trials[0].max_error.values()) > 0.05
    assert max(found.learned.trials[-1].max_error.values()) < 1e-3
    # m l^2 phi'' + d phi' + m g l sin(phi), in closed form
    phi, rate, bend = (PENDULUM_PATH.deriv(k)(record.time) * (record.time < 2.0) for k in (0, 1, 2))
    exact = 4.5 * bend + 0.1 * rate + 2.0 * 9.81 * 1.5 * np.sin(phi)
    assert np.sqrt(np.mean((record.inputs[:, 0] - exact) ** 2)) < 0.05 * np.abs(exact).max()
    assert found.notes == ()
    assert (
        found.simulations == 3 + 2
    )  # trials, the best once more, and the one that is linearised along


def test_frequency_law_takes_the_derivatives_of_an_fmu_without_a_twin(swinging: Path) -> None:
    settings = ["plant.parameters.phi0=0.0", "plant.parameters.d=20.0", "learn.law=frequency"]
    settings += ["learn.model=fmu", "learn.rest_after=4.0", "learn.bandwidth=8.0"]
    found = learn_source(str(swinging), [*settings, "learn.trials=4"]).learning
    totals = [trial.total for trial in found.learned.trials]
    # G is that of a linear pendulum, which it nearly is; what is left is the jump at its start
    assert totals[1] < 0.2 * totals[0]
    assert totals[-1] < 0.5 * totals[1]
    assert found.simulations == 5 + 2


def integrator(folder: Path) -> Path:
    """A mass that nothing holds: x'' = F, by FMI 2."""
    state, u, p, t = ca.SX.sym("x", 2), ca.SX.sym("F", 1), ca.SX(0, 1), ca.SX.sym("t")
    p = ca.SX.sym("p", 0)
    model = PlantModel(
        name="Mass",
        states=(Variable("x", "m", "way"), Variable("v", "m/s", "speed")),
        inputs=(Variable("F", "N", "force"),),
        outputs=(Variable("y", "m", "way"),),
        parameters=(),
        rhs=ca.Function("rhs", [t, state, u, p], [ca.vertcat(state[1], u)]),
        outputs_function=ca.Function("outputs", [t, state, u, p], [state[0]]),
        initial=ca.Function("initial", [p], [ca.SX.zeros(2)]),
    )
    export_fmu(model, folder / "mass.fmu")
    time = 0.02 * np.arange(101)
    write_target(folder, time=time, y=np.sin(np.pi * time / 4.0) ** 4)
    text = SCENARIO.format(
        fmu="mass.fmu", interface="me", inputs='["F"]', outputs='["y"]', amplitude="F = 0.1"
    )
    (folder / "mass.toml").write_text(text)
    return folder / "mass.toml"


def test_poles_on_the_axis_are_told_without_a_twin(tmp_path: Path) -> None:
    mass = str(integrator(tmp_path))
    settings = ["learn.trials=0"]
    by_fmu = learn_source(mass, [*settings, "learn.model=fmu"]).learning
    assert any("integrates (2 poles at zero)" in note for note in by_fmu.notes)
    by_pulses = learn_source(mass, settings).learning
    assert any("y to F does not die out" in note for note in by_pulses.notes)
    settings += ["learn.law=frequency", "learn.noise_duration=40.0", "learn.segment=5.0"]
    by_noise = learn_source(mass, settings).learning
    assert any("y did not come back when the noise" in note for note in by_noise.notes)
    with pytest.raises(InputError, match=r"2 of its poles are zero.*inner loops are needed"):
        learn_source(mass, [*settings, "learn.model=fmu"])


def test_fmi3_co_simulation_is_learned_without_a_twin(tmp_path: Path) -> None:
    export_fmu(pendulum(), tmp_path / "pendulum.fmu", fmi="3.0")
    t = 0.02 * np.arange(101)
    # it starts with 0.25 rad/s and comes to rest
    path = np.polynomial.Polynomial([0.0, 0.25]) * np.polynomial.Polynomial([1.0, -0.5]) ** 3
    write_target(tmp_path, time=t, phi=path(t))
    text = SCENARIO.format(
        fmu="pendulum.fmu",
        interface="cs",
        inputs='["tau"]',
        outputs='["phi"]',
        amplitude="tau = 1.0",
    )
    (tmp_path / "pendulum.toml").write_text(text)
    settings = ["plant.parameters.phi0=0.0", "learn.bandwidth=8.0"]
    found = learn_source(str(tmp_path / "pendulum.toml"), settings).learning
    record = found.learned.record
    assert max(found.learned.trials[0].max_error.values()) > 0.05
    assert max(found.learned.trials[-1].max_error.values()) < 1e-3
    # m l^2 phi'' + d phi' + m g l sin(phi), in closed form
    phi, rate, bend = (path.deriv(k)(record.time) * (record.time < 2.0) for k in (0, 1, 2))
    exact = 4.5 * bend + 0.1 * rate + 2.0 * 9.81 * 1.5 * np.sin(phi)
    error = record.inputs[:, 0] - exact
    assert np.sqrt(np.mean(error**2)) < 0.05 * np.abs(exact).max()


@pytest.mark.parametrize("stage", ["trial 1", "learned controls once more, 1 of 1"])
def test_interrupted_learning_gives_the_same_summary(stage, swinging, tmp_path: Path) -> None:
    settings = ["plant.parameters.phi0=0.0", "learn.model=fmu", "learn.trials=2"]
    told: list[dict[str, Any]] = []

    def interrupt(begun: str) -> None:
        if begun == stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn_source(str(swinging), settings, tmp_path / "interrupted", report_stage=interrupt)
    for name in ("interrupted", "whole"):
        learn_source(str(swinging), settings, tmp_path / name)
        told.append(json.loads((tmp_path / name / "summary.json").read_text())["learn"])
        del told[-1]["seconds"]
    assert told[0] == told[1]
    assert told[0]["simulations"] == 3 + 2  # trials, the best once more, and for the model


def test_command_prints_the_summary_as_json(stand: Path) -> None:
    done = CliRunner().invoke(app, ["learn", str(stand), "--json", "--set", "learn.trials=1"])
    summary = json.loads(done.stdout)
    assert [trial["trial"] for trial in summary["learn"]["trials"]] == [0, 1]
    # one trial leaves more than the limit: a failed verdict, exit code 1
    assert (done.exit_code, summary["status"]) == (1, "failed")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["learn.model=fmu"], r"which needs Model Exchange"),
        (["learn.law=stepwise"], r"plant 'Stand' cannot do so: its Co-Simulation has no canGet"),
        (['learn.outputs=["y3"]'], r"column of learn.target.*'y3'. Did you mean 'y2'"),
        (['learn.inputs=["u3"]'], r"unknown input of plant 'Stand' 'u3'. Did you mean 'u2'"),
        (["learn.inputs=[]"], r"has no \[crane\], so it needs learn.inputs"),
        (["learn.model=twin"], r"does not go with learn.law = 'lifted' without a crane"),
        (["solve.step=0.1"], r"has no \[crane\], and \[solve\] is about one"),
        (["limits.rope=3.0"], r"limits.rope is about a crane"),
        (["limits.u.u3=3.0"], r"'u3'. Did you mean 'u2'"),
        (["learn.amplitude={u1=0.1}"], r"how far may input u2 be moved.*learn.amplitude.u2"),
        (["learn.amplitude.u1=-0.1"], r"learn.amplitude.u1 must be above 0, got -0.1"),
        (["learn.judge_from=9.0"], r"judge_from = 9 s is not within the record, which is 4 s long"),
        (["learn.target=ragged.csv"], r"ragged.csv': row 3 has 2 entries, the titles are 3"),
        (["learn.target=no.csv"], r"learn.target = .*no.csv' cannot be read"),
    ],
)
def test_wrong_scenarios_without_a_crane_are_refused(stand: Path, settings, words) -> None:
    with pytest.raises(InputError, match=words):
        learn_source(str(stand), settings)
