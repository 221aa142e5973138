"""The three-dimensional US Navy crane with a massless pulley.

Thesis 6.2.1, reference Section 8 (the page with 6.29 to 6.32 was not at hand; rebuilt from
A.4). The pole leans at the angle alpha from the foot O and slews about the vertical; winch A sits
on it at the distance k from O, winch P at k + l. Rope 1 holds the pulley B from A, rope 3 runs from
P over the pulley to the load C.

The three forces on the massless pulley balance, so A, P, B and C lie in one plane, which contains
O, and rope 1 bisects rope 3 as in the planar crane (:mod:`cranebridge.twin.cranes.navy2d`).
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


class NavyCrane3D(Crane):
    """3D US Navy crane whose pulley has no mass; 11 coordinates, 5 dynamic freedoms."""

    name = "navy3d"
    description = "3D US Navy crane with massless pulley, slewing drive and two winches"
    coordinates = (
        Quantity("L_1", "m", "length of rope 1, from A to the pulley"),
        Quantity("L_3", "m", "length of rope 3, from P over the pulley to the load"),
        Quantity("L_0", "m", "length of rope 3 up to the pulley"),
        Quantity("x_0", "m", "pulley position"),
        Quantity("y_0", "m", "pulley position"),
        Quantity("z_0", "m", "pulley position, up"),
        Quantity("x_3", "m", "position of winch P"),
        Quantity("y_3", "m", "position of winch P"),
        *LOAD_IN_SPACE,
    )
    parameters = (
        NAVY_LOAD,
        SLEWING_MASS,
        *winches(1, 3),
        POLE_ANGLE,
        Parameter("l", "m", "distance from A to P on the pole", 5.0),
        Parameter("k", "m", "distance from the foot of the pole to A", 5.0),
        GRAVITY,
    )
    inputs = (*winch_torques(1, 3), NAVY_SLEWING_TORQUE)
    outputs = LOAD_IN_SPACE
    multipliers = (
        Quantity("lambda_1", "N/m", "rope 1"),
        Quantity("lambda_2", "N/m", "rope 3 above the pulley"),
        Quantity("lambda_3", "N/m", "radius of winch P about the slewing axis"),
        Quantity("lambda_4", "N/m", "rope 3 below the pulley"),
    )
    ropes = (
        Quantity("T_cable1_A", "N", "force of rope 1"),
        Quantity("T_cable3_upper_P", "N", "force of rope 3 above the pulley"),
        Quantity("T_cable3_lower_load", "N", "force of rope 3 at the load"),
    )

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Winches, slewing pole and load."""
        winches = p.J_1 / p.r_1**2 * v.L_1**2 + p.J_3 / p.r_3**2 * v.L_3**2
        pole = p.M * (v.x_3**2 + v.y_3**2)
        return 0.5 * (winches + pole + p.m * (v.x**2 + v.y**2 + v.z**2))

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of the load."""
        return p.m * p.g * q.z

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Two winches and the slewing drive (angular velocity (x_3 y_3' - y_3 x_3') / r^2)."""
        r = (p.k + p.l) * ca.sin(p.alpha)
        slewing = (q.x_3 * v.y_3 - q.y_3 * v.x_3) / r**2
        return u.u_1 * v.L_1 / p.r_1 + u.u_3 * v.L_3 / p.r_3 + u.u_4 * slewing

    def constraints(self, q: Components, p: Components) -> Expressions:
        """Rope lengths and the circle of winch P."""
        _, BA, BP, BC = self._ropes(q, p)
        r = (p.k + p.l) * ca.sin(p.alpha)
        return {
            "lambda_1": 0.5 * (ca.sumsqr(BA) - q.L_1**2),
            "lambda_2": 0.5 * (ca.sumsqr(BP) - q.L_0**2),
            "lambda_3": 0.5 * (q.x_3**2 + q.y_3**2 - r**2),
            "lambda_4": 0.5 * (ca.sumsqr(BC) - (q.L_3 - q.L_0) ** 2),
        }

    def massless(self, q: Components, lam: Components, p: Components) -> Expressions:
        """Pulley: in the plane of O, P and load; rope 1 bisects rope 3; balance along rope 1."""
        P, BA, BP, BC = self._ropes(q, p)
        C = ca.vertcat(q.x, q.y, q.z)
        return {
            "x_0": ca.dot(BA, BP * (q.L_3 - q.L_0) - BC * q.L_0),
            "y_0": ca.dot(ca.cross(P, C), BC),
            "z_0": ca.dot(BA, lam.lambda_1 * BA + lam.lambda_2 * BP + lam.lambda_4 * BC),
        }

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Load position."""
        return {"x": q.x, "y": q.y, "z": q.z}

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Expressions:
        """Multipliers times lengths."""
        return {
            "T_cable1_A": lam.lambda_1 * q.L_1,
            "T_cable3_upper_P": lam.lambda_2 * q.L_0,
            "T_cable3_lower_load": lam.lambda_4 * (q.L_3 - q.L_0),
        }

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Slewing pole with winches A and P, pulley, load."""
        pole = p.k + p.l
        P = ca.vertcat(q.x_3, q.y_3, pole * ca.cos(p.alpha))
        A, foot = p.k / pole * P, (0, 0, 0)
        pulley, load = (q.x_0, q.y_0, q.z_0), (q.x, q.y, q.z)
        ropes = {"T_cable1_A": A, "T_cable3_upper_P": P}
        return pole_scene(
            foot, P, (P, A), pulley, load, ropes=ropes, load_rope="T_cable3_lower_load", over=P
        )

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Pole over the load, pulley above the load and level with winch A."""
        phi, height = math.atan2(y["y"], y["x"]), (p["k"] + p["l"]) * math.cos(p["alpha"])
        radius, ratio = (p["k"] + p["l"]) * math.sin(p["alpha"]), p["k"] / (p["k"] + p["l"])
        out, z_0 = math.hypot(y["x"], y["y"]), ratio * height
        upper = math.hypot(out - radius, z_0 - height)
        return {
            "L_1": abs(out - ratio * radius),
            "L_3": upper + z_0 - y["z"],
            "L_0": upper,
            "x_0": y["x"],
            "y_0": y["y"],
            "z_0": z_0,
            "x_3": radius * math.cos(phi),
            "y_3": radius * math.sin(phi),
        }

    @staticmethod
    def _ropes(q: Components, p: Components) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
        """Winch P, and the vectors from A, P and the load to the pulley."""
        P = ca.vertcat(q.x_3, q.y_3, (p.k + p.l) * ca.cos(p.alpha))
        A = p.k / (p.k + p.l) * P
        B, C = ca.vertcat(q.x_0, q.y_0, q.z_0), ca.vertcat(q.x, q.y, q.z)
        return P, B - A, B - P, B - C
