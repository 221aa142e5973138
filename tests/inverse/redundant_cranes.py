"""Machines that the package has in minimal coordinates, in redundant ones.

Cartesian loads, each rope a constraint, friction and air on the coordinates that they act on:
written anew, so that nothing but the parameters' names is shared.
"""

from __future__ import annotations

import math
from typing import Any

import casadi as ca
import numpy as np

from cranebridge.twin import Crane, Quantity
from cranebridge.twin.cranes.bridge import BridgeCrane
from cranebridge.twin.cranes.double_pendulum import DoublePendulumCrane
from cranebridge.twin.cranes.flexible_jib import FlexibleJibCrane
from cranebridge.twin.cranes.gantry import GantryCrane
from cranebridge.twin.cranes.luffing_jib import LuffingJibCrane
from cranebridge.twin.cranes.overhead import OverheadCrane
from cranebridge.twin.cranes.quadrotor import QuadrotorWithLoad


def against(rate: Any, viscous: Any, coulomb: Any, smooth: Any) -> Any:
    """Friction."""
    return -(viscous * rate + coulomb * ca.tanh(rate / smooth))


def air(velocities: list[Any], wind: list[Any], c_d: Any) -> list[Any]:
    """Drag, linear below 0.1 m/s."""
    relative = [w - v for w, v in zip(wind, velocities, strict=True)]
    speed = ca.sqrt(sum(w**2 for w in relative) + 0.01)
    return [c_d * speed * w for w in relative]


def winch(v, p) -> Any:
    return against(v.l / p.r, p.d_w, p.M_c, p.omega_c) / p.r


def metres(*names: str) -> tuple[Quantity, ...]:
    return tuple(Quantity(name, "m", name) for name in names)


class RedundantGantry(OverheadCrane):
    parameters = GantryCrane.parameters

    def other_forces(self, q, v, p):
        x, z = air([v.x, v.z], [p.w_x, 0.0], p.c_d)
        return {"s": against(v.s, p.d_t, p.F_c, p.v_c), "l": winch(v, p), "x": x, "z": z}


class RedundantDoublePendulum(Crane):
    name = "redundant"
    description = "hook and load as points"
    coordinates = metres("s", "l", "x_h", "z_h", "x", "z")
    parameters = DoublePendulumCrane.parameters
    inputs = DoublePendulumCrane.inputs
    outputs = DoublePendulumCrane.outputs
    ropes = DoublePendulumCrane.ropes
    multipliers = tuple(Quantity(name, "N/m", name) for name in ("lambda_1", "lambda_2"))

    def kinetic_energy(self, q, v, p):
        hook, load = v.x_h**2 + v.z_h**2, v.x**2 + v.z**2
        return (p.m_t * v.s**2 + p.J / p.r**2 * v.l**2 + p.m_h * hook + p.m * load) / 2

    def potential_energy(self, q, p):
        return p.g * (p.m_h * q.z_h + p.m * q.z)

    def drive_power(self, q, v, u, p):
        return u.F_t * v.s + u.M_w * v.l / p.r

    def other_forces(self, q, v, p):
        x, z = air([v.x, v.z], [p.w_x, 0.0], p.c_d)
        return {"s": against(v.s, p.d_t, p.F_c, p.v_c), "l": winch(v, p), "x": x, "z": z}

    def constraints(self, q, p):
        return {
            "lambda_1": ((q.x_h - q.s) ** 2 + q.z_h**2 - q.l**2) / 2,
            "lambda_2": ((q.x - q.x_h) ** 2 + (q.z - q.z_h) ** 2 - p.l_2**2) / 2,
        }

    def output_map(self, q, p):
        return {"x": q.x, "z": q.z}

    def rope_forces(self, q, lam, p):
        return {"T_cable": lam.lambda_1 * q.l, "T_sling": lam.lambda_2 * p.l_2}

    def rest(self, y, p):
        z_h = y["z"] + p["l_2"]
        return {"s": y["x"], "l": -z_h, "x_h": y["x"], "z_h": z_h}


