"""Rigid bodies without rotation parameters: centre of mass and three directors.

Uhlar 2009 (Chapter 4) and thesis (Chapter 2). A body has the 12 coordinates (phi, d_1, d_2, d_3);
the directors are its principal axes at the mass centre. The mass matrix is constant,

    M = diag(m I, E_1 I, E_2 I, E_3 I),   E_1 = (J_2 + J_3 - J_1) / 2, ... (Euler tensor, 4.7),

and that the directors stay orthonormal is stated by six internal constraints. Joints are further
constraints, at most quadratic in the coordinates, so that their discrete derivatives are their
gradients at the mid-point. For each pair of bodies there is a null-space matrix P with G P = 0,
which maps the twist of the first body and the joint's rates to the velocities of both; evaluated at
the mid-point of two configurations it is the discrete null-space matrix, if axes are written as
cross products: m_1 x m_2, m_2 x n, n x m_1 in (4.40), (4.62), (4.69), where the printed ones fail.

Joint angles are further coordinates without mass ("augmentation"). The printed constraint
d.e_1 + d.e_2 + sin - cos = 0 is singular where sin + cos = 0, and has a mirror branch
3 pi/2 - theta. Here a direction is asked to be normal to the turned one, a product, regular
everywhere; its other branch is half a turn away, and `JointAngle.alignment` tells them apart (+1
and -1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.twin.language import Quantity

Vector = tuple[float, float, float]
Array = NDArray[np.float64]
Pair = Literal["revolute", "prismatic", "cylindrical", "spherical", "planar"]

COORDINATES = 12
_AXES = "xyz"


@dataclass(frozen=True, eq=False)
class DirectorBody:
    """The coordinates of a body, or their velocities: mass centre and directors.

    Attributes
    ----------
    phi : casadi.SX or casadi.DM
        Mass centre.
    directors : tuple
        d_1, d_2, d_3.
    """

    phi: Any
    directors: tuple[Any, Any, Any]

    @classmethod
    def of(cls, q: Any) -> DirectorBody:
        """Return the body whose 12 coordinates are the vector `q`."""
        return cls(q[0:3], (q[3:6], q[6:9], q[9:12]))

    @property
    def vector(self) -> Any:
        """The 12 coordinates."""
        return ca.vertcat(self.phi, *self.directors)

    def turned(self, components: Sequence[float]) -> Any:
        """Return the vector with these components in the directors (a rotation, no shift)."""
        return sum(x * d for x, d in zip(components, self.directors, strict=True))

    def point(self, components: Sequence[float]) -> Any:
        """Return the place of the material point with these components (4.1)."""
        return self.phi + self.turned(components)


@dataclass(frozen=True, eq=False)
class PlanarBody:
    """A body in the plane: mass centre and two directors, 6 coordinates and 3 constraints.

    Only the sum E_1 + E_2, the moment of inertia about the mass centre, enters the dynamics.
    """

    phi: Any
    directors: tuple[Any, Any]

    @classmethod
    def of(cls, q: Any) -> PlanarBody:
        """Return the body whose 6 coordinates are the vector `q`."""
        return cls(q[0:2], (q[2:4], q[4:6]))

    def point(self, along: float, across: float) -> Any:
        """Return the place of the material point with these components."""
        return self.phi + along * self.directors[0] + across * self.directors[1]

    def internal_constraints(self) -> list[Any]:
        """Return the three conditions that the directors are orthonormal."""
        d_1, d_2 = self.directors
        return [0.5 * (ca.sumsqr(d_1) - 1.0), 0.5 * (ca.sumsqr(d_2) - 1.0), ca.dot(d_1, d_2)]


def angular_momentum(
    body: DirectorBody, velocity: DirectorBody, mass: Any, euler: Sequence[Any]
) -> Any:
    """Return the angular momentum of a body about the origin, quadratic in (q, v)."""
    turning = [
        E * ca.cross(d, rate)
        for E, d, rate in zip(euler, body.directors, velocity.directors, strict=True)
    ]
    return mass * ca.cross(body.phi, velocity.phi) + sum(turning)


def body_quantities(number: int, what: str) -> tuple[Quantity, ...]:
    """Return the names of a body's coordinates: ``phi1_x`` ..., ``d11_x`` ... ``d13_z``."""
    centre = tuple(Quantity(f"phi{number}_{c}", "m", f"mass centre of the {what}") for c in _AXES)
    directors = tuple(
        Quantity(f"d{number}{k}_{c}", "1", f"director {k} of the {what}")
        for k in (1, 2, 3)
        for c in _AXES
    )
    return centre + directors


