"""Examples of the literature: dumbbell, squeezer, free rotary crane, five-bar linkage, pairs.

Each function returns the system and a consistent initial state. The examples are those of
the thesis, Uhlar 2009 and Spencer 2004, with the corrections of the reference (Sections 5 and 12).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.forward.schemes import MechanicalSystem, system_of_crane
from cranebridge.twin.bodies import (
    DirectorBody,
    LowerPair,
    PlanarBody,
    Vector,
    angular_momentum,
    internal_constraints,
    joint_angle,
    kinetic_energy,
)
from cranebridge.twin.cranes import RotaryCraneRotationless
from cranebridge.twin.language import names

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Example:
    """A system and a consistent state that it starts from."""

    system: MechanicalSystem
    q: Array
    v: Array
    coordinates: tuple[str, ...] = ()


def dumbbell() -> Example:
    """Return the planar dumbbell of Uhlar 2009, Chapter 2: two unit masses, Lennard-Jones forces.

    V = 4 eps ((c/s)^6 - (c/s)^3) with s = r^2 and c = 2^(-1/3): the exponents 12 and 6 of r, with
    the constants that make r = 1 the place of no force (the printed ones do not). Barely bound.
    """
    q, v = ca.SX.sym("q", 4), ca.SX.sym("v", 4)
    square = ca.sumsqr(q[0:2] - q[2:4])
    x = 2.0 ** (-1.0 / 3.0) / square
    cube = x * x * x
    momentum = q[0] * v[1] - q[1] * v[0] + q[2] * v[3] - q[3] * v[2]
    system = MechanicalSystem(
        name="dumbbell",
        q=q,
        v=v,
        kinetic=0.5 * ca.sumsqr(v),
        potential=4 * 16.2 * (cube * cube - cube),
        momenta=ca.vertcat(v[0] + v[2], v[1] + v[3], momentum),
    )
    return Example(system, np.array([0.0, 1.0, 0.0, 0.0]), np.array([5.0, 0.0, -5.0, 0.0]))


# Andrews' squeezer, exact data of the benchmark (Hairer and Wanner II, Section VII.7) in SI units,
# with the names of points, links and lengths there. "Along" is towards the other hinge of a link,
# "aside" is across that.
_MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498)  # of the links K1..K7
_INERTIA = (2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)  # of K1..K7
_A = (-0.06934, -0.00227)  # hinge of K5 and K7 at the ground
_B = (-0.03635, 0.03273)  # hinge of K3 at the ground
_C = (0.014, 0.072)  # fixed end of the spring
_RR = 0.007  # K1: from O to G
_RA = 0.00092  # K1: from O to its centre
_D = 0.028  # K2: from G to P
_DA = 0.0115  # K2: from G to its centre
_SS = 0.035  # K3: from B to P
_SA = 0.01874  # K3: from B to its centre, along
_SB = 0.01043  # K3: from B to its centre, aside
_SC = 0.018  # K3: from B to its end of the spring, along
_SD = 0.02  # K3: from B to its end of the spring, aside
_E = 0.02  # K4: from P to E
_EA = 0.01421  # K4: from P to its centre
_ZT = 0.04  # K5: from A to E
_TA = 0.02308  # K5: from A to its centre, along
_TB = 0.00916  # K5: from A to its centre, aside
_ZF = 0.02  # K6: from P to F
_FA = 0.01421  # K6: from P to its centre
_U = 0.04  # K7: from A to F
_UA = 0.01228  # K7: from A to its centre, along
_UB = 0.00449  # K7: from A to its centre, aside
_STIFFNESS = 4530.0  # of the spring, N/m
_FREE_LENGTH = 0.07785  # of the spring
_TORQUE = 0.033  # of the drive on K1, constant
# beta, Theta, gamma, phi, delta, Omega and epsilon at the start: a consistent configuration.
_ANGLES = (
    -0.0617138900142764,
    0.0,
    0.45527981916307,
    0.222668390165886,
    0.487364979543843,
    -0.222668390165886,
    1.23054744454982,
)


def squeezer_links(bodies: Sequence[PlanarBody]) -> dict[str, list[Any]]:
    """Return each hinge of the squeezer by name: its place as every link at it sees it."""
    k1, k2, k3, k4, k5, k6, k7 = bodies
    return {
        "O": [ca.DM([0.0, 0.0]), k1.point(-_RA, 0.0)],
        "B": [ca.DM(_B), k3.point(-_SB, _SA)],
        "A": [ca.DM(_A), k5.point(-_TA, -_TB), k7.point(_UB, _UA)],
        "G": [k1.point(_RR - _RA, 0.0), k2.point(_DA, 0.0)],
        "P": [
            k2.point(_DA - _D, 0.0),
            k3.point(-_SB, _SA - _SS),
            k4.point(0.0, -_EA),
            k6.point(_FA, 0.0),
        ],
        "E": [k4.point(0.0, _E - _EA), k5.point(_ZT - _TA, -_TB)],
        "F": [k6.point(_FA - _ZF, 0.0), k7.point(_UB, _UA - _U)],
    }


def squeezer() -> Example:
    """Return Andrews' squeezer of seven planar rotationless bodies, and the crank angle beta.

    43 coordinates, 42 constraints, one degree of freedom. The drive's torque is the slope of a
    potential -M beta, on beta itself, so that T + V is conserved.
    """
    q, v = ca.SX.sym("q", 43), ca.SX.sym("v", 43)
    bodies = [PlanarBody.of(q[6 * i : 6 * i + 6]) for i in range(7)]
    rates = [PlanarBody.of(v[6 * i : 6 * i + 6]) for i in range(7)]
    kinetic = sum(
        0.5
        * (m * ca.sumsqr(w.phi) + J / 2 * (ca.sumsqr(w.directors[0]) + ca.sumsqr(w.directors[1])))
        for m, J, w in zip(_MASS, _INERTIA, rates, strict=True)
    )
    beta = joint_angle(q[42], bodies[0].directors[0], ca.DM([1.0, 0.0]), ca.DM([0.0, 1.0]))
    hinges = squeezer_links(bodies)
    closures = [place - places[0] for places in hinges.values() for place in places[1:]]
    internal = [g for body in bodies for g in body.internal_constraints()]
    end = bodies[2].point(_SD - _SB, _SA - _SC)
    length = ca.sqrt(ca.sumsqr(end - ca.DM(_C)))
    system = MechanicalSystem(
        name="squeezer",
        q=q,
        v=v,
        kinetic=kinetic,
        potential=0.5 * _STIFFNESS * (length - _FREE_LENGTH) ** 2 - _TORQUE * q[42],
        constraints=ca.vertcat(*internal, *closures, beta.constraint),
        alignments=beta.alignment,
        independent=(42,),
    )
    return Example(system, squeezer_configuration(_ANGLES), np.zeros(43))


def squeezer_configuration(angles: Sequence[float]) -> Array:
    """Return the 43 coordinates from the benchmark's seven angles (beta, Theta, gamma, ...)."""
    beta, theta, gamma, phi, delta, omega, epsilon = angles
    turn = (beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon)
    d_1 = [np.array([math.cos(a), math.sin(a)]) for a in turn]
    d_2 = [np.array([-math.sin(a), math.cos(a)]) for a in turn]
    A, B = np.array(_A), np.array(_B)
    G = _RR * d_1[0]
    E, F = A + _ZT * d_1[4], A - _U * d_2[6]
    centres = (
        _RA * d_1[0],
        G - _DA * d_1[1],
        B + _SB * d_1[2] - _SA * d_2[2],
        E - (_E - _EA) * d_2[3],
        A + _TA * d_1[4] + _TB * d_2[4],
        F + (_ZF - _FA) * d_1[5],
        A - _UA * d_2[6] - _UB * d_1[6],
    )
    parts = [part for c, a, b in zip(centres, d_1, d_2, strict=True) for part in (c, a, b)]
    return np.concatenate([*parts, [beta]])


