"""Observers of cranes whose drives take velocity references, against plants and filters by hand."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from cranebridge.control import Sensor
from cranebridge.control.analysis.margins import poles
from cranebridge.control.analysis.observed_loop import observed_at
from cranebridge.control.code.controller import controller_of
from cranebridge.control.code.observer_c import moves
from cranebridge.control.model.speed_model import with_speed_loops
from cranebridge.control.observer.filter import Observer, design_observer
from cranebridge.control.observer.observability import observability_at
from cranebridge.control.speed_law import design_speed_law
from cranebridge.errors import InputError
from cranebridge.forward.crane_accelerations import crane_dynamics
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import ServoProblem, time_grid
from cranebridge.inverse.speed_drives import SpeedDrive
from cranebridge.job.plant_drives import speed_loops
from cranebridge.job.solving import solve_scenario
from cranebridge.path import make_path
from cranebridge.scenario import load_scenario

sys.path.append(str(Path(__file__).parents[1] / "verify"))
from cart import Cart

MASS, CYCLE, KP, KI = 2.0, 0.01, 20.0, 100.0
DRIVES = (SpeedDrive("F", "s", KP, KI),)
ENCODER = (Sensor("q.s", 1e-3),)


def sensed(reference, coordinates) -> Observer:
    return design_observer(reference, coordinates, ENCODER, drives=DRIVES)


@cache
def cart(delay: float = 0.0, kind: str = "lqr"):
    table = {"kind": "line", "start": [0.0], "goal": [3.0], "profile": "polynomial"}
    path = make_path({**table, "duration": 2.0, "smoothness": 4}, ("s",), {"s": "m"})
    solution = solve_index1(ServoProblem(Cart(), path, {"m": MASS}), time_grid(2.0, CYCLE))
    return design_speed_law(solution, DRIVES, CYCLE, kind, delay=delay, sensing=sensed)


@cache
def overhead():
    scenario = load_scenario("overhead-speed")
    drives, solution = speed_loops(scenario), solve_scenario(scenario).feedforward
    design = design_speed_law(solution, drives, 0.005, "lqr")
    sensors = (Sensor("q.s", 1e-3), Sensor("q.l", 1e-3))
    found = {"parameter.m": 50.0, "force.x": 20.0}
    made = design_observer(
        design.reference, design.model.coordinates, sensors, found, drives=drives
    )
    return design, made


def test_prediction_is_that_of_a_drive_that_integrates_its_error() -> None:
    """The crane with F = F_0 + kp (w - v) + ki e, e' = w - v, by SciPy; places are e + q."""
    design, observer = overhead()
    crane, reference, drives = observer.crane, design.reference, observer.motion.drives
    dynamics, p = crane_dynamics(crane), observer.parameter_vector
    row, n = 300, len(crane.coordinates)
    w, wind, h = np.array([1.3, -0.4]), 15.0, 0.005
    e0 = np.array([0.02, -0.01])
    hold = np.array(observer.motion.hold)
    columns = [[one.name for one in crane.coordinates].index(d.coordinate) for d in drives]
    kp, ki = (np.array([getattr(d, name) for d in drives]) for name in ("kp", "ki"))
    model = dynamics.model
    push = ca.Function("push", [model.q, model.p], [ca.jacobian(model.outputs, model.q)[0, :]])

    def rates(_, x):
        q, v, e = x[:n], x[n : 2 * n], x[2 * n :]
        force = hold + kp * (w - v[columns]) + ki * e
        A, b = (np.array(part) for part in dynamics.system(q, v, force, p))
        b[:n, 0] += wind * np.array(push(q, p))[0]
        return np.concatenate([v, np.linalg.solve(A, b)[:n, 0], w - v[columns]])

    q, v = reference.q[row], reference.v[row]
    exact = solve_ivp(rates, (0.0, h), np.concatenate([q, v, e0]), rtol=1e-12, atol=1e-13).y[:, -1]
    d = np.array([wind, p[[one.name for one in crane.parameters].index("m")], *(q[columns] + e0)])
    off = []
    for steps in (1, 2, 4, 8):
        state = [q, v, d, observer.covariance]
        for _ in range(steps):
            state = list(observer.predict(*state, w, p, h / steps))
        found = np.concatenate([np.array(part)[:, 0] for part in state[:3]])
        assert found[2 * n : 2 * n + 2] == pytest.approx(d[:2], abs=0.0)
        ahead = found[2 * n + 2 :] - found[columns]
        off.append(np.abs(np.concatenate([found[: 2 * n], ahead]) - exact).max())
    # of order four, from the steps on that the observer takes (h lambda = 1, two of them)
    assert off[1] < 1e-2 * np.abs(exact[n : 2 * n] - v).max()
    assert off[2] < off[1] / 10.0
    assert off[3] < off[2] / 12.0


def test_slopes_have_the_poles_of_the_closed_speed_loops() -> None:
    design, observer = overhead()
    model, reference = design.model, design.reference
    # at rest: while it moves, how places depend on the state changes with time, and frozen
    # eigenvalues differ
    for row in (0, -1):
        A = np.array(
            observer.linear(
                reference.q[row], reference.v[row], reference.u[row], observer.parameter_vector
            )[0]
        )
        kept = [i for i, name in enumerate(observer.states) if not name.startswith(("f", "p"))]
        by_place = np.linalg.eigvals(A[np.ix_(kept, kept)])
        loops = with_speed_loops(
            model.A[row], model.B[row], model.v_matrix[row], model.crane, observer.motion.drives
        )
        by_error = np.linalg.eigvals(loops[0])
        assert np.sort(np.abs(by_place)) == pytest.approx(
            np.sort(np.abs(by_error)), rel=1e-6, abs=1e-4
        )


