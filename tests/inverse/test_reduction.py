"""Size reduction: the diagram commutes, and all numbers of coordinates give the same controls."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from cranebridge.errors import SolutionError, StructureError
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.index1.solvers import structure_of
from cranebridge.inverse.problem import ServoProblem
from cranebridge.inverse.stepping.index3 import force_scale
from cranebridge.inverse.stepping.size_reduction import (
    coordinate_map,
    extend_then_reduce,
    reduce_then_extend,
    reduced_problem,
    solve_minimal,
    start_of,
    to_base,
    to_reduced,
)
from cranebridge.inverse.stepping.time_steps import SCHEMES, collocate, integrate
from cranebridge.scenario import load_scenario
from cranebridge.twin import equations_of_motion
from cranebridge.twin.minimal import (
    OverheadCraneMinimal,
    RotaryCraneFromRedundant,
    RotaryCraneFromRotationless,
    RotaryCraneMinimal,
)

REDUCED = [
    OverheadCraneMinimal(),
    RotaryCraneMinimal(),
    RotaryCraneFromRedundant(),
    RotaryCraneFromRotationless(),
]
by_name = pytest.mark.parametrize("crane", REDUCED, ids=lambda crane: crane.name)


@by_name
def test_extension_and_reduction_commute(crane) -> None:
    # Thesis Fig. 5.1: the index-3 equations are the same, whichever comes first.
    random = np.random.default_rng(7)
    first, second = reduce_then_extend(crane), extend_then_reduce(crane)
    assert first.size_out(0) == second.size_out(0)
    for _ in range(20):
        point = [random.uniform(0.3, 2.0, first.size_in(i)) for i in range(4)]
        expected, found = (np.array(function(*point)) for function in (first, second))
        assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max()


@by_name
def test_null_space_matrix_annihilates_the_constraints_that_it_fulfils(crane) -> None:
    random = np.random.default_rng(3)
    model, kept = equations_of_motion(crane.base), {q.name for q in crane.multipliers}
    gone = [i for i, q in enumerate(crane.base.multipliers) if q.name not in kept]
    functions = coordinate_map(crane)
    G = ca.Function("G", [model.q, model.p], [model.constraints, model.constraint_jacobian])
    for _ in range(5):
        mu = random.uniform(0.3, 1.0, len(crane.coordinates))
        p = random.uniform(0.3, 1.0, len(crane.parameters))
        P = np.array(functions.matrix(mu, 0 * mu, p)[0])
        g, jacobian = (np.array(part) for part in G(functions.base(mu, 0 * mu, 0 * mu, p)[0], p))
        assert np.abs(g[gone]).max() < 1e-14
        assert np.abs((jacobian @ P)[gone]).max() < 1e-13
        assert np.linalg.matrix_rank(P) == len(crane.coordinates)


@pytest.mark.parametrize("name", ["overhead", "rotary", "rotary-rotationless"])
def test_motions_go_there_and_back(name, problem, exact) -> None:
    servo, solution = problem(name), exact(name, 10)
    crane = {type(c.base): c for c in REDUCED}[type(servo.crane)]
    rows = [
        to_reduced(crane, servo, solution.q[k], solution.v[k], solution.a[k]) for k in range(11)
    ]
    mu, nu, alpha = (np.array(part) for part in zip(*rows, strict=True))
    back = to_base(crane, servo, mu, nu, alpha, solution.u)
    for found, expected in (
        (back.q, solution.q),
        (back.v, solution.v),
        (back.a, solution.a),
        (back.lam, solution.lam),
        (back.ropes, solution.ropes),
    ):
        assert found == pytest.approx(expected, abs=1e-9 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("name", ["overhead", "rotary"])
def test_both_ways_give_the_same_motion(name, problem) -> None:
    servo = problem(name)
    crane = {type(c.base): c for c in REDUCED}[type(servo.crane)]
    own = reduced_problem(servo, crane)
    structure = structure_of(own)
    start = np.concatenate(list(start_of(crane, servo).values()))
    scale = force_scale(structure, start[: len(crane.coordinates)], own)
    times = np.linspace(0.0, servo.path.duration, 101)
    # Thesis (5.91): the derivatives of rope length and swing angles are dummies.
    dummies = tuple(range(len(crane.coordinates)))[-len(crane.outputs) :]
    found = []
    for residual in (reduce_then_extend(crane), extend_then_reduce(crane)):
        stepper = collocate(structure, SCHEMES["radau5"], dummies, residual)
        found.append(integrate(stepper, own, times, start, scale)[:, -len(crane.inputs) :])
    assert found[0] == pytest.approx(found[1], abs=1e-9 * np.abs(found[0]).max())
    exact = solve_index1(servo, times).u
    assert np.abs(found[0] - exact).max() < 0.02 * np.abs(exact).max()


@pytest.mark.parametrize(("name", "combined"), [("overhead", 1), ("rotary", 2)])
def test_minimal_coordinates_have_the_structure_of_the_base(name, combined, problem) -> None:
    # Rows of motion are combinations of the servo rows, which no pattern of entries shows.
    servo = problem(name)
    crane = {type(c.base): c for c in REDUCED}[type(servo.crane)]
    structure, base = structure_of(reduced_problem(servo, crane)), structure_of(servo)
    assert (structure.index, structure.internal_dynamics) == (5, 0)
    assert structure.path_derivatives == base.path_derivatives
    assert len(structure.combinations) == combined


@pytest.mark.parametrize("name", ["overhead", "rotary", "rotary-light", "rotary-rotationless"])
def test_exact_solution_in_minimal_coordinates_is_that_of_index_1(name, problem) -> None:
    servo = problem(name)
    times = np.linspace(0.0, servo.path.duration, 201)
    found, exact = solve_minimal(servo, times), solve_index1(servo, times)
    assert found.max_residual < 1e-13
    for part in ("q", "v", "a", "u", "lam", "ropes"):
        expected = getattr(exact, part)
        assert getattr(found, part) == pytest.approx(expected, abs=1e-11 * np.abs(expected).max())


def light_crane_of_winches() -> ServoProblem:
    """Return the 10-coordinate crane with the data of thesis Table 4.1."""
    servo = load_scenario("rotary-redundant").problem
    table = {"m": 10.0, "m_0": 53.0, "J_w": 0.02, "r_w": 0.1, "J_b": 19.01}
    return ServoProblem(servo.crane, servo.path, servo.crane.parameter_values(table))


def test_rotary_crane_in_42_10_6_and_5_coordinates_has_the_same_controls(problem) -> None:
    times = np.linspace(0.0, 20.0, 401)
    light, winches = problem("rotary-light"), light_crane_of_winches()
    controls = {
        42: solve_index1(problem("rotary-rotationless"), times).u,
        6: solve_index1(light, times).u,
        5: solve_minimal(light, times).u,
    }
    p = winches.parameters
    first, second, slewing = solve_index1(winches, times).u.T
    # Reference Section 4: F_t = M_1/r_1 + M_2/r_2, M_w = r_w M_2/r_2.
    trolley = first / p["r_1"] + second / p["r_2"]
    controls[10] = np.column_stack([slewing, trolley, p["r_w"] * second / p["r_2"]])
    for count, found in controls.items():
        assert np.abs(found - controls[6]).max() < 1e-8, f"{count} coordinates"
    assert np.abs(controls[6]).max(axis=0) == pytest.approx([16.1099, 9.5580, 9.9177], abs=2e-3)


def test_reduced_crane_of_winches_is_the_crane_in_6_coordinates(problem) -> None:
    winches = light_crane_of_winches()
    reduced = reduced_problem(winches, RotaryCraneFromRedundant())
    structure = structure_of(reduced)
    assert (structure.index, structure.flat) == (5, True)
    times = np.linspace(0.0, 20.0, 101)
    found, light = solve_index1(reduced, times), solve_index1(problem("rotary-light"), times)
    assert found.q == pytest.approx(light.q, abs=1e-12)
    assert found.u == pytest.approx(solve_index1(winches, times).u, abs=1e-9)


def test_minimal_solution_stops_at_a_singular_point() -> None:
    servo = load_scenario("rotary", ["path.goal=[-5.0, 0.0, -5.0]"]).problem
    with pytest.raises(SolutionError, match="singular near t = "):
        solve_minimal(servo, np.linspace(0.0, 20.0, 101))


def test_crane_without_minimal_coordinates_is_refused(problem) -> None:
    with pytest.raises(StructureError, match="no minimal coordinates"):
        solve_minimal(problem("navy2d"), np.linspace(0.0, 3.0, 11))
