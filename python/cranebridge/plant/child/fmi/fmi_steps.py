"""FMI calls of a Co-Simulation step, the same for FMI 2.0 and 3.0; in the child process only."""

from __future__ import annotations

import contextlib
import ctypes
from ctypes import c_bool, c_double, c_int, c_size_t, c_void_p
from dataclasses import dataclass
from typing import Any

from cranebridge.plant.child.fmi.fmi_calls import Instance
from cranebridge.plant.child.fmi.fmi_errors import (
    DISCARD,
    DISCARDED,
    ENDED,
    FmuError,
    SimulationEndedError,
    check,
)
from cranebridge.plant.child.fmi.fmi_library import MissingFunction
from cranebridge.plant.child.fmi.variable_block import VariableBlock

# Kinds of status in FMI 2: fmi2LastSuccessfulTime and fmi2Terminated of fmi2StatusKind.
_LAST_TIME = 2
_TERMINATED = 3
# A pointer, and a number of values.
_P = c_void_p
_N = c_size_t
_DO_STEP = {
    True: (_P, c_double, c_double, c_int),
    False: (_P, c_double, c_double, c_bool, _P, _P, _P, _P),
}


@dataclass(frozen=True)
class StepEnd:
    """How a communication step ended: at which time, whether too early, whether at an event."""

    time: float
    early: bool = False
    event: bool = False


class CommunicationSteps:
    """Communication steps of an instance."""

    def __init__(self, instance: Instance) -> None:
        self._instance, self._fmi2 = instance, instance.fmi2
        self._component, self._dll = instance.component, instance.raw.dll
        self._do_step = instance.bind(f"fmi{2 if self._fmi2 else 3}DoStep", *_DO_STEP[self._fmi2])
        self._restores = instance.offer.restores
        self._derivatives: Any = None
        if self._fmi2:
            self._derivatives = instance.bind("fmi2SetRealInputDerivatives", _P, _P, _N, _P, _P)

    def do_step(self, t: float, size: float) -> StepEnd:
        """Simulate one communication step."""
        if self._fmi2:
            status = self._do_step(self._component, t, size, int(not self._restores))
            if status == DISCARD:
                raise self.why_discarded(t, t + size)
            check(status, "fmi2DoStep")
            return StepEnd(t + size)
        event, terminate, early = c_bool(), c_bool(), c_bool()
        last = c_double(t)
        places = [ctypes.addressof(place) for place in (event, terminate, early, last)]
        status = self._do_step(self._component, t, size, not self._restores, *places)
        if status == DISCARD:
            raise SimulationEndedError(DISCARDED, _within(last.value, t, t + size))
        check(status, "fmi3DoStep")
        if terminate.value:
            raise SimulationEndedError(ENDED, _within(last.value, t, t + size))
        return self._end(t, size, StepEnd(last.value, early.value, event.value))

    def _end(self, t: float, size: float, end: StepEnd) -> StepEnd:
        """Return an end that the standard allows."""
        offer = self._instance.offer
        if end.event and not offer.events:
            raise FmuError("the FMU wants the event mode, which is not used")
        if not end.early:
            return StepEnd(t + size, event=end.event)
        if not offer.early_return:
            raise FmuError(f"the FMU returned early at t = {end.time} s, which was not allowed")
        if _within(end.time, t, t + size) is None:
            raise FmuError(f"the FMU returned early at t = {end.time} s, outside of its step")
        return end

    def why_discarded(self, t: float, end: float) -> SimulationEndedError:
        """Ask an FMI 2 FMU why it discarded a step; it need not be able to tell."""
        if not self._fmi2:  # it has told already
            return SimulationEndedError(DISCARDED)
        ended, last = c_int(0), c_double(t)
        status = [3, 3]
        with contextlib.suppress(FmuError):
            status[0] = self._dll.fmi2GetBooleanStatus(
                self._component, _TERMINATED, ctypes.byref(ended)
            )
        with contextlib.suppress(FmuError):
            status[1] = self._dll.fmi2GetRealStatus(self._component, _LAST_TIME, ctypes.byref(last))
        reason = ENDED if status[0] == 0 and ended.value else DISCARDED
        return SimulationEndedError(reason, _within(last.value, t, end) if status[1] == 0 else None)

    def set_input_derivatives(self, block: VariableBlock, orders: Any, values: int) -> int:
        """Set derivatives of inputs; returns the status."""
        if self._derivatives is None or isinstance(self._derivatives, MissingFunction):
            return 3
        return int(
            self._derivatives(
                self._component,
                block.references_address,
                block.size,
                ctypes.addressof(orders),
                values,
            )
        )


def _within(t: float, begin: float, end: float) -> float | None:
    """Return a time that an FMU reported, if it can be."""
    return t if begin <= t <= end else None
