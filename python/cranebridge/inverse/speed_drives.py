"""Velocity references for drives with a speed loop: what makes them give the feedforward's forces.

Most cranes are driven by velocities. A drive's PI controller makes of the reference w

    F = F_0 + kp (w - v) + ki e,   e' = w - v,

v the velocity of the drive's coordinate, F_0 what holds the crane at the start. A force F(t) that
is known is made by

    e' = (F - F_0 - ki e) / kp,   w = v + e',   e(0) = 0:

a filter of first order with the time constant kp / ki, stable and without any derivative of F. It
is integrated exactly for the piecewise polynomial that the feedforward is. What is left in it at
the end fades out after the motion, and so does the reference. With w = v alone, as for an ideal
drive, the crane is late by e.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, unknown
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.piecewise import Piecewise, hermite
from cranebridge.inverse.sampling import Samples
from cranebridge.inverse.signal_groups import Signal
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.language import names, require_no_motions

Array = NDArray[np.float64]

GROUP = "w"
"""The group of columns: ``w.NAME`` is the velocity reference of coordinate NAME."""

FADED = 36.0
"""Time constants after which what is left at the end is rounding: exp(-36) = 2e-16."""
TAIL_STEP = 0.025
"""Step within them, in time constants: cubic interpolation is off by 1e-9 of what is left."""
# Terms of the exponential's series: z^20 / 20! is below rounding for |z| <= 1.
_TERMS = 20


@dataclass(frozen=True)
class SpeedDrive:
    """A drive with a speed loop.

    Attributes
    ----------
    input : str
        The crane's input that it gives.
    coordinate : str
        The crane's coordinate whose velocity is its reference.
    kp, ki : float
        Gains of the speed error and of its integral, in units of the input per unit of the
        coordinate's velocity, and per unit of the coordinate.
    """

    input: str
    coordinate: str
    kp: float
    ki: float = 0.0

    @property
    def pole(self) -> float:
        """Reciprocal of the time constant kp / ki [1/s]."""
        return self.ki / self.kp


@dataclass(frozen=True, eq=False)
class SpeedReferences:
    """Velocity references of a motion.

    Attributes
    ----------
    crane : Crane
        The crane.
    drives : tuple of SpeedDrive
        The drives, whose order columns have.
    hold : numpy.ndarray
        Forces F_0 of the drives.
    end : float
        When the motion ends; the references fade out after it.
    speeds, integrals : Piecewise
        w and e over time, a column for each drive.
    inputs : Piecewise
        All inputs of the crane in its order: w of those with a speed loop, u of the others.
    """

    crane: Crane
    drives: tuple[SpeedDrive, ...]
    hold: Array
    end: float
    speeds: Piecewise
    integrals: Piecewise
    inputs: Piecewise

    @property
    def times(self) -> Array:
        """Breakpoints, those after the end among them."""
        return self.speeds.x

    def faded(self, part: float) -> float:
        """Return when no reference is above a part of its largest value any more."""
        after = self.times >= self.end
        values = np.abs(self.speeds(self.times))
        above = after & (values > part * values.max(axis=0)).any(axis=1)
        return float(self.times[above].max(initial=self.end))


def require_speed_drives(crane: Crane, drives: Sequence[SpeedDrive], where: str) -> None:
    """Refuse drives whose names are unknown, or whose gains make no loop.

    Raises
    ------
    InputError
        With the key that is wrong; `where` is the table's name.
    """
    if drives:
        require_no_motions(crane, where, "leave it out")
    moved: set[str] = set()
    for drive in drives:
        key = f"{where}.{drive.input}"
        if drive.input not in names(crane.inputs):
            raise unknown(f"input in {where}", drive.input, names(crane.inputs))
        if drive.coordinate not in names(crane.coordinates):
            raise unknown(f"coordinate in {key}", drive.coordinate, names(crane.coordinates))
        if drive.coordinate in moved:
            raise InputError(f"{key}: coordinate '{drive.coordinate}' has a speed loop already")
        moved.add(drive.coordinate)
        row, column = _place(crane, drive)
        if not equations_of_motion(crane).input_matrix.sparsity().has_nz(row, column):
            raise InputError(
                f"{key}: {drive.input} does not act on coordinate '{drive.coordinate}' of crane "
                f"'{crane.name}'; name the coordinate that it drives"
            )
        if not (math.isfinite(drive.kp) and drive.kp != 0.0):
            raise InputError(f"{key}.kp must be a number that is not zero, got {drive.kp:g}")
        if not (math.isfinite(drive.ki) and drive.pole >= 0.0):
            raise InputError(
                f"{key}.ki must not have another sign than kp = {drive.kp:g}, got {drive.ki:g}"
            )


def speed_references(feedforward: Feedforward, drives: Sequence[SpeedDrive]) -> SpeedReferences:
    """Return the velocity references that make drives give a feedforward's forces.

    Parameters
    ----------
    feedforward : Feedforward
        The motion, from rest. The references are as exact as its controls are between the times of
        its grid (order 4 in the step for index1).
    drives : sequence of SpeedDrive
        The drives; inputs without one stay forces.

    Raises
    ------
    InputError
        If the motion starts moving, or a gain has the wrong sign for its drive.
    """
    crane = feedforward.problem.crane
    if feedforward.problem.path.moving_ends[0]:
        raise InputError(
            "speed drives need a motion from rest: what their integrals have become while moving "
            "is not known"
        )
    _require_signs(feedforward, drives)
    rows = [names(crane.inputs).index(drive.input) for drive in drives]
    columns = [names(crane.coordinates).index(drive.coordinate) for drive in drives]
    source = feedforward.nodes or feedforward
    left = np.flatnonzero(np.diff(source.time) > 0.0)
    v, a = source.v[:, columns], source.a[:, columns]
    controls = _cubic(feedforward.control_polynomial)
    x = controls.x
    hold = feedforward.hold[rows]
    force = Piecewise(controls.c[:, :, rows].copy(), x)
    force.c[-1] -= hold
    e = _filtered(force, drives)
    tail = _tail(float(x[-1]), drives, moving=feedforward.problem.path.moving_ends[1])
    last = np.polyval(force.c[:, -1], x[-1] - x[-2]) if len(x) > 1 else force.c[-1, -1]
    breaks = np.append(x, tail)
    flat = np.zeros((4, tail.size, len(drives)))
    flat[-1] = last
    forces = Piecewise(np.concatenate([force.c, flat], axis=1), breaks)
    e = np.vstack([e, _fading(tail - x[-1], e[-1], last, drives)])
    integrals = _integrals(forces, e, drives)
    moving = hermite(x, (v[left], a[left]), (v[left + 1], a[left + 1]))
    rest = np.zeros_like(flat)
    rest[-1] = v[-1]
    velocity = np.concatenate([moving.c, rest], axis=1)
    kp, ki = (np.array([getattr(drive, name) for drive in drives]) for name in ("kp", "ki"))
    speeds = Piecewise(velocity + (forces.c - ki * integrals.c) / kp, breaks)
    held = np.zeros((4, tail.size, controls.c.shape[2]))
    held[-1] = feedforward.u[-1]
    inputs = Piecewise(np.concatenate([controls.c, held], axis=1), breaks)
    inputs.c[:, :, rows] = speeds.c
    return SpeedReferences(
        crane, tuple(drives), hold, float(feedforward.time[-1]), speeds, integrals, inputs
    )


# ---------------------------------------------------------------------------- columns


def speed_signals(crane: Crane, drives: Sequence[SpeedDrive]) -> dict[str, Signal]:
    """Return the columns of velocity references by title, such as ``w.s``."""
    found = []
    for i, drive in enumerate(drives):
        moved = crane.coordinates[names(crane.coordinates).index(drive.coordinate)]
        meaning = f"velocity reference of the drive of {moved.name}"
        found.append(Signal(GROUP, i, moved.name, f"{moved.unit}/s", meaning))
    return {signal.title: signal for signal in found}


def with_speeds(samples: Samples, references: SpeedReferences, cycle: float = 0.0) -> Samples:
    """Return samples with the velocity references, their exact rates where u has any.

    Parameters
    ----------
    samples : Samples
        Of the same feedforward.
    references : SpeedReferences
        The references.
    cycle : float
        Where positive: rows after the end, so far apart [s], until the references have faded to
        1e-6 of their largest values; all else is held there.
    """
    crane, drives = references.crane, references.drives
    rows = [names(crane.inputs).index(drive.input) for drive in drives]
    columns = [names(crane.coordinates).index(drive.coordinate) for drive in drives]
    kp, ki = (np.array([getattr(drive, name) for drive in drives]) for name in ("kp", "ki"))
    end = float(samples.time[-1])
    if cycle > 0.0:
        samples = _lengthened(samples, references.faded(1e-6), cycle)
    u, v, e = samples.values["u"], samples.values["v"], references.integrals(samples.time)
    w = v[:, columns] + (u[:, rows] - references.hold - ki * e) / kp
    if samples.time[-1] > end:  # who holds the last value must not creep on
        w[-1] = references.speeds(references.times[-1])
    values, rates = {**samples.values, GROUP: w}, dict(samples.rates)
    if "u" in rates:
        slope = rates["u"][:, rows] - ki * (w - v[:, columns])
        rates[GROUP] = samples.values["a"][:, columns] + slope / kp
        if samples.time[-1] > end:
            rates[GROUP][-1] = 0.0
    return replace(samples, values=values, rates=rates)


def _lengthened(samples: Samples, until: float, cycle: float) -> Samples:
    """Return samples with further rows that hold the last one; all rates are zero in them."""
    last = float(samples.time[-1])
    more = last + cycle * np.arange(1.0, np.ceil((until - last) / cycle) + 1.0)
    held = {
        name: np.vstack([x, np.tile(x[-1], (more.size, 1))]) for name, x in samples.values.items()
    }
    rates = {
        name: np.vstack([x, np.zeros((more.size, x.shape[1]))]) for name, x in samples.rates.items()
    }
    return replace(samples, time=np.append(samples.time, more), values=held, rates=rates)


# ---------------------------------------------------------------------------- the filter


def _place(crane: Crane, drive: SpeedDrive) -> tuple[int, int]:
    """Return row and column of a drive in the crane's input matrix."""
    return (
        names(crane.coordinates).index(drive.coordinate),
        names(crane.inputs).index(drive.input),
    )


