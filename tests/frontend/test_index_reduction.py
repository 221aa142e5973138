"""Index reduction: constraints between states, as FMUs, against motions derived by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import hand_derived
import numpy as np
import pytest

pytest.importorskip("rumoca")

from fmpy.validation import validate_fmu

from c_programs import export_quickly
from cranebridge.errors import CranebridgeError
from cranebridge.frontend.flat_model import PlantModel
from cranebridge.frontend.modelica_model import load_model
from cranebridge.plant.export.fmu_export import Fmi
from cranebridge.plant.plant import Plant

LIBRARY = Path(__file__).parents[1] / "data" / "modelica" / "SmallLibrary" / "package.mo"

CARTESIAN = """model Cartesian "A pendulum in Cartesian coordinates: index 3"
  parameter Real l = 2, g = 9.81, m = 5;
  parameter Real angle = 0.3;
  Real x(start = l*sin(angle), fixed = true), y(start = -l*cos(angle));
  Real vx(start = 0, fixed = true), vy, lambda;
  output Real x_load;
equation
  der(x) = vx;
  der(y) = vy;
  m*der(vx) = -lambda*x;
  m*der(vy) = -lambda*y - m*g;
  x^2 + y^2 = l^2;
  x_load = x;
end Cartesian;
"""


def model_of(folder: Path, text: str) -> PlantModel:
    file = folder / f"{text.split()[1]}.mo"
    file.write_text(text)
    return load_model(file)


def example(name: str) -> PlantModel:
    return load_model(f"{LIBRARY}:SmallLibrary.Examples.{name}")


def names(model: PlantModel) -> list[str]:
    return [state.name for state in model.states]


def end_of(
    model: PlantModel,
    folder: Path,
    fmi: Fmi = "2.0",
    start: dict[str, float] | None = None,
    parameters: dict[str, float] | None = None,
) -> dict[str, list[float]]:
    """Outputs at 2 s, by Model Exchange and by Co-Simulation."""
    path = folder / f"{model.name}.fmu"
    export_quickly(model, path, fmi)
    assert validate_fmu(str(path)) == []
    outputs = [output.name for output in model.outputs]
    found: dict[str, list[float]] = {name: [] for name in outputs}
    for interface in ("me", "cs"):
        options = {"method": "DOP853"} if interface == "me" else {}
        with Plant(path, interface=interface) as plant:
            run = plant.simulate(
                times=np.linspace(0.0, 2.0, 5), outputs=outputs, start=start,
                parameters=parameters, rtol=1e-11, atol=1e-12, **options,
            )  # fmt: skip
        for name in outputs:
            found[name].append(float(run.column(name)[-1]))
    return found


# --- motions -------------------------------------------------------------------------------------

Motion = Callable[[], dict[str, float]]


def gantry_load() -> dict[str, float]:
    x, y = hand_derived.gantry(20.0)
    return {"x_load": x, "y_load": y}


def load_at(place: list[float]) -> dict[str, float]:
    return {f"r[{i + 1}]": x for i, x in enumerate(place)}


BRIDGE, ROTARY = (30.0, 5.0, -49.0), (50.0, 5.0, -49.0)
UNIVERSAL = ("universal.phi_a", "universal.phi_b", "universal.w_a", "universal.w_b")

# Acceleration times t^2/2: F/(m1 + m2); torque times ratio by the inertia at the load; and of the
# trolley by torque times rad/m.
MOTIONS: dict[str, tuple[list[str], Fmi, dict[str, float], Motion]] = {
    "TwoMass": (
        ["m1.s", "m1.v", "spring.s_rel", "m2.v"],
        "2.0",
        {"F": 20.0},
        lambda: {"y": hand_derived.two_masses(20.0)},
    ),
    "RigidMasses": (
        ["m1.s", "m1.v"],
        "3.0",
        {"F": 20.0},
        lambda: {"y": 0.5 + 1.0 + 20.0 / 15.0 * 2.0},
    ),
    "Gear": (
        ["load.phi", "load.w"],
        "2.0",
        {"M": 4.0},
        lambda: {"y": 0.1 + 0.2 * 2.0 + 40.0 / (1.0 + 0.02 * 100.0) * 2.0},
    ),
    "Winch": (
        ["trolley.s", "trolley.v"],
        "3.0",
        {"M": 4.0},
        lambda: {"y": 16.0 / (10.0 + 0.5 * 16.0) * 2.0},
    ),
    "Stop": (
        ["m1.v", "gap.s_rel"],
        "2.0",
        {"F": 20.0},
        lambda: {"y": hand_derived.stopped_mass(20.0)},
    ),
    "Pendulum": (
        ["joint.phi", "joint.w"],
        "3.0",
        {},
        lambda: {"y": hand_derived.pendulum(0.3 + np.pi / 2.0) - np.pi / 2.0},
    ),
    "Gantry": (
        ["rail.s", "rail.v", "pivot.phi", "pivot.w"],
        "2.0",
        {"F": 20.0},
        gantry_load,
    ),
    "FourBar": (["j1.phi", "j1.w"], "3.0", {}, lambda: {"y": hand_derived.four_bar()}),
    "TwoInertias": (
        ["J1.phi", "J1.w", "spring.phi_rel", "J2.w"],
        "3.0",
        {"M": 4.0},
        lambda: {"y": hand_derived.two_inertias(4.0)},
    ),
    "ElectricTrolley": (
        ["L.i", "trolley.s", "trolley.v"],
        "2.0",
        {"u": 24.0},
        lambda: {"y": hand_derived.electric_trolley(24.0)},
    ),
    "Bridge": (
        ["bridgeRail.s", "bridgeRail.v", "rail.s", "rail.v", *UNIVERSAL, "hoist.s", "hoist.v"],
        "3.0",
        dict(zip(("F_b", "F_t", "F_h"), BRIDGE, strict=True)),
        lambda: load_at(hand_derived.bridge(BRIDGE)),
    ),
    "Rotary": (
        ["slew.phi", "slew.w", "jibRail.s", "jibRail.v", *UNIVERSAL, "hoist.s", "hoist.v"],
        "2.0",
        dict(zip(("M_b", "F_t", "F_h"), ROTARY, strict=True)),
        lambda: load_at(hand_derived.rotary(ROTARY)),
    ),
    "WoundLoad": (
        ["hook.s", "hook.v", "load.phi", "load.w"],
        "3.0",
        {"M": -1.2},
        lambda: dict(zip(("x", "z"), hand_derived.wound_load(-1.2), strict=True)),
    ),
    "StiffTrolley": (
        ["head.s", "head.v"],
        "2.0",
        {"F": 20.0},
        lambda: {"y": hand_derived.dragged(20.0, 14.0, 3.0)},
    ),
    "SoftTrolley": (
        ["head.s", "head.v", "trolley.s", "trolley.v"],
        "3.0",
        {"F": 20.0},
        lambda: {"y": hand_derived.softly_coupled(20.0)},
    ),
}


@pytest.mark.parametrize("name", MOTIONS)
def test_library_model_moves_as_derived_by_hand(name: str, tmp_path: Path) -> None:
    states, fmi, inputs, wanted = MOTIONS[name]
    model = example(name)
    assert names(model) == states
    found = end_of(model, tmp_path, fmi, start=inputs)
    for output, value in wanted().items():
        assert found[output] == pytest.approx([value, value], rel=0.0, abs=1e-8)


def test_pendulum_of_index_three_moves_as_derived_by_hand(tmp_path: Path) -> None:
    model = model_of(tmp_path, CARTESIAN)
    assert names(model) == ["x", "vx"]  # what is fixed
    wanted = 2.0 * np.sin(hand_derived.pendulum(0.3))
    found = end_of(model, tmp_path)
    assert found["x_load"] == pytest.approx([wanted, wanted], rel=0.0, abs=1e-8)


def test_start_follows_changed_parameters(tmp_path: Path) -> None:
    model = model_of(tmp_path, CARTESIAN)
    wanted = 3.0 * np.sin(hand_derived.pendulum(-0.5, length=3.0))
    found = end_of(model, tmp_path, "3.0", parameters={"l": 3.0, "angle": -0.5})
    assert found["x_load"] == pytest.approx([wanted, wanted], rel=0.0, abs=1e-8)


def test_closed_loop_of_four_bars_is_an_iteration_of_two_angles() -> None:
    loops = example("FourBar").loops
    assert loops is not None
    assert loops.names == ("j2.phi", "j4.phi")


def test_colours_and_labels_of_bodies_are_no_events() -> None:
    events = example("Pendulum").events
    assert events is None or events.memory == ()


# --- choice of states ----------------------------------------------------------------------------

TIED = """model Tied "Two masses tied together"
  Real s1(start = 1{s1}), v1{v1}, s2(start = 1{s2}), v2{v2};
  Real f;
