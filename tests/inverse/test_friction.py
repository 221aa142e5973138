"""Friction that sticks: the stop operator along a travel, and the controls that overcome it.

Held against closed forms (benchmark A1), figures of independent code (A3), a clipped march in steps
of a microsecond, and the balance of energy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad

from cranebridge.errors import InputError
from cranebridge.inverse import (
    DriveFriction,
    Feedforward,
    follow_travel,
    sample,
    solve_index1,
    solved_at,
    time_grid,
    with_friction,
)
from cranebridge.job import solve_scenario
from cranebridge.scenario import Scenario, load_scenario
from cranebridge.twin import equations_of_motion

Array = NDArray[np.float64]
A3 = "overhead-friction"
STRIBECK = {"static": 80.0, "stribeck_velocity": 0.02}
ELEMENT: Mapping[str, Any] = {"kind": "elastoplastic", "stiffness": 2e4, "limit": 50.0}


# ------------------------------------------------------------------- the element by itself

MASS, STIFFNESS, LIMIT, PEAK = 100.0, 2e4, 100.0, 300.0
YIELDS, STICKS = 0.2810250008836, 3.1876556261725


def oscillator(t: Array) -> Array:
    """A1 in closed form: a mass on the element, pushed by a hat of 300 N over two seconds."""
    omega = np.sqrt(STIFFNESS / MASS)

    def elastic(t: float) -> list[float]:
        # m x'' + E x = 300 t from rest
        s, c = np.sin(omega * t), np.cos(omega * t)
        return [
            PEAK / STIFFNESS * part for part in (t - s / omega, 1.0 - c, omega * s, omega**2 * c)
        ]

    def sliding(t: float) -> list[float]:
        # m x'' = hat - 100 from the yield on
        x, v, _, _ = elastic(YIELDS)
        done = YIELDS
        for end, force, slope in (
            (1.0, PEAK * YIELDS, PEAK),
            (2.0, PEAK, -PEAK),
            (np.inf, 0.0, 0.0),
        ):
            h = min(t, end) - done
            a = (force - LIMIT) / MASS
            x += v * h + a * h**2 / 2 + slope / MASS * h**3 / 6
            v += a * h + slope / MASS * h**2 / 2
            a += slope / MASS * h
            done = min(t, end)
            if t <= end:
                return [x, v, a, slope / MASS]
        raise AssertionError

    def stuck(t: float) -> list[float]:
        # m x'' = -(100 + E (x - x_0)) from rest at x_0
        x, tau = sliding(STICKS)[0], omega * (t - STICKS)
        size = LIMIT / STIFFNESS
        return [
            x - size + size * np.cos(tau),
            -omega * size * np.sin(tau),
            -(omega**2) * size * np.cos(tau),
            omega**3 * size * np.sin(tau),
        ]

    found = [
        (elastic if one <= YIELDS else sliding if one <= STICKS else stuck)(float(one)) for one in t
    ]
    return np.array(found).T


def test_a_pushed_mass_yields_and_sticks_where_the_closed_form_says() -> None:
    element = DriveFriction("F", stiffness=STIFFNESS, limit=LIMIT)
    knots = [0.0, YIELDS, 1.0, 2.0, STICKS, 3.3]
    found = follow_travel(element, oscillator, np.unique([*np.linspace(0.0, 3.3, 661), *knots]))
    assert found.modes.tolist() == [0, 1, 0]
    # the travel has the benchmark's times with 13 digits
    assert found.changes == pytest.approx([YIELDS, STICKS], abs=1e-12)
    plastic = found.travels[-1] - found.forces[-1] / STIFFNESS
    assert plastic == pytest.approx(2.056228816678975, abs=1e-11)
    assert found.dissipated == pytest.approx(205.6228816678975, abs=1e-9)
    end = oscillator(np.array([3.3]))
    assert found.stored == pytest.approx(STIFFNESS * (end[0, 0] - plastic), abs=1e-8)


def marched(element: DriveFriction, x: Array, v: Array) -> Array:
    """The operator by its definition: step by step, and back to the limit."""
    level, force, found = element.level(v)[0], element.start, []
    for step, limit in zip(np.diff(x, prepend=x[0]), level, strict=True):
        force = min(max(force + element.stiffness * step, -limit), limit)
        found.append(force)
    return np.array(found)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"start": -30.0},
        {"stiffness": 2e7},
        {"stiffness": 300.0},
        {"static": 90.0, "stribeck_velocity": 0.1},
        {"static": 90.0, "stribeck_velocity": 0.004},  # the limit rises faster than the spring
    ],
)
def test_operator_is_the_limit_of_small_steps(more: Mapping[str, float]) -> None:
    element = DriveFriction("F", **{"stiffness": 3e3, "limit": 50.0, **more})

    def travel(t: Array) -> Array:
        # several reversals, of different size
        waves = [(0.5, 1.3, 0.4), (0.11, 4.7, 0.0), (0.02, 11.0, 1.0)]
        parts = [
            [size * rate**k * np.sin(rate * t + phase + 0.5 * np.pi * k) for k in range(4)]
            for size, rate, phase in waves
        ]
        return np.sum(parts, axis=0)

    found = follow_travel(element, travel, np.linspace(0.0, 6.0, 1201))
    assert found.changes.size >= 1
    t = np.linspace(0.0, 6.0, 300_001)
    x, v, _, _ = travel(t)
    wanted = marched(element, x, v)
    # A step of the march is 2e-5 s: it is off by what the spring's force and its limit change
    # within one.
    rates = element.stiffness * np.abs(v), np.abs(np.diff(element.level(v)[0], prepend=0.0)[1:])
    step = 2e-5 * rates[0].max() + 2.0 * rates[1].max() + 1e-9
    assert np.abs(found.force(t, x, v) - wanted).max() < step


def test_heat_and_spring_are_the_work_that_is_put_in() -> None:
    for more in ({}, {"viscous": 7.0}, STRIBECK | {"viscous": 3.0}, {"start": 20.0}):
        element = DriveFriction("F", stiffness=2e4, limit=50.0, **more)

        def travel(t: Array) -> Array:
            return np.array([np.sin(t + 0.5 * np.pi * k) for k in range(4)])

        found = follow_travel(element, travel, np.linspace(0.0, 7.0, 1401))

        def power(t: float, found: Any = found, travel: Callable[..., Array] = travel) -> float:
            x, v, _, _ = travel(np.array([t]))
            return float((found.force(np.array([t]), x, v) * v)[0])

        edges = [0.0, *found.changes.tolist(), 7.0]
        work = sum(quad(power, a, b, limit=200)[0] for a, b in pairwise(edges))
        energy = (found.stored**2 - element.start**2) / (2.0 * 2e4)
        # trapezoids over 1e4 steps; Stribeck's peak is 0.02 s wide
        assert work == pytest.approx(found.dissipated + energy, rel=1e-5)


# ------------------------------------------------------------------- controls


def solved(**friction: Any) -> Feedforward:
    table = {"F_t": {**ELEMENT, **friction}}
    return solve_scenario(load_scenario(A3, {"crane.friction": table})).feedforward


def test_controls_of_benchmark_a3() -> None:
    solution = solved()
    there = solved_at(solution, np.array([0.0, 1.25, 1.75, 2.5]))
    assert there.u[1:3, 0] == pytest.approx([-96.24295093004531, -518.377267180351], abs=1e-9)
    assert there.frictionless.u[1, 0] == pytest.approx(-46.24295093004531, abs=1e-9)
    assert solution.friction is not None
    found: Any = solution.friction["F_t"]
    assert found["sticks_at"] == pytest.approx([1.0117026370116, 1.5385941087421], abs=1e-12)
    assert found["stored_force_at_end"] == 50.0
    # presliding: 2 F_max / E = 5 mm of travel after each reversal
    s = solved_at(solution, np.unique([*solution.kinks, 0.0, 2.5])).q[:, 0]
    assert np.abs(np.diff(s))[[2, 4]] == pytest.approx(5e-3, abs=1e-12)
    # all else is the motion of the crane without friction
    for name in ("q", "v", "a", "lam", "ropes"):
        assert np.array_equal(getattr(solution, name), getattr(solution.frictionless, name))
    assert np.array_equal(solution.u[:, 1], solution.frictionless.u[:, 1])


@pytest.mark.parametrize(
    "friction",
    [
        {},
        {"viscous": 30.0},
        {"stiffness": 2e7},
        STRIBECK,
        {"kind": "smooth", "stiffness": None, "velocity": 0.01, "viscous": 3.0},
    ],
)
def test_controls_between_the_times_know_the_kinks(friction: Mapping[str, Any]) -> None:
    given = {key: value for key, value in {**ELEMENT, **friction}.items() if value is not None}
    scenario = load_scenario(A3, {"crane.friction": {"F_t": given}})
    solution = solve_scenario(scenario).feedforward
    t = np.linspace(0.0, 2.5, 20_011)
    exact = solved_at(solution, t)
    error = np.abs(exact.u - solution.controls(t)).max(axis=0)
    without = np.abs(exact.frictionless.u - solution.frictionless.controls(t)).max(axis=0)
    # What cubics miss of the friction is 1e-5 of it. Without nodes at the kinks it were newtons.
    assert error[0] < without[0] + 50.0 * 1e-5


def test_samples_have_both_sides_of_a_kink() -> None:
    solution = solved()
    found = sample(solution, np.linspace(0.0, 2.5, 26), both_sides=True)
    for time in solution.kinks:
        (rows,) = np.nonzero(np.abs(found.time - time) < 1e-12)
        assert rows.size == 2
        assert np.ptp(found.values["u"][rows], axis=0) == pytest.approx(0.0, abs=1e-9)
    yields = np.flatnonzero(np.abs(found.time - solution.kinks[0]) < 1e-12)
    jump = np.diff(found.rates["u"][yields, 0])[0]
    assert jump == pytest.approx(-2e4 * found.values["v"][yields[0], 0], rel=1e-9)


def test_a_kink_that_meets_a_time_of_the_grid_is_seen_from_both_sides() -> None:
    bare = solved().frictionless
    first = with_friction(bare, [DriveFriction("F_t", **ELEMENT)])
    t = np.unique([*np.linspace(0.0, 2.5, 26), *first.kinks])
    again = with_friction(solve_index1(bare.problem, t), [DriveFriction("F_t", **ELEMENT)])
    assert again.kinks == pytest.approx(first.kinks, abs=1e-12)
    assert again.nodes is not None
    for time in first.kinks:
        assert np.sum(np.abs(again.nodes.time - time) < 1e-12) == 2
    assert np.array_equal(again.nodes.u[again.nodes.grid], again.u)
    assert np.array_equal(again.nodes.time[again.nodes.grid], again.time)
    fine = np.linspace(0.0, 2.5, 3001)
    wanted = solved_at(first, fine)
    # A change that is put on the wrong side of its time were off by newtons.
    error = np.abs(again.controls(fine) - wanted.u).max(axis=0)
    without = np.abs(again.frictionless.controls(fine) - wanted.frictionless.u).max(axis=0)
    assert error[0] < without[0] + 50.0 * 1e-5


def test_friction_of_a_winch_and_of_slewing_is_in_its_drives_own_travel() -> None:
    table = {
        "M_b": {"stiffness": 1e5, "limit": 100.0, "viscous": 20.0},
        "M_w": {"stiffness": 1e3, "limit": 3.0, "start": 1.0},
    }
    solution = solve_scenario(load_scenario("rotary", {"crane.friction": table})).feedforward
    t = np.linspace(0.0, 20.0, 100_001)
    exact = solved_at(solution, t)
    added = exact.u - exact.frictionless.u
    r_w = solution.problem.parameters["r_w"]
    names = [one.name for one in solution.problem.crane.coordinates]
    phi, rope = (names.index(name) for name in ("phi", "l"))
    for column, turned, speed, element in (
        (0, exact.q[:, phi], exact.v[:, phi], DriveFriction("M_b", **table["M_b"])),
        (2, exact.q[:, rope] / r_w, exact.v[:, rope] / r_w, DriveFriction("M_w", **table["M_w"])),
    ):
        wanted = marched(element, turned, speed) + element.viscous * speed
        # a step of the march is 2e-4 s
        step = 2e-4 * element.stiffness * np.abs(speed).max()
        assert np.abs(added[:, column] - wanted).max() < step
    assert np.array_equal(exact.u[:, 1], exact.frictionless.u[:, 1])
    assert added[0] == pytest.approx([0.0, 0.0, 1.0])


def test_friction_is_what_the_equations_of_motion_lack() -> None:
    """M q'' - f + G^T lambda - B^T u of the crane without friction is minus the friction."""
    import casadi as ca

    solution = solved(viscous=30.0)
    model = equations_of_motion(solution.problem.crane)
    function = ca.Function(
        "r", [model.q, model.v, model.a, model.lam, model.u, model.p], [model.motion]
    )
    columns = (solution.q, solution.v, solution.a, solution.lam, solution.u)
    p = np.tile(solution.problem.parameter_vector[:, None], solution.time.size)
    rest = np.array(function(*(part.T for part in columns), p))
    added = solution.u[:, 0] - solution.frictionless.u[:, 0]
    assert np.abs(np.abs(rest[0]) - np.abs(added)).max() < 1e-9
    assert np.abs(rest[1:]).max() < 1e-9


def test_long_solution_in_parts_has_the_same_friction(monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    from cranebridge.job import long_solving

    scenario = load_scenario(A3)
    wanted = solve_scenario(scenario).feedforward
    monkeypatch.setattr(long_solving, "PART", 60)
    file = io.StringIO()
    whole = long_solving.solve_long(scenario, file)
    rows = np.genfromtxt(io.StringIO(file.getvalue()), delimiter=",", names=True)
    assert rows["uF_t"] == pytest.approx(wanted.u[:, 0], abs=1e-9)
    assert whole.feedforward.friction == wanted.friction


@pytest.mark.parametrize("name", ["flexible-jib-outer", "overhead-elastic"])
def test_cranes_by_inversion_and_on_elastic_ropes_have_it_too(name: str) -> None:
    scenario = load_scenario(name)
    drive = scenario.crane.inputs[0].name
    element = {"stiffness": 1e5, "limit": 50.0}
    solution = solve_scenario(scenario.with_({"crane.friction": {drive: element}})).feedforward
    t = np.linspace(solution.time[0], solution.time[-1], 50_001)
    exact = solved_at(solution, t)
    # both drives move their coordinate: the slewing angle, the trolley
    moved = [one.name for one in scenario.crane.coordinates].index("phi" if drive == "M_b" else "s")
    wanted = marched(DriveFriction(drive, **element), exact.q[:, moved], exact.v[:, moved])
    step = (t[1] - t[0]) * 1e5 * np.abs(exact.v[:, moved]).max()
    assert np.abs(exact.u[:, 0] - exact.frictionless.u[:, 0] - wanted).max() < step
    assert np.abs(wanted).max() == 50.0


def added_by(scenario: Scenario, drive: str, element: Mapping[str, float]) -> tuple[Any, Array]:
    """The exact motion at many times, and what friction adds to a drive."""
    solution = solve_scenario(scenario.with_({"crane.friction": {drive: element}})).feedforward
    exact = solved_at(solution, np.linspace(0.0, solution.time[-1], 50_001))
    column = [one.name for one in scenario.crane.inputs].index(drive)
    return exact, exact.u[:, column] - exact.frictionless.u[:, column]


def test_slewing_in_redundant_coordinates_has_the_friction_of_the_angle() -> None:
    """There the torque acts on positions: its travel is integrated, and must be the angle."""
    element = {"stiffness": 1e5, "limit": 100.0, "viscous": 20.0}
    redundant = load_scenario("rotary-redundant")
    angles = load_scenario("rotary")
    own = angles.problem.parameters
    shared = {name: x for name, x in redundant.problem.parameters.items() if name in own}
    angles = angles.with_({"path": redundant.tables.path, "crane.parameters": shared})
    (_, found), (_, wanted) = (added_by(one, "M_b", element) for one in (redundant, angles))
    assert np.abs(wanted).max() > 100.0
    # 1e5 N m/rad of roundings of the angle
    assert np.abs(found - wanted).max() < 1e-9


def test_friction_of_a_cylinder_is_in_the_length_of_the_cylinder() -> None:
    """From the foot (2, -1.5) to the jib at 6 m: a function of the luffing angle."""
    element = DriveFriction("F_c", stiffness=1e5, limit=100.0)
    scenario = load_scenario("cylinder-crane")
    exact, found = added_by(scenario, "F_c", {"stiffness": 1e5, "limit": 100.0})
    beta = exact.q[:, [one.name for one in scenario.crane.coordinates].index("beta")]
    length = np.hypot(6.0 * np.cos(beta) - 2.0, 6.0 * np.sin(beta) + 1.5)
    wanted = marched(element, length, np.gradient(length, exact.time))
    step = 1e5 * np.abs(np.diff(length)).max()
    assert np.abs(found - wanted).max() < step


def test_scenario_in_python_takes_friction() -> None:
    path = load_scenario(A3).tables.path
    made = Scenario.of("overhead", path, friction={"F_t": ELEMENT})
    wanted, found = (solve_scenario(one).feedforward for one in (load_scenario(A3), made))
    assert np.array_equal(found.u, wanted.u)
    assert any("at the end stay 50 N in the spring of F_t" in note for note in found.notes)


# ------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("friction", "said"),
    [
        ({"F_x": ELEMENT}, "unknown input in crane.friction 'F_x'"),
        ({"F_t": {"limit": 50.0}}, "crane.friction.F_t.stiffness must be positive"),
        ({"F_t": {"stiffness": 1e4}}, "crane.friction.F_t.limit must be positive"),
        ({"F_t": {**ELEMENT, "kind": "lugre"}}, "crane.friction.F_t.kind"),
        ({"F_t": {**ELEMENT, "limit": -1.0}}, "crane.friction.F_t.limit must be a number, not"),
        ({"F_t": {**ELEMENT, "velocity": 0.1}}, "velocity is of kind 'smooth'"),
        ({"F_t": {**ELEMENT, "static": 80.0}}, "static and stribeck_velocity belong together"),
        (
            {"F_t": {**ELEMENT, "static": 30.0, "stribeck_velocity": 0.1}},
            "static = 30 is below limit = 50",
        ),
        ({"F_t": {**ELEMENT, "start": 51.0}}, "start = 51 is more than the spring holds: 50"),
        ({"F_t": {"kind": "smooth", "limit": 5.0}}, "velocity must be positive"),
        (
            {"F_t": {"kind": "smooth", "limit": 5.0, "velocity": 0.1, "start": 1.0}},
            "start is of kind 'elastoplastic'",
        ),
        ({"F_t": {**ELEMENT, "stifness": 1.0}}, "Did you mean 'stiffness'?"),
    ],
)
def test_wrong_friction_is_one_sentence(friction: Mapping[str, Any], said: str) -> None:
    with pytest.raises(InputError) as error:
        load_scenario("overhead", {"crane.friction": friction})
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_method_that_knows_its_grid_only_is_refused() -> None:
    with pytest.raises(InputError, match=r"solve.method = 'index1' or 'inversion'"):
        solve_scenario(load_scenario(A3, {"solve.method": "index3"}))


def test_without_friction_nothing_changes() -> None:
    problem = load_scenario("overhead").problem
    solution = solve_index1(problem, time_grid(problem.path.duration, 0.01))
    assert with_friction(solution, ()) is solution
    assert solution.frictionless is solution
