"""Simulation of an FMU in the child process: Model Exchange and Co-Simulation.

Model Exchange: the inputs are evaluated in every call of the right-hand side, and the integration
goes piece by piece between the times where the inputs are less smooth, so that an integrator of
high order keeps its order. Co-Simulation: every output time is a communication point, the inputs
are set there, with their derivatives where the FMU takes them.
"""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.controls import ControlFunction, Controls
from cranebridge.plant.dense import DenseNodes
from cranebridge.plant.dop853 import DiscardedError, StepTooSmallError
from cranebridge.plant.fmi_calls import Block, FmuError, Instance, NotFiniteError
from cranebridge.plant.integrators import Integrator, make_integrator

Array = NDArray[np.float64]
MAX_ORDER = 3
_EVENT_CHECKS = 8


@dataclass
class Task:
    """What to simulate, in value references.

    Attributes
    ----------
    times : numpy.ndarray
        Output times, increasing.
    controls : Controls or None
        Inputs over time.
    references : dict of str to int
        Value references of all names used.
    outputs : list of int
        Value references of the outputs.
    state_references : list of int
        Value references of the states, as far as they are variables (Co-Simulation).
    state_values : list of (int, float)
        Position and value of states to set after initialization (Model Exchange).
    dense : bool
        Collect nodes within the integrator's steps too (Model Exchange).
    """

    times: Array
    controls: Controls | None
    references: dict[str, int]
    outputs: list[int]
    state_names: list[str]
    output_names: list[str]
    state_references: list[int] = field(default_factory=list)
    state_values: list[tuple[int, float]] = field(default_factory=list)
    rtol: float = 1e-10
    atol: float = 1e-12
    method: str = "DOP853"
    step: float | None = None
    input_derivatives: bool = True
    variable_step: bool = True
    dense: bool = False


class InputSetter:
    """Sets the inputs of an instance for a time, with the drive controllers in the loop."""

    def __init__(self, instance: Instance, task: Task) -> None:
        controls = task.controls
        self._instance = instance
        self.active = controls is not None and len(controls.names) > 0
        if controls is None or not self.active:
            return
        self.block = Block([task.references[name] for name in controls.names])
        self._function = ControlFunction(controls)
        self._parts = [self._function]
        self._drives = controls.drives
        if self._drives is not None:
            drives = self._drives
            self._reference = ControlFunction(drives.reference)
            self._rate = ControlFunction(drives.velocity)
            self._parts += [self._reference, self._rate]
            count = len(drives.inputs)
            self._wanted = (ctypes.c_double * count)()
            self._wanted_rate = (ctypes.c_double * count)()
            names = [*drives.positions, *drives.velocities]
            self._measured = Block([task.references[name] for name in names])
            columns = [controls.names.index(name) for name in drives.inputs]
            self._gains = [
                (column, i, count + i, drives.kp[i], drives.kv[i])
                for i, column in enumerate(columns)
            ]

    def window(self, begin: float, end: float) -> None:
        """Evaluate in an interval, with one-sided values at its ends."""
        if self.active:
            for part in self._parts:
                part.window(begin, end)

    def apply(self, t: float) -> None:
        """Set the inputs; time and states have been set already."""
        if not self.active:
            return
        block = self.block
        self._function.into(t, block.values)
        if self._drives is not None:
            self._add_drives(t)
        self._instance.set_real(block, block.address)

    def _add_drives(self, t: float) -> None:
        measured, wanted, rate = self._measured, self._wanted, self._wanted_rate
        self._instance.get_real(measured, measured.address)
        self._reference.into(t, wanted)
        self._rate.into(t, rate)
        u, y = self.block.values, measured.values
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


# ---------------------------------------------------------------------------- Model Exchange


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
        for bound in _bounds(start, end, task.controls):
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
        _require_finite(x, self.task.state_names, t)
        _require_finite(dx, [f"der({name})" for name in self.task.state_names], t)

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


def _bounds(start: float, end: float, controls: Controls | None) -> list[float]:
    """Ends of the pieces: the stops of the inputs inside, and the end."""
    stops: list[float] = []
    if controls is not None:
        parts = [controls.stops]
        if controls.drives is not None:
            parts += [controls.drives.reference.stops, controls.drives.velocity.stops]
        inside = np.unique(np.concatenate(parts))
        stops = inside[(inside > start) & (inside < end)].tolist()
    return [*stops, end]


def _require_finite(values: Array, names: Sequence[str], t: float) -> None:
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise NotFiniteError(f"{names[bad[0]]} is {values[bad[0]]} at t = {t:.9g} s")


