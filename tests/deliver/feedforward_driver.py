"""A feedforward FMU by variable names, whatever its FMI version and interface type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Model, FMU2Slave
from fmpy.fmi3 import FMU3Model, FMU3Slave

CLASSES = {
    ("2.0", "me"): FMU2Model,
    ("2.0", "cs"): FMU2Slave,
    ("3.0", "me"): FMU3Model,
    ("3.0", "cs"): FMU3Slave,
}


class Driver:
    """An instance that is initialized, in step mode or in event mode."""

    def __init__(self, path: Path, folder: Path, kind: str, **values: float | bool) -> None:
        description = fmpy.read_model_description(str(path))
        fmpy.extract(str(path), unzipdir=str(folder))
        self.fmi, self.kind, self.time = description.fmiVersion, kind, 0.0
        self.variables = {v.name: v for v in description.modelVariables}
        self.raw: Any = CLASSES[self.fmi, kind](
            guid=description.guid,
            unzipDirectory=str(folder),
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="feedforward",
        )
        self.raw.instantiate()
        self.initialize(**values)

    def initialize(self, **values: float | bool) -> None:
        self.time = 0.0
        self.set(**values)
        if self.fmi == "2.0":
            self.raw.setupExperiment(startTime=0.0)
        self.raw.enterInitializationMode()
        self.raw.exitInitializationMode()
        if self.kind == "me":
            self.next_event = self.event()

    def names(self, causality: str = "output") -> list[str]:
        """Real variables of a causality, in the FMU's order, without estimates."""
        return [name for name in self._real(causality) if not name.startswith("estimate_")]

    def estimates(self) -> list[str]:
        """Outputs that an observer estimates."""
        return [name for name in self._real("output") if name.startswith("estimate_")]

    def _real(self, causality: str) -> list[str]:
        real = ("Real", "Float64")
        return [
            v.name for v in self.variables.values() if v.causality == causality and v.type in real
        ]

    def references(self, names: Iterable[str]) -> list[int]:
        return [self.variables[name].valueReference for name in names]

    def set(self, **values: float | bool) -> None:
        for name, value in values.items():
            reference = self.references([name])
            if isinstance(value, bool):
                self.raw.setBoolean(reference, [value])
            else:
                (self.raw.setReal if self.fmi == "2.0" else self.raw.setFloat64)(reference, [value])

    def get(self, names: Iterable[str]) -> np.ndarray:
        get = self.raw.getReal if self.fmi == "2.0" else self.raw.getFloat64
        return np.array(get(self.references(names)))

    @property
    def status(self) -> int:
        get = self.raw.getInteger if self.fmi == "2.0" else self.raw.getInt64
        return int(get(self.references(["status"]))[0])

    def event(self) -> float | None:
        """Handle an event in Model Exchange; returns the time of the next one."""
        if self.fmi == "2.0":
            needed, end, _, _, defined, time = self.raw.newDiscreteStates()
        else:
            needed, end, _, _, defined, time = self.raw.updateDiscreteStates()
        assert not needed
        assert not end
        return float(time) if defined else None

    def trigger(self, **values: float | bool) -> None:
        """Set inputs and let the trigger rise, at the present time."""
        if self.kind == "cs":
            self.set(trigger=False)
            self.status  # noqa: B018 - the FMU sees what is set when it is asked for something
            self.set(**values, trigger=True)
            return
        self.raw.enterEventMode()
        self.set(trigger=False)
        self.event()
        self.set(**values, trigger=True)
        self.next_event = self.event()
        self.raw.enterContinuousTimeMode()

    def go(self, time: float) -> None:
        """Go to a time: a communication step, or just the time with the events on the way."""
        if self.kind == "cs":
            if time > self.time:
                step = time - self.time
                self.raw.doStep(currentCommunicationPoint=self.time, communicationStepSize=step)
        else:
            event = self.next_event is not None and time >= self.next_event
            self.raw.setTime(time)
            if event:
                self.raw.enterEventMode()
                self.next_event = self.event()
                self.raw.enterContinuousTimeMode()
        self.time = time

    def table(self, times: Iterable[float], names: Iterable[str]) -> np.ndarray:
        """Signals at increasing times."""
        chosen, rows = list(names), []
        for time in times:
            self.go(time)
            rows.append(self.get(chosen))
        return np.array(rows)

    def slopes(self, names: Iterable[str]) -> np.ndarray:
        """Derivatives of outputs in Co-Simulation."""
        references = self.references(names)
        if self.fmi == "2.0":
            return np.array(self.raw.getRealOutputDerivatives(references, [1] * len(references)))
        return np.array(self.raw.getOutputDerivatives(references, [1] * len(references)))

    def close(self) -> None:
        self.raw.terminate()
        self.raw.freeInstance()


def start_values(goal: Iterable[float], prefix: str, names: Iterable[str]) -> Mapping[str, float]:
    """Inputs for a point: ``start_x``, ..."""
    return {f"{prefix}_{name}": float(value) for name, value in zip(names, goal, strict=True)}
