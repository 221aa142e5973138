"""Sensors, observer and the controller's own code against the FMU."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_verify_control import BENCHMARK, DATA, LAWS, statistics

from c_programs import load_strict
from cranebridge.control import controller_sources, draw_noise
from cranebridge.control.code.controller import Controller
from cranebridge.errors import InputError
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.job import verify_scenario
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import open_plant, plant_file, plant_settings
from cranebridge.plant.sandbox.plant_results import Simulation
from cranebridge.scenario import load_scenario
from cranebridge.verify.tracking.plant_run import PlantRun
from further import further

ENCODERS = "{signal='q.s', noise=1e-3}, {signal='q.l', noise=1e-3, resolution=2e-3}"
ANGLE = "{signal='(x - s)/l', name='rope angle', noise=1e-3}"
CAMERA = "{signal='y.z', noise=5e-3, cycle=0.02}"
SENSORS = f"control.sensor=[{ENCODERS}, {ANGLE}, {CAMERA}]"
DISPLACED = "plant.start.q.x=0.1"
# given, so that it is not searched for seconds how stiff a law may be
WEIGHTS = (
    "control.weights={'q.s'=44.4, 'q.l'=44.4, 'v.s'=2.0, 'v.l'=2.0, 'y.x'=400.0, 'y.z'=400.0, "
    "'u.F_t'=5e-5, 'u.M_w'=1e-3}"
)


def simulated(name: str, *settings: str) -> tuple[PlantRun, Simulation]:
    scenario = load_scenario(name, ["plant.certify=false", *settings])
    solution = solve_scenario(scenario).feedforward
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        run = PlantRun(solution, plant, mapping, plant_settings(scenario))
        return run, run.simulate(solution, 1e-10)


def called(controller: Controller, measured: np.ndarray, folder: Path) -> np.ndarray:
    """Return what the handed over module gives out, compiled elsewhere and under another name."""
    header, source = controller_sources(controller, "mine")
    (folder / "mine.h").write_text(header)
    (folder / "mine.c").write_text(source)
    library = load_strict(folder / "mine.c")
    state = (ctypes.c_double * 100_000)()
    library.mine_init(state)
    u = np.zeros((len(measured), len(controller.inputs)))
    for row, given in zip(np.ascontiguousarray(measured), u, strict=True):
        library.mine_step(
            state, ctypes.c_void_p(row.ctypes.data), ctypes.c_void_p(given.ctypes.data)
        )
    return u


@pytest.mark.parametrize(
    ("settings", "interface", "fmi"),
    [
        further(["control.kind=lqr", SENSORS], "me", "2.0"),
        (["control.kind=lqi", SENSORS, "control.delay=0.0075", WEIGHTS], "cs", "3.0"),
        (["control.kind=lqi", "limits.u.F_t=900", WEIGHTS], "cs", "2.0"),
        (["control.kind=lqr", SENSORS, "control.observer.disturbances={'parameter.m'=10.0}",
          WEIGHTS], "me", "3.0"),
        (["control.kind=drives", "control.cycle=0.01",
          "control.drives.F_t={coordinate='s', kp=2e3, kv=6e2, ki=1e2}",
          "control.drives.M_w={coordinate='l', kp=4e2, kv=1e2}"], "me", "2.0"),
    ],
    ids=["observer", "observer cs", "full state cs", "payload", "drives"],
)  # fmt: skip
def test_handed_over_module_gives_the_very_bytes_of_the_verification(
    settings, interface, fmi, tmp_path
) -> None:
    which = [f"plant.interface='{interface}'", f"plant.fmi='{fmi}'", DISPLACED]
    run, simulation = simulated("overhead", *settings, *which)
    u = called(run.law.designed.controller, simulation.measured, tmp_path)
    assert u.tobytes() == simulation.given.tobytes()
    assert len(np.unique(u)) > 500
    assert (simulation.controller_status >= 0).all()


@pytest.fixture(scope="module")
def noisy(tmp_path_factory) -> tuple[PlantRun, list[tuple[np.ndarray, np.ndarray]]]:
    """The benchmark's displaced load with noisy sensors on the FMU, for twenty draws."""
    file = tmp_path_factory.mktemp("noisy") / "benchmark.toml"
    rope = "((x - s*cos(phi))*({}) + (y - s*sin(phi))*({}))/l"
    radial, tangential = rope.format("cos(phi)", "sin(phi)"), rope.format("-sin(phi)", "cos(phi)")
    file.write_text(
        BENCHMARK
        + "[control.observer.variance]\n"
        + "".join(f'"q.{name}" = {1e-6 if name in ("phi", "s") else 1e-4}\n'
                  for name in ("phi", "s", "x", "y", "z"))
        + "".join(f'"v.{name}" = 1e-4\n' for name in ("phi", "s", "x", "y", "z"))
        + '[control.observer.growth]\n"v.phi" = 1e-7\n'
        + "".join(f'"v.{name}" = 1e-5\n' for name in ("s", "x", "y", "z"))
    )  # fmt: skip
    sensors = (
        "control.sensor=[{signal='q.phi', noise=1e-4}, {signal='q.s', noise=1e-3}, "
        "{signal='q.l', noise=1e-3}, "
        f"{{signal='{radial}', noise=1e-3}}, {{signal='{tangential}', noise=1e-3}}]"
    )
    # the benchmark's filter knows the payload
    own = [sensors, "control.observer.disturbances={}", "plant.start.q.y=0.3"]
    scenario = load_scenario(str(file), [*LAWS["lqr"], *own])
    solution: Feedforward = solve_scenario(scenario).feedforward
    found = []
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        run = PlantRun(solution, plant, mapping, plant_settings(scenario))
        first, observer = run.law, run.law.designed.controller.observer
        for draw in range(1, 21):
            noise = draw_noise(observer, first.law.time.size, draw)
            assert draw > 1 or (noise == first.law.noise).all()
            run.law = replace(first, law=replace(first.law, noise=noise))
            one = run.simulate(solution, 1e-10)
            q = run.signals(("phi", "s", "x", "y"), one.outputs)
            found.append((run.outputs(one)[:12000], q[:12000]))
    return run, found


