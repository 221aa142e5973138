"""One interface to both FMI versions and both interface types, by variable name, for the tests."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Model, FMU2Slave, fmi2CallbackFunctions, fmi2CallbackLoggerTYPE
from fmpy.fmi3 import FMU3Model, FMU3Slave
from scipy.integrate import solve_ivp

Inputs = Callable[[float], Mapping[str, float]]


@dataclass(frozen=True)
class Exported:
    """An FMU, unpacked and described."""

    path: Path
    directory: Path
    description: Any

    @classmethod
    def open(cls, path: Path, directory: Path) -> Exported:
        fmpy.extract(str(path), unzipdir=str(directory))
        return cls(path, directory, fmpy.read_model_description(str(directory)))

    @property
    def fmi(self) -> int:
        return int(self.description.fmiVersion[0])

    @property
    def references(self) -> dict[str, int]:
        return {v.name: v.valueReference for v in self.description.modelVariables}


class Fmu:
    """An instance of an exported FMU; `messages` are its log messages with their categories."""

    def __init__(
        self, exported: Exported, kind: str, logging: bool = False, **offered: Any
    ) -> None:
        classes = {
            (2, "me"): FMU2Model,
            (2, "cs"): FMU2Slave,
            (3, "me"): FMU3Model,
            (3, "cs"): FMU3Slave,
        }
        self.fmi, self.kind = exported.fmi, kind
        self.vr = exported.references
        self.messages: list[tuple[str, str]] = []
        interface = exported.description.coSimulation
        self.raw = classes[self.fmi, kind](
            guid=exported.description.guid,
            unzipDirectory=str(exported.directory),
            modelIdentifier=interface.modelIdentifier,
            instanceName="instance",
        )
        self.nx = exported.description.numberOfContinuousStates
        self._instantiate(logging, offered)

    def _instantiate(self, logging: bool, offered: dict[str, Any]) -> None:
        if self.fmi == 2:

            def log(_env: Any, _name: bytes, _status: int, category: bytes, text: bytes) -> None:
                self.messages.append((category.decode(), text.decode()))

            callbacks = fmi2CallbackFunctions()
            callbacks.logger = fmi2CallbackLoggerTYPE(log)
            self.raw.instantiate(callbacks=callbacks, loggingOn=logging)
        else:

            def log3(_env: Any, _status: int, category: bytes, text: bytes) -> None:
                self.messages.append((category.decode(), text.decode()))

            self.raw.instantiate(loggingOn=logging, logMessage=log3, **offered)

    def set(self, values: Mapping[str, float]) -> None:
        references = [self.vr[name] for name in values]
        if self.fmi == 2:
            self.raw.setReal(references, list(values.values()))
        else:
            self.raw.setFloat64(references, list(values.values()))

    def get(self, names: Sequence[str]) -> np.ndarray:
        references = [self.vr[name] for name in names]
        raw = self.raw
        return np.array(raw.getReal(references) if self.fmi == 2 else raw.getFloat64(references))

    def get_integer(self, name: str) -> int:
        raw = self.raw
        get = raw.getInteger if self.fmi == 2 else raw.getInt64
        return int(get([self.vr[name]])[0])

    def set_integer(self, name: str, value: int) -> None:
        (self.raw.setInteger if self.fmi == 2 else self.raw.setInt64)([self.vr[name]], [value])

    def initialize(
        self,
        tolerance: float | None = None,
        stop: float | None = None,
        parameters: Mapping[str, float] | None = None,
    ) -> None:
        self.set(parameters or {})
        if self.fmi == 2:
            self.raw.setupExperiment(tolerance=tolerance, startTime=0.0, stopTime=stop)
            self.raw.enterInitializationMode()
        else:
            self.raw.enterInitializationMode(tolerance=tolerance, startTime=0.0, stopTime=stop)
        self.raw.exitInitializationMode()
        if self.kind == "me":
            self.raw.enterContinuousTimeMode()

    def step(self, time: float, size: float) -> None:
        self.raw.doStep(currentCommunicationPoint=time, communicationStepSize=size)

    def states(self) -> np.ndarray:
        x = np.zeros(self.nx)
        self.raw.getContinuousStates(_pointer(x), self.nx)
        return x

    def rhs(self, t: float, x: np.ndarray, inputs: Inputs | None = None) -> np.ndarray:
        x, dx = np.array(x, dtype=float), np.zeros(self.nx)
        self.raw.setTime(t)
        self.raw.setContinuousStates(_pointer(x), self.nx)
        if inputs is not None:
            self.set(inputs(t))
        if self.fmi == 2:
            self.raw.getDerivatives(_pointer(dx), self.nx)
        else:
            self.raw.getContinuousStateDerivatives(_pointer(dx), self.nx)
        return dx

    def directional(
        self, unknowns: Sequence[str], knowns: Sequence[str], seed: Sequence[float]
    ) -> np.ndarray:
        return np.array(
            self.raw.getDirectionalDerivative(
                [self.vr[n] for n in unknowns], [self.vr[n] for n in knowns], list(seed)
            )
        )

    def save(self) -> Any:
        return self.raw.getFMUstate() if self.fmi == 2 else self.raw.getFMUState()

    def restore(self, state: Any) -> None:
        (self.raw.setFMUstate if self.fmi == 2 else self.raw.setFMUState)(state)

    def serialize(self, state: Any) -> bytes:
        raw = self.raw
        return raw.serializeFMUstate(state) if self.fmi == 2 else raw.serializeFMUState(state)

    def deserialize(self, data: bytes) -> Any:
        raw = self.raw
        return raw.deSerializeFMUstate(data) if self.fmi == 2 else raw.deserializeFMUState(data)

    def release(self, state: Any) -> None:
        (self.raw.freeFMUstate if self.fmi == 2 else self.raw.freeFMUState)(state)


def _pointer(values: np.ndarray) -> Any:
    return values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


@contextmanager
def running(exported: Exported, kind: str, logging: bool = False, **offered: Any) -> Iterator[Fmu]:
    """An instance; `offered` are arguments of FMPy's `instantiate` for FMI 3."""
    fmu = Fmu(exported, kind, logging, **offered)
    try:
        yield fmu
    finally:
        # The library stays loaded: another instance of the same FMU may be in use.
        fmu.raw.freeInstance = None
        free = fmu.raw.fmi2FreeInstance if fmu.fmi == 2 else fmu.raw.fmi3FreeInstance
        free(fmu.raw.component)


