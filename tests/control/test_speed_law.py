"""Laws that give velocity references, against designs by hand."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm, solve_discrete_are

from cranebridge.control.analysis.margins import poles
from cranebridge.control.code.controller import controller_of
from cranebridge.control.design.input_bounds import SPEED_REACH, speed_limits
from cranebridge.control.simulation.loop_motion import simulate_loop
from cranebridge.control.speed_law import design_speed_law, speed_reference
from cranebridge.errors import InputError
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import ServoProblem, time_grid
from cranebridge.inverse.speed_drives import SpeedDrive, speed_references
from cranebridge.limits import Limits, Range
from cranebridge.path import make_path

sys.path.append(str(Path(__file__).parents[1] / "verify"))
from cart import Cart

MASS, CYCLE = 2.0, 0.01
WEIGHTS = {"q.s": 100.0, "v.s": 1.0, "w.s": 0.5}


@pytest.fixture(scope="module")
def solution():
    table = {"kind": "line", "start": [0.0], "goal": [3.0], "profile": "polynomial"}
    path = make_path({**table, "duration": 2.0, "smoothness": 4}, ("s",), {"s": "m"})
    problem = ServoProblem(Cart(), path, {"m": MASS})
    return solve_index1(problem, time_grid(2.0, CYCLE))


def test_gains_are_those_of_the_three_states_by_hand(solution) -> None:
    """A cart, m v' = kp (w - v), with w = last w + change: position, velocity, last reference."""
    kp = 20.0
    design = design_speed_law(solution, [SpeedDrive("F", "s", kp)], CYCLE, "lqr", WEIGHTS)
    decay, lag = np.exp(-kp * CYCLE / MASS), MASS / kp
    way = (1.0 - decay) * lag
    A = np.array([[1.0, way, CYCLE - way], [0.0, decay, 1.0 - decay], [0.0, 0.0, 1.0]])
    B = np.array([[CYCLE - way], [1.0 - decay], [1.0]])
    Q = CYCLE * np.diag([100.0, 1.0, 0.0])
    R = np.array([[CYCLE * 0.5 / CYCLE**2]])
    P = solve_discrete_are(A, B, Q, R)
    K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    # solved by another scaling: relative to the largest gain
    assert design.law.K[-1] == pytest.approx(K[:, :2], rel=1e-7)
    assert design.law.K_past[-1] == pytest.approx(K[:, 2:] - 1.0, rel=1e-7)
    # the loop that runs has the poles of that design
    hand = np.log(np.linalg.eigvals(A - B @ K).astype(complex)) / CYCLE
    assert np.sort_complex(poles(design)) == pytest.approx(np.sort_complex(hand), rel=1e-6)


def test_references_keep_limits_that_are_no_magnitudes(solution) -> None:
    drives = [SpeedDrive("F", "s", 20.0)]
    reference = speed_reference(solution, drives, CYCLE)
    least, most = speed_limits(reference, Limits(v={"s": Range(-0.5, 4.0)}), drives)
    assert (least, most) == ([-0.5], [4.0])
    least, most = speed_limits(reference, Limits(), drives)
    fastest = np.abs(reference.hold).max()
    assert (least[0], most[0]) == pytest.approx((-SPEED_REACH * fastest, SPEED_REACH * fastest))


def test_integral_of_the_drive_is_a_state_that_is_not_fed_back(solution) -> None:
    kp, ki = 20.0, 100.0
    design = design_speed_law(solution, [SpeedDrive("F", "s", kp, ki)], CYCLE, "lqr", WEIGHTS)
    assert design.sampled.states == ("q.s", "v.s", "e.s", "past1.w.s")
    # m v' = kp (w - v) + ki e, e' = w - v; the last state is what was given before
    m = MASS
    block = [[0, 1, 0, 0], [0, -kp / m, ki / m, kp / m], [0, -1, 0, 1], [0, 0, 0, 0]]
    held = expm(CYCLE * np.array(block))
    A, B = np.zeros((4, 4)), np.vstack([held[:3, 3:], [[1.0]]])
    A[:3, :3] = held[:3, :3]
    assert design.sampled.A[0] == pytest.approx(A, abs=1e-12)
    assert design.sampled.B[0] == pytest.approx(B, abs=1e-12)
    law = np.array([[*design.law.K[-1][0], 0.0, *design.law.K_past[-1][0]]])
    hand = np.log(np.linalg.eigvals(A - B @ law).astype(complex)) / CYCLE
    assert np.sort_complex(poles(design)) == pytest.approx(np.sort_complex(hand), rel=1e-6)
    assert hand.real.max() < 0.0


def test_held_references_reach_the_positions_of_the_motion(solution) -> None:
    """What is held is the mean over a cycle: summed up, the way of the drive."""
    drives = [SpeedDrive("F", "s", 20.0, 100.0)]
    reference = speed_reference(solution, drives, CYCLE)
    exact = speed_references(solution, drives)
    way = np.concatenate([[0.0], np.cumsum(CYCLE * reference.hold[:, 0])])
    for row in (50, 137, 200):
        time = row * CYCLE
        ahead = solution.coordinates(time)[0] + exact.integrals(time)[0]
        assert way[row] == pytest.approx(ahead, abs=1e-12)
    # at the end the integral has faded, and nothing is held any more
    assert way[-1] == pytest.approx(3.0, abs=1e-7)
    assert reference.hold[-1, 0] == pytest.approx(0.0, abs=1e-15)


def test_controller_gives_references_within_the_limits_of_velocities(solution) -> None:
    drives = [SpeedDrive("F", "s", 20.0, 100.0)]
    design = design_speed_law(solution, drives, CYCLE, "lqi")
    assert [drive for drive in design.weights.table if drive[0] == "u"] == []
    limited = Limits.from_mapping({"v": {"s": 3.5}}, Cart())
    made = controller_of(design.law, design.reference, limited)
    assert [(one.name, one.unit) for one in made.inputs] == [("w.s", "m/s")]
    assert (made.least[0], made.most[0]) == (-3.5, 3.5)
    free = controller_of(design.law, design.reference, Limits())
    assert free.most[0] == pytest.approx(3.0 * np.abs(design.reference.hold).max())


def test_the_twin_with_forces_takes_no_references(solution) -> None:
    design = design_speed_law(solution, [SpeedDrive("F", "s", 20.0)], CYCLE, "lqr", WEIGHTS)
    with pytest.raises(InputError, match="a law of velocity references"):
        simulate_loop(design.reference, design.law)
