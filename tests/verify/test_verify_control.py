"""The controller runs sampled against the FMU: reference numbers, the twin, delay, limits."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from cranebridge.control import (
    Deviations,
    LoopMotion,
    controller_of,
    design_law,
    simulate_loop,
    thinned_law,
)
from cranebridge.errors import InputError
from cranebridge.job import verify_on_twin, verify_scenario
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import open_plant, plant_file, plant_settings
from cranebridge.scenario import load_scenario
from cranebridge.verify import Tracking
from cranebridge.verify.tracking.plant_run import PlantRun
from further import further, mostly_further

DATA = json.loads((Path(__file__).parents[1] / "data" / "feedback.json").read_text())
BENCHMARK = """\
[crane]
model = "rotary"
parameters = { J_b = 30000.0, m_t = 50.0, m = 500.0 }
[path]
kind = "cylindrical"
start = [14.0, 0.0, -15.0]
goal = [5.0, 4.71238898038469, -3.0]
profile = "three-phase"
duration = 40.0
ramp = 10.0
smoothness = 4
[solve]
step = 0.005
[control]
kind = "none"
cycle = 0.005
[control.weights]
"q.phi" = 10.0
"q.s" = 1.0
"q.x" = 100.0
"q.y" = 100.0
"q.z" = 100.0
"v.phi" = 10.0
"v.s" = 1.0
"v.x" = 10.0
"v.y" = 10.0
"v.z" = 10.0
"u.M_b" = 1e-6
"u.F_t" = 1e-4
"u.M_w" = 1e-3
[plant]
model = "RotaryCrane"
step = 0.005
settle = 20.0
certify = false
"""
INTEGRALS = ['control.weights."i.x"=5', 'control.weights."i.y"=5', 'control.weights."i.z"=5']
DRIVES = [
    "control.kind=drives",
    "control.drives.M_b={coordinate='phi', kp=2e6, kv=1e6, ki=5e5}",
    "control.drives.F_t={coordinate='s', kp=2e4, kv=4e3, ki=5e3}",
    "control.drives.M_w={coordinate='l', kp=5e3, kv=2e3, ki=2e3}",
]
# The benchmark's open loop: the feedforward held from the middle of each cycle, nothing fed back.
HELD = [
    *("control.kind=drives", "control.drives.M_b={coordinate='phi'}"),
    *("control.drives.F_t={coordinate='s'}", "control.drives.M_w={coordinate='l'}"),
]
SHOWN = [200, 400, 1000, 2000, 4000, 6000, 8000, 10000]  # samples at which the benchmark has E
LAWS = {
    "lqr": ["control.kind=lqr"],
    "lqi": ["control.kind=lqi", *INTEGRALS],
    "cascade": DRIVES,
}
PLANTS = {
    "S0_nominal": [],
    "S1_load_displaced_0.3m": ["plant.start.q.y=0.3"],
    "S2_payload_600kg": ["plant.parameters.m=600"],
}


@pytest.fixture(scope="session")
def benchmark_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("control") / "benchmark.toml"
    file.write_text(BENCHMARK)
    return str(file)


@cache
def solved(file: str):
    return solve_scenario(load_scenario(file))


def simulated(
    file: str, settings: list[str]
) -> tuple[PlantRun, np.ndarray, np.ndarray, np.ndarray]:
    """Return the run, what the law gave out, and outputs and q of the FMU at the samples."""
    scenario = load_scenario(file, settings)
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        run = PlantRun(solved(file).feedforward, plant, mapping, plant_settings(scenario))
        simulation = run.simulate(run.feedforward, 1e-10)
        run.require_start(simulation)
    q = run.signals(("phi", "s", "x", "y"), simulation.outputs)
    return run, simulation.given, run.outputs(simulation)[:12000], q[:12000]


def statistics(run: PlantRun, outputs: np.ndarray, q: np.ndarray) -> dict[str, float]:
    time = run.times[:12000]
    E = np.linalg.norm(outputs - run.problem.path(time).T, axis=1)
    trolley = q[:, [1]] * np.column_stack([np.cos(q[:, 0]), np.sin(q[:, 0])])
    offset = (q[:, 2:] - trolley)[10000:]
    return {
        "max": E.max(),
        "at": time[E.argmax()],
        "E": E[SHOWN],
        "rms": math.sqrt(np.mean(E[:8000] ** 2)),
        "E40": E[8000],
        "late": E[10000:].max(),
        "hang": np.linalg.norm(offset, axis=1).max(),
        "osc": np.linalg.norm(offset - offset.mean(axis=0), axis=1).max(),
    }


CASES = [
    (plant, law, "2.0", "me")
    for plant in PLANTS
    for law in LAWS
    if f"{plant} {law}" in DATA["results"]
] + [
    ("S1_load_displaced_0.3m", "lqi", "3.0", "me"),
    ("S1_load_displaced_0.3m", "lqr", "2.0", "cs"),
    ("S1_load_displaced_0.3m", "lqi", "3.0", "cs"),
]
# each plant, law, version and interface
ALWAYS = [
    ("S0_nominal", "cascade", "2.0", "me"),
    ("S2_payload_600kg", "lqr", "2.0", "me"),
    ("S1_load_displaced_0.3m", "lqr", "2.0", "cs"),
    ("S1_load_displaced_0.3m", "lqi", "3.0", "me"),
]


@pytest.mark.parametrize(("plant", "law", "fmi", "interface"), mostly_further(CASES, *ALWAYS))
def test_benchmark_on_the_fmu(plant, law, fmi, interface, benchmark_file) -> None:
    which = [f"plant.fmi='{fmi}'", f"plant.interface='{interface}'"]
    run, given, outputs, q = simulated(benchmark_file, [*LAWS[law], *PLANTS[plant], *which])
    expected, found = DATA["results"][f"{plant} {law}"], statistics(run, outputs, q)
    for name in ("max", "rms", "E40", "late", "hang", "osc", "E"):
        assert found[name] == pytest.approx(expected[name], rel=0.01, abs=1e-8), name
    assert found["at"] == pytest.approx(expected["at"], abs=2.0 * 0.005)
    assert given.shape == (12000, 3)
    assert np.abs(given).max(axis=0) == pytest.approx(expected["u"], rel=1e-3)


def test_nominal_plant_stays_within_the_benchmark_s_error_in_open_loop(benchmark_file) -> None:
    # there the feedforward is held over 5 ms, here it is given as it is: what is left is less
    run, _, outputs, q = simulated(benchmark_file, ["control.kind=none"])
    expected, found = DATA["results"]["S0_nominal open"], statistics(run, outputs, q)
    for name in ("max", "rms", "E40", "late"):
        assert found[name] < expected[name], name
    # held as there, the errors are those of the benchmark
    run, _, outputs, q = simulated(benchmark_file, HELD)
    held = statistics(run, outputs, q)
    for name in ("max", "rms", "E40", "late", "E"):
        assert held[name] == pytest.approx(expected[name], rel=0.01, abs=1e-8), name


def test_displaced_load_goes_astray_in_open_loop_as_in_the_benchmark(benchmark_file) -> None:
    settings = [*HELD, *PLANTS["S1_load_displaced_0.3m"]]
    run, given, outputs, q = simulated(benchmark_file, settings)
    expected, found = DATA["results"]["S1_load_displaced_0.3m open"], statistics(run, outputs, q)
    for name in ("max", "rms", "E40", "late", "hang", "osc", "E"):
        assert found[name] == pytest.approx(expected[name], rel=0.01), name
    assert found["at"] == pytest.approx(expected["at"], abs=2.0 * 0.005)
    assert np.abs(given).max(axis=0) == pytest.approx(expected["u"], rel=1e-3)


def on_the_twin(file: str, kind: str, **options: object) -> LoopMotion:
    """Run the same law on the twin's own equations of motion: an independent second plant."""
    scenario = load_scenario(file, LAWS[kind])
    weights = dict(scenario.tables.control.weights)
    delay = float(options.pop("delay", 0.0))
    design = design_law(solved(file).feedforward, 0.005, kind, weights, delay=delay)
    law = thinned_law(controller_of(design.law, design.reference), design.law)
    return simulate_loop(design.reference, law, 60.0, **options)


