"""Time one step of a controller in C, with observer and without, beside CasADi's own C code.

The columns *on line* are steps of the controller beside the on-line generator, which solves its
plan twice in each, and the bytes of its tables of gains.

Run it with ``.venv/bin/python benchmarks/control.py [SCENARIO ...]``. Measured are the encoders of
the drives and the load, at every sample. The peer is the same filter, update and prediction, as
CasADi prints it in C: all in scalar operations, without the law. Both are compiled in the same way
and timed in the same run, the best of some rounds; times are those of the processor.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
from pathlib import Path

import casadi as ca
import numpy as np

from cranebridge.control import (
    LawDesign,
    Observer,
    Sensor,
    controller_of,
    controller_sources,
    design_law,
    design_observer,
    design_speed_law,
    gains_over_position,
)
from cranebridge.control.model import drive_names
from cranebridge.errors import CranebridgeError
from cranebridge.inverse import ServoProblem
from cranebridge.job import solve_scenario
from cranebridge.limits import Limits
from cranebridge.online import generator_sources, on_line_sources
from cranebridge.path import end_points
from cranebridge.scenario import load_scenario, speed_drives
from cranebridge.twin.language import names

SCENARIOS = (
    *("overhead", "rotary", "bridge", "gantry", "luffing-jib", "double-pendulum", "two-mass"),
    *("navy2d", "navy3d", "navy3d-pulley-safe", "quadrotor", "cablev-general"),
    *("navy2d-pulley", "flexible-jib", "rotary-redundant", "rpr", "rotary-rotationless"),
    *("overhead-speed", "rotary-speed"),
)
ROUNDS, CALLS = 20, 500
MOST = 50_000  # scalar operations of a peer; more had not finished compiling after minutes
MOST_COORDINATES = 20  # of cranes whose gains over position are made; those of 42 took too long
FLAGS = ("-std=c99", "-O3", "-fno-math-errno", "-ffp-contract=off")

CLOCK = """\
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}
"""
OURS = """\
#include "module.h"

static const double measured[module_MEASURED] = {MEASURED};
static module_state state;

int main(void)
{
    double u[module_INPUTS], best = 1e30, sum = 0.0;
    int round, k;
    for (round = 0; round < ROUNDS; round++) {
        double begin;
        module_init(&state);
        begin = now();
        for (k = 0; k < CALLS; k++) {
            module_step(&state, measured, u);
            sum += u[0];
        }
        begin = now() - begin;
        if (begin < best) best = begin;
    }
    printf("%.9g %d\\n", best / CALLS, sum == sum);
    return 0;
}
"""
ON_LINE = """\
#include "module.h"

static const double measured[module_MEASURED] = {MEASURED};
static const double start[] = {FROM}, goal[] = {TO};
static module_state state;
static solver_state solver;

int main(void)
{
    double u[module_INPUTS], best = 1e30, sum = 0.0;
    int round, k;
    for (round = 0; round < ROUNDS; round++) {
        double begin;
        solver_init(&solver);
        if (solver_plan(&solver, start, goal, LASTING) < 0) {
            printf("nan 1\\n"); /* a rope would push */
            return 0;
        }
        module_init(&state);
        begin = now();
        for (k = 0; k < CALLS; k++) {
            module_step(&state, &solver, 0.005 * k, measured, u);
            sum += u[0];
        }
        begin = now() - begin;
        if (begin < best) best = begin;
    }
    printf("%.9g %d\\n", best / CALLS, sum == sum);
    return 0;
}
"""
PEER = """\
#include "peer.c"

static double state[STATE] = {START}, work[1000000];
static long long integers[100000];
static const double *arguments[64];
static double *results[64];

