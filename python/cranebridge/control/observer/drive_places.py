"""Speed drives in an observer: the places that their references have come to, as states.

Of a drive with a speed loop only its converter knows the force. But what it has integrated, e with
e' = w - v, is how far its reference is ahead of it: with the place r, r' = w, that the reference
has come to

    F = F_0 + kp (w - v) + ki e,   e = r - q.

A controller knows w: it has given it. So r is a state that moves by itself, as a disturbance stays
where it is, and what is not known of the force is a constant in it: F_0 of a load that weighs more
than thought, friction, a converter that met its torque limit. The readings correct it. At the
start e is zero and r is where the drive is: what is not known of the drive's place is not known of
r either, and their errors go together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.model import (
    MotionStep,
    ReferenceMotion,
    payload_names,
    rest_state,
    with_integral,
)
from cranebridge.errors import InputError, SolutionError
from cranebridge.inverse import SpeedDrive
from cranebridge.twin.language import names

Array = NDArray[np.float64]

DRIVE = "drive."
"""How the states are called: ``drive.NAME`` of coordinate NAME."""
PAYLOAD_PART = 0.5
"""Part of its nominal value by which a payload is likely to differ."""
FORCE_PART = 0.05
"""Part of what a drive's force changes by in the motion that is not known of it."""
REACH = 1.0
"""Largest product of a step and of the fastest pole that is predicted in one step. Runge-Kutta is
stable up to 2.8, and a lighter load makes a loop faster."""
MOST_STEPS = 10
"""Steps of a cycle's prediction at most."""


@dataclass(frozen=True, eq=False)
class DrivePlaces:
    """What is known of the drives' places at the start.

    Attributes
    ----------
    start : numpy.ndarray
        Where they are.
    tied : numpy.ndarray
        (places, 2f): how the drives' coordinates depend on the observer's motion.
    sizes : numpy.ndarray
        What is likely to be integrated beside that: standard deviations, in the drives' units.
    """

    start: Array
    tied: Array
    sizes: Array


def drive_hold(reference: ReferenceMotion, drives: Sequence[SpeedDrive]) -> tuple[float, ...]:
    """Return the forces F_0 of drives."""
    inputs = names(reference.crane.inputs)
    return tuple(float(reference.u[0, inputs.index(drive.input)]) for drive in drives)


def known_places(reference: ReferenceMotion, motion: MotionStep) -> DrivePlaces:
    """Return what is known at the start of a motion."""
    crane, own = reference.crane, with_integral(motion.drives)
    columns = [names(crane.coordinates).index(drive.coordinate) for drive in own]
    p = [reference.parameters[name] for name in names(crane.parameters)]
    tangent = np.array(motion.tangent(reference.q[0], reference.v[0], p)[0])
    return DrivePlaces(
        start=reference.q[0, columns],
        tied=tangent[columns],
        sizes=_unknown_force(reference, own) / np.abs([drive.ki for drive in own] or np.empty(0)),
    )


def _unknown_force(reference: ReferenceMotion, drives: Sequence[SpeedDrive]) -> Array:
    """Return what is not known of the drives' forces: of the payload's weight, and of friction."""
    crane, first = reference.crane, reference.u[0]
    inputs = [names(crane.inputs).index(drive.input) for drive in drives]
    found = FORCE_PART * np.abs(reference.u - first).max(axis=0)
    other = {
        name: (1.0 + PAYLOAD_PART) * reference.parameters[name] for name in payload_names(crane)
    }
    try:
        changed = {**reference.parameters, **other}
        held = rest_state(crane, changed, {}, reference.q[0], first)[1]
        found = np.maximum(found, np.abs(held - first))
    except SolutionError:  # another payload rests elsewhere, or nowhere
        pass
    # a drive that nothing moves in this motion, as one of a crane in its middle, has friction too
    least = FORCE_PART * np.abs(reference.u).max(initial=0.0)
    return np.asarray(np.maximum(found, least)[inputs])


def start_covariance(variance: Array, places: DrivePlaces | None) -> Array:
    """Return the covariance at the start: errors of drives and of their places go together.

    Parameters
    ----------
    variance : numpy.ndarray
        Of all states; of places what they differ from their drives.
    places : DrivePlaces or None
        What is known of them, the last states.
    """
    if places is None:
        return np.diag(variance)
    spread = start_spread(variance, places)
    return np.asarray(spread @ spread.T)


def start_spread(variance: Array, places: DrivePlaces | None) -> Array:
    """Return a square root S of the covariance S S^T at the start: a column for each cause."""
    spread = np.diag(np.sqrt(variance))
    if places is not None:
        count, moving = places.tied.shape
        spread[len(variance) - count :, :moving] = places.tied @ spread[:moving, :moving]
    return spread


def prediction_steps(A: Array, cycle: float, drives: Sequence[SpeedDrive]) -> int:
    """Return into how many steps a cycle's prediction is cut: speed loops can be fast.

    Parameters
    ----------
    A : numpy.ndarray
        Slopes of the motion at some times, closed speed loops in them.
    cycle : float
        In s.
    drives : sequence of SpeedDrive
        For the message.

    Raises
    ------
    InputError
        If it takes too many.
    """
    fastest = float(np.abs(np.linalg.eigvals(A)).max())
    steps = max(1, math.ceil(cycle * fastest / REACH - 1e-9))
    if steps > MOST_STEPS:
        loops = ", ".join(f"plant.speed.{drive.input}" for drive in drives)
        raise InputError(
            f"an observer cannot predict the speed loops of {loops}: with them the crane has a "
            f"pole of {fastest:.3g} 1/s, and in a cycle of {cycle:g} s at most "
            f"{MOST_STEPS * REACH / cycle:.3g} 1/s are predicted; choose a shorter control.cycle, "
            "or leave the sensors out"
        )
    return steps


def place_rates(inputs: Sequence[str], drives: Sequence[SpeedDrive]) -> dict[str, int]:
    """Return which input moves the place of each drive with an integral, by coordinate."""
    return {drive.coordinate: inputs.index(drive.input) for drive in with_integral(drives)}