equation
  der(s1) = v1;
  der(s2) = v2;
  10*der(v1) = f - s1;
  5*der(v2) = -f;
  s1 = s2;
end Tied;
"""


def tied(**changes: str) -> str:
    return TIED.format(**({"s1": "", "v1": "", "s2": "", "v2": ""} | changes))


def test_states_are_those_declared_first_where_nothing_is_said(tmp_path: Path) -> None:
    assert names(model_of(tmp_path, tied())) == ["s1", "v1"]


@pytest.mark.parametrize(
    ("select", "states"),
    [
        ({"s2": ", fixed = true", "v2": "(fixed = true)"}, ["s2", "v2"]),
        ({"s2": ", stateSelect = StateSelect.prefer"}, ["v1", "s2"]),
        ({"s1": ", stateSelect = StateSelect.avoid"}, ["v1", "s2"]),
        (
            {"s1": ", fixed = true, stateSelect = StateSelect.never", "s2": ""},
            ["v1", "s2"],
        ),
        (
            {"s1": ", fixed = true, stateSelect = StateSelect.prefer",
             "s2": ", stateSelect = StateSelect.always"},
            ["v1", "s2"],
        ),
        ({"v2": "(stateSelect = StateSelect.always)"}, ["s1", "v2"]),
    ],
)  # fmt: skip
def test_state_select_and_fixed_decide(
    select: dict[str, str], states: list[str], tmp_path: Path
) -> None:
    assert names(model_of(tmp_path, tied(**select))) == states


def test_variable_that_must_be_a_state_is_differentiated_by_us(tmp_path: Path) -> None:
    text = """model Heat "The enthalpy is the state, not the temperature"
  Real T(start = 300, fixed = true);
  Real h(stateSelect = StateSelect.always);
