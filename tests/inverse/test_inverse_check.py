"""`check`: ropes, smoothness, stages, assumptions and initial state of every scenario."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest

from cranebridge.inverse.checking import check
from cranebridge.inverse.problem import ServoProblem
from cranebridge.limits import Limits, judge_solution
from cranebridge.path import Path, make_path
from cranebridge.scenario import load_scenario, ready_scenarios
from cranebridge.twin.cranes.overhead import OverheadCrane
from cranebridge.twin.language.crane import Quantity
from further import mostly_further

EXAMPLES = FilePath(__file__).parents[2] / "examples"

PUSHING = {
    "navy2d": ("T_cable1_A", -442.16, 2.01),
    "navy2d-elastic": ("T_cable1_A", -442.16, 2.01),
    "navy2d-pulley": ("T_cable1_A", -9177.0, 2.05),
    "navy3d-pulley": ("T_cable2_S", -404.9, 11.35),
}
# test_rpr.py and test_flexible_jib.py have those with internal dynamics.
NOT_FLAT = ("rpr", "flexible-jib", "flexible-jib-outer")
SOUND = sorted(set(ready_scenarios()) - set(PUSHING) - {"navy3d-pulley-rough", *NOT_FLAT})


# 42 coordinates of the same crane: in test_inverse_index1.py and test_reduction.py, too
@pytest.mark.parametrize("name", mostly_further(SOUND, *(set(SOUND) - {"rotary-rotationless"})))
def test_sound_scenario_passes(name, problem) -> None:
    result = check(problem(name))
    assert not result.problems
    assert all(verdict.passed for verdict in judge_solution(result.solution, Limits()))
    assert result.static_start
    assert all(stage.rank == stage.size for stage in result.stages)
    assert all(np.isfinite(stage.condition) for stage in result.stages)


@pytest.mark.parametrize("name", sorted(PUSHING))
def test_pushing_rope_is_found_with_its_time_and_force(name, problem) -> None:
    result = check(problem(name))
    rope, force, time = PUSHING[name]
    failed = [v for v in judge_solution(result.solution, Limits()) if not v.passed]
    assert [verdict.name for verdict in failed] == [f"rope {rope} pulls"]
    assert failed[0].value == pytest.approx(force, rel=3e-4)
    assert failed[0].time == pytest.approx(time, abs=0.006)


def test_navy2d_rope_pushes_in_the_interval_of_the_reference(problem) -> None:
    message = pushing(problem("navy2d"))
    begin, end = _span(message)
    assert begin == pytest.approx(1.641, abs=1e-3)
    assert end == pytest.approx(2.424, abs=1e-3)


def pushing(servo: ServoProblem) -> str:
    verdicts = judge_solution(check(servo).solution, Limits())
    return next(v.message for v in verdicts if not v.passed)


def _span(message: str) -> tuple[float, float]:
    words = message.split()
    position = words.index("from")
    return float(words[position + 1]), float(words[position + 4])


def test_navy3d_pulley_rope_pushes_until_the_final_rest(problem, exact) -> None:
    begin, end = _span(pushing(problem("navy3d-pulley")))
    assert begin == pytest.approx(8.77, abs=0.01)
    assert end == 20.0
    assert exact("navy3d-pulley", 100).ropes[-1, 1] == pytest.approx(-6.86, abs=5e-3)


def test_rope_force_of_zero_at_rest_is_no_error(problem) -> None:
    for name in ("navy2d-safe", "navy3d"):
        verdict = judge_solution(check(problem(name)).solution, Limits())[0]
        assert verdict.passed
        assert verdict.value == 0.0
        assert verdict.time == 0.0


def test_shortest_feasible_duration_of_navy2d_is_that_of_the_reference() -> None:
    # 4.0615 s in reference.md: a little longer passes, a little shorter fails.
    for duration, passed in ((4.063, True), (4.060, False)):
        result = check(load_scenario("navy2d", [f"path.duration={duration}"]).problem)
        verdicts = judge_solution(result.solution, Limits())
        assert all(verdict.passed for verdict in verdicts) is passed


def test_rough_path_is_refused_with_output_order_and_time(problem) -> None:
    result = check(problem("navy3d-pulley-rough"))
    (message,) = result.problems
    assert "output x" in message
    assert "index 7" in message
    assert "needs 6 continuous derivatives" in message
    assert "has 4 at t = 0 s" in message


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        ("overhead", [True, True, True]),
        ("rotary", [True, True, True]),
        ("rotary-redundant", [None, True, True]),
        ("navy2d", [None, True, False]),
        ("navy2d-pulley", [None, False, False]),
        ("navy3d", [None, True, False]),
        ("navy3d-pulley", [None, False, False]),
        ("cablev-general", [None, None, None]),
    ],
)
def test_assumptions_of_the_thesis(name, holds, problem) -> None:
    assert [assumption.holds for assumption in check(problem(name)).assumptions] == holds


def test_ranks_and_conditions_of_the_thesis_matrices_are_those_of_the_reference(problem) -> None:
    reasons = {
        name: [assumption.reason for assumption in check(problem(name)).assumptions]
        for name in ("overhead", "navy2d", "navy3d")
    }
    assert "rank 8 of 9" in reasons["navy2d"][2]
    assert "rank 12 of 14" in reasons["navy3d"][2]
    # Conditions depend on the basis P_2; the overhead crane's z scales with one vector only.
    assert "98.1" in reasons["overhead"][0]


def test_stated_initial_state_that_fits_passes() -> None:
    servo = load_scenario("rotary", ["crane.initial={phi = 0.0, s = 5.0, l = 5.0}"]).problem
    assert not check(servo).problems


def test_inconsistent_initial_state_names_the_equation_and_the_amount() -> None:
    # The thesis prints L_3 = 13.23 for sqrt(175): it misses the rope constraint by
    # (175 - 13.23^2) / 2 = -0.01645.
    servo = load_scenario("navy2d-pulley-safe", ["crane.initial={L_3 = 13.23}"]).problem
    (message,) = check(servo).problems
    assert "constraint lambda_3" in message
    assert float(message.rsplit(" ", 1)[1]) == pytest.approx(0.5 * (175 - 13.23**2), rel=1e-5)


def test_consistent_initial_state_off_the_path_is_refused() -> None:
    # Trolley to the side of the load: a possible position, but the load would swing.
    servo = load_scenario("overhead", ["crane.initial={s = 3.0, l = 5.0}"]).problem
    (message,) = check(servo).problems
    assert "does not fit the path: s is 3, the path needs 0" in message


def test_ropes_of_a_coarse_solution_are_judged_between_its_times(problem, exact) -> None:
    coarse = {v.name: v.value for v in judge_solution(exact("navy2d", 3), Limits())}
    fine = {v.name: v.value for v in judge_solution(exact("navy2d", 3000), Limits())}
    for name, value in coarse.items():
        assert value == pytest.approx(fine[name], rel=1e-9)


@dataclass(frozen=True)
class Wave(Path):
    """x = drift t + amplitude cos(t), z = -4: smooth for ever, so it need not start at rest."""

    drift: float
    amplitude: float

    duration = 3.0
    knots = (0.0, 3.0)
    phases = (("motion", 0.0, 3.0),)

    def breaks(self, output: str) -> tuple[()]:
        return ()

    def _evaluate(self, t: Any, order: int, side: Any) -> Any:
        out = np.zeros((order + 1, 2, t.size))
        for k in range(order + 1):
            out[k, 0] = self.amplitude * np.cos(t + k * np.pi / 2)
        out[0, 0] += self.drift * t
        out[1:2, 0] += self.drift
        out[0, 1] = -4.0
        return out


@pytest.mark.parametrize(
    ("drift", "amplitude", "static"),
    [(0.0, 0.0, True), (0.3, 0.0, False), (0.0, 0.3, False), (1e-8, 0.0, False)],
)
def test_start_is_static_only_without_velocity_and_acceleration(drift, amplitude, static) -> None:
    # Only a velocity, only an acceleration (the cosine's start), a velocity of 10 nm/s.
    crane = OverheadCrane()
    servo = ServoProblem(crane, Wave(("x", "z"), drift, amplitude), crane.parameter_values({}))
    result = check(servo)
    assert not result.problems
    assert result.static_start is static


class WeightlessWinch(OverheadCrane):
    """No inertia of the winch: M_1 = diag(m_t, 0)."""

    name = "weightless-winch"

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        return 0.5 * (p.m_t * v.s**2 + p.m * (v.x**2 + v.z**2))


class TwoWheels(OverheadCrane):
    """A third output, a bar that two wheels move: both hang on it alone, one is driven."""

    name = "two-wheels"
    coordinates = (
        *OverheadCrane.coordinates,
        Quantity("y", "m", "bar position"),
        Quantity("theta_1", "rad", "driven wheel"),
        Quantity("theta_2", "rad", "other wheel"),
    )
    inputs = (*OverheadCrane.inputs, Quantity("M_1", "N*m", "torque on the driven wheel"))
    outputs = (*OverheadCrane.outputs, Quantity("y", "m", "bar position"))
    multipliers = (
        *OverheadCrane.multipliers,
        Quantity("gear_1", "N", "force of the driven wheel"),
        Quantity("gear_2", "N", "force of the other wheel"),
    )

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        wheels = p.J * (v.theta_1**2 + v.theta_2**2)
        return super().kinetic_energy(q, v, p) + 0.5 * (p.m_t * v.y**2 + wheels)

    def drive_power(self, q: Any, v: Any, u: Any, p: Any) -> Any:
        return super().drive_power(q, v, u, p) + u.M_1 * v.theta_1

    def constraints(self, q: Any, p: Any) -> Any:
        gears = {f"gear_{i}": q.y - p.r * q[f"theta_{i}"] for i in (1, 2)}
        return {**super().constraints(q, p), **gears}

    def output_map(self, q: Any, p: Any) -> Any:
        return {**super().output_map(q, p), "y": q.y}


def first_assumption(servo: ServoProblem):
    result = check(servo)
    assert not result.problems
    return result.assumptions[0]


def test_assumption_1_fails_where_a_drive_has_no_inertia(problem) -> None:
    plain = problem("overhead")
    found = first_assumption(ServoProblem(WeightlessWinch(), plain.path, plain.parameters))
    assert found.holds is False
    assert found.reason == "M_1 is not positive definite"


def test_assumptions_1_and_2_fail_where_constraints_hold_the_load_twice(problem) -> None:
    table = {"kind": "line", "start": [0, -4, 0], "goal": [5, -1, 1], "duration": 3}
    path = make_path(table, ("x", "z", "y"))
    servo = ServoProblem(TwoWheels(), path, problem("overhead").parameters)
    result = check(servo)
    assert not result.problems
    for assumption in result.assumptions[:2]:
        assert assumption.holds is False
        assert assumption.reason == "G_2 does not have full rank"


def test_assumption_1_fails_where_a_drive_acts_through_a_spring() -> None:
    found = first_assumption(load_scenario(str(EXAMPLES / "spring_trolley.toml")).problem)
    assert found.holds is False
    assert "P (thesis 5.19) is singular" in found.reason
