"""The rotary crane in 10 redundant coordinates: rope lengths and Cartesian points.

Thesis 5.4.4, reference Section 4. Two winches stand on the counter-jib; the first pulls the
trolley by a rope of length L_1 from the point alpha*r_2, the second hoists the load by a rope of
length L_2 that runs to the trolley (L_0) and down to the load (L_2 - L_0). The winch inertia J_w
turns with the difference of both ropes, as the trolley winch of the 6-coordinate model does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from cranebridge.twin.language import (
    Box,
    Components,
    Crane,
    Expressions,
    Line,
    Mast,
    Parameter,
    Quantity,
    Shape,
    Sphere,
    Trolley,
)


class RotaryCraneRedundant(Crane):
    """Rotary crane in redundant coordinates; the mass matrix is constant and singular."""

    name = "rotary-redundant"
    description = "3D rotary crane in 10 redundant coordinates, driven by two rope winches"
    coordinates = (
        Quantity("x_2", "m", "end of the counter-jib"),
        Quantity("y_2", "m", "end of the counter-jib"),
        Quantity("x_0", "m", "trolley position"),
        Quantity("y_0", "m", "trolley position"),
        Quantity("L_1", "m", "length of the trolley rope"),
        Quantity("L_2", "m", "length of the hoist rope"),
        Quantity("L_0", "m", "length of the hoist rope up to the trolley"),
        Quantity("x", "m", "load position"),
        Quantity("y", "m", "load position"),
        Quantity("z", "m", "load position, up"),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 100.0),
        Parameter("m_0", "kg", "trolley mass", 10.0),
        Parameter("J_b", "kg*m^2", "inertia of jib and tower about the tower axis", 480.0),
        Parameter("r", "m", "length of the counter-jib", 4.0),
        Parameter("J_w", "kg*m^2", "inertia that turns with both ropes' difference", 0.1),
        Parameter("r_w", "m", "radius of that inertia", 0.1),
        Parameter("J_1", "kg*m^2", "inertia of winch 1", 0.0, "non-negative"),
        Parameter("J_2", "kg*m^2", "inertia of winch 2", 0.0, "non-negative"),
        Parameter("r_1", "m", "radius of winch 1", 0.1),
        Parameter("r_2", "m", "radius of winch 2", 0.1),
        Parameter("alpha", "1", "place of winch 1 on the counter-jib, as a fraction of it", 0.5),
        Parameter("g", "m/s^2", "gravity", 9.81),
    )
    inputs = (
        Quantity("M_1", "N*m", "torque of winch 1, positive pays out"),
        Quantity("M_2", "N*m", "torque of winch 2, positive pays out"),
        Quantity("M_b", "N*m", "slewing torque"),
    )
    outputs = (
        Quantity("x", "m", "load position"),
        Quantity("y", "m", "load position"),
        Quantity("z", "m", "load position, up"),
    )
    multipliers = (
        Quantity("lambda_h1", "N/m", "trolley rope"),
        Quantity("lambda_h2", "N/m", "hoist rope up to the trolley"),
        Quantity("lambda_h3", "N/m", "length of the counter-jib"),
        Quantity("lambda_h4", "N/m", "trolley on the line of the jib"),
        Quantity("lambda_Phi", "N/m", "hoist rope below the trolley"),
    )
    ropes = (Quantity("T_load_cable", "N", "hoist rope force at the load"),)

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Jib as a mass J_b/r^2 at the end of the counter-jib, trolley, winches, load."""
        jib = p.J_b / p.r**2 * (v.x_2**2 + v.y_2**2)
        trolley = p.m_0 * (v.x_0**2 + v.y_0**2)
        winches = p.J_1 / p.r_1**2 * v.L_1**2 + p.J_2 / p.r_2**2 * v.L_2**2
        difference = p.J_w / p.r_w**2 * (v.L_1 - v.L_2) ** 2
        load = p.m * (v.x**2 + v.y**2 + v.z**2)
        return 0.5 * (jib + trolley + winches + difference + load)

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of the load."""
        return p.m * p.g * q.z

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Two winches and the slewing drive (angular velocity (x_2 y_2' - y_2 x_2') / r^2)."""
        slewing = (q.x_2 * v.y_2 - q.y_2 * v.x_2) / p.r**2
        return u.M_1 * v.L_1 / p.r_1 + u.M_2 * v.L_2 / p.r_2 + u.M_b * slewing

    def constraints(self, q: Components, p: Components) -> Expressions:
        """Rope lengths, length of the counter-jib, trolley on the jib."""
        a = p.alpha
        below = q.L_2 - q.L_0
        return {
            "lambda_h1": 0.5 * ((q.x_0 - a * q.x_2) ** 2 + (q.y_0 - a * q.y_2) ** 2 - q.L_1**2),
            "lambda_h2": 0.5 * ((q.x_0 - q.x_2) ** 2 + (q.y_0 - q.y_2) ** 2 - q.L_0**2),
            "lambda_h3": 0.5 * (q.x_2**2 + q.y_2**2 - p.r**2),
            "lambda_h4": q.x_2 * q.y_0 - q.x_0 * q.y_2,
            "lambda_Phi": 0.5 * ((q.x - q.x_0) ** 2 + (q.y - q.y_0) ** 2 + q.z**2 - below**2),
        }

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Load position."""
        return {"x": q.x, "y": q.y, "z": q.z}

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Expressions:
        """Multiplier times length below the trolley; the trolley rope may push (a rod)."""
        return {"T_load_cable": lam.lambda_Phi * (q.L_2 - q.L_0)}

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Tower crane whose trolley and hoist ropes come from winches on the counter-jib."""
        along = (-q.x_2, -q.y_2, 0)
        winch_1, winch_2 = (p.alpha * q.x_2, p.alpha * q.y_2, 0), (q.x_2, q.y_2, 0)
        trolley, load = (q.x_0, q.y_0, 0), (q.x, q.y, q.z)
        return (
            Mast((0, 0, 0), along),
            Trolley(trolley, along, rail=False),
            Box(winch_1, toward=trolley),
            Box(winch_2, toward=trolley),
            Line(winch_1, trolley),
            Line(winch_2, trolley, "T_load_cable"),
            Line(trolley, load, "T_load_cable"),
            Sphere(load),
        )

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Trolley above the load (thesis 5.135)."""
        phi, s = math.atan2(y["y"], y["x"]), math.hypot(y["x"], y["y"])
        return {
            "x_2": -p["r"] * math.cos(phi),
            "y_2": -p["r"] * math.sin(phi),
            "x_0": y["x"],
            "y_0": y["y"],
            "L_1": s + p["alpha"] * p["r"],
            "L_2": s + p["r"] - y["z"],
            "L_0": s + p["r"],
        }
