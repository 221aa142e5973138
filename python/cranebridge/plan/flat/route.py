"""Guesses: a path from start to goal that an optimiser improves, with what holds at its ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, SolutionError
from cranebridge.path import (
    BSplinePath,
    Cylindrical,
    Hold,
    Line,
    Path,
    Pieces,
    Profile,
    Spline,
    Stops,
    polynomial,
)
from cranebridge.plan.flat.detours import DISTANCES, guide_points
from cranebridge.plan.flat.ends import MovingEnd
from cranebridge.plan.flat.join_pieces import concatenate
from cranebridge.plan.flat.plain_stop import in_pieces
from cranebridge.plan.nlp import LegEnd
from cranebridge.plan.task import PathEvaluation, PathEvaluator, PlanTask, Stretch, Via
from cranebridge.twin.language import names

Array = NDArray[np.float64]

# Durations are tried in steps of this factor ...
_FACTOR = 1.4
# ... from this one [s] ...
_SHORTEST = 0.1
# ... to this one [s], beyond which only gravity is left.
_LONGEST = 1e5
# After so many of them it is asked whether the longest is long enough.
_DOUBT = 4
# Points on the way to a guide point at which limits are looked at where there is no way.
_POINTS = 41
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
    ends : tuple of (LegEnd, LegEnd)
        What holds at the ends of each leg.
    start, goal : MovingEnd or None
        The first and the last end, where they move.
    boxes : tuple
        Least and largest outputs of each leg; None where a leg may go anywhere.
    gradual : bool
        Whether it is to be shortened step by step: it is slow, and keeps the limits.
    """

    way: str
    path: Path
    durations: tuple[float, ...]
    ends: tuple[tuple[LegEnd, LegEnd], ...]
    start: MovingEnd | None = None
    goal: MovingEnd | None = None
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
    evaluator : PathEvaluator
        Evaluates paths of the task.
    smoothness : int
        Class of the paths.
    start, goal : numpy.ndarray
        Outputs at both ends; those of a stop are a guess.
    moving : (MovingEnd or None, MovingEnd or None)
        The ends, where they move.
    overshoot : bool
        Whether the load may leave the box between two via points.
    """

    evaluator: PathEvaluator
    smoothness: int
    start: Array
    goal: Array
    moving: tuple[MovingEnd | None, MovingEnd | None] = (None, None)
    overshoot: bool = False

    @property
    def task(self) -> PlanTask:
        """What is asked."""
        return self.evaluator.task

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
            return self._moving_routes()
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

    def barred(self, touching: Sequence[tuple[str, str]]) -> str:
        """Return why there is no way past the obstacles: what stands in the way of each that is.

        Parameters
        ----------
        touching : sequence of (str, str)
            Ways that touch obstacles, and why they do.
        """
        kinds = [one.word for one in self.task.obstacles]
        words = ", ".join(f"obstacle {i + 1} ({kind})" for i, kind in enumerate(kinds[:3]))
        words += ", ..." if len(kinds) > 3 else ""
        known = {way.split(", then ")[-1]: why for way, why in touching}
        for way, points in guide_points(self.task, self.start, self.goal, DISTANCES[-1]):
            if way not in known:
                known[way] = self._hindrance(points[0])
        reasons = "; ".join(f"{way} {why}" for way, why in known.items())
        return f"no way past {words} was found: {reasons}"

    def _hindrance(self, point: Array) -> str:
        """Return the limit that stands in the way from the start to a point, however slow."""
        for share in np.linspace(0.0, 1.0, _POINTS):
            held = Hold(self.outputs, _tuple(self.start + share * (point - self.start)), 1.0)
            try:
                evaluation = self.evaluator.evaluate(held, per_piece=2)
            except (SolutionError, InputError):
                return "the crane cannot hold the load"
            excess = evaluation.excess().max(axis=0)
            limits = [i for i, row in enumerate(evaluation.rows) if not row.is_clearance]
            worst = max(limits, key=lambda i: excess[i], default=None)
            if worst is not None and excess[worst] > 0.0:
                row = evaluation.rows[worst]
                return f"{row.name} stands in the way ({row.text})"
        return "no motion keeps the limits"

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
        """Yield ways around the obstacles, over guide points.

        Where there is no room for a spline, it is lines between near points, with stops.
        """
        found = set()
        for distance, make in zip(DISTANCES, (self._bent, self._edged), strict=True):
            for way, points in guide_points(self.task, self.start, self.goal, distance):
                stations = [self.start, *points, self.goal]
                lengths = [float(np.linalg.norm(b - a)) for a, b in pairwise(stations)]
                marks = np.concatenate([[0.0], np.cumsum(lengths)]) / sum(lengths)
                route = None if way in found else self._timed(way, make(stations, marks))
                if route is not None:
                    found.add(way)
                    yield route

    def _bent(self, stations: Sequence[Array], marks: Array) -> Callable[[float], Path]:
        """Return splines through stations at parts of their durations."""
        rows = tuple(_tuple(point) for point in stations)
        return lambda T: Spline(self.outputs, rows, _tuple(marks * T), self.smoothness)

    def _edged(self, stations: Sequence[Array], marks: Array) -> Callable[[float], Path]:
        """Return lines between stations, with stops at parts of their durations."""
        rows, parts = tuple(_tuple(point) for point in stations), np.diff(marks)
        return lambda T: Stops(self.outputs, rows, self._steps((parts * T).tolist()))

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
        points = tuple(_tuple(point) for point in stations)
        path = Stops(self.outputs, points, self._steps(legs))
        count = len(legs)
        every = [
            (
                LegEnd(self.smoothness, self.start) if i == 0 else LegEnd(None, None),
                LegEnd(self.smoothness, self.goal) if i == count - 1 else LegEnd(None, None),
            )
            for i in range(count)
        ]
        boxes = [None if self.overshoot else _box(a, b) for a, b in pairwise(stations)]
        return Route("through the via points", path, tuple(legs), tuple(every), boxes=tuple(boxes))

    def _moving_routes(self) -> list[Route]:
        """Return a polynomial between the ends, and ways around obstacles from rest to rest.

        Where no polynomial is possible, there is a way over a stop.
        """
        around: list[Route] = []
        if self.task.obstacles and self.task.goal is not None:
            around = [*self._by_rest(lambda inner: [*inner._direct(), *inner._around()])]
        try:
            return [self._polynomial(), *around]
        except SolutionError:
            start, goal = self.moving
            if not around and start is not None and goal is None and self.task.goal is not None:
                around = self._by_rest(lambda inner: [*inner._direct()])
            if not around:
                raise
            return [min(around, key=lambda one: one.path.duration)] if goal is None else around

    def _by_rest(self, ways: Callable[[Guesser], list[Route | None]]) -> list[Route]:
        """Return ways that first stop the load nearby, then go on as from any rest.

        To a goal in motion they stop before it, and run up. A polynomial from a moving load to the
        goal is nearly straight; the crane may not be able to hold the load on such a line.

        Parameters
        ----------
        ways : callable
            Takes a guesser from rest to rest and returns its routes.
        """
        start, goal = self.moving
        before: Pieces | None = None
        after: Pieces | None = None
        inner = replace(self, moving=(None, None))
        try:
            if start is not None:
                before = self._stopped(start)
                inner = replace(inner, start=before([before.duration])[:, 0])
            if goal is not None:
                after = self._run_up(goal)
                inner = replace(inner, goal=after([0.0])[:, 0])
        except SolutionError:
            return []
        ends = (
            LegEnd(self.smoothness, self.start) if start is None else LegEnd(None, None),
            LegEnd(self.smoothness, self.goal) if goal is None else LegEnd(None, None),
        )
        routes = []
        for route in ways(inner):
            if route is None:
                continue
            path = in_pieces(route.path, self.smoothness)
            path = path if before is None else concatenate(before, path)
            path = path if after is None else concatenate(path, after)
            way = (
                route.way
                if start is None
                else f"from the given state over a stop, then {route.way}"
            )
            routes.append(Route(way, path, (path.duration,), (ends,), start, goal, gradual=True))
        return routes

    def _stopped(self, start: MovingEnd) -> Pieces:
        """Return a polynomial to a stop, whose duration exceeds the limits least."""
        task = replace(self.task, goal=None)
        stop = replace(self, evaluator=PathEvaluator(task), moving=(start, None))._polynomial().path
        return in_pieces(stop, self.smoothness, 1)

    def _run_up(self, goal: MovingEnd) -> Pieces:
        """Return a polynomial from rest to a goal in motion, whose duration exceeds least."""
        last = self._derivatives(goal, self.goal)

        def make(T: float) -> Path:
            first = self._derivatives(None, last[0] - 0.5 * T * last[1])
            return hermite_path(self.outputs, first, last, T, False, True)

        return in_pieces(make(self._least_exceeding(make, last)), self.smoothness, 1)

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

        best = self._least_exceeding(make, first)
        ends = (
            LegEnd(None, None) if start is not None else LegEnd(self.smoothness, self.start),
            LegEnd(None, None)
            if goal is not None
            else LegEnd(self.smoothness, None if stop else self.goal),
        )
        way = "to a stop" if stop else "from the given state"
        return Route(way, make(best), (best,), (ends,), start, goal)

    def _least_exceeding(self, make: Callable[[float], Path], end: Array) -> float:
        """Return the duration of a path that exceeds the limits least, the first that keeps them.

        Parameters
        ----------
        make : callable
            Returns the path of a duration [s].
        end : numpy.ndarray
            Outputs and their derivatives at an end that moves, a row each.
        """
        times, excess = _FACTOR ** np.arange(-4.0, 16.0), []
        # far too fast a motion takes long to be found impossible
        fastest = max(_FAST, 3.0 * float(np.abs(end[2]).max(initial=0.0)))
        for T in times.tolist():
            path = make(T)
            speeding = np.abs(path.derivatives(np.linspace(0.0, T, 33), 2)[2]).max() > fastest
            excess.append(np.inf if speeding else self._excess(path))
            if excess[-1] <= 0.0:
                break
        if not np.isfinite(min(excess)):
            raise SolutionError(
                "no motion from this state was found: the load would have to fall faster than "
                "gravity pulls it, or go where the crane cannot hold it"
            )
        return float(times[int(np.argmin(excess))])

    def _derivatives(self, end: MovingEnd | None, point: Array) -> Array:
        if end is not None:
            return end.derivatives[: self.smoothness + 1].copy()
        rest = np.zeros((self.smoothness + 1, point.size))
        rest[0] = point
        return rest

    def _step(self, duration: float, begin: float | Fraction = 0) -> Profile:
        return polynomial(duration, self.smoothness, begin)

    def _steps(self, durations: Sequence[float]) -> tuple[Profile, ...]:
        """Return steps in turn, each from the very time at which the one before ends."""
        begins = accumulate(map(Fraction, durations), initial=Fraction(0))
        return tuple(map(self._step, durations, begins))

    def _timed(self, way: str, make: Callable[[float], Path]) -> Route | None:
        """Return a route with the shortest of the tried durations that keeps the limits."""
        path = _shortest(make, self._excess)
        if path is None:
            return None
        ends = LegEnd(self.smoothness, self.start), LegEnd(self.smoothness, self.goal)
        return Route(way, path, (path.duration,), (ends,))

    def _excess(self, path: Path) -> float:
        """Return by how much a path exceeds the limits, obstacles aside; infinite if unsolvable."""
        try:
            return limits_excess(self.evaluator.evaluate(path, per_piece=64))
        except (SolutionError, InputError):
            return float("inf")

    def _nothing(self) -> InputError:
        """Say which limit stands in the way of the slowest motion."""
        a, b = _tuple(self.start), _tuple(self.goal)
        line = Line(self.outputs, a, b, self._step(_LONGEST))
        try:
            worst = self.evaluator.evaluate(line, per_piece=64).worst()
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


def limits_excess(evaluation: PathEvaluation) -> float:
    """Return the largest excess of the limits of a motion, obstacles aside."""
    excess = evaluation.excess()[:, [not row.is_clearance for row in evaluation.rows]]
    return float(excess.max(initial=-np.inf))


def _shortest(make: Callable[[float], Path], excess: Callable[[Path], float]) -> Path | None:
    """Return the path with the shortest of the tried durations that keeps the limits, if any."""
    duration = _gentle(make(1.0))
    first = excess(make(duration))
    if first <= 0.0:
        while duration > _SHORTEST and excess(make(duration / _FACTOR)) <= 0.0:
            duration /= _FACTOR
        return make(duration)
    # a way on which the load cannot even be held is not tried with each duration
    doubt = 0 if np.isinf(first) else _DOUBT
    for i in range(ceil(log(_LONGEST / duration) / log(_FACTOR))):
        if i == doubt and excess(make(_LONGEST)) > 0.0:
            return None
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
