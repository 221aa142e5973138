"""Where a crane rests with its drives at given positions, and the inputs that hold it there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError, unknown
from cranebridge.forward.crane_accelerations import crane_dynamics
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.crane import names

Array = NDArray[np.float64]

STEPS = 30
TOLERANCE = 1e-10


@cache
def drive_names(crane: Crane) -> tuple[str, ...]:
    """Return the drive coordinates: those that an input acts on, in the crane's order.

    In redundant coordinates there can be more of them than inputs: a jib that its end turns.
    """
    rows = sorted(set(equations_of_motion(crane).input_matrix.sparsity().row()))
    return tuple(names(crane.coordinates)[row] for row in rows)


def rest_state(
    crane: Crane, parameters: Mapping[str, float], drives: Mapping[str, float], q: Array, u: Array
) -> tuple[Array, Array]:
    """Return coordinates and inputs of a crane at rest.

    Parameters
    ----------
    crane : Crane
        The crane.
    parameters : mapping of str to float
        All parameters.
    drives : mapping of str to float
        Positions of drive coordinates; the other drives stay as in `q`.
    q, u : numpy.ndarray
        Where Newton's method starts.

    Raises
    ------
    InputError
        If a coordinate is no drive of the crane.
    SolutionError
        If no rest is found.
    """
    known, coordinates = drive_names(crane), names(crane.coordinates)
    wanted = q[[coordinates.index(name) for name in known]]
    for name, value in drives.items():
        if name not in known:
            raise unknown(f"drive coordinate of crane '{crane.name}'", name, known)
        wanted[known.index(name)] = value
    function = _residual(crane)
    p = np.array([parameters[name] for name in names(crane.parameters)])
    n, m = q.size, u.size
    x = np.concatenate([q, u, np.zeros(len(crane.multipliers))])
    for _ in range(STEPS):
        residual, slope = (np.array(part) for part in function(x, p, wanted))
        size = np.abs(slope).max(axis=1)
        scale = np.where(size > 0.0, size, 1.0)
        # by least squares: conditions of massless parts stand twice
        step = np.linalg.lstsq(slope / scale[:, None], residual[:, 0] / scale, rcond=None)[0]
        x = x - step
        if np.abs(step).max() <= TOLERANCE * (1.0 + np.abs(x).max()):
            return x[:n], x[n : n + m]
    raise SolutionError(
        f"no rest of crane '{crane.name}' was found with its drives at "
        f"{', '.join(f'{name} = {value:g}' for name, value in zip(known, wanted, strict=True))}"
    )


@cache
def _residual(crane: Crane) -> ca.Function:
    model = equations_of_motion(crane)
    rows = [names(crane.coordinates).index(name) for name in drive_names(crane)]
    h, _ = crane_dynamics(crane).manifold(model.q, model.p)
    moving = ca.vertcat(model.v, model.a)
    still = ca.substitute(model.motion, moving, ca.SX.zeros(moving.shape))
    wanted = ca.SX.sym("wanted", len(rows))
    residual = ca.vertcat(still, h, ca.vertcat(*(model.q[row] for row in rows)) - wanted)
    x = ca.vertcat(model.q, model.u, model.lam)
    return ca.Function("rest", [x, model.p, wanted], [residual, ca.jacobian(residual, x)])
