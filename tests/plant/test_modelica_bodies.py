"""Cranes of bodies and joints: their plants on a path, and where a closed form is known.

What every crane is held against (a Lagrangian in other coordinates, energy, rest, power) is in
``test_modelica_cranes.py`` and ``test_modelica_connectors.py``. Here the load's path gives the
rope's force by Newton's law, so the rope's direction, and geometry alone the crane over time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import casadi as ca
import hybrid
import numpy as np
import pytest
from body_oracles import BODY_ORACLES

pytest.importorskip("rumoca")

from cranebridge.frontend import library_path
from cranebridge.frontend.flat_model import PlantModel
from cranebridge.inverse import ServoProblem
from cranebridge.inverse.index1 import solve_index1, structure_of
from cranebridge.path import make_path
from cranebridge.twin import ServoChoice, find_crane
from further import mostly_further
from library_models import library_model

G = 9.81


def values(model: PlantModel, **changes: float) -> dict[str, float]:
    known = {v.name: v.start for v in model.parameters}
    assert not set(changes) - set(known)
    return known | changes


def names(variables) -> list[str]:
    return [v.name for v in variables]


def linearised(model: PlantModel, inputs: dict[str, float], **changes: float) -> np.ndarray:
    """Eigenvalues at the start, under its holding inputs or others."""
    p = np.array(list(values(model, **changes).values()))
    u = [inputs.get(v.name, v.start) for v in model.inputs]
    x = ca.SX.sym("x", len(model.states))
    jacobian = ca.Function("A", [x], [ca.jacobian(model.rhs(0, x, u, p), x)])
    return np.linalg.eigvals(np.array(jacobian(model.initial(p))))


def frequencies(model: PlantModel, **changes: float) -> np.ndarray:
    found = linearised(model, {}, **changes)
    return np.sort(found.imag[found.imag > 1e-3])


# ------------------------------------------------------------------------------- on a path


def polynomial(t: ca.SX, duration: float) -> ca.SX:
    """From 0 to 1, four derivatives zero at both ends."""
    s = t / duration
    return s**5 * (126 - 420 * s + 540 * s**2 - 315 * s**3 + 70 * s**4)


def hanging(load: ca.SX, t: ca.SX) -> ca.SX:
    """Where the load pulls: minus the direction of the force that its motion asks of the rope."""
    pull = ca.jacobian(ca.jacobian(load, t), t) + ca.vertcat(0, 0, G)
    return -pull / ca.norm_2(pull)


def swing(n: ca.SX, phi: ca.SX) -> dict[str, ca.SX]:
    """Swing angles of a rope's direction in the frame turned by phi."""
    outwards = n[0] * ca.cos(phi) + n[1] * ca.sin(phi)
    across = n[1] * ca.cos(phi) - n[0] * ca.sin(phi)
    return {"theta_1": ca.atan2(outwards, -n[2]), "theta_2": ca.asin(across)}


def body_gantry(load: ca.SX, n: ca.SX, p: dict) -> dict[str, ca.SX]:
    """The rope ends on the rail, z = 0."""
    length = load[2] / n[2]
    s = load[0] - length * n[0]
    centre = (p["m_t"] * s + p["m"] * load[0]) / (p["m_t"] + p["m"])
    return {"x_c": centre, "l": length, "theta": ca.atan2(n[0], -n[2])}


def cylinder_crane(load: ca.SX, n: ca.SX, p: dict) -> dict[str, ca.SX]:
    """The rope ends on the sphere of the jib's tip."""
    along = ca.dot(load, n)
    length = along + ca.sqrt(along**2 - ca.dot(load, load) + p["L"] ** 2)
    tip = load - length * n
    phi = ca.atan2(tip[1], tip[0])
    return {"phi": phi, "beta": ca.asin(tip[2] / p["L"]), "l": length} | swing(n, phi)


