"""Inputs of an instance over time, with the controllers in the loop."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.fmi import Instance, VariableBlock
from cranebridge.plant.protocol import (
    ControlFunction,
    Controls,
    LawFunction,
    SimulationRequest,
)

Array = NDArray[np.float64]
# What an input may change at a time without being taken for a jump, of its largest value.
JUMP = 1e-11


class InputSetter:
    """Sets the inputs of an instance for a time, with the controllers in the loop."""

    def __init__(self, instance: Instance, request: SimulationRequest) -> None:
        controls = request.controls
        self._instance = instance
        self.law: LawFunction | None = None
        self.active = controls is not None and len(controls.names) > 0
        if controls is None or not self.active:
            return
        names = controls.names
        self.values: Any = (ctypes.c_double * len(names))()
        # Discrete inputs change in event mode only, the others with every evaluation; of these, a
        # Co-Simulation FMU may take some within its steps.
        self._groups: list[tuple[VariableBlock, list[int]]] = []
        for members in (
            [name for name in names if name not in request.discrete],
            request.discrete,
            [
                name
                for name in names
                if name in request.intermediate and name not in request.discrete
            ],
        ):
            columns = [i for i, name in enumerate(names) if name in members]
            block = VariableBlock([request.references[names[i]] for i in columns])
            self._groups.append((block, columns))
        self._address = ctypes.addressof(self.values)
        self.continuous: list[int] = self._groups[0][1]
        self.within: list[int] = self._groups[2][1]
        self._function = ControlFunction(controls)
        self._parts = [self._function]
        if controls.law is not None:
            self.law = LawFunction(controls.law)
            self._read = VariableBlock([request.references[name] for name in controls.law.readings])
        self._drives = controls.drives
        if self._drives is not None:
            drives = self._drives
            self._reference = ControlFunction(drives.reference)
            self._rate = ControlFunction(drives.velocity)
            self._parts += [self._reference, self._rate]
            count = len(drives.inputs)
            self._wanted = (ctypes.c_double * count)()
            self._wanted_rate = (ctypes.c_double * count)()
            measured = [*drives.positions, *drives.velocities]
            self._measured = VariableBlock([request.references[name] for name in measured])
            self._measured_within = all(name in request.intermediate for name in measured)
            columns = [controls.names.index(name) for name in drives.inputs]
            self._gains = [
                (column, i, count + i, drives.kp[i], drives.kv[i])
                for i, column in enumerate(columns)
            ]
        self._scale = largest(controls)

    def window(self, begin: float, end: float) -> None:
        """Evaluate in an interval, with one-sided values at its ends."""
        if self.active:
            for part in self._parts:
                part.window(begin, end)

    def move(self, t: float, end: float) -> bool:
        """Go on to the interval that begins at t; whether an input jumps there."""
        if not self.active:
            return False
        sides = []
        for begin in (None, t):
            if begin is not None:
                self.window(t, end)
            rows: list[float] = []
            for part in self._parts:
                row = (ctypes.c_double * part.size)()
                part.into(t, row)
                rows += row
            sides.append(np.array(rows))
        left, right = sides
        # A polynomial that goes on smoothly still differs by rounding.
        return bool((np.abs(right - left) > JUMP * self._scale).any())

    def run_law(self, t: float) -> bool:
        """Let a sampled law read the instance and give inputs, as far as due; whether they jump.

        The instance is at this time already.
        """
        if self.law is None:
            return False
        if self.law.is_due(t):
            self._instance.get_real(self._read, self._read.address)
            self.law.sample(np.array(self._read.values))
        return self.law.change(t)

    def apply(self, t: float) -> None:
        """Set the continuous inputs; time and states have been set already."""
        if self.active:
            self._set(t, 0)

    def apply_discrete(self, t: float) -> None:
        """Set the discrete inputs: in event mode, or between communication steps."""
        if self.active:
            self._set(t, 1)

    def apply_within(self, t: float, readable: bool) -> None:
        """Set inputs within a communication step; drive controllers measure if they may."""
        self._set(t, 2, readable and self._drives is not None and self._measured_within)

    def _set(self, t: float, group: int, measure: bool = True) -> None:
        block, columns = self._groups[group]
        if not columns:
            return
        values = self.values
        self._function.into(t, values)
        if self.law is not None:
            for i, given in enumerate(self.law.active):
                values[i] += given
        if self._drives is not None:
            self._add_drives(t, measure)
        if block.size == len(values):
            self._instance.set_real(block, self._address)
            return
        for i, column in enumerate(columns):
            block.values[i] = values[column]
        self._instance.set_real(block, block.address)

    def _add_drives(self, t: float, measure: bool) -> None:
        measured, wanted, rate = self._measured, self._wanted, self._wanted_rate
        if measure:
            self._instance.get_real(measured, measured.address)
        self._reference.into(t, wanted)
        self._rate.into(t, rate)
        u, y = self.values, measured.values
        for column, i, j, kp, kv in self._gains:
            u[column] += kp * (wanted[i] - y[i]) + kv * (rate[i] - y[j])

    def polynomial(self, begin: float, size: float, order: int) -> Array:
        """Derivatives 1 to `order` at `begin` of the interpolation over one step, order by order.

        The interpolating polynomial through order + 1 points of the step, not Taylor's: its error
        is smaller, and it meets the next step's value for order 1 and higher.
        """
        nodes = np.linspace(0.0, 1.0, order + 1)
        values = np.empty((order + 1, self._function.size))
        row = (ctypes.c_double * self._function.size)()
        for i, node in enumerate(nodes):
            self._function.into(begin + node * size, row)
            values[i] = row[:]
        coefficients = np.linalg.solve(np.vander(nodes, increasing=True), values)
        factors = [math.factorial(k) / size**k for k in range(1, order + 1)]
        return np.asarray(coefficients[1:] * np.array(factors)[:, None])


def largest(controls: Controls) -> Array:
    """Largest values of the signals, of the drives' references and of their rates.

    Where their intervals begin: how large they are, not how large they may be.
    """
    signals = [controls]
    if controls.drives is not None:
        signals += [controls.drives.reference, controls.drives.velocity]
    return np.concatenate([np.abs(signal.coefficients[-1]).max(axis=0) for signal in signals])
