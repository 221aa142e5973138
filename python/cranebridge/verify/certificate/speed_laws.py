"""Do the speed drives of a plant do what is taken for granted? Their law at the compared states.

The mechanics are compared with the forces that the plant shows. That these are made of the
references as said, F = F_0 + kp (w - v) + ki e and e' = w - v, is compared by itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.model import rest_state
from cranebridge.inverse import Feedforward, ServoProblem
from cranebridge.twin.language import names
from cranebridge.verify.mapping import PlantMap, Points, Readings, inside

Array = NDArray[np.float64]

COLUMNS = ("force by its law", "force", "rate of its integral by its law", "rate of its integral")
"""What is known of each drive; nan where the plant does not show its integral."""


def shown_forces(points: Points, read: Readings, mapping: PlantMap) -> Array:
    """Return the twin's inputs at some points: what the drives give, as the plant shows it."""
    u, inputs = points.u.copy(), names(mapping.crane.inputs)
    for loop in inside(mapping.speed):
        u[:, inputs.index(loop.input)] = _reading(loop.force_name, read.values, mapping)
    return u


def drive_laws(
    solution: Feedforward, points: Points, read: Readings, mapping: PlantMap, v: Array
) -> Array:
    """Return `COLUMNS` at some points: (points, drives, columns)."""
    crane, loops = mapping.crane, inside(mapping.speed)
    found = np.full((len(points.x), len(loops), len(COLUMNS)), np.nan)
    if not loops:
        return found
    hold = _holding(solution, points.problem)
    for i, loop in enumerate(loops):
        column = names(crane.inputs).index(loop.input)
        ahead = points.u[:, column] - v[:, names(crane.coordinates).index(loop.coordinate)]
        found[:, i, 1] = _reading(loop.force_name, read.values, mapping)
        if loop.integral_name in mapping.readings:
            e = _reading(loop.integral_name, read.values, mapping)
            found[:, i, 0] = hold[column] + loop.kp * ahead + loop.ki * e
            found[:, i, 2] = ahead
            column = mapping.readings.index(loop.integral_name)
            found[:, i, 3] = mapping.units.factor(loop.integral_name) * read.rates[:, column]
        elif loop.ki == 0.0:
            found[:, i, 0] = hold[column] + loop.kp * ahead
    return found


def _reading(name: str, rows: Array, mapping: PlantMap) -> Array:
    """Return values of a reading in SI units."""
    return np.asarray(mapping.units.si(name, rows[:, mapping.readings.index(name)]))


def _holding(solution: Feedforward, problem: ServoProblem) -> Array:
    """Return the inputs that hold the crane at the start of the motion, with any parameters."""
    return rest_state(problem.crane, problem.parameters, {}, solution.q[0], solution.u[0])[1]