equation
  der(T) = -0.1*T;
  h = 4.2*T^2;
end Heat;
"""
    model = model_of(tmp_path, text)
    assert names(model) == ["h"]
    assert model.states[0].start == pytest.approx(4.2 * 300.0**2)
    # dh/dt = 8.4 T dT/dt = -0.2 h; T from an iteration
    assert model.loops is not None
    q = [*(v.start for v in model.parameters), 300.0]
    assert float(model.rhs(0.0, [4.2 * 300.0**2], [], q)) == pytest.approx(-0.2 * 4.2 * 300.0**2)


def test_gears_of_any_ratio_leave_the_fixed_states(tmp_path: Path) -> None:
    text = """model Drums "Three drums, one turns 10000 times as fast as another and is very light"
  parameter Real i1 = 100, i2 = 100;
  Real p1, w1, p2, w2, p3(start = 0.2, fixed = true), w3(start = 1, fixed = true), t1, t2;
  output Real y = p1;
equation
  der(p1) = w1;
  der(p2) = w2;
  der(p3) = w3;
  1e-4*der(w1) = 1 - t1;
  2*der(w2) = i1*t1 - t2;
  3*der(w3) = i2*t2;
  p1 = i1*p2;
  p2 = i2*p3;
end Drums;
"""
    model = model_of(tmp_path, text)
    assert names(model) == ["p3", "w3"]
    p = [parameter.start for parameter in model.parameters]
    # one torque at the fast drum, all inertias at the slow one
    inertia = 3.0 + 2.0 * 100.0**2 + 1e-4 * 100.0**4
    rates = np.array(model.rhs(0.0, [0.2, 1.0], [], p)).ravel()
    assert rates == pytest.approx([1.0, 100.0**2 / inertia], rel=1e-12)


def test_motion_may_be_prescribed_over_time(tmp_path: Path) -> None:
    """A pendulum on a pivot that oscillates; velocity w is declared, but not differentiated."""
    text = """model Shaken
  parameter Real A = 0.3, l = 2, g = 9.81, m = 5;
  Real s, v, x, y, vx, vy, lambda, F;
  Real phi(start = 0.3, fixed = true), w(start = 0, fixed = true);
  output Real y_F = F;
equation
  s = A*sin(3*time);
  v = der(s);
  10*der(v) = F + lambda*sin(phi);
  x = s + l*sin(phi);
  y = -l*cos(phi);
  der(phi) = w;
  der(x) = vx;
  der(y) = vy;
  m*der(vx) = -lambda*sin(phi);
  m*der(vy) = lambda*cos(phi) - m*g;
