"""Learned inputs as references of the drives.

A drive with the loop u = u_ff + kp (r - q) + kv (r' - q') does the same with u_ff + du as with its
position reference moved by du/kp, its rate left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import unknown
from cranebridge.inverse import Feedforward, SpeedDrive, speed_references
from cranebridge.twin.language import names
from cranebridge.verify import DriveController
from cranebridge.verify.mapping import PlantMap

Array = NDArray[np.float64]


def position_loops(
    loops: Sequence[DriveController], speeds: Sequence[SpeedDrive]
) -> tuple[DriveController, ...]:
    """Return the loops whose position reference can be moved: with kp, and above no speed loop."""
    velocities = [drive.coordinate for drive in speeds]
    return tuple(loop for loop in loops if loop.kp and loop.coordinate not in velocities)


def moved_references(
    base: Feedforward, inputs: Array, mapping: PlantMap, loops: Sequence[DriveController]
) -> dict[str, Array]:
    """Return by coordinate how far position references are to be moved, at the record's times.

    Parameters
    ----------
    base : Feedforward
        The motion with its first controls.
    inputs : numpy.ndarray
        What was learned, in the order of the crane's inputs.
    mapping : PlantMap
        How the plant's inputs are made of them: loops belong to those.
    loops : sequence of DriveController
        The loops of the drives.
    """
    K = mapping.si_input_matrix(base.problem.parameters)
    change, given = (inputs - base.u) @ K.T, mapping.input_names
    own = position_loops(loops, mapping.speed)
    for loop in own:
        if loop.input not in given:
            raise unknown("input in control.drives", loop.input, given)
    return {loop.coordinate: change[:, given.index(loop.input)] / loop.kp for loop in own}


def reference_columns(
    learned: Feedforward, moved: dict[str, Array], drives: Sequence[SpeedDrive]
) -> dict[str, Array]:
    """Return the references of the drives with what was learned, as columns of ``learned.csv``.

    ``r.NAME`` is the position reference of coordinate NAME, moved; ``w.NAME`` the velocity
    reference of one with a speed loop.
    """
    coordinates = names(learned.problem.crane.coordinates)
    found = {f"r.{name}": learned.q[:, coordinates.index(name)] + by for name, by in moved.items()}
    if drives:
        speeds = speed_references(learned, drives).speeds(learned.time)
        found |= {f"w.{drive.coordinate}": speeds[:, i] for i, drive in enumerate(drives)}
    return found
