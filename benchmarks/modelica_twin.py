"""Cranes read from Modelica beside their twins in Python: read, analysed and solved, in one run.

    .venv/bin/python benchmarks/modelica_twin.py [FILE.mo:CLASS]

Each ready crane is read from its plant's model, with nothing kept from before, and its ready motion
is solved at 1001 times: processor time in s (of C compilers: none of it), and as a ratio of what
the Python twin takes for analysis and solution; how far the controls are apart, as a part of their
range. A crane of a user's is only read, twice: the second time with what is kept of libraries.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from cranebridge.expressions import evaluate
from cranebridge.frontend import library_path, load_model
from cranebridge.inverse import ServoProblem, solve_index1
from cranebridge.inverse.index1 import structure_of
from cranebridge.scenario import load_scenario
from cranebridge.twin import ServoChoice, find_crane
from cranebridge.twin.language import names

READY = (
    *("overhead", "gantry", "bridge", "rotary", "luffing-jib", "double-pendulum", "two-mass"),
    *("quadrotor", "navy2d", "navy2d-pulley", "navy3d", "navy3d-pulley", "cablev-general"),
)
T = TypeVar("T")


def timed(action: Callable[[], T]) -> tuple[T, float]:
    """Return a result, and the processor time that it took."""
    started = time.process_time()
    result = action()
    return result, time.process_time() - started


def row(name: str) -> str:
    """Measure one ready scenario."""
    scenario = load_scenario(name)
    own, known = scenario.problem, scenario.problem.parameters
    choice = ServoChoice(
        names(scenario.crane.inputs), names(scenario.crane.outputs), varied=tuple(known)
    )
    file = f"{library_path()}/{scenario.tables.plant.model}.mo"
    crane, reading = timed(lambda: find_crane(file, choice=choice))
    given = {n: known[n] for n in names(crane.parameters) if n in known}
    for key, text in scenario.tables.plant.map.parameters.items():
        given[key] = evaluate(f"plant.map.parameters.{key}", text, known)
    problem = ServoProblem(crane, own.path, crane.parameter_values(given))
    times = np.linspace(0.0, own.path.duration, 1001)
    _, analysis = timed(lambda: structure_of(problem))
    found, solution = timed(lambda: solve_index1(problem, times))
    wanted, twin = timed(lambda: (structure_of(own), solve_index1(own, times))[1])
    apart = float((np.abs(found.u - wanted.u).max(axis=0) / np.ptp(wanted.u, axis=0).max()).max())
    ratio = (reading + analysis + solution) / twin
    return (
        f"| {name} | {reading:.2f} | {analysis:.2f} | {solution:.2f} | {twin:.2f} "
        f"| {ratio:.1f} | {apart:.1e} |"
    )


def main() -> None:
    """Print a table, or read one model twice."""
    # nothing that an earlier run has compiled
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="cranebridge-")
    if len(sys.argv) > 1:
        for when in ("first", "second"):
            _, seconds = timed(lambda: load_model(sys.argv[1]))
            print(f"{when} reading: {seconds:.2f} s")
        return
    print("| scenario | read | analysed | solved | Python twin | ratio | controls apart |")
    print("|---|---|---|---|---|---|---|")
    for name in READY:
        print(row(name), flush=True)


if __name__ == "__main__":
    main()
