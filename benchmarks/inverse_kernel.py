"""Speed of index 1 with its kernel over lanes: end to end, against an earlier version and itself.

    .venv/bin/python benchmarks/inverse_kernel.py

End to end means: times in, verified `Feedforward` out, 20 001 points, the path followed before. All
figures are processor time, the best of many runs, as other processes may load the machine. The
earlier version is installed in a temporary folder, and runs in turns with this one.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import casadi as ca
import numpy as np
from earlier import NOW, Version, earlier_version

from cranebridge.inverse import ServoProblem, solve_parameter_sets
from cranebridge.inverse.index1 import (
    PointSolver,
    follow_path,
    gammas_at,
    point_solver,
    solve_index1,
)
from cranebridge.inverse.kernels import FLAGS, best_lanes, compile_source, kernel_of
from cranebridge.scenario import load_scenario

EARLIER = "392af99"
POINTS = 20_001
NAMES = ("overhead", "rotary", "navy3d", "cablev-general")
ROUNDS = 5
SETS = 50
TURNS = 5

SOLVE = """
import json, sys, time
import numpy as np
from cranebridge.inverse.index1 import solve_index1
from cranebridge.scenario import load_scenario
found = {}
points, *names = sys.argv[1:]
for name in names:
    problem = load_scenario(name).problem
    times = np.linspace(0.0, problem.path.duration, int(points))
    seconds = []
    for _ in range(25):
        started = time.process_time()
        solve_index1(problem, times)
        seconds.append(time.process_time() - started)
    found[name] = min(seconds)
print(json.dumps(found))
"""

BUILD = """
import json, resource, sys
from cranebridge.inverse.index1 import point_solver
from cranebridge.scenario import load_scenario
def used():
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(r.ru_utime + r.ru_stime for r in map(resource.getrusage, who))
found = {}
for name in sys.argv[2:]:
    problem, before = load_scenario(name).problem, used()
    point_solver(problem, "always")
    found[name] = used() - before
print(json.dumps(found))
"""


def processor_time(action: Callable[[], object], repeat: int = 25) -> float:
    """Least processor time of several runs, in s."""
    seconds = []
    for _ in range(repeat):
        started = time.process_time()
        action()
        seconds.append(time.process_time() - started)
    return min(seconds)


def run(version: Version, script: str, cache: Path) -> dict[str, float]:
    """Run a script with a version and its own cache of compiled functions."""
    environment = os.environ | {
        "PYTHONPATH": str(version.tree / "python"),
        "XDG_CACHE_HOME": str(cache),
    }
    command = [version.python, "-c", script, str(POINTS), *NAMES]
    done = subprocess.run(command, env=environment, capture_output=True, check=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def against_earlier() -> dict[str, dict[str, float]]:
    """Return seconds of builds from nothing and of solutions, of both versions."""
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(temporary)
        with earlier_version(EARLIER, base) as earlier:
            for _ in range(ROUNDS):
                for name, version in (("earlier", earlier), ("now", NOW)):
                    cache = base / f"cache-{name}"
                    if not cache.exists():
                        found[f"build {name}"] = run(version, BUILD, cache)
                    seconds = run(version, SOLVE, cache)
                    best = found.setdefault(name, seconds)
                    found[name] = {crane: min(best[crane], seconds[crane]) for crane in NAMES}
    return found


def scalar_seconds(problem: ServoProblem, solver: PointSolver) -> tuple[float, float]:
    """Return seconds of the kernel alone with the processor's lanes and with one, in turns."""
    from cranebridge.inverse import node_times
    from cranebridge.inverse.index1 import grid_solving

    nodes = node_times(problem, np.linspace(0.0, problem.path.duration, POINTS))
    guess = follow_path(problem, solver).guess
    vector = solver.kernel
    kernels, seconds = (vector, kernel_of(solver.stages, "always", 1)), [np.inf, np.inf]
    for _ in range(TURNS):
        for i, solver.kernel in enumerate(kernels):
            solve = partial(grid_solving.solve_nodes, problem, solver, nodes, guess)
            seconds[i] = min(seconds[i], processor_time(solve, 5))
    solver.kernel = vector
    return seconds[0], seconds[1]


