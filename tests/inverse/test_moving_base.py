"""Cranes on a base that moves as prescribed: controls against closed forms in the world's frame."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from cranebridge.errors import InputError, StructureError
from cranebridge.forward import simulate_twin
from cranebridge.inverse import Feedforward, signals
from cranebridge.inverse.extension import analyse
from cranebridge.inverse.index1 import solve_index1, structure_of
from cranebridge.inverse.internal import solve_inversion
from cranebridge.inverse.stepping import solve_index3
from cranebridge.scenario import Scenario, load_scenario
from cranebridge.twin import Crane, HoistRope, Parameter, Quantity, equations_of_motion, find_crane
from cranebridge.twin.cranes import OverheadCrane
from cranebridge.twin.in_memory import crane_in_memory
from cranebridge.twin.language import names

EXAMPLES = Path(__file__).parents[2] / "examples"
LINE = {
    "kind": "line",
    "start": [0.0, -4.0],
    "goal": [5.0, -3.0],
    "duration": 8.0,
    "profile": "polynomial",
    "smoothness": 4,
}
HEAVE = {"kind": "harmonic", "amplitude": [0.6, 0.2], "frequency": [0.12, 0.21], "phase": [0.3, 1]}
SWAY = {"kind": "harmonic", "amplitude": 0.4, "frequency": 0.1, "mean": 0.1}
SYMBOL = ca.SX.sym("t")


class OnShip(OverheadCrane):
    """The overhead crane on a rail that heaves and sways; in coordinates of the world."""

    name = "on-ship"
    description = "overhead crane on a rail that heaves and sways"
    motions = (Quantity("heave", "m", "rail up"), Quantity("sway", "m", "rail along x"))

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        trolley = p.m_t * ((v.s + v.sway) ** 2 + v.heave**2)
        return 0.5 * (trolley + p.J / p.r**2 * v.l**2 + p.m * (v.x**2 + v.z**2))

    def potential_energy(self, q: Any, p: Any) -> Any:
        return p.g * (p.m * q.z + p.m_t * q.heave)

    def constraints(self, q: Any, p: Any) -> Mapping[str, Any]:
        return {"lambda": 0.5 * ((q.x - q.s - q.sway) ** 2 + (q.z - q.heave) ** 2 - q.l**2)}

    def rest(self, y: Any, p: Any) -> Mapping[str, float]:
        return {"s": y.x - y.sway, "l": y.heave - y.z}


def scenario(kind: type[Crane], path: Mapping[str, Any], **motion: Any) -> Scenario:
    return Scenario.of(kind, path, motion=motion)


def solved(given: Scenario, count: int = 101) -> Feedforward:
    return solve_index1(given.problem, np.linspace(0.0, given.problem.path.duration, count))


def line(start: float, goal: float, duration: float) -> ca.SX:
    """Return the polynomial of degree 9 that the path of smoothness 4 is, written out."""
    x = SYMBOL / duration
    step = x**5 * (126 - 420 * x + 540 * x**2 - 315 * x**3 + 70 * x**4)
    return start + (goal - start) * step


def harmonic(table: Mapping[str, Any]) -> ca.SX:
    """Return a sum of sines as an expression of time."""
    lists = [
        value if isinstance(value, list) else [value]
        for value in (table["amplitude"], table["frequency"], table.get("phase", 0.0))
    ]
    size = len(lists[0])
    phases = lists[2] if len(lists[2]) == size else lists[2] * size
    terms = [
        a * ca.sin(2 * ca.pi * f * SYMBOL + phi)
        for a, f, phi in zip(lists[0], lists[1], phases, strict=True)
    ]
    return sum(terms, ca.SX(table.get("mean", 0.0)))


def rate(expression: ca.SX) -> ca.SX:
    return ca.jacobian(expression, SYMBOL)


def on_times(expressions: Mapping[str, ca.SX], times: np.ndarray) -> dict[str, np.ndarray]:
    function = ca.Function("f", [SYMBOL], [ca.vertcat(*expressions.values())])
    values = np.array(function(times[None, :]))
    return dict(zip(expressions, values, strict=True))


def close(found: np.ndarray, wanted: np.ndarray, relative: float = 1e-11) -> None:
    """Both are exact to rounding, which four derivatives enlarge by some powers of ten."""
    assert np.abs(found - wanted).max() <= relative * max(np.abs(wanted).max(), 1.0)


def test_a_load_at_rest_in_the_world_needs_the_torque_that_pays_out_as_the_rail_heaves() -> None:
    """l = b + 4, so M_w = J l'' / r - m g r with l'' = b''; the trolley needs no force."""
    given = scenario(
        OnShip,
        {"kind": "hold", "value": [1.0, -4.0], "duration": 8.0},
        heave=HEAVE,
        sway={"kind": "hold", "value": 0.0},
    )
    found, p = solved(given), given.problem.parameters
    b = harmonic(HEAVE)
    wanted = on_times(
        {"l": b + 4.0, "M_w": p["J"] / p["r"] * rate(rate(b)) - p["m"] * p["g"] * p["r"]},
        found.time,
    )
    close(found.q[:, 1], wanted["l"])
    close(found.u[:, 1], wanted["M_w"])
    close(found.u[:, 0], 0.0 * found.time)
    assert np.ptp(wanted["l"]) > 1.2  # it does heave


def test_the_trolley_needs_no_force_to_stay_where_it_is_in_the_world_while_its_rail_sways() -> None:
    """The rail has no friction: what it does along itself moves the trolley against it only."""
    still = {"kind": "hold", "value": 0.0}
    found = solved(scenario(OnShip, LINE, heave=HEAVE, sway=SWAY))
    without = solved(scenario(OnShip, LINE, heave=HEAVE, sway=still))
    close(found.u[:, :2], without.u[:, :2])
    close(found.q[:, 0] + found.q[:, 5], without.q[:, 0])
    assert np.ptp(found.q[:, 5]) > 0.7


def test_a_load_on_its_way_over_a_heaving_and_swaying_rail_is_the_closed_form() -> None:
    """The rope points along (x'', z'' + g); its force is m times that, the trolley hangs above."""
    given = scenario(OnShip, LINE, heave=HEAVE, sway=SWAY)
    found, p = solved(given), given.problem.parameters
    x, z = line(0.0, 5.0, 8.0), line(-4.0, -3.0, 8.0)
    b, c = harmonic(HEAVE), harmonic(SWAY)
    ax, az = rate(rate(x)), rate(rate(z)) + p["g"]
    place = x + (b - z) * ax / az
    length = ca.sqrt((place - x) ** 2 + (b - z) ** 2)
    force = p["m"] * ca.sqrt(ax**2 + az**2)
    wanted = on_times(
        {
            "s": place - c,
            "l": length,
            "F_t": p["m_t"] * rate(rate(place)) + p["m"] * ax,
            "M_w": p["J"] / p["r"] * rate(rate(length)) - p["r"] * force,
            "T_cable": force,
            "a_heave": rate(rate(b)),
        },
        found.time,
    )
    close(found.q[:, 0], wanted["s"])
    close(found.q[:, 1], wanted["l"])
    close(found.u[:, 0], wanted["F_t"])
    close(found.u[:, 1], wanted["M_w"])
    close(found.u[:, 2], wanted["a_heave"])
    close(found.ropes[:, 0], wanted["T_cable"])


def test_a_pitching_deck_is_the_closed_form_in_the_world() -> None:
    """Newton's law of the trolley along its rail, in the world: no fictitious forces are needed."""
    given = load_scenario(str(EXAMPLES / "ship_crane.toml"))
    found, p = solved(given), given.problem.parameters
    tables = given.tables.crane.motion
    a, b, turn = (harmonic(tables[name]) for name in ("sway", "heave", "pitch"))
    x, z = line(0.0, 8.0, 20.0), line(3.0, 6.0, 20.0)
    along, normal = ca.vertcat(ca.cos(turn), ca.sin(turn)), ca.vertcat(-ca.sin(turn), ca.cos(turn))
    load, deck = ca.vertcat(x, z), ca.vertcat(a, b)
    pull = rate(rate(load)) + ca.vertcat(0.0, p["g"])
    # deck + s along + h normal - load is parallel to the pull: linear in s
    rest = deck + p["h"] * normal - load
    s = -(rest[0] * pull[1] - rest[1] * pull[0]) / (along[0] * pull[1] - along[1] * pull[0])
    trolley = deck + s * along + p["h"] * normal
    length = ca.norm_2(trolley - load)
    force = p["m"] * ca.norm_2(pull)
    needed = p["m_t"] * (rate(rate(trolley)) + ca.vertcat(0.0, p["g"])) + p["m"] * pull
    torque = p["J"] * (rate(rate(length)) / p["r"] + rate(rate(turn))) - p["r"] * force
    wanted = on_times(
        {"s": s, "l": length, "F_t": ca.dot(needed, along), "M_w": torque, "T": force}, found.time
    )
    close(found.q[:, 0], wanted["s"])
    close(found.q[:, 1], wanted["l"])
    close(found.u[:, 0], wanted["F_t"], 1e-10)
    close(found.u[:, 1], wanted["M_w"], 1e-10)
    close(found.ropes[:, 0], wanted["T"])


