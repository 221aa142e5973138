"""What disturbs a plant in a verification: forces on its load and on its drives over time.

The controller does not know them. Their kinks and jumps are ends of pieces of the integration.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, unknown
from cranebridge.plant import add_signals
from cranebridge.plant.description import PlantInfo
from cranebridge.plant.protocol import Controls
from cranebridge.verify.mapping import PlantUnits, scaled

Array = NDArray[np.float64]

KINDS: Mapping[str, str] = {
    "constant": "value, all the time",
    "step": "value, from a time on",
    "pulse": "value, from a time until another",
    "gust": "value (1 - cos) / 2: grows and falls once, from a time until another",
    "ramp": "grows evenly to value, from a time until another, and stays",
    "table": "values at times, with straight lines between; the first and the last one hold",
}
MEANINGS: Mapping[str, str] = {
    "on": "what it acts on: load.x, load.y or load.z, or an input of the plant",
    "kind": "its course over time",
    "value": "its largest value, in the SI unit of the input: N for a force on the load",
    "from": "s, when it begins",
    "until": "s, when it ends",
    "times": "s, of a table, increasing",
    "values": "of a table, one for each time",
}
"""All keys of a disturbance, and what they mean."""
KEYS: Mapping[str, tuple[str, ...]] = {
    "constant": ("value",),
    "step": ("value", "from"),
    "pulse": ("value", "from", "until"),
    "gust": ("value", "from", "until"),
    "ramp": ("value", "from", "until"),
    "table": ("times", "values"),
}
"""The keys of each kind, besides on and kind; all of them must be given."""
AXES = ("x", "y", "z")
LOAD = tuple(f"load.{axis}" for axis in AXES)
"""Names for the forces on the load; the inputs F_wind_x, ... of the plants of modelica/Cranes."""

# A gust in this many pieces of degree 7 differs from the cosine by less than 1e-12 of its value:
# (2 pi / 32)^8 / (8! 2^8) / 2.
GUST_PIECES = 32


@dataclass(frozen=True)
class Disturbance:
    """A force or torque over time; see `KINDS`.

    Attributes
    ----------
    on : str
        One of `LOAD`, or an input of the plant.
    kind : str
        Its course.
    times, values : tuple of float
        When it begins and ends in s, as far as its kind knows that, and its largest value; of a
        table all of both.
    """

    on: str
    kind: str
    times: tuple[float, ...]
    values: tuple[float, ...]

    def describe(self) -> str:
        """Return it in words."""
        if self.kind == "table":
            size = max(self.values, key=abs)
            return (
                f"{self.on}: table of {len(self.times)} values up to {size:g}, "
                f"{self.times[0]:g} to {self.times[-1]:g} s"
            )
        when = {0: "all the time", 1: "from {:g} s on", 2: "{:g} to {:g} s"}[len(self.times)]
        return f"{self.on}: {self.kind} of {self.values[0]:g}, {when.format(*self.times)}"

    def signal(self, name: str) -> Controls:
        """Return its course as a signal of a plant's input."""
        if self.kind == "table":
            return Controls.linear(self.times, self.values, [name])
        value = self.values[0]
        if self.kind == "constant":
            return Controls.constant([value], [name])
        begin = self.times[0]
        if self.kind == "step":
            return _pieces([begin], [0.0, value], name)
        if self.kind == "pulse":
            return _pieces(self.times, [0.0, value, 0.0], name)
        if self.kind == "ramp":
            return Controls.linear(self.times, [0.0, value], [name])
        return _gust(begin, self.times[1], value, name)


def disturbance_signals(disturbances: Sequence[Disturbance], units: PlantUnits) -> Controls | None:
    """Return what disturbances do to the inputs of a plant, in its units; None without any.

    Raises
    ------
    InputError
        If the plant has no such input, or one for a force on the load that is no force.
    """
    signals = []
    for one in disturbances:
        name = _input(one.on, units.info)
        if one.on in LOAD:
            units.require(name, "N", f"a force on {one.on}")
        signal, factor = one.signal(name), units.factor(name)
        signals.append(signal if factor == 1.0 else scaled(signal, [1.0 / factor], [0.0]))
    return reduce(add_signals, signals) if signals else None


def _input(on: str, info: PlantInfo) -> str:
    inputs = info.input_names
    if on in LOAD:
        name = f"F_wind_{on[-1]}"
        if name not in inputs:
            raise InputError(
                f"plant '{info.name}' has no input {name} for a force on {on}; let "
                f"disturbance.on be one of its inputs: {', '.join(inputs)}"
            )
        return name
    if on not in inputs:
        raise unknown("input in disturbance.on", on, (*LOAD, *inputs))
    return on


def _pieces(times: Sequence[float], values: Sequence[float], name: str) -> Controls:
    """Return a signal that is constant between times, before them and after them."""
    x = np.array([times[0] - 1.0, *times, times[-1] + 1.0])
    return Controls(np.array(values)[None, :, None], x, (name,), np.array(times))


def _gust(begin: float, end: float, value: float, name: str) -> Controls:
    """Return value (1 - cos) / 2 in pieces with the right three derivatives at both ends."""
    h = (end - begin) / GUST_PIECES
    phase = 2.0 * math.pi / GUST_PIECES
    angles = phase * np.arange(GUST_PIECES + 1)
    # value and derivatives by the time in pieces, u = (t - begin) / h
    rows = np.array(
        [
            0.5 * value * (1.0 - np.cos(angles)),
            0.5 * value * phase * np.sin(angles),
            0.5 * value * phase**2 * np.cos(angles),
            -0.5 * value * phase**3 * np.sin(angles),
        ]
    )
    rows[0, -1] = rows[1, -1] = rows[3, -1] = 0.0
    low = np.array([[math.perm(j, k) * (j == k) for j in range(8)] for k in range(4)])
    high = np.array([[math.perm(j, k) for j in range(8)] for k in range(4)])
    ends = np.concatenate([rows[:, :-1], rows[:, 1:]])
    powers = np.linalg.solve(np.vstack([low, high]).astype(float), ends)
    powers /= h ** np.arange(8)[:, None]
    none = np.zeros((8, 1))
    coefficients = np.hstack([none, powers, none])[::-1, :, None]
    x = np.concatenate([[begin - 1.0], begin + h * np.arange(GUST_PIECES), [end, end + 1.0]])
    return Controls(coefficients, x, (name,), np.array([begin, end]))