def knuckle_boom(load: ca.SX, n: ca.SX, p: dict) -> dict[str, ca.SX]:
    """Above the rope of fixed length two booms reach the tip: a triangle, the knuckle bent down."""
    tip = load - p["L_r"] * n
    phi = ca.atan2(tip[1], tip[0])
    out, up = ca.sqrt(tip[0] ** 2 + tip[1] ** 2), tip[2] - p["z_0"]
    reach = ca.sqrt(out**2 + up**2)
    at_foot = ca.acos((p["L_1"] ** 2 + reach**2 - p["L_2"] ** 2) / (2 * p["L_1"] * reach))
    alpha = ca.atan2(up, out) + at_foot
    beyond = ca.atan2(up - p["L_1"] * ca.sin(alpha), out - p["L_1"] * ca.cos(alpha))
    return {"phi": phi, "alpha_1": alpha, "alpha_2": beyond} | swing(n, phi)


def portal(load: ca.SX, n: ca.SX, p: dict) -> dict[str, ca.SX]:
    """The rope ends on the bridge, z = 0, which does not skew."""
    length = load[2] / n[2]
    top = load - length * n
    drives = {"x_1": top[0], "x_2": top[0]}
    return drives | {"s": top[1], "l": length} | swing(n, ca.SX(0))


def line(t: ca.SX, start: list[float], goal: list[float], duration: float) -> ca.SX:
    path = ca.DM(start) + polynomial(t, duration) * (ca.DM(goal) - ca.DM(start))
    return path if len(start) == 3 else ca.vertcat(path[0], 0, path[1])


PATHS: dict[str, tuple[list[float], list[float], float]] = {
    "BodyGantry": ([0, -12], [8, -6], 8),
    "CylinderCrane": ([14, 0, 2], [6, 12, 5], 15),
    "KnuckleBoom": ([6, 0, 0], [4, 4, 1.5], 12),
    "PortalCrane": ([0, -5, -15], [10, 6, -9], 12),
    "SpreaderCrane": ([0, 0, -12], [6, 3, -8], 12),
}
GEOMETRY: dict[str, Callable] = {
    "BodyGantry": body_gantry,
    "CylinderCrane": cylinder_crane,
    "KnuckleBoom": knuckle_boom,
    "PortalCrane": portal,
}
YAW = 0.6


@cache
def on_path(name: str) -> tuple[PlantModel, Callable]:
    """States and their rates at a time, by geometry."""
    model, t = library_model(name), ca.SX.sym("t")
    load = line(t, *PATHS[name])
    if name == "SpreaderCrane":
        return model, spreader(model, load, t)
    positions = GEOMETRY[name](load, hanging(load, t), values(model))
    states = positions | {f"v_{n}": ca.jacobian(e, t) for n, e in positions.items()}
    x = ca.vertcat(*[states[name] for name in names(model.states)])
    return model, ca.Function("on_path", [t], [x, ca.jacobian(x, t)])


