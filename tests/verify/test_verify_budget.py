"""The integrator's part in Co-Simulation: from differences that fall, or that are rounding."""

from __future__ import annotations

import numpy as np
import pytest

from cranebridge.job import verify_scenario
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


def test_rounding_of_the_outputs_is_no_difference_of_plant_and_twin() -> None:
    """Less than 1e-11 of the outputs passes where nothing else explains it; more fails."""
    none = np.zeros((TIMES.size, 1))
    small, large = none + 2e-10, none + 2e-9
    for error, status in ((small, "passed"), (large, "failed")):
        runs = Runs(TIMES, error, error, None, error)
        budget = make_budget(float(error.max()), runs, True, 0.0, size=30.0)
        assert budget.verdict().status == status
