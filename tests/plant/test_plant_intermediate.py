"""FMI 3 Co-Simulation behind `Plant`: inputs within the steps, early return, event mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from fmu_driver import Exported
from scipy.interpolate import CubicSpline
from update_plants import ALL, update_fmu

from cranebridge.plant.description.fmu import inspect
from cranebridge.plant.export.fmu_export import cached_fmu
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls, Drives
from cranebridge.plant.sandbox.child_process import PlantError, PlantStatusError

Open = Callable[..., Plant]


@pytest.fixture(scope="module")
def opened(exported: Callable[[str, int], Exported]) -> Iterator[Open]:
    """Our plants by Co-Simulation, each opened once."""
    plants: dict[tuple[str, int, str], Plant] = {}

    def get(name: str, fmi: int = 3, interface: str = "cs") -> Plant:
        key = (name, fmi, interface)
        if key not in plants:
            plants[key] = Plant(exported(name, fmi).path, interface=interface)
        return plants[key]

    yield get
    for plant in plants.values():
        plant.close()


# ---------------------------------------------------------------------------- our own FMUs


def test_our_fmus_say_what_they_can(exported):
    info = inspect(exported("pendulum", 3).path)
    assert (info.intermediate_update, info.early_return, info.event_mode) == (True, True, True)
    signals = info.signals()
    within = {name for name, signal in signals.items() if signal.intermediate}
    assert within == {
        *("phi", "omega", "der(phi)", "der(omega)", "tau"),
        *("position[1]", "energy", "alpha"),
    }
    info = inspect(exported("pendulum", 2).path)
    assert (info.intermediate_update, info.early_return, info.event_mode) == (False, False, False)


def test_load_follows_the_path_with_steps_of_ten_milliseconds(exact):
    feedforward = exact("rotary", 2000)
    controls = Controls.from_ppoly(
        feedforward.control_polynomial, ("M_b", "F_t", "M_w"), stops=[5.0, 15.0]
    )

    def error(step: float, **options: bool) -> float:
        run = plant.simulate(
            times=feedforward.time[::50],
            inputs=controls,
            start={"s": 5.0, "l": 5.0},
            outputs=("x", "y", "z"),
            step=step,
            **options,
        )
        held = "held" if options else "intermediate update"
        assert held in run.interpolation
        return float(np.abs(run.outputs - feedforward.gamma[::50]).max())

    with Plant(cached_fmu("RotaryCrane", fmi="3.0"), interface="cs") as plant:
        # The integrator's own tolerance of 1e-10 is left; fifty times longer steps change nothing.
        assert error(0.01) < 2e-9
        assert error(0.5) < 2e-9
        assert 1e-3 < error(0.01, input_derivatives=False) < 3e-3


def smooth() -> Controls:
    t = np.linspace(0.0, 10.0, 10001)
    return Controls.from_ppoly(CubicSpline(t, np.cos(2.0 * t)[:, None]), ["u"])


def quadrature_error(plant: Plant, step: float, rtol: float) -> float:
    run = plant.simulate(times=[0.0, 10.0], inputs=smooth(), outputs=["x"], rtol=rtol, step=step)
    return float(abs(run.outputs[-1, 0] - (np.sin(20.0) / 2.0 + 1.0 - np.cos(10.0))))


def test_order_is_that_of_the_integrator_and_not_less_than_with_input_derivatives(opened):
    # A tolerance so wide that a communication step is one step of the integrator. Inputs by their
    # cubic polynomial have order 4; those that are asked for let the integrator keep its order 5
    # (4.6 and 4.8: the first step is chosen smaller, and its part of the error vanishes slowly).
    steps = (0.25, 0.125, 0.0625)
    errors = {
        fmi: [quadrature_error(opened("integrator", fmi), step, 1e3) for step in steps]
        for fmi in (2, 3)
    }
    orders = {fmi: np.log2(np.divide(e[:-1], e[1:])) for fmi, e in errors.items()}
    assert orders[2] == pytest.approx([4.0, 4.0], abs=0.2)
    assert orders[3] == pytest.approx([5.0, 5.0], abs=0.4)
    assert all(three < two for two, three in zip(errors[2], errors[3], strict=True))


def test_error_with_a_tolerance_does_not_depend_on_the_communication_step(opened):
    assert quadrature_error(opened("integrator", 2), 0.5, 1e-11) > 1e-5
    for step in (2.0, 0.5, 0.1):
        assert quadrature_error(opened("integrator", 3), step, 1e-11) < 1e-9


@pytest.mark.parametrize("step", [0.05, 0.3])
def test_drive_controllers_close_the_loop_within_the_steps(opened, step):
    t = np.linspace(0.0, 3.0, 601)
    reference = Controls.from_ppoly(CubicSpline(t, np.sin(t)[:, None]), ["phi"])
    drives = Drives(("tau",), ("phi",), ("omega",), (40.0,), (10.0,), reference)
    controls = Controls.constant([0.0], ["tau"]).with_drives(drives)
    times = np.linspace(0.0, 3.0, 11)
    within = opened("pendulum").simulate(times=times, inputs=controls, step=step)
    continuous = opened("pendulum", 3, "me").simulate(times=times, inputs=controls)
    # The same loop, closed by two integrators at 1e-10; held feedback is off by 1e-2.
    assert np.abs(within.states - continuous.states).max() < 1e-8
    held = opened("pendulum").simulate(
        times=times, inputs=controls, step=step, input_derivatives=False
    )
    assert np.abs(held.states - continuous.states).max() > 1e-3


def test_jumps_of_inputs_are_events_and_exact(opened):
    controls = Controls.hold([0.0, 0.31, 0.77, 1.0], [[1.0], [-2.0], [5.0], [5.0]], ["u"])
    run = opened("integrator").simulate(times=[0.0, 1.0], inputs=controls, step=0.4)
    wanted = 0.31 - 2.0 * 0.46 + 5.0 * 0.23 + 1.0 - np.cos(1.0)
    assert run.states[-1, 0] == pytest.approx(wanted, abs=1e-10)
    assert run.events == 2


# ---------------------------------------------------------------------------- foreign FMUs


def force(degree: int = 5) -> Controls:
    """u = 6 t^5, for which Gauss' rule is exact; w = 2."""
    coefficients = np.zeros((degree + 1, 1, 2))
    coefficients[0, 0, 0] = degree + 1.0
    coefficients[-1, 0, 1] = 2.0
    return Controls(coefficients, np.array([0.0, 2.0]), ("u", "w"), np.empty(0))