def spreader(model: PlantModel, centre: ca.SX, t: ca.SX) -> Callable:
    """Six balances of a body that moves as prescribed, and the warp, give trolley and ropes.

    Seven nonlinear equations F(w, t) = 0 for w = (x_t, y_t, theta, T_1, ..., T_4), by Newton's
    method; w' and w'' from F' = 0 and F'' = 0.
    """
    p, w, w_1 = values(model), ca.SX.sym("w", 7), ca.SX.sym("w_1", 7)
    yaw = YAW * polynomial(t, PATHS[model.name][2])

    def twisted(angle: ca.SX, x: float, y: float, z: float) -> ca.SX:
        c, s = ca.cos(angle), ca.sin(angle)
        return ca.vertcat(c * x - s * y, s * x + c * y, z)

    force = p["m"] * (ca.jacobian(ca.jacobian(centre, t), t) + ca.vertcat(0, 0, G))
    moment = ca.vertcat(0, 0, p["J_z"] * ca.jacobian(ca.jacobian(yaw, t), t))
    warp = 0
    for i, (a, b) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        arm = twisted(yaw, a * p["C"], b * p["D"], p["h"])
        above = ca.vertcat(w[0], w[1], 0) + twisted(w[2], a * p["A"], b * p["B"], 0)
        rope = above - centre - arm
        pull = w[3 + i] * rope / ca.norm_2(rope)
        force, moment = force - pull, moment - ca.cross(arm, pull)
        warp += a * b * ca.norm_2(rope)
    F = ca.vertcat(force / (p["m"] * G), moment / (p["m"] * G), warp)
    matrix = ca.jacobian(F, w)
    first = ca.jacobian(F, t) + matrix @ w_1
    second = ca.jacobian(first, t) + ca.jacobian(first, w) @ w_1
    newton = ca.Function("newton", [w, t], [matrix, F, ca.jacobian(F, t)])
    bend = ca.Function("bend", [w, w_1, t], [second])
    moving = ca.vertcat(centre, yaw)
    rate = ca.jacobian(moving, t)
    body = ca.Function("body", [t], [moving, rate, ca.jacobian(rate, t)])

    def at(time: float) -> tuple[np.ndarray, np.ndarray]:
        place, speed, acceleration = (np.array(part).ravel() for part in body(time))
        found = np.array([place[0], place[1], place[3], *[p["m"] * G / 4] * 4])
        for _ in range(20):
            J, residual, explicit = (np.array(part) for part in newton(found, time))
            found = found - np.linalg.solve(J, residual).ravel()
        assert np.abs(residual).max() < 1e-14
        assert (found[3:] > 0).all()  # all ropes pull
        rates = -np.linalg.solve(J, explicit).ravel()
        second = -np.linalg.solve(J, np.array(bend(found, rates, time))).ravel()
        known = dict.fromkeys(names(model.states), (0.0, 0.0))
        for k, axis in enumerate("xyz"):
            known[axis] = place[k], speed[k]
            known[f"v_{axis}"] = speed[k], acceleration[k]
        for k, axis in enumerate(("x_t", "y_t", "theta")):
            known[axis] = found[k], rates[k]
            known[f"v_{axis}"] = rates[k], second[k]
        sigma = np.tan(place[3] / 4)
        known["sigma_3"] = sigma, (1 + sigma**2) * speed[3] / 4
        known["omega_3"] = speed[3], acceleration[3]
        both = np.array([known[name] for name in names(model.states)])
        return both[:, 0], both[:, 1]

    return at


@cache
def affine(name: str) -> ca.Function:
    """What the inputs give the states, and what the states do by themselves."""
    model = library_model(name)
    x, u = ca.SX.sym("x", len(model.states)), ca.SX.sym("u", len(model.inputs))
    rhs = model.rhs(0, x, u, list(values(model).values()))
    return ca.Function("affine", [x, u], [ca.jacobian(rhs, u), rhs])


def controls(name: str, time: float) -> tuple[dict[str, float], float]:
    """Inputs that give the states their rates, and what no input gives, by the largest rate."""
    model, motion = on_path(name)
    x, rate = (np.array(part).ravel() for part in motion(time))
    columns = [i for i, n in enumerate(names(model.inputs)) if not n.startswith("F_wind")]
    matrix, free = (np.array(part) for part in affine(name)(x, np.zeros(len(model.inputs))))
    matrix, missing = matrix[:, columns], rate - free.ravel()
    scale = np.abs(matrix).max(axis=0)
    found = np.linalg.lstsq(matrix / scale, missing, rcond=None)[0] / scale
    left = np.abs(matrix @ found - missing).max() / np.abs(rate).max()
    return {names(model.inputs)[i]: u for i, u in zip(columns, found, strict=True)}, left


@pytest.mark.parametrize("name", PATHS)
def test_crane_can_follow_the_path_that_geometry_and_the_rope_prescribe(name: str) -> None:
    """More equations than drives: each other one has to hold by itself."""
    for part in (0.1, 0.3, 0.5, 0.7, 0.9):
        inputs, left = controls(name, part * PATHS[name][2])
        assert left < 1e-11  # rounding of fourth derivatives of the path
        assert len(inputs) < len(on_path(name)[0].states) / 2


