"""Weights of a quadratic cost by signal name, with defaults by Bryson's rule.

The cost's integrand is the sum of weight * deviation^2. Bryson's rule makes every deviation count
one where it is as large as may be: weight = 1 / largest^2. What may be is taken from the machine's
limits, and where it has none from the motion itself: inputs may differ from the feedforward by as
much as it changes; outputs may be off by a stated part of what they travel, and faster by a stated
part of what they reach; drives by more, so that the load comes first. Directions with one unit have
one size: a load that moves along x is no worse off along y. Swing angles are not weighed by
themselves, they hardly move in a good motion; what they do to the load is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.control.model import ReferenceMotion, SampledStateSpace, drive_names
from cranebridge.errors import InputError, unknown
from cranebridge.forward import LinearModel
from cranebridge.limits import Limits, Range
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.language import Quantity, names

Array = NDArray[np.float64]

GROUPS: Mapping[str, str] = {
    "q": "error of a coordinate",
    "v": "error of a velocity",
    "y": "error of an output",
    "r": "error of an output's rate",
    "i": "integral of an output's error (lqi)",
    "u": "input beside the feedforward",
}
"""What can be weighed; a signal is ``group.NAME``."""

POSITION_PART = 0.01
"""Part of its travel that an output may be off at most."""
SPEED_PART = 0.25
"""Part of its largest rate that an output's rate may be off."""
DRIVE_FACTOR = 3.0
"""How much more than an output a drive may be off, as parts of their travels. To bring a load back
at w rad/s a trolley leaves its place w^2 l / g times as far as the load is off: drives that may go
far make laws that work in a small neighbourhood only (with 10 a stiff law of the gantry crane does
not catch a load that is 0.4 m off, with 3 it does)."""
DRIVE_SPEED_PART = 1.5
"""Part of its largest speed that a drive's speed may be off at most. Where it may be off less,
drives follow a swing less, a swing that is seen wrong is stood better, and delay less."""
HELD_PART = 0.03
"""Part of what an input holds (a weight) that it may differ by, where it changes less than that. A
winch acts the stronger the lighter its load is: with 0.05 the loop of the rotary crane's winch is
lost with a fifth of the payload, a lag of 20 ms and three more cycles of delay at once."""
INTEGRAL_PART = 0.1
"""Part of the motion's duration for which an output may be off; longer where it may be off less."""


ALL_STOOD = "delay, lag, other payloads and swing seen wrong are stood"
# What does less than this part of the others is not used in this motion: no measure of itself.
UNUSED = 1e-3


@dataclass(frozen=True)
class Stiffness:
    """How stiff a law with default weights is; :mod:`cranebridge.control.design.stiffness` chooses
    it.

    Attributes
    ----------
    part : float
        Part of its travel that an output may be off.
    factors : tuple of float
        By how much more than by Bryson's rule each input weighs; ones if empty.
    drive_speed : float
        Part of its largest speed that a drive's speed may be off.
    stood : str
        What it was chosen for, in words.
    """

    part: float = POSITION_PART
    factors: tuple[float, ...] = ()
    drive_speed: float = DRIVE_SPEED_PART
    stood: str = ALL_STOOD


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
        "r": crane.outputs,
        "i": crane.outputs,
        "u": crane.inputs,
    }
    return [f"{group}.{name}" for group, found in groups.items() for name in names(found)]


def choose_weights(
    reference: ReferenceMotion,
    given: Mapping[str, float] | None = None,
    limits: Limits | None = None,
    integrals: bool = False,
    stiffness: Stiffness | None = None,
) -> Weights:
    """Return the weights of a cost: those given, defaults for the rest.

    Where a coordinate, velocity, output or rate is weighed by the user, the others of these are
    not weighed at all; the same holds for integrals. An input that is not weighed has its default.

    Parameters
    ----------
    reference : ReferenceMotion
        The motion.
    given : mapping of str to float, optional
        Weights by signal.
    limits : Limits, optional
        What the machine may do.
    integrals : bool
        Whether the outputs are integrated.
    stiffness : Stiffness, optional
        Of the defaults.

    Raises
    ------
    InputError
        If a signal is unknown or a weight is no number that makes sense.
    """
    crane, table = reference.crane, dict(given or {})
    known, chosen = signal_names(crane), stiffness or Stiffness()
    require_weights(crane, table, integrals)
    found = {signal: Weight(float(value), "given") for signal, value in table.items()}
    if not any(signal[0] in "qvyr" for signal in table):
        found |= _states(reference, limits, chosen)
    if integrals and not any(signal[0] == "i" for signal in table):
        found |= _integrals(reference, chosen.part)
    for signal, weight in _inputs(reference, limits, chosen).items():
        found.setdefault(signal, weight)
    return Weights({signal: found[signal] for signal in known if signal in found})


