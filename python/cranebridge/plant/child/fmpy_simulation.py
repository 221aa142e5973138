"""Simulation by FMPy's own `simulate_fmu`, in the child process: a second opinion.

FMPy initializes the FMU, takes the steps (CVode in Model Exchange), and handles the events. It
takes inputs as a table. In Model Exchange it sets them where an interval begins, and holds them
there: CVode's right-hand side does not know of them, and a step of CVode may reach far over an
interval's end. So the table is a staircase here: a grid of intervals, in each of which an input is
its own mean (`held_inputs`), with a row twice at each end. FMPy takes that for an event, begins
CVode anew, and the error is of order 2 in the intervals' length. The table is the same in
Co-Simulation, where FMPy's own way to set input derivatives works for nine inputs only (0.3.32).

Results are read here at the end of each interval, with the inputs of that very time.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.co_simulation import communication_points
from cranebridge.plant.child.events import ChatterWatch, crossed
from cranebridge.plant.child.fmi import (
    CommunicationSteps,
    DiscardedError,
    FmuError,
    Instance,
    SimulationEndedError,
    VariableBlock,
    fmi_errors,
)
from cranebridge.plant.child.initialization import require_expected
from cranebridge.plant.child.inputs import InputSetter, interval_means, interval_values
from cranebridge.plant.protocol import SimulationRequest

Array = NDArray[np.float64]

# CVode bounds the error of each of its steps, and with an interval it begins anew at order 1: the
# errors of all intervals add up. On the rotary crane (20 s in intervals of 5 ms) what is left of
# the tolerance's part is 8e-6 m without this factor, and 1e-7 m with it.
TOLERANCE_PART = 1e-2
# Below this CVode's error test is one of rounding.
LEAST_TOLERANCE = 1e-13
# FMPy takes times for one that differ by less than 1e-9 of their size (`math.isclose`).
_CLOSE = 4e-9
# lxml reads the model description.
_MODULES = ("fmpy.simulation", "fmpy.sundials", "fmpy.validation", "lxml.etree")
_KINDS = {True: "ModelExchange", False: "CoSimulation"}
_OTHERWISE = "use plant.backend = 'own'"
# What SUNDIALS says, and what is the matter.
_REASONS = {
    "mxstep steps": "its CVode needs more than 500 steps in one interval; give a smaller "
    f"plant.step, or {_OTHERWISE}",
    "tout too close to t0": "the FMU announces an event for that very time or for one that is "
    f"over; {_OTHERWISE}",
}


def import_fmpy() -> str:
    """Import what FMPy's simulation needs, with SUNDIALS; why it cannot be, if so."""
    try:
        for name in _MODULES:
            import_module(name)
    except Exception as error:  # whatever a broken installation raises
        return f"{type(error).__name__}: {error}"
    return ""


