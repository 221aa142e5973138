"""PyFMI as the second back end: that it agrees, what it cannot do, and what is said without it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from backends import needs_pyfmi
from event_plants import event_fmu
from test_plant_events import noted

from cranebridge.errors import InputError, MissingDependencyError
from cranebridge.job import verify_scenario
from cranebridge.plant.containment.measures import MEASURES
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls, Drives
from cranebridge.plant.sandbox import pyfmi_methods
from cranebridge.plant.sandbox.child_process import PlantError, PlantStatusError
from cranebridge.plant.sandbox.pyfmi_methods import COUNTERPARTS, SOLVERS, solver_name
from cranebridge.scenario import load_scenario

# ---------------------------------------------------------------------------- without PyFMI


@pytest.mark.parametrize("missing", ["pyfmi", "assimulo"])
def test_absent_package_is_named_with_the_command_that_installs_it(exported, monkeypatch, missing):
    path = exported("pendulum", 2).path
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name != missing or None)
    with pytest.raises(MissingDependencyError, match="conda install -c conda-forge pyfmi; FMPy is"):
        Plant(path, backend="pyfmi")


def test_broken_installation_is_told_in_a_sentence(exported, monkeypatch, tmp_path):
    for name in ("pyfmi", "assimulo"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('no libfmilib.so')")
    monkeypatch.syspath_prepend(str(tmp_path))
    with (
        Plant(exported("pendulum", 2).path, backend="pyfmi") as plant,
        pytest.raises(PlantError, match=r"PyFMI cannot be imported \(.*no libfmilib.so") as told,
    ):
        plant.simulate(times=[0.0, 1.0])
    assert "Traceback" not in str(told.value)


def test_unknown_back_end_gets_the_closest_match(exported):
    with pytest.raises(InputError, match=r"unknown back end 'pyfmy'\. Did you mean 'pyfmi'"):
        Plant(exported("pendulum", 2).path, backend="pyfmy")


def test_methods_are_translated_and_unknown_ones_refused():
    for ours, theirs in COUNTERPARTS.items():
        assert solver_name(ours) == solver_name(theirs) == theirs
        assert theirs in SOLVERS
    for name in ("DOP853", "LSODA", "LSODAR"):
        with pytest.raises(InputError, match=f"unknown method of PyFMI '{name}'"):
            solver_name(name)
    with pytest.raises(InputError, match="Did you mean 'Radau5ODE'"):
        solver_name("Radau5DAE")


def test_cosimulation_of_fmi3_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: True)
    for version, interface in (("2.0", "me"), ("2.0", "cs"), ("3.0", "me")):
        pyfmi_methods.require(version, interface)
    with pytest.raises(InputError, match=r"PyFMI runs no Co-Simulation of FMI 3.*'own'"):
        pyfmi_methods.require("3.0", "cs")


def test_scenario_takes_the_key_and_refuses_other_words():
    assert load_scenario("rotary").tables.plant.backend == "own"
    assert load_scenario("rotary", ["plant.backend='pyfmi'"]).tables.plant.backend == "pyfmi"
    with pytest.raises(InputError, match="pyfmi"):
        load_scenario("rotary", ["plant.backend='pyfmy'"])


# ---------------------------------------------------------------------------- with PyFMI


@needs_pyfmi
def test_pyfmi_runs_in_the_contained_child(exported):
    with Plant(exported("pendulum", 2).path, contain="require", backend="pyfmi") as plant:
        plant.simulate(times=[0.0, 0.1])
        assert plant.containment.enforced == tuple(MEASURES)


@needs_pyfmi
def test_sibling_for_cosimulation_of_fmi3_is_refused(exported):
    with Plant(exported("pendulum", 3).path, backend="pyfmi") as plant:
        with pytest.raises(InputError, match="PyFMI runs no Co-Simulation of FMI 3"):
            plant.sibling("cs")
        assert plant.sibling("me").backend == "pyfmi"


@needs_pyfmi
@pytest.mark.parametrize("method", list(SOLVERS))
def test_dense_nodes_of_every_solver_lie_on_the_motion(exported, method):
    # x' = u + sin(t) with u = t: x = t^2 / 2 + 1 - cos(t)
    ramp = Controls.linear([0.0, 1.0, 2.0], [[0.0], [1.0], [2.0]], ["u"])
    with Plant(exported("integrator", 2).path, backend="pyfmi") as plant:
        run = plant.simulate(times=[0.0, 2.0], inputs=ramp, method=method, dense=True)
    assert run.method == f"PyFMI, {method}"
    t = run.dense.time
    # the solvers' interpolation is not controlled: some hundred times the tolerance of 1e-10
    assert run.dense.states[:, 0] == pytest.approx(t**2 / 2 + 1 - np.cos(t), rel=0.0, abs=1e-7)
    assert {0.0, 1.0}.issubset(t[run.dense.starts])
    assert t[-1] == 2.0


@needs_pyfmi
@pytest.mark.parametrize("method", list(SOLVERS))
def test_solvers_know_of_the_drive_controller_around_the_plant(exported, method):
    # with the FMU's own Jacobian, without the controller, RodasODE fails and others take 20 times
    # as many evaluations
    gains = ((4e4,), (1e4,))
    drives = Drives(("tau",), ("phi",), ("omega",), *gains, Controls.constant([0.5], ["phi"]))
    controls = Controls.constant([0.0], ["tau"]).with_drives(drives)
    path = exported("pendulum", 2).path
    with Plant(path) as ours, Plant(path, backend="pyfmi") as theirs:
        wanted = ours.simulate(times=[0.0, 1.0], inputs=controls)
        found = theirs.simulate(times=[0.0, 1.0], inputs=controls, method=method)
    assert found.states[-1] == pytest.approx(wanted.states[-1], rel=0.0, abs=1e-7)
    # explicit Dopri5 is kept short by stability: 1e4 / 4.5 s^-1
    assert found.evaluations < (10_000 if method != "Dopri5" else 30_000)


@needs_pyfmi
@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("BLINK", {"times": [0.0, 4.0]}),
        ("BALL", {"times": [0.0, 10.0], "parameters": {"k": 0.7}}),
        (
            "CACHED",
            {
                "times": [0.0, 1.8],
                "inputs": Controls.linear([0.0, 0.4, 1.1, 1.8], [[0.0]] * 4, ["u"]),
            },
        ),
    ],
)
def test_event_that_pyfmi_passes_over_is_told_and_not_hidden(tmp_path: Path, form, options, fmi):
    path = event_fmu(tmp_path, form, fmi, complete=True)
    with (
        Plant(path, backend="pyfmi") as plant,
        pytest.raises(PlantStatusError, match="PyFMI passed over an event before t ="),
    ):
        plant.simulate(**options)


@needs_pyfmi
def test_event_time_that_is_over_ends_pyfmi_with_a_sentence(tmp_path: Path):
    path = event_fmu(tmp_path, "PAST", 2, complete=True)
    with (
        Plant(path, backend="pyfmi") as plant,
        pytest.raises(PlantStatusError, match=r"PyFMI's solver Radau5ODE cannot go on at t = 0\.5"),
    ):
        plant.simulate(times=[0.0, 1.0])


@needs_pyfmi
def test_function_that_pyfmi_wants_and_the_binary_lacks_is_named(tmp_path: Path):
    with (
        Plant(event_fmu(tmp_path, "STAIR", 2), backend="pyfmi") as plant,
        pytest.raises(PlantStatusError, match="fmi2GetNominalsOfContinuousStates"),
    ):
        plant.simulate(times=[0.0, 1.0])


@needs_pyfmi
@pytest.mark.parametrize("method", ["Radau5ODE", "CVode"])
def test_thermostat_switches_at_the_same_times_with_and_without_outputs(tmp_path: Path, method):
    # reading outputs within a step must not disturb what the FMU keeps for its events
    path = event_fmu(tmp_path, "LATCH", 2, complete=True)
    with Plant(path, backend="pyfmi") as plant:
        few, many = (
            noted(plant.simulate(times=np.linspace(0.0, 8.0, n), method=method, dense=n > 2))
            for n in (2, 1001)
        )
    assert few.tolist() == many.tolist()


@needs_pyfmi
@pytest.mark.parametrize("options", [[], ["plant.fmi=3"], ["plant.interface='cs'"]])
def test_verification_of_rotary_agrees_with_our_own_loop(options):
    ours = verify_scenario(load_scenario("rotary", options)) if not options else None
    theirs = verify_scenario(load_scenario("rotary", ["plant.backend='pyfmi'", *options]))
    assert theirs.plant.backend == "pyfmi"
    assert theirs.certificate.same
    assert theirs.tracking.statistics["method"].startswith("PyFMI, ")
    error = np.abs(theirs.tracking.achieved - theirs.tracking.wanted)
    # between the steps of Radau5ODE its polynomial of degree 3 has an error of 6e-9 m
    assert error.max() < 2e-8
    # where the crane has come to rest there is none of that
    assert error[-1].max() < 2e-9
    if ours is None:
        return
    assert [v.status for v in theirs.verdicts] == [v.status for v in ours.verdicts]
    both = (ours.tracking.motion, theirs.tracking.motion)
    assert both[0].missing == both[1].missing
    for name in ("jerk.x", "a.phi", "rope.T_cable", "power.M_w"):
        largest = [np.abs(motion.values[name]).max() for motion in both]
        # extremes at other nodes; jerks of a polynomial of degree 3 are the worst (7e-4)
        assert largest[1] == pytest.approx(largest[0], rel=2e-3), name
