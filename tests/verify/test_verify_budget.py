"""The integrator's part of the budget: differences that fall, interpolation, rounding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cranebridge.job import verify_scenario
from cranebridge.plan.plain import in_pieces
from cranebridge.scenario import load_scenario
from cranebridge.verify.budget import Budget, Runs, largest_rounding, make_budget

TIMES = np.linspace(0.0, 10.0, 101)


def budget_of(first: float, second: float, rounding: float) -> Budget:
    """The budget of runs whose differences are these, with exact controls."""
    own = np.full((TIMES.size, 1), first + second)
    tight, tighter = own - first, own - first - second
    return make_budget(first + second, Runs(TIMES, own, tight, tighter, tight, rounding), True, 0.0)


def test_differences_that_fall_are_summed_as_a_geometric_series() -> None:
    # order 2: 4 + 1 + 1/4 + ... = 16/3
    assert budget_of(4e-6, 1e-6, 1e-12).integrator == pytest.approx(16e-6 / 3.0)


@pytest.mark.parametrize("second", [0.95e-6, 3e-6])
def test_differences_that_do_not_fall_are_not_judged_and_a_smaller_step_is_asked_for(
    second: float,
) -> None:
    budget = budget_of(1e-6, second, 1e-12)
    assert budget.integrator is None
    verdict = budget.verdict()
    assert verdict.status == "not judged"
    assert "use a smaller plant.step" in verdict.message


def test_differences_that_are_rounding_are_the_part_themselves() -> None:
    budget = budget_of(1e-13, 3e-13, 1e-12)
    assert budget.integrator == pytest.approx(3e-13, rel=1e-3)
    assert budget.verdict().passed


def test_error_that_rounding_does_not_explain_fails() -> None:
    rounded = budget_of(1e-13, 3e-13, 1e-12)
    assert Budget(1e-9, 0.0, rounded.integrator, 0.0).verdict().status == "failed"


def test_rounding_of_sums_stays_below_its_bound() -> None:
    # 1/10 is no binary number: a sum of 10^5 of them is off by rounding, all in one direction.
    steps = 100_000
    summed = np.cumsum(np.full(steps, 0.1))
    off = np.abs(summed - 0.1 * np.arange(1, steps + 1)).max()
    bound = largest_rounding(summed, steps)
    assert 1e-5 * bound < off < bound


def test_bridge_in_steps_as_fine_as_rounding_is_judged() -> None:
    # FMI 3 asks for its controls within each step: steps of 0.02 s and less differ by rounding.
    settings = ["plant.fmi='3.0'", "plant.interface=cs", "plant.step=0.02"]
    verified = verify_scenario(load_scenario("bridge", settings))
    budget = verified.tracking.budget
    assert budget.integrator < 1e-12
    assert next(v for v in verified.verdicts if v.name == "error explained").passed
    assert verified.exit_code == 0


@pytest.mark.parametrize(
    ("name", "pieces"),
    [
        ("gantry", 24),  # the error is largest in the middle of one long step
        ("overhead", 40),  # steps from knot to knot, the same with every tolerance
    ],
)
def test_what_is_interpolated_within_a_step_is_the_integrators_part(name: str, pieces: int) -> None:
    scenario = load_scenario(name, ["solve.step=0.001", "plant.tolerance=1e-6"])
    path = in_pieces(scenario.problem.path, 4, pieces)
    verified = verify_scenario(replace(scenario, problem=replace(scenario.problem, path=path)))
    budget = verified.tracking.budget
    assert budget.verdict().passed
    # with exact controls on a plant that is the twin there is nothing else
    assert max(budget.sampling, budget.model) < 0.01 * budget.error
    assert budget.integrator == pytest.approx(budget.error, rel=0.15)


def test_rounding_over_all_steps_is_all_that_passes_unexplained() -> None:
    none = np.zeros((TIMES.size, 1))
    rounding = largest_rounding(none + 30.0, 1000)
    for error, status in ((0.9 * rounding, "passed"), (1.1 * rounding, "failed")):
        runs = Runs(TIMES, none + error, none + error, None, none + error, rounding)
        assert make_budget(error, runs, True, 0.0).verdict().status == status
