"""The same parts in rotationless coordinates: a mass centre and three directors for each body.

Each body has 12 coordinates and six conditions that its directors stay orthonormal
(`twin.bodies.rotationless`); its mass matrix is constant. Every joint is a set of conditions, as
one that closes a loop is, at most quadratic in the coordinates. Angles and slides of joints that a
drive, gear, spring, damper or output asks for are further coordinates without mass, each with a
condition that says what it is ("augmentation", Uhlar 2009, 5.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import casadi as ca

from cranebridge.twin.bodies.joints import GROUND, BodyJoint, Prismatic, Revolute, Row, Screw
from cranebridge.twin.bodies.machine_parts import Body
from cranebridge.twin.bodies.mechanism import Condition, Mechanism
from cranebridge.twin.bodies.mechanism_state import MechanismState
from cranebridge.twin.bodies.part_values import frame
from cranebridge.twin.bodies.rotationless import DirectorBody, internal_constraints, joint_angle
from cranebridge.twin.language import Components, PartError, Quantity, names

_PAIRS = ("11", "22", "33", "12", "13", "23")
"""Directors of the internal constraints, in their order."""


@dataclass(frozen=True, eq=False)
class DirectorFrame:
    """A body's frame made of its directors; linear in the coordinates.

    Attributes
    ----------
    body, velocity : DirectorBody
        Mass centre and directors, and their rates.
    centre : casadi.SX
        The mass centre in the body's frame.
    """

    body: DirectorBody
    velocity: DirectorBody
    centre: Any

    @property
    def rotation(self) -> Any:
        """The directors as columns."""
        return ca.horzcat(*self.body.directors)

    @property
    def place(self) -> Any:
        """The origin."""
        return self.point(ca.SX(3, 1))

    def point(self, d: Any) -> Any:
        """Return the place of a point of the body."""
        return self.body.phi + self.rotation @ (d - self.centre)

    def ground_rate(self, d: Any) -> Any:
        """Return the velocity of a point of the body, in the ground's components."""
        return self.velocity.phi + ca.horzcat(*self.velocity.directors) @ (d - self.centre)

    def kinetic_energy(self, mass: Any, _: Any, inertia: Any) -> Any:
        """m/2 phi'^2 + 1/2 sum E_ij d_i'.d_j' with the Euler tensor E = tr(J)/2 - J (4.7)."""
        euler = ca.trace(inertia) / 2 * ca.SX.eye(3) - inertia
        rates = ca.horzcat(*self.velocity.directors)
        return 0.5 * (mass * ca.sumsqr(self.velocity.phi) + ca.trace(rates @ euler @ rates.T))


class RotationlessState(MechanismState):
    """The parts at director coordinates; everything is seen from the ground."""

    def frame(self, body: str, base: str = GROUND) -> Any:
        """Return the frame of a body."""
        owner = self.mechanism.bodies.get(body)
        if not isinstance(owner, Body):
            return super().frame(body, GROUND)
        if (body, base) not in self._frames:
            own = director_names(body)
            placed, moving = (
                DirectorBody.of(ca.vertcat(*(one[name] for name in own)))
                for one in (self.q, self.v)
            )
            self._frames[body, base] = DirectorFrame(  # type: ignore[assignment]
                placed, moving, owner.properties(self)[1]
            )
        return self._frames[body, base]

    def common(self, *bodies: str) -> str:
        """Return the ground."""
        return GROUND


