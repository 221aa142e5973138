"""Loops of the drives where a scenario gives none, so that a controller has them to be beside.

Each drive for itself: u = u_ff + kp (r - position) + kv (r' - velocity) of the coordinate that it
acts on, with the poles of a critically damped oscillator of `BANDWIDTH`. The inertia J is that
which the drive feels at the start, 1 / (d acceleration / d input), a load on its rope included:

    kp = J w^2,  kv = 2 J w,  w = 2 pi BANDWIDTH.
"""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import StructureError
from cranebridge.forward import crane_dynamics
from cranebridge.inverse import Feedforward
from cranebridge.twin import equations_of_motion
from cranebridge.twin.language import names
from cranebridge.verify.feedback.controllers import position_of, velocity_of
from cranebridge.verify.mapping import PlantMap
from cranebridge.verify.settings import DriveController

Array = NDArray[np.float64]

BANDWIDTH = 1.0
"""In Hz: the loops that the ready scenarios give have 0.8 to 2.2 Hz."""


def inertia_loops(feedforward: Feedforward, mapping: PlantMap) -> tuple[DriveController, ...] | str:
    """Return a loop for each input of a plant, or why there is none.

    Parameters
    ----------
    feedforward : Feedforward
        The motion; inertias are those where it begins.
    mapping : PlantMap
        How the plant's names relate to the twin's.
    """
    crane = feedforward.problem.crane
    coordinates = names(crane.coordinates)
    own = {text: name for name, text in mapping.input_expressions.items()}
    known = {signal.name for signal in mapping.info.variables}
    acts = _drive_matrix(feedforward)
    try:
        answers = _answers(feedforward)
    except StructureError as error:
        return str(error)
    frequency, loops = 2.0 * math.pi * BANDWIDTH, []
    for j, name in enumerate(names(crane.inputs)):
        driven = np.flatnonzero(acts[:, j])
        if name not in own:
            return f"no input of the plant is {name} alone"
        if driven.size != 1:
            return f"{name} acts on several coordinates"
        answer = answers[driven[0], j]
        if answer == 0.0:
            return f"{name} does not accelerate its coordinate"
        loop = DriveController(
            own[name],
            coordinates[driven[0]],
            kp=frequency**2 / float(answer),
            kv=2.0 * frequency / float(answer),
        )
        hidden = [one for one in (position_of(loop), velocity_of(loop)) if one not in known]
        if hidden:
            return f"the plant has no variable {hidden[0]}"
        loops.append(loop)
    return tuple(loops)


def _drive_matrix(feedforward: Feedforward) -> Array:
    """Return the forces on all coordinates for one unit of each input, at the start."""
    model = equations_of_motion(feedforward.problem.crane)
    matrix = ca.Function("B", [model.q, model.p], [ca.densify(model.input_matrix)])
    return np.array(matrix(feedforward.q[0], feedforward.problem.parameter_vector), dtype=float)


def _answers(feedforward: Feedforward) -> Array:
    """Return accelerations of all coordinates for one unit of each input, at the start."""
    q, v, u = feedforward.q[0], feedforward.v[0], feedforward.u[0]
    dynamics, p = crane_dynamics(feedforward.problem.crane), feedforward.problem.parameter_vector

    def acceleration(inputs: Array) -> Array:
        return np.asarray(dynamics.accelerations(q, v, inputs, p)[0], dtype=float).ravel()

    # accelerations are linear in the inputs; a step of their size keeps rounding small
    steps = np.maximum(np.abs(u), 1.0)
    columns = [(acceleration(u + step) - acceleration(u)) for step in np.diag(steps)]
    return np.asarray(np.column_stack(columns) / steps)
