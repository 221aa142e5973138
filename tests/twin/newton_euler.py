"""Newton and Euler's equations of a tree of bodies in numbers, to compare cranes of parts with.

Nothing here is shared with the package. All vectors are in the ground's components. Going out, each
move (a slide along and a turn about an axis) hands on place, velocity and acceleration of a frame;
each body then needs a force m (a - g) at its centre and a moment J alpha + w x J w, and a
coordinate carries the part of them that does work on its move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

Array = np.ndarray
MOVES = {  # axis by number (None: the joint's own), turn, slide; a screw's slide is its pitch
    "Revolute": [(None, 1.0, 0.0)],
    "Prismatic": [(None, 0.0, 1.0)],
    "Cylindrical": [(None, 0.0, 1.0), (None, 1.0, 0.0)],
    "Screw": [(None, 1.0, 0.37)],
    "Spherical": [(2, 1.0, 0.0), (1, 1.0, 0.0), (0, 1.0, 0.0)],
    "Planar": [(0, 0.0, 1.0), (1, 0.0, 1.0), (2, 1.0, 0.0)],
    "Fixed": [],
    "Free": [(0, 0, 1.0), (1, 0, 1.0), (2, 0, 1.0), (2, 1.0, 0), (1, 1.0, 0), (0, 1.0, 0)],
}


@dataclass
class Link:
    """A body and the joint that carries it on the body number `on` (-1: the ground)."""

    on: int
    kind: str
    axis: Array
    at: Array
    place: Array
    mass: float
    centre: Array
    inertia: Array
    moves: list[tuple[Array, float, float]] = field(init=False)

    def __post_init__(self) -> None:
        n = self.axis / np.linalg.norm(self.axis)
        self.moves = [
            (n if axis is None else np.eye(3)[axis], turn, slide)
            for axis, turn, slide in MOVES[self.kind]
        ]


@dataclass
class Carried:
    """A frame: place, rotation, velocities and accelerations."""

    r: Array
    R: Array
    v: Array
    w: Array
    a: Array
    alpha: Array

    def shifted(self, d: Array) -> Carried:
        arm = self.R @ d
        return Carried(
            self.r + arm,
            self.R,
            self.v + np.cross(self.w, arm),
            self.w,
            self.a + np.cross(self.alpha, arm) + np.cross(self.w, np.cross(self.w, arm)),
            self.alpha,
        )

    def moved(self, n: Array, turn: Array, slide: Array) -> Carried:
        """After a move whose angle and distance are given with two derivatives."""
        e = self.R @ n
        out = self.shifted(n * slide[0])
        return Carried(
            out.r,
            self.R @ Rotation.from_rotvec(n * turn[0]).as_matrix(),
            out.v + e * slide[1],
            self.w + e * turn[1],
            out.a + 2 * np.cross(self.w, e) * slide[1] + e * slide[2],
            self.alpha + e * turn[2] + np.cross(self.w, e) * turn[1],
        )


def frames(links: Sequence[Link], q: Array, v: Array, a: Array):
    """Return the frame of each body, and by coordinate: the body it moves, axis, place, factors."""
    ground = Carried(np.zeros(3), np.eye(3), *(np.zeros(3) for _ in range(4)))
    found: list[Carried] = []
    joints: list[tuple[int, Array, Array, float, float]] = []
    k = 0
    for number, link in enumerate(links):
        frame = (found[link.on] if link.on >= 0 else ground).shifted(link.at)
        for n, turn, slide in link.moves:
            state = np.array([q[k], v[k], a[k]])
            e = frame.R @ n
            frame = frame.moved(n, turn * state, slide * state)
            joints.append((number, e, frame.r, turn, slide))
            k += 1
        found.append(frame.shifted(-link.place))
    return found, joints


def inverse_dynamics(links: Sequence[Link], q: Array, v: Array, a: Array, g: float = 9.81) -> Array:
    """Return the generalised forces that the motion needs."""
    found, joints = frames(links, q, v, a)
    up = np.array([0.0, 0.0, g])
    forces = np.zeros(len(joints))
    for number, (link, frame) in enumerate(zip(links, found, strict=True)):
        centre = frame.shifted(link.centre)
        J = frame.R @ link.inertia @ frame.R.T
        F = link.mass * (centre.a + up)
        N = J @ frame.alpha + np.cross(frame.w, J @ frame.w)
        way = {number}
        while number >= 0:
            way.add(number)
            number = links[number].on
        for k, (owner, e, at, turn, slide) in enumerate(joints):
            if owner in way:
                forces[k] += slide * (e @ F) + turn * (e @ (N + np.cross(centre.r - at, F)))
    return forces


def energy(links: Sequence[Link], q: Array, v: Array, g: float = 9.81) -> float:
    """Return kinetic and potential energy."""
    found, _ = frames(links, q, v, np.zeros_like(q))
    total = 0.0
    for link, frame in zip(links, found, strict=True):
        centre = frame.shifted(link.centre)
        J = frame.R @ link.inertia @ frame.R.T
        total += 0.5 * link.mass * centre.v @ centre.v + 0.5 * frame.w @ J @ frame.w
        total += link.mass * g * centre.r[2]
    return float(total)
