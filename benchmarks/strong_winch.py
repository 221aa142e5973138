"""A lift whose shortest motion lets the rope force jump: the flat planner beside collocation.

A winch that may let the load nearly fall, 3 m up over 10 m (docs/planning.md). Prints the duration
of both and the least rope force between the nodes, which collocation does not look at.

    python benchmarks/strong_winch.py
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "tests" / "plan"))
from optimal_control import OVERHEAD, hanging, overhead_task

from cranebridge.inverse.index1 import solve_index1
from cranebridge.limits import Limits
from cranebridge.plan import Mesh, solve_collocation
from cranebridge.plan.flat import find_plan
from cranebridge.plan.task import PlanTask

LIMITS = {"u": {"F_t": 400.0, "M_w": 130.0}, "v": {"s": 2.5, "l": 1.5}, "rope": 0.0}
BETWEEN = 10_001
INTERVALS = (100, 200)


def strong_winch() -> PlanTask:
    """Return the task: from rest to rest, in the shortest time."""
    limits = Limits.from_mapping(LIMITS, OVERHEAD)
    return replace(overhead_task(), goal=hanging(10.0, -2.0), limits=limits)


def main() -> None:
    """Print a line for the planner, and one for each mesh of collocation."""
    task = strong_winch()
    plan = find_plan(task)
    times = np.linspace(0.0, plan.duration, BETWEEN)
    least = solve_index1(task.problem(plan.path), times).ropes.min()
    print(f"flat planner            {plan.duration:8.4f} s, least rope force {least:8.3f} N")
    for intervals in INTERVALS:
        found = solve_collocation(task, Mesh(intervals))
        least = found.sample(np.linspace(0.0, found.duration, BETWEEN)).ropes.min()
        print(
            f"collocation, {intervals:3d} parts  {found.duration:8.4f} s, least rope force "
            f"{least:8.3f} N"
        )


if __name__ == "__main__":
    main()