class RedundantQuadrotor(Crane):
    name = "redundant"
    description = "vehicle and load as points, the vehicle turns"
    coordinates = (*metres("x_q", "z_q"), Quantity("phi", "rad", "pitch"), *metres("x", "z"))
    parameters = QuadrotorWithLoad.parameters
    inputs = QuadrotorWithLoad.inputs
    outputs = QuadrotorWithLoad.outputs
    ropes = QuadrotorWithLoad.ropes
    multipliers = (Quantity("lambda", "N/m", "rope"),)

    def kinetic_energy(self, q, v, p):
        vehicle = p.m_q * (v.x_q**2 + v.z_q**2) + p.J * v.phi**2
        return (vehicle + p.m * (v.x**2 + v.z**2)) / 2

    def potential_energy(self, q, p):
        return p.g * (p.m_q * q.z_q + p.m * q.z)

    def drive_power(self, q, v, u, p):
        return u.F * (v.x_q * ca.sin(q.phi) + v.z_q * ca.cos(q.phi)) + u.M * v.phi

    def other_forces(self, q, v, p):
        load = air([v.x, v.z], [p.w_x, 0.0], p.c_d)
        vehicle = air([v.x_q, v.z_q], [p.w_x, 0.0], p.c_q)
        return dict(zip(("x", "z", "x_q", "z_q"), (*load, *vehicle), strict=True))

    def constraints(self, q, p):
        return {"lambda": ((q.x - q.x_q) ** 2 + (q.z - q.z_q) ** 2 - p.l**2) / 2}

    def output_map(self, q, p):
        return {"x": q.x, "z": q.z}

    def rope_forces(self, q, lam, p):
        return {"T_cable": lam["lambda"] * p.l}

    def rest(self, y, p):
        return {"x_q": y["x"], "z_q": y["z"] + p["l"]}


class RedundantLuffingJib(Crane):
    name = "redundant"
    description = "the load as a point below the tip"
    coordinates = (
        Quantity("phi", "rad", "slewing"),
        Quantity("beta", "rad", "luffing"),
        *metres("l", "x", "y", "z"),
    )
    parameters = LuffingJibCrane.parameters
    inputs = LuffingJibCrane.inputs
    outputs = LuffingJibCrane.outputs
    ropes = LuffingJibCrane.ropes
    multipliers = (Quantity("lambda", "N/m", "rope"),)

    def kinetic_energy(self, q, v, p):
        # the rod as the integral of its elements: mean of (r_0 + s cos)^2 over s by Simpson's rule,
        # exact for a square
        def radius(part):
            return (p.r_0 + part * p.L * ca.cos(q.beta)) ** 2

        rod = p.m_j * (radius(0.0) + 4 * radius(0.5) + radius(1.0)) / 6
        slewing = (p.J_b + rod) * v.phi**2
        luffing = (p.J_j + p.m_j * p.L**2 / 3) * v.beta**2
        load = p.m * (v.x**2 + v.y**2 + v.z**2)
        return (slewing + luffing + p.J_w / p.r_w**2 * v.l**2 + load) / 2

    def potential_energy(self, q, p):
        return p.g * (p.m_j * p.L * ca.sin(q.beta) / 2 + p.m * q.z)

    def drive_power(self, q, v, u, p):
        return u.M_b * v.phi + u.M_j * v.beta + u.M_w * v.l / p.r_w

    def other_forces(self, q, v, p):
        x, y, z = air([v.x, v.y, v.z], [p.w_x, p.w_y, 0.0], p.c_d)
        drum = against(v.l / p.r_w, p.d_w, p.M_cw, p.omega_c)
        return {
            "phi": against(v.phi, p.d_b, p.M_cb, p.omega_c),
            "beta": against(v.beta, p.d_j, p.M_cj, p.omega_c),
            "l": drum / p.r_w,
            **{"x": x, "y": y, "z": z},
        }

    def constraints(self, q, p):
        radius = p.r_0 + p.L * ca.cos(q.beta)
        dx, dy = q.x - radius * ca.cos(q.phi), q.y - radius * ca.sin(q.phi)
        dz = q.z - p.L * ca.sin(q.beta)
        return {"lambda": (dx**2 + dy**2 + dz**2 - q.l**2) / 2}

    def output_map(self, q, p):
        return {"x": q.x, "y": q.y, "z": q.z}

    def rope_forces(self, q, lam, p):
        return {"T_cable": lam["lambda"] * q.l}

    def rest(self, y, p):
        beta = math.acos((math.hypot(y["x"], y["y"]) - p["r_0"]) / p["L"])
        length = p["L"] * math.sin(beta) - y["z"]
        return {"phi": math.atan2(y["y"], y["x"]), "beta": beta, "l": length}