def test_the_twin_follows_from_a_start_in_motion() -> None:
    given = scenario(OnShip, LINE, heave=HEAVE, sway=SWAY)
    found = solved(given, 801)
    run = simulate_twin(
        given.crane,
        given.problem.parameters,
        found.q[0],
        found.v[0],
        lambda t: found.controls(t),
        found.time[::20],
        rtol=1e-11,
    )
    # the controls are cubics over steps of 10 ms, and errors of acceleration are integrated twice
    assert np.abs(run.outputs - found.gamma[::20]).max() < 1e-8


def test_steps_in_time_come_to_the_same_controls_with_first_order() -> None:
    given = scenario(OnShip, LINE, heave=HEAVE, sway=SWAY)
    errors = []
    for count in (161, 321):
        times = np.linspace(0.0, 8.0, count)
        exact = solve_index1(given.problem, times)
        found = solve_index3(given.problem, times, "euler")
        errors.append(np.abs(found.u - exact.u)[4:, :2].max())
    assert errors[1] < 0.6 * errors[0]


class RopeOnShip(OnShip):
    """The same, which says where its rope is."""

    name = "rope-on-ship"

    def hoist_rope(self, q: Any, p: Any) -> HoistRope:
        return HoistRope((q.s + q.sway, 0, q.heave), "l", "T_cable", "m", multiplier="lambda")


