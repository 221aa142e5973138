"""The planar US Navy crane with a pulley that has mass, held by a third rope.

Thesis 6.1.2, reference Section 7. The origin is the top winch S; P and A sit below it on the pole.
Rope 1 holds the pulley from A, rope 3 from S, rope 2 runs from P over the pulley to the load.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca

from cranebridge.twin.cranes.navy_scene import pole_scene
from cranebridge.twin.cranes.quantities import (
    GRAVITY,
    LOAD_IN_PLANE,
    NAVY_LOAD,
    POLE_ANGLE,
    PULLEY_HEIGHT,
    winch_torques,
    winches,
)
from cranebridge.twin.language import (
    Components,
    Crane,
    Expressions,
    Parameter,
    Quantity,
    Shape,
)


class NavyCrane2DPulley(Crane):
    """Planar US Navy crane with massive pulley; the pulley's height is the third output."""

    name = "navy2d-pulley"
    description = "planar US Navy crane with massive pulley, three winches"
    coordinates = (
        Quantity("L_1", "m", "length of rope 1, from A to the pulley"),
        Quantity("L_2", "m", "length of rope 2, from P over the pulley to the load"),
        Quantity("L_3", "m", "length of rope 3, from S to the pulley"),
        Quantity("L_0", "m", "length of rope 2 up to the pulley"),
        Quantity("x_0", "m", "pulley position, horizontal"),
        *LOAD_IN_PLANE,
        PULLEY_HEIGHT,
    )
    parameters = (
        NAVY_LOAD,
        Parameter("m_0", "kg", "pulley mass", 150.0),
        *winches(1, 2, 3),
        POLE_ANGLE,
        Parameter("s", "m", "distance from S to P on the pole", 5.0),
        Parameter("l", "m", "distance from P to A on the pole", 10.0),
        GRAVITY,
    )
    inputs = winch_torques(1, 2, 3)
    outputs = (*LOAD_IN_PLANE, PULLEY_HEIGHT)
    multipliers = (
        Quantity("lambda_1", "N/m", "rope 1"),
        Quantity("lambda_2", "N/m", "rope 2 above the pulley"),
        Quantity("lambda_3", "N/m", "rope 3"),
        Quantity("lambda_4", "N/m", "rope 2 below the pulley"),
    )
    ropes = (
        Quantity("T_cable1_A", "N", "force of rope 1"),
        Quantity("T_cable2_upper_P", "N", "force of rope 2 above the pulley"),
        Quantity("T_cable3_S", "N", "force of rope 3"),
        Quantity("T_cable2_lower_load", "N", "force of rope 2 at the load"),
    )

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Winches, pulley and load."""
        winches = (
            p.J_1 / p.r_1**2 * v.L_1**2 + p.J_2 / p.r_2**2 * v.L_2**2 + p.J_3 / p.r_3**2 * v.L_3**2
        )
        pulley = p.m_0 * (v.x_0**2 + v.z_0**2)
        return 0.5 * (winches + pulley + p.m * (v.x**2 + v.z**2))

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of pulley and load."""
        return p.g * (p.m * q.z + p.m_0 * q.z_0)

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Three winches."""
        return u.u_1 * v.L_1 / p.r_1 + u.u_2 * v.L_2 / p.r_2 + u.u_3 * v.L_3 / p.r_3

    def constraints(self, q: Components, p: Components) -> Expressions:
        """Rope lengths (thesis 6.15)."""
        sin, cos = ca.sin(p.alpha), ca.cos(p.alpha)
        below = q.L_2 - q.L_0
        to_A = (q.x_0 + (p.l + p.s) * sin) ** 2 + (q.z_0 + (p.l + p.s) * cos) ** 2
        to_P = (q.x_0 + p.s * sin) ** 2 + (q.z_0 + p.s * cos) ** 2
        to_load = (q.x - q.x_0) ** 2 + (q.z - q.z_0) ** 2
        return {
            "lambda_1": 0.5 * (to_A - q.L_1**2),
            "lambda_2": 0.5 * (to_P - q.L_0**2),
            "lambda_3": 0.5 * (q.x_0**2 + q.z_0**2 - q.L_3**2),
            "lambda_4": 0.5 * (to_load - below**2),
        }

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Load position and height of the pulley."""
        return {"x": q.x, "z": q.z, "z_0": q.z_0}

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Expressions:
        """Multipliers times lengths."""
        return {
            "T_cable1_A": lam.lambda_1 * q.L_1,
            "T_cable2_upper_P": lam.lambda_2 * q.L_0,
            "T_cable3_S": lam.lambda_3 * q.L_3,
            "T_cable2_lower_load": lam.lambda_4 * (q.L_2 - q.L_0),
        }

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Leaning pole with winches A, P and S, pulley, load."""
        down = ca.vertcat(-ca.sin(p.alpha), 0, -ca.cos(p.alpha))
        S, P, A = 0 * down, p.s * down, (p.s + p.l) * down
        foot = 1.2 * A
        pulley, load = (q.x_0, 0, q.z_0), (q.x, 0, q.z)
        ropes = {"T_cable1_A": A, "T_cable2_upper_P": P, "T_cable3_S": S}
        return pole_scene(
            foot, S, (S, P, A), pulley, load, ropes=ropes, load_rope="T_cable2_lower_load", over=P
        )

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Pulley above the load."""
        sin, cos = math.sin(p["alpha"]), math.cos(p["alpha"])
        x_0, z_0, lower = y["x"], y["z_0"], p["l"] + p["s"]
        upper = math.hypot(x_0 + p["s"] * sin, z_0 + p["s"] * cos)
        return {
            "L_1": math.hypot(x_0 + lower * sin, z_0 + lower * cos),
            "L_2": upper + z_0 - y["z"],
            "L_3": math.hypot(x_0, z_0),
            "L_0": upper,
            "x_0": x_0,
        }
