"""Rotations with Bryant angles: against SciPy's rotations, CasADi and the numbers of the thesis."""

import math

import casadi as ca
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation as Scipy

from cranebridge.errors import InputError
from cranebridge.path import Rotation, bryant_matrix, make_path, polynomial, rotation_between

PHI = ("phi_1", "phi_2", "phi_3")
STEP = polynomial(2.0)
T = np.linspace(0, 2, 401)


def scipy_of(phi):
    """Bryant angles are intrinsic rotations about x, y, z."""
    return Scipy.from_euler("XYZ", phi)


def rotation(start, goal):
    return rotation_between(PHI, STEP, tuple(start), tuple(goal))


def unless_locked(make):
    """Return a path, or None if it is refused for gimbal lock and for nothing else."""
    try:
        return make()
    except InputError as error:
        if "gimbal lock" in str(error):
            return None
        raise


def check_against_scipy(path, start, rotvec):
    c = STEP.derivatives(T, 0)[0]
    wanted = (scipy_of(start) * Scipy.from_rotvec(np.outer(c, rotvec))).as_matrix()
    phi = path(T)
    limit = 3e-13 + 1e-15 / np.abs(np.cos(phi[1])).min()  # rounding grows near gimbal lock
    np.testing.assert_allclose(scipy_of(phi.T).as_matrix(), wanted, atol=limit)


def test_matrix_of_bryant_angles_is_that_of_scipy():
    phi = [0.3, -1.1, 2.5]
    np.testing.assert_allclose(bryant_matrix(phi), scipy_of(phi).as_matrix(), atol=1e-15)


def test_general_manoeuvre_of_cablev_has_the_angle_and_axis_of_the_reference():
    path = rotation((0, 0, 0), (math.pi / 6, math.pi / 4, math.pi / 3))
    assert path.angle == pytest.approx(1.5244035316, abs=5e-11)
    np.testing.assert_allclose(path.axis, (0.567552, 0.290453, 0.770403), atol=5e-7)
    check_against_scipy(path, (0, 0, 0), np.multiply(path.axis, path.angle))


ANGLE = st.floats(-math.pi, math.pi)
TILT = st.floats(-1.5, 1.5)


@settings(max_examples=60, deadline=None)
@given(st.tuples(ANGLE, TILT, ANGLE), st.tuples(ANGLE, TILT, ANGLE))
def test_path_between_any_orientations_goes_the_short_way_about_a_fixed_axis(start, goal):
    rotvec = (scipy_of(start).inv() * scipy_of(goal)).as_rotvec()
    assume(np.linalg.norm(rotvec) < 3.14)  # at half a turn the axis has two directions
    path = unless_locked(lambda: rotation(start, goal))
    if path is None:
        return
    np.testing.assert_allclose(np.multiply(path.axis, path.angle), rotvec, atol=1e-9)
    check_against_scipy(path, start, np.multiply(path.axis, path.angle))
    np.testing.assert_allclose(path(0)[:, 0], start, atol=1e-9)
    assert scipy_of(path.goal).as_matrix() == pytest.approx(scipy_of(goal).as_matrix(), abs=1e-12)


def test_angles_are_continued_over_half_a_turn():
    path = rotation((0, 0, 3), (0, 0, -3))
    assert path.angle == pytest.approx(2 * math.pi - 6)
    assert path.goal[2] == pytest.approx(2 * math.pi - 3)


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(st.floats(-9, 9), st.floats(-9, 9), st.floats(-9, 9)),
    st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1)),
    st.floats(-15, 15),
)
def test_angles_are_continuous_for_any_axis_and_any_number_of_turns(start, axis, angle):
    length = float(np.linalg.norm(axis))
    assume(length > 0.1)
    path = unless_locked(
        lambda: Rotation(PHI, STEP, start, tuple(np.divide(axis, length).tolist()), angle)
    )
    if path is None:
        return
    np.testing.assert_allclose(path(0)[:, 0], start, atol=1e-9)
    phi = path(np.linspace(0, 2, 4001))
    if np.abs(np.cos(phi[1])).min() > 0.05:
        # the body turns by 0.01 between two samples at most, an angle by 1 / cos(phi_2) times that
        assert np.abs(np.diff(phi)).max() < 0.3
    check_against_scipy(path, start, np.multiply(path.axis, angle))