@pytest.mark.parametrize(
    ("kind", "settings", "options"),
    [
        further(
            "lqi", ["plant.parameters.m=600"], {"plant": Deviations(parameters={"m": 600.0})}
        ),
        # Two cycles and a half, which the law knows of: past inputs are fed back.
        ("lqr", ["plant.parameters.m=510", "control.delay=0.0125"], {
            "plant": Deviations(parameters={"m": 510.0}), "delay": 0.0125,
        }),
        # Narrow enough that the integrals have to wait for seconds.
        (
            "lqi",
            ["plant.parameters.m=600", "limits.u={M_b=4200, M_w=[-600, 0]}"],
            {
                "plant": Deviations(parameters={"m": 600.0}),
                "limits": ([-4200.0, -np.inf, -600.0], [4200.0, np.inf, 0.0]),
            },
        ),
    ],
    ids=["payload", "delay", "limits"],
)  # fmt: skip
def test_fmu_and_twin_do_the_same_in_closed_loop(kind, settings, options, benchmark_file) -> None:
    _, given, outputs, _ = simulated(benchmark_file, [*LAWS[kind], *settings])
    motion = on_the_twin(benchmark_file, kind, **options)
    # The twin moves by one Runge-Kutta step of order 4 in a cycle, which is good for 1e-8 m.
    assert outputs == pytest.approx(motion.outputs, abs=1e-7)
    assert given == pytest.approx(motion.u, abs=1e-4 * np.abs(motion.u).max())
    if "limits" in options:
        least, most = options["limits"]
        assert (given >= least).all()
        assert (given <= most).all()
        assert (given == most).any() or (given == least).any()