# ---------------------------------------------------------------------------- Co-Simulation


class CoSimulation:
    """One simulation by Co-Simulation."""

    def __init__(self, instance: Instance, task: Task, order: int) -> None:
        self.instance, self.task = instance, task
        self.inputs = InputSetter(instance, task)
        self.order = order if self.inputs.active else 0
        if self.order:
            self._prepare_derivatives()
        self._outputs = Block(task.outputs)
        self._states = Block(task.state_references)
        self.outputs = np.zeros((len(task.times), len(task.outputs)))
        self.states = np.zeros((len(task.times), len(task.state_references)))
        self.steps = 0

    def _prepare_derivatives(self) -> None:
        assert self.task.controls is not None
        names = self.task.controls.names
        references = [self.task.references[name] for name in names] * self.order
        self._rates = Block(references)
        orders = [k for k in range(1, self.order + 1) for _ in names]
        self._orders = (ctypes.c_int * len(orders))(*orders)

    def run(self) -> None:
        """Simulate; fills `outputs` and `states`."""
        points = communication_points(self.task)
        output_times = self.task.times.tolist()
        row = 0
        for i, (t, is_output) in enumerate(points):
            following = points[i + 1][0] if i + 1 < len(points) else t
            self.inputs.window(t, following)
            self.inputs.apply(t)
            if is_output:
                self._collect(row, output_times[row])
                row += 1
            if i + 1 < len(points):
                if self.order:
                    self._set_derivatives(t, following - t)
                self.instance.do_step(t, following - t)
                self.steps += 1

    def _set_derivatives(self, t: float, size: float) -> None:
        rates = self.inputs.polynomial(t, size, self.order)
        self._rates.values[:] = rates.ravel().tolist()
        status = self.instance.set_input_derivatives(self._rates, self._orders, self._rates.address)
        if status not in (0, 1):
            raise FmuError(f"fmi2SetRealInputDerivatives returned {status}")

    def _collect(self, row: int, t: float) -> None:
        if self._outputs.size:
            address = self.outputs.ctypes.data + 8 * row * self._outputs.size
            self.instance.get_real(self._outputs, address)
            _require_finite(self.outputs[row], self.task.output_names, t)
        if self._states.size:
            address = self.states.ctypes.data + 8 * row * self._states.size
            self.instance.get_real(self._states, address)
            _require_finite(self.states[row], self.task.state_names, t)

    def arrays(self) -> dict[str, Array]:
        """Results for the message to the parent."""
        return {"outputs": self.outputs, "states": self.states}

    def statistics(self) -> dict[str, Any]:
        """Counters, and how the inputs were interpolated."""
        held = "inputs held over each communication step (order 1)"
        text = f"input derivatives up to order {self.order}" if self.order else held
        return {
            "steps": self.steps,
            "rejected": 0,
            "evaluations": 0,
            "events": 0,
            "interpolation": text,
        }


def communication_points(task: Task) -> list[tuple[float, bool]]:
    """Times where data is exchanged, and whether they are output times.

    Output times and stops of the inputs are communication points; between them equal steps of at
    most `task.step`.
    """
    times = task.times
    marks = sorted({*times.tolist(), *_bounds(float(times[0]), float(times[-1]), task.controls)})
    step = task.step if task.step is not None else float(np.median(np.diff(times)))
    is_output = set(times.tolist())
    points = [(marks[0], True)]
    for begin, end in itertools.pairwise(marks):
        # tolerant to rounding: 0.01 in steps of 0.005 are two, not three
        count = max(1, math.ceil((end - begin) / step * (1.0 - 1e-9)))
        points += [(begin + (end - begin) * k / count, False) for k in range(1, count)]
        points.append((end, end in is_output))
    if not task.variable_step:
        sizes = np.diff([t for t, _ in points])
        if np.ptp(sizes) > 1e-6 * sizes.max():
            raise FmuError(
                "this FMU takes communication steps of one length only; the output times and "
                f"stops ask for steps from {sizes.min():.6g} to {sizes.max():.6g} s"
            )
    return points


def probe_input_order(instance: Instance, references: Sequence[int]) -> int:
    """Highest order of input derivatives that a scratch instance in step mode accepts."""
    for order in range(1, MAX_ORDER + 1):
        block = Block(references)
        orders = (ctypes.c_int * len(references))(*([order] * len(references)))
        if instance.set_input_derivatives(block, orders, block.address) != 0:
            return order - 1
    return MAX_ORDER
