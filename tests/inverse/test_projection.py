"""The projection method: agreement with index 3 and the exact solution, orders, refusals."""

from __future__ import annotations

from itertools import product

import casadi as ca
import numpy as np
import pytest

from cranebridge.errors import InputError, SolutionError, StructureError
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.index1.solvers import structure_of
from cranebridge.inverse.stepping.index3 import solve_index3
from cranebridge.inverse.stepping.projection import (
    COORDINATES,
    Split,
    choose_split,
    divide_by_mass,
    null_space,
    solve_projection,
)
from cranebridge.inverse.stepping.time_steps import SCHEMES
from cranebridge.scenario import load_scenario
from further import mostly_further

# Cranes that the method solves, with the coordinates in which it does.
SOLVED = [
    *(("overhead", coordinates) for coordinates in COORDINATES),
    *(("rotary", coordinates) for coordinates in COORDINATES),
    ("rotary-redundant", "redundant"),
    ("rotary-rotationless", "redundant"),
    ("rotary-rotationless", "minimal"),
    ("navy2d-pulley-safe", "redundant"),
    ("cablev-translate", "redundant"),
    ("cablev-translate", "dependent"),
    ("cablev-rotate", "dependent"),
    ("cablev-general", "redundant"),
    ("cablev-general", "dependent"),
]
# 42 coordinates are left to those who ask for them; the refusals below have them, too.
FEWER = [case for case in SOLVED if case[0] != "rotary-rotationless"]


def grid(servo, steps: int):
    return np.linspace(0.0, servo.path.duration, steps + 1)


def size(values):
    """Largest value of each signal; one that stays zero is measured by the largest of all."""
    largest = np.abs(values).max(axis=0)
    return np.where(largest > 1e-6 * largest.max(), largest, largest.max())


def error(found, exact) -> float:
    return float((np.abs(found.u - exact.u) / size(exact.u)).max())


@pytest.mark.parametrize(("name", "coordinates"), mostly_further(SOLVED, *FEWER))
def test_projection_has_the_errors_of_index_3(name, coordinates, problem) -> None:
    servo = problem(name)
    times = grid(servo, 100)
    exact = solve_index1(servo, times)
    found = solve_projection(servo, times, "euler", coordinates)
    extended = solve_index3(servo, times, "euler")
    assert found.max_residual < 1e-11
    assert found.q == pytest.approx(exact.q, abs=2e-5)
    # The same backward differences of the same coordinates.
    assert error(found, exact) == pytest.approx(error(extended, exact), rel=0.02)
    assert f"{coordinates})" in found.method


STEPS = {"euler": 800, "radau5": 500, "radau7": 300}


@pytest.mark.parametrize(
    ("scheme", "coordinates", "name"),
    mostly_further(
        product(STEPS, COORDINATES, ["overhead", "rotary"]),
        *(("euler", "redundant", "overhead"), ("euler", "dependent", "rotary")),
        *(("radau5", "minimal", "overhead"), ("radau5", "redundant", "rotary")),
        *(("radau7", "dependent", "overhead"), ("radau7", "minimal", "overhead")),
    ),
)
def test_controls_converge_with_the_order_of_the_scheme(name, coordinates, scheme, problem) -> None:
    servo, errors, steps = problem(name), [], STEPS[scheme]
    for count in (steps, 2 * steps):
        times = grid(servo, count)
        found = solve_projection(servo, times, scheme, coordinates)
        errors.append(error(found, solve_index1(servo, times)))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(SCHEMES[scheme].order, abs=0.2)


@pytest.mark.parametrize(("name", "coordinates"), mostly_further(SOLVED[:9], *FEWER[:7]))
def test_coordinates_and_rope_forces_are_exact_at_any_step(name, coordinates, problem) -> None:
    servo = problem(name)
    times = grid(servo, 37)
    found = solve_projection(servo, times, "euler", coordinates)
    exact = solve_index1(servo, times)
    assert np.abs(found.q - exact.q).max() < 1e-10
    if coordinates != "minimal":  # there they follow from the accelerations
        assert found.ropes == pytest.approx(exact.ropes, rel=1e-10)