end Shaken;
"""
    model = model_of(tmp_path, text)
    assert names(model) == ["phi", "w"]
    p, time, phi, w = [v.start for v in model.parameters], 0.7, 0.4, -1.2
    a = -9.0 * 0.3 * np.sin(3.0 * time)
    z = -(9.81 * np.sin(phi) + a * np.cos(phi)) / 2.0
    rates = np.array(model.rhs(time, [phi, w], [], p)).ravel()
    assert rates == pytest.approx([w, z], rel=1e-12)
    # the trolley's force moves both: F = (M + m) a + m l (z cos(phi) - w^2 sin(phi))
    force = 15.0 * a + 10.0 * (z * np.cos(phi) - w**2 * np.sin(phi))
    assert float(model.outputs_function(time, [phi, w], [], p)) == pytest.approx(force, rel=1e-12)


def test_variable_with_reinit_is_a_state(tmp_path: Path) -> None:
    text = tied(s1=", fixed = true").replace(
        "end Tied;", "  when s1 < 0 then\n    reinit(v2, -0.5*v2);\n  end when;\nend Tied;"
    )
    model = model_of(tmp_path, text)
    assert names(model) == ["s1", "v2"]
    assert model.events is not None
    before = [0.0] * len(model.events.memory)
    _, after, _ = model.events.update(1.0, [-1e-9, -3.0], [], before, 0)
    assert np.array(after).ravel() == pytest.approx([-1e-9, 1.5])


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(CranebridgeError) as told:
        model_of(folder, text)
    assert "\n" not in str(told.value)
    return str(told.value)


def test_two_that_must_be_states_and_depend_on_each_other_are_named(tmp_path: Path) -> None:
    always = ", stateSelect = StateSelect.always"
    text = refusal(tmp_path, tied(s1=always, s2=always))
    assert "s2: StateSelect.always (or reinit asks for it), but constraints" in text


def test_state_that_nothing_can_replace_but_must_not_be_is_named(tmp_path: Path) -> None:
    never = ", stateSelect = StateSelect.never"
    assert "StateSelect.never" in refusal(tmp_path, tied(s1=never, s2=never))


# --- the start -----------------------------------------------------------------------------------


def test_fixed_starts_of_others_give_the_states(tmp_path: Path) -> None:
    text = """model Lever "The state is an angle, its end's height is fixed"
  parameter Real r = 2;
  Real phi(start = 0.1, stateSelect = StateSelect.always), w(start = 0, fixed = true);
  Real h(start = 1, fixed = true);
  Real v, f;
equation
  der(phi) = w;
  h = r*sin(phi);
  der(h) = v;
  3*der(v) = f - 3*9.81;
  der(w) = -f*r*cos(phi)/7;