def require_weights(crane: Crane, given: Mapping[str, float], integrals: bool) -> None:
    """Refuse weights of unknown signals, and values that make no sense."""
    known = signal_names(crane)
    for signal, value in given.items():
        if signal not in known:
            raise unknown(f"signal to be weighed of crane '{crane.name}'", str(signal), known)
        _require(signal, value)
        if signal.startswith("i.") and not integrals:
            raise InputError(f"the weight of {signal} needs integral states: choose lqi")


def _require(signal: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"the weight of {signal} must be a finite number, got {value!r}")
    if value < 0.0 or (value == 0.0 and signal.startswith("u.")):
        raise InputError(
            f"the weight of {signal} must {'be positive' if value == 0.0 else 'not be negative'}, "
            f"got {value:g}"
        )


def _states(
    reference: ReferenceMotion, limits: Limits | None, stiffness: Stiffness
) -> dict[str, Weight]:
    """Return default weights of the outputs and of the drives."""
    bounds, crane = limits or Limits(), reference.crane
    rows = [names(crane.coordinates).index(name) for name in drive_names(crane)]
    drives = [crane.coordinates[row] for row in rows]
    travel, speed = np.ptp(reference.q[:, rows], axis=0), np.abs(reference.v[:, rows]).max(axis=0)
    rates = np.gradient(reference.outputs, reference.cycle, axis=0)
    far, fast, drive = stiffness.part, SPEED_PART, DRIVE_FACTOR * stiffness.part
    groups: tuple[tuple[str, Sequence[Quantity], Array, Mapping[str, Range], float, str], ...] = (
        ("y", crane.outputs, np.ptp(reference.outputs, axis=0), {}, far, "travel"),
        ("r", crane.outputs, np.abs(rates).max(axis=0), {}, fast, "largest rate"),
        ("q", drives, travel, bounds.q, drive, "travel"),
        ("v", drives, speed, bounds.v, stiffness.drive_speed, "largest speed"),
    )
    return {
        f"{group}.{name}": Weight((part * size) ** -2, f"{100 * part:.3g} % of the {reason}")
        for group, quantities, moved, limit, part, what in groups
        for name, (size, reason) in _sizes(quantities, moved, limit, what).items()
    }


def _integrals(reference: ReferenceMotion, part: float) -> dict[str, Weight]:
    crane, duration = reference.crane, reference.time[-1] - reference.time[0]
    sizes = _sizes(crane.outputs, np.ptp(reference.outputs, axis=0), {}, "travel")
    # stiff laws need no fast integrals: what is left for them is small
    lasting = INTEGRAL_PART * duration * math.sqrt(POSITION_PART / part)
    return {
        f"i.{name}": Weight(
            (part * size * lasting) ** -2,
            f"{100 * part:.3g} % of the {reason} for {lasting:.3g} s",
        )
        for name, (size, reason) in sizes.items()
    }


def _inputs(
    reference: ReferenceMotion, limits: Limits | None, stiffness: Stiffness
) -> dict[str, Weight]:
    """Return default weights: limits, or what the feedforward changes beside what it holds."""
    crane, bounds = reference.crane, (limits or Limits()).u
    changes, most = np.ptp(reference.u, axis=0), np.abs(reference.u).max(axis=0)
    table, peers = {}, dict.fromkeys((quantity.unit for quantity in crane.inputs), 0.0)
    for quantity, size in zip(crane.inputs, most, strict=True):
        peers[quantity.unit] = max(peers[quantity.unit], float(size))
    for i, quantity in enumerate(crane.inputs):
        if quantity.name in bounds:
            found = _sizes([quantity], most[[i]], bounds, "feedforward's largest")
            size, reason = found[quantity.name]
        elif not peers[quantity.unit]:
            size, reason = float(most.max()) or 1.0, "feedforward's largest of all inputs"
        elif most[i] <= UNUSED * peers[quantity.unit]:
            size, reason = peers[quantity.unit], f"feedforward's largest in {quantity.unit}"
        elif changes[i] >= HELD_PART * most[i]:
            size, reason = float(changes[i]), "range of the feedforward"
        else:
            size = HELD_PART * float(most[i])
            reason = f"{HELD_PART:.0%} of the feedforward's largest, which it mostly holds"
        factor = stiffness.factors[i] if stiffness.factors else 1.0
        if factor != 1.0:
            how = "softer, so that" if factor > 1.0 else "as stiff as may be so that"
            reason += f", with {factor:.3g} times the weight: {how} {stiffness.stood}"
        table[f"u.{quantity.name}"] = Weight(factor * size**-2, reason)
    return table