def test_coordinates_of_cablev_are_exact_only_with_the_path_s_velocities(problem) -> None:
    # The platform's gyroscopic terms depend on velocities, and (4.33) never uses gamma'.
    servo = problem("cablev-general")
    times = grid(servo, 100)
    exact = solve_index1(servo, times)
    redundant = solve_projection(servo, times, "euler", "redundant")
    dependent = solve_projection(servo, times, "euler", "dependent")
    assert np.abs(dependent.q - exact.q).max() < 1e-12
    assert 1e-7 < np.abs(redundant.q - exact.q).max() < 1e-4


def test_index_7_crane_converges_with_first_order_and_says_what_is_left(problem) -> None:
    servo, errors = problem("navy3d-pulley-safe"), []
    for count in (200, 400):
        times = grid(servo, count)
        found = solve_projection(servo, times)
        errors.append(error(found, solve_index1(servo, times)))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1.0, abs=0.1)
    assert "index 7" in found.notes[0]
    with pytest.raises(StructureError, match="radau5 do not converge"):
        solve_projection(servo, times, "radau5")


@pytest.mark.parametrize("name", ["navy2d", "navy3d"])
@pytest.mark.parametrize("coordinates", ["redundant", "dependent"])
def test_cranes_with_a_massless_pulley_are_refused(name, coordinates, problem) -> None:
    servo = problem(name)
    with pytest.raises(StructureError, match=r"mass matrix is singular, x_0, .*carry no mass"):
        solve_projection(servo, grid(servo, 100), "euler", coordinates)


@pytest.mark.parametrize(
    ("name", "massless"),
    [
        ("rotary-redundant", "L_1, L_2"),
        ("navy2d-pulley-safe", "L_0"),
        ("rotary-rotationless", "theta_b"),
    ],
)
def test_dependent_form_is_refused_where_it_divides_by_a_missing_mass(
    name, massless, problem
) -> None:
    servo = problem(name)
    with pytest.raises(StructureError, match=f"mass matrix is singular in {massless},"):
        solve_projection(servo, grid(servo, 100), "euler", "dependent")


def test_cranes_without_a_coordinate_map_are_refused_in_minimal_coordinates(problem) -> None:
    servo = problem("cablev-translate")
    with pytest.raises(StructureError, match="no minimal coordinates are known for crane 'cablev'"):
        solve_projection(servo, grid(servo, 100), "euler", "minimal")


def test_wrong_names_get_the_closest_match(problem) -> None:
    servo = problem("overhead")
    with pytest.raises(InputError, match="Did you mean 'dependent'"):
        solve_projection(servo, grid(servo, 10), "euler", "dependend")
    with pytest.raises(InputError, match=r"Did you mean 'radau[57]'"):
        solve_projection(servo, grid(servo, 10), "radau")


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_path_through_the_tower_axis_is_refused(coordinates) -> None:
    servo = load_scenario("rotary", ["path.goal=[-5.0, 0.0, -5.0]"]).problem
    with pytest.raises(SolutionError, match="singular"):
        solve_projection(servo, grid(servo, 8), "euler", coordinates)


def slewed(angle: float):
    """Return the rotary crane of rotationless bodies with massive drives, slewed by an angle."""
    masses = ["crane.J_slew=1.0", "crane.m_drive=1.0", "crane.J_hoist=0.1"]
    ends = ["path.start=[5.0, 0.0, -5.0]", f"path.goal=[5.0, {angle!r}, -5.0]"]
    path = ["path.kind='cylindrical'", *ends]
    return load_scenario("rotary-rotationless", [*masses, *path]).problem


def test_null_space_matrix_that_degenerates_between_two_steps_is_told_with_its_time() -> None:
    # The winch's y and the trolley's s are free coordinates: at a right angle they are the same.
    servo = slewed(2.5)
    fine = np.linspace(0.0, 20.0, 2001)
    theta = solve_index1(servo, fine, "never").q[:, -3]
    square = fine[np.argmax(theta > np.pi / 2)]
    for steps in (20, 50):
        with pytest.raises(
            SolutionError, match=r"null-space matrix of crane .* degenerates"
        ) as told:
            solve_projection(servo, grid(servo, steps), "euler", "dependent")
        time = float(str(told.value).split("t = ")[1].split(" s")[0])
        assert square <= time <= square + 20.0 / steps
    solve_projection(slewed(1.5), grid(servo, 20), "euler", "dependent")


