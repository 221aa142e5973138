"""FMUs of other tools run behind the same interface."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from foreign import casadi_fmu, misbehaving_fmu, python_fmu
from scipy.integrate import solve_ivp

from cranebridge.errors import InputError
from cranebridge.plant.description.fmu import inspect
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls

TIMES = np.linspace(0.0, 2.0, 21)


@pytest.fixture(scope="module")
def casadi_pendulum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return casadi_fmu(tmp_path_factory.mktemp("casadi"))


def test_casadi_fmu_is_simulated_with_model_exchange(casadi_pendulum):
    t = np.linspace(0.0, 2.0, 401)
    controls = Controls.cubic(t, np.sin(t)[:, None], np.cos(t)[:, None], ["u"])
    with Plant(casadi_pendulum) as plant:
        assert plant.info.fmi_version == "3.0"
        assert "CasADi" in plant.info.generation_tool
        result = plant.simulate(
            times=TIMES, inputs=controls, parameters={"m": 4.0}, start={"phi": 0.3}
        )
    exact = solve_ivp(
        lambda t, x: [x[1], np.sin(t) / 4.0 - 9.81 * np.sin(x[0])],
        (0.0, 2.0),
        [0.3, 0.0],
        method="DOP853",
        t_eval=TIMES,
        rtol=1e-13,
        atol=1e-13,
    )
    assert result.states == pytest.approx(exact.y.T, abs=1e-9)
    assert result.column("y") == pytest.approx(np.sin(exact.y[0]), abs=1e-9)


def test_casadi_fmu_is_linearized_and_evaluated(casadi_pendulum):
    with Plant(casadi_pendulum) as plant:
        linear = plant.directional([0.3, 0.1], [1.0], parameters={"m": 4.0})
        rates, _ = plant.derivatives([[0.3, 0.1]], [[1.0]], [[4.0]], parameter_names=["m"])
    assert linear.exact
    assert pytest.approx(np.array([[0, 1], [-9.81 * np.cos(0.3), 0]])) == linear.A
    assert rates[0] == pytest.approx([0.1, 0.25 - 9.81 * np.sin(0.3)])


def test_casadi_fmu_has_no_cosimulation(casadi_pendulum):
    with pytest.raises(InputError, match="has no Co-Simulation, only Model Exchange"):
        Plant(casadi_pendulum, interface="cs")


def test_python_fmu_is_simulated_with_cosimulation(tmp_path):
    pytest.importorskip("pythonfmu")
    path = python_fmu(tmp_path)
    info = inspect(path)
    assert (info.has_me, info.has_cs) == (False, True)
    assert "PythonFMU" in info.generation_tool
    with Plant(path, interface="cs") as plant:
        run = plant.simulate(
            times=TIMES, inputs=Controls.constant([6.0], ["u"]), parameters={"m": 3.0}
        )
        assert run.column("x") == pytest.approx(TIMES**2, abs=1e-12)
        ramp = Controls.linear([0.0, 2.0], [[0.0], [6.0]], ["u"])
        halving = plant.simulate_halving(step=0.1, times=TIMES, inputs=ramp)
    assert halving.order == pytest.approx([1.0, 1.0], abs=0.1)


def test_fmu_without_directional_derivatives_is_linearized_by_differences(tmp_path):
    with Plant(misbehaving_fmu(tmp_path, "GOOD")) as plant:
        result = plant.directional([0.5], [0.1], parameters={"k": 3.0}, outputs=["y"])
    assert not result.exact
    matrices = np.block([[result.A, result.B], [result.C, result.D]])
    assert matrices == pytest.approx(np.array([[0.0, 3.0], [1.0, 0.0]]), abs=1e-9)
