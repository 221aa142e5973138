"""FMPy as the second back end: its error against closed forms, and what it cannot do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from array_plants import array_fmu
from event_plants import event_fmu
from fmu_driver import Exported
from plant_models import GRAVITY
from scipy.integrate import solve_ivp
from test_plant_events import GRAVITY as BALL_GRAVITY

from cranebridge.errors import InputError
from cranebridge.job import verify_scenario
from cranebridge.plant.child.inputs import interval_means
from cranebridge.plant.containment.measures import MEASURES
from cranebridge.plant.export import cached_fmu
from cranebridge.plant.plant import Plant
from cranebridge.plant.plant_choices import BACKENDS, TOOLS
from cranebridge.plant.protocol.controls import Controls, Drives
from cranebridge.plant.sandbox.child_process import (
    PlantError,
    PlantStatusError,
    PlantTimeoutError,
)
from cranebridge.scenario import load_scenario
from further import mostly_further

Open = Callable[..., Plant]
CARRIAGE = """model Carriage "A mass of 1 kg that a force moves, with an event far away"
  input Real F(unit = "N");
  output Real x(unit = "m", start = 0, fixed = true);
  output Real v(unit = "m/s", start = 0, fixed = true);
  output Real a(unit = "m/s2");
  discrete output Real far(start = 0, fixed = true);
protected
  constant Real m(unit = "kg") = 1;
equation
  der(x) = v;
  der(v) = a;
  m*a = F;
  when x > 1e9 then  // FMPy sets inputs where it reads event indicators, too
    far = 1;
  end when;
