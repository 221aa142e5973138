"""Emergency stops of the safe ready scenarios at random times, each verified on its FMU.

The limits of inputs, speeds, accelerations and ropes are 1.2 times the extremes of the motion
itself. Run it with ``.venv/bin/python benchmarks/stops.py [--times 20] [SCENARIO ...]``; it prints
the table of ``docs/planning-figures.md``.
"""

from __future__ import annotations

import argparse
import time as clock
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cranebridge.errors import CranebridgeError
from cranebridge.inverse import signals, time_grid
from cranebridge.inverse.index1 import solve_index1, structure_of
from cranebridge.job import certify_scenario, check_scenario, replan, running_task, verify_scenario
from cranebridge.limits import Motion, extremes, solution_motion
from cranebridge.plan.collocation import Mesh, solve_collocation
from cranebridge.plan.task import InitialGuess, Plan
from cranebridge.scenario import Scenario, load_scenario, ready_scenarios
from cranebridge.verify import Certificate

FACTOR = 1.2
SEED = 12
# Which stops are compared with the shortest ones: at parts of the motion's duration.
COMPARED = ("two-mass", "overhead", "gantry", "rotary-light", "double-pendulum")
SHARES = (0.35, 0.6, 0.8)
GROUPS = ("u", "v", "a", "rope")
# A signal below this part of the largest of its unit is rounding, and gets no limit.
NOTHING = 1e-6
# What a stop must reach on the plant [m, rad].
STILL = 1e-6
# Fast motions are judged between the plant's samples.
SETTINGS = ("solve.step=0.001", "plant.step=0.001")
# Nothing draws a quadrotor back: it drifts by what the integrator leaves.
OWN_SETTINGS = {"quadrotor": ("plant.tolerance=1e-12",)}


@dataclass(frozen=True)
class Stop:
    """One emergency stop.

    Attributes
    ----------
    time : float
        When it begins [s].
    duration, seconds : float
        How long it takes, and how long planning took on a processor [s].
    kind : str
        "optimised", "polynomial" or "onward", where the motion goes on to its end; empty if none.
    excess : float
        How far a limit is exceeded on the plant, in parts of it; negative if none is.
    swing, speed : float
        Of the load on the plant after the end [m]; largest of all coordinates there [m/s, rad/s].
    problem : str
        What went wrong; empty if nothing did.
    """

    time: float
    duration: float = np.nan
    seconds: float = np.nan
    kind: str = ""
    excess: float = np.nan
    swing: float = np.nan
    speed: float = np.nan
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


def stop(scenario: Scenario, time: float, known: Certificate | None = None) -> Stop:
    """Stop a motion at a time, and drive the FMU so.

    A certificate of the same FMU saves another comparison with the twin.
    """
    started = clock.process_time()
    try:
        stopped = replan(scenario, time, None, lambda share: None)
    except CranebridgeError as error:
        return Stop(time, seconds=clock.process_time() - started, problem=str(error))
    seconds = clock.process_time() - started
    assert stopped.planned is not None
    planned = Stop(time, stopped.planned.duration, seconds, kind_of(stopped.planned))
    try:
        verified = verify_scenario(stopped, known=known)
    except CranebridgeError as error:
        return replace(planned, problem=str(error))
    tracking = verified.tracking
    assert tracking is not None
    swing = tracking.error_after
    assert swing is not None
    bad = [v.message for v in verified.verdicts if not v.passed]
    if swing > STILL:
        bad.append(f"the load swings by {swing:.2g} m")
    return replace(
        planned,
        excess=largest_excess(stopped, tracking.motion),
        swing=swing,
        speed=last_speed(tracking.motion),
        problem="; ".join(bad),
    )


def kind_of(plan: Plan) -> str:
    """Return how a stop was found."""
    if plan.method == "flat":
        return "optimised"
    return "onward" if "end of the running motion" in plan.way else "polynomial"


def largest_excess(scenario: Scenario, motion: Motion) -> float:
    """Return how far a motion is beyond a limit, in parts of the limit; negative if it is not."""
    found = []
    for signal, bound in scenario.limits.in_force(scenario.crane):
        values = motion.values[signal.title]
        low, high = (extreme.value for extreme in extremes(motion.time, values, motion.sampled))
        size = max(abs(side) for side in (bound.least, bound.most) if np.isfinite(side))
        found.append(max(bound.least - low, high - bound.most) / (size or np.ptp(values)))
    return float(max(found))


def last_speed(motion: Motion) -> float:
    """Return the largest speed of a coordinate after the end of a motion."""
    after = motion.time > motion.end
    speeds = [v[after] for title, v in motion.values.items() if title.startswith("v.")]
    return float(max(np.abs(speed).max() for speed in speeds))


