"""Where a servo problem starts: coordinates at rest, multipliers and inputs in static balance."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import StructureError
from cranebridge.inverse.kernels import MappedFunctions
from cranebridge.inverse.problem import ServoProblem
from cranebridge.structure import Start
from cranebridge.twin import Equations

Array = NDArray[np.float64]


@lru_cache(maxsize=16)
def _forces(model: Equations) -> MappedFunctions:
    """Return the forces at rest, and the directions in which multipliers and inputs act."""
    # what moves as prescribed has no balance
    rows = [row for row in range(model.q.numel()) if row not in model.motions]
    directions = ca.horzcat(model.constraint_jacobian.T, -model.input_matrix)
    found = (model.force[rows], directions[rows, :])
    function = ca.Function(
        "forces", [ca.vertcat(model.q, model.v), model.p], [ca.densify(part) for part in found]
    )
    return MappedFunctions((function,), "never")


def rest_values(model: Equations, q: Array, p: Array) -> Array:
    """Return q, lambda and u where the crane hangs still."""
    state = np.concatenate([q, np.zeros(q.size)])
    (force,), (columns,) = _forces(model)("forces", state[None], p)
    directions = columns.reshape(-1, force.size).T
    balance = np.linalg.lstsq(directions, force, rcond=None)[0]
    return np.concatenate([q, balance])


def start_of(model: Equations, q: Array, p: Array) -> Start:
    """Return where states near the coordinates `q` at rest are looked for."""
    x, n = rest_values(model, q, p), model.q.numel()
    # Lengths and angles of size one where they start at zero; a tenth of the largest force.
    least = np.full(x.size, 0.1 * np.abs(x[n:]).max(initial=10.0))
    least[:n] = 1.0
    outputs = ca.Function("outputs", [model.q, model.p], [model.outputs])
    signals = np.array(outputs(q, p)).ravel()
    return Start(x, np.maximum(np.abs(x), least), p, n, signals=signals)


def require_rest_ends(problem: ServoProblem, start_only: bool = False) -> None:
    """Raise a StructureError if the path of a crane with internal dynamics starts or ends moving.

    The path alone does not tell their state there.
    """
    for moving, word in zip(problem.path.moving_ends, ("start", "end"), strict=True):
        if moving and not (start_only and word == "end"):
            raise StructureError(
                f"crane '{problem.crane.name}' has internal dynamics, whose state is known at rest "
                f"only: its path must {word} at rest"
            )
