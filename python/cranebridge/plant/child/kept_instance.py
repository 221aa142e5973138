"""An instance of an FMU that is set back between runs, in place of a new one for each.

Campaigns run the same FMU thousands of times, and some FMUs take long to instantiate. FMI's reset
must leave nothing of the run before. Ours leaves nothing; a foreign one may forget what it keeps
beside its states. So runs after a reset are compared with the same run in a new instance, bit by
bit: all until some that differ from the run before them agreed, then one of many.

In the child process only.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.fmi import FmuError, Instance
from cranebridge.plant.protocol import Instantiation, SimulationRequest

Reply: TypeAlias = tuple[dict[str, Any], dict[str, NDArray[np.float64]]]

COMPARED = 3
"""So many runs after a reset are compared with new instances before one is believed."""
AGAIN = 64
"""Then one of so many is."""
# An FMU that takes longer than this part of the time limit cannot be run twice in one request.
_QUICK = 0.25
# Results that say how long it took, and not what came out.
_TIMES = ("seconds", "set_back")


class KeptInstance:
    """Runs an FMU again and again, in one instance as long as that is the same as in new ones."""

    def __init__(self) -> None:
        self._instance: Instance | None = None
        self._fmu: Instantiation | None = None
        self._last: Any = None
        self._agreed, self._runs, self._trusted = 0, 0, True

    def run(
        self,
        request: SimulationRequest,
        limit: float,
        make: Callable[[], Instance],
        simulate: Callable[[Instance], Reply],
    ) -> Reply:
        """Run an FMU.

        Parameters
        ----------
        request : SimulationRequest
            What to simulate.
        limit : float
            Seconds that it may take.
        make : callable
            Makes an instance.
        simulate : callable
            Initializes an instance and runs it.

        Raises
        ------
        FmuError
            If the FMU fails in a new instance; or if a run after a reset differs from a new
            instance's when resets have been believed already.
        """
        believed = self._agreed >= COMPARED
        differs = not believed and self._differs(request)
        kept = self._set_back(request.fmu)
        if kept is None:
            return self._run_new(request, limit, make, simulate)
        try:
            reply = simulate(kept)
        except FmuError:  # whatever it is: a new instance tells whether the reset was the reason
            self._end(kept)
            return self._run_new(request, limit, make, simulate)
        self._runs += 1
        if not believed or self._runs % AGAIN == 0:
            fresh = make()
            other = simulate(fresh)
            fresh.close()
            if not _same(reply, other):
                self._end(kept)
                self._trusted = False
                if believed:
                    raise FmuError(
                        "its reset forgets something: this run is another one in a new instance, "
                        f"and so may be up to {AGAIN - 1} runs before it; set plant.reset = false"
                    )
                return other
            self._agreed += differs  # a run that is repeated proves little
        self._instance = kept
        return reply[0] | {"set_back": True}, reply[1]

    def _differs(self, request: SimulationRequest) -> bool:
        """Return whether parameters, start or controls are others than in the run before."""
        last = self._last
        self._last = (
            *(request.values, request.state_values),
            *((name, array.tobytes()) for name, array in request.message()[1].items()),
        )
        return bool(last != self._last)

    def close(self) -> None:
        """Free the instance."""
        if self._instance is not None:
            self._end(self._instance)

    def _run_new(
        self,
        request: SimulationRequest,
        limit: float,
        make: Callable[[], Instance],
        simulate: Callable[[Instance], Reply],
    ) -> Reply:
        instance = make()
        reply = simulate(instance)
        quick = reply[0]["seconds"] < _QUICK * limit
        if self._trusted and quick:
            self._instance, self._fmu = instance, request.fmu
        else:
            instance.close()
        return reply

    def _set_back(self, fmu: Instantiation) -> Instance | None:
        """Return the instance of the run before, as if it were new; None if there is none."""
        kept, self._instance = self._instance, None
        if kept is None:
            return None
        if fmu == self._fmu:
            with contextlib.suppress(FmuError):
                kept.terminate()
                kept.reset()
                return kept
            self._trusted = False  # it cannot be reset
        self._end(kept)
        return None

    def _end(self, instance: Instance) -> None:
        self._instance = None
        instance.close()


def _same(one: Reply, other: Reply) -> bool:
    """Return whether two runs are the same: all counters, and all numbers bit by bit."""
    said = [{k: v for k, v in reply[0].items() if k not in _TIMES} for reply in (one, other)]
    if said[0] != said[1] or one[1].keys() != other[1].keys():
        return False
    return all(
        array.shape == other[1][name].shape and array.tobytes() == other[1][name].tobytes()
        for name, array in one[1].items()
    )
