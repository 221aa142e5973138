"""Simulation of an FMU by Co-Simulation, in the child process.

Every output time is a communication point; the inputs are set there, with their derivatives where
the FMU takes them.
"""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from cranebridge.plant.fmi_calls import Block, EndedError, FmuError, Instance
from cranebridge.plant.simulation_task import Array, InputSetter, Task, bounds, require_finite_at
from cranebridge.plant.variable_block import Reference

MAX_ORDER = 3


class CoSimulation:
    """One simulation by Co-Simulation."""

    def __init__(self, instance: Instance, task: Task, order: int) -> None:
        self.instance, self.task = instance, task
        self.inputs = InputSetter(instance, task)
        self.order = order if self.inputs.active and self.inputs.continuous else 0
        if self.order:
            self._prepare_derivatives()
        self._outputs = Block(task.outputs)
        self._states = Block(task.state_references)
        self.outputs = np.zeros((len(task.times), len(task.outputs)))
        self.states = np.zeros((len(task.times), len(task.state_references)))
        self.steps = self._row = 0
        self.ended = ""

    def _prepare_derivatives(self) -> None:
        assert self.task.controls is not None
        # Discrete inputs have no derivatives.
        names = [self.task.controls.names[i] for i in self.inputs.continuous]
        references = [self.task.references[name] for name in names] * self.order
        self._rates = Block(references)
        orders = [k for k in range(1, self.order + 1) for _ in names]
        self._orders = (ctypes.c_int * len(orders))(*orders)

    def run(self) -> None:
        """Simulate; fills `outputs` and `states`, up to where the FMU ends it."""
        points = communication_points(self.task)
        output_times = self.task.times.tolist()
        for i, (t, is_output) in enumerate(points):
            following = points[i + 1][0] if i + 1 < len(points) else t
            self.inputs.window(t, following)
            self.inputs.apply(t)
            self.inputs.apply_discrete(t)
            if is_output:
                self._collect(self._row, output_times[self._row])
                self._row += 1
            if i + 1 < len(points):
                if self.order:
                    self._set_derivatives(t, following - t)
                try:
                    self.instance.do_step(t, following - t)
                except EndedError as error:
                    at = t if error.time is None else error.time
                    self.ended = f"{error} at t = {at:.12g} s"
                    return
                self.steps += 1

    def _set_derivatives(self, t: float, size: float) -> None:
        rates = self.inputs.polynomial(t, size, self.order)[:, self.inputs.continuous]
        self._rates.values[:] = rates.ravel().tolist()
        status = self.instance.set_input_derivatives(self._rates, self._orders, self._rates.address)
        if status not in (0, 1):
            raise FmuError(f"fmi2SetRealInputDerivatives returned {status}")

    def _collect(self, row: int, t: float) -> None:
        if self._outputs.size:
            address = self.outputs.ctypes.data + 8 * row * self._outputs.size
            self.instance.get_real(self._outputs, address)
            require_finite_at(self.outputs[row], self.task.output_names, t)
        if self._states.size:
            address = self.states.ctypes.data + 8 * row * self._states.size
            self.instance.get_real(self._states, address)
            require_finite_at(self.states[row], self.task.state_names, t)

    def arrays(self) -> dict[str, Array]:
        """Results for the message to the parent."""
        return {"outputs": self.outputs[: self._row], "states": self.states[: self._row]}

    def statistics(self) -> dict[str, Any]:
        """Counters, and how the inputs were interpolated."""
        held = "inputs held over each communication step (order 1)"
        text = f"input derivatives up to order {self.order}" if self.order else held
        return {
            "steps": self.steps,
            "rejected": 0,
            "evaluations": 0,
            "events": 0,
            "ended": self.ended,
            "interpolation": text,
        }


def communication_points(task: Task) -> list[tuple[float, bool]]:
    """Times where data is exchanged, and whether they are output times.

    Output times and stops of the inputs are communication points; between them equal steps of at
    most `task.step`.
    """
    times = task.times
    marks = sorted({*times.tolist(), *bounds(float(times[0]), float(times[-1]), task.controls)})
    step = task.step if task.step is not None else float(np.median(np.diff(times)))
    is_output = set(times.tolist())
    points = [(marks[0], True)]
    for begin, end in itertools.pairwise(marks):
        # tolerant to rounding: 0.01 in steps of 0.005 are two, not three
        count = max(1, math.ceil((end - begin) / step * (1.0 - 1e-9)))
        points += [(begin + (end - begin) * k / count, False) for k in range(1, count)]
        points.append((end, end in is_output))
    if not task.variable_step:
        sizes = np.diff([t for t, _ in points])
        if np.ptp(sizes) > 1e-6 * sizes.max():
            raise FmuError(
                "this FMU takes communication steps of one length only; the output times and "
                f"stops ask for steps from {sizes.min():.6g} to {sizes.max():.6g} s"
            )
    return points


def probe_input_order(instance: Instance, references: Sequence[Reference]) -> int:
    """Highest order of input derivatives that a scratch instance in step mode accepts."""
    references = [reference for reference in references if isinstance(reference, int)]
    for order in range(1, MAX_ORDER + 1):
        block = Block(references)
        orders = (ctypes.c_int * len(references))(*([order] * len(references)))
        if instance.set_input_derivatives(block, orders, block.address) != 0:
            return order - 1
    return MAX_ORDER
