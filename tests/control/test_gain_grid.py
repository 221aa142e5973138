"""Gains over position: the grid that is found, its interpolation in C, and angles that go round."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from controller_driver import Module
from scipy.linalg import expm, solve_discrete_are

from cranebridge.control.code.controller import Channel, Controller, Schedule
from cranebridge.control.design.gain_axes import Axis, corners, turn
from cranebridge.control.design.law import design_law
from cranebridge.control.design.position_gains import design_over_position
from cranebridge.control.gain_grid import GRID_ERROR, gains_over_position
from cranebridge.control.observer.sensors import Sensor
from cranebridge.control.speed_law import design_speed_law
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import time_grid
from cranebridge.limits import Limits, Range
from cranebridge.scenario import load_scenario
from cranebridge.scenario.control_rules import speed_drives
from cranebridge.verify.feedback.controllers import finished_law, sensing_of
from cranebridge.verify.settings import Sensing


def designed(name: str, settings: list[str]):
    problem = load_scenario(name, settings).problem
    return design_law(solve_index1(problem, time_grid(problem.path.duration, 0.02)), 0.02)


@pytest.fixture(scope="module")
def rotary():
    # over a wide radius only, where gains change little: few positions are enough
    design = designed("rotary", ["path.goal=[3.0, 3.0, -3.0]"])
    limits = Limits(q={"s": Range(3.8, 5.2), "l": Range(2.8, 5.2)})
    return design, gains_over_position(design, limits)


def test_turn_is_exact_for_sines_up_to_its_degree() -> None:
    axis, x = turn("phi", 0.3, 5), np.linspace(-7.0, 20.0, 50)

    def wave(angle):
        return 1.0 + np.cos(angle) - 3.0 * np.sin(2.0 * angle)

    rows, parts = axis.parts(x)
    assert (wave(axis.points)[rows] * parts).sum(axis=1) == pytest.approx(wave(x), abs=1e-12)


def test_gains_of_a_slewing_crane_turn_with_it(rotary) -> None:
    """Three angles are enough, for angles that the motion does not come to as well."""
    design, found = rotary
    assert [(axis.name, axis.turning) for axis in found.axes] == [
        *(("phi", True), ("s", False), ("l", False)),
    ]
    assert found.axes[0].points.size == 3
    place = {"s": float(found.axes[1].points[1]), "l": float(found.axes[2].points[0])}
    angle = 4.0
    inner = design.model.coordinates
    # Newton's method goes to that angle in small steps
    steps = {"phi": np.linspace(0.0, angle, 20), **{k: [v, v + 0.5] for k, v in place.items()}}
    other = design_over_position(design.reference, steps, design.weights, inner)
    rows, weights = corners(found.axes, np.array([[angle, *place.values()]]))
    K = np.einsum("c,cij->ij", weights[0], found.laws.K[rows[0]])
    there = other.laws.K.reshape(20, 2, 2, *K.shape)[-1, 0, 0]
    # to what the Riccati equation is solved to
    assert pytest.approx(there, abs=1e-5 * np.abs(there).max()) == K


def test_gains_between_positions_are_as_right_as_stated(rotary) -> None:
    """At places that nobody looked at, against the law of the rest there."""
    design, found = rotary
    assert found.error <= GRID_ERROR
    phi = {"phi": [0.0, 0.1]}
    for place in ({"s": 4.321, "l": 3.456}, {"s": 5.1, "l": 5.0}):
        axes = phi | {name: [x, x + 0.01] for name, x in place.items()}
        own = design_over_position(
            design.reference, axes, design.weights, design.model.coordinates
        ).laws.K[0]
        rows, weights = corners(found.axes, np.array([[0.0, *place.values()]]))
        K = np.einsum("c,cij->ij", weights[0], found.laws.K[rows[0]])
        sizes = 1.0 / np.maximum(np.abs(found.laws.K).max(axis=(0, 1)), 1e-30)
        whole = np.abs(found.laws.K * sizes).max(axis=(0, 2))
        assert (np.abs((K - own) * sizes) <= GRID_ERROR * whole[:, None]).all()


def test_position_that_changes_nothing_is_no_axis() -> None:
    """A trolley's place does not matter on a straight rail, the rope's length does."""
    found = gains_over_position(designed("gantry", []))
    assert [axis.name for axis in found.axes] == ["l"]
    # beyond the motion, which goes from 7 to 8 m
    assert found.axes[0].points[0] < 6.9
    assert found.axes[0].points[-1] > 8.1


def overhead_by_hand(length: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the overhead crane at rest with closed speed loops: s, x, z, their rates, e_s, e_l."""
    m_t, m, J, r, g = 10.0, 100.0, 0.1, 0.1, 9.81
    kp_s, ki_s, kp_l, ki_l = 2e3, 2e4, 4e2, 4e3
    pull, winch = g / length, J / r + m * r
    A, B = np.zeros((8, 8)), np.zeros((8, 2))
    A[[0, 1, 2], [3, 4, 5]] = 1.0
    A[3, :2] = [-m / m_t * pull, m / m_t * pull]
    A[4, :2] = [pull, -pull]
    A[3, [3, 6]], B[3, 0] = [-kp_s / m_t, ki_s / m_t], kp_s / m_t
    # l = -z: what pays out rope lowers the load
    A[5, [5, 7]], B[5, 1] = [-kp_l / winch, -ki_l / winch], -kp_l / winch
    A[6, 3], A[7, 5] = -1.0, 1.0
    B[6, 0] = B[7, 1] = 1.0
    return A, B


