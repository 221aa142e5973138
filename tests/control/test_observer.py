"""Observers: against the textbook's formulas, with few sensors, slow ones, and disturbances."""

from __future__ import annotations

import math
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

from cranebridge.control.design.compensation import compensated_law
from cranebridge.control.design.law import design_law
from cranebridge.control.model.sampled_motion import motion_step
from cranebridge.control.observer.filter import design_observer
from cranebridge.control.observer.observability import observability_at
from cranebridge.control.observer.sensors import Sensor
from cranebridge.control.simulation.loop_motion import Deviations, draw_noise, simulate_loop
from cranebridge.emit import emit_function
from cranebridge.errors import InputError, StructureError
from cranebridge.forward.crane_accelerations import crane_dynamics
from cranebridge.forward.linearisation import linearise_along
from cranebridge.forward.twin import simulate_twin
from cranebridge.twin.cranes.navy2d import NavyCrane2D
from cranebridge.twin.language.crane import Quantity, names

WEIGHTS = {
    **{"q.phi": 10.0, "q.s": 1.0, "y.x": 100.0, "y.y": 100.0, "y.z": 100.0},
    **{"v.phi": 10.0, "v.s": 1.0, "r.x": 10.0, "r.y": 10.0, "r.z": 10.0},
}
ENCODERS = (Sensor("q.phi", 1e-4), Sensor("q.s", 1e-3), Sensor("q.l", 1e-3))
CAMERA = tuple(Sensor(f"y.{name}", 0.01, cycle=0.05) for name in "xyz")
DISPLACED = np.array([0.0, 14.0, 15.0, 14.0, 0.3, -math.sqrt(225.0 - 0.09)])
INNER = [0, 1, 3, 4, 5]


def batch_update(observer, q, v, d, P, y):
    """Return the update by the textbook: all readings at once, one gain matrix."""
    p = observer.parameter_vector
    _, C = observer.linear(q, v, np.zeros(3), p)
    C = np.array(C)
    noise = np.diag([sensor.noise**2 for sensor in observer.sensors])
    gain = P @ C.T @ np.linalg.inv(C @ P @ C.T + noise)
    dx = gain @ (y - np.array(observer.readings(q, v, p)[0])[:, 0])
    return dx, (np.eye(len(P)) - gain @ C) @ P


def test_readings_one_after_the_other_are_one_update(lqr) -> None:
    observer = design_observer(lqr.reference, lqr.model.coordinates, (*ENCODERS, *CAMERA))
    random = np.random.default_rng(5)
    row = 2500
    q, v = lqr.reference.q[row], lqr.reference.v[row]
    root = random.standard_normal((10, 10))
    P = 1e-4 * root @ root.T
    p = observer.parameter_vector
    y = np.array(observer.readings(q, v, p)[0])[:, 0] + 1e-3 * random.standard_normal(6)
    dx, covariance = batch_update(observer, q, v, [], P, y)
    found = observer.update(q, v, [], P, y, np.ones(6), p)
    assert np.array(found[0])[INNER, 0] - q[INNER] == pytest.approx(dx[:5], rel=1e-9, abs=1e-15)
    assert np.array(found[1])[INNER, 0] - v[INNER] == pytest.approx(dx[5:], rel=1e-9, abs=1e-15)
    assert np.array(found[3]) == pytest.approx(covariance, rel=1e-7, abs=1e-14)
    # and the estimate is a state of the crane: rope length and speed follow
    x, y_, z, l_ = (float(found[0][i]) for i in (3, 4, 5, 2))
    s, phi = float(found[0][1]), float(found[0][0])
    length = math.hypot(x - s * math.cos(phi), y_ - s * math.sin(phi), z)
    assert l_ == pytest.approx(length, abs=1e-12)


