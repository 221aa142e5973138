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
import platform
import resource
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from functools import cache
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
    Block,
    DiscardedError,
    FmuError,
    Instance,
    NotFiniteError,
    Offer,
)
from cranebridge.plant.child.intermediate_update import IntermediateUpdate
from cranebridge.plant.child.kept_instance import KeptInstance
from cranebridge.plant.child.model_exchange import ModelExchange
from cranebridge.plant.child.point_rates import Point
from cranebridge.plant.child.pyfmi_exchange import PyfmiExchange
from cranebridge.plant.child.pyfmi_instance import PyfmiInstance, import_pyfmi
from cranebridge.plant.child.restored_run import RestoredRun
from cranebridge.plant.child.simulation_task import Task
from cranebridge.plant.containment import measures
from cranebridge.plant.protocol import from_message, wire

Array = NDArray[np.float64]
Reply = tuple[dict[str, Any], dict[str, Array]]
Evaluate = Callable[[Point, float, Array], tuple[Array, ...]]

_NOTHING = Offer()
_FILE_SIZE = 256 * 2**20
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
        commands = {
            "simulate": self._simulate,
            "input_order": self._try_order,
            "derivatives": self._derivatives,
            "rates": self._rates,
            "second_rates": self._second_rates,
            "linearize": self._linearize,
        }
        kept, self._kept = self._kept, None  # an error ends it
        if body.get("saved") == "resume":
            return self._resume(kept, body, arrays)
        if kept is not None:
            kept.close()
        if not body.get("persistent"):
            self._instance.close()
        return commands[body["command"]](body, arrays)

    # ------------------------------------------------------------------ simulation

    def _simulate(self, body: dict[str, Any], arrays: dict[str, Array]) -> Reply:
        task, fmu = _task_of(body, arrays), body["fmu"]
        task.reached = self.reached
        offer, order, update = _NOTHING, 0, IntermediateUpdate(task)
        if fmu["interface"] == "cs":
            order, saves = self._input_order(body, task), bool(body["saved"])
            offer = offer_to(fmu, update, saves)
            if saves:
                instance = make_instance(fmu, self.log, offer)
                self._initialize(instance, body, task)
                return self._resume(RestoredRun(instance, order, update), body, arrays)

        def make() -> Any:
            return make_instance(fmu, self.log, offer)

        def simulate(instance: Any) -> Reply:
            began = time.perf_counter()
            simulation = _simulation(instance, body, task, order, update)
            self._initialize(instance, body, task)
            simulation.run()
            statistics = simulation.statistics() | {"seconds": time.perf_counter() - began}
            return statistics, simulation.arrays()

        # an intermediate update belongs to one task and one instance
        if body["persistent"] and offer.update is None:
            return self._instance.run(body, arrays, make, simulate)
        instance = make()
        reply = simulate(instance)
        instance.close()
        return reply

    def _resume(
        self, kept: RestoredRun | None, body: dict[str, Any], arrays: dict[str, Array]
    ) -> Reply:
        """Run on, or again, with the instance of the run before."""
        if kept is None:
            raise FmuError("there is no saved state to go on from")
        began = time.perf_counter()
        simulation = kept.run(_task_of(body, arrays))
        self._kept = kept
        seconds = time.perf_counter() - began
        return simulation.statistics() | {"seconds": seconds}, simulation.arrays()

    def _initialize(self, instance: Instance, body: dict[str, Any], task: Task) -> None:
        instance.set_values(body["values"])
        start = float(task.times[0])
        # runs from a saved state go on, nobody knows how far
        stop = None if body["saved"] else float(task.times[-1])
        instance.enter_initialization(start, stop, body["tolerance"])
        _set_first_inputs(instance, task)
        for reference, wanted, name in body["expected"]:
            block = Block([reference])
            instance.get_real(block, block.address)
            if not math.isclose(block.values[0], wanted, rel_tol=1e-12, abs_tol=1e-15):
                raise FmuError(
                    f"{name} starts at {block.values[0]} and not at {wanted}: it depends on "
                    "parameters in a way that is not known here, set these instead"
                )
        instance.exit_initialization()

    def _input_order(self, body: dict[str, Any], task: Task) -> int:
        """Order of input derivatives: tried once with an instance that is thrown away."""
        if task.controls is None or not task.input_derivatives or not body["max_order"]:
            return 0
        if body.get("order") is not None:
            return min(int(body["order"]), MAX_ORDER)
        if self._order is None:
            scratch = make_instance(body["fmu"], lambda _line: None)
            scratch.set_values(body["values"])
            scratch.initialize(float(task.times[0]), None, None)
            references = [task.references[name] for name in task.controls.names]
            self._order = probe_input_order(scratch, references)
            scratch.close()
        return self._order

    def _try_order(self, body: dict[str, Any], arrays: dict[str, Array]) -> Reply:
        """Return the order of input derivatives; the parent asks a child for nothing but this."""
        return {"order": self._input_order(body, _task_of(body, arrays))}, {}

    # ------------------------------------------------------------------ derivatives

    def _derivatives(self, body: dict[str, Any], arrays: dict[str, Array]) -> Reply:
        """Derivatives and outputs at many states, inputs and parameters; Model Exchange."""

        def evaluate(point: Point, t: float, x: Array) -> tuple[Array, ...]:
            return point.derivatives(t, x), point.read_outputs()

        rates, outputs = self._at_points(body, arrays, evaluate, 2)
        return {}, {"derivatives": rates, "outputs": outputs}

    def _rates(self, body: dict[str, Any], arrays: dict[str, Array]) -> Reply:
        """Derivatives, outputs and time derivatives of the outputs."""

        def exact(point: Point, t: float, x: Array) -> tuple[Array, ...]:
            return _exact_rates(body, point, t, x)

        def differences(point: Point, t: float, x: Array) -> tuple[Array, ...]:
            f, around = point.derivatives(t, x), point.along(t, x)
            return f, around[2], point.first(around), np.zeros(around.shape[1])

        way = exact if body["directional"] else differences
        f, y, rates, over_time = self._at_points(body, arrays, way, 4)
        results = {"derivatives": f, "outputs": y, "output_rates": rates}
        return {"time_dependent": bool(over_time.any())}, results

    def _second_rates(self, body: dict[str, Any], arrays: dict[str, Array]) -> Reply:
        """Second time derivatives of the outputs."""

        def of_rates(point: Point, t: float, x: Array) -> tuple[Array, ...]:
            # One difference of exact rates is better by four digits than two of values.
            rows = point.along(t, x, lambda t, x: _exact_rates(body, point, t, x)[2])
            return (point.first(rows),)

        def of_values(point: Point, t: float, x: Array) -> tuple[Array, ...]:
            return (point.second(point.along(t, x)),)

        way = of_rates if body["directional"] else of_values
        return {}, {"second_rates": self._at_points(body, arrays, way, 1)[0]}

    def _at_points(
        self, body: dict[str, Any], arrays: dict[str, Array], evaluate: Evaluate, count: int
    ) -> list[Array]:
        """Evaluate at all points with one instance; a table for each of `count` results."""
        states, inputs, parameters = arrays["states"], arrays["inputs"], arrays.get("parameters")
        instance = self._ready(body, parameters[0] if parameters is not None else None)
        point = Point(instance, body["inputs"], body["outputs"], body.get("step", 0.0))
        rows = []
        for k, t in enumerate(arrays["times"].tolist()):
            if parameters is not None and k > 0 and (parameters[k] != parameters[k - 1]).any():
                self._restart(instance, body, parameters[k])
            point.set_inputs(inputs[k], in_events=body["discrete"])
            if instance.nz:
                point.settle(t, states[k])
            try:
                rows.append(evaluate(point, t, states[k]))
            except DiscardedError:
                raise FmuError(f"the derivatives cannot be evaluated in row {k}") from None
        instance.close()
        return [np.array([row[i] for row in rows]) for i in range(count)]

    def _ready(self, body: dict[str, Any], parameters: Array | None) -> Instance:
        """Return a new instance in continuous-time mode."""
        instance: Instance = make_instance(body["fmu"], self.log)
        self._start(instance, body, parameters)
        return instance

    def _restart(self, instance: Instance, body: dict[str, Any], parameters: Array) -> None:
        instance.reset()
        self._start(instance, body, parameters)

    def _start(self, instance: Instance, body: dict[str, Any], parameters: Array | None) -> None:
        instance.set_values(body["values"])
        if parameters is not None:
            numbers = iter(parameters.tolist())
            instance.set_values(
                [
                    (reference, kind, list(itertools.islice(numbers, size)))
                    for reference, kind, size in body["parameter_signals"]
                ]
            )
        instance.initialize(0.0, None, None)
        instance.handle_events()

    def _linearize(self, body: dict[str, Any], arrays: dict[str, Array]) -> Reply:
        """Jacobian of derivatives and outputs by states and inputs, at one point."""
        instance = self._ready(body, None)
        x, u, t = arrays["state"].copy(), arrays["input"].copy(), float(arrays["time"][0])
        input_block = Block(body["inputs"])

        def place(x: Array, u: Array) -> None:
            instance.set_point(t, x.ctypes.data)
            if len(u):
                instance.set_real(input_block, u.ctypes.data)

        if body["directional"]:
            place(x, u)
            jacobian = _jacobian(instance, body)
        else:
            jacobian = _differences(instance, Block(body["outputs"]), place, x, u)
        instance.close()
        return {}, {"jacobian": jacobian}


