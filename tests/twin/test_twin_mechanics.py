"""The twins' equations of motion against hand-written ones and conserved quantities."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from cranebridge.errors import InputError
from cranebridge.twin import CRANES, Crane, Parameter, Quantity, equations_of_motion, find_crane
from cranebridge.twin.language.crane import Components, names

RANDOM = np.random.default_rng(7)


def values(crane: Crane) -> tuple[np.ndarray, ...]:
    n = len(crane.coordinates)
    q, v, a = (RANDOM.uniform(0.5, 2.0, n) for _ in range(3))
    p = np.array([parameter.value for parameter in crane.parameters])
    return q, v, a, p


def test_rotary_crane_has_the_centrifugal_and_coriolis_terms_of_the_trolley() -> None:
    # reference Section 3; the thesis prints other signs.
    crane = find_crane("rotary")
    model = equations_of_motion(crane)
    q, v, _, p = values(crane)
    force = ca.Function("f", [model.q, model.v, model.p], [model.force])
    f = np.array(force(q, v, p))[:, 0]
    m_t, s = 10.0, q[1]
    assert f[:3] == pytest.approx([-2 * m_t * s * v[1] * v[0], m_t * s * v[0] ** 2, 0.0])
    assert f[3:] == pytest.approx([0.0, 0.0, -100.0 * 9.81])


def test_rotary_crane_has_the_jacobians_and_mass_matrix_of_the_reference() -> None:
    crane = find_crane("rotary")
    model = equations_of_motion(crane)
    q, _, _, p = values(crane)
    phi, s, length, x, y, z = q
    G, M, B = (
        np.array(ca.Function("f", [model.q, model.p], [expression])(q, p))
        for expression in (model.constraint_jacobian, model.mass_matrix, model.input_matrix)
    )
    sin, cos = np.sin(phi), np.cos(phi)
    wanted = [(x * sin - y * cos) * s, s - x * cos - y * sin, -length, x - s * cos, y - s * sin, z]
    assert G[0] == pytest.approx(wanted)
    assert np.diag(M) == pytest.approx([480.0 + 10.0 * s**2, 10.0, 0.1 / 0.1**2, *[100.0] * 3])
    assert pytest.approx(np.diag(np.diag(M))) == M
    assert B[:3] == pytest.approx(np.diag([1.0, 1.0, 10.0]))
    assert np.abs(B[3:]).max() == 0.0


def test_cablev_platform_obeys_newton_and_euler() -> None:
    # Lagrange in Bryant angles against J w' + w x J w = 0 in the platform's axes.
    crane = find_crane("cablev")
    model = equations_of_motion(crane)
    q, v, a, p = values(crane)
    zero = [np.zeros(3), np.zeros(7)]
    motion = ca.Function(
        "f", [model.q, model.v, model.a, model.lam, model.u, model.p], [model.motion]
    )
    found = np.array(motion(q, v, a, *zero, p))[10:, 0]

    def omega(angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
        _, b, c = angles
        map_ = np.array(
            [
                [np.cos(b) * np.cos(c), np.sin(c), 0.0],
                [-np.cos(b) * np.sin(c), np.cos(c), 0.0],
                [np.sin(b), 0.0, 1.0],
            ]
        )
        return map_ @ rates

    angles, rates, accelerations = q[10:], v[10:], a[10:]
    h = 1e-5
    ahead, behind = (
        omega(angles + e * rates + 0.5 * e**2 * accelerations, rates + e * accelerations)
        for e in (h, -h)
    )
    w, change = omega(angles, rates), (ahead - behind) / (2 * h)
    J = np.diag([0.75, 0.75, 1.5])
    torque = J @ change + np.cross(w, J @ w)
    transposed = np.column_stack([omega(angles, unit) for unit in np.eye(3)]).T
    # Central differences with h = 1e-5: error about 1e-10.
    assert found == pytest.approx(transposed @ torque, abs=1e-8)


@pytest.mark.parametrize("name", sorted(CRANES))
def test_power_balance_holds_for_any_motion(name: str) -> None:
    # d/dt (T + V) = u^T B v - lambda^T G v + Q^T v for accelerations that hold: checked without
    # solving them, by v^T (M a - f - B^T u + G^T lambda) = dE/dt - power, for arbitrary a.
    crane = find_crane(name)
    model = equations_of_motion(crane)
    q, v, a, p = values(crane)
    lam, u = RANDOM.normal(size=model.lam.numel()), RANDOM.normal(size=model.u.numel())
    lagrange = (
        model.mass_matrix @ model.a
        - model.force
        - model.input_matrix @ model.u
        + model.constraint_jacobian.T @ model.lam
    )
    energy_rate = ca.jtimes(model.energy, model.q, model.v) + ca.jtimes(
        model.energy, model.v, model.a
    )
    coordinates = names(crane.coordinates)
    parts = (Components(coordinates, model.q), Components(coordinates, model.v))
    given = crane.other_forces(*parts, Components(names(crane.parameters), model.p))
    other = ca.vertcat(*(given.get(name, 0.0) for name in coordinates))
    forces = model.input_matrix @ model.u - model.constraint_jacobian.T @ model.lam + other
    power = model.v.T @ forces
    arguments = [model.q, model.v, model.a, model.lam, model.u, model.p]
    function = ca.Function("f", arguments, [model.v.T @ lagrange, energy_rate - power])
    left, right = (float(value) for value in function(q, v, a, lam, u, p))
    assert left == pytest.approx(right, rel=1e-12)


@pytest.mark.parametrize("name", ["navy2d", "navy3d"])
def test_massless_conditions_follow_from_the_lagrangian_balance(name: str) -> None:
    # Where the pulley's balance of the Lagrangian holds, the stated conditions must hold too.
    crane = find_crane(name)
    model = equations_of_motion(crane)
    coordinates = names(crane.coordinates)
    rng = np.random.default_rng(11)
    parameters = crane.parameter_values()
    planar = name == "navy2d"
    pole = parameters["l"] if planar else parameters["k"] + parameters["l"]
    direction = np.array([np.sin(parameters["alpha"]), 0.0, np.cos(parameters["alpha"])])
    P = np.zeros(3) if planar else pole * direction
    A = -pole * direction if planar else parameters["k"] * direction
    B = A + np.array([3.0, 0.0, 1.0]) + 0.1 * rng.normal(size=3) * np.array([1.0, 0.0, 1.0])
    # Equal forces in both parts of the rope, turned about A B: the third force is along A B.
    e_P = (P - B) / np.linalg.norm(P - B)
    along = (B - A) / np.linalg.norm(B - A)
    e_C = 2.0 * (e_P @ along) * along - e_P
    lower = 4.0
    C = B + lower * e_C
    L_0, L_1 = np.linalg.norm(B - P), np.linalg.norm(B - A)
    T = 800.0
    T_1 = T * (e_P + e_C) @ along
    q = dict.fromkeys(coordinates, 0.0)
    rope = "L_2" if planar else "L_3"
    q |= {"L_1": L_1, "L_0": L_0, rope: L_0 + lower, "x_0": B[0], "z_0": B[2], "x": C[0], "z": C[2]}
    if not planar:
        q |= {"x_3": P[0], "y_3": 0.0, "y_0": 0.0, "y": 0.0}
    lam = dict.fromkeys(names(crane.multipliers), 0.0)
    last = "lambda_3" if planar else "lambda_4"
    lam |= {"lambda_1": T_1 / L_1, "lambda_2": T / L_0, last: T / lower}
    n = len(coordinates)
    balance = -model.force + model.constraint_jacobian.T @ model.lam - model.input_matrix @ model.u
    function = ca.Function(
        "f",
        [model.q, model.v, model.a, model.lam, model.u, model.p],
        [balance, model.motion],
    )
    arguments = (
        list(q.values()),
        np.zeros(n),
        np.zeros(n),
        [lam[m] for m in names(crane.multipliers)],
        np.zeros(model.u.numel()),
        list(parameters.values()),
    )
    lagrangian, stated = (np.array(value)[:, 0] for value in function(*arguments))
    pulley = [coordinates.index(c) for c in ("x_0", "z_0", "L_0")]
    assert np.abs(lagrangian[pulley]).max() < 1e-10 * T
    assert np.abs(stated[list(model.massless)]).max() < 1e-10 * T * 100


@pytest.mark.parametrize("name", sorted(CRANES))
def test_rest_position_satisfies_constraints_and_outputs_nearly(name: str, problem) -> None:
    scenario = {"cablev": "cablev-general", "navy2d": "navy2d-safe"}.get(name, name)
    servo = problem("navy3d-pulley-safe" if name == "navy3d-pulley" else scenario)
    model = equations_of_motion(servo.crane)
    function = ca.Function("f", [model.q, model.p], [model.constraints])
    residual = np.array(function(servo.start_coordinates(), servo.parameter_vector))
    assert np.abs(residual).max(initial=0.0) < 1e-6


def test_user_crane_with_a_wrong_declaration_is_told_what_is_wrong() -> None:
    class Wrong(Crane):
        name = "wrong"
        description = "drive power that is not linear"
        coordinates = (Quantity("x", "m", "mass"),)
        parameters = (Parameter("m", "kg", "mass", 1.0),)
        inputs = (Quantity("F", "N", "force"),)
        outputs = (Quantity("x", "m", "mass"),)

        def kinetic_energy(self, q, v, p):  # type: ignore[no-untyped-def]
            return 0.5 * p.m * v.x**2

        def potential_energy(self, q, p):  # type: ignore[no-untyped-def]
            return 0.0

        def drive_power(self, q, v, u, p):  # type: ignore[no-untyped-def]
            return u.F**2 * v.x

        def output_map(self, q, p):  # type: ignore[no-untyped-def]
            return {"x": q.x}

    with pytest.raises(InputError, match="drive_power must be linear"):
        equations_of_motion(Wrong())
    Wrong.drive_power = lambda self, q, v, u, p: u.F * v.x  # type: ignore[method-assign]
    Wrong.output_map = lambda self, q, p: {"y": q.x}  # type: ignore[method-assign]
    with pytest.raises(InputError, match="unknown name in output_map"):
        equations_of_motion(Wrong())
    Wrong.output_map = lambda self, q, p: {"x": q.y}  # type: ignore[method-assign]
    with pytest.raises(InputError, match="unknown component 'y'"):
        equations_of_motion(Wrong())


def test_user_crane_file_errors_are_sentences(tmp_path) -> None:
    file = tmp_path / "mine.py"
    for text, message in (
        ("syntax error here", "SyntaxError"),
        ("import nothing_such", "ModuleNotFoundError"),
        ("from cranebridge.twin.overhead import OverheadCrane", "twin.cranes import"),
        ("x = 1", "unknown crane class in mine.py 'Mine'"),
        (
            "from cranebridge.twin import Crane\nclass Mine(Crane):\n    name = 'mine'\n",
            "declares no description, coordinates",
        ),
    ):
        file.write_text(text)
        with pytest.raises(InputError, match=message):
            find_crane("mine.py:Mine", tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        find_crane("other.py:Mine", tmp_path)
    with pytest.raises(InputError, match="add the class"):
        find_crane("mine.py", tmp_path)