@pytest.mark.parametrize("name", mostly_further(PATHS, "BodyGantry", "PortalCrane"))
def test_read_as_a_twin_it_is_flat_with_the_controls_that_geometry_gives(name: str) -> None:
    """The rope's force needs two derivatives of the path, its upper end four: index 5."""
    start, goal, duration = PATHS[name]
    drives = tuple(n for n in names(library_model(name).inputs) if not n.startswith("F_wind"))
    shown = ("x", "z") if name == "BodyGantry" else ("x", "y", "z")
    further = {"PortalCrane": ("psi",), "SpreaderCrane": ("yaw", "pitch", "roll", "warp")}
    outputs = (*shown, *further.get(name, ()))
    turned = [YAW] if name == "SpreaderCrane" else []
    table = {
        "kind": "line",
        "start": [*start, *[0.0] * (len(outputs) - len(start))],
        "goal": [*goal, *turned, *[0.0] * (len(outputs) - len(goal) - len(turned))],
        "duration": duration,
        "profile": "polynomial",
        "smoothness": 4,
    }
    crane = find_crane(f"{library_path()}/{name}.mo", choice=ServoChoice(drives, outputs))
    problem = ServoProblem(crane, make_path(table, outputs), crane.parameter_values())
    structure = structure_of(problem)
    assert (structure.index, structure.internal_dynamics) == (5, 0)
    assert structure.path_derivatives["x"] == 4
    times = duration * np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    found = solve_index1(problem, times, mode="never").u
    wanted = np.array([list(controls(name, t)[0].values()) for t in times])
    # rounding of fourth derivatives
    assert (np.abs(found - wanted).max(axis=0) <= 1e-11 * np.abs(wanted).max(axis=0)).all()


# The reference computation, minimal against 52 rotationless coordinates: the same to 3.3e-9.
CYLINDER_CRANE = {
    4.5: {"M_b": 39990.281044468, "F_c": 366183.9668782578, "M_w": -14947.567968602849},
    7.5: {"M_b": 370.110581663454, "F_c": 326655.1602367679, "M_w": -14750.57601723679},
}


@pytest.mark.parametrize("time", CYLINDER_CRANE)
def test_controls_of_the_cylinder_crane_are_those_of_the_reference(time: float) -> None:
    found, _ = controls("CylinderCrane", time)
    for name, value in CYLINDER_CRANE[time].items():
        # of a slewing torque of 4e4 N.m beside forces of 4e5 N
        assert found[name] == pytest.approx(value, rel=1e-10, abs=1e-6), name


def test_cylinder_crane_at_half_time_is_where_the_reference_is() -> None:
    model, motion = on_path("CylinderCrane")
    x = dict(zip(names(model.states), np.array(motion(7.5)[0]).ravel(), strict=True))
    p = np.array(list(values(model).values()))
    y = model.outputs_function(0, list(x.values()), [v.start for v in model.inputs], p)
    shown = dict(zip(names(model.outputs), np.array(y).ravel(), strict=True))
    assert shown["beta"] == pytest.approx(0.9482629070447633, abs=1e-13)
    assert shown["l"] == pytest.approx(12.748076809271922, abs=1e-12)
    assert shown["c"] == pytest.approx(6.548204683782877, abs=1e-12)


# --------------------------------------------------------------------- any motion


def somewhere(model: PlantModel, seed: int, size: float) -> np.ndarray:
    start = np.array(model.initial(list(values(model).values()))).ravel()
    return start + size * np.random.default_rng(seed).uniform(-1.0, 1.0, start.size)


