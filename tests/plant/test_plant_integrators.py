"""Every integrator that is offered gives the same motion as DOP853, on every ready plant.

Each step may be wrong by the tolerance, so that a whole run is judged by the tolerance times the
number of its steps. The plants stand still, then they are pushed: where states are zero, implicit
integrators that make their Jacobian themselves took increments of 1e-22 and were wrong by up to a
hundred percent without a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from event_plants import event_fmu

from cranebridge.plant.child.integrators.integrators import METHODS
from cranebridge.plant.export.fmu_export import cached_fmu
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls, Drives
from cranebridge.plant.sandbox.plant_results import Simulation
from further import further, mostly_further

LIBRARY = Path(__file__).parents[2] / "modelica" / "Cranes"
# The FMU's own integrators run in Co-Simulation.
OWN = {"dopri5": 1, "rodas4": 2}
WAYS = [*(method for method in METHODS if method != "DOP853"), *OWN]
PLANTS = [
    name
    for name in (LIBRARY / "package.order").read_text().split()
    if (file := LIBRARY / f"{name}.mo").exists()
    if re.search(rf"^model {name}\b", file.read_text(), re.MULTILINE)
]
ALWAYS = ("DoublePendulumCrane", "OverheadCrane")
PUSH = {"N": 200.0, "N.m": 50.0, "m/s": 0.05, "rad/s": 0.02}
# Of it where ropes go slack soon: pushed in full, these models run into the fold that their
# documentation tells of, where forces are without bound and no integrator can go on.
GENTLE = {"NavyCrane2D": 0.1, "NavyCrane3D": 0.1}
TIMES = np.linspace(0.0, 1.0, 11)
STEPS = 10.0  # so many times the tolerance for each step


@cache
def reference(plant: Plant) -> tuple[Controls, Simulation]:
    """At rest for 0.2 s, pushed for 0.4 s, left alone for 0.4 s; by DOP853 at 1e-11."""
    info = plant.info
    start = np.array([signal.start or 0.0 for signal in info.inputs])
    still = plant.simulate(times=[0.0, 1e-3]).states[0]
    rates, _ = plant.derivatives(still[None], start[None])
    # forces that hold what the start values do not
    held = start - np.linalg.lstsq(plant.directional(still, start).B, rates[0], rcond=None)[0]
    push = GENTLE.get(info.name, 1.0) * np.array([PUSH.get(s.unit, 0.01) for s in info.inputs])
    inputs = Controls.hold([0.0, 0.2, 0.6], [held, held + push, held], info.input_names)
    return inputs, plant.simulate(times=TIMES, inputs=inputs, rtol=1e-11, atol=1e-13)


@pytest.fixture(scope="module")
def ready() -> Iterator[Callable[[str], Plant]]:
    plants: dict[str, Plant] = {}

    def get(name: str) -> Plant:
        if name not in plants:
            plants[name] = Plant(cached_fmu(name), timeout=300.0)
        return plants[name]

    yield get
    for plant in plants.values():
        plant.close()


def off(found: Simulation, wanted: Simulation, least: float = 0.01) -> float:
    """Largest difference of a state, of its own size and the absolute tolerance's part."""
    size = least + np.abs(wanted.states).max(axis=0)
    return float((np.abs(found.states - wanted.states) / size).max())


@pytest.mark.parametrize(
    ("name", "way"),
    [
        (name, way) if name in ALWAYS else further(name, way)
        for name in PLANTS
        for way in WAYS
    ],
)  # fmt: skip
def test_integrator_agrees_with_dop853_within_its_tolerance(ready, name, way):
    plant = ready(name)
    inputs, wanted = reference(plant)
    assert np.ptp(wanted.states, axis=0).max() > 1e-4  # it moves
    options = {"times": TIMES, "inputs": inputs, "rtol": 1e-6}
    if way in OWN:
        cs = plant.sibling("cs")
        found = cs.simulate(parameters={"integrator.method": OWN[way]}, **options)
    else:
        found = plant.simulate(method=way, atol=1e-8, **options)
    # what the FMU's own integrators do within a communication step is not counted
    steps = max(found.steps, wanted.steps)
    assert off(found, wanted) < STEPS * 1e-6 * steps


@pytest.mark.parametrize("way", [way for way in WAYS if way not in OWN])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-8, further(1e-10)])
def test_crane_at_rest_that_is_pushed_later_moves_as_with_dop853(ready, way, tolerance):
    # 200 N after a second of rest, and equal tolerances: CVODE was 60 % off at 1e-8, BDF stuck
    plant = ready("DoublePendulumCrane")
    pushed = Controls.hold([0.0, 1.0], [[0.0], [200.0]], ["F_t"])
    times = np.linspace(0.0, 3.0, 7)
    wanted = plant.simulate(times=times, inputs=pushed, rtol=1e-11, atol=1e-13)
    found = plant.simulate(times=times, inputs=pushed, rtol=tolerance, atol=tolerance, method=way)
    assert off(found, wanted, 1.0) < STEPS * tolerance * found.steps


@pytest.mark.parametrize("way", mostly_further(["CVODE", "LSODA", "Radau", "BDF"], "CVODE", "BDF"))
def test_drives_are_part_of_the_jacobian(ready, way):
    # a stiff loop around the trolley, which directional derivatives of the plant know nothing of
    plant = ready("DoublePendulumCrane")
    reference = Controls.linear([0.0, 0.5, 2.0], [[0.0], [0.0], [0.1]], ["s"])
    drives = Drives(("F_t",), ("s",), ("v_s",), (1e9,), (1e8,), reference)
    inputs = Controls.constant([0.0], ["F_t"]).with_drives(drives)
    times = np.linspace(0.0, 1.0, 5)
    wanted = plant.simulate(times=times, inputs=inputs, rtol=1e-10, atol=1e-12)
    found = plant.simulate(times=times, inputs=inputs, rtol=1e-7, atol=1e-9, method=way)
    assert off(found, wanted) < STEPS * 1e-7 * found.steps
    # without the loop in the Jacobian Newton's method asks for steps of its time constant, 2e-5 s
    assert 10 * found.steps < wanted.steps


@pytest.mark.parametrize("way", mostly_further(["CVODE", "LSODA", "Radau", "BDF"], "CVODE", "BDF"))
def test_directional_derivatives_that_are_wrong_are_not_believed(tmp_path, way):
    # x'' = -x from (1, 0): a cosine
    flags = {"me": 'providesDirectionalDerivative="true"'}
    path = event_fmu(tmp_path, "SHORT", 2, "-DWRONG_DERIVATIVES", **flags)
    with Plant(path) as plant:
        assert plant.info.can_get_derivatives
        found = plant.simulate(times=[0.0, 2.0], method=way, rtol=1e-8, atol=1e-10)
    wanted = [np.cos(2.0), -np.sin(2.0)]
    assert found.states[-1] == pytest.approx(wanted, rel=0.0, abs=STEPS * 1e-8 * found.steps)
    assert found.evaluations < 2000  # with a wrong Jacobian it goes on, in steps of next to nothing


@pytest.mark.parametrize("method", [*METHODS, "DOP853 in Python"], indirect=True)
def test_no_step_is_longer_than_the_largest_one(ready, method):
    # a crane that stands still for a second: left alone, each goes on in a few long steps
    plant = ready("OverheadCrane")
    still = {"times": [0.0, 1.0], "method": method, "rtol": 1e-4, "atol": 1e-4}
    bounded = plant.simulate(max_step=0.004, **still)
    assert bounded.steps >= 250
    assert plant.simulate(**still).steps < 250
