"""Modelica models with events, exported by us: Model Exchange and our own Co-Simulation.

The models of tests/data/modelica/EventPlants.mo note the times of their events themselves. Where
nothing else is said, an event is to be met within 1e-9 s of the closed form at tolerance 1e-12, and
within 1e-6 s with the two integrators whose error over a whole run is larger than their tolerance
by some powers of ten.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu
from fmu_driver import Exported, running
from test_plant_events import GRAVITY, TIGHT, WITHIN, ball

from c_programs import export_quickly
from cranebridge.errors import InputError, StructureError
from cranebridge.frontend.flat_model import PlantModel
from cranebridge.frontend.modelica_model import load_model
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.sandbox.child_process import PlantStatusError
from cranebridge.plant.sandbox.plant_results import Simulation
from further import further, mostly_further

SOURCE = Path(__file__).parents[1] / "data" / "modelica" / "EventPlants.mo"
NAMES = re.findall(r"^  model (\w+)", SOURCE.read_text(), re.MULTILINE)
NOTED = ["count", *(f"e[{k}]" for k in range(1, 9))]
Open = Callable[..., Plant]
_DOUBLES = ctypes.POINTER(ctypes.c_double)

both = pytest.mark.parametrize("fmi", [2, 3])
# For what is the model's own; Ball, Thermostat, Typed and Limit show the calls of both versions.
fmi2, fmi3 = (pytest.mark.parametrize("fmi", [version]) for version in (2, 3))
# Model Exchange with each of our integrators, and the FMU's own two
WAYS = [*WITHIN, "dopri5", "rodas4"]
QUICK = ("DOP853", "CVODE", "dopri5", "rodas4")


def in_turn(ways: Sequence[str], first: int) -> list[tuple[str, int]]:
    """Ways, each with one of the two versions."""
    return [(way, 2 + (first + k) % 2) for k, way in enumerate(ways)]


def versions(ways: Sequence[str], first: int) -> pytest.MarkDecorator:
    """Each way with one of the two versions, and if it is asked for with the other, too."""
    every = list(itertools.product(ways, (2, 3)))
    cases = mostly_further(every, *in_turn(ways, first))
    return pytest.mark.parametrize(("way", "fmi"), cases)


# Once Ball has been met with all, events that differ in the model only are met with these; how each
# integrator finds events is in test_plant_events.py, too.
quick_ways = pytest.mark.parametrize("way", QUICK)
within = WITHIN | {"dopri5": 1e-9, "rodas4": 1e-9}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int], Path]:
    """FMUs, each made once."""
    directory = tmp_path_factory.mktemp("modelica")
    models: dict[str, PlantModel] = {}

    def get(name: str, fmi: int) -> Path:
        path = directory / f"{name}{fmi}.fmu"
        if not path.exists():
            if name not in models:
                models[name] = load_model(SOURCE, name)
            export_quickly(models[name], path, "2.0" if fmi == 2 else "3.0")
        return path

    return get


@pytest.fixture(scope="module")
def unpacked(built, tmp_path_factory) -> Callable[[str, int], Exported]:
    """FMUs for calls one by one, each unpacked once: its library stays loaded."""
    directory = tmp_path_factory.mktemp("unpacked")
    found: dict[tuple[str, int], Exported] = {}

    def get(name: str, fmi: int) -> Exported:
        if (name, fmi) not in found:
            found[name, fmi] = Exported.open(built(name, fmi), directory / f"{name}{fmi}")
        return found[name, fmi]

    return get


@pytest.fixture(scope="module")
def opened(built) -> Iterator[Open]:
    """Plants, each opened once; both interfaces in one process."""
    plants: dict[tuple[str, int], Plant] = {}

    def get(name: str, fmi: int, interface: str = "me") -> Plant:
        if (name, fmi) not in plants:
            plants[name, fmi] = Plant(built(name, fmi), timeout=600.0)
        return plants[name, fmi].sibling(interface)

    yield get
    for plant in plants.values():
        plant.close()


def run(opened: Open, name: str, fmi: int, way: str, **options) -> Simulation:
    """Simulate by Model Exchange with an integrator of ours, or by the FMU's own."""
    if way in WITHIN:
        return opened(name, fmi).simulate(method=way, **(TIGHT | options))
    parameters = {"integrator.method": {"dopri5": 1, "rodas4": 2}[way]}
    parameters |= options.pop("parameters", {})
    return opened(name, fmi, "cs").simulate(rtol=1e-12, parameters=parameters, **options)


