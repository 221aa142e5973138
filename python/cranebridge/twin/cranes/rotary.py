"""The rotary (tower) crane in 6 dependent coordinates.

Thesis 5.3.2 and 4.4.2, Blajer and Kolodziejczyk 2011; reference Sections 3 and 11. Z points up, the
jib is at z = 0. The trolley mass belongs in the centrifugal and Coriolis terms, which are
printed with the wrong sign (thesis 4.106, 5.75) or the wrong mass (paper, eq. 4).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca

from cranebridge.twin.language import (
    Components,
    Crane,
    Expressions,
    HoistRope,
    Line,
    Mast,
    Parameter,
    Quantity,
    Shape,
    Sphere,
    Trolley,
)


class RotaryCrane(Crane):
    """Rotary crane: slewing jib, trolley on it, winch on the trolley, load on its rope."""

    name = "rotary"
    description = "3D rotary (tower) crane: slewing jib, trolley, winch and load"
    coordinates = (
        Quantity("phi", "rad", "slewing angle"),
        Quantity("s", "m", "trolley radius"),
        Quantity("l", "m", "rope length"),
        Quantity("x", "m", "load position"),
        Quantity("y", "m", "load position"),
        Quantity("z", "m", "load position, up"),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 100.0),
        Parameter("m_t", "kg", "trolley mass", 10.0),
        Parameter("J_w", "kg*m^2", "winch inertia", 0.1),
        Parameter("r_w", "m", "winch radius", 0.1),
        Parameter("J_b", "kg*m^2", "inertia of jib and tower about the tower axis", 480.0),
        Parameter("g", "m/s^2", "gravity", 9.81),
    )
    inputs = (
        Quantity("M_b", "N*m", "slewing torque"),
        Quantity("F_t", "N", "trolley force"),
        Quantity("M_w", "N*m", "winch torque, positive pays out"),
    )
    outputs = (
        Quantity("x", "m", "load position"),
        Quantity("y", "m", "load position"),
        Quantity("z", "m", "load position, up"),
    )
    multipliers = (Quantity("lambda", "N/m", "rope force divided by rope length"),)
    ropes = (Quantity("T_cable", "N", "hoist rope force"),)

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Jib, trolley (radial and with the jib), winch and load."""
        jib = p.J_b * v.phi**2
        trolley = p.m_t * (v.s**2 + q.s**2 * v.phi**2)
        winch = p.J_w / p.r_w**2 * v.l**2
        load = p.m * (v.x**2 + v.y**2 + v.z**2)
        return 0.5 * (jib + trolley + winch + load)

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of the load."""
        return p.m * p.g * q.z

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Slewing torque, trolley force, winch torque."""
        return u.M_b * v.phi + u.F_t * v.s + u.M_w * v.l / p.r_w

    def constraints(self, q: Components, p: Components) -> Expressions:
        """Rope length."""
        dx, dy = q.x - q.s * ca.cos(q.phi), q.y - q.s * ca.sin(q.phi)
        return {"lambda": 0.5 * (dx**2 + dy**2 + q.z**2 - q.l**2)}

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Load position."""
        return {"x": q.x, "y": q.y, "z": q.z}

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Expressions:
        """Multiplier times length."""
        return {"T_cable": lam["lambda"] * q.l}

    def hoist_rope(self, q: Components, p: Components) -> HoistRope:
        """From the trolley to the load."""
        return HoistRope(top=(q.s * ca.cos(q.phi), q.s * ca.sin(q.phi), 0), multiplier="lambda")

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Tower with jib, trolley, rope, load."""
        along = (ca.cos(q.phi), ca.sin(q.phi), 0)
        trolley, load = (q.s * along[0], q.s * along[1], 0), (q.x, q.y, q.z)
        return (
            Mast((0, 0, 0), along),
            Trolley(trolley, along, rail=False),
            Line(trolley, load, "T_cable"),
            Sphere(load),
        )

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Trolley above the load, on the positive side of the tower."""
        return {
            "phi": math.atan2(y["y"], y["x"]),
            "s": math.hypot(y["x"], y["y"]),
            "l": -y["z"],
        }
