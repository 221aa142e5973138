"""Sensors by signal: encoders, rope angles, gyroscopes, cameras, each with noise and cycle.

A sensor reads ``q.NAME`` (an encoder), ``v.NAME`` (a tachometer), ``y.NAME`` (an output, such as
the load seen by a camera), or an expression of the crane's coordinates, their velocities
``v_NAME`` and its parameters, such as ``"(x - s)/l"`` for a rope angle. ``rate(...)`` in an
expression is its time derivative: ``"rate((x - s)/l)"`` is a gyroscope.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from cranebridge.errors import InputError, unknown
from cranebridge.expressions import parse
from cranebridge.twin import Crane, Equations, equations_of_motion
from cranebridge.twin.language import names


@dataclass(frozen=True)
class Sensor:
    """A sensor.

    Attributes
    ----------
    signal : str
        What it reads; see the module's text.
    noise : float
        Standard deviation of a reading, in the signal's unit.
    cycle : float
        Time in s between readings; 0 for every sample of the controller.
    name : str
        What it is called; the signal by default.
    resolution : float
        Readings are multiples of this, in the signal's unit; 0 for any number.
    """

    signal: str
    noise: float
    cycle: float = 0.0
    name: str = ""
    resolution: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.resolution) and self.resolution >= 0.0):
            raise InputError(
                f"the resolution of sensor {self.title} must not be negative, got {self.resolution}"
            )
        if not (math.isfinite(self.noise) and self.noise >= 0.0 and self.deviation > 0.0):
            raise InputError(
                f"the noise of sensor {self.title} must be positive, got {self.noise}; it may be 0 "
                "where a resolution is given"
            )
        if not (math.isfinite(self.cycle) and self.cycle >= 0.0):
            raise InputError(
                f"the cycle of sensor {self.title} must not be negative, got {self.cycle}"
            )

    @property
    def title(self) -> str:
        """The name, or the signal where there is none."""
        return self.name or self.signal

    @property
    def deviation(self) -> float:
        """Standard deviation of all that is wrong with a reading: noise, and rounding."""
        return math.hypot(self.noise, self.resolution / math.sqrt(12.0))

    def samples(self, cycle: float) -> int:
        """Return of how many samples of a controller it reads one.

        Raises
        ------
        InputError
            If its cycle is no multiple of the controller's.
        """
        count = max(1, round(self.cycle / cycle))
        if self.cycle and abs(count * cycle - self.cycle) > 1e-6 * cycle:
            raise InputError(
                f"the cycle of sensor {self.title}, {self.cycle:g} s, must be a multiple of the "
                f"controller's {cycle:g} s"
            )
        return count


def reading(model: Equations, sensor: Sensor) -> Any:
    """Return what a sensor reads as an expression of q, v and p."""
    crane = model.crane
    group, _, name = sensor.signal.partition(".")
    vectors = {
        "q": (names(crane.coordinates), model.q),
        "v": (names(crane.coordinates), model.v),
        "y": (names(crane.outputs), model.outputs),
    }
    known, vector = vectors.get(group, ((), model.q))
    if name in known or (known and name.isidentifier()):
        if name not in known:
            signals = [f"{group}.{name}" for group, (all_, _) in vectors.items() for name in all_]
            raise unknown(f"signal of crane '{crane.name}'", sensor.signal, signals)
        return vector[known.index(name)]
    symbols = {name: model.p[i] for i, name in enumerate(names(crane.parameters))}
    symbols |= {f"v_{name}": model.v[i] for i, name in enumerate(names(crane.coordinates))}
    symbols |= {name: model.q[i] for i, name in enumerate(names(crane.coordinates))}

    def rate(expression: Any) -> Any:
        return ca.jtimes(ca.SX(expression), model.q, model.v)

    return parse(f"sensor {sensor.title}", sensor.signal, symbols, {"rate": rate})


def readings(crane: Crane, sensors: Sequence[Sensor]) -> ca.Function:
    """Return ``(q, v, p) -> (y, y_q, y_v, y_p)``: what sensors read, and its derivatives.

    Raises
    ------
    InputError
        If a signal is unknown or no expression, or if there are no sensors.
    """
    if not sensors:
        raise InputError("an observer needs at least one sensor")
    model = equations_of_motion(crane)
    y = ca.vertcat(*(ca.SX(reading(model, sensor)) for sensor in sensors))
    slopes = [ca.densify(ca.jacobian(y, part)) for part in (model.q, model.v, model.p)]
    return ca.Function(
        "readings",
        [model.q, model.v, model.p],
        ca.cse([ca.densify(y), *slopes]),
        ["q", "v", "p"],
        ["y", "y_q", "y_v", "y_p"],
    )