@pytest.mark.parametrize("name", PATHS)
def test_start_parameters_put_the_crane_where_its_outputs_are(name: str) -> None:
    """From any state to outputs and their rates, and back through the start parameters."""
    model = library_model(name)
    known, inputs = values(model), [v.start for v in model.inputs]
    x = ca.SX.sym("x", len(model.states))
    p = list(known.values())
    y = model.outputs_function(0, x, inputs, p)
    moving = ca.Function("y", [x], [y, ca.jtimes(y, x, model.rhs(0, x, inputs, p))])
    state = somewhere(model, 4, 0.2)
    place, rate = (
        dict(zip(names(model.outputs), np.array(part).ravel(), strict=True))
        for part in moving(state)
    )
    starts = [n.removesuffix("_start") for n in known if n.endswith("_start")]
    changes = {f"{n}_start": rate[n[2:]] if n.startswith("v_") else place[n] for n in starts}
    again = np.array(model.initial(list(values(model, **changes).values()))).ravel()
    assert np.abs(again - state).max() < 1e-12  # rounding of lengths of some 10 m
    assert len(changes) >= len(model.states)  # the loader's rope has a fixed length


@pytest.mark.parametrize("name", PATHS)
def test_energy_drifts_over_a_swing_only_by_what_the_integrator_errs(name: str) -> None:
    """Under constant drives, whose work is a potential; by the energy that is exchanged."""
    model = library_model(name)
    known, u = values(model), {v.name: v.start for v in model.inputs}
    p, force = np.array(list(known.values())), BODY_ORACLES[name]()[3]
    held = np.array(list(u.values()))
    drifts = []
    for tolerance in (1e-6, 1e-12):
        times = np.linspace(0.0, 5.0, 11)
        start = somewhere(model, 3, 0.05)
        rows = hybrid.simulate(model, start, lambda _: held, p, times, tolerance=tolerance)[0]
        energies, levels = [], []
        for x in rows:
            y = np.array(model.outputs_function(0, x, held, p)).ravel()
            at = dict(zip(names(model.outputs), y, strict=True))
            energies.append(at["energy"])
            work = sum(value * at[drive] for drive, value in force(at, u, known).items())
            levels.append(at["energy"] - work)
        drifts.append(np.ptp(levels) / np.ptp(energies))
    assert drifts[0] < 1e-6
    assert drifts[1] < 2e-12  # measured 7e-15 to 3e-13


# -------------------------------------------------------------------------- closed forms


def test_cylinder_holds_the_moments_of_the_weights() -> None:
    """Virtual work by hand: heights of the centres of mass and length, by differences of beta."""

    def heights(beta: float) -> np.ndarray:
        head, foot = 6 * np.array([np.cos(beta), np.sin(beta)]), np.array([2, -1.5])
        c = np.linalg.norm(head - foot)
        along = (head - foot) / c
        work = 3000 * 10 * np.sin(beta) + 300 * (foot + 1.5 * along)[1]
        work += 200 * (head - 1.5 * along)[1] + 5000 * 20 * np.sin(beta)
        return np.array([G * work, c])

    step, beta = 1e-4, np.arccos(0.7)
    above, below = heights(beta + step), heights(beta - step)
    force = (above - below)[0] / (above - below)[1]
    model = library_model("CylinderCrane")
    held = next(v.start for v in model.inputs if v.name == "F_c")
    assert held == pytest.approx(force, rel=1e-7)  # differences of second order