def test_gains_of_speed_drives_over_position_are_those_by_hand() -> None:
    """A pendulum below drives with PI loops, held, delayed by 0.65 cycles; changes are weighed."""
    cycle, delay = 0.02, 0.013
    scenario = load_scenario("overhead-speed")
    solution = solve_index1(scenario.problem, time_grid(3.0, cycle))
    drives = speed_drives(scenario.tables)
    design = design_speed_law(solution, drives, cycle, "lqr", delay=delay)
    assert design.model.coordinates == ("s", "x", "z")
    found = gains_over_position(design, Limits(q={"l": Range(0.8, 5.0)}))
    assert [axis.name for axis in found.axes] == ["l"]
    assert found.laws.speed == drives
    row = 2
    A, B = overhead_by_hand(float(found.axes[0].points[row]))

    def held(time: float) -> tuple[np.ndarray, np.ndarray]:
        block = np.zeros((10, 10))
        block[:8, :8], block[:8, 8:] = A, B
        whole = expm(time * block)
        return whole[:8, :8], whole[:8, 8:]

    (first, early), (second, late) = held(delay), held(cycle - delay)
    Phi, Gamma = np.zeros((10, 10)), np.vstack([late, np.eye(2)])
    Phi[:8, :8], Phi[:8, 8:] = second @ first, second @ early
    last = np.zeros((2, 10))
    last[:, 8:] = np.eye(2)
    w = design.weights
    Q = np.zeros((10, 10))
    # the load's place is an output, and the rope's length the same as its height
    Q[range(3), range(3)] = [w["q.s"], w["q.x"] + w["y.x"], w["q.z"] + w["q.l"] + w["y.z"]]
    speeds = [w["v.s"], w["v.x"] + w["r.x"], w["v.z"] + w["v.l"] + w["r.z"]]
    Q[range(3, 6), range(3, 6)] = speeds
    R = np.diag([w["w.s"], w["w.l"]]) / cycle
    P = solve_discrete_are(Phi + Gamma @ last, Gamma, cycle * Q, R)
    K = np.linalg.solve(R + Gamma.T @ P @ Gamma, Gamma.T @ P @ (Phi + Gamma @ last)) - last
    titles = [one.name for one in scenario.crane.coordinates]
    columns = [titles.index(name) for name in ("s", "x", "z")]
    columns += [len(titles) + i for i in columns]
    # solved in another scaling: relative to the largest gain
    size = np.abs(K).max()
    assert found.laws.K[row][:, columns] == pytest.approx(K[:, :6], abs=1e-7 * size)
    assert found.laws.K_past[row] == pytest.approx(K[:, 8:], abs=1e-7 * size)


