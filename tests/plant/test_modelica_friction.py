"""The elastoplastic element of the Modelica library: benchmarks A1 and A2, and cranes with it.

A1 has a closed form, A2 an energy balance: theta of the first sticking solves
M g c (cos(theta) - cos(theta_0)) = M_max (|theta - theta_0| - M_max/E) + M_max^2/(2 E).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

pytest.importorskip("rumoca")

from cranebridge.plant.export.fmu_export import cached_fmu
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.sandbox.plant_results import Simulation
from further import further

PARTS = Path(__file__).parents[1] / "data" / "modelica" / "StickingParts.mo"
METHODS = ("DOP853", "CVODE")
FINE = {"rtol": 1e-12, "atol": 1e-12}


def run(model: str, times: list[float], outputs: list[str], **options: object) -> Simulation:
    with Plant(cached_fmu(f"{PARTS}:StickingParts.{model}"), timeout=600.0) as plant:
        return plant.simulate(times=times, outputs=outputs, **{**FINE, **options}).complete()


@pytest.mark.parametrize("method", METHODS)
def test_a_pushed_mass_sticks_as_the_closed_form_says(method: str) -> None:
    hat = Controls.linear(
        np.array([0.0, 1.0, 2.0, 4.0]), np.array([[0.0], [300.0], [0.0], [0.0]]), ["F"]
    )
    times = [0.0, 0.2810250008836, 3.1876556261725, 3.5]
    found = run("Oscillator", times, ["q", "v", "q_p", "heat", "force"], inputs=hat, method=method)
    _, yields, sticks, after = found.outputs
    # CVODE's own error over 3 s is 1e-10 at these tolerances
    abs_ = 1e-11 if method == "DOP853" else 1e-8
    assert yields[:2] == pytest.approx([LIMIT / 2e4, 0.02509320197137626], abs=abs_)
    assert sticks[:2] == pytest.approx([2.061228816678975, 0.0], abs=abs_)
    assert after[2:4] == pytest.approx([2.056228816678975, 205.6228816678975], abs=1e2 * abs_)
    # it swings about the rest of its spring: x_e = F_max/E cos(omega tau)
    tau = np.sqrt(200.0) * (3.5 - 3.1876556261725)
    assert after[4] == pytest.approx(100.0 * np.cos(tau), abs=1e4 * abs_)


LIMIT = 100.0


@pytest.mark.further
def test_a_pendulum_sticks_where_its_energy_says() -> None:
    weight, spring, limit, start = 50.0 * 9.81 * 0.25, 5e4, 45.0, np.pi / 2

    def balance(theta: float) -> float:
        heat = limit * (start - theta - limit / spring)
        return weight * np.cos(theta) - heat - limit**2 / (2.0 * spring)

    first = brentq(balance, -1.5, 0.0, xtol=1e-15)
    assert first == pytest.approx(-0.6305865675910, abs=1e-13)
    times = [0.0, 0.6662780334148, 1.2447519106, 3.0]
    found = run("Pendulum", times, ["theta", "omega", "heat", "mode"]).outputs
    assert found[1, :2] == pytest.approx([first, 0.0], abs=2e-9)  # the time has 13 digits
    assert found[1, 0] == pytest.approx(first, abs=1e-11)
    assert found[2, 0] == pytest.approx(-0.1264900464172, abs=1e-10)
    assert found[3, 2] == pytest.approx(121.6250737003, abs=1e-8)
    assert found[3, 3] == 0.0  # it swings on its spring for ever: no damping is left


@pytest.mark.parametrize("crane", ["OverheadCrane", further("RotaryCrane")])
def test_crane_without_a_limit_is_the_ideal_one_without_events(crane: str) -> None:
    times = np.linspace(0.0, 2.0, 21)
    drives = {"OverheadCrane": ["F_t", "M_w"], "RotaryCrane": ["M_b", "F_t", "M_w"]}[crane]
    t = np.linspace(0.0, 2.0, 201)
    hold = {"F_t": 0.0, "M_b": 0.0, "M_w": -98.1}
    values = [hold[name] + 20.0 * np.sin(3.0 * t + i) for i, name in enumerate(drives)]
    found = []
    for model in (crane, f"{crane}Friction"):
        with Plant(Path(cached_fmu(model)), timeout=600.0) as plant:
            outputs = ["x", "z", "s", "l", "T_cable", "energy"]
            inputs = Controls.linear(t, np.column_stack(values), drives)
            found.append(
                plant.simulate(times=times, outputs=outputs, inputs=inputs, **FINE).complete()
            )
    assert found[1].outputs == pytest.approx(found[0].outputs, rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("fmi", ["2.0", further("3.0")])
def test_energy_and_heat_are_what_the_drives_put_in(fmi: str) -> None:
    """A trolley on its own spring, pushed to and fro past its limit, with all options."""
    friction = {"E_t": 2e4, "F_max": 30.0, "F_static": 45.0, "v_stribeck": 0.02, "d_t": 4.0}
    friction |= {"E_w": 1e3, "M_max": 2.0, "F_spring_start": 10.0}
    t = np.linspace(0.0, 3.0, 3001)
    u = np.column_stack([100.0 * np.sin(4.0 * t), -98.1 + 6.0 * np.sin(3.0 * t)])
    with Plant(Path(cached_fmu("OverheadCraneFriction", fmi=fmi)), timeout=600.0) as plant:
        found = plant.simulate(
            times=t,
            outputs=["energy", "heat", "v_s", "v_l", "F_friction", "M_friction"],
            inputs=Controls.linear(t, u, ["F_t", "M_w"]),
            parameters=friction,
            **FINE,
        ).complete()
    energy, heat, v_s, v_l, force, torque = found.outputs.T
    work = np.trapezoid(u[:, 0] * v_s + u[:, 1] * v_l / 0.1, t)
    # trapezoids over a millisecond, with forces that have kinks: 1e-5 of some hundred joule
    assert energy[-1] - energy[0] + heat[-1] == pytest.approx(work, abs=2e-3)
    assert heat[-1] > 50.0
    assert np.all(np.diff(heat) > -1e-9)
    assert force[0] == pytest.approx(10.0)
    assert np.abs(force - 4.0 * v_s).max() <= 45.0 + 1e-9
    assert np.abs(torque).max() == pytest.approx(2.0, abs=1e-9)


def test_a_drive_holds_what_its_spring_bears_and_does_not_creep() -> None:
    inputs = Controls.constant([30.0, -98.1], ["F_t", "M_w"])
    with Plant(Path(cached_fmu("OverheadCraneFriction"))) as plant:
        found = plant.simulate(
            times=[0.0, 50.0, 100.0],
            outputs=["s"],
            inputs=inputs,
            parameters={"E_t": 2e4, "F_max": 80.0},
            **FINE,
        ).complete()
    # it swings about 30/2e4 m, at most twice as far, and nowhere else
    assert np.abs(found.outputs[:, 0]).max() <= 2.0 * 30.0 / 2e4 * 1.001
