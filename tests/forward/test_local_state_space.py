"""Local state-space forms: validity of coordinates, projection, and the five-bar's singularity."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from cranebridge.errors import InputError, SolutionError
from cranebridge.forward import LocalMotion, MechanicalSystem, simulate, simulate_minimal
from cranebridge.forward.examples import five_bar
from cranebridge.forward.local_state_space import (
    choose_independent,
    lagrange_accelerations,
    partition_accelerations,
    project,
    svd_accelerations,
    validity,
)

CLOSED = math.acos(2 / 3)
# Second example of Spencer 2004: closes exactly with supports 1 m apart.
SECOND = (2 * math.pi / 3, math.pi / 3 + CLOSED, 2 * math.asin(2 / 3), math.pi / 3 + CLOSED)


def pendulum() -> MechanicalSystem:
    q, v = ca.SX.sym("q", 2), ca.SX.sym("v", 2)
    return MechanicalSystem(
        "pendulum", q, v, 0.5 * ca.sumsqr(v), 9.81 * q[1], 0.5 * (ca.sumsqr(q) - 1.0)
    )


@pytest.fixture(scope="module")
def first_example() -> LocalMotion:
    example = five_bar()
    return simulate(example.system, "svd", example.q, example.v, np.arange(0.0, 2.9, 2e-3))


def test_svd_form_leaves_the_singular_start_and_returns_after_2_827_seconds(
    first_example: LocalMotion,
) -> None:
    motion = first_example
    ratio = motion.singular_values[:, 1] / motion.singular_values[:, 0]
    late = motion.time > 1.0
    assert motion.time[late][np.argmin(ratio[late])] == pytest.approx(2.827, abs=2e-3)
    assert ratio[late].min() < 1e-3
    assert motion.energy_drift < 1e-3
    assert motion.constraint_error < 1e-6
    assert np.abs(motion.q[:, 1] - motion.q[:, 3]).max() < 1e-6  # stays symmetric


def test_svd_form_gives_the_motion_of_the_digest() -> None:
    # With its step: the first stage, at the singularity, leaves an error of the first order.
    example = five_bar()
    times = np.arange(0.0, 0.5005, 1e-3)
    motion = simulate(example.system, "svd", example.q, example.v, times)
    assert motion.q[500] == pytest.approx([3.84400, -1.27187, 4.28051, -1.27187], abs=2e-5)


@pytest.mark.parametrize("form", ["lagrange", "partition"])
def test_standard_forms_fail_at_the_singular_start(form: str) -> None:
    example = five_bar()
    with pytest.raises(SolutionError, match="singularity"):
        simulate(example.system, form, example.q, example.v, np.arange(0.0, 0.1, 1e-3))
    with pytest.raises(SolutionError, match="no coordinates"):
        simulate_minimal(example.system, example.q, example.v, [0.0, 0.1])


def test_svd_form_with_energy_projection_passes_the_singularity_in_motion() -> None:
    example = five_bar(SECOND)
    times = np.arange(0.0, 0.9, 1e-3)
    motion = simulate(example.system, "svd", example.q, example.v, times, keep_energy=True)
    assert motion.energy[0] == pytest.approx(100.869, abs=1e-3)
    ratio = motion.singular_values[:, 1] / motion.singular_values[:, 0]
    assert motion.time[np.argmin(ratio)] == pytest.approx(0.651, abs=1e-3)
    assert motion.energy_drift < 1e-10
    assert motion.constraint_error < 1e-12
    assert motion.q[250] == pytest.approx([2.26293, 1.58802, 1.72289, 1.58802], abs=1e-5)
    # the same branch as the standard form with Baumgarte's stabilisation, which steps over it
    standard = simulate(
        example.system, "lagrange", example.q, example.v, times, baumgarte=(10.0, 10.0)
    )
    assert np.abs(motion.q[-1] - standard.q[-1]).max() < 1e-3


def test_standard_form_fails_where_a_step_meets_the_singularity() -> None:
    example = five_bar()
    M, f, _, G, gamma = (np.array(part) for part in example.system.terms(example.q, example.v, []))
    with pytest.raises(np.linalg.LinAlgError):
        lagrange_accelerations(M, f[:, 0], G, gamma[:, 0])
    assert np.isfinite(svd_accelerations(M, f[:, 0], G, gamma[:, 0])).all()


def test_all_forms_give_the_accelerations_of_the_full_equations() -> None:
    example = five_bar(SECOND)
    q, v = project(example.system, example.q, np.array([1.0, -0.5, 0.3, 0.7]))
    M, f, _, G, gamma = (np.array(part) for part in example.system.terms(q, v, []))
    wanted, _ = example.system.accelerations(q, v, np.zeros(0))
    arguments = (M, f[:, 0], G, gamma[:, 0])
    assert lagrange_accelerations(*arguments) == pytest.approx(wanted, rel=1e-10)
    assert svd_accelerations(*arguments) == pytest.approx(wanted, rel=1e-10)
    assert partition_accelerations(*arguments, (0, 1)) == pytest.approx(wanted, rel=1e-10)


def test_coordinate_of_a_pendulum_is_valid_unless_it_is_horizontal() -> None:
    # Spencer 2004, Section 2.3: y = q_1 is valid if and only if q_2 is not zero
    assert validity(np.array([[0.0, -1.0]]), [0]) == pytest.approx(1.0)
    assert validity(np.array([[1.0, -1e-9]]), [0]) > 1e8
    assert validity(np.array([[1.0, 0.0]]), [0]) > 1e15
    assert choose_independent(np.array([[1.0, 0.1]])) == (1,)


def test_pendulum_changes_coordinates_and_swings_as_its_angle_does() -> None:
    system, times = pendulum(), np.linspace(0.0, 3.0, 31)
    found = simulate_minimal(system, [1.0, 0.0], [0.0, 0.0], times)
    angle = solve_ivp(
        lambda t, y: [y[1], -9.81 * math.sin(y[0])],
        (0, 3),
        [math.pi / 2, 0],
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
        t_eval=times,
    ).y[0]
    assert found.q[:, 0] == pytest.approx(np.sin(angle), abs=1e-8)
    assert found.q[:, 1] == pytest.approx(-np.cos(angle), abs=1e-8)
    assert len(found.choices) > 4
    assert found.constraint_error < 1e-13


def test_projection_finds_the_nearest_state_and_the_energy() -> None:
    system = pendulum()
    q, v = project(system, np.array([0.6, -0.9]), np.array([1.0, 0.5]))
    assert np.hypot(*q) == pytest.approx(1.0, abs=1e-14)
    assert q @ v == pytest.approx(0.0, abs=1e-14)
    # for a circle the nearest point lies on the ray, the nearest velocity on the tangent
    ray = np.array([0.6, -0.9]) / math.hypot(0.6, 0.9)
    assert q == pytest.approx(ray, abs=1e-12)
    q, v = project(system, np.array([0.6, -0.9]), np.array([1.0, 0.5]), energy=2.0)
    assert 0.5 * v @ v + 9.81 * q[1] == pytest.approx(2.0, abs=1e-12)


def test_projection_removes_the_drift() -> None:
    system, times = pendulum(), np.linspace(0.0, 5.0, 251)
    drifting = simulate(system, "lagrange", [1.0, 0.0], [0.0, 0.0], times)
    projected = simulate(system, "lagrange", [1.0, 0.0], [0.0, 0.0], times, projection=0.0)
    assert drifting.constraint_error > 1e-6
    assert drifting.velocity_error > 1e-6
    assert projected.constraint_error < 1e-13
    assert projected.velocity_error < 1e-12


def test_unknown_form_is_refused() -> None:
    with pytest.raises(InputError, match="svd"):
        simulate(pendulum(), "sdv", [1.0, 0.0], [0.0, 0.0], [0.0, 0.1])


def test_minimal_reference_stays_on_the_branch_of_the_winch() -> None:
    # The winch turns by 41 rad in a second; Newton's method alone lands half a turn off.
    import json
    from pathlib import Path

    from cranebridge.forward.examples import free_rotary_crane

    case = json.loads(
        (Path(__file__).parents[1] / "data" / "cases" / "rotary-free.json").read_text()
    )
    example = free_rotary_crane()
    times = np.array(case["data"]["t"])
    found = simulate_minimal(example.system, example.q, example.v, times)
    payload = found.q[:, 36:39]
    # The file's reference was computed to 1e-8; 12 digits are stored.
    assert np.abs(payload - np.array(case["data"]["payload"])).max() < 1e-7
