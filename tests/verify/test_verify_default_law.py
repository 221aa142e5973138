"""The default law against the drives' loops on the real plants: docs/control-figures.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from cranebridge.control.model.rest import drive_names
from cranebridge.control.observer.sensors import Sensor
from cranebridge.job import verify_scenario
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import open_plant, plant_file, plant_settings
from cranebridge.scenario import Scenario, load_scenario
from cranebridge.twin.language.crane import names
from cranebridge.verify import Feedback
from cranebridge.verify.disturbances import Disturbance
from cranebridge.verify.settings import Sensing
from cranebridge.verify.tracking.plant_run import PlantRun
from cranebridge.verify.tracking.plant_signals import applied_inputs
from further import further, mostly_further

REAL = ("overhead-real", "rotary-real")
START = {"overhead-real": {"x": 0.3}, "rotary-real": {"y": 0.3}, "overhead": {"x": 0.3}}


@cache
def solved(name: str) -> tuple[Scenario, object]:
    scenario = load_scenario(name, ["plant.timeout=300"])
    return scenario, solve_scenario(scenario).feedforward


class Bench:
    """A plant that is run in several ways."""

    def __init__(self, name: str, plant: object, mapping: object) -> None:
        self.scenario, self.feedforward = solved(name)
        self.plant, self.mapping = plant, mapping
        self.end = float(self.feedforward.time[-1])
        self.m = self.scenario.problem.parameters["m"]

    def run(
        self,
        kind: str,
        payload: float = 1.0,
        wind: tuple[Disturbance, ...] = (),
        start: Mapping[str, float] | None = None,
        late: int = 0,
        sensors: tuple[Sensor, ...] = (),
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return times, largest errors of an output and inputs; `late` cycles nobody knows of."""
        settings = plant_settings(self.scenario)
        settings = replace(
            settings,
            settle=20.0,
            parameters={**settings.parameters, "m": payload * self.m},
            loops=settings.loops if kind == "drives" else (),
            feedback=None if kind == "drives" else Feedback(kind, 0.005, sensing=Sensing(sensors)),
            disturbances=wind,
            start={"q": start} if start else {},
        )
        run = PlantRun(self.feedforward, self.plant, self.mapping, settings)
        if late and run.law is not None:
            run.law = replace(run.law, law=replace(run.law.law, whole=late))
        found = run.simulate(self.feedforward, 1e-8)
        error = run.outputs(found) - run.problem.path(found.time).T
        u = applied_inputs(run, found.time, found.outputs, given=found.given)
        return found.time, np.abs(error).max(axis=1), u


@pytest.fixture(scope="module")
def benches() -> Iterator[dict[str, Bench]]:
    from contextlib import ExitStack

    with ExitStack() as stack:
        found = {}
        for name in (*REAL, "overhead"):
            scenario = solved(name)[0]
            opened = stack.enter_context(open_plant(scenario, plant_file(scenario)))
            found[name] = Bench(name, *opened)
        yield found


def gust(bench: Bench) -> tuple[Disturbance, ...]:
    times = (0.25 * bench.end, 0.5 * bench.end)
    return (Disturbance("load.x", "gust", times, (0.05 * 9.81 * bench.m,)),)


@pytest.mark.parametrize(
    ("name", "case"),
    mostly_further(
        product(REAL, ["as it is", "heavier", "lighter", "gust"]),
        *(("overhead-real", "heavier"), ("overhead-real", "gust")),
        *(("rotary-real", "as it is"), ("rotary-real", "lighter")),
    ),
)
def test_default_beats_the_drives_five_and_two_times_with_forces_within_one_and_a_half(
    name: str, case: str, benches: dict[str, Bench]
) -> None:
    bench = benches[name]
    payload = {"heavier": 1.2, "lighter": 0.8}.get(case, 1.0)
    wind = gust(bench) if case == "gust" else ()
    (time, drives, u), (_, law, v) = (
        bench.run(kind, payload=payload, wind=wind) for kind in ("drives", "lqi")
    )
    # the error after the end as in docs/control-figures.md: in 10 s
    after = (time > bench.end) & (time <= bench.end + 10.0)
    assert law[after].max() * 5.0 <= drives[after].max()
    assert (np.abs(v).max(axis=0) <= 1.5 * np.abs(u).max(axis=0)).all()
    if (name, case) == ("rotary-real", "as it is"):
        # The plant starts with its rope stretched by m g / k_r, and no law acts before that: the
        # largest error is this one, at t = 0.
        stretch = bench.m * 9.81 / 2e5
        assert law.max() == pytest.approx(stretch, rel=1e-3)
        assert law.argmax() == 0
        later = time > 1.0
        assert law[later].max() * 2.0 <= drives[later].max()
        return
    assert law.max() * 2.0 <= drives.max()


