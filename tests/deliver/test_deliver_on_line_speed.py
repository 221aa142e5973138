"""Motions planned on line for speed drives: gains over position, references that are filtered."""

from __future__ import annotations

import numpy as np
import pytest
from on_line_driver import OnLine, run_on_twin
from test_deliver_controller import verified
from test_deliver_controller_fmu import closed_loop

from cranebridge.job.delivering import hand_over, left_out
from cranebridge.job.ordering import Wishes
from cranebridge.job.plant_drives import speed_loops
from cranebridge.job.solving import solve_scenario
from cranebridge.path.symbolic import end_points
from cranebridge.scenario import Scenario, load_scenario
from further import further

POSITION = ["control.gains=position", "limits.q.l=[0.8, 5.0]", "plant.certify=false"]
SENSORS = (
    "control.sensor=[{signal='q.s', noise=1e-3}, {signal='q.l', noise=1e-3}, "
    "{signal='(x-s)/l', noise=1e-3}]"
)
CASCADE = "control.drives={w_s={coordinate='s', kp=2.0}, w_l={coordinate='l', kp=2.0}}"


def midpoint_error(scenario: Scenario, cycle: float) -> np.ndarray:
    """Return by how much references of middle values differ from those of means, at most.

    What is held is v and e' = (F - F_0 - ki e) / kp over a cycle h; on line v and F are those at
    its middle. A mean of v is off by h^2/24 v''; F in the filter, which forgets with ki/kp, by
    dF = h^2/24 F'' + h^2/12 (ki/kp) F'; and e' by dF/kp, and as much again by what e has become.
    """
    drives, crane = speed_loops(scenario), scenario.crane
    solution = solve_scenario(scenario).feedforward
    times = np.linspace(0.0, solution.time[-1], 20_001)
    step = times[1] - times[0]
    moved = [[one.name for one in crane.coordinates].index(d.coordinate) for d in drives]
    driven = [[one.name for one in crane.inputs].index(d.input) for d in drives]
    q, F = solution.coordinates(times)[:, moved], solution.controls(times)[:, driven]
    bend, slope = np.abs(np.diff(q, 3, axis=0)).max(axis=0) / step**3, np.diff(F, axis=0) / step
    pole, kp = np.array([d.ki / d.kp for d in drives]), np.array([d.kp for d in drives])
    curve = np.abs(np.diff(slope, axis=0)).max(axis=0) / step
    wrong = cycle**2 * (curve / 24.0 + pole * np.abs(slope).max(axis=0) / 12.0)
    return np.asarray(cycle**2 / 24.0 * bend + 2.0 * wrong / kp)


@pytest.mark.parametrize(
    "settings",
    [
        further(["control.kind=lqi", "control.cycle=0.02"]),
        ["control.kind=lqr", "control.cycle=0.01", "control.delay=0.015", "control.fade=0.5"],
        ["control.kind=drives", "control.cycle=0.01", CASCADE],
    ],
    ids=["lqi", "delayed", "drives"],
)
def test_generators_controller_gives_the_verified_references(settings, tmp_path) -> None:
    """On the scenario's own motion, with what was measured on the FMU."""
    settings = [*POSITION, "plant.start.q.x=0.05", "plant.settle=1.0", *settings]
    scenario = load_scenario("overhead-speed", settings)
    controller, simulation = verified("overhead-speed", *settings)
    module = OnLine(scenario, tmp_path)
    assert module.plan(*end_points(scenario.problem.path), scenario.problem.path.duration) == 0
    assert left_out(scenario, "generator") == []
    cycle = controller.cycle
    found = np.array([module.step(k * cycle, x)[1] for k, x in enumerate(simulation.measured)])
    off = np.abs(found - simulation.given).max(axis=0)
    allowed = midpoint_error(scenario, cycle)
    assert (off <= allowed).all()
    # and it is this that is left: both are of second order in the cycle
    assert off.max() > 0.1 * allowed.max()
    # the load was off: feedback is part of what was compared
    assert np.abs(simulation.given - controller.hold[: len(found)][[-1]]).max() > 0.1


@pytest.mark.parametrize(
    "more",
    [further(["control.kind=lqi"]), ["control.kind=lqr", SENSORS, "control.delay=0.005"]],
    ids=["lqi", "observer"],
)
def test_swinging_and_heavier_load_settles_at_a_new_goal(more, tmp_path) -> None:
    """A swing that speed loops alone do not damp, a payload that they were not told of."""
    limits = "limits.u={F_t=900.0, M_w=[-250.0, 0.0]}"  # of plans: a new goal is reached within
    scenario = load_scenario("overhead-speed", [*POSITION, limits, *more])
    module, goal = OnLine(scenario, tmp_path), (1.5, -3.0)
    start, end = end_points(scenario.problem.path)
    q = module.rest.copy()
    q[[one.name for one in scenario.crane.coordinates].index("x")] += 0.1

    def wish(k: int, t: float) -> float:
        if k == 20:
            assert module.plan(start, end, scenario.problem.path.duration) == 0
            return 0.0
        if k == 260:
            assert module.replan(t, goal) == 0
            return 0.0
        return t

    run = run_on_twin(module, q, 2400, wish, {"m": 120.0})
    off = np.linalg.norm(run.outputs - np.array(goal), axis=1)
    # the filter of rope angles without noise ends as near as the law without it
    assert off[-200:].max() < 2e-3
    assert (run.status[-1], run.status.min()) == (1, 0)
    # a new plan is no jump: references change at it by no more than they do around it
    steps = np.abs(np.diff(run.u, axis=0))
    assert (steps[259] <= 2.0 * steps[240:280].mean(axis=0) + 1e-3).all()
    assert np.abs(run.u[-1]).max() < 1e-3


def test_on_line_ssp_carries_another_payload_to_its_goal(tmp_path) -> None:
    """With FMPy as it is: the generator, its references and its law beside the plant's FMU."""
    settings = [*POSITION, "control.kind=lqi", "control.delay=0.001"]
    scenario = load_scenario("overhead-speed", settings)
    (file,) = hand_over(scenario, Wishes("ssp", tmp_path / "loop.ssp"))
    result = closed_loop(file, 10.0, m=120.0)
    assert result["plant.x"][-1] == pytest.approx(5.0, abs=2e-3)
    assert result["plant.z"][-1] == pytest.approx(-1.0, abs=2e-3)
    # the winch of radius 0.1 m holds 120 kg, and its reference is at rest
    assert result["plant.M_w"][-1] == pytest.approx(-120.0 * 9.81 * 0.1, rel=1e-3)
    assert result["controller.w_l"][-1] == pytest.approx(0.0, abs=1e-3)
