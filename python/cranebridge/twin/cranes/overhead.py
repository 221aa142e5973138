"""The planar overhead crane: a trolley on a rail, a winch on the trolley, a load on its rope.

Thesis 5.3.1, reference Section 2; z points up, the rail is at z = 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cranebridge.twin.language import (
    Components,
    Crane,
    Expressions,
    HoistRope,
    Line,
    Parameter,
    Quantity,
    Shape,
    Sphere,
    Trolley,
)


class OverheadCrane(Crane):
    """Planar overhead crane in 4 dependent coordinates."""

    name = "overhead"
    description = "planar overhead crane: trolley, winch and load"
    coordinates = (
        Quantity("s", "m", "trolley position"),
        Quantity("l", "m", "rope length"),
        Quantity("x", "m", "load position, horizontal"),
        Quantity("z", "m", "load position, up"),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 100.0),
        Parameter("m_t", "kg", "trolley mass", 10.0),
        Parameter("J", "kg*m^2", "winch inertia", 0.1),
        Parameter("r", "m", "winch radius", 0.1),
        Parameter("g", "m/s^2", "gravity", 9.81),
    )
    inputs = (
        Quantity("F_t", "N", "trolley force"),
        Quantity("M_w", "N*m", "winch torque, positive pays out"),
    )
    outputs = (
        Quantity("x", "m", "load position, horizontal"),
        Quantity("z", "m", "load position, up"),
    )
    multipliers = (Quantity("lambda", "N/m", "rope force divided by rope length"),)
    ropes = (Quantity("T_cable", "N", "hoist rope force"),)

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Trolley, winch and load."""
        return 0.5 * (p.m_t * v.s**2 + p.J / p.r**2 * v.l**2 + p.m * (v.x**2 + v.z**2))

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of the load."""
        return p.m * p.g * q.z

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Trolley force and winch torque."""
        return u.F_t * v.s + u.M_w * v.l / p.r

    def constraints(self, q: Components, p: Components) -> Expressions:
        """Rope length."""
        return {"lambda": 0.5 * ((q.x - q.s) ** 2 + q.z**2 - q.l**2)}

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Load position."""
        return {"x": q.x, "z": q.z}

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Expressions:
        """Multiplier times length."""
        return {"T_cable": lam["lambda"] * q.l}

    def hoist_rope(self, q: Components, p: Components) -> HoistRope:
        """From the trolley to the load."""
        return HoistRope(top=(q.s, 0, 0), multiplier="lambda")

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Trolley on its rail, rope, load."""
        trolley, load = (q.s, 0, 0), (q.x, 0, q.z)
        return Trolley(trolley), Line(trolley, load, "T_cable"), Sphere(load)

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Trolley above the load."""
        return {"s": y["x"], "l": -y["z"]}
