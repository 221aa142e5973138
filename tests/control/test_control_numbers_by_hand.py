"""Small numbers of a control by hand: bounds of inputs, windows, what a filter does not know."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from test_observed_margins import design as observed_design
from test_speed_observer import Cart, cart, overhead

from cranebridge.control.analysis.frozen import LawAndMotion
from cranebridge.control.analysis.loop_check import LoopCheck, _verdict
from cranebridge.control.analysis.margins import Margins, Span, poles
from cranebridge.control.analysis.observed_loop import observed_at
from cranebridge.control.design.compensation import compensated_law
from cranebridge.control.design.drive_loops import DriveGains, drive_law
from cranebridge.control.design.input_bounds import input_limits
from cranebridge.control.design.stiffness import Ends
from cranebridge.control.model.reference_motion import ReferenceMotion
from cranebridge.control.observer.drive_places import drive_hold, known_places
from cranebridge.control.observer.observability import observability_at
from cranebridge.control.simulation.loop_motion import Deviations, open_loop, simulate_loop
from cranebridge.forward.linearisation import linearise
from cranebridge.inverse.speed_drives import SpeedDrive
from cranebridge.limits import Limits, Range
from cranebridge.twin import find_crane


@pytest.mark.parametrize(
    ("torque", "least", "most"),
    [
        # a winch that holds keeps its sign, whichever that is
        ((-100.0, -60.0), -1000.0, 0.0),
        ((60.0, 100.0), 0.0, 1000.0),
        # one that falls below half of its largest magnitude, or pulls both ways, does not
        ((-100.0, -40.0), -1000.0, 1000.0),
        ((40.0, 100.0), -1000.0, 1000.0),
        ((-100.0, 60.0), -1000.0, 1000.0),
    ],
)
def test_input_without_limits_reaches_ten_times_what_is_asked_of_it(torque, least, most) -> None:
    u = np.column_stack([[10.0, -20.0], torque])
    reference: Any = SimpleNamespace(crane=find_crane("overhead"), forces=u)
    low, high = input_limits(reference, Limits())
    assert (low.tolist(), high.tolist()) == ([-200.0, least], [200.0, most])
    low, high = input_limits(reference, Limits(u={"M_w": Range(-150.0, 30.0)}))
    assert (low.tolist(), high.tolist()) == ([-200.0, -150.0], [200.0, 30.0])


def test_window_begins_when_asked_also_where_a_motion_begins_before_its_path() -> None:
    design = cart()
    observer = design.observer
    assert observer is not None
    early = replace(design.reference, time=design.reference.time - 0.5)
    found = observability_at(observer, early, begin=0.25, window=0.5)
    assert (found.time, found.window) == pytest.approx((0.25, 0.5))


def test_payload_that_is_half_as_heavy_again_is_not_known_of_a_winch() -> None:
    """Its torque then is larger by m g r / 2, which its integral ki e must hold."""
    design, observer = overhead()
    p, (trolley, winch) = design.reference.parameters, observer.motion.drives
    assert (trolley.coordinate, winch.coordinate) == ("s", "l")
    sizes = known_places(design.reference, observer.motion).sizes
    weight = 0.5 * p["m"] * p["g"] * p["r"]
    assert sizes[1] == pytest.approx(weight / abs(winch.ki))


@pytest.mark.parametrize(("pole", "status"), [(-1.0, "passed"), (5e-5, "passed"), (2e-4, "failed")])
def test_pole_on_the_limit_is_allowed_the_rounding_of_a_sample(pole, status) -> None:
    """A millionth of |z| in 10 ms: 1e-4 1/s."""
    found = _verdict("loop", pole, 0.01)
    assert (found.status, found.value, found.margin) == (status, pole, -pole)


def test_margins_are_told_in_the_units_of_their_titles() -> None:
    """12 ms of delay, 50 ms of lag, half to twice a payload of 100 kg, a swing to per cent."""
    structured = {
        "parameter.m": Span(0.5, 2.0),
        "lag": Span(0.0, 0.05, open_above=True),
        "swing": Span(0.873, 1.13),
    }
    gain = {"u.F_t": Span(0.25, 100.0, open_above=True)}
    one = Margins(1.5, True, gain, Span(0.0, 0.012), 1.234, structured)
    lost = Margins(2.0, False, {}, Span(0.0, 0.0), np.inf, {})
    sizes = ({"parameter.m": 100.0},) * 2
    loop = LoopCheck(find_crane("overhead"), "lqr", sizes, {}, (one, lost), (), ())
    titles, rows = loop.margin_table()
    assert titles == ["stable for", "at 1.5 s", "at 2 s"]
    assert [row[1] for row in rows] == ["0.25..>100", "12", "50..200", ">50", "0.873..1.13", "1.23"]
    assert {row[2] for row in rows} == {"unstable"}


def test_payload_is_left_to_drives_that_hold_their_speed_and_wind_is_not() -> None:
    design, observer = overhead()
    law = compensated_law(design, observer)
    assert law.disturbances == ("force.x", "parameter.m")
    assert np.abs(law.K_disturbance[:, :, 0]).max() > 0.0
    assert (law.K_disturbance[:, :, 1] == 0.0).all()


@pytest.mark.parametrize("row", [0, -1])
def test_drives_stand_still_where_wind_holds_the_load_aside_of_its_trolley(row) -> None:
    """By l / (m g) for each newton: the load is in its place, and all references are zero."""
    design, observer = overhead()
    law, p = compensated_law(design, observer), design.reference.parameters
    coordinates = [one.name for one in law.crane.coordinates]
    q = np.zeros(len(coordinates))
    length = design.reference.q[row, coordinates.index("l")]
    q[coordinates.index("s")] = -length / (p["m"] * p["g"])
    asked = law.K[row, :, : q.size] @ q
    assert np.abs(asked).max() > 0.0
    assert law.K_disturbance[row, :, 0] == pytest.approx(-asked, rel=1e-9)


CART_CYCLE, CART_MASS = 0.01, 2.0


def cart_at_rest(lead: float = 0.0) -> ReferenceMotion:
    none = np.zeros((11, 1))
    time = CART_CYCLE * np.arange(11.0)
    return ReferenceMotion(Cart(), {"m": CART_MASS}, CART_CYCLE, lead, time, *[none] * 6)


@pytest.mark.parametrize("gain", [10.0, -10.0])
@pytest.mark.parametrize(("off", "refused"), [(4.9, False), (5.1, True)])
def test_place_that_is_beyond_all_sense_is_refused_whatever_sign_its_gain_has(
    gain, off, refused
) -> None:
    """Five times one metre, where the motion is smaller than that."""
    reference = cart_at_rest()
    law = open_loop(reference)
    law = replace(law, K=np.tile([gain, 0.0], (len(law.time), 1, 1)))
    found = simulate_loop(reference, law, 0.01, Deviations(q=[off]))
    assert found.u[0, 0] == pytest.approx(0.0 if refused else -gain * off)


def test_loops_of_drives_are_as_late_as_the_controller_computes() -> None:
    """A cart whose force acts one cycle later: place, speed, sum and last force, z by hand."""
    reference, position, speed, integral = cart_at_rest(lead=CART_CYCLE), 50.0, 20.0, 30.0
    law = drive_law(reference, {"s": DriveGains(position, speed, integral)})
    model = linearise(law.crane, reference.parameters, *[reference.q] * 3, reference.time)
    h, m = CART_CYCLE, CART_MASS
    moves = [
        [1.0, h, 0.0, h**2 / (2.0 * m)],
        [0.0, 1.0, 0.0, h / m],
        [h, 0.0, 1.0, 0.0],
        [-position, -speed, -integral, 0.0],
    ]
    found = np.exp(h * poles(LawAndMotion(law, reference, model), 0))
    wanted = np.linalg.eigvals(moves).astype(complex)
    assert np.sort_complex(found) == pytest.approx(np.sort_complex(wanted), rel=1e-9)


def test_speed_drive_begins_with_the_force_that_holds_its_crane_at_the_start() -> None:
    crane: Any = find_crane("overhead")
    u = np.array([[0.0, -40.0], [5.0, -50.0], [0.0, -60.0]])
    reference: Any = SimpleNamespace(crane=crane, u=u)
    drives = [SpeedDrive("M_w", "l", 20.0), SpeedDrive("F_t", "s", 30.0)]
    assert drive_hold(reference, drives) == (-40.0, 0.0)


@pytest.mark.parametrize("kind", ["lqr", "lqi"])
def test_inputs_under_way_move_nothing_of_what_is_predicted(kind) -> None:
    """The law acts on the state as it will be: past inputs then act on no other state."""
    made = observed_design(kind, 0.0075)
    loop = observed_at(made, made.observer, -1).remembered()
    _, parts = loop._predicted()
    first = len(loop.shift)
    assert first < len(loop.closed)
    assert parts[:first, first:].max() < 1e-6


@pytest.mark.parametrize(("room", "enough"), [(0.07, True), (0.06, False)])
def test_load_that_is_off_both_ways_asks_for_the_sum_of_both(room, enough, monkeypatch) -> None:
    """Gains of 1 N/m each, a travel of 10 m: 1 % off asks for 0.2 N, of three times the room."""
    monkeypatch.setattr(
        "cranebridge.control.design.stiffness._load_off", lambda model, row: np.eye(2)
    )
    nothing: Any = None
    ends = Ends(nothing, nothing, nothing, (0, 9), np.array([[1.0], [room]]))
    gains = [np.array([[1.0, -1.0, 99.0]])] * 2  # 99 of an integral, which has nothing to say
    assert ends.reach(gains, 10.0) == enough
