"""The spreader on four ropes: a load of six freedoms below a trolley that also slews.

The platform moves in x and y and slews by theta. Four winches at its corners (+-A, +-B) hold the
four rope points (+-C, +-D, h) of the spreader with its box, numbered round from (+, +). Three
freedoms of the load follow from rope lengths, three from the platform, and the seventh input
shares the load out: the outputs ask that l_1 - l_2 + l_3 - l_4, the warp, stays as wanted.
"""

from __future__ import annotations

from cranebridge.twin.bodies import Body, BodyCrane, Drive, Free, Planar, Rope, Winch
from cranebridge.twin.language import Parameter

_CORNERS = {1: ("", ""), 2: ("-", ""), 3: ("-", "-"), 4: ("", "-")}


class SpreaderCrane(BodyCrane):
    """Spreader on four ropes, written as a list of parts."""

    name = "spreader"
    description = "spreader on four ropes below a slewing trolley, written as a list of parts"
    parts = (
        Planar("platform", normal="z", coordinates=("X", "Y", "theta")),
        Body(
            "platform",
            mass="m_t",
            inertia=(0, 0, "J_t"),
            points={f"c{i}": (f"{a}A", f"{b}B", 0) for i, (a, b) in _CORNERS.items()},
        ),
        Drive("F_x", on="X"),
        Drive("F_y", on="Y"),
        Drive("M_t", on="theta"),
        Free("spreader"),
        Body(
            "spreader",
            mass="m",
            inertia=("J_x", "J_y", "J_z"),
            points={f"c{i}": (f"{a}C", f"{b}D", "h") for i, (a, b) in _CORNERS.items()},
        ),
        *(
            Winch(
                f"winch_{i}",
                at=f"platform.c{i}",
                inertia="J_w",
                radius="r_w",
                torque=f"M_{i}",
                length=f"l_{i}",
            )
            for i in _CORNERS
        ),
        *(Rope(f"T_{i}", path=(f"winch_{i}", f"spreader.c{i}")) for i in _CORNERS),
    )
    parameters = (
        Parameter("m", "kg", "mass of spreader and box", 12000.0),
        Parameter("J_x", "kg*m^2", "its inertia about x", 9000.0),
        Parameter("J_y", "kg*m^2", "its inertia about y", 22000.0),
        Parameter("J_z", "kg*m^2", "its inertia about z", 25000.0),
        Parameter("m_t", "kg", "platform mass", 2000.0),
        Parameter("J_t", "kg*m^2", "inertia of the platform, vertical", 1500.0),
        Parameter("J_w", "kg*m^2", "inertia of each winch", 5.0),
        Parameter("r_w", "m", "drum radius", 0.2),
        Parameter("A", "m", "winches from the platform's middle, along x", 2.5),
        Parameter("B", "m", "winches from the platform's middle, along y", 1.5),
        Parameter("C", "m", "rope points from the spreader's centre, along x", 1.5),
        Parameter("D", "m", "rope points from the spreader's centre, along y", 1.2),
        Parameter("h", "m", "rope points above the spreader's centre", 1.2),
    )
    outputs = {
        "x": "spreader.x",
        "y": "spreader.y",
        "z": "spreader.z",
        "yaw": "yaw",
        "pitch": "pitch",
        "roll": "roll",
        "warp": "l_1 - l_2 + l_3 - l_4",
    }