int main(void)
{
    double best = 1e30, kept[STATE];
    int round, k, i;
    for (i = 0; i < STATE; i++) kept[i] = state[i];
    for (round = 0; round < ROUNDS; round++) {
        double begin;
        for (i = 0; i < STATE; i++) state[i] = kept[i];
        begin = now();
        for (k = 0; k < CALLS; k++) {
            arguments[0] = state;
            results[0] = state;
            sample(arguments, results, integers, work, 0);
        }
        begin = now() - begin;
        if (begin < best) best = begin;
    }
    printf("%.9g %d\\n", best / CALLS, state[0] == state[0]);
    return 0;
}
"""


def main(scenarios: list[str]) -> None:
    """Print a line for each scenario."""
    print(
        f"{'scenario':<20}{'states':>7}{'full state':>12}{'observer':>10}{'CasADi':>9}{'ratio':>7}"
        f"{'on line':>11}{'observer':>11}{'gains':>9}"
    )
    for name in scenarios:
        try:
            _time(name)
        except CranebridgeError as error:
            print(f"{name:<20} {error}")


def _time(name: str) -> None:
    scenario = load_scenario(name)
    solution, drives = solve_scenario(scenario).feedforward, speed_drives(scenario.tables)
    design = design_speed_law(solution, drives, 0.005) if drives else design_law(solution, 0.005)
    crane = design.reference.crane
    titles = [f"q.{name}" for name in drive_names(crane)]
    titles += [f"y.{name}" for name in names(crane.outputs)]
    sensors = [Sensor(title, 1e-3) for title in titles]
    observer = design_observer(design.reference, design.model.coordinates, sensors, drives=drives)
    with tempfile.TemporaryDirectory() as folder:
        plain = _ours(design, None, Path(folder))
        ours = _ours(design, observer, Path(folder))
        peer = _peer(design, observer, Path(folder))
        print(
            f"{name:<20}{len(observer.states):>7}{plain:>9.2f} us{ours:>7.2f} us{peer:>6.2f} us"
            f"{ours / peer:>7.2f}",
            end="",
            flush=True,
        )
        print(_on_line(design, observer, solution.problem, Path(folder)), flush=True)


def _ours(design: LawDesign, observer: Observer | None, folder: Path) -> float:
    controller = controller_of(design.law, design.reference, observer=observer)
    header, source = controller_sources(controller, "module")
    (folder / "module.h").write_text(header)
    (folder / "module.c").write_text(source)
    measured = controller.reference[0] if observer is None else _readings(design, observer)
    text = OURS.replace("MEASURED}", ", ".join(map(repr, measured.tolist())) + "}")
    return _run(folder, CLOCK + text, ["module.c"])


def _on_line(design: LawDesign, observer: Observer, problem: ServoProblem, folder: Path) -> str:
    """Return the times of a step beside the on-line generator, or why there is none."""
    reference = design.reference
    if len(reference.crane.coordinates) > MOST_COORDINATES:
        return f"  not timed: more than {MOST_COORDINATES} coordinates"
    try:
        over = gains_over_position(design)
        sources = generator_sources(problem, Limits(), "solver", "double")
    except CranebridgeError as error:
        return f"  {error}"
    start, goal = end_points(problem.path)
    found = []
    for seen in (None, observer):
        law = over.along(reference)
        controller = controller_of(law, reference, observer=seen, over=over)
        own = on_line_sources(controller, problem.crane, "module", "solver", "double")
        for name, texts in (("solver", sources), ("module", own)):
            for suffix, text in zip((".h", ".c"), texts, strict=True):
                (folder / f"{name}{suffix}").write_text(text)
        measured = controller.reference[0] if seen is None else _readings(design, seen)
        text = ON_LINE.replace("LASTING", repr(problem.path.duration))
        for word, values in (("MEASURED", measured), ("FROM", start), ("TO", goal)):
            text = text.replace(f"{word}}}", ", ".join(repr(float(x)) for x in values) + "}")
        found.append(_run(folder, CLOCK + text, ["module.c", "solver.c"]))
    size = controller.schedule.gains.size * 8 if controller.schedule else 0
    return f"{found[0]:>8.2f} us{found[1]:>8.2f} us{size / 1e3:>6.1f} kB"


def _readings(design: LawDesign, observer: Observer) -> np.ndarray:
    reference = design.reference
    found = observer.readings(reference.q[0], reference.v[0], observer.parameter_vector)[0]
    return np.array(found)[:, 0]


def _peer(design: LawDesign, observer: Observer, folder: Path) -> float:
    """Return the time of update and prediction at the start, the parameters constants."""
    n, size, reference = len(observer.crane.coordinates), len(observer.states), design.reference
    more = len(observer.constants)  # places of speed drives
    state = ca.SX.sym("state", 2 * n + more + size**2)
    p, own = ca.DM(observer.parameter_vector), 2 * n + more
    P = ca.reshape(state[own:], size, size)
    due = ca.SX.ones(len(observer.sensors))
    readings = ca.DM(_readings(design, observer))
    found = observer.update(state[:n], state[n : 2 * n], state[2 * n : own], P, readings, due, p)
    u = ca.DM(reference.hold[0])
    for _ in range(observer.steps):
        found = observer.predict(*found, u, p, observer.cycle / observer.steps)
    q, v, d, P = found
    sample = ca.Function("sample", [state], ca.cse([ca.vertcat(q, v, d, ca.vec(P))]))
    if sample.n_instructions() > MOST:
        return math.nan
    sample.generate("peer.c", {"with_header": False})
    Path("peer.c").replace(folder / "peer.c")
    start = np.concatenate(
        [reference.q[0], reference.v[0], observer.disturbance_start, observer.covariance.ravel()]
    ).tolist()
    text = PEER.replace("STATE", str(len(start))).replace("START", ", ".join(map(repr, start)))
    return _run(folder, CLOCK + text, [])


def _run(folder: Path, text: str, more: list[str]) -> float:
    text = text.replace("ROUNDS", str(ROUNDS)).replace("CALLS", str(CALLS))
    (folder / "driver.c").write_text(text)
    command = ["gcc", *FLAGS, "driver.c", *more, "-o", "driver", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    best, sound = subprocess.run(
        [folder / "driver"], capture_output=True, text=True, check=True
    ).stdout.split()
    assert sound == "1"
    return float(best)


if __name__ == "__main__":
    main(sys.argv[1:] or list(SCENARIOS))