def noted(run: Simulation, prefix: str = "") -> np.ndarray:
    """Times of the last events, the earliest first, as the model noted them."""
    count = min(8, int(run.column(f"{prefix}count")[-1]))
    return np.array([run.column(f"{prefix}e[{k}]")[-1] for k in range(count, 0, -1)])


# ---------------------------------------------------------------------------- the standard


# Making an FMU is what takes the time: always in the versions that other tests need, too.
IN_3 = ("BallReset", "Friction", "Stair", "KickedBall", "Rounded", "Endless")
IN_BOTH = ("Ball", "Thermostat", "Typed", "Limit")
ALWAYS = [(name, 3 if name in IN_3 else 2) for name in NAMES] + [(name, 3) for name in IN_BOTH]


@pytest.mark.parametrize(("name", "fmi"), mostly_further(itertools.product(NAMES, (2, 3)), *ALWAYS))
def test_fmu_is_valid(built, name, fmi):
    assert validate_fmu(str(built(name, fmi))) == []


@both
def test_description_tells_what_is_discrete_and_how_many_indicators(unpacked, fmi):
    exported = unpacked("Thermostat", fmi)
    description = exported.description
    variables = {v.name: v for v in description.modelVariables}
    assert variables["on"].type == "Boolean"
    assert variables["on"].variability == "discrete"
    assert variables["count"].type == ("Integer" if fmi == 2 else "Int64")
    assert variables["count"].variability == "discrete"
    assert variables["e[1]"].variability == "discrete"
    assert variables["T"].variability == "continuous"
    count = description.numberOfEventIndicators if fmi == 2 else len(description.eventIndicators)
    assert count == 2
    if fmi == 3:
        shown = [entry.variable.name for entry in description.eventIndicators]
        assert shown == ["events.indicator[1]", "events.indicator[2]"]


def test_what_the_standard_calls_free_of_events_has_none():
    # noEvent, smooth, abs, sign, max and min: Modelica 3.6, 3.7.2 and 3.7.5
    model = load_model(SOURCE, "Free")
    assert model.events is None
    assert model.memory == 0
    y, z = (float(value) for value in model.outputs_function(0.0, [0.5], [], []).full().ravel())
    assert (y, z) == (0.5 + 0.5 + 1.0 + 0.5 + 0.0, 0.5)


# ---------------------------------------------------------------------------- state events


@pytest.mark.parametrize(
    ("form", "way", "fmi"),
    mostly_further(
        itertools.product(["Ball", "BallReset"], WAYS, (2, 3)),
        *(("Ball", way, fmi) for way, fmi in in_turn(WAYS, 2)),
        *(("Ball", "DOP853", 3), ("BallReset", "DOP853", 3), ("BallReset", "dopri5", 3)),
    ),
)
def test_ball_bounces_at_the_times_of_the_closed_form(opened, form, way, fmi):
    result = run(opened, form, fmi, way, times=[0.0, 1.0, 2.0], outputs=["h", *NOTED])
    met, height = ball(2.0)
    assert len(met) == 4
    assert noted(result) == pytest.approx(met, rel=0.0, abs=within[way])
    assert result.column("h")[-1] == pytest.approx(height, rel=0.0, abs=10 * within[way])
    if way in WITHIN:
        # where the ball stays on the floor's side of zero, leaving it is a change of sign as well
        assert result.events == (4 if form == "BallReset" else 8)


