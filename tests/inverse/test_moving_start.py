"""Motions that start moving: the start state by speeding up from rest, and what is said of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import tomli_w
from internal_cranes import hook_problem

from cranebridge.errors import InputError, SolutionError, StructureError
from cranebridge.inverse.checking import check
from cranebridge.inverse.index1.following import start_motion
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.index1.solvers import point_solver, structure_of
from cranebridge.inverse.internal.inversion import solve_inversion
from cranebridge.inverse.problem import ServoProblem, time_grid
from cranebridge.inverse.stepping.index3 import solve_index3
from cranebridge.inverse.stepping.projection import solve_projection
from cranebridge.path import BSplinePath, tail
from cranebridge.scenario import load_scenario
from cranebridge.twin.cranes.overhead import OverheadCrane
from cranebridge.twin.language.crane import names
from further import further

CUT = ["overhead", "rotary", "navy3d", "bridge", "cablev-general", "navy2d-pulley-safe"]
CUT += ["double-pendulum"]
GRAVITY = 9.81


def polynomial_from(outputs, derivatives, duration) -> BSplinePath:
    """Return the polynomial with given derivatives at t = 0 as a B-spline of one piece."""
    degree = len(derivatives) - 1
    powers = [np.array(d) * duration**k / math.factorial(k) for k, d in enumerate(derivatives)]
    points = [
        sum(math.comb(i, k) / math.comb(degree, k) * powers[k] for k in range(i + 1))
        for i in range(degree + 1)
    ]
    knots = (0.0,) * (degree + 1) + (duration,) * (degree + 1)
    return BSplinePath(outputs, degree, knots, tuple(tuple(p.tolist()) for p in points), True, True)


def cut(problem: ServoProblem, time: float) -> ServoProblem:
    return replace(problem, path=tail(problem.path, time))


@pytest.mark.parametrize("name", CUT)
def test_a_cut_motion_is_the_rest_of_the_whole_one(name, problem) -> None:
    servo = problem(name)
    begin = 0.37 * servo.path.duration
    rest = cut(servo, begin)
    times = time_grid(rest.path.duration, 0.05)
    found = solve_index1(rest, times)
    whole = solve_index1(servo, np.union1d([0.0], begin + times))
    rows = np.searchsorted(whole.time, begin + times)
    assert np.abs(found.v[0]).max() > 1e-3  # it does start in motion
    for signal in ("q", "v", "a", "u", "lam", "ropes"):
        mine, wanted = getattr(found, signal), getattr(whole, signal)[rows]
        size = 1.0 + np.abs(wanted).max(axis=0)
        # the same algebraic equations, solved to rounding
        assert (np.abs(mine - wanted) <= 1e-9 * size).all(), signal


@pytest.mark.parametrize("name", ["bridge", "double-pendulum", further("luffing-jib")])
def test_nearby_starts_share_what_is_built(name, problem) -> None:
    # equations are combined there, and values of the start take the place of what cancels
    servo = problem(name)
    one, other = (structure_of(cut(servo, share * servo.path.duration)) for share in (0.3, 0.31))
    assert not one.plain
    assert other is one


@pytest.mark.parametrize("method", ["index3", "projection"])
def test_other_methods_start_in_motion_too(method, problem) -> None:
    rest = cut(problem("overhead"), 1.3)
    errors = []
    for count in (64, 128):
        times = np.linspace(0.0, rest.path.duration, count + 1)
        exact = solve_index1(rest, times)
        solve = solve_index3 if method == "index3" else solve_projection
        found = solve(rest, times, "euler")
        np.testing.assert_allclose(found.v[0], exact.v[0], atol=1e-12)
        errors.append(np.abs(found.u - exact.u)[4:].max())
    # backward Euler: first order in the step
    assert errors[1] < 0.6 * errors[0]


def test_strong_swing_of_the_bridge_crane_is_the_closed_form(problem) -> None:
    """The rope points along the load's acceleration less that of gravity, and pulls.

    Newton's method straight from rest ends with another length or angle in 8 of these 60.
    """
    servo = problem("bridge")
    coordinates = names(servo.crane.coordinates)
    load = servo.path(0.0)[:, 0]
    random = np.random.default_rng(3)
    for _ in range(60):
        sizes = (3.0, 8.0, 20.0, 50.0, 50.0)
        rates = [random.uniform(-size, size, 3) for size in sizes]
        path = polynomial_from(servo.path.outputs, [load, *rates], 0.1)
        moving = replace(servo, path=path)
        found = start_motion(moving, point_solver(moving))
        q = dict(zip(coordinates, found["q"], strict=True))
        ax, ay, az = rates[1]
        x, y, z = load
        assert q["s"] == pytest.approx(x - z * ax / (az + GRAVITY), rel=1e-9, abs=1e-9)
        assert q["b"] == pytest.approx(y - z * ay / (az + GRAVITY), rel=1e-9, abs=1e-9)
        assert q["l"] == pytest.approx(math.hypot(x - q["s"], y - q["b"], z), rel=1e-9)
        assert math.cos(q["theta_1"]) > 0.0
        assert math.cos(q["theta_2"]) > 0.0


def test_a_load_that_starts_falling_faster_than_gravity_pulls_is_refused(problem) -> None:
    servo = problem("overhead")
    load = servo.path(0.0)[:, 0]
    zero = [0.0, 0.0]
    rates = [load, zero, [1.0, -2.0 * GRAVITY], zero, zero, zero]
    moving = replace(servo, path=polynomial_from(servo.path.outputs, rates, 0.1))
    with pytest.raises(SolutionError, match=r"gravity pulls it|motion that the path starts with"):
        start_motion(moving, point_solver(moving))


# ---------------------------------------------------------------------- stated states


def stated(problem: ServoProblem, time: float, change: dict[str, float]) -> ServoProblem:
    """Return a cut problem whose start is stated in full, with changes."""
    rest = cut(problem, time)
    q = start_motion(rest, point_solver(rest))["q"].tolist()
    initial = dict(zip(names(problem.crane.coordinates), q, strict=True))
    return replace(rest, initial={**initial, **change})


@pytest.mark.parametrize("name", ["overhead", "rotary", "navy3d", "bridge"])
def test_a_stated_state_in_motion_is_accepted(name, problem) -> None:
    servo = stated(problem(name), 0.3 * problem(name).path.duration, {})
    result = check(servo)
    assert not result.problems
    assert result.static_start is False
    state = result.as_dict()["initial_state"]
    for key, values in (("coordinates", result.solution.q), ("velocities", result.solution.v)):
        assert list(state[key].values()) == pytest.approx(values[0].tolist(), abs=1e-12)


def test_a_start_at_rest_states_no_velocities(problem) -> None:
    assert "velocities" not in check(problem("overhead")).as_dict()["initial_state"]


def test_a_stated_angle_is_continued(problem) -> None:
    turn = 2.0 * math.pi
    plain = stated(problem("rotary"), 6.0, {})
    turned = replace(plain, initial={"phi": plain.initial["phi"] + turn})
    result = check(turned)
    assert not result.problems
    assert result.initial["phi"] == pytest.approx(plain.initial["phi"] + turn, abs=1e-9)


def test_a_stated_state_of_another_motion_is_refused_with_what_is_needed(problem) -> None:
    servo = stated(problem("overhead"), 1.3, {"l": 5.0})
    result = check(servo)
    assert len(result.problems) == 1
    assert "crane.initial" in result.problems[0]


class NoRestFarOut(OverheadCrane):
    """A crane that cannot rest where its load swings to."""

    name = "no-rest-far-out"

    def rest(self, outputs, parameters):
        raise ValueError("out of reach")


def test_a_start_that_is_stated_in_full_needs_no_rest_position(problem) -> None:
    servo = stated(problem("overhead"), 1.3, {})
    far = replace(servo, crane=NoRestFarOut())
    found = start_motion(far, point_solver(far))
    assert found["q"].tolist() == pytest.approx(list(servo.initial.values()), abs=1e-12)


# ---------------------------------------------------------------------- internal dynamics


def test_internal_dynamics_are_known_at_rest_only() -> None:
    servo = hook_problem(1.0)
    rest = cut(servo, 0.4 * servo.path.duration)
    message = r"internal dynamics, whose state is known at rest only: its path must start at rest"
    with pytest.raises(StructureError, match=message):
        solve_inversion(rest, 0.01)
    with pytest.raises(StructureError, match=message):
        solve_index3(rest, time_grid(rest.path.duration, 0.01))
    for method in ("inversion", "index3"):
        assert any("must start at rest" in problem for problem in check(rest, method).problems)


def test_a_spline_that_moves_where_it_should_rest_is_told_so(problem) -> None:
    servo = problem("overhead")
    outputs = servo.path.outputs
    rates = [[1.0, -4.0], [0.5, 0.0], [0.1, 0.0], [0.1, 0.0], [0.1, 0.0], [0.1, 0.0]]
    path = replace(polynomial_from(outputs, rates, 1.0), moving_start=False)
    problems = check(replace(servo, path=path)).problems
    assert "has 0 at t = 0 s; let it rest there, or set path.moving_start = true" in problems[0]
    rough = replace(path, moving_start=True, moving_end=False)
    assert "path.moving_end = true" in check(replace(servo, path=rough)).problems[0]
    line = BSplinePath(
        outputs, 1, (0, 0, 1, 2, 2), ((0.0, -4.0), (1.0, -4.0), (3.0, -4.0)), True, True
    )
    assert "choose a higher degree" in check(replace(servo, path=line)).problems[0]


def test_a_moving_start_in_full_is_loaded_where_the_crane_cannot_rest(tmp_path, problem) -> None:
    crane = tmp_path / "far.py"
    crane.write_text(
        "from cranebridge.twin.cranes.overhead import OverheadCrane\n\n\n"
        "class Far(OverheadCrane):\n    name = 'far'\n\n"
        "    def rest(self, outputs, parameters):\n        raise ValueError('out of reach')\n"
    )
    rates = [[1.0, -4.0], [0.5, 0.1], [0.4, 0.0], [0.1, 0.0], [0.1, 0.0], [0.1, 0.0]]
    path = polynomial_from(("x", "z"), rates, 1.0)
    moving = replace(problem("overhead"), path=path)
    q = start_motion(moving, point_solver(moving))["q"].tolist()
    initial = dict(zip(names(moving.crane.coordinates), q, strict=True))
    tables = {
        "crane": {"model": "far.py:Far", "initial": initial},
        "path": {
            "kind": "spline",
            "degree": path.degree,
            "knots": list(path.times),
            "coefficients": [list(point) for point in path.coefficients],
            "moving_start": True,
            "moving_end": True,
        },
    }
    file = tmp_path / "far.toml"
    file.write_text(tomli_w.dumps(tables))
    scenario = load_scenario(str(file))
    assert scenario.problem.path == path
    assert not check(scenario.problem).problems
    del tables["crane"]["initial"]["l"]
    file.write_text(tomli_w.dumps(tables))
    with pytest.raises(InputError, match="out of reach"):
        load_scenario(str(file))
