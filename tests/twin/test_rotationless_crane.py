"""The rotary crane in 42 redundant coordinates against the one in 6 and the free motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

from cranebridge.forward import simulate_twin
from cranebridge.forward.examples import free_rotary_crane
from cranebridge.inverse.extension.servo_structure import analyse
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.twin import equations_of_motion, find_crane
from cranebridge.twin.language.crane import Components, names

Exact = Callable[[str, int], Feedforward]
Case = Callable[[str], dict[str, Any]]


def test_crane_has_42_coordinates_37_independent_constraints_and_a_constant_mass_matrix() -> None:
    crane = find_crane("rotary-rotationless")
    model = equations_of_motion(crane)
    p = list(crane.parameter_values().values())
    start = crane.rest({"x": 3.0, "y": -2.0, "z": -4.0}, crane.parameter_values())
    q = [start[name] for name in names(crane.coordinates)]
    g, G, M = ca.Function(
        "f", [model.q, model.p], [model.constraints, model.constraint_jacobian, model.mass_matrix]
    )(q, p)
    assert np.array(G).shape == (37, 42)
    assert np.linalg.matrix_rank(np.array(G)) == 37
    assert np.abs(np.array(g)).max() < 1e-14
    assert not ca.depends_on(model.mass_matrix, model.q)
    assert np.linalg.matrix_rank(np.array(M)) == 39  # the joint coordinates carry no mass


def test_rest_is_on_the_right_branch_of_the_joint_angles() -> None:
    crane = find_crane("rotary-rotationless")
    model = equations_of_motion(crane)
    branches = crane.branches(Components(names(crane.coordinates), model.q))  # type: ignore[attr-defined]
    function = ca.Function("b", [model.q], [ca.vertcat(*branches.values())])
    start = crane.rest({"x": -3.0, "y": 2.0, "z": -9.0}, crane.parameter_values())
    found = function([start[name] for name in names(crane.coordinates)])
    assert np.array(found)[:, 0] == pytest.approx([1.0, 1.0])


def test_servo_problem_is_flat_with_index_five() -> None:
    structure = analyse(find_crane("rotary-rotationless"))
    assert (structure.index, structure.flat) == (5, True)
    assert structure.path_derivatives == {"x": 4, "y": 4, "z": 4}


def test_controls_are_those_of_the_crane_in_six_coordinates(exact: Exact) -> None:
    # thesis Table 4.1; the manoeuvre ends where the printed augmentation is singular
    full, small = exact("rotary-rotationless", 400), exact("rotary-light", 400)
    assert np.abs(full.u - small.u).max() < 1e-8
    assert np.abs(full.ropes - small.ropes).max() < 1e-8
    assert np.abs(small.u).max(axis=0) == pytest.approx([16.1099, 9.5580, 9.9177], abs=1e-2)
    coordinates = list(names(full.problem.crane.coordinates))
    joints = full.q[:, [coordinates.index("theta_b"), coordinates.index("s")]]
    assert np.abs(joints - small.q[:, :2]).max() < 1e-10
    assert joints[-1, 0] == pytest.approx(3 * np.pi / 4)


@pytest.mark.parametrize("s", [1.5, 2.5])
def test_free_motion_is_that_of_the_thesis(s: float, case: Case) -> None:
    # reference.md Section 5, computed in minimal coordinates by a separate program
    ends = {
        1.5: [0.803442, 2.137729, 9.087578],
        2.5: [0.792297, 3.545992, 9.087532],
    }
    energies = {1.5: -410.125, 2.5: -284.125}
    example = free_rotary_crane(s)
    crane = find_crane("rotary-rotationless")
    values = {"m": 10.0, "E_11": 8.33, "E_12": 8.33}
    times = np.linspace(0.0, 1.0, 21)
    run = simulate_twin(
        crane, values, example.q, example.v, lambda t: np.zeros(3), times, rtol=1e-12
    )
    theta_b, radius, theta = run.q[-1, 39:]
    assert [theta_b, radius, 5.0 + 0.1 * theta] == pytest.approx(ends[s], abs=2e-6)
    assert run.energy == pytest.approx(np.full(21, energies[s]), abs=1e-7)
    if s == 1.5:
        data = case("rotary-free")["data"]
        assert np.abs(run.outputs - data["payload"]).max() < 1e-7
        assert np.abs(run.q[:, 41] - data["winch_angle"]).max() < 1e-6
