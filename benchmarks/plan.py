"""Flat planning against our own collocation, both within 0.5 % of the optimum, in one run.

    python benchmarks/plan.py [c1] [d1] [--worded]

First a flat plan and the default collocation; with --worded nothing else. Then each method takes
the coarsest of its settings that comes within 0.5 % of T* and exceeds no speed by more than 1 % on
10 001 points, which is looked at after the time is taken. All settings that are tried are printed.
Collocations are given up after a time that is far more than five times a flat plan's. Times are CPU
times, so that a loaded machine changes them little; what is built and compiled once is told apart.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "tests" / "plan"))
from optimal_control import overhead_task, rotary_task

from cranebridge.plan import Mesh, solve_collocation
from cranebridge.plan.collocation import CollocationSolution
from cranebridge.plan.flat import Fineness, find_plan
from cranebridge.plan.task import PathEvaluator, Plan, PlanTask

CASES: dict[str, tuple[PlanTask, float]] = {
    "c1": (overhead_task(), 4.1412),
    "d1": (rotary_task(), 11.5203),
}
WITHIN, EXCESS = 0.005, 0.01
# So often, and so long [s], a run is repeated; the median counts.
REPEAT, LONG = 3, 6.0
# So many times a flat plan's time is a collocation awaited, all meshes together.
AWAITED = 50.0

T = TypeVar("T")
Result = tuple[float, float, str]
Found = tuple[float, Callable[[], float], str]
"""Duration, how to measure the excess, and words."""
Way = Callable[[], Found]


def main(chosen: list[str]) -> None:
    worded = "--worded" in chosen
    names = [name for name in chosen if name != "--worded"] or list(CASES)
    for name in names:
        task, optimum = CASES[name]
        built, _ = timed(lambda task=task: find_plan(task, Fineness(pieces=8, rounds=0)))
        print(f"{name}: T* = {optimum} s; functions built and a rough plan in {built:.2f} s")
        flat = first_good(optimum, flat_ways(task), EXCESS)
        show("flat", flat)
        show_default(task, optimum, flat)
        if worded:
            continue
        most = int(AWAITED * flat[0]) + 1
        ways = collocation_ways(task)
        other = bounded(partial(first_good, optimum, ways, EXCESS), most)
        show("collocation", other)
        print(f"  collocation / flat: {other[0] / flat[0]:.2f} of the time", flush=True)


def show_default(task: PlanTask, optimum: float, flat: Result) -> None:
    """Show the default collocation."""
    default = collocation_ways(task, (Mesh().intervals,))
    other = first_good(optimum, default, EXCESS)
    show("default", other)
    print(f"  default collocation / flat: {other[0] / flat[0]:.2f} of the time", flush=True)


def show(method: str, found: Result) -> None:
    seconds, ratio, words = found
    print(f"  {method:12} {seconds:7.2f} s CPU   T/T* = {ratio:.5f}   {words}", flush=True)


def bounded(action: Callable[[], Result], most: int) -> Result:
    """Return what an action finds in a process of its own, or that it took more than some time."""
    receive, send = multiprocessing.Pipe(duplex=False)

    def work(send: Connection) -> None:
        used = int(time.process_time())
        resource.setrlimit(resource.RLIMIT_CPU, (used + most, used + most))
        send.send(action())

    process = multiprocessing.get_context("fork").Process(target=work, args=(send,))
    process.start()
    send.close()
    try:
        return receive.recv()
    except EOFError:
        return float(most), np.nan, "given up: this is the time that was awaited"
    finally:
        process.join()


def flat_ways(task: PlanTask) -> Sequence[Way]:
    """Return flat plans, coarse ones first."""

    def plan(rounds: int) -> Found:
        found = find_plan(task, Fineness(rounds=rounds, accuracy=0.0))
        pieces = len(found.path.knots) - 1
        return found.duration, lambda: excess_of(task, found), f"{pieces} pieces"

    return [lambda count=count: plan(count) for count in (0, 1, 2, 3)]  # type: ignore[misc]


def excess_of(task: PlanTask, plan: Plan) -> float:
    """Return by how much a plan exceeds its limits, as a part of them."""
    worst = PathEvaluator(task).evaluate(plan.path, 96).worst()
    return 0.0 if worst is None else max(worst[0], 0.0)


def collocation_ways(
    task: PlanTask, meshes: Sequence[int] = (10, 15, 25, 50, 100, 200)
) -> Sequence[Way]:
    """Return collocations, coarse ones first."""

    def solve(intervals: int) -> Found:
        found = solve_collocation(task, Mesh(intervals))
        return found.cost, lambda: speeding(task, found), f"{intervals} intervals"

    return [lambda n=n: solve(n) for n in meshes]  # type: ignore[misc]


def speeding(task: PlanTask, found: CollocationSolution) -> float:
    """Return by how much a motion exceeds limits of speeds, as a part of them."""
    at = found.sample(np.linspace(0.0, found.cost, 10_001))
    excess = 0.0
    for position, coordinate in enumerate(task.crane.coordinates):
        bound = task.limits.v.get(coordinate.name)
        if bound is not None:
            excess = max(excess, float(np.abs(at.v[:, position]).max()) / bound.most - 1.0)
    return excess


def first_good(optimum: float, ways: Sequence[Way], allowed: float) -> Result:
    """Return time, ratio and words of the first way that is good enough."""
    for way in ways:
        seconds, (duration, measure, words) = timed(way)
        excess = measure()
        told = f"{words}, exceeded by {excess:.0e}"
        show("... tried", (seconds, duration / optimum, told))
        if abs(duration / optimum - 1.0) <= WITHIN and excess <= allowed:
            runs = [seconds]
            while sum(runs) < LONG or (len(runs) < REPEAT and seconds < LONG):
                runs.append(timed(way)[0])
            return float(np.median(runs)), duration / optimum, told
    raise SystemExit(f"no setting comes within {WITHIN:.1%} of {optimum} s")


def timed(action: Callable[[], T]) -> tuple[float, T]:
    """Return CPU time and result."""
    started = time.process_time()
    result = action()
    return time.process_time() - started, result


if __name__ == "__main__":
    main(sys.argv[1:])
