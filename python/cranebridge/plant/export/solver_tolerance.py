"""With which tolerance of its solver an importer reaches the reference result of an FMU.

Computed for the two solvers that most importers use: SUNDIALS' CVode (BDF) in Model Exchange, with
an absolute tolerance that is the relative one, as FMPy has it where nominal values are 1; and the
FMU's own integrator in Co-Simulation, with long and with short communication
steps, as importers choose them. Their tolerance bounds the error of a step, not that of the
motion: it must be smaller than what the result is to agree to, by how much depends on the plant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import CranebridgeError
from cranebridge.plant.plant import Plant

Array = NDArray[np.float64]
Simulate = Callable[[float], Array]

# Tried one after another; the first that is good enough is stated. CVode's default in most tools is
# 1e-4 to 1e-6, which is never enough for a millionth over ten seconds.
BY_CVODE = (1e-9, 1e-10, 1e-11, 1e-12)
BY_ITSELF = (1e-7, 1e-8, 1e-9, 1e-10)
# What is allowed is used up to this part: other builds of the same solver take other steps.
PART = 0.5
# A method of the kind of CVode resolves every oscillation that is damped less than this, however
# small it is, with a hundred steps a period and more.
DAMPING = 0.1
MOST_PERIODS = 500


def solver_tolerances(
    plant: Plant, options: Mapping[str, object], wanted: Array, allowed: float, duration: float
) -> dict[str, float | str]:
    """Return by interface the largest tolerance that is good enough, or why none is stated.

    Parameters
    ----------
    plant : Plant
        The FMU, in Model Exchange.
    options : mapping
        Of its simulation: times, inputs, outputs.
    wanted : numpy.ndarray
        The result.
    allowed : float
        What an importer may differ by, relative to an output's largest magnitude, at least to 1.
    duration : float
        Of the motion [s].
    """
    largest = np.maximum(np.abs(wanted).max(axis=0), 1.0)

    def first(tolerances: Sequence[float], *runs: Simulate) -> float | str:
        for tolerance in tolerances:
            try:
                found = [simulate(tolerance) for simulate in runs]
            except CranebridgeError as error:
                return f"none: {error}".splitlines()[0]
            if max(float((np.abs(y - wanted) / largest).max()) for y in found) <= PART * allowed:
                return tolerance
        return f"none down to {tolerances[-1]:g}"

    # the inputs jump halfway between two rows: a quarter is half of the steps that this makes
    quarter = float(np.median(np.diff(np.asarray(options["times"])))) / 4.0

    def by_cvode(tolerance: float) -> Array:
        both = {"rtol": tolerance, "atol": tolerance}
        found = plant.simulate(**options, **both, method="CVODE")  # type: ignore[arg-type]
        return found.complete().outputs

    def by_itself(tolerance: float) -> Array:
        found = plant.sibling("cs").simulate(**options, rtol=tolerance)  # type: ignore[arg-type]
        return found.complete().outputs

    def by_itself_in_short_steps(tolerance: float) -> Array:
        same = {**options, "rtol": tolerance, "step": quarter, "input_derivatives": False}
        return plant.sibling("cs").simulate(**same).complete().outputs  # type: ignore[arg-type]

    found: dict[str, float | str] = {}
    if plant.info.states:
        found["model_exchange"] = _too_fast(plant, duration) or first(BY_CVODE, by_cvode)
    if "cs" in plant.info.identifiers:
        found["co_simulation"] = first(BY_ITSELF, by_itself, by_itself_in_short_steps)
    return found


def _too_fast(plant: Plant, duration: float) -> str:
    """Say that the plant oscillates too fast for CVode, where it does."""
    try:
        state = plant.simulate(times=[0.0, 1e-3 * duration]).states[0]
        rates = np.linalg.eigvals(plant.directional(state).A)
    except CranebridgeError:
        return ""
    lasting = rates[(np.abs(rates.imag) > 0.0) & (-rates.real < DAMPING * np.abs(rates))]
    frequency = float(np.abs(lasting.imag).max(initial=0.0)) / (2.0 * math.pi)
    if frequency * duration <= MOST_PERIODS:
        return ""
    return (
        f"none: it oscillates with {frequency:.0f} Hz, hardly damped, and CVode would resolve "
        "every period; use Co-Simulation"
    )
