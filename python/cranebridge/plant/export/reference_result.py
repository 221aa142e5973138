"""A reference result for every FMU: a stated motion that any importer can compare with.

Each continuous input leaves its start value for two seconds, one after another: up for one second,
down for one second. It is constant in between, so that importers which hold inputs and importers
which interpolate them do the same, and jumps halfway between two rows of the result. How far is
chosen so that no rate of a state changes by more than 0.1 (in its SI unit) at the start. All times
are multiples of 1/16 s, which binary numbers hold exactly.

The result comes from Model Exchange with our own loop (DOP853), not from the integrators that the
FMU brings for Co-Simulation. It is computed twice, with tolerances a hundred times apart: how far
they differ is stated. Names follow the FMI cross-check: ``NAME_in.csv``, ``NAME_ref.csv``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import CranebridgeError
from cranebridge.frontend import PlantModel, Variable
from cranebridge.plant.export.solver_tolerance import solver_tolerances
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol import Controls
from cranebridge.temporary import TemporaryFolder

Array = NDArray[np.float64]

FOLDER = "extra/org.cranebridge"
"""Where an FMU keeps it. FMI 3.0 (2.5.1, directory extra; in FMI 2 since 2.0.2): subdirectories in
reverse domain notation, ``org.modelica`` and ``org.fmi-standard`` are reserved. Anybody may change
or remove entries there without affecting the FMU, so that nothing of it may depend on them."""

DURATION = 10.0
INTERVAL = 0.125
RATE = 0.1
TOLERANCE = 1e-6
"""What another tool may differ by, relative to an output's largest magnitude, at least to 1."""

# Tolerances of the integrations whose difference is stated.
_FINE = 1e-10
_FINER = 1e-12
_DIGITS = 10


@dataclass(frozen=True, eq=False)
class ReferenceResult:
    """A stated motion of a plant.

    Attributes
    ----------
    name : str
        Of the plant, for the files.
    jumps : numpy.ndarray
        Times of the inputs' rows; twice where they jump.
    inputs, outputs : tuple of Variable
        Whose values the columns are.
    given, time, found : numpy.ndarray
        Inputs at `jumps`; outputs at `time`.
    difference : float
        Of the two integrations, relative as `TOLERANCE` is; rounded up to a power of ten.
    solvers : mapping of str to float or str
        By interface, the tolerance with which an importer's solver reaches the result, or why none
        is stated; see `solver_tolerance`.
    """

    name: str
    jumps: Array
    inputs: tuple[Variable, ...]
    given: Array
    outputs: tuple[Variable, ...]
    time: Array
    found: Array
    difference: float
    solvers: Mapping[str, float | str] = field(default_factory=dict)

    @property
    def tolerance(self) -> float:
        """How far another tool may be off: more where the motion itself is not known better."""
        return allowed(self.difference)

    def files(self) -> dict[str, bytes]:
        """Return the files by their names in the FMU."""
        stated = {
            "motion": f"{self.name}_in.csv: inputs; straight lines between rows, a jump where a "
            "time stands twice; states and parameters have their start values",
            "result": f"{self.name}_ref.csv: outputs",
            "stop_time": DURATION,
            "inputs": {v.name: v.unit for v in self.inputs},
            "outputs": {v.name: v.unit for v in self.outputs},
            "tolerance": self.tolerance,
            "tolerance_of": "an output's largest magnitude in the result, or 1 if that is less",
            "solver_tolerance": dict(self.solvers),
            "solver_tolerance_of": "with these relative tolerances the result is reached within "
            "half of the tolerance: model_exchange by SUNDIALS' CVode (BDF), whose absolute "
            "tolerance is the same number; co_simulation by the FMU's own integrator",
            "made_by": f"Model Exchange, DOP853 with a relative tolerance of {_FINER:g}; with "
            f"{_FINE:g} it differs by less than {self.difference:g}, relative as the tolerance is",
        }
        return {
            f"{FOLDER}/{self.name}_in.csv": _csv(self.inputs, self.jumps, self.given),
            f"{FOLDER}/{self.name}_ref.csv": _csv(self.outputs, self.time, self.found),
            f"{FOLDER}/reference.json": (json.dumps(stated, indent=1) + "\n").encode(),
        }


def make_reference(model: PlantModel, name: str, fmu: bytes) -> ReferenceResult | str:
    """Let a plant move, and return what it did; or why it did not.

    Parameters
    ----------
    model : PlantModel
        What the FMU was made from.
    name : str
        For the files.
    fmu : bytes
        The FMU.
    """
    outputs = tuple(v for v in model.outputs if _continuous(v))
    if not outputs:
        return "it has no continuous output"
    with TemporaryFolder("reference") as folder:
        file = folder / "reference.fmu"
        file.write_bytes(fmu)
        try:
            with Plant(file) as plant:
                return _move(plant, model, name, outputs)
        except CranebridgeError as error:
            return str(error)