def test_a_rope_that_stretches_pays_out_less_while_its_rail_heaves() -> None:
    """The distance d from trolley to load is l (1 + T / EA).

    The winch also feels the strain energy EA (e/l)^2 / 2 of each metre that it pays out, strained:
    M = J l'' / r - r (T + T^2 / (2 EA)), see docs/elastic-ropes.md.
    """
    rope = {"stiffness": 2e5}
    given = Scenario.of(RopeOnShip, LINE, motion={"heave": HEAVE, "sway": SWAY}, rope=rope)
    found, p = solved(given), given.problem.parameters
    x, z = line(0.0, 5.0, 8.0), line(-4.0, -3.0, 8.0)
    b, c = harmonic(HEAVE), harmonic(SWAY)
    ax, az = rate(rate(x)), rate(rate(z)) + p["g"]
    place = x + (b - z) * ax / az
    force = p["m"] * ca.sqrt(ax**2 + az**2)
    length = ca.sqrt((place - x) ** 2 + (b - z) ** 2) / (1.0 + force / rope["stiffness"])
    wanted = on_times(
        {
            "s": place - c,
            "l": length,
            "F_t": p["m_t"] * rate(rate(place)) + p["m"] * ax,
            "M_w": p["J"] / p["r"] * rate(rate(length))
            - p["r"] * (force + force**2 / (2.0 * rope["stiffness"])),
        },
        found.time,
    )
    q = dict(zip(names(given.crane.coordinates), found.q.T, strict=True))
    close(q["s"], wanted["s"])
    close(q["l"], wanted["l"])
    close(found.u[:, 0], wanted["F_t"], 1e-10)
    close(found.u[:, 1], wanted["M_w"], 1e-10)
    assert structure_of(given.problem).path_derivatives == {"x": 4, "z": 4, "heave": 2, "sway": 2}


# ---------------------------------------------------------------------------- structure


def test_structure_says_how_many_derivatives_of_each_motion_are_needed() -> None:
    """By hand: s and l contain b and c themselves, the controls their second derivatives."""
    structure = structure_of(scenario(OnShip, LINE, heave=HEAVE, sway=SWAY).problem)
    assert structure.index == 5
    assert structure.flat
    assert structure.path_derivatives == {"x": 4, "z": 4, "heave": 2, "sway": 2}
    assert structure.lowest


