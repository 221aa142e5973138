"""Simulation by Model Exchange with PyFMI's own loop and Assimulo's solvers, in the child process.

PyFMI integrates and handles the events of the plant; from one stop of the inputs to the next, so
that no step reaches over a jump or a kink. Jumps and discrete inputs are set here between the
pieces, in event mode: PyFMI would set them in continuous time. It reports each step of its solver,
whose own interpolation gives the output times and the nodes within the step. PyFMI looks for events
at the ends of steps only: what it passes over is seen here and reported as an error.
"""

from __future__ import annotations

import ctypes
import math
from importlib import import_module
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.events import ChatterWatch
from cranebridge.plant.child.fmi import FmuError, SimulationEndedError, VariableBlock, fmi_errors
from cranebridge.plant.child.inputs import InputSetter
from cranebridge.plant.child.integrators import DenseNodes, Integrator
from cranebridge.plant.child.pyfmi_instance import PyfmiInstance
from cranebridge.plant.child.pyfmi_steps import EventWatch, SolverStep
from cranebridge.plant.protocol import SimulationRequest

Array = NDArray[np.float64]
_QUIET = 50  # Assimulo's word for: no statistics on the terminal
_COUNTERS = {
    "steps": ("nsteps",),
    "rejected": ("nerrfails",),
    "evaluations": ("nfcns", "nfcnjacs"),
    "events": ("nstateevents", "ntimeevents", "nstepevents"),
}


