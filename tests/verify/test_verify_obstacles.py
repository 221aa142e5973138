"""Obstacles are judged on the plant as on the solution: load and ropes, between samples, too."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from overhead_plants import OUTPUTS, overhead_fmu

from cranebridge.job import verify_on_twin, verify_scenario
from cranebridge.job.campaign.campaign_work import scenario_work
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import open_plant, plant_file, plant_settings
from cranebridge.limits import Limits, Motion, Verdict
from cranebridge.plan.task.clearance_verdicts import judge_plant_clearance
from cranebridge.plan.task.obstacles import ObstacleBox, Stack
from cranebridge.report.report_motion import shown_result
from cranebridge.report.rows.number_texts import quantity
from cranebridge.report.rows.obstacle_rows import obstacle_table
from cranebridge.scenario import load_scenario
from cranebridge.twin import Components, find_crane
from cranebridge.twin.cranes.overhead import OverheadCrane
from cranebridge.twin.language.shapes import Line, Shape
from cranebridge.verify import Verified
from cranebridge.verify.tracking.on_plant import judge_plant
from cranebridge.verify.tracking.plant_run import PlantRun

GUST = 'disturbance=[{on="load.x", kind="gust", value=200.0, from=0.5, until=1.5}]'
"""Drives the load of the overhead crane, which goes from x = 0 to 5 m, beyond 8 m."""
LOOSE = ["plant.certify=false", "limits.tracking=99"]
SOLUTION, PLANT = "clearance of obstacle 1", "plant clearance of obstacle 1"


def obstacle(**keys: object) -> str:
    """Return the setting of one obstacle."""
    words = ", ".join(f"{key}={str(value).lower()}" for key, value in keys.items())
    return f'obstacles=[{{kind="box", {words}}}]'


def found(verified: Verified) -> dict[str, Verdict]:
    return {verdict.name: verdict for verdict in verified.verdicts}


WALL = obstacle(low=[9.5, -9.0], high=[12.0, 5.0], clearance=2.0)
"""4.5 m from the path's end, and as high as the load is anywhere: x alone says how far it is."""


def test_gust_that_drives_the_load_near_an_obstacle_fails() -> None:
    verified = verify_scenario(load_scenario("overhead", [*LOOSE, GUST, WALL]))
    verdicts = found(verified)
    assert verdicts[SOLUTION].value == pytest.approx(4.5)
    assert verdicts[SOLUTION].status == "passed"
    # what stands in tracking.csv every 10 ms, by hand
    x = verified.tracking.achieved[:, 0]
    assert x.max() > 8.0
    judged = verdicts[PLANT]
    assert judged.value == pytest.approx(9.5 - x.max(), abs=1e-3)
    assert (judged.status, judged.limit) == ("failed", 2.0)
    assert judged.margin == pytest.approx(judged.value - 2.0)
    assert judged.time == pytest.approx(verified.tracking.time[x.argmax()], abs=0.02)
    assert verified.exit_code == 1
    # nothing else is wrong
    assert [v.name for v in verified.verdicts if not v.passed] == [PLANT]


def test_every_obstacle_has_a_verdict_of_its_own_on_the_plant() -> None:
    far = '{kind="stack", x=[-1.0, 12.0], height=[-9.0], clearance=1.0}'
    two = WALL.replace("}]", f"}}, {far}]")
    verdicts = found(verify_scenario(load_scenario("overhead", [*LOOSE, GUST, two])))
    assert verdicts[PLANT].status == "failed"
    assert verdicts["plant clearance of obstacle 2"].status == "passed"


def test_nearest_place_does_not_depend_on_the_compared_times() -> None:
    settings = [*LOOSE, GUST, WALL]
    fine, coarse = (
        found(verify_scenario(load_scenario("overhead", [*settings, f"plant.step={step}"])))[PLANT]
        for step in (0.01, 3.0)
    )
    assert coarse.value == pytest.approx(fine.value, abs=1e-9)


def test_ropes_of_the_plant_are_judged_where_asked() -> None:
    """A beam above the load's path, which the rope goes through."""
    beam, fine = {"low": [2.0, -1.0], "high": [3.0, -0.5]}, [*LOOSE, "plant.step=0.002"]
    load = found(verify_scenario(load_scenario("overhead", [*fine, obstacle(**beam)])))[PLANT]
    verified = verify_scenario(load_scenario("overhead", [*fine, obstacle(**beam, rope=True)]))
    rope, tracking = found(verified)[PLANT], verified.tracking

    def distance(x: np.ndarray, z: np.ndarray) -> np.ndarray:
        return np.max([2.0 - x, x - 3.0, -1.0 - z, z + 0.5], axis=0)

    # along the rope, from the trolley at z = 0
    s, (x, z) = tracking.q[:, 0], tracking.achieved.T
    shares = np.linspace(0.0, 1.0, 401)
    along = [distance(s + share * (x - s), share * z).min() for share in shares]
    # 2 ms at about 3 m/s
    assert load.value == pytest.approx(along[-1], abs=4e-3)
    assert rope.value == pytest.approx(min(along), abs=4e-3)
    assert min(along) < -0.2 < 0.7 < along[-1]
    # and so it is on the solution, which this plant follows
    assert rope.value == pytest.approx(found(verified)[SOLUTION].value, abs=4e-3)


