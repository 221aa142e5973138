"""The cranes of modelica/Cranes against mechanics derived here in other coordinates.

The oracle is a Lagrangian in redundant Cartesian coordinates with rope constraints
``length(q) - L = 0``, differentiated by CasADi: its multipliers are the rope forces. Most plants
are written in swing angles, so the two share neither coordinates nor equations.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import casadi as ca
import hybrid
import numpy as np
import pytest
from body_oracles import BODY_ORACLES
from hybrid import settled, start_states

pytest.importorskip("rumoca")

from cranebridge.frontend.flat_model import PlantModel
from cranebridge.frontend.modelica_model import crane_names
from library_models import library_model as crane

IDEAL = (
    "OverheadCrane",
    "RotaryCrane",
    "NavyCrane2D",
    "NavyCrane2DPulley",
    "NavyCrane3D",
    "NavyCrane3DPulley",
    "Cablev",
    "GantryCrane",
    "DoublePendulumCrane",
    "QuadrotorWithLoad",
    "LuffingJibCrane",
    "FlexibleJibCrane",
    "BridgeCrane",
    *BODY_ORACLES,
)
REAL = ("OverheadCraneReal", "RotaryCraneReal")
ELASTIC = ("NavyCrane2DElastic",)
SPEED = ("OverheadCraneSpeed", "RotaryCraneSpeed")
STICKING = ("OverheadCraneFriction", "RotaryCraneFriction")
OTHER = ("TwoMassOscillator", "RprManipulator")
DEGREES_OF_FREEDOM = dict(
    zip(IDEAL, (3, 5, 3, 4, 5, 7, 10, 3, 4, 4, 5, 6, 5, 3, 5, 5, 6, 9), strict=True)
)
# The oracle has no damping, which alone is not zero by default; a test of its own looks at it.
UNDAMPED = {"FlexibleJibCrane": {"d_j": 0.0}}
ROTARY_FREE = Path(__file__).parents[1] / "data" / "cases" / "rotary-free.json"


def parameters(model: PlantModel, **changes: float) -> np.ndarray:
    values = {v.name: v.start for v in model.parameters} | UNDAMPED.get(model.name, {})
    assert not set(changes) - set(values)
    return np.array(list((values | changes).values()))


def holding_inputs(model: PlantModel) -> np.ndarray:
    return np.array([v.start for v in model.inputs])


def names(variables: Sequence) -> list[str]:
    return [v.name for v in variables]


def outputs(model: PlantModel, x: np.ndarray, u: np.ndarray, p: np.ndarray) -> dict[str, float]:
    q, x = settled(model, 0.0, np.array(x).ravel(), u, p)
    y = np.array(model.outputs_function(0, x, u, q)).ravel()
    return dict(zip(names(model.shown), y, strict=True))


def disturbed_state(model: PlantModel, p: np.ndarray, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    x = start_states(model, p)
    return x + 0.2 * random.uniform(-1, 1, x.size)


def simulate(
    model: PlantModel, x: np.ndarray, u: np.ndarray, p: np.ndarray, times: np.ndarray
) -> np.ndarray:
    return hybrid.simulate(model, x, lambda _: u, p, times)[0]


# --- the oracle --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mechanics:
    """A Lagrangian in redundant coordinates: functions of (q, v, u, parameters by name)."""

    coordinates: tuple[str, ...]
    kinetic: Callable
    potential: Callable
    force: Callable
    constraints: Callable
    ropes: tuple[str | None, ...]

    def accelerations(self, u_names: Sequence[str], p_names: Sequence[str]) -> ca.Function:
        q, v = ca.SX.sym("q", len(self.coordinates)), ca.SX.sym("v", len(self.coordinates))
        u, p = ca.SX.sym("u", len(u_names)), ca.SX.sym("p", len(p_names))
        at = {name: q[i] for i, name in enumerate(self.coordinates)}
        rate = {name: v[i] for i, name in enumerate(self.coordinates)}
        par = {name: p[i] for i, name in enumerate(p_names)}
        act = {name: u[i] for i, name in enumerate(u_names)}
        kinetic = self.kinetic(at, rate, par)
        momentum = ca.gradient(kinetic, v)
        mass = ca.jacobian(momentum, v)
        work = self.force(at, act, par)
        force = ca.vertcat(*[work.get(name, 0) + wind(act, name) for name in self.coordinates])
        right = force - ca.gradient(self.potential(at, par), q) + ca.gradient(kinetic, q)
        right -= ca.jacobian(momentum, q) @ v
        g = ca.vertcat(*self.constraints(at, par))
        G = ca.jacobian(g, q)
        matrix = ca.vertcat(ca.horzcat(mass, G.T), ca.horzcat(G, ca.SX.zeros(g.numel(), g.numel())))
        right = ca.vertcat(right, -ca.jacobian(G @ v, q) @ v)
        return ca.Function("kkt", [q, v, u, p], [matrix, right, g, G @ v])


def wind(act: dict, coordinate: str) -> ca.SX | float:
    """Return the wind's force on a Cartesian coordinate of the load: x, or r_x of a platform."""
    axis = coordinate.removeprefix("r_")
    return act.get(f"F_wind_{axis}", 0.0)


def norm(*components: ca.SX) -> ca.SX:
    return ca.sqrt(sum(c * c for c in components))


def point(q: dict, *axes: str) -> ca.SX:
    return ca.vertcat(*[q[a] if isinstance(a, str) else a for a in axes])


def distance(a: ca.SX, b: ca.SX) -> ca.SX:
    return ca.norm_2(a - b)


