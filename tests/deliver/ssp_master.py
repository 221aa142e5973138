"""A master that simulates our SSP as its files say, FMI 2.0 or 3.0; FMPy's knows 2.0 alone."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from feedforward_driver import Driver
from fmpy.ssp.ssd import read_ssd


@dataclass(frozen=True)
class Simulated:
    """Outputs of both components at the communication points."""

    time: np.ndarray
    feedforward: dict[str, np.ndarray]
    plant: dict[str, np.ndarray]
    status: tuple[int, ...]

    def error(self, outputs: str) -> float:
        """Return how far the load is from its path at most."""
        wanted = np.array([self.feedforward[f"gamma_{name}"] for name in outputs])
        return float(np.abs(wanted - np.array([self.plant[name] for name in outputs])).max())


def parameters(path: Path) -> dict[str, float | bool]:
    """Return the values that the SSP sets, by component and name."""
    (binding,) = read_ssd(str(path)).system.parameterBindings
    (values,) = binding.parameterValues
    return {
        one.name: one.value == "true" if one.type == "Boolean" else float(one.value)
        for one in values.parameters
    }


def simulate(path: Path, folder: Path, step: float, stop: float) -> Simulated:
    """Simulate with constant steps over which the controls are held, which they are told."""
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    system, values = read_ssd(str(path)).system, parameters(path) | {"feedforward.hold": step}
    first, second = (
        Driver(
            folder / "resources" / f"{name}.fmu",
            folder / name,
            "cs",
            **{key.split(".", 1)[1]: x for key, x in values.items() if key.startswith(f"{name}.")},
        )
        for name in ("feedforward", "plant")
    )
    wires = [(c.startConnector, c.endConnector) for c in system.connections]
    times, rows, status = step * np.arange(round(stop / step) + 1), [], []
    for time in times:
        first.go(time)
        second.go(time)
        for start, end in wires:
            second.set(**{end: float(first.get([start])[0])})
        rows.append((first.get(first.names()), second.get(second.names())))
        status.append(first.status)
    found = [np.array(side) for side in zip(*rows, strict=True)]
    sides = [
        dict(zip(driver.names(), values.T, strict=True))
        for driver, values in zip((first, second), found, strict=True)
    ]
    for driver in (first, second):
        driver.close()
    return Simulated(times, *sides, tuple(status))
