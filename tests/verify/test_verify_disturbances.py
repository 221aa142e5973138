"""Disturbances of a plant: their course, and what the FMU does under them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from cranebridge.errors import InputError
from cranebridge.forward.twin import simulate_twin
from cranebridge.job import verify_on_twin, verify_scenario
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import open_plant, plant_file, plant_settings
from cranebridge.plant.sandbox.plant_results import Simulation
from cranebridge.scenario import Scenario, load_scenario
from cranebridge.twin.cranes.rotary import RotaryCrane
from cranebridge.verify.disturbances import Disturbance
from cranebridge.verify.tracking.plant_run import PlantRun
from further import further

GUST = Disturbance("load.x", "gust", (0.5, 2.0), (40.0,))
COURSES = {
    "constant": (Disturbance("u", "constant", (), (3.0,)), lambda t: 3.0 + 0 * t, []),
    "step": (Disturbance("u", "step", (1.0,), (3.0,)), lambda t: 3.0 * (t >= 1.0), [1.0]),
    "pulse": (
        Disturbance("u", "pulse", (1.0, 2.5), (3.0,)),
        lambda t: 3.0 * ((t >= 1.0) & (t < 2.5)),
        [1.0, 2.5],
    ),
    "gust": (
        Disturbance("u", "gust", (1.0, 2.5), (3.0,)),
        lambda t: 1.5 * (1 - np.cos(2 * np.pi * (np.clip(t, 1.0, 2.5) - 1.0) / 1.5)),
        [1.0, 2.5],
    ),
    "ramp": (
        Disturbance("u", "ramp", (1.0, 2.5), (3.0,)),
        lambda t: 2.0 * (np.clip(t, 1.0, 2.5) - 1.0),
        [1.0, 2.5],
    ),
    "table": (
        Disturbance("u", "table", (1.0, 2.0, 2.5), (3.0, -1.0, 0.5)),
        lambda t: np.interp(t, [1.0, 2.0, 2.5], [3.0, -1.0, 0.5]),
        [1.0, 2.0, 2.5],
    ),
}


@pytest.mark.parametrize("kind", COURSES)
def test_course_is_the_formula_and_its_kinks_are_stops(kind: str) -> None:
    disturbance, formula, stops = COURSES[kind]
    signal = disturbance.signal("u")
    t = np.linspace(-3.0, 9.0, 4801)
    assert signal(t)[:, 0] == pytest.approx(formula(t), abs=3e-12)
    assert list(signal.stops) == stops


def disturbed(scenario: Scenario, rows: Sequence[Mapping[str, Any]]) -> Scenario:
    tables = scenario.tables.model_copy(update={"disturbance": [dict(row) for row in rows]})
    return dataclasses.replace(scenario, tables=tables)


def simulated(
    scenario: Scenario, disturbances: Sequence[Disturbance], times: np.ndarray | None = None
) -> tuple[PlantRun, Simulation]:
    settings = dataclasses.replace(plant_settings(scenario), disturbances=tuple(disturbances))
    feedforward = solve_scenario(scenario).feedforward
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        run = PlantRun(feedforward, plant, mapping, settings)
        return run, run.simulate(feedforward, 1e-11, times=times)


@pytest.mark.parametrize("interface", ["me", "cs"])
@pytest.mark.parametrize(
    ("disturbance", "impulse"),
    [
        (GUST, 40.0 * 1.5 / 2),
        (Disturbance("load.x", "pulse", (0.333, 1.111), (40.0,)), 40.0 * 0.778),
        (Disturbance("F_t", "ramp", (0.5, 1.5), (6.0,)), 6.0 * (0.5 + 3.5)),
    ],
)
def test_impulse_of_a_disturbance_is_the_change_of_momentum(
    disturbance: Disturbance, impulse: float, interface: str
) -> None:
    """m_t s' + m x' changes by the impulse of all that pushes along x, whatever swings."""
    scenario = load_scenario("overhead", [f"plant.interface={interface}"])
    gained = []
    for disturbances in (
        [],
        [disturbance],
    ):  # the feedforward's own is zero up to its interpolation
        run, found = simulated(scenario, disturbances)
        p = run.problem.parameters
        v = found.outputs[:, _columns(run, "v_s", "v_x")]
        gained.append(float((v[-1] - v[0]) @ [p["m_t"], p["m"]]))
        assert found.time[-1] == pytest.approx(5.0)
    # the integrator steps over the pieces of the feedforward, whose third derivatives jump: about
    # 1e-7 N for some seconds
    assert gained[1] - gained[0] == pytest.approx(impulse, abs=1e-6)


def _columns(run: PlantRun, *names: str) -> list[int]:
    return [run.readings.index(name) for name in names]


class WindyRotaryCrane(RotaryCrane):
    """The twin with a constant force on its load."""

    def other_forces(self, q: Any, v: Any, p: Any) -> dict[str, float]:
        return {"x": 15.0, "y": -25.0, "z": 20.0}


def test_twin_with_the_same_force_moves_as_the_disturbed_plant() -> None:
    scenario = load_scenario("rotary", ["plant.settle=0"])
    winds = [
        Disturbance(f"load.{axis}", "constant", (), (value,))
        for axis, value in WindyRotaryCrane().other_forces(None, None, None).items()
    ]
    times = np.linspace(0.0, 8.0, 81)
    run, found = simulated(scenario, winds, times)
    solution = run.feedforward
    twin = simulate_twin(
        WindyRotaryCrane(),
        run.problem.parameters,
        solution.q[0],
        solution.v[0],
        lambda t: solution.controls(t),
        times,
        rtol=1e-11,
        breaks=run.problem.path.knots,
    )
    moved = np.abs(twin.outputs - run.problem.path(times).T).max()
    assert moved > 1.0
    assert run.outputs(found) == pytest.approx(twin.outputs, abs=1e-8 * moved)


@pytest.mark.parametrize("interface", ["me", further("cs")])
def test_integrals_hold_the_load_in_a_constant_wind_and_the_rope_hangs_as_it_must(
    interface: str,
) -> None:
    """At rest tan(angle) = wind / weight: the trolley stands l sin(angle) against the wind."""
    wind = Disturbance("load.x", "step", (1.0,), (30.0,))
    settings = ["control.kind=lqi", "plant.settle=40", f"plant.interface={interface}"]
    run, found = simulated(load_scenario("overhead", settings), [wind])
    y = found.outputs[-1]
    x, z, s = (float(y[i]) for i in _columns(run, "x", "z", "s"))
    goal = run.problem.path(np.array([run.feedforward.time[-1]]))[:, 0]
    assert (x, z) == pytest.approx(tuple(goal), abs=1e-6)
    weight = run.problem.parameters["m"] * run.problem.parameters["g"]
    assert s - x == pytest.approx(z * 30.0 / weight, abs=1e-6)


def test_disturbance_is_told_and_need_not_be_explained() -> None:
    row = {"on": "load.x", "kind": "gust", "value": 40.0, "from": 0.5, "until": 2.0}
    scenario = disturbed(load_scenario("overhead", ["control.kind=lqr"]), [row])
    tracking = verify_scenario(scenario).tracking
    assert tracking is not None
    assert tracking.as_dict()["disturbances"] == ["load.x: gust of 40, 0.5 to 2 s"]
    assert tracking.energy_balance is None
    assert not [v for v in tracking.verdicts if v.name == "error explained"]
    # both columns of the comparison are disturbed
    assert all(f.max_error["x"] > 1e-3 for f in tracking.compared.values())
    without = verify_scenario(load_scenario("overhead")).tracking
    assert without is not None
    assert "disturbances" not in without.as_dict()


def test_disturbances_can_be_set_on_the_command_line_as_a_list() -> None:
    text = 'disturbance=[{on="load.x", kind="gust", value=50.0, from=2.0, until=5.0}]'
    (found,) = load_scenario("overhead", [text]).disturbances
    assert found == Disturbance("load.x", "gust", (2.0, 5.0), (50.0,))


def test_table_is_told_by_its_largest_magnitude() -> None:
    table = Disturbance("load.x", "table", (0.0, 1.0, 3.0), (0.0, -200.0, 50.0))
    assert table.describe() == "load.x: table of 3 values up to -200, 0 to 3 s"


def test_unknown_input_is_refused_with_the_closest_one() -> None:
    scenario = load_scenario("overhead")
    with pytest.raises(InputError, match="Did you mean 'F_t'"):
        simulated(scenario, [dataclasses.replace(GUST, on="Ft")])
    with pytest.raises(InputError, match=r"has no input F_wind_y for a force on load\.y"):
        simulated(scenario, [dataclasses.replace(GUST, on="load.y")])


def test_twin_as_plant_refuses_disturbances() -> None:
    row = {"on": "load.x", "kind": "constant", "value": 1.0}
    with pytest.raises(InputError, match="disturbance"):
        verify_on_twin(disturbed(load_scenario("overhead"), [row]))


def test_gust_is_smooth_where_its_pieces_meet() -> None:
    """No event is wanted inside of a gust: value and rate go on within rounding."""
    signal = GUST.signal("u")
    inner = signal.breakpoints[2:-2]
    for part in (signal, signal.derivative()):
        size = np.abs(part(np.linspace(0.5, 2.0, 99))).max()
        before = part(inner - 1e-13)
        assert np.abs(part(inner) - before).max() < 1e-10 * size
    assert math.isclose(float(signal([1.25])[0, 0]), 40.0, rel_tol=1e-12)
