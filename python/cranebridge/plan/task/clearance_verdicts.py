"""Verdicts on the distance of a solution and of a plant's motion from obstacles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse import Feedforward, sample
from cranebridge.limits import (
    FINE_TIMES,
    Extreme,
    Motion,
    Verdict,
    between,
    extremes,
    not_judged,
    outcome,
    too_coarse,
)
from cranebridge.plan.task.clearance import (
    clearance_function,
    rope_coordinates,
    rope_functions,
)
from cranebridge.plan.task.obstacles import Obstacle
from cranebridge.twin import Crane
from cranebridge.twin.language import names

Array = NDArray[np.float64]

PLANT_CLEARANCE_OF = "plant clearance of obstacle "
"""How the names of verdicts on a plant's distance from obstacles begin."""

TOUCHING = 1e-6
"""A clearance that is missed by less than this [m] is kept: it is rounding."""

# Around a sample that is nearest an obstacle the motion is evaluated in this many parts ...
_PARTS = 16
# ... this often: each time around the nearest place found, so that 20 ms become 0.1 us.
_ROUNDS = 6
# Along a rope: shares of its length at first, then this often parts around the nearest one, so that
# 1e-7 of its length is left: each distance is convex along a line.
_SHARES, _PARTS_OF_ROPE, _ROUNDS_OF_ROPE = 33, 8, 10
# So many rows are looked at along the ropes at once.
_AT_ONCE = 5_000
# So much nearer [m] is no matter: at rest samples differ by rounding.
_NOTHING = 1e-8

_functions = lru_cache(maxsize=16)(clearance_function)
_rope_functions = lru_cache(maxsize=16)(rope_functions)


def judge_clearance(solution: Feedforward, obstacles: Sequence[Obstacle]) -> list[Verdict]:
    """Judge how close load and ropes come to each obstacle, between the solution's times, too."""
    if not obstacles:
        return []

    def follow(times: Array) -> Array:
        values = sample(solution, times).values
        return np.hstack([values["gamma"], values["q"]])

    grid = np.linspace(solution.time[0], solution.time[-1], FINE_TIMES)
    times = np.union1d(solution.time, grid)
    signals, problem = follow(times), solution.problem
    found = []
    for i, obstacle in enumerate(obstacles):
        left = remaining_clearance(problem.crane, obstacle, problem.parameters)
        nearest = _nearest(times, signals, lambda _: follow, left)
        found.append(_verdict(f"clearance of obstacle {i + 1}", obstacle, nearest))
    return found


def judge_plant_clearance(
    motion: Motion, obstacles: Sequence[Obstacle], parameters: Mapping[str, float]
) -> list[Verdict]:
    """Judge how close load and ropes of a plant come to each obstacle, between samples, too.

    Parameters
    ----------
    motion : Motion
        Of the plant, with its outputs ``y.NAME``.
    obstacles : sequence of Obstacle
        What must not be touched.
    parameters : mapping of str to float
        Of the crane, as the plant has them: they say where ropes begin.
    """
    if not obstacles:
        return []
    crane = motion.crane
    needed = rope_coordinates(crane) if any(one.rope for one in obstacles) else ()
    missing = [name for name in needed if f"q.{name}" not in motion.values]
    columns = [f"y.{name}" for name in names(crane.outputs)]
    unknown = np.zeros(motion.time.size)  # of which no distance is made
    signals = np.column_stack(
        [motion.values[title] for title in columns]
        + [motion.values.get(f"q.{name}", unknown) for name in names(crane.coordinates)]
    )
    found = []
    for i, obstacle in enumerate(obstacles):
        name, hidden = f"{PLANT_CLEARANCE_OF}{i + 1}", obstacle.rope and bool(missing)
        judged = obstacle.of_load() if hidden else obstacle
        left = remaining_clearance(crane, judged, parameters)
        if motion.sampled:
            nearest = extremes(motion.time, left(signals), sampled=True)[0]
        else:
            follow = partial(between, motion.time, signals)
            nearest = _nearest(motion.time, signals, follow, left)
        verdict = _verdict(name, judged, nearest)
        if hidden and verdict.status != "failed":
            verdict = not_judged(name, motion.why_missing(f"q.{missing[0]}") + ", and the rope")
        found.append(verdict)
    return found


