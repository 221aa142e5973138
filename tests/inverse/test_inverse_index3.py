"""The index-3 method: exactness, orders, agreement with the thesis, and what it must not do."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from cranebridge.errors import SolutionError, StructureError
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.index1.solvers import structure_of
from cranebridge.inverse.stepping.index3 import (
    build_stepper,
    choose_dummies,
    force_scale,
    initial_state,
    solve_index3,
)
from cranebridge.inverse.stepping.time_steps import SCHEMES, collocation, integrate, radau
from cranebridge.scenario import load_scenario
from further import mostly_further

EXAMPLES = Path(__file__).parents[2] / "examples"


def errors(servo, scheme: str, steps: list[int]) -> list[float]:
    """Largest error of the controls against the exact solution, relative to their size."""
    found = []
    for count in steps:
        times = np.linspace(0.0, servo.path.duration, count + 1)
        exact = solve_index1(servo, times).u
        scale = np.abs(exact).max(axis=0)
        difference = np.abs(solve_index3(servo, times, scheme).u - exact)
        found.append(float((difference / scale).max()))
    return found


# Steps at which the order has settled (it still rises at coarser ones, as in the thesis).
STEPS = {"euler": 1600, "radau5": 800, "radau7": 400}


@pytest.mark.parametrize(
    ("scheme", "name"),
    mostly_further(
        product(STEPS, ["overhead", "rotary", "navy2d-safe", "navy2d-pulley-safe"]),
        *((scheme, "overhead") for scheme in STEPS),
        *(("euler", "navy2d-safe"), ("radau7", "rotary"), ("radau7", "navy2d-pulley-safe")),
    ),
)
def test_controls_converge_with_the_order_of_the_scheme(name, scheme, problem) -> None:
    steps = STEPS[scheme]
    coarse, fine = errors(problem(name), scheme, [steps, 2 * steps])
    assert np.log2(coarse / fine) == pytest.approx(SCHEMES[scheme].order, abs=0.12)


@pytest.mark.parametrize(
    "name",
    [
        "overhead",
        "rotary",
        "rotary-redundant",
        "navy2d",
        "navy2d-pulley-safe",
        "navy3d",
        "cablev-translate",
        "cablev-rotate",
        "cablev-general",
    ],
)
@pytest.mark.parametrize("steps", [20, 77])
def test_coordinates_of_index_5_cranes_are_exact_at_any_step(name, steps, problem) -> None:
    servo = problem(name)
    times = np.linspace(0.0, servo.path.duration, steps + 1)
    assert np.abs(solve_index3(servo, times).q - solve_index1(servo, times).q).max() < 1e-10


@pytest.mark.parametrize(
    "name",
    ["overhead", "rotary", "rotary-redundant", "navy2d-pulley", "navy3d", "cablev-translate"],
)
def test_backward_euler_has_the_errors_of_the_reference(name, problem, case) -> None:
    servo = problem(name)
    for row in case(name)["verification"]["backward_euler"]:
        times = np.arange(0.0, servo.path.duration + 0.5 * row["dt"], row["dt"])
        times[-1] = servo.path.duration
        error = np.abs(solve_index3(servo, times).u - solve_index1(servo, times).u).max()
        # The same scheme in another program: equal but for the printed digits.
        assert error == pytest.approx(row["err_u"], rel=2e-4)


def test_index_7_crane_is_no_longer_exact_and_says_so(problem) -> None:
    servo = problem("navy3d-pulley-safe")
    coordinate_errors, control_errors = [], []
    for steps in (400, 800):
        times = np.linspace(0.0, servo.path.duration, steps + 1)
        found, exact = solve_index3(servo, times), solve_index1(servo, times)
        coordinate_errors.append(np.abs(found.q - exact.q).max())
        control_errors.append(np.abs(found.u - exact.u).max())
    assert "index 7" in found.notes[0]
    assert "leaves index 5" in found.notes[0]
    assert coordinate_errors[0] > 1e-6
    for coarse, fine in (coordinate_errors, control_errors):
        assert np.log2(coarse / fine) == pytest.approx(1.0, abs=0.1)


def test_higher_schemes_are_refused_on_the_index_7_crane(problem) -> None:
    servo = problem("navy3d-pulley-safe")
    with pytest.raises(StructureError, match="controls of radau5 do not converge"):
        solve_index3(servo, np.linspace(0.0, 20.0, 101), "radau5")


def test_mid_point_rule_oscillates_where_radau_does_not(problem) -> None:
    # The mid-point rule alternates v_(n+1) = 2 (q_(n+1) - q_n) / h - v_n: an error in the velocity
    # never dies, and the controls, its difference, carry it divided by h.
    servo = problem("overhead")
    structure = structure_of(servo)
    q, v, rest = initial_state(servo, structure)
    dummies = choose_dummies(structure.model, q, servo.parameter_vector)
    scale = force_scale(structure, q, servo)
    times = np.linspace(0.0, servo.path.duration, 301)
    middle = 0.5 * (times[1:] + times[:-1])
    found = {}
    for scheme in (collocation("midpoint", np.array([0.5]), 2), SCHEMES["euler"]):
        stepper = build_stepper(structure, scheme, dummies)
        z = integrate(stepper, servo, times, np.concatenate([q, v, rest]), scale)
        at = middle if scheme.name == "midpoint" else times[1:]
        found[scheme.name] = (
            z[1:, -2] - solve_index1(servo, np.append(np.insert(at, 0, 0.0), 3.0)).u[1:-1, 0]
        )
    changes = {name: np.diff(np.sign(error)) for name, error in found.items()}
    # Nearly every step changes the sign of the mid-point rule's error, nearly none of Euler's.
    assert (changes["midpoint"] != 0).mean() > 0.9
    assert (changes["euler"] != 0).mean() < 0.1


def test_radau_with_three_stages_has_the_published_coefficients() -> None:
    # Hairer and Wanner II, Table IV.5.6
    r = np.sqrt(6.0)
    scheme = radau(3)
    assert scheme.c == pytest.approx([(4 - r) / 10, (4 + r) / 10, 1.0], abs=1e-14)
    assert scheme.A[2] == pytest.approx([(16 - r) / 36, (16 + r) / 36, 1 / 9], abs=1e-14)
    assert scheme.A[0, 0] == pytest.approx((88 - 7 * r) / 360, abs=1e-14)
    assert scheme.b == pytest.approx(scheme.A[2], abs=1e-14)


def test_crane_with_internal_dynamics_keeps_the_energy_balance() -> None:
    # Independent of the method: T + V grows by the work of the drives.
    scenario = load_scenario(str(EXAMPLES / "hook_path.toml"))
    times = np.linspace(0.0, 8.0, 1601)
    found = solve_index3(scenario.problem, times, "radau7")
    p = found.problem.parameters
    v, q = found.v.T, found.q.T
    kinetic = 0.5 * (
        p["m_t"] * v[0] ** 2
        + p["J"] / p["r"] ** 2 * v[1] ** 2
        + p["m_h"] * (v[2] ** 2 + v[3] ** 2)
        + p["m"] * (v[4] ** 2 + v[5] ** 2)
    )
    energy = kinetic + p["g"] * (p["m_h"] * q[3] + p["m"] * q[5])
    power = found.u[:, 0] * v[0] + found.u[:, 1] * v[1] / p["r"]
    from scipy.integrate import simpson

    work = simpson(power, x=times)
    assert energy[-1] - energy[0] == pytest.approx(work, rel=1e-7)
    assert abs(energy[-1] - energy[0]) > 100.0
    assert np.abs(found.q[:, 2:4] - found.gamma).max() < 1e-12


def test_step_over_the_tower_axis_is_refused() -> None:
    servo = load_scenario("rotary", ["path.goal=[-5.0, 0.0, -5.0]"]).problem
    with pytest.raises(SolutionError, match="singular"):
        solve_index3(servo, np.linspace(0.0, 20.0, 8))


@pytest.mark.parametrize(
    ("name", "steps", "time"), [("rotary-redundant", 1, "20"), ("rotary-rotationless", 8, "5")]
)
def test_step_that_newton_cannot_solve_is_refused_with_its_time(name, steps, time, problem) -> None:
    # Residuals of 22 and 0.03 remain after the last iteration, finite numbers that look like some.
    servo = problem(name)
    with pytest.raises(SolutionError, match=rf"the step to t = {time} s does not converge"):
        solve_index3(servo, np.linspace(0.0, 20.0, steps + 1))


def test_progress_is_told(problem) -> None:
    told: list[float] = []
    solve_index3(problem("overhead"), np.linspace(0.0, 3.0, 251), "euler", told.append)
    assert told == pytest.approx([0.4, 0.8, 1.0])


def test_steps_that_miss_the_knots_are_told(problem) -> None:
    servo = problem("rotary")
    missed = solve_index3(servo, np.linspace(0.0, 20.0, 62), "radau5")
    assert "knots at 5 s, 15 s" in missed.notes[0]
    assert solve_index3(servo, np.linspace(0.0, 20.0, 61), "euler").notes == ()
    assert solve_index3(servo, np.linspace(0.0, 20.0, 61), "radau5").notes == ()
