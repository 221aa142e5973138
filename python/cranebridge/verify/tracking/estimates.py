"""What a controller's observer estimated along a run, beside what the plant has."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.code import FORCE, PARAMETER, estimates_of
from cranebridge.plant.sandbox import Simulation
from cranebridge.verify.tracking.figures import NEAR, DisturbanceEstimate
from cranebridge.verify.tracking.plant_run import PlantRun

Array = NDArray[np.float64]


def estimate_columns(run: PlantRun, simulation: Simulation) -> dict[str, Array]:
    """Return all that was estimated at the times of a simulation, that of the last sample each."""
    if run.law is None or simulation.estimated is None:
        return {}
    known = estimates_of(run.law.designed.controller)
    rows = np.searchsorted(run.law.law.time, simulation.time, side="right") - 1
    values = simulation.estimated[np.maximum(rows, 0)]
    return {channel.name: values[:, i] for i, channel in enumerate(known)}


def estimated_disturbances(
    run: PlantRun, simulation: Simulation
) -> tuple[DisturbanceEstimate, ...]:
    """Return what became of the disturbances that were estimated."""
    if run.law is None or simulation.estimated is None:
        return ()
    times, found = run.law.law.time, []
    for i, channel in enumerate(estimates_of(run.law.designed.controller)):
        if channel.name.startswith((PARAMETER, FORCE)):
            values = simulation.estimated[:, i]
            plant = _of_the_plant(run, channel.name)
            since = None if plant is None else near_since(times, values, plant)
            found.append(
                DisturbanceEstimate(channel.name, channel.unit, float(values[-1]), plant, since)
            )
    return tuple(found)


def _of_the_plant(run: PlantRun, name: str) -> float | None:
    """Return the plant's parameter of that name, as it was given to it, in its SI unit."""
    parameter = name.removeprefix(PARAMETER)
    value = run.values.get(parameter) if name.startswith(PARAMETER) else None
    return None if value is None else float(run.mapping.units.si(parameter, value))


def near_since(times: Array, values: Array, plant: float) -> float | None:
    """Return the time from which on values are near the plant's until the end."""
    far = np.flatnonzero(~(np.abs(values - plant) <= NEAR * abs(plant)))  # no number is far
    first = 0 if not far.size else int(far[-1]) + 1
    return float(times[first]) if first < times.size else None
