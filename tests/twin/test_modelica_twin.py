"""Twins read from Modelica: the same controls as the twins in Python, whose equations are others.

The Python twins are written as energies in coordinates of the load, the Modelica models as
Newton's equations in swing angles: neither knows the other.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import cranebridge as cb
from cranebridge.errors import InputError, StructureError
from cranebridge.expressions import evaluate
from cranebridge.forward import crane_dynamics
from cranebridge.frontend import library_path
from cranebridge.inverse import ServoProblem, time_grid
from cranebridge.inverse.index1 import solve_index1, structure_of
from cranebridge.path import make_path
from cranebridge.scenario import Scenario
from cranebridge.twin import ServoChoice, find_crane
from cranebridge.twin.language import names, scaled_parts
from cranebridge.twin.modelica import chosen_model
from cranebridge.twin.modelica.motion_equations import SecondOrder

DATA = Path(__file__).parents[1] / "data" / "modelica"
WINCH = str(DATA / "WinchCrane.mo")

FLAT = (
    *("overhead", "gantry", "rotary", "bridge", "navy2d", "navy2d-safe", "navy2d-pulley-safe"),
    *("luffing-jib", "double-pendulum", "two-mass", "quadrotor", "cablev-general"),
    *("navy3d", "navy3d-pulley", "navy3d-pulley-safe"),
)
INTERNAL = ("flexible-jib", "rpr")


def same_problem(name: str, **parameters: float) -> tuple[Scenario, ServoProblem]:
    """Return a ready scenario, and its problem for the twin read from its plant's Modelica."""
    scenario = cb.load(name).with_({f"crane.{key}": value for key, value in parameters.items()})
    twin = scenario.crane
    varied = tuple(scenario.problem.parameters)
    choice = ServoChoice(names(twin.inputs), names(twin.outputs), varied=varied)
    file = f"{library_path()}/{scenario.tables.plant.model}.mo"
    crane = find_crane(file, choice=choice)
    known = scenario.problem.parameters
    given = {n: known[n] for n in names(crane.parameters) if n in known}
    for key, text in scenario.tables.plant.map.parameters.items():
        given[key] = evaluate(f"plant.map.parameters.{key}", text, known)
    return scenario, ServoProblem(crane, scenario.problem.path, crane.parameter_values(given))


@pytest.mark.parametrize("name", FLAT)
def test_controls_are_those_of_the_twin_in_python(name):
    scenario, problem = same_problem(name)
    structure, known = structure_of(problem), structure_of(scenario.problem)
    assert structure.index == known.index
    assert structure.path_derivatives == known.path_derivatives
    assert structure.internal_dynamics == known.internal_dynamics == 0
    times = time_grid(problem.path.duration, problem.path.duration / 50)
    found, wanted = solve_index1(problem, times).u, solve_index1(scenario.problem, times).u
    assert np.abs(found - wanted).max() <= 1e-11 * np.ptp(wanted, axis=0).max()


def test_a_balance_of_accelerations_alone_holds_wherever_the_crane_slews():
    """Outputs are coordinates here, and the copy of the pulley's crane does not slew."""
    geometry = {"k": 4.0, "l": 5.5, "alpha": 1.0, "m": 150.0}
    scenario, problem = same_problem("navy3d-pulley", **geometry, s=4.5, m_0=8.0)
    assert not structure_of(problem).combinations
    times = time_grid(problem.path.duration, problem.path.duration / 20)
    solution, wanted = solve_index1(problem, times), solve_index1(scenario.problem, times)
    spread = np.ptp(wanted.u, axis=0)
    assert (np.abs(solution.u - wanted.u).max(axis=0) <= 1e-9 * spread).all()
    columns = names(problem.crane.coordinates)
    for name in ("x_0", "y_0"):
        known = wanted.q[:, names(scenario.problem.crane.coordinates).index(name)]
        np.testing.assert_allclose(solution.q[:, columns.index(name)], known, atol=1e-10)
    phi = solution.q[:, columns.index("phi")]
    assert np.ptp(phi) > 1.8  # more than a right angle


def test_balances_may_be_mixed(monkeypatch):
    """Which combination of the balances is the load's own does not depend on how they stand."""
    eliminate = chosen_model.passive_rows

    def mixed(motion: SecondOrder, u: ca.SX, *others: Any) -> ca.SX:
        rows = eliminate(motion, u, *others)
        passive = [i for i in range(rows.numel()) if not ca.depends_on(rows[i], u)]
        rows[passive] = ca.DM([[1.0, 0.5, 0.2], [0.3, 1.0, -0.4], [-0.2, 0.6, 1.0]]) @ rows[passive]
        return rows

    monkeypatch.setattr(chosen_model, "passive_rows", mixed)
    scenario = cb.load("navy3d-pulley-safe")
    inputs, outputs = names(scenario.crane.inputs), names(scenario.crane.outputs)
    # with a rope: not the crane of other tests, which is kept
    choice = ServoChoice(inputs, outputs, ("T_cable1_A",))
    crane = find_crane(f"{library_path()}/NavyCrane3DPulley.mo", choice=choice)
    problem = ServoProblem(crane, scenario.problem.path, crane.parameter_values())
    assert structure_of(problem).path_derivatives == structure_of(scenario.problem).path_derivatives
    times = np.array([5.0, 8.0, 12.0])
    found, wanted = (
        solve_index1(problem, times, mode="never"),
        solve_index1(scenario.problem, times),
    )
    np.testing.assert_allclose(found.u, wanted.u, rtol=1e-9, atol=1e-8)


