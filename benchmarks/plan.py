"""Flat planning against our own collocation, both within 0.5 % of the optimum, in one run.

    python benchmarks/plan.py [c1] [d1]

Each method takes the coarsest of its settings that comes within 0.5 % of the benchmark's T*. Times
are CPU times, so that a loaded machine changes them little. The first plan of a crane builds and
compiles its stages, which is told apart. A flat plan keeps the limits everywhere, collocation at
its points only: by how much each exceeds them on 10 001 points is printed too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "tests" / "plan"))
from optimal_control import overhead_task, rotary_task

from cranebridge.inverse.index1 import point_solver
from cranebridge.plan import Mesh, solve_collocation
from cranebridge.plan.ends import held_problem
from cranebridge.plan.flat import Fineness
from cranebridge.plan.planning import find_plan
from cranebridge.plan.task import Task
from cranebridge.plan.watch import Watcher

CASES: dict[str, tuple[Task, float]] = {
    "c1": (overhead_task(), 4.1412),
    "d1": (rotary_task(), 11.5203),
}
WITHIN = 0.005
REPEAT = 3

T = TypeVar("T")
Result = tuple[float, float, str]


def main(chosen: list[str]) -> None:
    for name, (task, optimum) in CASES.items():
        if chosen and name not in chosen:
            continue
        built, _ = timed(lambda task=task: point_solver(held_problem(task, task.start)))
        print(f"{name}: T* = {optimum} s; stages built in {built:.2f} s")
        flat = first_within(optimum, flat_ways(task))
        other = first_within(optimum, collocation_ways(task))
        for method, (seconds, ratio, words) in (("flat", flat), ("collocation", other)):
            print(f"  {method:12} {seconds:7.2f} s CPU   T/T* = {ratio:.5f}   {words}", flush=True)
        print(f"  collocation / flat: {other[0] / flat[0]:.2f} of the time", flush=True)


def flat_ways(task: Task) -> Sequence[Callable[[], tuple[float, str]]]:
    """Return flat plans, coarse ones first, that give duration and words."""

    def plan(fineness: Fineness) -> tuple[float, str]:
        found = find_plan(task, fineness)
        worst = Watcher(task).look(found.path, 96).worst()
        excess = 0.0 if worst is None else max(worst[0], 0.0)
        pieces = len(found.path.knots) - 1
        return found.duration, f"{pieces} pieces, limits exceeded by {excess:.0e}"

    rounds = [Fineness(rounds=count, accuracy=0.0) for count in (0, 1, 2, 3)]
    return [lambda one=one: plan(one) for one in rounds]  # type: ignore[misc]


def collocation_ways(task: Task) -> Sequence[Callable[[], tuple[float, str]]]:
    """Return collocations, coarse ones first, that give duration and words."""

    def solve(intervals: int) -> tuple[float, str]:
        found = solve_collocation(task, Mesh(intervals))
        at = found.sample(np.linspace(0.0, found.cost, 10_001))
        excess = 0.0
        for position, coordinate in enumerate(task.crane.coordinates):
            bound = task.limits.v.get(coordinate.name)
            if bound is not None:
                excess = max(excess, float(np.abs(at.v[:, position]).max()) / bound.most - 1.0)
        return found.cost, f"{intervals} intervals, speeds exceeded by {excess:.0e}"

    return [lambda n=n: solve(n) for n in (10, 20, 30, 50, 100)]  # type: ignore[misc]


def first_within(optimum: float, ways: Sequence[Callable[[], tuple[float, str]]]) -> Result:
    """Return time, ratio and words of the first way that comes close enough, best of some runs."""
    for way in ways:
        seconds, (duration, words) = timed(way)
        if abs(duration / optimum - 1.0) <= WITHIN:
            again = [timed(way)[0] for _ in range(REPEAT - 1)]
            return min(seconds, *again), duration / optimum, words
    raise SystemExit(f"no setting comes within {WITHIN:.1%} of {optimum} s")


def timed(action: Callable[[], T]) -> tuple[float, T]:
    """Return CPU time and result."""
    started = time.process_time()
    result = action()
    return time.process_time() - started, result


if __name__ == "__main__":
    main(sys.argv[1:])
