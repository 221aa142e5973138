"""The parts of a crane put together: which body carries which, and everything by its name.

Whatever does not fit is a `PartError`, one sentence that begins with the part.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import casadi as ca

from cranebridge.errors import InputError, unknown
from cranebridge.expressions import parse
from cranebridge.twin.bodies.joints import GROUND, BodyJoint, Free, Row, Slides
from cranebridge.twin.bodies.machine_parts import (
    ORIGIN,
    OWN,
    Body,
    Damper,
    Drive,
    Force,
    Gear,
    HydraulicCylinder,
    Part,
    PointMass,
    Rope,
    Spring,
    Winch,
)
from cranebridge.twin.bodies.mechanism_state import MechanismState
from cranebridge.twin.bodies.part_values import (
    Point,
    Vector,
    direction,
    parameters_in,
    texts_with_units,
)
from cranebridge.twin.language import (
    Components,
    Parameter,
    PartError,
    Quantity,
    crane_units,
    names,
)

GRAVITY = Parameter("g", "m/s^2", "gravity", 9.81)
_SPACE = "xyz"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_MEANING = {"m": "slide", "rad": "angle"}


class Condition(NamedTuple):
    """A constraint that holds bodies together.

    Attributes
    ----------
    name : str
        Of its multiplier.
    row : Row
        Unit, meaning and value.
    joint : BodyJoint or None
        The joint that it belongs to.
    """

    name: str
    row: Row
    joint: BodyJoint | None

    @property
    def meaning(self) -> str:
        """What it says, with its joint."""
        if self.joint is None:
            return self.row.meaning
        what = "loop closed by" if self.joint.loop else "joint of"
        return f"{what} {self.joint.name} on {self.joint.on}: {self.row.meaning}"


class Mechanism:
    """Parts by name, after looking at all of them.

    Parameters
    ----------
    parts : tuple
        What the author wrote.
    declared : tuple of Parameter
        Parameters that the author declared beside them.
    outputs : mapping of str to str
        Outputs by name, as texts of coordinates and places.
    plane : str
        Axes in which point masses move: "xyz", or two of them.

    Raises
    ------
    PartError
        If they do not fit together.
    """

    def __init__(
        self,
        parts: Any,
        declared: tuple[Parameter, ...] = (),
        outputs: Any = None,
        plane: str = _SPACE,
    ) -> None:
        if not isinstance(parts, tuple) or not parts:
            raise PartError(f"parts must be a tuple of bodies, joints and the like, got {parts!r}")
        for given in parts:
            part: Any = given
            if not isinstance(part, Part | BodyJoint):
                raise PartError(f"parts must hold bodies, joints and the like only, got {part!r}")
            if not isinstance(part.name, str) or not _NAME.fullmatch(part.name):
                raise PartError(f"{_kind(part)}: {part.name!r} is no name: letters, digits and _")
        if plane not in (_SPACE, "xz", "yz", "xy"):
            raise PartError(f"plane must be xz, yz or xy, got {plane!r}", attribute="plane")
        self.parts = tuple(part for part in parts if isinstance(part, Part))
        self._all = parts
        self.plane = plane
        self._outputs_given = outputs
        self.winches: dict[str, Winch] = self._named(Winch)
        self.shafts: dict[str, Any] = {**self.winches, **self._named(Gear)}
        self.bodies: dict[str, Part] = {**self._named(Body), **self._named(PointMass)}
        self.ropes: dict[str, Rope] = self._named(Rope)
        self._require_names()
        self.carriers = self._carriers()
        self.loops = [part for part in parts if isinstance(part, BodyJoint) and part.loop]
        self._require_tree()
        self.coordinates = self._coordinates()
        self.inputs = self._inputs()
        self.parameters = self._parameters(declared)
        self._require_points()
        self._require_targets()
        self._require_values()
        self.output_texts = self._outputs(outputs)

    def _named(self, kind: type[Any]) -> dict[str, Any]:
        return {part.name: part for part in self._all if isinstance(part, kind)}

    # ------------------------------------------------------------------------ names

    def _require_names(self) -> None:
        seen: dict[str, Any] = {GROUND: None}
        for part in self.parts:
            if part.name in seen:
                other = (
                    "is what stands still"
                    if part.name == GROUND
                    else f"is {_kind(seen[part.name])} already"
                )
                raise _wrong(part, f"the name '{part.name}' {other}; choose another one")
            seen[part.name] = part

    def _carriers(self) -> dict[str, BodyJoint]:
        found: dict[str, BodyJoint] = {}
        for joint in self._all:
            if not isinstance(joint, BodyJoint):
                continue
            for body, what in ((joint.name, "carries"), (joint.on, "is on")):
                if body not in self.bodies and not (body == GROUND and what == "is on"):
                    error = unknown(f"body that it {what}", str(body), self.bodies)
                    raise _wrong(joint, str(error))
                if isinstance(self.bodies.get(body), PointMass):
                    raise _wrong(
                        joint, f"'{body}' is a point mass, which has no joints; make it a Body"
                    )
            if joint.on == joint.name:
                raise _wrong(joint, "a body cannot be on itself")
            if joint.loop:
                continue
            if joint.name in found:
                other = found[joint.name]
                raise _wrong(
                    joint,
                    f"the body '{joint.name}' has two parents: {_kind(other)} carries it on "
                    f"'{other.on}' already; if this joint closes a loop, write loop=True",
                )
            found[joint.name] = joint
        points = [part for part in self.parts if isinstance(part, PointMass)]
        for point in points:
            suffix = "" if len(points) == 1 else f"_{point.name}"
            given = point.coordinates or tuple(f"{axis}{suffix}" for axis in self.plane)
            if len(given) != len(self.plane):
                raise _wrong(point, f"needs {len(self.plane)} coordinates, got {len(given)}")
            found[point.name] = Slides(point.name, coordinates=given, axes=self.plane)
        return found

    def _require_tree(self) -> None:
        for joint in self._all:
            if isinstance(joint, BodyJoint):
                self._require_joint(joint)
        for name, body in self.bodies.items():
            if name not in self.carriers:
                closing = [one for one in self.loops if one.name == name]
                hint = (
                    "a joint with loop=True does not carry it; leave loop=True out"
                    if closing
                    else f'add a joint that carries it, such as Revolute("{name}", on=...) or Free'
                )
                raise _wrong(body, f"has no joint, nothing carries it; {hint}")
            way, on = [name], self.carriers[name].on
            while on != GROUND:
                if on in way or on not in self.carriers:
                    if on in way:
                        raise _wrong(
                            self.carriers[name],
                            f"the bodies {', '.join(way)} carry each other and none is on the "
                            "ground; let one joint be on the ground, and close the loop with "
                            "loop=True",
                        )
                    break
                way.append(on)
                on = self.carriers[on].on

    def _require_joint(self, joint: BodyJoint) -> None:
        for one in ("axis", "second", "normal"):
            if hasattr(joint, one):
                try:
                    direction(getattr(joint, one))
                except ValueError as error:
                    raise _wrong(joint, str(error).replace("axis", one, 1)) from None
        if joint.loop:
            if joint.given and not isinstance(joint, Free):
                raise _wrong(joint, "closes a loop, where a joint has no coordinate; leave it out")
            try:
                joint.rows(ca.SX(3, 1), ca.SX.eye(3))
            except ValueError as error:
                raise _wrong(joint, f"{error}; let another joint of the loop close it") from None
            return
        given = joint.given
        if given is not None and len(given) != len(joint.motions):
            few = f"{len(joint.motions)} coordinates" if len(joint.motions) != 1 else "1 coordinate"
            raise _wrong(joint, f"has {few} ({', '.join(joint.motions)}), got {len(given)} names")

    def _coordinates(self) -> tuple[Quantity, ...]:
        """Joints of bodies, winches, point masses: drives before loads; then stretches."""
        found: list[Quantity] = []
        joints = [one for one in self._all if isinstance(one, BodyJoint) and not one.loop]
        for joint in joints:
            for move in joint.moves():
                what = f"{_MEANING[move.unit]} of {joint.name} on {joint.on}"
                found.append(Quantity(move.coordinate, move.unit, what))
        stretches = [one for part in self.ropes.values() for one in part.quantities()]
        for part in self.winches.values():
            found += part.quantities()
        for point in self.bodies.values():
            if isinstance(point, PointMass):
                joint = self.carriers[point.name]
                for axis, move in zip(self.plane, joint.moves(), strict=True):
                    up = ", up" if axis == "z" else ""
                    found.append(
                        Quantity(move.coordinate, "m", f"place of {point.name} along {axis}{up}")
                    )
        found += stretches
        for i, one in enumerate(found):
            if one.name in names(found[:i]):
                raise PartError(
                    f"two coordinates are called '{one.name}' ({one.meaning}); name one of them "
                    "otherwise by coordinate=, length= or coordinates=",
                    str(one.name),
                )
        return tuple(found)

    def _inputs(self) -> tuple[Quantity, ...]:
        found: list[Quantity] = []
        for part in self.parts:
            for name in part.inputs():
                if name in names(found):
                    raise _wrong(part, f"the input '{name}' is there already; choose another name")
                found.append(Quantity(name, *self._input_unit(part)))
        return tuple(found)

    def _input_unit(self, part: Part) -> tuple[str, str]:
        match part:
            case Winch():
                return "N*m", f"torque of {part.name}, positive pays out"
            case HydraulicCylinder():
                return "N", f"force of the cylinder {part.name}, positive extends"
            case Drive():
                self._require_known(
                    part, part.on, (*self._units(), *self.shafts), "coordinate, winch or gear"
                )
                unit = "N" if self._units().get(part.on) == "m" else "N*m"
                return unit, f"{'force' if unit == 'N' else 'torque'} on {part.on}"
        return "N", f"force at {_point(getattr(part, 'at', ''))}"

    def _units(self) -> dict[str, str]:
        return {one.name: one.unit for one in self.coordinates}

    def _require_known(self, part: Any, name: Any, known: Sequence[str], what: str) -> None:
        if name not in known:
            raise _wrong(part, str(unknown(what, str(name), known)))

    # ------------------------------------------------------------------------ values

    def _parameters(self, declared: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
        found: dict[str, Parameter] = {one.name: one for one in declared}
        for part in self._all:
            for one in parameters_in(part):
                if found.setdefault(one.name, one) != one:
                    raise _wrong(
                        part,
                        f"the parameter '{one.name}' is declared twice in different ways; "
                        f'declare it once and write "{one.name}" elsewhere',
                    )
        found.setdefault(GRAVITY.name, GRAVITY)
        return tuple(found.values())

    def _require_values(self) -> None:
        """Refuse values that are no numbers, unknown names, units that do not fit."""
        for part in self._all:
            self._require_sizes(part)
            for name, value, unit in texts_with_units(part):
                own = self._own_unit(part, name) if unit == OWN else unit
                self._require_value(part, name, value, own)
            shape = getattr(part, "shape", None)
            if shape is not None and (shape.mass is None) == (shape.density is None):
                raise _wrong(part, "its shape needs a mass or a density, one of them")
            if shape is not None and getattr(part, "mass", 0.0) != 0.0:
                raise _wrong(part, "has a mass and a shape; give the mass to the shape")
        free = [one for one in self.ropes.values() if one.length == 0.0]
        for rope in free:
            if not any(end in self.winches for end in (rope.path[0], rope.path[-1])):
                raise _wrong(rope, "has no length: let it begin at a winch, or give it length=")

    def _own_unit(self, part: Any, field: str) -> str:
        angle = isinstance(part.on, str) and self._units().get(part.on, "rad") == "rad"
        match part, field:
            case Spring(), "free":
                return "rad" if angle else "m"
            case Spring(), _:
                return "N*m/rad" if angle else "N/m"
        return "N*m*s/rad" if angle else "N*s/m"

    def _require_value(self, part: Any, field: str, value: Any, unit: str) -> None:
        known = {one.name: one for one in self.parameters}
        if isinstance(value, str):
            if value in known:
                value = known[value]
            else:
                try:
                    parse(field, value, self._symbols(part, field))
                except InputError as error:
                    raise _wrong(part, str(error)) from None
                return
        if isinstance(value, Parameter):
            if not crane_units.is_si(value.unit):
                return  # the declarations of parameters are looked at by themselves
            if crane_units.dimension(value.unit) != crane_units.dimension(unit):
                raise _wrong(
                    part,
                    f"{field} is in {unit}, but the parameter '{value.name}' is in {value.unit}",
                )
        elif isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            raise _wrong(part, f"{field} must be a number, a Parameter or a text, got {value!r}")

    def _symbols(self, part: Any, field: str) -> dict[str, Any]:
        """Return what a value may name: parameters; a drum's radius its rope length, too.

        Places and masses that depend on coordinates would have rates that nobody counts.
        """
        own = (part.coordinate,) if isinstance(part, Winch) and field == "radius" else ()
        return {name: ca.SX.sym(name) for name in (*names(self.parameters), *own)}

    def _require_sizes(self, part: Any) -> None:
        """Refuse vectors with too few or too many components."""
        vectors = [(one, getattr(part, one, None)) for one in ("place", "centre")]
        if isinstance(part, BodyJoint):
            vectors.append(("at", part.at))
        if isinstance(part, Body):
            vectors += [(f"point '{name}'", place) for name, place in part.points.items()]
            if not isinstance(part.inertia, tuple) or len(part.inertia) not in (3, 6):
                raise _wrong(
                    part, "inertia must be (J_x, J_y, J_z), or these with (J_xy, J_xz, J_yz) behind"
                )
        for name, vector in vectors:
            if vector is not None and (not isinstance(vector, tuple) or len(vector) != 3):
                raise _wrong(part, f"{name} must be (x, y, z), got {vector!r}")

    # ------------------------------------------------------------------------ points

    def located(self, point: Point) -> tuple[str, Vector]:
        """Return the body of a point and its place in the body's frame."""
        if not isinstance(point, str):
            return point
        body, _, name = point.partition(".")
        if not name:
            return body, ORIGIN
        owner = self.bodies[body]
        assert isinstance(owner, Body)
        return body, owner.points[name]

    def _require_points(self) -> None:
        for part in self.parts:
            ends: tuple[Point, ...] = ()
            if isinstance(part, Rope):
                self._require_rope(part)
                ends = (part.path[0], part.path[-1])
            for point in part.points_used():
                if (
                    not (point in self.winches if isinstance(point, str) else False)
                    or point not in ends
                ):
                    self._require_point(part, point)
        for part in self.parts:
            if isinstance(part, Force):
                self._require_known(part, part.of, (*self.bodies, GROUND), "body of its direction")
                try:
                    direction(part.axis)
                except ValueError as error:
                    raise _wrong(part, str(error)) from None

    def _require_rope(self, rope: Rope) -> None:
        if not isinstance(rope.path, tuple | list) or len(rope.path) < 2:
            raise _wrong(rope, f"path must have at least two points, got {rope.path!r}")
        if type(rope.falls) is not int or rope.falls < 1:
            raise _wrong(rope, f"falls must be a whole number from 1 on, got {rope.falls!r}")
        for point in rope.path[1:-1]:
            if isinstance(point, str) and point in self.winches:
                raise _wrong(rope, f"the winch '{point}' must be at an end of the path")
        for first, second in pairwise(rope.path):
            if first == second:
                raise _wrong(rope, f"goes from {_point(first)} to itself")

    def _require_point(self, part: Part, point: Any) -> None:
        known = (*self.bodies, GROUND)
        if isinstance(point, str):
            body, _, name = point.partition(".")
            self._require_known(part, body, known, "point: body")
            if name:
                owned = tuple(getattr(self.bodies.get(body), "points", {}))
                self._require_known(part, name, owned, f"point of '{body}':")
        elif isinstance(point, tuple) and len(point) == 2 and len(point[1]) == 3:
            self._require_known(part, point[0], known, "point: body")
            if isinstance(self.bodies.get(point[0]), PointMass):
                raise _wrong(part, f"'{point[0]}' is a point mass, which has no other points")
            for value in point[1]:
                self._require_value(part, "point", value, "m")
        else:
            raise _wrong(
                part, f'a point is "BODY", "BODY.POINT" or ("BODY", (x, y, z)), got {point!r}'
            )

    def _require_targets(self) -> None:
        """Refuse gears, springs and dampers on what is not there."""
        shafts = tuple(self.winches)
        for part in self.parts:
            if isinstance(part, Gear):
                self._require_known(
                    part, part.on, (*self._units(), *shafts), "coordinate, winch or gear before it"
                )
                shafts = (*shafts, part.name)
            elif isinstance(part, Spring) and isinstance(part.on, str):
                self._require_known(part, part.on, tuple(self._units()), "coordinate")
            elif isinstance(part, Damper) and isinstance(part.on, str):
                self._require_known(
                    part, part.on, (*self._units(), *self.shafts), "coordinate, winch or gear"
                )

    # ------------------------------------------------------------------------ outputs

    def _outputs(self, given: Any) -> dict[str, str]:
        if not isinstance(given, Mapping) or not given:
            raise PartError(
                'outputs must be a dict such as {"x": "load.x", "psi": "psi"}, got ' + repr(given),
                attribute="outputs",
            )
        known = {name: ca.SX.sym("s") for name in self.output_symbols(None)}
        for name, text in given.items():
            if not isinstance(text, str):
                raise PartError(
                    f"output '{name}' must be a text, got {text!r}", str(name), "outputs"
                )
            try:
                parse(f"output '{name}'", text, known)
            except InputError as error:
                raise PartError(str(error), str(name), "outputs") from None
        return dict(given)

    def output_symbols(self, state: MechanismState | None) -> dict[str, Any]:
        """Return what the texts of outputs may name: coordinates, parameters, places, lengths.

        Without a state only the names are of interest.
        """
        found: dict[str, Any] = dict.fromkeys((*names(self.parameters), *names(self.coordinates)))
        if state is not None:
            found = {name: state.p[name] for name in names(self.parameters)}
            found |= {name: state.q[name] for name in names(self.coordinates)}
        for body, part in self.bodies.items():
            for point in (body, *(f"{body}.{one}" for one in getattr(part, "points", {}))):
                place = [None] * 3 if state is None else ca.vertsplit(state.place(point))
                found |= {f"{point}.{axis}": one for axis, one in zip(_SPACE, place, strict=True)}
        for part in self.parts:
            if isinstance(part, HydraulicCylinder):
                found[f"{part.name}.length"] = None if state is None else part.length(state)
        return found

    @cached_property
    def outputs(self) -> tuple[Quantity, ...]:
        """Outputs with unit and meaning: those of a coordinate, or of a place."""
        own = {one.name: one for one in self.coordinates}
        found = []
        for name, text in self.output_texts.items():
            if text in own:
                found.append(Quantity(name, own[text].unit, own[text].meaning))
                continue
            unit = next((one.unit for key, one in own.items() if _mentions(text, key)), "m")
            place = text.rpartition(".")[2] in ("x", "y", "z", "length")
            what = f"{text.rpartition('.')[0]}, {text.rpartition('.')[2]}" if place else text
            what += ", up" if text.endswith(".z") else ""
            found.append(Quantity(name, "m" if "." in text else unit, what))
        return tuple(found)

    def conditions(self, state: MechanismState) -> list[Condition]:
        """Return all conditions that hold the bodies together: those of closed loops."""
        return [one for joint in self.loops for one in self._closing(state, joint)]

    def _closing(self, state: MechanismState, joint: BodyJoint) -> list[Condition]:
        """Return all conditions of a joint that closes a loop."""
        base = state.common(joint.on, joint.name)
        first, second = state.frame(joint.on, base), state.frame(joint.name, base)
        gap = second.point(state.vector(joint.place)) - first.point(state.vector(joint.at))
        say = joint.rows if joint.loop else joint.held
        rows = say(first.rotation.T @ gap, first.rotation.T @ second.rotation)
        return [
            Condition(f"lambda_{joint.name}_{joint.on}_{k}", row, joint)
            for k, row in enumerate(rows, start=1)
        ]

    def state(self, q: Components, p: Components, v: Components | None = None) -> MechanismState:
        """Return the parts in a state."""
        return MechanismState(self, q, p, v)


def _kind(part: Any) -> str:
    return f"{type(part).__name__} '{part.name}'"


def _wrong(part: Any, what: str) -> PartError:
    return PartError(f"{_kind(part)}: {what}", str(part.name), call=type(part).__name__)


def _point(point: Any) -> str:
    return f"'{point}'" if isinstance(point, str) else str(point)


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None
