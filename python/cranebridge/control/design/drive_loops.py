"""Loops of the drives as a sampled law: position, speed and integral gain of each drive coordinate.

The loop of a drive gives the generalised force f = -(KP e + KD e' + KI integral e) on its
coordinate; the inputs that make these forces follow from the crane's input matrix. Such loops hold
the drives and know nothing of the load.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.control.design.law import Law
from cranebridge.control.model import ReferenceMotion
from cranebridge.errors import InputError, unknown
from cranebridge.twin import equations_of_motion
from cranebridge.twin.language import names

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DriveGains:
    """Gains of one drive's loop, as generalised force of its coordinate.

    Attributes
    ----------
    position, speed, integral : float
        N/m, N s/m and N/(m s) for a coordinate in m, with N m and rad for an angle.
    """

    position: float
    speed: float
    integral: float = 0.0


def drive_law(reference: ReferenceMotion, loops: Mapping[str, DriveGains]) -> Law:
    """Return the loops of the drives as a law.

    Parameters
    ----------
    reference : ReferenceMotion
        The motion on the law's cycle.
    loops : mapping of str to DriveLoop
        By drive coordinate.

    Raises
    ------
    InputError
        If a coordinate is unknown, or if the inputs cannot act on these coordinates as asked.
    """
    crane = reference.crane
    coordinates = names(crane.coordinates)
    for name in loops:
        if name not in coordinates:
            raise unknown(f"coordinate of crane '{crane.name}'", name, coordinates)
    n, rows = len(coordinates), [coordinates.index(name) for name in loops]
    inputs = _inputs_of_forces(reference, rows)
    P, D, I_ = (
        np.diag([getattr(loop, part) for loop in loops.values()])
        for part in ("position", "speed", "integral")
    )
    K = np.zeros((*inputs.shape[:2], 2 * n))
    K[:, :, rows], K[:, :, [n + row for row in rows]] = inputs @ P, inputs @ D
    return Law(
        crane=crane,
        kind="drives",
        cycle=reference.cycle,
        delay=reference.lead,
        time=reference.time,
        K=K,
        integrals=tuple(f"q.{name}" for name in loops),
        K_integral=inputs @ I_,
        K_past=inputs[:, :, :0],
        disturbances=(),
        K_disturbance=inputs[:, :, :0],
    )


def _inputs_of_forces(reference: ReferenceMotion, rows: list[int]) -> Array:
    """Return at each time the inputs that give a force of one on each of some coordinates."""
    model = equations_of_motion(reference.crane)
    count, n, m = len(reference.time), model.q.numel(), model.u.numel()
    matrix = ca.Function("B", [model.q, model.p], [ca.densify(model.input_matrix)])
    p = [reference.parameters[name] for name in names(reference.crane.parameters)]
    found = np.array(matrix.map(count)(reference.q.T, ca.repmat(ca.DM(p), 1, count)))
    acts = found.reshape(n, count, m).transpose(1, 0, 2)[:, rows]
    inputs: Array = np.asarray(np.linalg.pinv(acts), dtype=float)
    if not np.allclose(acts @ inputs, np.eye(len(rows)), atol=1e-9):
        chosen = ", ".join(names(reference.crane.coordinates)[row] for row in rows)
        raise InputError(
            f"the inputs of crane '{reference.crane.name}' cannot act on {chosen} one by one; "
            "close loops on coordinates that have a drive of their own"
        )
    return inputs
