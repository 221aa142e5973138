"""The internal dynamics as an explicit differential equation: states, Jacobian, rates, rest."""

from __future__ import annotations

import numpy as np
import pytest
from internal_cranes import (
    TwoNonlinearStages,
    hook_problem,
    jib_problem,
    mast_problem,
    problem_of,
)

from cranebridge.inverse import ServoProblem
from cranebridge.inverse.internal.dynamics import internal_dynamics
from cranebridge.inverse.internal.inversion import invert
from cranebridge.path import Line, polynomial


@pytest.mark.parametrize(
    ("problem", "states"),
    [
        (hook_problem(100.0), ("q.theta", "q.theta'")),
        (mast_problem(4.0, 50.0), ("q.phi", "q.phi'")),
        (jib_problem(30.0, 30.0), ("q.eta", "q.eta'")),
    ],
    ids=["hook", "mast", "jib"],
)
def test_free_states_are_what_no_drive_moves(
    problem: ServoProblem, states: tuple[str, ...]
) -> None:
    assert internal_dynamics(problem).names == states


def test_internal_dynamics_of_the_hook_are_those_in_closed_form() -> None:
    # m l^2 theta'' + k theta' + m l (x'' cos theta + (g - z'') sin theta) = 0
    problem = hook_problem(100.0)
    dynamics, rng = internal_dynamics(problem), np.random.default_rng(1)
    times, eta = rng.uniform(0.0, 5.0, 50), rng.uniform(-0.5, 0.5, (50, 2))
    gammas = dynamics.gammas(times)
    w, failed = dynamics.solve(dynamics.first_guess(times), eta, gammas)
    found = dynamics.rate(w, eta, gammas)[0]
    x, z = problem.path.derivatives(times, 2)[2]
    theta, rate = eta.T
    pull = x * np.cos(theta) + (9.81 - z) * np.sin(theta)
    wanted = -(100.0 * rate + 100.0 * 1.5 * pull) / (100.0 * 1.5**2)
    assert not failed.any()
    np.testing.assert_array_equal(found[:, 0], rate)
    np.testing.assert_allclose(found[:, 1], wanted, rtol=0.0, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize(
    "problem", [jib_problem(48.0, 48.0), mast_problem(4.0, 50.0)], ids=["jib", "mast"]
)
def test_jacobian_is_the_limit_of_differences(problem: ServoProblem) -> None:
    dynamics, rng = internal_dynamics(problem), np.random.default_rng(2)
    times = rng.uniform(0.0, problem.path.duration, 20)
    eta, gammas = rng.uniform(-0.05, 0.05, (20, 2)), dynamics.gammas(times)

    def rate(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        w, failed = dynamics.solve(dynamics.first_guess(times), states, gammas)
        assert not failed.any()
        return dynamics.rate(w, states, gammas)

    jacobian, h = rate(eta)[1], 1e-5
    for column in range(2):
        step = np.zeros(2)
        step[column] = h
        difference = (rate(eta + step)[0] - rate(eta - step)[0]) / (2.0 * h)
        # the error of central differences is h^2 q''' / 6, far below that of rounding, 1e-16 / h
        scale = np.abs(jacobian[:, :, column]).max()
        np.testing.assert_allclose(jacobian[:, :, column], difference, rtol=0.0, atol=1e-7 * scale)


def test_rates_of_controls_are_their_slopes_on_both_sides_of_a_knot() -> None:
    # The controls of the hook contain the fourth path derivative, whose rate jumps at both ends.
    found = invert(hook_problem(100.0), 0.01, after=2.0)
    h, knot = 1e-4, 5.0
    nodes = found.at(
        np.array([0.0, knot - 2 * h, knot - h, knot, knot + h, knot + 2 * h, 7.0])
    ).nodes
    assert nodes is not None
    left, right = np.flatnonzero(nodes.time == knot)
    u = nodes.u
    before = (3.0 * u[left] - 4.0 * u[left - 1] + u[left - 2]) / (2.0 * h)
    after = (-3.0 * u[right] + 4.0 * u[right + 1] - u[right + 2]) / (2.0 * h)
    # second differences of order h^2; the forces change within 0.1 s
    scale = np.abs(nodes.u_rate).max(axis=0)
    np.testing.assert_allclose(nodes.u_rate[left] / scale, before / scale, rtol=0.0, atol=1e-4)
    np.testing.assert_allclose(nodes.u_rate[right] / scale, after / scale, rtol=0.0, atol=1e-4)
    assert (np.abs(nodes.u_rate[left] - nodes.u_rate[right]) > 0.01 * scale).any()


def test_rest_positions_are_found_from_a_rough_guess() -> None:
    # rest() of the jib gives the trolley above the load; the user's phi is off by 0.1 rad.
    problem = jib_problem(30.0, 30.0)
    moved = ServoProblem(problem.crane, problem.path, problem.parameters, {"phi": 0.1})
    x = internal_dynamics(moved).rest.x
    # phi, s, l, eta, x, y, z, then multiplier and inputs: hanging at rest, held by the winch alone
    np.testing.assert_allclose(x[0, :7], [0, 30, 20, 0, 30, 0, -20], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(x[-1, :4], [np.pi / 3, 30, 15, 0], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(x[0, 8:], [0.0, 0.0, -0.3 * 2000 * 9.81], rtol=0.0, atol=1e-6)


def test_newton_step_does_not_depend_on_its_start_at_the_solution() -> None:
    # This is what makes dq/deta exact; it needs matrices made anew after each nonlinear stage.
    path = Line(("y",), (0.0,), (2.0,), polynomial(1.0))
    dynamics, time = internal_dynamics(problem_of(TwoNonlinearStages(), path)), np.array([0.7])
    gammas, eta = dynamics.gammas(time), np.zeros((1, 0))
    w, failed = dynamics.solve(dynamics.first_guess(time), eta, gammas)
    assert not failed.any()
    assert [dynamics.structure.variables[j] for j, _ in dynamics.stages.guess] == ["q.x", "q.r"]
    derivative = dynamics.stages.sweep.jacobian()(w=w[0], gammas=gammas)["jac_w_new_w"]
    np.testing.assert_allclose(np.array(derivative), 0.0, rtol=0.0, atol=1e-12)
