"""An instance of an FMU behind PyFMI, in the child process: the calls of `fmi_calls.Instance`.

Co-Simulation and single evaluations are the same for both back ends; only who makes the calls to
the FMU differs. Values go in and out by address, as there.

PyFMI takes a status "warning" for an error in most of its calls.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import logging
import math
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.fmi import (
    DISCARD,
    DISCARDED,
    ENDED,
    FMI2_CALLS,
    FmuError,
    Offer,
    SimulationEndedError,
    StepEnd,
    VariableBlock,
    check,
    fmi_errors,
    is_whole,
)
from cranebridge.plant.protocol import Instantiation

Array = NDArray[np.float64]
Log = Callable[[str], None]
Call = TypeVar("Call", bound=Callable[..., Any])

_MODULES = (
    "assimulo.solvers",
    "pyfmi",
    "pyfmi.fmi_algorithm_drivers",
    "pyfmi.simulation.assimulo_interface",
)
_ERROR = 3
# Kinds of status in FMI 2: fmi2LastSuccessfulTime and fmi2Terminated of fmi2StatusKind.
_LAST_TIME = 2
_TERMINATED = 3


def import_pyfmi() -> str:
    """Import all of PyFMI that is needed, with its libraries; why it cannot be, if so.

    Before this process is contained: the libraries may lie anywhere.
    """
    try:
        for name in _MODULES:
            import_module(name)
    except Exception as error:  # whatever a broken installation raises
        return f"{type(error).__name__}: {error}"
    # The log is the FMU's; that FMI 3 is new to PyFMI is said in the documentation.
    logging.disable(logging.WARNING)
    return ""


def pyfmi_error() -> type[Exception]:
    """Return the class of all errors that PyFMI raises on purpose."""
    found: type[Exception] = import_module("pyfmi.exceptions").FMUException
    return found


def _fmu_errors(call: Call) -> Call:
    """Raise PyFMI's own errors as errors of the FMU."""

    @functools.wraps(call)
    def wrapped(*arguments: Any) -> Any:
        try:
            return call(*arguments)
        except pyfmi_error() as error:
            # Some of its texts end in memory that has been freed.
            text = "".join(c for c in str(error) if c.isascii() and c.isprintable())
            raise FmuError(f"PyFMI: {text.rstrip('. ')}") from None

    return wrapped  # type: ignore[return-value]


class _Stream:
    """Takes PyFMI's log as a file would."""

    closed = False

    def __init__(self, log: Log) -> None:
        self.log = log

    def write(self, text: str) -> None:
        """Pass lines on."""
        for line in text.splitlines():
            self.log(line)