class SpringOnShip(OnShip):
    """Its trolley is pulled along through a spring, from a carriage on the same rail."""

    name = "spring-on-ship"
    coordinates = (Quantity("w", "m", "carriage on the rail"), *OverheadCrane.coordinates)
    parameters = (
        *OverheadCrane.parameters,
        Parameter("m_w", "kg", "carriage", 5.0),
        Parameter("k", "N/m", "spring", 2e4),
    )

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        carriage = 0.5 * p.m_w * (v.w + v.sway) ** 2
        return carriage + OnShip.kinetic_energy(self, q, v, p)

    def potential_energy(self, q: Any, p: Any) -> Any:
        return 0.5 * p.k * (q.w - q.s) ** 2 + OnShip.potential_energy(self, q, p)

    def drive_power(self, q: Any, v: Any, u: Any, p: Any) -> Any:
        return u.F_t * v.w + u.M_w * v.l / p.r

    def rest(self, y: Any, p: Any) -> Mapping[str, float]:
        return {**OnShip.rest(self, y, p), "w": y.x - y.sway}


def test_behind_a_spring_four_derivatives_of_the_heave_are_needed_and_two_of_the_sway() -> None:
    """w = X - c + (m_t X'' + m x'') / k, and X holds b: F has b'''', but no c at all."""
    structure = structure_of(scenario(SpringOnShip, LINE, heave=HEAVE, sway=SWAY).problem)
    needed = structure.path_derivatives
    assert (needed["heave"], needed["sway"]) == (4, 2)
    assert (needed["x"], needed["z"]) == (6, 6)
    assert structure.index == 7


def test_behind_a_spring_the_force_is_the_closed_form() -> None:
    path = {**LINE, "smoothness": 6}
    given = scenario(SpringOnShip, path, heave=HEAVE, sway=SWAY)
    found, p = solved(given), given.problem.parameters
    step = SYMBOL / 8.0
    # the step of class C6, by its derivative 12012 x^6 (1 - x)^6 integrated term by term
    terms = [(-1) ** k * math.comb(6, k) / (7 + k) * step ** (7 + k) for k in range(7)]
    progress = 12012 * sum(terms, ca.SX(0.0))
    x, z = 5.0 * progress, -4.0 + progress
    b, c = harmonic(HEAVE), harmonic(SWAY)
    ax, az = rate(rate(x)), rate(rate(z)) + p["g"]
    place = x + (b - z) * ax / az
    trolley = p["m_t"] * rate(rate(place)) + p["m"] * ax
    carriage = place + trolley / p["k"]
    wanted = on_times(
        {"w": carriage - c, "F_t": trolley + p["m_w"] * rate(rate(carriage))}, found.time
    )
    close(found.q[:, 0], wanted["w"], 1e-10)
    close(found.u[:, 0], wanted["F_t"], 1e-9)


def test_a_motion_that_is_not_smooth_enough_is_refused_with_its_name() -> None:
    rough = {"kind": "line", "start": [0.0], "goal": [1.0], "duration": 8.0, "smoothness": 1}
    problem = scenario(OnShip, LINE, heave={**rough, "profile": "polynomial"}, sway=SWAY).problem
    with pytest.raises(StructureError) as caught:
        solve_index1(problem, np.linspace(0.0, 8.0, 11))
    assert str(caught.value) == (
        "the motion heave is not smooth enough: crane 'on-ship' has index 5 and needs 2 continuous "
        "derivatives of it, it has 1 at t = 0 s; give crane.motion.heave.smoothness a larger value"
    )


# ---------------------------------------------------------------------------- parameters over time


class Grab(Crane):
    """A grab on a winch whose load trickles out: its mass is prescribed over time.

    What leaves takes its momentum along: m' v stands in d/dt (m v), and beside the forces.
    """

    name = "grab"
    description = "a grab on a winch, whose load trickles out"
    coordinates = (Quantity("l", "m", "rope length"),)
    motions = (Quantity("load", "kg", "mass in the grab"),)
    parameters = (
        Parameter("m_g", "kg", "mass of the grab", 500.0),
        Parameter("J", "kg*m^2", "winch inertia", 20.0),
        Parameter("r", "m", "winch radius", 0.3),
        Parameter("g", "m/s^2", "gravity", 9.81),
    )
    inputs = (Quantity("M", "N*m", "winch torque, positive pays out"),)
    outputs = (Quantity("z", "m", "grab, up"),)

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        return 0.5 * (p.m_g + q.load + p.J / p.r**2) * v.l**2

    def potential_energy(self, q: Any, p: Any) -> Any:
        return -(p.m_g + q.load) * p.g * q.l

    def other_forces(self, q: Any, v: Any, p: Any) -> Mapping[str, Any]:
        return {"l": v.load * v.l}

    def drive_power(self, q: Any, v: Any, u: Any, p: Any) -> Any:
        return u.M * v.l / p.r

    def output_map(self, q: Any, p: Any) -> Mapping[str, Any]:
        return {"z": -q.l}

    def rest(self, y: Any, p: Any) -> Mapping[str, float]:
        return {"l": -y.z}


