"""The continuous feedforward between its grid times, and its CSV file."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from cranebridge.errors import InputError
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import time_grid
from cranebridge.inverse.stepping.index3 import solve_index3


def interpolation_error(servo, steps: int, what: str) -> float:
    """Largest error between the grid times, against the exact solution there."""
    coarse = solve_index1(servo, np.linspace(0.0, servo.path.duration, steps + 1))
    times = np.linspace(0.0, servo.path.duration, 1999)
    exact = solve_index1(servo, times)
    if what == "controls":
        return float(np.abs(coarse.controls(times) - exact.u).max())
    return float(np.abs(coarse.coordinates(times) - exact.q).max())


@pytest.mark.parametrize("name", ["overhead", "rotary", "navy3d", "cablev-general"])
def test_controls_between_grid_times_have_an_error_of_order_4(name, problem) -> None:
    servo = problem(name)
    errors = [interpolation_error(servo, steps, "controls") for steps in (160, 320)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.3)


def test_controls_keep_their_order_where_no_grid_time_meets_the_knots(problem) -> None:
    # Steps of 20 s / 163 miss the path's knots at 5 s and 15 s, where u has kinks.
    servo = problem("rotary")
    errors = [interpolation_error(servo, steps, "controls") for steps in (163, 327)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.3)


@pytest.mark.parametrize("name", ["overhead", "rotary"])
def test_coordinates_between_grid_times_have_an_error_of_order_6(name, problem) -> None:
    servo = problem(name)
    errors = [interpolation_error(servo, steps, "coordinates") for steps in (80, 160)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(6.0, abs=0.4)


def test_continuous_functions_meet_the_grid_and_hold_outside(problem) -> None:
    servo = problem("rotary")
    found = solve_index1(servo, np.linspace(0.0, 20.0, 101))
    assert found.controls(found.time) == pytest.approx(found.u, abs=1e-12)
    assert found.coordinates(found.time) == pytest.approx(found.q, abs=1e-13)
    outside = found.controls(np.array([-1.0, 25.0]))
    assert outside == pytest.approx(found.u[[0, -1]], abs=1e-12)
    assert found.interpolation_order == 4


def test_index3_feedforward_interpolates_linearly_and_says_so(problem) -> None:
    found = solve_index3(problem("overhead"), np.linspace(0.0, 3.0, 61))
    middle = 0.5 * (found.time[1:] + found.time[:-1])
    assert found.controls(middle) == pytest.approx(0.5 * (found.u[1:] + found.u[:-1]), abs=1e-12)
    assert found.interpolation_order == 2


@pytest.mark.parametrize("name", ["overhead", "rotary"])
def test_controls_of_radau7_between_grid_times_keep_its_order(name, problem) -> None:
    # The method's own order 3 is what is left; straight lines would leave 2.
    servo = problem(name)
    times = np.linspace(0.0, servo.path.duration, 1999)
    exact = solve_index1(servo, times).u
    errors = []
    for steps in (160, 320):
        grid = np.linspace(0.0, servo.path.duration, steps + 1)
        found = solve_index3(servo, grid, "radau7")
        assert found.interpolation_order == 4
        assert found.controls(grid) == pytest.approx(found.u, abs=1e-9)
        errors.append(np.abs(found.controls(times) - exact).max())
    assert np.log2(errors[0] / errors[1]) > 2.5


def test_velocities_and_accelerations_are_derivatives_of_the_coordinates(problem) -> None:
    servo = problem("cablev-general")
    h = 1e-3
    times = np.array([0.0, 3.0 - h, 3.0, 3.0 + h, 20.0])
    found = solve_index1(servo, times)
    difference = (found.q[3] - found.q[1]) / (2 * h)
    second = (found.q[3] - 2 * found.q[2] + found.q[1]) / h**2
    # Central differences: error of order h^2 times the third or fourth derivative.
    assert difference == pytest.approx(found.v[2], abs=1e-6)
    assert second == pytest.approx(found.a[2], abs=1e-6)


def test_csv_has_the_columns_of_the_design_and_reads_back_exactly(problem) -> None:
    found = solve_index1(problem("overhead"), np.linspace(0.0, 3.0, 31))
    text = io.StringIO()
    found.write_csv(text)
    text.seek(0)
    rows = list(csv.reader(text))
    assert rows[0] == [
        *("time", "gamma.x", "gamma.z"),
        *(f"{prefix}.{name}" for prefix in "qva" for name in ("s", "l", "x", "z")),
        *("u.F_t", "u.M_w", "lambda.lambda", "rope.T_cable"),
    ]
    values = np.array(rows[1:], dtype=float)
    assert (values[:, rows[0].index("u.F_t")] == found.u[:, 0]).all()
    assert (values[:, 0] == found.time).all()


def test_time_grid_ends_with_the_path() -> None:
    assert time_grid(3.0, 0.1).size == 31
    uneven = time_grid(1.0, 0.3)
    assert uneven == pytest.approx([0.0, 0.3, 0.6, 0.9, 1.0])


@pytest.mark.parametrize("step", [0.0, -1.0, float("nan"), float("inf"), 4.0, 1e-9])
def test_impossible_step_is_refused(step) -> None:
    with pytest.raises(InputError, match=r"solve\.step"):
        time_grid(3.0, step)
