"""Verdicts on the distance of a solution from obstacles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.sampling import sample
from cranebridge.limits.solution import FINE_TIMES
from cranebridge.limits.verdict import Verdict, outcome
from cranebridge.plan.clearance import clearance_function
from cranebridge.plan.obstacles import Obstacle

TOUCHING = 1e-6
"""A clearance that is missed by less than this [m] is kept: it is rounding."""


def judge_clearance(solution: Feedforward, obstacles: Sequence[Obstacle]) -> list[Verdict]:
    """Judge how close load and ropes come to each obstacle, on a fine grid."""
    if not obstacles:
        return []
    problem = solution.problem
    times = np.linspace(solution.time[0], solution.time[-1], max(FINE_TIMES, solution.time.size))
    samples = sample(solution, times)
    p = np.repeat(problem.parameter_vector[:, None], times.size, axis=1)
    function = clearance_function(problem.crane, obstacles)
    clear = np.array(function(samples.values["gamma"].T, samples.values["q"].T, p))
    rows = enumerate(zip(obstacles, clear, strict=True))
    return [_verdict(i, one, values, times) for i, (one, values) in rows]


def _verdict(number: int, obstacle: Obstacle, values: np.ndarray, times: np.ndarray) -> Verdict:
    """Return the verdict on one obstacle from what is left beyond its clearance."""
    k = int(np.argmin(values))
    distance, time = float(values[k]) + obstacle.clearance, float(times[k])
    kept = float(values[k]) >= -TOUCHING
    name = f"clearance of obstacle {number + 1}"
    who = "load or rope" if obstacle.rope else "load"
    word = "as wanted" if kept else "must be"
    message = (
        f"{name}: the {who} comes as close as {distance:.4g} m at t = {time:.4g} s, {word} at "
        f"least {obstacle.clearance:g} m"
    )
    margin = distance - obstacle.clearance
    return Verdict(name, outcome(kept), message, distance, obstacle.clearance, margin, "m", time)
