"""Whatever a binary does, the parent gets an error with the FMU's log and goes on."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from foreign import description, misbehaving_fmu, write_fmu

from cranebridge.errors import CranebridgeError, InputError
from cranebridge.plant.controls import Controls
from cranebridge.plant.plant import Plant
from cranebridge.plant.results import Simulation
from cranebridge.plant.sandbox import (
    PlantCrashError,
    PlantError,
    PlantStatusError,
    PlantTimeoutError,
    PlantValueError,
)

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


@pytest.mark.parametrize("behaviour", ["LOOP", "SLEEP", "FLOOD"])
def test_endless_calls_are_stopped_after_the_time_limit(fmu, behaviour):
    path = fmu(behaviour)
    begin = time.monotonic()
    with pytest.raises(PlantTimeoutError, match=r"did not answer within 1\.5 s"):
        run(path, timeout=1.5)
    assert time.monotonic() - begin < 8.0


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
