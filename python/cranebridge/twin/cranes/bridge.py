"""The bridge crane in space: bridge, trolley, hoist and two swing angles.

The bridge travels along y, the trolley on it along x; z points up, the rails are at z = 0. The
default is a process crane for 20 t.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca

from cranebridge.twin.cranes.hoist import HoistCrane
from cranebridge.twin.cranes.quantities import (
    AIR_IN_SPACE,
    GRAVITY,
    HOIST_ROPE,
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


class BridgeCrane(HoistCrane):
    """Bridge crane in 5 minimal coordinates."""

    name = "bridge"
    description = "3D bridge crane: bridge, trolley, hoist and two swing angles"
    coordinates = (
        Quantity("b", "m", "bridge position along y"),
        Quantity("s", "m", "trolley position along x"),
        Quantity("l", "m", "rope length"),
        Quantity("theta_1", "rad", "swing angle along the bridge, positive towards positive x"),
        Quantity("theta_2", "rad", "swing angle across it, positive towards positive y"),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 20000.0),
        Parameter("m_b", "kg", "bridge mass", 18000.0),
        Parameter("m_t", "kg", "trolley mass", 4500.0),
        Parameter("J_w", "kg*m^2", "inertia of winch and motor at the drum", 250.0),
        Parameter("r_w", "m", "drum radius", 0.35),
        GRAVITY,
        Parameter("d_b", "N*s/m", "viscous friction of the bridge", 0.0, "non-negative"),
        Parameter("F_cb", "N", "Coulomb friction of the bridge", 0.0, "non-negative"),
        *trolley_friction("F_ct"),
        Parameter("v_c", "m/s", "velocity that smooths both", 0.01),
        *winch_friction("M_cw"),
        Parameter("omega_c", "rad/s", "angular velocity that smooths it", 0.1),
        *AIR_IN_SPACE,
    )
    inputs = (
        Quantity("F_b", "N", "bridge force"),
        TROLLEY_FORCE,
        WINCH_TORQUE,
    )
    outputs = (
        Quantity("x", "m", "load position along the bridge"),
        Quantity("y", "m", "load position across it"),
        Quantity("z", "m", "load position, up"),
    )
    ropes = (HOIST_ROPE,)

    def load(self, q: Components) -> Any:
        """Load position."""
        in_plane = q.l * ca.cos(q.theta_2)
        return ca.vertcat(
            q.s + in_plane * ca.sin(q.theta_1),
            q.b + q.l * ca.sin(q.theta_2),
            -in_plane * ca.cos(q.theta_1),
        )

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Bridge, trolley, winch and load."""
        drives = (p.m_b + p.m_t) * v.b**2 + p.m_t * v.s**2 + p.J_w / p.r_w**2 * v.l**2
        return 0.5 * (drives + p.m * ca.sumsqr(velocity(self.load(q), q, v)))

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of the load."""
        return p.m * p.g * self.load(q)[2]

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Bridge and trolley force, winch torque."""
        return u.F_b * v.b + u.F_t * v.s + u.M_w * v.l / p.r_w

    def other_forces(self, q: Components, v: Components, p: Components) -> Expressions:
        """Friction of the drives, air on the load."""
        load = self.load(q)
        air = generalised(drag(velocity(load, q, v), (p.w_x, p.w_y, 0), p.c_d), load, q)
        return {
            "b": air[0] + friction(v.b, p.d_b, p.F_cb, p.v_c),
            "s": air[1] + friction(v.s, p.d_t, p.F_ct, p.v_c),
            "l": air[2] + self.brake(v, p) / p.r_w,
            "theta_1": air[3],
            "theta_2": air[4],
        }

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Load position."""
        load = self.load(q)
        return {"x": load[0], "y": load[1], "z": load[2]}

    def hoist_rope(self, q: Components, p: Components) -> HoistRope:
        """From the trolley to the load."""
        return HoistRope(top=(q.s, q.b, 0), drag="c_d", wind=("w_x", "w_y"))

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Trolley on the bridge on its runways, rope, load."""
        trolley, load = (q.s, q.b, 0), self.load(q)
        rail = Trolley(trolley, along=(1, 0, 0), across=(0, 1, 0))
        return rail, Line(trolley, load, "T_cable"), Sphere(load)

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Trolley above the load."""
        return {"b": y["y"], "s": y["x"], "l": -y["z"]}