def random_times(scenario: Scenario, count: int, seed: int = SEED) -> list[float]:
    """Return times of a scenario's motion, the same in every run."""
    rng = np.random.default_rng(seed)
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
        driven = plant.drives or plant.speed
        if driven or plant.parameters or not structure_of(scenario.problem).flat:
            continue
        if check_scenario(scenario).exit_code == 0:
            found.append(name)
    return found


HEAD = (
    "| scenario | kept | optimised | polynomial | goes on | duration [s] | largest excess | "
    "swing [m] | speed at rest | planning [s] |\n|---|---|---|---|---|---|---|---|---|---|"
)


HEAD_COMPARED = (
    "| scenario | at [s] | found | planned [s] | half as fine [s] | shortest [s] | ratio |\n"
    "|---|---|---|---|---|---|---|"
)


def row(name: str, stops: Sequence[Stop]) -> str:
    """Return the row of the table: durations and planning times as least, mean and largest."""
    kinds = [one.kind for one in stops]
    counts = " | ".join(str(kinds.count(k)) for k in ("optimised", "polynomial", "onward"))
    good = sum(not one.problem for one in stops)
    seconds = [one.seconds for one in stops]
    driven = [one for one in stops if np.isfinite(one.swing)]
    if not driven:
        return f"| `{name}` | {good} of {len(stops)} | {counts} | | | | | {np.mean(seconds):.1f} |"
    durations = [one.duration for one in driven]
    return (
        f"| `{name}` | {good} of {len(stops)} | {counts} | "
        f"{min(durations):.2f} to {max(durations):.2f} | "
        f"{max(one.excess for one in driven):.0e} | {max(one.swing for one in driven):.0e} | "
        f"{max(one.speed for one in driven):.0e} | {np.mean(seconds):.1f} |"
    )


def stops_of(name: str, count: int, seed: int = SEED) -> Iterator[Stop]:
    """Yield the stops of a ready scenario at random times."""
    scenario = limited(load_scenario(name, (*SETTINGS, *OWN_SETTINGS.get(name, ()))))
    certificate, _ = certify_scenario(scenario)
    for time in random_times(scenario, count, seed):
        yield stop(scenario, time, certificate)


def optimal_duration(scenario: Scenario, stopped: Scenario, time: float, mesh: Mesh) -> float:
    """Return the duration of the shortest stop by collocation, whose controls may jump [s].

    It starts from a stop that was planned.
    """
    task, _ = running_task(scenario, time, None)
    duration = stopped.problem.path.duration
    known = solve_index1(stopped.problem, np.linspace(0.0, duration, 201), "never")
    guess = InitialGuess(duration, known.time / duration, known.q, known.v, known.lam, known.u)
    return solve_collocation(task, mesh, guess).duration


def compare(name: str, shares: Sequence[float], intervals: int) -> Iterator[str]:
    """Yield rows with the durations of stops beside the shortest ones.

    On a mesh half as fine, too: the difference tells how far collocation is converged, and where
    the finer one ends in a worse local optimum the other is the better reference.
    """
    scenario = limited(load_scenario(name, SETTINGS))
    for share in shares:
        time = share * scenario.problem.path.duration
        stopped = replan(scenario, time, None, lambda _: None)
        assert stopped.planned is not None
        least = [
            optimal_duration(scenario, stopped, time, Mesh(n)) for n in (intervals // 2, intervals)
        ]
        ratio = stopped.planned.duration / min(least)
        yield (
            f"| `{name}` | {time:.3f} | {kind_of(stopped.planned)} | "
            f"{stopped.planned.duration:.4f} | "
            f"{least[0]:.4f} | {least[1]:.4f} | {ratio:.4f} |"
        )


def main() -> None:
    """Print the table; a line for each failure after the row of its scenario."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenarios", nargs="*")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--every", action="store_true", help="print a line for each stop")
    parser.add_argument(
        "--compare", action="store_true", help="compare durations with the shortest ones instead"
    )
    parser.add_argument("--intervals", type=int, default=60, help="of collocation's mesh")
    options = parser.parse_args()
    if options.compare:
        print(HEAD_COMPARED)
        for name in options.scenarios or COMPARED:
            for line in compare(name, SHARES, options.intervals):
                print(line, flush=True)
        return
    print(HEAD)
    for name in options.scenarios or safe_scenarios():
        stops = []
        for one in stops_of(name, options.times, options.seed):
            stops.append(one)
            if options.every:
                print(f"<!-- {name} {one} -->", flush=True)
        print(row(name, stops), flush=True)
        for one in stops:
            if one.problem:
                print(f"<!-- {name} at {one.time:.6f} s: {one.problem} -->", flush=True)


if __name__ == "__main__":
    main()
