"""Delivery with the controller: what is handed over is what the verification ran."""

from __future__ import annotations

import ctypes
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from c_programs import load_strict
from cranebridge.control.code.controller import Controller
from cranebridge.control.code.controller_st import MOTION_ERROR, controller_block
from cranebridge.deliver import is_unchanged
from cranebridge.job.delivering import hand_over, left_out
from cranebridge.job.ordering import Wishes
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import open_plant, plant_file, plant_settings
from cranebridge.plant.sandbox.plant_results import Simulation
from cranebridge.scenario import load_scenario
from cranebridge.verify.tracking.plant_run import PlantRun
from further import further
from structured_text import Machine

SENSORS = "control.sensor=[{signal='q.s', noise=1e-3}, {signal='q.l', noise=1e-3}]"
# Those that a law has by default with this cycle, but given: else it is searched for seconds how
# stiff it may be, which is no matter where two things that run the same law are compared.
WEIGHTS = (
    "control.weights={'q.s'=44.4, 'q.l'=44.4, 'v.s'=0.0386, 'v.l'=0.0386, "
    "'y.x'=400.0, 'y.z'=400.0, 'r.x'=0.952, 'r.z'=0.952}"
)
LQI = ["control.kind=lqi", "control.cycle=0.02", "plant.start.q.x=0.05", "limits.u.F_t=900"]
DELAYED = ["control.kind=lqr", "control.cycle=0.02", "control.delay=0.03", "plant.start.q.x=0.05"]
LQI, DELAYED = [*LQI, WEIGHTS], [*DELAYED, WEIGHTS]


@cache
def verified(name: str, *settings: str) -> tuple[Controller, Simulation]:
    """Return the controller of a verification, and what it measured and gave out."""
    scenario = load_scenario(name, settings)
    solution = solve_scenario(scenario).feedforward
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        run = PlantRun(solution, plant, mapping, plant_settings(scenario))
        return run.law.designed.controller, run.simulate(solution, 1e-10)


def run_c(file: Path, measured: np.ndarray, inputs: int, real: type = np.float64) -> np.ndarray:
    library, name = load_strict(file), file.stem
    state = (ctypes.c_double * 100_000)()
    getattr(library, f"{name}_init")(state)
    u = np.zeros((len(measured), inputs), dtype=real)
    for row, given in zip(np.ascontiguousarray(measured, dtype=real), u, strict=True):
        addresses = (ctypes.c_void_p(array.ctypes.data) for array in (row, given))
        getattr(library, f"{name}_step")(state, *addresses)
    return u


@pytest.mark.parametrize(
    "settings",
    [
        ["control.kind=lqr", SENSORS, "plant.start.q.x=0.05", WEIGHTS],
        further(LQI),  # as in test_c_in_single_precision_does_the_same_to_its_rounding
        # a crane whose plant does not show all coordinates: the same choice of them is needed
        ["crane", "control.kind=lqr"],
    ],
    ids=["observer", "lqi", "hidden coordinates"],
)
def test_c_gives_the_bytes_of_the_verification(settings, tmp_path) -> None:
    name, settings = ("rotary-redundant", settings[1:]) if "crane" in settings else (
        "overhead", settings
    )  # fmt: skip
    settings = ["plant.certify=false", *settings]
    scenario = load_scenario(name, settings)
    files = hand_over(scenario, Wishes("c", tmp_path / "mine.c"))
    assert [file.name for file in files] == [
        *("mine.c", "mine.h", "mine_controller.c", "mine_controller.h"),
    ]
    assert all(map(is_unchanged, files))
    controller, simulation = verified(name, *settings)
    u = run_c(files[2], simulation.measured, len(controller.inputs))
    assert u.tobytes() == simulation.given.tobytes()
    assert left_out(scenario, "c") == []