def test_a_grab_that_opens_on_its_way_has_the_torque_of_its_mass_at_that_time() -> None:
    """(m(t) + J / r^2) l'' = M / r + m(t) g: what trickles out pushes nothing."""
    opening = {
        "kind": "waypoints",
        "points": [[2000.0], [2000.0], [0.0], [0.0]],
        "times": [0.0, 3.0, 4.0, 6.0],
        "stop": True,
        "profile": "polynomial",
        "smoothness": 2,
    }
    path = {**LINE, "start": [-5.0], "goal": [-2.0], "duration": 6.0}
    given = scenario(Grab, path, load=opening)
    found, p = solved(given, 61), given.problem.parameters
    z = on_times({"a": rate(rate(line(-5.0, -2.0, 6.0)))}, found.time)["a"]
    x = np.clip(found.time - 3.0, 0.0, 1.0)
    mass = p["m_g"] + 2000.0 * (1.0 - x**3 * (10.0 - 15.0 * x + 6.0 * x**2))
    torque = -p["r"] * ((mass + p["J"] / p["r"] ** 2) * z + mass * p["g"])
    close(found.u[:, 0], torque)


# ---------------------------------------------------------------------------- declarations


def ship_file(folder: Path, old: str = "", new: str = "") -> str:
    text = (EXAMPLES / "ship_crane.py").read_text()
    assert old in text
    (folder / "ship.py").write_text(text.replace(old, new) if old else text)
    return f"{folder / 'ship.py'}:ShipCrane"


WRONG: dict[str, tuple[str, str, str]] = {
    "motions are no tuple": (
        "    motions = (\n",
        "    motions = Quantity('a', 'm', 'b')\n    notions = (\n",
        "motions must be a tuple of Quantity(...), a comma behind the only one, got Quantity",
    ),
    "a motion in degrees": (
        'Quantity("pitch", "rad",',
        'Quantity("pitch", "deg",',
        "motions: 'pitch' has the unit 'deg', not SI; use rad",
    ),
    "a motion is a coordinate": (
        'Quantity("sway", "m",',
        'Quantity("s", "m",',
        "line 38: 's' is in motions and in coordinates; rename one",
    ),
    "a motion's acceleration is an input": (
        'Quantity("F_t", "N",',
        'Quantity("a_heave", "N",',
        "motions: 'heave' has the acceleration 'a_heave' as an input; rename what else is called",
    ),
    "a motion that moves nothing": (
        'Quantity("pitch", "rad", "deck turned from x towards z"),',
        'Quantity("pitch", "rad", "deck turned"), Quantity("surge", "m", "deck along y"),',
        "motion 'surge' moves nothing: it is in no energy, no constraint and no output",
    ),
    "motion written as one": (
        "    motions = (\n",
        "    motion = (\n",
        "has 'motion', which means nothing; write 'motions'",
    ),
    "unknown motion": ("q.heave + q.s", "q.heeave + q.s", "unknown coordinate 'heeave'. Did you"),
    "output_map without p": (
        "def output_map(self, q: Components, p: Components)",
        "def output_map(self, q: Components)",
        "output_map must take (self, q, p), it takes (self, q",
    ),
}


@pytest.mark.parametrize("case", sorted(WRONG))
def test_what_is_wrong_with_motions_is_one_sentence_with_its_place(
    case: str, tmp_path: Path
) -> None:
    old, new, message = WRONG[case]
    with pytest.raises(InputError) as caught:
        find_crane(ship_file(tmp_path, old, new))
    found = str(caught.value)
    assert message in found
    assert "crane class ShipCrane in " in found
    assert ", line " in found
    assert "\n" not in found


def test_motions_are_coordinates_inputs_and_outputs_of_the_crane_that_is_found(
    tmp_path: Path,
) -> None:
    crane = find_crane(ship_file(tmp_path))
    assert names(crane.coordinates)[4:] == ("sway", "heave", "pitch")
    assert [(one.name, one.unit) for one in crane.inputs[2:]] == [
        ("a_sway", "m/s^2"),
        ("a_heave", "m/s^2"),
        ("a_pitch", "rad/s^2"),
    ]
    assert names(crane.outputs) == ("x", "z", "sway", "heave", "pitch")


