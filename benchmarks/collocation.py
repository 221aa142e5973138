"""Benchmark A (optimal control) by our collocation, on the meshes of the reference.

Prints duration or cost beside the reference's, the largest difference of the sampled load and
trolley positions, and the time of each solution. Some minutes in all; names of cases as arguments
choose some of them:

    python benchmarks/collocation.py c1 d2
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "plan"))
from optimal_control import (
    DATA,
    OVERHEAD,
    ROTARY,
    TABLES,
    TRACKINGS,
    differences,
    overhead_task,
    rotary_task,
    table,
)

from cranebridge.plan import Mesh, solve_collocation, track_by_collocation
from cranebridge.plan.task import Task

# task, and the reference's value on each mesh
TASKS: dict[str, tuple[Task, dict[int, float]]] = {
    "c1": (overhead_task(), {50: 4.141214, 100: 4.141086, 200: 4.141262, 400: 4.141219}),
    "c2": (overhead_task("effort", 4.762), {100: 1.9935469, 200: 1.9935865, 400: 1.9935834}),
    "c3": (
        overhead_task(speeds=False),
        {60: 3.829708447, 120: 3.829708464, 240: 3.829708496},
    ),
    "d1": (rotary_task(), {50: 11.519732, 100: 11.519934, 200: 11.520274}),
    "d2": (rotary_task("effort", 13.25), {100: 5.9524501, 200: 5.9524899}),
}
TRACKED = {
    "a1": (200, 0.00221884204),
    "a2": (200, 0.2211952268),
    "a3": (200, 0.002221552105),
    "b1": (250, 0.007995522915),
    "b3": (200, 0.04837930001),
    "e1": (240, 0.8283526334),
    "e2": (200, 0.001773448597),
}


def main(chosen: list[str]) -> None:
    print(f"{'case':5}{'N':>5}{'ours':>17}{'reference':>17}{'samples [m]':>13}{'s':>8}")
    for name, (task, values) in TASKS.items():
        for intervals, reference in values.items() if not chosen or name in chosen else ():
            started = time.perf_counter()
            found = solve_collocation(task, Mesh(intervals))
            seconds = time.perf_counter() - started
            crane = OVERHEAD if name[0] == "c" else ROTARY
            show(name, intervals, found.cost, reference, positions(name, found, crane), seconds)
    for name, (intervals, reference) in TRACKED.items():
        if not chosen or name in chosen:
            started = time.perf_counter()
            mesh = Mesh(intervals, 4)
            found = track_by_collocation(OVERHEAD, DATA, TRACKINGS[name], mesh=mesh)
            seconds = time.perf_counter() - started
            show(name, intervals, found.cost, reference, positions(name, found, OVERHEAD), seconds)


def positions(name: str, found: object, crane: object) -> float:
    if not (TABLES / f"{name}.csv").exists():
        return float("nan")
    wrong = differences(found, table(name), crane)  # type: ignore[arg-type]
    return max(wrong[key] for key in ("x", "z", "s", "l"))


def show(
    name: str, intervals: int, ours: float, reference: float, wrong: float, seconds: float
) -> None:
    print(
        f"{name:5}{intervals:5}{ours:17.10g}{reference:17.10g}{wrong:13.1e}{seconds:8.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main(sys.argv[1:])