def test_estimated_payload_is_compensated_all_over_the_grid() -> None:
    """A heavier load takes its weight on the drum more of torque, g r for each kg, everywhere."""
    problem = load_scenario("overhead", []).problem
    sensors = tuple(Sensor(name, 1e-3) for name in ("q.s", "q.l", "(x - s)/l"))
    sensing = sensing_of(Sensing(sensors, disturbances={"parameter.m": 20.0}))
    solution = solve_index1(problem, time_grid(problem.path.duration, 0.02))
    design = design_law(solution, 0.02, sensing=sensing)
    found = gains_over_position(design, Limits(q={"l": Range(0.8, 5.0)}), finished_law)
    assert found.laws.disturbances == ("parameter.m",)
    weight = np.tile([[0.0], [9.81 * 0.1]], (len(found.laws.K), 1, 1))
    assert found.laws.K_disturbance == pytest.approx(weight, abs=1e-9)


@pytest.mark.parametrize("precision", ["double", "single"])
def test_c_interpolates_as_the_grid_says(precision, tmp_path) -> None:
    """Random gains over two straight axes and a turn, at random places and beyond the edges."""
    random = np.random.default_rng(4)
    axes = (
        Axis("s", np.array([1.0, 1.5, 4.0])),
        turn("phi", 0.2, 5),
        Axis("l", np.array([2.0, 3.0, 5.0, 9.0])),
    )
    samples, inputs, signals = 40, 2, 3
    gains = random.standard_normal((3 * 5 * 4, inputs, signals))
    ranges = ((0.0, 5.0), (-9.0, 9.0), (1.0, 11.0))
    places = np.column_stack([random.uniform(*ends, samples) for ends in ranges])
    controller = Controller(
        kind="lqr",
        cycle=0.01,
        delay=(0, 0.0),
        measured=tuple(Channel(f"q.{i}") for i in range(signals)),
        inputs=tuple(Channel(f"u.{i}") for i in range(inputs)),
        start=0.0,
        reference=random.standard_normal((samples, signals)),
        hold=random.standard_normal((samples, inputs)),
        nodes=np.array([0, samples - 1]),
        gains=np.zeros((2, inputs, signals)),
        integrals=(),
        far=np.full(signals, np.inf),
        past=0,
        least=np.full(inputs, -np.inf),
        most=np.full(inputs, np.inf),
        error=0.0,
        schedule=Schedule(axes, places, gains, fade=0.1),
    )
    measured = random.standard_normal((samples, signals))
    status, u = Module(controller, tmp_path, precision).run(measured)
    rows, weights = corners(axes, places)
    K = np.einsum("tc,tcij->tij", weights, gains[rows])
    part = np.minimum(np.arange(samples) / 10, 1.0)[:, None]  # 0.1 s of 0.01 s
    feedback = np.einsum("tij,tj->ti", K, measured - controller.reference)
    close = 1e-12 if precision == "double" else 2e-5  # of some ten products of size ten
    assert u == pytest.approx(controller.hold - part * feedback, abs=close)
    assert (status[:-1] == 0).all()
    same = replace(controller, schedule=Schedule((), np.zeros((samples, 0)), gains[:1]))
    folder = tmp_path / "same"
    folder.mkdir()
    u = Module(same, folder, precision).run(measured)[1]
    feedback = (measured - controller.reference) @ gains[0].T
    assert u == pytest.approx(controller.hold - feedback, abs=close)


def test_turn_of_some_angle_is_no_turn() -> None:
    """A luffing angle has other inputs at rest everywhere: it reaches as far as its limits."""
    design = designed("luffing-jib", [])
    found = gains_over_position(design, Limits(q={"beta": Range(0.8, 1.1), "l": Range(45, 58)}))
    assert not any(axis.turning for axis in found.axes)
    beta = next(axis for axis in found.axes if axis.name == "beta")
    assert beta.points[[0, -1]] == pytest.approx([0.8, 1.1])
    assert math.isfinite(found.error)
