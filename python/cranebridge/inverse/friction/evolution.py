"""The stop operator of a travel that is known: where it slides and sticks, exactly.

An element of :mod:`cranebridge.inverse.friction.elements` is elastic (F' = E x'), or at its limit
(F = L or F = -L). As the travel x(t) is known, each change has a time that solves one equation:

    it yields     F_a + E (x - x_a) = m L(x')     with the force F_a and the travel x_a where it
                                                  became elastic, m = 1 forward, -1 backward;
    it sticks     m E x' = L'(x') x''             the spring's force changes faster than its limit:
                                                  with a constant limit where the drive reverses.

Which changes there are is seen on a fine scan with the extremes of the travel among its times;
their times are then found by Newton's method on the exact travel. Between two extremes the operator
is monotone, and a time more or less among them changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.inverse.friction.elements import DriveFriction
from cranebridge.inverse.piecewise import hermite

Array = NDArray[np.float64]

Travel = Callable[[Array], Array]
"""Returns travel, velocity, acceleration and jerk of a drive at times: a row for each."""

# The scan looks so often between two of the times that it is given.
_PARTS = 8
# Velocities below this part of the largest one, and below so many roundings of the travel between
# two times, are those of a drive that rests.
_STILL = 1e-12
_ROUNDINGS = 64.0
_NEWTON_STEPS = 25
# Of the velocity that smooths the force, or over which its limit falls: up to this many times it
# the force changes with the velocity, and cubics over this part of it miss 1e-6 of the force.
_SLOW = 10.0
_FINE = 0.1
_SLOW_TIMES = 65
# More changes are no motion of a crane.
_MOST_CHANGES = 100_000


@dataclass(frozen=True, eq=False)
class FrictionPieces:
    """What an element does over time, piece by piece.

    Attributes
    ----------
    element : DriveFriction
        The element.
    begins : numpy.ndarray
        When each piece begins; the last one has no end.
    modes : numpy.ndarray
        1 and -1 where it slides forward and backward, 0 where it is elastic.
    forces, travels : numpy.ndarray
        Force of the spring and travel of the drive at the begin of each piece.
    dissipated : float
        Energy that became heat until the end.
    stored : float
        Force in the spring at the end.
    fast : numpy.ndarray
        Times between which the force changes little while its limit, or tanh, moves.
    """

    element: DriveFriction
    begins: Array
    modes: NDArray[np.intp]
    forces: Array
    travels: Array
    dissipated: float = 0.0
    stored: float = 0.0
    fast: Array = field(default_factory=lambda: np.empty(0))

    @property
    def changes(self) -> Array:
        """When it yields or sticks."""
        return self.begins[1:]

    @property
    def reversals(self) -> Array:
        """When it stops sliding: with a constant limit, where the drive reverses."""
        return np.asarray(self.changes[self.modes[1:] == 0])

    def force(self, t: Array, x: Array, v: Array) -> Array:
        """Return the force at times, from travel and velocity there."""
        return self._spring(t, x, v) + self.element.viscous * v

    def rate(self, t: Array, v: Array, a: Array, left: NDArray[np.bool_]) -> Array:
        """Return the force's rate: at a change that of the side before it where `left`."""
        element = self.element
        if not element.sticks:
            slope = _smooth(element, v)[1] if element.limit > 0.0 else np.zeros_like(v)
            return slope * a + element.viscous * a
        mode = self.modes[self._piece(t, left)]
        sliding = mode * element.level(v)[1] * a
        elastic = element.stiffness * v
        return np.asarray(np.where(mode == 0, elastic, sliding) + element.viscous * a)

    def _spring(self, t: Array, x: Array, v: Array) -> Array:
        element = self.element
        if not element.sticks:
            return _smooth(element, v)[0] if element.limit > 0.0 else np.zeros_like(v)
        piece = self._piece(t, np.zeros(np.shape(t), dtype=bool))
        level = element.level(v)[0]
        elastic = self.forces[piece] + element.stiffness * (x - self.travels[piece])
        mode = self.modes[piece]
        return np.where(mode == 0, np.clip(elastic, -level, level), mode * level)

    def _piece(self, t: Array, left: NDArray[np.bool_]) -> NDArray[np.intp]:
        after = np.searchsorted(self.begins, t, side="right") - 1
        before = np.searchsorted(self.begins, t, side="left") - 1
        return np.maximum(np.where(left, before, after), 0)


def _smooth(element: DriveFriction, v: Array) -> tuple[Array, Array]:
    """Return F_c tanh(v / v_c) and its derivative."""
    found = np.tanh(v / element.velocity)
    return element.limit * found, element.limit * (1.0 - found**2) / element.velocity


