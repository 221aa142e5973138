"""Rotationless bodies: inertia, joints, null-space matrices and joint angles."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from cranebridge.forward import MechanicalSystem, discrete_gradient, simulate_minimal
from cranebridge.twin.bodies.rotationless import (
    DirectorBody,
    LowerPair,
    body_quantities,
    euler_tensor,
    frame,
    internal_constraints,
    joint_angle,
    kinetic_energy,
    mass_matrix,
    null_space,
    rotation,
)

RANDOM = np.random.default_rng(11)
KINDS = ("revolute", "prismatic", "cylindrical", "spherical", "planar")
INERTIA = (2.0, 3.0, 4.0)


def body(centre: np.ndarray, R: np.ndarray) -> DirectorBody:
    return DirectorBody(ca.DM(centre), (ca.DM(R[:, 0]), ca.DM(R[:, 1]), ca.DM(R[:, 2])))


def joint(kind: str) -> LowerPair:
    return LowerPair(kind, (0.3, -0.2, 0.1), (0.1, 0.4, -0.2), (1.0, 2.0, -1.0), (0.0, 1.0, 1.0))  # type: ignore[arg-type]


def fitting(pair: LowerPair) -> tuple[DirectorBody, DirectorBody]:
    """Return two bodies whose joint frames coincide."""
    R = Rotation.from_rotvec([0.3, -0.4, 0.5]).as_matrix()
    R_2 = R @ np.array(frame(pair.axis_1)).T @ np.array(frame(pair.axis_2))
    centre = np.array([1.0, 2.0, 3.0])
    place = centre + R @ np.array(pair.place_1) - R_2 @ np.array(pair.place_2)
    return body(centre, R), body(place, R_2)


def vector(*bodies: DirectorBody) -> np.ndarray:
    return np.array(ca.DM(ca.vertcat(*(one.vector for one in bodies))))[:, 0]


def pair_constraints(pair: LowerPair, q: ca.SX) -> ca.SX:
    first, second = DirectorBody.of(q[:12]), DirectorBody.of(q[12:])
    internal = internal_constraints(first) + internal_constraints(second)
    return ca.vertcat(*internal, *pair.constraints(first, second))


def test_euler_tensor_gives_back_the_inertia_and_the_kinetic_energy() -> None:
    E = euler_tensor(INERTIA)
    assert (E[1] + E[2], E[2] + E[0], E[0] + E[1]) == pytest.approx(INERTIA)
    R, omega = Rotation.from_rotvec([0.2, 0.7, -0.4]).as_matrix(), np.array([0.3, -1.1, 0.8])
    turned = np.cross(omega, R.T).T
    found = kinetic_energy(body(np.array([1.0, 2.0, 2.0]), turned), 5.0, E)
    in_body = R.T @ omega
    assert float(found) == pytest.approx(0.5 * (5.0 * 9.0 + in_body @ (INERTIA * in_body)))


def test_null_space_of_a_body_gives_mass_and_inertia() -> None:
    R = Rotation.from_rotvec([0.2, 0.7, -0.4]).as_matrix()
    one = body(np.zeros(3), R)
    q = ca.SX.sym("q", 12)
    G = ca.Function(
        "G", [q], [ca.jacobian(ca.vertcat(*internal_constraints(DirectorBody.of(q))), q)]
    )
    P = np.array(ca.DM(null_space(one)))
    assert np.abs(np.array(G(vector(one))) @ P).max() < 1e-15
    reduced = P.T @ mass_matrix(5.0, euler_tensor(INERTIA)) @ P
    assert reduced[:3, :3] == pytest.approx(5.0 * np.eye(3))
    assert reduced[3:, 3:] == pytest.approx(R @ np.diag(INERTIA) @ R.T)


def test_rodrigues_is_the_rotation_of_scipy() -> None:
    for theta in ([0.4, -0.2, 1.3], [1e-6, 0.0, 2e-6], [0.0, 0.0, 0.0]):
        found = np.array(ca.DM(rotation(ca.DM(theta))))
        assert found == pytest.approx(Rotation.from_rotvec(theta).as_matrix(), abs=1e-14)


def test_free_body_tumbles_as_eulers_equations_say() -> None:
    q, v = ca.SX.sym("q", 12), ca.SX.sym("v", 12)
    E = euler_tensor(INERTIA)
    system = MechanicalSystem(
        "body",
        q,
        v,
        kinetic_energy(DirectorBody.of(v), 5.0, E),
        ca.SX(0),
        ca.vertcat(*internal_constraints(DirectorBody.of(q))),
    )
    omega = np.array([0.2, 3.0, 0.3])  # near the axis of middle inertia: it tumbles
    start = np.concatenate([np.zeros(3), np.eye(3).T.reshape(-1)])
    rate = np.concatenate([np.zeros(3), np.cross(omega, np.eye(3)).reshape(-1)])
    motion = simulate_minimal(system, start, rate, [0.0, 2.0], rtol=1e-10)

    def euler(t: float, y: np.ndarray) -> np.ndarray:
        R, w = y[:9].reshape(3, 3), y[9:]
        J = np.array(INERTIA)
        return np.concatenate([(R @ np.cross(w, np.eye(3)).T).reshape(-1), -np.cross(w, J * w) / J])

    state = np.concatenate([np.eye(3).reshape(-1), omega])
    end = solve_ivp(euler, (0, 2), state, method="DOP853", rtol=1e-12, atol=1e-12).y[:9, -1]
    assert pytest.approx(end.reshape(3, 3), abs=1e-7) == motion.q[-1, 3:].reshape(3, 3).T


@pytest.mark.parametrize("kind", KINDS)
def test_joint_leaves_its_freedoms_and_holds_after_any_move(kind: str) -> None:
    pair = joint(kind)
    q = ca.SX.sym("q", 24)
    g = pair_constraints(pair, q)
    function = ca.Function("g", [q], [g, ca.jacobian(g, q)])
    first, second = fitting(pair)
    step = ca.DM(RANDOM.uniform(-0.5, 0.5, 6 + pair.freedoms))
    for bodies in ((first, second), pair.move(first, second, step)):
        value, G = (np.array(part) for part in function(vector(*bodies)))
        assert np.abs(value).max() < 1e-14
        assert np.linalg.matrix_rank(G) == 18 - pair.freedoms == len(G)
        P = np.array(ca.DM(pair.null_space(*bodies)))
        assert np.abs(G @ P).max() < 1e-14
        assert np.linalg.matrix_rank(P) == 6 + pair.freedoms


@pytest.mark.parametrize("kind", KINDS)
def test_null_space_matrix_at_the_midpoint_is_a_discrete_one(kind: str) -> None:
    pair = joint(kind)
    first, second = fitting(pair)
    step = ca.DM(RANDOM.uniform(-0.5, 0.5, 6 + pair.freedoms))
    q_0, q_1 = vector(first, second), vector(*pair.move(first, second, step))
    q, a, b = (ca.SX.sym(name, 24) for name in "qab")
    discrete = discrete_gradient(pair_constraints(pair, q), q, a, b)
    G = np.array(ca.Function("G", [a, b], [discrete])(q_0, q_1))
    middle = ca.DM((q_0 + q_1) / 2)
    P = np.array(ca.DM(pair.null_space(DirectorBody.of(middle[:12]), DirectorBody.of(middle[12:]))))
    assert np.abs(G @ P).max() < 1e-14


@pytest.mark.parametrize("kind", KINDS)
def test_rates_move_the_bodies_as_finite_steps_do(kind: str) -> None:
    pair = joint(kind)
    first, second = fitting(pair)
    rates, h = RANDOM.uniform(-1.0, 1.0, 6 + pair.freedoms), 1e-5
    ahead, behind = (vector(*pair.move(first, second, ca.DM(s * h * rates))) for s in (1, -1))
    P = np.array(ca.DM(pair.null_space(first, second)))
    assert (ahead - behind) / (2 * h) == pytest.approx(P @ rates, abs=1e-8)


def test_joint_angle_is_regular_where_the_printed_constraint_is_singular() -> None:
    theta = ca.SX.sym("theta")
    e_1, e_2 = ca.DM([1.0, 0.0, 0.0]), ca.DM([0.0, 1.0, 0.0])
    angle = 3 * math.pi / 4
    d_1 = ca.DM([math.cos(angle), math.sin(angle), 0.0])
    d_2 = ca.DM([-math.sin(angle), math.cos(angle), 0.0])
    ours = joint_angle(theta, d_1, e_1, e_2)
    printed = ca.dot(d_2, e_1) + ca.dot(d_2, e_2) + ca.sin(theta) - ca.cos(theta)
    slopes = ca.Function(
        "slopes", [theta], [ca.gradient(ours.constraint, theta), ca.gradient(printed, theta)]
    )
    assert [abs(float(slope)) for slope in slopes(angle)] == pytest.approx([1.0, 0.0], abs=1e-12)
    values = ca.Function("values", [theta], [ours.constraint, ours.alignment])
    assert [float(x) for x in values(angle)] == pytest.approx([0.0, 1.0], abs=1e-12)
    assert [float(x) for x in values(angle + math.pi)] == pytest.approx([0.0, -1.0], abs=1e-12)


def test_names_of_a_body() -> None:
    names = [quantity.name for quantity in body_quantities(2, "trolley")]
    assert names[:4] == ["phi2_x", "phi2_y", "phi2_z", "d21_x"]
    assert names[-1] == "d23_z"
    assert len(names) == 12
