"""Speed of the verification of `rotary`, against `fmpy.simulate_fmu` in the same run.

    .venv/bin/python benchmarks/verify.py

FMPy holds the input over each output interval, so its error falls with the first order of that
interval. It is pushed as far as is bearable; the time it would need for our accuracy follows from
the observed order, and the ratio is stated for both: as measured, and at equal accuracy.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import fmpy
import numpy as np

from cranebridge.inverse.index1 import solve_index1
from cranebridge.plant import Plant
from cranebridge.plant.export import cached_fmu
from cranebridge.scenario import load_scenario
from cranebridge.verify import PlantMap


def own() -> tuple[float, float]:
    """Time from opening the FMU to the compared path, and the load's largest error."""
    scenario = load_scenario("rotary")
    times = np.linspace(0.0, 20.0, 2001)
    feedforward = solve_index1(scenario.problem, times)
    best = np.inf
    for _ in range(5):
        started = time.perf_counter()
        with Plant(cached_fmu("RotaryCrane")) as plant:
            mapping = PlantMap(scenario.crane, plant.info, {})
            found = plant.simulate(
                times=times,
                inputs=mapping.controls(feedforward.control_polynomial, scenario.problem),
                parameters=mapping.parameters(scenario.problem, feedforward.q[0], feedforward.v[0]),
                outputs=["x", "y", "z"],
                rtol=1e-10,
            )
        best = min(best, time.perf_counter() - started)
    return best, float(np.abs(found.outputs - feedforward.gamma).max())


def peer(interval: float) -> tuple[float, float]:
    """The same through fmpy.simulate_fmu with this output interval."""
    problem = load_scenario("rotary").problem
    times = np.linspace(0.0, 20.0, round(20.0 / interval) + 1)
    feedforward = solve_index1(problem, times)
    columns = [times, *feedforward.u.T]
    table = np.rec.fromarrays(columns, names=["time", "M_b", "F_t", "M_w"])
    started = time.perf_counter()
    result = fmpy.simulate_fmu(
        str(cached_fmu("RotaryCrane")),
        fmi_type="ModelExchange",
        stop_time=20.0,
        input=table,
        output=["x", "y", "z"],
        output_interval=interval,
        relative_tolerance=1e-10,
    )
    seconds = time.perf_counter() - started
    wanted = problem.path(np.asarray(result["time"]))
    found = np.array([result[name] for name in "xyz"])
    return seconds, float(np.abs(found - wanted).max())


def everything() -> float:
    """`cranebridge run rotary` from a warm cache, as a user starts it."""
    command = str(Path(sys.executable).with_name("cranebridge"))
    with tempfile.TemporaryDirectory() as folder:
        times = []
        for k in range(3):
            started = time.perf_counter()
            target = str(Path(folder) / str(k))
            subprocess.run(
                [command, "run", "rotary", "-o", target], check=True, capture_output=True
            )
            times.append(time.perf_counter() - started)
    return min(times)


def main() -> int:
    seconds, error = own()
    print(f"cranebridge: {seconds:.2f} s, error {error:.1e} m")
    rows = [(interval, *peer(interval)) for interval in (0.01, 0.002)]
    for interval, taken, wrong in rows:
        print(f"fmpy.simulate_fmu at {1e3 * interval:g} ms: {taken:.2f} s, error {wrong:.1e} m")
    _, taken, wrong = rows[-1]
    order = np.log(rows[0][2] / rows[1][2]) / np.log(rows[0][0] / rows[1][0])
    growth = np.log(rows[1][1] / rows[0][1]) / np.log(rows[0][0] / rows[1][0])
    finer = (wrong / error) ** (1.0 / order)
    equal = taken * finer**growth
    print(
        f"observed: error of order {order:.2f} in the interval, time grows with order {growth:.2f}"
    )
    print(f"fmpy would need an interval {finer:.1e} times finer, {equal:.1e} s, for our error")
    ratio = equal / seconds
    whole = everything()
    print(f"the main job from a warm cache: {whole:.2f} s")
    reached = {
        "verification below 1 s": seconds < 1.0,
        "main job below 5 s": whole < 5.0,
        f"20 times faster than fmpy at equal accuracy ({ratio:.0e})": ratio >= 20.0,
    }
    for claim, holds in reached.items():
        print(f"{'reached' if holds else 'MISSED '}  {claim}")
    return 0 if all(reached.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