@pytest.mark.parametrize("name", mostly_further(REAL, "overhead-real"))
def test_without_its_stretch_at_the_start_the_default_is_off_half_as_much_as_the_drives(
    benches, name: str
) -> None:
    """The rope begins shorter by m g / k_r = 4.905 mm, and the load where its path does."""
    bench = benches[name]
    titles = names(bench.scenario.crane.coordinates)
    length = float(bench.feedforward.q[0, titles.index("l")])
    found = {}
    for kind in ("drives", "lqi"):
        time, error, _ = bench.run(kind, start={"l": length - bench.m * 9.81 / 2e5})
        assert error[0] < 1e-9
        found[kind] = error[time <= bench.end].max()
    assert found["lqi"] < 0.5 * found["drives"]


@pytest.mark.parametrize(
    ("name", "payload", "late"),
    mostly_further(
        product(REAL, [0.2, 1.5], [0, 3]),
        *(("overhead-real", 0.2, 3), ("overhead-real", 1.5, 3), ("rotary-real", 0.2, 0)),
    ),
)
def test_default_settles_with_other_payloads_and_late_inputs(
    name: str, payload: float, late: int, benches: dict[str, Bench]
) -> None:
    time, error, _ = benches[name].run("lqi", payload=payload, late=late)
    assert error[time > time[-1] - 1.0].max() < 5e-3


@pytest.mark.parametrize(
    ("name", "late"),
    mostly_further(
        product([*REAL, "overhead"], [0, 3]),
        *(("overhead-real", 3), ("rotary-real", 0), ("overhead", 3)),
    ),
)
def test_default_catches_a_displaced_load_with_bounded_forces(
    name: str, late: int, benches: dict[str, Bench]
) -> None:
    bench = benches[name]
    time, error, u = bench.run("lqi", start=START[name], late=late)
    assert error[0] > 0.29
    # The law of the 3 s motion stands a swing seen 5 % too large, and is softer for it: with inputs
    # that come three cycles late the load is there 0.2 s after the end, without them at the end.
    more = 0.25 if (name, late) == ("overhead", 3) else 0.0
    assert error[time > bench.end + more].max() < 5e-3
    asked = np.abs(bench.feedforward.u).max(axis=0)
    assert (np.abs(u).max(axis=0) <= 10.0 * asked * (1.0 + 1e-12)).all()
    winch = names(bench.scenario.crane.inputs).index("M_w")
    assert u[:, winch].max() <= 0.0


# The drives lag by 20 ms, have friction and an elastic rope, and nothing sees the load. With a
# filter that believed their forces, overhead-real ended hundreds of metres away.
@pytest.mark.parametrize("name", ["overhead-real", further("rotary-real")])
def test_encoders_alone_bring_the_load_to_its_goal(benches, name: str) -> None:
    bench = benches[name]
    noises = {"m": 1e-3, "rad": 1e-4}
    units = {part.name: part.unit for part in bench.scenario.crane.coordinates}
    drives = drive_names(bench.scenario.crane)
    encoders = tuple(Sensor(f"q.{one}", noises[units[one]]) for one in drives)
    time, errors, _ = bench.run("lqi", sensors=encoders)
    assert errors.max() < 0.05
    assert errors[time > bench.end + 2.0].max() < 0.03


def test_a_jib_that_falls_slowly_is_held_as_well_as_its_drives_hold_it() -> None:
    """Friction and drag; a law that was kept soft left ten times the drives' error."""
    friction = "plant.parameters={M_cb=1e4, M_cj=1e4, M_cw=200.0, c_d=3.0}"
    settings = ["control.kind=lqi", friction, "plant.certify=false", "plant.settle=10"]
    tracking = verify_scenario(load_scenario("luffing-jib", settings)).tracking
    found = {title.partition(",")[0]: one for title, one in tracking.compared.items()}
    assert max(found["lqi"].max_error.values()) < max(found["drives"].max_error.values())
    assert found["lqi"].residual_swing < found["drives"].residual_swing
    for name, peak in found["drives"].peak.items():
        assert found["lqi"].peak[name] < 1.5 * peak


def test_lqr_with_encoders_alone_does_not_lose_a_load_that_weighs_more(benches) -> None:
    """Its filter estimates the payload by default; without, the load of rotary-real was lost."""
    bench = benches["rotary-real"]
    encoders = (Sensor("q.phi", 1e-4), Sensor("q.s", 1e-3), Sensor("q.l", 1e-3))
    time, errors, _ = bench.run("lqr", payload=1.2, sensors=encoders)
    assert errors.max() < 0.05
    assert errors[time > bench.end + 2.0].max() < 0.03