@versions(WAYS, 3)
def test_ball_thrown_up_from_the_floor_does_not_fall_through(opened, unpacked, way, fmi):
    if way in WITHIN:
        options = {"start": {"h": 0.0, "v": 1.0}, "parameters": {"k": 1.0}}
        result = run(opened, "Ball", fmi, way, times=[0.0, 1.5], outputs=NOTED, **options)
        # at the start it lies on the floor, which is an event of its own
        assert noted(result)[-7:] == pytest.approx(
            2.0 / GRAVITY * np.arange(1, 8), rel=0.0, abs=within[way]
        )
        return
    with running(unpacked("Ball", fmi), "cs") as fmu:
        fmu.set_integer("integrator.method", 1 if way == "dopri5" else 2)
        fmu.initialize(tolerance=1e-12, stop=1.5, parameters={"h": 0.0, "v": 1.0, "k": 1.0})
        fmu.step(0.0, 1.5)
        count = fmu.get_integer("count")
        times = fmu.get([f"e[{k}]" for k in range(7, 0, -1)])
    # what holds from the start has not become true there
    assert count == 7
    assert times == pytest.approx(2.0 / GRAVITY * np.arange(1, 8), rel=0.0, abs=within[way])


@fmi2
@quick_ways
def test_two_balls_meet_the_floor_at_the_same_time(opened, way, fmi):
    names = [f"{ball}.{name}" for ball in "ab" for name in ("h", *NOTED)]
    result = run(opened, "TwoBalls", fmi, way, times=[0.0, 1.5], outputs=names)
    met, height = ball(1.5)
    for prefix in ("a.", "b."):
        assert noted(result, prefix) == pytest.approx(met, rel=0.0, abs=within[way])
        last = result.column(f"{prefix}h")[-1]
        assert last == pytest.approx(height, rel=0.0, abs=10 * within[way])


@pytest.mark.parametrize("fmi", [2, further(3)])
def test_short_flight_at_the_begin_of_a_long_step_is_seen_in_co_simulation(unpacked, fmi):
    # the other ball is so high that steps are much longer than these flights of 20 us, which begin
    # and end with the indicator at zero
    with running(unpacked("TwoBalls", fmi), "cs") as fmu:
        start = {"a.h": 0.0, "a.v": 1e-4, "a.k": 1.0, "b.h": 100.0}
        fmu.initialize(tolerance=1e-2, stop=1.0, parameters=start)
        fmu.step(0.0, 1e-3)
        count, last = fmu.get_integer("a.count"), fmu.get(["a.e[1]"])[0]
    flight = 2e-4 / GRAVITY
    assert count == math.floor(1e-3 / flight) == 49
    assert last == pytest.approx(49 * flight, rel=1e-9)


@versions(QUICK, 2)
def test_thermostat_switches_at_the_times_of_the_closed_form(opened, way, fmi):
    result = run(opened, "Thermostat", fmi, way, times=np.linspace(0.0, 8.0, 81), outputs=NOTED)
    heat, cool = math.log(16.0 / 12.0), math.log(12.0 / 8.0)
    lengths = [math.log(34.0 / 12.0), *itertools.islice(itertools.cycle([cool, heat]), 50)]
    wanted = np.cumsum(lengths)
    wanted = wanted[wanted < 8.0]
    assert len(wanted) > 20
    assert int(result.column("count")[-1]) == len(wanted)
    assert noted(result) == pytest.approx(wanted[-8:], rel=0.0, abs=within[way])


@pytest.mark.parametrize("method", [1, 2])
def test_event_is_as_accurate_as_the_end_of_a_step(unpacked, method):
    # The dense output alone, of lower order than the steps, would miss the 21st event by more than
    # 1e-3 s at this tolerance; steps that end at the event miss it by less than 1e-4 s.
    heat, cool = math.log(16.0 / 12.0), math.log(12.0 / 8.0)
    wanted = math.log(34.0 / 12.0) + 10.0 * (heat + cool)
    with running(unpacked("Thermostat", 2), "cs") as fmu:
        fmu.set_integer("integrator.method", method)
        fmu.initialize(tolerance=1e-2, stop=wanted + 0.05)
        fmu.step(0.0, wanted + 0.05)
        assert fmu.get_integer("count") == 21
        assert fmu.get(["e[1]"])[0] == pytest.approx(wanted, rel=0.0, abs=3e-4)


