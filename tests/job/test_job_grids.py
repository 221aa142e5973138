"""Every grid has a bound, which is looked at before memory is taken.

The values are little beyond the bounds: where one is missing, the test fails and the machine lives.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from cranebridge.campaign.design.designs import MOST_RUNS, make_design
from cranebridge.campaign.design.factors import Factor
from cranebridge.campaign.design.laws import Values
from cranebridge.errors import InputError
from cranebridge.job import verify_into
from cranebridge.job.learning import learning_job
from cranebridge.job.learning.black_box_learning import _task
from cranebridge.job.sweeping import read_sweep
from cranebridge.learn.models.experiment import noise_transfer
from cranebridge.learn.settings import LearnSettings
from cranebridge.plant.protocol import Instantiation, SimulationRequest
from cranebridge.scenario import load_scenario
from cranebridge.verify.feedback.compiled_law import _times
from cranebridge.verify.tracking.plant_run import compared_times


# The motion of `overhead` takes 3 s, and its rest after it 2 s.
@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("plant.step=1e-6", "plant.step = 1e-06 s gives more than 2,000,000 points over 3 s"),
        ("plant.settle=30000", "plant.settle = 30000 s gives more than 2,000,000 points with"),
    ],
)
def test_a_plant_is_not_asked_for_too_many_times(setting, words, exact):
    settings = load_scenario("overhead", [setting]).tables.plant
    asked = SimpleNamespace(settle=settings.settle, step=settings.step, path=None)
    with pytest.raises(InputError, match=words):
        compared_times(exact("overhead", 30), asked)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("learn.step=1e-6", "learn.step = 1e-06 s gives more than 1,000,000 points over 3 s"),
        ("learn.rest_after=10001", "learn.rest_after = 10001 s gives more than 1,000,000 points"),
        ("learn.rest_before=10001", "learn.rest_before = 10001 s gives more than 1,000,000 points"),
        ("learn.pulses=1001", "learn.pulses = 1001 is more than the 1,000 that are tried"),
    ],
)
def test_a_record_has_not_too_many_samples(setting, words, tmp_path, monkeypatch):
    # where the bound is missing, learning a million samples would take hours
    monkeypatch.setattr(learning_job, "on_record", None)
    with pytest.raises(InputError, match=words):
        learning_job.learn_into(load_scenario("overhead", [setting]), tmp_path / "out", False)
    assert not (tmp_path / "out").exists()


def test_a_plant_with_too_many_times_is_a_mistake_and_leaves_no_folder(tmp_path):
    with pytest.raises(InputError, match=r"plant.step = 1e-06 s gives more than"):
        verify_into(load_scenario("overhead", ["plant.step=1e-6"]), tmp_path / "out", False, "fmu")
    assert not (tmp_path / "out").exists()


def test_a_run_with_noise_has_not_too_many_samples():
    with pytest.raises(InputError, match=r"learn.step = 0.01 s gives more than 1,000,000 points"):
        noise_transfer(None, np.zeros(1), LearnSettings(noise_duration=10_001.0), np.ones(1))


def test_a_sampled_controller_has_not_too_many_samples_after_the_motion():
    reference = SimpleNamespace(cycle=1e-3, time=np.array([0.0, 3.0]))
    with pytest.raises(InputError, match=r"control.cycle = 0.001 s gives more than 20,000,000"):
        _times(reference, (0, 0.0), np.array([0.0, 20_001.0]))


def test_a_sweep_has_not_too_many_values():
    with pytest.raises(InputError, match="has 100,001 values, more than 100,000; take fewer"):
        read_sweep("crane.m=1:2:100001")


def test_a_campaign_has_not_too_many_runs():
    with pytest.raises(InputError, match=r"campaign.runs = 10000001 is more than 10,000,000"):
        make_design([Factor("crane.m", Values((1.0, 2.0)))], "random", MOST_RUNS + 1)


def test_more_numbers_than_are_taken_from_a_plant_are_not_asked_for():
    fmu = Instantiation("2.0", "me", "own", "", "plant", "token", 2, 0, False)

    def ask(count: int) -> SimulationRequest:
        names = {"output_names": ("y",) * 30, "state_names": ("x", "v")}
        return SimulationRequest(fmu=fmu, times=np.arange(float(count)), **names)

    ask(2**20)  # 2^25 numbers are taken
    with pytest.raises(InputError, match="1,048,577 output times of 32 variables are more than"):
        ask(2**20 + 1)


def test_a_record_without_a_crane_has_not_too_many_samples(tmp_path: Path):
    (tmp_path / "target.csv").write_text("time,y\n0,0\n2,1\n")
    table = SimpleNamespace(target=str(tmp_path / "target.csv"), outputs=["y"], inputs=["u"])
    limits = SimpleNamespace(model_dump=dict)
    scenario = SimpleNamespace(tables=SimpleNamespace(learn=table, limits=limits))
    with pytest.raises(InputError, match=r"learn.step = 1e-06 s gives more than 1,000,000 points"):
        _task(scenario, LearnSettings(step=1e-6), None)
