"""The compiled on-line generator behind names."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

from cranebridge.inverse.problem import ServoProblem
from cranebridge.inverse.signal_groups import Signal
from cranebridge.online.status import STATUSES

CODES = {status.name: status.code for status in STATUSES}


class Generator:
    """A state and the functions that work on it."""

    def __init__(self, library: ctypes.CDLL, problem: ServoProblem, precision: str) -> None:
        self.library = library
        self.real = ctypes.c_double if precision == "double" else ctypes.c_float
        c = problem.crane
        n, inputs, ropes = len(c.coordinates), len(c.inputs), len(c.ropes)
        self.parts = {
            "gamma": len(c.outputs),
            "q": n,
            "v": n,
            "a": n,
            "jerk": n,
            "lambda": len(c.multipliers),
            "u": inputs,
            "u_rate": inputs,
            "rope": ropes,
        }
        # p, then the structs `least` and `most`
        position, self.bounds = max(len(c.parameters), 1), {}
        limited = {"rope": ropes, "u": inputs, "q": n, "v": n, "a": n, "jerk": n, "power": inputs}
        for end in ("least", "most"):
            for group, count in limited.items():
                self.bounds[end, group] = position
                position += max(count, 1)
        # then the plan: an int stands where a number could
        self.plan_parts = {"start": len(c.outputs), "goal": len(c.outputs), "duration": 1}
        self.plan_parts |= {"moving": 1, "rest": len(c.outputs), "fade": 1}
        self.plan_position = position
        self.output = (self.real * sum(max(k, 1) for k in self.parts.values()))()
        self.state = ctypes.create_string_buffer(1 << 16)
        self.restart()

    @property
    def folder(self) -> Path:
        """Where the source and its header are."""
        return Path(self.library._name).parent

    def restart(self) -> None:
        assert self.library.online_init(self.state) == CODES["OK"]

    def plan(self, start: Any, goal: Any, duration: float) -> int:
        arrays = ((self.real * len(x))(*x) for x in (start, goal))
        return int(self.library.online_plan(self.state, *arrays, self.real(duration)))

    def plan_shortest(self, start: Any, goal: Any) -> int:
        arrays = ((self.real * len(x))(*x) for x in (start, goal))
        return int(self.library.online_plan_shortest(self.state, *arrays))

    def replan(self, time: float, goal: Any) -> int:
        array = (self.real * len(goal))(*goal)
        return int(self.library.online_replan(self.state, self.real(time), array))

    def stop(self, time: float) -> int:
        return int(self.library.online_stop(self.state, self.real(time)))

    def read_plan(self) -> dict[str, np.ndarray]:
        """Return start, goal, duration of the plan, and what it has if it continues a motion."""
        numbers = ctypes.cast(self.state, ctypes.POINTER(self.real))
        found, position = {}, self.plan_position
        for name, count in self.plan_parts.items():
            found[name] = np.array(numbers[position : position + count], dtype=float)
            position += count
        return found

    def step(self, time: float) -> int:
        return int(self.library.online_step(self.state, self.real(time), self.output))

    def set_number(self, position: int, value: float) -> float:
        """Change a number in the state; returns what it was."""
        numbers = ctypes.cast(self.state, ctypes.POINTER(self.real))
        before, numbers[position] = numbers[position], value
        return float(before)

    def set_limit(self, end: str, signal: Signal, value: float) -> float:
        """Change a limit; returns what it was."""
        return self.set_number(self.bounds[end, signal.group] + signal.position, value)

    def signals(self) -> dict[str, np.ndarray]:
        values, found, position = np.array(self.output, dtype=float), {}, 0
        for name, count in self.parts.items():
            found[name] = values[position : position + count]
            position += max(count, 1)
        return found