def test_sensor_that_is_not_read_is_left_out_whatever_it_says(lqr) -> None:
    reference = lqr.reference
    with_camera = design_observer(reference, lqr.model.coordinates, (*ENCODERS, *CAMERA))
    without = design_observer(reference, lqr.model.coordinates, ENCODERS)
    q, v, p = reference.q[0], reference.v[0], with_camera.parameter_vector
    P = np.diag(without.variance)
    y = np.array([0.01, 14.02, 15.01, math.nan, math.inf, 5.0])
    first = with_camera.update(q, v, [], P, y, [1, 1, 1, 0, 0, 0], p)
    second = without.update(q, v, [], P, y[:3], [1, 1, 1], p)
    for one, other in zip(first, second, strict=True):
        assert np.array(one) == pytest.approx(np.array(other), abs=1e-14)


@pytest.mark.parametrize("name", ["overhead", "navy2d-pulley-safe", "cablev-general"])
def test_step_and_its_slopes_are_the_twin_s(name, exact) -> None:
    solution = exact(name, 10)
    model = linearise_along(solution)
    crane, p = model.crane, solution.problem.parameter_vector
    motion = motion_step(crane, model.coordinates)
    row, w = 4, np.zeros(len(crane.outputs))
    here = (solution.q[row], solution.v[row], solution.u[row], w, p)
    A, _ = motion.slopes(*here)
    assert np.array(A) == pytest.approx(model.A[row], rel=1e-9, abs=1e-10)
    # an independent integrator over the same time
    u = solution.u[row]
    expected = simulate_twin(
        crane, solution.problem.parameters, *here[:2], lambda t: u, [0.0, 0.005, 0.01], rtol=1e-12
    )
    q, v = motion.step(*here, 0.005)
    q, v = motion.step(q, v, *here[2:], 0.005)
    # one Runge-Kutta step of h has an error of (rate * h)^5 / 120, here below 1e-9
    assert np.array(q)[:, 0] == pytest.approx(expected.q[-1], abs=1e-9)
    assert np.array(v)[:, 0] == pytest.approx(expected.v[-1], abs=1e-7)


@pytest.mark.parametrize("part", [1.0, 0.5, 0.2])
def test_growth_of_the_variances_is_shared_over_parts_of_a_cycle(part, lqr) -> None:
    """Of nothing unknown there is after a time what was added in it: as much in two halves."""
    observer = design_observer(lqr.reference, lqr.model.coordinates, ENCODERS, {"force.x": 20.0})
    q, v, u = lqr.reference.q[0], lqr.reference.v[0], lqr.reference.u[0]
    d, size = observer.disturbance_start, len(observer.states)
    here = (q, v, d, np.zeros((size, size)), u, observer.parameter_vector)
    P = np.array(observer.predict(*here, part * observer.cycle)[3])
    assert np.count_nonzero(observer.growth) > size // 2
    added = part * np.diag(observer.growth)
    assert pytest.approx(added, rel=1e-12) == P


def test_slopes_with_parameters_follow_the_constraints_that_they_move(exact) -> None:
    # CABLEV's platform: with another size the ropes of the same pose have other lengths
    solution = exact("cablev-general", 10)
    crane, p = solution.problem.crane, solution.problem.parameter_vector
    inner = linearise_along(solution).coordinates
    motion = motion_step(crane, inner, ("m", "l_1"))
    q, v, u, w = solution.q[4], solution.v[4], solution.u[4], np.zeros(7)
    _, G = motion.slopes(q, v, u, w, p)
    shift = np.array(motion.shift(q, v, p))
    rates = crane_dynamics(crane).accelerations
    for column, (name, small) in enumerate((("m", 1e-3), ("l_1", 1e-5))):
        found = []
        for side in (small, -small):
            changed = p.copy()
            changed[names(crane.parameters).index(name)] += side
            there = (q, v)
            for _ in range(3):
                there = tuple(np.array(x)[:, 0] for x in motion.complete(*there, changed))
            a = np.array(rates(*there, u, changed)[0])[motion.inner, 0]
            found.append((np.concatenate(there), a))
        moved, slope = ((one - other) / (2.0 * small) for one, other in zip(*found, strict=True))
        assert np.array(G)[10:, 7 + column] == pytest.approx(slope, rel=1e-6, abs=1e-6)
        assert shift[:, column] == pytest.approx(moved, rel=1e-6, abs=1e-8)


