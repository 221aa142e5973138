"""Models of trials behind the loops of drives, against differences of the plant itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import cranebridge
from cranebridge.errors import InputError
from cranebridge.job.learning.learning_job import learn_scenario, learn_settings
from cranebridge.job.learning.saved_trials import repeated_errors
from cranebridge.job.plant_drives import drive_loops
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import (
    ignore_stage,
    open_plant,
    plant_file,
    plant_map,
    plant_settings,
)
from cranebridge.learn.learning import Trial, TrialSeries
from cranebridge.learn.models.twin_model import model_of_twin
from cranebridge.learn.plant_law_design import design_plant_law
from cranebridge.learn.settings import LearnSettings
from cranebridge.learn.trials.fmu_model import model_of_fmu
from cranebridge.learn.trials.plant_trials import PlantTrials
from cranebridge.learn.trials.recorded_controls import on_record
from cranebridge.learn.trials.references import moved_references, reference_columns
from cranebridge.plant.description.fmu import inspect

MASTER = (
    'plant.speed.F_t={coordinate="s", kp=2e3, ki=2e4, where="master"}',
    'plant.speed.M_w={coordinate="l", kp=4e2, ki=4e3, where="master"}',
)
CASCADE = (
    "control.kind=drives",
    'control.drives.w_s={coordinate="s", kp=2.0, kv=0.0}',
    'control.drives.w_l={coordinate="l", kp=3.0, kv=0.1}',
)
DRIVES = {
    "inside": ("overhead-speed", ()),
    "without integral": ("overhead-speed", ("plant.speed.F_t.ki=0.0",)),
    "around": ("overhead", MASTER),
    "cascade": ("overhead-speed", CASCADE),
}


@contextmanager
def trials_of(name: str, *settings: str) -> Iterator[PlantTrials]:
    scenario = cranebridge.load(name, settings)
    solution = solve_scenario(scenario).feedforward
    base = on_record(solution, 0.02, 0.0, 0.5)
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        yield PlantTrials(
            base,
            plant,
            mapping,
            plant_settings(scenario),
            scenario.limits,
            obstacles=scenario.obstacles,
        )


@pytest.mark.parametrize("kind", DRIVES)
def test_models_answer_to_a_change_of_the_controls_as_the_plant_does(kind: str) -> None:
    name, settings = DRIVES[kind]
    with trials_of(name, *settings) as trials:
        base = trials.base
        t = base.time[:, None] - base.time[0]
        # begins at the first sample with a jump: what drives hold at the start is not learned
        change = np.exp(-0.5 * ((t - [0.6, 1.0]) / 0.3) ** 2) + [0.5, 0.2] * np.exp(-3.0 * t)
        change = change * [2.0, 0.5]
        measured = trials.outputs(base.u + change) - trials.outputs(base.u)
        found = {"fmu": model_of_fmu(trials, trials.run(base.u)).respond(change)}
        if kind != "cascade":
            twin = model_of_twin(base, trials.mapping, trials.settings.loops)
            found["twin"] = twin.sampled().respond(change)
    assert np.abs(measured).max() > 5e-5
    for answer in found.values():
        # controls of 1 % of their range: what is not linear is as small; lines between 60 times
        assert np.abs(answer - measured).max() < 0.03 * np.abs(measured).max()


def test_heavier_crane_with_speed_drives_is_learned() -> None:
    settings = ["plant.parameters.m=110", "learn.trials=2"]
    _, learning = learn_scenario(cranebridge.load("overhead-speed", settings))
    totals = [trial.total for trial in learning.learned.trials]
    assert totals[2] < 0.01 * totals[0]
    assert (learning.model, learning.learned.floors, learning.notes) == ("twin", (), ())


def test_twin_without_a_cascade_is_refused_and_not_chosen() -> None:
    with trials_of("overhead-speed", *CASCADE) as trials:
        base = trials.base
        with pytest.raises(InputError, match=r"w_s, w_l: a loop of control.drives .*differences"):
            model_of_twin(base, trials.mapping, trials.settings.loops)
        scenario = cranebridge.load("overhead-speed", CASCADE)
        settings = learn_settings(scenario.tables.learn)
        assert settings.model == "auto"
        designed = design_plant_law(settings, trials, lambda: trials.run(base.u))
        assert designed.model == "differences"


def test_trial_that_comes_too_near_to_an_obstacle_breaks_a_limit() -> None:
    """The path ends at x = 5 m, 0.5 m from a wall that wants 0.4 m; a push goes nearer."""
    wall = 'obstacles=[{kind="box", low=[5.5, -9.0], high=[7.0, 5.0], clearance=0.4}]'
    once = LearnSettings(repeats=1)
    with trials_of("overhead", wall, "limits.swing=1.0") as trials:
        inputs = [trials.base.u + np.array([force, 0.0]) for force in (0.0, 20.0)]
        kept, pushed = (trials.run(u) for u in inputs)
        best = Trial(0, 1.0, {}, {}, 0.0, ())
        errors = [
            repeated_errors(
                trials.run,
                TrialSeries((best,), 0, done.outcome.record, "", False, ()),
                once,
                ignore_stage,
            )
            for done in (kept, pushed)
        ]
    # what is to be expected of controls that break a limit is no error that could be met
    assert errors == [(kept.outcome.record.total_error(once.judge_from),), (np.inf,)]
    assert kept.outcome.broken == ()
    (broken,) = pushed.outcome.broken
    assert broken.startswith("plant clearance of obstacle 1: the load comes as close as")
    # a limit that a trial cannot be judged by is told so
    (swing, _) = (v for v in kept.verdicts if "swing" in v.name)
    assert swing.status == "not judged"
    assert "a trial ends with its record" in swing.message


def test_references_of_learned_forces_are_moved_behind_the_gear_of_the_plant() -> None:
    """A winch whose input is -2 M_w + m: a change of 3 N m is one of -6 N m at its loop."""
    settings = (
        "plant.map.inputs={F_t='F_t', M_w='-2*M_w + m'}",
        "control.kind=drives",
        "control.drives.F_t={coordinate='s', kp=2000.0, kv=600.0}",
        "control.drives.M_w={coordinate='l', kp=400.0, kv=0.0}",
    )
    scenario = cranebridge.load("overhead", settings)
    base = on_record(solve_scenario(scenario).feedforward, 0.02, 0.0, 0.5)
    mapping = plant_map(scenario, inspect(plant_file(scenario)))
    change = np.array([8.0, 3.0])
    moved = moved_references(base, base.u + change, mapping, drive_loops(scenario))
    assert set(moved) == {"s", "l"}
    assert moved["s"] == pytest.approx(np.full(base.time.size, 8.0 / 2000.0))
    assert moved["l"] == pytest.approx(np.full(base.time.size, -6.0 / 400.0))
    columns = reference_columns(base, moved, ())
    assert columns["r.l"] == pytest.approx(base.q[:, 1] - 0.015)
