"""A crane of a user's own on a ship: what the ship does is prescribed over time.

Overhead crane whose rail lies h above a point of the deck that heaves and sways while the deck
pitches about it. The load's place is the one in the world, so that it stays where it is while the
ship moves under it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca

from cranebridge.twin import (
    Components,
    Crane,
    Line,
    NamedNumbers,
    Parameter,
    Quantity,
    Shape,
    Sphere,
    Trolley,
)


class ShipCrane(Crane):
    """Overhead crane on a deck that sways, heaves and pitches."""

    name = "ship-crane"
    description = "overhead crane on a deck that sways, heaves and pitches"
    coordinates = (
        Quantity("s", "m", "trolley position on its rail"),
        Quantity("l", "m", "rope length"),
        Quantity("x", "m", "load position in the world, horizontal"),
        Quantity("z", "m", "load position in the world, up"),
    )
    motions = (
        Quantity("sway", "m", "deck along x"),
        Quantity("heave", "m", "deck up"),
        Quantity("pitch", "rad", "deck turned from x towards z"),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 5000.0),
        Parameter("m_t", "kg", "trolley mass", 1000.0),
        Parameter("J", "kg*m^2", "winch inertia", 20.0),
        Parameter("r", "m", "winch radius", 0.3),
        Parameter("h", "m", "height of the rail above the deck", 15.0),
        Parameter("g", "m/s^2", "gravity", 9.81),
    )
    inputs = (
        Quantity("F_t", "N", "trolley force"),
        Quantity("M_w", "N*m", "winch torque, positive pays out"),
    )
    outputs = (
        Quantity("x", "m", "load position in the world, horizontal"),
        Quantity("z", "m", "load position in the world, up"),
    )
    multipliers = (Quantity("rope", "N/m", "rope force divided by rope length"),)
    ropes = (Quantity("T_cable", "N", "hoist rope force"),)

    def trolley(self, q: Components, p: Components) -> ca.SX:
        """Place of the trolley in the world."""
        c, s = ca.cos(q.pitch), ca.sin(q.pitch)
        return ca.vertcat(q.sway + q.s * c - p.h * s, q.heave + q.s * s + p.h * c)

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Trolley, winch, which turns with the deck besides, and load."""
        trolley = ca.jtimes(self.trolley(q, p), ca.vertcat(*q), ca.vertcat(*v))
        winch = p.J * (v.l / p.r + v.pitch) ** 2
        return 0.5 * (p.m_t * ca.sumsqr(trolley) + winch + p.m * (v.x**2 + v.z**2))

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of trolley and load."""
        return p.g * (p.m_t * self.trolley(q, p)[1] + p.m * q.z)

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Trolley force and winch torque, against the deck."""
        return u.F_t * v.s + u.M_w * v.l / p.r

    def constraints(self, q: Components, p: Components) -> Mapping[str, Any]:
        """Rope length."""
        rope = ca.vertcat(q.x, q.z) - self.trolley(q, p)
        return {"rope": 0.5 * (ca.sumsqr(rope) - q.l**2)}

    def output_map(self, q: Components, p: Components) -> Mapping[str, Any]:
        """Load position."""
        return {"x": q.x, "z": q.z}

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Mapping[str, Any]:
        """Multiplier times length."""
        return {"T_cable": lam.rope * q.l}

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Trolley on its rail, rope, load."""
        place = self.trolley(q, p)
        trolley, load = (place[0], 0, place[1]), (q.x, 0, q.z)
        return Trolley(trolley), Line(trolley, load, "T_cable"), Sphere(load)

    def rest(self, y: NamedNumbers, p: NamedNumbers) -> Mapping[str, float]:
        """Trolley above the load, as if the deck did not pitch."""
        return {"s": y.x - y.sway, "l": y.heave + p.h - y.z}
