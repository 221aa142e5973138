"""The manipulator of modelica/Cranes against a Lagrangian in the poses of base and platform.

The plant is written by Newton's and Euler's laws with joint forces, in angle and length of a leg.
"""

from __future__ import annotations

import casadi as ca
import hybrid
import numpy as np
import pytest

pytest.importorskip("rumoca")

from cranebridge.frontend.flat_model import PlantModel
from library_models import library_model

POSES = ("x_b", "y_b", "psi_b", "x", "y", "psi")
FRICTION = {"d_j": 4.0, "M_c": 3.0}


def plant() -> PlantModel:
    return library_model("RprManipulator")


def start(**changes: float) -> tuple[np.ndarray, np.ndarray]:
    """States and parameters, with some changed."""
    values = {v.name: v.start for v in plant().parameters}
    assert not set(changes) - set(values)
    p = np.array(list((values | changes).values()))
    return np.array(plant().initial(p)).ravel(), p


def random_start(seed: int, **changes: float) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    poses = {f"{name}_start": random.uniform(-0.1, 0.1) for name in POSES}
    rates = {f"v_{name}_start": random.uniform(-0.5, 0.5) for name in POSES}
    return start(**poses, **rates, **changes)


def outputs(x: np.ndarray, u: np.ndarray, p: np.ndarray) -> dict[str, float]:
    y = np.array(plant().outputs_function(0, x, u, p)).ravel()
    return dict(zip((v.name for v in plant().outputs), y, strict=True))


def accelerations(q: np.ndarray, v: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Lagrange's equations with the leg's angle as arctangent of its ends; default parameters."""
    at, rate = ca.SX.sym("q", 6), ca.SX.sym("v", 6)
    places, turns, masses, inertias = [at[0:2], at[3:5]], [at[2], at[5]], [8, 3], [0.2, 0.0816]
    joints = []
    for degrees in (210, 330, 90):
        base, platform = (np.radians(degrees) + at[i] for i in (2, 5))
        foot = at[0:2] + ca.vertcat(ca.cos(base), ca.sin(base)) / np.sqrt(3)
        head = at[3:5] + 0.4 * ca.vertcat(ca.cos(platform), ca.sin(platform)) / np.sqrt(3)
        angle = ca.atan2(head[1] - foot[1], head[0] - foot[0])
        along = ca.vertcat(ca.cos(angle), ca.sin(angle))
        places += [foot + 0.125 * along, head - 0.175 * along]
        turns += [angle, angle]
        masses, inertias = [*masses, 3, 4], [*inertias, 0.04, 0.12]
        joints.append(angle - at[2])
    energy = 0
    for place, turn, mass, inertia in zip(places, turns, masses, inertias, strict=True):
        energy += mass * ca.sumsqr(ca.jtimes(place, at, rate)) / 2
        energy += inertia * ca.jtimes(turn, at, rate) ** 2 / 2
    driven = ca.vertcat(*joints)
    speed = ca.jtimes(driven, at, rate)
    torque = u - FRICTION["d_j"] * speed - FRICTION["M_c"] * ca.tanh(speed / 0.1)
    momentum = ca.gradient(energy, rate)
    right = ca.jacobian(driven, at).T @ torque + ca.gradient(energy, at)
    right -= ca.jtimes(momentum, at, rate)
    found = ca.Function("f", [at, rate], [ca.jacobian(momentum, rate), right])(q, v)
    return np.linalg.solve(*(np.array(part) for part in found)).ravel()


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_are_those_of_the_lagrangian(seed: int) -> None:
    model, u = plant(), np.random.default_rng(seed).uniform(-20, 20, 3)
    x, p = random_start(seed, **FRICTION)
    t, state = ca.SX.sym("t"), ca.SX.sym("x", 12)
    y = model.outputs_function(t, state, u, p)
    index = [[v.name for v in model.outputs].index(name) for name in POSES]
    flow = model.rhs(t, state, u, p)
    first = ca.jtimes(y[index], state, flow)
    motion = ca.Function("m", [t, state], [y[index], first, ca.jtimes(first, state, flow)])
    q, v, a = (np.array(part).ravel() for part in motion(0, x))
    np.testing.assert_allclose(a, accelerations(q, v, u), atol=1e-10 * np.abs(a).max())


def test_start_values_of_the_leg_put_the_platform_where_it_shall_be() -> None:
    x, p = random_start(7)
    named = dict(zip((v.name for v in plant().parameters), p, strict=True))
    found = outputs(x, np.zeros(3), p)
    for name in POSES:
        assert found[name] == pytest.approx(named[f"{name}_start"], abs=1e-15)
        assert found[f"v_{name}"] == pytest.approx(named[f"v_{name}_start"], abs=1e-14)


def test_momenta_are_conserved_with_torques_and_friction() -> None:
    x, p = random_start(3, **FRICTION)
    u = np.array([2.0, -1.5, 1.0])
    times = np.linspace(0.0, 0.5, 6)
    rows = [outputs(x, u, p) for x in hybrid.simulate(plant(), x, lambda _: u, p, times)[0]]
    momentum = np.array([row["L_z"] for row in rows])
    assert np.ptp(momentum) < 1e-10 * np.abs(momentum).max()
    for axis in ("x_c", "y_c"):
        place = np.array([row[axis] for row in rows])
        np.testing.assert_allclose(np.diff(place, 2), 0.0, atol=1e-11)
        assert np.ptp(place) > 1e-3
    assert np.ptp([row["psi_b"] for row in rows]) > 1e-2


def test_energy_without_torques_is_constant_and_friction_takes_it() -> None:
    for friction, keeps in (({}, True), (FRICTION, False)):
        x, p = random_start(5, **friction)
        times = np.linspace(0.0, 0.5, 6)
        states = hybrid.simulate(plant(), x, lambda _: np.zeros(3), p, times)[0]
        energy = [outputs(x, np.zeros(3), p)["energy"] for x in states]
        assert (np.ptp(energy) < 1e-9 * energy[0]) == keeps
        assert (np.diff(energy) < 0).all() or keeps
