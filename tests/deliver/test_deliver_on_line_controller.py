"""The controller beside the on-line generator: the verified one, on motions that nobody knew."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from on_line_driver import OnLine, hold_error, run_on_twin
from test_deliver_controller import WEIGHTS, verified

from c_programs import STRICT, run_sanitized
from cranebridge.job.delivering import left_out
from cranebridge.path.symbolic import end_points
from cranebridge.scenario import load_scenario
from further import further

POSITION = ["control.gains=position", "plant.certify=false", "plant.start.q.x=0.05"]
POSITION += ["plant.settle=0.5", "control.cycle=0.02", "limits.q.l=[0.8, 5.0]"]
# With these the controller is stable by itself; with encoders alone it is not, and replayed
# measurements let the smallest difference of its inputs grow, as nothing answers to them.
SENSORS = (
    "control.sensor=[{signal='q.s', noise=1e-3}, {signal='q.l', noise=1e-3}, "
    "{signal='y.x', noise=1e-3}, {signal='y.z', noise=1e-3}]"
)


@pytest.mark.parametrize(
    "settings",
    [
        # as an FMU: test_on_line_fmu_gives_the_inputs_of_the_verification
        further(["control.kind=lqi", "limits.u.F_t=600", WEIGHTS]),
        [
            *("control.kind=lqr", "control.delay=0.003", "control.fade=0.5", SENSORS),
            *("control.observer.disturbances={'parameter.m'=20.0}", WEIGHTS),
        ],
        [
            "control.kind=drives",
            "control.drives={F_t={coordinate='s', kp=2e4, kv=4e3, ki=1e3}, "
            "M_w={coordinate='l', kp=2e3, kv=4e2}}",
        ],
    ],
    ids=["lqi", "observer", "drives"],
)
def test_generators_controller_is_the_verified_one(settings, tmp_path) -> None:
    """With what was measured on the FMU it gives the inputs that the verification gave."""
    scenario = load_scenario("overhead", [*POSITION, *settings])
    controller, simulation = verified("overhead", *POSITION, *settings)
    module = OnLine(scenario, tmp_path)
    problem = scenario.problem
    assert module.plan(*end_points(problem.path), problem.path.duration) == 0
    assert left_out(scenario, "generator") == []
    cycle, found = controller.cycle, []
    for k, measured in enumerate(simulation.measured):
        found.append(module.step(k * cycle, measured)[1])
    # the feedforward is solved here and stands in a table there; the rest is Newton's tolerance
    allowed = hold_error(scenario, controller) + 1e-9 * np.abs(simulation.given).max(axis=0)
    assert (np.abs(found - simulation.given).max(axis=0) <= allowed).all()


CYCLE = 0.01
OVERHEAD = [
    *("control.kind=lqi", f"control.cycle={CYCLE}", "limits.q.l=[0.6, 5.0]"),
    "limits.u={F_t=900.0, M_w=[-250.0, 0.0]}",
]
ROTARY = [
    *("control.kind=lqi", f"control.cycle={CYCLE}", "path.goal=[3.0, 3.0, -3.0]"),
    *("path.duration=12.0", "path.ramp=4.0", "limits.u={M_b=400.0, F_t=300.0, M_w=[-250.0, 0.0]}"),
    *("limits.v={phi=0.5, s=1.0, l=1.0}", "limits.q={s=[3.5, 5.5], l=[2.5, 5.5]}"),
]


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """Generator and controller of two cranes, each delivered and compiled once."""
    made = {}

    def module(name: str) -> OnLine:
        if name not in made:
            settings = {"overhead": OVERHEAD, "rotary": ROTARY}[name]
            made[name] = OnLine(load_scenario(name, settings), tmp_path_factory.mktemp(name))
        made[name].restart()
        return made[name]

    return module


@pytest.mark.parametrize(
    ("name", "push", "when", "goal", "samples"),
    [
        ("overhead", {"x": 0.1}, 1.2, (1.5, -3.0), 1500),
        # at an angle of the jib beyond those that the scenario's motion knows
        further("rotary", {"y": 0.1}, 6.0, (0.5, 4.7, -4.0), 3500),
    ],
)
def test_displaced_and_heavier_load_settles_at_a_new_goal(
    modules, name, push, when, goal, samples
) -> None:
    """10 % more payload, 0.1 m off, another goal while moving; the feedforward alone loses it."""
    module = modules(name)
    problem, limits = module.scenario.problem, module.scenario.limits
    crane, at = problem.crane, 20 + round(when / CYCLE)
    start, end = end_points(problem.path)
    q = module.rest.copy()
    for title, off in push.items():
        q[[one.name for one in crane.coordinates].index(title)] += off
    heavier = {"m": 1.1 * problem.parameters["m"]}

    def wish(k: int, t: float) -> float:
        if k == 20:
            assert module.plan(start, end, problem.path.duration) == 0
            return 0.0
        if k == at:
            assert module.replan(t, goal) == 0
            return 0.0
        return t

    run = run_on_twin(module, q, samples, wish, heavier, CYCLE)
    off = np.linalg.norm(run.outputs - np.array(goal), axis=1)
    assert off[-200:].max() < 2e-3
    assert run.status[-1] == 1
    assert run.status.min() == 0
    for i, one in enumerate(crane.inputs):
        assert limits.u[one.name].least <= run.u[:, i].min()
        assert run.u[:, i].max() <= limits.u[one.name].most
    # a new plan is no jump: inputs change at it by no more than they do around it
    steps = np.abs(np.diff(run.u, axis=0))
    assert (steps[at - 1] <= 2.0 * steps[at - 20 : at + 20].mean(axis=0) + 1e-2).all()

    module.restart()
    lost = run_on_twin(module, q, samples, wish, heavier, CYCLE, module.feedforward)
    assert not np.linalg.norm(lost.outputs - np.array(goal), axis=1)[-200:].max() < 1.0


def test_gains_that_verify_does_not_run_are_told_of() -> None:
    (line,) = left_out(load_scenario("overhead", ["control.kind=lqr"]), "generator")
    assert "with --set control.gains=position it runs the same ones" in line


def c_array(values) -> str:
    return "{" + ", ".join(f"(real){float(x)!r}" for x in values) + "}"


@pytest.mark.parametrize(
    ("name", "precision"),
    [("overhead", "double"), further("overhead", "single"), ("overhead-speed", "single")],
)
def test_nonsense_never_comes_out(name, precision, tmp_path) -> None:
    """Random plans, lost and impossible values under sanitizers: numbers within limits come out."""
    settings = [*OVERHEAD, "control.kind=lqr", SENSORS, "control.delay=0.015", WEIGHTS]
    # random readings are not those of a plant: a gate would refuse nearly all of them, and no
    # payload makes sense of them
    own = ["control.observer.gate=0", "control.observer.disturbances={}"]
    scenario = load_scenario(name, [*settings, *own, "limits.v={s=8.0, l=8.0}"])
    module = OnLine(scenario, tmp_path, precision)
    start, end = end_points(scenario.problem.path)
    limits = scenario.limits
    bounds = [limits.v["s"], limits.v["l"]] if scenario.tables.plant.speed else limits.u.values()
    rest = [module.rest[i] for i in (0, 1, 2, 3)]
    arrays = {"START": start, "END": end, "REST": rest}
    arrays |= {"LEAST": [b.least for b in bounds], "MOST": [b.most for b in bounds]}
    lines = [f"#define {key} {c_array(values)}\n" for key, values in arrays.items()]
    (tmp_path / "case.h").write_text("".join([*lines, f"#define CYCLE {CYCLE}\n"]))
    driver = tmp_path / "random.c"
    driver.write_text(Path(__file__).with_name("on_line_random.c").read_text())
    files = [driver, tmp_path / "mine.c", tmp_path / "mine_controller.c"]
    count = 3000
    out = run_sanitized(files, [str(count)])
    good, holding, lost, stuck = map(int, out.split())
    assert good + holding + lost + stuck == count
    # a few lost values leave an estimate, all of them leave none; a time that is none is STUCK
    assert lost > 0.005 * count
    assert holding > 0.001 * count
    assert stuck > 0
    assert good > 0.75 * count


def test_example_of_the_documents_compiles(modules) -> None:
    module = modules("overhead")
    text = (Path(__file__).parents[2] / "docs" / "delivery.md").read_text()
    examples = re.findall(r"```c\n(.*?)```", text, flags=re.DOTALL)
    (example,) = (one for one in examples if "&generator" in one)
    file = module.folder / "example.c"
    file.write_text(example.replace("crane_", "mine_"))
    command = ["gcc", *STRICT, "-fsyntax-only", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
