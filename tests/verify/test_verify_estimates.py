"""What the observer estimates is shown: the payload is found while the load is lifted."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from rich.console import Console

from cranebridge.job import verify_scenario
from cranebridge.job.verifying import open_plant, plant_file, plant_settings
from cranebridge.report.rows import tables
from cranebridge.scenario import load_scenario
from cranebridge.terminal import show_verified
from cranebridge.verify import Verified
from cranebridge.verify.tracking.estimates import estimate_columns, near_since
from cranebridge.verify.tracking.figures import DisturbanceEstimate
from cranebridge.verify.tracking.plant_run import PlantRun

ENCODERS = "control.sensor=[{signal='q.s', noise=1e-3}, {signal='q.l', noise=1e-3}]"
PAYLOAD = 120.0


SETTINGS = ["plant.certify=false", "control.kind=lqi", ENCODERS, f"plant.parameters.m={PAYLOAD}"]


@pytest.fixture(scope="module")
def verified() -> Verified:
    return verify_scenario(load_scenario("overhead", SETTINGS))


def test_payload_is_found_while_lifting(verified) -> None:
    tracking = verified.tracking
    lifted = np.ptp(tracking.wanted[:, 1])
    assert lifted > 1.0
    (estimated,) = tracking.estimated
    assert (estimated.name, estimated.unit, estimated.plant) == ("parameter.m", "kg", PAYLOAD)
    # the filter starts with the twin's 100 kg, and has found the plant's long before the end
    values = tracking.estimates["parameter.m"]
    assert values[0] == pytest.approx(100.0, abs=5.0)
    assert estimated.since < 0.5 * tracking.motion.end
    near = tracking.time >= estimated.since
    assert np.abs(values[near] - PAYLOAD).max() <= 0.05 * PAYLOAD
    assert estimated.final == pytest.approx(PAYLOAD, rel=0.05)


TIMES = np.array([0.0, 0.5, 1.0, 1.5, 2.0])


@pytest.mark.parametrize(
    ("values", "since"),
    [
        ([100.0, 100.0, 100.0, 100.0, 100.0], 0.0),  # known all the time
        ([80.0, 94.0, 96.0, 104.0, 100.0], 1.0),  # 94 is 6 % off, 96 is 4 %
        ([80.0, 100.0, 106.0, 100.0, 100.0], 1.5),  # lost again, and found once more
        ([80.0, 90.0, 90.0, 90.0, 100.0], 2.0),  # with the last sample
        ([100.0, 100.0, 100.0, 100.0, 94.0], None),  # lost at the end
        ([80.0, 80.0, 80.0, 80.0, 80.0], None),  # never
        ([100.0, 100.0, 100.0, 100.0, np.nan], None),  # no number is no find
    ],
)
def test_found_since_is_the_first_sample_from_which_on_it_is_near(values, since) -> None:
    assert near_since(TIMES, np.array(values), 100.0) == since


def test_what_was_never_found_is_told_so() -> None:
    never = DisturbanceEstimate("parameter.m", "kg", 80.0, plant=100.0, since=None)
    assert never.describe().endswith("the plant has 100 kg; not within 5 % of it at the end")
    assert never.as_dict()["since"] is None
    at_once = DisturbanceEstimate("parameter.m", "kg", 100.0, plant=100.0, since=0.0)
    assert at_once.describe().endswith("within 5 % of it from 0 s on")
    force = DisturbanceEstimate("force.x", "N", 3.0)
    assert force.describe() == "force.x estimated: 3 N at the end"
    assert set(force.as_dict()) == {"unit", "final"}


def test_estimated_coordinates_are_those_of_the_plant(verified) -> None:
    tracking = verified.tracking
    names = [quantity.name for quantity in tracking.feedforward.problem.crane.coordinates]
    for i, name in enumerate(names):
        # encoders of 1 mm; the load's swing is known by what it does to the drives alone
        wrong = np.abs(tracking.estimates[f"q.{name}"] - tracking.q[:, i]).max()
        assert wrong < (5e-3 if name in ("s", "l") else 0.2), name


def test_estimates_stand_in_the_table_the_summary_the_report_and_the_terminal(verified) -> None:
    tracking = verified.tracking
    text = io.StringIO()
    tracking.write_csv(text)
    header, *rows = csv.reader(io.StringIO(text.getvalue()))
    last = dict(zip(header, rows[-1], strict=True))
    assert float(last["estimate.parameter.m"]) == pytest.approx(PAYLOAD, rel=0.05)
    assert {"estimate.q.x", "estimate.v.x"} <= set(header)
    (entry,) = tracking.as_dict()["control"]["estimated"].values()
    assert entry["plant"] == PAYLOAD
    assert entry["since"] == tracking.estimated[0].since
    (line,) = tables.controller_table(verified)["estimated"]
    assert "the plant has 120 kg; within 5 % of it from" in line
    console = Console(file=io.StringIO(), width=200)
    show_verified(console, load_scenario("overhead", SETTINGS), verified, None)
    assert line in console.file.getvalue()


def test_compiled_loop_and_python_keep_the_same_estimates(verified, monkeypatch) -> None:
    monkeypatch.setattr("cranebridge.plant.sandbox.loop_library.compiled", lambda: None)
    scenario = load_scenario("overhead", SETTINGS)
    solution = verified.feedforward
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        run = PlantRun(solution, plant, mapping, plant_settings(scenario))
        simulation = run.simulate(solution, 1e-10)
    for name, values in estimate_columns(run, simulation).items():
        assert values == pytest.approx(verified.tracking.estimates[name], rel=1e-6, abs=1e-6), name
