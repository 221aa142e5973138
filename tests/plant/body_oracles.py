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


def knuckle_boom() -> tuple:
    """Column by its angle, booms by their ends, cylinders by their lengths: twelve coordinates."""

    def rods(q: dict, p: dict) -> list[tuple[ca.SX, ca.SX, ca.SX]]:
        pin, elbow = ca.vertcat(0, 0, p["z_0"]), place(q, "_e")
        return [(p["m_1"], pin, elbow), (p["m_2"], elbow, place(q, "_t"))]

    def kinetic(q: dict, v: dict, p: dict) -> ca.SX:
        moving = sum(rod(mass, a, b, q, v) for mass, a, b in rods(q, p))
        return p["J_b"] * v["phi"] ** 2 / 2 + moving + load(v, p)

    def potential(q: dict, p: dict) -> ca.SX:
        weight = sum(mass * (a[2] + b[2]) / 2 for mass, a, b in rods(q, p))
        return p["g"] * (weight + p["m"] * q["z"])

    def constraints(q: dict, p: dict) -> list[ca.SX]:
        pin, elbow, tip = ca.vertcat(0, 0, p["z_0"]), place(q, "_e"), place(q, "_t")
        main = (elbow - pin) / p["L_1"]
        behind = elbow - p["d_3"] * (tip - elbow) / p["L_2"]
        return [
            ca.norm_2(elbow - pin) - p["L_1"],
            ca.norm_2(tip - elbow) - p["L_2"],
            beside(q, elbow),
            beside(q, tip),
            ca.norm_2(pin + p["d_1"] * main - in_plane(q, p["r_c"], p["z_c"])) - q["c_1"],
            ca.norm_2(behind - pin - p["d_2"] * main) - q["c_2"],
            ca.norm_2(place(q) - tip) - p["L_r"],
        ]

    return (
        ("phi", "c_1", "c_2", "x_e", "y_e", "z_e", "x_t", "y_t", "z_t", "x", "y", "z"),
        kinetic,
        potential,
        lambda q, u, p: {"phi": u["M_b"], "c_1": u["F_1"], "c_2": u["F_2"]},
        constraints,
        (*[None] * 6, "T_cable"),
    )


def portal() -> tuple:
    """Bridge by centre and angle, drives and trolley by their places: eleven coordinates."""

    def kinetic(q: dict, v: dict, p: dict) -> ca.SX:
        trolley = p["m_t"] * (v["x_t"] ** 2 + v["y_t"] ** 2) / 2
        bridge = p["m_b"] * v["x_b"] ** 2 / 2 + p["J_b"] * v["psi"] ** 2 / 2
        return bridge + trolley + winch(v, p) + load(v, p)

    def constraints(q: dict, p: dict) -> list[ca.SX]:
        top = ca.vertcat(q["x_t"], q["y_t"], 0)
        return [
            q["x_b"] - p["a"] * ca.sin(q["psi"]) - q["x_1"],
            q["x_b"] + p["a"] * ca.sin(q["psi"]) - q["x_2"],
            q["x_b"] - q["s"] * ca.sin(q["psi"]) - q["x_t"],
            q["s"] * ca.cos(q["psi"]) - q["y_t"],
            ca.norm_2(place(q) - top) - q["l"],
        ]

    return (
        ("x_b", "psi", "x_1", "x_2", "s", "l", "x_t", "y_t", "x", "y", "z"),
        kinetic,
        lambda q, p: p["c_psi"] * q["psi"] ** 2 / 2 + p["m"] * p["g"] * q["z"],
        lambda q, u, p: {
            "x_1": u["F_1"],
            "x_2": u["F_2"],
            "s": u["F_t"],
            "l": u["M_w"] / p["r_w"],
        },
        constraints,
        (None, None, None, None, "T_cable"),
    )


def turn(axis: int, angle: ca.SX) -> ca.SX:
    c, s = ca.cos(angle), ca.sin(angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    matrix = ca.SX.eye(3)
    matrix[j, j], matrix[j, k], matrix[k, j], matrix[k, k] = c, -s, s, c
    return matrix


def spreader() -> tuple:
    """Spreader by its place and three angles, ropes by their lengths: thirteen coordinates."""
    signs = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    ropes = [f"l_{i}" for i in (1, 2, 3, 4)]

    def attitude(q: dict) -> ca.SX:
        return turn(2, q["yaw"]) @ turn(1, q["pitch"]) @ turn(0, q["roll"])

    def kinetic(q: dict, v: dict, p: dict) -> ca.SX:
        R = attitude(q)
        omega = ca.inv_skew(R.T @ ca.reshape(rate_of(ca.vec(R), q, v), 3, 3))
        inertia = ca.vertcat(p["J_x"], p["J_y"], p["J_z"])
        trolley = p["m_t"] * (v["x_t"] ** 2 + v["y_t"] ** 2) + p["J_t"] * v["theta"] ** 2
        winches = sum(winch(v, p, rope) for rope in ropes)
        return ca.dot(inertia, omega**2) / 2 + trolley / 2 + winches + load(v, p)

    def constraints(q: dict, p: dict) -> list[ca.SX]:
        top, result = ca.vertcat(q["x_t"], q["y_t"], 0), []
        for (i, j), rope in zip(signs, ropes, strict=True):
            above = top + turn(2, q["theta"]) @ ca.vertcat(i * p["A"], j * p["B"], 0)
            below = place(q) + attitude(q) @ ca.vertcat(i * p["C"], j * p["D"], p["h"])
            result.append(ca.norm_2(below - above) - q[rope])
        return result

    def force(q: dict, u: dict, p: dict) -> dict:
        torques = {f"l_{i}": u[f"M_{i}"] / p["r_w"] for i in (1, 2, 3, 4)}
        return torques | {"x_t": u["F_x"], "y_t": u["F_y"], "theta": u["M_t"]}

    return (
        ("x_t", "y_t", "theta", *ropes, "x", "y", "z", "yaw", "pitch", "roll"),
        kinetic,
        lambda q, p: p["m"] * p["g"] * q["z"],
        force,
        constraints,
        ("T_1", "T_2", "T_3", "T_4"),
    )


BODY_ORACLES: dict[str, Callable[[], tuple]] = {
    "BodyGantry": body_gantry,
    "CylinderCrane": cylinder_crane,
    "KnuckleBoom": knuckle_boom,
    "PortalCrane": portal,
    "SpreaderCrane": spreader,
}
