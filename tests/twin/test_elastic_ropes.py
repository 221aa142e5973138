"""Cranes on elastic ropes: structure by hand, reference controls, limits, conserved energy."""

from __future__ import annotations

import math
import pickle
from collections.abc import Mapping
from decimal import Decimal, getcontext
from typing import Any

import casadi as ca
import numpy as np
import pytest

import cranebridge as cb
from cranebridge.errors import InputError
from cranebridge.forward import crane_dynamics, simulate_twin
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.internal.inversion import invert
from cranebridge.scenario import Scenario
from cranebridge.twin import Components, Crane, equations_of_motion, find_crane
from cranebridge.twin.cranes import GantryCrane, OverheadCrane
from cranebridge.twin.language import HoistRope, names, points_of
from cranebridge.twin.ropes import ElasticRope, elastic
from further import further

WINCHES = {"overhead": ("J", "r"), "rotary": ("J_w", "r_w"), "gantry": ("J", "r")}
WINCHES |= {"bridge": ("J_w", "r_w"), "luffing-jib": ("J_w", "r_w")}
LUMPS = {"lump_mass": 16.0, "lump_length": 2.0}

# /work/shared/benchmarks/ropes-friction-loops.md, B3: jets of 50 digits of the displacement form
# V = EA/2 (d - l)^2/l, by number of lumps: F_t(4.5) and M_w(4.5).
B3 = {
    0: (-13013.079940862808, -18941.9392602422),
    1: (-18898.88091529609, -18767.949630194245),
    2: (-23752.4049812143, -19442.52664846533),
}


def overhead(lumps: int = 0, smoothness: int | None = None, **rope: Any) -> Scenario:
    """The crane of B3 on its path."""
    path = {
        "kind": "line",
        "start": [0.0, -20.0],
        "goal": [6.0, -10.0],
        "profile": "polynomial",
        "duration": 6.0,
        "smoothness": 4 + 2 * lumps if smoothness is None else smoothness,
    }
    given = {"stiffness": 2e7, **({"lumps": lumps, **LUMPS} if lumps else {}), **rope}
    masses = {"m": 10000.0, "m_t": 1000.0, "J": 20.0, "r": 0.25}
    return cb.Scenario.of("overhead", path, parameters=masses, rope=given)


def load_error(solution: Feedforward, factor: float = 1.0, **options: Any) -> float:
    """Largest error of the load of the twin that is driven with the first input scaled."""
    problem = solution.problem
    scale = np.array([factor, *[1.0] * (len(problem.crane.inputs) - 1)])
    times = np.linspace(0.0, problem.path.duration, 61)
    run = simulate_twin(
        problem.crane,
        problem.parameters,
        solution.q[0],
        solution.v[0],
        lambda t: scale * solution.controls(t),
        times,
        rtol=1e-11,
        **options,
    )
    return float(np.abs(run.outputs - problem.path(times).T).max())


@pytest.mark.parametrize("lumps", sorted(B3))
def test_controls_are_those_of_the_reference_in_displacement_form(lumps: int) -> None:
    solution = solve_index1(overhead(lumps).problem, np.linspace(0.0, 6.0, 61))
    # both are exact but for rounding: 1e-12 of the value is a few thousand roundings
    assert solution.u[45] == pytest.approx(B3[lumps], rel=1e-12)


@pytest.mark.parametrize("lumps", [0, further(1), further(2)])
def test_load_follows_its_path_and_misses_it_by_millimetres_with_a_wrong_force(lumps: int) -> None:
    solution = solve_index1(overhead(lumps).problem, np.linspace(0.0, 6.0, 3001))
    # B3: 1.3e-12, 6.2e-11, 3.6e-9 m; here the controls between the points err by less than 1e-8 m,
    # and 0.1 % more force moves the load by 6 mm
    assert load_error(solution) < 1e-8
    assert 3e-3 < load_error(solution, 1.001) < 12e-3