def test_force_on_the_load_is_a_force(lqr) -> None:
    # The power of a force on the load is all that changes the energy of a crane without inputs.
    reference = lqr.reference
    motion = motion_step(reference.crane, lqr.model.coordinates)
    p = [reference.parameters[name] for name in names(reference.crane.parameters)]
    energy = crane_dynamics(reference.crane).energy
    q, v = ca.DM(reference.q[0]), ca.DM(reference.v[0])
    start, w, work, h = float(energy(q, v, p)), np.array([50.0, -80.0, 30.0]), 0.0, 1e-3
    for _ in range(500):
        before = np.array(q)[3:, 0]
        q, v = motion.step(q, v, np.zeros(3), w, p, h)
        work += float(w @ (np.array(q)[3:, 0] - before))
    assert float(energy(q, v, p)) - start == pytest.approx(work, rel=1e-8)


def test_force_on_a_massless_part_is_refused() -> None:
    class PulleyAsOutput(NavyCrane2D):
        outputs = (Quantity("x_0", "m", "pulley"), Quantity("z_0", "m", "pulley"))

        def output_map(self, q, p):
            return {"x_0": q.x_0, "z_0": q.z_0}

    with pytest.raises(StructureError, match="massless coordinate"):
        motion_step(PulleyAsOutput(), ["L_1", "L_2", "x"]).step  # noqa: B018


def run(design, observer, law=None, seconds=60.0, draw=1, **plant):
    samples = round(seconds / design.law.cycle)
    noise = draw_noise(observer, samples, draw)
    deviations = Deviations(noise=noise, **plant)
    return simulate_loop(design.reference, law or design.law, seconds, deviations, observer)


def test_encoders_alone_are_enough_for_the_swing(lqr) -> None:
    # The load's swing is seen by what it does to the drives. Without noise nothing is left of the
    # 0.3 m at the start that the observer does not know of.
    observer = design_observer(lqr.reference, lqr.model.coordinates, ENCODERS)
    assert not observability_at(observer, lqr.reference, 0.0).unobserved
    quiet = simulate_loop(lqr.reference, lqr.law, 60.0, Deviations(q=DISPLACED), observer)
    assert quiet.errors()[8000:].max() < 1e-5
    assert np.abs(quiet.estimate[2000:, 3:6] - quiet.q[2000:, 3:6]).max() < 1e-4
    # With noise the estimate is as good as the observer says of itself, or better: it allows for
    # accelerations that the twin does not have.
    columns = [*INNER, *(6 + i for i in INNER)]
    rows = slice(4000, 8000)
    for draw in (1, 2, 3):
        motion = run(lqr, observer, q=DISPLACED, draw=draw)
        true = np.column_stack([motion.q, motion.v])[rows, columns]
        off = (motion.estimate[rows, columns] - true) ** 2 / motion.variance[rows]
        assert (np.sqrt(off.mean(axis=0)) < 1.0).all()


def test_observer_knows_which_inputs_act_when(feedforward, lqr) -> None:
    # Inputs one and a half cycles late: law and observer are made for it, and without noise the
    # estimate is exact in the end. A plant that is late by more has an estimate that lags.
    design = design_law(
        feedforward, 0.02, weights=WEIGHTS, delay=0.03, independent=lqr.model.coordinates
    )
    observer = design_observer(design.reference, design.model.coordinates, ENCODERS)
    off = []
    for delay in (0.03, 0.035):
        plant = Deviations(q=DISPLACED, delay=delay)
        motion = simulate_loop(design.reference, design.law, 40.0, plant, observer)
        off.append(np.abs(motion.estimate[1000:, 3:6] - motion.q[1000:, 3:6]).max())
    assert off[0] < 0.1 * off[1]


