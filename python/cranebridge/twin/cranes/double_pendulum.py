"""The crane whose hook and load are two pendulums: a hook of some weight, a load on a long sling.

Trolley, hoist and two swing angles; z points up, the rail is at z = 0. The load shall follow the
path. The default is a workshop crane for 10 t with a hook block of 600 kg.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca

from cranebridge.twin.cranes.hoist import HoistCrane
from cranebridge.twin.cranes.quantities import (
    AIR_IN_PLANE,
    GRAVITY,
    HOIST_ROPE,
    LOAD_IN_PLANE,
    TROLLEY_FORCE,
    WINCH_TORQUE,
    trolley_friction,
    winch_friction,
)
from cranebridge.twin.language import (
    Components,
    Expressions,
    Line,
    Parameter,
    Quantity,
    Shape,
    Sphere,
    Trolley,
    acceleration,
    drag,
    friction,
    generalised,
    velocity,
)


class DoublePendulumCrane(HoistCrane):
    """Planar crane with hook and load in 4 minimal coordinates."""

    name = "double-pendulum"
    description = "planar crane with hook block and load on a sling, in two swing angles"
    coordinates = (
        Quantity("s", "m", "trolley position"),
        Quantity("l", "m", "rope length, trolley to hook"),
        Quantity("theta_1", "rad", "swing angle of the rope, positive towards positive x"),
        Quantity("theta_2", "rad", "swing angle of the sling, positive towards positive x"),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 8000.0),
        Parameter("m_h", "kg", "hook mass", 600.0),
        Parameter("m_t", "kg", "trolley mass", 1800.0),
        Parameter("l_2", "m", "sling length, hook to load", 3.0),
        Parameter("J", "kg*m^2", "inertia of winch and motor at the drum", 60.0),
        Parameter("r", "m", "drum radius", 0.2),
        GRAVITY,
        *trolley_friction("F_c"),
        Parameter("v_c", "m/s", "velocity that smooths it", 0.01),
        *winch_friction("M_c"),
        Parameter("omega_c", "rad/s", "angular velocity that smooths it", 0.1),
        *AIR_IN_PLANE,
    )
    inputs = (
        TROLLEY_FORCE,
        WINCH_TORQUE,
    )
    outputs = LOAD_IN_PLANE
    ropes = (
        HOIST_ROPE,
        Quantity("T_sling", "N", "sling force"),
    )
    winch = ("J", "r", "M_c")

    def hook(self, q: Components) -> Any:
        """Hook position."""
        return ca.vertcat(q.s + q.l * ca.sin(q.theta_1), -q.l * ca.cos(q.theta_1))

    def load(self, q: Components, p: Components) -> Any:
        """Load position."""
        return self.hook(q) + p.l_2 * _direction(q.theta_2)

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Trolley, winch, hook and load."""
        hook, load = velocity(self.hook(q), q, v), velocity(self.load(q, p), q, v)
        drives = p.m_t * v.s**2 + p.J / p.r**2 * v.l**2
        return 0.5 * (drives + p.m_h * ca.sumsqr(hook) + p.m * ca.sumsqr(load))

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of hook and load."""
        return p.g * (p.m_h * self.hook(q)[1] + p.m * self.load(q, p)[1])

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Trolley force and winch torque."""
        return u.F_t * v.s + u.M_w * v.l / p.r

    def other_forces(self, q: Components, v: Components, p: Components) -> Expressions:
        """Friction of both drives, air on the load."""
        air = generalised(self.air(q, v, p), self.load(q, p), q)
        trolley = friction(v.s, p.d_t, p.F_c, p.v_c)
        return {
            "s": air[0] + trolley,
            "l": air[1] + self.brake(v, p) / p.r,
            "theta_1": air[2],
            "theta_2": air[3],
        }

    def air(self, q: Components, v: Components, p: Components) -> Any:
        """Force of the air on the load."""
        return drag(velocity(self.load(q, p), q, v), (p.w_x, 0), p.c_d)

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Load position."""
        load = self.load(q, p)
        return {"x": load[0], "z": load[1]}

    def rope_forces_in_motion(
        self, q: Components, v: Components, a: Components, u: Components, p: Components
    ) -> Expressions:
        """Balance of the winch, and of the load along the sling."""
        inertia = p.m * (acceleration(self.load(q, p), q, v, a) + ca.vertcat(0, p.g))
        return {
            **super().rope_forces_in_motion(q, v, a, u, p),
            "T_sling": ca.dot(self.air(q, v, p) - inertia, _direction(q.theta_2)),
        }

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Trolley on its rail, rope, hook, sling, load."""
        (x_h, z_h), (x, z) = ca.vertsplit(self.hook(q)), ca.vertsplit(self.load(q, p))
        trolley, hook, load = (q.s, 0, 0), (x_h, 0, z_h), (x, 0, z)
        return (
            Trolley(trolley),
            Line(trolley, hook, "T_cable"),
            Sphere(hook, role="drive"),
            Line(hook, load, "T_sling"),
            Sphere(load),
        )

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Trolley and hook above the load."""
        return {"s": y["x"], "l": -y["z"] - p["l_2"]}


def _direction(angle: Any) -> Any:
    """Direction of a rope that hangs at an angle to the vertical."""
    return ca.vertcat(ca.sin(angle), -ca.cos(angle))
