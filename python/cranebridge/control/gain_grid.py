"""The grid of gains over position that a motion, or the limits of its drives, suggest.

Axes are the drive coordinates on which the gains depend at all (of cranes with more of these than
inputs: the outputs). A slewing angle goes round: the crane rests at every angle with the same
inputs. Other axes reach over the limits of their coordinate, or a part beyond what the motion
needs. Each axis gets more positions where gains between them would be wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.design import (
    TABLES,
    Axis,
    Law,
    LawDesign,
    PositionGains,
    corners,
    design_at_rests,
    turn,
)
from cranebridge.control.law_kinds import Kind
from cranebridge.control.model import ReferenceMotion, place_names, rest_state
from cranebridge.control.speed_law import design_speed_at_rests
from cranebridge.errors import InputError, SolutionError
from cranebridge.limits import Limits, Range
from cranebridge.twin import Crane
from cranebridge.twin.language import names

Array = NDArray[np.float64]

GRID_ERROR = 0.01
"""What gains between positions may be wrong, of the largest part of an input."""
COARSER = 3.0, 10.0
"""How many times as much where that needs too many positions."""
MARGIN = 0.25
"""How far an axis without limits reaches beyond the motion, of its travel; at least"""
LEAST_MARGIN = 0.1
"""this part of its largest magnitude."""
INSTEAD = "deliver the controller of one motion (c, st), or none (control.kind = 'none')"
"""What to do where there are no gains over position."""
MOST_ROWS = 2000
"""Rows of a grid at most: what a controller's memory holds."""
MOST_AXES = 4
"""Axes at most."""
# Gains that change by less than this part of what they may be wrong do not depend on an axis.
SAME = 0.1
# Random places at which the finished grid is looked at.
PLACES = 64
# Newton's method goes from rest to rest in steps of this angle [rad] where a position is one.
ANGLE = 0.3
# Along any other position its steps are this part of the axis.
STRIDE = 0.25
# Inputs at rest that differ by less than this part are the same: an angle goes round.
SAME_INPUTS = 1e-6


def gains_over_position(
    design: LawDesign,
    limits: Limits | None = None,
    finish: Callable[[LawDesign], Law] | None = None,
) -> PositionGains:
    """Return gains over position for motions like the one of a design.

    Parameters
    ----------
    design : LawDesign
        The law along a motion: its weights, coordinates, cycle, delay and kind are taken.
    limits : Limits, optional
        Of coordinates: how far the axes reach.
    finish : callable, optional
        From laws at rests to those that are kept, such as with compensated disturbances.

    Raises
    ------
    InputError
        If there are too many axes or positions, or the crane has no rest at one.
    """
    ranges = (limits or Limits()).q
    for margin in (1.0, 0.5, 0.0):
        try:
            search = _GridSearch(design, ranges, margin, finish)
            return search.finest()
        except SolutionError as error:
            if margin == 0.0:
                raise InputError(
                    f"gains over position cannot be had all over the motion's range: {error}; "
                    f"{INSTEAD}"
                ) from error
    raise AssertionError


class _TooManyError(InputError):
    """A grid would have too many positions."""


