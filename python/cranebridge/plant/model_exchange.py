"""Simulation of an FMU by Model Exchange, in the child process.

The inputs are evaluated in every call of the right-hand side, and the integration goes piece by
piece between the times where the inputs are less smooth, so that an integrator of high order keeps
its order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.dense import DenseNodes
from cranebridge.plant.dop853 import DiscardedError, StepTooSmallError
from cranebridge.plant.fmi_calls import Block, FmuError, Instance, NotFiniteError
from cranebridge.plant.integrators import Integrator, make_integrator
from cranebridge.plant.simulation_task import InputSetter, Task, bounds, require_finite_at

Array = NDArray[np.float64]
_EVENT_CHECKS = 8


class ModelExchange:
    """One simulation by Model Exchange."""

    def __init__(self, instance: Instance, task: Task) -> None:
        self.instance, self.task = instance, task
        self.inputs = InputSetter(instance, task)
        self._outputs = Block(task.outputs)
        self.integrator: Integrator = make_integrator(
            task.method, self.rhs, instance.nx, task.rtol, task.atol
        )
        count = len(task.times)
        self.outputs = np.zeros((count, len(task.outputs)))
        self.states = np.zeros((count, instance.nx))
        self.nodes: DenseNodes | None = None
        if task.dense:
            self.nodes = DenseNodes(self._evaluate, float(task.times[-1] - task.times[0]))
        self._next = 0
        self._next_event = math.inf
        self.events = 0

    def rhs(self, t: float, states: int, derivatives: int) -> None:
        """Right-hand side: the inputs belong to this time and these states."""
        instance = self.instance
        instance.set_point(t, states)
        self.inputs.apply(t)
        instance.get_derivatives(derivatives)

    def run(self) -> None:
        """Simulate; fills `outputs` and `states`."""
        task = self.task
        start, end = float(task.times[0]), float(task.times[-1])
        x = self._initial_states(start)
        t = start
        self._check_start(t, x)
        for bound in bounds(start, end, task.controls):
            while t < bound:
                # A time event ends a piece as a kink of the inputs does.
                until = min(bound, self._next_event) if self._next_event > t else bound
                self.inputs.window(t, bound)
                t, x = self._piece(t, x, until)
                if t == self._next_event:
                    x = self._event(t, x)
        self.inputs.window(end, end)
        self._collect(np.array([end]), x[None])

    def _initial_states(self, start: float) -> Array:
        self._next_event = self.instance.handle_events()
        x = self.instance.get_states()
        for position, value in self.task.state_values:
            x[position] = value
        self.instance.set_point(start, x.ctypes.data)
        return x

    def _check_start(self, t: float, x: Array) -> None:
        """Name what is not finite at the start, before the integrator stumbles over it."""
        dx = np.zeros(len(x))
        self.inputs.window(t, t)
        try:
            self.rhs(t, x.ctypes.data, dx.ctypes.data)
        except DiscardedError:
            raise FmuError(f"the derivatives cannot be evaluated at t = {t} s") from None
        require_finite_at(x, self.task.state_names, t)
        require_finite_at(dx, [f"der({name})" for name in self.task.state_names], t)

    def _piece(self, t: float, x: Array, until: float) -> tuple[float, Array]:
        """Integrate up to a time or the first event before it."""
        integrator, instance = self.integrator, self.instance
        needs_steps = bool(instance.fmu["needs_completed_step"])
        try:
            integrator.begin(t, x, until)
            before = self._indicators(t, x) if instance.nz else None
            while integrator.t < until:
                integrator.step()
                if before is not None:
                    event = self._find_event(before)
                    if event is not None:
                        self._collect_step(*event)
                        return event[0], self._event(*event)
                    before = self._indicators(integrator.t, integrator.x)
                self._collect_step(integrator.t, integrator.x)
                if needs_steps:
                    instance.set_point(integrator.t, integrator.x.ctypes.data)
                    self.inputs.apply(integrator.t)
                    if instance.completed_step():
                        at = integrator.t
                        return at, self._event(at, integrator.x)
        except (StepTooSmallError, DiscardedError) as error:
            self._explain_stop(error)
        return integrator.t, integrator.x

    def _explain_stop(self, error: Exception) -> None:
        integrator = self.integrator
        t, x = integrator.t, np.array(integrator.x)
        self._check_start(t, x)
        bad = getattr(integrator, "not_finite", None)
        if bad is not None and bad.any():
            name = self.task.state_names[int(np.argmax(bad))]
            raise NotFiniteError(f"der({name}) is not finite after t = {t:.9g} s") from None
        raise FmuError(
            f"the integrator {self.task.method} cannot go on at t = {t:.9g} s "
            f"({str(error) or 'its step became too small'})"
        ) from None

    # ------------------------------------------------------------------ events

    def _indicators(self, t: float, x: Array) -> Array:
        self.instance.set_point(t, np.ascontiguousarray(x).ctypes.data)
        self.inputs.apply(t)
        z = self.instance.get_indicators()
        if not np.isfinite(z).all():
            raise NotFiniteError(f"an event indicator is not finite at t = {t} s")
        return z

    def _find_event(self, before: Array) -> tuple[float, Array] | None:
        """Find the first change of sign in the last step; time and states right after it.

        Looked for at some times within the step too: a ball that leaves the ground and comes back
        in one step would go through it otherwise.
        """
        integrator = self.integrator
        low = integrator.t_old
        times = np.linspace(low, integrator.t, _EVENT_CHECKS + 1)[1:]
        states = np.vstack([integrator.dense(times[:-1]), integrator.x])
        for high, x in zip(times.tolist(), states, strict=True):
            if _crossed(before, self._indicators(high, x)).any():
                return self._bisect(before, low, high, x)
            low = high
        return None

    def _bisect(self, before: Array, low: float, high: float, x: Array) -> tuple[float, Array]:
        while high - low > 4.0 * math.ulp(high):
            middle = 0.5 * (low + high)
            candidate = self.integrator.dense(np.array([middle]))[0]
            if _crossed(before, self._indicators(middle, candidate)).any():
                high, x = middle, candidate
            else:
                low = middle
        return high, np.array(x)

    def _event(self, t: float, x: Array) -> Array:
        self.events += 1
        if self.events > 100_000:
            raise FmuError(f"more than 100000 events up to t = {t} s")
        self.instance.set_point(t, np.ascontiguousarray(x).ctypes.data)
        self.inputs.apply(t)
        self.instance.enter_events()
        self._next_event = self.instance.handle_events()
        return self.instance.get_states()

    # ------------------------------------------------------------------ outputs

    def _collect_step(self, end: float, states: Array) -> None:
        """Outputs at the times from the last step's begin up to before `end`, and its nodes."""
        times = self.task.times
        stop = int(np.searchsorted(times, end, side="left"))
        if stop > self._next:
            inside = times[self._next : stop]
            self._collect(inside, self.integrator.dense(inside))
        if self.nodes is not None:
            self.nodes.add(self.integrator, end, states)

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
        found = {"outputs": self.outputs, "states": self.states}
        return found if self.nodes is None else found | self.nodes.arrays()

    def statistics(self) -> dict[str, Any]:
        """Counters of the integrator."""
        integrator = self.integrator
        return {
            "steps": integrator.steps,
            "rejected": integrator.rejected,
            "evaluations": integrator.evaluations,
            "events": self.events,
            "interpolation": "inputs evaluated in every call of the right-hand side",
        }


def _crossed(before: Array, after: Array) -> NDArray[np.bool_]:
    """Which event indicators changed their domain: z > 0 and z <= 0, as in the standard."""
    return np.asarray((before > 0.0) != (after > 0.0))