def test_cranes_of_one_class_with_motions_are_equal_and_derived_once() -> None:
    first, second = crane_in_memory(OnShip)[0], crane_in_memory(OnShip)[0]
    assert first == second
    assert equations_of_motion(first) is equations_of_motion(second)
    assert crane_in_memory(first)[0] == first
    assert OnShip.coordinates == OverheadCrane.coordinates  # the author's class stays as it is


def test_a_class_derived_from_one_with_motions_has_them_once() -> None:
    class Heavier(OnShip):
        name = "heavier"
        parameters = (Parameter("m", "kg", "load mass", 300.0), *OverheadCrane.parameters[1:])

    crane_in_memory(OnShip)
    crane = crane_in_memory(Heavier)[0]
    assert names(crane.coordinates) == ("s", "l", "x", "z", "heave", "sway")
    assert analyse(crane).path_derivatives["heave"] == 2


MOTION_KEYS: dict[str, tuple[dict[str, Any], str]] = {
    "missing": ({"heave": HEAVE}, "crane.motion.sway is missing: how does the motion 'sway' go"),
    "unknown": (
        {"heave": HEAVE, "sway": SWAY, "swau": SWAY},
        "unknown motion in crane.motion 'swau'. Did you mean 'sway'? Known: heave, sway.",
    ),
    "no kind": ({"heave": {}, "sway": SWAY}, "crane.motion.heave.kind is missing."),
    "unknown kind": (
        {"heave": {"kind": "harmonics"}, "sway": SWAY},
        "unknown kind of crane.motion.heave 'harmonics'. Did you mean 'harmonic'?",
    ),
    "unknown key": (
        {"heave": {**HEAVE, "amplitudes": 1.0}, "sway": SWAY},
        "unknown key of crane.motion.heave with kind 'harmonic' 'amplitudes'. Did you mean",
    ),
    "lengths": (
        {"heave": {**HEAVE, "frequency": 0.1}, "sway": SWAY},
        "crane.motion.heave.frequency must have as many numbers as crane.motion.heave.amplitude, 2",
    ),
    "frequency": (
        {"heave": HEAVE, "sway": {**SWAY, "frequency": 0.0}},
        "crane.motion.sway.frequency must be above 0 Hz, got 0.",
    ),
    "amplitude": (
        {"heave": HEAVE, "sway": {**SWAY, "amplitude": "0.1"}},
        "crane.motion.sway.amplitude must be a finite number, or a list of them, got '0.1'.",
    ),
    "empty": (
        {"heave": HEAVE, "sway": {**SWAY, "amplitude": []}},
        "crane.motion.sway.amplitude must be a finite number, or a list of them, got [].",
    ),
    "optimal": (
        {"heave": HEAVE, "sway": {"kind": "optimal"}},
        "unknown kind of crane.motion.sway 'optimal'",
    ),
}


@pytest.mark.parametrize("case", sorted(MOTION_KEYS))
def test_what_is_wrong_with_a_motions_table_is_one_sentence(case: str) -> None:
    tables, message = MOTION_KEYS[case]
    with pytest.raises(InputError) as caught:
        scenario(OnShip, LINE, **tables)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_motions_of_a_crane_that_has_none_are_refused() -> None:
    for path in (LINE, {"kind": "optimal", "start": [0.0, -4.0], "goal": [5.0, -3.0]}):
        with pytest.raises(
            InputError, match=r"unknown motion in crane.motion 'heave'. Known: none"
        ):
            scenario(OverheadCrane, path, heave=HEAVE).find_path(plan_now=False)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "planning": ({"path.kind": "optimal"}, "planning (path.kind = 'optimal') does not know"),
    "feedback": ({"control.kind": "lqr"}, "a controller does not know"),
    "projection": ({"solve.method": "projection"}, "the projection does not know"),
}


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_what_does_not_know_motions_refuses_them(case: str) -> None:
    from cranebridge.job.solving import solve_scenario

    settings, message = REFUSED[case]
    with pytest.raises(InputError) as caught:
        solve_scenario(load_scenario(str(EXAMPLES / "ship_crane.toml"), settings))
    assert message in str(caught.value)
    assert "motions that are prescribed over time, and crane 'ship-crane' has them" in str(
        caught.value
    )