def verified(name: str, *settings: str, wind: Mapping[str, object] | None = None) -> Tracking:
    scenario = load_scenario(name, ["plant.certify=false", *settings])
    if wind is not None:
        tables = scenario.tables.model_copy(update={"disturbance": [dict(wind)]})
        scenario = replace(scenario, tables=tables)
    tracking = verify_scenario(scenario).tracking
    assert tracking is not None
    return tracking


@pytest.mark.parametrize(
    "settings",
    [
        [
            *("control.kind=lqi", "control.delay=0.015", "limits.u.F_t=900", "plant.drives={}"),
            # given, so that none are searched for
            "control.weights={'q.s'=1e3, 'q.l'=1e3, 'v.s'=1.0, 'v.l'=1.0, 'y.x'=1e3, 'y.z'=1e3}",
        ],
        ["control.kind=drives"],
    ],
    ids=["lqi", "drives"],
)
@pytest.mark.usefixtures("uncompared")
def test_compiled_loop_and_python_run_the_same_law(settings, monkeypatch) -> None:
    # A plant with friction and end stops: events between the samples.
    settings = [*settings, "control.cycle=0.01", "plant.settle=0"]
    compiled = verified("overhead-real", "plant.variants={}", *settings)
    monkeypatch.setattr("cranebridge.plant.sandbox.loop_library.compiled", lambda: None)
    plain = verified("overhead-real", "plant.variants={}", *settings)
    assert plain.achieved == pytest.approx(compiled.achieved, abs=1e-9)
    assert plain.u == pytest.approx(compiled.u, abs=1e-4)
    if "limits.u.F_t=900" in settings:
        assert np.abs(compiled.u[:, 0]).max() <= 900.0


@pytest.mark.parametrize(
    "name",
    [
        "rotary-redundant",
        "navy2d-safe",
        further("navy3d-pulley-safe"),
        further("cablev-rotate"),
        further("quadrotor"),
    ],
)
@pytest.mark.usefixtures("uncompared")
def test_law_reads_the_plant_in_the_twin_s_coordinates(name: str) -> None:
    # Coordinates that the plant does not have, or whose velocities it does not show: were one of
    # them read wrongly, the law would act on an error that is not there.
    assert max(verified(name, "control.kind=lqr").max_error.values()) < 2e-5


