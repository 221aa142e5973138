"""Whatever a binary does, the parent gets an error with the FMU's log and goes on."""

from __future__ import annotations

import functools
import hashlib
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from foreign import description, misbehaving_fmu, write_fmu

from cranebridge.errors import CranebridgeError, InputError
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol import wire
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.sandbox import host
from cranebridge.plant.sandbox.child_process import (
    PlantCrashError,
    PlantError,
    PlantStatusError,
    PlantTimeoutError,
    PlantValueError,
    Sandbox,
)
from cranebridge.plant.sandbox.plant_results import Simulation

pytestmark = pytest.mark.usefixtures("own_children")

RAMP = Controls.linear([0.0, 1.0], [[0.0], [1.0]], ["u"])
TIMES = np.linspace(0.0, 1.0, 11)
Build = Callable[..., Path]


@pytest.fixture(scope="module")
def fmu(tmp_path_factory: pytest.TempPathFactory) -> Build:
    directory = tmp_path_factory.mktemp("misbehaving")
    return lambda behaviour, *sizes: misbehaving_fmu(directory, behaviour, *sizes)


def run(path: Path, interface: str = "me", **limits: float) -> Simulation:
    with Plant(path, interface=interface, **limits) as plant:
        return plant.simulate(times=TIMES, inputs=RAMP)


def test_the_plant_that_behaves_is_simulated(fmu):
    assert run(fmu("GOOD")).outputs[-1, 0] == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize(
    ("behaviour", "interface", "error", "words"),
    [
        ("ABORT", "me", PlantCrashError, "SIGABRT(.|\n)*about to abort in call 1"),
        ("ABORT", "cs", PlantCrashError, "SIGABRT(.|\n)*about to abort in call 1"),
        ("SEGFAULT", "me", PlantCrashError, "SIGSEGV"),
        ("EXIT", "cs", PlantCrashError, "exit code 7"),
        ("FORK", "me", PlantCrashError, "SIGABRT"),
        ("NOT_A_NUMBER", "me", PlantValueError, r"der\(x\) is nan at t = 0 s"),
        ("NOT_A_NUMBER", "cs", PlantValueError, "y is nan at t = 0.1 s"),
        ("LATE_NAN", "me", PlantValueError, r"der\(x\) is not finite after t = 0.5 s"),
        ("ERROR_STATUS", "me", PlantStatusError, "returned 3 (.|\n)*cannot do it in call 1"),
        ("ODD_STATUS", "cs", PlantStatusError, "returned 17"),
        ("NEGATIVE_STATUS", "me", PlantStatusError, "returned -3"),
        ("NO_INSTANCE", "me", PlantStatusError, "licence number 42 has run out"),
        ("WRONG_VERSION", "me", PlantStatusError, "FMI version '1.0'"),
    ],
)
def test_misbehaviour_is_an_error_with_the_log(fmu, behaviour, interface, error, words):
    with pytest.raises(error, match=words) as raised:
        run(fmu(behaviour), interface, timeout=30.0)
    assert isinstance(raised.value, CranebridgeError)


class Clock:
    """A clock that goes on by a tick whenever it is looked at."""

    def __init__(self, tick: float) -> None:
        self.readings: list[float] = []
        self._tick = tick

    def __call__(self) -> float:
        self.readings.append(1000.0 + self._tick * len(self.readings))
        return self.readings[-1]


@pytest.mark.parametrize(
    ("behaviour", "tick"), [("LOOP", 16.0), ("SLEEP", 16.0), ("FLOOD", 16.0), ("DRIBBLE", 0.25)]
)
def test_endless_calls_are_stopped_when_the_clock_reaches_the_time_limit(
    fmu, behaviour, tick, monkeypatch
):
    clock = Clock(tick)
    monkeypatch.setattr(host, "Sandbox", functools.partial(Sandbox, clock=clock))
    with pytest.raises(PlantTimeoutError, match=r"did not answer within 64 s"):
        run(fmu(behaviour), timeout=64.0)
    # the first reading is when the call began, the last one when it was given up
    assert clock.readings[-1] - clock.readings[0] == 64.0