def test_errors_of_a_drive_and_of_its_place_go_together() -> None:
    """At the start the drive has integrated nothing: r - q is known, wherever q is."""
    design, observer = overhead()
    P, states = observer.covariance, list(observer.states)
    model = design.model
    names = [one.name for one in observer.crane.coordinates]
    for i, drive in enumerate(observer.motion.drives):
        place = states.index(f"drive.{drive.coordinate}")
        off = np.zeros(len(states))
        off[place] = 1.0
        off[: len(model.states)] = -model.q_matrix[0][names.index(drive.coordinate)]
        assert off @ P @ off == pytest.approx(observer.places.sizes[i] ** 2, rel=1e-9)
    winch = observer.motion.drives[1]
    # half the payload's weight on the winch's radius, by the integral's gain
    assert observer.places.sizes[1] == pytest.approx(0.5 * 100.0 * 9.81 * 0.1 / winch.ki, rel=1e-9)
    # what is held at rest tells nothing of the weight
    rest = observability_at(observer, design.reference, float(design.reference.time[-1]))
    assert any("parameter.m" in one.parts for one in rest.unobserved)


def settled(observer: Observer, q, v, d, w) -> np.ndarray:
    P, p = observer.covariance, observer.parameter_vector
    y = np.array(observer.readings(q, v, p)[0])[:, 0]
    for _ in range(4000):
        P = observer.update(q, v, d, P, y, np.ones(y.size), p)[3]
        P = observer.predict(q, v, d, P, w, p, observer.cycle)[3]
    return np.array(P)


@pytest.mark.parametrize("kind", ["lqr", "lqi"])
@pytest.mark.parametrize("delay", [0.0, 0.015])
def test_poles_with_a_filter_are_those_of_a_sample_by_hand(delay, kind) -> None:
    """A cart by its matrix exponential, its filter step by step, differentiated at rest."""
    made = cart(delay, kind)
    law, observer, p = made.law, made.observer, made.observer.parameter_vector
    block = np.array([[0, 1, 0, 0], [0, -KP / MASS, KI / MASS, KP / MASS], [0, -1, 0, 1], [0] * 4])
    goal, m = made.reference.q[-1, 0], law.K_past.shape[2]
    P = settled(observer, np.array([goal]), np.zeros(1), np.array([goal]), np.zeros(1))
    sums = len(law.integrals)
    whole, rest = (1, 0.005) if delay else (0, 0.0)

    def moved(x, w, time):
        return (expm(time * block) @ [*x, w])[:3]

    def sample(z):
        x, integral, past, hat = z[:3], z[3 : 3 + sums], z[3 + sums : 3 + sums + m], z[-3:]
        y = np.array([goal + x[0]])
        q, v, d = (np.array([one]) for one in np.add(hat, [goal, 0.0, goal]))
        q, v, d, after = observer.update(q, v, d, P, y, np.ones(1), p)
        error = np.array([float(q) - goal, float(v)])
        w = -law.K[-1] @ error - law.K_integral[-1] @ integral - law.K_past[-1] @ past
        given = [float(w[0]), *past]
        parts = [(given[whole + 1], rest)] if rest else []
        parts.append((given[whole], CYCLE - rest))
        for held, time in parts:
            x = moved(x, held, time)
            q, v, d, after = observer.predict(q, v, d, after, held, p, time)
        new = [float(q) - goal, float(v), float(d) - goal]
        return np.array([*x, *(integral + CYCLE * error[:1])[:sums], *given[:m], *new])

    size = 3 + sums + m + 3
    steps = 1e-6 * np.eye(size)
    slope = np.array([(sample(one) - sample(-one)) / 2e-6 for one in steps]).T
    hand = np.sort(np.abs(np.linalg.eigvals(slope)))
    found = np.sort(np.abs(np.linalg.eigvals(observed_at(made, observer, -1).closed())))
    # inputs that a law remembers and that are under way stand twice, and are at zero
    count = np.count_nonzero(hand > 1e-3)
    # the filter predicts by a Runge-Kutta step and its covariance by three terms: 1e-5 at 0.1
    assert found[-count:] == pytest.approx(hand[-count:], abs=2e-5)
    assert found[-1] < 1.0
    # crane, drive and filter with three states each, sums, and the last reference: its change is
    # weighed, so that it is a state; what is older is no pole
    lasting = np.sort(np.abs(np.exp(CYCLE * poles(made, -1, observer))))
    assert lasting == pytest.approx(hand[-(3 + sums + 1 + 3) :], abs=2e-5)


def test_fast_speed_loops_are_predicted_in_steps_and_too_fast_ones_refused() -> None:
    _, observer = overhead()
    # the trolley's loop is kp / m_t = 200 1/s and some more: above one in a cycle of 5 ms
    assert observer.steps == 2
    design, _ = overhead()
    fast = [replace(one, kp=5.0 * one.kp) for one in observer.motion.drives]
    told = (design.reference, design.model.coordinates, observer.sensors)
    more = design_observer(*told, drives=fast)
    # five times as fast, and a trolley that pulls its load beside it is faster still
    assert 5 <= more.steps <= 10
    made = controller_of(design.law, design.reference, observer=more)
    assert moves(made) == [(0, 0.005 / more.steps)] * more.steps
    faster = [replace(one, kp=20.0 * one.kp) for one in observer.motion.drives]
    with pytest.raises(InputError, match=r"pole of .* 1/s.*choose a shorter control.cycle"):
        design_observer(*told, drives=faster)