def follow_travel(element: DriveFriction, travel: Travel, times: Array) -> FrictionPieces:
    """Return what an element does along a travel.

    Parameters
    ----------
    element : DriveFriction
        The element.
    travel : callable
        The drive's motion, at any time between the first and the last of `times`.
    times : numpy.ndarray
        Increasing: between two of them the travel is close to a polynomial of degree five.
    """
    scan = _Scan.of(travel, times)
    if not element.sticks:
        begin = np.array([times[0]])
        none = np.zeros(1)
        found = FrictionPieces(element, begin, np.zeros(1, dtype=np.intp), none, none)
        return _completed(found, scan)
    changes = _changes(element, scan)
    _polish(element, travel, changes, (float(times[0]), float(scan.x[0])))
    ends = travel(times[[0, -1]])
    begins, modes, forces, travels = [float(times[0])], [0], [element.start], [float(ends[0, 0])]
    if changes:
        exact = travel(np.array([change.time for change in changes]))
        levels = element.level(exact[1])[0]
        for i, change in enumerate(changes):
            begins.append(change.time)
            modes.append(change.to)
            travels.append(float(exact[0, i]))
            forces.append(float((change.to or modes[-2]) * levels[i]))
    found = FrictionPieces(
        element, np.array(begins), np.array(modes), np.array(forces), np.array(travels)
    )
    stored = float(found._spring(times[[-1]], ends[0, [-1]], ends[1, [-1]])[0])
    return _completed(replace(found, stored=stored), scan)


# ---------------------------------------------------------------------------- the scan


@dataclass(frozen=True, eq=False)
class _Scan:
    """Travel, velocity and acceleration at many times, the extremes of the travel among them."""

    t: Array
    x: Array
    v: Array
    a: Array
    still: float

    @classmethod
    def of(cls, travel: Travel, times: Array) -> _Scan:
        x, v, a, _ = (column[:, None] for column in travel(times))
        quintic = hermite(times, (x[:-1], v[:-1], a[:-1]), (x[1:], v[1:], a[1:]))
        share = np.arange(_PARTS) / _PARTS
        fine = (times[:-1, None] + np.diff(times)[:, None] * share).ravel()
        fine = np.append(fine, times[-1])

        def at(t: Array) -> tuple[Array, Array, Array]:
            i = np.clip(np.searchsorted(times, t, side="right") - 1, 0, times.size - 2)
            c, s = quintic.c[:, i, 0], t - times[i]
            powers = np.arange(len(c) - 1, -1, -1.0)
            first = c[:-1] * powers[:-1, None]
            second = first[:-1] * powers[1:-1, None]
            return tuple(_horner(part, s) for part in (c, first, second))  # type: ignore[return-value]

        speeds = at(fine)[1]
        rounding = np.finfo(float).eps * float(np.abs(x).max()) / float(np.median(np.diff(times)))
        still = _STILL * float(np.abs(speeds).max(initial=0.0)) + _ROUNDINGS * rounding
        turns = np.flatnonzero(speeds[:-1] * speeds[1:] < 0.0)
        low, high = fine[turns], fine[turns + 1]
        sign = np.sign(speeds[turns])
        for _ in range(50):  # bisection halves to rounding
            middle = 0.5 * (low + high)
            before = at(middle)[1] * sign > 0.0
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        t = np.unique(np.concatenate([fine, 0.5 * (low + high)]))
        return cls(t, *at(t), still)


def _horner(c: Array, s: Array) -> Array:
    value = np.zeros_like(s)
    for row in c:
        value = value * s + row
    return value


@dataclass(eq=False)
class _Change:
    """A change to a mode, with the bracket of its time."""

    time: float
    to: int
    low: float
    high: float


def _changes(element: DriveFriction, scan: _Scan) -> list[_Change]:
    """Return the changes of mode that the scan shows, their times within it."""
    E = element.stiffness
    level, slope, _ = element.level(scan.v)
    limit_rate = slope * scan.a
    found: list[_Change] = []
    mode, force, travel, k, since = 0, element.start, float(scan.x[0]), 1, float(scan.t[0])
    while k < scan.t.size and len(found) < _MOST_CHANGES:
        v = scan.v[k:]
        if mode == 0:
            spring = force + E * (scan.x[k:] - travel)
            rising = E * (v + scan.still) >= limit_rate[k:]
            falling = E * (v - scan.still) <= -limit_rate[k:]
            up = (spring > level[k:]) & rising
            down = (spring < -level[k:]) & falling
            hit = up | down
            if not hit.any():
                return found
            j = int(np.argmax(hit))
            mode = 1 if up[j] else -1
            low = max(since, float(scan.t[k + j - 1]))
            over = mode * spring[j] - level[k + j]
            before = mode * (force + E * (scan.x[k + j - 1] - travel)) - level[k + j - 1]
            part = 0.0 if before >= 0.0 else before / (before - over)
            time = low + part * (float(scan.t[k + j]) - low)
            since, k = time, k + j
            found.append(_Change(time, mode, low, float(scan.t[k])))
        else:
            faster = mode * E * v - limit_rate[k:]
            leaves = faster < -E * scan.still
            if not leaves.any():
                return found
            j = k + int(np.argmax(leaves))
            # the last time before it was so, and one more: the scan has its own rounding
            held = np.flatnonzero(faster[: j - k] > 0.0)
            last = max(k - 1 if held.size == 0 else k + int(held[-1]) - 1, 0)
            time, low = max(since, float(scan.t[j - 1])), max(since, float(scan.t[last]))
            found.append(_Change(time, 0, low, float(scan.t[j])))
            force, travel = float(mode * level[j - 1]), float(scan.x[j - 1])
            mode, since, k = 0, time, j
    if len(found) >= _MOST_CHANGES:
        raise SolutionError(
            f"the friction of {element.input} sticks and slides more than {_MOST_CHANGES:,} times "
            f"until t = {since:.6g} s; is its stiffness meant?"
        )
    return found


