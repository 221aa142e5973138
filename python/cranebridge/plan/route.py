"""Guesses: a path from start to goal that an optimiser improves, with what holds at its ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, SolutionError
from cranebridge.path import (
    BSplinePath,
    Cylindrical,
    Line,
    Path,
    Profile,
    Spline,
    Stops,
    polynomial,
)
from cranebridge.plan.detours import guide_points
from cranebridge.plan.ends import Moving
from cranebridge.plan.legs import End
from cranebridge.plan.plain import in_pieces, through
from cranebridge.plan.task import Task, Via
from cranebridge.plan.watch import Stretch, View, Watcher
from cranebridge.twin.crane import names

Array = NDArray[np.float64]

# Durations are tried in steps of this factor; beyond the longest only gravity is left.
_FACTOR = 1.4
_SHORTEST, _LONGEST = 0.1, 1e5
# Acceleration of a load that no guess has [m/s^2].
_FAST = 30.0
# Acceleration of a load that many cranes can have [m/s^2].
_GENTLE = 1.0


@dataclass(frozen=True, eq=False)
class Route:
    """A guess.

    Attributes
    ----------
    way : str
        In words.
    path : Path
        As smooth as the plan shall be.
    durations : tuple of float
        Of its legs [s].
    ends : tuple of (End, End)
        What holds at the ends of each leg.
    start, goal : Moving or None
        The first and the last end, where they move.
    boxes : tuple
        Least and largest outputs of each leg; None where a leg may go anywhere.
    gradual : bool
        Whether it is to be shortened step by step: it is slow, and keeps the limits.
    """

    way: str
    path: Path
    durations: tuple[float, ...]
    ends: tuple[tuple[End, End], ...]
    start: Moving | None = None
    goal: Moving | None = None
    boxes: tuple[tuple[Array, Array] | None, ...] = (None,)
    gradual: bool = False

    def stretches(self, durations: Sequence[float]) -> list[Stretch]:
        """Return when the legs that have a box begin and end, for durations of the legs."""
        times, last = np.cumsum([0.0, *durations]).tolist(), len(self.boxes)
        points = ["the start", *(f"via point {i}" for i in range(1, last)), "the goal"]
        return [
            Stretch(f"between {points[i]} and {points[i + 1]}", times[i], times[i + 1], *box)
            for i, box in enumerate(self.boxes)
            if box is not None
        ]


@dataclass(frozen=True, eq=False)
class Guesser:
    """Makes routes of a task.

    Attributes
    ----------
    watcher : Watcher
        Looks at paths of the task.
    smoothness : int
        Class of the paths.
    start, goal : numpy.ndarray
        Outputs at both ends; those of a stop are a guess.
    moving : (Moving or None, Moving or None)
        The ends, where they move.
    overshoot : bool
        Whether the load may leave the box between two via points.
    """

    watcher: Watcher
    smoothness: int
    start: Array
    goal: Array
    moving: tuple[Moving | None, Moving | None] = (None, None)
    overshoot: bool = False

    @property
    def task(self) -> Task:
        """What is asked."""
        return self.watcher.task

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the crane's outputs."""
        return names(self.task.crane.outputs)

    def routes(self) -> list[Route]:
        """Return routes, the plainest first.

        Raises
        ------
        InputError
            If not even the slowest motion keeps the limits.
        """
        if self.moving != (None, None) or self.task.goal is None:
            return [self._moving_route()]
        if self.task.via:
            return [self._through()]
        made = [*self._direct(), *self._around()]
        found = [route for route in made if route is not None]
        if not found:
            raise self._nothing()
        if self.task.obstacles:
            return found
        # without obstacles guesses lead to the same plan, or to one that is as much slower
        return [min(found, key=lambda route: route.path.duration)]

    def _direct(self) -> Iterator[Route | None]:
        """Yield a straight line, and lines in cylindrical coordinates both ways."""
        a, b = _tuple(self.start), _tuple(self.goal)
        yield self._timed("straight", lambda T: Line(self.outputs, a, b, self._step(T)))
        if self.outputs != ("x", "y", "z"):
            return
        first, last = _cylindrical(self.start), _cylindrical(self.goal)
        turn = (last[1] - first[1] + np.pi) % (2.0 * np.pi) - np.pi
        if min(first[0], last[0]) < 1e-3 or abs(turn) < 1e-3:
            return
        for angle in (turn, turn - np.copysign(2.0 * np.pi, turn)):
            word = "counterclockwise" if angle > 0.0 else "clockwise"
            end = (last[0], first[1] + float(angle), last[2])

            def slewing(T: float, end: tuple[float, ...] = end) -> Path:
                return Cylindrical(self.outputs, self._step(T), first, end)

            yield self._timed(f"slewing {word}", slewing)

    def _around(self) -> Iterator[Route | None]:
        """Yield ways around the obstacles, over guide points."""
        for way, points in guide_points(self.task, self.start, self.goal):
            stations = [self.start, *points, self.goal]
            lengths = [float(np.linalg.norm(b - a)) for a, b in pairwise(stations)]
            marks = np.concatenate([[0.0], np.cumsum(lengths)]) / sum(lengths)

            def spline(
                T: float, stations: Sequence[Array] = stations, marks: Array = marks
            ) -> Path:
                rows = tuple(_tuple(point) for point in stations)
                return Spline(self.outputs, rows, _tuple(marks * T), self.smoothness)

            yield self._timed(way, spline)

    def _through(self) -> Route:
        """Return a way that stops at each via point."""
        stations = [self.start, *(np.array(via.point) for via in self.task.via), self.goal]
        legs = []
        for a, b in pairwise(stations):
            ends = _tuple(a), _tuple(b)

            def line(T: float, ends: tuple[tuple[float, ...], tuple[float, ...]] = ends) -> Path:
                return Line(self.outputs, *ends, self._step(T))

            leg = _shortest(line, self._excess)
            if leg is None:
                raise self._nothing()
            legs.append(leg.duration)
        for i, (before, via) in enumerate(pairwise((Via((), 0.0), *self.task.via))):
            if before.time is not None and via.time is not None:
                legs[i] = via.time - before.time
        begins = np.concatenate([[0.0], np.cumsum(legs)])
        path = Stops(
            self.outputs,
            tuple(_tuple(point) for point in stations),
            tuple(self._step(T, float(begin)) for T, begin in zip(legs, begins, strict=False)),
        )
        count = len(legs)
        every = [
            (
                End(self.smoothness, self.start) if i == 0 else End(None, None),
                End(self.smoothness, self.goal) if i == count - 1 else End(None, None),
            )
            for i in range(count)
        ]
        boxes = [None if self.overshoot else _box(a, b) for a, b in pairwise(stations)]
        return Route("through the via points", path, tuple(legs), tuple(every), boxes=tuple(boxes))

    def _moving_route(self) -> Route:
        """Return a polynomial between the ends; where none is possible, a way over a stop."""
        try:
            return self._polynomial()
        except SolutionError as error:
            start, goal = self.moving
            over = None
            if start is not None and goal is None and self.task.goal is not None:
                over = self._over_a_stop(start)
            if over is None:
                raise error
            return over

    def _over_a_stop(self, start: Moving) -> Route | None:
        """Return a way that first stops the load nearby, then goes on from rest, as from any rest.

        A polynomial from a moving load to the goal is nearly straight; the crane may not be able to
        hold the load on such a line.
        """
        stop_task = replace(self.task, goal=None)
        try:
            stop = replace(self, watcher=Watcher(stop_task))._polynomial()
        except SolutionError:
            return None
        rest = stop.path([stop.path.duration])[:, 0]
        onward = [route for route in replace(self, start=rest)._direct() if route is not None]
        if not onward:
            return None
        best = min(onward, key=lambda route: route.path.duration)
        pieces = in_pieces(best.path, self.smoothness)
        stations = [np.array(piece)[: self.smoothness + 1] for piece in pieces.derivatives_at]
        first = start.derivatives[: self.smoothness + 1]
        lengths = [stop.path.duration, *np.diff(pieces.times).tolist()]
        resting = [self._derivatives(None, point) for point in (rest, self.goal)]
        path = through(self.outputs, [first, resting[0], *stations[1:], resting[1]], lengths)
        ends = End(None, None), End(self.smoothness, self.goal)
        way = f"from the given state over a stop, then {best.way}"
        return Route(way, path, (path.duration,), (ends,), start, None, gradual=True)

    def _polynomial(self) -> Route:
        """Return the polynomial between ends that move, with the duration that exceeds least."""
        start, goal = self.moving
        first = self._derivatives(start, self.start)
        stop = self.task.goal is None

        def make(T: float) -> Path:
            last = self._derivatives(goal, self.goal)
            if stop:
                # on the way it slows down evenly, so half of the way at full speed
                last[0] = first[0] + 0.5 * T * first[1]
            return hermite_path(self.outputs, first, last, T, start is not None, goal is not None)

        times, excess = _FACTOR ** np.arange(-4.0, 16.0), []
        # far too fast a motion takes long to be found impossible
        fastest = max(_FAST, 3.0 * float(np.abs(first[2]).max(initial=0.0)))
        for T in times.tolist():
            path = make(T)
            speeding = np.abs(path.derivatives(np.linspace(0.0, T, 33), 2)[2]).max() > fastest
            excess.append(np.inf if speeding else self._excess(path))
            if excess[-1] <= 0.0:
                break
        best = float(times[int(np.argmin(excess))])
        if not np.isfinite(min(excess)):
            raise SolutionError(
                "no motion from this state was found: the load would have to fall faster than "
                "gravity pulls it, or go where the crane cannot hold it"
            )
        ends = (
            End(None, None) if start is not None else End(self.smoothness, self.start),
            End(None, None)
            if goal is not None
            else End(self.smoothness, None if stop else self.goal),
        )
        way = "to a stop" if stop else "from the given state"
        return Route(way, make(best), (best,), (ends,), start, goal)

    def _derivatives(self, end: Moving | None, point: Array) -> Array:
        if end is not None:
            return end.derivatives[: self.smoothness + 1].copy()
        rest = np.zeros((self.smoothness + 1, point.size))
        rest[0] = point
        return rest

    def _step(self, duration: float, begin: float = 0.0) -> Profile:
        return polynomial(duration, self.smoothness, begin)

    def _timed(self, way: str, make: Callable[[float], Path]) -> Route | None:
        """Return a route with the shortest of the tried durations that keeps the limits."""
        path = _shortest(make, self._excess)
        if path is None:
            return None
        ends = End(self.smoothness, self.start), End(self.smoothness, self.goal)
        return Route(way, path, (path.duration,), (ends,))

    def _excess(self, path: Path) -> float:
        """Return by how much a path exceeds the limits, obstacles aside; infinite if unsolvable."""
        try:
            return limits_excess(self.watcher.look(path, per_piece=64))
        except (SolutionError, InputError):
            return float("inf")

    def _nothing(self) -> InputError:
        """Say which limit stands in the way of the slowest motion."""
        a, b = _tuple(self.start), _tuple(self.goal)
        line = Line(self.outputs, a, b, self._step(_LONGEST))
        try:
            worst = self.watcher.look(line, per_piece=64).worst()
        except SolutionError as error:
            return InputError(f"no way from start to goal was found: {error}")
        assert worst is not None
        _, row, time = worst
        where = "at the start" if time < 0.5 * _LONGEST else "at the goal"
        return InputError(
            f"no motion can keep the limits: however slow, {row.name} exceeds its limit "
            f"({row.text}) {where}"
        )