def bare_seconds(problem: ServoProblem, solver: PointSolver) -> float:
    """Return seconds of CasADi's own C of the same functions, point by point in a C loop.

    Without the path, first guesses, and the search for the largest residual; Newton's unknowns are
    those of the solution, and one step is done.
    """
    stages = solver.stages
    w = ca.SX.sym("w", *stages.sweep.size_in(0))
    gammas, p = (ca.SX.sym("x", *stages.sweep.size_in(i)) for i in (1, 2))
    new, step = stages.sweep(w, gammas, p)
    motion, ropes, rates, _ = stages.finish(new, gammas, p)
    checked = stages.residual(motion, gammas[:, 0], p)
    results = ca.cse([new, step, motion, ropes, rates, *checked])
    function = ca.Function("point", [w, gammas, p], [ca.densify(x) for x in results])
    generator = ca.CodeGenerator("point.c")
    generator.add(function)
    sizes = [function.numel_out(i) for i in range(function.n_out())]
    offsets = np.cumsum([0, *sizes]).tolist()
    targets = ", ".join(f"out + {offset}" for offset in offsets[:-1])
    width, columns = function.numel_in(0), function.numel_in(1)
    driver = f"""
void loop(long n, const double *w, const double *g, const double *p, double *out)
{{
    casadi_int iw[{max(function.sz_iw(), 1)}];
    casadi_real work[{max(function.sz_w(), 1)}];
    for (long i = 0; i < n; ++i, w += {width}, g += {columns}, out += {offsets[-1]}) {{
        const double *arg[{max(function.sz_arg(), 3)}] = {{w, g, p}};
        double *res[{max(function.sz_res(), len(sizes))}] = {{{targets}}};
        point(arg, res, iw, work, 0);
    }}
}}
"""
    library = ctypes.CDLL(str(compile_source("bare", generator.dump() + driver, "always", FLAGS)))
    times = np.linspace(0.0, problem.path.duration, POINTS)
    rows = gammas_at(problem, times, np.zeros(POINTS, dtype=bool), stages.path_order)
    guess = follow_path(problem, solver).guess
    unknowns = np.zeros((POINTS, 1)) if guess is None else guess(times)
    arrays = (unknowns, rows, problem.parameter_vector, np.empty((POINTS, offsets[-1])))
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]
    return processor_time(partial(library.loop, ctypes.c_long(POINTS), *pointers))


def set_seconds(problem: ServoProblem) -> tuple[float, float]:
    """Return seconds a parameter set at 2001 times: all in one call, and each alone."""
    from dataclasses import replace

    times = np.linspace(0.0, problem.path.duration, 2001)
    values = [{"m": 100.0 + k} for k in range(SETS)]
    together = processor_time(partial(solve_parameter_sets, problem, values, times), 3)

    def alone() -> None:
        for one in values:
            solve_index1(replace(problem, parameters={**problem.parameters, **one}), times)

    return together / SETS, processor_time(alone, 1) / SETS


def long_solution() -> tuple[float, float]:
    """Return memory in MB and processor time in s of an hour at 1 ms, solved and written as CSV."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "cranebridge", "solve", "rotary", "-o", f"{folder}/hour"]
        command += ["--set=path.duration=3600", "--set=solve.step=0.001"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
    return used.ru_maxrss / 1024.0, used.ru_utime + used.ru_stime


def kernel_claims() -> dict[str, bool]:
    """Print the tables and return what was wanted, and whether it was reached."""
    lanes, flag = best_lanes()
    found = against_earlier()
    print(
        f"{lanes} lanes ({flag or 'no flag'}); {POINTS} points; processor time, best of many runs"
    )
    titles = (
        "",
        "points/s",
        "earlier",
        "ratio",
        "kernel/scalar",
        "bare C/kernel",
        "build",
        "before",
    )
    print("".join(f"{title:>15}" for title in titles))
    wide: dict[str, float] = {}
    for name in NAMES:
        problem = load_scenario(name).problem
        solver = point_solver(problem, "always")
        solve_index1(problem, np.linspace(0.0, problem.path.duration, POINTS))
        vector, scalar = scalar_seconds(problem, solver)
        bare = bare_seconds(problem, solver)
        now, earlier = found["now"][name], found["earlier"][name]
        wide[name] = scalar / vector
        cells = (
            *(f"{POINTS / now:,.0f}", f"{POINTS / earlier:,.0f}", f"{earlier / now:.2f}"),
            *(f"{scalar / vector:.2f}", f"{bare / vector:.2f}"),
            *(f"{found[key][name]:.2f} s" for key in ("build now", "build earlier")),
        )
        print("".join(f"{cell:>15}" for cell in (name, *cells)))
    together, alone = set_seconds(load_scenario("rotary").problem)
    print(
        f"rotary, {SETS} payloads at 2001 times: {1e3 * together:.1f} ms each in one call, "
        f"{1e3 * alone:.1f} ms each alone"
    )
    memory, used = long_solution()
    print(f"rotary, an hour at 1 ms, 3 600 001 rows written: {memory:.0f} MB, {used:.0f} s")
    rates = {name: POINTS / seconds for name, seconds in found["now"].items()}
    wanted = {"rotary": 2.5e6 if lanes == 8 else 1.5e6, "overhead": 1e7, "cablev-general": 5e5}
    ratio = found["earlier"]["rotary"] / found["now"]["rotary"]
    return {
        f"rotary 6 times faster than {EARLIER}": ratio >= 6.0,
        **{f"{name}: {rate:,.0f} points/s": rates[name] >= rate for name, rate in wanted.items()},
        **{f"{name}: lanes 2.5 times as fast as one": wide[name] >= 2.5 for name in NAMES},
        "an hour at 1 ms below 300 MB": memory < 300.0,
    }


def main() -> int:
    """Measure and tell what was reached."""
    claims = kernel_claims()
    for claim, holds in claims.items():
        print(f"{'reached' if holds else 'MISSED '}  {claim}")
    return 0 if all(claims.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
