"""The on-line generator with its controller: delivered, compiled, and run on the twin."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from c_programs import STRICT
from cranebridge.control.code.controller import Controller
from cranebridge.control.model.rest import rest_state
from cranebridge.control.model.sampled_motion import motion_step
from cranebridge.control.observer.sensors import Sensor, readings
from cranebridge.forward.crane_accelerations import crane_dynamics, project
from cranebridge.forward.local_state_space import choose_independent
from cranebridge.inverse.sampling import solved_at
from cranebridge.job.delivering import hand_over
from cranebridge.job.ordering import Wishes
from cranebridge.job.solving import solve_scenario
from cranebridge.scenario import Scenario
from cranebridge.scenario.control_rules import speed_drives
from cranebridge.twin.language.crane import names

SUBSTEPS = 4  # of a cycle with speed loops, whose poles are 200 1/s: Runge-Kutta of order 4

SIZES = """\
#include "mine_controller.h"
unsigned long size_of_generator(void);
unsigned long size_of_controller(void);
unsigned long size_of_generator(void) { return sizeof(mine_state); }
unsigned long size_of_controller(void) { return sizeof(mine_controller_state); }
"""


class OnLine:
    """Generator and controller of a scenario, as compiled code."""

    def __init__(self, scenario: Scenario, folder: Path, precision: str = "double") -> None:
        wishes = Wishes("generator", folder / "mine.c", precision=precision, overwrite=True)
        self.files = hand_over(scenario, wishes)
        self.folder, self.scenario = folder, scenario
        (folder / "sizes.c").write_text(SIZES)
        sources = [str(folder / name) for name in ("mine.c", "mine_controller.c", "sizes.c")]
        flags = [*STRICT, "-Wconversion"]
        command = ["gcc", *flags, *sources, "-o", str(folder / "mine.so"), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self.library = ctypes.CDLL(str(folder / "mine.so"))
        for name in ("size_of_generator", "size_of_controller"):
            getattr(self.library, name).restype = ctypes.c_ulong
        self.real = ctypes.c_double if precision == "double" else ctypes.c_float
        self.type = np.float64 if precision == "double" else np.float32
        self.inputs = len(scenario.crane.inputs)
        self.restart()

        solution = solve_scenario(scenario).feedforward
        self.rest = solution.q[0]
        header = (folder / "mine_controller.h").read_text()
        self.measured = re.findall(r"mine_controller_in_\d+_\w+ = \d+, /\* (\S+)", header)

    def restart(self) -> None:
        self.generator = ctypes.create_string_buffer(self.library.size_of_generator())
        self.state = ctypes.create_string_buffer(self.library.size_of_controller())
        assert self.library.mine_init(self.generator) == 0
        self.library.mine_controller_init(self.state)

    def _array(self, values: Sequence[float]) -> Any:
        return (self.real * len(values))(*values)

    def plan(self, start: Sequence[float], goal: Sequence[float], duration: float) -> int:
        ends = map(self._array, (start, goal))
        return int(self.library.mine_plan(self.generator, *ends, self.real(duration)))

    def replan(self, t: float, goal: Sequence[float]) -> int:
        return int(self.library.mine_replan(self.generator, self.real(t), self._array(goal)))

    def step(self, t: float, measured: np.ndarray) -> tuple[int, np.ndarray]:
        given = np.ascontiguousarray(measured, dtype=self.type)
        u = np.full(self.inputs, np.nan, dtype=self.type)
        pointers = (ctypes.c_void_p(array.ctypes.data) for array in (given, u))
        step = self.library.mine_controller_step
        return int(step(self.state, self.generator, self.real(t), *pointers)), u

    def feedforward(self, t: float, _measured: np.ndarray) -> tuple[int, np.ndarray]:
        """Return what the generator alone gives out; its outputs begin with gamma, q, v, a, ..."""
        c = self.scenario.crane
        sizes = [len(c.outputs), *[len(c.coordinates)] * 4, max(len(c.multipliers), 1)]
        output = (self.real * (sum(sizes) + 1000))()
        status = int(self.library.mine_step(self.generator, self.real(t), output))
        begin = sum(sizes)
        return status, np.array(output[begin : begin + self.inputs])


@dataclass(frozen=True)
class Run:
    """What a run gave: statuses, inputs, outputs of the twin, a row for each sample."""

    status: np.ndarray
    u: np.ndarray
    outputs: np.ndarray


def run_on_twin(
    module: OnLine,
    q: np.ndarray,
    samples: int,
    wish: Callable[[int, float], float],
    parameters: dict[str, float] | None = None,
    cycle: float = 0.005,
    law: Callable[[float, np.ndarray], tuple[int, np.ndarray]] | None = None,
) -> Run:
    """Run the controller on the twin from a start at rest.

    Parameters
    ----------
    module : OnLine
        Freshly started; `law` in place of its step, if given.
    q : numpy.ndarray
        Where the crane is; the nearest consistent place is taken.
    samples : int
        How many.
    wish : callable
        Of the sample's number and its time; plans, and returns the time that holds from here on.
    parameters : dict, optional
        Of the twin, where they are not those of the scenario.
    """
    crane, problem = module.scenario.crane, module.scenario.problem
    values = crane.parameter_values(dict(problem.parameters) | (parameters or {}))
    p = np.array([values[name] for name in names(crane.parameters)])
    q, v = project(crane_dynamics(crane), q, np.zeros(len(q)), p)
    H = np.array(crane_dynamics(crane).manifold(q, p)[1])
    inner = [names(crane.coordinates)[i] for i in choose_independent(H)]
    drives = speed_drives(module.scenario.tables)
    inputs, coordinates = names(crane.inputs), names(crane.coordinates)
    # speed loops hold the crane by themselves, as their plants' do
    held = rest_state(crane, values, {}, q, np.zeros(len(inputs)))[1] if drives else []
    hold = [held[inputs.index(drive.input)] for drive in drives]
    motion = motion_step(crane, inner, drives=drives, hold=hold)
    places = [q[coordinates.index(drive.coordinate)] for drive in drives]
    moved = np.array([inputs.index(drive.input) for drive in drives], dtype=int)
    wind = np.concatenate([np.zeros(len(crane.outputs)), places])
    look = readings(crane, [Sensor(signal, 1.0) for signal in module.measured])
    seen = readings(crane, [Sensor(f"y.{name}", 1.0) for name in names(crane.outputs)])
    t, found = 0.0, []
    for k in range(samples):
        t = wish(k, t)
        measured = np.array(look(q, v, p)[0])[:, 0]
        status, u = (law or module.step)(t, measured)
        found.append((status, u.astype(float), np.array(seen(q, v, p)[0])[:, 0]))
        for _ in range(SUBSTEPS if drives else 1):
            h = cycle / (SUBSTEPS if drives else 1)
            q, v = (np.array(part)[:, 0] for part in motion.step(q, v, u, wind, p, h))
            wind[len(crane.outputs) :] += h * u[moved]
        t += cycle
    return Run(*(np.array([one[i] for one in found]) for i in range(3)))


def hold_error(scenario: Scenario, controller: Controller) -> np.ndarray:
    """Return what the table of the feedforward that is held is wrong by, at most.

    It is taken at the middle of a cycle, from a cubic between two solutions; on line it is solved.
    """
    solution = solve_scenario(scenario).feedforward
    whole, rest = controller.delay
    ahead = (0.5 + whole) * controller.cycle + rest
    times = controller.start + controller.cycle * np.arange(len(controller.hold) - 1)
    times = np.clip(times + ahead, *solution.time[[0, -1]])
    exact = solved_at(solution, np.unique(times)).u[np.unique(times, return_inverse=True)[1]]
    return np.abs(exact - controller.hold[:-1]).max(axis=0)
