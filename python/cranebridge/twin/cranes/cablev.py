"""The cable suspension manipulator CABLEV: a platform on three ropes with moving trolleys.

Thesis 6.3, reference Section 10. The z axis of the inertial frame points down, the gantry plane is
z = 0. The gantry moves along y (p_g0), three trolleys with winches on it along x (p_g1 to p_g3);
trolleys 2 and 3 sit at -+l_2 from trolley 1 along the gantry. The platform's orientation is given
by Bryant angles, R = R_x(phi_1) R_y(phi_2) R_z(phi_3).
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
    Line,
    Parameter,
    Plate,
    Quantity,
    Shape,
    Sphere,
    Trolley,
)


class Cablev(Crane):
    """CABLEV in 13 coordinates; the seventh output is a function of the trolley positions."""

    name = "cablev"
    description = "cable suspension manipulator CABLEV: rigid platform on three ropes"
    coordinates = (
        Quantity("p_g0", "m", "gantry position along y"),
        Quantity("p_g1", "m", "position of trolley 1 along x"),
        Quantity("p_g2", "m", "position of trolley 2 along x"),
        Quantity("p_g3", "m", "position of trolley 3 along x"),
        Quantity("p_c1", "m", "length of rope 1"),
        Quantity("p_c2", "m", "length of rope 2"),
        Quantity("p_c3", "m", "length of rope 3"),
        Quantity("r_x", "m", "platform position"),
        Quantity("r_y", "m", "platform position"),
        Quantity("r_z", "m", "platform position, down"),
        Quantity("phi_1", "rad", "Bryant angle about x"),
        Quantity("phi_2", "rad", "Bryant angle about y"),
        Quantity("phi_3", "rad", "Bryant angle about z"),
    )
    parameters = (
        Parameter("m_0", "kg", "mass that moves with the gantry", 380.0),
        Parameter("m_1", "kg", "mass of trolley 1", 35.0),
        Parameter("m_2", "kg", "mass of trolley 2", 35.0),
        Parameter("m_3", "kg", "mass of trolley 3", 35.0),
        Parameter("m", "kg", "mass of the platform", 12.5),
        # The thesis prints these as winch inertias; they are those of the platform, see reference.
        Parameter("J_1", "kg*m^2", "inertia of winch 1", 0.75, "non-negative"),
        Parameter("J_2", "kg*m^2", "inertia of winch 2", 0.75, "non-negative"),
        Parameter("J_3", "kg*m^2", "inertia of winch 3", 1.5, "non-negative"),
        Parameter("r_1", "m", "radius of winch 1", 0.1),
        Parameter("r_2", "m", "radius of winch 2", 0.1),
        Parameter("r_3", "m", "radius of winch 3", 0.1),
        Parameter("l_1", "m", "side of the platform's triangle of rope points", 1.2),
        Parameter("l_2", "m", "distance of trolleys 2 and 3 from trolley 1 along y", 0.6),
        Parameter("b", "m", "wanted offset of trolley 1 along x", math.sqrt(3.0) * 0.6),
        Parameter("J_x", "kg*m^2", "platform inertia about its x axis", 0.75),
        Parameter("J_y", "kg*m^2", "platform inertia about its y axis", 0.75),
        Parameter("J_z", "kg*m^2", "platform inertia about its z axis", 1.5),
        Parameter("g", "m/s^2", "gravity", 9.81),
    )
    inputs = (
        Quantity("u_g0", "N", "gantry force"),
        Quantity("u_g1", "N", "force of trolley 1"),
        Quantity("u_g2", "N", "force of trolley 2"),
        Quantity("u_g3", "N", "force of trolley 3"),
        Quantity("u_c1", "N*m", "torque of winch 1, positive pays out"),
        Quantity("u_c2", "N*m", "torque of winch 2, positive pays out"),
        Quantity("u_c3", "N*m", "torque of winch 3, positive pays out"),
    )
    outputs = (
        Quantity("r_x", "m", "platform position"),
        Quantity("r_y", "m", "platform position"),
        Quantity("r_z", "m", "platform position, down"),
        Quantity("phi_1", "rad", "Bryant angle about x"),
        Quantity("phi_2", "rad", "Bryant angle about y"),
        Quantity("phi_3", "rad", "Bryant angle about z"),
        Quantity("x_0", "m", "offset of trolley 1 from the mean of trolleys 2 and 3, less b"),
    )
    multipliers = (
        Quantity("lambda_1", "N/m", "rope 1"),
        Quantity("lambda_2", "N/m", "rope 2"),
        Quantity("lambda_3", "N/m", "rope 3"),
    )
    ropes = (
        Quantity("T_1", "N", "force of rope 1"),
        Quantity("T_2", "N", "force of rope 2"),
        Quantity("T_3", "N", "force of rope 3"),
    )

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Gantry, trolleys, winches and platform (angular velocity in body axes)."""
        gantry = p.m_0 * v.p_g0**2
        trolleys = p.m_1 * v.p_g1**2 + p.m_2 * v.p_g2**2 + p.m_3 * v.p_g3**2
        winches = (
            p.J_1 / p.r_1**2 * v.p_c1**2
            + p.J_2 / p.r_2**2 * v.p_c2**2
            + p.J_3 / p.r_3**2 * v.p_c3**2
        )
        # omega = R^T R' of R = R_x R_y R_z, resolved in the platform's axes
        sin_2, cos_2 = ca.sin(q.phi_2), ca.cos(q.phi_2)
        sin_3, cos_3 = ca.sin(q.phi_3), ca.cos(q.phi_3)
        omega_x = v.phi_1 * cos_2 * cos_3 + v.phi_2 * sin_3
        omega_y = -v.phi_1 * cos_2 * sin_3 + v.phi_2 * cos_3
        omega_z = v.phi_1 * sin_2 + v.phi_3
        turning = p.J_x * omega_x**2 + p.J_y * omega_y**2 + p.J_z * omega_z**2
        moving = p.m * (v.r_x**2 + v.r_y**2 + v.r_z**2)
        return 0.5 * (gantry + trolleys + winches + moving + turning)

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of the platform; z points down."""
        return -p.m * p.g * q.r_z

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Gantry and trolley forces, winch torques."""
        forces = u.u_g0 * v.p_g0 + u.u_g1 * v.p_g1 + u.u_g2 * v.p_g2 + u.u_g3 * v.p_g3
        return forces + u.u_c1 * v.p_c1 / p.r_1 + u.u_c2 * v.p_c2 / p.r_2 + u.u_c3 * v.p_c3 / p.r_3

    def constraints(self, q: Components, p: Components) -> Expressions:
        """Rope lengths: c_i = r + R X_i - (p_g0 + y_i) e_y - p_gi e_x."""
        trolleys, corners = _rope_ends(q, p)
        lengths = (q.p_c1, q.p_c2, q.p_c3)
        return {
            f"lambda_{i}": 0.5 * (ca.sumsqr(corner - trolley) - length**2)
            for i, corner, trolley, length in zip(
                (1, 2, 3), corners, trolleys, lengths, strict=True
            )
        }

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Platform pose and the offset of trolley 1."""
        pose = {name: q[name] for name in ("r_x", "r_y", "r_z", "phi_1", "phi_2", "phi_3")}
        return pose | {"x_0": q.p_g1 - 0.5 * (q.p_g2 + q.p_g3) - p.b}

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Expressions:
        """Multipliers times lengths."""
        return {
            "T_1": lam.lambda_1 * q.p_c1,
            "T_2": lam.lambda_2 * q.p_c2,
            "T_3": lam.lambda_3 * q.p_c3,
        }

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Gantry on two runways, three trolleys on it, three ropes, platform.

        Turned half about x, so that z points up and nothing is mirrored.
        """
        turn = ca.diag(ca.SX([1.0, -1.0, -1.0]))
        trolleys, corners = ([turn @ point for point in ends] for ends in _rope_ends(q, p))
        return (
            *(Trolley(at, across=(0, 1, 0)) for at in trolleys),
            *(Line(trolleys[i], corners[i], f"T_{i + 1}") for i in range(3)),
            *(Sphere(corner, radius=0.05) for corner in corners),
            Plate(corners),
            Sphere((q.r_x, -q.r_y, -q.r_z), radius=0.08),
        )

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Trolleys above their rope points for a level platform that is not turned."""
        out, depth = p["l_1"] / math.sqrt(3.0), y["r_z"]
        return {
            "p_g0": y["r_y"],
            "p_g1": y["r_x"] + out,
            "p_g2": y["r_x"] - 0.5 * out,
            "p_g3": y["r_x"] - 0.5 * out,
            "p_c1": depth,
            "p_c2": depth,
            "p_c3": depth,
        }


def _rope_ends(q: Components, p: Components) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return trolleys and rope points of the platform, z down."""
    R = _rotation(q.phi_1, q.phi_2, q.phi_3)
    r = ca.vertcat(q.r_x, q.r_y, q.r_z)
    side = p.l_1
    points = (
        ca.vertcat(side / math.sqrt(3.0), 0.0, 0.0),
        ca.vertcat(-side / (2.0 * math.sqrt(3.0)), side / 2.0, 0.0),
        ca.vertcat(-side / (2.0 * math.sqrt(3.0)), -side / 2.0, 0.0),
    )
    trolleys = (
        ca.vertcat(q.p_g1, q.p_g0, 0.0),
        ca.vertcat(q.p_g2, q.p_g0 + p.l_2, 0.0),
        ca.vertcat(q.p_g3, q.p_g0 - p.l_2, 0.0),
    )
    return trolleys, tuple(r + R @ X for X in points)


def _rotation(phi_1: Any, phi_2: Any, phi_3: Any) -> Any:
    """R_x(phi_1) R_y(phi_2) R_z(phi_3)."""
    c, s = ca.cos(phi_1), ca.sin(phi_1)
    about_x = ca.vertcat(ca.horzcat(1, 0, 0), ca.horzcat(0, c, -s), ca.horzcat(0, s, c))
    c, s = ca.cos(phi_2), ca.sin(phi_2)
    about_y = ca.vertcat(ca.horzcat(c, 0, s), ca.horzcat(0, 1, 0), ca.horzcat(-s, 0, c))
    c, s = ca.cos(phi_3), ca.sin(phi_3)
    about_z = ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(s, c, 0), ca.horzcat(0, 0, 1))
    return about_x @ about_y @ about_z
