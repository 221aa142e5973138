"""Weights of a quadratic cost by signal name, with defaults by Bryson's rule.

The cost's integrand is the sum of weight * deviation^2. Bryson's rule makes every deviation count
one where it is as large as may be: weight = 1 / largest^2. What may be is taken from the machine's
limits, and where it has none from the motion itself: inputs may differ from the feedforward by as
much as it uses, coordinates and velocities from the wanted ones by a stated part of what they
travel and reach. A signal that does not move takes the size of others with its unit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.reference import Reference
from cranebridge.errors import InputError, unknown
from cranebridge.forward.linearisation import LinearModel
from cranebridge.limits import Limits
from cranebridge.limits.limits import Range
from cranebridge.twin import Crane
from cranebridge.twin.crane import Quantity, names

Array = NDArray[np.float64]

GROUPS: Mapping[str, str] = {
    "q": "error of a coordinate",
    "v": "error of a velocity",
    "y": "error of an output",
    "i": "integral of an output's error (lqi)",
    "u": "input beside the feedforward",
}
"""What can be weighed; a signal is ``group.NAME``."""

POSITION_PART = 0.01
"""Part of its travel that a coordinate may be off."""
SPEED_PART = 0.1
"""Part of its largest speed that a velocity may be off."""
INTEGRAL_PART = 0.1
"""Part of the motion's duration for which an output may be off."""


@dataclass(frozen=True)
class Weight:
    """A weight of the cost's integrand and where it comes from."""

    value: float
    reason: str


@dataclass(frozen=True)
class Weights:
    """All weights of a cost by signal, such as ``q.x``, ``v.x``, ``y.x``, ``i.x``, ``u.M_b``."""

    table: Mapping[str, Weight]

    def __getitem__(self, signal: str) -> float:
        """Return a weight; zero for what is not weighed."""
        return self.table[signal].value if signal in self.table else 0.0

    def size(self, signal: str) -> float:
        """Return the deviation that counts one; infinite for what is not weighed."""
        return 1.0 / math.sqrt(self[signal]) if self[signal] > 0.0 else math.inf

    def describe(self) -> list[str]:
        """Return a line for each weight: value, the deviation that counts one, reason."""
        width = max((len(signal) for signal in self.table), default=0)
        return [
            f"{signal:{width}} {weight.value:10.4g}  (counts one at {self.size(signal):.3g}; "
            f"{weight.reason})"
            for signal, weight in self.table.items()
        ]


def signal_names(crane: Crane) -> list[str]:
    """Return all signals that can be weighed."""
    groups = {
        "q": crane.coordinates,
        "v": crane.coordinates,
        "y": crane.outputs,
        "i": crane.outputs,
        "u": crane.inputs,
    }
    return [f"{group}.{name}" for group, found in groups.items() for name in names(found)]


def choose_weights(
    reference: Reference,
    given: Mapping[str, float] | None = None,
    limits: Limits | None = None,
    integrals: bool = False,
) -> Weights:
    """Return the weights of a cost: those given, defaults for the rest.

    Where a coordinate, velocity or output is weighed by the user, the others of these are not
    weighed at all; the same holds for integrals. An input that is not weighed has its default.

    Parameters
    ----------
    reference : Reference
        The motion.
    given : mapping of str to float, optional
        Weights by signal.
    limits : Limits, optional
        What the machine may do.
    integrals : bool
        Whether the outputs are integrated.

    Raises
    ------
    InputError
        If a signal is unknown or a weight is no number that makes sense.
    """
    crane, table = reference.crane, dict(given or {})
    known = signal_names(crane)
    for signal, value in table.items():
        if signal not in known:
            raise unknown(f"signal to be weighed of crane '{crane.name}'", str(signal), known)
        _require(signal, value)
        if signal.startswith("i.") and not integrals:
            raise InputError(f"the weight of {signal} needs integral states: choose lqi")
    found = {signal: Weight(float(value), "given") for signal, value in table.items()}
    if not any(signal[0] in "qvy" for signal in table):
        found |= _states(reference, limits)
    if integrals and not any(signal[0] == "i" for signal in table):
        found |= _integrals(reference)
    for signal, weight in _inputs(reference, limits).items():
        found.setdefault(signal, weight)
    return Weights({signal: found[signal] for signal in known if signal in found})


