"""Friction in a feedforward: what the drives give besides, so that the load follows its path.

Friction acts where the drive does. Along a solved motion the drive's travel is known, so is the
friction's force (:mod:`cranebridge.inverse.friction.evolution`), and

    u(t) = u_0(t) + F(t)

moves the crane with friction as u_0 moves the one without. Coordinates, rope forces, index and the
derivatives that the path needs stay what they are. F has kinks where a drive sticks or begins to
slide: these times become nodes, so that nothing is interpolated over them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.inverse.feedforward import Feedforward, Nodes
from cranebridge.inverse.friction.elements import DriveFriction
from cranebridge.inverse.friction.evolution import FrictionPieces, Travel, follow_travel
from cranebridge.inverse.friction.travels import DriveTravel, drive_travel
from cranebridge.inverse.sampling import solved_at
from cranebridge.numerics import distinct
from cranebridge.twin import Crane
from cranebridge.twin.language import names

Array = NDArray[np.float64]
Motion = tuple[Array, Array, Array]

_SCAN_TIMES = 2001
"""Times of a motion at which its drives are looked at, at least: no drive turns within one."""
_PER_PIECE = 16
"""And between two knots of its path."""
_ELASTIC_NODES = 16
"""Intervals of an elastic piece: cubics on them miss the spring's force by some 1e-6 of it."""
# Nodes nearer than this part of the motion are one.
_SAME = 1e-12


@dataclass(frozen=True, eq=False)
class FrictionForces:
    """The friction of all drives of a motion.

    Attributes
    ----------
    pieces : tuple of FrictionPieces
        What each element does.
    drives : tuple of DriveTravel
        How the drive of each element travels.
    columns : tuple of int
        Which input each element's drive has.
    """

    pieces: tuple[FrictionPieces, ...]
    drives: tuple[DriveTravel, ...]
    columns: tuple[int, ...]

    @property
    def changes(self) -> Array:
        """When a drive sticks or begins to slide."""
        return distinct(np.concatenate([np.empty(0), *(one.changes for one in self.pieces)]))

    def inner_times(self, end: float) -> Array:
        """Return times between which the forces are close to cubics."""
        found = [np.empty(0)]
        share = np.arange(1, _ELASTIC_NODES) / _ELASTIC_NODES
        for one in self.pieces:
            ends = np.append(one.begins[1:], end)
            elastic = np.flatnonzero((one.modes == 0) & one.element.sticks)
            found += [one.begins[i] + (ends[i] - one.begins[i]) * share for i in elastic]
            found.append(one.fast)
        return distinct(np.concatenate(found))

    def forces(self, times: Array, motion: Motion, inputs: int) -> Array:
        """Return the forces by input, from q, v and a: a row for each time."""
        found = np.zeros((times.size, inputs))
        for one, drive, column in zip(self.pieces, self.drives, self.columns, strict=True):
            x, v, _, _ = drive.at(times, *motion, np.zeros_like(motion[0]))
            found[:, column] += one.force(times, x, v)
        return found

    def rates(self, times: Array, motion: Motion, left: NDArray[np.bool_], inputs: int) -> Array:
        """Return the rates of the forces; at changes those before them where `left`."""
        found = np.zeros((times.size, inputs))
        for one, drive, column in zip(self.pieces, self.drives, self.columns, strict=True):
            _, v, a, _ = drive.at(times, *motion, np.zeros_like(motion[0]))
            found[:, column] += one.rate(times, v, a, left)
        return found

    def notes(self, crane: Crane) -> tuple[str, ...]:
        """Return what is to be said of it, a line each."""
        units = {quantity.name: quantity.unit for quantity in crane.inputs}
        drives = ", ".join(one.element.input for one in self.pieces)
        left = [
            f"{one.stored:.6g} {units[one.element.input]} in the spring of {one.element.input}"
            for one in self.pieces
            if one.element.sticks
        ]
        contained = (
            f"the controls contain the friction of {drives} (crane.friction); the twin has none, "
            "and residuals, certificate and a verification on the twin concern the crane without it"
        )
        if not left:
            return (contained,)
        at_end = f"at the end stay {', '.join(left)}: the controls hold it, and a motion from"
        return contained, f"{at_end} there starts with it (start)"

    def as_dict(self) -> dict[str, dict[str, object]]:
        """Return what the friction does, by input, for JSON."""
        found: dict[str, dict[str, object]] = {}
        for one in self.pieces:
            element = one.element
            part: dict[str, object] = {"kind": element.kind, "dissipated_energy": one.dissipated}
            if element.sticks:
                part["stored_force_at_end"] = one.stored
                part["stored_energy_at_end"] = one.stored**2 / (2.0 * element.stiffness)
                part["sticks_at"] = one.reversals.tolist()
            found[element.input] = part
        return found


def with_friction(solution: Feedforward, elements: Sequence[DriveFriction]) -> Feedforward:
    """Return a feedforward whose controls overcome the friction of its drives.

    Parameters
    ----------
    solution : Feedforward
        Of the crane without friction, exact at any time (index1, inversion).
    elements : sequence of DriveFriction
        The friction; none leaves the solution as it is.

    Raises
    ------
    InputError
        If the method knows the motion on its grid only.
    """
    return add_friction(solution, follow_friction(solution, elements)) if elements else solution