@fmi3
@quick_ways
def test_mass_on_a_belt_sticks_and_slips(opened, way, fmi):
    # sticks until c x = F, slips on the circle around slide/c until v = belt again
    result = run(opened, "Friction", fmi, way, times=[0.0, 1.5, 2.5, 3.5], outputs=["x", "v"])
    omega, x1, belt = math.sqrt(10.0), 0.15, 0.1
    t1 = x1 / belt
    amplitude = math.hypot(x1 - 0.1, belt / omega)
    assert result.column("x")[1] == pytest.approx(0.15, rel=0.0, abs=10 * within[way])
    phase = math.atan2(belt / omega, x1 - 0.1)
    moved = 0.1 + amplitude * math.cos(omega * (2.5 - t1) - phase)
    assert result.column("x")[2] == pytest.approx(moved, rel=0.0, abs=10 * within[way])
    # the velocity is belt again where the state is the mirror image
    t2 = t1 + (2.0 * math.pi - 2.0 * (math.pi / 2.0 - phase)) / omega
    x2 = 0.1 + amplitude * math.cos(omega * (t2 - t1) - phase)
    assert -omega * amplitude * math.sin(omega * (t2 - t1) - phase) == pytest.approx(belt)
    assert result.column("v")[3] == pytest.approx(belt, rel=0.0, abs=10 * within[way])
    assert result.column("x")[3] == pytest.approx(
        x2 + belt * (3.5 - t2), rel=0.0, abs=10 * within[way]
    )


@fmi2
@quick_ways
def test_relation_that_depends_on_what_it_switches_is_iterated(opened, way, fmi):
    # y is 0 while 0 <= 1 - x, then 2, and stays so until 2 <= 1 - x
    times = [0.0, 0.5, 1.5, 3.5, 4.5]
    result = run(opened, "Latch", fmi, way, times=times, outputs=["x", "y", *NOTED])
    assert result.column("y").tolist() == [0.0, 0.0, 2.0, 2.0, 0.0]
    assert noted(result) == pytest.approx([1.0, 4.0], rel=0.0, abs=1e-9)


# ---------------------------------------------------------------------------- inputs


@pytest.mark.parametrize("fmi", [2, further(3)])
@quick_ways
def test_relay_follows_a_held_input(opened, way, fmi):
    held = Controls.hold([0.0, 0.3, 0.7, 0.9, 1.1], [[0.0], [1.0], [2.0], [0.0], [1.0]], ["u"])
    times = [0.0, 0.5, 1.0, 1.5]
    result = run(opened, "Relay", fmi, way, times=times, inputs=held, outputs=["x", *NOTED])
    assert noted(result).tolist() == [0.3, 0.9, 1.1]
    wanted = [0.0, -0.3 + 0.2, -0.3 + 0.6 - 0.1, -0.3 + 0.6 - 0.2 + 0.4]
    assert result.column("x") == pytest.approx(wanted, rel=0.0, abs=1e-6)


@pytest.mark.parametrize(("fmi", "way"), [(2, "DOP853"), further(3, "DOP853"), (2, "dopri5")])
def test_relay_driven_by_a_continuous_input_switches_where_it_crosses(opened, fmi, way):
    # input derivatives in Co-Simulation: FMI 2
    ramp = Controls.linear([0.0, 1.0, 2.0], [[0.0], [1.0], [0.0]], ["u"])
    result = run(opened, "Relay", fmi, way, times=[0.0, 2.0], inputs=ramp, outputs=NOTED)
    assert noted(result) == pytest.approx([0.5, 1.5], rel=0.0, abs=1e-12)


@both
@pytest.mark.parametrize("way", ["DOP853", "dopri5"])
def test_inputs_and_outputs_of_all_types(opened, way, fmi):
    held = Controls.hold([0.0, 0.5], [[1.0, 0.0], [3.0, 1.0]], ["i", "b"])
    names = ["twice", "other", "gear", "x"]
    result = run(opened, "Typed", fmi, way, times=[0.0, 0.25, 1.0], inputs=held, outputs=names)
    assert [result.column(name)[1] for name in names[:3]] == [2.0, 1.0, 1.0]
    assert [result.column(name)[2] for name in names[:3]] == [6.0, 0.0, 2.0]
    assert result.column("x")[-1] == pytest.approx(2.0, rel=0.0, abs=1e-9)


# ---------------------------------------------------------------------------- time events


