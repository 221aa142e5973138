"""The ready cranes of bodies and joints, against references and cranes written by energies."""

from __future__ import annotations

import math
import re
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from test_body_mechanics import in_directors

from cranebridge.inverse import ServoProblem, analyse
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.path import Line, polynomial
from cranebridge.scenario import load_scenario
from cranebridge.twin import Crane, Parameter, equations_of_motion, find_crane
from cranebridge.twin.bodies import (
    Body,
    BodyCrane,
    Damper,
    Drive,
    Gear,
    PointMass,
    Prismatic,
    Revolute,
    Rope,
    Spherical,
    Spring,
    Winch,
    rod,
)
from cranebridge.twin.cranes import BodyGantry, CylinderCrane
from cranebridge.twin.language import names

READY = ("body-gantry", "cylinder-crane", "knuckle-boom", "portal", "spreader")
# Controls of two formulations of one crane: some thousand operations of 1e-16.
SAME = 1e-12


def controls(crane: Crane, like: str, times: np.ndarray, **parameters: float) -> np.ndarray:
    """Controls of a crane on the path of a ready scenario."""
    path = load_scenario(like).problem.path
    return solve_index1(ServoProblem(crane, path, crane.parameter_values(parameters)), times).u


@pytest.mark.parametrize("name", READY)
def test_ready_cranes_of_parts_are_solved(name: str) -> None:
    problem = load_scenario(name).problem
    structure = analyse(problem.crane)
    assert structure.flat
    assert structure.index == 5
    found = solve_index1(problem, np.linspace(0.0, problem.path.duration, 201))
    assert found.max_residual < 1e-13
    assert found.ropes.min() > 1000.0  # all ropes pull, with tons on them


def test_the_page_shows_the_ready_cranes_as_they_are() -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs" / "bodies-and-joints.md").read_text(encoding="utf-8")
    shown = re.findall(r"```py\n(.*?)\n```", page, re.DOTALL)
    assert len(shown) == len(READY)
    for name, text in zip(READY, shown, strict=True):
        file = root / "python/cranebridge/twin/cranes" / f"{name.replace('-', '_')}.py"
        assert text in file.read_text(encoding="utf-8")


def test_example_with_a_loop_is_the_ready_crane() -> None:
    example = find_crane(f"{Path(__file__).parents[2]}/examples/cylinder_loop.py:CylinderLoop")
    wanted = controls(CylinderCrane(), "cylinder-crane", TIMES)
    np.testing.assert_allclose(controls(example, "cylinder-crane", TIMES), wanted, rtol=SAME)


def loop_of_bodies() -> BodyCrane:
    """The cylinder crane whose barrel and piston rod are bodies in a loop."""

    class LoopCrane(CylinderCrane):
        parts = (
            *CylinderCrane.parts[:5],
            Revolute("barrel", on="column", at=("a", 0, "b"), axis="-y", coordinate="delta"),
            Body("barrel", shape=rod("l_1", "m_1")),
            Prismatic("piston", on="barrel", axis="x", coordinate="e"),
            Body("piston", shape=rod("l_2", "m_2"), centre=("-l_2/2", 0, 0)),
            Spherical("piston", on="jib", at=("c", 0, 0), loop=True),
            Drive("F_c", on="e"),
            *CylinderCrane.parts[6:],
        )
        start = {"beta": 0.9, "delta": 1.2, "e": 6.5}

    return LoopCrane()


@pytest.mark.parametrize("make", [CylinderCrane, loop_of_bodies])
def test_cylinder_crane_is_the_reference(make) -> None:
    # benchmarks/ropes-friction-loops.md, C: two formulations of it agree to 3.3e-9.
    u = dict(zip(names(make().inputs), controls(make(), "cylinder-crane", TIMES).T, strict=True))
    found = np.array([u["M_b"], u["F_c"], u["M_w"]]).T
    np.testing.assert_allclose(found, REFERENCE, rtol=3e-9)


