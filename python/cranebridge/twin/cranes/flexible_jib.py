"""The tower crane whose jib bends in slewing: hub, flexible jib, trolley, winch and load.

The jib is a beam that bends sideways with one shape, psi(x) = x^2 (3 L - x) / (2 L^3), the static
one of a force at its tip; eta is the tip's deflection. The load's position as output leaves
internal dynamics of dimension 2, with the effective mass m_ee - m_pe psi(s) / s: stable for a
trolley inside of s_c = L (3 - sqrt(15/7)) / 2, a saddle outside. Z points up, the jib is at z = 0.
The default is a tower crane with a jib of 50 m.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import casadi as ca

from cranebridge.twin.language import (
    Box,
    Components,
    Crane,
    Cylinder,
    Expressions,
    Line,
    Mast,
    Parameter,
    Quantity,
    Shape,
    Sphere,
    Trolley,
    drag,
    friction,
    velocity,
)

PIECES = 10
"""Straight pieces in which the bent jib is drawn."""
TIED = 7
"""Where its tie holds it, in pieces."""


class FlexibleJibCrane(Crane):
    """Tower crane with a flexible jib in 7 dependent coordinates."""

    name = "flexible-jib"
    description = "3D tower crane whose jib bends in slewing: hub, jib, trolley, winch and load"
    coordinates = (
        Quantity("phi", "rad", "slewing angle of the hub"),
        Quantity("s", "m", "trolley position along the jib"),
        Quantity("l", "m", "rope length"),
        Quantity("eta", "m", "deflection of the jib's tip, positive with the slewing angle"),
        Quantity("x", "m", "load position"),
        Quantity("y", "m", "load position"),
        Quantity("z", "m", "load position, up"),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 2000.0),
        Parameter("m_t", "kg", "trolley mass", 300.0),
        Parameter("L", "m", "jib length", 50.0),
        Parameter("rho", "kg/m", "jib mass per length", 120.0),
        Parameter("k_j", "N/m", "bending stiffness of the jib, at its tip", 2.0e4),
        Parameter("d_j", "N*s/m", "damping of the jib, at its tip", 100.0, "non-negative"),
        Parameter("J_h", "kg*m^2", "inertia of the hub, without the jib", 3.0e5),
        Parameter("J_w", "kg*m^2", "inertia of winch and motor at the drum", 50.0),
        Parameter("r_w", "m", "drum radius", 0.3),
        Parameter("g", "m/s^2", "gravity", 9.81),
        Parameter("d_b", "N*m*s/rad", "viscous friction of slewing", 0.0, "non-negative"),
        Parameter("M_cb", "N*m", "Coulomb friction of slewing", 0.0, "non-negative"),
        Parameter("d_t", "N*s/m", "viscous friction of the trolley", 0.0, "non-negative"),
        Parameter("F_ct", "N", "Coulomb friction of the trolley", 0.0, "non-negative"),
        Parameter("v_c", "m/s", "velocity that smooths it", 0.01),
        Parameter("d_w", "N*m*s/rad", "viscous friction of the winch", 0.0, "non-negative"),
        Parameter("M_cw", "N*m", "Coulomb friction of the winch", 0.0, "non-negative"),
        Parameter("omega_c", "rad/s", "angular velocity that smooths slewing's and winch's", 0.01),
        Parameter("c_d", "kg/m", "drag of the load per square of speed", 0.0, "non-negative"),
        Parameter("w_x", "m/s", "wind speed along x", 0.0, "real"),
        Parameter("w_y", "m/s", "wind speed along y", 0.0, "real"),
    )
    inputs = (
        Quantity("M_b", "N*m", "slewing torque on the hub"),
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

    def on_jib(self, at: Any, q: Components, p: Components) -> Any:
        """Position of the bent jib at the distance `at` from the tower's axis."""
        side = at**2 * (3 * p.L - at) / (2 * p.L**3) * q.eta
        along = ca.vertcat(ca.cos(q.phi), ca.sin(q.phi), 0)
        across = ca.vertcat(-ca.sin(q.phi), ca.cos(q.phi), 0)
        return at * along + side * across

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Hub and jib, trolley, winch and load."""
        # integrals of rho psi^2 and of rho x psi along the jib
        m_ee, m_pe = 33 / 140 * p.rho * p.L, 11 / 40 * p.rho * p.L**2
        jib = (p.J_h + p.rho * p.L**3 / 3 + m_ee * q.eta**2) * v.phi**2
        jib += 2 * m_pe * v.phi * v.eta + m_ee * v.eta**2
        trolley = p.m_t * ca.sumsqr(velocity(self.on_jib(q.s, q, p), q, v))
        winch = p.J_w / p.r_w**2 * v.l**2
        load = p.m * (v.x**2 + v.y**2 + v.z**2)
        return 0.5 * (jib + trolley + winch + load)

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Bending of the jib and weight of the load."""
        return 0.5 * p.k_j * q.eta**2 + p.m * p.g * q.z

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Slewing torque, trolley force, winch torque."""
        return u.M_b * v.phi + u.F_t * v.s + u.M_w * v.l / p.r_w

    def other_forces(self, q: Components, v: Components, p: Components) -> Expressions:
        """Damping of the jib, friction of the drives, air on the load."""
        air = drag(ca.vertcat(v.x, v.y, v.z), (p.w_x, p.w_y, 0), p.c_d)
        return {
            "phi": friction(v.phi, p.d_b, p.M_cb, p.omega_c),
            "s": friction(v.s, p.d_t, p.F_ct, p.v_c),
            "l": friction(v.l / p.r_w, p.d_w, p.M_cw, p.omega_c) / p.r_w,
            "eta": -p.d_j * v.eta,
            "x": air[0],
            "y": air[1],
            "z": air[2],
        }

    def constraints(self, q: Components, p: Components) -> Expressions:
        """Rope length."""
        rope = ca.vertcat(q.x, q.y, q.z) - self.on_jib(q.s, q, p)
        return {"lambda": 0.5 * (ca.sumsqr(rope) - q.l**2)}

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Load position."""
        return {"x": q.x, "y": q.y, "z": q.z}

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Expressions:
        """Multiplier times length."""
        return {"T_cable": lam["lambda"] * q.l}

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Tower with ties, bent jib, counter-jib with its weight, trolley, rope, load."""
        # The jib is drawn a little above the trolley, so that the rope's upper end is seen.
        lift = ca.vertcat(0, 0, 0.02 * p.L)
        points = [self.on_jib(p.L * i / PIECES, q, p) + lift for i in range(PIECES + 1)]
        root, along = points[0], ca.vertcat(ca.cos(q.phi), ca.sin(q.phi), 0)
        back, top = root - 0.3 * p.L * along, (0, 0, 0.16 * p.L)
        bars = [*pairwise(points), (root, back)]
        trolley, load = self.on_jib(q.s, q, p), (q.x, q.y, q.z)
        return (
            Mast(top, radius=0.02 * p.L),
            *(Cylinder(*ends, radius=0.01 * p.L) for ends in bars),
            *(Cylinder(top, end, radius=0.003 * p.L) for end in (points[TIED], back)),
            Box(back, toward=root, size=p.L * ca.vertcat(0.06, 0.05, 0.05), role="structure"),
            Trolley(trolley, along, rail=False, size=p.L * ca.vertcat(0.05, 0.04, 0.02)),
            Line(trolley, load, "T_cable"),
            Sphere(load, radius=0.025 * p.L),
        )

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Trolley above the load, jib straight."""
        return {
            "phi": math.atan2(y["y"], y["x"]),
            "s": math.hypot(y["x"], y["y"]),
            "l": -y["z"],
        }
