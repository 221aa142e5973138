"""A sampled controller beside the integration, as the child process runs it.

At each sample the signals that are measured, functions of the plant's readings, are read by
sensors: with noise, rounded to their resolution, and held where a sensor is not read at every
sample. The controller is a compiled module (`controller_library`); what it gives out changes the
plant's inputs to D u + d when the delay is over. Samples and changes are ends of pieces of the
integration.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.plant.protocol.controller_module import ControllerModule
from cranebridge.plant.protocol.signal_program import SignalProgram, require_program

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SampledLaw:
    """A controller and its sensors; rows are samples.

    Attributes
    ----------
    readings : tuple of str
        Variables of the plant that are read at the samples.
    program : numpy.ndarray
        How the measured signals follow from the readings; see `signal_program`.
    noise : numpy.ndarray
        (samples, signals): added to what is measured; no rows for none.
    resolution : numpy.ndarray
        (signals): what is measured is a multiple of it; 0 for any number.
    every : tuple of int
        Of how many samples each signal is measured at one.
    library : str
        The compiled controller.
    first : numpy.ndarray
        (inputs): what acts before the first sample does.
    D, d : numpy.ndarray
        (inputs of the plant, inputs) and (inputs of the plant).
    time : numpy.ndarray
        Times of all samples, the first at the start of the simulation or before, at most a cycle
        apart; `changes` as many, when the inputs of each begin to act.
    changes : numpy.ndarray
        Times when the inputs change.
    whole : int
        How many samples later than those of its own time the inputs of a sample act.
    estimates : int
        How many numbers the controller estimates.
    """

    readings: tuple[str, ...]
    program: Array
    noise: Array
    resolution: Array
    every: tuple[int, ...]
    library: str
    first: Array
    D: Array
    d: Array
    time: Array
    changes: Array
    whole: int
    estimates: int = 0

    def __post_init__(self) -> None:
        signals, m = self.resolution.size, self.first.size
        shapes = {
            "noise": (self.time.size if len(self.noise) else 0, signals),
            "resolution": (signals,),
            "first": (m,),
            "D": (self.d.size, m),
            "changes": self.time.shape,
        }
        for name, shape in shapes.items():
            found = getattr(self, name).shape
            if found != shape:
                raise InputError(f"sampled law: {name} has the shape {found} and not {shape}.")
        if (
            min(self.whole, self.estimates) < 0
            or not m
            or not self.time.size
            or len(self.every) != signals
        ):
            raise InputError("sampled law: its sizes or its delay make no sense.")
        if min(self.every, default=1) < 1 or not (self.resolution >= 0.0).all():
            raise InputError("sampled law: a resolution or a number of samples makes no sense.")
        if not all((np.diff(times) > 0.0).all() for times in (self.time, self.changes)):
            raise InputError("sampled law: its times do not increase.")
        require_program(self.program, len(self.readings), signals)
        for name in ("noise", "resolution", "first", "D", "d"):
            if not np.isfinite(getattr(self, name)).all():
                raise InputError(f"sampled law: {name} is not finite.")

    @property
    def stops(self) -> Array:
        """Times that no step of an integrator may reach over."""
        return np.union1d(self.time, self.changes)

    def plant_inputs(self, u: Array) -> Array:
        """Return the plant's inputs for rows of the controller's."""
        return np.asarray(u @ self.D.T + self.d)

    def acting(self, given: Array, times: Array) -> Array:
        """Return the controller's inputs that act at some times, from what it gave out.

        Parameters
        ----------
        given : numpy.ndarray
            A row for each sample.
        times : numpy.ndarray
            Times; at a change the new inputs.
        """
        found = np.searchsorted(self.changes, times, side="right") - 1 - self.whole
        acts = given[np.clip(found, 0, len(given) - 1)]
        return np.asarray(np.where(found[:, None] < 0, self.first, acts))


class LawFunction:
    """Runs a controller sample by sample."""

    def __init__(self, law: SampledLaw) -> None:
        self.law = law
        self._signals = SignalProgram(law.program, law.resolution.size)
        self._controller = ControllerModule(law.library)
        self._under_way = np.tile(law.first, (law.whole + 1, 1))
        self._samples = self._changes = 0
        self.active: list[float] = law.plant_inputs(law.first).tolist()
        self.given = np.zeros((law.time.size, law.first.size))
        self.measured = np.zeros((law.time.size, law.resolution.size))
        self.status = np.zeros(law.time.size)
        self.estimated = np.zeros((law.time.size, law.estimates))

    def is_due(self, t: float) -> bool:
        """Whether a sample is to be taken."""
        return self._samples < self.law.time.size and self.law.time[self._samples] <= t

    def sample(self, readings: Array) -> None:
        """Take a sample: what the controller gives out is under way from now on."""
        k, law = self._samples, self.law
        self._measure(readings)
        self.status[k] = self._controller.step(self.measured[k], self.given[k])
        self._controller.copy_estimate(self.estimated[k])
        self._under_way = np.vstack([self.given[k], self._under_way])[: law.whole + 1]
        self._samples += 1

    def _measure(self, readings: Array) -> None:
        """Write what the sensors say."""
        k, law = self._samples, self.law
        found = self._signals(readings)
        if len(law.noise):
            found = found + law.noise[k]
        rounded = law.resolution > 0.0
        steps = np.floor(found[rounded] / law.resolution[rounded] + 0.5)
        found[rounded] = law.resolution[rounded] * steps
        late = k % np.array(law.every, dtype=int) != 0
        self.measured[k] = np.where(late, self.measured[k - 1], found)

    def change(self, t: float) -> bool:
        """Let inputs act that are due; whether they jump."""
        law = self.law
        if self._changes >= law.changes.size or law.changes[self._changes] > t:
            return False
        self._changes += 1
        # of the samples that were taken since, the one whose turn it is
        before, self.active = self.active, law.plant_inputs(self._under_way[law.whole]).tolist()
        return before != self.active

    def arrays(self) -> dict[str, Array]:
        """Results for the message to the parent."""
        return {
            "given": self.given,
            "measured": self.measured,
            "controller": self.status,
            "estimated": self.estimated,
        }


def law_to_message(law: SampledLaw, prefix: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """Describe a law as JSON and arrays for the child process."""
    body: dict[str, Any] = {}
    arrays: dict[str, Array] = {}
    for item in fields(law):
        value = getattr(law, item.name)
        if isinstance(value, np.ndarray):
            arrays[f"{prefix}.{item.name}"] = value
        else:
            body[item.name] = list(value) if isinstance(value, tuple) else value
    return body, arrays


def law_from_message(body: dict[str, Any], arrays: dict[str, Array], prefix: str) -> SampledLaw:
    """Rebuild a law from what `law_to_message` made."""
    values: dict[str, Any] = {}
    for item in fields(SampledLaw):
        value = body[item.name] if item.name in body else arrays[f"{prefix}.{item.name}"]
        values[item.name] = tuple(value) if isinstance(value, list) else value
    return SampledLaw(**values)
