"""How exactly and how fast FMUs are simulated, against FMPy's own `simulate_fmu` in the same run.

    .venv/bin/python benchmarks/plant_simulation.py

Prints the tables of docs/plant-simulation.md: the input that FMPy holds over an output interval;
the rotary crane's load error and time with `Plant` and with FMPy at smaller and smaller intervals.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import casadi as ca
import fmpy
import numpy as np
from numpy.typing import NDArray

from cranebridge.frontend import PlantModel, Variable
from cranebridge.inverse import Feedforward
from cranebridge.inverse.index1 import solve_index1
from cranebridge.plant import Plant
from cranebridge.plant.export import cached_fmu, export_fmu
from cranebridge.plant.protocol import Controls
from cranebridge.scenario import load_scenario

Array = NDArray[np.float64]
INPUTS = ("M_b", "F_t", "M_w")
LOAD = ("x", "y", "z")
METHODS = ("DOP853", "LSODA", "Radau", "CVODE")


def integrator() -> PlantModel:
    t, x, u, p = (ca.SX.sym(name, size) for name, size in zip("txup", (1, 1, 1, 0), strict=True))
    return PlantModel(
        name="Integrator",
        states=(Variable("x"),),
        inputs=(Variable("u"),),
        outputs=(Variable("x"),),
        parameters=(),
        rhs=ca.Function("rhs", [t, x, u, p], [u]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [x]),
        initial=ca.Function("initial", [p], [ca.DM(0.0)]),
    )


def fmpy_result(path: Path, times: Array, u: Array, names: tuple[str, ...], **options) -> Array:
    """Simulate with FMPy's high-level function, input as a table."""
    table = np.zeros(len(times), dtype=[("time", float), *((name, float) for name in names)])
    table["time"] = times
    for column, name in enumerate(names):
        table[name] = u[:, column]
    result = fmpy.simulate_fmu(
        str(path), fmi_type="ModelExchange", solver="CVode", input=table, **options
    )
    return np.asarray(result)


def show_held_input(path: Path) -> None:
    print("der(x) = u, u = t: x(1) should be 0.5")
    times = np.array([0.0, 1.0])
    for tolerance in (None, 1e-10):
        for interval in (0.1, 0.05, 0.01):
            result = fmpy_result(
                path,
                times,
                times[:, None],
                ("u",),
                stop_time=1.0,
                output_interval=interval,
                relative_tolerance=tolerance,
            )
            print(
                f"  fmpy.simulate_fmu, output interval {interval:5g} s, "
                f"relative tolerance {tolerance or 'default'}: {result['x'][-1]:.12f}"
            )
    ramp = Controls.linear([0.0, 1.0], [[0.0], [1.0]], ["u"])
    with Plant(path) as plant:
        for interval in (0.1, 0.05, 0.01):
            grid = np.linspace(0.0, 1.0, round(1 / interval) + 1)
            x = plant.simulate(times=grid, inputs=ramp).outputs[-1, 0]
            print(f"  Plant.simulate,     output interval {interval:5g} s: {x:.12f}")


def show_rotary(path: Path, solution: Feedforward) -> float:
    print("rotary, 20 s, 2001 output times")
    controls = Controls.from_ppoly(solution.control_polynomial, INPUTS, stops=[5.0, 15.0])
    best = np.inf
    for method in METHODS:
        seconds = []
        for _ in range(3):
            begin = time.perf_counter()
            with Plant(path) as plant:
                run = plant.simulate(
                    times=solution.time,
                    inputs=controls,
                    start={"s": 5.0, "l": 5.0},
                    outputs=LOAD,
                    method=method,
                )
            seconds.append(time.perf_counter() - begin)
        error = np.abs(run.outputs - solution.gamma).max()
        if method == "DOP853":
            best = min(seconds)
        print(
            f"  Plant, {method:7s} 1e-10: error {error:.1e} m, {run.steps} steps, "
            f"{run.evaluations} evaluations, {run.seconds:.3f} s in the child, "
            f"{min(seconds):.3f} s with its start"
        )
    return float(best)


def show_stiff(path: Path, solution: Feedforward) -> None:
    print("RotaryCraneReal, rope of 1e7 N/m without damping, 20 s, tolerance 1e-8")
    controls = Controls.from_ppoly(solution.control_polynomial, INPUTS, stops=[5.0, 15.0])
    for method in ("DOP853", "CVODE"):
        with Plant(path) as plant:
            run = plant.simulate(
                times=solution.time, inputs=controls, method=method, tolerance=1e-8, outputs=LOAD
            )
        print(f"  Plant, {method:7s}: {run.evaluations} evaluations, {run.seconds:.2f} s")


def show_fmpy_rotary(path: Path, solution: Feedforward, best: float) -> None:
    for interval in (0.01, 0.001, 0.0005):
        times = np.linspace(0.0, 20.0, round(20 / interval) + 1)
        begin = time.perf_counter()
        result = fmpy_result(
            path,
            times,
            solution.controls(times),
            INPUTS,
            start_values={"s_start": 5.0, "l_start": 5.0},
            stop_time=20.0,
            output_interval=interval,
            relative_tolerance=1e-10,
            output=list(LOAD),
        )
        seconds = time.perf_counter() - begin
        every = round(0.01 / interval)
        load = np.column_stack([result[name][::every] for name in LOAD])
        error = np.abs(load[: len(solution.gamma)] - solution.gamma[: len(load)]).max()
        print(
            f"  fmpy.simulate_fmu, interval {interval:g} s: error {error:.1e} m, {seconds:.2f} s, "
            f"{seconds / best:.0f} times as long"
        )


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        show_held_input(export_fmu(integrator(), Path(directory) / "integrator.fmu"))
    problem = load_scenario("rotary").problem
    solution = solve_index1(problem, np.linspace(0.0, problem.path.duration, 2001))
    path = cached_fmu("RotaryCrane")
    best = show_rotary(path, solution)
    show_fmpy_rotary(path, solution, best)
    show_stiff(cached_fmu("RotaryCraneReal"), solution)


if __name__ == "__main__":
    main()
