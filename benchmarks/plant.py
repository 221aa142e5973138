"""Timings of exported FMUs, measured against CasADi's own FMU export in the same run.

    .venv/bin/python benchmarks/plant.py [CRANE]

Ours and CasADi's FMU hold the same equations and are compiled by the same compiler with the same
optimization; CasADi exports FMI 3 Model Exchange, so that is what both are compared in. Runs of
the two alternate, and the best of each counts.

Then one run of 20 s of the scenario `rotary` by Model Exchange, in a child process that is warm:
with the compiled loop, with the loop in Python, with FMPy and, where it is installed, with PyFMI,
each with the error of the load that it has.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import casadi as ca
import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave
from numpy.typing import NDArray

from cranebridge.frontend import PlantModel, load_model
from cranebridge.inverse.index1 import solve_index1
from cranebridge.plant import Plant, find_compiler
from cranebridge.plant.export import cached_fmu, export_fmu
from cranebridge.plant.protocol import Controls
from cranebridge.plant.sandbox import Simulation, loop_library
from cranebridge.scenario import load_scenario

HEADERS = Path(fmpy.__file__).parent / "c-code"
EVALUATIONS = 300_000
LIMIT_RHS = 2.0  # microseconds
LIMIT_CO_SIMULATION = 0.1  # seconds for 20 s at 10 ms
LIMIT_FASTER, LIMIT_BARE = 20.0, 3.0


def casadi_builder(model: PlantModel) -> ca.DaeBuilder:
    """The same equations in CasADi's own form."""
    dae = ca.DaeBuilder("peer")
    t = dae.add("time", "independent")
    x = [dae.add(f"x_{i}") for i in range(len(model.states))]
    u = [dae.add(f"u_{i}", "input") for i in range(len(model.inputs))]
    p = [dae.add(f"p_{i}", "parameter", "tunable") for i in range(len(model.parameters))]
    arguments = (t, ca.vertcat(*x), ca.vertcat(*u), ca.vertcat(*p))
    rates = ca.vertsplit(model.rhs.expand()(*arguments))
    outputs = ca.vertsplit(model.outputs_function.expand()(*arguments))
    for state, rate in zip(x, rates, strict=True):
        dae.eq(dae.der(state), rate)
    for i, value in enumerate(outputs):
        dae.eq(dae.add(f"y_{i}", "output"), value)
    values = [parameter.start for parameter in model.parameters]
    for i, value in enumerate(values):
        dae.set_start(f"p_{i}", value)
    for i, value in enumerate(model.initial(values).full().ravel()):
        dae.set_start(f"x_{i}", float(value))
    for i, variable in enumerate(model.inputs):
        dae.set_start(f"u_{i}", variable.start)
    return dae


def casadi_library(model: PlantModel, directory: Path) -> tuple[Path, str]:
    """CasADi's FMU of the model as a shared library, and its token."""
    with contextlib.chdir(directory):
        files = casadi_builder(model).export_fmu({"no_warning": True})
        sources = [name for name in files if name.endswith(".c")]
        command = [*find_compiler().command, "-O2", "-fno-math-errno", "-ffp-contract=off"]
        command += ["-fPIC", "-shared", f"-I{HEADERS}", *sources, "-o", "peer.so", "-lm"]
        subprocess.run(command, check=True)
        token = re.search(r'instantiationToken="([^"]*)"', Path("modelDescription.xml").read_text())
    assert token is not None
    return directory / "peer.so", token[1]


def our_library(model: PlantModel, directory: Path) -> tuple[Path, str]:
    """Our FMU of the model: its shared library and its token."""
    path = export_fmu(model, directory / "ours.fmu", fmi="3.0")
    fmpy.extract(str(path), unzipdir=str(directory / "ours"))
    (library,) = (directory / "ours" / "binaries").rglob("*.so")
    return library, fmpy.read_model_description(str(path)).guid


def build_driver(directory: Path) -> Path:
    """Compile plant_rhs.c."""
    driver = directory / "driver"
    source = Path(__file__).with_name("plant_rhs.c")
    command = [*find_compiler().command, "-O2", f"-I{HEADERS}", str(source)]
    subprocess.run([*command, "-o", str(driver), "-ldl"], check=True)
    return driver


