"""Campaigns: 10 000 verified runs of the rotary crane, against FMPy's own way in the same run.

    .venv/bin/python benchmarks/campaign.py [RUNS] [--write]

Ours: payload of twin and plant and the load's start varied, a feedforward of its own for each run,
all limits judged at a tolerance of 1e-10. FMPy: `simulate_fmu` with `reset` on one instance, the
same inputs as a table of 2001 rows; 100 runs, extrapolated. Its error is that of inputs held over
an output interval, which is told beside, and how much longer a tenth of the interval takes: FMPy at
our accuracy would take longer still. With --write the table goes into docs/campaigns.md.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from fmpy import extract, instantiate_fmu, read_model_description, simulate_fmu

import cranebridge
from cranebridge.job import plant_file, solve_scenario, verify_scenario
from cranebridge.job.campaign import campaign_into

SETTINGS = (
    "campaign.vary={'crane.m'={uniform=[80.0,120.0]},'plant.start.q.y'={normal=[0.0,1e-3]}}",
    "campaign.budget=5",
    "limits.tracking=0.1",
)
TARGET = Path(__file__).resolve().parents[1] / "docs" / "campaigns.md"
BEGIN, END = "<!-- made by benchmarks/campaign.py -->\n", "<!-- end of benchmark -->\n"
FMPY_RUNS, FINER_RUNS = 100, 2
INTERVAL, FINER = 0.01, 0.001
"""Output intervals of FMPy in s, between which it holds the inputs."""


def ours(runs: int, workers: int) -> tuple[float, float, float]:
    """Return seconds, processor seconds, and the parent's memory in MB."""
    scenario = cranebridge.load("rotary", [*SETTINGS, f"campaign.runs={runs}"])
    with tempfile.TemporaryDirectory() as folder:
        before = os.times()
        campaign = campaign_into(scenario, Path(folder) / "runs", workers=workers)
        after = os.times()
        assert campaign.runs.failed == 0
    elapsed = after.elapsed - before.elapsed
    used = sum(after[:4]) - sum(before[:4])
    return elapsed, used, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def own_error() -> float:
    """Return the largest error in m of a run of ours without variation."""
    tracking = verify_scenario(cranebridge.load("rotary")).tracking
    assert tracking is not None
    return max(tracking.max_error.values())


def by_fmpy(runs: int, interval: float = INTERVAL) -> tuple[float, float, float]:
    """Return seconds and processor seconds of a run with FMPy, and its largest error in m."""
    scenario = cranebridge.load("rotary")
    solution = solve_scenario(scenario).feedforward
    file = str(plant_file(scenario))
    description, folder = read_model_description(file), extract(file)
    instance = instantiate_fmu(folder, description, "ModelExchange")
    names = ["time", "M_b", "F_t", "M_w"]
    table = np.rec.fromarrays([solution.time, *solution.u.T], names=names)
    started, used, largest = time.perf_counter(), time.process_time(), 0.0
    for k in range(runs):
        result = simulate_fmu(
            folder,
            model_description=description,
            fmu_instance=instance,
            fmi_type="ModelExchange",
            stop_time=float(solution.time[-1]),
            output_interval=interval,
            relative_tolerance=1e-10,
            start_values={"m": 100.0, "l_start": 5.0} if k else {},
            input=table,
            output=["x", "y", "z"],
        )
        instance.reset()
        wanted = scenario.problem.path(result["time"])
        achieved = np.array([result[name] for name in ("x", "y", "z")])
        largest = max(largest, float(np.abs(achieved - wanted).max()))
    elapsed, used = time.perf_counter() - started, time.process_time() - used
    return elapsed / runs, used / runs, largest


def main() -> None:
    """Measure and tell."""
    numbers = [argument for argument in sys.argv[1:] if argument.isdigit()]
    runs = int(numbers[0]) if numbers else 10_000
    titles = ("runs", "time [s]", "processor time a run [ms]", "memory of the parent [MB]")
    lines = [f"| | {' | '.join(titles)} |", "|---|---|---|---|---|"]
    cases = [(runs // 10, 1), (runs // 10, 2), (runs // 2, 2), (runs, 2)]
    measured, processor = [], 0.0
    for count, workers in cases:
        elapsed, used, memory = ours(count, workers)
        measured.append(elapsed / count)
        processor = used / count
        title = f"{workers} worker{'s' * (workers > 1)}"
        lines.append(
            f"| {title} | {count} | {elapsed:.1f} | {1e3 * used / count:.1f} | {memory:.0f} |"
        )
        print(lines[-1], flush=True)
    seconds, busy, error = by_fmpy(FMPY_RUNS)
    cells = (FMPY_RUNS, f"{FMPY_RUNS * seconds:.1f}", f"{1e3 * busy:.0f}")
    lines.append(f"| FMPy, one process | {' | '.join(map(str, cells))} | |")
    _, finer, smaller = by_fmpy(FINER_RUNS, FINER)
    lines += [
        "",
        f"FMPy takes {1e3 * seconds:.0f} ms a run with an error of {error:.1e} m, ours "
        f"{1e3 * measured[-1]:.1f} ms with the solution and its judging: "
        f"{seconds / measured[-1]:.0f} times as fast. {runs} runs would take FMPy "
        f"{seconds * runs:.0f} s, extrapolated from {FMPY_RUNS}. In processor time, which other "
        f"work on the machine changes less: {1e3 * busy:.0f} ms against {1e3 * processor:.1f} ms, "
        f"{busy / processor:.0f} times. That is not at our accuracy: ours has an error of "
        f"{own_error():.1e} m. With {FINER:g} s in place of {INTERVAL:g} s FMPy has "
        f"{smaller:.1e} m and takes {1e3 * finer:.0f} ms, {finer / processor:.0f} times ours.",
    ]
    print("\n".join(lines))
    if "--write" in sys.argv:
        before, _, rest = TARGET.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        text = "\n".join(lines) + "\n"
        TARGET.write_text(f"{before}{BEGIN}{text}{END}{after}", encoding="utf-8")


if __name__ == "__main__":  # worker processes import this file
    main()