def structure(model: str, rope: Mapping[str, Any]) -> Any:
    """Structure of a ready crane with this rope on a path from above its default."""
    crane = elastic(find_crane(model), ElasticRope(2e7, **rope))
    start = {"x": 5.0, "y": 3.0, "z": -20.0}
    goal = {"x": 8.0, "y": 6.0, "z": -12.0}
    path = {
        "kind": "line",
        "start": [start[name] for name in names(crane.outputs)],
        "goal": [goal[name] for name in names(crane.outputs)],
        "profile": "polynomial",
        "duration": 20.0,
        "smoothness": 8,
    }
    return cb.Scenario.of(model, path, rope={"stiffness": 2e7, **rope}).check().structure


@pytest.mark.parametrize("model", sorted(WINCHES))
@pytest.mark.parametrize("lumps", [0, 1, 2])
def test_index_and_path_derivatives_are_those_by_hand(model: str, lumps: int) -> None:
    # By hand: two derivatives of the path tell the force in the lowest element, hence its direction
    # and its stretch and the place of the lump above it; each lump takes two more, and so does the
    # trolley. Controls: 4 + 2n derivatives, one more for the index. Damped: each stretch is free.
    found = structure(model, {"lumps": lumps, **LUMPS} if lumps else {})
    assert (found.index, found.flat) == (5 + 2 * lumps, True)
    assert set(found.path_derivatives.values()) == {4 + 2 * lumps}
    assert found.internal_dynamics == 0


@pytest.mark.parametrize("model", sorted(WINCHES))
def test_each_damped_element_has_a_free_stretch(model: str) -> None:
    for lumps in (0, 1):
        rope = {"damping": 1e5, "lumps": lumps, **(LUMPS if lumps else {})}
        found = structure(model, rope)
        assert (found.flat, found.internal_dynamics) == (False, 1 + lumps)


class DisplacementForm(OverheadCrane):
    """The overhead crane on a spring EA (|d| - l)^2/(2 l), without stretch and constraint."""

    name = "displacement-form"
    parameters = elastic(find_crane("overhead"), ElasticRope(2e7, 1e5)).parameters
    multipliers = ()
    ropes = ()

    def distance(self, q: Components) -> Any:
        return ca.sqrt((q.x - q.s) ** 2 + q.z**2)

    def potential_energy(self, q: Components, p: Components) -> Any:
        return p.m * p.g * q.z + 0.5 * p.EA * (self.distance(q) - q.l) ** 2 / q.l

    def other_forces(self, q: Components, v: Components, p: Components) -> Mapping[str, Any]:
        d = self.distance(q)
        along = {"s": -(q.x - q.s) / d, "l": -1.0, "x": (q.x - q.s) / d, "z": q.z / d}
        rate = sum(along[name] * v[name] for name in along)
        return {name: -p.D * rate / q.l * slope for name, slope in along.items()}

    def constraints(self, q: Components, p: Components) -> Mapping[str, Any]:
        return {}

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Mapping[str, Any]:
        return {}


def test_damped_rope_is_the_one_of_the_displacement_form() -> None:
    # The controls that the inversion finds in stretch and constraint bring the load of a crane
    # along the path that is written with |d| - l, damper included. Without the damper's force of
    # up to 1e5 * 0.02 / 10 = 200 N it would miss it by about 0.1 mm.
    scenario = overhead(smoothness=5, damping=1e5)
    solution = invert(scenario.problem, 0.002).at(np.linspace(0.0, 6.0, 3001))

    def error(damping: float) -> float:
        problem = solution.problem
        q, v = ([*row[:4]] for row in (solution.q[0], solution.v[0]))
        times = np.linspace(0.0, 6.0, 61)
        run = simulate_twin(
            DisplacementForm(),
            {**problem.parameters, "D": damping},
            q,
            v,
            solution.controls,
            times,
            rtol=1e-11,
        )
        return float(np.abs(run.outputs - problem.path(times).T).max())

    assert error(1e5) < 1e-7
    assert error(1e3) > 1e-5