def squares(v: dict, masses: dict) -> ca.SX:
    return sum(mass * v[name] ** 2 for name, mass in masses.items()) / 2


def overhead() -> Mechanics:
    return Mechanics(
        ("s", "l", "x", "z"),
        lambda q, v, p: squares(
            v, {"s": p["m_t"], "l": p["J"] / p["r"] ** 2, "x": p["m"], "z": p["m"]}
        ),
        lambda q, p: p["m"] * p["g"] * q["z"],
        lambda q, u, p: {"s": u["F_t"], "l": u["M_w"] / p["r"]},
        lambda q, p: [norm(q["x"] - q["s"], q["z"]) - q["l"]],
        ("T_cable",),
    )


def rotary() -> Mechanics:
    def kinetic(q, v, p):
        trolley = p["m_t"] * (v["s"] ** 2 + (q["s"] * v["phi"]) ** 2) / 2
        rest = {"phi": p["J_b"], "l": p["J_w"] / p["r_w"] ** 2} | dict.fromkeys("xyz", p["m"])
        return trolley + squares(v, rest)

    def rope(q, p):
        top = ca.vertcat(q["s"] * ca.cos(q["phi"]), q["s"] * ca.sin(q["phi"]), 0)
        return [distance(point(q, "x", "y", "z"), top) - q["l"]]

    return Mechanics(
        ("phi", "s", "l", "x", "y", "z"),
        kinetic,
        lambda q, p: p["m"] * p["g"] * q["z"],
        lambda q, u, p: {"phi": u["M_b"], "s": u["F_t"], "l": u["M_w"] / p["r_w"]},
        rope,
        ("T_cable",),
    )


def navy_2d() -> Mechanics:
    def constraints(q, p):
        A = -p["l"] * ca.vertcat(ca.sin(p["alpha"]), ca.cos(p["alpha"]))
        B, C = point(q, "x_0", "z_0"), point(q, "x", "z")
        bisect = (B - A).T @ (-B / ca.norm_2(B) - (C - B) / distance(C, B))
        return [
            distance(A, B) - q["L_1"],
            ca.norm_2(B) + distance(B, C) - q["L_2"],
            bisect,  # where the massless pulley rests; its multiplier is zero
        ]

    return Mechanics(
        ("L_1", "L_2", "x_0", "z_0", "x", "z"),
        lambda q, v, p: squares(
            v,
            {"L_1": p["J_1"] / p["r_1"] ** 2, "L_2": p["J_2"] / p["r_2"] ** 2}
            | dict.fromkeys("xz", p["m"]),
        ),
        lambda q, p: p["m"] * p["g"] * q["z"],
        lambda q, u, p: {"L_1": u["u_1"] / p["r_1"], "L_2": u["u_2"] / p["r_2"]},
        constraints,
        ("T_cable1_A", "T_cable2_lower_load", None),
    )


def navy_2d_pulley() -> Mechanics:
    def constraints(q, p):
        boom = -ca.vertcat(ca.sin(p["alpha"]), ca.cos(p["alpha"]))
        A, P = (p["s"] + p["l"]) * boom, p["s"] * boom
        B, C = point(q, "x_0", "z_0"), point(q, "x", "z")
        return [
            distance(A, B) - q["L_1"],
            distance(P, B) + distance(B, C) - q["L_2"],
            ca.norm_2(B) - q["L_3"],
        ]

    return Mechanics(
        ("L_1", "L_2", "L_3", "x_0", "z_0", "x", "z"),
        lambda q, v, p: squares(
            v,
            {f"L_{i}": p[f"J_{i}"] / p[f"r_{i}"] ** 2 for i in (1, 2, 3)}
            | dict.fromkeys(("x_0", "z_0"), p["m_0"])
            | dict.fromkeys("xz", p["m"]),
        ),
        lambda q, p: p["g"] * (p["m"] * q["z"] + p["m_0"] * q["z_0"]),
        lambda q, u, p: {f"L_{i}": u[f"u_{i}"] / p[f"r_{i}"] for i in (1, 2, 3)},
        constraints,
        ("T_cable1_A", "T_cable2_upper_P", "T_cable3_S"),
    )


def slewing(q, u, p) -> dict:
    return {"x_3": -q["y_3"] * u["u_4"] / p["r"] ** 2, "y_3": q["x_3"] * u["u_4"] / p["r"] ** 2}


def navy_3d() -> Mechanics:
    def constraints(q, p):
        P = ca.vertcat(q["x_3"], q["y_3"], p["z_3"])
        A, B, C = p["beta_1"] * P, point(q, "x_0", "y_0", "z_0"), point(q, "x", "y", "z")
        bisect = (B - A).T @ ((P - B) / distance(P, B) - (C - B) / distance(C, B))
        return [
            distance(A, B) - q["L_1"],
            distance(P, B) + distance(B, C) - q["L_3"],
            (q["x_3"] ** 2 + q["y_3"] ** 2 - p["r"] ** 2) / 2,
            bisect,
            ca.dot(ca.cross(P, C), B),
        ]

    return Mechanics(
        ("L_1", "L_3", "x_0", "y_0", "z_0", "x_3", "y_3", "x", "y", "z"),
        lambda q, v, p: squares(
            v,
            {f"L_{i}": p[f"J_{i}"] / p[f"r_{i}"] ** 2 for i in (1, 3)}
            | dict.fromkeys(("x_3", "y_3"), p["M"])
            | dict.fromkeys("xyz", p["m"]),
        ),
        lambda q, p: p["m"] * p["g"] * q["z"],
        lambda q, u, p: {f"L_{i}": u[f"u_{i}"] / p[f"r_{i}"] for i in (1, 3)} | slewing(q, u, p),
        constraints,
        ("T_cable1_A", "T_cable3_lower_load", None, None, None),
    )


