"""Velocity references are handed over: in SI and in the drives' units, until they have faded."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import pytest
from test_deliver_controller import run_c, verified
from test_deliver_controller_fmu import closed_loop

from cranebridge.errors import InputError
from cranebridge.inverse.speed_drives import speed_references
from cranebridge.job.delivering import hand_over, left_out
from cranebridge.job.ordering import Wishes
from cranebridge.job.plant_drives import speed_loops
from cranebridge.job.solving import solve_scenario
from cranebridge.scenario import load_scenario
from further import further

sys.path.append(str(Path(__file__).parents[1] / "control"))
from test_controller_st import pair

TROLLEY = 'deliver.drives.trolley={coordinate="s",unit="m/min"}'


def test_table_has_the_references_in_both_units_and_ends_at_rest(tmp_path) -> None:
    scenario = load_scenario("overhead-speed", [TROLLEY])
    wishes = Wishes("csv", tmp_path / "a.csv", columns=("w", "drive_reference", "q.s"))
    hand_over(scenario, wishes)
    with (tmp_path / "a.csv").open() as file:
        titles, *rows = csv.reader(file)
    assert titles == ["time", "w.s", "w.l", "drive_reference.trolley", "q.s"]
    values = np.array(rows, dtype=float)
    wanted = speed_references(solve_scenario(scenario).feedforward, speed_loops(scenario))
    # the table is exact at its times, the polynomial to the 1e-7 m/s of its order between nodes
    assert values[:-1, 1:3] == pytest.approx(wanted.speeds(values[:-1, 0]), abs=1e-8)
    assert values[:, 3] == pytest.approx(60.0 * values[:, 1], rel=1e-12)
    assert values[-1, 0] > 3.5
    assert np.abs(values[-1, 1:3]).max() < 1e-15


def test_controller_in_c_gives_the_references_of_the_verification(tmp_path) -> None:
    settings = ["control.kind=lqi", "control.cycle=0.02", "plant.parameters.m=120"]
    scenario = load_scenario("overhead-speed", settings)
    files = hand_over(scenario, Wishes("c", tmp_path / "crane.c"))
    controller, simulation = verified("overhead-speed", *settings)
    assert [channel.name for channel in controller.inputs] == ["w.s", "w.l"]
    given = run_c(files[2], simulation.measured, 2)
    assert given.tobytes() == simulation.given.tobytes()
    # velocities of a motion of 3 s over 5 m, and the law moves them
    assert 1.0 < np.abs(given[:, 0]).max() < 10.0
    assert np.abs(given - controller.hold[: len(given)][[-1]]).max() > 0.1
    header = (tmp_path / "crane_controller.h").read_text()
    assert "crane_controller_out_0_w_s = 0, /* w.s [m/s]: velocity reference" in header
    assert "w_s" in (tmp_path / "crane.h").read_text()
    hand_over(scenario, Wishes("ssp", tmp_path / "crane.ssp"))


SENSORS = (
    'control.sensor=[{signal="q.s",noise=1e-3},{signal="q.l",noise=1e-3},'
    '{signal="(x - s)/l",noise=1e-3,cycle=0.01}]'
)


@pytest.mark.parametrize("delay", [further(0.0), 0.0075])
def test_observer_in_c_gives_the_bytes_of_the_verification(delay, tmp_path) -> None:
    settings = ["control.kind=lqi", SENSORS, f"control.delay={delay}", "plant.parameters.m=120"]
    scenario = load_scenario("overhead-speed", settings)
    files = hand_over(scenario, Wishes("c", tmp_path / "crane.c"))
    controller, simulation = verified("overhead-speed", *settings)
    assert controller.observer.places is not None
    given = run_c(files[2], simulation.measured, 2)
    assert given.tobytes() == simulation.given.tobytes()
    assert (simulation.controller_status >= 0).all()
    header = (tmp_path / "crane_controller.h").read_text()
    assert "drive.s [m]: where the reference of the drive of s is" in header
    hand_over(scenario, Wishes("ssp", tmp_path / "crane.ssp"))


@pytest.mark.parametrize("resolution", [further(1e-4), 1e-6])
def test_ssp_with_an_observer_moves_as_the_verification_does(resolution, tmp_path) -> None:
    """FMPy runs the SSP: controller with filter and plant with speed loops, both as FMUs.

    Readings are rounded in the verification and not in the SSP, and nothing else differs: so the
    load's motions differ by some times that rounding. FMPy exchanges values and then steps by 1 ms,
    which is the delay that the law knows; a row of its results is that of the end of a step.
    """
    titles = ("q.s", "q.l", "(x - s)/l")
    sensors = ", ".join(f"{{signal='{title}', resolution={resolution}}}" for title in titles)
    settings = ["control.kind=lqr", f"control.sensor=[{sensors}]", "control.delay=0.001"]
    settings += ["plant.parameters.m=110", "plant.settle=3.0", "plant.certify=false"]
    (file,) = hand_over(
        load_scenario("overhead-speed", settings), Wishes("ssp", tmp_path / "a.ssp")
    )
    result = closed_loop(file, 6.0)
    _, run = verified("overhead-speed", *settings)
    rows = np.round(run.time[1:] / 1e-3).astype(int) - 1
    for name in ("x", "z"):
        own = run.outputs[1:, run.output_names.index(name)]
        # an estimate made of three readings: a hundred times less rounding is that much less
        assert np.abs(own - result[f"plant.{name}"][rows]).max() < 5.0 * resolution
    estimate = result["controller.estimate_parameter_m"][rows[-1]]
    assert estimate == pytest.approx(110.0, rel=0.02)
    assert (result["controller.status"] >= 0).all()
    assert [result["plant.x"][-1], result["plant.z"][-1]] == pytest.approx([5.0, -1.0], abs=1e-3)


def test_observer_in_structured_text_does_what_the_module_does(tmp_path) -> None:
    settings = ("control.kind=lqr", SENSORS, "control.delay=0.0075", "plant.parameters.m=120")
    controller, simulation = verified("overhead-speed", *settings)
    both = pair(controller, simulation.measured, tmp_path)
    # the same operations: rounding of the interpolated reference times gains of some 100 1/s
    status, _ = both.compare(simulation.measured, 1e-10)
    assert set(status) <= {0, 1}
    told = [both.block[name] for name in both.block.names("Estimate_")]
    assert "estimate_drive_s" in both.block.names("Estimate_")
    assert told == pytest.approx(both.module.estimate, rel=1e-6, abs=1e-8)


def test_what_gives_forces_only_says_so(tmp_path) -> None:
    scenario = load_scenario("overhead-speed")
    with pytest.raises(InputError, match="an SSP of a feedforward alone gives forces"):
        hand_over(scenario, Wishes("ssp", tmp_path / "crane.ssp"))
    assert "are in tables and code" in left_out(scenario, "generator")[0]
    assert left_out(scenario, "csv") == []
