"""A quadrotor with a slung load, in its vertical plane: a machine that is no crane.

Position and pitch of the vehicle and the rope's swing angle; z points up. The rope is fixed at the
vehicle's centre of mass. The default is a heavy multicopter that carries 5 kg.
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
    Line,
    Parameter,
    Quantity,
    Shape,
    Sphere,
    acceleration,
    drag,
    generalised,
    velocity,
)


class QuadrotorWithLoad(Crane):
    """Planar quadrotor with slung load in 4 minimal coordinates."""

    name = "quadrotor"
    description = "planar quadrotor with a load on a rope"
    coordinates = (
        Quantity("x_q", "m", "vehicle position, horizontal"),
        Quantity("z_q", "m", "vehicle position, up"),
        Quantity("phi", "rad", "pitch, positive tilts the thrust towards positive x"),
        Quantity("theta", "rad", "swing angle of the rope, positive towards positive x"),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 5.0),
        Parameter("m_q", "kg", "vehicle mass", 9.5),
        Parameter("J", "kg*m^2", "vehicle inertia about the pitch axis", 0.9),
        Parameter("l", "m", "rope length", 3.0),
        Parameter("g", "m/s^2", "gravity", 9.81),
        Parameter("c_d", "kg/m", "drag of the load per square of speed", 0.0, "non-negative"),
        Parameter("c_q", "kg/m", "drag of the vehicle per square of speed", 0.0, "non-negative"),
        Parameter("w_x", "m/s", "wind speed", 0.0, "real"),
    )
    inputs = (
        Quantity("F", "N", "thrust of all rotors"),
        Quantity("M", "N*m", "pitch torque"),
    )
    outputs = (
        Quantity("x", "m", "load position, horizontal"),
        Quantity("z", "m", "load position, up"),
    )
    ropes = (Quantity("T_cable", "N", "rope force"),)

    def vehicle(self, q: Components) -> Any:
        """Vehicle position."""
        return ca.vertcat(q.x_q, q.z_q)

    def load(self, q: Components, p: Components) -> Any:
        """Load position."""
        return self.vehicle(q) + p.l * _rope(q)

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Vehicle and load."""
        load = velocity(self.load(q, p), q, v)
        vehicle = p.m_q * (v.x_q**2 + v.z_q**2) + p.J * v.phi**2
        return 0.5 * (vehicle + p.m * ca.sumsqr(load))

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of vehicle and load."""
        return p.g * (p.m_q * q.z_q + p.m * self.load(q, p)[1])

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Thrust across the vehicle, pitch torque."""
        return u.F * (v.x_q * ca.sin(q.phi) + v.z_q * ca.cos(q.phi)) + u.M * v.phi

    def other_forces(self, q: Components, v: Components, p: Components) -> Expressions:
        """Air on vehicle and load."""
        vehicle = self.vehicle(q)
        own = generalised(drag(velocity(vehicle, q, v), (p.w_x, 0), p.c_q), vehicle, q)
        air = own + generalised(self.air(q, v, p), self.load(q, p), q)
        return {"x_q": air[0], "z_q": air[1], "theta": air[3]}

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
        """Balance of the load along the rope."""
        inertia = p.m * (acceleration(self.load(q, p), q, v, a) + ca.vertcat(0, p.g))
        return {"T_cable": ca.dot(self.air(q, v, p) - inertia, _rope(q))}

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Vehicle as the bar between its rotors, rope, load."""
        x, z = ca.vertsplit(self.load(q, p))
        right = 0.2 * p.l * ca.cos(q.phi)
        down = 0.2 * p.l * ca.sin(q.phi)
        vehicle, load = (q.x_q, 0, q.z_q), (x, 0, z)
        rotors = (q.x_q - right, 0, q.z_q + down), (q.x_q + right, 0, q.z_q - down)
        return Cylinder(*rotors, role="drive"), Line(vehicle, load, "T_cable"), Sphere(load)

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Vehicle above the load."""
        return {"x_q": y["x"], "z_q": y["z"] + p["l"]}


def _rope(q: Components) -> Any:
    """Direction of the rope, from the vehicle to the load."""
    return ca.vertcat(ca.sin(q.theta), -ca.cos(q.theta))