def test_linearised_cylinder_crane_at_the_final_rest() -> None:
    """Small motions of a Lagrangian in angles and the load's place: M q'' = -K q.

    A jib that is held by a force alone falls: the largest eigenvalue is +0.774 1/s. (The reference
    computation prints 0.775; two formulations give 0.77403.)
    """
    q, v, held = ca.SX.sym("q", 5), ca.SX.sym("v", 5), ca.SX.sym("held", 2)
    out = ca.vertcat(ca.cos(q[0]), ca.sin(q[0]), 0)
    up, load = ca.vertcat(0, 0, 1), q[2:5]
    tip, foot = 20 * (ca.cos(q[1]) * out + ca.sin(q[1]) * up), 2 * out - 1.5 * up
    c, length = ca.norm_2(0.3 * tip - foot), ca.norm_2(load - tip)
    along = (0.3 * tip - foot) / c
    kinetic = 2e4 * v[0] ** 2 / 2 + 50 / 0.3**2 * ca.jtimes(length, q, v) ** 2 / 2
    kinetic += 5000 * ca.sumsqr(v[2:5]) / 2
    potential = G * 5000 * load[2] - held[0] * c - held[1] * length
    for mass, a, b in (
        (3000, ca.SX.zeros(3), tip),
        (300, foot, foot + 3 * along),
        (200, 0.3 * tip - 3 * along, 0.3 * tip),
    ):
        v_a, v_b = ca.jtimes(a, q, v), ca.jtimes(b, q, v)
        kinetic += mass * (ca.sumsqr(v_a) + ca.dot(v_a, v_b) + ca.sumsqr(v_b)) / 6
        potential += G * mass * (a[2] + b[2]) / 2
    phi, beta = np.arctan2(12, 6), np.arccos(np.hypot(6, 12) / 20)
    at = [phi, beta, 6, 12, 5]
    slope = ca.gradient(potential, q)
    matrix, right = ca.Function(
        "h", [q], [ca.jacobian(slope, held), ca.substitute(slope, held, 0)]
    )(at)
    hold = np.linalg.lstsq(np.array(matrix), -np.array(right).ravel(), rcond=None)[0]
    parts = ca.Function("mk", [q, held], [ca.hessian(kinetic, v)[0], ca.jacobian(slope, q)])
    mass, stiffness = (np.array(part) for part in parts(at, hold))
    expected = np.sqrt(np.linalg.eigvals(-np.linalg.solve(mass, stiffness)).real.max())
    start = {"phi_start": phi, "beta_start": beta, "x_start": 6, "y_start": 12, "z_start": 5}
    inputs = {"F_c": hold[0], "M_w": 0.3 * hold[1]}
    found = linearised(library_model("CylinderCrane"), inputs, **start)
    assert found.real.max() == pytest.approx(expected, rel=1e-9)
    assert expected == pytest.approx(0.77403, abs=1e-5)


def test_small_swing_of_the_body_gantry() -> None:
    """A trolley that runs freely: omega^2 = g/l (1 + m/m_t); one that stands: g/l."""
    model = library_model("BodyGantry")
    free = frequencies(model, J_w=1e12)
    assert free == pytest.approx([np.sqrt(G / 12 * (1 + 8000 / 1500))], rel=1e-6)
    fixed = frequencies(model, J_w=1e12, m_t=1e12)
    assert fixed == pytest.approx([np.sqrt(G / 12)], rel=1e-6)


def test_small_swing_of_the_cylinder_crane_across_its_jib() -> None:
    """omega^2 = g/l (1 + m R^2/I), I of the column with three rods, by points along them."""
    model = library_model("CylinderCrane")
    nodes, weights = np.polynomial.legendre.leggauss(2)  # exact for squares
    beta = np.arccos(0.7)
    head, foot = 6 * np.array([0.7, np.sin(beta)]), np.array([2, -1.5])
    along = (head - foot) / np.linalg.norm(head - foot)
    inertia = 2e4
    for mass, a, b in (
        (3000, 0.0, 14.0),
        (300, foot[0], foot[0] + 3 * along[0]),
        (200, head[0] - 3 * along[0], head[0]),
    ):
        inertia += mass / 2 * (weights * ((a + b) / 2 + nodes * (b - a) / 2) ** 2).sum()
    length = 20 * np.sin(beta) - 2
    expected = np.sqrt(G / length * (1 + 5000 * 14**2 / inertia))
    assert np.abs(frequencies(model) - expected).min() < 1e-9


