"""The three-dimensional US Navy crane with a pulley that has mass, held by a third rope.

Thesis 6.2.2, reference Section 9. As :mod:`cranebridge.twin.cranes.navy3d`, with a winch S on the
pole at the distance k + l + s from its foot, whose rope 2 holds the pulley. The slewing angle
follows from the pulley's acceleration, which contains the load's fourth derivative: the servo
problem has index 7, not 5 as the thesis says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca

from cranebridge.twin.cranes.navy_scene import pole_scene
from cranebridge.twin.cranes.quantities import (
    GRAVITY,
    LOAD_IN_SPACE,
    NAVY_LOAD,
    NAVY_SLEWING_TORQUE,
    POLE_ANGLE,
    PULLEY_HEIGHT,
    SLEWING_MASS,
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


class NavyCrane3DPulley(Crane):
    """3D US Navy crane with massive pulley; the pulley's height is the fourth output."""

    name = "navy3d-pulley"
    description = "3D US Navy crane with massive pulley, slewing drive and three winches"
    coordinates = (
        Quantity("L_1", "m", "length of rope 1, from A to the pulley"),
        Quantity("L_2", "m", "length of rope 2, from S to the pulley"),
        Quantity("L_3", "m", "length of rope 3, from P over the pulley to the load"),
        Quantity("L_0", "m", "length of rope 3 up to the pulley"),
        Quantity("x_0", "m", "pulley position"),
        Quantity("y_0", "m", "pulley position"),
        Quantity("x_3", "m", "position of winch P"),
        Quantity("y_3", "m", "position of winch P"),
        *LOAD_IN_SPACE,
        PULLEY_HEIGHT,
    )
    parameters = (
        NAVY_LOAD,
        Parameter("m_0", "kg", "pulley mass", 5.0),
        SLEWING_MASS,
        *winches(1, 2, 3),
        POLE_ANGLE,
        Parameter("s", "m", "distance from P to S on the pole", 5.0),
        Parameter("l", "m", "distance from A to P on the pole", 5.0),
        Parameter("k", "m", "distance from the foot of the pole to A", 5.0),
        GRAVITY,
    )
    inputs = (*winch_torques(1, 2, 3), NAVY_SLEWING_TORQUE)
    outputs = (*LOAD_IN_SPACE, PULLEY_HEIGHT)
    multipliers = (
        Quantity("lambda_1_h", "N/m", "radius of winch P about the slewing axis"),
        Quantity("lambda_2", "N/m", "rope 1"),
        Quantity("lambda_3", "N/m", "rope 2"),
        Quantity("lambda_4", "N/m", "rope 3 above the pulley"),
        Quantity("lambda_5", "N/m", "rope 3 below the pulley"),
    )
    ropes = (
        Quantity("T_cable1_A", "N", "force of rope 1"),
        Quantity("T_cable2_S", "N", "force of rope 2"),
        Quantity("T_cable3_upper_P", "N", "force of rope 3 above the pulley"),
        Quantity("T_cable3_lower_load", "N", "force of rope 3 at the load"),
    )

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Winches, slewing pole, pulley and load."""
        winches = (
            p.J_1 / p.r_1**2 * v.L_1**2 + p.J_2 / p.r_2**2 * v.L_2**2 + p.J_3 / p.r_3**2 * v.L_3**2
        )
        pole = p.M * (v.x_3**2 + v.y_3**2)
        pulley = p.m_0 * (v.x_0**2 + v.y_0**2 + v.z_0**2)
        return 0.5 * (winches + pole + pulley + p.m * (v.x**2 + v.y**2 + v.z**2))

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of pulley and load."""
        return p.g * (p.m * q.z + p.m_0 * q.z_0)

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Three winches and the slewing drive (angular velocity (x_3 y_3' - y_3 x_3') / r^2)."""
        r = (p.k + p.l) * ca.sin(p.alpha)
        winches = u.u_1 * v.L_1 / p.r_1 + u.u_2 * v.L_2 / p.r_2 + u.u_3 * v.L_3 / p.r_3
        return winches + u.u_4 * (q.x_3 * v.y_3 - q.y_3 * v.x_3) / r**2

    def constraints(self, q: Components, p: Components) -> Expressions:
        """The circle of winch P and the rope lengths (thesis 6.40, 6.41)."""
        pole = p.k + p.l
        P = ca.vertcat(q.x_3, q.y_3, pole * ca.cos(p.alpha))
        A, S = p.k / pole * P, (pole + p.s) / pole * P
        B, C = ca.vertcat(q.x_0, q.y_0, q.z_0), ca.vertcat(q.x, q.y, q.z)
        return {
            "lambda_1_h": 0.5 * (q.x_3**2 + q.y_3**2 - (pole * ca.sin(p.alpha)) ** 2),
            "lambda_2": 0.5 * (ca.sumsqr(B - A) - q.L_1**2),
            "lambda_3": 0.5 * (ca.sumsqr(B - S) - q.L_2**2),
            "lambda_4": 0.5 * (ca.sumsqr(B - P) - q.L_0**2),
            "lambda_5": 0.5 * (ca.sumsqr(C - B) - (q.L_3 - q.L_0) ** 2),
        }

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Load position and height of the pulley."""
        return {"x": q.x, "y": q.y, "z": q.z, "z_0": q.z_0}

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Expressions:
        """Multipliers times lengths."""
        return {
            "T_cable1_A": lam.lambda_2 * q.L_1,
            "T_cable2_S": lam.lambda_3 * q.L_2,
            "T_cable3_upper_P": lam.lambda_4 * q.L_0,
            "T_cable3_lower_load": lam.lambda_5 * (q.L_3 - q.L_0),
        }

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Slewing pole with winches A, P and S, pulley, load."""
        pole = p.k + p.l
        P = ca.vertcat(q.x_3, q.y_3, pole * ca.cos(p.alpha))
        A, S, foot = p.k / pole * P, (pole + p.s) / pole * P, (0, 0, 0)
        pulley, load = (q.x_0, q.y_0, q.z_0), (q.x, q.y, q.z)
        ropes = {"T_cable1_A": A, "T_cable2_S": S, "T_cable3_upper_P": P}
        return pole_scene(
            foot, S, (P, A, S), pulley, load, ropes=ropes, load_rope="T_cable3_lower_load", over=P
        )

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Pole over the load, pulley above the load."""
        phi, pole = math.atan2(y["y"], y["x"]), p["k"] + p["l"]
        sin, cos = math.sin(p["alpha"]), math.cos(p["alpha"])
        out, z_0 = math.hypot(y["x"], y["y"]), y["z_0"]
        to_A, to_P, to_S = (
            math.hypot(out - distance * sin, z_0 - distance * cos)
            for distance in (p["k"], pole, pole + p["s"])
        )
        return {
            "L_1": to_A,
            "L_2": to_S,
            "L_3": to_P + z_0 - y["z"],
            "L_0": to_P,
            "x_0": y["x"],
            "y_0": y["y"],
            "x_3": pole * sin * math.cos(phi),
            "y_3": pole * sin * math.sin(phi),
        }