end Carriage;
"""
WAYS = [(fmi, interface) for fmi in ("2.0", "3.0") for interface in ("me", "cs")]
ways = pytest.mark.parametrize(("fmi", "interface"), WAYS)
END = 2.0
RAMP = Controls.linear([0.0, END], [[0.0], [END]], ["F"])


@pytest.fixture(scope="module")
def carriages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """The mass, by version, interface and back end; each opened once."""
    folder = tmp_path_factory.mktemp("carriage")
    (folder / "carriage.mo").write_text(CARRIAGE)

    @cache
    def opened(fmi: str, interface: str, backend: str = "fmpy") -> Plant:
        path = cached_fmu(f"{folder / 'carriage.mo'}:Carriage", fmi=fmi, cache=folder)
        plants.append(Plant(path, interface=interface, backend=backend, timeout=30.0))
        return plants[-1]

    plants: list[Plant] = []
    yield opened
    for plant in plants:
        plant.close()


# ---------------------------------------------------------------------------- its error


@ways
def test_position_under_a_ramp_is_off_by_the_closed_form(carriages, fmi, interface):
    # x'' = t held as its means: v(t_k) = t_k^2 / 2 is exact, and each interval moves x by
    # h^3 / 12 too far: x(T) = T^3 / 6 + h^2 / 12 T
    for h in (0.1, 0.05):
        run = carriages(fmi, interface).simulate(times=[0.0, 1.0, END], inputs=RAMP, step=h)
        # CVode's errors and those of our own integrator are of the tolerance's size, 1e-10
        assert run.column("v") == pytest.approx(run.time**2 / 2, abs=1e-9)
        assert run.column("x") - run.time**3 / 6 == pytest.approx(h**2 / 12 * run.time, abs=2e-9)
        # what depends directly on an input shows that of the very time, not a mean
        assert run.column("a") == pytest.approx(run.time, abs=1e-15)
        assert "order 2" in run.interpolation
        assert f"{h:g} s" in run.interpolation


@ways
def test_difference_from_our_own_loop_falls_with_order_two(carriages, fmi, interface):
    t = np.linspace(0.0, END, 401)
    force = Controls.cubic(t, np.sin(3 * t)[:, None], 3 * np.cos(3 * t)[:, None], ["F"])
    times = np.linspace(0.0, END, 11)
    ours = carriages(fmi, "me", "own").simulate(times=times, inputs=force).outputs
    found = carriages(fmi, interface).simulate_halving(step=0.1, times=times, inputs=force)
    differences = [
        np.abs(run.column("x") - ours[:, 0]).max()
        for run in (found.coarse, found.fine, found.finest)
    ]
    # differences are some 1e-4, integrators some 1e-9 off
    assert np.log2(differences[0] / differences[1]) == pytest.approx(2.0, abs=0.02)
    assert np.log2(differences[1] / differences[2]) == pytest.approx(2.0, abs=0.02)
    assert found.order[0] == pytest.approx(2.0, abs=0.02)


@pytest.mark.parametrize("interface", ["me", "cs"])
@pytest.mark.parametrize("fmi", [2, 3])
def test_pendulum_comes_to_the_exact_motion_with_order_two(
    exported: Callable[[str, int], Exported], fmi: int, interface: str
) -> None:
    def rhs(t: float, x: np.ndarray) -> list[float]:
        moment = 5 * np.sin(3 * t) - 0.1 * x[1] - 2.0 * GRAVITY * 1.5 * np.sin(x[0])
        return [x[1], moment / 4.5]

    times, t = np.linspace(0.0, 1.0, 6), np.linspace(0.0, 1.0, 1001)
    torque = Controls.cubic(t, 5 * np.sin(3 * t)[:, None], 15 * np.cos(3 * t)[:, None], ["tau"])
    exact = solve_ivp(rhs, (0.0, 1.0), (-0.2, 0.25), "DOP853", times, rtol=1e-12, atol=1e-12).y.T
    with Plant(exported("pendulum", fmi).path, interface=interface, backend="fmpy") as plant:
        errors = [
            np.abs(
                plant.simulate(times=times, inputs=torque, start={"phi": -0.2}, step=h).states
                - exact
            ).max()
            for h in (0.05, 0.025)
        ]
    # of the size h^2 / 12 times the change of acceleration, 15 / 4.5 rad/s^2
    assert errors[0] < 0.05**2 / 12 * 15 / 4.5
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


@ways
def test_held_inputs_are_exact_wherever_they_jump(carriages, fmi, interface):
    # jumps that are no multiples of the step: v is piecewise linear, x piecewise quadratic
    at, values = np.array([0.0, 0.37, 0.911, 1.5]), np.array([1.0, -2.0, 0.5, 0.0])
    force = Controls.hold(at, values[:, None], ["F"])
    times = np.linspace(0.0, END, 21)
    run = carriages(fmi, interface).simulate(times=times, inputs=force, step=0.1)
    since = np.maximum(times[:, None] - at, 0.0)
    changes = np.diff(values, prepend=0.0)
    assert run.column("v") == pytest.approx(since @ changes, abs=1e-9)
    assert run.column("x") == pytest.approx(since**2 / 2 @ changes, abs=2e-9)


def test_states_of_model_exchange_start_elsewhere(carriages):
    run = carriages("2.0", "me").simulate(times=[0.0, 1.0], start={"x": 3.0, "v": -1.0}, step=0.1)
    assert run.column("x") == pytest.approx([3.0, 2.0], abs=1e-9)
    assert run.method == "FMPy, CVode"
    assert run.evaluations > 0


def test_means_are_those_of_the_polynomials():
    # t^3 in pieces that are no intervals of the grid
    x = np.array([0.0, 0.3, 1.0])
    pieces = [[1.0, 3 * s, 3 * s**2, s**3] for s in x[:-1]]
    cube = Controls(np.array(pieces).T[:, :, None], x, ("u",), np.empty(0))
    grid = np.array([-1.0, 0.0, 0.5, 0.7, 1.0, 1.5])
    found = interval_means(cube, grid)[:, 0]
    fourths = grid[1:4] ** 4 / 4
    wanted = [0.0, *(np.diff(fourths) / np.diff(grid[1:4])), (1 - 0.7**4) / 4 / 0.3, 1.0]
    assert found == pytest.approx(wanted, rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("fmi", [2, 3])
def test_ball_bounces_when_it_must(tmp_path: Path, fmi: int) -> None:
    with Plant(event_fmu(tmp_path, "BALL", fmi, complete=True), backend="fmpy") as plant:
        run = plant.simulate(times=np.linspace(0.0, 1.5, 31))
    fall = np.sqrt(2.0 / BALL_GRAVITY)
    noted = [run.column(f"e{i}")[-1] for i in (1, 2)]
    assert noted == pytest.approx([fall, fall * (1 + 2 * 0.7)], abs=1e-7)
    assert run.events >= 2


# ---------------------------------------------------------------------------- in a verification


@pytest.mark.parametrize(
    "options",
    mostly_further(
        [[], ["plant.fmi=3"], ["plant.interface='cs'"], ["plant.fmi=3", "plant.interface='cs'"]],
        [],
    ),
)
def test_verification_explains_the_error_of_the_held_inputs(options):
    found = verify_scenario(load_scenario("two-mass", ["plant.backend='fmpy'", *options]))
    assert found.plant.backend == "fmpy"
    assert found.certificate.same
    assert found.tracking.statistics["method"].startswith("FMPy, ")
    assert "order 2" in found.tracking.statistics["interpolation"]
    # nearly all of the error is that of plant.step, and the halved steps have told so
    budget = found.tracking.budget
    assert budget.integrator == pytest.approx(budget.error, rel=0.02)
    assert {verdict.status for verdict in found.verdicts} == {"passed"}


def test_it_runs_in_the_contained_child(carriages):
    carriages("2.0", "me").simulate(times=[0.0, 0.1])
    assert carriages("2.0", "me").containment.enforced == tuple(MEASURES)


def test_scenario_takes_it_and_its_sentence_says_the_weakness():
    assert load_scenario("rotary", ["plant.backend='fmpy'"]).tables.plant.backend == "fmpy"
    assert "error of order 2" in BACKENDS["fmpy"]
    assert set(TOOLS) == set(BACKENDS) - {"own"}


# ---------------------------------------------------------------------------- what it does not do


def test_controllers_are_refused_in_a_sentence(carriages):
    plant, still = carriages("2.0", "me"), Controls.constant([0.0], ["F"])
    drives = Drives(("F",), ("x",), ("v",), (1.0,), (1.0,), Controls.constant([0.5], ["x"]))
    with pytest.raises(InputError, match=r"^FMPy runs no loops of drives.*'own'\.$"):
        plant.simulate(times=[0.0, 1.0], inputs=still.with_drives(drives))
    sampled = ["plant.backend='fmpy'", "plant.certify=false", "control.kind='lqr'"]
    with pytest.raises(InputError, match=r"^FMPy runs no sampled controller here.*'own'\.$"):
        verify_scenario(load_scenario("overhead", [*sampled, "control.cycle=0.01"]))


def test_arrays_are_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has arrays, which FMPy does not run here.*'own'\.$"):
        Plant(array_fmu(tmp_path), backend="fmpy")


def test_other_solvers_and_their_largest_step_are_refused(carriages):
    plant = carriages("2.0", "me")
    with pytest.raises(InputError, match="unknown method of FMPy 'Radau'"):
        plant.simulate(times=[0.0, 1.0], method="Radau")
    with pytest.raises(InputError, match=r"give plant\.step in place of plant\.max_step"):
        plant.simulate(times=[0.0, 1.0], max_step=0.1)
    with pytest.raises(InputError, match=r"plant.backend = 'fmpy', give plant\.step"):
        verify_scenario(load_scenario("two-mass", ["plant.backend='fmpy'", "plant.max_step=0.1"]))
    assert plant.simulate(times=[0.0, 1.0], method="CVODE").method == "FMPy, CVode"


def test_fmu_that_fmpy_finds_fault_with_is_refused(tmp_path: Path) -> None:
    # a Derivatives element without any: against the schema of FMI 2, which we do not insist on
    path = event_fmu(tmp_path, "NOTHING", 2, complete=True)
    with (
        Plant(path, backend="fmpy") as plant,
        pytest.raises(PlantStatusError, match=r"FMPy refuses its model description .*Derivatives"),
    ):
        plant.simulate(times=[0.0, 1.0])


@pytest.mark.parametrize("fmi", [2, 3])
def test_plant_that_ends_the_simulation_says_when(tmp_path: Path, fmi: int) -> None:
    # x = 1 - t, and the end at x = 0
    with Plant(event_fmu(tmp_path, "LIMIT", fmi, complete=True), backend="fmpy") as plant:
        run = plant.simulate(times=np.linspace(0.0, 1.5, 31))
    assert run.ended == "the FMU ended the simulation at t = 1 s"
    assert run.column("x0") == pytest.approx(1.0 - run.time, abs=1e-9)
    assert run.time[-1] == pytest.approx(0.95)


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize(
    ("form", "options", "kind", "words"),
    [
        ("EDGE", ["-DDISCARDS=DERIVATIVES"], PlantStatusError, "FMPy takes no smaller step then"),
        ("PAST", [], PlantStatusError, r"after t = 0\.5 s: the FMU announces an event for that"),
        ("CHATTER", [], PlantStatusError, "the plant chatters at t = 1 s"),
    ],
)
def test_what_stops_fmpy_is_one_sentence(tmp_path: Path, form, options, kind, words, fmi) -> None:
    path = event_fmu(tmp_path, form, fmi, *options, complete=True)
    with Plant(path, backend="fmpy") as plant, pytest.raises(kind, match=words) as told:
        plant.simulate(times=np.linspace(0.0, 1.5, 16))
    assert "Traceback" not in str(told.value)


def test_time_limit_is_kept(carriages, tmp_path: Path) -> None:
    path = carriages("2.0", "me").info.path
    with (
        Plant(path, backend="fmpy", timeout=0.5) as plant,
        pytest.raises(PlantTimeoutError, match=r"did not answer within 0\.5 s and was stopped"),
    ):
        plant.simulate(times=[0.0, 100.0], inputs=RAMP, step=1e-3)


def test_broken_installation_is_told_with_the_command(exported, monkeypatch, tmp_path):
    (tmp_path / "lxml").mkdir()
    (tmp_path / "lxml" / "__init__.py").write_text("raise ImportError('no libxml2')")
    monkeypatch.syspath_prepend(str(tmp_path))
    with (
        Plant(exported("pendulum", 2).path, backend="fmpy") as plant,
        pytest.raises(PlantError, match=r"FMPy cannot be imported \(.*no libxml2.*pip install"),
    ):
        plant.simulate(times=[0.0, 1.0])
