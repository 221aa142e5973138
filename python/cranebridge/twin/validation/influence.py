"""What moves what in a crane: coordinates without equation, drives without effect, outputs that
no drive reaches.

All of it is read off the equations' dependence on their symbols, before any number is known.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.twin.language import Equations

Pattern = NDArray[np.bool_]


def lacking_equation(model: Equations) -> list[int]:
    """Return the coordinates whose equation of motion contains no coordinate and no multiplier."""
    moving = ca.vertcat(model.q, model.v, model.a, model.lam)
    return np.flatnonzero(~_depends(model.motion, moving).any(axis=1)).tolist()


def without_effect(model: Equations) -> list[int]:
    """Return the inputs that appear in no equation of motion."""
    return np.flatnonzero(~_depends(model.motion, model.u).any(axis=0)).tolist()


def constant_outputs(model: Equations) -> list[int]:
    """Return the outputs that depend on no coordinate."""
    return np.flatnonzero(~_depends(model.outputs, model.q).any(axis=1)).tolist()


def unused_motions(model: Equations) -> list[int]:
    """Return the motions that stand nowhere: in no other equation, no constraint and no output."""
    own = list(model.motions)
    outputs = model.outputs.numel() - len(own)
    others = [row for row in range(model.motion.numel()) if row not in own]
    everything = ca.vertcat(model.motion[others], model.constraints, model.outputs[:outputs])
    columns = [
        _depends(everything, ca.vertcat(model.q[row], model.v[row], model.a[row])).any()
        for row in own
    ]
    return [number for number, used in enumerate(columns) if not used]


def unreached_outputs(model: Equations) -> list[int]:
    """Return the outputs that depend only on coordinates which no drive can move.

    A drive moves a coordinate whose equation of motion contains it; that coordinate moves those in
    whose equations it appears, and those with which it shares a constraint.
    """
    orders = (model.q, model.v, model.a)
    felt = np.any([_depends(model.motion, symbol) for symbol in orders], axis=0)
    held = _depends(model.constraints, model.q)
    felt |= (held[:, :, None] & held[:, None, :]).any(axis=0)
    driven = _depends(model.motion, model.u)
    driven[list(model.motions)] = False  # what is prescribed is no drive
    reached: Pattern = np.asarray(driven.any(axis=1))
    for _ in range(reached.size):
        reached = np.asarray(reached | (felt & reached[None, :]).any(axis=1))
    outputs = _depends(model.outputs, model.q)[: model.outputs.numel() - len(model.motions)]
    return np.flatnonzero(~(outputs & reached[None, :]).any(axis=1)).tolist()


def _depends(expressions: ca.SX, symbols: ca.SX) -> Pattern:
    """Return which expressions contain which symbols."""
    pattern = ca.jacobian_sparsity(expressions, symbols)
    return np.array(ca.DM(pattern, 1.0).full(), dtype=bool).reshape(pattern.shape)
