"""The crane with a luffing jib: slewing, luffing and hoisting, the load in two swing angles.

The jib, a slender rod, turns about a horizontal axis at its foot, which slews at the distance r_0
from the tower's axis; z points up from the foot. The winch stands at the foot, its rope runs along
the jib. The default is a tower crane with a jib of 45 m.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca

from cranebridge.twin.cranes.hoist import HoistCrane
from cranebridge.twin.cranes.quantities import (
    AIR_IN_SPACE,
    GRAVITY,
    HOIST_ROPE,
    LOAD_IN_SPACE,
    SLEWING_TORQUE,
    WINCH_TORQUE,
    winch_friction,
)
from cranebridge.twin.language import (
    Components,
    Cylinder,
    Expressions,
    HoistRope,
    Line,
    Mast,
    Parameter,
    Quantity,
    Shape,
    Sphere,
    drag,
    friction,
    generalised,
    velocity,
)


class LuffingJibCrane(HoistCrane):
    """Luffing jib crane in 5 minimal coordinates."""

    name = "luffing-jib"
    description = "3D crane with slewing and luffing jib, hoist and two swing angles"
    coordinates = (
        Quantity("phi", "rad", "slewing angle"),
        Quantity("beta", "rad", "luffing angle of the jib above the horizontal"),
        Quantity("l", "m", "rope length, tip of the jib to load"),
        Quantity("theta_1", "rad", "swing angle in the jib's plane, positive outwards"),
        Quantity("theta_2", "rad", "swing angle out of it, positive with the slewing angle"),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 6000.0),
        Parameter("m_j", "kg", "jib mass", 8000.0),
        Parameter("L", "m", "jib length", 45.0),
        Parameter("r_0", "m", "distance of the jib's foot from the tower axis", 1.5, "real"),
        Parameter("J_b", "kg*m^2", "slewing inertia without the jib", 1.5e6),
        Parameter("J_j", "kg*m^2", "inertia of the luffing drive at the jib's foot", 2e7),
        Parameter("J_w", "kg*m^2", "inertia of winch and motor at the drum", 150.0),
        Parameter("r_w", "m", "drum radius", 0.3),
        GRAVITY,
        Parameter("d_b", "N*m*s/rad", "viscous friction of slewing", 0.0, "non-negative"),
        Parameter("M_cb", "N*m", "Coulomb friction of slewing", 0.0, "non-negative"),
        Parameter("d_j", "N*m*s/rad", "viscous friction of luffing", 0.0, "non-negative"),
        Parameter("M_cj", "N*m", "Coulomb friction of luffing", 0.0, "non-negative"),
        *winch_friction("M_cw"),
        Parameter("omega_c", "rad/s", "angular velocity that smooths Coulomb friction", 0.01),
        *AIR_IN_SPACE,
    )
    inputs = (
        SLEWING_TORQUE,
        Quantity("M_j", "N*m", "luffing torque at the jib's foot, positive raises it"),
        WINCH_TORQUE,
    )
    outputs = LOAD_IN_SPACE
    ropes = (HOIST_ROPE,)

    def tip(self, q: Components, p: Components) -> Any:
        """Position of the jib's tip."""
        radius = p.r_0 + p.L * ca.cos(q.beta)
        return ca.vertcat(radius * ca.cos(q.phi), radius * ca.sin(q.phi), p.L * ca.sin(q.beta))

    def load(self, q: Components, p: Components) -> Any:
        """Load position."""
        outwards = ca.vertcat(ca.cos(q.phi), ca.sin(q.phi), 0)
        across = ca.vertcat(-ca.sin(q.phi), ca.cos(q.phi), 0)
        up = ca.vertcat(0, 0, 1)
        in_plane = ca.sin(q.theta_1) * outwards - ca.cos(q.theta_1) * up
        rope = ca.cos(q.theta_2) * in_plane + ca.sin(q.theta_2) * across
        return self.tip(q, p) + q.l * rope

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Slewing part, jib (a slender rod) with its drive, winch and load."""
        out = p.L * ca.cos(q.beta)
        about_tower = p.J_b + p.m_j * (p.r_0**2 + p.r_0 * out + out**2 / 3)
        jib = about_tower * v.phi**2 + (p.J_j + p.m_j * p.L**2 / 3) * v.beta**2
        winch = p.J_w / p.r_w**2 * v.l**2
        return 0.5 * (jib + winch + p.m * ca.sumsqr(velocity(self.load(q, p), q, v)))

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of jib and load."""
        return p.g * (p.m_j * p.L / 2 * ca.sin(q.beta) + p.m * self.load(q, p)[2])

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Slewing, luffing and winch torque."""
        return u.M_b * v.phi + u.M_j * v.beta + u.M_w * v.l / p.r_w

    def other_forces(self, q: Components, v: Components, p: Components) -> Expressions:
        """Friction of the drives, air on the load."""
        load = self.load(q, p)
        air = generalised(drag(velocity(load, q, v), (p.w_x, p.w_y, 0), p.c_d), load, q)
        return {
            "phi": air[0] + friction(v.phi, p.d_b, p.M_cb, p.omega_c),
            "beta": air[1] + friction(v.beta, p.d_j, p.M_cj, p.omega_c),
            "l": air[2] + self.brake(v, p) / p.r_w,
            "theta_1": air[3],
            "theta_2": air[4],
        }

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Load position."""
        load = self.load(q, p)
        return {"x": load[0], "y": load[1], "z": load[2]}

    def hoist_rope(self, q: Components, p: Components) -> HoistRope:
        """From the tip of the jib to the load; what runs along the jib does not stretch."""
        return HoistRope(top=self.tip(q, p), drag="c_d", wind=("w_x", "w_y"))

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Tower, jib, rope, load."""
        foot = (p.r_0 * ca.cos(q.phi), p.r_0 * ca.sin(q.phi), 0)
        tip, load = self.tip(q, p), self.load(q, p)
        rope = Line(tip, load, "T_cable")
        return Mast((0, 0, 0)), Cylinder(foot, tip), rope, Sphere(load)

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Tip of the raised jib above the load."""
        out = (math.hypot(y["x"], y["y"]) - p["r_0"]) / p["L"]
        beta = math.acos(min(max(out, -0.99), 0.99))
        height = p["L"] * math.sin(beta)
        return {"phi": math.atan2(y["y"], y["x"]), "beta": beta, "l": height - y["z"]}
