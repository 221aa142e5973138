"""The gantry of five parts: trolley, its drive, winch, load and rope.

Planar, z up, the rail at z = 0; the load is a point on a rope of variable length.
"""

from __future__ import annotations

from cranebridge.twin.bodies import Body, BodyCrane, Drive, PointMass, Prismatic, Rope, Winch
from cranebridge.twin.language import Parameter


class BodyGantry(BodyCrane):
    """Planar gantry crane, written as a list of parts."""

    name = "body-gantry"
    description = "planar gantry crane, written as a list of parts"
    plane = "xz"
    parts = (
        Prismatic("trolley", axis="x", coordinate="s"),
        Body("trolley", mass=Parameter("m_t", "kg", "trolley mass", 1500.0)),
        Drive("F_t", on="s"),
        Winch("winch", at="trolley", inertia="J_w", radius="r_w", torque="M_w", length="l"),
        PointMass("load", mass=Parameter("m", "kg", "load mass", 8000.0)),
        Rope("T_cable", path=("winch", "load")),
    )
    parameters = (
        Parameter("J_w", "kg*m^2", "winch inertia", 20.0),
        Parameter("r_w", "m", "drum radius", 0.25),
    )
    outputs = {"x": "load.x", "z": "load.z"}