def navy_3d_pulley() -> Mechanics:
    def constraints(q, p):
        P = ca.vertcat(q["x_3"], q["y_3"], p["z_3"])
        B, C = point(q, "x_0", "y_0", "z_0"), point(q, "x", "y", "z")
        return [
            distance(p["beta_1"] * P, B) - q["L_1"],
            distance(p["beta_2"] * P, B) - q["L_2"],
            distance(P, B) + distance(B, C) - q["L_3"],
            (q["x_3"] ** 2 + q["y_3"] ** 2 - p["r"] ** 2) / 2,
        ]

    return Mechanics(
        ("L_1", "L_2", "L_3", "x_0", "y_0", "z_0", "x_3", "y_3", "x", "y", "z"),
        lambda q, v, p: squares(
            v,
            {f"L_{i}": p[f"J_{i}"] / p[f"r_{i}"] ** 2 for i in (1, 2, 3)}
            | dict.fromkeys(("x_3", "y_3"), p["M"])
            | dict.fromkeys(("x_0", "y_0", "z_0"), p["m_0"])
            | dict.fromkeys("xyz", p["m"]),
        ),
        lambda q, p: p["g"] * (p["m"] * q["z"] + p["m_0"] * q["z_0"]),
        lambda q, u, p: {f"L_{i}": u[f"u_{i}"] / p[f"r_{i}"] for i in (1, 2, 3)} | slewing(q, u, p),
        constraints,
        ("T_cable1_A", "T_cable2_S", "T_cable3_upper_P", None),
    )


def bryant(q: dict) -> ca.SX:
    (c1, s1), (c2, s2), (c3, s3) = [
        (ca.cos(q[f"phi_{i}"]), ca.sin(q[f"phi_{i}"])) for i in (1, 2, 3)
    ]
    rx = ca.vertcat(ca.horzcat(1, 0, 0), ca.horzcat(0, c1, -s1), ca.horzcat(0, s1, c1))
    ry = ca.vertcat(ca.horzcat(c2, 0, s2), ca.horzcat(0, 1, 0), ca.horzcat(-s2, 0, c2))
    rz = ca.vertcat(ca.horzcat(c3, -s3, 0), ca.horzcat(s3, c3, 0), ca.horzcat(0, 0, 1))
    return rx @ ry @ rz


def cablev() -> Mechanics:
    def kinetic(q, v, p):
        R = bryant(q)
        angles = ca.vertcat(*[q[f"phi_{i}"] for i in (1, 2, 3)])
        rates = ca.vertcat(*[v[f"phi_{i}"] for i in (1, 2, 3)])
        rotation = ca.reshape(ca.jacobian(ca.vec(R), angles) @ rates, 3, 3)
        body = ca.inv_skew(R.T @ rotation)
        spin = (p["J_x"] * body[0] ** 2 + p["J_y"] * body[1] ** 2 + p["J_z"] * body[2] ** 2) / 2
        return spin + squares(
            v,
            {f"p_g{i}": p[f"m_{i}"] for i in range(4)}
            | {f"p_c{i}": p[f"J_{i}"] / p[f"r_{i}"] ** 2 for i in (1, 2, 3)}
            | dict.fromkeys(("r_x", "r_y", "r_z"), p["m"]),
        )

    def constraints(q, p):
        R, r, a = bryant(q), point(q, "r_x", "r_y", "r_z"), p["l_1"]
        corners = (
            (a * np.sqrt(3) / 3, 0, 0),
            (-a * np.sqrt(3) / 6, a / 2, 0),
            (-a * np.sqrt(3) / 6, -a / 2, 0),
        )
        result = []
        for i, (corner, y) in enumerate(zip(corners, (0, p["l_2"], -p["l_2"]), strict=True), 1):
            trolley = ca.vertcat(q[f"p_g{i}"], q["p_g0"] + y, 0)
            result.append(distance(r + R @ ca.vertcat(*corner), trolley) - q[f"p_c{i}"])
        return result

    return Mechanics(
        (
            *(f"p_g{i}" for i in range(4)),
            *(f"p_c{i}" for i in (1, 2, 3)),
            *("r_x", "r_y", "r_z", "phi_1", "phi_2", "phi_3"),
        ),
        kinetic,
        lambda q, p: -p["m"] * p["g"] * q["r_z"],
        lambda q, u, p: (
            {f"p_g{i}": u[f"u_g{i}"] for i in range(4)}
            | {f"p_c{i}": u[f"u_c{i}"] / p[f"r_{i}"] for i in (1, 2, 3)}
        ),
        constraints,
        ("T_1", "T_2", "T_3"),
    )


def double_pendulum() -> Mechanics:
    def constraints(q, p):
        hook, load = point(q, "x_h", "z_h"), point(q, "x", "z")
        return [
            distance(hook, ca.vertcat(q["s"], 0)) - q["l"],
            distance(load, hook) - p["l_2"],
        ]

    return Mechanics(
        ("s", "l", "x_h", "z_h", "x", "z"),
        lambda q, v, p: squares(
            v,
            {"s": p["m_t"], "l": p["J"] / p["r"] ** 2}
            | dict.fromkeys(("x_h", "z_h"), p["m_h"])
            | dict.fromkeys("xz", p["m"]),
        ),
        lambda q, p: p["g"] * (p["m_h"] * q["z_h"] + p["m"] * q["z"]),
        lambda q, u, p: {"s": u["F_t"], "l": u["M_w"] / p["r"]},
        constraints,
        ("T_cable", "T_sling"),
    )


