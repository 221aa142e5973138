"""Events of Model Exchange FMUs in hand-written C, against closed forms.

The FMUs note the times of their events themselves. Where nothing else is said, an event is to be
met within 1e-9 s at tolerance 1e-12, and within 1e-6 s with the two integrators whose error over a
whole run is larger than their tolerance by some powers of ten.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from event_plants import TIMES as NOTED
from event_plants import event_fmu

from cranebridge.job import verify_scenario
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.sandbox.child_process import PlantStatusError, PlantValueError
from cranebridge.plant.sandbox.plant_results import Simulation
from cranebridge.scenario import load_scenario
from further import mostly_further

GRAVITY = 9.81
TIGHT = {"rtol": 1e-12, "atol": 1e-12}
WITHIN = {"DOP853": 1e-9, "Radau": 1e-9, "CVODE": 1e-9, "LSODA": 1e-6, "BDF": 1e-6}
Open = Callable[..., Plant]

METHODS = (*WITHIN, "DOP853 in Python")
all_methods = pytest.mark.parametrize("method", METHODS, indirect=True)
both = pytest.mark.parametrize("fmi", [2, 3])
both_loops = pytest.mark.usefixtures("loop")


def in_turn(first: int) -> list[tuple[str, int]]:
    """Methods, each with one of the two versions."""
    return [(method, 2 + (first + k) % 2) for k, method in enumerate(METHODS)]


def versions(first: int) -> pytest.MarkDecorator:
    """Each method with one of the two versions, and if it is asked for with the other, too."""
    cases = mostly_further(itertools.product(METHODS, (2, 3)), *in_turn(first))
    return pytest.mark.parametrize(("method", "fmi"), cases, indirect=["method"])


def forms(form: str, other: str, first: int) -> pytest.MarkDecorator:
    """One form with all methods, the other with our own; the rest if it is asked for."""
    cases = mostly_further(
        itertools.product([form, other], METHODS, (2, 3)),
        *((form, method, fmi) for method, fmi in in_turn(first)),
        *((other, "DOP853", first), (other, "DOP853 in Python", 5 - first)),
    )
    return pytest.mark.parametrize(("form", "method", "fmi"), cases, indirect=["method"])


@pytest.fixture(autouse=True)
def offered(request: pytest.FixtureRequest, backend: str) -> None:
    """Leave out methods that PyFMI does not have, or that lose events there."""
    method = request.node.callspec.params.get("method")
    if backend == "pyfmi" and method in ("DOP853", "LSODA"):
        pytest.skip(f"{method} is not offered with PyFMI")


def own_only(backend: str, reason: str) -> None:
    """Leave out what PyFMI cannot do; test_plant_pyfmi.py says what it does instead."""
    if backend == "pyfmi":
        pytest.skip(reason)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory, backend: str) -> Iterator[Open]:
    """Plants, each opened once."""
    directory: Path = tmp_path_factory.mktemp("events")
    plants: dict[tuple[str, int, bool], Plant] = {}

    def get(name: str, fmi: int, typed: bool = False) -> Plant:
        key = (name, fmi, typed)
        if key not in plants:
            path = event_fmu(directory, name, fmi, typed=typed, complete=backend == "pyfmi")
            plants[key] = Plant(path, backend=backend)
        return plants[key]

    yield get
    for plant in plants.values():
        plant.close()


def noted(run: Simulation) -> np.ndarray:
    """Times of events as the FMU noted them."""
    count = int(run.column("switches")[-1])
    assert count <= NOTED
    return np.array([run.column(f"e{i + 1}")[-1] for i in range(count)])


def ball(
    end: float, height: float = 1.0, speed: float = 0.0, factor: float = 0.7, kicks=()
) -> tuple[list[float], float]:
    """Times when a ball meets the floor and its height at the end."""
    t, h, v, met = 0.0, height, speed, []
    for kick in (*kicks, end):
        while True:
            flight = (v + math.sqrt(v**2 + 2.0 * GRAVITY * h)) / GRAVITY
            if t + flight >= kick:
                break
            met.append(t + flight)
            t, h, v = t + flight, 0.0, -factor * (v - GRAVITY * flight)
        rest = kick - t
        h, v, t = h + v * rest - GRAVITY * rest**2 / 2, v - GRAVITY * rest, kick
        v += 3.0
    return met, h


# ---------------------------------------------------------------------------- state events


@forms("BALL", "BALL_RESET", 2)
def test_ball_bounces_at_the_times_of_the_closed_form(opened, form, method, fmi):
    run = opened(form, fmi).simulate(times=[0.0, 1.0, 2.0], method=method, **TIGHT)
    met, height = ball(2.0)
    assert len(met) == 4
    assert noted(run) == pytest.approx(met, rel=0.0, abs=WITHIN[method])
    assert run.column("x0")[-1] == pytest.approx(height, rel=0.0, abs=10 * WITHIN[method])
    # where the ball stays on the floor's side of zero, leaving it is a change of sign as well
    assert run.events == (4 if form == "BALL_RESET" else 8)
    assert run.events == run.column("entered")[-1]


@versions(3)
def test_ball_thrown_up_from_the_floor_does_not_fall_through(opened, method, fmi):
    # its indicator is zero at the start and after each bounce; the steps between are long, because
    # a parabola has no error
    run = opened("BALL", fmi).simulate(
        times=[0.0, 3.0],
        start={"x0": 0.0, "x1": 1.0},
        parameters={"k": 1.0},
        method=method,
        **TIGHT,
    )
    met = 2.0 / GRAVITY * np.arange(1, 15)
    assert noted(run) == pytest.approx(met, rel=0.0, abs=WITHIN[method])


@both_loops
def test_short_flight_at_the_begin_of_a_long_step_is_seen(opened, backend):
    own_only(backend, "PyFMI looks for events at the ends of steps only")
    # at a coarse tolerance the first step is longer than the flight of 2 ms
    run = opened("BALL_RESET", 2).simulate(
        times=[0.0, 0.01], start={"x0": 0.0, "x1": 0.01}, parameters={"k": 1.0}, rtol=1.0, atol=1.0
    )
    assert noted(run) == pytest.approx(0.02 / GRAVITY * np.arange(1, 5), rel=0.0, abs=1e-12)


@both_loops
def test_other_start_values_than_the_plants_own_are_an_event(opened):
    # 25 degrees are above the upper limit: it switches off at once and cools down to 18
    run = opened("THERMOSTAT", 2).simulate(times=[0.0, 0.7], start={"x0": 25.0}, **TIGHT)
    assert noted(run) == pytest.approx([0.0, math.log(15.0 / 8.0)], rel=0.0, abs=1e-9)


@both_loops
@both
def test_indicators_that_change_with_completed_steps_only_are_seen_there(opened, backend, fmi):
    own_only(backend, "PyFMI looks for events at the ends of steps only")
    # steps end at the kinks of an input at the latest
    kinks = Controls.linear([0.0, 0.4, 1.1, 1.8], [[0.0], [1.0], [0.0], [0.0]], ["u"])
    times = np.linspace(0.0, 1.8, 19)
    run = opened("CACHED", fmi).simulate(times=times, inputs=kinks, dense=True)
    # where the step that passes x = 1 ends; from there on it goes back
    (turn,) = noted(run)
    assert 1.0 <= turn <= 1.1
    assert turn in run.dense.time[run.dense.starts]
    assert run.column("x0") == pytest.approx(turn - np.abs(run.time - turn), abs=1e-9)


@forms("THERMOSTAT", "LATCH", 3)
def test_thermostat_that_relies_on_completed_steps_switches_each_time(opened, form, method, fmi):
    run = opened(form, fmi).simulate(times=np.linspace(0.0, 8.0, 401), method=method, **TIGHT)
    heat, cool = math.log(16.0 / 12.0), math.log(12.0 / 8.0)
    first = math.log(34.0 / 12.0)
    lengths = [first, *itertools.islice(itertools.cycle([cool, heat]), 50)]
    wanted = np.cumsum(lengths)
    wanted = wanted[wanted < 8.0]
    assert len(wanted) > 20
    assert noted(run) == pytest.approx(wanted, rel=0.0, abs=WITHIN[method])


@versions(2)
def test_two_balls_meet_the_floor_at_the_same_time(opened, method, fmi):
    run = opened("TWO_BALLS", fmi).simulate(times=[0.0, 1.5], method=method, **TIGHT)
    met, height = ball(1.5)
    assert noted(run) == pytest.approx(np.repeat(met, 2), rel=0.0, abs=WITHIN[method])
    for name in ("x0", "x2"):
        assert run.column(name)[-1] == pytest.approx(height, rel=0.0, abs=10 * WITHIN[method])


@both_loops
@pytest.mark.parametrize("higher", [1e-16, 1e-15, 1e-13, 1e-9])
def test_two_balls_meet_the_floor_almost_at_the_same_time(opened, higher):
    run = opened("TWO_BALLS", 2).simulate(times=[0.0, 1.5], start={"x2": 1.0 + higher}, **TIGHT)
    met = np.repeat(ball(1.5)[0], 2)
    assert noted(run) == pytest.approx(met, rel=0.0, abs=5e-9)


@both_loops
@both
def test_indicator_that_changes_for_a_short_time_in_a_long_step_is_seen(opened, backend, fmi):
    own_only(backend, "PyFMI looks for events at the ends of steps only")
    # without states nothing makes the steps short: they are as long as they may
    run = opened("BLINK", fmi).simulate(times=[0.0, 4.0])
    assert noted(run) == pytest.approx([2.98, 3.02], rel=0.0, abs=1e-12)
    assert run.events == 2


@both
@both_loops
def test_indicator_that_is_no_number_is_an_error_and_no_event(opened, backend, fmi):
    """Its state falls from 1 at one per second: below one half its indicator is no number."""
    own_only(backend, "PyFMI takes it for a change of sign")
    with pytest.raises(PlantValueError, match="event indicator is not finite at t = ") as error:
        opened("BLIND", fmi).simulate(times=[0.0, 1.0])
    assert float(str(error.value).partition("finite at t = ")[2].split()[0]) > 0.5


# ---------------------------------------------------------------------------- jumps of inputs


@forms("RELAY", "LATCHED_RELAY", 3)
def test_relay_follows_a_held_input(opened, form, method, fmi):
    # the jump from 1 to 2 does not switch it, but it is an event
    held = Controls.hold([0.0, 0.3, 0.7, 0.9, 1.1], [[0.0], [1.0], [2.0], [0.0], [1.0]], ["u"])
    run = opened(form, fmi).simulate(times=[0.0, 0.5, 1.0, 1.5], inputs=held, method=method)
    assert noted(run).tolist() == [0.3, 0.9, 1.1]
    assert run.events == run.column("entered")[-1] == 4
    wanted = [0.0, -0.3 + 0.2, -0.3 + 0.6 - 0.1, -0.3 + 0.6 - 0.2 + 0.4]
    assert run.column("x0") == pytest.approx(wanted, rel=0.0, abs=1e-6)


@both_loops
def test_jump_of_a_small_input_is_an_event_as_that_of_a_large_one(opened):
    for size in (1e-15, 1e15):
        held = Controls.hold([0.0, 0.5], [[0.0], [size]], ["u"])
        assert opened("RELAY", 2).simulate(times=[0.0, 1.0], inputs=held).events == 1


@both_loops
@both
def test_relay_driven_by_a_continuous_input_switches_where_it_crosses(opened, fmi):
    ramp = Controls.linear([0.0, 1.0, 2.0], [[0.0], [1.0], [0.0]], ["u"])
    run = opened("RELAY", fmi).simulate(times=[0.0, 2.0], inputs=ramp, **TIGHT)
    assert noted(run) == pytest.approx([0.5, 1.5], rel=0.0, abs=1e-12)
    # a kink is no jump
    assert run.events == 2
    # nor is rounding, by which the two sides of a kink differ
    t = np.linspace(0.0, 1.3, 100)
    low = Controls.linear(t, 0.45 * np.cos(np.arange(100.0) ** 2), ["u"])
    slope, begin = low.coefficients[:, :, 0]
    assert ((begin + slope * np.diff(t))[:-1] != begin[1:]).any()
    assert opened("RELAY", fmi).simulate(times=[0.0, 1.3], inputs=low).events == 0


@both_loops
@both
def test_discrete_inputs_are_set_in_event_mode_only(opened, fmi):
    held = Controls.hold([0.0, 0.25, 0.5], [[1.0], [3.0], [-2.0]], ["i"])
    run = opened("DISCRETE_RELAY", fmi, typed=True).simulate(times=[0.0, 0.5, 1.0], inputs=held)
    assert run.column("wrong")[-1] == 0.0
    assert noted(run).tolist() == [0.0, 0.25, 0.5]
    assert run.column("x0") == pytest.approx([0.0, 1.0, 0.0], abs=1e-9)


# ---------------------------------------------------------------------------- time events


@versions(2)
def test_stair_rises_at_its_times(opened, method, fmi):
    run = opened("STAIR", fmi).simulate(times=np.linspace(0.0, 1.05, 22), method=method)
    assert noted(run).tolist() == [0.1 * n for n in range(1, 11)]
    assert run.events == 10
    assert run.column("x0")[-1] == pytest.approx(0.1 * 45 + 0.05 * 10, rel=0.0, abs=1e-6)


@versions(3)
def test_time_events_between_state_events(opened, method, fmi):
    run = opened("KICKED_BALL", fmi).simulate(times=[0.0, 1.5], method=method, **TIGHT)
    met, height = ball(1.5, kicks=(0.25, 0.5, 0.75))
    assert noted(run) == pytest.approx(met, rel=0.0, abs=WITHIN[method])
    assert run.column("x0")[-1] == pytest.approx(height, rel=0.0, abs=10 * WITHIN[method])


@both_loops
def test_time_event_and_state_event_at_the_same_time(opened):
    # from this height the ball meets the floor just when it is kicked
    start = {"x0": GRAVITY * 0.25**2 / 2}
    run = opened("KICKED_BALL", 2).simulate(times=[0.0, 0.5], start=start, **TIGHT)
    # whether the kick comes just before or just after the floor is for rounding to say
    speed = GRAVITY * 0.25
    ways = [ball(0.25, 0.0, v)[1] for v in (0.7 * speed + 3.0, 3.0 - speed)]
    assert min(abs(run.column("x0")[-1] - way) for way in ways) < 1e-9


@both_loops
@both
def test_events_that_follow_at_the_same_time_are_all_met(opened, fmi):
    run = opened("IMMEDIATE", fmi).simulate(times=[0.0, 1.0])
    assert noted(run).tolist() == [0.5] * 4
    assert run.events == 4
    assert run.column("x0")[-1] == pytest.approx(2.0, abs=1e-9)
    # at the very end too
    assert noted(opened("IMMEDIATE", fmi).simulate(times=[0.0, 0.5])).tolist() == [0.5] * 4


@both_loops
@both_loops
@both
def test_event_announced_for_a_time_that_is_past_happens_now_and_the_next_on_time(
    opened, backend, fmi
):
    own_only(backend, "PyFMI goes to the next event's time, even if it is over")
    run = opened("LATE", fmi).simulate(times=[0.0, 1.0])
    assert noted(run).tolist() == [0.2, 0.2, 0.6]
    assert run.events == 3
    # the integral of the number of events so far
    assert run.column("x0")[-1] == pytest.approx(2 * 0.4 + 3 * 0.4, rel=1e-12)


@both_loops
def test_time_that_is_past_and_announced_again_and_again_is_an_error(opened, backend):
    own_only(backend, "PyFMI goes to the next event's time, even if it is over")
    with pytest.raises(PlantStatusError, match=r"t = 0.5 s it announces an event for t = 0.25 s"):
        opened("PAST", 2).simulate(times=[0.0, 1.0])


# ---------------------------------------------------------------------------- ends


@versions(2)
def test_chattering_plant_is_stopped_with_a_sentence(opened, method, fmi):
    with pytest.raises(PlantStatusError, match=r"chatters at t = 1\b.*events"):
        opened("CHATTER", fmi).simulate(times=[0.0, 2.0], method=method)


@both_loops
@pytest.mark.parametrize(
    ("factor", "form"),
    mostly_further(
        itertools.product([0.4, 0.7, 0.9], ["BALL", "BALL_RESET"]),
        *((0.4, "BALL"), (0.7, "BALL_RESET")),
    ),
)
def test_ball_that_comes_to_rest_is_told_as_chattering(opened, backend, form, factor):
    own_only(backend, "PyFMI looks for events at the ends of steps only")
    rest = math.sqrt(2.0 / GRAVITY) * (1.0 + 2.0 * factor / (1.0 - factor))
    with pytest.raises(PlantStatusError, match="chatters") as told:
        opened(form, 2).simulate(times=[0.0, 10.0], parameters={"k": factor})
    at = float(str(told.value).split("t = ")[1].split(" s")[0])
    # ten digits are told; each event adds its part to the error
    assert at == pytest.approx(rest, rel=0.0, abs=1e-6)


@both_loops
@both
@pytest.mark.parametrize(("form", "end"), [("LIMIT", 1.0), ("LIMIT_STEP", 0.5)])
def test_plant_that_ends_the_simulation_gives_what_there_is(opened, backend, form, end, fmi):
    if form == "LIMIT_STEP":
        own_only(backend, "PyFMI does not see that a completed step is to be the last one")
    times = np.linspace(0.0, 2.0, 41)
    run = opened(form, fmi).simulate(times=times, dense=True)
    assert "the FMU ended the simulation at t = " in run.ended
    told = float(run.ended.split("t = ")[1].split(" s")[0])
    # it may end within a step only where that step ends
    assert told == pytest.approx(1.0, abs=1e-9) if form == "LIMIT" else told >= end
    # an output time where it ends may be before or after, by rounding
    assert run.time.tolist() in (times[times < told + d].tolist() for d in (-1e-9, 1e-9))
    assert run.column("x0") == pytest.approx(1.0 - run.time, abs=1e-9)
    assert run.dense.time[-1] == pytest.approx(told, abs=1e-9)


@both_loops
def test_plant_that_runs_to_the_end_has_not_ended_itself(opened):
    assert opened("STAIR", 2).simulate(times=[0.0, 1.0]).ended == ""


# ---------------------------------------------------------------------------- our numbers


@versions(3)
def test_plant_that_writes_into_its_const_arguments_changes_nothing(opened, method, fmi):
    held = Controls.hold([0.0, 0.5], [[1.0], [2.0]], ["u"])
    run = opened("SCRIBBLER", fmi).simulate(
        times=np.linspace(0.0, 1.0, 5), inputs=held, outputs=["u", "x0"], method=method
    )
    assert run.column("u").tolist() == [1.0, 1.0, 2.0, 2.0, 2.0]
    # the tolerances are 1e-10
    assert run.states[:, 0] == pytest.approx(np.cos(run.time), abs=1e-6)
    assert run.outputs[:, 1] == pytest.approx(np.cos(run.time), abs=1e-6)


@both
def test_plant_that_writes_into_its_const_arguments_is_linearized_where_it_should(opened, fmi):
    result = opened("SCRIBBLER", fmi).directional([1.0, 0.0], [2.0], outputs=["y"])
    # y = u^2
    assert result.D[0, 0] == pytest.approx(4.0, abs=1e-6)


@all_methods
def test_nodes_keep_to_their_side_of_an_event(opened, method):
    run = opened("BALL", 2).simulate(times=[0.0, 1.0], method=method, dense=True, **TIGHT)
    dense, first = run.dense, math.sqrt(2.0 / GRAVITY)
    last = dense.starts[1:] - 1
    jumps = [i for i in last if abs(dense.states[i, 1] - dense.states[i + 1, 1]) > 1e-6]
    assert dense.time[jumps] == pytest.approx([first], rel=0.0, abs=WITHIN[method])
    assert dense.states[jumps[0]] == pytest.approx([0.0, -GRAVITY * first], abs=1e-6)
    assert dense.states[jumps[0] + 1] == pytest.approx([0.0, 0.7 * GRAVITY * first], abs=1e-6)
    # noted by the FMU: what was read before the event must not know of it
    switches = dense.outputs[:, run.output_names.index("switches")]
    assert (switches[: jumps[0] + 1] == 0.0).all()
    assert (switches[jumps[0] + 1 :] == 1.0).all()
    assert run.column("switches").tolist() == [0.0, 1.0]


@both_loops
def test_verification_fails_with_the_sentence_of_a_plant_that_ends_by_itself(tmp_path):
    cart = Path(__file__).parents[1] / "verify" / "cart.py"
    file = tmp_path / "cart.toml"
    text = (
        f'[crane]\nmodel = "{cart}:Cart"\n[path]\nkind = "line"\nstart = [0.0]\ngoal = [GOAL]\n'
        f'duration = 2.0\n[plant]\nfmu = "{event_fmu(tmp_path, "CART", 2)}"\ncertify = false\n'
        '[plant.map.parameters]\nk = "m"\n[plant.map.inputs]\nu = "F"\n'
        '[plant.map.signals]\ns = "x0"\n"v.s" = "x1"\n'
    )
    file.write_text(text.replace("GOAL", "0.4"))
    assert verify_scenario(load_scenario(str(file))).exit_code == 0
    # the wall is at 0.5 m, where the cart is after half of the time
    file.write_text(text.replace("GOAL", "1.0"))
    words = r"the FMU ended the simulation at t = 1(\.\d+)? s, before the end of the run"
    with pytest.raises(PlantStatusError, match=words):
        verify_scenario(load_scenario(str(file)))


@pytest.mark.parametrize("fmi", [2, 3])
def test_single_points_are_evaluated_in_the_branch_that_belongs_to_them(opened, fmi):
    # The relay's branch is chosen in event mode only: without it every point has that of the start,
    # and a certificate would not see what an event switches.
    plant = opened("RELAY", fmi)
    u = np.array([[0.0], [1.0], [0.0], [1.0]])
    x = np.zeros((4, 1))
    rates, _ = plant.derivatives(x, u)
    assert rates[:, 0].tolist() == [-1.0, 1.0, -1.0, 1.0]
    assert plant.rates(x, u, outputs=["y"]).derivatives[:, 0].tolist() == [-1.0, 1.0, -1.0, 1.0]