def _sizes(
    quantities: Sequence[Quantity], moved: Array, bounds: Mapping[str, Range], what: str
) -> dict[str, tuple[float, str]]:
    """Return size and reason: half the range of a limit, or the most that its unit does."""
    units: dict[str, float] = {}
    for quantity, size in zip(quantities, moved, strict=True):
        units[quantity.unit] = max(units.get(quantity.unit, 0.0), float(size))
    largest = max(units.values(), default=0.0)
    found = {}
    for quantity in quantities:
        bound, size = bounds.get(quantity.name), units[quantity.unit]
        if bound is not None and math.isfinite(bound.most - bound.least):
            found[quantity.name] = (0.5 * (bound.most - bound.least), "half range of its limits")
        elif size > UNUSED * largest:
            several = sum(other.unit == quantity.unit for other in quantities) > 1
            found[quantity.name] = (size, f"{what} in {quantity.unit}" if several else what)
        else:
            found[quantity.name] = (largest or 1.0, f"{what} in other units")
    return found


def quantity_sizes(quantities: Sequence[Quantity], moved: Array) -> Array:
    """Return sizes from what quantities do in a motion, those of others where they rest."""
    return np.array([size for size, _ in _sizes(quantities, moved, {}, "").values()])


def state_sizes(sampled: SampledStateSpace, weights: Weights, reference: ReferenceMotion) -> Array:
    """Return what a state of the design of size one is: what it does in the motion."""
    crane = reference.crane
    duration = reference.time[-1] - reference.time[0]
    moved = {
        "q": (crane.coordinates, np.ptp(reference.q, axis=0)),
        "v": (crane.coordinates, np.abs(reference.v).max(axis=0)),
        "i": (crane.outputs, duration * np.ptp(reference.outputs, axis=0)),
    }
    known = {
        f"{group}.{name}": size
        for group, (quantities, most) in moved.items()
        for name, size in zip(names(quantities), quantity_sizes(quantities, most), strict=True)
    }
    return np.array(
        [
            known[state] if state in known else weights.size(f"u.{state.partition('.')[2]}")
            for state in sampled.states
        ]
    )


def rate_matrix(model: LinearModel, reference: ReferenceMotion) -> Array:
    """Return the errors of the outputs' rates as functions of the state, at each time."""
    crane, count = model.crane, len(model.time)
    equations = equations_of_motion(crane)
    q, v, p = equations.q, equations.v, equations.p
    rate = ca.jtimes(equations.outputs, q, v)
    slopes = [ca.densify(ca.jacobian(rate, part)) for part in (q, v)]
    values = ca.DM([reference.parameters[name] for name in names(crane.parameters)])
    found = ca.Function("rate", [q, v, p], slopes).map(count)(
        reference.q.T, reference.v.T, ca.repmat(values, 1, count)
    )
    n, k = q.numel(), len(crane.outputs)
    by_q, by_v = (np.array(part).reshape(k, count, n).transpose(1, 0, 2) for part in found)
    return np.asarray(by_q @ model.q_matrix + by_v @ model.v_matrix)


def state_weight(
    weights: Weights,
    model: LinearModel,
    reference: ReferenceMotion,
    integrals: int = 0,
    past: int = 0,
) -> Array:
    """Return Q of the cost's integrand at each time: all that is weighed mapped to the state.

    Parameters
    ----------
    weights : Weights
        By signal.
    model : LinearModel
        The linearisation along `reference`.
    integrals, past : int
        How many integrals of outputs and past inputs follow the model's states.
    """
    crane = model.crane
    groups = (
        ("q", names(crane.coordinates), model.q_matrix),
        ("v", names(crane.coordinates), model.v_matrix),
        ("y", names(crane.outputs), model.C),
        ("r", names(crane.outputs), rate_matrix(model, reference)),
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
