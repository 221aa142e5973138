"""Sampled models, weights and optimal laws: against other formulations, and on other cranes."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm, solve_discrete_are

from cranebridge.control.analysis.margins import poles
from cranebridge.control.design.law import design_law, require_stabilisable
from cranebridge.control.design.riccati import backward, gain, stationary
from cranebridge.control.model.controllability import uncontrollable_modes
from cranebridge.control.model.discretisation import discretise
from cranebridge.control.model.reference_motion import reference_of
from cranebridge.control.weights import choose_weights, rate_matrix, state_weight
from cranebridge.errors import InputError, StructureError
from cranebridge.forward.linearisation import linearise_along
from cranebridge.limits import Limits, Range
from cranebridge.twin import equations_of_motion
from cranebridge.twin.language.crane import names
from further import further

CYCLE = 0.01


@pytest.fixture(scope="session")
def overhead_model():
    from cranebridge.inverse.index1.solution import solve_index1
    from cranebridge.scenario import load_scenario

    servo = load_scenario("overhead").problem
    return linearise_along(solve_index1(servo, np.linspace(0.0, servo.path.duration, 7)))


@pytest.mark.parametrize("delay", [0.0, 0.004, 0.01, 0.0234])
def test_sampled_model_is_the_solution_of_the_differential_equation(overhead_model, delay) -> None:
    model, row = overhead_model, 2
    sampled = discretise(model, CYCLE, delay, integrals=True)
    n, m, k = len(model.states), 2, model.C.shape[1]
    past = int(np.ceil(delay / CYCLE))
    assert sampled.A.shape[1:] == (n + k + past * m,) * 2
    random = np.random.default_rng(3)
    x, u = random.standard_normal(n + k), random.standard_normal((past + 1, m))

    def rate(t, state):
        # the newest input is u[0]; what acts at t was given out before t - delay
        age = int(np.ceil((delay - t) / CYCLE - 1e-12))
        return np.concatenate(
            [model.A[row] @ state[:n] + model.B[row] @ u[max(age, 0)], model.C[row] @ state[:n]]
        )

    x_new = x
    change = delay % CYCLE
    for begin, end in ((0.0, change), (change, CYCLE)):
        if end > begin:
            there = end - 1e-15
            run = solve_ivp(rate, (begin, there), x_new, rtol=1e-11, atol=1e-13, t_eval=[there])
            x_new = run.y[:, -1]
    found = sampled.A[row] @ np.concatenate([x, *u[1:]]) + sampled.B[row] @ u[0]
    assert found[: n + k] == pytest.approx(x_new, rel=1e-8, abs=1e-10)
    assert found[n + k :] == pytest.approx(u[:past].ravel())


def test_all_times_are_discretised_as_each_alone(overhead_model) -> None:
    sampled = discretise(overhead_model, CYCLE)
    for row in range(7):
        n = len(overhead_model.states)
        block = np.zeros((n + 2, n + 2))
        block[:n, :n], block[:n, n:] = overhead_model.A[row], overhead_model.B[row]
        expected = expm(CYCLE * block)
        assert sampled.A[row] == pytest.approx(expected[:n, :n], abs=1e-14)
        assert sampled.B[row] == pytest.approx(expected[:n, n:], abs=1e-14)


def test_wrong_cycle_and_delay_are_refused(overhead_model) -> None:
    with pytest.raises(InputError, match="cycle must be a positive time"):
        discretise(overhead_model, 0.0)
    with pytest.raises(InputError, match="delay must be a time"):
        discretise(overhead_model, CYCLE, -0.001)


def test_delay_of_many_cycles_is_refused_with_a_cycle_that_does(overhead_model) -> None:
    # 50 cycles took minutes; what is asked for is done with 20
    with pytest.raises(InputError, match=r"is 50 cycles, .* choose a cycle of 0\.0125 s or more"):
        discretise(overhead_model, 0.005, 0.25)
    assert discretise(overhead_model, 0.005, 0.1).past == 40
    assert discretise(overhead_model, 0.0125, 0.25).past == 40


def test_recursion_from_far_ends_in_the_stationary_solution(overhead_model) -> None:
    sampled = discretise(overhead_model, 0.05)
    A, B = sampled.A[-1], sampled.B[-1]
    Q, R = np.eye(6), np.diag([1e-4, 1e-3])
    P, K = stationary(A, B, Q, R)
    many = [np.broadcast_to(part, (2000, *part.shape)) for part in (A, B)]
    gains, start = backward(*many, Q, R, np.zeros((6, 6)))
    assert start == pytest.approx(P, rel=1e-8, abs=1e-12 * np.abs(P).max())
    # gains that vanish by symmetry are rounding of the largest, after 2000 steps
    assert gains[0] == pytest.approx(K, rel=1e-7, abs=1e-12 * np.abs(K).max())


def test_cost_is_what_the_closed_loop_costs(lqr) -> None:
    # x^T P x against the sum over the time-varying loop and the stationary tail.
    sampled, Q = lqr.sampled, state_weight(lqr.weights, lqr.model, lqr.reference)
    R = np.diag([1e-6, 1e-4, 1e-3])
    x = x0 = np.array([0.1, -0.2, 0.3, 0.1, -0.1, 0.0, 0.1, 0.2, -0.1, 0.05])
    total, last = 0.0, len(lqr.gains) - 1
    for k in range(last + 8000):
        row = min(k, last)
        u = -lqr.gains[row] @ x
        total += lqr.law.cycle * (x @ Q[row] @ x + u @ R @ u)
        x = sampled.A[row] @ x + sampled.B[row] @ u
    assert total == pytest.approx(x0 @ lqr.cost @ x0, rel=1e-9)


def test_mode_without_input_has_gains_but_no_infinite_cost() -> None:
    # an oscillator without damping that pushes a cart: no input moves it, but it is known
    A = np.array(
        [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 2.0], [0, 0, -2.0, 0]]
    )
    block = expm(0.05 * A)
    B = np.array([[0.05**2 / 2.0], [0.05], [0.0], [0.0]])
    Q, R = np.diag([1.0, 0.1, 1.0, 1.0]), np.array([[0.01]])
    P, K = stationary(block, B, Q, R)
    assert np.isfinite(P).all()
    # the same gain as with a little damping, where the whole Riccati equation has a solution
    decay = block.copy()
    decay[2:, 2:] *= 1.0 - 1e-7
    expected = gain(solve_discrete_are(decay, B, Q, R), decay, B, R)
    assert pytest.approx(expected, rel=1e-4) == K
    closed = np.abs(np.linalg.eigvals(block - B @ K))
    assert np.sum(closed > 1.0 - 1e-9) == 2


def test_mode_without_input_that_decays_has_its_own_cost() -> None:
    A = np.array([[1.0, 0.05, 0.01], [0.0, 1.0, 0.05], [0.0, 0.0, 0.9]])
    B = np.array([[0.0], [0.05], [0.0]])
    Q, R = np.diag([1.0, 0.1, 2.0]), np.array([[0.01]])
    P, _ = stationary(A, B, Q, R)
    assert solve_discrete_are(A, B, Q, R) == pytest.approx(P, rel=1e-8)


def test_uncontrollable_modes_are_named_with_eigenvalue() -> None:
    A, B = np.diag([-1.0, 0.5, 2.0]), np.array([[1.0], [0.0], [1.0]])
    modes = uncontrollable_modes(A, B, ["q.a", "q.b", "q.c"], np.ones(3), np.ones(1), np.eye(3))
    assert [mode.describe() for mode in modes] == ["unstable mode of q.b, eigenvalue 0.5 1/s"]


def test_machine_without_outer_forces_keeps_its_momenta(exact) -> None:
    # RPR: three momenta and the positions that they move, none of which an input changes
    design = design_law(exact("rpr", 100), 0.01)
    (mode,) = design.uncontrollable
    assert mode.eigenvalue == 0.0
    assert mode.count == 6
    assert mode.kind == "on the axis"
    found = poles(design)
    assert np.sum(np.abs(found) < 1e-3) == 6
    assert np.sort(found.real)[-7] < -1.0
    assert any("not controllable at the end" in line for line in design.describe())


def test_unstable_mode_without_input_is_refused_in_one_sentence(lqr) -> None:
    model = lqr.model
    A = model.A.copy()
    A[-1][:, 0], A[-1][0] = 0.0, 0.0
    A[-1][0, 0] = 0.3
    B = model.B.copy()
    B[-1][0] = 0.0
    wrong = replace(model, A=A, B=B)
    with pytest.raises(StructureError, match=r"cannot be stabilised at t = 40 s: .*0\.3 1/s"):
        require_stabilisable(wrong, lqr.weights, np.ones(10))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("overhead", "lqr"),
        further("rotary-redundant", "lqr"),
        ("navy2d-pulley-safe", "lqr"),
        further("navy3d-pulley-safe", "lqr"),
        further("cablev-general", "lqr"),
        ("luffing-jib", "lqr"),
        # of those that are not flat RPR is above
        further("flexible-jib", "lqr"),
        # integrals join the states in the same way for all
        ("overhead", "lqi"),
        further("flexible-jib", "lqi"),
    ],
)
def test_default_law_stabilises_the_crane(name, kind, exact) -> None:
    design = design_law(exact(name, 60), 0.02, kind)
    assert not design.uncontrollable
    found = poles(design)
    assert found.real.max() < -0.02
    n, f = len(design.law.crane.coordinates), len(design.model.coordinates)
    assert design.law.K.shape[2] == 2 * n
    assert np.count_nonzero(np.abs(design.law.K).max(axis=(0, 1))) <= 2 * f


def test_gains_do_not_depend_on_the_independent_coordinates(exact) -> None:
    # The cost weighs outputs and drives, whatever the states are: on the manifold the same inputs.
    # Along the motion A is frozen over a cycle, which is first order in it and does depend on them.
    solution = exact("overhead", 60)
    off = []
    for cycle in (0.02, 0.01):
        table = choose_weights(reference_of(solution, cycle)).table
        weights = {signal: weight.value for signal, weight in table.items()}
        first = design_law(solution, cycle, weights=weights, independent=["s", "l", "x"])
        second = design_law(solution, cycle, weights=weights, independent=["s", "x", "z"])
        rows = [0, len(first.gains) // 2, -1]
        tangent = np.concatenate([first.model.q_matrix, first.model.v_matrix], axis=1)[rows]
        expected, found = (design.law.K[rows] @ tangent for design in (first, second))
        off.append(np.abs(found - expected).max(axis=(1, 2)) / np.abs(expected).max(axis=(1, 2)))
    assert (np.array(off)[:, 2] < 1e-9).all()
    assert (off[0][:2] / off[1][:2] > 1.8).all()


def test_delay_in_the_design_moves_the_feedforward_and_feeds_back_past_inputs(exact) -> None:
    design = design_law(exact("overhead", 60), 0.01, delay=0.013)
    assert design.sampled.states[-4:] == ("past1.F_t", "past1.M_w", "past2.F_t", "past2.M_w")
    assert design.law.K_past.shape[2] == 4
    fine = exact("overhead", 3000)
    times = design.reference.time[:-3] + 0.005 + 0.013
    assert design.reference.hold[:-3] == pytest.approx(fine.controls(times), rel=1e-5, abs=1e-4)
    assert poles(design).real.max() < -1.0


def test_weights_are_stated_with_their_reason(lqr, exact) -> None:
    reference = lqr.reference
    assert lqr.weights["q.phi"] == 10.0
    assert lqr.weights["q.l"] == 0.0
    limits = Limits(u={"M_b": Range(-8000.0, 8000.0)}, v={"s": Range(-0.5, 0.5)})
    chosen = choose_weights(reference, None, limits)
    assert chosen.size("u.M_b") == pytest.approx(8000.0)
    assert chosen.size("v.s") == pytest.approx(1.5 * 0.5)
    # 1 % of the longest travel of a load coordinate, from -14 ... 14 m of x and y
    travel = np.ptp(reference.outputs, axis=0).max()
    assert [chosen.size(f"y.{name}") for name in "xyz"] == pytest.approx([0.01 * travel] * 3)
    # the winch holds the weight and changes little: a small part of it
    assert chosen.size("u.M_w") == pytest.approx(0.03 * np.abs(reference.u[:, 2]).max())
    text = "\n".join(chosen.describe())
    assert "half range of its limits" in text
    assert "y.x" in text


def test_wrong_weights_are_refused(lqr) -> None:
    reference = lqr.reference
    with pytest.raises(InputError, match=r"unknown signal to be weighed .*Did you mean 'q.phi'"):
        choose_weights(reference, {"q.phii": 1.0})
    with pytest.raises(InputError, match=r"u\.M_b must be positive"):
        choose_weights(reference, {"u.M_b": 0.0})
    with pytest.raises(InputError, match=r"q\.x must not be negative"):
        choose_weights(reference, {"q.x": -1.0})
    with pytest.raises(InputError, match=r"i\.x needs integral states"):
        choose_weights(reference, {"i.x": 1.0})
    with pytest.raises(InputError, match="unknown kind of law"):
        design_law(None, 0.005, "lqg")


def test_state_weight_is_the_weighted_sum_of_squares(exact) -> None:
    design = design_law(exact("rotary-redundant", 20), 0.05)
    row, x = 77, np.random.default_rng(1).standard_normal(10)
    model, weights = design.model, design.weights
    crane = model.crane
    total = 0.0
    for group, matrix, quantities in (
        ("q", model.q_matrix, crane.coordinates),
        ("v", model.v_matrix, crane.coordinates),
        ("y", model.C, crane.outputs),
        ("r", model.v_matrix[:, -3:], crane.outputs),  # the outputs are the last coordinates
    ):
        values = matrix[row] @ x
        total += sum(
            weights[f"{group}.{quantity.name}"] * value**2
            for quantity, value in zip(quantities, values, strict=True)
        )
    found = x @ state_weight(weights, model, design.reference)[row] @ x
    assert found == pytest.approx(total, rel=1e-12)


def test_rates_of_outputs_that_are_no_coordinates(exact) -> None:
    # the gantry crane's load: s + l sin(theta), which changes with theta also through the speeds
    design = design_law(exact("gantry", 20), 0.1)
    model, reference, row = design.model, design.reference, 70
    equations = equations_of_motion(model.crane)
    rate = ca.Function(
        "rate",
        [equations.q, equations.v, equations.p],
        [ca.jtimes(equations.outputs, equations.q, equations.v)],
    )
    p = [reference.parameters[name] for name in names(model.crane.parameters)]
    q, v, small = reference.q[row], reference.v[row], 1e-5
    assert not model.crane.multipliers
    found = rate_matrix(model, reference)[row]
    inner = [names(model.crane.coordinates).index(name) for name in model.coordinates]
    for column, e in enumerate(np.eye(2 * q.size)[[*inner, *(q.size + i for i in inner)]]):
        dq, dv = small * e[: q.size], small * e[q.size :]
        slope = (np.array(rate(q + dq, v + dv, p)) - np.array(rate(q - dq, v - dv, p))) / 2.0
        assert found[:, column] == pytest.approx(slope[:, 0] / small, abs=1e-8)