def test_angular_velocity_keeps_its_direction():
    start, goal = (0.4, -0.3, 0.8), (-1.0, 0.9, 2.2)
    path = rotation(start, goal)
    (p1, p2, _), (d1, d2, d3) = path.derivatives(T[1:-1], 1)
    # omega = e_x phi_1' + Rx e_y phi_2' + Rx Ry e_z phi_3'
    zero = np.zeros_like(p1)
    omega = (
        d1 * np.array([zero + 1, zero, zero])
        + d2 * np.array([zero, np.cos(p1), np.sin(p1)])
        + d3 * np.array([np.sin(p2), -np.sin(p1) * np.cos(p2), np.cos(p1) * np.cos(p2)])
    )
    speed = path.angle * STEP.derivatives(T[1:-1], 1)[1]
    axis = bryant_matrix(start) @ path.axis
    np.testing.assert_allclose(omega, np.outer(axis, speed), atol=1e-12 * np.abs(speed).max())


def test_derivatives_agree_with_casadi():
    path = rotation((0.4, -0.3, 0.8), (-1.0, 0.9, 2.2))
    e, first = path.axis, bryant_matrix(path.start)

    def expression(c):
        cross = ca.skew(ca.DM(e))
        theta = path.angle * c
        R = first @ (ca.DM.eye(3) + ca.sin(theta) * cross + (1 - ca.cos(theta)) * cross @ cross)
        phi_1, phi_3 = ca.atan2(-R[1, 2], R[2, 2]), ca.atan2(-R[0, 1], R[0, 0])
        return ca.vertcat(phi_1, ca.asin(R[0, 2]), phi_3)

    t = T[::10]
    order = 5
    progress = STEP.derivatives(t, order)
    s, c = ca.SX.sym("s"), ca.SX.sym("c", order + 1)
    rows = [expression(sum(c[k] * s**k / math.factorial(k) for k in range(order + 1)))]
    for _ in range(order):
        rows.append(ca.jtimes(rows[-1], s, 1))
    wanted = ca.Function("f", [s, c], rows)(0, progress)
    for a, b in zip(path.derivatives(t, order), wanted, strict=True):
        b = np.array(b)
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-11 * np.abs(b).max())


@pytest.mark.parametrize(
    "angle", [0.5, 2.0, math.pi, 4.0, 1.5 * math.pi, 6.0, -2.0, -math.pi, -5.0]
)
@pytest.mark.parametrize("k", [0, 2])
def test_rotation_about_one_axis_is_that_angle_beyond_90_and_180_degrees(angle, k):
    goal = np.zeros(3)
    goal[k] = angle
    path = rotation((0, 0, 0), goal)
    assert abs(path.angle) == pytest.approx(abs(angle))
    gamma = path.derivatives(T, 4)
    wanted = STEP.derivatives(T, 4) * angle
    np.testing.assert_allclose(gamma[:, k], wanted, atol=1e-12 * np.abs(wanted).max())
    assert np.abs(np.delete(gamma, k, axis=1)).max() < 1e-13
    assert path.smoothness(PHI[k]) == 4
    assert path.smoothness(PHI[2 - k]) == math.inf


def test_sign_of_every_angle_survives():
    for signs in np.ndindex(2, 2, 2):
        goal = (1 - 2 * np.array(signs)) * (0.5, 0.7, 0.9)
        np.testing.assert_allclose(rotation((0, 0, 0), goal).goal, goal, atol=1e-14)


def test_rotation_by_nothing_rests():
    for path in (
        rotation((0.1, 0.2, 0.3), (0.1, 0.2, 0.3)),
        make_path({"kind": "rotation", "axis": [0, 0, 3], "angle": 0, "duration": 2}, PHI),
    ):
        gamma = path.derivatives(T, 3)
        assert (path.start == gamma[0].T).all()
        assert not gamma[1:].any()
        assert path.smoothness() == math.inf


def test_start_beyond_gimbal_lock_stays_on_its_branch():
    start = (0.2, 2.5, 0.1)
    path = rotation(start, (0.4, 2.2, -0.3))
    np.testing.assert_allclose(path(0)[:, 0], start, atol=1e-14)
    np.testing.assert_allclose(path.goal, (0.4, 2.2, -0.3), atol=1e-14)