class RedundantBridge(Crane):
    name = "redundant"
    description = "the load as a point below the trolley"
    coordinates = metres("b", "s", "l", "x", "y", "z")
    parameters = BridgeCrane.parameters
    inputs = BridgeCrane.inputs
    outputs = BridgeCrane.outputs
    ropes = BridgeCrane.ropes
    multipliers = (Quantity("lambda", "N/m", "rope"),)

    def kinetic_energy(self, q, v, p):
        trolley = p.m_t * (v.s**2 + v.b**2) + p.m_b * v.b**2 + p.J_w * (v.l / p.r_w) ** 2
        return (trolley + p.m * (v.x**2 + v.y**2 + v.z**2)) / 2

    def potential_energy(self, q, p):
        return p.m * p.g * q.z

    def drive_power(self, q, v, u, p):
        return u.F_b * v.b + u.F_t * v.s + u.M_w * v.l / p.r_w

    def other_forces(self, q, v, p):
        x, y, z = air([v.x, v.y, v.z], [p.w_x, p.w_y, 0.0], p.c_d)
        drum = against(v.l / p.r_w, p.d_w, p.M_cw, p.omega_c)
        return {
            "b": against(v.b, p.d_b, p.F_cb, p.v_c),
            "s": against(v.s, p.d_t, p.F_ct, p.v_c),
            "l": drum / p.r_w,
            **{"x": x, "y": y, "z": z},
        }

    def constraints(self, q, p):
        return {"lambda": ((q.x - q.s) ** 2 + (q.y - q.b) ** 2 + q.z**2 - q.l**2) / 2}

    def output_map(self, q, p):
        return {"x": q.x, "y": q.y, "z": q.z}

    def rope_forces(self, q, lam, p):
        return {"T_cable": lam["lambda"] * q.l}

    def rest(self, y, p):
        return {"b": y["y"], "s": y["x"], "l": -y["z"]}


class SwingingFlexibleJib(Crane):
    """The one crane that the package has in redundant coordinates only, in swing angles.

    The angles are those of the rope in the frame of the jib: along it, then across.
    """

    name = "natural"
    description = "flexible jib, the load in swing angles"
    coordinates = (
        *FlexibleJibCrane.coordinates[:4],
        *(Quantity(name, "rad", "swing") for name in ("theta_1", "theta_2")),
    )
    parameters = FlexibleJibCrane.parameters
    inputs = FlexibleJibCrane.inputs
    outputs = FlexibleJibCrane.outputs

    def points(self, q, p):
        """Trolley and load."""
        turn = ca.vertcat(
            ca.horzcat(ca.cos(q.phi), -ca.sin(q.phi), 0),
            ca.horzcat(ca.sin(q.phi), ca.cos(q.phi), 0),
            ca.horzcat(0, 0, 1),
        )
        part = q.s / p.L
        trolley = ca.vertcat(q.s, (3 * part**2 - part**3) / 2 * q.eta, 0)
        across = ca.cos(q.theta_2)
        rope = ca.vertcat(
            ca.sin(q.theta_1) * across, ca.sin(q.theta_2), -ca.cos(q.theta_1) * across
        )
        return turn @ trolley, turn @ (trolley + q.l * rope)

    def kinetic_energy(self, q, v, p):
        place, rate = ca.vertcat(*q), ca.vertcat(*v)
        trolley, load = (ca.jtimes(point, place, rate) for point in self.points(q, p))
        # beam: point masses at the nodes of a Gauss rule that is exact for its polynomials
        nodes, weights = np.polynomial.legendre.leggauss(6)
        beam = 0.0
        for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
            shape = (3 * node**2 - node**3) / 2
            along, side = node * p.L * v.phi + shape * v.eta, shape * q.eta * v.phi
            beam += weight * p.rho * p.L * (along**2 + side**2)
        hub = p.J_h * v.phi**2 + p.J_w * (v.l / p.r_w) ** 2
        return (hub + beam + p.m_t * ca.sumsqr(trolley) + p.m * ca.sumsqr(load)) / 2

    def potential_energy(self, q, p):
        return p.k_j * q.eta**2 / 2 + p.m * p.g * self.points(q, p)[1][2]

    def drive_power(self, q, v, u, p):
        return u.M_b * v.phi + u.F_t * v.s + u.M_w * v.l / p.r_w

    def other_forces(self, q, v, p):
        place = ca.vertcat(*q)
        jacobian = ca.jacobian(self.points(q, p)[1], place)
        velocities = ca.vertsplit(jacobian @ ca.vertcat(*v))
        pushed = jacobian.T @ ca.vertcat(*air(velocities, [p.w_x, p.w_y, 0.0], p.c_d))
        drum = against(v.l / p.r_w, p.d_w, p.M_cw, p.omega_c)
        own = {
            "phi": against(v.phi, p.d_b, p.M_cb, p.omega_c),
            "s": against(v.s, p.d_t, p.F_ct, p.v_c),
            "l": drum / p.r_w,
            "eta": -p.d_j * v.eta,
        }
        names = [quantity.name for quantity in self.coordinates]
        return {name: pushed[i] + own.get(name, 0.0) for i, name in enumerate(names)}

    def output_map(self, q, p):
        load = self.points(q, p)[1]
        return {"x": load[0], "y": load[1], "z": load[2]}

    def rest(self, y, p):
        return {
            "phi": math.atan2(y["y"], y["x"]),
            "s": math.hypot(y["x"], y["y"]),
            "l": -y["z"],
        }
