"""What a trial gives: inputs, outputs and target on one grid of times, and the error in figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError

Array = NDArray[np.float64]

# Times of a grid may differ from even ones by this part of the step: rounding of decimal numbers.
UNEVEN = 1e-6


@dataclass(frozen=True, eq=False)
class Record:
    """Inputs and outputs of a trial; a row for each time, a column for each signal.

    Attributes
    ----------
    time : numpy.ndarray
        Even times in s.
    inputs, outputs, target : numpy.ndarray
        What was given, what came out, what was wanted.
    output_names : tuple of str
        Names of outputs and target.
    """

    time: Array
    inputs: Array
    outputs: Array
    target: Array
    output_names: tuple[str, ...]

    def __post_init__(self) -> None:
        step_of(self.time)
        rows = {len(part) for part in (self.time, self.inputs, self.outputs, self.target)}
        if len(rows) != 1 or self.outputs.shape != self.target.shape:
            raise InputError("a record has as many inputs, outputs and targets as times.")

    @property
    def step(self) -> float:
        """Distance of the times in s."""
        return step_of(self.time)

    @property
    def error(self) -> Array:
        """Target less outputs: what the inputs must still bring."""
        return self.target - self.outputs

    def judged(self, after: float = 0.0) -> NDArray[np.bool_]:
        """Return which times are judged: those `after` s and more from the first one."""
        return np.asarray(self.time >= self.time[0] + after - UNEVEN * self.step)

    def rms_error(self, after: float = 0.0) -> dict[str, float]:
        """Return the root mean square error of each output."""
        part = self.error[self.judged(after)]
        return self._by_name(np.sqrt(np.mean(part**2, axis=0)))

    def max_error(self, after: float = 0.0) -> dict[str, float]:
        """Return the largest error of each output."""
        return self._by_name(np.abs(self.error[self.judged(after)]).max(axis=0))

    def total_error(self, after: float = 0.0) -> float:
        """Return the root of the sum of all outputs' mean squares: what the laws make small."""
        return float(np.sqrt(sum(value**2 for value in self.rms_error(after).values())))

    def _by_name(self, values: Array) -> dict[str, float]:
        return dict(zip(self.output_names, values.tolist(), strict=True))


def step_of(time: Array) -> float:
    """Return the step of even times; an error if they are not even."""
    if time.ndim != 1 or len(time) < 4:
        raise InputError("a record needs four times at least.")
    step = float(time[-1] - time[0]) / (len(time) - 1)
    if not step > 0.0 or np.abs(np.diff(time) - step).max() > UNEVEN * step:
        raise InputError("the times of a record must increase by even steps.")
    return step


def shown(values: Mapping[str, float], units: Mapping[str, str]) -> str:
    """Return figures by name in one line, with their units."""
    suffixes = {name: "" if unit in ("", "1") else f" {unit}" for name, unit in units.items()}
    return ", ".join(f"{name} {value:.3g}{suffixes[name]}" for name, value in values.items())
