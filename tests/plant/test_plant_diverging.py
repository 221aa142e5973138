"""Plants that run away are told of in words: which state, when, and what to look at."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest

from cranebridge.plant.child.integrators.integrators import METHODS
from cranebridge.plant.export.fmu_export import cached_fmu
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol import wire
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.sandbox import host, loop_library
from cranebridge.plant.sandbox.child_process import (
    PlantStatusError,
    PlantTimeoutError,
    PlantValueError,
    Sandbox,
)

# x = 1 / (1 - t); x = 1 / sqrt(1 - 2 t); x = exp(200 t), beyond all numbers at 3.55 s; a spring
# that is driven
EQUATIONS = {
    "Infinite": "der(x) = x*x; der(v) = 0;",
    "Steep": "der(x) = x*x*x; der(v) = 0;",
    "Exponential": "der(x) = 200*x; der(v) = 0;",
    "Driven": "der(x) = v; der(v) = -1e6*x + 20*v;",
    "Stiff": "der(x) = v; der(v) = -1e6*x;",
}


@pytest.fixture(scope="module")
def fmu(tmp_path_factory):
    folder = tmp_path_factory.mktemp("diverging")

    def made(name: str):
        file = folder / f"{name}.mo"
        file.write_text(
            f"model {name}\n  Real x(start=1, fixed=true);\n  Real v(start=0, fixed=true);\n"
            f"  output Real y;\nequation\n  {EQUATIONS[name]}\n  y = x;\n"
            f"end {name};\n"
        )
        return cached_fmu(f"{file}:{name}", cache=folder)

    return made


def simulate(file, interface="me", timeout=60.0, **more):
    with Plant(file, interface=interface, timeout=timeout) as plant:
        return plant.simulate(times=np.linspace(0.0, 10.0, 101), dense=True, **more)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Infinite", r"the plant diverges: x is \d\.\d+e\+\d\d at t = 1 s"),
        ("Exponential", r"the plant diverges: x is [\d.]+e\+3\d\d at t = 3\.\d+ s"),
    ],
)
def test_state_that_runs_away_is_named_with_its_time(
    fmu, monkeypatch, name, words, compiled
) -> None:
    if not compiled:
        monkeypatch.setattr(loop_library, "compiled", lambda: None)
    with pytest.raises(PlantValueError, match=words) as error:
        simulate(fmu(name))
    assert "look at plant.parameters and plant.start" in str(error.value)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("name", "end"), [("Infinite", 1.0), ("Steep", 0.5)])
def test_every_integrator_ends_where_a_state_has_no_bound(fmu, method, name, end) -> None:
    # LSODA went on for ever there, in steps too small for the time to change
    with pytest.raises((PlantStatusError, PlantValueError)) as error:
        simulate(fmu(name), method=method, rtol=1e-8, atol=1e-10, timeout=20.0)
    told = re.search(r"(?:x is [\d.e+]+|cannot go on) at t = ([\d.]+) s", str(error.value))
    assert float(told[1]) == pytest.approx(end, rel=1e-4)


def test_cvode_ends_where_ropes_that_push_come_to_the_fold() -> None:
    # as LSODA above; every other integrator ends at 0.517186 s
    names = ["u_1", "u_2", "F_wind_x", "F_wind_z"]
    push = [[0.0, -98.1, 0.0, 0.0], [50.0, -48.1, 200.0, 200.0]]
    inputs = Controls.hold([0.0, 0.2], push, names)
    with (
        Plant(cached_fmu("NavyCrane2D"), timeout=20.0) as plant,
        pytest.raises((PlantStatusError, PlantValueError), match=r"at t = 0\.517186 s"),
    ):
        plant.simulate(times=[0.0, 1.0], inputs=inputs, method="CVODE", rtol=1e-8, atol=1e-10)


def test_state_that_runs_away_within_co_simulation_is_named(fmu) -> None:
    with pytest.raises(PlantValueError, match=r"x is [\d.e+]+ at t = 3\.5 s"):
        simulate(fmu("Exponential"), "cs")


def test_ever_faster_plant_is_no_nonsense(fmu, monkeypatch) -> None:
    # before, its steps were more than an answer may have, and it "sent nonsense or was killed"
    monkeypatch.setattr(wire, "ANSWER_DOUBLES", 2**17)
    with pytest.raises(PlantValueError, match=r"the plant diverges: v is .* steps were taken"):
        simulate(fmu("Driven"))


@pytest.mark.parametrize("compiled", [True, False])
def test_more_steps_than_fit_into_an_answer_are_told(fmu, monkeypatch, compiled) -> None:
    # it does not run away: a spring of 160 Hz takes some thousand steps
    monkeypatch.setattr(wire, "ANSWER_DOUBLES", 2**14)
    if not compiled:
        monkeypatch.setattr(loop_library, "compiled", lambda: None)
    with pytest.raises(PlantStatusError, match=r"\d+ steps were taken up to t = [\d.]+ s, more"):
        simulate(fmu("Stiff"))


def test_plant_that_takes_too_long_tells_how_far_it_came(fmu, monkeypatch) -> None:
    monkeypatch.setattr(loop_library, "compiled", lambda: None)  # Python takes long enough
    parts = list[float]()
    # a clock that stands still until something was told, and is beyond the limit then
    child = functools.partial(Sandbox, clock=lambda: 1000.0 * len(parts))
    monkeypatch.setattr(host, "Sandbox", child)
    with pytest.raises(PlantTimeoutError, match=r"had come to t = [\d.]+ s"):
        simulate(fmu("Stiff"), progress=parts.append, rtol=1e-12, atol=1e-14)
    assert 0.0 < parts[0] < 1.0
