"""Emergency stops of the safe ready scenarios at random times, each verified on its FMU.

The limits of inputs, speeds, accelerations and ropes are 1.2 times the extremes of the motion
itself. Run it with ``.venv/bin/python benchmarks/stops.py [--times 20] [SCENARIO ...]``; it prints
the table of ``docs/planning.md``.
"""

from __future__ import annotations

import argparse
import time as clock
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cranebridge.errors import CranebridgeError
from cranebridge.inverse.index1 import solve_index1, structure_of
from cranebridge.inverse.problem import time_grid
from cranebridge.inverse.sampling import signals
from cranebridge.job.planning import replan
from cranebridge.job.solving import check_scenario
from cranebridge.job.verifying import verify_scenario
from cranebridge.limits.solution import solution_motion
from cranebridge.scenario import Scenario, load_scenario, ready_scenarios

FACTOR = 1.2
SEED = 12
GROUPS = ("u", "v", "a", "rope")
# A signal below this part of the largest of its unit is rounding, and gets no limit.
NOTHING = 1e-6
# What a stop must reach on the plant [m, rad].
STILL = 1e-6
# Fast motions are judged between the plant's samples.
SETTINGS = ("solve.step=0.001", "plant.step=0.001")


@dataclass(frozen=True)
class Stop:
    """One emergency stop.

    Attributes
    ----------
    time : float
        When it begins [s].
    duration, seconds : float
        How long it takes, and how long planning took [s].
    swing : float
        Of the load on the plant after the end [m].
    problem : str
        What went wrong; empty if nothing did.
    """

    time: float
    duration: float = np.nan
    seconds: float = np.nan
    swing: float = np.nan
    problem: str = ""


def limits_of_motion(scenario: Scenario, factor: float = FACTOR) -> dict[str, Any]:
    """Return limits from the extremes of a scenario's own motion, as a ``[limits]`` table.

    The magnitude of a signal may become `factor` times as large. One that keeps its sign, such as
    the force in a rope, may also become smaller by that factor, and no more.
    """
    solution = solve_index1(
        scenario.problem, time_grid(scenario.problem.path.duration, scenario.tables.solve.step)
    )
    every = [s for s in signals(scenario.crane).values() if s.group in GROUPS]
    values = solution_motion(solution, every).values
    limits: dict[str, Any] = {group: {} for group in GROUPS}
    for signal in every:
        low, high = values[signal.title].min(), values[signal.title].max()
        alike = [s.title for s in every if (s.group, s.unit) == (signal.group, signal.unit)]
        if max(-low, high) <= NOTHING * max(np.abs(values[title]).max() for title in alike):
            continue
        if low > 0.0:
            bound: float | list[float] = [float(low / factor), float(high * factor)]
        elif high < 0.0:
            bound = [float(low * factor), float(high / factor)]
        elif signal.group == "rope":
            bound = [0.0, float(high * factor)]
        else:
            bound = float(factor * max(-low, high))
        limits[signal.group][signal.name] = bound
    return limits


def limited(scenario: Scenario, factor: float = FACTOR) -> Scenario:
    """Return a scenario with the limits of its own motion; what it says of coordinates stays."""
    tables = scenario.tables
    table = {**tables.limits.model_dump(), **limits_of_motion(scenario, factor)}
    limits = type(tables.limits).model_validate(table)
    return replace(scenario, tables=tables.model_copy(update={"limits": limits}))


def stop(scenario: Scenario, time: float) -> Stop:
    """Stop a motion at a time, and drive the FMU so."""
    started = clock.process_time()
    try:
        stopped = replan(scenario, time, None, lambda share: None)
    except CranebridgeError as error:
        return Stop(time, seconds=clock.process_time() - started, problem=str(error))
    seconds = clock.process_time() - started
    duration = stopped.problem.path.duration
    try:
        verified = verify_scenario(stopped)
    except CranebridgeError as error:
        return Stop(time, duration, seconds, problem=str(error))
    assert verified.tracking is not None
    swing = verified.tracking.residual_swing
    assert swing is not None
    bad = [v.message for v in verified.verdicts if not v.passed]
    if swing > STILL:
        bad.append(f"the load swings by {swing:.2g} m")
    return Stop(time, duration, seconds, swing, "; ".join(bad))


def random_times(scenario: Scenario, count: int) -> list[float]:
    """Return times of a scenario's motion, the same in every run."""
    rng = np.random.default_rng(SEED)
    return sorted((scenario.problem.path.duration * rng.random(count)).tolist())


def safe_scenarios() -> list[str]:
    """Return the ready scenarios whose crane is flat and whose motion passes all verdicts.

    Those whose plant is meant to differ from the twin, or is driven by references, are left out:
    what is left of their swing says nothing about planning.
    """
    found = []
    for name in ready_scenarios():
        scenario = load_scenario(name)
        plant = scenario.tables.plant
        if plant.drives or plant.parameters or not structure_of(scenario.problem).flat:
            continue
        if check_scenario(scenario).exit_code == 0:
            found.append(name)
    return found


def row(name: str, stops: Sequence[Stop]) -> str:
    """Return the row of the table."""
    good = [one for one in stops if not one.problem]
    if not good:
        return f"| `{name}` | 0 of {len(stops)} | | | |"
    durations = [one.duration for one in good]
    return (
        f"| `{name}` | {len(good)} of {len(stops)} | {min(durations):.2f} to "
        f"{max(durations):.2f} | {max(one.seconds for one in stops):.1f} | "
        f"{max(one.swing for one in good):.0e} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenarios", nargs="*")
    parser.add_argument("--times", type=int, default=20)
    options = parser.parse_args()
    print("| scenario | stopped | duration [s] | longest planning [s] | largest swing [m] |")
    print("|---|---|---|---|---|")
    for name in options.scenarios or safe_scenarios():
        scenario = limited(load_scenario(name, SETTINGS))
        stops = [stop(scenario, time) for time in random_times(scenario, options.times)]
        print(row(name, stops), flush=True)
        for one in stops:
            if one.problem:
                print(f"<!-- {name} at {one.time:.6f} s: {one.problem} -->", flush=True)


if __name__ == "__main__":
    main()
