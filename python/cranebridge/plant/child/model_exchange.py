"""Simulation of an FMU by Model Exchange, in the child process.

The inputs are evaluated in every call of the right-hand side, and the integration goes piece by
piece between the times where the inputs are less smooth, so that an integrator of high order keeps
its order.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.events import (
    ChatterWatch,
    checks_within,
    crossed,
    handle_due,
    locate,
)
from cranebridge.plant.child.fmi import (
    DiscardedError,
    FmuError,
    Instance,
    SimulationEndedError,
    VariableBlock,
    fmi_errors,
)
from cranebridge.plant.child.inputs import InputSetter
from cranebridge.plant.child.integrators import (
    DenseNodes,
    Integrator,
    StateJacobian,
    StepControl,
    StepTooSmallError,
    make_integrator,
)
from cranebridge.plant.protocol import SimulationRequest

Array = NDArray[np.float64]
INTERPOLATION = "inputs evaluated in every call of the right-hand side"
LAW = "inputs given by the controller at its samples, held in between"


class ModelExchange:
    """One simulation by Model Exchange; the simulated time goes to `reached`."""

    def __init__(
        self, instance: Instance, request: SimulationRequest, reached: ctypes.c_double
    ) -> None:
        self.instance, self.request, self._reached = instance, request, reached
        self.inputs = InputSetter(instance, request)
        self._outputs = VariableBlock(request.outputs)
        # Inputs that drive controllers give depend on the states: differences see that.
        fed_back = request.controls is not None and request.controls.drives is not None
        references = ((), ()) if fed_back else request.jacobian
        jacobian = StateJacobian(self.rhs, instance, *references)
        self.integrator: Integrator = make_integrator(
            request.method,
            self.rhs,
            instance.nx,
            StepControl(request.rtol, request.atol, request.max_step),
            jacobian,
        )
        count = len(request.times)
        self.outputs = np.zeros((count, len(request.outputs)))
        self.states = np.zeros((count, instance.nx))
        self._span = request.end - request.start
        self.ended = ""
        self.nodes: DenseNodes | None = None
        if request.dense:
            most = request.most_nodes(instance.nx)
            self.nodes = DenseNodes(self._evaluate, self._span, most)
        self._next = 0
        self._next_event = math.inf
        self._t = request.start
        self._restart = False
        self._good = self._t, np.zeros(instance.nx)
        self._first = np.zeros(instance.nx)
        self._chatter = ChatterWatch(self._span, instance.nz)
        self._no_indicators = np.zeros(0)
        self._scratch = np.zeros(instance.nx)
        self.events = 0

    def rhs(self, t: float, states: int, derivatives: int) -> None:
        """Right-hand side: the inputs belong to this time and these states."""
        instance = self.instance
        instance.set_point(t, states)
        self.inputs.apply(t)
        instance.get_derivatives(derivatives)

    def run(self) -> None:
        """Simulate; fills `outputs` and `states`, up to where the FMU ends it."""
        try:
            self._run()
        except SimulationEndedError as error:
            self.ended = fmi_errors.ending(error, self._t)
        except FmuError as error:
            t, x = self._good
            found = fmi_errors.explained(error, self.request.state_names, self._first, x, t)
            if not isinstance(found, DiscardedError) or not self._next:
                raise found from error
            self.ended = fmi_errors.ending(error, self._t)

    def _run(self) -> None:
        start, end = self.request.start, self.request.end
        ends = self.request.stops()
        self.inputs.window(start, ends[0])
        x = self._initial_states(start)
        t = start
        if self._run_law(t, x):
            x = self._event(t, x, jump=True)
        self._check_start(t, x)
        self._first = np.array(x)
        for bound, following in zip(ends, [*ends[1:], end], strict=True):
            while t < bound:
                # A time event ends a piece as a jump or kink of the inputs does.
                until = min(bound, self._next_event)
                t, x, is_event = self._piece(t, x, until)
                jump = t == bound and self.inputs.move(t, following)
                jump |= t == bound and self._run_law(t, x)
                if is_event or jump or t >= self._next_event:
                    x = self._event(t, x, jump)
        self._collect(np.array([end]), x[None])

    def _run_law(self, t: float, x: Array) -> bool:
        """Let a sampled law go on to a time; whether inputs jump."""
        if self.inputs.law is None:
            return False
        self._indicators(t, x)
        return self.inputs.run_law(t)

    def _initial_states(self, start: float) -> Array:
        self._t = start
        self._handle_events(start)
        x = self.instance.get_states()
        if not self.request.state_values:
            return x
        before = self._indicators(start, x)
        for position, value in self.request.state_values:
            x[position] = value
        # Other states than the FMU's own may lie on the other side of an event.
        if crossed(before, self._indicators(start, x)).any():
            x = self._event(start, x, jump=True)
        return x

    def _check_start(self, t: float, x: Array) -> None:
        """Name what is not finite at the start, before the integrator stumbles over it."""
        dx = np.zeros(len(x))
        try:
            self.rhs(t, x.ctypes.data, dx.ctypes.data)
        except DiscardedError:
            raise fmi_errors.no_derivatives(t) from None
        fmi_errors.require_finite_at(x, self.request.state_names, t)
        fmi_errors.require_finite_at(dx, [f"der({name})" for name in self.request.state_names], t)

    def _piece(self, t: float, x: Array, until: float) -> tuple[float, Array, bool]:
        """Integrate up to a time or the first event before it; whether there is one.

        Where the FMU discards a step, whichever of its calls it is, a smaller one is taken.
        """
        self._good = t, np.array(x)
        reach = until - t
        while True:
            t, x = self._good
            bound = t + reach if t + reach < until else until
            try:
                t, x, is_event = self._steps(t, x, bound)
            except DiscardedError:
                t, tried = self._good[0], self.integrator.t
                reach = 0.25 * ((tried if tried > t else bound) - t)
                if reach < 10.0 * math.ulp(t):
                    raise
                self._restart = True
                continue
            if is_event or t >= until:
                return t, x, is_event
            reach *= 2.0

    def _steps(self, t: float, x: Array, until: float) -> tuple[float, Array, bool]:
        """Take steps up to a time or the first event before it; whether there is one."""
        integrator = self.integrator
        try:
            integrator.begin(t, x, until, restart=self._restart)
            self._restart = False
            watched = self.instance.nz > 0
            before = self._indicators(t, x) if watched else self._no_indicators
            is_first = True
            while integrator.t < until:
                integrator.step()
                event = self._located(before, is_first) if watched else None
                is_first = False
                end, states = event or (integrator.t, integrator.x)
                self._collect_step(end, states)
                wanted = self._complete_step(end, states, event is not None)
                # Indicators may change with the call for the completed step only.
                if watched and event is None:
                    wanted |= bool(crossed(before, self._indicators(end, states)).any())
                self._good = end, np.array(states)
                if event is not None or wanted:
                    return *self._good, True
        except StepTooSmallError as error:
            self._explain_stop(error)
        return integrator.t, np.array(integrator.x), False

    def _complete_step(self, t: float, x: Array, is_event: bool) -> bool:
        """Tell the FMU where a step has ended; whether it wants the event mode.

        The FMU was evaluated elsewhere since, for the event's time and for outputs.
        """
        self._t = t
        needs_steps = bool(self.instance.fmu.needs_completed_step)
        if not (needs_steps or is_event):
            return False
        self._indicators(t, x)
        if is_event:
            # What an FMU keeps between calls must belong to this point.
            with contextlib.suppress(DiscardedError):
                self.instance.get_derivatives(self._scratch.ctypes.data)
        return needs_steps and self.instance.completed_step()

    def _explain_stop(self, error: Exception) -> None:
        integrator = self.integrator
        t, x = integrator.t, np.array(integrator.x)
        self._check_start(t, x)
        bad = getattr(integrator, "not_finite", None)
        if bad is not None and bad.any():
            raise fmi_errors.bad_later(self.request.state_names[int(np.argmax(bad))], t) from None
        raise fmi_errors.stuck(self.request.method, t, str(error)) from None

    # ------------------------------------------------------------------ events

    def _indicators(self, t: float, x: Array) -> Array:
        """Event indicators at a point, where the FMU stays."""
        states = np.ascontiguousarray(x)  # must outlive the call
        self.instance.set_point(t, states.ctypes.data)
        self.inputs.apply(t)
        if not self.instance.nz:
            return self._no_indicators
        z = self.instance.get_indicators()
        if not np.isfinite(z).all():
            raise fmi_errors.bad_indicator(t)
        return z

    def _located(self, before: Array, is_first: bool) -> tuple[float, Array] | None:
        """Time and states right after the first change of sign in the last step."""
        integrator = self.integrator
        size = integrator.t - integrator.t_old
        times = checks_within(integrator.t_old, size, self._span, after_event=is_first)
        return locate(integrator, self._indicators, before, times)

    def _event(self, t: float, x: Array, jump: bool) -> Array:
        """Handle an event where a step has been completed; states right after it.

        At a jump of the inputs the FMU first sees their new values at this point, as if an
        integrator had come to it with them.
        """
        if jump:
            self._complete_step(t, x, is_event=True)
        else:
            self._indicators(t, x)
        self._count_event(t)
        self.instance.enter_events()
        self.inputs.apply_discrete(t)
        self._handle_events(t)
        # Without indicators the control of the step size is enough.
        self._restart = self.instance.nz > 0
        return self.instance.get_states()

    def _handle_events(self, t: float) -> None:
        """Update the discrete states, once more as long as the next event is due."""

        def count(announced: float) -> None:
            if announced == t:
                self._count_event(t)
            else:
                self.events += 1

        self._next_event = handle_due(self.instance, t, count)

    def _count_event(self, t: float) -> None:
        self.events += 1
        self._chatter.note(t)

    # ------------------------------------------------------------------ outputs

    def _collect_step(self, end: float, states: Array) -> None:
        """Outputs at the times from the last step's begin up to before `end`, and its nodes."""
        times = self.request.times
        stop = int(np.searchsorted(times, end, side="left"))
        if stop > self._next:
            inside = times[self._next : stop]
            self._collect(inside, self.integrator.dense(inside))
        if self.nodes is not None:
            self.nodes.add(self.integrator, end, states)
        self._reached.value = end

    def _collect(self, times: Array, states: Array) -> None:
        rows = slice(self._next, self._next + len(times))
        self.outputs[rows] = self._evaluate(times, states)
        self.states[rows] = states
        self._next += len(times)

    def _evaluate(self, times: Array, states: Array) -> Array:
        """Outputs at times and states, with the inputs of the present piece."""
        states = np.ascontiguousarray(states)
        outputs = np.zeros((len(times), self._outputs.size))
        source, width = states.ctypes.data, 8 * states.shape[1]
        target, size = outputs.ctypes.data, 8 * self._outputs.size
        for i, t in enumerate(times.tolist()):
            self.instance.set_point(t, source + i * width)
            self.inputs.apply(t)
            if size:
                self.instance.get_real(self._outputs, target + i * size)
        return outputs

    def arrays(self) -> dict[str, Array]:
        """Results for the message to the parent."""
        found = {"outputs": self.outputs[: self._next], "states": self.states[: self._next]}
        if self.inputs.law is not None:
            found |= self.inputs.law.arrays()
        return found if self.nodes is None else found | self.nodes.arrays()

    def statistics(self) -> dict[str, Any]:
        """Counters of the integrator."""
        integrator = self.integrator
        return {
            "steps": integrator.steps,
            "rejected": integrator.rejected,
            "evaluations": integrator.evaluations,
            "events": self.events,
            "ended": self.ended,
            "interpolation": INTERPOLATION if self.inputs.law is None else LAW,
        }
