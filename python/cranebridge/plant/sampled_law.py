"""A sampled feedback law in plain arrays, as the child process runs it beside the integration.

At each sample k, with s the signals that are fed back, functions of the plant's readings,

    u = hold_k - K_k (s - reference_k) - K_integral,k xi - K_past,k (u - hold)_{k-1, k-2, ...}

is kept within its limits, the integrals xi go on by the cycle times their signals' errors unless an
input is at a limit, and the plant's inputs D u + d change when the delay is over. After the last
row of the tables this row holds. Samples and changes are ends of pieces of the integration.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.plant.signal_program import SignalProgram, require_program

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SampledLaw:
    """A law with its tables; rows are samples.

    Attributes
    ----------
    readings : tuple of str
        Variables of the plant that are read at the samples.
    program : numpy.ndarray
        How the signals follow from the readings; see `signal_program`.
    reference, hold : numpy.ndarray
        (rows, signals) and (rows, inputs of the law).
    K, K_integral, K_past : numpy.ndarray
        (rows, inputs, signals), (rows, inputs, integrals), (rows, inputs, past inputs).
    integrals : tuple of int
        Positions of the signals that are integrated.
    least, most : numpy.ndarray
        Limits of the law's inputs; infinite where there are none.
    D, d : numpy.ndarray
        (inputs of the plant, inputs of the law) and (inputs of the plant).
    time : numpy.ndarray
        Times of all samples, the first at the start of the simulation or before, at most a cycle
        apart; `changes` as many, when the inputs of each begin to act.
    changes : numpy.ndarray
        Times when the inputs change.
    cycle : float
        In s, for the integrals.
    whole : int
        How many samples later than those of its own time the inputs of a sample act.
    """

    readings: tuple[str, ...]
    program: Array
    reference: Array
    hold: Array
    K: Array
    K_integral: Array
    K_past: Array
    integrals: tuple[int, ...]
    least: Array
    most: Array
    D: Array
    d: Array
    time: Array
    changes: Array
    cycle: float
    whole: int

    def __post_init__(self) -> None:
        rows, m = self.hold.shape
        s, i, p = self.reference.shape[1], len(self.integrals), self.K_past.shape[-1]
        shapes = {
            "reference": (rows, s),
            "K": (rows, m, s),
            "K_integral": (rows, m, i),
            "K_past": (rows, m, p),
            "least": (m,),
            "most": (m,),
            "D": (self.d.size, m),
            "changes": self.time.shape,
        }
        for name, shape in shapes.items():
            found = getattr(self, name).shape
            if found != shape:
                raise InputError(f"sampled law: {name} has the shape {found} and not {shape}.")
        if p % m or self.whole < 0 or not self.cycle > 0.0 or not rows or not self.time.size:
            raise InputError("sampled law: its tables, cycle or delay make no sense.")
        if not all((np.diff(times) > 0.0).all() for times in (self.time, self.changes)):
            raise InputError("sampled law: its times do not increase.")
        require_program(self.program, len(self.readings), s)
        if not all(0 <= position < s for position in self.integrals):
            raise InputError("sampled law: an integrated signal is none of its signals.")
        finite = ("reference", "hold", "K", "K_integral", "K_past", "D", "d")
        for name in finite:
            if not np.isfinite(getattr(self, name)).all():
                raise InputError(f"sampled law: {name} is not finite.")

    @property
    def stops(self) -> Array:
        """Times that no step of an integrator may reach over."""
        return np.union1d(self.time, self.changes)

    def plant_inputs(self, u: Array) -> Array:
        """Return the plant's inputs for rows of the law's."""
        return np.asarray(u @ self.D.T + self.d)

    def acting(self, given: Array, times: Array) -> Array:
        """Return the law's inputs that act at some times, from what it gave out at the samples.

        Parameters
        ----------
        given : numpy.ndarray
            A row for each sample.
        times : numpy.ndarray
            Times; at a change the new inputs.
        """
        found = np.searchsorted(self.changes, times, side="right") - 1 - self.whole
        acts = given[np.clip(found, 0, len(given) - 1)]
        return np.asarray(np.where(found[:, None] < 0, self.hold[0], acts))


class LawFunction:
    """Runs a law sample by sample."""

    def __init__(self, law: SampledLaw) -> None:
        self.law = law
        inputs = law.hold.shape[1]
        self._signals = SignalProgram(law.program, law.reference.shape[1])
        self._integral = np.zeros(len(law.integrals))
        self._past = np.zeros(law.K_past.shape[2])
        self._under_way = np.tile(law.hold[0], (law.whole + 1, 1))
        self._integrated = list(law.integrals)
        self._samples = self._changes = 0
        self.active: list[float] = law.plant_inputs(law.hold[0]).tolist()
        self.given = np.zeros((law.time.size, inputs))

    def is_due(self, t: float) -> bool:
        """Whether a sample is to be taken."""
        return self._samples < self.law.time.size and self.law.time[self._samples] <= t

    def sample(self, readings: Array) -> None:
        """Take a sample: what it gives out is under way from now on."""
        law, k = self.law, min(self._samples, len(self.law.hold) - 1)
        error = self._signals(readings) - law.reference[k]
        wanted = law.hold[k] - law.K[k] @ error
        wanted -= law.K_integral[k] @ self._integral + law.K_past[k] @ self._past
        u = np.minimum(np.maximum(wanted, law.least), law.most)
        if (u == wanted).all():
            self._integral += law.cycle * error[self._integrated]
        self._past = np.concatenate([u - law.hold[k], self._past])[: self._past.size]
        self._under_way = np.vstack([u, self._under_way])[: law.whole + 1]
        self.given[self._samples] = u
        self._samples += 1

    def change(self, t: float) -> bool:
        """Let inputs act that are due; whether they jump."""
        law = self.law
        if self._changes >= law.changes.size or law.changes[self._changes] > t:
            return False
        self._changes += 1
        # of the samples that were taken since, the one whose turn it is
        before, self.active = self.active, law.plant_inputs(self._under_way[law.whole]).tolist()
        return before != self.active


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