def allowed(difference: float) -> float:
    """How far another tool may be off, if two integrations differ by so much."""
    return max(TOLERANCE, float(f"{100.0 * difference:.0e}"))


def _continuous(variable: Variable) -> bool:
    return variable.type == "real" and variable.variability == "continuous"


def _move(
    plant: Plant, model: PlantModel, name: str, outputs: tuple[Variable, ...]
) -> ReferenceResult | str:
    inputs = tuple(v for v in model.inputs if _continuous(v))
    jumps, given = _motion(inputs, _amplitudes(plant, model, inputs))
    time = np.arange(0.0, DURATION + INTERVAL / 2, INTERVAL)
    names = tuple(v.name for v in inputs)
    # the rows after the jumps: each holds until the next
    after = np.append(np.diff(jumps) > 0.0, True)
    controls = Controls.hold(jumps[after], given[after], names) if names else None
    options = {"times": time, "inputs": controls, "outputs": [v.name for v in outputs]}
    fine, finer = (
        plant.simulate(**options, rtol=rtol, atol=rtol / 100)  # type: ignore[arg-type]
        for rtol in (_FINE, _FINER)
    )
    if finer.ended or fine.ended:
        return finer.ended or fine.ended
    largest = np.maximum(np.abs(finer.outputs).max(axis=0), 1.0)
    off = float((np.abs(finer.outputs - fine.outputs) / largest).max())
    difference = 10.0 ** max(math.ceil(math.log10(max(off, 1e-300))), -11)
    solvers = solver_tolerances(plant, options, finer.outputs, allowed(difference), DURATION)
    return ReferenceResult(
        name, jumps, inputs, given, outputs, time, finer.outputs, difference, solvers
    )


def _amplitudes(plant: Plant, model: PlantModel, inputs: tuple[Variable, ...]) -> list[float]:
    """Return how far each input moves, to one digit: no rate at the start changes by more."""
    starts = {v.name: v.start for v in model.inputs}
    steps = {v.name: 1e-3 * max(1.0, abs(v.start)) for v in inputs}
    known = {name: 100.0 * step for name, step in steps.items()}
    if not plant.info.states or not inputs:
        return list(known.values())
    order = [v.name for v in plant.info.inputs]
    rows = np.tile([starts[name] for name in order], (1 + len(inputs), 1))
    for i, (name, step) in enumerate(steps.items(), start=1):
        rows[i, order.index(name)] += step
    state = plant.simulate(times=[0.0, INTERVAL]).states[0]
    rates, _ = plant.derivatives(np.tile(state, (len(rows), 1)), rows)
    changes = np.abs(rates[1:] - rates[0]).max(axis=1)
    for (name, step), change in zip(steps.items(), changes, strict=True):
        if change > 1e-9:
            known[name] = float(f"{RATE * step / change:.0e}")
    return list(known.values())


def _motion(inputs: tuple[Variable, ...], amplitudes: list[float]) -> tuple[Array, Array]:
    """Return times and values of the inputs, both sides of each jump, to the digits of the file.

    A boom that forces alone hold falls from what rounding the file would take from them.
    """
    begins = [(1 + 4 * i) / 16 for i in range(len(inputs))]
    times = sorted({0.0, DURATION, *(t + k for t in begins for k in (0.0, 1.0, 2.0))})
    times = [t for t in times if t <= DURATION]
    held = np.array([[v.start for v in inputs]] * len(times))
    for column, (begin, amplitude) in enumerate(zip(begins, amplitudes, strict=True)):
        since = np.array(times) - begin
        held[:, column] += amplitude * ((since >= 0.0) & (since < 1.0))
        held[:, column] -= amplitude * ((since >= 1.0) & (since < 2.0))
    held = np.array([[float(f"{x:.{_DIGITS}g}") for x in row] for row in held.tolist()])
    held = held.reshape(len(times), len(inputs))
    before = np.vstack([held[:1], held[:-1]])
    both = np.repeat(np.array(times), 2)[1:-1]
    return both, np.stack([before, held], axis=1).reshape(len(held) * 2, len(inputs))[1:-1]


def _csv(variables: tuple[Variable, ...], times: Array, values: Array) -> bytes:
    lines = [",".join(_quoted(name) for name in ("time", *(v.name for v in variables)))]
    for time, row in zip(times, values, strict=True):
        lines.append(",".join(f"{x + 0.0:.{_DIGITS}g}" for x in (time, *row)))
    return ("\n".join(lines) + "\n").encode()


def _quoted(name: str) -> str:
    """A name with a comma, such as that of a matrix element, stands between quotes."""
    return f'"{name}"' if "," in name else name