def _polish(
    element: DriveFriction, travel: Travel, changes: list[_Change], start: tuple[float, float]
) -> None:
    """Find the times of changes to rounding, by Newton's method on the exact travel."""
    if not changes:
        return
    E, end = element.stiffness, max(abs(start[0]), abs(changes[-1].high))
    for _ in range(_NEWTON_STEPS):
        x, v, a, jerk = travel(np.array([change.time for change in changes]))
        level, slope, curve = element.level(v)
        force, anchor, largest, mode = element.start, start[1], 0.0, 0
        for i, change in enumerate(changes):
            if change.to == 0:
                value = mode * E * v[i] - slope[i] * a[i]
                rate = mode * E * a[i] - curve[i] * a[i] ** 2 - slope[i] * jerk[i]
                force, anchor = mode * level[i], x[i]
            else:
                value = force + E * (x[i] - anchor) - change.to * level[i]
                rate = E * v[i] - change.to * slope[i] * a[i]
            mode = change.to
            if rate == 0.0:
                continue
            time = min(max(change.time - value / rate, change.low), change.high)
            largest = max(largest, abs(time - change.time))
            change.time = float(time)
        if largest <= 4.0 * np.finfo(float).eps * end:
            return


# ---------------------------------------------------------------------------- energy


def _completed(pieces: FrictionPieces, scan: _Scan) -> FrictionPieces:
    """Return the pieces with their energy, and the times at which their force changes fast."""
    element = pieces.element
    return replace(
        pieces,
        dissipated=_heat(pieces, scan),
        fast=_fast(element.stribeck_velocity or element.velocity, scan),
    )


def _heat(pieces: FrictionPieces, scan: _Scan) -> float:
    """Return what became heat: the integral of the sliding force, and of d v^2."""
    element = pieces.element
    heat = element.viscous * _integral(scan.t, scan.v**2)
    if not element.sticks:
        return heat + _integral(scan.t, pieces._spring(scan.t, scan.x, scan.v) * scan.v)
    if element.stribeck_velocity == 0.0:
        ends = np.append(pieces.travels[1:], scan.x[-1])
        slid = np.where(pieces.modes == 0, 0.0, np.abs(ends - pieces.travels))
        return heat + element.limit * float(slid.sum())
    # all the work that is not in the spring
    t = np.unique(np.concatenate([scan.t, pieces.changes]))
    x, v = (np.interp(t, scan.t, values) for values in (scan.x, scan.v))
    work = _integral(t, pieces._spring(t, x, v) * v)
    return heat + work - (pieces.stored**2 - element.start**2) / (2.0 * element.stiffness)


def _integral(t: Array, values: Array) -> float:
    return float(np.sum(0.5 * np.diff(t) * (values[1:] + values[:-1])))


def _fast(scale: float, scan: _Scan) -> Array:
    """Return times between which the velocity, where it is small, changes by a part of a scale."""
    if scale == 0.0:
        return np.empty(0)
    step = np.abs(np.diff(np.clip(scan.v, -_SLOW * scale, _SLOW * scale))) / scale
    passed = np.append(0.0, np.cumsum(step))
    wanted = np.arange(_FINE, passed[-1], _FINE)
    # a drive that starts from rest is slow for long before its velocity has passed anything
    edges = np.flatnonzero(np.diff(np.abs(scan.v) < _SLOW * scale, prepend=False, append=False))
    slow = [
        np.linspace(scan.t[begin], scan.t[end - 1], _SLOW_TIMES)
        for begin, end in zip(edges[::2], edges[1::2], strict=True)
    ]
    return np.unique(np.concatenate([np.interp(wanted, passed, scan.t), *slow]))