def hermite_path(
    outputs: tuple[str, ...], first: Array, last: Array, duration: float, *moving: bool
) -> BSplinePath:
    """Return the polynomial with given derivatives at both ends, as a path.

    Parameters
    ----------
    outputs : tuple of str
        Names.
    first, last : numpy.ndarray
        Outputs and their derivatives at the ends, a row each.
    duration : float
        In s.
    moving : bool
        Whether the start and the goal move.
    """
    count = len(first)
    degree = 2 * count - 1
    coefficients = np.zeros((2 * count, first.shape[1]))
    from scipy.interpolate import BSpline

    knots = np.repeat([0.0, 1.0], degree + 1)
    every = BSpline(knots, np.eye(degree + 1), degree)
    for end, given in ((0.0, first), (1.0, last)):
        rows = np.stack([every(end, nu=k) for k in range(count)])
        own = slice(0, count) if end == 0.0 else slice(count, None)
        powers = duration ** np.arange(count)
        coefficients[own] = np.linalg.solve(rows[:, own], given * powers[:, None])
        if not moving[int(end)]:  # what rests does so exactly
            coefficients[own] = given[0]
    times = tuple((knots * duration).tolist())
    return BSplinePath(outputs, degree, times, tuple(map(_tuple, coefficients)), *moving)


