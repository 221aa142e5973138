"""Events of FMUs that other tools have made: CasADi (FMI 3, Model Exchange), PythonFMU (FMI 2,
Co-Simulation). Against closed forms.

CasADi's FMUs keep state between calls: which indicator was the most negative one since the last
event, and whether an indicator has been positive, is noted whenever indicators are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from foreign import pack_casadi, python_fmu

from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls

G, RESTITUTION = 9.81, 0.8
# method and how near to an event's time it is told from before and after
exact = pytest.mark.parametrize(
    ("method", "near"),
    [("DOP853", 1e-9), ("Radau", 1e-9), ("CVODE", 1e-9), ("LSODA", 1e-6), ("BDF", 1e-6)],
)


# ---------------------------------------------------------------------------- closed forms


def bounces(count: int) -> np.ndarray:
    """Times at which a ball that falls from 1 m meets the floor."""
    first = np.sqrt(2.0 / G)
    flights = 2.0 * first * RESTITUTION ** np.arange(1, count)
    return first + np.concatenate([[0.0], np.cumsum(flights)])


def ball(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Height and velocity."""
    meets = bounces(60)
    number = np.searchsorted(meets, times, side="right")
    speed = G * np.sqrt(2.0 / G) * RESTITUTION**number
    begin = np.where(number > 0, meets[number - 1], 0.0)
    t = times - begin
    falling = number == 0
    h = np.where(falling, 1.0 - G * t**2 / 2, speed * t - G * t**2 / 2)
    return h, np.where(falling, -G * t, speed - G * t)


def switches(end: float) -> np.ndarray:
    """Times at which a thermostat between 18 and 22 switches: heated it tends to 34, else to 10."""
    found, t, start = [], 0.0, 10.0
    while True:
        for tends, until in ((34.0, 22.0), (10.0, 18.0)):
            t += float(np.log((tends - start) / (tends - until)))
            start = until
            if t > end:
                return np.array(found)
            found.append(t)


def temperature(times: np.ndarray) -> np.ndarray:
    events = switches(times[-1])
    values = []
    for t in times:
        number = int(np.searchsorted(events, t))
        begin, start, tends = 0.0, 10.0, 34.0
        if number:
            begin = events[number - 1]
            start, tends = (18.0, 34.0) if number % 2 == 0 else (22.0, 10.0)
        values.append(tends + (start - tends) * np.exp(-(t - begin)))
    return np.array(values)


def around(events: np.ndarray, near: float, more: np.ndarray) -> np.ndarray:
    return np.unique(np.concatenate([events - near, events + near, more]))


# ---------------------------------------------------------------------------- CasADi


def casadi_model(name: str) -> Any:
    ca = pytest.importorskip("casadi")
    dae = ca.DaeBuilder(name, "")
    if not hasattr(dae, "when"):
        pytest.skip("this CasADi has no events")
    dae.add("t", "independent")
    return dae


def casadi_ball(directory: Path) -> Path:
    dae = casadi_model("ball")
    h, v = dae.add("h", "output"), dae.add("v", "output")
    dae.eq(dae.der(h), v)
    dae.eq(dae.der(v), -G)
    dae.when(h < 0, [dae.reinit("v", -RESTITUTION * v)])
    dae.set_start("h", 1.0)
    return pack_casadi(dae, directory)


def casadi_thermostat(directory: Path) -> Path:
    # it has no discrete variables: the switch is a state that moves at events only
    dae = casadi_model("thermostat")
    x, on = dae.add("x", "output"), dae.add("on", "output")
    dae.eq(dae.der(x), 10.0 + 24.0 * on - x)
    dae.eq(dae.der(on), 0.0)
    dae.when(x > 22.0, [dae.reinit("on", 0.0)])
    dae.when(x < 18.0, [dae.reinit("on", 1.0)])
    dae.set_start("x", 10.0)
    dae.set_start("on", 1.0)
    return pack_casadi(dae, directory)


def casadi_relay(directory: Path) -> Path:
    dae = casadi_model("relay")
    x, on = dae.add("x", "output"), dae.add("on", "output")
    u = dae.add("u", "input")
    dae.eq(dae.der(x), 2.0 * on - 1.0)
    dae.eq(dae.der(on), 0.0)
    dae.when(u > 0.5, [dae.reinit("on", 1.0)])
    dae.when(u < 0.5, [dae.reinit("on", 0.0)])
    return pack_casadi(dae, directory)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Plants of CasADi by the functions that make them."""
    plants: dict[Any, Plant] = {}

    def get(maker: Any) -> Plant:
        if maker not in plants:
            plants[maker] = Plant(maker(tmp_path_factory.mktemp("casadi")))
        return plants[maker]

    yield get
    for plant in plants.values():
        plant.close()


@exact
def test_casadi_ball_bounces_at_the_times_of_the_closed_form(made, method, near):
    meets = bounces(6)
    times = around(meets, near, np.linspace(0.0, 2.5, 26))
    run = made(casadi_ball).simulate(times=times, method=method, rtol=1e-12, atol=1e-12)
    h, v = ball(times)
    # just before and just after each bounce the velocity has the other sign
    assert np.sign(run.column("v")).tolist() == np.sign(v).tolist()
    assert run.column("v") == pytest.approx(v, abs=20.0 * near)
    assert run.column("h") == pytest.approx(h, abs=20.0 * near)
    assert run.events >= int((meets < 2.5).sum())


@exact
def test_casadi_thermostat_switches_at_the_times_of_the_closed_form(made, method, near):
    events = switches(5.0)
    times = around(events, near, np.linspace(0.0, 5.0, 51))
    run = made(casadi_thermostat).simulate(times=times, method=method, rtol=1e-12, atol=1e-12)
    heated = (np.searchsorted(events, times) % 2 == 0).astype(float)
    assert run.column("on").tolist() == heated.tolist()
    assert run.column("x") == pytest.approx(temperature(times), abs=20.0 * near)
    assert run.events >= len(events) >= 8


@exact
def test_casadi_relay_follows_a_held_input(made, method, near):
    held = Controls.hold([0.0, 0.3, 0.8, 1.1], [[0.0], [1.0], [0.2], [0.9]], ["u"])
    times = np.linspace(0.0, 2.0, 41)
    run = made(casadi_relay).simulate(times=times, inputs=held, method=method)
    on = np.interp(times, [0.0, 0.3, 0.8, 1.1, 2.0], [0.0, 0.0, 0.5, 0.5, 1.4])
    assert run.column("x") == pytest.approx(2.0 * on - times, abs=1e-8)


@exact
def test_casadi_relay_switches_where_a_ramp_crosses(made, method, near):
    ramp = Controls.linear([0.0, 1.0, 2.0], [[0.0], [1.0], [0.0]], ["u"])
    times = around(np.array([0.5, 1.5]), near, np.linspace(0.0, 2.0, 8))
    plant = made(casadi_relay)
    run = plant.simulate(times=times, inputs=ramp, method=method, rtol=1e-12, atol=1e-12)
    assert run.column("on").tolist() == ((times > 0.5) & (times < 1.5)).astype(float).tolist()


# ---------------------------------------------------------------------------- PythonFMU

PYTHON = """
import math
from pythonfmu import Boolean, Fmi2Causality, Fmi2Slave, Fmi2Variability, Integer, Real