class RotationlessMechanism(Mechanism):
    """Parts whose coordinates are mass centres and directors of all bodies."""

    def _coordinates(self) -> tuple[Quantity, ...]:
        tree = super()._coordinates()
        self.tree_coordinates = tree
        self.rigid = [one for one in self.bodies.values() if isinstance(one, Body)]
        moving = {move.coordinate: joint for joint in self._tree_joints() for move in joint.moves()}
        asked = set(self._asked(names(tree)))
        kept = [one for one in tree if one.name not in moving or one.name in asked]
        self.augmented = {name: joint for name, joint in moving.items() if name in asked}
        for name, joint in self.augmented.items():
            if not isinstance(joint, Revolute | Prismatic | Screw):
                raise PartError(
                    f"{type(joint).__name__} '{joint.name}': in rotationless coordinates '{name}' "
                    "cannot be driven or asked for; only angles of Revolute and Screw and slides "
                    "of Prismatic joints can",
                    joint.name,
                    call=type(joint).__name__,
                )
        directors = [
            Quantity(name, "m" if k < 3 else "1", what)
            for body in self.rigid
            for k, (name, what) in enumerate(_director_quantities(body.name))
        ]
        return (*directors, *kept)

    def _tree_joints(self) -> list[BodyJoint]:
        return [one for one in self._all if isinstance(one, BodyJoint) and not one.loop]

    def _asked(self, known: tuple[str, ...]) -> Iterator[str]:
        """Yield the coordinates that parts and outputs name."""
        given = self._outputs_given
        texts = [*given.values()] if isinstance(given, dict) else []
        for part in self.parts:
            texts += [getattr(part, one.name) for one in fields(part) if one.name != "name"]
        for joint in self._tree_joints():
            if isinstance(joint, Screw):
                yield from joint.names
        for text in texts:
            if isinstance(text, str):
                yield from (name for name in known if re.search(rf"\b{name}\b", text))

    def conditions(self, state: MechanismState) -> list[Condition]:
        """Return internal constraints, all joints, and what angles and slides are."""
        found: list[Condition] = []
        for body in self.rigid:
            values = internal_constraints(state.frame(body.name).body)  # type: ignore[attr-defined]
            for pair, value in zip(_PAIRS, values, strict=True):
                what = f"directors {pair[0]} and {pair[1]} of {body.name}"
                found.append(Condition(f"lambda_{body.name}_{pair}", Row("J", what, value), None))
        for joint in (*self._tree_joints(), *self.loops):
            found += self._closing(state, joint)
        for name, joint in self.augmented.items():
            found += self._augmentation(state, name, joint)
        return found

    def _augmentation(
        self, state: MechanismState, name: str, joint: BodyJoint
    ) -> Iterator[Condition]:
        """Yield what a joint's coordinate is: the angle that a direction has turned, a slide."""
        first, second = state.frame(joint.on), state.frame(joint.name)
        m_1, m_2, n = (ca.DM(one) for one in frame(joint.axis))  # type: ignore[attr-defined]
        gap = second.point(state.vector(joint.place)) - first.point(state.vector(joint.at))
        slide = ca.dot(first.rotation @ n, gap)
        if isinstance(joint, Prismatic):
            row = Row("N", f"slide {name}", slide - state.q[name])
            yield Condition(f"lambda_{name}", row, None)
            return
        if isinstance(joint, Screw):
            row = Row("N", f"pitch of {name}", slide - state.number(joint.pitch) * state.q[name])
            yield Condition(f"lambda_{name}_pitch", row, None)
        start, ahead = first.rotation @ m_1, first.rotation @ m_2
        angle = joint_angle(state.q[name], second.rotation @ m_1, start, ahead)
        yield Condition(f"lambda_{name}", Row("N*m", f"angle {name}", angle.constraint), None)

    def state(self, q: Components, p: Components, v: Components | None = None) -> MechanismState:
        """Return the parts in a state."""
        return RotationlessState(self, q, p, v)

    def lifted(self, tree: MechanismState) -> ca.SX:
        """Return all coordinates as functions of those of the tree."""
        values: list[Any] = []
        for body in self.rigid:
            moving = tree.frame(body.name)
            values += [moving.point(body.properties(tree)[1]), ca.vec(moving.rotation)]
        directors = sum(one.numel() for one in values)
        values += [tree.q[name] for name in names(self.coordinates)[directors:]]
        return ca.SX(ca.vertcat(*values))


def director_names(body: str) -> tuple[str, ...]:
    """Return the names of a body's 12 coordinates."""
    return tuple(name for name, _ in _director_quantities(body))


def _director_quantities(body: str) -> list[tuple[str, str]]:
    centre = [(f"{body}_{axis}", f"mass centre of {body}") for axis in "xyz"]
    return centre + [
        (f"{body}_d{k}{axis}", f"director {k} of {body}") for k in (1, 2, 3) for axis in "xyz"
    ]
