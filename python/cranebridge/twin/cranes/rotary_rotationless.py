"""The rotary crane in 42 redundant coordinates: rotationless rigid bodies.

Thesis 2.4 and 4.4.2, reference Section 5. Bridge (body 1, turns about e_3), trolley (body 2, slides
along d_1 of the bridge), winch (body 3, turns about d_2 of the trolley) and the load, a point on a
rope that the winch pays out; and the joint coordinates theta_b, s and theta, on which the drives
act directly. The mass matrix is constant, and singular as long as the drives have no inertia.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca

from cranebridge.twin.bodies import (
    DirectorBody,
    body_quantities,
    internal_constraints,
    joint_angle,
    kinetic_energy,
)
from cranebridge.twin.language import (
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
    names,
)

_E_1 = ca.DM([1.0, 0.0, 0.0])
_E_2 = ca.DM([0.0, 1.0, 0.0])
_E_3 = ca.DM([0.0, 0.0, 1.0])
_BODIES = ((1, "bridge"), (2, "trolley"), (3, "winch"))
_INTERNAL = ("11", "22", "33", "12", "13", "23")
_JOINTS = ("tower", "slide", "axle")


def _euler(number: int, what: str, values: tuple[float, float, float]) -> tuple[Parameter, ...]:
    return tuple(
        Parameter(f"E_{number}{k}", "kg*m^2", f"Euler tensor of the {what}, axis {k}", value)
        for k, value in enumerate(values, start=1)
    )


class RotaryCraneRotationless(Crane):
    """Rotary crane of rotationless bodies: 42 coordinates, 37 constraints, 5 freedoms.

    The inertia about the tower is the sum of E_k1 + E_k2 over the bodies, the winch's own is
    2 E_31; the defaults give those of thesis Table 4.1 (19.01 and 0.02 kg m^2).
    """

    name = "rotary-rotationless"
    description = "3D rotary crane in 42 redundant coordinates: rotationless rigid bodies"
    coordinates = (
        *(quantity for body in _BODIES for quantity in body_quantities(*body)),
        Quantity("x", "m", "load position"),
        Quantity("y", "m", "load position"),
        Quantity("z", "m", "load position, up"),
        Quantity("theta_b", "rad", "slewing angle"),
        Quantity("s", "m", "trolley radius"),
        Quantity("theta", "rad", "winch angle, positive pays out"),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 10.0),
        Parameter("m_1", "kg", "bridge mass", 100.0),
        Parameter("m_2", "kg", "trolley mass without winch", 50.0),
        Parameter("m_3", "kg", "winch mass", 3.0),
        *_euler(1, "bridge", (8.335, 8.335, 208.33)),
        *_euler(2, "trolley", (1.04, 1.04, 1.04)),
        # A drum is the same across its axis: with E_33 other than E_31 the crane's inertia about
        # the tower would depend on the winch angle.
        Parameter("E_31", "kg*m^2", "Euler tensor of the winch, axes 1 and 3", 0.01),
        Parameter("E_32", "kg*m^2", "Euler tensor of the winch, axis 2 (its own)", 0.25),
        Parameter("J_slew", "kg*m^2", "inertia of the slewing drive", 0.0, "non-negative"),
        Parameter("m_drive", "kg", "mass of the trolley drive", 0.0, "non-negative"),
        Parameter("J_hoist", "kg*m^2", "inertia of the hoist drive", 0.0, "non-negative"),
        Parameter("r_w", "m", "winch radius", 0.1),
        Parameter("l_0", "m", "rope length at winch angle zero", 5.0),
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
    multipliers = (
        *(
            Quantity(f"lambda_{number}_{pair}", "J", f"directors {pair[0]} and {pair[1]}, {what}")
            for number, what in _BODIES
            for pair in _INTERNAL
        ),
        *(
            Quantity(f"lambda_{joint}_{k}", "SI", f"joint constraint {k} of the {joint}")
            for joint in _JOINTS
            for k in range(1, 6)
        ),
        Quantity("lambda_cable", "N/m", "rope force divided by rope length"),
        Quantity("lambda_theta_b", "N*m", "slewing angle"),
        Quantity("lambda_s", "N", "trolley radius"),
        Quantity("lambda_theta", "N*m", "winch angle"),
    )
    ropes = (Quantity("T_cable", "N", "hoist rope force"),)

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Three bodies, the drives and the load: a constant quadratic form."""
        bridge, trolley, winch = self._bodies(v)
        bodies = (
            kinetic_energy(bridge, p.m_1, (p.E_11, p.E_12, p.E_13)),
            kinetic_energy(trolley, p.m_2, (p.E_21, p.E_22, p.E_23)),
            kinetic_energy(winch, p.m_3, (p.E_31, p.E_32, p.E_31)),
        )
        drives = p.J_slew * v.theta_b**2 + p.m_drive * v.s**2 + p.J_hoist * v.theta**2
        return sum(bodies) + 0.5 * (p.m * (v.x**2 + v.y**2 + v.z**2) + drives)

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of the load; the other mass centres stay at the height of the bridge."""
        return p.m * p.g * q.z

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """The drives act on the joint coordinates."""
        return u.M_b * v.theta_b + u.F_t * v.s + u.M_w * v.theta

    def constraints(self, q: Components, p: Components) -> Expressions:
        """18 internal constraints, 16 of joints and rope, 3 of the joint coordinates."""
        bridge, trolley, winch = bodies = self._bodies(q)
        rope = ca.vertcat(q.x, q.y, q.z) - winch.phi
        b, t, w = bridge.directors, trolley.directors, winch.directors
        values = [value for body in bodies for value in internal_constraints(body)]
        values += [*ca.vertsplit(bridge.phi), ca.dot(b[0], _E_3), ca.dot(b[1], _E_3)]
        values += [ca.dot(b[1], trolley.phi), ca.dot(b[2], trolley.phi)]
        values += [ca.dot(b[0], t[1]), ca.dot(b[1], t[2]), ca.dot(b[2], t[0])]
        values += [*ca.vertsplit(winch.phi - trolley.phi), ca.dot(t[1], w[0]), ca.dot(t[1], w[2])]
        values += [0.5 * (ca.sumsqr(rope) - (p.r_w * q.theta + p.l_0) ** 2)]
        slewing, turning = self._angles(q)
        values += [slewing.constraint, ca.dot(b[0], trolley.phi) - q.s, turning.constraint]
        return dict(zip(names(self.multipliers), values, strict=True))

    def branches(self, q: Components) -> Expressions:
        """Return the alignments of the joint angles: positive on the right branch."""
        slewing, turning = self._angles(q)
        return {"theta_b": slewing.alignment, "theta": turning.alignment}

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Load position."""
        return {"x": q.x, "y": q.y, "z": q.z}

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Expressions:
        """Multiplier times length."""
        return {"T_cable": lam.lambda_cable * (p.r_w * q.theta + p.l_0)}

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Tower crane whose trolley is a body of its own."""
        along = (ca.cos(q.theta_b), ca.sin(q.theta_b), 0)
        trolley, load = (q.phi3_x, q.phi3_y, q.phi3_z), (q.x, q.y, q.z)
        return (
            Mast((0, 0, 0), along),
            Trolley(trolley, along, rail=False),
            Line(trolley, load, "T_cable"),
            Sphere(load),
        )

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Trolley above the load, on the positive side of the tower."""
        phi, s = math.atan2(y["y"], y["x"]), math.hypot(y["x"], y["y"])
        return self.configuration(phi, s, -y["z"], (y["x"], y["y"], y["z"]), p)

    def configuration(
        self,
        phi: float,
        s: float,
        length: float,
        load: tuple[float, float, float],
        p: Mapping[str, float],
    ) -> dict[str, float]:
        """Return all coordinates from slewing angle, trolley radius, rope length and load."""
        theta = (length - p["l_0"]) / p["r_w"]
        cos, sin = math.cos(phi), math.sin(phi)
        out, side, up = (cos, sin, 0.0), (-sin, cos, 0.0), (0.0, 0.0, 1.0)
        # The winch turns about d_2: its d_1 goes down as the rope is paid out.
        c, d = math.cos(theta), math.sin(theta)
        drum = (c * cos, c * sin, -d), side, (d * cos, d * sin, c)
        place = (s * cos, s * sin, 0.0)
        vectors = ((0.0, 0.0, 0.0), out, side, up, place, out, side, up, place, *drum, load)
        values = [component for vector in vectors for component in vector] + [phi, s, theta]
        return dict(zip(names(self.coordinates), values, strict=True))

    @staticmethod
    def _bodies(q: Components) -> tuple[DirectorBody, DirectorBody, DirectorBody]:
        """Bridge, trolley and winch."""
        x: Any = ca.vertcat(*q)
        return DirectorBody.of(x[0:12]), DirectorBody.of(x[12:24]), DirectorBody.of(x[24:36])

    def _angles(self, q: Components) -> tuple[Any, Any]:
        """Slewing angle of the bridge, and angle of the winch in the trolley.

        The sum forms of the thesis (2.104, 2.108) are singular at 3 pi/4, where the manoeuvre ends.
        """
        bridge, trolley, winch = self._bodies(q)
        slewing = joint_angle(q.theta_b, bridge.directors[0], _E_1, _E_2)
        turning = joint_angle(
            q.theta, winch.directors[0], trolley.directors[0], -trolley.directors[2]
        )
        return slewing, turning
