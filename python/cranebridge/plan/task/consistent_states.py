"""States of a crane from what is given of them: the rest follows from the constraints."""

from __future__ import annotations

import math
from collections.abc import Mapping

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import CranebridgeError, InputError, unknown
from cranebridge.forward import crane_dynamics
from cranebridge.inverse import ServoProblem
from cranebridge.inverse.index1 import point_solver, start_motion, structure_of
from cranebridge.path import Hold
from cranebridge.plan.task.guesses import equilibrium_state
from cranebridge.plan.task.task import State
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.language import names

Array = NDArray[np.float64]

# Newton's steps at most.
_ITERATIONS = 50
# How well the constraints of a given state must hold (m, m^2).
_CONSISTENT = 1e-9
# A singular value that is none.
_NO_SINGULAR_VALUE = 1e-9


def rest_state(
    crane: Crane, parameters: Mapping[str, float], outputs: Mapping[str, float]
) -> State:
    """Return the state in which the crane rests with its load at given outputs."""
    point = tuple(outputs[name] for name in names(crane.outputs))
    held = Hold(names(crane.outputs), point, 1.0)
    problem = ServoProblem(crane, held, dict(parameters))
    if not structure_of(problem).flat:
        return equilibrium_state(crane, dict(parameters), np.array(point))
    q = start_motion(problem, point_solver(problem))["q"]
    return State(q, np.zeros(q.size))


def given_state(
    crane: Crane,
    parameters: Mapping[str, float],
    q: Mapping[str, float],
    v: Mapping[str, float],
    where: str,
) -> State:
    """Return the state with given coordinates and velocities.

    Coordinates that are not given follow from the constraints. Velocities that are not given are
    zero, as far as the constraints let them be: the load gives way first, then what has no mass.

    Parameters
    ----------
    crane : Crane
        Which crane.
    parameters : mapping of str to float
        All of its parameters.
    q, v : mapping of str to float
        What is given.
    where : str
        Name of the table in messages.

    Raises
    ------
    InputError
        If a name is unknown, or the state is not determined, or contradicts the constraints.
    """
    coordinates = names(crane.coordinates)
    for group, table in (("q", q), ("v", v)):
        for name, value in table.items():
            if name not in coordinates:
                raise unknown(f"coordinate in {where}.{group}", str(name), coordinates)
            if not math.isfinite(value):
                raise InputError(f"{where}.{group}.{name} must be a finite number, got {value}")
    p = np.array([parameters[name] for name in names(crane.parameters)])
    position = _positions(crane, p, q, where)
    return State(position, _velocities(crane, p, position, v, where))


def _positions(crane: Crane, p: Array, given: Mapping[str, float], where: str) -> Array:
    coordinates = names(crane.coordinates)
    manifold = crane_dynamics(crane).manifold
    open_ones = [i for i, name in enumerate(coordinates) if name not in given]
    start = _near(crane, p, given)
    q = np.array([float(given.get(name, start.get(name, 0.0))) for name in coordinates])
    for _ in range(_ITERATIONS):
        h, slopes = (np.array(part) for part in manifold(q, p))
        h, slopes = h.ravel(), slopes.reshape(h.size, q.size)[:, open_ones]
        step = np.linalg.lstsq(slopes, -h, rcond=None)[0] if open_ones else np.zeros(0)
        q[open_ones] += step
        size = 1.0 + np.abs(q).max()
        if not np.isfinite(q).all() or np.abs(step).max(initial=0.0) < 1e-14 * size:
            break
    if not np.isfinite(q).all() or np.abs(h).max(initial=0.0) > _CONSISTENT * size**2:
        raise InputError(
            f"{where}.q contradicts the constraints of crane '{crane.name}', or they have no "
            "solution near it; give other coordinates, or fewer"
        )
    if open_ones and np.linalg.matrix_rank(slopes, _NO_SINGULAR_VALUE) < len(open_ones):
        missing = ", ".join(coordinates[i] for i in open_ones)
        raise InputError(
            f"{where}.q does not determine the state: the constraints of crane '{crane.name}' "
            f"leave something of {missing} open; give more of them"
        )
    return q


def _massless(crane: Crane, coordinate: int) -> bool:
    row = equations_of_motion(crane).mass_matrix[coordinate, :]
    return bool(ca.simplify(row).is_zero())


def _near(crane: Crane, p: Array, given: Mapping[str, float]) -> dict[str, float]:
    """Return where to look for coordinates: as the crane would rest below the given load."""
    # a length is positive, and what hangs is below
    guess = {"l": 1.0, "z": -1.0}
    outputs = names(crane.outputs)
    if not set(outputs) <= given.keys():
        return guess
    parameters = dict(zip(names(crane.parameters), p.tolist(), strict=True))
    try:
        rest = rest_state(crane, parameters, {name: float(given[name]) for name in outputs})
    except CranebridgeError:  # a load that swings may be where it cannot rest
        return guess
    return dict(zip(names(crane.coordinates), rest.q.tolist(), strict=True))


def _velocities(crane: Crane, p: Array, q: Array, given: Mapping[str, float], where: str) -> Array:
    coordinates, outputs = names(crane.coordinates), names(crane.outputs)
    _, slopes = crane_dynamics(crane).manifold(q, p)
    H = np.array(slopes).reshape(-1, q.size)
    v = np.array([float(given.get(name, 0.0)) for name in coordinates])
    open_ones = [i for i, name in enumerate(coordinates) if name not in given]
    load = [i for i in open_ones if coordinates[i] in outputs]
    # what has no mass follows the load before a drive does
    light = [i for i in open_ones if i in load or _massless(crane, i)]
    for free in (load, light, open_ones):
        left = -H @ v
        if not left.size or np.abs(left).max() < 1e-12 * (1.0 + np.abs(v).max()):
            break
        if free:
            v[free] += np.linalg.lstsq(H[:, free], left, rcond=None)[0]
    left = H @ v
    if left.size and np.abs(left).max() > _CONSISTENT * (1.0 + np.abs(v).max() * np.abs(q).max()):
        raise InputError(
            f"{where}.v contradicts the constraints of crane '{crane.name}': a rope would change "
            "its length; give other velocities, or fewer"
        )
    return v