def free_rotary_crane(s: float = 1.5) -> Example:
    """Return the rotary crane of thesis 2.4: 42 coordinates, no drives, slewing at 1 rad/s.

    The trolley starts at rest at the radius `s`; the thesis has 1.5 m and 2.5 m in two places.
    """
    crane = RotaryCraneRotationless()
    # Table 2.2; the crane's defaults are those of Table 4.1, which differ by rounding.
    values = crane.parameter_values({"m": 10.0, "E_11": 8.33, "E_12": 8.33})
    system = system_of_crane(crane, values)
    q, v = system.q, system.v
    eulers = (("E_11", "E_12", "E_13"), ("E_21", "E_22", "E_23"), ("E_31", "E_32", "E_31"))
    spin = sum(
        angular_momentum(
            DirectorBody.of(q[12 * k : 12 * k + 12]),
            DirectorBody.of(v[12 * k : 12 * k + 12]),
            values[f"m_{k + 1}"],
            [values[name] for name in euler],
        )
        for k, euler in enumerate(eulers)
    ) + values["m"] * ca.cross(q[36:39], v[36:39])
    coordinates = names(crane.coordinates)
    independent = tuple(coordinates.index(name) for name in ("x", "y", "theta_b", "s", "theta"))
    start = crane.configuration(0.0, s, values["l_0"], (s, 0.0, -values["l_0"]), values)
    place = np.array([start[name] for name in coordinates])
    rate = np.zeros(42)
    for k in range(13):  # all vectors turn about e_3
        rate[3 * k : 3 * k + 2] = -place[3 * k + 1], place[3 * k]
    rate[coordinates.index("theta_b")] = 1.0
    return Example(
        replace(system, momenta=spin[2], independent=independent), place, rate, coordinates
    )