def _task_of(body: dict[str, Any], arrays: dict[str, Array]) -> Task:
    """Return what a request asks to be simulated."""
    return Task(
        times=arrays["times"],
        controls=from_message(body["controls"], arrays),
        references=body["references"],
        outputs=body["outputs"],
        output_names=body["output_names"],
        state_names=body["state_names"],
        state_references=body["state_references"],
        state_values=[(int(i), float(v)) for i, v in body["state_values"]],
        jacobian=tuple(body["jacobian"]),
        rtol=body["rtol"],
        atol=body["atol"],
        max_step=body["max_step"],
        method=body["method"],
        step=body["step"],
        input_derivatives=body["input_derivatives"],
        variable_step=body["variable_step"],
        dense=body["dense"],
        room=body["room"],
        discrete=body["discrete"],
        intermediate=body["intermediate"] if body["input_derivatives"] else [],
    )


def _simulation(
    instance: Any, body: dict[str, Any], task: Task, order: int, update: IntermediateUpdate
) -> CompiledLoop | ModelExchange | PyfmiExchange | CoSimulation:
    """Return what carries a task out with an instance that is not initialized yet."""
    if body["fmu"]["interface"] == "cs":
        return CoSimulation(instance, task, order, update)
    if isinstance(instance, PyfmiInstance):
        return PyfmiExchange(instance, task)
    if body["loop"]:
        return CompiledLoop(instance, task, body["loop"])
    return ModelExchange(instance, task)