TIMES = np.array([4.5, 7.5])
REFERENCE = [  # M_b, F_c, M_w at these times
    [39990.281044468, 366183.9668782578, -14947.567968602849],
    [370.110581663454, 326655.1602367679, -14750.57601723679],
]


def test_cylinder_crane_of_directors_has_one_row_too_many_and_the_same_controls() -> None:
    # The reference's 52 coordinates (four bodies, load, rope length), and two that the drives act
    # on; its 48 rows of rank 47, and the two that say what these are.
    tree = loop_of_bodies()
    full, lift = in_directors(tree)
    assert len(full.coordinates) == 52 + 2
    assert len(full.multipliers) == 47 + 2
    (remark,) = full.remarks()
    assert "rank 48 of 49" in remark  # without the rope's
    path = load_scenario("cylinder-crane").problem.path
    found = solve_index1(ServoProblem(tree, path, tree.parameter_values()), TIMES)
    for k, wanted in enumerate(REFERENCE):
        Q, V, A = (np.array(one)[:, 0] for one in lift(found.q[k], found.v[k], found.a[k]))
        model = equations_of_motion(full)
        p = np.array([one.value for one in full.parameters])
        parts = [model.mass_matrix @ model.a - model.force, model.constraint_jacobian.T]
        terms = ca.Function(
            "terms", [model.q, model.v, model.a, model.p], [*parts, model.input_matrix]
        )
        needed, G_T, B = (np.array(one) for one in terms(Q, V, A, p))
        system = np.hstack([B, -G_T])
        solution, _, rank, _ = np.linalg.lstsq(system / 1e3, needed[:, 0] / 1e3, rcond=1e-12)
        assert rank == system.shape[1] == 3 + 49  # every control and multiplier is determined
        assert np.abs(system @ solution - needed[:, 0]).max() < 1e-6  # of 4e5 N
        u = dict(zip(names(full.inputs), solution[:3], strict=True))
        assert [u["M_b"], u["F_c"], u["M_w"]] == pytest.approx(wanted, rel=3e-9)


def test_row_of_the_planar_loop_is_dropped() -> None:
    crane = loop_of_bodies()
    assert len(crane.multipliers) == 3  # two of three rows, and the rope
    (remark,) = crane.remarks()
    assert "loop closed by piston on jib: points together along y" in remark
    assert "rank 2 of 3" in remark


def test_gantry_of_parts_is_the_overhead_crane() -> None:
    times = np.linspace(0.0, 3.0, 61)
    wanted = controls(find_crane("overhead"), "overhead", times)
    own = {"m": 100.0, "m_t": 10.0, "J_w": 0.1, "r_w": 0.1}
    found = controls(BodyGantry(), "overhead", times, **own)
    np.testing.assert_allclose(found, wanted, rtol=SAME, atol=SAME * np.abs(wanted).max())


class TowerOfParts(BodyCrane):
    """The rotary crane as parts: jib, trolley, winch, load."""

    name = "tower"
    parts = (
        Revolute("jib", axis="z", coordinate="phi"),
        Body("jib", inertia=(0, 0, 480.0)),
        Drive("M_b", on="phi"),
        Prismatic("trolley", on="jib", axis="x", coordinate="s"),
        Body("trolley", mass=10.0),
        Drive("F_t", on="s"),
        Winch("winch", at="trolley", inertia=0.1, radius=0.1, torque="M_w"),
        PointMass("load", mass=100.0),
        Rope("T_cable", path=("winch", "load")),
    )
    outputs = {"x": "load.x", "y": "load.y", "z": "load.z"}
    start = {"s": 3.0}


def test_tower_of_parts_is_the_rotary_crane() -> None:
    times = np.linspace(0.0, 20.0, 81)
    wanted = controls(find_crane("rotary"), "rotary", times)
    found = controls(TowerOfParts(), "rotary", times)
    np.testing.assert_allclose(found, wanted, rtol=SAME, atol=SAME * np.abs(wanted).max())