def follow_friction(solution: Feedforward, elements: Sequence[DriveFriction]) -> FrictionForces:
    """Return the friction along a motion; see `with_friction`."""
    problem = solution.problem
    if solution.nodes is None:
        raise InputError(
            f"crane.friction needs a motion that is exact at any time, to find where a drive "
            f"reverses, and method '{solution.method}' knows it on its grid only; set "
            "solve.method = 'index1' or 'inversion'"
        )
    columns = tuple(names(problem.crane.inputs).index(one.input) for one in elements)
    times = _scan_times(solution)
    drives = tuple(drive_travel(solution, column, times) for column in columns)
    pieces = tuple(
        follow_travel(element, _moves(solution, drive), times)
        for element, drive in zip(elements, drives, strict=True)
    )
    return FrictionForces(pieces, drives, columns)


def _scan_times(solution: Feedforward) -> Array:
    first, last = float(solution.time[0]), float(solution.time[-1])
    edges = np.asarray(solution.problem.path.knots)
    edges = distinct(np.concatenate([[first, last], edges[(edges > first) & (edges < last)]]))
    share = np.arange(_PER_PIECE) / _PER_PIECE
    pieces = (edges[:-1, None] + np.diff(edges)[:, None] * share).ravel()
    even = np.linspace(first, last, _SCAN_TIMES)
    found = distinct(np.concatenate([pieces, even]))
    keep = np.append(np.diff(found) > _SAME * (last - first), True)
    return np.asarray(found[keep])


def _moves(solution: Feedforward, drive: DriveTravel) -> Travel:
    def at(times: Array) -> Array:
        increasing, places = np.unique(times, return_inverse=True)
        nodes = solved_at(solution, increasing).nodes
        assert nodes is not None
        rows = nodes.grid[places]
        return drive.at(times, *(part[rows] for part in (nodes.q, nodes.v, nodes.a, nodes.jerk)))

    return at


# ---------------------------------------------------------------------------- controls


def add_friction(solution: Feedforward, friction: FrictionForces) -> Feedforward:
    """Return a feedforward with friction that is known, perhaps of a longer motion."""
    inputs = solution.u.shape[1]
    motion = solution.q, solution.v, solution.a
    u = solution.u + friction.forces(solution.time, motion, inputs)
    start = np.zeros(inputs)
    for one, column in zip(friction.pieces, friction.columns, strict=True):
        start[column] += one.element.start
    return replace(
        solution,
        u=u,
        nodes=_with_changes(solution, friction),
        exact_at=lambda times: add_friction(solved_at(solution, times), friction),
        held=None if solution.held is None else solution.held + start,
        notes=(*solution.notes, *friction.notes(solution.problem.crane)),
        friction=friction.as_dict(),
        kinks=friction.changes,
        frictionless_part=solution,
    )


def _with_changes(solution: Feedforward, friction: FrictionForces) -> Nodes:
    """Return the nodes with the friction, the times of its changes among them, twice."""
    nodes = solution.nodes
    assert nodes is not None
    first, last = float(nodes.time[0]), float(nodes.time[-1])
    same = _SAME * (last - first)
    changes = friction.changes
    changes = changes[(changes > first + same) & (changes < last - same)]
    inner = friction.inner_times(last)
    inner = inner[(inner > first) & (inner < last)]
    nearest = _nearest(nodes.time, changes)
    met = np.abs(nodes.time[nearest] - changes) <= same
    inner = inner[_distance(np.concatenate([nodes.time, changes]), inner) > 1e3 * same]
    new = np.sort(np.concatenate([changes[~met], inner]))
    added = solved_at(solution, new).nodes if new.size else None
    rows = {field.name: [getattr(nodes, field.name)] for field in fields(Nodes)}
    twice = np.isin(new, changes)
    if added is not None:
        order = np.repeat(added.grid, 1 + twice)
        for name, parts in rows.items():
            if name != "grid":
                parts.append(getattr(added, name)[order])
    # a change at a node: the node stands twice
    pairs = np.append(nodes.time[1:] == nodes.time[:-1], False)
    double = pairs.copy()
    double[1:] |= pairs[:-1]
    copied = nearest[met & ~double[nearest]]
    for name, parts in rows.items():
        if name != "grid":
            parts.append(getattr(nodes, name)[copied])
    # whether a row looks to the left of its time, and the time at which friction is asked for
    left = [pairs, np.zeros(0, dtype=bool), np.ones(copied.size, dtype=bool)]
    if new.size:
        firsts = np.repeat(twice, 1 + twice)
        ends = np.cumsum(1 + twice) - 1
        firsts[ends] = False
        left[1] = firsts
    together = np.concatenate(rows["time"])
    asked = together.copy()
    for node, change in zip(nearest[met], changes[met], strict=True):
        asked[np.abs(together - nodes.time[node]) <= same] = change
    looks_left = np.concatenate(left)
    order = np.lexsort((~looks_left, together))
    columns = {name: np.concatenate(parts)[order] for name, parts in rows.items() if name != "grid"}
    places = np.empty(order.size, dtype=np.intp)
    places[order] = np.arange(order.size)
    motion = columns["q"], columns["v"], columns["a"]
    times, inputs = asked[order], columns["u"].shape[1]
    columns["u"] = columns["u"] + friction.forces(times, motion, inputs)
    columns["u_rate"] = columns["u_rate"] + friction.rates(times, motion, looks_left[order], inputs)
    return Nodes(grid=places[: nodes.time.size][nodes.grid], **columns)


def _nearest(times: Array, wanted: Array) -> NDArray[np.intp]:
    right = np.clip(np.searchsorted(times, wanted), 1, times.size - 1)
    return np.where(wanted - times[right - 1] < times[right] - wanted, right - 1, right)


def _distance(times: Array, wanted: Array) -> Array:
    times = np.sort(times)
    return np.asarray(np.abs(times[_nearest(times, wanted)] - wanted))
