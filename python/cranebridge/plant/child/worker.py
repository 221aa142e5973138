"""The child process in which FMUs run: limits itself, then answers requests until told to end.

Started by `plant.sandbox`. Standard output and standard error are a file that the parent reads, so
that the FMU's last words are kept whatever happens to this process.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import math
import mmap
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.co_simulation import (
    MAX_ORDER,
    CoSimulation,
    offer_to,
    probe_input_order,
)
from cranebridge.plant.child.compiled_loop import CompiledLoop
from cranebridge.plant.child.fmi import (
    DiscardedError,
    FmuError,
    Instance,
    NotFiniteError,
    Offer,
    VariableBlock,
)
from cranebridge.plant.child.fmpy_simulation import FmpySimulation
from cranebridge.plant.child.initialization import initialize
from cranebridge.plant.child.inputs import IntermediateUpdate
from cranebridge.plant.child.kept_instance import KeptInstance
from cranebridge.plant.child.model_exchange import ModelExchange
from cranebridge.plant.child.point_rates import PointEvaluator
from cranebridge.plant.child.process_guard import ProcessGuard, limit_memory, limit_time
from cranebridge.plant.child.pyfmi_exchange import PyfmiExchange
from cranebridge.plant.child.pyfmi_instance import PyfmiInstance
from cranebridge.plant.child.restored_run import RestoredRun
from cranebridge.plant.containment import measures
from cranebridge.plant.protocol import (
    Instantiation,
    LinearizationRequest,
    PlantRequest,
    PointsRequest,
    SimulationRequest,
    VariableValues,
    wire,
)

Array = NDArray[np.float64]
Reply = tuple[dict[str, Any], dict[str, Array]]
Evaluate = Callable[[PointEvaluator, float, Array], tuple[Array, ...]]

_NOTHING = Offer()
_LOG_LINES = 10_000


class Worker:
    """Answers requests; a request names the FMU and all that is needed.

    All but one: a run from a saved state goes on with the instance of the run before.

    Parameters
    ----------
    reached : ctypes.c_double, optional
        Gets the simulated time, for those who watch.
    """

    def __init__(self, reached: ctypes.c_double | None = None) -> None:
        self.reached = ctypes.c_double() if reached is None else reached
        self._lines = 0
        self._limit = math.inf  # seconds that the request may take
        self._order: int | None = None
        self._kept: RestoredRun | None = None
        self._instance = KeptInstance()

    def log(self, line: str) -> None:
        """Write a log line of the FMU at once: the process may not live much longer."""
        self._lines += 1
        if self._lines <= _LOG_LINES:
            try:
                os.write(2, (line.rstrip("\n") + "\n").encode("utf-8", "replace"))
            except OSError:
                self._lines = _LOG_LINES

    def answer(self, body: dict[str, Any], arrays: dict[str, Array]) -> Reply:
        """Answer one request."""
        commands: dict[str, tuple[type[PlantRequest], Callable[[Any], Reply]]] = {
            "simulate": (SimulationRequest, self._simulate),
            "input_order": (SimulationRequest, self._try_order),
            "derivatives": (PointsRequest, self._derivatives),
            "rates": (PointsRequest, self._rates),
            "second_rates": (PointsRequest, self._second_rates),
            "linearize": (LinearizationRequest, self._linearize),
        }
        kind, command = commands[body["command"]]
        request = kind.of_message(body, arrays)
        self._limit = float(body.get("timeout", math.inf))
        kept, self._kept = self._kept, None  # an error ends it
        if isinstance(request, SimulationRequest) and request.saved == "resume":
            return self._resume(kept, request)
        if kept is not None:
            kept.close()
        if not (isinstance(request, SimulationRequest) and request.persistent):
            self._instance.close()
        return command(request)

    # ------------------------------------------------------------------ simulation

    def _simulate(self, request: SimulationRequest) -> Reply:
        fmu = request.fmu
        offer, order, update = _NOTHING, 0, IntermediateUpdate(request)
        if not fmu.is_model_exchange and fmu.backend != "fmpy":
            order, saves = self._input_order(request), bool(request.saved)
            offer = offer_to(fmu, update, saves)
            if saves:
                instance = make_instance(fmu, self.log, offer)
                initialize(instance, request)
                return self._resume(RestoredRun(instance, order, update), request)

        def make() -> Any:
            return make_instance(fmu, self.log, offer)

        def simulate(instance: Any) -> Reply:
            began = time.perf_counter()
            simulation = self._simulation(instance, request, order, update)
            if not isinstance(simulation, FmpySimulation):  # which does that itself
                initialize(instance, request)
            simulation.run()
            statistics = simulation.statistics() | {"seconds": time.perf_counter() - began}
            return statistics, simulation.arrays()

        # an intermediate update belongs to one simulation and one instance
        if request.persistent and offer.update is None:
            return self._instance.run(request, self._limit, make, simulate)
        instance = make()
        reply = simulate(instance)
        instance.close()
        return reply

    def _simulation(
        self, instance: Any, request: SimulationRequest, order: int, update: IntermediateUpdate
    ) -> CompiledLoop | ModelExchange | PyfmiExchange | CoSimulation | FmpySimulation:
        """Return what simulates with an instance that is not initialized yet."""
        if request.fmu.backend == "fmpy":
            return FmpySimulation(instance, request, self.reached)
        if not request.fmu.is_model_exchange:
            return CoSimulation(instance, request, self.reached, order, update)
        if isinstance(instance, PyfmiInstance):
            return PyfmiExchange(instance, request, self.reached)
        if request.loop:
            return CompiledLoop(instance, request, self.reached)
        return ModelExchange(instance, request, self.reached)

    def _resume(self, kept: RestoredRun | None, request: SimulationRequest) -> Reply:
        """Run on, or again, with the instance of the run before."""
        if kept is None:
            raise FmuError("there is no saved state to go on from")
        began = time.perf_counter()
        simulation = kept.run(request, self.reached)
        self._kept = kept
        seconds = time.perf_counter() - began
        return simulation.statistics() | {"seconds": seconds}, simulation.arrays()

    def _input_order(self, request: SimulationRequest) -> int:
        """Order of input derivatives: tried once with an instance that is thrown away."""
        if request.controls is None or not request.input_derivatives or not request.max_order:
            return 0
        if request.order is not None:
            return min(request.order, MAX_ORDER)
        if self._order is None:
            scratch = make_instance(request.fmu, lambda _line: None)
            scratch.set_values(request.values)
            scratch.initialize(request.start, None, None)
            references = [request.references[name] for name in request.controls.names]
            self._order = probe_input_order(scratch, references)
            scratch.close()
        return self._order

    def _try_order(self, request: SimulationRequest) -> Reply:
        """Return the order of input derivatives; the parent asks a child for nothing but this."""
        return {"order": self._input_order(request)}, {}

    # ------------------------------------------------------------------ derivatives

    def _derivatives(self, request: PointsRequest) -> Reply:
        """Derivatives and outputs at many states, inputs and parameters; Model Exchange."""

        def evaluate(point: PointEvaluator, t: float, x: Array) -> tuple[Array, ...]:
            return point.derivatives(t, x), point.read_outputs()

        rates, outputs = self._at_points(request, evaluate, 2)
        return {}, {"derivatives": rates, "outputs": outputs}

    def _rates(self, request: PointsRequest) -> Reply:
        """Derivatives, outputs and time derivatives of the outputs."""

        def exact(point: PointEvaluator, t: float, x: Array) -> tuple[Array, ...]:
            return _exact_rates(request, point, t, x)

        def differences(point: PointEvaluator, t: float, x: Array) -> tuple[Array, ...]:
            f, around = point.derivatives(t, x), point.along(t, x)
            return f, around[2], point.first(around), np.zeros(around.shape[1])

        way = exact if request.directional else differences
        f, y, rates, over_time = self._at_points(request, way, 4)
        results = {"derivatives": f, "outputs": y, "output_rates": rates}
        return {"time_dependent": bool(over_time.any())}, results

    def _second_rates(self, request: PointsRequest) -> Reply:
        """Second time derivatives of the outputs."""

        def of_rates(point: PointEvaluator, t: float, x: Array) -> tuple[Array, ...]:
            # One difference of exact rates is better by four digits than two of values.
            rows = point.along(t, x, lambda t, x: _exact_rates(request, point, t, x)[2])
            return (point.first(rows),)

        def of_values(point: PointEvaluator, t: float, x: Array) -> tuple[Array, ...]:
            return (point.second(point.along(t, x)),)

        way = of_rates if request.directional else of_values
        return {}, {"second_rates": self._at_points(request, way, 1)[0]}

    def _at_points(self, request: PointsRequest, evaluate: Evaluate, count: int) -> list[Array]:
        """Evaluate at all points with one instance; a table for each of `count` results."""
        x, u, p = request.x, request.u, request.p
        instance: Instance = make_instance(request.fmu, self.log)
        _start(instance, _parameters(request, 0))
        point = PointEvaluator(instance, request.inputs, request.outputs, request.step)
        rows = []
        for k, t in enumerate(request.t.tolist()):
            if p is not None and k > 0 and (p[k] != p[k - 1]).any():
                instance.reset()
                _start(instance, _parameters(request, k))
            point.set_inputs(u[k], in_events=request.discrete)
            if instance.nz:
                point.settle(t, x[k])
            try:
                rows.append(evaluate(point, t, x[k]))
            except DiscardedError:
                raise FmuError(f"the derivatives cannot be evaluated in row {k}") from None
        instance.close()
        return [np.array([row[i] for row in rows]) for i in range(count)]

    def _linearize(self, request: LinearizationRequest) -> Reply:
        """Jacobian of derivatives and outputs by states and inputs, at one point."""
        instance: Instance = make_instance(request.fmu, self.log)
        _start(instance, request.values)
        x, u, t = request.x.copy(), request.u.copy(), float(request.t[0])
        input_block = VariableBlock(request.inputs)

        def place(x: Array, u: Array) -> None:
            instance.set_point(t, x.ctypes.data)
            if len(u):
                instance.set_real(input_block, u.ctypes.data)

        if request.directional:
            place(x, u)
            jacobian = _jacobian(instance, request)
        else:
            jacobian = _differences(instance, VariableBlock(request.outputs), place, x, u)
        instance.close()
        return {}, {"jacobian": jacobian}


def make_instance(fmu: Instantiation, log: Callable[[str], None], offer: Offer = _NOTHING) -> Any:
    """Return an instance of the FMU, made by the back end that was asked for."""
    return PyfmiInstance(fmu, log) if fmu.backend == "pyfmi" else Instance(fmu, log, offer)


def _start(instance: Instance, values: Sequence[VariableValues]) -> None:
    """Bring an instance to continuous-time mode."""
    instance.set_values(values)
    instance.initialize(0.0, None, None)
    instance.handle_events()


def _parameters(request: PointsRequest, row: int) -> list[VariableValues]:
    """Return the parameters of a point."""
    if request.p is None:
        return []
    numbers = iter(request.p[row].tolist())
    return [
        (reference, kind, tuple(itertools.islice(numbers, size)))
        for reference, kind, size in request.parameter_sizes
    ]


def _exact_rates(
    request: PointsRequest, point: PointEvaluator, t: float, x: Array
) -> tuple[Array, ...]:
    """Derivatives, outputs, their rates, and the part of these that is explicit in time."""
    over_time = point.first(point.over_time(t, x))
    f, y = point.derivatives(t, x), point.read_outputs()
    rates = point.directional(f, request.states, request.output_states)
    return f, y, rates + over_time, over_time


def _jacobian(instance: Instance, request: LinearizationRequest) -> Array:
    """Derivatives and outputs by states and inputs, a directional derivative for each column."""
    knowns: list[Any] = [*request.states, *request.inputs]
    outputs, positions = np.array(request.outputs, dtype=int), np.array(request.output_states, int)
    nx = len(request.derivatives)
    jacobian = np.zeros((nx + len(outputs), len(knowns)))
    # A state that is asked for as an output is no unknown of the standard, but its row is known.
    asked = np.concatenate([np.full(nx, True), positions < 0])
    jacobian[np.flatnonzero(~asked), positions[positions >= 0]] = 1.0
    unknowns = [*request.derivatives, *outputs[positions < 0].tolist()]
    for column, known in enumerate(knowns):
        jacobian[asked, column] = instance.directional(unknowns, [known], [1.0])
    return jacobian


def _differences(
    instance: Instance, outputs: VariableBlock, place: Any, x: Array, u: Array
) -> Array:
    """Central differences: the step balances truncation h^2 and rounding eps / h."""
    nx = len(x)
    point = np.concatenate([x, u])
    columns = []
    for i in range(len(point)):
        h = 6e-6 * max(1.0, abs(point[i]))
        values = []
        for sign in (1.0, -1.0):
            shifted = point.copy()
            shifted[i] += sign * h
            place(np.ascontiguousarray(shifted[:nx]), np.ascontiguousarray(shifted[nx:]))
            result = np.zeros(nx + outputs.size)
            instance.get_derivatives(result.ctypes.data)
            if outputs.size:
                instance.get_real(outputs, result.ctypes.data + 8 * nx)
            values.append(result)
        columns.append((values[0] - values[1]) / (2.0 * h))
    return np.array(columns).reshape(len(point), nx + outputs.size).T


def shared_time(descriptor: int) -> ctypes.c_double:
    """Return a number in a file that the parent reads."""
    return ctypes.c_double.from_buffer(mmap.mmap(descriptor, ctypes.sizeof(ctypes.c_double)))


def main(descriptor: int, memory: int, parent: int, reached: int) -> None:
    """Serve requests on a socket until it is closed.

    Parameters
    ----------
    descriptor : int
        Of the socket.
    memory : int
        Bytes of address space that this process may use.
    parent : int
        Number of the process with which this one ends; 0 if it must not.
    reached : int
        Of the file for the simulated time.
    """
    guard = ProcessGuard(parent != 0 and measures.end_with_parent(parent))
    channel = socket.socket(fileno=descriptor)
    # FMPy is imported now, while the parent still checks the archive.
    import fmpy.fmi2
    import fmpy.fmi3  # noqa: F401

    # What is loaded stays: looking through it for garbage would take longer than a simulation.
    gc.freeze()
    limit_memory(memory)
    worker = Worker(shared_time(reached))
    while True:
        try:
            body, arrays = wire.receive(channel)
        except wire.WireError:
            os._exit(0)
        limit_time(float(body["timeout"]))
        number = body["number"]
        reply: dict[str, Any] = {}
        results: dict[str, Array] = {}
        try:
            if body["command"] == "contain":
                reply = guard.contain(body)
            else:
                reply, results = worker.answer(body, arrays)
                guard.check()
        except FmuError as error:
            kind = "value" if isinstance(error, NotFiniteError) else "status"
            reply, results = {"error": str(error), "kind": kind}, {}
        except MemoryError:
            reply, results = {"error": "the memory limit was reached"}, {}
        except Exception as error:
            # Foreign FMUs make FMPy raise plain exceptions; the traceback goes to the log.
            traceback.print_exc(file=sys.stderr)
            sys.stderr.flush()
            reply, results = {"error": f"{type(error).__name__}: {error}"}, {}
        sys.stdout.flush()
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        wire.send(channel, {**reply, "number": number}, results)