@pytest.mark.parametrize("name", ["navy3d", "navy3d-pulley"])
def test_further_coordinates_move_with_the_crane_in_forward_dynamics(name):
    scenario, problem = same_problem(name)
    dynamics = crane_dynamics(problem.crane)
    assert dynamics.dimension == crane_dynamics(scenario.problem.crane).dimension
    solution = solve_index1(problem, np.array([7.0, 11.0, 13.0]))
    for q, v, u, a in zip(solution.q, solution.v, solution.u, solution.a, strict=True):
        found = dynamics.accelerations(q, v, u, problem.parameter_vector)[0]
        np.testing.assert_allclose(np.array(found)[:, 0], a, atol=1e-10)


@pytest.mark.parametrize("name", INTERNAL)
def test_internal_dynamics_have_the_same_dimension(name):
    scenario, problem = same_problem(name)
    structure, known = structure_of(problem), structure_of(scenario.problem)
    assert structure.index == known.index
    assert structure.internal_dynamics == known.internal_dynamics > 0


def winch_scenario(**crane: object) -> Scenario:
    """Return a scenario of a crane of a user's, with a gear between motor and drum."""
    table = {"model": WINCH, "inputs": ["F", "M"], "outputs": ["x", "z"], "ropes": ["S"], **crane}
    path = {"kind": "line", "start": [0.0, -6.0], "goal": [5.0, -4.0], "duration": 8.0}
    whole = {"crane": table, "path": {**path, "profile": "polynomial", "smoothness": 4}}
    from cranebridge.scenario import Origin

    return Scenario.of_tables(whole, Origin("winch", "winch", Path.cwd())).require_values()


def test_motor_torque_and_rope_force_of_a_geared_winch_are_those_of_newton():
    scenario = winch_scenario(parameters={"m": 3000.0})
    problem = scenario.problem
    times = time_grid(8.0, 0.01)
    solution = solve_index1(problem, times)
    value = problem.parameters
    columns = names(problem.crane.coordinates)
    trolley, rope = (solution.q[:, columns.index(name)] for name in ("s", "l"))
    place = problem.path.derivatives(times, 2)
    x, z, acceleration = place[0, 0], place[0, 1], place[2]
    # the load alone: the rope carries weight and inertia, and points along both
    force = value["m"] * np.hypot(acceleration[0], acceleration[1] + 9.81)
    above = x - z * acceleration[0] / (acceleration[1] + 9.81)
    np.testing.assert_allclose(trolley, above, atol=1e-11)
    np.testing.assert_allclose(rope, np.hypot(x - trolley, z), rtol=1e-12)
    np.testing.assert_allclose(solution.ropes[:, 0], force, rtol=1e-11)
    # motor: gear i, drum r, inertia J at the motor
    turning = np.gradient(np.gradient(rope, times, edge_order=2), times, edge_order=2)
    torque = (value["J"] * value["i"] ** 2 / value["r"] * turning - force * value["r"]) / value["i"]
    inner = slice(10, -10)
    np.testing.assert_allclose(solution.u[inner, 1], torque[inner], rtol=1e-4)


def test_other_inputs_keep_their_start_values():
    crane = find_crane(
        f"{library_path()}/GantryCrane.mo", choice=ServoChoice(("F_t", "M_w"), ("x", "z"))
    )
    assert crane.held == {"F_wind_x": 0.0, "F_wind_z": 0.0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inputs": ["F", "N"]}, "unknown input of crane .* 'N'"),
        ({"outputs": ["x", "q"]}, "unknown variable of model 'WinchCrane' 'q'"),
        ({"outputs": ["x"]}, "crane.inputs has 2 names and crane.outputs 1"),
        ({"outputs": []}, "crane.outputs is missing: .* has s, l, phi, x, z, S"),
        ({"inputs": []}, "crane.inputs is missing: .* has F, M"),
        ({"outputs": ["x", "x"]}, "crane.outputs names a variable twice"),
        ({"outputs": ["x", "S"]}, "S depends on velocities or inputs"),
    ],
)
def test_wrong_choices_are_one_sentence(change, message):
    with pytest.raises(InputError, match=message):
        winch_scenario(**change)


