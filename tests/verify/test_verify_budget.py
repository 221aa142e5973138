"""The integrator's part of the budget: differences that fall, interpolation, rounding."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from cranebridge.job import verify_on_twin, verify_scenario
from cranebridge.job.campaign.campaign_work import scenario_work
from cranebridge.limits.verdict import Verdict
from cranebridge.plan.flat.plain_stop import in_pieces
from cranebridge.scenario import load_scenario
from cranebridge.verify.budget import (
    PARTS,
    Budget,
    BudgetRuns,
    known_well,
    largest_rounding,
    make_budget,
    tight_tolerance,
)
from cranebridge.verify.tracking.figures import Tracking

TIMES = np.linspace(0.0, 10.0, 101)


def budget_of(first: float, second: float, rounding: float) -> Budget:
    """The budget of runs whose differences are these, with exact controls."""
    own = np.full((TIMES.size, 1), first + second)
    tight, tighter = own - first, own - first - second
    return make_budget(
        first + second, BudgetRuns(TIMES, own, tight, tighter, tight, rounding), True, 0.0
    )


def test_differences_that_fall_are_summed_as_a_geometric_series() -> None:
    # order 2: 4 + 1 + 1/4 + ... = 16/3
    assert budget_of(4e-6, 1e-6, 1e-12).integrator == pytest.approx(16e-6 / 3.0)


@pytest.mark.parametrize("second", [0.95e-6, 3e-6])
def test_differences_that_do_not_fall_are_not_judged_and_a_smaller_step_is_asked_for(
    second: float,
) -> None:
    budget = budget_of(1e-6, second, 1e-12)
    assert budget.integrator is None
    verdict = budget.verdict(1e-3)
    assert verdict.status == "not judged"
    assert "use a smaller plant.step" in verdict.message


def test_differences_that_are_rounding_are_the_part_themselves() -> None:
    budget = budget_of(1e-13, 3e-13, 1e-12)
    assert budget.integrator == pytest.approx(3e-13, rel=1e-3)
    assert budget.verdict(1e-3).passed


def test_error_that_rounding_does_not_explain_fails() -> None:
    rounded = budget_of(1e-13, 3e-13, 1e-12)
    assert Budget(1e-9, 0.0, rounded.integrator, 0.0).verdict(1e-3).status == "failed"


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize(("model", "begins"), [(0.0, 5.1), (2e-6, 9.1), (1.0, None)])
def test_what_is_not_explained_begins_where_model_and_uncertainty_are_passed(
    model, begins, side
) -> None:
    # an error of t - 5 um with exact controls; the model may make 2 um and is known to as much
    off = side * 1e-6 * np.maximum(TIMES - 5.0, 0.0)[:, None]
    budget = make_budget(5e-6, BudgetRuns(TIMES, off, off, None, off), True, model)
    assert budget.begins == (None if begins is None else pytest.approx(begins))


@pytest.mark.parametrize(
    ("parts", "most"),
    [((1e-6, 0.0, 0.0), 1.1e-6), ((0.0, 1e-6, 0.0), 2e-6), ((0.0, 0.0, 1e-6), 2e-6)],
)
def test_each_part_explains_itself_and_what_is_not_known_of_it(parts, most) -> None:
    """Sampling is known to a tenth, the integrator's part to a factor of two, the model not."""
    assert Budget(0.999 * most, *parts).verdict(1e-3).passed
    assert Budget(1.001 * most, *parts).verdict(1e-3).status == "failed"


def test_error_in_proportion_to_the_tolerance_is_the_integrators_part() -> None:
    # a hundredth of the tolerance has a hundredth of the error: the difference is 0.99 of it
    own = np.full((TIMES.size, 1), 1e-6)
    runs = BudgetRuns(TIMES, own, 0.01 * own, None, 0.01 * own)
    assert make_budget(1e-6, runs, True, 0.0, tighter=0.01).integrator == pytest.approx(1e-6)
    # a run with a larger tolerance tells a bound
    runs = BudgetRuns(TIMES, 0.01 * own, own, None, own)
    assert make_budget(1e-8, runs, True, 0.0, tighter=100.0).integrator == pytest.approx(0.99e-6)


@pytest.mark.parametrize(
    ("own", "other"), [(1e-8, 1e-10), (1e-12, 1e-13), (2e-13, 2e-11), (1e-13, 1e-11)]
)
def test_comparison_run_has_another_tolerance(own, other) -> None:
    assert tight_tolerance(own) == pytest.approx(other)


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
    verified = verify_scenario(scenario.with_problem(replace(scenario.problem, path=path)))
    budget = verified.tracking.budget
    assert budget.verdict(1e-3).passed
    # with exact controls on a plant that is the twin there is nothing else
    assert max(budget.sampling, budget.model) < 0.01 * budget.error
    assert budget.integrator == pytest.approx(budget.error, rel=0.15)