class FmpySimulation:
    """One simulation of an instance that is not initialized yet; its time goes to `reached`."""

    def __init__(
        self, instance: Instance, request: SimulationRequest, reached: ctypes.c_double
    ) -> None:
        self.instance, self.request, self._reached = instance, request, reached
        self._description = _description(request.fmu.directory)
        self.inputs = InputSetter(instance, request)
        self._grid, self._rows = _grid(request)
        self._table, self._held = self._staircase()
        self._block = VariableBlock(
            [request.references[request.controls.names[i]] for i in self.inputs.continuous]
            if request.controls is not None and self.inputs.active
            else []
        )
        self._outputs = VariableBlock(request.outputs)
        self._states = VariableBlock(() if instance.me else request.state_references)
        self._width = instance.nx if instance.me else self._states.size
        self.outputs = np.zeros((len(request.times), len(request.outputs)))
        self.states = np.zeros((len(request.times), self._width))
        self._next = 0  # the grid's point that comes next
        self._row = self._evaluations = self._events = 0
        self._t = request.start
        self.ended = ""
        self._failure: BaseException | None = None
        self._chatter = ChatterWatch(request.end - request.start, instance.nz)

    # ------------------------------------------------------------------ what FMPy is given

    def _staircase(self) -> tuple[Array, Array]:
        """Return the table of inputs that FMPy takes, and the continuous ones of each interval."""
        controls, grid = self.request.controls, self._grid
        names = controls.names if controls is not None and self.inputs.active else ()
        values = np.zeros((len(grid) - 1, len(names)))
        if controls is not None and names:
            values = interval_means(controls, grid)
            held = [i for i, name in enumerate(names) if name in self.request.discrete]
            values[:, held] = interval_values(controls, grid)[:, held]
        columns = ("time of the row", *names)  # FMPy takes the first column for the time
        table = np.zeros(2 * len(values), dtype=[(name, float) for name in columns])
        table[columns[0]] = np.repeat(grid, 2)[1:-1]
        for i, name in enumerate(names):
            table[name] = np.repeat(values[:, i], 2)
        return table, np.ascontiguousarray(
            values[:, self.inputs.continuous] if names else values[:, :0]
        )

    def _options(self) -> dict[str, Any]:
        request = self.request
        span = request.end - request.start
        tolerance, interval = request.rtol, span
        if request.fmu.is_model_exchange:
            tolerance = max(TOLERANCE_PART * request.rtol, LEAST_TOLERANCE)
        elif not request.variable_step:
            interval = span / (len(self._grid) - 1)
        return {
            "model_description": self._description,
            "fmu_instance": self.instance.raw,
            "fmi_type": _KINDS[request.fmu.is_model_exchange],
            "start_time": request.start,
            "stop_time": request.end,
            # the staircase has all other times
            "output_interval": interval,
            "relative_tolerance": tolerance,
            "input": self._table,
            "output": [],
            "step_finished": self._step_finished,
            "terminate": False,
        }

    # ------------------------------------------------------------------ the run

    def run(self) -> None:
        """Simulate; fills `outputs` and `states`, up to where the FMU ends it."""
        from fmpy.simulation import simulate_fmu

        last = -math.inf
        try:
            self.instance.set_values(self.request.values)
            with self._watched(), contextlib.redirect_stdout(io.StringIO()):
                # FMPy says on the terminal which inputs keep their start values
                found = simulate_fmu(self.request.fmu.directory, **self._options())
                last = float(found["time"][-1])
            self._raise_failure()
            if self._next < len(self._grid):
                raise SimulationEndedError(fmi_errors.ENDED, max(last, self._t))
        except SimulationEndedError as error:
            at = self._t if error.time is None else error.time
            self.ended = f"{error} at t = {at:.12g} s"
        except FmuError as error:
            raise self._explained(error) from error

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """Run FMPy, and let nothing that goes wrong in it be lost."""
        raw, hook = self.instance.raw, sys.unraisablehook
        ready = "enterContinuousTimeMode" if self.instance.me else "exitInitializationMode"
        own = {"terminate": lambda: None, ready: self._ready(getattr(raw, ready), ready)}
        if self.instance.me:
            name = "getDerivatives" if self.instance.fmi2 else "getContinuousStateDerivatives"
            own[name] = self._counted(getattr(raw, name))
        # an error within CVode's callbacks is not raised: CVode goes on with old numbers
        sys.unraisablehook = self._note
        vars(raw).update(own)
        try:
            yield
        except MemoryError:
            raise
        except Exception as error:  # FMPy raises bare exceptions
            self._raise_failure()
            raise self._stopped(error) from None
        finally:
            sys.unraisablehook = hook
            for name in own:
                vars(raw).pop(name, None)

    def _note(self, event: Any) -> None:
        self._failure = self._failure or event.exc_value

    def _raise_failure(self) -> None:
        """Raise what went wrong within CVode, if anything did."""
        failure, self._failure = self._failure, None
        if isinstance(failure, Exception):
            raise self._stopped(failure) from None
        if failure is not None:
            raise failure

    def _stopped(self, error: Exception) -> FmuError:
        """Say in our words why FMPy does not go on."""
        if isinstance(error, DiscardedError):
            return self._discarded(error)
        if isinstance(error, FmuError):
            return error
        text = " ".join(str(error).split()).rstrip(". ")
        if "requested termination" in text or "requested to terminate" in text:
            return SimulationEndedError(fmi_errors.ENDED)
        for found, why in _REASONS.items():
            if found in text:
                return FmuError(f"FMPy cannot go on after t = {self._t:.9g} s: {why}")
        self._check_derivatives()
        # SUNDIALS names the file and the function of its own sources first
        text = text.rpartition(": ")[2]
        return FmuError(f"FMPy cannot go on after t = {self._t:.9g} s ({text}); {_OTHERWISE}")

    def _discarded(self, error: DiscardedError) -> FmuError:
        if not self.instance.me:
            end = float(self._grid[min(self._next, len(self._grid) - 1)])
            return CommunicationSteps(self.instance).why_discarded(self._t, end)
        return FmuError(
            f"{error} after t = {self._t:.9g} s, and FMPy takes no smaller step then; {_OTHERWISE}"
        )

    def _check_derivatives(self) -> None:
        """Name a derivative that is not finite where the plant is."""
        if not self.instance.me or not self._row:
            return
        rates, names = np.zeros(self.instance.nx), self.request.state_names
        with contextlib.suppress(FmuError):
            self.instance.get_derivatives(rates.ctypes.data)
        fmi_errors.require_finite_at(rates, [f"der({name})" for name in names], self._t)

    def _explained(self, error: FmuError) -> FmuError:
        """Return an error, or that the plant has diverged before it."""
        if not self._row or not self._width:
            return error
        first, last = self.states[0], self.states[self._row - 1]
        at = float(self.request.times[self._row - 1])
        return fmi_errors.explained(error, self.request.state_names, first, last, at)

    # ------------------------------------------------------------------ called by FMPy

    def _ready(self, enter: Any, name: str) -> Any:
        """Return the call that ends the initialization, with what is to be done after it."""

        def entered() -> None:
            enter()
            del vars(self.instance.raw)[name]  # events enter this mode, too
            require_expected(self.instance, self.request)
            self._set_states()
            self._arrive()

        return entered

    def _counted(self, evaluate: Any) -> Any:
        def counted(*arguments: Any) -> Any:
            self._evaluations += 1
            return evaluate(*arguments)

        return counted

    def _set_states(self) -> None:
        """Set states that are to start elsewhere; they may lie on the other side of an event."""
        instance = self.instance
        if not self.request.state_values:
            return
        before = instance.get_indicators() if instance.nz else np.zeros(0)
        x = instance.get_states()
        for position, value in self.request.state_values:
            x[position] = value
        instance.set_point(self.request.start, x.ctypes.data)
        if instance.nz and crossed(before, instance.get_indicators()).any():
            instance.enter_events()
            instance.handle_events()

    def _step_finished(self, time: float, _recorder: Any) -> bool:
        """Take what FMPy has reached: the end of an interval, or an event within it."""
        self._raise_failure()
        wanted = self._grid[self._next] if self._next < len(self._grid) else math.inf
        if math.isclose(time, wanted, rel_tol=_CLOSE / 2):
            self._t = self._reached.value = float(time)
            self._arrive()
        elif time <= self._t and not self.instance.me:
            raise SimulationEndedError(fmi_errors.DISCARDED)
        else:
            self._events += 1
            self._chatter.note(float(time))
        return True

    def _arrive(self) -> None:
        """Read results where an interval ends, with the inputs of that time."""
        number, row = self._next, self._rows[self._next]
        self._next += 1
        if row < 0:
            return
        t, instance = float(self._grid[number]), self.instance
        k = min(number, len(self._grid) - 2)
        self.inputs.window(float(self._grid[k]), float(self._grid[k + 1]))
        self.inputs.apply(t)
        if self._outputs.size:
            instance.get_real(self._outputs, self.outputs[row].ctypes.data)
        if self._states.size:
            instance.get_real(self._states, self.states[row].ctypes.data)
        elif instance.me:
            self.states[row] = instance.get_states()
        fmi_errors.require_finite_at(self.outputs[row], self.request.output_names, t)
        fmi_errors.require_finite_at(self.states[row], self.request.state_names, t)
        self._row = row + 1
        if self._block.size:  # FMPy has set what acts from here on already
            held = self._held[k].copy()
            instance.set_real(self._block, held.ctypes.data)

    # ------------------------------------------------------------------ what came of it

    def arrays(self) -> dict[str, Array]:
        """Results for the message to the parent."""
        return {"outputs": self.outputs[: self._row], "states": self.states[: self._row]}

    def statistics(self) -> dict[str, Any]:
        """Counters, and how the inputs were given."""
        longest = float(np.diff(self._grid).max())
        return {
            "steps": max(self._next - 1, 0),
            "rejected": 0,
            "evaluations": self._evaluations,
            "events": self._events,
            "ended": self.ended,
            "interpolation": f"inputs held by FMPy: their mean over each interval of {longest:.4g} "
            "s (order 2)",
        }


