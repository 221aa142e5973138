"""Many sets of parameters in one call are solved as each of them alone."""

from __future__ import annotations

import numpy as np
import pytest

from cranebridge.inverse import solve_index1, solve_parameter_sets
from cranebridge.scenario import load_scenario

SIGNALS = ("time", "gamma", "q", "v", "a", "u", "lam", "ropes")


@pytest.mark.parametrize(
    ("name", "settings", "key", "values"),
    [
        ("overhead", [], "m", np.linspace(1.0, 30_000.0, 11)),
        ("rotary", [], "m", np.linspace(10.0, 1000.0, 6)),
        ("navy2d", [], "m", [500.0, 600.0, 700.0]),
        ("two-mass", [], "m_1", [1.0, 2.0, 5.0]),  # no unknowns of Newton's method
        ("rotary-long", [], "J_b", [100.0, 480.0, 5000.0]),  # no polynomial in time
        ("overhead", ["path.smoothness=5"], "J", [0.1, 1.0, 2.0]),  # starts at rest in all orders
    ],
)
def test_set_has_the_bits_of_a_problem_of_its_own(name, settings, key, values) -> None:
    problem = load_scenario(name, settings).problem
    assert key in problem.parameters
    times = np.linspace(0.0, problem.path.duration, 203)
    found = solve_parameter_sets(problem, [{key: float(value)} for value in values], times)
    for value, one in zip(values, found, strict=True):
        alone = load_scenario(name, [*settings, f"crane.{key}={float(value)!r}"]).problem
        wanted = solve_index1(alone, times)
        assert one.reason == ""
        assert one.parameters == alone.parameters
        for signal in SIGNALS:
            assert getattr(one.solution, signal).tobytes() == getattr(wanted, signal).tobytes()
        assert one.solution.nodes.u_rate.tobytes() == wanted.nodes.u_rate.tobytes()
        assert one.solution.residual == wanted.residual
        assert one.solution.problem.parameters[key] == value


def test_set_that_fails_has_its_reason_and_does_not_stop_the_others() -> None:
    # The load falls with nearly 8.9 m/s^2 at its fastest: gravity must be larger than that.
    problem = load_scenario("overhead", ["path.goal=[0.0, -104.0]", "path.duration=9"]).problem
    times = np.linspace(0.0, 9.0, 101)
    good, bad, other = solve_parameter_sets(problem, [{"g": 24.0}, {"g": 5.0}, {"g": 30.0}], times)
    assert good.solution is not None
    assert other.solution is not None
    assert bad.solution is None
    assert "stage -2 is singular near t =" in bad.reason


def test_crane_without_flatness_says_so_for_each_set() -> None:
    problem = load_scenario("flexible-jib").problem
    found = solve_parameter_sets(problem, [{}, {}], np.linspace(0.0, 1.0, 3))
    assert [one.solution for one in found] == [None, None]
    assert all("internal dynamics" in one.reason for one in found)


def test_without_a_compiler_every_set_is_solved_by_casadi(problem) -> None:
    servo, times = problem("overhead"), np.linspace(0.0, 3.0, 31)
    found = solve_parameter_sets(servo, [{"m": 50.0}, {"m": 200.0}], times, "never")
    # the force that lifts the load grows with it
    assert found[1].solution.ropes[0, 0] == pytest.approx(4.0 * found[0].solution.ropes[0, 0])


def test_no_sets_have_no_solutions(problem) -> None:
    assert solve_parameter_sets(problem("overhead"), [], np.linspace(0.0, 3.0, 31)) == []