def drive(driver: Path, library: Path, token: str, *inputs: int) -> tuple[float, float]:
    """Nanoseconds of a right-hand side, and a sum of what came out."""
    arguments = [str(driver), str(library), token, str(EVALUATIONS), *map(str, inputs)]
    output = subprocess.run(arguments, check=True, capture_output=True, text=True)
    nanoseconds, check = output.stdout.split()
    return float(nanoseconds), float(check)


def time_rhs(crane: str) -> tuple[float, float]:
    """Microseconds of one right-hand side through FMI: ours and CasADi's."""
    model = load_model(crane)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        driver = build_driver(directory)
        libraries = [our_library(model, directory), casadi_library(model, directory)]
        best, checks = [float("inf")] * 2, [0.0, 0.0]
        for _ in range(7):
            for i, (library, token) in enumerate(libraries):
                nanoseconds, checks[i] = drive(driver, library, token)
                best[i] = min(best[i], nanoseconds)
        assert abs(checks[0] - checks[1]) <= 1e-9 * max(abs(checks[1]), 1e-3), checks
    return best[0] / 1000, best[1] / 1000


def time_co_simulation(crane: str, parameters: dict[str, float]) -> tuple[float, float]:
    """Seconds of 20 s at 10 ms: the bare calls through FMPy, and its simulate_fmu."""
    path = cached_fmu(crane)
    with tempfile.TemporaryDirectory() as directory:
        fmpy.extract(str(path), unzipdir=directory)
        description = fmpy.read_model_description(directory)
        references = {v.name: v.valueReference for v in description.modelVariables}
        outputs = [v.valueReference for v in description.modelVariables if v.causality == "output"]
        slave = FMU2Slave(
            guid=description.guid,
            unzipDirectory=directory,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="one",
        )
        slave.instantiate()
        best = float("inf")
        for _ in range(5):
            slave.reset()
            slave.setReal([references[name] for name in parameters], list(parameters.values()))
            slave.setupExperiment(tolerance=1e-8, startTime=0.0)
            slave.enterInitializationMode()
            slave.exitInitializationMode()
            begin = time.perf_counter()
            for k in range(2000):
                slave.doStep(currentCommunicationPoint=0.01 * k, communicationStepSize=0.01)
                slave.getReal(outputs)
            best = min(best, time.perf_counter() - begin)
        slave.freeInstance()
        whole = float("inf")
        for _ in range(3):
            begin = time.perf_counter()
            fmpy.simulate_fmu(
                directory,
                fmi_type="CoSimulation",
                model_description=description,
                stop_time=20.0,
                output_interval=0.01,
                relative_tolerance=1e-8,
                start_values=parameters,
            )
            whole = min(whole, time.perf_counter() - begin)
    return best, whole


def time_cached_export(crane: str) -> float:
    """Seconds of a second export, with the start of the interpreter."""
    code = f"from cranebridge.plant import cached_fmu; cached_fmu({crane!r})"
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ))
    return time.perf_counter() - begin


class Rotary:
    """The scenario `rotary`: the load on its path, driven by the feedforward's polynomials."""

    inputs, load = ("M_b", "F_t", "M_w"), ("x", "y", "z")
    start: Mapping[str, float] = {"s": 5.0, "l": 5.0}

    def __init__(self) -> None:
        problem = load_scenario("rotary").problem
        self.solution = solve_index1(problem, np.linspace(0.0, problem.path.duration, 2001))
        polynomial = self.solution.control_polynomial
        self.controls = Controls.from_ppoly(polynomial, self.inputs, stops=[5.0, 15.0])

    def error(self, load: NDArray[np.float64]) -> float:
        return float(np.abs(load - self.solution.gamma).max())

    def run(self, path: Path, compiled: bool, every: int = 1) -> Simulation:
        """Return the fastest of some runs in one child; with `every` so many-th output time."""
        kept = loop_library.compiled
        if not compiled:
            loop_library.compiled = lambda: None
        try:
            with Plant(path) as plant:
                runs = [
                    plant.simulate(
                        times=self.solution.time[::every],
                        inputs=self.controls,
                        start=self.start,
                        outputs=self.load,
                    )
                    for _ in range(20)
                ]
        finally:
            loop_library.compiled = kept
        return min(runs, key=lambda run: run.seconds)

    def fmpy(self, path: Path, interval: float) -> tuple[float, float]:
        """Seconds and error of FMPy, whose inputs are held over an output interval."""
        times = np.linspace(0.0, 20.0, round(20.0 / interval) + 1)
        table = np.zeros(len(times), dtype=[(name, float) for name in ("time", *self.inputs)])
        table["time"] = times
        for name, column in zip(self.inputs, self.solution.controls(times).T, strict=True):
            table[name] = column
        begin = time.perf_counter()
        result = fmpy.simulate_fmu(
            str(path),
            fmi_type="ModelExchange",
            solver="CVode",
            input=table,
            start_values={f"{name}_start": value for name, value in self.start.items()},
            stop_time=20.0,
            output_interval=interval,
            relative_tolerance=1e-10,
            output=list(self.load),
        )
        seconds = time.perf_counter() - begin
        every = round(0.01 / interval)
        load = np.column_stack([result[name][::every] for name in self.load])
        return seconds, self.error(load)


