"""The slewing crane whose jib is luffed by a cylinder.

The jib's foot is on the slewing axis at z = 0. Barrel and piston rod are slender rods on the line
between the foot pin on the column and the eye on the jib. The winch at the jib's tip couples to the
rope length only.
"""

from __future__ import annotations

from cranebridge.twin.bodies import (
    Body,
    BodyCrane,
    Drive,
    HydraulicCylinder,
    PointMass,
    Revolute,
    Rope,
    Winch,
    rod,
)
from cranebridge.twin.language import Parameter


class CylinderCrane(BodyCrane):
    """Slewing crane with a jib that a cylinder luffs, written as a list of parts."""

    name = "cylinder-crane"
    description = "slewing crane whose jib is luffed by a cylinder, written as a list of parts"
    parts = (
        Revolute("column", axis="z", coordinate="phi"),
        Body("column", inertia=(0, 0, "J_b"), points={"pin": ("a", 0, "b")}),
        Drive("M_b", on="phi"),
        Revolute("jib", on="column", axis="-y", coordinate="beta"),
        Body("jib", shape=rod("L", "m_j"), points={"eye": ("c", 0, 0), "tip": ("L", 0, 0)}),
        HydraulicCylinder(
            "luffing",
            base="column.pin",
            end="jib.eye",
            force="F_c",
            barrel=("m_1", "l_1"),
            rod=("m_2", "l_2"),
        ),
        Winch("winch", at="jib.tip", inertia="J_w", radius="r_w", torque="M_w", length="l"),
        PointMass("load", mass="m"),
        Rope("T_cable", path=("winch", "load")),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 5000.0),
        Parameter("J_b", "kg*m^2", "inertia of the column about its axis", 2.0e4),
        Parameter("m_j", "kg", "jib mass", 3000.0),
        Parameter("L", "m", "jib length", 20.0),
        Parameter("a", "m", "foot pin of the cylinder, distance from the axis", 2.0, "real"),
        Parameter("b", "m", "foot pin of the cylinder, up", -1.5, "real"),
        Parameter("c", "m", "eye of the cylinder along the jib", 6.0),
        Parameter("m_1", "kg", "barrel mass", 300.0),
        Parameter("l_1", "m", "barrel length", 3.0),
        Parameter("m_2", "kg", "piston rod mass", 200.0),
        Parameter("l_2", "m", "piston rod length", 3.0),
        Parameter("J_w", "kg*m^2", "winch inertia", 50.0),
        Parameter("r_w", "m", "drum radius", 0.3),
    )
    outputs = {"x": "load.x", "y": "load.y", "z": "load.z"}
    start = {"beta": 0.8}
