"""Rows of a flat motion as functions of the path alone, and programs of such rows."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from optimal_control import rotary_task

from cranebridge.inverse.index1.solvers import point_solver
from cranebridge.limits import Limits
from cranebridge.plan.flat.ends import continued, held_problem
from cranebridge.plan.nlp.group import RowGroup
from cranebridge.plan.nlp.program import SplineProgram, StallDetector, _functions
from cranebridge.plan.rows.path_rows import PathRows
from cranebridge.plan.rows.point_rows import PointFunctions, PointRows
from cranebridge.plan.rows.snap_rows import SnapRows
from cranebridge.plan.task.task import effort_scales_by_use

STEP = 1e-5


def moving_rows() -> tuple[PointRows, np.ndarray, np.ndarray]:
    """Return drives and coordinates of the rotary crane in a swinging motion, three times."""
    task = rotary_task()
    problem = held_problem(task, task.start)
    solver = point_solver(problem)
    functions = PointFunctions(
        solver, 4, lambda m: m.duration * ca.vertcat(m.motion["u"] / m.constants, m.motion["q"]), 1
    )
    rows = PointRows(functions, task.parameter_vector, [1000.0])
    rng = np.random.default_rng(1)
    derivatives = 0.3 * rng.normal(size=(3, 5, 3))
    derivatives[:, 0] = [12.0, 3.0, -10.0]
    w = np.vstack([continued(solver, problem, one) for one in derivatives])
    duration, powers = 2.0, np.arange(5)[:, None]
    z = np.hstack([(derivatives * duration**powers).reshape(3, -1), np.full((3, 1), duration)])
    return rows, z, rows.settle(z, w)


def test_rows_have_unknowns_that_newton_finds() -> None:
    rows, z, w = moving_rows()
    assert rows.unknowns > 0
    assert np.isfinite(w).all()
    np.testing.assert_allclose(rows.settle(z, w + 1e-4), w, rtol=1e-9)


def test_first_derivatives_are_those_of_the_rows_with_settled_unknowns() -> None:
    rows, z, w = moving_rows()
    values, slopes = rows.slopes(z, w)
    np.testing.assert_allclose(values, rows.values(z, w), rtol=1e-14)
    for j in range(rows.size):
        change = STEP * np.eye(rows.size)[j]
        up, down = (rows.values(z + s, rows.settle(z + s, w)) for s in (change, -change))
        scale = 1.0 + np.abs(slopes).max()
        # central differences are right to STEP^2, and to rounding / STEP
        assert np.abs((up - down) / (2.0 * STEP) - slopes[:, :, j]).max() < 1e-7 * scale


FORMS = pytest.mark.parametrize("large", [0, 10**9], ids=["along directions", "as a matrix"])


@FORMS
def test_second_derivatives_are_those_of_the_first_ones(
    large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cranebridge.plan.rows.point_rows._LARGE", large)
    rows, z, w = moving_rows()
    weights = np.random.default_rng(2).normal(size=(3, rows.count))
    curved = rows.curvature(z, w, weights)
    np.testing.assert_allclose(curved, curved.transpose(0, 2, 1), atol=1e-9 * np.abs(curved).max())
    for j in range(rows.size):
        change = STEP * np.eye(rows.size)[j]
        up, down = (
            np.einsum("ti,tij->tj", weights, rows.slopes(z + s, rows.settle(z + s, w))[1])
            for s in (change, -change)
        )
        wrong = np.abs((up - down) / (2.0 * STEP) - curved[:, :, j]).max()
        assert wrong < 1e-6 * (1.0 + np.abs(curved).max())


def test_the_highest_derivative_is_weighed_with_its_own_derivatives() -> None:
    # of the same expression by CasADi
    order, sizes = 3, np.array([2.0, 0.5])
    z = ca.SX.sym("z", 9)
    highest, duration = z[6:8], z[8]
    row = duration * ca.sumsqr(highest / duration**order / sizes)
    curved, slope = ca.hessian(row, z)
    wanted = ca.Function("wanted", [z], [row, slope, curved])
    rows, points = SnapRows(order, sizes), np.random.default_rng(3).uniform(0.5, 2.0, (4, 9))
    none, weights = np.zeros((4, 0)), np.array([[1.0], [2.0], [-1.0], [0.5]])
    values, slopes = rows.slopes(points, none)
    curvature = rows.curvature(points, none, weights)
    np.testing.assert_array_equal(values, rows.values(points, none))
    for i, point in enumerate(points):
        value, first, second = (np.array(part) for part in wanted(point))
        np.testing.assert_allclose(values[i], value[0], rtol=1e-13)
        np.testing.assert_allclose(slopes[i, 0], first[:, 0], rtol=1e-13)
        np.testing.assert_allclose(curvature[i], weights[i] * second, rtol=1e-13)


def disc() -> SplineProgram:
    """Return the leftmost point of a disc as a program."""
    z = ca.SX.sym("z", 2)
    rows = PathRows(z, ca.dot(z, z))
    least, most = np.array([-np.inf]), np.array([1.0])
    columns = np.array([[0, 1]])
    group = RowGroup(
        rows, np.eye(2)[None], np.zeros((1, 2)), columns, least, most, np.zeros((1, 0))
    )
    free = np.full(2, np.inf)
    return SplineProgram([group], np.array([1.0, 0.0]), -free, free)


def test_a_program_whose_multipliers_are_lost_to_rounding_is_given_up() -> None:
    found = disc().solve(np.array([0.5, 0.5]))
    assert found.solved
    np.testing.assert_allclose(found.x, [-1.0, 0.0], atol=1e-5)
    curvature = _functions(disc(), 1e-6)["curvature"]
    # rounding times 1e9 is less than the tolerance of 1e-6, rounding times 1e10 is more
    np.testing.assert_allclose(
        np.array(curvature(found.x, [], 1.0, 1e9)), 2e9 * np.eye(2), rtol=1e-12
    )
    with pytest.raises(RuntimeError):
        curvature(found.x, [], 1.0, 1e10)


def test_a_drive_without_a_limit_is_not_measured_by_rounding() -> None:
    crane, free = rotary_task().crane, Limits()
    assert [quantity.unit for quantity in crane.inputs] == ["N*m", "N", "N*m"]
    # a hundredth of what the other torque does; the one force has its own measure
    found = effort_scales_by_use(crane, free, np.array([1e-13, 200.0, 50.0]))
    np.testing.assert_array_equal(found, [0.5, 200.0, 50.0])
    np.testing.assert_array_equal(effort_scales_by_use(crane, free, np.zeros(3)), np.ones(3))


def test_ipopt_is_given_up_where_rows_stay_outside_their_bounds() -> None:
    bounds = np.array([-1.0, -np.inf]), np.array([1.0, 2.0])

    def given_up(course: np.ndarray) -> list[int]:
        """Return after which iterations; the second row is outside by what is given."""
        watched = StallDetector(*bounds)
        return [i for i, gap in enumerate(course) if watched.at(np.array([0.5, 2.0 + gap]))]

    assert given_up(np.full(12, 45.0)) == [10, 11]
    assert given_up(45.0 - 0.1 * np.arange(12)) == [10, 11]
    assert given_up(45.0 * 0.98 ** np.arange(40)) == []  # a fifth in ten iterations
    assert given_up(np.append(np.full(10, 45.0), 1.0)) == []
    assert given_up(np.full(40, 1e-3)) == []  # near enough to wait
    assert given_up(np.full(40, -1.0)) == []


def test_rows_that_are_linear_have_no_curvature_whatever_was_in_memory() -> None:
    # from an even motion the start is a linear condition: CasADi gives no entries for one time
    z, left = ca.SX.sym("z", 16), np.random.default_rng(3)
    rows = PathRows(z, 2.0 * z[:15])
    for _ in range(20):
        waste = [left.normal(size=256) for _ in range(20)]
        del waste
        curved = rows.curvature(np.ones((1, 16)), np.zeros((1, 0)), np.ones((1, 15)))
        assert not curved.any()


@FORMS
def test_the_compiled_kernel_gives_what_casadi_gives(
    large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # two implementations of the elimination of Newton's unknowns: ours in C over lanes, NumPy's
    monkeypatch.setattr("cranebridge.plan.rows.point_rows._LARGE", large)
    rows, z, w = moving_rows()
    monkeypatch.setattr("cranebridge.plan.rows.point_rows.kernel_of_rows", lambda *_: None)
    other = moving_rows()[0]
    weights = np.random.default_rng(2).normal(size=(3, rows.count))
    # numbers of times that fill lanes and that do not
    for count in (1, 3, 8, 9):
        times = np.arange(count) % 3
        here, there, weigh = z[times], w[times], weights[times]
        for found, wanted in (
            (rows.settle(here, there + 1e-4), other.settle(here, there + 1e-4)),
            (rows.values(here, there), other.values(here, there)),
            (rows.slopes(here, there)[1], other.slopes(here, there)[1]),
            (rows.curvature(here, there, weigh), other.curvature(here, there, weigh)),
        ):
            np.testing.assert_allclose(found, wanted, atol=1e-11 * np.abs(wanted).max())


def test_where_newtons_method_finds_nothing_the_others_are_not_lost() -> None:
    rows, z, w = moving_rows()
    wrong = z.copy()
    wrong[1, :3] = np.nan
    found = rows.settle(wrong, w)
    assert np.isnan(found[1]).any()
    np.testing.assert_allclose(found[[0, 2]], w[[0, 2]], rtol=1e-9)
