"""Co-Simulation from a saved state, as often as wanted; in the child process only.

The instance stays between requests. A run that begins where the last one ended goes on from there;
one that begins where the last one began sets the FMU back to that first (FMI's get and set state).
"""

from __future__ import annotations

import ctypes
from ctypes import c_void_p
from typing import Any

from cranebridge.plant.child.co_simulation import CoSimulation
from cranebridge.plant.child.fmi import FmuError, Instance, check
from cranebridge.plant.child.inputs import IntermediateUpdate
from cranebridge.plant.protocol import SimulationRequest


class RestoredRun:
    """An initialized instance whose state is saved where each run begins."""

    def __init__(self, instance: Instance, order: int, update: IntermediateUpdate) -> None:
        self.instance, self._order, self._update = instance, order, update
        word = "fmi2{}FMUstate" if instance.fmi2 else "fmi3{}FMUState"
        self._names = {way: word.format(way) for way in ("Get", "Set", "Free")}
        self._calls = {
            way: instance.bind(name, c_void_p, c_void_p) for way, name in self._names.items()
        }
        self._saved = c_void_p()
        self._begin: float | None = None
        self._end: float | None = None
        # Where events stand is known here, not to the FMU: it belongs to the state.
        self._events_there: Any = None
        self._events_now: Any = None

    def run(self, request: SimulationRequest, reached: ctypes.c_double) -> CoSimulation:
        """Simulate from the end of the last run, or from its begin again."""
        since, until = request.start, request.end
        if since == self._begin:
            self._call("Set", self._saved)
        elif self._end is None or since == self._end:
            self._save()
            self._begin, self._events_there = since, self._events_now
        else:
            raise FmuError(
                f"a run from a saved state begins at t = {self._begin:.12g} or {self._end:.12g} s, "
                f"not at {since:.12g} s"
            )
        ahead = self._events_there
        run = CoSimulation(
            self.instance, request, reached, self._order, self._update, resumed=ahead
        )
        run.run()
        self._end, self._events_now = until, run.events_ahead
        return run

    def _save(self) -> None:
        """Save the present state in place of the last one."""
        if self._saved:
            self._call("Free", ctypes.addressof(self._saved))
            self._saved = c_void_p()
        self._call("Get", ctypes.addressof(self._saved))

    def _call(self, way: str, argument: Any) -> None:
        check(self._calls[way](self.instance.component, argument), self._names[way])

    def close(self) -> None:
        """Free the saved state and the instance."""
        if self._saved:
            self._call("Free", ctypes.addressof(self._saved))
        self.instance.close()
