"""The portal crane with two travel drives: the bridge can skew between its rails.

The rails are at y = a and y = -a. The bridge's centre moves along x, the bridge turns by psi
against the spring of its legs, and each drive pushes along x at its end of the bridge. The trolley
moves along the bridge.
"""

from __future__ import annotations

from cranebridge.twin.bodies import (
    Body,
    BodyCrane,
    Drive,
    Force,
    PointMass,
    Prismatic,
    Revolute,
    Rope,
    Spring,
    Winch,
)
from cranebridge.twin.language import Parameter


class PortalCrane(BodyCrane):
    """Portal crane with two travel drives, written as a list of parts."""

    name = "portal"
    description = "portal crane with two travel drives and a skew angle, written as parts"
    parts = (
        Prismatic("travel", axis="x", coordinate="X"),
        Body("travel"),
        Revolute("bridge", on="travel", axis="z", coordinate="psi"),
        Body("bridge", mass="m_b", inertia=(0, 0, "J_b")),
        Spring("legs", on="psi", stiffness="c_psi"),
        Force("F_1", at=("bridge", (0, "a", 0)), axis="x"),
        Force("F_2", at=("bridge", (0, "-a", 0)), axis="x"),
        Prismatic("trolley", on="bridge", axis="y", coordinate="s"),
        Body("trolley", mass="m_t"),
        Drive("F_t", on="s"),
        Winch("winch", at="trolley", inertia="J_w", radius="r_w", torque="M_w", length="l"),
        PointMass("load", mass="m"),
        Rope("T_cable", path=("winch", "load")),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 15000.0),
        Parameter("m_b", "kg", "bridge mass", 4.0e4),
        Parameter("J_b", "kg*m^2", "inertia of the bridge about its centre, vertical", 4.0e6),
        Parameter("a", "m", "distance of the rails from the middle", 15.0),
        Parameter("c_psi", "N*m/rad", "torsional stiffness of the legs", 2.0e8),
        Parameter("m_t", "kg", "trolley mass", 3000.0),
        Parameter("J_w", "kg*m^2", "winch inertia", 60.0),
        Parameter("r_w", "m", "drum radius", 0.3),
    )
    outputs = {"x": "load.x", "y": "load.y", "z": "load.z", "psi": "psi"}
