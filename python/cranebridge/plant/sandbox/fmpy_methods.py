"""FMPy as the second back end, on the caller's side: what it runs, and in which intervals.

Its simulation runs in the child process (`child/fmpy_simulation.py`).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, unknown
from cranebridge.plant.description import PlantInfo
from cranebridge.plant.protocol import Controls

SOLVER = "CVode"
"""SUNDIALS' BDF of variable order. FMPy's other solver is Euler's method."""
COUNTERPARTS = ("CVODE", "BDF")
"""Our own names of it."""

INTERVALS = 1000
"""In how many intervals at least a simulation is divided where nobody says: FMPy's own default has
500 to 1000 of them."""

_OTHERWISE = "use plant.backend = 'own'"


def solver_name(method: str | None) -> str:
    """Return FMPy's name of a method, given by its own name or by ours."""
    if method is None or method in (SOLVER, *COUNTERPARTS):
        return SOLVER
    raise unknown("method of FMPy", method, (SOLVER, *COUNTERPARTS))


def interval(step: float | None, times: NDArray[np.float64]) -> float | None:
    """Return the largest interval over which FMPy holds the inputs."""
    if step is not None or len(times) < 2:
        return step
    return min(float(np.median(np.diff(times))), float(times[-1] - times[0]) / INTERVALS)


def require(info: PlantInfo) -> None:
    """Refuse a plant that FMPy does not run here."""
    if info.arrays:
        raise InputError(f"'{info.path}' has arrays, which FMPy does not run here: {_OTHERWISE}.")


def require_simulation(inputs: Controls | None, max_step: float | None) -> None:
    """Refuse what FMPy's simulation does not take: controllers, and a bound of its steps."""
    if inputs is not None and inputs.law is not None:
        raise InputError(f"FMPy runs no sampled controller here: {_OTHERWISE}.")
    if inputs is not None and inputs.drives is not None:
        raise InputError(f"FMPy runs no loops of drives: its inputs are a table; {_OTHERWISE}.")
    if max_step is not None and math.isfinite(max_step):
        raise InputError(
            "FMPy takes no largest step: its own is a 50th of the simulation, and it begins anew "
            "after each interval; give plant.step in place of plant.max_step."
        )
