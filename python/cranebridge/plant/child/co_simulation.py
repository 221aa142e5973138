"""Simulation of an FMU by Co-Simulation, in the child process.

Every output time is a communication point. The inputs are set there; within a step they move as
the FMU can take it: by derivatives (FMI 2), or by values that it asks for (FMI 3). Where it has an
event mode, jumps of inputs and its own events are handled in it.
"""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.events import handle_due
from cranebridge.plant.child.fmi import (
    CommunicationSteps,
    FmuError,
    Instance,
    Offer,
    SimulationEndedError,
    VariableBlock,
    fmi_errors,
)
from cranebridge.plant.child.inputs import InputSetter, IntermediateUpdate
from cranebridge.plant.child.model_exchange import LAW
from cranebridge.plant.protocol import Instantiation, SimulationRequest, VariableReference

Array = NDArray[np.float64]

MAX_ORDER = 3
_MAX_STOPS = 1000  # steps in a row that an FMU may end where they began


def offer_to(fmu: Instantiation, update: IntermediateUpdate, restores: bool) -> Offer:
    """What an FMU is offered: all that it says it can."""
    return Offer(
        update=update if update.required else None,
        required=update.required,
        early_return=fmu.early_return,
        events=fmu.event_mode,
        restores=restores,
    )


def steps_of(instance: Any) -> Any:
    """Return who takes the communication steps: PyFMI's instance does so itself."""
    return CommunicationSteps(instance) if isinstance(instance, Instance) else instance


class CoSimulation:
    """One simulation by Co-Simulation.

    The simulated time goes to `reached`. The instance has just been initialized; or it is in step
    mode, and `resumed` says which events were ahead (`events_ahead` of the run before).
    """

    def __init__(
        self,
        instance: Instance,
        request: SimulationRequest,
        reached: ctypes.c_double,
        order: int,
        update: IntermediateUpdate,
        resumed: tuple[float, bool] | None = None,
    ) -> None:
        self.instance, self.request, self.update = instance, request, update
        self._reached = reached
        self._steps = steps_of(instance)
        self.inputs = InputSetter(instance, request)
        update.attach(self.inputs)
        self.order = order if self.inputs.active and self.inputs.continuous else 0
        if self.order:
            self._prepare_derivatives()
        self._outputs = VariableBlock(request.outputs)
        self._states = VariableBlock(request.state_references)
        self.outputs = np.zeros((len(request.times), len(request.outputs)))
        self.states = np.zeros((len(request.times), len(request.state_references)))
        self.steps = self.events = self._row = 0
        self.ended = ""
        self._events = instance.offer.events
        self._initialized = resumed is None
        # when the next event is, and whether the FMU wants the event mode at the present time
        self._next_event, self._event_here = resumed or (math.inf, False)

    @property
    def events_ahead(self) -> tuple[float, bool]:
        """What a run that goes on from here must know of events."""
        return self._next_event, self._event_here

    def _prepare_derivatives(self) -> None:
        assert self.request.controls is not None
        # Discrete inputs have no derivatives.
        names = [self.request.controls.names[i] for i in self.inputs.continuous]
        references = [self.request.references[name] for name in names] * self.order
        self._rates = VariableBlock(references)
        orders = [k for k in range(1, self.order + 1) for _ in names]
        self._orders = (ctypes.c_int * len(orders))(*orders)

    def run(self) -> None:
        """Simulate; fills `outputs` and `states`, up to where the FMU ends it."""
        points = communication_points(self.request)
        output_times = self.request.times.tolist()
        t = points[0][0]
        try:
            for i, (t, is_output) in enumerate(points):
                following = points[i + 1][0] if i + 1 < len(points) else t
                self._arrive(t, following, first=i == 0)
                if is_output:
                    self._collect(self._row, output_times[self._row])
                    self._row += 1
                if i + 1 < len(points):
                    self._advance(t, following)
        except SimulationEndedError as error:
            at = t if error.time is None else error.time
            self.ended = f"{error} at t = {at:.12g} s"
        except FmuError as error:
            if not self._row or not self._states.size:
                raise
            last = self.states[self._row - 1]
            known = self.request.state_names, self.states[0], last, output_times[self._row - 1]
            raise fmi_errors.explained(error, *known) from error

    # ------------------------------------------------------------------ communication points

    def _arrive(self, t: float, following: float, *, first: bool) -> None:
        """Set the inputs at a communication point: in event mode where one is due."""
        given = self.inputs.run_law(t)
        if not self._events:
            self.inputs.window(t, following)
            self.inputs.apply(t)
            self.inputs.apply_discrete(t)
            return
        if first:
            self.inputs.window(t, following)
            if self._initialized:  # initialization ends in event mode
                self._settle(t)
            else:
                self._stop_at(t)
        else:
            self._stop_at(t, self.inputs.move(t, following) or given)

    def _stop_at(self, t: float, jump: bool = False) -> None:
        """Set the inputs; in event mode if one jumps, or if the FMU has an event here."""
        if jump or self._event_here or self._next_event <= t + _rounding(t):
            self.instance.enter_events()
            self.events += 1
            self._settle(t)
        else:
            self.inputs.apply(t)

    def _settle(self, t: float) -> None:
        """In event mode: set all inputs, iterate, leave the mode."""
        self.inputs.apply(t)
        self.inputs.apply_discrete(t)
        self._event_here = False
        self._next_event = handle_due(self.instance, t, self._count)

    def _count(self, _announced: float) -> None:
        self.events += 1

    # ------------------------------------------------------------------ between them

    def _advance(self, t: float, target: float) -> None:
        """Go to the next communication point, with stops where the FMU wants them."""
        stops = 0
        while t < target:
            end = target
            if self.request.variable_step and t < self._next_event <= target + _rounding(target):
                end = self._next_event
            reached = self._step(t, end)
            if reached == end and abs(end - target) <= _rounding(target):
                reached = target
            stops = stops + 1 if reached <= t else 0
            if stops > _MAX_STOPS:
                raise FmuError(f"the FMU does not get beyond t = {t:.12g} s: it returns early")
            t = reached
            if t < target:
                self._stop_at(t)

    def _step(self, t: float, end: float) -> float:
        if self.order:
            self._set_derivatives(t, end - t)
        self.update.step(t, end)
        try:
            result = self._steps.do_step(t, end - t)
        finally:
            self.update.check()
        self.steps += 1
        self._reached.value = end
        self._event_here = result.event
        return result.time if result.early else end

    def _set_derivatives(self, t: float, size: float) -> None:
        rates = self.inputs.polynomial(t, size, self.order)[:, self.inputs.continuous]
        self._rates.values[:] = rates.ravel().tolist()
        status = self._steps.set_input_derivatives(self._rates, self._orders, self._rates.address)
        if status not in (0, 1):
            raise FmuError(f"fmi2SetRealInputDerivatives returned {status}")

    def _collect(self, row: int, t: float) -> None:
        if self._outputs.size:
            address = self.outputs.ctypes.data + 8 * row * self._outputs.size
            self.instance.get_real(self._outputs, address)
            fmi_errors.require_finite_at(self.outputs[row], self.request.output_names, t)
        if self._states.size:
            address = self.states.ctypes.data + 8 * row * self._states.size
            self.instance.get_real(self._states, address)
            fmi_errors.require_finite_at(self.states[row], self.request.state_names, t)

    def arrays(self) -> dict[str, Array]:
        """Results for the message to the parent."""
        found = {"outputs": self.outputs[: self._row], "states": self.states[: self._row]}
        return found if self.inputs.law is None else found | self.inputs.law.arrays()

    def statistics(self) -> dict[str, Any]:
        """Counters, and how the inputs were interpolated."""
        return {
            "steps": self.steps,
            "rejected": 0,
            "evaluations": 0,
            "events": self.events,
            "ended": self.ended,
            "interpolation": self._interpolation(),
        }

    def _interpolation(self) -> str:
        if self.inputs.law is not None:
            return LAW
        if self.order:
            return f"input derivatives up to order {self.order}"
        held = "inputs held over each communication step (order 1)"
        if not self.update.required:
            return held
        if not self.update.count:
            return f"{held}: the FMU did not ask for more"
        text = "inputs set within the steps (intermediate update)"
        assert self.request.controls is not None
        others = sorted(set(self.inputs.continuous) - set(self.inputs.within))
        if others:
            names = ", ".join(self.request.controls.names[i] for i in others)
            text += f", but {names} held over each (order 1)"
        return text


