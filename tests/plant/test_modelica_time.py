"""Conditions on time alone are met exactly, however they are written.

Each state of the model integrates a pulse of 0.1 ms and height 1e4: its area is one. The pulses are
0.1 s apart, so that stopping for one is no help for the others, and no integrator that is not told
of them would ever look there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fmu_driver import Exported, running

from c_programs import export_quickly
from cranebridge.errors import InputError
from cranebridge.frontend.flat_model import PlantModel
from cranebridge.frontend.modelica_model import load_model
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls
from further import further

FIRST, WIDTH, APART = 1.2345, 1e-4, 0.1
# With a as begin and b as end of the pulse; linear conditions become times, ...
LINEAR = {
    "plain": "time >= {a} and time < {b}",
    "either": "not (time < {a} or time >= {b})",
    "right after": "time > {a} and time <= {b}",
    "no event": "noEvent(time >= {a} and time < {b})",
    "smooth": "smooth(0, if time >= {a} and time < {b} then 1 else 0) > 0.5",
    "function": "window(time, {a}, {b}) > 0.5",
    "parameter as slope": "fast*time >= fast*{a} and fast*time < fast*{b}",
    "negative slope": "back*(time - {a}) <= 0 and back*(time - {b}) > 0",
    "through a variable": "tau >= {a} - start and tau < {b} - start",
    "through two": "noEvent(twice >= 2*({a} - start) and twice < 2*({b} - start))",
    "of a component": "timer.y >= {a} and timer.y < {b}",
    "discrete": "time >= since and time < since + width",
    "periodic": "mod(time, 10) >= {a} and mod(time, 10) < {b}",
}
# ... those with kinks, and parabolas, keep an indicator; its turning point is a time.
TURNING = {
    "absolute value": "abs(time - {a} - width/2) < width/2",
    "least": "min(time - {a}, {b} - time) >= 0",
    "parabola": "(time - {a})*(time - {b}) < 0",
}
FORMS = [*LINEAR, *TURNING]


def source() -> str:
    lines = []
    for k, (form, text) in enumerate({**LINEAR, **TURNING}.items()):
        a = f"(start + {k}*apart)"
        condition = text.format(a=a, b=f"({a} + width)")
        lines.append(f"  der(x[{k + 1}]) = if {condition} then 1/width else 0; // {form}")
    since = f"start + {FORMS.index('discrete')}*apart"
    newline = "\n"
    return f"""model Pulses
  model Timer
    output Real y;
  equation
    y = time;
  end Timer;
  function window
    input Real t, a, b;
    output Real y;
  algorithm
    y := if t >= a and t < b then 1 else 0;
  end window;
  parameter Real start = {FIRST}, width = {WIDTH}, apart = {APART}, fast = 3, back = -2;
  output Real x[{len(FORMS)}](each start = 0, each fixed = true);
  Real tau, twice;
  discrete Real since(start = 1e9, fixed = true);
  Timer timer;
equation
  tau = time - start;
  twice = 2*tau;
  when time >= {since} then
    since = time;
  end when;
{newline.join(lines)}
end Pulses;
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> PlantModel:
    file = tmp_path_factory.mktemp("pulses") / "Pulses.mo"
    file.write_text(source())
    return load_model(file)


@pytest.fixture(scope="module")
def built(model, tmp_path_factory) -> Callable[[int], Path]:
    folder, files = tmp_path_factory.mktemp("fmus"), {}

    def get(fmi: int) -> Path:
        if fmi not in files:
            version = "2.0" if fmi == 2 else "3.0"
            files[fmi] = export_quickly(model, folder / f"pulses{fmi}.fmu", version)
        return files[fmi]

    return get


def test_only_conditions_that_are_not_linear_in_time_have_indicators(model):
    # mod needs two, at whole numbers
    assert model.indicators == len(TURNING) + 2


