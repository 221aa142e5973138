"""The planar RPR manipulator with a free-floating base: a machine that is no crane.

Three legs join the corners of a base and of a platform, both equilateral triangles in the x-y
plane without gravity. Each is a sleeve that turns at the base (R), a rod that slides in it (P) and
a joint at the platform (R). Torques drive the joints at the base; the outputs are the platform's
pose. No force acts from outside, so that all momenta are conserved, whatever drives and friction
do.

The example is that of Uhlar 2009, 5.4.10. Masses and inertias are those of its tables 5.13 and
5.14; a body's moment of inertia is the sum of both Euler inertias, as printed, although homogeneous
bars and triangles of these sizes have others. What the source leaves open, and what is taken here:

- *Joints*: at the corners of the triangles of side L. The legs' angles at the start are printed as
  30, 120 and -90 degrees, the base's centre as L/sqrt(12) above its lower edge. From the corners,
  30 and -90 degrees point to that centre; legs 1 and 3 then put the platform's centre there, and
  leg 2 stands at 150 degrees. With 120 the legs do not close.
- *Lengths of the legs*: 0.346 m from joint to joint then, by the same geometry.
- *Centres of mass of the legs*: the middle of each bar (lengths 0.25 m and 0.35 m).
- *Friction*: the source has a spring that yields, with a dashpot; here it is viscous and Coulomb's,
  smooth at rest, with the source's torques in the scenario and zero by default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca

from cranebridge.twin.language import (
    Components,
    Crane,
    Cylinder,
    Expressions,
    Parameter,
    Plate,
    Quantity,
    Shape,
    friction,
    velocity,
)

# Directions from the centre of an equilateral triangle to its corners: lower left, right, upper.
CORNERS = ((-0.5, -(12**-0.5)), (0.5, -(12**-0.5)), (0.0, 3**-0.5))


class RprManipulator(Crane):
    """Planar RPR manipulator in the poses of base and platform."""

    name = "rpr"
    description = "planar manipulator with three R-P-R legs on a free-floating base"
    coordinates = (
        Quantity("x_b", "m", "centre of the base"),
        Quantity("y_b", "m", "centre of the base"),
        Quantity("psi_b", "rad", "rotation of the base"),
        Quantity("x", "m", "centre of the platform"),
        Quantity("y", "m", "centre of the platform"),
        Quantity("psi", "rad", "rotation of the platform"),
    )
    parameters = (
        Parameter("m_b", "kg", "base mass", 8.0),
        Parameter("J_b", "kg*m^2", "base inertia about its centre", 0.2),
        Parameter("L_b", "m", "side of the base's triangle of joints", 1.0),
        Parameter("m_p", "kg", "platform mass", 3.0),
        Parameter("J_p", "kg*m^2", "platform inertia about its centre", 0.0816),
        Parameter("L_p", "m", "side of the platform's triangle of joints", 0.4),
        Parameter("m_1", "kg", "mass of a leg's sleeve", 3.0),
        Parameter("J_1", "kg*m^2", "sleeve inertia about its centre of mass", 0.04),
        Parameter("s_1", "m", "centre of mass of a sleeve, from the base joint", 0.125),
        Parameter("m_2", "kg", "mass of a leg's rod", 4.0),
        Parameter("J_2", "kg*m^2", "rod inertia about its centre of mass", 0.12),
        Parameter("s_2", "m", "centre of mass of a rod, from the platform joint", 0.175),
        Parameter("d_j", "N*m*s/rad", "viscous friction of a base joint", 0.0, "non-negative"),
        Parameter("M_c", "N*m", "Coulomb friction of a base joint", 0.0, "non-negative"),
        Parameter("omega_c", "rad/s", "angular velocity that smooths it", 0.1),
    )
    inputs = (
        Quantity("M_1", "N*m", "torque of the base on leg 1"),
        Quantity("M_2", "N*m", "torque of the base on leg 2"),
        Quantity("M_3", "N*m", "torque of the base on leg 3"),
    )
    outputs = (
        Quantity("x", "m", "centre of the platform"),
        Quantity("y", "m", "centre of the platform"),
        Quantity("psi", "rad", "rotation of the platform"),
    )

    def feet(self, q: Components, p: Components) -> list[ca.SX]:
        """Joints at the base."""
        return _corners(q.x_b, q.y_b, q.psi_b, p.L_b)

    def heads(self, q: Components, p: Components) -> list[ca.SX]:
        """Joints at the platform."""
        return _corners(q.x, q.y, q.psi, p.L_p)

    def turning(self, q: Components, v: Components, p: Components) -> list[ca.SX]:
        """Angular velocities of the legs."""
        found = []
        for foot, head in zip(self.feet(q, p), self.heads(q, p), strict=True):
            leg = head - foot
            across = velocity(leg, q, v)
            found.append((leg[0] * across[1] - leg[1] * across[0]) / ca.sumsqr(leg))
        return found

    def joint_rates(self, q: Components, v: Components, p: Components) -> list[ca.SX]:
        """Angular velocities of the legs relative to the base."""
        return [rate - v.psi_b for rate in self.turning(q, v, p)]

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Base, platform, and sleeve and rod of each leg."""
        base = p.m_b * (v.x_b**2 + v.y_b**2) + p.J_b * v.psi_b**2
        platform = p.m_p * (v.x**2 + v.y**2) + p.J_p * v.psi**2
        legs = 0
        for foot, head, turning in zip(
            self.feet(q, p), self.heads(q, p), self.turning(q, v, p), strict=True
        ):
            across = turning * _left(_direction(foot, head))
            sleeve = velocity(foot, q, v) + p.s_1 * across
            rod = velocity(head, q, v) - p.s_2 * across
            legs += p.m_1 * ca.sumsqr(sleeve) + p.m_2 * ca.sumsqr(rod)
            legs += (p.J_1 + p.J_2) * turning**2
        return 0.5 * (base + platform + legs)

    def potential_energy(self, q: Components, p: Components) -> Any:
        """No gravity in the plane."""
        return 0

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Torques between base and legs."""
        rates = self.joint_rates(q, v, p)
        return sum(torque * rate for torque, rate in zip(u, rates, strict=True))

    def other_forces(self, q: Components, v: Components, p: Components) -> Expressions:
        """Friction of the base joints."""
        rates = ca.vertcat(*self.joint_rates(q, v, p))
        torques = friction(rates, p.d_j, p.M_c, p.omega_c)
        forces = ca.jacobian(rates, ca.vertcat(*v)).T @ torques
        named = (part.name for part in self.coordinates)
        return dict(zip(named, ca.vertsplit(forces), strict=True))

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Pose of the platform."""
        return {"x": q.x, "y": q.y, "psi": q.psi}

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Base below, legs, platform above them."""
        lift = 0.05 * p.L_p
        feet, heads = self.feet(q, p), self.heads(q, p)
        legs: list[Shape] = []
        for foot, head in zip(feet, heads, strict=True):
            along = _direction(foot, head)
            sleeve, rod = foot + 2 * p.s_1 * along, head - 2 * p.s_2 * along
            thick = 0.1 * p.s_1
            legs.append(Cylinder((*_xy(foot), lift), (*_xy(sleeve), lift), thick, "drive"))
            legs.append(Cylinder((*_xy(rod), lift), (*_xy(head), lift), 0.6 * thick))
        base = Plate([(*_xy(foot), 0) for foot in feet], role="structure")
        return base, *legs, Plate([(*_xy(head), 2 * lift) for head in heads])

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Base under the platform, turned as it is; any other pose is at rest, too."""
        return {"x_b": y["x"], "y_b": y["y"], "psi_b": y["psi"]}


def _corners(x: ca.SX, y: ca.SX, psi: ca.SX, side: ca.SX) -> list[ca.SX]:
    """Return the corners of an equilateral triangle about a centre."""
    cos, sin = ca.cos(psi), ca.sin(psi)
    return [
        ca.vertcat(x + side * (a * cos - b * sin), y + side * (a * sin + b * cos))
        for a, b in CORNERS
    ]


def _direction(foot: ca.SX, head: ca.SX) -> ca.SX:
    """Return the direction of a leg."""
    return (head - foot) / ca.norm_2(head - foot)


def _left(e: ca.SX) -> ca.SX:
    """Return a direction turned by a quarter turn to the left."""
    return ca.vertcat(-e[1], e[0])


def _xy(point: ca.SX) -> tuple[ca.SX, ca.SX]:
    return point[0], point[1]
