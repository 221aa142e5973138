"""Simulation of an FMU by Model Exchange in compiled code, in the child process.

``loop/`` holds the code: states, inputs, DOP853, events and outputs, from start to end without
Python in between. Here the request is laid out in memory for it, and how it went is reported in
the words of `model_exchange.py`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.fmi import (
    DiscardedError,
    FmuError,
    Instance,
    SimulationEndedError,
    fmi_errors,
)
from cranebridge.plant.child.inputs import JUMP
from cranebridge.plant.child.loop_layout import (
    FUNCTIONS,
    KINDS,
    CDrive,
    CInputs,
    CLaw,
    CMemory,
    CTask,
    Reason,
    copied,
)
from cranebridge.plant.child.model_exchange import INTERPOLATION, LAW
from cranebridge.plant.protocol import (
    ControllerModule,
    SampledLaw,
    SimulationRequest,
    size_of,
)

Array = NDArray[np.float64]
_GET = len(FUNCTIONS["2.0"])


@cache
def _library(file: str) -> ctypes.CDLL:
    """Return the compiled loop, if it is that of this version."""
    loop = ctypes.CDLL(file)
    loop.cb_loop_layout.restype = ctypes.c_size_t
    if loop.cb_loop_layout() != ctypes.sizeof(CTask):
        raise FmuError(f"the compiled loop '{file}' is of another version; remove it")
    return loop


class CompiledLoop:
    """One simulation by Model Exchange with the integrator DOP853.

    Parameters
    ----------
    instance : Instance
        The FMU, before its initialization.
    request : SimulationRequest
        What to simulate.
    reached : ctypes.c_double
        Gets the simulated time.
    """

    def __init__(
        self, instance: Instance, request: SimulationRequest, reached: ctypes.c_double
    ) -> None:
        self._instance, self._request, self._reached = instance, request, reached
        self._loop = _library(request.loop)
        count = len(request.times)
        self._outputs = np.zeros((count, len(request.outputs)))
        self._states = np.zeros((count, instance.nx))
        self._law_arrays: dict[str, Array] = {}
        self._memory = CMemory(instance)
        self._shared = self._lay_out()
        self._nodes: dict[str, Array] = {}
        self.ended = ""
        self._last: tuple[Array, Array, float] | None = None

    def _lay_out(self) -> CTask:
        instance, request, memory = self._instance, self._request, self._memory
        names = FUNCTIONS[instance.fmu.version]
        ends = request.stops()
        shared = CTask(
            instance=instance.component,
            fmi=2 if instance.fmi2 else 3,
            needs_completed_step=instance.fmu.needs_completed_step,
            nx=instance.nx,
            nz=instance.nz,
            ny=len(request.outputs),
            rtol=request.rtol,
            atol=request.atol,
            max_step=request.max_step,
            times=len(request.times),
            bounds=len(ends),
            state_values=len(request.state_values),
            time=memory.keep(request.times),
            bound=memory.keep(ends),
            state_position=memory.keep([i for i, _ in request.state_values], np.uintp),
            state_value=memory.keep([value for _, value in request.state_values]),
            outputs=memory.block(request.outputs, range(len(request.outputs))),
            inputs=self._lay_out_inputs(),
            dense=request.dense,
            reached=ctypes.addressof(self._reached),
            most=request.most_nodes(instance.nx),
            output=self._outputs.ctypes.data,
            state=self._states.ctypes.data,
        )
        for i, name in enumerate(names):
            shared.function[i] = instance.address(name)
        return shared

    def _lay_out_inputs(self) -> CInputs:
        request, memory, controls = self._request, self._memory, self._request.controls
        if controls is None or not controls.names:
            return CInputs()
        inputs = CInputs(control=memory.signals(controls))
        for wanted, block in ((False, "continuous"), (True, "discrete")):
            columns = [i for i, n in enumerate(controls.names) if (n in request.discrete) == wanted]
            references = [request.references[controls.names[i]] for i in columns]
            setattr(inputs, block, memory.block(references, columns))
        drives = controls.drives
        if drives is not None:
            measured = [*drives.positions, *drives.velocities]
            references = [request.references[name] for name in measured]
            inputs.measured = memory.block(references, range(len(measured)))
            inputs.reference = memory.signals(drives.reference)
            inputs.rate = memory.signals(drives.velocity)
            columns = [controls.names.index(name) for name in drives.inputs]
            gains = zip(columns, drives.kp, drives.kv, strict=True)
            inputs.drive = memory.structures([CDrive(*row) for row in gains], CDrive)
            inputs.drives = len(columns)
            inputs.y = memory.keep(np.zeros(len(measured)))
        if controls.law is not None:
            inputs.law = self._lay_out_law(controls.law)
        inputs.part = JUMP
        signals = len(controls.names) + 2 * inputs.drives
        inputs.jump, inputs.row, inputs.other = (memory.keep(np.zeros(signals)) for _ in range(3))
        return inputs

    def _lay_out_law(self, law: SampledLaw) -> CLaw:
        memory, inputs, samples = self._memory, law.first.size, law.time.size
        references = [self._request.references[name] for name in law.readings]
        self._controller = ControllerModule(law.library)
        self._law_arrays = {
            "given": np.zeros((samples, inputs)),
            "measured": np.zeros((samples, law.resolution.size)),
            "controller": np.zeros(samples),
            "estimated": np.zeros((samples, law.estimates)),
        }
        given, measured, status, estimated = (
            array.ctypes.data for array in self._law_arrays.values()
        )
        return CLaw(
            samples=samples,
            readings=len(law.readings),
            signals=law.resolution.size,
            inputs=inputs,
            plant_inputs=law.d.size,
            whole=law.whole,
            operations=len(law.program),
            noisy=len(law.noise),
            measured=memory.block(references, range(len(references))),
            time=memory.keep(law.time),
            change=memory.keep(law.changes),
            every=memory.keep(law.every, np.uintp),
            step=self._controller.address,
            controller=ctypes.addressof(self._controller.state),
            reading=memory.keep(np.zeros(len(law.readings))),
            place=memory.keep(np.zeros(size_of(law.program))),
            under_way=memory.keep(np.tile(law.first, law.whole + 1)),
            active=memory.keep(law.plant_inputs(law.first)),
            said=measured,
            given=given,
            status=status,
            estimate=self._controller.estimate_address,
            estimates=law.estimates,
            estimated=estimated,
            **{
                name: memory.keep(getattr(law, name))
                for name in ("program", "noise", "resolution", "D", "d")
            },
        )

    def run(self) -> None:
        """Simulate, up to where the FMU ends it."""
        shared = ctypes.byref(self._shared)
        try:
            self._loop.cb_loop_run(shared)
            if self._shared.stop.reason != Reason.COMPLETE:
                self._last = self._last_states()
            if self._request.dense and self._shared.stop.reason != Reason.TOO_MANY_STEPS:
                self._nodes = self._copy_nodes()
        finally:
            self._loop.cb_loop_free(shared)
        error = self._explain()
        if error is None:
            return
        if isinstance(error, FmuError) and self._last is not None:
            error = fmi_errors.explained(error, self._request.state_names, *self._last)
        discarded = isinstance(error, DiscardedError) and self._shared.collected
        if discarded or isinstance(error, SimulationEndedError):
            self.ended = fmi_errors.ending(error, self._shared.stop.time)
        else:
            raise error

    def _last_states(self) -> tuple[Array, Array, float] | None:
        """Return the states at the start, the last ones that are known, and their time."""
        shared, nx = self._shared, self._instance.nx
        nodes = shared.nodes
        if nodes.steps:
            states = np.ctypeslib.as_array(
                ctypes.cast(nodes.state, ctypes.POINTER(ctypes.c_double)), (nodes.nodes, nx)
            )
            times = ctypes.cast(nodes.time, ctypes.POINTER(ctypes.c_double))
            return states[0].copy(), states[-1].copy(), float(times[nodes.nodes - 1])
        if shared.collected:
            row = shared.collected - 1
            return self._states[0], self._states[row], float(self._request.times[row])
        return None

    def _explain(self) -> Exception | None:
        """Say why the simulation stopped before its end."""
        stop, reason = self._shared.stop, Reason(self._shared.stop.reason)
        name = self._request.state_names[stop.index] if stop.index < self._instance.nx else ""
        t, value = float(stop.time), float(stop.value)
        makers: dict[Reason, Callable[[], Exception | None]] = {
            Reason.COMPLETE: lambda: None,
            Reason.ENDED: lambda: SimulationEndedError(fmi_errors.ENDED),
            Reason.BAD_STATUS: lambda: fmi_errors.bad_status(stop.status, self._function()),
            Reason.MISSING: lambda: fmi_errors.missing(self._function()),
            Reason.NOT_SETTLED: fmi_errors.not_settled,
            Reason.CHATTERS: lambda: fmi_errors.chatters(t, stop.index, value),
            Reason.BAD_INDICATOR: lambda: fmi_errors.bad_indicator(t),
            Reason.BAD_STATE: lambda: fmi_errors.bad_value(name, value, t),
            Reason.BAD_DERIVATIVE: lambda: fmi_errors.bad_value(f"der({name})", value, t),
            Reason.BAD_LATER: lambda: fmi_errors.bad_later(name, t),
            Reason.NO_DERIVATIVES: lambda: fmi_errors.no_derivatives(t),
            Reason.STEP_TOO_SMALL: lambda: fmi_errors.stuck("DOP853", t, ""),
            Reason.NOT_WHOLE: lambda: fmi_errors.not_whole(value),
            Reason.NO_MEMORY: MemoryError,
            Reason.TOO_MANY_STEPS: lambda: fmi_errors.too_many_steps(t, stop.index),
            Reason.PAST_EVENT: lambda: fmi_errors.past_event(t, value),
        }
        return makers[reason]()

    def _function(self) -> str:
        stop = self._shared.stop
        if stop.function < _GET:
            return FUNCTIONS[self._instance.fmu.version][stop.function]
        way = "Get" if stop.function == _GET else "Set"
        return self._instance.variable_call(way, KINDS[stop.kind])

    def _copy_nodes(self) -> dict[str, Array]:
        nodes = self._shared.nodes
        if not nodes.steps:
            return {}
        return {
            "dense.time": copied(nodes.time, nodes.nodes),
            "dense.states": copied(nodes.state, nodes.nodes, self._instance.nx),
            "dense.outputs": copied(nodes.output, nodes.nodes, len(self._request.outputs)),
            "dense.starts": copied(nodes.start, nodes.steps),
        }

    def arrays(self) -> dict[str, Array]:
        """Results for the message to the parent."""
        rows = slice(self._shared.collected)
        found = {"outputs": self._outputs[rows], "states": self._states[rows], **self._nodes}
        return found | self._law_arrays

    def statistics(self) -> dict[str, Any]:
        """Counters of the integrator."""
        counters = ("steps", "rejected", "evaluations", "events")
        return {
            **{name: getattr(self._shared, name) for name in counters},
            "ended": self.ended,
            "interpolation": LAW if self._law_arrays else INTERPOLATION,
        }
