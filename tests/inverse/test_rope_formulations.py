"""Ropes that stretch and weigh, in several formulations, against jets of 50 digits (B3)."""

from __future__ import annotations

import numpy as np
import pytest
from rope_cranes import ALL, Displacements, OneLump, Stretches, TwoLumps, TwoLumpsStretches

from cranebridge.errors import SolutionError
from cranebridge.inverse import ServoProblem, solve_index1
from cranebridge.path import Line, polynomial
from cranebridge.scenario import load_scenario
from cranebridge.twin import Crane
from cranebridge.twin.cranes import OverheadCrane

# F_t and M_w at 4.5 s, by lumps: ../shared/benchmarks/ropes-friction-loops.md.
CONTROLS = {
    0: (-13013.079940862808, -18941.9392602422),
    1: (-18898.88091529609, -18767.949630194245),
    2: (-23752.4049812143, -19442.52664846533),
}
RANGE = 4e4  # N, N*m: the controls' range along the path


def problem_of(crane: Crane, lumps: int, **parameters: float) -> ServoProblem:
    path = Line(("x", "z"), (0.0, -20.0), (6.0, -10.0), polynomial(6.0, smoothness=4 + 2 * lumps))
    return ServoProblem(crane, path, crane.parameter_values(parameters))


@pytest.mark.parametrize(("crane", "lumps"), ALL, ids=lambda value: getattr(value, "name", ""))
def test_controls_of_elastic_ropes_are_the_reference(crane, lumps) -> None:
    found = solve_index1(problem_of(crane, lumps), np.array([0.0, 4.5, 6.0]), "never")
    # positions of 20 m and EA = 2e7 N: rounding of forces is 1e-16 EA, in each of up to eight
    # derivatives over fractions of a second some hundred times larger
    assert np.abs(found.u[1] - CONTROLS[lumps]).max() < 1e-11 * RANGE


def test_stretches_are_exact_for_stiff_ropes_and_displacements_lose_digits_only() -> None:
    # The force EA (d - l) / l carries the rounding of d times EA; the massless stretch is no
    # difference of large lengths.
    for stiffness, most in ((2e8, 1e-9), (2e10, 1e-7)):
        for crane, exact, lumps in (
            (Displacements(), Stretches(), 0),
            (TwoLumps(), TwoLumpsStretches(), 2),
        ):
            times = np.linspace(0.0, 6.0, 13)
            one, other = (
                solve_index1(problem_of(form, lumps, EA=stiffness), times, "never")
                for form in (crane, exact)
            )
            assert np.abs(one.u - other.u).max() < most * RANGE
            assert max(other.residual.values()) < 1e-13


def test_a_load_of_a_thousand_tons_is_not_singular_in_rotationless_coordinates() -> None:
    # Newtons beside directors of length one: unscaled, the least singular value is below 1e-13.
    rotationless = load_scenario("rotary-rotationless", ["crane.m=1e6"]).problem
    p = rotationless.parameters
    same = {
        "m_t": p["m_2"] + p["m_3"],
        "J_b": sum(p[f"E_{i}{k}"] for i in (1, 2, 3) for k in (1, 2)),
        "J_w": 2.0 * p["E_31"],
    }
    values = [f"crane.{name}={value!r}" for name, value in same.items()]
    rotary = load_scenario("rotary", ["crane.m=1e6", *values]).problem
    times = np.linspace(0.0, 20.0, 21)
    one, other = (solve_index1(problem, times, "never") for problem in (rotationless, rotary))
    # torques of 1e6 N*m, rounded to 1e-16, and what the tower's condition of 36 makes of it
    assert np.abs(one.u - other.u).max() < 1e-7


def test_a_rope_that_goes_slack_is_the_reason_that_is_said() -> None:
    # down 7 m in 1.2 s: faster than gravity pulls it
    path = Line(("x", "z"), (0.0, -2.0), (1.0, -9.0), polynomial(1.2, smoothness=4))
    problem = ServoProblem(OverheadCrane(), path, OverheadCrane().parameter_values())
    said = r"stage -2 is singular near t = 0\.13\d+ s: .*; rope T_cable goes slack there .* slower"
    with pytest.raises(SolutionError, match=said):
        solve_index1(problem, np.array([0.0, 1.2]), "never")


def test_a_slewing_axis_is_no_cause_on_a_crane_without_one() -> None:
    path = Line(("x", "z"), (0.0, -10.0), (1.0, -20.0), polynomial(1.5, smoothness=6))
    problem = ServoProblem(OneLump(), path, OneLump().parameter_values())
    with pytest.raises(SolutionError, match="a typical cause is a load that falls as fast"):
        solve_index1(problem, np.array([0.0, 1.5]), "never")
