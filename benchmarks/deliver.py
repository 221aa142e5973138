"""Time a call of the on-line generator, in C at a cycle of 1 ms, against a point of solve_index1.

Run it with ``.venv/bin/python benchmarks/deliver.py [SCENARIO ...]``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from cranebridge.deliver import DeliveryOrder, deliver
from cranebridge.inverse.index1 import solve_index1
from cranebridge.path import end_points
from cranebridge.scenario import load_scenario

SCENARIOS = (
    "overhead",
    "rotary",
    "rotary-long",
    "rotary-redundant",
    "rotary-rotationless",
    "navy2d-safe",
    "navy2d-pulley-safe",
    "navy3d",
    "navy3d-pulley-safe",
    "cablev-general",
)
LIMIT = 20.0

# Each call is timed by the clock on the wall. The median and the 99th percentile leave out calls
# during which another process had the core; the mean of the processor's time has no such calls.
DRIVER = """\
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "online.h"

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double spent[STEPS + 1];

int main(void)
{
    static online_state state;
    online_output output;
    const online_real start[] = {START}, goal[] = {GOAL};
    int i, failed;
    double begin, planned, mean;
    failed = online_init(&state) < 0;
    begin = now(CLOCK_PROCESS_CPUTIME_ID);
    failed |= online_plan(&state, start, goal, (online_real)DURATION) < 0;
    planned = now(CLOCK_PROCESS_CPUTIME_ID) - begin;
    begin = now(CLOCK_PROCESS_CPUTIME_ID);
    for (i = 0; i <= STEPS; i++) {
        double before = now(CLOCK_MONOTONIC);
        failed |= online_step(&state, (online_real)(1e-3 * i), &output) < 0;
        spent[i] = now(CLOCK_MONOTONIC) - before;
    }
    mean = (now(CLOCK_PROCESS_CPUTIME_ID) - begin) / (STEPS + 1);
    qsort(spent, STEPS + 1, sizeof spent[0], compare);
    printf("%g %g %g %g %zu\\n", planned, mean, spent[STEPS / 2], spent[STEPS / 100 * 99],
           sizeof state);
    return failed;
}
"""


def measure(name: str, precision: str, folder: Path) -> tuple[list[float], float]:
    scenario = load_scenario(name)
    problem = scenario.problem
    duration = problem.path.duration
    times = np.linspace(0.0, duration, 2001)
    solution = solve_index1(problem, times)
    began = time.perf_counter()
    solve_index1(problem, times)
    point = (time.perf_counter() - began) / times.size * 1e6
    tables = scenario.tables.model_dump(exclude_none=True)
    deliver(
        solution,
        DeliveryOrder(
            "generator", folder / "online.c", scenario=tables, precision=precision, overwrite=True
        ),
    )
    start, goal = (", ".join(map(repr, end)) for end in end_points(problem.path))
    constants = {"START": start, "GOAL": goal, "DURATION": repr(duration)}
    constants["STEPS"] = str(round(duration * 1e3))
    text = DRIVER
    for key, value in constants.items():
        text = text.replace(key, value)
    (folder / "driver.c").write_text(text)
    program = folder / "driver"
    files = [str(folder / "driver.c"), str(folder / "online.c")]
    subprocess.run(["gcc", "-std=c99", "-O2", *files, "-o", str(program), "-lm"], check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()], point


def main() -> int:
    titles = ("plan us", "cpu us", "median us", "99 % us", "state B", "index1 us/point", "ratio")
    print(f"{'scenario':22}{'precision':>10}", *(f"{title:>17}" for title in titles), sep="")
    slow = 0
    for name in sys.argv[1:] or SCENARIOS:
        for precision in ("double", "single"):
            with tempfile.TemporaryDirectory() as folder:
                (plan, mean, middle, most, size), point = measure(name, precision, Path(folder))
            slow += mean >= LIMIT
            figures = (plan, mean, middle, most, size, point, middle / point)
            print(f"{name:22}{precision:>10}", *(f"{x:17.2f}" for x in figures), sep="")
    print(f"limit: {LIMIT:g} us of processor time a call, ", end="")
    print(f"missed {slow} times" if slow else "kept")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