def _require(signal: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"the weight of {signal} must be a finite number, got {value!r}")
    if value < 0.0 or (value == 0.0 and signal.startswith("u.")):
        raise InputError(
            f"the weight of {signal} must {'be positive' if value == 0.0 else 'not be negative'}, "
            f"got {value:g}"
        )


def _states(reference: Reference, limits: Limits | None) -> dict[str, Weight]:
    bounds = limits or Limits()
    crane = reference.crane
    travel, speed = np.ptp(reference.q, axis=0), np.abs(reference.v).max(axis=0)
    positions = _sizes(crane.coordinates, travel, bounds.q, "travel")
    speeds = _sizes(crane.coordinates, speed, bounds.v, "largest speed")
    table = {}
    for group, part, found in (("q", POSITION_PART, positions), ("v", SPEED_PART, speeds)):
        for name, (size, reason) in found.items():
            table[f"{group}.{name}"] = Weight((part * size) ** -2, f"{part:.0%} of the {reason}")
    return table


def _integrals(reference: Reference) -> dict[str, Weight]:
    crane, duration = reference.crane, reference.time[-1] - reference.time[0]
    sizes = _sizes(crane.outputs, np.ptp(reference.outputs, axis=0), {}, "travel")
    lasting = INTEGRAL_PART * duration
    return {
        f"i.{name}": Weight(
            (POSITION_PART * size * lasting) ** -2,
            f"{POSITION_PART:.0%} of the {reason} for {lasting:.3g} s",
        )
        for name, (size, reason) in sizes.items()
    }


def _inputs(reference: Reference, limits: Limits | None) -> dict[str, Weight]:
    bounds = (limits or Limits()).u
    used = np.abs(reference.u).max(axis=0)
    found = _sizes(reference.crane.inputs, used, bounds, "feedforward's largest")
    return {
        f"u.{name}": Weight(size**-2, f"the {reason}") for name, (size, reason) in found.items()
    }


def _sizes(
    quantities: Sequence[Quantity], moved: Array, bounds: Mapping[str, Range], what: str
) -> dict[str, tuple[float, str]]:
    """Return size and reason of each quantity: half its range, or what it does in the motion."""
    units: dict[str, float] = {}
    for quantity, size in zip(quantities, moved, strict=True):
        units[quantity.unit] = max(units.get(quantity.unit, 0.0), float(size))
    largest = max(units.values(), default=0.0)
    found = {}
    for quantity, size in zip(quantities, moved, strict=True):
        bound = bounds.get(quantity.name)
        unit = units[quantity.unit]
        if bound is not None and math.isfinite(bound.most - bound.least):
            found[quantity.name] = (0.5 * (bound.most - bound.least), "half range of its limits")
        # what hardly moves is no measure of what it may do
        elif size > 0.1 * unit > 0.0:
            found[quantity.name] = (float(size), what)
        elif unit > 0.0:
            found[quantity.name] = (unit, f"{what} of others in {quantity.unit}")
        else:
            found[quantity.name] = (largest or 1.0, f"{what} of others")
    return found


def quantity_sizes(quantities: Sequence[Quantity], moved: Array) -> Array:
    """Return sizes from what quantities do in a motion, those of others where they rest."""
    return np.array([size for size, _ in _sizes(quantities, moved, {}, "").values()])


def state_weight(weights: Weights, model: LinearModel, integrals: int, past: int) -> Array:
    """Return Q of the cost's integrand at each time of a model: coordinates mapped to its state."""
    crane = model.crane
    groups = (
        ("q", names(crane.coordinates), model.q_matrix),
        ("v", names(crane.coordinates), model.v_matrix),
        ("y", names(crane.outputs), model.C),
    )
    size = len(model.states)
    Q = np.zeros((len(model.time), size + integrals + past, size + integrals + past))
    for group, found, rows in groups:
        values = np.array([weights[f"{group}.{name}"] for name in found])
        Q[:, :size, :size] += np.swapaxes(rows, 1, 2) @ (values[:, None] * rows)
    if integrals:
        values = np.array([weights[f"i.{name}"] for name in names(crane.outputs)])
        inner = np.arange(size, size + integrals)
        Q[:, inner, inner] = values
    return Q


def input_weight(weights: Weights, crane: Crane) -> Array:
    """Return R of the cost's integrand."""
    return np.diag([weights[f"u.{name}"] for name in names(crane.inputs)])