def limits_excess(view: View) -> float:
    """Return the largest excess of the limits of a motion, obstacles aside."""
    excess = view.excess()[:, [not row.is_clearance for row in view.rows]]
    return float(excess.max(initial=-np.inf))


def _shortest(make: Callable[[float], Path], excess: Callable[[Path], float]) -> Path | None:
    """Return the path with the shortest of the tried durations that keeps the limits, if any."""
    duration = _gentle(make(1.0))
    first = excess(make(duration))
    if np.isinf(first) and np.isinf(excess(make(_LONGEST))):
        return None  # the load cannot even be held on the way
    if first <= 0.0:
        while duration > _SHORTEST and excess(make(duration / _FACTOR)) <= 0.0:
            duration /= _FACTOR
        return make(duration)
    while duration < _LONGEST:
        duration *= _FACTOR
        if excess(make(duration)) <= 0.0:
            return make(duration)
    return None


def _gentle(path: Path) -> float:
    """Return how long a path of one second takes with a gentle acceleration.

    Far too fast a motion takes long to be found impossible.
    """
    largest = float(np.abs(path.derivatives(np.linspace(0.0, 1.0, 33), 2)[2]).max())
    return float(np.clip(np.sqrt(largest / _GENTLE), _SHORTEST, _LONGEST))


def _box(a: Array, b: Array) -> tuple[Array, Array]:
    return np.minimum(a, b), np.maximum(a, b)


def _tuple(values: Array) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _cylindrical(point: Array) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in point)
    return float(np.hypot(x, y)), float(np.arctan2(y, x)), z