def make_instance(fmu: dict[str, Any], log: Callable[[str], None], offer: Offer = _NOTHING) -> Any:
    """Return an instance of the FMU, made by the back end that was asked for."""
    return PyfmiInstance(fmu, log) if fmu["backend"] == "pyfmi" else Instance(fmu, log, offer)


def _exact_rates(body: dict[str, Any], point: Point, t: float, x: Array) -> tuple[Array, ...]:
    """Derivatives, outputs, their rates, and the part of these that is explicit in time."""
    over_time = point.first(point.over_time(t, x))
    f, y = point.derivatives(t, x), point.read_outputs()
    rates = point.directional(f, body["states"], body["output_states"])
    return f, y, rates + over_time, over_time


def _set_first_inputs(instance: Instance, task: Task) -> None:
    """Set the inputs of the start time; no drive controllers yet, whose outputs are not known."""
    controls = task.controls
    if controls is not None and controls.names:
        block = Block([task.references[name] for name in controls.names])
        block.values[:] = controls(float(task.times[0]))[0].tolist()
        instance.set_real(block, block.address)


def _jacobian(instance: Instance, body: dict[str, Any]) -> Array:
    """Derivatives and outputs by states and inputs, a directional derivative for each column."""
    knowns = [*body["states"], *body["inputs"]]
    outputs, positions = np.array(body["outputs"], dtype=int), np.array(body["output_states"], int)
    jacobian = np.zeros((len(body["derivatives"]) + len(outputs), len(knowns)))
    # A state that is asked for as an output is no unknown of the standard, but its row is known.
    asked = np.concatenate([np.full(len(body["derivatives"]), True), positions < 0])
    jacobian[np.flatnonzero(~asked), positions[positions >= 0]] = 1.0
    unknowns = [*body["derivatives"], *outputs[positions < 0].tolist()]
    for column, known in enumerate(knowns):
        jacobian[asked, column] = instance.directional(unknowns, [known], [1.0])
    return jacobian


