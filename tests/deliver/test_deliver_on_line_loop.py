"""The on-line generator with its controller as an FMU, and in an SSP beside the plant."""

from __future__ import annotations

import numpy as np
import pytest
from feedforward_driver import Driver
from fmpy.validation import validate_fmu
from on_line_driver import hold_error
from test_deliver_controller import WEIGHTS, verified
from test_deliver_controller_fmu import closed_loop

from cranebridge.job.delivering import hand_over, left_out
from cranebridge.job.ordering import Wishes
from cranebridge.scenario import load_scenario

SETTINGS = [
    *("control.kind=lqi", "control.cycle=0.02", "control.gains=position", WEIGHTS),
    *("limits.u.F_t=900", "limits.q.l=[0.8, 5]", "plant.start.q.x=0.05", "plant.settle=0.5"),
]


def test_on_line_fmu_gives_the_inputs_of_the_verification(tmp_path) -> None:
    """On the scenario's own motion, and a new goal while moving; FMI 3.0, Model Exchange."""
    scenario = load_scenario("overhead", SETTINGS)
    (file,) = hand_over(scenario, Wishes("fmu", tmp_path / "mine.fmu", fmi="3.0"))
    assert validate_fmu(str(file)) == []
    assert left_out(scenario, "fmu") == []
    controller, simulation = verified("overhead", *SETTINGS)
    driver = Driver(file, tmp_path / "unpacked", "me", trigger=True)
    names = [name for name in driver.names("input") if name[:2] in ("q_", "v_", "y_")]
    driver.raw.enterContinuousTimeMode()

    def sample(k: int, **wishes: float | bool) -> np.ndarray:
        driver.raw.setTime(0.02 * k)
        driver.set(**dict(zip(names, simulation.measured[k].tolist(), strict=True)))
        driver.raw.enterEventMode()
        driver.set(**wishes)
        following = driver.event()
        assert following == pytest.approx(0.02 * (k + 1), abs=1e-9)
        driver.raw.enterContinuousTimeMode()
        return driver.get(["F_t", "M_w"])

    found = np.array([sample(k) for k in range(100)])
    # the feedforward is solved here and stands in a table there; the rest is Newton's tolerance
    allowed = hold_error(scenario, controller) + 1e-9 * np.abs(simulation.given).max(axis=0)
    assert (np.abs(found - simulation.given[:100]).max(axis=0) <= allowed).all()
    assert driver.status == 0
    # a new goal: the reference goes on from where the old plan had it, in place and speed
    sample(100, goal_x=4.0, goal_z=-2.0, replan=True)
    assert driver.status == 0
    wanted = [controller.reference[100, controller.titles.index(name)] for name in ("q.s", "v.s")]
    assert driver.get(["ref_s", "ref_v_s"]) == pytest.approx(wanted, abs=1e-9)
    assert driver.get(["gamma_x"]) == pytest.approx(
        controller.reference[100, controller.titles.index("y.x")], abs=1e-9
    )
    driver.close()


def test_on_line_ssp_carries_another_payload_to_its_goal(tmp_path, monkeypatch) -> None:
    settings = ["control.kind=lqi", "control.delay=0.001", "control.gains=position"]
    scenario = load_scenario("overhead", [*settings, "limits.q.l=[0.8, 5]"])
    (file,) = hand_over(scenario, Wishes("ssp", tmp_path / "loop.ssp"))
    result = closed_loop(file, 10.0, m=110.0)
    # The winch of radius 0.1 m holds 110 kg in the end, and the load is where it shall be.
    assert result["controller.M_w"][-1] == pytest.approx(-110.0 * 9.81 * 0.1, rel=1e-3)
    assert result["plant.x"][-1] == pytest.approx(5.0, abs=2e-3)
    assert result["plant.z"][-1] == pytest.approx(-1.0, abs=2e-3)
