"""FMUs without a twin for tests and benchmarks of learning: a stand of PythonFMU, a pendulum."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "plant"))
from foreign import python_fmu
from plant_models import pendulum

from cranebridge.plant.export.fmu_export import export_fmu

STAND = """
from pythonfmu import Fmi2Causality, Fmi2Slave, Real


class Stand(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.u1, self.u2, self.y1, self.y2, self.v1, self.v2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for name in ("y1", "y2"):
            self.register_variable(Real(name, causality=Fmi2Causality.output))
        for name in ("u1", "u2"):
            self.register_variable(Real(name, causality=Fmi2Causality.input))

    def do_step(self, current_time, step_size):
        h = step_size / 4
        for _ in range(4):
            between = 40.0 * (self.y2 - self.y1) + 4.0 * (self.v2 - self.v1)
            a1 = -60.0 * self.y1 - 300.0 * self.y1**3 - 6.0 * self.v1 + between + 60.0 * self.u1
            a2 = -90.0 * self.y2 - 6.0 * self.v2 - between + 90.0 * self.u2
            self.v1 += h * a1
            self.v2 += h * a2
            self.y1 += h * self.v1
            self.y2 += h * self.v2
        return True
"""
SCENARIO = """
[plant]
fmu = "{fmu}"
interface = "{interface}"
[learn]
inputs = {inputs}
outputs = {outputs}
target = "target.csv"
judge_from = 0.0
rest_after = 1.0
[learn.amplitude]
{amplitude}
[limits]
tracking = 1e-3
"""
PENDULUM_PATH = np.polynomial.Polynomial([0.0, 0.25]) * np.polynomial.Polynomial([1.0, -0.5]) ** 3
"""It starts with 0.25 rad/s and comes to rest."""


def write_target(folder: Path, **columns: np.ndarray) -> None:
    table = np.column_stack(list(columns.values()))
    np.savetxt(folder / "target.csv", table, delimiter=",", header=",".join(columns), comments="")


def write_stand(folder: Path) -> Path:
    """A scenario on an FMU of another maker: Co-Simulation of FMI 2, no derivatives."""
    fmu = python_fmu(folder, STAND, "Stand")
    t = 0.02 * np.arange(151)
    bump = np.sin(np.pi * t / 3.0)
    write_target(folder, time=t, y1=0.2 * bump**4, y2=0.1 * bump**2 * np.sin(2 * np.pi * t / 3.0))
    text = SCENARIO.format(
        fmu=fmu.name,
        interface="cs",
        inputs='["u1", "u2"]',
        outputs='["y1", "y2"]',
        amplitude="u1 = 0.05\nu2 = 0.05",
    )
    (folder / "stand.toml").write_text(text)
    return folder / "stand.toml"


def write_pendulum(folder: Path) -> Path:
    """A scenario on a damped pendulum behind FMI 2 Model Exchange, to rest from 0.25 rad/s."""
    export_fmu(pendulum(), folder / "pendulum.fmu", fmi="2.0")
    t = 0.02 * np.arange(101)
    write_target(folder, time=t, phi=PENDULUM_PATH(t))
    text = SCENARIO.format(
        fmu="pendulum.fmu",
        interface="me",
        inputs='["tau"]',
        outputs='["phi"]',
        amplitude="tau = 1.0",
    )
    (folder / "pendulum.toml").write_text(text)
    return folder / "pendulum.toml"
