"""Linearisation: against differences of the twin, against the FMU, and what theory says at rest."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from cranebridge.errors import InputError, SolutionError
from cranebridge.forward.crane_accelerations import crane_dynamics
from cranebridge.forward.linearisation import linearise, linearise_along
from cranebridge.inverse.stepping.size_reduction import coordinate_map, to_reduced
from cranebridge.scenario import load_scenario
from cranebridge.twin.language.crane import names
from cranebridge.twin.minimal import OverheadCraneMinimal, RotaryCraneMinimal
from further import further

CRANES = [
    "overhead",
    "rotary",
    "rotary-redundant",
    "navy2d-safe",
    "navy2d-pulley-safe",
    "navy3d",
    "navy3d-pulley-safe",
    "cablev-general",
]
# Central differences of order 6: weights of f(k e) - f(-k e).
WEIGHTS = np.array([3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0])


def consistent(dynamics, inner, q, v, x, p):
    """Return q and v on the manifold with the independent coordinates and velocities x."""
    n, f = q.size, len(inner)
    q, v = q.copy(), v.copy()
    q[inner], v[inner] = x[:f], x[f:]
    outer = [i for i in range(n) if i not in inner]
    for _ in range(8):
        h, H = (np.array(part) for part in dynamics.manifold(q, p))
        q[outer] -= np.linalg.solve(H[:, outer], h[:, 0])
    H = np.array(dynamics.manifold(q, p)[1])
    v[outer] = -np.linalg.solve(H[:, outer], H[:, inner] @ v[inner])
    return q, v


def accelerations(dynamics, q, v, u, p):
    A, b = (np.array(part) for part in dynamics.system(q, v, u, p))
    return np.linalg.solve(A, b[:, 0])[: q.size]


def differences(servo, q, v, u, inner):
    """Return A and B by central differences of order 6 along the manifold."""
    dynamics, p = crane_dynamics(servo.crane), servo.parameter_vector
    x = np.concatenate([q[inner], v[inner]])

    def rate(dx, du):
        there = consistent(dynamics, inner, q, v, x + dx, p)
        return np.concatenate([there[1][inner], accelerations(dynamics, *there, u + du, p)[inner]])

    def slope(dx, du):
        return sum(
            weight * (rate(k * dx, k * du) - rate(-k * dx, -k * du))
            for k, weight in enumerate(WEIGHTS, start=1)
        )

    step = 3e-3
    A = [slope(step * e, 0.0) / step for e in np.eye(x.size)]
    force = 1.0 + np.abs(u).max()
    B = [slope(np.zeros(x.size), force * e) / force for e in np.eye(u.size)]
    return np.array(A).T, np.array(B).T


@pytest.mark.parametrize("name", CRANES)
def test_matrices_are_the_derivatives_of_the_twin_s_motion(name, problem, exact) -> None:
    servo, solution = problem(name), exact(name, 10)
    model = linearise_along(solution)
    inner = [names(servo.crane.coordinates).index(name) for name in model.coordinates]
    for row in (3, 6):
        A, B = differences(servo, solution.q[row], solution.v[row], solution.u[row], inner)
        assert np.abs(model.A[row] - A).max() < 1e-7 * np.abs(A).max()
        assert np.abs(model.B[row] - B).max() < 1e-7 * np.abs(B).max()


REDUCED = pytest.mark.parametrize(
    ("name", "reduced"), [("overhead", OverheadCraneMinimal()), ("rotary", RotaryCraneMinimal())]
)


@REDUCED
def test_redundant_and_minimal_coordinates_give_the_same_model(
    name, reduced, problem, exact
) -> None:
    # States of both are related by x = T(x~), so that A T_x = T_x A~ + d(T_x)/dt, B = T_x B~.
    servo, solution, row = problem(name), exact(name, 10), 4
    here = solution.q[row], solution.v[row]
    mu, nu, alpha = to_reduced(reduced, servo, *here, solution.a[row])
    own = linearise(reduced, servo.parameters, mu, nu, solution.u[row])
    full = linearise(servo.crane, servo.parameters, *here, solution.u[row])
    inner = [names(servo.crane.coordinates).index(name) for name in full.coordinates]
    x, rate, p = (
        ca.SX.sym("x", 2 * mu.size),
        ca.SX.sym("rate", 2 * mu.size),
        ca.DM(servo.parameter_vector),
    )
    place, moving, _ = coordinate_map(reduced).base(x[: mu.size], x[mu.size :], 0, p)
    T_x = ca.jacobian(ca.vertcat(place[inner], moving[inner]), x)
    change = ca.reshape(ca.jtimes(ca.vec(ca.densify(T_x)), x, rate), *T_x.shape)
    values = ca.Function("T", [x, rate], [T_x, change])(
        np.concatenate([mu, nu]), np.concatenate([nu, alpha])
    )
    T, T_rate = (np.array(value) for value in values)
    expected = (T @ own.A[0] + T_rate) @ np.linalg.inv(T)
    assert np.abs(full.A[0] - expected).max() < 1e-11 * np.abs(expected).max()
    assert np.abs(full.B[0] - T @ own.B[0]).max() < 1e-12 * np.abs(full.B[0]).max()


def test_pendulum_frequency_of_the_overhead_crane_at_rest(problem, exact) -> None:
    servo, solution = problem("overhead"), exact("overhead", 4)
    p, values = servo.parameters, linearise_along(solution).eigenvalues()
    # Trolley and load swing against each other: omega^2 = (g / l) (1 + m / m_t).
    omega = np.sqrt(p["g"] / 4.0 * (1.0 + p["m"] / p["m_t"]))
    assert np.sort(np.abs(values[0]))[-2:] == pytest.approx([omega, omega])
    assert np.abs(values[0].real).max() < 1e-6  # double zeros: the root of rounding


@pytest.mark.parametrize(("name", "growth"), [("cablev-rotate", 0.32), ("cablev-general", 0.69)])
def test_cablev_is_unstable_at_its_rotated_rest_position(name, growth, exact) -> None:
    # Reference Section 10.
    values = linearise_along(exact(name, 10)).eigenvalues()
    assert values[-1, 0].real == pytest.approx(growth, abs=0.005)
    assert values[-1, 0].imag == 0.0


def test_eigenvalues_at_rest_do_not_depend_on_the_coordinates(exact) -> None:
    solution = exact("navy2d-pulley-safe", 4)
    first = linearise_along(solution)
    second = linearise_along(solution, ["L_1", "L_2", "L_3", "x"])
    assert first.coordinates != second.coordinates
    for s in (1.0 + 0.0j, 0.3 + 2.0j):
        expected = first.transfer(s)
        assert np.abs(second.transfer(s) - expected).max() < 1e-10 * np.abs(expected).max()


def test_wrong_independent_coordinates_are_refused(exact) -> None:
    solution = exact("overhead", 4)
    with pytest.raises(InputError, match="3 degrees of freedom"):
        linearise_along(solution, ["s", "l"])
    with pytest.raises(InputError, match="unknown coordinate"):
        linearise_along(solution, ["s", "l", "w"])
    # The rope hangs down at rest: its length says what z says.
    with pytest.raises(SolutionError, match=r"l, z do not determine the state .* at t = 0 s"):
        linearise_along(solution, ["s", "l", "z"])


@pytest.fixture
def plant_of():
    """Open the FMU of a scenario."""
    pytest.importorskip("rumoca")
    pytest.importorskip("fmpy")
    from cranebridge.job import open_plant, plant_file

    def opened(scenario):
        return open_plant(scenario, plant_file(scenario))

    return opened


@REDUCED
def test_matrices_along_a_motion_are_the_directional_derivatives_of_the_fmu(
    name, reduced, exact, plant_of
) -> None:
    scenario, solution = load_scenario(name), exact(name, 10)
    servo = scenario.problem
    with plant_of(scenario) as (plant, mapping):
        parameters = mapping.parameters(servo, solution.q[0], solution.v[0])
        for row in (0, 2, 5, 8):
            mu, nu, _ = to_reduced(
                reduced, servo, solution.q[row], solution.v[row], solution.a[row]
            )
            own = linearise(reduced, servo.parameters, mu, nu, solution.u[row])
            states = dict(zip(own.states, np.concatenate([mu, nu]), strict=True))
            order = [own.states.index(name) for name in plant.info.states]
            x = [states[name] for name in plant.info.states]
            drives = len(solution.u[row])
            still = np.zeros(len(plant.info.inputs) - drives)  # forces of the wind
            found = plant.directional(x, [*solution.u[row], *still], parameters=parameters)
            assert found.exact
            A, B = own.A[0][np.ix_(order, order)], own.B[0][order]
            assert np.abs(found.A - A).max() < 1e-10 * np.abs(A).max()
            assert np.abs(found.B[:, :drives] - B).max() < 1e-10 * np.abs(B).max()


@pytest.mark.parametrize(
    "name",
    [
        "overhead",
        "rotary",
        "navy2d-safe",
        further("navy2d-pulley-safe"),
        "navy3d",
        further("navy3d-pulley-safe"),
        "cablev-translate",
    ],
)
def test_transfer_behaviour_at_rest_is_that_of_the_fmu(name, exact, plant_of) -> None:
    scenario, solution = load_scenario(name), exact(name, 4)
    servo = scenario.problem
    model = linearise_along(solution)
    with plant_of(scenario) as (plant, mapping):
        parameters = mapping.parameters(servo, solution.q[0], solution.v[0])
        start = plant.simulate(times=[0.0, 1e-9], parameters=parameters, outputs=[]).states[0]
        K, k = mapping.input_matrix(servo.parameters)
        drives = len(mapping.input_names)
        assert tuple(mapping.input_names) == tuple(plant.info.input_names[:drives])
        assert all(name.startswith("F_wind_") for name in plant.info.input_names[drives:])
        still = np.zeros(len(plant.info.input_names) - drives)
        u = np.concatenate([K @ solution.u[0] + k, still])
        found = plant.directional(start, u, parameters=parameters, outputs=plant.info.output_names)
    wanted = [
        found.output_names.index(name)
        for name in names(servo.crane.outputs)
        if name in found.output_names
    ]
    own = [i for i, name in enumerate(names(servo.crane.outputs)) if name in found.output_names]
    assert len(own) >= len(servo.crane.outputs) - 1
    for s in (0.5 + 0.0j, 0.2 + 1.0j, 0.1 + 4.0j):
        inner = s * np.eye(len(found.A)) - found.A
        expected = (found.C[wanted] @ np.linalg.solve(inner, found.B[:, :drives])) @ K
        assert np.abs(model.transfer(s)[own] - expected).max() < 1e-7 * np.abs(expected).max()