def test_further_verbs_refuse_motions_with_one_sentence(tmp_path: Path) -> None:
    from cranebridge.deliver.delivery import check_order
    from cranebridge.deliver.order import DeliveryOrder
    from cranebridge.job.learning.learning_job import learn_scenario
    from cranebridge.job.planning import running_task
    from cranebridge.job.solving import find_shortest
    from cranebridge.limits import Limits
    from cranebridge.online.generator import generator_sources
    from cranebridge.study.writing import make_study

    given = load_scenario(str(EXAMPLES / "ship_crane.toml"))
    calls: dict[str, Callable[[], object]] = {
        "learning": lambda: learn_scenario(given),
        "planning": lambda: running_task(given, 5.0, None),
        "the shortest duration": lambda: find_shortest(given),
        "the study 'methods'": lambda: make_study("methods", given),
        "the on-line generator": lambda: generator_sources(
            given.problem, Limits(), "ship", "double"
        ),
    }
    for to in ("generator", "fmu", "ssp"):
        order = DeliveryOrder(to, tmp_path / "ship")
        calls[f"format '{to}'"] = lambda order=order: check_order(order, given.problem)
    for what, call in calls.items():
        with pytest.raises(InputError) as caught:
            call()
        assert str(caught.value).startswith(f"{what} does not know motions that are prescribed")


def test_only_drives_have_a_power() -> None:
    crane = load_scenario(str(EXAMPLES / "ship_crane.toml")).crane
    powers = [title for title in signals(crane) if title.startswith("power.")]
    assert powers == ["power.F_t", "power.M_w"]


def test_friction_of_what_is_no_drive_is_refused() -> None:
    friction = {"a_heave": {"limit": 3.0, "stiffness": 1e4}}
    with pytest.raises(InputError, match=r"unknown input in crane.friction 'a_heave'. .*F_t, M_w"):
        load_scenario(str(EXAMPLES / "ship_crane.toml"), {"crane.friction": friction})


def test_a_hold_of_all_motions_is_the_crane_that_stands_still() -> None:
    still = {"kind": "hold", "value": 0.0}
    moved = solved(scenario(OnShip, LINE, heave=still, sway=still))
    plain = solved(Scenario.of("overhead", LINE))
    close(moved.u[:, :2], plain.u)
    assert not moved.problem.path.moving_ends[0]


def test_a_wrong_sign_of_the_heave_is_seen() -> None:
    """The fault is put in: the comparison with the closed form fails by the size of the heave."""

    class WrongSign(OnShip):
        def constraints(self, q: Any, p: Any) -> Mapping[str, Any]:
            return {"lambda": 0.5 * ((q.x - q.s - q.sway) ** 2 + (q.z + q.heave) ** 2 - q.l**2)}

    right = solved(scenario(OnShip, LINE, heave=HEAVE, sway=SWAY))
    wrong = solved(scenario(WrongSign, LINE, heave=HEAVE, sway=SWAY))
    assert np.abs(right.q[:, 1] - wrong.q[:, 1]).max() > 0.5


def test_changed_motion_is_another_path_in_a_variation() -> None:
    from cranebridge.scenario.variation import Variation

    given = load_scenario(str(EXAMPLES / "ship_crane.toml"))
    other = Variation(given)({"crane.motion.heave.mean": 0.5})
    assert other.problem.path(0.0)[3, 0] == pytest.approx(given.problem.path(0.0)[3, 0] + 0.5)


