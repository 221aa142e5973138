"""Plans from loads that swing and from motions that run, driven on real FMUs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w

from cranebridge.errors import SolutionError
from cranebridge.job.planning import replan
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import verify_scenario
from cranebridge.plan.flat.flat_plan import FlatPlanner
from cranebridge.plan.flat.plain_stop import in_pieces, through
from cranebridge.plan.task.consistent_states import given_state, rest_state
from cranebridge.scenario import Scenario, load_scenario, planned_path
from cranebridge.twin.language.crane import names
from further import further

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from stops import limited, stop

FINE = ("solve.step=0.001", "plant.step=0.001")

SWINGS: dict[str, tuple[dict[str, Any], list[float], dict[str, Any]]] = {
    "overhead": (
        {"q": {"s": 0.0, "x": 1.0, "z": -4.0}},
        [5.0, -1.0],
        {"u": {"F_t": 600.0, "M_w": [-170.0, -65.0]}, "v": {"s": 4.0, "l": 3.5}},
    ),
    "rotary": (
        {"q": {"phi": 0.0, "s": 5.0, "x": 5.0, "y": 0.0, "z": -5.0}, "v": {"y": 0.3}},
        [4.0, 3.0, -4.0],
        {
            "u": {"M_b": 600.0, "F_t": 250.0, "M_w": [-150.0, -50.0]},
            "v": {"phi": 0.5, "s": 0.8, "l": 0.5},
        },
    ),
}


def swinging(folder: Path, crane: str) -> Scenario:
    """Write and load a scenario that catches a load that swings."""
    state, goal, limits = SWINGS[crane]
    ready = load_scenario(crane).tables
    table = {
        "crane": {"model": crane},
        "path": {"kind": "optimal", "state": state, "goal": goal, "accuracy": 0.05},
        "solve": {"step": 0.002},
        "plant": {"model": ready.plant.model, "step": 0.002},
        "limits": limits,
    }
    file = folder / f"{crane}.toml"
    file.write_text(tomli_w.dumps(table))
    return load_scenario(str(file))


@pytest.mark.parametrize("crane", list(SWINGS))
def test_a_load_that_swings_is_caught_and_rests_at_the_goal(tmp_path: Path, crane: str) -> None:
    scenario = swinging(tmp_path, crane)
    state, goal, _ = SWINGS[crane]
    verified = verify_scenario(scenario)
    coordinates = names(scenario.crane.coordinates)
    for group, values in (("q", verified.feedforward.q[0]), ("v", verified.feedforward.v[0])):
        for name, value in state.get(group, {}).items():
            assert abs(values[coordinates.index(name)] - value) < 1e-9, (group, name)
    assert np.abs(verified.tracking.achieved[-1] - goal).max() < 1e-6
    assert verified.tracking.residual_swing < 1e-6
    assert all(verdict.passed for verdict in verified.verdicts)


def passing(folder: Path) -> Scenario:
    """Load a scenario whose load passes its goal at 1 m/s."""
    table = {
        "crane": {"model": "overhead"},
        "path": {
            "kind": "optimal",
            "start": [0.0, -5.0],
            "goal_state": {"q": {"s": 5.0, "x": 5.0, "z": -3.0}, "v": {"s": 1.0, "x": 1.0}},
            "accuracy": 0.05,
        },
        "solve": {"step": 0.002},
        "plant": {"model": "OverheadCrane", "step": 0.002},
        "limits": {"u": {"F_t": 300.0, "M_w": [-150.0, -50.0]}, "v": {"s": 2.5, "l": 1.0}},
    }
    file = folder / "passing.toml"
    file.write_text(tomli_w.dumps(table))
    return load_scenario(str(file))


def require_passed(scenario: Scenario) -> None:
    """Make sure that the load passes its goal as asked, on the FMU, and keeps all limits."""
    assert scenario.problem.path.moving_ends == (False, True)
    verified = verify_scenario(scenario)
    assert all(verdict.passed for verdict in verified.verdicts)
    wanted = {"q": (5.0, 3.0, 5.0, -3.0), "v": (1.0, 0.0, 1.0, 0.0)}
    motion, coordinates = verified.tracking.motion, names(scenario.crane.coordinates)
    last = int(np.searchsorted(motion.time, scenario.planned.duration - 1e-9))
    assert motion.time[last] == pytest.approx(scenario.planned.duration, abs=1e-9)
    for group, values in wanted.items():
        np.testing.assert_allclose(getattr(verified.feedforward, group)[-1], values, atol=1e-9)
        driven = [motion.values[f"{group}.{name}"][last] for name in coordinates]
        np.testing.assert_allclose(driven, values, atol=1e-6)


def test_a_point_is_passed_at_speed_on_the_plant(tmp_path: Path) -> None:
    scenario = passing(tmp_path)
    assert scenario.planned.method == "flat"
    require_passed(scenario)


def test_a_point_is_passed_at_speed_where_the_optimiser_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise SolutionError("nothing was found")

    monkeypatch.setattr(FlatPlanner, "improve", fail)
    monkeypatch.setattr(planned_path, "_kept", lambda _: None)
    monkeypatch.setattr(planned_path, "_keep", lambda *_: None)
    scenario = passing(tmp_path)
    assert scenario.planned.method == "polynomial"
    require_passed(scenario)


def test_velocities_that_are_not_given_leave_the_drives_alone() -> None:
    """Only the pulley, which has no mass, follows a load that swings sideways."""
    scenario = load_scenario("navy3d")
    load = {"x": 6.0, "y": 0.0, "z": -15.0}
    parameters, coordinates = scenario.problem.parameters, names(scenario.crane.coordinates)
    at_rest = rest_state(scenario.crane, parameters, load)
    rest = dict(zip(coordinates, at_rest.q.tolist(), strict=True))
    given = {**load, **{name: rest[name] for name in ("L_1", "x_3", "y_3")}}
    state = given_state(scenario.crane, parameters, given, {"y": 0.3}, "state")
    v = dict(zip(coordinates, state.v.tolist(), strict=True))
    q = dict(zip(coordinates, state.q.tolist(), strict=True))
    assert all(abs(q[name] - rest[name]) < 1e-9 for name in rest)
    assert v["y"] == 0.3
    assert 0.0 < v["y_0"] < 0.3
    assert all(abs(v[name]) < 1e-12 for name in ("L_1", "L_3", "x_3", "y_3", "x", "z"))


@pytest.mark.parametrize(
    ("name", "share"), [("overhead", 0.95), ("two-mass", 0.5), further("gantry", 0.7)]
)
def test_a_running_motion_is_stopped_within_its_limits(name: str, share: float) -> None:
    scenario = limited(load_scenario(name, FINE))
    stopped = stop(scenario, share * scenario.problem.path.duration)
    assert not stopped.problem
    assert stopped.swing < 1e-6
    assert stopped.duration < scenario.problem.path.duration


def test_a_stop_goes_on_without_a_jump_and_ends_at_rest() -> None:
    scenario = limited(load_scenario("overhead", FINE))
    before = solve_scenario(scenario).feedforward
    stopped = replan(scenario, 1.0, None, lambda share: None)
    after = solve_scenario(stopped).feedforward
    row = int(np.searchsorted(before.time, 1.0 - 1e-9))
    for first, second in ((before.q, after.q), (before.v, after.v), (before.u, after.u)):
        assert np.abs(first[row] - second[0]).max() < 1e-8 * np.abs(first).max()
    assert np.abs(after.v[-1]).max() < 1e-9
    assert np.abs(after.a[-1]).max() < 1e-7


def test_polynomials_between_stations_have_their_derivatives() -> None:
    """Against numpy's polynomial with the same coefficients."""
    rng = np.random.default_rng(3)
    polynomial = np.polynomial.Polynomial(rng.normal(size=10))

    def station(t: float) -> np.ndarray:
        return np.array([[polynomial.deriv(k)(t) if k else polynomial(t)] for k in range(5)])

    path = through(("x",), [station(t) for t in (0.0, 0.4, 1.0)], [0.4, 0.6])
    t = np.linspace(0.0, 0.999, 50)
    # ten derivatives determine a polynomial of degree 9; rounding grows with 1 / 0.4^9
    assert np.abs(path(t)[0] - polynomial(t)).max() < 1e-10


def test_a_path_in_pieces_is_the_path() -> None:
    path = load_scenario("rotary").problem.path
    pieces = in_pieces(path, 4)
    t = np.linspace(0.0, path.duration, 400)
    # both are polynomials of degree 9 at most between the same knots
    assert np.abs(path.derivatives(t, 2) - pieces.derivatives(t, 2)).max() < 1e-9