def test_events_are_refused_by_their_place():
    model = f"{library_path()}/OverheadCraneReal.mo"
    with pytest.raises(InputError, match=r"has events \(.*Parts\.mo:\d+"):
        find_crane(model, choice=ServoChoice(("F_t", "M_w"), ("x", "z")))


def test_names_are_for_cranes_read_from_modelica_only():
    with pytest.raises(InputError, match="crane 'gantry' has its own"):
        find_crane("gantry", choice=ServoChoice(("F_t", "M_w"), ("x", "z")))


def test_inputs_that_move_nothing_are_refused(tmp_path):
    text = Path(WINCH).read_text(encoding="utf-8")
    text = text.replace("= F + S*sin(phi)", "= S*sin(phi)")
    (tmp_path / "WinchCrane.mo").write_text(text, encoding="utf-8")
    with pytest.raises(StructureError, match="do not move it independently"):
        find_crane("WinchCrane.mo", tmp_path, ServoChoice(("F", "M"), ("x", "z")))


def test_a_changed_file_is_read_again(tmp_path):
    file, text = tmp_path / "WinchCrane.mo", Path(WINCH).read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    choice = ServoChoice(("F", "M"), ("x", "z"))
    first = find_crane("WinchCrane.mo", tmp_path, choice)
    assert find_crane("WinchCrane.mo", tmp_path, choice) == first
    file.write_text(text.replace('2000 "Mass', '2500 "Mass'), encoding="utf-8")
    second = find_crane("WinchCrane.mo", tmp_path, choice)
    assert second != first
    assert second.parameter_values()["m"] == 2500.0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('Real x(unit="m")', 'Real x(unit="mm")', r"has x \[mm\], and a twin is in SI units"),
        ('Real m(unit="kg", min=0)', 'Real m(unit="t", min=0)', r"has m \[t\]"),
        ('Real phi(unit="rad"', 'Real phi(unit="deg"', r"has phi \[deg\]"),
        ("Torque of the hoist", "Torque", None),
        ('Real phi(unit="rad"', 'Real phi(unit="rad", displayUnit="deg"', None),
    ],
)
def test_units_of_values_are_si_and_those_for_show_are_free(tmp_path, old, new, message):
    text = Path(WINCH).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "WinchCrane.mo").write_text(text.replace(old, new), encoding="utf-8")
    choice = ServoChoice(("F", "M"), ("x", "z"))
    if message is None:
        assert find_crane("WinchCrane.mo", tmp_path, choice).coordinates[2].unit == "rad"
        return
    with pytest.raises(InputError, match=message):
        find_crane("WinchCrane.mo", tmp_path, choice)


def test_units_of_modelica_are_si_but_for_their_prefixes():
    si = ("kg.m2", "N.m/rad", "m/s2", "s-1", "1", "", "N.m.s/rad", "W/(m2.K)", "Pa", "cd", "mol")
    assert [unit for unit in si if scaled_parts(unit)] == []
    other = ("mm", "kN", "rad/min", "kg.mm2", "deg/s", "kW.h", "bar", "g", "mrad", "rpm")
    assert [unit for unit in other if not scaled_parts(unit)] == []


def test_bodies_joints_and_gears_have_the_controls_of_the_gantry_in_python():
    # drum of 0.2 m behind a gear of 20: the rotor weighs 0.05 (20 / 0.2)^2 kg at the rope
    model = f"{DATA / 'SmallLibrary' / 'package.mo'}:SmallLibrary.Examples.HoistingGantry"
    crane = find_crane(model, choice=ServoChoice(("F", "M"), ("x", "y")))
    path = {"kind": "line", "start": [0.0, -6.0], "goal": [4.0, -4.0], "duration": 8.0}
    whole = {**path, "profile": "polynomial", "smoothness": 4}
    gantry = {"m": 500.0, "m_t": 300.0, "J": 0.05 * 20**2, "r": 0.2}
    known = cb.Scenario.of("gantry", whole, parameters=gantry).problem
    problem = ServoProblem(
        crane, make_path(whole, ("x", "y"), {"x": "m", "y": "m"}), crane.parameter_values()
    )
    times = time_grid(8.0, 0.1)
    found, wanted = solve_index1(problem, times), solve_index1(known, times)
    assert structure_of(problem).index == structure_of(known).index == 5
    np.testing.assert_allclose(found.u[:, 0], wanted.u[:, 0], atol=1e-9)
    np.testing.assert_allclose(found.u[:, 1], -wanted.u[:, 1] / 20, rtol=1e-12)
    assert "load.I[1,1]" not in names(crane.parameters)  # a point: its inertia is no parameter


def test_a_parameter_that_is_given_stays_one_though_it_is_zero():
    model = f"{DATA / 'SmallLibrary' / 'package.mo'}:SmallLibrary.Examples.HoistingGantry"
    choice = ServoChoice(("F", "M"), ("x", "y"), varied=("load.I[3,3]",))
    assert "load.I[3,3]" in names(find_crane(model, choice=choice).parameters)
