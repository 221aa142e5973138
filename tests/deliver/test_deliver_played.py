"""Motions that nothing plans on line as FMU and SSP: planned ones, and those that start moving."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from feedforward_driver import Driver
from fmpy.validation import validate_fmu
from ssp_master import parameters, simulate
from test_deliver_moving import ends_moving, moving

from cranebridge.deliver import DeliveryOrder, deliver, is_unchanged
from cranebridge.deliver.provenance import ARCHIVED
from cranebridge.errors import InputError
from cranebridge.inverse.sampling import sample
from cranebridge.job.delivering import hand_over, left_out
from cranebridge.job.ordering import Wishes
from cranebridge.job.planning import replan
from cranebridge.job.solving import solve_scenario
from cranebridge.scenario import Scenario, load_scenario
from further import further

TRANSPORT = Path(__file__).parents[2] / "examples" / "transport.toml"
MOVING, DONE, EARLY = 0, 1, 2
STEP = 5e-4


@pytest.fixture(scope="module")
def planned() -> Scenario:
    """A planned motion from rest to rest."""
    return load_scenario(str(TRANSPORT))


@pytest.fixture(scope="module")
def stopped(planned: Scenario) -> Scenario:
    """The same, stopped on the way: it starts moving."""
    return replan(planned, 2.5, None, lambda part: None)


@pytest.fixture
def task(request: pytest.FixtureRequest) -> Scenario:
    return request.getfixturevalue(request.param)


def record_in(file: Path) -> dict:
    with zipfile.ZipFile(file) as archive:
        return json.loads(archive.read(ARCHIVED))


@pytest.mark.parametrize(
    ("task", "fmi", "kind", "why"),
    [
        ("planned", "2.0", "cs", "a part of type Pieces"),
        ("stopped", "3.0", "me", "the path starts moving"),
    ],
    indirect=["task"],
)
def test_fmu_plays_the_feedforward_of_a_plan(task, fmi, kind, why, tmp_path) -> None:
    (file,) = hand_over(task, Wishes("fmu", tmp_path / "played.fmu", fmi=fmi))
    assert validate_fmu(str(file)) == []
    assert is_unchanged(file)
    assert why in record_in(file)["plays one motion"]
    assert why in left_out(task, "fmu")[0]
    exact = solve_scenario(task).feedforward
    duration = float(exact.time[-1])
    times = np.sort(np.random.default_rng(4).uniform(0.0, duration, 300))
    wanted = sample(exact, times).values
    driver = Driver(file, tmp_path / "content", kind, begin=0.5)
    if kind == "me":
        driver.raw.enterContinuousTimeMode()
    driver.go(0.25)
    assert driver.status == EARLY
    found = driver.table(0.5 + times, driver.names())
    assert driver.status == MOVING
    driver.go(0.5 + duration)
    assert driver.status == DONE
    driver.close()
    columns = np.hstack([wanted["u"], wanted["q"][:, :2], wanted["v"][:, :2], wanted["gamma"]])
    # cubics, of order 4, between rows at the cycle of 10 ms and at all knots of the path, which
    # are closer where the drives change quickly: 4e-10 of the range
    error = np.abs(found - columns).max(axis=0) / np.ptp(columns, axis=0)
    assert error.max() < 1e-8


@pytest.mark.parametrize(
    ("task", "fmi"), [further("planned", "3.0"), ("stopped", "2.0")], indirect=["task"]
)
def test_ssp_starts_the_plant_in_the_state_of_the_plan(task, fmi, tmp_path) -> None:
    (file,) = hand_over(task, Wishes("ssp", tmp_path / "played.ssp", fmi=fmi))
    exact = solve_scenario(task).feedforward
    values = parameters(file)
    coordinates = [c.name for c in task.crane.coordinates]
    for i, name in enumerate(coordinates[:2]):
        assert values[f"plant.{name}_start"] == pytest.approx(exact.q[0, i], abs=1e-12)
        assert values[f"plant.v_{name}_start"] == pytest.approx(exact.v[0, i], abs=1e-12)
    fast = float(np.abs(exact.v[0]).max())
    assert fast > 1.0 if task.problem.path.moving_ends[0] else fast < 1e-12
    duration = float(exact.time[-1])
    found = simulate(file, tmp_path / "content", STEP, duration + 0.3)
    assert (found.status[0], found.status[-1]) == (MOVING, DONE)
    # Held controls are right in the middle of a step, but not where they have a kink: F_t goes
    # from limit to limit in 4 ms, so that a kink costs (0.5 ms)^2 / 8 * 150 kN/s = 5 mN s, and
    # 110 kg drift by 1.7e-4 m in 4 s. Measured: 2.3e-5 m.
    assert found.error("xz") < 1e-4
    # at rest after the motion, and it stays so
    rest = found.time > duration + STEP
    for name in "xz":
        assert np.ptp(found.plant[name][rest]) < 1e-4


def test_ssp_of_the_rest_of_a_motion_starts_moving_in_space(tmp_path) -> None:
    feedforward, tables = moving("rotary")
    (file,) = deliver(
        feedforward, DeliveryOrder("ssp", tmp_path / "rest.ssp", scenario=tables, fmi="3.0")
    )
    found = simulate(file, tmp_path / "content", 2e-3, 2.0)
    # the same error as from rest, see test_deliver_ssp.py: 4.7e-7 m at 1 ms, order 2
    assert found.error("xyz") < 1e-5
    drive = feedforward.problem.crane.coordinates[1].name
    assert found.plant[f"v_{drive}"][0] == pytest.approx(feedforward.v[0, 1], abs=1e-12)
    assert "starts moving" in record_in(file)["caution"]


def test_fmu_of_a_motion_that_ends_moving_holds_its_last_values_and_says_so(tmp_path) -> None:
    feedforward = ends_moving()
    (file,) = deliver(feedforward, DeliveryOrder("fmu", tmp_path / "ends.fmu"))
    entries = record_in(file)
    assert "the last values do not hold the crane" in entries["caution"]
    driver = Driver(file, tmp_path / "content", "cs")
    driver.go(1.5)
    assert driver.status == DONE
    assert driver.get(["F_t", "M_w"]) == pytest.approx(feedforward.u[-1], rel=1e-12)
    driver.close()


def test_ssp_refuses_a_plant_that_cannot_start_moving(tmp_path, monkeypatch) -> None:
    feedforward, tables = moving("rotary")
    tables["plant"] = {"model": "RotaryCrane"}
    from cranebridge.verify.mapping.start_values import StartValues

    monkeypatch.setattr(StartValues, "carry_velocities", False)
    with pytest.raises(InputError, match=r"RotaryCrane' is not started so: no start value"):
        deliver(feedforward, DeliveryOrder("ssp", tmp_path / "x.ssp", scenario=tables))
    assert not list(tmp_path.iterdir())


def test_the_generator_says_what_to_take_for_a_planned_motion(planned, tmp_path) -> None:
    words = r"this path has a part of type Pieces; deliver this motion as a table, as code or as an"
    with pytest.raises(InputError, match=words):
        hand_over(planned, Wishes("generator", tmp_path / "x.c"))
    assert left_out(planned, "csv") == []