def five_bar(angles: Sequence[float] | None = None) -> Example:
    """Return the five-bar linkage of Spencer 2004, Section 3.2, at rest.

    Four moving links of 1, 1.5, 1.5 and 1 m between supports 1 m apart; q_1 is absolute, q_2..q_4
    are the angles between links (theta_(i+1) = theta_i - pi + q_(i+1)). Default is the singular
    start (pi, 0, pi, 0) of the first example (printed wrongly), all links on one line.
    """
    lengths, masses, inertias = (1.0, 1.5, 1.5, 1.0), (2.0, 3.0, 3.0, 2.0), (1.0, 2.0, 2.0, 1.0)
    q, v = ca.SX.sym("q", 4), ca.SX.sym("v", 4)
    kinetic, potential, tip, turn = ca.SX(0), ca.SX(0), ca.SX.zeros(2), ca.SX(0)
    for i in range(4):
        turn = q[0] if i == 0 else turn - math.pi + q[i]
        direction = ca.vertcat(ca.cos(turn), ca.sin(turn))
        centre = tip + lengths[i] / 2 * direction
        speed, spin = ca.jtimes(centre, q, v), ca.jtimes(turn, q, v)
        kinetic += 0.5 * (masses[i] * ca.sumsqr(speed) + inertias[i] * spin**2)
        potential += masses[i] * 9.81 * centre[1]
        tip = tip + lengths[i] * direction
    system = MechanicalSystem(
        name="five-bar",
        q=q,
        v=v,
        kinetic=kinetic,
        potential=potential,
        constraints=tip - ca.DM([1.0, 0.0]),
    )
    start = (math.pi, 0.0, math.pi, 0.0) if angles is None else angles
    return Example(system, np.array(start, dtype=float), np.zeros(4))


def joined_pair(
    joint: LowerPair,
    masses: tuple[float, float],
    eulers: tuple[Vector, Vector],
    start: tuple[DirectorBody, DirectorBody],
    rates: Sequence[float],
) -> Example:
    """Return two rotationless bodies in free flight, joined by a lower pair.

    Parameters
    ----------
    joint : LowerPair
        The pair.
    masses, eulers : tuple
        Mass and principal Euler tensor of each body.
    start : tuple of DirectorBody
        A configuration that fits the joint.
    rates : sequence of float
        Twist of the first body (phi', omega) and rates of the joint.
    """
    q, v = ca.SX.sym("q", 24), ca.SX.sym("v", 24)
    bodies = DirectorBody.of(q[:12]), DirectorBody.of(q[12:])
    speeds = DirectorBody.of(v[:12]), DirectorBody.of(v[12:])
    parts = list(zip(bodies, speeds, masses, eulers, strict=True))
    kinetic = sum(kinetic_energy(speed, m, E) for _, speed, m, E in parts)
    linear = sum(m * speed.phi for _, speed, m, _ in parts)
    angular = sum(angular_momentum(body, speed, m, E) for body, speed, m, E in parts)
    internal = [g for body in bodies for g in internal_constraints(body)]
    place = np.array(ca.DM(ca.vertcat(start[0].vector, start[1].vector)))[:, 0]
    P = np.array(ca.DM(joint.null_space(*start)))
    system = MechanicalSystem(
        name=f"{joint.kind} pair",
        q=q,
        v=v,
        kinetic=kinetic,
        potential=ca.SX(0),
        constraints=ca.vertcat(*internal, *joint.constraints(*bodies)),
        momenta=ca.vertcat(linear, angular),
    )
    return Example(system, place, P @ np.asarray(rates, float))