def test_plant_of_the_twin_keeps_its_energy_with_drives_at_rest() -> None:
    # A damped rope loses it, a spring does not; winch, trolley and load move freely for a second.
    for rope, kept in (({}, True), ({"lumps": 2, **LUMPS}, True), ({"damping": 1e6}, False)):
        crane = elastic(find_crane("gantry"), ElasticRope(2e6, **rope))
        p = crane.parameter_values()
        start = {"x": 1.0, "z": -20.0}
        rest = {**start, **crane.rest(start, p)}
        q = np.array([rest[name] for name in names(crane.coordinates)])
        v = np.array([0.5 if name == "x" else 0.0 for name in names(crane.coordinates)])
        u = np.array([0.0, -p["m"] * p["g"] * p["r"]])
        dynamics = crane_dynamics(crane)
        run = simulate_twin(
            crane, p, q, v, lambda t, u=u: u, np.linspace(0.0, 1.0, 201), rtol=1e-11
        )
        l = names(crane.coordinates).index("l")  # noqa: E741
        work = u[1] / p["r"] * (run.q[:, l] - run.q[0, l])
        missing = run.energy - run.energy[0] - work
        moved = 0.5 * p["m"] * 0.5**2
        assert dynamics.dimension == 2 * (len(crane.coordinates) - len(crane.multipliers))
        assert (np.abs(missing).max() < 1e-8 * moved) == kept
        assert kept or np.diff(missing).max() < 1e-8 * moved


@pytest.mark.parametrize("model", ["overhead", "gantry", "rotary", "bridge", "luffing-jib"])
def test_stiff_rope_is_the_rigid_one_in_the_limit(model: str) -> None:
    # Without mass of its own the rope moves the trolley as a rigid one does: it hangs in the
    # direction of the force. The winch's torque differs with first order in 1/EA, up to the
    # stiffest wire: ten times as stiff, a tenth of the difference, which is not yet rounding.
    scenario = cb.load(model).with_({"limits.q": {}} if model != "overhead" else {})
    times = np.linspace(0.0, scenario.problem.path.duration, 101)
    rigid = solve_index1(scenario.problem, times)
    away = []
    for stiffness in (2e8, 2e9, 2e10):
        soft = scenario.with_({"crane.rope.stiffness": stiffness})
        solution = solve_index1(soft.problem, times)
        assert solution.max_residual < 1e-13
        *others, winch = np.abs(solution.u - rigid.u).max(axis=0) / np.abs(rigid.u).max(axis=0)
        assert np.max(others) < 1e-10
        away.append(winch)
    assert [away[0] / away[1], away[1] / away[2]] == pytest.approx([10.0, 10.0], rel=1e-3)


def test_winch_feels_the_energy_of_the_rope_that_it_pays_out() -> None:
    # At rest: M_w = -r (T + T^2/(2 EA)), with one lump T at the winch has its weight, too.
    for lumps, weight in ((0, 10000.0), (1, 10016.0)):
        solution = solve_index1(overhead(lumps).problem, np.array([0.0]))
        T = weight * 9.81
        assert solution.u[0, 1] == pytest.approx(-0.25 * (T + T**2 / (2 * 2e7)), rel=1e-13)
        assert solution.ropes[0, 0] == pytest.approx(T, rel=1e-13)
        assert solution.ropes[0, -1] == pytest.approx(10000.0 * 9.81, rel=1e-13)


def test_rope_is_rigid_again_without_its_table_and_parameters_come_first() -> None:
    scenario = overhead()
    assert scenario.problem.parameters["EA"] == 2e7
    assert scenario.with_({"crane.EA": 3e7}).problem.parameters["EA"] == 3e7
    stiffer = scenario.with_({"crane.rope.stiffness": 4e7})
    assert stiffer.problem.parameters["EA"] == 4e7
    assert stiffer.crane.base == OverheadCrane()
    again = stiffer.complete()["crane"]
    assert again["rope"]["stiffness"] == 4e7
    assert "EA" not in again["parameters"]


