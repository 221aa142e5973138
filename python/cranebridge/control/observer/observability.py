"""What sensors observe: observability along a motion, and which directions stay unknown.

Over a window of the motion the readings carry the information

    W = sum over samples of Phi^T C^T R^-1 C Phi,   Phi from the window's begin to the sample,

about the state at its begin (the Gramian, weighted with the sensors' noise R). Measured in what is
known beforehand, S W S with S the initial standard deviations, an eigenvalue is the information
that the readings add in its direction: the variance falls by the factor 1 + eigenvalue. A direction
with less than one is not observed, and the states that make it up name it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.model import ReferenceMotion
from cranebridge.control.observer.filter import Observer
from cranebridge.errors import InputError

Array = NDArray[np.float64]

WINDOW = 5.0
"""s, of the motion, over which it is said what the sensors do not observe,"""
WINDOWS = 5
"""and how many such windows are looked at."""
# States with at least this part of a direction's largest component name it.
NAMED = 0.3


@dataclass(frozen=True)
class Direction:
    """A combination of states, and the information that the readings add to it.

    Attributes
    ----------
    information : float
        What the readings add to one, in inverse variances of what was known beforehand.
    parts : dict of str to float
        The states that it consists of, in their initial standard deviations; largest first.
    """

    information: float
    parts: dict[str, float]

    @property
    def observed(self) -> bool:
        """Whether the readings add at least as much information as there was."""
        return self.information >= 1.0

    def named(self) -> str:
        """Return the states that it consists of."""
        first, *others = self.parts
        return f"{first} together with {', '.join(others)}" if others else first

    def describe(self) -> str:
        """Return it in words."""
        known = f"{math.sqrt(1.0 / (1.0 + self.information)):.2g}"
        return f"{self.named()}: to {known} of what was known before"


@dataclass(frozen=True)
class Observability:
    """What the sensors observe in a window of the motion.

    Attributes
    ----------
    time, window : float
        Begin and length in s.
    directions : tuple of Direction
        All of them, the least known first.
    """

    time: float
    window: float
    directions: tuple[Direction, ...]

    @property
    def unobserved(self) -> tuple[Direction, ...]:
        """The directions in which the readings add less information than there was."""
        return tuple(direction for direction in self.directions if not direction.observed)

    def describe(self) -> list[str]:
        """Return what cannot be observed, line by line."""
        head = f"t = {self.time:.6g} to {self.time + self.window:.6g} s: "
        if not self.unobserved:
            return [f"{head}everything is observed; least {self.directions[0].describe()}"]
        return [f"{head}not observed: {one.describe()}" for one in self.unobserved]

    def as_dict(self) -> dict[str, object]:
        """Return it for JSON."""
        return {
            "time": self.time,
            "window": self.window,
            "not_observed": [
                {"information": one.information, "parts": one.parts} for one in self.unobserved
            ],
        }


def observability_along(
    observer: Observer, reference: ReferenceMotion, count: int = WINDOWS
) -> tuple[Observability, ...]:
    """Return what the sensors observe in windows that begin evenly from the start to the end."""
    begins = np.linspace(reference.time[0], reference.time[-1], count).tolist()
    return tuple(observability_at(observer, reference, begin) for begin in begins)


def observability_at(
    observer: Observer, reference: ReferenceMotion, begin: float = 0.0, window: float = WINDOW
) -> Observability:
    """Return what the sensors of an observer observe in a window of a motion.

    Parameters
    ----------
    observer : Observer
        Sensors, states and what is known of them beforehand.
    reference : ReferenceMotion
        The motion; after its end it rests.
    begin, window : float
        Begin and length of the window in s.

    Raises
    ------
    InputError
        If the window is shorter than a cycle.
    """
    samples = round(window / reference.cycle)
    if samples < 1:
        raise InputError(f"a window of {window:g} s is shorter than the cycle")
    first = max(0, round((begin - reference.time[0]) / reference.cycle))
    rows = np.minimum(np.arange(first, first + samples), reference.time.size - 1)
    return _window_of(observer, reference, rows, first)


def observability_resting(
    observer: Observer, reference: ReferenceMotion, row: int
) -> Observability:
    """Return what the sensors would observe in a window if the crane stayed as at a row."""
    samples = max(round(WINDOW / reference.cycle), 1)
    return _window_of(observer, reference, np.full(samples, row), row)


def _window_of(
    observer: Observer, reference: ReferenceMotion, rows: NDArray[np.intp], first: int
) -> Observability:
    A, C = _slopes(observer, reference, rows)
    h, size, samples = reference.cycle, len(observer.states), len(rows)
    F = np.eye(size) + h * A + h**2 / 2.0 * A @ A + h**3 / 6.0 * A @ A @ A
    due = observer.due(first + samples)[first:]
    noise = np.array([sensor.deviation for sensor in observer.sensors])
    Phi, total = observer.spread, np.zeros((size, size))
    for k in range(samples):
        read = (due[k] / noise)[:, None] * (C[k] @ Phi)
        total += read.T @ read
        Phi = F[k] @ Phi
    values, vectors = np.linalg.eigh(total)
    return Observability(
        time=float(reference.time[0] + first * h),
        window=samples * h,
        directions=tuple(
            Direction(max(float(value), 0.0), _parts(observer, vector))
            for value, vector in zip(values, vectors.T, strict=True)
        ),
    )


def _slopes(
    observer: Observer, reference: ReferenceMotion, rows: NDArray[np.intp]
) -> tuple[Array, Array]:
    """Return the slopes at rows, each different one computed once."""
    chosen, back = np.unique(rows, return_inverse=True)
    count, p = chosen.size, np.repeat(observer.parameter_vector[:, None], chosen.size, axis=1)
    columns = [part[chosen].T for part in (reference.q, reference.v, reference.u)]
    found = (np.array(part) for part in observer.linear.map(count)(*columns, p))
    A, C = (part.reshape(len(part), count, -1).transpose(1, 0, 2) for part in found)
    return A[back], C[back]


def _parts(observer: Observer, vector: Array) -> dict[str, float]:
    order = np.argsort(-np.abs(vector), kind="stable")
    least = NAMED * abs(vector[order[0]])
    return {observer.states[i]: float(vector[i]) for i in order if abs(vector[i]) >= least}
