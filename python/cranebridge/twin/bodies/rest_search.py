"""The rest position of a crane of parts for given outputs: outputs, constraints, equilibrium.

    s(q) = y,   g(q) = 0,   f(q, 0) + B^T u - G^T lambda = 0

in q, lambda and u. The equations are solved as least squares, with forces divided by the largest
weight: along a freedom that nothing determines the guess is kept. Of several rest positions one is
taken in which ropes pull and rope lengths are positive, the first that is found from the guess and
then from random places about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.twin.language import Crane, equations_of_motion

Array = NDArray[np.float64]

_TRIES = 12
_SPREAD = 0.5
_FOUND = 1e-9
_SLACK = -1e-6
_NOTHING = 1e-14
"""Coordinates below are rounding errors of zero."""
_REACHED = 1e-6
"""What may be left of outputs and constraints (m, rad): Newton's method ends far below."""


def find_rest(
    crane: Crane, guess: Array, outputs: Array, p: Array, positive: Sequence[int]
) -> Array:
    """Return coordinates at rest; where forces find no balance, those nearest to it.

    Parameters
    ----------
    crane : Crane
        The crane.
    guess : numpy.ndarray
        Coordinates to start from.
    outputs, p : numpy.ndarray
        Outputs wanted and parameter values.
    positive : sequence of int
        Coordinates that must be positive: rope lengths.

    Raises
    ------
    InputError
        If no position has these outputs and fulfils the constraints.
    """
    n = guess.size
    guess = guess.copy()
    guess[list(positive)] = np.where(guess[list(positive)] > 0.0, guess[list(positive)], 1.0)
    equations, ropes, force = _balance(crane)
    weight = max(float(np.abs(np.array(force(guess, p))).max(initial=0.0)), 1.0)

    def residual(z: Array) -> Array:
        return np.array(equations(z, outputs, p, weight)[0])[:, 0]

    def slope(z: Array) -> Array:
        return np.array(equations(z, outputs, p, weight)[1])

    draw = np.random.default_rng(0)
    best: tuple[float, Array] = (np.inf, guess)
    for attempt in range(_TRIES):
        q = guess + (_SPREAD * draw.standard_normal(n) if attempt else 0.0)
        q[list(positive)] = np.maximum(np.abs(q[list(positive)]), 1.0)
        z = np.concatenate([q, np.zeros(equations.size1_in(0) - n)])
        try:
            z = _solve(residual, slope, z)
        except (ValueError, np.linalg.LinAlgError):  # no finite numbers on the way
            continue
        left = float(np.abs(residual(z)).max())
        pulls = np.array(ropes(z, p, weight)).min(initial=0.0) >= _SLACK * weight
        sound = bool(pulls and (z[list(positive)] > 0.0).all())
        if left <= _FOUND and sound:
            return np.where(np.abs(z[:n]) < _NOTHING, 0.0, z[:n])
        score = left + (0.0 if sound else 1e3)
        if score < best[0]:
            best = (score, z[:n])
    _require_reached(crane, equations, best[1], outputs, p)
    return best[1]


def _require_reached(
    crane: Crane, equations: ca.Function, q: Array, outputs: Array, p: Array
) -> None:
    """Refuse outputs that the crane cannot have, whatever its forces."""
    z = np.concatenate([q, np.zeros(equations.size1_in(0) - q.size)])
    left = np.array(equations(z, outputs, p, 1.0)[0])[: -q.size, 0]
    if not np.abs(left).max() <= _REACHED:
        wanted = ", ".join(
            f"{one.name} = {value:.6g}" for one, value in zip(crane.outputs, outputs, strict=True)
        )
        raise InputError(
            f"crane '{crane.name}' finds no rest position with {wanted}: "
            f"{np.abs(left).max():.3g} remain in outputs and constraints at the nearest one; check "
            "that it reaches so far, or give a guess of its coordinates in `start`"
        )


def _solve(residual: object, slope: object, z: Array) -> Array:
    """Least squares by Levenberg and Marquardt, which leaves undetermined freedoms alone."""
    from scipy.optimize import least_squares  # not needed to know a crane

    found = least_squares(
        residual, z, slope, method="trf", xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=100
    )
    return np.asarray(found.x)


@lru_cache(maxsize=64)
def _balance(crane: Crane) -> tuple[ca.Function, ca.Function, ca.Function]:
    """Return the equations of rest with their Jacobian, the rope forces, and the forces alone."""
    model = equations_of_motion(crane)
    weight, y = ca.SX.sym("weight"), ca.SX.sym("y", model.outputs.numel())
    z = ca.vertcat(model.q, model.lam, model.u)
    symbols = [model.v, model.a]
    still = [ca.SX.zeros(one.shape) for one in symbols]
    scaled = ca.vertcat(model.q, weight * model.lam, weight * model.u)
    motion, ropes = ca.substitute([model.motion, model.ropes], symbols, still)
    equations = ca.vertcat(model.outputs - y, model.constraints, motion / weight)
    equations, ropes = ca.substitute([equations, ropes], [z], [scaled])
    return (
        ca.Function("rest", [z, y, model.p, weight], [equations, ca.jacobian(equations, z)]),
        ca.Function("ropes", [z, model.p, weight], [ca.densify(ropes)]),
        ca.Function("force", [model.q, model.p], [ca.substitute(model.force, model.v, still[0])]),
    )