def test_cylinders_of_the_knuckle_boom_hold_the_moments_of_the_weights() -> None:
    """Virtual work by hand, by differences of both angles: dV = F_1 dc_1 + F_2 dc_2."""

    def along(angle: float) -> np.ndarray:
        return np.array([np.cos(angle), np.sin(angle)])

    def work_and_lengths(angles: np.ndarray) -> np.ndarray:
        pin, main, knuckle = np.array([0, 2]), along(angles[0]), along(angles[1])
        elbow, tip = pin + 6 * main, pin + 6 * main + 4 * knuckle
        work = G * (900 * (pin + 3 * main)[1] + 500 * (elbow + 2 * knuckle)[1] + 1200 * tip[1])
        c_1 = np.linalg.norm(pin + 2 * main - [0.6, 0.3])
        c_2 = np.linalg.norm(elbow - 0.8 * knuckle - pin - 4 * main)
        return np.array([work, c_1, c_2])

    # from the pin at (0, 2) with 6 m and 4 m to the tip 3 m above (6, 0)
    first = np.arctan2(1, 6) + np.arccos((36 + 37 - 16) / (12 * np.sqrt(37)))
    angles = np.array([first, np.arctan2(1 - 6 * np.sin(first), 6 - 6 * np.cos(first))])
    steps = 1e-4 * np.eye(2)
    slopes = [work_and_lengths(angles + s) - work_and_lengths(angles - s) for s in steps]
    slopes = np.array(slopes)
    forces = np.linalg.solve(slopes[:, 1:], slopes[:, 0])
    model = library_model("KnuckleBoom")
    held = {v.name: v.start for v in model.inputs}
    # differences of second order
    assert [held["F_1"], held["F_2"]] == pytest.approx(forces.tolist(), rel=1e-6)


def test_small_swing_of_the_knuckle_boom_across_its_booms() -> None:
    """omega^2 = g/l (1 + m R^2/I), I of the column with both booms."""
    model = library_model("KnuckleBoom")
    first = np.arctan2(1, 6) + np.arccos((36 + 37 - 16) / (12 * np.sqrt(37)))
    elbow, tip = 6 * np.cos(first), 6.0
    # a slender rod between the radii a and b: m (a^2 + a b + b^2)/3
    inertia = 3000 + 900 * elbow**2 / 3 + 500 * (elbow**2 + elbow * tip + tip**2) / 3
    expected = np.sqrt(G / 3 * (1 + 1200 * tip**2 / inertia))
    assert np.abs(frequencies(model) - expected).min() < 1e-9


@pytest.mark.parametrize("s", [0.0, -5.0, 9.0])
def test_small_motions_of_the_portal(s: float) -> None:
    """Bridge, skew and load along the rails as three masses and two springs; the trolley alone."""
    m, m_b, m_t, l_r, J_b, c_psi = 15000.0, 40000.0, 3000.0, 15.0, 4e6, 2e8
    # x_b, psi, x; the trolley is at x_b - s psi
    top, load = np.array([1.0, -s, 0.0]), np.array([0.0, 0.0, 1.0])
    mass = np.diag([m_b, J_b, m]) + m_t * np.outer(top, top)
    spring = np.diag([0.0, c_psi, 0.0]) + m * G / l_r * np.outer(load - top, load - top)
    rails = np.sqrt(np.abs(np.linalg.eigvals(np.linalg.solve(mass, spring))))
    across = np.sqrt(G / l_r * (1 + m / m_t))
    expected = np.sort([*rails[rails > 1e-3], across])
    found = frequencies(library_model("PortalCrane"), s_start=s, y_start=s)
    assert found == pytest.approx(expected, rel=1e-9)
    if s == 0.0:
        simple = [np.sqrt(G / l_r * (1 + m / (m_b + m_t))), np.sqrt(c_psi / J_b)]
        assert expected == pytest.approx(np.sort([*simple, across]), rel=1e-12)