def _rounding(t: float) -> float:
    """Return by how much the times of one instant may differ."""
    return 1e-12 * max(1.0, abs(t))


def communication_points(request: SimulationRequest) -> list[tuple[float, bool]]:
    """Times where data is exchanged, and whether they are output times.

    Output times and stops of the inputs are communication points; between them equal steps of at
    most `request.step`.
    """
    times = request.times
    marks = sorted({*times.tolist(), *request.stops()})
    step = request.step if request.step is not None else float(np.median(np.diff(times)))
    is_output = set(times.tolist())
    points = [(marks[0], True)]
    for begin, end in itertools.pairwise(marks):
        # tolerant to rounding: 0.01 in steps of 0.005 are two, not three
        count = max(1, math.ceil((end - begin) / step * (1.0 - 1e-9)))
        points += [(begin + (end - begin) * k / count, False) for k in range(1, count)]
        points.append((end, end in is_output))
    if not request.variable_step:
        sizes = np.diff([t for t, _ in points])
        if np.ptp(sizes) > 1e-6 * sizes.max():
            raise FmuError(
                "this FMU takes communication steps of one length only; the output times and "
                f"stops ask for steps from {sizes.min():.6g} to {sizes.max():.6g} s"
            )
    return points


def probe_input_order(instance: Instance, references: Sequence[VariableReference]) -> int:
    """Highest order of input derivatives that a scratch instance in step mode accepts."""
    references = [reference for reference in references if isinstance(reference, int)]
    steps = steps_of(instance)
    for order in range(1, MAX_ORDER + 1):
        block = VariableBlock(references)
        orders = (ctypes.c_int * len(references))(*([order] * len(references)))
        if steps.set_input_derivatives(block, orders, block.address) != 0:
            return order - 1
    return MAX_ORDER
