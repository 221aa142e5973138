"""The C module of a controller: the twin's closed loop is the independent second formulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from controller_driver import Module

from c_programs import run_sanitized
from cranebridge.control import (
    Deviations,
    DriveGains,
    LoopMotion,
    Observer,
    Sensor,
    compensated_law,
    design_law,
    design_observer,
    draw_noise,
    drive_law,
    simulate_loop,
)
from cranebridge.control.code.controller import Controller, controller_of, thinned_law
from cranebridge.control.code.controller_c import controller_sources
from cranebridge.control.design.law import Law
from cranebridge.control.model.reference_motion import ReferenceMotion
from cranebridge.control.model.sampled_motion import motion_step
from cranebridge.control.simulation import loop_motion
from cranebridge.errors import InputError
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import time_grid
from cranebridge.limits import Limits
from cranebridge.scenario import load_scenario

CYCLE, SAMPLES = 0.005, 900  # a motion of 600 samples
ENCODERS = (Sensor("q.s", 1e-3), Sensor("q.l", 2e-3, resolution=1e-3))
SENSORS = (
    *ENCODERS,
    Sensor("(x - s)/l", 1e-3, name="rope angle"),
    Sensor("y.z", 5e-3, cycle=0.02, name="camera"),
)
LOOPS = {"s": DriveGains(2e4, 4e3, 5e3), "l": DriveGains(4e3, 1e3, 0.0)}


@dataclass(frozen=True, eq=False)
class Case:
    """A controller, and what it did with the twin as the plant."""

    controller: Controller
    law: Law
    reference: ReferenceMotion
    motion: LoopMotion
    measured: np.ndarray


@cache
def design(kind: str, delay: float = 0.0):
    problem = load_scenario("overhead").problem
    solution = solve_index1(problem, time_grid(problem.path.duration, CYCLE))
    return design_law(solution, CYCLE, kind, delay=delay)


@cache
def observer_of(kind: str, delay: float, sensors: tuple[Sensor, ...], estimated: str) -> Observer:
    made = design(kind, delay)
    disturbances = {estimated: 20.0} if estimated else {}
    found = design_observer(made.reference, made.model.coordinates, sensors, disturbances)
    # Readings are replayed here: inputs that differ do not move what is read, which a gate refuses.
    return replace(found, gate=0.0)


def readings(observer: Observer, motion: LoopMotion, noise: np.ndarray) -> np.ndarray:
    """Return what the sensors say along a motion of the twin with its true parameters."""
    p = np.repeat(observer.parameter_vector[:, None], len(motion.time), axis=1)
    found = observer.readings.map(len(motion.time))(motion.q.T, motion.v.T, p)[0]
    return np.array(found).T + noise


def full_state(controller: Controller, motion: LoopMotion) -> np.ndarray:
    return signals_of([channel.name for channel in controller.measured], motion)


def signals_of(titles: Sequence[str], motion: LoopMotion) -> np.ndarray:
    crane = motion.reference.crane
    known = {f"q.{c.name}": motion.q[:, i] for i, c in enumerate(crane.coordinates)}
    known |= {f"v.{c.name}": motion.v[:, i] for i, c in enumerate(crane.coordinates)}
    known |= {f"y.{c.name}": motion.outputs[:, i] for i, c in enumerate(crane.outputs)}
    return np.column_stack([known[title] for title in titles])


def far_parts(controller: Controller, motion: LoopMotion) -> np.ndarray:
    """Return how far off what is fed back is, as a part of what is refused."""
    wanted = controller.reference[motion.reference.rows(len(motion.time))]
    off = np.abs(signals_of(controller.titles, motion) - wanted)
    return np.asarray((off / controller.far).max(axis=1))


def loop_case(
    kind: str,
    delay: float = 0.0,
    sensors: tuple[Sensor, ...] = (),
    estimated: str = "",
    limits: dict[str, object] | None = None,
) -> Case:
    """Return a loop with limits of its inputs; each is simulated once."""
    return made_case(kind, delay, sensors, estimated, tuple((limits or {}).items()))


@cache
def made_case(
    kind: str,
    delay: float,
    sensors: tuple[Sensor, ...],
    estimated: str,
    limits: tuple[tuple[str, object], ...],
) -> Case:
    made = design("lqr" if kind == "drives" else kind, delay)
    reference, law = made.reference, made.law
    if kind == "drives":
        law = drive_law(reference, LOOPS)
    observer = observer_of(kind, delay, sensors, estimated) if sensors else None
    if estimated and kind == "lqr":
        law = compensated_law(made, observer)
    bounds = Limits.from_mapping({"u": dict(limits)}, law.crane)
    controller = controller_of(law, reference, bounds if limits else None, observer)
    start = reference.q[0] + np.array([0.0, 0.0, 0.1, 0.0])
    noise = draw_noise(observer, SAMPLES, 3) if observer else None
    motion = simulate_loop(
        reference,
        thinned_law(controller, law),
        SAMPLES * CYCLE,
        Deviations(q=start, noise=noise),
        observer,
        (controller.least, controller.most),
    )
    measured = readings(observer, motion, noise) if observer else full_state(controller, motion)
    return Case(controller, law, reference, motion, measured)


CASES = {
    "lqr": {"kind": "lqr"},
    "lqi within limits": {"kind": "lqi", "limits": {"F_t": 160.0}},
    "past inputs": {"kind": "lqr", "delay": 0.0125},
    "drives": {"kind": "drives"},
    "observer": {"kind": "lqr", "sensors": SENSORS},
    "observer and integrals": {"kind": "lqi", "sensors": SENSORS, "limits": {"F_t": 160.0}},
    "observer that knows of a delay": {"kind": "lqr", "sensors": SENSORS, "delay": 0.0075},
    # parts of a cycle that are equally long: growth that is not shared among them doubles
    "observer that knows of half a cycle of delay": {
        "kind": "lqr",
        "sensors": SENSORS,
        "delay": 0.0025,
    },
    "estimated force": {"kind": "lqr", "sensors": SENSORS, "estimated": "force.x"},
    "payload estimated beside integrals": {
        "kind": "lqi",
        "sensors": SENSORS,
        "estimated": "parameter.m",
    },
    "estimated payload": {"kind": "lqr", "sensors": SENSORS, "estimated": "parameter.m"},
}


@pytest.mark.parametrize(
    ("name", "precision"),
    [*((name, "double") for name in CASES), ("past inputs", "single"), ("observer", "single")],
)
def test_module_gives_the_inputs_of_the_simulated_loop(name, precision, tmp_path) -> None:
    case = loop_case(**CASES[name])
    status, u = Module(case.controller, tmp_path, precision).run(case.measured)
    largest = np.abs(case.motion.u).max(axis=0)
    # Rounding of the sums in u; in single precision of q and its reference, 6e-8 of some metres,
    # times gains of 1e4 N/m, and its amplification by the filter.
    part = 1e-9 if precision == "double" else 2e-3
    assert (np.abs(u - case.motion.u) <= part * largest).all()
    # with limits that are too tight the load is lost, which is told from where no crane can be on
    far = far_parts(case.controller, case.motion)
    assert (status[far > 1.1] == -1).all()
    assert (status[:600][far[:600] < 0.9] == 0).all()
    assert (status[600:][far[600:] < 0.9] == 1).all()
    assert far[:600].max() < 0.9
    if "limits" in CASES[name]:
        assert np.abs(u[:, 0]).max() == np.float32(160.0)


def test_thinned_gains_are_right_to_the_stated_error() -> None:
    case = loop_case("lqr")
    assert len(case.controller.nodes) < 150
    exact, thin = case.law.K, thinned_law(case.controller, case.law).K
    size = np.abs(exact).max(axis=(0, 1))
    size[size == 0.0] = 1.0
    parts = np.abs(exact / size).max(axis=(0, 2))
    assert (np.abs(thin - exact) / size / parts[:, None]).max() <= case.controller.error
    assert (thin[-1] == exact[-1]).all()
    fine = controller_of(case.law, case.reference, error=1e-5)
    assert len(fine.nodes) > 2 * len(case.controller.nodes)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_bad_measurement_holds_the_last_correction(bad, tmp_path) -> None:
    case = loop_case("lqi")
    module, measured = Module(case.controller, tmp_path), case.measured.copy()
    measured[200:210, 1] = bad
    status, u = module.run(measured)
    assert (status[200:210] == -1).all()
    assert (np.delete(status[:600], range(200, 210)) == 0).all()
    held = case.controller.hold[200:210] + (u[199] - case.controller.hold[199])
    assert u[200:210] == pytest.approx(held, abs=1e-9)
    # integrals have waited: from then on they lack these ten samples, and nothing else differs
    good = module.run(case.measured)[1]
    wanted = case.reference.outputs[case.reference.rows(SAMPLES)]
    missed = CYCLE * (case.motion.outputs - wanted)[200:210].sum(axis=0)
    gains = thinned_law(case.controller, case.law).K_integral[case.reference.rows(SAMPLES)]
    assert (u - good)[210:] == pytest.approx((gains @ missed)[210:], abs=1e-8 * np.abs(u).max())
    assert (u[:200] == good[:200]).all()


@pytest.mark.parametrize("signal", ["q.x", "v.s"])
@pytest.mark.parametrize("bad", [1e3, -1e30])
def test_finite_reading_that_no_crane_can_have_holds_as_well(signal, bad, tmp_path) -> None:
    """Fed back, it would drive the inputs to their limits with status 0."""
    case = loop_case("lqr")
    module, measured = Module(case.controller, tmp_path), case.measured.copy()
    names = [channel.name for channel in case.controller.measured]
    measured[200:203, names.index(signal)] += bad
    status, u = module.run(measured)
    assert (status[200:203] == -1).all()
    assert (np.delete(status[:600], range(200, 203)) == 0).all()
    held = case.controller.hold[200:203] + (u[199] - case.controller.hold[199])
    assert u[200:203] == pytest.approx(held, abs=1e-9)
    assert (u[203:] == module.run(case.measured)[1][203:]).all()


def glitch(bad: float, refuses: bool, samples: int = 1600) -> Case:
    """Return an lqi loop in which y.x once reads `bad` more than it is."""
    made, noise = design("lqi"), np.zeros((samples, 2))
    noise[200, 0] = bad
    controller = controller_of(made.law, made.reference, Limits())
    law, plant = thinned_law(controller, made.law), Deviations(noise=noise)
    if not refuses:
        controller = replace(controller, far=np.full(controller.far.shape, np.inf))
    bounds, span = (controller.least, controller.most), samples * CYCLE
    with pytest.MonkeyPatch.context() as patch:
        if not refuses:
            patch.setattr(loop_motion, "far_off", lambda _, titles: np.full(len(titles), np.inf))
        motion = simulate_loop(made.reference, law, span, plant, limits=bounds)
    measured = full_state(controller, motion)
    measured[:, [c.name for c in controller.measured].index("y.x")] += noise[:, 0]
    return Case(controller, law, made.reference, motion, measured)


# An output that is integrated has no other gain: what is read once stays in its integral, which
# took the trolley 315 m away with 1e3 m and 7460 m with 1e30 m.
@pytest.mark.parametrize("bad", [20.0, 1e3, 1e30])
@pytest.mark.parametrize("refuses", [True, False])
def test_one_wrong_reading_of_an_integrated_output_does_not_stay(bad, refuses, tmp_path) -> None:
    case = glitch(bad, refuses)
    status, u = Module(case.controller, tmp_path).run(case.measured)
    assert (np.abs(u - case.motion.u) <= 1e-9 * np.abs(case.motion.u).max(axis=0)).all()
    told = refuses and bad > case.controller.far[case.controller.integrals[0]]
    assert status[200] == (-1 if told else 0)
    assert (np.delete(status, 200) >= 0).all()
    errors = case.motion.errors()
    # a refused one costs nothing; with another the load leaves its way, not the crane
    assert errors.max() < (1e-4 if told else 0.4)
    assert errors[-100:].max() < 1e-4
    assert (u >= case.controller.least).all()
    assert (u <= case.controller.most).all()


@pytest.mark.parametrize("bad", [np.nan, 1e3, 1e30])
def test_module_brings_the_load_to_its_goal_past_a_wrong_reading(bad, tmp_path) -> None:
    made = design("lqi")
    reference, crane = made.reference, made.law.crane
    controller = controller_of(made.law, reference, Limits())
    module, motion = Module(controller, tmp_path), motion_step(crane, made.model.coordinates)
    p = np.array([reference.parameters[part.name] for part in crane.parameters])
    q, v, status = reference.q[0], reference.v[0], []
    for k in range(800):
        known = {f"q.{c.name}": q[i] for i, c in enumerate(crane.coordinates)}
        known |= {f"v.{c.name}": v[i] for i, c in enumerate(crane.coordinates)}
        known |= {"y.x": bad if k == 200 else q[2], "y.z": q[3]}
        found, u = module.step(np.array([known[channel.name] for channel in controller.measured]))
        status.append(found)
        q, v = (np.array(part)[:, 0] for part in motion.step(q, v, u, [0.0, 0.0], p, CYCLE))
    assert [k for k in range(800) if status[k] < 0] == [200]
    assert q[2:] == pytest.approx(reference.outputs[-1], abs=1e-4)


def test_integral_waits_only_where_it_leads_further(tmp_path) -> None:
    # one drive, u = -x - xi, |u| <= 1: x = 2 is beyond the limit, and leads further; x = 1.5 with
    # an integral of the other sign leads back, up to what brings u to its limit by itself
    drives = loop_case("drives").controller
    controller = replace(
        drives,
        measured=drives.measured[:2],
        inputs=drives.inputs[:1],
        reference=np.zeros((900, 2)),
        hold=np.full((900, 1), 0.25),
        nodes=np.array([0, 899]),
        gains=np.tile([1.0, 0.0, 1.0], (2, 1, 1)),
        integrals=(0,),
        far=np.array([25.0, 25.0]),
        least=np.array([-1.0]),
        most=np.array([1.0]),
    )
    read = np.zeros((900, 2))
    read[:100, 0], read[100:400, 0], read[400:, 0] = 2.0, 0.1, -3.0
    u, xi = np.zeros(900), 0.0
    for k, x in enumerate(read[:, 0]):
        wanted = 0.25 - x - xi
        u[k] = np.clip(wanted, -1.0, 1.0)
        further = (wanted > 1.0 and x < 0.0) or (wanted < -1.0 and x > 0.0)
        xi = np.clip(xi + (0.0 if further else CYCLE * np.clip(x, -0.5, 0.5)), -0.75, 1.25)
    found = Module(controller, tmp_path).run(read)[1][:, 0]
    assert found == pytest.approx(u, abs=1e-12)
    assert (found[:100] == -1.0).all()
    assert (found[100:400] > -1.0).all()  # nothing was summed up meanwhile


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_observer_goes_on_without_a_sensor_that_is_lost(bad, tmp_path) -> None:
    # Of drives without limits the estimate would run away from what is read here, and be held.
    limits = {"F_t": 160.0, "M_w": (-200.0, 0.0)}
    case = loop_case("lqr", sensors=SENSORS, limits=limits)
    module, measured = Module(case.controller, tmp_path), case.measured.copy()
    measured[100:, 2] = bad
    status, u = module.run(measured)
    assert (status[:100] == 0).all()
    assert (status[100:] == -2).all()
    assert np.isfinite(u).all()
    # A sensor that is never read is not part of the filter at all.
    without = loop_case("lqr", sensors=(*SENSORS[:2], SENSORS[3]), limits=limits)
    (tmp_path / "without").mkdir()
    blind = Module(without.controller, tmp_path / "without").run(measured[:, [0, 1, 3]])[1]
    measured[:, 2] = bad
    assert module.run(measured)[1] == pytest.approx(blind, abs=1e-9 * np.abs(blind).max())


@pytest.mark.parametrize("bad", [np.inf, -1e308, 1e150, 1e20, 1e4])
def test_impossible_readings_are_lost_ones(bad, tmp_path) -> None:
    # no sensor is wrong by ten thousand of its standard deviations: as if it had said no number
    case = loop_case("lqr", sensors=SENSORS, limits={"F_t": 160.0, "M_w": (-200.0, 0.0)})
    module, lost = Module(case.controller, tmp_path), case.measured.copy()
    lost[300:320] = np.nan
    status, u = module.run(lost)
    wild = case.measured.copy()
    wild[300:320] = bad
    found, other = module.run(wild)
    assert u.tobytes() == other.tobytes()
    assert (status == found).all()
    assert (status[300:320] == -1).all()
    assert (status[320:600] == 0).all()
    # the estimate was predicted meanwhile
    assert u[400:] == pytest.approx(case.motion.u[400:], abs=0.05 * np.abs(u).max())
    assert (u >= case.controller.least).all()
    assert (u <= case.controller.most).all()


def test_values_beyond_all_numbers_hold_a_law_without_observer(tmp_path) -> None:
    case = loop_case("lqr")
    measured = case.measured.copy()
    measured[100:105, :2] = 1e308, -1e308  # numbers, and their sum with gains is none
    module = Module(case.controller, tmp_path)
    status, u = module.run(measured)
    assert np.isfinite(u).all()
    assert (status[100:105] == -1).all()
    assert (u[105:] == module.run(case.measured)[1][105:]).all()


def test_estimate_that_leads_nowhere_is_not_taken(tmp_path) -> None:
    # A load in its trolley, on a rope of no length, is where the crane's equations have no answer.
    # The readings are replayed, so that only drives with limits let the estimate come back.
    case = loop_case("lqr", sensors=SENSORS, limits={"F_t": 400.0, "M_w": 150.0})
    measured = case.measured.copy()
    measured[100:110, 1:] = 0.0
    status, u = Module(case.controller, tmp_path).run(measured)
    assert np.isfinite(u).all()
    assert (status[300:600] >= 0).all()
    assert u[800:] == pytest.approx(case.motion.u[800:], abs=1e-3 * np.abs(case.motion.u).max())


def test_prediction_beyond_all_numbers_is_not_made(tmp_path) -> None:
    # Nothing is known any more after two samples without readings, and everything again with them.
    case = loop_case("lqr", sensors=SENSORS)
    observer = case.controller.observer
    growth = np.where(observer.growth > 0.0, 1e307, 0.0)
    controller = replace(case.controller, observer=replace(observer, growth=growth))
    measured = case.measured.copy()
    measured[100:140] = np.nan
    status, u = Module(controller, tmp_path).run(measured)
    assert np.isfinite(u).all()
    assert (status[100:140] == -1).all()
    # such variances leave little of the digits: now and then a reading is lost, but it goes on
    assert (status[145:600] == 0).mean() > 0.5


DRIVER = """\
#include <stdio.h>
#include "module.h"