@pytest.mark.parametrize(
    ("fmi", "way"),
    [
        *((2, "DOP853"), (3, "DOP853"), (2, "CVODE"), (2, "dopri5"), (3, "rodas4")),
        *(further(3, way) for way in ("Radau", "BDF", "LSODA", "RK45")),
    ],
)
def test_pulse_of_a_tenth_of_a_millisecond_is_met_exactly(built, fmi, way):
    times = [0.0, 1.0, 2.0, 3.5]
    with Plant(built(fmi)) as plant:
        if way in ("dopri5", "rodas4"):
            number = {"integrator.method": 1 if way == "dopri5" else 2}
            run = plant.sibling("cs").simulate(times=times, parameters=number, rtol=1e-6)
        else:
            run = plant.simulate(times=times, method=way, rtol=1e-6)
        assert run.steps < 2000
    area = {form: run.column(f"x[{k + 1}]")[-1] for k, form in enumerate(FORMS)}
    # both ends are known to the rounding of times around 2 s: 4e-16 of 1e-4
    assert area == {form: pytest.approx(1.0, rel=0.0, abs=2e-11) for form in FORMS}


@pytest.mark.parametrize("way", ["DOP853", "dopri5"])
def test_other_values_of_parameters_move_the_pulses(built, way):
    parameters = {"start": 0.4321, "width": 3e-5, "fast": 0.7, "back": -11.0}
    with Plant(built(2)) as plant:
        chosen = plant if way == "DOP853" else plant.sibling("cs")
        run = chosen.simulate(times=[0.0, 3.0], parameters=parameters, rtol=1e-6)
    area = {form: run.column(f"x[{k + 1}]")[-1] for k, form in enumerate(FORMS)}
    assert area == {form: pytest.approx(1.0, rel=0.0, abs=1e-10) for form in FORMS}


@pytest.mark.parametrize("fmi", [2, 3])
def test_next_event_time_is_the_begin_and_then_the_end_of_a_pulse(built, tmp_path, fmi):
    def handle_events() -> float:
        raw = fmu.raw
        found = raw.newDiscreteStates() if fmi == 2 else raw.updateDiscreteStates()
        assert found[4]
        return found[5]

    with running(Exported.open(built(fmi), tmp_path), "me") as fmu:
        fmu.initialize()
        fmu.raw.enterEventMode()
        assert handle_events() == FIRST
        fmu.raw.enterContinuousTimeMode()
        at_rest = np.zeros(len(FORMS))
        assert not fmu.rhs(FIRST, at_rest).any()  # an integrator arrives there: nothing has changed
        fmu.raw.enterEventMode()
        assert handle_events() == FIRST + WIDTH
        fmu.raw.enterContinuousTimeMode()
        assert fmu.rhs(FIRST, at_rest)[0] == 1.0 / WIDTH


@pytest.mark.parametrize("interface", ["me", "cs"])
@pytest.mark.parametrize("fmi", [2, 3])
def test_tunable_parameter_changes_during_a_run(tmp_path, interface, fmi):
    file = tmp_path / "Ramp.mo"
    file.write_text(
        "model Ramp\n  parameter Real k = 5;\n  output Real x(start=0, fixed=true);\n"
        "equation\n  der(x) = k;\nend Ramp;\n"
    )
    path = export_quickly(load_model(file), tmp_path / "ramp.fmu", "2.0" if fmi == 2 else "3.0")
    moving = Controls.linear([0.0, 1.0], [[1.0], [2.0]], ["k"])
    slopes = Controls.hold([0.0, 0.3, 1.1], [[1.0], [-2.0], [4.0]], ["k"])
    with Plant(path, interface=interface) as plant:
        run = plant.simulate(times=[0.0, 1.0, 2.0], inputs=slopes, outputs=["x"])
        bare = replace(slopes, stops=np.empty(0))  # a change is an event, told or not
        again = plant.simulate(times=[0.0, 1.0, 2.0], inputs=bare, outputs=["x"])
        with pytest.raises(InputError, match=r"'k' is discrete: its values are to be held"):
            plant.simulate(times=[0.0, 1.0], inputs=moving)
    assert run.column("x") == pytest.approx([0.0, 0.3 - 2 * 0.7, 0.3 - 2 * 0.8 + 4 * 0.9], abs=1e-9)
    assert again.column("x") == pytest.approx(run.column("x"), abs=1e-12)
