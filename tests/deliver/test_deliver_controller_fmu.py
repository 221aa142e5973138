"""The controller as an FMU and in an SSP: samples, orders of exchange, the plant beside it."""

from __future__ import annotations

import math
import zipfile
from itertools import product
from typing import Any

import fmpy
import numpy as np
import pytest
from feedforward_driver import Driver
from fmpy.fmi1 import FMICallException
from fmpy.ssp import simulation as ssp_simulation
from fmpy.ssp.ssd import read_ssd
from fmpy.validation import validate_fmu
from lxml import etree
from test_deliver_controller import DELAYED, LQI, SENSORS, WEIGHTS, run_c, verified
from test_deliver_ssp import SCHEMAS

from cranebridge.control.code.controller_c import controller_sources
from cranebridge.deliver import is_unchanged
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.job import delivering
from cranebridge.job.delivering import hand_over, left_out
from cranebridge.job.ordering import Wishes
from cranebridge.job.solving import solve_scenario
from cranebridge.scenario import load_scenario
from cranebridge.verify.feedback.controllers import ControllerDesign, design_controller
from further import further, mostly_further

OBSERVED = [
    *("control.kind=lqr", "control.cycle=0.02", SENSORS, "plant.start.q.x=0.05"),
    *("control.observer.disturbances={'parameter.m' = 20.0}", WEIGHTS),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """FMU, measured signals and inputs of a verification, by settings and version."""
    known = {}

    def make(settings, fmi="2.0"):
        key = (*settings, fmi)
        if key not in known:
            folder = tmp_path_factory.mktemp("controller")
            scenario = load_scenario("overhead", settings)
            (file,) = hand_over(scenario, Wishes("fmu", folder / "mine.fmu", fmi=fmi))
            assert left_out(scenario, "fmu") == []
            known[key] = file, verified("overhead", *settings)[1]
        return known[key]

    return make


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_fmpy_finds_nothing_wrong(made, fmi) -> None:
    file, _ = made(LQI, fmi)
    assert validate_fmu(str(file)) == []
    variables = fmpy.read_model_description(str(file)).modelVariables
    kinds = {v.name: (v.causality, v.unit) for v in variables}
    assert kinds["q_s"] == ("input", "m")
    assert kinds["y_z"] == ("input", "m")
    assert kinds["F_t"] == ("output", "N")
    assert kinds["begin"] == ("parameter", "s")
    # what nobody sets is read as it is where the motion begins
    start = {v.name: float(v.start) for v in variables if v.causality == "input"}
    assert (start["q_s"], start["y_z"]) == pytest.approx((0.0, -4.0), abs=1e-9)


@pytest.mark.parametrize(
    ("fmi", "kind", "law"),
    mostly_further(
        product(["2.0", "3.0"], ["me", "cs"], ["lqi", "observer"]),
        *(("2.0", "me", "lqi"), ("2.0", "cs", "lqi"), ("3.0", "cs", "lqi")),
        ("3.0", "me", "observer"),
    ),
)
def test_fmu_gives_the_numbers_of_the_verification(made, law, kind, fmi, tmp_path) -> None:
    settings = {"lqi": LQI, "observer": OBSERVED}[law]
    file, simulation = made(settings, fmi)
    driver = Driver(file, tmp_path / "unpacked", kind)
    names = driver.names("input")
    if kind == "me":
        driver.raw.enterContinuousTimeMode()
    estimates = driver.estimates()
    assert ("estimate_parameter_m" in estimates) == (settings is OBSERVED)
    rows = zip(simulation.measured, simulation.given, simulation.estimated, strict=True)
    for k, (measured, wanted, estimated) in enumerate(rows):
        if kind == "me":  # what a master sets before and in the event at the sample's time
            driver.raw.setTime(0.02 * k)
            driver.set(**dict(zip(names, measured.tolist(), strict=True)))
            driver.raw.enterEventMode()
            following = driver.event()
            assert following == pytest.approx(0.02 * (k + 1), abs=1e-9)
            driver.raw.enterContinuousTimeMode()
        else:
            driver.go(0.02 * k)
            driver.set(**dict(zip(names, measured.tolist(), strict=True)))
        assert (driver.get(driver.names()) == wanted).all(), k
        if estimates:
            assert (driver.get(estimates) == estimated).all(), k
    assert driver.status == 1
    driver.close()


def test_master_that_exchanges_first_has_a_delay_of_one_cycle(made, tmp_path) -> None:
    file, simulation = made(LQI)
    driver = Driver(file, tmp_path / "unpacked", "cs")
    names, found = driver.names("input"), []
    for k, measured in enumerate(simulation.measured):
        driver.go(0.02 * k)
        found.append(driver.get(driver.names()))
        driver.set(**dict(zip(names, measured.tolist(), strict=True)))
    driver.close()
    assert (np.array(found)[1:] == simulation.given[:-1]).all()


def test_samples_between_long_steps_are_made_up_for(made, tmp_path) -> None:
    file, simulation = made(LQI)
    driver = Driver(file, tmp_path / "unpacked", "cs")
    names, measured = driver.names("input"), simulation.measured
    for k in (0, 1, 2):
        driver.go(0.02 * k)
        driver.set(**dict(zip(names, measured[k].tolist(), strict=True)))
    driver.go(0.02 * 10)
    driver.set(**dict(zip(names, measured[10].tolist(), strict=True)))
    late = driver.get(driver.names())
    driver.close()
    header, source = controller_sources(verified("overhead", *LQI)[0], "module")
    (tmp_path / "module.h").write_text(header)
    (tmp_path / "module.c").write_text(source)
    rows = measured[[0, 1, *[2] * 8, 10]]  # in between with what was read last
    assert (run_c(tmp_path / "module.c", rows, 2)[-1] == late).all()


def test_wrong_reading_holds_and_is_over_with_the_next_one(made, tmp_path) -> None:
    file, simulation = made(DELAYED)
    driver = Driver(file, tmp_path / "unpacked", "cs")
    names, rows = driver.names("input"), simulation.measured
    for k in range(4):
        driver.go(0.02 * k)
        driver.set(**dict(zip(names, rows[k].tolist(), strict=True)))
        if k == 2:
            driver.set(**{names[0]: -1e4})
        assert driver.status == (-1 if k == 2 else 0)
        assert np.isfinite(driver.get(driver.names())).all()
    # what is no number does not get in at all: the master is told by the call
    for bad in (math.nan, math.inf):
        with pytest.raises(FMICallException):
            driver.set(**{names[0]: bad})
    assert np.isfinite(driver.get(driver.names())).all()
    driver.close()


def test_value_that_is_no_number_is_told_of(made, tmp_path) -> None:
    file, simulation = made(DELAYED)
    driver = Driver(file, tmp_path / "unpacked", "cs")
    names = driver.names("input")
    driver.set(**dict(zip(names, simulation.measured[0].tolist(), strict=True)))
    assert driver.status == 0
    driver.go(0.02)
    driver.set(**dict(zip(names, simulation.measured[1].tolist(), strict=True)))
    # 1e308 is a number, and what comes of it is none
    driver.set(**{names[0]: 1e308, names[1]: -1e308})
    assert driver.status == -1
    assert np.isfinite(driver.get(driver.names())).all()
    driver.close()


# FMI 2's own calls: test_state_is_restored_with_the_plan_in_it in test_deliver_fmu.py
@pytest.mark.parametrize("fmi", [further("2.0"), "3.0"])
def test_state_and_reset_hold_everything_that_is_remembered(made, fmi, tmp_path) -> None:
    """Observer, inputs under way and the sample that may be taken again."""
    file, simulation = made(OBSERVED, fmi)
    driver = Driver(file, tmp_path / "unpacked", "cs")
    raw, names = driver.raw, driver.names("input")

    def run(samples: range) -> np.ndarray:
        found = []
        for k in samples:
            driver.go(0.02 * k)
            driver.set(**dict(zip(names, simulation.measured[k].tolist(), strict=True)))
            found.append(driver.get(driver.names()))
        return np.array(found)

    def state() -> Any:
        return raw.getFMUstate() if fmi == "2.0" else raw.getFMUState()

    def restore(kept: Any) -> None:
        (raw.setFMUstate if fmi == "2.0" else raw.setFMUState)(kept)
        driver.time = 0.02 * 39

    run(range(40))
    kept = state()
    if fmi == "2.0":
        copy = raw.deSerializeFMUstate(raw.serializeFMUstate(kept))
    else:
        copy = raw.deserializeFMUState(raw.serializeFMUState(kept))
    wanted = simulation.given[40:80]
    assert (run(range(40, 80)) == wanted).all()
    for one in (kept, copy):
        restore(one)
        assert (run(range(40, 80)) == wanted).all()
    raw.reset()
    driver.initialize()
    assert (run(range(40)) == simulation.given[:40]).all()
    driver.close()


def test_first_sample_is_when_it_is_told_to_begin(made, tmp_path) -> None:
    file, simulation = made(LQI)
    driver = Driver(file, tmp_path / "unpacked", "cs", begin=0.5)
    names = driver.names("input")
    driver.go(0.4)
    driver.set(**dict(zip(names, simulation.measured[7].tolist(), strict=True)))
    first = driver.get(driver.names())
    assert first == pytest.approx(verified("overhead", *LQI)[0].hold[0], rel=1e-12)
    for k, measured in enumerate(simulation.measured[:30]):
        driver.go(0.5 + 0.02 * k)
        driver.set(**dict(zip(names, measured.tolist(), strict=True)))
        assert (driver.get(driver.names()) == simulation.given[k]).all(), k
    driver.close()
    exchange = Driver(file, tmp_path / "again", "me", begin=0.5)
    assert exchange.next_event == pytest.approx(0.5, abs=1e-9)
    exchange.close()


def test_what_changes_between_samples_is_not_looked_at(made, tmp_path) -> None:
    file, simulation = made(LQI)
    driver = Driver(file, tmp_path / "unpacked", "cs")
    names = driver.names("input")
    for k in range(6):
        driver.go(0.02 * k)
        driver.set(**dict(zip(names, simulation.measured[k].tolist(), strict=True)))
        assert (driver.get(driver.names()) == simulation.given[k]).all(), k
        driver.go(0.02 * k + 0.01)
        driver.set(**dict(zip(names, simulation.measured[k + 20].tolist(), strict=True)))
        assert (driver.get(driver.names()) == simulation.given[k]).all(), k
    driver.close()


def test_inputs_of_the_plant_are_what_its_map_says(tmp_path) -> None:
    """A plant whose winch has another sign, gear and offset: its FMU inside the SSP is told so."""
    settings = ["control.kind=lqr", "control.cycle=0.02", WEIGHTS]
    winch = "plant.map.inputs={M_w='-2*M_w + m'}"
    (file,) = hand_over(
        load_scenario("overhead", [*settings, winch]), Wishes("ssp", tmp_path / "loop.ssp")
    )
    with zipfile.ZipFile(file) as archive:
        archive.extract("resources/controller.fmu", tmp_path)
    scenario = load_scenario("overhead", settings)
    source = hand_over(scenario, Wishes("c", tmp_path / "mine.c"))[2]
    driver = Driver(tmp_path / "resources/controller.fmu", tmp_path / "unpacked", "cs")
    # the plant calls what the controller measures s, v_s, ..., in an order of its own
    controller, simulation = verified("overhead", *LQI)
    measured = simulation.measured[:20, : -len(controller.integrals)]
    wanted = run_c(source, measured, 2)
    names = [channel.name for channel in controller.measured]
    for k, row in enumerate(measured):
        driver.go(0.02 * k)
        said = {names[i].replace("q.", "").replace("v.", "v_"): x for i, x in enumerate(row)}
        driver.set(**said)
        found = driver.get(["F_t", "M_w"])
        assert found == pytest.approx([wanted[k, 0], -2.0 * wanted[k, 1] + 100.0], rel=1e-12)
    driver.close()


def test_zeros_of_a_master_that_has_exchanged_nothing_yet_are_no_sample(made, tmp_path) -> None:
    file, _ = made(LQI)
    controller = verified("overhead", *LQI)[0]
    driver = Driver(file, tmp_path / "unpacked", "cs")
    nothing = dict.fromkeys(driver.names("input"), 0.0)
    driver.set(**nothing)
    assert driver.get(driver.names()) == pytest.approx(controller.hold[0], rel=1e-9)
    driver.go(0.02)
    driver.set(**{**nothing, "y_z": -4.0})
    driver.get(driver.names())
    driver.set(**nothing)  # after another one: now a load at the height of its trolley is read
    assert np.abs(driver.get(driver.names()) - controller.hold[1]).max() > 100.0
    driver.close()


def closed_loop(file, stop: float, **plant: float):
    """Simulate an SSP with FMPy as it is, which exchanges all values and then steps.

    It begins with zero in all connectors: the plant falls for the first millisecond, which is up to
    the controller, and the first sample of zeros is not taken for one.
    """
    (binding,) = read_ssd(str(file)).system.parameterBindings
    (values,) = binding.parameterValues
    for parameter in values.parameters:
        name = parameter.name.removeprefix("plant.")
        if name in plant:
            parameter.value = repr(plant.pop(name))
    assert not plant
    return ssp_simulation.simulate_ssp(
        str(file), stop_time=stop, step_size=1e-3, parameter_set=values
    )


@pytest.mark.parametrize(
    "settings",
    [
        # with its gains over position: test_on_line_ssp_carries_another_payload_to_its_goal
        further(["control.kind=lqi", "control.delay=0.001"]),
        ["control.kind=lqr", "control.delay=0.001",
         "control.sensor=[{signal='q.s', noise=1e-3}, {signal='q.l', noise=1e-3}, "
         "{signal='(x - s)/l', noise=1e-3}]",
         "control.observer.disturbances={'parameter.m'=20.0}"],
    ],
    ids=["lqi", "observer"],
)  # fmt: skip
def test_ssp_is_a_closed_loop_that_carries_another_payload(settings, tmp_path) -> None:
    scenario = load_scenario("overhead", settings)
    (file,) = hand_over(scenario, Wishes("ssp", tmp_path / "loop.ssp"))
    assert is_unchanged(file)
    with zipfile.ZipFile(file) as archive:
        assert {"resources/controller.fmu", "resources/plant.fmu"} < set(archive.namelist())
        checker = etree.XMLSchema(file=str(SCHEMAS / "SystemStructureDescription.xsd"))
        checker.assertValid(etree.fromstring(archive.read("SystemStructure.ssd")))
    result = closed_loop(file, 12.0, m=110.0)
    # held from 1 ms until 6 ms, the feedforward is that of the middle
    first = solve_index1(scenario.problem, [0.0035]).u[0, 0]
    # The winch of radius 0.1 m holds 110 kg in the end, and the load is where it shall be.
    assert result["controller.M_w"][-1] == pytest.approx(-110.0 * 9.81 * 0.1, rel=1e-3)
    assert result["plant.x"][-1] == pytest.approx(5.0, abs=2e-3)
    assert result["plant.z"][-1] == pytest.approx(-1.0, abs=2e-3)
    assert result["controller.F_t"][0] == pytest.approx(first, abs=1e-6)
    # A load that hangs 0.2 m beside its trolley is caught; so says FMPy, which knows nothing of us.
    swung = closed_loop(file, 12.0, theta_start=0.05)
    assert abs(swung["plant.x"][0]) == pytest.approx(4.0 * math.sin(0.05), rel=1e-3)
    assert swung["plant.x"][-1] == pytest.approx(5.0, abs=2e-3)
    assert swung["plant.z"][-1] == pytest.approx(-1.0, abs=2e-3)
    swing = swung["plant.x"] - swung["plant.s"]
    assert np.abs(swing[-1000:]).max() < 1e-3
    assert (swung["controller.status"] >= 0).all()


@pytest.mark.parametrize(("name", "cycle"), [further("rpr", 0.005), ("flexible-jib-outer", 0.02)])
def test_crane_that_is_not_flat_has_its_controller_in_all_formats(
    name, cycle, tmp_path, monkeypatch
) -> None:
    """A controller of one motion plans nothing on line. The jib's motion begins before its path."""
    settings = ["control.kind=lqr", f"control.cycle={cycle}", "control.delay=1e-3"]
    scenario = load_scenario(name, settings)
    solution = solve_scenario(scenario)
    monkeypatch.setattr(delivering, "solve_scenario", lambda _: solution)
    made = []

    def design_once(*wanted: Any) -> ControllerDesign:
        if not made:
            made.append(design_controller(*wanted))
        return made[0]

    monkeypatch.setattr(delivering, "design_controller", design_once)
    (file,) = hand_over(scenario, Wishes("fmu", tmp_path / "mine.fmu"))
    assert validate_fmu(str(file)) == []
    source = hand_over(scenario, Wishes("c", tmp_path / "mine.c"))[2]
    driver = Driver(file, tmp_path / "unpacked", "cs")
    given, names = driver.names(), driver.names("input")
    # what is read where the motion begins, and something else
    measured = driver.get(names) + 1e-3 * np.random.default_rng(2).standard_normal((30, len(names)))
    wanted = run_c(source, measured, len(given))
    for k, row in enumerate(measured):
        driver.go(cycle * k)
        driver.set(**dict(zip(names, row.tolist(), strict=True)))
        assert (driver.get(given) == wanted[k]).all(), k
    driver.close()
    # samples are at multiples of the cycle
    before = cycle * math.ceil(-float(solution.feedforward.time[0]) / cycle)
    (begin,) = (v for v in driver.variables.values() if v.name == "begin")
    assert (f"{before:g} s later" in begin.description) == (before > 0.0)
    if before > 0.0:
        return
    (file,) = hand_over(scenario, Wishes("ssp", tmp_path / "loop.ssp"))
    result = closed_loop(file, 0.3)
    path = scenario.problem.path(result["time"] + 1e-3)
    found = np.array([result[f"plant.{name}"] for name in scenario.problem.path.outputs])
    # it has moved by 5 mm; held inputs leave less than a micrometre, and microradian
    assert np.ptp(path) > 5e-3
    assert np.abs(found - path).max() < 2e-6