def test_slow_camera_helps_encoders(lqr) -> None:
    few = design_observer(lqr.reference, lqr.model.coordinates, ENCODERS)
    more = design_observer(lqr.reference, lqr.model.coordinates, (*ENCODERS, *CAMERA))
    assert more.due(21)[:, 3].sum() == 3.0
    motions = [run(lqr, observer, seconds=10.0, q=DISPLACED) for observer in (few, more)]
    # It finds the displaced load at once, and what the observer says of itself is better for good.
    off = [
        np.sqrt(np.mean((motion.estimate[:400, 3:5] - motion.q[:400, 3:5]) ** 2))
        for motion in motions
    ]
    assert off[1] < 0.3 * off[0]
    assert (motions[1].variance[:, 2:4] < motions[0].variance[:, 2:4]).all()
    assert (motions[1].variance[-1, 2:4] < 0.5 * motions[0].variance[-1, 2:4]).all()


def test_payload_is_estimated_and_its_weight_carried(lqr) -> None:
    observer = design_observer(
        lqr.reference, lqr.model.coordinates, ENCODERS, {"parameter.m": 100.0}
    )
    assert observer.states[-1] == "parameter.m"
    plain = run(lqr, observer, parameters={"m": 600.0})
    mean = plain.estimate[400:, 12].mean()
    assert mean == pytest.approx(600.0, rel=5e-3)
    assert np.abs(plain.estimate[200:, 12] - 600.0).max() < 5.0 * np.sqrt(plain.variance[-1, -1])
    assert plain.errors()[-1] == pytest.approx(0.313, abs=0.02)
    law = compensated_law(lqr, observer)
    helped = run(lqr, observer, law, parameters={"m": 600.0})
    assert helped.errors()[8000:].max() < 0.05
    # the winch's part is the weight itself: 9.81 m/s^2 * 0.1 m for each kilogram
    rest = law.K_disturbance[-1, 2, 0]
    assert rest == pytest.approx(0.981, rel=1e-9)


def test_wind_is_estimated_and_leaned_against(lqr) -> None:
    sizes = {"force.x": 100.0, "force.y": 100.0}
    observer = design_observer(lqr.reference, lqr.model.coordinates, ENCODERS, sizes)
    force = np.zeros((12000, 3))
    force[3000:, 0] = 200.0
    # without noise the estimate has no error in the end, and neither has the load
    law = compensated_law(lqr, observer)
    motion = simulate_loop(lqr.reference, law, 60.0, Deviations(force=force), observer)
    assert motion.estimate[-1, 12:] == pytest.approx([200.0, 0.0], abs=0.1)
    # what is left is second order in the wind, since the gains are linear: half of it, a quarter
    half = simulate_loop(lqr.reference, law, 60.0, Deviations(force=0.5 * force), observer)
    assert motion.errors()[-1] < 0.01
    assert motion.errors()[-1] / half.errors()[-1] == pytest.approx(4.0, rel=0.02)
    alone = simulate_loop(lqr.reference, lqr.law, 60.0, Deviations(force=force), observer)
    assert alone.errors()[-1] > 0.2


def test_payload_and_lift_cannot_be_told_apart_at_rest(lqr) -> None:
    sizes = {"parameter.m": 100.0, "force.z": 500.0}
    observer = design_observer(lqr.reference, lqr.model.coordinates, ENCODERS, sizes)
    (lost,) = observability_at(observer, lqr.reference, 45.0).unobserved
    # 100 kg of load weigh 981 N: equal and opposite in these sizes as 1 : 981 / 500
    ratio = lost.parts["force.z"] / lost.parts["parameter.m"]
    assert ratio == pytest.approx(981.0 / 500.0, rel=1e-3)
    assert "force.z together with parameter.m" in lost.describe()
    # while it accelerates, mass is more than weight
    assert not observability_at(observer, lqr.reference, 8.0).unobserved


def test_what_cannot_be_observed_is_named(lqr) -> None:
    observer = design_observer(lqr.reference, lqr.model.coordinates, [Sensor("q.l", 1e-3)])
    found = observability_at(observer, lqr.reference, 45.0)
    lost = {name for one in found.unobserved for name in one.parts}
    # at rest the rope's length tells of the height; of slewing and trolley nothing
    assert {"q.phi", "q.s"} <= lost
    assert not lost & {"q.z", "v.z"}
    assert all("not observed" in line for line in found.describe())