def time_bare(path: Path) -> float:
    """Microseconds of a bare right-hand side: time, states and inputs set, derivatives read."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        fmpy.extract(str(path), unzipdir=name)
        (library,) = (directory / "binaries").rglob("*.so")
        description = fmpy.read_model_description(name)
        inputs = [v.valueReference for v in description.modelVariables if v.causality == "input"]
        driver = build_driver(directory)
        runs = [drive(driver, library, description.guid, *inputs)[0] for _ in range(7)]
    return min(runs) / 1000


def show_run() -> bool:
    """Print the times of one run; whether the limits are kept."""
    rotary, path = Rotary(), cached_fmu("RotaryCrane", fmi="3.0")
    compiled, python = rotary.run(path, True), rotary.run(path, False)
    # Without outputs on the way nothing but right-hand sides is evaluated.
    plain = rotary.run(path, True, every=len(rotary.solution.time) - 1)
    bare = time_bare(path) * plain.evaluations * 1e-6
    print("rotary, 20 s by Model Exchange at 1e-10, 2001 output times")
    for name, run in (("compiled loop", compiled), ("loop in Python", python)):
        print(
            f"  {name:28s}{1e3 * run.seconds:8.2f} ms   error {rotary.error(run.outputs):.1e} m, "
            f"{run.evaluations} evaluations"
        )
    for interval in (0.01, 0.001):
        seconds, error = rotary.fmpy(path, interval)
        words = f"FMPy, CVode, every {1e3 * interval:g} ms"
        print(f"  {words:28s}{1e3 * seconds:8.2f} ms   error {error:.1e} m")
    if importlib.util.find_spec("pyfmi") is not None:
        with Plant(path, backend="pyfmi") as plant:
            options = {"times": rotary.solution.time, "inputs": rotary.controls}
            options |= {"start": rotary.start, "outputs": rotary.load, "method": "Radau"}
            run = min((plant.simulate(**options) for _ in range(3)), key=lambda run: run.seconds)
        words = f"  {'PyFMI, Radau5ODE':28s}{1e3 * run.seconds:8.2f} ms   "
        print(f"{words}error {rotary.error(run.outputs):.1e} m")
    words = f"  {'compiled, ends only':28s}{1e3 * plain.seconds:8.2f} ms   "
    print(f"{words}{plain.evaluations} evaluations, bare {1e3 * bare:.2f} ms")
    faster, times = python.seconds / compiled.seconds, plain.seconds / bare
    print(f"  ratio Python / compiled     {faster:8.1f}      (at least {LIMIT_FASTER:g})")
    print(f"  ratio compiled / bare       {times:8.2f}      (at most {LIMIT_BARE:g})")
    return faster >= LIMIT_FASTER and times <= LIMIT_BARE


def main() -> int:
    crane = sys.argv[1] if len(sys.argv) > 1 else "RotaryCrane"
    ours, peer = time_rhs(crane)
    swing = {"theta_1_start": 0.3} if crane == "RotaryCrane" else {}
    calls, whole = time_co_simulation(crane, swing)
    second = time_cached_export(crane)
    print(f"{crane}")
    print(f"right-hand side through FMI 3   {ours:8.3f} us   (limit {LIMIT_RHS} us)")
    print(f"  CasADi's own FMU              {peer:8.3f} us")
    print(f"  ratio CasADi / ours           {peer / ours:8.2f}")
    print(f"20 s at 10 ms, FMPy calls       {calls:8.3f} s    (limit {LIMIT_CO_SIMULATION} s)")
    print(f"20 s at 10 ms, simulate_fmu     {whole:8.3f} s")
    print(f"second export, from the shell   {second:8.3f} s    (limit 0.5 s)")
    kept = show_run()
    kept &= ours < LIMIT_RHS and calls < LIMIT_CO_SIMULATION and ours <= peer
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