def euler_tensor(inertia: Vector) -> Vector:
    """Return the principal values of the Euler tensor from those of the inertia tensor (4.7)."""
    J_1, J_2, J_3 = inertia
    return ((J_2 + J_3 - J_1) / 2, (J_3 + J_1 - J_2) / 2, (J_1 + J_2 - J_3) / 2)


def kinetic_energy(velocity: DirectorBody, mass: Any, euler: Sequence[Any]) -> Any:
    """Return the kinetic energy of a body: a constant quadratic form."""
    turning = sum(E * ca.sumsqr(d) for E, d in zip(euler, velocity.directors, strict=True))
    return 0.5 * (mass * ca.sumsqr(velocity.phi) + turning)


def mass_matrix(mass: float, euler: Vector) -> Array:
    """Return M = diag(m I, E_1 I, E_2 I, E_3 I) (4.6)."""
    return np.diag(np.repeat([mass, *euler], 3))


def internal_constraints(body: DirectorBody) -> list[Any]:
    """Return the six conditions that the directors are orthonormal.

    Thesis 2.44 prints (d.d)/2 - 1; its Jacobian belongs to (d.d - 1)/2.
    """
    d_1, d_2, d_3 = body.directors
    lengths = [0.5 * (ca.sumsqr(d) - 1.0) for d in body.directors]
    return [*lengths, ca.dot(d_1, d_2), ca.dot(d_1, d_3), ca.dot(d_2, d_3)]


def null_space(body: DirectorBody) -> Any:
    """Return P_int (12 x 6): velocities from the twist (phi', omega) (4.16)."""
    rows = [ca.horzcat(ca.DM.eye(3), ca.DM.zeros(3, 3))]
    rows += [ca.horzcat(ca.DM.zeros(3, 3), -ca.skew(d)) for d in body.directors]
    return ca.vertcat(*rows)


def rotation(theta: Any) -> Any:
    """Return the rotation by the vector `theta`, exp(skew(theta)) (Rodrigues, 4.24).

    The functions sin(x)/x and (1 - cos x)/x^2 are taken of x^2, so that theta = 0 is regular.
    """
    square = ca.sumsqr(theta)
    small = square < 1e-8
    x = ca.sqrt(ca.if_else(small, 1.0, square))
    first = ca.if_else(small, 1.0 - square / 6.0, ca.sin(x) / x)
    second = ca.if_else(small, 0.5 - square / 24.0, (1.0 - ca.cos(x)) / x**2)
    hat = ca.skew(theta)
    return ca.DM.eye(3) + first * hat + second * (hat @ hat)