def test_rope_that_the_plant_does_not_show_is_not_judged(tmp_path: Path) -> None:
    outputs = tuple(name for name in OUTPUTS if name not in ("s", "v_s"))
    fmu = overhead_fmu(tmp_path, "hidden", outputs=outputs)
    settings = [*LOOSE, f"plant.fmu='{fmu}'"]
    beam = obstacle(low=[6.0, -0.8], high=[7.0, -0.2], rope=True)
    verified = verify_scenario(load_scenario("overhead", [*settings, beam]))
    judged = found(verified)[PLANT]
    assert judged.status == "not judged"
    assert "the plant gives no s" in judged.message
    assert verified.exit_code == 1
    # a load that is too near needs no rope
    near = obstacle(low=[5.5, -5.0], high=[7.0, 1.0], clearance=1.0, rope=True)
    assert found(verify_scenario(load_scenario("overhead", [*settings, near])))[PLANT].status == (
        "failed"
    )


def test_report_shows_how_near_the_plant_came() -> None:
    scenario = load_scenario("overhead", [*LOOSE, GUST, WALL])
    verified = verify_scenario(scenario)
    judged = found(verified)[PLANT]
    (row,) = obstacle_table(shown_result(scenario, verified))
    assert row["status"] == "failed"
    assert row["least"] == quantity(judged.value, "m", 4)
    assert row["time"] == f"{judged.time:.2f} s"


@pytest.mark.parametrize(("mapped", "m"), [([], 120.0), (["plant.map.parameters.m='m'"], 100.0)])
def test_ropes_begin_where_the_plant_has_them(mapped: list[str], m: float) -> None:
    """A parameter that the plant has otherwise is the plant's, if it is the same one."""
    scenario = load_scenario("overhead", ["plant.certify=false", *mapped])
    solution = solve_scenario(scenario).feedforward
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        run = PlantRun(solution, plant, mapping, plant_settings(scenario))
        parameters = run.twin_parameters({"m": 120.0, "k_r": 1e7})
    assert parameters == {**scenario.problem.parameters, "m": m}


class Raised(OverheadCrane):
    """An overhead crane whose rope begins above the rail: by the radius of its winch."""

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        return (Line((q.s, 0, p.r), (q.x, 0, q.z)),)


@pytest.mark.parametrize(("changed", "left"), [(None, 1.5), ({"r": 1.2}, 0.8)])
def test_ropes_of_a_variant_begin_where_the_variant_has_them(changed, left) -> None:
    """A beam 2 m above the rail; the winch has 0.1 m on the twin, on the plant 0.5 m."""
    crane = Raised()
    zero = np.zeros(9)
    values = {"y.x": zero, "y.z": zero - 4.0, "q.s": zero, "q.l": zero + 4.0}
    values |= {"q.x": zero, "q.z": zero - 4.0}
    known = Motion("plant", crane, np.linspace(0.0, 1.0, 9), values)
    run = SimpleNamespace(
        settings=SimpleNamespace(parameters={"r": 0.5}),
        twin_parameters=lambda own: {**crane.parameter_values({}), **own},
    )
    beam = ObstacleBox((-9.0, 2.0), (9.0, 3.0), rope=True)
    verdicts = judge_plant(run, known, Limits(), (beam,), changed)
    assert next(v for v in verdicts if v.name == PLANT).value == pytest.approx(left)


def test_variant_s_own_parameters_say_where_its_ropes_begin(tmp_path: Path) -> None:
    """The winch of the variant has 1.2 m in place of 0.1 m, and the rope begins as high."""
    (tmp_path / "raised.py").write_text(
        "from cranebridge.twin.cranes.overhead import OverheadCrane\n"
        "from cranebridge.twin.language.shapes import Line\n\n\n"
        "class Raised(OverheadCrane):\n"
        "    name = 'raised'\n\n"
        "    def scene(self, q, p):\n"
        "        return (Line((q.s, 0, p.r), (q.x, 0, q.z)),)\n"
    )
    beam = obstacle(low=[-9.0, 2.0], high=[9.0, 3.0], clearance=1.0, rope=True)
    model = f"crane.model={str(tmp_path / 'raised.py:Raised')!r}"
    variant = ["plant.variants={wide={r=1.2}}", "limits.tracking=9999", "plant.certify=false"]
    verdicts = found(verify_scenario(load_scenario("overhead", [model, beam, *variant])))
    assert verdicts[PLANT].value == pytest.approx(1.9)
    wide = verdicts["variant wide"]
    assert (wide.status, wide.value) == ("failed", pytest.approx(0.8))
    assert f"variant wide: {PLANT}" in wide.message