class OwnGantry(GantryCrane):
    """A crane of a user's, in a notebook."""

    name = "own-gantry"


def test_own_crane_gets_a_rope_and_another_one() -> None:
    path = {"kind": "line", "start": [0.0, -8.0], "goal": [5.0, -6.0], "duration": 8.0}
    path |= {"profile": "polynomial", "smoothness": 6}
    soft = cb.Scenario.of(OwnGantry, path, rope={"stiffness": 2e7})
    assert soft.crane.name == "own-gantry-elastic"
    heavy = soft.with_({"crane.rope.lumps": 1, **{f"crane.rope.{k}": LUMPS[k] for k in LUMPS}})
    assert heavy.check().structure.index == 7
    # the same as by the ready crane, which has the same equations
    ready = cb.Scenario.of("gantry", path, rope={"stiffness": 2e7})
    times = np.linspace(0.0, 8.0, 9)
    u = [solve_index1(one.problem, times).u for one in (soft, ready)]
    assert np.array_equal(*u)


def test_crane_is_one_class_for_one_rope_and_can_be_sent_to_workers() -> None:
    crane = elastic(find_crane("bridge"), ElasticRope(3e7))
    assert elastic(find_crane("bridge"), ElasticRope(3e7)) is crane
    assert pickle.loads(pickle.dumps(crane)) is crane
    assert elastic(find_crane("bridge"), ElasticRope(4e7)) != crane


@pytest.mark.parametrize("model", sorted(WINCHES))
def test_ropes_of_the_picture_end_where_the_rope_does(model: str) -> None:
    crane = elastic(find_crane(model), ElasticRope(2e7, lumps=2, **LUMPS))
    equations = equations_of_motion(crane)
    q = Components(names(crane.coordinates), equations.q)
    p = Components(names(crane.parameters), equations.p)
    lines = [body for body in crane.scene(q, p) if getattr(body, "force", None)]
    assert [line.force for line in lines] == ["T_top", "T_2", "T_cable"]
    ends = [points_of(line) for line in lines]
    lengths = ca.vertcat(*(ca.norm_2(end["end"] - end["begin"]) for end in ends))
    found = ca.Function("found", [equations.q, equations.p], [lengths])
    values = crane.parameter_values()
    outputs = {"x": 9.0, "y": 1.0, "z": -21.0}
    rest = {**{name: outputs[name] for name in names(crane.outputs)}}
    rest |= crane.rest(rest, values)
    given = [rest[name] for name in names(crane.coordinates)]
    measured = np.array(found(given, [*values.values()]))[:, 0]
    stretched = [rest["l"] + rest["stretch_1"], 2.0 + rest["stretch_2"], 2.0 + rest["stretch_3"]]
    assert measured == pytest.approx(stretched, rel=1e-9)


class WrongTop(OverheadCrane):
    """Says that its rope begins where it does not."""

    def hoist_rope(self, q: Components, p: Components) -> HoistRope:
        return HoistRope(top=(q.s, 0, 1), multiplier="lambda")


class WrongName(OverheadCrane):
    """Names a parameter that it does not have."""

    def hoist_rope(self, q: Components, p: Components) -> HoistRope:
        return HoistRope(top=(q.s, 0, 0), multiplier="lambda", mass="M")


