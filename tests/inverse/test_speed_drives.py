"""Velocity references of drives with a PI speed loop, against closed forms."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from cranebridge.errors import InputError
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import ServoProblem, time_grid
from cranebridge.inverse.sampling import cycle_times, sample
from cranebridge.inverse.speed_drives import (
    SpeedDrive,
    require_speed_drives,
    speed_references,
    with_speeds,
)
from cranebridge.path import make_path
from cranebridge.twin import find_crane

sys.path.append(str(Path(__file__).parents[1] / "verify"))
from cart import Cart

MASS, DURATION, WAY = 2.0, 2.0, 3.0
PATH = {"kind": "line", "start": [0.0], "goal": [WAY], "duration": DURATION, "smoothness": 4}


def moved_cart(step: float) -> Feedforward:
    path = make_path({**PATH, "profile": "polynomial"}, ("s",), {"s": "m"})
    problem = ServoProblem(Cart(), path, {"m": MASS})
    return solve_index1(problem, time_grid(DURATION, step))


def way_of_the_cart() -> Polynomial:
    """The polynomial in time whose first four derivatives are zero at both ends."""
    tau = Polynomial([0.0, 1.0])
    step = ((tau**4) * (1.0 - tau) ** 4).integ()
    return WAY / step(1.0) * step(Polynomial([0.0, 1.0 / DURATION]))


def integral_in_closed_form(kp: float, ki: float) -> tuple[Polynomial, float]:
    """Return e = P(t) + c exp(-ki t / kp), the solution of e' = (m s'' - ki e) / kp, e(0) = 0.

    P = sum of (-1)^j g^(j) / a^(j+1) with g = m s'' / kp, a = ki / kp: its terms cancel in P' + a P
    but for g, and g has only ten derivatives.
    """
    g, a = MASS / kp * way_of_the_cart().deriv(2), ki / kp
    P = sum((-1.0) ** j / a ** (j + 1) * (g.deriv(j) if j else g) for j in range(10))
    return P, -P(0.0)


@pytest.mark.parametrize(("kp", "ki"), [(50.0, 200.0), (4.0, 60.0)])
def test_reference_of_a_single_mass_is_the_closed_form_with_fourth_order(kp, ki) -> None:
    P, c = integral_in_closed_form(kp, ki)
    a, way = ki / kp, way_of_the_cart()
    inside = np.linspace(0.0, DURATION, 777)
    after = DURATION + np.linspace(0.01, 1.0, 50)
    e = P(inside) + c * np.exp(-a * inside)
    w = way.deriv()(inside) + P.deriv()(inside) - a * c * np.exp(-a * inside)
    errors = []
    for step in (0.02, 0.01):
        found = speed_references(moved_cart(step), [SpeedDrive("F", "s", kp, ki)])
        errors.append(np.abs(found.speeds(inside)[:, 0] - w).max())
        assert np.abs(found.integrals(inside)[:, 0] - e).max() < errors[-1]
        # at rest, where no force is needed, what the drive has integrated fades out
        fading = e[-1] * np.exp(-a * (after - DURATION))
        # cubics with steps of a fortieth of the time constant: 1e-9 of what is left
        tail = errors[-1] + 1e-8 * a * abs(e[-1])
        assert np.abs(found.speeds(after)[:, 0] + a * fading).max() < tail
        assert abs(found.speeds(found.times[-1])[0]) < 1e-15
    assert errors[1] < 1e-6
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.15)


def test_reference_without_integral_is_velocity_and_force_over_gain() -> None:
    found = speed_references(moved_cart(0.01), [SpeedDrive("F", "s", 50.0)])
    way, times = way_of_the_cart(), time_grid(DURATION, 0.01)
    wanted = way.deriv()(times) + MASS / 50.0 * way.deriv(2)(times)
    assert found.speeds(times)[:, 0] == pytest.approx(wanted, abs=1e-12)
    assert found.times[-1] == DURATION


def test_the_held_force_makes_no_reference(exact) -> None:
    """A winch that holds its load with 98.1 N m rests with a reference of zero."""
    solution = exact("overhead", 300)
    drives = [SpeedDrive("F_t", "s", 2e3, 2e4), SpeedDrive("M_w", "l", 4e2, 4e3)]
    found = speed_references(solution, drives)
    assert found.hold == pytest.approx([0.0, -98.1], abs=1e-10)
    assert found.speeds(0.0) == pytest.approx([0.0, 0.0], abs=1e-12)
    # inputs without a speed loop stay forces
    mixed = speed_references(solution, drives[:1]).inputs(solution.time)
    assert mixed[:, 1] == pytest.approx(solution.u[:, 1], rel=1e-12)
    assert mixed[:, 0] == pytest.approx(found.speeds(solution.time)[:, 0], abs=1e-12)


def test_rates_in_tables_are_the_slopes_of_the_references(exact) -> None:
    solution = exact("overhead", 300)
    drives = [SpeedDrive("F_t", "s", 2e3, 2e4)]
    found = speed_references(solution, drives)
    table = with_speeds(sample(solution, cycle_times(solution, 0.01)), found, 0.01)
    h = 1e-4
    times = table.time[1:-1]
    slope = (found.speeds(times + h) - found.speeds(times - h)) / (2.0 * h)
    knots = np.abs(np.subtract.outer(times, solution.problem.path.knots)).min(axis=1) < 2 * h
    # what cubics between steps of 0.01 s lose: 1e-7 m/s, times 2 / h of the step
    assert np.abs(table.rates["w"][1:-1] - slope)[~knots].max() < 1e-3
    # rows after the end, until nothing is left; who holds the last value does not creep
    assert table.time[-1] > solution.time[-1] + 0.5
    assert abs(table.values["w"][-1, 0]) < 1e-15
    assert np.array_equal(table.values["q"][-1], solution.q[-1])


@pytest.mark.parametrize(
    ("drive", "told"),
    [
        (SpeedDrive("F", "s", 1.0), "unknown input in plant.speed 'F'. Did you mean 'F_t'"),
        (SpeedDrive("F_t", "y", 1.0), "unknown coordinate in plant.speed.F_t 'y'"),
        (SpeedDrive("F_t", "x", 1.0), "F_t does not act on coordinate 'x' of crane 'overhead'"),
        (SpeedDrive("F_t", "s", 0.0), r"plant\.speed\.F_t\.kp must be a number that is not zero"),
        (SpeedDrive("F_t", "s", 1.0, -1.0), "ki must not have another sign than kp = 1"),
    ],
)
def test_drives_that_make_no_loop_are_refused(drive, told) -> None:
    with pytest.raises(InputError, match=told):
        require_speed_drives(find_crane("overhead"), [drive], "plant.speed")


def test_a_loop_that_pushes_away_is_refused() -> None:
    with pytest.raises(InputError, match="kp = -5 must have the other sign"):
        speed_references(moved_cart(0.1), [SpeedDrive("F", "s", -5.0, -1.0)])