def test_without_controller_the_plant_does_what_it_did() -> None:
    deviation = ["plant.parameters={m = 101.0}", "plant.start.q.x=0.02"]
    alone = verified("overhead", *deviation)
    beside = verified("overhead", "control.kind=lqi", *deviation)
    figures = beside.compared["open loop"]
    assert figures.max_error == alone.max_error
    assert figures.residual_swing == alone.residual_swing
    assert alone.compared == {}
    assert beside.compared["lqi"].max_error == beside.max_error
    assert beside.compared["lqi"].residual_swing < 0.01 * figures.residual_swing
    # the work of the held inputs, on the integrator's own steps, to its tolerance of 1e-10
    assert abs(beside.energy_balance) < 1e-7
    inputs = np.abs(beside.u).max(axis=0)
    assert list(beside.compared["lqi"].peak.values()) == pytest.approx(inputs, rel=1e-12)


@pytest.mark.usefixtures("uncompared")
def test_heavier_load_hangs_lower_with_lqr_and_not_with_lqi() -> None:
    deviation = ["plant.parameters={m = 110.0}", "plant.settle=30"]
    lqr, lqi = (verified("overhead", f"control.kind={kind}", *deviation) for kind in ("lqr", "lqi"))
    # The load is at rest, so that the winch of radius 0.1 m holds 10 kg more and nothing else.
    for tracking in (lqr, lqi):
        torque = tracking.u[-1, 1] - tracking.feedforward.u[-1, 1]
        assert torque == pytest.approx(-10.0 * 9.81 * 0.1, rel=1e-6)
    assert lqr.error[-1, 1] < -1e-3
    assert np.abs(lqi.error[-1]).max() < 1e-6


@pytest.mark.usefixtures("uncompared")
def test_drives_without_a_cycle_are_those_of_plant_drives() -> None:
    gains = {"F_t": "{coordinate='s', kp=2e3, kv=6e2}", "M_w": "{coordinate='l', kp=4e2, kv=1e2}"}
    old = [f"plant.drives.{name}={text}" for name, text in gains.items()]
    new = ["control.kind=drives", *(f"control.drives.{n}={text}" for n, text in gains.items())]
    payload = "plant.parameters={m = 120.0}"
    before, after = verified("overhead", payload, *old), verified("overhead", payload, *new)
    assert (before.achieved == after.achieved).all()
    # Sampled finely they come near, by the order of the hold.
    sampled = [verified("overhead", payload, *new, f"control.cycle={h}") for h in (0.004, 0.002)]
    coarse, fine = (np.abs(run.achieved - before.achieved).max() for run in sampled)
    assert np.log2(coarse / fine) == pytest.approx(1.0, abs=0.15)


def test_controller_needs_an_fmu() -> None:
    with pytest.raises(
        InputError, match=r"plant\.start, plant\.motion and plant\.variants need an FMU"
    ):
        verify_on_twin(load_scenario("overhead", ["control.kind=lqr"]))


def test_a_plant_that_does_not_show_enough_is_refused(tmp_path) -> None:
    from overhead_plants import overhead_fmu

    file = overhead_fmu(tmp_path, outputs=("x", "z", "s", "v_s", "T_cable"))
    with pytest.raises(InputError, match=r"those of .* do not follow .*plant\.map\.signals"):
        verified("overhead", f"plant.fmu='{file}'", "control.kind=lqr")


def test_unknown_names_of_sampled_drives_are_refused() -> None:
    base = ["control.kind=drives", "control.cycle=0.005"]
    with pytest.raises(InputError, match="Did you mean 'F_t'"):
        verified("overhead", *base, "control.drives.F_tt={coordinate='s'}")
    with pytest.raises(InputError, match=r"coordinate in control\.drives\.F_t"):
        verified("overhead", *base, "control.drives.F_t={coordinate='ss'}")