def remaining_clearance(
    crane: Crane, obstacle: Obstacle, parameters: Mapping[str, float]
) -> Callable[[Array], Array]:
    """Return what makes of rows of outputs and coordinates what is left of a clearance [m].

    Of ropes it is the point that is nearest, not one of a few points along them.
    """
    function: ca.Function = _functions(crane, (obstacle.of_load(),))
    own = np.array([parameters[name] for name in names(crane.parameters)])
    count = len(crane.outputs)

    def left(rows: Array) -> Array:
        load: Array = np.array(function(rows[:, :count].T, rows[:, count:].T, own))[0]
        if not obstacle.rope:
            return load
        # an hour has a million rows, and each becomes a row for every place along the ropes
        parts = np.array_split(rows[:, count:], len(rows) // _AT_ONCE + 1)
        for function_of_rope in _rope_functions(crane, obstacle):
            found = [_along_rope(function_of_rope, part, own) for part in parts]
            load = np.minimum(load, np.concatenate(found))
        return load

    return left


def _along_rope(function: ca.Function, q: Array, parameters: Array) -> Array:
    """Return what is left of a clearance where a rope is nearest, for rows of coordinates."""

    def at(shares: Array) -> Array:
        rows = np.repeat(q, shares.shape[1], axis=0)
        return np.array(function(rows.T, parameters, shares.reshape(1, -1))).reshape(shares.shape)

    low, high = np.zeros(len(q)), np.ones(len(q))
    for k in range(_ROUNDS_OF_ROPE + 1):
        shares = np.linspace(low, high, _SHARES if k == 0 else _PARTS_OF_ROPE + 1, axis=1)
        values = at(shares)
        best, last = values.argmin(axis=1), shares.shape[1] - 1
        each = np.arange(len(q))
        low = shares[each, np.maximum(best - 1, 0)]
        high = shares[each, np.minimum(best + 1, last)]
    return np.asarray(values.min(axis=1))


def _nearest(
    time: Array,
    signals: Array,
    follow: Callable[[int], Callable[[Array], Array]],
    left: Callable[[Array], Array],
) -> Extreme:
    """Return what is left of a clearance where that is least, between samples, too.

    Distances have kinks, where another side of an obstacle is the nearest one; the signals have
    none within a step. So these are followed between samples, and the distances made of them.

    Parameters
    ----------
    follow : callable
        What gives the signals between a row and the next one.
    """
    values = left(signals)
    k = int(np.argmin(values))
    best = Extreme(float(values[k]), float(time[k]))
    # beside a sample it comes nearer by no more than it changes from there to the next ones
    change = np.abs(np.diff(values))
    drop = np.maximum(np.append(change, 0.0), np.append(0.0, change))
    for row in np.flatnonzero(values - drop < best.value - _NOTHING):
        for begin in (row - 1, row):
            if 0 <= begin < time.size - 1 and time[begin] < time[begin + 1]:
                ends = float(time[begin]), float(time[begin + 1])
                found = _between(*ends, follow(int(begin)), left)
                best = min(best, found, key=lambda one: one.value)
    return best


def _between(
    begin: float, end: float, follow: Callable[[Array], Array], left: Callable[[Array], Array]
) -> Extreme:
    """Return what is left where that is least between two times."""
    for _ in range(_ROUNDS):
        times = np.linspace(begin, end, _PARTS + 1)
        values = left(follow(times))
        k = int(np.argmin(values))
        begin, end = float(times[max(k - 1, 0)]), float(times[min(k + 1, _PARTS)])
    return Extreme(float(values[k]), float(times[k]))


def _verdict(name: str, obstacle: Obstacle, nearest: Extreme) -> Verdict:
    """Return the verdict on one obstacle from what is left beyond its clearance."""
    distance, time = nearest.value + obstacle.clearance, nearest.time
    kept = nearest.value >= -TOUCHING
    if kept and nearest.value - nearest.beyond < -TOUCHING:
        reason = too_coarse(distance, obstacle.clearance, "m", nearest.beyond)
        return not_judged(name, reason)
    who = "load or rope" if obstacle.rope else "load"
    word = "as wanted" if kept else "must be"
    message = (
        f"{name}: the {who} comes as close as {distance:.4g} m at t = {time:.4g} s, {word} at "
        f"least {obstacle.clearance:g} m"
    )
    margin = nearest.value
    return Verdict(name, outcome(kept), message, distance, obstacle.clearance, margin, "m", time)
