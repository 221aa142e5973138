"""Servo constraints without index reduction: why `solve` does not offer it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cranebridge.errors import InputError, StructureError
from cranebridge.forward import direct_servo
from cranebridge.inverse.feedforward import Feedforward

Exact = Callable[[str, int], Feedforward]


def errors(exact: Exact, method: str, step: float) -> tuple[float, float]:
    """Return the largest errors of the trolley's position and force on the overhead crane."""
    solution = exact("overhead", 1000)
    problem = solution.problem
    found = direct_servo(
        problem.crane, problem.parameters, problem.path, solution.q[0], step, method
    )
    position = np.abs(found.q - solution.coordinates(found.time))[:, 0].max()
    force = np.abs(found.u - solution.controls(found.at))[:, 0].max()
    return float(position), float(force)


def test_energy_momentum_controls_diverge_as_the_step_shrinks(exact: Exact) -> None:
    coarse, fine = (errors(exact, "energy-momentum", step) for step in (0.02, 0.01))
    # true forces are below 510 N
    assert coarse[1] > 1e4
    assert fine[1] / coarse[1] == pytest.approx(2.0, abs=0.1)
    # while the coordinates converge with second order: a position plot would hide it
    assert coarse[0] / fine[0] == pytest.approx(4.0, abs=0.1)


def test_implicit_euler_controls_converge_with_first_order(exact: Exact) -> None:
    coarse, fine = (errors(exact, "implicit-euler", step) for step in (0.01, 0.005))
    assert fine[1] < 15.0
    assert coarse[1] / fine[1] == pytest.approx(2.0, abs=0.2)


def test_cranes_that_do_not_fit_are_refused(exact: Exact) -> None:
    for scenario, reason in (("navy2d", "massless"), ("rotary", "constant mass matrix")):
        solution = exact(scenario, 100)
        problem = solution.problem
        with pytest.raises(StructureError, match=reason):
            direct_servo(problem.crane, problem.parameters, problem.path, solution.q[0], 0.1)
    with pytest.raises(InputError, match="implicit-euler"):
        direct_servo(problem.crane, {}, problem.path, solution.q[0], 0.1, "midpoint")