def test_rounding_over_all_steps_is_all_that_passes_unexplained() -> None:
    none = np.zeros((TIMES.size, 1))
    rounding = largest_rounding(none + 30.0, 1000)
    for error, status in ((0.9 * rounding, "passed"), (1.1 * rounding, "failed")):
        runs = BudgetRuns(TIMES, none + error, none + error, None, none + error, rounding)
        assert make_budget(error, runs, True, 0.0).verdict(1e-3).status == status


# ---------------------------------------------------------------------------- parts, by hand


def test_each_part_is_taken_off_the_error_and_adds_to_what_is_uncertain() -> None:
    # 100 = 20 + 30 + 40 + 10; uncertain by a tenth of 20, by 30, by 40, and by rounding
    budget = Budget(100e-6, 20e-6, 30e-6, 40e-6, rounding=1e-6)
    assert budget.unexplained == pytest.approx(10e-6)
    assert budget.uncertainty == pytest.approx(2e-6 + 30e-6 + 40e-6 + 1e-6)
    assert replace(budget, model=None).unexplained == pytest.approx(50e-6)
    assert replace(budget, error=80e-6).unexplained == 0.0
    assert replace(budget, sampling=None).unexplained is None


def test_error_that_the_model_part_explains_begins_nowhere() -> None:
    # exact controls and a fine integration leave 8 um from t = 5 s on; 5 um of model leave room
    # for 5 um more, 3 um for 3 um more
    left = np.where(TIMES >= 5.0, 8e-6, 0.0)[:, None]
    runs = BudgetRuns(TIMES, left, left, None, left)
    assert make_budget(8e-6, runs, True, 5e-6).begins is None
    assert make_budget(8e-6, runs, True, 3e-6).begins == pytest.approx(5.0)


@pytest.mark.parametrize("parts", PARTS)
def test_controls_of_a_part_of_the_step_still_have_the_fourth_power_of_it_of_the_error(
    parts: int,
) -> None:
    off = np.full((TIMES.size, 1), 1e-6)
    runs = BudgetRuns(TIMES, off, off, None, off / parts**4)
    assert make_budget(1e-6, runs, True, 0.0, parts=parts).sampling == pytest.approx(1e-6)
    # of held controls no order is known: what differs is all that is said
    difference = 1e-6 - 1e-6 / parts**4
    assert make_budget(1e-6, runs, False, 0.0, parts=parts).sampling == pytest.approx(difference)


# ---------------------------------------------------------------------------- a budget too large


def test_budget_larger_than_the_limit_explains_nothing() -> None:
    budget = Budget(5e-4, 1e-9, 4e-4, 7e-4)
    assert budget.verdict(2e-3).passed
    verdict = budget.verdict(1e-3)
    assert verdict.status == "not judged"
    assert "error budget of 0.0011 m" in verdict.message
    assert "larger than the limit of 0.001 m; see what the certificate found" in verdict.message
    assert "plant.tolerance" in Budget(5e-4, 0.0, 2e-3, 0.0).verdict(1e-3).message
    assert "solve.step" in Budget(5e-4, 2e-3, 1e-9, 0.0).verdict(1e-3).message
    # what is not explained stays failed, however large the parts are
    assert Budget(1.0, 1e-9, 2e-3, 0.0).verdict(1e-3).status == "failed"


def test_errors_are_judged_only_where_the_motion_is_known_to_their_limits() -> None:
    kept = Verdict("tracking of x", "passed", "", 1e-4, 1e-3, 9e-4)
    broken = replace(kept, name="tracking of z", status="failed")
    other = replace(kept, name="plant rope T pulls")
    verdicts = kept, broken, other
    assert known_well(verdicts, Budget(1e-4, 1.0, 1e-3, 1.0)) == verdicts
    assert known_well(verdicts, Budget(1e-4, 1.0, None, 1.0)) == verdicts
    below = replace(kept, value=-1e-4, limit=-1e-3)
    assert known_well([below], Budget(1e-4, 1.0, 1e-3, 1.0)) == (below,)
    # during the manoeuvre, or while the plant settles
    for budget in (Budget(1e-4, 0.0, 2e-3, 0.0), Budget(1e-4, 0.0, 0.0, 0.0, between_steps=2e-3)):
        found = known_well([*verdicts, below], budget)
        assert found[1:3] == (broken, other)
        for one in (found[0], found[3]):
            assert (one.name, one.status) == ("tracking of x", "not judged")
            assert "budget of 0.002 m (integrator) is larger than the limit of 0.001" in one.message
            assert "smaller plant.tolerance" in one.message