@dataclass(frozen=True)
class LowerPair:
    """A lower pair between two bodies.

    Attributes
    ----------
    kind : {"revolute", "prismatic", "cylindrical", "spherical", "planar"}
        Which motions it leaves free: 1, 1, 2, 3, 3 of them.
    place_1, place_2 : tuple of float
        The joint's point in each body, by components in its directors.
    axis_1, axis_2 : tuple of float
        The joint's axis n (for a planar pair the normal) in each body.
    """

    kind: Pair
    place_1: Vector = (0.0, 0.0, 0.0)
    place_2: Vector = (0.0, 0.0, 0.0)
    axis_1: Vector = (0.0, 0.0, 1.0)
    axis_2: Vector = (0.0, 0.0, 1.0)

    @property
    def freedoms(self) -> int:
        """Number of motions that the joint leaves free."""
        return {"revolute": 1, "prismatic": 1, "cylindrical": 2, "spherical": 3, "planar": 3}[
            self.kind
        ]

    def constraints(self, first: DirectorBody, second: DirectorBody) -> list[Any]:
        """Return the joint's 6 - freedoms constraints."""
        gap = second.point(self.place_2) - first.point(self.place_1)
        m_1, m_2, n = self._frame(first)
        across = [ca.dot(m_1, gap), ca.dot(m_2, gap)]
        match self.kind:
            case "spherical":
                return ca.vertsplit(gap)
            case "revolute":  # (4.52)
                return [*ca.vertsplit(gap), *self._parallel(n, second)]
            case "cylindrical":  # (4.33)
                return [*across, *self._parallel(n, second)]
            case "planar":  # (4.65)
                return [ca.dot(n, gap), *self._parallel(n, second)]
            case "prismatic":  # (4.58)
                return [*across, *self._fixed(first, second)]

    def null_space(self, first: DirectorBody, second: DirectorBody) -> Any:
        """Return P (24 x (6 + freedoms)): velocities from the twist of body 1 and joint rates."""
        m_1, m_2, n = self._frame(first)
        arm_1, arm_2 = first.turned(self.place_1), second.turned(self.place_2)
        zero, one = ca.DM.zeros(3, 1), ca.DM.eye(3)
        between = ca.skew(first.phi - second.phi)
        turning = [ca.cross(n, d) for d in second.directors]
        still = [zero, zero, zero]
        carried: Any = between
        # Cross products, not the third axis: at a mid-point the frame is not orthonormal, and only
        # they stay normal to the other two (Uhlar 2009 prints the third axis).
        match self.kind:
            case "spherical":
                return self._spherical(first, second)
            case "revolute":
                carried = ca.skew(arm_2) - ca.skew(arm_1)
                columns = [(ca.cross(arm_2, n), turning)]
            case "cylindrical":
                columns = [(ca.cross(m_1, m_2), still), (ca.cross(arm_2, n), turning)]
            case "prismatic":
                columns = [(ca.cross(m_1, m_2), still)]
            case "planar":
                columns = [
                    (ca.cross(m_2, n), still),
                    (ca.cross(n, m_1), still),
                    (ca.cross(arm_2, n), turning),
                ]
        rows = [ca.horzcat(one, carried, *(centre for centre, _ in columns))]
        for k, d in enumerate(second.directors):
            own = [directors[k] for _, directors in columns]
            rows.append(ca.horzcat(ca.DM.zeros(3, 3), -ca.skew(d), *own))
        return ca.vertcat(
            ca.horzcat(null_space(first), ca.DM.zeros(COORDINATES, self.freedoms)), *rows
        )

    def move(
        self, first: DirectorBody, second: DirectorBody, step: Any
    ) -> tuple[DirectorBody, DirectorBody]:
        """Return both bodies after a finite step in the freedoms: F of (4.44), never singular here.

        `step` has the shift and the rotation vector of body 1, then those of the joint, in the
        order of the columns of `null_space`.
        """
        R = rotation(step[3:6])
        moved = DirectorBody(first.phi + step[0:3], _turn(R, first))
        m_1, m_2, n = self._frame(first)
        along_1, along_2, along = self._frame(moved)
        gap = second.point(self.place_2) - first.point(self.place_1)
        own = step[6:]
        match self.kind:
            case "spherical":
                directors, shift = _turn(rotation(own), second), ca.DM.zeros(3, 1)
            case "revolute":
                directors, shift = _turn(R @ rotation(own[0] * n), second), ca.DM.zeros(3, 1)
            case "prismatic":
                directors, shift = _turn(R, second), (ca.dot(n, gap) + own[0]) * along
            case "cylindrical":
                directors = _turn(R @ rotation(own[1] * n), second)
                shift = (ca.dot(n, gap) + own[0]) * along
            case "planar":
                directors = _turn(R @ rotation(own[2] * n), second)
                shift = (ca.dot(m_1, gap) + own[0]) * along_1
                shift += (ca.dot(m_2, gap) + own[1]) * along_2
        arm = sum(x * d for x, d in zip(self.place_2, directors, strict=True))
        return moved, DirectorBody(moved.point(self.place_1) + shift - arm, directors)

    def _spherical(self, first: DirectorBody, second: DirectorBody) -> Any:
        """Return P of a spherical pair: the second body's own angular velocity (4.49)."""
        arm_1, arm_2 = first.turned(self.place_1), second.turned(self.place_2)
        nothing = ca.DM.zeros(3, 3)
        rows = [ca.horzcat(ca.DM.eye(3), -ca.skew(arm_1), ca.skew(arm_2))]
        rows += [ca.horzcat(nothing, nothing, -ca.skew(d)) for d in second.directors]
        return ca.vertcat(ca.horzcat(null_space(first), ca.DM.zeros(COORDINATES, 3)), *rows)

    def _frame(self, first: DirectorBody) -> tuple[Any, Any, Any]:
        """Return m_1, m_2 and n, fixed in the first body."""
        m_1, m_2, n = frame(self.axis_1)
        return first.turned(m_1), first.turned(m_2), first.turned(n)

    def _parallel(self, n: Any, second: DirectorBody) -> list[Any]:
        """Return the two conditions n . d - eta that hold the axis fixed in the second body.

        The director nearest to the axis is left out: with it the conditions would be singular.
        """
        axis = frame(self.axis_2)[2]
        nearest = int(np.argmax(np.abs(axis)))
        return [ca.dot(n, second.directors[k]) - axis[k] for k in range(3) if k != nearest]

    def _fixed(self, first: DirectorBody, second: DirectorBody) -> list[Any]:
        """Return m_1^1.m_2^2, m_2^1.n^2, n^1.m_1^2: no relative rotation.

        Products of the joint's frames, not of the directors: regular for any axes.
        """
        m_1, m_2, n = self._frame(first)
        l_1, l_2, k = (second.turned(direction) for direction in frame(self.axis_2))
        return [ca.dot(m_1, l_2), ca.dot(m_2, k), ca.dot(n, l_1)]