def test_twin_as_plant_is_judged_too() -> None:
    wall = obstacle(low=[6.0, -9.0], high=[7.0, 5.0], clearance=1.5)
    verified = verify_on_twin(load_scenario("overhead", [wall]))
    verdicts = found(verified)
    assert verdicts[PLANT].value == pytest.approx(1.0, abs=1e-6)
    assert verdicts[PLANT].status == verdicts[SOLUTION].status == "failed"


def test_run_of_a_campaign_is_judged_too() -> None:
    runner = scenario_work(load_scenario("overhead", [*LOOSE, GUST, WALL])).begin()
    try:
        gusty, calm = (runner(i, {"disturbance[0].value": v}) for i, v in ((0, 200.0), (1, 1.0)))
    finally:
        runner.close()
    assert gusty[f"passed.{PLANT}"] is False
    assert calm[f"passed.{PLANT}"] is True
    assert (gusty["passed"], calm["passed"]) == (False, True)
    assert gusty[f"passed.{SOLUTION}"] is True
    assert gusty[f"margin.{PLANT}"] < 0.0 < calm[f"margin.{PLANT}"]


# ---------------------------------------------------------------------------- between samples

CRANE = find_crane("overhead")
PARAMETERS = CRANE.parameter_values({})


def moved(time: np.ndarray, x: np.ndarray, z: np.ndarray, sampled: bool = False) -> Motion:
    return Motion("plant", CRANE, time, {"y.x": x, "y.z": z}, sampled=sampled)


def test_corner_between_two_samples_is_found() -> None:
    """A load that passes a corner: the distance is least in a kink, between samples.

    It comes down beside a wall at x = 0 and moves away above a floor: x + 1 and z + 1 are its
    distances from a step, the larger of which counts, equal at t = 0.
    """
    time = np.linspace(-1.0, 1.0, 8)  # no sample at 0
    step = ObstacleBox((-9.0, -9.0), (-1.0, -1.0))
    (judged,) = judge_plant_clearance(moved(time, time, -time), (step,), PARAMETERS)
    assert judged.value == pytest.approx(1.0, abs=1e-6)
    assert judged.time == pytest.approx(0.0, abs=1e-6)
    assert max(1.0 + time[4], 1.0 - time[4]) > 1.1  # what the nearest sample says


def test_nearest_of_two_places_counts_though_its_samples_are_farther() -> None:
    """A swing over a floor: deep between two samples at first, less deep at a sample later."""
    time = np.array([0.0, 0.4, 1.6, 2.0, 2.0, 2.5, 3.0, 3.5, 4.0])
    first, second = (time - 1.0) ** 2, 0.2 + (time - 3.0) ** 2
    z = np.where(np.arange(9) < 4, first, second)
    floor = Stack((-5.0, 5.0), (-1.0,))
    (judged,) = judge_plant_clearance(moved(time, 0.0 * time, z), (floor,), PARAMETERS)
    assert judged.value == pytest.approx(1.0, abs=1e-9)
    assert judged.time == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("nearest", [0.6, 2.4])
def test_dip_in_the_first_and_in_the_last_step_is_found(nearest: float) -> None:
    """A parabola over 3 s: 0.4 s from a sample inside, with one more sample on the other side."""
    time = np.arange(4.0)
    floor = Stack((-5.0, 5.0), (-1.0,))
    known = moved(time, 0.0 * time, (time - nearest) ** 2)
    (judged,) = judge_plant_clearance(known, (floor,), PARAMETERS)
    assert judged.value == pytest.approx(1.0, abs=1e-9)
    assert judged.time == pytest.approx(nearest, abs=1e-4)


@pytest.mark.parametrize("order", [1, -1])
def test_nothing_is_followed_over_a_jump(order: int) -> None:
    """A load that an event sets elsewhere, before or after it dips by 40 mm between samples."""
    time = np.array([0.0, 0.4, 0.8, 1.0, 1.0, 1.4, 2.0])
    z = np.array([*(time[:4] - 0.6) ** 2, 3.0, 3.0, 3.0])[::order]
    floor = Stack((-5.0, 5.0), (-1.0,))
    known = moved(time if order > 0 else 2.0 - time[::-1], 0.0 * time, z)
    (judged,) = judge_plant_clearance(known, (floor,), PARAMETERS)
    assert judged.value == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    ("clearance", "status"), [(0.5, "passed"), (0.97, "not judged"), (1.2, "failed")]
)
def test_communication_points_near_an_obstacle_do_not_tell(clearance, status) -> None:
    """A swing of 2.2 s, known every 0.5 s: between the points it comes as near as 1 m."""
    time = np.linspace(0.0, 10.0, 21)
    z = np.cos(2.0 * np.pi * time / 2.2)
    floor = Stack((-5.0, 5.0), (-2.0,), clearance=clearance)
    known = moved(time, 0.0 * time, z, sampled=True)
    (judged,) = judge_plant_clearance(known, (floor,), PARAMETERS)
    assert judged.status == status
    assert ("plant.step" in judged.message) == (status == "not judged")