def quadrotor() -> Mechanics:
    return Mechanics(
        ("x_q", "z_q", "phi", "x", "z"),
        lambda q, v, p: squares(
            v,
            {"phi": p["J"]} | dict.fromkeys(("x_q", "z_q"), p["m_q"]) | dict.fromkeys("xz", p["m"]),
        ),
        lambda q, p: p["g"] * (p["m_q"] * q["z_q"] + p["m"] * q["z"]),
        lambda q, u, p: {
            "x_q": u["F"] * ca.sin(q["phi"]),
            "z_q": u["F"] * ca.cos(q["phi"]),
            "phi": u["M"],
        },
        lambda q, p: [distance(point(q, "x", "z"), point(q, "x_q", "z_q")) - p["l"]],
        ("T_cable",),
    )


def luffing_jib() -> Mechanics:
    def kinetic(q, v, p):
        out = p["L"] * ca.cos(q["beta"])
        rod = p["m_j"] * (p["r_0"] ** 2 + p["r_0"] * out + out**2 / 3)
        rest = {"beta": p["J_j"] + p["m_j"] * p["L"] ** 2 / 3, "l": p["J_w"] / p["r_w"] ** 2}
        slewing = (p["J_b"] + rod) * v["phi"] ** 2 / 2
        return slewing + squares(v, rest | dict.fromkeys("xyz", p["m"]))

    def rope(q, p):
        radius = p["r_0"] + p["L"] * ca.cos(q["beta"])
        height = p["L"] * ca.sin(q["beta"])
        tip = ca.vertcat(radius * ca.cos(q["phi"]), radius * ca.sin(q["phi"]), height)
        return [distance(point(q, "x", "y", "z"), tip) - q["l"]]

    return Mechanics(
        ("phi", "beta", "l", "x", "y", "z"),
        kinetic,
        lambda q, p: p["g"] * (p["m_j"] * p["L"] / 2 * ca.sin(q["beta"]) + p["m"] * q["z"]),
        lambda q, u, p: {"phi": u["M_b"], "beta": u["M_j"], "l": u["M_w"] / p["r_w"]},
        rope,
        ("T_cable",),
    )


def flexible_jib() -> Mechanics:
    # psi and its integrals by Gauss points along the beam, exact for polynomials of degree 9
    points, weights = np.polynomial.legendre.leggauss(5)

    def place(at, q, p):
        side = (3 * p["L"] - at) * at**2 / (2 * p["L"] ** 3) * q["eta"]
        c, s = ca.cos(q["phi"]), ca.sin(q["phi"])
        return ca.vertcat(at * c - side * s, at * s + side * c, 0)

    def moving(at, q, v, p):
        used = ca.vertcat(q["phi"], q["s"], q["eta"])
        return ca.jtimes(place(at, q, p), used, ca.vertcat(v["phi"], v["s"], v["eta"]))

    def kinetic(q, v, p):
        total = squares(
            v, {"phi": p["J_h"], "l": p["J_w"] / p["r_w"] ** 2} | dict.fromkeys("xyz", p["m"])
        )
        total += p["m_t"] * ca.sumsqr(moving(q["s"], q, v, p)) / 2
        for node, weight in zip(points, weights, strict=True):
            at, mass = p["L"] * (1 + node) / 2, p["rho"] * p["L"] * weight / 2
            total += mass * ca.sumsqr(moving(at, q, v, p)) / 2
        return total

    return Mechanics(
        ("phi", "s", "l", "eta", "x", "y", "z"),
        kinetic,
        lambda q, p: p["k_j"] * q["eta"] ** 2 / 2 + p["m"] * p["g"] * q["z"],
        lambda q, u, p: {"phi": u["M_b"], "s": u["F_t"], "l": u["M_w"] / p["r_w"]},
        lambda q, p: [distance(point(q, "x", "y", "z"), place(q["s"], q, p)) - q["l"]],
        ("T_cable",),
    )


def bridge() -> Mechanics:
    return Mechanics(
        ("b", "s", "l", "x", "y", "z"),
        lambda q, v, p: squares(
            v,
            {"b": p["m_b"] + p["m_t"], "s": p["m_t"], "l": p["J_w"] / p["r_w"] ** 2}
            | dict.fromkeys("xyz", p["m"]),
        ),
        lambda q, p: p["m"] * p["g"] * q["z"],
        lambda q, u, p: {"b": u["F_b"], "s": u["F_t"], "l": u["M_w"] / p["r_w"]},
        lambda q, p: [distance(point(q, "x", "y", "z"), ca.vertcat(q["s"], q["b"], 0)) - q["l"]],
        ("T_cable",),
    )


def bodies(name: str) -> Mechanics:
    return Mechanics(*BODY_ORACLES[name]())


ORACLES = dict(
    zip(
        IDEAL,
        (
            *(overhead, rotary, navy_2d, navy_2d_pulley, navy_3d, navy_3d_pulley, cablev),
            overhead,  # the gantry is the overhead crane with friction, which is off by default
            double_pendulum,
            quadrotor,
            luffing_jib,
            flexible_jib,
            bridge,
            *(partial(bodies, name) for name in BODY_ORACLES),
        ),
        strict=True,
    )
)


