"""What each built-in crane looks like: from its coordinates to points and bodies.

The points at the ends of ropes are exact. Posts, masts and rails, about which the models say
nothing, are drawn so that they are not in the way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from cranebridge.report.bodies import (
    Array,
    Beam,
    Body,
    Box,
    Plate,
    Rope,
    Scene,
    Sphere,
    Wheel,
    bounds,
)
from cranebridge.twin.cablev import Cablev
from cranebridge.twin.crane import Crane
from cranebridge.twin.navy2d import NavyCrane2D
from cranebridge.twin.navy2d_pulley import NavyCrane2DPulley
from cranebridge.twin.navy3d import NavyCrane3D
from cranebridge.twin.navy3d_pulley import NavyCrane3DPulley
from cranebridge.twin.overhead import OverheadCrane
from cranebridge.twin.rotary import RotaryCrane
from cranebridge.twin.rotary_redundant import RotaryCraneRedundant
from cranebridge.twin.rotary_rotationless import RotaryCraneRotationless

Columns = Mapping[str, Array]
Parameters = Mapping[str, float]
Points = dict[str, Array]

DOWNWARD: tuple[type[Crane], ...] = (Cablev,)
"""Cranes whose z axis points down."""


def overhead(q: Columns, p: Parameters) -> Scene:
    """Rail on two posts, trolley, rope, load."""
    points = {"trolley": _points(q["s"], 0.0, 0.0), "load": _points(q["x"], 0.0, q["z"])}
    unit, ground = _measure(points)
    left, right = bounds(points.values())
    ends = left[0] - 8 * unit, right[0] + 8 * unit
    for side, x in zip(("left", "right"), ends, strict=True):
        points[f"rail_{side}"] = _points(x, 0.0, 1.5 * unit, like=q["s"])
        points[f"post_{side}"] = _points(x, 0.0, ground, like=q["s"])
    bodies: list[Body] = [
        Beam("rail_left", "rail_right", 1.0 * unit),
        Beam("post_left", "rail_left", 1.2 * unit),
        Beam("post_right", "rail_right", 1.2 * unit),
        Box("trolley", "rail_right", (6 * unit, 4 * unit, 2 * unit)),
        Rope("trolley", "load", "T_cable"),
        Sphere("load", 3.0 * unit),
    ]
    return Scene(points, tuple(bodies), ground)


def rotary(q: Columns, p: Parameters) -> Scene:
    """Tower, jib with trolley, rope, load."""
    cos, sin = np.cos(q["phi"]), np.sin(q["phi"])
    points = {
        "trolley": _points(q["s"] * cos, q["s"] * sin, 0.0),
        "load": _points(q["x"], q["y"], q["z"]),
    }
    return _tower_crane(points, cos, sin, [Rope("trolley", "load", "T_cable")])


def rotary_redundant(q: Columns, p: Parameters) -> Scene:
    """Tower crane whose trolley and hoist ropes come from winches on the counter-jib."""
    counter = _points(q["x_2"], q["y_2"], 0.0)
    points = {
        "winch_2": counter,
        "winch_1": p["alpha"] * counter,
        "trolley": _points(q["x_0"], q["y_0"], 0.0),
        "load": _points(q["x"], q["y"], q["z"]),
    }
    ropes = [
        Rope("winch_1", "trolley"),
        Rope("winch_2", "trolley", "T_load_cable"),
        Rope("trolley", "load", "T_load_cable"),
    ]
    unit, _ = _measure(points)
    winches = [Box(name, "trolley", (2.5 * unit,) * 3) for name in ("winch_1", "winch_2")]
    return _tower_crane(points, -q["x_2"] / p["r"], -q["y_2"] / p["r"], [*ropes, *winches])


def rotary_rotationless(q: Columns, p: Parameters) -> Scene:
    """Tower crane whose trolley is a body of its own."""
    points = {
        "trolley": _points(q["phi3_x"], q["phi3_y"], q["phi3_z"]),
        "load": _points(q["x"], q["y"], q["z"]),
    }
    cos, sin = np.cos(q["theta_b"]), np.sin(q["theta_b"])
    return _tower_crane(points, cos, sin, [Rope("trolley", "load", "T_cable")])


def navy2d(q: Columns, p: Parameters) -> Scene:
    """Leaning pole with winches A and P, pulley, load."""
    x, z = -p["l"] * math.sin(p["alpha"]), -p["l"] * math.cos(p["alpha"])
    points = {
        "P": _points(0.0, 0.0, 0.0, like=q["x"]),
        "A": _points(x, 0.0, z, like=q["x"]),
        "pulley": _points(q["x_0"], 0.0, q["z_0"]),
        "load": _points(q["x"], 0.0, q["z"]),
    }
    foot = points["A"] - 0.3 * (points["P"] - points["A"])
    ropes = [
        Rope("A", "pulley", "T_cable1_A"),
        Rope("P", "pulley", "T_cable2_upper_P"),
        Rope("pulley", "load", "T_cable2_lower_load"),
    ]
    return _pole_crane(points, foot, "P", ropes)


def navy2d_pulley(q: Columns, p: Parameters) -> Scene:
    """Leaning pole with winches A, P and S, pulley, load."""
    down = np.array([[-math.sin(p["alpha"]), 0.0, -math.cos(p["alpha"])]])
    steady = np.ones((q["x"].size, 1))
    points = {
        "S": 0.0 * steady * down,
        "P": p["s"] * steady * down,
        "A": (p["s"] + p["l"]) * steady * down,
        "pulley": _points(q["x_0"], 0.0, q["z_0"]),
        "load": _points(q["x"], 0.0, q["z"]),
    }
    ropes = [
        Rope("A", "pulley", "T_cable1_A"),
        Rope("P", "pulley", "T_cable2_upper_P"),
        Rope("S", "pulley", "T_cable3_S"),
        Rope("pulley", "load", "T_cable2_lower_load"),
    ]
    return _pole_crane(points, 1.2 * points["A"], "S", ropes)


def navy3d(q: Columns, p: Parameters) -> Scene:
    """Slewing pole with winches A and P, pulley, load."""
    points = _slewing_points(q, p)
    ropes = [
        Rope("A", "pulley", "T_cable1_A"),
        Rope("P", "pulley", "T_cable3_upper_P"),
        Rope("pulley", "load", "T_cable3_lower_load"),
    ]
    return _pole_crane(points, 0.0 * points["P"], "P", ropes)


def navy3d_pulley(q: Columns, p: Parameters) -> Scene:
    """Slewing pole with winches A, P and S, pulley, load."""
    points = _slewing_points(q, p)
    points["S"] = (1.0 + p["s"] / (p["k"] + p["l"])) * points["P"]
    ropes = [
        Rope("A", "pulley", "T_cable1_A"),
        Rope("S", "pulley", "T_cable2_S"),
        Rope("P", "pulley", "T_cable3_upper_P"),
        Rope("pulley", "load", "T_cable3_lower_load"),
    ]
    return _pole_crane(points, 0.0 * points["P"], "S", ropes)


def cablev(q: Columns, p: Parameters) -> Scene:
    """Gantry on two rails, three trolleys on it, three ropes, platform."""
    offsets = (0.0, p["l_2"], -p["l_2"])
    points: Points = {}
    for i, offset in enumerate(offsets, start=1):
        points[f"trolley_{i}"] = _points(q[f"p_g{i}"], q["p_g0"] + offset, 0.0)
    centre = _points(q["r_x"], q["r_y"], q["r_z"])
    turn = _bryant(q["phi_1"], q["phi_2"], q["phi_3"])
    out, side = p["l_1"] / math.sqrt(3.0), 0.5 * p["l_1"]
    corners = ((out, 0.0, 0.0), (-0.5 * out, side, 0.0), (-0.5 * out, -side, 0.0))
    for i, corner in enumerate(corners, start=1):
        points[f"corner_{i}"] = centre + turn @ np.array(corner)
    points["load"] = centre
    low, high = bounds(points.values())
    ends = {"left": low[0] - 0.6, "right": high[0] + 0.6}
    for side_name, x in ends.items():
        for i, offset in enumerate(offsets, start=1):
            points[f"bridge_{side_name}_{i}"] = _points(x, q["p_g0"] + offset, -0.12)
        for name, y in (("near", low[1] - 0.8), ("far", high[1] + 0.8)):
            points[f"rail_{side_name}_{name}"] = _points(x, y, -0.12, like=q["r_x"])
    # Turned half about x, so that z points up and nothing is mirrored.
    points = {name: part * np.array([1.0, -1.0, -1.0]) for name, part in points.items()}
    _, ground = _measure({"load": points["load"], "trolley": points["trolley_1"]})
    bodies: list[Body] = [Plate(("corner_1", "corner_2", "corner_3")), Sphere("load", 0.08)]
    for i in (1, 2, 3):
        bodies += [
            Rope(f"trolley_{i}", f"corner_{i}", f"T_{i}"),
            Box(f"trolley_{i}", f"bridge_right_{i}", (0.3, 0.22, 0.12)),
            Sphere(f"corner_{i}", 0.05),
            Beam(f"bridge_left_{i}", f"bridge_right_{i}", 0.035),
        ]
    for end in ("left", "right"):
        bodies += [
            Beam(f"rail_{end}_near", f"rail_{end}_far", 0.05),
            Beam(f"bridge_{end}_2", f"bridge_{end}_3", 0.06),
        ]
        for name in ("near", "far"):
            foot = points[f"rail_{end}_{name}"].copy()
            foot[:, 2] = ground
            points[f"post_{end}_{name}"] = foot
            bodies.append(Beam(f"post_{end}_{name}", f"rail_{end}_{name}", 0.07))
    note = "The crane's z axis points down; it is shown turned half about x."
    return Scene(points, tuple(bodies), ground, note)


SCENES: dict[type[Crane], Callable[[Columns, Parameters], Scene]] = {
    OverheadCrane: overhead,
    RotaryCrane: rotary,
    RotaryCraneRedundant: rotary_redundant,
    RotaryCraneRotationless: rotary_rotationless,
    NavyCrane2D: navy2d,
    NavyCrane2DPulley: navy2d_pulley,
    NavyCrane3D: navy3d,
    NavyCrane3DPulley: navy3d_pulley,
    Cablev: cablev,
}
"""How to draw each built-in crane."""


def _tower_crane(points: Points, cos: Array, sin: Array, parts: list[Body]) -> Scene:
    """Add tower, jib and counter-jib to trolley, load and ropes."""
    unit, ground = _measure(points)
    reach = 1.08 * float(np.linalg.norm(points["trolley"], axis=1).max()) + 2 * unit
    rear = max(0.4 * reach, *(1.15 * _reach(points, name) for name in points if "winch" in name), 0)
    height = 1.8 * unit  # the jib stands above the trolley, whose ropes stay visible below it
    points = points | {
        "tower_foot": _points(0.0, 0.0, ground, like=cos),
        "jib_root": _points(0.0, 0.0, height, like=cos),
        "tower_top": _points(0.0, 0.0, height + 0.2 * reach, like=cos),
        "jib_tip": _points(reach * cos, reach * sin, height),
        "jib_rear": _points(-rear * cos, -rear * sin, height),
    }
    structure: list[Body] = [
        Beam("tower_foot", "tower_top", 1.6 * unit),
        Beam("jib_rear", "jib_tip", 0.9 * unit),
        Beam("tower_top", "jib_tip", 0.25 * unit),
        Beam("tower_top", "jib_rear", 0.25 * unit),
        Box("jib_rear", "jib_root", (7 * unit, 6 * unit, 5 * unit), "structure"),
        Box("trolley", "jib_tip", (5 * unit, 4 * unit, 2 * unit)),
    ]
    return Scene(points, (*structure, *parts, Sphere("load", 3.0 * unit)), ground)


def _pole_crane(points: Points, foot: Array, top: str, ropes: list[Rope]) -> Scene:
    """Add a leaning pole from its foot through the winches, and a pedestal below it."""
    unit, ground = _measure(points)
    lowest = foot.copy()
    lowest[:, 2] = ground
    points = points | {"foot": foot, "base": lowest}
    winches = [Wheel(name, "pulley", 1.6 * unit) for name in points if name in ("A", "P", "S")]
    bodies: tuple[Body, ...] = (
        Beam("base", "foot", 2.0 * unit),
        Beam("foot", top, 0.9 * unit),
        *winches,
        *ropes,
        Wheel("pulley", "P", 1.8 * unit),
        Sphere("load", 3.0 * unit),
    )
    return Scene(points, bodies, ground)


def _slewing_points(q: Columns, p: Parameters) -> Points:
    """Winches on the slewing pole, pulley and load."""
    pole = p["k"] + p["l"]
    P = _points(q["x_3"], q["y_3"], pole * math.cos(p["alpha"]))
    return {
        "P": P,
        "A": p["k"] / pole * P,
        "pulley": _points(q["x_0"], q["y_0"], q["z_0"]),
        "load": _points(q["x"], q["y"], q["z"]),
    }


def _points(x: ArrayLike, y: ArrayLike, z: ArrayLike, like: Array | None = None) -> Array:
    """Return points over time; what does not move is a number, `like` tells the times."""
    parts = [x, y, z] if like is None else [x, y, z, like]
    return np.column_stack(np.broadcast_arrays(*map(np.asarray, parts))[:3]).astype(float)


def _measure(points: Points) -> tuple[float, float]:
    """Return a unit for the bodies' thickness and the height of the ground."""
    low, high = bounds(points.values())
    unit = float(np.linalg.norm(high - low)) / 100.0
    return unit, float(low[2]) - 6.0 * unit


def _reach(points: Points, name: str) -> float:
    return float(np.hypot(points[name][:, 0], points[name][:, 1]).max())


def _bryant(phi_1: Array, phi_2: Array, phi_3: Array) -> Array:
    """Return R_x(phi_1) R_y(phi_2) R_z(phi_3) at each time, shape (times, 3, 3)."""
    c_1, s_1, c_2, s_2 = np.cos(phi_1), np.sin(phi_1), np.cos(phi_2), np.sin(phi_2)
    c_3, s_3 = np.cos(phi_3), np.sin(phi_3)
    rows = (
        (c_2 * c_3, -c_2 * s_3, s_2),
        (c_1 * s_3 + s_1 * s_2 * c_3, c_1 * c_3 - s_1 * s_2 * s_3, -s_1 * c_2),
        (s_1 * s_3 - c_1 * s_2 * c_3, s_1 * c_3 + c_1 * s_2 * s_3, c_1 * c_2),
    )
    return np.array(rows).transpose(2, 0, 1)
