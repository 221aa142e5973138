"""A plant that starts elsewhere than the motion: some coordinates given, the rest follows.

Drives stay where they are. What else is not given changes as little as the constraints allow: a
load that is displaced sidewards on its rope rises. Where the drives cannot stay they move, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.rest import drive_names
from cranebridge.errors import InputError, SolutionError, unknown
from cranebridge.forward.crane_accelerations import crane_dynamics, project_onto
from cranebridge.twin import Crane
from cranebridge.twin.crane import names

Array = NDArray[np.float64]

# Velocities that are this much off the constraints, relative to the given ones, contradict them.
CONTRADICTION = 1e-9


def other_start(
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
    coordinates, drives = names(crane.coordinates), drive_names(crane)
    manifold = crane_dynamics(crane).manifold

    def solved(group: str, values: Array, kept: Sequence[str]) -> Array:
        wanted = np.array(values)
        for name, value in given.get(group, {}).items():
            wanted[coordinates.index(name)] = value
        free = [i for i, name in enumerate(coordinates) if name not in kept]
        return _completed(manifold, p, wanted, free, position if group == "v" else None)

    position = q
    found = []
    for group, values in (("q", q), ("v", v)):
        own = tuple(given.get(group, {}))
        try:
            position_or_rate = solved(group, values, (*own, *drives))
        except SolutionError:
            try:
                position_or_rate = solved(group, values, own)
            except SolutionError as error:
                raise InputError(
                    f"plant.start.{group}: crane '{crane.name}' has no such state near its start, "
                    f"its constraints contradict {', '.join(own) or 'the coordinates'}; give others"
                ) from error
        position = position_or_rate if group == "q" else position
        found.append(position_or_rate)
    return found[0], found[1]


def require_start_names(crane: Crane, given: Mapping[str, Mapping[str, float]]) -> None:
    """Refuse coordinates that the crane does not have."""
    coordinates = names(crane.coordinates)
    for group, values in given.items():
        for name in values:
            if name not in coordinates:
                raise unknown(f"coordinate in plant.start.{group}", name, coordinates)


def _completed(
    manifold: object, p: Array, values: Array, free: list[int], position: Array | None
) -> Array:
    """Return values on the constraints, of which only some are free to change."""
    result = np.array(values)

    def rows(x: Array) -> tuple[Array, Array]:
        whole = np.array(values)
        whole[free] = x
        h, H = (np.array(part) for part in manifold.call([whole, p]))  # type: ignore[attr-defined]
        return h, H[:, free]

    if position is None:
        result[free] = project_onto(rows, values[free], np.zeros(len(free)))[0]
        return result
    _, H = (np.array(part) for part in manifold.call([position, p]))  # type: ignore[attr-defined]
    off = H @ values
    result[free] -= np.linalg.lstsq(H[:, free], off, rcond=None)[0]
    if np.abs(H @ result).max(initial=0.0) > CONTRADICTION * (1.0 + np.abs(off).max(initial=0.0)):
        raise SolutionError("the velocities contradict the constraints")
    return result