class {name}(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.h, self.v, self.x, self.on, self.u, self.count = 1.0, 0.0, 10.0, True, False, 0
        output, discrete = Fmi2Causality.output, Fmi2Variability.discrete
        for name in ("h", "v", "x"):
            self.register_variable(Real(name, causality=output))
        self.register_variable(Boolean("on", causality=output, variability=discrete))
        self.register_variable(Integer("count", causality=output, variability=discrete))
        entered = Fmi2Causality.input
        self.register_variable(Boolean("u", causality=entered, variability=discrete))

    def do_step(self, t, h):
        {body}
        return True
"""
# looks at the floor at the end of a step only, as a master's step lets it
PYTHON_BALL = """
        self.h += h * self.v - 4.905 * h * h
        self.v -= 9.81 * h
        if self.h <= 0.0 and self.v < 0.0:
            self.v, self.count = -0.8 * self.v, self.count + 1
"""
PYTHON_THERMOSTAT = """
        tends = 34.0 if self.on else 10.0
        self.x = tends + (self.x - tends) * math.exp(-h)
        if self.x > 22.0 and self.on or self.x < 18.0 and not self.on:
            self.on, self.count = not self.on, self.count + 1
"""
PYTHON_RELAY = """
        self.on = self.u
        self.x += h if self.on else -h
"""


def python_plant(directory: Path, name: str, body: str) -> Plant:
    pytest.importorskip("pythonfmu")
    path = python_fmu(directory, PYTHON.format(name=name, body=body.strip()), name)
    return Plant(path, interface="cs")


def test_python_ball_meets_the_floor_within_its_steps(tmp_path):
    times = np.linspace(0.0, 1.0, 101)
    errors = []
    with python_plant(tmp_path, "Ball", PYTHON_BALL) as plant:
        for step in (1e-3, 5e-4, 2.5e-4):
            run = plant.simulate(times=times, step=step, outputs=["h", "v", "count"])
            number = np.searchsorted(bounces(5), times)
            near = np.abs(times[:, None] - bounces(5)).min(axis=1) <= step
            assert run.column("count")[~near].tolist() == number[~near].tolist()
            errors.append(np.abs(run.column("h") - ball(times)[0]).max())
    # it notices the floor up to a step late, at 4.4 m/s, and bounces from below it
    assert errors[0] < 2.0 * 1e-3 * 4.43 * (1.0 + RESTITUTION)
    assert errors[2] < 0.6 * errors[0]


def test_python_thermostat_switches_within_its_steps(tmp_path):
    times, step = np.linspace(0.0, 5.0, 101), 1e-3
    with python_plant(tmp_path, "Thermostat", PYTHON_THERMOSTAT) as plant:
        run = plant.simulate(times=times, step=step, outputs=["x", "on", "count"])
    events = switches(5.0)
    # each switching is late by a step at most, and what is late stays late
    late = np.arange(1, len(events) + 1) * 2.0 * step
    before = np.searchsorted(events + late, times)
    after = np.searchsorted(events, times)
    assert (run.column("count") >= before).all()
    assert (run.column("count") <= after).all()
    assert run.column("on").tolist() == (run.column("count") % 2 == 0).astype(float).tolist()
    assert np.abs(run.column("x") - temperature(times)).max() < 16.0 * late[-1]


def test_python_relay_follows_a_held_input(tmp_path):
    # 0.33 s is no output time: the input's change is a communication point of its own
    held = Controls.hold([0.0, 0.33, 0.8], [[0.0], [1.0], [0.0]], ["u"])
    times = np.linspace(0.0, 2.0, 21)
    with python_plant(tmp_path, "Relay", PYTHON_RELAY) as plant:
        run = plant.simulate(times=times, inputs=held, outputs=["x", "on"])
    wanted = np.interp(times, [0.0, 0.33, 0.8, 2.0], [10.0, 9.67, 10.14, 8.94])
    assert run.column("x") == pytest.approx(wanted, abs=1e-12)
