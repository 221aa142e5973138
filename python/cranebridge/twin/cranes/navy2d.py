"""The planar US Navy crane with a massless pulley.

Thesis 6.1.1, reference Section 6. The origin is the upper winch P; the lower winch A sits on the
same pole. Rope 1 holds the pulley B from A, rope 2 runs from P over the pulley to the load C.

The balance of the massless pulley reads lambda_1 (B-A) + lambda_2 (B-P) + lambda_3 (B-C) = 0. Its
component across rope 1 is singular where rope 1 carries no force, which is where the manoeuvre
starts. With equal forces in both parts of rope 2 it says that rope 1 bisects them, or

    (B - A) . (e_BP - e_BC) = 0,

which is regular everywhere: the pulley rests where rope 2 is of stationary length.
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


class NavyCrane2D(Crane):
    """Planar US Navy crane whose pulley has no mass; 7 coordinates, 3 dynamic freedoms."""

    name = "navy2d"
    description = "planar US Navy crane with massless pulley, two winches"
    coordinates = (
        Quantity("L_1", "m", "length of rope 1, from A to the pulley"),
        Quantity("L_2", "m", "length of rope 2, from P over the pulley to the load"),
        Quantity("L_0", "m", "length of rope 2 up to the pulley"),
        Quantity("x_0", "m", "pulley position, horizontal"),
        Quantity("z_0", "m", "pulley position, up"),
        *LOAD_IN_PLANE,
    )
    parameters = (
        NAVY_LOAD,
        *winches(1, 2),
        POLE_ANGLE,
        Parameter("l", "m", "distance from A to P on the pole", 10.0),
        GRAVITY,
    )
    inputs = winch_torques(1, 2)
    outputs = LOAD_IN_PLANE
    multipliers = (
        Quantity("lambda_1", "N/m", "rope 1"),
        Quantity("lambda_2", "N/m", "rope 2 above the pulley"),
        Quantity("lambda_3", "N/m", "rope 2 below the pulley"),
    )
    ropes = (
        Quantity("T_cable1_A", "N", "force of rope 1"),
        Quantity("T_cable2_upper_P", "N", "force of rope 2 above the pulley"),
        Quantity("T_cable2_lower_load", "N", "force of rope 2 at the load"),
    )

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Winches and load."""
        winches = p.J_1 / p.r_1**2 * v.L_1**2 + p.J_2 / p.r_2**2 * v.L_2**2
        return 0.5 * (winches + p.m * (v.x**2 + v.z**2))

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of the load."""
        return p.m * p.g * q.z

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Two winches."""
        return u.u_1 * v.L_1 / p.r_1 + u.u_2 * v.L_2 / p.r_2

    def constraints(self, q: Components, p: Components) -> Expressions:
        """Rope lengths."""
        BA, BP, BC = self._ropes(q, p)
        return {
            "lambda_1": 0.5 * (ca.sumsqr(BA) - q.L_1**2),
            "lambda_2": 0.5 * (ca.sumsqr(BP) - q.L_0**2),
            "lambda_3": 0.5 * (ca.sumsqr(BC) - (q.L_2 - q.L_0) ** 2),
        }

    def massless(self, q: Components, lam: Components, p: Components) -> Expressions:
        """Pulley: rope 1 bisects rope 2; balance along rope 1."""
        BA, BP, BC = self._ropes(q, p)
        return {
            "x_0": ca.dot(BA, BP * (q.L_2 - q.L_0) - BC * q.L_0),
            "z_0": ca.dot(BA, lam.lambda_1 * BA + lam.lambda_2 * BP + lam.lambda_3 * BC),
        }

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Load position."""
        return {"x": q.x, "z": q.z}

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Expressions:
        """Multipliers times lengths."""
        return {
            "T_cable1_A": lam.lambda_1 * q.L_1,
            "T_cable2_upper_P": lam.lambda_2 * q.L_0,
            "T_cable2_lower_load": lam.lambda_3 * (q.L_2 - q.L_0),
        }

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Leaning pole with winches A and P, pulley, load."""
        down = ca.vertcat(-ca.sin(p.alpha), 0, -ca.cos(p.alpha))
        P, A, foot = 0 * down, p.l * down, 1.3 * p.l * down
        pulley, load = (q.x_0, 0, q.z_0), (q.x, 0, q.z)
        ropes = {"T_cable1_A": A, "T_cable2_upper_P": P}
        return pole_scene(
            foot, P, (P, A), pulley, load, ropes=ropes, load_rope="T_cable2_lower_load", over=P
        )

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Pulley above the load, level with winch A."""
        x_A, z_A = -p["l"] * math.sin(p["alpha"]), -p["l"] * math.cos(p["alpha"])
        upper = math.hypot(y["x"], z_A)
        return {
            "L_1": y["x"] - x_A,
            "L_2": upper + z_A - y["z"],
            "L_0": upper,
            "x_0": y["x"],
            "z_0": z_A,
        }

    @staticmethod
    def _ropes(q: Components, p: Components) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Vectors from A, P and the load to the pulley."""
        A = ca.vertcat(-p.l * ca.sin(p.alpha), -p.l * ca.cos(p.alpha))
        B, C = ca.vertcat(q.x_0, q.z_0), ca.vertcat(q.x, q.z)
        return B - A, B, B - C