def simulate_me(
    exported: Exported,
    times: np.ndarray,
    names: Sequence[str],
    inputs: Inputs | None = None,
    **options: Any,
) -> np.ndarray:
    """Model Exchange with SciPy's DOP853, inputs evaluated in every call."""
    with running(exported, "me") as fmu:
        fmu.initialize(**options)
        result = solve_ivp(
            lambda t, x: fmu.rhs(t, x, inputs),
            (times[0], times[-1]),
            fmu.states(),
            method="DOP853",
            t_eval=times,
            rtol=1e-12,
            atol=1e-13,
        )
        rows = []
        for t, x in zip(result.t, result.y.T, strict=True):
            fmu.rhs(t, x, inputs)
            rows.append(fmu.get(names))
    return np.array(rows)


def simulate_cs(
    exported: Exported,
    times: np.ndarray,
    names: Sequence[str],
    inputs: Inputs | None = None,
    method: int | None = None,
    **options: Any,
) -> np.ndarray:
    """Co-Simulation over the given communication points; inputs are set at each of them."""
    with running(exported, "cs") as fmu:
        if method is not None:
            fmu.set_integer("integrator.method", method)
        fmu.initialize(**options)
        rows = [fmu.get(names)]
        for begin, end in pairwise(times):
            if inputs is not None:
                fmu.set(inputs(begin))
            fmu.step(begin, end - begin)
            rows.append(fmu.get(names))
    return np.array(rows)