def _require_signs(feedforward: Feedforward, drives: Sequence[SpeedDrive]) -> None:
    """Refuse a gain that would push a drive away from its reference."""
    crane = feedforward.problem.crane
    model = equations_of_motion(crane)
    matrix = ca.Function("B", [model.q, model.p], [ca.densify(model.input_matrix)])
    B = np.array(matrix(feedforward.q[0], feedforward.problem.parameter_vector))
    for drive in drives:
        if B[_place(crane, drive)] * drive.kp < 0.0:
            raise InputError(
                f"the speed loop of {drive.input} pushes '{drive.coordinate}' away from its "
                f"reference: kp = {drive.kp:g} must have the other sign"
            )


def _cubic(polynomial: Piecewise) -> Piecewise:
    """Return a piecewise polynomial of lower degree as cubics."""
    missing = 4 - len(polynomial.c)
    none = np.zeros((missing, *polynomial.c.shape[1:]))
    return Piecewise(np.concatenate([none, polynomial.c]), polynomial.x)


def _filtered(force: Piecewise, drives: Sequence[SpeedDrive]) -> Array:
    """Return e at the breakpoints: e' = (force - ki e) / kp, integrated exactly.

    Over a step h a term t^j / j! of the force adds h^(j+1) phi_(j+1)(-h ki / kp) / kp, with the
    functions phi_0(z) = exp(z), phi_(k+1) = (phi_k - 1 / k!) / z.
    """
    h = np.diff(force.x)[:, None]
    pole = np.array([drive.pole for drive in drives])
    phi = _phi(-h * pole)
    added = np.zeros_like(force.c[0])
    for j in range(4):
        added += math.factorial(j) * force.c[3 - j] * h ** (j + 1) * phi[j + 1]
    added /= np.array([drive.kp for drive in drives])
    e = np.zeros((len(h) + 1, len(drives)))
    for k in range(len(h)):
        e[k + 1] = phi[0][k] * e[k] + added[k]
    return e


