"""The sampled loop: delays, limits, and gains over position."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from cranebridge.control.analysis.margins import margins_at
from cranebridge.control.design.drive_loops import DriveGains, drive_law
from cranebridge.control.design.input_bounds import input_limits
from cranebridge.control.design.law import LawDesign, design_law
from cranebridge.control.design.position_gains import design_over_position
from cranebridge.control.design.riccati import stationary
from cranebridge.control.design.thinning import TABLES, interpolated_law, thinned_rows
from cranebridge.control.model.discretisation import discretise
from cranebridge.control.model.reference_motion import reference_of
from cranebridge.control.model.rest import drive_names, rest_state
from cranebridge.control.simulation.loop_motion import Deviations, simulate_loop
from cranebridge.errors import InputError
from cranebridge.forward.crane_accelerations import crane_dynamics
from cranebridge.forward.linearisation import linearise
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.limits import Limits
from cranebridge.scenario import load_scenario

DISPLACED = np.array([0.0, 14.0, 15.0, 14.0, 0.3, -math.sqrt(225.0 - 0.09)])


@cache
def solved(name: str) -> Feedforward:
    servo = load_scenario(name).problem
    return solve_index1(servo, np.linspace(0.0, servo.path.duration, 301))


@cache
def default_law(name: str) -> LawDesign:
    return design_law(solved(name), 0.005, "lqi")


@pytest.fixture
def overhead() -> Feedforward:
    return solved("overhead")


def test_feedforward_holds_the_middle_of_what_it_is_held_for(feedforward) -> None:
    reference = reference_of(feedforward, 0.02)
    assert reference.time.size == 2001
    assert reference.hold[:-1] == pytest.approx(feedforward.u[2::4], rel=1e-7, abs=1e-6)
    assert reference.hold[-1] == pytest.approx(reference.u[-1], abs=1e-9)
    with pytest.raises(InputError, match="cycle of a controller must be positive and below the 40"):
        reference_of(feedforward, 0.0)
    with pytest.raises(InputError, match="computing time must not be negative"):
        reference_of(feedforward, 0.01, -1.0)


def test_solutions_without_exact_derivatives_are_interpolated(overhead) -> None:

    plain = replace(overhead, nodes=None, order=1)
    first, second = (reference_of(one, 0.015) for one in (overhead, plain))
    for name in ("q", "v", "u", "hold"):
        exact = getattr(first, name)
        assert getattr(second, name) == pytest.approx(exact, abs=1e-3 * np.abs(exact).max())


def test_known_delay_costs_nothing_along_the_motion(overhead) -> None:
    # The feedforward leads by the delay, the law knows the inputs under way: no error but that of
    # the held inputs, once the first ones are there.
    errors = []
    for delay in (0.0, 0.013):
        design = design_law(overhead, 0.01, delay=delay)
        errors.append(simulate_loop(design.reference, design.law, 6.0).errors())
    assert errors[1].max() < 2.0 * errors[0].max() + 1e-4
    # the same law on a plant that is as late, but not designed for it, is worse
    design = design_law(overhead, 0.01)
    late = simulate_loop(design.reference, design.law, 6.0, Deviations(delay=0.013)).errors()
    assert late.max() > 5.0 * errors[1].max()


def test_whole_cycles_of_delay_are_old_inputs(overhead) -> None:
    # Two cycles late in open loop is the same as the feedforward shifted by two samples.
    design = design_law(overhead, 0.01)
    reference = design.reference
    late = simulate_loop(reference, None, 3.0, Deviations(delay=0.02))

    shifted = np.vstack([reference.hold[[0, 0]], reference.hold[:-2]])
    moved = simulate_loop(replace(reference, hold=shifted), None, 3.0)
    assert late.q == pytest.approx(moved.q, abs=1e-13)


def test_inputs_keep_their_limits_and_integrals_do_not_wind_up(lqi) -> None:
    # 588.6 N m hold the heavier load, and little more is there to catch it: for nine seconds the
    # winch does what it can. Integrals that went on would then lift the load 0.7 m too far.
    least, most = np.array([-4000.0, -250.0, -595.0]), np.array([4000.0, 250.0, 0.0])
    heavy = Deviations(parameters={"m": 600.0})
    motion = simulate_loop(lqi.reference, lqi.law, 60.0, heavy, limits=(least, most))
    assert (motion.u >= least).all()
    assert (motion.u <= most).all()
    assert np.sum(motion.u[:, 2] == -595.0) > 1000
    wanted = lqi.reference.outputs[lqi.reference.rows(12000)]
    assert (motion.outputs - wanted)[:, 2].max() < 2e-3
    assert motion.errors()[10000:].max() < 2e-3


@pytest.mark.parametrize("delay", [0.0, 0.015])
@pytest.mark.parametrize("payload", [0.2, 1.5])
@pytest.mark.parametrize("name", ["rotary", "overhead"])
def test_default_law_settles_with_other_payloads_and_late_inputs(name, payload, delay) -> None:
    design = default_law(name)
    duration, m = design.reference.time[-1], design.reference.parameters["m"]
    plant = Deviations(parameters={"m": payload * m}, delay=delay)
    limits = input_limits(design.reference, Limits())
    E = simulate_loop(design.reference, design.law, duration + 20.0, plant, limits=limits).errors()
    # within 15 s after the end: the integrals of a stiff law are slow
    assert E[round((duration + 15.0) / 0.005) :].max() < 5e-3


def test_default_law_of_the_rotary_crane_waits_at_its_start_with_a_fifth_of_the_payload() -> None:
    design = default_law("rotary")
    span = margins_at(design, 0, ["parameter.m"]).structured["parameter.m"]
    assert span.least < 0.1
    rows = np.zeros(2, dtype=int)
    still = {name: getattr(design.reference, name)[rows] for name in ("q", "v", "a", "outputs")}
    u = design.reference.u[rows]
    reference = replace(design.reference, time=design.law.time[:2], u=u, hold=u, **still)
    gains = {name: getattr(design.law, name)[rows] for name in TABLES}
    law = replace(design.law, time=design.law.time[:2], **gains)
    q = design.reference.q[0].copy()
    q[4] += 0.02
    plant = Deviations(q=q, parameters={"m": 0.2 * design.reference.parameters["m"]})
    E = simulate_loop(reference, law, 60.0, plant).errors()
    assert E[-1000:].max() < 0.5 * E[4000:5000].max()


def test_displaced_start_is_made_consistent(lqr) -> None:
    wrong = DISPLACED.copy()
    wrong[2] += 0.1
    motion = simulate_loop(lqr.reference, lqr.law, 1.0, Deviations(q=wrong))
    phi, s, l_, x, y, z = motion.q.T
    length = np.sqrt((x - s * np.cos(phi)) ** 2 + (y - s * np.sin(phi)) ** 2 + z**2)
    assert l_ == pytest.approx(length, abs=1e-12)


def test_wrong_shape_of_force_is_refused(lqr) -> None:
    with pytest.raises(InputError, match="force must have 3 columns and 200 rows"):
        simulate_loop(lqr.reference, None, 1.0, Deviations(force=np.zeros((5, 3))))


def test_drive_loops_need_drives_of_their_own(lqr) -> None:
    with pytest.raises(InputError, match="cannot act on x one by one"):
        drive_law(lqr.reference, {"x": DriveGains(1.0, 1.0)})
    with pytest.raises(InputError, match="unknown coordinate"):
        drive_law(lqr.reference, {"w": DriveGains(1.0, 1.0)})


def test_rest_is_where_the_load_hangs(lqr) -> None:
    reference = lqr.reference
    place = {"l": 7.0, "s": 9.0, "phi": 0.5}
    q, u = rest_state(reference.crane, reference.parameters, place, reference.q[0], reference.u[0])
    expected = [0.5, 9.0, 7.0, 9.0 * math.cos(0.5), 9.0 * math.sin(0.5), -7.0]
    assert q == pytest.approx(expected, abs=1e-9)
    assert u == pytest.approx([0.0, 0.0, -490.5], abs=1e-6)


def test_drives_are_what_inputs_act_on(problem) -> None:
    assert drive_names(problem("rotary").crane) == ("phi", "s", "l")
    # the jib of this crane is turned by a torque on its end in x and y
    assert drive_names(problem("navy3d").crane) == ("L_1", "L_3", "x_3", "y_3")


def test_rest_in_redundant_coordinates(exact) -> None:
    # one rope longer, all else kept: the load is elsewhere, and nothing moves
    solution = exact("navy3d", 4)
    crane, p = solution.problem.crane, solution.problem.parameters
    place = {"L_3": 1.2 * solution.q[0, 1]}
    q, u = rest_state(crane, p, place, solution.q[0], solution.u[0])
    assert q[1] == pytest.approx(place["L_3"])
    still = np.zeros(q.size)
    a, _ = crane_dynamics(crane).accelerations(q, still, u, solution.problem.parameter_vector)
    assert np.abs(np.array(a)).max() < 1e-7


def test_gains_over_position_are_those_of_each_rest(lqr) -> None:
    # x along the jib, y across it: with the jib kept at one angle two axes are enough
    axes = {"s": [5.0, 9.0, 14.0], "l": [3.0, 5.0, 8.0, 11.0, 15.0]}
    inner = lqr.model.coordinates
    grid = design_over_position(lqr.reference, axes, lqr.weights, inner)
    assert grid.laws.K.shape == (15, 3, 12)
    # one of them by the design along a motion that rests there: the start of the benchmark's
    r = lqr.reference
    model = linearise(r.crane, r.parameters, r.q[0], r.v[0], r.u[0], independent=inner)
    sampled = discretise(model, 0.005)
    Q = 0.005 * np.diag([10.0, 1.0, 100.0, 100.0, 100.0, 10.0, 1.0, 10.0, 10.0, 10.0])
    _, K = stationary(sampled.A[0], sampled.B[0], Q, 0.005 * np.diag([1e-6, 1e-4, 1e-3]))
    columns = [0, 1, 3, 4, 5, 6, 7, 9, 10, 11]
    assert grid.laws.K[14][:, columns] == pytest.approx(K, rel=1e-6, abs=1e-6)


def test_gains_between_positions_are_interpolated_and_kept_beyond(lqr) -> None:
    axes = {"l": [3.0, 9.0, 15.0]}
    grid = design_over_position(lqr.reference, axes, lqr.weights, lqr.model.coordinates)
    q = np.zeros((4, 6))
    q[:, 2] = [2.0, 6.0, 12.0, 20.0]
    rows, weights = grid.corners(q)
    assert weights.sum(axis=1) == pytest.approx(np.ones(4))
    found = np.einsum("tc,tcij->tij", weights, grid.laws.K[rows])
    K = grid.laws.K
    expected = [K[0], 0.5 * (K[0] + K[1]), 0.5 * (K[1] + K[2]), K[2]]
    assert found == pytest.approx(np.array(expected))
    with pytest.raises(InputError, match="unknown drive coordinate"):
        design_over_position(lqr.reference, {"x": [1, 2]}, lqr.weights, lqr.model.coordinates)
    with pytest.raises(InputError, match="increasing"):
        design_over_position(lqr.reference, {"l": [2, 1]}, lqr.weights, lqr.model.coordinates)


def test_gains_over_position_serve_a_motion_they_do_not_know(lqr) -> None:
    # slewing by 270 degrees: the angle is an axis, since gains are those of x and y
    axes = {
        "phi": np.linspace(0.0, 1.5 * math.pi, 25),
        "s": [5.0, 8.0, 11.0, 14.0],
        "l": [3.0, 6.0, 10.0, 15.0],
    }
    grid = design_over_position(lqr.reference, axes, lqr.weights, lqr.model.coordinates)
    law = grid.along(lqr.reference)
    motion = simulate_loop(lqr.reference, law, 60.0, Deviations(q=DISPLACED))
    best = simulate_loop(lqr.reference, lqr.law, 60.0, Deviations(q=DISPLACED))
    rms = [math.sqrt(np.mean(one.errors()[:8000] ** 2)) for one in (motion, best)]
    assert rms[0] < 1.2 * rms[1]
    assert motion.errors()[10000:].max() < 1e-6


def test_thinned_table_keeps_its_error_and_the_motion(lqr) -> None:
    rows = thinned_rows(lqr.law, 1e-2)
    assert len(rows) < 200  # of 8001
    thin = interpolated_law(lqr.law, rows)
    off = np.abs(thin.K - lqr.law.K).max(axis=0)
    # each column in proportion to its own largest gain
    assert (off <= 1.0001e-2 * np.abs(lqr.law.K).max(axis=(0, 1))).all()
    assert off.max() > 0.0
    motion = simulate_loop(lqr.reference, thin, 60.0, Deviations(q=DISPLACED))
    rms = math.sqrt(np.mean(motion.errors()[:8000] ** 2))
    assert rms == pytest.approx(0.048369, rel=1e-2)
    # a tenth of the error needs about three times the rows: straight lines are of second order
    assert 2.0 < len(thinned_rows(lqr.law, 1e-3)) / len(rows) < 5.0


def test_every_row_that_a_straight_line_reaches_is_left_out(lqr) -> None:
    straight = np.linspace(0.0, 1.0, lqr.law.time.size)[:, None, None] * np.ones((1, 3, 12))
    assert thinned_rows(replace(lqr.law, K=straight), 1e-9).tolist() == [0, 8000]
    bent = np.minimum(straight, 0.25)
    assert thinned_rows(replace(lqr.law, K=bent), 1e-9).tolist() == [0, 2000, 8000]
    with pytest.raises(InputError, match="must be positive"):
        thinned_rows(lqr.law, 0.0)
    with pytest.raises(InputError, match="first and the last row"):
        interpolated_law(lqr.law, np.array([0, 5]))


def test_law_that_sees_the_load_too_low_holds_it_too_high(lqi) -> None:
    # Integrals bring what is seen to the goal: z is seen 5 % lower, so it ends at z_d / 1.05, and
    # x, y, which are seen from the trolley's place on, at the goal.
    seen = {"x": "s*cos(phi) + 1.05*(x - s*cos(phi))", "y": "s*sin(phi) + 1.05*(y - s*sin(phi))"}
    plant = Deviations(seen={**seen, "z": "1.05*z"})
    found = simulate_loop(lqi.reference, lqi.law, 60.0, plant).outputs[-1]
    goal = lqi.reference.outputs[-1]
    assert found == pytest.approx([goal[0], goal[1], goal[2] / 1.05], abs=1e-4)
    # nothing is seen otherwise where nothing is said, and the rate of a position is its velocity
    exact = simulate_loop(lqi.reference, lqi.law, 5.0)
    same = simulate_loop(lqi.reference, lqi.law, 5.0, Deviations(seen={"z": "(2*z)/2"}))
    assert same.outputs == pytest.approx(exact.outputs, abs=1e-12)


def test_what_is_seen_must_be_a_coordinate(lqi) -> None:
    with pytest.raises(InputError, match="unknown coordinate of crane 'rotary' 'w'"):
        simulate_loop(lqi.reference, lqi.law, 1.0, Deviations(seen={"w": "z"}))
