"""Energies and constraints of the cranes of bodies and joints, in redundant Cartesian coordinates.

Bodies are given by the places of their ends: a slender rod of mass m between a and b has the
kinetic energy m/6 (a'.a' + a'.b' + b'.b'). No closed form of the plants is used. Each function
returns coordinates, kinetic energy, potential energy, generalised forces, constraints and the rope
whose force is each constraint's multiplier.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca


def place(q: dict, suffix: str = "") -> ca.SX:
    return ca.vertcat(*[q[f"{axis}{suffix}"] for axis in "xyz"])


def rate_of(expression: ca.SX, q: dict, v: dict) -> ca.SX:
    return ca.jtimes(expression, ca.vertcat(*q.values()), ca.vertcat(*v.values()))


def rod(mass: ca.SX, a: ca.SX, b: ca.SX, q: dict, v: dict) -> ca.SX:
    """Kinetic energy of a slender rod by the velocities of its ends."""
    v_a, v_b = (rate_of(end, q, v) for end in (a, b))
    return mass * (ca.dot(v_a, v_a) + ca.dot(v_a, v_b) + ca.dot(v_b, v_b)) / 6


def in_plane(q: dict, radius: float, height: float) -> ca.SX:
    """A point in the plane that slews."""
    return ca.vertcat(radius * ca.cos(q["phi"]), radius * ca.sin(q["phi"]), height)


def beside(q: dict, point: ca.SX) -> ca.SX:
    """Distance of a point from the plane that slews."""
    return point[1] * ca.cos(q["phi"]) - point[0] * ca.sin(q["phi"])


def winch(v: dict, p: dict, length: str = "l") -> ca.SX:
    return p["J_w"] * (v[length] / p["r_w"]) ** 2 / 2


def load(v: dict, p: dict, axes: str = "xyz") -> ca.SX:
    return p["m"] * sum(v[axis] ** 2 for axis in axes) / 2


def body_gantry() -> tuple:
    return (
        ("s", "l", "x", "z"),
        lambda q, v, p: p["m_t"] * v["s"] ** 2 / 2 + winch(v, p) + load(v, p, "xz"),
        lambda q, p: p["m"] * p["g"] * q["z"],
        lambda q, u, p: {"s": u["F_t"], "l": u["M_w"] / p["r_w"]},
        lambda q, p: [ca.sqrt((q["x"] - q["s"]) ** 2 + q["z"] ** 2) - q["l"]],
        ("T_cable",),
    )


def cylinder_crane() -> tuple:
    """Column by its angle, jib by its tip, cylinder by its ends: nine coordinates."""

    def cylinder(q: dict, p: dict) -> tuple[ca.SX, ca.SX, ca.SX]:
        foot, head = in_plane(q, p["r_c"], p["z_c"]), place(q, "_t") * p["d"] / p["L"]
        return foot, head, (head - foot) / ca.norm_2(head - foot)

    def rods(q: dict, p: dict) -> list[tuple[ca.SX, ca.SX, ca.SX]]:
        foot, head, along = cylinder(q, p)
        return [
            (p["m_j"], ca.SX.zeros(3), place(q, "_t")),
            (p["m_1"], foot, foot + p["L_1"] * along),
            (p["m_2"], head - p["L_2"] * along, head),
        ]

    def kinetic(q: dict, v: dict, p: dict) -> ca.SX:
        moving = sum(rod(mass, a, b, q, v) for mass, a, b in rods(q, p))
        return p["J_b"] * v["phi"] ** 2 / 2 + moving + winch(v, p) + load(v, p)

    def potential(q: dict, p: dict) -> ca.SX:
        weight = sum(mass * (a[2] + b[2]) / 2 for mass, a, b in rods(q, p))
        return p["g"] * (weight + p["m"] * q["z"])

    def constraints(q: dict, p: dict) -> list[ca.SX]:
        foot, head, _ = cylinder(q, p)
        tip = place(q, "_t")
        return [
            ca.norm_2(tip) - p["L"],
            beside(q, tip),
            ca.norm_2(head - foot) - q["c"],
            ca.norm_2(place(q) - tip) - q["l"],
        ]

    return (
        ("phi", "c", "l", "x_t", "y_t", "z_t", "x", "y", "z"),
        kinetic,
        potential,
        lambda q, u, p: {"phi": u["M_b"], "c": u["F_c"], "l": u["M_w"] / p["r_w"]},
        constraints,
        (None, None, None, "T_cable"),
    )


BODY_ORACLES: dict[str, Callable[[], tuple]] = {
    "BodyGantry": body_gantry,
    "CylinderCrane": cylinder_crane,
}
