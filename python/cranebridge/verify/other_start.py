"""A plant that starts elsewhere than the motion: some coordinates given, the rest follows.

Drives stay where they are. What else is not given changes as little as the constraints allow: a
load that is displaced sidewards on its rope rises. Where the drives cannot stay they move, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.control.model import drive_names
from cranebridge.errors import InputError, unknown
from cranebridge.forward import crane_dynamics
from cranebridge.inverse.kernels import MappedFunctions
from cranebridge.twin import Crane
from cranebridge.twin.language import names

Array = NDArray[np.float64]

Constraints = Callable[[Array], tuple[Array, Array]]

# Newton's steps, and how well constraints are met: a few times the rounding of their terms.
STEPS = 50
MET = 1e-14


def start_elsewhere(
    crane: Crane, p: Array, q: Array, v: Array, given: Mapping[str, Mapping[str, float]]
) -> tuple[Array, Array]:
    """Return a consistent start with the given coordinates and velocities.

    Parameters
    ----------
    crane : Crane
        The crane.
    p, q, v : numpy.ndarray
        Parameters, and the state that it starts with otherwise.
    given : mapping
        By group, ``q`` or ``v``, and coordinate.

    Raises
    ------
    InputError
        If a name is unknown or the constraints cannot be met with the given values.
    """
    require_start_names(crane, given)
    function = _constraint_function(crane)

    def constraints(x: Array) -> tuple[Array, Array]:
        h, H = function("constraints", x[None], p)
        return h[0], H[0].reshape(q.size, -1).T

    position, H = _with(crane, given.get("q", {}), q, "q", constraints)
    return position, _with(crane, given.get("v", {}), v, "v", lambda x: (H @ x, H))[0]


@cache
def _constraint_function(crane: Crane) -> MappedFunctions:
    """Return h and H as a function of coordinates and parameters."""
    manifold = crane_dynamics(crane).manifold
    q, p = manifold.sx_in()
    found = [ca.densify(part) for part in manifold.call([q, p])]
    return MappedFunctions((ca.Function("constraints", [q, p], found),), "never")


def _with(
    crane: Crane, given: Mapping[str, float], values: Array, group: str, constraints: Constraints
) -> tuple[Array, Array]:
    """Return consistent values with the given ones, and H there; drives stay if they can."""
    coordinates = names(crane.coordinates)
    wanted = np.array(values)
    wanted[[coordinates.index(name) for name in given]] = list(given.values())
    for kept in ((*given, *drive_names(crane)), tuple(given)):
        free = [i for i, name in enumerate(coordinates) if name not in kept]
        found = _nearest(constraints, wanted, free)
        if found is not None:
            return found
    raise InputError(
        f"plant.start.{group}: crane '{crane.name}' has no such state near its start, its "
        f"constraints contradict {', '.join(given) or 'the coordinates'}; give others"
    )


def require_start_names(crane: Crane, given: Mapping[str, Mapping[str, float]]) -> None:
    """Refuse coordinates that the crane does not have, and values that are no numbers."""
    coordinates = names(crane.coordinates)
    for group, values in given.items():
        for name, value in values.items():
            if name not in coordinates:
                raise unknown(f"coordinate in plant.start.{group}", name, coordinates)
            if not math.isfinite(value):
                raise InputError(f"plant.start.{group}.{name} must be finite, got {value}")


def _nearest(
    constraints: Constraints, values: Array, free: list[int]
) -> tuple[Array, Array] | None:
    """Return the nearest values on the constraints, of which only some may change, and H there."""
    found = np.array(values)
    for _ in range(STEPS):
        h, H = constraints(found)
        if not (np.isfinite(h).all() and np.isfinite(H).all()):
            return None
        # relative to what the terms of a constraint are made of
        size = np.abs(H) @ (1.0 + np.abs(found))
        if (np.abs(h) <= MET * size).all():
            return found, H
        if not free:
            return None
        found[free] -= np.linalg.lstsq(H[:, free], h, rcond=None)[0]
    return None
