"""Benchmark A (optimal control) by our collocation, on the meshes of the reference.

Prints duration or cost beside the reference's, the processor time of each solution, and of every
column of the reference's samples the largest difference (SI units). A sample of T that lies on a
node of the mesh is of the interval before it, the reference's of the one after it. Some minutes in
all; names of cases as arguments choose some of them:

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
from cranebridge.plan.collocation import CollocationSolution
from cranebridge.plan.task import PlanTask
from cranebridge.twin import Crane

# task, and the reference's value on each mesh
TASKS: dict[str, tuple[PlanTask, dict[int, float]]] = {
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
    "a1 1e-06": (200, 0.1555808348),
    "a1": (200, 0.00221884204),
    "a1 1e-10": (200, 2.24170995e-05),
    "a2": (200, 0.2211952268),
    "a2 1e-08": (200, 0.002242049554),
    "a3": (200, 0.002221552105),
    "b1 1e-06": (250, 0.07175549814),
    "b1": (250, 0.007995522915),
    "b1 1e-08": (250, 0.0008348232632),
    "b3": (200, 0.04837930001),
    "e2": (200, 0.001773448597),
    "e1": (240, 0.8283526334),
    "e1 1e-07": (240, 0.5264773737),
    "e1 1e-08": (200, 0.2052360556),
}
"""All rows of the table A.2, with rho where there are several."""


def main(chosen: list[str]) -> None:
    print(f"{'case':10}{'N':>5}{'ours':>17}{'reference':>17}{'CPU [s]':>9}  largest differences")
    for name, (task, values) in TASKS.items():
        for intervals, reference in values.items() if not chosen or name in chosen else ():
            started = time.process_time()
            found = solve_collocation(task, Mesh(intervals, between=False))
            seconds = time.process_time() - started
            show(name, intervals, found, reference, seconds, OVERHEAD if name[0] == "c" else ROTARY)
    for name, (intervals, reference) in TRACKED.items():
        if not chosen or name.split()[0] in chosen:
            started = time.process_time()
            found = track_by_collocation(OVERHEAD, DATA, TRACKINGS[name], mesh=Mesh(intervals, 4))
            seconds = time.process_time() - started
            show(name, intervals, found, reference, seconds, OVERHEAD)


def show(
    name: str,
    intervals: int,
    found: CollocationSolution,
    reference: float,
    seconds: float,
    crane: Crane,
) -> None:
    """Print a row: what was compared, and by how much it differs."""
    samples = "no samples in the reference"
    if (TABLES / f"{name}.csv").exists():
        wrong = differences(found, table(name), crane)
        samples = " ".join(f"{key} {value:.1e}" for key, value in wrong.items())
    print(
        f"{name:10}{intervals:5}{found.cost:17.10g}{reference:17.10g}{seconds:9.1f}  {samples}",
        flush=True,
    )


if __name__ == "__main__":
    main(sys.argv[1:])