def test_c_in_single_precision_does_the_same_to_its_rounding(tmp_path) -> None:
    scenario = load_scenario("overhead", LQI)
    files = hand_over(scenario, Wishes("c", tmp_path / "mine.c", precision="single"))
    _, simulation = verified("overhead", *LQI)
    u = run_c(files[2], simulation.measured, 2, np.float32)
    # 6e-8 of some metres times gains of 1e4 N/m, over some ten products
    assert u == pytest.approx(simulation.given, abs=2e-2)


# a delay: test_block_gives_the_inputs_of_the_module in tests/control/test_controller_st.py
@pytest.mark.parametrize("settings", [LQI, further(DELAYED)], ids=["lqi", "delay"])
def test_structured_text_does_the_same_to_the_error_of_its_tables(settings, tmp_path) -> None:
    scenario = load_scenario("overhead", settings)
    (file,) = hand_over(scenario, Wishes("st", tmp_path / "mine.st"))
    text = file.read_text()
    assert left_out(scenario, "st") == []
    controller, simulation = verified("overhead", *settings)
    block = Machine(text[text.index("(* Controller") :], tmp_path)
    found = block.run(simulation.measured)
    # reference and feedforward are wrong by so much of their range, each
    gains = np.abs(controller.gains[:, :, : controller.reference.shape[1]]).max(axis=0)
    ranges = np.ptp(controller.reference, axis=0)
    allowed = MOTION_ERROR * (gains @ ranges + np.ptp(controller.hold, axis=0))
    # integrals add up what is wrong over a time
    assert (np.abs(found - simulation.given) <= 2.0 * allowed).all()
    assert (np.abs(found - simulation.given).max(axis=0) < 0.02 * np.abs(found).max(axis=0)).all()
    assert block["Done"]


def test_structured_text_holds_where_a_value_is_no_number(tmp_path) -> None:
    controller, simulation = verified("overhead", *LQI)
    block = Machine(controller_block(controller, "mine_controller"), tmp_path)
    measured = simulation.measured[:30].copy()
    measured[20:25, [2, -1]] = math.nan  # the last one is integrated
    measured[22, 0] = math.inf
    found = block.run(measured)
    assert np.isfinite(found).all()
    # integrals have waited: they are numbers, and it goes on
    assert not block["Error"]
    good = block.run(simulation.measured[:30])
    assert (found[:20] == good[:20]).all()
    change = controller.hold[20:25] - controller.hold[19]
    assert found[20:25] - found[19] == pytest.approx(change, abs=2e-4 * np.ptp(controller.hold))
    # the second is a number, and what the law makes of it is beyond all
    for bad in (math.nan, 1e149):
        measured[29] = bad
        block.run(measured)
        assert block["Error"]
        assert block["ErrorID"] == 1


def test_what_a_format_does_not_contain_is_said() -> None:
    observed = load_scenario("overhead", ["control.kind=lqr", SENSORS])
    for scenario, to in (
        (observed, "csv"),
        (observed, "modelica"),
        (load_scenario("overhead", ["control.kind=lqr"]), "parquet"),
    ):
        (line,) = left_out(scenario, to)
        assert "not handed over in this format" in line
    assert left_out(load_scenario("overhead"), "csv") == []
    drive = "control.drives.F_t={coordinate='s', kp=1.0}"
    (line,) = left_out(load_scenario("overhead", ["control.kind=drives", drive]), "c")
    assert "is continuous and not handed over; give control.cycle" in line


def test_structured_text_has_the_observer(tmp_path) -> None:
    settings = ["control.kind=lqr", SENSORS, "control.cycle=0.02", WEIGHTS]
    scenario = load_scenario("overhead", settings)
    assert left_out(scenario, "st") == []
    (file,) = hand_over(scenario, Wishes("st", tmp_path / "mine.st"))
    # what it does is tested in tests/control/test_controller_st.py
    block = file.read_text().split("FUNCTION_BLOCK FB_mine_controller")[1]
    assert "In_0_q_s : LREAL;" in block
    # six states of the motion and the payload: seven times seven
    assert "Covariance : ARRAY[0..48] OF LREAL;" in block