def test_axis_and_angle_turn_in_the_frame_of_the_start():
    table = {"kind": "rotation", "start": [0.2, 0.3, 0.4], "axis": [1, 1, 5], "angle": 9.0}
    path = make_path({**table, "duration": 2}, PHI)
    check_against_scipy(path, table["start"], np.array([1, 1, 5]) / math.sqrt(27) * 9)
    assert path(2)[2, 0] == pytest.approx(0.4 + 9, abs=0.5)


def test_gimbal_lock_is_refused_with_its_time():
    with pytest.raises(InputError, match=r"gimbal lock .* at t = 1 s"):
        Rotation(PHI, STEP, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), math.pi)
    with pytest.raises(InputError, match=r"gimbal lock .* at t = 2 s"):
        rotation((0, 0, 0), (0, math.pi / 2, 0))
    with pytest.raises(InputError, match=r"gimbal lock .* at t = 0 s"):
        rotation((0, -math.pi / 2, 0), (0, 0, 0))
    with pytest.raises(InputError, match=r"gimbal lock .* at t = 1 s"):
        Rotation(PHI, STEP, (0.0, 0.0, 0.0), (0.0, -1.0, 0.0), math.pi)


def test_goal_that_no_single_rotation_reaches_is_refused_with_the_one_that_is():
    with pytest.raises(InputError, match=r"reached as \[0, 0, 0.5\]"):
        rotation((0, 0, 0), (2 * math.pi, 0, 0.5))
    with pytest.raises(InputError, match="axis and angle"):
        rotation((0, 0, 0), (0, 0, 2 * math.pi))


def followed(start, rotvec):
    """Bryant angles along a rotation by SciPy, continued from the start sample by sample."""
    turned = scipy_of(start) * Scipy.from_rotvec(np.outer(np.linspace(0, 1, 501), rotvec))
    angles = np.unwrap(turned.as_euler("XYZ"), axis=0)
    return angles + (start - angles[0])


def test_half_turn_ends_with_the_angles_asked_for_where_one_of_both_ways_does():
    # Half a turn is as long about the axis as against it, and the two ways end whole turns apart.
    random = np.random.default_rng(9)
    judged, one_way_only = 0, 0
    for _ in range(600):
        start = random.uniform((-3.0, -1.5, -3.0), (3.0, 1.5, 3.0))
        axis = random.normal(size=3)
        rotvec = np.pi * axis / np.linalg.norm(axis)
        goal = (scipy_of(start) * Scipy.from_rotvec(rotvec)).as_euler("XYZ")
        ways = [followed(start, rotvec), followed(start, -rotvec)]
        if min(np.cos(way[:, 1]).min() for way in ways) < 0.02:
            continue  # so near to gimbal lock the samples cannot be continued
        path = rotation(start, goal)
        assert scipy_of(path.goal).as_matrix() == pytest.approx(
            scipy_of(goal).as_matrix(), abs=1e-12
        )
        reached = [way[-1] for way in ways if np.abs(way[-1] - goal).max() < 1e-6]
        if not reached:
            continue
        judged += 1
        one_way_only += len(reached) == 1
        # 1e-12: a few roundings of angles up to 5, made larger by 1 / 0.02
        np.testing.assert_allclose(path.goal, goal, rtol=0, atol=1e-12)
    assert judged > 400
    assert one_way_only > 100


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_time_of_gimbal_lock_is_the_first_of_several(direction):
    # A whole turn about y passes lock at a quarter and at three quarters of it; the smooth step
    # 126 t^5 - ... + 70 t^9 reaches a quarter at the root below.
    quarter = [70, -315, 540, -420, 126, 0, 0, 0, 0, -0.25]
    roots = np.roots(quarter)
    first = 2 * next(r.real for r in roots if abs(r.imag) < 1e-9 and 0 < r.real < 1)
    with pytest.raises(InputError, match=rf"gimbal lock .* at t = {first:.6g} s"):
        Rotation(PHI, STEP, (0.0, 0.0, 0.0), (0.0, direction, 0.0), 2 * math.pi)
    with pytest.raises(InputError, match=rf"gimbal lock .* at t = {first:.6g} s"):
        Rotation(PHI, STEP, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), direction * 2 * math.pi)
