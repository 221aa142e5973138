"""The planar RPR manipulator: a free base that conserved momenta lead, against its bodies."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from rpr_bodies import MASS, accelerations, bodies
from scipy.interpolate import CubicSpline

from cranebridge.forward import simulate_twin
from cranebridge.inverse.checking import check
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1.solvers import structure_of
from cranebridge.inverse.internal.inversion import invert, solve_inversion
from cranebridge.inverse.internal_check import check_internal
from cranebridge.inverse.problem import ServoProblem
from cranebridge.inverse.stepping.index3 import solve_index3
from cranebridge.path import Line, polynomial
from cranebridge.scenario import load_scenario
from cranebridge.twin import find_crane
from further import further

VISCOUS, COULOMB, SMOOTH = 10.0, 50.0, 0.1  # of scenario rpr


def servo(*settings: str) -> ServoProblem:
    return load_scenario("rpr", settings).problem


SMOOTH_JOINTS = ("crane.d_j=0", "crane.M_c=0")


@cache
def solution(*settings: str) -> Feedforward:
    return solve_inversion(servo(*settings), 0.001)


def loss(rates: np.ndarray) -> np.ndarray:
    """Torques of friction, against the rates."""
    return VISCOUS * rates + COULOMB * np.tanh(rates / SMOOTH)


# --- structure and kind ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings", [pytest.param((), id="friction"), further(SMOOTH_JOINTS, id="smooth")]
)
def test_platform_leaves_the_pose_of_the_base_free(settings: tuple[str, ...]) -> None:
    # By hand: torques accelerate the platform at once (relative degree 2 for each output), so that
    # 12 - 6 initial values are free; three momenta are conserved, hence 0 three times, each in a
    # Jordan block of two (a base that moves goes on for ever).
    problem = servo(*settings)
    structure = structure_of(problem)
    assert (structure.index, structure.internal_dynamics) == (3, 6)
    assert structure.path_derivatives == {"x": 2, "y": 2, "psi": 2}
    kind = invert(problem, 0.001).kind
    assert kind.kind == "neutral"
    assert kind.states == ("q.x_b", "q.y_b", "q.psi_b", "q.x_b'", "q.y_b'", "q.psi_b'")
    for end in (kind.start, kind.end):
        np.testing.assert_array_equal(end.eigenvalues, np.zeros(6))
        assert (len(end.stable), len(end.unstable), len(end.centre)) == (0, 0, 6)


def test_check_tells_the_kind_and_finds_nothing_wrong() -> None:
    problem = servo()
    found = check_internal(check(problem, "inversion"), problem, "inversion", 0.005)
    assert not found.problems
    assert found.internal is not None
    assert found.internal.kind == "neutral"
    assert found.solution is not None
    assert found.solution.internal["residual_drift"] == {}
    assert found.initial == {"x_b": 0, "y_b": 0.2887, "psi_b": 0, "x": 0, "y": 0.2887, "psi": 0}


def test_legs_start_at_the_angles_of_the_source() -> None:
    # Uhlar 2009 (5.214): 30, 120 and -90 degrees. With the first and the last the platform is in
    # the middle of the base, and the second leg can only stand at 150.
    start = solution()
    angles = np.degrees(bodies(start.q[:1], start.v[:1]).angle[0, 2:5])
    np.testing.assert_allclose(angles, [30.0, 150.0, -90.0], atol=1e-10)


def test_path_is_the_figure_eight_of_the_source() -> None:
    # Uhlar 2009 (5.207), (5.209): the angle's velocity is pi from 1 s to 2 s.
    times = np.linspace(1.0, 2.0, 11)
    angle = np.pi / 2 + np.pi * (times - 1.0)
    wanted = [np.sin(angle) / 12, 0.2887 + np.sin(2 * angle) / 16, 0 * angle]
    np.testing.assert_allclose(servo().path(times), wanted, atol=1e-15)


# --- momenta and energy ----------------------------------------------------------------------


@pytest.mark.parametrize("settings", [(), SMOOTH_JOINTS], ids=["friction", "smooth"])
def test_centre_of_mass_stays_and_angular_momentum_is_zero(settings: tuple[str, ...]) -> None:
    found = solution(*settings)
    motion = bodies(found.q, found.v)
    moved = np.abs(motion.centre_of_mass - motion.centre_of_mass[0]).max()
    parts = np.abs(motion.spin * np.array([0.2, 0.0816] + 3 * [0.04] + 3 * [0.12])).max()
    # The inversion is asked for 1e-10 of each state's range.
    assert moved < 1e-11
    assert np.abs(motion.angular_momentum).max() < 1e-9 * parts
    assert np.ptp(found.q[:, 2]) > 0.01  # the base turns, and turns back
    np.testing.assert_allclose(found.v[-1], 0.0, atol=1e-10)


def test_friction_changes_the_torques_and_not_the_motion() -> None:
    # Three momenta and three outputs tell all six coordinates; friction is an inner torque. The
    # path is closed, but zero angular momentum cannot be integrated: some rotation is left.
    first, second = solution(), solution(*SMOOTH_JOINTS)
    np.testing.assert_allclose(first.q, second.q, atol=1e-11)
    assert first.q[-1, 2] == pytest.approx(-1.328e-5, abs=1e-8)
    torques = loss(bodies(first.q, first.v).joint_rates)
    np.testing.assert_allclose(first.u - second.u, torques, atol=1e-8)


def test_base_moves_against_the_platform_where_the_legs_are_balanced() -> None:
    # With m_1 s_1 = m_2 s_2 a leg's centre of mass is told by its ends: in closed form
    # (m_b + 3 m_1) r_b + (m_p + 3 m_2) r stays, whatever turns.
    found = solve_inversion(servo(f"crane.s_1={4 * 0.175 / 3}"), 0.005)
    wanted = -(3.0 + 12.0) / (8.0 + 9.0) * (found.gamma - found.gamma[0])[:, :2]
    np.testing.assert_allclose((found.q - found.q[0])[:, :2], wanted, atol=1e-11)


def test_work_of_the_drives_less_friction_is_the_kinetic_energy() -> None:
    found = solution()
    motion = bodies(found.q, found.v)
    rates = motion.joint_rates
    power = ((found.u - loss(rates)) * rates).sum(axis=1)
    done = CubicSpline(found.time, power).antiderivative()(found.time)
    energy = motion.kinetic_energy
    # Cubic splines over 1 ms: the powers change within 20 ms, (1/20)^4 / 384 of them.
    np.testing.assert_allclose(done, energy, atol=1e-7 * energy.max())
    assert energy[-1] < 1e-12
    assert CubicSpline(found.time, (loss(rates) * rates).sum(axis=1)).integrate(0, 3) > energy.max()


# --- other formulations ----------------------------------------------------------------------


def test_motion_is_that_of_eight_bodies_with_joint_forces() -> None:
    found = solution()
    motion = bodies(found.q, found.v)
    torques = found.u - loss(motion.joint_rates)
    for row in range(0, 3001, 250):
        wanted = accelerations(motion, row, torques[row])
        np.testing.assert_allclose(found.a[row], wanted, atol=1e-10)


def test_computed_torques_lead_the_platform_along_the_path() -> None:
    problem, found = servo(), solve_inversion(servo(), 0.0005)
    times = np.linspace(0.0, 3.0, 31)
    start = found.q[0], found.v[0]
    run = simulate_twin(
        problem.crane, problem.parameters, *start, found.controls, times, rtol=1e-12
    )
    assert np.abs(run.outputs - problem.path(times).T).max() < 1e-8


def test_steps_in_time_from_rest_come_to_the_same_torques() -> None:
    exact = solution(*SMOOTH_JOINTS)
    found = solve_index3(servo(*SMOOTH_JOINTS), np.linspace(0.0, 3.0, 301), "radau5")
    wanted = exact.u[::10]
    assert np.abs(found.u - wanted).max() < 1e-4 * np.ptp(wanted)
    assert np.abs(found.q - exact.q[::10]).max() < 1e-7


def test_friction_exceeds_the_torques_without_it_notably() -> None:
    # Uhlar 2009, Fig. 5.48: "exceed notably".
    largest = [np.abs(solution(*s).u).max() for s in ((), SMOOTH_JOINTS)]
    assert largest[0] > 2.0 * largest[1]


# --- where it ends ---------------------------------------------------------------------------


def test_platform_that_turns_and_travels_leaves_the_base_at_rest_elsewhere() -> None:
    crane = find_crane("rpr")
    path = Line(("x", "y", "psi"), (0.0, 0.0, 0.0), (0.1, -0.05, 0.4), polynomial(2.0))
    problem = ServoProblem(crane, path, crane.parameter_values({}))
    inversion = invert(problem, 0.005)
    found = inversion.at(np.linspace(0.0, 2.0, 401))
    motion = bodies(found.q, found.v)
    np.testing.assert_allclose(motion.centre_of_mass, 0.0, atol=1e-11)
    assert inversion.drift == {}
    assert inversion.notes[-1] == "After the path it stands still."
    assert found.q[-1, 2] < -0.01  # turned against the platform
    assert MASS.sum() == sum(
        problem.parameters[name] * count
        for name, count in (("m_b", 1), ("m_p", 1), ("m_1", 3), ("m_2", 3))
    )


def test_base_in_another_pose_is_at_rest_too() -> None:
    problem = replace(servo(), initial={"x_b": 0.05, "psi_b": 0.2})
    found = solve_inversion(problem, 0.005)
    motion = bodies(found.q, found.v)
    assert found.q[0, [0, 2]] == pytest.approx([0.05, 0.2], abs=1e-12)
    assert np.abs(motion.centre_of_mass - motion.centre_of_mass[0]).max() < 1e-11