def _differences(instance: Instance, outputs: Block, place: Any, x: Array, u: Array) -> Array:
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


# ---------------------------------------------------------------------------- process


def limit_memory(memory: int) -> None:
    """Limit memory, written files and core dumps of this process."""
    for kind, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, _FILE_SIZE),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))


def limit_time(seconds: float) -> None:
    """End this process after a time, should the parent not be there to do it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = math.ceil(used.ru_utime + used.ru_stime + seconds) + 1
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
    signal.setitimer(signal.ITIMER_REAL, seconds + 5.0)


class Guard:
    """Contains this process at the first request, and looks whether a call left it as it was."""

    def __init__(self, ends: bool) -> None:
        self._ends = ends
        self._arithmetic = _arithmetic()

    def contain(self, body: dict[str, Any]) -> dict[str, Any]:
        """Take away what an FMU does not need; returns what was enforced."""
        missing = import_pyfmi() if body["backend"] == "pyfmi" else ""
        enforced: list[str] = []
        version = 0
        if body["contain"]:
            enforced, version = measures.contain(body["read"], body["write"])
        if self._ends:
            enforced.append("lifetime")
        return {"enforced": enforced, "landlock": version, "missing": missing}

    def check(self) -> None:
        """Raise an error if the FMU has changed how this process calculates."""
        found = _arithmetic()
        changed = [name for name in found if found[name] != self._arithmetic[name]]
        if changed:
            raise FmuError(f"it changed {_ARITHMETIC[changed[0]]}, all its numbers are doubtful")


# What decides how a processor calculates, and how an FMU that changes it is told so.
_ARITHMETIC = {
    "rounding": "the processor's rounding mode",
    "tiny": "what the processor does with tiny numbers (flush to zero; is it built with "
    "-ffast-math?)",
    "precision": "the processor's precision",
}
# By machine, the C library's fenv_t: name, byte, bits of the word there.
_CONTROL_WORDS = {
    "x86_64": (
        *(("rounding", 0, 0x0C00), ("precision", 0, 0x0300)),  # of the x87 unit
        *(("rounding", 28, 0x6000), ("tiny", 28, 0x8040)),  # MXCSR: SSE and AVX
    ),
    "aarch64": (("rounding", 0, 0x00C00000), ("tiny", 0, 0x01080003)),  # FPCR
}


def _arithmetic() -> dict[str, tuple[int, ...]]:
    """Return how this thread calculates now: the control bits by the names of `_ARITHMETIC`."""
    found: dict[str, tuple[int, ...]] = dict.fromkeys(_ARITHMETIC, ())
    words = _CONTROL_WORDS.get(platform.machine(), ())
    state = (ctypes.c_uint32 * 16)()
    if sys.platform.startswith("linux") and words and _c_function("fegetenv")(state) == 0:
        for name, byte, bits in words:
            found[name] += (state[byte // 4] & bits,)
    elif _c_function("fegetround") is not None:
        found["rounding"] = (int(_c_function("fegetround")()),)
    return found


@cache
def _c_function(name: str) -> Any:
    """Return a function of this system's C library; None if it has none."""
    return getattr(ctypes.CDLL(None), name, None)


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
    guard = Guard(parent != 0 and measures.end_with_parent(parent))
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
