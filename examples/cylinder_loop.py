"""A crane of a user's own, as a list of parts: a jib luffed by a cylinder whose parts are bodies.

Column, jib, barrel and piston rod form a closed loop. `cranebridge check` says which of the loop's
conditions follows from the others: a planar loop in space cannot leave its plane.
"""

from cranebridge.twin import Parameter
from cranebridge.twin.bodies import (
    Body,
    BodyCrane,
    Drive,
    PointMass,
    Prismatic,
    Revolute,
    Rope,
    Spherical,
    Winch,
    rod,
)


class CylinderLoop(BodyCrane):
    """Slewing crane with a jib that a cylinder of two bodies luffs."""

    name = "cylinder-loop"
    parts = (
        Revolute("column", axis="z", coordinate="phi"),
        Body("column", inertia=(0, 0, 2e4)),
        Drive("M_b", on="phi"),
        Revolute("jib", on="column", axis="-y", coordinate="beta"),
        Body("jib", shape=rod(20, mass=3000), points={"tip": (20, 0, 0)}),
        Revolute("barrel", on="column", at=(2, 0, -1.5), axis="-y", coordinate="delta"),
        Body("barrel", shape=rod(3, mass=300)),
        Prismatic("piston", on="barrel", axis="x", coordinate="e"),
        Body("piston", shape=rod(3, mass=200), centre=(-1.5, 0, 0)),
        Spherical("piston", on="jib", at=(6, 0, 0), loop=True),
        Drive("F_c", on="e"),
        Winch("winch", at="jib.tip", inertia=50, radius=0.3, torque="M_w", length="l"),
        PointMass("load", mass=Parameter("m", "kg", "load mass", 5000.0)),
        Rope("T_cable", path=("winch", "load")),
    )
    outputs = {"x": "load.x", "y": "load.y", "z": "load.z"}  # noqa: RUF012
    start = {"beta": 0.9, "delta": 1.2, "e": 6.5}  # noqa: RUF012