def _turn(R: Any, body: DirectorBody) -> tuple[Any, Any, Any]:
    """Return the directors of a body, turned."""
    d_1, d_2, d_3 = body.directors
    return R @ d_1, R @ d_2, R @ d_3


def frame(axis: Vector) -> tuple[Vector, Vector, Vector]:
    """Return two normal directions and the axis itself, orthonormal and right-handed."""
    n = np.asarray(axis, dtype=float) / float(np.linalg.norm(axis))
    helper = np.eye(3)[int(np.argmin(np.abs(n)))]
    m_1 = np.cross(helper, n)
    m_1 /= np.linalg.norm(m_1)
    m_2 = np.cross(n, m_1)
    return tuple(map(float, m_1)), tuple(map(float, m_2)), tuple(map(float, n))  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class JointAngle:
    """A joint angle as a coordinate: the direction `moving` turns from `start` towards `ahead`.

    Attributes
    ----------
    constraint : casadi.SX
        moving . (cos(theta) ahead - sin(theta) start) = 0, written with the invariants
        moving.start and moving.ahead, so that a discrete gradient of it keeps angular momentum.
    alignment : casadi.SX
        moving . (cos(theta) start + sin(theta) ahead): 1 where `moving` has turned by theta, -1 on
        the wrong branch, theta plus half a turn.
    """

    constraint: Any
    alignment: Any


def joint_angle(theta: Any, moving: Any, start: Any, ahead: Any) -> JointAngle:
    """Return the augmentation by the angle `theta` of `moving` in the plane (start, ahead)."""
    along, across = ca.dot(moving, start), ca.dot(moving, ahead)
    return JointAngle(
        constraint=across * ca.cos(theta) - along * ca.sin(theta),
        alignment=along * ca.cos(theta) + across * ca.sin(theta),
    )
