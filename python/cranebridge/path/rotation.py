"""Rotation about a fixed axis from one orientation to another, with Bryant angles as outputs.

The orientation is R = Rx(phi_1) Ry(phi_2) Rz(phi_3) and the path R(t) = R_a exp(e~ s c(t)), with
the axis e in the frame of the start orientation R_a (reference, Section 10). The angles come back
as phi_1 = atan2(-R23, R33), phi_2 = atan2(R13, cos(phi_2)), phi_3 = atan2(-R12, R11), which keep
the signs that the arccos formulas of the thesis (6.99) lose, and are continuous along the path:
270 degrees come out as 270 degrees, not as -90.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.optimize import brentq

from cranebridge.errors import InputError
from cranebridge.path import taylor
from cranebridge.path.base import FloatArray
from cranebridge.path.curved import Curve
from cranebridge.path.profile import Profile

GIMBAL_LOCK = 1e-6
"""Bryant angles are refused where the cosine of phi_2 is smaller than this."""

_SAME_ANGLE = 1e-9


@dataclass(frozen=True)
class Rotation(Curve):
    """Rotation by an angle about an axis that is fixed in space and in the body.

    Attributes
    ----------
    start : tuple of float
        Bryant angles of the start orientation [rad]; the path begins with these values.
    axis : tuple of float
        Unit vector in the frame of the start orientation.
    angle : float
        How far to turn [rad], of any sign and size.

    Raises
    ------
    InputError
        If the path passes gimbal lock, where cos(phi_2) = 0.
    """

    start: tuple[float, ...]
    axis: tuple[float, ...]
    angle: float

    _kinds: ClassVar[tuple[tuple[int, ...], ...]] = ((0, 1, 2),)

    def __post_init__(self) -> None:
        locked = self._progress_at_gimbal_lock()
        if locked is not None:
            raise InputError(
                f"the rotation of the path passes gimbal lock (phi_2 at 90 degrees) at "
                f"t = {_time_of(self.profile, locked):.6g} s, where Bryant angles are not defined."
            )

    @property
    def goal(self) -> tuple[float, ...]:
        """Bryant angles of the goal orientation, continued from the start [rad]."""
        end = self._geometry(np.ones((1, 1)))[0, :, 0]
        return tuple(float(phi) for phi in end)

    @cached_property
    def _harmonics(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """P0, P1, P2 of R(theta) = P0 + P1 cos(theta) + P2 sin(theta)."""
        first, e = bryant_matrix(self.start), np.array(self.axis)
        cross = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
        return first @ np.outer(e, e), first @ (np.eye(3) - np.outer(e, e)), first @ cross

    @property
    def _branch(self) -> float:
        """The sign of cos(phi_2), which cannot change without passing gimbal lock."""
        return math.copysign(1.0, math.cos(self.start[1]))

    def _entry(self, i: int, j: int) -> tuple[float, float, float]:
        """Return a, b, c of R_ij(theta) = a + b cos(theta) + c sin(theta)."""
        p0, p1, p2 = (float(p[i - 1, j - 1]) for p in self._harmonics)
        return p0, p1, p2

    def _progress_at_gimbal_lock(self) -> float | None:
        _, b, c = self._entry(1, 3)
        # |R13| is largest at the ends or where its derivative vanishes
        extrema = _periodic([math.atan2(c, b), math.atan2(c, b) + math.pi], self.angle)
        theta = np.array([0.0, *extrema, self.angle])
        cosine = np.hypot(*(_harmonic(self._entry(1, j), theta) for j in (1, 2)))
        locked = theta[cosine < GIMBAL_LOCK]
        if not len(locked):
            return None
        return float(np.abs(locked).min() / abs(self.angle)) if self.angle else 0.0

    @cached_property
    def _quadrants(self) -> tuple[tuple[FloatArray, FloatArray], ...]:
        """For phi_1 and phi_3: bounds in theta, and a value of the angle between two of them.

        Between two zeros of its sine or cosine an angle stays in one quadrant, so that it differs
        by less than a quarter turn from its value in the middle. That settles multiples of a turn
        for every time point on its own, without following the path to it.
        """
        found = []
        for k, (y, x) in enumerate((((2, 3), (3, 3)), ((1, 2), (1, 1)))):
            zeros = [z for entry in (y, x) for z in _zeros(self._entry(*entry), self.angle)]
            bounds = np.array(sorted([0.0, *zeros, self.angle]))
            middles = (bounds[1:] + bounds[:-1]) / 2
            sine, cosine = (_harmonic(self._entry(*entry), middles) for entry in (y, x))
            row = np.arctan2(-self._branch * sine, self._branch * cosine)
            # continued from the start, which is the last bound if the angle is negative
            direction = 1 if self.angle >= 0 else -1
            continued = np.unwrap([self.start[2 * k], *row[::direction]])[1:]
            values = continued[::direction]
            found.append((bounds[1:-1], values))
        return tuple(found)

    def _geometry(self, progress: FloatArray) -> FloatArray:
        if not self.angle:
            out = np.zeros((len(progress), 3, progress.shape[1]))
            out[0] = np.array(self.start)[:, None]
            return out
        cos, sin = taylor.cos_sin(self.angle * progress)
        p0, p1, p2 = self._harmonics

        def entry(i: int, j: int) -> FloatArray:
            series: FloatArray = p1[i - 1, j - 1] * cos + p2[i - 1, j - 1] * sin
            series[0] += p0[i - 1, j - 1]
            return series

        r11, r12, r13, r23, r33 = (entry(*ij) for ij in ((1, 1), (1, 2), (1, 3), (2, 3), (3, 3)))
        branch = self._branch
        cosine = branch * taylor.sqrt(taylor.multiply(r11, r11) + taylor.multiply(r12, r12))
        phi_1 = taylor.arctan2(-branch * r23, branch * r33)
        phi_2 = taylor.arctan2(r13, cosine)
        phi_3 = taylor.arctan2(-branch * r12, branch * r11)
        phi_2[0] += _turns(self.start[1], phi_2[0])
        for phi, (bounds, values) in zip((phi_1, phi_3), self._quadrants, strict=True):
            near = values[np.searchsorted(bounds, self.angle * progress[0])]
            phi[0] += _turns(near, phi[0])
        return np.stack([phi_1, phi_2, phi_3], axis=1)


def rotation_between(
    outputs: tuple[str, ...], profile: Profile, start: Sequence[float], goal: Sequence[float]
) -> Rotation:
    """Make the rotation about a fixed axis that leads from one orientation to another.

    Angles of the goal up to half a turn name an orientation, which is reached the short way; the
    angles are continued along the path and may end whole turns away from those given. An angle
    beyond half a turn also says how far to turn: the path then ends with these very values, going
    the long way round if it has to.

    Parameters
    ----------
    outputs : tuple of str
        Names of the three angles.
    profile : Profile
        Progress of the angle turned.
    start, goal : sequence of float
        Bryant angles [rad].

    Raises
    ------
    InputError
        If the path passes gimbal lock, or cannot end with the values asked for.
    """
    axis, short = _axis_and_angle(start, goal)
    opposite, long = tuple(-e for e in axis), 2 * math.pi - short
    literal = max(map(abs, goal)) > math.pi + _SAME_ANGLE
    ways = [(axis, short)]
    if short and (literal or long - short < _SAME_ANGLE):  # half a turn: both ways are as short
        ways.append((opposite, long))
    paths: list[Rotation] = []
    refused: list[InputError] = []
    for way in ways:
        try:
            paths.append(Rotation(outputs, profile, tuple(start), *way))
        except InputError as error:
            refused.append(error)
    if not paths:
        raise refused[0]
    met = [path for path in paths if np.allclose(path.goal, goal, rtol=0, atol=_SAME_ANGLE)]
    if literal and not met:
        wanted, reached = (
            ", ".join(f"{round(phi, 6) + 0.0:g}" for phi in row) for row in (goal, paths[0].goal)
        )
        raise InputError(
            f"no single rotation of the path leads to the goal [{wanted}]; the same orientation is "
            f"reached as [{reached}]: give that as goal, or axis and angle instead of it."
        )
    return (met or paths)[0]


def bryant_matrix(phi: Sequence[float]) -> FloatArray:
    """Return the rotation matrix Rx(phi_1) Ry(phi_2) Rz(phi_3)."""
    (c1, s1), (c2, s2), (c3, s3) = ((math.cos(p), math.sin(p)) for p in phi)
    return np.array(
        [
            [c2 * c3, -c2 * s3, s2],
            [c1 * s3 + s1 * s2 * c3, c1 * c3 - s1 * s2 * s3, -s1 * c2],
            [s1 * s3 - c1 * s2 * c3, s1 * c3 + c1 * s2 * s3, c1 * c2],
        ]
    )


def _axis_and_angle(
    start: Sequence[float], goal: Sequence[float]
) -> tuple[tuple[float, ...], float]:
    """Return the axis, in the frame of the start, and the angle of the short way."""
    a, b = _quaternion(start), _quaternion(goal)
    w = float(a @ b)
    v = a[0] * b[1:] - b[0] * a[1:] - np.cross(a[1:], b[1:])
    length = float(np.linalg.norm(v))
    if length < 1e-15:  # nothing but rounding
        return (0.0, 0.0, 1.0), 0.0
    axis = v / length * math.copysign(1.0, w)
    return tuple(axis.tolist()), 2 * math.atan2(length, abs(w))


def _quaternion(phi: Sequence[float]) -> FloatArray:
    """Return the unit quaternion (scalar first) of Bryant angles."""
    (c1, s1), (c2, s2), (c3, s3) = ((math.cos(p / 2), math.sin(p / 2)) for p in phi)
    return np.array(
        [
            c1 * c2 * c3 - s1 * s2 * s3,
            s1 * c2 * c3 + c1 * s2 * s3,
            c1 * s2 * c3 - s1 * c2 * s3,
            c1 * c2 * s3 + s1 * s2 * c3,
        ]
    )


def _harmonic(entry: tuple[float, float, float], theta: FloatArray) -> FloatArray:
    a, b, c = entry
    return a + b * np.cos(theta) + c * np.sin(theta)


def _zeros(entry: tuple[float, float, float], angle: float) -> list[float]:
    """Return the zeros of a + b cos(theta) + c sin(theta) between 0 and angle."""
    a, b, c = entry
    size = math.hypot(b, c)
    if abs(a) > size or size == 0:
        return []
    middle, half = math.atan2(c, b), math.acos(-a / size)
    return _periodic([middle - half, middle + half], angle)


def _periodic(values: Sequence[float], angle: float) -> list[float]:
    """Return all values, shifted by whole turns, that lie between 0 and angle."""
    low, high = min(0.0, angle), max(0.0, angle)
    turn = 2 * math.pi
    return [
        value + k * turn
        for value in values
        for k in range(math.ceil((low - value) / turn), math.floor((high - value) / turn) + 1)
    ]


def _turns(near: FloatArray | float, angle: FloatArray) -> FloatArray:
    """Return the whole turns that bring an angle closest to another one."""
    turns: FloatArray = 2 * np.pi * np.round((near - angle) / (2 * np.pi))
    return turns


def _time_of(profile: Profile, progress: float) -> float:
    """Return when a profile reaches a progress from 0 to 1."""
    if progress <= 0 or progress >= 1:
        return profile.begin if progress <= 0 else profile.end

    def missing(t: float) -> float:
        return float(profile.derivatives(np.array([t]), 0)[0, 0]) - progress

    return float(brentq(missing, profile.begin, profile.end))
