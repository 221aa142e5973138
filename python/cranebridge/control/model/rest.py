"""Where a crane rests with its drives at given positions, and the inputs that hold it there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError, unknown
from cranebridge.forward import crane_dynamics
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.language import names

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


@cache
def place_names(crane: Crane) -> tuple[str, ...]:
    """Return what says where a crane rests: its drive coordinates, one for each input.

    Where there are more of them than inputs, they depend on each other, or are moved by what they
    carry: the outputs then, ``y.NAME``.
    """
    drives = drive_names(crane)
    if len(drives) == len(crane.inputs):
        return drives
    return tuple(f"y.{name}" for name in names(crane.outputs))


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
        Positions of drive coordinates, or of outputs (``y.NAME``); the others stay as in `q`.
    q, u : numpy.ndarray
        Where Newton's method starts.

    Raises
    ------
    InputError
        If a coordinate is no drive of the crane, or an output is unknown.
    SolutionError
        If no rest is found.
    """
    known, what = drive_names(crane), "drive coordinate"
    if any(name.startswith("y.") for name in drives):
        known, what = tuple(f"y.{name}" for name in names(crane.outputs)), "output"
    p = np.array([parameters[name] for name in names(crane.parameters)])
    function, place = _residual(crane, known)
    wanted = np.array(place(q, p))[:, 0]
    for name, value in drives.items():
        if name not in known:
            raise unknown(f"{what} of crane '{crane.name}'", name, known)
        wanted[known.index(name)] = value
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
        f"no rest of crane '{crane.name}' was found at "
        f"{', '.join(f'{name} = {value:g}' for name, value in zip(known, wanted, strict=True))}"
    )


@cache
def _residual(crane: Crane, known: tuple[str, ...]) -> tuple[ca.Function, ca.Function]:
    """Return what is zero at a rest with its slopes, and ``(q, p) -> place``."""
    model = equations_of_motion(crane)
    coordinates, outputs = names(crane.coordinates), names(crane.outputs)
    signals = {name: model.q[i] for i, name in enumerate(coordinates)}
    signals |= {f"y.{name}": model.outputs[i] for i, name in enumerate(outputs)}
    place = ca.vertcat(*(signals[name] for name in known))
    h, _ = crane_dynamics(crane).manifold(model.q, model.p)
    moving = ca.vertcat(model.v, model.a)
    still = ca.substitute(model.motion, moving, ca.SX.zeros(moving.shape))
    wanted = ca.SX.sym("wanted", len(known))
    residual = ca.vertcat(still, h, place - wanted)
    x = ca.vertcat(model.q, model.u, model.lam)
    found = [residual, ca.jacobian(residual, x)]
    return (
        ca.Function("rest", [x, model.p, wanted], found),
        ca.Function("place", [model.q, model.p], [ca.densify(place)]),
    )