class SwingOfParts(BodyCrane):
    """The gantry in its minimal coordinates: the rope is a slide on a hinge."""

    name = "swing"
    parts = (
        Prismatic("trolley", axis="x", coordinate="s"),
        Body("trolley", mass=1800.0),
        Drive("F_t", on="s"),
        Revolute("rope", on="trolley", axis="-y", coordinate="theta"),
        Body("rope"),
        Prismatic("load", on="rope", axis="-z", coordinate="l"),
        Body("load", mass=10000.0),
        # a motor of 1/r turns for each metre of rope
        Gear("drum", on="l", ratio=1 / 0.2, inertia=60.0),
        Drive("M_w", on="drum"),
    )
    outputs = {"x": "load.x", "z": "load.z"}
    start = {"l": 8.0}


def test_swing_of_parts_is_the_gantry_in_minimal_coordinates() -> None:
    times = np.linspace(0.0, 20.0, 81)
    wanted = controls(find_crane("gantry"), "gantry", times)
    found = controls(SwingOfParts(), "gantry", times)
    np.testing.assert_allclose(found, wanted, rtol=SAME, atol=SAME * np.abs(wanted).max())


def test_portal_moves_both_ends_alike_without_skew() -> None:
    # Momentum along x and about the bridge's middle, with psi = 0: F_1 + F_2 moves bridge and
    # trolley and tilts the rope; their difference holds the yaw of what stands off the middle.
    problem = load_scenario("portal").problem
    times = np.linspace(0.0, 12.0, 25)
    found = solve_index1(problem, times)
    p = problem.parameters
    q = dict(zip(names(problem.crane.coordinates), found.q.T, strict=True))
    a = dict(zip(names(problem.crane.coordinates), found.a.T, strict=True))
    u = dict(zip(names(problem.crane.inputs), found.u.T, strict=True))
    tilt = found.ropes[:, 0] / q["l"]
    pull_x = tilt * (q["x"] - q["X"])
    along = (p["m_b"] + p["m_t"]) * a["X"] - pull_x
    np.testing.assert_allclose(u["F_1"] + u["F_2"], along, rtol=1e-10, atol=1e-6)
    # about the middle: the trolley's inertia and the rope act at y = s
    yaw = -q["s"] * (p["m_t"] * a["X"] - pull_x)
    np.testing.assert_allclose(p["a"] * (u["F_2"] - u["F_1"]), yaw, rtol=1e-10, atol=1e-5)


def test_spreader_at_rest_is_in_balance_by_hand() -> None:
    # Symmetric pose: each rope carries a quarter of the weight along its own direction.
    problem = load_scenario("spreader").problem
    found = solve_index1(problem, np.array([0.0]))
    p = problem.parameters
    across = (p["A"] - p["C"], p["B"] - p["D"])
    up = 12.0 - p["h"]
    length = math.sqrt(across[0] ** 2 + across[1] ** 2 + up**2)
    tension = p["m"] * p["g"] / 4 * length / up
    assert found.ropes[0] == pytest.approx([tension] * 4, rel=1e-12)
    torques = dict(zip(names(problem.crane.inputs), found.u[0], strict=True))
    assert [torques[f"M_{i}"] for i in range(1, 5)] == pytest.approx([-tension * p["r_w"]] * 4)