class _GridSearch:
    """Gains at places, each designed once, and the axes that are found with them."""

    def __init__(
        self,
        design: LawDesign,
        ranges: Mapping[str, Range],
        margin: float,
        finish: Callable[[LawDesign], Law] | None,
    ) -> None:
        self.design, self.ranges, self.margin = design, ranges, margin
        self.finish, self.error = finish or (lambda found: found.law), GRID_ERROR
        self.names = place_names(design.law.crane)
        self.home, self.rest = _home(design.reference, self.names)
        self.rests = {self.home: self.rest}
        self.known: dict[tuple[float, ...], Law] = {}
        self.strides = np.ones(len(self.names))
        self.scale: Array = np.zeros((0, 0, 0))

    def finest(self) -> PositionGains:
        """Return the gains on a grid that is fine enough, or on one that is nearly so."""
        for factor in COARSER:
            try:
                return self.result()
            except _TooManyError:
                self.error = factor * GRID_ERROR
        return self.result()

    def result(self) -> PositionGains:
        """Return the gains on a grid that is fine enough."""
        axes = self._dependent([self._axis(i) for i in range(len(self.names))])
        if len(axes) > MOST_AXES:
            raise InputError(
                f"the gains of crane '{self.design.law.crane.name}' depend on "
                f"{', '.join(axis.name for axis in axes)}: a grid over more than {MOST_AXES} "
                f"positions is too large; {INSTEAD}"
            )
        self._spread(axes)  # for the sizes of these alone
        share = self.error
        while True:
            axes = self._fine(axes, share)
            error = self._error(axes)
            if error <= self.error:
                break
            share *= 0.5
        laws = self._laws(_places(axes), [axis.name for axis in axes])
        return PositionGains(self.design.law.crane, tuple(axes), laws, error)

    def _fine(self, axes: list[Axis], share: float) -> list[Axis]:
        """Return axes with so many positions that the lines on each are wrong by a share of it."""
        while True:
            wrong = [self._wrong(axes, i) for i in range(len(axes))]
            # what one axis does not need is left for the others
            count = max(sum(float(one.max()) > SAME * self.error for one in wrong), 1)
            if all((one <= share / count).all() for one in wrong):
                return axes
            axes = [axis.refined(w > share / count) for axis, w in zip(axes, wrong, strict=True)]
            self._require_rows(axes)

    def _require_rows(self, axes: list[Axis]) -> None:
        if math.prod(axis.points.size for axis in axes) > MOST_ROWS:
            raise _TooManyError(
                f"gains of crane '{self.design.law.crane.name}' over "
                f"{', '.join(axis.name for axis in axes)} need more than {MOST_ROWS} positions to "
                f"be right to {self.error:g}; give narrower limits.q, or {INSTEAD}"
            )

    # ------------------------------------------------------------------------ axes

    def _axis(self, i: int) -> Axis:
        """Return the coarsest axis of a position."""
        name, reference = self.names[i], self.design.reference
        values = _values(reference, name)
        if _unit(reference.crane, name) == "rad":
            self.strides[i] = ANGLE
            round_ = turn(name, self.home[i])
            if self._turns(i, round_):
                return round_
        low, high = float(values.min()), float(values.max())
        bound = self.ranges.get(name)
        if bound is not None and math.isfinite(bound.most - bound.least):
            low, high = min(low, bound.least), max(high, bound.most)
        else:
            size = max(abs(low), abs(high))
            beyond = self.margin * max(MARGIN * (high - low), LEAST_MARGIN * size)
            # a rope or a radius does not become negative
            low = max(low - beyond, 0.5 * low) if low > 0.0 else low - beyond
            high = high + beyond
        if high <= low:
            high = low + 1.0
        if _unit(reference.crane, name) != "rad":
            self.strides[i] = STRIDE * (high - low)
        return Axis(name, np.array([low, high]))

    def _turns(self, i: int, axis: Axis) -> bool:
        """Whether the crane rests all round with the same inputs."""
        try:
            found = [self._rest(self._place({axis.name: x}))[1] for x in axis.points]
        except SolutionError:
            return False
        size = np.abs(self.rest[1]).max()
        return bool(np.abs(np.array(found) - self.rest[1]).max() <= SAME_INPUTS * size)

    def _dependent(self, axes: list[Axis]) -> list[Axis]:
        """Return the axes on which the gains depend, with all others anywhere."""
        if len(axes) > MOST_AXES:  # too many to look at all corners: along lines through the start
            spread = [self._spread([axis])[0] for axis in axes]
        else:
            spread = self._spread(axes)
        return [axis for axis, one in zip(axes, spread, strict=True) if one > SAME * self.error]

    def _spread(self, axes: list[Axis]) -> list[float]:
        """Return by how much gains change along each axis, at most."""
        looked = [np.sort(np.concatenate([axis.points, axis.between])) for axis in axes]
        table = self._table(list(product(*looked)), [axis.name for axis in axes])
        self.scale = table
        values = _scaled(table, table).reshape(*(points.size for points in looked), -1)
        return [float(np.ptp(values, axis=i).max(initial=0.0)) for i in range(len(axes))]

    def _wrong(self, axes: Sequence[Axis], i: int) -> Array:
        """Return what gains are wrong between the positions of an axis.

        At most over some places of the other axes: ends and middle, of a turn one.
        """
        axis, titles = axes[i], [axis.name for axis in axes]
        others = [_some(one) if k != i else np.zeros(1) for k, one in enumerate(axes)]
        found = []
        for place in product(*others):
            on, off = (
                self._table([(*place[:i], x, *place[i + 1 :]) for x in points], titles)
                for points in (axis.points, axis.between)
            )
            rows, weights = axis.parts(axis.between)
            line = np.einsum("tc,tcij->tij", weights, on[rows])
            found.append(np.abs(_scaled(off - line, self.scale)).max(axis=(1, 2)))
        return np.asarray(np.max(found, axis=0))

    def _error(self, axes: Sequence[Axis]) -> float:
        """Return what gains are wrong anywhere on the grid, at most over many places."""
        if not axes:
            return 0.0
        generator, titles = np.random.default_rng(1), [axis.name for axis in axes]
        ends = [axis.points[[0, -1]] for axis in axes]
        low, high = (np.array([one[k] for one in ends]) for k in (0, 1))
        places = low + (high - low) * generator.random((PLACES, len(axes)))
        rows, weights = corners(axes, places)
        grid = self._table(_places(axes), titles)
        line = np.einsum("tc,tcij->tij", weights, grid[rows])
        off = self._table(places.tolist(), titles) - line
        return float(np.abs(_scaled(off, self.scale)).max())

    # ------------------------------------------------------------------------ gains

    def _place(self, wanted: Mapping[str, float]) -> tuple[float, ...]:
        return tuple(wanted.get(name, x) for name, x in zip(self.names, self.home, strict=True))

    def _table(self, places: Sequence[Sequence[float]], titles: Sequence[str]) -> Array:
        """Return all gains at places, a matrix each."""
        law = self._laws(places, titles)
        return np.concatenate([getattr(law, name) for name in TABLES], axis=2)

    def _laws(self, places: Sequence[Sequence[float]], titles: Sequence[str]) -> Law:
        """Return the laws at places of some axes, a row for each."""
        wanted = [self._place(dict(zip(titles, map(float, one), strict=True))) for one in places]
        new = [place for place in dict.fromkeys(wanted) if place not in self.known]
        if new:
            rests = [self._rest(place) for place in new]
            q, u = (np.array([rest[k] for rest in rests]) for k in (0, 1))
            laws = self.finish(_at_rests(self.design, q, u))
            self.known |= {place: _rows(laws, [k]) for k, place in enumerate(new)}
        return _joined([self.known[place] for place in wanted])

    def _rest(self, place: tuple[float, ...]) -> tuple[Array, Array]:
        """Return the rest at a place, from the nearest one that is known, in small steps."""
        if place in self.rests:
            return self.rests[place]
        reference = self.design.reference
        there = np.array(place)
        near = min(self.rests, key=lambda one: np.abs((there - one) / self.strides).max())
        (q, u), here = self.rests[near], np.array(near)
        count = math.ceil(max(float(np.abs((there - here) / self.strides).max()), 1.0))
        for k in range(1, count + 1):
            at = here + (there - here) * k / count
            wanted = dict(zip(self.names, at.tolist(), strict=True))
            q, u = rest_state(reference.crane, reference.parameters, wanted, q, u)
        self.rests[place] = q, u
        return q, u


