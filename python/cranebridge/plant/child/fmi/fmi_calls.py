"""FMI calls of one instance, the same for FMI 2.0 and 3.0; used in the child process only.

FMPy's low-level classes load the binary and make the instance. What is called in every evaluation
goes past them: plain C functions with addresses, made once, because a wrapper in Python costs more
than the crane's equations.
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import itertools
import math
from collections.abc import Callable, Sequence
from ctypes import CFUNCTYPE, c_double, c_int, c_size_t, c_uint, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.fmi import fmi_errors
from cranebridge.plant.child.fmi.fmi_errors import (
    ENDED,
    LABELS,
    FmuError,
    SimulationEndedError,
    check,
)
from cranebridge.plant.child.fmi.fmi_library import MissingFunction, load_functions
from cranebridge.plant.child.fmi.fmi_offer import Offer
from cranebridge.plant.child.fmi.variable_block import (
    C_TYPES,
    FMI2_CALLS,
    FMI2_TYPES,
    TypeGroup,
    VariableBlock,
    is_whole,
)
from cranebridge.plant.protocol import Instantiation, VariableReference

Array = NDArray[np.float64]
Log = Callable[[str], None]
_NOTHING = Offer()

_ERRORS = ("logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal")
_COUNTED = {"ContinuousStates": "continuous states", "EventIndicators": "event indicators"}
# A pointer, and a number of values.
_P = c_void_p
_N = c_size_t
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "fmi2SetTime": (_P, c_double),
    "fmi2SetContinuousStates": (_P, _P, _N),
    "fmi2GetContinuousStates": (_P, _P, _N),
    "fmi2GetDerivatives": (_P, _P, _N),
    "fmi2GetEventIndicators": (_P, _P, _N),
    "fmi2SetReal": (_P, _P, _N, _P),
    "fmi2GetReal": (_P, _P, _N, _P),
    "fmi3SetTime": (_P, c_double),
    "fmi3SetContinuousStates": (_P, _P, _N),
    "fmi3GetContinuousStates": (_P, _P, _N),
    "fmi3GetContinuousStateDerivatives": (_P, _P, _N),
    "fmi3GetEventIndicators": (_P, _P, _N),
    "fmi3SetFloat64": (_P, _P, _N, _P, _N),
    "fmi3GetFloat64": (_P, _P, _N, _P, _N),
}


# Binaries by directory, identifier and whether for Model Exchange; this process has but one FMU.
_loaded: dict[tuple[str, str, bool], Any] = {}


class Instance:
    """An instance of an FMU.

    Parameters
    ----------
    fmu : Instantiation
        The FMU.
    log : callable
        Takes the FMU's log lines.
    offer : Offer
        What an FMI 3 FMU is offered for Co-Simulation.
    """

    def __init__(self, fmu: Instantiation, log: Log, offer: Offer = _NOTHING) -> None:
        self.fmu, self.offer = fmu, offer
        self.nx, self.nz = fmu.states, fmu.event_indicators
        self.fmi2 = fmu.is_fmi2
        self.me = fmu.is_model_exchange
        self.raw: Any = self._load()
        # FMPy lets negative statuses pass; all its calls go through this one.
        self.raw._call = self._call
        self._check_version()
        self._instantiate(log)
        self.component = c_void_p(self.raw.component)
        # What the FMU sees of our states: it may write into what it should only read.
        self._lent = (c_double * self.nx)()
        self._lent_address, self._lent_bytes = ctypes.addressof(self._lent), 8 * self.nx
        self._typed: dict[str, Any] = {}
        self._bind()
        self._configure()

    # ------------------------------------------------------------------ making and ending

    def _load(self) -> Any:
        """Return the binary with an instance to be made; looking its functions up takes long."""
        place = (self.fmu.directory, self.fmu.identifier, self.me)
        if place not in _loaded:
            _loaded[place] = self._load_binary()
        return copy.copy(_loaded[place])

    def _load_binary(self) -> Any:
        from fmpy import fmi2, fmi3

        model = fmi2.FMU2Model if self.fmi2 else fmi3.FMU3Model
        slave = fmi2.FMU2Slave if self.fmi2 else fmi3.FMU3Slave
        base = model if self.me else slave
        # FMPy tells the version by the name of the class.
        lenient: Any = type(base.__name__, (base,), {"_loadFunctions": load_functions})
        try:
            return lenient(
                guid=self.fmu.token,
                modelIdentifier=self.fmu.identifier,
                unzipDirectory=self.fmu.directory,
                instanceName="plant",
            )
        except Exception as error:
            # FMPy raises bare exceptions, for instance if a library that is needed is not there.
            raise FmuError(f"the binary cannot be loaded: {error}") from error

    def _call(self, name: str, *arguments: Any) -> Any:
        function = self.raw._functions[name]
        result = function(*arguments)
        if function.restype is c_int:
            check(result, name)
        return result

    def _check_version(self) -> None:
        function = f"fmi{2 if self.fmi2 else 3}GetVersion"
        answer = self.raw._call(function) or b""
        version = answer.decode("utf-8", "replace")
        if not version.startswith("2." if self.fmi2 else "3."):
            raise FmuError(
                f"the binary is of FMI version {version!r}, the model description of "
                f"{self.fmu.version}"
            )

    def _instantiate(self, log: Log) -> None:
        def write(status: int, category: bytes | None, message: bytes | None) -> None:
            label = LABELS[status] if 0 <= status < len(LABELS) else str(status)
            parts = [(text or b"").decode("utf-8", "replace") for text in (category, message)]
            log(f"[{label}] {parts[0]}: {parts[1]}")

        try:
            if self.fmi2:
                self._instantiate2(write)
            else:
                self.raw.instantiate(
                    loggingOn=False,
                    logMessage=lambda _e, status, cat, text: write(status, cat, text),
                    **({} if self.me else self._offered()),
                )
        except FmuError:
            raise
        except Exception as error:
            raise FmuError(f"the FMU could not be instantiated ({error})") from error
        categories = [c.encode() for c in self.fmu.log_categories if c in _ERRORS]
        function = f"fmi{2 if self.fmi2 else 3}SetDebugLogging"
        if categories and not isinstance(getattr(self.raw.dll, function), MissingFunction):
            # Only what explains an error; all else stays off.
            array = (ctypes.c_char_p * len(categories))(*categories)
            self.raw._call(function, self.raw.component, True, len(categories), array)

    def _offered(self) -> dict[str, Any]:
        offer = self.offer
        return {
            "eventModeUsed": offer.events,
            "earlyReturnAllowed": offer.early_return,
            "intermediateUpdate": offer.update,
            "requiredIntermediateVariables": list(offer.required) if offer.update else None,
        }

    def _instantiate2(self, write: Callable[[int, bytes, bytes], None]) -> None:
        from fmpy import calloc, fmi2, free

        callbacks = fmi2.fmi2CallbackFunctions()
        callbacks.logger = fmi2.fmi2CallbackLoggerTYPE(
            lambda _e, _name, status, category, text: write(status, category, text)
        )
        callbacks.allocateMemory = fmi2.fmi2CallbackAllocateMemoryTYPE(calloc)
        callbacks.freeMemory = fmi2.fmi2CallbackFreeMemoryTYPE(free)
        add_proxy = getattr(fmi2, "addLoggerProxy", None)
        if add_proxy is not None:
            # fills in the variadic arguments of a message, which ctypes cannot
            add_proxy(ctypes.byref(callbacks))
        self.raw.instantiate(callbacks=callbacks, loggingOn=False)

    def _bind(self) -> None:
        def bind(name: str) -> Any:
            return self.bind(name, *_SIGNATURES[name])

        prefix = "fmi2" if self.fmi2 else "fmi3"
        real = "Real" if self.fmi2 else "Float64"
        self._set_time = bind(f"{prefix}SetTime")
        self._set_states = bind(f"{prefix}SetContinuousStates")
        self._get_states = bind(f"{prefix}GetContinuousStates")
        derivatives = "Derivatives" if self.fmi2 else "ContinuousStateDerivatives"
        self._get_derivatives = bind(f"{prefix}Get{derivatives}")
        self._get_indicators = bind(f"{prefix}GetEventIndicators")
        self._set_real = bind(f"{prefix}Set{real}")
        self._get_real = bind(f"{prefix}Get{real}")

    def bind(self, name: str, *signature: Any) -> Any:
        """Return a function of the binary with plain C arguments; it may be `MissingFunction`."""
        address = self.address(name)
        if address is None:
            return getattr(self.raw.dll, name)
        return CFUNCTYPE(c_int, *signature)(address)

    def address(self, name: str) -> int | None:
        """Where a function of the standard is; None if the binary lacks it."""
        function = getattr(self.raw.dll, name)
        return (
            None if isinstance(function, MissingFunction) else ctypes.cast(function, c_void_p).value
        )

    def initialize(self, start: float, stop: float | None, tolerance: float | None) -> None:
        """Enter and leave the initialization mode."""
        self.enter_initialization(start, stop, tolerance)
        self.exit_initialization()

    def enter_initialization(
        self, start: float, stop: float | None, tolerance: float | None
    ) -> None:
        """Enter the initialization mode."""
        if self.fmi2:
            self.raw.setupExperiment(tolerance, start, stop)
            self.raw.enterInitializationMode()
        else:
            self.raw.enterInitializationMode(tolerance=tolerance, startTime=start, stopTime=stop)

    def exit_initialization(self) -> None:
        """Leave the initialization mode: to event mode, or to step mode if events are not used."""
        self.raw.exitInitializationMode()

    def _configure(self) -> None:
        """Set structural parameters; the sizes must then be those of the description."""
        if self.fmu.structure:
            self.raw.fmi3EnterConfigurationMode(self.raw.component)
            self.set_values(self.fmu.structure)
            self.raw.fmi3ExitConfigurationMode(self.raw.component)
        if self.fmi2 or not self.me:
            return
        for name, wanted in (("ContinuousStates", self.nx), ("EventIndicators", self.nz)):
            function = getattr(self.raw.dll, f"fmi3GetNumberOf{name}")
            found = c_size_t(wanted)
            if isinstance(function, MissingFunction):
                continue
            answered = function(self.component, ctypes.byref(found)) in (0, 1)
            if answered and found.value != wanted:
                raise FmuError(
                    f"the binary has {found.value} {_COUNTED[name]}, the model description {wanted}"
                )

    def reset(self) -> None:
        """Set the instance back to where it was made."""
        self.raw.reset()
        self._configure()

    def terminate(self) -> None:
        """End a simulation."""
        # What has been computed is not worse for an FMU that cannot end.
        with contextlib.suppress(FmuError):
            self.raw.terminate()

    def close(self) -> None:
        """Terminate and free the instance; the binary stays loaded."""
        self.terminate()
        if self.fmi2:
            self.raw.fmi2FreeInstance(self.raw.component)
        else:
            self.raw.fmi3FreeInstance(self.raw.component)

    # ------------------------------------------------------------------ variables

    def set_values(self, rows: Sequence[tuple[int, str, Sequence[float]]]) -> None:
        """Set whole variables given as (value reference, type, values), by the calls for them."""
        for _, alike in itertools.groupby(rows, lambda row: row[1]):  # a call for each type
            references: list[VariableReference] = []
            numbers: list[float] = []
            for reference, kind, values in alike:
                size = len(values)
                references += [(reference, kind, i, size) for i in range(size)]
                numbers += values
            block = VariableBlock(references)
            block.values[:] = numbers
            self.set_real(block, block.address)

    def get_real(self, block: VariableBlock, address: int) -> None:
        """Read variables as doubles to an address."""
        if not block.plain:
            self._get_groups(block, address)
            return
        if self.fmi2:
            status = self._get_real(self.component, block.references_address, block.size, address)
        else:
            status = self._get_real(
                self.component, block.references_address, block.references, address, block.size
            )
        if status > 1 or status < 0:
            check(status, "fmi2GetReal" if self.fmi2 else "fmi3GetFloat64")

    def set_real(self, block: VariableBlock, address: int) -> None:
        """Set variables from doubles at an address, where the FMU may write: good for one call."""
        if not block.plain:
            self._set_groups(block, address)
            return
        if self.fmi2:
            status = self._set_real(self.component, block.references_address, block.size, address)
        else:
            status = self._set_real(
                self.component, block.references_address, block.references, address, block.size
            )
        if status > 1 or status < 0:
            check(status, "fmi2SetReal" if self.fmi2 else "fmi3SetFloat64")

    def _get_groups(self, block: VariableBlock, address: int) -> None:
        target = (c_double * block.size).from_address(address)
        for group in block.groups:
            values = (self._c_type(group.kind) * group.count)()
            self._exchange("Get", group, values)
            for position, place in zip(group.positions, group.places, strict=True):
                target[position] = float(values[place])

    def _set_groups(self, block: VariableBlock, address: int) -> None:
        source = (c_double * block.size).from_address(address)
        for group in block.groups:
            numbers: list[Any] = [source[i] for i in group.positions]
            if is_whole(group.kind):
                odd = [number for number in numbers if number != int(number)]
                if odd:
                    raise fmi_errors.not_whole(odd[0])
                numbers = [int(number) for number in numbers]
            values = (self._c_type(group.kind) * group.count)()
            if not group.is_whole:
                # Arrays are set as a whole: their other elements stay as they are.
                self._exchange("Get", group, values)
            for place, number in zip(group.places, numbers, strict=True):
                values[place] = number
            self._exchange("Set", group, values)

    def _c_type(self, kind: str) -> Any:
        return (FMI2_TYPES if self.fmi2 else C_TYPES)[kind]

    def variable_call(self, way: str, kind: str) -> str:
        """Name of the function that gets or sets variables of a type."""
        return f"fmi2{way}{FMI2_CALLS[kind]}" if self.fmi2 else f"fmi3{way}{kind}"

    def _exchange(self, way: str, group: TypeGroup, values: Any) -> None:
        """Call the function that gets or sets the variables of one type."""
        name = self.variable_call(way, group.kind)
        if name not in self._typed:
            self._typed[name] = getattr(self.raw.dll, name)
        count = len(group.references)
        references = (c_uint * count)(*group.references)
        sizes = (c_size_t(count),) if self.fmi2 else (c_size_t(count), c_size_t(group.count))
        check(self._typed[name](self.component, references, sizes[0], values, *sizes[1:]), name)

    # ------------------------------------------------------------------ Model Exchange

    def set_point(self, t: float, states: int) -> None:
        """Set time and continuous states (an address)."""
        status = self._set_time(self.component, t)
        if status > 1 or status < 0:
            check(status, "SetTime")
        if self.nx:
            ctypes.memmove(self._lent_address, states, self._lent_bytes)
            status = self._set_states(self.component, self._lent_address, self.nx)
            if status > 1 or status < 0:
                check(status, "SetContinuousStates")

    def get_derivatives(self, target: int) -> None:
        """Read the derivatives of the states to an address."""
        if self.nx:
            status = self._get_derivatives(self.component, target, self.nx)
            if status > 1 or status < 0:
                check(status, "GetDerivatives")

    def get_states(self) -> Array:
        """Return the continuous states."""
        x = np.zeros(self.nx)
        if self.nx:
            check(self._get_states(self.component, x.ctypes.data, self.nx), "GetContinuousStates")
        return x

    def get_indicators(self) -> Array:
        """Return the event indicators."""
        z = np.zeros(self.nz)
        check(self._get_indicators(self.component, z.ctypes.data, self.nz), "GetEventIndicators")
        return z

    def handle_events(self) -> float:
        """Iterate the discrete states in event mode, leave the mode; next event's time."""
        for _ in range(1000):
            if self.fmi2:
                more, terminate, _nominals, _states, defined, when = self.raw.newDiscreteStates()
            else:
                more, terminate, _nominals, _states, defined, when = self.raw.updateDiscreteStates()
            if terminate:
                raise SimulationEndedError(ENDED)
            if not more:
                self._leave_events()
                return float(when) if defined else math.inf
        raise fmi_errors.not_settled()

    def _leave_events(self) -> None:
        if self.me:
            self.raw.enterContinuousTimeMode()
        else:
            self.raw.enterStepMode()

    def completed_step(self) -> bool:
        """Tell the FMU that an integrator step is done; whether it wants the event mode."""
        event, terminate = self.raw.completedIntegratorStep()
        if terminate:
            raise SimulationEndedError(ENDED)
        return bool(event)

    def enter_events(self) -> None:
        """Enter the event mode."""
        self.raw.enterEventMode()

    # ------------------------------------------------------------------ partial derivatives

    def directional(
        self, unknowns: Sequence[int], knowns: Sequence[int], seed: Sequence[float]
    ) -> list[float]:
        """Directional derivative of unknowns by knowns, given by value reference."""
        result = self.raw.getDirectionalDerivative(list(unknowns), list(knowns), list(seed))
        return [float(value) for value in result]