def test_small_motions_of_a_spreader_on_four_parallel_ropes() -> None:
    """It stays level: g/l along x and y, m g (A^2 + B^2)/(l J_z) about the vertical."""
    held = {"m_t": 1e13, "J_t": 1e13, "J_w": 1e13}
    found = frequencies(library_model("SpreaderCrane"), C=2.5, D=1.5, **held)
    turning = np.sqrt(12000 * G * (2.5**2 + 1.5**2) / (10.8 * 25000))
    expected = np.sort([*[np.sqrt(G / 10.8)] * 2, turning])
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("D", "turns"), [(0.9, False), (1.2, True)])
def test_prestress_of_four_ropes_turns_the_spreader_unless_a_d_is_b_c(
    D: float, turns: bool
) -> None:
    """Rope 1 pulls with (A - C, B - D)/l at (C, D): a moment (B C - A D)/l; rope 2 the opposite."""
    model, prestress = library_model("SpreaderCrane"), 100.0
    p = np.array(list(values(model, D=D).values()))
    length = np.sqrt(1 + (1.5 - D) ** 2 + 10.8**2)
    tension = 12000 * G * length / (4 * 10.8)
    u = {f"M_{i}": -0.2 * (tension - (-1) ** i * prestress) for i in (1, 2, 3, 4)}
    inputs = [u.get(name, 0.0) for name in names(model.inputs)]
    rate = np.array(model.rhs(0, model.initial(p), inputs, p)).ravel()
    found = dict(zip(names(model.states), rate, strict=True))
    moment = 4 * prestress * (1.5 * 1.5 - 2.5 * D) / length
    if not turns:
        assert np.abs(rate).max() < 1e-12
        return
    # both turn against each other, and turn the winches by the same lever
    lever, winches = (1.5 * 1.5 - 2.5 * D) / length, 4 * 5 / 0.2**2
    mass = np.diag([25000.0, 1500.0]) + winches * lever**2 * np.array([[1, -1], [-1, 1]])
    expected = np.linalg.solve(mass, [moment, -moment])
    assert [found["omega_3"], found["v_theta"]] == pytest.approx(expected.tolist(), rel=1e-9)


@pytest.mark.parametrize("other", ["GantryCrane", "OverheadCrane"])
@pytest.mark.parametrize("seed", range(3))
def test_body_gantry_is_the_same_machine_as_other_planar_cranes(other: str, seed: int) -> None:
    """Their states by hand: accelerations of trolley, load and rope, and the rope's force."""
    random = np.random.default_rng(seed)
    ours, theirs = library_model("BodyGantry"), library_model(other)
    s, length, theta = random.uniform([-1, 5, -0.5], [1, 12, 0.5])
    v_s, v_l, v_theta = random.uniform(-1, 1, 3)
    inputs = ("F_t", "M_w", "F_wind_x", "F_wind_z")
    u = dict(zip(inputs, random.uniform(-1e4, 1e4, 4), strict=True))
    x, z = s + length * np.sin(theta), -length * np.cos(theta)
    v_x = v_s + v_l * np.sin(theta) + length * v_theta * np.cos(theta)
    v_z = -v_l * np.cos(theta) + length * v_theta * np.sin(theta)
    m, m_t = 8000.0, 1500.0
    known = {"s": s, "l": length, "theta": theta, "v_s": v_s, "v_l": v_l, "v_theta": v_theta}
    known |= {"x": x, "z": z, "v_x": v_x, "v_z": v_z}
    known |= {"x_c": (m_t * s + m * x) / (m_t + m), "v_x_c": (m_t * v_s + m * v_x) / (m_t + m)}

    def shown(model: PlantModel, **changes: float) -> dict[str, float]:
        p = np.array(list(values(model, **changes).values()))
        at = ca.SX.sym("x", len(model.states))
        inputs = [u[name] for name in names(model.inputs)]
        y = model.outputs_function(0, at, inputs, p)
        dy = ca.jtimes(y, at, model.rhs(0, at, inputs, p))
        found = ca.Function("y", [at], [y, dy])([known[name] for name in names(model.states)])
        value, rate = (
            dict(zip(names(model.outputs), np.array(part).ravel(), strict=True)) for part in found
        )
        return value | {f"a_{n[2:]}": rate[n] for n in rate if n.startswith("v_")}

    here = shown(ours)
    there = shown(theirs, m=m, m_t=m_t, J=20.0, r=0.25)
    for signal in (*known, "T_cable", "energy", "a_s", "a_x", "a_z", "a_l", "a_theta"):
        if signal in there:
            assert here[signal] == pytest.approx(there[signal], rel=1e-11, abs=1e-11), signal
