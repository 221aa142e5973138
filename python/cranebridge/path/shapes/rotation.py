"""Rotation about a fixed axis from one orientation to another, with Bryant angles as outputs.

The path is R(t) = R_a exp(e~ s c(t)), with the axis e in the frame of the start orientation R_a
(reference, Section 10). The angles (:mod:`cranebridge.path.shapes.bryant`) are continuous along the
path: 270 degrees come out as 270 degrees, not as -90.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from cranebridge.errors import InputError
from cranebridge.path.base import FloatArray
from cranebridge.path.functions import Series, taylor
from cranebridge.path.profiles import Profile
from cranebridge.path.shapes.bryant import (
    Entries,
    branch_of,
    bryant_angles,
    matrix_entries,
    short_way,
)
from cranebridge.path.shapes.curved import Curve

GIMBAL_LOCK = 1e-6
"""Bryant angles are refused where the cosine of phi_2 is smaller than this."""

_SAME_ANGLE = 1e-9
# A shorter way than this is nothing but rounding.
_NO_WAY = 2e-15


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
        return tuple(float(phi[0][0]) for phi in self._geometry([np.ones(1)]))

    @cached_property
    def branch(self) -> float:
        """The sign of cos(phi_2)."""
        return float(branch_of(self.start))

    @cached_property
    def entries(self) -> Entries:
        """Of the rotation matrix, as functions of the angle turned."""
        return matrix_entries(self.start, self.axis)

    def _progress_at_gimbal_lock(self) -> float | None:
        _, b, c = self.entries[1, 3]
        # |R13| is largest at the ends or where its derivative vanishes
        extrema = _periodic([math.atan2(c, b), math.atan2(c, b) + math.pi], self.angle)
        theta = np.array([0.0, *extrema, self.angle])
        cosine = np.hypot(*(_harmonic(self.entries[1, j], theta) for j in (1, 2)))
        locked = theta[cosine < GIMBAL_LOCK]
        if not len(locked):
            return None
        return float(np.abs(locked).min() / abs(self.angle)) if self.angle else 0.0

    @cached_property
    def quadrants(self) -> tuple[tuple[FloatArray, FloatArray], ...]:
        """For phi_1 and phi_3: bounds in theta, and a value of the angle between two of them.

        Between two zeros of its sine or cosine an angle stays in one quadrant, so that it differs
        by less than a quarter turn from its value in the middle. That settles multiples of a turn
        for every time point on its own, without following the path to it.
        """
        found = []
        for k, (y, x) in enumerate((((2, 3), (3, 3)), ((1, 2), (1, 1)))):
            zeros = [z for entry in (y, x) for z in _zeros(self.entries[entry], self.angle)]
            bounds = np.array(sorted([0.0, *zeros, self.angle]))
            middles = (bounds[1:] + bounds[:-1]) / 2
            sine, cosine = (_harmonic(self.entries[entry], middles) for entry in (y, x))
            row = np.arctan2(-self.branch * sine, self.branch * cosine)
            # continued from the start, which is the last bound if the angle is negative
            direction = 1 if self.angle >= 0 else -1
            continued = np.unwrap([self.start[2 * k], *row[::direction]])[1:]
            values = continued[::direction]
            found.append((bounds[1:-1], values))
        return tuple(found)

    def _geometry(self, progress: Series) -> list[Series]:
        if not self.angle:
            rest = [np.zeros_like(progress[0]) for _ in progress[1:]]
            return [[np.full_like(progress[0], phi), *rest] for phi in self.start]
        theta = taylor.scale(self.angle, progress)
        phi_1, phi_3 = (
            values[np.searchsorted(bounds, theta[0])] for bounds, values in self.quadrants
        )
        return bryant_angles(self.entries, theta, self.branch, (phi_1, self.start[1], phi_3))


def rotation_between(
    outputs: tuple[str, ...],
    profile: Profile | Callable[[float], Profile],
    start: Sequence[float],
    goal: Sequence[float],
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
    profile : Profile or callable
        Progress of the angle turned, or what makes it for an angle [rad].
    start, goal : sequence of float
        Bryant angles [rad].

    Raises
    ------
    InputError
        If the path passes gimbal lock, or cannot end with the values asked for.
    """
    axis, short = _way(start, goal)
    opposite, long = tuple(-e for e in axis), 2 * math.pi - short
    literal = max(map(abs, goal)) > math.pi + _SAME_ANGLE
    ways = [(axis, short)]
    if short and (literal or long - short < _SAME_ANGLE):  # half a turn: both ways are as short
        ways.append((opposite, long))
    paths: list[Rotation] = []
    refused: list[InputError] = []
    for way in ways:
        progress = profile(way[1]) if callable(profile) else profile
        try:
            paths.append(Rotation(outputs, progress, tuple(start), *way))
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


def _way(start: Sequence[float], goal: Sequence[float]) -> tuple[tuple[float, ...], float]:
    """Return axis and angle of the short way; an angle of exactly zero if there is none."""
    axis, angle = short_way(start, goal)
    if angle < _NO_WAY:
        return (0.0, 0.0, 1.0), 0.0
    length = math.hypot(*axis)  # one, but for the shortest of ways
    return tuple(float(e) / length for e in axis), float(angle)


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


def _time_of(profile: Profile, progress: float) -> float:
    """Return when a profile reaches a progress from 0 to 1."""
    if progress <= 0 or progress >= 1:
        return profile.begin if progress <= 0 else profile.end

    def missing(t: float) -> float:
        return float(profile.derivatives(np.array([t]), 0)[0, 0]) - progress

    from scipy.optimize import brentq

    return float(brentq(missing, profile.begin, profile.end))