def test_knuckle_boom_at_rest_is_in_balance_by_hand() -> None:
    # Virtual work of each cylinder in the slewing plane, with angles and lengths by hand.
    problem = load_scenario("knuckle-boom").problem
    found = solve_index1(problem, np.array([0.0]))
    p, g = problem.parameters, 9.81
    q = dict(zip(names(problem.crane.coordinates), found.q[0], strict=True))
    u = dict(zip(names(problem.crane.inputs), found.u[0], strict=True))

    def places(beta: float, gamma: float) -> dict[str, np.ndarray]:
        main = np.array([math.cos(beta), math.sin(beta)])
        knuckle = np.array([math.cos(beta - gamma), math.sin(beta - gamma)])
        pin, tip = np.array([0.0, p["h"]]), np.array([0.0, p["h"]]) + p["L_1"] * main
        boom = pin + p["c"] * main - np.array([p["a"], p["b"]])
        bend = tip - p["e"] * knuckle - (pin + p["d"] * main)
        work = g * (p["m_1"] * (pin + p["L_1"] / 2 * main)[1])
        work += g * (p["m_2"] * (tip + p["L_2"] / 2 * knuckle)[1])
        work += g * p["m"] * (tip + p["L_2"] * knuckle)[1]
        return {"V": work, "F_1": np.linalg.norm(boom), "F_2": np.linalg.norm(bend)}

    h = 1e-6
    slopes = {
        key: [
            (places(q["beta"] + i * h, q["gamma"] + j * h)[key]
             - places(q["beta"] - i * h, q["gamma"] - j * h)[key]) / (2 * h)
            for i, j in ((1, 0), (0, 1))
        ]
        for key in ("V", "F_1", "F_2")
    }  # fmt: skip
    for k in (0, 1):
        work = sum(u[name] * slopes[name][k] for name in ("F_1", "F_2"))
        assert work == pytest.approx(slopes["V"][k], rel=1e-8)  # central differences


def test_parameters_may_stand_in_parts_or_beside_them() -> None:
    assert names(BodyGantry().parameters) == ("J_w", "r_w", "m_t", "m", "g")
    assert BodyGantry().parameter_values({"m": 5.0})["m"] == 5.0


class PolishedLine(BodyCrane):
    """A hook on four falls whose winch stands on the ground and whose rope passes the trolley."""

    name = "falls"
    plane = "xz"
    parts = (
        Prismatic("trolley", axis="x", coordinate="s"),
        Body("trolley", mass=1500.0),
        Drive("F_t", on="s"),
        Winch("winch", at=("ground", (-20.0, 0.0, 0.0)), inertia=20.0, radius=0.25, torque="M_w"),
        PointMass("load", mass=8000.0),
        Rope("T", path=("winch", "trolley", "load"), falls=4),
    )
    outputs = {"x": "load.x", "z": "load.z"}
    start = {"l_winch": 60.0}


def test_four_falls_carry_a_quarter_and_pull_the_trolley() -> None:
    path = Line(("x", "z"), (0.0, -12.0), (8.0, -6.0), polynomial(8.0))
    crane = PolishedLine()
    found = solve_index1(ServoProblem(crane, path, crane.parameter_values()), np.array([0.0, 8.0]))
    tension = 8000.0 * 9.81 / 4
    assert found.ropes[:, 0] == pytest.approx([tension] * 2, rel=1e-12)
    u = dict(zip(names(crane.inputs), found.u.T, strict=True))
    assert u["M_w"] == pytest.approx([-tension * 0.25] * 2, rel=1e-12)
    assert u["F_t"] == pytest.approx([tension] * 2, rel=1e-12)  # the winch's rope pulls it back
    lengths = found.q[:, names(crane.coordinates).index("l_winch")]
    assert lengths == pytest.approx([20.0 + 4 * 12.0, 28.0 + 4 * 6.0], rel=1e-12)


def test_inline_parameter_is_used() -> None:
    class Light(BodyGantry):
        name = "light"
        parts = (
            *BodyGantry.parts[:4],
            PointMass("load", mass=Parameter("m", "kg", "load mass", 1.0)),
            BodyGantry.parts[5],
        )

    found = controls(Light(), "body-gantry", np.array([0.0]))
    assert found[0, 1] == pytest.approx(-1.0 * 9.81 * 0.25, rel=1e-12)


class ElasticGantry(BodyCrane):
    """The gantry of the reference's B3 without lumps: an elastic rope without mass."""

    name = "elastic-gantry"
    plane = "xz"
    parts = (
        Prismatic("trolley", axis="x", coordinate="s"),
        Body("trolley", mass=1000.0),
        Drive("F_t", on="s"),
        Winch("winch", at="trolley", inertia=20.0, radius=0.25, torque="M_w", length="l"),
        PointMass("load", mass=10000.0),
        Rope("T", path=("winch", "load"), stiffness=2e7),
    )
    outputs = {"x": "load.x", "z": "load.z"}