@fmi3
@quick_ways
def test_stair_rises_at_its_times(opened, way, fmi):
    result = run(
        opened, "Stair", fmi, way, times=np.linspace(0.0, 1.05, 22), outputs=["x", "y", "last"]
    )
    assert result.column("y")[-1] == 10.0
    assert result.column("last")[-1] == 0.1 + 9 * 0.1
    assert result.column("x")[-1] == pytest.approx(0.1 * 45 + 0.05 * 10, rel=0.0, abs=1e-9)


@fmi2
@pytest.mark.parametrize("way", ["DOP853", "CVODE", "dopri5"])
def test_steps_without_states_and_a_parameter_as_time(opened, way, fmi):
    result = run(
        opened,
        "Steps",
        fmi,
        way,
        times=[0.0, 0.2, 0.4, 0.5, 0.8, 0.9],
        outputs=["n", "late", "y"],
        parameters={"T": 0.4},
    )
    # the compiler's own list of time events knows the default value of T only
    assert result.column("n").tolist() == [1.0, 1.0, 2.0, 3.0, 4.0, 4.0]
    assert result.column("y").tolist() == [0.0, 0.0, 1.0, 1.0, 1.0, 1.0]
    assert result.column("late").tolist() == [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize("fmi", [further(2), 3])
@quick_ways
def test_time_events_between_state_events(opened, way, fmi):
    result = run(opened, "KickedBall", fmi, way, times=[0.0, 1.5], outputs=["h", *NOTED])
    met, height = ball(1.5, kicks=(0.25, 0.5, 0.75))
    assert noted(result) == pytest.approx(met, rel=0.0, abs=within[way])
    assert result.column("h")[-1] == pytest.approx(height, rel=0.0, abs=10 * within[way])


@fmi3
@pytest.mark.parametrize("way", ["DOP853", "dopri5"])
def test_rounding_functions_jump_at_whole_numbers(opened, way, fmi):
    times = [0.0, 0.75, 1.25, 2.75]
    result = run(opened, "Rounded", fmi, way, times=times, outputs=["q", "r", "d", "up"])
    # the integral of floor(t) + mod(t, 1/2)
    wanted = [
        sum(range(math.floor(t))) + math.floor(t) * (t % 1.0)
        + math.floor(2 * t) / 8 + (t % 0.5) ** 2 / 2
        for t in times
    ]  # fmt: skip
    assert result.column("q") == pytest.approx(wanted, rel=0.0, abs=1e-9)
    assert result.column("r") == pytest.approx([0.0, -0.75, -1.25, -0.75], abs=1e-12)
    assert result.column("d").tolist() == [0.0, 0.0, 0.0, -1.0]
    assert result.column("up").tolist() == [0.0, 1.0, 2.0, 3.0]


# ---------------------------------------------------------------------------- actions


@versions(WAYS, 2)
def test_terminate_ends_the_simulation(opened, way, fmi):
    result = run(opened, "Limit", fmi, way, times=np.linspace(0.0, 2.0, 21), outputs=["x"])
    assert "the FMU ended the simulation at t = 1" in result.ended
    assert result.column("x")[-1] == pytest.approx(1.0, rel=0.0, abs=0.1 + 1e-9)


@versions(["DOP853", "Radau", "dopri5", "rodas4"], 3)
def test_assertion_that_fails_is_an_error_with_its_message(opened, way, fmi):
    with pytest.raises(PlantStatusError, match=r"an assertion fails at time .*x is much too large"):
        run(
            opened,
            "Limit",
            fmi,
            way,
            times=[0.0, 0.5, 0.9],
            outputs=["x"],
            parameters={"much": 0.5},
        )


@both
def test_warning_is_told_once_and_nothing_stops(unpacked, fmi):
    with running(unpacked("Limit", fmi), "cs", logging=True) as fmu:
        fmu.initialize(tolerance=1e-8, stop=0.9)
        for k in range(9):
            fmu.step(0.1 * k, 0.1)
        texts = [text for category, text in fmu.messages if category == "logStatusWarning"]
    assert len(texts) == 1
    assert "x is large" in texts[0]


@fmi3
def test_warning_is_told_again_when_its_assertion_has_held_in_between(tmp_path, fmi):
    """sin t is above one half from pi/6 to 5 pi/6, and again a turn later."""
    file = tmp_path / "Wave.mo"
    file.write_text(
        "model Wave\n  output Real x(start=0, fixed=true);\nequation\n  der(x) = cos(time);\n"
        '  assert(x < 0.5, "x is large", AssertionLevel.warning);\nend Wave;\n'
    )
    path = export_quickly(load_model(file), tmp_path / "wave.fmu", f"{fmi}.0")
    with running(Exported.open(path, tmp_path), "cs", logging=True) as fmu:
        fmu.initialize(tolerance=1e-8, stop=10.0)
        told = []
        for k in range(20):
            fmu.step(0.5 * k, 0.5)
            told.append(sum(category == "logStatusWarning" for category, _ in fmu.messages))
    # within the steps that end at 1 s and at 7 s
    assert told == [0] + 12 * [1] + 7 * [2]


@fmi2
@quick_ways
def test_of_when_and_elsewhen_the_first_acts(opened, way, fmi):
    result = run(opened, "Branches", fmi, way, times=[0.0, 2.0], outputs=["v", "w", "which"])
    assert [result.column(name)[-1] for name in ("v", "w", "which")] == [5.0, 1.0, 1.0]


@fmi3
@pytest.mark.parametrize("way", ["DOP853", "dopri5"])
def test_event_without_end_is_told(opened, way, fmi):
    with pytest.raises(PlantStatusError, match=r"event at time 1\b.* does not come to an end.* a"):
        run(opened, "Endless", fmi, way, times=[0.0, 2.0], outputs=["x"])


@fmi2
@quick_ways
def test_chattering_plant_is_stopped_with_a_sentence(opened, way, fmi):
    with pytest.raises(PlantStatusError, match=r"chatters at (t =|time) 1\b.*events"):
        run(opened, "Chatter", fmi, way, times=[0.0, 2.0], outputs=["x"])


# ---------------------------------------------------------------------------- state of the FMU


@both
def test_saved_state_brings_back_what_events_have_done(unpacked, fmi):
    names = ["h", "v", *(f"e[{k}]" for k in range(1, 9))]
    with running(unpacked("Ball", fmi), "cs") as fmu:
        fmu.initialize(tolerance=1e-10, stop=2.0)
        fmu.step(0.0, 1.0)
        state = fmu.save()
        data = fmu.serialize(state)
        fmu.step(1.0, 1.0)
        first = fmu.get(names), fmu.get_integer("count")
        for saved in (state, fmu.deserialize(data)):
            fmu.restore(saved)
            assert fmu.get_integer("count") == 1
            fmu.step(1.0, 1.0)
            assert fmu.get(names).tolist() == first[0].tolist()
            assert fmu.get_integer("count") == first[1] == 4
            fmu.release(saved)
        fmu.raw.reset()
        assert fmu.get_integer("count") == 0
        fmu.initialize(tolerance=1e-10, stop=2.0)
        fmu.step(0.0, 1.0)
        fmu.step(1.0, 1.0)
        assert fmu.get(names).tolist() == first[0].tolist()


@both
def test_failed_step_leaves_the_instance_as_it_was(unpacked, fmi):
    with running(unpacked("Limit", fmi), "cs") as fmu:
        fmu.initialize(tolerance=1e-8, stop=2.0, parameters={"much": 0.5})
        fmu.step(0.0, 0.4)
        with pytest.raises(FMICallException):
            fmu.step(0.4, 0.4)
        assert fmu.get(["x"])[0] == pytest.approx(0.4, rel=0.0, abs=1e-9)
        fmu.step(0.4, 0.05)


@both
def test_indicators_are_zero_free(unpacked, fmi):
    # h <= 0 is true at h = 0, where the indicator is not positive: both domains fit the relation
    with running(unpacked("Ball", fmi), "me") as fmu:
        fmu.initialize()
        z = np.zeros(1)
        for h in (1.0, 5e-324, 0.0, -0.0, -1e-300):
            fmu.rhs(0.0, np.array([h, 0.0]))
            fmu.raw.getEventIndicators(z.ctypes.data_as(_DOUBLES), 1)
            assert (z[0] > 0.0) == (h > 0.0)
            assert fmu.get(["events.indicator[1]"])[0] == z[0]


# ---------------------------------------------------------------------------- refusals


def model_of(tmp_path: Path, body: str) -> Path:
    path = tmp_path / "Model.mo"
    path.write_text(f"model Model\n  {body}\nend Model;\n")
    return path


@pytest.mark.parametrize(
    ("body", "error", "words"),
    [
        (
            "Boolean a, b;\n  Real x(start=0);\nequation\n  der(x) = 1;\n"
            "  a = not b or x > 1;\n  b = not a;",
            InputError,
            r"Model.mo:6: .*'a' depends on itself at the same event; use pre\(a\)",
        ),
        (
            "discrete Real k(start=0);\n  Real x(start=0), y;\nequation\n  der(x) = 1;\n"
            "  y = 0.5*k + x;\n  when x > 1 then\n    k = y;\n  end when;",
            StructureError,
            "k: these discrete variables depend on each other at the same event",
        ),
        (
            "Real x(start=0);\nequation\n  der(x) = 1;\n  when x > 1 then\n    reinit(x, 0);\n"
            "  end when;\n  when x > 2 then\n    reinit(x, 1);\n  end when;",
            InputError,
            "two when clauses give the same state a new value by reinit",
        ),
        (
            "Real x[2](each start=0);\nequation\n  der(x) = {1, 2};\n  for i in 1:2 loop\n"
            "    when x[i] > 1 then\n      reinit(x[i], 0);\n    end when;\n  end for;",
            InputError,
            r"'x\[1\]' is an element of an array, which the compiler cannot change at an event",
        ),
        (
            "Real x(start=0);\nequation\n  der(x) = 1;\nalgorithm\n  when x > 1 then\n"
            "    reinit(x, 0);\n  end when;",
            InputError,
            "in an algorithm are not supported; write them in equations",
        ),
        (
            "Real x(start=1), y;\ninitial equation\n  der(x) = 0;\nequation\n"
            "  y = if x > 0.5 then 2 else 3;\n  der(x) = y - x;",
            StructureError,
            "an initial equation needs what events or an iteration give",
        ),
        (
            "Real x(start=0);\nequation\n  der(x) = if terminal() then 1 else 0;",
            StructureError,
            "terminal",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(tmp_path, body, error, words):
    with pytest.raises(error, match=words) as told:
        load_model(model_of(tmp_path, body))
    assert "\n" not in str(told.value)


def test_arrays_of_truth_values(tmp_path):
    body = (
        "Real x[2](start={1, 2}, each fixed=true);\n  Boolean hit[2];\nequation\n"
        "  for i in 1:2 loop\n    hit[i] = x[i] < 0;\n"
        "    der(x[i]) = if hit[i] then 10*i else -1;\n  end for;"
    )
    model = load_model(model_of(tmp_path, body))
    assert model.indicators == 2
    memory = [0.0] * model.memory
    for _ in range(2):
        memory, _, _ = model.events.update(0.0, [-1.0, 2.0], [], memory, 0.0)
    assert model.rhs(0.0, [-1.0, 2.0], [], memory).full().ravel().tolist() == [10.0, -1.0]
    assert model.outputs_function(0.0, [-1.0, 2.0], [], memory).full().ravel()[:2].tolist() == [
        1,
        0,
    ]


def test_example_of_the_docs_is_accepted(tmp_path):
    text = (SOURCE.parents[3] / "docs" / "plant.md").read_text()
    (code,) = re.findall(r"```modelica\n(.*?)```", text, re.DOTALL)
    path = tmp_path / "Ball.mo"
    path.write_text(code)
    assert load_model(path).indicators == 1


def test_parameter_in_sample_cannot_be_set(tmp_path):
    # the compiler has put its value in: setting it would change nothing
    body = (
        "parameter Real T = 0.25, half = 1, other = 1;\n  parameter Real S = half/2;\n"
        "  discrete Real y(start=0);\nequation\n"
        "  when sample(T, S) then\n    y = pre(y) + other;\n  end when;"
    )
    model = load_model(model_of(tmp_path, body))
    assert [(p.name, p.variability) for p in model.parameters] == [("other", "tunable")]
