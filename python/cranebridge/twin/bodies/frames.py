"""Motion of a body's frame, by turns and slides one after the other.

Velocities are kept in the body's own components: a slewing crane's kinetic energy then contains no
slewing angle, as on paper. With the angular velocity w and the origin's velocity u, a point d of
the body moves with u + w x d. A turn by the angle a about n changes the components by the transpose
of its rotation A and adds n a'; a slide along n adds n a' to u.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca


@dataclass(frozen=True, eq=False)
class BodyFrame:
    """A body's frame and its velocity.

    Attributes
    ----------
    place, rotation : casadi.SX
        Origin and rotation matrix R, from the body's components to those of the ground.
    velocity, spin : casadi.SX
        Velocity of the origin and angular velocity, in the body's components.
    """

    place: Any
    rotation: Any
    velocity: Any
    spin: Any

    @classmethod
    def ground(cls) -> BodyFrame:
        """Return the frame that stands still."""
        return cls(ca.SX(3, 1), ca.SX.eye(3), ca.SX(3, 1), ca.SX(3, 1))

    def point(self, d: Any) -> Any:
        """Return the place of a point of the body."""
        return self.place + self.rotation @ d

    def rate(self, d: Any) -> Any:
        """Return the velocity of a point of the body, in its components."""
        return self.velocity + ca.cross(self.spin, d)

    def kinetic_energy(self, mass: Any, centre: Any, inertia: Any) -> Any:
        """Return m/2 v_c^2 + 1/2 w.J w of a body with this frame."""
        moving = mass * ca.sumsqr(self.rate(centre))
        return 0.5 * (moving + ca.dot(self.spin, inertia @ self.spin))

    def ground_rate(self, d: Any) -> Any:
        """Return the velocity of a point of the body, in the components of `place`."""
        return self.rotation @ self.rate(d)

    def shifted(self, d: Any) -> BodyFrame:
        """Return the parallel frame at another point of the body."""
        return BodyFrame(self.point(d), self.rotation, self.rate(d), self.spin)

    def moved(self, n: Sequence[float], turn: Any, slide: Any, rates: tuple[Any, Any]) -> BodyFrame:
        """Return the frame after a slide along n and a turn about it.

        Parameters
        ----------
        n : sequence of float
            Unit vector.
        turn, slide : expression
            Angle and distance.
        rates : tuple
            Their rates.
        """
        axis = ca.SX(ca.DM(n))
        A = rotation(n, turn)
        slid = self.shifted(axis * slide)
        return BodyFrame(
            slid.place,
            self.rotation @ A,
            A.T @ (slid.velocity + axis * rates[1]),
            A.T @ self.spin + axis * rates[0],
        )


def rotation(n: Sequence[float], angle: Any) -> Any:
    """Return the rotation about a unit vector: cos (I - n n^T) + sin skew(n) + n n^T."""
    along = ca.DM(n) @ ca.DM(n).T
    return ca.SX(ca.cos(angle) * (ca.DM.eye(3) - along) + ca.sin(angle) * ca.skew(ca.DM(n)) + along)