def test_null_space_matrix_that_is_degenerate_at_the_goal_is_told() -> None:
    # Nothing changes its sign, a free coordinate is left with 1e-8 of its influence.
    servo = slewed(np.pi / 2 - 1e-8)
    with pytest.raises(SolutionError, match=r"null-space matrix of crane .* near t = 20 s"):
        solve_projection(servo, grid(servo, 20), "euler", "dependent")


def test_path_that_is_not_smooth_enough_is_refused() -> None:
    servo = load_scenario("overhead", ["path.smoothness=3"]).problem
    for coordinates in COORDINATES:
        with pytest.raises(StructureError, match="not smooth enough"):
            solve_projection(servo, grid(servo, 10), "euler", coordinates)


@pytest.mark.parametrize("dependent", [False, True])
@pytest.mark.parametrize("name", ["overhead", "rotary", "cablev-general"])
def test_null_space_matrix_is_one(name, dependent, problem, exact) -> None:
    servo, solution = problem(name), exact(name, 20)
    model, p = structure_of(servo).model, servo.parameter_vector
    split = choose_split(model, solution.q[0], p, dependent)
    C = ca.jacobian(model.outputs, model.q)
    A = ca.vertcat(C, model.constraint_jacobian) if dependent else C
    D = null_space(A, split.pivots)
    if not dependent:
        assert D.is_constant()
    values = ca.Function("AD", [model.q, model.p], [A @ D, ca.densify(D)])
    for q in solution.q:
        product, matrix = (np.array(part) for part in values(q, p))
        assert np.abs(product).max() < 1e-13
        assert np.linalg.matrix_rank(matrix) == D.shape[1] == A.shape[1] - A.shape[0]


def test_null_space_matrix_of_load_coordinates_is_boolean(problem) -> None:
    # Thesis (4.64): the drives' rows of the identity.
    model = structure_of(problem("overhead")).model
    C = ca.jacobian(model.outputs, model.q)
    assert np.array(ca.DM(null_space(C, (2, 3)))).tolist() == np.eye(4)[:, :2].tolist()


def test_null_space_matrix_of_the_rotary_crane_is_that_of_blajer(problem, exact) -> None:
    # Paper (16) and thesis (4.108), in the form for the constraint (L^2 - l^2) / 2.
    servo, q = problem("rotary"), exact("rotary", 4).q[2]
    model, p = structure_of(servo).model, servo.parameter_vector
    split = choose_split(model, q, p, dependent=True)
    assert split == Split(True, (2, 3, 4, 5), (3, 4, 5))
    A = ca.vertcat(ca.jacobian(model.outputs, model.q), model.constraint_jacobian)
    D = np.array(ca.Function("D", [model.q, model.p], [null_space(A, split.pivots)])(q, p))
    phi, s, length, x, y, _ = q
    first = (x * np.sin(phi) - y * np.cos(phi)) * s / length
    second = (s - x * np.cos(phi) - y * np.sin(phi)) / length
    assert pytest.approx(np.array([[1, 0, first, 0, 0, 0], [0, 1, second, 0, 0, 0]]).T) == D


def test_division_leaves_masses_that_the_rows_do_not_touch_alone(problem) -> None:
    servo = problem("navy2d-pulley-safe")
    model = structure_of(servo).model
    rows = divide_by_mass(model, ca.jacobian(model.outputs, model.q))
    values = np.array(ca.Function("W", [model.p], [ca.densify(rows)])(servo.parameter_vector))
    p = servo.parameters
    assert values.max(axis=1) == pytest.approx([1 / p["m"], 1 / p["m"], 1 / p["m_0"]])
    assert (values != 0.0).sum() == 3