@pytest.mark.parametrize(
    ("crane", "rope", "sentence"),
    [
        (find_crane("navy2d"), ElasticRope(1e6), "'navy2d' does not say where its one hoist rope"),
        (WrongTop(), ElasticRope(1e6), "distance of its outputs from the top"),
        (WrongName(), ElasticRope(1e6), "names 'M', which is none of its parameters"),
        (OverheadCrane(), ElasticRope(-1.0), "crane.rope.stiffness must be positive"),
        (OverheadCrane(), ElasticRope(1e6, lumps=1), "needs crane.rope.lump_mass"),
        (OverheadCrane(), ElasticRope(1e6, lumps=9, **LUMPS), "must be 0 to 8, got 9"),
        (OverheadCrane(), ElasticRope(1e6, lump_mass=1.0), "of no use without crane.rope.lumps"),
    ],
)
def test_false_ropes_are_refused_with_one_sentence(
    crane: Crane, rope: ElasticRope, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        elastic(crane, rope)


def test_rope_that_its_lumps_are_longer_than_is_refused() -> None:
    with pytest.raises(InputError, match="longer than the rope"):
        _ = overhead(lumps=1, lump_length=21.0).problem


def series(problem: Any, t: float, lumps: int) -> tuple[Decimal, ...]:
    """Trolley, rope paid out and force at the winch from the load up, by Taylor series.

    The force in an element gives its direction and length, hence the point above, and its
    acceleration the force in the next. Sums, roots and quotients of series in decimals of 60
    digits; nothing is iterated or solved.
    """
    getcontext().prec = 60
    order = 2 * lumps + 2
    m, mass, g, EA, length = (Decimal(text) for text in ("10000", "16", "9.81", "2e7", "2"))
    derivatives = problem.path.derivatives([t], order)[:, :, 0]
    x, z = (
        [Decimal(float(derivatives[k, i])) / math.factorial(k) for k in range(order + 1)]
        for i in (0, 1)
    )

    def plus(a: list, b: list) -> list:
        return [one + other for one, other in zip(a, b, strict=False)]

    def product(a: list, b: list) -> list:
        return [sum(a[i] * b[k - i] for i in range(k + 1)) for k in range(min(len(a), len(b)))]

    def quotient(a: list, b: list) -> list:
        found: list = []
        for k in range(min(len(a), len(b))):
            found.append((a[k] - sum(found[i] * b[k - i] for i in range(k))) / b[0])
        return found

    def root(a: list) -> list:
        found = [a[0].sqrt()]
        for k in range(1, len(a)):
            found.append(
                (a[k] - sum(found[i] * found[k - i] for i in range(1, k))) / (2 * found[0])
            )
        return found

    def second(a: list) -> list:
        return [(k + 1) * (k + 2) * a[k + 2] for k in range(len(a) - 2)]

    def load(weight: Decimal, across: list, up: list) -> tuple[list, list]:
        F, G = [weight * a for a in second(across)], [weight * a for a in second(up)]
        return F, [G[0] + weight * g, *G[1:]]

    F, G = load(m, x, z)
    for _ in range(lumps):
        T = root(plus(product(F, F), product(G, G)))
        stretched = [length * (1 + T[0] / EA), *(length * a / EA for a in T[1:])]
        x = [a + b for a, b in zip(x, product(quotient(F, T), stretched), strict=False)]
        z = [a + b for a, b in zip(z, product(quotient(G, T), stretched), strict=False)]
        more = load(mass, x, z)
        F, G = (
            [a + b for a, b in zip(own, add, strict=False)]
            for own, add in zip((F, G), more, strict=True)
        )
    T = (F[0] ** 2 + G[0] ** 2).sqrt()
    distance = -z[0] * T / G[0]
    return x[0] - z[0] * F[0] / G[0], distance / (1 + T / EA), T


@pytest.mark.parametrize("lumps", [0, 1, 2, 3, further(4)])
def test_trolley_winch_and_top_force_are_those_of_the_series_from_the_load_up(lumps: int) -> None:
    problem = overhead(lumps).problem
    times = np.linspace(0.0, 6.0, 25)
    solution = solve_index1(problem, times)
    wanted = np.array([[float(part) for part in series(problem, t, lumps)] for t in times])
    found = np.column_stack([solution.q[:, :2], solution.ropes[:, 0]])
    # The path's derivatives are rounded at 1e-16 of a polynomial's terms, which cancel.
    assert np.abs(found - wanted).max(axis=0) / np.ptp(wanted, axis=0) == pytest.approx(
        0.0, abs=1e-9
    )