def _phi(z: Array) -> list[Array]:
    """Return phi_0 to phi_4 of values that are not positive: by their series where z is small."""
    near = np.where(z > -1.0, z, 0.0)
    far = np.where(z > -1.0, -1.0, z)
    found = [np.exp(z)]
    recursive = np.exp(far)
    for k in range(1, 5):
        recursive = (recursive - 1.0 / math.factorial(k - 1)) / far
        series = sum(near**n / math.factorial(n + k) for n in range(_TERMS))
        found.append(np.where(z > -1.0, series, recursive))
    return found


def _tail(end: float, drives: Sequence[SpeedDrive], moving: bool) -> Array:
    """Return breakpoints after the end, until what is left in each filter is rounding."""
    poles = [drive.pole for drive in drives if drive.pole > 0.0 and not moving]
    steps = np.arange(TAIL_STEP, FADED, TAIL_STEP)
    return np.unique(np.concatenate([end + steps / pole for pole in poles] or [np.empty(0)]))


def _fading(after: Array, e: Array, force: Array, drives: Sequence[SpeedDrive]) -> Array:
    """Return e at times after the end, where the force stays as it is."""
    pole = np.array([drive.pole for drive in drives])
    integral = pole > 0.0
    final = np.where(integral, force / np.where(integral, [d.ki for d in drives], 1.0), e)
    steady = final + (e - final) * np.exp(-pole * after[:, None])
    growing = e + after[:, None] * force / np.array([drive.kp for drive in drives])
    return np.where(integral, steady, growing)


def _integrals(force: Piecewise, e: Array, drives: Sequence[SpeedDrive]) -> Piecewise:
    """Return e over time: cubics with its values and its exact rates at the breakpoints."""
    kp, ki = (np.array([getattr(drive, name) for drive in drives]) for name in ("kp", "ki"))
    h = np.diff(force.x)[:, None]
    begin = force.c[3]
    end = ((force.c[0] * h + force.c[1]) * h + force.c[2]) * h + force.c[3]
    left, right = (begin - ki * e[:-1]) / kp, (end - ki * e[1:]) / kp
    return hermite(force.x, (e[:-1], left), (e[1:], right))
