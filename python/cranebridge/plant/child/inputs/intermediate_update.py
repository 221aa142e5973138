"""Inputs within a communication step of an FMI 3 FMU, which asks for them; in the child process."""

from __future__ import annotations

import math
from typing import Any

from cranebridge.plant.child.fmi import FmuError
from cranebridge.plant.child.inputs.input_setter import InputSetter
from cranebridge.plant.protocol import SimulationRequest

_SLACK = 1e-9  # of a step, for the rounding of an FMU's own time


class IntermediateUpdate:
    """The callback of one simulation.

    Attributes
    ----------
    required : tuple of int
        Value references that it sets and reads.
    count : int
        How often inputs were set in it.
    """

    def __init__(self, request: SimulationRequest) -> None:
        references = [request.references[name] for name in request.intermediate]
        self.required = tuple(r if isinstance(r, int) else int(r[0]) for r in references)
        self.count = 0
        self._inputs: InputSetter | None = None
        self._begin = self._end = math.nan
        self._failure: Exception | None = None

    def attach(self, inputs: InputSetter) -> None:
        """Name what sets the inputs; the instance must be made before it."""
        self._inputs = inputs

    def step(self, begin: float, end: float) -> None:
        """Expect to be called for times of this step only."""
        self._begin, self._end = begin, end

    def __call__(
        self,
        _environment: Any,
        time: float,
        set_requested: bool,
        get_allowed: bool,
        _finished: bool,
        can_return: bool,
        return_requested: Any,
        return_time: Any,
    ) -> None:
        """Set the inputs, if the FMU asks for them. No exception can pass through it."""
        try:
            if set_requested and self._failure is None:
                self._set(time, get_allowed)
        except Exception as error:
            self._failure = error
        if can_return and return_requested and return_time:
            return_requested[0] = self._failure is not None
            return_time[0] = time

    def _set(self, time: float, get_allowed: bool) -> None:
        slack = _SLACK * (self._end - self._begin)
        if not self._begin - slack <= time <= self._end + slack:
            raise FmuError(
                f"the FMU asks for inputs at t = {time} s, outside of its step from "
                f"{self._begin} to {self._end} s"
            )
        assert self._inputs is not None
        self.count += 1
        self._inputs.apply_within(min(max(time, self._begin), self._end), get_allowed)

    def check(self) -> None:
        """Raise what went wrong in the callback."""
        if self._failure is not None:
            raise self._failure