def motion_of_outputs(model: PlantModel, wanted: Sequence[str]) -> ca.Function:
    """Value, velocity and acceleration of outputs along the plant's motion, by AD."""
    t, x = ca.SX.sym("t"), ca.SX.sym("x", len(model.states))
    u = ca.SX.sym("u", len(model.inputs))
    p = ca.SX.sym("p", len(model.parameters) + model.memory)
    y = model.outputs_function(t, x, u, p)
    positions = ca.vertcat(*[y[names(model.outputs).index(name)] for name in wanted])
    flow = model.rhs(t, x, u, p)
    velocity = ca.jtimes(positions, x, flow)
    return ca.Function(
        "motion", [t, x, u, p], [positions, velocity, ca.jtimes(velocity, x, flow), y]
    )


# --- claims ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", IDEAL)
@pytest.mark.parametrize("seed", range(3))
def test_accelerations_and_rope_forces_agree_with_redundant_lagrangian(
    name: str, seed: int
) -> None:
    model = crane(name)
    p = parameters(model)
    x = disturbed_state(model, p, seed)
    random = np.random.default_rng(100 + seed)
    u = holding_inputs(model) + 20 * random.uniform(-1, 1, len(model.inputs))
    mechanics = ORACLES[name]()
    motion = motion_of_outputs(model, mechanics.coordinates)
    q, v, a, y = (np.array(value).ravel() for value in motion(0, x, u, p))
    kkt = mechanics.accelerations(names(model.inputs), names(model.parameters))
    matrix, right, g, g_rate = (np.array(value) for value in kkt(q, v, u, p))
    assert np.abs(g).max() < 1e-10
    assert np.abs(g_rate).max() < 1e-10
    solution = np.linalg.solve(matrix, right).ravel()
    expected = solution[: q.size]
    assert a == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(expected).max())
    forces = dict(zip(names(model.outputs), y, strict=True))
    for rope, multiplier in zip(mechanics.ropes, solution[q.size :], strict=True):
        if rope is not None:
            assert forces[rope] == pytest.approx(multiplier, rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("name", IDEAL)
def test_number_of_states_is_twice_the_dynamic_degrees_of_freedom(name: str) -> None:
    assert len(crane(name).states) == 2 * DEGREES_OF_FREEDOM[name]


@pytest.mark.parametrize("name", IDEAL + REAL + ELASTIC + SPEED + STICKING + OTHER)
def test_crane_is_at_rest_under_its_start_inputs(name: str) -> None:
    model = crane(name)
    p = parameters(model)
    u, start = holding_inputs(model), start_states(model, p)
    q, x = settled(model, 0.0, start, u, p)
    assert np.array_equal(x, start)
    rhs = np.array(model.rhs(0, x, u, q)).ravel()
    # A stretch is the difference of lengths: 1e6 N/m times their rounding 4e-15 m, on 1 kg.
    assert np.abs(rhs).max() < (1e-8 if name in ELASTIC else 1e-12)


VERTICAL_ROPES = {
    "OverheadCrane": {"T_cable": 981.0},
    "OverheadCraneReal": {"T_cable": 981.0},
    "OverheadCraneSpeed": {"T_cable": 981.0},
    "OverheadCraneFriction": {"T_cable": 981.0},
    "RotaryCrane": {"T_cable": 981.0},
    "RotaryCraneReal": {"T_cable": 981.0},
    "RotaryCraneSpeed": {"T_cable": 981.0},
    "RotaryCraneFriction": {"T_cable": 981.0},
    "NavyCrane2D": {"T_cable2_lower_load": 981.0, "T_cable1_A": 0.0},
    "NavyCrane2DElastic": {"T_cable2_lower_load": 981.0, "T_cable1_A": 41.1349050655},
    "NavyCrane2DPulley": {
        "T_cable2_lower_load": 981.0,
        "T_cable1_A": 490.5,
        "T_cable3_S": 1297.74101808,
    },
    "NavyCrane3D": {"T_cable3_lower_load": 981.0, "T_cable1_A": 0.0},
    "NavyCrane3DPulley": {
        "T_cable3_lower_load": 981.0,
        "T_cable1_A": 42.4785460556,
        "T_cable2_S": 64.8870509039,
    },
    "Cablev": {"T_1": 40.875, "T_2": 40.875, "T_3": 40.875},
    "GantryCrane": {"T_cable": 98100.0},
    "DoublePendulumCrane": {"T_cable": 8600 * 9.81, "T_sling": 8000 * 9.81},
    "QuadrotorWithLoad": {"T_cable": 5 * 9.81},
    "LuffingJibCrane": {"T_cable": 6000 * 9.81},
    "FlexibleJibCrane": {"T_cable": 2000 * 9.81},
    "BridgeCrane": {"T_cable": 20000 * 9.81},
    "BodyGantry": {"T_cable": 8000 * 9.81},
    "CylinderCrane": {"T_cable": 5000 * 9.81},
    "KnuckleBoom": {"T_cable": 1200 * 9.81},
    "PortalCrane": {"T_cable": 15000 * 9.81},
    # four that lean inwards by 1 m and 0.3 m on the height of 10.8 m
    "SpreaderCrane": dict.fromkeys(
        [f"T_{i}" for i in (1, 2, 3, 4)],
        12000 * 9.81 / 4 * np.sqrt(1**2 + 0.3**2 + 10.8**2) / 10.8,
    ),
}


@pytest.mark.parametrize("name", IDEAL + REAL + ELASTIC + SPEED + STICKING)
def test_rope_forces_at_rest_carry_the_weight(name: str) -> None:
    model = crane(name)
    p = parameters(model)
    y = outputs(model, start_states(model, p), holding_inputs(model), p)
    for rope, force in VERTICAL_ROPES[name].items():
        # the rounding of lengths, as above
        assert y[rope] == pytest.approx(force, rel=1e-9, abs=1e-8 if name in ELASTIC else 1e-9)


def work_of_constant_inputs(model: PlantModel, y: dict[str, float], p: dict[str, float]) -> float:
    """Potential of the drives while the inputs stay constant."""
    at = {name: ca.SX(value) for name, value in y.items()}
    act = {v.name: v.start for v in model.inputs}
    if "u_4" in act:
        assert act["u_4"] == 0
        at |= {"x_3": ca.SX(0), "y_3": ca.SX(0)}
    force = ORACLES[model.name]().force(at, act, p)
    return sum(float(value) * y[drive] for drive, value in force.items())


def test_damping_of_the_flexible_jib_takes_energy() -> None:
    model = crane("FlexibleJibCrane")
    p, u = parameters(model, d_j=100.0), np.zeros(len(model.inputs))
    x = disturbed_state(model, p, 9)
    y = outputs(model, x, u, p)
    rate = float(motion_of_outputs(model, ["energy"])(0, x, u, p)[1])
    assert rate == pytest.approx(-100.0 * y["v_eta"] ** 2, rel=1e-6)
    assert abs(y["v_eta"]) > 0.01


def test_energy_of_the_quadrotor_changes_by_the_power_of_its_drives() -> None:
    """A constant thrust that turns with the vehicle has no potential."""
    model = crane("QuadrotorWithLoad")
    p, u = parameters(model), holding_inputs(model) + np.array([20.0, 0.7, 0.0, 0.0])
    x = disturbed_state(model, p, 9)
    rate = float(motion_of_outputs(model, ["energy"])(0, x, u, p)[1])
    y = outputs(model, x, u, p)
    along = y["v_x_q"] * np.sin(y["phi"]) + y["v_z_q"] * np.cos(y["phi"])
    assert rate == pytest.approx(u[0] * along + u[1] * y["v_phi"], rel=1e-10)
    assert abs(rate) > 1.0


@pytest.mark.parametrize("name", [name for name in IDEAL if name != "QuadrotorWithLoad"])
def test_energy_is_conserved(name: str) -> None:
    model = crane(name)
    p = parameters(model)
    by_name = dict(zip(names(model.parameters), p, strict=True))
    u = holding_inputs(model)
    states = simulate(model, disturbed_state(model, p, 7), u, p, np.linspace(0, 1, 11))
    levels, energies = [], []
    for x in states:
        y = outputs(model, x, u, p)
        energies.append(y["energy"])
        levels.append(y["energy"] - work_of_constant_inputs(model, y, by_name))
    assert np.ptp(levels) < 1e-8 * np.abs(energies).max()
    assert np.ptp(energies) > 1e-3  # the motion is one in which energy could have drifted


@pytest.mark.parametrize(
    "name",
    [
        *("RotaryCrane", "NavyCrane3D", "NavyCrane3DPulley", "LuffingJibCrane", "FlexibleJibCrane"),
        *("CylinderCrane", "KnuckleBoom"),
    ],
)
def test_angular_momentum_is_conserved_without_slewing_torque(name: str) -> None:
    model = crane(name)
    p = parameters(model)
    u = holding_inputs(model)
    states = simulate(model, disturbed_state(model, p, 8), u, p, np.linspace(0, 2, 9))
    momenta = [outputs(model, x, u, p)["L_z"] for x in states]
    assert np.ptp(momenta) < 1e-9 * np.abs(momenta).max()
    slewing = [x[names(model.states).index("v_phi")] for x in states]
    assert np.ptp(slewing) > 1e-3


def swing_frequencies(model: PlantModel, p: np.ndarray) -> np.ndarray:
    x, u = ca.SX.sym("x", len(model.states)), holding_inputs(model)
    jacobian = ca.Function("A", [x], [ca.jacobian(model.rhs(0, x, u, p), x)])
    eigenvalues = np.linalg.eigvals(np.array(jacobian(start_states(model, p))))
    return np.sort(np.abs(eigenvalues.imag[eigenvalues.imag > 1e-3]))


def test_small_swing_period_of_the_overhead_crane() -> None:
    model = crane("OverheadCrane")
    fixed = swing_frequencies(model, parameters(model, m_t=1e12, J=1e12))
    assert fixed == pytest.approx([np.sqrt(9.81 / 4)], rel=1e-6)
    free = swing_frequencies(model, parameters(model, J=1e12))
    assert free == pytest.approx([np.sqrt(9.81 / 4 * (1 + 100 / 10))], rel=1e-6)


def test_small_swing_periods_of_the_rotary_crane() -> None:
    model = crane("RotaryCrane")
    fixed = swing_frequencies(model, parameters(model, m_t=1e12, J_w=1e12, J_b=1e15))
    assert fixed == pytest.approx([np.sqrt(9.81 / 5)] * 2, rel=1e-6)
    free = swing_frequencies(model, parameters(model, J_w=1e12))
    slewing = 1 + 100 * 25 / (480 + 10 * 25)
    assert free == pytest.approx(np.sqrt(9.81 / 5 * np.array([slewing, 1 + 10])), rel=1e-6)


def test_free_rotary_crane_reproduces_the_forward_example_of_the_thesis() -> None:
    """Sec. 2.4: J_b is the sum of the bodies' moments about the tower, m_t trolley and winch."""
    case = json.loads(ROTARY_FREE.read_text())
    given = {name: entry["value"] for name, entry in case["parameters"].items()}
    about_tower = sum(given[f"Euler_{i}"][0] + given[f"Euler_{i}"][1] for i in (1, 2, 3))
    model = crane("RotaryCrane")
    p = parameters(
        model,
        m=given["m4"],
        m_t=given["m2"] + given["m3"],
        J_b=about_tower,
        J_w=given["Euler_3"][0] + given["Euler_3"][2],
        r_w=given["r_w"],
        s_start=case["initial_conditions"]["mu"][1],
        l_start=given["l_0"],
        v_phi_start=1.0,
    )
    u = np.zeros(len(model.inputs))
    states = simulate(model, start_states(model, p), u, p, np.array(case["data"]["t"]))
    columns = [names(model.states).index(n) for n in ("phi", "s", "l", "theta_1", "theta_2")]
    assert states[:, columns] == pytest.approx(np.array(case["data"]["mu"]), abs=2e-9)
    for x in states:
        y = outputs(model, x, u, p)
        assert y["energy"] == pytest.approx(case["invariants"]["total_energy_J"], rel=1e-10)
        assert y["L_z"] == pytest.approx(case["invariants"]["angular_momentum_Lz"], rel=1e-10)


@pytest.mark.parametrize("ideal", ["OverheadCrane", "RotaryCrane"])
def test_real_crane_follows_the_ideal_one_when_all_is_off(ideal: str) -> None:
    simple, real = crane(ideal), crane(f"{ideal}Real")
    times = np.linspace(0, 1, 5)
    ends = []
    for model in (simple, real):
        stiffness = {} if model is simple else {"k_r": 1e6, "d_r": 3e3}
        p = parameters(model, v_s_start=0.3, **stiffness)
        u = holding_inputs(model)
        x = simulate(model, start_states(model, p), u, p, times)[-1]
        ends.append(outputs(model, x, u, p))
    for signal in ("x", "s", "l"):
        assert ends[1][signal] == pytest.approx(ends[0][signal], abs=2e-3)


@pytest.mark.parametrize("name", REAL)
def test_undamped_elastic_crane_conserves_energy_and_friction_takes_it(name: str) -> None:
    model = crane(name)
    u = np.zeros(len(model.inputs))
    times = np.linspace(0, 0.2, 5)
    for friction, keeps in (({}, True), ({"d_r": 100.0}, False), ({"F_c": 50.0}, False)):
        p = parameters(model, k_r=1e5, v_s_start=1.0, **friction)
        states = simulate(model, start_states(model, p), u, p, times)
        energy = [outputs(model, x, u, p)["energy"] for x in states]
        assert (np.ptp(energy) < 1e-8 * np.abs(energy).max()) == keeps
        assert energy[-1] <= energy[0] + 1e-6


def test_drive_lag_follows_the_input_exponentially() -> None:
    model = crane("OverheadCraneReal")
    p = parameters(model, tau_t=0.1)
    u = holding_inputs(model)
    u[names(model.inputs).index("F_t")] = 10.0
    x = simulate(model, start_states(model, p), u, p, np.array([0.0, 0.1]))[-1]
    assert outputs(model, x, u, p)["F_drive"] == pytest.approx(10 * (1 - np.exp(-1)), rel=1e-9)
    start = start_states(model, parameters(model))
    assert outputs(model, start, u, parameters(model))["F_drive"] == 10.0


def test_speed_drive_of_a_hanging_load_is_a_damped_oscillator() -> None:
    """M e'' + kp/r e' + ki/r e = 0 with e' = w - l', M = m + J/r^2, from e = 0 and e' = w."""
    model = crane("OverheadCraneSpeed")
    p, u = parameters(model, ki_l=40000.0), holding_inputs(model)
    u[names(model.inputs).index("w_l")] = w = 0.3
    times = np.array([0.0, 0.05, 0.2, 0.4])
    mass, r = 100.0 + 0.1 / 0.1**2, 0.1
    decay = 400.0 / r / (2.0 * mass)
    frequency = np.sqrt(40000.0 / r / mass - decay**2)
    for t, x in zip(times, simulate(model, start_states(model, p), u, p, times), strict=True):
        e = w / frequency * np.exp(-decay * t) * np.sin(frequency * t)
        rate = (
            w
            * np.exp(-decay * t)
            * (np.cos(frequency * t) - decay / frequency * np.sin(frequency * t))
        )
        y = outputs(model, x, u, p)
        assert y["e_l"] == pytest.approx(e, abs=1e-9)
        assert y["l"] == pytest.approx(4.0 + w * t - e, abs=1e-9)
        assert y["M_w"] == pytest.approx(-98.1 + 400.0 * rate + 40000.0 * e, abs=1e-5)
        assert y["x"] == pytest.approx(0.0, abs=1e-12)


def test_wind_accelerates_the_load_along_the_wind_in_the_inertial_frame() -> None:
    model = crane("RotaryCraneReal")
    p = parameters(model, phi_start=0.7)
    u = holding_inputs(model)
    for axis, force in (("x", 30.0), ("y", -20.0)):
        u[names(model.inputs).index(f"F_wind_{axis}")] = force
    motion = motion_of_outputs(model, ("x", "y", "z"))
    q, x = settled(model, 0.0, start_states(model, p), u, p)
    acceleration = np.array(motion(0, x, u, q)[2]).ravel()
    assert acceleration == pytest.approx([0.3, -0.2, 0.0], abs=1e-9)


def wind_inputs(model: PlantModel) -> list[str]:
    return [name for name in names(model.inputs) if name.startswith("F_wind_")]


@pytest.mark.parametrize("name", IDEAL + REAL + ELASTIC + SPEED + STICKING)
def test_every_load_has_a_wind_force_along_each_of_its_axes_and_none_by_default(name: str) -> None:
    model = crane(name)
    velocities = [f"v_{axis}" for axis in "xyz" if f"v_{axis}" in names(model.outputs)]
    if name == "Cablev":
        velocities = ["v_r_x", "v_r_y", "v_r_z"]
    assert wind_inputs(model) == [f"F_wind_{velocity[-1]}" for velocity in velocities]
    assert all(v.start == 0.0 and v.unit == "N" for v in model.inputs if "wind" in v.name)


@pytest.mark.parametrize("name", IDEAL + REAL + ELASTIC + SPEED + STICKING)
def test_power_of_the_wind_is_its_force_times_the_velocity_of_the_load(name: str) -> None:
    model = crane(name)
    p = parameters(model)
    x = disturbed_state(model, p, 11)
    energy = motion_of_outputs(model, ["energy"])
    rates = []
    winds = {axis: 30.0 - 20.0 * i for i, axis in enumerate(wind_inputs(model))}
    for factor in (0.0, 1.0):
        u = holding_inputs(model)
        for axis, force in winds.items():
            u[names(model.inputs).index(axis)] = factor * force
        q, settled_x = settled(model, 0.0, x, u, p)
        rates.append(float(energy(0, settled_x, u, q)[1]))
    y = outputs(model, x, u, p)
    prefix = "v_r_" if name == "Cablev" else "v_"
    power = sum(force * y[prefix + axis[-1]] for axis, force in winds.items())
    assert abs(power) > 0.1
    # the difference of two rates that are much larger
    size = np.abs(rates).max()
    assert rates[1] - rates[0] == pytest.approx(power, abs=1e-11 * size, rel=1e-9)


TROLLEY_LOADS = {
    "OverheadCrane": 100.0,
    "OverheadCraneReal": 100.0,
    "GantryCrane": 10000.0,
    "BridgeCrane": 20000.0,
    "BodyGantry": 8000.0,
}


@pytest.mark.parametrize("name", TROLLEY_LOADS)
def test_a_rope_in_a_constant_wind_rests_at_the_angle_of_the_forces(name: str) -> None:
    """tan(angle) = wind / (weight - lift), the trolley held against the wind, the winch by T r."""
    model = crane(name)
    mass = TROLLEY_LOADS[name]
    side, lift = 0.03 * mass * 9.81, 0.05 * mass * 9.81
    angle, tension = np.arctan2(side, mass * 9.81 - lift), np.hypot(side, mass * 9.81 - lift)
    values = dict(zip(names(model.parameters), parameters(model), strict=True))
    radius = values.get("r", values.get("r_w"))
    length = 4.0
    if "theta_start" in values:
        p = parameters(model, theta_start=angle, l_start=length)
    else:
        p = parameters(model, x_start=length * np.sin(angle), z_start=-length * np.cos(angle))
    u = holding_inputs(model)
    given = {"F_t": -side, "M_w": -tension * radius, "F_wind_x": side, "F_wind_z": lift}
    for title, value in given.items():
        u[names(model.inputs).index(title)] = value
    start = start_states(model, p)
    if "stretch" in names(model.states):
        start[names(model.states).index("stretch")] = tension / values["k_r"]
    q, x = settled(model, 0.0, start, u, p)
    rhs = np.array(model.rhs(0, x, u, q)).ravel()
    # rounding of the rope's stretch times its stiffness, 1e7 N/m, on 100 kg
    assert np.abs(rhs).max() < (1e-8 if name == "OverheadCraneReal" else 1e-12)
    assert outputs(model, x, u, p)["T_cable"] == pytest.approx(tension, rel=1e-9)


@pytest.mark.parametrize("name", IDEAL + REAL + ELASTIC + SPEED + STICKING + OTHER)
def test_every_variable_has_a_unit_and_a_description(name: str) -> None:
    model = crane(name)
    assert model.description
    assert "<pre>" in model.documentation
    for variable in (*model.states, *model.inputs, *model.outputs, *model.parameters):
        assert variable.description, variable.name
        assert variable.unit or variable.name.startswith(("beta_", "sigma_")), variable.name


def test_two_mass_oscillator_has_the_accelerations_of_the_printed_equations() -> None:
    """Reichl 2011 (7.2), in the positions of both masses."""
    model = crane("TwoMassOscillator")
    p, u = parameters(model, m_2=0.7, c_3=120.0), np.array([0.003, -0.002])
    x = np.array(model.initial(p)).ravel() + np.array([0.002, 0.004, 0.1, -0.3])
    assert names(model.states) == ["y_1", "d", "v_y_1", "v_d"]
    motion = motion_of_outputs(model, ["y_1", "y_2"])
    y, v, a = (np.array(part).ravel() for part in motion(0, x, u, p)[:3])
    coupling = 2e6 * (y[1] - y[0]) ** 3 + 1.5 * (v[1] - v[0])
    first = (-150 * y[0] + coupling + 150 * u[0]) / 0.5
    second = (-120 * y[1] - coupling + 120 * u[1]) / 0.7
    assert a == pytest.approx([first, second], rel=1e-12)


def test_all_models_of_the_library_are_known() -> None:
    assert set(crane_names()) == {*IDEAL, *REAL, *ELASTIC, *SPEED, *STICKING, *OTHER}
