"""Time new goals and stops while moving, in the generated C: mean and worst of random calls.

Run it with ``.venv/bin/python benchmarks/replan.py [SCENARIO ...]``. Limits are 1.3 times the
largest inputs, velocities and accelerations of the scenario's own motion. Times are those of the
processor.

``--random [SCENARIO ...]`` (``overhead`` and ``rotary`` if none is named) makes 10 000 random calls
in each precision instead, sensible and nonsense ones, with limits on everything, compiled with
AddressSanitizer and UBSan; it prints the largest jump of a control and the largest excess over a
limit. About three minutes of processor time in all.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "tests"))
sys.path.append(str(Path(__file__).parents[1] / "tests" / "online"))
from random_plans import SANITIZERS, build, run

from cranebridge.deliver import DeliveryOrder, deliver
from cranebridge.inverse import Feedforward, ServoProblem, signals
from cranebridge.inverse.index1 import solve_index1
from cranebridge.limits import Limits, Range, solution_motion
from cranebridge.path import end_points
from cranebridge.scenario import load_scenario
from roomy_limits import limits_around

SCENARIOS = (
    "overhead",
    "rotary",
    "rotary-long",
    "navy3d",
    "navy3d-pulley-safe",
    "cablev-general",
    "quadrotor",
)
ROOM = 1.3
CALLS, POINTS = 10_000, 200

DRIVER = """\
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "online.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double uniform(void)
{
    return (double)rand() / ((double)RAND_MAX + 1.0);
}

static online_state state;

int main(void)
{
    online_output output;
    const online_real start[] = {START}, goal[] = {GOAL};
    online_real target[online_OUTPUTS];
    double sum[3] = {0}, worst[3] = {0};
    int k, i, kind, accepted[3] = {0};
    for (k = 0; k < 3 * CALLS; k++) {
        const double along = uniform(), t = uniform() * DURATION;
        double begin, spent;
        kind = k % 3; /* a goal on the way, one far beyond it, a stop */
        for (i = 0; i < online_OUTPUTS; i++)
            target[i] = start[i] + (online_real)(kind == 1 ? 1e3 : along) * (goal[i] - start[i]);
        if (online_init(&state) < 0) return 1;
        if (online_plan(&state, start, goal, (online_real)DURATION) < 0) return 1;
        if (online_step(&state, (online_real)t, &output) < 0) return 1;
        begin = now();
        accepted[kind] += (kind == 2 ? online_stop(&state, (online_real)t)
                                     : online_replan(&state, (online_real)t, target)) >= 0;
        spent = now() - begin;
        sum[kind] += spent;
        if (spent > worst[kind]) worst[kind] = spent;
    }
    for (kind = 0; kind < 3; kind++)
        printf("%g %g %g ", sum[kind] / CALLS, worst[kind], (double)accepted[kind] / CALLS);
    return 0;
}
"""


def limits_of(solution) -> Limits:
    """Limits of inputs, velocities and accelerations around a motion."""
    known = signals(solution.problem.crane)
    motion = solution_motion(solution, list(known.values()))
    tables: dict[str, dict[str, Range]] = {"u": {}, "v": {}, "a": {}}
    for title, values in motion.values.items():
        signal, most = known[title], ROOM * float(np.abs(values).max())
        if signal.group in tables and most > 1e-6:
            tables[signal.group][signal.name] = Range(-most, most)
    return Limits(**tables)


def write_generator(
    name: str, precision: str, folder: Path, limits: Callable[[Feedforward], Limits]
) -> ServoProblem:
    """Deliver ``online.c`` of a ready scenario, with limits that its own motion gives."""
    scenario = load_scenario(name)
    problem = scenario.problem
    solution = solve_index1(problem, np.linspace(0.0, problem.path.duration, 1001))
    order = DeliveryOrder(
        "generator",
        folder / "online.c",
        scenario=scenario.tables.model_dump(exclude_none=True),
        precision=precision,
        limits=limits(solution),
        allow_violations=True,
    )
    deliver(solution, order)
    return problem


def random_plans(scenarios: list[str]) -> None:
    """Print what random calls with sanitizers find; an error of theirs ends the program."""
    print(f"{CALLS} calls, each new plan looked at {POINTS} times; AddressSanitizer and UBSan")
    titles = ("planned", "refused", "jump", "excess", "CPU [s]")
    print(f"{'scenario':22}{'precision':>10}", *(f"{title:>10}" for title in titles), sep="")
    for name in scenarios:
        for precision in ("double", "single"):
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                problem = write_generator(name, precision, folder, limits_around)
                program = build(problem, folder, folder, SANITIZERS)
                before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                found = run(program, CALLS, POINTS)
                spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            planned = sum(n for status, n in found.counts.items() if status >= 0)
            figures = f"{planned:10}{CALLS - planned:10}{found.jump:10.1e}{found.excess:10.1e}"
            print(f"{name:22}{precision:>10}{figures}{spent:10.0f}", flush=True)


def measure(name: str, precision: str, calls: int, folder: Path) -> list[float]:
    """Return mean, worst [ms] and part that is accepted: goals on the way, far ones, stops."""
    problem = write_generator(name, precision, folder, limits_of)
    start, goal = (", ".join(map(repr, end)) for end in end_points(problem.path))
    values = {"START": start, "GOAL": goal, "DURATION": repr(problem.path.duration)}
    text = DRIVER
    for key, value in (values | {"CALLS": str(calls)}).items():
        text = text.replace(key, value)
    (folder / "driver.c").write_text(text)
    program = folder / "driver"
    files = [str(folder / "driver.c"), str(folder / "online.c")]
    subprocess.run(["gcc", "-std=c99", "-O2", *files, "-o", str(program), "-lm"], check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def main() -> int:
    if sys.argv[1:2] == ["--random"]:
        random_plans(sys.argv[2:] or ["overhead", "rotary"])
        return 0
    titles = [f"{kind} {x}" for kind in ("goal", "far", "stop") for x in ("mean", "worst", "taken")]
    print("milliseconds, and how many are taken over")
    print(f"{'scenario':22}{'precision':>10}", *(f"{title:>12}" for title in titles), sep="")
    for name in sys.argv[1:] or SCENARIOS:
        for precision in ("double", "single"):
            with tempfile.TemporaryDirectory() as folder:
                figures = measure(name, precision, 300, Path(folder))
            print(f"{name:22}{precision:>10}", *(f"{x:12.2f}" for x in figures), sep="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