@cache
def _description(directory: str) -> Any:
    """Return FMPy's own reading of the model description; what it finds wrong is an error."""
    from fmpy.model_description import read_model_description

    try:
        return read_model_description(directory, validate=True)
    except Exception as error:  # FMPy raises bare exceptions
        text = " ".join(str(error).split()).rstrip(". ")
        raise FmuError(f"FMPy refuses its model description ({text}); {_OTHERWISE}") from error


def _grid(request: SimulationRequest) -> tuple[Array, list[int]]:
    """Return the ends of the intervals, and the row of the results of each, or -1.

    Output times and stops of the inputs, and points between them. A stop that FMPy would take for
    the point before or after it is left out; the means know of it.
    """
    if request.fmu.is_model_exchange:
        request = replace(request, variable_step=True)
    points: list[tuple[float, bool]] = []
    close = _CLOSE * max(abs(request.start), abs(request.end), request.end - request.start)
    for t, is_output in communication_points(request):
        if points and t - points[-1][0] <= close:
            if points[-1][1] and is_output:
                raise FmuError(
                    f"output times near t = {t:.9g} s are closer together than FMPy can tell; "
                    f"{_OTHERWISE}"
                )
            points[-1] = (t, True) if is_output else points[-1]
        else:
            points.append((t, is_output))
    rows, count = [], 0
    for _, is_output in points:
        rows.append(count if is_output else -1)
        count += is_output
    return np.array([t for t, _ in points]), rows
