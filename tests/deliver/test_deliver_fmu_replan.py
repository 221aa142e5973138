"""The feedforward as an FMU: new goals and stops while moving."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
from feedforward_driver import Driver, start_values

from cranebridge.deliver import DeliveryOrder, deliver
from roomy_limits import limits_around

MOVING, DONE, NO_DURATION, BUSY = 0, 1, -15, -7
WAYS = [(fmi, kind) for fmi in ("2.0", "3.0") for kind in ("me", "cs")]
CONTROLS = ("F_t", "M_w")


@pytest.fixture(scope="module")
def made():
    return {}


@pytest.fixture
def fmu(made, solved, tmp_path_factory):
    """A running FMU of the overhead crane with limits on everything, triggered at its start."""

    @contextmanager
    def run(fmi, kind, **values):
        if fmi not in made:
            feedforward, tables = solved("overhead", 0.01)
            options = {"limits": limits_around(feedforward), "allow_violations": True}
            made[fmi] = tmp_path_factory.mktemp("fmu") / "overhead.fmu"
            deliver(
                feedforward, DeliveryOrder("fmu", made[fmi], scenario=tables, fmi=fmi, **options)
            )
        folder = tmp_path_factory.mktemp("unpacked")
        driver = Driver(made[fmi], folder, kind, **({"trigger": True} | values))
        if kind == "me":
            driver.raw.enterContinuousTimeMode()
        try:
            yield driver
        finally:
            driver.close()

    return run


def wish(driver, name, **values):
    """Let an input rise at the present time."""
    if driver.kind == "me":
        driver.raw.enterEventMode()
    driver.set(**{name: False})
    if driver.kind == "me":
        driver.event()
    else:
        driver.status  # noqa: B018 - the FMU sees what is set when it is asked for something
    driver.set(**values, **{name: True})
    if driver.kind == "me":
        driver.next_event = driver.event()
        driver.raw.enterContinuousTimeMode()


@pytest.mark.parametrize(("fmi", "kind"), WAYS)
def test_new_goals_and_stops_continue_the_motion(fmu, fmi, kind):
    """The controls do not jump; the load comes to rest, the second time at the goal."""
    with fmu(fmi, kind) as driver:
        ranges = np.ptp(driver.table(np.linspace(0.0, 1.3, 27), CONTROLS), axis=0)
        for name, until in (("stop", 1.5), ("replan", 20.0)):
            before = driver.get(driver.names())
            wish(driver, name, **start_values((1.0, -3.0), "goal", "xz"))
            assert driver.status == MOVING
            after = driver.get(driver.names())
            assert (np.abs(after - before)[:2] <= 1e-9 * ranges).all()
            assert after[2:] == pytest.approx(before[2:], abs=1e-9)
            for time in np.linspace(driver.time, until, 30)[1:]:
                driver.go(time)
                driver.get(driver.names())
        assert driver.status == DONE
        assert driver.get(["gamma_x", "gamma_z"]) == pytest.approx([1.0, -3.0], abs=1e-12)
        assert driver.get(["ref_v_s"]) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("fmi", "kind"), WAYS)
def test_the_slopes_of_a_continued_motion_are_those_of_its_controls(fmu, fmi, kind):
    """The outputs over time fit together: differences of the path are its velocity."""
    with fmu(fmi, kind) as driver:
        driver.go(1.0)
        wish(driver, "stop")
        h, times = 1e-4, np.linspace(1.05, 1.9, 18)
        around = np.sort(np.concatenate([times - h, times, times + h]))
        table = driver.table(around, ["ref_s", "ref_v_s"])
        differences = (table[2::3, 0] - table[0::3, 0]) / (2 * h)
        # of second order: h^2 / 6 times a jerk of some 10 m/s^3
        assert differences == pytest.approx(table[1::3, 1], abs=1e-6)


@pytest.mark.parametrize(("fmi", "kind"), WAYS)
def test_what_is_refused_while_moving_changes_nothing(fmu, fmi, kind):
    times = np.linspace(0.0, 3.0, 61)
    with fmu(fmi, kind) as driver:
        alone = driver.table(times, CONTROLS)
    with fmu(fmi, kind) as driver:
        first = driver.table(times[:20], CONTROLS)
        wish(driver, "replan", **start_values((500.0, -3.0), "goal", "xz"))
        assert driver.status == NO_DURATION
        second = driver.table(times[20:40], CONTROLS)
        driver.trigger()
        assert driver.status == BUSY
        third = driver.table(times[40:], CONTROLS)
    assert np.vstack([first, second, third]) == pytest.approx(alone, rel=1e-11, abs=1e-9)


def test_a_triggered_motion_may_take_the_shortest_time(fmu):
    with fmu("2.0", "cs", shortest=True, duration=30.0) as driver:
        assert driver.status == MOVING
        driver.go(2.0)
        assert driver.status == MOVING
        driver.go(2.99)  # the limits have room around a motion of 3 s
        assert driver.status == DONE


def test_a_stop_goes_before_a_new_goal(fmu):
    with fmu("2.0", "cs") as driver:
        driver.go(1.0)
        driver.set(replan=True, stop=True, goal_x=4.0, goal_z=-2.0)
        driver.go(20.0)
        assert driver.status == DONE
        assert abs(driver.get(["gamma_x"])[0] - 4.0) > 0.1


def test_at_rest_a_new_goal_needs_no_start(fmu):
    with fmu("2.0", "cs", trigger=False) as driver:
        driver.go(1.0)
        wish(driver, "replan", goal_x=2.0, goal_z=-3.0)
        assert driver.status == MOVING
        driver.go(30.0)
        assert driver.status == DONE
        assert driver.get(["gamma_x", "gamma_z"]) == pytest.approx([2.0, -3.0], abs=1e-12)