def test_gramian_is_that_of_readings_of_the_moving_crane(lqr) -> None:
    # W by differences of simulated readings with respect to the initial state
    reference, observer = (
        lqr.reference,
        design_observer(lqr.reference, lqr.model.coordinates, ENCODERS),
    )
    samples, p = 100, observer.parameter_vector
    first = 2000

    def readings(dx):
        q, v = reference.q[first].copy(), reference.v[first].copy()
        q[INNER] += dx[:5]
        v[INNER] += dx[5:]
        for _ in range(3):
            q, v = (np.array(part)[:, 0] for part in observer.motion.complete(q, v, p))
        found = []
        for k in range(samples):
            found.append(np.array(observer.readings(q, v, p)[0])[:, 0])
            u = reference.hold[first + k]
            q, v = (np.array(x)[:, 0] for x in observer.motion.step(q, v, u, [0, 0, 0], p, 0.005))
        return np.array(found)

    known, noise = np.sqrt(observer.variance), np.array([1e-4, 1e-3, 1e-3])
    small = 1e-3
    slopes = [
        (readings(small * known * e) - readings(-small * known * e)) / (2.0 * small * noise)
        for e in np.eye(10)
    ]
    J = np.array([slope.ravel() for slope in slopes]).T
    expected = np.linalg.eigvalsh(J.T @ J)
    found = observability_at(observer, reference, 10.0, 0.5)
    # the slopes are frozen over each cycle: measured 8e-5 off at most
    for value, direction in zip(expected, found.directions, strict=True):
        assert math.sqrt(direction.information) == pytest.approx(math.sqrt(value), rel=3e-4)


def test_gyroscope_reads_the_rate_of_an_angle(lqr) -> None:
    sensor = Sensor("rate((x - s)/l)", 1e-3, name="gyroscope")
    observer = design_observer(lqr.reference, lqr.model.coordinates, [sensor])
    q, v = lqr.reference.q[2000], lqr.reference.v[2000]
    p, h = observer.parameter_vector, 1e-6
    found = float(observer.readings(q, v, p)[0])

    def angle(q):
        return (q[3] - q[1]) / q[2]

    assert found == pytest.approx((angle(q + h * v) - angle(q - h * v)) / (2.0 * h), rel=1e-7)


@pytest.mark.parametrize("precision", ["double", "single"])
def test_observer_can_be_printed_as_c(precision, lqr) -> None:
    observer = design_observer(
        lqr.reference, lqr.model.coordinates, ENCODERS, {"parameter.m": 100.0}
    )
    for function in (observer.update, observer.predict, observer.readings, observer.motion.step):
        text = emit_function(function, function.name(), precision, "real")
        assert f"static void {function.name()}(const real *q" in text


def test_mistakes_are_told_in_one_sentence(lqr) -> None:
    reference, inner = lqr.reference, lqr.model.coordinates
    with pytest.raises(InputError, match=r"unknown signal .*Did you mean 'q.phi'"):
        design_observer(reference, inner, [Sensor("q.phii", 1.0)])
    with pytest.raises(InputError, match=r"noise of sensor q\.s must be positive"):
        Sensor("q.s", 0.0)
    with pytest.raises(InputError, match=r"must be a multiple of the controller's 0\.005 s"):
        design_observer(reference, inner, [Sensor("q.s", 1.0, 0.012)])
    with pytest.raises(InputError, match="at least one sensor"):
        design_observer(reference, inner, [])
    with pytest.raises(InputError, match=r"unknown disturbance 'force\.w'"):
        design_observer(reference, inner, ENCODERS, {"force.w": 1.0})
    with pytest.raises(InputError, match="10 entries"):
        design_observer(reference, inner, ENCODERS, variance=[1.0])
    observer = design_observer(reference, inner, ENCODERS)
    with pytest.raises(InputError, match="estimates no disturbance"):
        compensated_law(lqr, observer)
    law = replace(lqr.law, disturbances=("force.x",))
    with pytest.raises(InputError, match="simulate it with the observer"):
        simulate_loop(reference, law, 1.0, observer=observer)
