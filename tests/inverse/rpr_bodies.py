"""The planar RPR manipulator body by body, written without the package: eight bodies and joints.

Points and velocities are complex numbers. The bodies are base, platform, sleeves 1 to 3, rods 1 to
3; each has the coordinates x, y and angle. Masses and lengths are numbers of the source's tables.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

MASS = np.array([8.0, 3.0, 3.0, 3.0, 3.0, 4.0, 4.0, 4.0])
INERTIA = np.array([0.2, 0.0816, 0.04, 0.04, 0.04, 0.12, 0.12, 0.12])
# From the centre of a triangle of side 1 to its corners: circumradius 1/sqrt(3).
CORNERS = np.exp(1j * np.radians([210.0, 330.0, 90.0])) / np.sqrt(3.0)
SLEEVE, ROD = 0.125, 0.175


@dataclass(frozen=True)
class Bodies:
    """Places (complex) and angles of all bodies, their rates, and the rates of the driven joints.

    Each has a row for every time.
    """

    place: np.ndarray
    angle: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray

    @property
    def joint_rates(self) -> np.ndarray:
        return self.spin[:, 2:5] - self.spin[:, :1]

    @property
    def kinetic_energy(self) -> np.ndarray:
        return 0.5 * (np.abs(self.velocity) ** 2 @ MASS + self.spin**2 @ INERTIA)

    @property
    def centre_of_mass(self) -> np.ndarray:
        return self.place @ MASS / MASS.sum()

    @property
    def angular_momentum(self) -> np.ndarray:
        return (self.place.conj() * self.velocity).imag @ MASS + self.spin @ INERTIA


def bodies(q: np.ndarray, v: np.ndarray, sleeve: float = SLEEVE) -> Bodies:
    """Return the bodies for rows of x_b, y_b, psi_b, x, y, psi and their rates."""
    base, platform = q[:, 0] + 1j * q[:, 1], q[:, 3] + 1j * q[:, 4]
    arm = np.exp(1j * q[:, 2])[:, None] * CORNERS * 1.0
    hand = np.exp(1j * q[:, 5])[:, None] * CORNERS * 0.4
    foot, head = base[:, None] + arm, platform[:, None] + hand
    foot_rate = (v[:, 0] + 1j * v[:, 1])[:, None] + 1j * v[:, 2:3] * arm
    head_rate = (v[:, 3] + 1j * v[:, 4])[:, None] + 1j * v[:, 5:6] * hand
    leg = head - foot
    spin = ((head_rate - foot_rate) / leg).imag
    along = leg / np.abs(leg)
    turning = 1j * spin * along
    legs, angle = np.angle(leg), (q[:, 2:3], q[:, 5:6])
    return Bodies(
        place=np.column_stack([base, platform, foot + sleeve * along, head - ROD * along]),
        angle=np.column_stack([*angle, legs, legs]),
        velocity=np.column_stack(
            [
                v[:, 0] + 1j * v[:, 1],
                v[:, 3] + 1j * v[:, 4],
                foot_rate + sleeve * turning,
                head_rate - ROD * turning,
            ]
        ),
        spin=np.column_stack([v[:, 2], v[:, 5], spin, spin]),
    )


def joint_conditions() -> ca.Function:
    """Build g(z) = 0 of all joints, G, g' and what G' adds to g'': 18 for 24 coordinates."""
    z, rate = ca.SX.sym("z", 24), ca.SX.sym("rate", 24)

    def point(body: int, x: float, y: float) -> ca.SX:
        cos, sin = ca.cos(z[3 * body + 2]), ca.sin(z[3 * body + 2])
        return z[3 * body : 3 * body + 2] + ca.vertcat(x * cos - y * sin, x * sin + y * cos)

    rows = []
    for i, corner in enumerate(CORNERS):
        sleeve, rod = 2 + i, 5 + i
        rows.append(point(sleeve, -SLEEVE, 0.0) - point(0, corner.real, corner.imag))
        rows.append(point(rod, ROD, 0.0) - point(1, 0.4 * corner.real, 0.4 * corner.imag))
        across = ca.vertcat(-ca.sin(z[3 * sleeve + 2]), ca.cos(z[3 * sleeve + 2]))
        apart = z[3 * rod : 3 * rod + 2] - z[3 * sleeve : 3 * sleeve + 2]
        rows.append(ca.dot(across, apart))
        rows.append(z[3 * rod + 2] - z[3 * sleeve + 2])
    g = ca.vertcat(*rows)
    G = ca.jacobian(g, z)
    bend = ca.jtimes(G @ rate, z, rate)
    return ca.Function("joints", [z, rate], [g, G, G @ rate, bend])


def accelerations(motion: Bodies, row: int, torques: np.ndarray) -> np.ndarray:
    """Solve Newton's and Euler's equations of all bodies with their joint forces, for one time.

    `torques` act from the base on the sleeves, friction included. Returns those of base and
    platform.
    """
    place, velocity = motion.place[row], motion.velocity[row]
    z = np.column_stack([place.real, place.imag, motion.angle[row]]).ravel()
    rate = np.column_stack([velocity.real, velocity.imag, motion.spin[row]]).ravel()
    g, G, g_rate, bend = (np.array(x) for x in joint_conditions()(z, rate))
    assert np.abs(g).max() < 1e-12
    assert np.abs(g_rate).max() < 1e-12
    mass = np.diag(np.column_stack([MASS, MASS, INERTIA]).ravel())
    force = np.zeros(24)
    force[2] = -torques.sum()
    force[[8, 11, 14]] = torques
    matrix = np.block([[mass, G.T], [G, np.zeros((18, 18))]])
    found = np.linalg.solve(matrix, np.concatenate([force, -bend[:, 0]]))
    return found[:6]