class HookOnShip(OverheadCrane):
    """A hook that follows the path, with a load on a sling below it that swings: not flat."""

    name = "hook-on-ship"
    coordinates = (
        Quantity("s", "m", "trolley"),
        Quantity("l", "m", "rope length"),
        Quantity("x_h", "m", "hook, horizontal"),
        Quantity("z_h", "m", "hook, up"),
        Quantity("x", "m", "load, horizontal"),
        Quantity("z", "m", "load, up"),
    )
    parameters = (
        *OverheadCrane.parameters,
        Parameter("m_h", "kg", "hook mass", 20.0),
        Parameter("l_s", "m", "sling length", 1.0),
    )
    outputs = (Quantity("x_h", "m", "hook, horizontal"), Quantity("z_h", "m", "hook, up"))
    multipliers = (Quantity("rope", "N/m", "rope"), Quantity("sling", "N/m", "sling"))
    ropes = (Quantity("T_rope", "N", "rope"), Quantity("T_sling", "N", "sling"))
    motions = (Quantity("heave", "m", "rail up"),)

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        drives = p.m_t * (v.s**2 + v.heave**2) + p.J / p.r**2 * v.l**2
        return 0.5 * (drives + p.m_h * (v.x_h**2 + v.z_h**2) + p.m * (v.x**2 + v.z**2))

    def potential_energy(self, q: Any, p: Any) -> Any:
        return p.g * (p.m_h * q.z_h + p.m * q.z + p.m_t * q.heave)

    def constraints(self, q: Any, p: Any) -> Mapping[str, Any]:
        return {
            "rope": 0.5 * ((q.x_h - q.s) ** 2 + (q.z_h - q.heave) ** 2 - q.l**2),
            "sling": 0.5 * ((q.x - q.x_h) ** 2 + (q.z - q.z_h) ** 2 - p.l_s**2),
        }

    def output_map(self, q: Any, p: Any) -> Mapping[str, Any]:
        return {"x_h": q.x_h, "z_h": q.z_h}

    def rope_forces(self, q: Any, lam: Any, p: Any) -> Mapping[str, Any]:
        return {"T_rope": lam.rope * q.l, "T_sling": lam.sling * p.l_s}

    def scene(self, q: Any, p: Any) -> tuple[()]:
        return ()

    def rest(self, y: Any, p: Any) -> Mapping[str, float]:
        return {"s": y.x_h, "l": y.heave - y.z_h, "x": y.x_h, "z": y.z_h - p.l_s}


def test_a_load_below_a_hook_swings_the_same_whatever_the_base_does() -> None:
    """Its swing follows from the hook's path alone; the rope's length and direction do not."""
    path = {**LINE, "goal": [3.0, -3.0], "duration": 6.0, "smoothness": 6}
    lift = {**path, "start": [0.0], "goal": [0.7], "duration": 5.0}
    times = np.linspace(0.0, 6.0, 61)
    found = {}
    for name, table in (("lifted", lift), ("still", {"kind": "hold", "value": 0.0})):
        problem = scenario(HookOnShip, path, heave=table).problem
        found[name] = solve_inversion(problem, 0.02)
    q = {name: one.coordinates(times) for name, one in found.items()}
    np.testing.assert_allclose(q["lifted"][:, 2:6], q["still"][:, 2:6], atol=1e-11)
    assert found["lifted"].max_residual < 1e-12
    # the trolley is on the rope's line, wherever its rail is: X - x_h grows with the height
    height = {name: (rows[:, 6] - rows[:, 3])[:, None] for name, rows in q.items()}
    slopes = [(rows[:, [0]] - rows[:, [2]]) / height[name] for name, rows in q.items()]
    np.testing.assert_allclose(slopes[0], slopes[1], atol=1e-11)
    assert np.ptp(q["lifted"][:, 6]) == pytest.approx(0.7)


def test_internal_dynamics_on_a_base_that_moves_at_its_ends_are_refused() -> None:
    path = {**LINE, "smoothness": 6}
    with pytest.raises(StructureError, match=r"its path must start at rest"):
        solve_inversion(scenario(HookOnShip, path, heave=HEAVE).problem, 0.02)


def test_a_record_of_too_low_a_degree_is_refused_with_its_key(tmp_path: Path) -> None:
    times = np.linspace(0.0, 10.0, 101)
    rows = "\n".join(f"{t},{0.5 * math.sin(t)}" for t in times.tolist())
    (tmp_path / "heave.csv").write_text(f"time,heave\n{rows}\n")
    table = {"kind": "recorded", "file": str(tmp_path / "heave.csv"), "degree": 3}
    path = {**LINE, "smoothness": 6}
    problem = scenario(SpringOnShip, path, heave=table, sway=SWAY).problem
    with pytest.raises(StructureError) as caught:
        solve_index1(problem, np.linspace(0.0, 8.0, 11))
    found = str(caught.value)
    assert "the motion heave is not smooth enough" in found
    assert "needs 4 continuous derivatives of it, it has 2 at t = " in found
    assert found.endswith("give crane.motion.heave.degree a larger value")


def test_a_crane_with_motions_goes_to_worker_processes() -> None:
    crane = find_crane(f"{EXAMPLES / 'ship_crane.py'}:ShipCrane")
    assert names(pickle.loads(pickle.dumps(crane)).coordinates) == names(crane.coordinates)
    assert pickle.loads(pickle.dumps(crane)) == crane