def test_noise_and_observer_over_twenty_draws_on_the_fmu(noisy) -> None:
    run, motions = noisy
    wanted = run.problem.path(run.times[:12000]).T
    E = np.array([np.linalg.norm(outputs - wanted, axis=1) for outputs, _ in motions])
    assert E.max() == pytest.approx(0.30002, rel=1e-4)  # as it begins, and never more
    assert E[:, 8000:].max() < 2e-3
    rms = np.sqrt(np.mean(E[:, :8000] ** 2, axis=1))
    assert 0.0478 < rms.min() <= rms.max() < 0.0480


@pytest.mark.parametrize("draw", [1, 2])
def test_benchmark_s_own_draws_on_the_fmu(draw, noisy) -> None:
    run, motions = noisy
    found = statistics(run, *motions[draw - 1])
    expected = DATA["results"][f"S4_noise_EKF_seed{draw} lqr"]
    for name in ("max", "rms", "E40", "late", "hang", "osc"):
        assert found[name] == pytest.approx(expected[name], rel=0.01), name


def test_encoders_alone_bring_the_load_to_rest_and_more_is_not_said_to_be_known() -> None:
    # the payload is known here: where it is estimated, too, encoders tell less of the swing
    known = "control.observer.disturbances={}"
    both = ["control.kind=lqr", f"control.sensor=[{ENCODERS}]", known, DISPLACED, "plant.settle=6"]
    tracking = verify_scenario(load_scenario("overhead", ["plant.certify=false", *both])).tracking
    assert tracking.compared["open loop"].residual_swing > 0.1
    # The readings of l are multiples of 2 mm, and the load hangs on 5 m of rope.
    assert np.abs(tracking.error[-300:]).max() < 5e-3
    assert any("everything is observed" in line for line in tracking.controller)
    one = simulated("overhead", "control.kind=lqr", "control.sensor=[{signal='q.s', noise=1e-3}]")
    lines = one[0].law.lines
    # at rest the trolley does not feel how long the rope is
    assert any(line.startswith("t = 3 to 8 s: not observed: q.z") for line in lines)


def test_the_same_draw_is_the_same_noise_and_another_one_is_not() -> None:
    base = ["control.kind=lqr", SENSORS, WEIGHTS]
    first, again, other = (
        simulated("overhead", *base, f"control.observer.draw={draw}")[1] for draw in (4, 4, 5)
    )
    assert (first.measured == again.measured).all()
    assert (first.measured != other.measured).any(axis=0).all()
    # each column as its sensor is
    assert first.measured[:, 1] / 2e-3 == pytest.approx(np.round(first.measured[:, 1] / 2e-3))
    assert (first.measured[1::4, 3] == first.measured[::4, 3][: len(first.measured[1::4])]).all()


def test_camera_sees_the_plant_s_own_load() -> None:
    run, simulation = simulated(
        "overhead", "control.kind=lqr", WEIGHTS, "control.sensor=[{signal='y.x', resolution=1e-9}, "
        "{signal='y.z', resolution=1e-9}, {signal='rate((x - s)/l)', resolution=1e-9}]", DISPLACED
    )  # fmt: skip
    rows = slice(0, len(simulation.measured), 2)  # the compared times are two samples apart
    seen, shown = simulation.measured[rows], simulation.outputs
    values = run.signals(("x", "z", "s", "l", "v.x", "v.s", "v.l"), shown)[: len(seen)]
    x, _, s, rope, v_x, v_s, v_l = values.T
    assert seen[:, :2] == pytest.approx(values[:, :2], abs=1e-8)
    assert seen[:, 2] == pytest.approx((v_x - v_s) / rope - (x - s) * v_l / rope**2, abs=1e-8)


def test_feedback_that_fades_in_begins_with_the_feedforward() -> None:
    fade = ["control.kind=lqr", "control.fade=0.5", DISPLACED]
    run, simulation = simulated("overhead", *fade)
    hold = run.law.designed.controller.hold
    assert (simulation.given[0] == hold[0]).all()
    jumps = np.abs(np.diff(simulation.given[:200], axis=0)).max(axis=0)
    assert (jumps < 0.1 * np.abs(simulation.given).max(axis=0)).all()
    _, sudden = simulated("overhead", *fade, "control.fade=0")
    assert np.abs(sudden.given[0] - hold[0]).max() > 100.0


def test_sensor_of_what_the_plant_does_not_show_is_refused(tmp_path) -> None:
    from overhead_plants import overhead_fmu

    file = overhead_fmu(tmp_path, outputs=("x", "z", "s", "v_s", "T_cable"))
    with pytest.raises(InputError, match=r"sensor v\.l needs v\.l .*plant\.map\.signals"):
        simulated(
            "overhead", f"plant.fmu='{file}'", "control.kind=lqr",
            "control.sensor=[{signal='v.l', noise=1e-3}]",
        )  # fmt: skip
