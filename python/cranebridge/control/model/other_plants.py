"""Linear plants that differ from the design's: other parameters, another place, a swing seen wrong.

What a loop is tried with, by its margins and by the choice of a default law's stiffness.
"""

from __future__ import annotations

from functools import cache
from typing import Protocol

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.control.model.reference_motion import ReferenceMotion
from cranebridge.control.model.rest import drive_names, rest_state
from cranebridge.errors import unknown
from cranebridge.forward import LinearModel, crane_dynamics, linearise, project
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.language import names

Array = NDArray[np.float64]


class ModelAlong(Protocol):
    """A motion and the linearisation along it."""

    @property
    def reference(self) -> ReferenceMotion:
        """The motion on a law's cycle."""

    @property
    def model(self) -> LinearModel:
        """The linearisation along it."""


def payload_names(crane: Crane) -> tuple[str, ...]:
    """Return the parameters that are masses of a load."""
    return tuple(
        part.name
        for part in crane.parameters
        if part.unit == "kg" and (part.name == "m" or "load" in part.meaning)
    )


def swings(crane: Crane) -> bool:
    """Return whether a crane has ropes, and more degrees of freedom than drives."""
    freedom = len(crane.coordinates) - len(crane.multipliers)
    return bool(crane.ropes) and freedom > len(crane.inputs)


def plant_with(along: ModelAlong, row: int, parameters: dict[str, float]) -> LinearModel:
    """Return the plant with other parameters, at a row of the motion and with the inputs it needs.

    The inputs are those that keep the motion, by least squares where they cannot keep all of it.
    """
    reference = along.reference
    crane = reference.crane
    values = crane.parameter_values({**reference.parameters, **parameters})
    p = np.array([values[name] for name in names(crane.parameters)])
    q, v = project(crane_dynamics(crane), reference.q[row], reference.v[row], p)
    slope, rest = (np.array(part) for part in _needed(crane)(q, v, reference.a[row], p))
    needed = np.linalg.lstsq(slope, -rest[:, 0], rcond=None)[0]
    u = needed[: len(crane.inputs)]
    return linearise(crane, values, q, v, u, independent=along.model.coordinates)


@cache
def _needed(crane: Crane) -> ca.Function:
    """Return the equations of motion as slope (u, lambda) + rest, functions of q, v, a and p."""
    model = equations_of_motion(crane)
    unknowns = ca.vertcat(model.u, model.lam)
    none = ca.SX.zeros(unknowns.shape)
    slope = ca.substitute(ca.jacobian(model.motion, unknowns), unknowns, none)
    rest = ca.substitute(model.motion, unknowns, none)
    return ca.Function("needed", [model.q, model.v, model.a, model.p], [slope, rest])


def swing_seen(model: LinearModel, row: int, factor: float) -> Array:
    """Return the state as seen with a swing that is `factor` times as large as it is.

    What hangs still below its drives is seen where it is: small changes dq with which inputs du can
    hold the crane, A dq + B du = 0, make as many directions as there are inputs. The place of the
    drives says how far along these the crane is; the rest of the state is swing, and what moves
    with other velocities than those of the drives is its rate.
    """
    crane = model.crane
    f = len(model.coordinates)
    rows = [names(crane.coordinates).index(name) for name in drive_names(crane)]
    accelerations = np.column_stack([model.A[row][f:, :f], model.B[row][f:]])
    _, _, vectors = np.linalg.svd(accelerations)
    still = vectors[f:, :f].T
    drives = model.q_matrix[row][rows, :f]
    below = still @ np.linalg.pinv(drives @ still) @ drives
    swing = np.eye(f) - below
    seen = np.eye(f) + (factor - 1.0) * swing
    return np.asarray(np.kron(np.eye(2), seen))


def plant_at(along: ModelAlong, row: int, coordinate: str, factor: float) -> LinearModel:
    """Return the plant at rest with one drive coordinate at another place, the other drives kept.

    Raises
    ------
    InputError
        If the coordinate is no drive of the crane.
    SolutionError
        If the crane finds no rest there.
    """
    reference = along.reference
    crane, q = reference.crane, reference.q[row]
    known = drive_names(crane)
    if coordinate not in known:
        raise unknown(f"drive coordinate of crane '{crane.name}'", coordinate, known)
    place = {coordinate: factor * float(q[names(crane.coordinates).index(coordinate)])}
    there, u = rest_state(crane, reference.parameters, place, q, reference.u[row])
    still = np.zeros(q.size)
    independent = along.model.coordinates
    return linearise(crane, reference.parameters, there, still, u, independent=independent)