class PyfmiInstance:
    """An instance of an FMU that PyFMI has loaded.

    Parameters
    ----------
    fmu : Instantiation
        The FMU.
    log : callable
        Takes the FMU's log lines.

    Attributes
    ----------
    model
        PyFMI's model.
    offer : Offer
        What the FMU is offered for Co-Simulation: nothing, PyFMI has it for FMI 2 only.
    """

    offer = Offer()

    def __init__(self, fmu: Instantiation, log: Log) -> None:
        self.fmu = fmu
        self.nx, self.nz = fmu.states, fmu.event_indicators
        self.fmi2 = fmu.is_fmi2
        self.me = fmu.is_model_exchange
        self.model: Any = self._load(log)

    @_fmu_errors
    def _load(self, log: Log) -> Any:
        load_fmu = import_module("pyfmi").load_fmu
        # What PyFMI has to say of the model description matters only if it cannot read it.
        lines: list[str] = []
        stream = _Stream(lines.append)
        try:
            model = load_fmu(
                self.fmu.directory,
                log_file_name=stream,
                kind=self.fmu.interface.upper(),
                allow_unzipped_fmu=True,
            )
        except Exception:
            for line in lines:
                log(line)
            raise
        stream.log = log
        return model

    # ------------------------------------------------------------------ making and ending

    def initialize(self, start: float, stop: float | None, tolerance: float | None) -> None:
        """Enter and leave the initialization mode."""
        self.enter_initialization(start, stop, tolerance)
        self.exit_initialization()

    @_fmu_errors
    def enter_initialization(
        self, start: float, stop: float | None, tolerance: float | None
    ) -> None:
        """Enter the initialization mode."""
        options = {
            "tolerance_defined": tolerance is not None,
            "tolerance": tolerance or 0.0,
            "start_time": start,
            "stop_time_defined": stop is not None,
            "stop_time": stop or 0.0,
        }
        if self.fmi2:
            self.model.setup_experiment(**options)
            self.model.enter_initialization_mode()
        else:
            self.model.enter_initialization_mode(**options)

    @_fmu_errors
    def exit_initialization(self) -> None:
        """Leave the initialization mode: to event mode (Model Exchange) or step mode."""
        self.model.exit_initialization_mode()

    @_fmu_errors
    def reset(self) -> None:
        """Set the instance back to where it was made."""
        self.model.reset()

    def close(self) -> None:
        """Let PyFMI terminate and free the instance."""
        self.model = None
        gc.collect()

    # ------------------------------------------------------------------ variables

    def set_values(self, rows: Sequence[tuple[int, str, Sequence[float]]]) -> None:
        """Set scalars given as (value reference, type, one value), by the calls for them."""
        for reference, kind, values in rows:
            block = VariableBlock([(reference, kind)])
            block.values[:] = values
            self.set_real(block, block.address)

    @_fmu_errors
    def get_real(self, block: VariableBlock, address: int) -> None:
        """Read variables as doubles to an address."""
        target = (ctypes.c_double * block.size).from_address(address)
        for group in block.groups:
            values = self._function("get", group.kind)(list(group.references))
            for position, value in zip(group.positions, values, strict=True):
                target[position] = float(value)

    @_fmu_errors
    def set_real(self, block: VariableBlock, address: int) -> None:
        """Set variables from doubles at an address."""
        source = (ctypes.c_double * block.size).from_address(address)
        for group in block.groups:
            numbers: list[Any] = [source[i] for i in group.positions]
            if is_whole(group.kind):
                odd = [number for number in numbers if number != int(number)]
                if odd:
                    raise fmi_errors.not_whole(odd[0])
                numbers = [int(number) for number in numbers]
            self._function("set", group.kind)(list(group.references), numbers)

    def _function(self, way: str, kind: str) -> Any:
        """Return PyFMI's call that gets or sets variables of a type."""
        name = FMI2_CALLS[kind] if self.fmi2 else kind
        return getattr(self.model, f"{way}_{name.lower()}")

    # ------------------------------------------------------------------ Model Exchange

    @_fmu_errors
    def set_point(self, t: float, states: int) -> None:
        """Set time and continuous states (an address)."""
        self.model.time = t
        if self.nx:
            self.model.continuous_states = np.array(_doubles(states, self.nx))

    @_fmu_errors
    def get_derivatives(self, target: int) -> None:
        """Read the derivatives of the states to an address."""
        if self.nx:
            _doubles(target, self.nx)[:] = self.model.get_derivatives()

    @_fmu_errors
    def get_states(self) -> Array:
        """Return the continuous states."""
        return np.array(self.model.continuous_states) if self.nx else np.zeros(0)

    @_fmu_errors
    def get_indicators(self) -> Array:
        """Return the event indicators."""
        return np.array(self.model.get_event_indicators())

    @_fmu_errors
    def handle_events(self) -> float:
        """Iterate the discrete states in event mode, go to continuous time; next event's time."""
        for _ in range(1000):
            self.model.event_update(True)
            found = self.model.get_event_info()
            if found.terminateSimulation:
                raise SimulationEndedError(ENDED)
            if not found.newDiscreteStatesNeeded:
                self.model.enter_continuous_time_mode()
                return float(found.nextEventTime) if found.nextEventTimeDefined else math.inf
        raise fmi_errors.not_settled()

    @_fmu_errors
    def completed_step(self) -> bool:
        """Tell the FMU that an integrator step is done; whether it wants the event mode."""
        event, terminate = self.model.completed_integrator_step()
        if terminate:
            raise SimulationEndedError(ENDED)
        return bool(event)

    @_fmu_errors
    def enter_events(self) -> None:
        """Enter the event mode."""
        self.model.enter_event_mode()

    # ------------------------------------------------------------------ Co-Simulation

    @_fmu_errors
    def do_step(self, t: float, size: float) -> StepEnd:
        """Simulate one communication step."""
        status = self.model.do_step(t, size, True)
        if status == DISCARD:
            raise self._discarded(t, t + size)
        check(status, "fmi2DoStep")
        return StepEnd(t + size)

    def _discarded(self, t: float, end: float) -> SimulationEndedError:
        """Ask the FMU why it discarded a step; it need not be able to tell."""
        reason, last = DISCARDED, math.nan
        with contextlib.suppress(pyfmi_error()):
            if self.model.get_boolean_status(_TERMINATED):
                reason = ENDED
        with contextlib.suppress(pyfmi_error()):
            last = self.model.get_real_status(_LAST_TIME)
        return SimulationEndedError(reason, last if t <= last <= end else None)

    def set_input_derivatives(self, block: VariableBlock, orders: Any, values: int) -> int:
        """Set derivatives of inputs; returns the status."""
        numbers = _doubles(values, block.size).tolist()
        (group,) = block.groups  # real variables only have derivatives
        try:
            for order in sorted(set(orders)):
                rows = [i for i in range(block.size) if orders[i] == order]
                names = [self.model.get_variable_by_valueref(group.references[i]) for i in rows]
                self.model.set_input_derivatives(names, [numbers[i] for i in rows], order)
        except pyfmi_error():
            return _ERROR
        return 0

    # ------------------------------------------------------------------ partial derivatives

    @_fmu_errors
    def directional(
        self, unknowns: Sequence[int], knowns: Sequence[int], seed: Sequence[float]
    ) -> list[float]:
        """Directional derivative of unknowns by knowns, given by value reference."""
        result = self.model.get_directional_derivative(list(knowns), list(unknowns), list(seed))
        return [float(value) for value in result]


def _doubles(address: int, count: int) -> Array:
    """Return the doubles at an address, where they are."""
    return np.ctypeslib.as_array((ctypes.c_double * count).from_address(address))
