"""Motion of points and what resists it, for cranes in minimal coordinates.

A point of the crane is a vector r(q) of expressions. Its velocity and acceleration follow from
those of the coordinates, a force F on it has the generalised forces (dr/dq)^T F.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca

from cranebridge.twin.language.crane import Components

AIR_SPEED = 0.1
"""m/s below which drag grows linearly with the speed instead of with its square."""


def velocity(r: ca.SX, q: Components, v: Components) -> ca.SX:
    """Return the velocity of a point."""
    return ca.jtimes(r, ca.vertcat(*q), ca.vertcat(*v))


def acceleration(r: ca.SX, q: Components, v: Components, a: Components) -> ca.SX:
    """Return the acceleration of a point."""
    rate = velocity(r, q, v)
    motion = ca.vertcat(*q, *v)
    return ca.jtimes(rate, motion, ca.vertcat(*v, *a))


def friction(rate: Any, viscous: Any, coulomb: Any, smooth: Any) -> Any:
    """Return the force against a velocity: viscous, and Coulomb's smoothed by a small velocity."""
    return -viscous * rate - coulomb * ca.tanh(rate / smooth)


def drag(moving: ca.SX, wind: Sequence[Any], factor: Any) -> Any:
    """Return the air's force on a body: factor |w| w with the wind relative to the body.

    The factor is half the density times area and drag coefficient, in kg/m. The square of the
    speed is smooth at rest by :data:`AIR_SPEED`.
    """
    relative = ca.vertcat(*wind) - moving
    return factor * ca.sqrt(ca.sumsqr(relative) + AIR_SPEED**2) * relative


def generalised(force: ca.SX, r: ca.SX, q: Components) -> ca.SX:
    """Return the generalised forces of a force on a point, in the order of the coordinates."""
    return ca.jacobian(r, ca.vertcat(*q)).T @ force