end Lever;
"""
    model = model_of(tmp_path, text)
    assert names(model) == ["phi", "w"]
    assert [state.start for state in model.states] == pytest.approx([np.pi / 6.0, 0.0])
    # in the FMU, too, for other parameters
    p = [4.0 if v.name == "r" else v.start for v in model.parameters]
    x0 = np.array(model.initial([*p, *[0.0] * model.memory])).ravel()
    assert x0 == pytest.approx([np.arcsin(0.25), 0.0], abs=1e-14)
    # and where there is no solution there is no number
    p = [0.5 if v.name == "r" else v.start for v in model.parameters]
    assert not np.isfinite(np.array(model.initial([*p, *[0.0] * model.memory]))).all()


def test_initial_equations_are_solved_with_the_constraints(tmp_path: Path) -> None:
    text = tied().replace(
        "equation\n", "initial equation\n  s1 + s2 = 5;\n  v2 = 0.5;\nequation\n", 1
    )
    model = model_of(tmp_path, text)
    assert dict(zip(names(model), (s.start for s in model.states), strict=True)) == pytest.approx(
        {"s1": 2.5, "v1": 0.5}
    )


def test_starts_that_say_the_same_twice_are_taken(tmp_path: Path) -> None:
    model = model_of(tmp_path, tied(s1=", fixed = true", s2=", fixed = true"))
    assert model.states[0].start == 1.0


def test_underdetermined_start_names_its_states(tmp_path: Path) -> None:
    model = model_of(tmp_path, tied(s1=", fixed = true"))
    assert any("underdetermined: v1 begin at" in remark for remark in model.remarks)
    both = model_of(tmp_path, tied(s1=", fixed = true", v2="(fixed = true)"))
    assert not any("underdetermined" in remark for remark in both.remarks)


def test_overdetermined_start_names_both(tmp_path: Path) -> None:
    text = tied(s1=", fixed = true", s2=", fixed = true").replace("s2(start = 1", "s2(start = 3")
    told = refusal(tmp_path, text)
    assert "s2 (fixed): the start is overdetermined" in told
    assert "from s1 (fixed), and it differs by 2" in told


def test_start_without_a_solution_names_the_constraint(tmp_path: Path) -> None:
    told = refusal(tmp_path, CARTESIAN.replace("x^2 + y^2 = l^2", "x^2 + y^2 = -l^2"))
    assert "Cartesian.mo:12: 'x^2 + y^2 = -l^2;': no state near the start values" in told


def test_prescribed_motion_by_an_input_says_whose_derivative_is_missing(tmp_path: Path) -> None:
    text = tied().replace("model Tied", "model Tied").replace("Real f;", "Real f; input Real u;")
    told = refusal(
        tmp_path, text.replace("s1 = s2", "s1 = u").replace("10*der(v1) = f - s1", "10*der(v1) = f")
    )
    assert "prescribes a motion by the input 'u'" in told


# --- where the choice of states ends -------------------------------------------------------------


@pytest.mark.parametrize("interface", ["me", "cs"])
def test_simulation_stops_where_the_states_become_singular(interface: str, tmp_path: Path) -> None:
    """Started with 8 m/s the pendulum goes over the top; at 90 degrees x does not give y."""
    fast = CARTESIAN.replace("vx(start = 0", "vx(start = 8")
    model = model_of(tmp_path, fast)
    path = tmp_path / "fast.fmu"
    export_quickly(model, path)
    with (
        Plant(path, interface=interface) as plant,
        pytest.raises(CranebridgeError) as told,
    ):
        plant.simulate(times=np.linspace(0.0, 2.0, 5), outputs=["x_load"], rtol=1e-8)
    text = str(told.value)
    assert "(vx) cannot" in text or "(x) cannot" in text or "(x, vx) may not" in text
    assert "cannot describe the motion" in text or "may not determine" in text
    # the time of 90 degrees, by hand: phi'' = -g/l sin(phi)
    assert f"time {crossing_time():.2f}"[:8] in text


def test_reversal_of_the_watched_rate_is_an_event(tmp_path: Path) -> None:
    """A step over the singular position ends on the other branch, where vx has changed its sign."""
    events = model_of(tmp_path, CARTESIAN).events
    assert events is not None
    p, y = [2.0, 9.81, 5.0, 0.3], -np.sqrt(4.0 - 1.9**2)
    q = [*p, *[0.0] * len(events.memory), y]
    before, after = (np.array(events.indicators(0.0, [1.9, v], [], q)).ravel() for v in (1.0, -1.0))
    assert ((before > 0.0) != (after > 0.0)).all()


def crossing_time() -> float:
    from scipy.integrate import solve_ivp

    level = lambda _, x: x[0] - np.pi / 2.0  # noqa: E731
    level.terminal = True
    speed = 8.0 / (2.0 * np.cos(0.3))
    run = solve_ivp(
        lambda _, x: [x[1], -hand_derived.GRAVITY / 2.0 * np.sin(x[0])],
        (0.0, 2.0), [0.3, speed], rtol=1e-10, events=level,
    )  # fmt: skip
    return float(run.t[-1])


def test_state_that_is_singular_at_the_start_is_refused_by_name(tmp_path: Path) -> None:
    level = CARTESIAN.replace("angle = 0.3", "angle = 1.5707963267948966")
    always = "fixed = true, stateSelect = StateSelect.always), y("
    told = refusal(tmp_path, level.replace("fixed = true), y(", always))
    assert "x: StateSelect.always (or reinit asks for it), but constraints" in told


def test_start_in_a_position_that_only_the_other_state_describes(tmp_path: Path) -> None:
    """Level, x does not give y: the state is y."""
    model = model_of(tmp_path, CARTESIAN.replace("angle = 0.3", "angle = 1.5707963267948966"))
    assert names(model) == ["y", "vy"]
    assert [state.start for state in model.states] == pytest.approx([0.0, 0.0], abs=1e-12)