def _at_rests(design: LawDesign, q: Array, u: Array) -> LawDesign:
    """Return the laws at rests like the one of a design, with its observer."""
    law = design.law
    if law.speed:
        return design_speed_at_rests(design, q, u)
    kind, weights = cast(Kind, law.kind), design.weights
    inner, delay = design.model.coordinates, law.delay
    made = design_at_rests(design.reference, q, u, weights, inner, kind, delay)
    return replace(made, observer=design.observer)


def _home(
    reference: ReferenceMotion, titles: Sequence[str]
) -> tuple[tuple[float, ...], tuple[Array, Array]]:
    """Return where the motion begins, and the rest there."""
    place = tuple(float(_values(reference, name)[0]) for name in titles)
    wanted = dict(zip(titles, place, strict=True))
    crane, parameters = reference.crane, reference.parameters
    return place, rest_state(crane, parameters, wanted, reference.q[0], reference.u[0])


def _values(reference: ReferenceMotion, name: str) -> Array:
    crane = reference.crane
    if name.startswith("y."):
        return reference.outputs[:, names(crane.outputs).index(name[2:])]
    return reference.q[:, names(crane.coordinates).index(name)]


def _unit(crane: Crane, name: str) -> str:
    if name.startswith("y."):
        return crane.outputs[names(crane.outputs).index(name[2:])].unit
    return crane.coordinates[names(crane.coordinates).index(name)].unit


def _some(axis: Axis) -> Array:
    """Return a few places of an axis: ends and middle; of a turn its first."""
    low, high = axis.points[0], axis.points[-1]
    return np.array([low]) if axis.turning else np.array([low, 0.5 * (low + high), high])


def _places(axes: Sequence[Axis]) -> list[tuple[float, ...]]:
    return list(product(*(axis.points.tolist() for axis in axes)))


def _scaled(values: Array, table: Array) -> Array:
    """Return gains as parts of the largest part of each input, as thinned tables measure them."""
    largest = np.abs(table).max(axis=(0, 1))
    sizes = 1.0 / np.where(largest > 0.0, largest, 1.0)
    whole = np.abs(table * sizes).max(axis=(0, 2))
    return np.asarray(values * sizes / np.where(whole > 0.0, whole, 1.0)[:, None])


def _rows(law: Law, rows: Sequence[int]) -> Law:
    tables = {name: getattr(law, name)[list(rows)] for name in TABLES}
    return replace(law, time=law.time[list(rows)], **tables)


def _joined(laws: Sequence[Law]) -> Law:
    tables: dict[str, Any] = {
        name: np.concatenate([getattr(law, name) for law in laws]) for name in TABLES
    }
    return replace(laws[0], time=np.arange(float(len(laws))), **tables)
