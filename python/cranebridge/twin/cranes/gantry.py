"""The gantry crane as engineers write it: trolley, rope length and swing angle.

The machine of :mod:`cranebridge.twin.cranes.overhead` in minimal coordinates; z points up, the rail
is at z = 0. The rope force is that of the winch's balance. The default is a workshop gantry for 10
t.
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
    HoistRope,
    Line,
    Parameter,
    Quantity,
    Shape,
    Sphere,
    Trolley,
    drag,
    friction,
    generalised,
    velocity,
)


class GantryCrane(HoistCrane):
    """Planar gantry crane in 3 minimal coordinates."""

    name = "gantry"
    description = "planar gantry crane in trolley position, rope length and swing angle"
    coordinates = (
        Quantity("s", "m", "trolley position"),
        Quantity("l", "m", "rope length"),
        Quantity("theta", "rad", "swing angle, positive towards positive x"),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 10000.0),
        Parameter("m_t", "kg", "trolley mass", 1800.0),
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
    ropes = (HOIST_ROPE,)
    winch = ("J", "r", "M_c")

    def load(self, q: Components) -> Any:
        """Load position."""
        return ca.vertcat(q.s + q.l * ca.sin(q.theta), -q.l * ca.cos(q.theta))

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Trolley, winch and load."""
        across = v.s * v.l * ca.sin(q.theta) + v.s * q.l * v.theta * ca.cos(q.theta)
        load = v.s**2 + v.l**2 + (q.l * v.theta) ** 2 + 2 * across
        return 0.5 * (p.m_t * v.s**2 + p.J / p.r**2 * v.l**2 + p.m * load)

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of the load."""
        return -p.m * p.g * q.l * ca.cos(q.theta)

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Trolley force and winch torque."""
        return u.F_t * v.s + u.M_w * v.l / p.r

    def other_forces(self, q: Components, v: Components, p: Components) -> Expressions:
        """Friction of both drives, air on the load."""
        load = self.load(q)
        air = generalised(drag(velocity(load, q, v), (p.w_x, 0), p.c_d), load, q)
        trolley = friction(v.s, p.d_t, p.F_c, p.v_c)
        return {"s": air[0] + trolley, "l": air[1] + self.brake(v, p) / p.r, "theta": air[2]}

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Load position."""
        load = self.load(q)
        return {"x": load[0], "z": load[1]}

    def hoist_rope(self, q: Components, p: Components) -> HoistRope:
        """From the trolley to the load."""
        return HoistRope(top=(q.s, 0, 0), drag="c_d", wind=("w_x",))

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Trolley on its rail, rope, load."""
        x, z = ca.vertsplit(self.load(q))
        trolley, load = (q.s, 0, 0), (x, 0, z)
        return Trolley(trolley), Line(trolley, load, "T_cable"), Sphere(load)

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Trolley above the load."""
        return {"s": y["x"], "l": -y["z"]}