PAYLOADS = {"as it is": 100.0, "payload +20 %": 120.0, "payload -20 %": 80.0}
# of the table's other rows, some: gusts, observers
MORE_ROWS = (
    ("gust", "lqi"),
    ("as it is", "lqi with observer"),
    ("payload +20 %", "lqr with payload estimated"),
)
ROPE = "((x - s*cos(phi))*({}) + (y - s*sin(phi))*({}))/l"
ANGLES = {
    "overhead-real": ["(x - s)/l"],
    "rotary-real": [ROPE.format("cos(phi)", "sin(phi)"), ROPE.format("-sin(phi)", "cos(phi)")],
}
ENCODERS = {"overhead-real": {}, "rotary-real": {"q.phi": 1e-4}}


def row_settings(name: str, case: str, control: str) -> list[str]:
    """Return what a row of the table says as settings of a scenario: a user's way to it."""
    kind, _, more = control.partition(" ")
    settings = [f"control.kind={kind}", f"plant.parameters.m={PAYLOADS.get(case, 100.0)}"]
    if more:
        noise = {**ENCODERS[name], "q.s": 1e-3, "q.l": 1e-3, **dict.fromkeys(ANGLES[name], 1e-3)}
        rows = (f"{{signal='{signal}', noise={value}}}" for signal, value in noise.items())
        settings.append(f"control.sensor=[{', '.join(rows)}]")
    if "estimated" in more:
        settings.append("control.observer.disturbances={'parameter.m' = 50.0}")
    return settings


def shown_errors() -> list[tuple[str, str, str, float, float]]:
    """Return plant, case, controller, and both errors in mm from the tables of the docs."""
    text = (Path(__file__).parents[2] / "docs" / "control-figures.md").read_text(encoding="utf-8")
    found, name, case = [], "", ""
    made = text.split("<!-- made by scripts/figures/control_table.py -->")[1].split("<!-- end -->")[
        0
    ]
    for line in made.splitlines():
        first, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        name, case = (first.strip("`") if first.startswith("`") else name), first or case
        control = cells[0] if cells else ""
        simple = case in PAYLOADS and control in ("drives", "lqr", "lqi")
        if simple or (case, control) in MORE_ROWS:
            found.append((name, case, control, float(cells[1]), float(cells[2])))
    assert len(found) == 18 + 2 * len(MORE_ROWS)
    return found


# every law, every case and both plants
ROWS = {
    ("overhead-real", "as it is", "drives"),
    ("overhead-real", "as it is", "lqi with observer"),
    ("overhead-real", "payload +20 %", "lqr with payload estimated"),
    ("overhead-real", "payload -20 %", "lqr"),
    ("overhead-real", "gust", "lqi"),
    ("rotary-real", "as it is", "lqi"),
    ("rotary-real", "payload +20 %", "lqr"),
    ("rotary-real", "payload -20 %", "drives"),
}


def always_some_rows() -> list[object]:
    rows = shown_errors()
    always = [row for row in rows if row[:3] in ROWS]
    assert len(always) == len(ROWS)
    return mostly_further(rows, *always)


@pytest.mark.usefixtures("uncompared")
@pytest.mark.parametrize(("name", "case", "control", "largest", "after"), always_some_rows())
def test_table_of_the_docs_is_what_comes_out(name, case, control, largest, after) -> None:
    settings = ["plant.variants={}", "plant.settle=10", *row_settings(name, case, control)]
    # 5 % of the load's weight in the second quarter of the motion
    end = load_scenario(name).problem.path.duration
    gust = {"on": "load.x", "kind": "gust", "value": 0.05 * 9.81 * 100.0}
    gust |= {"from": 0.25 * end, "until": 0.5 * end}
    tracking = verified(name, *settings, wind=gust if case == "gust" else None)
    # three digits are shown
    assert 1e3 * max(tracking.max_error.values()) == pytest.approx(largest, rel=6e-3)
    assert 1e3 * tracking.error_after == pytest.approx(after, rel=6e-3)
