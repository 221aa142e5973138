"""The controller as an FMU and in an SSP: samples, orders of exchange, the plant beside it."""

from __future__ import annotations

import zipfile

import fmpy
import numpy as np
import pytest
from feedforward_driver import Driver
from fmpy.ssp import simulation as ssp_simulation
from fmpy.ssp.ssd import read_ssd
from fmpy.validation import validate_fmu
from lxml import etree
from test_deliver_controller import DELAYED, LQI, SENSORS, verified
from test_deliver_ssp import SCHEMAS

from cranebridge.deliver import is_unchanged
from cranebridge.job.delivering import Wishes, hand_over, left_out
from cranebridge.scenario import load_scenario

OBSERVED = ["control.kind=lqr", "control.cycle=0.02", SENSORS, "plant.start.q.x=0.05"]


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
            known[key] = file, verified(scenario)[1]
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


@pytest.mark.parametrize("settings", [LQI, OBSERVED], ids=["lqi", "observer"])
@pytest.mark.parametrize("kind", ["me", "cs"])
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_fmu_gives_the_numbers_of_the_verification(made, settings, kind, fmi, tmp_path) -> None:
    file, simulation = made(settings, fmi)
    driver = Driver(file, tmp_path / "unpacked", kind)
    names = driver.names("input")
    if kind == "me":
        driver.raw.enterContinuousTimeMode()
    for k, (measured, wanted) in enumerate(zip(simulation.measured, simulation.given, strict=True)):
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
    other = Driver(file, tmp_path / "again", "cs")
    for k in range(11):
        other.go(0.02 * k)
        row = measured[min(k, 2) if k < 10 else 10]
        other.set(**dict(zip(names, row.tolist(), strict=True)))
    assert (other.get(other.names()) == late).all()
    other.close()


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


def closed_loop(file, monkeypatch, stop: float, **plant: float):
    """Simulate an SSP with FMPy, which exchanges all values and then steps."""
    original = ssp_simulation.instantiate_fmu

    def instantiate(component, *arguments, **options):
        original(component, *arguments, **options)
        # FMPy 0.3.32 begins with zero in all connectors: here with what the FMUs say
        for connector in component.connectors:
            connector.value = ssp_simulation.get_value(component, connector.name)

    monkeypatch.setattr(ssp_simulation, "instantiate_fmu", instantiate)
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
        ["control.kind=lqi", "control.delay=0.001"],
        ["control.kind=lqr", "control.delay=0.001",
         "control.sensor=[{signal='q.s', noise=1e-3}, {signal='q.l', noise=1e-3}, "
         "{signal='(x - s)/l', noise=1e-3}]",
         "control.observer.disturbances={'parameter.m'=20.0}"],
    ],
    ids=["lqi", "observer"],
)  # fmt: skip
def test_ssp_is_a_closed_loop_that_carries_another_payload(settings, tmp_path, monkeypatch) -> None:
    scenario = load_scenario("overhead", settings)
    (file,) = hand_over(scenario, Wishes("ssp", tmp_path / "loop.ssp"))
    assert is_unchanged(file)
    with zipfile.ZipFile(file) as archive:
        assert {"resources/controller.fmu", "resources/plant.fmu"} < set(archive.namelist())
        checker = etree.XMLSchema(file=str(SCHEMAS / "SystemStructureDescription.xsd"))
        checker.assertValid(etree.fromstring(archive.read("SystemStructure.ssd")))
    result = closed_loop(file, monkeypatch, 12.0, m=110.0)
    # The winch of radius 0.1 m holds 110 kg in the end, and the load is where it shall be.
    assert result["controller.M_w"][-1] == pytest.approx(-110.0 * 9.81 * 0.1, rel=1e-3)
    assert result["plant.x"][-1] == pytest.approx(5.0, abs=2e-3)
    assert result["plant.z"][-1] == pytest.approx(-1.0, abs=2e-3)
    assert result["controller.F_t"][0] == pytest.approx(scenario_start(scenario), abs=1e-6)


def scenario_start(scenario) -> float:
    """Return the feedforward of the first sample."""
    return float(verified(scenario)[0].hold[0, 0])
