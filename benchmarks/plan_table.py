"""The table of docs/planning-figures.md: how near to the optimum flat plans come.

    python benchmarks/plan_table.py [c1] [c3] [d1]

Durations are divided by the optimum T* of an independent program (c1, d1) or of a closed form (c3).
All limits hold on 10 001 points. Times are CPU times, without the compiling of the crane's stages.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "tests" / "plan"))
from optimal_control import overhead_task, rotary_task

from cranebridge.inverse.index1 import point_solver, solve_index1
from cranebridge.limits import judge_solution
from cranebridge.plan.flat import Fineness, find_plan, held_problem
from cranebridge.plan.task import PlanTask

CASES: dict[str, tuple[str, PlanTask, float]] = {
    "c1": ("overhead crane, 10 m", overhead_task(), 4.1412),
    "c3": ("the same, no limits of speed", overhead_task(speeds=False), 3.829708430),
    "d1": ("rotary crane, 120°", rotary_task(), 11.5203),
}
# as path.accuracy makes them
SETTINGS = {"default": Fineness(), "`accuracy = 0.002`": Fineness(accuracy=2e-3, rounds=8)}


def main(chosen: list[str]) -> None:
    """Print the table."""
    print("| case | T* [s] | " + " | ".join(f"T/T*, {word}" for word in SETTINGS) + " |")
    print("|---|---|" + "---|" * len(SETTINGS), flush=True)
    for name, (words, task, optimum) in CASES.items():
        if chosen and name not in chosen:
            continue
        point_solver(held_problem(task, task.start))
        cells = [cell(task, optimum, fineness) for fineness in SETTINGS.values()]
        print(f"| {name}, {words} | {optimum:.6g} | " + " | ".join(cells) + " |", flush=True)


def cell(task: PlanTask, optimum: float, fineness: Fineness) -> str:
    """Return the ratio, the pieces and the computing time of a plan; all of its limits hold."""
    started = time.process_time()
    plan = find_plan(task, fineness)
    seconds = time.process_time() - started
    solution = solve_index1(task.problem(plan.path), np.linspace(0.0, plan.duration, 10_001))
    failed = [one.message for one in judge_solution(solution, task.limits) if not one.passed]
    if failed:
        raise SystemExit(f"a limit does not hold: {failed[0]}")
    pieces = len(plan.path.knots) - 1
    return f"{plan.duration / optimum:.4f} ({pieces} pieces, {seconds:.1f} s)"


if __name__ == "__main__":
    main(sys.argv[1:])