class Halting:
    """A channel on which one byte a call comes; it keeps what it was told to wait."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def settimeout(self, seconds: float) -> None:
        self.waits.append(seconds)

    def recv_into(self, view: memoryview) -> int:
        view[0] = 1
        return 1


def test_an_answer_that_comes_in_crumbs_is_given_up_at_the_deadline():
    channel, clock = Halting(), Clock(0.5)
    with pytest.raises(TimeoutError):
        wire.receive(channel, deadline=1002.0, clock=clock)
    assert channel.waits == [2.0, 1.5, 1.0, 0.5]
    assert clock.readings[-1] == 1002.0


def reported(path: Path, **limits: float) -> dict[str, int]:
    """The limits of the process in which the FMU runs, as the FMU itself sees them."""
    log = run(path, **limits).log
    pairs = [line.removeprefix("[ok] logAll: ").split() for line in log]
    return {name: int(value) for name, value in pairs}


@pytest.mark.parametrize(("timeout", "memory"), [(10_000.0, 2**31), (30_000.0, 700 * 2**20)])
def test_the_child_limits_its_own_memory_time_and_files(fmu, timeout, memory):
    found = reported(fmu("REPORT"), timeout=timeout, memory=memory)

    def at_most(kind: int, value: int) -> int:
        hard = resource.getrlimit(kind)[1]
        return value if hard == resource.RLIM_INFINITY else min(value, hard)

    assert found["memory"] == at_most(resource.RLIMIT_AS, memory)
    assert found["file"] == at_most(resource.RLIMIT_FSIZE, 256 * 2**20)
    assert found["core"] == 0
    # What was used before the call comes on top, rounded up, and a second.
    assert timeout < found["cpu"] <= timeout + found["used"] + 2
    # The timer runs since the request came: five seconds after the parent it ends the process. Its
    # begin is not seen, but that it is there and not longer; half of it has not gone by now.
    assert 0.5 * timeout < found["timer"] <= timeout + 5.0


def test_the_limits_hold_for_later_calls_and_for_the_next_child(fmu):
    with Plant(fmu("REPORT"), timeout=10_000.0) as plant:
        logs = [plant.simulate(times=TIMES, inputs=RAMP).log for _ in range(2)]
        os.kill(plant._host._sandbox._process.pid, signal.SIGKILL)
        with pytest.raises(PlantCrashError):
            plant.simulate(times=TIMES, inputs=RAMP)
        logs.append(plant.simulate(times=TIMES, inputs=RAMP).log)  # in a new child
    timers = [int(line.split()[-1]) for log in logs for line in log if "timer" in line]
    assert len(timers) == 3
    assert all(5_000 < timer <= 10_005 for timer in timers)


def test_endless_allocation_ends_at_the_memory_limit(fmu):
    with pytest.raises(PlantCrashError, match=r"memory limit of 512 MiB(.|\n)*no memory in call"):
        run(fmu("ALLOCATE"), memory=512 * 2**20)


def test_parent_goes_on_after_a_crash_and_leaves_nothing_behind(fmu, tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    descriptors = len(os.listdir("/proc/self/fd"))
    path = fmu("ABORT")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    with Plant(path) as plant:
        for _ in range(2):
            with pytest.raises(PlantCrashError):
                plant.simulate(times=TIMES, inputs=RAMP)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest == plant.info.sha256
    assert len(os.listdir("/proc/self/fd")) == descriptors
    assert list(tmp_path.iterdir()) == []


def test_binary_that_is_no_library_is_an_error(tmp_path):
    path = write_fmu(tmp_path / "a.fmu", description(), b"this is no ELF file")
    with pytest.raises(PlantError, match="Failed to load shared library"):
        run(path)


def test_messages_of_the_fmu_are_kept_with_their_arguments_filled_in(fmu):
    assert run(fmu("CHATTY")).log == ("[ok] logAll: hello 7",)


def test_a_discarded_evaluation_makes_the_step_smaller(fmu):
    result = run(fmu("DISCARD_LARGE_STEPS"))
    assert result.rejected > 0
    assert result.outputs[-1, 0] == pytest.approx(0.5, abs=1e-8)


def test_wrong_names_get_the_closest_match(fmu):
    with Plant(fmu("GOOD")) as plant:
        with pytest.raises(InputError, match="unknown output"):
            plant.simulate(times=TIMES, outputs=["yy"])
        with pytest.raises(InputError, match=r"unknown parameter .*'kk'"):
            plant.simulate(times=TIMES, parameters={"kk": 1.0})
        with pytest.raises(InputError, match="unknown input"):
            plant.simulate(times=TIMES, inputs=Controls.constant([1.0], ["force"]))
        with pytest.raises(InputError, match="not finite"):
            plant.simulate(times=TIMES, parameters={"k": float("nan")})
        with pytest.raises(InputError, match="increasing"):
            plant.simulate(times=[0.0, 0.0, 1.0])
    with pytest.raises(InputError, match="unknown interface"):
        Plant(fmu("GOOD"), interface="xx")


# ---------------------------------------------------------------------------- events


def test_bouncing_ball_meets_the_ground_twice(fmu):
    with Plant(fmu("BOUNCE", 2, 1)) as plant:
        result = plant.simulate(times=TIMES)
    fall = np.sqrt(2.0 / 9.81)
    speed = 0.25 * 9.81 * fall
    flight = 1.0 - 2.0 * fall
    wanted = [speed * flight - 9.81 * flight**2 / 2, speed - 9.81 * flight]
    assert result.states[-1] == pytest.approx(wanted, abs=1e-9)


def test_time_event_is_met_exactly(fmu):
    result = run(fmu("TIME_EVENT"))
    assert result.events == 1
    assert result.outputs[-1, 0] == pytest.approx(0.5 + 0.7, abs=1e-12)


def test_the_file_for_the_simulated_time_can_be_made_neither_smaller_nor_larger() -> None:
    child = Sandbox(60.0, 2 * 2**30)
    try:
        for size in (0, 2**20):
            with pytest.raises(PermissionError):
                os.ftruncate(child._reached.fileno(), size)
        os.pwrite(child._reached.fileno(), b"\xff" * 8, 0)  # what is no number is no time
        assert np.isnan(child._reached_time())
    finally:
        child.close()