def test_swing_is_judged_only_where_the_motion_is_known_to_its_own_limit() -> None:
    swing = Verdict("residual swing of x", "passed", "", 1e-4, 2e-4, 1e-4)
    tracking = Verdict("tracking of x", "passed", "", 1e-4, 1.0, 1.0)
    assert known_well([swing, tracking], Budget(1e-4, 0.0, 1.9e-4, 0.0)) == (swing, tracking)
    found = known_well([swing, tracking], Budget(1e-4, 0.0, 2.1e-4, 0.0))
    assert found[0].status == "not judged"
    assert found[1] == tracking


COARSE = ["plant.tolerance=1", "solve.step=0.1", "plant.settle=0"]
"""Simulated so coarsely that the plant could be anywhere."""


def between(tracking: Tracking) -> str:
    """Return a limit that the error keeps, and that the motion is not known to."""
    error, part = max(tracking.max_error.values()), tracking.budget.integrator
    assert 1e-3 < 1.002 * error < part
    return f"limits.tracking={math.sqrt(error * part)!r}"


@pytest.mark.parametrize(
    ("left", "known", "status"),
    [
        (0.2, 0.1, "passed"),
        (0.2, 0.3, "not judged"),
        # a plan goes along the clearance itself, and nothing is known to a picometre
        (1e-12, 1e-4, "passed"),
        (1e-12, 2e-3, "not judged"),
        (-0.2, 0.3, "failed"),
    ],
)
def test_distance_from_an_obstacle_is_judged_as_well_as_the_motion_is_known(
    left: float, known: float, status: str
) -> None:
    name = "plant clearance of obstacle 1"
    word = "passed" if left > 0.0 else "failed"
    verdict = Verdict(name, word, "", 2.0 + left, 2.0, left, "m", 1.0)
    (found,) = known_well([verdict], Budget(1e-4, 0.0, known, 0.0))
    assert found.status == status
    # a solution is exact
    planned = replace(verdict, name="clearance of obstacle 1")
    assert known_well([planned], Budget(1e-4, 0.0, known, 0.0)) == (planned,)


@pytest.mark.parametrize("verify", [verify_scenario, verify_on_twin])
def test_tolerance_of_one_promises_nothing(verify) -> None:
    limit = between(verify(load_scenario("overhead", COARSE)).tracking)
    verified = verify(load_scenario("overhead", [*COARSE, limit]))
    judged = [v for v in verified.verdicts if v.name.startswith(("tracking", "error explained"))]
    assert judged
    assert {verdict.status for verdict in judged} == {"not judged"}
    assert verified.exit_code == 1


def test_tolerance_of_one_promises_nothing_of_a_campaign_s_run() -> None:
    limit = between(verify_scenario(load_scenario("overhead", COARSE)).tracking)
    work = scenario_work(load_scenario("overhead", [*COARSE, limit]))
    rows = []
    for budget in (frozenset[int](), frozenset([0])):
        runner = replace(work, budget=budget).begin()
        try:
            rows.append(runner(0, {"plant.parameters.m": 100.0}))
        finally:
            runner.close()
    names = [name for name in rows[0] if name.startswith("passed.tracking")]
    # by the run alone it is kept, and nothing tells more
    assert [[row[name] for name in names] for row in rows] == [[True, True], [False, False]]
    assert not rows[1]["passed"]


@pytest.mark.parametrize("verify", [verify_scenario, verify_on_twin])
def test_swing_of_a_coarse_run_promises_nothing(verify) -> None:
    """The limit is above the swing of the coarse run, and far below what that is off by."""
    coarse = ["plant.tolerance=1e-2", "limits.tracking=99", "plant.certify=false"]
    first = verify(load_scenario("overhead", coarse)).tracking
    fine = verify(load_scenario("overhead", ["plant.certify=false"])).tracking
    off = float(np.abs(first.achieved - fine.achieved).max())
    swings = {name: first.motion.after(f"tracking.{name}").swing for name in ("x", "z")}
    least = min(swings, key=swings.__getitem__)
    assert 2.0 * swings[least] < off
    limit = f"limits.swing={1.5 * swings[least]!r}"
    verified = verify(load_scenario("overhead", [*coarse, limit]))
    found = {verdict.name: verdict for verdict in verified.verdicts}
    assert found[f"residual swing of {least}"].status == "not judged"
    assert verified.exit_code == 1