int main(void)
{
    static module_state state;
    module_real measured[module_MEASURED] = {MEASURED}, u[module_INPUTS];
    const module_real zero = 0;
    int i, k;
    module_init(&state);
    for (k = 0; k < 700; k++) {
        const module_real kept = measured[0];
        if (k % 50 == 7) measured[0] = zero / zero;
        if (k % 50 == 9) measured[0] = (module_real)1e30;
        printf("%d", module_step(&state, measured, u));
        for (i = 0; i < module_INPUTS; i++) printf(" %.17g", (double)u[i]);
        printf("\\n");
        measured[0] = kept;
    }
    return 0;
}
"""


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("name", ["lqi within limits", "past inputs", "estimated payload"])
def test_module_with_sanitizers(name, precision, tmp_path: Path) -> None:
    case = loop_case(**CASES[name])
    header, source = controller_sources(case.controller, "module", precision)
    (tmp_path / "module.h").write_text(header)
    (tmp_path / "module.c").write_text(source)
    measured = ", ".join(map(repr, case.measured[0].tolist()))
    (tmp_path / "driver.c").write_text(DRIVER.replace("MEASURED}", f"{measured}}}"))
    done = run_sanitized([tmp_path / "driver.c", tmp_path / "module.c"])
    rows = np.array([line.split() for line in done.splitlines()], dtype=float)
    status, u = rows[:, 0], rows[:, 1:]
    # a value that is no number is told of, held or estimated without; 1e30 is a number to a law
    # that knows the state, and what comes of it is limited; to an observer it is impossible
    when = np.arange(700) % 50
    observed = case.controller.observer is not None
    assert (status[when == 7] < 0).all()
    if observed:
        # readings that stay while the motion goes on are lost themselves in the end
        first = np.arange(700) < 300
        assert (status[first & ((when == 7) | (when == 9))] == -2).all()
        assert (status[first & (when != 7) & (when != 9)] == 0).all()
    else:
        assert (status[when == 7] == -1).all()
        assert (status[(when != 7) & (when != 9)] >= 0).all()
    assert np.isfinite(u).all()
    slack = 1e-6 * np.abs(u)  # limits of single precision are rounded
    assert (u >= case.controller.least - slack).all()
    assert (u <= case.controller.most + slack).all()
    # the same code without sanitizers does the same
    wrong = np.tile(case.measured[0], (700, 1))
    wrong[when == 7, 0], wrong[when == 9, 0] = np.nan, 1e30
    (tmp_path / "plain").mkdir()
    same, given = Module(case.controller, tmp_path / "plain", precision).run(wrong)
    assert (status == same).all()
    assert u == pytest.approx(given, rel=1e-9 if precision == "double" else 1e-3)


def test_law_that_needs_an_observer_is_refused_without() -> None:
    case = loop_case("lqr", sensors=SENSORS, estimated="force.x")
    with pytest.raises(InputError, match=r"compensates force\.x"):
        controller_of(case.law, case.reference)


def test_names_in_the_header_carry_units(tmp_path) -> None:
    header, _ = controller_sources(loop_case("lqr", sensors=SENSORS).controller, "x y")
    assert "x_y_in_0_q_s = 0, /* q.s [m]" in header
    assert "x_y_in_2_rope_angle = 2, /* rope angle */" in header
    assert "x_y_out_0_u_F_t = 0, /* u.F_t [N]" in header


def test_rounded_readings_count_as_noise() -> None:
    assert Sensor("q.s", 3e-3, resolution=4e-3 * 12**0.5).deviation == pytest.approx(5e-3)
    assert Sensor("q.s", 0.0, resolution=1e-3).deviation > 0.0
    with pytest.raises(InputError, match=r"noise of sensor q\.s must be positive"):
        Sensor("q.s", 0.0)
    with pytest.raises(InputError, match=r"resolution of sensor q\.s must not be negative"):
        Sensor("q.s", 1e-3, resolution=-1.0)