def test_elastic_rope_is_the_reference() -> None:
    # benchmarks/ropes-friction-loops.md, B3 with n = 0: decimals of 50 digits.
    path = Line(("x", "z"), (0.0, -20.0), (6.0, -10.0), polynomial(6.0))
    crane = ElasticGantry()
    structure = analyse(crane)
    assert structure.index == 5
    assert structure.path_derivatives == {"x": 4, "z": 4}
    found = solve_index1(ServoProblem(crane, path, crane.parameter_values()), np.array([4.5]))
    u = dict(zip(names(crane.inputs), found.u[0], strict=True))
    assert u["F_t"] == pytest.approx(-13013.079940862808, rel=1e-11)
    assert u["M_w"] == pytest.approx(-18941.9392602422, rel=1e-11)


def test_drum_with_layers_turns_slower_the_more_rope_lies_on_it() -> None:
    # r^2 = r_0^2 + b (L - l): each metre of rope on the drum adds the same area. At rest the
    # winch holds m g r(l), and a rope that runs at v turns the drum at v / r(l).
    class Layers(BodyGantry):
        name = "layers"
        parts = (
            *BodyGantry.parts[:3],
            Winch(
                "winch",
                at="trolley",
                inertia="J_w",
                radius="sqrt(r_w**2 + b*(60 - l))",
                torque="M_w",
                length="l",
            ),
            *BodyGantry.parts[4:],
        )
        parameters = (Parameter("b", "m", "area of rope by length", 2e-3), *_own(BodyGantry))

    problem = load_scenario("body-gantry").problem
    crane = Layers()
    path = problem.path
    times = np.linspace(0.0, 8.0, 9)
    found = solve_index1(ServoProblem(crane, path, crane.parameter_values()), times)
    at = {name: i for i, name in enumerate(names(crane.coordinates))}
    length, rate, second = (one[:, at["l"]] for one in (found.q, found.v, found.a))
    radius = np.sqrt(0.25**2 + 2e-3 * (60.0 - length))
    slope = -1e-3 / radius  # dr/dl
    turning = second / radius - rate**2 * slope / radius**2  # (l'/r)'
    torque = 20.0 * turning - found.ropes[:, 0] * radius
    np.testing.assert_allclose(found.u[:, names(crane.inputs).index("M_w")], torque, rtol=1e-12)


def _own(kind: type[BodyCrane]) -> tuple[Parameter, ...]:
    return tuple(one for one in kind.parameters if one.name in ("J_w", "r_w"))


class Balance(BodyCrane):
    """A mass on a spring and a damper between two points, and on a coordinate."""

    name = "balance"
    parts = (
        Prismatic("mass", axis="z", coordinate="z"),
        Body("mass", mass=2.0),
        Spring("rope", on=("ground", ("mass", (0.0, 3.0, 0.0))), stiffness=50.0, free=4.0),
        Damper("oil", on=("ground", ("mass", (0.0, 3.0, 0.0))), damping=7.0),
        Spring("seat", on="z", stiffness=11.0, free=0.5),
        Damper("air", on="z", damping=1.5),
        Drive("F", on="z"),
    )
    outputs = {"y": "mass.z"}


def test_springs_and_dampers_are_the_closed_form() -> None:
    crane = Balance()
    model = equations_of_motion(crane)
    z, rate, second, force = 2.0, 0.3, -0.7, 5.0
    length = math.hypot(3.0, z)
    spring = 50.0 * (length - 4.0) * z / length
    damper = 7.0 * (z * rate / length) * z / length
    wanted = 2.0 * (second + 9.81) + spring + damper + 11.0 * (z - 0.5) + 1.5 * rate - force
    motion = ca.Function("m", [model.q, model.v, model.a, model.u, model.p], [model.motion])
    assert float(motion(z, rate, second, force, 9.81)) == pytest.approx(wanted, rel=1e-13)
