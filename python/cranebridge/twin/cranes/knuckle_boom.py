"""The knuckle-boom loader: two booms, each moved by a cylinder, and a rope of fixed length.

The main boom's pin is on the slewing axis; the knuckle's pin is the main boom's tip, where it bends
down. The second cylinder pushes the knuckle's end behind the pin. Cylinders have no mass.
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
    rod,
)
from cranebridge.twin.language import Parameter


class KnuckleBoom(BodyCrane):
    """Knuckle-boom loader, written as a list of parts."""

    name = "knuckle-boom"
    description = "knuckle-boom loader with two cylinders, written as a list of parts"
    parts = (
        Revolute("column", axis="z", coordinate="phi"),
        Body("column", inertia=(0, 0, "J_b"), points={"pin": ("a", 0, "b")}),
        Drive("M_b", on="phi"),
        Revolute("main", on="column", at=(0, 0, "h"), axis="-y", coordinate="beta"),
        Body("main", shape=rod("L_1", "m_1"), points={"eye": ("c", 0, 0), "rear": ("d", 0, 0)}),
        Revolute("knuckle", on="main", at=("L_1", 0, 0), axis="y", coordinate="gamma"),
        Body(
            "knuckle", shape=rod("L_2", "m_2"), points={"horn": ("-e", 0, 0), "tip": ("L_2", 0, 0)}
        ),
        HydraulicCylinder("boom", base="column.pin", end="main.eye", force="F_1"),
        HydraulicCylinder("bend", base="main.rear", end="knuckle.horn", force="F_2"),
        PointMass("load", mass="m"),
        Rope("T_cable", path=("knuckle.tip", "load"), length="L_r"),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 1200.0),
        Parameter("J_b", "kg*m^2", "inertia of the column about its axis", 3000.0),
        Parameter("h", "m", "height of the main boom's pin", 2.0),
        Parameter("m_1", "kg", "mass of the main boom", 900.0),
        Parameter("L_1", "m", "length of the main boom", 6.0),
        Parameter("m_2", "kg", "mass of the knuckle", 500.0),
        Parameter("L_2", "m", "length of the knuckle", 4.0),
        Parameter("a", "m", "pin of cylinder 1, distance from the axis", 0.6, "real"),
        Parameter("b", "m", "pin of cylinder 1, up", 0.3, "real"),
        Parameter("c", "m", "eye of cylinder 1 along the main boom", 2.0),
        Parameter("d", "m", "pin of cylinder 2 along the main boom", 4.0),
        Parameter("e", "m", "eye of cylinder 2 behind the knuckle's pin", 0.8),
        Parameter("L_r", "m", "rope length", 3.0),
    )
    outputs = {"x": "load.x", "y": "load.y", "z": "load.z"}
    start = {"beta": 0.8, "gamma": 1.5}