class PyfmiExchange:
    """One simulation by Model Exchange; the simulated time goes to `reached`."""

    def __init__(
        self, instance: PyfmiInstance, request: SimulationRequest, reached: ctypes.c_double
    ) -> None:
        self.instance, self.request, self._reached = instance, request, reached
        # The calls of an instance are the same, whoever makes them.
        self.inputs = InputSetter(instance, request)  # type: ignore[arg-type]
        self._outputs = VariableBlock(request.outputs)
        count = len(request.times)
        self.outputs = np.zeros((count, len(request.outputs)))
        self.states = np.zeros((count, instance.nx))
        self._span = request.end - request.start
        most = request.most_nodes(instance.nx)
        self.nodes = DenseNodes(self._evaluate, self._span, most) if request.dense else None
        self.ended = ""
        self._row = 0
        self._t, self._x = request.start, np.zeros(instance.nx)
        self._begins = True
        self._watch = EventWatch(self._signs, self._span) if instance.nz else None
        self._counters = dict.fromkeys(_COUNTERS, 0)
        self._chatter = ChatterWatch(self._span, instance.nz)

    # ------------------------------------------------------------------ the run

    def run(self) -> None:
        """Simulate; fills `outputs` and `states`, up to where the FMU ends it."""
        try:
            self._run()
        except SimulationEndedError as error:
            self.ended = f"{error} at t = {self._t:.12g} s"

    def _run(self) -> None:
        start, end = self.request.start, self.request.end
        ends = self.request.stops()
        self.inputs.window(start, ends[0])
        self._start(start)
        options = self._options()
        for bound, following in zip(ends, [*ends[1:], end], strict=True):
            self._piece(bound, options)
            if self.inputs.move(bound, following):
                self._jump()
        self._collect(np.array([end]), self._x[None])

    def _start(self, start: float) -> None:
        """Settle at the start; other states than the FMU's own may be beyond an event."""
        instance = self.instance
        self._settle(instance.handle_events())
        x = instance.get_states()
        before = self._indicators(x)
        for position, value in self.request.state_values:
            x[position] = value
        self._x = x
        if ((before > 0.0) != (self._indicators(x) > 0.0)).any():
            self._jump()
        self._check()

    def _piece(self, until: float, options: dict[str, Any]) -> None:
        """Let PyFMI integrate up to a stop of the inputs."""
        handler = options["result_handler"]
        handler.solver, self._begins = None, True
        model = self.instance.model
        self._place(self._t, self._x)
        try:
            model.simulate(self._t, until, input=self._input(), options=options)
        except (SimulationEndedError, FmuError):
            raise
        except Exception as error:  # PyFMI's, Assimulo's, and those of each solver
            if not model.get_event_info().terminateSimulation:
                self._explain_stop(error)
        finally:
            self._count(handler.solver)
        if model.get_event_info().terminateSimulation:
            raise SimulationEndedError("the FMU ended the simulation")
        self._t = until

    def _jump(self) -> None:
        """Handle a jump of the inputs where a piece has ended, as an event."""
        instance = self.instance
        self._indicators(self._x)
        self._derivatives()
        if instance.fmu.needs_completed_step:
            instance.completed_step()
        self._counters["events"] += 1
        instance.enter_events()
        self.inputs.apply_discrete(self._t)
        self._settle(instance.handle_events())
        self._x = instance.get_states()
        if self._watch is not None:
            self._watch.restart()

    def _settle(self, next_event: float) -> None:
        """Handle time events that are due now: a piece must not begin with one."""
        while next_event == self._t:
            self._chatter.note(self._t)
            self._counters["events"] += 1
            self.instance.enter_events()
            next_event = self.instance.handle_events()

    # ------------------------------------------------------------------ what PyFMI asks for

    def _options(self) -> dict[str, Any]:
        request = self.request
        drives = request.controls is not None and request.controls.drives is not None
        solver: dict[str, Any] = {
            "rtol": request.rtol,
            "atol": request.atol * np.ones(max(self.instance.nx, 1)),
            "maxh": request.max_step if math.isfinite(request.max_step) else 0.0,
            "verbosity": _QUIET,
        }
        if request.method == "CVode":
            # Its own search leaves out indicators that are zero at the start of a step.
            solver["external_event_detection"] = True
        return {
            "solver": request.method,
            "ncp": 0,
            "initialize": False,
            "result_handling": "custom",
            "result_handler": make_handler(self),
            "result_max_size": 0,
            "return_result": False,
            # The FMU's own derivatives know nothing of a controller around it.
            "with_jacobian": False if drives else "Default",
            f"{request.method}_options": solver,
        }

    def _input(self) -> Any:
        """Names of the continuous inputs and their function of time; nothing if there are none."""
        if not self.inputs.active or not self.inputs.continuous:
            return ()
        assert self.request.controls is not None
        columns = self.inputs.continuous
        values = self.inputs.values

        def evaluate(t: float) -> list[float]:
            # PyFMI has set time and states: drive controllers read what belongs to them.
            self.inputs.apply(t)
            return [values[i] for i in columns]

        return [self.request.controls.names[i] for i in columns], evaluate

    def accept(self, solver: Any) -> None:
        """Take a step that PyFMI reports, or the states right after an event at its end."""
        t, x = float(solver.t), np.array(solver.y[: self.instance.nx])
        if t > self._t:
            step = SolverStep(solver, self._t, self._x, t, x)
            if self._watch is not None:
                self._watch.check(step)
            self._collect_step(step)
            # PyFMI looks itself where the FMU has been left.
            self._t, self._x = t, x
            self._reached.value = t
        elif not self._begins:
            self._after_event(solver, t, x)
        self._begins = False

    def _after_event(self, solver: Any, t: float, x: Array) -> None:
        self._chatter.note(t)
        self._x = x
        found = self.instance.model.get_event_info()
        if found.nextEventTimeDefined and found.nextEventTime == t:
            # Assimulo cannot go from a time to the same time.
            self._settle(t)
            self._x = self.instance.get_states()
            solver.y = self._x.copy() if self.instance.nx else solver.y
        if self._watch is not None:
            self._watch.restart()

    # ------------------------------------------------------------------ the plant at a point

    def _place(self, t: float, x: Array) -> None:
        states = np.ascontiguousarray(x)  # must outlive the call
        self.instance.set_point(t, states.ctypes.data)
        self.inputs.apply(t)

    def _signs(self, t: float, x: Array) -> NDArray[np.bool_]:
        """Domains of the event indicators: z > 0 or z <= 0, as in the standard."""
        self._place(t, x)
        return np.asarray(self.instance.get_indicators() > 0.0)

    def _indicators(self, x: Array) -> Array:
        self._place(self._t, x)
        return self.instance.get_indicators() if self.instance.nz else np.zeros(0)

    def _derivatives(self) -> Array:
        dx = np.zeros(self.instance.nx)
        self.instance.get_derivatives(dx.ctypes.data)
        return dx

    def _check(self) -> None:
        """Name what is not finite where the plant is, before a solver stumbles over it."""
        self._place(self._t, self._x)
        names = self.request.state_names
        fmi_errors.require_finite_at(self._x, names, self._t)
        fmi_errors.require_finite_at(
            self._derivatives(), [f"der({name})" for name in names], self._t
        )

    def _explain_stop(self, error: Exception) -> None:
        self._check()
        raise FmuError(
            f"PyFMI's solver {self.request.method} cannot go on at t = {self._t:.9g} s ({error})"
        ) from None

    def _collect_step(self, step: SolverStep) -> None:
        """Outputs at the times from a step's begin up to before its end, and its nodes."""
        times = self.request.times
        stop = int(np.searchsorted(times, step.t, side="left"))
        if stop > self._row:
            inside = times[self._row : stop]
            self._collect(inside, step.dense(inside))
        if self.nodes is not None:
            self.nodes.add(cast(Integrator, step), step.t, step.x)

    def _collect(self, times: Array, states: Array) -> None:
        rows = slice(self._row, self._row + len(times))
        self.outputs[rows] = self._evaluate(times, states)
        self.states[rows] = states
        self._row += len(times)

    def _evaluate(self, times: Array, states: Array) -> Array:
        """Outputs at times and states, with the inputs of the present piece."""
        outputs = np.zeros((len(times), self._outputs.size))
        for i, t in enumerate(times.tolist()):
            self._place(t, states[i])
            if self._outputs.size:
                self.instance.get_real(self._outputs, outputs[i].ctypes.data)
        return outputs

    def _count(self, solver: Any) -> None:
        if solver is not None:
            found = solver.statistics
            for name, parts in _COUNTERS.items():
                self._counters[name] += int(sum(found[part] for part in parts))

    def arrays(self) -> dict[str, Array]:
        """Results for the message to the parent."""
        found = {"outputs": self.outputs[: self._row], "states": self.states[: self._row]}
        return found if self.nodes is None else found | self.nodes.arrays()

    def statistics(self) -> dict[str, Any]:
        """Counters of the solver."""
        return self._counters | {
            "ended": self.ended,
            "interpolation": "inputs evaluated in every call of the right-hand side",
        }


def make_handler(exchange: PyfmiExchange) -> Any:
    """Return what PyFMI calls a result handler: it is called with each step."""
    base: Any = import_module("pyfmi.common.io").ResultHandler

    class Handler(base):  # type: ignore[misc]
        """Passes on what PyFMI reports."""

        solver: Any = None

        def integration_point(self, solver: Any = None) -> None:
            """Take a step."""
            self.solver = solver
            exchange.accept(solver)

        def get_result(self) -> None:
            """There is none: steps are taken as they come."""

    return Handler()
