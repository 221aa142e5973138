"""Many runs in one instance that is reset: each is the run of a new instance, bit by bit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmu_driver import Exported
from foreign import misbehaving_fmu

from cranebridge.plant.child.kept_instance import AGAIN, COMPARED
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.sandbox.child_process import PlantError
from cranebridge.plant.sandbox.plant_results import Simulation

Build = Callable[[str, int], Exported]

TIMES = np.linspace(0.0, 1.0, 11)
RUNS = COMPARED + 3


def arguments(count: int, parameter: str, given: str) -> list[dict[str, Any]]:
    """Runs with another parameter and other controls each."""
    rng = np.random.default_rng(1)
    knots = np.linspace(0.0, 1.0, 4)
    return [
        {
            "times": TIMES,
            "parameters": {parameter: rng.uniform(0.5, 2.0)},
            "inputs": Controls.linear(knots, rng.normal(size=(4, 1)), [given]),
        }
        for _ in range(count)
    ]


def simulate(
    path: Path, runs: Sequence[dict[str, Any]], persistent: bool, **options: Any
) -> list[Simulation]:
    dense = options.get("interface", "me") == "me"
    with Plant(path, persistent=persistent, **options) as plant:
        return [plant.simulate(**run, dense=dense) for run in runs]


def same(one: Simulation, other: Simulation) -> bool:
    pairs = [(one.outputs, other.outputs), (one.states, other.states)]
    if one.dense is not None and other.dense is not None:
        names = ("time", "outputs", "states")
        pairs += [(getattr(one.dense, n), getattr(other.dense, n)) for n in names]
    return one.steps == other.steps and all(np.array_equal(a, b) for a, b in pairs)


@pytest.mark.parametrize(("fmi", "interface"), [(2, "me"), (2, "cs"), (3, "me")])
def test_a_run_after_a_reset_is_that_of_a_new_instance(
    exported: Build, fmi: int, interface: str
) -> None:
    path, runs = exported("pendulum", fmi).path, arguments(RUNS, "m", "tau")
    kept = simulate(path, runs, True, interface=interface)
    fresh = simulate(path, runs, False, interface=interface)
    assert [run.set_back for run in kept] == [False] + [True] * (RUNS - 1)
    assert not any(run.set_back for run in fresh)
    assert all(map(same, kept, fresh))
    assert not same(kept[-1], kept[-2])


def test_events_of_a_run_are_gone_after_a_reset(exported: Build) -> None:
    path = exported("stairs", 2).path
    runs = [{"times": np.linspace(0.0, 1.0 + 0.1 * k, 5)} for k in range(4)]
    kept, fresh = (simulate(path, runs, persistent) for persistent in (True, False))
    assert kept[-1].set_back
    assert kept[-1].events
    assert all(map(same, kept, fresh))


@pytest.mark.parametrize("behaviour", ["FORGETS", "NO_RESET"])
def test_an_fmu_that_cannot_be_reset_gets_new_instances(tmp_path: Path, behaviour: str) -> None:
    runs = arguments(RUNS, "k", "u")
    kept = simulate(misbehaving_fmu(tmp_path, behaviour), runs, True)
    fresh = simulate(misbehaving_fmu(tmp_path, "GOOD"), runs, False)
    assert not any(run.set_back for run in kept)
    assert all(map(same, kept, fresh))


def test_a_run_that_is_repeated_proves_nothing_of_a_reset(tmp_path: Path) -> None:
    # Without input the plant stays where it is, whatever it forgets.
    still = {"times": TIMES, "inputs": Controls.constant([0.0], ["u"])}
    moving = {**still, "inputs": Controls.constant([1.0], ["u"])}
    runs = [still] * (COMPARED + 2) + [moving] * 3
    kept = simulate(misbehaving_fmu(tmp_path, "FORGETS"), runs, True)
    assert [run.outputs[-1, 0] for run in kept[-3:]] == pytest.approx([1.0, 1.0, 1.0])


def test_a_reset_that_forgets_later_is_told_with_the_remedy(tmp_path: Path) -> None:
    path, runs = misbehaving_fmu(tmp_path, "FORGETS_LATE"), arguments(AGAIN + 1, "k", "u")
    with Plant(path, persistent=True) as plant:
        for run in runs[:-1]:
            plant.simulate(**run)
        with pytest.raises(PlantError, match=r"its reset forgets something.*plant\.reset = false"):
            plant.simulate(**runs[-1])
        assert not plant.simulate(**runs[-1]).set_back  # in a new child


def test_a_crash_ends_the_kept_instance_and_nothing_else(tmp_path: Path) -> None:
    path = misbehaving_fmu(tmp_path, "LATE_NAN")
    short = {"times": 0.4 * TIMES, "inputs": Controls.constant([1.0], ["u"])}
    with Plant(path, persistent=True) as plant:
        first = plant.simulate(**short)
        with pytest.raises(PlantError):
            plant.simulate(**{**short, "times": TIMES})
        again = [plant.simulate(**short) for _ in range(2)]
    assert [run.set_back for run in again] == [False, True]
    assert all(same(first, run) for run in again)