def position(t: np.ndarray, events: bool = True) -> np.ndarray:
    """x of updates.c in closed form: the gain is 1, 3 after 0.437 and -1 after 1.1."""
    gains = ((0.0, 1.0), (0.437, 3.0), (1.1, -1.0)) if events else ((0.0, 1.0),)
    ends = [begin for begin, _ in gains[1:]] + [np.inf]
    parts = [
        gain * (np.clip(t, begin, end) ** 6 - begin**6)
        for (begin, gain), end in zip(gains, ends, strict=True)
    ]
    return sum(parts) + 2.0 * t


TIMES = np.linspace(0.0, 2.0, 6)


@pytest.mark.parametrize("step", [0.4, 0.07])
def test_foreign_fmu_gets_its_inputs_at_odd_times_its_stops_and_its_events(tmp_path, step):
    with Plant(update_fmu(tmp_path), interface="cs") as plant:
        run = plant.simulate(times=TIMES, inputs=force(), step=step)
    assert run.column("wrong")[-1] == 0
    assert run.column("y") == pytest.approx(position(TIMES), abs=1e-11)
    assert run.events == 2
    # initialization, and two rounds at each event
    assert run.column("events")[-1] == 5
    # the steps are cut at 0.437, 0.75 and 1.1, and three inputs are asked for in each
    regular = 5 * round(np.ceil(0.4 / step - 1e-9))
    assert run.steps == regular + 3
    assert run.column("asked")[-1] == 3 * run.steps
    assert run.interpolation == (
        "inputs set within the steps (intermediate update), but w held over each (order 1)"
    )


@pytest.mark.parametrize("time", [np.nextafter(1.1, 0.0), 1.1, np.nextafter(1.1, 2.0)])
def test_foreign_fmu_at_an_announced_event_on_a_communication_point(tmp_path, time):
    times = np.array([0.0, time, 2.0])
    with Plant(update_fmu(tmp_path), interface="cs") as plant:
        run = plant.simulate(times=times, inputs=force())
    assert run.column("wrong")[-1] == 0
    assert run.column("y") == pytest.approx(position(times), abs=1e-11)
    # outputs at an event are those after it, whatever the rounding of time; no step is tiny
    assert run.column("gain")[1] == -1.0
    assert (run.events, run.steps) == (2, 5)


def test_fmu_is_offered_only_what_it_says_that_it_can(tmp_path):
    with Plant(update_fmu(tmp_path, flags=""), interface="cs") as plant:
        run = plant.simulate(times=TIMES, inputs=force(1), step=0.1)
    t = np.arange(20) * 0.1
    # held inputs, no stops, no events: the gain stays 1
    assert run.column("y")[-1] == pytest.approx(0.1 * (2.0 * t).sum() + 4.0, abs=1e-12)
    assert run.column("wrong")[-1] == run.column("asked")[-1] == run.column("events")[-1] == 0
    assert run.interpolation == "inputs held over each communication step (order 1)"


def test_event_mode_without_early_return_meets_events_at_the_ends_of_steps(tmp_path):
    flags = ALL.replace('mightReturnEarlyFromDoStep="true"', "")
    with Plant(update_fmu(tmp_path, flags=flags), interface="cs") as plant:
        run = plant.simulate(times=TIMES, inputs=force(), step=0.1)
    # Only the announced event at 1.1 is met.
    assert run.column("wrong")[-1] == 0
    assert run.events == 1
    wanted = 2.0 * 1.1**6 - 2.0**6 + 4.0
    assert run.column("y")[-1] == pytest.approx(wanted, abs=1e-11)


def test_fmu_that_does_not_ask_is_said_to_have_held_inputs(tmp_path):
    with Plant(update_fmu(tmp_path, "SILENT"), interface="cs") as plant:
        run = plant.simulate(times=TIMES, inputs=force(), step=0.1)
    assert run.interpolation.endswith("(order 1): the FMU did not ask for more")


@pytest.mark.parametrize(
    ("behaviour", "flags", "words"),
    [
        ("OUTSIDE", ALL, r"asks for inputs at t = 5\.\d+ s, outside of its step from 0\.0 to 0\.4"),
        ("STUCK", ALL, "does not get beyond t = 0 s: it returns early"),
        ("UNASKED", "", r"returned early at t = 0\.2 s, which was not allowed"),
    ],
)
def test_wrong_updates_and_returns_are_told_in_a_sentence(tmp_path, behaviour, flags, words):
    with Plant(update_fmu(tmp_path, behaviour, flags), interface="cs") as plant:
        with pytest.raises(PlantStatusError, match=words):
            plant.simulate(times=TIMES, inputs=force())
        # and the child goes on
        with pytest.raises(PlantError, match=words):
            plant.simulate(times=TIMES, inputs=force())
